-- Sparse arrays made from others and from descriptions: eye, diags, random, stacks and blocks, Kronecker
-- products, triangles; find; and a builder to which entries are added.

return function(cp, core, S, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  local function here(device) return device or cp.device().name end

  -- The object in a format; csr where none is given.
  local function in_format(where, A, format, missing)
    return S.object(S.convert(where, S.fields(A), format or missing or "csr"))
  end

  -- Returns v, which must be a table (or an array where arrays = true).
  local function list_of(where, v, argument, arrays)
    if type(v) == "table" and not S.is(v) or arrays and cp.is_array(v) and v.ndim > 0 then return v end
    return usage(where, argument .. " must be a table, not " .. cp.type(v))
  end

  -- ---- diagonals

  --- Ones on diagonal k.
  function S.eye(m, n, k, dtype, format, device)
    local count = math.max(0, math.min(m + math.min(k, 0), n - math.max(k, 0)))
    local index = S.index_dtype(m, n)
    local at = S.range(count, index, device)
    local A = S.new("coo", m, n, { row = at - math.min(k, 0), col = at + math.max(k, 0),
      data = cp.ones({ count }, { dtype = dtype, device = device }) })
    return in_format("scipy.sparse.eye", A, format)
  end

  for _, name in ipairs { "eye", "eye_array" } do
    -- Ones on the diagonal k of an m x n array.
    publish(name, "m, n, k, dtype, format, device", 1, function(where, m, n, k, dtype, format, device)
      m = core.integer(m, where, "m")
      n = core.integer(n, where, "n", m)
      if m < 0 or n < 0 then raise_shape(where, "lengths must not be negative") end
      k = core.integer(k, where, "k", 0)
      if k > n or -k > m then
        raise_shape(where, string.format("k is %d, but an array of shape (%d, %d) has no such diagonal", k, m, n))
      end
      return S.eye(m, n, k, dtype or core.default_dtype(), format, here(device))
    end)
  end

  publish("identity", "n, dtype, format, device", 1, function(where, n, dtype, format, device)
    n = core.integer(n, where, "n")
    if n < 0 then raise_shape(where, "n must not be negative") end
    return S.eye(n, n, 0, dtype or core.default_dtype(), format, here(device))
  end)

  -- Diagonals and their offsets as lists.
  local function diagonal_lists(where, diagonals, offsets)
    if type(offsets) == "number" then
      offsets = { offsets }
      if cp.is_array(diagonals) and diagonals.ndim == 1 or type(diagonals) == "table" and type(diagonals[1]) == "number"
      then
        diagonals = { diagonals }
      elseif type(diagonals) == "table" and next(diagonals) == nil then -- as one diagonal of no length
        diagonals = { S.zeros(0, core.default_dtype(), here()) }
      end
    elseif cp.is_array(offsets) then
      offsets = offsets:totable()
    end
    local list = {}
    list_of(where, offsets, "offsets")
    list_of(where, diagonals, "diagonals", true)
    for k = 1, #offsets do core.integer(offsets[k], where, "offsets") end
    for k = 1, #diagonals do
      local x = core.as_array(diagonals[k], where, string.format("diagonals[%d]", k))
      list[k] = x.ndim == 0 and x:reshape(1) or x
    end
    if #list ~= #offsets then raise_shape(where, string.format("%d diagonals for %d offsets", #list, #offsets)) end
    return list, offsets
  end

  local function diags(where, diagonals, offsets, shape, format, dtype)
    local list
    list, offsets = diagonal_lists(where, diagonals, offsets == nil and 0 or offsets)
    local m, n
    if shape ~= nil then
      m, n = S.shape(where, shape)
    else
      m = (list[1] and #list[1] or 0) + math.abs(offsets[1] or 0)
      n = m
    end
    local parts, index, device = { row = {}, col = {}, data = {} }, S.index_dtype(m, n), list[1] and list[1].device
    for k, x in ipairs(list) do
      local offset = core.integer(offsets[k], where, "offsets")
      local count = math.min(m + math.min(offset, 0), n - math.max(offset, 0))
      if count < 0 then
        raise_shape(where, string.format("diagonal %d is outside of shape (%d, %d)", offset, m, n))
      end
      if #x < count and #x ~= 1 then
        raise_shape(where, string.format("diagonal %d has %d elements, not %d", offset, count, #x))
      end
      if #x > count then x = core.slice(x, 1, 1, count) end
      local at = S.range(count, index, device)
      parts.row[k], parts.col[k] = at - math.min(offset, 0), at + math.max(offset, 0)
      parts.data[k] = cp.broadcast_to(x, { count })
    end
    if #list == 0 then usage(where, "diagonals must not be empty") end
    local data = cp.concatenate(parts.data)
    return in_format(where, S.new("coo", m, n, { row = cp.concatenate(parts.row), col = cp.concatenate(parts.col),
      data = dtype and data:astype(dtype) or data }), format, "dia")
  end

  for _, name in ipairs { "diags", "diags_array" } do
    -- The array with these diagonals; one element is repeated along its diagonal.
    publish(name, "diagonals, offsets, shape, format, dtype", 1, diags)
  end

  -- data has a row for each diagonal, as in dia_array.
  publish("spdiags", "data, diags, m, n, format", 2, function(where, data, offsets, m, n, format)
    local shape = type(m) == "table" and m or nil
    if m == nil and n == nil then -- as wide as data, and square
      data = core.as_array(data, where, "data")
      if data.ndim == 0 then raise_shape(where, "data must have a row for each diagonal") end
      shape = { data.shape[data.ndim], data.shape[data.ndim] }
    end
    shape = shape or { core.integer(m, where, "m"), core.integer(n, where, "n") }
    return in_format(where, S.make(where, "dia", nil, { data = data, offsets = offsets, shape = shape }), format, "dia")
  end)

  -- ---- triangles and entries

  local function triangle(name, lower)
    publish(name, "A, k, format", 1, function(where, A, k, format)
      local f = S.is(A) and S.take(where, A) or S.as_sparse(where, A, "A")
      k = core.integer(k, where, "k", 0)
      local row, col, data = S.triplets(where, f)
      local place = col:astype("int64") - row
      row, col, data = S.choose(where, lower and cp.less_equal(place, k) or cp.greater_equal(place, k), row, col, data)
      return in_format(where, S.new("coo", f.shape[1], f.shape[2], { row = row, col = col, data = data }), format,
        (f.format == "dia" or f.format == "bsr") and "csr" or f.format)
    end)
  end

  -- The entries on and below diagonal k.
  triangle("tril", true)
  -- The entries on and above diagonal k.
  triangle("triu", false)

  -- Row numbers, column numbers (from 1) and values of the elements that are not 0, sorted.
  publish("find", "A", 1, function(where, A)
    local f = S.canonical(where, S.convert(where, S.as_sparse(where, A, "A"), "csr"))
    local row, col, data = S.triplets(where, f)
    local kept = cp.not_equal(data, 0)
    if cp.all(kept) then
      data = data:copy()
    else
      row, col, data = S.choose(where, kept, row, col, data)
    end
    return row:astype("int64") + 1, col:astype("int64") + 1, data
  end)

  S.method("nonzero", "", 0, function(where, f)
    local row, col, data = S.triplets(where, S.convert(where, S.canonical(where, f), "coo"))
    local kept = cp.not_equal(data, 0)
    if not cp.all(kept) then row, col = S.choose(where, kept, row, col) end
    row, col = row:astype("int64") + 1, col:astype("int64") + 1
    return f.vector and { col } or { row, col }
  end, "own")

  -- ---- blocks

  -- Blocks of one compressed format in its order, m x n together: their arrays one after the other.
  local function in_line(where, list, format, m, n)
    local parts, count = { indptr = {}, indices = {}, data = {} }, 0
    for _, b in ipairs(list) do count = count + #b.f.indices end
    local index, before = S.index_dtype(m, n, count), 0
    for k, b in ipairs(list) do
      S.settle(where, b.f)
      local starts = core.slice(b.f.indptr, 1, k == 1 and 1 or 2, #b.f.indptr)
      parts.indptr[k], parts.indices[k] = starts:astype(index) + before, b.f.indices:astype(index)
      parts.data[k], before = b.f.data, before + #b.f.indices
    end
    for name, list_of_parts in next, parts do parts[name] = cp.concatenate(list_of_parts) end
    return S.new(format, m, n, parts)
  end

  local function all_are(list, format)
    for _, b in ipairs(list) do
      if b.f.format ~= format or b.f.vector then return false end
    end
    return true
  end

  -- Compressed blocks side by side (csc: below each other), m x n together: each row's entries are those of
  -- the blocks' rows, one after the other. before: the columns of the blocks before each. What is made on the
  -- way is freed at once.
  local function side_by_side(where, list, format, m, n, before)
    local parts, lengths, from, entries = { indices = {}, data = {} }, {}, {}, 0
    local count, canonical = #list, true
    for _, b in ipairs(list) do entries = entries + #b.f.indices end
    local index = S.index_dtype(m, n, entries)
    entries = 0
    for k, b in ipairs(list) do
      local f = b.f
      canonical = S.settle(where, f).canonical and canonical
      local starts = f.indptr:astype("int64", false)
      local rows = #starts - 1
      from[k] = core.slice(starts, 1, 1, rows) + entries
      lengths[k] = core.slice(starts, 1, 2, rows + 1) - core.slice(starts, 1, 1, rows)
      parts.indices[k] = f.indices:astype(index, false) + before[format == "csc" and b.i or b.j]
      parts.data[k] = f.data
      entries = entries + #f.indices
    end
    local starts = S.starts_of(where, cp.stack(lengths, 2):reshape(-1)):astype(index, false)
    local indices, data = core.sparse_take(where, starts, cp.concatenate(parts.indices), cp.concatenate(parts.data),
      cp.stack(from, 2):reshape(-1), entries)
    return canonical, starts["::" .. count]:copy(), indices, data
  end

  -- The array of a table of rows of blocks, nil or false for blocks of zeros.
  local function blocks(where, rows, format, dtype)
    local heights, widths, list, count = {}, {}, {}, 0
    list_of(where, rows, "blocks")
    for i = 1, #rows do list_of(where, rows[i], string.format("row %d of blocks", i), true) end
    for i = 1, #rows do count = math.max(count, #rows[i]) end
    for i = 1, #rows do
      for j = 1, count do
        local block = rows[i][j]
        if block then
          local f = S.as_sparse(where, block, string.format("block {%d, %d}", i, j))
          for axis, sizes in ipairs { heights, widths } do
            local at = axis == 1 and i or j
            if sizes[at] and sizes[at] ~= f.shape[axis] then
              raise_shape(where, string.format("block {%d, %d} has shape (%d, %d), unlike its neighbours", i, j,
                f.shape[1], f.shape[2]))
            end
            sizes[at] = f.shape[axis]
          end
          list[#list + 1] = { f = f, i = i, j = j }
        end
      end
    end
    local function offsets(sizes, n) -- rows and columns without blocks have no length
      local sum, at = 0, {}
      for k = 1, n do at[k], sum = sum, sum + (sizes[k] or 0) end
      return at, sum
    end
    local top, m = offsets(heights, #rows)
    local left, n = offsets(widths, count)
    if count == 0 then usage(where, "needs at least one block") end
    if #list == 0 then list[1] = { f = S.fields(S.make(where, "csr", { 0, 0 }, {})), i = 1, j = 1 } end
    local made = list[1].f.format == "csc" and "csc" or "csr"
    if (made == "csc" and #rows or count) == 1 and all_are(list, made) then
      local A = in_line(where, list, made, m, n)
      return in_format(where, dtype and A:astype(dtype) or A, format, made)
    end
    if (made == "csc" and count or #rows) == 1 and all_are(list, made) and core.sparse_forms(list[1].f.data) then
      local canonical, indptr, indices, data = cp.scope(side_by_side, where, list, made, m, n,
        made == "csc" and top or left)
      local A = S.new(made, m, n, { indptr = indptr, indices = indices, data = data })
      if canonical then S.known_canonical(where, A) end
      return in_format(where, dtype and A:astype(dtype) or A, format, made)
    end
    local parts, index = { row = {}, col = {}, data = {} }, S.index_dtype(m, n)
    for k, b in ipairs(list) do
      local row, col, data = S.triplets(where, b.f)
      parts.row[k], parts.col[k] = row:astype(index) + top[b.i], col:astype(index) + left[b.j]
      parts.data[k] = data
    end
    local data = cp.concatenate(parts.data)
    return in_format(where, S.new("coo", m, n, { row = cp.concatenate(parts.row), col = cp.concatenate(parts.col),
      data = dtype and data:astype(dtype) or data }), format, made)
  end

  for _, name in ipairs { "block_array", "bmat" } do
    -- Blocks in rows; false stands for a block of zeros.
    publish(name, "blocks, format, dtype", 1, blocks)
  end

  -- Blocks side by side.
  publish("hstack", "blocks, format, dtype", 1, function(where, list, format, dtype)
    list_of(where, list, "blocks", true)
    return blocks(where, { list }, format, dtype)
  end)

  -- Blocks below each other.
  publish("vstack", "blocks, format, dtype", 1, function(where, list, format, dtype)
    local rows = {}
    list_of(where, list, "blocks", true)
    for k = 1, #list do rows[k] = { list[k] } end
    return blocks(where, rows, format, dtype)
  end)

  -- Blocks along the diagonal.
  publish("block_diag", "mats, format, dtype", 1, function(where, mats, format, dtype)
    local parts, m, n = { row = {}, col = {}, data = {} }, 0, 0
    local list = {}
    list_of(where, mats, "mats")
    for k = 1, #mats do
      list[k] = S.as_sparse(where, mats[k], string.format("mats[%d]", k))
      m, n = m + list[k].shape[1], n + list[k].shape[2]
    end
    if #list == 0 then usage(where, "mats must not be empty") end
    local index, top, left = S.index_dtype(m, n), 0, 0
    for k, f in ipairs(list) do
      local row, col, data = S.triplets(where, f)
      parts.row[k], parts.col[k], parts.data[k] = row:astype(index) + top, col:astype(index) + left, data
      top, left = top + f.shape[1], left + f.shape[2]
    end
    local data = cp.concatenate(parts.data)
    return in_format(where, S.new("coo", m, n, { row = cp.concatenate(parts.row), col = cp.concatenate(parts.col),
      data = dtype and data:astype(dtype) or data }), format)
  end)

  -- ---- Kronecker products

  local function kron(where, A, B, format)
    local f, g = S.as_sparse(where, A, "A"), S.as_sparse(where, B, "B")
    local row, col, data = S.triplets(where, f)
    local row2, col2, data2 = S.triplets(where, g)
    local m, n = f.shape[1] * g.shape[1], f.shape[2] * g.shape[2]
    local index = S.index_dtype(m, n)
    local function pairs_of(x, y) return x:reshape({ -1, 1 }), y:reshape({ 1, -1 }) end
    local function place(x, y, step)
      local a, b = pairs_of(x:astype("int64"), y)
      return (a * step + b):astype(index):reshape(-1)
    end
    local a, b = pairs_of(data, data2)
    local result = S.new("coo", m, n, { row = place(row, row2, g.shape[1]), col = place(col, col2, g.shape[2]),
      data = (a * b):reshape(-1) })
    if not (f.vector and g.vector) then return in_format(where, result, format) end
    S.check_vector_format(where, format or "coo")
    return S.as_vector(in_format(where, result, format, "coo"))
  end

  -- The Kronecker product: a block A[i, j] * B for each element of A.
  publish("kron", "A, B, format", 2, kron)

  -- kron(I, A) + kron(B, I), for square A and B.
  publish("kronsum", "A, B, format", 2, function(where, A, B, format)
    local f = S.is(A) and S.take(where, A) or S.as_sparse(where, A, "A")
    local g = S.is(B) and S.take(where, B, "B") or S.as_sparse(where, B, "B")
    if f.shape[1] ~= f.shape[2] or g.shape[1] ~= g.shape[2] then raise_shape(where, "A and B must be square") end
    local dtype = cp.promote_types(f.data, g.data)
    local function identity(n) return S.eye(n, n, 0, dtype, "csr", f.data.device) end
    local sum = kron(where, identity(g.shape[1]), S.object(f)) + kron(where, S.object(g), identity(f.shape[1]))
    return in_format(where, sum, format)
  end)

  -- ---- random

  -- draw(count): the values, if they are not drawn here; its argument is called `name`.
  local function random(where, name, m, n, density, format, dtype, generator, draw)
    m, n = core.integer(m, where, "m"), core.integer(n, where, "n")
    density = core.number(density, where, "density", 0.01)
    if m < 0 or n < 0 then raise_shape(where, "lengths must not be negative") end
    if not (density >= 0 and density <= 1) then usage(where, "density must be from 0 to 1") end
    local cells = m * n
    local count = math.floor(density * cells + 0.5)
    local rng = cp.random.default_rng(generator)
    dtype = dtype or core.default_dtype()
    local index = S.index_dtype(m, n)
    -- Different places by drawing and drawing again those that repeat; of dense arrays the empty places.
    local few = math.min(count, cells - count)
    local places = S.zeros(0, "int64", here())
    while #places < few do
      local more = rng:integers(0, cells, { size = { few - #places + math.ceil((few - #places) / 8) + 8 } })
      places = cp.unique(cp.concatenate { places, more:astype("int64") })
    end
    if #places > few then -- which are left out must not depend on their order
      local order = core.sort(where, rng:random({ #places }), true)
      places = cp.sort(core.slice(core.gather(where, places, order), 1, 1, few))
    end
    if few < count then
      local mask = cp.ones({ cells }, { dtype = "bool", device = here() })
      if few > 0 then mask[places + 1] = false end
      places = core.positions(where, mask):reshape(-1) - 1
    end
    local row = n > 0 and cp.floor_divide(places, n) or places
    local data
    if draw ~= nil then
      if type(draw) ~= "function" then usage(where, name .. " must be a function, not " .. type(draw)) end
      data = core.as_array(draw(count), where, "the result of " .. name):astype(dtype)
      if not data:has_shape(count) then
        raise_shape(where, string.format("%s must return %d values, not shape %s", name, count, tostring(data.shape)))
      end
    elseif core.kind(dtype) == "f" then
      data = rng:random({ count }):astype(dtype)
    elseif core.kind(dtype) == "c" then
      data = (rng:random({ count }) + rng:random({ count }) * cp.complex(0, 1)):astype(dtype)
    elseif core.kind(dtype) == "b" then
      data = cp.ones({ count }, { dtype = "bool", device = here() })
    else
      local low, high = core.integer_bounds(dtype)
      local wide = dtype == "int64" or dtype == "uint64" -- whose greatest value has no successor
      data = rng:integers(low, high, { size = { count }, dtype = dtype, endpoint = not wide })
    end
    return in_format(where, S.new("coo", m, n, { row = row:astype(index), col = (places - row * n):astype(index),
      data = data }), format, "coo")
  end

  -- The one of three names for a seed or generator that is given.
  local function generator_of(where, rng, random_state, seed)
    if (rng ~= nil and 1 or 0) + (random_state ~= nil and 1 or 0) + (seed ~= nil and 1 or 0) > 1 then
      usage(where, "rng, random_state and seed are one argument")
    end
    if rng ~= nil then return rng end
    return random_state == nil and seed or random_state
  end

  for _, name in ipairs { "random", "rand" } do
    -- An m x n array in which this part of the elements is random, uniform in [0, 1); of integers, any. rng:
    -- a seed or generator. data_rvs(count): values instead of these.
    publish(name, "m, n, density, format, dtype, rng, data_rvs, random_state, seed", 2,
      function(where, m, n, density, format, dtype, rng, data_rvs, random_state, seed)
        local generator = generator_of(where, rng, random_state, seed)
        return random(where, "data_rvs", m, n, density, format, dtype, generator, data_rvs)
      end)
  end
  publish("random_array", "shape, density, format, dtype, rng, data_sampler, random_state, seed", 1,
    function(where, shape, density, format, dtype, rng, data_sampler, random_state, seed)
      local m, n, line = S.row_shape(where, shape)
      local generator = generator_of(where, rng, random_state, seed)
      local A = random(where, "data_sampler", m, n, density, format, dtype, generator, data_sampler)
      if line then S.check_vector_format(where, A.format) end
      return line and S.as_vector(A) or A
    end)

  -- ---- a builder

  local Builder = {}
  Builder.__index = Builder

  -- Moves what was added one by one into arrays.
  local function flush(b)
    if b.count == 0 then return end
    local where = "scipy.sparse.builder"
    local row, col, data = cp.index(b.i), cp.index(b.j), cp.array(b.v, { dtype = b.dtype })
    b.parts[#b.parts + 1] = { row:to(b.device), col:to(b.device), data:to(b.device) }
    b.i, b.j, b.v, b.count = {}, {}, {}, 0
    core.check_interrupt(where)
  end

  local MANY = 65536

  -- Adds an entry, or vectors of entries; rows and columns count from 1, and equal places are summed.
  function Builder:add(i, j, v)
    local where = "scipy.sparse.builder"
    if type(i) == "number" then
      i, j = core.integer(i, where, "i"), core.integer(j, where, "j")
      if i < 1 or j < 1 then core.raise(where, "index", "rows and columns count from 1") end
      if not core.is_scalar(v) then usage(where, "v must be a number, not " .. type(v)) end
      local k = self.count + 1
      self.i[k], self.j[k], self.v[k], self.count = i, j, v, k
      if k == MANY then flush(self) end
      return self
    end
    flush(self)
    local data = core.as_array(v, where, "v")
    local row, col = S.whole(where, i, "i", self.device), S.whole(where, j, "j", self.device)
    self.parts[#self.parts + 1] = { row:astype("int64"), col:astype("int64"), data:astype(self.dtype):to(self.device) }
    return self
  end

  local function built(b, where, format)
    flush(b)
    local list = { {}, {}, {} }
    for k, part in ipairs(b.parts) do
      for field = 1, 3 do list[field][k] = part[field] end
    end
    if #b.parts == 0 then return S.make(where, format, b.shape or { 0, 0 }, { dtype = b.dtype, device = b.device }) end
    return S.make(where, format, nil, { data = cp.concatenate(list[3]), row = cp.concatenate(list[1]),
      col = cp.concatenate(list[2]), base = 1, shape = b.shape })
  end

  for _, format in ipairs { "csr", "csc", "coo" } do
    Builder["to" .. format] = function(b) return built(b, "scipy.sparse.builder", format) end
  end

  -- An object with :add(i, j, v), for one entry or vectors of entries, and :tocsr(), :tocsc(), :tocoo().
  publish("builder", "shape, dtype, device", 0, function(where, shape, dtype, device)
    if shape ~= nil then shape = { S.shape(where, shape) } end
    return setmetatable({ parts = {}, i = {}, j = {}, v = {}, count = 0, shape = shape,
      dtype = dtype or core.default_dtype(), device = here(device) }, Builder)
  end)
end
