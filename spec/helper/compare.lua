-- Compares the bytes of a result with golden data, by the tolerance of the case:
--   "exact"  equal bits, any nan for nan      "zero"   as exact, and 0 equals -0
--   n        within n ulp of a correctly rounded number
--   "bound"  within an absolute bound given for each element (or one for all), which for complex numbers is
--            one of the distance

local numbers = require "spec.helper.numbers"

local compare = {}

local function is_nan(v) return v ~= v end
local function is_finite(v) return v - v == 0 end

-- Whether two elements, or parts of complex elements, whose bytes differ are equal within the tolerance.
local function near(got, want, dtype, tol)
  if not numbers.epsilon[dtype] then return false end
  local g, w = numbers.value(got, dtype), numbers.value(want, dtype)
  if is_nan(w) then return is_nan(g) end
  if is_nan(g) then return false end
  if tol == "exact" then return false end
  if tol == "zero" then return g == 0 and w == 0 end
  return numbers.distance(got, want) <= tol
end

local function element(got, want, dtype, tol)
  local part = numbers.part[dtype]
  if not part then return near(got, want, dtype, tol) end
  local n = #got / 2
  local g1, g2, w1, w2 = got:sub(1, n), got:sub(n + 1), want:sub(1, n), want:sub(n + 1)
  return (g1 == w1 or near(g1, w1, part, tol)) and (g2 == w2 or near(g2, w2, part, tol))
end

-- One part of a complex number of which a part is not finite: C99 leaves the sign of an infinity or a zero
-- open where the other part is nan.
local function loose(g, w, other, slack)
  if is_nan(w) then return is_nan(g) end
  if not is_finite(w) then return g == w or is_nan(other) and g == -w end
  return math.abs(g - w) <= slack * math.abs(w)
end

local function within(got, dtype, want, bound)
  local complex = numbers.part[dtype]
  local gr, gi = numbers.value(got, dtype)
  local wr, wi = numbers.value(want, complex and "complex128" or "float64")
  if not complex then
    if is_nan(wr) then return is_nan(gr) end
    return gr == wr or math.abs(gr - wr) <= bound
  end
  if not (is_finite(wr) and is_finite(wi)) then
    local slack = 16 * numbers.epsilon[complex]
    return loose(gr, wr, wi, slack) and loose(gi, wi, wr, slack)
  end
  local dr, di = gr - wr, gi - wi
  return math.sqrt(dr * dr + di * di) <= bound
end

-- The bound of element k, or nil if its bytes are compared.
local function bound_of(want, k)
  return want.bound or want.bounds and numbers.value(want.bounds:sub(k * 8 - 7, k * 8), "float64")
end

-- Positions (from 1) at which the result's bytes are not as expected. want is {dtype, bytes[, bounds |
-- bound]}.
function compare.differences(got, want, tol)
  local bad = {}
  local dtype, size = want.dtype, numbers.itemsize[want.dtype]
  if want.bounds or want.bound then
    local wide = numbers.part[dtype] and 16 or 8
    for k = 1, #got / size do
      local bound = bound_of(want, k)
      local w = want.bytes:sub((k - 1) * wide + 1, k * wide)
      if not within(got:sub((k - 1) * size + 1, k * size), dtype, w, bound) then bad[#bad + 1] = k end
    end
    return bad
  end
  if got == want.bytes then return bad end
  for k = 1, #got / size do
    local g, w = got:sub((k - 1) * size + 1, k * size), want.bytes:sub((k - 1) * size + 1, k * size)
    if g ~= w and not element(g, w, dtype, tol) then bad[#bad + 1] = k end
  end
  return bad
end

-- What was expected of element k, as text.
function compare.want_text(want, k)
  local dtype = want.dtype
  local bound = bound_of(want, k)
  if bound then dtype = numbers.part[dtype] and "complex128" or "float64" end
  local size = numbers.itemsize[dtype]
  local text = numbers.text(want.bytes:sub((k - 1) * size + 1, k * size), dtype)
  return bound and ("%s +- %.3g"):format(text, bound) or text
end

return compare
