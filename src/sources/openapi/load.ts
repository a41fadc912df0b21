import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  intCoreTag,
  load,
  loadAll,
  mergeTag,
  YAMLException,
} from 'js-yaml'
import { createRecord, parseExactJson, toText } from '../../values/index.ts'
import type { SpecProblem } from '../tool-spec/index.ts'
import { asNode, asText, read } from './node.ts'

/** The generations of the format, as far as reading differs. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1' | '3.2'

/** What loading a text gives. */
export type LoadedDocument =
  | { readonly ok: true; readonly document: unknown; readonly version: OpenApiVersion }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** How a document is loaded. */
export interface LoadOptions {
  /** Name of the file, for messages. */
  readonly file?: string
  /** Longest text in characters; 64 Mi when absent. */
  readonly maxLength?: number
}

/** Parses the text of an API description, JSON or YAML, and tells its version. */
export function loadOpenApi(text: string, options: LoadOptions = {}): LoadedDocument {
  const { file = '<openapi>' } = options
  const parsed = parseDocument(text, options)
  if (!parsed.ok) return parsed
  const version = detectVersion(parsed.document)
  if (version !== undefined) return { ok: true, document: parsed.document, version }
  return { ok: false, problems: [explainVersion(parsed.document, file)] }
}

/** What parsing a text gives, whatever kind of document it is. */
export type ParsedDocument =
  | { readonly ok: true; readonly document: unknown }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** Parses JSON or YAML without positions, tolerating what real documents contain. */
export function parseDocument(given: string, options: LoadOptions = {}): ParsedDocument {
  const { file = '<openapi>', maxLength = 64 * 1024 * 1024 } = options
  const text = given.startsWith('\ufeff') ? given.slice(1) : given
  if (text.length > maxLength) {
    const message = `the document is longer than ${maxLength} characters`
    return { ok: false, problems: [problem('E100', file, message)] }
  }
  const json = /^\s*([{[]|\/[/*])/.test(text) ? parseJson(text) : undefined
  if (json !== undefined) return { ok: true, document: json }
  try {
    return { ok: true, document: loadYaml(text) }
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown
    const { mark } = thrown
    const at = { line: (mark?.line ?? 0) + 1, column: (mark?.column ?? 0) + 1 }
    const found = problem('E100', file, `the document cannot be read: ${thrown.reason}`)
    return { ok: false, problems: [{ ...found, ...at, hint: 'correct the YAML or JSON here' }] }
  }
}

/** Parses JSON, also with comments and trailing commas; YAML flow style gives nothing. */
function parseJson(text: string): unknown {
  for (const read of [() => text, () => withoutComments(text)]) {
    try {
      return parseExactJson(read())
    } catch {
      // Not this kind of JSON. YAML flow style looks the same and gives the better message.
    }
  }
  return undefined
}

function withoutComments(text: string): string {
  const keepTexts = (found: string): string => (found.startsWith('"') ? found : '')
  return text
    .replace(/"(?:[^"\\]|\\.)*"?|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/g, keepTexts)
    .replace(/"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/g, keepTexts)
}

function loadYaml(text: string): unknown {
  try {
    return load(text, YAML_OPTIONS)
  } catch (thrown) {
    const [only, ...others] = readDocuments(text)
    if (only !== undefined && others.length === 0) return only
    const spaced = text.replace(/:\t+(?=[[{])/g, ': ')
    // js-yaml takes a tab before an empty list for an indent, which YAML does not.
    if (spaced === text) throw thrown
    return load(spaced, YAML_OPTIONS)
  }
}

/** Reads the documents of a text that are not empty; none when it is not YAML. */
function readDocuments(text: string): unknown[] {
  try {
    return loadAll(text, YAML_OPTIONS).filter((document) => document !== null)
  } catch {
    return []
  }
}

/** Tells the version of an API description, or nothing when it is none we read. */
export function detectVersion(document: unknown): OpenApiVersion | undefined {
  const swagger = asText(read(document, 'swagger'))
  if (swagger !== undefined) return /^2(\.0)?/.test(swagger.trim()) ? '2.0' : undefined
  const openapi = asText(read(document, 'openapi'))?.trim()
  if (openapi === undefined) return undefined
  if (/^2(\.|$)/.test(openapi)) return '2.0'
  if (/^3(\.0|$)/.test(openapi)) return '3.0'
  if (/^3\.1/.test(openapi)) return '3.1'
  return /^3\.\d/.test(openapi) ? '3.2' : undefined
}

/** Unknown tags are dropped, their content stays. */
const ANY_TAG = ['!', 'tag:'].flatMap((prefix) => [
  defineScalarTag(prefix, {
    matchByTagPrefix: true,
    resolve: (source) => source,
    identify: () => false,
  }),
  defineSequenceTag(prefix, {
    matchByTagPrefix: true,
    create: (): unknown[] => [],
    addItem: (carrier, item) => {
      carrier.push(item)
    },
    identify: () => false,
  }),
  defineMappingTag(prefix, {
    matchByTagPrefix: true,
    create: () => createRecord<unknown>(),
    addPair: (carrier, key, value) => {
      carrier[toText(key)] = value
      return ''
    },
    has: (carrier, key) => Object.hasOwn(carrier, toText(key)),
    keys: (result) => Object.keys(result),
    get: (result, key) => result[toText(key)],
    identify: () => false,
  }),
])

/** Integers that a number would round keep their digits, as in JSON. */
const EXACT_INT = {
  ...intCoreTag,
  resolve: (source: string, isExplicit: boolean, name: string) => {
    const value = intCoreTag.resolve(source, isExplicit, name)
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value)
    return isLarge && /^[-+]?\d+$/.test(source) ? source : value
  },
}

const YAML_OPTIONS = {
  schema: CORE_SCHEMA.withTags(EXACT_INT, mergeTag, ...ANY_TAG),
  json: true,
  maxDepth: 1000,
  maxTotalMergeKeys: 100_000,
}

function explainVersion(document: unknown, file: string): SpecProblem {
  const node = asNode(document)
  if (node === undefined) {
    return problem('E001', file, 'the document must hold a mapping; found something else')
  }
  const version = asText(read(node, 'swagger')) ?? asText(read(node, 'openapi'))
  if (version === undefined) {
    const keys = Object.keys(node).slice(0, 8).join(', ')
    const message = `neither an OpenAPI document nor a tool spec; found the keys ${keys || 'none'}`
    return { ...problem('E001', file, message), hint: 'an API description has openapi or swagger' }
  }
  const message = `expected version 2.0, 3.0, 3.1 or 3.2; found "${version.slice(0, 20)}"`
  return { ...problem('E100', file, message), hint: 'convert the document to OpenAPI 3 first' }
}

/** Makes an error about a file as a whole. */
export function problem(code: string, file: string, message: string): SpecProblem {
  return { severity: 'error', code, file, line: 0, column: 0, path: '', message }
}
