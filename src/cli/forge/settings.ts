import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { isRecord, toText } from '../../values/index.ts'
import { type CommandInput, formatSuggestion, type Io, UsageError } from '../command.ts'
import { FORGE_FLAGS, type ForgeJob, isOwnCommand } from './forge-flags.ts'

/** Flags that may have a default in the environment or in the configuration file. */
const SETTINGS: Readonly<Record<string, string>> = {
  model: 'WAYMARK_MODEL',
  out: 'WAYMARK_OUT',
  format: 'WAYMARK_FORMAT',
  strict: 'WAYMARK_STRICT',
  'max-name-length': 'WAYMARK_MAX_NAME_LENGTH',
  'max-depth': 'WAYMARK_MAX_DEPTH',
}

const CONFIG_FILE = 'waymark.config.json'

/** Completes flags: a flag beats the environment, which beats `.env`, which beats the configuration file. */
export function withSettings(input: CommandInput, job: ForgeJob): CommandInput {
  const env = readEnvironment(input.io)
  const config = readConfig(input.io)
  const flags: Record<string, CommandInput['flags'][string]> = { ...input.flags }
  // An agent is a folder of its own: the place where tools go is not its place.
  const own = job === 'mcp' ? ['format', 'model'] : ['format']
  const names = isOwnCommand(job) ? own : Object.keys(SETTINGS)
  for (const name of names) {
    const setting = env[SETTINGS[name] ?? ''] ?? config[name]
    if (flags[name] === undefined && setting !== undefined && setting !== '') {
      flags[name] = FORGE_FLAGS[name]?.type === 'boolean' ? setting === 'true' : setting
    }
  }
  return { ...input, flags, io: { ...input.io, env } }
}

/** Variables of the models, each address with the keys that are sent there. */
const KEYS_OF_ADDRESS: Readonly<Record<string, readonly string[]>> = {
  GEMINI_BASE_URL: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  OPENAI_BASE_URL: ['OPENAI_API_KEY'],
  ANTHROPIC_BASE_URL: ['ANTHROPIC_API_KEY'],
}

// Nothing else is taken from the file: the editor is started with this environment, and a folder from
// somewhere must not be able to choose programs or libraries.
const FROM_FILE: readonly string[] = [
  ...Object.values(SETTINGS),
  ...Object.keys(KEYS_OF_ADDRESS),
  ...Object.values(KEYS_OF_ADDRESS).flat(),
]

function readEnvironment({ env, cwd }: Io): Io['env'] {
  const text = readIfThere(join(cwd, '.env'))
  if (text === undefined) return env
  const usable = Object.entries(parseEnv(text)).filter(([name]) => {
    // Where a key of the real environment is sent must not be decided by a file in a folder.
    const keys = KEYS_OF_ADDRESS[name] ?? []
    const isForeign = keys.some((key) => env[key] !== undefined)
    return FROM_FILE.includes(name) && env[name] === undefined && !isForeign
  })
  return { ...env, ...Object.fromEntries(usable) }
}

function readConfig({ cwd }: Io): Readonly<Record<string, string>> {
  const text = readIfThere(join(cwd, CONFIG_FILE))
  if (text === undefined) return {}
  const config = parseConfig(text)
  const forge = isRecord(config) ? (config['forge'] ?? {}) : undefined
  if (!isRecord(forge)) {
    throw new UsageError(`${CONFIG_FILE} must look like { "forge": { "out": "tools" } }`)
  }
  const names = Object.keys(SETTINGS)
  return Object.fromEntries(
    Object.entries(forge).map(([name, value]) => {
      if (!names.includes(name)) {
        const hint = formatSuggestion(name, names)
        throw new UsageError(`${CONFIG_FILE}: forge has no setting "${name}".${hint}`)
      }
      if (typeof value !== 'object') return [name, toText(value)]
      throw new UsageError(`${CONFIG_FILE}: forge.${name} must be a text, a number or true`)
    }),
  )
}

function parseConfig(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new UsageError(`${CONFIG_FILE} is not JSON: ${(thrown as Error).message}`)
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
