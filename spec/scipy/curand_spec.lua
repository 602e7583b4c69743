-- cp.random's generators from cuRAND, on a GPU and, if the library is installed, on the CPU device:
-- distributions by the Kolmogorov-Smirnov statistic and by chi-square, Sobol points against SciPy's, and the
-- order of sequences.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

-- On the host MRG32k3a takes almost a second to start, MT19937 five.
local ON_CPU = cp.device().name == "cpu"
local PSEUDO = ON_CPU and { "XORWOW", "MTGP32", "Philox4_32_10" }
  or { "XORWOW", "MRG32k3a", "MTGP32", "MT19937", "Philox4_32_10" }
local QUASI = { "Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64" }
local N = 20000

local there, why = pcall(cp.random.XORWOW, 1)

describe("cuRAND", function()
  it("is installed, or a message says what is missing", function()
    if there then return assert.equal("XORWOW(" .. cp.device().name .. ")", tostring(why)) end
    assert.equal("cpu", cp.device().name, why)
    assert.is_truthy(tostring(why):find("random.XORWOW: cuRAND", 1, true), why)
  end)
end)

if not there then return end

local function generator(name, seed, ...) return cp.random.Generator(cp.random[name](seed, ...)) end

-- The largest distance of the sample's distribution function from `cdf`, in units of 1 / sqrt(n): above 2.5
-- in less than one of 10^5 samples.
local function distance(x, cdf)
  local n = x.size
  local at = cdf(cp.sort(x:astype "float64"))
  local steps = cp.arange(n):astype "float64" / n
  local far = cp.maximum(cp.abs(at - steps):max(), cp.abs(at - steps - 1 / n):max())
  return far:item() * math.sqrt(n)
end

local function identity(x) return x end

describe("a generator of cuRAND", function()
  for _, name in ipairs(PSEUDO) do
    it(name .. " gives uniform numbers of [0, 1)", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local x = generator(name, 12):random(N, dtype)
        assert.equal(dtype, x.dtype)
        assert.is_true(x:min():item() >= 0 and x:max():item() < 1)
        assert.is_true(distance(x, identity) < 2.5, dtype)
        local together = (x[{ { 1, N - 1 } }] * x["2:"]):mean():item() -- neighbours are independent
        assert.is_true(math.abs(together - 0.25) < 0.01, "neighbours")
      end
    end)

    it(name .. " gives normal numbers, odd counts too", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local x = generator(name, 13):normal(3, 2, N + 1, dtype)
        assert.is_true(x:has_shape(N + 1) and x.dtype == dtype)
        assert.is_true(distance((x - 3) / 2, cp.scipy.special.ndtr) < 2.5, dtype)
      end
      assert.equal(0, generator(name, 13):normal(0, 1, 0).size)
      assert.equal("number", type(generator(name, 13):standard_normal()))
    end)

    it(name .. " gives whole numbers of every range", function()
      local rng = generator(name, 14)
      local counts = cp.bincount(rng:integers(0, 7, 7000), { minlength = 7 }):astype "float64"
      assert.is_true((cp.square(counts - 1000) / 1000):sum():item() < 35, tostring(counts))
      local x = rng:integers(-5, 6, 2000)
      assert.is_true(x.dtype == "int64" and x:min():item() == -5 and x:max():item() == 5)
      local ends = rng:integers(cp.array({ 0, 10, 100 }, "int64"), cp.array({ 2, 20, 101 }, "int64"), { 500, 3 })
      expect.values(ends:min(1), { 0, 10, 100 })
      expect.values(ends:max(1), { 1, 19, 100 })
      local wide = rng:integers(0, 2 ^ 62, 4000)
      assert.is_true(math.abs(wide:astype("float64"):mean():item() / 2 ^ 61 - 1) < 0.05)
      assert.equal(5, #rng:bytes(5))
    end)

    it(name .. " gives the counts of Poisson's distribution", function()
      local x = generator(name, 15):poisson(4, N)
      assert.equal("int64", x.dtype)
      x = x:astype "float64"
      assert.is_true(math.abs(x:mean():item() - 4) < 0.08 and math.abs(x:var():item() - 4) < 0.25)
      assert.is_true(generator(name, 15):poisson(0, 5):eq(0):all())
    end)

    it(name .. " repeats from its seed, and differs between seeds", function()
      local function numbers(seed)
        local rng = generator(name, seed)
        return cp.concatenate { rng:random(1000), rng:normal(0, 1, 7), rng:integers(0, 100, 50):astype "float64" }
      end
      assert.is_true(cp.array_equal(numbers(21), numbers(21)))
      assert.is_true(numbers(21)["1:1000"]:ne(numbers(22)["1:1000"]):any())
      local rng = generator(name, 23)
      local first, second = rng:random(500), rng:random(500)
      assert.is_true(first:ne(second):any())
      local state = cp.random.RandomState(23, name)
      assert.is_true(cp.array_equal(state:random_sample(500), first))
      state:seed(23)
      assert.is_true(cp.array_equal(state:random_sample(500), first))
    end)
  end

  it("can be made on the CPU too", function()
    local rng = generator("MRG32k3a", 12)
    assert.is_true(distance(rng:random(N), identity) < 2.5)
    assert.is_true(distance(rng:normal(0, 1, N, "float32"), cp.scipy.special.ndtr) < 2.5)
    assert.equal("MT19937(" .. cp.device().name .. ")", tostring(cp.random.MT19937(1)))
  end)

  it("skips by its offset", function()
    for _, name in ipairs(ON_CPU and { "XORWOW", "Philox4_32_10" } or { "XORWOW", "MRG32k3a", "Philox4_32_10" }) do
      local whole, rest = generator(name, 5):random(300, "float32"), generator(name, 5, 100):random(200, "float32")
      assert.is_true(cp.array_equal(whole["101:"], rest), name)
    end
    local whole, rest = generator("Sobol64", 1):random(64), generator("Sobol64", 1, 16):random(48)
    assert.is_true(cp.array_equal(whole["17:"], rest))
  end)

  it("takes an order of results", function()
    for _, ordering in ipairs { "default", "best", "legacy", "seeded" } do
      local x = generator("XORWOW", { seed = 3, ordering = ordering }):random(N)
      assert.is_true(distance(x, identity) < 2.5, ordering)
    end
  end)

  it("uses Philox for distributions by rejection and for permutations", function()
    local mine, other = generator("XORWOW", 9), cp.random.default_rng(9)
    assert.is_true(cp.array_equal(mine:gamma(2, 3, 100), other:gamma(2, 3, 100)))
    assert.is_true(cp.array_equal(mine:permutation(50), other:permutation(50)))
    assert.is_true(mine:choice(10, 4, false):has_shape(4))
    assert.is_true(math.abs(mine:exponential(2, N):mean():item() - 2) < 0.1)
    assert.is_true(math.abs(mine:laplace(0, 1, N):var():item() - 2) < 0.2)
    assert.is_true(mine:multivariate_normal({ 1, 2 }, { { 2, 1 }, { 1, 2 } }, 10):has_shape(10, 2))
  end)

  it("draws when it is called, and its numbers can be part of pending values", function()
    local rng = generator("XORWOW", 31)
    local x, y = rng:random(1000), rng:random(1000)
    local kept = y:totable()
    assert.is_true(x:ne(y):any())
    assert.same(kept, y:totable())
    assert.is_true(math.abs((rng:random(N) + rng:random(N)):mean():item() - 1) < 0.02)
    assert.equal("float16", rng:random(10, "float16").dtype)
    assert.is_true(rng:random(3000, "float16"):lt(1):all())
  end)

  it("works on the current stream", function()
    if ON_CPU then return end
    local plain, turned = generator("XORWOW", 41), generator("XORWOW", 41)
    local want, got = {}, {}
    for k = 1, 6 do want[k] = plain:random(100000) end
    local streams = { cp.cuda.Stream(), cp.cuda.Stream() }
    for k = 1, 6 do streams[k % 2 + 1]:with(function() got[k] = turned:random(100000):eval() end) end
    for k = 1, 6 do assert.is_true(cp.array_equal(want[k], got[k]), k) end
  end)

  it("cannot be captured in a graph", function()
    local rng = generator("XORWOW", 51)
    local ok, message = pcall(cp.cuda.graph, function() return rng:random(10) end)
    assert.is_false(ok)
    local fact = "random.random: cuRAND's generators keep their position on the host, so a graph cannot continue"
    assert.is_truthy(tostring(message):find(fact, 1, true), tostring(message))
    assert.is_true(rng:random(10):lt(1):all())
  end)

  it("may be collected at any time", function()
    for k = 1, 40 do
      local _ = generator(PSEUDO[k % 2 + 1], k):random(10)
      if k % 10 == 0 then collectgarbage() end
    end
    collectgarbage()
    assert.is_true(generator("XORWOW", 1):random(5):lt(1):all())
  end)
end)

describe("a quasi-random sequence", function()
  -- scipy.stats.qmc.Sobol(3, scramble=False).random(8)
  local points = { { 0, 0, 0 }, { 0.5, 0.5, 0.5 }, { 0.75, 0.25, 0.25 }, { 0.25, 0.75, 0.75 }, { 0.375, 0.375, 0.625 },
    { 0.875, 0.875, 0.125 }, { 0.625, 0.125, 0.875 }, { 0.125, 0.625, 0.375 } }

  it("of Sobol's has SciPy's points", function()
    for _, name in ipairs { "Sobol32", "Sobol64" } do
      for _, dtype in ipairs { "float32", "float64" } do
        local rng = generator(name, 3)
        local x = cp.concatenate { rng:random({ 5, 3 }, dtype), rng:random({ 3, 3 }, dtype) }
        assert.is_true(cp.allclose(x, cp.array(points, dtype), 0, 1e-6), name .. dtype)
      end
    end
  end)

  for _, name in ipairs(QUASI) do
    it(name .. " fills the cube evenly", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local x = generator(name, 4):random({ 4096, 4 }, dtype)
        assert.is_true(x:min():item() >= 0 and x:max():item() < 1)
        assert.is_true(cp.abs(x:mean(1) - 0.5):max():item() < 2e-3, "mean")
        for k = 1, 4 do -- each 64th of [0, 1) gets about 64 points
          local counts = cp.bincount(cp.floor(x[{ {}, k }] * 64):astype "int64", { minlength = 64 })
          assert.is_true(counts:min():item() >= 62 and counts:max():item() <= 66, k)
        end
        local product = x[{ {}, 1 }] * x[{ {}, 2 }] * x[{ {}, 3 }] * x[{ {}, 4 }]
        assert.is_true(math.abs(product:mean():item() * 16 - 1) < 0.02, "product")
      end
      local z = generator(name, 1):normal(0, 1, 4096)
      assert.is_true(distance(z, cp.scipy.special.ndtr) < 0.1)
      local n = generator(name, 1):integers(0, 8, 4096)
      assert.is_true(cp.abs(cp.bincount(n) - 512):max():item() <= 2)
    end)
  end
end)

describe("bad input to cuRAND", function()
  local rng = generator("XORWOW", 1)
  -- luacheck: push no max line length
  local cases = {
    { "random.MTGP32: MTGP32 cannot skip: it has no offset", function() local _ = cp.random.MTGP32(1, 5) end },
    { "random.XORWOW: seed must not be negative, but is -1", function() local _ = cp.random.XORWOW(-1) end },
    { "random.XORWOW: offset must be from 0 to ", function() local _ = cp.random.XORWOW(1, -5) end },
    { "random.XORWOW: ordering must be \"default\", \"best\", \"seeded\", \"legacy\" or \"dynamic\", not \"fast\"", function() local _ = cp.random.XORWOW(1, 0, "fast") end },
    { "random.Sobol32: dimensions must be from 1 to 20000, but is 0", function() local _ = cp.random.Sobol32(0) end },
    { "random.random: the last axis of size must be the 3 dimensions of Sobol32", function() local _ = generator("Sobol32", 3):random(9) end, "shape" },
    { "random.gamma: a quasi-random sequence cannot give such numbers", function() local _ = generator("Sobol32", 1):gamma(2, 1, 3) end },
    { "random.bytes: a quasi-random sequence cannot give 64-bit words", function() local _ = generator("Sobol64", 1):bytes(3) end },
    { "random.seed: Sobol64 is a quasi-random sequence, which has no seed", function() cp.random.RandomState(1, "sobol64"):seed(3) end },
    { "random.get_state: cuRAND cannot report the state of XORWOW: a sequence starts again from seed and offset", function() local _ = rng:get_state() end },
    { "random.set_state: cuRAND cannot report the state of XORWOW: a sequence starts again from seed and offset", function() rng:set_state {} end },
    { "random.RandomState: there is no generator 'mersenne'; the generators are Philox4x3210, XORWOW, ", function() local _ = cp.random.RandomState(1, "mersenne") end },
    { "random.RandomState: method must be the name of a generator, not number", function() local _ = cp.random.RandomState(1, 101) end },
    { "random.Generator: bit_generator must be one that cp.random.Philox4x3210, XORWOW", function() local _ = cp.random.Generator(3) end },
    { "random.poisson: lam must not be negative, but is -1", function() local _ = rng:poisson(-1) end },
  }
  -- luacheck: pop
  for _, case in ipairs(cases) do
    it(case[1], function()
      local ok, message = pcall(case[2])
      assert.is_false(ok)
      assert.is_truthy(tostring(message):find("cupola." .. case[1], 1, true), tostring(message))
      assert.equal(case[3] or "usage", cp.last_error().kind)
    end)
  end

  it("names the two devices if they differ", function()
    if ON_CPU then return end
    local mean = cp.cpu.array { 1, 2, 3 }
    local fact = "random.normal: the generator XORWOW is on %s, but its parameters are on cpu"
    check.failure("usage", fact:format(cp.device().name), function() local _ = rng:normal(mean, 1) end)
  end)
end)
