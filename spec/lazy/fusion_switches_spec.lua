-- The switches of fusion, its log and its counters. fusion_spec.lua checks the cost of fusion.

local cp = require "cupola"
local check = require "spec.helper.check"

describe("cp.fusion", function()
  it("returns and sets whether fusion is on", function()
    local before = cp.fusion()
    assert.is_boolean(before)
    assert.equal(before, cp.fusion(false))
    assert.is_false(cp.fusion())
    assert.is_false(cp.fusion(true))
    cp.fusion(before)
    assert.equal(before, cp.fusion())
    check.failure("usage", "fusion: ", function() cp.fusion("on") end)
    assert.equal(before, cp.fusion())
  end)
end)

describe("CUPOLA_FUSION", function()
  local script = [[
    local cp = require "cupola"
    local x, y = cp.eval(cp.ones({ 1000 }), cp.ones({ 1000 }))
    local function run() local z = x ^ 2 + 2 * y z:eval() return z[5] end
    run()
    local before = cp.profiler.counters().launches
    local value = run()
    print(("%%d launches, %%d, %%s"):format(cp.profiler.counters().launches - before, value, tostring(cp.fusion())))]]

  local function run(setting)
    local shown, status = check.run((script:gsub("%%%%", "%%")), setting)
    assert.equal(0, status, shown)
    return shown
  end

  it("=0 starts with fusion off", function()
    assert.equal("3 launches, 3, false\n", run "CUPOLA_FUSION=0")
  end)

  it("=1 is the default", function()
    assert.equal("1 launches, 3, true\n", run "CUPOLA_FUSION=1")
    assert.equal("1 launches, 3, true\n", run "CUPOLA_FUSION=")
  end)

  it("=force evaluates every operator's result at once", function()
    assert.matches("^3 launches, 3, ", run "CUPOLA_FUSION=force")
  end)
end)

describe("CUPOLA_LOG=fusion", function()
  -- Lines that a script writes, without those of other settings.
  local function log(text)
    local shown, status = check.run('local cp = require "cupola"\n' .. text, "CUPOLA_FUSION=1 CUPOLA_LOG=fusion")
    assert.equal(0, status, shown)
    local lines = {}
    for line in shown:gmatch "[^\n]+" do
      if line:find "fusion" then lines[#lines + 1] = line end
    end
    return lines, shown
  end

  it("explains each force in a line", function()
    local lines, shown = log [[
      local x, y = cp.array({ 1, 2, 3 }), cp.array({ 4, 5, 6 })
      local z = cp.sqrt(x * y + 1)
      z:eval()]]
    assert.equal(1, #lines, shown)
    local line = lines[1]
    for _, word in ipairs { "multiply", "add", "sqrt", "eval" } do assert.matches(word, line) end
    assert.matches("3 operations", line)
    assert.matches("2 leaves", line)
    assert.matches("72 bytes", line) -- what is read and what is written
  end)

  it("gives the reason", function()
    local lines, shown = log [[
      local x = cp.array({ 1, 2, 3 })
      local _ = (x + 1)[1]
      _ = (x + 2)["2:"]
      local pending = x + 3
      cp.synchronize()
      _ = (x + 4):sum()
      x:assign(x + 5)]]
    assert.is_true(#lines >= 4, shown)
    local reasons = {}
    for _, line in ipairs(lines) do reasons[line:gsub("%d+", "")] = true end
    local count = 0
    for _ in pairs(reasons) do count = count + 1 end
    assert.is_true(count >= 3, shown) -- the reasons differ
  end)

  it("is silent otherwise", function()
    local shown = check.run [[local cp = require "cupola"; (cp.array({ 1, 2 }) + 1):eval()]]
    assert.equal("", shown)
  end)
end)

describe("the counters", function()
  it("are numbers that only grow", function()
    local counters = cp.profiler.counters()
    for _, name in ipairs { "launches", "compiles", "cache_hits", "allocations", "bytes_allocated", "synchronizations",
      "collections", "forces", "renames" } do
      assert.is_number(counters[name], name)
    end
    local x = cp.eval(cp.ones({ 10 }))
    local y = x * 2
    x:fill(0)
    y:eval()
    for name, value in pairs(cp.profiler.counters()) do assert.is_true(value >= counters[name], name) end
  end)
end)
