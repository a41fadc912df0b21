import { isVersion } from '../core/index.ts'
import { eachReference, type Problem, resolveLocal } from '../schema/index.ts'
import { asRecord, formatPointer, isRecord, toText } from '../values/index.ts'

const STABILITIES = ['experimental', 'stable', 'deprecated']
const REQUIRED_IN = {
  contentDescriptors: ['name', 'schema'],
  errors: ['code', 'message'],
  examplePairings: ['name', 'params'],
  links: ['name'],
  tags: ['name'],
  resources: ['type', 'attributes'],
} as const

type Path = readonly (string | number)[]

/** Lists what is wrong with a discovery document; never throws, whatever it is given. */
export function checkDocument(document: unknown): readonly Problem[] {
  return collect((report) => {
    if (!isRecord(document)) {
      report([], 'type', 'must be an object')
      return
    }
    for (const field of ['forrst', 'discovery']) {
      if (typeof document[field] !== 'string')
        report([field], 'required', 'must be a version string')
    }
    checkInfo(document['info'], report)
    checkServers(document['servers'], report)
    checkFunctions(document['functions'], report)
    checkComponents(document['components'], report)
    checkReferences(document, report)
  })
}

/** Lists what is wrong with what a document says about the service as a whole. */
export function checkHead(head: {
  readonly info: unknown
  readonly servers: unknown
}): readonly Problem[] {
  return collect((report) => {
    checkInfo(head.info, report)
    checkServers(head.servers, report)
  })
}

type Report = (path: Path, code: string, message: string) => void

function collect(check: (report: Report) => void): readonly Problem[] {
  const problems: Problem[] = []
  check((path, code, message) => {
    problems.push({ pointer: formatPointer(path.map(String)), code, message })
  })
  return problems
}

function checkInfo(info: unknown, report: Report): void {
  if (!isRecord(info)) {
    report(['info'], 'required', 'must be an object with title and version')
    return
  }
  needStrings(info, ['title', 'version'], ['info'], report)
  if (isRecord(info['license'])) needStrings(info['license'], ['name'], ['info', 'license'], report)
}

function checkServers(servers: unknown, report: Report): void {
  if (servers === undefined) return
  for (const [index, server] of listOf(servers, ['servers'], report)) {
    needStrings(server, ['name', 'url'], ['servers', index], report)
    const variables = asRecord(server['variables'])
    for (const [name, variable] of Object.entries(variables)) {
      const path = ['servers', index, 'variables', name]
      if (isRecord(variable)) needStrings(variable, ['default'], path, report)
      else report(path, 'type', 'must be an object')
    }
    const url = typeof server['url'] === 'string' ? server['url'] : ''
    for (const [, name = ''] of url.matchAll(/\{([^{}]*)\}/g)) {
      if (!Object.hasOwn(variables, name)) {
        report(['servers', index, 'url'], 'variable', `{${name}} is not among the variables`)
      }
    }
  }
}

function checkFunctions(functions: unknown, report: Report): void {
  const seen = new Set<string>()
  for (const [index, entry] of listOf(functions, ['functions'], report)) {
    const path = ['functions', index]
    needStrings(entry, ['name', 'version'], path, report)
    const { name, version, stability } = entry
    if (typeof version === 'string' && !isVersion(version)) {
      report([...path, 'version'], 'version', `must be a semantic version; got "${version}"`)
    }
    if (seen.has(`${toText(name)}@${toText(version)}`))
      report(path, 'duplicate', `${toText(name)}@${toText(version)} is listed twice`)
    seen.add(`${toText(name)}@${toText(version)}`)
    if (stability !== undefined && !STABILITIES.includes(toText(stability))) {
      report([...path, 'stability'], 'enum', `must be one of ${STABILITIES.join(', ')}`)
    }
    checkSimulations(entry['simulations'], [...path, 'simulations'], report)
  }
}

function checkSimulations(simulations: unknown, path: Path, report: Report): void {
  if (simulations === undefined) return
  for (const [index, scenario] of listOf(simulations, path, report)) {
    needStrings(scenario, ['name'], [...path, index], report)
    if (!isRecord(scenario['input']))
      report([...path, index, 'input'], 'required', 'must be an object')
    if (scenario['output'] !== undefined && scenario['error'] !== undefined) {
      report([...path, index], 'exclusive', 'must not have both output and error')
    }
  }
}

function checkComponents(components: unknown, report: Report): void {
  if (!isRecord(components)) return
  for (const [kind, fields] of Object.entries(REQUIRED_IN)) {
    const map = components[kind]
    if (!isRecord(map)) continue
    for (const [name, component] of Object.entries(map)) {
      const missing = fields.filter((field) => !isRecord(component) || !(field in component))
      for (const field of missing) {
        report(['components', kind, name, field], 'required', 'is required')
      }
    }
  }
}

function checkReferences(document: unknown, report: Report): void {
  eachReference(document, (ref, path) => {
    if (resolveLocal(document, ref) === undefined)
      report([...path(), '$ref'], '$ref', `leads nowhere: ${ref}`)
  })
}

function* listOf(
  value: unknown,
  path: Path,
  report: Report,
): Generator<readonly [number, Record<string, unknown>]> {
  if (!Array.isArray(value)) {
    report(path, 'type', 'must be an array')
    return
  }
  for (const [index, item] of value.entries()) {
    if (isRecord(item)) yield [index, item]
    else report([...path, index], 'type', 'must be an object')
  }
}

function needStrings(
  value: Record<string, unknown>,
  fields: readonly string[],
  path: Path,
  report: Report,
): void {
  for (const field of fields) {
    if (typeof value[field] !== 'string' || value[field] === '') {
      report([...path, field], 'required', 'must be a non-empty string')
    }
  }
}
