-- Runs the code blocks of these pages of docs, in this order, and checks the names in docs/architecture.md.

local check = require "spec.helper.check"
local docs = require "spec.helper.docs"

local pages = { "arrays", "files", "streams", "embedding", "memory", "linalg", "random", "fusion", "signal", "sparse",
  "gpus" }

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

describe("docs/architecture.md", function()
  local function contents(path)
    local file = assert(io.open(path))
    local text = file:read "*a"
    file:close()
    return text
  end

  local function lines_of(command)
    local pipe, list = assert(io.popen(command)), {}
    for line in pipe:lines() do list[#list + 1] = line end
    pipe:close()
    return list
  end

  local page = contents("docs/architecture.md"):gsub("```.-```", "")
  local places, words = {}, {}

  setup(function()
    for _, path in ipairs(lines_of "find bench cmake docs examples kernels library lua spec src tools") do
      local rest = path
      while rest do -- a file may be named without the first folders of its path
        places[rest] = true
        rest = rest:match "/(.*)"
      end
      if path:find "%.[chl][u]?[a]?$" or path:find "%.def$" or path:find "%.cu$" then
        for word in contents(path):gmatch "[%a_][%w_]*" do words[word] = true end
      end
    end
  end)

  it("names files and folders that exist", function()
    local missing = {}
    for name in page:gmatch "`([%w_./]+)`" do
      local is_place = name:find "^%a[%w_]*/" or name:find "%.lua$" or name:find "%.[ch]$" or name:find "%.cu$"
      if is_place and not name:find "NAME" and not places[name] then missing[#missing + 1] = name end
    end
    for folder, text in page:gmatch "%d+%. `(src[^`]*)`: (.-)\n%f[%d\n]" do
      for name in text:gmatch "`([%w_]+%.h)`" do
        if not places[folder .. "/" .. name] then missing[#missing + 1] = folder .. "/" .. name end
      end
    end
    assert.equal("", table.concat(missing, ", "))
  end)

  it("names functions and types that exist", function()
    local missing = {}
    for name in page:gmatch "`([%a_][%w_]*)[`(]" do
      if name:find "_" and not name:find "NAME" and not words[name] then missing[#missing + 1] = name end
    end
    assert.equal("", table.concat(missing, ", "))
  end)
end)
