-- cp.scipy.signal: convolution and correlation, direct (convolution.lua) and by Fourier transforms. Windows,
-- filters and other functions are in their own files.

return function(cp, core, methods)
  local signal = {}
  local publish = core.publisher(signal, "scipy.signal.")
  cp.scipy = rawget(cp, "scipy") or {}
  cp.scipy.signal = signal

  local slice, planes, direct = core.slice, core.planes, require "cupola.analysis.convolution"(cp, core)
  local must_swap, turned, conjugate, empty_like = direct.must_swap, direct.turned, direct.conjugate, direct.empty_like

  local usage, raise_shape = core.usage, core.raise_shape

  local MODES = { full = true, same = true, valid = true }

  local function mode_of(where, mode, missing)
    if mode == nil then return missing or "full" end
    if not MODES[mode] then core.not_among(where, "mode", '"full", "same" or "valid"', mode) end
    return mode
  end

  -- ---- what two arrays have in common

  local FLOATING = { float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64",
    complex64 = "complex64", complex128 = "complex128" }

  -- The dtype in which an array of this dtype is transformed.
  local function floating(x) return FLOATING[x.dtype] or "float64" end

  -- Both arrays in one dtype, and the dtype of their transforms.
  local function pair_of(where, in1, in2)
    local x, h, alike, dtype = core.pair(where, in1, in2)
    if not alike then
      raise_shape(where, string.format("in1 and in2 must have equally many axes, not shapes %s and %s",
        tostring(x.shape), tostring(h.shape)))
    end
    if not dtype then return x, h, floating(x) end
    return x:astype(dtype, false), h:astype(dtype, false), cp.promote_types(floating(x), floating(h))
  end

  -- ---- by transforms

  local fast_length = require("cupola.analysis.lengths").fast

  -- The part of a full result that a mode selects, on a set of axes; "same" is of x's shape on all axes.
  local function part_of(full, x, h, mode, axes)
    if mode == "full" then return full end
    for d = 1, full.ndim do
      if axes[d] or mode == "same" then
        local n, m = core.extent(x, d), core.extent(h, d)
        local length = mode == "same" and n or n - m + 1
        local first = math.floor((core.extent(full, d) - length) / 2)
        full = slice(full, d, first + 1, first + length)
      end
    end
    return full:copy()
  end

  -- The full convolution along a list of axes by transforms; shapes broadcast on the other axes.
  local function full_by_transforms(x, h, list)
    if #list == 0 then return x * h end
    local fast, lengths = {}, {}
    for k, d in ipairs(list) do
      lengths[k] = core.extent(x, d) + core.extent(h, d) - 1
      fast[k] = fast_length(lengths[k])
    end
    local options = { axes = list, s = fast }
    local complex = core.kind(x) == "c"
    local forward, back = complex and cp.fft.fftn or cp.fft.rfftn, complex and cp.fft.ifftn or cp.fft.irfftn
    local full = back(forward(x, options) * forward(h, options), options)
    for k, d in ipairs(list) do full = slice(full, d, 1, lengths[k]) end
    return full
  end

  local function by_transforms(where, x, h, dtype, mode, axes)
    local set, list = {}, {}
    for _, d in ipairs(axes) do set[d] = core.extent(x, d) ~= 1 and core.extent(h, d) ~= 1 end
    for d = 1, x.ndim do
      if set[d] then
        list[#list + 1] = d
      elseif core.extent(x, d) ~= core.extent(h, d) and core.extent(x, d) ~= 1 and core.extent(h, d) ~= 1 then
        raise_shape(where, string.format("in1 and in2 do not broadcast on axis %d: shapes %s and %s", d,
          tostring(x.shape), tostring(h.shape)))
      end
    end
    if #list > 0 then x, h = x:astype(dtype, false), h:astype(dtype, false) end
    if mode == "valid" and must_swap(where, x, h, set) then x, h = h, x end
    if x.size == 0 or h.size == 0 then return empty_like(x) end
    local full = full_by_transforms(x, h, list)
    if mode == "full" and #list > 0 then return full:copy() end
    return part_of(full, x, h, mode, set)
  end

  local function axis_list(where, x, axes) return (core.axis_list(axes, where, "axes", x.ndim)) end

  --- The convolution of two arrays by Fourier transforms.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  "full" (default), "same": of in1's shape, "valid": where they overlap completely
  ---@param axes? any  axes to convolve along; shapes broadcast on the others. Default: all
  ---@return any  floating array
  publish("fftconvolve", "in1, in2, mode, axes", 2, function(where, in1, in2, mode, axes)
    local x, h, dtype = pair_of(where, in1, in2)
    mode = mode_of(where, mode)
    if x.ndim == 0 then return x * h end
    return by_transforms(where, x, h, dtype, mode, axis_list(where, x, axes))
  end)

  -- ---- overlapping pieces

  -- Blocks of x, each with the overlapping end of its predecessor, as rows for one transform.
  local function by_pieces(x, h, d)
    local n, m = core.extent(x, d), core.extent(h, d)
    local size = fast_length(math.max(8 * m, 256))
    local step = size - m + 1
    local count = math.ceil((n + m - 1) / step)
    x = cp.moveaxis(x, d, -1)
    local shape = {}
    for k = 1, x.ndim - 1 do shape[k] = core.extent(x, k) end
    shape[x.ndim] = (count - 1) * step + size
    local wide = cp.zeros(shape, { dtype = x.dtype, device = x.device })
    core.write("scipy.signal.oaconvolve", slice(wide, x.ndim, m, m + n - 1), x)
    local strides = {}
    for k = 1, x.ndim do strides[k] = wide.strides[k] end
    shape[x.ndim], shape[x.ndim + 1] = count, size
    strides[x.ndim], strides[x.ndim + 1] = wide.strides[x.ndim] * step, wide.strides[x.ndim]
    local rows = cp.as_strided(wide, shape, strides)
    h = cp.expand_dims(cp.moveaxis(h, d, -1), -2)
    local complex = core.kind(x) == "c"
    local forward, back = complex and cp.fft.fft or cp.fft.rfft, complex and cp.fft.ifft or cp.fft.irfft
    local sums = slice(back(forward(rows, size) * forward(h, size), size), x.ndim + 1, m, size):copy()
    local last = {}
    for k = 1, sums.ndim - 2 do last[k] = core.extent(sums, k) end
    last[#last + 1] = count * step
    return cp.moveaxis(slice(sums:reshape(last), #last, 1, n + m - 1), -1, d)
  end

  --- The convolution of a long array with a short one, by Fourier transforms of blocks.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  as for fftconvolve
  ---@param axes? any  blocks are used along a single axis; with several axes, the same as fftconvolve
  ---@return any  floating array
  publish("oaconvolve", "in1, in2, mode, axes", 2, function(where, in1, in2, mode, axes)
    local x, h, dtype = pair_of(where, in1, in2)
    mode = mode_of(where, mode)
    if x.ndim == 0 then return x * h end
    local list = axis_list(where, x, axes)
    local d = list[1]
    if mode == "valid" and #list == 1 and must_swap(where, x, h, { [d] = true }) then x, h = h, x end
    local long = d and core.extent(x, d)
    local few = #list ~= 1 or x.size == 0 or h.size == 0 or long < 1024 or core.extent(h, d) * 16 > long
    if few then return by_transforms(where, x, h, dtype, mode, list) end
    local full = by_pieces(x:astype(dtype, false), h:astype(dtype, false), d)
    return mode == "full" and full:copy() or part_of(full, x, h, mode, { [d] = true })
  end)

  -- ---- either way

  -- The time of a sum of products in steps of a transform, and the overhead of starting transforms.
  local STEPS, BEGIN = { cpu = 8, cuda = 40 }, { cpu = 3e5, cuda = 1e9 }

  local function better_method(x, h, mode)
    local kind = core.kind(x)
    if kind ~= "f" and kind ~= "c" then return "direct" end -- exact
    local results, points = 1, 1
    for d = 1, x.ndim do
      local n, m = core.extent(x, d), core.extent(h, d)
      local length = mode == "full" and n + m - 1 or mode == "same" and n or math.abs(n - m) + 1
      results, points = results * length, points * math.max(n + m - 1, 1)
    end
    local device = string.match(x.device, "^%a+")
    local products = results * math.min(x.size, h.size)
    local transforms = STEPS[device] * 3 * points * math.log(points + 1) / math.log(2) + BEGIN[device]
    return products > transforms and "fft" or "direct"
  end

  --- Which method is faster: "direct" or "fft". Integers are always convolved directly, which is exact.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  default "full"
  ---@return string
  publish("choose_conv_method", "in1, in2, mode", 2, function(where, in1, in2, mode)
    local x, h = pair_of(where, in1, in2)
    return better_method(x, h, mode_of(where, mode))
  end)

  local METHODS = { auto = true, direct = true, fft = true }

  local function method_of(where, method, x, h, mode)
    method = method == nil and "auto" or method
    if not METHODS[method] then core.not_among(where, "method", '"auto", "direct" or "fft"', method) end
    return method == "auto" and better_method(x, h, mode) or method
  end

  -- Converts a result of transforms to the dtype of the operands.
  local function in_dtype(result, dtype)
    if core.is_inexact(dtype) then return result:astype(dtype, false) end
    return direct.wrapped(cp.rint(result), dtype)
  end

  --- The convolution of two arrays with equally many axes: sums of in1[i] * in2[j] with constant i + j.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  "full" (default): wherever they overlap, "same": of in1's shape, "valid": where they
  --- overlap completely
  ---@param method? string  "auto" (default), "direct", or "fft"
  ---@return any
  publish("convolve", "in1, in2, mode, method", 2, function(where, in1, in2, mode, method)
    local x, h, dtype = pair_of(where, in1, in2)
    mode = mode_of(where, mode)
    if x.ndim == 0 then return x * h end
    if method_of(where, method, x, h, mode) == "direct" then return direct.convolve(where, x, h, mode) end
    return in_dtype(by_transforms(where, x, h, dtype, mode, axis_list(where, x)), x.dtype)
  end)

  --- The cross-correlation of two arrays with equally many axes: sums of in1[i + k] * conj(in2[i]) for each
  --- lag k.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  as for convolve
  ---@param method? string  "auto" (default), "direct", or "fft"
  ---@return any
  publish("correlate", "in1, in2, mode, method", 2, function(where, in1, in2, mode, method)
    local x, h, dtype = pair_of(where, in1, in2)
    mode = mode_of(where, mode)
    if x.ndim == 0 then return x * conjugate(h) end
    if method_of(where, method, x, h, mode) == "direct" then return direct.correlate(where, x, h, mode) end
    return in_dtype(by_transforms(where, x, conjugate(turned(h)), dtype, mode, axis_list(where, x)), x.dtype)
  end)

  --- The lags of the elements of a correlation of vectors.
  ---@param in1_len integer
  ---@param in2_len integer
  ---@param mode? string  as for correlate
  ---@return any  int64 array
  publish("correlation_lags", "in1_len, in2_len, mode", 2, function(where, n, m, mode)
    n, m, mode = core.integer(n, where, "in1_len"), core.integer(m, where, "in2_len"), mode_of(where, mode)
    if n < 1 or m < 1 then usage(where, "lengths must be 1 or more") end
    local all = cp.arange(1 - m, n, { dtype = "int64" })
    if mode == "full" then return all end
    if mode == "same" then
      local middle = math.floor(all.size / 2)
      local low = middle - math.floor(n / 2)
      return slice(all, 1, low + 1, low + n):copy()
    end
    return n >= m and cp.arange(0, n - m + 1, { dtype = "int64" }) or cp.arange(n - m, 1, { dtype = "int64" })
  end)

  -- ---- pictures

  local BORDERS = { fill = "fill", pad = "fill", wrap = "wrap", circular = "wrap", symm = "symm", symmetric = "symm" }

  local function border_of(where, boundary)
    if boundary == nil then return "fill" end
    return BORDERS[boundary] or core.not_among(where, "boundary", '"fill", "wrap" or "symm"', boundary)
  end

  --- The convolution of two matrices, with a choice of boundary for the first.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  "full" (default), "same" or "valid"
  ---@param boundary? string  "fill" (default): fillvalue, "wrap": periodic, "symm": mirrored
  ---@param fillvalue? any  default 0
  ---@return any
  publish("convolve2d", "in1, in2, mode, boundary, fillvalue", 2, function(where, in1, in2, mode, boundary, fillvalue)
    return (planes(where, in1, in2, mode_of(where, mode), border_of(where, boundary), fillvalue, false))
  end)

  --- The cross-correlation of two matrices, with a choice of boundary for the first.
  ---@param in1 any
  ---@param in2 any
  ---@param mode? string  "full" (default), "same" or "valid"
  ---@param boundary? string  "fill" (default): fillvalue, "wrap": periodic, "symm": mirrored
  ---@param fillvalue? any  default 0
  ---@return any
  publish("correlate2d", "in1, in2, mode, boundary, fillvalue", 2,
    function(where, in1, in2, mode, boundary, fillvalue)
      local result, swapped = planes(where, in1, in2, mode_of(where, mode), border_of(where, boundary), fillvalue, true)
      return swapped and conjugate(turned(result)):copy() or result
    end)

  for _, part in ipairs { "windows", "waveforms", "filters", "filter_design", "orders", "iir" } do
    core.load("scipy/signal/" .. part)(cp, core, methods)
  end
  local forms = core.load "scipy/signal/forms"(cp, core)
  for _, part in ipairs { "bands", "responses", "sequences", "chirp_z", "smoothing", "peaks", "spectra",
    "resampling" } do
    core.load("scipy/signal/" .. part)(cp, core, forms)
  end
end
