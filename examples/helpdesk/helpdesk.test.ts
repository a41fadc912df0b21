import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWebhookVerifier } from 'waymark'
import { createApiKeys } from 'waymark/auth'
import { createClient } from 'waymark/client'
import { createMemoryStore } from 'waymark/store'
import { type createHelpdesk, startHelpdesk } from './server.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const store = createMemoryStore()
const keyFor = async (name: string, ...scopes: string[]) =>
  (await createApiKeys(store).create({ name, principal: name, scopes })).key

let desk: Awaited<ReturnType<typeof startHelpdesk>>
beforeAll(async () => {
  desk = await startHelpdesk({
    database: ':memory:',
    store,
    secret,
    allowLoopback: true,
    port: 0,
  })
})
afterAll(async () => {
  await desk.server.close()
  await store.close()
})

describe('the page, over REST', () => {
  let token: string
  beforeAll(async () => {
    token = await keyFor('page', 'tickets:read', 'tickets:write')
  })
  const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${desk.server.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(headers as Record<string, string>) },
    })
  const post = (path: string, body: object = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const open = async (title: string, priority = 'normal') => {
    const response = await post('/api/tickets', { title, priority })
    expect(response.status).toBe(200)
    return (await response.json()) as { id: number }
  }

  it('is served, and needs a token for all else', async () => {
    const page = await fetch(`${desk.server.url}/desk`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('<title>Helpdesk</title>')
    expect((await fetch(`${desk.server.url}/api/tickets`)).status).toBe(401)
    expect((await post('/api/subscribers', { url: 'https://example.com' })).status).toBe(403)
  })

  it('opens tickets, filters them and turns pages', async () => {
    for (const title of ['Loud fan', 'No light', 'Broken door']) await open(title, 'high')
    await open('Tea is out', 'low')
    const list = async (cursor: string) => {
      const query = `filter[priority]=high&page[limit]=2&page[cursor]=${encodeURIComponent(cursor)}`
      return (await (await ask(`/api/tickets?${query}`)).json()) as {
        data: { attributes: { title: string } }[]
        meta: { pagination: { next_cursor: string | null } }
      }
    }
    const first = await list('')
    const second = await list(first.meta.pagination.next_cursor ?? 'none')
    const titles = [first, second].map(({ data }) => data.map(({ attributes: { title } }) => title))
    expect(titles).toEqual([['Broken door', 'No light'], ['Loud fan']])
    expect(second.meta.pagination.next_cursor).toBeNull()
    expect((await ask('/api/tickets/999')).status).toBe(404)
  })

  it('uploads an attachment and downloads it', async () => {
    const { id } = await open('See the picture')
    const form = new FormData()
    form.append('content', new File([new Uint8Array([137, 80])], 'fan.png', { type: 'image/png' }))
    const added = await ask(`/api/tickets/${id}/attachments`, { method: 'POST', body: form })
    const { attachment, name } = (await added.json()) as { attachment: number; name: string }
    expect(name).toBe('fan.png')
    const content = await ask(`/api/attachments/${attachment}`)
    expect(content.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await content.arrayBuffer())).toEqual(new Uint8Array([137, 80]))
  })

  it('follows changes while they happen', async () => {
    const { id } = await open('Watch me')
    const leave = new AbortController()
    const response = await ask('/api/changes', {
      headers: { accept: 'application/jsonl' },
      signal: leave.signal,
    })
    const lines = readLines(response)
    await lines.until({ ticket: id, status: 'open' })
    await post(`/api/tickets/${id}/close`)
    await lines.until({ ticket: id, status: 'closed' })
    leave.abort()
  })

  it('has a report built in the background', async () => {
    await open('Count me')
    const accepted = await post('/api/reports')
    expect(accepted.status).toBe(202)
    const location = accepted.headers.get('location') as string
    const state = async () => (await (await ask(location)).json()) as { status: string }
    await expect.poll(async () => (await state()).status, { timeout: 20_000 }).toBe('completed')
    const { tickets } = (await (await ask('/api/tickets')).json()) as { tickets: object[] }
    const { length } = tickets
    const result = { tickets: length, people: { page: length } }
    expect(await state()).toMatchObject({ progress: 1, result })
  })
})

describe('an agent, over MCP', () => {
  it('sees the tools it may call, and works on a ticket', async () => {
    const agent = new Client({ name: 'agent', version: '1.0.0' })
    const token = await keyFor('agent', 'tickets:read', 'tickets:write')
    await agent.connect(
      new StreamableHTTPClientTransport(new URL(`${desk.server.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    const call = (name: string, given: object) => agent.callTool({ name, arguments: { ...given } })
    const names = (await agent.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('tickets__open')
    expect(names).not.toContain('subscribers__add')

    const opened = await call('tickets__open', { title: 'Found by an agent' })
    expect(opened.structuredContent).toMatchObject({ opened_by: 'agent', priority: 'normal' })
    const { id } = opened.structuredContent as { id: number }
    const added = await call('attachments__add', {
      id,
      content: `data:text/plain;name=log.txt;base64,${btoa('it broke')}`,
    })
    const { attachment } = added.structuredContent as { attachment: number }
    expect((await call('attachments__get', { id: attachment })).content).toMatchObject([
      { type: 'resource', resource: { text: 'it broke', mimeType: 'text/plain' } },
    ])
    const closed = await call('tickets__close', { id })
    expect(closed.structuredContent).toMatchObject({ id, status: 'closed' })
    await agent.close()
  })
})

describe('another service, with the typed client', () => {
  it('subscribes, closes a ticket, is told, and builds a report', async () => {
    const inbox = await openInbox()
    const token = await keyFor('billing', 'tickets:read', 'tickets:write', 'subscribers:write')
    const client = createClient<ReturnType<typeof createHelpdesk>>({
      url: `${desk.server.url}/forrst`,
      headers: { authorization: `Bearer ${token}` },
    })
    const refused = await client.call('subscribers.add', { url: 'http://10.0.0.1/hook' })
    expect(!refused.ok && refused.error.code).toBe('HELPDESK_ADDRESS')
    await client.callOrThrow('subscribers.add', { url: inbox.url })

    const { id } = await client.callOrThrow('tickets.open', { title: 'Invoice is wrong' })
    await client.callOrThrow('tickets.close', { id })
    await client.callOrThrow('tickets.close', { id })
    await expect.poll(() => inbox.received.length, { timeout: 20_000 }).toBe(1)
    expect(inbox.received[0]).toMatchObject({ type: 'helpdesk.ticket.closed', data: { id } })

    const page = await client.query('tickets.list', {}, { where: { title: 'Invoice is wrong' } })
    expect(page.ok && page.result.data[0]?.attributes?.status).toBe('closed')
    const lost = await client.call('tickets.get', { id: 999 })
    expect(!lost.ok && lost.error.code === 'HELPDESK_UNKNOWN' && lost.error.details.id).toBe(999)

    const operation = await client.start('reports.build', {})
    const outcome = await operation.result()
    expect(outcome.ok && outcome.result.people['billing']).toBe(1)
    await inbox.close()
  })
})

it('closes old tickets every night', async () => {
  const [nightly] = await desk.triggers.list()
  const berlin = { timeZone: 'Europe/Berlin', timeStyle: 'short' } as const
  expect(new Date(nightly?.next?.[0] ?? 0).toLocaleTimeString('en-GB', berlin)).toBe('02:00')
  const token = await keyFor('night', 'tickets:read', 'tickets:write')
  const client = createClient<ReturnType<typeof createHelpdesk>>({
    url: `${desk.server.url}/forrst`,
    headers: { authorization: `Bearer ${token}` },
  })
  const { id } = await client.callOrThrow('tickets.open', { title: 'Forgotten' })
  // The event of a night has no arguments of its own; with thirty days nothing is old enough yet.
  const early = await desk.triggers.test('close_old')
  expect(early.outcome).toMatchObject({ ok: true, result: { closed: [] } })
  const late = await desk.triggers.test('close_old', { payload: { days: 0 } })
  expect(late.outcome).toMatchObject({ ok: true, result: { closed: expect.arrayContaining([id]) } })
  expect(await client.callOrThrow('tickets.get', { id })).toMatchObject({ status: 'closed' })
})

/** A subscriber that keeps what is signed with the secret. */
async function openInbox() {
  const verify = createWebhookVerifier(secret)
  const received: unknown[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const header = (name: string) => request.headers[name] as string | undefined
    const verdict = verify({ header, body, now: Date.now() })
    if (verdict.ok) received.push(JSON.parse(body))
    response.writeHead(verdict.ok ? 204 : 401).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const close = () => new Promise((closed) => server.close(closed))
  return { url, received, close }
}

function readLines(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    /** Reads on until there is this item. */
    async until(item: { ticket: number; status: string }): Promise<void> {
      const wanted = `"ticket":${item.ticket},"status":"${item.status}"}`
      while (!text.includes(wanted)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`The stream ended with ${text}`)
        text += decoder.decode(value, { stream: true })
      }
    },
  }
}
