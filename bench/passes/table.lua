-- Makes the tables of bench/passes/run from lines "WHO<tab>KEY<tab>VALUE<tab>UNIT" on standard input (of
-- cupola.lua and peers.py). Times: a row for each program, a column for each WHO in order of appearance;
-- "of" columns are above 1 where cupola is faster. Values must agree within the program's tolerance,
-- relative to the largest; the last lines say which do not.

local TOLERANCE = 1e-4 -- of values, unless a program states another
local WAITED, QUEUED = "ms waited", "ms queued"

local order, seen, programs = {}, {}, { nine = {}, twelve = {} }
local facts = {} -- facts[kind][key]
local figures = {} -- figures[unit][key][who]
local results = {} -- names of results, in order

local function entry(t, key)
  if not t[key] then t[key] = {} end
  return t[key]
end

local function is_own(who) return who:match "^cupola" ~= nil end

local IS_FACT = {}
for _, kind in ipairs { "goal", "tolerance", "must", "library", "moves", "logged" } do
  IS_FACT[kind] = true
end

local function add(who, key, value, unit)
  if who == "table" then
    table.insert(programs[unit], key)
  elseif IS_FACT[who] then
    entry(facts, who)[key] = tonumber(value) or value
  else
    if not seen[who] then
      seen[who] = true
      order[#order + 1] = who
    end
    if unit == "value" and not (figures.value or {})[key] then results[#results + 1] = key end
    entry(entry(figures, unit), key)[who] = tonumber(value) or 0 / 0
  end
end

for line in io.lines() do
  local who, key, value, unit = line:match "^([^\t]+)\t([^\t]+)\t([^\t]+)\t([^\t]+)$"
  if who then add(who, key, value, unit) end
end

local function fact(kind, key) return (facts[kind] or {})[key] end
local function figure(unit, key, who) return ((figures[unit] or {})[key] or {})[who] end

local function number(v)
  if not v then return "" end
  if v == math.floor(v) and v < 1e6 then return ("%d"):format(v) end
  return ("%." .. (v >= 100 and 0 or v >= 10 and 1 or v >= 1 and 2 or v >= 0.1 and 3 or 4) .. "f"):format(v)
end

-- The least figure of those for which test(who) holds, and whose it is.
local function least(unit, key, test)
  local found, whose
  for _, who in ipairs(order) do
    local v = test(who) and figure(unit, key, who)
    if v and (not found or v < found) then
      found, whose = v, who
    end
  end
  return found, whose
end

local function share(other, own) return other and own and ("%.2f"):format(other / own) or "" end

local function launches(key)
  return number((least("launches", key, is_own)))
end

local function print_table(titles, keys, cells_of)
  print("| " .. table.concat(titles, " | ") .. " |")
  print("|---|" .. ("---:|"):rep(#titles - 1))
  for _, key in ipairs(keys) do
    print("| " .. table.concat(cells_of(key), " | ") .. " |")
  end
  print ""
end

local function is_measured(key)
  for _, who in ipairs(order) do
    if figure(WAITED, key, who) then return true end
  end
  return false
end

local function measured(name)
  local keys = {}
  for _, key in ipairs(programs[name]) do
    if is_measured(key) then keys[#keys + 1] = key end
  end
  return keys
end

-- The times in `unit` of the programs of a table, with the goals if these are for that unit.
local function print_times(name, unit)
  local with_goals = unit == QUEUED and next(facts.goal or {}) and name == "nine"
  local titles = { "program" }
  for _, who in ipairs(order) do
    titles[#titles + 1] = who
  end
  titles[#titles + 1] = "best peer"
  titles[#titles + 1] = "of best peer"
  if with_goals then
    titles[#titles + 1] = "goal"
    titles[#titles + 1] = "of goal"
  end
  titles[#titles + 1] = "launches"
  print_table(titles, measured(name), function(key)
    local cells = { key }
    for _, who in ipairs(order) do
      cells[#cells + 1] = number(figure(unit, key, who))
    end
    local own = least(unit, key, is_own)
    local peer, whose = least(unit, key, function(who) return not is_own(who) end)
    cells[#cells + 1] = whose or ""
    cells[#cells + 1] = share(peer, own)
    if with_goals then
      cells[#cells + 1] = number(fact("goal", key))
      cells[#cells + 1] = share(fact("goal", key), own)
    end
    cells[#cells + 1] = launches(key)
    return cells
  end)
end

local function print_bytes()
  local titles = { "program", "MB moved", "of these by calls", "MB needed", "moved / must", "what must move" }
  local function megabytes(bytes) return number(bytes and bytes / 1e6) end
  print_table(titles, measured "twelve", function(key)
    local must, by_calls, logged = fact("must", key), fact("library", key), fact("logged", key)
    local moved = logged and logged + (by_calls or 0)
    local words = fact("moves", key) or ""
    return { key, megabytes(moved), megabytes(by_calls), megabytes(must), share(moved, must), words }
  end)
end

-- Prints which values differ and returns whether none does.
local function print_checks()
  local wrong = {}
  for _, name in ipairs(results) do
    local low, high, count = math.huge, -math.huge, 0
    local tolerance = fact("tolerance", (name:gsub(", result %d+$", ""))) or TOLERANCE
    local bad = false
    for _, v in pairs(figures.value[name]) do
      low, high, count = math.min(low, v), math.max(high, v), count + 1
      bad = bad or v ~= v
    end
    if bad or high - low > tolerance * math.max(math.abs(low), math.abs(high)) then
      local each = {}
      for _, who in ipairs(order) do
        each[#each + 1] = figures.value[name][who] and ("%s %.6g"):format(who, figures.value[name][who])
      end
      wrong[#wrong + 1] = ("- %s: %s"):format(name, table.concat(each, ", "))
    end
  end
  if #wrong > 0 then
    print(("**%d of %d values differ by more than their tolerance:**\n\n%s"):format(#wrong, #results,
      table.concat(wrong, "\n")))
  else
    print(("All agree on the %d values that were compared."):format(#results))
  end
  return #wrong == 0
end

for _, name in ipairs { "nine", "twelve" } do
  local which = name == "nine" and "The nine programs" or "The twelve programs"
  print("## " .. which .. ": ms a call of 20 queued back to back\n")
  print_times(name, QUEUED)
  print("## " .. which .. ": ms of a call that is waited for\n")
  print_times(name, WAITED)
end
print "## Bytes that cupola moves\n"
print_bytes()
if not print_checks() then os.exit(1) end
