-- cp.ElementwiseKernel and cp.ReductionKernel: the constructors. They parse the parameter lists and analyse
-- the source. src/lua/kernels/userkernel_run.c calls a kernel; lua/cupola/kernels/user.lua makes its source
-- text. docs/kernels.md describes the language.

return function(_, core)
  local TYPES = { int = "int64", uint = "uint64", float = "float64", complex = "complex128", half = "float16",
    single = "float32", double = "float64" } -- NumPy's names besides those of cp

  local fail = core.fail

  local text_of, options_of = require "cupola.userkernels.arguments"(core)

  local function name_of(where, v, default)
    v = text_of(where, "name", v, default)
    if not string.find(v, "^[%a_][%w_]*$") or #v > 60 then
      fail(where, "usage", "name must be an identifier, not '%s'", v)
    end
    return v
  end

  -- ---- parameters ----

  local function set_type(where, p, text)
    if string.find(text, "^%a$") then
      if text == "n" or text == "i" then fail(where, "usage", "'%s' is reserved and cannot name a type", text) end
      p.letter = text
      return
    end
    local dtype = core.find_dtype(TYPES[text] or text)
    if not dtype then
      local near = core.suggest(text, core.dtypes())
      fail(where, "dtype", "no dtype '%s' (of parameter '%s')%s; a type is a dtype's name or one letter", text, p.name,
        near and "; did you mean '" .. near .. "'?" or "")
    end
    p.dtype = dtype
  end

  -- "raw T x", "_non_const float32 y", ...
  local function parameter(where, text, output)
    local words = {}
    for word in string.gmatch(text, "%S+") do words[#words + 1] = word end
    local p = { output = output or nil, raw = false, mutable = false }
    while words[1] == "raw" or words[1] == "_non_const" do
      if words[1] == "raw" then p.raw = true else p.mutable = true end
      table.remove(words, 1)
    end
    if #words ~= 2 then
      fail(where, "usage", "cannot read the parameter '%s'; write [raw] TYPE NAME", string.match(text, "^%s*(.-)%s*$"))
    end
    p.name = words[2]
    if not string.find(p.name, "^[%a_][%w_]*$") then
      fail(where, "usage", "'%s' is not a valid name for a parameter", p.name)
    end
    if p.name == "n" or p.name == "i" or string.find(p.name, "^_") or string.find(p.name, "^cp_") then
      fail(where, "usage", "the parameter name '%s' is reserved: n, i, and what begins with _ or cp_", p.name)
    end
    set_type(where, p, words[1])
    return p
  end

  local function add_parameters(where, list, text, output)
    if not string.find(text, "%S") then return end
    for part in string.gmatch(text .. ",", "(.-),") do
      local p = parameter(where, part, output)
      for _, q in ipairs(list) do
        if q.name == p.name then fail(where, "usage", "two parameters are named '%s'", p.name) end
      end
      list[#list + 1] = p
    end
  end

  local function parameters(where, inputs, outputs)
    local list = {}
    add_parameters(where, list, text_of(where, "in_params", inputs), false)
    add_parameters(where, list, text_of(where, "out_params", outputs), true)
    if #list == 0 or not list[#list].output then fail(where, "usage", "out_params names no output") end
    return list
  end

  -- ---- analysis of the source ----

  local function without_comments(text)
    return (string.gsub(string.gsub(text, "/%*.-%*/", " "), "//[^\n]*", " "))
  end

  local function has_word(text, word) return string.find(" " .. text .. " ", "[^%w_]" .. word .. "[^%w_]") ~= nil end

  -- Whether `text` first assigns a complete value to an output, unconditionally, and never returns early or
  -- takes its address: then the old value does not matter.
  local function only_writes(text, name)
    for _, word in ipairs { "return", "continue", "break", "goto", "asm" } do
      if has_word(text, word) then return false end
    end
    if string.find(text, "#") or string.find(text, "&%s*" .. name .. "[^%w_]") then return false end
    local first, last = string.find(" " .. text .. " ", "[^%w_]" .. name .. "[^%w_]")
    if not first then return false end
    local before, after = string.sub(text, 1, first - 1), string.sub(text, last - 1)
    local _, opened = string.gsub(before, "[%({%[]", "")
    local _, closed = string.gsub(before, "[%)}%]]", "")
    if opened ~= closed or not string.find(before, "^%s*$") and not string.find(before,
      "[;}]%s*$") then return false end
    local value = string.match(after, "^%s*=([^=].-);") or string.match(after, "^%s*=([^=].*)$")
    return value ~= nil and not has_word(value, name)
  end

  -- What the kernel's template must provide: positions, memory references. `body` is the source for one
  -- element.
  local function analyse(d, body)
    body = without_comments(body)
    local macros = string.find(d.preamble, "#%s*define") and d.preamble or ""
    local get = string.find(body, "_ind%s*%.%s*get") ~= nil
    d.uses = { i = get or has_word(body, "i") or has_word(macros, "i"), shape = get and not d.reduction,
      J = d.reduction and (has_word(body, "_J") or has_word(body, "_j")) }
    d.plain = #body > 600 or has_word(body, "for") or has_word(body, "while") or has_word(body, "goto")
    for _, p in ipairs(d.params) do
      local macro = has_word(macros, p.name)
      p.direct = p.output and not p.raw and (d.reduction or macro or not only_writes(body, p.name)) or nil
      d.plain = d.plain or p.direct or p.mutable
    end
    return d
  end

  -- Everything that the text of the kernel depends on, as one string.
  local function identify(d, ...)
    local parts = { d.name, ... }
    for _, p in ipairs(d.params) do
      local flags = (p.raw and "r" or "") .. (p.mutable and "m" or "") .. (p.output and "o" or "")
      parts[#parts + 1] = string.format("%s %s %s", p.letter or p.dtype, p.name, flags)
    end
    for _, option in ipairs(d.options) do parts[#parts + 1] = option end
    d.all_text = table.concat({ ... }, "\n")
    for k, part in ipairs(parts) do parts[k] = #part .. ":" .. part end
    d.identity_key = table.concat(parts)
    return d
  end

  -- ---- the constructors ----

  local function elementwise(where, inputs, outputs, operation, name, reduce_dims, preamble, no_return,
      return_tuple, _, loop_prep, after_loop, options)
    core.check_capability(where, "user kernels")
    core.boolean(reduce_dims, where, "reduce_dims", false)
    local d = { reduction = false, params = parameters(where, inputs, outputs), name = name_of(where, name, "kernel") }
    d.operation = text_of(where, "operation", operation)
    d.preamble = text_of(where, "preamble", preamble, "")
    d.loop_prep = text_of(where, "loop_prep", loop_prep, "")
    d.after_loop = text_of(where, "after_loop", after_loop, "")
    d.no_return = core.boolean(no_return, where, "no_return", false)
    d.return_tuple = core.boolean(return_tuple, where, "return_tuple", false)
    d.options = options_of(where, options)
    identify(d, d.operation, d.preamble, d.loop_prep, d.after_loop)
    return core.user_kernel(analyse(d, d.operation))
  end

  local function reduction(where, inputs, outputs, map_expr, reduce_expr, post_map_expr, identity, name,
      reduce_type, reduce_dims, preamble, options)
    core.check_capability(where, "user kernels")
    core.boolean(reduce_dims, where, "reduce_dims", false)
    local d = { reduction = true, params = parameters(where, inputs, outputs) }
    d.name = name_of(where, name, "reduce_kernel")
    for _, p in ipairs(d.params) do
      if p.output and p.raw then fail(where, "usage", "the output '%s' of a reduction cannot be raw", p.name) end
    end
    d.map_expr = text_of(where, "map_expr", map_expr)
    d.reduce_expr = text_of(where, "reduce_expr", reduce_expr)
    d.post_map_expr = text_of(where, "post_map_expr", post_map_expr)
    d.identity = text_of(where, "identity", type(identity) == "number" and tostring(identity) or identity, "")
    d.reduce_type = text_of(where, "reduce_type", reduce_type, "")
    d.preamble = text_of(where, "preamble", preamble, "")
    d.options = options_of(where, options)
    identify(d, d.map_expr, d.reduce_expr, d.post_map_expr, d.identity, d.reduce_type, d.preamble)
    return core.user_kernel(analyse(d, d.map_expr))
  end

  --- An elementwise function from source text that describes one element; see docs/kernels.md.
  ---@param in_params string  "T x, float32 y, raw T z"
  ---@param out_params string
  ---@param operation string  C++ statements
  ---@return userdata kernel  called as k(x, y, ..., [outputs...], {size =, block_size =, stream =})
  core.publish("ElementwiseKernel", "in_params, out_params, operation, name, reduce_dims, "
    .. "preamble, no_return, return_tuple, doc, loop_prep, after_loop, options", 3, elementwise)

  --- A reduction from source text: map_expr of an element, reduce_expr of `a` and `b`, post_map_expr of `a`.
  ---@return userdata kernel  called as k(x, ..., axis, {axis =, keepdims =, out =, stream =})
  core.publish("ReductionKernel", "in_params, out_params, map_expr, reduce_expr, post_map_expr, "
    .. "identity, name, reduce_type, reduce_dims, preamble, options", 5, reduction)

  -- A compiler's message with the line of the user's source that it refers to.
  function core.explain_compile_error(d, message)
    for file, line in string.gmatch(message, "([%w_ ]+)[:%(](%d+)[:%)]") do
      local part = file == d.name and "operation" or string.match(file, "^" .. d.name .. " ([%w_]+)$")
      local text, k = part and d[part], 0
      for l in string.gmatch(((type(text) == "string" and text .. "\n" or "")), "(.-)\n") do
        k = k + 1
        if k == tonumber(line) then return string.format("%s\n%s, line %s: %s", message, part, line, l) end
      end
    end
    return message
  end
end
