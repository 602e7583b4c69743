-- How elementwise functions (functions.lua) join the chains around them: each result of a program becomes a
-- function of expressions (kernels/called.lua, src/lua/kernels/function.c), whose calls give pending arrays.

return function(_, core, jit, shared)
  local called = require "cupola.kernels.called"
  local cuda = require "cupola.jit.cuda"
  local dtypes = require "cupola.kernels.types"
  local preludes = require "cupola.kernels.preludes"
  local types = require "cupola.jit.types"

  local chains = {}

  -- ORDER CP_MAX_ARGS in src/plan/ops.h
  local MOST_ARGUMENTS = 6

  -- The dtypes of what an element is computed from: the arguments, then the values from outside.
  local function input_types(program, nodes)
    local list = {}
    for k, a in ipairs(nodes) do list[k] = { name = "in_" .. k, t = a.t } end
    for _, noted in ipairs(program.reads) do
      if noted.role == "hidden" then list[#list + 1] = { name = noted.cname, t = noted.t } end
    end
    return list
  end

  local function has_loop(text)
    return string.find(text, "for (", 1, true) or string.find(text, "while (", 1, true)
      or string.find(text, "goto ", 1, true)
  end

  -- Makes the function by which chains compute result number `which` (kernels/called.lua); compilers leave
  -- out what only the others need. One with loops counts as costly, and as too much text to be repeated.
  local function make(state, program, nodes, which, output)
    local needs = preludes.new(core.embedded, {})
    local printer = cuda.new(needs, jit.environment().ops)
    local texts, given, params, dtypes_given = {}, {}, {}, {}
    for k, input in ipairs(input_types(program, nodes)) do
      local d = dtypes[types.alone(input.t)]
      if d.kind == "complex" then needs:space(d.name) end
      texts[k], given[k], dtypes_given[k] = input.name, input.t, d.name
      params[k] = string.format("%s %s", d.register, input.name)
    end
    local d = dtypes[output]
    if d.kind == "complex" then needs:space(d.name) end
    printer:write(string.format("CP_FN %s call(%s) {", d.register, table.concat(params, ", ")))
    local call = shared.print_part(printer, program, texts, given)
    printer.next_line = nil
    local results = program.instance.results
    printer:write(string.format("  const auto cp_values = %s;", call))
    local value, t = shared.value_of("cp_values", results, which)
    printer:write(string.format("  return %s;", shared.converted(printer, value, t, output)))
    printer.depth = 0
    printer:write "}"
    local text = table.concat(printer.structs) .. table.concat(printer.out, "\n")
    local loops = has_loop(text)
    local packed = called.pack(text, needs, loops and 1000 or math.ceil(#text / 16), output, dtypes_given)
    local _, steps = string.gsub(text, ";", "")
    steps = steps - 3 -- of the function around
    return { packed = packed, f = core.function_new(state.name, packed, loops and 1000 or steps, output,
      unpack(dtypes_given)) }
  end

  --- The functions by which chains compute the results of a program, in order.
  function chains.make(state, program, nodes, outputs)
    local list = {}
    for k, output in ipairs(outputs) do list[k] = make(state, program, nodes, k, output) end
    return list
  end

  --- Whether chains can compute a program, whose text is given. Flags of the compiler belong to kernels of
  --- their own, what is printed is printed at the call, and a loop with several results runs once for all.
  function chains.joins(state, program, nodes, text)
    local count = #input_types(program, nodes)
    if count == 0 or count > MOST_ARGUMENTS then return false end
    if #program.instance.results > 1 and has_loop(text) then return false end
    if state.root.checked and #program.memory > 0 or string.find(text, "printf(", 1, true) then return false end
    return not state.lua and not state.fmad and #state.compiler == 0
  end

  -- A pending array of a result; nil where the device cannot compute it yet. Then the loop of the CPU device
  -- is compiled, once.
  local function pending(made, values, total)
    local y = core.function_call(made.f, unpack(values, 1, total))
    if y or made.compiled then return y end
    made.compiled = true
    local text = require("cupola.kernels.user").loop(made.packed, core.embedded)
    if not jit.compiled(core.function_loop, made.f, text) then return nil end
    return core.function_call(made.f, unpack(values, 1, total))
  end

  --- Pending arrays of the results, in a list; nil where there is no compiler.
  function chains.call(list, values, total)
    local out = {}
    for k, made in ipairs(list) do
      out[k] = pending(made, values, total)
      if not out[k] then return nil end
    end
    return out
  end

  return chains
end
