-- cp.scipy.special against mpmath and SciPy (spec/golden/operations/special.py).

local cp = require "cupola"
local here = debug.getinfo(1, "S").source:match "^@(.*)scipy/special_spec%.lua$" or "spec/"
local golden = dofile(here .. "golden/operations/special.lua")
local check = require "spec.helper.check"
local special = cp.scipy.special
local unpack = table.unpack or unpack -- luacheck: ignore

-- Functions whose error is measured in units of 1 if their value is smaller than that.
local ABSOLUTE = { j0 = true, j1 = true, y0 = true, y1 = true, jn = true, yn = true, digamma = true,
  gammaln = true, logit = true, betaln = true }
-- The allowed error in units in the last place; 8 for all others.
local ULP = { gammainc = 16, gammaincc = 16, betainc = 32, binom = 32, pdtr = 16, bdtr = 32, fdtr = 32, stdtr = 32,
  jn = 16, yn = 16, betaln = 32, beta = 64, kl_div = 40, log_ndtr = 40, gammaln = 16 }

local function close(name, got, want, epsilon)
  if want ~= want then return true end -- float32 cannot hold it
  if got == want then return true end
  local size = math.abs(want)
  if ABSOLUTE[name] then size = math.max(1, size) end
  return math.abs(got - want) <= (ULP[name] or 8) * epsilon * size
end

local function compare(name, got, x, want, epsilon)
  for k, w in ipairs(want) do
    assert.is_true(close(name, got[k], w, epsilon), ("%s(%.17g) is %.17g, not %.17g"):format(name, x[k], got[k], w))
  end
end

describe("cp.scipy.special", function()
  -- The expected float32 value where w is exact: infinity if w is too large, and any value as small if w is
  -- subnormal.
  local function in_float32(w, got)
    if math.abs(w) > 3.4e38 then return w > 0 and math.huge or -math.huge end
    return math.abs(w) < 1e-37 and math.abs(got) < 1.1e-37 and got or w
  end

  for name, case in pairs(golden.one) do
    it(name, function()
      compare(name, special[name](cp.array(case[1])):totable(), case[1], case[2], 2 ^ -52)
    end)
    if name ~= "log_ndtr" then
      it(name .. " of float32", function()
        local x = cp.array(case[1], "float32")
        local y = special[name](x)
        assert.equal("float32", y.dtype)
        local got, want = y:totable(), {}
        for k, w in ipairs(case[3]) do want[k] = in_float32(w, got[k]) end
        compare(name, got, case[1], want, 2 ^ -23)
      end)
    end
  end

  for name, case in pairs(golden.two) do
    it(name, function()
      compare(name, special[name](cp.array(case[1]), cp.array(case[2])):totable(), case[1], case[3], 2 ^ -52)
    end)
  end

  -- The arguments of a case as arrays of the dtype; its last rows are results.
  local function case_of(case, dtype, results)
    local arrays = {}
    for k = 1, #case - results do arrays[k] = cp.array(case[k], dtype) end
    return arrays
  end

  for name, case in pairs(golden.several) do
    local first = case[#case - 2] -- the last argument, for messages
    it(name .. " of float32 and float64", function()
      for dtype, at in pairs { float64 = 1, float32 = 0 } do
        local y = special[name](unpack(case_of(case, dtype, 2)))
        assert.equal(dtype, y.dtype)
        local got, want, epsilon = y:totable(), {}, dtype == "float64" and 2 ^ -52 or 2 ^ -23
        for k, w in ipairs(case[#case - at]) do
          want[k] = dtype == "float32" and in_float32(w, got[k]) or w
        end
        compare(name, got, first, want, epsilon)
      end
    end)
  end

  for name, case in pairs(golden.complex) do
    it(name .. " of complex values", function()
      local z = cp.array(case[1]) + cp.j * cp.array(case[2])
      local want = cp.array(case[3]) + cp.j * cp.array(case[4])
      local got = special[name](z)
      assert.equal("complex128", got.dtype)
      local off = (cp.abs(got - want) / cp.abs(want)):totable()
      for k, v in ipairs(off) do
        assert.is_true(v < 5e-13, ("%s(%.17g, %.17g) is off by %.3g"):format(name, case[1][k], case[2][k], v))
      end
      local single = special[name](z:astype("complex64"))
      assert.equal("complex64", single.dtype)
      local exact = cp.logical_and(cp.abs(want):lt(1e30), cp.abs(want):gt(1e-30))
      exact = cp.logical_and(exact, cp.abs(z):lt(100)) -- else the rounding of z matters
      assert.is_true(single[exact]:allclose(special[name](z[exact]:astype("complex64"):astype("complex128")), 2e-7, 0))
      assert.is_true(cp.array_equal(special[name](z:reshape(-1, 1).T), got:reshape(1, -1)))
      assert.equal(got[1], special[name](z[1]))
    end)
  end

  for name, case in pairs(golden.edges) do
    it(name .. " at the edges of its domain", function()
      local got, want = special[name](unpack(case_of(case, "float64", 1))):totable(), case[#case]
      for k, w in ipairs(want) do
        local v, told = got[k], {}
        for a = 1, #case - 1 do told[a] = tostring(case[a][k]) end
        local same = v == w or (v ~= v and w ~= w) or math.abs(v - w) <= 1e-13 * math.abs(w)
        assert.is_true(same, ("%s(%s) is %.17g, not %.17g"):format(name, table.concat(told, ", "), v, w))
      end
    end)
  end

  it("has betaln near its zeros, where B(a, b) is 1", function()
    local a = { 1.0001, 1e-3, 0.5, 0.5367550644795549, 3429.50667783436, 0.461569549380821 }
    local b = { 1, 1, 1, 2.768990824471495, 0.1923506526297602, 4.401888854378188 }
    local want = { -9.9995000333297322e-05, 6.9077552789821371, 0.69314718055994529, 0.0011916141362873509,
      -0.0004353669557376211, -0.004174270550305854 }
    compare("betaln", special.betaln(cp.array(a), cp.array(b)):totable(), a, want, 2 ^ -52)
  end)

  it("satisfies identities between its functions", function()
    local a, x = cp.array { 0.3, 1, 4, 30, 500 }, cp.array { 0.01, 1.2, 5, 28, 620 }
    assert.is_true(cp.allclose(special.gammainc(a, x) + special.gammaincc(a, x), 1, 1e-15, 0))
    assert.is_true(cp.allclose(special.gammaincc(1, x), cp.exp(-x), 1e-14, 0))
    assert.is_true(cp.allclose(special.gammainc(0.5, cp.square(x)), special.erf(x), 1e-14, 0))
    local p = cp.linspace(0.05, 0.95, 19)
    assert.is_true(cp.allclose(special.betainc(3, 1, p), p ^ 3, 1e-14, 0))
    assert.is_true(cp.allclose(special.betainc(2, 5, p) + special.betainc(5, 2, 1 - p), 1, 1e-14, 0))
    assert.is_true(cp.allclose(special.stdtr(1, x), 0.5 + cp.arctan(x) / math.pi, 1e-14, 0))
    assert.is_true(cp.allclose(special.erfcx(p), cp.exp(p * p) * special.erfc(p), 1e-14, 0))
    assert.is_true(cp.array_equal(special.exp1(x), -special.expi(-x)))
    assert.equal(126410606437752, special.binom(50, 25))
    local j = special.jn(cp.array { 0, 1 }, 3.5):totable()
    assert.same({ special.j0(3.5), special.j1(3.5) }, j)
  end)

  -- Written by special.py: what SciPy's functions give.
  it("has results of SciPy's dtypes for all pairs of real dtypes", function()
    local types, letters, wrong = dofile(here .. "golden/operations/special_types.lua"), {}, {}
    for letter, name in pairs { e = "float16", f = "float32", d = "float64" } do letters[name] = letter end
    for name, words in pairs(types) do
      for i, first in ipairs(name ~= "dtypes" and types.dtypes or {}) do
        local a, three = cp.ones(1, first), name == "betainc" or name == "bdtr" or name == "fdtr"
        if #words == 1 then
          local got = letters[special[name](a).dtype]
          if got ~= words[1]:sub(i, i) then wrong[#wrong + 1] = ("%s(%s): %s"):format(name, first, got) end
        end
        for k, other in ipairs(#words > 1 and types.dtypes or {}) do
          local b = cp.ones(1, other)
          local got = letters[special[name](a, b, three and b or nil).dtype]
          if got ~= words[i]:sub(k, k) then
            wrong[#wrong + 1] = ("%s(%s, %s): %s"):format(name, first, other, got)
          end
        end
      end
    end
    assert.equal("", table.concat(wrong, "\n"))
  end)

  it("gives integers float64 as NumPy's sinc and i0 do", function()
    for _, name in ipairs { "sinc", "i0" } do
      for _, dtype in ipairs { "bool", "int8", "uint16", "int32", "uint64" } do
        assert.equal("float64", cp[name](cp.ones(2, dtype)).dtype)
      end
      for _, dtype in ipairs { "float16", "float32", "float64" } do
        assert.equal(dtype, cp[name](cp.ones(2, dtype)).dtype)
      end
    end
  end)

  it("gives numbers the dtype of the arrays, and computes half types in float32", function()
    local x = cp.array({ 0.25, 0.5 }, "float32")
    assert.equal("float32", special.betainc(2, 3.5, x).dtype)
    assert.equal("float32", special.xlogy(2, x).dtype)
    assert.equal("float64", special.stdtr(cp.array({ 3 }, "int64"), x).dtype)
    for _, dtype in ipairs { "float16", "bfloat16" } do
      local y = special.betainc(2, 3.5, x:astype(dtype))
      assert.equal("float32", y.dtype)
      assert.is_true(cp.allclose(y, special.betainc(2, 3.5, x), 1e-2, 0))
    end
    local out = cp.empty(2, "float32")
    assert.equal(out, special.pdtr(1, x, { out = out }))
    check.failure("dtype", "scipy.special.betainc: is not defined for complex64",
      function() special.betainc(1, 2, cp.zeros(2, "complex64")) end)
    check.failure("dtype", "scipy.special.gammainc: is not defined for complex64",
      function() special.gammainc(1, cp.zeros(2, "complex64")) end)
  end)

  it("keeps infinities and nan apart", function()
    local function at(name, ...) return special[name](...) end
    for _, name in ipairs { "j0", "j1", "y0", "y1", "i0", "i0e", "i1", "i1e", "erfinv", "erfcinv", "ndtr", "ndtri",
      "digamma", "expit", "log_expit", "logit", "entr", "log_ndtr" } do
      local v = at(name, cp.nan)
      assert.is_true(v ~= v, name)
    end
    for _, name in ipairs { "j0", "j1", "y0", "y1", "i0e", "i1e" } do assert.equal(0, at(name, math.huge)) end
    for _, name in ipairs { "i0", "i1", "digamma" } do assert.equal(math.huge, at(name, math.huge)) end
    assert.equal(-math.huge, at("y0", 0))
    assert.equal(-math.huge, at("y1", 0))
    assert.is_true(at("y0", -1) ~= at("y0", -1))
    assert.equal(1, at("j0", 0))
    assert.equal(math.huge, at("erfinv", 1))
    assert.equal(-math.huge, at("erfcinv", 2))
    assert.equal(-math.huge, at("ndtri", 0))
    assert.equal(math.huge, at("ndtri", 1))
    assert.is_true(at("erfinv", 1.5) ~= at("erfinv", 1.5))
    assert.equal(math.huge, at("zeta", 1))
    assert.equal(math.huge, at("zeta", 2, 0))
    assert.equal(-math.huge, at("entr", -1))
    assert.equal(math.huge, at("rel_entr", -1, 2))
    assert.equal(0, at("xlogy", 0, 0))
    assert.is_true(at("xlogy", 0, cp.nan) ~= at("xlogy", 0, cp.nan))
    assert.is_true(at("digamma", -3) ~= at("digamma", -3))
    for _, name in ipairs { "exp10", "cosm1", "exprel", "rgamma" } do
      assert.is_true(at(name, cp.nan) ~= at(name, cp.nan), name)
    end
    for _, name in ipairs { "boxcox", "inv_boxcox", "huber", "polygamma", "pdtr", "jn" } do
      assert.is_true(at(name, 1, cp.nan) ~= at(name, 1, cp.nan), name)
      assert.is_true(at(name, cp.nan, 1) ~= at(name, cp.nan, 1), name)
    end
    assert.same({ 0, math.huge }, special.exp10(cp.array { -math.huge, math.huge }):totable())
    assert.same({ 0, math.huge, 1 }, special.exprel(cp.array { -math.huge, math.huge, 0 }):totable())
    assert.same({ 0, 0, 0, 1 }, special.rgamma(cp.array { 0, -1, -20, 1 }):totable())
    assert.same({ -0.5, -math.huge }, special.boxcox(cp.array { 0, 0 }, cp.array { 2, 0 }):totable())
    assert.is_true(at("boxcox", -1, 2) ~= at("boxcox", -1, 2))
    assert.equal(math.huge, at("huber", -1, 0))
  end)

  it("has digamma of large complex values, and logsumexp in the wider dtype", function()
    local z = cp.array { cp.complex(-1000.7, 1e-3), cp.complex(-1e6 - 0.25, 1e-6), cp.complex(1e300, 1e299) }
    local want = cp.array { cp.complex(4.6264883509881532, 0.015078286732678329), -- of mpmath
      cp.complex(16.957103961491815, 1.9739207801919709e-5), cp.complex(690.78050306364029, 0.099668652491162027) }
    assert.is_true(cp.allclose(special.digamma(z), want, { rtol = 1e-11, atol = 0 }))
    assert.is_true(cp.allclose(special.digamma(cp.conj(z)), cp.conj(want), { rtol = 1e-11, atol = 0 }))
    local sum = special.logsumexp(cp.array { 2, 1, dtype = "float32" }, { b = cp.array { 1, -1 } })
    assert.equal("float64", sum.dtype)
    assert.near(math.log(math.exp(2) - math.exp(1)), sum:item(), 1e-14)
  end)

  -- Loops compute most elements in vectors, and the others by another function: an element's neighbours must
  -- not matter.
  local mixed = {}
  for k = 1, 200 do mixed[k] = (k * 0.6180339887498949 % 1) * (k % 3 == 0 and 400 or 2) - (k % 5 == 0 and 200 or 0) end
  for k, v in ipairs { 0, 1, 2, -3, cp.inf, -cp.inf, cp.nan, 1e-5, 2 - 1e-5, 1e-30, -1e-300, 0.5, 171.55, -170.25 } do
    mixed[13 * k] = v
  end

  for _, name in ipairs { "gamma", "erfinv", "erfcinv", "ndtr", "ndtri", "zeta" } do
    it("gives an element of " .. name .. " whatever its neighbours are", function()
      for _, dtype in ipairs { "float32", "float64" } do
        local x = cp.array(mixed, dtype)
        local all, one = special[name](x, name == "zeta" and x[{ { 200, 1, -1 } }] or nil), cp.empty(200, dtype)
        for k = 1, 200 do
          local at = { { k, k } }
          one[at] = special[name](x[at], name == "zeta" and x[{ { 201 - k, 201 - k } }] or nil)
        end
        assert.is_true(cp.array_equal(all, one, true))
      end
    end)
  end

  it("gives an element of zeta without q whatever its neighbours are", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = cp.array(mixed, dtype)
      local all, one = special.zeta(x), cp.empty(200, dtype)
      for k = 1, 200 do one[{ { k, k } }] = special.zeta(x[{ { k, k } }]) end
      assert.is_true(cp.array_equal(all, one, true))
      local above = cp.isfinite(x):logical_and(x:gt(1))
      assert.is_true(cp.array_equal(all[above], special.zeta(x[above], 1)))
    end
  end)

  it("gives factorials, on the CPU exact ones", function()
    local n = cp.arange(1, 20)
    local exact = cp.concatenate { cp.ones(1), cp.cumprod(n[{ { 1, -2 } }]) }
    -- A GPU's gamma is CUDA's, within 10 units of the last place, or 5 in float32.
    local function agree(found, expected, rtol)
      if cp.device().kind == "cpu" then return cp.array_equal(found, expected) end
      return cp.allclose(found, expected, rtol, 0)
    end
    assert.is_true(agree(special.gamma(n), exact, 2.3e-15))
    assert.is_true(agree(special.gamma(n:astype "float32")[{ { 1, 11 } }], exact[{ { 1, 11 } }]:astype "float32", 6e-7))
  end)

  local function agrees(x, want, rtol) assert.is_true(x:allclose(want, { rtol = rtol, atol = 0, equal_nan = true })) end

  it("gives exponential integrals of complex values the side of the cut that they lie on", function()
    local z = cp.array { cp.complex(-1, 0.0), cp.complex(-1, -0.0), cp.complex(2, 0.0), cp.complex(-50, -0.0),
      cp.complex(0, 0) }
    local one, ei = special.exp1(z), special.expi(z)
    local E1, Ei, E50, E2 = 0.21938393439552029, 1.8951178163559368, 1.0585636897131691e20, 4.8900510708061125e-2
    agrees(one.real, { -Ei, -Ei, E2, -E50, cp.inf }, 1e-15)
    agrees(one.imag, { -cp.pi, cp.pi, 0, cp.pi, 0 }, 1e-15)
    agrees(ei.real, { -E1, -E1, 4.9542343560018907, -3.7832640295504590e-24, -cp.inf }, 1e-15)
    agrees(ei.imag, { 0, 0, 0, 0, 0 }, 0)
  end)

  it("gives Riemann's zeta function of complex values on the real axis, and Hurwitz's there only", function()
    local z = cp.array { cp.complex(2, 0), cp.complex(-2, 0), cp.complex(1, 0), cp.complex(3, 4) }
    local r = special.zeta(z)
    agrees(r.real, { cp.pi ^ 2 / 6, 0, cp.inf, 0.8905549069650738 }, 1e-14)
    agrees(special.zeta(z, 2).real, { cp.pi ^ 2 / 6 - 1, cp.nan, cp.inf, cp.nan }, 1e-14)
    agrees(special.zeta(z, 1).imag, { 0, 0, 0, -0.00807594542432726 }, 1e-13)
    check.failure("dtype", "scipy.special.zeta: takes no complex q", function() special.zeta(2, cp.j) return 1 end)
    assert.is_true(cp.isnan(special.zeta(-cp.inf)) and special.zeta(-1000) == 0)
    assert.is_true(cp.isinf(special.zeta(-300.5)) and cp.isinf(special.zeta(-9999.5)))
  end)

  it("gives zeta its limits, and satisfies its recurrence", function()
    assert.equal(0, special.zeta(cp.inf, 2))
    assert.equal(1, special.zeta(cp.inf, 1))
    assert.equal(math.huge, special.zeta(cp.inf, 0.5))
    assert.equal(0, special.zeta(2, cp.inf))
    assert.is_true(math.abs(special.zeta(1000, 1.5) / 1.5 ^ -1000 - 1) < 1e-13)
    assert.is_true(math.abs(special.zeta(3, -0.5) - (special.zeta(3, 0.5) - 8)) < 1e-14)
  end)

  it("has the logarithm of the gamma function of several dimensions", function()
    local a = cp.array { 1.5, 3, 12.25 }
    local log_pi = math.log(math.pi)
    assert.is_true(cp.allclose(special.multigammaln(a, 1), special.gammaln(a), 1e-15, 0))
    assert.is_true(cp.allclose(special.multigammaln(a, 2), 0.5 * log_pi + special.gammaln(a) + special.gammaln(a - 0.5),
      1e-14, 0))
    assert.is_true(math.abs(special.multigammaln(2, 3) - (2 * log_pi - math.log(2))) < 1e-13)
    for _, dtype in ipairs { "int8", "float16", "float32" } do
      assert.equal("float64", special.multigammaln(cp.array({ 4, 5 }, dtype), 3).dtype)
    end
    assert.is_true(cp.isnan(special.multigammaln(cp.array { 1, 0.5 }, 3)):all())
    check.failure("usage", "scipy.special.multigammaln: d must be from 1 to 100000, but is 0",
      function() special.multigammaln(a, 0) end)
    check.failure("usage", "scipy.special.multigammaln: d must be a whole number",
      function() special.multigammaln(a, 1.5) end)
    check.failure("dtype", "scipy.special.multigammaln: is not defined for complex64",
      function() special.multigammaln(cp.zeros(2, "complex64"), 2) end)
  end)

  it("has logsumexp, softmax and log_softmax along axes", function()
    local x = cp.array { { 1, 2, 3 }, { 1000, 1000, -1000 } }
    local want = { 3.4076059644443804, 1000.6931471805599 }
    for k, v in ipairs(special.logsumexp(x, 2):totable()) do assert.is_true(math.abs(v - want[k]) < 1e-12 * want[k]) end
    assert.is_true(special.logsumexp(x, 2, { keepdims = true }):has_shape(2, 1))
    assert.is_true(math.abs(special.logsumexp(x):item() - 1000.6931471805599) < 1e-9)
    assert.equal(-math.huge, special.logsumexp(cp.array { -cp.inf, -cp.inf }):item())
    assert.equal(math.huge, special.logsumexp(cp.array { 1, cp.inf }):item())
    assert.equal(-math.huge, special.logsumexp(cp.zeros(0)):item())
    assert.is_true(special.logsumexp(cp.zeros { 3, 0 }, 1):has_shape(0))
    local v, sign = special.logsumexp(cp.array { 1, 2 }, { b = cp.array { 1, -1 }, return_sign = true })
    assert.is_true(sign:item() == -1 and math.abs(v:item() - 1.5413248546129181) < 1e-12)
    local shares = { { 0.09003057317038046, 0.24472847105479767, 0.6652409557748219 }, { 0.5, 0.5, 0 } }
    assert.is_true(cp.allclose(special.softmax(x, 2), shares, 1e-13, 0))
    assert.is_true(cp.allclose(special.softmax(x):sum(), 1))
    assert.is_true(cp.allclose(special.log_softmax(x, 2)[1], { -2.4076059644443806, -1.4076059644443806,
      -0.4076059644443806 }, 1e-13, 0))
    assert.is_true(special.softmax(cp.zeros({ 2, 3 }, "float32"), 1).dtype == "float32")
  end)

  it("takes numbers, tables, integers, views and out", function()
    assert.equal("number", type(special.expit(0)))
    assert.equal(0.5, special.expit(0))
    assert.equal(0.5, special.ndtr(0))
    assert.equal("float64", special.expit(cp.array({ 1, 2 }, "int64")).dtype)
    local x = cp.linspace(0, 5, 20):reshape { 4, 5 }
    assert.is_true(cp.array_equal(special.j0(x.T), special.j0(x).T))
    assert.is_true(special.j0(cp.zeros { 0, 3 }):has_shape(0, 3))
    local out = cp.empty { 4, 5 }
    assert.equal(out, special.expit(x, { out = out }))
    assert.is_true(cp.array_equal(out, special.expit(x)))
    assert.equal(out, special.erf(x, { out = out }))
    assert.equal(out, special.gammainc(2, x, out))
    assert.is_true(cp.array_equal(out, special.gammainc { a = 2, x = x }))
    check.failure("usage", "scipy.special.beta: b is missing", function() special.beta(1) end)
    assert.is_true(cp.array_equal(cp.i0(x), special.i0(x)))
    assert.equal("float64", special.i0(cp.ones(3, "float16")).dtype)
    assert.equal("float32", special.i0(cp.ones(3, "bfloat16")).dtype)
    check.failure("dtype", "scipy.special.expit: is not defined for complex128",
      function() local _ = special.expit(cp.zeros(2, "complex128")) end)
    check.failure("dtype", "scipy.special.j0: is not defined for complex128",
      function() local _ = special.j0(cp.zeros(2, "complex128")) end)
  end)
end)
