import type { App } from 'waymark'
import { createToolApi, type Tool, type ToolContentBlock } from '../../src/entries/tools.ts'

/** Longer than any line. */
export const LONG_NAME = `tool_${'x'.repeat(180)}`

/** Tools that a page does not expect, and the bodies of the calls made to them. */
export interface Oddities {
  readonly app: App
  readonly calls: readonly string[]
}

const MANUAL = [
  'מזג האוויר, see [docs](https://example.com/docs).',
  '# Manual',
  'Or https://example.com/x?y=1. Not [bad](javascript:alert(1)).',
  '1. one\n2. two',
  '```json\n{"a": 1}\n{"b": 2}\n```',
].join('\n\n')

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties })

const TOOLS: readonly Tool[] = [
  { name: 'echo', description: 'Says it again.', inputSchema: object({ id: { type: 'integer' } }) },
  { name: 'slow', description: 'Takes its time.' },
  { name: 'log', description: 'A long text.' },
  { name: 'report', description: 'A file and a text.' },
  {
    name: 'upload',
    description: 'Takes a file.',
    inputSchema: {
      ...object({ scan: { type: 'string', contentEncoding: 'base64' } }),
      required: ['scan'],
    },
  },
  {
    name: 'login',
    description: 'Has a secret.',
    inputSchema: object({
      user: { type: 'string' },
      password: { type: 'string', format: 'password' },
    }),
  },
  { name: 'wide', description: 'Many columns.' },
  { name: 'Übersicht', description: 'Größe.' },
  { name: 'photo\u202egnp.exe', description: 'Pretends to be a picture.' },
  { name: 'manual', description: MANUAL },
  { name: 'novel', description: '**never** ends '.repeat(20_000) },
  {
    name: LONG_NAME,
    description: 'w'.repeat(300),
    inputSchema: {
      ...object({
        ['f'.repeat(150)]: {
          type: 'string',
          description: 'd'.repeat(300),
          pattern: 'p'.repeat(300),
        },
        choice: { enum: ['o'.repeat(200)], description: 'c'.repeat(200) },
      }),
      required: ['f'.repeat(150)],
    },
  },
  { name: 'loop', description: 'Is made of itself.', inputSchema: { allOf: [{ $ref: '#' }] } },
  {
    name: 'twisted',
    description: 'No schema at all.',
    inputSchema: { type: 'object', properties: { a: { enum: 5 } }, required: ['a'] },
  },
]

const WIDE = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`column_${at}`, at]))

const ANSWERS: Readonly<Record<string, readonly ToolContentBlock[]>> = {
  log: [{ type: 'text', text: 'x'.repeat(99).concat('\n').repeat(30_000) }],
  wide: [{ type: 'text', text: JSON.stringify([WIDE]) }],
  report: [
    {
      type: 'resource',
      resource: {
        uri: 'file:///srv/report.pdf',
        mimeType: 'application/pdf',
        blob: Buffer.from('%PDF-1.4').toString('base64'),
      },
    },
    { type: 'resource', resource: { uri: 'file:///srv/a.txt', text: 'two\nlines' } },
  ],
}

const BROKEN_SCHEMAS: readonly unknown[] = [
  false,
  { type: 5 },
  { properties: null },
  { type: 'object', properties: { a: null, b: 5, c: [] } },
  { required: 'x' },
  { required: [5, null, 'toString', '__proto__'] },
  { oneOf: 5 },
  { anyOf: [null, 5, { type: 'string' }] },
  { allOf: 'x' },
  { $ref: 5 },
  { enum: {} },
  { type: 'object', title: {}, description: 5 },
  {
    type: 'object',
    properties: { a: { type: 'string', description: {}, format: 7, pattern: {}, examples: 'x' } },
  },
  { type: 'array', prefixItems: 5, items: 'x' },
  { type: 'object', properties: { a: { oneOf: [{ $ref: '#' }, { $ref: '#' }] } }, required: ['a'] },
]

/** Serves one tool for each way in which a schema can be none; their number is in `count`. */
export function createBroken(): { readonly app: App; readonly count: number } {
  const tools = BROKEN_SCHEMAS.map((inputSchema, at) => ({ name: `broken_${at}`, inputSchema }))
  const app = createToolApi({
    tools: tools as readonly Tool[],
    allowExecute: true,
    log: { warn() {}, error() {} },
    call: () => [[], false],
  })
  return { app, count: tools.length }
}

/** Serves tools with every oddity that a page should survive. */
export function createOddities(): Oddities {
  const calls: string[] = []
  const app = createToolApi({
    tools: TOOLS,
    allowExecute: true,
    log: { warn() {}, error() {} },
    call: async (name, _args, request) => {
      const body = Buffer.from(request.body).toString()
      calls.push(body)
      if (name === 'slow') await new Promise((resolve) => setTimeout(resolve, 1_500))
      return [ANSWERS[name] ?? [{ type: 'text', text: body }], false]
    },
  })
  return { app, calls }
}
