import type {
  ComponentCheck,
  FunctionDefinition,
  Info,
  Logger,
  Registry,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { extensionUrn, unref } from '../../values/index.ts'
import { createForward, type ForwardOptions } from './call.ts'
import type { ForrstClient } from './client.ts'
import { readForrstDocument } from './document.ts'

/** Which Forrst service becomes a source. */
export interface ForrstSourceOptions {
  /** A client of the service, from `waymark/client`; its headers are what the service knows us by. */
  readonly client: ForrstClient
  /** What the service is called in errors and logs; `the remote service` when absent. */
  readonly name?: string
  /** Milliseconds for one answer when a call has no deadline; 30000 when absent. */
  readonly timeoutMs?: number
  /** Milliseconds between looks at the discovery document; 60000 when absent, 0 never looks again. */
  readonly refreshMs?: number
  readonly log?: Logger
}

/** A Forrst service whose functions are ours too. */
export interface ForrstSource {
  /** Who the service says it is. */
  readonly info: Info
  /** The functions as they are now. */
  readonly functions: () => readonly FunctionDefinition[]
  /** Adds, replaces and removes functions when the service's document changes; returns what stops it. */
  readonly follow: (registry: Registry) => () => void
  /** Reads the document again, at once; gives false when the service does not answer. */
  readonly refresh: () => Promise<boolean>
  /** Tells whether the service answers, for the health of ours. */
  readonly check: ComponentCheck['check']
  readonly close: () => void
}

const SILENT: Logger = { warn: () => undefined, error: () => undefined }
const PASSED_ON = [extensionUrn('idempotency'), extensionUrn('dry-run')]
/** A caller who asks for a function that went away must not make us ask again with every call. */
const SHORTEST_REFRESH_MS = 1_000

/** Reads the discovery document of a Forrst service and makes functions that call it. */
export async function connectForrstSource(options: ForrstSourceOptions): Promise<ForrstSource> {
  const { client, name = 'the remote service', refreshMs = 60_000, log = SILENT } = options
  const listeners = new Set<() => void>()
  const forward: ForwardOptions = {
    client,
    name,
    timeoutMs: options.timeoutMs ?? 30_000,
    extensions: await listSupported(client),
    onUnknown: refreshSoon,
  }
  let text = ''
  let away = false
  let closed = false
  let soon: NodeJS.Timeout | undefined

  const first = await readDocument()
  let { functions } = first

  async function readDocument() {
    const outcome = await client.discover()
    if (!outcome.ok) throw toUnreachable(outcome, name)
    const next = JSON.stringify(outcome.result)
    const read = readForrstDocument(outcome.result, (object, input) =>
      createForward(object, input, forward),
    )
    if (next !== text) for (const warning of read.warnings) log.warn(`${name}: ${warning}`)
    const changed = next !== text
    text = next
    return { ...read, changed }
  }

  async function refresh(): Promise<boolean> {
    try {
      const read = await readDocument()
      if (away) log.warn(`${name} answers again`)
      away = false
      if (!read.changed || closed) return true
      functions = read.functions
      for (const listener of [...listeners]) listener()
      return true
    } catch (error) {
      // Said once: a service that is away for a night would fill the log.
      if (!away) log.warn(`${name} cannot be read; its functions stay as they were`, { error })
      away = true
      return false
    }
  }

  function refreshSoon(): void {
    if (closed || soon !== undefined) return
    soon = setTimeout(() => {
      soon = undefined
      void refresh()
    }, SHORTEST_REFRESH_MS)
    unref(soon)
  }

  const timer = refreshMs > 0 ? setInterval(() => void refresh(), refreshMs) : undefined
  if (timer) unref(timer)
  return {
    info: first.info,
    functions: () => functions,
    refresh,
    check: (signal) => checkRemote(client, name, signal),
    follow(registry) {
      let applied: readonly FunctionDefinition[] = functions.filter(
        ({ name: known, version }) => registry.find(known)?.versions.has(version) === true,
      )
      const listener = () => {
        replaceFunctions(registry, applied, functions, log)
        applied = functions
      }
      listeners.add(listener)
      listener()
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      clearInterval(timer)
      clearTimeout(soon)
      listeners.clear()
    },
  }
}

/** A service without capabilities promises nothing, and one that cannot be reached fails when its document is read. */
async function listSupported(client: ForrstClient): Promise<ReadonlySet<string>> {
  const known = await Promise.all(
    PASSED_ON.map(async (urn) => ((await client.supports(urn).catch(() => false)) ? [urn] : [])),
  )
  return new Set(known.flat())
}

async function checkRemote(client: ForrstClient, name: string, signal: AbortSignal) {
  const within = { context: undefined, facts: {}, signal: () => signal }
  const outcome = await client.call('urn:cline:forrst:fn:ping', {}, { within, retry: false })
  if (outcome.ok) return undefined
  return { status: 'unhealthy', message: `${name} does not answer` } as const
}

function toUnreachable(
  {
    errors: [{ code, message }],
    cause,
  }: {
    readonly errors: readonly [{ code: string; message: string }, ...unknown[]]
    cause?: unknown
  },
  name: string,
): CallError {
  return new CallError('UNAVAILABLE', {
    message: `the discovery document of ${name} cannot be read: ${code}: ${message}`,
    cause,
  })
}

/** Brings a registry in step; functions that did not change are left alone, so their prepared parts stay. */
function replaceFunctions(
  registry: Registry,
  before: readonly FunctionDefinition[],
  now: readonly FunctionDefinition[],
  log: Logger,
): void {
  const wanted = new Map(now.map((definition) => [keyOf(definition), definition]))
  for (const definition of before) {
    const next = wanted.get(keyOf(definition))
    if (next !== undefined && JSON.stringify(next) === JSON.stringify(definition)) {
      wanted.delete(keyOf(definition))
    } else registry.remove(definition.name, definition.version)
  }
  for (const definition of wanted.values()) {
    try {
      registry.add(definition)
    } catch (error) {
      log.warn(`${definition.name} of a remote service cannot be added`, { error })
    }
  }
}

function keyOf({ name, version }: FunctionDefinition): string {
  return `${name}@${version}`
}
