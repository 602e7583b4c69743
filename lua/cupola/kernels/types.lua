-- The C types of each dtype in generated CUDA text.
--
-- A value has a memory type and a register type. Half types are 16-bit patterns in memory and float in
-- registers; bool is any non-zero byte in memory and 0 or 1 in a register; for other dtypes the two are the
-- same.

local types = {}

local function define(name, memory, size, kind, fields)
  local t = { name = name, memory = memory, register = memory, size = size, kind = kind, loop = name }
  for key, value in pairs(fields or {}) do t[key] = value end
  types[name] = t
end

define("bool", "unsigned char", 1, "boolean", { width = 8 })
define("int8", "signed char", 1, "integer", { width = 8, signed = true, wrap = "unsigned" })
define("int16", "short", 2, "integer", { width = 16, signed = true, wrap = "unsigned" })
define("int32", "int", 4, "integer", { width = 32, signed = true, wrap = "unsigned" })
define("int64", "long long", 8, "integer", { width = 64, signed = true, wrap = "unsigned long long" })
define("uint8", "unsigned char", 1, "integer", { width = 8, wrap = "unsigned" })
define("uint16", "unsigned short", 2, "integer", { width = 16, wrap = "unsigned" })
define("uint32", "unsigned int", 4, "integer", { width = 32, wrap = "unsigned" })
define("uint64", "unsigned long long", 8, "integer", { width = 64, wrap = "unsigned long long" })
define("float16", "unsigned short", 2, "real", { register = "float", half = "f16", loop = "float32" })
define("bfloat16", "unsigned short", 2, "real", { register = "float", half = "bf16", loop = "float32" })
define("float32", "float", 4, "real")
define("float64", "double", 8, "real")
define("complex64", "complex64", 8, "complex", { real = "float32" })
define("complex128", "complex128", 16, "complex", { real = "float64" })

-- The register value of `text`, an expression of t's memory type.
function types.load(t, text)
  if t.half then return string.format("h_%s_to_f32(%s)", t.half, text) end
  if t.kind == "boolean" then return string.format("(unsigned char)(%s != 0)", text) end
  return text
end

-- The memory value of `text`, an expression of t's register type.
function types.store(t, text)
  if t.half then return string.format("h_f32_to_%s(%s)", t.half, text) end
  return text
end

-- The scalar argument of type t at slot number `slot`, in register format (complex128 takes two slots).
function types.scalar(t, slot)
  local s = string.format("p.s[%d]", slot)
  if t.register == "float" then return string.format("__uint_as_float((unsigned)%s)", s) end
  if t.name == "float64" then return string.format("__longlong_as_double((long long)%s)", s) end
  if t.name == "complex64" then
    return string.format("complex64{__uint_as_float((unsigned)%s), __uint_as_float((unsigned)(%s >> 32))}", s, s)
  end
  if t.name == "complex128" then
    local double = "__longlong_as_double((long long)p.s[%d])"
    return string.format("complex128{%s, %s}", string.format(double, slot), string.format(double, slot + 1))
  end
  return string.format("(%s)%s", t.register, s)
end

-- An unsigned type of `bytes` bytes (a power of two, at most 16) that one instruction can load.
function types.word(bytes)
  return ({ [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned", [8] = "uint2", [16] = "uint4" })[bytes]
end

return types
