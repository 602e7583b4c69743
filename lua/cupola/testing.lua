-- cp.testing: assertions on arrays for users' specs. A failure raises an error that says how much the arrays
-- differ and where first, and shows both. Arrays are compared on the device of the first one.

return function(cp, core)
  local testing = {}
  local publish = core.publisher(testing, "testing.")
  local number = core.number
  cp.testing = testing

  -- Both values as arrays on one device: that of actual, unless only desired is an array.
  local function pair(where, actual, desired)
    local a, d = core.as_array(actual, where, "actual"), core.as_array(desired, where, "desired")
    if a.device == d.device then return a, d end
    if cp.is_array(actual) then return a, d:to(a.device) end
    return a:to(d.device), d
  end

  local function indented(label, x)
    return string.format(" %-8s ", label) .. string.gsub(tostring(x), "\n", "\n" .. string.rep(" ", 10))
  end

  -- The index of element k (from 1) of the flat array, as text.
  local function place(k, shape)
    local index, rest = {}, k - 1
    for d = #shape, 1, -1 do
      index[d] = string.format("%d", rest % shape[d] + 1)
      rest = math.floor(rest / shape[d])
    end
    return "(" .. table.concat(index, ", ") .. ")"
  end

  local function fail(where, heading, a, d, lines, err_msg)
    local text = { heading }
    if err_msg ~= nil and err_msg ~= "" then text[2] = tostring(err_msg) end
    for _, line in ipairs(lines) do text[#text + 1] = line end
    text[#text + 1] = indented("actual:", a)
    text[#text + 1] = indented("desired:", d)
    core.raise(where, "usage", table.concat(text, "\n"))
  end

  local function shapes_fit(a, d, strict)
    if a.ndim == 0 and not strict or d.ndim == 0 and not strict then return true end
    return core.same_shape(a, d)
  end

  local function numeric(x)
    if x.dtype == "bool" then return x:astype "int64" end
    local kind = core.kind(x)
    if kind == "c" then return x:astype "complex128" end
    return x:astype(kind == "f" and "float64" or x.dtype, false)
  end

  -- The largest absolute and relative difference among finite elements, as lines of text.
  local function sizes(a, d)
    a, d = numeric(a), numeric(d)
    if a.dtype ~= d.dtype or core.kind(a) == "u" or core.kind(a) == "i" then
      local wide = (core.kind(a) == "c" or core.kind(d) == "c") and "complex128" or "float64"
      a, d = a:astype(wide), d:astype(wide)
    end
    local finite = cp.logical_and(cp.isfinite(a), cp.isfinite(d))
    local off, size = cp.abs(a - d), cp.abs(d)
    local absolute = cp.where(finite, off, 0):max():item()
    local counted = cp.logical_and(finite, cp.not_equal(size, 0))
    local relative = cp.where(counted, off / cp.where(counted, size, 1), 0):max():item()
    return { string.format("Max absolute difference: %.8g", absolute), string.format("Max relative difference: %.8g",
      relative) }
  end

  -- Raises unless every element of good, a bool array, is true.
  local function require_all(where, heading, a, d, good, err_msg)
    local shape = good.shape
    if good.size == 0 or good:all() then return end
    local wrong = good.size - good:count_nonzero():item()
    local first = good:reshape(-1):argmin():item()
    local A, D = cp.broadcast_to(a, shape):reshape(-1), cp.broadcast_to(d, shape):reshape(-1)
    local lines = { string.format("Mismatched elements: %d / %d (%.3g%%)", wrong, good.size, 100 * wrong / good.size) }
    lines[2] = string.format("First at %s: actual %s, desired %s", place(first, shape), tostring(A:at(first)),
      tostring(D:at(first)))
    for _, line in ipairs(sizes(a, d)) do lines[#lines + 1] = line end
    fail(where, heading, a, d, lines, err_msg)
  end

  local function check_shapes(where, heading, a, d, err_msg, strict)
    if shapes_fit(a, d, strict) then return end
    fail(where, heading, a, d, { string.format("Shapes differ: actual %s, desired %s", tostring(a.shape),
      tostring(d.shape)) },
      err_msg)
  end

  -- Where both are nan, if nan counts as equal.
  local function both_nan(a, d, equal_nan)
    local inexact = { f = true, c = true }
    if not equal_nan or not inexact[core.kind(a)] or not inexact[core.kind(d)] then return nil end
    return cp.logical_and(cp.isnan(a), cp.isnan(d))
  end

  local function wide(x)
    local kind = core.kind(x)
    return x:astype(kind == "c" and "complex128" or "float64", false)
  end

  -- |a - d| <= atol + rtol * |d| in double precision; an infinity is close only to itself.
  local function closeness(a, d, rtol, atol, equal_nan)
    local exact = cp.equal(a, d)
    a, d = wide(a), wide(d)
    local near = cp.logical_and(cp.less_equal(cp.abs(a - d), atol + rtol * cp.abs(d)),
      cp.logical_and(cp.isfinite(a), cp.isfinite(d)))
    local good, nan = cp.logical_or(exact, near), both_nan(a, d, equal_nan)
    return nan and cp.logical_or(good, nan) or good
  end

  --- Raises unless |actual - desired| <= atol + rtol * |desired| for every element.
  ---@param actual any
  ---@param desired any  of actual's shape, or one value
  ---@param rtol? number  default 1e-7
  ---@param atol? number  default 0
  ---@param equal_nan? boolean  whether nan is close to nan; default true
  ---@param err_msg? string  stands in the message
  publish("assert_allclose", "actual, desired, rtol, atol, equal_nan, err_msg", 2,
    function(where, actual, desired, rtol, atol, equal_nan, err_msg)
      local a, d = pair(where, actual, desired)
      rtol, atol = number(rtol, where, "rtol", 1e-7), number(atol, where, "atol", 0)
      equal_nan = core.boolean(equal_nan, where, "equal_nan", true)
      local heading = string.format("arrays are not close (rtol=%g, atol=%g)", rtol, atol)
      check_shapes(where, heading, a, d, err_msg)
      require_all(where, heading, a, d, closeness(a, d, rtol, atol, equal_nan), err_msg)
    end)

  --- Raises unless |desired - actual| < 1.5 * 10^-decimal for every element.
  ---@param actual any
  ---@param desired any
  ---@param decimal? integer  default 6
  ---@param err_msg? string
  publish("assert_array_almost_equal",
    "actual, desired, decimal, err_msg", 2, function(where, actual, desired, decimal, err_msg)
      local a, d = pair(where, actual, desired)
      decimal = core.integer(decimal, where, "decimal", 6)
      local heading = string.format("arrays are not almost equal to %d decimals", decimal)
      check_shapes(where, heading, a, d, err_msg)
      require_all(where, heading, a, d, closeness(a, d, 0, 1.5 * 10 ^ -decimal, true), err_msg)
    end)

  --- Raises unless shapes and all elements are equal; nan equals nan.
  ---@param actual any
  ---@param desired any  of actual's shape, or one value
  ---@param err_msg? string
  ---@param strict? boolean  whether dtypes must be equal too, and one value does not stand for an array;
  --- default false
  publish("assert_array_equal", "actual, desired, err_msg, strict", 2,
    function(where, actual, desired, err_msg, strict)
      local heading = "arrays are not equal"
      local a, d = pair(where, actual, desired)
      strict = core.boolean(strict, where, "strict", false)
      check_shapes(where, heading, a, d, err_msg, strict)
      if strict and a.dtype ~= d.dtype then
        fail(where, heading, a, d, { string.format("Dtypes differ: actual %s, desired %s", a.dtype, d.dtype) }, err_msg)
      end
      local good, nan = cp.equal(a, d), both_nan(a, d, true)
      require_all(where, heading, a, d, nan and cp.logical_or(good, nan) or good, err_msg)
    end)

  --- Raises unless every element of x is less than that of y.
  ---@param x any
  ---@param y any
  ---@param err_msg? string
  publish("assert_array_less", "x, y, err_msg", 2, function(where, x, y, err_msg)
    local heading = "arrays are not less-ordered"
    local a, d = pair(where, x, y)
    check_shapes(where, heading, a, d, err_msg)
    require_all(where, heading, a, d, cp.less(a, d), err_msg)
  end)

  -- ---- distances in units of the floating-point format

  local function floats(where, a, d)
    for k, x in ipairs { a, d } do
      if core.kind(x) ~= "f" then
        core.raise(where, "dtype", (k == 1 and "actual" or "desired") .. " must be floating, not " .. x.dtype)
      end
    end
  end

  --- Raises unless |x - y| <= nulp * spacing(max(|x|, |y|)) for every element.
  ---@param x any  floating
  ---@param y any
  ---@param nulp? number  default 1
  publish("assert_array_almost_equal_nulp", "x, y, nulp", 2, function(where, x, y, nulp)
    local a, d = pair(where, x, y)
    floats(where, a, d)
    nulp = number(nulp, where, "nulp", 1)
    local heading = string.format("arrays are not equal to %g ulp", nulp)
    check_shapes(where, heading, a, d)
    local near = cp.abs(a - d):le(nulp * cp.spacing(cp.maximum(cp.abs(a), cp.abs(d))))
    require_all(where, heading, a, d, cp.logical_or(cp.equal(a, d), near))
  end)

  -- The rank of each value among all values of its format, as int64; 0 and -0 have the same rank.
  local INTEGERS = { [2] = "int16", [4] = "int32", [8] = "int64" }
  local function places(x)
    local bits = x:copy():reshape({ -1 }):view(INTEGERS[x.itemsize]):astype("int64"):reshape(x.shape)
    local lowest = cp.scalar(-2 ^ (8 * x.itemsize - 1), "int64")
    return cp.where(bits:lt(0), lowest - bits, bits)
  end

  -- The distance between the ranks a and b. Ranks of the same sign are subtracted as integers, which is exact
  -- and does not wrap.
  local function places_apart(a, b)
    a, b = places(a), places(b)
    local one_sign = cp.equal(a:lt(0), b:lt(0))
    return cp.where(one_sign, cp.abs(a - b):astype("float64"), cp.abs(a:astype("float64") - b:astype("float64")))
  end

  --- Raises if any elements a and b are more than maxulp representable values of their dtype apart.
  ---@param a any  floating
  ---@param b any
  ---@param maxulp? integer  default 1
  ---@param dtype? string  what both are converted to before
  ---@return any  how many values apart the elements are, as float64
  publish("assert_array_max_ulp", "a, b, maxulp, dtype", 2, function(where, a, b, maxulp, dtype)
    a, b = pair(where, a, b)
    dtype = dtype ~= nil and core.dtype(dtype, where) or cp.promote_types(a.dtype, b.dtype)
    a, b = a:astype(dtype, false), b:astype(dtype, false)
    floats(where, a, b)
    maxulp = number(maxulp, where, "maxulp", 1)
    local heading = string.format("arrays are more than %g ulp apart", maxulp)
    check_shapes(where, heading, a, b)
    local apart = places_apart(a, b)
    local near = cp.logical_and(apart:le(maxulp), cp.logical_and(cp.isfinite(a), cp.isfinite(b)))
    require_all(where, heading, a, b, cp.logical_or(cp.equal(a, b), near))
    return apart
  end)

  -- ---- lists of arrays, and arrays for tests

  --- Raises unless two tables contain equally many arrays, and each equals its counterpart.
  ---@param actual table
  ---@param desired table
  ---@param err_msg? string
  publish("assert_array_list_equal", "actual, desired, err_msg", 2, function(where, actual, desired, err_msg)
    if type(actual) ~= "table" or type(desired) ~= "table" then
      core.raise(where, "usage", "actual and desired must be tables of arrays")
    end
    if #actual ~= #desired then
      core.raise(where, "usage", string.format("the lists have %d and %d arrays", #actual, #desired))
    end
    for k = 1, #actual do
      testing.assert_array_equal(actual[k], desired[k], string.format("array %d of the list%s", k, err_msg ~= nil
        and ": " .. tostring(err_msg) or ""))
    end
  end)

  --- An array of 1, 2, 3, ... in C order.
  ---@param shape any
  ---@param dtype? string  default float32
  ---@param order? string  "C" (default) or "F", in memory
  ---@return any
  publish("shaped_arange", "shape, dtype, order", 1, function(where, shape, dtype, order)
    shape, dtype = core.shape(shape, where, "shape"), dtype == nil and "float32" or core.dtype(dtype, where)
    if order ~= nil and order ~= "C" and order ~= "F" then
      core.not_among(where, "order", '"C" or "F"', order)
    end
    local size = 1
    for _, n in ipairs(shape) do size = size * n end
    local x = (cp.arange(size, "int64") + 1):astype(dtype):reshape(shape)
    return order == "F" and x:copy "F" or x
  end)

  --- An array of random values that depend on the arguments only: half of them true for bool, from 0 to scale
  --- - 1 for integers, from 0 to scale for other dtypes.
  ---@param shape any
  ---@param dtype? string  default float32
  ---@param scale? number  default 10
  ---@param seed? integer  default 0
  ---@return any
  publish("shaped_random", "shape, dtype, scale, seed", 1, function(where, shape, dtype, scale, seed)
    shape, dtype = core.shape(shape, where, "shape"), dtype == nil and "float32" or core.dtype(dtype, where)
    scale = number(scale, where, "scale", 10)
    local rng, kind = cp.random.default_rng(core.integer(seed, where, "seed", 0)), core.kind(dtype)
    local x = rng:random(shape)
    if kind == "b" then return x:lt(0.5) end
    if kind == "c" then return ((x + cp.j * rng:random(shape)) * scale):astype(dtype) end
    return (x * scale):astype(dtype)
  end)
end
