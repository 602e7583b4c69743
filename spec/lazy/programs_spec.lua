-- Random programs (spec/golden/programs/programs.py): each with fusion on, off, forced at every operator, and
-- with waiting what the CPU device computes at once, compared with NumPy's values and, bit for bit, between
-- the modes. A failing program is shrunk and printed.
--   CUPOLA_PROGRAMS=path        runs path.index and path.bin instead of the repository's, for more programs
--   CUPOLA_PROGRAMS_SHARE=2/8   runs every eighth program, from the second on

local cp = require "cupola"
local check = require "spec.helper.check"
local programs = require "spec.helper.random.programs"
local shrink = require "spec.helper.random.shrink"

local path = os.getenv "CUPOLA_PROGRAMS" or "spec/golden/programs/programs"
local batch = 250

-- Each Lua runs one half. A GPU, which compiles each program's kernels, and mode gc, which collects at every
-- allocation, run only some of it; so do other modes, because this spec itself turns fusion on and off.
local function default_share()
  if check.mode then return check.mode == "gc" and "1/40" or "1/10" end
  if cp.zeros({ 1 }).device:find "^cuda" then return "1/10" end
  return _VERSION == "Lua 5.4" and "1/2" or "2/2"
end

local share, shares = (os.getenv "CUPOLA_PROGRAMS_SHARE" or default_share()):match "^(%d+)/(%d+)$"

local function chosen(list)
  local out = {}
  for k, program in ipairs(list) do
    if (k - share) % shares == 0 then out[#out + 1] = program end
  end
  return out
end

local function slice(list, from, to)
  local out = {}
  for k = from, math.min(to, #list) do out[#out + 1] = list[k] end
  return out
end

-- Fails with the text of what went wrong, if anything did.
local function all_right(text) if text then error("\n" .. text, 0) end end

describe("random programs", function()
  local list = chosen(programs.read(path))

  for from = 1, #list, batch do
    local part = slice(list, from, from + batch - 1)
    it(("%d to %d, fusion on and off, without fast paths"):format(part[1].number, part[#part].number), function()
      all_right(programs.failures(part, { "off", "on", "waiting", "slow" }))
    end)
  end

  -- In a process of its own: the switch is read when cupola is loaded.
  it("with every operator forced", function()
    local text = [[
      local programs = require "spec.helper.random.programs"
      local list, out = programs.read %q, {}
      for k = %d, #list, %d do out[#out + 1] = list[k] end
      print(#out, programs.failures(out, { "default" }) or "none")]]
    local shown, status = check.run(text:format(path, share, shares), "CUPOLA_FUSION=force")
    assert.equal(0, status, shown)
    assert.equal(("%d\tnone\n"):format(#list), shown)
  end)
end)

-- Checks the check: a mistake in an operation is found, and the program is shrunk.
describe("a planted mistake", function()
  -- Runs programs with changed text until the modes differ in one. Returns its failure and smallest
  -- statements.
  local function first_failure(patch)
    for _, program in ipairs(programs.read "spec/golden/programs/programs") do
      local failure = programs.examine(program, "on", patch)
      if failure and failure.kind == "modes" then
        local text, small = programs.explain(program, "on", failure, patch)
        return small, text
      end
    end
    error "no program noticed the mistake"
  end

  local function holds(statements, pattern)
    for _, s in ipairs(statements) do
      if s.text:find(pattern) then return true end
    end
    return false
  end

  it("in a function is found", function()
    local small, text = first_failure(function(s) return (s:gsub("cp%.maximum%(", "cp.minimum(")) end)
    assert.is_true(holds(small, "cp%.maximum"), text)
    assert.is_true(#small <= 6, text)
    assert.matches("^program %d+, fusion on: with and without fusion: ", text)
  end)

  it("in writing through a view is found", function()
    local small, text = first_failure(function(s) return (s:gsub(":fill%((%d)%)", ":fill(%1+1)")) end)
    assert.is_true(holds(small, ":fill"), text)
    assert.is_true(#small <= 6, text)
  end)

  it("that changes no result is not reported", function()
    for _, program in ipairs(slice(programs.read "spec/golden/programs/programs", 1, 50)) do
      assert.is_nil(programs.examine(program, "on", function(s) return s .. " local _ = 1" end))
    end
  end)

  it("in both modes is found by comparison with NumPy", function()
    local program = programs.read("spec/golden/programs/programs")[1]
    local statements = programs.statements(program)
    program.lines = program.lines:gsub("D%((.-),(%d+),", function(dtype, k)
      return ("D(%s,%d,"):format(dtype, k + 1)
    end)
    local failure = programs.examine(program, "on")
    assert.equal("numpy", failure.kind)
    local text, small = programs.explain(program, "on", failure)
    assert.is_true(#small <= #statements)
    assert.matches("beside NumPy: ", text)
  end)

  it("that raises an error is reported with the error", function()
    local program = programs.read("spec/golden/programs/programs")[1]
    local function patch(s) return (s:gsub("^b=.*$", "local _ = nil + 1")) end
    local failure = programs.examine(program, "on", patch)
    assert.equal("error", failure.kind)
    assert.matches("arithmetic on a nil value", failure.text)
    local _, small = programs.explain(program, "on", failure, patch)
    assert.equal(1, #small)
  end)
end)

describe("the shrinker", function()
  local function statements(...)
    local list = {}
    for k, text in ipairs { ... } do list[k] = { text = text, id = k } end
    return list
  end

  local function texts(list)
    local out = {}
    for k, s in ipairs(list) do out[k] = s.text end
    return out
  end

  local function joined(list) return table.concat(texts(list), ";") end

  it("keeps what is needed together", function()
    local list = statements("a", "b", "c", "d", "e", "f", "g", "h", "i")
    local small = shrink.statements(list, function(l)
      local text = joined(l)
      return text:find "b" and text:find "e" and text:find "h" and true
    end)
    assert.same({ "b", "e", "h" }, texts(small))
    assert.equal(5, small[2].id)
  end)

  it("takes operations out of expressions", function()
    local list = statements("x=cp.add(cp.sqrt((a+b)*2),bad(c)):astype(\"f4\")")
    local small = shrink.statements(list, function(l) return joined(l):find("bad%(") ~= nil end)
    assert.equal("x=bad(c)", joined(small))
  end)

  it("returns a list that does not fail", function()
    local list = statements("a", "b")
    assert.equal(list, shrink.statements(list, function() return false end))
  end)
end)
