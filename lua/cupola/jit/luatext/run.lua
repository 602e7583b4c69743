-- Runs kernels as Lua text: on demand ({lua = true}, CUPOLA_JIT=lua) and where there is no compiler. Arrays
-- become lists of their elements in C order, and what the kernel writes is assigned afterwards.

return function(cp, core, jit)
  local cuda = require "cupola.jit.cuda"
  local add_hidden = require("cupola.jit.names").add_hidden
  local types = require "cupola.jit.types"
  local threads = core.load "jit/luatext/threads"(cp, core)
  local lua, numbers = core.load "jit/luatext/expressions"(cp, core)
  core.load "jit/luatext/statements"(lua, numbers)

  local run = {}

  --- A number from outside as the text of kernels has it.
  function run.number(value, t) return core.jit_value(value, types.alone(t)) end

  local fail = core.fail

  -- ---- elements ----

  local function same_bits(dtype) return numbers.wide and dtype == "uint64" and "int64" or dtype end

  -- The elements of an array as a list, in C order.
  local function elements(x)
    if x.dtype == "uint64" and numbers.wide then x = x:copy():view "int64" end
    if x.ndim == 0 then return { x:item() } end
    return x:reshape(-1):totable()
  end

  -- Assigns the elements of a list.
  local function assign(x, list)
    if x.size == 0 then return end
    local y = cp.array(list, { dtype = same_bits(x.dtype), device = x.device })
    if x.dtype == "uint64" and numbers.wide then y = y:view "uint64" end
    x:assign(y:reshape { unpack(x.shape) })
  end

  -- The offsets of an array's elements, in elements, from the beginning of its storage.
  local function offsets(x, first)
    local list, at = {}, {}
    local shape, strides = { unpack(x.shape) }, { unpack(x.strides) }
    for k in ipairs(shape) do at[k] = 0 end
    for n = 1, x.size do
      local offset = first
      for k, i in ipairs(at) do offset = offset + i * strides[k] end
      list[n] = offset / x.itemsize
      local k = #shape
      while k > 0 do
        at[k] = at[k] + 1
        if at[k] < shape[k] then break end
        at[k], k = 0, k - 1
      end
    end
    return list
  end

  -- Lists for views of one storage, of which one is written: what is written by one is read by the others.
  local function share(where, group, lists, names)
    local all = {}
    for _, k in ipairs(group) do
      local x, list = group.arrays[k], lists[k]
      if x.dtype ~= group.arrays[group[1]].dtype then
        fail(where, "usage", "'%s' and '%s' are views of the same memory as %s and %s; kernels that run as Lua text "
          .. "need one dtype", names[group[1]], names[k], group.arrays[group[1]].dtype, x.dtype)
      end
      local _, first = core.jit_place(x, x)
      local where_of = offsets(x, first)
      for i, offset in ipairs(where_of) do all[offset] = list[i] end
      lists[k] = setmetatable({}, {
        __index = function(_, i) return where_of[i] and all[where_of[i]] end,
        __newindex = function(_, i, v) if where_of[i] then all[where_of[i]] = v end end,
      })
    end
  end

  local function listed(list, n)
    local out = {}
    for k = 1, n do out[k] = list[k] end
    return out
  end

  -- The lists of all array arguments of a kernel. written: by number.
  local function open(where, args, nodes, written)
    local lists, groups, names = {}, {}, {}
    for k, node in ipairs(nodes) do
      if node.static then
        lists[k], names[k] = elements(args[k]), node.name or node.array.name
        local group
        for _, other in ipairs(groups) do
          if core.jit_place(other.arrays[other[1]], args[k]) then group = other end
        end
        if not group then
          group = { arrays = {} }
          groups[#groups + 1] = group
        end
        group[#group + 1], group.arrays[k] = k, args[k]
        group.written = group.written or written[k]
      end
    end
    for _, group in ipairs(groups) do
      if #group > 1 and group.written then share(where, group, lists, names) end
    end
    for k, list in pairs(lists) do
      if getmetatable(list) == nil then threads.guard(list, args[k].size, names[k]) end
    end
    return lists
  end

  -- ---- texts ----

  -- Loads a printed text: the function that it returns.
  local function load(printer, file)
    local text, values = printer:finish()
    local chunk, problem = core.jit_load(text, "@" .. file)
    assert(chunk, problem)
    return chunk(unpack(values, 1, #values)), (string.gsub(text, "^\n*", ""))
  end

  local function has_effect(node) return cuda.has_effect(nil, node) end

  local function hidden(names, program)
    for _, noted in ipairs(program.reads) do
      if noted.role == "hidden" then names[#names + 1] = noted.cname end
    end
  end

  -- ---- raw kernels ----

  -- The parameters, and statements that convert arguments of other types.
  local function parameters(printer, program, args)
    local list, convert, next_param = { "cp_thread", "threadIdx", "blockIdx", "blockDim", "gridDim" }, {}, 1
    for _, a in ipairs(args) do
      if a.static then
        list[#list + 1] = a.array.cname
      else
        local p = program.instance.params[next_param]
        next_param = next_param + 1
        list[#list + 1] = p.var.cname
        if types.alone(p.var.t) ~= types.alone(a.t) then
          convert[#convert + 1] = string.format("%s = %s", p.var.cname,
            printer:bare { op = "cast", t = p.var.t, a = { op = "text", text = p.var.cname, t = a.t, bits = a.bits } })
        end
      end
    end
    for _, extent in ipairs(program.extents) do list[#list + 1] = extent.name end
    hidden(list, program)
    return list, convert
  end

  local function zero_of(dtype)
    if types.kind(dtype) == "complex" then return cp.complex(0, 0) end
    return core.jit_value(types.kind(dtype) == "boolean" and false or 0, dtype)
  end

  -- Functions that make the shared arrays of a block.
  local function shared_arrays(program, options)
    local list = {}
    for k, array in ipairs(program.memory) do
      local n = array.total or jit.dynamic_length(array, options)
      local zero = zero_of(array.dtype)
      if array.space ~= "local" then list[k] = function() return threads.array(n, zero, array.name) end end
    end
    return list
  end

  --- Makes program.lua of a raw kernel: {source, f, waits}.
  function run.prepare(program, root, args)
    if program.lua then return program.lua end
    local printer = lua.new(threads.call, has_effect)
    local list, convert = parameters(printer, program, args)
    printer.file = root.unit.file
    printer:write(string.format("return function(%s)", table.concat(list, ", ")), root.f)
    for _, text in ipairs(convert) do printer:write(text) end
    printer:before(program)
    printer:inside(program.instance)
    printer:finish_block()
    local f, source = load(printer, root.unit.file)
    program.lua = { source = source, f = f, waits = printer.waits }
    return program.lua
  end

  local function extent_of(where, v, what)
    if type(v) ~= "table" then v = { v } end
    if #v < 1 or #v > 3 then fail(where, "usage", "%s must have 1 to 3 numbers, but has %d", what, #v) end
    local out = {}
    for k = 1, 3 do
      local n = v[k] == nil and 1 or v[k]
      if type(n) ~= "number" or n % 1 ~= 0 or n < 0 or n >= 2 ^ 32 then
        fail(where, "usage", "%s must be a number or a table of 1 to 3 numbers, not %s", what, tostring(n))
      end
      out[k] = n
    end
    return out
  end

  local function check_options(where, options)
    if options == nil or type(options) == "number" then return end
    if type(options) ~= "table" then fail(where, "usage", "options must be a table, not %s", type(options)) end
    for name in pairs(options) do
      if type(name) == "string" and name ~= "shared_mem" and name ~= "stream" then
        fail(where, "usage", "no option '%s'; the options are shared_mem, stream", name)
      end
    end
  end

  -- The elements' steps in the lists, which are in C order.
  local function list_stride(x, axis)
    local step = 1
    for k = axis + 1, x.ndim do step = step * x.shape[k] end
    return step
  end

  -- The arguments of the function: lists, numbers, lengths, numbers from outside.
  local function arguments(program, args, nodes, lists, options)
    local values, count = {}, #nodes
    for k, node in ipairs(nodes) do
      values[k] = lists[k]
      if not node.static then values[k] = core.jit_value(args[k], types.alone(node.t)) end
    end
    for _, extent in ipairs(program.extents) do
      local x = args[extent.array.parameter]
      local v
      if not x then
        v = jit.dynamic_length(extent.array, options)
      elseif extent.what == "size" then
        v = x.size
      else
        v = extent.what == "stride" and list_stride(x, extent.axis) or x.shape[extent.axis]
      end
      count = count + 1
      values[count] = core.jit_value(v, "int64")
    end
    return values, add_hidden(program, values, count, run.number)
  end

  --- Launches a raw kernel: args are the user's arguments.
  function run.launch(where, program, root, grid, block, args, options)
    local made, nodes = run.prepare(program, root, program.args), program.args
    grid, block = extent_of(where, grid, "grid"), extent_of(where, block, "block")
    local count = block[1] * block[2] * block[3]
    if count == 0 then fail(where, "usage", "block has no threads: (%d, %d, %d)", unpack(block)) end
    if count > 1024 then
      fail(where, "usage", "too many threads: block (%d, %d, %d) has %d, the kernel allows 1024", block[1], block[2],
        block[3], count)
    end
    check_options(where, options)
    local lists = open(where, args, nodes, program.written)
    local values, n = arguments(program, args, nodes, lists, options)
    local kernel = { f = made.f, waits = made.waits, name = where, together = program.together,
      shared = shared_arrays(program, options) }
    local ok, problem = pcall(threads.run, kernel, grid, block, values, n)
    for k, node in ipairs(nodes) do
      if node.static and program.written[k] then assign(args[k], listed(lists[k], args[k].size)) end
    end
    if not ok then fail(where, "index", "%s", tostring(problem)) end
  end

  run.elements, run.assign, run.load, run.hidden = elements, assign, load, hidden
  run.printer = function() return lua.new(threads.call, has_effect) end
  core.load "jit/luatext/functions"(cp, core, run)
  return run
end
