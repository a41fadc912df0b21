import { resolve } from 'node:path'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readListFlag } from '../flags.ts'
import { formatTable, type Paint, printAnswer, printable } from '../print.ts'
import { type PinFile, readPinFile, writePinFile } from '../serve/pins.ts'

/** One tool of a pin file; `name` is what `--approve` takes. */
interface PinnedTool {
  readonly name: string
  readonly source: string
  readonly tool: string
  readonly state: 'approved' | 'changed' | 'new'
}

/** Shows which tools of MCP servers are approved, and approves others. */
export function runPinsCommand(input: CommandInput): number {
  const [file, ...more] = input.positionals
  if (file === undefined || more.length > 0) {
    throw new UsageError('give one pin file: waymark pins pins.json')
  }
  const path = resolve(input.io.cwd, file)
  let pins = readPinFile(path)
  const wanted = readWanted(input, listPinned(pins))
  if (wanted.length > 0) {
    // Every tool comes after the name of its source, which has no dot.
    for (const { source, tool } of wanted) pins = approve(pins, source, tool)
    writePinFile(path, pins)
  }
  const tools = listPinned(pins)
  printAnswer(input, { tools, approved: wanted.map(({ name }) => name) }, (paint) =>
    formatPinned(tools, wanted.length, paint),
  )
  return EXIT.ok
}

function listPinned(pins: PinFile): readonly PinnedTool[] {
  return Object.entries(pins).flatMap(([source, { approved, pending }]) =>
    [...new Set([...Object.keys(approved), ...Object.keys(pending)])].map((tool) => {
      const known = Object.hasOwn(approved, tool)
      const waits = Object.hasOwn(pending, tool)
      const state = waits ? (known ? 'changed' : 'new') : 'approved'
      return { name: `${source}.${tool}`, source, tool, state }
    }),
  )
}

function readWanted(input: CommandInput, tools: readonly PinnedTool[]): readonly PinnedTool[] {
  const waiting = tools.filter(({ state }) => state !== 'approved')
  if (input.flags['all'] === true) return waiting
  return readListFlag(input, 'approve').map((name) => {
    const found = waiting.find((tool) => tool.name === name)
    if (found !== undefined) return found
    const names = waiting.map((tool) => printable(tool.name)).join(', ')
    throw new UsageError(
      `"${name}" does not wait for approval; ${names === '' ? 'nothing does' : `these do: ${names}`}`,
    )
  })
}

function approve(pins: PinFile, source: string, tool: string): PinFile {
  const { approved = {}, pending = {} } = pins[source] ?? {}
  const { [tool]: hash = '', ...rest } = pending
  return { ...pins, [source]: { approved: { ...approved, [tool]: hash }, pending: rest } }
}

function formatPinned(tools: readonly PinnedTool[], count: number, paint: Paint): string {
  const rows = tools.map(({ name, state }) => [
    printable(name),
    state === 'approved' ? paint.good(state) : paint.warn(`${state}, waits for approval`),
  ])
  return `${formatTable(rows)}${count > 0 ? `\nApproved: ${count}\n` : ''}`
}
