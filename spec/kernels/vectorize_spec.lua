-- cp.vectorize: equal to the array form bit for bit, one trace for each combination of dtypes, numbers,
-- several results, dtypes of results; and what cannot be traced, with the advice for each.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local fusion = require "spec.helper.fusion"

local function numbers(shape, dtype)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  return ((cp.arange(n) * 37 % 101) / 25 - 2):astype(dtype):reshape(shape):eval()
end

-- Functions of one or two numbers that are written alike for arrays.
local FUNCTIONS = {
  { "a polynomial", function(x) return 3 * x ^ 3 - 2 * x ^ 2 + x / 7 - 1 end },
  { "functions of cp", function(x, y) return cp.exp(-x * x) * cp.cos(y) + cp.sqrt(cp.abs(x)) end },
  { "a choice", function(x, y) return cp.where(x:lt(y), x * 2, cp.where(x:eq(y), 0, y - x)) end },
  { "methods", function(x, y) return x:maximum(y):tanh() + y:abs():log1p() end },
  { "a loop", function(x)
    local z = x
    for _ = 1, 40 do z = z * z / 4 + x / 2 end
    return z
  end },
  { "clip and rounding", function(x) return cp.clip(x, -1, 1) + cp.rint(x * 10) / 10 end },
  { "whole division", function(x, y) return cp.floor_divide(x, y + 5) + cp.remainder(x, 3) end },
  { "a number", function() return 7 end },
}

describe("a vectorized function", function()
  for _, row in ipairs(FUNCTIONS) do
    local what, f = row[1], row[2]

    it("of " .. what .. " is equal to the array form", function()
      local v = cp.vectorize(f)
      for _, dtype in ipairs { "float32", "float64", "float16", "int32" } do
        local x, y = numbers({ 7, 30 }, dtype), numbers({ 30 }, dtype)
        local got, want = v(x, y), f(x, y)
        assert.is_true(got:has_shape(7, 30))
        if type(want) == "number" then want = cp.full({ 7, 30 }, want) end
        if not want:has_shape(7, 30) then want = cp.broadcast_to(want, { 7, 30 }) end
        assert.equal(want.dtype, got.dtype)
        local differ = got:ne(want):logical_and(got:eq(got):logical_or(want:eq(want)))
        assert.is_false(differ:any(), what .. " of " .. dtype)
      end
      assert.equal(4, v.traces)
    end)
  end

  it("works on complex numbers and booleans", function()
    local v = cp.vectorize(function(z, c) return z * z + c end)
    local z = numbers({ 40 }, "complex64") + cp.j * 0.5
    assert.is_true(v(z, z) == z * z + z)
    local both = cp.vectorize(function(a, b) return a:logical_and(b), cp.where(a, 1, 0) end)
    local a, b = numbers({ 9 }, "float32"):gt(0), numbers({ 9 }, "float32"):lt(1)
    local yes, one = both(a, b)
    assert.is_true(yes == a:logical_and(b))
    assert.is_true(one == cp.where(a, 1, 0))
  end)

  it("broadcasts arrays of any layout, empty and 0-d ones", function()
    local v = cp.vectorize(function(x, y) return x - 2 * y end)
    for name, x in pairs(expect.layouts "float32") do
      assert.is_true(v(x, x.T:copy().T) == x - 2 * x, name)
    end
    assert.is_true(v(cp.zeros { 0, 3 }, cp.ones(3)):has_shape(0, 3))
    local zero = v(cp.full({}, 5), cp.full({}, 1))
    assert.equal(0, zero.ndim)
    assert.equal(3, zero:item())
    assert.same({ { -1, -3 }, { 0, -2 }, { 1, -1 } }, v({ { 1 }, { 2 }, { 3 } }, { 1, 2 }):totable())
    local special = v(cp.array { cp.nan, cp.inf }, 1):totable()
    assert.is_true(special[1] ~= special[1] and special[2] == math.huge)
    local large = cp.arange(300000):astype "float32"
    assert.is_true(v(large, large["::-1"]) == large - 2 * large["::-1"])
  end)

  it("is traced once for each choice of dtypes", function()
    local calls = 0
    local v = cp.vectorize(function(x, y)
      calls = calls + 1
      return x * y
    end, { name = "product" })
    local x = cp.ones(3, "float32")
    v(x, 2)
    v(x, 2.5)
    v(x + 1, x)
    v(cp.ones({ 4, 4 }, "float32"), -7)
    assert.equal(1, calls)
    v(x, cp.ones(3, "int32"))
    v(cp.ones(3, "int32"), x)
    assert.equal(3, calls)
    assert.equal(3, v.traces)
    assert.equal("product", v.name)
    assert.equal("vectorized function product", tostring(v))
  end)

  it("takes numbers, which get the dtype that they have beside arrays", function()
    local v = cp.vectorize(function(x, k) return x * k end)
    assert.equal("float32", v(cp.ones(2, "float32"), 2.5).dtype)
    assert.equal("int8", v(cp.ones(2, "int8"), 2).dtype)
    assert.equal("float64", v(cp.ones(2, "int8"), 2.5).dtype)
    assert.equal("complex64", v(cp.ones(2, "float32"), cp.j).dtype)
    assert.equal("float64", v(cp.ones(2, "float32"), cp.scalar(2, "float64")).dtype)
    assert.equal("int64", v(cp.ones(2, "bool"), 3).dtype)
    check.failure("dtype", "vectorize: 300 does not fit int8", function() v(cp.ones(2, "int8"), 300) end)
    assert.same({ 5, 5 }, v(2.5, { 2, 2 }):totable())
    assert.equal(6, v(2, 3))
    assert.equal(0.5, cp.vectorize(function(x) return 1 / x end)(2))
  end)

  it("gives several results, and numbers in the shape of the arguments", function()
    local v = cp.vectorize(function(x, k) return x, k * 2, x, 3 end)
    local x = numbers({ 2, 3 }, "float32")
    local a, b, c, d = v(x, 4)
    assert.is_true(a == x and c == x and not rawequal(a, x))
    assert.same({ { 8, 8, 8 }, { 8, 8, 8 } }, b:totable())
    assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, d:totable())
    a:fill(0) -- a new array, not x itself
    assert.is_true(c == x)
    local one, two, three, four = v(1, 2)
    assert.same({ 1, 4, 1, 3 }, { one, two, three, four })
  end)

  it("converts results to otypes", function()
    local x = numbers({ 20 }, "float64")
    local v = cp.vectorize(function(a) return a * 10 end, { otypes = "int16" })
    assert.is_true(v(x) == (x * 10):astype "int16")
    assert.equal("int16", v(x).dtype)
    local two = cp.vectorize(function(a) return a, a:gt(0) end, { "float32", "uint8" })
    local first, second = two(x)
    assert.same({ "float32", "uint8" }, { first.dtype, second.dtype })
    assert.equal("float32", cp.vectorize(function() return 1 end, "f4")(x).dtype)
  end)

  it("is one kernel, and pending like any elementwise function", function()
    if fusion.forced then return end
    local before = cp.fusion(true)
    local x = numbers({ 1000 }, "float32")
    local v = cp.vectorize(FUNCTIONS[5][2])
    v(x):eval()
    local counted = check.counted(function() v(x):eval() end)
    assert.equal(1, counted.launches)
    counted = check.counted(function() return v(x) + 1 end)
    assert.is_true(counted.launches <= 1) -- 160 operations are more than one operator adds to
    local short = cp.vectorize(function(a) return a * 2 + 1 end)
    short(x)
    counted = check.counted(function() return (short(short(x) - 1) * 3):sum():eval() end)
    assert.equal(1, counted.launches)
    cp.fusion(before)
  end)

  it("takes pending arguments of long chains", function()
    local v = cp.vectorize(FUNCTIONS[5][2])
    local x = numbers({ 50 }, "float64")
    local function chain(a)
      for _ = 1, 45 do a = a * 0.5 + 1 end
      return a
    end
    assert.is_true(v(chain(x)) == FUNCTIONS[5][2](chain(x):eval()))
  end)
end)

describe("what cp.vectorize refuses", function()
  local x = cp.array { 1, 2 }

  local function refuses(part, f, ...)
    local v = cp.vectorize(f)
    expect.failure(part, v, x, ...)
    assert.equal(0, v.traces)
  end

  -- The source of these cannot be read, so the traced values themselves must raise the errors.
  local function hidden(text)
    local f = assert((loadstring or load)("local x, y = ... " .. text, "=hidden")) -- luacheck: ignore
    return f
  end

  it("names cupola's function to use for one of math", function()
    refuses("write cp.sqrt, not math.sqrt", function(a)
      local root = math.sqrt(a)
      return root
    end)
    refuses("write cp.fmod, not math.fmod", function(a)
      local rest = math.fmod(a, 2)
      return rest
    end)
  end)

  it("names the method to use for a comparison", function()
    refuses("use x:lt(y)", hidden "return x < y", 3)
    refuses("use x:le(y)", hidden "return x >= y", 3)
    refuses("write x:eq(y), not x == y", hidden "return x == y", 3)
    refuses("x:lt(y)", hidden "if x < 1 then return x end return -x")
  end)

  it("compiles functions that decide on an element, with upvalues as they were first", function()
    local limit = 1
    local v = cp.vectorize(function(a)
      local n = 0
      while a:gt(limit) do a, n = a / 2, n + 1 end
      if a == 0.75 then return -1, a end
      return n, a
    end, "float32", "halve")
    local ok, message = pcall(v, x)
    assert.is_false(ok)
    assert.truthy(message:find("cupola.halve: otypes names 1 dtypes, and f returns 2 values", 1, true))
    v = cp.vectorize(function(a, b)
      local n = 0
      while a:gt(limit) do a, n = a / b, n + 1 end
      if a == 0.75 then return -1 end
      return n
    end, "float32")
    local got = v(cp.array { 1, 8, 3, 100 }, 2)
    assert.equal("float32", got.dtype)
    assert.same({ 0, 3, -1, 7 }, got:totable())
    limit = 50
    assert.same({ 0, 3, -1, 7 }, v({ 1, 8, 3, 100 }, 2):totable())
    assert.equal(1, v.traces)
    limit = 1
    assert.equal(2, v(4, 2))
    assert.same({ 2, 1 }, cp.vectorize(function(a, b) return cp.where(a == b, 1, 2) end)(x, 2):totable())
    assert.same({ 1, 3 }, cp.vectorize(function(a) return a:gt(0) and a or -a end)(cp.array { 1, -3 }):totable())
  end)

  it("finds decisions on locals, in local functions, and by comparisons alone", function()
    local y = cp.array { -2, 0.5, 3 }
    local function same(f) assert.same({ 0, 0.5, 1 }, cp.vectorize(f)(y):totable()) end
    same(function(a)
      local low, b = 0, a
      local c = b + 0
      if c < low then return low elseif c > 1 then return 1 end
      return c
    end)
    same(function(a)
      local function clamp(v, least, most)
        if v < least then return least end
        return v > most and most or v
      end
      return clamp(a, 0, 1)
    end)
    same(function(a)
      local n = 0
      for _ = 1, 2 do
        n = n + a
        a = math.max(0, math.min(a, 1))
        while n > 100 do n = n - 1 end
      end
      return a
    end)
    assert.same({ true, false, false }, cp.vectorize(function(a) return a < 0 end)(y):totable())
    assert.same({ true, false, false }, cp.vectorize(function(a)
      local negative = not a:ge(0)
      return negative
    end)(y):totable())
    local traced = cp.vectorize(function(a, b)
      local function double(v) return v and v * 2 or 0 end -- v is no argument here
      local n = double(3)
      if n > 5 and type(a) ~= "string" and #"ab" == 2 then b = b * n end
      return a + b
    end)
    assert.same({ 4, 6.5, 9 }, traced(y, 1):totable())
  end)

  it("names the decision if the function cannot be a kernel", function()
    local function found(advice, text)
      local f = assert((loadstring or load)("local cp = ... return " .. text))(cp) -- luacheck: ignore
      local v = cp.vectorize(f)
      expect.failure(advice, v, x)
    end
    found("tables are not part of the language of kernels", "function(a) if a == 0 then return {} end return a end")
    found("kernels have no cp.sum", "function(a) if a == 0 then return cp.sum(a) end return a end")
  end)

  it("leaves other decisions alone", function()
    local mode = "fast"
    local v = cp.vectorize(function(a, b)
      if mode == "fast" and b ~= nil then a = a + 1 end -- if a == 0 then: a comment
      if a.dtype == "float32" then a = a * 2 end
      for k = 1, 3 do
        if k == 2 then a = a + k end
      end
      b = b or 0
      return a + b, "if a == 0 then" == "" and 1 or 2
    end)
    local got, two = v(cp.ones(2, "float32"), 5)
    assert.same({ 11, 11 }, got:totable())
    assert.equal(2, two[1])
  end)

  it("says that reductions, elements and the like are not elementwise", function()
    local no_elements = "a value that is being traced has no elements; only elementwise functions take it"
    refuses("cupola.sum: " .. no_elements, function(a) return a - a:sum() end)
    refuses(no_elements, function(a) return a[1] end)
    refuses(no_elements, function(a) return a:item() end)
    refuses(no_elements, function(a) return tostring(a) end)
    refuses(no_elements, function(a) return a:add_(1) end)
  end)

  it("refuses arrays that are no arguments, draws, and results of another kind", function()
    local other = cp.ones(2)
    refuses("f uses an array that is not one of its arguments", function(a) return a + other end)
    refuses("f uses an array that is not one of its arguments", function(a) return a + cp.arange(2) end)
    refuses("pass", function(a) return a + cp.random.random(2) end)
    refuses("f returns an array that was not computed from its arguments", function() return other end)
    refuses("f returns string", function() return "a" end)
    refuses("f returns nothing", function() end)
    refuses("result 1 of f is nil", function(_) return nil, 1 end)
    expect.failure("otypes names 2 dtypes, and f returns 1 values", cp.vectorize(function(a) return a end,
      { otypes = { "float32", "int8" } }), x)
  end)

  it("passes errors of the function on, and works afterwards", function()
    local fail = true
    local v = cp.vectorize(function(a)
      if fail then error({ 1 }) end
      return a + 1
    end)
    local ok, problem = pcall(v, x)
    assert.is_false(ok)
    assert.same({ 1 }, problem)
    fail = false
    assert.same({ 2, 3 }, v(x):totable())
    expect.failure("shapes (2) and (3) do not broadcast", cp.vectorize(function(a, b) return a + b end), x, cp.ones(3))
  end)

  it("checks its arguments", function()
    local function f(a) return a end
    check.failure("usage", "vectorize: f is missing", function() cp.vectorize() end)
    check.failure("usage", "vectorize: f must be a function, not string", function() cp.vectorize "x + 1" end)
    check.failure("usage", "vectorize: otypes must be a dtype or a table of them", function() cp.vectorize(f, 3) end)
    check.failure("dtype", "vectorize: no dtype 'float99' (otypes)", function() cp.vectorize(f, "float99") end)
    check.failure("usage", "vectorize: needs at least one argument", function() cp.vectorize(f)() end)
    check.failure("usage", "vectorize: argument 1 must be an array, number or table, not nil",
      function() cp.vectorize(f)(nil) end)
    check.failure("usage", "vectorize: argument 1 must be an array, number or table, not string",
      function() cp.vectorize(f)("a") end)
    check.failure("usage", "vectorize: a vectorized function has no field or method 'source'; it has name, traces",
      function() return (cp.vectorize(f).source) end)
    check.failure("usage", "add: the function does more than one kernel can: 256 operations",
      function() cp.vectorize(function(a) for _ = 1, 300 do a = a + a end; return a end)(x) end)
  end)
end)
