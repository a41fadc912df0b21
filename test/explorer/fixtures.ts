import type { App } from 'waymark'
import {
  createToolApi,
  type Tool,
  type ToolApiOptions,
  type ToolCallHandler,
} from '../../src/entries/tools.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Markup that would run in a page that trusted it. */
export const EVIL = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'`

const FORM: Tool['inputSchema'] = {
  type: 'object',
  required: ['city', 'days', 'unit', 'orphan', 'nested'],
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    days: { type: 'integer', minimum: 1, default: 3 },
    unit: { enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    nested: {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', default: 'x' } },
    },
    hourly: { type: 'boolean', default: true },
    note: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    area: {
      oneOf: [
        {
          title: 'Circle',
          type: 'object',
          required: ['radius'],
          properties: { radius: { type: 'number' } },
        },
        { title: 'Name', type: 'string' },
      ],
    },
    extra: { type: 'object', additionalProperties: { type: 'number' } },
  },
}

/** Tools that show one thing each. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'weather',
    description: 'Forecast for a city.',
    inputSchema: FORM,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object' },
    annotations: { idempotentHint: true, openWorldHint: true },
  },
  { name: 'wipe', description: 'Deletes records.', annotations: { destructiveHint: true } },
  { name: 'boom', description: 'Always fails.' },
  { name: 'slow', description: 'Takes its time.' },
  { name: 'picture', description: 'Draws a picture.' },
  { name: 'rows', description: 'Lists rows.' },
  { name: "it's", description: 'A name with a quote.', inputSchema: { type: 'object' } },
  {
    name: `evil ${EVIL}`,
    description: EVIL,
    inputSchema: {
      type: 'object',
      required: [EVIL],
      properties: { [EVIL]: { type: 'string', title: EVIL, description: EVIL, enum: [EVIL, 'b'] } },
    },
    annotations: { title: EVIL, readOnlyHint: true },
  },
]

const ANSWERS: Readonly<Record<string, ToolCallHandler>> = {
  boom: () => [[{ type: 'text', text: 'out of paper' }], true],
  slow: async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    return [[{ type: 'text', text: 'done' }], false]
  },
  picture: () => [[{ type: 'image', mimeType: 'image/png', data: PIXEL }], false],
  rows: () => [[{ type: 'text', text: '[{"id":1,"name":"a"},{"id":2,"name":"b"}]' }], false],
}

/** Answers for the tools above; what has no answer of its own says its arguments again. */
export const callTool: ToolCallHandler = (name, args, request) => {
  const answer = ANSWERS[name]
  if (answer !== undefined) return answer(name, args, request)
  if (name.startsWith('evil')) return evilAnswer
  return [[{ type: 'text', text: JSON.stringify(args) }], false, 'tr_1']
}

const evilAnswer = [
  [
    { type: 'text', text: EVIL },
    { type: 'text', text: JSON.stringify({ [EVIL]: [EVIL] }) },
    { type: 'image', mimeType: `image/png${EVIL}`, data: PIXEL },
    {
      type: 'image',
      mimeType: 'image/svg+xml',
      data: Buffer.from('<svg onload="window.pwned=1"/>').toString('base64'),
    },
    { type: 'image', mimeType: 'image/png', data: EVIL },
    { type: 'resource_link', uri: 'javascript:window.pwned=1', title: EVIL },
    { type: EVIL, [EVIL]: EVIL },
  ],
  false,
] as const

/** The tools above behind a tool API. */
export function createFixture(options: Partial<ToolApiOptions> = {}): App {
  const log = { warn() {}, error() {} }
  return createToolApi({ tools: TOOLS, call: callTool, allowExecute: true, log, ...options })
}

/** So many tools that no page can draw them all. */
export function createCrowd(count: number): App {
  const tools = Array.from({ length: count }, (_, at) => ({
    name: `group${at % 40}.tool_${at}`,
    description: `Does thing number ${at} for whoever asks.`,
    annotations: { readOnlyHint: at % 3 === 0 },
  }))
  return createFixture({ tools })
}
