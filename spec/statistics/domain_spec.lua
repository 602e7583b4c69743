-- Reductions over broadcast domains, such as distances between all pairs of points: rows of 1 to 17 elements
-- and long ones, lines of outputs of any length, dtypes, kinds of reductions and of operands. Whole numbers
-- are compared with loops over Lua numbers, which are exact.

local cp = require "cupola"
local check = require "spec.helper.check"

local values = check.values

local function equal(want, got, message)
  for i = 1, #want do
    for j = 1, #want[i] do
      if got[i][j] ~= want[i][j] then
        local shown, right = tostring(got[i][j]), tostring(want[i][j])
        error(("%s: (%d, %d) is %s, not %s"):format(message, i, j, shown, right), 2)
      end
    end
  end
end

-- {{f(1, 1), ...}, ...}
local function matrix(rows, columns, f)
  local t = {}
  for i = 1, rows do
    t[i] = {}
    for j = 1, columns do t[i][j] = f(i, j) end
  end
  return t
end

local function of_rows(rows, columns, length, f, step, first)
  return matrix(rows, columns, function(i, j)
    local total = first
    for k = 1, length do total = step(total, f(i, j, k)) end
    return total
  end)
end

local function add(a, b) return a + b end

-- Whole numbers without a visible order.
local function p_of(i, k) return (i * 7 + k * 5) % 11 - 4 end
local function q_of(j, k) return (j * 3 + k * k) % 13 - 5 end

-- p as (n, 1, length) and q as (1, m, length), whose elements are numbered by row and k.
local function points(n, m, length, dtype)
  return cp.array(matrix(n, length, p_of), dtype):reshape(n, 1, length),
    cp.array(matrix(m, length, q_of), dtype):reshape(1, m, length)
end

local function square_of_difference(i, j, k) return (p_of(i, k) - q_of(j, k)) ^ 2 end

-- The strategies of the kernels of f(...), on a GPU.
local function strategies(f, ...)
  local fused = cp.fuse(f)
  fused(...)
  local list = {}
  for number in fused.source:gmatch "#define CP_STRATEGY (%d)" do list[#list + 1] = tonumber(number) end
  return list
end

local WARP, SPLIT, COLUMN, SHORT, DOMAIN = 1, 3, 4, 5, 6

local function distances(p, q)
  local d = p - q
  return (d * d):sum(3)
end

describe("a short row of a broadcast domain", function()
  it("of 1 to 17 elements is summed", function()
    for length = 1, 17 do
      local p, q = points(70, 67, length, "float32")
      local want = of_rows(70, 67, length, square_of_difference, add, 0)
      equal(want, values(distances(p, q)), length .. " elements")
    end
  end)

  it("is one of lines of any length", function()
    for _, m in ipairs { 1, 2, 5, 31, 32, 33, 63, 64, 127, 128, 129, 255, 256, 300 } do
      local n = math.floor(4200 / m) + 1
      local p, q = points(n, m, 3, "float32")
      equal(of_rows(n, m, 3, square_of_difference, add, 0), values(distances(p, q)), m .. " outputs")
      equal(matrix(m, n, function(j, i)
        return square_of_difference(i, j, 1) + square_of_difference(i, j, 2) + square_of_difference(i, j, 3)
      end), values(distances(p, q).T), m .. " lines")
    end
  end)

  it("has any dtype", function()
    local list = { "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64" }
    list[#list + 1] = "complex128"
    for _, dtype in ipairs(list) do
      for _, length in ipairs { 3, 8 } do
        local p, q = points(65, 64, length, dtype)
        local want = of_rows(65, 64, length, function(i, j, k) return p_of(i, k) - q_of(j, k) end, add, 0)
        local got = (p - q):sum(3)
        if dtype:find "complex" then
          equal(want, values(got.real), dtype)
          equal(matrix(65, 64, function() return 0 end), values(got.imag), dtype)
        else
          equal(want, values(got), dtype)
        end
      end
    end
    local p, q = points(65, 64, 3, "int32")
    equal(of_rows(65, 64, 3, function(i, j, k) return p_of(i, k) > q_of(j, k) and 1 or 0 end, add, 0),
      values((p:greater(q)):sum(3)), "bool")
    local z = (p - q):astype "complex64" * cp.complex(2, 3)
    equal(of_rows(65, 64, 3, function(i, j, k) return 3 * (p_of(i, k) - q_of(j, k)) end, add, 0),
      values(z:sum(3).imag), "complex64")
  end)

  it("has minima, maxima, positions, truth and moments", function()
    for _, length in ipairs { 2, 3, 5, 16 } do
      local p, q = points(65, 130, length, "float32")
      local function f(i, j, k) return p_of(i, k) - q_of(j, k) end
      local function check_values(name, want)
        equal(want, values((p - q)[name](p - q, 3)), name .. " of " .. length)
      end
      check_values("max", of_rows(65, 130, length, f, math.max, -math.huge))
      check_values("min", of_rows(65, 130, length, f, math.min, math.huge))
      if length == 16 then break end
      check_values("prod", of_rows(65, 130, length, f, function(a, b) return a * b end, 1))
      local function position(before)
        return matrix(65, 130, function(i, j)
          local best = 1
          for k = 2, length do
            if before(f(i, j, k), f(i, j, best)) then best = k end
          end
          return best
        end)
      end
      check_values("argmax", position(function(a, b) return a > b end))
      check_values("argmin", position(function(a, b) return a < b end))
      check_values("ptp", of_rows(65, 130, 1, function(i, j)
        local low, high = math.huge, -math.huge
        for k = 1, length do low, high = math.min(low, f(i, j, k)), math.max(high, f(i, j, k)) end
        return high - low
      end, add, 0))
      check_values("any", matrix(65, 130, function(i, j)
        for k = 1, length do
          if f(i, j, k) ~= 0 then return true end
        end
        return false
      end))
      local got = values((p:astype "float64" - q):var(3))
      for i = 1, 65 do
        for j = 1, 130 do
          local sum, squares = 0, 0
          for k = 1, length do sum, squares = sum + f(i, j, k), squares + f(i, j, k) ^ 2 end
          assert.near(squares / length - (sum / length) ^ 2, got[i][j], 1e-10)
        end
      end
    end
  end)

  it("keeps nan, and the dimension under keepdims", function()
    local p, q = points(70, 67, 3, "float32")
    p[{ 2, 1, 3 }] = cp.nan
    local sums, most = (p - q):sum { axis = 3, keepdims = true }, (p - q):max(3)
    assert.same({ 70, 67, 1 }, sums.shape)
    assert.equal(67, cp.isnan(sums[2]):sum():item())
    assert.equal(67, cp.isnan(sums):sum():item())
    assert.equal(67, cp.isnan(most[2]):sum():item())
    assert.equal(3, (p - q):argmax(3)[{ 2, 1 }])
  end)

  it("reads operands of any layout", function()
    local function want(i, j, k) return (p_of(i, k) - q_of(j, k)) * 2 end
    local expected = of_rows(66, 65, 4, want, add, 0)
    local p, q = points(66, 65, 4, "float32")
    local planes = cp.ascontiguousarray(q:reshape(65, 4).T).T:reshape(1, 65, 4)
    local wide = cp.zeros({ 66, 9 }, "float32")
    wide[":, 2:8:2"] = p:reshape(66, 4)
    local reversed = cp.ascontiguousarray(cp.flip(q, 3))
    for _, x in ipairs { p, wide[":, 2:8:2"]:reshape(66, 1, 4) } do
      for _, y in ipairs { q, planes, cp.flip(reversed, 3) } do
        equal(expected, values(((x - y) * 2):sum(3)), "layout")
        equal(expected, values(((x - y) * cp.array(2, "float32"):eval()):sum(3)), "a factor in memory")
      end
    end
    local pixels = cp.arange(70 * 61 * 4, "int32"):reshape(70, 61, 4)
    local colours = pixels[":, :, 2:4"]
    equal(matrix(70, 61, function(i, j) return 12 * ((i - 1) * 61 + j - 1) + 6 end), values(colours:sum(3)), "pixels")
    local batch = p:reshape(1, 66, 1, 4) - q:reshape(65, 1, 1, 4) + cp.zeros({ 1, 1, 3, 4 }, "float32")
    local got = values(batch:sum(4)[":, :, 2"].T)
    local plain = of_rows(66, 65, 4, function(i, j, k) return p_of(i, k) - q_of(j, k) end, add, 0)
    equal(plain, got, "four dimensions")
  end)

  it("may be of no outputs, and goes to `out`", function()
    local p, q = points(66, 65, 3, "float32")
    assert.same({ 0, 65 }, (p["1:0"] - q):sum(3).shape)
    local out = cp.zeros({ 66, 65 }, "float32")
    cp.sum((p - q), { axis = 3, out = out })
    equal(of_rows(66, 65, 3, function(i, j, k) return p_of(i, k) - q_of(j, k) end, add, 0), values(out), "out")
  end)
end)

describe("a long row of a broadcast domain", function()
  local function x_of(i) return i % 7 - 3 end
  local function y_of(j) return j * j % 5 end
  local function f(i, j) return x_of(i) * y_of(j) + y_of(j) - x_of(i) end

  local function column(n, dtype) return cp.array(matrix(n, 1, x_of), dtype) end
  local function row(n, dtype) return cp.array(matrix(1, n, function(_, j) return y_of(j) end), dtype) end

  local function expected(n, length, step, first)
    local t = {}
    for i = 1, n do
      local total = first
      for j = 1, length do total = step(total, f(i, j)) end
      t[i] = total
    end
    return { t }
  end

  it("has any length, for any number of outputs", function()
    for _, n in ipairs { 1, 31, 32, 33, 64, 100, 128, 130, 1000 } do
      for _, length in ipairs { 17, 18, 20, 63, 128, 257, 1003 } do
        local x, y = column(n, "float32"), row(length, "float32")
        equal(expected(n, length, add, 0), { values((x * y + y - x):sum(2)) }, n .. " of " .. length)
      end
    end
  end)

  it("has any dtype and kind of reduction", function()
    for _, dtype in ipairs { "int16", "int64", "float16", "float32", "float64", "complex64", "complex128" } do
      local x, y = column(200, dtype), row(150, dtype)
      local e = x * y + y - x
      local sums = e:sum(2)
      equal(expected(200, 150, add, 0), { values(dtype:find "complex" and sums.real or sums) }, dtype)
      if not dtype:find "complex" then
        equal(expected(200, 150, math.max, -math.huge), { values(e:max(2)) }, dtype)
        equal(expected(200, 150, math.min, math.huge), { values(e:min(2)) }, dtype)
        local best = {}
        for i = 1, 200 do
          best[i] = 1
          for j = 2, 150 do
            if f(i, j) > f(i, best[i]) then best[i] = j end
          end
        end
        equal({ best }, { values(e:argmax(2)) }, dtype)
      end
    end
    local e = column(200, "float64") * row(150, "float64")
    for i, v in ipairs(values(e:var(2))) do
      local sum, squares = 0, 0
      for j = 1, 150 do sum, squares = sum + y_of(j), squares + y_of(j) ^ 2 end
      assert.near(x_of(i) ^ 2 * (squares / 150 - (sum / 150) ^ 2), v, 1e-9)
    end
  end)

  it("may begin anywhere, and lie in lines", function()
    local x, y = column(131, "float32"), row(400, "float32")
    local sums = { values((x["2:"] * y[":, 4:"] + y[":, 4:"] - x["2:"]):sum(2)) }
    local want = {}
    for i = 2, 131 do
      local total = 0
      for j = 4, 400 do total = total + f(i, j) end
      want[i - 1] = total
    end
    equal({ want }, sums, "offset")
    local lines = cp.arange(3, "float32"):reshape(3, 1, 1) + x:reshape(1, 131, 1) * y:reshape(1, 1, 400)
    local got = values(lines:sum(3))
    for k = 1, 3 do
      for i = 1, 131 do
        local total = 0
        for j = 1, 400 do total = total + k - 1 + x_of(i) * y_of(j) end
        assert.equal(total, got[k][i])
      end
    end
    assert.is_true((x["2:3"] * y):sum(2) == (x * y):sum(2)["2:3"])
  end)

  it("sums forces between bodies", function()
    local n = 300
    local at = { {}, {}, {} }
    for i = 1, n do at[1][i], at[2][i], at[3][i] = i * 0.618 % 1, i * 0.414 % 1, i * 0.303 % 1 end
    local function bodies(dtype)
      local d, r2 = {}, 1e-2
      for k = 1, 3 do
        local c = cp.array(at[k], dtype)
        d[k] = c:reshape(1, n) - c:reshape(n, 1)
        r2 = r2 + d[k] * d[k]
      end
      return (d[1] * (1 / (r2 * cp.sqrt(r2)))):sum(2)
    end
    local single, double = values(bodies "float32"), values(bodies "float64")
    for i = 1, n do
      local total = 0
      for j = 1, n do
        local r2 = 1e-2
        for k = 1, 3 do r2 = r2 + (at[k][j] - at[k][i]) ^ 2 end
        total = total + (at[1][j] - at[1][i]) / (r2 * math.sqrt(r2))
      end
      assert.near(total, double[i], 1e-8)
      assert.near(total, single[i], 1e-1)
    end
  end)
end)

describe("the order of a sum", function()
  -- the same values, by expressions of different weight
  local function light(x, y) return x * y + x end
  local function heavy(x, y)
    local weight = cp.exp(cp.sin(x)) * cp.log(y * y + 1) / cp.sqrt(x * x + 1)
    local never = cp.where((x + y):greater(1e30), weight, 0)
    return x * y + x + never
  end

  it("does not depend on the expression", function()
    local x = ((cp.arange(400, "float64") * 0.618) % 1):astype "float32"
    local y = ((cp.arange(700, "float64") * 0.414) % 1):astype "float32"
    local a, b = x:reshape(400, 1), y:reshape(1, 700)
    assert.is_true(light(a, b):sum(2) == heavy(a, b):sum(2))
    a, b = x["1:80"]:reshape(80, 1, 1) + y["1:8"], y["9:528"]:reshape(1, 65, 8)
    assert.is_true(light(a, b):sum(3) == heavy(a, b):sum(3))
  end)
end)

local fuses = check.mode ~= "unfused" and check.mode ~= "forced"

describe("kernels on a GPU", function()
  (fuses and it or pending)("take short and long rows of broadcast domains in their own ways", function()
    local p, q = points(70, 67, 3, "float32")
    assert.same({ SHORT }, strategies(distances, p:eval(), q:eval()))
    local function ones(...) return cp.ones { ... }:eval() end
    local function difference(a, b) return (a - b):sum(2) end
    assert.same({ DOMAIN }, strategies(difference, ones(130, 1), ones(1, 200)))
    -- what is in memory as a whole is read as before
    local rows = ones(5000, 10)
    assert.same({ WARP }, strategies(function(a) return a:sum(2) end, rows))
    assert.same({ WARP }, strategies(difference, rows, ones(5000, 1)))
    assert.same({ COLUMN }, strategies(function(a) return a:sum(1) end, ones(10, 5000)))
    assert.same({ SPLIT }, strategies(difference, ones(130, 20000), ones(1, 20000)))
  end)
end)
