-- cp.jit.reduction: three parts of a kernel, which are expressions of C++, and the types of the total
-- (functions.lua has what it shares with elementwise functions).

return function(cp, core, jit, shared)
  local cuda = require "cupola.jit.cuda"
  local dtypes = require "cupola.kernels.types"
  local names = require "cupola.jit.names"
  local preludes = require "cupola.kernels.preludes"
  local types = require "cupola.jit.types"

  local fail, from_class, to_class, converted, print_part, value_of, keep, infer_part, parameter,
    hidden_parameters, finish, compiler_options, output_dtypes, split, array_list, check_options, program_for,
    call_program
    = shared.fail, shared.from_class, shared.to_class, shared.converted, shared.print_part, shared.value_of,
     shared.keep, shared.infer_part, shared.parameter, shared.hidden_parameters, shared.finish,
     shared.compiler_options, shared.output_dtypes, shared.split, shared.array_list, shared.check_options,
     shared.program_for, shared.call_program

  local REDUCTION_OPTIONS = { out = true, stream = true, axis = true, keepdims = true }

  local function acc_type(printer, acc)
    if #acc > 1 then return "cp_total" end
    local d = dtypes[types.alone(acc[1])]
    if d.kind == "complex" then
      printer.needs:space(d.name)
      return string.format("cp_%s::%s", d.name, d.name)
    end
    return cuda.register(acc[1])
  end

  -- The total's values in C, by the name of the variable.
  local function fields(name, acc)
    local list = {}
    for k in ipairs(acc) do list[k] = #acc == 1 and name or string.format("%s.v%d", name, k) end
    return list
  end

  local function total_of(printer, call, results, acc)
    keep(printer, call, results)
    local list = {}
    for k, t in ipairs(acc) do
      local text, from = value_of(call, results, k)
      list[k] = converted(printer, text, from, t)
    end
    return #acc == 1 and list[1] or string.format("cp_total{%s}", table.concat(list, ", "))
  end

  -- An expression of C++ that computes a part.
  local function expression(printer, program, texts, given, acc)
    printer.out, printer.next_line, printer.line, printer.depth = {}, nil, nil, 0
    printer:write "[&]() {"
    local call = print_part(printer, program, texts, given)
    printer:write(string.format("return %s;", total_of(printer, call, program.instance.results, acc)))
    printer:write "}()"
    return table.concat(printer.out, "\n")
  end

  local function print_reduction(parts, nodes, acc, outputs, needs)
    local printer = cuda.new(needs, jit.environment().ops)
    local texts, given = {}, {}
    for k, a in ipairs(nodes) do texts[k], given[k] = from_class(a.t, "in_" .. k), a.t end
    local out = { map = expression(printer, parts.map, texts, given, acc) }
    local a, b, both = fields("a", acc), fields("b", acc), {}
    for _, list in ipairs { acc, acc } do
      for _, t in ipairs(list) do both[#both + 1] = t end
    end
    local pair = {}
    for _, list in ipairs { a, b } do
      for _, name in ipairs(list) do pair[#pair + 1] = name end
    end
    out.reduce = expression(printer, parts.reduce, pair, both, acc)
    printer.out, printer.next_line, printer.line, printer.depth = {}, nil, nil, 0
    local results = parts.post and parts.post.instance.results or acc
    if parts.post then
      keep(printer, print_part(printer, parts.post, a, acc), results)
    end
    for k, dtype in ipairs(outputs) do
      local text, t = a[k], acc[k]
      if parts.post then
        text, t = value_of("cp_value", results, k)
        if #results == 1 then
          local list = {}
          for j, p in ipairs(parts.post.instance.params) do list[j] = converted(printer, a[j], acc[j], p.var.t) end
          printer:write(string.format("const auto cp_value = cp_function(%s);", table.concat(list, ", ")))
        end
      end
      printer:write(string.format("const auto cp_out_%d = %s;", k, converted(printer, text, t, dtype)))
      printer:write(string.format("out_%d = %s;", k, to_class(dtype, "cp_out_" .. k)))
    end
    out.post = table.concat(printer.out, "\n") .. "\n"
    out.type = acc_type(printer, acc)
    local members = {}
    for k, t in ipairs(acc) do members[k] = string.format("%s v%d;", acc_type(printer, { t }), k) end
    out.preamble = #acc > 1 and string.format("struct cp_total { %s };\n", table.concat(members, " ")) or ""
    out.structs = table.concat(printer.structs)
    return out
  end

  local function weak_of(state, v)
    if type(v) == "boolean" then return "bool" end
    if type(v) ~= "number" then
      fail(state.name, "usage", "identity must be a number for each value of map, not %s", type(v))
    end
    return v % 1 == 0 and math.abs(v) < 2 ^ 63 and "int" or "float"
  end

  local function identity_text(printer, identity, acc)
    local list = {}
    for k, t in ipairs(acc) do
      local v = identity[k]
      if type(v) == "boolean" then
        list[k] = tostring(v)
      else
        local whole = v % 1 == 0 and math.abs(v) < 2 ^ 63
        list[k] = printer:bare { op = "cast", t = t, a = { op = "num", t = whole and "int" or "float",
          float = not whole,
          text = types.text_of(v), bits = 64 } }
        if types.kind(t) == "complex" then
          list[k] = string.format("%s{(%s)%.17g, 0}", acc_type(printer, { t }),
            dtypes[dtypes[types.alone(t)].real].register, v)
        end
      end
    end
    return #acc == 1 and list[1] or string.format("cp_total{%s}", table.concat(list, ", "))
  end

  local function argument_nodes(list)
    local nodes = {}
    for k, t in ipairs(list) do nodes[k] = { op = "argument", t = t, line = 1, column = 1 } end
    return nodes
  end

  -- The types of the total: those of map, joined with the identity and with what reduce returns.
  local function totals(state, map)
    local acc = {}
    for k, t in ipairs(map.instance.results) do
      acc[k] = types.join(t, weak_of(state, state.identity[k]))
      if not acc[k] then fail(state.name, "usage", "the identity and %s have no common type", types.name(t)) end
    end
    if #state.identity ~= #acc then
      fail(state.name, "usage", "identity has %d values, but map returns %d", #state.identity, #acc)
    end
    for _ = 1, 8 do
      local both = {}
      for _ = 1, 2 do
        for _, t in ipairs(acc) do both[#both + 1] = t end
      end
      local reduce = infer_part(state, state.reduce, argument_nodes(both))
      local results, changed = reduce.instance.results, false
      if #results ~= #acc then
        fail(state.name, "usage", "reduce returns %d values, but map returns %d", #results, #acc)
      end
      for k, t in ipairs(results) do
        local joined = types.join(acc[k], t)
        if not joined then
          fail(state.name, "usage", "map gives %s, but reduce %s", types.name(acc[k]), types.name(t))
        end
        changed, acc[k] = changed or joined ~= acc[k], joined
      end
      if not changed then return acc, reduce end
    end
    fail(state.name, "usage", "the types of map and reduce do not settle")
  end

  local function append(list, more)
    for _, v in ipairs(more) do list[#list + 1] = v end
  end

  local function compile_reduction(state, nodes, given)
    local map = infer_part(state, state.root, nodes)
    local acc, reduce = totals(state, map)
    local post = state.post and infer_part(state, state.post, argument_nodes(acc))
    local parts = { map = map, reduce = reduce, post = post }
    local outputs = output_dtypes(state, post and post.instance.results or acc, given)
    local text = print_reduction(parts, nodes, acc, outputs, preludes.new(core.embedded, {}))
    local printer = cuda.new(preludes.new(core.embedded, {}), jit.environment().ops)
    local d = { reduction = true, params = {}, name = state.name, options = compiler_options(state), uses = {},
      preamble = core.embedded "kernels/user/jit.h" .. text.preamble .. text.structs,
      map_expr = text.map, reduce_expr = text.reduce, post_map_expr = text.post, reduce_type = text.type,
      identity = identity_text(printer, state.identity, acc) }
    for k, a in ipairs(nodes) do d.params[k] = parameter("in_" .. k, types.alone(a.t)) end
    hidden_parameters(d.params, map)
    if post then hidden_parameters(d.params, post) end
    for k, dtype in ipairs(outputs) do
      local p = parameter("out_" .. k, dtype, true)
      p.direct = true
      d.params[#d.params + 1] = p
    end
    d.fill = function(needs) print_reduction(parts, nodes, acc, outputs, needs) end
    local reads = {}
    append(reads, map.reads)
    append(reads, post and post.reads or {})
    append(reads, reduce.reads)
    local source = text.map .. "\n" .. text.reduce .. "\n" .. text.post
    return { programs = parts, reads = reads, source = source, outputs = outputs, nodes = nodes, acc = acc,
      guarded = state.root.checked and (#map.memory > 0 or #reduce.memory > 0 or post and #post.memory > 0),
      kernel = not state.lua and finish(d, { text.preamble, text.structs, text.map, text.reduce, text.post, text.type,
        d.identity }) }
  end

  -- The Lua text of a reduction's program, and what runs it.
  local function lua_of(state, program)
    program.lua = program.lua or jit.run().reduction(program.programs,
      { map = state.root, reduce = state.reduce, post = state.post }, program.nodes, program.acc, program.outputs)
    return program.lua
  end

  local function run_lua(state, program, args, call)
    call.identity, call.outputs = {}, program.outputs
    for k, t in ipairs(program.acc) do call.identity[k] = core.jit_value(state.identity[k], types.alone(t)) end
    return jit.run().reduce(state.name, lua_of(state, program), program.programs, program.nodes, args, call)
  end

  local function call_reduction(state, ...)
    local count = #state.root.f.params
    local args, n, all, options = split(state, count, ...)
    check_options(state, options, REDUCTION_OPTIONS)
    local outs, next_one = array_list(state, options.out), count + 1
    while all[next_one] ~= nil and next_one <= n and cp.is_array(all[next_one]) do
      outs = outs or {}
      outs[#outs + 1] = all[next_one]
      next_one = next_one + 1
    end
    local axis, keepdims = options.axis, options.keepdims
    if next_one <= n then axis = all[next_one] end
    if next_one + 1 <= n then keepdims = all[next_one + 1] end
    if next_one + 1 < n then fail(state.name, "usage", "nothing may follow keepdims") end
    local program = program_for(state, args, count, outs, compile_reduction)
    shared.check_outputs(state, outs, program)
    local values = { unpack(args, 1, count) }
    local total = names.add_hidden(program, values, count)
    for k, y in ipairs(outs or {}) do values[total + k] = y end
    total = total + (outs and #outs or 0)
    if axis ~= nil or keepdims ~= nil or options.stream ~= nil then
      total = total + 1
      values[total] = { axis = axis, keepdims = keepdims, stream = options.stream }
    end
    return call_program(state, program, values, total, function()
      return run_lua(state, program, args, { axis = axis, keepdims = keepdims, outs = outs })
    end)
  end

  return call_reduction, weak_of, lua_of
end
