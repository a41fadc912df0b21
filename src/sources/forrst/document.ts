import {
  type Components,
  type FunctionDefinition,
  type Info,
  toVisibleText,
} from '../../core/index.ts'
import { decodeComponents, decodeFunctionObject } from '../../discovery/index.ts'
import { isRecord } from '../../values/index.ts'
import { type Behave, readFunctionObject } from './function.ts'

/** A discovery document turned into functions. */
export interface ReadDocument {
  readonly info: Info
  readonly functions: readonly FunctionDefinition[]
  /** What was left out and why, for a person. */
  readonly warnings: readonly string[]
}

const MOST_FUNCTIONS = 10_000
/** Characters of JSON; a function that needs more to be described cannot be shown to anybody. */
const LONGEST_FUNCTION = 1_000_000
const MOST_WARNINGS = 20

/**
 * Makes functions of a discovery document that somebody else wrote. A function that makes no sense is left out with
 * a warning; a document that is none throws a TypeError.
 */
export function readForrstDocument(document: unknown, behave: Behave = describeOnly): ReadDocument {
  if (!isRecord(document) || !Array.isArray(document['functions'])) {
    throw new TypeError('this is not a discovery document: it has no list of functions')
  }
  const warnings: string[] = []
  const components = decodeComponents(document['components'] ?? {}, (place, expected) => {
    warnings.push(`${toVisibleText(place).slice(0, 200)} is left out: it must be ${expected}`)
  })
  const seen = new Set<string>()
  const listed: readonly unknown[] = document['functions']
  if (listed.length > MOST_FUNCTIONS) {
    warnings.push(`only the first ${MOST_FUNCTIONS} of ${listed.length} functions are taken over`)
  }
  const functions = listed.slice(0, MOST_FUNCTIONS).flatMap((object, index) => {
    const read = readOne(object, components, behave)
    const place = `functions[${index}]${nameOf(object)}`
    if (read.problem !== undefined) {
      const what = read.definition === undefined ? 'is left out' : 'is taken over in part'
      warnings.push(`${place} ${what}: ${toVisibleText(read.problem).slice(0, 300)}`)
    }
    if (read.definition === undefined) return []
    const key = `${read.definition.name}@${read.definition.version}`
    if (seen.has(key)) {
      warnings.push(`${place} is left out: it is listed twice`)
      return []
    }
    seen.add(key)
    return [read.definition]
  })
  return { info: toInfo(document['info']), functions, warnings: shorten(warnings) }
}

function readOne(
  object: unknown,
  components: Components,
  behave: Behave,
): ReturnType<typeof readFunctionObject> {
  if (!isRecord(object)) return { problem: 'it is not an object' }
  if (JSON.stringify(object).length > LONGEST_FUNCTION) {
    return { problem: `its description is longer than ${LONGEST_FUNCTION} characters` }
  }
  let leftOut: string | undefined
  const decoded = decodeFunctionObject(object, (place, expected) => {
    leftOut ??= `${place} must be ${expected}`
  })
  if (decoded === undefined) return { problem: leftOut ?? 'it cannot be read' }
  const read = readFunctionObject(decoded, components, behave)
  return leftOut === undefined ? read : { ...read, problem: leftOut }
}

function nameOf(object: unknown): string {
  const name = isRecord(object) ? object['name'] : undefined
  return typeof name === 'string' ? ` ("${toVisibleText(name).slice(0, 100)}")` : ''
}

function toInfo(info: unknown): Info {
  const { title, version, description } = isRecord(info) ? info : {}
  return {
    title: typeof title === 'string' && title !== '' ? toVisibleText(title) : 'Remote service',
    version: typeof version === 'string' && version !== '' ? version : '1.0.0',
    ...(typeof description === 'string' && { description: toVisibleText(description) }),
  }
}

function shorten(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= MOST_WARNINGS) return warnings
  const rest = warnings.length - MOST_WARNINGS
  return [...warnings.slice(0, MOST_WARNINGS), `and ${rest} more problems of this kind`]
}
/** For functions that are looked at and never called. */
const describeOnly: Behave = ({ query }) => ({
  handler: () => null,
  ...(query && { resources: () => ({ data: [] }) }),
})
