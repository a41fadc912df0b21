import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readTree } from '../scripts/modules.ts'

/**
 * The files outside of `src/schema` that mention `$ref`, `allOf`, `anyOf` or `oneOf`, each with its reason. This list only
 * gets shorter: ask the schema module, and take the file out.
 */
const KNOWN: Readonly<Record<string, string>> = {
  'capabilities/profile/schema.ts': 'schemas of profiles, written by hand',
  'discovery/check-document.ts':
    'the pointer to a Reference object of the discovery document ends with its member',
  'sources/runtime/check-arguments.ts':
    'checks arguments in generated code, which has no compiler of schemas',
  'sources/runtime/input-schema.ts': 'writes the schema of a tool from the alternatives of a field',
  'surfaces/rest/operation.ts': 'writes the OpenAPI document',
}

const KEYWORDS = /(?<![\w$])(?:\$ref|allOf|anyOf|oneOf)(?!\w)/

/** Tells whether code mentions one of the keywords; comments do not count. */
function knowsCombinations(text: string): boolean {
  return KEYWORDS.test(text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, ''))
}

const tree = readTree(fileURLToPath(new URL('../src', import.meta.url)))
const found = [...tree]
  .filter(([file]) => !/^schema\/|\.test(?:-d)?\.ts$|\.gen\.ts$/.test(file))
  .filter(([, text]) => knowsCombinations(text))
  .map(([file]) => file)

describe('references and combinations of schemas', () => {
  it('are known to the schema module and to nobody new', () => {
    expect(found.filter((file) => !Object.hasOwn(KNOWN, file))).toEqual([])
  })

  it('are not excused in files that have forgotten them', () => {
    expect(Object.keys(KNOWN).filter((file) => !found.includes(file))).toEqual([])
  })

  it.each([
    ['const { $ref } = schema', true],
    ["schema['allOf']", true],
    ['return { anyOf: parts }', true],
    ['// `$ref` is followed elsewhere', false],
    ['/** Joins `allOf`. */\nconst zoneOffset = 1', false],
  ])('are found in %j: %s', (text, expected) => {
    expect(knowsCombinations(text)).toBe(expected)
  })
})
