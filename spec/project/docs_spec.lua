-- Runs the code blocks of these pages of docs, in this order.

local check = require "spec.helper.check"
local docs = require "spec.helper.docs"

local pages = { "arrays", "files", "streams", "embedding", "memory", "linalg", "random", "fusion", "signal", "gpus" }

describe("docs", function()
  for _, page in ipairs(pages) do
    it(page .. ".md runs as it says", function()
      if page == "memory" and check.mode then return pending "this mode takes other memory" end
      collectgarbage() -- so that no garbage of other specs is freed while a page counts memory
      collectgarbage()
      local path = ("docs/%s.md"):format(page)
      local script, outputs = docs.script(path)
      assert.is_true(#script > 100)
      assert.equal(#outputs, docs.check(path))
    end)
  end

  it("are checked", function()
    local path = os.tmpname()
    local function page(text)
      local file = assert(io.open(path, "w"))
      file:write(text)
      file:close()
      return pcall(docs.check, path)
    end
    local ok, problem = page "```lua\nlocal a = 1\n```\n```lua\nprint(a + 1)\n```\n```output\n2\n```\n"
    assert.same({ true, 1 }, { ok, problem })
    ok, problem = page "```lua\nprint(1)\n```\n```output\n2\n```\n"
    assert.is_false(ok)
    assert.truthy(problem:find("block 1 of output shows\n2\nbut this is printed\n1\n", 1, true))
    ok, problem = page "text\n\n```lua\nlocal a\na()\n```\n"
    assert.is_false(ok)
    assert.truthy(problem:find(":5: ", 1, true))
    os.remove(path)
  end)
end)
