-- Reads raw kernels without a compiler: which kernels there are, their parameters, and the variables at file
-- scope. Macros are not expanded and conditions are not evaluated, except `#if 0` and aliases of types. What
-- it does not understand is "unknown"; then the sizes reported by the driver or the compiler decide.

local signature = {}

-- ---- removing what is not code ----

local function blank(text) return (string.gsub(text, "[^\n]", " ")) end

-- Replaces comments and the contents of strings by spaces of the same length.
local function without_comments(text)
  local out, at = {}, 1
  while true do
    local from = string.find(text, "[/\"']", at)
    if not from then break end
    local two, last = string.sub(text, from, from + 1), nil
    if two == "//" then
      last = (string.find(text, "\n", from, true) or #text + 1) - 1
    elseif two == "/*" then
      last = select(2, string.find(text, "*/", from + 2, true)) or #text
    elseif string.sub(two, 1, 1) == "/" or string.find(string.sub(text, from - 1, from),
      "^%x'$") then -- a division, or a digit separator as in 1'000
      out[#out + 1] = string.sub(text, at, from)
      at = from + 1
    else
      local quote = string.sub(two, 1, 1)
      last = from
      repeat
        last = string.find(text, "[\\\n" .. quote .. "]", last + 1) or #text
        local escape = string.sub(text, last, last) == "\\"
        if escape then last = last + 1 end
      until not escape or last >= #text
      out[#out + 1] = string.sub(text, at, from) .. blank(string.sub(text, from + 1, last - 1))
        .. string.sub(text, last, last)
      at = last + 1
      last = nil
    end
    if last then
      out[#out + 1] = string.sub(text, at, from - 1) .. blank(string.sub(text, from, last))
      at = last + 1
    end
  end
  out[#out + 1] = string.sub(text, at)
  return table.concat(out)
end

-- Replaces preprocessor lines by spaces, and collects in `info` the macros that name types and the ranges of
-- text under a condition.
local function without_directives(text, info)
  local depth, off, from = 0, nil, nil
  local out, at = {}, 1
  while at <= #text do
    local last = string.find(text, "\n", at, true) or #text + 1
    while string.sub(text, last - 1, last - 1) == "\\" and last <= #text do
      last = string.find(text, "\n", last + 1, true) or #text + 1
    end
    local line = string.sub(text, at, last)
    local word, rest = string.match(line, "^[ \t]*#[ \t]*(%a+)(.*)$")
    if word == "if" or word == "ifdef" or word == "ifndef" then
      depth = depth + 1
      if depth == 1 then from = at end
      if word == "if" and string.find(rest, "^[ \t]+0%s*$") and not off then off = depth end
    elseif word == "else" or word == "elif" then
      if off == depth then off = nil end
    elseif word == "endif" then
      if off == depth then off = nil end
      if depth == 1 then info.conditions[#info.conditions + 1] = { from, last } end
      depth = math.max(depth - 1, 0)
    elseif word == "define" and not off then
      local name, value = string.match(rest, "^[ \t]+([%a_][%w_]*)[ \t]+([%a_][%w_ \t:<>]*)%s*$")
      if name then info.aliases[name] = value end
      info.in_macros = info.in_macros or string.find(line, "__global__") ~= nil
    end
    out[#out + 1] = (word or off) and blank(line) or line
    at = last + 1
  end
  return table.concat(out)
end

-- ---- types ----

-- C's names of number types -> dtype.
local NUMBERS = {
  ["bool"] = "bool", ["char"] = "int8", ["signed char"] = "int8", ["unsigned char"] = "uint8", ["short"] = "int16",
  ["unsigned short"] = "uint16", ["int"] = "int32", ["unsigned"] = "uint32", ["long"] = "int64",
  ["unsigned long"] = "uint64", ["long long"] = "int64", ["unsigned long long"] = "uint64", ["float"] = "float32",
  ["double"] = "float64", ["size_t"] = "uint64", ["ptrdiff_t"] = "int64", ["intptr_t"] = "int64",
  ["uintptr_t"] = "uint64", ["int8_t"] = "int8", ["int16_t"] = "int16", ["int32_t"] = "int32", ["int64_t"] = "int64",
  ["uint8_t"] = "uint8", ["uint16_t"] = "uint16", ["uint32_t"] = "uint32", ["uint64_t"] = "uint64",
  ["uchar"] = "uint8", ["ushort"] = "uint16", ["uint"] = "uint32", ["ulong"] = "uint64",
  ["half"] = "float16", ["__half"] = "float16", ["float16"] = "float16", ["__nv_bfloat16"] = "bfloat16",
  ["nv_bfloat16"] = "bfloat16", ["bfloat16"] = "bfloat16", ["complex<float>"] = "complex64",
  ["complex<double>"] = "complex128", ["cuComplex"] = "complex64", ["cuFloatComplex"] = "complex64",
  ["cuDoubleComplex"] = "complex128",
}
for _, bits in ipairs { "8", "16", "32", "64" } do
  for _, sign in ipairs { "int", "uint" } do
    for _, speed in ipairs { "_least", "_fast" } do
      local fast = speed == "_fast" and bits ~= "8" and "64" or bits -- as on 64-bit Linux
      NUMBERS[sign .. speed .. bits .. "_t"] = sign .. fast
    end
  end
end

local ELEMENTS = { char = "int8", uchar = "uint8", short = "int16", ushort = "uint16", int = "int32", uint = "uint32",
  long = "int64", ulong = "uint64", longlong = "int64", ulonglong = "uint64", float = "float32", double = "float64" }

-- The dtypes that an array may have for a pointer parameter, besides the pointer's own.
local ALSO = { ["char"] = { "uint8", "bool" }, ["unsigned char"] = { "bool" }, ["uint8_t"] = { "bool" },
  ["float2"] = { "complex64" }, ["double2"] = { "complex128" } }

local DROPPED = { const = true, volatile = true, __restrict__ = true, __restrict = true, restrict = true,
  struct = true, class = true, enum = true, register = true, static = true, __grid_constant__ = true, constexpr = true,
  extern = true, inline = true, __device__ = true, __constant__ = true, __managed__ = true, __shared__ = true,
  typename = true }

local WORDS = { unsigned = true, signed = true, long = true, short = true, int = true, char = true, double = true }

-- "long unsigned int" as "unsigned long"; names that are not number types stay as they are.
local function normal(words)
  local counts = {}
  for _, w in ipairs(words) do
    if not WORDS[w] then return table.concat(words, " ") end
    counts[w] = (counts[w] or 0) + 1
  end
  local base = counts.char and "char" or counts.short and "short" or counts.double and "double"
    or counts.long and (counts.long > 1 and "long long" or "long") or "int"
  if counts.unsigned then return base == "int" and "unsigned" or "unsigned " .. base end
  if counts.signed and base == "char" then return "signed char" end
  return base
end

-- The tokens of a declaration: identifiers (with :: and <...>), numbers, single characters.
local function tokens(text)
  local list, at = {}, 1
  while true do
    at = string.find(text, "%S", at)
    if not at then return list end
    local word = string.match(text, "^[%a_][%w_]*", at) or string.match(text, "^::", at)
      or string.match(text, "^%d[%w_']*", at)
      or string.sub(text, at, at)
    -- template arguments are part of the name
    if word == "<" and list[#list] and string.find(list[#list], "^[%a_]") then
      word = string.match(text, "^%b<>", at) or word
      list[#list] = list[#list] .. string.gsub(word, "%s+", "")
    elseif word == "::" or list[#list] and string.find(list[#list], "::$") then
      list[#list + (list[#list] and 0 or 1)] = (list[#list] or "") .. word
    else
      list[#list + 1] = word
    end
    at = at + #word
  end
end

local MAX_ALIASES = 16

-- The type that a name stands for, through typedefs, macros and template arguments.
local function resolve(name, aliases)
  for _ = 1, MAX_ALIASES do
    local to = aliases[name]
    if not to then break end
    local words = {}
    for _, w in ipairs(tokens(to)) do
      if w == "*" or w == "&" then return name end
      if not DROPPED[w] then words[#words + 1] = w end
    end
    name = normal(words)
  end
  return name
end

local function bare(name) return (string.gsub(string.gsub(name, "^::", ""), "^%a[%w_]*::", "")) end

-- {kind = "number", dtype}, {kind = "vector", dtype, count}, {kind = "struct", name} or {kind = "unknown"}.
local function value_type(name, aliases)
  name = resolve(string.gsub(name, "<(.*)>$", function(inner) return "<" .. resolve(inner, aliases) .. ">" end),
    aliases)
  local plain = NUMBERS[name] and name or bare(name)
  if NUMBERS[plain] then return { kind = "number", dtype = NUMBERS[plain], c = plain } end
  local element, count = string.match(plain, "^(%l+)([1234])$")
  if ELEMENTS[element] then
    return { kind = "vector", dtype = ELEMENTS[element], count = tonumber(count), c = plain }
  end
  local handle = string.match(plain, "^cuda(%u%l+)Object_t$") -- of a texture or a surface
  if handle == "Texture" or handle == "Surface" then return { kind = string.lower(handle), c = plain } end
  if plain == "dim3" then return { kind = "vector", dtype = "uint32", count = 3, c = plain } end
  if string.find(plain, "^[%a_][%w_]*$") and plain ~= "void" and plain ~= "auto" then
    return { kind = "struct", struct = plain, c = plain }
  end
  return { kind = "unknown", c = plain }
end

local function pointer_type(t, constant)
  local accepts
  if t.kind == "number" or t.kind == "vector" then
    accepts = { t.dtype }
    for _, dtype in ipairs(ALSO[t.c] or {}) do accepts[#accepts + 1] = dtype end
  end
  return { kind = "pointer", accepts = accepts, constant = constant, c = (constant and "const " or "") .. t.c .. "*" }
end

--- Parses the declaration of a parameter or field: {name, kind = "number" "vector" "struct" "pointer"
--- "texture" "surface" "unknown", dtype, count, struct, accepts, constant, c (the type's text), dims (texts
--- in brackets)}.
function signature.declaration(text, aliases)
  local dims = {}
  text = string.gsub(text, "=.*$", "")
  for _, word in ipairs { "__align__", "alignas", "__attribute__" } do
    text = string.gsub(text, word .. "%s*%b()", " ")
  end
  text = string.gsub(text, "%[([^%]]*)%]", function(d)
    dims[#dims + 1] = string.match(d, "^%s*(.-)%s*$")
    return " "
  end)
  local words, stars, constant, constants = {}, 0, false, 0
  for _, w in ipairs(tokens(text)) do
    if w == "*" then
      stars = stars + 1
    elseif w == "const" and stars == 0 then
      constant = true
    elseif w == "const" then
      constants = constants + 1
    elseif w == "(" or w == "&" then
      return { kind = "unknown", c = string.match(text, "^%s*(.-)%s*$"), name = "?", dims = dims }
    elseif not DROPPED[w] then
      words[#words + 1] = w
    end
  end
  local last = words[#words]
  local name = #words > 1 and not WORDS[last] and table.remove(words) or nil
  local t = value_type(normal(words), aliases)
  if stars == 1 then
    t = pointer_type(t, constant)
  elseif stars > 1 then
    t = { kind = "pointer", constant = constants > 0, c = t.c .. string.rep("*", stars) }
  end
  t.name, t.dims = name or "?", dims
  return t
end

-- Splits a list at commas outside of brackets.
local function split(text)
  local parts, depth, from = {}, 0, 1
  for at, c in string.gmatch(text, "()([%(%)<>%[%]{},])") do
    if string.find(c, "[%(<%[{]") then depth = depth + 1 end
    if string.find(c, "[%)>%]}]") then depth = depth - 1 end
    if c == "," and depth == 0 then
      parts[#parts + 1] = string.sub(text, from, at - 1)
      from = at + 1
    end
  end
  parts[#parts + 1] = string.sub(text, from)
  return parts
end

--- Parses the parameters "const float *x, int n".
function signature.parameters(text, aliases)
  local list = {}
  if not string.find(text, "%S") or string.find(text, "^%s*void%s*$") then return list end
  for k, part in ipairs(split(text)) do
    local p = signature.declaration(part, aliases)
    if #p.dims > 0 then -- a parameter declared as an array is a pointer
      local constant = string.find(part, "%f[%w_]const%f[^%w_]") ~= nil
      p = p.kind == "pointer" and p or setmetatable({ name = p.name }, { __index = pointer_type(p, constant) })
      p = { name = p.name, kind = p.kind, accepts = p.accepts, constant = p.constant, c = p.c }
    end
    if p.name == "?" then p.name = "parameter " .. k end
    list[k] = p
  end
  return list
end

-- ---- statements at file scope ----

local ATTRIBUTES = { "__launch_bounds__", "__attribute__", "__align__", "alignas", "__maxnreg__", "__cluster_dims__",
  "__block_size__", "__declspec", "decltype", "noexcept" }

local function without_attributes(text)
  for _, name in ipairs(ATTRIBUTES) do
    text = string.gsub(text, "%f[%w_]" .. name .. "%s*(%b())", function(group) return blank(name .. group) end)
  end
  return text
end

--- Whether an identifier stands in a text.
function signature.has_word(text, word) return string.find(text, "%f[%w_]" .. word .. "%f[^%w_]") ~= nil end
local has_word = signature.has_word

local function template_of(text)
  local list = string.match(text, "^%s*template%s*(%b<>)")
  if not list then return nil, text end
  local out = {}
  for k, part in ipairs(split(string.sub(list, 2, -2))) do
    local before, default = string.match(part, "^(.-)=(.*)$")
    out[k] = { name = string.match(before or part, "([%a_][%w_]*)%s*$"), default = default }
  end
  return out, string.gsub(text, "^%s*template%s*%b<>", "")
end

local function read_kernel(info, text, scope, at, body)
  local template, rest = template_of(text)
  local name, parameters = string.match(without_attributes(rest), "([%a_][%w_]*)%s*(%b())")
  if not name then return end
  info.understood = info.understood + 1
  if body then info.bodies[#info.bodies + 1] = body[1] end
  local conditional = false
  for _, range in ipairs(info.conditions) do
    conditional = conditional or at > range[1] and at < range[2]
  end
  local k = { name = scope.path .. name, template = template, text = string.sub(parameters, 2, -2),
    conditional = conditional,
    plain = scope.plain or string.find(rest, 'extern%s*"') ~= nil, body = body }
  local before = info.kernels[k.name]
  if not before then info.order[#info.order + 1] = k.name end
  if not before or body then info.kernels[k.name] = k end
end

--- Parses the variables declared by "float x, y[4], *p".
function signature.declarations(text, aliases)
  local list = {}
  local words = string.match(text, "^(.-)[%s%*]*[%a_][%w_]*%s*[%[=,{]") or text
  for k, part in ipairs(split(text)) do
    list[k] = signature.declaration((k > 1 and words .. " " or "") .. part, aliases)
  end
  return list
end

local function read_variables(info, text, scope)
  text = without_attributes(text)
  local stop = string.find(text, "[=%[{]") or #text + 1
  if string.find(string.sub(text, 1, stop - 1), "%(") then return end -- a function
  local constant = has_word(text, "__constant__")
  for _, v in ipairs(signature.declarations(text, info.aliases)) do
    if v.name ~= "?" then
      v.name, v.in_constant, v.unnamed = scope.path .. v.name, constant, has_word(text, "static")
      info.variables[#info.variables + 1] = v
    end
  end
end

local function read_statement(info, text, scope, at, body)
  at = at + (string.find(text, "%S") or 1) - 1
  if has_word(text, "__global__") then
    read_kernel(info, text, scope, at, body)
  elseif string.find(text, "^%s*typedef%f[^%w_]") then
    local to, name = string.match(text, "typedef%s+(.-)([%a_][%w_]*)%s*$")
    if name and to ~= "" then info.aliases[name] = to end
  elseif string.find(text, "^%s*using%s+[%a_][%w_]*%s*=") then
    local name, to = string.match(text, "using%s+([%a_][%w_]*)%s*=%s*(.-)%s*$")
    info.aliases[name] = to
  elseif has_word(text, "__shared__") and has_word(text, "extern") then
    local name = string.match(text, "([%a_][%w_]*)%s*%[%s*%]%s*$")
    if name then info.shared[name] = true end
  elseif has_word(text, "__device__") or has_word(text, "__constant__") or has_word(text, "__managed__") then
    if not has_word(text, "extern") and not string.find(text, "^%s*template") then read_variables(info, text, scope) end
  end
end

-- Walks the statements outside of function bodies; enters namespaces and `extern "C"` blocks.
local function walk(info, code)
  local scopes, from, at = { { path = "", plain = false } }, 1, 1
  while true do
    at = string.find(code, "[{};]", at)
    if not at then return end
    local c, scope = string.sub(code, at, at), scopes[#scopes]
    local text = string.sub(code, from, at - 1)
    if c == "{" then
      local space = string.match(text, "^%s*i?n?l?i?n?e?%s*namespace%s+([%w_:]*)%s*$")
      if space or string.find(text, "^%s*namespace%s*$") then
        local path = space and space ~= "" and scope.path .. space .. "::" or scope.path
        scopes[#scopes + 1] = { path = path, plain = scope.plain }
      elseif string.find(text, '^%s*extern%s*"%s*"%s*$') then
        scopes[#scopes + 1] = { path = scope.path, plain = true }
      else
        local _, last = string.find(code, "^%b{}", at)
        last = last or #code
        read_statement(info, text, scope, from, { at, last })
        at = last
        if string.find(text, "=%s*$") then at = string.find(code, ";", at, true)
          or last end -- an initializer ends its statement
      end
    elseif c == "}" then
      if #scopes > 1 then table.remove(scopes) end
    else
      read_statement(info, text, scope, from, nil)
    end
    at = at + 1
    from = at
  end
end

--- Parses a source. Returns kernels by name {name, template, text, plain (C linkage), conditional, body =
--- {from, to}}, their `order`, `bodies` (where kernel bodies begin), how many statements with `__global__`
--- were `understood`, whether macros define some (`in_macros`), `variables` at file scope, `shared` (names of
--- dynamic shared memory), `aliases` of types, and the text without comments (`bare`) and without directives
--- (`code`).
function signature.read(text)
  local info = { kernels = {}, order = {}, bodies = {}, understood = 0, in_macros = false, variables = {}, aliases = {},
    conditions = {}, shared = {} }
  info.bare = without_comments(text)
  info.code = without_directives(info.bare, info)
  walk(info, info.code)
  return info
end

--- The kernel that an expression such as "scale<float, 4>" names, and its parameters; nil if there is none.
function signature.find(info, expression)
  local name, arguments = string.match(expression, "^%s*&?%s*(.-)%s*<(.*)>%s*$")
  name = string.gsub(name or string.match(expression, "^%s*&?%s*(.-)%s*$"), "^::", "")
  local kernel = info.kernels[name]
  if not kernel then return nil end
  local aliases = setmetatable({}, { __index = info.aliases })
  local given = arguments and split(arguments) or {}
  for k, p in ipairs(kernel.template or {}) do
    local value = string.find(given[k] or "", "%S") and given[k] or p.default
    if p.name and value then aliases[p.name] = string.match(value, "^%s*(.-)%s*$") end
  end
  return kernel, signature.parameters(kernel.text, aliases)
end

return signature
