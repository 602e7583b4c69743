-- The public functions in library/cupola.lua, for specs that iterate over all of them, and what each is
-- called with.

local cp = require "cupola"
local annotations = require "spec.helper.annotations"
require("cupola.core").load_all()

local public = {}

local SOURCE = [[extern "C" __global__ void f(float* x) { x[0] = 1; }]]

local texture = cp.cuda.texture
local function byte_format() return texture.ChannelFormatDescriptor(8, 0, 0, 0, 1) end

-- Functions that make an object of each class, on the CPU.
local makers = {
  Array = function() return cp.cpu.arange(9, "float64"):reshape(3, 3) end,
  Device = function() return cp.device "cpu" end,
  Event = function() return cp.cuda.Event "cpu" end,
  Stream = function() return cp.cuda.Stream { device = "cpu" } end,
  Generator = function() return cp.random.default_rng(0) end,
  RandomState = function() return cp.random.RandomState(0) end,
  SeedSequence = function() return cp.random.SeedSequence(0) end,
  Communicator = function() return cp.cuda.nccl.init_all({ "cpu" })[1] end,
  Ranks = function() return cp.cuda.nccl.init_all { "cpu" } end,
  MemoryHook = function() return cp.cuda.LineProfileHook() end,
  MemoryPool = function() return cp.cuda.MemoryPool() end,
  RawKernel = function() return cp.RawKernel(SOURCE, "f") end,
  Module = function() return cp.RawModule { code = SOURCE } end,
  ChannelFormat = byte_format,
  CudaArray = function()
    return cp.device("cpu"):with(function() return texture.CUDAarray(byte_format(), 4) end)
  end,
  TextureResource = function()
    return texture.ResourceDescriptor { restype = 2, arr = cp.cpu.zeros(4, "uint8"), chDesc = byte_format(),
      sizeInBytes = 4 }
  end,
  TextureSampling = function() return texture.TextureDescriptor() end,
  Graph = function()
    local x = cp.zeros(3)
    return cp.cuda.graph(function() x:add_(1) end)
  end,
}

local ENDS = { close = true, free = true }

local function at(path)
  local v = cp
  for part in path:gmatch "[^.]+" do v = v[part] end
  return v
end

--- The entries of annotations.read(), each with f, the function, and for methods object(), which returns an
--- object for the first argument. Array methods that are functions of cp too, and methods of RandomState, are
--- left out.
function public.functions()
  local list, objects = {}, {}
  for _, entry in ipairs(annotations.read()) do
    local short = entry.name:match "[^.:]+$"
    entry.short = short
    if not entry.class then
      entry.f = at(entry.name)
      list[#list + 1] = entry
    elseif entry.class ~= "RandomState" then
      local make = makers[entry.class]
      objects[entry.class] = objects[entry.class] or make()
      entry.object = function()
        if ENDS[short] then return make() end
        return objects[entry.class]
      end
      entry.f = entry.object()[short]
      local ok, f = pcall(at, short)
      if entry.class ~= "Array" or not ok or f ~= entry.f then list[#list + 1] = entry end
    end
  end
  return list
end

--- pcall(f, ...), which closes the guard if f returns one.
function public.call(f, ...)
  local ok, result = pcall(f, ...)
  if ok and type(result) == "table" and rawget(result, "close") then result.close() end
  return ok, result
end

--- Whether the name in a message means this function: it is the function's name, or an alias of it.
function public.is_named(entry, name)
  if name:match("[^.]+$"):lower() == entry.short:lower() then return true end
  local ok, f = pcall(at, name)
  return ok and f == entry.f
end

--- The name of the function in an error message, or nil.
function public.named(message) return type(message) == "string" and message:match "cupola%.([%w_.]+): " or nil end

return public
