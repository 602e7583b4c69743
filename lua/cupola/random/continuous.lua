-- Continuous distributions, as compositions of pending operations: by inversion or products of draws; gamma
-- and von Mises by rejection (kernels/prelude/draws.h).

return function(cp, _, define, groups)
  local all, legacy = groups.all, groups.legacy

  local positive, not_negative, finite = define.checks.positive, define.checks.not_negative, define.checks.finite

  -- loc + scale * x, without the steps that change nothing.
  local function affine(loc, scale, x)
    if scale ~= 1 then x = x * scale end
    if loc ~= 0 then x = x + loc end
    return x
  end

  -- Defines a distribution with parameters {{name, default or nil, check}, ...}; f(request, parameters...)
  -- makes the values.
  local function distribution(name, parameters, f, where)
    local names, required = {}, 0
    for k, p in ipairs(parameters) do
      names[k] = p[1]
      if p[2] == nil then required = k end
    end
    local n = #parameters
    names[n + 1], names[n + 2] = "size", "dtype"
    define.add(name, where or all, table.concat(names, ", "), required, function(r, ...)
      local values, size, dtype = { ... }, (select(n + 1, ...)), (select(n + 2, ...))
      for k, p in ipairs(parameters) do
        local v = values[k]
        if v == nil then v = p[2] end
        values[k] = r:parameter(v, p[1], p[3])
      end
      values[n + 1], values[n + 2] = nil, nil
      r:floating(dtype)
      r:place(size, values)
      return r:finish(f(r, values[1], values[2], values[3]))
    end)
  end

  -- ---- uniform and normal

  local function fractions(name, where)
    define.add(name, where, "size, dtype", 0, function(r, size, dtype)
      r:floating(dtype)
      r:place(size)
      return r:fraction()
    end, true)
  end
  fractions("random", all)
  fractions("random_sample", legacy)
  fractions("ranf", legacy)
  fractions("sample", legacy)

  -- rand and randn: takes the lengths one by one, then a dtype or a table of names.
  local function by_lengths(name, f)
    local names = {}
    for k = 1, 16 do names[k] = "d" .. k - 1 end
    define.add(name, legacy, table.concat(names, ", ") .. ", dtype", 0, function(r, ...)
      local shape, lengths, dtype = {}, { ... }, (select(17, ...))
      for k = 1, 16 do
        local v = lengths[k]
        if type(v) == "string" and dtype == nil then
          dtype, v = v, nil
        elseif type(v) == "table" and k == 1 then
          shape, v = v, nil
        end
        if v == nil then break end
        shape[k] = v
      end
      r:floating(dtype)
      r:place(#shape > 0 and shape or nil)
      return f(r)
    end)
  end
  by_lengths("rand", function(r) return r:fraction() end)
  by_lengths("randn", function(r) return r:finish(r:normal()) end)

  distribution("uniform", { { "low", 0, finite }, { "high", 1, finite } }, function(r, low, high)
    if type(low) == "number" and type(high) == "number" then
      if high < low then r:fail(string.format("high %.14g is less than low %.14g", high, low)) end
      return affine(low, 1, r:unit(high - low))
    end
    return r:unit() * (high - low) + low
  end)

  local function normal(r, loc, scale)
    if type(scale) == "number" then return affine(loc, 1, r:normal(scale)) end
    return affine(loc, scale, r:normal())
  end
  distribution("normal", { { "loc", 0 }, { "scale", 1, not_negative } }, normal)
  distribution("standard_normal", {}, function(r) return r:normal() end)
  distribution("lognormal", { { "mean", 0 }, { "sigma", 1, not_negative } }, function(r, mean, sigma)
    return cp.exp(normal(r, mean, sigma))
  end)

  -- ---- by inversion

  distribution("exponential", { { "scale", 1, not_negative } }, function(r, scale)
    return affine(0, scale, r:exponential())
  end)
  distribution("standard_exponential", {}, function(r) return r:exponential() end)

  distribution("laplace", { { "loc", 0 }, { "scale", 1, not_negative } }, function(r, loc, scale)
    local w = r:open() * 2 - 1
    return affine(loc, scale, cp.copysign(cp.log1p(-cp.abs(w)), w))
  end)
  distribution("logistic", { { "loc", 0 }, { "scale", 1, not_negative } }, function(r, loc, scale)
    local u = r:open()
    return affine(loc, scale, cp.log(u) - cp.log1p(-u))
  end)
  distribution("gumbel", { { "loc", 0 }, { "scale", 1, not_negative } }, function(r, loc, scale)
    return affine(loc, scale, -cp.log(-cp.log(r:open())))
  end)
  distribution("pareto", { { "a", nil, positive } }, function(r, a) return cp.expm1(r:exponential() / a) end)
  distribution("rayleigh", { { "scale", 1, not_negative } }, function(r, scale)
    return affine(0, scale, cp.sqrt(2 * r:exponential()))
  end)
  distribution("weibull", { { "a", nil, positive } }, function(r, a) return cp.power(r:exponential(), 1 / a) end)
  distribution("power", { { "a", nil, positive } }, function(r, a) return cp.exp(-(r:exponential() / a)) end)
  distribution("standard_cauchy", {}, function(r) return cp.tan((r:open() - 0.5) * math.pi) end)

  distribution("triangular", { { "left", nil, finite }, { "mode", nil, finite }, { "right", nil, finite } },
    function(r, left, mode, right)
      local numbers = type(left) == "number" and type(mode) == "number" and type(right) == "number"
      if numbers and not (left <= mode and mode <= right and left < right) then
        r:fail(string.format("needs left <= mode <= right and left < right, not %.14g, %.14g, %.14g", left, mode,
          right))
      end
      local u, base, rise = r:unit(), right - left, mode - left
      return cp.where(cp.less_equal(u * base, rise), left + cp.sqrt(u * base * rise),
        right - cp.sqrt((1 - u) * base * (right - mode)))
    end)

  -- The inverse Gaussian distribution: Michael, Schucany and Haas, "Generating random variates using
  -- transformations with multiple roots", 1976; the smaller root is computed without a subtraction.
  distribution("wald", { { "mean", nil, positive }, { "scale", nil, positive } }, function(r, mean, scale)
    local a = cp.square(r:normal()) * (mean / (scale * 2))
    local ratio = 1 / (1 + a + cp.sqrt(a * (a + 2)))
    return cp.where(cp.less_equal(r:unit() * (1 + ratio), 1), ratio, 1 / ratio) * mean
  end)

  -- ---- gamma and what is made of it

  distribution("gamma", { { "shape", nil, not_negative }, { "scale", 1, not_negative } }, function(r, shape, scale)
    return affine(0, scale, r:gamma(shape))
  end)
  distribution("standard_gamma", { { "shape", nil, not_negative } }, function(r, shape) return r:gamma(shape) end)

  local function chisquare(r, df) return r:gamma(df / 2) * 2 end
  distribution("chisquare", { { "df", nil, positive } }, chisquare)

  -- The noncentral chi-square distribution: df + 2 k degrees of freedom, with k from a Poisson distribution.
  local function noncentral(r, df, nonc)
    return chisquare(r, r:draw("poisson", nonc / 2, nil, "float64") * 2 + df)
  end
  distribution("noncentral_chisquare", { { "df", nil, positive }, { "nonc", nil, not_negative } }, noncentral)

  distribution("f", { { "dfnum", nil, positive }, { "dfden", nil, positive } }, function(r, dfnum, dfden)
    return (r:gamma(dfnum / 2) / dfnum) / (r:gamma(dfden / 2) / dfden)
  end)
  local degrees = { { "dfnum", nil, positive }, { "dfden", nil, positive }, { "nonc", nil, not_negative } }
  distribution("noncentral_f", degrees,
    function(r, dfnum, dfden, nonc)
      return (noncentral(r, dfnum, nonc) / dfnum) / (chisquare(r, dfden) / dfden)
    end)
  distribution("standard_t", { { "df", nil, positive } }, function(r, df)
    return r:normal() * cp.sqrt((df / 2) / r:gamma(df / 2))
  end)

  -- x / (x + y) of two gamma draws, by their logarithms, since both underflow for small parameters.
  distribution("beta", { { "a", nil, positive }, { "b", nil, positive } }, function(r, a, b)
    local x, y = r:draw("log_gamma", a), r:draw("log_gamma", b)
    return 1 / (1 + cp.exp(y - x))
  end)

  -- ---- angles

  distribution("vonmises", { { "mu", nil, finite }, { "kappa", nil, not_negative } }, function(r, mu, kappa)
    local angle = affine(mu, 1, r:draw("vonmises", kappa))
    if mu == 0 then return angle end
    return angle - cp.rint(angle * (0.5 / math.pi)) * (2 * math.pi)
  end)

end
