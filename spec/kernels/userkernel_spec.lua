-- cp.ElementwiseKernel and cp.ReductionKernel: the language, calls, every error; and, if NVRTC is installed,
-- the CUDA source of each kind.
local cp = require "cupola"
local check = require "spec.helper.check"
local core = require "cupola.core"

local E, R = cp.ElementwiseKernel, cp.ReductionKernel

local fails = check.raises

local function equal(x, values) assert.is_true(cp.array_equal(x, cp.array(values, x.dtype)), tostring(x)) end

describe("ElementwiseKernel", function()
  local x, y

  before_each(function()
    x = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32")
    y = cp.array({ 1, 1, 2 }, "float32")
  end)

  it("broadcasts and resolves letters", function()
    local k = E("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    local z = k(x, y)
    assert.equal("float32", z.dtype)
    equal(z, { { 0, 1, 1 }, { 9, 16, 16 } })
    equal(k(x:astype("int64"), y:astype("int64")), { { 0, 1, 1 }, { 9, 16, 16 } })
    assert.equal("squared_diff", k.name)
    assert.equal("ElementwiseKernel squared_diff", tostring(k))
  end)

  it("takes numbers and tables for arrays", function()
    local k = E("T x, T y", "T z", "z = x + y")
    equal(k(x, 2), { { 3, 4, 5 }, { 6, 7, 8 } })
    equal(k(x, { 10, 20, 30 }), { { 11, 22, 33 }, { 14, 25, 36 } })
    assert.equal("float32", k(x, { 10, 20, 30 }).dtype)
    assert.equal("float64", k({ 1, 2 }, 1).dtype)
    local c = cp.complex(1, 2)
    equal(E("T x, complex128 c", "complex128 z", "z = x * c")(y, c), { c, c, cp.complex(2, 4) })
    equal(E("T x, bool b, int8 v", "T z", "z = b ? x + v : x")(y, true, -3), { -2, -2, -1 })
  end)

  it("works on every layout and length", function()
    local k = E("T x, T y", "T z", "z = 2 * x + y")
    for _, n in ipairs { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 1000, 70001 } do
      local a, b = cp.arange(n):astype("float32"), cp.arange(n):astype("float32")
      assert.is_true(cp.array_equal(k(a, b), a * 3), tostring(n))
      if n > 2 then
        assert.is_true(cp.array_equal(k(a["2:"], b["1:-2"]), a["2:"] * 3 - 1), tostring(n))
        assert.is_true(cp.array_equal(k(a["::-1"], b), a["::-1"] * 2 + b), tostring(n))
      end
    end
    local m = cp.arange(7 * 5 * 3):reshape(7, 5, 3):astype("float32")
    assert.is_true(cp.array_equal(k(m.T, m.T), m.T * 3))
    assert.is_true(cp.array_equal(k(m:transpose({ 2, 1, 3 })["::2"], 1), m:transpose({ 2, 1, 3 })["::2"] * 2 + 1))
    assert.is_true(cp.array_equal(k(m[1], m), m[1] * 2 + m))
    assert.equal(0, k(cp.zeros({ 0, 3 }, "float32"), 1).size)
    local d = k(cp.array(2, "float32"), cp.array(3, "float32"))
    assert.equal(0, d.ndim)
    assert.equal(7, d:item())
  end)

  it("works in every dtype", function()
    for _, t in ipairs(core.dtypes()) do
      local k = E("T x, T y", "T z", "z = x * y + x")
      local a = cp.array({ 1, 0, 1, 1, 0 }):astype(t)
      local b = cp.array({ 1, 1, 0, 1, 0 }):astype(t)
      local z = k(a, b)
      assert.equal(t, z.dtype)
      equal(z, t == "bool" and { true, false, true, true, false } or { 2, 0, 1, 2, 0 })
    end
    local h = E("float16 x", "float16 y", "float16 s = x; s += 1; y = s * 0.1f")(cp.array({ 1, 2 }, "float16"))
    assert.is_true(cp.array_equal(h, cp.array({ 0.2, 0.3 }, "float32"):astype("float16")))
  end)

  it("gives several outputs, also into arrays that are given", function()
    local k = E("T x", "T q, int32 r", "q = floor(x / 2); r = (int)x % 2", "halves")
    local q, r = k(y)
    equal(q, { 0, 0, 1 })
    equal(r, { 1, 1, 0 })
    local a, b = cp.empty({ 3 }, "float32"), cp.empty({ 3 }, "int32")
    local c, d = k(y, a, b)
    assert.is_true(rawequal(a, c) and rawequal(b, d))
    equal(b, { 1, 1, 0 })
    local t = E("T x", "T y", "y = x", { return_tuple = true })(y)
    assert.equal(1, #t)
    assert.equal(0, select("#", E("T x", "T y", "y = x", { no_return = true })(y, a)))
    equal(a, { 1, 1, 2 })
    local view = cp.zeros({ 3, 2 }, "float32")
    E("T x", "T y", "y = x")(y, view["::1, 2"])
    equal(view, { { 0, 1 }, { 0, 1 }, { 0, 2 } })
  end)

  it("reads and conditionally writes outputs", function()
    local a = cp.array({ 10, 20, 30 }, "float32")
    E("T x", "T y", "y += x")(y, a)
    equal(a, { 11, 21, 32 })
    E("T x", "T y", "if (x > 1) y = 0")(y, a)
    equal(a, { 11, 21, 0 })
    E("T x", "T y", "if (x > 1) { y = 7; continue; } y = x")(y, a)
    equal(a, { 1, 1, 7 })
    local b = cp.array({ true, false, true })
    E("T x", "bool y", "y = y && x > 1")(y, b)
    equal(b, { false, false, true })
    local z = cp.array({ 1, 2 }, "complex64")
    E("T x", "T y", "y *= x")(z, z)
    equal(z, { 1, 4 })
  end)

  it("goes through a temporary where an output overlaps an input", function()
    local a = cp.arange(6):astype("float32")
    E("T x", "T y", "y = x")(a["1:5"], a["2:6"])
    equal(a, { 0, 0, 1, 2, 3, 4 })
    a = cp.arange(6):astype("float32")
    E("T x", "T y", "y += x")(a["::-1"], a)
    equal(a, { 5, 5, 5, 5, 5, 5 })
    a = cp.arange(4):astype("float32")
    E("raw T x", "T y", "y = x[n - 1 - i]")(a, a)
    equal(a, { 3, 2, 1, 0 })
    E("T x", "T y", "y = x + 1")(a, a)
    equal(a, { 4, 3, 2, 1 })
  end)

  it("indexes raw arrays linearly and by positions", function()
    equal(E("T x, raw T w", "T y", "y = w[n - i - 1]")(y, cp.array({ 1, 2, 3 }, "float32")), { 3, 2, 1 })
    local k = E("raw T x", "T y", "y = x[i]")
    local out = cp.empty({ 6 }, "float32")
    equal(k(x, out), { 1, 2, 3, 4, 5, 6 })
    equal(k(x.T, out), { 1, 4, 2, 5, 3, 6 })
    equal(k(x[{ {}, { -1, 1, -1 } }], out), { 3, 2, 1, 6, 5, 4 })
    equal(E("raw T x", "T y", "int q[] = {(int)i, 1}; y = x[{i, 0}] + x[q]")(x, cp.empty({ 2 }, "float32")), { 3, 9 })
    equal(E("raw T x", "int64 y", "y = x.size() + 10 * x.ndim + 100 * x.shape()[1] + 1000 * x.strides()[0]")(x,
      cp.empty({ 1 }, "int64")), { 6 + 20 + 300 + 12000 })
  end)

  it("knows i, n, _ind and positions", function()
    local m = cp.zeros({ 2, 3 }, "int64")
    equal(E("T x", "T y", "y = i + 10 * n + 100 * _ind.size()")(m), { { 660, 661, 662 }, { 663, 664, 665 } })
    equal(E("T x", "T y", "y = i")(m.T), { { 0, 1 }, { 2, 3 }, { 4, 5 } })
    equal(E("T x", "T y", "y = i")(m[{ {}, { -1, 1, -1 } }]), { { 0, 1, 2 }, { 3, 4, 5 } })
    equal(E("T x", "T y", "y = _ind.get()[0] * 10 + _ind.get()[1]")(m.T), { { 0, 1 }, { 10, 11 }, { 20, 21 } })
    equal(E("T x", "T y", "y = POSITION", { preamble = "#define POSITION (i + 1)" })(m), { { 1, 2, 3 }, { 4, 5, 6 } })
  end)

  it("runs with a given size, without arrays", function()
    local k = E("float32 v", "raw float32 y", "y[i] = v * i")
    local a = cp.zeros({ 2, 3 }, "float32")
    k(2, a, { size = 4 })
    equal(a, { { 0, 2, 4 }, { 6, 0, 0 } })
    equal(E("float32 v", "float32 y", "y = v")(2, { size = 3 }), { 2, 2, 2 })
    equal(k(3, { size = 3 }), { 0, 3, 6 })
    equal(k(3, { size = 3, block_size = 64 }), { 0, 3, 6 })
  end)

  it("has a preamble, loop_prep and after_loop", function()
    local k = E("T x", "raw T total", "s += twice(x)", "total", { loop_prep = "T s = 0;",
      after_loop = "atomicAdd(&total[0], s);",
      preamble = "template <typename U>\n__device__ U twice(U v) { return v + v; }" })
    local total = cp.zeros({ 1 }, "float64")
    k(cp.ones({ 100000 }), total)
    equal(total, { 200000 })
  end)

  it("writes inputs that are _non_const", function()
    local a = cp.array({ 1, 2, 3 }, "float32")
    E("_non_const T x", "raw T unused", "x = x * 2")(a, a)
    equal(a, { 2, 4, 6 })
  end)

  it("offers CUDA's functions", function()
    local k = E("float32 x, int32 k", "float64 z",
      "z = pow(x, 2.0f) + fabsf(-x) + max(k, 3) + min(x, 0.5f) + abs(-k) + fma(x, 2.0f, 1.0f);\n"
        .. "z += (isnan(x) ? 100 : 0) + floor(1.5)")
    equal(k(cp.array({ 2 }, "float32"), 7), { 4 + 2 + 7 + 0.5 + 7 + 5 + 1 })
    local quarter = cp.array({ 0.25 }, "float32")
    local s = E("float32 x", "float32 y", "y = sin(x) + expf(x) + rsqrt(x) + (float)M_PI")(quarter):item()
    assert.is_true(math.abs(s - (math.sin(0.25) + math.exp(0.25) + 2 + math.pi)) < 1e-5)
    equal(E("int32 x", "int64 y", "int64_t q = x; y = q << 40")(cp.array({ 1 }, "int32")), { 2 ^ 40 })
  end)

  it("has complex numbers", function()
    for _, t in ipairs { "complex64", "complex128" } do
      local z = cp.array({ cp.complex(1, 2), cp.complex(-3, 0.5) }, t)
      local k = E("T z", "T w, bool same", "w = (z + 1) * z / T(0, 1) - conj(z) * 2; w += 1; same = z == z && z != 1")
      local w, same = k(z)
      assert.is_true(cp.allclose(w, (z + 1) * z / cp.j - cp.conj(z) * 2 + 1))
      equal(same, { true, true })
      assert.is_true(cp.allclose(E("T z", "T w", "w = exp(z) + sqrt(z) + log(z) + pow(z, 2) + sin(z)")(z),
        cp.exp(z) + cp.sqrt(z) + cp.log(z) + z * z + cp.sin(z)))
    end
    local r = E("complex64 z", "float32 a, float32 b", "a = abs(z) + norm(z); b = arg(z) + z.real() + imag(z)")
    local a, b = r(cp.array({ cp.complex(3, 4) }, "complex64"))
    assert.equal(30, a:item())
    assert.is_true(math.abs(b:item() - 7.9272952) < 1e-5)
    local square = E("float32 x", "float32 y", "complex<double> z(x, 1); z *= z; y = z.real()")
    equal(square(cp.array({ 3 }, "float32")), { 8 })
  end)

  it("is fast to call: one launch, one allocation, no second compilation", function()
    local k = E("T x, T y", "T z", "z = x * y - 1", "counted")
    k(x, x)
    local before = cp.profiler.counters()
    k(x, x)
    local after = cp.profiler.counters()
    assert.equal(1, after.launches - before.launches)
    assert.equal(1, after.allocations - before.allocations)
    assert.equal(0, after.compiles - before.compiles)
  end)
end)

describe("ReductionKernel", function()
  local x

  before_each(function() x = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32") end)

  it("reduces over any axes", function()
    local k = R("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    assert.is_true(cp.allclose(k(x), math.sqrt(91)))
    assert.equal(0, k(x).ndim)
    assert.is_true(cp.allclose(k(x, 1), cp.sqrt((x * x):sum(1))))
    assert.is_true(cp.allclose(k(x, { axis = -1, keepdims = true }), cp.sqrt((x * x):sum(2, { keepdims = true }))))
    local m = cp.arange(4 * 5 * 6):reshape(4, 5, 6):astype("float64")
    for _, axes in ipairs { { 1 }, { 2 }, { 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 }, { 1, 2, 3 } } do
      assert.is_true(cp.allclose(k(m, { axis = axes }), cp.sqrt((m * m):sum(axes))))
      assert.is_true(cp.allclose(k(m.T, { axis = axes }), cp.sqrt((m.T * m.T):sum(axes))))
    end
    assert.equal(0, k(cp.zeros({ 0 }, "float32")):item())
    equal(k(cp.zeros({ 0, 2 }, "float32"), 1), { 0, 0 })
    assert.equal(0, k(cp.zeros({ 0, 2 }, "float32"), 2).size)
  end)

  it("takes several inputs, which broadcast, and numbers", function()
    local dot = R("T x, T y, T s", "T z", "x * y * s", "a + b", "z = a", 0, "dot")
    equal(dot(x, cp.array({ 1, 0, 2 }, "float32"), 2, 2), { 14, 32 })
    equal(dot(x, { 1, 0, 2 }, 2, { axis = 1 }), { 10, 0, 36 })
  end)

  it("writes into out and gives several results", function()
    local k = R("T x", "T y", "x", "a + b", "y = a", "0")
    local out = cp.empty({ 3 }, "float32")
    assert.is_true(rawequal(out, k(x, { axis = 1, out = out })))
    equal(out, { 5, 7, 9 })
    assert.is_true(rawequal(out, k(x, out, 1)))
    local several = R("T x", "T s, float64 m", "x", "a + b", "s = a; m = a / (_in_ind.size() / _out_ind.size())", "0")
    local s, m = several(x, 2)
    equal(s, { 6, 15 })
    equal(m, { 2, 5 })
    k(x, { axis = 1, out = x[1] }) -- out overlaps the input
    equal(x, { { 5, 7, 9 }, { 4, 5, 6 } })
  end)

  it("accumulates in reduce_type, in structs and by position", function()
    local k = R("T x", "T y", "x", "a + b", "y = a / 4", "0", { reduce_type = "float64" })
    assert.equal(4194304.5, k(cp.array({ 16777216, 1, 1 }, "float32")):item())
    local arg = R("T x", "int64 y", "best(x, _J)", "better(a, b)", "y = a.at", "best()", "first_max", {
      reduce_type = "best",
      preamble = [[
struct best {
  double v; long long at;
  __device__ best() : v(-1e300), at(-1) {}
  __device__ best(double v_, long long at_) : v(v_), at(at_) {}
};
__device__ best better(best a, best b) {
  return b.at < 0 || (a.at >= 0 && (a.v > b.v || (a.v == b.v && a.at < b.at))) ? a : b;
}]] })
    equal(arg(cp.array({ { 1, 9, 9 }, { 7, 2, 3 } }), 2), { 1, 0 })
    assert.equal(1, arg(cp.array({ { 1, 9, 9 }, { 7, 2, 3 } })):item())
    local w = cp.array({ 1, 10, 100 }, "float32")
    equal(R("T x, raw T w", "T y", "x * w[_J]", "a + b", "y = a", "0")(x, w, 2), { 321, 654 })
    equal(R("T x", "int64 y", "i", "a + b", "y = a", "0")(x, 1), { 3, 5, 7 })
  end)

  it("works in every dtype, and sums exactly", function()
    for _, t in ipairs(core.dtypes()) do
      local k = R("T x", "T y", "x", "a + b", "y = a", "0")
      local z = k(cp.ones({ 3, 40 }):astype(t), 2)
      assert.equal(t, z.dtype)
      equal(z, t == "bool" and { true, true, true } or { 40, 40, 40 })
    end
    local s = R("T x", "T y", "x", "a + b", "y = a", "0")
    assert.equal(2048 * 2, s(cp.ones({ 4096 }, "float16")):item())
    local v = cp.full({ 1000003 }, 0.1, "float32")
    local exact = 1000003 * v[1]
    assert.is_true(math.abs(s(v):item() - exact) / exact < 1e-6)
    assert.equal(70001, s(cp.ones({ 70001, 3 }, "float32"), 1)[3])
    assert.equal(3, s(cp.ones({ 70001, 3 }, "float32"), 2)[70001])
  end)
end)

describe("errors of kernels", function()
  local x = cp.ones({ 2, 3 }, "float32")

  it("of the constructor", function()
    fails("ElementwiseKernel: operation is missing", E, "T x", "T y")
    fails("ElementwiseKernel: operation must be a string, not table", E, "T x", "T y", {}, "name")
    fails("ElementwiseKernel: no dtype 'flot32' %(of parameter 'x'%); did you mean 'float32'%?", E,
      "flot32 x", "T y", "")
    fails("ElementwiseKernel: cannot read the parameter 'T'; write %[raw%] TYPE NAME", E, "T", "T y", "y = x")
    fails("ElementwiseKernel: options must be strings of one line, number 2 is not", E, "T x", "T y", "y = x",
      { options = { "-O1", "-DA=\t1" } })
    fails("ElementwiseKernel: two parameters are named 'x'", E, "T x, T x", "T y", "y = x")
    fails("ElementwiseKernel: the parameter name 'n' is reserved", E, "T n", "T y", "y = n")
    fails("ElementwiseKernel: out_params names no output", E, "T x", "", "y = x")
    fails("ElementwiseKernel: name must be an identifier, not 'a b'", E, "T x", "T y", "y = x", "a b")
    fails("ElementwiseKernel: no option 'preambel' %(did you mean 'preamble'%?%)", E, "T x", "T y", "",
      { preambel = "" })
    fails("ReductionKernel: post_map_expr is missing", R, "T x", "T y", "x", "a + b")
    fails("ReductionKernel: the output 'y' of a reduction cannot be raw", R, "T x", "raw T y", "x", "a + b", "", "0")
  end)

  it("do not occur with the largest number of scalars and of axes together", function()
    local inputs, shape, numbers = { "T x" }, {}, {}
    for k = 1, 22 do inputs[k + 1], numbers[k] = "float32 s" .. k, k end
    for k = 1, 32 do shape[k] = k == 32 and 3 or 1 end
    local k = E(table.concat(inputs, ", "), "T y", "y = x + 100 * _ind.get()[31] + s1 + s22", "deep")
    local unpack = table.unpack or unpack -- luacheck: ignore
    equal(k(cp.zeros(shape), unpack(numbers)):reshape(3), { 23, 123, 223 })
    inputs[24] = "float32 s23"
    fails("ElementwiseKernel: 25 parameters are too many; at most 24 are possible", E, table.concat(inputs, ", "),
      "T y", "y = x", "deeper")
  end)

  it("of arguments that a finalizer frees while the output is made", function()
    local k, y = E("T x", "T y", "y = x", "copied"), cp.zeros({ 1e6 }):eval()
    cp.collect()
    check.when_collected(function() y:free() end)
    local limit = cp.memory().limit
    cp.memory { limit = cp.memory().live + 4096 }
    local ok, message = pcall(k, y)
    cp.memory { limit = limit }
    assert.is_false(ok)
    assert.matches("cupola%.copied: the array's memory was freed", message)
  end)

  it("of the count, type and shape of arguments", function()
    local k = E("T x, T y", "T z", "z = x + y", "adder")
    fails("adder: takes 2 or 3 arrays %(x, y and, not necessarily, z%), 1 were given", k, x)
    fails("adder: takes 2 or 3 arrays", k, x, x, x, x)
    fails("adder: y must be an array, number or table, not string", k, x, "a")
    fails("adder: y is float64, but x, of the same type, is float32", k, x, cp.ones({ 3 }))
    fails("adder: y has shape %(4%), which does not broadcast with shape %(2, 3%)", k, x, cp.ones({ 4 }, "float32"))
    fails("adder: output z has shape %(3%), the result %(2, 3%)", k, x, x, cp.ones({ 3 }, "float32"))
    fails("adder: x is float32, but z, of the same type, is float64", k, x, x, cp.ones({ 2, 3 }))
    fails("adder: y is complex, but the kernel needs float32", k, x, cp.complex(1, 2))
    fails("adder: no option 'sice' %(did you mean 'size'%?%)", k, x, x, { sice = 3 })
    fails("adder: size is only for calls whose arrays are all raw", k, x, x, { size = 3 })
    fails("adder: size is missing", k, 1, 2)
    fails("adder: block_size must be a multiple of 32", k, x, x, { block_size = 33 })
    fails("adder: the array is a broadcast view", k, x, x, cp.broadcast_to(cp.ones({ 3 }, "float32"), { 2, 3 }))
    local f = E("float32 x, uint8 v", "U y", "y = x", "typed")
    fails("typed: x is float64, but the kernel needs float32; convert with :astype", f, cp.ones({ 3 }), 1,
      cp.ones({ 3 }))
    fails("typed: the type of y is not determined", f, x, 1)
    fails("typed: v = 300 does not fit uint8", f, x, 300, x)
    fails("typed: v = 2.5 is not a value of uint8", f, x, 2.5, x)
    fails("twice: outputs y and z share memory", E("T x", "T y, T z", "y = z = x", "twice"), x, x, x)
    fails("rawout: the shape of the raw output y is not determined", E("T x", "raw T y", "y[i] = x", "rawout"), x)
    local freed = cp.ones({ 2, 3 }, "float32")
    freed:free()
    fails("adder: the array's memory was freed", k, x, freed)
    equal(k(x, 1), { { 2, 2, 2 }, { 2, 2, 2 } })
  end)

  it("of reductions", function()
    local k = R("T x", "T y", "x", "a > b ? a : b", "y = a", nil, "biggest")
    fails("biggest: an empty reduction needs an identity", k, cp.zeros({ 0 }, "float32"))
    fails("biggest: axis counts from 1", k, x, 0)
    fails("biggest: axis 3 is out of range", k, x, 3)
    fails("biggest: output y has shape %(2%), the result %(3%)", k, x, { axis = 1, out = cp.ones({ 2 }, "float32") })
    fails("biggest: axis is given by position and by name", k, x, 1, { axis = 1 })
    fails("biggest: a reduction needs an input that is an array", k, 3)
    equal(k(x, 1), { 1, 1, 1 })
  end)

  it("of the source, with the user's line", function()
    local message = fails("broken: ", E("T x", "T y", "int q = 0;\ny = x + oops;", "broken"), x)
    assert.matches("broken[:%(]2", message)
    assert.matches("operation, line 2: y = x %+ oops;", message)
    message = fails("badsum: ", R("T x", "T y", "x", "a + nothing", "y = a", "0", "badsum"), x)
    assert.matches("reduce_expr, line 1: a %+ nothing", message)
    message = fails("pre: ", E("T x", "T y", "y = x", "pre", { preamble = "\n\nint f( { return 1; }" }), x)
    assert.matches("preamble, line 3", message)
    assert.equal("compile", cp.last_error().kind)
    assert.equal("pre", cp.last_error().where)
    equal(E("T x", "T y", "y = x + 1")(x), { { 2, 2, 2 }, { 2, 2, 2 } })
  end)
end)

describe("kernels on the CPU without a C++ compiler", function()
  it("raise an error that names what was looked for, and the library stays usable", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write(([[
package.cpath = %q
local cp = require "cupola"
local x = cp.ones({ 3 })
print(pcall(cp.ElementwiseKernel("T x", "T y", "y = x", "lonely"), x))
print(cp.last_error().kind, (x + 1):sum():item() == 6)
]]):format(package.cpath))
    file:close()
    local lua = rawget(_G, "jit") and "luajit" or "lua5.4"
    local command = "CUPOLA_DEVICE=cpu CUPOLA_CXX=/no/such/c++ CUPOLA_CACHE_DIR= %s %s 2>&1"
    local pipe = assert(io.popen(command:format(lua, script)))
    local text = pipe:read "*a"
    pipe:close()
    os.remove(script)
    assert.matches("cupola%.lonely: no C%+%+ compiler for kernels on the CPU: CUPOLA_CXX is /no/such/c%+%+", text)
    assert.matches("compile\ttrue", text)
  end)
end)

-- The source that a GPU would get, compiled without one.
describe("CUDA text of user kernels", function()
  local f = cp.ones({ 4, 8 }, "float32")
  local complex = "w = exp(z) + sqrt(z) * 2 + pow(z, 3) + T(1, 2) / z - 1.5 * conj(z) + abs(z) + arg(z)"
  local kernels = {
    { "contiguous", E("T x, T y", "T z", "z = (x - y) * (x - y)"), f, f },
    { "strided", E("T x, T y", "T z", "z = x - y"), f.T, f:reshape(8, 4) },
    { "numbers", E("T x, float64 s, complex64 c, bool b, float16 h", "T z", "z = x * s + c.real() + b + h"), f, 2,
      cp.complex(1, 2), true, 0.5 },
    { "raw", E("raw T x, raw T w", "raw T y, int32 z", "z = n; y[i] = x[n - i - 1] + w[{i, i}] + x.shape()[0]"), f.T,
      f, f, cp.zeros({ 8 }, "int32") },
    { "positions", E("raw T x", "float32 y", "int q[] = {(int)_ind.get()[1], 0}; y = x[_ind.get()] + x[q]"), f, f },
    { "loop", E("raw T x, int64 m", "T y", "T s = 0; for (int k = 0; k < m; k++) s += x[k]; y = s"), f, 3, f },
    { "atomics", E("T x", "raw T y", "s += x", { loop_prep = "T s = 0;", after_loop = "atomicAdd(&y[0], s);" }), f, f },
    { "conditional", E("T x", "T y", "if (x > 0) y = x; else y = -x"), f },
    { "block", E("T x", "T y", "y = x"), f, { block_size = 512 } },
    { "options", E("T x", "T y", "y = x", { options = { "-use_fast_math" } }), f },
    { "functions", E("float32 x, float64 y, int32 k", "float64 z", "z = pow(x, 2) + sin(x) + exp(y) + max(x, 2.0f)"
      .. " + min(k, 3) + abs(k) + rsqrt(x) + isnan(x) + floor(y) + M_PI + INFINITY + (int64_t)k"), f,
      f:astype("float64"), f:astype("int32") },
    { "complex64", E("T z", "T w", complex), cp.zeros({ 33 }, "complex64") },
    { "complex128", E("T z", "T w", complex), cp.zeros({ 33 }, "complex128") },
    { "struct", R("T x", "T y", "pair(x)", "join(a, b)", "y = a.v", "pair()", { reduce_type = "pair", preamble =
      "struct pair { float v; __device__ pair(float w = 0) : v(w) {} };\n"
      .. "__device__ pair join(pair a, pair b) { return pair(a.v + b.v); }" }), f, 1 },
  }
  for _, t in ipairs(core.dtypes()) do
    kernels[#kernels + 1] = { "elementwise " .. t, E("T x, T y", "T z", "z = x + y * x"), cp.zeros({ 33 }, t), 1 }
    local sum = R("T x", "T y", "x", "a + b", "y = a", "0")
    kernels[#kernels + 1] = { "reduction " .. t, sum, cp.zeros({ 33, 5 }, t), 1 }
  end

  for _, k in ipairs(kernels) do
    it("compiles: " .. k[1], function()
      local spec = core.kernel_spec(k[2], (table.unpack or unpack)(k, 3)) -- luacheck: ignore
      local strategies = spec.nred > 0 and { "warp", "block", "split", "column" } or { "" }
      for _, strategy in ipairs(strategies) do
        spec.strategy = strategy ~= "" and strategy or nil
        local text = core.generate(spec)
        local ok, message = pcall(core.nvrtc_compile, text, 90)
        if not ok and message:find "could not be opened" then return pending "no NVRTC here" end
        assert.is_true(ok, message)
      end
    end)
  end

  it("refuses counts in a plan that are not numbers or too large", function()
    for _, count in ipairs { "3", "9e18", -1, 1025, 0 / 0, {}, true } do
      for _, name in ipairs { "ndim", "nred", "vector", "tile" } do
        local ok, message = pcall(core.generate, { [name] = count, leaves = {}, outputs = {} })
        assert.is_false(ok)
        assert.is_truthy(tostring(message):find("a plan has at most 1024 axes or elements", 1, true), message)
      end
    end
  end)
end)
