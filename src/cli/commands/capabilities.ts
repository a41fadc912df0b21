import { asList, asRecord, toText } from '../../values/index.ts'
import type { CommandInput } from '../command.ts'
import { formatSection, type Paint, printAnswer, printable, printableCell } from '../print.ts'
import { askRemote } from '../remote.ts'

/** Shows what a service supports. */
export async function runCapabilitiesCommand(input: CommandInput): Promise<number> {
  const result = await askRemote(input, 'urn:cline:forrst:ext:discovery:fn:capabilities')
  return printAnswer(input, result, (paint) => formatCapabilities(asRecord(result), paint))
}

function formatCapabilities(result: Record<string, unknown>, paint: Paint): string {
  const { service, protocolVersions, functions, extensions, limits } = result
  const versions = asList(protocolVersions).map(toText).join(', ')
  const names = asList(functions).map((name) => [printableCell(name)])
  const supported = asList(extensions)
    .map(asRecord)
    .map(({ urn, version }) => [printableCell(urn), printableCell(version)])
  const limited = Object.entries(asRecord(limits)).map(([name, value]) => [
    printable(name),
    printable(JSON.stringify(value)),
  ])
  return [
    `${paint.bold(printableCell(service))}  Forrst ${printable(versions)}\n`,
    formatSection('Functions', names, paint),
    formatSection('Extensions', supported, paint),
    formatSection('Limits', limited, paint),
  ].join('')
}
