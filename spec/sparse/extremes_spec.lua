-- Extremes of sparse arrays with nan and of stored entries alone, norms of integers, and diagonals that are
-- longer than their place. Expected values are SciPy 1.17's.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local sp, nan, values = cp.sparse, cp.nan, expect.values

describe("extremes of sparse arrays", function()
  it("leave nan out unless there is nothing else", function()
    for _, c in ipairs {
      { { { nan, 0 } }, 0, { nan, 0 }, { 0 }, 0 },
      { { { nan, nan } }, nan, { nan, nan }, { nan }, nan },
      { { { nan, 0 }, { nan, 1 } }, 1, { nan, 1 }, { 0, 1 }, 0 },
      { { { nan, -1 } }, -1, { nan, -1 }, { -1 }, -1 },
      { { { nan, -cp.inf } }, -cp.inf, { nan, -cp.inf }, { -cp.inf }, -cp.inf },
    } do
      for _, format in ipairs { "csr", "csc", "coo" } do
        local A = sp.csr_array(cp.array(c[1])):asformat(format)
        values(A:nanmax(), c[2])
        values(A:nanmax(1), c[3])
        values(A:nanmin(2), c[4])
        values(A:nanmin(), c[5])
        values(cp.nanmax(A, 1), c[3])
      end
    end
  end)

  it("are those of stored entries if asked for", function()
    local A = sp.csr_array { { -1, 0, -2 }, { 0, 0, 0 }, { 0, -4, 0 } }
    values(A:max { axis = 2, explicit = true }, { -1, 0, -4 }, "float64")
    values(A:min { axis = 1, explicit = true }, { -1, -4, -2 })
    values(A:max { explicit = true }, -1)
    values(A:max(), 0)
    values(A:astype("int8"):max { axis = 2, explicit = true, keepdims = true }, { { -1 }, { 0 }, { -4 } }, "int8")
    values(sp.csr_array { 2, 3 }:max { explicit = true }, 0)
    values(sp.csr_array(cp.array { { nan, 0 }, { nan, 1 } }):nanmin { axis = 2, explicit = true }, { nan, 1 })
  end)

  it("have the positions of those of stored entries if asked for", function()
    local A = sp.csr_array { { 0, 0, -3 }, { 0, 2, 0 }, { 0, 0, 0 }, { -1, -1, -5 } }
    for _, format in ipairs { "csr", "csc", "coo", "bsr" } do
      local B = A:asformat(format)
      values(B:argmax { axis = 2, explicit = true }, { 3, 2, 1, 1 }, "int64")
      values(B:argmin { axis = 2, explicit = true }, { 3, 2, 1, 3 }, "int64")
      values(B:argmax { axis = 1, explicit = true }, { 4, 2, 1 })
      values(B:argmin { axis = 1, explicit = true, keepdims = true }, { { 4, 4, 4 } })
      values(B:argmax { explicit = true }, 5)
      values(B:argmin { explicit = true }, 12, "int64")
      values(B:argmin { axis = 2 }, { 3, 1, 1, 3 })
    end
    local N = sp.csr_array(cp.array { { 0, 7, nan }, { 0, nan, nan }, { 3, 3, 0 } })
    values(N:argmax { axis = 2, explicit = true }, { 3, 2, 1 })
    values(N:argmin { axis = 1, explicit = true }, { 3, 2, 1 })
    values(N:argmax { explicit = true }, 3)
    -- One place has two entries.
    local T = sp.coo_array({ { 1, 2, 1 }, { { 1, 1, 1 }, { 2, 1, 2 } } }, { shape = { 2, 3 } })
    values(T:argmax { axis = 2, explicit = true }, { 1, 1 })
    values(sp.csr_array(cp.array({ { true, false } })):argmax { axis = 1, explicit = true }, { 1, 1 })
    check.failure("usage", "scipy.sparse.argmax: an array without stored entries has no argmax of them",
      function() sp.csr_array({ 2, 3 }):argmax { explicit = true } return 1 end)
    values(sp.csr_array({ 2, 3 }):argmin { axis = 1, explicit = true }, { 1, 1, 1 })
    check.failure("shape", "scipy.sparse.argmin: an array without elements has no argmin",
      function() sp.csr_array({ 0, 3 }):argmin { explicit = true } return 1 end)
  end)
end)

describe("norms of sparse arrays", function()
  it("of integers do not wrap around", function()
    local A = sp.csr_array(cp.array({ { 200, 0, 100 }, { 0, 100, 0 } }, "uint8"))
    values(sp.linalg.norm(A), 244.94897427831782, "float64", 1e-12)
    values(sp.linalg.norm(A, 2, 1), { 200, 100, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, 2, 2), { 223.60679774997897, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, -1, 1), { 200, 100, 100 }, "float64", 1e-12)
    values(sp.linalg.norm(A, 3, 2), { 208.0083823051904, 100 }, "float64", 1e-12)
  end)
end)

describe("diags", function()
  it("takes the beginning of a diagonal that is longer than its place", function()
    local longer = sp.diags({ { 1, 2, 3 }, { 4, 5, 6 } }, { 0, 1 })
    values(longer:toarray(), { { 1, 4, 0 }, { 0, 2, 5 }, { 0, 0, 3 } })
    values(sp.diags({ 5, 6 }, -1, { 2, 5 }):toarray(), { { 0, 0, 0, 0, 0 }, { 5, 0, 0, 0, 0 } })
    check.failure("shape", "scipy.sparse.diags: diagonal 0 has 3 elements, not 2",
      function() sp.diags({ { 1, 2 } }, 0, { 3, 3 }) return 1 end)
  end)
end)
