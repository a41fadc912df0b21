import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { openStore, storeKey } from '../../store/index.ts'
import { toReason } from '../../values/index.ts'
import { type Diagnosis, diagnose, tryCheck } from './diagnosis.ts'
import { checkPostgres } from './postgres.ts'
import { checkRedis } from './redis.ts'

/** The store of a deployment. */
export interface StoreAddress {
  readonly url: string
  readonly namespace: string | undefined
  readonly cwd: string
}

/** Looks at a store: whether it can be reached and written, and whether its server keeps what it is given. */
export async function checkStore(address: StoreAddress): Promise<readonly Diagnosis[]> {
  const written = await checkWrite(address)
  if (written.level === 'fail') return [written]
  const { url } = address
  if (/^rediss?:/.test(url)) return [written, ...(await checkRedis(url))]
  if (/^postgres(?:ql)?:/.test(url)) return [written, ...(await checkPostgres(url))]
  if (url.startsWith('sqlite:')) return [written, ...(await checkDisk(address))]
  return [
    diagnose.warn(
      'store',
      'in memory: everything ends with the process',
      'give a sqlite:, redis: or postgres: address',
    ),
  ]
}

/** Gone by itself when the command is cut off before it deletes it. */
const ENTRY_MS = 10_000

/** Writes an entry as any extension does: not every server that answers takes writes. */
async function checkWrite({ url, namespace }: StoreAddress): Promise<Diagnosis> {
  try {
    const store = await openStore(url, namespace ? { namespace } : {})
    try {
      await store.check()
      const key = storeKey('doctor', randomUUID())
      await store.put(key, null, { ttl: ENTRY_MS })
      await store.delete(key)
      return diagnose.ok('store', `${store.kind}: reached and written`)
    } finally {
      await store.close()
    }
  } catch (thrown) {
    // An address that cannot be meant is the person's mistake, and ends the command.
    if (thrown instanceof TypeError) throw thrown
    return diagnose.fail('store', `cannot be written: ${toDeepReason(thrown)}`, adviseStore(url))
  }
}

function toDeepReason(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause === undefined ? toReason(thrown) : `${toReason(thrown)} (${toReason(cause)})`
}

function adviseStore(url: string): string {
  if (url.startsWith('sqlite:')) {
    return 'the user of the service needs to write the file and its folder, and the disk needs room'
  }
  return `look whether ${new URL(url).host} runs, and whether user, password and firewall let this machine in`
}

/** Below this the next checkpoint of a busy service may not fit. */
const LEAST_BYTES = 100 * 1024 * 1024

async function checkDisk({ url, cwd }: StoreAddress): Promise<readonly Diagnosis[]> {
  const path = resolve(cwd, url.slice('sqlite:'.length).replace(/^\/+/, '/'))
  return tryCheck('sqlite disk', 'look at the disk of the file', async () => {
    const { bavail, bsize, type } = await statfs(dirname(path))
    const free = bavail * bsize
    const megabytes = `${Math.floor(free / 1024 / 1024).toLocaleString('en')} MB free`
    return [
      free >= LEAST_BYTES
        ? diagnose.ok('sqlite disk', megabytes)
        : diagnose.fail('sqlite disk', megabytes, 'make room: a full disk refuses every write'),
      NETWORK_TYPES.has(type)
        ? diagnose.fail(
            'sqlite file system',
            'a network file system, whose locks do not hold',
            'use a local disk, or a redis: or postgres: store',
          )
        : diagnose.ok('sqlite file system', 'local'),
    ]
  })
}

/** Magic numbers of statfs(2): NFS, SMB, SMB2, CIFS, Ceph. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x00c36400])
