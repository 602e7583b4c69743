-- Reductions: axes in every form, keepdims, dtype, out, initial and ddof, empty arrays, positions of argmin
-- and argmax, any layout of the input, and the accuracy of sums. Values of every dtype are compared with
-- NumPy in golden_spec.lua.

local cp = require "cupola"
local check = require "spec.helper.check"

local values, failure = check.values, check.failure
local nan, inf = cp.nan, cp.inf

-- "DTYPE VALUE" of a 0-d result.
local function shown(x)
  assert.equal(0, x.ndim)
  return ("%s %.17g"):format(x.dtype, x:item())
end

-- The nested table t of `shape` filled by f of its positions.
local function table_of(shape, f, prefix)
  local t, depth = {}, #(prefix or {}) + 1
  for k = 1, shape[depth] do
    local at = {}
    for d = 1, depth - 1 do at[d] = prefix[d] end
    at[depth] = k
    t[k] = depth == #shape and f(at) or table_of(shape, f, at)
  end
  return t
end

describe("axis", function()
  local c

  -- element (i, j, k) is 100 i + 10 j + k
  before_each(function()
    c = cp.array(table_of({ 2, 3, 4 }, function(at) return 100 * at[1] + 10 * at[2] + at[3] end), "int64")
  end)

  it("is one, counted from 1 or from the end", function()
    assert.same({ 3, 4 }, c:sum(1).shape)
    assert.same({ 2, 4 }, c:sum(2).shape)
    assert.same({ 2, 3 }, c:sum(3).shape)
    assert.same({ { 322, 324, 326, 328 }, { 342, 344, 346, 348 }, { 362, 364, 366, 368 } }, values(c:sum(1)))
    assert.same({ { 363, 366, 369, 372 }, { 663, 666, 669, 672 } }, values(c:sum(2)))
    assert.same({ { 450, 490, 530 }, { 850, 890, 930 } }, values(c:sum(-1)))
    assert.is_true(c:sum(-2) == c:sum(2))
    assert.is_true(c:sum(-3) == c:sum(1.0))
    assert.is_true(c:sum({ axis = 2 }) == cp.sum(c, 2))
    assert.is_true(cp.sum({ a = c, axis = 2 }) == cp.sum(c, 2))
  end)

  it("is several", function()
    assert.same({ 1470, 2670 }, values(c:sum({ axis = { 2, 3 } })))
    assert.same({ 1470, 2670 }, values(cp.sum(c, { -1, 2 })))
    assert.same({ 1300, 1380, 1460 }, values(cp.sum(c, { 1, 3 })))
    assert.same({ 1026, 1032, 1038, 1044 }, values(cp.sum(c, { 2, 1 })))
    assert.equal("int64 4140", shown(cp.sum(c, { 3, 1, 2 })))
    assert.is_true(cp.sum(c, { axis = {} }) == c)
  end)

  it("is all when not given", function()
    assert.equal("int64 4140", shown(c:sum()))
    assert.equal("int64 4140", shown(c:sum(nil)))
    assert.equal("float64 172.5", shown(c:mean()))
    assert.equal("int64 111", shown(c:min()))
    assert.equal("int64 234", shown(c:max()))
    assert.equal("int64 123", shown(c:ptp()))
  end)

  it("stays with length 1 under keepdims", function()
    assert.same({ 2, 1, 4 }, c:sum(2, { keepdims = true }).shape)
    assert.same({ 1, 3, 1 }, c:max({ axis = { 1, -1 }, keepdims = true }).shape)
    assert.same({ 1, 1, 1 }, c:mean({ keepdims = true }).shape)
    assert.same({ 2, 3, 1 }, c:argmax({ axis = 3, keepdims = true }).shape)
    assert.same({ 1, 1, 1 }, c:argmax({ keepdims = true }).shape)
    assert.same({ 1, 1, 1 }, c:any({ keepdims = true }).shape)
    assert.same({ 2, 1, 4 }, c:std({ axis = 2, keepdims = true }).shape)
    assert.same({ 2, 1, 4 }, c:count_nonzero(2, true).shape)
    assert.is_true((c - c:mean(2, { keepdims = true })):sum(2) == cp.zeros({ 2, 4 }))
  end)

  it("must exist, once, and be whole", function()
    failure("index", "sum: axis counts from 1; there is no axis 0", function() c:sum(0) end)
    failure("index", "sum: axis 4 is out of range for an array with 3 axes", function() c:sum(4) end)
    failure("index", "max: axis -4 is out of range for an array with 3 axes", function() c:max(-4) end)
    failure("index", "mean: axis 2 is out of range for an array with 0 axes", function() cp.array(3):mean(2) end)
    failure("index", "sum: axis 1 is out of range for an array with 0 axes",
      function() cp.array(3):sum { axis = { 1 } } end)
    failure("index", "sum: axis 2 is out of range for an array with 1 axis", function() cp.sum({ 1, 2 }, 2) end)
    failure("usage", "sum: axis must be a whole number, not 1.5", function() c:sum(1.5) end)
    failure("usage", "sum: axis must be a whole number, not string", function() c:sum("x") end)
    failure("index", "sum: axis names an axis twice", function() c:sum({ axis = { 1, -3 } }) end)
    failure("usage", "argmax: axis must be a single axis", function() c:argmax({ axis = { 1, 2 } }) end)
    failure("usage", "sum: keepdims must be true or false, not number", function() c:sum({ keepdims = 1 }) end)
    failure("usage", "sum: no option 'axes' (did you mean 'axis'?)", function() c:sum({ axes = 1 }) end)
  end)
end)

describe("the input", function()
  it("may be a table or a number", function()
    assert.equal("float64 6", shown(cp.sum({ 1, 2, 3 })))
    assert.same({ 4, 6 }, values(cp.sum({ { 1, 2 }, { 3, 4 } }, 1)))
    assert.equal("float64 3", shown(cp.mean(3)))
    assert.is_true(cp.any({ false, true }))
    failure("usage", "sum: a must be an array, not string", function() cp.sum("x") end)
    failure("usage", "sum: a must be an array, not nil", function() cp.sum() end)
  end)

  it("may have no axes", function()
    local x = cp.array(3)
    for _, name in ipairs { "sum", "prod", "min", "max", "mean", "nansum" } do assert.equal("float64 3",
      shown(cp[name](x))) end
    assert.equal("int64 1", shown(x:argmax()))
    assert.equal("float64 0", shown(x:var()))
    assert.is_true(x:all())
  end)

  it("may have any layout", function()
    local plain = cp.arange(7 * 10, { dtype = "float64" }):reshape(7, 10)
    local spread = cp.zeros({ 14, 21 })
    local strided = spread["::2, 2::2"]
    strided:assign(plain)
    local layouts = {
      transposed = plain.T:copy().T,
      strided = strided,
      reversed = plain["::-1, ::-1"]:copy()["::-1, ::-1"],
      swapped = plain:copy("F"),
      unaligned = cp.zeros({ 71 })["2:"]:assign(plain:ravel()):reshape(7, 10),
    }
    for name, x in pairs(layouts) do
      assert.is_true(x == plain, name)
      for _, axis in ipairs { 1, 2 } do
        for _, red in ipairs { "sum", "prod", "min", "max", "mean", "argmin", "argmax", "ptp", "count_nonzero" } do
          assert.is_true(x[red](x, axis) == plain[red](plain, axis), name .. " " .. red .. axis)
        end
      end
      assert.equal(2415, x:sum():item())
      assert.equal(70, x:argmax():item())
    end
    local broadcast = cp.broadcast_to(cp.array({ { 1 }, { 2 } }), { 3, 2, 4 })
    assert.equal(36, broadcast:sum():item())
    assert.same({ { 3, 3, 3, 3 }, { 6, 6, 6, 6 } }, values(broadcast:sum(1)))
    assert.same({ { 4, 8 }, { 4, 8 }, { 4, 8 } }, values(broadcast:sum(3)))
    assert.same({ 12, 12, 12 }, values(broadcast:sum({ axis = { 2, 3 } })))
  end)

  it("may be empty", function()
    local e = cp.zeros({ 0, 3 })
    assert.same({ 0, 0, 0 }, values(e:sum(1)))
    assert.same({ 1, 1, 1 }, values(e:prod(1)))
    assert.same({ 0 }, e:sum(2).shape)
    assert.equal("float64 0", shown(e:sum()))
    assert.same({ false, false, false }, values(e:any(1)))
    assert.is_true(e:all())
    assert.is_false(e:any())
    assert.equal("int64 0", shown(e:count_nonzero()))
    assert.same({ 0 }, e:max(2).shape)
    assert.same({ 0 }, e:argmax(2).shape)
    for _, name in ipairs { "mean", "var", "std", "nanmean" } do
      local v = e[name](e):item()
      assert.is_true(v ~= v, name)
    end
    assert.equal("float64 5", shown(e:max({ initial = 5 })))
  end)

  it("must have elements where the result is one of them", function()
    local e = cp.zeros({ 0, 3 })
    failure("shape", "max: an empty array or axis has no max", function() e:max() end)
    failure("shape", "min: an empty array or axis has no min", function() e:min(1) end)
    failure("shape", "ptp: an empty array or axis has no ptp", function() e:ptp() end)
    failure("shape", "argmin: an empty array or axis has no argmin", function() e:argmin() end)
    failure("shape", "argmax: an empty array or axis has no argmax", function() e:argmax(1) end)
    failure("shape", "nanmax: an empty array or axis has no nanmax", function() e:nanmax() end)
  end)
end)

describe("dtype", function()
  it("of sums widens bool and integers", function()
    for dtype, want in pairs { bool = "int64", int8 = "int64", int32 = "int64", int64 = "int64", uint8 = "uint64",
      uint64 = "uint64", float16 = "float16", bfloat16 = "bfloat16", float32 = "float32", complex64 = "complex64" } do
      assert.equal(want, cp.ones({ 3 }, dtype):sum().dtype)
      assert.equal(want, cp.ones({ 3 }, dtype):prod().dtype)
      assert.equal(dtype, cp.ones({ 3 }, dtype):max().dtype)
    end
    assert.equal("int64 3", shown(cp.array({ true, true, false, true }):sum()))
    assert.equal("uint64 510", shown(cp.array({ 255, 255 }, "uint8"):sum()))
    assert.equal("float64 1.5", shown(cp.array({ 1, 2 }, "int32"):mean()))
    assert.equal("float32", cp.ones({ 2 }, "float32"):mean().dtype)
    assert.equal("float32", cp.ones({ 2 }, "complex64"):std().dtype)
  end)

  it("can be chosen", function()
    local x = cp.array({ 200, 100 }, "uint8")
    assert.equal("uint8 44", shown(x:sum({ dtype = "uint8" })))
    assert.equal("float32 300", shown(x:sum({ dtype = "float32" })))
    assert.equal("float32 150", shown(x:mean({ dtype = "float32" })))
    assert.equal("float32 150", shown(cp.mean(x, "float32")))
    assert.equal("float32 50", shown(x:std({ dtype = "f4" })))
    assert.equal("int64 3", shown(cp.sum({ 1.5, 2.5 }, { dtype = "int64" })))
    failure("dtype", "mean: needs a floating dtype, not int32", function() x:mean({ dtype = "int32" }) end)
    failure("dtype", "sum: no dtype 'flaot32'; did you mean 'float32'?", function() x:sum({ dtype = "flaot32" }) end)
  end)

  it("of half sums is accumulated in float32", function()
    local n = 4096
    assert.equal(n, cp.ones({ n }, "float16"):sum():item())
    assert.equal(n, cp.ones({ n }, "bfloat16"):sum():item())
    assert.equal(1, cp.ones({ 4 * n }, "bfloat16"):mean():item())
    assert.equal(inf, cp.full({ n }, 100, "float16"):sum():item())
    assert.equal(100, cp.full({ n }, 100, "float16"):mean():item())
  end)
end)

describe("options", function()
  local x

  before_each(function() x = cp.array({ { 1, 2 }, { 3, 4 } }, "int32") end)

  it("out is written and returned", function()
    local out = cp.zeros({ 2 })
    assert.is_true(rawequal(out, x:sum(1, { out = out })))
    assert.same({ 4, 6 }, values(out))
    assert.is_true(rawequal(out, cp.max(x, 2, out)))
    assert.same({ 2, 4 }, values(out))
    assert.same({ 4, 6 }, values(x:sum(1, { out = cp.zeros({ 2 }, "int8") })))
    assert.is_true(x:any({ out = cp.zeros({}, "bool") }):item())
    failure("shape", "sum: out has shape (3), the result (2)", function() x:sum(1, { out = cp.zeros({ 3 }) }) end)
    failure("shape", "sum: out has shape (2), the result ()", function() x:sum({ out = cp.zeros({ 2 }) }) end)
    assert.same({ 1, 3 }, values(x:mean(2, { out = cp.zeros({ 2 }, "int32") }))) -- of 1.5 and 3.5
    assert.same({ true, true }, values(x:sum(1, { out = cp.zeros({ 2 }, "bool") })))
    assert.same({ 1 }, cp.array({ 1e8, 1, -1e8 }, "float32"):sum({ out = cp.zeros {} }):reshape(1):totable())
    failure("dtype", "sum: cannot write complex64 into float32; convert with :astype(\"float32\")",
      function() x:astype("complex64"):sum(1, { out = cp.zeros({ 2 }, "float32") }) end)
    failure("usage", "sum: out must be an array, not table", function() x:sum(1, { out = {} }) end)
  end)

  it("initial takes part", function()
    assert.equal("int64 20", shown(x:sum({ initial = 10 })))
    assert.equal("int64 240", shown(x:prod({ initial = 10 })))
    assert.equal("int32 10", shown(x:max({ initial = 10 })))
    assert.equal("int32 4", shown(x:max({ initial = -10 })))
    assert.equal("int32 -5", shown(x:min({ initial = -5 })))
    assert.same({ 14, 16 }, values(x:sum(1, { initial = 10 })))
  end)

  it("ddof is subtracted from the count", function()
    local v = cp.array({ 1, 2, 3, 4 })
    assert.equal("float64 1.25", shown(v:var()))
    assert.is_true(math.abs(v:var({ ddof = 1 }):item() - 5 / 3) < 1e-15)
    assert.is_true(math.abs(v:std({ ddof = 1 }):item() - math.sqrt(5 / 3)) < 1e-15)
    assert.equal("float64 2.5", shown(v:var({ ddof = 2 })))
    assert.equal("float64 2", shown(v:var({ ddof = 1.5 })))
    assert.equal(inf, v:var({ ddof = 4 }):item())
    failure("usage", "var: ddof must be a number, not string", function() v:var({ ddof = "x" }) end)
  end)
end)

describe("any and all", function()
  it("answer with Lua booleans when no axis is given", function()
    local x = cp.array({ 0, 0, 2 })
    assert.is_true(x:any())
    assert.is_false(x:all())
    assert.is_true(cp.all({ 1, 2 }))
    assert.is_false(cp.any(cp.zeros({ 3, 3 }, "bool")))
    assert.is_true(cp.array({ nan }):all())
    assert.is_true(cp.array({ cp.j, 0 }):any())
  end)

  it("give arrays of bool along an axis", function()
    local x = cp.array({ { 0, 1 }, { 0, 0 } })
    local y = x:any(1)
    assert.equal("bool", y.dtype)
    assert.same({ false, true }, values(y))
    assert.same({ false, false }, values(x:all(2)))
    assert.equal("array", cp.type(x["1, 1:"]:any(1)))
  end)
end)

describe("argmin and argmax", function()
  it("give the first position, from 1", function()
    assert.equal("int64 2", shown(cp.argmin({ 3, 1, 1 })))
    assert.equal("int64 1", shown(cp.argmax({ 3, 1, 3 })))
    local x = cp.array({ { 5, 1, 5 }, { 7, 7, 0 } })
    assert.same({ 2, 2, 1 }, values(x:argmax(1)))
    assert.same({ 1, 1 }, values(x:argmax(2)))
    assert.same({ 2, 3 }, values(x:argmin(-1)))
    assert.equal(4, x:argmax():item())
    assert.equal(6, x:argmin():item())
    assert.same({ 4 }, values(x.T:ravel():argmax({ keepdims = true })) and { x:argmax():item() })
  end)

  it("count positions of the flattened array in C order for any layout", function()
    local x = cp.array({ { 1, 9 }, { 3, 4 } })
    assert.equal(3, x.T:argmax():item())
    assert.equal(2, x:copy("F"):argmax():item())
    assert.equal(3, x["::-1, ::-1"]:argmax():item())
  end)

  it("find the first nan", function()
    assert.equal(2, cp.argmax({ 1, nan, 3, nan }):item())
    assert.equal(2, cp.argmin({ -inf, nan, 3, nan }):item())
    assert.is_true(cp.isnan(cp.max({ 1, nan, 3 })):item())
    assert.is_true(cp.isnan(cp.min({ 1, nan, 3 })):item())
    assert.equal(3, cp.nanmax({ 1, nan, 3 }):item())
    assert.equal(1, cp.nanmin({ 1, nan, 3 }):item())
  end)

  it("find ties in long rows", function()
    for _, n in ipairs { 31, 32, 33, 1000, 4097, 70000 } do
      local x = cp.zeros({ 3, n }, "float32")
      for _, at in ipairs { math.ceil(n / 2), n } do x[{ 2, at }] = 1 end
      x[{ 3, n }] = -1
      assert.same({ 1, math.ceil(n / 2), 1 }, values(x:argmax(2)))
      assert.same({ 1, 1, n }, values(x:argmin(2)))
    end
  end)
end)

describe("nan-variants", function()
  it("leave nan out", function()
    local x = cp.array({ { 1, nan, 3 }, { nan, nan, nan } })
    assert.equal("float64 4", shown(x:nansum()))
    assert.equal("float64 3", shown(x:nanprod()))
    assert.equal("float64 2", shown(x:nanmean()))
    assert.equal("float64 1", shown(x:nanvar()))
    assert.equal("float64 1", shown(x:nanstd()))
    assert.same({ 4, 0 }, values(x:nansum(2)))
    local mean, most = x:nanmean(2), x:nanmax(2)
    assert.equal(2, mean[1])
    assert.is_true(mean[2] ~= mean[2])
    assert.equal(3, most[1])
    assert.is_true(most[2] ~= most[2])
    assert.equal("int64 6", shown(cp.array({ 1, 2, 3 }, "int32"):nansum()))
  end)
end)

describe("sizes", function()
  -- sum of 0 .. n-1 without rounding
  local function triangle(n) return n * (n - 1) / 2 end

  it("short and long rows are summed alike", function()
    for _, n in ipairs { 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 511, 513, 1023, 1025, 4099, 40001 } do
      local x = cp.arange(n, "float64")
      assert.equal(triangle(n), x:sum():item())
      assert.equal(n - 1, x:max():item())
      local rows = cp.stack({ x, x + 1, 2 * x })
      assert.same({ triangle(n), triangle(n) + n, 2 * triangle(n) }, values(rows:sum(2)))
      assert.same({ triangle(n), triangle(n) + n, 2 * triangle(n) }, values(rows.T:copy():sum(1)))
      assert.is_true(rows:sum(1) == 4 * x + 1)
      assert.is_true(rows.T:copy():max(2) == cp.maximum(2 * x, x + 1))
    end
  end)

  -- Around the ends of the batches by which a GPU's blocks share a row.
  it("rows that many blocks share are summed whole", function()
    for _, n in ipairs { 16383, 16384, 16385, 65535, 65541, 300007, 2097157 } do
      local x = cp.arange(n) % 11
      local whole, rest = math.floor(n / 11), n % 11
      local want = 55 * whole + triangle(rest)
      for _, dtype in ipairs { "int32", "uint8", "float64", "float32" } do -- sums below 2^24: none is rounded
        local y = x:astype(dtype)
        assert.equal(want, y:sum():item(), dtype .. n)
        assert.equal(11, y:argmax():item(), dtype .. n)
        y[n] = 12
        assert.equal(want - (n - 1) % 11 + 12, y:sum():item(), dtype .. n)
        assert.equal(n, y:argmax():item(), dtype .. n)
        assert.equal(12, y["2:"]:max():item(), dtype .. n)
      end
      local both = cp.stack({ x, x + 1 })
      assert.same({ want, want + n }, values(both:sum(2)))
      assert.same({ want, want + n }, values(both.T:copy():sum(1)))
    end
  end)

  it("more than 2^16 outputs", function()
    local n = 70001
    local x = cp.stack({ cp.arange(n), cp.arange(n), cp.arange(n) })
    assert.is_true(x:sum(1) == 3 * cp.arange(n))
    assert.is_true(x.T:sum(2) == 3 * cp.arange(n))
    assert.is_true(x.T:copy():sum(2) == 3 * cp.arange(n))
    assert.is_true(x.T:copy():argmax(2) == cp.ones({ n }, "int64"))
  end)

  it("axes in the middle of many", function()
    local x = cp.arange(3 * 5 * 7 * 2 * 4):reshape(3, 5, 7, 2, 4)
    local way = x:transpose(1, 3, 5, 2, 4):copy():reshape(3 * 7 * 4, 10):sum(2):reshape(3, 7, 4)
    assert.is_true(x:sum({ axis = { 2, 4 } }) == way)
    local odd = x["::-1, ::2, 2:, :, ::3"]
    assert.is_true(odd:sum({ axis = { 1, 3 } }) == odd:copy():sum(3):sum(1))
    assert.is_true(odd:max({ axis = { 1, 3, 5 } }) == odd:copy():max(5):max(3):max(1))
  end)

  it("of rows shorter than a few vectors: extremes and their positions, ties and nan", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "int8", "uint64" } do
      for n = 1, 140, 3 do
        local list, want = {}, { max = {}, min = {}, argmax = {}, argmin = {} }
        for r = 1, 12 do
          local row, hole = {}, dtype:find "float" and r % 4 == 0 and 1 + r * 31 % n or nil
          for k = 1, n do row[k] = k == hole and nan or (k * 37 + r * 11) % 23 end
          list[r] = row
          local low, high = 1, 1
          for k = 2, n do
            if row[k] < row[low] then low = k end
            if row[k] > row[high] then high = k end
          end
          if hole then low, high = hole, hole end
          want.max[r], want.min[r], want.argmax[r], want.argmin[r] = row[high], row[low], high, low
        end
        local x = cp.array(list, { dtype = dtype })
        for name, result in pairs(want) do
          local got = x[name](x, 2):astype "float64"
          assert.is_true(cp.array_equal(got, cp.array(result, "float64"), { equal_nan = true }), name .. dtype .. n)
        end
      end
    end
  end)

  it("of columns from which a row is taken that every line reads", function()
    for _, shape in ipairs { { 17, 16 }, { 100, 300 }, { 5000, 20 } } do
      local rows, columns = shape[1], shape[2]
      local x = (cp.arange(rows * columns) % 7):reshape(rows, columns):astype "float64":eval()
      local row = (cp.arange(columns, "float64") % 5):eval()
      assert.is_true(cp.array_equal((x - row):sum(1), x:sum(1) - rows * row))
      assert.is_true(cp.array_equal((x - row):max(1), x:max(1) - row))
      assert.is_true(cp.array_equal((row - x).T:sum(2), rows * row - x:sum(1)))
    end
  end)
end)

describe("sums of float32", function()
  it("are as exact as pairwise ones", function()
    local n = 1000000
    local x = cp.full({ n }, 0.1, "float32")
    local want = x[1] * n -- what the elements sum to, exactly to 1e-10
    local got = x:sum():item()
    assert.is_true(math.abs(got - want) <= 4 * 2 ^ -7, ("%.10g for %.10g"):format(got, want)) -- 4 ulp of 1e5
    assert.is_true(math.abs(x:mean():item() - x[1]) <= 4 * 2 ^ -27)
    local columns = x:reshape(1000, 1000):sum(1)
    -- One after the other it would be 125 ulp.
    assert.is_true(math.abs(columns[1] - 1000 * x[1]) <= 16 * 2 ^ -17)
    local varied = cp.arange(n, "float64") * 1e-3 + 0.1
    local exact = varied:astype("float32"):astype("float64"):sum():item()
    assert.is_true(math.abs(varied:astype("float32"):sum():item() - exact) <= 4 * 2 ^ (28 - 23))
  end)

  it("do not cancel in var", function()
    local x = cp.full({ 1000 }, 1e6, "float32")
    x["::2"]:add_(1)
    assert.is_true(math.abs(x:var():item() - 0.25) < 1e-2) -- the difference of squares would be off by 1e5
    assert.is_true(math.abs(cp.full({ 10000 }, 1e8):add_(cp.arange(10000) % 2):var():item() - 0.25) < 1e-9)
  end)
end)

describe("a reduction", function()
  it("is one kernel and stays on the device", function()
    local x = cp.ones({ 100, 100 })
    x:sum():eval()
    local cost = check.counted(function() return x:sum(1):eval() end)
    assert.equal(1, cost.launches)
    assert.equal(0, cost.synchronizations)
    assert.equal(cp.device().name, x:sum().device)
  end)
end)
