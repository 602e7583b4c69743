-- Sorting and scanning of sizes that devices handle in different ways: short rows, rows of one and of many
-- tiles, many rows. Expected values come from closed forms. Errors.

local cp = require "cupola"
local expect = require "spec.helper.expect"
local values, failure = expect.values, expect.failure

-- 0 .. n - 1 in an order without pattern: multiples of a number prime to n.
local function shuffled(n, dtype)
  local step = 7919
  while n % step == 0 do step = step + 2 end
  return (cp.arange(n) * step % n):astype(dtype), step
end

-- Whether got equals want, arrays of one shape and dtype.
local function same(got, want, what)
  assert.equal(want.dtype, got.dtype)
  assert.is_true(cp.array_equal(got, want, true), what or table.concat(got.shape, " x ") .. " " .. got.dtype)
end

describe("sorting long vectors", function()
  for _, dtype in ipairs { "int32", "uint32", "int64", "uint64", "float32", "float64" } do
    it(dtype, function()
      for _, n in ipairs { 2047, 2049, 8064, 8065, 40000, 150001 } do
        local x, step = shuffled(n, dtype)
        same(x:sort(), cp.arange(n):astype(dtype))
        -- element k of x is k * step % n, so value v lies at the k with k * step % n == v
        local at = x:argsort()
        same(((at - 1) * step % n):astype(dtype), cp.arange(n):astype(dtype))
      end
    end)
  end

  it("of millions of elements, also at addresses that are not aligned to 16 bytes", function()
    for _, dtype in ipairs { "float32", "int64" } do
      local n = 4200001
      local x, step = shuffled(n, dtype)
      local tail = cp.concatenate { cp.zeros(1, dtype), x }["2:"]
      same(tail:sort(), cp.arange(n):astype(dtype))
      same(((tail:argsort() - 1) * step % n):astype(dtype), cp.arange(n):astype(dtype))
    end
  end)

  it("of few values is stable", function()
    for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "int32", "float64" } do
      local n, kinds = 30011, dtype == "bool" and 2 or 11
      local x = (cp.arange(n) % kinds):astype(dtype)
      local at = x:argsort():astype("int64") - 1
      -- place k of the result: values ascend, and within a value positions
      local order = at % kinds * n + at
      assert.is_true(cp.diff(order):gt(0):all())
      same(x:sort(), cp.sort(at % kinds):astype(dtype))
      assert.equal(n, cp.unique(at).size)
    end
  end)

  it("puts infinities and nan at the ends", function()
    local x = shuffled(20000, "float32") - 10000
    for v, special in pairs { [5] = cp.nan, [7] = -cp.nan, [9] = -cp.inf, [11] = cp.inf } do
      x = cp.where(x:eq(v), special, x)
    end
    local s = x:sort()
    assert.equal(-cp.inf, s[1])
    assert.equal(cp.inf, s[19998])
    assert.is_true(cp.isnan(s["19999:"]):all())
    assert.is_true(cp.diff(s["2:19997"]):gt(0):all())
    local at = x:argsort()
    -- equal elements, nans among them, by position
    assert.is_true(at[19999] < at[20000])
    assert.is_true(cp.isnan(x[{ { at[19999], at[19999] } }])[1])
  end)

  it("of equal elements, and of sorted ones", function()
    same(cp.full(50000, 3, "int32"):argsort(), cp.range(1, 50000))
    same(cp.arange(50000):sort(), cp.arange(50000))
    same(cp.arange(50000):astype("float64")["::-1"]:sort(), cp.arange(50000):astype("float64"))
  end)

  it("of complex numbers", function()
    local x = shuffled(5000, "float64")
    local z = cp.floor(x / 10) + cp.j * (x % 10)
    local s = z:sort()
    same(s.real * 10 + s.imag, cp.arange(5000):astype("float64"))
    local rows = z:reshape(5, 1000):sort(2)
    assert.is_true(cp.diff(rows.real * 10 + rows.imag, 1, 2):gt(0):all())
  end)
end)

describe("sorting rows", function()
  it("of every length", function()
    for _, n in ipairs { 1, 2, 3, 5, 31, 33, 64, 100, 500, 513, 1025, 2048, 2050, 5000, 9000 } do
      local rows = n > 600 and 3 or 40
      local x = shuffled(rows * n, "int32"):reshape(rows, n)
      local s, at = x:sort(), x:argsort()
      -- each row has its own elements, in order
      same(s:astype("int64"):sum(2), x:astype("int64"):sum(2))
      if n > 1 then assert.is_true(cp.diff(s):gt(0):all()) end
      for _, r in ipairs { 1, rows } do
        local row = x[r]
        assert.equal(row:min():item(), row[at[{ r, 1 }]])
        assert.equal(row:max():item(), row[at[{ r, n }]])
        same(at[r]:sort(), cp.range(1, n))
      end
    end
  end)

  it("along other axes, and into views", function()
    local x = shuffled(24 * 50, "float32"):reshape(4, 50, 6)
    local s = x:sort(2)
    assert.is_true(s.flags.c_contiguous)
    assert.is_true(cp.diff(s, 1, 2):gt(0):all())
    local y = x:copy()
    assert.is_true(rawequal(y, y:sort_(2)))
    same(y, s)
    local v = x[{ {}, {}, { 6, 1, -1 } }]
    v:sort_(1)
    same(v, v:sort(1))
    assert.is_true(cp.diff(x, 1, 1):gt(0):all())
    local p = shuffled(100, "int16")
    assert.equal(9, p:partition(10)[10])
    assert.equal(97, p:partition { 3, -3 }[-3])
    assert.equal(9, p[p:argpartition(10)[10]])
    p:partition_(50)
    assert.equal(49, p[50])
  end)

  -- Whether y is x reordered so that each of its positions in `kth` has what s, x sorted, has there.
  local function is_parted(x, y, s, kth)
    same(y:sort(), s)
    for _, k in ipairs(kth) do
      if k < 0 then k = #x + 1 + k end
      assert.equal(tostring(s[k]), tostring(y[k]))
      if s.dtype:find "^float" and s[k] ~= s[k] then return end
      local before, after = y[{ { 1, k } }], y[{ { k, #x } }]
      assert.is_false(before:gt(s[k]):any())
      assert.is_false(after:lt(s[k]):any())
    end
  end

  it("by parts, of any values", function()
    local rng = cp.random.default_rng(3)
    local cases = {
      rng:random(3000), cp.arange(1200, 0, -1), cp.zeros(1100), rng:integers(0, 3, 1300),
      cp.concatenate { cp.zeros(1200), cp.ones(17) }, cp.concatenate { cp.arange(1100), cp.full({ 9 }, cp.nan) },
      cp.concatenate { rng:random(600), cp.full({ 700 }, 0.5) }, rng:random(70), rng:random(3),
      cp.where((cp.arange(1900) % 7):lt(3), -cp.arange(1900), cp.arange(1900)),
      cp.where(rng:random(1500):lt(0.1), -cp.array(cp.nan), rng:random(1500) - 0.5),
    }
    for _, case in ipairs(cases) do
      local dtypes = { "float32", "float64", "int16", "uint8", "int64" }
      if case:min():item() >= 0 then dtypes[6], dtypes[7] = "uint32", "uint64" end
      for k, dtype in ipairs(dtypes) do
        if not (dtype:find "int" and cp.isnan(case):any()) then
          local x = case:astype(dtype):eval()
          local n, s = #x, cp.sort(x)
          local places = k > 4 and { { 3, -3 } } or { { 1 }, { n }, { math.ceil(n / 2) }, { 3, -3 } }
          for _, kth in ipairs(places) do
            is_parted(x, cp.partition(x, kth), s, kth)
            is_parted(x, x[cp.argpartition(x, kth)], s, kth)
          end
        end
      end
    end
  end)

  it("by parts, row by row and along other axes", function()
    local x = cp.random.default_rng(4):random({ 40, 300 }):astype("float32"):eval()
    local s = x:sort(2)
    local y = cp.partition(x, 150)
    same(y:sort(2), s)
    same(y[{ {}, 150 }], s[{ {}, 150 }])
    same(cp.partition(x.T, -20, 1)[{ 281, {} }], s[{ {}, 281 }])
    assert.equal(cp.sort(x, false)[5000], cp.partition(x, 5000, false)[5000])
    x:partition_(7)
    same(x[{ {}, 7 }], s[{ {}, 7 }])
  end)

  it("of empty arrays", function()
    for _, shape in ipairs { { 0 }, { 0, 4 }, { 4, 0 } } do
      local x = cp.zeros(shape)
      same(x:sort(), x)
      same(x:argsort(1), x:astype("int64"))
      same(x:cumsum(1), x)
      assert.equal(0, x:cumsum().size)
      assert.equal(0, cp.unique(x).size)
    end
    same(cp.zeros({ 0 }, "complex64"):sort(), cp.zeros({ 0 }, "complex64"))
    values(cp.searchsorted(cp.zeros { 0 }, { 1, 2 }), { 1, 1 })
    values(cp.isin({ 1, 2 }, {}), { false, false })
    values(cp.bincount(cp.zeros({ 0 }, "int32"), { minlength = 2 }), { 0, 0 })
  end)
end)

describe("searchsorted", function()
  -- The same by definition: how many elements are below, or not above, each of the values.
  local function by_definition(x, v, right)
    local before = right and x:le(v[{ {}, cp.newaxis }]) or x:lt(v[{ {}, cp.newaxis }])
    if cp.isdtype(x.dtype, "real floating") then -- nan is behind all numbers
      local nan = v:isnan()[{ {}, cp.newaxis }]
      before = before:logical_or(nan:logical_and(right and cp.ones(#x, "bool") or x:isnan():logical_not()))
    end
    return cp.count_nonzero(before, 2) + 1
  end

  it("finds values that come near each other as it finds others", function()
    for _, dtype in ipairs { "float64", "float32", "float16", "int64", "int32", "uint8", "int8" } do
      local small = dtype == "uint8" or dtype == "int8"
      for _, n in ipairs { 1, 2, 33, 700 } do
        local x = (cp.arange(n) * 3 % (small and 100 or 2000)):astype(dtype):sort()
        local v = ((cp.arange(400) * 5.3):floor() % (small and 120 or 2100)):astype(dtype)
        local up = v:sort()
        local steps = cp.concatenate { up["1:200:7"], up["100:180"], up["-1:1:-1"], v["1:60"], up["390:"] }
        for _, right in ipairs { false, true } do
          local lists = { sorted = up, falling = up["-1:1:-1"], mixed = v, steps = steps, one = up["1:1"] }
          for name, list in pairs(lists) do
            local what = name .. " in " .. n .. " " .. dtype
            same(cp.searchsorted(x, list, right and "right" or "left"), by_definition(x, list, right), what)
          end
        end
      end
    end
  end)

  it("takes nan and infinities among values in order", function()
    local x = cp.concatenate { { -1 / 0 }, cp.arange(200), { 1 / 0, 0 / 0, 0 / 0 } }
    local v = cp.concatenate { cp.arange(40) / 2, { 0 / 0 }, cp.arange(150, 190), { 1 / 0, -1 / 0, 0 / 0 } }
    for _, dtype in ipairs { "float64", "float32" } do
      local a, b = x:astype(dtype), v:astype(dtype)
      same(cp.searchsorted(a, b), by_definition(a, b, false), dtype)
      same(cp.searchsorted(a, b, "right"), by_definition(a, b, true), dtype .. " right")
    end
  end)
end)

describe("isin of integers", function()
  -- Few elements are compared with each; many that are close together are looked up.
  local function is_in(x, y, options)
    local found = cp.isin(x, y, options)
    same(cp.isin(x, cp.tile(y, 12), options), found)
    return found
  end

  it("finds what is close together, at the limits and far apart", function()
    for _, dtype in ipairs { "int8", "uint8", "int16", "int32", "int64", "uint64" } do
      local x, wanted = cp.arange(-3, 120):astype(dtype), cp.array({ 5, 7, 100, 5 }, dtype)
      local expected = cp.logical_or(cp.logical_or(x:eq(5), x:eq(7)), x:eq(100))
      same(is_in(x, wanted), expected)
      same(is_in(x, wanted, { invert = true }), cp.logical_not(expected))
      local info = cp.iinfo(dtype)
      local low, high = cp.full({ 2 }, info.min, { dtype = dtype }), cp.full({ 1 }, info.max, { dtype = dtype })
      local ends = cp.concatenate { low, low + 1, high - 1, high }
      values(is_in(ends, low), { true, true, false, false, false, false })
      values(is_in(ends, high), { false, false, false, false, false, true })
      values(is_in(ends, ends[{ { 2, 6, 4 } }]), { true, true, false, false, false, true })
      values(is_in(ends["2:3"], high - 1), { false, false })
    end
    values(is_in(cp.array({ 1, -1 }, "int64"), cp.array({ 255, 1 }, "uint8")), { true, false })
  end)

  it("is false for nan, and takes one test element of any shape", function()
    values(is_in(cp.array { 1, cp.nan }, cp.array { cp.nan, 1, 2 }), { true, false })
    values(cp.isin({ { 1, 2 } }, 2), { { false, true } })
    values(cp.isin({ { 1, 2 } }, { { 2 } }, { invert = true }), { { true, false } })
  end)
end)

describe("scans of many elements", function()
  it("add whole numbers exactly", function()
    for _, dtype in ipairs { "int64", "float64", "uint64", "complex128" } do
      for _, n in ipairs { 100, 4096, 4097, 65537, 200003 } do
        local x = cp.arange(n)
        same(x:astype(dtype):cumsum(), (x * (x + 1) / 2):astype(dtype))
      end
    end
    same(cp.ones(100003, "bool"):cumsum(), cp.range(1, 100003))
    same(cp.ones(100003, "int8"):cumsum(), cp.range(1, 100003))
    same(cp.ones(300, "uint8"):cumsum { dtype = "uint8" }, cp.range(1, 300):astype("uint8"))
    same(cp.ones(100003, "float32"):cumsum(), cp.range(1, 100003):astype("float32"))
    same(cp.ones(2000, "float16"):cumsum(), cp.range(1, 2000):astype("float16"))
    same(cp.ones(100000, "float16"):cumsum("float32"), cp.range(1, 100000):astype("float32"))
  end)

  it("of unaligned elements and odd rows", function()
    local x = cp.arange(100001):astype("float32")["2:"] * 0 + 1
    same(x:copy()["4:"]:cumsum(), cp.range(1, 99997):astype("float32"))
    local shapes = { { 3, 30001 }, { 5, 7000 }, { 4, 4096 }, { 700, 3 }, { 60, 129 }, { 5000, 17 }, { 2, 2049 } }
    for _, shape in ipairs(shapes) do
      local want = cp.broadcast_to(cp.range(1, shape[2]), shape):astype("float32")
      same(cp.ones(shape, "float32"):cumsum(2), want)
      same(cp.ones({ shape[2], shape[1] }, "float32"):cumsum(1), want.T)
      same(cp.broadcast_to(cp.array(1), shape):cumsum(2), want:astype("float64"))
    end
  end)

  it("along other axes than the last", function()
    -- element (r, k, i) is k * (i % 7 + 1) + r
    local shapes = { { 1, 1, 256 }, { 2, 7, 3000 }, { 5, 9, 257 }, { 1, 127, 257 }, { 1, 128, 300 },
      { 9, 129, 33 }, { 3, 2500, 100 }, { 2, 64, 1000 }, { 1, 8200, 256 } }
    for _, shape in ipairs(shapes) do
      local k = cp.range(1, shape[2]):reshape(-1, 1)
      local step, r = cp.arange(shape[3]) % 7 + 1, cp.arange(shape[1]):reshape(-1, 1, 1)
      local x, want = k * step + r, k * (k + 1) / 2 * step + r * k
      for _, dtype in ipairs { "int64", "float64", "complex128", "int32", "uint8" } do
        local got = x:astype(dtype):cumsum { axis = 2, dtype = dtype }
        same(got, want:astype("int64"):astype(dtype), dtype)
      end
      -- sums that float32 holds exactly
      same((x % 3):astype("complex64"):cumsum(2), (x % 3):astype("int64"):cumsum(2):astype("complex64"))
      same(x[":, :, 2:"]:cumsum(2), want:astype("int64")[":, :, 2:"]:copy())
      same(x:astype("int16"):cumsum(-2), x:astype("int16"):astype("int64"):cumsum(2))
      same((x % 2):astype("bool"):cumsum(2), (x % 2):cumsum(2))
      same((x * 0 + 1):astype("float16"):cumsum(2), cp.broadcast_to(k, shape):astype("float16"))
    end
    local x = cp.arange(600 * 300):reshape(600, 300):astype("float32")
    same(x:cummin(1), cp.broadcast_to(x[1], x.shape):copy())
    x[{ 250, 7 }] = cp.nan
    local m = x:cummax(1)
    assert.equal(351, cp.isnan(m):sum():item())
    assert.is_true(cp.isnan(m["250:, 7"]):all())
    same(cp.where(cp.isnan(m), 0, m), cp.where(cp.isnan(m), 0, x))
    assert.is_true(cp.signbit(cp.full({ 300, 300 }, -0.0):cumsum(1)):all())
    same(cp.ones({ 3, 0, 300 }):cumsum(2), cp.ones { 3, 0, 300 })
  end)

  it("of more tiles than run at the same time", function()
    local n = 9000001
    local k = cp.range(1, n)
    same((k % 3 - 1):astype("float32"):cumsum(), (k % 3 - 1):cumsum():astype("float32"))
    same((k % 3):cumsum(), cp.floor_divide(k, 3) * 3 + cp.floor_divide(k % 3 * (k % 3 + 1), 2))
    same((k["1:3000000"] % 3):astype("complex128"):cumsum(), (k["1:3000000"] % 3):cumsum():astype("complex128"))
  end)

  it("repeat their bits", function()
    local x = cp.sin(cp.arange(3000000):astype("float32"))
    local one, rows, columns = x:cumsum(), x:reshape(3, 1000000):cumsum(2), x:reshape(3000, 1000):cumsum(1)
    for _ = 1, 5 do
      same(x:cumsum(), one)
      same(x:reshape(3, 1000000):cumsum(2), rows)
      same(x:reshape(3000, 1000):cumsum(1), columns)
    end
    local halves = x["1:300000"]:astype("float16"):cumsum()
    local exact = cp.cumsum(x, { dtype = "float64" })
    assert.is_true(cp.allclose(one, exact, 0, 1e-1))
    assert.is_true(cp.allclose(rows[3], cp.cumsum(x["2000001:"], { dtype = "float64" }), 0, 1e-1))
    assert.is_true(cp.allclose(columns, x:reshape(3000, 1000):cumsum { axis = 1, dtype = "float64" }, 0, 1e-2))
    assert.is_true(cp.allclose(halves:astype("float32"), exact["1:300000"], 1e-2, 1e-1))
  end)

  it("keeps extremes and nan", function()
    local x = cp.abs(cp.arange(70001) - 35000):astype("float32")
    same(x:cummin(), cp.maximum(35000 - cp.arange(70001), 0):astype("float32"))
    same((-x):cummax(), -x:cummin())
    x[40000] = cp.nan
    local m = x:cummax()
    assert.is_true(cp.isnan(m["40000:"]):all() and not cp.isnan(m["1:39999"]):any())
    values(cp.nancumsum({ 1, cp.nan, 2 }), { 1, 1, 3 })
    values(cp.cummax(cp.array { { 1, 5 }, { 3, 2 } }, 1), { { 1, 5 }, { 3, 5 } })
  end)

  it("keeps the sign of zero", function()
    local x = cp.full(5000, -0.0, "float64")
    assert.is_true(cp.signbit(x:cumsum()):all())
  end)

  it("writes into out", function()
    local x, out = cp.arange(10), cp.zeros(10, "float32")
    assert.is_true(rawequal(out, x:cumsum { out = out }))
    assert.equal(45, out[10])
    failure("cupola.cumsum", cp.cumsum, x, { out = cp.zeros(9) })
    x:cumsum { out = x }
    assert.equal(45, x[10])
  end)
end)

describe("arguments of sorting and scans", function()
  it("are checked", function()
    local x = cp.arange(6):reshape(2, 3)
    failure("cupola.sort: axis 3 is out of range", cp.sort, x, 3)
    failure("cupola.sort: axis counts from 1", cp.sort, x, 0)
    failure("cupola.sort: kind must be", cp.sort, x, 1, "bubble")
    failure("cupola.sort: a must have at least one axis", cp.sort, 5)
    failure("cupola.sort_: a must be an array", cp.sort_, { 3, 2, 1 })
    failure("cupola.argsort: a must be an array", cp.argsort, print)
    failure("cupola.cumsum: axis -3 is out of range", cp.cumsum, x, -3)
    failure("cupola.cumsum: no dtype 'int33'", cp.cumsum, x, 1, "int33")
    failure("cupola.partition: kth 4 is out of range for an axis of length 3", cp.partition, x, 4)
    failure("cupola.argpartition: kth counts from 1", cp.argpartition, x, { 1, 0 })
    failure("cupola.lexsort: shapes (2) and (3) differ", cp.lexsort, { { 1, 2 }, { 1, 2, 3 } })
    failure("cupola.lexsort: keys must be", cp.lexsort, {})
    failure("cupola.searchsorted: a must be a vector", cp.searchsorted, x, 1)
    failure('cupola.searchsorted: side must be "left" or "right"', cp.searchsorted, { 1 }, 1, "middle")
    failure("cupola.searchsorted: sorter has positions outside 1 to 2", cp.searchsorted, { 1, 2 }, 1,
      { sorter = { 1, 3 } })
    failure("cupola.diff: n must not be negative", cp.diff, x, -1)
    failure("cupola.ediff1d: 70000 does not fit int16", cp.ediff1d, cp.zeros(3, "int16"), 70000)
    failure("cupola.ediff1d: cannot write float64 into int64", cp.ediff1d, cp.arange(3), nil, { 1, 0.5 })
    failure('cupola.ediff1d: the rule "same_kind" does not allow the cast', cp.ediff1d, cp.arange(3), cp.ones(1))
    failure('cupola.isin: kind must be "sort" or "table"', cp.isin, x, { 1 }, { kind = "hash" })
    failure("cupola.deterministic: on must be true or false", cp.deterministic, 1)
    local gone = cp.arange(3)
    gone:free()
    failure("cupola.sort: the array's memory was freed", cp.sort, gone)
  end)

  it("may be pending, and written later", function()
    local x = cp.arange(3000)
    local y = x * 2
    local s = (-y):sort()
    x:fill(7)
    assert.equal(-5998, s[1])
    assert.equal(5998, y:sort()[3000])
    assert.equal(7, cp.unique(x)[1])
  end)
end)
