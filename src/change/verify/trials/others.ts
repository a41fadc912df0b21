import { findExtension } from '../../../client/index.ts'
import { extensionUrn, isRecord, toText } from '../../../values/index.ts'
import { type Case, findCase, nameOf, type Subject } from '../subject.ts'
import { sendWith, showOutcome, type Trial } from '../trial.ts'

const URN = extensionUrn('maintenance')
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

const WEBHOOK_TRIAL_URN = extensionUrn('webhook')
const POINTER = '/extensions/0/options/callback_url'

/** Tries webhooks with an address they must refuse: nobody is there to hear one that is accepted. */
export const webhookTrial: Trial = {
  urn: WEBHOOK_TRIAL_URN,
  async run(subject) {
    const cases = findCase(subject.cases).filter(({ origin }) => origin !== 'made')
    for (const one of cases) {
      const outcome = await sendWith(subject, one, {
        urn: WEBHOOK_TRIAL_URN,
        options: { callback_url: 'http://callback.example/waymark-verify' },
      })
      const error = outcome.ok ? undefined : outcome.error
      if (error?.code === 'EXTENSION_NOT_APPLICABLE') continue
      const source = error?.source ?? {}
      const pointer = 'pointer' in source ? source.pointer : undefined
      const refused = error?.code === 'INVALID_ARGUMENTS' && pointer === POINTER
      const answered = refused || findExtension(outcome, WEBHOOK_TRIAL_URN) !== undefined
      const frame = { function: nameOf(one.definition), answered }
      if (refused) return frame
      const where = pointer === undefined ? '' : ` at ${toText(pointer)}`
      return {
        ...frame,
        problem: `${showOutcome(outcome)}${where}, for a callback_url without TLS`,
      }
    }
    return { unproven: 'no function that could be called accepts it' }
  },
}
