-- Finds, in the source of a function that is about to be traced, branches on its arguments: `if x == 0 then`,
-- `while x`, `x == y`, `not x`, `x:gt(0) and a or b`. Lua does not reveal them when the function runs: `==`
-- between an array and a number is false, and an array is true, so the trace would contain one branch for all
-- elements.
--
-- This works on words and lines, not on the grammar. It follows values from the parameters through
-- assignments, and ignores expressions that ask for a type, a field or nil.

local decisions = {}

-- The lines `first` to `last` of a text, or nil if there are fewer.
local function lines_of(text, first, last)
  local lines, k = {}, 0
  for line in string.gmatch(text .. "\n", "(.-)\n") do
    k = k + 1
    if k >= first and k <= last then lines[#lines + 1] = line end
  end
  return #lines == last - first + 1 and lines or nil
end

-- Replaces comments by spaces and strings by empty strings. Long ones over several lines are left as they
-- are.
local function bare(line)
  line = string.gsub(string.gsub(string.gsub(string.gsub(line, "\\.", "  "), '"[^"]*"', '""'), "'[^']*'", "''"),
    "%[%[.-%]%]", "''")
  return (string.gsub(line, "%-%-.*$", ""))
end

-- Whether the text uses a value derived from the parameters, other than a field of it such as x.dtype.
local function mentions(text, traced)
  for before, name, after in string.gmatch(" " .. text .. "  ", "([^%w_])([%a_][%w_]*)()") do
    local rest = string.sub(" " .. text .. "  ", after)
    if traced[name] and before ~= "." and before ~= ":" and not string.find(rest, "^%s*%.[%a_]") then return true end
  end
  return false
end

-- Whether a condition depends only on what Lua knows during tracing.
local function harmless(text)
  return string.find(text, "%f[%w_]nil%f[^%w_]") or string.find(text, "%f[%w_]type%s*%(")
    or string.find(text, "is_array") or string.find(text, "cp%.type")
end

-- Adds names that are assigned a value derived from the parameters to `traced`.
local function follow(line, traced)
  local names, value = string.match(line, "^%s*local%s+([%w_,%s]+)=([^=].*)$")
  if not names then names, value = string.match(line, "^%s*([%a_][%w_,%s]*)=([^=].*)$") end
  if not names or string.find(value, "^%s*function") or not mentions(value, traced) then return end
  for name in string.gmatch(names, "[%a_][%w_]*") do traced[name] = true end
end

local CONDITIONS = {
  { "%f[%w_]if%f[^%w_](.-)%f[%w_]then%f[^%w_]", "cp.where, not if" },
  { "%f[%w_]elseif%f[^%w_](.-)%f[%w_]then%f[^%w_]", "cp.where, not elseif" },
  { "%f[%w_]while%f[^%w_](.-)%f[%w_]do%f[^%w_]", "cp.where and a loop of fixed length" },
  { "%f[%w_]until%f[^%w_](.*)$", "cp.where and a loop of fixed length" },
}

-- An operand of == or of a logical operator: a name, possibly with a call after it.
local OPERANDS = {
  { "([%a_][%w_]*)%s*[=~]=%s*([%w_.\"']+)", "x:eq(y) or x:ne(y), not ==" },
  { "([%w_.\"']+)%s*[=~]=%s*([%a_][%w_]*)", "x:eq(y) or x:ne(y), not ==" },
  { "%f[%w_]not%s+([%a_][%w_]*)()", "x:logical_not(), not `not x`" },
  { "([%a_][%w_]*)%s+and%f[^%w_]()", "cp.where or x:logical_and(y), not `and`" },
  { "([%a_][%w_]*):%a+%b()%s*and%f[^%w_]()", "cp.where(condition, a, b), not `condition and a or b`" },
}

local function decide(line, traced)
  for _, rule in ipairs(CONDITIONS) do
    local condition = string.match(line, rule[1])
    if condition and not harmless(condition) and mentions(condition, traced) then
      return string.match(condition, "^%s*(.-)%s*$"), rule[2]
    end
  end
  for _, rule in ipairs(OPERANDS) do
    for one, two in string.gmatch(line, rule[1]) do
      local found = traced[one] or traced[two]
      if found and one ~= "nil" and two ~= "nil" then return string.match(line, "^%s*(.-)%s*$"), rule[2] end
    end
  end
end

--- The first branch on a function's parameters: its line, its text, and what to write instead. Nothing if
--- there is none or the source cannot be read. core.definition gives text, first, last and traced.
function decisions.find(text, first, last, traced)
  local lines = text and lines_of(text, first, last)
  for k, line in ipairs(lines or {}) do
    line = bare(line)
    follow(line, traced)
    local found, advice = decide(line, traced)
    if found then return first + k - 1, found, advice end
  end
end

return decisions
