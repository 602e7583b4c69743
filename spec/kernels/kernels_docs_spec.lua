-- Each code block of docs/kernels.md runs as it stands.

local function blocks(path)
  local file = assert(io.open(path))
  local text, list, line = file:read "*a", {}, 1
  file:close()
  local inside
  for l in text:gmatch "([^\n]*)\n" do
    line = line + 1
    if l == "```lua" then
      inside = { first = line, lines = {} }
    elseif l == "```" and inside then
      list[#list + 1] = inside
      inside = nil
    elseif inside then
      inside.lines[#inside.lines + 1] = l
    end
  end
  return list
end

-- Runs a block with `cp` known, and without its prints.
local function run(path, block)
  local head = 'local cp = require "cupola"; local print = function() end; local _ = print; '
  local source = ("\n"):rep(block.first - 1) .. head .. table.concat(block.lines, "\n")
  local has_kernels = source:find "cp%.jit" -- whose text is that of the chunk, not that of the page
  assert((loadstring or load)(source, has_kernels and source or "@" .. path))() -- luacheck: ignore
end

describe("docs/kernels.md", function()
  local list = blocks "docs/kernels.md"

  it("has code blocks", function() assert.is_true(#list >= 5, tostring(#list)) end)

  for _, block in ipairs(list) do
    it("runs from line " .. block.first, function() run("docs/kernels.md", block) end)
  end
end)
