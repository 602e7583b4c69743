-- Analogue lowpass filters as zeros, poles and gain, with the band's edge at 1 radian per second: the filters
-- that designs begin with. Numbers are pairs (roots.lua).

local roots = require "cupola.scipy.signal.roots"
local bessel = require "cupola.scipy.signal.bessel"

local neg, div, map = roots.neg, roots.div, roots.map
local pi = math.pi

local prototypes = {}

local function asinh(x) return x < 0 and -math.log(-x + math.sqrt(x * x + 1)) or math.log(x + math.sqrt(x * x + 1)) end
local function sinh(x) return (math.exp(x) - math.exp(-x)) / 2 end
local function cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end

-- e^x - 1 without cancellation.
local function expm1(x)
  if math.abs(x) > 0.5 then return math.exp(x) - 1 end
  local term, sum, k = x, x, 1
  while math.abs(term) > 1e-18 * math.abs(sum) do
    k = k + 1
    term = term * x / k
    sum = sum + term
  end
  return sum
end

--- 10^(decibels / 10) - 1.
function prototypes.ripple(decibels) return expm1(math.log(10) * 0.1 * decibels) end
local ripple = prototypes.ripple

local function complex_sinh(a) return { sinh(a[1]) * math.cos(a[2]), cosh(a[1]) * math.sin(a[2]) } end

-- f of -N + 1, -N + 3, ... N - 1, without 0 if `skip`.
local function steps(N, f, skip)
  local out = {}
  for m = -N + 1, N - 1, 2 do
    if m ~= 0 or not skip then out[#out + 1] = f(m * pi / (2 * N)) end
  end
  return out
end

function prototypes.butter(N)
  return { real = true }, steps(N, function(t) return { -math.cos(t), -math.sin(t) } end), 1
end

function prototypes.cheby1(N, rp)
  local eps = math.sqrt(10 ^ (0.1 * rp) - 1)
  if N == 0 then return { real = true }, {}, 10 ^ (-rp / 20) end
  local mu = asinh(1 / eps) / N
  local p = steps(N, function(t) return neg(complex_sinh { mu, t }) end)
  local k = roots.product(p, neg)[1]
  return { real = true }, p, N % 2 == 0 and k / math.sqrt(1 + eps * eps) or k
end

function prototypes.cheby2(N, rs)
  if N == 0 then return {}, {}, 1 end
  local mu = asinh(math.sqrt(10 ^ (0.1 * rs) - 1)) / N
  local z = steps(N, function(t) return div({ 0, 1 }, { math.sin(t), 0 }) end, true)
  local p = steps(N, function(t) return div({ -1, 0 }, complex_sinh { mu, t }) end)
  return z, p, roots.gain(p, z, neg)
end

-- ---- elliptic functions

--- The complete elliptic integral of the first kind of the parameter 1 - m1.
function prototypes.complete(m1)
  local a, b = 1, math.sqrt(m1)
  for _ = 1, 60 do
    if math.abs(a - b) <= 4e-16 * a then break end
    a, b = (a + b) / 2, math.sqrt(a * b)
  end
  return pi / (a + b)
end
local complete = prototypes.complete

-- sn, cn and dn by descending Landen steps, of 0 <= m < 1 and its complement m1 = 1 - m.
local function jacobi(u, m, m1)
  if m < 1e-9 then
    local s, c = math.sin(u), math.cos(u)
    local a = 0.25 * m * (u - s * c)
    return s - a * c, c + a * s, 1 - 0.5 * m * s * s
  elseif m1 <= 1e-10 then
    local a, t, b = 0.25 * m1, sinh(u) / cosh(u), cosh(u)
    local two = b * sinh(u)
    return t + a * (two - u) / (b * b), 1 / b - a * t / b * (two - u), 1 / b + a * t / b * (two + u)
  end
  local a, c, b, n = { 1 }, { math.sqrt(m) }, math.sqrt(m1), 1
  while math.abs(c[n] / a[n]) > 2.2e-16 and n < 9 do
    local an = a[n]
    c[n + 1], a[n + 1], b = (an - b) / 2, (an + b) / 2, math.sqrt(an * b)
    n = n + 1
  end
  local phi, last = 2 ^ (n - 1) * a[n] * u, 0
  for k = n, 2, -1 do
    last = phi
    phi = (math.asin(c[k] * math.sin(phi) / a[k]) + phi) / 2
  end
  local s, t = math.sin(phi), math.cos(phi)
  local d = math.cos(phi - last)
  return s, t, math.abs(d) < 0.1 and math.sqrt(m1 + m * t * t) or t / d
end

-- The parameter with this nome, which is at most exp(-pi), by theta series.
local function parameter_of(q)
  local num, den = 0, 1
  for k = 0, 4 do num, den = num + q ^ (k * (k + 1)), den + 2 * q ^ ((k + 1) * (k + 1)) end
  return 16 * q * (num / den) ^ 4
end

-- The m with n K'(m) / K(m) = K'(m1) / K(m1), and its complement. The nome of that is the smaller one where
-- m's is above exp(-pi); what is computed directly keeps its digits.
local function degree_equation(n, m1)
  local ratio = complete(m1) / complete(1 - m1) / n
  if ratio >= 1 then
    local m = parameter_of(math.exp(-pi * ratio))
    return m, 1 - m
  end
  local rest = parameter_of(math.exp(-pi / ratio))
  return 1 - rest, rest
end

-- The u with sc(u, 1 - m) = w, by Landen's transformation; nil if it does not converge.
local function inverse_sc(w, m)
  local k, scale, y, steps_left = math.sqrt(m), 1, w, 10
  while k ~= 0 do
    if steps_left == 0 then return nil end
    local other = math.sqrt((1 - k) * (1 + k))
    local smaller = (1 - other) / (1 + other)
    y = 2 * y / ((1 + smaller) * (1 + math.sqrt(1 + (k * y) ^ 2)))
    k, scale, steps_left = smaller, scale * (1 + smaller), steps_left - 1
  end
  return scale * asinh(y)
end

local EPSILON = 2e-16

-- The poles of the elliptic filter, of upper halves from sn, cn and dn.
local function elliptic_poles(N, list, v0, m, rest)
  local sv, cv, dv = jacobi(v0, rest, m)
  local p = map(list, function(e)
    local s, c, d = e[1], e[2], e[3]
    return div(neg { c * d * sv * cv, s * dv }, { 1 - (d * sv) ^ 2, 0 })
  end)
  local size = 0
  for _, v in ipairs(p) do size = size + v[1] * v[1] + v[2] * v[2] end
  for k = 1, #p do
    if N % 2 == 0 or math.abs(p[k][2]) > EPSILON * math.sqrt(size) then p[#p + 1] = roots.conj(p[k]) end
  end
  return p
end

--- nil if no filter has these ripples.
function prototypes.ellip(N, rp, rs)
  if N == 0 then return {}, {}, 10 ^ (-rp / 20) end
  local eps_sq = ripple(rp)
  if N == 1 then
    local k = math.sqrt(1 / eps_sq)
    return {}, { { -k, 0 } }, k
  end
  local m1 = eps_sq / ripple(rs)
  if m1 == 0 then return nil end
  local m, rest = degree_equation(N, m1)
  local K, list, z = complete(rest), {}, {}
  for j = 1 - N % 2, N - 1, 2 do
    local s, c, d = jacobi(j * K / N, m, rest)
    list[#list + 1] = { s, c, d }
    if math.abs(s) > EPSILON then z[#z + 1] = { 0, 1 / (math.sqrt(m) * s) } end
  end
  for k = 1, #z do z[#z + 1] = roots.conj(z[k]) end
  local r = inverse_sc(1 / math.sqrt(eps_sq), m1)
  if not r then return nil end
  local p = elliptic_poles(N, list, K * r / (N * complete(1 - m1)), m, rest)
  local k = roots.gain(p, z, neg)
  return z, p, N % 2 == 0 and k / math.sqrt(1 + eps_sq) or k
end

-- ---- Bessel's filters

-- The constant term of the reverse Bessel polynomial, (2 N)! / (N! 2^N).
local function last_term(N)
  local a = 1.0 -- no integer, which would overflow
  for k = 1, N do a = a * (2 * k - 1) end
  return a
end

-- The frequency at which the gain is 1 / sqrt(2).
local function half_power(p, k)
  local low, high = 0, 1
  local function above(w)
    local g = roots.product(p, function(v) return roots.sub({ 0, w }, v) end)
    return k / roots.abs(g) > math.sqrt(0.5)
  end
  while above(high) do low, high = high, 2 * high end
  while true do
    local middle = (low + high) / 2
    if middle <= low or middle >= high then return middle end
    if above(middle) then low = middle else high = middle end
  end
end

prototypes.NORMS = { phase = true, delay = true, mag = true }

function prototypes.bessel(N, norm)
  if N == 0 then return { real = true }, {}, 1 end
  local p, last = bessel.poles(N), last_term(N)
  if norm == "delay" then return { real = true }, p, last end
  local by = norm == "mag" and half_power(p, last) or 10 ^ (math.log(last) / math.log(10) / N)
  p = map(p, function(v) return { v[1] / by, v[2] / by } end)
  return { real = true }, p, norm == "mag" and by ^ -N * last or 1
end

prototypes.cosh = cosh

return prototypes
