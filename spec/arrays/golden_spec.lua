-- Every operation and reduction against NumPy's results (spec/golden, made by generate.py), on the current
-- device, for every dtype and layout. A failure shows operation, dtype, layout, position, inputs, actual and
-- expected result.

local cp = require "cupola"
local core = require "cupola.core"
local golden = require "spec.helper.golden"
local read = require "spec.golden.read"
local reductions = require "spec.helper.golden_reductions"

-- Cases in groups {name, cases} in the order of their first case.
local function grouped(cases, key)
  local groups, by_name = {}, {}
  for _, case in ipairs(cases) do
    local name = key(case)
    if not by_name[name] then
      by_name[name] = { name = name, cases = {} }
      groups[#groups + 1] = by_name[name]
    end
    table.insert(by_name[name].cases, case)
  end
  return groups
end

local function op_and_dtype(case) return case.op .. " " .. case.dtype end

-- CUPOLA_GOLDEN_SHARE="2/8" keeps every eighth group, from the second: so that processes side by side fill a
-- cold kernel cache.
local share, shares = (os.getenv "CUPOLA_GOLDEN_SHARE" or "1/1"):match "^(%d+)/(%d+)$"

local function tests(file, key, check)
  local _, cases = read.data(file)
  for number, group in ipairs(grouped(cases, key)) do
    if (number - share) % shares == 0 then
      it(group.name, function()
        local failures = golden.failures()
        for _, case in ipairs(group.cases) do check(cp, case, failures) end
        failures.raise()
      end)
    end
  end
end

-- What computes parts of other functions' results has its data in theirs.
local WHOLE = { modf_fraction = "modf", modf_integer = "modf", frexp_mantissa = "frexp", frexp_exponent = "frexp" }

describe("golden data", function()
  local function named(file)
    local names, _, cases = {}, read.data(file)
    for _, case in ipairs(cases) do names[case.op] = true end
    return names
  end

  -- Names of the rows of a kind with their scope, or whatever else stands in a column.
  local function rows(pattern)
    local list = {}
    for line in io.lines "kernels/ops.def" do
      local name, column = line:match(pattern)
      if name then list[name] = column end
    end
    return list
  end

  local function missing(of_core, of_table, has)
    local list = {}
    for name in pairs(of_core) do
      if not has(name, assert(of_table[name], name)) then list[#list + 1] = name end
    end
    table.sort(list)
    return table.concat(list, " ")
  end

  it("has every operation that is not internal", function()
    local names, special = named "operations/elementwise", {}
    for _, functions in pairs(dofile "spec/golden/operations/special.lua") do
      for name in pairs(functions) do special["special_" .. name] = true end
    end
    special.special_riemann = special.special_zeta -- zeta of one argument
    local scopes = rows "^OP[%u_]*%(([%w_]+),%s*%d,%s*%w+,%s*(%u+)"
    assert.equal("", missing(core.operations(), scopes, function(name, scope)
      return scope == "INTERNAL" or scope == "DRAW" or names[WHOLE[name] or name] or special[name]
    end))
  end)

  it("has every reduction", function()
    local names = named "operations/reductions"
    local _, reductions_of_core = core.operations()
    local classes = rows "^RED%(([%w_]+),%s*(%u+)"
    assert.equal("", missing(reductions_of_core, classes, function(name) return names[name] end))
  end)
end)

describe("golden elementwise", function() tests("operations/elementwise", op_and_dtype, golden.elementwise) end)

describe("golden casts", function()
  tests("operations/casts", function(case) return case.dtype .. " to any" end, golden.elementwise)
end)

describe("golden reductions", function() tests("operations/reductions", op_and_dtype, reductions.check) end)

describe("golden dtypes", function()
  local dtypes, tables = read.types()

  -- Runs check(a, b, expected word) for each entry of a table.
  local function each(name, check)
    local failures = golden.failures()
    for row, words in pairs(tables[name]) do
      for _, dtype in ipairs(dtypes) do
        local ok, text = pcall(check, row, dtype, words[dtype])
        if not ok or text then failures.add(("%s %s %s: %s"):format(name, row, dtype, tostring(text))) end
      end
    end
    failures.raise()
  end

  local function differs(got, want)
    if got ~= want then return ("got %s, want %s"):format(tostring(got), tostring(want)) end
  end

  it("promote", function()
    each("promote", function(a, b, want) return differs(cp.result_type(a, b), want) end)
  end)

  it("promote in an operation", function()
    each("promote", function(a, b, want)
      return differs(cp.maximum(cp.ones({ 2 }, a), cp.ones({ 2 }, b)).dtype, want)
    end)
  end)

  it("promote of three, in any order", function()
    each("triple", function(pair, c, want)
      local a, b = pair:match "^(.*),(.*)$"
      for _, names in ipairs { { a, b, c }, { c, a, b }, { b, c, a }, { c, b, a } } do
        local wrong = differs(cp.result_type(names[1], names[2], names[3]), want)
        if wrong then return wrong end
      end
    end)
  end)

  it("results of functions of two arrays", function()
    local x, count = {}, 0
    for _, dtype in ipairs(dtypes) do x[dtype] = cp.ones({ 1 }, dtype) end
    for name in pairs(tables) do
      for op in (name:match "^pair%.(.*)$" or ""):gmatch "[^,]+" do
        count = count + 1
        each(name, function(a, b, want)
          if want == "?" then return nil end
          local ok, got = pcall(cp[op], x[a], x[b])
          if want == "-" then return ok and op .. " gives no error" or nil end
          return ok and differs(got.dtype, want) or not ok and op .. ": " .. got or nil
        end)
      end
    end
    assert.is_true(count > 30)
  end)

  for _, rule in ipairs { "no", "safe", "same_kind", "unsafe" } do
    it("can_cast " .. rule, function()
      each("cast." .. rule, function(a, b, want) return differs(cp.can_cast(a, b, rule), want == "1") end)
    end)
  end

  for arity = 1, 4 do
    if tables["operation." .. arity] then
      it(("results of operations with %d operands"):format(arity), function()
        each("operation." .. arity, function(op, dtype, want)
          local x = cp.ones({ 2 }, dtype)
          local args = { x, arity > 1 and arity < 4 and x or nil, arity == 3 and x or nil }
          if op == "isclose" then args = { x, x } end
          local ok, got = pcall(cp[op], args[1], args[2], args[3])
          if want == "-" then return ok and "no error" or nil end
          return ok and differs(got.dtype, want) or not ok and got or nil
        end)
      end)
    end
  end

  it("results of reductions", function()
    each("reduction", function(red, dtype, want)
      if red == "ptp" and dtype == "bool" then return nil end
      return differs(cp[red](cp.ones({ 2 }, dtype), { axis = 1 }).dtype, want)
    end)
  end)
end)
