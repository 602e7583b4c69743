-- Contiguous rows that do not start at a multiple of 16 bytes. On a GPU their groups of elements are shifted
-- to where those of the output are aligned, leaves with another alignment are assembled from two words, and
-- the ends of rows are processed element by element. Also sums of small integers, which are read in words.
-- Expected values are closed forms.

local cp = require "cupola"

local SIZES = { int8 = 1, float16 = 2, float32 = 4, float64 = 8, complex64 = 8, uint16 = 2, bool = 1 }
local DTYPES = { "int8", "float16", "float32", "float64", "complex64", "uint16" }

local function value(k) return k % 7 end

-- Elements value(1), value(2), ... of dtype.
local function sequence(n, dtype) return (cp.arange(1, n + 1) % 7):astype(dtype):eval() end

local function numbers(x) return cp.real(x):astype("float64"):totable() end

-- Fails unless the 1-d array has f(1), f(2), ...
local function assert_elements(x, f, label)
  local got = numbers(x)
  for k = 1, #got do
    if got[k] ~= f(k) then error(("%s: element %d is %s, not %s"):format(label, k, got[k], f(k)), 2) end
  end
end

-- The first length that has shifted groups, for elements of this dtype.
local function least(dtype) return 32 * 16 / SIZES[dtype] end

describe("rows that are not aligned", function()
  for _, dtype in ipairs(DTYPES) do
    it("of " .. dtype .. " are copied from and to any start, and nothing beside them", function()
      local group = 16 / SIZES[dtype]
      for _, n in ipairs { least(dtype), least(dtype) + 1, least(dtype) + group - 1, least(dtype) + 45 } do
        local x = sequence(n + 17, dtype)
        for to = 2, 6 do
          for _, from in ipairs { 1, 2, 3, to, 6, 12 } do
            local z = cp.full(n + 10, 9, { dtype = dtype })
            z[{ { to, to + n - 1 } }]:assign(x[{ { from, from + n - 1 } }])
            assert_elements(z, function(k)
              return k >= to and k < to + n and value(k - to + from) or 9
            end, ("%s, length %d, %d to %d"):format(dtype, n, from, to))
          end
        end
      end
    end)

    it("of " .. dtype .. " are changed in place", function()
      for start = 2, 5 do
        local n = least(dtype) + 7
        local x = sequence(n + 8, dtype)
        local part = x[{ { start, start + n - 1 } }]
        part:mul_(2)
        part:assign(part + x[{ { start + 1, start + n } }]:copy())
        assert_elements(x, function(k)
          local inside, after = k >= start and k < start + n, k + 1 < start + n
          return inside and 2 * value(k) + (after and 2 or 1) * value(k + 1) or value(k)
        end, dtype .. " from " .. start)
      end
    end)
  end

  it("have shifts of their own where the pitch is odd", function()
    for _, pitch in ipairs { 151, 152, 153, 154, 300 } do
      local x = (cp.arange(5 * pitch) % 11):astype("float32"):reshape(5, pitch):eval()
      local z = cp.full({ 5, pitch }, -1, { dtype = "float32" })
      z["2:-2, 2:-2"]:assign(x["2:-2, 2:-2"] + 10 * x[":-3, 2:-2"] + 100 * x["2:-2, 3:"] - x["2:-2, :-3"])
      local function at(i, j) return ((i - 1) * pitch + j - 1) % 11 end
      local got = z:totable()
      for i = 1, 5 do
        for j = 1, pitch do
          local inside = i > 1 and i < 5 and j > 1 and j < pitch
          local want = inside and at(i, j) + 10 * at(i - 1, j) + 100 * at(i, j + 1) - at(i, j - 1) or -1
          local ok = got[i][j] == want
          if not ok then error(("pitch %d: (%d, %d) is %s, not %s"):format(pitch, i, j, got[i][j], want)) end
        end
      end
    end
  end)

  it("take part with leaves of every kind and size", function()
    local n = 1100
    local small, wide, half = sequence(n + 9, "int8"), sequence(n + 9, "float64"), sequence(n + 9, "float16")
    local sparse, backwards = sequence(2 * n, "float32"), sequence(n, "float32")["::-1"]
    for start = 2, 4 do
      for shift = 1, 5 do
        local z = cp.zeros(n + 5, "float32")
        local function part(x) return x[{ { shift, shift + n - 1 } }] end
        local mask = part(small):gt(2)
        local sum = part(small) + part(wide) * 10 + part(half) * 100 + sparse["::2"] * 1000 + backwards * 1e4
        z[{ { start, start + n - 1 } }]:assign(cp.where(mask, sum, cp.arange(n)))
        assert_elements(z, function(k)
          local i = k - start + 1
          if i < 1 or i > n then return 0 end
          local v = value(i + shift - 1)
          if v <= 2 then return i - 1 end
          return 111 * v + 1000 * value(2 * i - 1) + 1e4 * value(n - i + 1)
        end, ("start %d, shift %d"):format(start, shift))
      end
    end
  end)

  it("may be broadcast, and have results that are not shifted alike", function()
    local n = 700
    local x, column, z = sequence(n, "float32"), sequence(6, "float32"):reshape(6, 1), cp.zeros({ 6, n + 3 })
    z = z:astype("float32"):eval()
    local t = x * 2 + column
    z[":, 2:-3"]:assign(t + 1)
    z[":, 3:-2"]:assign(t + 2) -- the second reader of t, which is kept
    local got, kept = z:totable(), t:totable()
    for i = 1, 6 do
      for k = 1, n do
        assert.equal(2 * value(k) + value(i), kept[i][k])
        assert.equal(2 * value(k) + value(i) + 2, got[i][k + 2])
      end
      assert.equal(2 * value(1) + value(i) + 1, got[i][2])
      assert.equal(0, got[i][1])
      assert.equal(0, got[i][n + 3])
    end
  end)

  it("hold infinities and nan at their ends", function()
    local n = 530
    local t = {}
    for k = 1, n + 2 do t[k] = 0.01 * k end
    t[2], t[3], t[n], t[n + 1] = 1 / 0, 0 / 0, -1 / 0, 1e5
    local x = cp.array(t, { dtype = "float32" })
    local z = cp.full(n + 2, 5, { dtype = "float32" })
    z["2:-2"]:assign(cp.exp(x["2:-2"]))
    local aligned = cp.exp(x["2:-2"]:copy()):totable()
    local got = z:totable()
    for k = 1, n do
      assert.is_true(got[k + 1] == aligned[k] or (got[k + 1] ~= got[k + 1] and aligned[k] ~= aligned[k]))
    end
    assert.equal(1 / 0, got[2])
    assert.equal(0, got[n])
    assert.equal(1 / 0, got[n + 1])
    assert.equal(5, got[1])
    assert.equal(5, got[n + 2])
  end)

  it("are reduced from any start", function()
    for _, dtype in ipairs(DTYPES) do
      local x = sequence(9100, dtype)
      for start = 1, 6 do
        for _, n in ipairs { 33, 600, 9001 } do
          local want = 0
          for k = start, start + n - 1 do want = want + value(k) end
          local part = x[{ { start, start + n - 1 } }]
          assert.equal(want, cp.real(part:astype(dtype == "float16" and "float32" or dtype):sum()):item(), dtype)
        end
      end
      local m = sequence(9100, dtype)[{ { 2, 8998 } }]:reshape(3, 2999)
      local got = cp.real(m:max(2)):astype("float64"):totable()
      for i = 1, 3 do assert.equal(6, got[i]) end
    end
  end)
end)

describe("sums of small integers", function()
  local LOWEST = { int8 = -128, uint8 = 255, int16 = -32768, uint16 = 65535, bool = 1 }

  for dtype, extreme in pairs(LOWEST) do
    it("of " .. dtype .. " have room", function()
      for _, n in ipairs { 1, 3, 4, 15, 16, 17, 63, 64, 65, 1000, 4097, 70001, 1000003 } do
        local x = cp.full(n + 3, extreme, { dtype = dtype })
        assert.equal(n * extreme, x[{ { 1, n } }]:sum():item())
        assert.equal(n * extreme, x[{ { 3, n + 2 } }]:sum():item())
        assert.equal(n, x[{ { 2, n + 1 } }]:count_nonzero():item())
      end
    end)

    it("of " .. dtype .. " are those of rows and columns", function()
      for _, shape in ipairs { { 3, 5 }, { 7, 16 }, { 40, 100 }, { 100, 36 }, { 1000, 7 }, { 5, 4099 }, { 99, 129 } } do
        local rows, columns = shape[1], shape[2]
        local x = (cp.arange(rows * columns) % 3):astype(dtype):reshape(rows, columns):eval()
        local y = x:astype("float64"):eval()
        assert.is_true(cp.equal(x:sum(1), y:sum(1)):all())
        assert.is_true(cp.equal(x:sum(2), y:sum(2)):all())
        assert.is_true(cp.equal(x:count_nonzero(2), cp.not_equal(y, 0):astype("float64"):sum(2)):all())
        assert.is_true(cp.equal(x[":, 2:"]:sum(2), y[":, 2:"]:sum(2)):all())
        assert.is_true(cp.equal(x[":, ::2"]:sum(2), y[":, ::2"]:sum(2)):all())
        assert.is_true(cp.equal(x["::-1, ::-1"]:sum(1), y["::-1, ::-1"]:sum(1)):all())
        assert.equal(y:sum():item(), x:sum():item())
      end
    end)
  end
end)
