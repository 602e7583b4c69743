-- The text of a Lua function. Lua tells the file and the lines; several functions may share these, and the
-- file may have changed since. So the bytecode of the function must occur in that of its file, and of several
-- candidates the right one is that without which it no longer occurs.

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

local function parse_at(tokens, k) return parser.function_at(tokens, k) end

-- The functions in a text that begin and end on these lines and have these parameters; or nil and an error of
-- the text.
local function candidates(source, d)
  local ok, tokens = pcall(lexer.read, source)
  if not ok then return nil, tokens end
  local list, problem = {}, nil
  for k, token in ipairs(tokens) do
    if token.type == "function" and token.line == d.first then
      local parsed, f = pcall(parse_at, tokens, k)
      if not parsed and type(f) ~= "table" then error(f, 0) end
      if not parsed then
        problem = problem or f
      elseif f.last == d.last and same_names(f.params, d.params) then
        f.token = k
        list[#list + 1] = f
      end
    end
  end
  return list, problem, tokens
end

-- The text without a candidate, whose lines stay.
local function without(source, f)
  local inside = string.sub(source, f.from, f.to)
  return string.sub(source, 1, f.from - 1) .. "nil" .. string.gsub(inside, "[^\r\n]", "") .. string.sub(source,
    f.to + 1)
end

-- The candidate that is the function d, or nil and what is wrong.
local function choose(core, source, d, list)
  if not d.code or not knows_bytecode(core.interpreter) then
    if #list == 1 then return list[1] end
    return nil, "several functions are on these lines; put it on lines of its own"
  end
  local body = after_header(d.code)
  local whole = core.jit_dump(loadable(source), d.source)
  if not whole or not string.find(whole, body, 1, true) then
    return nil,
      "the text there is that of another function: the file has changed since it was loaded, or its name is wrong"
  end
  if #list == 1 then return list[1] end
  local found
  for _, f in ipairs(list) do
    local rest = core.jit_dump(loadable(without(source, f)), d.source)
    if rest and not string.find(rest, body, 1, true) then
      if found then return nil, "several functions on these lines have the same code; put it on lines of its own" end
      found = f
    end
  end
  return found or list[1] -- equal functions have equal texts
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
    return nil, string.format("it comes from a chunk named '%s', which is no file; give its text as a string",
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
  if d.first < 1 then return nil, "it is a main chunk" end
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
