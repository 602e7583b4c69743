-- Direct solvers. A device's own library makes the factors where it can (on_device.lua). Otherwise SuperLU
-- factors on the host (core.sparse_factor); these factors come back to the array's device and are solved
-- there.

return function(cp, core, S, linalg, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  local D = require "cupola.scipy.sparse.linalg.on_device" (cp, core, S)

  -- ---- factors

  local Factors = {} -- the metatable of objects with Pr A Pc = L U
  local methods = {}

  local function is_factors(v) return type(v) == "table" and getmetatable(v) == Factors end

  local function checked(lu)
    if not is_factors(lu) then usage("scipy.sparse.linalg.SuperLU", "call methods with a colon") end
    return lu
  end

  local factor_on_host

  -- What is known of the places of factors, which no script can reach.
  local RAW = { fixed = true, sorted = false, canonical = false }
  local CANONICAL = { fixed = true, sorted = true, canonical = true }

  -- The parts of factors, which SuperLU makes now if the device's library made them.
  local function parts_of(where, lu)
    if not lu.parts.L then
      local f = D.matrix(where, lu.parts.handle, lu.parts.n)
      for name, part in next, factor_on_host(where, f, lu.parts.dtype) do lu.parts[name] = part end
    end
    return lu.parts
  end

  -- The canonical csr form of a factor or of one transposed, which is kept. A graph that is being captured
  -- makes its own.
  local function by_rows(where, parts, key, from)
    local kept = parts[key]
    if kept and kept.format == "csr" and S.is_whole(kept) then return kept end
    local f = S.convert(where, from, "csr")
    f.known = CANONICAL
    if core.capturing then return f end
    for _, name in ipairs { "data", "indices", "indptr" } do
      core.outlive(f[name], from[name], kept and kept[name])
    end
    parts[key] = f
    return f
  end

  -- L or U, of the transposed matrix if `turned`. SuperLU gives them by columns, with the diagonal in its
  -- place, which is all that some devices need.
  local function triangle(where, lu, name, turned)
    local parts = lu.parts
    local f = parts[name]
    if not core.sparse_solves_columns(f.indptr) then f = by_rows(where, parts, name, f) end
    if not turned then return f end
    f = S.fields(S.transpose(where, f))
    return f.format == "csr" and f or by_rows(where, parts, name .. "T", f)
  end

  -- Moves rows of a vector or matrix, to new memory in C order.
  local function rows_at(x, places)
    local y = cp.ascontiguousarray(cp.take(x, places, 1))
    y:eval()
    return y
  end

  -- Solves with a right side of the factors' dtype.
  local function solve(where, lu, b, trans)
    local x = lu.parts.handle and D.solve(where, lu.parts.handle, b, trans)
    if x then return x end
    if trans == "H" then return cp.conj(solve(where, lu, cp.conj(b), "T")) end
    local turned = trans == "T"
    local parts = parts_of(where, lu)
    local first, last = parts.row_source, parts.column_places
    if turned then first, last = parts.column_source, parts.row_places end
    x = rows_at(b, first)
    for _, name in ipairs(turned and { "U", "L" } or { "L", "U" }) do
      local t = triangle(where, lu, name, turned)
      S.solve_triangle(where, t, x, (name == "L") ~= turned, false)
    end
    return rows_at(x, last)
  end

  local TRANS = { N = true, T = true, H = true }

  -- Solves with any right side. Real factors solve for real and imaginary parts.
  local function solve_any(where, lu, rhs, trans)
    local n, dtype, device = lu.parts.n, lu.parts.dtype, lu.parts.device
    local b = core.as_array(rhs, where, "rhs", lu.parts.beside)
    if trans == nil then trans = "N" end
    if not TRANS[trans] then core.not_among(where, "trans", '"N", "T" or "H"', trans) end
    if (b.ndim ~= 1 and b.ndim ~= 2) or b.shape[1] ~= n then
      raise_shape(where, string.format("rhs must have %d rows, not shape %s", n, tostring(b.shape)))
    end
    if core.kind(b) == "c" and core.kind(dtype) ~= "c" then
      return solve_any(where, lu, b.real, trans) + solve_any(where, lu, b.imag, trans) * cp.j
    end
    if b.device ~= device then
      usage(where, string.format("rhs is on %s and the factors on %s; move rhs with :to", b.device, device))
    end
    b = b:astype(dtype, false)
    if b.size == 0 then return b:copy() end
    return solve(where, lu, b, trans)
  end

  --- Solves A x = rhs, a vector or matrix; trans "T": with A transposed, "H": and conjugated.
  methods.solve = core.define("scipy.sparse.linalg.solve", "lu, rhs, trans", 2, function(where, lu, rhs, trans)
    return solve_any(where, checked(lu), rhs, trans)
  end)

  local getters = {
    shape = function(lu) return core.shape({ lu.parts.n, lu.parts.n }, "shape", "shape") end,
    nnz = function(lu)
      local parts = parts_of("scipy.sparse.linalg.nnz", lu)
      return #parts.L.data + #parts.U.data
    end,
    perm_r = function(lu) return parts_of("scipy.sparse.linalg.perm_r", lu).row_places:astype "int32" end,
    perm_c = function(lu) return parts_of("scipy.sparse.linalg.perm_c", lu).column_places:astype "int32" end,
    L = function(lu)
      local where = "scipy.sparse.linalg.L"
      parts_of(where, lu)
      return S.object(S.convert(where, S.convert(where, lu.parts.L, "csr"), "csc"))
    end,
    U = function(lu)
      local where = "scipy.sparse.linalg.U"
      parts_of(where, lu)
      return S.object(S.convert(where, S.convert(where, lu.parts.U, "csr"), "csc"))
    end,
  }

  function Factors.__index(lu, key)
    if getters[key] then return getters[key](lu) end
    return methods[key]
  end

  function Factors.__tostring(lu)
    local parts = lu.parts
    return string.format("SuperLU (%d, %d) %s %s, %s", parts.n, parts.n, parts.dtype, parts.device,
      parts.L and string.format("%d stored", lu.nnz) or "by the device's library")
  end

  --- Factors as the operator that they are used for: the inverse of the matrix.
  function S.inverse_operator(v)
    if not is_factors(v) then return nil end
    local n = v.parts.n
    local function times(trans)
      return function(x) return solve_any("scipy.sparse.linalg.solve", v, x, trans) end
    end
    return linalg.LinearOperator({ n, n }, { matvec = times "N", matmat = times "N", rmatvec = times "H",
      dtype = v.parts.dtype })
  end

  -- ---- options

  local ORDERS = { NATURAL = 0, MMD_ATA = 1, MMD_AT_PLUS_A = 2, COLAMD = 3 }
  local RULES = { basic = 1, prows = 2, column = 4, area = 8, secondary = 14, dynamic = 16, interp = 256 }
  local RULE_NAMES = '"basic", "prows", "column", "area", "secondary", "dynamic" or "interp"'

  local function bounded(v, where, name, missing, least, most)
    if v == nil then return missing end
    core.number(v, where, name)
    if not (v >= least and v <= most) then
      usage(where, string.format("%s must be between %g and %g, not %g", name, least, most, v))
    end
    return v
  end

  -- SuperLU's bits of dropping rules: a text or a table of names.
  local function rule_bits(where, rule)
    if rule == nil then return RULES.basic + RULES.area end
    local bits, used = 0, {}
    local function add(name)
      if not RULES[name] then core.not_among(where, "drop_rule", RULE_NAMES, name) end
      if not used[name] then bits = bits + RULES[name] end
      used[name] = true
    end
    if type(rule) == "table" then
      for _, name in ipairs(rule) do add(name) end
    else
      for name in string.gmatch(tostring(rule), "[^,%s]+") do add(name) end
    end
    if used.secondary and (used.prows or used.column or used.area) then
      usage(where, "drop_rule must not name prows, column or area beside secondary")
    end
    return bits
  end

  local OPTIONS = { SymmetricMode = "symmetric", DiagPivotThresh = "threshold", ColPerm = "order", Relax = "relax",
    PanelSize = "panel", ILU_DropTol = "drop_tol", ILU_FillFactor = "fill_factor", ILU_DropRule = "drop_rule" }

  -- Adds the entries of SciPy's table of SuperLU's options to o.
  local function add_options(where, o, options)
    if options == nil then return end
    if type(options) ~= "table" then usage(where, "options must be a table, not " .. type(options)) end
    local names = {}
    for name in next, OPTIONS do names[#names + 1] = name end
    table.sort(names)
    for name, value in next, options do
      if not OPTIONS[name] then core.not_among(where, "options' name", table.concat(names, ", "), name) end
      o[OPTIONS[name]] = value
    end
  end

  local MOST_BLOCK = 2 ^ 15 - 1

  -- The arguments of core.sparse_factor behind the matrix.
  local function read_options(where, o, incomplete)
    local order = o.order == nil and "COLAMD" or o.order
    if not ORDERS[order] then
      core.not_among(where, "permc_spec", '"COLAMD", "MMD_AT_PLUS_A", "MMD_ATA" or "NATURAL"', order)
    end
    local symmetric = core.boolean(o.symmetric, where, "SymmetricMode", false) or order == "NATURAL"
    local threshold = bounded(o.threshold, where, "diag_pivot_thresh", -1, 0, 1)
    local function block(v, name)
      return v == nil and 0 or bounded(core.integer(v, where, name), where, name, 0, 1, MOST_BLOCK)
    end
    local relax, panel = block(o.relax, "relax"), block(o.panel, "panel_size")
    if not incomplete then return ORDERS[order], symmetric, threshold, relax, panel end
    return ORDERS[order], symmetric, threshold, relax, panel, bounded(o.drop_tol, where, "drop_tol", 1e-4, 0, 1),
      bounded(o.fill_factor, where, "fill_factor", 10, 1, MOST_BLOCK), rule_bits(where, o.drop_rule)
  end

  -- ---- factoring

  -- The fields of a square matrix, sparse or dense.
  local function take_square(where, A)
    local f
    if S.is(A) then
      f = S.take(where, A)
    else
      local x = core.as_array(A, where, "A")
      if x.ndim ~= 2 then raise_shape(where, "A must have two axes, not shape " .. tostring(x.shape)) end
      f = S.fields(S.from_dense(where, x, "csc"))
    end
    if f.shape[1] ~= f.shape[2] then
      raise_shape(where, string.format("A must be square, not (%d, %d)", f.shape[1], f.shape[2]))
    end
    return f
  end

  -- The parts of the factors of a matrix without rows, of which SuperLU makes none.
  local function nothing(f, dtype)
    local device = f.data.device
    local places = S.zeros(0, "int64", device)
    local function empty()
      return S.fields(S.new("csr", 0, 0, { indptr = S.zeros(1, "int32", device), indices = S.zeros(0, "int32", device),
        data = S.zeros(0, dtype, device) }))
    end
    return { n = 0, dtype = dtype, device = device, beside = places, row_places = places, column_places = places,
      row_source = places, column_source = places, L = empty(), U = empty() }
  end

  -- The parts of SuperLU's factors of the fields f in dtype; `...` as read_options gives it.
  local function parts_by_superlu(where, f, dtype, ...)
    local n, device = f.shape[1], f.data.device
    if n == 0 then return nothing(f, dtype) end
    local g = S.convert(where, S.canonical(where, f), "csc")
    if #g.indices >= 2 ^ 31 then usage(where, "A has more entries than SuperLU's 32-bit positions can count") end
    local function host(x, to) return x:astype(to, false):to("cpu") end
    local r, c, l_starts, u_starts, l_rows, u_rows, l_values, u_values = core.sparse_factor(where,
      host(g.indptr, "int32"), host(g.indices, "int32"), host(g.data, dtype), ...)
    if r == nil then
      usage(where, "A is singular" .. (select("#", ...) > 5 and ", or too many of its entries were dropped"
        or string.format(": there is no pivot for column %d of the factors", c)))
    end
    local function back(x) return x:to(device) end
    local function raw(starts, rows, values)
      local t = S.fields(S.new("csc", n, n, { indptr = back(starts), indices = back(rows), data = back(values) }))
      t.known = RAW
      return t
    end
    r, c = back(r:astype "int64" + 1), back(c:astype "int64" + 1)
    local parts = { n = n, dtype = dtype, device = device, beside = r, row_places = r, column_places = c,
      row_source = cp.argsort(r), column_source = cp.argsort(c),
      L = raw(l_starts, l_rows, l_values), U = raw(u_starts, u_rows, u_values) }
    cp.eval(r, c, parts.row_source, parts.column_source)
    return parts
  end

  local function as_factors(parts) return setmetatable({ parts = parts }, Factors) end

  function factor_on_host(where, f, dtype)
    return parts_by_superlu(where, f, dtype, read_options(where, {}, false))
  end

  -- The factors of the fields f in dtype, where nobody asked for one of SuperLU's options.
  local function factor(where, f, dtype)
    local handle = f.shape[1] > 0 and D.factor(where, f, dtype)
    if not handle then return as_factors(factor_on_host(where, f, dtype)) end
    local device = f.data.device
    return as_factors { n = f.shape[1], dtype = dtype, device = device, handle = handle,
      beside = S.zeros(1, "int32", device) }
  end

  --- The LU factors of a sparse array with pivots, by SuperLU.
  publish("splu", "A, permc_spec, diag_pivot_thresh, relax, panel_size, options", 1,
    function(where, A, permc_spec, diag_pivot_thresh, relax, panel_size, options)
      local f = take_square(where, A)
      local o = { order = permc_spec, threshold = diag_pivot_thresh, relax = relax, panel = panel_size }
      add_options(where, o, options)
      local dtype = S.solving_dtype(f.data.dtype)
      if next(o) == nil then return factor(where, f, dtype) end
      return as_factors(parts_by_superlu(where, f, dtype, read_options(where, o, false)))
    end)

  --- Incomplete LU factors, of which small entries are dropped.
  publish("spilu", "A, drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options", 1,
    function(where, A, drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options)
      local f = take_square(where, A)
      local o = { order = permc_spec, threshold = diag_pivot_thresh, relax = relax, panel = panel_size,
        drop_tol = drop_tol, fill_factor = fill_factor, drop_rule = drop_rule }
      add_options(where, o, options)
      return as_factors(parts_by_superlu(where, f, S.solving_dtype(f.data.dtype), read_options(where, o, true)))
    end)

  --- A function that solves A x = b for a vector or matrix b.
  publish("factorized", "A", 1, function(where, A)
    local f = take_square(where, A)
    local lu = factor(where, f, S.solving_dtype(f.data.dtype))
    return function(b) return solve_any("scipy.sparse.linalg.solve", lu, b) end
  end)

  -- ---- systems

  local MOST_ELEMENTS = 2 ^ 22 -- of the dense blocks of columns in which a sparse right side is solved

  -- The sparse solution for a sparse right side.
  local function solve_sparse(where, lu, b, format)
    local rows, columns = b.shape[1], b.shape[2]
    local width = math.max(1, math.floor(MOST_ELEMENTS / math.max(1, rows)))
    local csc, pieces = S.convert(where, b, "csc"), {}
    for first = 1, columns, width do
      local last = math.min(columns, first + width - 1)
      local block = S.read(where, csc, { {}, { first, last } })
      local x = solve_any(where, lu, S.dense(where, S.fields(block)))
      pieces[#pieces + 1] = S.from_dense(where, x, "csc")
    end
    if columns == 0 then return S.object(S.sharing(b, b.data)) end
    local all = #pieces == 1 and pieces[1] or cp.sparse.hstack(pieces, "csc")
    return S.object(S.convert(where, S.fields(all), format))
  end

  local function factor_once(where, f, dtype, permc_spec)
    if permc_spec == nil then return factor(where, f, dtype) end
    return as_factors(parts_by_superlu(where, f, dtype, read_options(where, { order = permc_spec }, false)))
  end

  local function solve_with(where, lu, f, b, sparse, columns)
    if sparse and columns ~= 1 then
      return solve_sparse(where, lu, S.fields(b), f.format == "csr" and "csr" or "csc")
    end
    if sparse then b = S.dense(where, S.fields(b)) end
    if b.ndim == 2 and columns == 1 then b = b:reshape(-1) end
    return solve_any(where, lu, b)
  end

  local function spsolve(where, A, b, permc_spec)
    if S.is(b) and S.fields(b).vector then b = b:toarray() end
    local f, sparse = take_square(where, A), S.is(b)
    if not sparse then b = core.as_array(b, where, "b", f.data) end
    local data = sparse and S.fields(b).data or b
    local shape = sparse and S.fields(b).shape or b.shape
    if (not sparse and b.ndim ~= 1 and b.ndim ~= 2) or shape[1] ~= f.shape[1] then
      raise_shape(where, string.format("A has %d rows, and b the shape %s", f.shape[1], tostring(b.shape)))
    end
    local dtype = S.solving_dtype(cp.promote_types(f.data, data))
    local lu = factor_once(where, f, dtype, permc_spec)
    local x = solve_with(where, lu, f, b, sparse, shape[2])
    if lu.parts.handle then D.free(lu.parts.handle) end
    return x
  end

  --- Solves A x = b for a vector, matrix or sparse array b. A sparse b of more than one column gives a sparse
  --- x.
  publish("spsolve", "A, b, permc_spec, use_umfpack", 2, function(where, A, b, permc_spec, use_umfpack)
    core.boolean(use_umfpack, where, "use_umfpack", false)
    return spsolve(where, A, b, permc_spec)
  end)

  --- The inverse of a sparse array, which is sparse too.
  publish("inv", "A", 1, function(where, A)
    local f = S.take(where, A)
    return spsolve(where, A, S.eye(f.shape[1], f.shape[2], 0, S.solving_dtype(f.data.dtype), "csc", f.data.device))
  end)
end
