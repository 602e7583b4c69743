-- Run by spec/devices/transfer_spec.lua with a simulated driver of two GPUs: CUDA arrays, textures and
-- surfaces. Their handles are limited, so objects that are not given back are noticed. Prints "all as it
-- should be".

local cp = require "cupola"
local cpu, runtime, texture = cp.cpu, cp.cuda.runtime, cp.cuda.texture

local function fails(text, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(text, 1, true), tostring(message))
end

local float = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.channelFormatKindFloat)
local bytes = texture.ChannelFormatDescriptor(8, 8, 8, 8, runtime.channelFormatKindUnsigned)

-- Copies from the host and from the GPU, and back.
local x = cpu.arange(24, "float32"):reshape(2, 3, 4)
local solid = texture.CUDAarray(float, 4, 3, 2)
solid:copy_from(x)
local y, z = cp.empty({ 2, 3, 4 }, "float32"), cpu.zeros({ 2, 3, 4 }, "float32")
solid:copy_to(y)
assert(cpu.array_equal(y:cpu(), x))
solid:copy_from(cp.array(x))
solid:copy_to(z)
assert(cpu.array_equal(z, x))
local plane = texture.CUDAarray(bytes, 5, 4, 0, runtime.arraySurfaceLoadStore)
plane:copy_from(cpu.arange(80, "uint8"):reshape(4, 20))
local part = cpu.zeros({ 2, 8 }, "uint8")
runtime.memcpy2DFromArray(part.data.ptr, 8, plane, 4, 1, 8, 2)
assert(cpu.array_equal(part, cpu.array { { 24, 25, 26, 27, 28, 29, 30, 31 }, { 44, 45, 46, 47, 48, 49, 50, 51 } }))
local handle = runtime.mallocArray(bytes, 5, 4)
local stream = cp.cuda.Stream()
runtime.memcpy2DToArrayAsync(handle, 4, 2, part.data.ptr, 8, 8, 2, nil, stream)
runtime.memcpy2DFromArrayAsync(part.data.ptr, 8, handle, 0, 2, 8, 2, nil, stream)
stream:synchronize()
assert(part[{ 1, 5 }] == 24 and part[{ 1, 1 }] == 0)
runtime.freeArray(handle)
fails("is not the handle of a CUDA array", runtime.freeArray, handle)

-- More textures than there are handles, one after the other.
local how = texture.TextureDescriptor { filterMode = runtime.filterModeLinear, addressModes = { 1, 1, 1 } }
local function of(array) return texture.ResourceDescriptor(runtime.resourceTypeArray, array) end
for k = 1, 600 do
  assert(texture.TextureObject(of(solid), how).ptr > 0)
  if k % 3 == 0 then assert(texture.SurfaceObject(of(plane)).ptr > 0) end
  if k % 50 == 0 then
    collectgarbage()
    collectgarbage()
  end
end
fails("needs a CUDA array with runtime.arraySurfaceLoadStore", texture.SurfaceObject, of(solid))

-- Memory of arrays.
local memory = cp.empty(1024, "float32")
texture.TextureObject(texture.ResourceDescriptor { restype = runtime.resourceTypeLinear, arr = memory, chDesc = float,
  sizeInBytes = 4096 }, texture.TextureDescriptor())
texture.TextureObject(texture.ResourceDescriptor { restype = runtime.resourceTypePitch2D, arr = memory, chDesc = float,
  width = 30, height = 32, pitchInBytes = 128 }, how)
fails("cuTexObjectCreate", texture.TextureObject, texture.ResourceDescriptor { restype = runtime.resourceTypePitch2D,
  arr = memory, chDesc = float, width = 30, height = 32, pitchInBytes = 124 }, how)

-- An object belongs to one GPU.
runtime.setDevice(1)
fails("the stream belongs to cuda:1", solid.copy_from, solid, cp.empty({ 2, 3, 4 }, "float32"), cp.cuda.Stream())
local other = texture.CUDAarray(float, 8)
assert(other.device == "cuda:1")
other:copy_from(memory[{ { 1, 8 } }])
print "all as it should be"
