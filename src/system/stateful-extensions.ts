import type { Extension } from '../core/index.ts'
import { type AsyncExtensionOptions, asyncExtension } from '../extensions/async/index.ts'
import { type CachingExtensionOptions, cachingExtension } from '../extensions/caching/index.ts'
import {
  type CancellationExtensionOptions,
  cancellationExtension,
} from '../extensions/cancellation/index.ts'
import {
  type IdempotencyExtensionOptions,
  idempotencyExtension,
} from '../extensions/idempotency/index.ts'
import { type AtomicLockExtensionOptions, atomicLockExtension } from '../extensions/lock/index.ts'
import {
  type MaintenanceExtensionOptions,
  maintenanceExtension,
} from '../extensions/maintenance/index.ts'
import type { Outgoing } from '../extensions/outgoing/index.ts'
import { type PriorityExtensionOptions, priorityExtension } from '../extensions/priority/index.ts'
import { type QuotaExtensionOptions, quotaExtension } from '../extensions/quota/index.ts'
import {
  type RateLimitExtensionOptions,
  rateLimitExtension,
} from '../extensions/rate-limit/index.ts'
import { type ReplayExtensionOptions, replayExtension } from '../extensions/replay/index.ts'
import { type WebhookExtension, webhookExtension } from '../extensions/webhook/index.ts'
import type { Store } from '../store/index.ts'
import type { JobQueue } from '../work/index.ts'

/** How the extensions that remember things behave; `false` leaves one out. */
export interface StatefulSettings {
  readonly async?: Omit<AsyncExtensionOptions, 'store' | 'jobs' | 'outgoing'> | false
  readonly replay?: Omit<ReplayExtensionOptions, 'store' | 'jobs' | 'outgoing'> | false
  /** On where `outgoing` has a secret for Standard Webhooks. */
  readonly webhook?: false
  readonly idempotency?: Omit<IdempotencyExtensionOptions, 'store'> | false
  readonly atomicLock?: Omit<AtomicLockExtensionOptions, 'store'> | false
  readonly caching?: Omit<CachingExtensionOptions, 'store'> | false
  readonly cancellation?: Omit<CancellationExtensionOptions, 'store'> | false
  readonly maintenance?: Omit<MaintenanceExtensionOptions, 'store'> | false
  readonly priority?: PriorityExtensionOptions | false
  /** Off when absent: there is nothing to limit without policies. */
  readonly rateLimit?: Omit<RateLimitExtensionOptions, 'store'>
  /** Off when absent: there is nothing to count without quotas. */
  readonly quota?: Omit<QuotaExtensionOptions, 'store'>
}

/** The same, with what they stand on. */
export interface StatefulExtensionOptions extends StatefulSettings {
  readonly store: Store
  /** Runs what goes on in the background; the extensions that need it are left out when absent. */
  readonly jobs?: JobQueue | undefined
  /** Sends callbacks; none are sent when absent. */
  readonly outgoing?: Outgoing | undefined
}

/** Lists the extensions that remember things, all on one store; they stand beside `defaultExtensions()`. */
export function statefulExtensions(options: StatefulExtensionOptions): readonly Extension[] {
  const { store, jobs, outgoing } = options
  const { idempotency, atomicLock, caching, cancellation, maintenance } = options
  const webhook = options.webhook === false ? undefined : createWebhook(outgoing)
  return [
    jobs !== undefined &&
      options.async !== false &&
      asyncExtension({ ...announceTo(webhook), ...options.async, store, jobs, outgoing }),
    jobs !== undefined &&
      options.replay !== false &&
      replayExtension({ ...options.replay, store, jobs, outgoing }),
    webhook !== undefined && webhook,
    idempotency !== false && idempotencyExtension({ ...idempotency, store }),
    atomicLock !== false && atomicLockExtension({ ...atomicLock, store }),
    caching !== false && cachingExtension({ ...caching, store }),
    cancellation !== false && cancellationExtension({ ...cancellation, store }),
    maintenance !== false && maintenanceExtension({ ...maintenance, store }),
    options.priority !== false && priorityExtension(options.priority),
    options.rateLimit !== undefined && rateLimitExtension({ ...options.rateLimit, store }),
    options.quota !== undefined && quotaExtension({ ...options.quota, store }),
  ].filter((extension) => extension !== false)
}

function createWebhook(outgoing: Outgoing | undefined): WebhookExtension | undefined {
  const signs = outgoing?.signs('standard') || outgoing?.signs('standard-ed25519')
  return outgoing && signs ? webhookExtension({ outgoing }) : undefined
}

function announceTo(webhook: WebhookExtension | undefined): Pick<AsyncExtensionOptions, 'onEnd'> {
  return webhook ? { onEnd: webhook.operationEnded } : {}
}
