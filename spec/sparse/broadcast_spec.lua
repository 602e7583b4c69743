-- Sparse arrays whose shapes are broadcast to that of a dense factor, and shapes given as numbers.

local cp = require "cupola"
local check = require "spec.helper.check"

local sp = cp.sparse

-- Values of SciPy.
describe("shapes of sparse arrays", function()
  it("broadcast to those of dense factors", function()
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local A = sp.csr_array({ { 0, 5 } }):asformat(format)
      local x = cp.array { { 1 }, { 2 }, { 0 } }
      assert.same({ { 0, 5 }, { 0, 10 }, { 0, 0 } }, A:multiply(x):toarray():totable(), format)
      assert.same({ { 0, 5 }, { 0, 10 }, { 0, 0 } }, (x * A):toarray():totable(), format)
    end
    assert.same({ { 5, 0, 10 } }, sp.csr_array({ { 5 } }):multiply(cp.array { 1, 0, 2 }):toarray():totable())
    check.failure("shape", "scipy.sparse.multiply: shapes (1, 2) and (2, 3) differ",
      function() return sp.csr_array({ { 0, 5 } }):multiply(cp.ones { 2, 3 }), 1 end)
  end)

  it("are given as numbers or as a table", function()
    local A = sp.csr_array { { 0, 5, 0 }, { 1, 0, 2 } }
    assert.same({ { 0, 5 }, { 0, 1 }, { 0, 2 } }, A:reshape(3, 2):toarray():totable())
    assert.same({ { 0, 5 }, { 0, 1 }, { 0, 2 } }, A:reshape({ 3, 2 }):toarray():totable())
    A:resize(3, 2)
    assert.same({ { 0, 5 }, { 1, 0 }, { 0, 0 } }, A:toarray():totable())
    A:resize { 1, 3 }
    assert.same({ { 0, 5, 0 } }, A:toarray():totable())
  end)
end)
