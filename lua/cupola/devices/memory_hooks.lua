-- Memory hooks: functions that are called for every block of memory that arrays allocate and free, and totals
-- by line of the script.

return function(cp, core)
  local publish = core.publisher(cp.cuda, "cuda.")
  -- ---- registered hooks

  -- {hook =, guard = {its guard}}, the outermost first. The core calls `tell` while there are any, and may
  -- once more.
  local listeners, most, tell = {}, 16, nil -- most: how many there may be before abandoned ones are removed

  local function is_left(entry)
    local guard = entry.guard[1]
    return not (guard and core.is_entered(guard))
  end

  -- The registered hooks, as a copy: hooks may be added and removed while they are called.
  local function present()
    listeners = core.remaining(listeners, is_left)
    if not listeners[1] then
      core.memory_hook()
      if listeners[1] then core.memory_hook(tell) end -- called by a finalizer
    end
    return listeners
  end

  local function tell_one(hook, kind, fresh, info)
    if kind == "f" then
      if hook.free then hook.free(info) end
      return
    end
    if fresh and hook.alloc then hook.alloc(info) end
    if hook.malloc then hook.malloc(info) end
  end

  -- Calls every hook, with information in the form that scripts get.
  function tell(kind, fresh, nbytes, size, ptr, device, place)
    local info = { device = device, nbytes = nbytes, size = size, ptr = ptr,
      place = place ~= "" and string.gsub(place, ": $", "") or nil }
    local list = present()
    for k = 1, #list do
      if not is_left(list[k]) then tell_one(list[k].hook, kind, fresh, info) end
    end
  end

  local hooks = setmetatable({}, { __mode = "k" }) -- the set of all hooks

  local function check(hook, where)
    if not hooks[hook] then core.raise(where, "usage", "is a method: call it with a colon") end
  end

  -- Registers the hook while the guard, the only value in `of`, is entered and exists.
  local function listen(hook, of)
    if #listeners > most then
      listeners = core.remaining(listeners, is_left)
      most = 2 * #listeners + 16
    end
    listeners[#listeners + 1] = { hook = hook, guard = of }
    core.memory_hook(tell)
  end

  -- ---- hooks

  local MemoryHook = {}
  MemoryHook.__index = MemoryHook

  local WEAK = { __mode = "v" }

  local function launched(...)
    core.launch_current "MemoryHook"
    return ...
  end

  local function inside(hook, guard, f, ...)
    listen(hook, setmetatable({ guard }, WEAK))
    return launched(f(...))
  end

  --- Runs f(...) with the hook active.
  ---@param f function
  ---@return any ... what f returns
  function MemoryHook:with(f, ...)
    check(self, "MemoryHook.with")
    f = core.callable(f, "MemoryHook.with", "f")
    local guard = core.hook_guard()
    return core.within(guard, inside, self, guard, f, ...)
  end

  --- Activates the hook until the guard is closed.
  ---@return table guard  `guard:close()`, or Lua 5.4's `local g <close> = hook:use()`, deactivates the hook
  MemoryHook.use = core.define("MemoryHook.use", "hook", 1, function(where, self)
    check(self, where)
    local guard = core.hook_guard()
    local closing = core.until_closed(guard)
    listen(self, { guard })
    return closing
  end)

  --- A hook with functions that are called for memory of arrays: `malloc(info)` for each block that is
  --- allocated, `alloc(info)` for those that came directly from the device, `free(info)` for those that are
  --- freed, before the next of the other calls. `info` has device, nbytes (requested), size (of the block),
  --- ptr, place ("FILE:LINE" of the script). An error in one becomes an error of the allocation.
  ---@param malloc? function
  ---@param alloc? function
  ---@param free? function
  ---@return table hook
  publish("MemoryHook", "malloc, alloc, free", 0, function(where, malloc, alloc, free)
    local hook = setmetatable({}, MemoryHook)
    hooks[hook] = true
    if malloc == nil and alloc == nil and free == nil then
      core.raise(where, "usage", "needs a function: malloc, alloc or free")
    end
    for name, f in pairs { malloc = malloc, alloc = alloc, free = free } do
      f = core.callable(f, where, name)
      hook[name] = f
    end
    return hook
  end)

  -- ---- totals by line

  local Report = {}
  Report.__index = Report

  local units = { "B", "KB", "MB", "GB", "TB" }

  local function bytes_text(bytes)
    local unit = 1
    while bytes >= 1024 and unit < #units do
      bytes, unit = bytes / 1024, unit + 1
    end
    return string.format(bytes % 1 == 0 and "%d%s" or "%.1f%s", bytes, units[unit])
  end

  function Report.__tostring(report)
    local lines = { string.format("used %s, acquired from the device %s, in %d blocks", bytes_text(report.used),
      bytes_text(report.acquired), report.count) }
    for _, line in ipairs(report) do
      lines[#lines + 1] = string.format("%s: used %s, acquired %s, %d blocks", line.place, bytes_text(line.used),
        bytes_text(line.acquired), line.count)
    end
    return table.concat(lines, "\n")
  end

  --- A hook that totals memory by line of the script: `hook:with(f)`, then `hook:report()` or
  --- `hook:print_report()`.
  ---@return table hook
  publish("LineProfileHook", "", 0, function(_)
    local hook, lines = setmetatable({}, { __index = MemoryHook }), {}
    hooks[hook] = true

    local function line_of(info)
      local place = info.place or "?"
      lines[place] = lines[place] or { place = place, used = 0, acquired = 0, count = 0 }
      return lines[place]
    end

    function hook.malloc(info)
      local line = line_of(info)
      line.used, line.count = line.used + info.size, line.count + 1
    end

    function hook.alloc(info)
      local line = line_of(info)
      line.acquired = line.acquired + info.size
    end

    -- The lines, the largest first, and their totals.
    function hook.report()
      local report = setmetatable({ used = 0, acquired = 0, count = 0 }, Report)
      for _, line in pairs(lines) do
        report[#report + 1] = { place = line.place, used = line.used, acquired = line.acquired, count = line.count }
        report.used, report.acquired, report.count =
          report.used + line.used, report.acquired + line.acquired, report.count + line.count
      end
      table.sort(report, function(a, b)
        if a.used ~= b.used then return a.used > b.used end
        return a.place < b.place
      end)
      return report
    end

    function hook.print_report(hook_itself)
      local text = tostring(hook.report(hook_itself))
      print(text)
      return text
    end

    return hook
  end)

  local function report_first(hook, ...) return hook.report(), ... end

  function core.profile_memory(f, ...)
    f = core.callable(f, "profiler.memory", "f")
    local hook = cp.cuda.LineProfileHook()
    return report_first(hook, hook:with(f, ...))
  end
end
