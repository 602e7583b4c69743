-- x.flat: all elements of an array along one axis, in C order, to be read and written by any index of a
-- vector, whatever the array's strides.

return function(cp, core)
  local Flat, owners = {}, setmetatable({}, { __mode = "k" }) -- owners[flat] = its array

  -- The elements as a vector, and whether that is a view of them.
  local function vector_of(x)
    local flat = x:reshape(-1)
    return flat, cp.shares_memory(flat, x) or x.size == 0
  end

  -- The position in x of element k, from 1, as an index.
  local function position(x, k)
    local index, rest = {}, k - 1
    for d = x.ndim, 1, -1 do
      index[d] = rest % x.shape[d] + 1
      rest = math.floor(rest / x.shape[d])
    end
    return index
  end

  -- k as a position from 1, if it is that of a single element.
  local function single(x, k)
    if type(k) ~= "number" or k ~= math.floor(k) then return nil end
    if k < 0 then k = k + x.size + 1 end
    return k >= 1 and k <= x.size and k or nil
  end

  function Flat.__index(flat, key)
    local x = owners[flat]
    if key == "base" then return x end
    if key == "copy" then return function() return x:flatten() end end
    local k = single(x, key)
    if k then return x[position(x, k)] end
    return (vector_of(x))[key]
  end

  function Flat.__newindex(flat, key, value)
    local x = owners[flat]
    local k = single(x, key)
    if k then
      x[position(x, k)] = value
      return
    end
    local vector, is_view = vector_of(x)
    vector[key] = value
    if not is_view then core.write("flat", x, vector:reshape(x.shape)) end
  end

  function Flat.__len(flat) return owners[flat].size end

  function Flat.__tostring(flat) return "flat elements of an array of shape " .. owners[flat].shape end

  -- x.flat = value: the elements one after another, again from the first after the last.
  local function set_flat(x, value)
    if core.is_scalar(value) then return core.write("flat", x, value) end
    local v = core.as_array(value, "flat", "value", x)
    if not cp.is_array(value) then -- numbers that x's dtype holds are no other dtype's
      v = cp.empty_like(v, x.dtype)
      core.write("flat", v, value)
    end
    v = v:reshape(-1)
    if v.size == 0 and x.size > 0 then core.raise("flat", "shape", "there are no elements to write") end
    if v.size ~= x.size then v = cp.resize(v, x.size) end
    core.write("flat", x, v:reshape(x.shape))
  end

  --- x.flat = v, x.real = v and x.imag = v for the core (index.c); true if there is such a field.
  function core.set_field(x, name, value)
    if name == "flat" then
      set_flat(x, value)
    elseif name == "real" or name == "imag" then
      if name == "imag" and core.kind(x) ~= "c" then
        core.raise("imag", "dtype", "an array of dtype " .. x.dtype .. " has no imaginary part to set")
      end
      x[name]:set(value)
    else
      return false
    end
    return true
  end

  --- x.flat for the core (metatable.c).
  function core.flat_of(x)
    local flat = core.proxy(Flat)
    owners[flat] = x
    return flat
  end
end
