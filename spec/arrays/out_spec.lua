-- Elementwise functions that write to an existing array: methods in place, and out= with its rules.

local cp = require "cupola"
local check = require "spec.helper.check"

local values = check.values

-- "dtype values" of x, for short comparisons.
local function shown(x) return x.dtype .. " " .. table.concat(values(x), " ") end

describe("writing in place", function()
  it("returns the array and writes through views", function()
    local x = cp.array({ { 1, 2 }, { 3, 4 } })
    assert.is_true(rawequal(x, x:add_(1)))
    assert.same({ { 2, 3 }, { 4, 5 } }, values(x))
    x[1]:mul_(10)
    assert.same({ { 20, 30 }, { 4, 5 } }, values(x))
    x["1:, 2"]:sub_({ 1, 2 })
    assert.same({ { 20, 29 }, { 4, 3 } }, values(x))
    assert.same({ { 25, 29 }, { 10, 10 } }, values(x:clip_(10, 29):maximum_({ { 25, 0 }, { 0, 0 } })))
    assert.same({ { 5, 29 ^ 0.5 }, { 10 ^ 0.5, 10 ^ 0.5 } }, values(cp.sqrt_(x)))
  end)

  it("takes operands that overlap", function()
    local x = cp.array({ { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } })
    x:add_(x.T)
    assert.same({ { 2, 6, 10 }, { 6, 10, 14 }, { 10, 14, 18 } }, values(x))
    local y = cp.arange(1, 9)
    y["2:"]:add_(y[":-2"])
    assert.same({ 1, 3, 5, 7, 9, 11, 13, 15 }, values(y))
    local z = cp.arange(1, 9)
    z[":-2"]:add_(z["2:"])
    assert.same({ 3, 5, 7, 9, 11, 13, 15, 8 }, values(z))
    local w = cp.arange(1, 9)
    w:assign(w["::-1"])
    assert.same({ 8, 7, 6, 5, 4, 3, 2, 1 }, values(w))
    w:add_(w)
    assert.same({ 16, 14, 12, 10, 8, 6, 4, 2 }, values(w))
    local big = cp.arange(100000)
    big["2:"]:add_(big[":-2"])
    assert.equal(99999 + 99998, big[-1])
    assert.equal(1, big[2])
  end)

  it("keeps the dtype, by same-kind casts only", function()
    local i = cp.array({ 1, 2 }, "int32")
    check.failure("dtype", "add_: cannot write float64 into int32; convert with :astype(\"int32\")",
      function() i:add_(1.5) end)
    check.failure("dtype", "sqrt_: cannot write float64 into int32", function() i:sqrt_() end)
    check.failure("dtype", "div_: cannot write float64 into int32", function() i:div_(2) end)
    check.failure("dtype", "add_: cannot write complex128 into int32", function() i:add_(cp.j) end)
    assert.equal("int32 1 2", shown(i))
    assert.equal("int32 4 6", shown(i:add_(cp.array({ 3, 4 }, "int64"))))
    assert.equal("float32", cp.ones({ 1 }, "float32"):add_(cp.ones({ 1 })).dtype)
    check.failure("dtype", "add_: cannot write complex128 into float64", function() cp.ones({ 1 }):add_(cp.j) end)
  end)

  it("does not change the shape", function()
    check.failure("shape", "add_: shape (2, 2) does not broadcast into (2)",
      function() cp.ones({ 2 }):add_(cp.ones({ 2, 2 })) end)
    assert.same({ { 2, 3 }, { 2, 3 } }, values(cp.ones({ 2, 2 }):add_({ 1, 2 })))
  end)

  it("is refused on broadcast views and on other values than arrays", function()
    local v = cp.broadcast_to(cp.ones({ 2 }), { 3, 2 })
    check.failure("usage", "add_: the array is a broadcast view, which cannot be written", function() v:add_(1) end)
    check.failure("usage", "add_: x1 must be an array, not table", function() cp.add_({ 1 }, 2) end)
    check.failure("usage", "add_: x1 must be an array, not number", function() cp.add_(1, 2) end)
  end)

  it("exists for results of the argument's kind only", function()
    local x = cp.ones({ 1 })
    for _, name in ipairs { "exp_", "add_", "sub_", "mul_", "div_", "mod_", "pow_", "neg_", "abs_", "floor_", "clip_",
      "band_" } do
      assert.is_function(x[name])
    end
    check.failure("usage", "index: an array has no field or method 'less_'", function() local _ = x.less_ end)
    check.failure("usage", "index: an array has no field or method 'isnan_'", function() local _ = x.isnan_ end)
  end)
end)

describe("out=", function()
  it("is written and returned", function()
    local x, out = cp.array({ 1, 2 }), cp.zeros({ 2 })
    assert.is_true(rawequal(out, cp.add(x, 1, out)))
    assert.same({ 2, 3 }, values(out))
    assert.is_true(rawequal(out, x:multiply(3, { out = out })))
    assert.same({ 3, 6 }, values(out))
    assert.is_true(rawequal(x, cp.add(x, x, x)))
    assert.same({ 2, 4 }, values(x))
    assert.same({ 1.5, 2 }, values(cp.where(cp.array({ true, false }), 1.5, 2, out)))
    local wide = cp.zeros({ 2 }, "float64")
    cp.add(cp.array({ 1, 2 }, "int8"), 1, wide)
    assert.same({ 2, 3 }, values(wide))
  end)

  it("must have the result's shape, or one that the result broadcasts to", function()
    local x, two = cp.array { 1, 2 }, { { 2, 3 }, { 2, 3 } }
    assert.same(two, values(cp.add(x, 1, cp.zeros { 2, 2 })))
    assert.same(two, values(cp.add(x, 1, cp.zeros({ 2, 2 }, "complex64")).real))
    assert.same({ { 0, 1 }, { 0, 1 } }, values(cp.clip(x - 1, 0, 1, cp.zeros { 2, 2 })))
    assert.same({ { 4, 4 }, { 4, 4 } }, values(cp.add(1, 3, cp.zeros({ 2, 2 }, "int8"))))
    assert.same({ 2, 2 }, values(cp.bitwise_and(6, 3, cp.zeros({ 2 }, "int8"))))
    assert.same({ { 5, 5 } }, values(cp.matmul(x, x, cp.zeros { 1, 2 })))
    assert.same({ { { 1, 2 }, { 2, 4 } } }, values(cp.outer(x, x, cp.zeros { 1, 2, 2 })))
    assert.same({ { 0.5, 0.5 } }, values(cp.scipy.special.expit(0, cp.zeros { 1, 2 })))
    local rows = cp.array { { 1, 2 }, { 3, 4 } }
    assert.same({ { 4, 5 }, { 4, 5 } }, values(cp.add(rows[2], 1, rows)))
    check.failure("shape", "add: out has shape (3), the result (2)", function() cp.add(x, 1, cp.ones { 3 }) end)
    check.failure("shape", "add: out has shape (2), the result (1, 2)",
      function() cp.add(x:reshape(1, 2), 1, cp.ones { 2 }) end)
    check.failure("shape", "add: out has shape (1), the result (2)", function() cp.add(x, 1, cp.ones { 1 }) end)
    for _, name in ipairs { "sum", "cumsum", "median", "argmax" } do
      check.failure("shape", name .. ": out has shape", function() cp[name](x, { out = cp.zeros { 2, 2 } }) end)
    end
    check.failure("dtype", "bitwise_and: needs an integer dtype or bool, not float64",
      function() cp.bitwise_and(6, 1.5) end)
  end)

  it("must take the result's kind", function()
    check.failure("dtype", "add: cannot write float64 into int32; convert with :astype(\"int32\")",
      function() cp.add(cp.ones({ 2 }), 1, cp.ones({ 2 }, "int32")) end)
    check.failure("dtype", "add: cannot write int32 into bool",
      function() cp.add(cp.ones({ 2 }, "int32"), 1, cp.ones({ 2 }, "bool")) end)
    assert.same({ 1, 0 }, values(cp.less(cp.array({ 1, 2 }), 2, cp.zeros({ 2 }, "int8"))))
  end)

  it("must be an array", function()
    check.failure("usage", "add: out must be an array, not number", function() cp.add(cp.ones({ 2 }), 1, 3) end)
    check.failure("usage", "add: out must be an array, not table", function() cp.add(cp.ones({ 2 }), 1, { 1, 2 }) end)
  end)
end)
