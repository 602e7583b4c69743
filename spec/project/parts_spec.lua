-- The Lua side loads most of its parts at first use (lua/cupola/later.lua).

local check = require "spec.helper.check"

-- What a fresh interpreter prints for `code` (after `local cp = require "cupola"`).
local function fresh(code)
  local output, status = check.run("local cp = require 'cupola'; " .. code)
  assert.equal(0, status, output)
  return output
end

describe("parts of the Lua side", function()
  it("make the names that lua/cupola/parts.lua lists", function()
    check.written_by("tools/parts.lua", "lua/cupola/parts.lua")
  end)

  it("are not loaded by a script that needs none of them", function()
    local before = "collectgarbage(); local b = collectgarbage 'count'; "
    local after = "collectgarbage(); print(collectgarbage 'count' - b < 700)"
    local code = before
      .. "local cp = require('cupola').cpu; local x = cp.arange(4) + 1; assert(x:sum():item() == 10); "
    local output, status = check.run(code .. after)
    assert.equal(0, status, output)
    assert.equal("true\n", output)
    output = check.run(code .. "require('cupola.core').load_all(); " .. after)
    assert.equal("false\n", output)
  end)

  it("are loaded by functions, methods and tables of functions", function()
    assert.equal("1,2,3\n", fresh "print(table.concat(cp.sort(cp.array({3, 1, 2}, 'int32')):totable(), ','))")
    assert.equal("6\n", fresh "print(('%d'):format(cp.array{3, 1, 2}:cumsum()[3]))")
    assert.equal("-2\n", fresh "print(('%.0f'):format(cp.linalg.det(cp.array{{1, 2}, {3, 4}}):item()))")
    assert.equal("0\n", fresh "print(('%.0f'):format(cp.scipy.special.erf(0)))")
    assert.equal("function\n", fresh "print(type(cp.image.load))")
    assert.equal("1\n", fresh "print(#cp.cpu.sort(cp.cpu.array{3}))")
  end)

  -- Looking up an unknown name in a public table loads all parts.
  it("are loaded one by one", function()
    local code = [[
      local tables = { cp = cp, ["cp.cuda"] = cp.cuda, ["cp.image"] = cp.image, ["cp.scipy"] = cp.scipy }
      local core, part = require "cupola.core", nil
      function core.load_all() error("loading " .. part .. " loads all parts", 0) end
      for name, places in pairs(require "cupola.parts") do
        part = name
        for place, names in pairs(places) do
          local first = tables[place] and names:match "%S+"
          if first then assert(tables[place][first] ~= nil, first) end
        end
      end
      print "done"]]
    assert.equal("done\n", fresh(code))
  end)

  it("are loaded inside of a scope and of coroutines too", function()
    assert.equal("3\n", fresh "print(('%d'):format(cp.scope(function() return cp.array{1, 2}:cumsum() end)[2]))")
    assert.equal("true\n", fresh "print(coroutine.wrap(function() return cp.array{1, 2}:cumsum()[2] == 3 end)())")
  end)

  it("raise an error for an unknown name, with the nearest name of any part", function()
    local code = "local _, e = pcall(function() return cp.cumsam end); print(e:match 'cp%.%w+')"
    assert.equal("cp.cumsum\n", fresh(code))
    code = "local _, e = pcall(function() return cp.ones(2):cumsam() end); print(e:match \"'cumsum'\")"
    assert.equal("'cumsum'\n", fresh(code))
    code = "local _, e = pcall(function() return cp.scipy.signel end); print(e:match 'cp%.[%w.]+')"
    assert.equal("cp.scipy.signal\n", fresh(code))
    code = "cp.mine, cp.scipy.mine = {}, {}; pcall(function() return cp.cumsam end); print(cp.mine.x, cp.scipy.mine.x)"
    assert.equal("nil\tnil\n", fresh(code)) -- a script's own tables
  end)
end)
