import { asRecord, formatPointer, isRecord, ownMember, toText } from '../../values/index.ts'
import { comesAndGoes, type FacetCollector } from './model.ts'

type Node = Readonly<Record<string, unknown>>

/** Adds what a call must prove: alternatives, each a set of schemes with scopes; and how those schemes work. */
export function addSecurity(
  security: unknown,
  pointer: string,
  document: Node,
  facets: FacetCollector,
): void {
  const { add, addList } = facets
  const options = Array.isArray(security) ? security.filter(isRecord) : []
  const isOpen = options.length === 0 || options.some((option) => Object.keys(option).length === 0)
  const needed = { value: isOpen ? undefined : true, pointer }
  add('auth', 'the need to authenticate', comesAndGoes('auth'), needed)
  for (const [index, option] of options.entries()) {
    if (Object.keys(option).length === 0) continue
    const name = Object.keys(option).sort().join(' and ')
    const at = { value: true, pointer: `${pointer}/${index}` }
    add(`auth option\u0000${name}`, `authentication by ${name}`, comesAndGoes('auth-option'), at)
    for (const [scheme, value] of Object.entries(option)) {
      const scopes = { value, pointer: `${pointer}${formatPointer([String(index), scheme])}` }
      addList(`scope ${name} ${scheme}`, `the scope of ${scheme}`, comesAndGoes('scope'), scopes)
    }
  }
  // Who has fitting credentials follows from how a scheme works.
  for (const name of new Set(options.flatMap((option) => Object.keys(option)))) {
    const found = findScheme(document, name)
    if (found !== undefined) addScheme(name, found, facets)
  }
}

interface SchemeAt {
  readonly scheme: Node
  readonly pointer: string
}

/** In Swagger 2.0 schemes stand at the top. */
function findScheme({ components, securityDefinitions }: Node, name: string): SchemeAt | undefined {
  const own = asRecord(components)['securitySchemes']
  const [schemes, path] = isRecord(own)
    ? [own, ['components', 'securitySchemes', name]]
    : [asRecord(securityDefinitions), ['securityDefinitions', name]]
  const scheme = ownMember(schemes, name)
  return isRecord(scheme) ? { scheme, pointer: formatPointer(path) } : undefined
}

function addScheme(name: string, { scheme, pointer }: SchemeAt, facets: FacetCollector): void {
  const add = (member: string, label: string, value: unknown) => {
    const at = { value, pointer: `${pointer}/${member}` }
    const rule = member === 'description' ? 'docs-changed' : 'auth-changed'
    const whole = `${label} the scheme ${name}`
    facets.add(`scheme\u0000${name}\u0000${member}`, whole, { changed: rule }, at)
  }
  add('type', 'the type of', typeOf(scheme))
  add('openIdConnectUrl', 'the discovery address of', scheme['openIdConnectUrl'])
  if (scheme['type'] === 'apiKey') {
    const { in: place, name: own } = scheme
    add('in', 'the place of', place)
    // Names of headers are the same in any case; others are not.
    add('name', 'the name of', place === 'header' ? toText(own).toLowerCase() : own)
  }
  add('description', 'the words about', scheme['description'])
  for (const flow of listFlows(scheme, pointer)) addFlow(name, flow, facets)
}

/** What Swagger 2.0 calls basic is one of the schemes of HTTP. */
function typeOf({ type, scheme }: Node): string {
  if (type === 'basic') return 'http basic'
  return type === 'http' ? `http ${toText(scheme).toLowerCase()}` : toText(type)
}

interface Flow extends SchemeAt {
  readonly name: string
}

const OLD_NAMES: Readonly<Record<string, string>> = {
  application: 'clientCredentials',
  accessCode: 'authorizationCode',
}

function listFlows(scheme: Node, pointer: string): readonly Flow[] {
  const { flow, flows } = scheme
  if (typeof flow === 'string')
    return [{ name: ownMember(OLD_NAMES, flow) ?? flow, scheme, pointer }]
  return Object.entries(asRecord(flows)).flatMap(([name, own]) =>
    isRecord(own)
      ? [{ name, scheme: own, pointer: `${pointer}${formatPointer(['flows', name])}` }]
      : [],
  )
}

const FLOW_ADDRESSES = ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl']

function addFlow(
  name: string,
  { name: flow, scheme, pointer }: Flow,
  { add }: FacetCollector,
): void {
  const key = `flow\u0000${name}\u0000${flow}`
  const label = `the flow ${flow} of the scheme ${name}`
  const scopeRules = { added: 'scope-offered', removed: 'scope-withdrawn' } as const
  add(key, label, comesAndGoes('auth-option'), { value: true, pointer })
  for (const member of FLOW_ADDRESSES) {
    const at = { value: scheme[member], pointer: `${pointer}/${member}` }
    add(`${key}\u0000${member}`, `${member} of ${label}`, { changed: 'auth-changed' }, at)
  }
  for (const scope of Object.keys(asRecord(scheme['scopes']))) {
    const at = { value: true, pointer: `${pointer}${formatPointer(['scopes', scope])}` }
    add(`${key}\u0000scope\u0000${scope}`, `the scope "${scope}" of ${label}`, scopeRules, at)
  }
}
