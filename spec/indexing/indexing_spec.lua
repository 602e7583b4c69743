-- Indexing by arrays beyond NumPy's cases (golden_indexing_spec.lua): what stays pending and what shares
-- memory, large sizes, every dtype and unusual values.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local inf, nan = cp.inf, cp.nan

local function launches(f) return check.counted(f).launches end
local function waits(f) return check.counted(f).synchronizations end

describe("a mask", function()
  local x, y, m

  before_each(function()
    x, y = (cp.arange(6) + 1):astype("float64"), cp.array({ 10, 20, 30, 40, 50, 60 })
    m = cp.array { true, false, true, true, false, false }
    cp.eval(x, y)
  end)

  it("is counted once, until it is written", function()
    assert.equal(1, waits(function() return m:any(), x[m], y[m], m:all() end))
    assert.equal(0, waits(function() x[m] = 0 end))
    expect.values(y[m], { 10, 30, 40 })
    m[2] = true
    assert.equal(1, waits(function() return y[m] end))
    expect.values(y[m], { 10, 20, 30, 40 })
    m:fill(false)
    assert.is_false(m:any())
    expect.shape(y[m], 0)
    expect.shape(y["2:4"][m["2:4"]], 0) -- another part of the same memory
  end)

  it("is counted by any() where it is in memory", function()
    local p = y:gt(25):eval()
    assert.equal(1, waits(function() return p:any(), x[p] end))
    assert.is_true(p:any())
    assert.is_false(p:all())
    assert.is_true(y:gt(5):all())
    assert.is_false(y:gt(100):any())
  end)

  it("is counted by any() where it is pending, and computed once", function()
    local p = y:gt(25)
    assert.equal(1, waits(function()
      assert.is_true(p:any())
      expect.values(x[p]:eval(), { 3, 4, 5, 6 })
    end) - waits(function() return x:totable() end))
    assert.equal(0, launches(function() return p:any(), p:all() end))
    y:fill(0)
    assert.is_true(p:any())
    assert.is_false(y:gt(25):any())
    assert.is_false(cp.zeros({ 0, 3 }):gt(0):any())
    assert.is_true(cp.ones({ 3, 4 }).T:gt(0):any())
  end)

  it("gives pending values, which later writes do not change", function()
    local taken, twice = x[m], x[m] * 2
    x:fill(-1)
    m:fill(true)
    expect.values(taken, { 1, 3, 4 })
    expect.values(twice, { 2, 6, 8 })
    taken = y[m]
    y["2:3"] = 0
    expect.values(taken, { 10, 20, 30, 40, 50, 60 })
    expect.values(y[m], { 10, 0, 0, 40, 50, 60 })
  end)

  it("gives values that share no memory with the array", function()
    x[m]:add_(100)
    expect.values(x, { 1, 2, 3, 4, 5, 6 })
    local taken = x[m]
    taken[1] = 77
    expect.values(x, { 1, 2, 3, 4, 5, 6 })
    expect.values(taken, { 77, 3, 4 })
  end)

  it("gives values for reductions, chains and other shapes", function()
    expect.values(x[m]:sum(), 8)
    expect.values((x[m] + y[m]):max(), 44)
    expect.values(x[m] + cp.array { { 0 }, { 10 } }, { { 1, 3, 4 }, { 11, 13, 14 } })
    expect.values(x[m]:copy(), { 1, 3, 4 })
    expect.values(x[m][x[m]:gt(2)], { 3, 4 })
    expect.values(cp.scope(function() return x[m] + 0 end), { 1, 3, 4 })
  end)

  it("writes values that it selected itself by one kernel", function()
    m:any()
    local n = launches(function() x[m] = x[m] ^ 2 + y[m] end)
    if check.lazy then assert.equal(1, n) end
    expect.values(x, { 11, 2, 39, 56, 5, 6 })
    n = launches(function() y[m] = 1 - 2 * x[m]:sqrt() end)
    if check.lazy then assert.equal(1, n) end
    expect.values(y, { 1 - 2 * math.sqrt(11), 20, 1 - 2 * math.sqrt(39), 1 - 2 * math.sqrt(56), 50, 60 }, nil, 1e-12)
  end)

  it("writes numbers by one kernel, without being counted or computed", function()
    assert.equal(0, waits(function() x[m] = 7 end))
    expect.values(x, { 7, 2, 7, 7, 5, 6 })
    y:eval()
    local n = launches(function() y[y:gt(25)] = 0 end)
    if check.lazy then assert.equal(1, n) end
    expect.values(y, { 10, 20, 0, 0, 0, 0 })
    m[m] = false
    assert.is_false(m:any())
  end)

  it("writes values that another mask, or an older one, selected in their order", function()
    local other = cp.array { false, true, false, false, true, true }
    x[m] = y[other]
    expect.values(x, { 20, 2, 50, 60, 5, 6 })
    local taken = y[m]
    m[1], m[2] = false, true
    x[m] = taken
    expect.values(x, { 20, 10, 30, 40, 5, 6 })
    x[m] = y["1:3"]
    expect.values(x, { 20, 10, 20, 30, 5, 6 })
    x[m] = x["3:5"] -- overlaps
    expect.values(x, { 20, 20, 30, 5, 5, 6 })
    x[m] = cp.array { 9 }
    x[m] = x[m] + cp.array { 1, 2, 3 }
    expect.values(x, { 20, 10, 11, 12, 5, 6 })
    x[m] = x[m] * x:max() -- an array without axes beside them
    expect.values(x, { 20, 200, 220, 240, 5, 6 })
  end)

  it("covers several axes, and the rest may have ranges, integers and new axes", function()
    local z = cp.arange(24):reshape(2, 3, 4)
    local k = cp.array { { true, false, true }, { false, false, true } }
    expect.values(z[k], { { 0, 1, 2, 3 }, { 8, 9, 10, 11 }, { 20, 21, 22, 23 } })
    expect.values(z[{ k, { 2, 3 } }], { { 1, 2 }, { 9, 10 }, { 21, 22 } })
    expect.values(z[{ k, 1 }], { 0, 8, 20 })
    z[{ k, 1 }] = -1
    z[k] = z[k] * 2
    expect.values(z[k], { { -2, 2, 4, 6 }, { -2, 18, 20, 22 }, { -2, 42, 44, 46 } })
    z[k] = { 1, 2, 3, 4 }
    expect.values(z[{ 2, 3 }], { 1, 2, 3, 4 })
  end)
end)

describe("large sizes", function()
  it("areas of a mask of any width, read and written, side by side and apart", function()
    for _, n in ipairs { 63, 64, 130, 4097, 9000 } do
      for _, width in ipairs { 1, 5, 64, 100, 1000 } do
        local mask = cp.floor(cp.arange(n) / width):mod(3):eq(1):eval()
        local list = {}
        for k = 0, n - 1 do
          if math.floor(k / width) % 3 == 1 then list[#list + 1] = k + 1 end
        end
        local at = cp.array(list, "int64")
        for _, dtype in ipairs { "int8", "int16", "float32", "float64", "complex128" } do
          local x = (cp.arange(n) % 100):astype(dtype):eval()
          local wide = cp.stack({ x, x + 1 }, 2)[{ {}, 1 }]
          assert.is_true(cp.array_equal(x[mask], x[at]), dtype)
          assert.is_true(cp.array_equal(wide[mask], x[at]), dtype)
          local values, by_mask, by_position = x[at] + 7, x:copy(), x:copy()
          by_mask[mask] = values:copy()
          by_position[at] = values
          wide[mask] = values:copy()
          assert.is_true(cp.array_equal(by_mask, by_position) and cp.array_equal(wide, by_position), dtype)
        end
      end
    end
  end)

  it("give the coordinates of their true elements, whatever the lengths of rows", function()
    local shapes = { { 5000 }, { 3, 4100 }, { 1, 9000 }, { 9000, 1 }, { 70, 3, 41 }, { 2, 0, 3 }, { 33, 2, 5, 7 } }
    for _, shape in ipairs(shapes) do
      for _, every in ipairs { 1, 2, 7, 1000 } do
        local size, want, flat = cp.zeros(shape, "int8").size, {}, {}
        for d = 1, #shape do want[d] = {} end
        for p = 0, size - 1 do
          if (p * 7) % every == 0 then
            local rest = p
            flat[#flat + 1] = p + 1
            for d = #shape, 1, -1 do
              want[d][#flat] = rest % shape[d] + 1
              rest = math.floor(rest / shape[d])
            end
          end
        end
        local m = (cp.arange(size) * 7 % every):eq(0):reshape(shape)
        local got, rows = cp.nonzero(m), cp.argwhere(m)
        for d = 1, #shape do
          local list = cp.array(want[d], "int64")
          assert.is_true(cp.array_equal(got[d], list) and cp.array_equal(rows[{ {}, d }], list), "axis " .. d)
        end
        assert.is_true(cp.array_equal(cp.flatnonzero(m), cp.array(flat, "int64")))
      end
    end
  end)

  local N = 300007

  it("take and put by masks of several groups of tiles", function()
    for _, n in ipairs { 4095, 4096, 4097, 65536, 65537, N } do
      local x = cp.arange(n)
      local m = (x % 3):eq(1)
      local want = cp.arange(1, n, 3)
      assert.is_true(x[m] == want)
      assert.is_true(cp.flatnonzero(m) == want + 1)
      x[m] = -want
      assert.is_true(x == cp.where(m, -cp.arange(n), cp.arange(n)))
      local tail = m["2:"] -- starts beside a word
      assert.is_true(cp.arange(n)["2:"][tail] == want)
    end
  end)

  it("take sparse and dense masks", function()
    local x = cp.arange(N):astype "float32"
    for _, keep in ipairs { 1, 2, 1000, N } do
      local m = (cp.arange(N) % keep):eq(0)
      assert.is_true(x[m] == cp.arange(0, N, keep):astype "float32")
      local y = cp.zeros(N, "float32")
      y[m] = x[m] * 2 -- by the whole array or in order, as dense as it is
      assert.is_true(y == cp.where(m, x * 2, 0):astype "float32")
    end
  end)

  it("gather and scatter by positions of both widths", function()
    local order = cp.arange(N) * 7919 % N -- every position once
    for _, dtype in ipairs { "int32", "int64" } do
      local p = (order + 1):astype(dtype)
      for _, t in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
        local x = (cp.arange(N) % 101):astype(t)
        assert.is_true(x[p] == (order % 101):astype(t))
        local y = cp.zeros(N, t)
        y[p] = (order % 101):astype(t)
        assert.is_true(y == x)
      end
      assert.is_true(cp.arange(N)[-p] == N - 1 - order)
    end
    local rows = cp.arange(4 * N):reshape(N, 4):astype "float32"
    assert.is_true(rows[order + 1] == rows:take(order + 1, 1))
    assert.is_true(rows[order + 1][{ {}, 2 }] == (order * 4 + 1):astype "float32")
  end)

  it("add up many values in few elements", function()
    local bins = cp.arange(N) % 10 + 1
    for _, t in ipairs { "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128" } do
      local sums = cp.zeros(10, t)
      cp.scatter_add(sums, bins, 1)
      expect.values(sums:astype(t:find "complex" and "complex128" or "float64").real,
        { 30001, 30001, 30001, 30001, 30001, 30001, 30001, 30000, 30000, 30000 })
    end
    local small = cp.zeros(10, "int16")
    cp.scatter_add(small, bins["1:300"], 2)
    expect.values(small, { 60, 60, 60, 60, 60, 60, 60, 60, 60, 60 })
  end)

  it("repeat to the last bit if asked to", function()
    local before = cp.deterministic(true)
    local x = cp.cos(cp.arange(20011):astype "float64"):astype "float32"
    local bins, results = cp.arange(20011) * 13 % 97 + 1, {}
    for k = 1, 3 do results[k] = cp.scatter_add(cp.zeros(97, "float32"), bins, x) end
    for k = 1, 3 do
      local sums = cp.zeros(97, "float32")
      cp.scatter_add(sums, bins, x)
      results[k] = sums
    end
    assert.equal(results[1]:tobytes(), results[2]:tobytes())
    assert.equal(results[1]:tobytes(), results[3]:tobytes())
    local cpu = cp.zeros(97, { dtype = "float32", device = "cpu" })
    cp.scatter_add(cpu, bins:to "cpu", x:to "cpu") -- in order
    assert.equal(cpu:tobytes(), results[1]:tobytes())
    local last = cp.zeros(97, "int64")
    last[bins] = cp.arange(20011)
    local want = cp.zeros(97, { dtype = "int64", device = "cpu" })
    want[bins:to "cpu"] = cp.cpu.arange(20011)
    assert.equal(want:tobytes(), last:tobytes())
    assert.is_true(cp.deterministic(before))
  end)
end)

describe("every dtype", function()
  it("is taken, put and chosen", function()
    for _, t in ipairs(expect.dtypes) do
      for name, x in pairs(expect.layouts(t)) do
        local m = cp.array { { true, false, true }, { false, true, false } }
        local want = t == "bool" and { true, true, true } or { 1, 3, 5 }
        local taken = x[m]
        assert.equal(t, taken.dtype, name)
        expect.values(taken:astype(t == "bool" and t or "float64"), want)
        x[m] = x[m]
        x[{ 1, cp.index { 2, 3 } }] = x[{ 2, cp.index { 1, -1 } }]
        expect.values(x[{ 1, {} }]:astype(t == "bool" and t or "float64"),
          t == "bool" and { true, true, true } or { 1, 4, 6 })
      end
    end
  end)

  it("is added up, and compared where it has an order", function()
    for _, t in ipairs(expect.dtypes) do
      local x = cp.array({ 1, 0, 3 }):astype(t)
      cp.scatter_add(x, cp.index { 2, 2, 3, -1 }, cp.array({ 1, 1, 4, 5 }):astype(t))
      expect.values(x:astype "float64", t == "bool" and { 1, 1, 1 } or { 1, 2, 12 })
      if not t:find "complex" then
        cp.scatter_max(x, cp.index { 1, 1, 3 }, cp.array({ 0, 4, 2 }):astype(t))
        cp.scatter_min(x, cp.index { 2, 2 }, cp.array({ 1, 3 }):astype(t))
        expect.values(x:astype "float64", t == "bool" and { 1, 1, 1 } or { 4, 1, 12 })
      end
    end
  end)

  it("wraps around where it ends", function()
    for t, top in pairs { int8 = 127, int16 = 32767, int32 = 2147483647, uint8 = 255, uint16 = 65535 } do
      local x = cp.array({ top, 5, 6, 7 }, t)
      cp.scatter_add(x, cp.index { 1, 3 }, cp.array({ 1, 1 }, t))
      expect.values(x, { t:find "u" and 0 or -top - 1, 5, 7, 7 })
    end
  end)

  it("keeps its bits", function()
    for _, t in ipairs { "float16", "bfloat16", "float32", "float64", "complex64" } do
      local x = cp.array({ nan, -0.0, inf, 1e-40, 6e-8, -inf }):astype(t)
      assert.equal(x:tobytes(), x[cp.ones(6, "bool")]:tobytes())
      assert.equal(x:tobytes(), x[cp.arange(6) + 1]:tobytes())
      local y = cp.zeros(6, t)
      y[cp.arange(6) + 1] = x
      assert.equal(x:tobytes(), y:tobytes())
      y = cp.zeros(6, t)
      y[cp.ones(6, "bool")] = x
      assert.equal(x:tobytes(), y:tobytes())
    end
  end)

  it("keeps nan and infinities in extremes", function()
    for _, t in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = cp.array({ 1, nan, 3, 4, -inf }, t)
      cp.scatter_max(x, cp.index { 1, 2, 3, 5 }, cp.array({ nan, 5, inf, -1 }, t))
      expect.values(x, { nan, nan, inf, 4, -1 })
      x = cp.array({ 1, nan, 3, 4, inf }, t)
      cp.scatter_min(x, cp.index { 1, 2, 3, 5 }, cp.array({ nan, 5, -inf, 1 }, t))
      expect.values(x, { nan, nan, -inf, 4, 1 })
    end
  end)
end)

describe("small and empty arrays", function()
  it("take and put nothing", function()
    local e = cp.zeros { 0 }
    expect.shape(e[cp.zeros({ 0 }, "bool")], 0)
    expect.shape(e[cp.zeros({ 0 }, "int64")], 0)
    expect.shape(cp.zeros({ 3, 0 })[cp.index { 1, 2 }], 2, 0)
    expect.shape(cp.zeros({ 0, 3 })[cp.zeros({ 0, 3 }, "bool")], 0)
    e[cp.zeros({ 0 }, "bool")] = 1
    e[cp.zeros({ 0 }, "bool")] = {}
    e[cp.zeros({ 0 }, "int64")] = 5
    expect.shape(cp.nonzero(e)[1], 0)
    expect.shape(cp.argwhere(cp.zeros { 2, 0 }), 0, 2)
  end)

  it("without axes are masks for all or nothing, and positions without an axis", function()
    local x = cp.array { { 1, 2 }, { 3, 4 } }
    expect.values(x[cp.array(true)], { { { 1, 2 }, { 3, 4 } } })
    expect.shape(x[cp.array(false)], 0, 2, 2)
    expect.values(x[cp.scalar and cp.array(2, "int64")], { 3, 4 })
    expect.values(x:ravel()[x:argmax()], 4)
    x[cp.array(true)] = 9
    x[cp.array(false)] = 1
    expect.values(x, { { 9, 9 }, { 9, 9 } })
    local z = cp.array(5)
    expect.values(z[cp.array(true)], { 5 })
    z[cp.array(true)] = 6
    expect.values(z, 6)
  end)

  it("give numbers as Lua has them", function()
    assert.equal(4, cp.take(cp.array { 2, 4 }, -1))
    expect.values(cp.take(cp.array { { 2, 4 }, { 6, 8 } }, 2, 2), { 4, 8 })
    assert.equal(6, cp.ravel_multi_index({ 2, 3 }, { 2, 3 }))
    local p = cp.unravel_index(6, { 2, 3 })
    assert.equal(2, p[1])
    assert.equal(3, p[2])
    assert.equal(6, cp.array { { 1, 2, 3 }, { 4, 5, 6 } }[p])
  end)
end)

describe("choices", function()
  it("may be more than Lua passes to a function", function()
    local choices, conditions = {}, {}
    for k = 1, 9000 do
      choices[k] = cp.array({ k, -k }, "int64")
      conditions[k] = choices[k]:gt(8998)
    end
    expect.values(cp.choose(cp.array({ 8999, 1 }, "int64"), choices), { 8999, -1 }, "int64")
    expect.values(cp.select(conditions, choices), { 8999, 0 }, "int64")
  end)
end)

describe("the Mandelbrot set", function()
  local unpack = table.unpack or unpack -- luacheck: ignore

  -- As in a tutorial: array code with complex numbers, masks and an early end.
  local function mandelbrot(x0, x1, y0, y1, w, h, max_iter)
    local X, Y = cp.meshgrid(cp.linspace(x0, x1, w), cp.linspace(y0, y1, h), { indexing = "ij" })
    local C = X + cp.j * Y
    local Z = cp.zeros_like(C)
    local mat, mask = cp.zeros(C.shape), cp.ones(C.shape, "bool")
    for k = 1, max_iter do
      Z[mask] = Z[mask] ^ 2 + C[mask]
      local newly = cp.abs(Z):gt(2):logical_and(mask)
      if newly:any() then
        mat[newly] = k - Z[newly]:abs():log():log() / math.log(2)
        mask[newly] = false
      end
      if not mask:any() then break end
    end
    return mat
  end

  -- One point in plain Lua.
  local function escape(cx, cy, max_iter)
    local x, y = 0, 0
    for k = 1, max_iter do
      x, y = x * x + -y * y + cx, x * y + y * x + cy
      local r = math.sqrt(x * x + y * y)
      if r > 2 then return k - math.log(math.log(r)) / math.log(2) end
    end
    return 0
  end

  it("is a program of the tutorial", function()
    local path, lines = os.tmpname() .. ".png", {}
    local env = setmetatable({ arg = { "30", path, "25" }, print = function(line) lines[#lines + 1] = line end },
      { __index = _G })
    local program = assert(loadfile("examples/tutorial/05_mandelbrot.lua", "t", env))
    local set = rawget(_G, "setfenv") -- 5.1 and LuaJIT
    if set then set(program, env) end
    local counts, steps = program()
    os.remove(path)
    assert.matches("^30 x 20 points on %S+: 25 steps, [%d.]+ %% never left", lines[1])
    assert.equal("saved to " .. path, lines[2])
    assert.equal(25, steps)
    for i, row in ipairs(counts:totable()) do
      for j, got in ipairs(row) do
        local want = escape(-2.2 + (j - 1) * (3 / 29), 1 - (i - 1) * (2 / 19), 25)
        if want ~= 0 then want = want + 1 end
        assert.is_true(math.abs(got - want) < 1e-9, ("%d, %d: %g, want %g"):format(i, j, got, want))
      end
    end
  end)

  it("equals a loop over the points", function()
    for _, case in ipairs { { -2, 0.5, -1.1, 1.1, 23, 17, 30 }, { 1, 3, 1, 3, 5, 4, 50 } } do
      local x0, x1, y0, y1, w, h, n = unpack(case)
      local got = mandelbrot(x0, x1, y0, y1, w, h, n):totable()
      for i = 1, w do
        for j = 1, h do
          local want = escape(x0 + (i - 1) * ((x1 - x0) / (w - 1)), y0 + (j - 1) * ((y1 - y0) / (h - 1)), n)
          assert.is_true(math.abs(got[i][j] - want) < 1e-9, ("%d, %d: %g, want %g"):format(i, j, got[i][j], want))
        end
      end
    end
  end)
end)
