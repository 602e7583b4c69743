-- Memory shared with other libraries: addresses and DLPack tensors.

return function(cp, core, methods)
  --- An array on memory that cupola does not own, without a copy.
  ---@param ptr integer|lightuserdata|ffi.cdata*|table  address of the first element, such as x.data
  ---@param shape integer|integer[]
  ---@param dtype? string  default: the default dtype
  ---@param owner? any  kept alive as long as the memory is used
  ---@param device? string  the memory's device; default: the current device
  ---@param strides? integer[]  strides in bytes; default: C order
  ---@return cupola.Array
  cp.from_pointer = core.define("from_pointer", "ptr, shape, dtype, owner, device, strides", 2, core.from_pointer)

  -- The array on the tensor's memory.
  local function shared(tensor, versioned)
    if cp.is_array(tensor) then return core.from_dlpack(methods.dlpack(tensor, { 1, 0 })) end
    if type(tensor) == "table" and type(tensor.dlpack) == "function" then tensor = tensor:dlpack() end
    return core.from_dlpack(tensor, versioned)
  end

  --- An array on the memory of a DLPack tensor, without a copy unless one is asked for. A capsule is
  --- consumed; a tensor given by its address is owned by cupola from then on.
  ---@param tensor any  the result of x:dlpack(), a value with such a method, or the address of a
  --- DLManagedTensor
  ---@param device? any  where the result lies; default: where the tensor does
  ---@param copy? boolean  true: always copy; false: raise an error where the device asks for a copy
  ---@param versioned? boolean  the address is that of a DLManagedTensorVersioned, of DLPack 1; default false
  ---@return cupola.Array
  core.publish("from_dlpack", "tensor, device, copy, versioned", 1, function(where, tensor, device, copy, versioned)
    local always = core.boolean(copy, where, "copy", false)
    local x = shared(tensor, core.boolean(versioned, where, "versioned", false))
    local result = cp.asarray(x, { device = device or x.device, copy = always or nil })
    if copy == false and not rawequal(result, x) then
      core.usage(where, "copy is false, but the tensor lies on " .. x.device)
    end
    return result
  end)
end
