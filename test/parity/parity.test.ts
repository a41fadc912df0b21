import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEATURES } from './features.ts'
import { createFeatureService } from './service.ts'
import { type Asking, type Feature, type Missing, SURFACES, startSurfaces } from './surfaces.ts'

const PAGE = fileURLToPath(new URL('../../docs/reference/parity.md', import.meta.url))

let asking: Asking
beforeAll(async () => {
  asking = await startSurfaces(createFeatureService())
})
afterAll(() => asking.close())

const cellOf = ({ sends }: Feature, [title, kind]: (typeof SURFACES)[number]) => {
  const cell = sends[kind]
  if (!('since' in cell)) return cell
  const { reason = '', since = '', ...send } = cell
  return title.slice(4) < since ? { reason } : send
}
const isMissing = (cell: object): cell is Missing => 'reason' in cell || 'issue' in cell
const passed = new Set<string>()

describe.each(
  FEATURES.filter((feature) => SURFACES.some((column) => !isMissing(cellOf(feature, column)))),
)('$title', (feature) => {
  for (const column of SURFACES) {
    const cell = cellOf(feature, column)
    if (isMissing(cell)) continue
    it(`over ${column[0]}`, async () => {
      expect(await asking.ask(column, cell)).toMatchObject(feature.gives)
      passed.add(`${feature.title} ${column[0]}`)
    })
  }
})

it('is what docs/reference/parity.md says', async () => {
  await expect(writePage()).toMatchFileSnapshot(PAGE)
})

function writePage(): string {
  const notes: string[] = []
  const note = (text: string): string => {
    if (!notes.includes(text)) notes.push(text)
    return `[${notes.indexOf(text) + 1}]`
  }
  const rows = FEATURES.map((feature) => {
    const cells = SURFACES.map((column) => {
      const cell = cellOf(feature, column)
      if (!isMissing(cell)) return passed.has(`${feature.title} ${column[0]}`) ? '✓' : 'fails'
      return note('issue' in cell ? `Issue ${cell.issue} adds it.` : `${cell.reason}.`)
    })
    return `| ${feature.title.replaceAll('|', '\\|')} | ${cells.join(' | ')} |`
  })
  return [
    '# Parity',
    '',
    'Every feature of a call, and the surfaces over which it can be asked for. Written by `test/parity/parity.test.ts` from what its',
    'service answered: a tick is an exchange over that surface, with the outcome that every other surface gives. The requests are data in',
    '`test/parity/features.ts`.',
    '',
    `| feature | ${SURFACES.map(([title]) => title).join(' | ')} |`,
    `| --- | ${SURFACES.map(() => '---').join(' | ')} |`,
    ...rows,
    '',
    ...notes.map((text, index) => `${index + 1}. ${text}`),
    '',
    'Next: [the contract](../internals/contract.md), [REST](../guides/rest.md), [MCP](../guides/mcp.md).',
    '',
  ].join('\n')
}
