-- Bundles of compiled kernels: recorded, written, read, rejected if they are damaged or of another version,
-- and used without a compiler; cp.precompile; denied capabilities.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local has_nvrtc = pcall(core.nvrtc_compile, 'extern "C" __global__ void f() {}', 90)
local on_gpu = cp.device().kind == "cuda"
local device = cp.device().name

-- Runs a new process on the same device with an empty cache, and without compilers if `alone` is set.
local function run(text, settings, alone)
  local environment = ("CUPOLA_CACHE_DIR= CUPOLA_DEVICE=%s %s %s"):format(device, settings or "",
    alone and "CUPOLA_CXX=/nowhere/c++ CUPOLA_NVRTC=off" or "")
  return check.run('local cp = require "cupola" ' .. text, environment)
end

-- Prints results of each kind of kernel: a fused chain, a reduction, user kernels, raw kernels, a sort.
local PROGRAM = [[
  local square = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
  local norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
  local add = cp.RawKernel([=[extern "C" __global__ void add(const float *x, float *y, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) y[i] += x[i];
  }]=], "add")
  local module = cp.RawModule { code = "template <typename T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }",
    name_expressions = { "twice<double>" } }
  local x = cp.arange(1000):astype "float32"
  local e = cp.fuse(function(v) return ((v - 499.5) / 300):exp() * 2 + v:sqrt() end)(x)
  local y = x:copy()
  add(4, 256, { x, y, 1000 })
  local d = cp.array { 1, 2, 3 }
  module:get_function("twice<double>")(1, 3, { d })
  print(("%.4f %.2f"):format(e:sum():item(), cp.sort(-x)[1]))
  print(square(x, 1)[4], ("%.3f"):format(norm(cp.array { 3, 4 }):item()), y[8], d[3])
  print("compiled " .. ("%d"):format(cp.profiler.counters().compiles))
]]

local EXPECTED -- what it prints, without the count

local function printed(text) return (text:gsub("compiled.*$", "")) end

local can_compile = select(2, run(PROGRAM)) == 0

describe("a bundle", function()
  if not can_compile then return pending "user kernels cannot be compiled here" end

  lazy_setup(function() EXPECTED = printed((run(PROGRAM))) end)

  it("is recorded from the environment, and replaces compilers", function()
    files.with(nil, function(path)
      os.remove(path)
      local text, status = run(PROGRAM, "CUPOLA_RECORD=" .. path)
      assert.equal(0, status, text)
      assert.equal(EXPECTED, printed(text))
      local kinds, archs = {}, {}
      for _, image in ipairs(core.bundle_list(path)) do
        kinds[image.kind] = (kinds[image.kind] or 0) + 1
        if image.arch > 0 then archs[image.arch .. (image.ptx and " ptx" or "")] = true end
      end
      if on_gpu then
        assert.is_true(kinds.kernel >= 10 and kinds.module == 4)
        local own = cp.device().compute_capability
        assert.same({ [own] = true, [own .. " ptx"] = true }, archs)
      else
        assert.same({ object = 4 }, kinds)
      end
      -- Without compilers and cache: only with the bundle.
      text, status = run(PROGRAM, nil, true)
      assert.is_true(status ~= 0 and text:find(on_gpu and "NVRTC is off" or "no C++ compiler", 1, true) ~= nil, text)
      text, status = run(PROGRAM .. "cp.show_config()", "CUPOLA_BUNDLE=" .. path, true)
      assert.equal(0, status, text)
      assert.equal(EXPECTED, printed(text))
      assert.truthy(text:find("compiled 0\n", 1, true), text)
      assert.truthy(text:find("bundle: " .. path, 1, true), text)
    end, ".bundle")
  end)

  it("holds kernels in Lua, which run as Lua text where they are missing", function()
    files.with(nil, function(path)
      os.remove(path)
      local program = [[
        local scale = cp.jit.rawkernel("function(x, a) local i = cp.jit.grid() x[i] = x[i] * a end", "scale")
        local collatz = cp.jit.elementwise [=[function(n)
          local k = 0
          while n > 1 do
            if n % 2 == 0 then n = n / 2 else n = 3 * n + 1 end
            k = k + 1
          end
          return k
        end]=]
        local sum = cp.jit.reduction { map = "function(x) return x * x end", reduce = "function(a, b) return a + b end",
          identity = 0 }
        local x = cp.array { 1, 2, 3, 4, 5, 6, 7, 8 }
        scale(1, 4, { x, 2 })
        print(x[4] == 8, collatz(cp.array { 27, 1 })[1] == 111, sum(x):item() == 294)
        print(scale.runs_lua, collatz.runs_lua, sum.runs_lua)
      ]]
      local text, status = run(program, "CUPOLA_RECORD=" .. path)
      assert.equal(0, status, text)
      assert.truthy(text:find "^true%s+true%s+true%s+false%s+false%s+false", text)
      text = run(program, "CUPOLA_BUNDLE=" .. path, true)
      assert.truthy(text:find "^true%s+true%s+true%s+false%s+false%s+false", text)
      if cp.zeros({ 1 }).device ~= "cpu" then return end -- the arrays themselves need a compiler there
      text = run(program, nil, true)
      assert.truthy(text:find "^true%s+true%s+true%s+true%s+true%s+true", text)
    end, ".bundle")
  end)

  it("is loaded by cp.precompile and grows by later recordings", function()
    files.with(nil, function(path)
      os.remove(path)
      local first = 'cp.record(%q) local k = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one") k(cp.ones(3)) '
        .. "print(cp.record(false))"
      local second = first:gsub("x %+ 1", "x + 2")
      local one = tonumber((run(first:format(path))))
      local two = tonumber((run(second:format(path))))
      local again = tonumber((run(second:format(path))))
      assert.is_true(one >= 1)
      assert.equal(one + 1, two)
      assert.equal(two, again)
      local text, status = run(([[
        local report = cp.precompile { bundle = %q }
        assert(report.loaded == %d and report.compiled == 0 and report.seconds >= 0)
        for k = 1, 2 do
          print(cp.ElementwiseKernel("T x", "T y", "y = x + " .. k, "one")(cp.ones(3))[2])
        end]]):format(path, two), nil, true)
      assert.equal(0, status, text)
      assert.equal("2\n3\n", (text:gsub("%.0\n", "\n")))
    end, ".bundle")
  end)

  it("is refused when it is cut, changed, of another version, or something else", function()
    files.with(nil, function(path)
      os.remove(path)
      run('local k = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one") k(cp.ones(3))', "CUPOLA_RECORD=" .. path)
      local bytes = files.contents(path)
      local function with(changed)
        local file = assert(io.open(path, "wb"))
        file:write(changed)
        file:close()
      end
      local function refused(changed, part)
        with(changed)
        local ok, message = pcall(cp.precompile, { bundle = path })
        assert.is_false(ok)
        assert.truthy(message:find("cupola.precompile: " .. path .. part, 1, true), message)
        assert.equal("io", cp.last_error().kind)
      end
      local function flipped(k)
        return bytes:sub(1, k - 1) .. string.char((bytes:byte(k) + 1) % 256) .. bytes:sub(k + 1)
      end
      refused("", " is not a bundle of kernels")
      refused("#!/bin/sh\n" .. bytes, " is not a bundle of kernels")
      refused(flipped(9), " was recorded by another version of cupola; record it again")
      for _, k in ipairs { 17, 33, 65, 70, 90, math.floor(#bytes / 2), #bytes } do
        refused(flipped(k), " is damaged; record it again")
      end
      for _, length in ipairs { 64, 65, 100, math.floor(#bytes / 2), #bytes - 1 } do
        refused(bytes:sub(1, length), " is damaged; record it again")
      end
      -- If the environment names it, a warning is printed, and the program compiles its kernels.
      with(flipped(100))
      local text, status = run("print(cp.ones(3):sum():item()) cp.show_config()", "CUPOLA_BUNDLE=" .. path)
      assert.equal(0, status, text)
      local told = "cupola: CUPOLA_BUNDLE: " .. path .. " is damaged; record it again; it is not used"
      assert.truthy(text:find(told, 1, true), text)
      assert.truthy(text:find("bundle: " .. path .. ": not used", 1, true))
      -- A file that is not a bundle is not overwritten.
      with "precious"
      check.failure("io", "record: " .. path .. " is not a bundle of kernels", function() cp.record(path) end)
      assert.equal("precious", files.contents(path))
      os.remove(path)
      with(bytes)
      assert.is_true(cp.precompile { bundle = path }.loaded >= 1)
    end, ".bundle")
    check.failure("io", "precompile: cannot read /no/such/file",
      function() cp.precompile { bundle = "/no/such/file" } end)
  end)

  it("of other architectures or kernels is ignored", function()
    if not has_nvrtc then return pending "needs NVRTC" end
    files.with(nil, function(path)
      os.remove(path)
      local text, status = run(PROGRAM, ("CUPOLA_RECORD=%s CUPOLA_RECORD_ARCHS=75"):format(path))
      assert.equal(0, status, text)
      local other = PROGRAM:gsub("x %* x", "x * x * 1"):gsub("%+= x%[i%]", "+= x[i] * 1")
      text, status = run(other, "CUPOLA_BUNDLE=" .. path)
      assert.equal(0, status, text)
      assert.equal(EXPECTED, printed(text))
      assert.falsy(text:find("compiled 0\n", 1, true))
    end, ".bundle")
  end)
end)

describe("recording for GPUs", function()
  if not has_nvrtc then return pending "needs NVRTC" end

  -- Kernels, machine code and PTX by architecture.
  local function listed(path)
    local count = {}
    for _, image in ipairs(core.bundle_list(path)) do
      local name = ("%s %d%s"):format(image.kind, image.arch, image.ptx and " ptx" or "")
      count[name] = (count[name] or 0) + 1
      assert.is_true(image.size > 500)
    end
    return count
  end

  it("compiles for each architecture that is named, and PTX for newer ones", function()
    files.with(nil, function(path)
      os.remove(path)
      local x = cp.arange(100):astype("float32"):eval()
      local raw = cp.RawKernel("__global__ void nothing(float *x) { x[0] = 1; }", "nothing")
      local report = cp.precompile { record = path, archs = { 80, "sm_90", "100" },
        { function(v, w) return (v * w + 1):sum() end, x, { shape = 100, dtype = "float32" } },
        { cp.fuse(function(v) return v:exp(), v:log1p() end), { shape = { 10, 10 }, dtype = "float64" } },
        raw }
      local count = listed(path)
      assert.equal(report.recorded, count["kernel 80"] + count["module 80"] + (count["object 0"] or 0))
      for _, name in ipairs { "kernel 80", "kernel 90", "kernel 100", "kernel 100 ptx" } do
        assert.is_true(count[name] >= 2, name)
        assert.equal(count["kernel 80"], count[name])
      end
      for _, name in ipairs { "module 80", "module 90", "module 100", "module 100 ptx" } do
        assert.equal(1, count[name], name)
      end
      assert.is_nil(count["kernel 90 ptx"])
    end, ".bundle")
  end)

  it("records each way in which GPUs of other sizes distribute a reduction", function()
    if on_gpu then return end
    local function recorded(shape, axis)
      local count
      files.with(nil, function(path)
        os.remove(path)
        local x = cp.zeros(shape, "float32"):eval()
        count = cp.precompile { record = path, archs = { 90 }, { function() return x:max(axis) end } }.recorded
      end, ".bundle")
      return count
    end
    assert.equal(1, recorded({ 4, 100 }, 2)) -- short rows: the same everywhere
    -- Enough rows for a small GPU; on a large one several blocks share each row.
    assert.equal(2, recorded({ 400, 20000 }, 2))
  end)

  it("records kernels that were compiled before it began", function()
    files.with(nil, function(path)
      os.remove(path)
      local k = cp.ElementwiseKernel("T x", "T y", "y = x * 7", "seven")
      if not pcall(k, cp.ones(4)) then return end
      cp.record(path, { 90 })
      k(cp.ones(4))
      assert.is_true(cp.record(false) >= 1)
      assert.is_true(listed(path)["kernel 90"] >= 1)
    end, ".bundle")
  end)

  it("ends without a file when an item fails", function()
    files.with(nil, function(path)
      os.remove(path)
      check.failure("shape", "add: shapes (2) and (3) do not broadcast",
        function() cp.precompile { record = path, { function() return cp.ones(2) + cp.ones(3) end } } end)
      assert.is_false(core.recording())
      assert.is_nil(io.open(path))
    end, ".bundle")
  end)
end)

describe("cp.precompile", function()
  it("compiles what its items use", function()
    local text, status = run [[
      local before = cp.profiler.counters()
      local f = cp.vectorize(function(x) return cp.exp(x) * 3 end)
      local report = cp.precompile { { f, { shape = 100, dtype = "float32" } }, { cp.sum, { shape = { 10, 10 } }, 1 } }
      assert(report.loaded == 0 and report.recorded == nil)
      local counters = cp.profiler.counters()
      f(cp.ones(500, "float32")):eval()
      cp.ones({ 10, 10 }):sum(1)
      print(cp.profiler.counters().compiles - counters.compiles)]]
    assert.equal(0, status, text)
    assert.equal("0", text:match "^%d")
  end)

  it("checks what it is given", function()
    check.failure("usage", "precompile: spec must be a table, not nil", function() cp.precompile() end)
    check.failure("usage", "precompile: has no field 'bundel'; the fields are archs, bundle, record",
      function() cp.precompile { bundel = "x" } end)
    check.failure("usage", "precompile: archs needs record", function() cp.precompile { archs = { 90 } } end)
    check.failure("usage", "precompile: bundle must be a path, not 3", function() cp.precompile { bundle = 3 } end)
    check.failure("usage", "precompile: item 1 must be {f, arguments...} or a raw kernel or module, not table",
      function() cp.precompile { {} } end)
    check.failure("usage", "precompile: the first value of each item must be a function, not number",
      function() cp.precompile { { 3 } } end)
    check.failure("usage", "record: path must be a path, not nil", function() cp.record() end)
    check.failure("usage", "record: archs must hold compute capabilities such as 90 for 9.0, not sm90",
      function() cp.record("/tmp/none", { "sm90" }) end)
    check.failure("usage", "record: no kernels are recorded", function() cp.record(false) end)
    files.with(nil, function(path)
      os.remove(path)
      cp.record(path)
      local ok, message = pcall(cp.record, path)
      assert.is_false(ok)
      assert.truthy(message:find("kernels are recorded already", 1, true))
      assert.equal(0, cp.record(false))
    end, ".bundle")
    check.failure("io", "record: cannot write /no/such/folder/x",
      function() cp.record "/no/such/folder/x"; cp.record(false) end)
  end)

  it("warns of wrong settings in the environment, and goes on", function()
    local text, status = run("print(1)", "CUPOLA_RECORD=/tmp/none CUPOLA_RECORD_ARCHS=80,9x")
    assert.equal(0, status)
    assert.truthy(text:find("CUPOLA_RECORD_ARCHS must be numbers such as 80,90, not 9x", 1, true), text)
  end)
end)
