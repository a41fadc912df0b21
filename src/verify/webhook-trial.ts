import { findExtension } from '../client/index.ts'
import { toText } from '../core/text.ts'
import { findCase, nameOf } from './subject.ts'
import { sendWith, showOutcome, type Trial, toUrn } from './trial.ts'

const URN = toUrn('webhook')
const POINTER = '/extensions/0/options/callback_url'

/** Tries webhooks with an address they must refuse: nobody is there to hear one that is accepted. */
export const webhookTrial: Trial = {
  urn: URN,
  async run(subject) {
    const cases = findCase(subject.cases).filter(({ origin }) => origin !== 'made')
    for (const one of cases) {
      const outcome = await sendWith(subject, one, {
        urn: URN,
        options: { callback_url: 'http://callback.example/waymark-verify' },
      })
      const error = outcome.ok ? undefined : outcome.error
      if (error?.code === 'EXTENSION_NOT_APPLICABLE') continue
      const source = error?.source ?? {}
      const pointer = 'pointer' in source ? source.pointer : undefined
      const refused = error?.code === 'INVALID_ARGUMENTS' && pointer === POINTER
      const answered = refused || findExtension(outcome, URN) !== undefined
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
