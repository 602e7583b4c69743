-- cp.cpu, the same module with the CPU as its device, in all its parts; and reading single elements, for
-- which small arrays, and small views of large ones, are copied to the host once.

local cp = require "cupola"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local np = cp.cpu
local on_gpu = cp.device().kind == "cuda"

describe("cp.cpu", function()
  it("makes arrays on the CPU, whatever the current device", function()
    for _, x in ipairs { np.zeros { 2 }, np.array { 1, 2 }, np.arange(3), np.linspace(0, 1, 3), np.eye(2),
      np.full({ 2 }, 7),
      np.frombytes("\1", "uint8"), np.tri(2), np.index { 1, 2 }, np.mgrid { { 0, 2 } }, np.fromstring "1 2" } do
      assert.equal("cpu", x.device)
    end
    assert.equal(cp.device().name, cp.zeros(1).device)
  end)

  it("does so in its parts too", function()
    files.with(files.bytes "png_rgb", function(path) assert.equal("cpu", np.image.load(path).device) end)
    files.with(files.bytes "float32", function(path) assert.equal("cpu", np.load(path).device) end)
    assert.equal("cpu", np.image.colormap({ 1, 2 }).device)
    assert.equal(np.image, np.image)
    files.with(nil, function(path)
      assert.is_string(np.plot({ 1, 2 }, { file = path }))
      assert.is_string(np.plot.line({ 1, 2 }, { file = path }))
    end, ".txt")
    np.testing.assert_allclose({ 1 }, { 1 })
    assert.equal(cp.device().name, cp.zeros(1).device)
  end)

  it("shares what names devices, and constants", function()
    assert.equal(cp.cuda, np.cuda)
    assert.equal(cp.profiler, np.profiler)
    assert.equal(cp.pi, np.pi)
    assert.equal(np, np.cpu)
    assert.equal(cp.newaxis, np.newaxis)
    check.failure("usage", "zeroes: cupola has no such function; did you mean cp.zeros?",
      function() return np.zeroes, 1 end)
  end)

  it("puts the device back after an error", function()
    assert.is_false(pcall(np.zeros, -1))
    assert.is_false(pcall(np.image.load, "/no/such/file"))
    assert.equal(cp.device().name, cp.zeros(1).device)
  end)

  it("is what get_array_module gives for arrays of the CPU", function()
    assert.equal(np, cp.get_array_module(np.zeros(1), 5))
    assert.equal(on_gpu and cp or np, cp.get_array_module(np.zeros(1), cp.zeros(1)))
    assert.equal(cp, cp.get_array_module(1, "x", {}))
  end)
end)

describe("elements read one by one", function()
  -- Copies to the host that f makes.
  local function copies(f) return check.counted(f).synchronizations end

  local function read_all(x)
    local sum = 0
    for k = 1, #x do sum = sum + x[k] end
    return sum
  end

  it("of a small array take one copy until it is written", function()
    local x = cp.arange(100, "float32"):eval()
    assert.equal(on_gpu and 1 or 0, copies(function() assert.equal(4950, read_all(x)) end))
    assert.equal(0, copies(function() assert.equal(4950, read_all(x)) end))
    assert.equal(0, copies(function() assert.equal(4950 - 0 - 99, read_all(x["2:-2"])) end))
    x[5] = 1000
    assert.equal(on_gpu and 1 or 0, copies(function() assert.equal(4950 - 4 + 1000, read_all(x)) end))
  end)

  it("of a small view of a large array too", function()
    local big = cp.arange(1000000, "float64"):reshape(1000, 1000):eval()
    local row, column = big[7], big[{ { 1, 8 }, 3 }]
    assert.equal(on_gpu and 1 or 0, copies(function() assert.equal(6000 * 1000 + 499500, read_all(row)) end))
    assert.equal(0, copies(function() assert.equal(6000 * 1000 + 499500, read_all(row)) end))
    assert.equal(0, copies(function() assert.equal(6007, big:at(7, 8):item()) end)) -- within the row's copy
    assert.equal(28016, read_all(column)) -- its span is that of eight rows
    row["::-1"]:assign(cp.arange(1000))
    assert.equal(499500, read_all(row))
    assert.equal(999, row[1])
    big[{ 7, 2 }] = -1
    assert.equal(-1, row[2])
    big:fill(3)
    assert.equal(3000, read_all(row))
    assert.equal(24, read_all(column))
  end)

  it("of memory that others may write take a copy each", function()
    local x = cp.arange(10, "float32"):eval()
    assert.equal(45, read_all(x))
    assert.is_truthy(x.data.ptr)
    assert.equal(on_gpu and 10 or 0, copies(function() read_all(x) end))
  end)
end)
