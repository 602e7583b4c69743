-- Integers: uniform integers, and the discrete distributions, which are computed in float64 and converted.

return function(cp, core, define, groups)
  local all, legacy, modern = groups.all, groups.legacy, groups.modern

  local checks = define.checks

  -- ---- integers

  local BITS = { bool = 1, int8 = 8, uint8 = 8, int16 = 16, uint16 = 16, int32 = 32, uint32 = 32 }

  -- The smallest value, and one more than the largest, as floats.
  local function limits(dtype)
    local bits = BITS[dtype] or 64
    if dtype == "bool" or string.sub(dtype, 1, 1) == "u" then return 0, 2 ^ bits end
    return -2 ^ (bits - 1), 2 ^ (bits - 1)
  end

  local function check_range(r, low, high)
    local least, beyond = limits(r.dtype)
    if low < least or high > beyond then
      r:fail(string.format("low %.17g and high %.17g are not in the range of %s", low, high, r.dtype))
    end
    if low >= high then r:fail(string.format("low %.17g must be less than high %.17g", low, high)) end
  end

  -- Integers in [low, high) for numbers. 64-bit values wrap like Lua's integers.
  local function of_numbers(r, low, high)
    check_range(r, low, high)
    local wide = r.dtype == "uint64" and "uint64" or "int64"
    local count = high - low
    if count >= 2 ^ 64 then
      count = 0 -- all 64-bit values
    elseif math.type and (math.type(count) == "float" or count < 0) and wide == "int64" then -- luacheck: ignore
      count = math.tointeger(high) and high - low or cp.scalar(high - low, "uint64") -- luacheck: ignore
    end
    local x = r:draw("integer", count, nil, wide)
    if low ~= 0 then x = x + low end
    return x
  end

  -- A bound as int64; a table of integers arrives as a floating array.
  local function whole_end(r, v, name)
    if not cp.is_array(v) then return cp.scalar(v, "int64") end
    if core.kind(v.dtype) == "f" and not cp.equal(v, cp.floor(v)):all() then
      core.raise(r.where, "usage", name .. " must hold whole numbers")
    end
    return v:astype("int64", false)
  end

  local function of_arrays(r, low, high)
    low, high = whole_end(r, low, "low"), whole_end(r, high, "high")
    if cp.greater_equal(low, high):any() then r:fail "low must be less than high everywhere" end
    return r:draw("integer", high - low, nil, "int64") + low
  end

  -- NumPy's rule: a single number is the end of a range from 0. last: whether high is included.
  local function integers(r, low, high, size, dtype, last)
    r:integral(dtype)
    low = r:parameter(low, "low", checks.whole)
    high = high ~= nil and r:parameter(high, "high", checks.whole) or nil
    if high == nil then low, high = 0, low end
    r:place(size, { low, high })
    if last then high = high + 1 end
    if type(low) == "number" and type(high) == "number" then return r:finish(of_numbers(r, low, high)) end
    return r:finish(of_arrays(r, low, high))
  end

  define.add("integers", modern, "low, high, size, dtype, endpoint", 1, function(r, low, high, size, dtype, endpoint)
    return integers(r, low, high, size, dtype, core.boolean(endpoint, r.where, "endpoint", false))
  end)
  define.add("randint", legacy, "low, high, size, dtype", 1, integers)
  define.add("random_integers", legacy, "low, high, size", 1, function(r, low, high, size)
    if high == nil then low, high = 1, low end
    return integers(r, low, high, size, nil, true)
  end)

  define.add("bytes", all, "length", 1, function(r, length)
    length = core.integer(length, r.where, "length")
    if length < 0 then r:fail "length must not be negative" end
    return r:draw("integer", 0, nil, "uint8", { length }):tobytes()
  end)

  -- ---- distributions

  local function distribution(name, parameters, f)
    local names = {}
    for k, p in ipairs(parameters) do names[k] = p[1] end
    local n = #parameters
    names[n + 1], names[n + 2] = "size", "dtype"
    define.add(name, all, table.concat(names, ", "), n, function(r, ...)
      local values, size, dtype = {}, (select(n + 1, ...)), (select(n + 2, ...))
      for k, p in ipairs(parameters) do values[k] = r:parameter((select(k, ...)), p[1], p[2]) end
      r:integral(dtype)
      r:place(size, values)
      return r:finish(f(r, values[1], values[2], values[3]))
    end)
  end

  distribution("poisson", { { "lam", checks.not_negative } }, function(r, lam) return r:draw("poisson", lam) end)
  distribution("binomial", { { "n", checks.not_negative }, { "p", checks.share } }, function(r, n, p)
    return r:draw("binomial", n, p)
  end)
  distribution("zipf", { { "a", checks.steep } }, function(r, a) return r:draw("zipf", a) end)
  distribution("negative_binomial", { { "n", checks.positive }, { "p", checks.chance } }, function(r, n, p)
    return r:draw("poisson", r:draw("gamma", n) * ((1 - p) / p))
  end)

  local counts = { { "ngood", checks.count }, { "nbad", checks.count }, { "nsample", checks.count } }
  distribution("hypergeometric", counts, function(r, ngood, nbad, nsample)
    if not cp.is_array(ngood) and not cp.is_array(nbad) and not cp.is_array(nsample) and nsample > ngood + nbad then
      r:fail(string.format("nsample %d is greater than ngood + nbad = %d", nsample, ngood + nbad))
    end
    return r:draw("hypergeometric", ngood, nbad, nil, nil, nsample)
  end)

  local function log_left(p) return type(p) == "number" and math.log(1 - p) or cp.log1p(-p) end
  distribution("geometric", { { "p", checks.chance } }, function(r, p)
    return cp.maximum(cp.ceil(r:exponential() / -log_left(p)), 1)
  end)

  -- Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981.
  distribution("logseries", { { "p", checks.rare } }, function(r, p)
    local v = r:open()
    local q = -cp.expm1(r:unit() * log_left(p))
    local many = cp.floor(1 + cp.log(v) / cp.log(q))
    local few = cp.where(cp.logical_or(cp.greater_equal(v, p), cp.greater_equal(v, q)), 1, 2)
    return cp.where(cp.logical_and(cp.less(v, p), cp.less_equal(v, q * q)), many, few)
  end)
end
