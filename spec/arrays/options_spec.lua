-- Options that NumPy and the array API standard have: `where`, `correction` and `mean` of reductions, sorts
-- in descending order, copies on demand, kinds of dtypes. Values are NumPy's (spec/golden/options.py).

local cp = require "cupola"
local cases = require "spec.helper.cases"
local check = require "spec.helper.check"

describe("NumPy's golden data", function() cases.define("spec/golden/options.lua", it) end)

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
    check.failure("dtype", "min: initial is no value", function() i:min { where = mask, initial = 0.5 } end)
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
    check.failure("dtype", 'astype: the rule "same_kind" does not allow casts from int64 to bool',
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

describe("pinv", function()
  it("takes rcond or rtol", function()
    check.failure("usage", "linalg.pinv: takes rcond or rtol, not both",
      function() cp.linalg.pinv(cp.eye(2), { rcond = 0, rtol = 0 }) end)
  end)
end)
