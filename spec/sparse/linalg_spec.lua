-- cp.scipy.sparse.linalg: solvers against known solutions and dense least squares, in every dtype; operators,
-- norms, triangular systems, preconditioners.

local cp = require "cupola"
local shared = require "spec.helper.sparse"
local check = require "spec.helper.check"
local failure = check.failure

local sp = cp.sparse
local linalg = sp.linalg

local N = 40
local near, vector = shared.near, shared.vector
local function matrix(dtype, hermitian) return shared.tridiagonal(N, dtype, hermitian) end

local DTYPES = { float32 = { 1e-5, 1e-4 }, float64 = { 1e-10, 1e-8 }, complex64 = { 1e-5, 1e-4 },
  complex128 = { 1e-10, 1e-8 } }

describe("iterative solvers", function()
  it("change the vectors of cg in place on a CPU", function()
    if check.mode then return pending "other modes take other ways" end
    local A = shared.laplacian(5000, "float64"):to "cpu"
    local b = cp.cpu.ones(5000)
    local before = cp.profiler.counters().renames
    linalg.cg(A, b, { rtol = 0, maxiter = 10 })
    assert.is_true(cp.profiler.counters().renames <= before + 1)
  end)

  for _, name in ipairs { "cg", "minres", "bicg", "bicgstab", "cgs", "gmres" } do
    it(name .. " says when it did not converge, and calls back", function()
      local A, b = matrix("float64", true), vector(N, "float64", 5)
      local calls = 0
      local options = { rtol = 1e-14, maxiter = 2, callback = function() calls = calls + 1 end }
      if name == "gmres" then options.restart = 2 end
      local y, info = linalg[name](A, b, options)
      assert.equal(2, info)
      assert.equal(2, calls)
      assert.is_true(y:has_shape(N))
      y, info = linalg[name](A, cp.zeros(N))
      assert.equal(0, info)
      assert.equal(0, cp.max(cp.abs(y)):item())
    end)
  end

  it("stay exact after an exact solution", function()
    local I = sp.eye(5)
    for _, name in ipairs { "cg", "bicgstab", "cgs", "gmres", "minres" } do
      local y, info = linalg[name](I, { 1, 2, 3, 4, 5 }, { rtol = 1e-12 })
      assert.equal(0, info, name)
      near(y, cp.array { 1, 2, 3, 4, 5 }, 1e-12)
    end
  end)

  it("minres solves indefinite and shifted systems", function()
    local d = cp.concatenate { cp.arange(20) - 25.5, cp.arange(20) + 4.5 }
    local A, x = sp.diags(d):tocsr(), vector(N, "float64", 8)
    local y, info = linalg.minres(A, A:dot(x), { rtol = 1e-11 })
    assert.equal(0, info)
    near(y, x, 1e-8)
    y = linalg.minres(A, A:dot(x) - 0.25 * x, { rtol = 1e-11, shift = 0.25 })
    near(y, x, 1e-8)
  end)

  -- Numbers of steps are SciPy 1.17's, found by counting calls of the callback. A GPU asks at every eighth.
  it("minres checks that its operators are hermitian, and shows its steps", function()
    local n = 30
    for _, dtype in ipairs { "float64", "complex128" } do
      local A, x = shared.tridiagonal(n, dtype, true), vector(n, dtype, 3)
      local y, info = linalg.minres(A, A:dot(x), { rtol = 1e-11, check = true, M = linalg.jacobi(A) })
      assert.equal(0, info)
      near(y, x, 1e-8)
      local B = A + sp.eye(n, n, 1, dtype) * (dtype == "float64" and 1 or cp.j)
      failure("usage", "scipy.sparse.linalg.minres: A is not hermitian",
        function() local _ = linalg.minres(B, A:dot(x), { check = true }) end)
      failure("usage", "scipy.sparse.linalg.minres: M is not hermitian",
        function() local _ = linalg.minres(A, A:dot(x), { check = true, M = sp.eye(n, n, 0, dtype) + B }) end)
    end
    local output, status = check.run [[
      local cp = require "cupola"
      local lobpcg, minres = cp.sparse.linalg.lobpcg, cp.sparse.linalg.minres
      minres(cp.cpu.eye(3) * 4, cp.cpu.ones(3), { show = true })
      local diagonal = cp.sparse.diags(cp.cpu.array { 1, 2, 3, 4 })
      lobpcg(diagonal, cp.cpu.array { 1, 1, 1, 1 }, { verbosityLevel = 1, maxiter = 2, tol = 1e-15 })
      ]]
    assert.equal(0, status, output)
    local words = "step 1: residual %d[%d.]*e%S+, norm of A %d%S+, condition 1.0e%+00\n"
    for k = 0, 2 do words = words .. "step " .. k .. ": largest residual %d[%d.]*e%S+\n" end
    assert.is_true(output:find(words) == 1, output)
    assert.is_true(cp.array_equal(linalg.minres(cp.eye(3), cp.zeros(3), { check = true }), cp.zeros(3)))
  end)

  it("minres stops where SciPy's does", function()
    local n, k = 60, cp.arange(60)
    local function tridiagonal(d)
      local beside = cp.full({ n - 1 }, -1)
      return sp.diags({ beside, d, beside }, { -1, 0, 1 })
    end
    local A, b = tridiagonal(0.7 + cp.cos(k) * 0.5):tocsr(), cp.sin(k + 1)
    -- b is not a combination of the columns of this
    local singular = sp.diags(cp.where(cp.less(k, 30), k + 1, 0)):tocsr()
    local P, unit = tridiagonal(cp.full({ n }, 2.5)):tocsr(), cp.zeros(n)
    unit[4] = 1
    local function check_steps(steps, info, M, v, o)
      local count = 0
      o.callback = function() count = count + 1 end
      local _, got = linalg.minres(M, v, o)
      if not cp.device().name:find "cpu" then steps = math.min(math.ceil(steps / 8) * 8, o.maxiter or math.huge) end
      assert.equal(steps, count)
      assert.equal(info, got)
    end
    check_steps(11, 0, A, b, { rtol = 1e-2 })
    check_steps(60, 0, A, b, { rtol = 1e-5 })
    check_steps(14, 0, singular, b, { rtol = 1e-3 })
    check_steps(23, 0, singular, b, { rtol = 1e-6 })
    check_steps(5, 5, A, b, { rtol = 1e-9, maxiter = 5 })
    check_steps(1, 0, singular, unit, {}) -- an eigenvector
    check_steps(15, 0, P, b, { shift = 0.25 })
    check_steps(13, 0, P, b, { M = sp.diags(1 / (2 + k / n)):tocsr() })
  end)

  it("leave callbacks and operators the vectors that they got", function()
    local A, b = matrix("float64", true), vector(N, "float64", 5)
    for _, name in ipairs { "cg", "minres", "bicg", "bicgstab", "cgs", "gmres" } do
      local seen, last = {}, nil
      local function keep(v)
        seen[#seen + 1] = v
        return A:dot(v)
      end
      local function told(v)
        seen[#seen + 1], last = v, v
      end
      local op = linalg.LinearOperator({ N, N }, { matvec = keep, rmatvec = keep, dtype = "float64" })
      local o = { rtol = 1e-10, callback = told, callback_type = name == "gmres" and "x" or nil }
      local y = linalg[name](A, b, o)
      near(last, y, 1e-12)
      linalg[name](op, b, { rtol = 1e-10 })
      for _, v in ipairs(seen) do assert.equal(N, #v:totable(), name) end
      local copy = b:copy()
      near(linalg[name](A, b, { rtol = 1e-10 }), y, 1e-12)
      near(b, copy, 0)
    end
  end)
end)

describe("least squares", function()
  for _, name in ipairs { "lsqr", "lsmr" } do
    it(name .. " agrees with dense least squares", function()
      for _, dtype in ipairs { "float64", "complex128" } do
        local A = sp.vstack { matrix(dtype, false), sp.random(25, N, 0.3, { seed = 2, dtype = dtype }) }
        local b = vector(N + 25, dtype, 4)
        local options = { atol = 1e-13, btol = 1e-13, [name == "lsqr" and "iter_lim" or "maxiter"] = 300 }
        local y, stop, steps, residual = linalg[name](A, b, options)
        assert.is_true(stop == 2 and steps > 1)
        near(y, cp.linalg.lstsq(A:toarray(), b), 1e-9)
        assert.is_true(math.abs(residual - cp.linalg.norm(A:dot(y) - b):item()) < 1e-6)
        -- damped: the least squares of a taller system
        options.damp = 0.7
        local damped = linalg[name](A, b, options)
        local tall = sp.vstack { A, sp.eye(N) * 0.7 }
        near(damped, cp.linalg.lstsq(tall:toarray(), cp.concatenate { b, cp.zeros(N) }), 1e-8)
      end
    end)

    it(name .. " solves consistent systems", function()
      local A, x = matrix("float64", false), vector(N, "float64", 6)
      local y, stop = linalg[name](A, A:dot(x), { atol = 1e-12, btol = 1e-12 })
      assert.equal(1, stop)
      near(y, x, 1e-9)
    end)
  end
end)

describe("operators", function()
  it("combine", function()
    local A, x = matrix("complex128", false), vector(N, "complex128", 1)
    local op, dense = linalg.aslinearoperator(A), A:toarray()
    near(op:matvec(x), cp.matmul(dense, x), 1e-12)
    near(op:rmatvec(x), cp.matmul(cp.conj(dense).T, x), 1e-12)
    near(op.H:matvec(x), cp.matmul(cp.conj(dense).T, x), 1e-12)
    near(op.T:matvec(x), cp.matmul(dense.T, x), 1e-12)
    near((op * 2 + op):matvec(x), cp.matmul(dense, x) * 3, 1e-12)
    near((op - A):matvec(x), x * 0, 1e-12)
    near(op:dot(op):matvec(x), cp.matmul(dense, cp.matmul(dense, x)), 1e-11)
    near(op:matmat(cp.stack({ x, x * 2 }, 2)), cp.matmul(dense, cp.stack({ x, x * 2 }, 2)), 1e-12)
    assert.equal("(40, 40)", tostring(op.shape))
    local own = linalg.LinearOperator({ N, N }, function(v) return v * 3 end)
    near(own:matvec(x), x * 3, 1e-15)
    near(own:matmat(cp.stack({ x, x }, 2)), cp.stack({ x, x }, 2) * 3, 1e-15)
  end)
end)

describe("triangular systems", function()
  it("are solved for vectors and matrices", function()
    for dtype, bounds in pairs(DTYPES) do
      local A = sp.random(300, 300, 0.05, { seed = 9, dtype = dtype }) + sp.eye(300, 300, 0, dtype) * 8
      for _, lower in ipairs { true, false } do
        local T = (lower and sp.tril or sp.triu)(A)
        local x = vector(300, dtype, 2)
        near(linalg.spsolve_triangular(A, T:dot(x), { lower = lower }), x, bounds[2])
        local wide = cp.stack({ x, x * 2, x - 1 }, 2)
        near(linalg.spsolve_triangular(T:tocsc(), T:dot(wide), { lower = lower }), wide, bounds[2])
      end
    end
    local U = sp.csr_array { { 5, 2, 1 }, { 0, 7, 3 }, { 0, 0, 9 } }
    local y = linalg.spsolve_triangular(U, { 6, 4, 1 }, { lower = false, unit_diagonal = true })
    assert.same({ 3, 1, 1 }, y:totable())
    failure("usage", "scipy.sparse.linalg.spsolve_triangular: A is singular: its diagonal is 0 in row 2",
      function() local _ = linalg.spsolve_triangular(sp.csr_array { { 1, 0 }, { 1, 0 } }, { 1, 1 }) end)
  end)
end)

describe("norms", function()
  it("are those of dense matrices", function()
    local A = sp.random(30, 20, 0.2, { seed = 1 }) - sp.random(30, 20, 0.1, { seed = 2 })
    local x = A:toarray()
    for _, ord in ipairs { "fro", 1, -1, math.huge, -math.huge } do
      near(linalg.norm(A, ord), cp.linalg.norm(x, ord), 1e-12)
    end
    near(linalg.norm(A), cp.linalg.norm(x), 1e-12)
    near(linalg.norm(A, 2), cp.linalg.norm(x, 2), 1e-9)
    for axis = 1, 2 do
      for _, ord in ipairs { 0, 1, 2, 3, math.huge, -math.huge } do
        near(linalg.norm(A, ord, axis), cp.linalg.norm(x, ord, axis), 1e-12)
      end
    end
    for _, ord in ipairs { 1, -1, math.huge, -math.huge } do
      near(linalg.norm(A, ord, { 2, 1 }), cp.linalg.norm(x, ord, { 2, 1 }), 1e-12)
    end
    local B = sp.csr_array({ { 3, 0 }, { -4, 2 } }, { dtype = "int32" })
    assert.same({ "int32", "int64" }, { linalg.norm(B, math.huge, 1).dtype, linalg.norm(B, 1).dtype })
    failure("index", "scipy.sparse.linalg.norm: axis names an axis twice",
      function() local _ = linalg.norm(A, 1, { 1, 1 }) end)
  end)
end)

describe("solvers", function()
  local A = sp.csr_array { { 4, 1, 0 }, { 1, 3, 1 }, { 0, 1, 2 } }

  it("begin with the preconditioned right side if asked for", function() -- values of SciPy 1.17
    for name, want in next, {
      cg = { 0.13351254480286742, 0.25896057347670254, 1.267025089605735 },
      bicg = { 0.13351254480286742, 0.25896057347670254, 1.267025089605735 },
      bicgstab = { 0.20485668262256118, 0.1818508432677687, 1.4097133652451224 },
      cgs = { 0.17032895635924206, 0.21692662867812462, 1.3406579127184841 },
      gmres = { 0.13930194134655102, 0.2792234613795952, 1.278603882693102 },
      minres = { 0.1370673952641166, 0.27140255009107467, 1.2741347905282332 },
    } do
      local x = linalg[name](A, { 1, 2, 3 }, { x0 = "Mb", M = sp.diags { 1 / 4, 1 / 3, 1 / 2 }, maxiter = 1,
        rtol = 1e-12, restart = name == "gmres" and 1 or nil })
      assert.is_true(cp.allclose(x, cp.array(want), { rtol = 1e-9, atol = 0 }), name .. tostring(x))
      local b = cp.array { 1, 2, 3 }
      linalg[name](A, b, { x0 = "Mb" }) -- without M from b itself, which stays as it is
      assert.same({ 1, 2, 3 }, b:totable())
    end
  end)

  it("of triangular systems take dense matrices", function()
    local L = cp.array { { 1, 0 }, { 1, 2 } }
    assert.same({ { 2, 0 }, { 0, 1 } }, linalg.spsolve_triangular(L, { { 2, 0 }, { 2, 2 } }):totable())
    assert.same({ 1, 2, 3 }, linalg.spsolve_triangular(cp.zeros { 3, 3 }, { 1, 2, 3 },
      { unit_diagonal = true }):totable())
    failure("shape", "scipy.sparse.linalg.spsolve_triangular: A must be square",
      function() local _ = linalg.spsolve_triangular(cp.zeros { 3, 4 }, { 1, 2, 3 }) end)
  end)
end)

describe("errors of solvers", function()
  it("name the argument", function()
    for _, name in ipairs { "cg", "bicg", "bicgstab", "cgs", "gmres" } do
      failure("usage", "scipy.sparse.linalg." .. name .. ": atol must not be negative",
        function() local _ = linalg[name](sp.eye(2), { 1, 2 }, { atol = -1 }) end)
      failure("shape", "scipy.sparse.linalg." .. name .. ": x0 has 3 elements, not 2",
        function() local _ = linalg[name](sp.eye(2), { 1, 2 }, { x0 = { 1, 2, 3 } }) end)
    end
    local A = matrix("float64", true)
    failure("shape", "scipy.sparse.linalg.cg: A has 40 rows and b 3 elements",
      function() local _ = linalg.cg(A, { 1, 2, 3 }) end)
    failure("shape", "scipy.sparse.linalg.gmres: A must be square, not (2, 3)",
      function() local _ = linalg.gmres(sp.csr_array { 2, 3 }, { 1, 2 }) end)
    failure("usage", "scipy.sparse.linalg.lsqr: A must have rmatvec",
      function() local _ = linalg.lsqr(linalg.LinearOperator({ 2, 2 }, function(v) return v end), { 1, 2 }) end)
    failure("shape", "scipy.sparse.linalg.matvec: x must have 40 rows, not shape (3)",
      function() local _ = linalg.aslinearoperator(A):matvec { 1, 2, 3 } end)
    failure("shape", "scipy.sparse.linalg.matrix_power: A must be square",
      function() local _ = linalg.matrix_power(sp.csr_array { 2, 3 }, 2) end)
  end)
end)

describe("bands", function()
  it("reach as far as entries do, in every format", function()
    local function entries(...)
      local rows, columns = {}, {}
      for k, place in ipairs { ... } do rows[k], columns[k] = place[1], place[2] end
      return sp.coo_array({ cp.arange(#rows), { rows, columns } }, { shape = { 6, 8 } }) -- the first one is 0
    end
    local cases = {
      { entries({ 5, 2 }, { 1, 3 }, { 4, 4 }), 3, 2 },
      { entries({ 2, 2 }, { 6, 1 }), 5, 0 },
      { entries({ 1, 8 }, { 3, 3 }), 0, 7 },
      { entries({ 3, 3 }, { 1, 1 }), 0, 0 },
      { entries({ 1, 3 }, { 2, 5 }), 0, 3 },
      { sp.coo_array { 4, 4 }, 0, 0 },
    }
    for k, case in ipairs(cases) do
      for _, format in ipairs { "coo", "csr", "csc" } do
        local A = case[1]:asformat(format)
        assert.same({ case[2], case[3] }, { linalg.spbandwidth(A) }, format .. k)
        assert.same({ case[3] == 0, case[2] == 0 }, { linalg.is_sptriangular(A) }, format .. k)
      end
    end
    assert.same({ 1, 3 }, { linalg.spbandwidth(sp.diags({ cp.ones(4), cp.zeros(2) }, { -1, 3 }, { 5, 5 }):todia()) })
    assert.same({ 3, 1 }, { linalg.spbandwidth(sp.csr_array { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 0, 0 },
      { 2, 0, 0, 0 } }:tobsr { 2, 2 }) })
    assert.same({ false, true }, { linalg.is_sptriangular { { 1, 2 }, { 0, 3 } } })
    assert.same({ true, true }, { linalg.is_sptriangular(sp.eye(3)) })
    failure("shape", "scipy.sparse.linalg.spbandwidth: A must have two axes, not shape (3)",
      function() local _ = linalg.spbandwidth(sp.coo_array(cp.array { 1, 0, 2 })) end)
  end)
end)
