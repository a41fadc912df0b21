import { createHash } from 'node:crypto'

/** A Lua script that Redis runs as one indivisible step. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The steps of the Redis store. */
export type ScriptName =
  | 'read'
  | 'readMany'
  | 'put'
  | 'putIfAbsent'
  | 'compareAndSet'
  | 'delete'
  | 'deleteIfOwner'
  | 'increment'
  | 'prune'

/*
 * An entry is a string: revision, owner (percent-encoded, empty for none) and JSON text, with a space between.
 * Keys of a script that writes: 1 the entry, 2 the index of all store keys (a sorted set in byte order),
 * 3 the revision counter. ARGV[1] is the store key.
 */
const SAVE = `
local function save(value, owner, ttl)
  local revision = string.format('%.0f', redis.call('INCR', KEYS[3]))
  local entry = revision .. ' ' .. owner .. ' ' .. value
  if ttl == '' then
    redis.call('SET', KEYS[1], entry)
  elseif ttl == 'keep' then
    redis.call('SET', KEYS[1], entry, 'KEEPTTL')
  else
    redis.call('SET', KEYS[1], entry, 'PX', ttl)
  end
  return revision
end`

/** The scripts of the Redis store. */
export const SCRIPTS: Readonly<Record<ScriptName, Script>> = {
  /** Answers the entry and its remaining time, or nil. */
  read: script(`local entry = redis.call('GET', KEYS[1])
return entry and { entry, redis.call('PTTL', KEYS[1]) }`),
  /** The same for any number of entries. */
  readMany: script(`local rows = redis.call('MGET', unpack(KEYS))
for i, entry in ipairs(rows) do rows[i] = entry and { entry, redis.call('PTTL', KEYS[i]) } end
return rows`),
  /** ARGV: key, value, owner, ttl. */
  put: script(
    SAVE,
    `redis.call('ZADD', KEYS[2], 0, ARGV[1])
return save(ARGV[2], ARGV[3], ARGV[4])`,
  ),
  /** ARGV: key, value, owner, ttl. Answers the revision, or the entry that is there and its remaining time. */
  putIfAbsent: script(
    SAVE,
    `local entry = redis.call('GET', KEYS[1])
if entry then return { entry, redis.call('PTTL', KEYS[1]) } end
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return save(ARGV[2], ARGV[3], ARGV[4])`,
  ),
  /** ARGV: key, value, owner, ttl, expected revision, 1 to keep the owner. Answers as putIfAbsent does, or nil. */
  compareAndSet: script(
    SAVE,
    `local entry = redis.call('GET', KEYS[1])
if not entry then return false end
local revision, owner = string.match(entry, '^(%d+) (%S*) ')
if revision ~= ARGV[5] then return { entry, redis.call('PTTL', KEYS[1]) } end
return save(ARGV[2], ARGV[6] == '1' and owner or ARGV[3], ARGV[4])`,
  ),
  /** ARGV: key. Answers 1 if there was an entry. */
  delete: script(`redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])`),
  /** ARGV: key, owner. */
  deleteIfOwner: script(`local entry = redis.call('GET', KEYS[1])
if not entry then return 'absent' end
if string.match(entry, '^%d+ (%S*) ') ~= ARGV[2] then return 'foreign' end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 'deleted'`),
  /** ARGV: key, amount, ttl. Answers value, revision and remaining time, or nil if the entry is not a counter. */
  increment: script(
    SAVE,
    `local entry = redis.call('GET', KEYS[1])
local owner, text = '', '0'
if entry then owner, text = string.match(entry, '^%d+ (%S*) (-?%d+)$') end
local value = text and #text <= 17 and text + ARGV[2]
if not value or value > 9007199254740991 or value < -9007199254740991 then return false end
if not entry then redis.call('ZADD', KEYS[2], 0, ARGV[1]) end
local revision = save(string.format('%.0f', value), owner, entry and 'keep' or ARGV[3])
return { value, revision, redis.call('PTTL', KEYS[1]) }`,
  ),
  /** Keys: 1 the index, then entries. ARGV: their store keys. Forgets those that have expired, tells how many. */
  prune: script(`local gone = 0
for i, key in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[i + 1]) == 0 then
    gone = gone + redis.call('ZREM', KEYS[1], key)
  end
end
return gone`),
}

function script(...parts: readonly string[]): Script {
  const lua = parts.join('\n')
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
