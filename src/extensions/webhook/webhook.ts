import {
  type Call,
  createUlid,
  type Extension,
  type ExtensionCall,
  type Outcome,
  type Service,
  type Target,
} from '../../core/index.ts'
import type { JsonObject } from '../../values/index.ts'
import type { EndedOperation } from '../async/index.ts'
import type { Outgoing } from '../outgoing/index.ts'
import {
  encodeWebhookEvent,
  findRegistration,
  isRedacted,
  OPERATION_EVENTS,
  requireRegistration,
  toEndEvent,
  toSignature,
  WEBHOOK_URN,
  type WebhookEvent,
  type WebhookRegistration,
  wantsEvent,
} from './event.ts'

/** What webhooks need. */
export interface WebhookExtensionOptions {
  /** Has to have a secret for Standard Webhooks: nothing is delivered unsigned. */
  readonly outgoing: Outgoing
}

/** The webhook extension, and what the async extension tells it. */
export interface WebhookExtension extends Extension {
  /** Delivers the end of an operation whose caller registered a webhook: the `onEnd` of the async extension. */
  readonly operationEnded: (ended: EndedOperation) => Promise<void>
}

/** Creates the extension that tells a URL of the caller how a call, or the operation it became, has ended. */
export function webhookExtension({ outgoing }: WebhookExtensionOptions): WebhookExtension {
  if (!outgoing.signs('standard') && !outgoing.signs('standard-ed25519')) {
    throw new TypeError(
      'webhook: outgoing.secret must hold a whsec_ or whsk_ key: events are signed',
    )
  }
  let home: Service | undefined
  return {
    urn: WEBHOOK_URN,
    version: '1.0.0',
    phase: 'run',
    order: -40,
    functions(service) {
      home = service
      return []
    },
    async around(exchange, next) {
      const { call, answer } = exchange
      const registration = requireRegistration(exchange, outgoing)
      const outcome = await next(call)
      // An operation that goes on is announced by `operationEnded`, in whichever process it ends.
      const registered =
        call.reply.disposition === 'started' ||
        (await deliver(outgoing, exchange, registration, outcome))
      answer(toAnswer(registration, registered))
      return outcome
    },
    async operationEnded({ record, call, outcome }) {
      const registration = findRegistration(call.extensions, outgoing)
      if (registration === undefined) return
      const { id, request, function: name, version, ended: endedAt = 0 } = record
      const redacted = isRedacted(call.extensions, findTarget(home, name, version))
      const end = { operation: id, request, function: name, version, outcome, endedAt, redacted }
      // Announced twice after a crash, it is still the same message.
      await send(outgoing, registration, toEndEvent(end), id.replace(/^op_/, ''))
    },
  }
}

/**
 * Tells the webhook of a call's caller about something of your own, such as `shop.order.shipped`; resolves to false when
 * the caller registered none, or not for this event.
 */
export async function emitWebhookEvent(
  outgoing: Outgoing,
  call: Pick<Call, 'extensions'>,
  event: WebhookEvent,
): Promise<boolean> {
  if (!EVENT_TYPE.test(event.type) || event.type.startsWith('forrst.')) {
    throw new TypeError(
      `event type ${event.type}: must be {namespace}.{resource}.{action}, not forrst.`,
    )
  }
  const registration = findRegistration(call.extensions, outgoing)
  if (registration === undefined || !wantsEvent(registration, event.type)) return false
  await send(outgoing, registration, event, createUlid(event.at))
  return true
}

const EVENT_TYPE = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+){2,}$/

/** The function has run: that its end cannot be told now must not take the result from its caller. */
async function deliver(
  outgoing: Outgoing,
  { call, target, service }: ExtensionCall,
  registration: WebhookRegistration,
  outcome: Outcome,
): Promise<boolean> {
  const endedAt = service.clock.now()
  const redacted = isRedacted(call.extensions, target)
  const { name, version } = target
  const event = toEndEvent({
    request: call.id,
    function: name,
    version,
    outcome,
    endedAt,
    redacted,
  })
  try {
    await send(outgoing, registration, event, createUlid(endedAt))
    return true
  } catch (error) {
    service.log.error('a webhook event is lost: the job queue cannot keep it', {
      request: call.id,
      error,
    })
    return false
  }
}

async function send(
  outgoing: Outgoing,
  registration: WebhookRegistration,
  event: WebhookEvent,
  ulid: string,
): Promise<void> {
  if (!wantsEvent(registration, event.type)) return
  await outgoing.send({
    id: `msg_${ulid}`,
    url: registration.url,
    body: encodeWebhookEvent(event),
    signature: toSignature(registration),
  })
}

function findTarget(home: Service | undefined, name: string, version: string): Target | undefined {
  return home?.registry.find(name)?.versions.get(version)
}

function toAnswer({ url, events, version }: WebhookRegistration, registered: boolean): JsonObject {
  return {
    registered,
    callback_url: url,
    events: [...(events ?? OPERATION_EVENTS)],
    signature_version: version,
  }
}
