-- Makes the table of bench/run from lines "WHO<tab>KEY<tab>VALUE<tab>UNIT" on standard input: a row for each
-- KEY, and a column for each WHO (in order of appearance; cupola's rows first, in its order). Then follow
-- ratios of cupola's best figure to the floor, the bare binding, the best peer and (with the argument
-- "goals") the goal of bench/tables/goals.lua; above 1, cupola is faster, whatever the unit. If several lines
-- have the same WHO and KEY, the best counts. Missing figures stay empty. Lines with the unit "value" are
-- checks: all libraries must agree on them, and the last line says whether they do.

local goals = arg[1] == "goals" and dofile((arg[0]:match "^(.*/)" or "") .. "goals.lua") or nil

local keys, values, units, order, seen = {}, {}, {}, {}, {}
local own_keys = {}

local function is_own(who) return who:match "^cupola" ~= nil end
local function is_peer(who) return not is_own(who) and who ~= "floor" and who ~= "binding" end

local function number(v)
  if not v then return "" end
  if v == math.floor(v) and v < 1e6 then return ("%d"):format(v) end
  local digits = v >= 100 and 0 or v >= 10 and 1 or v >= 1 and 2 or 3
  return ("%." .. digits .. "f"):format(v)
end

-- How much better `own` is than `other`: rates are better when larger, all others when smaller.
local function ratio(key, own, other)
  if not own or not other then return nil end
  if own == other then return 1 end -- two counts of 0
  if units[key]:find("/s", 1, true) then return own / other end
  return other / own
end

local function add(who, key, value, unit)
  if not seen[who] then
    seen[who] = true
    order[#order + 1] = who
  end
  if not values[key] then
    keys[#keys + 1] = key
    values[key] = {}
    units[key] = unit
  end
  if is_own(who) and not own_keys[key] then
    own_keys[key] = true
    own_keys[#own_keys + 1] = key
  end
  value = tonumber(value)
  local before = values[key][who]
  if not before or ratio(key, value, before) > 1 then values[key][who] = value end
end

local function best(key, test)
  local found
  for who, v in pairs(values[key]) do
    if test(who) and (not found or ratio(key, v, found) > 1) then found = v end
  end
  return found
end

-- The goal scaled by this run's floor or best peer; nil if that was not measured.
local function goal_of(key)
  local goal = goals[key]
  if not goal then return nil end
  if not goal.floor and not goal.peer then return goal[1] end
  local measure = goal.peer and best(key, is_peer) or (values[goal.by or key] or {}).floor
  return measure and goal[1] * measure / (goal.peer or goal.floor)
end

local function share(key, other)
  local r = ratio(key, best(key, is_own), other)
  return r and ("%.2f"):format(r) or ""
end

local function print_row(key)
  local cells = { key, units[key] }
  for _, who in ipairs(order) do
    cells[#cells + 1] = number(values[key][who])
  end
  if seen.floor then cells[#cells + 1] = share(key, values[key].floor) end
  if seen.binding then cells[#cells + 1] = share(key, values[key].binding) end
  cells[#cells + 1] = share(key, best(key, is_peer))
  if goals then
    local goal = goal_of(key)
    cells[#cells + 1] = number(goal)
    cells[#cells + 1] = share(key, goal)
  end
  print("| " .. table.concat(cells, " | ") .. " |")
end

-- Whether all that computed `key` agree to four digits (float32 sums differ in their order).
local function agree(key)
  local low, high = math.huge, -math.huge
  for _, v in pairs(values[key]) do
    low, high = math.min(low, v), math.max(high, v)
  end
  return high - low <= 1e-4 * math.max(math.abs(low), math.abs(high))
end

local function print_checks()
  local count, wrong = 0, {}
  for _, key in ipairs(keys) do
    if units[key] == "value" then
      count = count + 1
      if not agree(key) then wrong[#wrong + 1] = key:gsub("^check ", "") end
    end
  end
  if #wrong > 0 then
    print("\n**The tools disagree on: " .. table.concat(wrong, "; ") .. ".**")
  elseif count > 0 then
    print(("\nAll tools agree on the %d values that were compared."):format(count))
  end
  return #wrong == 0
end

for line in io.lines() do
  local who, key, value, unit = line:match "^([^\t]+)\t([^\t]+)\t([^\t]+)\t([^\t]+)$"
  if who and tonumber(value) then add(who, key, value, unit) end
end

local function head()
  local cells = { "work", "unit" }
  for _, who in ipairs(order) do
    cells[#cells + 1] = who
  end
  if seen.floor then cells[#cells + 1] = "of floor" end
  if seen.binding then cells[#cells + 1] = "of binding" end
  cells[#cells + 1] = "of best peer"
  if goals then
    cells[#cells + 1] = "goal"
    cells[#cells + 1] = "of goal"
  end
  return cells
end

local titles = head()
print("| " .. table.concat(titles, " | ") .. " |")
print("|" .. ("---|"):rep(#titles))
for _, key in ipairs(own_keys) do
  if units[key] ~= "value" then print_row(key) end
end
for _, key in ipairs(keys) do
  if units[key] ~= "value" and not own_keys[key] then print_row(key) end
end
if not print_checks() then os.exit(1) end
