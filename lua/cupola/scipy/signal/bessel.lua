-- The poles of Bessel filters: the zeros of the reverse Bessel polynomials
--   theta_n(s) = (2 n - 1) theta_{n-1}(s) + s^2 theta_{n-2}(s).
-- Near its zeros such a polynomial is a small difference of large terms, so it is evaluated with twice the
-- digits of a number: as unevaluated sums {high, low}.

local roots = require "cupola.scipy.signal.roots"

local bessel = { HIGHEST = 30 } -- of higher orders, the digits of such sums do not suffice either

-- ---- sums of two numbers

local function two_sum(a, b)
  local s = a + b
  local t = s - a
  return s, (a - (s - t)) + (b - t)
end

local function split(a)
  local t = 134217729 * a
  local high = t - (t - a)
  return high, a - high
end

local function two_product(a, b)
  local p = a * b
  local ah, al = split(a)
  local bh, bl = split(b)
  return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end

local function plus(a, b)
  local s, e = two_sum(a[1], b[1])
  local t, f = two_sum(a[2], b[2])
  s, e = two_sum(s, e + t)
  s, e = two_sum(s, e + f)
  return { s, e }
end

local function times(a, b)
  local p, e = two_product(a[1], b[1])
  p, e = two_sum(p, e + a[1] * b[2] + a[2] * b[1])
  return { p, e }
end

local function minus(a) return { -a[1], -a[2] } end

-- ---- complex ones

local function add(a, b) return { plus(a[1], b[1]), plus(a[2], b[2]) } end

local function mul(a, b)
  return { plus(times(a[1], b[1]), minus(times(a[2], b[2]))), plus(times(a[1], b[2]), times(a[2], b[1])) }
end

local function scaled(a, n)
  n = { n, 0 }
  return { times(a[1], n), times(a[2], n) }
end

local function wide(v) return { { v[1], 0 }, { v[2], 0 } } end
local function narrow(v) return { v[1][1], v[2][1] } end

-- theta_n(s) / theta_n'(s).
local function step(n, s)
  s = wide(s)
  local square, twice = mul(s, s), scaled(s, 2)
  local a, b, da, db = wide { 1, 0 }, add(wide { 1, 0 }, s), wide { 0, 0 }, wide { 1, 0 }
  for k = 2, n do
    a, b, da, db = b, add(scaled(b, 2 * k - 1), mul(square, a)), db,
      add(scaled(db, 2 * k - 1), add(mul(twice, a), mul(square, da)))
  end
  return roots.div(narrow(b), narrow(db))
end

-- ---- zeros

-- A value of a polynomial, lowest power first.
local function value(x, ...)
  local v, c = 0, { ... }
  for k = #c, 1, -1 do v = v * x + c[k] end
  return v
end

-- Estimates of the zeros by Campos and Calderon, "Approximate closed-form formulas for the zeros of the
-- Bessel polynomials", 2011.
local function estimates(n)
  if n == 1 then return { { -1, 0 } } end
  local s, r = value(n, 0, 0, 2, 0, -3, 1), value(n, 0, 0, 2, 1)
  local b3, b2 = value(n, 16, -8) / s, value(n, -24, -12, 12) / s
  local b1, b0 = value(n, 8, 24, -12, -2) / s, value(n, 0, -6, 0, 5, -1) / s
  local a1, a2, list = value(n, -6, -6) / r, 6 / r, {}
  for k = 1, n do list[k] = roots.div({ 1, 0 }, { value(k, 0, a1, a2), value(k, b0, b1, b2, b3) }) end
  return list
end

-- Each zero's step of the method of Aberth and Ehrlich, which keeps zeros apart.
local function improve(n, s)
  local change = 0
  for k, v in ipairs(s) do
    local alpha, beta = roots.neg(step(n, v)), { 0, 0 }
    for j, other in ipairs(s) do
      if j ~= k then beta = roots.add(beta, roots.div({ 1, 0 }, roots.sub(v, other))) end
    end
    alpha = roots.div(alpha, roots.add({ 1, 0 }, roots.mul(alpha, beta)))
    s[k] = roots.add(v, alpha)
    change = math.max(change, roots.abs(alpha) / roots.abs(v))
  end
  return change
end

--- The poles of order n, from those with the highest imaginary parts.
function bessel.poles(n)
  local s = estimates(n)
  for _ = 1, 50 do
    if improve(n, s) < 1e-15 then break end
  end
  local out = {}
  for k, v in ipairs(s) do
    local w = s[n + 1 - k]
    out[k] = { (v[1] + w[1]) / 2, (v[2] - w[2]) / 2 }
  end
  return out
end

return bessel
