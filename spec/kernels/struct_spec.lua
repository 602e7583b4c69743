-- cp.struct: values of C structs for raw kernels.

local cp = require "cupola"
local check = require "spec.helper.check"

local function floats(n) return cp.arange(n):astype "float32" end

local function equal(want, x) assert.same(want, x:totable()) end

describe("struct", function()
  local Inner = cp.struct("Inner", "float3 at; unsigned char kind;")
  local Params = cp.struct("Params", [[
    float dt; // a step
    int steps, more[2];
    double weights[2][3];
    Inner inner[2];
    float4 plane;
    const float *table;
    bool on;
    unsigned long long big;]])

  it("lays fields out as C does", function()
    assert.equal(16, Inner.size)
    assert.equal(4, Inner.align)
    assert.equal(16, Params.align)
    assert.equal(144, Params.size)
  end)

  it("reads and writes fields", function()
    local p = Params { dt = 0.5, more = { 7, 8 }, weights = { { 1, 2, 3 }, { 4, 5, 6 } },
      inner = { { at = { 1, 2, 3 }, kind = 9 }, Inner { kind = 200 } }, on = true, big = 2 ^ 40 }
    p.steps = -3
    assert.same({ 0.5, -3, { 7, 8 }, { { 1, 2, 3 }, { 4, 5, 6 } }, true, 2 ^ 40 },
      { p.dt, p.steps, p.more, p.weights, p.on, p.big })
    assert.same({ { at = { 1, 2, 3 }, kind = 9 }, { at = { 0, 0, 0 }, kind = 200 } }, p.inner)
    assert.same({ 0, 0, 0, 0 }, p.plane)
    assert.equal("struct Params", tostring(p))
    local q = Params(p)
    q.dt = 4
    assert.equal(0.5, p.dt)
  end)

  it("goes to kernels by value, with pointers to arrays", function()
    local source = Inner.source .. Params.source .. [[
extern "C" __global__ void take(Params p, double *out) {
  out[0] = p.dt + p.steps;
  out[1] = p.more[1] + p.weights[1][2];
  out[2] = p.inner[1].at.z + p.inner[1].kind;
  out[3] = p.plane.w + p.table[2];
  out[4] = p.on ? (double)(p.big >> 33) : -1;
}]]
    local take = cp.RawKernel(source, "take")
    local out = cp.zeros(5)
    do
      local p = Params { dt = 0.5, steps = 2, more = { 0, 30 }, weights = { { 0, 0, 0 }, { 0, 0, 6 } },
        inner = { {}, { at = { 0, 0, 5 }, kind = 250 } }, plane = { 0, 0, 0, 7 }, table = floats(3) + 1, on = true,
        big = 2 ^ 34 }
      collectgarbage() -- the struct keeps the table
      take(1, 1, { p, out })
    end
    equal({ 2.5, 36, 255, 10, 2 }, out)
    check.failure("dtype", "take: argument 1 (p): the parameter is a Params, but the struct is a Inner",
      function() take(1, 1, { Inner(), out }) end)
    check.failure("usage", "take: argument 1 (p): its type (Params) is not known here",
      function() take(1, 1, { { dt = 1 }, out }) end)
  end)

  it("refuses values that do not fit a field", function()
    check.failure("usage", "struct: Params has no field dx", function() Params { dx = 1 } end)
    check.failure("usage", "struct: Params.dt must be a number, not string", function() Params { dt = "1" } end)
    check.failure("dtype", "struct: Params.steps is int32, and the value does not fit it",
      function() Params { steps = 0.5 } end)
    check.failure("usage", "struct: Params.more must be a table of 2 values, not one of another length",
      function() Params { more = { 1 } } end)
    check.failure("dtype", "struct: Params.table points to float32, but the array is of float64",
      function() Params { table = cp.zeros(3) } end)
    check.failure("usage", "struct: x has the type Unknown", function() cp.struct("S", "Unknown x;") end)
    check.failure("usage", "struct: two fields are named 'x'", function() cp.struct("S", "int x; float x;") end)
    check.failure("usage", "struct: name must be an identifier", function() cp.struct("a b", "int x;") end)
    check.failure("usage", "struct: x: the length [N] is not a number", function() cp.struct("S", "int x[N];") end)
  end)
end)
