-- Finds, in the text of a function that is about to be traced, decisions about its arguments: `if x == 0 then`,
-- `while x`, `x == y`, `not x`, `x:gt(0) and a or b`. When the function runs, Lua says nothing of them: `==` between an
-- array and a number is false, and an array is true, so the trace would hold one branch for all elements.
--
-- This is reading by words and lines, not by grammar. It follows values from the parameters through assignments, and
-- leaves alone what asks for a type, a field or nil.

local decisions = {}

-- The text of f, its lines from `first` on, or nil where it cannot be read, or is in a file that must not.
local function text_of(f, from_files)
  local debug = rawget(_G, "debug")
  if type(f) ~= "function" or type(debug) ~= "table" or not debug.getinfo then return nil end
  local info = debug.getinfo(f, "S")
  local text = info.source
  if not info.linedefined or info.linedefined < 1 then return nil end
  if text:sub(1, 1) == "@" then
    local file = from_files and io and io.open and io.open(text:sub(2), "r")
    if not file then return nil end
    text = file:read "*a"
    file:close()
  elseif text:sub(1, 1) == "=" then
    return nil
  end
  local lines, k = {}, 0
  for line in (text .. "\n"):gmatch "(.-)\n" do
    k = k + 1
    if k >= info.linedefined and k <= info.lastlinedefined then lines[#lines + 1] = line end
  end
  return #lines == info.lastlinedefined - info.linedefined + 1 and lines or nil, info.linedefined
end

-- Comments and strings become spaces and empty strings. Long ones over several lines are left as they are.
local function bare(line)
  line = line:gsub("\\.", "  "):gsub('"[^"]*"', '""'):gsub("'[^']*'", "''"):gsub("%[%[.-%]%]", "''")
  return (line:gsub("%-%-.*$", ""))
end

local function parameters_of(f)
  local names, debug = {}, rawget(_G, "debug")
  local ok = debug.getlocal and pcall(function()
    local k = 1
    while true do
      local name = debug.getlocal(f, k)
      if not name then break end
      names[name] = true
      k = k + 1
    end
  end)
  return ok and names or {}
end

-- Whether the text uses a value made of the parameters, other than a field of it such as x.dtype.
local function mentions(text, traced)
  for before, name, after in (" " .. text .. "  "):gmatch "([^%w_])([%a_][%w_]*)()" do
    local rest = (" " .. text .. "  "):sub(after)
    if traced[name] and before ~= "." and before ~= ":" and not rest:find "^%s*%.[%a_]" then return true end
  end
  return false
end

-- Whether a condition asks about something that Lua knows while it traces.
local function harmless(text)
  return text:find "%f[%w_]nil%f[^%w_]" or text:find "%f[%w_]type%s*%(" or text:find "is_array" or text:find "cp%.type"
end

-- Names that are assigned something made of the parameters are such values too.
local function follow(line, traced)
  local names, value = line:match "^%s*local%s+([%w_,%s]+)=([^=].*)$"
  if not names then names, value = line:match "^%s*([%a_][%w_,%s]*)=([^=].*)$" end
  if not names or value:find "^%s*function" or not mentions(value, traced) then return end
  for name in names:gmatch "[%a_][%w_]*" do traced[name] = true end
end

local CONDITIONS = {
  { "%f[%w_]if%f[^%w_](.-)%f[%w_]then%f[^%w_]", "cp.where, not if" },
  { "%f[%w_]elseif%f[^%w_](.-)%f[%w_]then%f[^%w_]", "cp.where, not elseif" },
  { "%f[%w_]while%f[^%w_](.-)%f[%w_]do%f[^%w_]", "cp.where and a loop of fixed length" },
  { "%f[%w_]until%f[^%w_](.*)$", "cp.where and a loop of fixed length" },
}

-- An operand of == or of a logical operator: a name, perhaps with a call behind it.
local OPERANDS = {
  { "([%a_][%w_]*)%s*[=~]=%s*([%w_.\"']+)", "x:eq(y) or x:ne(y), not ==" },
  { "([%w_.\"']+)%s*[=~]=%s*([%a_][%w_]*)", "x:eq(y) or x:ne(y), not ==" },
  { "%f[%w_]not%s+([%a_][%w_]*)()", "x:logical_not(), not `not x`" },
  { "([%a_][%w_]*)%s+and%f[^%w_]()", "cp.where or x:logical_and(y), not `and`" },
  { "([%a_][%w_]*):%a+%b()%s*and%f[^%w_]()", "cp.where(condition, a, b), not `condition and a or b`" },
}

local function decide(line, traced)
  for _, rule in ipairs(CONDITIONS) do
    local condition = line:match(rule[1])
    if condition and not harmless(condition) and mentions(condition, traced) then
      return condition:match "^%s*(.-)%s*$", rule[2]
    end
  end
  for _, rule in ipairs(OPERANDS) do
    for one, two in line:gmatch(rule[1]) do
      local found = traced[one] or traced[two]
      if found and one ~= "nil" and two ~= "nil" then return line:match "^%s*(.-)%s*$", rule[2] end
    end
  end
end

--- The first decision that f's text makes about its parameters: its line, its text, and what to write instead. Nothing
--- where there is none, or the text cannot be read. from_files: whether a file may be opened for it.
function decisions.find(f, from_files)
  local ok, lines, first = pcall(text_of, f, from_files)
  if not ok or not lines then return nil end
  local traced = parameters_of(f)
  for k, line in ipairs(lines) do
    line = bare(line)
    follow(line, traced)
    local text, advice = decide(line, traced)
    if text then return first + k - 1, text, advice end
  end
end

return decisions
