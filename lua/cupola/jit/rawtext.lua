-- The text of a raw kernel's program (kernels.lua) as a whole CUDA function, and its parameters.
local cuda = require "cupola.jit.cuda"
local dtypes = require "cupola.kernels.types"
local types = require "cupola.jit.types"

local rawtext = {}

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

--- Prints the program of a kernel; returns the text, the parameters, and the name of the kernel.
function rawtext.print(env, program, root, args, needs)
  local printer = cuda.new(needs, env.ops)
  printer.checks = root.checked and {} or nil
  local list, described, convert = parameters(printer, program, args)
  if root.checked then
    list[#list + 1] = "unsigned long long *cp_fault"
    described[#described + 1] = { kind = "pointer", accepts = { "int64" }, constant = false, c = "int64*",
      name = "cp_fault" }
  end
  local name = env.mangle(root.name)
  printer:write(string.format('extern "C" __global__ void %s(%s) {', name, table.concat(list, ", ")))
  for _, line in ipairs(convert) do printer:write("  " .. line) end
  printer:before(program)
  printer:inside(program.instance)
  printer:write "}"
  program.checks = printer.checks
  return table.concat(printer.structs) .. table.concat(printer.out, "\n") .. "\n", described, name
end

return rawtext
