-- Profiling: the time of a function on the host and on its device, where a script synchronizes, and ranges
-- for profilers.

return function(cp, core)
  -- ---- benchmark

  local function statistics(times)
    local n, sum, least, most = #times, 0, math.huge, -math.huge
    for _, t in ipairs(times) do
      sum, least, most = sum + t, math.min(least, t), math.max(most, t)
    end
    local mean, squares = sum / n, 0
    for _, t in ipairs(times) do
      squares = squares + (t - mean) ^ 2
    end
    return { mean = mean, std = math.sqrt(squares / n), min = least, max = most }
  end

  local function line(label, s)
    return string.format("%s: %9.3f us +/- %.3f (min: %.3f / max: %.3f) us", label, s.mean * 1e6, s.std * 1e6,
      s.min * 1e6,
      s.max * 1e6)
  end

  local Result = {}
  Result.__index = Result

  function Result.__tostring(r)
    return string.format("%-20s: %s   %s   pipelined: %.3f us", r.name, line("CPU", r.cpu),
      line((string.gsub(r.device, "cuda:", "GPU-")), r.gpu), r.pipelined.gpu * 1e6)
  end

  -- Computes what is pending. The arguments are a call's results, kept here so that they are not collected
  -- before.
  local function launch(...)
    core.launch_current "benchmark"
    return ...
  end

  -- One call between two events. Host time ends when the call's work is queued.
  local function once(call, start, finish)
    start:record()
    local t = cp.clock()
    launch(call())
    t = cp.clock() - t
    finish:record()
    finish:synchronize()
    return t, cp.cuda.get_elapsed_time(start, finish) * 1e-3
  end

  -- n consecutive calls: the mean host and device seconds of one.
  local function pipelined(call, n, start, finish)
    start:record()
    local t = cp.clock()
    for _ = 1, n do
      launch(call())
    end
    t = cp.clock() - t
    finish:record()
    finish:synchronize()
    return { cpu = t / n, gpu = cp.cuda.get_elapsed_time(start, finish) * 1e-3 / n }
  end

  local known = { n_warmup = 10, n_repeat = 10000, max_duration = 1, name = "benchmark", args = {} }

  local function read_options(options)
    if type(options) ~= "nil" and type(options) ~= "table" then
      core.raise("profiler.benchmark", "usage", "options must be a table, not " .. type(options))
    end
    local o = setmetatable({}, { __index = known })
    for key, v in pairs(options or {}) do
      if known[key] == nil then
        core.raise("profiler.benchmark", "usage",
          string.format("has no argument '%s'; the arguments are n_warmup, n_repeat, max_duration, name, args",
            tostring(key)))
      elseif type(v) ~= type(known[key]) then
        core.raise("profiler.benchmark", "usage", string.format("%s must be a %s, not %s", key, type(known[key]),
          type(v)))
      end
      o[key] = v
    end
    core.integer(o.n_warmup, "profiler.benchmark", "n_warmup")
    if core.integer(o.n_repeat, "profiler.benchmark", "n_repeat") < 1 then
      core.raise("profiler.benchmark", "usage", "n_repeat must be at least 1")
    end
    return o
  end

  --- Measures f(...): first each call alone, between two events on the current stream, then the same number
  --- of consecutive calls. Results that f leaves pending and returns are computed within the call.
  ---@param f function
  ---@param options? table  n_warmup (10), n_repeat (10000, or fewer within max_duration), max_duration (1
  --- second), name, args (a table of f's arguments)
  ---@return table result  cpu and gpu (mean, std, min, max), cpu_times, gpu_times, pipelined (cpu, gpu); all
  --- in seconds
  function cp.profiler.benchmark(f, options)
    f = core.callable(f, "profiler.benchmark", "f")
    local o = read_options(options)
    local function call() return f(unpack(o.args)) end
    local start, finish = core.Event(), core.Event()
    for _ = 1, o.n_warmup do
      once(call, start, finish)
    end
    local cpu, gpu, deadline = {}, {}, cp.clock() + o.max_duration
    repeat
      cpu[#cpu + 1], gpu[#gpu + 1] = once(call, start, finish)
    until #cpu >= o.n_repeat or cp.clock() > deadline
    return setmetatable({ name = o.name, device = start.device, cpu_times = cpu, gpu_times = gpu, cpu = statistics(cpu),
      gpu = statistics(gpu), pipelined = pipelined(call, #cpu, start, finish) }, Result)
  end

  -- ---- synchronizations

  local Report = {}
  Report.__index = Report

  function Report.__tostring(report)
    local lines = {}
    for k, entry in ipairs(report) do
      lines[k] = string.format("%s: %s waited %.1f us", entry.place, entry.what, entry.seconds * 1e6)
    end
    return #lines > 0 and table.concat(lines, "\n") or "no synchronisation"
  end

  local function report_of(text)
    local report = setmetatable({}, Report)
    for place, what, seconds in string.gmatch(text, "([^\t\n]*)\t([^\t\n]*)\t([^\n]*)\n") do
      report[#report + 1] = { place = place, what = what, seconds = tonumber(seconds) }
    end
    return report
  end

  local function reported(...) return report_of(core.trace_text()), ... end

  local function traced(f, ...) return reported(f(...)) end

  --- Runs f(...) and lists where the host waited for a device: each synchronization with the line of the
  --- script that caused it.
  ---@param f function
  ---@return table report  a list of {place, what, seconds}; tostring shows it
  ---@return any ... what f returns
  function cp.profiler.trace_sync(f, ...)
    f = core.callable(f, "profiler.trace_sync", "f")
    return core.within(core.trace_guard(), traced, f, ...)
  end

  --- Runs f(...) and totals, by line of the script, the memory that arrays allocated. Memory counts for the
  --- line that computes a value: a pending value is allocated where it is first needed.
  ---@param f function
  ---@return table report  a list of {place, used, acquired, count}, the largest first, and the totals;
  --- tostring shows it
  ---@return any ... what f returns
  function cp.profiler.memory(f, ...) return core.profile_memory(f, ...) end

  -- ---- ranges

  --- Runs f(...) as a named range for profilers that support NVTX (Nsight Systems). Without f, starts a range
  --- that closing the guard ends.
  ---@param message string
  ---@param f? function
  ---@return any ... what f returns, or the guard
  function cp.profiler.time_range(message, f, ...)
    if type(message) ~= "string" then
      core.raise("profiler.time_range", "usage", "message must be a string, not " .. type(message))
    end
    local guard = core.range_guard(message)
    if f == nil then return core.until_closed(guard) end
    return core.within(guard, core.callable(f, "profiler.time_range", "f"), ...)
  end

  cp.cuda.nvtx = {}
  local publish = core.publisher(cp.cuda.nvtx, "cuda.nvtx.")

  --- Starts a range of this thread for profilers.
  ---@param message string
  publish("RangePush", "message", 0, function(_, message)
    core.range_push(message)
  end)

  --- Ends the innermost range.
  publish("RangePop", "", 0, function(_) core.range_pop() end)

  --- Marks a point in time for profilers.
  ---@param message string
  publish("Mark", "message", 0, function(_, message) core.mark(message) end)
end
