-- The text of raw kernels as each device compiles it. On a GPU it is the user's text with a few headers that
-- NVRTC lacks; on the CPU the user's text stands between kernels/user/raw_cpu.h, which defines CUDA's names,
-- and a table of its kernels and variables. Errors are tables {kind =, message =}.
--
-- A module's declaration, made by lua/cupola/userkernels/rawkernels.lua:
--   name, file       for messages; what #line calls the text
--   kind             "source" or "image"
--   text             the source, or the bytes of a cubin, fatbin or PTX
--   options          compiler options, one string each
--   headers          {path, text} of each file that the source includes, first those included first
--   found            the text of an included file by "FILE\\0NAME as included"
--   missing          names of headers that were not found
--   info             what lua/cupola/kernels/signature.lua read
--   wanted           names of kernels to make callable
--   fill             for text made by lua/cupola/jit: a function that notes in a preludes object what it uses

local preludes = require "cupola.kernels.preludes"
local signature = require "cupola.kernels.signature"

local raw = {}

local function fail(kind, format, ...) error({ kind = kind, message = string.format(format, ...) }, 0) end

-- ---- headers ----

-- Built-in headers: cupola's own `complex`, and the C headers that NVRTC lacks.
local OWN = { ["cupola/complex.h"] = "complex", ["cupy/complex.cuh"] = "complex", ["thrust/complex.h"] = "complex",
  ["cupola/half.h"] = "half" }
local C = { ["stdint.h"] = "integers", ["cstdint"] = "integers", ["inttypes.h"] = "integers", ["limits.h"] = "limits",
  ["climits"] = "limits", ["float.h"] = "limits", ["cfloat"] = "limits", ["assert.h"] = "assert",
  ["cassert"] = "assert" }
for name in string.gmatch("math.h cmath stdio.h cstdio stddef.h cstddef stdlib.h cstdlib string.h cstring", "%S+") do
  C[name] = "nothing"
end

local ASSERT = "#define assert(condition) ((condition) ? (void)0 : __trap())\n"

local CUDA_QUALIFIERS = [[
#pragma nv_diag_suppress 177, 2361
#define CP_DEVICE 1
#define CP_FN static __device__ __forceinline__
#define CP_SLOW static __device__ __noinline__
#define CP_METHOD __device__ __forceinline__
]]

local function complex_math(embedded, dtype, real)
  return string.format("#define CP_R %s\n#define CP_C %s\n#define CP_SPACE cp_%s\n", real, dtype, dtype)
    .. embedded "kernels/user/complex_math.h" .. "#undef CP_R\n#undef CP_C\n#undef CP_SPACE\n"
end

-- The text of a built-in header. `cuda`: including what the CPU's platform has anyway.
local function own_header(embedded, name, cuda)
  local needs = preludes.new(embedded, {})
  needs.qualifiers = cuda and CUDA_QUALIFIERS or ""
  local numbers = "#ifndef CP_POSITIONS\n#define CP_POSITIONS 1\n" .. embedded "kernels/user/numbers.h" .. "#endif\n"
  local out = { cuda and numbers or "" }
  if name == "half" then
    needs.halves = true
    out[2] = embedded "kernels/user/half.h"
  else
    for _, dtype in ipairs { "complex64", "complex128" } do needs:space(dtype).header = true end
    out[2] = embedded "kernels/user/complex.h" .. complex_math(embedded, "complex64", "float")
      .. complex_math(embedded, "complex128", "double") .. "namespace thrust { using ::complex; }\n"
  end
  local guard = "CUPOLA_HEADER_" .. string.upper(name)
  return string.format("#ifndef %s\n#define %s\n%s%s#endif\n", guard, guard, needs:source(), table.concat(out))
end

local function quoted(text) return '"' .. string.gsub(text, '[\\"]', "\\%0") .. '"' end

-- Replaces each `#include` line of a text by f(name), unless that is nil.
local function replace_includes(text, file, f)
  local line = 0
  return (string.gsub((string.gsub(text, "\n?$", "\n", 1)), "([^\n]*)\n", function(whole)
    line = line + 1
    local name = string.match(whole, '^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]')
    local with = name and f(name)
    if with == "" then return "\n" end
    return with and string.format("%s#line %d %s\n", with, line + 1, quoted(file)) or nil
  end))
end

-- ---- on a GPU ----

local WHOLE = { "cuda[%u]", "<<<", "tex%dD", "surf%dD", "texture" }

local function needs_integers(info)
  return string.find(info.code, "%f[%w_]u?int%d+_t%f[^%w_]") and not string.find(info.bare, "#%s*include")
    and not string.find(info.code, "typedef[^;]-int%d+_t%s*;") and not string.find(info.code, "using%s+u?int%d+_t")
end

-- Either all kernels of a module begin by waiting for the kernels before them, or none does
-- (src/cuda/run/launch.c). An additional kernel in the compiled code says which, since only the code knows
-- the architecture.
local AWAIT = [[
#if __CUDA_ARCH__ >= 900
#define CUPOLA_AWAIT asm volatile("griddepcontrol.wait;" ::: "memory");
#else
#define CUPOLA_AWAIT
#endif
]]
local AWAITING = [[

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void cupola_awaits() {}
#endif
]]

-- CUDA's own headers.
local NO_KERNELS = { "^cu[%w_]*%.h$", "^cooperative_groups%.h$", "^mma%.h$", "^math_constants%.h$" }

local function count_words(text, word) return select(2, string.gsub(text, "%f[%w_]" .. word .. "%f[^%w_]", "")) end

-- Whether the kernel bodies that were found are all that the compiler will see.
local function sees_all_kernels(d)
  local info = d.info
  local all = not info.in_macros and #info.bodies > 0 and count_words(info.code, "__global__") == info.understood
  for _, header in ipairs(d.headers) do all = all and not signature.has_word(header.text, "__global__") end
  for _, name in ipairs(d.missing) do
    local known = OWN[name] or C[name]
    for _, pattern in ipairs(NO_KERNELS) do known = known or string.find(name, pattern) end
    all = all and known
  end
  for _, option in ipairs(d.options) do -- files that are included first, macros
    all = all and not (string.find(option, "^%-include") or string.find(option, "^%-%-pre%-include")
      or string.find(option, "__global__"))
  end
  return all
end

-- The user's text with the wait added at the start of each kernel's body, on the same line.
local function with_waits(text, bodies)
  local out, at = {}, 1
  for _, brace in ipairs(bodies) do
    out[#out + 1] = string.sub(text, at, brace) .. "CUPOLA_AWAIT "
    at = brace + 1
  end
  return table.concat(out) .. string.sub(text, at)
end

-- What generated text needs in front of it (lua/cupola/jit): d.fill notes it in a preludes object.
local function generated(embedded, d, cuda)
  if not d.fill then return "" end
  local needs = preludes.new(embedded, {})
  needs.qualifiers = cuda and CUDA_QUALIFIERS or ""
  d.fill(needs)
  return needs:source() .. "#define CP_JIT_THREADS 1\n" .. embedded "kernels/user/jit.h"
end

local function cuda_text(embedded, d)
  local awaits = sees_all_kernels(d)
  local text = awaits and with_waits(d.text, d.info.bodies) or d.text
  text = replace_includes(text, d.file, function(name)
    if d.found[d.file .. "\0" .. name] then return nil end
    if OWN[name] then return own_header(embedded, OWN[name], true) end
    if C[name] == "integers" or C[name] == "limits" then return embedded("kernels/user/" .. C[name] .. ".h") end
    if C[name] == "assert" then return ASSERT end
    return C[name] and "" or nil
  end)
  local before = needs_integers(d.info) and embedded "kernels/user/integers.h" or ""
  before = before .. generated(embedded, d, true)
  text = string.format("#line 1 %s\n%s", quoted(d.file), text)
  return before .. (awaits and AWAIT .. text .. AWAITING or text)
end

-- Names that the compiler must mangle: C++ linkage, templates, variables in namespaces.
local function cuda_symbols(d)
  local out = {}
  for _, name in ipairs(d.wanted) do
    local kernel = signature.find(d.info, name)
    if not (kernel and kernel.plain) then out[#out + 1] = name end
  end
  for _, v in ipairs(d.info.variables) do
    if string.find(v.name, "::") then out[#out + 1] = "&" .. v.name end
  end
  return out
end

local function cuda_source(embedded, d)
  local whole = #d.missing > 0
  for _, pattern in ipairs(WHOLE) do whole = whole or string.find(d.info.code, pattern) ~= nil end
  local cuda_headers = false
  for _, name in ipairs(d.missing) do cuda_headers = cuda_headers or not (OWN[name] or C[name]) end
  return { text = cuda_text(embedded, d), options = d.options, symbols = cuda_symbols(d),
    whole_language = whole and (cuda_headers or string.find(d.info.bare, "#%s*include") == nil),
      cuda_headers = cuda_headers }
end

-- ---- on the CPU: what is not supported ----

local REFUSED = {
  { "%f[%w_]asm%f[^%w_]", "inline PTX (asm)" }, { "%f[%w_]__asm", "inline PTX (asm)" },
  { "%f[%w_]texture%s*<", "texture references" }, { "%f[%w_](tex%dD%a*Layered%w*)", "%s" },
  { "%f[%w_](tex%dDGrad)", "%s" }, { "%f[%w_](tex2Dgather)", "%s" }, { "%f[%w_](texCubemap%w*)", "%s" },
  { "%f[%w_](surf%dDLayered%w*)", "%s" }, { "%f[%w_](surfCubemap%w*)", "%s" },
  { "%f[%w_]cooperative_groups%f[^%w_]", "cooperative groups" }, { "%f[%w_]nvcuda%f[^%w_]", "tensor cores (nvcuda)" },
  { "%f[%w_]wmma%f[^%w_]", "tensor cores (wmma)" }, { "<<<", "launches from kernels (<<<>>>)" },
  { "%f[%w_]__cluster_dims__", "thread block clusters" }, { "%f[%w_]__pipeline_", "asynchronous copies (__pipeline_)" },
  { "%f[%w_](cuda%u%w*)", "the CUDA runtime (%s)" }, { "%f[%w_](__half2?)%f[^%w_]", "%s (use cupola/half.h)" },
  { "%f[%w_](__nv_%w+)%f[^%w_]", "%s (use cupola/half.h)" }, { "%f[%w_](__nvvm_%w+)", "%s" },
}
local CUDA_HEADER = { "^cuda", "^cub/", "^thrust/", "^cooperative_groups", "^mma%.h", "^curand", "^cu%a+%.h", "^nv/",
  "^crt/", "^cutlass", "^cute/", "^vector_%a+%.h", "^device_%w+%.h", "^sm_", "^texture", "^surface", "^math_constants" }

-- Names of the CUDA runtime that kernels/user/textures.h defines.
local TEXTURES = { cudaTextureObject_t = true, cudaSurfaceObject_t = true, cudaSurfaceBoundaryMode = true,
  cudaBoundaryModeZero = true, cudaBoundaryModeClamp = true, cudaBoundaryModeTrap = true }

local function refuse(d, what)
  fail("usage", "%s cannot be used on the CPU device; run this kernel on a GPU%s", what,
    d.kind == "source" and "" or " of the architecture that it was compiled for")
end

local function check_cpu(d)
  for _, name in ipairs(d.missing) do
    for _, pattern in ipairs(CUDA_HEADER) do
      if string.find(name, pattern) and not OWN[name] then refuse(d, string.format("CUDA's header <%s>", name)) end
    end
  end
  local codes = { d.info.code }
  for _, header in ipairs(d.headers) do codes[#codes + 1] = signature.read(header.text).code end
  for _, code in ipairs(codes) do
    code = string.gsub(code, "%f[%w_]cuda%u[%w_]*", function(name) return TEXTURES[name] and "" or nil end)
    for _, rule in ipairs(REFUSED) do
      local from, _, name = string.find(code, rule[1])
      if from then refuse(d, name and string.format(rule[2], name) or rule[2]) end
    end
  end
end

-- ---- on the CPU: the text ----

local WAITS = { "__sync%w+", "__shfl_%w+", "__ballot_sync", "__any_sync", "__all_sync", "__uni_sync",
  "__match_%w+_sync", "__reduce_%w+_sync", "__nanosleep" }

-- Which kernels need fibers: a function from a kernel's body to a boolean. A barrier in a kernel's body
-- counts for that kernel; a barrier elsewhere (device functions, macros, headers) counts for all kernels.
local function fibers_of(d)
  local info, places, all = d.info, {}, false
  for _, header in ipairs(d.headers) do
    for _, pattern in ipairs(WAITS) do all = all or string.find(header.text, pattern) ~= nil end
  end
  for _, pattern in ipairs(WAITS) do
    for at in string.gmatch(info.bare, "()%f[%w_]" .. pattern) do
      local inside = false
      for _, k in pairs(info.kernels) do inside = inside or k.body and at > k.body[1] and at < k.body[2] end
      all = all or not inside or string.sub(info.code, at, at) ~= "_"
      places[#places + 1] = at
    end
  end
  return function(body)
    if all or not body then return #places > 0 or all end
    for _, at in ipairs(places) do
      if at > body[1] and at < body[2] then return true end
    end
    return false
  end
end

local function dynamic_shared(before, declaration, name, at_file_scope)
  local words = string.gsub(string.gsub(string.gsub(string.gsub(before .. " " .. declaration, "__align__%s*%b()", " "),
    "alignas%s*%b()", " "), "__attribute__%s*%b()", " "), "%f[%w_]extern%f[^%w_]", " ")
  local t, lines = string.match(string.gsub(words, "%s+", " "), "^%s*(.-)%s*$"),
    string.gsub(before .. declaration, "[^\n]", "")
  if at_file_scope then return string.format("static cp_dynamic_array<%s> %s;%s", t, name, lines) end
  return string.format("%s *const %s = cp_dynamic<%s>();%s", t, name, t, lines)
end

-- CUDA's declarations of shared memory in C++.
local function rewrite(info, text)
  local function dynamic(before, declaration, name)
    if string.find(before, "[^%w_%s%(%)]") then return nil end
    return dynamic_shared(before, declaration, name, info.shared[name])
  end
  text = string.gsub(text, "%f[%w_]extern%f[^%w_]([^;{}]-)__shared__([^;{}%[]-)([%a_][%w_]*)%s*%[%s*%]%s*;", dynamic)
  text = string.gsub(text, "%f[%w_]__shared__%s+extern%f[^%w_]()([^;{}%[]-)([%a_][%w_]*)%s*%[%s*%]%s*;",
    function(_, declaration, name) return dynamic("", declaration, name) end)
  text = string.gsub(text, "%f[%w_]static%s+__shared__", "__shared__")
  return (string.gsub(text, "%f[%w_]__shared__%s+static%f[^%w_]", "__shared__"))
end

-- The text of a file with its included files in place.
local function inlined(embedded, d, info, text, file)
  return replace_includes(rewrite(info, text), file, function(name)
    local header = d.found[file .. "\0" .. name]
    if not header then return OWN[name] and own_header(embedded, OWN[name], false) or nil end
    local inner = inlined(embedded, d, signature.read(header.text), header.text, header.path)
    inner = string.format("#line 1 %s\n%s", quoted(header.path), inner)
    if not string.find(header.text, "#%s*pragma%s+once") then return inner end
    local guard = string.format("cp_once_%d", header.number)
    return string.format("#ifndef %s\n#define %s\n%s\n#endif\n", guard, guard,
      string.gsub(inner, "#%s*pragma%s+once", ""))
  end)
end

local function uses_textures(d)
  local texts = { d.info.code }
  for _, header in ipairs(d.headers) do texts[#texts + 1] = header.text end
  local all = table.concat(texts, "\n")
  for _, pattern in ipairs { "%f[%w_]tex%dD", "%f[%w_]surf%dD", "cudaTexture", "cudaSurface", "cudaBoundaryMode" } do
    if string.find(all, pattern) then return true end
  end
  return false
end

local function platform(embedded, d)
  local out = {}
  local function add(text) out[#out + 1] = text end
  local headers = false
  for _, name in ipairs(d.missing) do
    if not OWN[name] then
      if not headers then add "#define CP_HEADERS 1\n#include <math.h>\n#include <stdint.h>\n#include <stddef.h>\n" end
      headers = true
      add(string.format("#include <%s>\n", name)) -- before our macros, which could break it
    end
  end
  if not headers then add "typedef decltype(sizeof 0) size_t;\ntypedef decltype((char *)0 - (char *)0) ptrdiff_t;\n" end
  add(embedded "kernels/user/cpu.h")
  add "#define CP_POSITIONS 1\n"
  add(embedded "kernels/user/numbers.h")
  if not headers then
    add(embedded "kernels/user/cpu_math.h")
    add(embedded "kernels/user/integers.h")
  end
  for _, name in ipairs { "cpu_extra.h", "vectors.h", "raw_cpu.h" } do add(embedded("kernels/user/" .. name)) end
  if uses_textures(d) then add(embedded "kernels/user/textures.h") end
  return table.concat(out)
end

-- Macros given as options are defined after our own text.
local function cpu_options(d)
  local defines, options = {}, {}
  for _, option in ipairs(d.options) do
    option = string.gsub(string.gsub(option, "^%-%-define%-macro=", "-D"), "^%-%-undefine%-macro=", "-U")
    local kind, name, value = string.match(option, "^%-([DU])%s*([%a_][%w_]*)(.*)$")
    if kind == "D" then
      defines[#defines + 1] = string.format("#define %s %s\n", name, value == "" and "1" or string.sub(value, 2))
    elseif kind == "U" then
      defines[#defines + 1] = string.format("#undef %s\n", name)
    elseif string.find(option, "^%-%-?std=") then
      options[#options + 1] = string.gsub(string.gsub(option, "^%-%-", "-"), "=c%+%+%d+", function(std)
        return tonumber(string.match(std, "%d+")) < 17 and "=c++17" or std -- our own text needs C++17
      end)
    end
  end
  return table.concat(defines), options
end

local function entries(d)
  local fibers, out, count = fibers_of(d), {}, 0
  for _, name in ipairs(d.wanted) do
    local kernel = signature.find(d.info, name)
    local waits = d.together and 2 or fibers(kernel and kernel.body) and 1 or 0
    count = count + 1
    out[count] = string.gsub(string.format("  {%s, K::cp_run, K::cp_arity, K::cp_sizes, %d},\n", quoted(name), waits),
      "K::", function() return string.format("cp_raw_kernel<&%s>::", name) end)
  end
  local variables = {}
  for k, v in ipairs(d.info.variables) do
    variables[k] = string.format("  {%s, (void *)&%s, sizeof(%s)},\n", quoted(v.name), v.name, v.name)
  end
  return table.concat({
    '#line 1 "cupola"\nstatic const cp_raw_entry cp_entries[] = {\n', table.concat(out), "  {0, 0, 0, 0, 0}};\n",
    "static const cp_raw_variable cp_variables[] = {\n", table.concat(variables), "  {0, 0, 0}};\n",
    'extern "C" __attribute__((visibility("default"))) const cp_raw_table cupola_module = {',
    string.format("%d, %d, cp_entries, cp_variables};\n", count, #variables),
  })
end

local function cpu_source(embedded, d)
  if d.kind ~= "source" then refuse(d, "machine code of a GPU") end
  check_cpu(d)
  local defines, options = cpu_options(d)
  options[#options + 1] = "-fvisibility=hidden"
  local text = table.concat({
    platform(embedded, d), generated(embedded, d, false), defines, string.format("#line 1 %s\n", quoted(d.file)),
    inlined(embedded, d, d.info, d.text, d.file), "\n", entries(d),
  })
  return { text = text, options = options, symbols = {} }
end

-- ---- both ----

local function identify(d, s)
  local parts = { s.text }
  for _, list in ipairs { s.options, s.symbols } do
    parts[#parts + 1] = tostring(#list)
    for _, v in ipairs(list) do parts[#parts + 1] = v end
  end
  for _, header in ipairs(d.headers) do
    parts[#parts + 1] = header.path
    parts[#parts + 1] = header.text
  end
  for k, part in ipairs(parts) do parts[k] = #part .. ":" .. part end
  return table.concat(parts)
end

--- What src/lua/kernels/rawmodule.c passes to a device of this kind: {name, text, key, options, symbols,
--- image, whole_language, cuda_headers}.
function raw.source(embedded, d, kind)
  local s
  if kind == "cpu" then
    s = cpu_source(embedded, d)
  elseif d.kind == "source" then
    s = cuda_source(embedded, d)
  else
    s = { text = d.text, options = {}, symbols = {}, image = true }
  end
  s.name = d.name
  s.key = identify(d, s)
  return s
end

raw.has_word = signature.has_word

return raw
