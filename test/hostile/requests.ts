/** A Forrst request that uses every member of the envelope. */
export const ENVELOPE = {
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'req_1',
  call: { function: 'trees.find', version: '1.0.0', arguments: { row: 'a', limit: 3 } },
  context: {
    caller: 'hostile',
    trace_id: 'trace',
    span_id: 'span',
    parent_span_id: 'parent',
    tenant_id: 't1',
    user_id: 'u1',
    metadata: { any: ['thing'] },
  },
}

/** Options of each extension, with every member it reads. */
export const EXTENSION_OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  async: { preferred: false, callback_url: 'https://hooks.example/a' },
  'atomic-lock': {
    key: 'one',
    ttl: { value: 5, unit: 'second' },
    block: { value: 0, unit: 'second' },
    owner: 'me',
    scope: 'function',
    auto_release: true,
  },
  caching: { if_none_match: '"a"', if_modified_since: '2026-01-01T00:00:00Z' },
  cancellation: { token: 'stop-1' },
  deadline: { value: 5, unit: 'second' },
  deprecation: { acknowledge: ['urn:forrst:deprecation:1'] },
  diagnostics: { include: ['timing'] },
  'dry-run': { enabled: true, include_diff: true, include_side_effects: true },
  idempotency: { key: 'once', ttl: { value: 5, unit: 'minute' } },
  locale: {
    language: 'de-DE',
    fallback: ['en'],
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    accept_language: 'de;q=0.9, en',
  },
  maintenance: {},
  priority: { level: 'high', reason: 'Now.' },
  query: {
    filters: {
      self: [
        { attribute: 'kind', operator: 'equals', value: 'oak', boolean: 'and' },
        { attribute: 'kind', operator: 'in', value: ['oak', 'elm'] },
      ],
    },
    sorts: [{ attribute: 'kind', direction: 'desc' }],
    fields: { self: ['kind'] },
    relationships: ['owner'],
    pagination: { limit: 2, offset: 0 },
  },
  quota: { include: ['requests'] },
  'rate-limit': { scope: 'function' },
  redact: { mode: 'partial', fields: ['kind'], purpose: 'Test.' },
  replay: {
    enabled: true,
    priority: 'low',
    ttl: { value: 5, unit: 'minute' },
    callback: { url: 'https://hooks.example/r', headers: { 'x-one': 'two' }, include_result: true },
  },
  retry: {},
  simulation: { enabled: true, scenario: 'found', list_scenarios: false },
  stream: { accept: false },
  tracing: {
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    span_id: 'b7ad6b7169203331',
    parent_span_id: '00f067aa0ba902b7',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    baggage: { one: 'two' },
  },
  webhook: {
    callback_url: 'https://hooks.example/w',
    events: ['tree.planted'],
    signature_version: 'v1',
  },
}

/** System functions, with every argument they read. */
export const SYSTEM_CALLS: readonly (readonly [name: string, input: object])[] = [
  ['urn:cline:forrst:fn:health', { component: 'store', include_details: true }],
  [
    'urn:cline:forrst:fn:describe',
    { function: 'trees.find', version: '1.0.0', include_schema: true },
  ],
  ['urn:cline:forrst:ext:discovery:fn:describe', { function: 'trees.find', version: '1.0.0' }],
  ['urn:cline:forrst:ext:discovery:fn:capabilities', { extra: 1 }],
  ['urn:cline:forrst:ext:atomic-lock:fn:status', { key: 'one' }],
  ['urn:cline:forrst:ext:atomic-lock:fn:release', { key: 'one', owner: 'me' }],
  ['urn:cline:forrst:ext:async:fn:status', { operation_id: 'op_1' }],
  [
    'urn:cline:forrst:ext:async:fn:list',
    { status: 'pending', function: 'a.b', limit: 3, cursor: 'c' },
  ],
  ['urn:cline:forrst:ext:async:fn:cancel', { operation_id: 'op_1' }],
  ['urn:cline:forrst:ext:cancellation:fn:cancel', { token: 'stop-1' }],
]

const META = {
  progressToken: 'p',
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { sampling: {}, elicitation: { form: {} } },
}

interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>> & { readonly name?: string }
}

function ask(method: string, params: Message['params']): Message {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
}

/** MCP messages of clients, with every member that is read. */
export const MCP_MESSAGES: readonly Message[] = [
  ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { sampling: {}, roots: { listChanged: true }, elicitation: {} },
    clientInfo: { name: 'a', version: '1', title: 'A' },
  }),
  ask('server/discover', {}),
  ask('tools/list', { cursor: 'c' }),
  ask('tools/call', {
    name: 'trees__find',
    arguments: { row: 'a', limit: 2 },
    task: { ttl: 1000 },
  }),
  ask('resources/list', { cursor: 'c' }),
  ask('resources/read', { uri: 'waymark://x' }),
  ask('prompts/get', { name: 'p', arguments: { a: 'b' } }),
  ask('completion/complete', {
    ref: { type: 'ref/prompt', name: 'p' },
    argument: { name: 'a', value: 'b' },
    context: { arguments: { c: 'd' } },
  }),
  ask('logging/setLevel', { level: 'debug' }),
  ask('tasks/get', { taskId: 't' }),
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'r' } },
  {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 1, progress: 1, total: 2 },
  },
]
