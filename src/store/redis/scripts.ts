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
local count = #KEYS - 2
local at, revision = 0, nil
local listed = {}

local function arg()
  at = at + 1
  return ARGV[at]
end

local function row(key, entry)
  return entry and { entry, redis.call('PTTL', key) }
end

local function compose(value, owner)
  -- One step of the counter for the whole batch, taken when the first write needs it.
  revision = (revision or redis.call('INCRBY', KEYS[2], count) - count) + 1
  local number = string.format('%.0f', revision)
  return number .. ' ' .. owner .. ' ' .. value, number
end

local function save(key, value, owner, ttl)
  local entry, number = compose(value, owner)
  if ttl == '' then
    redis.call('SET', key, entry)
  elseif ttl == 'keep' then
    redis.call('SET', key, entry, 'KEEPTTL')
  else
    redis.call('SET', key, entry, 'PX', ttl)
  end
  return number
end

local function create(key, value, owner, ttl)
  local entry, number = compose(value, owner)
  local made
  if ttl == '' then
    made = redis.call('SET', key, entry, 'NX')
  else
    made = redis.call('SET', key, entry, 'PX', ttl, 'NX')
  end
  return made and number
end

local answers = {}
for i = 1, count do
  local key, op, name = KEYS[i + 2], arg(), arg()
  local answer = false
  if op == 'get' then
    answer = row(key, redis.call('GET', key))
  elseif op == 'putIfAbsent' then
    answer = create(key, arg(), arg(), arg())
    if answer then listed[name] = true else answer = row(key, redis.call('GET', key)) end
  elseif op == 'put' then
    answer = save(key, arg(), arg(), arg())
    listed[name] = true
  elseif op == 'compareAndSet' then
    local value, owner, ttl, expected, keep = arg(), arg(), arg(), arg(), arg()
    local entry = redis.call('GET', key)
    if entry then
      local found, before = string.match(entry, '^(%d+) (%S*) ')
      if found == expected then
        answer = save(key, value, keep == '1' and before or owner, ttl)
      else
        answer = row(key, entry)
      end
    end
  elseif op == 'increment' then
    local by, ttl = arg(), arg()
    local entry = redis.call('GET', key)
    local owner, text = '', '0'
    if entry then owner, text = string.match(entry, '^%d+ (%S*) (-?%d+)$') end
    local value = text and #text <= 17 and text + by
    if value and value <= 9007199254740991 and value >= -9007199254740991 then
      if not entry then listed[name] = true end
      local number = save(key, string.format('%.0f', value), owner, entry and 'keep' or ttl)
      answer = { value, number, redis.call('PTTL', key) }
    end
  elseif op == 'next' then
    answer = redis.call('INCR', key)
  elseif op == 'delete' then
    listed[name] = nil
    redis.call('ZREM', KEYS[1], name)
    answer = redis.call('DEL', key)
  elseif op == 'deleteIfOwner' then
    local owner = arg()
    local entry = redis.call('GET', key)
    if not entry then
      answer = 'absent'
    elseif string.match(entry, '^%d+ (%S*) ') ~= owner then
      answer = 'foreign'
    else
      listed[name] = nil
      redis.call('ZREM', KEYS[1], name)
      redis.call('DEL', key)
      answer = 'deleted'
    end
  end
  answers[i] = answer
end

local members = {}
for name in pairs(listed) do
  members[#members + 1] = 0
  members[#members + 1] = name
end
if #members > 0 then redis.call('ZADD', KEYS[1], unpack(members)) end
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
