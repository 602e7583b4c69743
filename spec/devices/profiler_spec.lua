-- cp.profiler and cp.cuda.runtime: benchmarks, synchronizations of a script, ranges, and the low-level calls.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, counted = check.failure, check.counted
local current = cp.device().name
local on_gpu = current ~= "cpu"

describe("profiler.benchmark", function()
  local benchmark = cp.profiler.benchmark
  local x = cp.ones(1000, "float32"):eval()

  local function check_statistics(s, times)
    local sum, least, most = 0, math.huge, 0
    for _, t in ipairs(times) do
      sum, least, most = sum + t, math.min(least, t), math.max(most, t)
    end
    assert.is_true(math.abs(s.mean - sum / #times) <= 1e-12)
    assert.equal(least, s.min)
    assert.equal(most, s.max)
    local squares = 0
    for _, t in ipairs(times) do squares = squares + (t - s.mean) ^ 2 end
    assert.is_true(math.abs(s.std - math.sqrt(squares / #times)) <= 1e-12)
    assert.is_true(s.min > 0)
  end

  it("calls a function, with times of the host and of the device", function()
    local calls = 0
    local r = benchmark(function(a, b)
      calls = calls + 1
      assert(a == 2 and b == nil)
      return x * a + 1
    end, { n_warmup = 3, n_repeat = 20, name = "chain", args = { 2 } })
    assert.equal(3 + 2 * 20, calls)
    assert.equal(20, #r.cpu_times)
    assert.equal(20, #r.gpu_times)
    check_statistics(r.cpu, r.cpu_times)
    check_statistics(r.gpu, r.gpu_times)
    assert.is_true(r.pipelined.cpu > 0 and r.pipelined.gpu > 0)
    local text = tostring(r)
    assert.truthy(text:match "^chain +: CPU: +[%d.]+ us %+/%- [%d.]+ %(min: [%d.]+ / max: [%d.]+%) us   ")
    assert.truthy(text:find(on_gpu and "GPU-0:" or "cpu:", 1, true))
    assert.truthy(text:find("pipelined: ", 1, true))
  end)

  it("computes what the function leaves pending", function()
    if not check.lazy then return end
    cp.synchronize()
    assert.equal(1 + 2 * 5, counted(function()
      benchmark(function() return x * 2 + 1 end, { n_warmup = 1, n_repeat = 5 })
    end).launches)
  end)

  it("ends when its time is over", function()
    local r = benchmark(function() return x + 1 end, { max_duration = 0.01 })
    assert.is_true(#r.cpu_times >= 1 and #r.cpu_times < 10000)
    assert.equal(1, #benchmark(function() end, { max_duration = 0, n_warmup = 0 }).cpu_times)
  end)

  it("passes errors through, and refuses what is wrong", function()
    local ok, problem = pcall(benchmark, function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", problem)
    failure("usage", "profiler.benchmark: f must be a function, not nil (missing)",
      function() cp.profiler.benchmark() return 1 end)
    failure("usage", "profiler.benchmark: has no argument 'repeats'; the arguments are n_warmup, n_repeat",
      function() cp.profiler.benchmark(print, { repeats = 3 }) return 1 end)
    failure("usage", "profiler.benchmark: n_repeat must be at least 1",
      function() cp.profiler.benchmark(print, { n_repeat = 0 }) return 1 end)
    failure("usage", "profiler.benchmark: n_warmup must be a number, not string",
      function() cp.profiler.benchmark(print, { n_warmup = "x" }) return 1 end)
    failure("usage", "profiler.benchmark: options must be a table, not number",
      function() cp.profiler.benchmark(print, 5) return 1 end)
  end)
end)

describe("profiler.trace_sync", function()
  local trace = cp.profiler.trace_sync
  local here = debug.getinfo(1, "S").short_src

  it("lists synchronisations with their lines", function()
    local x = cp.arange(10, "float64"):copy()
    local first = debug.getinfo(1, "l").currentline
    local report, sum, text = trace(function(n)
      local s = (x * n):sum():item()
      x:totable()
      cp.synchronize()
      cp.cuda.Event():record():synchronize()
      return s, "text"
    end, 2)
    assert.equal(90, sum)
    assert.equal("text", text)
    local got = {}
    for k, entry in ipairs(report) do
      got[k] = ("%s %s"):format(entry.place:gsub("^.*:", ""), entry.what)
      assert.equal(here, entry.place:match "^(.*):%d+$")
      assert.is_true(entry.seconds >= 0)
    end
    assert.equal(("%d item"):format(first + 2), got[1])
    assert.equal(("%d totable"):format(first + 3), got[2])
    assert.equal(("%d synchronize"):format(first + 4), got[3])
    assert.equal(("%d synchronize"):format(first + 5), got[#got])
    assert.truthy(tostring(report):find(("%s:%d: item waited "):format(here, first + 2), 1, true))
  end)

  it("lists nothing if nothing waits, and ends if the function fails", function()
    local x = cp.ones(10)
    local report = trace(function() return (x + 1):sum() end)
    assert.equal(0, #report)
    assert.equal("no synchronisation", tostring(report))
    assert.is_false(pcall(trace, function() error("mine", 0) end))
    assert.equal(0, #trace(function() end))
    failure("usage", "trace_sync: another trace_sync is running",
      function() cp.profiler.trace_sync(function() cp.profiler.trace_sync(print) return 1 end) return 1 end)
    failure("usage", "profiler.trace_sync: f must be a function, not number",
      function() cp.profiler.trace_sync(5) return 1 end)
  end)
end)

describe("ranges", function()
  it("run functions, and do nothing where no profiler listens", function()
    assert.same({ 1, "b" }, { cp.profiler.time_range("step", function(...) return ... end, 1, "b") })
    local guard = cp.profiler.time_range "open"
    guard.close()
    guard.close()
    cp.cuda.nvtx.RangePush "x"
    cp.cuda.nvtx.RangePop()
    cp.cuda.nvtx.Mark "y"
    local ok, problem = pcall(cp.profiler.time_range, "step", function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", problem)
    failure("usage", "profiler.time_range: message must be a string, not nil",
      function() cp.profiler.time_range() return 1 end)
    failure("usage", "cuda.nvtx.RangePush: message must be a string, not number",
      function() cp.cuda.nvtx.RangePush(5) return 1 end)
    failure("usage", "cuda.nvtx.Mark: message must be a string, not nil",
      function() cp.cuda.nvtx.Mark(nil) return 1 end)
  end)

  -- A listener as profilers are: a library that puts its functions into the tables that it is given.
  local listener = [[
    #include <stdint.h>
    #include <stdio.h>
    typedef void (*function)(void);
    struct callbacks { size_t size; int (*get)(int, function ***, unsigned *); };
    struct version { size_t size; uint32_t version, reserved; void (*set)(uint32_t); };
    static int push(const char *m) { printf("push %s\n", m); return 0; }
    static int pop(void) { printf("pop\n"); return 0; }
    static void mark(const char *m) { printf("mark %s\n", m); }
    int InitializeInjectionNvtx2(const void *(*table)(uint32_t)) {
      function **f;
      unsigned n;
      const struct callbacks *c = table(1);
      const struct version *v = table(3);
      setvbuf(stdout, NULL, _IONBF, 0);
      if (v == NULL || v->size != sizeof *v || v->version != 3) return 0;
      v->set(3);
      if (c == NULL || c->size != sizeof *c || c->get(2, &f, &n) || !c->get(5, &f, &n) || n != 16) return 0;
      if (!c->get(1, &f, &n) || n != 16 || f[n] != NULL) return 0;
      *f[2] = (function)mark;
      *f[9] = (function)push;
      *f[11] = (function)pop;
      return 1;
    }]]

  it("reach a profiler that listens", function()
    local base = os.tmpname()
    local file = assert(io.open(base .. ".c", "w"))
    file:write(listener)
    file:close()
    local built = os.execute(("cc -shared -fPIC -o %s.so %s.c 2>/dev/null"):format(base, base))
    if built == true or built == 0 then
      local output = check.run([[
        local cp = require "cupola"
        cp.profiler.time_range("outer", function()
          cp.cuda.nvtx.Mark "here"
          local guard = cp.profiler.time_range "inner"
          guard.close()
          pcall(cp.profiler.time_range, "bad", error)
        end)]], ("NVTX_INJECTION64_PATH=%s.so"):format(base))
      assert.equal("push outer\nmark here\npush inner\npop\npush bad\npop\npop\n", output)
      assert.equal("", (check.run([[require("cupola").cuda.nvtx.Mark "x"]], "NVTX_INJECTION64_PATH=/nowhere.so")))
    end
    for _, ending in ipairs { "", ".c", ".so" } do os.remove(base .. ending) end
  end)
end)

describe("cp.cuda.runtime", function()
  local rt = cp.cuda.runtime

  it("counts devices and names the current one", function()
    assert.equal(cp.cuda.device_count(), rt.getDeviceCount())
    assert.equal(on_gpu and cp.device().id or -1, rt.getDevice())
    assert.is_true(rt.driverGetVersion() >= (on_gpu and 12000 or 0))
    assert.equal(rt.driverGetVersion(), rt.runtimeGetVersion())
    local free, total = rt.memGetInfo()
    assert.is_true(free > 0 and free < total)
    if on_gpu then
      rt.setDevice(0)
      assert.equal(0, rt.getDevice())
      assert.equal(32, rt.getDeviceProperties(0).WarpSize)
    else
      failure("cuda", "cuda.runtime.setDevice: ", function() cp.cuda.runtime.setDevice(0) return 1 end)
    end
    assert.equal(cp.device().properties.name, rt.getDeviceProperties().name)
    local name = on_gpu and "MultiprocessorCount" or "Threads"
    assert.equal(cp.device().properties.multiprocessors, rt.deviceGetAttribute(name))
    failure("usage", ("cuda.runtime.deviceGetAttribute: there is no attribute %ss"):format(name),
      function() cp.cuda.runtime.deviceGetAttribute(name .. "s") return 1 end)
  end)

  it("copies and sets bytes", function()
    local x = cp.arange(1000, "float32"):copy()
    local y = cp.zeros(1000, "float32"):eval()
    local p = rt.malloc(4000)
    rt.memcpy(p, x.data.ptr, 4000, rt.memcpyDeviceToDevice)
    rt.memcpyAsync(y.data.ptr, p, 2000)
    rt.memsetAsync(x.data.ptr, 0, 2000)
    assert.equal(499 * 500 / 2, y:sum():item())
    assert.equal(999 * 1000 / 2 - 499 * 500 / 2, x:sum():item())
    rt.memset(y.data.ptr, 255, 4)
    assert.is_true(cp.isnan(y):any())
    rt.memcpy(y.data.ptr, p, 0)
    local s = cp.cuda.Stream()
    rt.memsetAsync(p, 1, 4000, s)
    rt.memcpyAsync(y.data.ptr, p, 4000, rt.memcpyDefault, s)
    rt.streamSynchronize(s)
    assert.is_true(rt.streamQuery(s))
    assert.equal(string.rep("\1", 4000), y:tobytes())
    rt.deviceSynchronize()
    rt.free(p)
    rt.free(0)
  end)

  it("takes streams as objects and as handles", function()
    local s, e = cp.cuda.Stream(), cp.cuda.Event()
    e:record(s)
    rt.streamWaitEvent(s, e)
    if on_gpu then
      rt.streamSynchronize(s.ptr)
      assert.is_true(rt.streamQuery(s.ptr))
    end
    failure("usage", "cuda.runtime.streamSynchronize: stream must be a stream, not nil (missing)",
      function() cp.cuda.runtime.streamSynchronize() return 1 end)
  end)

  it("refuses what is wrong", function()
    local x = cp.ones(4):eval()
    local p = x.data.ptr
    failure("usage", "cuda.runtime.memcpy: dst is a null pointer",
      function() cp.cuda.runtime.memcpy(0, p, 8) return 1 end)
    failure("usage", "cuda.runtime.memcpy: src must be a whole number, not nil (missing)",
      function() cp.cuda.runtime.memcpy(p, nil, 8) return 1 end)
    failure("usage", "cuda.runtime.memcpy: size must not be negative",
      function() cp.cuda.runtime.memcpy(p, p, -8) return 1 end)
    failure("usage", "cuda.runtime.memcpyAsync: kind must be one of",
      function() cp.cuda.runtime.memcpyAsync(p, p, 8, 7) return 1 end)
    failure("usage", "cuda.runtime.memcpyAsync: stream must be a stream, not string",
      function() cp.cuda.runtime.memcpyAsync(p, p, 8, 4, "s") return 1 end)
    failure("usage", "cuda.runtime.memset: value must be a byte, 0 to 255",
      function() cp.cuda.runtime.memset(p, 256, 8) return 1 end)
    failure("usage", "cuda.runtime.memset: ptr is a null pointer",
      function() cp.cuda.runtime.memset(0, 1, 8) return 1 end)
    failure("usage", "cuda.runtime.deviceGetAttribute: name must be a string",
      function() cp.cuda.runtime.deviceGetAttribute() return 1 end)
    failure("usage", "cuda.runtime.streamWaitEvent: event must be an event, not nil (missing)",
      function() cp.cuda.runtime.streamWaitEvent(cp.cuda.Stream()) return 1 end)
    failure("memory", "cuda.runtime.malloc: ", function() cp.cuda.runtime.malloc(1e15) return 1 end)
  end)
end)
