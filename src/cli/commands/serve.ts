import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Service } from '../../core/index.ts'
import { allSurfaces, type RunningServer, serveAt } from '../../http/index.ts'
import { createAudit, createCallLog, prometheus } from '../../observe/index.ts'
import { type McpOptions, measureTools, parseToolSelection } from '../../surfaces/mcp/index.ts'
import { listDiscoverable } from '../../system/index.ts'
import type { Triggers } from '../../triggers/index.ts'
import { toMilliseconds } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { parseDuration, parsePort, readChoiceFlag, readListFlag, readTextFlag } from '../flags.ts'
import { createPaint, formatTable } from '../print.ts'
import { parseAudit } from '../serve/audit.ts'
import { parseCallLog } from '../serve/call-log.ts'
import { watchFaults } from '../serve/faults.ts'
import { parseOverload } from '../serve/overload.ts'
import { openPins } from '../serve/pins.ts'
import { runStdio, withOwnStdout } from '../serve/stdio.ts'
import { openStoreOf, requireStore } from '../serve/store.ts'
import {
  createServedTriggers,
  formatTriggers,
  openBusOf,
  withoutWebhooks,
} from '../serve/triggers.ts'
import { loadSources } from '../source/source.ts'
import { explainListenError } from '../system-error.ts'
import { joinWatch, type Watched } from '../watch/child.ts'
import { runWatch } from '../watch/watch.ts'

/** Serves a service on one port. */
export async function runServeCommand(input: CommandInput): Promise<number> {
  if (input.flags['watch']) {
    assertFlags(input)
    return runWatch(input, { port: readPort(input), host: readHost(input) })
  }
  if (input.flags['stdio']) return withOwnStdout((output) => serveSources(input, { output }))
  const watched = joinWatch()
  try {
    return await serveSources(input, { ...(watched && { watched }) })
  } catch (thrown) {
    watched?.failed(thrown)
    throw thrown
  }
}

/** What is wrong with the line is said before anything is opened. */
function assertFlags(input: CommandInput): void {
  readMcpOptions(input)
  readPort(input)
  readTime(input, 'grace', 0)
  readTime(input, 'drain-pause', 0)
  parseOverload(readTextFlag(input, 'overload'))
  parseCallLog(readTextFlag(input, 'log'))
  parseAudit(readTextFlag(input, 'audit'))
}

/** Where a service is served: over stdio, behind a port that another process holds, or on a port of its own. */
interface Place {
  /** Where the protocol goes that is spoken over stdio. */
  readonly output?: Writable
  readonly watched?: Watched
}

async function serveSources(input: CommandInput, { output, watched }: Place): Promise<number> {
  assertFlags(input)
  const store = await openStoreOf(input)
  const events = await openBusOf(input)
  const pinFile = readTextFlag(input, 'pin')
  const pinned = pinFile === undefined ? undefined : openPins(resolve(input.io.cwd, pinFile))
  const loaded = await loadSources(input.positionals, input.io, {
    ...(store && { store }),
    events,
    ...(pinned && { pins: pinned.pins }),
  })
  const { service, notes } = loaded
  const mcp = { ...readMcpOptions(input), ...loaded.offers }
  const callLog = parseCallLog(readTextFlag(input, 'log'))
  if (callLog) service.observers.push(createCallLog(service.log, callLog))
  const audit = parseAudit(readTextFlag(input, 'audit'))
  if (audit) service.observers.push(createAudit({ ...audit, to: requireStore(store, '--audit') }))
  const around = { store, bus: events, io: input.io }
  const close = async () => {
    pinned?.close()
    await loaded.close()
    await events.close()
    await store?.close()
  }
  for (const note of notes) input.io.err(`${note}\n`)
  if (output) {
    const triggers = createServedTriggers(withoutWebhooks(loaded, input), around)
    await runStdio({ service, mcp, triggers, output }, input)
    await close()
    return EXIT.ok
  }
  const triggers = createServedTriggers(loaded, around)
  const server = await listen(service, { mcp, triggers, watched }, input)
  const listed = triggers && !input.flags['json'] ? formatTriggers(await triggers.list()) : ''
  const text = `${formatStart(service, server, input)}${listed}`
  if (watched) watched.ready(text, listDiscoverable(service).length)
  else input.io.out(text)
  const failed = watchFaults(service, input.io).then(() => EXIT.bug)
  const asked = input.io.signal.aborted ? undefined : once(input.io.signal, 'abort')
  const reasons = [failed, asked?.then(() => EXIT.ok) ?? EXIT.ok]
  const code = await Promise.race([
    ...reasons,
    ...(watched ? [watched.replaced.then(() => EXIT.ok)] : []),
  ])
  if (!input.flags['json'] && watched === undefined)
    input.io.err('Stopping: running calls may finish.\n')
  // Load balancers say SIGTERM, and need a moment to hear of it; a person at the keyboard does not wait for them.
  const isOrdered = (input.io.signal.reason as Error | undefined)?.message === 'SIGTERM'
  const { cutCalls } = await server.drain(
    isOrdered ? { pauseMs: readTime(input, 'drain-pause', 1_000) } : {},
  )
  await close()
  return code === EXIT.ok && cutCalls > 0 ? EXIT.cut : code
}

interface Listening {
  readonly mcp: McpOptions
  readonly triggers: Triggers | undefined
  readonly watched: Watched | undefined
}

/** Below the page, which asks for it. */
const WATCH_PATH = '/explorer/watch'

async function listen(
  service: Service,
  { mcp, triggers, watched }: Listening,
  input: CommandInput,
): Promise<RunningServer> {
  const port = readPort(input)
  const host = readHost(input)
  const allowedHosts = readListFlag(input, 'allow-host')
  try {
    return await serveAt(watched?.door, service, {
      port,
      host,
      ownsProcess: false,
      graceMs: readTime(input, 'grace', 10_000),
      ...(allowedHosts.length > 0 && {
        allowedHosts: allowedHosts.includes('*') ? '*' : allowedHosts,
      }),
      allowedOrigins: readListFlag(input, 'allow-origin'),
      trustedProxies: readListFlag(input, 'trusted-proxy'),
      ...readPublicUrl(input),
      ...(triggers && { triggers }),
      ...(watched && { mounts: [{ path: WATCH_PATH, match: 'exact', handler: watched.handler }] }),
      ...(input.flags['no-metrics'] !== true && {
        metrics: prometheus({
          ...(triggers && { triggers }),
          ...(input.io.env['WAYMARK_METRICS_TOKEN'] && {
            token: input.io.env['WAYMARK_METRICS_TOKEN'],
          }),
        }),
      }),
      overload: parseOverload(readTextFlag(input, 'overload')),
      surfaces: allSurfaces({
        mcp,
        explorer: {
          allowExecute: input.flags['allow-execute'] === true,
          isWatched: watched !== undefined,
        },
      }),
    })
  } catch (thrown) {
    await service.close()
    const explained = explainListenError(thrown, { host, port })
    if (explained !== undefined) throw explained
    // What a trigger lacks, such as a secret, is the person's to give.
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

function readHost(input: CommandInput): string {
  return readTextFlag(input, 'host') ?? input.io.env['HOST'] ?? '127.0.0.1'
}

function readPort(input: CommandInput): number {
  const flag = readTextFlag(input, 'port')
  return parsePort(flag ?? input.io.env['PORT'] ?? '4000', flag === undefined ? 'PORT' : '--port')
}

/** A timer of Node holds no more than 24 days. */
const LONGEST_MS = 86_400_000

function readTime(input: CommandInput, flag: string, absent: number): number {
  const text = readTextFlag(input, flag)
  if (text === undefined) return absent
  return Math.min(toMilliseconds(parseDuration(text, `--${flag}`)) ?? absent, LONGEST_MS)
}

function readPublicUrl(input: CommandInput): { readonly publicUrl?: string } {
  const publicUrl = readTextFlag(input, 'public-url')
  if (publicUrl === undefined) return {}
  if (URL.canParse(publicUrl)) return { publicUrl }
  throw new UsageError(
    `--public-url must be a URL such as https://api.example.com; got "${publicUrl}"`,
  )
}

function readMcpOptions(input: CommandInput): McpOptions {
  const tools = readChoiceFlag(input, 'tools', ['all', 'search']) ?? 'all'
  const only = readListFlag(input, 'mcp-only')
  const except = readListFlag(input, 'mcp-except')
  try {
    return {
      tools,
      ...(only.length > 0 && { only: parseToolSelection(only) }),
      ...(except.length > 0 && { except: parseToolSelection(except) }),
    }
  } catch (thrown) {
    throw new UsageError((thrown as Error).message)
  }
}

/** What the tools cost a model before it has done anything. */
function formatCost(service: Service, input: CommandInput): string {
  const { tools, tokens } = measureTools(service, readMcpOptions(input))
  return `${tools} tools, about ${tokens} tokens`
}

function formatStart(service: Service, server: RunningServer, input: CommandInput): string {
  const functions = listDiscoverable(service)
  if (input.flags['json']) {
    return `${JSON.stringify({ url: server.url, service: service.name, functions: functions.length })}\n`
  }
  const paint = createPaint(input.io)
  return [
    `${paint.bold(service.info.title)} ${service.info.version} is listening on ${paint.bold(server.url)}\n\n`,
    formatTable([
      ['Explorer', `${server.url}/explorer/`],
      ['Forrst', `POST ${server.url}/forrst`],
      ['MCP', `${server.url}/mcp  ${paint.dim(formatCost(service, input))}`],
      ['REST', `${server.url}/openapi.json`],
      ['Health', `GET  ${server.url}/health/ready`],
    ]),
    `\n${functions.length} functions, ${service.extensions.length} extensions. `,
    `Try: npx waymark describe ${server.url}\nPress Ctrl+C to stop.\n`,
  ].join('')
}
