-- Kinds of work with sparse arrays that cupola.lua does not have, on the CPU: the rows of kinds.py, in its
-- order. report(matrix, work, f) measures f; matrix(name) gives one of the comparison's matrices, as a csr
-- array of float64.

return function(report, matrix)
  local cp = require "cupola"
  local sp = cp.sparse
  local linalg, graphs = sp.linalg, sp.csgraph

  local function of(name)
    return function(work, f)
      report(name, work, function()
        local a, b, c = f()
        for _, x in ipairs { b or false, c or false } do
          if type(x) == "userdata" or sp.issparse(x) then x:free() end
        end
        if type(a) == "userdata" then a:eval() end
        return a
      end)
    end
  end

  -- ---- forms, elements, arithmetic

  for _, name in ipairs { "random", "laplace5" } do
    local A, kind = matrix(name), of(name)
    local n = A.shape[1]
    local rng = cp.random.default_rng(1)
    local rows, columns = rng:integers(1, n + 1, { size = { 10000 } }), rng:integers(1, n + 1, { size = { 10000 } })
    local mask = cp.greater(rng:random { n }, 0.5)
    local B, C = A.T:tocsr(), A:tocsc()
    local row, column = cp.arange(n):astype "float64":reshape(1, n), cp.arange(n):astype "float64":reshape(n, 1)
    kind("csr to csc", function() return A:tocsc() end)
    kind("csc to csr", function() return C:tocsr() end)
    kind("copy", function() return A:copy() end)
    kind("columns 10 to 20", function() return A[":, 10:20"] end)
    kind("rows 10 to 20", function() return A["10:20, :"] end)
    kind("half of the columns", function() return A[{ {}, { 1, math.floor(n / 2) } }] end)
    kind("half of the rows", function() return A[{ { 1, math.floor(n / 2) }, {} }] end)
    kind("rows of a mask", function() return A[{ mask, {} }] end)
    kind("1e4 elements", function() return A[{ rows, columns }] end)
    kind("one element", function() return A[{ 10, 20 }] end)
    kind("max along axis 0", function() return A:max(1) end)
    kind("max along axis 1", function() return A:max(2) end)
    kind("min along axis 0", function() return A:min(1) end)
    kind("argmax along axis 1", function() return A:argmax(2) end)
    kind("sum along axis 0", function() return A:sum(1) end)
    kind("sum along axis 1", function() return A:sum(2) end)
    kind("sum", function() return A:sum() end)
    kind("times a row", function() return A:multiply(row) end)
    kind("times a column", function() return A:multiply(column) end)
    kind("A * A, elementwise", function() return A:multiply(A) end)
    kind("A * B, elementwise", function() return A:multiply(B) end)
    kind("A + B", function() return A + B end)
    kind("A - A", function() return A - A end)
    kind("2 A", function() return A * 2 end)
    kind("abs", function() return cp.abs(A) end)
    kind("A > B", function() return A:gt(B) end)
    kind("maximum of A and B", function() return A:maximum(B) end)
    kind("diagonal", function() return A:diagonal() end)
    kind("lower triangle", function() return sp.tril(A) end)
    kind("vstack", function() return sp.vstack { A, A } end)
    kind("hstack", function() return sp.hstack { A, A } end)
    kind("norm", function() return linalg.norm(A) end)
  end
  of "random" ("A A", (function()
    local A = matrix "random"
    return function() return A:matmul(A) end
  end)())

  -- ---- graphs

  do
    local G, kind = matrix "rmat", of "rmat"
    kind("breadth_first_order", function() return graphs.breadth_first_order(G, 1) end)
    kind("depth_first_order", function() return graphs.depth_first_order(G, 1) end)
    kind("laplacian", function() return graphs.laplacian(G) end)
    kind("strong components", function()
      local _, labels = graphs.connected_components(G, { connection = "strong" })
      return labels
    end)
    kind("minimum_spanning_tree", function() return graphs.minimum_spanning_tree(G) end)
    kind("reverse_cuthill_mckee", function() return graphs.reverse_cuthill_mckee(G) end)
    kind("dijkstra of 4 nodes", function() return graphs.dijkstra(G, { indices = cp.index { 1, 2, 3, 4 } }) end)
  end

  -- ---- systems and eigenvalues

  local L, kind = matrix "laplace5", of "laplace5"
  L = L - 4 * sp.eye(L.shape[1])
  local small = L[{ { 1, 9000 }, { 1, 9000 } }]
  local n = small.shape[1]
  local b, few = cp.ones(n), cp.ones { n, 8 }
  kind("spsolve, 9000", function() return linalg.spsolve(small, b) end)
  local columns = small:tocsc()
  kind("splu, 9000", function()
    linalg.splu(columns)
    return 0
  end)
  local lu = linalg.splu(columns)
  kind("solve by factors", function() return lu:solve(b) end)
  kind("solve by factors, 8 sides", function() return lu:solve(few) end)
  local lower = sp.tril(small):tocsr()
  kind("spsolve_triangular", function() return linalg.spsolve_triangular(lower, b, true) end)
  local shifted, whole = L + sp.eye(L.shape[1]), cp.ones(L.shape[1])
  for _, name in ipairs { "bicg", "bicgstab", "cgs", "cg", "minres" } do
    local o = name == "minres" and { rtol = 1e-30, maxiter = 20 } or { rtol = 0, maxiter = 20 }
    kind(name .. ", 20 steps", function() return (linalg[name](shifted, whole, o)) end)
  end
  kind("minres", function() return (linalg.minres(shifted, whole)) end)
  kind("gmres, 2 cycles", function()
    return (linalg.gmres(shifted, whole, { rtol = 0, maxiter = 2, restart = 20, callback_type = "pr_norm" }))
  end)
  kind("lsqr, 20 steps", function() return (linalg.lsqr(L, whole, { iter_lim = 20, atol = 0, btol = 0 })) end)
  kind("lsmr, 20 steps", function() return (linalg.lsmr(L, whole, { maxiter = 20, atol = 0, btol = 0 })) end)
  kind("eigsh, 4 largest", function() return linalg.eigsh(small, 4, { tol = 1e-4 }) end)
  kind("eigs, 4 largest", function() return linalg.eigs(small, 4, { tol = 1e-4 }) end)
  kind("svds, 4 largest", function() return linalg.svds(small, 4, { tol = 1e-4 }) end)
  local X = cp.cos(cp.arange(n * 4):astype "float64" ^ 2):reshape(n, 4)
  kind("lobpcg, 20 steps", function() return linalg.lobpcg(small, X, { maxiter = 20, tol = 1e-14, largest = true }) end)
  kind("expm_multiply", function() return linalg.expm_multiply(small * -0.1, b) end)
end
