import { type Contracts, type HttpAddress, listNamedAddresses } from '../../contract/index.ts'
import { type PathSegment, parseHttpPath, type Service, type Target } from '../../core/index.ts'
import { OPERATION_ADDRESSES } from './operations.ts'

/** What a path leads to: a version of a function, by each method it can be called with there. */
export interface RestRoute {
  readonly methods: ReadonlyMap<string, RouteEnd>
  /** Text of the segments that stand for arguments, in order and percent-decoded. */
  readonly values: readonly string[]
}

/** A function at one address. */
export interface RouteEnd {
  readonly target: Target
  readonly address: HttpAddress
}

/** The addresses that definitions give. */
export interface Routes {
  readonly find: (path: string) => RestRoute | undefined
  /** The paths of all, as definitions write them. */
  readonly paths: () => readonly string[]
}

interface Node {
  readonly texts: Map<string, Node>
  argument: Node | undefined
  readonly methods: Map<string, RouteEnd>
}

interface Table {
  readonly root: Node
  readonly paths: readonly string[]
}

/** Creates the table of addresses; it is made anew only when functions come or go. Throws when two have the same. */
export function createRoutes(service: Service, contracts: Contracts): Routes {
  const { registry, log } = service
  let revision = registry.revision()
  let table = buildTable(service, contracts)
  const current = (): Table => {
    if (registry.revision() === revision) return table
    revision = registry.revision()
    try {
      table = buildTable(service, contracts)
    } catch (error) {
      // The service runs: what was served before the clash still is.
      log.error('addresses of new functions are not served', { error })
    }
    return table
  }
  return {
    find: (path) => {
      const { root } = current()
      if (root.texts.size === 0) return undefined
      const values: string[] = []
      const node = descend(root, path.slice(1).split('/'), 0, values)
      return node && { methods: node.methods, values }
    },
    paths: () => current().paths,
  }
}

function buildTable(service: Service, contracts: Contracts): Table {
  const root = createNode()
  const paths: string[] = []
  for (const { name, address } of OPERATION_ADDRESSES) {
    const target = service.registry.find(name)?.latest
    if (target !== undefined) insert(root, target, address)
  }
  for (const { target, http } of contracts.list({ includeHidden: true })) {
    for (const address of http) {
      if (address.path !== target.definition.http?.path) continue
      refuseNamed(service, target, address)
      insert(root, target, address)
      paths.push(address.path)
    }
  }
  return { root, paths }
}

/** A path must not be what the name of a function leads to. */
function refuseNamed(service: Service, target: Target, { path }: HttpAddress): void {
  const [first = '', ...others] = path.slice(1).split('/')
  if (others.length === 0 && service.registry.find(first) !== undefined) {
    throw clash(target, path, `the function ${first} is there`)
  }
}

function insert(root: Node, target: Target, address: HttpAddress): void {
  const { method, path } = address
  let node = root
  for (const segment of parseHttpPath(path)) node = step(node, segment)
  for (const other of node.methods.values()) {
    const known = other.address.path
    if (other.address.method === method) {
      throw clash(target, `${method} ${path}`, `${other.target.name} has ${method} ${known}`)
    }
    // OpenAPI takes templates that differ in names alone for one path.
    if (known !== path) throw clash(target, path, `${other.target.name} writes it ${known}`)
  }
  node.methods.set(method, { target, address })
}

function step(node: Node, segment: PathSegment): Node {
  if ('argument' in segment) {
    node.argument ??= createNode()
    return node.argument
  }
  const found = node.texts.get(segment.text) ?? createNode()
  node.texts.set(segment.text, found)
  return found
}

function createNode(): Node {
  return { texts: new Map(), argument: undefined, methods: new Map() }
}

/** Fixed text comes before an argument, wherever both would do. */
function descend(
  node: Node,
  segments: readonly string[],
  at: number,
  values: string[],
): Node | undefined {
  const segment = segments[at]
  if (segment === undefined) return node.methods.size > 0 ? node : undefined
  const fixed = node.texts.get(segment)
  const found = fixed && descend(fixed, segments, at + 1, values)
  if (found !== undefined || node.argument === undefined || segment === '') return found
  const value = decodeSegment(segment)
  if (value === undefined) return undefined
  values.push(value)
  const below = descend(node.argument, segments, at + 1, values)
  if (below === undefined) values.pop()
  return below
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function clash(target: Target, path: string, reason: string): TypeError {
  return new TypeError(`function ${target.name}: http: ${path} is served already: ${reason}`)
}

/** Gives the addresses of a function under its name, by method. */
export function toNamedMethods(service: Service, target: Target): RestRoute['methods'] {
  return new Map(
    listNamedAddresses(service, target).map((address) => [address.method, { target, address }]),
  )
}
