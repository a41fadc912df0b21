import { decodeFragment, mapReferences, resolveLocation } from '../../schema/index.ts'
import {
  type ExternalFailure,
  type ReadExternalsOptions,
  readExternals,
} from '../../sources/openapi/index.ts'
import { formatPointer, parsePointer, resolvePointer } from '../../values/index.ts'
import { findUnreadReferences } from './model.ts'

/** Where a description is, and the documents it refers to, by address. */
export interface Externals {
  readonly url: string
  readonly documents: ReadonlyMap<string, unknown>
}

/** The member of a bundled description that holds the other documents. */
const HOLD = 'externals'
const NOTHING: Externals = { url: '', documents: new Map() }

/**
 * Puts the documents that a description refers to into it, and turns references to them inwards. Those whose names
 * are `withheld` are left outside as if they had not been read.
 */
export function bundle<Document extends object>(
  document: Document,
  externals: Externals = NOTHING,
  withheld: ReadonlySet<string> = new Set(),
): Document {
  if (findUnreadReferences(document).size === 0) return document
  const { url } = externals
  const held = nameDocuments(externals, withheld)
  const bundled = mapReferences(document, (ref) => turn(ref, url, { url, held })) as Document
  if (held.size === 0) return bundled
  const inside = [...held].map(([address, { name, document: other }]): [string, unknown] => [
    name,
    mapReferences(other, (ref) => turn(ref, address, { url, held })),
  ])
  return { ...bundled, [HOLD]: Object.fromEntries(inside) }
}

/** Writes a place in a bundled description as one in the document it was taken from: `shared.yaml#/Order`. */
export function toPlace(pointer: string): string {
  const [root, name, ...path] = parsePointer(pointer) ?? []
  return root === HOLD && name !== undefined ? `${name}#${formatPointer(path)}` : pointer
}

interface Held {
  readonly name: string
  readonly document: unknown
}

function nameDocuments(
  { url, documents }: Externals,
  withheld: ReadonlySet<string>,
): ReadonlyMap<string, Held> {
  const held = new Map<string, Held>()
  const taken = new Set<string>()
  for (const [address, document] of documents) {
    if (withheld.has(toName(address, url))) continue
    // A name in a reference may be decoded on the way.
    let name = toName(address, url).replaceAll('%', '_')
    while (taken.has(name)) name += '_'
    taken.add(name)
    held.set(address, { name, document })
  }
  return held
}

/** The path from the description to another document; the address where they have nothing in common. */
function toName(address: string, url: string): string {
  const folder = url.split('/').slice(0, -1)
  const steps = address.split('/')
  const last = steps.length - 1
  const parting = steps.findIndex((step, index) => index === last || step !== folder[index])
  const isElsewhere = HAS_SCHEME.test(address)
    ? parting < 3
    : address.startsWith('/') && parting < 2
  if (isElsewhere) return address
  return [...folder.slice(parting).map(() => '..'), ...steps.slice(parting)].join('/')
}

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i

function turn(
  ref: string,
  home: string,
  { url, held }: { readonly url: string; readonly held: ReadonlyMap<string, Held> },
): string {
  const [, place = '', hash = '', fragment = ''] = /^([^#]*)(#?)(.*)$/s.exec(ref) ?? []
  const address = place === '' ? home : resolveLocation(place, home)
  if (address === url) return place === '' ? ref : `#${fragment}`
  const other = held.get(address)
  const pointer = toPointer(fragment)
  // A fragment that is not a path is an anchor, which is not looked for here.
  const isFound =
    /^(?:$|\/)/.test(fragment) || resolvePointer(other?.document, pointer) !== undefined
  return other !== undefined && isFound
    ? `#${formatPointer([HOLD, other.name])}${pointer}`
    : `${toName(address, url)}${hash}${fragment}`
}

/** Many tools percent-encode the fragment, and some leave its first slash out. */
function toPointer(fragment: string): string {
  if (fragment === '' || fragment === '/') return ''
  return decodeFragment(fragment.startsWith('/') ? fragment : `/${fragment}`)
}

/** The other documents of a description, with those that could not be read. */
export interface LoadedExternals extends Externals {
  readonly failures: readonly ExternalFailure[]
}

/** Reads the documents that a description at `url` refers to, and those that they refer to. */
export async function loadExternals(
  document: unknown,
  url: string,
  options: ReadExternalsOptions,
): Promise<LoadedExternals> {
  const look = (externals: ReadonlyMap<string, unknown>) => {
    const all = [[url, document] as const, ...externals]
    const named = all.flatMap(([home, one]) =>
      [...findUnreadReferences(one).keys()].map((place) => resolveLocation(place, home)),
    )
    return {
      wanted: [...new Set(named)].filter((address) => address !== url && !externals.has(address)),
    }
  }
  const { externals, failures } = await readExternals(look, options)
  return { url, documents: externals, failures }
}
