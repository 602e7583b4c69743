-- cp.scipy.fft: the functions of cp.fft, and cosine and sine transforms, which are computed as Fourier
-- transforms of reordered elements.

return function(cp, core)
  local fft = {}
  cp.scipy.fft = fft
  local slice = core.slice
  local publish = core.publisher(fft, "scipy.fft.")

  for _, name in ipairs { "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn",
    "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq", "fftshift", "ifftshift" } do
    fft[name] = cp.fft[name]
  end

  local usage, lengths = core.usage, require "cupola.analysis.lengths"

  --- The smallest length of at least this value with a fast transform: a product of 2, 3, 5 and 7.
  ---@param target integer
  ---@param real? boolean  for a real transform; the lengths are the same
  ---@return integer
  publish("next_fast_len", "target, real", 1, function(where, target, real)
    target = core.integer(target, where, "target")
    core.boolean(real, where, "real", false)
    if target < 1 or target > lengths.LARGEST then
      usage(where, string.format("target must be from 1 to 2^52, but is %d", target))
    end
    return lengths.fast(target)
  end)

  -- ---- along the last axis

  -- exp(sign i pi k / 2n), k from 0 to count - 1.
  local function turns(x, n, sign, count)
    local dtype = x.dtype == "float64" and "float64" or "float32"
    local angle = cp.arange(count, { dtype = dtype, device = x.device }) * (sign * math.pi / (2 * n))
    return cp.cos(angle) + cp.j * cp.sin(angle)
  end

  local function reversed(x) return slice(x, x.ndim, core.extent(x, -1), 1, -1) end

  -- Zeros of x's shape with length n along the last axis.
  local function zeros_as(x, n)
    local shape = {}
    for d = 1, x.ndim do shape[d] = d == x.ndim and n or core.extent(x, d) end
    return cp.zeros(shape, { dtype = x.dtype, device = x.device })
  end

  -- Element k is 2 times the sum of x[m] cos(pi k (2 m + 1) / 2n), k and m from 0.
  local function cosine_2(x)
    local n, d = core.extent(x, -1), x.ndim
    local half = math.floor((n + 1) / 2)
    local even = slice(x, d, 1, 2 * half - 1, 2)
    local order = n > 1 and cp.concatenate({ even, reversed(slice(x, d, 2, 2 * (n - half), 2)) }, d) or even
    local count = math.floor(n / 2) + 1
    local z = (cp.fft.rfft(order) * turns(x, n, -1, count)):eval()
    local result = cp.empty_like(order)
    core.write("scipy.fft.dct", slice(result, d, 1, count), 2 * cp.real(z))
    if n > count then -- the elements with factors for n - k
      core.write("scipy.fft.dct", slice(result, d, count + 1, n), -2 * cp.imag(slice(z, d, n - count + 1, 2, -1)))
    end
    return result
  end

  -- Element k is x[0] plus 2 times the sum of x[m] cos(pi m (2 k + 1) / 2n), m from 1.
  local function cosine_3(x)
    local n, d = core.extent(x, -1), x.ndim
    local count = math.floor(n / 2) + 1
    local head, behind = slice(x, d, 1, count), zeros_as(x, count)
    if n > 1 then core.write("scipy.fft.dct", slice(behind, d, 2, count), slice(x, d, n, n - count + 2, -1)) end
    local order = n * cp.fft.irfft((head - cp.j * behind) * turns(x, n, 1, count), n)
    local half, result = math.floor((n + 1) / 2), cp.empty_like(order)
    core.write("scipy.fft.dct", slice(result, d, 1, 2 * half - 1, 2), slice(order, d, 1, half))
    if n > 1 then
      core.write("scipy.fft.dct", slice(result, d, 2, 2 * (n - half), 2), reversed(slice(order, d, half + 1, n)))
    end
    return result
  end

  local function signs(x)
    local n = core.extent(x, -1)
    return (1 - 2 * (cp.arange(n, { dtype = "int64", device = x.device }) % 2)):astype(x.dtype)
  end

  local function sine_2(x) return reversed(cosine_2(x * signs(x))) end
  local function sine_3(x) return cosine_3(reversed(x)) * signs(x) end

  -- Element k is x[0] + (-1)^k x[n - 1] plus 2 times the sum of x[m] cos(pi k m / (n - 1)) of those between.
  local function cosine_1(x)
    local n, d = core.extent(x, -1), x.ndim
    local around = n > 2 and cp.concatenate({ x, slice(x, d, n - 1, 2, -1) }, d) or x
    return cp.real(cp.fft.rfft(around))
  end

  -- Element k is 2 times the sum of x[m] sin(pi (k + 1) (m + 1) / (n + 1)).
  local function sine_1(x)
    local n, d = core.extent(x, -1), x.ndim
    local zero = zeros_as(x, 1)
    return -cp.imag(slice(cp.fft.rfft(cp.concatenate({ zero, x, zero, -reversed(x) }, d)), d, 2, n + 1))
  end

  -- Element k is 2 times the sum of x[m] exp(-i pi (2 k + 1) (2 m + 1) / 4n).
  local function half_turned(x)
    local n, d = core.extent(x, -1), x.ndim
    local turned = slice(cp.fft.fft(x * turns(x, n, -1, n), 2 * n), d, 1, n)
    local dtype = x.dtype == "float64" and "float64" or "float32"
    local angle = (2 * cp.arange(n, { dtype = dtype, device = x.device }) + 1) * (-math.pi / (4 * n))
    return 2 * turned * (cp.cos(angle) + cp.j * cp.sin(angle))
  end

  local function cosine_4(x) return cp.real(half_turned(x)) end
  local function sine_4(x) return -cp.imag(half_turned(x)) end

  local TRANSFORMS = { cos = { cosine_1, cosine_2, cosine_3, cosine_4 }, sin = { sine_1, sine_2, sine_3, sine_4 } }

  -- Half the period of the extended sequence, by which norms divide.
  local function half_cycle(kind, type_, n)
    if type_ ~= 1 then return n end
    return kind == "cos" and n - 1 or n + 1
  end

  -- Scales the element that the orthonormal transform weighs by 1/sqrt(2): the first, for sines the last.
  local function weighed(x, kind, factor, place)
    local d = x.ndim
    local at = place or kind == "cos" and 1 or core.extent(x, d)
    local y = x:copy()
    core.write("scipy.fft.dct", slice(y, d, at, at), slice(x, d, at, at) * factor)
    return y
  end

  -- Scales the first and the last element, as in the orthonormal cosine transform of type 1.
  local function both_weighed(x, factor)
    local d = x.ndim
    return weighed(weighed(x, "cos", factor, 1), "cos", factor, core.extent(x, d))
  end

  -- The transform whose matrix is orthogonal, up to a factor.
  local function orthogonal(x, kind, type_)
    local ends = type_ == 1 and kind == "cos"
    if type_ == 3 then x = weighed(x, kind, math.sqrt(2)) end
    if ends then x = both_weighed(x, math.sqrt(2)) end
    local y = TRANSFORMS[kind][type_](x)
    if ends then return both_weighed(y, math.sqrt(0.5)) end
    return type_ == 2 and weighed(y, kind, math.sqrt(0.5)) or y
  end

  -- One transform along the last axis. o: the norm, `forward`: scaled like a forward transform under it, and
  -- `orthogonal`.
  local function transformed(x, kind, type_, o)
    local n = core.extent(x, -1)
    local cycle = 2 * half_cycle(kind, type_, n)
    local y = o.orthogonal and orthogonal(x, kind, type_) or TRANSFORMS[kind][type_](x)
    if o.norm == "ortho" then return y * math.sqrt(1 / cycle) end
    return (o.norm == "forward") == o.forward and y / cycle or y
  end

  -- ---- arguments

  local REAL = { float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64" }
  local NORMS = { backward = true, ortho = true, forward = true }

  local function take(where, x)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then core.raise(where, "shape", "x must have axes, not be 0-d") end
    if core.kind(x) == "c" then return x end
    return x:astype(REAL[x.dtype] or "float64", false)
  end

  local function type_of(where, v)
    v = core.integer(v, where, "type", 2)
    if v < 1 or v > 4 then usage(where, string.format("type must be from 1 to 4, but is %d", v)) end
    return v
  end

  -- How a transform is scaled, and whether its matrix is orthogonal.
  local function scaling(where, norm, orthogonalize, inverse)
    norm = norm == nil and "backward" or norm
    if not NORMS[norm] then core.not_among(where, "norm", '"backward", "ortho" or "forward"', norm) end
    return { norm = norm, forward = not inverse,
      orthogonal = core.boolean(orthogonalize, where, "orthogonalize", norm == "ortho") }
  end

  -- x cropped or zero-padded to n elements along an axis.
  local function fitted(where, x, axis, n)
    local have = core.extent(x, axis)
    n = core.integer(n, where, "n", have)
    if n < 1 then core.raise(where, "shape", string.format("the length of a transform must be 1 or more, but is %d",
      n)) end
    if n <= have then return slice(x, axis, 1, n) end
    local widths = {}
    for d = 1, x.ndim do widths[d] = { 0, d == axis and n - have or 0 } end
    return cp.pad(x, widths)
  end

  local INVERSE = { 1, 3, 2, 4 }

  -- Complex values are transformed part by part.
  local run
  function run(where, x, kind, type_, axis, o)
    if x.size == 0 then return x:copy() end
    if core.kind(x) == "c" then
      local z = cp.empty_like(x)
      z.real:assign(run(where, x.real, kind, type_, axis, o))
      z.imag:assign(run(where, x.imag, kind, type_, axis, o))
      return z
    end
    if kind == "cos" and type_ == 1 and core.extent(x, axis) < 2 then
      core.raise(where, "shape", "type 1 needs at least 2 elements")
    end
    local y = cp.moveaxis(x, axis, -1)
    y = transformed(y, kind, o.forward and type_ or INVERSE[type_], o)
    return axis == x.ndim and y or cp.moveaxis(y, -1, axis):copy()
  end

  -- The axes to transform along, and x cropped or zero-padded to s elements along them. Without axes, s is
  -- for the last ones.
  local function sized(where, x, s, axes)
    s = core.listed(s)
    if s ~= nil and type(s) ~= "table" then s = { s } end
    if s and axes == nil then
      axes = {}
      for k = 1, #s do axes[k] = k - #s - 1 end
    end
    local list = core.axis_list(axes, where, "axes", x.ndim)
    if s and #s ~= #list then
      core.raise(where, "shape", string.format("s has %s for %s", core.counted(#s, "length"),
        core.counted(#list, "axis", "axes")))
    end
    for k, d in ipairs(list) do
      if s and s[k] ~= -1 then x = fitted(where, x, d, s[k]) end
    end
    return x, list
  end

  local function define(name, kind, inverse)
    publish(name, "x, type, n, axis, norm, orthogonalize", 1,
      function(where, x, type_, n, axis, norm, orthogonalize)
        x, type_ = take(where, x), type_of(where, type_)
        local o = scaling(where, norm, orthogonalize, inverse)
        axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
        return run(where, fitted(where, x, axis, n), kind, type_, axis, o)
      end)
    publish(name .. "n", "x, type, s, axes, norm, orthogonalize", 1,
      function(where, x, type_, s, axes, norm, orthogonalize)
        x, type_ = take(where, x), type_of(where, type_)
        local o = scaling(where, norm, orthogonalize, inverse)
        local list
        x, list = sized(where, x, s, axes)
        for _, axis in ipairs(list) do x = run(where, x, kind, type_, axis, o) end
        return x
      end)
  end

  define("dct", "cos", false)
  define("idct", "cos", true)
  define("dst", "sin", false)
  define("idst", "sin", true)
end
