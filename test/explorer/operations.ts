import type { HttpRequest, HttpResponse } from 'waymark'

const OPERATIONS = [
  {
    id: 'op_01J9ZKV6',
    function: 'reports.attendance',
    version: '1.0.0',
    status: 'processing',
    progress: 0.62,
    started_at: '2026-11-15T09:41:20Z',
    message: 'Reading registrations',
  },
  {
    id: 'op_01J9ZKT2',
    function: 'events.schedule',
    version: '2.1.0',
    status: 'pending',
    started_at: '2026-11-15T09:41:02Z',
  },
  {
    id: 'op_01J9ZJ8Q',
    function: 'reports.attendance',
    version: '1.0.0',
    status: 'completed',
    started_at: '2026-11-15T09:32:45Z',
  },
  {
    id: 'op_01J9ZHC4',
    function: 'events.archive',
    version: '1.0.0',
    status: 'failed',
    started_at: '2026-11-15T09:20:11Z',
    message: 'Event is still running',
  },
]

const ANSWERS: Readonly<Record<string, (args: Record<string, unknown>) => unknown>> = {
  'urn:cline:forrst:fn:capabilities': () => ({
    service: 'events-api',
    protocol_versions: ['0.1.0'],
    extensions: [{ urn: 'urn:forrst:ext:async' }],
    functions: [],
  }),
  'urn:cline:forrst:ext:async:fn:list': ({ status }) => ({
    operations: OPERATIONS.filter(
      (operation) => status === undefined || operation.status === status,
    ),
    next_cursor: null,
  }),
}

/** Answers for the async functions of a service, with operations that stand still so that a test can look at them. */
export function answerOperations(request: HttpRequest): HttpResponse | undefined {
  if (request.path !== '/forrst' || request.method !== 'POST') return undefined
  const { id, call } = JSON.parse(new TextDecoder().decode(request.body)) as {
    id: string
    call: { function: string; arguments?: Record<string, unknown> }
  }
  const answer = ANSWERS[call.function]
  if (answer === undefined) return undefined
  const body = {
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    result: answer(call.arguments ?? {}),
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
