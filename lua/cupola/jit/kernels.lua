-- cp.jit: kernels from Lua functions. This file has cp.jit.rawkernel and what elementwise and reduction
-- kernels (functions.lua) share with it: arguments, variants by types, errors. infer.lua makes the typed
-- program, cuda.lua prints it; docs/kernels.md describes the language.

return function(cp, core)
  local cuda = require "cupola.jit.cuda"
  require "cupola.jit.cudatext"
  require "cupola.jit.control"
  require "cupola.jit.expressions"
  require "cupola.jit.elements"
  local names = require "cupola.jit.names"
  local infer = require "cupola.jit.infer"
  local preludes = require "cupola.kernels.preludes"
  local signature = require "cupola.kernels.signature"
  local dtypes = require "cupola.kernels.types"
  local types = require "cupola.jit.types"
  local _, options_of = require "cupola.userkernels.arguments"(core)

  assert(cp.RawKernel) -- its part gives C the functions that it calls for every raw module
  cp.jit = { cg = {} }
  local publish = core.publisher(cp.jit, "jit.")
  local jit = {}

  local function fail(where, kind, format, ...) core.raise(where, kind, string.format(format, ...)) end

  -- ---- names that mean something in kernels only ----

  local function placeholder(path)
    return function() core.raise(path, "usage", "this works in kernels only (cp.jit.rawkernel)") end
  end

  for _, name in ipairs { "grid", "gridsize", "laneid", "syncthreads", "syncwarp", "threadfence", "threadfence_block",
    "syncthreads_count", "syncthreads_and", "syncthreads_or", "all_sync", "any_sync", "ballot_sync", "activemask",
    "match_any_sync", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "shared_memory", "local_array",
    "atomic_add", "atomic_sub", "atomic_exch", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor",
    "atomic_inc", "atomic_dec", "atomic_cas", "random", "random_normal", "clock", "clock64", "nanosleep", "range",
    "printf", "popc", "clz" } do
    cp.jit[name] = placeholder("jit." .. name)
  end
  for _, name in ipairs { "this_thread_block", "sync" } do cp.jit.cg[name] = placeholder("jit.cg." .. name) end
  for _, name in ipairs { "threadIdx", "blockIdx", "blockDim", "gridDim" } do cp.jit[name] = { x = 0, y = 0,
    z = 0 } end
  cp.jit.warpsize = 32

  -- Operators of Lua 5.4 that LuaJIT has no signs for, and conversions: also functions outside of kernels.
  for name, operation in pairs { band = "bitwise_and", bor = "bitwise_or", bxor = "bitwise_xor", shl = "left_shift",
    sar = "right_shift", idiv = "floor_divide" } do
    cp.jit[name] = core.define("jit." .. name, "a, b", 2, function(_, a, b) return cp[operation](a, b) end)
  end
  cp.jit.bnot = core.define("jit.bnot", "a", 1, function(_, a) return cp.invert(a) end)
  cp.jit.shr = placeholder "jit.shr"
  for _, name in ipairs(core.dtypes()) do
    cp.jit[name] = core.define("jit." .. name, "v", 1, function(_, v)
      return cp.is_array(v) and v:astype(name) or cp.scalar(v, name)
    end)
  end

  local env

  local function environment()
    env = env or require "cupola.jit.environment"(cp, core)
    return env
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

  --- Options that all kernels share, checked.
  function jit.options(where, options)
    local name = options.name
    if name ~= nil and (type(name) ~= "string" or not string.find(name, "^[%a_][%w_]*$") or #name > 60) then
      fail(where, "usage", "name must be an identifier, not %s", tostring(name))
    end
    options.fmad = core.boolean(options.fmad, where, "fmad", false)
    options.compiler = options_of(where, options.options)
    return options
  end

  local function parse_type(where, text)
    local name, axes = string.match(text, "^%s*([%w_]+)%s*(%[?[%s,]*%]?)%s*$")
    local dtype = name and core.find_dtype(name)
    if not dtype then
      fail(where, "dtype", "signature: '%s' is no type; write a dtype, or float32[], float32[,] for an array", text)
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
      fail(where, "usage", "signature must name the type of each of the %d parameters", #root.f.params)
    end
    local out = {}
    for k, text in ipairs(v) do out[k] = parse_type(where, tostring(text)) end
    return out
  end

  -- ---- arguments ----

  local function check_signature(where, k, p, value, wanted)
    local array = cp.is_array(value)
    if array and (not wanted.ndim or value.dtype ~= wanted.dtype or value.ndim ~= wanted.ndim) then
      fail(where, "dtype", "argument %d (%s) is %s with %d axes, but the signature says %s%s", k, p.name, value.dtype,
        value.ndim, wanted.dtype, wanted.ndim and " with " .. wanted.ndim .. " axes" or "")
    elseif not array and wanted.ndim then
      fail(where, "usage", "argument %d (%s) must be an array", k, p.name)
    end
  end

  --- The node of argument k of a call, for infer.program.
  function jit.argument(where, k, p, value, fixed)
    if fixed then check_signature(where, k, p, value, fixed) end
    if cp.is_array(value) then
      local contiguous = string.find(core.jit_key({ value }, 1), ";", 1, true) ~= nil
      return { static = "array", line = p.line, column = p.column, array = { id = "parameter " .. k, parameter = k,
        name = p.name, dtype = value.dtype, ndim = value.ndim, contiguous = contiguous or value.ndim == 0,
        space = "global" } }
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

  local LIMIT = 2 ^ 53

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

  -- ---- rawkernel: the text ----

  local function c_parameter(t, name)
    local d = dtypes[types.alone(t)]
    if d.half then return string.format("%s %s_bits", d.memory, name) end
    return string.format("%s %s", cuda.register(t), name)
  end

  -- The parameters of the C function, what core.raw_kernel needs to know of them, and the statements that
  -- convert them.
  local function parameters(printer, program, args)
    local list, described, convert = {}, {}, {}
    local next_param = 1
    local function add(t, name)
      list[#list + 1] = c_parameter(t, name)
      described[#described + 1] = { kind = "number", dtype = types.alone(t), c = types.alone(t), name = name }
      local d = dtypes[types.alone(t)]
      if d.half then
        printer.needs.halves = true
        convert[#convert + 1] = string.format("const float %s = %s;", name, dtypes.load(d, name .. "_bits"))
      elseif d.kind == "complex" then
        printer.needs:space(d.name)
      end
    end
    for k, a in ipairs(args) do
      if a.static then
        local array, d = a.array, dtypes[a.array.dtype]
        local written = program.written[k]
        if d.kind == "complex" then printer.needs:space(d.name) end
        list[#list + 1] = string.format("%s%s *%s", written and "" or "const ", d.memory, array.cname)
        described[#described + 1] = { kind = "pointer", accepts = { array.dtype }, constant = not written,
          c = string.format("%s%s*", written and "" or "const ", array.dtype), name = array.name }
      else
        local p = program.instance.params[next_param]
        next_param = next_param + 1
        local same = cuda.register(p.var.t) == cuda.register(a.t)
        add(a.t, same and p.var.cname or p.var.cname .. "_given")
        if not same then
          convert[#convert + 1] = string.format("%s %s = %s;", cuda.register(p.var.t), p.var.cname,
            printer:bare { op = "cast", t = p.var.t, a = { op = "text", text = p.var.cname .. "_given", t = a.t } })
        end
        described[#described].name = a.name
      end
    end
    for _, extent in ipairs(program.extents) do add("int", extent.name) end
    for _, noted in ipairs(program.reads) do
      if noted.role == "hidden" then add(noted.t, noted.cname) end
    end
    return list, described, convert
  end

  -- Prints the program; returns the text, the parameters, and the name of the kernel.
  local function print_kernel(program, root, args, needs)
    local printer = cuda.new(needs, env.ops)
    local list, described, convert = parameters(printer, program, args)
    local name = env.mangle(root.name)
    printer:write(string.format('extern "C" __global__ void %s(%s) {', name, table.concat(list, ", ")))
    for _, line in ipairs(convert) do printer:write("  " .. line) end
    printer:before(program)
    printer:inside(program.instance)
    printer:write "}"
    return table.concat(printer.structs) .. table.concat(printer.out, "\n") .. "\n", described, name
  end

  local function declaration(text, name, file, options, fill)
    return { name = name, file = file, kind = "source", text = text, options = options, headers = {}, found = {},
      missing = {}, by_path = {}, wanted = { name }, folders = {}, info = signature.read(text), fill = fill }
  end

  local Kernel = { __name = "cupola.jit_kernel" }
  local states = setmetatable({}, { __mode = "k" })

  local function compile(state, args)
    local program = guarded(state.name, infer.program, state.root, args, env)
    program.args = args
    local function fill(needs) print_kernel(program, state.root, args, needs) end
    local text, described, name = print_kernel(program, state.root, args, preludes.new(core.embedded, {}))
    local options = { unpack(state.compiler) }
    if not state.fmad then table.insert(options, 1, "-fmad=false") end
    program.source = text
    program.declaration = declaration(text, name, state.name, options, fill)
    program.kernel = core.raw_kernel(program.declaration, state.name, name, described, { strided = true })
    state.last = program
    return program
  end

  -- Adds what the kernel takes besides the arguments of the call.
  local function add_hidden(state, program, args, values, count)
    for _, extent in ipairs(program.extents) do
      local x = args[extent.array.parameter]
      count = count + 1
      if extent.what == "shape" then
        values[count] = extent.axis == 1 and #x or x.shape[extent.axis]
      elseif extent.what == "size" then
        values[count] = x.size
      else
        local stride = x.strides[extent.axis] / x.itemsize
        if stride % 1 ~= 0 then
          fail(state.name, "usage", "the strides of '%s' are no multiples of its element's size; pass its :copy()",
            extent.array.name)
        end
        values[count] = math.floor(stride)
      end
    end
    for _, noted in ipairs(program.reads) do
      if noted.role == "hidden" then
        count = count + 1
        values[count] = noted.now
      end
    end
    return count
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
  local function program_for(state, args)
    local params = state.root.f.params
    local group = state.signature and signature_key(state, args) or core.jit_key(args, #params)
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
    local program = compile(state, nodes)
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

  local function launch(state, grid, block, args, options)
    if args == nil then args = {} end
    if type(args) ~= "table" or cp.is_array(args) then
      fail(state.name, "usage", "args must be a table of arguments, not %s", cp.is_array(args) and "an array"
        or type(args))
    end
    local count = check_count(state, args)
    local program = program_for(state, args)
    if #program.extents > 0 or #program.reads > 0 then
      local values = { unpack(args, 1, count) }
      add_hidden(state, program, args, values, count)
      args = values
    end
    program.kernel(grid, block, args, options)
  end

  function Kernel.__call(self, grid, block, args, options, ...)
    local state = states[self]
    if select("#", ...) > 0 then fail(state.name, "usage", "takes grid, block, args and options") end
    launch(state, grid, block, args, options)
  end

  local fields = {
    name = function(state) return state.name end,
    source = function(state)
      if not state.last then fail(state.name, "usage",
        "there is no source before the first call: types come from arguments") end
      return state.last.source
    end,
    kernel = function(state)
      if not state.last then fail(state.name, "usage", "there is no compiled kernel before the first call") end
      return state.last.kernel
    end,
    variants = function(state)
      local n = 0
      for _, list in pairs(state.groups) do n = n + #list end
      return n
    end,
  }

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
  ---@return cupola.JitKernel  called as k(grid, block, {x, y}, {shared_mem =, stream =})
  publish("rawkernel", "f, name, fmad, constants, signature, options", 1,
    function(where, f, name, fmad, constants, types_given, options)
      core.check_capability("jit.rawkernel", "user kernels")
      options = jit.options("jit.rawkernel", { name = name, fmad = fmad, constants = constants, options = options })
      local root = jit.root("jit.rawkernel", f, options)
      root.void = true
      local kernel = setmetatable({}, Kernel)
      states[kernel] = { root = root, name = root.name, fmad = options.fmad, compiler = options.compiler, groups = {},
        signature = jit.signature(where, types_given, root) }
      return kernel
    end)

  -- For tools and specs: the declaration of the variant that was called last.
  core.jit_declaration = function(kernel) return states[kernel].last.declaration end

  jit.environment = environment
  core.load "jit/functions"(cp, core, jit)
end
