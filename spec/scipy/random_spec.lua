-- cp.random: Philox by published vectors and NumPy's integers, distributions by chi-square over bins from
-- SciPy (spec/golden/random/draws.py), and the guarantees of a counter-based stream: pending draws keep their
-- numbers, alone and fused.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"
local here = debug.getinfo(1, "S").source:match "^@(.*)scipy/random_spec%.lua$" or "spec/"
local golden = dofile(here .. "golden/random/draws.lua")

local N = 30000

local function draw(kind, shape, dtype, scale, at)
  at = at or golden
  return core.draw("spec", kind, shape, dtype, scale, at.high, at.low, at.call)
end

-- A function of Lua text such as "2, 3": its values.
local function values_of(text) return assert((loadstring or load)("return " .. text))() end -- luacheck: ignore

local function arguments(text)
  local list = { n = select("#", values_of(text)), values_of(text) }
  list.n = text == "" and 0 or list.n
  return list
end

local unpack = table.unpack or unpack -- luacheck: ignore

local function sample(case, n, seed, options)
  local rng, list = cp.random.default_rng(seed or 12345), arguments(case.args)
  list[list.n + 1] = n
  if options then list[list.n + 2] = options end
  return rng[case.name](rng, unpack(list, 1, list.n + 2))
end

describe("Philox4x32-10", function()
  -- Random123's known answers: counter, key, words. The counter's halves are block and call.
  local function words(block, call_high, call_low, high, low)
    local from = block * 4 -- the positions of a block
    local all = core.draw("spec", "integer", { 4 }, "uint32", 0, high, low, call_high * 2 ^ 32 + call_low)
    assert(from == 0)
    return all
  end

  it("gives the words of the zero vector", function()
    -- 32-bit integers take 64 bits of the stream each; the words show in uniform numbers of float32
    local u = core.draw("spec", "uniform", { 4 }, "float32", 16777216, 0, 0, 0)
    for k, w in ipairs { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } do
      assert.equal(math.floor(w / 256), u[k])
    end
    local i = words(0, 0, 0, 0, 0)
    assert.equal(0x6627e8d5, i[1])
    assert.equal(0xbc57ac4c, i[2])
  end)

  it("gives NumPy's numbers for another seed and call", function()
    for dtype, want in pairs(golden.uniform) do
      assert.same(want, draw("uniform", 8, dtype, 1):totable())
    end
    for dtype, want in pairs(golden.normal) do
      local got = draw("normal", 8, dtype, 1):totable()
      for k, v in ipairs(want) do
        local bound = (dtype == "float32" and 2 ^ -21 or 2 ^ -48) * math.max(1, math.abs(v))
        assert.is_true(math.abs(got[k] - v) <= bound, ("%s normal %d: %.17g, not %.17g"):format(dtype, k, got[k], v))
      end
    end
    assert.same(golden.integers, draw("integer", 8, "int64", 1000):totable())
    assert.same(golden.integers, draw("integer", 8, "uint16", 1000):totable())
  end)

  it("gives the same numbers for positions of other kinds", function()
    for _, first in ipairs { -8, 0, 4, 3, 2 ^ 52 } do
      local positions = cp.arange(first, first + 1003)
      local rng = cp.random.default_rng(5)
      local both = (positions + rng:random(1003)):eval()
      local draws = cp.random.default_rng(5):random(1003):eval()
      assert.is_true(cp.array_equal(both, positions:eval() + draws), ("positions from %d"):format(first))
    end
  end)

  it("scales by numbers that are too small to be divided", function()
    for dtype, least in pairs { float32 = 2 ^ -149, float64 = 2 ^ -1074 } do
      for _, scale in ipairs { 1e-37, 3 * least, least } do
        local want = (cp.random.default_rng(5):random(99, dtype) * scale):totable()
        assert.same(want, cp.random.default_rng(5):uniform(0, scale, 99, dtype):totable())
      end
    end
  end)

  it("uses one call number for each draw, in the order of the calls", function()
    local rng = cp.random.default_rng(7)
    local first, second = rng:random(5), rng:random(5)
    local late = second:totable()
    rng:set_state { algorithm = "Philox4x32-10", seed_high = 0, seed_low = 7, call = 1 }
    assert.same(rng:random(5):totable(), late)
    assert.is_false(first == second)
    assert.equal(2, rng:get_state().call)
  end)
end)

describe("distributions", function()
  -- The chi-square statistic of counts for expected numbers.
  local function statistic(counts, expected)
    local sum = 0
    for k, e in ipairs(expected) do sum = sum + (counts[k] - e) ^ 2 / e end
    return sum
  end

  local function zeros(n)
    local list = {}
    for k = 1, n do list[k] = 0 end
    return list
  end

  local function bin_of(edges, v)
    local low, high = 1, #edges + 1
    while low < high do
      local middle = math.floor((low + high) / 2)
      if v < edges[middle] then high = middle else low = middle + 1 end
    end
    return low
  end

  local function check_continuous(case, dtype)
    local counts, expected = zeros(#case.edges + 1), {}
    for _, v in ipairs(sample(case, N, 12345, dtype):totable()) do
      assert(v == v, "nan")
      local bin = bin_of(case.edges, v)
      counts[bin] = counts[bin] + 1
    end
    for k = 1, #counts do expected[k] = N / #counts end
    local x2 = statistic(counts, expected)
    assert.is_true(x2 < golden.continuous.limit, ("chi-square %.1f"):format(x2))
  end

  -- The modes hardly change what these draw: they take some of the cases.
  local function cases_of(list) return check.mode and { list[1], list[9], list[17] } or list end

  for _, case in ipairs(cases_of(golden.continuous)) do
    for _, dtype in ipairs { "float64", "float32" } do
      it(("%s(%s) in %s"):format(case.name, case.args, dtype), function() check_continuous(case, dtype) end)
    end
  end

  for _, case in ipairs(cases_of(golden.discrete)) do
    it(("%s(%s)"):format(case.name, case.args), function()
      local x, counts, expected = sample(case, N), zeros(#case.p), {}
      assert.equal("int64", x.dtype)
      for _, v in ipairs(x:totable()) do
        local bin = math.max(1, math.min(#counts, tonumber(v) - case.first + 1))
        counts[bin] = counts[bin] + 1
      end
      for k, p in ipairs(case.p) do expected[k] = N * p end
      local x2 = statistic(counts, expected)
      assert.is_true(x2 < case.limit, ("chi-square %.1f above %.1f"):format(x2, case.limit))
    end)
  end

  it("are right if parameters are arrays", function()
    local rng = cp.random.default_rng(3)
    local means = rng:poisson(cp.array { 1, 8, 40 }, { 20000, 3 }):mean(1):totable()
    for k, lam in ipairs { 1, 8, 40 } do assert.is_true(math.abs(means[k] - lam) < 5 * math.sqrt(lam / 20000)) end
    local x = rng:binomial({ { 5 }, { 50 } }, { 0.2, 0.5 }, { 5000, 2, 2 }):mean(1):totable()
    for i, n in ipairs { 5, 50 } do
      for j, p in ipairs { 0.2, 0.5 } do
        assert.is_true(math.abs(x[i][j] - n * p) < 5 * math.sqrt(n * p * (1 - p) / 5000))
      end
    end
    assert.is_true(rng:normal({ 0, 100, -100 }):has_shape(3))
    assert.is_true(rng:gamma({ { 1 }, { 2 } }, { 3, 4, 5 }):has_shape(2, 3))
    assert.is_true(rng:normal(cp.zeros { 0, 3 }):has_shape(0, 3))
  end)

  it("give nan for invalid parameters in an array", function()
    local rng = cp.random.default_rng(3)
    local x = rng:gamma(cp.array { 1, -1, cp.nan, 0, cp.inf }):totable()
    assert.is_true(x[1] > 0 and x[2] ~= x[2] and x[3] ~= x[3] and x[4] == 0 and x[5] == math.huge)
    assert.same({ 0, 0, 0 }, rng:poisson(cp.array { 0, -1, cp.nan }):totable())
    assert.same({ 0, 7, 0 }, rng:binomial(cp.array { 7, 7, 0 }, cp.array { 0, 1, 0.5 }):totable())
  end)

  it("of several parts sum to what they must", function()
    local rng = cp.random.default_rng(5)
    local d = rng:dirichlet({ 0.001, 1, 5 }, { 2000 })
    assert.is_true(d:has_shape(2000, 3) and cp.allclose(d:sum(2), 1) and d:ge(0):all())
    assert.is_true(cp.allclose(d:mean(1), cp.array { 0.001, 1, 5 } / 6.001, 0, 0.02))
    d = rng:dirichlet({ 0.25, 1, 5 }, { 3000 }) -- large enough that no logarithms are needed
    local p = cp.array { 0.25, 1, 5 } / 6.25
    assert.is_true(cp.allclose(d:sum(2), 1) and cp.allclose(d:mean(1), p, 0, 0.02))
    assert.is_true(cp.allclose(d:var(1), p * (1 - p) / 7.25, 0.15, 0))
    local m = rng:multinomial(20, { 0.2, 0.3, 0.5 }, { 3000 })
    assert.is_true(m.dtype == "int64" and m:has_shape(3000, 3) and m:sum(2):eq(20):all() and m:ge(0):all())
    assert.is_true(cp.allclose(m:mean(1), { 4, 6, 10 }, 0, 0.25))
    assert.is_true(rng:multinomial(4, { 1, 0 }):totable()[1] == 4)
    local v = rng:multivariate_normal({ 1, -1, 5 }, { { 2, 1, 0 }, { 1, 3, 0 }, { 0, 0, 0 } }, 20000)
    assert.is_true(v:has_shape(20000, 3) and cp.allclose(v:mean(1), { 1, -1, 5 }, 0, 0.06))
    local x, y = v[{ {}, 1 }] - 1, v[{ {}, 2 }] + 1
    assert.is_true(math.abs((x * x):mean():item() - 2) < 0.1 and math.abs((y * y):mean():item() - 3) < 0.15)
    assert.is_true(math.abs((x * y):mean():item() - 1) < 0.1 and v[{ {}, 3 }]:eq(5):all())
  end)

  it("stay in their range in half types", function()
    local rng = cp.random.default_rng(5)
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local u = rng:random(20000, dtype)
      assert.equal(dtype, u.dtype)
      assert.is_true(u:lt(1):all() and u:ge(0):all())
      assert.is_true(math.abs(u:astype("float64"):mean():item() - 0.5) < 0.02)
      assert.equal(dtype, rng:exponential(1, 3, dtype).dtype)
    end
  end)
end)

-- Recorded numbers: a seed must give the same numbers in later versions and on every device.
describe("the first numbers", function()
  for _, case in ipairs(dofile(here .. "golden/random/draws_first.lua")) do
    it(("of %s(%s)"):format(case.name, case.args), function()
      for k, v in ipairs(sample(case, #case.first, 2024):totable()) do
        local want = case.first[k]
        local bound = case.exact and 0 or 1e-11 * (1 + math.abs(want))
        assert.is_true(math.abs(tonumber(v) - want) <= bound, ("%d: %.17g, not %.17g"):format(k, tonumber(v), want))
      end
    end)
  end
end)

describe("integers", function()
  it("cover their range, ends as asked", function()
    local rng = cp.random.default_rng(1)
    local x = rng:integers(-2, 3, 3000, "int8")
    assert.equal("int8", x.dtype)
    assert.equal(-2, x:min():item())
    assert.equal(2, x:max():item())
    assert.equal(3, rng:integers(1, 3, 1000, { endpoint = true }):max():item())
    assert.equal(0, rng:integers(1, nil, 10):max():item())
    for dtype, ends in pairs { int8 = { -128, 127 }, uint8 = { 0, 255 }, bool = { 0, 1 } } do
      local all = rng:integers(ends[1], ends[2] + 1, 5000, dtype):astype "int64"
      assert.equal(ends[1], all:min():item())
      assert.equal(ends[2], all:max():item())
    end
  end)

  it("take arrays as ends", function()
    local low, high = cp.array({ 0, 10, -5 }, "int64"), cp.array({ 2, 11, 0 }, "int64")
    local x = cp.random.default_rng(1):integers(low, high, { 500, 3 })
    assert.same({ 0, 10, -5 }, x:min(1):totable())
    assert.same({ 1, 10, -1 }, x:max(1):totable())
  end)

  it("fill 64 bits", function()
    local x = cp.random.default_rng(1):integers(-2 ^ 63, 2 ^ 63, 20000):astype "float64" / 2 ^ 63
    assert.is_true(math.abs(x:mean():item()) < 0.03 and x:min():item() < -0.99 and x:max():item() > 0.99)
    local y = cp.random.default_rng(1):integers(0, 2 ^ 64, 20000, "uint64"):astype "float64" / 2 ^ 64
    assert.is_true(math.abs(y:mean():item() - 0.5) < 0.02)
  end)
end)

describe("a draw", function()
  it("is pending and keeps its numbers", function()
    local rng = cp.random.default_rng(11)
    local x = rng:normal(0, 1, { 50, 40 })
    local y = x + 0
    local alone = x:copy()
    assert.is_true(cp.array_equal(alone, x) and cp.array_equal(y, x))
  end)

  it("launches no kernel before its values are needed", function()
    if fusion.forced or not cp.fusion() then return end
    local rng = cp.random.default_rng(11)
    local counts = check.counted(function() return rng:exponential(2, { 1000 }) + rng:random(1000) end)
    assert.equal(0, counts.launches)
  end)

  -- Adjacent elements share a block of the generator if they are aligned to it; other ways must give the same
  -- numbers.
  local function stored(make)
    local before = cp.fusion(false)
    local x = make()
    cp.fusion(before)
    return x
  end

  local shapes = { 1, 3, 7, 64, 1021, { 5, 7 }, { 3, 4, 5 }, { 2, 1, 9 }, { 0, 4 }, { 70, 9 } }
  local kinds = {
    uniform = function(rng, shape, dtype) return rng:random(shape, dtype) end,
    normal = function(rng, shape, dtype) return rng:normal(1, 2, shape, dtype) end,
    exponential = function(rng, shape, dtype) return rng:exponential(2, shape, dtype) end,
    gamma = function(rng, shape, dtype) return rng:gamma(0.7, 2, shape, dtype) end,
  }
  -- Of the modes only memory that is filled with a pattern may change the ways of one kind alone.
  if check.mode and check.mode ~= "poison" then kinds = { uniform = kinds.uniform } end

  for name, make in pairs(kinds) do
    for _, dtype in ipairs { "float32", "float64", "float16" } do
      it(("of %s %s is the same by every way"):format(dtype, name), function()
        for _, shape in ipairs(shapes) do
          local function fresh() return make(cp.random.default_rng(21), shape, dtype) end
          local want = stored(fresh)
          assert.is_true(cp.array_equal(want, fresh()))
          assert.is_true(cp.array_equal(want * 2, fresh() * 2))
          assert.is_true(cp.array_equal(want.T, fresh().T + 0))
          if want.size > 0 then
            local sum, other = want:astype("float64"):sum():item(), fresh():astype("float64"):sum():item()
            assert.is_true(math.abs(sum - other) <= 1e-9 * (1 + math.abs(sum)))
          end
          if want.ndim == 1 and want.size > 2 then
            assert.is_true(cp.array_equal(want[{ { 2, want.size } }], fresh()[{ { 2, want.size } }] + 0))
            local base = cp.zeros(2 * want.size, dtype)
            base[{ { 1, 2 * want.size - 1, 2 } }] = fresh()
            assert.is_true(cp.array_equal(want, base[{ { 1, 2 * want.size - 1, 2 } }]))
          end
        end
      end)
    end
  end

  -- Reductions draw elements in groups that share a block of the generator, if rows begin at a block; ends of
  -- rows cut groups. These shapes cover all ways in which a GPU distributes a reduction.
  local reduced = {
    { { 100003 } }, { { 4096 } }, { { 2, 70001 }, 2 }, { { 300, 64 }, 2 }, { { 300, 67 }, 2 }, { { 60, 3000 }, 2 },
    { { 60, 2998 }, 2 },
    { { 3000, 8 }, 2 }, { { 3000, 5 }, 2 }, { { 3000, 8 }, 1 }, { { 3000, 7 }, 1 }, { { 40, 6, 9 }, 2 },
    { { 40, 6, 8 }, { 1, 3 } },
  }

  for name, make in pairs(kinds) do
    for _, dtype in ipairs { "float32", "float64" } do
      it(("of %s %s is the same under a reduction"):format(dtype, name), function()
        for _, case in ipairs(reduced) do
          local shape, axis = case[1], case[2]
          local label = ("%s, axis %s"):format(table.concat(shape, " x "), tostring(axis))
          local function fresh() return make(cp.random.default_rng(22), shape, dtype) end
          local want = stored(fresh)
          for _, way in ipairs { "max", "argmin" } do
            if type(axis) ~= "table" or way == "max" then
              assert.is_true(cp.array_equal(want[way](want, axis), fresh()[way](fresh(), axis)), way .. " " .. label)
            end
          end
          local function share(x, y) return (x * x + y * y):lt(1):astype("int64"):sum(axis) end
          local rng = cp.random.default_rng(23)
          local x, y = make(rng, shape, dtype), make(rng, shape, dtype)
          rng = cp.random.default_rng(23)
          local first = stored(function() return make(rng, shape, dtype) end)
          local second = stored(function() return make(rng, shape, dtype) end)
          assert.is_true(cp.array_equal(share(first, second), share(x, y)), "share " .. label)
          local wide = want:astype("float64")
          local slack = 1e-3 * math.sqrt(want.size)
          assert.is_true(cp.allclose(wide:sum(axis), fresh():sum(axis), 1e-4, slack), "sum " .. label)
          assert.is_true(cp.allclose(wide:var(axis), fresh():var(axis), 1e-3, 1e-5), "var " .. label)
        end
      end)
    end
  end

  it("goes to the elements of a mask in their order", function()
    local x, mask = cp.zeros(100), cp.arange(100) % 3
    mask = mask:eq(1)
    x[mask] = x[mask] + cp.random.default_rng(3):random(33)
    assert.is_true(cp.array_equal(x[mask], cp.random.default_rng(3):random(33)))
    assert.is_true(x[mask:logical_not()]:eq(0):all())
  end)

  it("differs from another draw in the same expression", function()
    local rng = cp.random.default_rng(2)
    local difference = rng:random(1000) - rng:random(1000)
    assert.is_true(difference:ne(0):all())
    assert.is_true(math.abs((rng:random(20000) - rng:random(20000)):var():item() - 1 / 6) < 0.01)
  end)

  it("is a number without a size, takes every form of one, and follows the default dtype", function()
    local rng = cp.random.default_rng(3)
    for _, v in ipairs { cp.random.rand(), cp.random.standard_normal(), cp.random.randint(5), rng:normal(2, 3),
      rng:integers(1, 7), rng:choice(4), rng:random(), rng:gamma(2) } do
      assert.equal("number", type(v))
    end
    assert.equal(0, rng:random({}).ndim)
    assert.equal(0, rng:normal(cp.array(1)).ndim) -- a parameter that is an array
    local again, seeded = cp.random.default_rng(3), cp.random.default_rng(3)
    assert.equal(again:random({}):item(), seeded:random())
    local inside
    cp.cuda.graph(function() inside = rng:random() end)
    assert.is_true(cp.is_array(inside))
    assert.is_true(cp.random.rand(2, 3):has_shape(2, 3) and cp.random.randn(4, "float32").dtype == "float32")
    assert.is_true(cp.random.random { 2, 3 }:has_shape(2, 3))
    assert.equal("float32", cp.random.random({ 2, dtype = "float32" }).dtype)
    assert.is_true(cp.random.normal { loc = 3, size = { 2, 2 } }:has_shape(2, 2))
    assert.equal("float64", cp.random.uniform(0, 1, 3).dtype)
  end)
end)

describe("states", function()
  it("repeat from a seed", function()
    for _, make in ipairs { cp.random.default_rng, cp.random.RandomState } do
      assert.is_true(cp.array_equal(make(9):normal(0, 1, 50), make(9):normal(0, 1, 50)))
      assert.is_false(cp.array_equal(make(9):normal(0, 1, 50), make(10):normal(0, 1, 50)))
      assert.is_false(cp.array_equal(make():random(50), make():random(50)))
    end
    cp.random.seed(4)
    local first = cp.random.rand(5)
    cp.random.seed(4)
    assert.is_true(cp.array_equal(first, cp.random.rand(5)))
    assert.is_true(cp.array_equal(first, cp.random.RandomState(4):rand(5)))
  end)

  it("can be read and set", function()
    cp.random.seed(5)
    cp.random.rand(3)
    local state = cp.random.get_state()
    local first = cp.random.randint(0, 1000, 20)
    cp.random.set_state(state)
    assert.is_true(cp.array_equal(first, cp.random.randint(0, 1000, 20)))
    local rng = cp.random.Generator(cp.random.Philox4x3210(8))
    assert.is_true(cp.array_equal(rng:random(4), cp.random.default_rng(8):random(4)))
    assert.equal(1, rng:get_state().call)
    assert.equal(rng, cp.random.default_rng(rng))
  end)

  it("belong to the device on which they were made", function()
    local rng = cp.cpu.random.default_rng(3)
    for _, x in ipairs { rng:random(4), rng:poisson(3, 4), rng:permutation(4), rng:choice(3, 4),
      rng:multinomial(3, { 1 }), rng:choice(3, 4, { p = { 0.5, 0.5, 0 } }),
      rng:shuffle(cp.cpu.arange(4)), cp.cpu.random.rand(3) } do
      assert.equal("cpu", x.device)
    end
    assert.equal(cp.zeros(1).device, cp.random.rand(2).device)
    assert.equal(cp.zeros(1).device, rng:normal(cp.zeros(3)).device)
    assert.equal(cp.zeros(1).device, cp.random.default_rng(1):choice({ 1, 2, 3 }, 3).device)
  end)

  it("take seeds of more than 32 bits", function()
    assert.is_false(cp.array_equal(cp.random.default_rng(2 ^ 40 + 1):random(9), cp.random.default_rng(1):random(9)))
    assert.equal(256, cp.random.default_rng(2 ^ 40 + 1):get_state().seed_high)
  end)
end)

describe("bad input", function()
  local rng = cp.random.default_rng(1)
  -- luacheck: push no max line length
  local cases = {
    { "random.choice: a must be positive or an array, but is 0", function() local _ = rng:choice(0, 2) end },
    { "random.choice: cannot choose from an empty array", function() local _ = rng:choice(cp.zeros(0), 2) end },
    { "random.choice: probabilities must sum to 1, but sum to 0.6", function() local _ = rng:choice(3, { p = { 0.1, 0.2, 0.3 } }) end },
    { "random.choice: p[2] must not be negative, but is -0.5", function() local _ = rng:choice(2, { p = { 1.5, -0.5 } }) end },
    { "random.choice: p must be a vector of 3 probabilities, not of shape (2)", function() local _ = rng:choice(3, { p = { 0.5, 0.5 } }) end, "shape" },
    { "random.choice: cannot choose 4 different positions from 3", function() local _ = rng:choice(3, 4, false) end },
    { "random.choice: cannot choose 2 different positions from 1 that p allows", function() local _ = rng:choice(3, 2, false, { 1, 0, 0 }) end },
    { "random.normal: scale must not be negative, but is -1", function() local _ = rng:normal(0, -1) end },
    { "random.normal: scale must not be negative, but is -1", function() local _ = cp.random.normal(0, -1) end },
    { "random.normal: parameters of shapes (2) and (3) do not broadcast", function() local _ = rng:normal({ 0, 0 }, { 1, 1, 1 }) end, "shape" },
    { "random.normal: parameters of shape (2) do not broadcast to size (3)", function() local _ = rng:normal({ 0, 0 }, 1, 3) end, "shape" },
    { "random.normal: no option 'low'", function() local _ = rng:normal { low = 3 } end },
    { "random.normal: dtype must be floating, not int32", function() local _ = rng:normal(0, 1, 3, "int32") end, "dtype" },
    { "random.normal: size must not be negative, but is -3", function() local _ = rng:normal(0, 1, -3) end, "shape" },
    { "random.uniform: high 1 is less than low 3", function() local _ = rng:uniform(3, 1) end },
    { "random.integers: low 5 must be less than high 5", function() local _ = rng:integers(5, 5) end },
    { "random.integers: low 0 must be less than high 0", function() local _ = rng:integers(0) end },
    { "random.integers: low 0 and high 300 are not in the range of uint8", function() local _ = rng:integers(0, 300, 2, "uint8") end },
    { "random.integers: low must be a whole number, but is 2.5", function() local _ = rng:integers(2.5) end },
    { "random.integers: low must be less than high everywhere", function() local _ = rng:integers(cp.array({ 1, 3 }, "int64"), 3) end },
    { "random.integers: high must hold whole numbers", function() local _ = rng:integers(0, { 2.5, 3 }) end },
    { "random.integers: dtype must be an integer type or bool, not float32", function() local _ = rng:integers(3, { dtype = "float32" }) end, "dtype" },
    { "random.gamma: shape is missing", function() local _ = rng:gamma() end },
    { "random.binomial: p must be from 0 to 1, but is 2", function() local _ = rng:binomial(5, 2) end },
    { "random.poisson: lam must not be negative, but is nan", function() local _ = rng:poisson(cp.nan) end },
    { "random.zipf: a must be above 1, but is 1", function() local _ = rng:zipf(1) end },
    { "random.dirichlet: alpha must be positive", function() local _ = rng:dirichlet { 1, 0 } end },
    { "random.dirichlet: alpha must be positive", function() local _ = rng:dirichlet { 1, cp.nan } end },
    { "random.multinomial: pvals have a sum above 1", function() local _ = rng:multinomial(5, { 0.9, 0.9, 0.1 }) end },
    { "random.multivariate_normal: cov must have shape (2, 2), not (2)", function() local _ = rng:multivariate_normal({ 0, 0 }, { 1, 1 }) end, "shape" },
    { "random.multivariate_normal: cov must be symmetric", function() local _ = rng:multivariate_normal({ 0, 0 }, { { 1, 2 }, { 0, 1 } }) end },
    { "random.multivariate_normal: cov must be positive semi-definite", function() local _ = rng:multivariate_normal({ 0, 0 }, { { 1, 2 }, { 2, 1 } }) end },
    { "random.shuffle: x must be an array, which is shuffled in place, not table", function() local _ = rng:shuffle { 1, 2 } end },
    { "random.permutation: x must not be negative, but is -1", function() local _ = rng:permutation(-1) end },
    { "random.default_rng: seed must not be negative, but is -1", function() local _ = cp.random.default_rng(-1) end },
    { "random.default_rng: takes one argument, a seed", function() local _ = cp.random.default_rng(1, "XORWOW") end },
    { "random.set_state: state must be a table that get_state returned", function() cp.random.set_state(3); local _ = 1 end },
    { "random.random: is a method: call it as generator:random(...)", function() local _ = rng.random(3) end },
  }
  -- luacheck: pop
  for _, case in ipairs(cases) do
    it(case[1], function()
      if case[1]:find "is nan" then -- printed as nan or -nan
        assert.is_false((pcall(case[2])))
        return
      end
      check.failure(case[3] or "usage", case[1], case[2])
    end)
  end

  it("leaves no stream behind", function()
    cp.random.seed(1)
    local want = cp.random.rand(3):totable()
    cp.random.seed(1)
    pcall(rng.normal, rng, 0, -1)
    assert.same(want, cp.random.rand(3):totable())
  end)
end)
