-- NVRTC, which needs no GPU, compiles what cp.jit generates: a compile error there is a bug.

local cp = require "cupola"
local core = require "cupola.core"
local functions = require "spec.helper.random.functions"
local jit = cp.jit

if _VERSION == "Lua 5.1" then return end -- the same texts as under Lua 5.4

-- Compiles with NVRTC; pending where there is none.
local function compiles(f, ...)
  local ok, message = pcall(f, ...)
  if not ok and tostring(message):find "could not be opened" then return pending "no NVRTC here" end
  assert.is_true(ok, message)
end

local function check_raw(kernel) compiles(core.raw_image, core.jit_declaration(kernel), 90) end

local function check_function(object, ...)
  object(...)
  local spec = core.kernel_spec(core.jit_variant(object), ...)
  for _, strategy in ipairs(spec.nred > 0 and { "warp", "block", "split", "column" } or { "" }) do
    spec.strategy = strategy ~= "" and strategy or nil
    compiles(core.nvrtc_compile, core.generate(spec), 90)
  end
end

describe("NVRTC compiles", function()
  for _, entry in ipairs(dofile "bench/families/jit_kernels.lua") do
    it(entry.name, function()
      local args, _, grid, block = entry.make(entry.sizes[1])
      for _, v in ipairs(entry.steps and entry.steps(entry.sizes[1])[1] or {}) do args[#args + 1] = v end
      local kernel = jit.rawkernel(entry.f)
      kernel(grid, block, args)
      check_raw(kernel)
    end)
  end

  it("every kind of statement, built-in function and dtype", function()
    local text = [[function(x, h, z, b, u, i8, i64, strided)
      local s, t = cp.jit.shared_memory("float16", { 4, 4 }), cp.jit.shared_memory("complex64", 8)
      local own, dynamic = cp.jit.local_array("bool", 4), cp.jit.shared_memory("int32")
      local function two(v) if v > 1 then return v, 1 end return -v, 2 end
      local p, q = two(x[1])
      for k = 1, 10 do
        if k == 5 then goto next end
        s[{ 1, 2 }], t[1], own[2], dynamic[1] = h[1] * 2, z[1] / z[2], b[1], k
        ::next::
      end
      for v = 0.5, 2, p do x[1] = x[1] + v end
      for k = i64[1], i64[2], i64[3] do x[2] = x[2] + k end
      for k in cp.jit.range(1, 8, { unroll = 4 }) do x[k] = cp.sin(x[k]) + cp.exp(h[1]) + math.max(q, k) end
      i8[1] = i8[1] * i8[2] // 3 % 5
      u[1] = (u[1] << 3) | (u[1] >> i64[1])
      x[1] = cp.abs(z[1]) + (i64[1] < u[1] and 1 or 0) + (u[1] <= x[1] and 1 or 0)
      x[2] = (i8[1] < u[1] and 1 or 0) + (h[1] == u[1] and 1 or 0) + (h[1] > i64[1] and 1 or 0)
      i64[2] = cp.jit.atomic_add(i64, 1, 5) + cp.jit.popc(u[1]) + math.floor(x[3]) + cp.jit.clz(i8[1])
      x[4] = cp.jit.atomic_max(x, 1, 2.5) + cp.jit.shfl_xor_sync(-1, x[2], 1) + cp.jit.random(1, 2)
      x[5] = cp.jit.ballot_sync(0xffffffff, b[1]) + cp.jit.syncthreads_count(b[2]) + cp.jit.clock() * 0
      x[6] = strided[{ 2, 1 }] ^ 2 + cp.jit.cg.this_thread_block():thread_rank()
      z[1] = cp.jit.complex128(x[1], 2) * z[2] + 1
      h[2] = cp.jit.float16(x[1]) + h[1] / 3
      repeat local done = cp.jit.any_sync(-1, x[1] > 0) until done or true
      cp.jit.printf("%d %g\n", 1, x[1])
      cp.jit.syncwarp()
      cp.jit.threadfence()
    end]]
    local kernel = jit.rawkernel(text)
    kernel(0, 32, { cp.ones(8), cp.ones(2, "float16"), cp.ones(2, "complex128"), cp.array { true, false },
      cp.ones(1, "uint64"), cp.ones(2, "int8"), cp.ones(3, "int64"), cp.arange(6):reshape(2, 3).T },
        { shared_mem = 64 })
    check_raw(kernel)
  end)

  it("checked kernels", function()
    for _, entry in ipairs(dofile "bench/families/jit_kernels.lua") do
      if entry.name == "matrix product" or entry.name == "histogram" then
        local args, _, grid, block = entry.make(entry.sizes[1])
        local kernel = jit.rawkernel(entry.f, { check = true })
        kernel(grid, block, args)
        check_raw(kernel)
      end
    end
  end)

  it("random functions of all dtypes", function()
    local texts = {}
    for k = 1, 8 do texts[k] = functions.text("f" .. k, functions.typed(4000 + k)) end
    local _, kernel = functions.run(texts, 1, 4001)
    check_raw(kernel)
  end)

  it("chains that call elementwise functions", function()
    local long = jit.elementwise "function(x, y) local s = x for k = 1, 3 do s = s * y + x end return s end"
    local short = jit.elementwise "function(x, y) if x == y then return x, x end return y, x + y end"
    for k, dtype in ipairs { "int8", "float16", "complex64", "float64" } do
      local texts = {}
      for j, f in ipairs { long, short } do
        f(cp.ones(3, dtype), cp.ones(3, dtype))
        texts[j] = core.jit_called(f, j) -- of the second its second result
      end
      local spec = { target = "cuda", ndim = 1, nred = 0, wide = false, vector = k == 2 and 4 or 1, scalars = { dtype },
        leaves = { { dtype = dtype, access = "contiguous" }, { dtype = dtype, access = "contiguous" } },
        functions = texts, instrs = {
          { op = "add", loop = dtype, dtype = dtype, args = { 0, 2 } },
          { op = "call", called = 1, loop = dtype, dtype = dtype, args = { 3, 1 } },
          { op = "call", called = 2, loop = dtype, dtype = dtype, args = { 4, 2 } },
          { op = "multiply", loop = dtype, dtype = dtype, args = { 5, 4 } },
        }, outputs = { { dtype = dtype, access = "contiguous", reg = 6 } } }
      compiles(core.nvrtc_compile, core.generate(spec), 90)
      for _, output in ipairs(spec.outputs) do output.access = "same" end
      spec.nred, spec.red, spec.acc, spec.strategy, spec.value, spec.position = 1, "sum", dtype, "block", 6, -1
      spec.acc = dtype == "float16" and "float32" or dtype
      spec.result = spec.acc
      if k > 2 then compiles(core.nvrtc_compile, core.generate(spec), 90) end
    end
  end)

  it("elementwise functions and reductions of every dtype", function()
    local f = jit.elementwise "function(x, y) local s = x for k = 1, 3 do s = s * y + x end return s, s == x end"
    local sum = jit.reduction { map = "function(x) return x * x end", reduce = "function(a, b) return a + b end",
      identity = 0, post = "function(a) return a end" }
    for _, dtype in ipairs(core.dtypes()) do
      if dtype ~= "bool" then
        check_function(f, cp.ones(33, dtype), cp.ones(33, dtype))
      end
    end
    for _, dtype in ipairs { "int8", "float16", "complex64" } do check_function(sum, cp.ones({ 5, 7 }, dtype)) end
  end)
end)
