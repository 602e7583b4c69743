-- Norms of no elements, and names of triangles.

local cp = require "cupola"

describe("norms", function()
  it("of no elements are 0", function()
    for _, ord in ipairs { 0, 1, 2, 3, math.huge } do
      assert.equal(0, cp.linalg.vector_norm(cp.zeros(0), { ord = ord }):item())
      assert.equal(0, cp.linalg.norm(cp.zeros(0), ord):item())
      assert.is_true(cp.linalg.vector_norm(cp.zeros { 2, 0 }, { ord = ord, axis = 2 }) == cp.zeros(2))
    end
    for _, shape in ipairs { { 2, 0 }, { 0, 2 }, { 0, 0 } } do
      for _, ord in ipairs { 1, 2, math.huge, "fro", "nuc" } do
        assert.equal(0, cp.linalg.matrix_norm(cp.zeros(shape), { ord = ord }):item())
      end
    end
  end)
end)

describe("eigvalsh", function()
  it("names triangles by letters of either case", function()
    local a = cp.array { { 0, 9 }, { 1, 0 } }
    for name, want in pairs { L = 1, l = 1, U = 9, u = 9 } do
      assert.is_true(cp.allclose(cp.linalg.eigvalsh(a, name), { -want, want }), name)
    end
  end)
end)
