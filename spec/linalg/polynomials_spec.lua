-- cp.polyfit and similar functions beyond the golden data: unusual input, shapes and errors.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values = check.failure, check.values

local function largest(x) return cp.abs(x):max():item() end

local function near(a, b, tolerance)
  local distance = largest(a:astype(cp.promote_types(a.dtype, "float64")) - b)
  assert.is_true(distance <= tolerance, ("differ by %g, more than %g"):format(distance, tolerance))
end

describe("polynomials", function()
  it("have roots, from which they can be made", function()
    local p = cp.poly { 1, -2, 3 }
    assert.same({ 1, -2, -5, 6 }, values(p))
    assert.equal("float64", p.dtype)
    near(cp.sort(cp.roots(p)), cp.array { -2, 1, 3 }, 1e-13)
    local turned = cp.roots { 1, 0, 1 }
    assert.equal("complex128", turned.dtype)
    near(cp.sort(turned.imag), cp.array { -1, 1 }, 1e-14)
    near(turned.real, cp.zeros(2), 1e-14)
    assert.same({ 1, 0, 1 }, values(cp.poly(cp.array { cp.j, -cp.j })))
    assert.equal("complex128", cp.poly(cp.array { cp.j, cp.j }).dtype)
    assert.equal("float32", cp.poly(cp.array({ 1, 2 }, "float32")).dtype)
    near(cp.poly(cp.array { { 2, 1 }, { 0, 3 } }), cp.array { 1, -5, 6 }, 1e-13)
    assert.same({ 1 }, values(cp.poly {}))
  end)

  it("drop zero coefficients at their ends", function()
    near(cp.sort(cp.roots { 0, 0, 2, -6, 4, 0, 0 }), cp.array { 0, 0, 1, 2 }, 1e-13)
    assert.same({ 0, 0 }, values(cp.roots { 5, 0, 0 }))
    assert.is_true(cp.roots({ 0, 0 }):has_shape(0) and cp.roots({ 7 }):has_shape(0) and cp.roots({}):has_shape(0))
  end)

  it("are divided with a remainder", function()
    local q, r = cp.polydiv({ 3, 5, 2 }, { 2, 1 })
    assert.same({ 1.5, 1.75 }, values(q))
    assert.same({ 0.25 }, values(r))
    q, r = cp.polydiv({ 1, 2 }, { 1, 0, 0 })
    assert.same({ { 0 }, { 1, 2 } }, { values(q), values(r) })
    q, r = cp.polydiv({ 1, 0, 0, 0, 7, 1 }, { 1, 0, 0, 0 })
    assert.same({ { 1, 0, 0 }, { 7, 1 } }, { values(q), values(r) })
    q, r = cp.polydiv({ 2, 4 }, { 2 })
    assert.same({ { 1, 2 }, { 0 } }, { values(q), values(r) })
    q, r = cp.polydiv({ 1, cp.j }, { cp.j, 5 })
    assert.same({ { -1 }, { 6 } }, { values(q.imag), values(r.imag) })
    failure("usage", "polydiv: the first coefficient of v must not be 0", function() cp.polydiv({ 1 }, { 0, 1 }) end)
    failure("shape", "polydiv: u and v must not be empty", function() cp.polydiv({}, { 1 }) end)
  end)
end)
