-- cp.scipy.ndimage where no golden data reach: wrong arguments, output arrays, nan and places far outside,
-- large arrays, and the primitives that its functions are made of.

local cp = require "cupola"
local core = require "cupola.core"
local N = cp.scipy.ndimage

-- Fails unless f(...) raises an error that contains `fact`.
local function failure(fact, f, ...)
  local ok, message = pcall(f, ...)
  if ok then error("no error; expected " .. fact, 2) end
  if not tostring(message):find(fact, 1, true) then
    error(("expected ...%s...\nbut got  %s"):format(fact, tostring(message)), 2)
  end
end

local function equal(a, b) assert.is_true(cp.array_equal(a, b), tostring(a) .. " is not " .. tostring(b)) end

describe("interpolation", function()
  local x = cp.array { { 1, 2, 4 }, { 3, 5, 9 } }

  it("continues with the outermost elements, however far", function()
    local far = cp.array { { -1e6, 1, 1e6, 2 ^ 62 }, { 1, 1e9, -1e300, cp.inf } }
    for order = 0, 5 do
      local got = N.map_coordinates(x, far[{ {}, { 1, 3 } }], { order = order, mode = "nearest" })
      assert.is_true(cp.allclose(got, { 1, 4, 3 }), tostring(got))
    end
  end)

  it("sees copies of the outermost elements, filtered or not", function()
    local line, at = cp.array { 1, 5, 2, 7, 3, 9 }, cp.array { { 0.5, 1, 1.2, -1, 6.4, 7, 5.7 } }
    local o = { order = 2, mode = "nearest", prefilter = false } -- expected values: SciPy 1.17
    assert.is_true(cp.allclose(N.map_coordinates(line, at, o), { 1, 1.5, 1.98, 1, 8.97, 9, 7.08 }))
  end)

  it("rounds places between two elements as SciPy does", function()
    local line = cp.array { 0, 1, 2, 3, 4, 5, 6 }
    equal(N.map_coordinates(line, { { 6.5, 7.5, 8.5, 0.5, -0.5 } }, { order = 0, mode = "mirror" }), { 6, 5, 5, 1, 2 })
    equal(N.shift(line, { -1.5 }, { order = 0, mode = "mirror" }), { 2, 3, 4, 5, 6, 5, 5 })
    equal(N.shift(line, { 5.5 }, { order = 0, mode = "mirror" }), { 6, 5, 4, 3, 2, 1, 1 })
  end)

  it("gives the constant where a coordinate is no number", function()
    local bad = cp.array { { cp.nan, cp.inf, -cp.inf, 1 }, { 1, 1, 1, cp.nan } }
    for _, mode in ipairs { "constant", "wrap", "reflect", "mirror", "grid-wrap", "grid-constant" } do
      for _, order in ipairs { 1, 3 } do
        equal(N.map_coordinates(x, bad, { order = order, mode = mode, cval = 7 }), { 7, 7, 7, 7 })
      end
    end
  end)

  it("does not multiply an infinite constant by 0", function()
    equal(N.shift(cp.array { 1, 2, 3 }, 1, { order = 1, cval = cp.inf }), { cp.inf, 1, 2 })
  end)

  it("writes into arrays, and casts", function()
    local out = cp.zeros({ 2, 3 }, { dtype = "int16" })
    assert.is_true(rawequal(N.shift(x, { 0, 1 }, { order = 0, output = out }), out))
    equal(out, cp.array({ { 0, 1, 2 }, { 0, 3, 5 } }, "int16"))
    equal(N.zoom(cp.array({ 0, 255 }, "uint8"), 1.5, { order = 1 }), cp.array({ 0, 128, 255 }, "uint8"))
    equal(N.zoom(cp.array { -1000, 1000 }, 1, { output = "int64", order = 1 }), cp.array({ -1000, 1000 }, "int64"))
    equal(N.map_coordinates(cp.array { -1000, 1000 }, { { 1, 2 } }, { output = "uint8", order = 1 }),
      cp.array({ 0, 255 }, "uint8"))
  end)

  it("is exact for linear functions, in rows of any length, inside and outside", function()
    for ndim, shape in ipairs { { 9 }, { 9, 6 }, { 9, 6, 5 } } do
      local at, slope, sum = cp.indices(shape, { dtype = "float64" }), {}, 0
      for d = 1, ndim do slope[d], sum = 4 ^ d, sum + 4 ^ d end
      local plane = cp.tensordot(cp.array(slope), at - 1, { { 1 }, { 1 } })
      for _, n in ipairs { 1, 5, 37, 600, 1300 } do
        local places = cp.arange(ndim * n):reshape(ndim, n) * 0.25 % cp.array(shape):reshape(ndim, 1)
        local inside = cp.all(cp.less_equal(places, cp.array(shape):reshape(ndim, 1) - 1), 1)
        local want = cp.where(inside, cp.matmul(cp.array(slope), places), -1)
        for _, dtype in ipairs { "float32", "float64" } do
          local got = N.map_coordinates(plane:astype(dtype), (places + 1):astype(dtype), { order = 1, cval = -1 })
          equal(got, want:astype(dtype))
        end
        local line = cp.arange(n) * 0.25 -- a map whose result has one axis, and one whose result has as many
        equal(N.affine_transform(plane, cp.full({ ndim, 1 }, 0.25), { output_shape = n, order = 1, cval = -1 }),
          cp.where(cp.less_equal(line, shape[ndim] - 1), line * sum, -1))
        local long = ({ { n }, { 3, n }, { 2, 3, n } })[ndim]
        local got = N.affine_transform(plane, cp.eye(ndim) * 0.25, { output_shape = long, order = 1, cval = -1 })
        equal(got:reshape(-1, n)[1], cp.where(cp.less_equal(line, shape[ndim] - 1), line * slope[ndim], -1))
      end
    end
  end)

  it("filters long rows in chunks", function()
    local long = cp.sin(cp.arange(1000, { dtype = "float64" }))
    local c = N.spline_filter1d(long, 3)
    local back = (c["1:-3"] + 4 * c["2:-2"] + c["3:-1"]) / 6
    assert.is_true(cp.allclose(back, long["2:-2"], { rtol = 0, atol = 1e-13 }))
    for _, mode in ipairs { "mirror", "reflect", "grid-wrap" } do
      local points = cp.arange(1, 1001, { dtype = "float64" }):reshape(1, 1000)
      for order = 2, 5 do
        local got = N.map_coordinates(long, points, { order = order, mode = mode })
        assert.is_true(cp.allclose(got, long, { rtol = 0, atol = 1e-12 }), mode .. order)
      end
    end
  end)

  it("refuses what does not fit", function()
    failure("scipy.ndimage.zoom: order must be from 0 to 5, but is 6", N.zoom, x, 2, { order = 6 })
    failure("mode must be", N.zoom, x, 2, { mode = "edge" })
    failure("coordinates must have a row for each of 2 axes, not shape (3, 4)", N.map_coordinates, x, cp.ones { 3, 4 })
    failure("matrix must have 2 rows, not 3", N.affine_transform, x, cp.ones { 3, 2 })
    failure("zoom has 3 entries for 2 axes", N.zoom, x, { 1, 2, 3 })
    failure("input must have at least two axes", N.rotate, cp.ones(3), 10)
    failure("input must have at least one axis", N.shift, cp.array(1), 1)
    failure("order must be from 2 to 5", N.spline_filter, x, 1)
    failure("prefilter must be true or false", N.shift, x, 1, { prefilter = 1 })
    failure("the last row of a homogeneous matrix", N.affine_transform, x, cp.ones { 3, 3 })
  end)
end)

describe("windows", function()
  it("order nan last, and extremes keep it", function()
    local x = cp.array { 3, cp.nan, 1, 2, 0 }
    equal(N.median_filter(x, 3)["4:"], { 1, 0 })
    assert.is_true(cp.isnan(N.maximum_filter(x, 3)[1]))
    equal(N.rank_filter(x, 1, 5, { mode = "wrap" }), { 1, 1, 1, 1, 1 })
  end)

  it("agree for all ranks, sizes and dtypes with sorting", function()
    for _, dtype in ipairs { "int8", "uint64", "float32", "float64" } do
      local x = (cp.sin(cp.arange(300, { dtype = "float64" }) * 12.9898) * 43758.5453 % 1 * 100):astype(dtype)
      for _, size in ipairs(dtype == "uint64" and { 3, 7, 289 } or { 3, 7, 35, 41, 127, 131 }) do
        local half = math.floor(size / 2)
        local wide = cp.pad(x, { { half, size - 1 - half } }, { mode = "edge" })
        local sorted = cp.sort(cp.sliding_window_view(wide, size), -1)
        for _, rank in ipairs { 0, 1, half - 1, half, size - 2, size - 1 } do
          equal(N.rank_filter(x, rank, size, { mode = "nearest" }), sorted[{ {}, rank + 1 }])
        end
      end
    end
  end)

  it("agree with sorting where they are long and have two axes", function()
    for _, dtype in ipairs { "int16", "uint8", "float32", "float64" } do
      local n = cp.arange(20 * 37, { dtype = "float64" })
      local x = (cp.sin(n * 12.9898) * 43758.5453 % 1 * 100):astype(dtype):reshape(20, 37)
      local wide = cp.pad(x, { { 4, 4 }, { 5, 4 } }, { mode = "symmetric" })
      local sorted = cp.sort(cp.sliding_window_view(wide, { 9, 10 }):reshape(20, 37, 90), -1)
      for _, rank in ipairs { 1, 20, 44, 45, 70, 88 } do
        equal(N.rank_filter(x, rank, { 9, 10 }), sorted[{ {}, {}, rank + 1 }])
      end
    end
  end)

  it("agree with slices in arrays so large that a thread takes several sites", function()
    local high, wide = 2051, 2053
    local x = (cp.sin(cp.arange(high * wide, { dtype = "float64" }) * 12.9898) * 43758.5453 % 1):astype "float32"
    x = x:reshape(high, wide)
    local row = cp.minimum(cp.minimum(x[{ {}, { 1, -3 } }], x[{ {}, { 2, -2 } }]), x[{ {}, { 3, -1 } }])
    equal(N.minimum_filter1d(x, 3)[{ {}, { 2, -2 } }], row)
    equal(N.maximum_filter1d(x, 3, 1)["2:-2"], cp.maximum(cp.maximum(x["1:-3"], x["2:-2"]), x["3:-1"]))
    equal(N.shift(x, { 1, -2 }, { order = 1, cval = 7 })[{ { 2, -1 }, { 1, -3 } }], x[{ { 1, -2 }, { 3, -1 } }])
    local places = cp.indices({ high, wide }, { dtype = "float64" }) + 0.5
    local between = N.map_coordinates(x, places, { order = 1, mode = "nearest" })[{ { 1, -2 }, { 1, -2 } }]
    local d = x:astype "float64"
    local upper, lower = d["1:-2"], d["2:-1"]
    local sum = upper + lower
    assert.is_true(cp.allclose(between, (sum[{ {}, { 1, -2 } }] + sum[{ {}, { 2, -1 } }]) / 4))
    local three = cp.sort(cp.stack({ x[{ {}, { 1, -3 } }], x[{ {}, { 2, -2 } }], x[{ {}, { 3, -1 } }] }), 1)
    equal(N.median_filter(x, { 1, 3 })[{ {}, { 2, -2 } }], three[2])
  end)

  it("agree for masks with rows of any length and any footprint with windows' views", function()
    local footprint = cp.array({ { 1, 0, 1, 1, 0, 1 }, { 0, 1, 1, 0, 1, 0 }, { 1, 1, 0, 0, 0, 1 } }, "bool")
    for _, shape in ipairs { { 9, 336 }, { 7, 8 }, { 40, 1028 }, { 9, 333 }, { 1200, 4100 } } do
      local n = cp.arange(shape[1] * shape[2], { dtype = "float64" })
      local x = (cp.sin(n * 12.9898) * 43758.5453 % 1):gt(0.2):reshape(shape)
      for value = 0, 1 do
        local wide = cp.pad(x, { { 1, 1 }, { 3, 2 } }, { mode = "constant", constant_values = value })
        local view, least, most = cp.sliding_window_view(wide, { 3, 6 }), nil, nil
        for k = 1, 18 do
          local row, column = math.floor((k - 1) / 6) + 1, (k - 1) % 6 + 1
          if footprint[{ row, column }] then
            local part = view[{ {}, {}, row, column }]
            least, most = least and cp.logical_and(least, part) or part, most and cp.logical_or(most, part) or part
          end
        end
        local o = { footprint = footprint, mode = "constant", cval = value }
        equal(N.minimum_filter(x, o), least)
        equal(N.maximum_filter(x, o), most)
      end
      local wide = cp.pad(x, { { 0, 0 }, { 2, 2 } }, { mode = "constant" })
      equal(N.binary_erosion(x, cp.ones({ 1, 5 }, "bool")), cp.all(cp.sliding_window_view(wide, 5, 2), -1))
    end
  end)

  it("agree in rows of any length with extremes of shifted arrays", function()
    for _, case in ipairs { { "float32", { 9, 400 } }, { "uint8", { 9, 333 } }, { "int64", { 3, 5, 129 } } } do
      local shape = case[2]
      local n = cp.arange(cp.array(shape):prod():item(), { dtype = "float64" })
      local x = (cp.sin(n * 12.9898) * 43758.5453 % 1 * 100):astype(case[1]):reshape(shape)
      if case[1] == "float32" then x[{ 5, 200 }] = cp.nan end
      for axis, length in ipairs(shape) do
        local pads, at = {}, {}
        for d = 1, #shape do pads[d], at[d] = { 0, 0 }, {} end
        pads[axis] = { 2, 2 }
        local wide = cp.pad(x, pads, { mode = "edge" })
        for name, extreme in pairs { minimum_filter1d = cp.minimum, maximum_filter1d = cp.maximum } do
          local expected
          for k = 1, 5 do
            at[axis] = { k, length + k - 1 }
            expected = expected and extreme(expected, wide[at]) or wide[at]
          end
          local found = N[name](x, 5, axis, { mode = "nearest" })
          assert.is_true(cp.array_equal(expected, found, true), name .. axis .. case[1])
        end
      end
      if #shape == 2 then
        local footprint = cp.array({ { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 0 } }, "bool")
        local expected = cp.maximum(N.maximum_filter1d(x, 3, 1), N.maximum_filter1d(x, 3, 2))
        assert.is_true(cp.array_equal(expected, N.maximum_filter(x, { footprint = footprint }), true))
        local raised = N.grey_dilation(x, { footprint = footprint, structure = cp.full({ 3, 3 }, 2, case[1]) })
        assert.is_true(cp.array_equal(expected + 2, raised, true))
      end
    end
  end)

  it("take a constant that the dtype has, or what it wraps to", function()
    local footprint = cp.array({ true, true, false }, "bool")
    for _, dtype in ipairs { "int8", "int32", "int64", "float32" } do
      local x = cp.array({ 5, 7, -9 }, dtype)
      equal(N.rank_filter(x, 1, 3, { mode = "constant", cval = -2 }), cp.array({ 5, 5, -2 }, dtype))
      equal(N.minimum_filter(x, { footprint = footprint, mode = "constant", cval = -2 }),
        cp.array({ -2, 5, -9 }, dtype))
    end
    local top = cp.array({ -2 }, "int64"):view "uint64"
    equal(N.rank_filter(cp.array({ 5, 7 }, "uint64"), 1, 3, { mode = "constant", cval = -2 }),
      cp.array({ 7, 7 }, "uint64"))
    equal(N.rank_filter(cp.array({ 5 }, "uint64"), 1, 3, { mode = "constant", cval = -2 }), top)
    equal(N.rank_filter(cp.array({ 5 }, "uint8"), 1, 3, { mode = "constant", cval = -2 }), cp.array({ 254 }, "uint8"))
    equal(N.maximum_filter(cp.zeros({ 2 }, "bool"), 3, { mode = "constant", cval = -1 }), cp.ones({ 2 }, "bool"))
  end)

  it("refuse what does not fit", function()
    local x = cp.ones { 3, 4 }
    failure("rank must be from -9 to 8", N.rank_filter, x, 9, 3)
    failure("footprint must have a true element", N.median_filter, x, { footprint = cp.zeros({ 2, 2 }) })
    failure("percentile must be from -100 to 100", N.percentile_filter, x, 101, 3)
    failure("origin 2 is out of range for size 3", N.maximum_filter, x, 3, { origin = 2 })
    failure("footprint must have 1 axis", N.median_filter, x, { footprint = cp.ones { 2, 2 }, axes = 1 })
    failure("takes real values", N.median_filter, cp.ones({ 3 }, { dtype = "complex64" }), 3)
    failure("size, footprint or structure must be given", N.grey_erosion, x)
    failure("structure must have 2 axes", N.binary_erosion, x, cp.ones(3))
    failure("structure must have a true element", N.binary_dilation, x, cp.zeros { 3, 3 })
    failure("function must return one value for each window", N.generic_filter, x, function(w) return w end, 3)
  end)

  it("propagate through labels as step by step", function()
    local r = cp.sin(cp.arange(1200, { dtype = "float64" }) * 78.233) * 43758.5453 % 1
    local mask, seeds = r:lt(0.62):reshape(30, 40), r:lt(0.02):reshape(30, 40)
    local y = seeds
    repeat
      local before = y
      y = N.binary_dilation(y, { mask = mask })
    until cp.array_equal(before, y)
    equal(N.binary_propagation(seeds, { mask = mask }), y)
  end)

  it("are not listed where they are too large, and steps end where nothing changes any more", function()
    local x = cp.array { 1, 2, 3 }
    for _, name in ipairs { "grey_closing", "maximum_filter", "median_filter" } do
      failure("a window has at most 1048576 elements, not 1000000000", N[name], x, 1e9)
    end
    local b = cp.zeros(200, "bool")
    b[100] = true
    equal(N.binary_dilation(b, nil, 70):sum(), cp.array(141, "int64"))
    assert.is_true(N.binary_dilation(b, nil, 1e9):all())
    assert.is_true(N.binary_erosion(b:logical_not(), nil, 1e9):any() == false)
  end)
end)

describe("labels", function()
  it("hit wherever a structure of true elements fits", function()
    equal(N.binary_hit_or_miss(cp.array { 1, 0, 1, 1, 1, 0 }, cp.ones(3)),
      cp.array({ false, false, false, true, false, false }, "bool"))
  end)

  it("join what lies far apart along the axes", function()
    local x = cp.zeros({ 70, 5000 }, { dtype = "bool" })
    for row = 1, 70, 2 do x[row] = true end
    for row = 2, 70, 4 do x[{ row, 5000 }] = true end
    for row = 4, 70, 4 do x[{ row, 1 }] = true end
    local labels, count = N.label(x)
    assert.equal(1, count)
    equal(labels:gt(0), x)
    local rows = N.label(x[{ {}, { 2, 4999 } }])[{ {}, 1 }]
    equal(rows["1::2"], cp.arange(1, 36, { dtype = "int32" }))
    equal(rows["2::2"], cp.zeros({ 35 }, { dtype = "int32" }))
  end)

  -- Labels by filling from each element that has none yet. shape: {rows, columns}; structure: 9 bits.
  local function filled(x, structure)
    local rows, columns = x.shape[1], x.shape[2]
    local mask, labels, count = x:totable(), {}, 0
    for row = 1, rows do labels[row] = {} end
    for row = 1, rows do
      for column = 1, columns do
        local stack = { { row, column } }
        if mask[row][column] and not labels[row][column] then count = count + 1 else stack = {} end
        while #stack > 0 do
          local at = table.remove(stack)
          local r, c = at[1], at[2]
          if mask[r] and mask[r][c] and not labels[r][c] then
            labels[r][c] = count
            for k = 0, 8 do
              if structure[k + 1] then stack[#stack + 1] = { r + math.floor(k / 3) - 1, c + k % 3 - 1 } end
            end
          end
        end
        labels[row][column] = labels[row][column] or 0
      end
    end
    return labels, count
  end

  it("are those of filling, with any structure", function()
    local random = cp.random.default_rng(3)
    for bits = 0, 15 do -- halves of structures
      local half, structure = {}, {}
      for k = 1, 4 do half[k] = math.floor(bits / 2 ^ (k - 1)) % 2 == 1 end
      for k = 1, 9 do structure[k] = k == 5 or half[k < 5 and k or 10 - k] end
      local shapes = { { 13, 29 }, { 29, 8 } }
      if bits % 5 == 0 then shapes[3], shapes[4] = { 2, 4200 }, { 75, 90 } end
      for _, shape in ipairs(shapes) do
        local x = random:random(shape):lt(bits % 2 == 0 and 0.55 or 0.75)
        local labels, count = N.label(x, cp.array(structure):reshape(3, 3))
        local wanted, number = filled(x, structure)
        assert.equal(number, count)
        equal(labels, cp.array(wanted, "int32"))
      end
    end
  end)

  it("are written into an array, and then only counted", function()
    local x = cp.array { { 1, 1, 0, 1 }, { 0, 0, 0, 1 } }
    local out = cp.zeros({ 2, 4 }, "int8")
    local count, nothing = N.label(x, { output = out })
    assert.equal(2, count)
    assert.is_nil(nothing)
    equal(out, cp.array({ { 1, 1, 0, 2 }, { 0, 0, 0, 2 } }, "int8"))
    local many = cp.arange(600) % 2
    failure("int8 cannot hold 300 labels", N.label, many, { output = "int8" })
    failure("uint8 cannot hold 300 labels", N.label, many, { output = cp.zeros(600, "uint8") })
    failure("output must be real, not complex64", N.label, many, { output = "complex64" })
    assert.equal(300, N.label(many, { output = cp.zeros(600, "int16") }))
    failure("shape", N.label, many, { output = cp.zeros(3, "int16") })
  end)

  it("and morphology of arrays without axes are those of one element", function()
    for v = 0, 1 do
      local x = cp.array(v)
      for _, name in ipairs { "erosion", "dilation", "opening", "closing", "propagation", "hit_or_miss" } do
        equal(N["binary_" .. name](x), cp.array(v == 1))
      end
      equal(N.binary_dilation(x, { iterations = 0, border_value = 1 }), cp.array(v == 1))
      equal(N.binary_fill_holes(x), cp.array(true))
      equal(N.binary_erosion(x, cp.array(1)), cp.array(v == 1))
      for _, name in ipairs { "erosion", "dilation", "opening", "closing" } do
        equal(N["grey_" .. name](x, 3), x)
        equal(N["grey_" .. name](x, { footprint = cp.array(true) }), x)
      end
      equal(N.grey_erosion(x, { structure = cp.array(2) }), x - 2)
      equal(N.grey_dilation(x, { structure = cp.array(2) }), x + 2)
      equal(N.white_tophat(x, 3), x * 0)
      equal(N.median_filter(x, 3), x)
      local labels, count = N.label(x)
      equal(labels, cp.array(v, "int32"))
      assert.equal(v, count)
      assert.equal(v, select(2, N.label(x, cp.array(0))))
    end
    failure("structure must have 0 axes, not shape (3)", N.binary_erosion, cp.array(1), cp.ones(3))
  end)

  it("refuse what does not fit", function()
    local x = cp.ones { 3, 4 }
    failure("structure must be its own mirror image", N.label, x, cp.array { { 1, 1, 0 }, { 0, 1, 0 }, { 0, 0, 0 } })
    failure("structure must have an odd length", N.label, x, cp.ones { 2, 3 })
    failure("labels must be integers", N.find_objects, x)
    failure("labels have shape (2) for an array of shape (3, 4)", N.sum, x, cp.ones(2))
    failure("index needs labels", N.mean, x, { index = 1 })
    failure("an array is given for a result that is not returned", N.distance_transform_edt, x, { indices = x })
    failure("max must be greater than min", N.histogram, x, 1, 1, 3)
  end)

  it("measure nothing", function()
    equal(N.sum(cp.zeros { 0 }), cp.array(0))
    equal(N.sum_labels(cp.ones(3), cp.array({ 1, 1, 2 }), cp.array({}, "int64")), cp.zeros { 0 })
    assert.equal(0, #N.find_objects(cp.zeros({ 3 }, { dtype = "int32" })))
    local none = cp.array({}, "int64")
    local low, high, low_at, high_at = N.extrema(cp.ones(3), cp.array({ 1, 1, 2 }), none)
    equal(low, cp.zeros { 0 })
    equal(high, cp.zeros { 0 })
    equal(low_at, cp.zeros { 0, 1 })
    equal(high_at, cp.zeros { 0, 1 })
    equal(N.median(cp.ones(3), cp.array({ 1, 1, 2 }), none), cp.zeros { 0 })
  end)

  it("measure what has labels greater than 0", function() -- expected values: SciPy 1.17
    local x, labels = cp.array { 5, 1, 7, 3, 9 }, cp.array({ -1, 1, 0, 2, -3 }, "int32")
    equal(N.sum(x, labels), cp.array(4))
    equal(N.mean(x, labels), cp.array(2))
    equal(N.maximum(x, labels), cp.array(3))
    equal(N.minimum_position(x, labels), cp.array { 2 })
    equal(N.median(x, labels), cp.array(2))
    equal(N.histogram(x, 0, 10, 2, labels), cp.array { 2, 0 })
    equal(N.sum(x, labels, { -1, 0, 2 }), cp.array { 5, 7, 3 })
  end)

  it("have the dtype of sums of arrays where there is one of them", function() -- SciPy 1.17's dtypes
    for dtype, own in pairs { bool = "int64", uint8 = "uint64", int32 = "int64", float32 = "float32" } do
      local x, labels = cp.ones({ 2, 3 }, { dtype = dtype }), cp.array({ { 1, 1, 2 }, { 0, 1, 2 } }, "int32")
      local function is(sum, value, expected)
        equal(sum, cp.array(value))
        assert.equal(expected, sum.dtype)
      end
      is(N.sum_labels(x), 6, own)
      is(N.sum(x, labels), 5, own)
      is(N.sum_labels(x, labels, 2), 2, own)
      is(N.sum_labels(x, labels, { 1, 2 }), { 3, 2 }, "float64")
    end
    local large = cp.array({ 2 ^ 53, 1 }, "int64") -- float64 has no room for the sum
    equal(N.sum(large), cp.array({ 2 ^ 53, 1 }, "int64"):sum())
  end)
end)

describe("distances", function()
  it("are infinite without a zero", function()
    local d, i = N.distance_transform_edt(cp.ones { 3, 40 }, { return_indices = true })
    assert.is_true(cp.isinf(d):all())
    equal(i, cp.zeros({ 2, 3, 40 }, { dtype = "int32" }))
  end)

  it("reach across blocks", function()
    local x = cp.ones { 200, 3 }
    x[{ 1, 2 }] = 0
    local d, i = N.distance_transform_edt(x, { return_indices = true })
    assert.is_true(cp.allclose(d[{ 200 }], { math.sqrt(199 ^ 2 + 1), 199, math.sqrt(199 ^ 2 + 1) }))
    equal(i[{ {}, 200, 3 }], cp.array({ 1, 2 }, "int32"))
  end)
end)

describe("primitives", function()
  local x, taps = cp.ones { 4, 5 }, cp.array({ { 0, 0, 0 }, { 1, 0, 1 } }, "int64")

  it("check what they are given", function()
    local zero, z = { 0, 0 }, x:astype "complex64"
    failure("the taps must have a row of 3 numbers", core.window, "f", "least", x, taps[{ {}, { 1, 2 } }], zero, zero)
    failure("taps must be of dtype int64", core.window, "f", "least", x, cp.ones { 1, 3 }, zero, zero)
    failure("before and behind", core.window, "f", "least", x, taps, { 0, -1 }, zero)
    failure("must be of an integer dtype, float32 or float64", core.window, "f", "least", z, taps, zero, zero)
    failure("the rank must lie inside", core.window, "f", 5, x, taps, zero, zero)
    failure("the mask must be uint8", core.label, "f", x, taps)
    failure("the map must have a row", core.sample, "f", x, { 1, 1, 1, 1 }, { 3, 3 }, 1, "wrap", 0, 0)
    local numbers = cp.ones({ 2, 2 }, { dtype = "int64" })
    failure("numbers and weights must have one shape", core.taps, "f", x, 1, numbers, cp.ones(2), 0)
    failure("x must be float64", core.spline, "f", x, 1, 0.5, 1, "mirror")
    failure("nearest must have the shape of squares", core.envelope, "f", x, cp.ones({ 2 }, { dtype = "int32" }), 1, 1)
  end)

  it("read nothing outside of arrays, whatever the distances say", function()
    local far = cp.array({ { 2 ^ 40, 0, 0 }, { -2 ^ 40, 0, 0 }, { 7, 0, 0 } }, "int64")
    assert.is_true(core.window("f", "greatest", x, far, { 0, 0 }, { 0, 0 }, "fill", 5):has_shape(4, 5))
    local numbers = cp.array({ { 2 ^ 40, -2 ^ 40 } }, "int64")
    equal(core.taps("f", x, 1, numbers, cp.ones { 1, 2 }, 3), cp.full({ 1, 5 }, 6))
    assert.is_true(core.label("f", x:astype "uint8", far, false):has_shape(4, 5))
  end)
end)
