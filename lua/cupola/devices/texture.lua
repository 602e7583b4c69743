-- cp.cuda.texture: CUDA arrays, textures and surfaces, which raw kernels take as arguments of the types
-- cudaTextureObject_t and cudaSurfaceObject_t. They work on the CPU device too. Lengths count elements, and
-- the constants are those of cp.cuda.runtime. src/lua/devices/texture.c makes the objects and checks what
-- they read.

return function(cp, core)
  local texture = {}
  cp.cuda.texture = texture
  local publish = core.publisher(texture, "cuda.texture.")

  local function described(value, class, where, name)
    if getmetatable(value) ~= class then
      core.usage(where, string.format("%s must be a %s, not %s", name, class.__name, cp.type(value)))
    end
    return value
  end

  local function class_of(name)
    local class = { __name = name }
    class.__index = function(self, key)
      local method = rawget(class, key)
      if method == nil and string.sub(tostring(key), 1, 2) ~= "__" then return rawget(self, key) end
      return method
    end
    class.__tostring = function() return name end
    return class
  end

  -- ---- formats

  local ChannelFormat = class_of "ChannelFormatDescriptor"
  local DTYPES = { [0] = { [8] = "int8", [16] = "int16", [32] = "int32" },
    { [8] = "uint8", [16] = "uint16", [32] = "uint32" }, { [16] = "float16", [32] = "float32" } }

  --- The format of an element: the bits of up to four channels, which are all alike, and their kind.
  ---@param x integer  8, 16 or 32
  ---@param y integer  the same, or 0: there is no such channel
  ---@param z integer
  ---@param w integer
  ---@param f integer  runtime.channelFormatKindSigned, channelFormatKindUnsigned or channelFormatKindFloat
  ---@return cupola.ChannelFormat
  publish("ChannelFormatDescriptor", "x, y, z, w, f", 5, function(where, x, y, z, w, f)
    local bits, count, ended = { x, y, z, w }, 0, false
    f = core.integer(f, where, "f")
    for k, name in ipairs { "x", "y", "z", "w" } do
      bits[k] = core.integer(bits[k], where, name)
      ended = ended or bits[k] == 0
      if not ended then count = count + 1 end
      if ended and bits[k] ~= 0 or not ended and bits[k] ~= bits[1] then
        core.usage(where, "channels must have equal bits, and those that are 0 come last")
      end
    end
    if count ~= 1 and count ~= 2 and count ~= 4 then core.usage(where, "an element has 1, 2 or 4 channels") end
    local dtype = DTYPES[f] and DTYPES[f][bits[1]]
    if not dtype then
      core.usage(where, string.format("there are no channels of %d bits and of kind %d", bits[1], f))
    end
    return setmetatable({ x = bits[1], y = bits[2], z = bits[3], w = bits[4], f = f, channels = count, dtype = dtype },
      ChannelFormat)
  end)

  --- The numbers that the format was made of.
  ---@return table  {x =, y =, z =, w =, f =}
  ChannelFormat.get_channel_format = core.define("get_channel_format", "desc", 1, function(where, desc)
    described(desc, ChannelFormat, where, "argument 1")
    return { x = desc.x, y = desc.y, z = desc.z, w = desc.w, f = desc.f }
  end)

  -- ---- CUDA arrays

  local CudaArray = {}
  CudaArray.__index = function(_, name)
    if CudaArray[name] == nil then core.unknown("CUDAarray", "a CUDA array", tostring(name), CudaArray) end
    return CudaArray[name]
  end

  local function cuda_array(value, where, name)
    if core.texture_kind(value) ~= "array" then
      core.usage(where, string.format("%s must be a CUDAarray, not %s", name, cp.type(value)))
    end
    return value
  end

  --- An array whose layout only the device knows, for textures and surfaces, on the current device. It has
  --- desc, width, height, depth, flags, ndim and ptr.
  ---@param desc cupola.ChannelFormat
  ---@param width integer  in elements
  ---@param height? integer  0: an array of one dimension
  ---@param depth? integer  0: at most two
  ---@param flags? integer  runtime.arraySurfaceLoadStore: surfaces may write it; default 0
  ---@return cupola.CudaArray
  publish("CUDAarray", "desc, width, height, depth, flags", 2, function(where, desc, width, height, depth, flags)
    described(desc, ChannelFormat, where, "desc")
    width, height = core.integer(width, where, "width"), core.integer(height, where, "height", 0)
    depth, flags = core.integer(depth, where, "depth", 0), core.integer(flags, where, "flags", 0)
    if flags ~= 0 and flags ~= cp.cuda.runtime.arraySurfaceLoadStore then
      core.usage(where, "flags must be 0 or runtime.arraySurfaceLoadStore")
    end
    local fields = setmetatable({ desc = desc, width = width, height = height, depth = depth, flags = flags,
      ndim = depth > 0 and 3 or height > 0 and 2 or 1 }, CudaArray)
    return core.texture_array(where, desc.f, desc.x, desc.channels, width, height, depth, flags ~= 0, fields)
  end)

  local function check_elements(where, self, x, name)
    if not cp.is_array(x) then core.usage(where, string.format("%s must be an array, not %s", name, cp.type(x))) end
    if x.dtype ~= self.desc.dtype then
      core.raise(where, "dtype", string.format("%s must be of %s, not of %s", name, self.desc.dtype, x.dtype))
    end
    return x
  end

  --- Copies the elements of an array of the format's dtype, of shape (depth, height, channels * width) with
  --- the dimensions that there are.
  ---@param in_arr any
  ---@param stream? cupola.Stream  default: the current one
  CudaArray.copy_from = core.define("copy_from", "array, in_arr, stream", 2, function(where, self, x, stream)
    x = check_elements(where, cuda_array(self, where, "argument 1"), x, "in_arr")
    core.texture_copy(where, self, cp.ascontiguousarray(x):to(self.device), false, stream)
  end)

  --- Copies the elements into such an array.
  ---@param out_arr any
  ---@param stream? cupola.Stream
  CudaArray.copy_to = core.define("copy_to", "array, out_arr, stream", 2, function(where, self, x, stream)
    x = check_elements(where, cuda_array(self, where, "argument 1"), x, "out_arr")
    if x.device == self.device and x.flags.c_contiguous then return core.texture_copy(where, self, x, true, stream) end
    local there = cp.empty(x.shape, { dtype = x.dtype, device = self.device })
    core.texture_copy(where, self, there, true, stream)
    cp.copyto(x, there:to(x.device))
  end)

  -- ---- what a texture reads, and how

  local TextureResource, TextureSampling = class_of "ResourceDescriptor", class_of "TextureDescriptor"

  --- What a texture or surface reads: a CUDA array (runtime.resourceTypeArray), elements in a row of an
  --- array's memory (resourceTypeLinear, for tex1Dfetch), or rows of them (resourceTypePitch2D). GPUs ask for
  --- addresses that are multiples of 512 and pitches that are multiples of 32.
  ---@param restype integer
  ---@param cuArr? cupola.CudaArray
  ---@param arr? any  an array, contiguous
  ---@param chDesc? cupola.ChannelFormat  the format of an element of arr
  ---@param sizeInBytes? integer  resourceTypeLinear: how much of arr
  ---@param width? integer  resourceTypePitch2D: elements of a row
  ---@param height? integer  and rows
  ---@param pitchInBytes? integer  bytes between rows
  ---@return cupola.TextureResource
  publish("ResourceDescriptor", "restype, cuArr, arr, chDesc, sizeInBytes, width, height, pitchInBytes", 1,
    function(where, restype, array, x, format, size, width, height, pitch)
      local runtime = cp.cuda.runtime
      restype = core.integer(restype, where, "restype")
      local d = { restype = restype, cuArr = array, arr = x, chDesc = format,
        sizeInBytes = core.integer(size, where, "sizeInBytes", 0), width = core.integer(width, where, "width", 0),
        height = core.integer(height, where, "height", 0),
        pitchInBytes = core.integer(pitch, where, "pitchInBytes", 0) }
      if restype == runtime.resourceTypeArray then
        cuda_array(array, where, "cuArr")
      elseif restype == runtime.resourceTypeLinear or restype == runtime.resourceTypePitch2D then
        if not cp.is_array(x) then core.usage(where, "arr must be an array, not " .. cp.type(x)) end
        described(format, ChannelFormat, where, "chDesc")
        local bytes = format.x * format.channels / 8
        if restype == runtime.resourceTypeLinear and (d.sizeInBytes <= 0 or d.sizeInBytes % bytes ~= 0) then
          core.usage(where, string.format("sizeInBytes must be a multiple of the %d bytes of an element", bytes))
        end
      else
        core.usage(where, "restype must be runtime.resourceTypeArray, resourceTypeLinear or resourceTypePitch2D")
      end
      return setmetatable(d, TextureResource)
    end)

  --- What the resource was made of.
  ---@return table
  TextureResource.get_resource_desc = core.define("get_resource_desc", "desc", 1, function(where, desc)
    local out = {}
    for key, value in pairs(described(desc, TextureResource, where, "argument 1")) do out[key] = value end
    return out
  end)

  --- How a texture is read.
  ---@param addressModes? table  up to three of runtime.addressModeWrap, addressModeClamp, addressModeMirror
  --- and addressModeBorder, for x, y and z; default: wrap. Without normalised coordinates wrap and mirror
  --- clamp.
  ---@param filterMode? integer  runtime.filterModePoint (the default) or filterModeLinear, whose fractions
  --- have 8 bits
  ---@param readMode? integer  runtime.readModeElementType (the default), or readModeNormalizedFloat: integers
  --- are read as fractions of their greatest value
  ---@param sRGB? boolean  whether bytes are converted from sRGB to linear light
  ---@param borderColors? table  up to four channels of what lies beyond the border; default 0
  ---@param normalizedCoords? boolean  whether coordinates go from 0 to 1
  ---@param maxAnisotropy? integer  0 to 16; it has no effect without mipmaps
  ---@return cupola.TextureSampling
  publish("TextureDescriptor",
    "addressModes, filterMode, readMode, sRGB, borderColors, normalizedCoords, maxAnisotropy", 0,
    function(where, modes, filter, read, srgb, border, normalized, anisotropy)
      local function list_of(value, name, most)
        if value ~= nil and type(value) ~= "table" then
          core.usage(where, string.format("%s must be a table of numbers, not %s", name, cp.type(value)))
        end
        if #(value or {}) > most then core.usage(where, string.format("%s has more than %d numbers", name, most)) end
        local out = {}
        for k = 1, most do out[k] = value and value[k] or 0 end
        return out
      end
      return setmetatable({ addressModes = list_of(modes, "addressModes", 3),
        filterMode = core.integer(filter, where, "filterMode", 0), readMode = core.integer(read, where, "readMode", 0),
        sRGB = core.boolean(srgb, where, "sRGB", false), borderColors = list_of(border, "borderColors", 4),
        normalizedCoords = core.boolean(normalized, where, "normalizedCoords", false),
        maxAnisotropy = core.integer(anisotropy, where, "maxAnisotropy", 0) }, TextureSampling)
    end)

  --- What the descriptor was made of.
  ---@return table
  TextureSampling.get_texture_desc = core.define("get_texture_desc", "desc", 1, function(where, desc)
    local out = {}
    for key, value in pairs(described(desc, TextureSampling, where, "argument 1")) do out[key] = value end
    return out
  end)

  -- ---- textures and surfaces

  local Object = {}
  Object.__index = function(_, name) core.unknown("texture", "a texture", tostring(name), Object) end

  local function object(where, resource, sampling, fields)
    local array, format = resource.cuArr, resource.chDesc or { f = 0, x = 8, channels = 1, dtype = "" }
    local width = resource.width
    if resource.restype == cp.cuda.runtime.resourceTypeLinear then
      width = core.integer(resource.sizeInBytes * 8 / (format.x * format.channels), where, "sizeInBytes")
    end
    local list
    if sampling then
      list = { 0, 0, 0, sampling.filterMode, sampling.readMode, sampling.normalizedCoords and 1 or 0,
        sampling.sRGB and 1 or 0, sampling.maxAnisotropy }
      for k = 1, 3 do list[k] = sampling.addressModes[k] end
      for k = 1, 4 do list[8 + k] = sampling.borderColors[k] end
    end
    local of_array = resource.restype == cp.cuda.runtime.resourceTypeArray
    return core.texture(where, resource.restype, of_array and array or resource.arr, format.f, format.x,
      format.channels, width, resource.height, resource.pitchInBytes, list, setmetatable(fields, Object))
  end

  --- A texture, as raw kernels take it: tex1D, tex2D, tex3D, tex1Dfetch. It has ResDesc, TexDesc and ptr.
  ---@param ResDesc cupola.TextureResource
  ---@param TexDesc cupola.TextureSampling
  ---@return cupola.Texture
  publish("TextureObject", "ResDesc, TexDesc", 2, function(where, resource, sampling)
    described(resource, TextureResource, where, "ResDesc")
    described(sampling, TextureSampling, where, "TexDesc")
    return object(where, resource, sampling, { ResDesc = resource, TexDesc = sampling })
  end)

  --- A surface, which raw kernels read and write: surf1Dread, surf2Dwrite, ... It has ResDesc and ptr.
  ---@param ResDesc cupola.TextureResource  of a CUDAarray with runtime.arraySurfaceLoadStore
  ---@return cupola.Texture
  publish("SurfaceObject", "ResDesc", 1, function(where, resource)
    described(resource, TextureResource, where, "ResDesc")
    return object(where, resource, nil, { ResDesc = resource })
  end)
end
