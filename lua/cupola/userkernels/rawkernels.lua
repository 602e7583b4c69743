-- cp.RawKernel and cp.RawModule: kernels with source written entirely by users. This file reads sources and
-- headers and finds the kernels in them. src/lua/kernels/rawkernel.c calls a kernel;
-- lua/cupola/kernels/raw.lua makes the text that a device compiles. docs/kernels.md describes it.

return function(cp, core)
  local raw = require "cupola.kernels.raw"
  local signature = require "cupola.kernels.signature"
  local text_of, options_of = require "cupola.userkernels.arguments"(core)

  local fail = core.fail

  -- ---- options ----

  local function folders_of(options)
    local folders = {}
    for _, option in ipairs(options) do
      local folder = string.match(option, "^%-I(.+)$") or string.match(option, "^%-%-include%-path=(.+)$")
      if folder then folders[#folders + 1] = folder end
    end
    return folders
  end

  -- ---- headers ----

  local function folder_of(path) return string.match(path, "^(.*)/[^/]*$") or "." end

  local function find_header(d, name, quoted, from)
    local places = {}
    if quoted and from then places[1] = folder_of(from) end
    for _, folder in ipairs(d.folders) do places[#places + 1] = folder end
    if string.sub(name, 1, 1) == "/" then places = { "" } end
    for _, folder in ipairs(places) do
      local path = folder == "" and name or folder .. "/" .. name
      local text = d.by_path[path] and d.by_path[path].text or core.raw_file(path)
      if text then return path, text end
    end
  end

  -- Finds the headers that a text includes, and those that they include. file: the name of the text in
  -- d.found; path: its location, if it is a file.
  local function read_headers(d, text, file, path)
    for open, name in string.gmatch("\n" .. text, '\n[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]') do
      local at, inner = find_header(d, name, open == '"', path)
      if not at then
        if not d.missing[name] then d.missing[#d.missing + 1] = name end
        d.missing[name] = true
      elseif not d.found[file .. "\0" .. name] then
        local header = d.by_path[at]
        if not header then
          header = { path = at, text = inner, number = #d.headers + 1 }
          d.by_path[at] = header
          d.headers[#d.headers + 1] = header
          read_headers(d, inner, at, at)
        end
        d.found[file .. "\0" .. name] = header
      end
    end
  end

  -- ---- declarations (see lua/cupola/kernels/raw.lua) ----

  local function is_image(text)
    if string.sub(text, 1, 4) == "\127ELF" or string.sub(text, 1, 4) == "\80\237\85\186" then return true end
    local version = string.find(text, "^%s*%.version") or string.find(text, "\n%s*%.version%s+%d")
    return version ~= nil and string.find(text, "\n%s*%.target") ~= nil
  end

  local function declare(where, text, file, path, options)
    core.check_capability(where, "user kernels")
    local d = { name = file, file = file, kind = is_image(text) and "image" or "source", text = text,
      options = options, headers = {}, found = {}, missing = {}, by_path = {}, wanted = {},
      folders = folders_of(options) }
    if d.kind == "image" then
      d.info = signature.read ""
      return d
    end
    if string.find(text, "\0", 1, true) then
      fail(where, "usage", "the source contains a zero byte: it is neither text nor a known image")
    end
    if path then table.insert(d.options, 1, "-I" .. folder_of(path)) end
    d.info = signature.read(text)
    read_headers(d, text, file, path)
    return d
  end

  -- The names of the kernels in a source, for messages.
  local function known_kernels(info)
    if #info.order == 0 then return "the source has no __global__ function" end
    return "the kernels are " .. table.concat(info.order, ", ")
  end

  -- The kernel's parameters, or nil if the source does not show them; raises if the source certainly has no
  -- such kernel.
  local function find_kernel(where, d, name)
    if d.kind == "image" then return nil end
    local kernel, parameters = signature.find(d.info, name)
    if kernel and kernel.template and not string.find(name, "<") then
      fail(where, "usage", "%s is a template; name an instance of it, such as %s<float>", name, name)
    end
    if kernel then return parameters end
    local last = string.match(string.gsub(name, "%s*<.*$", ""), "([%a_][%w_]*)%s*$")
    local seen = last and raw.has_word(d.info.bare, last)
    for _, header in ipairs(d.headers) do seen = seen or last and raw.has_word(header.text, last) end
    if not seen then
      fail(where, "usage", "no kernel '%s'; %s", name, known_kernels(d.info))
    end
    for _, header in ipairs(d.headers) do
      local _, found = signature.find(signature.read(header.text), name)
      if found then return found end
    end
  end

  local function explicit_signature(where, text)
    if text == nil then return nil end
    text = text_of(where, "signature", text)
    return signature.parameters(string.match(text, "^%s*%((.*)%)%s*$") or text, {})
  end

  local function check_backend(where, v)
    if v ~= nil and v ~= "nvrtc" then core.not_among(where, "backend", '"nvrtc"', v) end
  end

  local function short_name(name) return #name > 90 and string.sub(name, 1, 87) .. "..." or name end

  -- ---- RawKernel ----

  local function raw_kernel(where, code, name, options, backend, translate, cooperative, strided, given)
    name = string.match(text_of(where, "name", name), "^%s*(.-)%s*$")
    if name == "" then fail(where, "usage", "name is empty") end
    check_backend(where, backend)
    core.boolean(translate, where, "translate_cucomplex", false) -- cuComplex.h needs no translation
    local d = declare(where, text_of(where, "code", code), string.gsub(short_name(name), "[^%w_]+", "_"), nil,
      options_of(where, options))
    if d.kind == "image" then fail(where, "usage", "code must be a source; machine code is for cp.RawModule") end
    local parameters = explicit_signature(where, given) or find_kernel(where, d, name)
    d.wanted[1] = name
    cooperative = core.boolean(cooperative, where, "enable_cooperative_groups", false)
    strided = core.boolean(strided, where, "strided", false)
    return core.raw_kernel(d, short_name(name), name, parameters, { cooperative = cooperative, strided = strided })
  end

  --- A kernel from CUDA C++ source; see docs/kernels.md.
  ---@param code string  the source
  ---@param name string  the name of the __global__ function, such as "add" or "scale<float>"
  ---@param options? table  compiler options, such as {"-DN=4", "-Ifolder"}
  ---@return cupola.RawKernel  called as k(grid, block, {x, y}, {shared_mem =, stream =}) or k[{grid,
  --- block}](x, y)
  core.publish("RawKernel", "code, name, options, backend, translate_cucomplex, "
    .. "enable_cooperative_groups, strided, signature", 2, raw_kernel)

  -- ---- RawModule ----

  local Module = {}
  Module.__index = function(_, name)
    local method = Module[name]
    if method then return method end
    core.unknown("RawModule", "a module", tostring(name), Module)
  end
  Module.__name = "cupola.module"
  Module.__tostring = function(m) return "RawModule " .. rawget(m, "declaration").file end

  local function declaration_of(m, where)
    local d = type(m) == "table" and rawget(m, "declaration")
    if not d then fail(where, "usage", "call it as module:%s(...)", string.match(where, "[^.]+$")) end
    return d
  end

  local function squeeze(name) return (string.gsub(name, "%s+", "")) end

  -- The kernel's name as the compiler was given it, if the kernel is compiled.
  local function wanted_name(where, d, name)
    if d.kind == "image" then return name end
    for _, wanted in ipairs(d.wanted) do
      if squeeze(wanted) == squeeze(name) then return wanted end
    end
    find_kernel(where, d, name)
    local kernel = signature.find(d.info, name)
    if kernel and kernel.plain and not kernel.conditional then return name end
    fail(where, "usage", "'%s' must be among the module's name_expressions", name)
  end

  --- The kernel of this name (for templates an expression from name_expressions).
  ---@param name string
  ---@param signature? string  its parameters, such as "const float *x, int n"
  ---@param strided? boolean
  ---@return cupola.RawKernel
  Module.get_function = core.define("RawModule.get_function", "module, name, signature, strided", 1,
    function(where, self, name, explicit, strided)
      local d = declaration_of(self, where)
      name = text_of(where, "name", name)
      strided = core.boolean(strided, where, "strided", false)
      local key = string.format("%s\0%s\0%s", name, tostring(explicit), tostring(strided))
      if not self.kernels[key] then
        local symbol = wanted_name(where, d, name)
        local parameters = explicit_signature(where, explicit) or find_kernel(where, d, symbol)
        self.kernels[key] = core.raw_kernel(d, short_name(name), symbol, parameters,
          { cooperative = self.cooperative, strided = strided })
      end
      return self.kernels[key]
    end)

  -- The shape of a declaration such as `float c[4][2]`; nil if its lengths are not plain numbers.
  local function shape_of(v)
    local shape = {}
    for k, length in ipairs(v.dims) do
      shape[k] = tonumber(string.match(length, "^%d+$"))
      if not shape[k] then return nil end
    end
    if v.kind == "vector" then shape[#shape + 1] = v.count end
    return shape
  end

  local function get_global(where, self, name, dtype, shape)
    local d = declaration_of(self, where)
    name = text_of(where, "name", name)
    local declared
    for _, v in ipairs(d.info.variables) do
      if v.name == name then declared = v end
    end
    if not declared and d.kind == "source" and #d.headers == 0 then
      local names = {}
      for k, v in ipairs(d.info.variables) do names[k] = v.name end
      fail(where, "usage", "no variable '%s'; %s", name, #names == 0 and "the source has none at file scope"
        or "the variables are " .. table.concat(names, ", "))
    end
    local plain = declared and (declared.kind == "number" or declared.kind == "vector")
    if plain and dtype == nil then
      dtype = declared.dtype
      if shape == nil then shape = shape_of(declared) end
    end
    return core.raw_global(d, name, dtype, shape, where)
  end

  --- A variable of the module (__device__ or __constant__) on the current device, as an array on its memory.
  ---@param name string
  ---@param dtype? string  default: the dtype of the declaration, else uint8
  ---@param shape? table|integer
  ---@return any array
  Module.get_global = core.define("RawModule.get_global", "module, name, dtype, shape", 1, get_global)

  --- Compiles and loads the module on the current device now instead of at its first use.
  ---@return cupola.Module
  Module.compile = core.define("RawModule.compile", "module", 1, function(where, self)
    core.raw_load(declaration_of(self, where), where)
    return self
  end)

  local function read_source(where, code, path)
    if (code == nil) == (path == nil) then fail(where, "usage", "needs either code or path") end
    if code ~= nil then return text_of(where, "code", code), "module" end
    path = text_of(where, "path", path)
    local text, reason = core.raw_file(path)
    if not text then fail(where, "io", "cannot read %s: %s", path, reason) end
    return text, string.match(path, "[^/]+$")
  end

  local function raw_module(where, code, path, options, backend, translate, cooperative, expressions)
    local text, file = read_source(where, code, path)
    check_backend(where, backend)
    core.boolean(translate, where, "translate_cucomplex", false)
    local d = declare(where, text, file, path, options_of(where, options))
    if expressions ~= nil and (type(expressions) ~= "table" or d.kind == "image") then
      fail(where, "usage", d.kind == "image" and "name_expressions need a source, and this is machine code"
        or "name_expressions must be a table of strings, not " .. type(expressions))
    end
    for _, name in ipairs(expressions or {}) do
      find_kernel(where, d, text_of(where, "each of name_expressions", name))
      d.wanted[#d.wanted + 1] = name
      d.wanted[squeeze(name)] = true
    end
    for _, name in ipairs(d.info.order) do
      local kernel = d.info.kernels[name]
      if kernel.body and not kernel.template and not kernel.conditional and not d.wanted[name] then
        d.wanted[#d.wanted + 1] = name
      end
    end
    return setmetatable({ declaration = d, kernels = {},
      cooperative = core.boolean(cooperative, where, "enable_cooperative_groups", false) }, Module)
  end

  --- A module of kernels from CUDA C++ source, a cubin, a fatbin or PTX; see docs/kernels.md.
  ---@param code? string  the source or the bytes of an image
  ---@param path? string  a file with either
  ---@param options? table  compiler options, such as {"-Ifolder"}
  ---@return cupola.Module
  core.publish("RawModule", "code, path, options, backend, translate_cucomplex, "
    .. "enable_cooperative_groups, name_expressions", 0, raw_module)

  -- ---- functions that src/lua/kernels/rawmodule.c calls ----

  local functions = {}

  -- The source of a module for a kind of device ("cpu", "cuda"); `where` is the name for errors.
  function functions.source(d, kind, where)
    local sources = d.sources or {}
    d.sources = sources
    if not sources[kind] then
      local ok, s = pcall(raw.source, core.embedded, d, kind)
      if not ok and type(s) == "table" then fail(where, s.kind, "%s", s.message) end
      if not ok then error(s, 0) end
      sources[kind] = s
    end
    return sources[kind]
  end

  local function escape(text) return (string.gsub(text, "%p", "%%%0")) end

  -- A compiler's message with the line of the user's source that it refers to.
  function functions.explain(d, message)
    local line = tonumber(string.match(message, "%f[%w_]" .. escape(d.file) .. "[:%(](%d+)[:%)]"))
    local k = 0
    for text in string.gmatch(d.text .. "\n", "(.-)\n") do
      k = k + 1
      if k == line then return string.format("%s\nline %d: %s", message, line, text) end
    end
    return message
  end

  core.raw_functions(functions)

  -- The declaration of a module, for tools and specs.
  function core.raw_declaration(m) return declaration_of(m, "RawModule") end

  core.load "userkernels/structs"(cp, core)
end
