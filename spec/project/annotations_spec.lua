-- library/cupola.lua, which editors use for completion, equals the output of tools/annotations.lua, and
-- contains each existing function and method exactly once and nothing else.

local cp = require "cupola"
local check = require "spec.helper.check"
require("cupola.core").load_all()

local file = assert(io.open "library/cupola.lua")
local text = file:read "*a"
file:close()

-- The names that a pattern finds in the file -> how often.
local function annotated(pattern)
  local names = {}
  for name in text:gmatch("\n" .. pattern) do names[name] = (names[name] or 0) + 1 end
  return names
end

-- Adds the functions of the table t, under names that begin with prefix, to the set; with `tables` also those
-- of the tables in it.
local function add_functions(set, t, prefix, tables)
  for name, v in pairs(t) do
    if type(v) == "function" then set[prefix .. name] = 1 end
    if tables and type(v) == "table" and v ~= cp.cpu then add_functions(set, v, prefix .. name .. ".", true) end
  end
end

local function methods_of(object)
  local index = debug.getmetatable(object).__index
  if type(index) == "function" then return select(2, debug.getupvalue(index, 1)) end
  return index
end

-- Lists what one set has and the other one lacks.
local function without(set, other)
  local list = {}
  for name in pairs(set) do
    if not other[name] then list[#list + 1] = name end
  end
  table.sort(list)
  return table.concat(list, " ")
end

local function check_names(want, got)
  assert.equal("", without(want, got), "missing in library/cupola.lua")
  assert.equal("", without(got, want), "in library/cupola.lua, but not in the module")
  for name, count in pairs(got) do assert.equal(1, count, name .. " stands there more than once") end
end

describe("the annotations", function()
  it("are up to date", function()
    check.written_by("tools/annotations.lua", "library/cupola.lua")
  end)

  it("name the functions of cp and of the tables in it", function()
    local public = {}
    add_functions(public, cp, "", true)
    assert.is_truthy(public.sum and public["cuda.Event"] and public["profiler.counters"] and public["image.imwrite"]
      and public["cuda.runtime.memcpy"])
    check_names(public, annotated "function cp%.([%w_.]+)%(")
  end)

  it("name the methods of arrays", function()
    local methods = {}
    add_functions(methods, methods_of(cp.zeros(1)), "")
    assert.is_truthy(methods.sum and methods.item and methods.add_)
    check_names(methods, annotated "function Array:([%w_]+)%(")
  end)

  it("name the methods of devices, events, streams, generators and communicators", function()
    for class, object in pairs { Device = cp.device "cpu", Event = cp.cuda.Event "cpu", Stream = cp.cuda.Stream(),
      Generator = cp.random.default_rng(0), RandomState = cp.random.RandomState(0),
      Communicator = cp.cuda.nccl.init_all({ "cpu" })[1], Ranks = cp.cuda.nccl.init_all({ "cpu" }) } do
      local meta, methods = methods_of(object), {}
      add_functions(methods, meta, "")
      for name in pairs(methods) do
        if name:find "^__" then methods[name] = nil end
      end
      check_names(methods, annotated("function " .. class .. ":([%w_]+)%("))
    end
  end)

  it("name the fields of arrays and the constants", function()
    local x = cp.zeros { 1, 1 }
    local fields = text:match "%-%-%-@class cupola%.Array\n(.-)\nlocal Array"
    for name in fields:gmatch "@field (%a[%w_]*)" do assert.is_truthy(x[name] ~= nil, name) end
    local constants = text:match "%-%-%-@class cupola\n(.-)\nlocal cp"
    local seen = {}
    for name in constants:gmatch "@field ([%w_]+)" do seen[name] = 1 end
    for name, v in pairs(cp) do
      if type(v) ~= "function" and type(v) ~= "table" then assert.equal(1, seen[name], name) end
    end
    for name in pairs(seen) do assert.is_truthy(rawget(cp, name) ~= nil, name) end
  end)

  it("are a Lua file that both languages parse", function()
    assert.is_function(assert(loadfile "library/cupola.lua"))
  end)
end)
