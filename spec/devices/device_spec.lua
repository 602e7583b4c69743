-- Devices: naming them, running functions on them, moving arrays, cp.cpu, and which devices exist.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local current = cp.device().name

describe("cp.device", function()
  it("names the current device, and others", function()
    local d = cp.device()
    assert.equal(current, d.name)
    assert.equal(current, cp.zeros({ 1 }).device)
    assert.equal("cpu", cp.device("cpu").name)
    assert.equal("cpu", cp.device("cpu").kind)
    assert.equal("cpu", tostring(cp.device("cpu")))
    assert.is_true(cp.device("cpu") == cp.device("cpu"))
    assert.is_true(cp.device(current) == d)
  end)

  it("follows CUPOLA_DEVICE", function()
    local wanted = os.getenv "CUPOLA_DEVICE"
    if wanted and wanted ~= "" then assert.equal(wanted:match "^%a+", cp.device().kind) end
  end)

  it("refuses names of no device", function()
    failure("usage", "device: no device is named 'gpu'", function() cp.device("gpu") end)
    failure("usage", "device: no device is named 'cuda:x'", function() cp.device("cuda:x") end)
    failure("usage", "device: device must be a name such as \"cpu\" or \"cuda:0\", not number",
      function() cp.device(1) end)
    assert.has_error(function() cp.device("cuda:99") end)
  end)
end)

describe("d:with", function()
  it("runs a function there, with arguments and results", function()
    local x, n = cp.device("cpu"):with(function(a, b) return cp.full({ 2 }, a + b), select("#", a, b) end, 3, 4)
    assert.equal("cpu", x.device)
    assert.equal(7, x[1])
    assert.equal(2, n)
    assert.equal("cpu", cp.device("cpu"):with(cp.array, { 1, 2 }).device)
    assert.equal(current, cp.device().name)
  end)

  it("wants a function", function()
    failure("usage", "Device.with: f must be a function, not number", function() cp.device("cpu"):with(5) end)
    assert.equal(current, cp.device().name)
  end)

  it("goes back after errors, and nests", function()
    local ok, message = pcall(function() cp.device("cpu"):with(function() error("mine", 0) end) end)
    assert.is_false(ok)
    assert.equal("mine", message)
    assert.equal(current, cp.device().name)
    cp.device("cpu"):with(function()
      cp.device(current):with(function() assert.equal(current, cp.device().name) end)
      assert.equal("cpu", cp.device().name)
    end)
    assert.equal(current, cp.device().name)
  end)
end)

describe("d:use", function()
  it("switches until its guard is closed", function()
    local guard = cp.device("cpu"):use()
    local there = cp.zeros({ 1 }).device
    guard:close()
    assert.equal("cpu", there)
    assert.equal(current, cp.device().name)
    guard:close()
    assert.equal(current, cp.device().name)
  end)

  if _VERSION ~= "Lua 5.1" and _VERSION ~= "Lua 5.3" then
    it("goes back at the end of a <close> variable", function()
      local run = load [[local cp = ...; local inside; do local g <close> = cp.device("cpu"):use()
          inside = cp.device().name end
        return inside, cp.device().name]]
      assert.same({ "cpu", current }, { run(cp) })
    end)
  end
end)

describe("moving arrays", function()
  local x = cp.array({ { 1, 2 }, { 3, 4 } }, "int16")

  it("to the CPU", function()
    for _, y in ipairs { x:to("cpu"), x:cpu(), cp.asnumpy(x), x:get(), x:to(cp.device("cpu")) } do
      assert.equal("cpu", y.device)
      assert.equal("int16", y.dtype)
      assert.same({ { 1, 2 }, { 3, 4 } }, y:totable())
    end
    assert.same({ { 1, 3 }, { 2, 4 } }, x.T:cpu():totable())
    assert.same({ 2, 4 }, x["1:, 2"]:cpu():totable())
  end)

  it("and back", function()
    local y = x:cpu():to(current)
    assert.equal(current, y.device)
    assert.is_true(x == y)
    assert.is_true(cp.asarray(x:cpu()) == x)
    assert.equal(current, cp.array(x:cpu()).device)
  end)

  it("copies nothing that is there already", function()
    assert.is_true(rawequal(x, x:to(current)))
    assert.is_true(rawequal(x, cp.asarray(x)))
  end)

  it("refuses unknown devices", function()
    failure("usage", "to: no device is named 'x'", function() x:to("x") end)
    failure("usage", "to: device must be a name such as", function() x:to() end)
  end)
end)

describe("cp.cpu", function()
  it("is the module with the CPU as its device", function()
    local np = cp.cpu
    assert.equal("cpu", np.zeros({ 2 }).device)
    assert.equal("cpu", np.array({ 1, 2 }).device)
    assert.equal("cpu", np.arange(3).device)
    assert.equal("float32", np.float32)
    assert.equal(cp.pi, np.pi)
    assert.equal(current, cp.zeros({ 2 }).device)
    assert.same({ 2, 3 }, (np.array({ 1, 2 }) + 1):totable())
    assert.is_true(rawequal(np.zeros, np.zeros))
  end)

  it("raises at the user's line", function()
    failure("shape", "reshape: cannot reshape", function() cp.cpu.reshape(cp.cpu.ones({ 2 }), { 3 }) end)
  end)
end)

describe("cp.get_array_module", function()
  it("tells where arrays are", function()
    assert.is_true(rawequal(cp.cpu, cp.get_array_module(cp.cpu.zeros({ 1 }))))
    assert.is_true(rawequal(cp, cp.get_array_module(3, "x")))
    assert.is_true(rawequal(cp, cp.get_array_module()))
    if current ~= "cpu" then
      assert.is_true(rawequal(cp, cp.get_array_module(cp.zeros({ 1 }))))
      assert.is_true(rawequal(cp, cp.get_array_module(cp.cpu.zeros({ 1 }), cp.zeros({ 1 }))))
    end
  end)
end)

describe("cp.cuda", function()
  it("says whether a GPU can be used, and why not", function()
    local available, reason = cp.cuda.is_available()
    assert.is_boolean(available)
    if available then
      assert.is_true(cp.cuda.device_count() >= 1)
      assert.equal("cuda:0", cp.cuda.Device(0).name)
      assert.equal(cp.device().name, cp.cuda.Device().name)
      assert.is_true(cp.cuda.Device(0) == cp.device("cuda"))
    else
      assert.equal("cpu", cp.cuda.Device().name)
      assert.is_string(reason)
      assert.is_true(#reason > 10)
      assert.equal(0, cp.cuda.device_count())
      failure("cuda", "cuda.Device: ", function() cp.cuda.Device(0) end)
    end
  end)

  it("has events, on the CPU too", function()
    local t0, t1 = cp.cuda.Event(), cp.cuda.Event()
    t0:record()
    cp.ones({ 1000 }):sum()
    t1:record()
    t1:synchronize()
    assert.is_true(cp.cuda.get_elapsed_time(t0, t1) >= 0)
  end)
end)

describe("time and synchronisation", function()
  it("are there on every device", function()
    local t = cp.clock()
    cp.synchronize()
    cp.device():synchronize()
    cp.device("cpu"):synchronize()
    assert.is_true(cp.clock() >= t)
  end)

  it("count", function()
    local c = cp.profiler.counters()
    for _, name in ipairs { "launches", "compiles", "cache_hits", "allocations", "bytes_allocated", "synchronizations",
      "collections", "forces", "renames" } do
      assert.is_number(c[name], name)
      assert.is_nil(tostring(c[name]):find(".", 1, true), name)
    end
    local x
    local grown = check.counted(function() x = cp.ones({ 256 }) + 1 end)
    local values = check.lazy and 0 or 2 -- of ones and of the sum
    assert.equal(values, grown.launches)
    assert.equal(values, grown.allocations)
    assert.equal(values * 2048, grown.bytes_allocated)
    grown = check.counted(function() x:eval() end)
    values = check.lazy and 1 or 0
    assert.equal(values, grown.forces)
    assert.equal(values, grown.launches)
    assert.equal(values, grown.allocations)
    assert.equal(values * 2048, grown.bytes_allocated)
  end)

  it("evaluate returns what it is given", function()
    local a, b = cp.ones({ 2 }), cp.ones({ 3 })
    local x, y = cp.eval(a, b)
    assert.is_true(rawequal(a, x) and rawequal(b, y))
    assert.is_true(rawequal(a, a:eval()))
  end)
end)

describe("copies between devices", function()
  it("keep every dtype's bits", function()
    for _, dtype in ipairs { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
      "float16",
      "bfloat16", "float32", "float64", "complex64", "complex128" } do
      local x = cp.arange(20):astype(dtype)
      assert.is_true(x:cpu():to(current) == x, dtype)
      assert.is_true(x["2:"]:cpu():to(current) == x["2:"], dtype)
      assert.is_true(x["::-3"]:cpu():to(current) == x["::-3"], dtype)
      assert.is_true(x:reshape(4, 5).T:cpu():to(current) == x:reshape(4, 5).T, dtype)
    end
  end)
end)
