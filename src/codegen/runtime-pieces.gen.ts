/* Made from src/sources/runtime by test/codegen/runtime-pieces.test.ts; run it with -u to make it anew. */

/** A declaration of the runtime as generated code carries it. */
export interface RuntimePiece {
  /** Other pieces it needs. */
  readonly uses: readonly string[]
  readonly text: string
}

/** Every declaration of the runtime, in the order it is printed. */
export const RUNTIME_PIECES: Readonly<Record<string, RuntimePiece>> = {
  Operation: {
    uses: ["AuthRule","BodyRule","PaginateRule","ParamRule","ResponseRule"],
    text: "/** One HTTP call that a tool stands for. */\ninterface Operation {\n  readonly tool: string\n  readonly method: string\n  /** May hold `${NAME}` and `${NAME:-fallback}`, replaced from the environment at call time. */\n  readonly base_url: string\n  readonly path: string\n  readonly params?: readonly ParamRule[]\n  readonly body?: BodyRule\n  readonly auth?: AuthRule\n  readonly response?: ResponseRule\n  readonly paginate?: PaginateRule\n}",
  },
  ParamRule: {
    uses: [],
    text: "/** Where and how one argument travels beside the body. */\ninterface ParamRule {\n  readonly arg: string\n  /** Name on the wire; the argument's name when absent. */\n  readonly name?: string\n  readonly in: 'path' | 'query' | 'header' | 'cookie'\n  /** A constant of the API, sent when the caller leaves the argument out. */\n  readonly value?: string | number | boolean\n  /** `form` in query and cookie, `simple` in path and header when absent. */\n  readonly style?: string\n  /** True for `form` and `deepObject`, else false when absent. */\n  readonly explode?: boolean\n  readonly allow_reserved?: boolean\n  /** The value is written as this media type instead of by style. */\n  readonly content_type?: string\n  /** As of a body field, where `content_type` is JSON. */\n  readonly digits?: readonly string[]\n}",
  },
  BodyRule: {
    uses: ["BodyField"],
    text: "/** How the body of a request is put together. */\ninterface BodyRule {\n  readonly type: 'json' | 'form' | 'multipart' | 'raw'\n  readonly media_type?: string\n  /** The argument that is the whole body. */\n  readonly root?: BodyField\n  /** Arguments that are the fields of the body object. */\n  readonly fields?: readonly BodyField[]\n}",
  },
  BodyField: {
    uses: [],
    text: "/** One argument of a body. */\ninterface BodyField {\n  readonly arg: string\n  readonly name?: string\n  /** Null is sent, not left out. */\n  readonly nullable?: boolean\n  /** The argument is base64, the wire carries the bytes. */\n  readonly binary?: boolean\n  readonly style?: string\n  readonly explode?: boolean\n  readonly content_type?: string\n  /** Pointers to strings of digits that the wire carries as numbers; `*` stands for every element. */\n  readonly digits?: readonly string[]\n}",
  },
  AuthRule: {
    uses: [],
    text: "/** How a call authenticates; the credential itself is only in the environment. */\ninterface AuthRule {\n  readonly type: string\n  readonly env?: string\n  readonly header?: string\n  readonly in?: string\n  readonly name?: string\n  readonly prefix?: string\n  readonly scopes?: readonly string[]\n  readonly token_url?: string\n  readonly discovery_url?: string\n  /** Further credentials of the same request. */\n  readonly also?: readonly AuthRule[]\n  /** Other ways; the first whose variables are set is used, and `none` when none is. */\n  readonly or?: readonly AuthRule[]\n}",
  },
  ResponseRule: {
    uses: [],
    text: "/** How an answer is trimmed before anybody reads it. */\ninterface ResponseRule {\n  readonly pick?: readonly string[]\n  readonly max_bytes?: number\n  readonly max_items?: number\n}",
  },
  PaginateRule: {
    uses: [],
    text: "/** How the next page is found. */\ninterface PaginateRule {\n  readonly style: 'cursor' | 'page' | 'offset' | 'link'\n  /** Wire name of the parameter with the cursor, page number or offset. */\n  readonly cursor?: string\n  /** Wire name of the parameter with the page size. */\n  readonly limit?: string\n  readonly items?: string\n  readonly next?: string\n}",
  },
  ToolArguments: {
    uses: [],
    text: "/** Arguments of a tool, by argument name. */\ntype ToolArguments = Readonly<Record<string, unknown>>",
  },
  Environment: {
    uses: [],
    text: "/** The environment a call reads its credentials from. */\ntype Environment = Readonly<Record<string, string | undefined>>",
  },
  createRedactor: {
    uses: [],
    text: "function createRedactor(secrets: readonly string[]): (text: string) => string {\n  // The longest first: a secret may be part of another, such as a token of its header.\n  const values = [...new Set(secrets)]\n    .filter((secret) => secret !== '')\n    .sort((one, other) => other.length - one.length)\n  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '***'), text)\n}",
  },
  ToolErrorReason: {
    uses: [],
    text: "/** Why a tool could not answer. */\ntype ToolErrorReason =\n  | 'arguments'\n  | 'setup'\n  | 'network'\n  | 'timeout'\n  | 'cancelled'\n  | 'redirect'\n  | 'status'",
  },
  ToolError: {
    uses: ["ToolErrorReason"],
    text: "/** A call that did not come to an answer; nothing in it holds a credential. */\nclass ToolError extends Error {\n  readonly tool: string\n  readonly reason: ToolErrorReason\n  /** What is wrong in detail, one sentence each. */\n  readonly problems: readonly string[]\n\n  constructor(\n    tool: string,\n    reason: ToolErrorReason,\n    message: string,\n    options: { readonly cause?: unknown; readonly problems?: readonly string[] } = {},\n  ) {\n    super(message, options.cause === undefined ? undefined : { cause: options.cause })\n    this.name = 'ToolError'\n    this.tool = tool\n    this.reason = reason\n    this.problems = options.problems ?? []\n  }\n}",
  },
  Refusal: {
    uses: [],
    text: "/** What an upstream said when it refused. */\ninterface Refusal {\n  readonly tool: string\n  readonly method: string\n  /** Without credentials. */\n  readonly url: string\n  readonly status: number\n  /** The first 2 KB, without credentials. */\n  readonly body: string\n  /** Seconds the upstream asks to wait. */\n  readonly retryAfter: number | undefined\n}",
  },
  ToolHttpError: {
    uses: ["Refusal","ToolError"],
    text: "/** An answer whose status is not a success. */\nclass ToolHttpError extends ToolError {\n  readonly method: string\n  readonly url: string\n  readonly status: number\n  readonly body: string\n  readonly retry_after: number | undefined\n\n  constructor(refusal: Refusal) {\n    const { tool, method, url, status } = refusal\n    super(tool, 'status', `${tool}: ${method} ${url} answered ${status}`)\n    this.name = 'ToolHttpError'\n    this.method = method\n    this.url = url\n    this.status = status\n    this.body = refusal.body\n    this.retry_after = refusal.retryAfter\n  }\n}",
  },
  ToolDefinition: {
    uses: ["ToolContext","ToolDescription"],
    text: "/** A tool as an agent is told about it, with the code that runs it. */\ninterface ToolDefinition extends ToolDescription {\n  readonly handler: (args: unknown, context?: ToolContext) => Promise<unknown>\n}",
  },
  ToolDescription: {
    uses: ["ArgumentSchema"],
    text: "/** What an agent is told about a tool. */\ninterface ToolDescription {\n  readonly name: string\n  readonly description: string\n  /** JSON Schema of the arguments. */\n  readonly parameters: ArgumentSchema\n  readonly tags?: readonly string[]\n  readonly annotations?: {\n    readonly readOnlyHint?: boolean\n    readonly destructiveHint?: boolean\n    readonly idempotentHint?: boolean\n    readonly openWorldHint?: boolean\n  }\n}",
  },
  HttpTool: {
    uses: ["Operation","ToolDescription"],
    text: "/** A tool that is an HTTP call. */\ninterface HttpTool extends ToolDescription {\n  readonly operation: Operation\n}",
  },
  runHttpTool: {
    uses: ["Caller","HttpTool","ToolContext","checkArguments"],
    text: "/** Runs a tool that is an HTTP call; arguments are checked before anything is sent. */\nasync function runHttpTool(\n  tool: HttpTool,\n  call: Caller,\n  args: unknown,\n  context?: ToolContext,\n): Promise<unknown> {\n  return call(tool.operation, checkArguments(tool.name, tool.parameters, args), context)\n}",
  },
  defineHttpTool: {
    uses: ["Caller","HttpTool","ToolDefinition","runHttpTool"],
    text: "/** Makes the definition of a tool that is an HTTP call. */\nfunction defineHttpTool(tool: HttpTool, call: Caller): ToolDefinition {\n  const { operation: _operation, ...description } = tool\n  return { ...description, handler: (args, context) => runHttpTool(tool, call, args, context) }\n}",
  },
  defineOwnTool: {
    uses: ["ToolContext","ToolDefinition","ToolDescription","checkArguments"],
    text: "/** Makes the definition of a tool whose code is written by hand. */\nfunction defineOwnTool(\n  tool: ToolDescription,\n  run: (args: unknown, context: ToolContext) => Promise<unknown>,\n): ToolDefinition {\n  const handler: ToolDefinition['handler'] = async (args, context = {}) => {\n    return run(checkArguments(tool.name, tool.parameters, args), context)\n  }\n  return { ...tool, handler }\n}",
  },
  notWritten: {
    uses: ["ToolContext","ToolError"],
    text: "/** Says that the code of a tool is still to be written. */\nfunction notWritten(tool: string, _args: unknown, _context: ToolContext): never {\n  const message = `${tool} has no code yet: write it between its <custom> marks`\n  throw new ToolError(tool, 'setup', message)\n}",
  },
  ArgumentSchema: {
    uses: [],
    text: "/** The part of JSON Schema that arguments of tools are described with. */\ninterface ArgumentSchema {\n  readonly type?: string | readonly string[]\n  readonly description?: string\n  readonly enum?: readonly unknown[]\n  readonly default?: unknown\n  readonly format?: string\n  readonly properties?: Readonly<Record<string, ArgumentSchema>>\n  readonly required?: readonly string[]\n  /** False refuses members that `properties` does not name. */\n  readonly additionalProperties?: boolean\n  readonly items?: ArgumentSchema\n  readonly anyOf?: readonly ArgumentSchema[]\n  readonly minimum?: number\n  readonly maximum?: number\n  readonly exclusiveMinimum?: number\n  readonly exclusiveMaximum?: number\n  readonly multipleOf?: number\n  readonly minLength?: number\n  readonly maxLength?: number\n  readonly pattern?: string\n  readonly minItems?: number\n  readonly maxItems?: number\n  readonly uniqueItems?: boolean\n}",
  },
  checkArguments: {
    uses: ["ArgumentSchema","ToolArguments","ToolError","fillDefaults","findProblems","isEntries"],
    text: "/** Checks arguments against their schema and fills in defaults; throws a list of what is wrong. */\nfunction checkArguments(tool: string, schema: ArgumentSchema, args: unknown): ToolArguments {\n  const filled = fillDefaults(schema, args ?? {})\n  const problems = findProblems(schema, filled, '')\n  if (problems.length === 0 && isEntries(filled)) return filled\n  const message = `${tool}: ${problems.slice(0, 5).join('; ')}`\n  throw new ToolError(tool, 'arguments', message, { problems })\n}",
  },
  fillDefaults: {
    uses: ["ArgumentSchema","isEntries"],
    text: "/** Fills in the default of everything that was left out. */\nfunction fillDefaults(schema: ArgumentSchema, value: unknown): unknown {\n  if (Array.isArray(value)) {\n    const { items } = schema\n    return items ? value.map((item) => fillDefaults(items, item)) : value\n  }\n  if (!isEntries(value) || schema.properties === undefined) return value\n  const filled = new Map(Object.entries(value))\n  for (const [name, property] of Object.entries(schema.properties)) {\n    const current = filled.get(name)\n    if (current !== undefined) filled.set(name, fillDefaults(property, current))\n    else if (property.default !== undefined) filled.set(name, property.default)\n  }\n  return Object.fromEntries(filled)\n}",
  },
  findProblems: {
    uses: ["ArgumentSchema","explainLarge","findLimits","findNested","isOfType"],
    text: "/** Lists what is wrong with a value, one sentence each, with the path of the field. */\nfunction findProblems(schema: ArgumentSchema, value: unknown, path: string): string[] {\n  const name = path === '' ? 'arguments' : path\n  const types = schema.type === undefined ? [] : [schema.type].flat()\n  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {\n    return [`${name} must be ${types.join(' or ')}${explainLarge(types, value)}`]\n  }\n  const problems = findLimits(schema, value).map((limit) => `${name} ${limit}`)\n  if (schema.anyOf && !schema.anyOf.some((one) => findProblems(one, value, path).length === 0)) {\n    problems.push(`${name} fits none of the allowed forms`)\n  }\n  return [...problems, ...findNested(schema, value, path)]\n}",
  },
  explainLarge: {
    uses: ["toText"],
    text: "/** A number that lost digits before it came here cannot be told from the one that was meant. */\nfunction explainLarge(types: readonly string[], value: unknown): string {\n  const isLarge =\n    typeof value === 'number' ? Number.isInteger(value) : /^-?\\d{16,}$/.test(toText(value))\n  if (!types.includes('integer') || !isLarge) return ''\n  const hint = types.includes('string') ? '; send it as a string of digits' : ''\n  return `: beyond ±9007199254740991 a JSON number loses digits${hint}`\n}",
  },
  findNested: {
    uses: ["ArgumentSchema","findProblems","findUnknown","isEntries","isLeftOut","ownMember"],
    text: "function findNested(schema: ArgumentSchema, value: unknown, path: string): string[] {\n  if (Array.isArray(value)) {\n    const { items } = schema\n    return items\n      ? value.flatMap((item, index) => findProblems(items, item, `${path}[${index}]`))\n      : []\n  }\n  if (!isEntries(value)) return []\n  const under = (key: string): string => (path === '' ? key : `${path}.${key}`)\n  const properties = new Map(Object.entries(schema.properties ?? {}))\n  const missing = (schema.required ?? []).filter((key) => {\n    return isLeftOut(properties.get(key) ?? {}, ownMember(value, key), path)\n  })\n  const wrong = [...properties].flatMap(([key, property]) => {\n    const member = ownMember(value, key)\n    return isLeftOut(property, member, path) ? [] : findProblems(property, member, under(key))\n  })\n  const unknown = schema.additionalProperties === false ? findUnknown(properties, value) : []\n  return [\n    ...unknown.map(([key, hint]) => `${under(key)} is not an argument${hint}`),\n    ...missing.map((key) => `${under(key)} is required`),\n    ...wrong,\n  ]\n}",
  },
  findUnknown: {
    uses: ["didYouMean"],
    text: "/** Finds members without a place, and which of the known ones may have been meant. */\nfunction findUnknown(\n  properties: ReadonlyMap<string, unknown>,\n  value: Readonly<Record<string, unknown>>,\n): [string, string][] {\n  const keys = Object.keys(value).filter((key) => !properties.has(key))\n  return keys.slice(0, 10).map((key) => {\n    const hint = didYouMean(key, properties.keys())\n    return [key.slice(0, 100), hint === undefined ? '' : `; ${hint}`]\n  })\n}",
  },
  ownMember: {
    uses: [],
    text: "function ownMember(value: Readonly<Record<string, unknown>>, key: string): unknown {\n  return Object.hasOwn(value, key) ? value[key] : undefined\n}",
  },
  isLeftOut: {
    uses: ["ArgumentSchema","findProblems"],
    text: "// Models write null for arguments they do not want to give; further down it would be sent as it is.\nfunction isLeftOut(schema: ArgumentSchema, member: unknown, above: string): boolean {\n  if (member !== null || above !== '') return member === undefined\n  return findProblems(schema, null, '').length > 0\n}",
  },
  isOfType: {
    uses: ["isEntries"],
    text: "function isOfType(type: string, value: unknown): boolean {\n  if (type === 'null') return value === null\n  if (type === 'array') return Array.isArray(value)\n  if (type === 'object') return isEntries(value)\n  if (type === 'integer') return Number.isSafeInteger(value)\n  if (type === 'number') return Number.isFinite(value)\n  return typeof value === type\n}",
  },
  findLimits: {
    uses: ["ArgumentSchema","listLimits","numberLimits","textLimits"],
    text: "function findLimits(schema: ArgumentSchema, value: unknown): string[] {\n  if (schema.enum && !schema.enum.includes(value)) {\n    return [`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`]\n  }\n  if (typeof value === 'number') return numberLimits(schema, value)\n  if (typeof value === 'string') return textLimits(schema, value)\n  return Array.isArray(value) ? listLimits(schema, value) : []\n}",
  },
  numberLimits: {
    uses: ["ArgumentSchema","isMultiple"],
    text: "function numberLimits(schema: ArgumentSchema, value: number): string[] {\n  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema\n  return [\n    minimum !== undefined && value < minimum && `must be at least ${minimum}`,\n    maximum !== undefined && value > maximum && `must be at most ${maximum}`,\n    exclusiveMinimum !== undefined &&\n      value <= exclusiveMinimum &&\n      `must be above ${exclusiveMinimum}`,\n    exclusiveMaximum !== undefined &&\n      value >= exclusiveMaximum &&\n      `must be below ${exclusiveMaximum}`,\n    multipleOf !== undefined &&\n      !isMultiple(value, multipleOf) &&\n      `must be a multiple of ${multipleOf}`,\n  ].filter((limit) => limit !== false)\n}",
  },
  isMultiple: {
    uses: [],
    text: "function isMultiple(value: number, step: number): boolean {\n  const quotient = value / step\n  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))\n}",
  },
  textLimits: {
    uses: ["ArgumentSchema","matches"],
    text: "function textLimits(schema: ArgumentSchema, value: string): string[] {\n  const { minLength, maxLength, pattern } = schema\n  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length\n  return [\n    minLength !== undefined && length < minLength && `must have at least ${minLength} characters`,\n    maxLength !== undefined && length > maxLength && `must have at most ${maxLength} characters`,\n    pattern !== undefined && !matches(pattern, value) && `must match ${pattern}`,\n  ].filter((limit) => limit !== false)\n}",
  },
  matches: {
    uses: [],
    text: "// A pattern of another regular-expression dialect must not make every call fail.\nfunction matches(pattern: string, value: string): boolean {\n  try {\n    return new RegExp(pattern, 'u').test(value)\n  } catch {\n    return true\n  }\n}",
  },
  listLimits: {
    uses: ["ArgumentSchema","isUnique"],
    text: "function listLimits(schema: ArgumentSchema, value: readonly unknown[]): string[] {\n  const { minItems, maxItems, uniqueItems } = schema\n  return [\n    minItems !== undefined && value.length < minItems && `must have at least ${minItems} items`,\n    maxItems !== undefined && value.length > maxItems && `must have at most ${maxItems} items`,\n    uniqueItems === true && !isUnique(value) && 'must not repeat an item',\n  ].filter((limit) => limit !== false)\n}",
  },
  isUnique: {
    uses: [],
    text: "function isUnique(value: readonly unknown[]): boolean {\n  return new Set(value.map((item) => JSON.stringify(item))).size === value.length\n}",
  },
  nearest: {
    uses: ["LONGEST","MOST","isTelling","likeness"],
    text: "function nearest(\n  word: string,\n  members: Iterable<string>,\n  options: { readonly distance?: number; readonly count?: number } = {},\n): string[] {\n  const { distance: limit = 2, count = 1 } = options\n  const wanted = word.toLowerCase().slice(0, LONGEST)\n  const near: { readonly member: string; readonly distance: number }[] = []\n  let seen = 0\n  for (const member of members) {\n    if (seen++ === MOST) break\n    const other = member.toLowerCase().slice(0, LONGEST)\n    const distance = likeness(wanted, other, limit)\n    if (distance <= limit && isTelling(distance, wanted, other)) near.push({ member, distance })\n  }\n  return near\n    .sort((a, b) => a.distance - b.distance || (a.member < b.member ? -1 : 1))\n    .slice(0, count)\n    .map(({ member }) => member)\n}",
  },
  didYouMean: {
    uses: ["nearest"],
    text: "/** Words a did-you-mean sentence for a value outside a closed set, if a member is near. */\nfunction didYouMean(word: unknown, members: Iterable<string>): string | undefined {\n  if (typeof word !== 'string') return undefined\n  const [best] = nearest(word, members)\n  return best === undefined ? undefined : `did you mean \"${best}\"?`\n}",
  },
  formatNear: {
    uses: [],
    text: "/** Words the end of a sentence about an unknown name: `; did you mean a or b?`, or nothing. */\nfunction formatNear(names: readonly string[]): string {\n  if (names.length === 0) return ''\n  const last = names.at(-1)\n  const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`\n  return `; did you mean ${list}?`\n}",
  },
  LONGEST: {
    uses: [],
    text: "/** Foreign words may be megabytes long; a misspelling is not. */\nconst LONGEST = 100",
  },
  MOST: {
    uses: [],
    text: "/** Whoever misspells on purpose must not make the service compare for long. */\nconst MOST = 5_000",
  },
  isTelling: {
    uses: [],
    text: "/** Any two names of one or two letters are near each other, so there only one letter more or less counts, or case. */\nfunction isTelling(distance: number, a: string, b: string): boolean {\n  const shorter = Math.min(a.length, b.length)\n  const longer = Math.max(a.length, b.length)\n  return shorter > 2 ? distance < a.length : distance === 0 || (distance === 1 && longer === 3)\n}",
  },
  likeness: {
    uses: ["editDistance"],
    text: "/** A piece of the word counts as near: \"str\" for \"string\", \"hook\" for \"webhook\". */\nfunction likeness(a: string, b: string, limit: number): number {\n  const isPiece = a.length >= 3 && b.length >= 3 && (b.includes(a) || a.includes(b))\n  return Math.min(editDistance(a, b, limit), isPiece ? 2 : Number.POSITIVE_INFINITY)\n}",
  },
  editDistance: {
    uses: [],
    text: "/** Looks only at the band of the table in which a distance up to the limit can lie, and stops where it is left. */\nfunction editDistance(a: string, b: string, limit: number): number {\n  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY\n  const far = limit + 1\n  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)\n  let current = new Array<number>(b.length + 1).fill(far)\n  for (let row = 1; row <= a.length; row++) {\n    const first = Math.max(1, row - limit)\n    const last = Math.min(b.length, row + limit)\n    current[first - 1] = first === 1 ? row : far\n    let least = current[first - 1] ?? far\n    for (let column = first; column <= last; column++) {\n      // What stands above the end of the band is of an older row, and outside the band it is far.\n      const above = column === row + limit ? far : (previous[column] ?? far)\n      const left = current[column - 1] ?? far\n      const change = a[row - 1] === b[column - 1] ? 0 : 1\n      const distance = Math.min(above + 1, left + 1, (previous[column - 1] ?? far) + change)\n      current[column] = distance\n      least = Math.min(least, distance)\n    }\n    if (least > limit) return Number.POSITIVE_INFINITY\n    ;[previous, current] = [current, previous]\n  }\n  return previous[b.length] ?? far\n}",
  },
  CallerParts: {
    uses: ["Authenticator","BodyEncoder","Operation","Page","PageSource","PaginateRule","ResponseRule","ToolArguments","Trimmed"],
    text: "/** What the operations of one file need; code that no operation needs is not copied beside it. */\ninterface CallerParts {\n  readonly auth: Readonly<Record<string, Authenticator>>\n  readonly bodies: Readonly<Record<string, BodyEncoder>>\n  readonly trim?: (value: unknown, rule: ResponseRule) => Trimmed\n  readonly page?: (\n    operation: Operation,\n    rule: PaginateRule,\n    args: ToolArguments,\n    source: PageSource,\n  ) => Page\n}",
  },
  CallerOptions: {
    uses: ["Environment","Sender"],
    text: "/** Settings of a caller, for all its calls. */\ninterface CallerOptions {\n  readonly env?: Environment\n  readonly fetch?: typeof fetch\n  /** Longest time for one call, retries included; 30 seconds when absent. */\n  readonly timeoutMs?: number\n  /** How often a GET, PUT or DELETE is sent again; 2 when absent. */\n  readonly retries?: number\n  /** Longest `Retry-After` that is waited for; 10 seconds when absent. */\n  readonly maxWaitMs?: number\n  /** Longest answer that is read; 1 MiB when absent, 16 MiB where the answer is trimmed. */\n  readonly maxBytes?: number\n  readonly userAgent?: string\n  readonly now?: () => number\n  readonly sleep?: Sender['sleep']\n  readonly random?: () => number\n}",
  },
  ToolContext: {
    uses: ["Environment"],
    text: "/** What one call may bring along. */\ninterface ToolContext {\n  readonly signal?: AbortSignal | undefined\n  /** Read instead of the environment of the process. */\n  readonly env?: Environment | undefined\n  readonly fetch?: typeof fetch | undefined\n  readonly timeoutMs?: number | undefined\n}",
  },
  Caller: {
    uses: ["Operation","ToolArguments","ToolContext"],
    text: "/** Sends an operation with checked arguments and gives its answer. */\ntype Caller = (\n  operation: Operation,\n  args: ToolArguments,\n  context?: ToolContext,\n) => Promise<unknown>",
  },
  TIMEOUT_MS: {
    uses: [],
    text: "const TIMEOUT_MS = 30_000",
  },
  EXCERPT_BYTES: {
    uses: [],
    text: "const EXCERPT_BYTES = 2048",
  },
  createCaller: {
    uses: ["Caller","CallerOptions","CallerParts","Exchange","TIMEOUT_MS","processEnvironment","runExchange","toSender","toToolError"],
    text: "/** Makes a caller: the one place where requests leave and answers come back. */\nfunction createCaller(parts: CallerParts, options: CallerOptions = {}): Caller {\n  return async function callTool(operation, args, context = {}) {\n    const timeout = AbortSignal.timeout(context.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS)\n    const signal = context.signal ? AbortSignal.any([context.signal, timeout]) : timeout\n    const exchange: Exchange = {\n      operation,\n      // Arguments without a prototype: a field called `constructor` must not find one.\n      args: { __proto__: null, ...args },\n      parts,\n      options,\n      env: context.env ?? options.env ?? processEnvironment(),\n      secrets: [],\n      sender: toSender(operation, {\n        ...options,\n        fetch: context.fetch ?? options.fetch ?? fetch,\n        signal,\n      }),\n    }\n    try {\n      return await runExchange(exchange)\n    } catch (thrown) {\n      throw toToolError(thrown, {\n        exchange,\n        isCancelled: context.signal?.aborted === true,\n        timeout,\n      })\n    }\n  }\n}",
  },
  Exchange: {
    uses: ["CallerOptions","CallerParts","Environment","Operation","Sender","ToolArguments"],
    text: "interface Exchange {\n  readonly operation: Operation\n  readonly args: ToolArguments\n  readonly parts: CallerParts\n  readonly options: CallerOptions\n  readonly env: Environment\n  readonly sender: Sender\n  /** Grows as credentials are read. */\n  readonly secrets: string[]\n}",
  },
  runExchange: {
    uses: ["Exchange","readAnswer","readCredential","sendRequest","shapeAnswer","toHttpError","toRequest"],
    text: "async function runExchange(exchange: Exchange): Promise<unknown> {\n  const { operation, options, sender } = exchange\n  const credential = await readCredential(exchange)\n  let request = toRequest(exchange, credential)\n  let response = await sendRequest(request, sender)\n  if (response.status === 401 && credential.token !== undefined) {\n    await response.body?.cancel()\n    request = toRequest(exchange, await readCredential(exchange, credential.token))\n    response = await sendRequest(request, sender)\n  }\n  if (!response.ok) throw await toHttpError(exchange, request, response)\n  const usual = operation.response ? 16 * 1024 * 1024 : 1024 * 1024\n  const answer = await readAnswer(response, options.maxBytes ?? usual)\n  if (answer.truncated) return answer.value\n  return shapeAnswer(exchange, answer.value, response.headers.get('link'))\n}",
  },
  shapeAnswer: {
    uses: ["Exchange","Trimmed","toPageAnswer"],
    text: "function shapeAnswer(exchange: Exchange, value: unknown, link: string | null): unknown {\n  const { operation, args, parts } = exchange\n  const { response: rule, paginate } = operation\n  const trim = (part: unknown): Trimmed => {\n    return rule && parts.trim ? parts.trim(part, rule) : { result: part }\n  }\n  const page = paginate && parts.page?.(operation, paginate, args, { value, link })\n  if (page === undefined) {\n    const { result, trimmed } = trim(value)\n    return trimmed === undefined ? result : { result, trimmed }\n  }\n  return toPageAnswer(page, trim(page.items === undefined || rule?.pick ? value : page.items))\n}",
  },
  toPageAnswer: {
    uses: ["Page","Trimmed"],
    text: "function toPageAnswer(page: Page, { result, trimmed }: Trimmed): Record<string, unknown> {\n  return {\n    [Array.isArray(result) ? 'items' : 'result']: result,\n    next_cursor: page.next,\n    ...(trimmed !== undefined && { trimmed }),\n  }\n}",
  },
  toRequest: {
    uses: ["Credential","Exchange","Outgoing","buildRequest"],
    text: "function toRequest(\n  { operation, args, env, parts, options }: Exchange,\n  credential: Credential,\n): Outgoing {\n  const { userAgent } = options\n  const { bodies } = parts\n  return buildRequest(operation, args, { env, bodies, credential, ...(userAgent && { userAgent }) })\n}",
  },
  readCredential: {
    uses: ["Credential","Exchange","NO_CREDENTIAL","joinCredentials","readRules"],
    text: "async function readCredential(exchange: Exchange, rejected?: string): Promise<Credential> {\n  const { operation, env, parts, sender, options } = exchange\n  const { tool } = operation\n  const now = options.now ?? Date.now\n  const rules = readRules(operation.auth, env, tool)\n  const context = { tool, env, fetch: sender.fetch, now, signal: sender.signal, rejected }\n  const credentials = await Promise.all(\n    rules.map((rule) => parts.auth[rule.type]?.(rule, context) ?? NO_CREDENTIAL),\n  )\n  const credential = joinCredentials(credentials)\n  exchange.secrets.push(...credential.secrets)\n  return credential\n}",
  },
  toSender: {
    uses: ["CallerOptions","Operation","Sender","sleep"],
    text: "function toSender(\n  { tool }: Operation,\n  options: CallerOptions & { readonly fetch: typeof fetch; readonly signal: AbortSignal },\n): Sender {\n  return {\n    tool,\n    fetch: options.fetch,\n    signal: options.signal,\n    retries: options.retries ?? 2,\n    maxWaitMs: options.maxWaitMs ?? 10_000,\n    sleep: options.sleep ?? sleep,\n    random: options.random ?? Math.random,\n    now: options.now ?? Date.now,\n  }\n}",
  },
  toHttpError: {
    uses: ["EXCERPT_BYTES","Exchange","Outgoing","ToolHttpError","createRedactor","readExcerpt","readRetryAfter"],
    text: "async function toHttpError(\n  { operation, secrets, options }: Exchange,\n  request: Outgoing,\n  response: Response,\n): Promise<ToolHttpError> {\n  const redact = createRedactor(secrets)\n  return new ToolHttpError({\n    tool: operation.tool,\n    method: request.method,\n    url: redact(request.url),\n    status: response.status,\n    body: redact(await readExcerpt(response, EXCERPT_BYTES)),\n    retryAfter: readRetryAfter(response, (options.now ?? Date.now)()),\n  })\n}",
  },
  toToolError: {
    uses: ["Exchange","ToolError","createRedactor","networkCode"],
    text: "function toToolError(\n  thrown: unknown,\n  outcome: {\n    readonly exchange: Exchange\n    readonly isCancelled: boolean\n    readonly timeout: AbortSignal\n  },\n): ToolError {\n  const { tool } = outcome.exchange.operation\n  if (outcome.isCancelled)\n    return new ToolError(tool, 'cancelled', `${tool}: cancelled by the caller`)\n  if (outcome.timeout.aborted) return new ToolError(tool, 'timeout', `${tool}: no answer in time`)\n  if (thrown instanceof ToolError) return thrown\n  // The cause stays outside: what fetch says may quote a header.\n  const redact = createRedactor(outcome.exchange.secrets)\n  const code = networkCode(thrown)\n  return new ToolError(\n    tool,\n    'network',\n    redact(`${tool}: the API could not be reached${code && ` (${code})`}`),\n  )\n}",
  },
  networkCode: {
    uses: [],
    text: "function networkCode(thrown: unknown): string {\n  const cause = thrown instanceof Error ? thrown.cause : undefined\n  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'\n    ? cause.code\n    : ''\n}",
  },
  Outgoing: {
    uses: ["EncodedBody"],
    text: "/** A request ready to be sent. */\ninterface Outgoing {\n  readonly method: string\n  readonly url: string\n  readonly headers: Readonly<Record<string, string>>\n  readonly content: EncodedBody['content'] | undefined\n}",
  },
  RequestParts: {
    uses: ["BodyEncoder","Credential","Environment"],
    text: "/** What a request is built from, beside the operation and its arguments. */\ninterface RequestParts {\n  readonly env: Environment\n  readonly bodies: Readonly<Record<string, BodyEncoder>>\n  readonly credential?: Credential\n  readonly userAgent?: string\n}",
  },
  OWN_HEADERS: {
    uses: [],
    text: "/** Headers that belong to the connection or to the credential, never to an argument. */\nconst OWN_HEADERS =\n  /^(?:host|content-length|content-type|authorization|proxy-.*|cookie|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i",
  },
  buildRequest: {
    uses: ["NO_CREDENTIAL","Operation","Outgoing","RequestParts","ToolArguments","headerParams","joinUrl","pairsIn"],
    text: "/** Builds the request of an operation; throws before anything is sent when it cannot be right. */\nfunction buildRequest(\n  operation: Operation,\n  args: ToolArguments,\n  parts: RequestParts,\n): Outgoing {\n  const { tool, method } = operation\n  const credential = parts.credential ?? NO_CREDENTIAL\n  const body = operation.body && parts.bodies[operation.body.type]?.(operation.body, args, tool)\n  const cookies = [...pairsIn(operation, args, 'cookie'), ...credential.cookies]\n  const headers = {\n    accept: 'application/json, */*;q=0.5',\n    'user-agent': parts.userAgent ?? 'waymark-forge',\n    ...headerParams(operation, args),\n    ...(body && { 'content-type': body.mediaType }),\n    ...(cookies.length > 0 && { cookie: cookies.map((pair) => pair.join('=')).join('; ') }),\n    ...Object.fromEntries(credential.headers.map(([name, value]) => [name.toLowerCase(), value])),\n  }\n  const query = [...pairsIn(operation, args, 'query'), ...credential.query]\n  const url = joinUrl(operation, args, { env: parts.env, query })\n  return { method, url, headers, content: body?.content }\n}",
  },
  joinUrl: {
    uses: ["Environment","Operation","Pair","ToolArguments","ToolError","expandVariables","fillPath","requireBase"],
    text: "function joinUrl(\n  operation: Operation,\n  args: ToolArguments,\n  parts: { readonly env: Environment; readonly query: readonly Pair[] },\n): string {\n  const base = requireBase(\n    expandVariables(operation.base_url, parts.env, operation.tool),\n    operation,\n  )\n  const [, path = '', fixedQuery = ''] = /^([^?#]*)\\??([^#]*)/.exec(operation.path) ?? []\n  const filled = fillPath(path, operation, args)\n  const query = [fixedQuery && fillPath(fixedQuery, operation, args)]\n    .concat(parts.query.map((pair) => pair.join('=')))\n    .filter((part) => part !== '')\n    .join('&')\n  // Appending keeps the path of the base; resolving against it would lose it.\n  const url = new URL(base.href.replace(/(?<!\\/)\\/+$/, '') + filled + (query && `?${query}`))\n  if (url.origin === base.origin) return url.href\n  throw new ToolError(operation.tool, 'arguments', `${operation.tool}: the URL would leave the API`)\n}",
  },
  requireBase: {
    uses: ["Operation","ToolError","isPlain"],
    text: "function requireBase(text: string, { tool }: Operation): URL {\n  const url = URL.canParse(text) ? new URL(text) : undefined\n  const isPlain = url && !url.search && !url.hash && !url.username && !url.password\n  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url\n  throw new ToolError(\n    tool,\n    'setup',\n    `E013 ${tool}: base_url must be an http or https URL without user, query and fragment`,\n  )\n}",
  },
  fillPath: {
    uses: ["Operation","ToolArguments","badArgument","escapeText","isDotSegment","isPresent","sentValue","toSegment"],
    text: "function fillPath(path: string, operation: Operation, args: ToolArguments): string {\n  const rules = (operation.params ?? []).filter((rule) => rule.in === 'path')\n  const filled = path.replace(/\\{([^{}]*)\\}/g, (_match, name: string) => {\n    const rule = rules.find((candidate) => (candidate.name ?? candidate.arg) === name)\n    const value = rule && sentValue(rule, args)\n    const text = rule && isPresent(value) ? toSegment(rule, value, escapeText) : ''\n    if (text === '') throw badArgument(operation, rule?.arg ?? name, 'is needed in the path')\n    return text\n  })\n  // URL parsers walk up on `..` and `%2e%2e`, so such a segment cannot be sent at all.\n  if (filled !== path && filled.split('/').some(isDotSegment)) {\n    throw badArgument(operation, 'path', 'may not hold a value that is . or ..')\n  }\n  return filled\n}",
  },
  isDotSegment: {
    uses: [],
    text: "function isDotSegment(segment: string): boolean {\n  return /^\\.{1,2}$/.test(segment.replace(/%2e/gi, '.'))\n}",
  },
  pairsIn: {
    uses: ["Operation","Pair","ToolArguments","paramPairs","sentValue"],
    text: "function pairsIn(operation: Operation, args: ToolArguments, place: 'query' | 'cookie'): Pair[] {\n  return (operation.params ?? [])\n    .filter((rule) => rule.in === place)\n    .flatMap((rule) => paramPairs(rule, sentValue(rule, args)))\n}",
  },
  sentValue: {
    uses: ["ParamRule","ToolArguments"],
    text: "function sentValue(rule: ParamRule, args: ToolArguments): unknown {\n  return args[rule.arg] ?? rule.value\n}",
  },
  paramPairs: {
    uses: ["Pair","ParamRule","escapeReserved","escapeText","isPresent","styleOf","toMedia","toPairs"],
    text: "function paramPairs(rule: ParamRule, value: unknown): readonly Pair[] {\n  if (!isPresent(value)) return []\n  const name = rule.name ?? rule.arg\n  if (rule.content_type !== undefined) return [[escapeText(name), escapeText(toMedia(rule, value))]]\n  const encode = rule.allow_reserved ? escapeReserved : escapeText\n  return toPairs(name, value, { ...styleOf(rule), encode })\n}",
  },
  toMedia: {
    uses: ["ParamRule","toJsonText","toText"],
    text: "function toMedia(rule: ParamRule, value: unknown): string {\n  return rule.content_type?.includes('json') ? toJsonText(value, rule.digits) : toText(value)\n}",
  },
  headerParams: {
    uses: ["OWN_HEADERS","Operation","ToolArguments","badArgument","isPresent","sentValue","toMedia","toSegment"],
    text: "function headerParams(operation: Operation, args: ToolArguments): Record<string, string> {\n  const rules = (operation.params ?? []).filter((rule) => rule.in === 'header')\n  const entries = rules.flatMap((rule) => {\n    const value = sentValue(rule, args)\n    if (!isPresent(value)) return []\n    const name = rule.name ?? rule.arg\n    if (OWN_HEADERS.test(name)) throw badArgument(operation, rule.arg, `cannot set ${name}`)\n    const text =\n      rule.content_type === undefined ? toSegment(rule, value, String) : toMedia(rule, value)\n    if (/^[\\t\\x20-\\x7e\\x80-\\xff]*$/.test(text)) return [[name.toLowerCase(), text.trim()] as const]\n    throw badArgument(operation, rule.arg, 'holds characters that a header cannot carry')\n  })\n  return Object.fromEntries(entries)\n}",
  },
  badArgument: {
    uses: ["Operation","ToolError"],
    text: "function badArgument({ tool }: Operation, arg: string, problem: string): ToolError {\n  return new ToolError(tool, 'arguments', `${tool}: ${arg} ${problem}`, {\n    problems: [`${arg} ${problem}`],\n  })\n}",
  },
  Pair: {
    uses: [],
    text: "/** A name and a value as they stand in a query or form, both escaped. */\ntype Pair = readonly [name: string, value: string]",
  },
  Escape: {
    uses: [],
    text: "/** Turns a text into its spelling on the wire. */\ntype Escape = (text: string) => string",
  },
  toText: {
    uses: ["numberText"],
    text: "/** Writes a scalar as parameters carry it: no exponent where the number is exact without one. */\nfunction toText(value: unknown): string {\n  if (typeof value === 'string') return value\n  if (typeof value === 'number') return numberText(value)\n  return JSON.stringify(value) ?? ''\n}",
  },
  isEntries: {
    uses: [],
    text: "/** Tells whether a value is an object with named entries. */\nfunction isEntries(value: unknown): value is Readonly<Record<string, unknown>> {\n  return typeof value === 'object' && value !== null && !Array.isArray(value)\n}",
  },
  isPresent: {
    uses: [],
    text: "/** Tells whether a value is sent at all. */\nfunction isPresent(value: unknown): boolean {\n  return value !== undefined && value !== null\n}",
  },
  escapeText: {
    uses: [],
    text: "/** Escapes a text for a path, query or cookie; half a surrogate pair becomes U+FFFD. */\nfunction escapeText(text: string): string {\n  return encodeURIComponent(text.replace(/\\p{Surrogate}/gu, '\\ufffd'))\n}",
  },
  escapeReserved: {
    uses: ["escapeText"],
    text: "/** Escapes a query value but for the reserved characters that cannot end it. */\nfunction escapeReserved(text: string): string {\n  return escapeText(text).replace(/%(?:3A|2F|3F|40|24|2C|3B|3D)/g, decodeURIComponent)\n}",
  },
  styleOf: {
    uses: ["ParamRule"],
    text: "/** Names the style and explode of a parameter with the defaults of OpenAPI. */\nfunction styleOf(rule: ParamRule): { readonly style: string; readonly explode: boolean } {\n  const usual = rule.in === 'query' || rule.in === 'cookie' ? 'form' : 'simple'\n  const style = rule.style ?? usual\n  return { style, explode: rule.explode ?? (style === 'form' || style === 'deepObject') }\n}",
  },
  toSegment: {
    uses: ["Escape","ParamRule","arrayItems","isEntries","presentEntries","styleOf","toText"],
    text: "/** Writes a value for a path or header: `simple`, `label` and `matrix` of RFC 6570. */\nfunction toSegment(rule: ParamRule, value: unknown, encode: Escape): string {\n  const { style, explode } = styleOf(rule)\n  const name = encode(rule.name ?? rule.arg)\n  const items = Array.isArray(value) ? arrayItems(value) : isEntries(value) ? undefined : [value]\n  const parts = items\n    ? items.map((item) => encode(toText(item)))\n    : presentEntries(value).map(([key, item]) => {\n        return encode(key) + (explode ? '=' : ',') + encode(toText(item))\n      })\n  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`\n  if (style !== 'matrix') return parts.join(',')\n  if (!explode) return `;${name}=${parts.join(',')}`\n  return parts.map((part) => (items ? `;${name}=${part}` : `;${part}`)).join('')\n}",
  },
  toPairs: {
    uses: ["Escape","Pair","arrayItems","delimiterOf","escapeText","isEntries","isPresent","presentEntries","toBracketPairs","toText"],
    text: "/** Writes a value for a query, form or cookie as pairs, by style and explode. */\nfunction toPairs(\n  name: string,\n  value: unknown,\n  format: { readonly style: string; readonly explode: boolean; readonly encode: Escape },\n): readonly Pair[] {\n  const { style, explode, encode } = format\n  if (!isPresent(value)) return []\n  if (style === 'deepObject') return toBracketPairs(name, value, encode)\n  if (!Array.isArray(value) && !isEntries(value)) return [[escapeText(name), encode(toText(value))]]\n  const entries = Array.isArray(value) ? undefined : presentEntries(value)\n  if (entries && explode) return entries.flatMap(([key, item]) => toPairs(key, item, format))\n  const items = (entries?.flat() ?? arrayItems(value)).map((item) => encode(toText(item)))\n  if (explode) return items.map((item) => [escapeText(name), item])\n  return items.length === 0 ? [] : [[escapeText(name), items.join(delimiterOf(style))]]\n}",
  },
  toBracketPairs: {
    uses: ["Escape","Pair","escapeText","isEntries","isPresent","presentEntries","toText"],
    text: "/** Writes nested values with brackets: `site[row]=1`, `lines[0][sku]=a`. */\nfunction toBracketPairs(\n  name: string,\n  value: unknown,\n  encode: Escape = escapeText,\n): readonly Pair[] {\n  if (!isPresent(value)) return []\n  if (Array.isArray(value)) {\n    return value.flatMap((item, index) => toBracketPairs(`${name}[${index}]`, item, encode))\n  }\n  if (!isEntries(value)) return [[escapeText(name), encode(toText(value))]]\n  return presentEntries(value).flatMap(([key, item]) => {\n    return toBracketPairs(`${name}[${key}]`, item, encode)\n  })\n}",
  },
  presentEntries: {
    uses: ["isEntries","isPresent"],
    text: "/** Lists the entries of an object that are sent. */\nfunction presentEntries(value: unknown): readonly (readonly [string, unknown])[] {\n  return isEntries(value) ? Object.entries(value).filter(([, item]) => isPresent(item)) : []\n}",
  },
  arrayItems: {
    uses: ["isPresent"],
    text: "function arrayItems(value: unknown): readonly unknown[] {\n  return Array.isArray(value) ? value.filter(isPresent) : []\n}",
  },
  delimiterOf: {
    uses: [],
    text: "function delimiterOf(style: string): string {\n  return style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','\n}",
  },
  numberText: {
    uses: [],
    text: "function numberText(value: number): string {\n  const text = String(value)\n  if (!text.includes('e')) return text\n  if (Number.isInteger(value)) return BigInt(value).toString()\n  const plain = value.toFixed(20).replace(/0+$/, '')\n  return Number(plain) === value ? plain : text\n}",
  },
  toJsonText: {
    uses: ["writeDigits"],
    text: "/** Writes JSON; strings of digits that `digits` points at become numbers of any size. */\nfunction toJsonText(value: unknown, digits: readonly string[] = []): string {\n  if (digits.length === 0) return JSON.stringify(value)\n  return writeDigits(\n    value,\n    digits.map((pointer) => pointer.split('/').slice(1)),\n  )\n}",
  },
  writeDigits: {
    uses: ["isEntries","pathsUnder"],
    text: "function writeDigits(value: unknown, paths: readonly (readonly string[])[]): string {\n  if (paths.length === 0) return JSON.stringify(value)\n  if (typeof value === 'string' && paths.some((path) => path.length === 0)) {\n    return /^-?\\d+$/.test(value) ? value.replace(/^(-?)0+(?=\\d)/, '$1') : JSON.stringify(value)\n  }\n  if (Array.isArray(value)) {\n    const inner = pathsUnder(paths, '*')\n    return `[${value.map((item) => writeDigits(item, inner)).join(',')}]`\n  }\n  if (!isEntries(value)) return JSON.stringify(value)\n  const members = Object.entries(value)\n    .filter(([, item]) => item !== undefined)\n    .map(([key, item]) => `${JSON.stringify(key)}:${writeDigits(item, pathsUnder(paths, key))}`)\n  return `{${members.join(',')}}`\n}",
  },
  pathsUnder: {
    uses: [],
    text: "function pathsUnder(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {\n  const token = key.replaceAll('~', '~0').replaceAll('/', '~1')\n  return paths.filter(([head]) => head === token).map((path) => path.slice(1))\n}",
  },
  EncodedBody: {
    uses: [],
    text: "/** A body ready to be sent. */\ninterface EncodedBody {\n  readonly content: string | ArrayBuffer\n  readonly mediaType: string\n}",
  },
  BodyEncoder: {
    uses: ["BodyRule","EncodedBody","ToolArguments"],
    text: "/** Writes the body of a call, or nothing when the caller supplied nothing. */\ntype BodyEncoder = (\n  rule: BodyRule,\n  args: ToolArguments,\n  tool: string,\n) => EncodedBody | undefined",
  },
  encodeJsonBody: {
    uses: ["BodyRule","EncodedBody","ToolArguments","isSupplied","suppliedFields","toJsonText","wireName"],
    text: "/** Writes a JSON body. */\nfunction encodeJsonBody(rule: BodyRule, args: ToolArguments): EncodedBody | undefined {\n  const mediaType = rule.media_type ?? 'application/json'\n  if (rule.root) {\n    const value = args[rule.root.arg]\n    if (!isSupplied(rule.root, value)) return undefined\n    return { content: toJsonText(value, rule.root.digits), mediaType }\n  }\n  const members = suppliedFields(rule, args).map(([field, value]) => {\n    return `${JSON.stringify(wireName(field))}:${toJsonText(value, field.digits)}`\n  })\n  return members.length === 0 ? undefined : { content: `{${members.join(',')}}`, mediaType }\n}",
  },
  encodeFormBody: {
    uses: ["BodyRule","EncodedBody","ToolArguments","formFields","formPairs"],
    text: "/** Writes a form-urlencoded body; nested values get brackets. */\nfunction encodeFormBody(rule: BodyRule, args: ToolArguments): EncodedBody | undefined {\n  const pairs = formFields(rule, args).flatMap(([field, value]) => formPairs(field, value))\n  if (pairs.length === 0) return undefined\n  const content = pairs.map(([name, value]) => `${name}=${value}`).join('&')\n  return { content, mediaType: rule.media_type ?? 'application/x-www-form-urlencoded' }\n}",
  },
  encodeMultipartBody: {
    uses: ["BodyRule","EncodedBody","ToolArguments","findBoundary","formFields","joinParts","toPart"],
    text: "/** Writes a multipart form; files come as base64 or as a data URL that may name them. */\nfunction encodeMultipartBody(\n  rule: BodyRule,\n  args: ToolArguments,\n  tool: string,\n): EncodedBody | undefined {\n  const parts = formFields(rule, args).flatMap(([field, value]) => {\n    if (!Array.isArray(value)) return toPart(field, value, tool, field.digits)\n    const digits = field.digits?.flatMap((one) => (one.startsWith('/*') ? one.slice(2) : []))\n    return value.map((item) => toPart(field, item, tool, digits))\n  })\n  if (parts.length === 0) return undefined\n  const boundary = findBoundary(parts)\n  return {\n    content: joinParts(parts, boundary),\n    mediaType: `multipart/form-data; boundary=${boundary}`,\n  }\n}",
  },
  encodeRawBody: {
    uses: ["BodyRule","EncodedBody","ToolArguments","isPresent","readFile","toText"],
    text: "/** Writes a body that is one text or one run of bytes. */\nfunction encodeRawBody(\n  rule: BodyRule,\n  args: ToolArguments,\n  tool: string,\n): EncodedBody | undefined {\n  const field = rule.root ?? rule.fields?.[0]\n  const value = field && args[field.arg]\n  if (field === undefined || !isPresent(value)) return undefined\n  if (!field.binary) {\n    return { content: toText(value), mediaType: rule.media_type ?? 'text/plain;charset=utf-8' }\n  }\n  const file = readFile(field, value, tool)\n  const mediaType = rule.media_type ?? (file.type || 'application/octet-stream')\n  return { content: file.bytes, mediaType }\n}",
  },
  suppliedFields: {
    uses: ["BodyField","BodyRule","ToolArguments","isSupplied"],
    text: "function suppliedFields(\n  rule: BodyRule,\n  args: ToolArguments,\n): readonly (readonly [BodyField, unknown])[] {\n  return (rule.fields ?? [])\n    .map((field) => [field, args[field.arg]] as const)\n    .filter(([field, value]) => isSupplied(field, value))\n}",
  },
  isSupplied: {
    uses: ["BodyField"],
    text: "function isSupplied(field: BodyField, value: unknown): boolean {\n  return value !== undefined && (value !== null || field.nullable === true)\n}",
  },
  wireName: {
    uses: ["BodyField"],
    text: "function wireName(field: BodyField): string {\n  return field.name ?? field.arg\n}",
  },
  formFields: {
    uses: ["BodyField","BodyRule","ToolArguments","isEntries","isPresent","suppliedFields"],
    text: "// A form whose fields are not known in advance arrives as one object argument.\nfunction formFields(\n  rule: BodyRule,\n  args: ToolArguments,\n): readonly (readonly [BodyField, unknown])[] {\n  if (!rule.root) return suppliedFields(rule, args)\n  const value = args[rule.root.arg]\n  const entries = isEntries(value) ? Object.entries(value) : []\n  return entries\n    .filter(([, item]) => isPresent(item))\n    .map(([name, item]) => [{ arg: name }, item] as const)\n}",
  },
  formPairs: {
    uses: ["BodyField","Pair","escapeText","isEntries","toBracketPairs","toJsonText","toPairs","wireName"],
    text: "function formPairs(field: BodyField, value: unknown): readonly Pair[] {\n  const name = wireName(field)\n  if (value === null) return [[escapeText(name), '']]\n  if (field.content_type?.includes('json'))\n    return [[escapeText(name), escapeText(toJsonText(value, field.digits))]]\n  if (field.style !== undefined) {\n    const explode = field.explode ?? (field.style === 'form' || field.style === 'deepObject')\n    return toPairs(name, value, { style: field.style, explode, encode: escapeText })\n  }\n  const nested =\n    isEntries(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'))\n  if (nested) return toBracketPairs(name, value)\n  return toPairs(name, value, { style: 'form', explode: field.explode ?? true, encode: escapeText })\n}",
  },
  Part: {
    uses: [],
    text: "/** One part of a form: the lines above its content, and the content. */\ninterface Part {\n  readonly head: string\n  readonly content: Uint8Array\n}",
  },
  toPart: {
    uses: ["BodyField","Part","escapeQuoted","isPresent","readFile","toHead","toJsonText","toText","wireName"],
    text: "function toPart(field: BodyField, value: unknown, tool: string, digits: BodyField['digits']): Part {\n  const name = `form-data; name=\"${escapeQuoted(wireName(field))}\"`\n  if (field.binary && isPresent(value)) {\n    const file = readFile(field, value, tool)\n    const type = field.content_type ?? (file.type || 'application/octet-stream')\n    const head = toHead(`${name}; filename=\"${escapeQuoted(file.name)}\"`, type)\n    return { head, content: new Uint8Array(file.bytes) }\n  }\n  const isJson = typeof value === 'object' && value !== null\n  const text = value === null ? '' : isJson ? toJsonText(value, digits) : toText(value)\n  const type = field.content_type ?? (isJson ? 'application/json' : undefined)\n  return { head: toHead(name, type), content: new TextEncoder().encode(text) }\n}",
  },
  toHead: {
    uses: [],
    text: "function toHead(disposition: string, type: string | undefined): string {\n  const lines = [`Content-Disposition: ${disposition}`, ...(type ? [`Content-Type: ${type}`] : [])]\n  return `${lines.map((line) => `${line}\\r\\n`).join('')}\\r\\n`\n}",
  },
  escapeQuoted: {
    uses: [],
    text: "function escapeQuoted(text: string): string {\n  return text.replaceAll('\"', '%22').replaceAll('\\r', '%0D').replaceAll('\\n', '%0A')\n}",
  },
  findBoundary: {
    uses: ["Part"],
    text: "// The same arguments make the same bytes; a content that holds the boundary makes it longer.\nfunction findBoundary(parts: readonly Part[]): string {\n  const texts = parts.map(({ content }) => new TextDecoder('latin1').decode(content))\n  let boundary = '----waymark-form'\n  while (texts.some((text) => text.includes(boundary))) boundary += `-${boundary.length}`\n  return boundary\n}",
  },
  joinParts: {
    uses: ["Part"],
    text: "function joinParts(parts: readonly Part[], boundary: string): ArrayBuffer {\n  const encoder = new TextEncoder()\n  const chunks = parts.flatMap(({ head, content }) => [\n    encoder.encode(`--${boundary}\\r\\n${head}`),\n    content,\n    encoder.encode('\\r\\n'),\n  ])\n  chunks.push(encoder.encode(`--${boundary}--\\r\\n`))\n  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))\n  let at = 0\n  for (const chunk of chunks) {\n    bytes.set(chunk, at)\n    at += chunk.length\n  }\n  return bytes.buffer\n}",
  },
  FileArgument: {
    uses: [],
    text: "interface FileArgument {\n  readonly bytes: ArrayBuffer\n  readonly name: string\n  readonly type: string\n}",
  },
  readFile: {
    uses: ["BodyField","FileArgument","ToolError","decodeName","fromBase64","toText","wireName"],
    text: "function readFile(field: BodyField, value: unknown, tool: string): FileArgument {\n  const text = toText(value)\n  const url = /^data:([^;,]*)((?:;[^;,]*)*?);base64,/i.exec(text)\n  const bytes = fromBase64(url ? text.slice(url[0].length) : text)\n  if (bytes === undefined) {\n    const problem = `${field.arg} is neither base64 nor a data URL (data:image/png;name=a.png;base64,…)`\n    throw new ToolError(tool, 'arguments', `${tool}: ${problem}`, { problems: [problem] })\n  }\n  const name = /;name=([^;,]*)/i.exec(url?.[2] ?? '')?.[1]\n  return { bytes, name: name ? decodeName(name) : wireName(field), type: url?.[1] ?? '' }\n}",
  },
  decodeName: {
    uses: [],
    text: "function decodeName(name: string): string {\n  try {\n    return decodeURIComponent(name)\n  } catch {\n    return name\n  }\n}",
  },
  toBase64: {
    uses: [],
    text: "/** Writes bytes as base64. */\nfunction toBase64(bytes: Uint8Array): string {\n  let binary = ''\n  for (let start = 0; start < bytes.length; start += 0x8000) {\n    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))\n  }\n  return btoa(binary)\n}",
  },
  fromBase64: {
    uses: [],
    text: "/** Reads base64 or base64url; undefined when the text is neither. */\nfunction fromBase64(text: string): ArrayBuffer | undefined {\n  const plain = text.replace(/\\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')\n  try {\n    const binary = atob(plain)\n    const buffer = new ArrayBuffer(binary.length)\n    const bytes = new Uint8Array(buffer)\n    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)\n    return buffer\n  } catch {\n    return undefined\n  }\n}",
  },
  requireVariable: {
    uses: ["Environment","missingVariable"],
    text: "/** Reads a variable that must be there; an empty one counts as missing. */\nfunction requireVariable(env: Environment, name: string, tool: string): string {\n  const value = env[name]\n  if (value !== undefined && value !== '') return value\n  throw missingVariable(tool, [name])\n}",
  },
  missingVariable: {
    uses: ["ToolError"],
    text: "/** Makes the error for variables that are not set. */\nfunction missingVariable(tool: string, names: readonly string[]): ToolError {\n  const list = names.join(' and ')\n  return new ToolError(tool, 'setup', `E120 ${tool}: set the environment variable ${list}`, {\n    problems: names.map((name) => `environment variable ${name} is not set`),\n  })\n}",
  },
  expandVariables: {
    uses: ["Environment","missingVariable"],
    text: "/** Replaces `${NAME}` and `${NAME:-fallback}`; `$${` stands for itself. */\nfunction expandVariables(text: string, env: Environment, tool: string): string {\n  return text.replace(\n    /\\$(\\$\\{)|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\}/g,\n    (_match, escaped: string | undefined, name: string, fallback: string | undefined) => {\n      if (escaped !== undefined) return escaped\n      const value = env[name]\n      if (value !== undefined && value !== '') return value\n      if (fallback !== undefined) return fallback\n      throw missingVariable(tool, [name])\n    },\n  )\n}",
  },
  processEnvironment: {
    uses: ["Environment"],
    text: "/** Gives the environment of this process, or an empty one where there is none. */\nfunction processEnvironment(): Environment {\n  const host: { readonly process?: { readonly env?: Environment } } = globalThis\n  return host.process?.env ?? {}\n}",
  },
  Credential: {
    uses: ["Pair"],
    text: "/** What a request carries to prove who sends it. */\ninterface Credential {\n  readonly headers: readonly (readonly [name: string, value: string])[]\n  readonly query: readonly Pair[]\n  readonly cookies: readonly Pair[]\n  /** Every value that must never be seen in a message. */\n  readonly secrets: readonly string[]\n  /** A token that can be replaced when the API refuses it. */\n  readonly token?: string\n}",
  },
  AuthContext: {
    uses: ["Environment"],
    text: "/** What reading a credential may need. */\ninterface AuthContext {\n  readonly tool: string\n  readonly env: Environment\n  readonly fetch: typeof fetch\n  /** Milliseconds since the epoch. */\n  readonly now: () => number\n  readonly signal: AbortSignal\n  /** The token the API has just refused. */\n  readonly rejected?: string | undefined\n}",
  },
  Authenticator: {
    uses: ["AuthContext","AuthRule","Credential"],
    text: "/** Reads the credential for one call. */\ntype Authenticator = (\n  rule: AuthRule,\n  context: AuthContext,\n) => Credential | Promise<Credential>",
  },
  NO_CREDENTIAL: {
    uses: ["Credential"],
    text: "/** The credential of a call that proves nothing. */\nconst NO_CREDENTIAL: Credential = { headers: [], query: [], cookies: [], secrets: [] }",
  },
  readBearer: {
    uses: ["AuthContext","AuthRule","Credential","headerCredential","readSecret"],
    text: "/** Reads a bearer token. */\nfunction readBearer(rule: AuthRule, context: AuthContext): Credential {\n  const value = readSecret(rule, context)\n  return headerCredential('Authorization', `${rule.prefix ?? 'Bearer '}${value}`, [value])\n}",
  },
  readApiKey: {
    uses: ["AuthContext","AuthRule","Credential","NO_CREDENTIAL","Pair","escapeText","headerCredential","readSecret"],
    text: "/** Reads an API key for a header, the query or a cookie. */\nfunction readApiKey(rule: AuthRule, context: AuthContext): Credential {\n  const value = readSecret(rule, context)\n  const text = `${rule.prefix ?? ''}${value}`\n  if (rule.in !== 'query' && rule.in !== 'cookie') {\n    return headerCredential(rule.header ?? rule.name ?? 'Authorization', text, [value])\n  }\n  const pair: Pair = [escapeText(rule.name ?? rule.header ?? 'api_key'), escapeText(text)]\n  const secrets = [value, text, pair[1]]\n  return rule.in === 'query'\n    ? { ...NO_CREDENTIAL, query: [pair], secrets }\n    : { ...NO_CREDENTIAL, cookies: [pair], secrets }\n}",
  },
  readBasic: {
    uses: ["AuthContext","AuthRule","Credential","ToolError","headerCredential","missingVariable","toBase64"],
    text: "/** Reads a user name and the password beside it. */\nfunction readBasic(rule: AuthRule, context: AuthContext): Credential {\n  const { env, tool } = context\n  const userVariable = rule.env ?? ''\n  const passwordVariable = userVariable.replace(/_USERNAME$/, '_PASSWORD')\n  const user = env[userVariable]\n  const password = env[passwordVariable]\n  if (!user || password === undefined) {\n    throw missingVariable(tool, [userVariable, passwordVariable])\n  }\n  if (user.includes(':')) {\n    throw new ToolError(tool, 'setup', `${tool}: the user name in ${userVariable} contains a colon`)\n  }\n  const encoded = toBase64(new TextEncoder().encode(`${user}:${password}`))\n  return headerCredential('Authorization', `Basic ${encoded}`, [password, encoded])\n}",
  },
  pickWay: {
    uses: ["AuthRule","Environment","variablesOf"],
    text: "/** Picks the first way to authenticate whose variables are set, else the one that needs none; undefined when there is none. */\nfunction pickWay(auth: AuthRule, env: Environment): AuthRule | undefined {\n  const ways = [auth, ...(auth.or ?? [])]\n  const isReady = (way: AuthRule): boolean =>\n    way.type !== 'none' &&\n    [way, ...(way.also ?? [])].every((rule) => variablesOf(rule, env).every((name) => env[name]))\n  return ways.find(isReady) ?? ways.find((way) => way.type === 'none')\n}",
  },
  nameWays: {
    uses: ["AuthRule","Environment","variablesOf"],
    text: "/** Names the variables of all ways, as in `A, or B and C`. */\nfunction nameWays(auth: AuthRule, env: Environment): string {\n  const ways = [auth, ...(auth.or ?? [])].map((way) => {\n    const names = [way, ...(way.also ?? [])].flatMap((rule) => variablesOf(rule, env))\n    return [...new Set(names)].join(' and ')\n  })\n  return ways.join(', or ')\n}",
  },
  readRules: {
    uses: ["AuthRule","Environment","ToolError","nameWays","pickWay"],
    text: "/** Lists the credentials that one request reads. */\nfunction readRules(auth: AuthRule | undefined, env: Environment, tool: string): AuthRule[] {\n  if (auth === undefined) return []\n  // Alone it is read whatever is set, so that the message says what exactly is missing.\n  const way = auth.or ? pickWay(auth, env) : auth\n  if (way !== undefined) return [way, ...(way.also ?? [])]\n  const names = nameWays(auth, env)\n  throw new ToolError(tool, 'setup', `E120 ${tool}: set the environment variable ${names}`, {\n    problems: [`none of these environment variables is set: ${names}`],\n  })\n}",
  },
  variablesOf: {
    uses: ["AuthRule","Environment"],
    text: "function variablesOf(rule: AuthRule, env: Environment): string[] {\n  const name = rule.env ?? ''\n  if (rule.type === 'none') return []\n  if (rule.type === 'basic') return [name, name.replace(/_USERNAME$/, '_PASSWORD')]\n  if (rule.type !== 'oauth2') return [name]\n  const base = name.replace(/_CLIENT_ID$/, '')\n  if (env[`${base}_ACCESS_TOKEN`]) return [`${base}_ACCESS_TOKEN`]\n  return [name, env[`${base}_REFRESH_TOKEN`] ? `${base}_REFRESH_TOKEN` : `${base}_CLIENT_SECRET`]\n}",
  },
  joinCredentials: {
    uses: ["Credential"],
    text: "/** Joins the credentials of a combined requirement. */\nfunction joinCredentials(credentials: readonly Credential[]): Credential {\n  const token = credentials.find((credential) => credential.token !== undefined)?.token\n  return {\n    headers: credentials.flatMap((credential) => credential.headers),\n    query: credentials.flatMap((credential) => credential.query),\n    cookies: credentials.flatMap((credential) => credential.cookies),\n    secrets: credentials.flatMap((credential) => credential.secrets),\n    ...(token !== undefined && { token }),\n  }\n}",
  },
  headerCredential: {
    uses: ["Credential","NO_CREDENTIAL"],
    text: "/** Makes a credential that is one header. */\nfunction headerCredential(\n  name: string,\n  value: string,\n  secrets: readonly string[],\n): Credential {\n  return { ...NO_CREDENTIAL, headers: [[name, value]], secrets: [...secrets, value] }\n}",
  },
  readSecret: {
    uses: ["AuthContext","AuthRule","ToolError","requireVariable"],
    text: "// `fetch` quotes a header value it refuses, so a value it would refuse must not reach it.\nfunction readSecret(rule: AuthRule, context: AuthContext): string {\n  const name = rule.env ?? ''\n  const value = requireVariable(context.env, name, context.tool).trim()\n  if (value !== '' && /^[\\t\\x20-\\x7e\\x80-\\xff]*$/.test(value)) return value\n  throw new ToolError(\n    context.tool,\n    'setup',\n    `${context.tool}: the value of ${name} holds characters that a header cannot carry`,\n  )\n}",
  },
  EXPIRY_SKEW_MS: {
    uses: [],
    text: "const EXPIRY_SKEW_MS = 60_000",
  },
  USUAL_LIFETIME_S: {
    uses: [],
    text: "const USUAL_LIFETIME_S = 300",
  },
  TOKEN_TIMEOUT_MS: {
    uses: [],
    text: "const TOKEN_TIMEOUT_MS = 10_000",
  },
  Token: {
    uses: [],
    text: "interface Token {\n  readonly value: string\n  readonly expiresAt: number\n  readonly secrets: readonly string[]\n}",
  },
  createOauth2: {
    uses: ["AuthContext","AuthRule","Authenticator","EXPIRY_SKEW_MS","Token","abortable","requestToken","toCredential","variableBase"],
    text: "/** Fetches and keeps OAuth 2 tokens: refresh token if there is one, else client credentials. */\nfunction createOauth2(): Authenticator {\n  const tokens = new Map<string, Token>()\n  const pending = new Map<string, Promise<Token>>()\n  const rotated = new Map<string, string>()\n\n  async function fetchToken(key: string, rule: AuthRule, context: AuthContext): Promise<Token> {\n    try {\n      const token = await requestToken(rule, context, rotated)\n      tokens.set(key, token)\n      return token\n    } finally {\n      pending.delete(key)\n    }\n  }\n\n  return async function readOauth2(rule, context) {\n    const base = variableBase(rule)\n    const key = `${base} ${rule.token_url ?? ''} ${(rule.scopes ?? []).join(' ')}`\n    const known = tokens.get(key)\n    const fixed = context.env[`${base}_ACCESS_TOKEN`]\n    if (fixed && fixed !== context.rejected && known === undefined) return toCredential(fixed, [])\n    if (known && known.value === context.rejected) tokens.delete(key)\n    else if (known && known.expiresAt - context.now() > EXPIRY_SKEW_MS) {\n      return toCredential(known.value, known.secrets)\n    }\n    const running = pending.get(key) ?? fetchToken(key, rule, context)\n    pending.set(key, running)\n    const token = await abortable(running, context.signal)\n    return toCredential(token.value, token.secrets)\n  }\n}",
  },
  toCredential: {
    uses: ["Credential","headerCredential"],
    text: "function toCredential(token: string, secrets: readonly string[]): Credential {\n  const credential = headerCredential('Authorization', `Bearer ${token}`, [token, ...secrets])\n  return { ...credential, token }\n}",
  },
  variableBase: {
    uses: ["AuthRule"],
    text: "/** Gives what the names of all variables of a client begin with. */\nfunction variableBase(rule: AuthRule): string {\n  return (rule.env ?? '').replace(/_CLIENT_ID$/, '')\n}",
  },
  requestToken: {
    uses: ["AuthContext","AuthRule","Token","ToolError","clientHeaders","grantFields","missingVariable","origin","postForm","requireVariable","toLifetime","tokenUrl","variableBase"],
    text: "// The request is shared: one caller that gives up must not take the token away from the others.\nasync function requestToken(\n  rule: AuthRule,\n  context: AuthContext,\n  rotated: Map<string, string>,\n): Promise<Token> {\n  const { env, tool } = context\n  const base = variableBase(rule)\n  const refreshToken = rotated.get(base) ?? env[`${base}_REFRESH_TOKEN`]\n  const id = requireVariable(env, rule.env ?? '', tool)\n  const secret = env[`${base}_CLIENT_SECRET`]\n  if (!refreshToken && !secret) throw missingVariable(tool, [`${base}_CLIENT_SECRET`])\n  const secrets = [secret ?? '', refreshToken ?? ''].filter((value) => value !== '')\n  const form = new URLSearchParams(grantFields(rule, context, refreshToken))\n  const headers = clientHeaders({ id, secret, asBody: env[`${base}_CLIENT_AUTH`] === 'post' }, form)\n  const url = await tokenUrl(rule, context)\n  const answer = await postForm(url, { form, headers, secrets }, context)\n  if (typeof answer['access_token'] !== 'string') {\n    throw new ToolError(tool, 'setup', `${tool}: ${origin(url)} answered without an access_token`)\n  }\n  if (typeof answer['refresh_token'] === 'string') rotated.set(base, answer['refresh_token'])\n  const seconds = toLifetime(answer['expires_in'])\n  return { value: answer['access_token'], expiresAt: context.now() + seconds * 1000, secrets }\n}",
  },
  toLifetime: {
    uses: ["USUAL_LIFETIME_S"],
    text: "/** Some servers write the number in quotes. */\nfunction toLifetime(value: unknown): number {\n  const seconds = typeof value === 'string' ? Number.parseFloat(value) : value\n  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : USUAL_LIFETIME_S\n}",
  },
  grantFields: {
    uses: ["AuthContext","AuthRule","variableBase"],
    text: "function grantFields(\n  rule: AuthRule,\n  { env }: AuthContext,\n  refreshToken: string | undefined,\n): Record<string, string> {\n  const base = variableBase(rule)\n  const scope = rule.scopes?.join(' ') ?? env[`${base}_SCOPES`]\n  const audience = env[`${base}_AUDIENCE`]\n  return {\n    ...(refreshToken\n      ? { grant_type: 'refresh_token', refresh_token: refreshToken }\n      : { grant_type: 'client_credentials', ...(scope && { scope }) }),\n    ...(audience && { audience }),\n  }\n}",
  },
  clientHeaders: {
    uses: ["formEncode","toBase64"],
    text: "/**\n * Proves who the client is, in a header or in the form. RFC 6749, 2.3.1: id and secret are form-encoded\n * before they are joined and encoded once more.\n */\nfunction clientHeaders(\n  client: { readonly id: string; readonly secret: string | undefined; readonly asBody: boolean },\n  form: URLSearchParams,\n): Record<string, string> {\n  if (client.asBody || client.secret === undefined) {\n    form.set('client_id', client.id)\n    if (client.secret !== undefined) form.set('client_secret', client.secret)\n    return {}\n  }\n  const pair = `${formEncode(client.id)}:${formEncode(client.secret)}`\n  return { authorization: `Basic ${toBase64(new TextEncoder().encode(pair))}` }\n}",
  },
  formEncode: {
    uses: [],
    text: "function formEncode(text: string): string {\n  return new URLSearchParams([['', text]]).toString().slice(1)\n}",
  },
  tokenUrl: {
    uses: ["AuthContext","AuthRule","ToolError","fetchJson","missingVariable","origin","requireSafeUrl","variableBase"],
    text: "/** Finds the token URL: in the environment, in the rule, else by discovery. */\nasync function tokenUrl(rule: AuthRule, context: AuthContext): Promise<string> {\n  const { env, tool } = context\n  const variable = `${variableBase(rule)}_TOKEN_URL`\n  const url = env[variable] || rule.token_url\n  if (url) return requireSafeUrl(url, tool)\n  if (rule.discovery_url === undefined) throw missingVariable(tool, [variable])\n  const document = await fetchJson(requireSafeUrl(rule.discovery_url, tool), {}, [], context)\n  const found = document['token_endpoint']\n  if (typeof found === 'string') return requireSafeUrl(found, tool)\n  throw new ToolError(\n    tool,\n    'setup',\n    `${tool}: ${origin(rule.discovery_url)} names no token_endpoint`,\n  )\n}",
  },
  requireSafeUrl: {
    uses: ["ToolError"],
    text: "/** Refuses an address on which a secret could be overheard. */\nfunction requireSafeUrl(text: string, tool: string): string {\n  const url = URL.canParse(text) ? new URL(text) : undefined\n  const isLoopback = /^(?:localhost|127(?:\\.\\d+){3}|\\[::1\\])$/.test(url?.hostname ?? '')\n  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.href\n  throw new ToolError(\n    tool,\n    'setup',\n    `${tool}: the token URL must be https, or http on this machine`,\n  )\n}",
  },
  postForm: {
    uses: ["AuthContext","fetchJson"],
    text: "/** Sends a form to a token endpoint and gives its answer. */\nfunction postForm(\n  url: string,\n  request: {\n    readonly form: URLSearchParams\n    readonly headers: Record<string, string>\n    readonly secrets: readonly string[]\n  },\n  context: AuthContext,\n): Promise<Record<string, unknown>> {\n  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...request.headers }\n  const init = { method: 'POST', headers, body: request.form.toString() }\n  return fetchJson(url, init, [...request.secrets, ...Object.values(request.headers)], context)\n}",
  },
  fetchJson: {
    uses: ["AuthContext","TOKEN_TIMEOUT_MS","ToolError","createRedactor","origin","parseRecord"],
    text: "/** Fetches a JSON object; a refusal becomes an error without secrets. */\nasync function fetchJson(\n  url: string,\n  init: RequestInit,\n  secrets: readonly string[],\n  context: AuthContext,\n): Promise<Record<string, unknown>> {\n  const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS)\n  const headers = { accept: 'application/json', ...init.headers }\n  let status = 0\n  let text = ''\n  try {\n    const response = await context.fetch(url, { ...init, headers, redirect: 'error', signal })\n    status = response.status\n    text = await response.text()\n  } catch (cause) {\n    const problem = `${context.tool}: ${origin(url)} could not be reached for a token`\n    throw new ToolError(context.tool, signal.aborted ? 'timeout' : 'network', problem, { cause })\n  }\n  const answer = parseRecord(text)\n  if (status >= 200 && status < 300) return answer\n  const said = [answer['error'], answer['error_description']].filter(\n    (part) => typeof part === 'string',\n  )\n  const reason = createRedactor(secrets)(said.join(': ')).slice(0, 300)\n  throw new ToolError(\n    context.tool,\n    'setup',\n    `${context.tool}: ${origin(url)} refused a token with status ${status}${reason && ` (${reason})`}`,\n  )\n}",
  },
  parseRecord: {
    uses: ["isEntries"],
    text: "function parseRecord(text: string): Record<string, unknown> {\n  try {\n    const value: unknown = JSON.parse(text)\n    return isEntries(value) ? value : {}\n  } catch {\n    return {}\n  }\n}",
  },
  origin: {
    uses: [],
    text: "function origin(url: string): string {\n  return new URL(url).origin\n}",
  },
  abortable: {
    uses: [],
    text: "function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {\n  return new Promise((resolve, reject) => {\n    const onAbort = (): void => reject(signal.reason)\n    if (signal.aborted) onAbort()\n    signal.addEventListener('abort', onAbort, { once: true })\n    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))\n  })\n}",
  },
  MAX_REDIRECTS: {
    uses: [],
    text: "const MAX_REDIRECTS = 5",
  },
  REDIRECTS: {
    uses: [],
    text: "const REDIRECTS = new Set([301, 302, 303, 307, 308])",
  },
  TRANSIENT: {
    uses: [],
    text: "const TRANSIENT = new Set([429, 502, 503, 504])",
  },
  REPEATABLE: {
    uses: [],
    text: "const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])",
  },
  Sender: {
    uses: [],
    text: "/** What sending needs from its surroundings. */\ninterface Sender {\n  readonly tool: string\n  readonly fetch: typeof fetch\n  readonly signal: AbortSignal\n  /** How often a safe request is sent again; 0 turns it off. */\n  readonly retries: number\n  /** Longest wait that a `Retry-After` may ask for. */\n  readonly maxWaitMs: number\n  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>\n  /** Between 0 and 1. */\n  readonly random: () => number\n  readonly now: () => number\n}",
  },
  sendRequest: {
    uses: ["Outgoing","REPEATABLE","Sender","TRANSIENT","attemptRequest","readRetryAfter"],
    text: "/** Sends a request, again where that is safe, following redirects without the credential. */\nasync function sendRequest(request: Outgoing, sender: Sender): Promise<Response> {\n  const retries = REPEATABLE.has(request.method) ? sender.retries : 0\n  for (let attempt = 0; ; attempt += 1) {\n    const last = attempt >= retries\n    const outcome = await attemptRequest(request, sender)\n    if (outcome.ok && (last || !TRANSIENT.has(outcome.response.status))) return outcome.response\n    if (!outcome.ok && (last || sender.signal.aborted)) throw outcome.error\n    const asked = outcome.ok ? readRetryAfter(outcome.response, sender.now()) : undefined\n    if (outcome.ok && asked !== undefined && asked * 1000 > sender.maxWaitMs)\n      return outcome.response\n    if (outcome.ok) await outcome.response.body?.cancel()\n    const backoff = 200 * 2 ** attempt * (0.5 + sender.random() / 2)\n    await sender.sleep(asked === undefined ? backoff : asked * 1000, sender.signal)\n  }\n}",
  },
  readRetryAfter: {
    uses: [],
    text: "/** Reads `Retry-After` as seconds from now. */\nfunction readRetryAfter(response: Response, now: number): number | undefined {\n  const text = response.headers.get('retry-after')\n  if (text === null) return undefined\n  const seconds = /^\\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000\n  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined\n}",
  },
  sleep: {
    uses: [],
    text: "/** Waits, unless the signal ends the wait. */\nfunction sleep(milliseconds: number, signal: AbortSignal): Promise<void> {\n  return new Promise((resolve, reject) => {\n    const onAbort = (): void => {\n      clearTimeout(timer)\n      reject(signal.reason)\n    }\n    const timer = setTimeout(() => {\n      signal.removeEventListener('abort', onAbort)\n      resolve()\n    }, milliseconds)\n    if (signal.aborted) onAbort()\n    else signal.addEventListener('abort', onAbort, { once: true })\n  })\n}",
  },
  Attempt: {
    uses: [],
    text: "type Attempt =\n  | { readonly ok: true; readonly response: Response }\n  | { readonly ok: false; readonly error: unknown }",
  },
  attemptRequest: {
    uses: ["Attempt","MAX_REDIRECTS","Outgoing","REDIRECTS","Sender","badRedirect","followRedirect"],
    text: "// Refused redirects throw: sending again would only be refused again.\nasync function attemptRequest(request: Outgoing, sender: Sender): Promise<Attempt> {\n  let current = request\n  for (let hops = 0; ; hops += 1) {\n    let response: Response\n    try {\n      response = await sender.fetch(current.url, {\n        method: current.method,\n        headers: current.headers,\n        redirect: 'manual',\n        signal: sender.signal,\n        ...(current.content !== undefined && { body: current.content }),\n      })\n    } catch (error) {\n      return { ok: false, error }\n    }\n    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null\n    if (location === null) return { ok: true, response }\n    await response.body?.cancel()\n    if (hops === MAX_REDIRECTS) throw badRedirect(sender, `more than ${MAX_REDIRECTS} redirects`)\n    current = followRedirect(current, { status: response.status, location }, sender)\n  }\n}",
  },
  followRedirect: {
    uses: ["Outgoing","Sender","assertSafeHop","badRedirect","redirectHeaders"],
    text: "function followRedirect(\n  request: Outgoing,\n  redirect: { readonly status: number; readonly location: string },\n  sender: Sender,\n): Outgoing {\n  const from = new URL(request.url)\n  if (!URL.canParse(redirect.location, from.href)) throw badRedirect(sender, 'a broken location')\n  const to = new URL(redirect.location, from)\n  const becomesGet = redirect.status === 303 || (redirect.status < 303 && request.method === 'POST')\n  const kept = becomesGet ? undefined : request.content\n  if (to.origin !== from.origin) assertSafeHop(from, to, { sender, hasBody: kept !== undefined })\n  return {\n    method: becomesGet ? 'GET' : request.method,\n    url: to.href,\n    headers: redirectHeaders(request.headers, {\n      sameOrigin: to.origin === from.origin,\n      keepsBody: kept !== undefined,\n    }),\n    content: kept,\n  }\n}",
  },
  assertSafeHop: {
    uses: ["Sender","badRedirect","isPrivateHost"],
    text: "function assertSafeHop(\n  from: URL,\n  to: URL,\n  context: { readonly sender: Sender; readonly hasBody: boolean },\n): void {\n  const { sender, hasBody } = context\n  if (to.protocol !== 'https:' && to.protocol !== from.protocol) {\n    throw badRedirect(sender, `an unsafe redirect to ${to.protocol}//`)\n  }\n  // A public API must not be able to point this process at the machines around it.\n  if (isPrivateHost(to.hostname) && !isPrivateHost(from.hostname)) {\n    throw badRedirect(sender, 'a redirect to a private address')\n  }\n  if (hasBody) throw badRedirect(sender, `a redirect of the request body to ${to.origin}`)\n}",
  },
  redirectHeaders: {
    uses: [],
    text: "// On another origin nothing is kept that an argument or a credential has set.\nfunction redirectHeaders(\n  headers: Readonly<Record<string, string>>,\n  hop: { readonly sameOrigin: boolean; readonly keepsBody: boolean },\n): Record<string, string> {\n  return Object.fromEntries(\n    Object.entries(headers).filter(([name]) => {\n      if (name === 'content-type') return hop.keepsBody\n      return hop.sameOrigin || name === 'accept' || name === 'user-agent'\n    }),\n  )\n}",
  },
  isPrivateHost: {
    uses: [],
    text: "function isPrivateHost(hostname: string): boolean {\n  const host = hostname.replace(/^\\[(?:::ffff:)?|\\]$/g, '')\n  return (\n    /^(?:.+\\.)?localhost$/.test(host) ||\n    /^(?:0|10|127|169\\.254|192\\.168|172\\.(?:1[6-9]|2\\d|3[01])|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))\\./.test(\n      host,\n    ) ||\n    (hostname.startsWith('[') && /^(?:::1?$|f[cd]|fe[89ab]|[0-9a-f]+:[0-9a-f]+$)/.test(host))\n  )\n}",
  },
  badRedirect: {
    uses: ["Sender","ToolError"],
    text: "function badRedirect({ tool }: Sender, what: string): ToolError {\n  return new ToolError(tool, 'redirect', `${tool}: refused ${what}`)\n}",
  },
  Answer: {
    uses: [],
    text: "/** An answer, read. */\ninterface Answer {\n  readonly value: unknown\n  /** The answer was longer than the limit; `value` says so and holds its beginning. */\n  readonly truncated: boolean\n}",
  },
  readAnswer: {
    uses: ["Answer","decodeText","isPlain","isText","parseOr","readBytes","toBase64"],
    text: "/** Reads an answer up to a limit: JSON, text, bytes as base64, or null when it is empty. */\nasync function readAnswer(response: Response, maxBytes: number): Promise<Answer> {\n  const { bytes, truncated } = await readBytes(response, maxBytes)\n  if (bytes.length === 0) return { value: null, truncated }\n  const type = (response.headers.get('content-type') ?? '').toLowerCase()\n  const mime = (type.split(';')[0] ?? '').trim()\n  if (mime !== '' && !isText(mime)) {\n    const value = { mime, bytes: bytes.length, base64: toBase64(bytes) }\n    return { value: truncated ? { ...value, truncated } : value, truncated }\n  }\n  const text = decodeText(bytes, type)\n  if (truncated) return { value: { truncated, limit_bytes: maxBytes, text }, truncated }\n  return { value: isPlain(mime) ? text : parseOr(text), truncated }\n}",
  },
  readExcerpt: {
    uses: ["decodeText","readBytes"],
    text: "/** Reads the beginning of an answer as text, for an error message. */\nasync function readExcerpt(response: Response, maxBytes: number): Promise<string> {\n  const { bytes } = await readBytes(response, maxBytes)\n  return decodeText(bytes, response.headers.get('content-type') ?? '')\n}",
  },
  readBytes: {
    uses: [],
    text: "async function readBytes(\n  response: Response,\n  maxBytes: number,\n): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {\n  const chunks: Uint8Array[] = []\n  let length = 0\n  const reader = response.body?.getReader()\n  while (reader !== undefined && length <= maxBytes) {\n    const { done, value } = await reader.read()\n    if (done) break\n    chunks.push(value)\n    length += value.length\n  }\n  if (length > maxBytes) await reader?.cancel()\n  const bytes = new Uint8Array(length)\n  let offset = 0\n  for (const chunk of chunks) {\n    bytes.set(chunk, offset)\n    offset += chunk.length\n  }\n  return { bytes: bytes.subarray(0, maxBytes), truncated: length > maxBytes }\n}",
  },
  isText: {
    uses: ["isPlain"],
    text: "function isText(mime: string): boolean {\n  return (\n    isPlain(mime) ||\n    /^text\\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(mime)\n  )\n}",
  },
  isPlain: {
    uses: [],
    text: "function isPlain(mime: string): boolean {\n  return (\n    mime !== '' && !/[/+]json$/.test(mime) && /^text\\/|xml|yaml|javascript|form|ndjson/.test(mime)\n  )\n}",
  },
  decodeText: {
    uses: [],
    text: "function decodeText(bytes: Uint8Array, type: string): string {\n  const charset = /charset=\"?([\\w-]+)/i.exec(type)?.[1] ?? 'utf-8'\n  try {\n    return new TextDecoder(charset).decode(bytes)\n  } catch {\n    return new TextDecoder().decode(bytes)\n  }\n}",
  },
  parseOr: {
    uses: ["parseExactJson"],
    text: "// An answer that calls itself JSON and is not is still worth reading.\nfunction parseOr(text: string): unknown {\n  try {\n    return parseExactJson(text)\n  } catch {\n    return text\n  }\n}",
  },
  Trimmed: {
    uses: ["TrimNotice"],
    text: "/** A trimmed answer and what was left out of it. */\ninterface Trimmed {\n  readonly result: unknown\n  /** Absent when nothing was left out. */\n  readonly trimmed?: TrimNotice\n}",
  },
  TrimNotice: {
    uses: ["CutList"],
    text: "/** Says what is missing from an answer. */\ninterface TrimNotice {\n  /** Only these paths were kept. */\n  readonly picked?: readonly string[]\n  /** Lists that were cut: where, how many were kept and how many there were. */\n  readonly lists?: readonly CutList[]\n  /** The answer was longer than this many bytes. */\n  readonly max_bytes?: number\n}",
  },
  CutList: {
    uses: [],
    text: "/** A list that lost its end. */\ninterface CutList {\n  readonly path: string\n  readonly kept: number\n  readonly total: number\n}",
  },
  trimAnswer: {
    uses: ["ResponseRule","TrimNotice","Trimmed","cutLists","pickPaths","shorten"],
    text: "/** Keeps the picked paths, cuts long lists, and cuts more until the answer is short enough. */\nfunction trimAnswer(value: unknown, rule: ResponseRule): Trimmed {\n  const picked = rule.pick\n    ? pickPaths(\n        value,\n        rule.pick.map((path) => path.split('.')),\n      )\n    : value\n  const first = cutLists(picked, rule.max_items ?? Number.POSITIVE_INFINITY)\n  const { result, lists, tooLong } = shorten(picked, first, rule.max_bytes)\n  const trimmed: TrimNotice = {\n    ...(rule.pick && { picked: rule.pick }),\n    ...(lists.length > 0 && { lists }),\n    ...(tooLong && rule.max_bytes !== undefined && { max_bytes: rule.max_bytes }),\n  }\n  return Object.keys(trimmed).length === 0 ? { result } : { result, trimmed }\n}",
  },
  Cut: {
    uses: ["CutList"],
    text: "interface Cut {\n  readonly result: unknown\n  readonly lists: readonly CutList[]\n}",
  },
  shorten: {
    uses: ["Cut","byteLength","cutLists","longestList"],
    text: "function shorten(\n  value: unknown,\n  cut: Cut,\n  maxBytes: number | undefined,\n): Cut & { readonly tooLong: boolean } {\n  if (maxBytes === undefined || byteLength(cut.result) <= maxBytes)\n    return { ...cut, tooLong: false }\n  let current = cut\n  const longest = Math.max(\n    1,\n    ...current.lists.map((list) => list.kept),\n    longestList(current.result),\n  )\n  for (let items = Math.floor(longest / 2); items >= 1; items = Math.floor(items / 2)) {\n    current = cutLists(value, items)\n    if (byteLength(current.result) <= maxBytes) return { ...current, tooLong: true }\n  }\n  const bytes = new TextEncoder().encode(JSON.stringify(current.result)).subarray(0, maxBytes)\n  const text = new TextDecoder().decode(bytes).replace(/\\ufffd$/, '')\n  return { result: text, lists: current.lists, tooLong: true }\n}",
  },
  byteLength: {
    uses: [],
    text: "function byteLength(value: unknown): number {\n  return new TextEncoder().encode(JSON.stringify(value)).length\n}",
  },
  longestList: {
    uses: [],
    text: "function longestList(value: unknown): number {\n  if (typeof value !== 'object' || value === null) return 0\n  const items = Object.values(value)\n  const own = Array.isArray(value) ? items.length : 0\n  return items.reduce<number>((longest, item) => Math.max(longest, longestList(item)), own)\n}",
  },
  pickPaths: {
    uses: ["isEntries"],
    text: "function pickPaths(value: unknown, paths: readonly (readonly string[])[]): unknown {\n  if (paths.some((path) => path.length === 0)) return value\n  if (Array.isArray(value)) return value.map((item) => pickPaths(item, paths) ?? null)\n  if (!isEntries(value)) return undefined\n  const entries = Object.entries(value).flatMap(([key, item]) => {\n    const under = paths.filter(([head]) => head === key).map((path) => path.slice(1))\n    const kept = under.length === 0 ? undefined : pickPaths(item, under)\n    return kept === undefined ? [] : [[key, kept] as const]\n  })\n  return Object.fromEntries(entries)\n}",
  },
  cutLists: {
    uses: ["Cut","CutList"],
    text: "function cutLists(value: unknown, maxItems: number, path = ''): Cut {\n  if (typeof value !== 'object' || value === null) return { result: value, lists: [] }\n  const lists: CutList[] = []\n  const walk = (item: unknown, key: string): unknown => {\n    const cut = cutLists(item, maxItems, path === '' ? key : `${path}.${key}`)\n    lists.push(...cut.lists)\n    return cut.result\n  }\n  if (!Array.isArray(value)) {\n    const entries = Object.entries(value).map(([key, item]) => [key, walk(item, key)] as const)\n    return { result: Object.fromEntries(entries), lists }\n  }\n  const kept = value.slice(0, maxItems)\n  if (kept.length < value.length) lists.push({ path, kept: kept.length, total: value.length })\n  return { result: kept.map((item, index) => walk(item, String(index))), lists }\n}",
  },
  Page: {
    uses: [],
    text: "/** Where a page ends and the next begins. */\ninterface Page {\n  /** Undefined when the answer holds no list where it should. */\n  readonly items: readonly unknown[] | undefined\n  /** Null on the last page. */\n  readonly next: string | number | null\n}",
  },
  PageSource: {
    uses: [],
    text: "/** An answer with what is needed to find the page after it. */\ninterface PageSource {\n  readonly value: unknown\n  /** The `Link` header. */\n  readonly link: string | null\n}",
  },
  readPage: {
    uses: ["Operation","Page","PageSource","PaginateRule","ToolArguments","cursorInLink","followPath","numberArgument","toCursor"],
    text: "/** Finds the list and the next cursor in one page. */\nfunction readPage(\n  operation: Operation,\n  rule: PaginateRule,\n  args: ToolArguments,\n  source: PageSource,\n): Page {\n  const found = rule.items === undefined ? source.value : followPath(source.value, rule.items)\n  const items = Array.isArray(found) ? found : undefined\n  if (rule.style === 'cursor') {\n    return { items, next: toCursor(rule.next && followPath(source.value, rule.next)) }\n  }\n  if (rule.style === 'link') return { items, next: cursorInLink(source.link, rule.cursor) }\n  const count = items?.length ?? 0\n  const size = numberArgument(operation, args, rule.limit)\n  const isLast = count === 0 || (size !== undefined && count < size)\n  if (isLast) return { items, next: null }\n  const current = numberArgument(operation, args, rule.cursor)\n  return { items, next: rule.style === 'page' ? (current ?? 1) + 1 : (current ?? 0) + count }\n}",
  },
  followPath: {
    uses: ["isEntries"],
    text: "/** Follows a dot path through own members; numbers walk lists, negative ones from the end. */\nfunction followPath(value: unknown, path: string): unknown {\n  return path.split('.').reduce<unknown>((current, key) => {\n    if (Array.isArray(current)) return /^-?\\d+$/.test(key) ? current.at(Number(key)) : undefined\n    return isEntries(current) && Object.hasOwn(current, key) ? current[key] : undefined\n  }, value)\n}",
  },
  toCursor: {
    uses: [],
    text: "function toCursor(value: unknown): string | number | null {\n  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : null\n}",
  },
  numberArgument: {
    uses: ["Operation","ToolArguments"],
    text: "function numberArgument(\n  operation: Operation,\n  args: ToolArguments,\n  name: string | undefined,\n): number | undefined {\n  const rule = operation.params?.find((param) => (param.name ?? param.arg) === name)\n  const value = rule && args[rule.arg]\n  const number = typeof value === 'string' && value !== '' ? Number(value) : value\n  return typeof number === 'number' && Number.isFinite(number) ? number : undefined\n}",
  },
  cursorInLink: {
    uses: [],
    text: "// RFC 8288: `<https://h/items?cursor=b>; rel=\"next\", <…>; rel=\"prev\"`.\nfunction cursorInLink(link: string | null, parameter: string | undefined): string | null {\n  for (const [, target = '', attributes = ''] of (link ?? '').matchAll(/<([^<>]*)>([^,<]*)/g)) {\n    if (!/;\\s*rel=\"?[^\";]*\\bnext\\b/i.test(attributes)) continue\n    if (parameter === undefined) return target\n    const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : ''\n    return new URLSearchParams(query.split('#')[0]).get(parameter)\n  }\n  return null\n}",
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
