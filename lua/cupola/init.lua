-- The Lua side of the module: called once by luaopen_cupola with the table of the module's functions, the C functions
-- that only this side may see, and the methods of arrays. Each part is a file that adds its functions to these tables.
-- Gives the table that scripts get (public.lua).
--
-- Names of Lua's own functions and libraries are locals that each file is compiled with (src/lua/support/load.c).
-- There are no globals, and strings have no methods here: whatever a script replaces is not looked at.

-- What nearly every script uses; then what is loaded when it is first used (later.lua).
local NOW = {
  "devices/devices", "devices/streams", "devices/profiler", "devices/scope", "arrays/elementwise", "arrays/creation",
  "arrays/manipulation", "arrays/indexing",
}
local LATER = {
  "devices/runtime", "devices/memory", "devices/memory_hooks", "userkernels/userkernels", "files/exchange",
  "files/npy", "files/npz", "files/text_files", "files/image", "plot/plot", "testing", "arrays/editing",
  "analysis/polynomials", "userkernels/rawkernels", "statistics/scans", "statistics/sorting", "statistics/sets",
  "statistics/quantiles", "statistics/statistics", "statistics/histograms", "analysis/calculus", "linalg/products",
  "linalg/linalg", "analysis/fft", "random/random", "scipy/special", "scipy/signal/signal", "userkernels/fuse",
  "userkernels/vectorize", "userkernels/bundle", "devices/nccl", "devices/graph", "scipy/ndimage/ndimage",
  "scipy/fft", "arrays/values", "arrays/forms", "arrays/functional", "arrays/bits",
}

return function(cp, core, methods)
  cp._VERSION = "cupola 0.1"
  cp.scipy = {}
  core.capturing = false -- while a graph is captured, where draws find their seed and number (graph.lua)
  for _, name in ipairs(core.dtypes()) do
    cp[name] = name
  end

  core.load "define"(cp, core, methods)

  -- What a function of C raised: it knows neither its name nor a line where Lua did not call it, and says "bad argument
  -- #1 to '?'" then.
  local function of_callback(where, argument, ok, ...)
    if ok then return ... end
    local problem = ...
    if type(problem) ~= "string" or string.find(problem, "^[^\n]-:%d+: ") then error(problem, 0) end
    return core.raise(where, "usage", argument .. " failed: " .. string.gsub(problem, " to '%?'", ""))
  end

  --- f, a function of a script, for being called; raises where it is none.
  function core.callable(f, where, argument)
    if not core.check_callable(f, where, argument) then return f end
    return function(...) return of_callback(where, argument, pcall(f, ...)) end
  end

  --- What a call was given wrongly, and shapes that do not fit.
  function core.usage(where, fact) return core.raise(where, "usage", fact) end
  function core.raise_shape(where, fact) return core.raise(where, "shape", fact) end

  --- Whether a dtype, or that of an array, has fractions.
  function core.is_inexact(v)
    local kind = core.kind(v)
    return kind == "f" or kind == "c"
  end

  --- The axes of an array with ndim axes that `axes` names, as a list and as a set: one, a table of several, or nil for
  --- all. of: whose they are, for messages ("of b").
  function core.axis_list(axes, where, argument, ndim, of)
    local list, set = {}, {}
    if axes ~= nil and type(axes) ~= "table" then axes = { axes } end
    for k = 1, axes and #axes or ndim do
      list[k] = axes and core.axis(axes[k], where, argument, ndim) or k
      if set[list[k]] then
        core.raise(where, "index", argument .. " names an axis " .. (of and of .. " " or "") .. "twice")
      end
      set[list[k]] = true
    end
    return list, set
  end

  --- The list without what is gone, a new one: a debug hook that raises leaves the old one whole. What finalizers add
  --- to that meanwhile is there too.
  function core.remaining(list, is_gone)
    local rest, k = {}, 1
    while k <= #list do
      if not is_gone(list[k]) then rest[#rest + 1] = list[k] end
      k = k + 1
    end
    return rest
  end

  local Guard = { __close = function(guard) guard.close() end }

  --- Enters what the guard of the core is for; a guard for scripts, that leaves when it is closed.
  function core.until_closed(guard) return setmetatable({ close = core.enter_until_closed(guard) }, Guard) end

  -- What guard.c does with continuations, where there are none but pcall lets coroutines yield. A guard is the handler.
  if string.find(core.interpreter, "^LuaJIT") then
    local enter, pass, left = core.enter_guard, core.pass, core.left

    local function inside(guard, f, ...)
      enter(guard)
      return pass(guard, f(...))
    end

    function core.within(guard, f, ...) return left(guard, xpcall(inside, guard, guard, f, ...)) end
  end

  for _, part in ipairs(NOW) do
    core.load(part)(cp, core, methods)
  end
  core.parts_later = LATER
  core.tables = core.load "later"(cp, core, methods, LATER)
  return core.load "public"(cp, core)
end
