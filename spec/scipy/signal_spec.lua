-- cp.scipy.signal beyond SciPy's golden data: sizes that devices handle in different ways (tiles, blocks of
-- large filters, chunks of long rows), closed forms, that operands are unchanged, bad input.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local failure, values = check.failure, check.values
local signal = cp.scipy.signal
local inf, nan = cp.inf, cp.nan

local function largest(x) return cp.abs(x):max():item() end

-- Whole numbers from -8 to 8 without a pattern that a filter could miss.
local function numbers(shape, dtype, seed)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  local k = cp.arange(n, { dtype = "int64" }) + (seed or 0)
  return ((k * 7919 + k * k * 31) % 17 - 8):astype(dtype or "int64"):reshape(shape)
end

local PADS = { fill = "constant", wrap = "wrap", symm = "symmetric" }

-- The correlation of the shape of x, by shifted copies of x with its borders.
local function shifted(x, h, boundary, before)
  local m, n = h.shape[1], h.shape[2]
  local wide = cp.pad(x, { { before[1], m - 1 - before[1] }, { before[2], n - 1 - before[2] } }, PADS[boundary])
  local sum = cp.zeros_like(x)
  local weights = h:totable()
  for i = 1, m do
    for j = 1, n do
      if weights[i][j] ~= 0 then
        sum:add_(wide[{ { i, i + x.shape[1] - 1 }, { j, j + x.shape[2] - 1 } }] * weights[i][j])
      end
    end
  end
  return sum
end

describe("convolve2d and correlate2d", function()
  it("are sums of shifted copies, for arrays and filters of many sizes", function()
    for _, shape in ipairs { { 1, 1 }, { 33, 65 }, { 70, 129 }, { 100, 3 }, { 2, 300 } } do
      local x = numbers(shape)
      for k, size in ipairs { { 1, 1 }, { 3, 3 }, { 5, 5 }, { 17, 5 }, { 2, 40 }, { 18, 19 } } do
        local h = numbers(size, "int64", k)
        if size[1] * size[2] > 100 then h:mul_(numbers(size, "int64", 3):eq(1)) end -- few weights
        for boundary in pairs(PADS) do
          local low = { math.floor((size[1] - 1) / 2), math.floor((size[2] - 1) / 2) }
          local want = shifted(x, h, boundary, low)
          assert.is_true(cp.array_equal(signal.correlate2d(x, h, "same", boundary), want))
          local high = { size[1] - 1 - low[1], size[2] - 1 - low[2] }
          local turned = h[{ { -1, 1, -1 }, { -1, 1, -1 } }]
          assert.is_true(cp.array_equal(signal.convolve2d(x, h, "same", boundary), shifted(x, turned, boundary, high)))
        end
      end
    end
  end)

  it("of a large picture are exact in float32", function()
    local x, h = numbers({ 517, 640 }, "float32"), cp.array({ { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } }, "float32")
    assert.is_true(cp.array_equal(signal.convolve2d(x, h, "same", "symm"), shifted(x, h, "symm", { 1, 1 })))
    assert.equal("float32", signal.convolve2d(x, h).dtype)
    assert.is_true(signal.convolve2d(x, h):has_shape(519, 642))
  end)

  it("take views and pending values", function()
    local x, h = numbers({ 40, 60 }), numbers({ 3, 2 })
    local want = signal.convolve2d((x * 2)[{ { 1, 40, 3 }, { 60, 1, -2 } }]:copy(), h, "same", "wrap")
    assert.is_true(cp.array_equal(signal.convolve2d((x * 2)[{ { 1, 40, 3 }, { 60, 1, -2 } }], h, "same", "wrap"), want))
    assert.is_true(cp.array_equal(signal.convolve2d(x.T, h.T), signal.convolve2d(x, h).T))
    local z = numbers({ 20, 30 }, "complex128") * cp.j + 1
    assert.is_true(cp.array_equal(signal.convolve2d(z.imag, h), signal.convolve2d(z.imag:copy(), h)))
    local row = cp.broadcast_to(numbers({ 9 }), { 7, 9 })
    assert.is_true(cp.array_equal(signal.correlate2d(row, h), signal.correlate2d(row:copy(), h)))
    local tables = signal.convolve2d({ { 2, 1, 3 }, { 4, 2, 5 } }, { { 1, 0.5 } }, "same", "wrap")
    assert.same({ { 3.5, 2, 3.5 }, { 6.5, 4, 6 } }, values(tables))
  end)
end)

describe("convolve", function()
  it("of several axes equals that of one axis after the other", function()
    local x = numbers({ 5, 20, 9, 33 })
    local parts = { numbers({ 3 }), numbers({ 4 }, "int64", 1), numbers({ 1 }, "int64", 2), numbers({ 7 }, "int64", 5) }
    local want, all = x, cp.ones({ 1, 1, 1, 1 }, "int64")
    for d = 1, 4 do
      local shape = { 1, 1, 1, 1 }
      shape[d] = #parts[d]
      local h = parts[d]:reshape(shape)
      want, all = signal.convolve(want, h), all * h
    end
    assert.is_true(cp.array_equal(signal.convolve(x, all), want))
    assert.is_true(cp.array_equal(signal.convolve(all, x), want))
  end)

  it("convolves the channels of a picture one by one", function()
    for _, n in ipairs { 1, 3, 4 } do
      local x, h = numbers({ 40, 50, n }, "float32"), numbers({ 3, 5 }, "float32", 1)
      local got = signal.convolve(x, h:reshape({ 3, 5, 1 }), "same")
      for c = 1, n do
        assert.is_true(cp.array_equal(got[{ {}, {}, c }], signal.convolve2d(x[{ {}, {}, c }], h, "same")))
      end
    end
  end)

  it("of vectors is exact, however long they are", function()
    local n, m = 50000, 700
    local x = numbers({ n }, "int32")
    local sums = cp.concatenate { cp.zeros({ 1 }, "int32"), cp.cumsum(x, nil, "int32") }
    local want = sums[{ { m + 1, n + 1 } }] - sums[{ { 1, n - m + 1 } }]
    assert.is_true(cp.array_equal(signal.convolve(x, cp.ones({ m }, "int32"), "valid"), want))
    assert.is_true(cp.array_equal(cp.convolve(x:astype "float64", cp.ones(m), "valid"), want:astype "float64"))
    assert.is_true(cp.array_equal(signal.correlate(cp.ones({ m }, "int32"), x, "valid"), want[{ { -1, 1, -1 } }]))
    local y = x:astype "float64"
    local direct = signal.convolve(y, y[{ { 1, 900 } }], "same", "direct")
    assert.is_true(largest(direct - signal.convolve(y, y[{ { 1, 900 } }], "same", "fft")) < 1e-7)
    assert.is_true(largest(direct - signal.oaconvolve(y, y[{ { 1, 900 } }], "same")) < 1e-7)
  end)

  it("in pieces equals that of the whole, along any axis and for complex values", function()
    local x, h = numbers({ 3, 4000 }, "float64"), numbers({ 3, 30 }, "float64", 2)
    for _, mode in ipairs { "full", "same", "valid" } do
      local want = signal.fftconvolve(x, h, mode, 2)
      assert.is_true(largest(signal.oaconvolve(x, h, mode, 2) - want) < 1e-9)
      assert.is_true(largest(signal.oaconvolve(x.T, h.T, mode, 1) - want.T) < 1e-9)
      assert.is_true(largest(signal.oaconvolve(h, x, mode, 2) - signal.fftconvolve(h, x, mode, 2)) < 1e-9)
      local z = x + cp.j * x
      assert.is_true(largest(signal.oaconvolve(z, h * cp.j, mode, 2) - signal.fftconvolve(z, h * cp.j, mode, 2)) < 1e-9)
    end
  end)

  it("of bool is true where any pair is", function()
    local x, h = cp.array({ true, false, false, true }), cp.array({ true, true })
    assert.same({ true, true, false, true, true }, values(signal.convolve(x, h)))
    local many = cp.ones({ 600 }, "bool")
    assert.is_true(signal.convolve(many, many):all())
  end)

  it("of 0-d arrays and empty ones", function()
    assert.equal(6, signal.convolve(cp.array(2), cp.array(3)):item())
    assert.is_true(signal.convolve(cp.zeros(0), cp.ones(3)):has_shape(0))
    assert.is_true(signal.fftconvolve(cp.zeros({ 0, 2 }), cp.ones({ 2, 2 })):has_shape(0))
  end)

  it("chooses its method", function()
    assert.equal("direct", signal.choose_conv_method(cp.ones(100000), cp.ones(3)))
    assert.equal("fft", signal.choose_conv_method(cp.ones(400000), cp.ones(400000)))
    assert.equal("direct", signal.choose_conv_method(cp.ones({ 4000 }, "int8"), cp.ones({ 4000 }, "int8")))
  end)
end)

describe("lfilter", function()
  it("of every order equals its recurrence, along either axis", function()
    local n = 40
    local x = cp.sin(cp.arange(3 * n, "float64") * 1.3):reshape(3, n):eval()
    for order = 1, 9 do
      local b, a = {}, { 2 }
      for k = 0, order do b[k + 1] = math.cos(k * 1.7 + order) end
      for k = 1, order do a[k + 1] = math.sin(k * 2.1 + order) / order end
      local want = {}
      for row = 1, 3 do
        local y = {}
        for t = 1, n do
          local sum = 0
          for k = 0, math.min(order, t - 1) do
            sum = sum + b[k + 1] * x[{ row, t - k }] - (k > 0 and a[k + 1] * y[t - k] or 0)
          end
          y[t] = sum / a[1]
        end
        want[row] = y
      end
      want = cp.array(want)
      assert.is_true(largest(signal.lfilter(b, a, x) - want) < 1e-13 * n)
      assert.is_true(largest(signal.lfilter(b, a, x.T:copy(), 1).T - want) < 1e-13 * n)
      local single = signal.lfilter(cp.array(b, "float32"), cp.array(a, "float32"), x:astype "float32")
      assert.equal("float32", single.dtype)
      assert.is_true(largest(single - want) < 1e-5 * n)
    end
  end)

  it("equals a cumulative sum, whatever the layout of the rows", function()
    for _, shape in ipairs { { 30000 }, { 3, 9000 }, { 9000, 3 }, { 4500, 20 }, { 2, 5000, 2 } } do
      local x = numbers(shape, "float64")
      for axis = 1, #shape do
        assert.is_true(cp.array_equal(signal.lfilter({ 1 }, { 1, -1 }, x, axis), cp.cumsum(x, axis)))
      end
    end
  end)

  it("is undone by its inverse, for many orders", function()
    for _, order in ipairs { 1, 2, 5, 17, 32, 33, 60 } do
      local x, a, b = numbers({ 2, 9001 }, "float64"), { 1 }, { 1 }
      for k = 1, order do a[k + 1], b[k + 1] = 0.5 / 2 ^ k, -0.25 / 3 ^ k end
      local y = signal.lfilter(b, a, x)
      assert.is_true(largest(y - x) > 0.1)
      assert.is_true(largest(signal.lfilter(a, b, y) - x) < 1e-11)
    end
    local z = numbers({ 9001 }, "complex128") + cp.j
    local y = signal.lfilter({ 1, cp.complex(0, 0.5) }, { 1, cp.complex(0.25, -0.25) }, z)
    assert.is_true(largest(signal.lfilter({ 1, cp.complex(0.25, -0.25) }, { 1, cp.complex(0, 0.5) }, y) - z) < 1e-11)
  end)

  it("continues from the states that it returned", function()
    local b, a = signal.butter(4, 0.2)
    local x = numbers({ 3, 12000 }, "float64")
    local whole = signal.lfilter(b, a, x)
    local first, states = signal.lfilter(b, a, x[{ {}, { 1, 5000 } }], { zi = cp.zeros { 3, 4 } })
    local second, last = signal.lfilter(b, a, x[{ {}, { 5001, 12000 } }], { zi = states })
    assert.is_true(largest(cp.concatenate({ first, second }, 2) - whole) < 1e-10)
    local _, at_once = signal.lfilter(b, a, x, { zi = cp.zeros { 3, 4 } })
    assert.is_true(largest(last - at_once) < 1e-10)
    local fir = { 1, 2, 3, 4 }
    local head, kept = signal.lfilter(fir, 1, x[{ {}, { 1, 2 } }], { zi = cp.zeros { 3, 3 } })
    local tail = signal.lfilter(fir, 1, x[{ {}, { 3, 12000 } }], { zi = kept })
    assert.is_true(cp.array_equal(cp.concatenate({ head, tail }, 2), signal.lfilter(fir, 1, x)))
  end)

  it("keeps growing values and nan in their rows", function()
    local x = cp.zeros(6000)
    x[5901] = 1
    -- 2^k: a matrix over a chunk may overflow, but zeros must stay zeros.
    local y = signal.lfilter({ 1 }, { 1, -2 }, x)
    assert.equal(0, largest(y[{ { 1, 5900 } }]))
    assert.equal(2 ^ 99, y[6000])
    local rows = numbers({ 3, 5000 }, "float64")
    rows[{ 2, 100 }] = cp.nan
    local z = signal.lfilter({ 1 }, { 1, -0.5 }, rows)
    assert.is_true(cp.isnan(z[{ 2, { 100, 5000 } }]):all())
    assert.is_false(cp.isnan(z[{ 2, { 1, 99 } }]):any())
    assert.is_false(cp.isnan(z[{ { 1, 3, 2 } }]):any())
  end)

  it("keeps float32, and takes tables, numbers and integers", function()
    assert.equal("float32", signal.lfilter({ 1 }, { 1, -0.5 }, cp.ones({ 4 }, "float32")).dtype)
    assert.same({ 1, 1.5, 1.75, 1.875 }, values(signal.lfilter({ 1 }, { 1, -0.5 }, cp.ones({ 4 }, "int8"))))
    assert.same({ 2, 3, 3.5 }, values(signal.lfilter(4, { 2, -1 }, { 1, 1, 1 })))
    assert.is_true(signal.lfilter({ 1 }, { 1, -0.5 }, cp.zeros { 0, 3 }):has_shape(0, 3))
  end)

  it("by a Kaiser window has SciPy's length and shape", function()
    for a, beta in pairs { [60] = 5.65326, [30.5] = 2.1868128036345094, [10] = 0 } do
      assert.is_true(math.abs(signal.kaiser_beta(a) - beta) < 1e-12)
    end
    assert.is_true(math.abs(signal.kaiser_atten(211, 0.0375) - 64.48099630593983) < 1e-10)
    local count, beta = signal.kaiserord(24, 0.25)
    assert.equal(10, count)
    assert.is_true(math.abs(beta - 1.1431681842813533) < 1e-12)
    assert.equal(81, (signal.kaiserord(65, 0.1)))
    failure("usage", "scipy.signal.kaiserord: ripple must be at least 8 decibels",
      function() signal.kaiserord(5, 0.1) return 1 end)
  end)

  it("in sections, forwards and backwards, shifts no phase", function()
    local t = cp.arange(4000) / 4000
    local slow, fast = cp.sin(t * (2 * math.pi * 5)), cp.sin(t * (2 * math.pi * 900))
    local sos = signal.butter(4, 0.1, "low", false, "sos")
    local y = signal.sosfiltfilt(sos, slow + fast)
    assert.is_true(largest((y - slow)[{ { 200, 3800 } }]) < 1e-3)
    local b, a = signal.butter(4, 0.1)
    assert.is_true(largest(y - signal.filtfilt(b, a, slow + fast, { padlen = 15 })) < 1e-8)
  end)
end)

describe("cp.scipy.signal fails with", function()
  it("clear messages for convolutions", function()
    local bytes = cp.ones({ 3, 3 }, "int8")
    failure("shape", "scipy.signal.convolve: in1 and in2 must have equally many axes, not shapes (3) and (2, 2)",
      function() signal.convolve(cp.ones(3), cp.ones { 2, 2 }) return 1 end)
    failure("usage", 'scipy.signal.convolve: mode must be "full", "same" or "valid", not "big"',
      function() signal.convolve(cp.ones(3), cp.ones(2), "big") return 1 end)
    failure("usage", 'scipy.signal.correlate: method must be "auto", "direct" or "fft", not "fast"',
      function() signal.correlate(cp.ones(3), cp.ones(2), "full", "fast") return 1 end)
    failure("shape", "scipy.signal.convolve2d: in1 and in2 must have 2 axes, not shapes (3) and (2)",
      function() signal.convolve2d(cp.ones(3), cp.ones(2)) return 1 end)
    failure("usage", 'scipy.signal.convolve2d: boundary must be "fill", "wrap" or "symm", not "mirror"',
      function() signal.convolve2d(cp.ones { 3, 3 }, cp.ones { 2, 2 }, "same", "mirror") return 1 end)
    failure("shape", 'scipy.signal.correlate2d: mode "valid" needs one array to be at least '
      .. 'as long as the other on every axis, not (3, 2) and (2, 3)',
      function() signal.correlate2d(cp.ones { 3, 2 }, cp.ones { 2, 3 }, "valid") return 1 end)
    failure("dtype", "scipy.signal.convolve2d: ",
      function() signal.convolve2d(bytes, bytes, "full", "fill", 0.5) return 1 end)
    failure("shape", "scipy.signal.fftconvolve: in1 and in2 do not broadcast on axis 1",
      function() signal.fftconvolve(cp.ones { 3, 5 }, cp.ones { 2, 5 }, "full", 2) return 1 end)
  end)

  it("clear messages for filters and windows", function()
    failure("usage", "scipy.signal.lfilter: a must not begin with 0",
      function() signal.lfilter({ 1 }, { 0, 1 }, cp.ones(3)) return 1 end)
    failure("shape", "scipy.signal.lfilter: zi has shape (3) where (1) is needed",
      function() signal.lfilter({ 1 }, { 1, 1 }, cp.ones(3), { zi = cp.ones(3) }) return 1 end)
    failure("shape", "scipy.signal.lfilter: zi has shape (1) where (2) is needed",
      function() signal.lfilter({ 1, 1, 1 }, { 1, 1 }, cp.ones(3), { zi = cp.ones(1) }) return 1 end)
    failure("shape", "scipy.signal.lfilter: zi has shape (1) where (1, 3) is needed", -- without feedback, too
      function() signal.lfilter({ 1, 1 }, { 1 }, cp.ones { 4, 3 }, { axis = 1, zi = cp.ones(1) }) return 1 end)
    failure("shape", "scipy.signal.lfilter: b must be a vector with at least one element, not of shape (2, 2)",
      function() signal.lfilter(cp.ones { 2, 2 }, { 1 }, cp.ones(3)) return 1 end)
    failure("usage", "scipy.signal.lfilter: b must be a vector of numbers, not of bool",
      function() signal.lfilter(true, { 1 }, cp.ones(3)) return 1 end)
    failure("shape", "scipy.signal.wiener: needs arrays with axes, not 0-d arrays",
      function() signal.wiener(cp.array(2)) return 1 end)
    failure("shape", "scipy.signal.filtfilt: the length of x along the axis, 5, must be above padlen, 6",
      function() signal.filtfilt({ 1, 1 }, { 1, 0.5 }, cp.ones(5)) return 1 end)
    failure("shape", "scipy.signal.sosfilt: sos must have rows of 6 numbers, not shape (2, 5)",
      function() signal.sosfilt(cp.ones { 2, 5 }, cp.ones(5)) return 1 end)
    failure("usage", "scipy.signal.butter: Wn must be above 0 and below half the sampling rate, 1",
      function() signal.butter(2, 1.5) return 1 end)
    failure("usage", "scipy.signal.butter: fs must not be given for an analog filter",
      function() signal.butter(2, 1.5, { analog = true, fs = 10 }) return 1 end)
    failure("usage", "scipy.signal.cheby1: Wn must be above 0",
      function() signal.cheby1(2, 1, 0, { analog = true }) return 1 end)
    failure("usage", "scipy.signal.cheby2: Wn must be in ascending order",
      function() signal.cheby2(2, 40, { 5, 2 }, "band", true) return 1 end)
    failure("usage", "scipy.signal.butter: analog must be true or false, not string",
      function() signal.butter(2, 0.5, "low", "sos") return 1 end)
    failure("usage", "scipy.signal.firwin: a filter that passes half the sampling rate needs an odd numtaps",
      function() signal.firwin(8, 0.5, { pass_zero = false }) return 1 end)
    failure("usage", 'scipy.signal.get_window: the window kaiser needs parameters: {"kaiser", ...}',
      function() signal.get_window("kaiser", 8) return 1 end)
    failure("usage", "scipy.signal.get_window: no window 'hamm1ng'; did you mean hamming?",
      function() signal.get_window("hamm1ng", 8) return 1 end)
    failure("usage", "scipy.signal.windows.hann: M must not be negative, but is -1",
      function() signal.windows.hann(-1) return 1 end)
    failure("usage", "scipy.signal.medfilt: kernel_size must be odd and above 0, but is 4",
      function() signal.medfilt(cp.ones(9), 4) return 1 end)
    failure("usage", "scipy.signal.savgol_filter: polyorder must be from 0 to window_length - 1",
      function() signal.savgol_filter(cp.ones(9), 3, 3) return 1 end)
  end)
end)

describe("medians", function()
  it("of few elements are the middle ones of the sorted neighbourhoods", function()
    for _, dtype in ipairs { "bool", "uint8", "int64", "float16", "float32", "float64" } do
      for _, shape in ipairs { { 40, 33 }, { 3, 3 }, { 1, 7 }, { 2, 1 } } do
        local x = numbers(shape, dtype == "uint8" and "int64" or dtype):astype(dtype)
        for _, k in ipairs { { 3, 3 }, { 1, 3 }, { 5, 1 }, { 1, 9 }, { 1, 1 }, { 3, 5 } } do
          local wide = cp.pad(x, { { (k[1] - 1) / 2, (k[1] - 1) / 2 }, { (k[2] - 1) / 2, (k[2] - 1) / 2 } })
          local around = cp.sliding_window_view(wide, k, { 1, 2 }):reshape({ shape[1], shape[2], k[1] * k[2] })
          local want = cp.sort(around, -1)[{ {}, {}, (k[1] * k[2] + 1) / 2 }]
          local got = signal.medfilt(x, k)
          assert.equal(dtype, got.dtype)
          assert.is_true(cp.array_equal(got, want))
        end
      end
    end
  end)

  it("treat nan as the largest value, for any number of elements", function()
    local x = cp.array { 3, cp.nan, 1, 2, cp.nan, cp.nan, 4 }
    assert.is_true(cp.array_equal(signal.medfilt(x, 3), cp.array { 3, 3, 2, 2, cp.nan, cp.nan, 4 }, true))
    assert.is_true(cp.array_equal(signal.medfilt(x.T, 3), signal.medfilt(x:copy(), 3), true))
  end)
end)

-- Values of NumPy and SciPy.
describe("filters with infinities", function()
  local x, v = { 1, 2, 3, 4 }, { 1, inf, 2 }

  it("are not multiplied by what is not there", function()
    expect.values(cp.convolve(x, v), { 1, inf, inf, inf, inf, 8 })
    expect.values(cp.convolve(v, x), { 1, inf, inf, inf, inf, 8 })
    expect.values(cp.correlate(x, v, "full"), { 2, inf, inf, inf, inf, 4 })
    expect.values(signal.convolve(x, v, "full", "direct"), { 1, inf, inf, inf, inf, 8 })
    expect.values(signal.convolve({ 1 }, { 1, inf }, "same", "direct"), { nan }) -- it adds zeros
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "complex64" } do
      local y = cp.convolve(cp.array(x, dtype), cp.array(v, dtype))
      assert.same({ true, false, true }, { cp.isfinite(y[1]), cp.isfinite(y[3]), cp.isfinite(y[6]) })
    end
    local rows = cp.array { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }
    expect.values(signal.lfilter(v, { 1 }, rows, 1), { { 1, 2, 3 }, { inf, inf, inf }, { inf, inf, inf } })
    expect.values(signal.lfilter(v, { 1 }, rows, 2), { { 1, inf, inf }, { 4, inf, inf }, { 7, inf, inf } })
  end)

  it("give sums of those that are there, for long vectors", function()
    local n, m, at = 3000, 700, 300 -- the infinity belongs to x[k - at + 1] in result k
    local long, h = cp.arange(n):add(1), cp.ones(m)
    local want = cp.convolve(long, h)
    h[at] = inf
    local got = cp.convolve(long, h)
    want[{ { at, at + n - 1 } }] = inf
    expect.values(got, want:totable())
    expect.values(cp.convolve(cp.flip(cp.flip(long):copy()), h), want:totable()) -- a view with a stride
  end)

  it("have weights of 0 in images that NaN does not pass", function()
    local cross, y = cp.array { { 0, 1, 0 }, { 1, -4, 1 }, { 0, 1, -0.0 } }, cp.ones { 4, 5 }
    y[{ 2, 3 }] = nan
    expect.values(cp.scipy.ndimage.convolve(y, cross, { mode = "constant" }),
      { { -2, -1, nan, -1, -2 }, { -1, nan, nan, nan, -1 }, { -1, 0, nan, 0, -1 }, { -2, -1, -1, -1, -2 } })
    expect.values(signal.convolve2d(y, cross, "same"),
      { { -2, nan, nan, nan, -2 }, { -1, nan, nan, nan, -1 }, { -1, nan, nan, nan, -1 }, { -2, -1, -1, -1, -2 } })
    local one = cp.scipy.ndimage.correlate1d(cp.array { 1, 2, inf, 4, 5 }, { 1, 0, 2 })
    expect.values(one, { 5, inf, nan, inf, 14 })
  end)
end)

-- Values of SciPy.
describe("filters of order 0", function()
  it("multiply", function()
    for _, c in ipairs { { { signal.butter(0, 0.5) }, 1 }, { { signal.cheby1(0, 1, 0.5) }, 0.8912509381337456 },
      { { signal.cheby2(0, 20, 0.5, "h") }, 1 } } do
      expect.values(c[1][1], { c[2] })
      expect.values(c[1][2], { 1 })
    end
    expect.values(signal.butter(0, 0.5, { output = "sos" }), { { 1, 0, 0, 1, 0, 0 } })
    expect.values(signal.butter(0, 2, { analog = true, output = "sos" }), { { 0, 0, 1, 0, 0, 1 } })
    local z, p, k = signal.butter(0, { 0.2, 0.5 }, "pass", { output = "zpk" })
    expect.shape(z, 0)
    expect.shape(p, 0)
    assert.equal(1, k)
  end)
end)

describe("frequency responses", function()
  it("take one frequency, none, and a single section", function()
    local w, h = signal.freqz({ 1, 2 }, { 1, 0.5 }, { worN = 0.5 })
    expect.values(w, { 0.5 })
    expect.values(h.real, { 1.97123086 }, nil, 1e-8)
    expect.values(h.imag, { -0.33800724 }, nil, 1e-8)
    w, h = signal.freqz_sos({ 1, 2, 1, 1, 0, 0 }, { worN = cp.array(0.5) })
    expect.values(w, { 0.5 })
    expect.values(h.imag, { -1.80032206 }, nil, 1e-8)
    w, h = signal.freqz({ 1, 1 }, { worN = 0 })
    expect.shape(w, 0)
    assert.equal("complex128", h.dtype)
  end)

  it("and filters take arrays as lists", function()
    local x = cp.arange(20):reshape(4, 5)
    expect.values(signal.medfilt(x, cp.array({ 3, 1 }, "int64")), signal.medfilt(x, { 3, 1 }):totable())
    expect.values(signal.detrend(x, { bp = cp.array({ 2 }, "int64") }), signal.detrend(x, { bp = 2 }):totable())
    expect.values(signal.windows.general_cosine(4, cp.array { 0.5, 0.3, 0.2 }),
      signal.windows.general_cosine(4, { 0.5, 0.3, 0.2 }):totable())
    expect.values(cp.scipy.ndimage.maximum_filter(x, { size = cp.array({ 1, 3 }, "int64") }),
      cp.scipy.ndimage.maximum_filter(x, { size = { 1, 3 } }):totable())
    expect.values(cp.scipy.ndimage.gaussian_filter(x, cp.array { 1, 2 }),
      cp.scipy.ndimage.gaussian_filter(x, { 1, 2 }):totable())
  end)
end)
