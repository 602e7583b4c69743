-- Several reductions of one array, and elements that are stored beside them, found in one pass: the same bits
-- as each alone, in rows, columns, windows and whole arrays, of any layout.

local cp = require "cupola"
local fusion = require "spec.helper.fusion"

local on_gpu = cp.zeros({ 1 }).device:find "^cuda" ~= nil
local describe_fused = fusion.forced and pending or describe

-- Fractions that no order of additions sums alike.
local function fractions(n, dtype)
  return ((cp.arange(n) * 7919 % 10007) / 10007 - 0.25):astype(dtype):eval()
end

-- How arrays of fractions may lie, with the axes to reduce: {name, make(dtype), axes}.
local LAYOUTS = {
  { "a long row", function(t) return fractions(300007, t) end },
  { "a row that begins after its memory", function(t) return fractions(200011, t)["2:"] end },
  { "every third element", function(t) return fractions(300007, t)["::3"] end },
  { "all of a matrix", function(t) return fractions(301 * 700, t):reshape(301, 700) end },
  { "columns", function(t) return fractions(1500 * 132, t):reshape(1500, 132) end, 1 },
  { "many columns", function(t) return fractions(300 * 1000, t):reshape(300, 1000) end, 1 },
  { "odd columns", function(t) return fractions(900 * 33, t):reshape(900, 33) end, 1 },
  { "short rows", function(t) return fractions(5000 * 12, t):reshape(5000, 12) end, 2 },
  { "windows", function(t) return cp.sliding_window_view(fractions(9000, t), 16) end, 2 },
  { "rows of 1000", function(t) return fractions(37 * 1000, t):reshape(37, 1000) end, 2 },
  { "rows of 70000", function(t) return fractions(3 * 70000, t):reshape(3, 70000) end, 2 },
  { "channels", function(t) return fractions(6 * 5 * 4096, t):reshape(6, 5, 64, 64) end, { 1, 3, 4 } },
}

local function reductions(x, y, axis)
  return { x:sum(axis), (x * y):sum(axis), x:mean(axis), x:max(axis), y:min(axis), (x - y):nansum(axis) }
end

local function same_bits(a, b, what)
  assert.equal(a.dtype, b.dtype)
  local equal = cp.equal(a, b) + cp.logical_and(cp.isnan(a), cp.isnan(b))
  if not equal:all() then error(what .. " differs", 2) end
end

describe_fused("reductions in one pass have the bits of each alone:", function()
  local before

  before_each(function() before = cp.fusion(true) end)
  after_each(function() cp.fusion(before) end)

  for _, layout in ipairs(LAYOUTS) do
    it(layout[1], function()
      for _, dtype in ipairs { "float32", "float64", "float16", "int32", "complex64" } do
        local x = layout[2](dtype):eval()
        local y = (x * 2):astype(dtype):eval()
          local function each(f)
          local list = dtype == "complex64" and { x:sum(layout[3]), (x * y):sum(layout[3]), y:mean(layout[3]) }
            or reductions(x, y, layout[3])
          f(list)
          return list
        end
        local alone = {}
        for k = 1, dtype == "complex64" and 3 or 6 do
          each(function(list)
            alone[k] = list[k]
            for j in pairs(list) do
              if j ~= k then list[j]:free() end
            end
            alone[k]:eval()
          end)
        end
        local together = each(function(list) cp.eval((table.unpack or unpack)(list)) end) -- luacheck: ignore
        for k, v in ipairs(alone) do
          same_bits(v, together[k], ("reduction %d of %s, %s,"):format(k, layout[1], dtype))
        end
      end
    end)

    it("stored elements of " .. layout[1], function()
      for _, dtype in ipairs { "float32", "float64", "float16" } do
        local x = layout[2](dtype):eval()
        local y = (x * 3):eval()
        local stored = cp.exp(x - y):eval()
        local sum = (stored * stored):sum(layout[3]):eval()
        local d = cp.exp(x - y)
        local s = (d * d):sum { axis = layout[3], keepdims = true }
        local z = (d * 2 + s):eval() -- reads d, the elements of s, once more
        same_bits(stored, d, "stored elements, " .. dtype .. ",")
        local want = (stored * 2 + s):eval()
        same_bits(want, z, "what is made of them, " .. dtype .. ",")
        local bound = dtype == "float16" and 2e-3 or dtype == "float32" and 1e-6 or 1e-13
        assert.is_true(cp.allclose(sum:reshape(-1), s:reshape(-1), bound, bound))
      end
    end)
  end

  it("what is asked for at once, in either order", function()
    for _, shape in ipairs { { 200003 }, { 700, 130 }, { 40, 1000 } } do
      for _, axis in ipairs { 1, #shape } do
        local x = fractions(shape[1] * (shape[2] or 1), "float32"):reshape(shape):eval()
        local e = cp.exp(-x):eval()
        local want = e:sum(axis):eval()
        for turn = 1, 2 do
          local d = cp.exp(-x)
          local s = d:sum(axis)
          local top = cp.sqrt(d:max { axis = axis, keepdims = true })
          if turn == 1 then cp.eval(d, s, top) else cp.eval(top, s, d) end
          same_bits(e, d, "elements")
          same_bits(cp.sqrt(e:max { axis = axis, keepdims = true }), top, "the root of the maximum")
          assert.is_true(cp.allclose(want, s, 1e-6))
        end
      end
    end
  end)

  it("whole numbers, against closed forms", function()
    for _, n in ipairs { 2, 63, 1000, 70001, 200000 } do
      local x = (cp.arange(n) % 2048):astype("float32"):eval()
      local sum, top, square = x:sum { dtype = "float64" }, x:max(), (x * 2):astype("float64"):sum()
      cp.eval(sum, top, square)
      local whole, rest = math.floor(n / 2048), n % 2048
      local expected = whole * 2047 * 1024 + rest * (rest - 1) / 2
      assert.equal(expected, sum:item())
      assert.equal(2 * expected, square:item())
      assert.equal(math.min(n, 2048) - 1, top:item())
    end
  end)

  it("infinities, nan and -0", function()
    local x = fractions(100003, "float32"):copy()
    x[77], x[90001] = 1 / 0, -0.0
    local list = { x:sum(), x:max(), x:min(), x:mean() }
    cp.eval((table.unpack or unpack)(list)) -- luacheck: ignore
    assert.same({ 1 / 0, 1 / 0, 1 / 0 }, { list[1]:item(), list[2]:item(), list[4]:item() })
    x[5] = 0 / 0
    list = { x:sum(), x:max(), x:nanmax(), x:nansum() }
    cp.eval((table.unpack or unpack)(list)) -- luacheck: ignore
    assert.is_true(list[1]:item() ~= list[1]:item() and list[2]:item() ~= list[2]:item())
    assert.same({ 1 / 0, 1 / 0 }, { list[3]:item(), list[4]:item() })
  end)
end)

describe_fused("launches of one pass", function()
  local function launches(f)
    f()
    cp.synchronize()
    local from = cp.profiler.counters().launches
    f()
    return cp.profiler.counters().launches - from
  end

  it("several reductions of a whole array take one", function()
    if not on_gpu then return pending "counted on a GPU" end
    local x, y = fractions(300000, "float32"), fractions(300000, "float32")
    local m = x:reshape(300, 1000)
    assert.equal(1, launches(function() cp.eval(x:sum(), x:mean(), (x * y):sum(), x:max(), y:min()) end))
    assert.equal(1, launches(function() cp.eval(m:sum(1), m:max(1), (m * m):sum(1)) end))
    assert.equal(1, launches(function()
      local d = x - y
      cp.eval(d, (d * d):sum())
    end))
    assert.equal(2, launches(function() cp.eval(x:mean(), x:std(), x:min(), x:max()) end))
    assert.equal(2, launches(function()
      local d = cp.exp(x - y)
      local s = (d * d):sum()
      return (d * 2 + s):eval()
    end))
  end)
end)
