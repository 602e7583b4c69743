-- Fifteen kernels in Lua give the same bits as the same kernels by hand in CUDA C++
-- (bench/families/jit_kernels.lua), compiled and as Lua text, and compute what they should.

local cp = require "cupola"

local list = dofile "bench/families/jit_kernels.lua"
local TEXTS = not os.getenv "CUPOLA_GC_EVERY" -- with a collection at every allocation they take minutes

-- Copies of the arguments, arrays of them anew.
local function copies(args)
  local out = {}
  for k, v in ipairs(args) do out[k] = cp.is_array(v) and v:copy() or v end
  return out
end

local function run(kernel, args, grid, block, steps)
  for _, more in ipairs(steps) do
    local all = {}
    for k, v in ipairs(args) do all[k] = v end
    for _, v in ipairs(more) do all[#all + 1] = v end
    kernel(grid, block, all)
  end
end

local checks = {}

checks["matrix product"] = function(before, after)
  assert.is_true(cp.allclose(after[3], before[1]:matmul(before[2]), { rtol = 1e-4, atol = 1e-5 }))
end
checks.histogram = function(before, after)
  assert.is_true(after[2] == cp.bincount(before[1], { minlength = 256 }))
end
checks["block scan"] = function(before, after)
  local want = cp.cumsum(before[1]:reshape(-1, 256), 2)
  assert.is_true(after[2]:reshape(-1, 256) == want)
  assert.is_true(after[3] == want["..., -1"])
end
checks["bitonic sort"] = function(before, after) assert.is_true(after[1] == cp.sort(before[1])) end
checks["odd-even merge sort"] = function(before, after)
  assert.is_true(after[1]:reshape(-1, 512) == cp.sort(before[1]:reshape(-1, 512), 2))
end
checks["sparse product"] = function(before, after)
  local products = before[3] * before[4][before[2] + 1]
  assert.is_true(cp.allclose(after[5], products:reshape(-1, 9):sum(2), { rtol = 1e-5 }))
end
checks.Conway = function(before, after)
  local x = cp.pad(before[1]:astype "int32", 1)
  local count, n = cp.zeros_like(before[1]):astype "int32", #before[1]
  for dy = 1, 3 do
    for dx = 1, 3 do
      if dx ~= 2 or dy ~= 2 then count = count + x[{ { dy, dy + n - 1 }, { dx, dx + n - 1 } }] end
    end
  end
  local want = count:eq(3):logical_or(count:eq(2):logical_and(before[1]:eq(1)))
  assert.is_true(after[2]:ne(0) == want)
end
checks["particle in cell"] = function(before, after) assert.equal(#before[1], after[4]:sum():item()) end
checks["LBM D2Q9"] = function(before, after)
  assert.is_true(cp.allclose(before[1]:sum(), after[2]:sum(), { rtol = 1e-4 })) -- mass
end
checks.Mandelbrot = function(_, after)
  assert.equal(500, after[1][{ 33, 43 }]) -- 0
  assert.equal(1, after[1][{ 1, 1 }])
end

describe("a kernel in Lua", function()
  for _, entry in ipairs(list) do
    it("computes " .. entry.name .. " as the same kernel by hand", function()
      local size = entry.sizes[1]
      local args, written, grid, block, more = entry.make(size)
      local steps = entry.steps and entry.steps(size) or { {} }
      local after, by_hand, as_text = copies(args), copies(args), copies(args)
      run(cp.jit.rawkernel(entry.f), after, grid, block, steps)
      if TEXTS then run(cp.jit.rawkernel(entry.f, { lua = true }), as_text, grid, block, steps) end
      for _, v in ipairs(more or {}) do by_hand[#by_hand + 1] = v end
      run(cp.RawKernel(entry.hand, "hand", { "-fmad=false" }), by_hand, grid, block, steps)
      for _, k in ipairs(written) do
        assert.is_true(cp.array_equal(after[k], by_hand[k]), "argument " .. k)
        assert.is_true(not TEXTS or cp.array_equal(after[k], as_text[k]), "argument " .. k .. " as Lua text")
      end
      if checks[entry.name] then checks[entry.name](args, after) end
    end)
  end
end)
