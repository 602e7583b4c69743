-- Makes the table of bench/run from lines "WHO<tab>KEY<tab>VALUE<tab>UNIT" on standard input: a row for each key of
-- cupola's, a column for each
-- WHO in order of appearance, then cupola's share of the floor and of the best peer (above 1: ahead; times are
-- turned over).

local order, keys, values, units, seen = {}, {}, {}, {}, {}
for line in io.lines() do
  local who, key, value, unit = line:match "^([^\t]+)\t([^\t]+)\t([^\t]+)\t([^\t]+)$"
  if who then
    if not seen[who] then
      seen[who] = true
      order[#order + 1] = who
    end
    if not values[key] then
      keys[#keys + 1] = key
      values[key] = {}
      units[key] = unit
    end
    values[key][who] = tonumber(value)
  end
end

local function number(v)
  if not v then return "" end
  return v >= 100 and ("%.0f"):format(v) or v >= 10 and ("%.1f"):format(v) or ("%.2f"):format(v)
end

local function is_own(who) return who:match "^cupola" ~= nil end

-- cupola's figure against another: above 1 is better, whatever the unit.
local function share(key, own, other)
  if not own or not other then return "" end
  local better = units[key] == "GB/s" and own / other or other / own
  return ("%.2f"):format(better)
end

local function best(key, test)
  local found
  for who, v in pairs(values[key]) do
    local better = units[key] == "GB/s" and function(a, b) return a > b end or function(a, b) return a < b end
    if test(who) and (not found or better(v, found)) then found = v end
  end
  return found
end

local function is_peer(who) return not is_own(who) and who ~= "floor" end

print("| work | unit | " .. table.concat(order, " | ") .. " | of floor | of best peer |")
print("|---|---|" .. ("---|"):rep(#order + 2))
for _, key in ipairs(keys) do
  local own = best(key, is_own)
  if own then
    local cells = { key, units[key] }
    for _, who in ipairs(order) do
      cells[#cells + 1] = number(values[key][who])
    end
    cells[#cells + 1] = share(key, own, values[key].floor)
    cells[#cells + 1] = share(key, own, best(key, is_peer))
    print("| " .. table.concat(cells, " | ") .. " |")
  end
end
