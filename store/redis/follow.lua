-- Reads sets with the records that their members name.
-- KEYS[i] is a set; ARGV[1] is what every key of the scope starts with, ARGV[2]
-- what the name of a record starts with, in lower or upper case. For each set follow the most members
-- wanted, or -1, whether names alone are wanted, and whether it is the last one
-- to be looked at if it has members.
-- Returns for each set a list of names, values and what the values link to in turn,
-- false where there is none: a value holds the name of what it links to behind the
-- length of that name, which is its sixth byte.
-- The records' keys share the sets' hash tag, and so their slot.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local found = {}
for i = 1, #KEYS do
  local names = redis.call('ZRANGEBYSCORE', KEYS[i], '(' .. now, '+inf', 'LIMIT', 0, ARGV[3 * i])
  local list = {}
  for _, name in ipairs(names) do
    local value, linked = false, false
    if ARGV[3 * i + 1] == '0' and string.lower(string.sub(name, 1, #ARGV[2])) == ARGV[2] then
      value = redis.call('GET', ARGV[1] .. name)
      local length = value and string.byte(value, 6) or 0
      if length > 0 then
        linked = redis.call('GET', ARGV[1] .. string.sub(value, 7, 6 + length))
      end
    end
    list[#list + 1] = name
    list[#list + 1] = value
    list[#list + 1] = linked
  end
  found[i] = list
  if #names > 0 and ARGV[3 * i + 2] == '1' then
    break
  end
end
return found
