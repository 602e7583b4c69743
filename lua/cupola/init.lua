-- The Lua side of the module. luaopen_cupola calls this once with the module table, the C functions that only
-- the Lua side may use (core), and the methods of arrays. Each part is a file that adds its functions to
-- these tables. Returns the table that scripts get (public.lua). Each file is compiled with Lua's own
-- functions and libraries as upvalues (src/lua/loading/libraries.c). There are no globals and strings have no
-- methods here, so whatever a script replaces has no effect on cupola.

-- The parts that nearly every script uses. The others are loaded when they are first used (later.lua).
local NOW = {
  "devices/devices", "devices/streams", "devices/profiler", "devices/scope", "arrays/elementwise", "arrays/creation",
  "arrays/manipulation", "arrays/joining", "arrays/indexing",
}
local LATER = {
  "devices/runtime", "devices/memory", "devices/memory_hooks", "userkernels/userkernels", "files/exchange",
  "files/npy", "files/npz", "files/text_files", "files/image", "plot/plot", "testing", "arrays/editing",
  "analysis/polynomials", "userkernels/rawkernels", "statistics/scans", "statistics/sorting", "statistics/sets",
  "statistics/quantiles", "statistics/statistics", "statistics/histograms", "statistics/masked",
  "analysis/calculus", "linalg/products",
  "linalg/linalg", "analysis/fft", "random/random", "scipy/special", "scipy/signal/signal", "userkernels/fuse",
  "userkernels/vectorize", "userkernels/bundle", "devices/nccl", "devices/graph", "scipy/ndimage/ndimage",
  "scipy/sparse/sparse", "scipy/io", "scipy/fft", "arrays/padding", "arrays/positions", "arrays/values", "arrays/forms",
  "arrays/functional", "arrays/bits", "files/pixels", "arrays/flat", "arrays/ufunc", "analysis/polynomial",
  "jit/kernels", "devices/texture",
}

return function(cp, core, methods)
  cp._VERSION = "cupola 0.1"
  cp.scipy = {}
  core.capturing = false -- during a graph capture: where random draws find their seed and number (graph.lua)
  for _, name in ipairs(core.dtypes()) do
    cp[name] = name
  end

  core.load "define"(cp, core, methods)
  core.publish("last_error", "", 0, core.last_error)

  -- Names the function in an error that C raised. Called without Lua in between, C knows neither its name nor
  -- a line, and says "bad argument #1 to '?'".
  local function of_callback(where, argument, ok, ...)
    if ok then return ... end
    local problem = ...
    if type(problem) ~= "string" or string.find(problem, "^[^\n]-:%d+: ") then error(problem, 0) end
    return core.raise(where, "usage", argument .. " failed: " .. string.gsub(problem, " to '%?'", ""))
  end

  --- Returns f, a callback of a script; raises if it cannot be called.
  function core.callable(f, where, argument)
    if not core.check_callable(f, where, argument) then return f end
    return function(...) return of_callback(where, argument, pcall(f, ...)) end
  end

  --- Raise errors: for wrong arguments, for shapes that do not match, and of any kind with a format.
  function core.usage(where, fact) return core.raise(where, "usage", fact) end
  function core.raise_shape(where, fact) return core.raise(where, "shape", fact) end
  function core.fail(where, kind, format, ...) return core.raise(where, kind, string.format(format, ...)) end
  --- A number with its noun, as messages need it: "1 axis", "3 axes".
  function core.counted(n, one, many) return string.format("%d %s", n, n == 1 and one or many or one .. "s") end

  --- Returns v, which must be a number; `missing` where it is nil.
  function core.number(v, where, argument, missing)
    if v == nil then v = missing end
    if type(v) ~= "number" then core.usage(where, argument .. " must be a number, not " .. type(v)) end
    return v
  end

  --- Whether a dtype, or that of an array, is floating or complex.
  function core.is_inexact(v)
    local kind = core.kind(v)
    return kind == "f" or kind == "c"
  end

  --- Whether a dtype has 16 bits, with fewer digits than most algorithms need.
  function core.is_half(dtype) return dtype == "float16" or dtype == "bfloat16" end

  --- What an array lists where a table of numbers is asked for, as a table; anything else as it is.
  function core.listed(value)
    if cp.is_array(value) then return value:totable() end
    return value
  end

  --- The axes that `axes` selects in an array with ndim axes, as a list and as a set. axes: one axis, a table
  --- of several, or nil for all; of: the array's name for messages ("of b").
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

  --- A new list without the entries that are gone. The old list stays whole if a debug hook raises, and
  --- entries that finalizers add meanwhile are kept.
  function core.remaining(list, is_gone)
    local rest, k = {}, 1
    while k <= #list do
      if not is_gone(list[k]) then rest[#rest + 1] = list[k] end
      k = k + 1
    end
    return rest
  end

  local Guard = { __close = function(guard) guard.close() end }

  --- Enters the scope of a core guard, and returns a guard for scripts that leaves the scope when it is
  --- closed.
  function core.until_closed(guard) return setmetatable({ close = core.enter_until_closed(guard) }, Guard) end

  -- Replaces the continuations of guard.c in LuaJIT, which has none but lets coroutines yield across pcall.
  -- The guard is the error handler.
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
