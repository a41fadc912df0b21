import { isRecord } from '../core/json.ts'
import { TRANSPORTS } from './model.ts'

/** The registries of a profile, lifted to the layout of today. */
export interface CurrentLayout {
  readonly members: { readonly services: unknown; readonly capabilities: unknown }
  readonly payment: unknown
  /** True when something had to be lifted from the layout of 2026-01-11. */
  readonly legacy: boolean
}

/** Lifts the layout of 2026-01-11 to that of today; what is current already passes through. */
export function fromLegacy(
  ucp: Record<string, unknown>,
  root: Record<string, unknown>,
): CurrentLayout {
  const { services, capabilities } = ucp
  const flat = Array.isArray(capabilities)
  const nested = isRecord(services) && Object.values(services).some(isLegacyService)
  return {
    members: {
      services: nested ? liftServices(services) : services,
      capabilities: flat ? groupByName(capabilities) : capabilities,
    },
    payment: ucp['payment_handlers'] ?? liftHandlers(root['payment']),
    legacy: flat || nested,
  }
}

function isLegacyService(value: unknown): value is Record<string, unknown> {
  return (
    isRecord(value) &&
    value['transport'] === undefined &&
    TRANSPORTS.some((transport) => isRecord(value[transport]))
  )
}

function liftServices(services: Record<string, unknown>): Record<string, unknown> {
  const lifted = Object.entries(services).map(([name, value]): [string, unknown] => [
    name,
    isLegacyService(value) ? toEntries(value) : value,
  ])
  return Object.fromEntries(lifted)
}

function toEntries(service: Record<string, unknown>): readonly unknown[] {
  const { version, spec } = service
  return TRANSPORTS.filter((transport) => isRecord(service[transport])).map((transport) => ({
    version,
    ...(spec !== undefined && { spec }),
    ...(service[transport] as Record<string, unknown>),
    transport,
  }))
}

function liftHandlers(payment: unknown): unknown {
  if (!isRecord(payment) || !Array.isArray(payment['handlers'])) return undefined
  return groupByName(payment['handlers'])
}

// An item without a name keeps its place under a key no name can have, so that it is reported.
function groupByName(items: readonly unknown[]): Record<string, unknown> {
  const groups = new Map<string, unknown[]>()
  for (const [index, item] of items.entries()) {
    const name = isRecord(item) && typeof item['name'] === 'string' ? item['name'] : `[${index}]`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [item])
    else group.push(item)
  }
  return Object.fromEntries(groups)
}
