-- Random programs with masks: values selected, pending or not, and writes to arrays and masks before these
-- values are used, against a model in plain Lua. A failure prints the program. Some programs use large
-- arrays, which are not copied to keep pending values valid: there each element of the model stands for many
-- adjacent ones.
local cp = require "cupola"
local generator = require "spec.helper.random.generator"

local N, STEPS, LARGE = 9, 14, 8000
local PROGRAMS = os.getenv "CUPOLA_TEST_MODE" == "gc" and 12 or 250

local function map(t, f)
  local out = {}
  for k = 1, #t do out[k] = f(t[k], k) end
  return out
end

local function taken(values, mask)
  local out = {}
  for k = 1, #values do
    if mask[k] then out[#out + 1] = values[k] end
  end
  return out
end

local function put(values, mask, new)
  local next_one = 0
  for k = 1, #values do
    if mask[k] then
      next_one = next_one + 1
      values[k] = type(new) == "table" and new[next_one] or new
    end
  end
end

local function copy(t) return map(t, function(v) return v end) end

-- Arrays and their models: a and b hold numbers, m and n booleans; kept: values, and what they must be.
local function start(random, times)
  local w = { model = {}, array = {}, kept = {}, log = {}, random = random, times = times }
  local numbers = {}
  for k = 1, N do numbers[k] = k end
  for _, name in ipairs { "a", "b" } do w.model[name] = map(numbers, function() return random(50) end) end
  for _, name in ipairs { "m", "n" } do w.model[name] = map(w.model.a, function() return random(3) > 1 end) end
  for name, values in pairs(w.model) do w.array[name] = cp.repeats(cp.array(values), times):eval() end
  return w
end

local function pick(w, ...) return (select(w.random(select("#", ...)), ...)) end

local function keep(w, text, value, want)
  w.log[#w.log + 1] = ("local v%d = %s"):format(#w.kept + 1, text)
  w.kept[#w.kept + 1] = { value, want }
end

local steps = {}

function steps.take(w)
  local x, m = pick(w, "a", "b"), pick(w, "m", "n")
  keep(w, x .. "[" .. m .. "]", w.array[x][w.array[m]], taken(w.model[x], w.model[m]))
end

function steps.take_chain(w)
  local m = pick(w, "m", "n")
  local x, y = taken(w.model.a, w.model[m]), taken(w.model.b, w.model[m])
  keep(w, "a[" .. m .. "] * 2 + b[" .. m .. "]", w.array.a[w.array[m]] * 2 + w.array.b[w.array[m]],
    map(x, function(v, k) return v * 2 + y[k] end))
end

function steps.chain_on_kept(w)
  if #w.kept == 0 then return end
  local k = w.random(#w.kept)
  keep(w, ("v%d + 1"):format(k), w.kept[k][1] + 1, map(w.kept[k][2], function(v) return v + 1 end))
end

function steps.number(w)
  local x, m = pick(w, "a", "b"), pick(w, "m", "n")
  w.log[#w.log + 1] = x .. "[" .. m .. "] = 7"
  w.array[x][w.array[m]] = 7
  put(w.model[x], w.model[m], 7)
end

function steps.spread(w)
  local x, m = pick(w, "a", "b"), pick(w, "m", "n")
  w.log[#w.log + 1] = ("%s[%s] = %s[%s] - 3 * b[%s]"):format(x, m, x, m, m)
  w.array[x][w.array[m]] = w.array[x][w.array[m]] - 3 * w.array.b[w.array[m]]
  local new = taken(w.model.b, w.model[m])
  put(w.model[x], w.model[m], map(taken(w.model[x], w.model[m]), function(v, k) return v - 3 * new[k] end))
end

-- A value that was selected before, written where the same number of elements is selected now.
function steps.kept(w)
  local x, m = pick(w, "a", "b"), pick(w, "m", "n")
  local count = #taken(w.model.a, w.model[m])
  for k, v in ipairs(w.kept) do
    if #v[2] == count and count > 1 then
      w.log[#w.log + 1] = ("%s[%s] = v%d"):format(x, m, k)
      w.array[x][w.array[m]] = v[1]
      put(w.model[x], w.model[m], v[2])
      return
    end
  end
end

function steps.slice(w)
  local x, first = pick(w, "a", "b"), w.random(N - 2)
  w.log[#w.log + 1] = ("%s[{ {%d, %d} }] = -1"):format(x, first, first + 2)
  w.array[x][{ { (first - 1) * w.times + 1, (first + 2) * w.times } }] = -1
  for k = first, first + 2 do w.model[x][k] = -1 end
end

function steps.whole(w)
  w.log[#w.log + 1] = "a:assign(a + b)"
  w.array.a:assign(w.array.a + w.array.b)
  w.model.a = map(w.model.a, function(v, k) return v + w.model.b[k] end)
end

function steps.flip(w)
  local m, k = pick(w, "m", "n"), w.random(N)
  local v = not w.model[m][k]
  w.log[#w.log + 1] = ("%s[%d] = %s"):format(m, k, tostring(v))
  if w.times == 1 then w.array[m][k] = v else w.array[m][{ { (k - 1) * w.times + 1, k * w.times } }] = v end
  w.model[m][k] = v
end

function steps.compare(w)
  local m = pick(w, "m", "n")
  w.log[#w.log + 1] = m .. ":assign(a:gt(b))"
  w.array[m]:assign(w.array.a:gt(w.array.b))
  w.model[m] = map(w.model.a, function(v, k) return v > w.model.b[k] end)
end

function steps.mask_of_mask(w)
  w.log[#w.log + 1] = "m[n] = false"
  w.array.m[w.array.n] = false
  put(w.model.m, w.model.n, false)
end

function steps.ask(w)
  local m = pick(w, "m", "n")
  w.log[#w.log + 1] = m .. ":any()"
  assert.equal(#taken(w.model.a, w.model[m]) > 0, w.array[m]:any())
end

local NAMES = {}
for name in pairs(steps) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

local function same(x, want, times)
  if x.size ~= #want * times then return false end
  local got = x["::" .. ("%d"):format(times)]:totable()
  for k = 1, #want do
    if got[k] ~= want[k] then return false end
  end
  return true
end

local function text(t) return table.concat(map(t, tostring), " ") end

local function check(w, name, x, want)
  if same(x, want, w.times) then return end
  local got = text(x["::" .. ("%d"):format(w.times)]:totable())
  error(("%s is %s, but must be %s, after\n%s"):format(name, got, text(want), table.concat(w.log, "\n")), 0)
end

describe("random programs of masks", function()
  for part = 1, 5 do
    it("give what the model gives, part " .. part, function()
      for program = part, PROGRAMS, 5 do
        local w = start(generator(program).number, program % 10 == 0 and LARGE or 1)
        w.log[1] = ("-- a %s, b %s, m %s, n %s"):format(text(w.model.a), text(w.model.b), text(w.model.m),
          text(w.model.n))
        for _ = 1, STEPS do
          steps[NAMES[w.random(#NAMES)]](w)
          local k = w.random(3) == 1 and #w.kept > 0 and w.random(#w.kept)
          if k then
            w.log[#w.log + 1] = ("v%d:totable()"):format(k)
            check(w, "v" .. k, w.kept[k][1], w.kept[k][2])
          end
        end
        for k, v in ipairs(w.kept) do check(w, "v" .. k, v[1], copy(v[2])) end
        for name, values in pairs(w.model) do check(w, name, w.array[name], values) end
      end
    end)
  end
end)
