-- Complex numbers as pairs {re, im}, for zeros and poles of filters: with the rules of NumPy for signs of
-- zero and for quotients, on which it depends which of two square roots comes first. Lists of them, `real`
-- where their array is real.

local roots = {}

local function add(a, b) return { a[1] + b[1], a[2] + b[2] } end
local function sub(a, b) return { a[1] - b[1], a[2] - b[2] } end
local function neg(a) return { -a[1], -a[2] } end
local function mul(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end

-- Smith's method.
local function div(a, b)
  local re, im = math.abs(b[1]), math.abs(b[2])
  if re == 0 and im == 0 then return { a[1] / re, a[2] / re } end
  if re >= im then
    local ratio = b[2] / b[1]
    local scale = 1 / (b[1] + b[2] * ratio)
    return { (a[1] + a[2] * ratio) * scale, (a[2] - a[1] * ratio) * scale }
  end
  local ratio = b[1] / b[2]
  local scale = 1 / (b[2] + b[1] * ratio)
  return { (a[1] * ratio + a[2]) * scale, (a[2] * ratio - a[1]) * scale }
end

-- The modulus, without overflow.
local function abs(a)
  local x, y = math.abs(a[1]), math.abs(a[2])
  if x < y then x, y = y, x end
  if x == 0 or x == math.huge then return x end
  local r = y / x
  return x * math.sqrt(1 + r * r)
end

local function with_sign(x, of) return (of < 0 or of == 0 and 1 / of < 0) and -math.abs(x) or math.abs(x) end

local function sqrt(a)
  local re, im = a[1], a[2]
  if im == 0 then
    if re < 0 then return { 0, with_sign(math.sqrt(-re), im) } end
    return { math.sqrt(re), im }
  end
  local d = abs(a)
  if re > 0 then
    local r = math.sqrt(0.5 * (d + re))
    return { r, 0.5 * (im / r) }
  end
  local s = math.sqrt(0.5 * (d - re))
  return { math.abs(0.5 * (im / s)), with_sign(s, im) }
end

roots.add, roots.sub, roots.neg, roots.mul, roots.div, roots.abs, roots.sqrt = add, sub, neg, mul, div, abs, sqrt

function roots.conj(a) return { a[1], -a[2] } end

function roots.number(x) return { x, 0 } end

--- The list of f's values, real if the list is.
function roots.map(list, f)
  local out = { real = list.real }
  for k, v in ipairs(list) do
    out[k] = f(v)
    if list.real then out[k][2] = 0 end -- and not -0
  end
  return out
end

--- Appends a number several times; a complex one makes the list complex.
function roots.append(list, v, count)
  for _ = 1, count do list[#list + 1] = { v[1], v[2] } end
  if count > 0 and v[2] ~= 0 then list.real = nil end
  return list
end

--- The product of f's values.
function roots.product(list, f)
  local p = { 1, 0 }
  for _, v in ipairs(list) do p = mul(p, f(v)) end
  return p
end

--- The real part of the product of the zeros' values divided by that of the poles'.
function roots.gain(z, p, f) return div(roots.product(z, f), roots.product(p, f))[1] end

-- Whether each root's conjugate is among them as often.
local function in_pairs(list)
  local open = {}
  for _, v in ipairs(list) do
    if v[2] ~= 0 then
      local re = v[1] + 0 -- 0 for -0
      local key, other = string.format("%.17g %.17g", re, v[2]), string.format("%.17g %.17g", re, -v[2])
      if (open[other] or 0) > 0 then
        open[other] = open[other] - 1
      else
        open[key] = (open[key] or 0) + 1
      end
    end
  end
  for _, count in pairs(open) do
    if count > 0 then return false end
  end
  return true
end

--- The coefficients, highest power first, of the polynomial with these roots: real if roots are in conjugate
--- pairs.
function roots.polynomial(list)
  local c = { { 1, 0 }, real = list.real or in_pairs(list) }
  for _, r in ipairs(list) do
    c[#c + 1] = { 0, 0 }
    for k = #c, 2, -1 do c[k] = sub(c[k], mul(r, c[k - 1])) end
  end
  return c
end

return roots
