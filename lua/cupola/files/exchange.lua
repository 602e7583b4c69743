-- Memory shared with others: addresses and DLPack tensors.

return function(cp, core, methods)
  --- An array on memory that is not cupola's, without a copy.
  ---@param ptr integer|lightuserdata|ffi.cdata*|table  address of the first element; x.data is one
  ---@param shape integer|integer[]
  ---@param dtype? string  default: the default dtype
  ---@param owner? any  kept alive as long as the memory is used
  ---@param device? string  where the memory lies, default the current device
  ---@param strides? integer[]  bytes from element to element along each axis, default C order
  ---@return cupola.Array
  cp.from_pointer = core.define("from_pointer", "ptr, shape, dtype, owner, device, strides", 2, core.from_pointer)

  --- An array on the memory of a DLPack tensor, without a copy. A capsule is consumed, and a tensor given by its
  --- address belongs to cupola from then on.
  ---@param tensor any  what x:dlpack() gives, a value with such a method, or the address of a DLManagedTensor
  ---@return cupola.Array
  core.publish("from_dlpack", "tensor", 1, function(_, tensor)
    if cp.is_array(tensor) then return core.from_dlpack(methods.dlpack(tensor)) end
    if type(tensor) == "table" and type(tensor.dlpack) == "function" then tensor = tensor:dlpack() end
    return core.from_dlpack(tensor)
  end)
end
