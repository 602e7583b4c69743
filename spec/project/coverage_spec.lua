-- docs/coverage.md equals the output of tools/coverage.lua, so that it is always true.

local check = require "spec.helper.check"
local files = require "spec.helper.files"

describe("lua/cupola/instead.lua", function()
  it("is about names that are missing, and names what exists", function()
    local cp = require "cupola"
    for name, text in pairs(dofile "lua/cupola/instead.lua") do
      assert.is_false((pcall(function() return cp[name] end)), name)
      for known in text:gmatch "cp%.([%w_]+)" do assert.truthy(cp[known], known) end
    end
  end)
end)

describe("docs/coverage.md", function()
  it("is up to date", function()
    check.written_by("tools/coverage.lua", "docs/coverage.md")
  end)

  it("has every name of CuPy's list in one of the four classes", function()
    local listed = {} -- module -> name -> true
    for line in files.contents("docs/names.txt"):gmatch "[^\n]+" do
      local section, name = line:match "^(%S+): (%S+)$"
      listed[section] = listed[section] or {}
      listed[section][name] = true
    end
    local shown, place = {}, nil -- place -> name -> how often
    for line in files.contents("docs/coverage.md"):gmatch "[^\n]+" do
      place = line:match "^## .*%(`([%w_.]+)`%)$" or place
      local row = line:match "^| (`[^`]+`) |" or not line:find "^[|#*]" and line or ""
      for name in row:gmatch "`([^`]+)`" do
        local key = tostring(place) .. " " .. name
        shown[key] = (shown[key] or 0) + 1
      end
    end
    local sections = {}
    for _, p in ipairs(dofile("tools/coverage_text.lua").places) do sections[p[1]] = p[2] end
    for section, names in pairs(listed) do
      assert.truthy(sections[section], "no section " .. section)
      for name in pairs(names) do
        assert.truthy(shown[sections[section] .. " " .. name], section .. "." .. name .. " is in no class")
      end
    end
    local missing = {}
    for line in files.contents("docs/names-cupy.txt"):gmatch "[^\n]+" do
      local module, name = line:match "^([%w_.]+): (%S+)$"
      if module then
        local scipy, numpy = module:match "^cupyx%.(scipy%..+)$", module:gsub("^cupy", "numpy")
        local found = listed[scipy or module] or {}
        local known = found[name] or not scipy and listed[numpy] and listed[numpy][name]
        if not known then missing[#missing + 1] = module .. "." .. name end
      end
    end
    assert.equal("", table.concat(missing, " "))
  end)

  it("names what is there", function()
    local text = files.contents "docs/coverage.md"
    for _, name in ipairs { "`hypot`", "`savez` | arrays by name", "`repeat` | `cp.repeats`", "`datetime64`" } do
      assert.truthy(text:find(name, 1, true), name)
    end
  end)
end)
