import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Service } from '../../core/index.ts'
import type { TriggerDef } from '../../sources/tool-spec/index.ts'
import type { Store } from '../../store/index.ts'
import { createEventBus, type EventBus } from '../../triggers/index.ts'
import { isRecord, toReason, toText } from '../../values/index.ts'
import { UsageError } from '../command.ts'

/** Makes importing TypeScript possible where Node cannot do it by itself. */
export async function enableTypeScript(path: string): Promise<void> {
  const features = process.features as { readonly typescript?: unknown }
  if (features.typescript || process.execArgv.some((argument) => argument.includes('tsx'))) return
  try {
    // Whether a file is an ES module or CommonJS depends on its package.json.
    for (const entry of ['tsx/cjs/api', 'tsx/esm/api']) {
      const { register } = (await import(locate(entry, path))) as { readonly register: () => void }
      register()
    }
  } catch {
    throw new UsageError(
      `${path} is TypeScript, which Node ${process.versions.node} cannot run by itself; install tsx (npm install --save-dev tsx) or use Node 22.18 or later`,
    )
  }
}

/** The project's own goes first: a command line that is installed for all has none beside it. */
function locate(entry: string, path: string): string {
  try {
    // Found as CommonJS would find it; what is imported is the ES module beside it.
    return pathToFileURL(
      createRequire(path)
        .resolve(entry)
        .replace(/\.cjs$/, '.mjs'),
    ).href
  } catch {
    return entry
  }
}

const ENTRIES = ['main.ts', 'index.ts', 'main.js', 'index.js', 'main.mjs', 'index.mjs']

/** What a module's function gets when it creates its service. */
export interface ServiceSurroundings {
  /** Opened from --store or WAYMARK_STORE. */
  readonly store?: Store
  /** Opened from --bus or WAYMARK_BUS; within this process when absent. */
  readonly events?: EventBus
}

/** What a module exports. */
export interface LoadedModule {
  readonly service: Service
  readonly triggers: readonly TriggerDef[]
}

/**
 * Loads the service that a module exports: as `default`, as `service`, or as a function that creates it; and its
 * `triggers`, a list or a function that makes one.
 */
export async function loadModuleService(
  reference: string,
  cwd: string,
  given: ServiceSurroundings,
): Promise<LoadedModule> {
  const surroundings = { events: createEventBus(), ...given }
  const path = findEntry(resolve(cwd, reference), reference)
  if (!/\.[cm]?[jt]s$/.test(path)) {
    throw new UsageError(
      `${reference} is not a source: give a module (.ts, .js, .mjs), a tool spec or an OpenAPI document (.yaml, .json)`,
    )
  }
  if (/\.[cm]?ts$/.test(path)) await enableTypeScript(path)
  const module = await importModule(path, reference)
  const exported = module['default'] ?? module['service'] ?? module['createService']
  if (surroundings.store !== undefined && typeof exported !== 'function') {
    throw new UsageError(
      `${reference} exports a finished service, so --store cannot reach it; export a function instead: export default ({ store }) => createService({ store, … })`,
    )
  }
  const service = await createFrom(exported, surroundings, reference)
  if (isService(service)) return { service, triggers: await readTriggers(module, surroundings) }
  throw new UsageError(
    `${reference} must export a service: "export default createService({ … })", or a function that creates one`,
  )
}

async function readTriggers(
  { triggers }: Record<string, unknown>,
  surroundings: ServiceSurroundings,
): Promise<readonly TriggerDef[]> {
  const found: unknown = isCreator(triggers) ? await triggers(surroundings) : triggers
  if (found === undefined) return []
  if (Array.isArray(found)) return found as readonly TriggerDef[]
  throw new UsageError('"triggers" of a module must be a list: export const triggers = [ … ]')
}

/** A mistake in a definition is the author's, whether the module or its function makes it. */
async function createFrom(
  exported: unknown,
  surroundings: ServiceSurroundings,
  reference: string,
): Promise<unknown> {
  if (!isCreator(exported)) return exported
  try {
    return await exported(surroundings)
  } catch (thrown) {
    throw toLoadError(thrown, reference)
  }
}

function findEntry(path: string, reference: string): string {
  if (!statSync(path).isDirectory()) return path
  const entry = ENTRIES.map((name) => join(path, name)).find((candidate) => existsSync(candidate))
  if (entry !== undefined) return entry
  throw new UsageError(
    `${reference} is a folder without ${ENTRIES.slice(0, -1).join(', ')} or ${ENTRIES.at(-1)}`,
  )
}

async function importModule(path: string, reference: string): Promise<Record<string, unknown>> {
  try {
    const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
    const exported = module['default']
    // An ES module that was compiled to CommonJS: what it exports stands inside the default.
    return isRecord(exported) && exported['__esModule'] ? exported : module
  } catch (thrown) {
    throw toLoadError(thrown, reference)
  }
}

function toLoadError(thrown: unknown, reference: string): UsageError {
  // A definition mistake names its function and field; of the stack only the author's own line adds something.
  if (thrown instanceof TypeError) {
    const [, place = ''] =
      /^ {4}at (?:.*\()?(?:file:\/\/)?([^()]+:\d+:\d+)\)?$/m.exec(formatStack(thrown)) ?? []
    return new UsageError(`${reference}: ${thrown.message}${place && ` (${place})`}`)
  }
  const reason = thrown instanceof Error ? formatStack(thrown) : toText(thrown)
  return new UsageError(`${reference} cannot be loaded: ${reason}${adviseOnMissing(thrown)}`)
}

/** Keeps the frames of the author's own files; the loader's and ours say nothing about the mistake. */
function formatStack(error: Error): string {
  const lines = (error.stack ?? error.message).split('\n')
  return lines
    .filter(
      (line) => !/^ {4}at .*(?:node:|node_modules|\/cli\/)|^ {4}at (?:async )?Promise/.test(line),
    )
    .join('\n')
}

function adviseOnMissing(thrown: unknown): string {
  // ES modules and CommonJS say it differently; a path is not a package.
  const [, specifier] =
    /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?\w[^'\\:]*)'/.exec(toReason(thrown)) ?? []
  if (specifier === undefined) return ''
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  return `\n         Install it: npm install ${name}`
}

function isCreator(value: unknown): value is (surroundings: ServiceSurroundings) => unknown {
  return typeof value === 'function'
}

function isService(value: unknown): value is Service {
  return isRecord(value) && typeof value['dispatch'] === 'function' && isRecord(value['registry'])
}
