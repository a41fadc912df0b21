import { createHmac } from 'node:crypto'
import type { AgentReply, AgentRequest, AgentTrigger } from './agent.ts'
import { equal, readSecrets } from './webhook.ts'

/** Answers the question by GET that a sender asks before it sends. */
export interface Challenge {
  readonly answer: (request: AgentRequest) => AgentReply
  /** Tells whether anybody could have the body signed by asking; its signature then proves nothing. */
  readonly signs: (body: string) => boolean
}

/** Makes the challenge of a webhook, or nothing when it has none; throws when its secret is not set. */
export function createChallenge(
  trigger: AgentTrigger,
  env: Readonly<Record<string, string | undefined>>,
): Challenge | undefined {
  const { name, challenge } = trigger
  if (challenge === undefined) return undefined
  const variable = challenge === 'meta' ? trigger.verify_env : trigger.secret_env
  if (variable === undefined)
    throw new Error(`webhook ${name}: challenge ${challenge} has no secret`)
  const secrets = readSecrets(trigger, variable, env)
  return challenge === 'meta' ? metaChallenge(secrets) : twitterChallenge(secrets[0] ?? '')
}

const MAX_CHALLENGE = 1024

function metaChallenge(tokens: readonly string[]): Challenge {
  return {
    answer: ({ query }) => {
      const asked = new URLSearchParams(query)
      const given = asked.get('hub.verify_token') ?? ''
      const text = asked.get('hub.challenge') ?? ''
      const isKnown = tokens.some((token) => equal(given, token))
      const isRight = asked.get('hub.mode') === 'subscribe' && isKnown
      if (!isRight || text === '' || text.length > MAX_CHALLENGE)
        return { status: 403, body: { error: 'the challenge is not right' } }
      return { status: 200, text }
    },
    signs: () => false,
  }
}

// Whoever asks gets a signature made with the secret of the deliveries: no JSON object, form, or signed
// text of another scheme may pass for a token.
const TOKEN = /^[\w+/-]{1,256}={0,2}$/

function twitterChallenge(secret: string): Challenge {
  return {
    answer: ({ query }) => {
      const token = new URLSearchParams(query.replaceAll('+', '%2B')).get('crc_token') ?? ''
      if (!TOKEN.test(token)) return { status: 400, body: { error: 'crc_token is not right' } }
      const hash = createHmac('sha256', secret).update(token).digest('base64')
      return { status: 200, body: { response_token: `sha256=${hash}` } }
    },
    signs: (body) => TOKEN.test(body),
  }
}
