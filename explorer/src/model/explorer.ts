import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { toReason } from '../../../src/values/json.ts'
import { ApiError, createToolApi, type ToolApi } from './api.ts'
import { type Cell, createCell } from './cell.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { createForrst, type Forrst, readService, type ServiceFacts } from './forrst.ts'
import { createHealthMonitor, type HealthMonitor } from './health.ts'
import { createHistory, type History, type KeyValue } from './history.ts'
import { createNegotiationDesk, type NegotiationDesk } from './negotiation.ts'
import { parseRoute, type Route } from './route.ts'
import { buildIndex, type Filter, type IndexedTool, type KnownFunctions } from './search.ts'
import { createSession, type Session } from './session.ts'
import { createTheme, type Theme } from './theme.ts'
import type { Load, ToolSummary } from './types.ts'

/** A window over the page. */
type Dialog = 'none' | 'palette' | 'credentials' | 'help'

/** Everything the page knows and does, apart from how it looks. */
export interface Explorer {
  readonly title: string
  readonly api: ToolApi
  readonly forrst: Forrst
  readonly credentials: Credentials
  readonly history: History
  readonly theme: Theme
  readonly executeEnabled: Cell<boolean>
  /** Whether the service has triggers. */
  readonly triggersPresent: boolean
  /** Whether the service is served anew when its files change. */
  readonly serviceWatched: boolean
  readonly tools: Cell<Load<readonly ToolSummary[]>>
  readonly index: Cell<readonly IndexedTool[]>
  /** What the discovery document adds; undefined while unknown or absent. */
  readonly service: Cell<ServiceFacts | undefined>
  /** Whether a Forrst endpoint stands beside this page. */
  readonly servicePresent: Cell<boolean>
  /** Ids of the panels that have something to show. */
  readonly panels: Cell<ReadonlySet<string>>
  readonly health: HealthMonitor
  readonly negotiation: NegotiationDesk
  readonly route: Cell<Route>
  readonly query: Cell<string>
  readonly filter: Cell<Filter>
  readonly dialog: Cell<Dialog>
  readonly loadTools: () => Promise<void>
  /** Reads everything again after the service was replaced by another version of itself. */
  readonly reload: () => Promise<void>
  readonly openSession: (tool: string) => Promise<Session>
  readonly go: (hash: string) => void
}

const RETRY_MS = 400

/** What the server wrote into the page. */
export interface PageFacts {
  readonly executeEnabled: boolean
  readonly triggersPresent: boolean
  readonly serviceWatched: boolean
}

/** Makes the explorer for the page it runs in. */
export function createExplorer(page: Window, facts: PageFacts): Explorer {
  const base = page.location.pathname.replace(/(?<!\/)\/+$/, '')
  const credentials = createCredentials(storageOf(page, 'sessionStorage'), base)
  const api = createToolApi(base, credentials.headers)
  const forrst = createForrst(base, credentials.headers)
  const history = createHistory(storageOf(page, 'localStorage'), base)
  const executeEnabled = createCell(facts.executeEnabled)
  const tools = createCell<Load<readonly ToolSummary[]>>({ state: 'loading' })
  const index = createCell<readonly IndexedTool[]>([])
  const service = createCell<ServiceFacts | undefined>(undefined)
  const servicePresent = createCell(false)
  const sessions = new Map<string, Promise<Session>>()
  const route = createRouteCell(page)

  function reindex(): void {
    const load = tools.get()
    if (load.state === 'ready') index.set(buildIndex(load.value, knownFunctions(service.get())))
  }

  async function loadTools(): Promise<void> {
    if (tools.get().state === 'failed') tools.set({ state: 'loading' })
    tools.set(await load(api.readTools))
    reindex()
    const found = await readService(forrst)
    service.set(found.facts)
    servicePresent.set(found.present)
    reindex()
  }

  function openSession(tool: string): Promise<Session> {
    const known = sessions.get(tool)
    if (known) return known
    const opening = api
      .readTool(tool)
      .then((detail) => createSession(detail, { api, history, executeEnabled }))
    sessions.set(tool, opening)
    opening.catch(() => sessions.delete(tool))
    return opening
  }

  reloadWithToken(credentials, () => {
    if (tools.get().state === 'failed') void loadTools()
  })

  return {
    title: page.document.title,
    api,
    forrst,
    credentials,
    history,
    theme: createTheme(page, storageOf(page, 'localStorage')),
    executeEnabled,
    triggersPresent: facts.triggersPresent,
    serviceWatched: facts.serviceWatched,
    tools,
    index,
    service,
    servicePresent,
    panels: createCell<ReadonlySet<string>>(new Set(['overview'])),
    health: createHealthMonitor(forrst),
    negotiation: createNegotiationDesk(base, credentials.headers),
    route,
    query: createCell(''),
    filter: createCell<Filter>('all'),
    dialog: createCell<Dialog>('none'),
    loadTools,
    reload() {
      // A form that is open keeps what was typed; the next one is made of what the service says now.
      sessions.clear()
      return loadTools()
    },
    openSession,
    go: (hash) => {
      page.location.hash = hash
    },
  }
}

const ExplorerContext = createContext<Explorer | undefined>(undefined)

/** Hands the explorer to the components below. */
export const ExplorerProvider = ExplorerContext.Provider

/** Gives the explorer to a component. */
export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext)
  if (explorer === undefined) throw new Error('no explorer above this component')
  return explorer
}

async function load<Value>(read: () => Promise<Value>): Promise<Load<Value>> {
  try {
    return { state: 'ready', value: await read() }
  } catch (thrown) {
    const reason = toReason(thrown)
    return { state: 'failed', reason, ...(thrown instanceof ApiError && { status: thrown.status }) }
  }
}

function createRouteCell(page: Window): Cell<Route> {
  const route = createCell(parseRoute(page.location.hash))
  page.addEventListener('hashchange', () => route.set(parseRoute(page.location.hash)))
  return route
}

/** Names of parameters and tags count as words of a tool. */
function knownFunctions(service: ServiceFacts | undefined): KnownFunctions {
  return {
    has: (name) => service?.functions.has(name) ?? false,
    words(label) {
      const [first] = service?.functions.get(label) ?? []
      if (first === undefined) return ''
      return [...first.arguments, ...first.tags].map(({ name }) => name).join(' ')
    },
  }
}

function reloadWithToken(credentials: Credentials, reload: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  credentials.token.subscribe(() => {
    clearTimeout(timer)
    timer = setTimeout(reload, RETRY_MS)
  })
}

/** Storage can be forbidden altogether, even to look at. */
function storageOf(page: Window, name: 'localStorage' | 'sessionStorage'): KeyValue | undefined {
  try {
    return page[name]
  } catch {
    return undefined
  }
}
