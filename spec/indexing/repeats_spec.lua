-- Writes by arrays of positions with repetitions: the last value in C order wins, on every device, for every
-- form of index, every dtype, and every memory layout of positions, values and target. Plain loops are the
-- reference (helper/repeats.lua).
--   CUPOLA_CALLS=10, CUPOLA_CALLS_SEED=n   more, other ones

local cp = require "cupola"
local operands = require "spec.helper.calls.operands"
local repeats = require "spec.helper.repeats"

local ON_CPU = cp.device().name == "cpu"
local SLOW = os.getenv "CUPOLA_TEST_MODE" == "gc"
local PROGRAMS = math.ceil((SLOW and 10 or ON_CPU and 300 or 100) * operands.times) -- of each kind

describe("where positions repeat the last value stays", function()
  for _, name in ipairs { "index", "put", "put_along_axis", "windows" } do
    for _, always in ipairs { false, true } do
      it(("by %s%s"):format(name, always and ", when it must" or ""), function()
        local before = cp.deterministic(always)
        repeats.begin(operands.seed)
        for k = 1, PROGRAMS do
          local ok, message = pcall(repeats.programs[name])
          if not ok then
            cp.deterministic(before)
            error(("program %d: %s"):format(k, message), 0)
          end
        end
        cp.deterministic(before)
      end)
    end
  end
end)

-- ---- many positions: the expected value at each element is that of the place with the largest number

local function scrambled(count, n) -- places from 1 to n in no visible order
  local k = cp.arange(count, "float64")
  return cp.floor((k * 0.6180339887498949 % 1) * (k * 0.41421356237309515 % 1) * 1e5 % 1 * n):astype("int64") + 1
end

-- x[at] = v for rows of some length, against v's row of the last place of each element.
local function compare(count, n, width, dtype, always)
  if ON_CPU and count > 1e5 then count, n = math.ceil(count / 10), math.ceil(n / 10) end
  local at = scrambled(count, n):eval()
  local last = cp.zeros(n, "int64")
  cp.scatter_max(last, at, cp.arange(count) + 1)
  local v = (cp.arange(count * width) % 1000003 % 127):astype(dtype):reshape(count, width)
  local x = cp.zeros({ n, width }, dtype)
  local before = cp.deterministic(always)
  if width == 1 then x[{ {}, 1 }][at] = v[{ {}, 1 }] else x[at] = v end
  cp.deterministic(before)
  local want = cp.where(last[{ {}, cp.newaxis }]:gt(0), v[cp.maximum(last, 1)], 0):astype(dtype)
  assert.is_true(cp.array_equal(x, want), ("%d places, %d rows of %d %s"):format(count, n, width, dtype))
end

describe("among many positions the last value stays", function()
  local function collected(f)
    return function()
      if SLOW then return pending "large arrays" end
      f()
      cp.collect()
    end
  end

  it("in few and many elements", collected(function()
    for _, n in ipairs { 1, 30, 1000, 100003, 1000003 } do compare(100003, n, 1, "float32", false) end
    compare(100003, 2000003, 1, "float32", true)
  end))

  it("where there are many more places than elements", collected(function()
    compare(1200007, 1000, 1, "float64", false)
    compare(1200007, 100003, 1, "int16", false)
  end))

  it("in rows", collected(function()
    compare(1000, 300, 64, "float32", false)
    compare(20011, 5000, 64, "float32", false)
    compare(20011, 5000, 3, "float64", false)
  end))

  it("when the script asks for it, whatever the table is", collected(function()
    compare(400009, 1000003, 1, "float32", true)
    compare(1200007, 1000003, 1, "float32", true)
    compare(1200007, 9000011, 1, "float32", true)
  end))
end)

describe("a plan that keeps the last value", function()
  it("uses a cleared table each time that it runs", function()
    local x, at = cp.zeros(50, "float32"), (cp.arange(2000) * 7919 % 50 + 1):eval()
    local v = cp.arange(2000):astype("float32"):eval()
    local graph = cp.cuda.graph(function()
      x[at] = v
      x[at + 0] = v + 0
    end)
    for k = 1, 3 do
      v:add_(k)
      x:fill(0)
      graph()
      assert.is_true(cp.array_equal(x[at["1951:"]], v["1951:"]))
    end
  end)

  it("stays in order through thousands of launches", function()
    local x, at = cp.zeros(40, "int32"), (cp.arange(500) * 7919 % 40 + 1):eval()
    local v = cp.arange(500):astype("int32"):eval()
    local want = v["461:"]:copy()
    for k = 1, SLOW and 3 or ON_CPU and 30 or 4500 do
      x[at] = v
      if k % 1500 == 3 then assert.is_true(cp.array_equal(x[at["461:"]], want)) end
    end
  end)
end)
