-- Memory shared with others: addresses and DLPack tensors.

return function(cp, core, methods)
  local _, ffi = pcall(require, "ffi")
  ffi = type(ffi) == "table" and ffi or nil

  if ffi then
    ffi.cdef [[
      typedef struct { int32_t device_type, device_id; } cupola_DLDevice;
      typedef struct { uint8_t code, bits; uint16_t lanes; } cupola_DLDataType;
      typedef struct {
        void *data;
        cupola_DLDevice device;
        int32_t ndim;
        cupola_DLDataType dtype;
        int64_t *shape, *strides;
        uint64_t byte_offset;
      } cupola_DLTensor;
      typedef struct cupola_DLManagedTensor {
        cupola_DLTensor dl_tensor;
        void *manager_ctx;
        void (*deleter)(struct cupola_DLManagedTensor *self);
      } cupola_DLManagedTensor;
    ]]
  end

  -- The address that a pointer of any kind stands for: a number, a light userdata, a cdata pointer, array or 64-bit
  -- integer of LuaJIT, a table {ptr =} such as x.data.
  local function address(v, where, argument)
    if type(v) == "table" and v.ptr then v = v.ptr end
    if type(v) == "cdata" then
      local ok, p = pcall(ffi.cast, "const void *", v)
      if ok then return tonumber(ffi.cast("intptr_t", p)) end
    end
    if type(v) == "number" then
      if v < 0 or v >= 2 ^ 57 then
        core.raise(where, "usage", ("%s is %.0f, which is no address"):format(argument, v))
      end
      return v
    end
    local p = core.address(v)
    if p then return p end
    if v == nil then core.raise(where, "usage", argument .. " is nil") end
    core.raise(where, "usage", argument .. " must be an address (a number, a light userdata or a pointer), not "
      .. type(v))
  end

  core.pointer = address

  --- An array on memory that is not cupola's, without a copy.
  ---@param ptr integer|lightuserdata|ffi.cdata*|table  address of the first element; x.data is one
  ---@param shape integer|integer[]
  ---@param dtype? string  default: the default dtype
  ---@param owner? any  kept alive as long as the memory is used
  ---@param device? string  where the memory lies, default the current device
  ---@param strides? integer[]  bytes from element to element along each axis, default C order
  ---@return cupola.Array
  cp.from_pointer = core.define("from_pointer", "ptr, shape, dtype, owner, device, strides", 2,
    function(ptr, shape, dtype, owner, device, strides)
      return core.from_pointer(address(ptr, "from_pointer", "ptr"), shape, dtype, owner, device, strides)
    end)

  --- An array on the memory of a DLPack tensor, without a copy. A capsule is consumed, and a tensor given by its
  --- address belongs to cupola from then on.
  ---@param tensor any  what x:dlpack() gives, a value with such a method, or the address of a DLManagedTensor
  ---@return cupola.Array
  cp.from_dlpack = core.define("from_dlpack", "tensor", 1, function(tensor)
    if cp.is_array(tensor) then return core.from_dlpack(methods.dlpack(tensor)) end
    if type(tensor) == "table" and type(tensor.dlpack) == "function" then tensor = tensor:dlpack() end
    if type(tensor) == "userdata" and not core.address(tensor) then return core.from_dlpack(tensor) end
    return core.from_dlpack(address(tensor, "from_dlpack", "tensor"))
  end)
end
