-- cp.scipy.linalg: special matrices, and the matrix exponential.

return function(cp, core)
  local linalg = cp.scipy.linalg
  local publish = core.publisher(linalg, "scipy.linalg.")

  local usage, raise_shape = core.usage, core.raise_shape

  local function vector(where, v, argument)
    local x = core.as_array(v, where, argument):reshape(-1)
    if x.size == 0 then raise_shape(where, argument .. " must not be empty") end
    return x
  end

  local function column(n, x) return cp.arange(n, { dtype = "int64", device = x.device }):reshape({ n, 1 }) end
  local function row(n, x) return cp.arange(n, { dtype = "int64", device = x.device }) end

  -- The elements of v at positions that count from 0.
  local function chosen(v, places) return cp.take(v, places + 1) end

  --- A Toeplitz matrix, with constant diagonals.
  ---@param c any  the first column
  ---@param r? any  the first row, whose first element is ignored; default: the conjugate of c
  ---@return any
  publish("toeplitz", "c, r", 1, function(where, c, r)
    c = vector(where, c, "c")
    r = r == nil and cp.conj(c) or vector(where, core.beside(where, c, r, "r"), "r")
    local n, m = #c, #r
    -- r from its last to its second element, then c
    local dtype = cp.promote_types(c, r)
    local all = c:astype(dtype, false)
    if m > 1 then all = cp.concatenate { core.slice(r, 1, m, 2, -1):astype(dtype, false), all } end
    return chosen(all, column(n, c) - row(m, c) + (m - 1))
  end)

  --- A Hankel matrix, with constant anti-diagonals.
  ---@param c any  the first column
  ---@param r? any  the last row, whose first element is ignored; default: zeros
  ---@return any
  publish("hankel", "c, r", 1, function(where, c, r)
    c = vector(where, c, "c")
    r = r == nil and cp.zeros_like(c) or vector(where, core.beside(where, c, r, "r"), "r")
    local n, m = #c, #r
    local dtype = cp.promote_types(c, r)
    local all = c:astype(dtype, false)
    if m > 1 then all = cp.concatenate { all, core.slice(r, 1, 2, m):astype(dtype, false) } end
    return chosen(all, column(n, c) + row(m, c))
  end)

  --- A circulant matrix: column k is c rotated down by k - 1 places.
  ---@param c any
  ---@return any
  publish("circulant", "c", 1, function(where, c)
    c = vector(where, c, "c")
    return chosen(c, (column(#c, c) - row(#c, c)) % #c)
  end)

  --- The companion matrix of a polynomial, whose eigenvalues are its roots.
  ---@param a any  coefficients, highest power first; at least two
  ---@return any  floating array
  publish("companion", "a", 1, function(where, a)
    a = vector(where, a, "a")
    local n = #a - 1
    if n < 1 then raise_shape(where, "a must have at least 2 elements") end
    local first = -core.slice(a, 1, 2, n + 1) / core.slice(a, 1, 1, 1)
    local m = cp.zeros({ n, n }, { dtype = first.dtype, device = a.device })
    m[1] = first
    if n > 1 then m[{ { 2, n }, { 1, n - 1 } }] = cp.eye(n - 1, { dtype = first.dtype, device = a.device }) end
    return m
  end)

  -- A block diagonal matrix of the given matrices.
  function linalg.block_diag(...)
    local where, list, rows, columns = "scipy.linalg.block_diag", {}, 0, 0
    for k = 1, select("#", ...) do
      local x = core.as_array((select(k, ...)), where, "argument " .. k)
      if x.ndim > 2 then raise_shape(where, "takes matrices, not shape " .. tostring(x.shape)) end
      if x.ndim < 2 then x = x:reshape({ 1, x.size }) end
      list[k] = x
      rows, columns = core.length(where, rows, x.shape[1]), core.length(where, columns, x.shape[2])
    end
    if #list == 0 then rows = 1 end -- as in SciPy
    local dtype = #list > 0 and core.common_dtype(where, list) or "float64"
    local m = cp.zeros({ rows, columns }, { dtype = dtype, device = list[1] and list[1].device })
    local at, from = 0, 0
    for _, x in ipairs(list) do
      local n, k = x.shape[1], x.shape[2]
      if x.size > 0 then
        core.write(where, m[{ { at + 1, at + n }, { from + 1, from + k } }], x:astype(dtype, false))
      end
      at, from = at + n, from + k
    end
    return m
  end

  local function size_of(where, n, least)
    n = core.integer(n, where, "n")
    if n < least then usage(where, string.format("n must be %d or more, but is %d", least, n)) end
    return n
  end

  --- The Hilbert matrix: 1 / (i + j - 1), i and j from 1.
  ---@param n integer
  ---@return any
  publish("hilbert", "n", 1, function(where, n)
    n = size_of(where, n, 0)
    local k = cp.arange(n, { dtype = "float64" })
    return 1 / (k:reshape({ n, 1 }) + k + 1)
  end)

  --- The Hadamard matrix of 1 and -1.
  ---@param n integer  a power of two
  ---@param dtype? string  default int64
  ---@return any
  publish("hadamard", "n, dtype", 1, function(where, n, dtype)
    n = size_of(where, n, 1)
    local power = 1
    while power < n and power < 2 ^ 53 do power = power * 2 end
    if power ~= n then usage(where, string.format("n must be a power of two, but is %d", n)) end
    local m = cp.empty({ n, n }, dtype or "int64")
    m[{ 1, 1 }] = 1
    local k = 1
    while k < n do -- copies the block to the right and below, and its negative to the diagonal
      local here, there = { 1, k }, { k + 1, 2 * k }
      local known = m[{ here, here }]
      m[{ here, there }], m[{ there, here }], m[{ there, there }] = known, known, -known
      k = 2 * k
    end
    return m
  end)

  --- The matrix of the discrete Fourier transform.
  ---@param n integer
  ---@param scale? string  "sqrtn": divided by sqrt(n), "n": by n
  ---@return any  complex128
  publish("dft", "n, scale", 1, function(where, n, scale)
    n = size_of(where, n, 0)
    local k = cp.arange(n, { dtype = "int64" })
    local m = cp.exp((k:reshape({ n, 1 }) * k % n):astype "float64" * (cp.j * (-2 * math.pi / math.max(n, 1))))
    if scale == "sqrtn" then return m / math.sqrt(n) end
    if scale == "n" then return m / n end
    if scale ~= nil then core.not_among(where, "scale", '"sqrtn" or "n"', scale) end
    return m
  end)

  core.load "scipy/expm"(cp, core)

  linalg.kron, linalg.tri, linalg.tril, linalg.triu = cp.kron, cp.tri, cp.tril, cp.triu
end
