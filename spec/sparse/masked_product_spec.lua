-- A sparse array times a product of dense matrices: only the elements at its places are computed, where these
-- are few. Whole numbers, whose sums are exact, against the product computed at its call.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local sp = cp.sparse

local ROWS, COLUMNS, INNER = 30, 40, 7

-- Whole numbers from -4 to 4 in this shape.
local function numbers(shape, step, dtype)
  local x = (cp.arange(shape[1] * shape[2]) * step % 9 - 4):reshape(shape)
  if dtype:sub(1, 1) == "c" then x = x + (x % 3) * cp.complex(0, 1) end
  return x:astype(dtype):eval()
end

-- An array with about one of 40 places.
local function mask(dtype, format)
  local k = cp.arange(ROWS * COLUMNS):reshape { ROWS, COLUMNS }
  local dense = cp.where((k * 7 % 41):equal(3), k % 5 + 1, 0):astype(dtype)
  return sp.csr_array(dense):asformat(format), dense:eval()
end

local function product(dtype)
  return numbers({ ROWS, INNER }, 5, dtype), numbers({ INNER, COLUMNS }, 7, dtype)
end

-- The same sums as matmul's, by broadcasting.
local function multiplied(x, y)
  return (cp.expand_dims(x, -1) * cp.expand_dims(y, 1)):sum(2):eval()
end

describe("a sparse array times a product of dense matrices", function()
  before_each(function() core.slow_paths "products" end)
  after_each(function() core.slow_paths() end)

  it("is what it is with the product computed", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      local x, y = product(dtype)
      local P = multiplied(x, y)
      for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
        for _, own in ipairs { dtype, "int32", "bool" } do
          local A, dense = mask(own, format)
          local want = dense * P
          for _, B in ipairs { A * cp.matmul(x, y), cp.matmul(x, y) * A, A:multiply(x:matmul(y)) } do
            assert.is_true(sp.issparse(B))
            assert.equal(want.dtype, B.dtype)
            assert.is_true(cp.array_equal(B:toarray(), want), dtype .. " " .. format .. " " .. own)
          end
        end
      end
    end
  end)

  it("reads matrices in any layout", function()
    local A, dense = mask("float64", "csr")
    local x, y = product "float64"
    local want = dense * multiplied(x, y)
    local tall = cp.zeros({ 2 * ROWS, INNER + 3 })
    tall["::2, 2:8"] = x
    local wide = cp.flip(cp.flip(y, 1):copy(), 1)
    for _, left in ipairs { x.T:copy().T, tall["::2, 2:8"], cp.flip(cp.flip(x, 2):copy(), 2) } do
      for _, right in ipairs { y.T:copy().T, wide } do
        assert.is_true(cp.array_equal((A * cp.matmul(left, right)):toarray(), want))
      end
    end
  end)

  it("may have more places than are worth it, another shape, or nothing", function()
    local x, y = product "float64"
    local P = multiplied(x, y)
    local full = sp.csr_array(cp.ones { ROWS, COLUMNS })
    assert.is_true(cp.array_equal((full * cp.matmul(x, y)):toarray(), P))
    local row = sp.csr_array(cp.eye(1, COLUMNS))
    assert.is_true(cp.array_equal((sp.csr_array { ROWS, COLUMNS } * cp.matmul(x, y)):toarray(), P * 0))
    local A = mask("float64", "csr")
    check.failure("shape", "scipy.sparse.multiply: shapes (30, 40) and (40, 40) differ",
      function() local _ = A * cp.matmul(y.T, y) end)
    assert.is_true(cp.array_equal((row * cp.matmul(x, y)):toarray(), row:toarray() * P))
  end)

  it("leaves the product to be computed for others, and then waits no more for that matrix", function()
    local A, dense = mask("float64", "csr")
    local x, y = product "float64"
    local want = multiplied(x, y)
    local P = cp.matmul(x, y)
    assert.is_true(cp.array_equal((A * P):toarray(), dense * want))
    assert.is_true(cp.array_equal(P, want))
    assert.is_true(cp.array_equal((A * P):toarray(), dense * want))
    assert.is_true(cp.array_equal((A * cp.matmul(x, y)):toarray(), dense * want))
  end)

  it("is what it was before the matrices are written or freed", function()
    local A, dense = mask("float64", "csr")
    local x, y = product "float64"
    local want = multiplied(x, y)
    local P, Q, R = cp.matmul(x, y), cp.matmul(x, y), cp.matmul(x, y)
    x:add_(1)
    assert.is_true(cp.array_equal((A * P):toarray(), dense * want))
    y["1, :"] = 5
    assert.is_true(cp.array_equal((A * Q):toarray(), dense * want))
    x:free()
    y:free()
    assert.is_true(cp.array_equal((A * R):toarray(), dense * want))
    local z, w = product "float64"
    local S = A * cp.matmul(z, w)
    z:fill(0)
    assert.is_true(cp.array_equal(S:toarray(), dense * want))
  end)

  it("leaves pending products that are used otherwise as they are", function()
    local x, y = product "float64"
    local want = multiplied(x, y)
    local function same(a, b) assert.is_true(cp.array_equal(a, b)) end
    same(cp.matmul(x, y) + 1, want + 1)
    same(cp.matmul(x, y).T, want.T)
    same(cp.matmul(x, y)["3:5, ::2"], want["3:5, ::2"])
    same(cp.matmul(x, y):sum(1), want:sum(1))
    same(cp.matmul(x, y):max(), want:max())
    same(cp.matmul(cp.matmul(x, y), y.T), multiplied(want, y.T))
    same(cp.matmul(x, y):astype "float32", want:astype "float32")
    same(cp.matmul(x, y):reshape(-1), want:reshape(-1))
    same(cp.where(cp.matmul(x, y):greater(0), cp.matmul(x, y), 0), cp.maximum(want, 0))
    same(cp.sort(cp.matmul(x, y)), cp.sort(want))
    assert.equal(want[{ 3, 4 }], cp.matmul(x, y)[{ 3, 4 }])
    local P = cp.matmul(x, y)
    P["1:2"] = 0
    same(P["3:"], want["3:"])
    same(P[1], cp.zeros { COLUMNS })
    same(cp.scope(function() return cp.matmul(x, y) end), want)
    local stream = cp.cuda.Stream()
    local Q
    stream:with(function() Q = cp.matmul(x, y) end)
    same(Q * 2, want * 2)
    local out = cp.zeros { ROWS, COLUMNS }
    local g = cp.cuda.graph(function() out:assign(cp.matmul(x, y) * 2) end)
    g()
    same(out, want * 2)
    g:free()
    for _ = 1, 100 do local _ = cp.matmul(x, y) end
    P = cp.matmul(x, y)
    local other = cp.ones(3)
    for _ = 1, 100 do other = other + 1 end
    same(P, want)
  end)

  it("can be computed later if there is no memory", function()
    local n = 1024
    local A, x = sp.eye_array(n, { dtype = "float64" }), cp.ones { n, 4 }
    cp.eval(x)
    cp.collect()
    local P = cp.matmul(x, x.T)
    local limit = cp.memory().limit
    cp.memory { limit = cp.memory().live + n * n }
    local ok = pcall(function() (P + 1):eval() end)
    cp.memory { limit = limit }
    if ok then return end -- a block of that size was kept
    assert.is_true(cp.array_equal(P + 1, cp.full({ n, n }, 5)))
    assert.is_true(cp.array_equal((A * P):toarray(), cp.eye(n) * 4))
  end)

  if check.mode or fusion.forced then return end

  -- Bytes of products of n x n that f allocates memory for.
  local n = 3000
  local function products(f)
    core.slow_paths()
    local before = cp.profiler.counters().bytes_allocated
    local value = f()
    return (cp.profiler.counters().bytes_allocated - before) / (4 * n * n), value
  end

  it("computes no product, nor later when nothing needs it", function()
    local A, x = sp.eye_array(n, { dtype = "float32", format = "csr" }), cp.ones({ n, 4 }, "float32")
    cp.eval(x)
    cp.synchronize() -- computes what else is pending
    local made, B = products(function() return A * cp.matmul(x, x.T) end)
    assert.is_true(cp.array_equal(B:diagonal(), cp.full({ n }, 4)))
    assert.is_true(made < 0.25, made)
    assert.is_true(products(function()
      for _ = 1, 100 do local _ = A.data + 1 end -- more operators than others wait for
      cp.synchronize()
    end) < 0.25)
  end)

  it("computes no product in a loop that writes its matrices in place", function()
    local width = 32 -- so that x is not copied for being small
    local A = sp.eye_array(n, { dtype = "float32", format = "csr" })
    local x, y = cp.ones({ n, width }, "float32"), cp.ones({ width, n }, "float32")
    cp.eval(x, y)
    cp.synchronize()
    local made = products(function()
      for _ = 1, 10 do
        local residuals = A * cp.matmul(x, y)
        x:sub_(residuals:dot(y.T) * (0.5 / width))
        cp.synchronize()
      end
      local residuals = A * cp.matmul(x, y)
      x["2:"]:sub_((residuals:dot(y.T) * (0.5 / width))["2:"])
    end)
    assert.is_true(cp.allclose(x[1], 0.5 ^ 10))
    assert.is_true(cp.allclose(x["2:"], 0.5 ^ 11))
    assert.is_true(made < 1, made)
  end)
end)
