-- Products of sparse arrays that wait for the operators after them: what joins them, what is written, freed
-- or needed before they are computed, and what that costs.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local sp = cp.sparse
local each, repeat_forced, wait = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })

local N = 6

-- A matrix whose rows have 0 to 3 entries, as a table of rows.
local ROWS = {}
for i = 1, N do
  ROWS[i] = {}
  for j = 1, N do ROWS[i][j] = (i ~= 3 and (i + 2 * j) % 3 == 0) and i - j + 0.5 or 0 end
end

local function matrix(dtype) return sp.csr_array(cp.array(ROWS, dtype or "float64")) end
local function vector(first, dtype) return cp.eval(cp.arange(first, first + N):astype(dtype or "float64")) end

-- The elements of A x, where x(j) is an element of x, each passed through f(element, its position).
local function expected(x, f)
  local list = {}
  for i = 1, N do
    local sum = 0
    for j = 1, N do sum = sum + ROWS[i][j] * x(j) end
    list[i] = f and f(sum, i) or sum
  end
  return list
end

local function from(first) return function(j) return first + j - 1 end end

-- What joins a product of p and a vector b of 10, 11, ...: {text, as an expression, of an element}.
local b = vector(10)
local function b_of(i) return 9 + i end
local JOINED = {
  { "p * 3", function(p) return p * 3 end, function(v) return v * 3 end },
  { "3 * p", function(p) return 3 * p end, function(v) return v * 3 end },
  { "p / 4", function(p) return p / 4 end, function(v) return v / 4 end },
  { "-p", function(p) return -p end, function(v) return -v end },
  { "p + b", function(p) return p + b end, function(v, i) return v + b_of(i) end },
  { "b + p", function(p) return b + p end, function(v, i) return v + b_of(i) end },
  { "b - p", function(p) return b - p end, function(v, i) return b_of(i) - v end },
  { "p - b", function(p) return p - b end, function(v, i) return v - b_of(i) end },
  { "b - -p", function(p) return b - -p end, function(v, i) return b_of(i) + v end },
  { "p * 3 + b", function(p) return p * 3 + b end, function(v, i) return v * 3 + b_of(i) end },
  { "b - p * 3", function(p) return b - p * 3 end, function(v, i) return b_of(i) - v * 3 end },
  { "p * 3 - b", function(p) return p * 3 - b end, function(v, i) return v * 3 - b_of(i) end },
  { "p * b", function(p) return p * b end, function(v, i) return v * b_of(i) end },
  { "p * b + b", function(p) return p * b + b end, function(v, i) return v * b_of(i) + b_of(i) end },
  { "b - p / -0.5", function(p) return b - p / -0.5 end, function(v, i) return b_of(i) + v * 2 end },
}
-- What does not, but for the first operator perhaps: an elementwise kernel does the rest.
local APART = {
  { "b - p * b", function(p) return b - p * b end, function(v, i) return b_of(i) - v * b_of(i) end },
  { "p / 3", function(p) return p / 3 end, function(v) return v / 3 end },
  { "p + 1", function(p) return p + 1 end, function(v) return v + 1 end },
  { "p * 3 * 5", function(p) return p * 3 * 5 end, function(v) return v * 3 * 5 end },
  { "p * p", function(p) return p * p end, function(v) return v * v end },
  { "p + p", function(p) return p + p end, function(v) return v + v end },
  { "abs(p * 3 + b)", function(p) return cp.abs(p * 3 + b) end, function(v, i) return math.abs(v * 3 + b_of(i)) end },
  { "p * 3 + (b + 1)", function(p) return p * 3 + (b + 1) end, function(v, i) return v * 3 + b_of(i) + 1 end },
  { "a reversed b", function(p) return p + cp.flip(b) end, function(v, i) return v + b_of(N + 1 - i) end },
}

local function counted(f) return check.counted(f).launches end

each("a product of a sparse array", function(mode)
  wait()
  local waits = mode == "on"

  for _, list in ipairs { JOINED, APART } do
    for _, case in ipairs(list) do
      it("gives what the operators after it do: " .. case[1], function()
        local A, x = matrix(), vector(1)
        A:dot(x):eval()
        local y
        local launches = counted(function() y = cp.eval(case[2](A:dot(x))) end)
        if waits and not check.mode then assert.equal(list == JOINED and 1 or 2, launches) end
        fusion.same(y, expected(from(1), case[3]))
      end)
    end
  end

  it("joins in each dtype that the routine has, and with matrices, transposed and in other formats", function()
    for _, dtype in ipairs { "float32", "float64", "int32", "int64", "complex64", "complex128", "int8", "float16" } do
      local A = sp.csr_array(cp.array { { 1, 2 }, { 0, 3 } }:astype(dtype))
      local x, c = cp.array({ 1, 2 }):astype(dtype), cp.array({ 10, 20 }):astype(dtype)
      local y = A:dot(x) * 3 + c
      assert.equal(dtype, y.dtype)
      assert.same({ 25, 38 }, cp.real(y):astype("float64"):totable(), dtype)
      assert.same({ -5, 2 }, cp.real(c - A:dot(x) * 3):astype("float64"):totable(), dtype)
    end
    local A, X = sp.csr_array { { 1, 2 }, { 0, 3 } }, cp.array { { 1, 4 }, { 2, 5 } }
    local B = cp.array { { 1, 2 }, { 3, 4 } }
    fusion.same(A:dot(X) * 2 + B, { 11, 30, 15, 34 })
    fusion.same(A:dot(X) * 2 + B.T, { 11, 31, 14, 34 })
    fusion.same(B - A.T:dot(X), { 0, -2, -5, -19 })
    fusion.same(A:tocsc():dot(X) * 2 + B, { 11, 30, 15, 34 })
    fusion.same(A:tocoo():dot(cp.array { 1, 2 }) * 2 + cp.array { 1, 2 }, { 11, 14 })
    fusion.same(A:dot(X.T) - B, { 8, 10, 9, 11 })
    fusion.same(A:dot(X) * 2 + cp.array { 1, 2 }, { 11, 30, 13, 32 }) -- broadcast
    fusion.same(A:dot(cp.array({ 1, 2 }, "int8")) * 2 + cp.array({ 1, 2 }, "float32"), { 11, 14 })
    fusion.same(A:dot(cp.array { 1, 2 }) * 2 + B, { 11, 14, 13, 16 })
    assert.equal("float64", (A:astype("float32"):dot(cp.ones(2, { dtype = "float32" })) + cp.ones(2)).dtype)
  end)

  it("keeps the sign of zeros, and what is not finite", function()
    local A = sp.csr_array(cp.array { { 1, 0 }, { 0, 0 } })
    local y = cp.eval(-A:dot(cp.array { 0, 0 }))
    assert.same({ -math.huge, -math.huge }, (1 / y):totable())
    assert.same({ math.huge, 1 }, (A:dot(cp.array { math.huge, 1 }) * 2 + cp.ones(2)):totable())
    local z = A:astype("complex128"):dot(cp.array { 1, 1 }) + cp.array { cp.complex(0, math.huge), 1 }
    assert.same({ 1, 1 }, cp.real(z):totable())
  end)

  it("may be empty", function()
    for _, shape in ipairs { { 0, 3 }, { 3, 0 }, { 0, 0 } } do
      local A = sp.csr_array(cp.zeros(shape))
      local y = A:dot(cp.ones(shape[2])) * 2 + cp.ones(shape[1])
      assert.equal(shape[1], cp.sum(y):item())
      assert.equal(0, (A:dot(cp.ones { shape[2], 0 }) * 2).size)
    end
  end)

  it("is what it was before its operands are written", function()
    local writes = {
      { "x", function(_, x) x:fill(0) end },
      { "a part of x", function(_, x) x[2] = 100 end },
      { "x through a view", function(_, x) x["2:4"]:fill(7) end },
      { "x in place", function(_, x) x:add_(1) end },
      { "x by a product", function(A, x) A:dot(cp.ones(N), { out = x }) end },
      { "data", function(A) A.data:mul_(2) end },
      { "a part of data", function(A) A.data["2:"]:fill(0) end },
      { "an element of A", function(A) A[{ 1, 1 }] = 50 end },
      { "indices", function(A) A.indices:fill(0) end },
      { "indptr", function(A) A.indptr:fill(0) end },
      { "x by its address", function(_, x) return x.data.ptr end },
      { "x, by freeing it", function(_, x) x:free() end },
      { "A, by freeing its arrays", function(A) A.data:free() A.indices:free() A.indptr:free() end },
    }
    for _, w in ipairs(writes) do
      for _, consumed in ipairs { "before", "after", "computed" } do
        local A, x = matrix(), vector(1)
        local p = A:dot(x)
        local y = consumed ~= "after" and p * 3 + b
        if consumed == "computed" then y:eval() end
        w[2](A, x)
        y = y or p * 3 + b
        local label = w[1] .. " " .. consumed
        fusion.same(y, expected(from(1), JOINED[10][3]), label)
        fusion.same(p, expected(from(1)), label)
      end
    end
  end)

  it("is checked again after a write into indices", function()
    local A, x = matrix(), vector(1)
    local y = A:dot(x) + b
    A.indices[1] = 1000000000
    assert.has_error(function() return A:dot(x) + b end)
    fusion.same(y, expected(from(1), JOINED[5][3]))
  end)

  it("reads its own operators' operands before they are written", function()
    local A, x, c = matrix(), vector(1), vector(10)
    local y = A:dot(x) * 3 + c
    c:fill(0)
    fusion.same(y, expected(from(1), JOINED[10][3]))
    c = vector(10)
    c:assign(A:dot(x) * 3 + c)
    fusion.same(c, expected(from(1), JOINED[10][3]))
    x:assign(A:dot(x) - x)
    fusion.same(x, expected(from(1), function(v, i) return v - i end))
  end)

  it("reads pending operands, and is read by other products", function()
    local A, x = matrix(), vector(1)
    fusion.same(A:dot(x + 1) * 3 + (b - 1 + 1), expected(from(2), JOINED[10][3]))
    local y = A:dot(x)
    for _ = 1, 3 do y = A:dot(y) * 0.5 + x end
    local z = A:dot(x):totable()
    for _ = 1, 3 do
      local next_z = {}
      for i = 1, N do
        next_z[i] = 0
        for j = 1, N do next_z[i] = next_z[i] + ROWS[i][j] * z[j] end
        next_z[i] = next_z[i] * 0.5 + i
      end
      z = next_z
    end
    fusion.same(y, z)
    fusion.same(A:dot(x) + A:dot(b), expected(function(j) return j + 9 + j end))
  end)

  it("stays itself when operators have been computed with it", function()
    local A, x = matrix(), vector(1)
    local p = A:dot(x)
    local y = p * 3
    local z = y + b
    fusion.same(z, expected(from(1), JOINED[10][3]))
    fusion.same(y, expected(from(1), JOINED[1][3]))
    fusion.same(p, expected(from(1)))
    fusion.same(p + b, expected(from(1), JOINED[5][3]))
    fusion.same(p["2:3"], { p[2], p[3] })
  end)

  it("outlives a scope, and is freed by one", function()
    local A, x = matrix(), vector(1)
    local y = cp.scope(function()
      local B = matrix()
      return B:dot(x + 0) * 3 + b
    end)
    fusion.same(y, expected(from(1), JOINED[10][3]))
    local p
    cp.scope(function() p = A:dot(x) end)
    assert.has_error(function() return p + b end)
    local q = A:dot(x)
    q:free()
    assert.has_error(function() return q + b end)
    local r = A:dot(x)
    local s = r * 3
    r:free()
    fusion.same(s + b, expected(from(1), JOINED[10][3]))
  end)

  it("is computed in the stream of its call, and in coroutines", function()
    local A, x = matrix(), vector(1)
    local stream = cp.cuda.Stream()
    local y
    stream:with(function() y = A:dot(x) end)
    fusion.same(y * 3 + b, expected(from(1), JOINED[10][3]))
    local z
    stream:with(function() z = A:dot(x) * 3 + b end)
    x:fill(0)
    fusion.same(z, expected(from(1), JOINED[10][3]))
    local work = coroutine.wrap(function()
      local p = matrix():dot(vector(1))
      coroutine.yield(p)
      coroutine.yield(p * 3 + b)
    end)
    local p = work()
    fusion.same(work(), expected(from(1), JOINED[10][3]))
    fusion.same(p, expected(from(1)))
  end)

  it("is part of a graph", function()
    local A, x, y = matrix(), vector(5), cp.zeros(N)
    local before = A:dot(x) * 3 + b
    local inside
    local g = cp.cuda.graph(function()
      inside = A:dot(x) * 3 + b
      y:assign(inside)
    end)
    fusion.same(before, expected(from(5), JOINED[10][3]))
    x:assign(vector(1))
    g()
    fusion.same(y, expected(from(1), JOINED[10][3]))
    fusion.same(inside, expected(from(1), JOINED[10][3]))
    g:free()
    g = cp.cuda.graph(function()
      local p = A:dot(x)
      y:assign(p * 3 + b)
      return p
    end)
    if waits and not check.mode then assert.equal(2, g.kernels) end -- no product is repeated in each replay
    fusion.same(g(), expected(from(1)))
    g:free()
  end)

  it("gives what it gives at its call, in random programs", function()
    local matrices = { { 1, 0, 2, 0 }, { 0, 0, 0, 0 }, { -1, 3, 0, 0.5 }, { 0, 2, 0, -2 } }
    local function run(seed)
      local state = seed
      local function below(n)
        state = state * 16807 % 2147483647
        return math.floor(state / 64) % n + 1
      end
      local A, vectors, log = sp.csr_array(matrices), {}, {}
      for k = 1, 4 do vectors[k] = cp.arange(k, k + 4):astype "float64" % 5 - 2 end
      local function any() return vectors[below(4)] end
      local steps = {
        function() vectors[below(4)] = A:dot(any()) end,
        function() vectors[below(4)] = A:dot(any()) * (below(5) - 3) + any() end,
        function() vectors[below(4)] = any() - A:dot(any()) end,
        function() vectors[below(4)] = any() * 0.5 end,
        function() vectors[below(4)] = any() + any() end,
        function() vectors[below(4)] = -any() end,
        function() any()["2:3"]:fill(below(4)) end,
        function() any():mul_(0.5) end,
        function() any():assign(A:dot(any()) - any()) end,
        function() A.data[below(#A.data)] = below(6) - 3 end,
        function() log[#log + 1] = any():sum():item() end,
        function() log[#log + 1] = any()[below(4)] end,
        function() A = A * 0.5 end,
        function() cp.eval(any()) end,
        function() cp.eval(vectors[1], vectors[3]) end,
        function() cp.synchronize() end,
        function() if below(4) == 1 then cp.collect() end end,
      }
      for _ = 1, 40 do steps[below(#steps)]() end
      for k = 1, 4 do
        for _, v in ipairs(vectors[k]:totable()) do log[#log + 1] = v end
      end
      return log
    end
    for seed = 1, mode == "on" and 100 or 1 do
      local got, before = run(seed), cp.fusion(false)
      local want = run(seed)
      cp.fusion(before)
      assert.equal(#want, #got)
      for k = 1, #want do
        local same = got[k] == want[k] or (got[k] ~= got[k] and want[k] ~= want[k])
        if not same then error(("program %d: value %d is %s, want %s"):format(seed, k, got[k], want[k])) end
      end
    end
  end)

  it("fails at its call if shapes do not fit", function()
    check.failure("shape", "scipy.sparse.dot: shapes (6, 6) and (7) cannot be multiplied",
      function() local _ = matrix():dot(cp.ones(7)) end)
    check.failure("shape", "add: shapes (6) and (5) do not broadcast",
      function() local _ = matrix():dot(vector(1)) + cp.ones(5) end)
  end)

  it("can be computed later if there is no memory", function()
    local m, width = 2 ^ 18, 5 -- no array before has as many bytes as the product, so no such block is kept
    local A = sp.csr_array { data = cp.ones(m), indices = cp.zeros(m, "int32"), indptr = cp.arange(m + 1, "int32"),
      shape = { m, 3 } }
    local x = cp.eval(cp.ones { 3, width })
    A:dot(cp.ones(3)):eval()
    local before = cp.memory().limit
    cp.collect()
    local y = A:dot(x) * 3
    cp.collect()
    cp.memory { limit = cp.memory().live + m }
    local ok, message = pcall(function() y:eval() end)
    cp.memory { limit = before }
    if not ok then assert.matches("out of memory", message) end
    if waits and not check.mode then assert.is_false(ok) end
    assert.equal(3 * m * width, cp.sum(y):item())
  end)
end)

-- What follows counts kernels, which other modes have more of.
if check.mode or fusion.forced then return end

describe("a product that waits", function()
  wait()

  it("is computed twice at most once for a matrix, if it is needed beside what it joined", function()
    local A, x = matrix(), vector(1)
    A:dot(x):eval()
    local function round()
      local p = A:dot(x)
      local y = cp.eval(p * 3 + b)
      fusion.same(y, expected(from(1), JOINED[10][3]))
      fusion.same(p, expected(from(1)))
    end
    local function kernels() return counted(round) end
    local first, second = kernels(), kernels()
    assert.equal(first, second) -- two products, then a product and what is made of it
    local p
    assert.equal(1, counted(function() p = A:dot(x) end)) -- at the call from now on
    assert.equal(1, counted(function() return cp.eval(p * 3 + b) end))
  end)

  it("is computed once for several values that wait together", function()
    local A, x = matrix(), vector(1)
    A:dot(x):eval()
    local y, z
    assert.equal(2, counted(function()
      local p = A:dot(x)
      y, z = p * 3 + b, p - b
      cp.eval(y, z)
    end))
    fusion.same(y, expected(from(1), JOINED[10][3]))
    fusion.same(z, expected(from(1), JOINED[8][3]))
    assert.equal(2, counted(function()
      local t = A:dot(x) * 3
      y, z = t + b, t - b
      cp.eval(y)
      cp.eval(z)
    end) - 1)
    assert.equal(2, counted(function() y = cp.eval(A:dot(x) + A:dot(b)) end))
    fusion.same(y, expected(function(j) return j + 9 + j end))
  end)

  it("is computed before many operators have followed it", function()
    local A, x = matrix(), vector(1)
    A:dot(x):eval()
    cp.synchronize() -- computes what other tests left
    local p = A:dot(x)
    assert.equal(1, counted(function() for k = 1, 100 do local _ = x + k end end))
    assert.equal(0, counted(function() p:eval() end))
  end)

  it("is computed when all work is waited for, unless what it joined has been", function()
    local A, x = matrix(), vector(1)
    A:dot(x):eval()
    cp.synchronize()
    local p, y
    assert.equal(1, counted(function()
      p = A:dot(x)
      cp.synchronize()
    end))
    assert.equal(1, counted(function()
      y = cp.eval(A:dot(x) * 3 + b)
      cp.synchronize()
      cp.synchronize()
    end))
    fusion.same(y, expected(from(1), JOINED[10][3]))
    fusion.same(p, expected(from(1)))
  end)

  it("is computed before a part of a large array that it reads is written, rather than copied in each round", function()
    local n = 50000 -- copies of fewer bytes than a launch costs are made
    local A, x = sp.eye(n):tocsr(), cp.eval(cp.ones(n))
    A:dot(x):eval()
    local function round()
      local y = cp.eval(A:dot(x) * 3 + x)
      x["2:"]:fill(1)
      assert.equal(4 * n, cp.sum(y):item())
    end
    round()
    local rest = check.counted(function() for _ = 1, 5 do round() end end)
    assert.equal(0, rest.renames)
    assert.equal(5 * 4, rest.launches)
  end)

  it("keeps no more memory than the arrays that it reads, in a loop without collections", function()
    local n = 20000
    local A, x = sp.eye(n):tocsr(), cp.eval(cp.ones(n))
    A:dot(x):eval()
    cp.collect()
    local before = cp.memory().live
    for _ = 1, 2000 do x = A:dot(x) * 0.5 + x end
    x:eval()
    cp.collect()
    assert.is_true(cp.memory().live - before < 8 * n * 8)
  end)
end)

repeat_forced "spec/sparse/waiting_spec.lua"
