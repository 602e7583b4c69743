-- What the special functions of complex values have in common.

return function(cp, core, compose)
  local complex = {}

  --- A complex array with these parts, signs of zeros included.
  function complex.with_parts(where, re, im)
    local z = cp.empty_like(re, "complex128")
    core.write(where, z.real, re)
    core.write(where, z.imag, im)
    return z
  end

  --- Where z is 0 or a negative whole number.
  function complex.is_pole(z)
    return cp.logical_and(cp.logical_and(z.imag:eq(0), z.real:le(0)), cp.floor(z.real):eq(z.real))
  end

  --- log sin(pi (re + i im)), re reduced by its whole part first: the principal value, but up to a multiple
  --- of 2 pi i where |im| is above 12, as one of both exponentials is all there is then.
  function complex.log_sine(where, re, im)
    local whole = cp.rint(re)
    local x, y = cp.pi * (re - whole), cp.pi * im
    local sign = 1 - 2 * cp.abs(cp.fmod(whole, 2))
    local large, near = cp.abs(y):gt(40), cp.clip(y, -40, 40)
    local re_sine, im_sine = sign * cp.sin(x) * cp.cosh(near), sign * cp.cos(x) * cp.sinh(near)
    local log = cp.log(complex.with_parts(where, re_sine, im_sine))
    local turns = cp.copysign(0.5 * cp.pi - x, y) + cp.where(sign:lt(0), cp.pi, 0)
    return cp.where(large, complex.with_parts(where, cp.abs(y) - math.log(2), turns), log)
  end

  --- Defines scipy.special.NAME(x[, out]): `of_real` of real values, and `of_complex` of complex ones, which
  --- it gets and gives in complex128. integers: the floating dtype of integer x, as for compose.
  function complex.define(name, of_real, of_complex, integers)
    compose(name, "x", function(x)
      if core.kind(x) ~= "c" then return of_real(x) end
      return of_complex(x:astype("complex128", false)):astype(x.dtype, false)
    end, integers, true)
  end

  return complex
end
