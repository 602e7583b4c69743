-- Rolled, padded, tiled and repeated arrays, which are read where they lie: alone, in chains with each other
-- and with views, in reductions, in place and after writes. Expected values are computed in Lua, position by
-- position.

local cp = require "cupola"
local fusion = require "spec.helper.fusion"
local generator = require "spec.helper.random.generator"

local each, repeat_forced, wait = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })

local unpack = table.unpack or unpack -- luacheck: ignore

-- ---- the model: a shape and the elements in C order ----

-- The model whose element at position p along an axis (from 0) is that at source(p).
local function along(m, axis, length, source)
  local before, below, n = 1, 1, m.shape[axis]
  for k = 1, axis - 1 do before = before * m.shape[k] end
  for k = axis + 1, #m.shape do below = below * m.shape[k] end
  local out = { shape = { unpack(m.shape) } }
  out.shape[axis] = length
  for b = 0, before - 1 do
    for p = 0, length - 1 do
      local at = (b * n + source(p)) * below
      for k = 1, below do out[#out + 1] = m[at + k] end
    end
  end
  return out
end

local function rolled(m, shift, axis)
  local n = m.shape[axis]
  return along(m, axis, n, function(p) return (p - shift) % n end)
end

-- Where each mode reads position q of an axis of n elements, found by walking there.
local BORDERS = {
  edge = function(q, n) return math.max(0, math.min(n - 1, q)) end,
  wrap = function(q, n)
    while q < 0 do q = q + n end
    while q >= n do q = q - n end
    return q
  end,
  symmetric = function(q, n)
    while q < 0 or q >= n do q = q < 0 and -1 - q or 2 * n - 1 - q end
    return q
  end,
  reflect = function(q, n)
    while n > 1 and (q < 0 or q >= n) do q = q < 0 and -q or 2 * n - 2 - q end
    return n > 1 and q or 0
  end,
}

local function padded(m, mode, axis, before, after)
  local n = m.shape[axis]
  return along(m, axis, n + before + after, function(p) return BORDERS[mode](p - before, n) end)
end

-- ---- arrays ----

local function flat(x) return cp.real(x):astype("float64"):reshape(-1):totable() end

local function assert_equal(x, m, label)
  local got, shape = flat(x), { unpack(x.shape) }
  assert.same(m.shape, shape, label)
  for k = 1, #m do
    if got[k] ~= m[k] then error(("%s: element %d is %s, not %s"):format(label, k, got[k], m[k]), 2) end
  end
end

local function map(m, f)
  local out = { shape = m.shape }
  for k = 1, #m do out[k] = f(m[k], k) end
  return out
end

-- Layouts of an array with the model's elements in memory.
local LAYOUTS = {
  function(x) return x end,
  function(x) return x.T:copy().T end,
  function(x) return cp.flip(cp.flip(x):copy()) end,
  function(x)
    local wide = cp.zeros({ x.ndim > 0 and 2 or 1, unpack(x.shape) }, { dtype = x.dtype })
    wide[1] = x
    return wide[1]
  end,
  function(x) -- every second element
    local shape, last = { unpack(x.shape) }, x.ndim
    shape[last] = shape[last] * 2
    local items = {}
    for k = 1, last do items[k] = {} end
    items[last] = { 1, shape[last], 2 }
    local part = cp.zeros(shape, { dtype = x.dtype })[items]
    part:assign(x)
    return part
  end,
}

local DTYPES = { "float32", "float64", "int8", "float16", "int64", "complex64", "bool", "bfloat16", "int16",
  "complex128", "uint8" }

-- An array of the model's elements.
local function array(m)
  local list = {}
  for k = 1, #m do list[k] = m[k] end
  return cp.array(list, "float64"):reshape(m.shape)
end

local function make(shape, dtype, layout)
  local m, size = { shape = shape }, 1
  for k = 1, #shape do size = size * shape[k] end
  for k = 1, size do m[k] = dtype == "bool" and k % 3 % 2 or k * 7 % 19 end
  return LAYOUTS[layout](array(m):astype(dtype):eval()), m
end

-- The moves and views along an axis that is not empty: each takes an array and its model, and returns those
-- of the result.
local MOVES = {}

for mode in pairs(BORDERS) do
  MOVES[#MOVES + 1] = { mode, function(pick, x, m, axis)
    local widths, before, after = {}, pick(6), pick(6)
    for k = 1, #m.shape do widths[k] = k == axis and { before, after } or { 0, 0 } end
    return cp.pad(x, widths, mode), padded(m, mode, axis, before, after)
  end }
end

MOVES[#MOVES + 1] = { "tile", function(_, x, m, axis)
  local reps, n = {}, m.shape[axis]
  for k = 1, #m.shape do reps[k] = k == axis and 3 or 1 end
  return cp.tile(x, reps), along(m, axis, 3 * n, function(p) return p % n end)
end }

MOVES[#MOVES + 1] = { "repeats", function(_, x, m, axis)
  return cp.repeats(x, 2, axis), along(m, axis, 2 * m.shape[axis], function(p) return math.floor(p / 2) end)
end }

MOVES[#MOVES + 1] = { "roll", function(pick, x, m, axis)
  local shift = pick(23) - 11
  return x:roll(shift, axis), rolled(m, shift, axis)
end }

for _, step in ipairs { 1, -1, 2 } do
  MOVES[#MOVES + 1] = { "part with step " .. step, function(pick, x, m, axis)
    local first = pick(m.shape[axis])
    local last = step < 0 and pick(first + 1) or first + pick(m.shape[axis] - first)
    local key = {}
    for k = 1, #m.shape do key[k] = k == axis and { first + 1, last + 1, step } or {} end
    local length = math.floor((last - first) / step) + 1
    return x[key], along(m, axis, length, function(p) return first + step * p end)
  end }
end

table.sort(MOVES, function(a, b) return a[1] < b[1] end)

-- One random move of an array, or view of it, and its model.
local function move(pick, x, m)
  local axis = pick(#m.shape) + 1
  if m.shape[axis] == 0 then return x:roll(3, axis), m, "roll" end
  local what, f = unpack(MOVES[pick(#MOVES) + 1])
  if #m >= 20000 then what, f = "roll", function() return x:roll(-1, axis), rolled(m, -1, axis) end end
  local r, model = f(pick, x, m, axis)
  return r, model, what
end

local SHAPES = { { 7 }, { 300 }, { 1030 }, { 5, 6 }, { 3, 300 }, { 300, 4 }, { 4, 5, 6 }, { 2, 3, 290 }, { 2, 20, 20 },
  { 1, 5 }, { 5, 1 }, { 0, 3 }, { 3, 0 }, { 2, 3, 2, 5 }, { 260, 2 }, { 1 }, { 9, 17 }, { 3, 1, 261 } }

each("arrays with moved positions", function()
  wait()

  it("have the elements of their model, alone and in chains", function()
    local pick = generator(16).below
    for round = 1, 120 do
      local shape = SHAPES[pick(#SHAPES) + 1]
      local dtype = DTYPES[pick(#DTYPES) + 1]
      local x, m = make({ unpack(shape) }, dtype, pick(#LAYOUTS) + 1)
      local label = ("%d: %s %s"):format(round, dtype, table.concat(shape, "x"))
      local r, model = x, m
      for _ = 1, pick(4) + 1 do
        local what
        r, model, what = move(pick, r, model)
        label = label .. " " .. what
      end
      if dtype ~= "bool" then
        local other = cp.arange(r.size):reshape(r.shape) % 5
        assert_equal(r * 2 + other, map(model, function(v, k) return 2 * v + (k - 1) % 5 end), label .. " chain")
        local sum = map(model, function(v, k) return v + (k - 1) % 5 end)
        local across = array(sum).T
        assert.same(flat(across), flat((r + other).T), label .. " transposed")
      end
      assert_equal(r, model, label)
      local out = cp.zeros(model.shape, { dtype = dtype })
      out:assign(r)
      assert_equal(out, model, label .. " assigned")
    end
  end)

  it("have the elements of their model after any three of them along one axis", function()
    local pick = generator(5).below
    for _, a in ipairs(MOVES) do
      for _, b in ipairs(MOVES) do
        for _, c in ipairs(MOVES) do
          local axis = pick(2) + 1
          local x, m = make({ 4 + pick(4), 4 + pick(4) }, "int32", 1)
          for _, f in ipairs { a, b, c } do x, m = f[2](pick, x, m, axis) end
          assert_equal(x, m, ("%s, %s and %s along %d"):format(a[1], b[1], c[1], axis))
        end
      end
    end
  end)

  it("are reduced where they lie, along every axis", function()
    local pick = generator(7).below
    for round = 1, 60 do
      local shape = SHAPES[pick(#SHAPES) + 1]
      local x, m = make({ unpack(shape) }, pick(2) == 0 and "float32" or "int8", pick(#LAYOUTS) + 1)
      local r, model, what = move(pick, x, m)
      local label = ("%d: %s of %s"):format(round, what, table.concat(shape, "x"))
      local total = 0
      for k = 1, #model do total = total + model[k] end
      assert.equal(total, tonumber(r:astype("int64"):sum():item()), label)
      for axis = 1, #model.shape do
        local want = array(model)
        assert.same(flat(want:sum(axis)), flat(r:astype("int64"):sum(axis)), label .. " sum " .. axis)
        if model.shape[axis] > 0 and #model > 0 then
          assert.same(flat(want:max(axis)), flat(r:max(axis)), label .. " max " .. axis)
          assert.same(flat(want:argmin(axis)), flat(r:argmin(axis)), label .. " argmin " .. axis)
        end
      end
    end
  end)

  it("roll as often as asked, in any order", function()
    local x, m = make({ 6, 5 }, "float32", 1)
    local r = x
    for k = 1, 12 do
      local axis = k % 2 + 1
      r, m = r:roll(k - 5, axis), rolled(m, k - 5, axis)
      if k % 5 == 0 then r:eval() end
    end
    assert_equal(r, m, "many rolls")
    assert_equal(x:roll({ 1, -2, 3 }, { 1, 2, 1 }),
      rolled(rolled(select(2, make({ 6, 5 }, "float32", 1)), 4, 1), -2, 2), "several axes")
    assert.equal(5, cp.array(5):roll(3):item())
  end)

  it("keep the elements they were made of when these are written", function()
    local x, m = make({ 4, 300 }, "float32", 1)
    local r, s, t = x:roll(1, 1), x:roll(-3, 2) + x, cp.pad(x, 2, "symmetric")
    x[{ 2 }] = -1
    assert_equal(r, rolled(m, 1, 1), "roll after a write")
    local shifted = rolled(m, -3, 2)
    assert_equal(s, map(m, function(v, k) return v + shifted[k] end), "chain after a write")
    assert_equal(t, padded(padded(m, "symmetric", 1, 2, 2), "symmetric", 2, 2, 2), "pad after a write")
    local y, n = make({ 300 }, "float64", 1)
    local whole = y:roll(7)
    y:fill(0)
    assert_equal(whole, rolled(n, 7, 1), "roll after the whole array was written")
    local z, o = make({ 5, 5 }, "int64", 1)
    local gone = z:roll(2, 2) * 3
    z:free()
    assert_equal(gone, map(rolled(o, 2, 2), function(v) return 3 * v end), "roll of a freed array")
  end)

  it("are written over themselves", function()
    for _, dtype in ipairs { "float32", "int16" } do
      for _, shape in ipairs { { 1000 }, { 3, 400 }, { 70, 5 } } do
        for axis = 1, #shape do
          local x, m = make({ unpack(shape) }, dtype, 1)
          local r = rolled(m, 1, axis)
          x:assign(x:roll(1, axis) + x)
          assert_equal(x, map(m, function(v, k) return v + r[k] end), "x + roll(x)")
          x, m = make({ unpack(shape) }, dtype, 1)
          x:assign(x:roll(1, axis))
          assert_equal(x, rolled(m, 1, axis), "roll(x)")
          x, m = make({ unpack(shape) }, dtype, 1)
          local kept = x:roll(2, axis)
          x:assign(kept)
          x:add_(1)
          assert_equal(kept, rolled(m, 2, axis), "what was assigned")
          assert_equal(x, map(rolled(m, 2, axis), function(v) return v + 1 end), "and written again")
        end
      end
    end
    local x, m = make({ 400 }, "float32", 1)
    x["1:200"]:assign(x["201:400"]:roll(1) + x["101:300"])
    assert_equal(x, map(m, function(v, k)
      if k > 200 then return v end
      return m[k == 1 and 400 or 199 + k] + m[100 + k]
    end), "views of one array")
  end)

  it("may be read by views, routines and products", function()
    local x, m = make({ 4, 4 }, "float64", 1)
    local r = rolled(m, 1, 2)
    assert.equal(r[6], x:roll(1, 2)[{ 2, 2 }])
    assert.same(flat(array(r):matmul(x)), flat(x:roll(1, 2):matmul(x)))
    assert.same(flat(cp.sort(array(r):reshape(-1))), flat(cp.sort(x:roll(1, 2):reshape(-1))))
    local mask = x:roll(1, 2):gt(5)
    local count = 0
    for k = 1, #r do count = count + (r[k] > 5 and 1 or 0) end
    assert.equal(count, x[mask].size)
  end)
end)

describe("moved positions", function()
  local before
  before_each(function() before = cp.fusion(true) end)
  after_each(function() cp.fusion(before) end)

  local function counted(f)
    local from = cp.profiler.counters()
    local result = f()
    local to = cp.profiler.counters()
    return to.launches - from.launches, to.allocations - from.allocations, result
  end

  it("cost no launch and no memory of their own", function()
    if fusion.forced or os.getenv "CUPOLA_TEST_MODE" == "unfused" then return end
    local u = cp.random.rand(300, 310):eval()
    local launches, allocations = counted(function()
      return (u:roll(1, 1) + u:roll(-1, 1) + u:roll(1, 2) + u:roll(-1, 2) - 4 * u):eval()
    end)
    assert.same({ 1, 1 }, { launches, allocations })
    launches = counted(function() return (u * u:roll(1, 2)):sum():eval() end)
    assert.equal(1, launches)
    launches = counted(function()
      local p = cp.pad(u, 1, "wrap")
      return (p + cp.pad(u, 1, "edge") - cp.pad(u, 1, "reflect") * cp.pad(u, 1, "symmetric")):eval()
    end)
    assert.equal(1, launches)
    collectgarbage() -- values that other tests left pending
    collectgarbage()
    cp.synchronize()
    launches = counted(function() -- nothing is left that a synchronisation would compute
      local kept = { cp.pad(u, 1, "edge"), cp.pad(u, { { 2, 1 } }, "wrap"), cp.roll(u, { 1, 2 }, { 1, 2 }),
        cp.tile(u, { 2, 2 }) }
      for k = 1, #kept do kept[k]:eval() end
      cp.synchronize()
    end)
    assert.equal(4, launches)
    local r = u:roll(5, 2)
    launches, allocations = counted(function()
      local a, b = (r + 1):eval(), (r * 2):eval() -- a second reading does not store r
      return a + b
    end)
    assert.same({ 2, 2 }, { launches, allocations })
    launches = counted(function() return (cp.repeats(cp.tile(u, { 1, 3 }), 2, 1) - cp.tile(u, { 2, 3 })):eval() end)
    assert.equal(1, launches)
  end)

  it("stay within the bounds of a kernel", function()
    local x, m = make({ 3, 3, 3, 3 }, "float64", 1)
    local sum, want = x, map(m, function(v) return v end)
    for k = 1, 40 do
      sum = sum + x:roll({ k, k + 1, k + 2, 1 }, { 1, 2, 3, 4 })
      local r = rolled(rolled(rolled(rolled(m, k, 1), k + 1, 2), k + 2, 3), 1, 4)
      for j = 1, #want do want[j] = want[j] + r[j] end
    end
    assert_equal(sum, want, "40 rolls along 4 axes")
  end)

  it("are seen in the source of a fused function", function()
    local f = cp.fuse(function(u) return u:roll(1, 1) + u:roll(1, 2) - u end)
    f(cp.ones({ 64, 64 }, "float32"):eval())
    if not fusion.forced then assert.equal(1, f.launches) end
    assert.matches("cp_move_roll", f.source)
  end)
end)

repeat_forced "spec/lazy/moves_spec.lua"
