-- The text of a Lua function. Lua tells the file and the lines; several functions may share these, and the
-- file may have changed since. So the bytecode of the function must occur in that of its file, and of several
-- candidates the right one is that which must not change for it to occur.

local lexer = require "cupola.jit.lexer"
local parser = require "cupola.jit.parser"

local text = {}

-- ---- bytecode ----

local HEADER = 32 -- bytes of Lua 5.4's bytecode before a function: the header and the number of upvalues

-- LuaJIT's header: ESC "LJ", a version, flags, and the chunk's name with its length unless it is left out.
local function after_header(code)
  if string.sub(code, 1, 3) ~= "\27LJ" then return string.sub(code, HEADER + 1) end
  local at, length, factor = 6, 0, 1
  if math.floor(string.byte(code, 5) / 2) % 2 == 1 then return string.sub(code, 6, -2) end
  repeat
    local byte = string.byte(code, at)
    length, factor, at = length + byte % 128 * factor, factor * 128, at + 1
  until byte < 128
  return string.sub(code, at + length, -2)
end

local function knows_bytecode(interpreter)
  return string.find(interpreter, "^LuaJIT") or interpreter == "Lua 5.4"
end

-- The text as a loader sees it: without the first line if that begins with #.
local function loadable(source)
  source = string.gsub(source, "^\239\187\191", "")
  return (string.gsub(source, "^#[^\r\n]*", ""))
end

-- ---- candidates ----

local function same_names(params, names)
  if #params ~= #names then return false end
  for k, p in ipairs(params) do
    if p.name ~= names[k] then return false end
  end
  return true
end

-- Whether a function's text has these names of upvalues.
local function has_names(tokens, from, f, upvalues)
  local found = { _ENV = true }
  for k = from, f.stop do
    if tokens[k] and tokens[k].type == "name" then found[tokens[k].value] = true end
  end
  for _, name in ipairs(upvalues) do
    if name ~= "" and not found[name] then return false end
  end
  return true
end

local function parse_at(tokens, k) return parser.function_at(tokens, k) end

-- The functions in a text that begin and end on these lines and have these parameters; or nil and an error of
-- the text.
local function candidates(source, d)
  local ok, tokens = pcall(lexer.read, source)
  if not ok then return nil, tokens end
  local list, varargs, problem = {}, {}, nil
  for k, token in ipairs(tokens) do
    if token.type == "function" and token.line == d.first then
      local parsed, f = pcall(parse_at, tokens, k)
      if not parsed and type(f) ~= "table" then error(f, 0) end
      if not parsed then
        problem = problem or f
      elseif f.last == d.last and same_names(f.params, d.params) and has_names(tokens, k, f, d.upvalues) then
        f.token = k
        local kind = f.vararg and varargs or list
        kind[#kind + 1] = f
      end
    end
  end
  list.unsure = #list > 0 and #varargs > 0 -- which is not a function that can be changed below
  return #list > 0 and list or varargs, problem, tokens
end

-- The text with other bytecode of some candidates: they take any number of arguments. The functions in them
-- and beside them stay as they are, and so do all lines.
local function changed(source, list)
  for k = #list, 1, -1 do
    local f = list[k]
    source = string.sub(source, 1, f.close - 1) .. (#f.params > 0 and ", ..." or "...") .. string.sub(source, f.close)
  end
  return source
end

local function contains(f, g) return f ~= g and f.from < g.from and g.to < f.to end

-- Whether the candidates have the same text, but for spaces and comments.
local function same_text(source, list)
  local texts = {}
  for k, f in ipairs(list) do
    local words = {}
    for n, token in ipairs(lexer.read(string.sub(source, f.from, f.to))) do
      words[n] = token.text or token.value or token.type
    end
    texts[k] = table.concat(words, " ", 2) -- a name may follow the keyword
    texts[k] = string.gsub(texts[k], "^[^(]*", "")
  end
  for k = 2, #texts do
    if texts[k] ~= texts[1] then return false end
  end
  return true
end

-- The candidate that is the function d, or nil and what is wrong.
local function choose(core, source, d, list)
  if not d.code or not knows_bytecode(core.interpreter) then
    if #list == 1 then return list[1] end
    return nil, "several functions are on these lines; put it on lines of its own"
  end
  local body = after_header(d.code)
  local function has_body(source_text)
    local whole = core.jit_dump(loadable(source_text), d.source)
    return whole and string.find(whole, body, 1, true)
  end
  if not has_body(source) then
    return nil,
      "the text there is that of another function: the file has changed since it was loaded, or its name is wrong"
  end
  if #list == 1 and not list.unsure then return list[1] end
  local found
  for _, f in ipairs(list) do -- with a function, those around it change
    if not has_body(changed(source, { f })) and not (found and contains(found, f)) then found = f end
  end
  if found then return found end
  local equal = {} -- several functions have this bytecode
  for _, f in ipairs(list) do
    local others = {}
    for _, g in ipairs(list) do
      if f ~= g and not contains(f, g) then others[#others + 1] = g end
    end
    if not list.unsure and has_body(changed(source, others)) then equal[#equal + 1] = f end
  end
  if #equal > 0 and same_text(source, equal) then return equal[1] end
  return nil, "several functions on these lines have the same code; put it on lines of its own"
end

-- ---- the name ----

-- The name in `local NAME = cp.jit.rawkernel(function ...`, or nil.
local function name_before(tokens, k)
  local at = k - 1
  while at > 1 and (tokens[at].type == "(" or tokens[at].type == "{" or tokens[at].type == "."
      or tokens[at].type == "name") do
    at = at - 1
  end
  if at > 1 and tokens[at].type == "=" and tokens[at - 1].type == "name" then return tokens[at - 1].value end
  if tokens[k + 1].type == "name" then return tokens[k + 1].value end
end

-- ---- entry points ----

local function read_source(core, d, where)
  local first = string.sub(d.source, 1, 1)
  if first == "=" then
    return nil, string.format("it comes from a chunk named '%s', which is not a file; give its text as a string",
      string.sub(d.source, 2))
  end
  if first ~= "@" then return d.source end
  local path = string.sub(d.source, 2)
  local source, reason = core.raw_file(path, where)
  if not source then return nil, string.format("%s cannot be read: %s", path, reason) end
  return source
end

--- The tree of a Lua function, what core.jit_function says of it and the name it is given in its text; or nil
--- and the reason. An error in its text is raised as a table.
function text.of(core, f, where)
  local d = core.jit_function(f)
  if not d then return nil, "it is a C function" end
  if d.first < 1 then return nil, "it is a main chunk, or it was stripped of its lines" end
  local source, reason = read_source(core, d, where)
  if not source then return nil, reason end
  local place = string.format("%s:%d", d.name, d.first)
  local list, problem, tokens = candidates(source, d)
  if not list or #list == 0 then
    if problem then
      problem.file = d.name
      error(problem, 0)
    end
    return nil, string.format("%s has no such function there: the file has changed, or its name is wrong", place)
  end
  local found, why = choose(core, source, d, list)
  if not found then return nil, place .. ": " .. why end
  return found, d, name_before(tokens, found.token)
end

--- The statements of a text and the function that it returns.
function text.of_string(source, file)
  local ok, list = pcall(parser.chunk, source)
  if not ok then
    if type(list) == "table" then list.file = file end
    error(list, 0)
  end
  local last = table.remove(list)
  local f = last and last.kind == "return" and #last.values == 1 and last.values[1]
  if not f or f.kind ~= "function" then
    error({ line = last and last.line or 1, column = last and last.column or 1, file = file,
      message = "the text must be a function, or statements and `return function(...) ... end`" }, 0)
  end
  return f, list
end

return text
