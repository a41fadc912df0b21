import { asList, isRecord, toText } from '../../values/index.ts'
import { type CommandInput, EXIT } from '../command.ts'
import { createPaint, formatJson, formatTable, printable } from '../print.ts'
import { createRemoteClient, toRemoteError } from '../remote.ts'

/** Shows what a service supports. */
export async function runCapabilitiesCommand(input: CommandInput): Promise<number> {
  const outcome = await createRemoteClient(input).call(
    'urn:cline:forrst:ext:discovery:fn:capabilities',
    {},
    { signal: input.io.signal },
  )
  if (!outcome.ok) throw toRemoteError(outcome)
  if (input.flags['json']) {
    input.io.out(formatJson(outcome.result))
    return EXIT.ok
  }
  const { service, protocolVersions, functions, extensions, limits } = isRecord(outcome.result)
    ? outcome.result
    : {}
  const paint = createPaint(input.io)
  const section = (title: string, rows: readonly string[][]) =>
    rows.length === 0 ? '' : `\n${paint.bold(title)}\n${formatTable(rows)}`
  input.io.out(
    `${paint.bold(printable(toText(service)))}  Forrst ${printable(asList(protocolVersions).map(toText).join(', '))}\n` +
      section(
        'Functions',
        asList(functions).map((name) => [printable(toText(name))]),
      ) +
      section('Extensions', asList(extensions).map(toExtensionRow)) +
      section(
        'Limits',
        Object.entries(isRecord(limits) ? limits : {}).map(([name, value]) => [
          printable(name),
          printable(JSON.stringify(value)),
        ]),
      ),
  )
  return EXIT.ok
}

function toExtensionRow(extension: unknown): string[] {
  const { urn, version } = isRecord(extension) ? extension : {}
  return [printable(toText(urn)), printable(toText(version ?? ''))]
}
