import { DOT_PATH, DOT_TEXT, IDS, toDot } from './service.ts'
import type { Answer, Feature, Send } from './surfaces.ts'

const QUERY = 'urn:forrst:ext:query'
const [UNKNOWN, BUSY, THIRD] = IDS

interface QueryCase {
  readonly title: string
  /** Options of the extension, as Forrst writes them. */
  readonly options: object
  /** The query string of REST. */
  readonly rest: string
  /** Parameters of a tool. */
  readonly tool: object
  /** What the method `query` of a generated client takes. */
  readonly generated: object
  readonly gives: Answer
}

const ids = (...found: readonly string[]) => ({ data: found.map((id) => ({ id })) })

const QUERIES: readonly QueryCase[] = [
  {
    title: 'filter by a value',
    options: {
      filters: { self: [{ attribute: 'status', operator: 'equals', value: 'closed' }] },
    },
    rest: 'filter[status]=closed',
    tool: { filter: { status: 'closed' } },
    generated: { where: { status: 'closed' } },
    gives: { result: ids(BUSY) },
  },
  {
    title: 'filter with an operator',
    options: {
      filters: { self: [{ attribute: 'total', operator: 'greater_than', value: 5 }] },
    },
    rest: 'filter[total][greater_than]=5',
    tool: { filter: { total: { greater_than: 5 } } },
    generated: { where: { total: { gt: 5 } } },
    gives: { result: ids(BUSY, THIRD) },
  },
  {
    title: 'filter with conditions joined by "or"',
    options: {
      filters: {
        self: [
          { attribute: 'status', operator: 'equals', value: 'closed' },
          { attribute: 'total', operator: 'less_than', value: 6, boolean: 'or' },
        ],
      },
    },
    rest: 'filter[status]=closed&filter[or][total][less_than]=6',
    tool: { filter: { status: 'closed', or: { total: { less_than: 6 } } } },
    generated: {
      filters: [
        { attribute: 'status', operator: 'eq', value: 'closed' },
        { attribute: 'total', operator: 'lt', value: 6, boolean: 'or' },
      ],
    },
    gives: { result: ids(UNKNOWN, BUSY) },
  },
  {
    title: 'filter by a relationship',
    options: {
      filters: { customer: [{ attribute: 'country', operator: 'equals', value: 'FI' }] },
    },
    rest: 'filter[customer.country]=FI',
    tool: { filter: { 'customer.country': 'FI' } },
    generated: {},
    gives: { result: ids(UNKNOWN) },
  },
  {
    title: 'sort',
    options: { sorts: [{ attribute: 'total', direction: 'desc' }] },
    rest: 'sort=-total',
    tool: { sort: ['-total'] },
    generated: { sorts: ['-total'] },
    gives: { result: ids(THIRD, BUSY, UNKNOWN) },
  },
  {
    title: 'page',
    options: { pagination: { limit: 1, offset: 1 } },
    rest: 'page[limit]=1&page[offset]=1',
    tool: { page: { limit: 1, offset: 1 } },
    generated: { pagination: { limit: 1, offset: 1 } },
    gives: {
      result: { ...ids(BUSY), meta: { pagination: { limit: 1, offset: 1, has_more: true } } },
    },
  },
  {
    title: 'select fields',
    options: { fields: { self: ['total'] }, pagination: { limit: 1 } },
    rest: 'fields[self]=total&page[limit]=1',
    tool: { fields: { self: ['total'] }, page: { limit: 1 } },
    generated: { fields: ['total'], pagination: { limit: 1 } },
    gives: { result: { data: [{ id: UNKNOWN, attributes: { total: 5 } }] } },
  },
  {
    title: 'include relationships',
    options: { relationships: ['customer'], pagination: { limit: 1 } },
    rest: 'include=customer&page[limit]=1',
    tool: { include: ['customer'], page: { limit: 1 } },
    generated: { relationships: ['customer'], pagination: { limit: 1 } },
    gives: { result: { included: [{ type: 'customer', id: 'ann' }] } },
  },
  {
    title: 'refuse an attribute that cannot be filtered by',
    options: { filters: { self: [{ attribute: 'stats', operator: 'equals', value: 'x' }] } },
    rest: 'filter[stats]=x',
    tool: { filter: { stats: 'x' } },
    generated: { where: { stats: 'x' } },
    gives: { error: { code: 'INVALID_ARGUMENTS' } },
  },
]

const RELATED_FILTERS =
  'seed 000: `filters.allowed` lists "Filterable field names", none of relationships; a generated client knows the document only'

function toQueryFeature({ title, options, rest, tool, generated, gives }: QueryCase): Feature {
  const extensions = [{ urn: QUERY, options }]
  return {
    title: `query: ${title}`,
    gives,
    sends: {
      forrst: { function: 'tickets.list', extensions },
      rest: { request: `GET /api/tickets.list?${rest}` },
      mcp: { name: 'tickets__list', arguments: tool },
      tools: { tool: 'tickets.list', body: tool },
      client: { method: 'call', rest: ['tickets.list', {}, { extensions }] },
      generated:
        Object.keys(generated).length === 0
          ? { reason: RELATED_FILTERS }
          : { path: ['tickets', 'list', 'query'], rest: [generated] },
      cli: ['tickets.list', '--extension', `query=${JSON.stringify(options)}`],
    },
  }
}

interface PlainCase {
  readonly title: string
  readonly function: string
  readonly version?: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly extensions?: readonly { readonly urn: string; readonly options: object }[]
  readonly headers?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly clientOptions?: object
  readonly flags?: readonly string[]
  readonly gives: Answer
  readonly but?: Partial<Feature['sends']>
}

function toFeature(plain: PlainCase): Feature {
  const { version, extensions = [], headers = {}, meta = {}, flags = [], clientOptions } = plain
  const given = plain.arguments ?? {}
  const tool = plain.function.replaceAll('.', '__')
  const pinned = version === undefined ? tool : `${tool}_v${version.replaceAll('.', '_')}`
  const name = version === undefined ? plain.function : `${plain.function}@${version}`
  const options = { ...(version && { version }), ...(clientOptions ?? { extensions }) }
  const [group = '', member = ''] = plain.function.split('.')
  const words = Object.entries(given).map(([key, value]) => `${key}=${String(value)}`)
  return {
    title: plain.title,
    gives: plain.gives,
    sends: {
      forrst: { function: plain.function, version, arguments: given, extensions },
      rest: { request: `POST /api/${name}`, body: given, headers },
      mcp: { name: pinned, arguments: given, meta },
      tools: { tool: name, body: given, headers },
      client: { method: 'call', rest: [plain.function, given, options] },
      generated: {
        path: [group, member, ...(version === undefined ? [] : [`v${version.split('.')[0]}`])],
        rest: [given, clientOptions ?? { extensions }],
      },
      cli: [plain.function, ...words, ...(version ? ['--version', version] : []), ...flags],
      ...plain.but,
    },
  }
}

const STREAMED: Readonly<Record<string, Send>> = {
  forrst: {
    function: 'tickets.watch',
    extensions: [{ urn: 'urn:forrst:ext:stream', options: { accept: true } }],
  },
  rest: { request: 'POST /api/tickets.watch', headers: { accept: 'application/jsonl' } },
  mcp: { name: 'tickets__watch', arguments: {}, meta: { progressToken: 'parity' } },
  tools: { tool: 'tickets.watch', body: {}, headers: { accept: 'text/event-stream' } },
  client: { method: 'stream', rest: ['tickets.watch'] },
  generated: { path: ['tickets', 'watch', 'stream'], rest: [] },
  cli: ['tickets.watch', '--stream', '--json'],
}

/** Every feature of a call, and how each surface is asked for it. */
export const FEATURES: readonly Feature[] = [
  toFeature({
    title: 'arguments and result',
    function: 'tickets.get',
    arguments: { id: THIRD },
    gives: { result: { id: THIRD, version: '2.0.0' } },
  }),
  {
    title: 'arguments in a query string',
    gives: { result: [{ id: THIRD }] },
    sends: {
      rest: { request: 'GET /api/tickets.list?least=15' },
      ...same('HTTP alone has query strings: RFC 9110, 4.1, "the query component"'),
    },
  },
  toFeature({
    title: 'an argument that the function does not have',
    function: 'tickets.get',
    arguments: { id: THIRD, idd: 'x' },
    gives: { error: { code: 'INVALID_ARGUMENTS' } },
  }),
  toFeature({
    title: 'formats of arguments',
    function: 'tickets.get',
    arguments: { id: 'no uuid' },
    gives: { error: { code: 'INVALID_ARGUMENTS' } },
  }),
  ...QUERIES.map(toQueryFeature),
  toFeature({
    title: 'another version',
    function: 'tickets.get',
    version: '1.0.0',
    arguments: { id: THIRD },
    gives: { result: { id: THIRD, version: '1.0.0' } },
  }),
  toFeature({
    title: 'a removed version',
    function: 'tickets.get',
    version: '0.9.0',
    arguments: { id: THIRD },
    gives: { error: { code: 'VERSION_NOT_FOUND' } },
    but: {
      mcp: {
        name: 'tickets__get',
        arguments: { id: THIRD },
        meta: { 'waymark/version': '0.9.0' },
      },
      tools: { reason: 'seed 002: a tool that is not there is answered with 404 "Tool not found"' },
      generated: {
        reason:
          'a client is generated from the discovery document, which leaves removed versions out (seed 001)',
      },
    },
  }),
  toFeature({
    title: 'a declared error with details',
    function: 'tickets.get',
    arguments: { id: UNKNOWN },
    gives: {
      error: {
        code: 'TICKETS_UNKNOWN',
        message: 'There is no such ticket',
        details: { id: UNKNOWN },
      },
    },
  }),
  toFeature({
    title: 'an error that says when to try again',
    function: 'tickets.get',
    arguments: { id: BUSY },
    gives: {
      error: { code: 'TICKETS_BUSY', details: { retry_after: { value: 7, unit: 'second' } } },
    },
  }),
  toFeature({
    title: 'deadline',
    function: 'tickets.slow',
    extensions: [{ urn: 'urn:forrst:ext:deadline', options: { value: 50, unit: 'millisecond' } }],
    headers: { 'waymark-deadline': '50ms' },
    meta: { 'waymark/deadline': { value: 50, unit: 'millisecond' } },
    flags: ['--extension', 'deadline={"value":50,"unit":"millisecond"}'],
    gives: { error: { code: 'DEADLINE_EXCEEDED' } },
  }),
  ...(['first', 'second'] as const).map((round) =>
    toFeature({
      title: `idempotency key, ${round} time`,
      function: 'tickets.close',
      arguments: { id: 'once' },
      extensions: [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'close-once' } }],
      headers: { 'idempotency-key': 'close-once' },
      meta: { 'waymark/idempotency-key': 'close-once' },
      clientOptions: { idempotencyKey: 'close-once' },
      flags: ['--idempotency-key', 'close-once'],
      // One key, one outcome, whichever surface it comes over.
      gives: { result: { id: 'once', times: 1 } },
    }),
  ),
  toFeature({
    title: 'dry run',
    function: 'tickets.close',
    arguments: { id: 'dry' },
    extensions: [{ urn: 'urn:forrst:ext:dry-run', options: { enabled: true } }],
    headers: { 'waymark-dry-run': 'true' },
    meta: { 'waymark/dry-run': true },
    flags: ['--dry-run'],
    gives: { extension: { valid: true, would_affect: [{ type: 'ticket', id: 'dry' }] } },
    but: {
      generated: {
        path: ['tickets', 'close', 'safe'],
        rest: [
          { id: 'dry' },
          { extensions: [{ urn: 'urn:forrst:ext:dry-run', options: { enabled: true } }] },
        ],
      },
    },
  }),
  toFeature({
    title: 'simulation',
    function: 'tickets.close',
    arguments: { id: 'real' },
    extensions: [
      { urn: 'urn:forrst:ext:simulation', options: { enabled: true, scenario: 'done' } },
    ],
    headers: { 'waymark-simulation': 'done' },
    meta: { 'waymark/simulation': 'done' },
    flags: ['--simulate', 'done'],
    gives: { result: { id: 'simulated', times: 1 } },
  }),
  toFeature({
    title: 'locale',
    function: 'tickets.about',
    extensions: [{ urn: 'urn:forrst:ext:locale', options: { language: 'de' } }],
    headers: { 'accept-language': 'de' },
    meta: { 'waymark/locale': 'de' },
    flags: ['--extension', 'locale={"language":"de"}'],
    gives: { result: { language: 'de' } },
  }),
  toFeature({
    title: 'trace',
    function: 'tickets.about',
    extensions: [
      {
        urn: 'urn:forrst:ext:tracing',
        options: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) },
      },
    ],
    headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    flags: [
      '--extension',
      `tracing={"trace_id":"${'a'.repeat(32)}","span_id":"${'b'.repeat(16)}"}`,
    ],
    gives: { result: { trace: 'a'.repeat(32) } },
  }),
  toFeature({
    title: 'an extension that the function refuses',
    function: 'tickets.about',
    extensions: [{ urn: 'urn:forrst:ext:dry-run', options: { enabled: true } }],
    headers: { 'waymark-dry-run': 'true' },
    meta: { 'waymark/dry-run': true },
    flags: ['--dry-run'],
    gives: { error: { code: 'EXTENSION_NOT_APPLICABLE' } },
  }),
  toFeature({
    title: 'any other extension',
    function: 'tickets.report',
    extensions: [{ urn: 'urn:forrst:ext:priority', options: { level: 'high' } }],
    headers: {
      'waymark-extensions': '[{"urn":"urn:forrst:ext:priority","options":{"level":"high"}}]',
    },
    meta: {
      'waymark/extensions': [{ urn: 'urn:forrst:ext:priority', options: { level: 'high' } }],
    },
    flags: ['--extension', 'priority={"level":"high"}'],
    gives: { result: { pages: 3 } },
  }),
  {
    title: 'stream of items',
    gives: { items: IDS.map((id) => ({ id })) },
    sends: STREAMED as unknown as Feature['sends'],
  },
  {
    title: 'background run',
    gives: { result: { pages: 3 } },
    sends: {
      forrst: {
        function: 'tickets.report',
        extensions: [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }],
      },
      rest: { request: 'POST /api/tickets.report', headers: { prefer: 'respond-async' } },
      mcp: {
        name: 'tickets__report',
        arguments: {},
        task: true,
        since: '2025-11-25',
        reason: '"Tasks were introduced in version 2025-11-25 of the MCP specification"',
      },
      tools: { tool: 'tickets.report', body: {}, headers: { prefer: 'respond-async' } },
      client: { method: 'start', rest: ['tickets.report'] },
      generated: { path: ['tickets', 'report', 'start'], rest: [] },
      cli: ['tickets.report', '--wait', '--json'],
    },
  },
  {
    title: 'a method and path of its own',
    gives: { result: { id: THIRD, version: '2.0.0' } },
    sends: filled(
      { rest: { request: `GET /api/tickets/${THIRD}` } },
      'only HTTP has methods: RFC 9110, 9.1',
    ),
  },
  toFeature({
    title: 'a file as argument',
    function: 'tickets.attach',
    arguments: { id: '7', photo: DOT_TEXT },
    gives: { result: { id: '7', name: 'dot.png', type: 'image/png', size: 70 } },
    but: {
      rest: { request: 'POST /api/tickets.attach', form: { id: '7', photo: toDot() } },
      client: { method: 'call', rest: ['tickets.attach', { id: '7', photo: toDot() }] },
      generated: { path: ['tickets', 'attach'], rest: [{ id: '7', photo: toDot() }] },
      cli: ['tickets.attach', 'id="7"', `photo=@${DOT_PATH}`],
    },
  }),
  toFeature({
    title: 'a file as the body',
    function: 'tickets.attach',
    gives: { result: { id: '7', name: 'dot.png', type: 'image/png', size: 70 } },
    but: {
      rest: {
        request: 'POST /api/tickets.attach?id=7',
        file: toDot(),
        headers: { 'content-disposition': 'attachment; filename="dot.png"' },
      },
      ...same('HTTP alone has bodies of any type: RFC 9110, 8.3, "Content-Type"'),
    },
  }),
  toFeature({
    title: 'a file of a type that is not taken',
    function: 'tickets.attach',
    arguments: { id: '7', photo: 'data:text/html;base64,PGI+' },
    gives: { error: { code: 'INVALID_ARGUMENTS' } },
  }),
  toFeature({
    title: 'a file as result',
    function: 'tickets.photo',
    gives: { result: DOT_TEXT },
  }),
]

function same(reason: string): Omit<Feature['sends'], 'rest'> {
  const cell = { reason }
  return { forrst: cell, mcp: cell, tools: cell, client: cell, generated: cell, cli: cell }
}

function filled(sends: Partial<Feature['sends']>, why: number | string): Feature['sends'] {
  const cell = typeof why === 'number' ? { issue: why } : { reason: why }
  return {
    ...same(''),
    rest: cell,
    forrst: cell,
    mcp: cell,
    tools: cell,
    client: cell,
    generated: cell,
    cli: cell,
    ...sends,
  }
}
