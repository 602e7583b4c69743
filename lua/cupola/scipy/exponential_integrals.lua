-- The exponential integrals E1 and Ei. Of real values they are operations of the table; of complex ones E1 is
-- its series where that loses few digits, near 0 and the negative axis, a continued fraction elsewhere, and
-- far out near the negative axis the asymptotic series (NIST's Digital Library of Mathematical Functions,
-- 6.6.2, 6.9.1 and 6.12.1).

return function(cp, core, complex)
  local real_e1 = core.operation("scipy.special.exp1", "special_exp1", "single")
  local real_ei = core.operation("scipy.special.expi", "special_expi", "single")

  local NEAR, FAR = 5, 40 -- where the short series ends and the asymptotic one begins
  local BENT = 3 -- the series are for |z| + Re z up to this: they lose about exp of it
  local STEPS = 60 -- of the continued fraction, on that border

  -- -gamma - log z less the sum of (-z)^k / (k k!), by as many terms.
  local function by_series(z, terms)
    local c, sum = 1, cp.zeros_like(z)
    local list = {}
    for k = 1, terms do
      c = -c / k
      list[k] = c / k
    end
    for k = terms, 1, -1 do sum = (sum + list[k]) * z end
    return -0.57721566490153286 - cp.log(z) - sum
  end

  local function by_fraction(z)
    local tail = z + (2 * STEPS + 1)
    for k = STEPS, 1, -1 do tail = z + (2 * k - 1) - k * k / tail end
    return cp.exp(-z) / tail
  end

  local function by_asymptote(z)
    local inverse, sum = 1 / z, cp.ones_like(z)
    for k = FAR, 1, -1 do sum = 1 - k * inverse * sum end
    return cp.exp(-z) * inverse * sum
  end

  -- On the axis, where the imaginary part's sign says which side of the cut it is.
  local function on_axis(z)
    local re = z.real
    local value = cp.empty_like(z)
    core.write("scipy.special.exp1", value.real, cp.where(re:lt(0), -real_ei(-re), real_e1(re)))
    core.write("scipy.special.exp1", value.imag, cp.where(re:lt(0), cp.copysign(-cp.pi, -z.imag), -z.imag))
    return value
  end

  -- E1 of complex128 values.
  local function e1(z)
    local size = cp.abs(z)
    local bent = (size + z.real):le(BENT)
    local near = cp.logical_and(bent, size:lt(NEAR))
    local middle = cp.logical_and(bent, cp.logical_and(size:ge(NEAR), size:lt(FAR)))
    local value = cp.empty_like(z)
    local function part(where, f)
      if where:any() then value[where] = f(z[where]) end
    end
    part(near, function(x) return by_series(x, 36) end)
    part(middle, function(x) return by_series(x, 150) end)
    part(cp.logical_and(bent, size:ge(FAR)), by_asymptote)
    part(cp.logical_not(bent), by_fraction)
    part(z.imag:eq(0), on_axis)
    return value
  end

  -- Ei(z) = -E1(-z) and pi i on the side of z, which is 0 on the positive axis.
  local function ei(z)
    local value = -e1(-z)
    local cut = cp.logical_and(z.imag:eq(0), z.real:le(0))
    local turn = cp.where(cut, 0, cp.copysign(cp.pi, z.imag))
    core.write("scipy.special.expi", value.imag, value.imag + turn)
    return value
  end

  complex.define("exp1", real_e1, e1, "single")
  complex.define("expi", real_ei, ei, "single")
end
