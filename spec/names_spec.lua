-- Every public function, called with what it cannot take, names itself in its message, and none of Lua's own errors
-- gets out.

local cp = require "cupola"
require("cupola.core").load_all()

-- These do something to the whole program, read raw memory, print, or call what they are given.
local LEFT_OUT = {}
for name in ([[
  cp.memory cp.record cp.show_config cp.synchronize cp.from_dlpack cp.from_pointer cp.cuda.set_allocator
  cp.cuda.set_pinned_memory_allocator cp.cuda.nccl.init cp.cuda.nccl.group_start cp.cuda.nccl.group_end
  cp.cuda.nvtx.RangePush cp.cuda.nvtx.RangePop cp.cuda.nvtx.Mark cp.set_default_dtype cp.deterministic cp.checks
  cp.fusion cp.set_printoptions cp.scope cp.cuda.graph cp.cuda.nccl.group cp.profiler.memory cp.profiler.trace_sync
  cp.import cp.export cp.savez cp.savez_compressed cp.cuda.runtime.setDevice cp.cuda.allow_tf32 cp.cuda.nccl.init_all
  cp.cuda.runtime.memcpy cp.cuda.runtime.memcpyAsync cp.cuda.runtime.memset cp.cuda.runtime.memsetAsync
  cp.cuda.runtime.memcpyPeer cp.cuda.runtime.memcpyPeerAsync cp.cuda.runtime.streamSynchronize
  cp.cuda.runtime.streamQuery cp.cuda.runtime.streamWaitEvent cp.cuda.ExternalStream
]]):gmatch "%S+" do
  LEFT_OUT[name] = true
end

-- name -> function, of all parts but cp.cpu (the same functions) and plots (which print).
local function public_functions()
  local found, seen = {}, { [cp.cpu] = true, [cp.plot] = true }
  local function walk(part, path)
    if seen[part] then return end
    seen[part] = true
    for key, value in next, part do
      local name = path .. "." .. tostring(key)
      if type(key) == "string" and type(value) == "function" and not LEFT_OUT[name] then
        found[#found + 1] = { name = name, f = value }
      elseif type(key) == "string" and type(value) == "table" then
        walk(value, name)
      end
    end
  end
  walk(cp, "cp")
  table.sort(found, function(a, b) return a.name < b.name end)
  return found
end

-- Whether the name of a message is the function's: its own, one that is the same function, or of a device that is not
-- there.
local function is_name_of(name, entry)
  if name == "device" or name:match "[^.]+$" == entry.name:match "[^.]+$" then return true end
  local value = cp
  for part in name:gmatch "[^.]+" do
    value = type(value) == "table" and rawget(value, part) or nil
  end
  return value == entry.f
end

local function nothing() end

local function arguments()
  local x = cp.arange(6, "float32"):reshape(2, 3)
  return {
    {}, { "x" }, { {} }, { nothing }, { true }, { -1 }, { io.stdout }, { { no_such_name = 1 } }, { x, "x" }, { x, {} },
    { x, -1 }, { x, 1.5 }, { x, true }, { x, nothing }, { x, { no_such_name = 1 } }, { x, { axis = 9 } },
    { x, { axis = "x" } }, { x, { dtype = "x" } }, { x, { out = 5 } }, { x, x, { no_such_name = 1 } },
    { x, x, { out = cp.zeros(77) } }, { cp.zeros({ 0, 3 }), x }, { cp.array(2) }, { cp.array(2), {} },
    { { "x" }, { "x" } }, { { { 1 }, { 2, 3 } } }, { cp.ones(3, "bool"), -1 }, { cp.ones(3, "complex64"), x },
    { x, 3, 1 }, { x, {}, 1 }, { x, x, x }, { x, -1, "x" }, { x, "x", {} }, { x, 1, nothing }, { x, x, true },
    { 1, 2, 3 }, { x, 1, 1, 1 }, { x, x, x, -1 },
  }
end

local unpack = table.unpack or unpack -- luacheck: ignore

describe("messages", function()
  it("name the function that was called", function()
    local wrong, before = {}, cp.checks "strict" -- of positions, too, which a GPU finds out later
    for _, entry in ipairs(public_functions()) do
      for k, list in ipairs(arguments()) do
        local ok, message = pcall(entry.f, unpack(list))
        local name = not ok and type(message) == "string" and message:match "cupola%.([%w_.]+): "
        if not ok and not (name and is_name_of(name, entry)) then
          wrong[#wrong + 1] = ("%s, arguments %d: %s"):format(entry.name, k, tostring(message))
        end
      end
    end
    cp.checks(before)
    assert.equal("", table.concat(wrong, "\n"))
  end)

  it("do so where functions call each other", function()
    local ok, message = pcall(function() return 1, cp.scipy.special.softmax(cp.ones({ 2 }), 3) end)
    assert.is_false(ok)
    assert.truthy(message:find("names_spec.lua:%d+: cupola%.scipy%.special%.softmax: axis 3 is out of range"), message)
    assert.equal("scipy.special.softmax", cp.last_error().where)
    ok, message = pcall(function() return 1, cp.cpu.trapezoid({ 1, 2 }, 7) end)
    assert.is_false(ok)
    assert.truthy(message:find "cupola%.trapezoid: ", message)
    -- a function of the user's in between is the one that called
    ok, message = pcall(function()
      return 1, cp.apply_along_axis(function(v) return v:sum(4) + 0 end, 1, cp.ones({ 2, 2 }))
    end)
    assert.is_false(ok)
    assert.truthy(message:find "cupola%.sum: axis 4", message)
  end)
end)
