import { findExtension } from '../../../client/index.ts'
import { asRecord, extensionUrn, ownMember, toText } from '../../../values/index.ts'
import { type Case, callCase, findCase, nameOf, type Subject } from '../subject.ts'
import { showOutcome, type Trial } from '../trial.ts'

const MAINTENANCE = extensionUrn('maintenance')
const CODES: readonly string[] = ['FUNCTION_MAINTENANCE', 'SERVER_MAINTENANCE']

/** Tries maintenance on what the health function shows as being down; there may well be nothing. */
export const maintenanceTrial: Trial = {
  urn: MAINTENANCE,
  async run(subject) {
    const one = await findDown(subject)
    if (one === undefined) return { unproven: 'health shows nothing that is down for maintenance' }
    const outcome = await callCase(subject, one, { urn: MAINTENANCE, options: {} })
    const frame = {
      function: nameOf(one.definition),
      answered: findExtension(outcome, MAINTENANCE) !== undefined,
    }
    if (!outcome.ok && CODES.includes(outcome.error.code)) return frame
    const problem = `${showOutcome(outcome)}, where health says that it is down for maintenance`
    return { ...frame, problem }
  },
}

async function findDown({ client, cases }: Subject): Promise<Case | undefined> {
  const outcome = await client.call('urn:cline:forrst:fn:health', {})
  const { functions, maintenance } = asRecord(outcome.ok ? outcome.result : undefined)
  const everything = asRecord(maintenance)['active'] === true
  const isDown = (name: string): boolean =>
    asRecord(ownMember(asRecord(functions), name))['status'] === 'maintenance'
  return cases.find(({ definition: { name } }) => everything || isDown(name))
}

const WEBHOOK = extensionUrn('webhook')
const POINTER = '/extensions/0/options/callback_url'

/** Tries webhooks with an address they must refuse: nobody is there to hear one that is accepted. */
export const webhookTrial: Trial = {
  urn: WEBHOOK,
  async run(subject) {
    const cases = findCase(subject.cases).filter(({ origin }) => origin !== 'made')
    for (const one of cases) {
      const outcome = await callCase(subject, one, {
        urn: WEBHOOK,
        options: { callback_url: 'http://callback.example/waymark-verify' },
      })
      const error = outcome.ok ? undefined : outcome.error
      if (error?.code === 'EXTENSION_NOT_APPLICABLE') continue
      const source = error?.source ?? {}
      const pointer = 'pointer' in source ? source.pointer : undefined
      const refused = error?.code === 'INVALID_ARGUMENTS' && pointer === POINTER
      const answered = refused || findExtension(outcome, WEBHOOK) !== undefined
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
