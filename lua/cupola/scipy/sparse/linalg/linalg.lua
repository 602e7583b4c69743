-- cp.scipy.sparse.linalg: norms, powers, triangular systems and preconditioners; the solvers are in files of
-- their own.

return function(cp, core, S)
  local linalg = {}
  local publish = core.publisher(linalg, "scipy.sparse.linalg.")
  local usage, raise_shape = core.usage, core.raise_shape

  cp.scipy.sparse.linalg = linalg
  for _, file in ipairs { "operator", "iterative", "residuals", "least_squares" } do
    require("cupola.scipy.sparse.linalg." .. file)(cp, core, S, publish)
  end
  for _, file in ipairs { "direct", "preconditioners", "eigen", "lobpcg", "expm" } do
    require("cupola.scipy.sparse.linalg." .. file)(cp, core, S, linalg, publish)
  end

  publish("matrix_power", "A, power", 2, S.matrix_power)

  local methods = S.methods

  -- The values of size as floating ones: powers of integers might not fit their dtype.
  local function inexact(size)
    return core.is_inexact(size.data) and size.data or size.data:astype "float64"
  end

  -- size with each value changed by f.
  local function with_values(size, f) return S.object(S.sharing(size, f(inexact(size)))) end

  -- The norms of the rows (columns) of which `size` has the magnitudes.
  local function vector_norms(where, size, ord, axis)
    local A = S.object(size)
    if ord == nil then ord = 2 end
    if ord == math.huge then return methods.max(A, axis) end
    if ord == -math.huge then return methods.min(A, axis) end
    if ord == 0 then return methods.count_nonzero(A, axis):astype "int64" end
    if ord == 1 then return methods.sum(A, axis) end
    if ord == 2 then return cp.sqrt(methods.sum(with_values(size, cp.square), axis)) end
    local p = core.number(ord, where, "ord")
    return methods.sum(with_values(size, function(x) return x ^ p end), axis) ^ (1 / p)
  end

  -- The norm of a matrix whose rows lie along the axis `columns`.
  local function matrix_norm(where, f, size, ord, rows, columns)
    local A = S.object(size)
    if ord == nil or ord == "fro" or ord == "f" then return S.length(inexact(f)) end
    if ord == 1 then return cp.max(methods.sum(A, rows)) end
    if ord == -1 then return cp.min(methods.sum(A, rows)) end
    if ord == math.huge then return cp.max(methods.sum(A, columns)) end
    if ord == -math.huge then return cp.min(methods.sum(A, columns)) end
    if ord ~= 2 then usage(where, 'ord must be "fro", 1, -1, 2, inf or -inf') end
    return linalg.svds(S.object(f), 1, { return_singular_vectors = false })[1]
  end

  -- A norm of a sparse array: "fro" (default), 1, -1, 2, inf or -inf, of the whole; with an axis, of its rows
  -- or columns, where ord may be any number. Two axes are the whole, whose sums go along the first one where
  -- ord is 1. Of an array with one axis what cp.linalg.norm gives.
  publish("norm", "x, ord, axis", 1, function(where, x, ord, axis)
    if S.is(x) and S.fields(x).vector then
      if axis ~= nil then core.axis(axis, where, "axis", 1) end
      if ord == "fro" then ord = nil end
      return cp.linalg.norm(x:toarray(), ord)
    end
    local f = S.canonical(where, S.take(where, x, "x"))
    local size = S.sharing(f, cp.abs(f.data))
    if type(axis) == "table" and #axis == 1 then axis = axis[1] end
    if axis ~= nil and type(axis) ~= "table" then
      return vector_norms(where, size, ord, core.axis(axis, where, "axis", 2))
    end
    if axis == nil then axis = { 1, 2 } end
    if #axis ~= 2 then usage(where, "axis must be one axis or two") end
    local rows, columns = core.axis(axis[1], where, "axis", 2), core.axis(axis[2], where, "axis", 2)
    if rows == columns then core.raise(where, "index", "axis names an axis twice") end
    return matrix_norm(where, f, size, ord, rows, columns)
  end)

  -- ---- bands

  -- How many diagonals below and above the main one have entries; of a dia array, which it stores.
  local function bands(where, A)
    local f = S.is(A) and S.take(where, A, "A") or S.as_sparse(where, core.as_array(A, where, "A"), "A")
    if f.vector then raise_shape(where, "A must have two axes, not shape " .. tostring(A.shape)) end
    local gaps
    if f.format == "dia" then
      gaps = core.as_array(f.offsets, where, "A")
    else
      local row, col = S.triplets(where, f)
      gaps = col:astype "int64" - row:astype "int64"
    end
    if #gaps == 0 then return 0, 0 end
    local least, most = cp.min(gaps), cp.max(gaps)
    cp.eval(least, most)
    return math.max(0, -least:item()), math.max(0, most:item())
  end

  --- How many diagonals below and above the main one A reaches. Entries count, also stored zeros.
  publish("spbandwidth", "A", 1, bands)

  --- Whether A has no entries above its diagonal (is lower triangular), and whether none below. Stored zeros
  --- count.
  publish("is_sptriangular", "A", 1, function(where, A)
    local below, above = bands(where, A)
    return above == 0, below == 0
  end)

  -- ---- triangular systems

  -- f's triangle as canonical csr: without the diagonal if `unit`, else with a whole one.
  local function triangle(where, f, lower, unit, dtype)
    local g = S.canonical(where, S.convert(where, f, "csr"))
    local row, col, data = S.triplets(where, g)
    local wanted
    if lower then
      wanted = unit and cp.less(col, row) or cp.less_equal(col, row)
    else
      wanted = unit and cp.greater(col, row) or cp.greater_equal(col, row)
    end
    row, col, data = S.choose(where, wanted, row, col, data:astype(dtype, false))
    if not unit then
      local diagonal = S.methods.diagonal(S.object(g))
      local zero = cp.equal(diagonal, 0)
      if zero:any() then
        usage(where, string.format("A is singular: its diagonal is 0 in row %d", cp.argmax(zero):item()))
      end
    end
    return S.fields(S.from_sorted(where, "csr", f.shape[1], f.shape[2], row, col, data))
  end

  -- The order in which a device solves for the rows of the triangle t, if it wants one. t keeps it.
  local function order_of(where, t, lower)
    if t.order and core.has_memory(t.order) then return t.order end
    if core.capturing or not core.sparse_orders(t.indptr) then return nil end
    local turned = S.convert(where, S.fields(S.transpose(where, t)), "csr")
    t.order = core.sparse_order(where, turned.indptr, turned.indices, lower)
    return t.order
  end

  --- Solves with a triangle in canonical csr form, which is not written to, in place of x. unit: its diagonal
  --- is 1 and not stored. Where core.sparse_solves_columns it may be csc, and of the order only the place of
  --- the diagonal counts.
  function S.solve_triangle(where, t, x, lower, unit)
    core.sparse_solve(where, t.indptr, t.indices, t.data, x, lower, unit, order_of(where, t, lower), t.format == "csc")
  end

  -- f's triangle, kept until f is written.
  local function kept_triangle(where, f, lower, unit, dtype)
    if core.capturing then return triangle(where, f, lower, unit, dtype) end
    local kept, now = f.triangle, S.versions(where, f)
    if kept and now and kept.of == now and kept.lower == lower and kept.unit == unit and kept.dtype == dtype
      and S.is_whole(kept.t) then
      return kept.t
    end
    local t = triangle(where, f, lower, unit, dtype)
    f.triangle = { t = t, of = S.versions(where, f), lower = lower, unit = unit, dtype = dtype }
    return t
  end

  -- Solves a triangular system. The other triangle is not looked at.
  publish("spsolve_triangular", "A, b, lower, overwrite_A, overwrite_b, unit_diagonal", 2,
    function(where, A, b, lower, overwrite_A, overwrite_b, unit)
      local f = S.is(A) and S.take(where, A) or S.as_sparse(where, A, "A")
      core.boolean(overwrite_A, where, "overwrite_A", false)
      core.boolean(overwrite_b, where, "overwrite_b", false)
      lower, unit = core.boolean(lower, where, "lower", true), core.boolean(unit, where, "unit_diagonal", false)
      b = core.as_array(b, where, "b", f.data)
      if f.shape[1] ~= f.shape[2] then raise_shape(where, "A must be square") end
      if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= f.shape[1] then
        raise_shape(where, string.format("b must have %d rows, not shape %s", f.shape[1], tostring(b.shape)))
      end
      local dtype = S.solving_dtype(cp.promote_types(f.data, b))
      local x = cp.ascontiguousarray(b:astype(dtype))
      x:eval()
      S.solve_triangle(where, kept_triangle(where, f, lower, unit, dtype), x, lower, unit)
      return x
    end)
end
