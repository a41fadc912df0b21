import { openStore, type Store } from '../../store/index.ts'
import { toReason } from '../../values/index.ts'
import { type CommandInput, RemoteError, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'

/** Opens the store that --store or WAYMARK_STORE names; undefined when neither does. */
export async function openStoreOf(input: CommandInput): Promise<Store | undefined> {
  const url = readTextFlag(input, 'store') ?? input.io.env['WAYMARK_STORE']
  if (url === undefined || url === '') return undefined
  const namespace = readTextFlag(input, 'namespace') ?? input.io.env['WAYMARK_NAMESPACE']
  try {
    return await openStore(url, namespace ? { namespace } : {})
  } catch (thrown) {
    // A wrong URL or a missing package is the person's to mend; a server that is away is not.
    const message = toReason(thrown)
    if (thrown instanceof TypeError) throw new UsageError(message)
    // The address without user, password and path: those are nobody's business in a log.
    const server = URL.canParse(url) ? new URL(url).host : ''
    throw new RemoteError(server === '' ? message : `${message}; is ${server} running?`)
  }
}

/** Refuses to go on without a store that outlives the command. */
export function requireStore(store: Store | undefined, what: string): Store {
  if (store !== undefined && store.kind !== 'memory') return store
  throw new UsageError(`${what}: give the store of the service, such as --store sqlite:orders.db`)
}
