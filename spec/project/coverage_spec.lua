-- docs/coverage.md equals the output of tools/coverage.lua, so that it is always true.

local check = require "spec.helper.check"
local files = require "spec.helper.files"

describe("docs/coverage.md", function()
  it("is up to date", function()
    check.written_by("tools/coverage.lua", "docs/coverage.md")
  end)

  it("names what is there", function()
    local text = files.contents "docs/coverage.md"
    for _, name in ipairs { "`hypot`", "`savez` | arrays by name", "`repeat` | `cp.repeats`", "`datetime64`" } do
      assert.truthy(text:find(name, 1, true), name)
    end
  end)
end)
