import { type ApiKey, type ApiKeys, createApiKeys } from '../../auth/index.ts'
import { defined, toMilliseconds } from '../../values/index.ts'
import { type CommandInput, EXIT, formatSuggestion, UsageError } from '../command.ts'
import { parseDuration, readListFlag, readTextFlag } from '../flags.ts'
import { formatTable, printAnswer, printable } from '../print.ts'
import { openStoreOf, requireStore } from '../serve/store.ts'

type Verb = (input: CommandInput, keys: ApiKeys) => Promise<number>

const VERBS: Readonly<Record<string, Verb>> = { create, list, revoke }

/** Looks after the API keys in the store of a service. */
export async function runKeysCommand(input: CommandInput): Promise<number> {
  const [verb = '', ...positionals] = input.positionals
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
  if (run === undefined) {
    const hint = formatSuggestion(verb, Object.keys(VERBS))
    throw new UsageError(`give an action: create, list or revoke; got "${verb}".${hint}`)
  }
  const store = await openStoreOf(input)
  try {
    return await run({ ...input, positionals }, createApiKeys(requireStore(store, 'keys')))
  } finally {
    await store?.close()
  }
}

async function create(input: CommandInput, keys: ApiKeys): Promise<number> {
  const name = requireWord(input, 'a name for the key: waymark keys create ci')
  const expires = readTextFlag(input, 'expires')
  const ttlMs =
    expires === undefined ? undefined : toMilliseconds(parseDuration(expires, '--expires'))
  if (ttlMs === 0) throw new UsageError('--expires must be longer than nothing')
  const principal = readTextFlag(input, 'principal')
  if (principal === '') throw new UsageError('--principal must not be empty')
  const scopes = readListFlag(input, 'scope')
  const made = await keys.create({ name, scopes, ...defined({ principal, ttlMs }) }).catch(explain)
  // The key alone is the output, so that a script can keep it; what a person needs to know goes beside it.
  const code = printAnswer(input, made, () => `${made.key}\n`)
  if (!input.flags['json']) {
    input.io.err(`${formatTable([toRow(made.record)], '')}Keep the key: it is not shown again.\n`)
  }
  return code
}

/** What is wrong with a scope is the person's to mend. */
function explain(thrown: unknown): never {
  throw thrown instanceof TypeError ? new UsageError(thrown.message) : thrown
}

async function list(input: CommandInput, keys: ApiKeys): Promise<number> {
  if (input.positionals.length > 0) throw new UsageError('list takes no name: it lists every key')
  const found = await keys.list()
  return printAnswer(input, { keys: found }, () =>
    found.length === 0 ? 'No keys.\n' : formatTable(found.map(toRow), ''),
  )
}

async function revoke(input: CommandInput, keys: ApiKeys): Promise<number> {
  const id = requireWord(input, 'the id of a key, which waymark keys list shows')
  // Whoever has the key only, knows its id as well; no message repeats the secret.
  const known = /^wm_([0-9a-f]{16})_/.exec(id)?.[1] ?? id
  if (!(await keys.revoke(known))) throw new UsageError(`there is no key "${printable(known)}"`)
  printAnswer(input, { revoked: known }, () => `${known} is revoked.\n`)
  return EXIT.ok
}

function requireWord({ positionals: [word = ''] }: CommandInput, what: string): string {
  if (word === '') throw new UsageError(`give ${what}`)
  return word
}

function toRow({ id, name, scopes, principal, createdAt, expiresAt }: ApiKey): readonly string[] {
  return [
    id,
    printable(name),
    printable(scopes.join(' ') || 'no scopes'),
    printable(principal),
    `since ${new Date(createdAt).toISOString()}`,
    expiresAt === undefined ? 'until revoked' : `until ${new Date(expiresAt).toISOString()}`,
  ]
}
