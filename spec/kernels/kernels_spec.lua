-- Access patterns of generated kernels: lengths around the vector width, starts that are not aligned to 16
-- bytes, odd row lengths, negative strides, many dimensions, broadcast rows and columns, all item sizes.
-- Results are compared with values computed in Lua. On a GPU these patterns decide between 16-byte, row-wise
-- and strided access.

local cp = require "cupola"
local check = require "spec.helper.check"

local values = check.values

-- One dtype for each item size, and the others of that size.
local dtypes = { "int8", "float16", "float32", "float64", "complex128", "uint8", "int16", "int32", "int64", "complex64",
  "bfloat16", "uint16", "uint32", "uint64" }

-- Small whole numbers that every dtype holds exactly, also after the sums below.
local function value(k) return k % 7 end

local function real(v) return type(v) == "number" and v or v.re end

-- The elements of a 1-d array as numbers: real parts of complex ones.
local function numbers(x)
  local list = values(x)
  for k = 1, #list do list[k] = real(list[k]) end
  return list
end

-- An array of dtype with elements value(1), value(2), ..., n of them.
local function sequence(n, dtype) return (cp.arange(1, n + 1) % 7):astype(dtype) end

-- The first position at which the array differs from f(k), or nothing.
local function first_difference(x, n, f)
  local got = numbers(x)
  if #got ~= n then return ("length %d for %d"):format(#got, n) end
  for k = 1, n do
    if got[k] ~= f(k) then return ("element %d: %s for %s"):format(k, tostring(got[k]), tostring(f(k))) end
  end
end

describe("elementwise kernels", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " at every length and start up to 33", function()
      local whole, other = sequence(40, dtype), sequence(44, dtype)
      for n = 1, 33 do
        for _, start in ipairs { 1, 2, 3, 4, 5 } do
          for _, shift in ipairs { 1, 2, 5 } do
            local x, y = whole[{ { start, start + n - 1 } }], other[{ { shift, shift + n - 1 } }]
            local bad = first_difference(x + y, n, function(k) return value(start + k - 1) + value(shift + k - 1) end)
            assert.is_nil(bad, ("n %d, starts %d and %d: %s"):format(n, start, shift, tostring(bad)))
          end
        end
      end
    end)

    it("of " .. dtype .. " write every start, and nothing beside it", function()
      for n = 1, 33, 4 do
        for start = 1, 5 do
          local x, y = cp.full({ 40 }, 9, dtype), sequence(40, dtype)
          x[{ { start, start + n - 1 } }] = y[{ { 2, n + 1 } }]
          x[{ { start, start + n - 1 } }]:mul_(2)
          local bad = first_difference(x, 40, function(k)
            if k < start or k >= start + n then return 9 end
            return 2 * value(k - start + 2)
          end)
          assert.is_nil(bad, ("n %d, start %d: %s"):format(n, start, tostring(bad)))
        end
      end
    end)

    it("of " .. dtype .. " with strides of any sign", function()
      local x, y = sequence(101, dtype), sequence(101, dtype)
      for _, step in ipairs { 2, 3, 4, -1, -2, -3 } do
        local a, b = x["::" .. step], y["::" .. -step]
        local n = a.size
        local function position(k, s) return s > 0 and 1 + (k - 1) * s or 101 + (k - 1) * s end
        local bad = first_difference(a + b, n, function(k) return value(position(k, step)) + value(position(k,
          -step)) end)
        assert.is_nil(bad, ("step %d: %s"):format(step, tostring(bad)))
        local z = cp.zeros({ 101 }, dtype)
        z["::" .. step]:assign(a)
        assert.is_true(z["::" .. step] == a)
        assert.equal(n, a.size)
      end
    end)
  end

  it("of different item sizes together", function()
    for n = 1, 33 do
      local a, b, c = sequence(n + 3, "int8")["2:"], sequence(n + 2, "float32"), sequence(n + 2, "float64")["::-1"]
      local sum = a + b * c
      assert.equal("float64", sum.dtype)
      local bad = first_difference(sum, n + 2, function(k) return value(k + 1) + value(k) * value(n + 3 - k) end)
      assert.is_nil(bad, tostring(bad))
      local half = (sequence(n + 1, "float16")["2:"] + sequence(n, "uint8")):astype("int64")
      assert.is_nil(first_difference(half, n, function(k) return value(k + 1) + value(k) end))
      local truth = sequence(n + 1, "bool")["2:"] * sequence(n, "int16")
      assert.is_nil(first_difference(truth, n, function(k) return value(k + 1) ~= 0 and value(k) or 0 end))
    end
  end)

  it("at lengths around blocks", function()
    for _, n in ipairs { 127, 128, 129, 255, 257, 511, 513, 1023, 1025, 2049, 4097, 65537, 131071 } do
      local x = cp.arange(n + 1)
      assert.equal(n * (n + 1), (x + x):sum():item())
      assert.is_true(x["2:"] - 1 == x[":-2"])
      assert.equal(n, (x["2:"] - x[":-2"]):sum():item())
      assert.is_true(x["::-1"] + x == cp.full({ n + 1 }, n, "int64"))
    end
  end)
end)

describe("complex kernels", function()
  -- A product of which each part needs both roundings: with a fused multiply-add the real part is another
  -- number.
  local a, b = cp.complex(-0x1.50ad3ep+27, 0x1.2a423cp+9), cp.complex(0x1.73b422p+3, -0x1.637b18p-5)

  it("round alike wherever an element lies", function()
    for n = 1, 33 do
      local x, y = cp.full({ n }, a, "complex64"), cp.full({ n }, b, "complex64")
      local product, quotient = values(x * y), values(x / y)
      for k = 1, n do
        assert.equal(-2050358784, product[k].re)
        assert.equal(quotient[1].re, quotient[k].re)
        assert.equal(quotient[1].im, quotient[k].im)
      end
    end
  end)
end)

-- x of two axes has element f(i, j), as numbers.
local function assert_matrix(x, rows, columns, f, label)
  local list = values(x)
  assert.equal(rows, #list, label)
  for i = 1, rows do
    for j = 1, columns do
      local got = real(list[i][j])
      if got ~= f(i, j) then
        error(("%s: element (%d, %d) is %s, not %s"):format(label, i, j, tostring(got), tostring(f(i, j))), 2)
      end
    end
  end
end

describe("kernels on matrices", function()
  local sizes = { { 3, 5 }, { 4, 7 }, { 5, 4 }, { 7, 8 }, { 2, 9 }, { 9, 3 }, { 1, 5 }, { 5, 1 }, { 3, 16 }, { 6, 33 },
    { 33, 6 } }

  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
    it("with odd rows and parts of rows, " .. dtype, function()
      for _, size in ipairs(sizes) do
        local r, c = size[1], size[2]
        local label = ("%s (%d, %d)"):format(dtype, r, c)
        local x = sequence(r * c, dtype):reshape(r, c)
        local function at(i, j) return value((i - 1) * c + j) end
        assert_matrix(x + x, r, c, function(i, j) return 2 * at(i, j) end, label)
        if c > 2 then
          assert_matrix(x[":, 2:"] + x[":, :-2"], r, c - 1, function(i, j) return at(i, j + 1) + at(i, j) end,
            label .. " parts")
          assert_matrix(x[":, 2:-2"] * 2, r, c - 2, function(i, j) return 2 * at(i, j + 1) end, label .. " inner")
        end
        assert_matrix(x["::-1"] + x, r, c, function(i, j) return at(r + 1 - i, j) + at(i, j) end, label .. " rows back")
        assert_matrix(x[":, ::-1"] + x, r, c, function(i, j) return at(i, c + 1 - j) + at(i, j) end,
          label .. " columns back")
        assert_matrix(x.T + x.T, c, r, function(i, j) return 2 * at(j, i) end, label .. " transposed")
        local y = sequence(r * c, dtype):reshape(c, r)
        assert_matrix(x + y.T, r, c, function(i, j) return at(i, j) + value((j - 1) * r + i) end,
          label .. " mixed orders")
        assert_matrix(x:copy("F"), r, c, at, label .. " F")
        assert_matrix(x.T:copy().T, r, c, at, label .. " transposed copy")
      end
    end)

    it("with rows and columns that are broadcast, " .. dtype, function()
      for _, size in ipairs(sizes) do
        local r, c = size[1], size[2]
        local label = ("%s (%d, %d)"):format(dtype, r, c)
        local x, row, column = sequence(r * c, dtype):reshape(r, c), sequence(c, dtype), sequence(r, dtype):reshape(r,
          1)
        local function at(i, j) return value((i - 1) * c + j) end
        assert_matrix(x + row, r, c, function(i, j) return at(i, j) + value(j) end, label .. " row")
        assert_matrix(x + column, r, c, function(i, j) return at(i, j) + value(i) end, label .. " column")
        assert_matrix(row + column, r, c, function(i, j) return value(i) + value(j) end, label .. " outer")
        assert_matrix(x.T + column.T:reshape(r), c, r, function(i, j) return at(j, i) + value(j) end,
          label .. " turned")
        local wide = cp.zeros({ r, c + 3 }, dtype)
        wide[":, 2:-3"] = row
        assert_matrix(wide, r, c + 3, function(_, j) return j > 1 and j < c + 2 and value(j - 1) or 0 end,
          label .. " written")
        assert_matrix(x + cp.array(1, "int8"):astype(dtype), r, c, function(i, j) return at(i, j) + 1 end,
          label .. " 0-d")
      end
    end)
  end

  it("large and transposed", function()
    for _, size in ipairs { { 67, 131 }, { 128, 64 }, { 257, 33 }, { 31, 1025 } } do
      local r, c = size[1], size[2]
      for _, dtype in ipairs { "int8", "float32", "float64" } do
        local x = (cp.arange(r * c) % 61):astype(dtype):reshape(r, c)
        local turned = x.T:copy()
        assert.is_true(turned == x.T)
        assert.is_true(turned.T == x)
        assert.is_true(x + turned.T == 2 * x)
        assert.equal((2 * ((r * c - 1) % 61)), real(turned[{ -1, -1 }]) + real(x[{ -1, -1 }]))
        for _, at in ipairs { { 1, 2 }, { 2, 1 }, { r, 3 }, { 17, c } } do
          assert.equal(((at[1] - 1) * c + at[2] - 1) % 61, real(turned[{ at[2], at[1] }]))
        end
      end
    end
  end)
end)

describe("kernels on five axes", function()
  it("with strides that do not collapse", function()
    local shape = { 3, 4, 5, 4, 6 }
    local x = cp.arange(3 * 4 * 5 * 4 * 6):reshape(shape)
    local y = x["::-1, ::2, 2:, ::-3, 2:-2"]
    assert.same({ 3, 2, 4, 2, 4 }, y.shape)
    local function at(i, j, k, l, m) return (((3 - i) * 4 + 2 * (j - 1)) * 5 + k) * 24 + (3 - 3 * (l - 1)) * 6 + m end
    local list, sum = values(y + y), 0
    for i = 1, 3 do
      for j = 1, 2 do
        for k = 1, 4 do
          for l = 1, 2 do
            for m = 1, 4 do
              assert.equal(2 * at(i, j, k, l, m), list[i][j][k][l][m])
              sum = sum + at(i, j, k, l, m)
            end
          end
        end
      end
    end
    assert.equal(sum, y:sum():item())
    local back = cp.zeros(shape, "int64")
    back["::-1, ::2, 2:, ::-3, 2:-2"] = y
    assert.equal(sum, back:sum():item())
    assert.is_true(back["::-1, ::2, 2:, ::-3, 2:-2"] == y)
  end)

  it("with axes in another order", function()
    local x = cp.arange(2 * 3 * 4 * 5 * 3):reshape(2, 3, 4, 5, 3)
    for _, order in ipairs { { 5, 4, 3, 2, 1 }, { 2, 1, 4, 3, 5 }, { 3, 5, 1, 4, 2 }, { 1, 2, 3, 5, 4 } } do
      local t = x:transpose(order)
      local copy = t:copy()
      assert.is_true(t == copy)
      assert.is_true(t + copy == 2 * copy)
      local position, place = { 2, 3, 1, 4, 2 }, {}
      for d = 1, 5 do place[d] = position[order[d]] end
      assert.equal(x[position], copy[place])
    end
  end)

  it("with broadcast axes between others", function()
    local a, b = cp.arange(2 * 5):reshape(2, 1, 5, 1, 1), cp.arange(3 * 4):reshape(1, 3, 1, 4, 1)
    local c = a * 100 + b + cp.arange(3) * 1000
    assert.same({ 2, 3, 5, 4, 3 }, c.shape)
    for _, p in ipairs { { 1, 1, 1, 1, 1 }, { 2, 3, 5, 4, 3 }, { 2, 1, 3, 2, 1 }, { 1, 2, 4, 3, 2 } } do
      assert.equal(((p[1] - 1) * 5 + p[3] - 1) * 100 + (p[2] - 1) * 4 + p[4] - 1 + (p[5] - 1) * 1000, c[p])
    end
  end)
end)

describe("reduction kernels", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " at every length and start up to 33", function()
      local whole = sequence(40, dtype)
      for n = 1, 33 do
        for start = 1, 5 do
          local x, sum, most = whole[{ { start, start + n - 1 } }], 0, 0
          for k = start, start + n - 1 do
            sum = sum + value(k)
            most = math.max(most, value(k))
          end
          assert.equal(sum, real(x:sum():item()), ("sum of %d from %d"):format(n, start))
          assert.equal(most, real(x:max():item()), ("max of %d from %d"):format(n, start))
          assert.equal(sum, real(x["::-1"]:sum():item()))
        end
      end
    end)
  end

  it("of rows and columns with any offset", function()
    for _, dtype in ipairs { "int8", "float32", "float64", "complex128" } do
      for _, size in ipairs { { 3, 5 }, { 5, 3 }, { 4, 33 }, { 33, 4 }, { 2, 70 }, { 70, 2 }, { 9, 257 } } do
        local r, c = size[1], size[2]
        local x = sequence((r + 1) * (c + 2), dtype):reshape(r + 1, c + 2)["2:, 2:-2"]
        local function at(i, j) return value(i * (c + 2) + j + 1) end
        local by_row, by_column = numbers(x:sum(2)), numbers(x:sum(1))
        local most = numbers(x:max(2))
        for i = 1, r do
          local sum, high = 0, 0
          for j = 1, c do
            sum = sum + at(i, j)
            high = math.max(high, at(i, j))
          end
          assert.equal(sum, by_row[i])
          assert.equal(high, most[i])
        end
        for j = 1, c do
          local sum = 0
          for i = 1, r do sum = sum + at(i, j) end
          assert.equal(sum, by_column[j])
        end
        assert.is_true(x.T:sum(1) == x:sum(2))
        assert.is_true(x["::-1, ::-1"]:sum(1)["::-1"] == x:sum(1))
      end
    end
  end)

  it("large ones, aligned and not", function()
    local n = 100003
    for _, dtype in ipairs { "int8", "int32", "float32", "float64" } do
      local x = (cp.arange(n) % 5):astype(dtype)
      for start = 1, 5 do
        local part = x[{ { start, -1 } }]
        local sum = 0
        for k = start - 1, start + 3 do sum = sum + k % 5 end
        local whole, rest = math.floor(part.size / 5), part.size % 5
        sum = whole * 10
        for k = 0, rest - 1 do sum = sum + (start - 1 + k) % 5 end
        assert.equal(sum, part:sum({ dtype = "float64" }):item())
        assert.equal(4, part:max():item())
        assert.equal((5 - (start - 1)) % 5, (part:argmin():item() - 1) % 5)
      end
    end
  end)
end)
