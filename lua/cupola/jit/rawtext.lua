-- The text of a raw kernel's program (kernels.lua) as a whole CUDA function, and its parameters.
local cuda = require "cupola.jit.cuda"
local dtypes = require "cupola.kernels.types"
local types = require "cupola.jit.types"

local rawtext = {}

-- The dtype in which a value is passed.
local function passed(t, bits) return types.is_narrow(t, bits) and "int32" or types.alone(t) end

local function c_parameter(dtype, name)
  local d = dtypes[dtype]
  if d.half then return string.format("%s %s_bits", d.memory, name) end
  return string.format("%s %s", cuda.register(dtype), name)
end

-- The parameters of the C function, what core.raw_kernel needs to know of them, and the statements that
-- convert them.
local function parameters(printer, program, args)
  local list, described, convert = {}, {}, {}
  local next_param = 1
  local function add(dtype, name)
    list[#list + 1] = c_parameter(dtype, name)
    described[#described + 1] = { kind = "number", dtype = dtype, c = dtype, name = name }
    local d = dtypes[dtype]
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
      local same = cuda.type_of(p.var) == cuda.register(passed(a.t, a.bits))
      add(passed(a.t, a.bits), same and p.var.cname or p.var.cname .. "_given")
      if not same then
        convert[#convert + 1] = string.format("%s %s = %s;", cuda.type_of(p.var), p.var.cname,
          printer:bare { op = "cast", t = p.var.t, a = { op = "text", text = p.var.cname .. "_given", t = a.t } })
      end
      described[#described].name = a.name
    end
  end
  for _, extent in ipairs(program.extents) do add(passed("int", extent.bits), extent.name) end
  for _, noted in ipairs(program.reads) do
    if noted.role == "hidden" then add(passed(noted.t, noted.bits), noted.cname) end
  end
  return list, described, convert
end

--- Prints the program of a kernel; returns the text, the parameters, and the name of the kernel.
function rawtext.print(env, program, root, args, needs)
  local printer = cuda.new(needs, env.ops)
  printer.checks = root.checked and {} or nil
  local list, described, convert = parameters(printer, program, args)
  if program.together then
    list[#list + 1] = "unsigned *cp_arrived"
    described[#described + 1] = { kind = "pointer", accepts = { "uint32" }, constant = false, c = "uint32*",
      name = "cp_arrived" }
  end
  if root.checked then
    list[#list + 1] = "unsigned long long *cp_fault"
    described[#described + 1] = { kind = "faults", name = "cp_fault" }
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
