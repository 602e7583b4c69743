-- x[i], take and take_along_axis by arrays of positions, which wait on a GPU and join the kernels that use
-- them: values in chains, reductions and views, before and after writes, and what is out of range. Expected
-- values are computed in Lua, element by element.

local cp = require "cupola"
local check = require "spec.helper.check"
local generator = require "spec.helper.random.generator"

local unpack = table.unpack or unpack -- luacheck: ignore

local function flat(x) return cp.real(x):astype("float64"):reshape(-1):totable() end

local function assert_elements(expected, x, label)
  local got = flat(x)
  assert.equal(#expected, #got, label)
  for k = 1, #expected do
    if got[k] ~= expected[k] then
      error(("%s: element %d is %s, not %s"):format(label or "?", k, got[k], expected[k]), 2)
    end
  end
end

local function map(t, f)
  local out = {}
  for k = 1, #t do out[k] = f(t[k], k) end
  return out
end

local function counted_from_end(p, n) return p > 0 and p or n + 1 + p end

local function chosen(t, p) return map(p, function(i) return t[counted_from_end(i, #t)] end) end

local function numbers(n, f)
  local out = {}
  for k = 1, n do out[k] = f and f(k) or k end
  return out
end

local TABLE = numbers(50, function(k) return k * 7 % 31 end)
local PLACES = numbers(200, function(k)
  local p = k * 13 % 50 + 1
  return k % 3 == 0 and p - 51 or p
end)

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }

local function add_one(v) return v + 1 end

local gpu = cp.device().name:find "cuda"

local function launches(f) return check.counted(f).launches end

describe("lookups", function()
  after_each(function()
    collectgarbage()
    collectgarbage()
    pcall(cp.synchronize)
  end)

  for _, dtype in ipairs(DTYPES) do
    it("read " .. dtype, function()
      local x, p = cp.array(TABLE, dtype), cp.array(PLACES, "int64")
      local expected = map(chosen(flat(x), PLACES), add_one)
      assert_elements(expected, x[p]:astype "complex128" + 1, "in a chain")
      assert_elements(chosen(flat(x), PLACES), x[p], "alone")
      assert_elements(chosen(flat(x), PLACES), cp.take(x, p), "take")
    end)
  end

  for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
    it("take positions of " .. dtype, function()
      local places = map(PLACES, function(p) return dtype:find "^u" and counted_from_end(p, 50) or p end)
      local x, p = cp.array(TABLE, "float32"), cp.array(places, dtype)
      assert_elements(map(chosen(TABLE, places), add_one), x[p] + 1, "in memory")
      assert_elements(map(chosen(TABLE, places), add_one), x[p * 1] + 1, "pending")
      assert_elements(map(chosen(TABLE, places), add_one), x[p["1:1"]
        * 0 + p] + 1, "broadcast")
    end)
  end

  it("read arrays of any layout", function()
    local wide = cp.arange(200):astype "float32"
    local p = cp.array(PLACES, "int32")
    local function values(f) return map(PLACES, function(i) return f(counted_from_end(i, 50)) + 1 end) end
    assert_elements(values(function(i) return 4 * (i - 1) end), wide["::4"][p] + 1, "strided")
    assert_elements(values(function(i) return 50 - i end), wide["1:50"]:flip()[p] + 1, "reversed")
    local same = cp.broadcast_to(wide["1:1"], { 50 })
    assert_elements(values(function() return 0 end), same[p] + 1, "broadcast")
    local turned = wide:reshape(4, 50).T
    assert_elements(values(function(i) return i - 1 + 50 end), turned[{ p, 2 }] + 1, "transposed")
    local far = cp.zeros({ 3, 50 }, "float32")
    far[2] = cp.array(TABLE, "float32")
    assert_elements(values(function(i) return TABLE[i] end), far[{ 2, p }] + 1, "a row")
  end)

  it("join kernels of transposed operands, and write where groups are not aligned", function()
    local rows, columns = 150, 131
    local places = numbers(rows * columns, function(k) return k * 17 % 50 + 1 end)
    local x, p = cp.array(TABLE, "float32"), cp.array(places, "int64"):reshape(rows, columns)
    local m = cp.arange(columns * rows):astype("float32"):reshape(columns, rows):eval()
    local expected = {}
    for c = 1, columns do
      for r = 1, rows do
        expected[#expected + 1] = TABLE[places[(r - 1) * columns + c]] + (c - 1) * rows + r - 1
      end
    end
    assert_elements(expected, x[p.T] + m, "transposed")
    local out = cp.zeros(204, "float32")
    out["4:203"] = x[cp.array(PLACES, "int64")] + 1
    assert_elements(map(chosen(TABLE, PLACES), add_one), out["4:203"], "shifted")
    assert_elements({ 0, 0, 0, 0 }, out[cp.index { 1, 2, 3, 204 }], "beside")
  end)

  it("keep other axes, wherever these are", function()
    local m = cp.arange(2 * 5 * 3):astype("float32"):reshape(2, 5, 3)
    local p = cp.array({ 5, -4, 1, 1 }, "int64")
    local expected = {}
    local function fill(order)
      expected = {}
      order(function(a, i, c)
        local b = counted_from_end(({ 5, -4, 1, 1 })[i], 5)
        expected[#expected + 1] = ((a - 1) * 5 + b - 1) * 3 + c - 1 + 1
      end)
    end
    fill(function(put)
      for a = 1, 2 do for i = 1, 4 do for c = 1, 3 do put(a, i, c) end end end
    end)
    assert_elements(expected, m[{ {}, p, {} }] + 1, "between")
    assert_elements(expected, cp.take(m, p * 1, 2) + 1, "take")
    fill(function(put)
      for i = 1, 4 do for c = 1, 3 do put(2, i, c) end end
    end)
    assert_elements(expected, m[2][p] + 1, "first")
    fill(function(put)
      for c = 1, 3 do for i = 1, 4 do put(2, i, c) end end
    end)
    assert_elements(expected, m[2].T[{ {}, p }] + 1, "last")
    local rows, columns = cp.array({ { 1 }, { 2 } }, "int64"), cp.array({ 3, -1, 1 }, "int32")
    expected = {}
    for a = 1, 2 do
      for _, c in ipairs { 3, 3, 1 } do expected[#expected + 1] = (a - 1) * 15 + 2 * 3 + c - 1 + 1 end
    end
    assert_elements(expected, m[{ rows, 3, columns }] + 1, "pairs that broadcast")
    expected = {}
    for _, a in ipairs { 1, 2 } do
      for b = 1, 5 do expected[#expected + 1] = (a - 1) * 15 + (b - 1) * 3 + (a == 1 and 3 or 1) end
    end
    assert_elements(expected, m[{ cp.index { 1, 2 }, {}, cp.index { 3, 1 } }] + 1, "apart")
  end)

  it("select along an axis", function()
    local values = { { 3, 1, 2 }, { 9, 7, 8 } }
    local m = cp.array(values, "float64")
    assert_elements({ 2, 3, 4, 8, 9, 10 }, cp.take_along_axis(m, cp.argsort(m, 2), 2) + 1, "sorted")
    local first = cp.array({ { 1, 2, -1 } }, "int16") * 1
    assert_elements({ 3, 7, 8 }, cp.take_along_axis(m, first, 1) + 0, "first axis")
    assert_elements({ 2, 8 }, cp.take_along_axis(m + 1, cp.argmin(m, 2):reshape(2, 1), 2) + 0, "pending")
  end)

  it("nest, and take scalars and masks", function()
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    local q = cp.array({ 7, 100, -1, 3 }, "int64")
    assert_elements(map(chosen(TABLE, chosen(PLACES, { 7, 100, -1, 3 })), add_one), x[p[q]] + 1, "nested")
    assert_elements({ TABLE[4] + 1 }, x[cp.array(4, "int64")] + 1, "0-d")
    assert_elements({ TABLE[5] + 1 }, x[cp.array(4, "int64") + 1] + 1, "pending 0-d")
    local some = p:gt(0)
    local expected = {}
    for _, i in ipairs(PLACES) do if i > 0 then expected[#expected + 1] = TABLE[i] + 1 end end
    assert_elements(expected, x[p[some]] + 1, "positions that a mask selects")
    local threes = cp.full({ 3 }, 3, { dtype = "int64" })
    assert_elements({ TABLE[3], TABLE[3], TABLE[3] }, x[threes] + 0, "one position")
    assert_elements({ TABLE[2], TABLE[4], TABLE[6] }, x[cp.arange(2, 8, 2)] + 0, "regular positions")
    assert.same({ 0 }, (x[cp.empty({ 0 }, "int64")] + 1).shape)
    assert.same({ 0, 3 }, (cp.empty { 0, 3 }[cp.empty({ 0 }, "int64")] + 1).shape)
  end)

  it("show views of themselves", function()
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    local all = map(chosen(TABLE, PLACES), add_one)
    local function pending() return x[p * 1] + 1 end
    assert_elements({ unpack(all, 11, 20) }, pending()["11:20"] * 1, "slice")
    assert_elements(map(all, function(_, k) return all[201 - k] end), pending():flip() * 1, "flip")
    assert_elements(numbers(100, function(k) return all[2 * k] end), pending()["2::2"] * 1, "steps")
    local turned = {}
    for c = 1, 20 do for r = 1, 10 do turned[#turned + 1] = all[(r - 1) * 20 + c] end end
    assert_elements(turned, pending():reshape(10, 20).T * 1, "transposed")
    local m = cp.arange(60):astype("float32"):reshape(20, 3)
    local rows = m[cp.index { 4, -1, 4 }] + 1
    assert_elements({ 10, 58, 10 }, rows[{ {}, 1 }] * 1, "a column")
    assert_elements({ 58, 59, 60 }, rows[2] * 1, "a row")
    local v = pending()
    local part = v["1:3"]
    part[1] = 1000
    assert_elements({ 1000, all[2], all[3] }, v["1:3"], "written through a view")
  end)

  for _, dtype in ipairs { "int16", "uint8", "int64", "float32", "float64" } do
    it("are reduced: " .. dtype, function()
      local x = cp.array(TABLE, dtype)
      local shapes = { { 200 }, { 20, 10 }, { 2, 100 }, { 67, 3 }, { 3, 67 }, { 1, 7 }, { 7, 1 },
        { 300, 5 } }
      for _, shape in ipairs(shapes) do
        local size = shape[1] * (shape[2] or 1)
        local places = numbers(size, function(k) return PLACES[(k - 1) % 200 + 1] end)
        local p = cp.array(places, "int64"):reshape(unpack(shape))
        local values = map(chosen(TABLE, places), add_one)
        local total, most, where_most = 0, -1, 0
        for k, v in ipairs(values) do
          total = total + v
          if v > most then most, where_most = v, k end
        end
        local label = table.concat(shape, "x")
        assert.equal(total, (x[p] + 1):sum():astype "float64":item(), label)
        assert.equal(most, (x[p] + 1):max():item(), label)
        assert.equal(where_most, (x[p] + 1):argmax():item(), label)
        assert.equal(true, ((x[p] + 1):gt(0)):all(), label)
        if shape[2] then
          local down, along = {}, {}
          for r = 1, shape[1] do
            for c = 1, shape[2] do
              local v = values[(r - 1) * shape[2] + c]
              down[c], along[r] = (down[c] or 0) + v, (along[r] or 0) + v
            end
          end
          assert_elements(down, (x[p] + 1):sum(1), label .. " by columns")
          assert_elements(along, (x[p] + 1):sum(2), label .. " by rows")
          assert_elements(along, (x[p * 1] + 1):sum(2), label .. " by rows, pending")
        end
      end
    end)
  end

  -- Rows of several lengths, with ends that groups of threads do not fill.
  for _, width in ipairs { 65, 70, 331 } do
    it("are part of what is made of reductions over rows of " .. width, function()
      local places, rows = numbers(90, function(k) return k * 37 % 40 + 1 end), 40
      local m = (cp.arange(rows * width) * 7 % 53):astype("float64"):reshape(rows, width):eval()
      local p = cp.array(places, "int64")
      local function element(r, c) return ((places[r] - 1) * width + c - 1) * 7 % 53 * 2 + 1 end
      local e = m[p] * 2 + 1
      local most, total = e:max { axis = 2, keepdims = true }, e:sum { axis = 2, keepdims = true }
      local y, where_most = e * 3 - most + total, e:argmax(2)
      cp.eval(y, where_most)
      local expected, tops = {}, {}
      for r = 1, #places do
        local top, sum = -1, 0
        for c = 1, width do
          local v = element(r, c)
          sum = sum + v
          if v > top then top, tops[r] = v, c end
        end
        for c = 1, width do expected[#expected + 1] = element(r, c) * 3 - top + sum end
      end
      assert_elements(expected, y, "values")
      assert_elements(tops, where_most, "argmax")
      local order = cp.argsort(m, 2)
      local sorted = cp.take_along_axis(m, order, 2) + 0
      assert_elements(flat(cp.sort(m, 2)), sorted - sorted:min { axis = 2, keepdims = true }
        + m:min { axis = 2, keepdims = true }, "along the rows")
      local u, v = (m[p] + 1):sum(2), (m[p] * m[p]):sum(2)
      cp.eval(u, v)
      local sums, squares = {}, {}
      for r = 1, #places do
        sums[r], squares[r] = 0, 0
        for c = 1, width do
          local x = (element(r, c) - 1) / 2
          sums[r], squares[r] = sums[r] + x + 1, squares[r] + x * x
        end
      end
      assert_elements(sums, u, "sums")
      assert_elements(squares, v, "squares")
    end)
  end

  it("see what was there when they were made", function()
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    local expected = map(chosen(TABLE, PLACES), add_one)
    local y = x[p] + 1
    x[1] = -5
    x:fill(-6)
    assert_elements(expected, y, "x written")
    x = cp.array(TABLE, "float32")
    y = x[p] + 1
    p:fill(1)
    assert_elements(expected, y, "positions written")
    p = cp.array(PLACES, "int64")
    y = x[p] + 1
    x:free()
    p:free()
    assert_elements(expected, y, "freed")
  end)

  it("are written into what they read", function()
    local reversed = cp.arange(50, 0, -1)
    local x = cp.array(TABLE, "float32")
    x:assign(x[reversed])
    assert_elements(numbers(50, function(k) return TABLE[51 - k] end), x, "alone")
    x = cp.array(TABLE, "float32")
    x:assign(x[reversed] + x)
    assert_elements(numbers(50, function(k) return TABLE[51 - k] + TABLE[k] end), x, "with itself")
    x = cp.array(TABLE, "float32")
    x["1:25"] = x[cp.arange(26, 51)] * 2
    local half = numbers(50, function(k) return k <= 25 and TABLE[k + 25] * 2 or TABLE[k] end)
    assert_elements(half, x, "a part")
    x = cp.array(TABLE, "float32")
    x["1:25"] = x[cp.arange(25, 0, -1)] * 2
    local turned = numbers(50, function(k) return k <= 25 and TABLE[26 - k] * 2 or TABLE[k] end)
    assert_elements(turned, x, "the part that is read")
    x = cp.array(TABLE, "float32")
    x["1:25"]:assign(function() return x[cp.arange(25, 0, -1)] * 2 end) -- nothing else reads x
    assert_elements(turned, x, "the part that is read, in place")
    local p = cp.arange(50, 0, -1)
    p:assign(p[p] * 1)
    assert_elements(numbers(50), p, "positions")
    local u, mean = cp.array(TABLE, "float32"), 0
    u[reversed] = u[reversed] + 1
    for k = 1, 50 do mean = mean + TABLE[k] + 1 end
    assert.equal(mean, u:sum():item())
  end)

  it("are computed once if they are used twice", function()
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    local y = x[p] + 1
    local a, b = y:sum():item(), y:max():item()
    local c = (y * 2):sum():item()
    local expected = map(chosen(TABLE, PLACES), add_one)
    local total, most = 0, 0
    for _, v in ipairs(expected) do total, most = total + v, math.max(most, v) end
    assert.same({ total, most, 2 * total }, { a, b, c })
  end)

  it("report what is out of range, once", function()
    local x = cp.array(TABLE, "float32")
    for _, place in ipairs { 51, -51, 0 } do
      local p = cp.array({ 1, place, 50 }, "int64")
      local ok, text = pcall(function()
        local y = x[p] * 2
        local z = y + 1
        z:eval()
        cp.synchronize()
        return y
      end)
      assert.is_false(ok)
      assert.matches(place == 0 and "index 0 for axis 1: positions count from 1"
        or "index " .. place .. " is out of range for axis 1 of length 50", text, 1, true)
      assert.has_no_error(function()
        collectgarbage()
        cp.synchronize()
      end)
    end
    local ok, text = pcall(function()
      print(cp.take(cp.ones { 3, 4 }, cp.index { 1, 5 }, 2):sum():item())
    end)
    assert.is_false(ok)
    assert.matches("index 5 is out of range for axis 2 of length 4", text, 1, true)
    pcall(cp.synchronize)
    assert_elements({ TABLE[1] + 1 }, x[cp.index { 1 }] + 1, "afterwards")
  end)

  it("may be recorded in graphs", function()
    local x, p, out = cp.array(TABLE, "float32"), cp.array(PLACES, "int64"), cp.zeros(200, "float32")
    local g = cp.cuda.graph(function() out:assign(x[p] * 2 + 1) end)
    local function replay()
      g:replay()
      cp.synchronize()
    end
    x:assign(x + 1)
    replay()
    assert_elements(map(chosen(TABLE, PLACES), function(v) return (v + 1) * 2 + 1 end), out, "first")
    p:fill(3)
    replay()
    assert_elements(numbers(200, function() return (TABLE[3] + 1) * 2 + 1 end), out, "second")
    p:fill(51)
    for _ = 1, 2 do assert.matches("index 51 is out of range", select(2, pcall(replay)), 1, true) end
    p:fill(1)
    replay()
    assert_elements({ (TABLE[1] + 1) * 2 + 1 }, out["1:1"], "third")
  end)

  it("join kernels on a GPU", function()
    if not gpu then return end
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    local m = cp.arange(600):astype("float32"):reshape(20, 30):eval()
    local fy, fx = cp.full({ 40 }, 3.25):eval(), cp.full({ 40 }, 4.5):eval()
    assert.equal(1, launches(function() return (x[p] * 2 + 1):eval() end))
    assert.equal(1, launches(function() return (x[cp.abs(p)] * 2 + 1):sum():eval() end))
    assert.equal(1, launches(function() return (x[p["1:50"]] * x[p["51:100"]]):eval() end))
    assert.equal(1, launches(function()
      local y, z = cp.floor(fy), cp.floor(fx)
      local v, w, i, j = fy - y, fx - z, y:astype "int64", z:astype "int64"
      local r = m[{ i, j }] * (1 - v) * (1 - w) + m[{ i, j + 1 }] * (1 - v) * w
        + m[{ i + 1, j }] * v * (1 - w)
        + m[{ i + 1, j + 1 }] * v * w
      return r:eval()
    end))
  end)

  it("join reductions on a GPU", function()
    if not gpu then return end
    local m = cp.arange(50 * 300):astype("float32"):reshape(50, 300):eval()
    local p = cp.array(numbers(400, function(k) return k * 7 % 50 + 1 end), "int64")
    assert.equal(1, launches(function()
      local e = m[p] * 2
      local mean, var = e:mean { axis = 2, keepdims = true }, e:var { axis = 2, keepdims = true }
      return ((e - mean) / cp.sqrt(var + 1)):eval()
    end))
    local x = cp.array(TABLE, "float32")
    assert.equal(1, launches(function()
      local y = x[cp.array(PLACES, "int64")]
      return cp.eval(y:sum(), (y * y):sum())
    end))
  end)

  it("are in the kernels that are recorded for a GPU", function()
    if not cp.fusion() or os.getenv "CUPOLA_FUSION" == "force" then return end
    local f = cp.fuse(function(x, p) return x[p] * 2 + 1 end, "looked_up")
    local x, p = cp.array(TABLE, "float32"), cp.array(PLACES, "int64")
    assert_elements(map(chosen(TABLE, PLACES), function(v) return v * 2 + 1 end), f(x, p))
    assert.matches("looked_up, kernel 1: lookup, multiply, add", f.source, 1, true)
    assert.matches("cp_table_1(p, ", f.source, 1, true)
  end)

  -- Programs of integers small enough to be exact, compared with tables.
  local function random_program(seed)
    local r = generator(seed)
    local function int(a, b) return a + r.below(b - a + 1) end
    local log, pool = {}, {}
    local function say(...) log[#log + 1] = string.format(...) end
    local function add(a, t) pool[#pool + 1] = { a = a, t = t } end
    for k = 1, 3 do
      local n = int(1, 40)
      local t = numbers(n, function() return int(-9, 9) end)
      add(cp.array(t, "float64"), t)
      say("%d: %d numbers", k, n)
    end
    local function verify(v, label)
      assert_elements(v.t, v.a, ("program %d, %s\n%s"):format(seed, label, table.concat(log, "\n")))
    end
    for step = 1, int(4, 16) do
      local v, w = pool[int(1, #pool)], pool[int(1, #pool)]
      local kind = int(1, 9)
      if kind <= 4 then -- look up in v by what w says
        local n = #v.t
        local scale, from_end = int(1, 5), int(0, 1) == 1
        local places = map(w.t, function(e)
          local p = (e * scale) % n + 1
          return from_end and p - n - 1 or p
        end)
        local index = ((w.a * scale) % n + 1):astype "int64"
        if from_end then index = index - n - 1 end
        if int(1, 3) == 1 then index = index:astype "int16" end
        if int(1, 4) == 1 then index:eval() end
        add(int(1, 2) == 1 and v.a[index] or cp.take(v.a, index), chosen(v.t, places))
        say("%d = look up in %s by %s", #pool, n, #w.t)
      elseif kind == 5 then
        local c = int(-3, 3)
        add(v.a * 2 + c, map(v.t, function(e) return (e * 2 + c) end))
        say("%d = * 2 + %d", #pool, c)
      elseif kind == 6 and #v.t == #w.t then
        add(v.a - w.a, map(v.t, function(e, k) return e - w.t[k] end))
        say("%d = difference", #pool)
      elseif kind == 7 then
        local first = int(1, #v.t)
        add(v.a[{ { first, -1 } }], { unpack(v.t, first) })
        say("%d = from %d", #pool, first)
        v.a, v.t = v.a + 0, v.t -- a view shares elements: go on with a copy
      elseif kind == 8 then
        local total = 0
        for _, e in ipairs(v.t) do total = total + e end
        assert.equal(total, v.a:sum():item(), ("program %d\n%s"):format(seed, table.concat(log, "\n")))
      else
        local c = int(-9, 9)
        local copy = { unpack(v.t) }
        copy[#copy] = c
        v.a = v.a:copy()
        v.a[-1] = c
        v.t = copy
        say("written")
      end
      for _, e in ipairs(pool[#pool].t) do -- stay exact
        if math.abs(e) > 1e9 then
          pool[#pool] = nil
          break
        end
      end
      if int(1, 5) == 1 then verify(pool[int(1, #pool)], "step " .. step) end
    end
    for k, v in ipairs(pool) do verify(v, "value " .. k) end
  end

  it("agree with tables in random programs", function()
    for seed = 1, 40 do random_program(seed) end
  end)
end)
