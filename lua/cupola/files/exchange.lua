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

  --- An array on the memory of a DLPack tensor, without a copy. A capsule is consumed; a tensor given by its
  --- address is owned by cupola from then on.
  ---@param tensor any  the result of x:dlpack(), a value with such a method, or the address of a
  --- DLManagedTensor
  ---@return cupola.Array
  core.publish("from_dlpack", "tensor", 1, function(_, tensor)
    if cp.is_array(tensor) then return core.from_dlpack(methods.dlpack(tensor)) end
    if type(tensor) == "table" and type(tensor.dlpack) == "function" then tensor = tensor:dlpack() end
    return core.from_dlpack(tensor)
  end)
end
