import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { checkDeployment } from '../doctor/deployment.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { checkMachine } from '../doctor/machine.ts'
import { checkStore } from '../doctor/store.ts'
import { readTextFlag } from '../flags.ts'
import { countOf, formatTable, type Paint, printAnswer, printableLine } from '../print.ts'
import { readHeaders } from '../remote.ts'

/** Looks at a deployment and says what to do about what is wrong with it. */
export async function runDoctorCommand(input: CommandInput): Promise<number> {
  const { io } = input
  const deployment = readDeployment(input)
  const store = readTextFlag(input, 'store') ?? io.env['WAYMARK_STORE']
  const namespace = readTextFlag(input, 'namespace') ?? io.env['WAYMARK_NAMESPACE']
  const findings = [
    ...checkMachine({ nodeVersion: process.version, cwd: io.cwd }),
    ...(store ? await lookAtStore({ url: store, namespace, cwd: io.cwd }) : []),
    ...(deployment ? await checkDeployment(deployment) : []),
  ]
  const count = (level: Diagnosis['level']) => findings.filter((one) => one.level === level).length
  const summary = { ok: count('ok'), warn: count('warn'), fail: count('fail') }
  printAnswer(input, { ...summary, findings }, (paint) => format(findings, summary, paint))
  return summary.fail > 0 ? EXIT.found : EXIT.ok
}

function readDeployment(input: CommandInput) {
  const [text] = input.positionals
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `the URL of a service is needed, such as http://127.0.0.1:4000; got "${text}"`,
    )
  }
  return { url, headers: readHeaders(input), signal: input.io.signal }
}

async function lookAtStore(address: Parameters<typeof checkStore>[0]) {
  try {
    return await checkStore(address)
  } catch (thrown) {
    // A scheme that is none, or a missing package.
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

const WORDS = { ok: 'ok', warn: 'warn', fail: 'FAIL' } as const

function format(
  findings: readonly Diagnosis[],
  { warn, fail }: Readonly<Record<Diagnosis['level'], number>>,
  paint: Paint,
): string {
  const colours = { ok: paint.good, warn: paint.warn, fail: paint.bad }
  const rows = findings.map(({ check, level, found, next }) => [
    colours[level](WORDS[level]),
    printableLine(check),
    printableLine(next === undefined ? found : `${found}. Next: ${next}`),
  ])
  return `${formatTable(rows)}\n${countOf(findings.length, 'check')}, ${countOf(warn, 'warning')}, ${countOf(fail, 'failure')}\n`
}
