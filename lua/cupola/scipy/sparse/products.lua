-- Products of sparse arrays: with vectors and dense matrices by core.sparse_product, with each other by
-- expansion (every pair of entries that meet gives a triplet, and equal places are summed).

return function(cp, core, S)
  local raise_shape = core.raise_shape

  -- ---- the csr form

  --- The versions of a table's arrays, or nil if one cannot be known.
  function S.versions(where, f)
    local list = {}
    for k, name in ipairs { "data", "indices", "indptr", "row", "col", "offsets" } do
      local v = f[name] and core.version(f[name], where)
      if f[name] and not v then return nil end
      list[k] = v or 0
    end
    return table.concat(list, " ")
  end

  local function same_arrays(f, g)
    for _, name in ipairs(S.ARRAYS) do
      if not rawequal(f[name], g[name]) then return false end
    end
    return true
  end

  -- A graph converts when it runs, as the entries may be others then. What was known of their places counts:
  -- the graph's work stays within its arrays whatever is written, and rows may have any length.
  local function captured_csr(where, f)
    local facts = f.format == "csc" and S.settle(where, f)
    local result = S.convert(where, f, "csr")
    if not facts then return result end
    result.known = { fixed = true, sorted = true, canonical = facts.canonical, longest = #f.indices }
    return result
  end

  --- Whether no scope has freed the arrays.
  function S.is_whole(f)
    for _, name in ipairs(S.ARRAYS) do
      if f[name] and not core.has_memory(f[name]) then return false end
    end
    return true
  end

  -- x, just made from f and kept with it instead of `old`, is also kept by the scopes that keep f.
  local function kept_with(f, x, old) return core.outlive(x, f.indptr or f.row or f.offsets, old) end

  --- The csr form of f. That of another format is kept until f is written, and that of A.T with A.
  function S.csr(where, f)
    if f.format == "csr" then return f end
    if f.origin and same_arrays(f, f.origin) then f = f.origin end
    if core.capturing then return captured_csr(where, f) end
    local now, twin = S.versions(where, f), f.twin
    if twin and now and twin.of == now and S.is_whole(twin.f) and twin.own == S.versions(where, twin.f) then
      return twin.f
    end
    local result = S.convert(where, f, "csr")
    for _, name in ipairs { "data", "indices", "indptr" } do kept_with(f, result[name], twin and twin.f[name]) end
    f.twin = { f = result, of = S.versions(where, f), own = S.versions(where, result) }
    return result
  end

  -- ---- dense right sides

  -- The tiles of a product, kept with what is known of the positions.
  local function tiles_of(where, f, known, width, dtype)
    local rows, entries = f.shape[1], #f.indices
    local tile, items = core.sparse_tile(where, f.indptr, entries, known.longest, width, dtype)
    if tile == 0 then return nil end
    local name = tile .. (items > entries and " with rows" or "")
    known.tiles = known.tiles or {} -- by name
    if known.tiles[name] and core.has_memory(known.tiles[name]) then return known.tiles[name] end
    local index = f.indptr.dtype
    local bounds = (S.range(math.ceil(items / tile), "int64", f.data.device) * tile):astype(index)
    local starts = core.slice(f.indptr, 1, 1, rows)
    if items > entries then starts = starts + S.range(rows, index, f.data.device) end
    local before = core.search(where, starts, bounds, false) - 1
    local all = cp.full({ 1 }, rows, { dtype = "int64", device = f.data.device })
    before = cp.concatenate { before, all }
    known.tiles[name] = kept_with(f, cp.concatenate { before, S.gather(where, f.indptr, before):astype "int64" },
      known.tiles[name])
    return known.tiles[name]
  end

  local function check_device(where, f, x)
    if x.device == f.data.device then return end
    core.usage(where, string.format("A is on %s and x on %s; move one with :to", f.data.device, x.device))
  end

  -- x with its last two axes exchanged; a vector as it is.
  local function last_turned(x) return x.ndim < 2 and x or cp.swapaxes(x, -1, -2) end

  -- The product with a dense vector, matrix, or matrices along the axes before the last two. scale: of the
  -- first two, {alpha, beta, add, out, dots} as core.sparse_product takes them; then nil if it cannot do
  -- that.
  local function times_dense(where, f, x, scale)
    check_device(where, f, x)
    local rows, columns = f.shape[1], f.shape[2]
    if x.ndim == 0 or x.shape[math.max(1, x.ndim - 1)] ~= columns then
      raise_shape(where, string.format("shapes (%d, %d) and %s cannot be multiplied", rows, columns, tostring(x.shape)))
    end
    if x.ndim > 2 then -- as one matrix whose columns are those of all matrices
      local front = cp.moveaxis(x, -2, 1)
      local shape, width = {}, 1
      for k = 1, front.ndim do
        shape[k] = front.shape[k]
        if k > 1 then width = width * shape[k] end
      end
      local product = S.matmul(where, S.object(f), front:reshape { columns, width })
      shape[1] = rows
      return cp.moveaxis(product:reshape(shape), 1, -2)
    end
    local dtype = cp.promote_types(f.data, x)
    local csr = S.csr(where, f)
    local known = S.measure(where, csr)
    local width = x.ndim == 2 and x.shape[2] or 1
    local data, right = S.wide(csr.data, dtype), S.wide(x, dtype)
    local tiles = tiles_of(where, csr, known, width, data.dtype)
    scale = scale or {}
    local product, dots = core.sparse_product(where, csr.indptr, csr.indices, data, columns, known.longest, right,
      tiles, scale.alpha, scale.beta, scale.add, scale.out, scale.dots)
    return product and S.narrow(product, dtype), dots
  end

  --- The product of f with a vector of its dtype, and the sum of what x times it is, in one kernel; nil where
  --- that takes two.
  function S.times_and_dot(where, f, x)
    if x.ndim ~= 1 or x.dtype ~= f.data.dtype or not S.is_computed(x.dtype) then return nil end
    local product, dots = times_dense(where, f, x, { dots = true })
    return product, dots and cp.sum(dots)
  end

  -- ---- sparse right sides

  -- Entries and first places of the rows `at` (any integer dtype, from 0) of the compressed array f.
  local function rows_of(where, f, at)
    local from = S.gather(where, f.indptr, at):astype("int64")
    return S.gather(where, f.indptr, at + 1):astype("int64") - from, from
  end

  --- For runs of these lengths (int64), one after the other: for each element the number of its run, its
  --- number within the run (both from 0), and where each run starts; int64.
  function S.expand(where, lengths)
    local starts, total = S.starts_of(where, lengths)
    local run = core.sparse_rows(where, starts, total)
    return run, S.range(total, "int64", lengths.device) - S.gather(where, starts, run), starts
  end

  -- Triplets of the products of a's entries first..last with rows of b.
  local function expand_products(where, a, b, rows, dtype, first, last)
    local function part(x) return core.slice(x, 1, first, last) end
    local column, row, value = part(a.indices), part(rows), part(a.data)
    local lengths, from = rows_of(where, b, column)
    local run, within = S.expand(where, lengths)
    local place = S.gather(where, from, run) + within
    local product = S.wide(S.gather(where, value, run), dtype) * S.wide(S.gather(where, b.data, place), dtype)
    return S.gather(where, row, run), S.gather(where, b.indices, place), S.narrow(product, dtype)
  end

  local MOST_PRODUCTS = 2 ^ 26 -- triplets made at a time
  core.most_sparse_products = MOST_PRODUCTS -- specs lower it

  -- The last entries of a's rows up to which at most `most` products are made at a time.
  local function cuts(where, a, b, most)
    local lengths = rows_of(where, b, a.indices)
    local total = core.scan(where, "sum", lengths, 1, "int64")
    local all = total[#total]
    if all <= most then return { #a.indices } end
    local list, done, entry = {}, 0, 0
    while entry < #a.indices do
      local bound = cp.full({ 1 }, done + most, { dtype = "int64", device = total.device })
      local at = core.search(where, total, bound, true)
      local last = math.max(at[1] - 1, entry + 1)
      list[#list + 1], entry, done = last, last, total[last]
    end
    return list
  end

  --- f(where, ..., ...) with the arrays of two compressed arrays, whose positions get one dtype: this one, or
  --- the wider one of theirs. data of both has one dtype.
  function S.with_arrays(where, f, a, b, dtype, ...)
    dtype = dtype or cp.promote_types(a.indices, b.indices)
    local function arrays(g) return g.indptr:astype(dtype, false), g.indices:astype(dtype, false), g.data end
    local indptr, indices, data = arrays(a)
    local indptr2, indices2, data2 = arrays(b)
    return f(where, indptr, indices, data, indptr2, indices2, data2, ...)
  end

  -- S.unite by a device that finds the place of every entry by itself; with `subtract` and `zero`
  -- core.sparse_meet's results for them, if the places differ.
  local function unite_by_entries(where, a, b, columns, index, subtract, zero)
    local function run(dtype, ...) return S.with_arrays(where, core.sparse_meet, a, b, dtype, columns, ...) end
    local met = core.scan(where, "sum", run(index), 1, index)
    local shared = #met > 0 and met[#met] or 0
    if shared == #a.indices and shared == #b.indices then -- all places
      return a.indptr:astype(index, true), a.indices:astype(index, true), a.data, b.data
    end
    local count = #a.indices + #b.indices - shared
    if S.index_dtype(count) == "int64" then index = "int64" end
    return run(index, met:astype(index, false), count, subtract, zero)
  end

  --- The sum or difference of two arrays as of S.unite, on a device with core.sparse_meet: indptr, indices,
  --- data, and whether an element of data is 0.
  function S.add_by_entries(where, a, b, columns, subtract)
    local zero = S.zeros(1, "bool", a.data.device)
    local indptr, indices, data, other = unite_by_entries(where, a, b, columns,
      cp.promote_types(a.indices, b.indices), subtract, zero)
    if not other then return indptr, indices, data, zero:item() end
    data = cp.eval(subtract and data - other or data + other)
    return indptr, indices, data, cp.any(cp.equal(data, 0))
  end

  --- The places that one of two canonical compressed arrays has: indptr, indices, and both arrays' values
  --- there. columns: of b. The places of each row are first counted, then filled in.
  function S.unite(where, a, b, columns)
    local index = cp.promote_types(a.indices, b.indices)
    if core.sparse_meets(a.data) then return unite_by_entries(where, a, b, columns, index) end
    local function run(dtype, ...) return S.with_arrays(where, core.sparse_unite, a, b, dtype, columns, ...) end
    local starts, count = S.starts_of(where, run(index))
    if S.index_dtype(count) == "int64" then index = "int64" end
    starts = starts:astype(index, false)
    return starts, run(index, starts, count)
  end

  -- The product of two csr arrays, of values of `dtype`, by a device that sums rows in place.
  local function times_by_rows(where, a, b, dtype)
    local wide_a, wide_b = S.sharing(a, S.wide(a.data, dtype)), S.sharing(b, S.wide(b.data, dtype))
    local indptr, indices, data = S.with_arrays(where, core.sparse_multiply, wide_a, wide_b, nil, b.shape[2])
    return S.known_canonical(where, S.new("csr", a.shape[1], b.shape[2],
      { indptr = indptr, indices = indices, data = S.narrow(data, dtype) }))
  end

  -- The product of two csr arrays by core.sparse_expand, whose other arguments these are, and for the rows
  -- `long` by core.sparse_expand_rows.
  local function expanded(where, x, y, dtype, tiles, longest, long)
    local columns, index = y.shape[2], cp.promote_types(x.indices, y.indices)
    local function run(as, starts, count)
      return S.with_arrays(where, core.sparse_expand, x, y, as, columns, tiles.before, tiles.first, starts, count,
        longest)
    end
    local function run_long(as, ...)
      if long then S.with_arrays(where, core.sparse_expand_rows, x, y, as, columns, long, ...) end
    end
    local lengths = run(index)
    run_long(index, lengths)
    local places, count = S.starts_of(where, lengths)
    if S.index_dtype(count) == "int64" then index = "int64" end
    places = places:astype(index, false)
    local indices, data = run(index, places, count)
    run_long(index, nil, places, indices, data)
    return S.known_canonical(where, S.new("csr", x.shape[1], columns,
      { indptr = places, indices = indices, data = S.narrow(data, dtype) }))
  end

  -- If each entry of a has these numbers of products: how many there are before each entry and each row, in
  -- each row, and in all.
  local function count_products(where, a, lengths)
    local before, total = S.starts_of(where, lengths)
    local starts = S.gather(where, before, a.indptr)
    local from = core.slice(starts, 1, 1, a.shape[1])
    return before, from, core.slice(starts, 1, 2, a.shape[1] + 1) - from, total
  end

  -- Tiles of rows that have `share` products at most, but for the longest row's. A tile has the rows whose
  -- products start in an equal share of them all; the rows `alone`, which have none, are a tile each.
  local function tiles_of_products(where, before, starts, total, share, alone)
    local rows, device = #starts, before.device
    local bounds = S.range(math.max(1, math.ceil(total / share)), "int64", device) * share
    local first = core.search(where, starts, bounds, false) - 1
    if alone then first = cp.sort(cp.concatenate { first, alone, alone + 1 }) end
    return { before = before,
      first = cp.concatenate { first, cp.full({ 1 }, rows, { dtype = "int64", device = device }) } }
  end

  local MERGED = 256 -- entries in a row of b up to which one group of lanes goes through all of them
  local WINDOW = 2 ^ 17 -- columns that a long row has at a time; ORDER kernels/routine/sparse/window.cu
  -- What a step of a long row, which goes through its entries one by one, and one of its windows take, beside
  -- a product that is sorted.
  local STEP, START = 1000, 4

  -- The product of two csr arrays, of values of `dtype`, by a device that merges rows of b, or sorts the
  -- products of a few rows at a time, and adds those of a long row in place; nil where sorting all products
  -- is faster, or the device does no such thing.
  local function times_on_chip(where, a, b, dtype)
    local x, y = S.sharing(a, S.wide(a.data, dtype)), S.sharing(b, S.wide(b.data, dtype))
    local room, merged = core.sparse_room(where, x.data)
    if room == 0 or #a.indices == 0 or #b.indices == 0 or b.shape[2] > 2 ^ 42 then return nil end
    local of_a, of_b = S.measure(where, a), S.measure(where, b)
    if of_a.longest <= merged and of_b.canonical and of_b.longest <= MERGED then
      return expanded(where, x, y, dtype, {}, of_a.longest)
    end
    local lengths, long = (rows_of(where, b, a.indices)), nil
    local before, starts, counts, total = count_products(where, a, lengths)
    local longest = cp.max(counts):item()
    if longest > room / 2 then
      local is_long, windows = counts:gt(room / 2), math.ceil(b.shape[2] / WINDOW)
      long = core.positions(where, is_long):reshape(-1)
      if not of_b.canonical or windows * math.max(STEP * of_a.longest, START * #long) > total then return nil end
      local of_entries = S.gather(where, is_long, core.sparse_rows(where, a.indptr, #a.indices))
      -- the longest ones begin first
      long = core.gather(where, long, core.order(where, { -S.choose(where, is_long, counts) })) - 1
      before, starts, counts, total = count_products(where, a, cp.where(of_entries, 0, lengths))
      longest = cp.max(counts):item()
    end
    return expanded(where, x, y, dtype, tiles_of_products(where, before, starts, total, room - longest, long), nil,
      long)
  end

  -- The product of two csr arrays.
  local function times_sparse(where, a, b)
    local rows, columns = a.shape[1], b.shape[2]
    if a.shape[2] ~= b.shape[1] then
      raise_shape(where, string.format("shapes (%d, %d) and (%d, %d) cannot be multiplied", rows, a.shape[2],
        b.shape[1], columns))
    end
    check_device(where, a, b.data)
    S.settle(where, a)
    S.settle(where, b)
    local dtype = cp.promote_types(a.data, b.data)
    -- a vector of all columns for each thread must not be far larger than the operands
    if core.sparse_forms(a.data) and columns <= math.max(2 ^ 22, 4 * (#a.indices + #b.indices)) then
      return times_by_rows(where, a, b, dtype)
    end
    local product = times_on_chip(where, a, b, dtype)
    if product then return product end
    local index = cp.promote_types(a.indices, b.indices)
    local device = a.data.device
    local parts = { row = { S.zeros(0, index, device) }, col = { S.zeros(0, index, device) },
      data = { S.zeros(0, dtype, device) } }
    if #a.indices > 0 and #b.indices > 0 then
      local a_rows, first = core.sparse_rows(where, a.indptr, #a.indices), 1
      for _, last in ipairs(cuts(where, a, b, core.most_sparse_products)) do
        local row, col, data = expand_products(where, a, b, a_rows, dtype, first, last)
        local indptr
        indptr, col, data = S.compress(where, row:astype(index, false), col:astype(index, false), data, rows)
        parts.row[#parts.row + 1] = core.sparse_rows(where, indptr, #col)
        parts.col[#parts.col + 1], parts.data[#parts.data + 1] = col, data
        first = last + 1
      end
    end
    local row, col, data = cp.concatenate(parts.row), cp.concatenate(parts.col), cp.concatenate(parts.data)
    if #parts.row > 2 then -- the pieces may share a row
      local indptr
      indptr, col, data = S.compress(where, row, col, data, rows)
      return S.new("csr", rows, columns, { indptr = indptr, indices = col, data = data })
    end
    return S.from_sorted(where, "csr", rows, columns, row, col, data)
  end

  -- ---- both

  local function operand(where, v, name, beside) return S.is(v) and v or core.as_array(v, where, name, beside) end

  --- The matrix product of a and b, at least one of which is sparse. A dense result is an array.
  function S.matmul(where, a, b)
    local fa, fb = S.fields(a), S.fields(b)
    if fa and fa.vector or fb and fb.vector then return S.vector_matmul(where, a, b) end
    if fa and fb then
      if fa.format == "csc" and fb.format == "csc" then -- (B' A')'
        local turned = times_sparse(where, S.fields(S.transpose(where, fb)), S.fields(S.transpose(where, fa)))
        return S.transpose(where, S.fields(turned))
      end
      local product = S.scaled(where, fa, fb) or times_sparse(where, S.csr(where, fa), S.csr(where, fb))
      if not (fa.block and fb.block) then return product end
      return S.object(S.convert(where, S.fields(product), "bsr", { fa.block[1], fb.block[2] }))
    end
    if fa then return times_dense(where, fa, operand(where, b, "x2", fa.data)) end
    local x = operand(where, a, "x1", fb.data)
    if x.ndim == 0 or x.shape[x.ndim] ~= fb.shape[1] then
      raise_shape(where, string.format("shapes %s and (%d, %d) cannot be multiplied", tostring(x.shape), fb.shape[1],
        fb.shape[2]))
    end
    return last_turned(times_dense(where, S.turned(where, fb), last_turned(x)))
  end

  --- The fields of the transposed array, which f keeps, so that its csr form is made only once.
  function S.turned(where, f)
    local t = f.turned
    local shares = t and rawequal(t.data, f.data) and rawequal(t.indices or t.col, f.indices or f.row)
      and rawequal(t.indptr or t.row, f.indptr or f.col)
    if not shares then
      t = S.fields(S.transpose(where, f))
      f.turned = t
    end
    return t
  end

  -- Each A.T is an object of its own, which may get other arrays.
  S.getters.T = function(f)
    if f.vector then return S.as_vector(S.shared(f)) end
    local t = S.turned("scipy.sparse.T", f)
    local A = S.shared(t)
    local own = S.fields(A)
    own.known, own.origin = (f.format == "csr" or f.format == "csc") and f.known or nil, t
    return A
  end
  S.getters.mT = function(f)
    if f.vector then S.take("scipy.sparse.mT", S.object(f)) end
    return S.getters.T(f)
  end

  -- alpha * result + beta * add, written into `out`.
  local function finish(where, result, o)
    if o.alpha ~= nil then result = result * o.alpha end
    if o.add ~= nil then result = result + (o.beta == nil and o.add or o.add * o.beta) end
    if o.out == nil then return result end
    return core.write_out(where, o.out, result)
  end

  -- Whether the kernel of a product takes a factor: a number that leaves the dtype as it is.
  local function is_factor(v, dtype) return v == nil or core.is_scalar(v) and cp.result_type(dtype, v) == dtype end

  -- The product with a dense vector or matrix with its sum and factors in one kernel; nil where these need
  -- passes of their own.
  local function times_scaled(where, f, x, o)
    local dtype = cp.promote_types(f.data, x)
    if x.ndim == 0 or x.ndim > 2 or not S.is_computed(dtype) then return nil end
    local alpha, add, out = o.alpha, o.add, o.out
    if not (is_factor(alpha, dtype) or cp.is_array(alpha)) or not is_factor(o.beta, dtype) then return nil end
    if add ~= nil and not cp.is_array(add) then return nil end
    if out ~= nil then
      if not cp.is_array(out) then return nil end
      local others = { x, f.data, f.indices, f.indptr, not rawequal(add, out) and add or nil,
        cp.is_array(alpha) and alpha or nil }
      for _, other in pairs(others) do
        if out.device ~= other.device or cp.may_share_memory(out, other) then return nil end
      end
    end
    return times_dense(where, f, x, o)
  end

  -- alpha * A x + beta * add, where A is sparse and x any operand; beta without `add` is for `out`.
  local function dot(where, f, x, alpha, beta, out, add)
    if not S.is(x) and not core.is_scalar(x) then x = core.as_array(x, where, "x", f.data) end
    local function operand_of(v, name)
      if v == nil or core.is_scalar(v) then return v end
      return core.as_array(v, where, name, f.data)
    end
    local o = { alpha = operand_of(alpha, "alpha"), beta = operand_of(beta, "beta"), out = out,
      add = operand_of(add, "add") }
    if beta ~= nil and add == nil then
      if out == nil then core.usage(where, "beta needs out or add") end
      o.add = out
    end
    if core.is_scalar(x) then return S.operate("multiply", nil, nil, S.object(f), x) end
    if cp.is_array(x) and not f.vector then
      local product = next(o) ~= nil and times_scaled(where, f, x, o)
      return product or finish(where, times_dense(where, f, x), o)
    end
    local result = S.matmul(where, S.object(f), x)
    if S.is(result) then
      if o.add ~= nil or out ~= nil then core.usage(where, "out, beta and add are for dense results") end
      return o.alpha == nil and result or result * o.alpha
    end
    return finish(where, result, o)
  end

  S.method("dot", "x, alpha, beta, out, add", 1, dot, "own")
  S.method("matmul", "x, alpha, beta, out, add", 1, function(where, f, x, ...)
    if core.is_scalar(x) then core.usage(where, "x must be an array, not a number; use * for numbers") end
    return dot(where, f, x, ...)
  end, "own")

  --- The sum of each row of a compressed array (csc: column), in dtype.
  function S.sums_of_rows(where, f, dtype)
    local known = S.measure(where, f)
    local turned = f.format == "csc" and { shape = { f.shape[2], f.shape[1] }, indptr = f.indptr, indices = f.indices,
      data = f.data } or f
    local data = S.wide(f.data, dtype)
    local tiles = tiles_of(where, turned, known, 1, data.dtype)
    local sums = core.sparse_product(where, f.indptr, nil, data, 0, known.longest, nil, tiles)
    return S.narrow(sums, dtype)
  end

  -- A ^ n by squaring, of matrices.
  function S.matrix_power(where, A, n)
    local f = S.take(where, A)
    n = core.integer(n, where, "power")
    if f.shape[1] ~= f.shape[2] then raise_shape(where, "A must be square") end
    if n < 0 then core.usage(where, "power must not be negative") end
    local result, base = nil, A
    while n > 0 do
      if n % 2 == 1 then result = result and S.matmul(where, result, base) or base end
      n = math.floor(n / 2)
      if n > 0 then base = S.matmul(where, base, base) end
    end
    if result == A then return S.copy(f) end
    return result or S.eye(f.shape[1], f.shape[1], 0, f.data.dtype, f.format, f.data.device)
  end
end
