-- Runs golden cases on the current device and collects differences, with everything needed to reproduce them.

local compare = require "spec.helper.compare"
local layouts = require "spec.helper.calls.layouts"
local numbers = require "spec.helper.numbers"

local golden = {}

local unpack = table.unpack or unpack -- luacheck: ignore
local compile = loadstring or load -- luacheck: ignore
local SHOWN, LINES = 4, 16 -- differences shown for a layout, and lines for a test

local function shape_text(shape)
  local dims = {}
  for k = 1, #shape do dims[k] = ("%d"):format(shape[k]) end
  return "(" .. table.concat(dims, ", ") .. ")"
end

-- The values of the arguments after the arrays, which the case has as text.
function golden.arguments(case)
  if not case.with then return {} end
  return { assert(compile("return " .. case.with))() }
end

local function position(k, shape)
  local index, rest = {}, k - 1
  for d = #shape, 1, -1 do
    index[d] = rest % shape[d] + 1
    rest = math.floor(rest / shape[d])
  end
  return shape_text(index)
end

-- Collects the failures of one test, which fails at the end with all of them.
function golden.failures()
  local list = {}
  local failures = {}

  function failures.add(text) list[#list + 1] = text end

  -- Compares one result with the golden output want, {dtype, bytes[, bounds]}, of a shape; describe(k)
  -- returns the inputs of element k.
  function failures.check(label, got, want, shape, tol, describe)
    if type(got) ~= "userdata" and type(got) ~= "table" then
      return failures.add(("%s: got a %s, want an array"):format(label, type(got)))
    end
    if got.dtype ~= want.dtype then
      return failures.add(("%s: dtype %s, want %s"):format(label, got.dtype, want.dtype))
    end
    if not layouts.same_shape(got.shape, shape) then
      return failures.add(("%s: shape %s, want %s"):format(label, shape_text(got.shape), shape_text(shape)))
    end
    local bytes, size = got:tobytes(), numbers.itemsize[want.dtype]
    local bad = compare.differences(bytes, want, tol)
    for n = 1, math.min(#bad, SHOWN) do
      local k = bad[n]
      local text = numbers.text(bytes:sub((k - 1) * size + 1, k * size), want.dtype)
      local inputs = describe and describe(k) or ""
      failures.add(("%s at %s: %s gave %s, want %s (%s)"):format(label, position(k, shape), inputs, text,
        compare.want_text(want, k), tostring(tol)))
    end
    if #bad > SHOWN then failures.add(("%s: %d of %d differ"):format(label, #bad, #bytes / size)) end
  end

  function failures.raise()
    if #list == 0 then return end
    local more = #list > LINES and ("\n  ... and %d lines more"):format(#list - LINES) or ""
    error("\n  " .. table.concat(list, "\n  ", 1, math.min(#list, LINES)) .. more, 0)
  end

  return failures
end

-- Inputs of element k as text: "add(1.5 0x..., nan 0x...)".
local function described(case, k)
  local parts = {}
  for n, arg in ipairs(case.set.args) do
    local size = numbers.itemsize[arg.dtype]
    parts[n] = numbers.text(arg.bytes:sub((k - 1) * size + 1, k * size), arg.dtype)
  end
  if case.with then parts[#parts + 1] = case.with end
  return case.op .. "(" .. table.concat(parts, ", ") .. ")"
end

-- The arrays of a set in a layout, which are kept for the other cases of the set.
local function laid_out(cp, set, layout)
  set.made = set.made or {}
  if not set.made[layout] then
    local list = {}
    for n, arg in ipairs(set.args) do
      if layout == "broadcast" then
        list[n] = layouts.side(cp, n == 1 and "column" or "row", arg.bytes, arg.dtype, set.shape)
      elseif layout == "mixed" then
        list[n] = layouts.make(cp, layouts.names[2 * n % #layouts.names + 1], arg.bytes, arg.dtype, set.shape)
      else
        list[n] = layouts.make(cp, layout, arg.bytes, arg.dtype, set.shape)
      end
    end
    set.made[layout] = list
  end
  return set.made[layout]
end

local function call(cp, case, arrays)
  local f = golden.calls[case.op] or cp[case.op]
  local args = {}
  for n, x in ipairs(arrays) do args[n] = x end
  for _, v in ipairs(golden.arguments(case)) do args[#args + 1] = v end
  return { f(unpack(args)) }
end

local function run(cp, case, layout, arrays, failures, wants, shape, describe)
  local label = ("%s %s %s"):format(case.op, case.dtype, layout)
  local ok, results = pcall(call, cp, case, arrays)
  if not ok then return failures.add(label .. ": " .. tostring(results)) end
  for n, want in ipairs(wants) do
    local part = #wants > 1 and ("%s result %d"):format(label, n) or label
    failures.check(part, results[n], want, shape, case.tol, describe)
  end
end

-- The size in bytes of one stored element of an output.
local function stored_size(want)
  if want.bounds then return numbers.part[want.dtype] and 16 or 8 end
  return numbers.itemsize[want.dtype]
end

-- Element k of each output, as outputs of one element.
local function picked(case, k)
  local wants = {}
  for n, want in ipairs(case.outs) do
    local wide = stored_size(want)
    wants[n] = { dtype = want.dtype, bytes = want.bytes:sub((k - 1) * wide + 1, k * wide),
                 bounds = want.bounds and want.bounds:sub(k * 8 - 7, k * 8) }
  end
  return wants
end

local function with_repeats(case, times)
  local wants = {}
  for n, want in ipairs(case.outs) do
    local wide = stored_size(want)
    wants[n] = { dtype = want.dtype, bytes = layouts.repeated(want.bytes, wide, times),
                 bounds = want.bounds and layouts.repeated(want.bounds, 8, times) }
  end
  return wants
end

local function broadcast(cp, case, failures, describe)
  local set = case.set
  if set.outer then
    return run(cp, case, "broadcast", laid_out(cp, set, "broadcast"), failures, case.outs, set.shape, describe)
  end
  local rows, columns, arrays = set.shape[1], set.shape[2], {}
  for n, x in ipairs(laid_out(cp, set, "contiguous")) do
    arrays[n] = cp.broadcast_to(x:reshape({ rows, columns, 1 }), { rows, columns, 3 })
  end
  run(cp, case, "broadcast", arrays, failures, with_repeats(case, 3), { rows, columns, 3 },
    function(k) return describe(math.floor((k - 1) / 3) + 1) end)
end

local function empty(cp, case, failures)
  local arrays, wants = {}, {}
  for n, x in ipairs(laid_out(cp, case.set, "contiguous")) do arrays[n] = x[{ { 1, 0 } }] end
  for n, want in ipairs(case.outs) do wants[n] = { dtype = want.dtype, bytes = "" } end
  run(cp, case, "empty", arrays, failures, wants, { 0, case.set.shape[2] })
end

local function zero_d(cp, case, failures, describe)
  local rows, columns = case.set.shape[1], case.set.shape[2]
  for _, at in ipairs { { 1, 1 }, { 2, 3 }, { rows, columns }, { rows, 2 } } do
    local arrays, k = {}, (at[1] - 1) * columns + at[2]
    for n, x in ipairs(laid_out(cp, case.set, "contiguous")) do arrays[n] = x:at(at[1], at[2]) end
    run(cp, case, "0-d", arrays, failures, picked(case, k), {}, function() return describe(k) end)
  end
end

-- One elementwise case in every layout.
function golden.elementwise(cp, case, failures)
  local function describe(k) return described(case, k) end
  for _, layout in ipairs(layouts.names) do
    run(cp, case, layout, laid_out(cp, case.set, layout), failures, case.outs, case.set.shape, describe)
  end
  if #case.set.args > 1 then
    run(cp, case, "mixed", laid_out(cp, case.set, "mixed"), failures, case.outs, case.set.shape, describe)
  end
  broadcast(cp, case, failures, describe)
  empty(cp, case, failures)
  zero_d(cp, case, failures, describe)
end

-- How to call what is not a function cp.NAME.
golden.calls = { astype = function(x, dtype) return x:astype(dtype) end }
for text, number in pairs { ["2"] = 2, ["3"] = 3, ["1"] = 1, ["0.5"] = 0.5, ["-0.5"] = -0.5, ["-1"] = -1 } do
  golden.calls["^" .. text] = function(x) return x ^ number end
end

golden.same_shape = layouts.same_shape

return golden
