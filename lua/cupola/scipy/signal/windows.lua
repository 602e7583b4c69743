-- cp.scipy.signal.windows, get_window, and NumPy's five windows. Each window is a function of M and its
-- parameters that returns the M values of a symmetric window; the periodic window for spectra (sym = false)
-- is that of M + 1 without the last value.

return function(cp, core)
  local signal = cp.scipy.signal
  local windows = {}
  signal.windows = windows
  local publish = core.publisher(windows, "scipy.signal.windows.")

  local pi = math.pi

  local number, usage = core.number, core.usage

  local function indexes(M) return cp.arange(M, { dtype = "float64" }) end

  -- ---- shapes

  -- Sums of cosines with alternating signs.
  local function cosines(M, a)
    local phase, w = indexes(M) * (2 * pi / (M - 1)) - pi, 0
    for k, factor in ipairs(a) do w = k == 1 and factor or w + factor * cp.cos((k - 1) * phase) end
    return cp.is_array(w) and w or cp.full({ M }, w)
  end

  local function cosine_window(...)
    local a = { ... }
    return function(M) return cosines(M, a) end
  end

  -- Values from -1 to 1.
  local function ramp(M) return indexes(M) * (2 / (M - 1)) - 1 end

  local shapes = {}

  shapes.boxcar = function(M) return cp.ones({ M }, "float64") end
  shapes.hann = cosine_window(0.5, 0.5)
  shapes.hamming = cosine_window(0.54, 0.46)
  shapes.blackman = cosine_window(0.42, 0.50, 0.08)
  shapes.nuttall = cosine_window(0.3635819, 0.4891775, 0.1365995, 0.0106411)
  shapes.blackmanharris = cosine_window(0.35875, 0.48829, 0.14128, 0.01168)
  shapes.flattop = cosine_window(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)
  shapes.bartlett = function(M) return 1 - cp.abs(ramp(M)) end
  shapes.cosine = function(M) return cp.sin((indexes(M) + 0.5) * (pi / M)) end
  shapes.lanczos = function(M) return cp.sinc(ramp(M)) end

  shapes.triang = function(M)
    local d = cp.abs(2 * indexes(M) - (M - 1))
    if M % 2 == 0 then return 1 - d / M end
    return 1 - d / (M + 1)
  end

  shapes.parzen = function(M)
    local x = cp.abs(indexes(M) - (M - 1) / 2) / (M / 2)
    return cp.where(x:le((M - 1) / 4 / (M / 2)), 1 - 6 * x ^ 2 + 6 * x ^ 3, 2 * (1 - x) ^ 3)
  end

  shapes.bohman = function(M)
    local x = cp.abs(ramp(M))
    local w = (1 - x) * cp.cos(pi * x) + cp.sin(pi * x) / pi
    return cp.where(cp.logical_or(indexes(M):eq(0), indexes(M):eq(M - 1)), 0, w)
  end

  shapes.barthann = function(M)
    local x = 0.5 * ramp(M)
    return 0.62 - 0.48 * cp.abs(x) + 0.38 * cp.cos(2 * pi * x)
  end

  shapes.kaiser = function(M, beta)
    local x = cp.maximum(1 - cp.square(ramp(M)), 0)
    return cp.i0(beta * cp.sqrt(x)) / cp.i0(cp.full({ 1 }, beta))
  end

  shapes.gaussian = function(M, std) return cp.exp(cp.square((indexes(M) - (M - 1) / 2) / std) * -0.5) end

  shapes.general_gaussian = function(M, p, sig)
    return cp.exp(-0.5 * cp.abs((indexes(M) - (M - 1) / 2) / sig) ^ (2 * p))
  end

  shapes.exponential = function(M, center, tau)
    return cp.exp(-cp.abs(indexes(M) - (center or (M - 1) / 2)) / tau)
  end

  shapes.tukey = function(M, alpha)
    if alpha <= 0 then return shapes.boxcar(M) end
    if alpha >= 1 then return shapes.hann(M) end
    local n, width = indexes(M), math.floor(alpha * (M - 1) / 2)
    local near = cp.minimum(n, (M - 1) - n) -- the distance from the nearer end
    return cp.where(near:le(width), 0.5 * (1 + cp.cos(pi * (2 * near / (alpha * (M - 1)) - 1))), 1)
  end

  shapes.general_hamming = function(M, alpha) return cosines(M, { alpha, 1 - alpha }) end

  shapes.general_cosine = cosines

  -- The Taylor window, for radar: nbar side lobes next to the main lobe are sll decibels below it.
  shapes.taylor = function(M, nbar, sll, norm)
    local b = 10 ^ (sll / 20)
    local a = math.log(b + math.sqrt(b * b - 1)) / pi
    local s2 = nbar * nbar / (a * a + (nbar - 0.5) ^ 2)
    local function factor(m)
      local top, bottom = (-1) ^ (m + 1), 2
      for k = 1, nbar - 1 do
        top = top * (1 - m * m / s2 / (a * a + (k - 0.5) ^ 2))
        if k ~= m then bottom = bottom * (1 - m * m / (k * k)) end
      end
      return top / bottom
    end
    local function value(n)
      local w = 1
      for m = 1, nbar - 1 do w = w + 2 * factor(m) * cp.cos(2 * pi * m * (n - M / 2 + 0.5) / M) end
      return w
    end
    local w = value(indexes(M))
    if not cp.is_array(w) then w = cp.full({ M }, w) end
    return norm and w / value((M - 1) / 2) or w
  end

  -- The window of Dolph and Chebyshev: the inverse transform of Chebyshev's polynomial of order M - 1, whose
  -- side lobes are all `at` decibels below the main lobe.
  shapes.chebwin = function(M, at)
    local order, level = M - 1, 10 ^ (math.abs(at) / 20)
    local rate = math.log(level + math.sqrt(level * level - 1)) / order
    local x = (math.exp(rate) + math.exp(-rate)) / 2 * cp.cos(indexes(M) * (pi / M))
    local size = cp.abs(x)
    local outside = cp.cosh(order * cp.arccosh(cp.maximum(size, 1)))
    if M % 2 == 0 then outside = cp.where(x:lt(0), -outside, outside) end
    local p = cp.where(size:le(1), cp.cos(order * cp.arccos(cp.clip(x, -1, 1))), outside)
    if M % 2 == 0 then p = p * cp.exp(indexes(M) * cp.complex(0, pi / M)) end
    local w = cp.fft.fft(p).real
    local first, last = M % 2 == 1 and 1 or 2, math.floor(M / 2) + 1
    w = cp.concatenate { cp.flip(core.slice(w, 1, 2, last)), core.slice(w, 1, first, last) }
    return w / w:max()
  end

  -- The square roots of sums of a Kaiser window's elements, forward and backward.
  shapes.kaiser_bessel_derived = function(M, beta)
    local sums = cp.cumsum(shapes.kaiser(M / 2 + 1, beta))
    local half = cp.sqrt(core.slice(sums, 1, 1, M / 2) / sums[M / 2 + 1])
    return cp.concatenate { half, cp.flip(half) }
  end

  -- ---- functions

  local function length_of(where, M)
    M = core.integer(M, where, "M")
    if M < 0 then usage(where, string.format("M must not be negative, but is %d", M)) end
    return M
  end

  -- The window of a shape, whose parameters have been checked.
  local function made(where, shape, M, sym, ...)
    M = length_of(where, M)
    sym = core.boolean(sym, where, "sym", true)
    if M < 1 then return cp.empty({ 0 }, "float64") end
    if M == 1 then return cp.ones({ 1 }, "float64") end
    if sym then return shape(M, ...) end
    return core.slice(shape(M + 1, ...), 1, 1, M):copy()
  end

  local PLAIN = { "boxcar", "hann", "hamming", "blackman", "nuttall", "blackmanharris", "flattop", "bartlett", "cosine",
    "lanczos", "triang", "parzen", "bohman", "barthann" }
  for _, name in ipairs(PLAIN) do
    publish(name, "M, sym", 1, function(where, M, sym) return made(where, shapes[name], M, sym) end)
  end

  local takes = {} -- name -> at least and at most how many parameters get_window takes for a window
  for _, name in ipairs(PLAIN) do takes[name] = { 0, 0 } end

  -- parameters: {name, default} each; without a default it is required.
  local function define(name, parameters, check)
    local names, required = { "M" }, 1
    for k, p in ipairs(parameters) do
      names[k + 1] = p[1]
      if p[2] == nil then required = k + 1 end
    end
    names[#names + 1] = "sym"
    local function f(where, M, ...)
      local values, sym = { ... }, select(#parameters + 1, ...)
      for k, p in ipairs(parameters) do
        if values[k] == nil then values[k] = p[2] end
        if type(p[2]) == "boolean" then
          values[k] = core.boolean(values[k], where, p[1], p[2])
        elseif p[3] ~= "table" then
          values[k] = number(values[k], where, p[1])
        end
      end
      if check then check(where, values) end
      return made(where, shapes[name], M, sym, values[1], values[2], values[3])
    end
    publish(name, table.concat(names, ", "), required, f)
    takes[name] = { required - 1, #parameters }
  end

  local function positive(name, k)
    return function(where, values)
      if values[k] <= 0 then usage(where, name .. " must be above 0") end
    end
  end

  define("kaiser", { { "beta" } })
  define("chebwin", { { "at" } })
  define("gaussian", { { "std" } }, positive("std", 1))
  define("general_gaussian", { { "p" }, { "sig" } }, positive("sig", 2))
  define("general_hamming", { { "alpha" } })
  define("tukey", { { "alpha", 0.5 } })
  define("taylor", { { "nbar", 4 }, { "sll", 30 }, { "norm", true } }, function(where, values)
    core.integer(values[1], where, "nbar", nil, 1, 1000)
  end)
  define("general_cosine", { { "a", nil, "table" } }, function(where, values)
    values[1] = core.listed(values[1])
    if type(values[1]) ~= "table" or #values[1] == 0 then usage(where, "a must be a table of numbers") end
    for _, v in ipairs(values[1]) do number(v, where, "a") end
  end)

  publish("exponential", "M, center, tau, sym", 1,
    function(where, M, center, tau, sym)
      tau = number(tau, where, "tau", 1)
      center = center ~= nil and number(center, where, "center") or nil
      if center and core.boolean(sym, where, "sym", true) then
        usage(where, "a symmetric window has its centre in the middle: leave center out, or give sym = false")
      end
      return made(where, shapes.exponential, M, sym, center, tau)
    end)

  takes.exponential = { 0, 2 }

  --- The window whose square and its square one half later add up to 1, for transforms of overlapping halves.
  ---@param M integer  even
  ---@param beta number  as of kaiser
  ---@param sym? boolean  must be true
  ---@return any  float64 array
  publish("kaiser_bessel_derived", "M, beta, sym", 2, function(where, M, beta, sym)
    M, beta = length_of(where, M), number(beta, where, "beta")
    if not core.boolean(sym, where, "sym", true) then usage(where, "this window is only defined as a symmetric one") end
    if M % 2 == 1 then usage(where, string.format("M must be even, but is %d", M)) end
    return M == 0 and cp.empty({ 0 }, "float64") or shapes.kaiser_bessel_derived(M, beta)
  end)
  takes.kaiser_bessel_derived = { 1, 1 }

  -- ---- discrete prolate spheroidal sequences

  local slepian = require "cupola.scipy.signal.slepian"(cp)
  local NORMS = { [2] = true, approximate = true, subsample = true }

  -- M, Kmax and norm, checked; whether there is one window only.
  local function sequences_of(where, M, NW, Kmax, norm)
    local alone = Kmax == nil
    if norm == nil then norm = alone and "approximate" or 2 end
    if not NORMS[norm] then core.not_among(where, "norm", '2, "approximate" or "subsample"', norm) end
    M, Kmax = length_of(where, M), alone and 1 or core.integer(Kmax, where, "Kmax")
    if M > 1 then
      if Kmax < 1 or Kmax > M then usage(where, string.format("Kmax must be from 1 to M, but is %d", Kmax)) end
      if not (NW > 0 and NW < M / 2) then usage(where, "NW must be above 0 and below M / 2") end -- luacheck: ignore
    end
    return M, Kmax, norm, alone
  end

  --- Slepian windows, whose energy is most concentrated in a band: discrete prolate spheroidal sequences.
  ---@param M integer
  ---@param NW number  half the width of the band, in units of 1 / M of the sampling rate
  ---@param Kmax? integer  how many windows; without it one, a vector
  ---@param sym? boolean  default true
  ---@param norm? any  2: of norm 1 (default with Kmax), "approximate" (default without) or "subsample": the
  --- highest value is 1, for even M that between two elements
  ---@param return_ratios? boolean
  ---@return any  float64: (Kmax, M), or (M)
  ---@return any ratios  with return_ratios: how much of the energy lies in the band
  publish("dpss", "M, NW, Kmax, sym, norm, return_ratios", 2,
    function(where, M, NW, Kmax, sym, norm, return_ratios)
      local alone
      NW, sym = number(NW, where, "NW"), core.boolean(sym, where, "sym", true)
      M, Kmax, norm, alone = sequences_of(where, M, NW, Kmax, norm)
      return_ratios = core.boolean(return_ratios, where, "return_ratios", false)
      local w, ratios
      if M <= 1 then
        w, ratios = cp.ones({ M }, "float64"), cp.ones({ 1 }, "float64")
      else
        w, ratios = slepian.windows(sym and M or M + 1, NW, Kmax, norm, return_ratios)
        if not sym then w = core.slice(w, 2, 1, M):copy() end
        if alone then w = w[1] end
      end
      if not return_ratios then return w end
      return w, alone and ratios[1] or ratios
    end)
  takes.dpss = { 1, 1 }

  -- ---- by name

  local ALIASES = { rectangular = "boxcar", rect = "boxcar", ones = "boxcar", box = "boxcar", hanning = "hann",
    han = "hann", hamm = "hamming", ham = "hamming", black = "blackman", blk = "blackman", bart = "bartlett",
    brt = "bartlett", triangle = "triang", tri = "triang", gauss = "gaussian", gss = "gaussian", ksr = "kaiser",
    sinc = "lanczos", flat = "flattop", flt = "flattop", parz = "parzen", par = "parzen", bman = "bohman",
    bmn = "bohman", halfcosine = "cosine", poisson = "exponential", tuk = "tukey", brthan = "barthann",
    bth = "barthann", blackharr = "blackmanharris", bkh = "blackmanharris", nutl = "nuttall", nut = "nuttall",
    taylorwin = "taylor", cheb = "chebwin", kbd = "kaiser_bessel_derived",
    ["kaiser bessel derived"] = "kaiser_bessel_derived", ["general cosine"] = "general_cosine",
    ["general hamming"] = "general_hamming", ["general gaussian"] = "general_gaussian",
    ["general gauss"] = "general_gaussian", general_gauss = "general_gaussian", ggs = "general_gaussian" }

  -- The window's name, whether a name that says so is of a symmetric or a periodic one, else `sym`.
  local function named(where, name, sym)
    if type(name) ~= "string" then
      usage(where, "window must be a name, a table of name and parameters, or a number")
    end
    local plain, ending = string.match(name, "^(.+)_(%a+)$")
    if ending == "symmetric" or ending == "periodic" then name, sym = plain, ending == "symmetric" end
    name = ALIASES[name] or name
    if not takes[name] then
      local known = {}
      for key in pairs(takes) do known[#known + 1] = key end
      local near = core.suggest(name, known)
      usage(where, string.format("no window '%s'%s", name, near and string.format("; did you mean %s?", near) or ""))
    end
    return name, sym
  end

  --- A window by its name, or by a table of name and parameters: {"kaiser", 8}, {"gaussian", 7}. A number is
  --- the beta of a Kaiser window.
  ---@param window any  a name that ends in _symmetric or _periodic overrides fftbins
  ---@param Nx integer
  ---@param fftbins? boolean  true (default): periodic, for spectra; false: symmetric
  ---@return any  float64 array
  windows.get_window = core.define("scipy.signal.get_window", "window, Nx, fftbins", 2,
    function(where, window, Nx, fftbins)
    local sym = not core.boolean(fftbins, where, "fftbins", true)
    Nx = core.integer(Nx, where, "Nx")
    if Nx < 1 then usage(where, string.format("Nx must be above 0, but is %d", Nx)) end
    if type(window) == "number" then return windows.kaiser(Nx, window, sym) end
    local given, name = type(window) == "table" and window or { window }
    name, sym = named(where, given[1], sym)
    local count, limits = 0, takes[name]
    for k = 2, 4 do count = given[k] ~= nil and k - 1 or count end
    if count < limits[1] then
      usage(where, string.format('the window %s needs parameters: {"%s", ...}', name, name))
    elseif count > limits[2] then
      usage(where, string.format("the window %s takes %s", name, core.counted(limits[2], "parameter")))
    end
    if name == "dpss" then return windows.dpss(Nx, given[2], nil, sym) end
    local values = { given[2], given[3], given[4] }
    values[limits[2] + 1] = sym
    return windows[name](Nx, unpack(values, 1, limits[2] + 1))
  end)
  signal.get_window = windows.get_window

  -- ---- NumPy's

  -- Negative lengths give an empty array, where SciPy's functions raise.
  local function made_here(where, shape, M, ...)
    return made(where, shape, math.max(core.integer(M, where, "M"), 0), true, ...)
  end

  for name, shape in pairs { bartlett = "bartlett", blackman = "blackman", hamming = "hamming", hanning = "hann" } do
    core.publish(name, "M", 1, function(where, M) return made_here(where, shapes[shape], M) end)
  end

  --- The Kaiser window, the same as cp.scipy.signal.windows.kaiser.
  ---@param M integer
  ---@param beta number
  ---@return any  float64 array
  core.publish("kaiser", "M, beta", 2, function(where, M, beta)
    return made_here(where, shapes.kaiser, M, number(beta, where, "beta"))
  end)
end
