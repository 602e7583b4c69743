-- Options that NumPy and the array API standard have: `where`, `correction` and `mean` of reductions, sorts
-- in descending order, copies on demand, kinds of dtypes. Golden data are in options_golden_spec.lua.

local cp = require "cupola"
local check = require "spec.helper.check"

describe("where of reductions", function()
  local x, mask = cp.array { { 1, 2, 3 }, { 4, 5, 6 } }, cp.array { true, false, true }

  it("writes into out", function()
    local out = cp.zeros(2)
    assert.equal(out, cp.mean(x, { axis = 2, where = mask, out = out }))
    assert.same({ 2, 5 }, out:totable())
    local narrow = cp.zeros(2, "float32")
    cp.sum(x, { axis = 2, where = mask, out = narrow })
    assert.same({ 4, 10 }, narrow:totable())
  end)

  it("keeps the precision of half-precision sums in a mean", function()
    local h = cp.full({ 4096 }, 100, "float16")
    local half = cp.arange(4096):lt(2048)
    assert.equal(100, h:mean({ where = half }):item())
    assert.equal(0, h:var({ where = half }):item())
    assert.equal("float16", h:var({ where = half }).dtype)
  end)

  it("of nothing", function()
    local none = cp.zeros(3, "bool")
    assert.equal(0, x:sum({ where = none }):item())
    assert.is_false(x:any({ where = none }))
    assert.is_true(x:all({ where = none }))
    assert.equal(-1, x:max({ where = none, initial = -1 }):item())
    local mean = x:mean({ where = none }):item()
    assert.is_true(mean ~= mean)
  end)

  it("refuses what is no mask", function()
    check.failure("usage", "sum: where is a Lua boolean", function() x:sum { where = x == 0 } end)
    check.failure("dtype", "sum: where must be a bool array, not float64", function() x:sum { where = x } end)
    local large = cp.ones({ 2, 2, 3 }, "bool")
    check.failure("shape", "mean: where has shape (2, 2, 3)", function() x:mean { where = large } end)
    check.failure("usage", "max: has no value where the mask", function() x:max { where = mask } end)
    check.failure("usage", "argmax: no option 'where'", function() x:argmax { where = mask } end)
    check.failure("usage", "var: ddof and correction", function() x:var { ddof = 1, correction = 1 } end)
    check.failure("usage", "var: ddof and correction", function() x:var { ddof = 1, correction = 1, where = mask } end)
    check.failure("dtype", "mean: dtype must be floating", function() x:mean { dtype = "int8", where = mask } end)
    local i = x:astype "int32"
    check.failure("dtype", "min: initial cannot be stored as", function() i:min { where = mask, initial = 0.5 } end)
  end)
end)

describe("copy", function()
  local x = cp.arange(6):reshape(2, 3)

  it("of asarray", function()
    assert.is_true(rawequal(x, cp.asarray(x, { copy = false })))
    local y = cp.asarray(x, { copy = true })
    assert.is_false(cp.shares_memory(x, y))
    assert.is_true(x == y)
    check.failure("usage", "asarray: copy is false", function() cp.asarray({ 1, 2 }, { copy = false }) end)
    check.failure("usage", "asarray: copy is false", function() cp.asarray(x, { dtype = "int8", copy = false }) end)
    check.failure("usage", "asarray: copy is false", function() cp.asarray(x.T, { order = "C", copy = false }) end)
  end)

  it("of reshape", function()
    assert.is_true(cp.shares_memory(x, cp.reshape(x, { 3, 2 }, { copy = false })))
    local y = x:reshape({ 3, 2 }, { copy = true })
    assert.is_false(cp.shares_memory(x, y))
    assert.same({ { 0, 1 }, { 2, 3 }, { 4, 5 } }, y:totable())
    assert.is_true(x.T:reshape(6) == cp.array({ 0, 3, 1, 4, 2, 5 }, "int64"))
    check.failure("usage", "reshape: copy is false", function() cp.reshape(x.T, { 6 }, { copy = false }) end)
  end)

  it("and device of astype", function()
    for _, device in ipairs({ "cpu", x.device }) do
      local y = x:astype("float32", { device = device })
      assert.equal(device, y.device)
      assert.equal("float32", y.dtype)
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, y:totable())
    end
    assert.is_true(rawequal(x, x:astype("int64", { copy = false, device = x.device })))
    assert.is_false(rawequal(x, x:astype("int64", { device = x.device })))
    check.failure("dtype", 'astype: the rule "same_kind" does not allow the cast from int64 to bool',
      function() x:astype("bool", { casting = "same_kind" }) end)
    check.failure("usage", "astype: casting must be", function() x:astype("bool", { casting = "kind" }) end)
  end)
end)

describe("isdtype", function()
  it("knows the kinds of the array API standard", function()
    local kinds = {
      bool = "bool", ["signed integer"] = "int8 int16 int32 int64",
      ["unsigned integer"] = "uint8 uint16 uint32 uint64", ["real floating"] = "float16 bfloat16 float32 float64",
      ["complex floating"] = "complex64 complex128",
    }
    kinds.integral = kinds["signed integer"] .. " " .. kinds["unsigned integer"]
    kinds.numeric = kinds.integral .. " " .. kinds["real floating"] .. " " .. kinds["complex floating"]
    for kind, list in pairs(kinds) do
      for _, dtype in ipairs(require "spec.helper.expect".dtypes) do
        local want = (" " .. list .. " "):find(" " .. dtype .. " ", 1, true) ~= nil
        assert.equal(want, cp.isdtype(dtype, kind), kind .. " " .. dtype)
      end
    end
  end)

  it("takes dtypes and tables", function()
    assert.is_true(cp.isdtype("float32", "float32"))
    assert.is_false(cp.isdtype("float32", "float64"))
    assert.is_true(cp.isdtype("f4", { "integral", "real floating" }))
    assert.is_false(cp.isdtype("bool", { "integral", "complex64" }))
    check.failure("dtype", "isdtype: no dtype 'floating'", function() cp.isdtype("bool", "floating") end)
  end)
end)

describe("descending sorts", function()
  it("are stable and check their options", function()
    local x = cp.array({ 2, 1, 2, 1 }, "float16")
    assert.same({ 1, 3, 2, 4 }, x:argsort({ descending = true }):totable())
    check.failure("usage", "sort: descending must be true or false", function() x:sort { descending = 1 } end)
    check.failure("usage", "argsort: stable must be true or false", function() x:argsort { stable = "yes" } end)
    check.failure("shape", "sort: a must have at least one axis",
      function() cp.sort(cp.array(1), { descending = true }) end)
  end)
end)

describe("casting", function()
  local i, f = cp.arange(3):astype "int8", cp.array { 0.5, 1, 2 }

  it("refuses what the rule does not allow", function()
    check.failure("dtype", 'add: the rule "no" does not allow the cast from int8 to float64',
      function() cp.add(i, f, { casting = "no" }) end)
    check.failure("dtype", 'sqrt: the rule "no" does not allow the cast from int8 to float16',
      function() cp.sqrt(i, { casting = "no" }) end)
    check.failure("dtype", 'add: the rule "same_kind" does not allow the cast from float64 to int8',
      function() cp.add(i, f, { out = i, casting = "same_kind" }) end)
    check.failure("dtype", 'multiply: the rule "safe" does not allow the cast from float64 to float32',
      function() cp.multiply(f, 2, { dtype = "float32", casting = "safe" }) end)
    check.failure("dtype", "bitwise_and: needs an integer dtype or bool, not float32",
      function() cp.bitwise_and(i, i, { dtype = "float32", casting = "unsafe" }) end)
    check.failure("dtype", 'concatenate: the rule "safe" does not allow the cast from float64 to float32',
      function() cp.concatenate({ f, f }, { dtype = "float32", casting = "safe" }) end)
    check.failure("dtype", 'copyto: the rule "same_kind" does not allow the cast from float64 to int8',
      function() cp.copyto(i, f, { casting = "same_kind" }) end)
    check.failure("usage", "add: casting must be", function() cp.add(i, i, { casting = "none" }) end)
    assert.same({ 0, 1, 2 }, i:totable())
  end)

  it("of copyto", function()
    local x = cp.zeros(3, "int8")
    cp.copyto(x, { 1.5, 2.5, -3.5 }, { casting = "unsafe" })
    assert.same({ 1, 2, -3 }, x:totable())
    cp.copyto(x, 7.9, { where = cp.array { true, false, true }, casting = "unsafe" })
    assert.same({ 7, 2, 7 }, x:totable())
    cp.copyto(x, 5, { casting = "no" })
    assert.same({ 5, 5, 5 }, x:totable())
    cp.copyto(x, cp.array({ 1, 2, 3 }, "int8"), { casting = "no" })
    assert.same({ 1, 2, 3 }, x:totable())
  end)

  it("of numbers alone", function()
    assert.equal(2, cp.sqrt(4, { casting = "unsafe" }))
  end)

  it("of matmul", function()
    local a = cp.arange(6):reshape(2, 3)
    assert.equal("float32", cp.matmul(a, a.T, { dtype = "float32", casting = "unsafe" }).dtype)
    assert.same({ { 5, 14 }, { 14, 50 } }, cp.matmul(a, a.T, { dtype = "float64" }):totable())
    local out = cp.zeros({ 2 }, "int8")
    assert.is_true(rawequal(out, cp.matmul(a, f, { out = out, casting = "unsafe" })))
    assert.same({ 5, 15 }, out:totable())
    local product = cp.matmul(a, a, { axes = { { 2, 1 }, { 1, 2 }, { 2, 1 } } })
    assert.same(cp.matmul(a.T, a).T:totable(), product:totable())
    check.failure("index", "matmul: axes 3 is out of range for an array with 2 axes",
      function() cp.matmul(a, a, { axes = { { 2, 3 }, { 1, 2 } } }) end)
    check.failure("index", "matmul: axes names an axis of x2 twice",
      function() cp.matmul(a, a, { axes = { { 2, 1 }, { -1, 2 } } }) end)
    check.failure("dtype", 'matmul: the rule "same_kind" does not allow the cast from float64 to int64',
      function() cp.matmul(a, f, { dtype = "int64" }) end)
    check.failure("dtype", 'matmul: the rule "safe" does not allow the cast from float64 to int8',
      function() cp.matmul(a, f, { out = out, casting = "safe" }) end)
  end)
end)

describe("where of an elementwise function", function()
  local x = cp.arange(6, "float64"):reshape(2, 3)
  local mask = cp.array { { true, false, true }, { false, true, false } }

  it("says which elements of out are written", function()
    local out = cp.full({ 2, 3 }, -1, "float32")
    assert.is_true(rawequal(out, cp.add(x, 1, { where = mask, out = out })))
    assert.same({ { 1, -1, 3 }, { -1, 5, -1 } }, out:totable())
    assert.same({ { 0, -1, 2 }, { -3, 4, -5 } }, x:negative({ where = cp.logical_not(mask), out = x:copy() }):totable())
    x:sqrt { where = { false, true, false }, out = out } -- the mask is broadcast
    assert.same({ 1, 1, 3 }, out[1]:totable())
    local y = x:copy() -- also of an operand
    assert.same({ { 0, 1, 4 }, { 3, 8, 5 } }, cp.add(y, y, { where = mask, out = y }):totable())
    local whole = cp.zeros({ 2, 3 }, "int8")
    cp.add(x, 0.5, { where = mask, out = whole, casting = "unsafe" })
    assert.same({ { 0, 0, 2 }, { 0, 4, 0 } }, whole:totable())
    assert.same({ 3, 0 }, cp.add(1, 2, { where = cp.array { true, false }, out = cp.zeros(2) }):totable())
    assert.same({ 0, 0 }, cp.add(1, 2, { where = false, out = cp.zeros(2) }):totable())
    assert.same({ 2, 3 }, cp.add(cp.array { 1, 2 }, 1, { where = true }):totable())
  end)

  it("refuses what it cannot do", function()
    local out = cp.zeros({ 2, 3 }, "int8")
    check.failure("usage", "add: where needs out", function() cp.add(x, 1, { where = mask }) end)
    check.failure("usage", "add: where must be an array or a table of booleans, not string",
      function() cp.add(x, 1, { where = "mask", out = out }) end)
    check.failure("dtype", "add: where must be of dtype bool, not float64",
      function() cp.add(x, 1, { where = x, out = out }) end)
    check.failure("dtype", 'add: the rule "same_kind" does not allow the cast from float64 to int8',
      function() cp.add(x, 1, { where = mask, out = out }) end)
    check.failure("shape", "add: out has shape (2, 3)",
      function() cp.add(x, 1, { where = cp.ones({ 4, 2, 3 }, "bool"), out = x:copy() }) end)
  end)
end)

describe("cp.ufunc", function()
  local x = cp.arange(4)

  it("passes options of outer on to the operation", function()
    local a, b = cp.arange(3), cp.array({ 10, 20 }, "int64")
    local out = cp.zeros { 3, 2 }
    local mask = cp.array { true, false }
    assert.is_true(rawequal(out, cp.ufunc.outer("add", a, b, { out = out, where = mask })))
    assert.same({ { 10, 0 }, { 11, 0 }, { 12, 0 } }, out:totable())
    local product = cp.ufunc.outer("multiply", a, b, { dtype = "int8", casting = "unsafe" })
    assert.equal("int8", product.dtype)
    assert.same({ { 0, 0 }, { 10, 20 }, { 20, 40 } }, product:totable())
    check.failure("dtype", 'ufunc.outer: the rule "safe" does not allow the cast from int64 to int8',
      function() cp.ufunc.outer("add", a, b, { dtype = "int8", casting = "safe" }) end)
  end)

  it("reduces 0-d arrays to themselves", function()
    local one = cp.array(3)
    for _, op in ipairs { "add", "subtract", "hypot" } do assert.equal(3, cp.ufunc.reduce(op, one):item()) end
    assert.equal(-1, cp.ufunc.reduce("subtract", one, { initial = 2 }):item())
    check.failure("index", "ufunc.reduce: axis 1 is out of range", function() cp.ufunc.reduce("add", one, 1) end)
  end)

  it("refuses what it cannot do", function()
    check.failure("shape", "sum: where has shape (2), which does not broadcast to a's shape (4)",
      function() cp.sum(x, { where = { true, false } }) end)
    check.failure("usage", "ufunc.outer: 'negative' takes one operand", function() cp.ufunc.outer("negative", x, x) end)
    check.failure("usage", "ufunc.reduce: 'adds' is not an elementwise", function() cp.ufunc.reduce("adds", x) end)
    check.failure("usage", "ufunc.reduce: 'where' is not an elementwise", function() cp.ufunc.reduce("where", x) end)
    check.failure("usage", "ufunc.reduce: op must be the name", function() cp.ufunc.reduce(cp.add, x) end)
    check.failure("usage", "ufunc.reduce: 'subtract' of no elements needs initial",
      function() cp.ufunc.reduce("subtract", cp.zeros(0)) end)
    local m = x:reshape(2, 2)
    check.failure("usage", "ufunc.reduce: 'subtract' depends on the order",
      function() cp.ufunc.reduce("subtract", m, { axis = { 1, 2 } }) end)
    check.failure("shape", "ufunc.accumulate: a must have at least one axis",
      function() cp.ufunc.accumulate("add", cp.array(1)) end)
    check.failure("usage", "ufunc.reduceat: indices must be from 1 to 4",
      function() cp.ufunc.reduceat("add", x, { 5 }) end)
    check.failure("usage", "ufunc.at: b is missing", function() cp.ufunc.at("multiply", x, cp.index { 1 }) end)
    check.failure("usage", "ufunc.at: b must not be given",
      function() cp.ufunc.at("negative", x, cp.index { 1 }, 1) end)
    check.failure("usage", "ufunc.at: a must be an array", function() cp.ufunc.at("add", 1, cp.index { 1 }, 1) end)
    assert.same({ 0, 1, 2, 3 }, x:totable())
  end)

  it("writes into out, and through views", function()
    local out = cp.zeros(4)
    assert.equal(out, cp.ufunc.accumulate("subtract", x, { out = out }))
    assert.same({ 0, -1, -3, -6 }, out:totable())
    local wide = cp.zeros({ 3, 4 })
    cp.ufunc.at("subtract", wide[{ {}, 2 }], cp.index { 1, 1, 3 }, { 1, 2, 4 })
    assert.same({ { 0, -3, 0, 0 }, { 0, 0, 0, 0 }, { 0, -4, 0, 0 } }, wide:totable())
    cp.ufunc.at("multiply", wide, { 1, 2 }, 2)
    assert.equal(-6, wide[{ 1, 2 }])
  end)

  it("folds long axes and folds nothing", function()
    local n = 1001
    assert.equal(0, cp.ufunc.reduce("bitwise_xor", cp.concatenate { cp.arange(n), cp.arange(n) }):item())
    assert.same({ -1, -1 }, cp.ufunc.reduce("bitwise_and", cp.zeros({ 0, 2 }, "int16")):totable())
    assert.same({ 0, 0 }, cp.ufunc.reduce("add", cp.zeros({ 0, 2 })):totable())
    assert.same({}, cp.ufunc.accumulate("power", cp.zeros(0)):totable())
    local repeated, times = cp.zeros(2), check.mode == "gc" and 20 or 300
    cp.ufunc.at("subtract", repeated, cp.index { 2 }:repeats(times), 1)
    assert.same({ 0, -times }, repeated:totable())
  end)
end)

describe("x.flat", function()
  it("reads and writes by any index of a vector, whatever the strides", function()
    for _, x in ipairs { cp.arange(6):reshape(2, 3), cp.arange(6):reshape(3, 2).T, cp.zeros({ 4, 6 })["::2, ::2"] } do
      x:assign(cp.arange(6):reshape(2, 3))
      assert.equal(6, #x.flat)
      assert.same({ 0, 3, 5, 5 }, { x.flat[1], x.flat[4], x.flat[6], x.flat[-1] })
      assert.same({ 1, 3 }, x.flat["2:4:2"]:totable())
      assert.same({ 4, 0 }, x.flat[cp.index { 5, 1 }]:totable())
      x.flat[2] = 10
      x.flat[-1] = 50
      x.flat[{ { 3, 4 } }] = { 20, 30 }
      assert.same({ { 0, 10, 20 }, { 30, 4, 50 } }, x:totable())
      x.flat[x:flatten():gt(15)] = 0
      assert.same({ { 0, 10, 0 }, { 0, 4, 0 } }, x:totable())
      assert.same({ 0, 10, 0, 0, 4, 0 }, x.flat.copy():totable())
      assert.is_true(rawequal(x.flat.base, x))
    end
    local v, empty = cp.array(3), cp.zeros { 0, 2 }
    v.flat[1] = 4
    assert.same({ 4, 1, 0 }, { v:item(), #v.flat, #empty.flat })
    check.failure("index", "index: index 7", function() local _ = cp.ones({ 2, 3 }).flat[7] end)
    check.failure("index", "index: index 0", function() cp.ones({ 2, 3 }).flat[0] = 1 end)
  end)
end)

describe("matmul and einsum", function()
  it("check axes and labels", function()
    local a = cp.ones { 2, 3 }
    check.failure("usage", "matmul: axes[1] must be a table of 2 axes",
      function() cp.matmul(a, a.T, { axes = { 1, 2 } }) end)
    check.failure("usage", "matmul: axes must be a table, not number", function() cp.matmul(a, a.T, { axes = 1 }) end)
    check.failure("usage", "einsum: label must be from 0 to 51, but is 52", function() cp.einsum(a, { 0, 52 }) end)
    check.failure("usage", "einsum: subscripts must be a text",
      function() cp.einsum(a, a, { 0, 1 }) end)
    check.failure("usage", "einsum: subscripts must be a text", function() cp.einsum(a) end)
  end)
end)

describe("pinv", function()
  it("takes rcond or rtol", function()
    check.failure("usage", "linalg.pinv: takes rcond or rtol, not both",
      function() cp.linalg.pinv(cp.eye(2), { rcond = 0, rtol = 0 }) end)
  end)
end)

describe("Fields, weights and rules", function()
  local x = cp.arange(6):reshape(2, 3)

  it("says which fields and values cannot be written", function()
    check.failure("usage", "index: x.foo cannot be set", function() x.foo = 3 end)
    check.failure("usage", "index: x.shape cannot be set", function() x.shape = { 3, 2 } end)
    check.failure("dtype", "imag: an array of dtype int64 has no imaginary part", function() x.imag = 1 end)
    check.failure("shape", "flat: there are no elements to write", function() x.flat = {} end)
    check.failure("dtype", "flat: cannot write 2.5 into int64", function() x.flat = 2.5 end)
    check.failure("dtype", "flat: cannot write float64 into int64", function() x.flat = cp.ones(6) end)
    local none = cp.zeros { 0, 3 }
    none.flat = {}
    none.flat = 1
    assert.equal("0 1 2 3 4 5", table.concat(x:ravel():totable(), " "))
  end)

  it("refuses masks of clip that are none, or are for nothing", function()
    check.failure("usage", "clip: where needs out", function() cp.clip(x, 0, 1, { where = x:gt(2) }) end)
    check.failure("dtype", "clip: where must be of dtype bool, not int64",
      function() cp.clip(x, 0, 1, { where = x, out = x:copy() }) end)
  end)

  it("refuses weights that are none", function()
    local function quantile(w, options)
      options = options or { method = "inverted_cdf" }
      options.weights = w
      return function() local _ = cp.quantile(x, 0.5, options) end
    end
    check.failure("usage", "quantile: weights need the method 'inverted_cdf', not 'linear'", quantile(x, {}))
    check.failure("shape", "quantile: weights of shape (3)", quantile { 1, 2, 3 })
    check.failure("shape", "quantile: weights of shape (3)",
      quantile({ 1, 2, 3 }, { axis = 1, method = "inverted_cdf" }))
    check.failure("usage", "quantile: weights must not be negative", quantile(-x))
    check.failure("usage", "quantile: weights must be finite, and not all zero", quantile(x * 0))
    check.failure("usage", "quantile: weights must be finite, and not all zero", quantile(x * cp.inf))
  end)

  it("gives rows of nan alone the quantile nan, and counts weights as repetitions", function()
    local w, y = cp.array { 2, 0, 3, 1 }, cp.array { 4, 9, -1, 7 }
    local often = cp.array { 4, 4, -1, -1, -1, 7 }
    for _, q in ipairs { 0, 0.1, 0.5, 0.51, 0.84, 1 } do
      assert.equal(cp.quantile(often, q, { method = "inverted_cdf" }):item(),
        cp.quantile(y, q, { method = "inverted_cdf", weights = w }):item())
    end
    local rows = cp.array { { cp.nan, cp.nan }, { 1, cp.nan } }
    local m = cp.nanquantile(rows, 0.5, 2, { method = "inverted_cdf", weights = { 1, 5 } })
    assert.same({ true, false }, cp.isnan(m):totable())
    assert.equal(1, m:totable()[2])
  end)

  it("knows rules for bins by name, without weights", function()
    check.failure("usage", 'histogram: bins must be a number, edges, "auto"', function() cp.histogram(x, "best") end)
    check.failure("usage", "histogram: rules for bins take no weights",
      function() cp.histogram(x, "fd", { weights = x }) end)
    check.failure("dtype", "histogram: a must be real", function() cp.histogram(x * cp.j, "fd") end)
    assert.equal(1, cp.histogram(cp.zeros(0), "auto").size)
    assert.equal(6, cp.histogram(x, "sqrt"):sum():item())
  end)
end)
