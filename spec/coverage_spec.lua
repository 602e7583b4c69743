-- docs/coverage.md is what tools/coverage.lua writes now, so that it never says what is not so.
-- `./dev lua tools/coverage.lua > docs/coverage.md` writes it.

local check = require "spec.helper.check"
local files = require "spec.helper.files"

describe("docs/coverage.md", function()
  it("is up to date", function()
    local output, status = check.run("arg = {[0] = 'tools/coverage.lua'}; dofile 'tools/coverage.lua'")
    assert.equal(0, status, output)
    assert.is_true(output == files.contents "docs/coverage.md", "run: ./dev lua tools/coverage.lua > docs/coverage.md")
  end)

  it("names what is there", function()
    local text = files.contents "docs/coverage.md"
    for _, name in ipairs { "`hypot`", "`savez` | arrays by name", "`repeat` | `cp.repeats`", "`datetime64`" } do
      assert.truthy(text:find(name, 1, true), name)
    end
  end)
end)
