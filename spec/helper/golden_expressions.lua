-- Runs golden calls (spec/golden/expressions.py): each expression on its inputs, in several memory layouts.

local golden = require "spec.helper.golden"
local layouts = require "spec.helper.calls.layouts"
local numbers = require "spec.helper.numbers"
local read = require "spec.golden.read"

local calls = {}

local compile = loadstring or load -- luacheck: ignore
local unpack = table.unpack or unpack -- luacheck: ignore

local function count(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

-- The expected output, as failures.check takes it.
local function wanted(case, out)
  local bounded = case.tol ~= "exact" and (numbers.epsilon[out.dtype] or numbers.part[out.dtype])
  return { dtype = out.dtype, bytes = out.bytes, bound = bounded and case.tol or nil }
end

local function arrays(cp, case, layout)
  local list = {}
  for k, input in ipairs(case.inputs) do
    local plain = #input.shape == 0 or count(input.shape) == 0
    list[k] = layouts.make(cp, plain and "contiguous" or layout, input.bytes, input.dtype, input.shape)
  end
  return list
end

local function run(cp, case, layout, failures)
  local label = ("%s [%s]"):format(case.lua, layout)
  local f = assert(compile("local cp, a, b, c, d, e, f = ... " .. case.lua))
  local results = { pcall(f, cp, unpack(arrays(cp, case, layout))) }
  if not results[1] then return failures.add(label .. ": " .. tostring(results[2])) end
  if #results - 1 < #case.outputs then return failures.add(label .. ": too few results") end
  for k, out in ipairs(case.outputs) do
    failures.check(("%s result %d"):format(label, k), results[k + 1], wanted(case, out), out.shape,
      case.tol == "exact" and "zero" or "bound")
  end
end

-- The file's groups in order: {name, cases}.
function calls.groups(name)
  local groups, by_name = {}, {}
  for _, case in ipairs(read.expressions(name)) do
    local group = by_name[case.group]
    if not group then
      group = { name = case.group, cases = {} }
      by_name[case.group], groups[#groups + 1] = group, group
    end
    table.insert(group.cases, case)
  end
  return groups
end

-- Runs a group's cases and fails with all failures. The cases use the layouts in turn, so that each group
-- covers all layouts.
function calls.run(cp, group)
  local failures = golden.failures()
  for k, case in ipairs(group.cases) do
    run(cp, case, layouts.names[k % #layouts.names + 1], failures)
    if k % 3 == 0 then run(cp, case, "contiguous", failures) end
  end
  failures.raise()
end

return calls
