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
