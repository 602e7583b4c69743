-- CUDA arrays in cp.cuda.runtime, by their handles, and the constants of textures
-- (lua/cupola/devices/texture.lua).

return function(cp, core, shared)
  local runtime, current_or = cp.cuda.runtime, shared.current_or
  local publish = core.publisher(cp.cuda.runtime, "cuda.runtime.")

  runtime.channelFormatKindSigned, runtime.channelFormatKindUnsigned = 0, 1
  runtime.channelFormatKindFloat, runtime.channelFormatKindNone = 2, 3
  runtime.resourceTypeArray, runtime.resourceTypeMipmappedArray = 0, 1
  runtime.resourceTypeLinear, runtime.resourceTypePitch2D = 2, 3
  runtime.addressModeWrap, runtime.addressModeClamp = 0, 1
  runtime.addressModeMirror, runtime.addressModeBorder = 2, 3
  runtime.filterModePoint, runtime.filterModeLinear = 0, 1
  runtime.readModeElementType, runtime.readModeNormalizedFloat = 0, 1
  runtime.arrayDefault, runtime.arraySurfaceLoadStore = 0, 2

  local made = {} -- handle -> the CUDA array

  local function make(where, desc, width, height, depth, flags)
    core.check_capability(where, "pointers")
    local array = cp.cuda.texture.CUDAarray(desc, width, height, depth, flags)
    made[array.ptr] = array
    return array.ptr
  end

  -- The CUDA array of a handle of mallocArray, or a CUDAarray itself.
  local function array_of(where, handle, name)
    if core.texture_kind(handle) == "array" then return handle end
    local array = made[core.integer(handle, where, name)]
    if not array then core.usage(where, string.format("%s is not the handle of a CUDA array from here", name)) end
    return array
  end

  --- Makes a CUDA array of one or two dimensions, to be freed by `freeArray`.
  ---@param desc cupola.ChannelFormat
  ---@param width integer  in elements
  ---@param height? integer  0: one dimension
  ---@param flags? integer  runtime.arraySurfaceLoadStore: surfaces may write it
  ---@return integer array  its handle
  publish("mallocArray", "desc, width, height, flags", 2, function(where, desc, width, height, flags)
    return make(where, desc, width, height, 0, flags)
  end)

  --- Makes a CUDA array of up to three dimensions, to be freed by `freeArray`.
  ---@param desc cupola.ChannelFormat
  ---@param width integer  in elements
  ---@param height integer
  ---@param depth integer
  ---@param flags? integer
  ---@return integer array
  publish("malloc3DArray", "desc, width, height, depth, flags", 4,
    function(where, desc, width, height, depth, flags) return make(where, desc, width, height, depth, flags) end)

  --- Frees a CUDA array of `mallocArray` or `malloc3DArray` once the device has done this program's work.
  --- Ignores 0.
  ---@param array integer
  publish("freeArray", "array", 1, function(where, array)
    if array == 0 then return end
    core.texture_free(where, array_of(where, array, "array"))
    made[array] = nil
  end)

  local function copy(where, wait, stream, array, x, y, back, ptr, pitch, width, height)
    x, y = core.integer(x, where, "wOffset"), core.integer(y, where, "hOffset")
    if back then
      core.raw_copy_box(where, wait, stream, width, height, 1, ptr, pitch, 0, 0, 0, 0, array, 0, 0, x, y, 0)
    else
      core.raw_copy_box(where, wait, stream, width, height, 1, array, 0, 0, x, y, 0, ptr, pitch, 0, 0, 0, 0)
    end
  end

  --- Copies rows of bytes into a CUDA array, and waits for the copy.
  ---@param dst integer|cupola.CudaArray  its handle, or a CUDAarray
  ---@param wOffset integer  first byte of a row
  ---@param hOffset integer  first row
  ---@param src integer  address
  ---@param src_pitch integer  bytes between rows
  ---@param width integer  bytes of a row
  ---@param height integer  rows
  ---@param kind? integer  not needed, since the addresses tell
  publish("memcpy2DToArray", "dst, wOffset, hOffset, src, src_pitch, width, height, kind", 7,
    function(where, dst, x, y, src, pitch, width, height, kind)
      shared.check_copy_kind(where, kind)
      copy(where, true, nil, array_of(where, dst, "dst"), x, y, false, src, pitch, width, height)
    end)

  --- The same, queued on a stream.
  ---@param dst integer|cupola.CudaArray
  ---@param wOffset integer
  ---@param hOffset integer
  ---@param src integer
  ---@param src_pitch integer
  ---@param width integer
  ---@param height integer
  ---@param kind? integer
  ---@param stream? userdata|integer  default: the current one
  publish("memcpy2DToArrayAsync", "dst, wOffset, hOffset, src, src_pitch, width, height, kind, stream", 7,
    function(where, dst, x, y, src, pitch, width, height, kind, stream)
      shared.check_copy_kind(where, kind)
      copy(where, false, current_or(stream, where), array_of(where, dst, "dst"), x, y, false, src, pitch, width, height)
    end)

  --- Copies rows of bytes from a CUDA array, and waits for the copy.
  ---@param dst integer  address
  ---@param dst_pitch integer  bytes between rows
  ---@param src integer|cupola.CudaArray  the array's handle, or a CUDAarray
  ---@param wOffset integer  first byte of a row
  ---@param hOffset integer  first row
  ---@param width integer  bytes of a row
  ---@param height integer  rows
  ---@param kind? integer
  publish("memcpy2DFromArray", "dst, dst_pitch, src, wOffset, hOffset, width, height, kind", 7,
    function(where, dst, pitch, src, x, y, width, height, kind)
      shared.check_copy_kind(where, kind)
      copy(where, true, nil, array_of(where, src, "src"), x, y, true, dst, pitch, width, height)
    end)

  --- The same, queued on a stream.
  ---@param dst integer
  ---@param dst_pitch integer
  ---@param src integer|cupola.CudaArray
  ---@param wOffset integer
  ---@param hOffset integer
  ---@param width integer
  ---@param height integer
  ---@param kind? integer
  ---@param stream? userdata|integer
  publish("memcpy2DFromArrayAsync", "dst, dst_pitch, src, wOffset, hOffset, width, height, kind, stream", 7,
    function(where, dst, pitch, src, x, y, width, height, kind, stream)
      shared.check_copy_kind(where, kind)
      copy(where, false, current_or(stream, where), array_of(where, src, "src"), x, y, true, dst, pitch, width, height)
    end)
end
