-- Zeros, poles and gains of filters: moved to other bands, made digital, and as polynomials or sections.
-- Lists of numbers in pairs (roots.lua) are `real` where SciPy's arrays are.

local roots = require "cupola.scipy.signal.roots"

local add, sub, neg, mul, div, sqrt = roots.add, roots.sub, roots.neg, roots.mul, roots.div, roots.sqrt
local abs, map, append, conj = roots.abs, roots.map, roots.append, roots.conj

local zpk = { move = {} }
local move = zpk.move

local function copy(v) return v end

function move.lowpass(z, p, k, wo)
  local function scaled(v) return mul({ wo, 0 }, v) end
  return map(z, scaled), map(p, scaled), k * wo ^ (#p - #z)
end

function move.highpass(z, p, k, wo)
  local function turned(v) return div({ wo, 0 }, v) end
  return append(map(z, turned), { 0, 0 }, #p - #z), map(p, turned), k * roots.gain(z, p, neg)
end

-- Both lists as complex ones unless both are real, as arrays have one dtype before they are moved to bands.
local function alike(z, p)
  if z.real and p.real then return z, p end
  local out = { {}, {} }
  for n, list in ipairs { z, p } do
    for k, v in ipairs(list) do out[n][k] = v end
  end
  return out[1], out[2]
end

-- Two values for each in the list.
local function both_sides(list, wo)
  local out = {}
  local function square_root(v) return sqrt(sub(mul(v, v), { wo * wo, 0 })) end
  for _, v in ipairs(list) do out[#out + 1] = add(v, square_root(v)) end
  for _, v in ipairs(list) do out[#out + 1] = sub(v, square_root(v)) end
  return out
end

function move.bandpass(z, p, k, wo, bw)
  z, p = alike(z, p)
  local function scaled(v) return div(mul(v, { bw, 0 }), { 2, 0 }) end
  return append(both_sides(map(z, scaled), wo), { 0, 0 }, #p - #z), both_sides(map(p, scaled), wo), k * bw ^ (#p - #z)
end

function move.bandstop(z, p, k, wo, bw)
  z, p = alike(z, p)
  local function turned(v) return div({ bw / 2, 0 }, v) end
  local zeros = both_sides(map(z, turned), wo)
  append(append(zeros, { 0, wo }, #p - #z), { 0, -wo }, #p - #z)
  return zeros, both_sides(map(p, turned), wo), k * roots.gain(z, p, neg)
end

--- By the bilinear transform, for a sampling rate of fs.
function zpk.bilinear(z, p, k, fs)
  local twice = { 2 * fs, 0 }
  local function rest(v) return sub(twice, v) end
  local function mapped(v) return div(add(twice, v), rest(v)) end
  return append(map(z, mapped), { -1, 0 }, #p - #z), map(p, mapped), k * roots.gain(z, p, rest)
end

-- ---- sections

local function is_real(v) return v[2] == 0 end

local LARGEST = 100 * 2 ^ -52 -- the largest imaginary part of a real root, relative to its size

local function by_real(a, b) return a[1] < b[1] or a[1] == b[1] and math.abs(a[2]) < math.abs(b[2]) end

--- One of each conjugate pair, with a positive imaginary part, then the real ones, each sorted by the real
--- part; nil if a root lacks its conjugate.
function zpk.half(list)
  local upper, lower, real = {}, {}, {}
  for _, v in ipairs(list) do
    if math.abs(v[2]) <= LARGEST * abs(v) then
      real[#real + 1] = { v[1], 0 }
    else
      local side = v[2] > 0 and upper or lower
      side[#side + 1] = v
    end
  end
  if #upper ~= #lower then return nil end
  table.sort(upper, by_real)
  table.sort(real, by_real)
  local out = {}
  for k, v in ipairs(upper) do -- beside the nearest of those below
    local best
    for j, w in ipairs(lower) do
      if not best or abs(sub(conj(w), v)) < abs(sub(conj(lower[best]), v)) then best = j end
    end
    local w = conj(table.remove(lower, best))
    if abs(sub(v, w)) > LARGEST * abs(w) then return nil end
    out[k] = { (v[1] + w[1]) / 2, (v[2] + w[2]) / 2 }
  end
  for _, v in ipairs(real) do out[#out + 1] = v end
  return out, #upper
end

local function count_real(list)
  local n = 0
  for _, v in ipairs(list) do n = n + (is_real(v) and 1 or 0) end
  return n
end

-- Removes and returns the entry of the list with the least cost, if `real` is given only from those that are
-- real or are not; nil if there is none.
local function take_best(list, cost, real)
  local best
  for k, v in ipairs(list) do
    if (real == nil or is_real(v) == real) and (not best or cost(v) < cost(list[best])) then best = k end
  end
  return best and table.remove(list, best)
end

local function from_circle(v) return math.abs(1 - abs(v)) end
local function from_axis(v) return math.abs(v[1]) end

-- The coefficients of a section, highest power first, as six numbers.
local function section(z, p)
  local row = {}
  for _, list in ipairs { z, p } do
    local c = roots.polynomial(list)
    for power = 2, 0, -1 do row[#row + 1] = power < #c and c[#c - power][1] or 0 end
  end
  return row
end

-- The zeros of the section of the poles p1 and, unless it is alone, another.
local function zeros_of(p1, alone, z, p, minimal)
  local function near(v) return abs(sub(v, p1)) end
  if alone then
    local zero = take_best(z, near, true)
    return minimal and { zero } or { zero, { 0, 0 } }
  end
  -- A complex zero now, if there are more of them than sections of two poles after this one.
  local reals = count_real(p)
  local must = #z - count_real(z) > #p - reals + math.floor(reals / 2)
  local zero
  if must then zero = take_best(z, near, false) else zero = take_best(z, near) end
  if not zero then return {} end
  if not is_real(zero) then return { zero, conj(zero) } end
  return { zero, (take_best(z, near, true)) }
end

-- As many zeros as poles, for digital filters: those missing are at 0. The pairing "nearest" makes them even.
local function evened(z, p, pairing)
  z, p = map(z, copy), map(p, copy)
  append(p, { 0, 0 }, #z - #p)
  append(z, { 0, 0 }, #p - #z)
  if #p % 2 == 1 and pairing == "nearest" then
    append(p, { 0, 0 }, 1)
    append(z, { 0, 0 }, 1)
  end
  return z, p
end

--- Second-order sections, as rows of six numbers: the poles nearest to the border of the stable ones, the
--- unit circle or of analogue filters the imaginary axis, are paired with the zeros nearest to them, from the
--- last section to the first. nil, and which list it is, where a root lacks its conjugate.
function zpk.sections(z, p, k, pairing, analog)
  if #z == 0 and #p == 0 then return { analog and { 0, 0, k, 0, 0, 1 } or { k, 0, 0, 1, 0, 0 } } end
  local minimal, cost = pairing == "minimal", analog and from_axis or from_circle
  if not minimal then z, p = evened(z, p, pairing) end
  local count, rows = math.ceil(#p / 2), {}
  z, p = zpk.half(z), zpk.half(p)
  if not z or not p then return nil, z and "p" or "z" end
  for at = count, 1, -1 do
    local p1 = take_best(p, cost)
    local alone = is_real(p1) and count_real(p) == 0
    local poles = { p1 }
    if not is_real(p1) then
      poles[2] = conj(p1)
    elseif not alone then
      poles[2] = take_best(p, cost, true)
    elseif not minimal then
      poles[2] = { 0, 0 }
    end
    rows[at] = section(zeros_of(p1, alone, z, p, minimal), poles)
  end
  for c = 1, 3 do rows[1][c] = rows[1][c] * k end
  return rows
end

return zpk
