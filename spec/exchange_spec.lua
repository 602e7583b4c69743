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

  it("computes pending values first, and leaves their readers right", function()
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

  it("gives back what nobody takes, and is consumed once", function()
    collect()
    local before = cp.memory().state_live
    local capsule = cp.ones(1000):dlpack()
    assert.equal("number", type(capsule.ptr))
    assert.equal("DLPack tensor", tostring(capsule))
    capsule = nil -- luacheck: ignore
    collect()
    assert.equal(before, cp.memory().state_live)
    local taken = cp.ones(3):dlpack()
    cp.from_dlpack(taken)
    assert.is_nil(taken.ptr)
    local function again() local _ = cp.from_dlpack(taken) end
    check.failure("usage", "from_dlpack: the tensor was consumed already", again)
  end)

  it("may be renamed again when the last tensor is back", function()
    local x = cp.ones(1000, "float32")
    local tensors = { x:dlpack(), x:dlpack() } -- luacheck: ignore
    local function renames() return check.counted(function() local y = x + 1; x:fill(2); return y end).renames end
    assert.equal(0, renames()) -- a value on foreign memory is computed at once
    tensors[1], tensors[2] = nil, nil
    collect()
    local waits = cp.fusion() and os.getenv "CUPOLA_FUSION" ~= "force"
    assert.equal(waits and 1 or 0, renames())
  end)

  it("refuses what is no tensor", function()
    check.failure("usage", "from_dlpack: tensor must be an address", function() local _ = cp.from_dlpack("x") end)
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

  it("keeps its owner alive and lets it go", function()
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

  it("refuses nil and other values", function()
    check.failure("usage", "from_pointer: ptr is a nil pointer", function() local _ = cp.from_pointer(0, 3) end)
    check.failure("usage", "from_pointer: ptr must be an address", function() local _ = cp.from_pointer("x", 3) end)
    local one = { strides = { 1 } }
    local function short() local _ = cp.from_pointer(8, { 2, 2 }, "int8", one) end
    check.failure("shape", "from_pointer: strides must be", short)
  end)
end)
