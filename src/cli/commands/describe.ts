import type { FunctionObject } from '../../discovery/types.ts'
import type { Command, CommandInput } from '../command.ts'
import { EXIT, UsageError } from '../exit.ts'
import { JSON_FLAG, readText } from '../flags.ts'
import { formatDocument, formatFunction } from '../format-description.ts'
import { createPaint, formatJson } from '../print.ts'
import { connect, HEADER_FLAG, toRemoteError } from '../remote.ts'
import { didYouMean } from '../suggest.ts'

/** Explains a service or one of its functions. */
export const describeCommand: Command = {
  name: 'describe',
  summary: 'Explain a service, or one function of it',
  usage: '<url> [function]',
  flags: {
    version: { type: 'string', value: 'semver', summary: 'version of the function' },
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'print the discovery document, or the function in it' },
  },
  examples: [
    'waymark describe http://127.0.0.1:4000',
    'waymark describe http://127.0.0.1:4000 events.get',
    'waymark describe http://127.0.0.1:4000 --json > service.json',
  ],
  async run(input) {
    const [, name] = input.positionals
    return name === undefined ? describeService(input) : describeFunction(input, name)
  },
}

async function describeService(input: CommandInput): Promise<number> {
  const outcome = await connect(input).discover({ signal: input.io.signal })
  if (!outcome.ok) throw toRemoteError(outcome)
  input.io.out(
    input.flags['json']
      ? formatJson(outcome.result)
      : formatDocument(outcome.result, createPaint(input.io)),
  )
  return EXIT.ok
}

async function describeFunction(input: CommandInput, name: string): Promise<number> {
  const client = connect(input)
  const version = readText(input, 'version')
  const outcome = await client.discoverFunction(name, { version, signal: input.io.signal })
  if (!outcome.ok && outcome.error.code === 'FUNCTION_NOT_FOUND') {
    const known = await client.discover({ signal: input.io.signal })
    const names = known.ok ? known.result.functions.map((entry: FunctionObject) => entry.name) : []
    throw new UsageError(`the service has no function "${name}".${didYouMean(name, names)}`)
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  input.io.out(
    input.flags['json']
      ? formatJson(outcome.result)
      : formatFunction(outcome.result, createPaint(input.io)),
  )
  return EXIT.ok
}
