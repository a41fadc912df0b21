import { expect, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createMemoryStore } from '../../src/entries/store.ts'
import { createTriggers, type Triggers } from '../../src/entries/triggers.ts'
import { asyncExtension } from '../../src/extensions/async/async.ts'
import { maintenanceExtension } from '../../src/extensions/maintenance/maintenance.ts'
import { endMaintenance, startMaintenance } from '../../src/extensions/maintenance/state.ts'
import { replayExtension } from '../../src/extensions/replay/replay.ts'
import { createTestClock } from '../support/forrst.ts'
import { createManualJobs } from '../support/manual-jobs.ts'
import { createTestLogger } from '../support/service.ts'
import { createBureau, createVisitor, type Seen } from './bureau.ts'

const SCOPE = 'orders:write'
const ASYNC = 'urn:cline:forrst:ext:async:fn:'
const TRIGGERS = 'urn:waymark:forrst:ext:triggers:fn:'
const ALWAYS = { refresh: { value: 0, unit: 'second' } } as const
const MODERN = '2026-07-28'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const open: Triggers[] = []

/** Ends the triggers that ways have started. */
export async function closeTriggers(): Promise<void> {
  for (const triggers of open.splice(0)) await triggers.stop(100)
}

type World = ReturnType<typeof createWorld>

/** A service with one function, whose runs are counted, and one caller of it. */
export function createWorld(who: string, requires: readonly string[] = [SCOPE]) {
  const clock = createTestClock()
  const jobs = createManualJobs(clock)
  const store = createMemoryStore()
  const runs: string[] = []
  const create = (needed: readonly string[]) =>
    defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      sideEffects: ['create'],
      extensions: [{ urn: 'urn:forrst:ext:async' }],
      ...(needed.length > 0 && { requires: needed }),
      handler({ call }) {
        runs.push(call.principal?.id ?? 'nobody')
        return { created: true }
      },
    })
  const service = createBureau({
    functions: [create(requires)],
    components: {},
    extensions: [
      replayExtension({ store, jobs }),
      maintenanceExtension({ ...ALWAYS, store }),
      asyncExtension({ store, jobs }),
    ],
    clock,
  })
  service.start()
  return {
    ...createVisitor(service, who),
    service,
    store,
    jobs,
    clock,
    runs,
    holdsScope: who === 'clerk',
    /** From now on the function requires the scope: what was accepted before has to hold it as well. */
    demand() {
      service.registry.remove('orders.create')
      service.registry.add(create([SCOPE]))
    },
  }
}

/** What came of one way to a function: its status where there is one, the code where it was refused. */
export interface End {
  readonly status?: number
  readonly code?: string
  readonly challenge?: boolean
}

/** One way by which a function is reached. */
export interface Way {
  readonly kind: string
  readonly title: string
  readonly allowed: End
  readonly refused: End
  /** What the function requires at first; the scope when absent. */
  readonly requires?: readonly string[]
  readonly go: (world: World) => Promise<End>
}

/** Reads the end of an answer in any form: Forrst, problem details, JSON-RPC, tool content. */
function toEnd({ status, text, headers }: Seen): End {
  // The innermost says why: a failed operation and JSON-RPC have codes of their own around it.
  const code = [...text.matchAll(/"code":"([A-Z_]+)"/g)].at(-1)?.[1]
  const challenge = String(headers['www-authenticate'] ?? '').includes(
    `error="insufficient_scope", scope="${SCOPE}"`,
  )
  return { status, ...(code && { code }), ...(challenge && { challenge }) }
}

const OK: End = { status: 200 }
const ACCEPTED: End = { status: 202 }
const FORBIDDEN: End = { status: 403, code: 'FORBIDDEN' }
/** Refused when its turn came: the caller reads it in the state of what was accepted. */
const LATER: End = { code: 'FORBIDDEN' }
const CHALLENGED: End = { ...FORBIDDEN, challenge: true }

const readText = (seen: Seen, name: string): string =>
  new RegExp(`\\\\?"${name}\\\\?":\\s*\\\\?"([^"\\\\]+)`).exec(seen.text)?.[1] ?? ''

type Headers = Readonly<Record<string, string>>

/** Connects over MCP, in a session or without. */
async function openMcp({ post }: World, revision: string, capabilities = {}) {
  const client = { name: 'tests', version: '1.0.0' }
  const send = (method: string, params: object, headers: Headers) =>
    post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, headers)
  const version = { 'mcp-protocol-version': revision }
  if (revision === MODERN) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }
    return (method: string, params: object, about: string) =>
      send(method, { ...params, _meta }, { ...version, 'mcp-method': method, 'mcp-name': about })
  }
  const hello = { protocolVersion: revision, capabilities: {}, clientInfo: client }
  const { headers } = await send('initialize', hello, {})
  const session = { ...version, 'mcp-session-id': String(headers['mcp-session-id']) }
  return (method: string, params: object) => send(method, params, session)
}

const TOOL = 'orders__create'

async function callTool(world: World, revision: string): Promise<End> {
  const ask = await openMcp(world, revision)
  return toEnd(await ask('tools/call', { name: TOOL, arguments: {} }, TOOL))
}

async function runTask(world: World, revision: string): Promise<End> {
  const ask = await openMcp(world, revision, TASKS)
  const wish = revision === MODERN ? {} : { task: {} }
  const created = await ask('tools/call', { name: TOOL, arguments: {}, ...wish }, TOOL)
  if (created.status !== OK.status) return toEnd(created)
  await world.jobs.runFor(120_000)
  const taskId = readText(created, 'taskId')
  const ended = await ask('tasks/get', { taskId }, taskId)
  expect(readText(ended, 'status')).toBe('completed')
  return toEnd(ended)
}

const callWith = ({ post }: World, urn: string, options: object = {}): Promise<Seen> =>
  post('/forrst', {
    protocol: { name: 'forrst', version: '0.1.0' },
    id: 'req_1',
    call: { function: 'orders.create', arguments: {} },
    extensions: [{ urn, options }],
  })

const startOperation = (world: World) =>
  callWith(world, 'urn:forrst:ext:async', { preferred: true })

/** Lets what was accepted run, and tells how it ended. */
async function finish(world: World, name: string, input: object): Promise<End> {
  await world.jobs.runFor(120_000)
  const ended = await world.forrst(name, input)
  const { code } = toEnd(ended)
  expect(ended.text).toContain(code === undefined ? '"status":"completed"' : `"code":"${code}"`)
  return code === undefined ? OK : { code }
}

const finishOperation = (world: World, started: Seen) =>
  finish(world, `${ASYNC}status`, { operation_id: readText(started, 'operation_id') })

async function queueReplay(world: World): Promise<Seen> {
  await startMaintenance(world.store, { reason: 'Upgrade' }, world.clock.now())
  const queued = await callWith(world, 'urn:forrst:ext:replay')
  await endMaintenance(world.store)
  return queued
}

const finishReplay = (world: World, queued: Seen) =>
  finish(world, 'forrst.replay.status', { replay_id: readText(queued, 'replay_id') })

async function openTriggers(world: World, scopes: readonly string[]): Promise<Triggers> {
  const triggers = createTriggers({
    service: world.service,
    log: createTestLogger(),
    triggers: [
      {
        type: 'emit',
        name: 'paid',
        description: 'Orders',
        event: 'orders.paid',
        tool: 'orders.create',
        scopes,
      },
    ],
  })
  open.push(triggers)
  await triggers.start()
  return triggers
}

async function settle(triggers: Triggers, round = 0): Promise<End> {
  const delivery = await vi.waitFor(
    async () => {
      const [found] = (await triggers.deliveries()).deliveries
      expect([found?.round, found?.state]).toEqual([round, expect.stringMatching(/^(done|dead)$/)])
      return found
    },
    { timeout: 20_000, interval: 10 },
  )
  const code = delivery?.attempts.at(-1)?.errors?.[0]?.code
  return code === undefined ? {} : { code }
}

const held = ({ holdsScope }: World) => (holdsScope ? [SCOPE] : ['unrelated'])

/** Every way to a function that requires a scope, and what it comes to. */
export const WAYS: readonly Way[] = [
  {
    kind: 'call',
    title: 'Forrst',
    allowed: OK,
    refused: CHALLENGED,
    go: async ({ forrst }) => toEnd(await forrst('orders.create')),
  },
  {
    kind: 'call',
    title: 'REST',
    allowed: OK,
    refused: CHALLENGED,
    go: async ({ post }) => toEnd(await post('/api/orders.create', {})),
  },
  ...['2025-03-26', '2025-06-18', '2025-11-25', MODERN].map(
    (revision): Way => ({
      kind: 'call',
      title: `MCP ${revision}${revision === MODERN ? '' : ', in a session'}`,
      allowed: OK,
      refused: CHALLENGED,
      go: (world) => callTool(world, revision),
    }),
  ),
  {
    kind: 'call',
    title: 'tool API',
    allowed: OK,
    refused: { status: 404 },
    go: async ({ post }) => toEnd(await post('/explorer/tools/orders__create/call', {})),
  },
  {
    kind: 'background run',
    title: 'Forrst, extension async',
    allowed: OK,
    refused: CHALLENGED,
    go: async (world) => {
      const started = await startOperation(world)
      return started.status === 200 ? finishOperation(world, started) : toEnd(started)
    },
  },
  {
    kind: 'background run',
    title: 'REST, `Prefer: respond-async`',
    allowed: OK,
    refused: CHALLENGED,
    go: async (world) => {
      const started = await world.post('/api/orders.create', {}, { prefer: 'respond-async' })
      if (started.status !== ACCEPTED.status) return toEnd(started)
      await world.jobs.runFor(120_000)
      return toEnd(await world.get(String(started.headers['location'])))
    },
  },
  ...['2025-11-25', MODERN].map(
    (revision): Way => ({
      kind: 'background run',
      title: `MCP ${revision}, task`,
      allowed: OK,
      refused: CHALLENGED,
      go: (world) => runTask(world, revision),
    }),
  ),
  {
    kind: 'background run',
    title: 'accepted before the function required the scope',
    requires: [],
    allowed: OK,
    refused: LATER,
    go: async (world) => {
      const started = await startOperation(world)
      world.demand()
      return finishOperation(world, started)
    },
  },
  {
    kind: 'replay',
    title: 'queued in maintenance',
    allowed: OK,
    refused: CHALLENGED,
    go: async (world) => {
      const queued = await queueReplay(world)
      return queued.status === ACCEPTED.status ? finishReplay(world, queued) : toEnd(queued)
    },
  },
  {
    kind: 'replay',
    title: 'queued before the function required the scope',
    requires: [],
    allowed: OK,
    refused: LATER,
    go: async (world) => {
      const queued = await queueReplay(world)
      world.demand()
      return finishReplay(world, queued)
    },
  },
  {
    kind: 'replay',
    title: 'the same, asked for with `forrst.replay.trigger`',
    requires: [],
    allowed: OK,
    refused: LATER,
    go: async (world) => {
      const queued = await queueReplay(world)
      world.demand()
      await world.forrst('forrst.replay.trigger', { replay_id: readText(queued, 'replay_id') })
      return finishReplay(world, queued)
    },
  },
  {
    kind: 'trigger',
    title: '`scopes` of its definition, at start',
    allowed: {},
    refused: { code: 'TypeError' },
    go: async (world) => {
      try {
        const triggers = await openTriggers(world, held(world))
        await triggers.emit('orders.paid', null)
        return await settle(triggers)
      } catch (thrown) {
        return { code: (thrown as Error).name }
      }
    },
  },
  {
    kind: 'trigger',
    title: 'delivery after the function required the scope',
    requires: [],
    allowed: {},
    refused: LATER,
    go: async (world) => {
      const triggers = await openTriggers(world, held(world))
      world.demand()
      await triggers.emit('orders.paid', null)
      return settle(triggers)
    },
  },
  {
    kind: 'trigger',
    title: 'tried out by a caller, `triggers test`',
    allowed: OK,
    refused: FORBIDDEN,
    go: async (world) => {
      await openTriggers(world, [SCOPE])
      return toEnd(await world.forrst(`${TRIGGERS}test`, { trigger: 'paid' }))
    },
  },
]
