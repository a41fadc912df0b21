import { findExtension } from '../client/index.ts'
import { isRecord } from '../core/json.ts'
import { type Case, nameOf, type Subject } from './subject.ts'
import { sendWith, showOutcome, type Trial, toUrn } from './trial.ts'

const URN = toUrn('maintenance')
const CODES: readonly string[] = ['FUNCTION_MAINTENANCE', 'SERVER_MAINTENANCE']

/** Tries maintenance on what the health function shows as being down; there may well be nothing. */
export const maintenanceTrial: Trial = {
  urn: URN,
  async run(subject) {
    const one = await findDown(subject)
    if (one === undefined) return { unproven: 'health shows nothing that is down for maintenance' }
    const outcome = await sendWith(subject, one, { urn: URN, options: {} })
    const frame = {
      function: nameOf(one.definition),
      answered: findExtension(outcome, URN) !== undefined,
    }
    if (!outcome.ok && CODES.includes(outcome.error.code)) return frame
    const problem = `${showOutcome(outcome)}, where health says that it is down for maintenance`
    return { ...frame, problem }
  },
}

async function findDown({ client, cases }: Subject): Promise<Case | undefined> {
  const outcome = await client.call('urn:cline:forrst:fn:health', {})
  const health = outcome.ok && isRecord(outcome.result) ? outcome.result : {}
  const { functions, maintenance } = health
  const everything = isRecord(maintenance) && maintenance['active'] === true
  return cases.find(({ definition: { name } }) => everything || isDown(functions, name))
}

function isDown(functions: unknown, name: string): boolean {
  if (!isRecord(functions) || !Object.hasOwn(functions, name)) return false
  const health = functions[name]
  return isRecord(health) && health['status'] === 'maintenance'
}
