-- cp.jit.elementwise and cp.jit.reduction: functions of arrays from Lua functions of numbers. Their text goes
-- through the machinery of cp.ElementwiseKernel and cp.ReductionKernel (lua/cupola/kernels/user.lua), which
-- broadcasts, makes the outputs and chooses how to reduce.

return function(cp, core, jit)
  local cuda = require "cupola.jit.cuda"
  local dtypes = require "cupola.kernels.types"
  local infer = require "cupola.jit.infer"
  local names = require "cupola.jit.names"
  local preludes = require "cupola.kernels.preludes"
  local types = require "cupola.jit.types"

  local publish = core.publisher(cp.jit, "jit.")

  local fail = core.fail

  local states = setmetatable({}, { __mode = "k" })

  -- ---- the text of a part ----

  -- A value of the user kernel's class as a value in a register.
  local function from_class(t, name)
    local d = dtypes[types.alone(t)]
    if d.half then return string.format("(float)%s", name) end
    if d.kind == "complex" then return string.format("%s{%s.re, %s.im}", d.name, name, name) end
    return name
  end

  local function to_class(t, text)
    if types.kind(t) == "complex" then
      return string.format("complex<%s>(%s.re, %s.im)", dtypes[dtypes[types.alone(t)].real].register, text, text)
    end
    return text
  end

  local function converted(printer, text, from, to)
    return printer:bare { op = "cast", t = to, a = { op = "text", text = text, t = from } }
  end

  -- Prints a program as a lambda, and its call with the given C texts as arguments.
  local function print_part(printer, program, texts, given)
    printer:before(program)
    local instance = program.instance
    instance.name = "cp_function"
    printer.depth = 1
    printer:functions { instance }
    printer.next_line = nil
    local list = {}
    for k, p in ipairs(instance.params) do list[k] = converted(printer, texts[k], given[k], p.var.t) end
    return string.format("cp_function(%s)", table.concat(list, ", "))
  end

  local function value_of(call, results, k)
    return #results == 1 and call or string.format("cp_values.v%d", k), results[k]
  end

  -- Statements that keep several values of a call.
  local function keep(printer, call, results)
    if #results > 1 then printer:write(string.format("const auto cp_values = %s;", call)) end
  end

  local function infer_part(state, root, args)
    local program = jit.guarded(state.name, infer.program, root, args, jit.environment())
    for _, array in ipairs(program.memory) do
      if array.space ~= "local" then fail(state.name, "usage", "shared memory is for cp.jit.rawkernel only") end
    end
    if #program.instance.results == 0 then fail(state.name, "usage", "the function '%s' returns nothing",
      root.name) end
    return program
  end

  -- ---- declarations ----

  local function parameter(name, dtype, output)
    return { name = name, dtype = dtype, output = output or nil, raw = false, mutable = false }
  end

  local function hidden_parameters(list, program)
    for _, noted in ipairs(program.reads) do
      if noted.role == "hidden" then list[#list + 1] = parameter(noted.cname, types.alone(noted.t)) end
    end
  end

  local function finish(d, texts)
    local parts = { d.name }
    for _, p in ipairs(d.params) do parts[#parts + 1] = p.dtype .. " " .. p.name .. (p.output and " out" or "") end
    for _, option in ipairs(d.options) do parts[#parts + 1] = option end
    for _, text in ipairs(texts) do parts[#parts + 1] = text end
    d.all_text = table.concat(texts, "\n")
    for k, part in ipairs(parts) do parts[k] = #part .. ":" .. part end
    d.identity_key = table.concat(parts)
    d.plain = #d.all_text > 1200 or string.find(d.all_text, "for (", 1, true) ~= nil
      or string.find(d.all_text, "while (", 1, true) ~= nil
    return core.user_kernel(d)
  end

  local function compiler_options(state)
    local options = { unpack(state.compiler) }
    if state.fmad then table.insert(options, 1, "-fmad=true") end
    return options
  end

  local function result_dtype(t) return t == "float" and core.default_dtype() or types.alone(t) end

  -- The dtypes of the outputs: those of the arrays that are given, else of the results.
  local function output_dtypes(state, results, given)
    local out, named = {}, state.otypes or {}
    if #named > 0 and #named ~= #results then
      fail(state.name, "usage", "otypes names %d dtypes, and f returns %d values", #named, #results)
    end
    for k, t in ipairs(results) do
      local y = given and given[k]
      out[k] = y and y.dtype or named[k] or result_dtype(t)
      if y and not types.stores(t, y.dtype) then
        fail(state.name, "dtype",
          "result %d is %s, which cannot be stored in an array of %s; convert it in the function",
          k, types.name(t), y.dtype)
      end
    end
    return out
  end

  -- ---- elementwise ----

  local function print_elementwise(program, nodes, outputs, needs)
    local printer = cuda.new(needs, jit.environment().ops)
    local texts, given = {}, {}
    for k, a in ipairs(nodes) do texts[k], given[k] = from_class(a.t, "in_" .. k), a.t end
    local results = program.instance.results
    local call = print_part(printer, program, texts, given)
    keep(printer, call, results)
    for k, dtype in ipairs(outputs) do
      local text, t = value_of(call, results, k)
      if types.kind(t) == "complex" and #results == 1 then
        printer:write(string.format("const auto cp_value = %s;", text))
        text = "cp_value"
      end
      text = converted(printer, text, t, dtype)
      if types.kind(dtype) == "complex" then
        printer:write(string.format("const %s cp_complex_%d = %s;", dtype, k, text))
        text = to_class(dtype, "cp_complex_" .. k)
      end
      printer:write(string.format("out_%d = %s;", k, text))
    end
    return table.concat(printer.structs) .. table.concat(printer.out, "\n") .. "\n"
  end

  local chains = core.load "jit/chains"(cp, core, jit, { print_part = print_part, converted = converted,
    value_of = value_of })

  local function compile_elementwise(state, nodes, given)
    local program = infer_part(state, state.root, nodes)
    local outputs = output_dtypes(state, program.instance.results, given)
    local d = { reduction = false, params = {}, name = state.name, preamble = core.embedded "kernels/user/jit.h",
      loop_prep = "", after_loop = "", no_return = false, return_tuple = false, options = compiler_options(state),
      uses = {} }
    for k, a in ipairs(nodes) do d.params[k] = parameter("in_" .. k, types.alone(a.t)) end
    hidden_parameters(d.params, program)
    for k, dtype in ipairs(outputs) do d.params[#d.params + 1] = parameter("out_" .. k, dtype, true) end
    d.operation = print_elementwise(program, nodes, outputs, preludes.new(core.embedded, {}))
    d.fill = function(needs) print_elementwise(program, nodes, outputs, needs) end
    return { programs = { program }, reads = program.reads, source = d.operation, outputs = outputs,
      called = not given and chains.joins(state, program, nodes, d.operation)
        and chains.make(state, program, nodes, outputs),
      first = nodes[1] and types.alone(nodes[1].t), nodes = nodes,
      guarded = state.root.checked and #program.memory > 0, kernel = not state.lua and finish(d, { d.operation }) }
  end

  -- The Lua text of an elementwise function's program, and what runs it.
  local function lua_of(state, program)
    program.lua = program.lua or jit.run().elementwise(program.programs[1], state.root, program.nodes,
      program.outputs)
    return program.lua
  end

  -- Calls the program's kernel with `values`; where there is no compiler, or on demand, run_lua().
  local function call_program(state, program, values, total, run_lua)
    if program.launched then return program.kernel(unpack(values, 1, total)) end
    local function finish_call(compiled, ...)
      program.launched = compiled
      if compiled then return ... end
      state.lua = true
      return run_lua()
    end
    if state.lua or program.guarded then return run_lua() end
    return finish_call(jit.compiled(program.kernel, unpack(values, 1, total)))
  end

  -- ---- calls ----

  -- Splits the arguments of a call: the inputs, arrays for the outputs, options.
  local function split(state, count, ...)
    local all, n = { ... }, select("#", ...)
    local options, outs = {}, nil
    local last = all[n]
    local is_list = type(last) == "table" and (cp.is_array(last) or last[1] ~= nil) -- of axes
    if n > count and type(last) == "table" and not is_list then
      options, n = last, n - 1
    end
    if n < count then
      fail(state.name, "usage", "takes %d argument%s, %d %s given", count, count == 1 and "" or "s", n,
        n == 1 and "was" or "were")
    end
    local args = { unpack(all, 1, count) }
    for k = 1, count do
      if type(args[k]) == "table" and not cp.is_array(args[k]) then args[k] = cp.asarray(args[k]) end
    end
    return args, n, all, options, outs
  end

  local function array_list(state, v)
    if v == nil then return nil end
    local list = cp.is_array(v) and { v } or v
    if type(list) ~= "table" then fail(state.name, "usage", "out must be an array or a table of arrays") end
    for k, y in ipairs(list) do
      if not cp.is_array(y) then fail(state.name, "usage", "output %d must be an array, not %s", k, type(y)) end
    end
    return list
  end

  local function check_outputs(state, outs, program)
    local given, wanted = outs and #outs, #program.outputs
    if not given or given == wanted then return end
    fail(state.name, "usage", "%d output%s for %d result%s", given, given == 1 and "" or "s", wanted,
      wanted == 1 and "" or "s")
  end

  local ELEMENTWISE_OPTIONS = { out = true, stream = true, block_size = true }

  local function check_options(state, options, known)
    for name in pairs(options) do
      if not known[name] then
        local near = type(name) == "string" and core.suggest(name, known)
        fail(state.name, "usage", "no option '%s'%s", tostring(name), near and "; did you mean '" .. near .. "'?"
          or "")
      end
    end
  end

  local function group_key(args, count, outs)
    local key = core.jit_key(args, count) .. core.default_dtype()
    for _, y in ipairs(outs or {}) do key = key .. "," .. y.dtype end
    return key
  end

  -- The program of a call, compiled if there is none yet.
  local function program_for(state, args, count, outs, make)
    local key = group_key(args, count, outs)
    local list = state.groups[key] or {}
    state.groups[key] = list
    for _, program in ipairs(list) do
      if state.root.frozen or jit.matches(program) then return program end
    end
    local nodes = {}
    for k, p in ipairs(state.root.f.params) do
      local node = jit.argument(state.name, k, p, args[k])
      if node.static then node = { op = "argument", t = args[k].dtype, line = p.line, column = p.column } end
      nodes[k] = node
    end
    local program = make(state, nodes, outs)
    jit.matches(program)
    list[#list + 1] = program
    state.last = program
    return program
  end

  local function items(...)
    local list = { ... }
    for k, y in ipairs(list) do list[k] = y:item() end
    return unpack(list)
  end

  local function call_elementwise(state, ...)
    local count = #state.root.f.params
    local args, n, all, options = split(state, count, ...)
    check_options(state, options, ELEMENTWISE_OPTIONS)
    local outs = array_list(state, options.out)
    if n > count then outs = array_list(state, { unpack(all, count + 1, n) }) end
    local numbers = not outs
    for k = 1, count do numbers = numbers and not cp.is_array(args[k]) end
    local program = program_for(state, args, count, outs, compile_elementwise)
    check_outputs(state, outs, program)
    local values = { unpack(args, 1, count) }
    if numbers and count > 0 then
      values[1] = cp.asarray(args[1], program.first)
    end
    local filled = names.add_hidden(program, values, count)
    local total = filled + (outs and #outs or 0)
    for k, y in ipairs(outs or {}) do values[filled + k] = y end
    if options.stream or options.block_size then
      total = total + 1
      values[total] = { stream = options.stream, block_size = options.block_size }
    end
    if program.called and not numbers and total == filled then
      local list = chains.call(program.called, values, total)
      if list then return unpack(list) end
    end
    local function run_lua()
      return jit.run().apply(state.name, lua_of(state, program), program.programs[1], program.nodes, args, outs,
        program.outputs)
    end
    if numbers then return items(call_program(state, program, values, total, run_lua)) end
    return call_program(state, program, values, total, run_lua)
  end

  -- What reductions share with elementwise functions.
  local shared = {
    fail = fail, from_class = from_class, to_class = to_class, converted = converted, print_part = print_part,
    value_of = value_of, keep = keep, infer_part = infer_part, parameter = parameter,
    hidden_parameters = hidden_parameters, finish = finish, compiler_options = compiler_options,
    output_dtypes = output_dtypes, split = split, array_list = array_list, check_options = check_options,
    check_outputs = check_outputs, program_for = program_for, call_program = call_program,
  }
  local call_reduction, weak_of, lua_of_reduction = core.load "jit/reductions"(cp, core, jit, shared)

  -- ---- objects ----

  local Function = { __name = "cupola.jit_function" }

  function Function.__call(self, ...) return states[self].call(states[self], ...) end

  local FIELDS = jit.fields(function(state, last)
    return (state.reduce and lua_of_reduction or lua_of)(state, last)
  end)

  function Function.__index(self, name)
    local state = states[self]
    if FIELDS[name] then return FIELDS[name](state) end
    core.unknown(state.name, "a function of cp.jit", tostring(name), FIELDS)
  end

  function Function.__newindex(self, name)
    fail(states[self].name, "usage", "the fields of a function of cp.jit cannot be set ('%s')", tostring(name))
  end

  function Function.__tostring(self) return states[self].kind .. " " .. states[self].name end

  local function new_state(where, f, options, argument, kind, call)
    jit.options(where, options)
    local root = jit.root(where, f, options, argument)
    root.prefix, root.checked = "up_", options.check
    local object = setmetatable({}, Function)
    states[object] = { root = root, name = root.name, kind = kind, call = call, fmad = options.fmad,
      compiler = options.compiler, groups = {}, lua = options.lua }
    return object, states[object]
  end

  --- An elementwise function of arrays from a Lua function of numbers, with loops and branches; see
  --- docs/kernels.md.
  ---@param f function|string  the function, or its text; may return several values
  ---@param name? string  for messages; default: the name that its text gives it
  ---@param fmad? boolean  whether products and sums may be contracted (false)
  ---@param constants? table  values by names, where upvalues cannot be read
  ---@param options? table  options of the compiler
  ---@param lua? boolean  whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
  ---@param check? boolean  whether positions are checked (CUPOLA_JIT_CHECK=1)
  ---@return cupola.JitFunction  called with arrays, tables and numbers, which broadcast, and {out =, stream
  ---=}
  publish("elementwise", "f, name, fmad, constants, options, lua, check", 1,
    function(_, f, name, fmad, constants, options, lua, check)
      return (new_state("jit.elementwise", f, { name = name, fmad = fmad, constants = constants,
        options = options, lua = lua, check = check }, "f",
        "elementwise function", call_elementwise))
    end)

  --- A reduction from Lua functions; see docs/kernels.md.
  ---@param map function|string  of an element of each argument; may return several values
  ---@param reduce function|string  joins two values (the values of a, then those of b); associative and
  ---commutative
  ---@param identity number|boolean|table  the value that changes nothing; a table for several values
  ---@param post? function|string  of the total; default: the total itself
  ---@param name? string  for messages
  ---@param fmad? boolean  whether products and sums may be contracted (false)
  ---@param constants? table  values by names, where upvalues cannot be read
  ---@param options? table  options of the compiler
  ---@param lua? boolean  whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
  ---@param check? boolean  whether positions are checked (CUPOLA_JIT_CHECK=1)
  ---@return cupola.JitFunction  called as k(x, ..., axis, keepdims) or k(x, {axis =, keepdims =, out =,
  ---stream =})
  publish("reduction", "map, reduce, identity, post, name, fmad, constants, options, lua, check", 3,
    function(_, map, reduce, identity, post, name, fmad, constants, options, lua, check)
      local given = { name = name, fmad = fmad, constants = constants, options = options, lua = lua, check = check }
      local object, state = new_state("jit.reduction", map, given, "map", "reduction", call_reduction)
      if not name then state.name = "reduction" end
      state.reduce = jit.root("jit.reduction", reduce, given, "reduce")
      state.reduce.frozen = true
      if post ~= nil then state.post = jit.root("jit.reduction", post, given, "post") end
      if state.post then state.post.prefix = "up_post_" end
      if type(identity) ~= "table" then identity = { identity } end
      for _, v in ipairs(identity) do weak_of(state, v) end
      state.identity = identity
      return object
    end)

  -- For cp.vectorize: an elementwise function whose upvalues keep the values of the first call, or nil if the
  -- text of f cannot be found.
  core.jit_vectorize = function(f, name, otypes)
    local found, object = pcall(new_state, "vectorize", f, { name = name }, "f", "vectorized function",
      call_elementwise)
    if not found then return nil end
    local state = states[object]
    state.name, state.root.frozen, state.otypes = name, true, otypes
    return object
  end

  -- For tools and specs: the kernel of the variant that was called last.
  core.jit_variant = function(object) return states[object].last.kernel end

  -- The same: the text by which chains compute a result (default: the first).
  core.jit_called = function(object, which) return states[object].last.called[which or 1].packed end
end
