-- cp.testing: assertions on arrays for users' specs. What fails raises an error that says how much differs, where
-- first, and shows both arrays. Arrays of other devices are brought to the first one's.

return function(cp, core)
  local testing = {}
  cp.testing = testing

  -- Both as arrays on one device: actual's, unless only desired was an array.
  local function pair(where, actual, desired)
    local a, d = core.as_array(actual, where, "actual"), core.as_array(desired, where, "desired")
    if a.device == d.device then return a, d end
    if cp.is_array(actual) then return a, d:to(a.device) end
    return a:to(d.device), d
  end

  local function indented(label, x)
    return (" %-8s "):format(label) .. tostring(x):gsub("\n", "\n" .. (" "):rep(10))
  end

  -- Position k (from 1) of the flat array, as text.
  local function place(k, shape)
    local index, rest = {}, k - 1
    for d = #shape, 1, -1 do
      index[d] = ("%d"):format(rest % shape[d] + 1)
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
    if a.ndim ~= d.ndim then return false end
    local sa, sd = a.shape, d.shape
    for k = 1, #sa do
      if sa[k] ~= sd[k] then return false end
    end
    return true
  end

  local function numeric(x)
    if x.dtype == "bool" then return x:astype "int64" end
    local kind = core.kind(x)
    if kind == "c" then return x:astype "complex128" end
    return x:astype(kind == "f" and "float64" or x.dtype, false)
  end

  -- The greatest absolute and relative difference among finite elements, as lines.
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
    return { ("Max absolute difference: %.8g"):format(absolute), ("Max relative difference: %.8g"):format(relative) }
  end

  -- Raises unless every element of good, a bool array, is true.
  local function require_all(where, heading, a, d, good, err_msg)
    local shape = good.shape
    if good.size == 0 or good:all() then return end
    local wrong = good.size - good:count_nonzero():item()
    local first = good:ravel():argmin():item()
    local A, D = cp.broadcast_to(a, shape):ravel(), cp.broadcast_to(d, shape):ravel()
    local lines = { ("Mismatched elements: %d / %d (%.3g%%)"):format(wrong, good.size, 100 * wrong / good.size) }
    lines[2] = ("First at %s: actual %s, desired %s"):format(place(first, shape), tostring(A:at(first)),
      tostring(D:at(first)))
    for _, line in ipairs(sizes(a, d)) do lines[#lines + 1] = line end
    fail(where, heading, a, d, lines, err_msg)
  end

  local function check_shapes(where, heading, a, d, err_msg, strict)
    if shapes_fit(a, d, strict) then return end
    fail(where, heading, a, d, { ("Shapes differ: actual %s, desired %s"):format(tostring(a.shape),
      tostring(d.shape)) },
      err_msg)
  end

  -- Where both are nan, if that counts as equal.
  local function both_nan(a, d, equal_nan)
    local inexact = { f = true, c = true }
    if not equal_nan or not inexact[core.kind(a)] or not inexact[core.kind(d)] then return nil end
    return cp.logical_and(cp.isnan(a), cp.isnan(d))
  end

  local function number(v, where, argument, missing)
    if v == nil then return missing end
    if type(v) ~= "number" then core.raise(where, "usage", argument .. " must be a number, not " .. type(v)) end
    return v
  end

  local function wide(x)
    local kind = core.kind(x)
    return x:astype(kind == "c" and "complex128" or "float64", false)
  end

  -- |a - d| <= atol + rtol * |d|, in double precision, infinities only close to themselves.
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
  testing.assert_allclose = core.define("testing.assert_allclose", "actual, desired, rtol, atol, equal_nan, err_msg", 2,
    function(actual, desired, rtol, atol, equal_nan, err_msg)
      local where = "testing.assert_allclose"
      local a, d = pair(where, actual, desired)
      rtol, atol = number(rtol, where, "rtol", 1e-7), number(atol, where, "atol", 0)
      equal_nan = core.boolean(equal_nan, where, "equal_nan", true)
      local heading = ("arrays are not close (rtol=%g, atol=%g)"):format(rtol, atol)
      check_shapes(where, heading, a, d, err_msg)
      require_all(where, heading, a, d, closeness(a, d, rtol, atol, equal_nan), err_msg)
    end)

  --- Raises unless |desired - actual| < 1.5 * 10^-decimal for every element.
  ---@param actual any
  ---@param desired any
  ---@param decimal? integer  default 6
  ---@param err_msg? string
  testing.assert_array_almost_equal = core.define("testing.assert_array_almost_equal",
    "actual, desired, decimal, err_msg", 2, function(actual, desired, decimal, err_msg)
      local where = "testing.assert_array_almost_equal"
      local a, d = pair(where, actual, desired)
      decimal = core.integer(decimal, where, "decimal", 6)
      local heading = ("arrays are not almost equal to %d decimals"):format(decimal)
      check_shapes(where, heading, a, d, err_msg)
      require_all(where, heading, a, d, closeness(a, d, 0, 1.5 * 10 ^ -decimal, true), err_msg)
    end)

  --- Raises unless shapes and all elements are equal; nan equals nan.
  ---@param actual any
  ---@param desired any  of actual's shape, or one value
  ---@param err_msg? string
  ---@param strict? boolean  whether dtypes must be equal too, and one value does not stand for an array; default false
  testing.assert_array_equal = core.define("testing.assert_array_equal", "actual, desired, err_msg, strict", 2,
    function(actual, desired, err_msg, strict)
      local where, heading = "testing.assert_array_equal", "arrays are not equal"
      local a, d = pair(where, actual, desired)
      strict = core.boolean(strict, where, "strict", false)
      check_shapes(where, heading, a, d, err_msg, strict)
      if strict and a.dtype ~= d.dtype then
        fail(where, heading, a, d, { ("Dtypes differ: actual %s, desired %s"):format(a.dtype, d.dtype) }, err_msg)
      end
      local good, nan = cp.equal(a, d), both_nan(a, d, true)
      require_all(where, heading, a, d, nan and cp.logical_or(good, nan) or good, err_msg)
    end)

  --- Raises unless every element of x is less than that of y.
  ---@param x any
  ---@param y any
  ---@param err_msg? string
  testing.assert_array_less = core.define("testing.assert_array_less", "x, y, err_msg", 2, function(x, y, err_msg)
    local where, heading = "testing.assert_array_less", "arrays are not less-ordered"
    local a, d = pair(where, x, y)
    check_shapes(where, heading, a, d, err_msg)
    require_all(where, heading, a, d, cp.less(a, d), err_msg)
  end)

  --- Raises unless two tables hold as many arrays, and each is equal to its counterpart.
  ---@param actual table
  ---@param desired table
  ---@param err_msg? string
  testing.assert_array_list_equal = core.define("testing.assert_array_list_equal", "actual, desired, err_msg", 2,
    function(actual, desired, err_msg)
      local where = "testing.assert_array_list_equal"
      if type(actual) ~= "table" or type(desired) ~= "table" then
        core.raise(where, "usage", "actual and desired must be tables of arrays")
      end
      if #actual ~= #desired then
        core.raise(where, "usage", ("the lists have %d and %d arrays"):format(#actual, #desired))
      end
      for k = 1, #actual do
        testing.assert_array_equal(actual[k], desired[k], ("array %d of the list%s"):format(k, err_msg and ": "
          .. err_msg or ""))
      end
    end)
end
