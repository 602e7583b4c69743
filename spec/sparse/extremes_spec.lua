-- Extremes of sparse arrays with nan and of stored entries alone, norms of integers, and diagonals that are
-- longer than their place. Expected values are SciPy 1.17's.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local sp, nan, values = cp.sparse, cp.nan, expect.values

describe("extremes of sparse arrays", function()
  it("leave nan out unless there is nothing else", function()
    for _, c in ipairs {
      { { { nan, 0 } }, 0, { nan, 0 }, { 0 }, 0 },
      { { { nan, nan } }, nan, { nan, nan }, { nan }, nan },
      { { { nan, 0 }, { nan, 1 } }, 1, { nan, 1 }, { 0, 1 }, 0 },
      { { { nan, -1 } }, -1, { nan, -1 }, { -1 }, -1 },
      { { { nan, -cp.inf } }, -cp.inf, { nan, -cp.inf }, { -cp.inf }, -cp.inf },
    } do
      for _, format in ipairs { "csr", "csc", "coo" } do
        local A = sp.csr_array(cp.array(c[1])):asformat(format)
        values(A:nanmax(), c[2])
        values(A:nanmax(1), c[3])
        values(A:nanmin(2), c[4])
        values(A:nanmin(), c[5])
        values(cp.nanmax(A, 1), c[3])
      end
    end
  end)

  it("are those of stored entries if asked for", function()
    local A = sp.csr_array { { -1, 0, -2 }, { 0, 0, 0 }, { 0, -4, 0 } }
    values(A:max { axis = 2, explicit = true }, { -1, 0, -4 }, "float64")
    values(A:min { axis = 1, explicit = true }, { -1, -4, -2 })
    values(A:max { explicit = true }, -1)
    values(A:max(), 0)
    values(A:astype("int8"):max { axis = 2, explicit = true, keepdims = true }, { { -1 }, { 0 }, { -4 } }, "int8")
    values(sp.csr_array { 2, 3 }:max { explicit = true }, 0)
    values(sp.csr_array(cp.array { { nan, 0 }, { nan, 1 } }):nanmin { axis = 2, explicit = true }, { nan, 1 })
  end)

  it("have the positions of those of stored entries if asked for", function()
    local A = sp.csr_array { { 0, 0, -3 }, { 0, 2, 0 }, { 0, 0, 0 }, { -1, -1, -5 } }
    for _, format in ipairs { "csr", "csc", "coo", "bsr" } do
      local B = A:asformat(format)
      values(B:argmax { axis = 2, explicit = true }, { 3, 2, 1, 1 }, "int64")
      values(B:argmin { axis = 2, explicit = true }, { 3, 2, 1, 3 }, "int64")
      values(B:argmax { axis = 1, explicit = true }, { 4, 2, 1 })
      values(B:argmin { axis = 1, explicit = true, keepdims = true }, { { 4, 4, 4 } })
      values(B:argmax { explicit = true }, 5)
      values(B:argmin { explicit = true }, 12, "int64")
      values(B:argmin { axis = 2 }, { 3, 1, 1, 3 })
    end
    local N = sp.csr_array(cp.array { { 0, 7, nan }, { 0, nan, nan }, { 3, 3, 0 } })
    values(N:argmax { axis = 2, explicit = true }, { 3, 2, 1 })
    values(N:argmin { axis = 1, explicit = true }, { 3, 2, 1 })
    values(N:argmax { explicit = true }, 3)
    -- One place has two entries.
    local T = sp.coo_array({ { 1, 2, 1 }, { { 1, 1, 1 }, { 2, 1, 2 } } }, { shape = { 2, 3 } })
    values(T:argmax { axis = 2, explicit = true }, { 1, 1 })
    values(sp.csr_array(cp.array({ { true, false } })):argmax { axis = 1, explicit = true }, { 1, 1 })
    check.failure("usage", "scipy.sparse.argmax: an array without stored entries has no argmax of them",
      function() sp.csr_array({ 2, 3 }):argmax { explicit = true } return 1 end)
    values(sp.csr_array({ 2, 3 }):argmin { axis = 1, explicit = true }, { 1, 1, 1 })
    check.failure("shape", "scipy.sparse.argmin: an array without elements has no argmin",
      function() sp.csr_array({ 0, 3 }):argmin { explicit = true } return 1 end)
  end)
end)

-- Rows of many lengths, in Lua, and what is to be found in them.
describe("rows of every length", function()
  local unpack = table.unpack or unpack -- luacheck: ignore
  local LENGTHS, COLUMNS = { 0, 1, 5, 8, 9, 20, 24, 0, 3 }, 24

  local function dense(unsigned)
    local rows = {}
    for r, length in ipairs(LENGTHS) do
      local row, step = {}, r % 2 == 0 and 5 or 7
      for c = 1, COLUMNS do row[c] = 0 end
      for k = 1, length do
        local v = (r * 5 + k * 7) % 11 - (unsigned and 0 or 5)
        row[(k * step) % COLUMNS + 1] = v == 0 and 7 or v
      end
      if r == 7 then for c = 1, COLUMNS do row[c] = unsigned and c or -c end end -- without any 0
      rows[r] = row
    end
    return rows
  end

  local function turned(rows)
    local columns = {}
    for c = 1, #rows[1] do
      columns[c] = {}
      for r = 1, #rows do columns[c][r] = rows[r][c] end
    end
    return columns
  end

  local function best(rows, f)
    local result = {}
    for r, row in ipairs(rows) do result[r] = f(unpack(row)) end
    return result
  end

  it("have the extremes of their elements, in every dtype", function()
    for _, dtype in ipairs { "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64" } do
      local rows = dense(dtype:find "^u" ~= nil)
      for _, format in ipairs { "csr", "csc", "coo" } do
        local A = sp.csr_array(cp.array(rows, dtype)):asformat(format)
        for name, f in pairs { max = math.max, min = math.min } do
          values(A[name](A, 2), best(rows, f), dtype)
          values(A[name](A, 1), best(turned(rows), f), dtype)
        end
      end
    end
  end)

  it("have the sums of their elements along both axes, in every dtype and with positions of 32 and 64 bits", function()
    local function total(...)
      local sum = 0
      for k = 1, select("#", ...) do sum = sum + select(k, ...) end
      return sum
    end
    for _, dtype in ipairs { "bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex128" } do
      local rows = dense(dtype:find "^u" ~= nil)
      if dtype == "bool" then
        for _, row in ipairs(rows) do
          for c = 1, COLUMNS do row[c] = row[c] ~= 0 and 1 or 0 end
        end
      end
      for _, index in ipairs { "int32", "int64" } do
        local B = sp.csr_array(cp.array(rows, dtype))
        local A = sp.csr_array { data = B.data, indices = B.indices:astype(index), indptr = B.indptr:astype(index),
          shape = { #LENGTHS, COLUMNS } }
        for _, format in ipairs { "csr", "csc", "coo" } do
          local C = A:asformat(format)
          values(C:sum(1).real, best(turned(rows), total))
          values(C:sum(2).real, best(rows, total))
        end
      end
    end
    values(sp.csr_array({ 3, 0 }):sum(1), {})
    values(sp.csr_array({ 0, 3 }):sum(1), { 0, 0, 0 })
    values(sp.csc_array({ 0, 3 }):sum(2), {})
  end)

  it("pass nan on, and leave it out if asked to", function()
    local rows = dense()
    rows[3][COLUMNS] = nan
    local A = sp.csr_array(cp.array(rows))
    local x = A:max(2)
    assert.is_true(x[3] ~= x[3] and x[4] == math.max(unpack(rows[4])))
    rows[3][COLUMNS] = -9
    values(A:nanmax(2), best(rows, math.max))
  end)

  it("have diagonals and single elements where they are, with positions of 32 and of 64 bits", function()
    local rows = dense()
    for _, index in ipairs { "int32", "int64" } do
      for _, format in ipairs { "csr", "csc", "coo" } do
        for _, dtype in ipairs { "int8", "float16", "float32", "complex64", "complex128" } do
          local B = sp.csr_array(cp.array(rows, dtype))
          local A = sp.csr_array { data = B.data, indices = B.indices:astype(index), indptr = B.indptr:astype(index),
            shape = { #LENGTHS, COLUMNS } }:asformat(format)
          for k = -#LENGTHS, COLUMNS do
            local expected = {}
            for r = 1, #LENGTHS do expected[#expected + 1] = rows[r][r + k] end
            values(A:diagonal(k).real, expected)
          end
          local r, c, expected = {}, {}, {}
          for k = 1, 200 do
            r[k], c[k] = k * 5 % #LENGTHS + 1, k * 7 % COLUMNS + 1
            expected[k] = rows[r[k]][c[k]]
          end
          values(A[{ cp.index(r), cp.index(c) }].real, expected)
        end
      end
    end
  end)
end)

describe("norms of sparse arrays", function()
  it("of integers do not wrap around", function()
    local A = sp.csr_array(cp.array({ { 200, 0, 100 }, { 0, 100, 0 } }, "uint8"))
    values(sp.linalg.norm(A), 244.94897427831782, "float64", 1e-12)
    values(sp.linalg.norm(A, 2, 1), { 200, 100, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, 2, 2), { 223.60679774997897, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, -1, 1), { 200, 100, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, 3, 2), { 208.0083823051904, 100 }, "float64", 1e-12)
  end)
end)

describe("diags", function()
  it("takes the beginning of a diagonal that is longer than its place", function()
    local longer = sp.diags({ { 1, 2, 3 }, { 4, 5, 6 } }, { 0, 1 })
    values(longer:toarray(), { { 1, 4, 0 }, { 0, 2, 5 }, { 0, 0, 3 } })
    values(sp.diags({ 5, 6 }, -1, { 2, 5 }):toarray(), { { 0, 0, 0, 0, 0 }, { 5, 0, 0, 0, 0 } })
    check.failure("shape", "scipy.sparse.diags: diagonal 0 has 3 elements, not 2",
      function() sp.diags({ { 1, 2 } }, 0, { 3, 3 }) return 1 end)
  end)
end)

describe("extremes of complex sparse arrays", function()
  local z = cp.complex
  local A = sp.csr_array(cp.array { { z(1, 2), 0, z(1, -1) }, { 0, 0, 0 }, { z(0, -2), -1, z(-1, 3) } })

  local function same(x, want)
    for k, v in ipairs(want) do want[k] = type(v) == "number" and z(v, 0) or v end
    assert.equal("complex128", x.dtype)
    assert.is_true(cp.array_equal(x, cp.array(want), { equal_nan = true }), tostring(x))
  end

  it("are ordered by real parts, then by imaginary ones", function()
    for _, format in ipairs { "csr", "csc", "coo" } do
      local B = A:asformat(format)
      assert.is_true(B:max():item() == z(1, 2) and B:min():item() == z(-1, 0))
      same(B:max(1), { z(1, 2), 0, z(1, -1) })
      same(B:min(1), { z(0, -2), -1, z(-1, 3) })
      same(B:nanmax(2), { z(1, 2), 0, z(0, -2) })
      same(B:min(2), { 0, 0, -1 })
      same(B:max { axis = 1, explicit = true }, { z(1, 2), -1, z(1, -1) })
      same(B:min { axis = 2, explicit = true }, { z(1, -1), 0, -1 })
      values(B:argmax(), 1)
      values(B:argmin(), 8)
      values(B:argmax(1), { 1, 1, 1 })
      values(B:argmin(2), { 2, 1, 2 })
      values(B:argmax { axis = 1, explicit = true }, { 1, 3, 1 })
      values(B:argmin { axis = 2, explicit = true }, { 3, 1, 2 })
    end
  end)

  it("are nan where one is", function()
    local B = sp.csr_array(cp.array { { z(1, 1), z(nan, 1) }, { 0, z(nan, 1) } })
    same(B:max(2), { z(nan, 1), z(nan, 1) })
    same(B:min(2), { z(nan, 1), z(nan, 1) })
    same(B:nanmax(2), { z(1, 1), 0 })
    same(B:nanmin(2), { z(1, 1), 0 })
    same(B:nanmax(1), { z(1, 1), z(nan, 1) })
    values(B:argmin(2), { 2, 2 })
  end)
end)

describe("extremes of sparse arrays", function()
  it("take repeated entries of bool as one", function()
    local data, places = cp.array { true, true, true }, { cp.index { 1, 1, 1 }, cp.index { 1, 3, 3 } }
    local A = sp.coo_array({ data, places }, { shape = { 2, 3 } })
    values(A:argmax(2), { 1, 1 })
    values(A:argmax(), 1)
    values(A:argmax { axis = 2, explicit = true }, { 1, 1 })
    local many = cp.ones({ 256 }, "int64")
    values(sp.coo_array({ cp.ones({ 256 }, "bool"), { many, many } }, { shape = { 1, 1 } }):min(), true)
  end)

  it("are found where all that is stored is 0", function()
    for _, dtype in ipairs { "uint8", "float64" } do
      local A = sp.coo_array({ cp.zeros({ 1 }, dtype), { cp.index { 1 }, cp.index { 2 } } }, { shape = { 1, 2 } })
      values(A:argmax(1), { 1, 1 })
      values(A:argmin(2), { 1 })
      values(A:argmin(), 1)
    end
  end)

  it("refuse axes that are not there", function()
    local A = sp.csr_array { { 1, 2 }, { 3, 4 } }
    for _, name in ipairs { "sum", "mean", "max", "count_nonzero", "getnnz" } do
      check.failure("index", "scipy.sparse." .. name .. ": axis", function() A[name](A, { axis = { 1, 3 } }) end)
      check.failure("index", "scipy.sparse." .. name .. ": axis names an axis twice",
        function() A[name](A, { axis = { 1, 1 } }) end)
      check.failure("usage", "scipy.sparse." .. name .. ": axis must name an axis",
        function() A[name](A, { axis = {} }) end)
    end
    values(A:sum { axis = { 2, 1 } }, 10)
  end)
end)
