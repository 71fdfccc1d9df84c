-- Applies a change: every condition first, then every step, in one go.
-- KEYS[i] is the entry of step i; ARGV holds for each its kind, value, time to
-- live in milliseconds, and how many steps to skip or, for a counter, its most.
-- Returns 0, or the number of the first step whose condition does not hold.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

for i = 1, #KEYS do
  local key, kind, value = KEYS[i], ARGV[4 * i - 3], ARGV[4 * i - 2]
  local fails = false
  if kind == 'absent' then
    fails = redis.call('EXISTS', key) == 1
  elseif kind == 'present' then
    fails = redis.call('EXISTS', key) == 0
  elseif kind == 'below' then
    local old = redis.call('GET', key)
    fails = old and old >= value
  elseif kind == 'held' then
    fails = redis.call('GET', key) ~= value
  elseif kind == 'hold' then
    local old = redis.call('GET', key)
    fails = old and old ~= value
  elseif kind == 'count' or kind == 'window' then
    local most, more = tonumber(ARGV[4 * i]), tonumber(value)
    fails = most > 0 and more > 0 and (tonumber(redis.call('GET', key)) or 0) + more > most
  end
  if fails then
    return i
  end
end

local i = 1
while i <= #KEYS do
  local key, kind, value, ttl = KEYS[i], ARGV[4 * i - 3], ARGV[4 * i - 2], tonumber(ARGV[4 * i - 1])
  if kind == 'hold' then
    redis.call('SET', key, value, 'PX', ttl)
  elseif kind == 'free' then
    if redis.call('GET', key) == value then
      redis.call('DEL', key)
    end
  elseif kind == 'put' then
    redis.call('SET', key, value, 'PX', math.max(ttl, redis.call('PTTL', key)))
  elseif kind == 'raise' then
    local old = redis.call('GET', key)
    if old and old > value then
      value = old
    end
    redis.call('SET', key, value, 'PX', math.max(ttl, redis.call('PTTL', key)))
  elseif kind == 'add' then
    -- First what a full server refuses: it refuses nothing after a write.
    redis.call('ZADD', key, 'GT', now + ttl, value)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    redis.call('PEXPIRE', key, math.max(ttl, redis.call('PTTL', key)))
  elseif kind == 'remove' then
    redis.call('ZREM', key, value)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    if redis.call('EXISTS', key) == 1 then
      i = i + tonumber(ARGV[4 * i])
    end
  elseif kind == 'delete' then
    redis.call('DEL', key)
  elseif kind == 'count' then
    local sum = math.max(0, (tonumber(redis.call('GET', key)) or 0) + tonumber(value))
    redis.call('SET', key, string.format('%.0f', sum), 'PX', math.max(ttl, redis.call('PTTL', key)))
  elseif kind == 'window' then
    local sum, left = math.max(0, (tonumber(redis.call('GET', key)) or 0) + tonumber(value)), redis.call('PTTL', key)
    redis.call('SET', key, string.format('%.0f', sum), 'PX', left > 0 and left or ttl)
  end
  i = i + 1
end
return 0
