-- cp.scipy.sparse (also cp.sparse): sparse arrays with two axes or one. object.lua says what they consist of;
-- the other files add to S, the functions that they share, and publish the functions of the module.

return function(cp, core)
  local sparse = {}
  cp.scipy = rawget(cp, "scipy") or {}
  cp.scipy.sparse = sparse
  cp.sparse = sparse

  local publish = core.publisher(sparse, "scipy.sparse.")
  local S = require "cupola.scipy.sparse.object"(cp, core)
  core.sparse = S
  local files = "vectors formats blocks making products scaling sampled arithmetic reductions selections indexing "
    .. "shaping builders files"
  for file in string.gmatch(files, "%a+") do
    require("cupola.scipy.sparse." .. file)(cp, core, S, publish)
  end

  require "cupola.scipy.sparse.linalg.linalg"(cp, core, S)
  require "cupola.scipy.sparse.csgraph"(cp, core, S)

  local MOST = 2 ^ 31 - 1

  -- The dtype of positions that fits arrays of positions and a greatest value.
  publish("get_index_dtype", "arrays, maxval, check_contents", 0, function(where, arrays, maxval, check_contents)
    local list = cp.is_array(arrays) and { arrays } or arrays or {}
    if type(list) ~= "table" then core.usage(where, "arrays must be a table of arrays, not " .. type(list)) end
    if maxval ~= nil and core.number(maxval, where, "maxval") > MOST then return "int64" end
    for k, x in ipairs(list) do
      x = core.as_array(x, where, string.format("arrays[%d]", k))
      if not cp.can_cast(x, "int32") then
        local fits = core.boolean(check_contents, where, "check_contents", false)
          and (x.size == 0 or (cp.max(x):item() <= MOST and cp.min(x):item() >= -MOST - 1))
        if not fits then return "int64" end
      end
    end
    return "int32"
  end)


  publish("matrix_transpose", "A", 1, function(where, A) return S.transpose(where, S.take(where, A)) end)
  publish("swapaxes", "A, axis1, axis2", 3, function(where, A, axis1, axis2)
    local f = S.take_any(where, A)
    local n = A.ndim
    axis1, axis2 = core.axis(axis1, where, "axis1", n), core.axis(axis2, where, "axis2", n)
    return axis1 == axis2 and S.methods.copy(A) or S.transpose(where, f)
  end)
  publish("permute_dims", "A, axes", 1, function(_, A, axes) return S.methods.transpose(A, axes) end)
end
