import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { closeTriggers, createWorld, type End, WAYS } from './ways.ts'

const PAGE = fileURLToPath(new URL('../../docs/reference/scopes.md', import.meta.url))

afterEach(closeTriggers)

const passed = new Map<string, { allowed?: End; refused?: End }>()

describe.each(WAYS)('$kind: $title', ({ kind, title, go, requires, allowed, refused }) => {
  const told = passed.get(`${kind} ${title}`) ?? {}
  passed.set(`${kind} ${title}`, told)

  it('runs once for who holds the scope', async () => {
    const world = createWorld('clerk', requires)
    const end = await go(world)
    expect(end).toEqual(allowed)
    expect(world.runs).toEqual([kind === 'trigger' ? 'trigger:paid' : 'clerk'])
    told.allowed = end
  })

  it('never runs for who does not', async () => {
    const world = createWorld('reader', requires)
    const end = await go(world)
    expect(end).toEqual(refused)
    expect(world.runs).toEqual([])
    told.refused = end
  })
})

it('is what docs/reference/scopes.md says', async () => {
  await expect(writePage()).toMatchFileSnapshot(PAGE)
})

function writePage(): string {
  const toText = (end: End | undefined, plain: string): string => {
    if (end === undefined) return 'fails'
    const { status, code, challenge } = end
    const parts = [status, code && `\`${code}\``].filter((part) => part !== undefined)
    return `${parts.join(' ') || plain}${challenge ? ', challenge' : ''}`
  }
  return [
    '# Scopes, way by way',
    '',
    'Every way to a function that requires a scope, with what callers get who hold it and who do not. Written by',
    '`test/identity/scopes.test.ts` from what its service answered; the function ran once for the first and never for the second. The ways are in',
    '`test/identity/ways.ts`.',
    '',
    '| | way | with the scope | without it |',
    '| --- | --- | --- | --- |',
    ...WAYS.map(({ kind, title }) => {
      const { allowed, refused } = passed.get(`${kind} ${title}`) ?? {}
      return `| ${kind} | ${title} | ${toText(allowed, 'runs')} | ${toText(refused, 'refused')} |`
    }),
    '',
    'A challenge is `WWW-Authenticate: Bearer error="insufficient_scope", scope="…"`. A code without a status is in the state of the',
    'operation, replay or delivery; a trigger without the scopes of its function is refused with a `TypeError` when it is created. MCP has the',
    'code in `error.data.errors`.',
    '',
    'Next: [identity](../guides/identity.md), [security](../guides/security.md), [parity](parity.md).',
    '',
  ].join('\n')
}
