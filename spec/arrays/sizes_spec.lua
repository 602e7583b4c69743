-- Work that devices do differently depending on its size: elementwise operations on few elements, fills, and
-- positions of extremes in long rows. Expected values come from formulas, in Lua.

local cp = require "cupola"

-- Asserts that the 1-d array x has n elements, the k-th of them f(k); complex ones are compared by both
-- parts.
local function assert_elements(n, x, f, what)
  local t = x:totable()
  assert.equal(n, #t, what)
  for k = 1, n do
    local got, want = t[k], f(k)
    if type(got) == "table" or type(got) == "userdata" or type(got) == "cdata" then
      if got.re == want.re and got.im == want.im then want = got end
    end
    if got ~= want then
      error(("%s: element %d is %s for %s"):format(what, k, tostring(got), tostring(want)), 2)
    end
  end
end

-- Around the bounds of the CPU's ways: one element, a vector's length, 1024, a block.
local lengths = { 1, 2, 7, 64, 65, 1023, 1024, 1025, 5000 }

describe("elementwise work on few elements", function()
  local dtypes = { "int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex128" }
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " is that on many", function()
      for _, n in ipairs(lengths) do
        local x = (cp.arange(n) % 10):astype(dtype):eval()
        local y = cp.full({ n }, 3, dtype):eval()
        local z = (x + y) * 2 - x * y
        local function want(k)
          local v = ((k - 1) % 10 + 3) * 2 - (k - 1) % 10 * 3
          if dtype == "uint8" then v = v % 256 end
          return dtype == "complex128" and { re = v, im = 0 } or v
        end
        assert_elements(n, z, want, dtype .. " " .. n)
      end
    end)
  end

  it("writes in place, and reads itself twice", function()
    for _, n in ipairs(lengths) do
      local x = cp.arange(n):eval()
      x:add_(x)
      x:subtract_(1)
      x:assign(x * x + x)
      assert_elements(n, x, function(k) return (2 * k - 3) * (2 * k - 3) + 2 * k - 3 end, n)
    end
  end)

  it("leaves what lies beside it alone", function()
    for _, n in ipairs { 5, 70, 1026, 1027 } do
      local x = cp.zeros({ n }, "float32"):eval()
      local middle = x["2:-2"]
      middle:assign(middle + 1)
      assert_elements(n, x, function(k) return (k == 1 or k == n) and 0 or 1 end, n)
    end
  end)

  it("takes views, broadcasts, bool and mixed dtypes", function()
    for _, n in ipairs { 6, 500, 1024, 1026 } do
      local x, one = cp.arange(n):eval(), cp.full({ 1 }, 5):eval()
      local mask = (x % 2):eq(0):eval()
      local function signed(k) return k % 2 == 1 and k - 1 or 1 - k end
      assert_elements(n, cp.where(mask, x, -x) + one, function(k) return signed(k) + 5 end, n)
      assert_elements(n, x["::-1"] * 2, function(k) return (n - k) * 2 end, n)
      assert_elements(n / 2, x["::2"] + 1, function(k) return 2 * k - 1 end, n)
      assert_elements(n, (x:astype "int16" + x:astype "float32"):astype "int32", function(k) return 2 * k - 2 end, n)
      assert_elements(n, cp.logical_not(mask), function(k) return k % 2 == 0 end, n)
    end
  end)

  it("keeps nan, infinities and the signs of zeros", function()
    local x = cp.array({ 0 / 0, math.huge, -math.huge, -0.0, 0.0 })
    local t = (x * 2):totable()
    assert.is_true(t[1] ~= t[1])
    assert.same({ math.huge, -math.huge }, { t[2], t[3] })
    assert.same({ -math.huge, math.huge }, { 1 / t[4], 1 / t[5] })
  end)

  it("takes long chains of numbers", function()
    for _, n in ipairs { 3, 1024, 1025 } do
      local x, sum = cp.arange(n):eval(), 0
      local z = x
      for k = 1, 20 do
        z = z * 1 + k
        sum = sum + k
      end
      assert_elements(n, z, function(k) return k - 1 + sum end, n)
    end
  end)

  it("of no elements is nothing", function()
    assert.equal(0, (cp.zeros({ 0 }) + 1):eval().size)
    assert.equal(3, (cp.full({}, 1) + 2):item())
  end)
end)

describe("fills", function()
  local values = { bool = true, int8 = -3, int16 = -300, uint32 = 4000000000, int64 = -5, float16 = 0.5, bfloat16 = -2,
    float32 = 0.1, float64 = 0.1, complex64 = 2 }

  for dtype, value in pairs(values) do
    it("of " .. dtype .. " reach every element and no other", function()
      for _, n in ipairs { 2, 3, 5, 11, 1000, 4099, 9001 } do
        local x = cp.zeros({ n }, dtype):eval()
        local zero = x[1]
        if n > 2 then x["2:-2"]:fill(value) end
        local v = cp.array({ value }, dtype)[1] -- as the dtype holds it
        local function want(k)
          if k == 1 or k == n then return zero end
          return v
        end
        assert_elements(n, x, want, dtype .. " " .. n)
      end
    end)
  end

  it("of complex numbers with two parts", function()
    for _, dtype in ipairs { "complex64", "complex128" } do
      local value = cp.array({ 3 }, dtype) + cp.array({ 4 }, dtype) * cp.sqrt(cp.array({ -1 }, dtype))
      local x = cp.zeros({ 3001 }, dtype):eval()
      x:fill(value[1])
      assert.equal(3 * 3001, cp.real(x):sum():item())
      assert.equal(4 * 3001, cp.imag(x):sum():item())
    end
  end)

  it("of large arrays, shared by threads", function()
    local x = cp.zeros({ 3, 200001 }, "float32"):eval()
    x:fill(7)
    assert.same({ 7, 7, true }, { x:min():item(), x:max():item(), x[{ 3, -1 }] == 7 })
    x["2"]:fill(-0.0)
    assert.equal(-math.huge, 1 / x[{ 2, 200001 }])
    assert.same({ 7, 7 }, { x[{ 1, 200001 }], x[{ 3, 1 }] })
    x:fill(0 / 0)
    assert.equal(600003, cp.isnan(x):sum():item())
  end)
end)

describe("positions of extremes", function()
  local function positions(x) return { x:argmax():item(), x:argmin():item() } end

  for _, dtype in ipairs { "int8", "uint16", "int32", "float32", "float64" } do
    it("of " .. dtype .. " are found wherever they are, the first of equals", function()
      for _, n in ipairs { 1, 127, 130, 2047, 2048, 2049, 16383, 16384, 16385, 40000 } do
        local x = cp.full({ n }, 5, dtype):eval()
        assert.same({ 1, 1 }, positions(x), n)
        for _, at in ipairs { 1, 2, 128, 256, 257, 1024, 2048, 2049, 4097, 16256, 16384, 16385, 32769, n } do
          if at <= n then
            x[at] = 9
            x[n] = 9
            assert.equal(at, x:argmax():item(), ("%d of %d"):format(at, n))
            x[at] = 1
            x[n] = 1
            assert.equal(at, x:argmin():item(), ("%d of %d"):format(at, n))
            x[at], x[n] = 5, 5
          end
        end
      end
    end)
  end

  it("are those of the first nan", function()
    for _, n in ipairs { 130, 5000, 20000 } do
      local x = cp.arange(n, "float32"):eval()
      for _, at in ipairs { 1, 129, 2049, 4500, 16385, n } do
        if at <= n then
          x[at], x[n] = 0 / 0, 0 / 0
          assert.same({ at, at }, positions(x), ("%d of %d"):format(at, n))
          x[at], x[n] = at - 1, n - 1
        end
      end
    end
  end)

  it("among infinities and zeros of both signs", function()
    local x = cp.full({ 3000 }, -math.huge):eval()
    assert.same({ 1, 1 }, positions(x))
    x[2999] = -1e308
    assert.same({ 2999, 1 }, positions(x))
    local zeros = cp.zeros({ 3000 }):eval()
    zeros[1] = -0.0
    assert.same({ 1, 1 }, positions(zeros))
  end)

  it("along axes and over reversed and strided views", function()
    local x = cp.zeros({ 3, 5000 }, "float32"):eval()
    x[{ 1, 4000 }], x[{ 2, 17 }], x[{ 2, 4999 }], x[{ 3, 5000 }] = 1, 2, 2, 3
    assert.same({ 4000, 17, 5000 }, x:argmax(2):totable())
    assert.same({ 1001, 2, 1 }, x["::, ::-1"]:argmax(2):totable())
    assert.equal(15000, x:argmax():item())
    assert.equal(1, x["::-1, ::-1"]:argmax():item())
    assert.equal(15000, x.T:copy("C").T:argmax():item())
  end)
end)
