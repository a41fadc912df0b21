import { asRecord, formatPointer, isRecord, ownMember, toText } from '../../values/index.ts'
import type { FacetCollector } from './model.ts'

/** Adds what a call must prove: alternatives, each a set of schemes with scopes. */
export function addSecurity(security: unknown, pointer: string, facets: FacetCollector): void {
  const options = Array.isArray(security) ? security.filter(isRecord) : []
  const isOpen = options.length === 0 || options.some((option) => Object.keys(option).length === 0)
  if (!isOpen) {
    facets.add('auth', {
      rules: { added: 'auth-added', removed: 'auth-removed' },
      label: 'the need to authenticate',
      value: true,
      pointer,
    })
  }
  for (const [index, option] of options.entries()) {
    if (Object.keys(option).length === 0) continue
    const name = Object.keys(option).sort().join(' and ')
    facets.add(`auth option\u0000${name}`, {
      rules: { added: 'auth-option-added', removed: 'auth-option-removed' },
      label: `authentication by ${name}`,
      value: true,
      pointer: `${pointer}/${index}`,
    })
    for (const [scheme, scopes] of Object.entries(option)) {
      facets.addList(`scope ${name} ${scheme}`, scopes, {
        rules: { added: 'scope-added', removed: 'scope-removed' },
        label: `the scope of ${scheme}`,
        pointer: `${pointer}${formatPointer([String(index), scheme])}`,
      })
    }
  }
}

type Node = Readonly<Record<string, unknown>>

/** Adds how the schemes that a call may authenticate with work; who has fitting credentials follows from it. */
export function addSchemes(security: unknown, document: Node, facets: FacetCollector): void {
  const options = Array.isArray(security) ? security.filter(isRecord) : []
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
  const own = isRecord(components) ? components['securitySchemes'] : undefined
  const [schemes, path] = isRecord(own)
    ? [own, ['components', 'securitySchemes', name]]
    : [securityDefinitions, ['securityDefinitions', name]]
  const scheme = isRecord(schemes) && Object.hasOwn(schemes, name) ? schemes[name] : undefined
  return isRecord(scheme) ? { scheme, pointer: formatPointer(path) } : undefined
}

function addScheme(name: string, { scheme, pointer }: SchemeAt, facets: FacetCollector): void {
  const add = (member: string, label: string, value: unknown) =>
    facets.add(`scheme\u0000${name}\u0000${member}`, {
      rules: { changed: 'auth-changed' },
      label: `${label} of the scheme ${name}`,
      value,
      pointer: `${pointer}/${member}`,
    })
  add('type', 'the type', typeOf(scheme))
  add('openIdConnectUrl', 'the discovery address', scheme['openIdConnectUrl'])
  if (scheme['type'] === 'apiKey') {
    const { in: place, name: own } = scheme
    add('in', 'the place', place)
    // Names of headers are the same in any case; others are not.
    add('name', 'the name', place === 'header' ? toText(own).toLowerCase() : own)
  }
  facets.add(`scheme\u0000${name}\u0000docs`, {
    rules: { changed: 'docs-changed' },
    label: `the words about the scheme ${name}`,
    value: scheme['description'],
    pointer: `${pointer}/description`,
  })
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

function addFlow(
  name: string,
  { name: flow, scheme, pointer }: Flow,
  facets: FacetCollector,
): void {
  const key = `flow\u0000${name}\u0000${flow}`
  const label = `the flow ${flow} of the scheme ${name}`
  facets.add(key, {
    rules: { added: 'auth-option-added', removed: 'auth-option-removed' },
    label,
    value: true,
    pointer,
  })
  for (const member of ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl']) {
    facets.add(`${key}\u0000${member}`, {
      rules: { changed: 'auth-changed' },
      label: `${member} of ${label}`,
      value: scheme[member],
      pointer: `${pointer}/${member}`,
    })
  }
  for (const scope of Object.keys(asRecord(scheme['scopes']))) {
    facets.add(`${key}\u0000scope\u0000${scope}`, {
      rules: { added: 'scope-offered', removed: 'scope-withdrawn' },
      label: `the scope "${scope}" of ${label}`,
      value: true,
      pointer: `${pointer}${formatPointer(['scopes', scope])}`,
    })
  }
}
