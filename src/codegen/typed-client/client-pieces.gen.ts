/* Made from src/codegen/typed-client/parts by test/codegen/client-pieces.test.ts; run it with -u to make it anew. */

import type { RuntimePiece } from '../runtime-pieces.gen.ts'

/** Every declaration of the runtime, in the order it is printed. */
export const CLIENT_PIECES: Readonly<Record<string, RuntimePiece>> = {
  CallOptions: {
    uses: ["Duration","ExtensionEntry","RetryPolicy"],
    text: "/** How one call is made. */\ninterface CallOptions {\n  /** How long the whole call may take, retries included; the service is told what is left. */\n  readonly deadline?: Duration | undefined\n  /** Sent with every attempt, so that the service runs the call once; makes it safe to repeat. */\n  readonly idempotencyKey?: string | undefined\n  /** Business metadata that travels with the call. */\n  readonly context?: Readonly<Record<string, unknown>> | undefined\n  /** Further extension entries of the request. */\n  readonly extensions?: readonly ExtensionEntry[] | undefined\n  readonly signal?: AbortSignal | undefined\n  /** Changes to the retries of the client for this call; false never repeats it. */\n  readonly retry?: Partial<RetryPolicy> | false | undefined\n  /** Milliseconds to wait for one answer when there is no deadline. */\n  readonly timeoutMs?: number | undefined\n}",
  },
  Duration: {
    uses: [],
    text: "/** A length of time. */\ninterface Duration {\n  readonly value: number\n  readonly unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'\n}",
  },
  ExtensionEntry: {
    uses: [],
    text: "/** An extension of the protocol that a request makes use of. */\ninterface ExtensionEntry {\n  readonly urn: string\n  readonly options?: Readonly<Record<string, unknown>>\n}",
  },
  RetryPolicy: {
    uses: [],
    text: "/** How failed attempts are repeated. */\ninterface RetryPolicy {\n  /** Attempts in all, the first one included; 3 when absent. */\n  readonly maxAttempts: number\n  /** Milliseconds before the second attempt when the service says nothing; doubles each time; 250 when absent. */\n  readonly baseDelayMs: number\n  /** The client gives up rather than wait longer; 30000 when absent. */\n  readonly maxDelayMs: number\n}",
  },
  ErrorEntry: {
    uses: [],
    text: "/** One error of a failed call. */\ninterface ErrorEntry {\n  readonly code: string\n  readonly message: string\n  readonly details?: unknown\n  readonly source?: unknown\n}",
  },
  Answer: {
    uses: ["AnswerEntry","ErrorEntry"],
    text: "/** What a call comes to on the wire. */\ntype Answer =\n  | { readonly ok: true; readonly result: unknown; readonly extensions: readonly AnswerEntry[] }\n  | {\n      readonly ok: false\n      readonly errors: readonly [ErrorEntry, ...ErrorEntry[]]\n      readonly extensions: readonly AnswerEntry[]\n      readonly cause?: unknown\n    }",
  },
  AnswerEntry: {
    uses: [],
    text: "/** What an extension says in an answer. */\ninterface AnswerEntry {\n  readonly urn: string\n  readonly data?: Readonly<Record<string, unknown>>\n}",
  },
  WireOptions: {
    uses: ["CallOptions"],
    text: "/** Options of a call that the generated methods fill in. */\ninterface WireOptions extends CallOptions {\n  readonly version?: string | undefined\n  readonly readOnly?: boolean | undefined\n}",
  },
  Connection: {
    uses: ["Answer","WireOptions"],
    text: "/** A way to the service: failures are values, and nothing is thrown. */\ninterface Connection {\n  readonly call: (name: string, callArguments: unknown, options: WireOptions) => Promise<Answer>\n}",
  },
  Stream: {
    uses: ["StreamOptions","WireOptions"],
    text: "/** A way to calls that are answered in parts: gives the parts, returns the result, throws a ServiceError. */\ntype Stream = (\n  name: string,\n  callArguments: unknown,\n  options: WireOptions & Pick<StreamOptions, 'onProgress'>,\n) => AsyncGenerator<unknown, unknown, void>",
  },
  StreamOptions: {
    uses: ["CallOptions","StreamProgress"],
    text: "/** How a stream is read. */\ninterface StreamOptions extends CallOptions {\n  /** Told about progress, between the parts. */\n  readonly onProgress?: ((progress: StreamProgress) => void) | undefined\n}",
  },
  StreamProgress: {
    uses: [],
    text: "/** How far a stream is. */\ninterface StreamProgress {\n  readonly current?: number\n  readonly total?: number\n  readonly percent?: number\n  readonly message?: string\n}",
  },
  StreamEvent: {
    uses: [],
    text: "/** One event of a stream. */\ninterface StreamEvent {\n  readonly event: string\n  readonly data: unknown\n}",
  },
  ServiceError: {
    uses: ["ErrorEntry"],
    text: "/** Why a call failed: a code that the function declares, one of the protocol, or one starting with CLIENT_. */\nclass ServiceError extends Error {\n  readonly code: string\n  readonly details: unknown\n  /** Every finding; the first is the one in `code`, `message` and `details`. */\n  readonly errors: readonly [ErrorEntry, ...ErrorEntry[]]\n\n  constructor(errors: readonly [ErrorEntry, ...ErrorEntry[]], cause?: unknown) {\n    super(errors[0].message, { cause })\n    this.name = 'ServiceError'\n    this.code = errors[0].code\n    this.details = errors[0].details\n    this.errors = errors\n  }\n}",
  },
  toEntry: {
    uses: ["ErrorEntry"],
    text: "/** Reads one error of an answer, whatever stands there. */\nfunction toEntry(value: unknown): ErrorEntry {\n  const given: { readonly [member: string]: unknown } =\n    typeof value === 'object' && value !== null ? { ...value } : {}\n  const { code, message, details, source } = given\n  return {\n    code: typeof code === 'string' ? code : 'INTERNAL_ERROR',\n    message: typeof message === 'string' ? message : 'The call failed',\n    ...(details !== undefined && { details }),\n    ...(source !== undefined && { source }),\n  }\n}",
  },
  DeclaredError: {
    uses: ["ServiceError"],
    text: "/** An error that a function declares: `code` tells which, `details` has its type. */\ninterface DeclaredError<Code extends string, Details = unknown> extends ServiceError {\n  readonly code: Code\n  readonly details: Details\n}",
  },
  Outcome: {
    uses: ["ServiceError"],
    text: "/** What a call comes to; `declared` tells the errors of the function from everything else that can go wrong. */\ntype Outcome<Result, Declared> =\n  | { readonly ok: true; readonly result: Result }\n  | { readonly ok: false; readonly declared: true; readonly error: Declared }\n  | { readonly ok: false; readonly declared: false; readonly error: ServiceError }",
  },
  Method: {
    uses: ["Outcome"],
    text: "/** A function of the service. */\ninterface Method<Parameters extends readonly unknown[], Result, Declared> {\n  /** Gives the result, or throws a ServiceError. */\n  (...parameters: Parameters): Promise<Result>\n  /** Gives the result or the error, and throws nothing. */\n  readonly safe: (...parameters: Parameters) => Promise<Outcome<Result, Declared>>\n}",
  },
  Target: {
    uses: ["Connection"],
    text: "/** One version of a function, as it is called. */\ninterface Target {\n  readonly connection: Connection\n  readonly function: string\n  readonly version?: string\n  /** True when it changes nothing, so that it may be repeated. */\n  readonly readOnly?: boolean\n  /** Codes it declares. */\n  readonly codes: readonly string[]\n}",
  },
  createMethod: {
    uses: ["Answer","CallOptions","Target","toMethod","toWireOptions"],
    text: "/** Makes a function of the service callable, with further members. */\nfunction createMethod<Type>(\n  target: Target,\n  members: (target: Target) => Readonly<Record<string, unknown>> = () => ({}),\n): Type {\n  const run = (callArguments?: unknown, options?: CallOptions): Promise<Answer> =>\n    target.connection.call(target.function, callArguments, toWireOptions(target, options))\n  return toMethod(target, run, members(target))\n}",
  },
  createAnyMethod: {
    uses: ["Answer","CallOptions","Connection","toMethod"],
    text: "/** Makes the member that calls any function by its name, such as those of the system. */\nfunction createAnyMethod<Type>(connection: Connection): Type {\n  const run = (name: string, callArguments?: unknown, options: CallOptions = {}): Promise<Answer> =>\n    connection.call(name, callArguments, options)\n  return toMethod({ connection, function: '', codes: [] }, run)\n}",
  },
  toMethod: {
    uses: ["Answer","Outcome","ServiceError","Target","toOutcome","withMembers"],
    text: "/** Turns a way to call into a method that throws, with one beside it that does not. */\nfunction toMethod<Type>(\n  target: Target,\n  run: (...parameters: never[]) => Promise<Answer>,\n  members: Readonly<Record<string, unknown>> = {},\n): Type {\n  const safe = async (...parameters: never[]): Promise<Outcome<unknown, ServiceError>> =>\n    toOutcome(target, await run(...parameters))\n  const method = async (...parameters: never[]): Promise<unknown> => {\n    const outcome = await safe(...parameters)\n    if (outcome.ok) return outcome.result\n    throw outcome.error\n  }\n  return withMembers(method, { safe, ...members }) as Type\n}",
  },
  withMembers: {
    uses: [],
    text: "/** Adds members to a function, also those a plain assignment would refuse, such as `name`. */\nfunction withMembers(method: object, members: Readonly<Record<string, unknown>>): unknown {\n  for (const [key, value] of Object.entries(members)) {\n    Object.defineProperty(method, key, { value, enumerable: true, configurable: true })\n  }\n  return method\n}",
  },
  toWireOptions: {
    uses: ["CallOptions","Target","WireOptions"],
    text: "/** Completes the options of a call with what is known about the function. */\nfunction toWireOptions(\n  { version, readOnly }: Target,\n  options: CallOptions = {},\n): WireOptions {\n  return {\n    ...(version !== undefined && { version }),\n    ...(readOnly !== undefined && { readOnly }),\n    ...options,\n  }\n}",
  },
  withExtension: {
    uses: ["CallOptions"],
    text: "/** Adds an extension to the options of a call; whatever its options are, they are JSON. */\nfunction withExtension(\n  options: CallOptions,\n  entry: { readonly urn: string; readonly options: object },\n): CallOptions {\n  return { ...options, extensions: [...(options.extensions ?? []), entry as never] }\n}",
  },
  toOutcome: {
    uses: ["Answer","Outcome","ServiceError","Target"],
    text: "/** Sorts an answer into result, declared error and other error. */\nfunction toOutcome({ codes }: Target, answer: Answer): Outcome<unknown, ServiceError> {\n  if (answer.ok) return { ok: true, result: answer.result }\n  const error = new ServiceError(answer.errors, answer.cause)\n  return { ok: false, declared: codes.includes(error.code), error }\n}",
  },
  hasCode: {
    uses: ["ServiceError"],
    text: "/** Tells whether something thrown is a ServiceError with one of these codes. */\nfunction hasCode(thrown: unknown, codes: readonly string[]): boolean {\n  return thrown instanceof ServiceError && codes.includes(thrown.code)\n}",
  },
  Link: {
    uses: ["CallOptions","Method"],
    text: "/** A related call: takes a result and calls the function that the link leads to. */\ntype Link<Source, Result, Declared> = Method<\n  [result: Source, options?: CallOptions],\n  Result,\n  Declared\n>",
  },
  createLink: {
    uses: ["CallOptions","Target","evaluateParams","toMethod","toWireOptions"],
    text: "/** Makes a link callable; a parameter whose path leads nowhere is left out. */\nfunction createLink<Type>(target: Target, params: Readonly<Record<string, unknown>>): Type {\n  return toMethod(target, (result: unknown, options?: CallOptions) =>\n    target.connection.call(\n      target.function,\n      evaluateParams(params, result),\n      toWireOptions(target, options),\n    ),\n  )\n}",
  },
  evaluateParams: {
    uses: ["readPath"],
    text: "function evaluateParams(\n  params: Readonly<Record<string, unknown>>,\n  result: unknown,\n): Record<string, unknown> {\n  const given: [string, unknown][] = []\n  for (const [name, value] of Object.entries(params)) {\n    const path = typeof value === 'string' ? /^\\$result(?:\\.(.+))?$/s.exec(value) : null\n    const found = path === null ? value : readPath(result, path[1])\n    if (found !== undefined) given.push([name, found])\n  }\n  return Object.fromEntries(given)\n}",
  },
  readPath: {
    uses: [],
    text: "function readPath(value: unknown, path: string | undefined): unknown {\n  let current = value\n  for (const member of path?.split('.') ?? []) {\n    // Own members only: `$result.constructor` must not reach into the language.\n    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined\n    if (!Object.hasOwn(current, member)) return undefined\n    current = (current as Record<string, unknown>)[member]\n  }\n  return current\n}",
  },
  Resource: {
    uses: [],
    text: "/** A resource as queries answer it. */\ninterface Resource<Attributes = Readonly<Record<string, unknown>>> {\n  readonly type: string\n  readonly id: string\n  readonly attributes?: Partial<Attributes>\n  readonly relationships?: Readonly<Record<string, unknown>>\n  readonly meta?: Readonly<Record<string, unknown>>\n}",
  },
  Page: {
    uses: ["PageInfo","Resource"],
    text: "/** What a query answers: one page of resources, and what was asked to be included. */\ninterface Page<Attributes> {\n  readonly data: readonly Resource<Attributes>[]\n  readonly included?: readonly Resource[]\n  readonly meta?: { readonly pagination?: PageInfo; readonly [name: string]: unknown }\n}",
  },
  PageInfo: {
    uses: [],
    text: "/** Where a page stands among the others; which members there are depends on how pages were asked for. */\ninterface PageInfo {\n  readonly limit?: number\n  readonly offset?: number\n  readonly page?: number\n  readonly per_page?: number\n  readonly total?: number\n  readonly next_cursor?: string | null\n  readonly prev_cursor?: string | null\n  readonly has_more?: boolean\n}",
  },
  Operands: {
    uses: [],
    text: "/** What each operator compares with. */\ninterface Operands<Value> {\n  readonly eq: Value\n  readonly neq: Value\n  readonly gt: Value\n  readonly gte: Value\n  readonly lt: Value\n  readonly lte: Value\n  readonly like: string\n  readonly not_like: string\n  readonly in: readonly Value[]\n  readonly not_in: readonly Value[]\n  readonly between: readonly [Value, Value]\n  readonly not_between: readonly [Value, Value]\n  readonly is_null: true\n  readonly is_not_null: true\n}",
  },
  Conditions: {
    uses: ["Operands"],
    text: "/** Conditions on one attribute; all of them must hold. */\ntype Conditions<Value, Operator extends keyof Operands<Value>> = Partial<\n  Pick<Operands<Value>, Operator>\n>",
  },
  Filter: {
    uses: [],
    text: "/** One condition of a list that is read from left to right, each joined to all before it. */\ninterface Filter<Attribute extends string, Operator extends string> {\n  readonly attribute: Attribute\n  readonly operator: Operator\n  readonly value?: unknown\n  /** How it is joined to the conditions before it; `and` when absent. */\n  readonly boolean?: 'and' | 'or'\n}",
  },
  Queryable: {
    uses: ["Method","Page","Resource"],
    text: "/** The members of a method that can be queried. */\ninterface Queryable<Query, Parameters extends readonly unknown[], Attributes, Declared> {\n  /** Gives one page of what the query describes. */\n  readonly query: Method<[query: Query, ...rest: Parameters], Page<Attributes>, Declared>\n  /** Gives every resource the query describes, page after page. */\n  readonly each: (\n    query: Query,\n    ...rest: Parameters\n  ) => AsyncGenerator<Resource<Attributes>, void, void>\n}",
  },
  AnyQuery: {
    uses: ["Filter"],
    text: "/** A query before it is written for the wire. */\ninterface AnyQuery {\n  readonly where?: Readonly<Record<string, unknown>>\n  readonly filters?: readonly Filter<string, string>[]\n  readonly sorts?: readonly string[]\n  readonly fields?: readonly string[]\n  readonly relationships?: readonly string[]\n  readonly pagination?: Readonly<Record<string, unknown>>\n}",
  },
  createQueryable: {
    uses: ["Answer","AnyQuery","CallOptions","Method","Page","Target","encodeQuery","toMethod","toNextPage","toWireOptions","withExtension"],
    text: "/** Makes the members of a method that can be queried. */\nfunction createQueryable(target: Target): Readonly<Record<string, unknown>> {\n  const run = (\n    query: AnyQuery,\n    callArguments?: unknown,\n    options: CallOptions = {},\n  ): Promise<Answer> => {\n    const entry = { urn: 'urn:forrst:ext:query', options: encodeQuery(query) }\n    const wire = toWireOptions(target, withExtension(options, entry))\n    return target.connection.call(target.function, callArguments ?? {}, wire)\n  }\n  const query = toMethod<Method<[AnyQuery, unknown?, CallOptions?], Page<unknown>, never>>(\n    target,\n    run,\n  )\n  return {\n    query,\n    each: async function* each(first: AnyQuery, callArguments?: unknown, options?: CallOptions) {\n      for (let next: AnyQuery | undefined = first; next !== undefined; ) {\n        const page: Page<unknown> = await query(next, callArguments, options)\n        yield* page.data ?? []\n        next = toNextPage(next, page)\n      }\n    },\n  }\n}",
  },
  toNextPage: {
    uses: ["AnyQuery","Page","SAME_PAGE","ServiceError"],
    text: "function toNextPage(query: AnyQuery, { data, meta }: Page<unknown>): AnyQuery | undefined {\n  const { next_cursor: cursor, has_more: hasMore, offset, page } = meta?.pagination ?? {}\n  const pagination = query.pagination ?? {}\n  if (typeof cursor === 'string') {\n    if (cursor === pagination['cursor']) throw new ServiceError([SAME_PAGE])\n    return { ...query, pagination: { ...pagination, cursor } }\n  }\n  if (hasMore !== true || data.length === 0) return undefined\n  if (typeof offset === 'number') {\n    return { ...query, pagination: { ...pagination, offset: offset + data.length } }\n  }\n  return typeof page === 'number'\n    ? { ...query, pagination: { ...pagination, page: page + 1 } }\n    : undefined\n}",
  },
  SAME_PAGE: {
    uses: [],
    text: "const SAME_PAGE = {\n  code: 'CLIENT_INVALID_RESPONSE',\n  message: 'The service answered the same cursor twice',\n}",
  },
  WIRE_OPERATORS: {
    uses: [],
    text: "const WIRE_OPERATORS: Readonly<Record<string, string>> = {\n  eq: 'equals',\n  neq: 'not_equals',\n  gt: 'greater_than',\n  gte: 'greater_than_or_equal_to',\n  lt: 'less_than',\n  lte: 'less_than_or_equal_to',\n}",
  },
  encodeQuery: {
    uses: ["AnyQuery","encodeConditions","encodeSort","toWireOperator"],
    text: "function encodeQuery(query: AnyQuery): Record<string, unknown> {\n  const { where = {}, filters = [], sorts, fields, relationships, pagination } = query\n  const conditions = [\n    ...Object.entries(where).flatMap(([attribute, given]) => encodeConditions(attribute, given)),\n    ...filters.map((filter) => ({ ...filter, operator: toWireOperator(filter.operator) })),\n  ]\n  return {\n    ...(conditions.length > 0 && { filters: { self: conditions } }),\n    ...(sorts && { sorts: sorts.map(encodeSort) }),\n    ...(fields && { fields: { self: fields } }),\n    ...(relationships && { relationships }),\n    ...(pagination && { pagination }),\n  }\n}",
  },
  encodeConditions: {
    uses: ["toWireOperator"],
    text: "function encodeConditions(attribute: string, given: unknown): Record<string, unknown>[] {\n  if (given === undefined) return []\n  if (typeof given !== 'object' || given === null || Array.isArray(given)) {\n    return [{ attribute, operator: Array.isArray(given) ? 'in' : 'equals', value: given }]\n  }\n  return Object.entries(given).flatMap(([operator, value]: [string, unknown]) => {\n    if (value === undefined) return []\n    const isBare = operator === 'is_null' || operator === 'is_not_null'\n    return [{ attribute, operator: toWireOperator(operator), ...(!isBare && { value }) }]\n  })\n}",
  },
  toWireOperator: {
    uses: ["WIRE_OPERATORS"],
    text: "function toWireOperator(operator: string): string {\n  return Object.hasOwn(WIRE_OPERATORS, operator) ? (WIRE_OPERATORS[operator] ?? operator) : operator\n}",
  },
  encodeSort: {
    uses: [],
    text: "function encodeSort(sort: string): Record<string, unknown> {\n  const isDescending = sort.startsWith('-')\n  return {\n    attribute: isDescending ? sort.slice(1) : sort,\n    direction: isDescending ? 'desc' : 'asc',\n  }\n}",
  },
  OperationStatus: {
    uses: [],
    text: "/** How far an operation is. */\ninterface OperationStatus {\n  readonly status: 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled'\n  /** From 0 to 1, where the service says so. */\n  readonly progress?: number\n  readonly message?: string\n}",
  },
  WaitOptions: {
    uses: ["OperationStatus"],
    text: "/** How to wait for an operation. */\ninterface WaitOptions {\n  readonly signal?: AbortSignal\n  /** Milliseconds between two questions when the service says nothing; 1000 when absent. */\n  readonly intervalMs?: number\n  /** Told whenever the service was asked. */\n  readonly onStatus?: (status: OperationStatus) => void\n}",
  },
  Operation: {
    uses: ["CallOptions","OperationStatus","Outcome","WaitOptions"],
    text: "/** Work that goes on after its call was answered. */\ninterface Operation<Result, Declared> {\n  /** Undefined when the service answered at once. */\n  readonly id: string | undefined\n  /** Asks how far it is. */\n  readonly status: (options?: CallOptions) => Promise<OperationStatus>\n  /** Waits for the result; throws a ServiceError when it failed or was cancelled. */\n  readonly wait: (options?: WaitOptions) => Promise<Result>\n  /** Waits and throws nothing. */\n  readonly settle: (options?: WaitOptions) => Promise<Outcome<Result, Declared>>\n  /** Asks the service to stop. */\n  readonly cancel: (options?: CallOptions) => Promise<void>\n}",
  },
  Startable: {
    uses: ["Operation"],
    text: "/** The member of a method that can run in the background. */\ninterface Startable<Parameters extends readonly unknown[], Result, Declared> {\n  /** Starts the work and gives a handle to it. */\n  readonly start: (...parameters: Parameters) => Promise<Operation<Result, Declared>>\n}",
  },
  createStartable: {
    uses: ["ASYNC","CallOptions","ServiceError","Target","createOperation","toWireOptions","withExtension"],
    text: "/** Makes the member of a method that can run in the background. */\nfunction createStartable(target: Target): Readonly<Record<string, unknown>> {\n  return {\n    start: async (callArguments?: unknown, options: CallOptions = {}) => {\n      const entry = { urn: ASYNC, options: { preferred: true } }\n      const wire = toWireOptions(target, withExtension(options, entry))\n      const answer = await target.connection.call(target.function, callArguments, wire)\n      if (!answer.ok) throw new ServiceError(answer.errors, answer.cause)\n      return createOperation(target, answer)\n    },\n  }\n}",
  },
  ASYNC: {
    uses: [],
    text: "const ASYNC = 'urn:forrst:ext:async'",
  },
  FUNCTIONS: {
    uses: [],
    text: "const FUNCTIONS = 'urn:cline:forrst:ext:async:fn:'",
  },
  ENDED: {
    uses: [],
    text: "const ENDED: readonly unknown[] = ['completed', 'failed', 'cancelled']",
  },
  Report: {
    uses: [],
    text: "type Report = Readonly<Record<string, unknown>>",
  },
  createOperation: {
    uses: ["Answer","CallOptions","ENDED","FUNCTIONS","Operation","Outcome","Report","ServiceError","Target","WaitOptions","asReport","pause","toAnswer","toMilliseconds","toOutcome","toStatus"],
    text: "function createOperation(\n  target: Target,\n  answer: Answer & { readonly ok: true },\n): Operation<unknown, ServiceError> {\n  const started = answer.extensions.find(({ urn }) => urn.endsWith(':ext:async'))?.data ?? {}\n  const id = typeof started['operation_id'] === 'string' ? started['operation_id'] : undefined\n  const ask = async (name: string, options: CallOptions = {}): Promise<Report> => {\n    if (id === undefined) return { status: 'completed', result: answer.result }\n    const wire = { ...options, version: '1.0.0', readOnly: name === 'status' }\n    const asked = await target.connection.call(`${FUNCTIONS}${name}`, { operation_id: id }, wire)\n    if (asked.ok) return asReport(asked.result)\n    const failed = asked.errors.some(({ code }) => code === 'ASYNC_OPERATION_FAILED')\n    if (failed) return { status: 'failed', errors: asked.errors }\n    throw new ServiceError(asked.errors, asked.cause)\n  }\n  const settle = async (options: WaitOptions = {}): Promise<Outcome<unknown, ServiceError>> => {\n    for (let wait = started['retry_after']; ; ) {\n      const report = await ask('status', { signal: options.signal })\n      options.onStatus?.(toStatus(report))\n      if (ENDED.includes(report['status'])) return toOutcome(target, toAnswer(report))\n      wait = report['retry_after'] ?? wait\n      await pause(toMilliseconds(wait) ?? options.intervalMs ?? 1000, options.signal)\n    }\n  }\n  return {\n    id,\n    settle,\n    status: async (options) => toStatus(await ask('status', options)),\n    wait: async (options) => {\n      const outcome = await settle(options)\n      if (outcome.ok) return outcome.result\n      throw outcome.error\n    },\n    cancel: async (options) => {\n      await ask('cancel', options)\n    },\n  }\n}",
  },
  asReport: {
    uses: ["Report"],
    text: "function asReport(value: unknown): Report {\n  return typeof value === 'object' && value !== null ? (value as Report) : {}\n}",
  },
  toStatus: {
    uses: ["OperationStatus","Report"],
    text: "function toStatus({ status, progress, message }: Report): OperationStatus {\n  return {\n    status: status as OperationStatus['status'],\n    ...(typeof progress === 'number' && { progress }),\n    ...(typeof message === 'string' && { message }),\n  }\n}",
  },
  toAnswer: {
    uses: ["Answer","Report","toEntry"],
    text: "function toAnswer(report: Report): Answer {\n  if (report['status'] === 'completed') {\n    return { ok: true, result: report['result'] ?? report['output'], extensions: [] }\n  }\n  const [told, ...rest] = Array.isArray(report['errors']) ? report['errors'].map(toEntry) : []\n  const ended = { code: 'CANCELLED', message: 'The operation was cancelled' }\n  const failed = { code: 'ASYNC_OPERATION_FAILED', message: 'The operation failed' }\n  const first = told ?? (report['status'] === 'cancelled' ? ended : failed)\n  return { ok: false, errors: [first, ...rest], extensions: [] }\n}",
  },
  toMilliseconds: {
    uses: ["MILLISECONDS"],
    text: "/** Reads a length of time as the protocol writes it. */\nfunction toMilliseconds(duration: unknown): number | undefined {\n  if (typeof duration !== 'object' || duration === null) return undefined\n  const { value, unit } = duration as { readonly value?: unknown; readonly unit?: unknown }\n  const factor = MILLISECONDS.get(unit)\n  return typeof value === 'number' && factor !== undefined ? value * factor : undefined\n}",
  },
  MILLISECONDS: {
    uses: [],
    text: "const MILLISECONDS: ReadonlyMap<unknown, number> = new Map([\n  ['millisecond', 1],\n  ['second', 1000],\n  ['minute', 60_000],\n  ['hour', 3_600_000],\n  ['day', 86_400_000],\n])",
  },
  pause: {
    uses: [],
    text: "/** Waits; throws the reason of the signal when that aborts first. */\nfunction pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {\n  return new Promise((resolve, reject) => {\n    if (signal?.aborted) {\n      reject(signal.reason)\n      return\n    }\n    const stop = (): void => {\n      clearTimeout(timer)\n      reject(signal?.reason)\n    }\n    const timer = setTimeout(() => {\n      signal?.removeEventListener('abort', stop)\n      resolve()\n    }, milliseconds)\n    signal?.addEventListener('abort', stop, { once: true })\n  })\n}",
  },
  Streamable: {
    uses: [],
    text: "/** The member of a method that answers in parts. */\ninterface Streamable<Parameters extends readonly unknown[], Part, Result> {\n  /** Gives the parts as they come; the generator returns the result. Throws a ServiceError. */\n  readonly stream: (...parameters: Parameters) => AsyncGenerator<Part, Result, void>\n}",
  },
  createStreamable: {
    uses: ["Stream","StreamOptions","Target","toWireOptions"],
    text: "/** Makes the member of a method that answers in parts. */\nfunction createStreamable(\n  target: Target,\n  stream: Stream,\n): Readonly<Record<string, unknown>> {\n  return {\n    stream: (callArguments?: unknown, options: StreamOptions = {}) =>\n      stream(target.function, callArguments, {\n        ...toWireOptions(target, options),\n        onProgress: options.onProgress,\n      }),\n  }\n}",
  },
  ClientOptions: {
    uses: ["HeaderSource","RetryPolicy"],
    text: "/** Where the service is and how it is called. */\ninterface ClientOptions {\n  /** The Forrst endpoint itself: `https://host/forrst`. */\n  readonly url: string | URL\n  /** Headers of every request, or a function that is asked before each attempt, such as one that renews a token. */\n  readonly headers?: HeaderSource | undefined\n  /** The calling service's own name: `context.caller` of every call. */\n  readonly name?: string | undefined\n  /** How failed attempts are repeated; false never repeats. */\n  readonly retry?: Partial<RetryPolicy> | false | undefined\n  /** Milliseconds to wait for one answer when a call has no deadline; 30000 when absent. */\n  readonly timeoutMs?: number | undefined\n  /** The platform's `fetch` when absent. */\n  readonly fetch?: typeof fetch | undefined\n}",
  },
  HeaderSource: {
    uses: [],
    text: "/** Headers of every request, or what makes them. */\ntype HeaderSource =\n  | Readonly<Record<string, string>>\n  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)",
  },
  connect: {
    uses: ["ClientOptions","Connection","NO_JSON","failure","request"],
    text: "/** Connects to the service over `fetch`. */\nfunction connect(options: ClientOptions): Connection {\n  return {\n    call: async (name, callArguments, given) => {\n      const opened = await request(options, { name, callArguments, given })\n      if ('answer' in opened) return opened.answer\n      await opened.body.cancel()\n      return failure('CLIENT_INVALID_RESPONSE', NO_JSON)\n    },\n  }\n}",
  },
  Opened: {
    uses: ["Answer"],
    text: "/** What a request gives: an answer, or a stream of server-sent events. */\ntype Opened = { readonly answer: Answer } | { readonly body: ReadableStream<Uint8Array> }",
  },
  Outgoing: {
    uses: ["WireOptions"],
    text: "/** A call before it is written for the wire. */\ninterface Outgoing {\n  readonly name: string\n  readonly callArguments: unknown\n  readonly given: WireOptions\n}",
  },
  request: {
    uses: ["ClientOptions","Opened","Outgoing","attempt","repeat"],
    text: "/** Makes a call, attempt by attempt, and never throws. */\nfunction request(options: ClientOptions, call: Outgoing): Promise<Opened> {\n  return repeat(options, call.given, (remainingMs) => attempt(options, call, remainingMs))\n}",
  },
  NO_JSON: {
    uses: [],
    text: "const NO_JSON = 'The service answered a stream where a result was expected'",
  },
  POLICY: {
    uses: ["RetryPolicy"],
    text: "const POLICY: RetryPolicy = { maxAttempts: 3, baseDelayMs: 250, maxDelayMs: 30_000 }",
  },
  NOT_RUN: {
    uses: [],
    text: "/** Codes after which nothing has run, so that every call may be repeated. */\nconst NOT_RUN: readonly string[] = [\n  'CLIENT_UNREACHABLE',\n  'FUNCTION_DISABLED',\n  'FUNCTION_MAINTENANCE',\n  'IDEMPOTENCY_PROCESSING',\n  'LOCK_ACQUISITION_FAILED',\n  'LOCK_TIMEOUT',\n  'RATE_LIMITED',\n  'SERVER_MAINTENANCE',\n  'UNAVAILABLE',\n]",
  },
  MAY_HAVE_RUN: {
    uses: [],
    text: "/** Codes after which only calls may be repeated that cannot do anything twice. */\nconst MAY_HAVE_RUN: readonly string[] = [\n  'CLIENT_CONNECTION_LOST',\n  'CLIENT_TIMEOUT',\n  'DEPENDENCY_ERROR',\n  'INTERNAL_ERROR',\n]",
  },
  Attempted: {
    uses: ["Opened"],
    text: "type Attempted = Opened & { readonly retryAfterMs?: number | undefined }",
  },
  repeat: {
    uses: ["Attempted","ClientOptions","Opened","POLICY","WireOptions","failure","pause","selectDelay","toMilliseconds"],
    text: "async function repeat(\n  options: ClientOptions,\n  given: WireOptions,\n  run: (remainingMs: number | undefined) => Promise<Attempted>,\n): Promise<Opened> {\n  const changes = given.retry ?? options.retry ?? {}\n  const policy = changes === false ? { ...POLICY, maxAttempts: 1 } : { ...POLICY, ...changes }\n  const end = given.deadline && Date.now() + (toMilliseconds(given.deadline) ?? 0)\n  for (let attempts = 1; ; attempts += 1) {\n    const opened = await run(end === undefined ? undefined : end - Date.now())\n    const delay = selectDelay(opened, { given, policy, attempts })\n    const isLate = delay !== undefined && end !== undefined && Date.now() + delay >= end\n    if (delay === undefined || isLate) return opened\n    try {\n      await pause(delay, given.signal)\n    } catch (cause) {\n      return { answer: failure('CANCELLED', 'The call was aborted by its signal', cause) }\n    }\n  }\n}",
  },
  selectDelay: {
    uses: ["Attempted","MAY_HAVE_RUN","NOT_RUN","RetryPolicy","WireOptions","toMilliseconds"],
    text: "function selectDelay(\n  opened: Attempted,\n  {\n    given,\n    policy,\n    attempts,\n  }: { readonly given: WireOptions; readonly policy: RetryPolicy; readonly attempts: number },\n): number | undefined {\n  if ('body' in opened || opened.answer.ok || attempts >= policy.maxAttempts) return undefined\n  const { errors, extensions } = opened.answer\n  const hint = extensions.find(({ urn }) => urn.endsWith(':ext:retry'))?.data ?? {}\n  const isRepeatable = given.readOnly === true || given.idempotencyKey !== undefined\n  const codes = isRepeatable ? [...NOT_RUN, ...MAY_HAVE_RUN] : NOT_RUN\n  if (hint['allowed'] === false || !errors.every(({ code }) => codes.includes(code))) {\n    return undefined\n  }\n  const details = errors[0].details as { readonly retry_after?: unknown } | undefined\n  const asked =\n    toMilliseconds(hint['after']) ?? toMilliseconds(details?.retry_after) ?? opened.retryAfterMs\n  const delay = asked ?? policy.baseDelayMs * 2 ** (attempts - 1)\n  // Many callers that failed together must not come back together.\n  return delay > policy.maxDelayMs ? undefined : delay * (1 + Math.random() / 2)\n}",
  },
  attempt: {
    uses: ["Attempted","ClientOptions","Outgoing","failure","readAnswer","toConnectionFailure","toHeaders","toRequest"],
    text: "async function attempt(\n  options: ClientOptions,\n  call: Outgoing,\n  remainingMs: number | undefined,\n): Promise<Attempted> {\n  const { given } = call\n  if (remainingMs !== undefined && remainingMs <= 0) {\n    return { answer: failure('DEADLINE_EXCEEDED', 'The deadline has passed') }\n  }\n  // The service must get the chance to say itself that the deadline has passed.\n  const limit = remainingMs === undefined ? undefined : remainingMs + 1000\n  const timeout = new AbortController()\n  const ring = (): void => timeout.abort()\n  const timer = setTimeout(ring, limit ?? given.timeoutMs ?? options.timeoutMs ?? 30_000)\n  const signal = given.signal ? AbortSignal.any([given.signal, timeout.signal]) : timeout.signal\n  try {\n    const id = crypto.randomUUID()\n    const response = await (options.fetch ?? fetch)(options.url, {\n      method: 'POST',\n      headers: await toHeaders(options.headers ?? {}),\n      body: JSON.stringify(toRequest(call, { id, remainingMs, caller: options.name })),\n      // Credentials stay with the address they were meant for.\n      redirect: 'error',\n      signal,\n    })\n    return await readAnswer(response, id)\n  } catch (thrown) {\n    if (given.signal?.aborted) {\n      return { answer: failure('CANCELLED', 'The call was aborted by its signal', thrown) }\n    }\n    return {\n      answer: timeout.signal.aborted\n        ? failure('CLIENT_TIMEOUT', 'No complete answer came in time', thrown)\n        : toConnectionFailure(thrown),\n    }\n  } finally {\n    // A stream may go on for as long as it likes once it is open.\n    clearTimeout(timer)\n  }\n}",
  },
  toHeaders: {
    uses: ["HeaderSource"],
    text: "async function toHeaders(source: HeaderSource): Promise<Record<string, string>> {\n  const own = typeof source === 'function' ? await source() : source\n  return {\n    'content-type': 'application/json',\n    accept: 'application/json, text/event-stream',\n    ...own,\n  }\n}",
  },
  AttemptFacts: {
    uses: [],
    text: "interface AttemptFacts {\n  readonly id: string\n  readonly remainingMs: number | undefined\n  readonly caller: string | undefined\n}",
  },
  toRequest: {
    uses: ["AttemptFacts","ExtensionEntry","Outgoing"],
    text: "function toRequest(call: Outgoing, { id, remainingMs, caller }: AttemptFacts): object {\n  const { name, callArguments, given } = call\n  const { version, idempotencyKey: key } = given\n  const context = { ...given.context, ...(caller !== undefined && { caller }) }\n  const left = remainingMs && { value: Math.ceil(remainingMs), unit: 'millisecond' }\n  const extensions: readonly ExtensionEntry[] = [\n    ...(given.extensions ?? []),\n    ...(left ? [{ urn: 'urn:forrst:ext:deadline', options: left }] : []),\n    ...(key === undefined ? [] : [{ urn: 'urn:forrst:ext:idempotency', options: { key } }]),\n  ]\n  return {\n    protocol: { name: 'forrst', version: '0.1.0' },\n    id,\n    call: {\n      function: name,\n      ...(version !== undefined && { version }),\n      ...(callArguments !== undefined && { arguments: callArguments }),\n    },\n    ...(Object.keys(context).length > 0 && { context }),\n    ...(extensions.length > 0 && { extensions }),\n  }\n}",
  },
  readAnswer: {
    uses: ["Attempted","parseAnswer"],
    text: "async function readAnswer(response: Response, id: string): Promise<Attempted> {\n  const type = response.headers.get('content-type') ?? ''\n  if (type.startsWith('text/event-stream') && response.body !== null) {\n    return { body: response.body }\n  }\n  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)\n  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined\n  const text = await response.text()\n  return { answer: parseAnswer(text, response.status, id), retryAfterMs }\n}",
  },
  parseAnswer: {
    uses: ["Answer","failure","isEntry","isObject","toEntry","tryParse"],
    text: "function parseAnswer(text: string, status: number, id: string): Answer {\n  const body = tryParse(text)\n  if (!isObject(body) || !isObject(body['protocol'])) {\n    const isGateway = status === 502 || status === 503 || status === 504\n    return isGateway\n      ? failure('UNAVAILABLE', `Something in between answered ${status}`)\n      : failure('CLIENT_INVALID_RESPONSE', `The answer (status ${status}) is no Forrst response`)\n  }\n  const extensions = (Array.isArray(body['extensions']) ? body['extensions'] : []).filter(isEntry)\n  const [first, ...rest] = Array.isArray(body['errors']) ? body['errors'].map(toEntry) : []\n  if (first !== undefined) return { ok: false, errors: [first, ...rest], extensions }\n  if (body['id'] !== id) {\n    return failure('CLIENT_INVALID_RESPONSE', 'The answer belongs to another request')\n  }\n  return { ok: true, result: body['result'], extensions }\n}",
  },
  isEntry: {
    uses: ["AnswerEntry","isObject"],
    text: "function isEntry(value: unknown): value is AnswerEntry {\n  return isObject(value) && typeof value['urn'] === 'string'\n}",
  },
  isObject: {
    uses: [],
    text: "function isObject(value: unknown): value is Record<string, unknown> {\n  return typeof value === 'object' && value !== null && !Array.isArray(value)\n}",
  },
  tryParse: {
    uses: ["parseExactJson"],
    text: "function tryParse(text: string): unknown {\n  try {\n    return parseExactJson(text)\n  } catch {\n    return undefined\n  }\n}",
  },
  NEVER_CONNECTED: {
    uses: [],
    text: "const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ConnectionRefused/",
  },
  toConnectionFailure: {
    uses: ["Answer","NEVER_CONNECTED","failure"],
    text: "function toConnectionFailure(thrown: unknown): Answer {\n  const cause = (thrown as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause\n  return typeof cause?.code === 'string' && NEVER_CONNECTED.test(cause.code)\n    ? failure('CLIENT_UNREACHABLE', 'No connection could be made', thrown)\n    : failure(\n        'CLIENT_CONNECTION_LOST',\n        'The connection broke before the answer was complete',\n        thrown,\n      )\n}",
  },
  failure: {
    uses: ["Answer"],
    text: "function failure(code: string, message: string, cause?: unknown): Answer {\n  return { ok: false, errors: [{ code, message }], extensions: [], cause }\n}",
  },
  connectStream: {
    uses: ["CUT_SHORT","ClientOptions","ServiceError","Stream","readEvents","readParts","request","withExtension"],
    text: "/** Connects to calls that are answered in parts, over server-sent events. */\nfunction connectStream(options: ClientOptions): Stream {\n  return async function* stream(name, callArguments, { onProgress, ...given }) {\n    const entry = { urn: 'urn:forrst:ext:stream', options: { accept: true } }\n    const wire = { ...given, ...withExtension(given, entry) }\n    const opened = await request(options, { name, callArguments, given: wire })\n    if ('answer' in opened) {\n      if (opened.answer.ok) return opened.answer.result\n      throw new ServiceError(opened.answer.errors, opened.answer.cause)\n    }\n    try {\n      return yield* readParts(readEvents(opened.body), onProgress)\n    } catch (thrown) {\n      throw thrown instanceof ServiceError ? thrown : new ServiceError([CUT_SHORT], thrown)\n    }\n  }\n}",
  },
  readParts: {
    uses: ["CUT_SHORT","ServiceError","StreamEvent","StreamOptions","StreamProgress","isGreeting","toEntry"],
    text: "async function* readParts(\n  events: AsyncIterable<StreamEvent>,\n  onProgress: StreamOptions['onProgress'],\n): AsyncGenerator<unknown, unknown, void> {\n  let isFirst = true\n  let result: unknown\n  let isDone = false\n  for await (const { event, data } of events) {\n    // The first part only says that the stream is open.\n    if (event === 'data' && !(isFirst && isGreeting(data))) yield data\n    if (event === 'data') isFirst = false\n    if (event === 'progress') onProgress?.(data as StreamProgress)\n    if (event === 'error') throw new ServiceError([toEntry(data)])\n    if (event === 'done') result = data\n    isDone ||= event === 'done' || event === 'complete'\n    if (event === 'complete') break\n  }\n  if (isDone) return result\n  throw new ServiceError([CUT_SHORT])\n}",
  },
  CUT_SHORT: {
    uses: [],
    text: "const CUT_SHORT = {\n  code: 'CLIENT_CONNECTION_LOST',\n  message: 'The stream broke before it was complete',\n}",
  },
  isGreeting: {
    uses: [],
    text: "function isGreeting(data: unknown): boolean {\n  return (\n    typeof data === 'object' && data !== null && 'status' in data && data.status === 'connected'\n  )\n}",
  },
  MAX_EVENT_LENGTH: {
    uses: [],
    text: "const MAX_EVENT_LENGTH = 16 * 1024 * 1024",
  },
  readEvents: {
    uses: ["MAX_EVENT_LENGTH","StreamEvent","parseEvent"],
    text: "/** Reads server-sent events; stops reading when nobody asks for more. */\nasync function* readEvents(\n  body: ReadableStream<Uint8Array>,\n): AsyncGenerator<StreamEvent, void, void> {\n  const reader = body.getReader()\n  const decoder = new TextDecoder()\n  let rest = ''\n  try {\n    for (;;) {\n      const { done, value } = await reader.read()\n      rest += decoder.decode(value, { stream: !done }).replaceAll('\\r\\n', '\\n')\n      const blocks = rest.split('\\n\\n')\n      rest = blocks.pop() ?? ''\n      for (const block of done ? [...blocks, rest] : blocks) {\n        const event = parseEvent(block)\n        if (event !== undefined) yield event\n      }\n      if (done) return\n      if (rest.length > MAX_EVENT_LENGTH) throw new RangeError('An event of the stream is too long')\n    }\n  } finally {\n    await reader.cancel().catch(() => {})\n  }\n}",
  },
  parseEvent: {
    uses: ["StreamEvent","parseExactJson"],
    text: "function parseEvent(block: string): StreamEvent | undefined {\n  let event = 'message'\n  const data: string[] = []\n  for (const line of block.split('\\n')) {\n    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []\n    if (field === 'event') event = value\n    if (field === 'data') data.push(value)\n  }\n  if (data.length === 0) return undefined\n  return { event, data: parseExactJson(data.join('\\n')) }\n}",
  },
  parseExactJson: {
    uses: ["MAY_BE_LARGE","isLargeNumber","quoteNumbers"],
    text: "function parseExactJson(text: string): unknown {\n  const value: unknown = JSON.parse(text)\n  if (!MAY_BE_LARGE.test(text)) return value\n  const quoted = quoteNumbers(text, isLargeNumber)\n  return quoted === text ? value : JSON.parse(quoted)\n}",
  },
  isLargeNumber: {
    uses: ["isPlainInteger"],
    text: "/** Tells whether a number, as JSON spells it, is an integer beyond ±(2^53−1) or too large for any number. */\nfunction isLargeNumber(literal: string): boolean {\n  const value = Number(literal)\n  return isPlainInteger(literal) ? !Number.isSafeInteger(value) : !Number.isFinite(value)\n}",
  },
  isLostNumber: {
    uses: ["isPlainInteger"],
    text: "/** Tells whether a number, as JSON spells it, is an integer that would change, or too large for any number. */\nfunction isLostNumber(literal: string): boolean {\n  const value = Number(literal)\n  if (!isPlainInteger(literal)) return !Number.isFinite(value)\n  return !Number.isSafeInteger(value) && String(value) !== literal\n}",
  },
  MAY_BE_LARGE: {
    uses: [],
    text: "/** Matches every text with a number that could be too large; also some others, which are then looked at closely. */\nconst MAY_BE_LARGE: RegExp = /\\d{16}|\\d[eE]\\+?\\d{3}/",
  },
  quoteNumbers: {
    uses: ["endOfString"],
    text: "/** Puts quotes around those numbers of a JSON text that are chosen; what stands in strings is no number. */\nfunction quoteNumbers(text: string, isChosen: (literal: string) => boolean): string {\n  const number = /-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?/y\n  let quoted = ''\n  let copied = 0\n  let at = 0\n  while (at < text.length) {\n    const code = text.charCodeAt(at)\n    if (code === 34) at = endOfString(text, at)\n    else if (code === 45 || (code >= 48 && code <= 57)) {\n      number.lastIndex = at\n      const literal = number.exec(text)?.[0] ?? '-'\n      if (literal.length > 4 && isChosen(literal)) {\n        quoted += `${text.slice(copied, at)}\"${literal}\"`\n        copied = at + literal.length\n      }\n      at += literal.length\n    } else at += 1\n  }\n  return quoted + text.slice(copied)\n}",
  },
  endOfString: {
    uses: ["isEscaped"],
    text: "function endOfString(text: string, start: number): number {\n  let end = text.indexOf('\"', start + 1)\n  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('\"', end + 1)\n  return end === -1 ? text.length : end + 1\n}",
  },
  isEscaped: {
    uses: [],
    text: "function isEscaped(text: string, at: number): boolean {\n  let slashes = 0\n  while (text.charCodeAt(at - 1 - slashes) === 92) slashes += 1\n  return slashes % 2 === 1\n}",
  },
  isPlainInteger: {
    uses: [],
    text: "function isPlainInteger(literal: string): boolean {\n  return /^-?\\d+$/.test(literal)\n}",
  },
}
