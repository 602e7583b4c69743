-- Elementwise functions and reductions as Lua text (run.lua): each element of the inputs, broadcast to one
-- shape, is an argument of the function.

return function(cp, core, run)
  local add_hidden = require("cupola.jit.names").add_hidden
  local types = require "cupola.jit.types"
  local elements, assign, load, hidden = run.elements, run.assign, run.load, run.hidden

  local fail = core.fail

  -- ---- texts ----

  local function argument_names(prefix, count)
    local list = {}
    for k = 1, count do list[k] = prefix .. k end
    return list
  end

  -- Writes a program as a local function, and returns the text of a call with texts of the given types.
  local function write_part(printer, program, name, texts, given)
    printer:before(program)
    local instance = program.instance
    instance.name = name
    printer:functions { instance }
    local list = {}
    for k, p in ipairs(instance.params) do
      list[k] = printer:bare { op = "cast", t = p.var.t, a = { op = "text", text = texts[k], t = given[k],
        bits = types.is_weak(given[k]) and 64 or nil } }
    end
    return string.format("%s(%s)", name, table.concat(list, ", "))
  end

  local function casts(printer, texts, from, to)
    local list = {}
    for k, text in ipairs(texts) do
      list[k] = printer:bare { op = "cast", t = to[k], a = { op = "text", text = text, t = from[k] } }
    end
    return table.concat(list, ", ")
  end

  local function types_of(nodes)
    local list = {}
    for k, a in ipairs(nodes) do list[k] = a.t end
    return list
  end

  --- Makes the function of one element of each input that gives the outputs: {source, f}.
  function run.elementwise(program, root, nodes, outputs)
    local printer = run.printer()
    printer.file = root.unit.file
    local inputs, names = argument_names("in_", #nodes), {}
    hidden(names, program)
    printer:write(string.format("return function(%s)", table.concat(names, ", ")), root.f)
    local call = write_part(printer, program, "cp_function", inputs, types_of(nodes))
    local results = argument_names("cp_result_", #outputs)
    printer:write(string.format("return function(%s) local %s = %s return %s end", table.concat(inputs, ", "),
      table.concat(results, ", "), call, casts(printer, results, program.instance.results, outputs)))
    printer:finish_block()
    local f, source = load(printer, root.unit.file)
    return { source = source, f = f }
  end

  --- Makes the functions of a reduction: map of an element of each input, reduce of two totals, and post.
  function run.reduction(parts, roots, nodes, acc, outputs)
    local made = { source = {} }
    local both = {}
    for k, t in ipairs(acc) do both[k], both[k + #acc] = t, t end
    local function part(name, program, root, given, to)
      local printer = run.printer()
      printer.file = root.unit.file
      local inputs, names = argument_names("in_", #given), {}
      hidden(names, program)
      printer:write(string.format("return function(%s)", table.concat(names, ", ")), root.f)
      local call = write_part(printer, program, "cp_function", inputs, given)
      local results = argument_names("cp_result_", #to)
      printer:write(string.format("return function(%s) local %s = %s return %s end", table.concat(inputs, ", "),
        table.concat(results, ", "), call, casts(printer, results, program.instance.results, to)))
      printer:finish_block()
      made[name], made.source[#made.source + 1] = load(printer, root.unit.file)
    end
    part("map", parts.map, roots.map, types_of(nodes), acc)
    part("reduce", parts.reduce, roots.reduce, both, acc)
    if parts.post then part("post", parts.post, roots.post, acc, outputs) end
    made.source = table.concat(made.source, "\n")
    if not parts.post then
      local printer = run.printer()
      local inputs = argument_names("in_", #acc)
      printer:write(string.format("return function() return function(%s) return %s end end",
        table.concat(inputs, ", "), casts(printer, inputs, acc, outputs)))
      made.post = load(printer, roots.map.unit.file)
    end
    return made
  end

  -- ---- running them ----

  local function hidden_values(program)
    local list = {}
    return unpack(list, 1, add_hidden(program, list, 0, run.number))
  end

  -- The inputs broadcast to one shape, as lists; numbers become lists of equal values. device: of the arrays.
  local function inputs_of(args, nodes, order)
    local arrays, device = {}, nil
    for k, node in ipairs(nodes) do
      arrays[k] = cp.is_array(args[k]) and args[k] or cp.asarray(args[k], types.alone(node.t))
      if cp.is_array(args[k]) then device = device or args[k].device end
    end
    if #arrays == 0 then return {}, {}, device end
    local wide = { cp.broadcast_arrays(unpack(arrays)) }
    if type(wide[1]) == "table" then wide = wide[1] end
    local lists = {}
    for k, x in ipairs(wide) do lists[k] = elements(order and order(x) or x) end
    return lists, { unpack(wide[1].shape) }, device
  end

  local function size_of(shape)
    local n = 1
    for _, length in ipairs(shape) do n = n * length end
    return n
  end

  -- The outputs of a call: those that are given, else new arrays, from lists of their elements.
  local function outputs_of(where, lists, shape, dtypes, outs, device)
    local out = {}
    for k, dtype in ipairs(dtypes) do
      local y = outs and outs[k] or cp.empty(shape, { dtype = dtype, device = device })
      local given = { unpack(y.shape) }
      if table.concat(given, ",") ~= table.concat(shape, ",") then
        fail(where, "shape", "output %d has shape (%s), not (%s)", k, table.concat(given, ", "), table.concat(shape,
          ", "))
      end
      assign(y, lists[k])
      out[k] = y
    end
    return unpack(out)
  end

  -- Calls f, and raises its errors as those of the function.
  local function guarded(where, f, ...)
    local ok, problem = pcall(f, ...)
    if not ok then fail(where, "index", "%s", tostring(problem)) end
  end

  --- Applies an elementwise function made by run.elementwise to arrays and numbers.
  function run.apply(where, made, program, nodes, args, outs, dtypes)
    local lists, shape, device = inputs_of(args, nodes)
    local f, results, row = made.f(hidden_values(program)), {}, {}
    for k in ipairs(dtypes) do results[k] = {} end
    local function store(i, ...)
      for k = 1, #results do results[k][i] = (select(k, ...)) end
    end
    guarded(where, function()
      for i = 1, size_of(shape) do
        if i % 4096 == 0 then core.check_interrupt(where) end
        for k, list in ipairs(lists) do row[k] = list[i] end
        store(i, f(unpack(row, 1, #lists)))
      end
    end)
    return outputs_of(where, results, shape, dtypes, outs, device)
  end

  -- The axes to keep before those to reduce.
  local function reordered(shape, reduced)
    local kept, last, outer, inner = {}, {}, {}, {}
    for k, length in ipairs(shape) do
      if reduced[k] then
        last[#last + 1], inner[#inner + 1] = k, length
      else
        kept[#kept + 1], outer[#outer + 1] = k, length
      end
    end
    for _, k in ipairs(last) do kept[#kept + 1] = k end
    return kept, outer, inner
  end

  --- Reduces arrays by functions made by run.reduction.
  function run.reduce(where, made, parts, nodes, args, call)
    local arrays = {}
    for k, node in ipairs(nodes) do
      arrays[k] = cp.is_array(args[k]) and args[k] or cp.asarray(args[k], types.alone(node.t))
    end
    local wide = { cp.broadcast_arrays(unpack(arrays)) }
    if type(wide[1]) == "table" then wide = wide[1] end
    local shape = { unpack(wide[1].shape) }
    local _, reduced = core.axis_list(call.axis, where, "axis", #shape)
    local order, outer, inner = reordered(shape, reduced)
    local lists = {}
    for k, x in ipairs(wide) do lists[k] = elements(#order > 1 and x:transpose(order) or x) end
    local results, count, n = {}, size_of(outer), size_of(inner)
    for k in ipairs(call.outputs) do results[k] = {} end
    local map = made.map(hidden_values(parts.map))
    local reduce = made.reduce(hidden_values(parts.reduce))
    local post = made.post(hidden_values(parts.post or { reads = {} }))
    local width, row = #call.identity, {}
    local function joined(total, ...)
      local pair = { unpack(total, 1, width) }
      for k = 1, width do pair[width + k] = (select(k, ...)) end
      return { reduce(unpack(pair, 1, 2 * width)) }
    end
    local function store(o, ...)
      for k = 1, #results do results[k][o] = (select(k, ...)) end
    end
    guarded(where, function()
      for o = 1, count do
        local total = call.identity
        for i = 1, n do
          if i % 4096 == 0 then core.check_interrupt(where) end
          for k, list in ipairs(lists) do row[k] = list[(o - 1) * n + i] end
          total = joined(total, map(unpack(row, 1, #lists)))
        end
        store(o, post(unpack(total, 1, width)))
      end
    end)
    local final = outer
    if call.keepdims then
      final = {}
      for k, length in ipairs(shape) do final[k] = reduced[k] and 1 or length end
    end
    return outputs_of(where, results, final, call.outputs, call.outs, arrays[1].device)
  end
end
