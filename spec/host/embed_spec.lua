-- Programs that embed cupola: examples/embed, a test of each function of cupola.h, and programs for streams,
-- contexts, faults and forks of hosts are compiled and run; so is the LuaJIT example.

local check = require "spec.helper.check"
local host = require "spec.helper.host"

local SKIPPED = 77 -- the status of a program that cannot run here

local read = host.read

-- Why programs cannot be made here, or nil.
local function obstacle()
  if _VERSION ~= "Lua 5.4" then return "the programs are made with Lua 5.4" end
  return host.obstacle()
end

describe("a host", function()
  local function passes(source, arguments, settings)
    local why = obstacle()
    if why then return pending(why) end
    local text, status = host.compile_and_run(source, arguments, settings)
    if not text then return pending(status) end
    if status == SKIPPED then return pending "needs a GPU" end
    assert.equal(0, status, text)
    return text
  end

  it("finds every function of cupola.h as documented", function()
    local text = passes "spec/embed/api.c"
    if text then assert.truthy(text:find("0 wrong", 1, true)) end
  end)

  it("gives states its own stream and CUDA context", function()
    local text = passes "spec/embed/handles.c"
    if text then assert.truthy(text:find("0 wrong", 1, true), text) end
  end)

  for _, form in ipairs { "raw", "elementwise" } do
    it("gets an error in every state after a fault (" .. form .. ")", function()
      local text = passes("spec/embed/faults.c", form)
      if text then assert.truthy(text:find("0 wrong", 1, true), text) end
    end)
  end

  it("may run out of memory while the module or a part of it is loaded", function()
    local text = passes "spec/embed/loading.c"
    if text then assert.truthy(text:find("0 wrong", 1, true), text) end
  end)

  it("can be written as docs/embedding.md shows", function()
    local why = obstacle()
    if why then return pending(why) end
    local page = assert(io.open "docs/embedding.md")
    local blocks = {}
    for block in page:read("*a"):gmatch "```c\n(.-)```" do blocks[#blocks + 1] = block end
    page:close()
    assert.is_true(#blocks >= 3)
    local source = os.tmpname()
    local file = assert(io.open(source, "w"))
    file:write('#include "cupola.h"\n#include <lauxlib.h>\n#include <lualib.h>\n',
      "void *my_allocate(void *, const char *, size_t, void *);\n",
      "void my_free(void *, const char *, void *, size_t);\n",
      "int my_interrupt(void *);\n",
      "const char *open_it(void *context, void *stream, void *my_heap, void *my_clock) {\n",
      table.concat(blocks), "return wrong;\n}\n")
    file:close()
    local text, status = read(("cc -x c -std=c11 -Wall -Wextra -Werror -fsyntax-only -Isrc %s %s"):format(
      host.header_options(), source))
    os.remove(source)
    assert.equal(0, status, text)
  end)

  it("may fork", function()
    local text = passes("spec/embed/fork.c", nil, "CUPOLA_NUM_THREADS=4")
    if text then assert.truthy(text:find("0 wrong", 1, true), text) end
  end)

  it("steps two states in two threads on its own memory", function()
    local text = passes("examples/embed/host.c", "20")
    if not text then return end
    -- The mean of 10000 heights after 20 frames of 1/60 s, by NumPy.
    for _, name in ipairs { "player 1", "player 2" } do
      assert.truthy(text:find(name .. ": 20 frames, %d+ late, mean height 4.471, memory given back 2 of 2"), text)
    end
    local refused = select(2, text:gsub("refused: cupola%.", ""))
    assert.equal(4, refused, text)
    assert.falsy(text:find("a door is open", 1, true))
  end)

  it("shares structs with LuaJIT's FFI", function()
    if not rawget(_G, "jit") then return pending "needs LuaJIT" end
    local printed = check.run "arg = { [0] = 'host.lua', '20' } dofile 'examples/embed-luajit/host.lua'"
    assert.truthy(printed:find("20 frames, mean height 5.097", 1, true), printed)
  end)
end)
