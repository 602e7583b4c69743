-- Factors by cuDSS, on a GPU where it is installed: closed forms, equal results as SuperLU's, and memory.
-- direct_golden_spec.lua and direct_spec.lua use it there, too; spec/devices/transfer_spec.lua calls a
-- simulated one.

local cp = require "cupola"
local core = require "cupola.core"
local shared = require "spec.helper.sparse"
local superlu = require "spec.helper.superlu"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse
local linalg = sp.linalg
local near, matrix, vector = shared.near, shared.scattered, shared.vector

local missing = not core.direct_there(cp.zeros(1)) and
  "needs a GPU and cuDSS (the Python wheel nvidia-cudss-cu12 or -cu13)" or nil

local function with_cudss(name, f)
  it(name, function() return missing and pending(missing) or f() end)
end

local function with_both(name, f)
  it(name, function() return (missing or superlu.missing) and pending(missing or superlu.missing) or f() end)
end

local function is_by_cudss(lu) return tostring(lu):find("by the device's library", 1, true) ~= nil end

local TOLERANCES = { float32 = 2e-5, float64 = 1e-13, complex64 = 2e-5, complex128 = 1e-13 }

describe("factors by cuDSS", function()
  with_cudss("solve as the closed form says", function()
    local n = 40
    local A = sp.kronsum(shared.laplacian(n, "float64"), shared.laplacian(n, "float64")):tocsr()
    local places = cp.arange(n) + 1
    for _, j in ipairs { 1, 3, n } do
      local wave = cp.sin(places * (math.pi * j / (n + 1)))
      local v = (wave:reshape(n, 1) * wave:reshape(1, n)):reshape(-1)
      local eigenvalue = 8 * math.sin(math.pi * j / (2 * (n + 1))) ^ 2
      local lu = linalg.splu(A)
      assert.is_true(is_by_cudss(lu))
      near(lu:solve(v), v / eigenvalue, 1e-11)
      near(linalg.spsolve(A, v), v / eigenvalue, 1e-11)
      near(linalg.factorized(A)(v), v / eigenvalue, 1e-11)
    end
  end)

  with_cudss("solve with A, its transpose and its adjoint, one and many right sides, in every dtype", function()
    for dtype, tolerance in pairs(TOLERANCES) do
      for _, n in ipairs { 1, 2, 60 } do
        local A = matrix(n, dtype)
        if dtype:find "complex" then A = A + sp.eye(n, n, 0, dtype) * cp.j end
        local lu = linalg.splu(A)
        assert.is_true(is_by_cudss(lu))
        for trans, M in pairs { N = A, T = A.T, H = A.H } do
          for _, shape in ipairs { { n }, { n, 1 }, { n, 5 } } do
            local x = vector(shape, dtype, 7)
            near(lu:solve(M:dot(x), trans), x, tolerance * 100)
          end
        end
      end
    end
  end)

  with_cudss("take complex right sides of real factors, views, and sparse right sides", function()
    local A = matrix(30, "float64")
    local x = vector({ 30, 4 }, "complex128", 3)
    near(linalg.splu(A):solve(A:dot(x)), x, 1e-11)
    local y = vector({ 4, 30 }, "float64", 3)
    near(linalg.splu(A):solve(A:dot(y.T)), y.T, 1e-11)
    local B = sp.random(30, 7, 0.2, { seed = 9 })
    near(A:matmul(linalg.spsolve(A, B)):toarray(), B:toarray(), 1e-11)
    near(A:matmul(linalg.inv(A)):toarray(), cp.eye(30), 1e-11)
  end)

  with_cudss("do not change with the matrix, and are the same in every run", function()
    local A = matrix(50, "float64")
    local x = vector({ 50 }, "float64", 8)
    local b, lu = A:dot(x), linalg.splu(A)
    local first = lu:solve(b)
    near(first, x, 1e-11)
    A.data:fill(0)
    assert.is_true(cp.array_equal(lu:solve(b), first))
    local again = linalg.splu(matrix(50, "float64"))
    assert.is_true(cp.array_equal(again:solve(b), first))
  end)

  with_cudss("serve several streams in turn", function()
    local A = matrix(200, "float64")
    local x = vector({ 200 }, "float64", 8)
    local lu, results = linalg.splu(A), {}
    for k = 1, 12 do
      cp.cuda.Stream():with(function() results[k] = lu:solve(A:dot(x * k)) end)
    end
    for k, y in ipairs(results) do near(y, x * k, 1e-10) end
  end)

  with_cudss("give their memory back", function()
    local A = matrix(300, "float64")
    local b, pool = vector({ 300 }, "float64", 8), cp.get_default_memory_pool()
    local used
    for k = 1, 30 do
      linalg.spsolve(A, b)
      local _ = linalg.splu(A)
      if k % 10 == 0 then
        collectgarbage()
        collectgarbage()
        linalg.spsolve(A, b) -- which ends the dropped factors
        collectgarbage()
        collectgarbage()
        assert.is_true(used == nil or pool:used_bytes() <= used, "memory is left")
        used = pool:used_bytes()
      end
    end
  end)

  with_cudss("are refused while a graph is captured", function()
    local A, b = matrix(20, "float64"), vector({ 20 }, "float64", 8)
    local lu = linalg.splu(A)
    assert.is_false(pcall(cp.cuda.graph, function() return lu:solve(b) end))
    near(A:dot(lu:solve(b)), b, 1e-11)
  end)
end)

describe("beside cuDSS, SuperLU", function()
  with_both("is what options are for", function()
    local A = matrix(20, "float64")
    assert.is_false(is_by_cudss(linalg.splu(A, "COLAMD")))
    assert.is_false(is_by_cudss(linalg.splu(A, { diag_pivot_thresh = 0.5 })))
    assert.is_false(is_by_cudss(linalg.spilu(A)))
    local b = vector({ 20 }, "float64", 8)
    near(linalg.spsolve(A, b), linalg.spsolve(A, b, "COLAMD"), 1e-12)
  end)

  with_both("factors where a limit of memory is set, towards which cuDSS's memory would not count", function()
    local A, b = matrix(20, "float64"), vector({ 20 }, "float64", 8)
    local lu, before = linalg.splu(A), cp.memory().limit
    cp.memory { limit = cp.memory().live + 2 ^ 26 }
    local ok, other = pcall(linalg.splu, A)
    cp.memory { limit = before }
    assert.is_true(ok, tostring(other))
    assert.is_false(is_by_cudss(other))
    near(other:solve(b), lu:solve(b), 1e-12)
  end)

  with_both("gives the fields", function()
    local A = matrix(20, "float64")
    local lu, host = linalg.splu(A), linalg.splu(A, "COLAMD")
    assert.is_true(is_by_cudss(lu))
    assert.equal(host.nnz, lu.nnz)
    assert.is_true(lu.L == host.L and lu.U == host.U)
    assert.is_true(cp.array_equal(lu.perm_r, host.perm_r) and cp.array_equal(lu.perm_c, host.perm_c))
  end)

  with_both("factors what cuDSS does not factor well", function()
    local n = 60
    local growing = cp.eye(n) - cp.tril(cp.ones { n, n }, -1)
    growing[{ {}, n }] = 1
    local x = vector({ n }, "float64", 8)
    for _, D in ipairs { growing, cp.array { { 0, 1 }, { 1, 0 } }, cp.array { { 1e-30, 1 }, { 1, 1 } } } do
      local A = sp.csr_array(D)
      local b = A:dot(x[{ { 1, A.shape[1] } }])
      near(A:dot(linalg.splu(A):solve(b)), b, 1e-13)
    end
    failure("usage", "scipy.sparse.linalg.splu: A is singular",
      function() local _ = linalg.splu(sp.csr_array { { 1, 2 }, { 2, 4 } }) end)
  end)
end)
