-- Parses functions of Lua 5.4 from tokens (lexer.lua) into trees. Each node has `kind`, `line` and `column`.
--
-- Expressions: nil, true, false, vararg, number {text, float}, string {value}, name {name}, index {object,
-- key}, call {f, args}, method {object, name, args}, function {params, body, from, to}, table {items},
-- binary {op, a, b}, unary {op, a}, paren {a}.
-- Statements: local {names, attributes, values}, assign {targets, values}, callstat {call}, do {body},
-- while {test, body}, repeat {body, test}, if {clauses {test, body}, orelse}, for {name, first, last, step,
-- body}, forin {names, values, body}, localfunction {name, f}, function {target, f}, return {values}, break,
-- goto {name}, label {name}.

local lexer = require "cupola.jit.lexer"

local parser = {}
parser.__index = parser

local fail = lexer.fail

-- ---- tokens ----

function parser:next()
  local token = self.token
  self.at = self.at + 1
  self.token = self.tokens[self.at]
  return token
end

local function shown(token)
  if token.type == "eof" then return "the end of the text" end
  return "'" .. (token.text or token.value or token.type) .. "'"
end

function parser:accept(kind)
  if self.token.type == kind then return self:next() end
end

function parser:expect(kind, opened)
  local token = self:accept(kind)
  if token then return token end
  local wanted = kind == "name" and "a name" or "'" .. kind .. "'"
  if opened and opened.line ~= self.token.line then
    fail(self.token, "%s expected (to close '%s' at line %d), found %s", wanted, opened.type, opened.line,
      shown(self.token))
  end
  fail(self.token, "%s expected, found %s", wanted, shown(self.token))
end

local function node(kind, token, fields)
  fields = fields or {}
  fields.kind, fields.line, fields.column = kind, token.line, token.column
  return fields
end

-- ---- expressions ----

local BINARY = { -- left and right priority
  ["or"] = { 1, 1 }, ["and"] = { 2, 2 }, ["<"] = { 3, 3 }, [">"] = { 3, 3 }, ["<="] = { 3, 3 }, [">="] = { 3, 3 },
  ["~="] = { 3, 3 }, ["=="] = { 3, 3 }, ["|"] = { 4, 4 }, ["~"] = { 5, 5 }, ["&"] = { 6, 6 }, ["<<"] = { 7, 7 },
  [">>"] = { 7, 7 }, [".."] = { 9, 8 }, ["+"] = { 10, 10 }, ["-"] = { 10, 10 }, ["*"] = { 11, 11 },
  ["/"] = { 11, 11 }, ["//"] = { 11, 11 }, ["%"] = { 11, 11 }, ["^"] = { 14, 13 },
}
local UNARY_PRIORITY = 12
local UNARY = { ["not"] = true, ["-"] = true, ["#"] = true, ["~"] = true }
local CONSTANTS = { ["nil"] = "nil", ["true"] = "true", ["false"] = "false", ["..."] = "vararg" }
local MOST_LEVELS = 190 -- of nested constructs, as in Lua

function parser:enter()
  self.depth = self.depth + 1
  if self.depth > MOST_LEVELS then fail(self.token, "too many nested constructs") end
end

function parser:leave() self.depth = self.depth - 1 end

function parser:list()
  local list = { self:expression() }
  while self:accept "," do list[#list + 1] = self:expression() end
  return list
end

function parser:table_items(open)
  local items = {}
  while self.token.type ~= "}" do
    local item = { line = self.token.line, column = self.token.column }
    if self:accept "[" then
      item.key = self:expression()
      self:expect "]"
      self:expect "="
    elseif self.token.type == "name" and self.tokens[self.at + 1].type == "=" then
      local name = self:next()
      item.key = node("string", name, { value = name.value })
      self:next()
    end
    item.value = self:expression()
    items[#items + 1] = item
    if not self:accept "," and not self:accept ";" then break end
  end
  self:expect("}", open)
  return items
end

function parser:arguments()
  local token = self.token
  if token.type == "string" then
    self:next()
    return { node("string", token, { value = token.value }) }
  end
  if token.type == "{" then
    self:next()
    return { node("table", token, { items = self:table_items(token) }) }
  end
  self:next()
  if self:accept ")" then return {} end
  local list = self:list()
  self:expect(")", token)
  return list
end

local CALLS = { ["("] = true, ["{"] = true, string = true }

function parser:suffixed()
  local token = self:next()
  local e
  if token.type == "name" then
    e = node("name", token, { name = token.value })
  elseif token.type == "(" then
    e = node("paren", token, { a = self:expression() })
    self:expect(")", token)
  else
    fail(token, "unexpected %s", shown(token))
  end
  while true do
    token = self.token
    if token.type == "." then
      self:next()
      local name = self:expect "name"
      e = node("index", name, { object = e, key = node("string", name, { value = name.value }) })
    elseif token.type == "[" then
      self:next()
      e = node("index", token, { object = e, key = self:expression() })
      self:expect("]", token)
    elseif token.type == ":" then
      self:next()
      local name = self:expect "name"
      if not CALLS[self.token.type] then fail(self.token, "arguments expected, found %s", shown(self.token)) end
      e = node("method", name, { object = e, name = name.value, args = self:arguments() })
    elseif CALLS[token.type] then
      e = node("call", e, { f = e, args = self:arguments() })
    else
      return e
    end
  end
end

function parser:simple()
  local token = self.token
  if token.type == "number" then
    self:next()
    return node("number", token, { text = token.text, float = token.float })
  elseif token.type == "string" then
    self:next()
    return node("string", token, { value = token.value })
  elseif CONSTANTS[token.type] then
    self:next()
    return node(CONSTANTS[token.type], token)
  elseif token.type == "{" then
    self:next()
    return node("table", token, { items = self:table_items(token) })
  elseif token.type == "function" then
    self:next()
    return self:body(token)
  end
  return self:suffixed()
end

function parser:expression(limit)
  self:enter()
  local token = self.token
  local e
  if UNARY[token.type] then
    self:next()
    e = node("unary", token, { op = token.type, a = self:expression(UNARY_PRIORITY) })
  else
    e = self:simple()
  end
  while true do
    token = self.token
    local priority = BINARY[token.type]
    if not priority or priority[1] <= (limit or 0) then break end
    self:next()
    e = node("binary", token, { op = token.type, a = e, b = self:expression(priority[2]) })
  end
  self:leave()
  return e
end

-- ---- statements ----

local ENDS = { ["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true, eof = true }

function parser:block()
  self:enter()
  local list = { line = self.token.line, column = self.token.column }
  while not ENDS[self.token.type] do
    if self.token.type == "return" then
      local token, values = self:next(), {}
      if not ENDS[self.token.type] and self.token.type ~= ";" then values = self:list() end
      self:accept ";"
      list[#list + 1] = node("return", token, { values = values })
      if not ENDS[self.token.type] then fail(self.token, "'end' expected after return, found %s",
        shown(self.token)) end
      break
    end
    local s = self:statement()
    if s then list[#list + 1] = s end
  end
  self:leave()
  return list
end

-- A function behind its keyword `token`.
function parser:body(token, method)
  local params = {}
  if method then params[1] = node("name", token, { name = "self" }) end
  local f = node("function", token, { params = params, from = token.from })
  self:expect "("
  if self.token.type ~= ")" then
    repeat
      local p = self.token
      if self:accept "..." then
        f.vararg = p
        break
      end
      self:expect "name"
      params[#params + 1] = node("name", p, { name = p.value })
    until not self:accept ","
  end
  f.close = self:expect(")").from
  f.body = self:block()
  local stop = self:expect("end", token)
  f.last, f.to = stop.line, stop.to
  return f
end

local statements = {}

statements["if"] = function(self, token)
  local s = node("if", token, { clauses = {} })
  repeat
    local test = self:expression()
    self:expect "then"
    s.clauses[#s.clauses + 1] = { test = test, body = self:block() }
  until not self:accept "elseif"
  if self:accept "else" then s.orelse = self:block() end
  self:expect("end", token)
  return s
end

statements["while"] = function(self, token)
  local s = node("while", token, { test = self:expression() })
  self:expect "do"
  s.body = self:block()
  self:expect("end", token)
  return s
end

statements["do"] = function(self, token)
  local s = node("do", token, { body = self:block() })
  self:expect("end", token)
  return s
end

statements["repeat"] = function(self, token)
  local s = node("repeat", token, { body = self:block() })
  self:expect("until", token)
  s.test = self:expression()
  return s
end

statements["for"] = function(self, token)
  local first = self:expect "name"
  local s
  if self:accept "=" then
    s = node("for", token, { name = node("name", first, { name = first.value }), first = self:expression() })
    self:expect ","
    s.last = self:expression()
    if self:accept "," then s.step = self:expression() end
  else
    s = node("forin", token, { names = { node("name", first, { name = first.value }) } })
    while self:accept "," do
      local name = self:expect "name"
      s.names[#s.names + 1] = node("name", name, { name = name.value })
    end
    self:expect "in"
    s.values = self:list()
  end
  self:expect "do"
  s.body = self:block()
  self:expect("end", token)
  return s
end

statements["function"] = function(self, token)
  local name, method = self:expect "name", false
  local target = node("name", name, { name = name.value })
  while self.token.type == "." or self.token.type == ":" do
    method = self:next().type == ":"
    name = self:expect "name"
    target = node("index", name, { object = target, key = node("string", name, { value = name.value }) })
    if method then break end
  end
  return node("function", token, { target = target, f = self:body(token, method) })
end

statements["local"] = function(self, token)
  if self.token.type == "function" then
    local keyword, name = self:next(), self:expect "name"
    return node("localfunction", token, { name = node("name", name, { name = name.value }), f = self:body(keyword) })
  end
  local s = node("local", token, { names = {}, attributes = {}, values = {} })
  repeat
    local name = self:expect "name"
    s.names[#s.names + 1] = node("name", name, { name = name.value })
    if self:accept "<" then
      local attribute = self:expect "name"
      if attribute.value ~= "const" and attribute.value ~= "close" then
        fail(attribute, "unknown attribute '%s'", attribute.value)
      end
      s.attributes[#s.names] = attribute.value
      self:expect ">"
    end
  until not self:accept ","
  if self:accept "=" then s.values = self:list() end
  return s
end

statements["break"] = function(_, token) return node("break", token) end

statements["goto"] = function(self, token) return node("goto", token, { name = self:expect("name").value }) end

statements["::"] = function(self, token)
  local name = self:expect "name"
  self:expect "::"
  return node("label", token, { name = name.value })
end

statements[";"] = function() return nil end

local function expression_statement(self)
  local token, e = self.token, self:suffixed()
  if self.token.type ~= "=" and self.token.type ~= "," then
    if e.kind ~= "call" and e.kind ~= "method" then fail(token, "a statement expected, found %s", shown(token)) end
    return node("callstat", token, { call = e })
  end
  local targets = { e }
  while self:accept "," do targets[#targets + 1] = self:suffixed() end
  for _, target in ipairs(targets) do
    if target.kind ~= "name" and target.kind ~= "index" then fail(target, "cannot assign to this expression") end
  end
  self:expect "="
  return node("assign", token, { targets = targets, values = self:list() })
end

function parser:statement()
  local statement = statements[self.token.type]
  if statement then return statement(self, self:next()) end
  return expression_statement(self)
end

-- ---- entry points ----

--- Parses the function whose keyword is token number `at`.
---@param tokens table
---@param at integer
---@return table
function parser.function_at(tokens, at)
  local self = setmetatable({ tokens = tokens, at = at + 1, token = tokens[at + 1], depth = 0 }, parser)
  local token, name = tokens[at], self:accept "name"
  local method = false
  while name and (self.token.type == "." or self.token.type == ":") do
    method = self:next().type == ":"
    self:expect "name"
  end
  local f = self:body(token, method)
  f.stop = self.at
  return f
end

--- Parses a text that is one function: "function(x) ... end", or several local functions and a final `return
--- function ... end`. Returns a list of statements, of which the last returns the function.
---@param text string
---@return table
function parser.chunk(text)
  local tokens = lexer.read(text)
  local self = setmetatable({ tokens = tokens, at = 1, token = tokens[1], depth = 0 }, parser)
  if self.token.type == "function" and self.tokens[2].type == "(" then
    local f = self:body(self:next())
    if self.token.type ~= "eof" then fail(self.token, "the end of the text expected, found %s", shown(self.token)) end
    return { node("return", f, { values = { f } }) }
  end
  local list = self:block()
  if self.token.type ~= "eof" then fail(self.token, "unexpected %s", shown(self.token)) end
  return list
end

return parser
