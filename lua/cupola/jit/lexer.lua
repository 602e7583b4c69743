-- Splits Lua 5.4's text into tokens with their positions. An error is a table {line =, column =, message =}.
--
-- A token is {type =, line =, column =, from =, to =}: type is "name", "number", "string", "eof", a keyword
-- or an operator. A name and a string have `value`, a number has `text` and `float` (it is spelled as a
-- float).

local lexer = {}

local KEYWORDS = {}
for word in string.gmatch("and break do else elseif end false for function goto if in local nil not or repeat return "
  .. "then true until while", "%a+") do
  KEYWORDS[word] = true
end

-- Operators of several characters by their first one, longest first.
local LONGER = { ["."] = { "...", ".." }, ["="] = { "==" }, ["~"] = { "~=" }, ["<"] = { "<=", "<<" },
  [">"] = { ">=", ">>" }, ["/"] = { "//" }, [":"] = { "::" } }

-- What a token is by its first byte: "word", "number", "string", or an operator of one character.
local FIRST = {}
for c in string.gmatch("+-*/%^#&~|<>=(){}[];:,.", ".") do FIRST[string.byte(c)] = c end
for code = 0, 255 do
  local c = string.char(code)
  if string.find(c, "[%a_]") then FIRST[code] = "word" elseif string.find(c, "%d") then FIRST[code] = "number" end
end
FIRST[34], FIRST[39] = "string", "string"

local LF, CR, SPACE, TAB, MINUS, BRACKET = 10, 13, 32, 9, 45, 91

--- Raises an error of the text at a token.
function lexer.fail(token, format, ...)
  error({ line = token.line, column = token.column, message = string.format(format, ...) }, 0)
end

-- The end of a long bracket that opens at `at`, or nil if none does; raises if it is not closed.
local function long_end(s, at)
  local level = string.match(s.text, "^%[(=*)%[", at)
  if not level then return nil end
  local _, stop = string.find(s.text, "]" .. level .. "]", at, true)
  if not stop then
    lexer.fail({ line = s.line, column = at - s.start + 1 }, "a long bracket is not closed")
  end
  return stop, #level + 2
end

-- Counts the lines in text from..to; a CR, an LF or a pair of both ends a line.
local function count_lines(s, from, to)
  local at = from
  while true do
    at = string.find(s.text, "[\r\n]", at)
    if not at or at > to then return end
    local two = string.sub(s.text, at, at + 1)
    at = at + ((two == "\r\n" or two == "\n\r") and 2 or 1)
    s.line, s.start = s.line + 1, at
  end
end

-- The first position behind spaces and comments.
local function skip(s, at)
  local text = s.text
  while true do
    local c = string.byte(text, at)
    if c == SPACE or c == TAB or c == 11 or c == 12 then
      at = string.find(text, "[^ \t\v\f]", at + 1) or #text + 1
    elseif c == LF or c == CR then
      local _, last = string.find(text, "^%s+", at)
      count_lines(s, at, last)
      at = last + 1
    elseif c == MINUS and string.byte(text, at + 1) == MINUS then
      local stop = long_end(s, at + 2)
      if stop then count_lines(s, at, stop) end
      at = (stop or (string.find(text, "[\r\n]", at) or #text + 1) - 1) + 1
    else
      return at
    end
  end
end

local ESCAPES = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v" }

local function utf8_bytes(code)
  if code < 128 then return string.char(code) end
  local out, first = "", 64
  repeat
    out, code, first = string.char(128 + code % 64) .. out, math.floor(code / 64), first / 2
  until code < first
  return string.char(256 - 2 * first + code) .. out
end

local function escaped(text)
  text = string.gsub(text, "\\z%s*", "")
  text = string.gsub(text, "\\(%d%d?%d?)", function(d) return "\\u{" .. string.format("%x", tonumber(d)) .. "}b" end)
  text = string.gsub(text, "\\x(%x%x)", "\\u{%1}b")
  text = string.gsub(text, "\\u{(%x+)}(b?)", function(code, byte)
    local n = tonumber(code, 16)
    return "\0" .. (byte == "b" and string.char(n % 256) or utf8_bytes(n))
  end)
  text = string.gsub(text, "\\(.)", function(c) return ESCAPES[c] or c end)
  return (string.gsub(text, "%z(.)", "%1"))
end

local function read_string(s, at, token)
  local quote, from = string.sub(s.text, at, at), at
  while true do
    at = string.find(s.text, "[\\\r\n" .. quote .. "]", at + 1)
    local c = at and string.sub(s.text, at, at)
    if c == quote then break end
    if c ~= "\\" then lexer.fail(token, "a string is not closed") end
    at = at + 1
    count_lines(s, at, at)
  end
  token.type, token.to = "string", at
  token.value = escaped(string.sub(s.text, from + 1, at - 1))
end

local function read_number(s, at, token)
  local hex = string.match(s.text, "^0[xX]", at)
  local body = string.match(s.text, hex and "^0[xX][%x.]*" or "^[%d.]*", at)
  local exponent = string.match(s.text, hex and "^[pP][+-]?%d+" or "^[eE][+-]?%d+", at + #body) or ""
  local text = body .. exponent
  local rest = string.match(s.text, "^[%w_]+", at + #text)
  if rest and (rest == "LL" or rest == "ULL" or rest == "i") then
    lexer.fail(token, "the suffix '%s' is LuaJIT's alone; write cp.jit.%s(%s)", rest,
      rest == "LL" and "int64" or rest == "ULL" and "uint64" or "complex128", text)
  end
  local right = tonumber(text) or string.find(text, "^0[xX]%x*%.?%x*[pP]?[+-]?%d*$") and string.find(text,
    "^0[xX]%.?%x")
  if rest or not right then
    lexer.fail(token, "malformed number near '%s'", text .. (rest or ""))
  end
  token.type, token.text, token.to = "number", text, at + #text - 1
  token.float = string.find(body, ".", 1, true) ~= nil or exponent ~= ""
  -- Decimal integers beyond int64 are floats, as in Lua 5.4.
  if not token.float and not hex then
    local digits = string.match(text, "^0*(%d*)$")
    if #digits > 19 or #digits == 19 and digits > "9223372036854775807" then token.float = true end
  end
end

local function read_operator(s, at, token, c)
  if not c then
    local code = string.byte(s.text, at)
    lexer.fail(token, "unexpected symbol %s", code > 32 and code < 127 and "'" .. string.char(code) .. "'"
      or "<\\" .. code .. ">")
  end
  token.type, token.to = c, at
  for _, longer in ipairs(LONGER[c] or {}) do
    if string.sub(s.text, at, at + #longer - 1) == longer then
      token.type, token.to = longer, at + #longer - 1
      return
    end
  end
end

local function read_token(s, at)
  local token = { line = s.line, column = at - s.start + 1, from = at }
  local c = string.byte(s.text, at)
  local kind = FIRST[c]
  if kind == "word" then
    local word = string.match(s.text, "^[%w_]+", at)
    token.type, token.value, token.to = KEYWORDS[word] and word or "name", word, at + #word - 1
  elseif not c then
    token.type, token.to = "eof", at
  elseif kind == "number" or kind == "." and string.find(s.text, "^%d", at + 1) then
    read_number(s, at, token)
  elseif kind == "string" then
    read_string(s, at, token)
  else
    local stop, size
    if c == BRACKET then stop, size = long_end(s, at) end
    if stop then
      token.type, token.to = "string", stop
      token.value = string.gsub(string.sub(s.text, at + size, stop - size), "^\r?\n", "")
      count_lines(s, at, stop)
    else
      read_operator(s, at, token, kind)
    end
  end
  return token
end

--- The tokens of a text, ended by one of type "eof". A first line that begins with # is skipped, as Lua does.
---@param text string
---@return table
function lexer.read(text)
  local s = { text = text, line = 1, start = 1 }
  local at, list = 1, {}
  if string.sub(text, 1, 3) == "\239\187\191" then at, s.start = 4, 4 end
  if string.sub(text, at, at) == "#" then at = string.find(text, "[\r\n]", at) or #text + 1 end
  repeat
    at = skip(s, at)
    local token = read_token(s, at)
    list[#list + 1] = token
    at = token.to + 1
  until token.type == "eof"
  return list
end

return lexer
