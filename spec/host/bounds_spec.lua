-- Numbers that ask for unreasonable amounts of work are rejected at once, or cause only as much work as there
-- is.

local cp = require "cupola"
local signal, special, ndimage, linalg = cp.scipy.signal, cp.scipy.special, cp.scipy.ndimage, cp.scipy.linalg

local x = cp.arange(10)

-- pcall of f, which fails after two seconds of the processor's time (hooks are called between lines).
local function soon(f)
  local limit = os.clock() + 2
  debug.sethook(function() if os.clock() > limit then error("still at work after 2 s", 0) end end, "l")
  local ok, result = pcall(f)
  debug.sethook()
  return ok, result
end

local function nested(depth)
  local t = { 1 }
  for _ = 1, depth do t = { t } end
  return t
end

local REFUSED = {
  { "scipy.special.multigammaln: d must be from 1 to 100000, but is 1099511627776",
    function() return special.multigammaln(3, 2 ^ 40) end },
  { "diag_indices: ndim must be from 0 to 32, but is 1099511627776", function() return cp.diag_indices(2, 2 ^ 40) end },
  { "polyint: m must be from 0 to 10000, but is 2147483648", function() return cp.polyint({ 1, 2 }, 2 ^ 31) end },
  { "polyfit: deg must be from 0 to 10000, but is 30000000", function() return cp.polyfit(x, x, 3e7) end },
  { "scipy.ndimage.gaussian_filter1d: order must be from 0 to 1000, but is 100000",
    function() return ndimage.gaussian_filter1d(cp.ones(10), 2, { order = 1e5 }) end },
  { "scipy.ndimage.gaussian_filter: order must be from 0 to 1000, but is -1",
    function() return ndimage.gaussian_filter(cp.ones(10), 2, { order = -1 }) end },
  { "scipy.signal.firwin: numtaps must be from 1 to 100000000, but is 2147483647",
    function() return signal.firwin(2 ^ 31 - 1, 0.5) end },
  { "scipy.signal.resample_poly: numtaps must be from 1 to 100000000, but is 42949672941",
    function() return signal.resample_poly(cp.ones(9), 2 ^ 31 - 1, 1) end },
  { "scipy.signal.savgol_coeffs: a polynomial of order 50000 through 100001 samples is too much work",
    function() return signal.savgol_coeffs(1e5 + 1, 5e4) end },
  { "scipy.signal.windows.taylor: nbar must be from 1 to 1000, but is 100000000",
    function() return signal.windows.taylor(1000, 1e8) end },
  { "block: tables are nested more than 32 deep", function() return cp.block(nested(20000)) end },
  { "array_split: 1099511627776 parts of an axis of length 10 are too many",
    function() return cp.array_split(x, 2 ^ 40) end },
  { "split: 2147483648 parts of an axis of length 0 are too many",
    function() return cp.split(cp.zeros(0), 2 ^ 31) end },
  { "scipy.linalg.hadamard: ", function() return linalg.hadamard(2 ^ 31) end }, -- there is no such memory
}

describe("work for a number", function()
  it("is no more than there are elements", function()
    assert.same({ 0 }, select(2, soon(function() return { cp.diff(x, 2 ^ 40).size } end)))
    assert.equal(0, cp.diff(x, 10).size)
    assert.same({ 0 }, cp.diff(cp.array { 1, 4, 9, 16 }, 3):totable()) -- of squares
  end)

  for _, case in ipairs(REFUSED) do
    it("is refused beyond what can be meant: " .. case[1], function()
      local ok, message = soon(case[2])
      assert.is_false(ok)
      assert.truthy(tostring(message):find("cupola." .. case[1], 1, true), message)
    end)
  end

  it("is done where it may be meant", function()
    assert.equal(20, #cp.array_split(x, 20))
    assert.same({ { 1, 1, 1, 1 }, { 1, -1, 1, -1 }, { 1, 1, -1, -1 }, { 1, -1, -1, 1 } }, linalg.hadamard(4):totable())
    assert.same({ { 1 } }, linalg.hadamard(1):totable())
    assert.near(1, signal.firwin(1001, 0.5):sum():item(), 1e-12)
    assert.is_true(cp.block(nested(3)):has_shape(1, 1, 1, 1))
    local t = cp.arange(30000) / 1e4
    local cubic = t * t * t - t
    local ok, y = soon(function() return signal.savgol_filter(cubic, 19999, 3) end)
    assert.is_true(ok and cp.allclose(y, cubic, 0, 1e-9), tostring(y))
    ok, y = soon(function() return signal.savgol_coeffs(1e6 + 1, 2):sum():item() end)
    assert.is_true(ok and math.abs(y - 1) < 1e-9, tostring(y))
    ok, y = soon(function() return ndimage.gaussian_filter1d(cp.ones(3), 2e5) end)
    assert.is_true(ok and cp.allclose(y, 1), tostring(y))
  end)
end)
