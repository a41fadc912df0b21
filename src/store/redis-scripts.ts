import { createHash } from 'node:crypto'

/** A Lua script that Redis runs as one indivisible step. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/**
 * Keys of a script that writes: 1 the entry (a hash: v value, r revision, o owner), 2 the index of all keys
 * (a sorted set in byte order), 3 the index by expiry, 4 the revision counter. ARGV[1] is the store key.
 */
const SAVE = `
local function save(value, owner, ttl)
  local revision = string.format('%.0f', redis.call('INCR', KEYS[4]))
  if ttl == 'keep' then
    redis.call('HDEL', KEYS[1], 'o')
  elseif redis.call('DEL', KEYS[1]) == 0 then
    redis.call('ZADD', KEYS[2], 0, ARGV[1])
  end
  if owner == '' then
    redis.call('HSET', KEYS[1], 'v', value, 'r', revision)
  else
    redis.call('HSET', KEYS[1], 'v', value, 'r', revision, 'o', owner)
  end
  if ttl == '' then
    redis.call('ZREM', KEYS[3], ARGV[1])
  elseif ttl ~= 'keep' then
    expire(ttl)
  end
  return revision
end`

const EXPIRE = `
local function expire(ttl)
  local time = redis.call('TIME')
  local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ttl
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('ZADD', KEYS[3], string.format('%.0f', ends), ARGV[1])
end`

const READ = `
local function read(key)
  local entry = redis.call('HMGET', key, 'v', 'r', 'o')
  if not entry[1] then return false end
  return { entry[1], entry[2], entry[3], redis.call('PTTL', key) }
end`

/** The steps of the Redis store. */
export type ScriptName =
  | 'read'
  | 'put'
  | 'putIfAbsent'
  | 'compareAndSet'
  | 'delete'
  | 'deleteIfOwner'
  | 'increment'
  | 'due'
  | 'prune'

/** The scripts of the Redis store. */
export const SCRIPTS: Readonly<Record<ScriptName, Script>> = {
  /** Any number of entries; answers a row or nil for each. */
  read: script(
    READ,
    'local rows = {} for i, key in ipairs(KEYS) do rows[i] = read(key) end return rows',
  ),
  /** ARGV: key, value, owner, ttl. */
  put: script(EXPIRE, SAVE, 'return save(ARGV[2], ARGV[3], ARGV[4])'),
  /** ARGV: key, value, owner, ttl. Answers the revision, or the row that is there. */
  putIfAbsent: script(
    EXPIRE,
    SAVE,
    READ,
    'return read(KEYS[1]) or save(ARGV[2], ARGV[3], ARGV[4])',
  ),
  /** ARGV: key, value, owner, ttl, expected revision, 1 to keep the owner. Answers the revision, or the row or nil. */
  compareAndSet: script(
    EXPIRE,
    SAVE,
    READ,
    `local row = read(KEYS[1])
if not row or row[2] ~= ARGV[5] then return row end
return save(ARGV[2], ARGV[6] == '1' and (row[3] or '') or ARGV[3], ARGV[4])`,
  ),
  /** ARGV: key. Answers 1 if there was an entry. */
  delete: script(
    `redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])`,
  ),
  /** ARGV: key, owner. */
  deleteIfOwner: script(
    `local entry = redis.call('HMGET', KEYS[1], 'v', 'o')
if not entry[1] then return 'absent' end
if entry[2] ~= ARGV[2] then return 'foreign' end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 'deleted'`,
  ),
  /** ARGV: key, amount, ttl. Answers value, revision and remaining time, or nil if the entry is not a counter. */
  increment: script(
    EXPIRE,
    `local value = redis.pcall('HINCRBY', KEYS[1], 'v', ARGV[2])
if type(value) == 'table' then
  if string.find(value.err, 'integer') or string.find(value.err, 'overflow') then return false end
  return value
end
if value > 9007199254740991 or value < -9007199254740991 then
  redis.call('HINCRBY', KEYS[1], 'v', string.format('%.0f', -ARGV[2]))
  return false
end
local revision = string.format('%.0f', redis.call('INCR', KEYS[4]))
if redis.call('HSET', KEYS[1], 'r', revision) == 1 then
  redis.call('ZADD', KEYS[2], 0, ARGV[1])
  if ARGV[3] == '' then redis.call('ZREM', KEYS[3], ARGV[1]) else expire(ARGV[3]) end
end
return { value, revision, redis.call('PTTL', KEYS[1]) }`,
  ),
  /** Keys: 1 the index by expiry. ARGV: the most members wanted. Answers those whose time is over. */
  due: script(
    `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[1])`,
  ),
  /** Keys: 1 and 2 the indexes, then entries. ARGV: their store keys. Forgets those that have expired. */
  prune: script(
    `local gone = 0
for i, key in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[i + 2]) == 0 then
    redis.call('ZREM', KEYS[1], key)
    redis.call('ZREM', KEYS[2], key)
    gone = gone + 1
  end
end
return gone`,
  ),
}

function script(...parts: readonly string[]): Script {
  const lua = parts.join('\n')
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
