-- Memory shared with others: DLPack capsules and addresses.

local cp = require "cupola"
local check = require "spec.helper.check"

local function collect()
  collectgarbage()
  collectgarbage()
  cp.collect()
end

local DTYPES = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
}

describe("dlpack", function()
  it("hands memory over without a copy, for every dtype", function()
    for _, dtype in ipairs(DTYPES) do
      local x = cp.arange(6):astype(dtype):reshape(2, 3)
      local y = cp.from_dlpack(x:dlpack())
      assert.equal(dtype, y.dtype)
      assert.equal(x.device, y.device)
      assert.truthy(y.shape == x.shape and y == x)
      y:fill(1)
      assert.truthy(x == cp.ones({ 2, 3 }, dtype))
    end
  end)

  it("keeps strides, and takes 0-d and empty arrays", function()
    local x = cp.arange(24, "float32"):reshape(2, 3, 4)
    for _, v in ipairs { x.T, x["::-1, :, ::2"], x["1, 2"], x["2, 3, 4:3"], cp.array(5) } do
      local y = cp.from_dlpack(v:dlpack())
      assert.truthy(y.shape == v.shape and y == v)
      if v.size > 1 then assert.truthy(y.strides == v.strides) end
    end
  end)

  it("computes pending values first, and keeps pending values that read them right", function()
    local x = cp.ones(5, "float32") * 3
    local later = x + 1
    local y = cp.from_dlpack(x:dlpack())
    y:fill(0)
    assert.same({ 4, 4, 4, 4, 4 }, later:totable())
    assert.same({ 0, 0, 0, 0, 0 }, x:totable())
  end)

  it("lets the memory live as long as anything uses it", function()
    collect()
    local before = cp.memory().state_live
    local x = cp.ones({ 1000, 100 }, "float64"):eval()
    local y = cp.from_dlpack(x:dlpack())
    x:free()
    local part = y[{ {}, 1 }]
    y = nil -- luacheck: ignore
    collect()
    assert.equal(1000, part:sum():item())
    part = nil -- luacheck: ignore
    collect()
    assert.equal(before, cp.memory().state_live)
  end)

  it("frees a capsule that nobody consumes, and can be consumed once", function()
    collect()
    local before = cp.memory().state_live
    local capsule = cp.ones(1000):dlpack()
    assert.equal("number", type(capsule.ptr))
    assert.equal("DLPack tensor", tostring(capsule))
    capsule = nil -- luacheck: ignore
    collect()
    assert.equal(before, cp.memory().state_live)
    local released = cp.ones(1000):dlpack()
    local address = released:release()
    assert.equal("number", type(address))
    assert.is_nil(released.ptr)
    check.failure("usage", "dlpack: the tensor was already consumed", function() local _ = released:release() end)
    released = nil -- luacheck: ignore
    collect()
    assert.is_true(cp.memory().state_live > before)
    local x = cp.from_dlpack(address)
    assert.equal(1000, x:sum():item())
    x:free()
    collect()
    assert.equal(before, cp.memory().state_live)
    local taken = cp.ones(3):dlpack()
    cp.from_dlpack(taken)
    assert.is_nil(taken.ptr)
    local function again() local _ = cp.from_dlpack(taken) end
    check.failure("usage", "from_dlpack: the tensor was already consumed", again)
  end)

  it("may be renamed again when the last tensor is back", function()
    local x = cp.ones(1000, "float32")
    local tensors = { x:dlpack(), x:dlpack() } -- luacheck: ignore
    local function renames() return check.counted(function() local y = x + 1; x:fill(2); return y end).renames end
    assert.equal(0, renames()) -- a value on borrowed memory is computed at once
    tensors[1], tensors[2] = nil, nil
    collect()
    local waits = cp.fusion() and os.getenv "CUPOLA_FUSION" ~= "force"
    assert.equal(waits and 1 or 0, renames())
  end)

  -- The address of a DLManagedTensor of two elements, written by hand; fields changes it.
  local function tensor(fields)
    local data, lengths = cp.cpu.array({ 7, 8 }, "float32"), cp.cpu.array({ 2 }, "int64")
    local f = { data = data.data.ptr, device = 1, device_id = 0, ndim = 1, code = 2, bits = 32, lanes = 1,
      shape = lengths.data.ptr, strides = 0, offset = 0 }
    for name, v in pairs(fields or {}) do f[name] = v end
    local words = cp.cpu.array({ f.data, f.device + f.device_id * 2 ^ 32,
      f.ndim + (f.code + f.bits * 2 ^ 8 + f.lanes * 2 ^ 16) * 2 ^ 32, f.shape, f.strides, f.offset, 0, 0 }, "int64")
    return words.data.ptr, { data, lengths, words }
  end

  it("takes the tensors of others", function()
    local ptr, keep = tensor()
    local x = cp.from_dlpack(ptr)
    assert.same({ 7, 8 }, x:totable())
    assert.equal("cpu", x.device)
    x:fill(3)
    assert.same({ 3, 3 }, keep[1]:totable())
  end)

  it("refuses tensors of unknown dtypes and devices", function()
    for fact, fields in pairs {
      ["code 2, 24 bits"] = { bits = 24 },
      ["4 lanes"] = { lanes = 4 },
      ["another kind (DLPack type 7)"] = { device = 7 },
      ["no memory"] = { data = 0 },
      ["the tensor has no shape"] = { shape = 0 },
      ["elements of float32 must lie at"] = { offset = 2 },
      ["500 dimensions"] = { ndim = 500 },
      ["code 3, 64 bits"] = { code = 3, bits = 64 }, -- an opaque handle
      ["code 10, 8 bits"] = { code = 10, bits = 8 }, -- a float of 8 bits
    } do
      local ptr, keep = tensor(fields)
      local ok, message = pcall(cp.from_dlpack, ptr)
      assert.is_false(ok, fact)
      assert.truthy(message:find("cupola.from_dlpack: ", 1, true), message)
      assert.truthy(message:find(fact, 1, true), message .. " lacks " .. fact)
      assert.equal(3, #keep)
    end
  end)

  -- The ten words of a DLManagedTensorVersioned: version, context, deleter, flags, a DLTensor of six words.
  local function versioned(major, flags)
    local data, lengths = cp.cpu.array({ 7, 8 }, "float32"), cp.cpu.array({ 2 }, "int64")
    local words = cp.cpu.array({ major, 0, 0, flags, data.data.ptr, 1, 1 + (2 + 32 * 2 ^ 8 + 2 ^ 16) * 2 ^ 32,
      lengths.data.ptr, 0, 0 }, "int64")
    return words.data.ptr, { data, lengths, words }
  end

  it("takes the tensors of DLPack 1, which may be read-only", function()
    local ptr, keep = versioned(1, 0)
    local x = cp.from_dlpack(ptr, { versioned = true })
    x:fill(3)
    assert.same({ 3, 3 }, keep[1]:totable())
    ptr, keep = versioned(1 + 7 * 2 ^ 32, 1) -- of version 1.7
    x = cp.from_dlpack(ptr, { versioned = true })
    assert.same({ 7, 8 }, x:totable())
    assert.is_false(x.flags.writeable)
    check.failure("usage", "fill: the array is a broadcast view", function() x:fill(3) end)
    assert.same({ 7, 8 }, keep[1]:totable())
    local newer = versioned(2 + 5 * 2 ^ 32, 0)
    check.failure("usage", "from_dlpack: the tensor is of DLPack 2.5; only versions 1.x are supported",
      function() local _ = cp.from_dlpack(newer, { versioned = true }) end)
  end)

  it("gives tensors of DLPack 1 to consumers that know them", function()
    local x = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32")
    local v = x[{ {}, { 3, 1, -1 } }]
    for _, version in ipairs { { 1, 0 }, { 1, 1 }, { 2, 0 } } do
      local capsule = v:dlpack(version)
      assert.is_true(capsule.versioned)
      local words = cp.from_pointer(capsule.ptr, 10, "int64", nil, "cpu"):totable()
      assert.same({ 1, 0, x.data.ptr + 8 }, { words[1], words[4], words[5] })
      local shape = cp.from_pointer(words[8], 2, "int64", nil, "cpu")
      local strides = cp.from_pointer(words[9], 2, "int64", nil, "cpu")
      assert.same({ { 2, 3 }, { 3, -1 } }, { shape:totable(), strides:totable() })
      local y = cp.from_dlpack(capsule)
      assert.is_true(y == v and cp.shares_memory(x, y))
    end
    for _, version in ipairs { { 0, 8 }, false } do
      local capsule = v:dlpack(version or nil)
      assert.is_false(capsule.versioned)
      assert.is_true(cp.from_dlpack(capsule) == v)
    end
    local wide = cp.broadcast_to(x[1], { 4, 3 })
    assert.is_false(cp.from_dlpack(wide).flags.writeable)
    check.failure("usage", "dlpack: max_version must be a table such as {1, 0}, not number",
      function() local _ = x:dlpack(1) end)
  end)

  it("copies where it is told to, and where the device asks for it", function()
    local x = cp.arange(4)
    local copied = x:dlpack { copy = true, max_version = { 1, 0 } }
    assert.equal(2, cp.from_pointer(copied.ptr, 4, "int64", nil, "cpu")[4]) -- the flag of copies
    local y = cp.from_dlpack(copied)
    assert.is_true(y == x and not cp.shares_memory(x, y))
    assert.is_false(cp.shares_memory(x, cp.from_dlpack(x, { copy = true })))
    assert.is_true(cp.shares_memory(x, cp.from_dlpack(x, { copy = false })))
    assert.is_true(cp.shares_memory(x, cp.from_dlpack(x:dlpack { copy = false }, { device = x.device })))
    local there = cp.from_dlpack(x, { device = "cpu" })
    assert.same({ "cpu", 3 }, { there.device, there[4] })
    assert.equal("cpu", cp.from_dlpack(x:dlpack { device = "cpu" }).device)
    if x.device ~= "cpu" then
      check.failure("usage", "from_dlpack: copy is false",
        function() cp.from_dlpack(x, { device = "cpu", copy = false }) end)
      check.failure("usage", "dlpack: copy is false", function() x:dlpack { device = "cpu", copy = false } end)
    end
  end)

  it("refuses what is no tensor", function()
    check.failure("usage", "from_dlpack: tensor must be an address", function() local _ = cp.from_dlpack("x") end)
    check.failure("usage", "from_dlpack: there cannot be a tensor at the address 12345, which is not a multiple of 8",
      function() local _ = cp.from_dlpack(12345) end)
    check.failure("usage", "from_dlpack: tensor is -1, which is not an", function() local _ = cp.from_dlpack(-1) end)
    check.failure("usage", "from_dlpack: tensor is a nil pointer", function() local _ = cp.from_dlpack(0) end)
    local x = cp.ones(2)
    x:free()
    check.failure("usage", "dlpack: the array", function() local _ = x:dlpack() end)
  end)
end)

describe("from_pointer", function()
  it("reads and writes the memory of the address", function()
    local x = cp.arange(6, "int32")
    local y = cp.from_pointer(x.data, { 2, 3 }, "int32", { owner = x })
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, y:totable())
    y[{ 2, 1 }] = 70
    assert.equal(70, x[4])
    local odd = cp.from_pointer(x.data.ptr + 4, 3, "int32", { strides = { 8 } })
    assert.same({ 1, 70 + 0, 5 }, { odd[1], x[4], odd[3] })
    local back = cp.from_pointer(x.data.ptr + 20, 6, "int32", nil, nil, { -4 })
    assert.same({ 5, 4, 70, 2, 1, 0 }, back:totable())
  end)

  it("keeps its owner alive until it is freed", function()
    local gone = false
    local x = cp.ones(100)
    local owner = setmetatable({ x = x }, { __gc = function() gone = true end })
    local y = cp.from_pointer(x.data, 100, "float64", owner)
    x, owner = nil, nil -- luacheck: ignore
    collect()
    assert.equal(100, y:sum():item())
    assert.is_false(gone)
    y = nil -- luacheck: ignore
    collect()
    collect()
    if _VERSION ~= "Lua 5.1" then assert.is_true(gone) end -- tables of 5.1 and LuaJIT have no __gc
  end)

  it("releases its owner once, however often it is freed", function()
    local x, gone = cp.ones(100), 0
    local owner = check.owner(function() gone = gone + 1 end)
    local y = cp.from_pointer(x.data, 100, "float64", owner)
    local part = y["1:10"]
    owner = nil -- luacheck: ignore
    y:free()
    y:free()
    part:free()
    collect()
    collect()
    assert.equal(1, gone)
    check.failure("usage", "add: the array's memory was freed", function() local _ = y + 1 end)
    check.failure("usage", "add: the array's memory was freed", function() local _ = part + 1 end)
    y, part = nil, nil -- luacheck: ignore
    collect()
    collect()
    assert.equal(1, gone)
    assert.equal(100, x:sum():item())
  end)

  it("refuses nil and other values", function()
    check.failure("usage", "from_pointer: ptr is a nil pointer", function() local _ = cp.from_pointer(0, 3) end)
    check.failure("usage", "from_pointer: ptr is missing", function() local _ = cp.from_pointer(nil, 3) end)
    check.failure("usage", "from_pointer: ptr is -8, which is not an", function() local _ = cp.from_pointer(-8, 3) end)
    check.failure("usage", "from_pointer: ptr is 1152921504606846976, which is not an address",
      function() local _ = cp.from_pointer(2 ^ 60, 3) end)
    check.failure("dtype", "from_pointer: no dtype 'text'", function() local _ = cp.from_pointer(8, 3, "text") end)
    check.failure("usage", "from_pointer: ptr must be an address", function() local _ = cp.from_pointer("x", 3) end)
    local p = cp.ones(8):eval().data.ptr
    local function odd(dtype) return function() local _ = cp.from_pointer(p + 2, 2, dtype) end end
    check.failure("usage", "from_pointer: elements of float32 must lie at an address that is a multiple of 4",
      odd "float32")
    check.failure("usage", "from_pointer: elements of complex64 must lie", odd "complex64")
    assert.equal("int16", cp.from_pointer(p + 2, 2, "int16").dtype)
    assert.equal("complex128", cp.from_pointer(p + 8, 2, "complex128").dtype)
    local three = { strides = { 3 } }
    check.failure("usage", "from_pointer: elements of int32 cannot lie 3 bytes apart",
      function() local _ = cp.from_pointer(p, 2, "int32", three) end)
    local one = { strides = { 1 } }
    local function short() local _ = cp.from_pointer(8, { 2, 2 }, "int8", one) end
    check.failure("shape", "from_pointer: strides must be", short)
  end)
end)
