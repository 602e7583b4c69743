-- cp.precompile and cp.record: kernels that are compiled ahead of time and kept in bundles, which a program
-- can ship (src/cache/bundle.h). docs/kernels.md describes them.

return function(cp, core)
  local fail = core.fail

  -- ---- recording

  -- 90, "90" or "sm_90" as 90.
  local function architecture(where, v)
    local number = tonumber(v) or type(v) == "string" and tonumber(string.match(v, "^sm_(%d+)$"))
    if not number or number < 50 or number > 999 or number % 1 ~= 0 then
      fail(where, "usage", "archs must hold compute capabilities such as 90 for 9.0, not %s", tostring(v))
    end
    return math.floor(number)
  end

  local function architectures(where, archs)
    if archs == nil then return {} end
    if type(archs) ~= "table" then archs = { archs } end
    local list = {}
    for k, v in ipairs(archs) do list[k] = architecture(where, v) end
    return list
  end

  local function path_of(where, name, v)
    if type(v) ~= "string" or v == "" then fail(where, "usage", "%s must be a path, not %s", name, tostring(v)) end
    return v
  end

  --- Records the kernels that the process uses from now on in a bundle. cp.record(false), or else the exit of
  --- the process, writes the file. Kernels that are already in the file are kept.
  ---@param path string|false
  ---@param archs? table  compute capabilities such as {80, 90, 120}; default: that of the GPU that runs the
  --- kernels
  ---@return integer|nil kernels  how many kernels the file contains, when it is written
  core.publish("record", "path, archs", 0, function(where, path, archs)
    if path == false then return core.record_stop() end
    core.record_start(path_of(where, "path", path), architectures(where, archs))
  end)

  -- ---- precompiling

  local where = "precompile"

  -- {dtype =, shape =} stands for an array of zeros.
  local function argument(v)
    if type(v) ~= "table" or v.shape == nil then return v end
    return cp.zeros(v.shape, v.dtype)
  end

  local function call(item)
    local arguments, count = {}, 0
    for k in pairs(item) do
      if type(k) == "number" and k > count then count = k end
    end
    for k = 2, count do arguments[k - 1] = argument(rawget(item, k)) end
    local f = core.callable(item[1], where, "the first value of each item")
    cp.scope(function() -- pending results are computed too
      local results = { f((table.unpack or unpack)(arguments, 1, count - 1)) } -- luacheck: ignore
      return results
    end)
  end

  local function compile(k, item)
    if type(item) == "table" and rawget(item, 1) ~= nil then return call(item) end
    local ok, method = pcall(function() return item.compile end)
    if not ok or type(method) ~= "function" then
      fail(where, "usage", "item %d must be {f, arguments...} or a raw kernel or module, not %s", k, type(item))
    end
    method(item)
  end

  local KNOWN = { bundle = true, record = true, archs = true }

  local function check(spec)
    if type(spec) ~= "table" then fail(where, "usage", "spec must be a table, not %s", type(spec)) end
    for key in pairs(spec) do
      if type(key) ~= "number" and not KNOWN[key] then
        fail(where, "usage", "has no field '%s'; the fields are archs, bundle, record", tostring(key))
      end
    end
    if spec.archs ~= nil and spec.record == nil then fail(where, "usage", "archs needs record, the file to write") end
  end

  -- Runs the items. A failure while recording ends the recording without writing a file.
  local function run(spec)
    if spec.record == nil then
      for k, item in ipairs(spec) do compile(k, item) end
      return nil
    end
    core.record_start(path_of(where, "record", spec.record), architectures(where, spec.archs))
    local ok, problem = pcall(function()
      for k, item in ipairs(spec) do compile(k, item) end
    end)
    if not ok then
      core.record_abandon()
      error(problem, 0)
    end
    return core.record_stop()
  end

  --- Loads bundles of kernels, and compiles kernels ahead of time by running the code that uses them. See
  --- docs/kernels.md.
  ---@param spec table  a list of items {f, arguments...}, in which an argument {dtype =, shape =} stands for
  --- an array of zeros, and of raw kernels and modules; and bundle = path or list of paths to load first,
  --- record = path of a bundle to write, archs
  ---@return table report  loaded (kernels in the bundles), compiled, found (already compiled), seconds,
  --- recorded
  function cp.precompile(spec)
    check(spec)
    local report, begin, before = { loaded = 0 }, cp.clock(), cp.profiler.counters()
    local bundles = spec.bundle
    if bundles ~= nil and type(bundles) ~= "table" then bundles = { bundles } end
    for _, path in ipairs(bundles or {}) do
      report.loaded = report.loaded + core.bundle_load(path_of(where, "bundle", path))
    end
    report.recorded = run(spec)
    local after = cp.profiler.counters()
    report.compiled, report.found = after.compiles - before.compiles, after.cache_hits - before.cache_hits
    report.seconds = cp.clock() - begin
    return report
  end
end
