import { resolve } from 'node:path'
import { formatEnvTemplate, listVariables } from '../../codegen/index.ts'
import type { ToolSpec } from '../../sources/tool-spec/index.ts'
import { type CommandInput, EXIT } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { readAnySpec } from './import-source.ts'
import { readIfThere } from './merge-spec.ts'
import { isForMachines } from './report.ts'
import { writeOut } from './write-out.ts'

const TEMPLATE = '.env.template'

/** Prints the variables that specs read, as a file to fill in; `--out` writes that file. */
export async function runEnv(input: CommandInput): Promise<number> {
  const specs: ToolSpec[] = []
  for (const reference of input.positionals.slice(1))
    specs.push((await readAnySpec(reference, input)).spec)
  const domains = listVariables(specs)
  const out = readTextFlag(input, 'out')
  if (out !== undefined) {
    const folder = resolve(input.io.cwd, out)
    const files = [{ path: TEMPLATE, text: formatEnvTemplate(domains) }]
    return writeOut(files, { out: folder, mayReplace: () => isEmpty(folder) }, input)
  }
  if (!isForMachines(input)) {
    const isBare = domains.every(({ variables }) => variables.length === 0)
    if (isBare) input.io.err('Nothing to set: no variable is read.\n')
    else input.io.out(formatEnvTemplate(domains))
    return EXIT.ok
  }
  const rows = domains.map(({ domain, variables }) => ({
    domain,
    variables: variables.map((variable) => ({
      ...variable,
      set: (input.io.env[variable.name] ?? '') !== '',
    })),
  }))
  input.io.out(`${JSON.stringify(rows, null, 2)}\n`)
  return EXIT.ok
}

/** A template without a value holds nothing that could be lost. */
function isEmpty(folder: string): boolean {
  const lines = (readIfThere(folder, TEMPLATE) ?? '').split(/\r?\n/)
  return lines.every((line) => /^\s*(#.*|[A-Za-z_]\w*=)?$/.test(line))
}
