-- Elementwise functions that are not one line of the table of operations (rounding to decimals, clipping,
-- closeness, complex parts), tests of values, limits of dtypes, and constants. Like the table's functions
-- they return Lua values for Lua numbers. core.operation(NAME, op) is an operation whose errors name the
-- public function NAME.

return function(cp, core)
  local both, method = core.both, core.method

  -- The in-place form of f: writes f(x, ...) into x and returns it.
  local function twin(name, names, f)
    return method(name .. "_", names, 1, function(where, x, ...)
      if not cp.is_array(x) then
        core.raise(where, "usage", string.match(names, "^%w+") .. " must be an array, not " .. type(x))
      end
      return core.write(where, x, f(x, ...))
    end)
  end

  -- Converts a table to an array; arrays (unless freed) and Lua values stay.
  local function operand(x, where, argument, other)
    if core.is_scalar(x) then return x end
    return core.as_array(x, where, argument, other)
  end

  -- The first array in a table, whose device the tables and numbers in it are put on.
  function core.first_array(list)
    for k = 1, #list do
      if cp.is_array(list[k]) then return list[k] end
    end
  end

  -- The values of a list as arrays; name(k) is what errors call value k. Numbers beside an array become
  -- arrays of the dtype that operators give them there.
  function core.as_arrays(where, values, name)
    local one, plain, list = core.first_array(values), false, {}
    for k, x in core.each(where, values) do
      if cp.is_array(x) then
        list[k] = core.as_array(x, where, "arrays") -- raises if freed
      elseif one and core.is_scalar(x) then
        plain, list[k] = true, x
      else
        list[k] = core.as_array(x, where, name(k), one)
      end
    end
    if not plain then return list end
    local options = { dtype = core.common_dtype(where, list), device = one.device }
    for k, x in core.each(where, list) do
      if core.is_scalar(x) then list[k] = cp.full({}, x, options) end
    end
    return list
  end

  local function finish(where, out, value, larger)
    if out == nil then return value end
    return core.write_out(where, out, value, larger)
  end

  -- ---- rounding

  local rint = core.operation("round", "rint")
  local multiply, divide = core.operation("round", "multiply"), core.operation("round", "divide")

  local function round_real(x, decimals)
    if decimals == 0 then return rint(x) end
    local up, down = multiply, divide
    if decimals < 0 then up, down = down, up end
    local power = 10 ^ math.abs(decimals)
    return down(rint(up(x, power)), power)
  end

  -- Rounds both parts of a complex array separately: a product with a real number would carry infinities into
  -- the other part.
  local function round_complex(x, decimals)
    if decimals == 0 then return rint(x) end
    local result = cp.empty_like(x)
    core.write("round", result.real, round_real(x.real, decimals))
    core.write("round", result.imag, round_real(x.imag, decimals))
    return result
  end

  local function round(a, decimals)
    decimals = core.integer(decimals, "round", "decimals", 0)
    a = operand(a, "round", "a")
    if not cp.is_array(a) then
      local im = type(a) == "userdata" and core.kind(a) == "c" and a.im
      if im then return cp.complex(round_real(a.re, decimals), round_real(im, decimals)) end
      return round_real(a, decimals)
    end
    local kind = core.kind(a)
    if kind == "c" then return round_complex(a, decimals) end
    if kind ~= "i" and kind ~= "u" then return round_real(a, decimals) end
    if decimals >= 0 then return a:copy("K") end
    return round_real(a:astype("float64"), decimals):astype(a.dtype)
  end

  --- Rounds to `decimals` places, halves to even; integers are rounded only for negative `decimals`.
  ---@param a any  array, table or number, any dtype
  ---@param decimals? integer  default 0
  ---@param out? any  array of a's shape
  ---@return any  array of a's shape and dtype (bool: float16)
  method("round", "a, decimals, out", 1, function(where, a, decimals, out)
    if core.sparse_fields(a) and out == nil then return a:round(decimals) end
    return finish(where, out, round(a, decimals))
  end)
  both("around", cp.round)
  both("round_", twin("round", "a, decimals", round))
  both("around_", cp.round_)

  --- Rounds toward zero: NumPy's older name for trunc.
  ---@param x any
  ---@return any
  both("fix", cp.trunc)
  both("fix_", cp.trunc_)

  -- ---- clip

  local at_least, at_most = core.operation("clip", "maximum"), core.operation("clip", "minimum")

  -- Converts the arrays and tables among a value and both bounds to their promoted dtype.
  local function together(a, low, high)
    local dtype = core.common_dtype("clip", { a, low, high })
    local function wide(x, argument)
      return core.is_scalar(x) and x or core.as_array(x, "clip", argument, a):astype(dtype, false)
    end
    return wide(a, "a"), wide(low, "a_min"), wide(high, "a_max")
  end

  local function clip(a, low, high, out)
    a = operand(a, "clip", "a")
    local plain = type(low) == "number" and type(high) == "number"
    if low ~= nil and high ~= nil and not plain then a, low, high = together(a, low, high) end
    if low ~= nil then a = at_least(a, low, high == nil and out or nil) end
    if high ~= nil then return at_most(a, high, out) end
    if low ~= nil then return a end
    return finish("clip", out, cp.is_array(a) and a:copy("K") or a, true)
  end

  local function bound(one, other, name)
    if one ~= nil and other ~= nil then
      core.raise("clip", "usage", "both a_" .. name .. " and " .. name .. " are given")
    end
    if one == nil then return other end
    return one
  end

  -- The same into the elements of out where a mask is true.
  local function clip_where(a, low, high, out, mask)
    if not cp.is_array(out) then
      core.raise("clip", "usage", "where needs out, an array whose other elements stay as they are")
    end
    mask = core.beside("clip", out, mask, "where")
    if mask.dtype ~= "bool" then core.raise("clip", "dtype", "where must be of dtype bool, not " .. mask.dtype) end
    return finish("clip", out, cp.where(mask, clip(a, low, high), out), true)
  end

  --- Limits values to an interval: minimum(maximum(a, a_min), a_max). A bound of nil is no bound.
  ---@param a any  array, table or number
  ---@param a_min? any  number or array that broadcasts with a; also called min
  ---@param a_max? any  the same; also called max
  ---@param out? any  array of the result's shape
  ---@param where? any  array of booleans: other elements of out, which must be given, stay as they are
  ---@return any
  method("clip", "a, a_min, a_max, out, min, max, where", 1, function(_, a, a_min, a_max, out, min, max, mask)
    local low, high = bound(a_min, min, "min"), bound(a_max, max, "max")
    if mask == nil then return clip(a, low, high, out) end
    return clip_where(a, low, high, out, mask)
  end)
  twin("clip", "a, a_min, a_max, min, max", function(a, a_min, a_max, min, max)
    return clip(a, bound(a_min, min, "min"), bound(a_max, max, "max"))
  end)

  -- ---- closeness and equality

  local function integral(x) return not cp.is_array(x) or not core.is_inexact(x.dtype) end

  local close_to = { isclose = core.operation("isclose", "isclose"), allclose = core.operation("allclose", "isclose") }

  local function isclose(where, a, b, rtol, atol, equal_nan)
    a, b = operand(a, where, "a", b), operand(b, where, "b", a)
    rtol, atol = rtol == nil and 1e-5 or rtol, atol == nil and 1e-8 or atol
    -- integers are not compared in their own dtype
    if (cp.is_array(a) or cp.is_array(b)) and integral(a) and integral(b) then
      if type(rtol) == "number" then rtol = cp.scalar(rtol, "float64") end
      if type(atol) == "number" then atol = cp.scalar(atol, "float64") end
    end
    local close = close_to[where](a, b, rtol, atol)
    if not core.boolean(equal_nan, where, "equal_nan", false) then return close end
    local nan_a, nan_b = cp.isnan(a), cp.isnan(b)
    if type(close) == "boolean" then return close or (nan_a and nan_b) end
    return cp.logical_or(close, cp.multiply(nan_a, nan_b))
  end

  --- |a - b| <= atol + rtol * |b| for each element; equal infinities are close.
  ---@param a any
  ---@param b any  broadcasts with a
  ---@param rtol? number  default 1e-5
  ---@param atol? number  default 1e-8
  ---@param equal_nan? boolean  whether nan is close to nan; default false
  ---@return any  bool array
  method("isclose", "a, b, rtol, atol, equal_nan", 2, function(where, ...)
    return isclose(where, ...)
  end)

  --- Whether all elements are close, as a Lua boolean. Arguments as for isclose.
  ---@return boolean
  method("allclose", "a, b, rtol, atol, equal_nan", 2, function(where, ...)
    local close = isclose(where, ...)
    if type(close) == "boolean" then return close end
    return close:all()
  end)

  local equal = core.operation("array_equal", "equal")

  --- Whether shapes and all values are equal, as a Lua boolean.
  ---@param a1 any
  ---@param a2 any
  ---@param equal_nan? boolean  whether nan equals nan; default false
  ---@return boolean
  method("array_equal", "a1, a2, equal_nan", 2, function(where, a1, a2, equal_nan)
    a1, a2 = core.as_array(a1, where, "a1", a2), core.as_array(a2, where, "a2", a1)
    if not core.same_shape(a1, a2) then return false end
    local same = equal(a1, a2)
    if core.boolean(equal_nan, where, "equal_nan", false) then
      same = cp.logical_or(same, cp.multiply(cp.isnan(a1), cp.isnan(a2)))
    end
    return same:all()
  end)

  -- ---- nan and complex parts

  local replace_nan = core.operation("nan_to_num", "nan_to_num")

  local function nan_to_num(x, nan, posinf, neginf)
    x = operand(x, "nan_to_num", "x")
    local dtype = cp.is_array(x) and x.dtype or cp.result_type(x)
    if not core.is_inexact(dtype) then return cp.is_array(x) and x:copy("K") or x end
    local largest = cp.finfo(dtype).max
    if nan == nil then nan = 0 end
    if posinf == nil then posinf = largest end
    if neginf == nil then neginf = -largest end
    return replace_nan(x, nan, posinf, neginf)
  end

  --- Replaces nan and infinities, by default with 0 and with the dtype's largest and lowest numbers.
  ---@param x any
  ---@param copy? boolean  false: write into x; default true
  ---@param nan? number
  ---@param posinf? number
  ---@param neginf? number
  ---@return any
  method("nan_to_num", "x, copy, nan, posinf, neginf", 1, function(where, x, copy, nan, posinf, neginf)
    local result = nan_to_num(x, nan, posinf, neginf)
    if core.boolean(copy, where, "copy", true) or not cp.is_array(x) then return result end
    return core.write(where, x, result)
  end)
  twin("nan_to_num", "x, nan, posinf, neginf", nan_to_num)

  --- The angle of complex values in the complex plane, in radians; 0 or pi for real values.
  ---@param z any
  ---@param deg? boolean  in degrees; default false
  ---@return any  floating array
  method("angle", "z, deg", 1, function(where, z, deg)
    local angle = core.angle(z)
    return core.boolean(deg, where, "deg", false) and cp.degrees(angle) or angle
  end)

  local function part(name, field)
    return core.define(name, "val", 1, function(where, val)
      val = operand(val, where, "val")
      if cp.is_array(val) then return val[name] end
      if type(val) == "userdata" and core.kind(val) == "c" then return val[field] end
      return name == "real" and val or 0
    end)
  end

  --- The real part: a view of a complex array, or a real array itself. x.real on arrays is the same.
  ---@param val any
  ---@return any
  cp.real = part("real", "re")
  --- The imaginary part: a view of a complex array, zeros for a real one. x.imag on arrays is the same.
  ---@param val any
  ---@return any
  cp.imag = part("imag", "im")

  local function is_complex(x)
    if cp.is_array(x) then return core.kind(x) == "c" end
    return type(x) == "userdata" and core.is_scalar(x) and core.kind(x) == "c"
  end

  local function no_imaginary(name, compare)
    method(name, "x", 1, function(where, x)
      x = operand(x, where, "x")
      return compare(cp.imag(x), 0)
    end)
  end

  --- Whether the imaginary part of each element is 0 (not 0).
  ---@param x any
  ---@return any  bool array; a boolean for a Lua value
  no_imaginary("isreal", cp.equal)
  no_imaginary("iscomplex", cp.not_equal)

  --- Whether x has a complex dtype, whatever its values.
  ---@param x any
  ---@return boolean
  method("iscomplexobj", "x", 1, function(where, x)
    return is_complex(operand(x, where, "x"))
  end)
  method("isrealobj", "x", 1, function(where, x)
    return not is_complex(operand(x, where, "x"))
  end)

  --- Whether v is a single value: a number, boolean, cp.complex, cp.scalar or 64-bit cdata; false for every
  --- array.
  ---@return boolean
  function cp.isscalar(v) return core.is_scalar(v) end

  --- The lengths of an array's axes: x.shape, of tables and numbers, too.
  ---@param a any
  ---@return any
  core.publish("shape", "a", 1, function(where, a) return core.as_array(a, where, "a").shape end)
  --- The number of an array's axes: x.ndim, of tables and numbers, too.
  ---@param a any
  ---@return integer
  core.publish("ndim", "a", 1, function(where, a) return core.as_array(a, where, "a").ndim end)
  --- The number of elements, or the product of the lengths of axes: of arrays, tables and numbers.
  ---@param a any
  ---@param axis? integer|table
  ---@return integer
  core.publish("size", "a, axis", 1, function(where, a, axis)
    local x = core.as_array(a, where, "a")
    if axis == nil then return x.size end
    local n = 1
    for _, d in ipairs((core.axis_list(axis, where, "axis", x.ndim))) do n = n * x.shape[d] end
    return n
  end)

  local raise_to = core.operation("float_power", "power")

  --- x1 to the power x2, computed at least in float64 (complex128 for complex operands).
  ---@param x1 any
  ---@param x2 any  broadcasts with x1
  ---@param out? any  array of the result's shape
  ---@return any
  method("float_power", "x1, x2, out", 2, function(where, x1, x2, out)
    x1, x2 = operand(x1, where, "x1"), operand(x2, where, "x2")
    local wide = cp.scalar(1, (is_complex(x1) or is_complex(x2)) and "complex128" or "float64")
    if cp.is_array(x1) then x1 = x1:astype(wide.dtype, false) end
    if cp.is_array(x2) then x2 = x2:astype(wide.dtype, false) end
    return raise_to(x1, x2, out)
  end)

  -- ---- limits of dtypes

  local formats = { -- bits of the fraction, largest exponent, decimal digits that are preserved
    float16 = { bits = 16, nmant = 10, top = 15, precision = 3 },
    bfloat16 = { bits = 16, nmant = 7, top = 127, precision = 2 },
    float32 = { bits = 32, nmant = 23, top = 127, precision = 6 },
    float64 = { bits = 64, nmant = 52, top = 1023, precision = 15 },
  }
  local function float_limits(dtype)
    local f = formats[dtype]
    local eps = 2 ^ -f.nmant
    local max, tiny = (2 - eps) * 2 ^ f.top, 2 ^ (1 - f.top)
    return {
      dtype = dtype, bits = f.bits, nmant = f.nmant, precision = f.precision, resolution = 10 ^ -f.precision,
      eps = eps, epsneg = eps / 2, max = max, min = -max, tiny = tiny, smallest_normal = tiny,
      smallest_subnormal = tiny * eps, maxexp = f.top + 1, minexp = 1 - f.top,
    }
  end

  --- Limits of a floating dtype (for a complex dtype, of its parts): bits, eps, epsneg, max, min, tiny,
  --- smallest_normal, smallest_subnormal, resolution, precision, nmant, maxexp, minexp, dtype.
  ---@param dtype any  a dtype or an array
  ---@return table
  core.publish("finfo", "dtype", 1, function(where, dtype)
    local name = core.dtype(dtype, where)
    if not core.is_inexact(name) then
      core.raise(where, "dtype", "needs a floating dtype, not " .. name .. "; see cp.iinfo")
    end
    return float_limits(core.real_dtype(name))
  end)

  --- Limits of an integer dtype: bits, min, max, dtype.
  ---@param dtype any  a dtype or an array
  ---@return table
  core.publish("iinfo", "dtype", 1, function(where, dtype)
    local name = core.dtype(dtype, where)
    local min, max = core.integer_bounds(name)
    return { dtype = name, bits = tonumber(string.match(name, "%d+$")), min = min, max = max }
  end)

  -- ---- constants

  cp.pi, cp.e, cp.euler_gamma = math.pi, math.exp(1), 0.57721566490153286
  cp.inf = math.huge
  local nan = cp.inf - cp.inf
  cp.nan = string.sub(tostring(nan), 1, 1) == "-" and -nan or nan -- printed without a sign
end
