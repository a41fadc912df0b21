import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Change, diffDescriptions, loadExternals } from '../../src/entries/diff.ts'
import { createWorkplace } from '../cli/run-main.ts'

/** A folder with files of JSON, in which descriptions are compared. */
function createPlace(files: Readonly<Record<string, unknown>>) {
  const { folder, run, write: writeText } = createWorkplace()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, content: unknown) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeText(name, JSON.stringify(content))
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const diff = async (...args: string[]) => {
    const { code, out, err } = await run('diff', ...args, '--json')
    const changes: readonly Change[] = out === '' ? [] : JSON.parse(out).changes
    return { code, err, changes, rules: changes.map(({ rule }) => rule) }
  }
  return { folder, write, diff }
}

const api = (ref: string) => ({
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  paths: {
    '/orders': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: ref } } } },
        responses: { 200: { description: 'ok' } },
      },
    },
    '/more': { $ref: ref.startsWith('s') ? 'paths/more.json' : '#/nowhere' },
  },
})
const order = (id: object) => ({ Order: { type: 'object', properties: { id } } })
const more = (status: number) => ({
  get: { responses: { [status]: { description: 'ok', content: {} } } },
})
const NUMBER = { type: 'integer' }
const TEXT = { type: 'string' }

describe('references to files beside a description', () => {
  it('are followed, and those in these files too', async () => {
    const { diff } = createPlace({
      'old/api.json': api('schemas/order.json#/Order'),
      'old/schemas/order.json': order({ $ref: '../id.json' }),
      'old/id.json': TEXT,
      'old/paths/more.json': more(200),
      'new/api.json': api('schemas/order.json#/Order'),
      'new/schemas/order.json': order({ $ref: '../id.json' }),
      'new/id.json': NUMBER,
      'new/paths/more.json': more(201),
    })
    const { code, changes, err } = await diff('old/api.json', 'new/api.json')
    expect([code, err]).toEqual([1, ''])
    expect(changes).toMatchObject([
      { rule: 'response-removed', oldPointer: '/paths/~1more/get/responses/200' },
      { rule: 'input-type-changed', oldPointer: 'id.json#', newPointer: 'id.json#' },
      { rule: 'response-added' },
    ])
    expect(await diff('old/api.json', 'old/api.json')).toMatchObject({ code: 0, changes: [] })
  })

  it('make one change of what several functions share', async () => {
    const two = (document: ReturnType<typeof api>) => ({
      ...document,
      paths: { '/orders': document.paths['/orders'], '/again': document.paths['/orders'] },
    })
    const { diff } = createPlace({
      'old/api.json': two(api('shared.json#/Order')),
      'old/shared.json': order(TEXT),
      'new/api.json': two(api('shared.json#/Order')),
      'new/shared.json': order(NUMBER),
    })
    expect((await diff('old/api.json', 'new/api.json')).changes).toMatchObject([
      {
        functions: ['POST /orders', 'POST /again'],
        newPointer: 'shared.json#/Order/properties/id',
      },
    ])
  })

  it('may be written into the description without anything having changed', async () => {
    const { diff } = createPlace({
      'old/api.json': api('shared.json#/Order'),
      'old/shared.json': order(TEXT),
      'old/paths/more.json': more(200),
      'new.json': {
        ...api('#/components/schemas/Order'),
        components: { schemas: order(TEXT) },
        paths: { ...api('#/components/schemas/Order').paths, '/more': more(200) },
      },
    })
    expect(await diff('old/api.json', 'new.json')).toMatchObject({ code: 0, changes: [] })
  })

  it('are read at the same commit as the description', async () => {
    const {
      folder: cwd,
      write,
      diff,
    } = createPlace({
      'api/api.json': api('schemas/order.json#/Order'),
      'api/schemas/order.json': order(TEXT),
      'api/paths/more.json': more(200),
    })
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd })
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'one')
    expect(await diff('git:HEAD:api/api.json', 'api/api.json')).toMatchObject({ changes: [] })
    write('api/schemas/order.json', order(NUMBER))
    expect(await diff('git:HEAD:api/api.json', 'api/api.json')).toMatchObject({
      code: 1,
      rules: ['input-type-changed'],
    })
  })

  it('lead in circles without end', async () => {
    const { diff } = createPlace({
      'old/api.json': api('shared.json#/Order'),
      'old/shared.json': order({ $ref: 'other.json' }),
      'old/other.json': { type: 'object', properties: { order: { $ref: 'shared.json#/Order' } } },
      'old/paths/more.json': { $ref: 'more.json' },
    })
    expect(await diff('old/api.json', 'old/api.json')).toMatchObject({ code: 0, changes: [] })
  })

  it('are followed in a discovery document, for schemas and for whole arguments', async () => {
    const document = {
      forrst: '0.1.0',
      discovery: '0.1',
      info: { title: 'T', version: '1.0.0' },
      functions: [
        {
          name: 'a.get',
          version: '1.0.0',
          arguments: [{ $ref: 'shared.json#/argument' }],
          result: { name: 'order', schema: { $ref: 'shared.json#/Order' } },
        },
      ],
    }
    const shared = (id: object) => ({ ...order(id), argument: { name: 'id', schema: id } })
    const { diff } = createPlace({
      'old/a.json': document,
      'old/shared.json': shared(TEXT),
      'new/a.json': document,
      'new/shared.json': shared(NUMBER),
    })
    expect((await diff('old/a.json', 'new/a.json')).rules.toSorted()).toEqual([
      'input-type-changed',
      'output-type-changed',
    ])
  })
})

describe('references to documents that are not read', () => {
  it('are noted, with the reason, and hide what only the other side could read', async () => {
    const { diff } = createPlace({
      'old/api.json': api('shared.json#/Order'),
      'old/shared.json': order(TEXT),
      'new/api.json': api('shared.json#/Order'),
    })
    const { code, rules, err } = await diff('old/api.json', 'new/api.json')
    expect([code, rules]).toEqual([0, ['reference-unread', 'reference-unread']])
    expect(err).toContain('shared.json is not read: ENOENT')
  })

  it('are those in other folders, unless they are allowed', async () => {
    const { folder, diff } = createPlace({
      'old/api.json': api('../shared.json#/Order'),
      'new/api.json': api('../other.json#/Order'),
      'shared.json': order(TEXT),
      'other.json': order(NUMBER),
      'linked/api.json': api('shared.json#/Order'),
      'linked/paths/more.json': more(200),
    })
    const refused = await diff('old/api.json', 'new/api.json')
    expect(refused.changes.map(({ rule, message }) => [rule, message])).toEqual([
      ['reference-unread', '../shared.json was not read'],
      ['reference-unread', '../other.json was not read'],
    ])
    const allowed = await diff('old/api.json', 'new/api.json', '--allow-external-refs')
    expect(allowed.rules).toEqual(['input-type-changed'])
    symlinkSync(join(folder, 'shared.json'), join(folder, 'linked/shared.json'))
    const linked = await diff('linked/api.json', 'linked/api.json')
    expect(linked.rules).toEqual(['reference-unread'])
    expect(linked.err).toContain('it leads to another folder; allow it with --allow-external-refs')
  })

  it('are those on the web, and addresses that are not public even when they are allowed', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.end(JSON.stringify(order(TEXT)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { diff } = createPlace({ 'api.json': api(`http://127.0.0.1:${port}/s.json#/Order`) })
    expect((await diff('api.json', 'api.json')).rules).toEqual(['reference-unread'])
    const allowed = await diff('api.json', 'api.json', '--allow-external-refs')
    expect(allowed.rules).toEqual(['reference-unread'])
    expect(allowed.err).toContain('is not a public address')
    expect(asked).toBe(0)
  })

  it('are those beyond the limits', async () => {
    const document = api('f0.json#/Order')
    const chain = async (address: string) => {
      const next = Number(/f(\d+)/.exec(address)?.[1] ?? 0) + 1
      return JSON.stringify(order({ $ref: `f${next}.json#/Order` }))
    }
    const many = await loadExternals(document, 'api.json', { fetchDocument: chain })
    expect(many.documents.size).toBe(100)
    const externals = await loadExternals(document, 'api.json', {
      fetchDocument: chain,
      maxLength: 500,
    })
    expect(externals.documents.size).toBeLessThan(10)
    expect(externals.failures[0]?.reason).toContain('longer than 500 characters')
    const source = { kind: 'openapi', document, externals } as const
    expect(diffDescriptions(source, source).changes.map(({ rule }) => rule)).toEqual([
      'reference-unread',
    ])
  })
})
