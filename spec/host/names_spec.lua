-- Every public function names itself in the error for arguments that it cannot take, and none of Lua's own
-- errors is passed on.

local cp = require "cupola"
local check = require "spec.helper.check"
local public = require "spec.helper.public"

local unpack = table.unpack or unpack -- luacheck: ignore

-- These do something to the whole program, read raw memory or print.
local LEFT_OUT = {}
for name in ([[
  collect memory record show_config synchronize from_dlpack from_pointer set_default_dtype deterministic checks
  fusion set_printoptions import export savez savez_compressed cuda.set_allocator
  cuda.set_pinned_memory_allocator cuda.nccl.init cuda.nccl.group_start cuda.nccl.group_end
  cuda.nvtx.RangePush cuda.nvtx.RangePop cuda.nvtx.Mark cuda.runtime.setDevice cuda.allow_tf32 cuda.nccl.init_all
  cuda.runtime.memcpy cuda.runtime.memcpyAsync cuda.runtime.memset cuda.runtime.memsetAsync cuda.runtime.memcpyPeer
  cuda.runtime.memcpyPeerAsync cuda.runtime.streamSynchronize cuda.runtime.streamQuery cuda.runtime.streamWaitEvent
  cuda.ExternalStream random.seed plot.line plot.scatter plot.bar plot.hist plot.heatmap plot.image
]]):gmatch "%S+" do
  LEFT_OUT[name] = true
end

local FILES = { file = true, fname = true, path = true, source = true, target = true }

local function nothing() end

-- Values that are wrong in most places. x: an array.
local function bad_values(x)
  local list = { {}, "x", nothing, string.rep, io.stdout, coroutine.create(nothing), 1e300, 0 / 0, true, -1, 0.5, x, 2,
    "float32", { x }, { {} }, { 1, "x" }, { 0 / 0 }, { false }, { no_such_name = 1 }, { 1, name = 2 }, cp.complex(1, 2),
    x:astype "complex64", x:gt(2), cp.cpu.zeros { 0, 3 }, cp.device "cpu" }
  if rawget(_G, "jit") then
    local ffi = require "ffi"
    for _, v in ipairs { ffi.new "int[3]", ffi.new "struct { int a; }", ffi.new("int64_t", 5) } do
      list[#list + 1] = v
    end
    list[#list + 1] = ffi.cast("void *", 0)
  end
  return list
end

local function is_callback(name) -- names of what a call may call back
  return name == "index" or name == "device" or name == "f" or name == "Stream.callback"
end

-- What is wrong with a message, or nil.
local function fault(entry, message)
  local name = public.named(message)
  if name and (public.is_named(entry, name) or is_callback(name)) then return nil end
  return entry.name .. ": " .. tostring(message)
end

-- Calls f(arguments, count) for each bad value at each place of the entry, with values around it that are
-- right in many places.
local function each_call(entry, f)
  local x = cp.cpu.arange(9, "float64"):reshape(3, 3)
  local values, fills = bad_values(x), { x, 2, "x", nothing, { x, x }, { 2 } }
  local first, turn = entry.object and 1 or 0, #entry.name
  local count = math.max(1, math.min(#entry.parameters, 4)) + first
  for place = 1, count do
    for k = 1, #values do
      turn = turn + 1
      local arguments, total = {}, turn % 2 == 0 and place or count
      for j = 1, total do arguments[j] = fills[turn % #fills + 1] end
      if first == 1 then arguments[1] = entry.object() end
      arguments[place] = values[k]
      f(arguments, total)
    end
  end
end

describe("messages", function()
  it("name the function that was called", function()
    local wrong, seen, before = {}, {}, cp.checks "strict" -- a GPU reports positions out of range later
    local functions = public.functions()
    for k = 1, #functions, check.mode == "gc" and 59 or 1 do -- where each call costs a collection
      local entry = functions[k]
      if LEFT_OUT[entry.name] then entry.parameters, entry.f = {}, nothing end
      local opens = FILES[(entry.parameters[1] or {}).name]
      each_call(entry, function(arguments, total)
        if opens and type(arguments[entry.object and 2 or 1]) == "string" then return end
        local ok, message = public.call(entry.f, unpack(arguments, 1, total))
        local complaint = not ok and fault(entry, message)
        if complaint and not seen[complaint:sub(1, 60)] then
          seen[complaint:sub(1, 60)] = true
          wrong[#wrong + 1] = complaint
        end
      end)
    end
    cp.checks(before)
    while not pcall(cp.cuda.poll) do end -- of functions that were given to Stream:callback
    assert.equal("", table.concat(wrong, "\n"))
  end)

  it("name it if it calls other public functions", function()
    local ok, message = pcall(function() return 1, cp.scipy.special.softmax(cp.ones({ 2 }), 3) end)
    assert.is_false(ok)
    assert.truthy(message:find("names_spec.lua:%d+: cupola%.scipy%.special%.softmax: axis 3 is out of range"), message)
    assert.equal("scipy.special.softmax", cp.last_error().where)
    ok, message = pcall(function() return 1, cp.cpu.trapezoid({ 1, 2 }, 7) end)
    assert.is_false(ok)
    assert.truthy(message:find "cupola%.trapezoid: ", message)
    -- unless the user's function made the failing call
    ok, message = pcall(function()
      return 1, cp.apply_along_axis(function(v) return v:sum(4) + 0 end, 1, cp.ones({ 2, 2 }))
    end)
    assert.is_false(ok)
    assert.truthy(message:find "cupola%.sum: axis 4", message)
  end)
end)
