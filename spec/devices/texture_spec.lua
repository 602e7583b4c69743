-- cp.cuda.texture and CUDA arrays of cp.cuda.runtime on the current device. The reference is written here:
-- what the CUDA C++ Programming Guide says of fetching, in double precision.

local cp = require "cupola"

local cpu, runtime, texture = cp.cpu, cp.cuda.runtime, cp.cuda.texture
local on_cpu = cp.device().name == "cpu"

-- Asserts that f(...) fails with an error of this kind whose message contains the text.
local function failure(kind, text, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.truthy(tostring(message):find(text, 1, true), message)
  assert.equal(kind, cp.last_error().kind)
end

local KINDS = { int8 = { 8, 0 }, int16 = { 16, 0 }, int32 = { 32, 0 }, uint8 = { 8, 1 }, uint16 = { 16, 1 },
  uint32 = { 32, 1 }, float16 = { 16, 2 }, float32 = { 32, 2 } }

local function format_of(dtype, channels)
  local bits, kind = KINDS[dtype][1], KINDS[dtype][2]
  return texture.ChannelFormatDescriptor(bits, channels > 1 and bits or 0, channels > 2 and bits or 0,
    channels > 2 and bits or 0, kind)
end

-- A CUDA array with the elements of x; lengths from the last axis on.
local function array_of(x, channels, flags)
  channels = channels or 1
  local s = x.shape
  local n = #s
  local a = texture.CUDAarray(format_of(x.dtype, channels), s[n] / channels, s[n - 1] or 0, s[n - 2] or 0, flags)
  a:copy_from(x)
  return a
end

local function texture_of(a, options)
  return texture.TextureObject(texture.ResourceDescriptor(runtime.resourceTypeArray, a),
    texture.TextureDescriptor(options))
end

local SOURCE = [[
extern "C" __global__ void at1(cudaTextureObject_t t, const float *x, float *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = tex1D<float>(t, x[i]);
}
extern "C" __global__ void at2(cudaTextureObject_t t, const float *x, const float *y, float *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = tex2D<float>(t, x[i], y[i]);
}
extern "C" __global__ void at3(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = tex3D<float>(t, x[i], y[i], z[i]);
}
extern "C" __global__ void rows4(cudaTextureObject_t t, float *r, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  float4 v = tex2D<float4>(t, i % w + 0.5f, i / w + 0.5f);
  r[4 * i] = v.x, r[4 * i + 1] = v.y, r[4 * i + 2] = v.z, r[4 * i + 3] = v.w;
}
extern "C" __global__ void whole(cudaTextureObject_t t, int *r, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h) r[i] = tex2D<int>(t, i % w, i / w);
}
extern "C" __global__ void bytes(cudaTextureObject_t t, int *r, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h) r[i] = tex2D<unsigned char>(t, i % w, i / w);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, float *r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = tex1Dfetch<float>(t, i - 1);
}
extern "C" __global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % w, y = i / w;
  if (i >= w * h) return;
  float2 v;
  surf2Dread(&v, from, x * 8, y);
  surf2Dwrite(make_float2(v.y, v.x + 1), to, (w - 1 - x) * 8, y);
}
extern "C" __global__ void edges(cudaSurfaceObject_t s, int *r) {
  r[0] = surf2Dread<int>(s, -4, 0, cudaBoundaryModeZero);
  r[1] = surf2Dread<int>(s, -4, 0, cudaBoundaryModeClamp);
  r[2] = surf2Dread<int>(s, 400, 100, cudaBoundaryModeClamp);
  surf2Dwrite<int>(77, s, 400, 0, cudaBoundaryModeZero);
  surf2Dwrite<int>(78, s, 400, 0, cudaBoundaryModeClamp);
}
extern "C" __global__ void outside(cudaSurfaceObject_t s) { surf2Dwrite<int>(1, s, 4000, 0); }
extern "C" __global__ void boxes(cudaSurfaceObject_t s, cudaSurfaceObject_t row) {
  surf3Dwrite<short>((short)(surf3Dread<short>(s, 2 * threadIdx.x, 1, 1) * 2), s, 2 * threadIdx.x, 0, 0);
  surf1Dwrite<short>((short)threadIdx.x, row, 2 * threadIdx.x);
}
]]
local module
local function kernel(name)
  module = module or cp.RawModule(SOURCE)
  return module:get_function(name)
end

-- ---- the reference

local function place(i, n, mode)
  if i >= 0 and i < n then return i end
  if mode == runtime.addressModeWrap then return i % n end
  if mode == runtime.addressModeMirror then
    i = i % (2 * n)
    return i < n and i or 2 * n - 1 - i
  end
  if mode == runtime.addressModeBorder then return nil end
  return i < 0 and 0 or n - 1
end

-- The value at coordinates c (x, y, ...) of get(i, j, ...), whose lengths are n.
local function fetch(get, n, c, modes, linear, normalized, border)
  local base, part = {}, {}
  for k = 1, #n do
    local v = c[k] * (normalized and n[k] or 1) - (linear and 0.5 or 0)
    base[k], part[k] = math.floor(v), linear and v - math.floor(v) or 0
  end
  local sum = 0
  for corner = 0, 2 ^ #n - 1 do
    local weight, at = 1, {}
    for k = 1, #n do
      local next = math.floor(corner / 2 ^ (k - 1)) % 2
      weight = weight * (next == 1 and part[k] or 1 - part[k])
      at[k] = place(base[k] + next, n[k], modes[k])
      if not at[k] then at.outside = true end
    end
    if weight > 0 then sum = sum + weight * (at.outside and border or get(at[1], at[2], at[3])) end
  end
  return sum
end

local MODES = { runtime.addressModeWrap, runtime.addressModeClamp, runtime.addressModeMirror,
  runtime.addressModeBorder }

-- Asserts that the results are those of the reference at the given coordinates.
local function compare(name, tex, coordinates, tolerance, wanted)
  local n = #coordinates[1]
  local arguments, r = { tex }, cp.zeros(n, "float32")
  for _, c in ipairs(coordinates) do arguments[#arguments + 1] = cp.array(c, "float32") end
  arguments[#arguments + 1] = r
  arguments[#arguments + 1] = n
  kernel(name)(1, 64, arguments)
  r = r:cpu()
  for k = 1, n do
    local c = {}
    for d = 1, #coordinates do c[d] = coordinates[d][k] end
    local want = wanted(c)
    assert.is_true(math.abs(r[k] - want) <= tolerance,
      string.format("%s at %s: %g, not %g", name, table.concat(c, ", "), r[k], want))
  end
end

describe("cuda.texture formats and CUDA arrays", function()
  it("formats say what they were made of", function()
    local f = texture.ChannelFormatDescriptor(8, 8, 8, 8, runtime.channelFormatKindUnsigned)
    assert.same({ x = 8, y = 8, z = 8, w = 8, f = 1 }, f:get_channel_format())
    failure("usage", "channels must have equal bits", texture.ChannelFormatDescriptor, 8, 16, 0, 0, 0)
    failure("usage", "channels must have equal bits", texture.ChannelFormatDescriptor, 0, 16, 0, 0, 0)
    failure("usage", "1, 2 or 4 channels", texture.ChannelFormatDescriptor, 8, 8, 8, 0, 0)
    failure("usage", "no channels of 8 bits and of kind 2", texture.ChannelFormatDescriptor, 8, 0, 0, 0, 2)
    failure("usage", "no channels of 64 bits", texture.ChannelFormatDescriptor, 64, 0, 0, 0, 2)
  end)

  it("arrays keep what is copied into them", function()
    for dtype in pairs(KINDS) do
      for _, channels in ipairs { 1, 2, 4 } do
        for _, shape in ipairs { { 12 }, { 5, 8 }, { 3, 2, 4 } } do
          local size = shape[3] and 24 or shape[2] and 40 or 12
          local x = cp.arange(size, { dtype = dtype }):reshape(shape)
          local a = array_of(x, channels)
          local y = cp.zeros(shape, dtype)
          a:copy_to(y)
          assert.is_true(cpu.array_equal(x:cpu(), y:cpu()))
          assert.equal(#shape, a.ndim)
          assert.equal(shape[#shape] / channels, a.width)
        end
      end
    end
  end)

  it("of other layouts and of other devices", function()
    local x = cpu.arange(24, "float32"):reshape(4, 6)
    local a = array_of(x.T)
    local y, z = cp.zeros({ 6, 8 }, "float32"), cpu.zeros({ 6, 4 }, "float32")
    a:copy_to(y[{ {}, { 3, 6 } }])
    a:copy_to(z)
    assert.is_true(cpu.array_equal(y:cpu()[{ {}, { 3, 6 } }], x:cpu().T))
    assert.is_true(cpu.array_equal(z:cpu(), x:cpu().T))
    local stream = cp.cuda.Stream()
    a:copy_from((cp.array(x.T) * 2), stream)
    stream:synchronize()
    a:copy_to(z)
    assert.is_true(cpu.array_equal(z:cpu(), x:cpu().T * 2))
  end)

  it("refuse what does not fit", function()
    local f = format_of("float32", 1)
    local a = texture.CUDAarray(f, 8, 4)
    failure("dtype", "in_arr must be of float32, not of int32", a.copy_from, a, cp.zeros({ 4, 8 }, "int32"))
    failure("shape", "the array has 124 bytes, but the CUDA array 128", a.copy_from, a, cp.zeros(31, "float32"))
    failure("usage", "in_arr must be an array", a.copy_from, a, { 1, 2 })
    failure("usage", "width must be positive", texture.CUDAarray, f, 0)
    failure("usage", "a depth must have a height", texture.CUDAarray, f, 8, 0, 2)
    failure("usage", "flags must be 0 or runtime.arraySurfaceLoadStore", texture.CUDAarray, f, 8, 8, 0, 1)
    failure("usage", "desc must be a ChannelFormatDescriptor", texture.CUDAarray, {}, 8)
    failure("usage", "sizee", function() return a.sizee end)
    assert.truthy(tostring(a):find "CUDA array of ")
    assert.equal(cp.device().name, a.device)
  end)
end)

describe("cuda.texture textures", function()
  local row = { 3, -1, 4, 1, -5, 9, 2, 6 }

  it("of one dimension in all modes", function()
    local a = array_of(cp.array(row, "float32"))
    local function get(i) return row[i + 1] end
    for _, mode in ipairs(MODES) do
      for _, linear in ipairs { false, true } do
        for _, normalized in ipairs { false, true } do
          local t = texture_of(a, { addressModes = { mode }, filterMode = linear and 1 or 0,
            normalizedCoords = normalized,
            borderColors = { 0.5 } })
          local x, scale = {}, normalized and 8 or 1
          for k = -40, 120 do x[#x + 1] = (k / 4 + 0.125 * (linear and 0 or 1)) / scale end
          local repeats = mode == runtime.addressModeWrap or mode == runtime.addressModeMirror
          local modes = { repeats and not normalized and runtime.addressModeClamp or mode }
          for from = 1, #x - 63, 48 do
            local part = {}
            for k = 1, 64 do part[k] = x[from + k - 1] end
            compare("at1", t, { part }, 0,
              function(c) return fetch(get, { 8 }, c, modes, linear, normalized, 0.5) end)
          end
        end
      end
    end
  end)

  it("filter with fractions of 8 bits", function()
    local t = texture_of(array_of(cp.array({ 0, 256, 0 }, "float32")),
      { addressModes = { runtime.addressModeClamp }, filterMode = runtime.filterModeLinear })
    local x = {}
    for k = 1, 60 do x[k] = 0.5 + k / 61 end
    compare("at1", t, { x }, 1, function(c) return (c[1] - 0.5) * 256 end)
  end)

  it("of two and three dimensions", function()
    -- The weight of each corner is a product of fractions. GPUs keep 8 bits of it, too: it is off by at most
    -- 2^-9, and elements are at most 50.
    local function near(corners) return on_cpu and 0.01 or corners * 50 * 2 ^ -9 end
    local x = cpu.random.default_rng(5):integers(-50, 50, { 3, 4, 5 }):astype("float32")
    local n = { 5, 4, 3 }
    local function get(i, j, k) return x[{ (k or 0) + 1, j + 1, i + 1 }] end
    local solid, plane = array_of(cp.array(x)), array_of(cp.array(x[1]))
    local points = { {}, {}, {} }
    for k = 1, 60 do
      for d = 1, 3 do points[d][k] = (k * (3 + 4 * d) % 64) / 8 * (d == 3 and 0.75 or 1) - 1 + 1 / 16 end
    end
    for _, linear in ipairs { false, true } do
      for _, mode in ipairs { runtime.addressModeClamp, runtime.addressModeBorder } do
        local options = { addressModes = { mode, mode, mode }, filterMode = linear and 1 or 0 }
        compare("at3", texture_of(solid, options), points, linear and near(8) or 0,
          function(c) return fetch(get, n, c, { mode, mode, mode }, linear, false, 0) end)
        compare("at2", texture_of(plane, options), { points[1], points[2] }, linear and near(4) or 0,
          function(c) return fetch(get, { 5, 4 }, c, { mode, mode }, linear, false, 0) end)
      end
    end
  end)

  it("read integers as they are and as fractions", function()
    local x = cp.array({ { 0, 128, 255 }, { 1, 2, 3 } }, "uint8")
    local r = cp.zeros({ 2, 3 }, "int32")
    kernel "bytes"(1, 32, { texture_of(array_of(x)), r, 3, 2 })
    assert.is_true(cpu.array_equal(r:cpu(), x:cpu()))
    local y = cp.array({ { -7, 100000, 255 }, { 1, 2, -3 } }, "int32")
    kernel "whole"(1, 32, { texture_of(array_of(y)), r, 3, 2 })
    assert.is_true(cpu.array_equal(r:cpu(), y:cpu()))
    local fractions = { readMode = runtime.readModeNormalizedFloat, addressModes = { 1 } }
    for dtype, most in pairs { uint8 = 255, int8 = 127, uint16 = 65535, int16 = 32767 } do
      local values = { 0, 1, 77, 100, 127, dtype == "int8" and -128 or 13 }
      local t = texture_of(array_of(cp.array(values, dtype)), fractions)
      compare("at1", t, { { 0.5, 1.5, 2.5, 3.5, 4.5, 5.5 } }, 1e-6,
        function(c) return math.max(-1, values[math.floor(c[1]) + 1] / most) end)
    end
    fractions.filterMode = runtime.filterModeLinear
    local ends = texture_of(array_of(cp.array({ 0, 255 }, "uint8")), fractions)
    compare("at1", ends, { { 0.5, 0.75, 1, 1.25, 1.5 } }, 1e-3,
      function(c) return c[1] - 0.5 end)
    fractions.sRGB = true
    compare("at1", texture_of(array_of(cp.array({ 0, 10, 188, 255 }, "uint8")), fractions), { { 0.5, 1.5, 2.5, 3.5 } },
      2e-3, function(c) return ({ 0, 0.003035, 0.502886, 1 })[math.floor(c[1]) + 1] end)
  end)

  it("of several channels and of halves", function()
    for _, dtype in ipairs { "float32", "float16" } do
      local x = cp.arange(48, "float32"):reshape(3, 16):astype(dtype) / 4
      local r = cp.zeros({ 3, 16 }, "float32")
      kernel "rows4"(1, 32, { texture_of(array_of(x, 4), { filterMode = 1, addressModes = { 1, 1 } }), r, 4, 3 })
      assert.is_true(cpu.array_equal(r:cpu(), x:cpu():astype("float32")))
    end
    local halves = { 0, 1, -2, 65504, 6.103515625e-5, 5.9604644775390625e-8, -1 / 0 }
    compare("at1", texture_of(array_of(cp.array(halves, "float16"))), { { 0, 1, 2, 3, 4, 5 } }, 0,
      function(c) return halves[c[1] + 1] end)
  end)

  it("of an array's memory, as it is when the kernel runs", function()
    local x = cp.arange(16, "float32")
    local f = format_of("float32", 1)
    local t = texture.TextureObject(texture.ResourceDescriptor { restype = runtime.resourceTypeLinear, arr = x,
      chDesc = f,
      sizeInBytes = 40 }, texture.TextureDescriptor())
    local r = cp.full(12, -1, "float32")
    x:add_(1)
    kernel "fetch"(1, 32, { t, r, 12 })
    assert.same({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 }, r:totable())
    assert.equal(runtime.resourceTypeLinear, t.ResDesc:get_resource_desc().restype)
    assert.same({ 0, 0, 0 }, t.TexDesc:get_texture_desc().addressModes)

    local y = cp.arange(64, "float32"):reshape(4, 16):eval()
    local pitched = texture.TextureObject(texture.ResourceDescriptor { restype = runtime.resourceTypePitch2D, arr = y,
      chDesc = f, width = 10, height = 4, pitchInBytes = 64 }, texture.TextureDescriptor { addressModes = { 1, 1 } })
    compare("at2", pitched, { { 0.5, 9.5, 12, 3 }, { 0.5, 3.5, 1, 9 } }, 0,
      function(c) return math.min(9, math.floor(c[1])) + 16 * math.min(3, math.floor(c[2])) end)
    y:free()
    failure("usage", "freed", kernel "at2", 1, 1, { pitched, x, x, r, 1 })
  end)

  it("refuse what CUDA refuses", function()
    local whole, f = array_of(cp.zeros({ 4, 4 }, "int32")), format_of("float32", 1)
    local x = cp.zeros(8, "float32")
    failure("usage", "filtered linearly only as fractions", texture_of, whole, { filterMode = 1 })
    failure("usage", "32 bits cannot be read as fractions", texture_of, whole, { readMode = 1 })
    failure("usage", "sRGB is for channels of 8 bits", texture_of, whole, { sRGB = true })
    failure("usage", "filterMode must be a number from 0 to 1", texture_of, whole, { filterMode = 2 })
    failure("usage", "addressModes must be a number from 0 to 3", texture_of, whole, { addressModes = { 4 } })
    failure("usage", "addressModes has more than 3", texture_of, whole, { addressModes = { 1, 1, 1, 1 } })
    local function memory(options)
      options.chDesc, options.arr = f, options.arr or x
      return texture.TextureObject(texture.ResourceDescriptor(options), texture.TextureDescriptor())
    end
    failure("usage", "arr has 32 bytes, but the texture reads 36", memory, { restype = 2, sizeInBytes = 36 })
    failure("usage", "multiple of the 4 bytes", memory, { restype = 2, sizeInBytes = 6 })
    failure("usage", "a row has 16 bytes", memory, { restype = 3, width = 4, height = 2, pitchInBytes = 8 })
    failure("usage", "arr must be contiguous", memory, { restype = 2, sizeInBytes = 8, arr = x["1::2"] })
    failure("usage", "restype must be", memory, { restype = 1 })
    failure("usage", "cuArr must be a CUDAarray", texture.ResourceDescriptor, 0)
    failure("usage", "needs a CUDA array with runtime.arraySurfaceLoadStore", texture.SurfaceObject,
      texture.ResourceDescriptor(0, whole))
  end)
end)

describe("cuda.texture surfaces", function()
  local function surface_of(x, channels)
    local a = array_of(x, channels, runtime.arraySurfaceLoadStore)
    return texture.SurfaceObject(texture.ResourceDescriptor(runtime.resourceTypeArray, a)), a
  end

  it("are read and written", function()
    local x = cp.arange(24, "float32"):reshape(3, 8)
    local from = surface_of(x, 2)
    local to, target = surface_of(cp.zeros({ 3, 8 }, "float32"), 2)
    kernel "turn"(1, 32, { from, to, 4, 3 })
    local y = cp.zeros({ 3, 8 }, "float32")
    target:copy_to(y)
    assert.same({ 7, 7, 5, 5, 3, 3, 1, 1 }, y[1]:totable())
    local solid, a = surface_of(cp.arange(2 * 3 * 4, "int16"):reshape(2, 3, 4))
    local line, b = surface_of(cp.zeros(4, "int16"))
    kernel "boxes"(1, 4, { solid, line })
    local z, w = cp.zeros({ 2, 3, 4 }, "int16"), cp.zeros(4, "int16")
    a:copy_to(z)
    b:copy_to(w)
    assert.same({ 32, 34, 36, 38 }, z[{ 1, 1 }]:totable())
    assert.same({ 0, 1, 2, 3 }, w:totable())
  end)

  it("beyond their borders", function()
    local s, a = surface_of(cp.arange(1, 13, "int32"):reshape(3, 4))
    local r, x = cp.full(3, -1, "int32"), cp.zeros({ 3, 4 }, "int32")
    kernel "edges"(1, 1, { s, r })
    a:copy_to(x)
    assert.same({ 0, 1, 12 }, r:totable())
    assert.same({ 1, 2, 3, 78 }, x[1]:totable())
    if on_cpu then -- a GPU would lose its context
      failure("cuda", "a surface is accessed outside of its elements", kernel "outside", 1, 1, { s })
      kernel "edges"(1, 1, { s, r })
    end
  end)
end)

describe("cuda.texture objects", function()
  it("are arguments of their own types", function()
    local a = array_of(cp.zeros(4, "float32"), 1, runtime.arraySurfaceLoadStore)
    local t, x = texture_of(a), cp.zeros(4, "float32")
    local s = texture.SurfaceObject(t.ResDesc)
    failure("usage", "cudaTextureObject_t must be a texture object of cp.cuda.texture, not a surface", kernel "at1",
      1, 1,
      { s, x, x, 1 })
    failure("usage", "not a CUDA array", kernel "at1", 1, 1, { a, x, x, 1 })
    failure("usage", "must be a surface object of cp.cuda.texture, not a texture", kernel "outside", 1, 1, { t })
    failure("usage", "argument 1 (t): cudaTextureObject_t must be a texture object", kernel "at1", 1, 1, { 5, x, x, 1 })
    failure("usage", "ResDes", function() return t.ResDes end)
    kernel "at1"(1, 1, { cp.scalar(t.ptr, "uint64"), x, x, 1 })
  end)

  it("stay while a graph that was captured uses them", function()
    local x, r = cp.array({ 0, 1, 2, 3 }, "float32"):eval(), cp.zeros(4, "float32"):eval()
    local a = array_of(cp.array({ 3, 1, 4, 1 }, "float32"))
    local at1 = kernel "at1"
    local function captured() -- so that nothing on the stack refers to the texture afterwards
      local t = texture_of(a)
      at1(1, 32, { t, x, r, 4 })
      return cp.cuda.graph(function() at1(1, 32, { t, x, r, 4 }) end)
    end
    local graph = captured()
    r:fill(0):eval()
    collectgarbage()
    collectgarbage()
    texture_of(a) -- destroys what finalizers gave up
    graph()
    assert.same({ 3, 1, 4, 1 }, r:totable())
  end)

  it("are given back", function()
    local a = array_of(cp.zeros({ 64, 64 }, "float32"))
    for _ = 1, 300 do texture_of(a) end
    collectgarbage()
    collectgarbage()
    for _ = 1, 20 do array_of(cp.zeros({ 64, 64 }, "float32")) end
    assert.is_true(pcall(texture_of, a))
  end)
end)

describe("cuda.runtime CUDA arrays", function()
  it("by their handles", function()
    local f, x = format_of("int32", 1), cp.arange(24, "int32"):reshape(4, 6):eval()
    local a = runtime.mallocArray(f, 6, 4)
    runtime.memcpy2DToArray(a, 0, 0, x.data.ptr, 24, 24, 4, runtime.memcpyDefault)
    local y = cp.zeros({ 4, 6 }, "int32"):eval()
    runtime.memcpy2DFromArray(y.data.ptr, 24, a, 8, 1, 16, 2)
    assert.same({ 8, 9, 10, 11, 0, 0 }, y[1]:totable())
    assert.same({ 14, 15, 16, 17, 0, 0 }, y[2]:totable())
    local stream = cp.cuda.Stream()
    runtime.memcpy2DToArrayAsync(a, 4, 3, y.data.ptr, 24, 8, 1, nil, stream)
    runtime.memcpy2DFromArrayAsync(y.data.ptr, 24, a, 0, 0, 24, 4, nil, stream)
    stream:synchronize()
    assert.same({ 18, 8, 9, 21, 22, 23 }, y[4]:totable())
    failure("usage", "has 4 rows and 1 planes, but the copy goes beyond them", runtime.memcpy2DToArray, a, 0, 3,
      x.data.ptr, 24, 24, 2)
    failure("usage", "a row of dst has 24 bytes", runtime.memcpy2DToArray, a, 4, 0, x.data.ptr, 24, 24, 1)
    runtime.freeArray(a)
    failure("usage", "is not the handle of a CUDA array", runtime.freeArray, a)
    runtime.freeArray(0)
    local solid = runtime.malloc3DArray(f, 6, 4, 2)
    runtime.memcpy2DToArray(solid, 0, 0, x.data.ptr, 24, 24, 4)
    runtime.freeArray(solid)
  end)
end)
