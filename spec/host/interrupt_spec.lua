-- Interruption of long work by a host (cupola_options.interrupt): spec/embed/interrupt.c with every kind of
-- work, spec/helper/processes/long_works.lua with every family of functions.

local check = require "spec.helper.check"
local host = require "spec.helper.host"

describe("a host that interrupts", function()
  -- Each is run with one of both Luas, as what ends is C's work. `with`: a version.
  local function passes(with, source, arguments, settings)
    if with ~= (rawget(_G, "jit") and "LuaJIT" or "Lua 5.4") then return pending("runs with " .. with) end
    if check.mode then return pending "times are taken without modes" end
    -- On a busy machine BLAS's own threads would compete with cupola's.
    local text, status = host.compile_and_run(source, arguments, "OPENBLAS_NUM_THREADS=1 " .. (settings or ""))
    if not text then return pending(status) end
    assert.equal(0, status, text)
  end

  it("ends all work of one thread soon", function() return passes("Lua 5.4", "spec/embed/interrupt.c", "1") end)

  it("ends long work of every family soon", function()
    return passes("Lua 5.4", "spec/embed/timed.c", "spec/helper/processes/long_works.lua", "CUPOLA_NUM_THREADS=1")
  end)

  it("ends all work of several threads soon", function() return passes("LuaJIT", "spec/embed/interrupt.c", "2") end)
end)
