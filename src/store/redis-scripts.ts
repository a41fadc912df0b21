import { createHash } from 'node:crypto'

/** A Lua script that Redis runs as one indivisible step. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The steps of the Redis store. */
export type ScriptName = 'operate' | 'readMany' | 'prune'

/** The operations that the script `operate` knows. */
export type RedisOperation =
  | 'get'
  | 'put'
  | 'putIfAbsent'
  | 'compareAndSet'
  | 'delete'
  | 'deleteIfOwner'
  | 'increment'
  | 'next'

/**
 * Runs operations one after the other. Keys: 1 the index of all store keys (a sorted set in byte order), 2 the
 * revision counter, then one key per operation. ARGV, per operation: its name, the store key, its own arguments.
 * An entry is a string: revision, owner (percent-encoded, empty for none) and JSON text, with a space between.
 */
const OPERATE = `
local at = 0
local function arg()
  at = at + 1
  return ARGV[at]
end

local function row(key, entry)
  return { entry, redis.call('PTTL', key) }
end

local function save(key, value, owner, ttl)
  local revision = string.format('%.0f', redis.call('INCR', KEYS[2]))
  local entry = revision .. ' ' .. owner .. ' ' .. value
  if ttl == '' then
    redis.call('SET', key, entry)
  elseif ttl == 'keep' then
    redis.call('SET', key, entry, 'KEEPTTL')
  else
    redis.call('SET', key, entry, 'PX', ttl)
  end
  return revision
end

local answers = {}
for i = 3, #KEYS do
  local key, op, name = KEYS[i], arg(), arg()
  local entry = op ~= 'put' and op ~= 'next' and op ~= 'delete' and redis.call('GET', key)
  local answer = false
  if op == 'get' then
    answer = entry and row(key, entry)
  elseif op == 'put' or op == 'putIfAbsent' then
    local value, owner, ttl = arg(), arg(), arg()
    if entry then
      answer = row(key, entry)
    else
      redis.call('ZADD', KEYS[1], 0, name)
      answer = save(key, value, owner, ttl)
    end
  elseif op == 'compareAndSet' then
    local value, owner, ttl, expected, keep = arg(), arg(), arg(), arg(), arg()
    if entry then
      local revision, before = string.match(entry, '^(%d+) (%S*) ')
      if revision == expected then
        answer = save(key, value, keep == '1' and before or owner, ttl)
      else
        answer = row(key, entry)
      end
    end
  elseif op == 'delete' then
    redis.call('ZREM', KEYS[1], name)
    answer = redis.call('DEL', key)
  elseif op == 'deleteIfOwner' then
    local owner = arg()
    if not entry then
      answer = 'absent'
    elseif string.match(entry, '^%d+ (%S*) ') ~= owner then
      answer = 'foreign'
    else
      redis.call('DEL', key)
      redis.call('ZREM', KEYS[1], name)
      answer = 'deleted'
    end
  elseif op == 'increment' then
    local by, ttl = arg(), arg()
    local owner, text = '', '0'
    if entry then owner, text = string.match(entry, '^%d+ (%S*) (-?%d+)$') end
    local value = text and #text <= 17 and text + by
    if value and value <= 9007199254740991 and value >= -9007199254740991 then
      if not entry then redis.call('ZADD', KEYS[1], 0, name) end
      local revision = save(key, string.format('%.0f', value), owner, entry and 'keep' or ttl)
      answer = { value, revision, redis.call('PTTL', key) }
    end
  elseif op == 'next' then
    answer = redis.call('INCR', key)
  end
  answers[i - 2] = answer
end
return answers`

/** Keys: entries. Answers for each the entry and its remaining time, or nil. */
const READ_MANY = `
local rows = redis.call('MGET', unpack(KEYS))
for i, entry in ipairs(rows) do rows[i] = entry and { entry, redis.call('PTTL', KEYS[i]) } end
return rows`

/** Keys: 1 the index, then entries. ARGV: their store keys. Forgets those that have expired, tells how many. */
const PRUNE = `
local gone = 0
for i, key in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[i + 1]) == 0 then
    gone = gone + redis.call('ZREM', KEYS[1], key)
  end
end
return gone`

/** The scripts of the Redis store. */
export const SCRIPTS: Readonly<Record<ScriptName, Script>> = {
  operate: toScript(OPERATE),
  readMany: toScript(READ_MANY),
  prune: toScript(PRUNE),
}

function toScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
