-- cp.polynomial.polynomial and cp.polynomial.polyutils: polynomials as lists of coefficients, lowest power
-- first. (cp.polyval and its like, polynomials.lua, have the highest power first.)

return function(cp, core)
  local polynomial, utils = {}, {}
  cp.polynomial = { polynomial = polynomial, polyutils = utils }
  local publish = core.publisher(polynomial, "polynomial.polynomial.")
  local publish_util = core.publisher(utils, "polynomial.polyutils.")

  local function inexact(x) return core.is_inexact(x) and x or x:astype "float64" end

  -- A vector of coefficients or roots, at least one.
  local function vector(where, v, argument)
    local c = core.as_array(v, where, argument)
    if c.ndim == 0 then c = c:reshape(1) end
    if c.ndim ~= 1 or c.size == 0 then
      core.raise_shape(where, argument .. " must be a vector of at least one number, not of shape " .. c.shape)
    end
    return c
  end

  -- c without the last coefficients whose size is at most tol; at least one remains.
  local function trimmed(c, tol)
    local large = cp.flatnonzero(cp.abs(c):gt(tol))
    return core.slice(c, 1, 1, large.size == 0 and 1 or large[-1])
  end

  -- ---- polyutils

  --- A vector without the zeros at its end; at least one element remains.
  ---@param seq any
  ---@return any
  publish_util("trimseq", "seq", 1, function(where, seq) return trimmed(vector(where, seq, "seq"), 0) end)

  --- Coefficients without those at the end whose absolute value is at most tol; a single zero if all are.
  ---@param c any
  ---@param tol? number  default 0
  ---@return any
  publish_util("trimcoef", "c, tol", 1, function(where, c, tol)
    tol = core.number(tol, where, "tol", 0)
    if tol < 0 then core.usage(where, "tol must not be negative") end
    c = inexact(vector(where, c, "c"))
    if not cp.abs(c):gt(tol):any() then return core.slice(c, 1, 1, 1) * 0 end
    return trimmed(c, tol):copy()
  end)

  --- The lists as vectors of one floating or complex dtype.
  ---@param alist table  lists of coefficients
  ---@param trim? boolean  without the zeros at their ends; default true
  ---@return table
  publish_util("as_series", "alist, trim", 1, function(where, alist, trim)
    if cp.is_array(alist) and alist.ndim == 2 then alist = cp.unstack(alist) end
    if type(alist) ~= "table" or #alist == 0 then core.usage(where, "alist must be a table of vectors") end
    trim = core.boolean(trim, where, "trim", true)
    local list, dtype = {}, "float16"
    for k, v in ipairs(alist) do
      list[k] = inexact(vector(where, v, string.format("alist[%d]", k)))
      dtype = cp.promote_types(dtype, list[k].dtype)
    end
    for k, c in ipairs(list) do list[k] = (trim and trimmed(c, 0) or c):astype(dtype) end
    return list
  end)

  -- ---- polynomial

  -- Coefficients or roots, with axes of length 1 for those of x if `tensor`.
  local function beside_x(where, c, argument, x, tensor)
    c = core.as_array(c, where, argument, cp.is_array(x) and x or nil)
    if c.ndim == 0 then c = c:reshape(1) end
    if core.extent(c, 1) == 0 then core.raise_shape(where, argument .. " must not be empty") end
    if not tensor or not cp.is_array(x) then return c end
    local shape = { unpack(c.shape) }
    for _ = 1, x.ndim do shape[#shape + 1] = 1 end
    return c:reshape(shape)
  end

  local function values_of(where, x)
    if core.is_scalar(x) then return x end
    return core.as_array(x, where, "x")
  end

  --- The values c[1] + c[2] * x + ... + c[n] * x^(n-1).
  ---@param x any
  ---@param c any  coefficients along the first axis; further axes are further polynomials
  ---@param tensor? boolean  every polynomial at every x (default); false: the shapes broadcast
  ---@return any
  publish("polyval", "x, c, tensor", 2, function(where, x, c, tensor)
    x, tensor = values_of(where, x), core.boolean(tensor, where, "tensor", true)
    c = inexact(beside_x(where, c, "c", x, tensor))
    local n = core.extent(c, 1)
    local y = c[{ n, cp.ellipsis }] + x * 0
    for k = n - 1, 1, -1 do y = c[{ k, cp.ellipsis }] + y * x end
    return y
  end)

  --- The values of the product of x - r over the roots r.
  ---@param x any
  ---@param r any  roots along the first axis; further axes are further polynomials
  ---@param tensor? boolean  every polynomial at every x (default); false: the shapes broadcast
  ---@return any
  publish("polyvalfromroots", "x, r, tensor", 2, function(where, x, r, tensor)
    x, tensor = values_of(where, x), core.boolean(tensor, where, "tensor", true)
    r = inexact(beside_x(where, r, "r", x, tensor))
    if not tensor and cp.is_array(x) and x.ndim >= r.ndim then
      core.raise_shape(where, "x must have fewer axes than r where tensor is false")
    end
    return cp.prod(x - r, 1)
  end)

  --- The powers x^0 to x^deg in a new last axis.
  ---@param x any
  ---@param deg integer
  ---@return any  of x's shape and deg + 1
  publish("polyvander", "x, deg", 2, function(where, x, deg)
    deg = core.integer(deg, where, "deg", nil, 0, 100000)
    x = inexact(core.as_array(x, where, "x"))
    if x.ndim == 0 then x = x:reshape(1) end
    local powers = { cp.ones_like(x) }
    for k = 1, deg do powers[k + 1] = powers[k] * x end
    return cp.stack(powers, -1)
  end)

  --- The companion matrix, whose eigenvalues are the roots.
  ---@param c any  coefficients, at least two, the last one not 0
  ---@return any
  publish("polycompanion", "c", 1, function(where, c)
    c = trimmed(inexact(vector(where, c, "c")), 0)
    if c.size < 2 then core.raise_shape(where, "c must have at least degree 1") end
    local n = c.size - 1
    local matrix = cp.eye(n, n, -1, { dtype = c.dtype, device = c.device })
    core.slice(matrix, 2, n, n):reshape(n):sub_(core.slice(c, 1, 1, n) / core.slice(c, 1, n + 1, n + 1))
    return matrix
  end)
end
