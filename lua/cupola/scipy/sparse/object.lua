-- Sparse arrays as objects. Each has a table of fields, which scripts cannot reach: format ("csr", "csc",
-- "coo", "dia" or "bsr"), shape {rows, columns}, and arrays:
--
--   csr, csc   data, indices, indptr. indptr[k] is where row (csc: column) k begins, indices the columns
--              (rows) of the entries
--   coo        data, row, col
--   dia        data (a row for each diagonal; element j belongs to column j), offsets
--   bsr        as csr, of blocks (blocks.lua)
--
-- A csr or coo array with `vector` has one axis: its one row (vectors.lua).
--
-- All positions in these arrays count from 0 and are int32, or int64 where int32 is too narrow. Scripts get
-- the arrays themselves and may write into them. So whoever relies on positions calls `settle` first: it
-- checks them unless they were checked and no write has been seen since (core.version).

return function(cp, core)
  local S = { methods = {}, getters = {} }

  local raise = core.raise

  --- The table of fields of a sparse array; nil for other values.
  S.fields = core.sparse_fields

  function S.is(v) return core.sparse_fields(v) ~= nil end

  --- The fields of an argument that must be a sparse array, of one axis or two.
  function S.take_any(where, v, argument)
    local f = core.sparse_fields(v)
    if not f then core.usage(where, (argument or "A") .. " must be a sparse array, not " .. cp.type(v)) end
    return f
  end

  --- The same of a sparse array with two axes.
  function S.take(where, v, argument)
    local f = S.take_any(where, v, argument)
    if not f.vector then return f end
    return core.raise_shape(where, string.format("%s must have two axes, not shape %s", argument or "A",
      S.shape_text(f)))
  end

  --- A new object of a format with these arrays; parts is used as its table of fields.
  function S.new(format, rows, columns, parts)
    parts.format, parts.shape = format, { rows, columns }
    return core.sparse_object(parts)
  end

  -- ---- dtypes

  local MOST = 2 ^ 31 - 1

  --- The dtype of positions up to `...`.
  function S.index_dtype(...)
    for k = 1, select("#", ...) do
      if select(k, ...) > MOST then return "int64" end
    end
    return "int32"
  end

  local COMPUTE = { bool = "int32", int8 = "int32", int16 = "int32", int32 = "int32", uint8 = "int32",
    uint16 = "int32", uint32 = "int32", int64 = "int64", uint64 = "int64", float16 = "float32", bfloat16 = "float32",
    float32 = "float32", float64 = "float64", complex64 = "complex64", complex128 = "complex128" }

  --- x in the dtype in which products of x's dtype are computed (integers wrap, so signs do not matter), and
  --- the way back.
  function S.wide(x, dtype) return x:astype(dtype, false):astype(COMPUTE[dtype], false) end

  function S.is_computed(dtype) return COMPUTE[dtype] == dtype end

  function S.narrow(x, dtype)
    if dtype == "bool" then return cp.not_equal(x, 0) end
    return x:astype(dtype, false)
  end

  --- The dtype in which systems with this dtype are solved: float32, float64, complex64 or complex128.
  function S.solving_dtype(dtype)
    dtype = core.floating(dtype)
    if core.kind(dtype) == "f" and dtype ~= "float32" then return "float64" end
    return dtype
  end

  -- ---- small arrays

  function S.range(n, dtype, device) return cp.arange(n, { dtype = dtype, device = device }) end

  function S.zeros(n, dtype, device) return cp.zeros({ n }, { dtype = dtype, device = device }) end

  --- The elements of x at positions from 0, an array of any integer dtype.
  function S.gather(where, x, places)
    if places.size == 0 then return S.zeros(0, x.dtype, x.device) end
    return core.gather(where, x, places:astype("int64") + 1)
  end

  --- The elements of a list of vectors where the mask is true.
  function S.choose(where, mask, ...)
    local list = { ... }
    for k, x in ipairs(list) do list[k] = core.choose(where, x, mask) end
    return unpack(list)
  end

  -- ---- checks

  local function position_error(where, name, k, value, limit)
    raise(where, "index", string.format("%s[%d], counted from 0, is %d; positions are 0 to %d", name, k, value,
      limit - 1))
  end

  -- Raises for what core.sparse_check found in the compressed form of f.
  local function report(where, f, facts, minor)
    local bad_row, bad_entry, first = facts[1], facts[2], facts[6]
    if first ~= 0 then raise(where, "index", string.format("indptr must begin with 0, not %d", first)) end
    if bad_row >= 0 then
      raise(where, "index", string.format("indptr[%d] and indptr[%d], counted from 0, are %d and %d; they must ascend "
        .. "from 0 to the %d entries", bad_row, bad_row + 1, f.indptr[bad_row + 1], f.indptr[bad_row + 2], #f.indices))
    end
    if bad_entry >= 0 then position_error(where, "indices", bad_entry, f.indices[bad_entry + 1], minor) end
  end

  local function same_length(where, f, name)
    if #f.data == #f[name] then return end
    raise(where, "shape", string.format("data has %d elements and %s %d", #f.data, name, #f[name]))
  end

  --- The lengths of the compressed axis and of the other one; of a bsr array in blocks.
  function S.axes(f)
    if f.format == "bsr" then return math.floor(f.shape[1] / f.block[1]), math.floor(f.shape[2] / f.block[2]) end
    if f.format == "csc" then return f.shape[2], f.shape[1] end
    return f.shape[1], f.shape[2]
  end

  local function settle_compressed(where, f)
    local at, starts = core.version(f.indices, where), core.version(f.indptr, where)
    local known = f.known
    if known and (known.fixed or at and starts and known.at == at and known.starts == starts) then return known end
    local _, minor = S.axes(f)
    same_length(where, f, "indices")
    local facts = core.sparse_check(where, f.indptr, f.indices, minor):totable()
    report(where, f, facts, minor)
    local count = facts[7]
    if count < #f.indices then -- places behind the last entry hold nothing
      f.indices, f.data = core.slice(f.indices, 1, 1, count):copy(), core.slice(f.data, 1, 1, count):copy()
      at = core.version(f.indices, where)
    end
    f.known = { at = at, starts = starts, sorted = facts[3] == 0, longest = facts[5],
      canonical = facts[3] == 0 and facts[4] == 0 }
    return f.known
  end

  --- The object A, a csr, csc or bsr array that is known to be canonical as it was just made so.
  function S.known_canonical(where, A)
    local f = S.fields(A)
    cp.eval(f.indices, f.indptr) -- pending values have no version
    f.known = { at = core.version(f.indices, where), starts = core.version(f.indptr, where), sorted = true,
      canonical = true }
    return A
  end

  -- Raises if an array of positions leaves 0 to n - 1.
  local function check_positions(where, name, x, n)
    local bad = cp.logical_or(cp.less(x, 0), cp.greater_equal(x, n))
    if x.size == 0 or not bad:any() then return end
    local k = cp.argmax(bad):item()
    position_error(where, name, k - 1, x[k], n)
  end

  local function settle_coo(where, f)
    local row, col = core.version(f.row, where), core.version(f.col, where)
    local known = f.known
    if known and row and col and known.row == row and known.col == col then return known end
    same_length(where, f, "row")
    same_length(where, f, "col")
    check_positions(where, "row", f.row, f.shape[1])
    check_positions(where, "col", f.col, f.shape[2])
    f.known = { row = row, col = col }
    return f.known
  end

  --- Checks the positions in f unless that was done before, and returns what is known of them. For csr, csc
  --- and bsr: sorted (the indices of each row ascend), canonical (and none is repeated).
  function S.settle(where, f)
    if f.format == "coo" then return settle_coo(where, f) end
    if f.format == "dia" then return {} end
    return settle_compressed(where, f)
  end

  --- The same of a csr or csc array with `longest`, the number of entries of the longest row (column).
  function S.measure(where, f)
    local known = S.settle(where, f)
    if not known.longest then
      local _, minor = S.axes(f)
      known.longest = core.sparse_check(where, f.indptr, f.indices, minor):totable()[5]
    end
    return known
  end

  -- ---- fields

  local function is_compressed(f) return f.indptr ~= nil end

  -- Whether each entry of a coo array has a place after that of the one before it.
  local function is_ascending(where, f)
    local known, n = S.settle(where, f), #f.data
    if known.canonical == nil and n > 1 then
      local row, next_row = core.slice(f.row, 1, 1, n - 1), core.slice(f.row, 1, 2, n)
      local col, next_col = core.slice(f.col, 1, 1, n - 1), core.slice(f.col, 1, 2, n)
      known.canonical = cp.all(cp.logical_or(cp.less(row, next_row),
        cp.logical_and(cp.equal(row, next_row), cp.less(col, next_col))))
    end
    if n < 2 then return true end
    return known.canonical
  end

  local function order_flag(name)
    return function(f)
      local where = "scipy.sparse.has_" .. (name == "sorted" and "sorted_indices" or "canonical_format")
      if is_compressed(f) then return S.settle(where, f)[name] end
      return f.format == "coo" and is_ascending(where, f)
    end
  end

  S.getters = {
    format = function(f) return f.format end,
    shape = function(f)
      return core.shape(f.vector and { f.shape[2] } or { f.shape[1], f.shape[2] }, "shape", "shape")
    end,
    ndim = function(f) return f.vector and 1 or 2 end,
    dtype = function(f) return f.data.dtype end,
    device = function(f) return f.data.device end,
    nnz = function(f) return S.count(f) end,
    size = function(f) return S.count(f) end,
    data = function(f) return f.data end,
    indices = function(f) return f.indices end,
    indptr = function(f) return f.indptr end,
    row = function(f) return f.row end,
    col = function(f) return f.col end,
    offsets = function(f) return f.offsets end,
    coords = function(f) return f.row and (f.vector and { f.col } or { f.row, f.col }) end,
    has_sorted_indices = order_flag "sorted",
    has_canonical_format = order_flag "canonical",
  }

  --- The number of stored entries.
  function S.count(f)
    if f.format ~= "dia" then return f.data.size end
    local count, width = 0, math.min(f.data.shape[2], f.shape[2])
    for _, k in ipairs(f.offsets:totable()) do
      count = count + math.max(0, math.min(f.shape[1] + math.min(k, 0), width - math.max(k, 0)))
    end
    return count
  end

  local SETTABLE = { data = true, indices = true, indptr = true, row = true, col = true }

  --- Defines a method; names and required are those of core.define, without the array itself. vectors: what
  --- it does with arrays of one axis: nil: refuses them; "alike": what it does with their row, with a result
  --- of one axis; "own": f has rules for them.
  function S.method(name, names, required, f, vectors)
    local take = vectors and S.take_any or S.take
    S.methods[name] = core.define("scipy.sparse." .. name, names == "" and "A" or "A, " .. names, required + 1,
      function(where, A, ...)
        local g = take(where, A)
        if vectors == "alike" and g.vector then return S.without_row(f(where, g, ...)) end
        return f(where, g, ...)
      end)
  end

  -- What to use instead of the formats that are built entry by entry, which cupola does not have.
  local BUILT = "A[{i, j}] = v writes an entry, and cp.sparse.builder takes many"
  local INSTEAD = { tolil = BUILT, todok = BUILT }

  local function index(A, key)
    local f = core.sparse_fields(A)
    if type(key) == "string" then
      local method = S.methods[key]
      if method then return method end
      local get = S.getters[key]
      local value
      if get then value = get(f, A) end
      if value ~= nil then return value end
      if INSTEAD[key] then
        core.usage("index", string.format("a %s array has no method '%s'; %s", f.format, key, INSTEAD[key]))
      end
      if string.find(key, "^[%a_][%w_]*$") then
        local names = {}
        for name in next, S.getters do
          if name ~= key and name ~= "blocksize" then names[#names + 1] = name end
        end
        return core.unknown("index", "a " .. f.format .. " array", key, S.methods, names)
      end
    end
    return S.read("index", f, key)
  end

  local function set_index(A, key, value)
    local f = core.sparse_fields(A)
    if type(key) ~= "string" or not string.find(key, "^[%a_][%w_]*$") then return S.write("index", f, key, value) end
    if not SETTABLE[key] or f[key] == nil then
      core.usage("index", "A." .. key .. " cannot be set on a " .. f.format .. " array")
    end
    local x = core.as_array(value, "index", key, f.data)
    local shape = f[key].shape
    if tostring(x.shape) ~= tostring(shape) or x.device ~= f.data.device then
      raise("index", "shape", string.format("%s must have shape %s and be on %s", key, tostring(shape), f.data.device))
    end
    -- as what it replaces, it is kept by the scopes that keep A
    f[key] = core.outlive(key == "data" and x or x:astype(f[key].dtype), f[key])
    f.known, f.twin = key == "data" and f.known or nil, nil
  end

  local function text(A)
    local f = core.sparse_fields(A)
    return string.format("%s %s %s %s, %d stored", f.format, S.shape_text(f), f.data.dtype, f.data.device, S.count(f))
  end

  local function call(A, ...) return S.read("index", core.sparse_fields(A), { ... }) end

  -- A < B: Lua would make a boolean of the comparisons.
  local function order(A, B, name, turned)
    local left = S.is(A)
    core.usage("compare", string.format("sparse arrays are compared element by element: write A:%s(%s)",
      left and name or turned, left and (S.is(B) and "B" or "x") or "x"))
  end

  core.sparse_events {
    __index = index, __newindex = set_index, __tostring = text, __call = call,
    __len = function(A)
      local f = core.sparse_fields(A)
      return f.shape[f.vector and 2 or 1]
    end,
    __lt = function(A, B) return order(A, B, "lt", "gt") end,
    __le = function(A, B) return order(A, B, "le", "ge") end,
    __eq = function(A, B) return S.is(A) and S.is(B) and S.equal(A, B) end,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
    operate = function(...) return S.operate(...) end,
    reduce = function(...) return S.reduce(...) end,
  }

  --- All arrays of a sparse array, for scopes and :free().
  function core.arrays_of(v)
    local f, list = core.sparse_fields(v), {}
    if not f then return nil end
    for _, name in ipairs { "data", "indices", "indptr", "row", "col", "offsets" } do list[#list + 1] = f[name] end
    return list
  end

  return S
end
