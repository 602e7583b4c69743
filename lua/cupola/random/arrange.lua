-- Permutations and samples: permutation, shuffle, permuted, choice. A permutation of n is one elementwise
-- operation that computes the image of each position without a sort (kernels/prelude/permute.h).

return function(cp, core, define, groups)
  local all, modern = groups.all, groups.modern

  -- Positions from 1: the first `count` images of a permutation of n.
  local function images(r, n, count) return r:draw("permute", n, 0, "int64", { count }) + 1 end

  local function array_with_axes(r, x, name)
    x = core.as_array(x, r.where, name)
    if x.ndim == 0 then core.raise(r.where, "shape", name .. " must have an axis") end
    return x
  end

  local function along(r, x, axis)
    r.device = x.device
    return cp.take(x, images(r, x.shape[axis], x.shape[axis]), axis)
  end

  define.add("permutation", all, "x, axis", 1, function(r, x, axis)
    if core.is_scalar(x) then
      local n = core.integer(x, r.where, "x")
      if n < 0 then r:fail(string.format("x must not be negative, but is %d", n)) end
      return images(r, n, n)
    end
    x = array_with_axes(r, x, "x")
    return along(r, x, core.axis(axis, r.where, "axis", x.ndim, 1))
  end)

  define.add("shuffle", all, "x, axis", 1, function(r, x, axis)
    if not cp.is_array(x) then r:fail("x must be an array, which is shuffled in place, not " .. type(x)) end
    x = array_with_axes(r, x, "x")
    return core.write(r.where, x, along(r, x, core.axis(axis, r.where, "axis", x.ndim, 1)))
  end)

  -- Permutes every line along the axis separately: positions in the array whose rows are these lines.
  local function lines(r, x, axis)
    local last = cp.moveaxis(x, axis, -1)
    local n, rows = x.shape[axis], 1
    for k = 1, x.ndim - 1 do rows = rows * last.shape[k] end
    local row = cp.arange(rows, { device = x.device }):reshape { rows, 1 }
    local places = r:draw("permute", n, row, "int64", { rows, n }) + row * n + 1
    return cp.moveaxis(cp.take(last:reshape { rows * n }, places:ravel(), 1):reshape(last.shape), -1, axis)
  end

  define.add("permuted", modern, "x, axis, out", 1, function(r, x, axis, out)
    x = array_with_axes(r, x, "x")
    r.device = x.device
    local result
    if axis == nil then
      result = along(r, x:ravel(), 1):reshape(x.shape)
    elseif x.size == 0 then
      result = x:copy()
    else
      result = lines(r, x, core.axis(axis, r.where, "axis", x.ndim))
    end
    if out ~= nil then return core.write_out(r.where, out, result) end
    return result
  end)

  -- ---- choice

  -- The weights as a checked Lua list, and how many are above 0. They are copied to the host, which needs
  -- their sum now.
  local function weights(r, p, n)
    p = core.as_array(p, r.where, "p"):astype("float64")
    if p.ndim ~= 1 or p.size ~= n then
      local wrong = string.format("p must be a vector of %d probabilities, not of shape %s", n, tostring(p.shape))
      core.raise(r.where, "shape", wrong)
    end
    local list, sum, some = p:totable(), 0, 0
    for k, v in ipairs(list) do
      if v ~= v or v < 0 then r:fail(string.format("p[%d] must not be negative, but is %.14g", k, v)) end
      sum, some = sum + v, some + (v > 0 and 1 or 0)
    end
    if math.abs(sum - 1) > 1e-8 then r:fail(string.format("probabilities must sum to 1, but sum to %.10g", sum)) end
    return list, some, sum
  end

  -- For each number in [0, 1), the first position whose cumulative weight exceeds it.
  local function locate(r, list, sum, x)
    local cdf, below = {}, 0
    for k, v in ipairs(list) do
      below = below + v
      cdf[k] = below / sum
    end
    return cp.searchsorted(cp.array(cdf, { dtype = "float64", device = r.device }), x, "right")
  end

  -- A weighted sample without replacement: the positions with the least exponential draws divided by the
  -- weights (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
  local function race(r, list, count)
    local p = cp.array(list, { dtype = "float64", device = r.device })
    local finish = r:draw("uniform", 1, nil, "float64", { #list })
    finish = (-cp.log1p(-finish) + 2 ^ -60) / p
    return cp.argsort(finish)[{ { 1, count } }]
  end

  local function count_of(shape)
    local count = 1
    for _, n in ipairs(shape) do count = count * n end
    return count
  end

  -- Positions from 1 to n, in the request's shape.
  local function positions(r, n, replace, p)
    local shape = r.shape or {}
    local count = count_of(shape)
    if n == 0 and count > 0 then r:fail "cannot choose from an empty array" end
    local list, some, sum
    if p ~= nil then list, some, sum = weights(r, p, n) end
    if replace then
      if not list then return r:draw("integer", n, nil, "int64", shape) + 1 end
      return locate(r, list, sum, r:draw("uniform", 1, nil, "float64", shape))
    end
    if count > (some or n) then
      r:fail(string.format("cannot choose %d different positions from %d%s", count, some or n,
        some and " that p allows" or ""))
    end
    if count == 0 then return cp.zeros(shape, { dtype = "int64", device = r.device }) end
    return (list and race(r, list, count) or images(r, n, count)):reshape(shape)
  end

  -- shuffle = false lets NumPy keep an order; here the sample always has a random order.
  define.add("choice", all, "a, size, replace, p, axis, shuffle", 1, function(r, a, size, replace, p, axis, shuffle)
    replace = core.boolean(replace, r.where, "replace", true)
    core.boolean(shuffle, r.where, "shuffle", true)
    r:place(size, {})
    if core.is_scalar(a) then
      local n = core.integer(a, r.where, "a")
      if n < 0 or n == 0 and count_of(r.shape or {}) > 0 then
        r:fail(string.format("a must be positive or an array, but is %d", n))
      end
      return positions(r, n, replace, p)
    end
    a = array_with_axes(r, a, "a")
    axis = core.axis(axis, r.where, "axis", a.ndim, 1)
    r.device = a.device
    local chosen = positions(r, a.shape[axis], replace, p)
    if chosen.ndim == 1 then return cp.take(a, chosen, axis) end
    local flat = cp.take(a, chosen:ravel(), axis)
    local shape = {}
    for k, n in ipairs(a.shape) do
      if k ~= axis then
        shape[#shape + 1] = n
      else
        for _, m in ipairs(chosen.shape) do shape[#shape + 1] = m end
      end
    end
    return flat:reshape(shape)
  end)
end
