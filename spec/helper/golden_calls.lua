-- Reads and runs golden calls (spec/golden/calls.py): Lua expressions of arrays, with their results.

local golden = require "spec.helper.golden"
local layouts = require "spec.helper.calls.layouts"

local calls = {}

local compile = loadstring or load -- luacheck: ignore

local function contents(name)
  local f = assert(io.open("spec/golden/" .. name, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

local function shape_of(text)
  local dims = {}
  for d in text:gmatch "%d+" do dims[#dims + 1] = tonumber(d) end
  return dims
end

local function array(word, data)
  local dtype, shape, offset, length, bounds = word:match "^(%w+):([%dx-]+):(%d+):(%d+):?(%d*)$"
  local a = { dtype = dtype, shape = shape_of(shape), bytes = data:sub(offset + 1, offset + length) }
  if bounds ~= "" then
    local size = dtype:find "^complex" and length / 2 or length
    a.bounds = data:sub(bounds + 1, bounds + size)
  end
  return a
end

local function arrays(text, data)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = array(word, data) end
  return list
end

-- The call of a line of spec/golden/NAME.index: {dtype, tol, inputs, outputs, expression}; data: NAME.bin.
local function parsed(line, data)
  local dtype, tol, inputs, outputs, expression = line:match "^call (%w+) (%w+) (.-) > (.-) | (.*)$"
  return { dtype = dtype, tol = tol, inputs = arrays(inputs, data), outputs = arrays(outputs, data),
           expression = expression }
end

-- All calls of a file.
function calls.read(name)
  local data, list = contents(name .. ".bin"), {}
  for line in contents(name .. ".index"):gmatch "[^\n]+" do list[#list + 1] = parsed(line, data) end
  return list
end

-- Runs one call with its inputs in a layout.
local function run(cp, call, layout, failures)
  local x = {}
  for k, a in ipairs(call.inputs) do
    x[k] = #a.shape > 0 and #a.bytes > 0 and layouts.make(cp, layout, a.bytes, a.dtype, a.shape)
      or cp.frombytes(a.bytes, a.dtype, a.shape)
  end
  local label = ("%s [%s, %s]"):format(call.expression, call.dtype, layout)
  local f = assert(compile("local cp, x = ...; return " .. call.expression))
  local results = { pcall(f, cp, x) }
  if not results[1] then return failures.add(label .. ": " .. tostring(results[2])) end
  for k, want in ipairs(call.outputs) do
    failures.check(label, results[k + 1], want, want.shape, call.tol)
  end
end

-- Runs a call in several layouts.
function calls.check(cp, call, failures, names)
  for _, layout in ipairs(names) do run(cp, call, layout, failures) end
end

-- Specs for the calls of a file, grouped by the function that they name. Lines are kept as text until they
-- are used, because the collector, which some modes run for each array, need not traverse text.
function calls.specs(cp, name, describe, it)
  local groups, order, data = {}, {}, contents(name .. ".bin")
  for line in contents(name .. ".index"):gmatch "[^\n]+" do
    local expression = line:match " | (.*)$"
    local f = expression:match "cp%.scipy%.%w+%.([%w_.]+)" or expression:match "cp%.([%w_]+)"
      or expression:match "^x%[1%]:([%w_]+)" or "indexes"
    if not groups[f] then
      groups[f] = {}
      order[#order + 1] = f
    end
    table.insert(groups[f], line)
  end
  describe("golden " .. name, function()
    for _, f in ipairs(order) do
      it(f, function()
        local failures = golden.failures()
        for k, line in ipairs(groups[f]) do
          local call = parsed(line, data)
          -- The layouts take turns; trying all of them for every call would take too long.
          calls.check(cp, call, failures, { "contiguous", layouts.names[k % (#layouts.names - 1) + 2] })
        end
        failures.raise()
      end)
    end
  end)
end

return calls
