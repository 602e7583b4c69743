-- cp.scipy.signal: filters as coefficients, as zeros, poles and gain, and as sections, made from each other.
-- They are few numbers, which are computed in Lua as pairs (roots.lua).

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local roots, zpk = require "cupola.scipy.signal.roots", require "cupola.scipy.signal.zpk"

  local number, usage, raise_shape = core.number, core.usage, core.raise_shape
  local forms = {}

  -- ---- arguments and results

  local SINGLE = { float32 = true, complex64 = true }

  --- A list of numbers in pairs from a number, a table or a vector, `real` if it is, `single` if it is an
  --- array of a single dtype.
  function forms.list(where, v, argument, least)
    local list = { real = true, single = cp.is_array(v) and SINGLE[v.dtype] }
    for k, x in ipairs(core.coefficients(where, v, argument, least or 0)) do
      if type(x) == "number" then
        list[k] = { x, 0 }
      else
        list[k], list.real = { x.re, x.im }, nil
      end
    end
    if cp.is_array(v) and core.kind(v) == "c" then list.real = nil end
    return list
  end

  --- A list of pairs as an array, in single precision if the lists after it are.
  function forms.array(list, ...)
    local single, a = select("#", ...) > 0, core.roots_array(list)
    for k = 1, select("#", ...) do single = single and (select(k, ...)).single end
    return single and a:astype(list.real and "float32" or "complex64") or a
  end

  local function pair_of(where, v, argument)
    if type(v) == "number" then return { v, 0 } end
    local list = forms.list(where, v, argument, 1)
    if #list ~= 1 then raise_shape(where, argument .. " must be a number") end
    return list[1]
  end

  --- Zeros, poles and a real gain.
  function forms.zpk(where, z, p, k)
    z, p, k = forms.list(where, z, "z"), forms.list(where, p, "p"), pair_of(where, k, "k")
    if k[2] ~= 0 then usage(where, "k must be real") end
    return z, p, k[1]
  end

  -- ---- polynomials

  local function scaled(list, by)
    local out = roots.map(list, function(v) return roots.mul(v, by) end)
    if by[2] ~= 0 then out.real = nil end
    return out
  end

  -- A list divided by a number of the list `of`.
  local function divided(list, by, of)
    local out = roots.map(list, function(v) return roots.div(v, by) end)
    if not of.real then out.real = nil end
    return out
  end

  --- The product of two polynomials.
  function forms.times(a, b)
    local out = { real = a.real and b.real }
    for k = 1, #a + #b - 1 do out[k] = { 0, 0 } end
    for i, v in ipairs(a) do
      for j, w in ipairs(b) do out[i + j - 1] = roots.add(out[i + j - 1], roots.mul(v, w)) end
    end
    return out
  end

  local function is_zero(v) return v[1] == 0 and v[2] == 0 end

  --- A list without its first ones.
  local function without_first(list, count)
    local out = { real = list.real, single = list.single }
    for k = count + 1, #list do out[#out + 1] = list[k] end
    return out
  end

  local function leading(list, is)
    local n = 0
    while n < #list and is(list[n + 1]) do n = n + 1 end
    return n
  end

  --- A numerator without zeros before its first other coefficient.
  function forms.trimmed(b) return without_first(b, math.min(leading(b, is_zero), #b - 1)) end

  -- The same of a denominator, and what that coefficient is.
  local function trimmed(where, a)
    local n = leading(a, is_zero)
    if n == #a then usage(where, "a must have a coefficient that is not 0") end
    return without_first(a, n), a[n + 1]
  end

  local function is_tiny(v) return roots.abs(v) <= 1e-14 end

  --- b and a divided by a's first coefficient, without leading zeros.
  function forms.normalized(where, b, a)
    local first
    a, first = trimmed(where, a)
    local num = divided(b, first, a)
    num = without_first(num, math.min(leading(num, is_tiny), math.max(#num - 1, 0)))
    return num, divided(a, first, a)
  end

  --- Divides both polynomials of a filter by the first coefficient of a that is not 0, and drops leading
  --- zeros of both.
  ---@param b any  the numerator, highest power first; or a matrix with one in each row
  ---@param a any  the denominator
  ---@return any num
  ---@return any den
  publish("normalize", "b, a", 2, function(where, b, a)
    local den = forms.list(where, a, "a", 1)
    local num = type(b) == "number" and b or core.as_array(b, where, "b")
    if type(num) == "number" or num.ndim < 2 then
      local list = forms.list(where, b, "b", 1)
      local n, d = forms.normalized(where, list, den)
      return forms.array(n, list, den), forms.array(d, den)
    end
    if num.ndim > 2 then raise_shape(where, "b must be a vector or a matrix, not of shape " .. tostring(num.shape)) end
    local first
    den, first = trimmed(where, den)
    num = num / (den.real and cp.array(first[1], den.single and "float32" or "float64")
      or cp.array(cp.complex(first[1], first[2]), den.single and "complex64" or "complex128"))
    local empty = cp.all(cp.abs(num):le(1e-14), 1):astype "int64"
    local drop = math.min(cp.cumprod(empty):sum():item(), core.extent(num, 2) - 1)
    num = core.slice(num, 2, drop + 1, core.extent(num, 2)):copy()
    return core.extent(num, 1) == 1 and num[1] or num, forms.array(divided(den, first, den), den)
  end)

  -- ---- between forms

  local function matrix_of(z) return cp.is_array(z) and z.ndim == 2 and z or nil end

  --- The coefficients of a filter with these zeros, poles and gain.
  ---@param z any  zeros; of several filters in the rows of a matrix
  ---@param p any  poles
  ---@param k any  the gain, or one for each row
  ---@return any b  highest power first, real if complex zeros come in conjugate pairs
  ---@return any a
  publish("zpk2tf", "z, p, k", 3, function(where, z, p, k)
    local poles, rows = forms.list(where, p, "p"), matrix_of(z)
    local a = forms.array(roots.polynomial(poles), poles)
    if not rows then
      local zeros = forms.list(where, z, "z")
      return forms.array(scaled(roots.polynomial(zeros), pair_of(where, k, "k")), zeros, poles), a
    end
    local gains, list = forms.list(where, k, "k", 1), {}
    if #gains ~= 1 and #gains ~= core.extent(rows, 1) then
      raise_shape(where, string.format("k has %d gains for %d rows of z", #gains, core.extent(rows, 1)))
    end
    for r = 1, core.extent(rows, 1) do
      local zeros = forms.list(where, rows[r], "z")
      list[r] = forms.array(scaled(roots.polynomial(zeros), gains[r] or gains[1]), zeros, poles)
    end
    return cp.stack(list), a
  end)

  --- The roots of a polynomial in pairs.
  function forms.roots(list)
    if #list < 2 then return { real = list.real } end
    local x = cp.roots(core.roots_array(list):to "cpu")
    local out = { real = core.kind(x) ~= "c" }
    for k, v in ipairs(x:totable()) do out[k] = out.real and { v, 0 } or { v.re, v.im } end
    return out
  end

  -- Zeros, poles and the gain, a pair, of normalized coefficients.
  local function factored(where, b, a)
    b, a = forms.normalized(where, b, a)
    a.real = a.real and b.real
    b.real = a.real
    local k = b[1]
    return forms.roots(divided(b, k, b)), forms.roots(a), k
  end

  local function from_pair(v) return v[2] == 0 and v[1] or cp.complex(v[1], v[2]) end

  --- Zeros, poles and gain of a filter with these coefficients.
  ---@param b any  highest power first
  ---@param a any
  ---@return any z  real if all are
  ---@return any p
  ---@return number k
  publish("tf2zpk", "b, a", 2, function(where, b, a)
    local num, den = forms.list(where, b, "b", 1), forms.list(where, a, "a", 1)
    local z, p, k = factored(where, num, den)
    return forms.array(z, num, den), forms.array(p, num, den), from_pair(k)
  end)

  local PAIRINGS = { nearest = true, keep_odd = true, minimal = true }

  local function sections(where, z, p, k, pairing, analog)
    analog = core.boolean(analog, where, "analog", false)
    if pairing == nil then pairing = analog and "minimal" or "nearest" end
    if not PAIRINGS[pairing] then core.not_among(where, "pairing", '"nearest", "keep_odd" or "minimal"', pairing) end
    if analog and pairing ~= "minimal" then usage(where, 'the pairing of an analog filter must be "minimal"') end
    if pairing == "minimal" and #p < #z then
      usage(where, 'the pairing "minimal" needs at least as many poles as zeros')
    end
    local rows, bad = zpk.sections(z, p, k, pairing, analog)
    if not rows then usage(where, bad .. " must have the conjugate of each complex value") end
    return cp.array(rows, "float64")
  end

  --- The second-order sections of a filter with these zeros, poles and gain.
  ---@param z any  in conjugate pairs, or real
  ---@param p any  in conjugate pairs, or real
  ---@param k number
  ---@param pairing? string  "nearest" (default): zeros go to the nearest poles, "keep_odd": the same, with a
  --- section of first order if their number is odd, "minimal": for analog filters
  ---@param analog? boolean
  ---@return any  rows b1 b2 b3 a1 a2 a3
  publish("zpk2sos", "z, p, k, pairing, analog", 3, function(where, z, p, k, pairing, analog)
    z, p, k = forms.zpk(where, z, p, k)
    return sections(where, z, p, k, pairing, analog)
  end)

  --- The second-order sections of a filter with these coefficients.
  ---@param b any  highest power first
  ---@param a any
  ---@param pairing? string  as for zpk2sos
  ---@param analog? boolean
  ---@return any  rows b1 b2 b3 a1 a2 a3
  publish("tf2sos", "b, a, pairing, analog", 2, function(where, b, a, pairing, analog)
    local z, p, k = factored(where, forms.list(where, b, "b", 1), forms.list(where, a, "a", 1))
    if k[2] ~= 0 then usage(where, "the gain must be real") end
    return sections(where, z, p, k[1], pairing, analog)
  end)

  -- The polynomials of each section.
  local function sections_of(where, sos)
    local x = core.as_array(sos, where, "sos")
    if x.ndim ~= 2 or core.extent(x, 2) ~= 6 then
      raise_shape(where, "sos must have rows of 6 numbers, not shape " .. tostring(x.shape))
    end
    local rows = {}
    for k = 1, core.extent(x, 1) do
      rows[k] = { forms.list(where, x[k][{ { 1, 3 } }], "sos"), forms.list(where, x[k][{ { 4, 6 } }], "sos") }
    end
    return rows, { single = cp.is_array(sos) and SINGLE[x.dtype], real = core.kind(x) ~= "c" or nil }
  end

  --- The coefficients of a filter in second-order sections.
  ---@param sos any  rows b1 b2 b3 a1 a2 a3
  ---@return any b
  ---@return any a
  publish("sos2tf", "sos", 1, function(where, sos)
    local rows, like = sections_of(where, sos)
    local b, a = { { 1, 0 }, real = like.real }, { { 1, 0 }, real = like.real }
    for _, row in ipairs(rows) do
      b, a = forms.times(b, forms.trimmed(row[1])), forms.times(a, forms.trimmed(row[2]))
    end
    return forms.array(b, like), forms.array(a, like)
  end)

  --- Zeros, poles and gain of a filter in second-order sections: two of each for a section, 0 for those that
  --- it does not have.
  ---@param sos any  rows b1 b2 b3 a1 a2 a3
  ---@return any z  complex128
  ---@return any p  complex128
  ---@return number k
  publish("sos2zpk", "sos", 1, function(where, sos)
    local rows = sections_of(where, sos)
    local z, p, k = {}, {}, { 1, 0 }
    for _, row in ipairs(rows) do
      local zeros, poles, gain = factored(where, row[1], row[2])
      for j = 1, 2 do
        z[#z + 1], p[#p + 1] = zeros[j] or { 0, 0 }, poles[j] or { 0, 0 }
      end
      k = roots.mul(k, gain)
    end
    return core.roots_array(z), core.roots_array(p), from_pair(k)
  end)

  -- ---- bands

  local function band(where, z, p, k, name, ...)
    z, p, k = forms.zpk(where, z, p, k)
    if #z > #p then usage(where, "a filter needs at least as many poles as zeros") end
    local one, two, gain = zpk.move[name](z, p, k, ...)
    return forms.array(one, z, p), forms.array(two, z, p), gain
  end

  --- Moves the edge of an analogue lowpass filter from 1 to wo radians per second.
  ---@param z any  zeros
  ---@param p any  poles
  ---@param k number  gain
  ---@param wo? number  default 1
  ---@return any z
  ---@return any p
  ---@return number k
  publish("lp2lp_zpk", "z, p, k, wo", 3, function(where, z, p, k, wo)
    return band(where, z, p, k, "lowpass", number(wo, where, "wo", 1))
  end)

  --- Makes an analogue highpass filter with its edge at wo of a lowpass filter with its edge at 1.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param wo? number  default 1
  ---@return any z
  ---@return any p
  ---@return number k
  publish("lp2hp_zpk", "z, p, k, wo", 3, function(where, z, p, k, wo)
    return band(where, z, p, k, "highpass", number(wo, where, "wo", 1))
  end)

  --- Makes an analogue bandpass filter of a lowpass filter with its edge at 1.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param wo? number  the centre of the band; default 1
  ---@param bw? number  its width; default 1
  ---@return any z  complex128
  ---@return any p  complex128
  ---@return number k
  publish("lp2bp_zpk", "z, p, k, wo, bw", 3, function(where, z, p, k, wo, bw)
    return band(where, z, p, k, "bandpass", number(wo, where, "wo", 1), number(bw, where, "bw", 1))
  end)

  --- Makes an analogue bandstop filter of a lowpass filter with its edge at 1.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param wo? number  the centre of the band; default 1
  ---@param bw? number  its width; default 1
  ---@return any z  complex128
  ---@return any p  complex128
  ---@return number k
  publish("lp2bs_zpk", "z, p, k, wo, bw", 3, function(where, z, p, k, wo, bw)
    return band(where, z, p, k, "bandstop", number(wo, where, "wo", 1), number(bw, where, "bw", 1))
  end)

  --- Makes a digital filter of an analogue one, by the bilinear transform.
  ---@param z any
  ---@param p any
  ---@param k number
  ---@param fs number  the sampling rate
  ---@return any z
  ---@return any p
  ---@return number k
  publish("bilinear_zpk", "z, p, k, fs", 4, function(where, z, p, k, fs)
    z, p, k = forms.zpk(where, z, p, k)
    if #z > #p then usage(where, "a filter needs at least as many poles as zeros") end
    local one, two, gain = zpk.bilinear(z, p, k, number(fs, where, "fs"))
    return forms.array(one, z, p), forms.array(two, z, p), gain
  end)

  return forms
end
