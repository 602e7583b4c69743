-- cp.vectorize turns a function of numbers into an elementwise function of arrays. A function that decides on
-- an element becomes a kernel (lua/cupola/jit/functions.lua). Otherwise it calls the function once
-- for each combination of dtypes, with placeholder values, and records its operations
-- (src/lua/kernels/trace.c). Later calls apply them to the elements in one kernel.

return function(cp, core)
  local decisions = require "cupola.jit.decisions"

  local states = setmetatable({}, { __mode = "k" }) -- vectorized function -> its state

  local function fail(kind, format, ...) core.raise("vectorize", kind, string.format(format, ...)) end

  -- ---- tracing

  local TWINS = { max = "maximum", min = "minimum", pow = "power", tointeger = "trunc", ult = "less" }

  -- An error of the traced function, with what to write instead if that is known.
  local function explain(problem)
    if type(problem) ~= "string" then return problem end
    local function advise(instead, not_this)
      return string.format("%s; cupola.vectorize: write %s, not %s: the value stands for an element of an array",
        problem,
        instead, not_this)
    end
    -- LuaJIT's message
    if string.find(problem, "attempt to compare", 1, true) then return advise("x:lt(y)", "x < y") end
    local name = string.match(problem, "bad argument #%d+ to '([%w_?]+)' %(number expected, got")
    if not name then return problem end
    -- LuaJIT loses the name in tail calls
    if type(math[name]) ~= "function" then return advise("cp.sin", "math.sin") end
    local twin = TWINS[name] or name
    return rawget(cp, twin) and advise("cp." .. twin, "math." .. name) or problem
  end

  local function pack(...) return { n = select("#", ...), ... } end

  local function record(state, dtypes, device)
    local placeholders = {}
    for k, dtype in ipairs(dtypes) do placeholders[k] = core.trace_placeholder(dtype, device) end
    local results = pack(state.f(unpack(placeholders)))
    if results.n == 0 then fail("usage", "f returns nothing") end
    local otypes = state.otypes
    if #otypes > 0 and #otypes ~= results.n then
      fail("usage", "otypes names %d dtypes, and f returns %d values", #otypes, results.n)
    end
    for k = 1, results.n do
      if results[k] == nil then fail("usage", "result %d of f is nil", k) end
    end
    return core.trace_make(placeholders, results, otypes)
  end

  -- Calls f in a scope, so that nothing of the trace remains, with operators that build pending values. f
  -- must not yield: the placeholders belong to this call.
  local function trace(state, dtypes, device)
    local ok, result = core.call_with_raised_bounds(core.scope_with,
      core.drop_pending, record, state, dtypes, device)
    if not ok then error(explain(result), 0) end
    state.traces = state.traces + 1
    return result
  end

  -- ---- the object

  local Vectorized = { __name = "cupola.vectorized" }

  -- Converts tables among the arguments to arrays; raises for other values.
  local function arrays_of(...)
    local arguments, count = { ... }, select("#", ...)
    if count == 0 then fail("usage", "needs at least one argument") end
    for k = 1, count do
      if type(arguments[k]) == "table" then arguments[k] = cp.asarray(arguments[k]) end
    end
    local key, place = core.trace_key(unpack(arguments, 1, count))
    if not key then
      fail("usage", "argument %d must be an array, number or table, not %s", place, type(arguments[place]))
    end
    return key, arguments, count
  end

  local function device_of(arguments, count)
    for k = 1, count do
      if cp.is_array(arguments[k]) then return arguments[k].device end
    end
    return cp.device().name
  end

  function Vectorized.__call(self, ...)
    local state = states[self]
    if state.kernel then
      arrays_of(...)
      return state.kernel(...)
    end
    local made = state.made[core.trace_key(...) or ""]
    if made then return core.trace_run(made, state.name, ...) end
    local key, arguments, count = arrays_of(...)
    if not state.made[key] then
      state.made[key] = trace(state, core.trace_dtypes(key), device_of(arguments, count))
    end
    return core.trace_run(state.made[key], state.name, unpack(arguments, 1, count))
  end

  local fields = { name = "name", traces = "traces" }

  function Vectorized.__index(self, name)
    if name == "traces" and states[self].kernel then return states[self].kernel.variants end
    if fields[name] then return states[self][name] end
    core.unknown("vectorize", "a vectorized function", tostring(name), fields)
  end

  function Vectorized.__newindex(_, name)
    fail("usage", "the fields of a vectorized function cannot be set ('%s')", tostring(name))
  end

  function Vectorized.__tostring(self) return "vectorized function " .. states[self].name end

  -- "float32" or a list of dtypes, as a list of names.
  local function dtypes_of(otypes)
    if otypes == nil then return {} end
    if type(otypes) == "string" then otypes = { otypes } end
    if type(otypes) ~= "table" then fail("usage", "otypes must be a dtype or a table of them, not %s", type(otypes)) end
    local list = {}
    for k, name in ipairs(otypes) do
      list[k] = type(name) == "string" and core.find_dtype(name) or fail("dtype", "no dtype '%s' (otypes)",
        tostring(name))
    end
    return list
  end

  --- Returns an elementwise function of arrays from a function of numbers. f is called once for each
  --- combination of dtypes, with placeholder values: it may use operators, functions of cp (cp.sin, not
  --- math.sin) and cp.where (not if), and outer variables have the values that they have then. See
  --- docs/kernels.md.
  ---@param f function  a function of numbers; may return several
  ---@param otypes? string|table  dtypes of the results; default: those of the operations
  ---@param name? string  for messages
  ---@return cupola.Vectorized  called with arrays, tables and numbers, which broadcast; fields: name, traces
  core.publish("vectorize", "f, otypes, name", 1, function(where, f, otypes, name)
    local called = core.callable(f, where, "f")
    if name ~= nil and type(name) ~= "string" then fail("usage", "name must be a string, not %s", type(name)) end
    otypes = dtypes_of(otypes)
    local kernel = decisions.has(core, f) and core.jit_vectorize(f, name or "vectorized", otypes) or nil
    local vectorized = setmetatable({}, Vectorized)
    states[vectorized] = { f = called, otypes = otypes, name = name or "vectorized", made = {}, traces = 0,
      kernel = kernel }
    return vectorized
  end)
end
