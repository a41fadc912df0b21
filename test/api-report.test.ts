import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatApi, listApiFiles } from '../scripts/api-report.ts'
import {
  type ApiEntry,
  createSources,
  emitDeclarations,
  listHidden,
  readEntries,
  readExports,
} from '../scripts/api-surface.ts'

/** What signatures mention and nobody needs to import, and why. */
const KEPT_INSIDE: Readonly<Record<string, string>> = {
  'surfaces/mcp/encode.d.ts#marked': 'a mark that only toolContent sets',
  'schema/schema.d.ts#typed': 'a mark that carries a type and is never set',
  'schema/schema.d.ts#HandledAs': 'OutputOf, written for inference',
  'schema/schema.d.ts#AnyResult': 'any, with its reason',
  'schema/schema.d.ts#MemberIn': 'a step of InputOf and OutputOf',
  'client/query-types.d.ts#ComparedWith': 'a step of QueryOf',
  'client/query-types.d.ts#ListIn': 'a step of QueryFor and QueryOf',
  'client/query-types.d.ts#OperatorsIn': 'a step of QueryFor',
  'client/query-types.d.ts#PageIn': 'a step of QueryOf',
  'client/function-types.d.ts#DeclaredErrors': 'ErrorsWith, from a definition',
  'client/function-types.d.ts#ListedErrors': 'ErrorsWith, from a map of function types',
  'client/function-types.d.ts#TakesAsync': 'a step of FunctionTypeOf',
  'core/middleware.d.ts#adds': 'a mark that carries a type and is never set',
  'change/diff/rules.d.ts#OTHER_RULES': 'the ids in it are the keys of DIFF_RULES',
  'capabilities/diagnostic.d.ts#ERRORS': 'the codes in it are keys of DIAGNOSTICS',
  'capabilities/diagnostic.d.ts#REMARKS': 'the codes in it are keys of DIAGNOSTICS',
  'capabilities/diagnostic.d.ts#WARNINGS': 'the codes in it are keys of DIAGNOSTICS',
  'change/diff/rules.d.ts#SCHEMA_RULES': 'the ids in it are the keys of DIFF_RULES',
}

let entries: readonly ApiEntry[] = []

// The compiler runs once for all of them.
beforeAll(() => {
  entries = readEntries(emitDeclarations())
}, 120_000)

describe('the public API', () => {
  it('is the one in api/ and docs/reference/api; npm run api writes both', async () => {
    const files = formatApi(entries)
    for (const [path, text] of files) {
      await expect(text, path).toMatchFileSnapshot(`../${path}`)
    }
    expect(listApiFiles().filter((path) => !files.has(path))).toEqual([])
  })

  it('documents every export with a sentence', () => {
    const silent = entries.flatMap(({ specifier, exports }) =>
      exports
        .filter(({ summary }) => !/\w.*\w/.test(summary))
        .map(({ name }) => `${specifier} ${name}`),
    )
    expect(silent).toEqual([])
    expect(entries.filter(({ about }) => about === '' || about.startsWith('export'))).toEqual([])
  })

  it('mentions in its signatures only what an entry exports', () => {
    const exported = new Set(entries.flatMap(({ exports }) => exports.map(({ id }) => id)))
    const hidden = entries
      .flatMap((entry) => listHidden(entry))
      .filter(({ mentions }) => !exported.has(mentions))
    const unexplained = hidden.filter(({ mentions }) => KEPT_INSIDE[mentions] === undefined)
    expect(unexplained.map(({ entry, name, mentions }) => `${entry} ${name}: ${mentions}`)).toEqual(
      [],
    )
    const found = new Set(hidden.map(({ mentions }) => mentions))
    expect(Object.keys(KEPT_INSIDE).filter((id) => !found.has(id))).toEqual([])
  })

  it('exports at run time what the declarations say', { timeout: 120_000 }, async () => {
    const { exports } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as { readonly exports: Readonly<Record<string, { readonly 'waymark-source': string }>> }
    for (const entry of entries) {
      const path = entry.name === 'waymark' ? '.' : `./${entry.name}`
      const source = exports[path]?.['waymark-source']
      const module = await import(new URL(`../${source}`, import.meta.url).href)
      const values = entry.exports.filter(({ kind }) => !['interface', 'type'].includes(kind))
      expect(values.map(({ name }) => name).sort(), entry.name).toEqual(Object.keys(module).sort())
    }
  })
})

describe('reading declarations', () => {
  const files = new Map([
    ['entry.d.ts', `export { make, type Options as MakeOptions } from './make.ts';`],
    [
      'make.d.ts',
      `import type { Schema } from './schema.ts';
import type { Server } from 'node:http';
import { Base as Parent } from './schema.ts';
/**
 * How it is made. More about
 * that.
 */
export interface Options<T> extends Parent {
    /** Its name. As it is shown. */
    readonly name: T;
    readonly server: Server;
}
/** Makes it. */
export declare function make(options: Options<string>): Schema;
/** Makes it from text. */
export declare function make(text: string): typeof DEFAULT;
declare const DEFAULT: unique symbol;
export {};
`,
    ],
    ['schema.d.ts', 'export interface Schema {}\nexport interface Base {}\n'],
  ])
  const exports = readExports('entry.d.ts', createSources(files))

  it('follows a name to its declaration', () => {
    expect(exports.map(({ name, kind, id }) => [name, kind, id])).toEqual([
      ['MakeOptions', 'interface', 'make.d.ts#Options'],
      ['make', 'function', 'make.d.ts#make'],
    ])
  })

  it('keeps the first sentence of a comment, and every overload', () => {
    expect(exports.map(({ summary }) => summary)).toEqual(['How it is made.', 'Makes it.'])
    expect(exports[0]?.text).toBe(`interface Options<T> extends Parent {
  /** Its name. */
  readonly name: T
  readonly server: Server
}`)
    expect(exports[1]?.text).toBe(`function make(options: Options<string>): Schema
function make(text: string): typeof DEFAULT`)
  })

  it('finds what is mentioned and cannot be imported', () => {
    const hidden = listHidden({ name: 'entry', specifier: 'entry', about: '', exports })
    expect(hidden.map(({ name, mentions }) => `${name}: ${mentions}`)).toEqual([
      'MakeOptions: schema.d.ts#Base',
      'make: make.d.ts#DEFAULT',
      'make: schema.d.ts#Schema',
    ])
  })
})
