-- The digamma function of real values, an operation of the table, and of complex ones: by reflection to the
-- right half-plane, recurrence to large values, and Stirling's series there (NIST's Digital Library of
-- Mathematical Functions, 5.5.2, 5.5.4 and 5.11.2). Near the two zeros next to 0 that would lose digits;
-- there it is a Taylor series (5.15.1).

return function(cp, core, complex)
  local special = cp.scipy.special
  local real = core.operation("scipy.special.digamma", "special_digamma", "double")

  -- B(2k) / 2k for k from 1 on.
  local STIRLING = { 1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160 }
  local LARGE = 16 -- Stirling's series is exact to float64 from here on

  -- In the right half-plane.
  local function by_series(z)
    local large, sum = cp.abs(z):ge(LARGE), cp.zeros_like(z)
    for k = 0, LARGE - 1 do sum = sum + 1 / (z + k) end
    local w = cp.where(large, z, z + LARGE)
    local inverse = cp.square(1 / w)
    local tail = cp.zeros_like(z)
    for k = #STIRLING, 1, -1 do tail = (tail + STIRLING[k]) * inverse end
    return cp.log(w) - 0.5 / w - tail - cp.where(large, 0, sum)
  end

  -- A zero of the function, the value there in float64, how far from it the series is used, and its length.
  local ZEROS = {
    { 1.4616321449683623, -9.2412655217294275e-17, 0.5, 45 },
    { -0.504083008264455409, 7.2897639029768949e-17, 0.3, 75 },
  }

  local function near_zero(z, zero, value, length)
    local step, sum = z - zero, cp.zeros_like(z)
    for n = length, 1, -1 do
      local coefficient = special.zeta(n + 1, zero + 1) + zero ^ -(n + 1)
      sum = (sum + (n % 2 == 1 and coefficient or -coefficient)) * step
    end
    return sum + value
  end

  local function of_complex(z)
    local left = z.real:lt(0)
    local right = by_series(cp.where(left, 1 - z, z))
    local within = z - cp.rint(z.real) -- of the tangent's period, where multiplication by pi loses nothing
    local result = cp.where(left, right - cp.pi / cp.tan(cp.pi * within), right)
    result = cp.where(complex.is_pole(z), cp.complex(cp.nan, cp.nan), result)
    for _, zero in ipairs(ZEROS) do
      local near = cp.abs(z - zero[1]):lt(zero[3])
      if near:any() then result[near] = near_zero(z[near], zero[1], zero[2], zero[4]) end
    end
    return result
  end

  --- The digamma function: the logarithmic derivative of gamma.
  complex.define("digamma", real, of_complex, "double")
  complex.define("psi", real, of_complex, "double")
end
