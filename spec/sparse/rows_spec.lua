-- Sparse arrays: rows of all lengths in sums, slices and conversions; sparse blocks written into one; what is
-- made on the way to a result.

local cp = require "cupola"

local sp = cp.sparse

-- n x n matrices whose row r has up to r entries, as dense arrays: of each place with a chance.
local function dense(n, seed, dtype, chance)
  local rng = cp.random.default_rng(seed)
  local values = rng:integers(1, 100, { size = { n, n } }):astype(dtype)
  local kept = cp.less(rng:random { n, n }, chance)
  return cp.where(kept, values, cp.zeros({ n, n }, dtype)):eval()
end

describe("rows of sparse arrays", function()
  it("are added up across their order in every format, also of repeated entries", function()
    local rows, columns = cp.index { 3, 1, 3, 3, 1, 2 }, cp.index { 4, 1, 2, 4, 1, 2 }
    for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex64", "bool" } do
      local A = sp.coo_array({ cp.array({ 1, 2, 3, 4, 5, 0 }):astype(dtype), { rows, columns } }, { shape = { 4, 5 } })
      for _, B in ipairs { A, A:tocsr(), A:tocsc(), A:todia(), A:tobsr(), A.T.T } do
        for axis = 1, 2 do
          local want = cp.sum(A:toarray(), axis)
          assert.same({ want.dtype, want:totable() }, { B:sum(axis).dtype, B:sum(axis):totable() })
          assert.same(cp.count_nonzero(A:toarray(), axis):totable(), B:count_nonzero(axis):totable())
        end
      end
    end
  end)

  it("are stacked with those of arrays of the same format, and of others", function()
    local x = cp.array { { 0, 1, 2 }, { 3, 0, 4 } }
    local repeated = sp.csr_array { data = cp.array { 1, 2, 5 }, indices = cp.index { 1, 1, 0 },
      indptr = cp.index { 0, 2, 2, 3 }, shape = { 3, 3 } }
    local A, B = sp.csr_array(x), sp.csr_array({ 1, 3 }, { dtype = "int32" })
    local want = cp.concatenate { x, B:toarray(), repeated:toarray() }
    for _, format in ipairs { "csr", "csc", "coo" } do
      local C = sp.vstack({ A, B, repeated }, { format = format })
      assert.same({ format, "float64", want:totable() }, { C.format, C.dtype, C:toarray():totable() })
      local D = sp.hstack({ A.T:tocsc(), B.T:tocsc(), repeated.T:tocsc() }, { format = format, dtype = "float32" })
      assert.same({ format, "float32", want.T:totable() }, { D.format, D.dtype, D:toarray():totable() })
      assert.is_true(cp.array_equal(want, sp.vstack({ A, B:tocsc(), repeated }, { format = format }):toarray()))
    end
    assert.same({ "csr", "csc", "csr" }, { sp.vstack({ A, A }).format, sp.hstack({ A:tocsc(), A }).format,
      sp.hstack({ A, A }).format })
  end)

  for _, dtype in ipairs { "int32", "float32", "float64", "complex64", "complex128" } do
    it("are added, whether alike or not, up to the last: " .. dtype, function()
      for _, chance in ipairs { 0.02, 0.3, 1 } do
        local x, y = dense(60, 1, dtype, chance), dense(60, 2, dtype, chance)
        local A, B = sp.csr_array(x), sp.csr_array(y)
        assert.is_true(cp.array_equal(x + y, (A + B):toarray()))
        assert.is_true(cp.array_equal(x + x.T, (A + A.T):toarray()))
        assert.is_true(cp.array_equal(x + x, (A + A):toarray()))
        assert.is_true(cp.array_equal(x - y, (A - B):toarray()))
        assert.equal(0, (A - A:copy()).nnz)
        assert.equal(sp.csr_array(x + y).nnz, (A + B).nnz)
      end
    end)
  end

  for _, dtype in ipairs { "bool", "float16", "float32", "float64", "complex128" } do
    it("are taken in any order, some many times: " .. dtype, function()
      local n = 200
      local x = dense(n, 3, dtype, 0.4)
      x[{ { 7, 12 }, {} }] = 0
      for _, format in ipairs { "csr", "csc" } do
        local A = sp.csr_array(x):asformat(format)
        for _, count in ipairs { 0, 1, 5, 700 } do
          local at = cp.random.default_rng(count):integers(1, n + 1, { size = { count } })
          assert.is_true(cp.array_equal(x[{ at, {} }], A[{ at, {} }]:toarray()))
          assert.is_true(cp.array_equal(x[{ {}, at }], A[{ {}, at }]:toarray()))
        end
      end
    end)
  end

  it("are sorted, and sum what is repeated, at any length", function()
    local rng = cp.random.default_rng(5)
    for _, length in ipairs { 1, 2, 3, 15, 16, 17, 31, 32, 33, 100 } do
      for _, columns in ipairs { 4, 1000 } do
        local rows = 9
        local row = (cp.arange(rows * length) % rows):astype "int64"
        local col = rng:integers(0, columns, { size = { rows * length } })
        local values = rng:integers(1, 50, { size = { rows * length } }):astype "float64"
        local expected = cp.zeros { rows, columns }
        cp.scatter_add(expected, { row + 1, col + 1 }, values)
        local A = sp.csr_array { data = values, row = row, col = col, shape = { rows, columns } }
        assert.is_true(cp.array_equal(expected, A:toarray()))
        assert.is_true(A.has_canonical_format)
      end
    end
  end)

  it("take sparse blocks, of which only the entries are stored", function()
    for _, format in ipairs { "csr", "csc", "coo" } do
      local A = sp.csr_array({ { 0, -3, 0 }, { 1, 0, 0 }, { 2, 0, 5 } }):asformat(format)
      A[{ { 3, 3 }, {} }] = sp.coo_array { { 0, 0, -1 } }
      assert.same({ { 0, -3, 0 }, { 1, 0, 0 }, { 0, 0, -1 } }, A:toarray():totable())
      assert.equal(4, A.nnz) -- a 0 stays where 2 was, as in SciPy
      A[{ {}, { 1, 2 } }] = sp.csr_array { 3, 2 }
      assert.same({ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, -1 } }, A:toarray():totable())
      A[{ cp.index { 3, 1 }, {} }] = sp.csr_array { { 1, 0, 0 }, { 0, 2, 0 } }
      assert.same({ { 0, 2, 0 }, { 0, 0, 0 }, { 1, 0, 0 } }, A:toarray():totable())
      -- the last of a repeated row, also its zeros
      A[{ cp.index { 2, 2 }, {} }] = sp.csr_array { { 8, 9, 7 }, { 0, 4, 0 } }
      assert.same({ 0, 4, 0 }, A:toarray()[2]:totable())
    end
    local n = 1000000
    local wide = sp.csr_array { n, n }
    wide[{ { 2, n }, { 1, n - 1 } }] = sp.eye(n - 1, { format = "csr" })
    assert.equal(n - 1, wide.nnz)
    assert.equal(1, wide[{ n, n - 1 }])
  end)

  it("stay as they are where conjugation changes nothing", function()
    local A = sp.csr_array(cp.array { { true, false }, { true, true } })
    assert.equal("bool", A:conj().dtype)
    assert.equal("bool", A.H.dtype)
    assert.equal(cp.complex(1, -2), sp.csr_array({ { cp.complex(1, 2) } }).H[{ 1, 1 }])
  end)
end)

describe("what sparse arrays make on the way", function()
  -- How much more memory there is after f than its result takes, while no garbage is collected.
  local function left_over(f)
    local A = f()
    collectgarbage()
    collectgarbage "stop"
    local before = cp.memory().live
    local B = f()
    local made = cp.memory().live - before
    B:free()
    local result = made - (cp.memory().live - before)
    collectgarbage "restart"
    A:free()
    return made - result, result
  end

  it("is free when they return", function()
    local x = dense(300, 4, "float64", 0.3)
    local A, C = sp.csr_array(x), sp.csc_array(x)
    local coo = A:tocoo()
    local at = cp.random.default_rng(1):integers(1, 301, { size = { 400 } })
    for name, f in next, {
      sum = function() return A + A.T end,
      ["other format"] = function() return A + C end,
      maximum = function() return A:maximum(A.T) end,
      rows = function() return A[{ at }] end,
      triplets = function() return coo:tocsr() end,
    } do
      local rest, result = left_over(f)
      assert.is_true(rest <= result / 10, ("%s: %d bytes beside %d"):format(name, rest, result))
    end
  end)
end)
