import { runInScope } from '../../values/index.ts'

/** One turn of a conversation with a model. */
export interface ModelTurn {
  readonly role: 'user' | 'model'
  readonly text: string
}

/** Asks a model: what it is told to be, and the conversation so far. */
export interface ModelQuestion {
  readonly instructions: string
  readonly turns: readonly ModelTurn[]
}

/** A model somewhere behind an HTTP API. */
export interface ModelProvider {
  readonly name: ProviderName
  readonly model: string
  /** Answers with text; throws a ModelError. */
  readonly ask: (question: ModelQuestion, signal: AbortSignal) => Promise<string>
}

/** The APIs that are spoken: any OpenAI-compatible one, Anthropic's and Gemini's. */
export type ProviderName = 'gemini' | 'openai' | 'anthropic'

/** Where a model is and how it is asked. */
export interface ProviderOptions {
  /** Chosen by which key is set when absent. */
  readonly provider?: ProviderName
  readonly model?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch?: typeof fetch
  /** Longest wait for one answer; 120 seconds when absent. */
  readonly timeoutMs?: number
}

/** A model that did not answer; nothing in it holds the key. */
export class ModelError extends Error {
  /** `no_key`: nothing was asked. */
  readonly reason: 'no_key' | 'status' | 'network' | 'answer'

  constructor(reason: ModelError['reason'], message: string) {
    super(message)
    this.name = 'ModelError'
    this.reason = reason
  }
}

interface Dialect {
  /** Variables that may hold the key; the first that is set counts. */
  readonly keys: readonly string[]
  readonly urlVariable: string
  readonly baseUrl: string
  readonly model: string
  readonly request: (
    question: ModelQuestion,
    access: { readonly model: string; readonly key: string },
  ) => {
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
  /** Undefined when the answer is not of the known form. */
  readonly read: (answer: unknown) => string | undefined
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_TOKENS = 32_000

const DIALECTS: Readonly<Record<ProviderName, Dialect>> = {
  gemini: {
    keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
    urlVariable: 'GEMINI_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    model: 'gemini-2.5-flash',
    request: ({ instructions, turns }, { model, key }) => ({
      path: `/models/${encodeURIComponent(model)}:generateContent`,
      headers: { 'x-goog-api-key': key },
      body: {
        systemInstruction: { parts: [{ text: instructions }] },
        contents: turns.map(({ role, text }) => ({ role, parts: [{ text }] })),
        generationConfig: { temperature: 0, maxOutputTokens: MAX_TOKENS },
      },
    }),
    read: (answer) => joinTexts(pick(answer, ['candidates', 0, 'content', 'parts'])),
  },
  openai: {
    keys: ['OPENAI_API_KEY'],
    urlVariable: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-4.1',
    request: ({ instructions, turns }, { model, key }) => ({
      path: '/chat/completions',
      headers: { authorization: `Bearer ${key}` },
      body: {
        model,
        ...takesTemperature(model, /^(?:chatgpt-4|gpt-[34])/),
        messages: [
          { role: 'system', content: instructions },
          ...turns.map(({ role, text }) => ({
            role: role === 'model' ? 'assistant' : 'user',
            content: text,
          })),
        ],
      },
    }),
    read: (answer) => textOf(pick(answer, ['choices', 0, 'message', 'content'])),
  },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY'],
    urlVariable: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com',
    model: 'claude-sonnet-4-5',
    request: ({ instructions, turns }, { model, key }) => ({
      path: '/v1/messages',
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      body: {
        model,
        max_tokens: MAX_TOKENS,
        ...takesTemperature(model, /^claude-(?:2|3|[a-z]+-4(?:-[0-5])?(?:-\d{8}|-latest)?$)/),
        system: instructions,
        messages: turns.map(({ role, text }) => ({
          role: role === 'model' ? 'assistant' : 'user',
          content: text,
        })),
      },
    }),
    read: (answer) => joinTexts(pick(answer, ['content'])),
  },
}

/** Newer models think for themselves and refuse a request that names a temperature. */
function takesTemperature(model: string, known: RegExp): { readonly temperature?: 0 } {
  return known.test(model) ? { temperature: 0 } : {}
}

/** Finds the model to ask: the provider that is named, else the first whose key is set. */
export function createModelProvider(options: ProviderOptions): ModelProvider {
  const { env, timeoutMs = 120_000, fetch: send = fetch } = options
  const name = options.provider ?? PROVIDERS.find((one) => keyOf(DIALECTS[one], env) !== undefined)
  const dialect = name && DIALECTS[name]
  const key = dialect && keyOf(dialect, env)
  if (name === undefined || dialect === undefined || key === undefined) throw missingKey(options)
  const model = options.model ?? env['WAYMARK_MODEL'] ?? dialect.model
  const baseUrl = (env[dialect.urlVariable] || dialect.baseUrl).replace(/(?<!\/)\/+$/, '')
  return {
    name,
    model,
    ask: async (question, signal) => {
      const { path, headers, body } = dialect.request(question, { model, key })
      const text = await runInScope([signal], { afterMs: timeoutMs }, (until) =>
        post(baseUrl + path, { headers, body, send, signal: until, key, name }),
      )
      const said = dialect.read(parseJson(text))
      if (said !== undefined && said.trim() !== '') return said
      throw new ModelError('answer', `${name} (${model}) answered without text`)
    },
  }
}

const PROVIDERS = Object.keys(DIALECTS) as ProviderName[]

function keyOf(dialect: Dialect, env: ProviderOptions['env']): string | undefined {
  return dialect.keys.map((name) => env[name]?.trim()).find((value) => Boolean(value))
}

function missingKey({ provider }: ProviderOptions): ModelError {
  const names = (provider ? [provider] : PROVIDERS).flatMap((one) => DIALECTS[one].keys)
  const message = `no model can be asked: set ${names.join(' or ')} in the environment`
  return new ModelError('no_key', message)
}

async function post(
  url: string,
  request: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
    readonly send: typeof fetch
    readonly signal: AbortSignal
    readonly key: string
    readonly name: string
  },
): Promise<string> {
  const { name, key, send, signal } = request
  let status = 0
  let text = ''
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
      redirect: 'error',
      signal,
    })
    status = response.status
    text = await response.text()
  } catch {
    throw new ModelError('network', `${name} could not be reached at ${new URL(url).origin}`)
  }
  if (status >= 200 && status < 300 && text.length <= MAX_ANSWER_BYTES) return text
  const said = textOf(pick(parseJson(text), ['error', 'message'])) ?? ''
  const reason = said.replaceAll(key, '***').slice(0, 300)
  throw new ModelError('status', `${name} answered ${status}${reason && `: ${reason}`}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function pick(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((current, key) => {
    const isObject = typeof current === 'object' && current !== null
    return isObject ? (current as Record<string | number, unknown>)[key] : undefined
  }, value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function joinTexts(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined
  return parts.map((part) => textOf(pick(part, ['text'])) ?? '').join('')
}
