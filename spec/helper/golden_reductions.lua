-- Runs golden reductions: each on every layout, with and without keepdims.

local golden = require "spec.helper.golden"
local layouts = require "spec.helper.calls.layouts"

local reductions = {}

-- Set of reduced axes of an ndim-dimensional array: nil is all, else a position or a table of them.
local function reduced_axes(axis, ndim)
  local set = {}
  if axis == nil then
    for k = 1, ndim do set[k] = true end
  else
    for _, k in ipairs(type(axis) == "table" and axis or { axis }) do set[k] = true end
  end
  return set
end

-- Shapes of the result without and with keepdims.
local function result_shapes(shape, axis)
  local set, plain, kept = reduced_axes(axis, #shape), {}, {}
  for k, d in ipairs(shape) do
    if not set[k] then plain[#plain + 1] = d end
    kept[k] = set[k] and 1 or d
  end
  return plain, kept
end

-- Floating elements are the stored integers divided by 1024, which is exact in every floating dtype.
local function long_array(cp, case)
  local arg = case.set.args[1]
  local x = cp.frombytes(arg.bytes, arg.dtype, case.shape):astype(case.dtype)
  return case.dtype:find("^int") and x or x * (1 / 1024)
end

local function names_for(case)
  local kind = case.set.name:match("^%a+")
  if kind == "cube" or kind == "nancube" then return layouts.names end
  if kind == "broadcube" then return { "contiguous", "broadcast" } end
  return { "contiguous" }
end

local function input(cp, case, layout)
  local set, arg = case.set, case.set.args[1]
  if set.name:find("^long") then return long_array(cp, case) end
  set.made = set.made or {}
  if not set.made[layout] then
    if layout == "broadcast" then
      local first = arg.bytes:sub(1, #arg.bytes / case.shape[1])
      local x = cp.frombytes(first, arg.dtype, { 1, case.shape[2], case.shape[3] })
      set.made[layout] = cp.broadcast_to(x, case.shape)
    else
      set.made[layout] = layouts.make(cp, layout, arg.bytes, arg.dtype, case.shape)
    end
  end
  return set.made[layout]
end

-- A copy of the options, or nothing: an empty table would be an empty set of axes.
local function copied(options)
  if next(options) == nil then return nil end
  local out = {}
  for k, v in pairs(options) do out[k] = v end
  return out
end

-- any() and all() without an axis answer with a Lua boolean.
local function check_answer(label, got, want, failures)
  if got ~= (want.bytes == "\1") then
    failures.add(("%s: got %s, want %s"):format(label, tostring(got), tostring(want.bytes == "\1")))
  end
end

-- One case on every layout.
function reductions.check(cp, case, failures)
  local options = golden.arguments(case)[1] or {}
  local plain, kept = result_shapes(case.shape, options.axis)
  local question = (case.op == "any" or case.op == "all") and options.axis == nil
  for _, layout in ipairs(names_for(case)) do
    local label = ("%s %s %s %s %s"):format(case.op, case.dtype, case.set.name, layout, case.with or "")
    local ok, x = pcall(input, cp, case, layout)
    local got
    if ok then ok, got = pcall(cp[case.op], x, copied(options)) end
    if not ok then
      failures.add(label .. ": " .. tostring(got or x))
    elseif question then
      check_answer(label, got, case.outs[1], failures)
    else
      failures.check(label, got, case.outs[1], plain, case.tol)
    end
    if ok and layout == "contiguous" then
      local keep = copied(options) or {}
      keep.keepdims = true
      ok, got = pcall(cp[case.op], x, keep)
      if not ok then
        failures.add(label .. " keepdims: " .. tostring(got))
      elseif not question then
        failures.check(label .. " keepdims", got, case.outs[1], kept, case.tol)
      end
    end
  end
end

return reductions
