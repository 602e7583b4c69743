-- Indexing by arrays and related functions against NumPy's results (spec/golden/indexing/indexing.py), on the
-- current device: thousands of small cases with alternating dtypes, layouts and dtypes of positions.

local cp = require "cupola"

local compile = loadstring or load -- luacheck: ignore
local X_DTYPES = { "int64", "float32", "float64", "int16", "uint8", "complex64", "float16", "int32", "complex128",
  "bfloat16", "int8" }
local POSITION_DTYPES = { "int64", "int32", "int64", "int8", "int16" }
local EVERY = os.getenv "CUPOLA_TEST_MODE" == "gc" and 12 or 1 -- cases of each kind; that mode is slow

local function split(text, separator)
  local list = {}
  for part in (text .. separator):gmatch("(.-)" .. separator:gsub("%.", "%%.")) do list[#list + 1] = part end
  return list
end

local function numbers(text)
  local list = {}
  for v in text:gmatch "%-?%d+" do list[#list + 1] = tonumber(v) end
  return list
end

local function shape_of(text) return text == "-" and {} or numbers(text) end

-- The numbers of a text as an array.
local function array(shape, values, dtype)
  return cp.array(numbers(values == "-" and "" or values), dtype):reshape(shape_of(shape))
end

local layouts = {
  function(x) return x end,
  function(x) return x:copy("F") end,
  function(x) -- every other element of a larger array, in reverse along the last axis
    if x.ndim == 0 then return x end
    local shape, key = {}, {}
    for k, n in ipairs(x.shape) do
      shape[k], key[k] = 2 * n + 1, n > 0 and { 2, 2 * n, 2 } or { 1, 0 }
    end
    local n = x.shape[x.ndim]
    if n > 0 then key[x.ndim] = { 2 * n, 2, -2 } end
    local view = cp.zeros(shape, x.dtype)[key]
    return view:assign(x)
  end,
}

local function make_x(shape, number, dtype)
  local dims, size = shape_of(shape), 1
  for _, n in ipairs(dims) do size = size * n end
  local x = (cp.arange(size) + 1):reshape(dims):astype(dtype)
  return layouts[number % #layouts + 1](x)
end

local function item(text, number)
  local kind, shape, values = text:match "^([am])([%dx%-]+)=(.*)$"
  if kind == "a" then return array(shape, values, POSITION_DTYPES[number % #POSITION_DTYPES + 1]) end
  if kind == "m" then
    local m = array(shape, values, "int8"):ne(0)
    return number % 3 == 0 and m:eval():copy "F" or m
  end
  if text == "new" then return cp.newaxis end
  if text == "..." then return cp.ellipsis end
  if text == ":" then return {} end
  if text:find ":" then return numbers(text) end
  return tonumber(text)
end

local function key_of(text, number)
  local key = {}
  for k, part in ipairs(split(text, ";")) do key[k] = item(part, number) end
  return #key == 1 and cp.is_array(key[1]) and number % 2 == 0 and key[1] or key
end

local function value_of(text, dtype)
  local shape, values = text:match "^v([%dx%-]+)=(.*)$"
  return shape and array(shape, values, dtype) or tonumber(text)
end

-- The real values of x in C order, as the text has them.
local function text_of(x)
  if x.dtype:find "complex" then x = x.real end
  local list = {}
  for _, v in x:ravel():values() do list[#list + 1] = ("%d"):format(tonumber(v)) end
  return #list > 0 and table.concat(list, ",") or "-"
end

local function shape_text(x)
  local list = {}
  for k, n in ipairs(x.shape) do list[k] = ("%d"):format(n) end
  return #list > 0 and table.concat(list, "x") or "-"
end

local check = {}

function check.get(case, number)
  local shape, key, want = case:match "^(%S+) (%S+) | (.*)$"
  local dtype = X_DTYPES[number % #X_DTYPES + 1]
  local got = make_x(shape, number, dtype)[key_of(key, number)]
  assert.equal(dtype, got.dtype)
  return want, shape_text(got) .. " " .. text_of(got)
end

-- Values stay below 128, and are whole in every dtype.
local function check_write(write)
  return function(case, number)
    local shape, key, value, want = case:match "^(%S+) (%S+) = (%S+) | (.*)$"
    local dtype = X_DTYPES[number % #X_DTYPES + 1]
    local x = make_x(shape, number, dtype)
    write(x, key_of(key, number), value_of(value, dtype))
    return want, text_of(x)
  end
end

check.set = check_write(function(x, key, v) x[key] = v end)
check.last = check.set

function check.add(case, number)
  local shape, key, value, want = case:match "^(%S+) (%S+) = (%S+) | (.*)$"
  local x = make_x(shape, number, ({ "int64", "float64", "int32", "complex128" })[number % 4 + 1])
  cp.scatter_add(x, key_of(key, number), value_of(value, x.dtype))
  return want, text_of(x)
end

local function run(lua, x) return assert(compile("local cp, x = ... " .. lua))(cp, x) end

function check.call(case)
  local shape, lua, want = case:match "^(%S+) (.-) | (.*)$"
  local r = run("return " .. lua, make_x(shape, 0, "int64"))
  if type(r) == "table" then r = cp.stack(r) end
  if not cp.is_array(r) then r = cp.array({ r }, "int64"):reshape({}) end
  return want, shape_text(r) .. " " .. text_of(r)
end

function check.after(case)
  local shape, lua, want = case:match "^(%S+) (.-) | (.*)$"
  local x = make_x(shape, 0, "int64")
  run(lua, x)
  return want, text_of(x)
end

local function read_cases()
  local cases = {}
  for line in io.lines "spec/golden/indexing/indexing.index" do
    local kind, case = line:match "^(%S+) (.*)$"
    cases[kind] = cases[kind] or {}
    table.insert(cases[kind], case)
  end
  return cases
end

describe("golden indexing", function()
  local cases = read_cases()
  for kind, f in pairs(check) do
    it(kind, function()
      local failures = {}
      for number, case in ipairs(cases[kind]) do
        local ok, want, got = true, nil, nil
        if number % EVERY == 0 then ok, want, got = pcall(f, case, number) end
        if not ok or want ~= got then
          failures[#failures + 1] = ("%s\n  got %s"):format(case, tostring(ok and got or want))
        end
      end
      assert.equal("", table.concat(failures, "\n", 1, math.min(#failures, 12)), #failures .. " failures")
    end)
  end
end)
