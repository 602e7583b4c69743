-- cp.jit: kernels from Lua functions. This file has cp.jit.rawkernel and what elementwise and reduction
-- kernels (functions.lua) share with it: arguments, variants by types, errors. infer.lua makes the typed
-- program, cuda.lua prints it, and luatext/run.lua runs it as Lua text; docs/kernels.md describes the
-- language.

return function(cp, core)
  require "cupola.jit.cuda"
  require "cupola.jit.cudatext"
  require "cupola.jit.checked"
  require "cupola.jit.control"
  require "cupola.jit.expressions"
  require "cupola.jit.elements"
  local names = require "cupola.jit.names"
  local infer = require "cupola.jit.infer"
  local preludes = require "cupola.kernels.preludes"
  local types = require "cupola.jit.types"
  local uniform = require "cupola.jit.uniform"
  local rawtext = require "cupola.jit.rawtext"
  local signature = require "cupola.kernels.signature"
  local _, options_of = require "cupola.userkernels.arguments"(core)

  assert(cp.RawKernel) -- its part gives C the functions that it calls for every raw module
  cp.jit = { cg = {} }
  local publish = core.publisher(cp.jit, "jit.")
  local jit = {}

  local fail = core.fail

  core.load "jit/outside"(cp, core)

  local env

  local function environment()
    env = env or require "cupola.jit.environment"(cp, core)
    return env
  end

  local run

  --- What runs kernels as Lua text.
  function jit.run()
    run = run or core.load "jit/luatext/run"(cp, core, jit)
    return run
  end

  -- ---- errors ----

  -- Calls f(...); an error of a kernel's text is raised with its file, line and column.
  local function guarded(where, f, ...)
    local function finish(ok, ...)
      if ok then return ... end
      local problem = ...
      if type(problem) ~= "table" or not problem.message then error(problem, 0) end
      fail(where, "compile", "%s:%d:%d: %s", problem.file or "?", problem.line, problem.column, problem.message)
    end
    return finish(pcall(f, ...))
  end
  jit.guarded = guarded

  --- Calls f(...), which compiles. Where there is no compiler it returns false, else true and the results.
  function jit.compiled(f, ...)
    local function finish(ok, ...)
      local problem = ...
      if ok then return true, ... end
      if type(problem) == "string" and (string.find(problem, "no C++ compiler", 1, true)
          or string.find(problem, "NVRTC is off", 1, true) or string.find(problem, "NVRTC.* could not be opened")) then
        return false
      end
      error(problem, 0)
    end
    return finish(pcall(f, ...))
  end

  -- ---- definitions ----

  local function constants_of(where, constants)
    if constants ~= nil and type(constants) ~= "table" then
      fail(where, "usage", "constants must be a table of values by names, not %s", type(constants))
    end
    return constants
  end

  local function find_function(where, f, file, argument)
    environment().where = where
    if type(f) == "string" then return env.source_of_text(f, file) end
    if type(f) ~= "function" then
      fail(where, "usage", "%s must be a function or its text, not %s", argument, type(f))
    end
    local tree, unit, name = env.source_of(f)
    if not tree then fail(where, "usage", "the text of %s cannot be found: %s", argument, unit) end
    return tree, unit, nil, name
  end

  --- The root of a program (infer.program) from a function or its text.
  function jit.root(where, f, options, argument)
    local file = options.name or "kernel"
    local tree, unit, before, found = guarded(where, find_function, where, f, file, argument or "f")
    local own = { file = unit.file, object = unit.object, upvalues = unit.upvalues, id = unit.id,
      constants = constants_of(where, options.constants) }
    return { f = tree, unit = own, before = before, name = options.name or found or "kernel" }
  end

  -- Where the host has closed the door of user kernels, they run as Lua text, which cannot leave its arrays.
  local function closed(where, options, unchecked)
    for _, name in ipairs { "options", "fmad" } do
      if options[name] then
        fail(where, "usage", "%s is for compiled kernels, and user kernels are closed by the host: this one runs as "
          .. "Lua text", name)
      end
    end
    if unchecked then fail(where, "usage", "check = false: user kernels are closed by the host, and kernels in Lua are "
      .. "checked") end
    options.lua, options.check = true, true
  end

  --- Options that all kernels share, checked.
  function jit.options(where, options)
    local name = options.name
    if type(name) == "table" then -- options stand there, but none has a name
      if next(name) ~= nil then
        fail(where, "usage", "options are given by their names, as in {fmad = true}; this table has none")
      end
      name, options.name = nil, nil
    end
    if name ~= nil and (type(name) ~= "string" or not string.find(name, "^[%a_][%w_]*$") or #name > 60) then
      fail(where, "usage", "name must be an identifier, not %s", tostring(name))
    end
    options.fmad = core.boolean(options.fmad, where, "fmad", false)
    options.compiler = options_of(where, options.options)
    options.lua = core.boolean(options.lua, where, "lua", core.jit_setting "CUPOLA_JIT" == "lua")
    local always, unchecked = core.jit_setting "CUPOLA_JIT_CHECK" == "1", options.check == false
    options.check = core.boolean(options.check, where, "check", always)
    if not pcall(core.check_capability, where, "user kernels") then
      closed(where, options, unchecked)
    end
    return options
  end

  local function parse_type(where, text)
    local name, axes = string.match(text, "^%s*([%w_]+)%s*(%[?[%s,]*%]?)%s*$")
    local dtype = name and core.find_dtype(name)
    if not dtype then
      fail(where, "dtype", "signature: '%s' is not a type; write a dtype, or float32[], float32[,] for an array", text)
    end
    if axes == "" then return { dtype = dtype } end
    return { dtype = dtype, ndim = select(2, string.gsub(axes, ",", "")) + 1 }
  end

  --- The types that a signature such as "float32[], float32[,], int32" fixes.
  function jit.signature(where, v, root)
    if v == nil then return nil end
    if type(v) == "string" then
      local list = {}
      for part in string.gmatch(string.gsub(v, "%[([%s,]*)%]", function(c) return "[" .. string.gsub(c, ",", ";")
        .. "]" end)
        .. ",", "(.-),") do
        list[#list + 1] = (string.gsub(part, ";", ","))
      end
      v = list
    end
    if type(v) ~= "table" or #v ~= #root.f.params then
      fail(where, "usage", "signature must name the type of each of the %s",
        core.counted(#root.f.params, "parameter"))
    end
    local out = {}
    for k, text in ipairs(v) do out[k] = parse_type(where, tostring(text)) end
    return out
  end

  -- ---- arguments ----

  local function check_signature(where, k, p, value, wanted)
    local array = cp.is_array(value)
    if array and (not wanted.ndim or value.dtype ~= wanted.dtype or value.ndim ~= wanted.ndim) then
      fail(where, "dtype", "argument %d (%s) is %s with %s, but the signature says %s%s", k, p.name, value.dtype,
        core.counted(value.ndim, "axis", "axes"), wanted.dtype,
        wanted.ndim and " with " .. core.counted(wanted.ndim, "axis", "axes") or "")
    elseif not array and wanted.ndim then
      fail(where, "usage", "argument %d (%s) must be an array", k, p.name)
    end
  end

  --- The node of argument k of a call, for infer.program.
  function jit.argument(where, k, p, value, fixed)
    if fixed then check_signature(where, k, p, value, fixed) end
    if cp.is_array(value) then
      local key = core.jit_key({ value }, 1)
      local contiguous = string.find(key, ";", 1, true) ~= nil
      return { static = "array", line = p.line, column = p.column, array = { id = "parameter " .. k, parameter = k,
        name = p.name, dtype = value.dtype, ndim = value.ndim, contiguous = contiguous or value.ndim == 0,
        small = not string.find(key, "L", 2, true), space = "global" } }
    end
    local t, bits
    if fixed then t = fixed.dtype else t, bits = names.class_type(core.jit_key({ value }, 1), env.dtypes) end
    if not t then
      fail(where, "usage", "argument %d (%s) must be an array, number or boolean, not %s", k, p.name,
        value == nil and "nil (missing)" or type(value))
    end
    return { op = "argument", t = t, bits = t == "int" and bits or nil, line = p.line, column = p.column,
      name = p.name }
  end

  local LIMIT = 2 ^ types.SMALL

  -- The class of a value, as core.jit_key gives it.
  local function class_of(value)
    local kind = type(value)
    if kind == "boolean" then return "b" end
    if kind == "number" and value > -LIMIT and value < LIMIT then return value % 1 == 0 and "i" or "f" end
    return core.jit_key({ value }, 1)
  end

  --- Whether the values that a program was made for are still the same.
  function jit.matches(program)
    for _, noted in ipairs(program.reads) do
      local value = names.fetch(core, noted.read)
      if noted.role == "guard" then
        if not rawequal(value, noted.value) and value ~= noted.value then return false end
      elseif class_of(value) ~= noted.class then
        return false
      else
        noted.now = value
      end
    end
    return true
  end

  -- ---- rawkernel ----

  local function declaration(text, name, file, options, fill, program)
    return { name = name, file = file, kind = "source", text = text, options = options, headers = {}, found = {},
      missing = {}, by_path = {}, wanted = { name }, folders = {}, info = signature.read(text), fill = fill,
      checks = program.checks, together = program.together }
  end

  local Kernel = { __name = "cupola.jit_kernel" }
  local states = setmetatable({}, { __mode = "k" })

  -- A function that raises an error of the text at a node.
  local function refuse_at(file)
    return function(node, message)
      error({ file = file, line = node.line, column = node.column, message = message }, 0)
    end
  end

  local function compile(state, args)
    local program = guarded(state.name, infer.program, state.root, args, env)
    program.args = args
    if state.root.checked then guarded(state.name, uniform.check, program, refuse_at(state.root.unit.file)) end
    local function fill(needs) rawtext.print(env, program, state.root, args, needs) end
    local text, described, name = rawtext.print(env, program, state.root, args, preludes.new(core.embedded, {}))
    local options = { unpack(state.compiler) }
    if not state.fmad then table.insert(options, 1, "-fmad=false") end
    program.source = text
    program.declaration = declaration(text, name, state.name, options, fill, program)
    if not state.lua then
      program.kernel = core.raw_kernel(program.declaration, state.name, name, described, { strided = true,
        cooperative = program.together })
    end
    state.last = program
    return program
  end

  --- How many elements an array of dynamic shared memory has.
  function jit.dynamic_length(array, options)
    local bytes = type(options) == "table" and options.shared_mem or type(options) == "number" and options or 0
    return math.floor(bytes * 8 / types.width(array.dtype))
  end

  -- Adds what the kernel takes besides the arguments of the call.
  local function add_hidden(state, program, args, values, count, options)
    for _, extent in ipairs(program.extents) do
      local x = args[extent.array.parameter]
      count = count + 1
      if not extent.array.parameter then
        values[count] = jit.dynamic_length(extent.array, options)
      elseif extent.what == "shape" then
        values[count] = extent.axis == 1 and #x or x.shape[extent.axis]
      elseif extent.what == "size" then
        values[count] = x.size
      else
        local stride = x.strides[extent.axis] / x.itemsize
        if stride % 1 ~= 0 then
          fail(state.name, "usage", "the strides of '%s' are not multiples of its element's size; pass its :copy()",
            extent.array.name)
        end
        values[count] = math.floor(stride)
      end
    end
    return names.add_hidden(program, values, count)
  end

  -- The key of a call of a kernel with a signature: only layouts differ.
  local function signature_key(state, args)
    local list = {}
    for k, fixed in ipairs(state.signature) do
      check_signature(state.name, k, state.root.f.params[k], args[k], fixed)
      list[k] = fixed.ndim and core.jit_key({ args[k] }, 1) or ""
    end
    return table.concat(list)
  end

  -- The program for these arguments, compiled if there is none yet.
  local function program_for(state, args, few)
    local params = state.root.f.params
    local group = state.signature and signature_key(state, args) or core.jit_key(args, #params)
    if not few then group = group .. " many" end
    local list = state.groups[group]
    if not list then
      list = {}
      state.groups[group] = list
    end
    for _, program in ipairs(list) do
      if jit.matches(program) then return program end
    end
    local nodes = {}
    for k, p in ipairs(params) do
      nodes[k] = jit.argument(state.name, k, p, args[k], state.signature and state.signature[k])
    end
    state.root.few = few
    local program = compile(state, nodes)
    program.few = few
    jit.matches(program)
    list[#list + 1] = program
    return program
  end

  local function check_count(state, args)
    local count, most = #state.root.f.params, 0
    if #args == count and count > 0 then return count end
    for k in pairs(args) do
      if type(k) == "number" and k > most then most = k end
    end
    if most ~= count then
      fail(state.name, "usage", "takes %d argument%s, %d %s given", count, count == 1 and "" or "s", most,
        most == 1 and "was" or "were")
    end
    return count
  end

  -- Adds what a kernel needs whose blocks run at once: a word for their barrier, and room for all shared
  -- memory.
  local function add_together(program, values, count, options)
    local device = cp.device().name
    for k = 1, count do
      if cp.is_array(values[k]) then device = values[k].device break end
    end
    local own, given = {}, type(options) == "table" and options or {}
    for name, v in pairs(given) do own[name] = v end
    own.shared_mem = (type(options) == "number" and options or given.shared_mem or 0) + program.shared_bytes
    values[count + 1] = cp.zeros(1, { dtype = "uint32", device = device })
    return own
  end

  -- Launches the compiled kernel; false where there is no compiler.
  local function run_compiled(program, grid, block, values, options)
    if program.launched then
      program.kernel(grid, block, values, options)
      return true
    end
    program.launched = jit.compiled(program.kernel, grid, block, values, options)
    return program.launched
  end

  -- Launches the kernel; returns its program if that is compiled.
  local function launch(state, grid, block, args, options)
    if args == nil then args = {} end
    if type(args) ~= "table" or cp.is_array(args) then
      fail(state.name, "usage", "args must be a table of arguments, not %s", cp.is_array(args) and "an array"
        or type(args))
    end
    local count = check_count(state, args)
    local program = program_for(state, args, types.has_few_threads(grid, block))
    if not state.lua then
      local values, given = args, options
      if #program.extents > 0 or #program.reads > 0 or program.together then
        values = { unpack(args, 1, count) }
        count = add_hidden(state, program, args, values, count, options)
      end
      if program.together then given = add_together(program, values, count, options) end
      if run_compiled(program, grid, block, values, given) then return program end
      state.lua = true
    end
    jit.run().launch(state.name, program, state.root, grid, block, args, options)
  end

  local calls = setmetatable({}, { __mode = "k" }) -- kernel -> what src/lua/kernels/jit_call.c needs

  local WHAT = { shape = 1, size = 2, stride = 3 }

  -- What C needs to make the same call again, or nil where it reads more than upvalues.
  local function recipe(state, program, args)
    local count, extents, reads = #state.root.f.params, {}, {}
    if program.together or not program.few then return nil end
    for k, extent in ipairs(program.extents) do
      extents[k] = { parameter = extent.array.parameter, what = WHAT[extent.what], axis = extent.axis }
    end
    for k, noted in ipairs(program.reads) do
      local read = noted.read
      if read.constants or read.keys[1] then return nil end
      local taken = noted.role == "hidden"
      reads[k] = { object = read.object, number = read.number, taken = taken,
        value = taken and noted.now or not taken and noted.value }
    end
    return core.jit_recipe(program.kernel, args, count, extents, reads)
  end

  Kernel.__call = core.jit_caller(calls, function(self, grid, block, args, options, ...)
    local state = states[self]
    if select("#", ...) > 0 then fail(state.name, "usage", "takes grid, block, args and options") end
    local program = launch(state, grid, block, args, options)
    calls[self] = program and not state.signature and recipe(state, program, args) or nil
  end)

  -- The fields of kernels and functions. lua_source(state): the Lua text of the last call.
  function jit.fields(lua_source)
    local function called(state)
      if state.last then return state.last end
      fail(state.name, "usage", "there is no source before the first call: types come from arguments")
    end
    return {
      name = function(state) return state.name end,
      source = function(state) return called(state).source end,
      lua_source = function(state) return lua_source(state, called(state)).source end,
      runs_lua = function(state) return state.lua end,
      variants = function(state)
        local n = 0
        for _, list in pairs(state.groups) do n = n + #list end
        return n
      end,
    }
  end

  local fields = jit.fields(function(state, last) return jit.run().prepare(last, state.root, last.args) end)

  function fields.kernel(state)
    if not state.last then fail(state.name, "usage", "there is no compiled kernel before the first call") end
    if state.lua then fail(state.name, "usage", "this kernel runs as Lua text and is not compiled") end
    return state.last.kernel
  end

  function Kernel.__index(self, name)
    local state = states[self]
    if type(name) == "table" then
      local grid, block = name[1], name[2]
      local options = {}
      for key, value in pairs(name) do
        if type(key) == "string" then options[key] = value end
      end
      return function(...) launch(state, grid, block, { ... }, options) end
    end
    if fields[name] then return fields[name](state) end
    core.unknown(state.name, "a kernel", tostring(name), fields)
  end

  function Kernel.__newindex(self, name)
    fail(states[self].name, "usage", "the fields of a kernel cannot be set ('%s')", tostring(name))
  end

  function Kernel.__tostring(self) return "kernel " .. states[self].name end

  --- A kernel from a Lua function; see docs/kernels.md.
  ---@param f function|string  the function, or its text
  ---@param name? string  for messages; default: the name that its text gives it
  ---@param fmad? boolean  whether products and sums may be contracted (false)
  ---@param constants? table  values by names, where upvalues cannot be read
  ---@param signature? string|table  the types of the parameters, such as "float32[], int32"
  ---@param options? table  options of the compiler
  ---@param lua? boolean  whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
  ---@param check? boolean  whether positions and barriers are checked (CUPOLA_JIT_CHECK=1)
  ---@return cupola.JitKernel  called as k(grid, block, {x, y}, {shared_mem =, stream =})
  publish("rawkernel", "f, name, fmad, constants, signature, options, lua, check", 1,
    function(where, f, name, fmad, constants, types_given, options, lua, check)
      options = jit.options("jit.rawkernel", { name = name, fmad = fmad, constants = constants, options = options,
        lua = lua, check = check })
      local root = jit.root("jit.rawkernel", f, options)
      root.void, root.checked = true, options.check
      local kernel = setmetatable({}, Kernel)
      states[kernel] = { root = root, name = root.name, fmad = options.fmad, compiler = options.compiler, groups = {},
        signature = jit.signature(where, types_given, root), lua = options.lua }
      return kernel
    end)

  -- For tools and specs: the declaration of the variant that was called last.
  core.jit_declaration = function(kernel) return states[kernel].last.declaration end

  jit.environment = environment
  core.load "jit/functions"(cp, core, jit)
end
