-- Page-locked host memory: arrays in it, copies between it and devices, a device's arrays on it, and raw
-- memory of cp.cuda.runtime. Without a GPU the same functions work on ordinary memory.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values = check.failure, check.values
local runtime = cp.cuda.runtime
local gpu = cp.cuda.is_available()
local device = cp.device().name

-- A copy of x, a CPU array, on the device.
local function moved(x) return device == "cpu" and x:copy() or x:to(device) end

local function equal(x, y) return cp.cpu.array_equal(x, y) end

describe("an array in page-locked memory", function()
  it("has the shape, dtype and order asked for", function()
    local x = cp.empty_pinned({ 3, 4 }, "float32")
    assert.same({ 3, 4 }, x.shape)
    assert.equal("float32", x.dtype)
    assert.equal("cpu", x.device)
    assert.same({ 16, 4 }, x.strides)
    x = cp.zeros_pinned({ 2, 3 }, { dtype = "int16", order = "F" })
    assert.same({ 2, 4 }, x.strides)
    assert.same({ { 0, 0, 0 }, { 0, 0, 0 } }, values(x))
    assert.same({ 5 }, cp.zeros_pinned(5).shape)
    assert.equal(cp.get_default_dtype(), cp.zeros_pinned(5).dtype)
    assert.equal(0, cp.empty_pinned({ 0, 3 }).size)
    assert.equal(0, cp.zeros_pinned({}):item())
    local like = cp.empty_like_pinned(x)
    assert.same({ 2, 4 }, like.strides)
    assert.equal("int16", like.dtype)
    like = cp.zeros_like_pinned(cp.ones({ 2, 2 }), "bool")
    assert.equal("cpu", like.device)
    assert.same({ { false, false }, { false, false } }, values(like))
    assert.same({ 7 }, cp.zeros_like_pinned({ 1, 2 }, { shape = 7 }).shape)
  end)

  it("is recognized, and so are its views", function()
    local x = cp.zeros_pinned({ 4, 4 })
    assert.same({ true, gpu }, { cp.cuda.is_pinned(x) })
    assert.same({ true, gpu }, { cp.cuda.is_pinned(x[2]) })
    assert.same({ false, false }, { cp.cuda.is_pinned(cp.cpu.zeros(3)) })
    assert.same({ false, false }, { cp.cuda.is_pinned(x + 1) })
  end)

  it("computes like any array, and is never moved", function()
    local x = cp.zeros_pinned({ 100 })
    local address = x.data.ptr
    local y = x + 1
    x:assign(cp.cpu.arange(100))
    x:mul_(2)
    x[{ { 1, 2 } }] = 7
    assert.equal(100, y:sum():item())
    assert.same({ 7, 7, 4, 6 }, values(x[{ { 1, 4 } }]))
    assert.equal(address, x.data.ptr)
    assert.is_true((cp.cuda.is_pinned(x)))
  end)

  it("is allocated from its pool and freed to it", function()
    local pool = cp.get_default_pinned_memory_pool()
    collectgarbage()
    collectgarbage()
    pool:free_all_blocks()
    local used, kept = pool:used_bytes(), pool:n_free_blocks()
    local x = cp.empty_pinned({ 1000 }, "uint8")
    assert.equal(used + 1024, pool:used_bytes())
    x:free()
    assert.equal(used, pool:used_bytes())
    assert.equal(kept + 1, pool:n_free_blocks())
    pool:free_all_blocks()
    used = pool:used_bytes()
    local own = cp.cuda.PinnedMemoryPool()
    cp.cuda.set_pinned_memory_allocator(own)
    local y = cp.cuda.alloc_pinned_memory(2000)
    cp.cuda.set_pinned_memory_allocator()
    assert.equal(2048, own:used_bytes())
    assert.equal(used, pool:used_bytes())
    assert.same({ 2000 }, y.shape)
    assert.equal("uint8", y.dtype)
    assert.matches("^cupola memory pool %(pinned, cpu%)", tostring(own))
  end)

  it("names the argument that is wrong", function()
    failure("usage", "empty_pinned: shape must", function() cp.empty_pinned("x") return 1 end)
    failure("dtype", "zeros_pinned: ", function() cp.zeros_pinned({ 2 }, "float31") return 1 end)
    failure("usage", "zeros_pinned: order must be one of the letters CF",
      function() cp.zeros_pinned({ 2 }, { order = "X" }) return 1 end)
    failure("usage", "cuda.alloc_pinned_memory: nbytes must not be negative",
      function() cp.cuda.alloc_pinned_memory(-3) return 1 end)
  end)
end)

describe("copies from and to page-locked memory", function()
  it("keep the values, on every device", function()
    for _, n in ipairs { 1, 1000, 100003, 1500000 } do
      local x = cp.empty_pinned({ n }, "float32")
      x:assign(cp.cpu.arange(n, "float32"))
      local y = moved(x)
      local z = cp.empty_pinned({ n }, "float32")
      z:assign(y + 1)
      assert.equal(n, z[-1])
      assert.equal(1, z[1])
      assert.is_true(equal(z, cp.cpu.arange(n, "float32") + 1))
    end
  end)

  it("come after the last write before them, and before the next one", function()
    local x, y, z = cp.empty_pinned({ 300000 }), cp.empty({ 300000 }), cp.empty_pinned({ 300000 })
    local sum = cp.zeros({ 300000 })
    for step = 1, 20 do
      x:fill(step) -- waits for the copy of the previous round
      y:assign(x)
      sum:add_(y)
      z:assign(sum)
      if step % 5 == 0 then
        assert.equal(step * (step + 1) / 2, z[-1]) -- waits for the copy above
        assert.equal(step * (step + 1) / 2, z[1])
      end
    end
    assert.equal(210, z:min():item())
  end)

  it("are ordered on several streams", function()
    local up, down = cp.cuda.Stream(), cp.cuda.Stream()
    local x, z = cp.empty_pinned({ 200000 }, "float32"), cp.empty_pinned({ 200000 }, "float32")
    local y = cp.zeros({ 200000 }, "float32")
    for step = 1, 10 do
      x:fill(step)
      up:with(function() y:assign(x) end)
      local doubled = y * 2
      down:with(function() z:assign(doubled) end)
      assert.equal(2 * step, z[100000])
    end
    assert.equal(20, z:min():item())
  end)

  it("may be freed at once", function()
    local out = {}
    for k = 1, 20 do
      local x = cp.empty_pinned({ 50000 }, "float32")
      x:fill(k)
      out[k] = moved(x)
      x:free()
    end
    for k = 1, 20 do
      assert.equal(k * 50000, out[k]:sum():item())
    end
  end)

  it("broadcast, cast and go into views as an assignment does", function()
    local m = cp.zeros({ 3, 4 }, "float64")
    local row = cp.zeros_pinned({ 4 }, "int32")
    row:assign({ 1, 2, 3, 4 })
    m:assign(row)
    assert.same({ { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, values(m))
    m["2,1:-1:2"] = cp.zeros_pinned({ 2 })
    assert.same({ 0, 2, 0, 4 }, values(m[2]))
    local back = cp.zeros_pinned({ 4, 3 })
    back:assign(m.T)
    assert.same({ { 1, 0, 1 }, { 2, 2, 2 }, { 3, 0, 3 }, { 4, 4, 4 } }, values(back))
    back["1:2,1"] = m[{ 1, { 1, 2 } }]
    assert.same({ 1, 2, 3, 4 }, values(back["1:4,1"]))
    failure("shape", "assign: shape (4) does not broadcast into (3)",
      function() cp.zeros({ 3 }):assign(row) return 1 end)
    failure("dtype", "assign: cannot write ",
      function() cp.zeros({ 4 }, "int32"):assign(cp.zeros_pinned(4)) return 1 end)
  end)

  it("do not touch what was pending on the target", function()
    local x, y = cp.zeros_pinned({ 1000 }), cp.ones({ 1000 })
    local z = y + 1
    y:assign(x)
    assert.equal(2000, z:sum():item())
    assert.equal(0, y:sum():item())
    local later = x + 5
    x:assign(cp.full({ 1000 }, 3.0))
    assert.equal(5000, later:sum():item())
    assert.equal(3000, x:sum():item())
  end)

  it("are waited for by x.data, printing, tables and files", function()
    local x, y = cp.zeros_pinned({ 3 }), cp.array({ 1, 2, 3 })
    x:assign(y)
    assert.matches("1. 2. 3.", tostring(x), 1, true)
    x:assign(y + 1)
    assert.same({ 2, 3, 4 }, x:totable())
    x:assign(y + 2)
    assert.equal(cp.cpu.array({ 3, 4, 5 }):tobytes(), x:tobytes())
    x:assign(y + 3)
    local view = cp.from_pointer(x.data.ptr, { 3 }, "float64", x, "cpu")
    assert.same({ 4, 5, 6 }, values(view))
  end)

  it("get(out) fills an array", function()
    local y = cp.arange(5, "float32")
    local out = cp.empty_pinned(5, "float32")
    assert.equal(out, y:get { out = out, blocking = false })
    assert.same({ 0, 1, 2, 3, 4 }, values(out))
    local plain = cp.cpu.zeros(5, "float32")
    assert.equal(plain, (y + 1):get(plain))
    assert.same({ 1, 2, 3, 4, 5 }, values(plain))
    assert.same({ 0, 1, 2, 3, 4 }, values(y:get()))
    failure("shape", "get: ", function() y:get(cp.cpu.zeros(3, "float32")) return 1 end)
    failure("usage", "get: out must be an array, not number", function() y:get(3) return 1 end)
  end)
end)

describe("copies through plain memory", function()
  it("keep the values whatever their size, and leave the source free at once", function()
    for _, n in ipairs { 1, 8000, 8193, 300000, 524288, 1048577, 2500001 } do
      local x = cp.cpu.arange(n, "float32"):copy()
      local y = moved(x)
      x:fill(-1)
      assert.equal(n - 1, y[-1])
      local back = y:cpu()
      assert.is_true(equal(back, cp.cpu.arange(n, "float32")), tostring(n))
    end
  end)

  it("come in order one after the other", function()
    local x, out = cp.cpu.empty({ 400000 }, "float32"), {}
    for k = 1, 12 do
      x:fill(k)
      out[k] = moved(x) * 2
    end
    for k = 1, 12 do
      assert.equal(2 * k, out[k]:min():item())
      assert.equal(2 * k, out[k]:max():item())
    end
  end)
end)

describe("zero_copy", function()
  it("gives an array of the device on the host's memory", function()
    local x = cp.zeros_pinned({ 2, 3 }, "float32")
    local y = cp.cuda.zero_copy(x)
    assert.equal(device, y.device)
    y:add_(5)
    y[{ 1, 2 }] = 7
    cp.synchronize()
    assert.same({ { 5, 7, 5 }, { 5, 5, 5 } }, values(x))
    x:fill(1)
    assert.equal(6, y:sum():item())
    local column = cp.cuda.zero_copy(x[":,2"])
    column:fill(4)
    cp.synchronize()
    assert.same({ { 1, 4, 1 }, { 1, 4, 1 } }, values(x))
    local kept = cp.cuda.zero_copy(cp.zeros_pinned({ 100 }))
    collectgarbage()
    collectgarbage()
    assert.equal(0, kept:sum():item())
  end)

  it("needs page-locked memory", function()
    failure("usage", "zero_copy: x must lie in page-locked memory: make it with cp.empty_pinned",
      function() cp.cuda.zero_copy(cp.cpu.zeros(3)) return 1 end)
  end)
end)

describe("raw memory", function()
  it("of the host is page-locked, and copied by address", function()
    local n = 1000
    local ptr = runtime.hostAlloc(4 * n)
    local host = cp.from_pointer(ptr, { n }, "float32", nil, "cpu")
    host:assign(cp.cpu.arange(n, "float32"))
    local x = cp.zeros({ n }, "float32")
    local stream, there = cp.cuda.Stream(), x.data.ptr -- which begins to fill x, on another stream
    cp.synchronize()
    runtime.memcpyAsync(there, ptr, 4 * n, runtime.memcpyHostToDevice, stream)
    stream:synchronize()
    assert.equal(n * (n - 1) / 2, x:sum():item())
    x:mul_(2)
    runtime.memcpy(ptr, x.data.ptr, 4 * n, runtime.memcpyDeviceToHost)
    assert.equal(2 * (n - 1), host[-1])
    assert.equal(ptr, runtime.hostGetDevicePointer(ptr))
    runtime.freeHost(ptr)
    runtime.freeHost(runtime.hostAlloc(64, runtime.hostAllocWriteCombined))
    runtime.freeHost(0)
  end)

  it("of devices is plain, managed, or in the order of a stream", function()
    local stream = cp.cuda.Stream()
    for _, name in ipairs { "malloc", "mallocManaged", "mallocAsync" } do
      local ptr = runtime[name](800)
      runtime.memset(ptr, 1, 800)
      assert.equal(257, cp.from_pointer(ptr, { 400 }, "int16")[-1])
      runtime.free(ptr)
    end
    local ptr = runtime.mallocAsync(800, stream)
    runtime.memsetAsync(ptr, 2, 800, stream)
    local x = cp.zeros({ 800 }, "uint8")
    cp.synchronize() -- leaves x as it is; its address is given when it is filled
    runtime.memcpyAsync(x.data.ptr, ptr, 800, nil, stream)
    runtime.freeAsync(ptr, stream)
    stream:synchronize()
    assert.equal(1600, x:sum():item())
  end)

  it("is freed once, by its own function", function()
    local ptr, host = runtime.malloc(16), runtime.hostAlloc(16)
    failure("usage", "cuda.runtime.freeHost: ptr is memory for free", function() runtime.freeHost(ptr) return 1 end)
    failure("usage", "cuda.runtime.free: ptr is memory for freeHost", function() runtime.free(host) return 1 end)
    runtime.free(ptr)
    runtime.freeHost(host)
    failure("usage", "cuda.runtime.free: ", function() runtime.free(ptr) return 1 end)
    failure("usage", "cuda.runtime.freeHost: ", function() runtime.freeHost(host) return 1 end)
    assert.matches("already freed", cp.last_error().message)
    failure("usage", "cuda.runtime.freeAsync: ", function() runtime.freeAsync(12345) return 1 end)
    failure("usage", "cuda.runtime.malloc: size must not be negative", function() runtime.malloc(-1) return 1 end)
    failure("usage", "cuda.runtime.hostAlloc: flags must be a sum", function() runtime.hostAlloc(8, 99) return 1 end)
  end)
end)
