-- The core writes each slot of a kernel's argument where the generated source reads it. User kernels show
-- both: core.kernel_spec returns a call's spec and slots.

local cp = require "cupola"
local core = require "cupola.core"
local layout = require "cupola.kernels.layout"

local lines = layout.read(core.embedded "kernels/slots.def")
local WORD = 2 ^ 32

-- Returns the spec, the slots from 0 on, and their layout. device: how many slots the device appends.
local function call(kernel, ...)
  local spec, list = core.kernel_spec(kernel, ...)
  local slots = {}
  for k, v in ipairs(list) do slots[k - 1] = v end
  local l = layout.of(spec, lines)
  assert.equal(l.count, #list + #l.device)
  return spec, slots, l
end

local function address(x) return x.data.ptr end

local function check_strides(expected, numbers, slots)
  assert.equal(#expected, #numbers)
  for d, number in ipairs(numbers) do assert.equal(expected[d], slots[number]) end
end

describe("the slots of a kernel", function()
  local whole = cp.zeros({ 10, 42 })
  local x = whole["::2, ::3"] -- (5, 14), whose dimensions cannot be merged

  it("are divisors, operands and scalars of an elementwise one", function()
    local kernel = cp.ElementwiseKernel("T x, Z s, int32 m", "T y", "y = x * s.real() + m + i")
    local y = cp.zeros({ 5, 14 })
    local spec, slots, l = call(kernel, x, cp.complex(2, 3), 7, y)
    local groups = math.ceil(14 / spec.vector)
    assert.equal(2, spec.ndim)
    assert.equal(5 * groups, slots[l.first])
    assert.equal(14, slots[l.second])
    assert.equal(5, slots[l.divisors[1]] % WORD)
    assert.equal(groups, slots[l.divisors[2]] % WORD)
    assert.equal(address(x), slots[l.leaves[1].base])
    check_strides({ 2 * 42 * 8, 3 * 8 }, l.leaves[1].strides, slots)
    assert.equal("index", spec.leaves[2].access)
    assert.equal(0, slots[l.leaves[2].base])
    check_strides({ 14, 1 }, l.leaves[2].strides, slots)
    assert.equal(address(y), slots[l.outputs[1].base])
    check_strides({ 14 * 8, 8 }, l.outputs[1].strides, slots)
    assert.same({ "complex128", "int32" }, spec.scalars)
    assert.equal(7, slots[l.scalars[2]])
    assert.equal(2, l.scalars[2] - l.scalars[1])
  end)

  it("are addresses, lengths and strides of raw arrays", function()
    local kernel = cp.ElementwiseKernel("raw T r, T x", "raw T q, T y", "y = x + r[i]; q[i] = x")
    local r, q, y = cp.zeros({ 3, 4, 5 }), cp.zeros({ 70 }), cp.zeros({ 5, 14 })
    local _, slots, l = call(kernel, r, x, q, y)
    for k, a in ipairs { r, q } do
      local raw = l.raw[k]
      assert.equal(address(a), slots[raw.address])
      assert.equal(a.size, slots[raw.size])
      check_strides(a.shape, raw.lengths, slots)
      check_strides(a.strides, raw.strides, slots)
    end
    assert.equal(address(x), slots[l.leaves[1].base])
  end)

  it("of a reduction end with what the device appends", function()
    local kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sums")
    local spec, slots, l = call(kernel, x, { axis = 2 })
    assert.equal(1, spec.nred)
    assert.equal(5, slots[l.first])
    assert.equal(14, slots[l.second])
    assert.equal(address(x), slots[l.leaves[1].base])
    assert.same({ "groups", "length", "lines", "tiles", "splits", "width", "workspace", "counters" }, l.device)
    assert.equal(l.parameter + 1, l[l.device[1]])
  end)
end)
