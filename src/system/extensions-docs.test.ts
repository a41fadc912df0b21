import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { call, send, type TestDocument } from '../../test/support/forrst.ts'
import type { Service } from '../core/service.ts'
import { isRecord } from '../values/json.ts'

const page = await readFile(new URL('../../docs/reference/extensions.md', import.meta.url), 'utf8')
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  )

const folder = await mkdtemp(join(tmpdir(), 'waymark-docs-'))
afterAll(() => rm(folder, { recursive: true }))

/** Runs a fence as the module it is, with `waymark` being the sources of this repository. */
async function runFence(index: number): Promise<{ service: Service; log: object[] }> {
  const front = fileURLToPath(new URL('../entries/waymark.ts', import.meta.url))
  const file = join(folder, `fence-${index}.ts`)
  await writeFile(file, fences('ts')[index]?.replaceAll("'waymark'", `'${front}'`) ?? '')
  return await import(/* @vite-ignore */ file)
}

/** Replaces what differs from call to call by what the page says instead. */
function settle(actual: unknown, printed: unknown): unknown {
  if (printed === '…') return '…'
  if (Array.isArray(actual) && Array.isArray(printed)) {
    return actual.map((item, index) => settle(item, printed[index]))
  }
  if (!isRecord(actual) || !isRecord(printed)) return actual
  if (printed['unit'] === 'millisecond') return { ...actual, value: printed['value'] }
  return Object.fromEntries(
    Object.entries(actual).map(([key, value]) => [key, settle(value, printed[key])]),
  )
}

const examples = fences('json').map((text) => JSON.parse(text) as Record<string, unknown>)
const pairs = examples.flatMap((request, index) =>
  index % 2 === 0 ? [{ request, response: examples[index + 1] ?? {} }] : [],
)

describe('docs/reference/extensions.md', async () => {
  const { service } = await runFence(0)

  it.each(pairs.map((pair) => [JSON.stringify(pair.request), pair] as const))(
    'prints what the service answers to %s',
    async (_request, { request, response }) => {
      const protocol = { name: 'forrst', version: '0.1.0' }
      const { body } = await send(service, { protocol, id: 'req_1', context: {}, ...request })
      expect(settle(body, response)).toEqual({ protocol, id: 'req_1', ...response })
    },
  )

  it('shows an extension that a user can write', async () => {
    const { service: users, log } = await runFence(1)
    const urn = 'urn:forrst:ext:example:audit'
    const ask = (options: unknown): TestDocument => ({
      function: 'users.delete',
      context: {},
      extensions: [{ urn, options }],
    })
    const done = await call(users, ask({ actor: { user_id: 'admin_1', reason: 'GDPR' } }))
    expect(done.body.result).toEqual({ deleted: true })
    expect(done.body.extensions).toEqual([
      { urn, data: { log_id: expect.any(String), logged_at: expect.any(String) } },
    ])
    const purge = await call(users, {
      ...ask({ actor: { user_id: 'admin_1' } }),
      function: 'users.purge',
    })
    expect(purge.status).toBe(403)
    expect(log).toMatchObject([
      { function: 'users.delete', result: 'done' },
      { function: 'users.purge', result: 'FORBIDDEN' },
    ])
    const refused = await call(users, ask({ actor: {} }))
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/extensions/0/options/actor/user_id' },
    })
  })

  it('has a section for every extension that is on', () => {
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    )
    for (const { urn } of service.extensions) {
      expect(headings).toContain(urn.replace('urn:forrst:ext:', ''))
    }
  })
})
