import {
  type CallMethod,
  type FunctionEntry,
  type HttpRoute,
  parseHttpPath,
  type Service,
  type Target,
} from '../core/index.ts'
import { toVersionedName, toVersionedToolName } from './versions.ts'

/** Where an argument travels in a request. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'body'

/** An address of a function over HTTP, below the mount of the REST surface. */
export interface HttpAddress {
  readonly method: CallMethod
  /** `/tickets/{id}`; `/orders.get`, or `/orders.get@1.0.0` for a version that the plain name does not reach. */
  readonly path: string
  readonly operationId: string
  /** Headers that hold arguments, by argument. */
  readonly headers: Readonly<Record<string, string>>
  readonly placeOf: (argument: string) => ParameterPlace
}

/** Lists the addresses of a function: the one that its definition gives, or those that follow from its name. */
export function listAddresses(service: Service, target: Target): readonly HttpAddress[] {
  const { http } = target.definition
  if (http !== undefined && ownsRoute(service, target, http)) {
    return [toAddress(service, target, http)]
  }
  return listNamedAddresses(service, target)
}

/** Lists the addresses that follow from the name of a function; it answers there also when it has another. */
export function listNamedAddresses(service: Service, target: Target): readonly HttpAddress[] {
  const path = `/${toVersionedName(service, target)}`
  const readsOnly = target.sideEffects?.length === 0
  const operationId = toVersionedToolName(service, target)
  return [
    ...(readsOnly
      ? [toAddress(service, target, { method: 'GET', path, operationId: `${operationId}_get` })]
      : []),
    toAddress(service, target, { method: 'POST', path, operationId }),
  ]
}

function toAddress(service: Service, target: Target, route: HttpRoute): HttpAddress {
  const { method, path, headers = {}, query = [] } = route
  const inPath = new Set(
    parseHttpPath(path).flatMap((segment) => ('argument' in segment ? [segment.argument] : [])),
  )
  const others = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  return {
    method,
    path,
    headers,
    operationId: route.operationId ?? toVersionedToolName(service, target),
    placeOf: (argument) => {
      if (inPath.has(argument)) return 'path'
      if (Object.hasOwn(headers, argument)) return 'header'
      return query.includes(argument) ? 'query' : others
    },
  }
}

/** Of versions that give one address, the one that a call without version reaches has it, or the newest. */
function ownsRoute({ registry }: Service, target: Target, route: HttpRoute): boolean {
  const entry: FunctionEntry | undefined = registry.find(target.name)
  const same = (entry?.ordered ?? []).filter(
    ({ stability, definition: { http } }) =>
      stability !== 'removed' && http?.method === route.method && http.path === route.path,
  )
  const latest = same.find((one) => one === entry?.latest)
  return (latest ?? same.at(-1)) === target
}
