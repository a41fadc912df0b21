import { asRecord, defined, isRecord, toText } from '../../values/index.ts'
import { type CommandInput, EXIT } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { formatTable, type Paint, printAnswer, printable } from '../print.ts'
import { askRemote } from '../remote.ts'

/** Shows how well a service works. */
export async function runHealthCommand(input: CommandInput): Promise<number> {
  const component = readTextFlag(input, 'component')
  const report = asRecord(
    await askRemote(input, 'urn:cline:forrst:fn:health', defined({ component })),
  )
  printAnswer(input, report, (paint) => formatReport(report, paint))
  return report['status'] === 'unhealthy' ? EXIT.remote : EXIT.ok
}

function formatReport(report: Record<string, unknown>, paint: Paint): string {
  const rows = [
    ...toRows(report['components'], paint),
    ...toRows(pickTroubled(report['functions']), paint),
  ]
  return `${paint.bold('Status')}  ${paintStatus(report['status'], paint)}\n${rows.length > 0 ? `\n${formatTable(rows)}` : ''}`
}

/** There may be thousands of functions; a person looks for the few that are not well. */
function pickTroubled(functions: unknown): unknown {
  if (!isRecord(functions)) return functions
  const isWell = (health: unknown) => isRecord(health) && health['status'] === 'healthy'
  return Object.fromEntries(Object.entries(functions).filter(([, health]) => !isWell(health)))
}

function toRows(entries: unknown, paint: Paint): readonly string[][] {
  if (!isRecord(entries)) return []
  return Object.entries(entries).map(([name, entry]) => {
    const { status, latency, message, until } = asRecord(entry)
    const time = isRecord(latency) ? `${toText(latency['value'])} ms` : ''
    const notes = [message ?? [], until === undefined ? [] : `until ${toText(until)}`].flat()
    const note = notes.map(toText).join(', ')
    return [printable(name), paintStatus(status, paint), time, printable(note)]
  })
}

function paintStatus(status: unknown, paint: Paint): string {
  const text = printable(toText(status))
  if (status === 'healthy') return paint.good(text)
  return status === 'unhealthy' ? paint.bad(text) : paint.warn(text)
}
