-- Shrinks a list of statements: drops statements, then removes operations from their texts, as long as
-- fails(list) still holds. A statement is a table with a text; its other fields are kept.

local shrink = {}

local RUNS = 2000 -- the most calls of `fails`

local function without(list, from, to)
  local out = {}
  for k, v in ipairs(list) do
    if k < from or k > to then out[#out + 1] = v end
  end
  return out
end

local function replaced(list, at, text)
  local out = {}
  for k, v in ipairs(list) do out[k] = v end
  local copy = {}
  for name, v in pairs(list[at]) do copy[name] = v end
  copy.text = text
  out[at] = copy
  return out
end

-- Drops runs of consecutive statements, beginning at the end, first long runs, then shorter ones.
local function drop(list, fails)
  local length = math.max(1, math.floor(#list / 2))
  while true do
    local before, to = #list, #list
    while to >= 1 do
      local from = math.max(1, to - length + 1)
      local shorter = without(list, from, to)
      if #shorter < #list and fails(shorter) then list = shorter end
      to = from - 1
    end
    if length == 1 and #list == before then return list end
    length = math.max(1, math.floor(length / 2))
  end
end

-- The parts of an expression between the commas and operators that are outside all parentheses.
local function parts(text)
  local list, depth, from, quoted = {}, 0, 1, false
  for k = 1, #text do
    local c = text:sub(k, k)
    if c == '"' then quoted = not quoted end
    if not quoted then
      if c:find "[%(%[{]" then depth = depth + 1 elseif c:find "[%)%]}]" then depth = depth - 1 end
      if depth == 0 and k > from and c:find "[,%+%-%*/%%%^]" then
        list[#list + 1] = text:sub(from, k - 1)
        from = k + 1
      end
    end
  end
  list[#list + 1] = text:sub(from)
  return list
end

-- Calls try(shorter text) for each way to remove an operation from a text, until it returns true.
local function each_shorter(text, try)
  local head, right = text:match "^([^=]+=)([^=].*)$"
  for _, part in ipairs(head and parts(right) or {}) do
    if part ~= right and try(head .. part) then return true end
  end
  for open in text:gmatch "()%(" do
    local group = text:match("^%b()", open)
    local before = text:sub(1, open - 1)
    if group then
      local after, called = text:sub(open + #group), before:match "cp%.[%w_]*$"
      local method = not called and before:match ":[%w_]+$"
      local lead = before:sub(1, #before - #(called or method or ""))
      if method and try(lead .. after) then return true end
      local whole = method and before:match "[%w_]" == nil or before:match "R$" ~= nil
      for _, part in ipairs(whole and {} or parts(group:sub(2, -2))) do
        local shorter = (method and before or lead) .. (method and "(" .. part .. ")" or part) .. after
        if #shorter < #text and try(shorter) then return true end
      end
    end
  end
  return false
end

local function simplify(list, fails)
  for at = 1, #list do
    while each_shorter(list[at].text, function(text)
      local changed = replaced(list, at, text)
      if not fails(changed) then return false end
      list = changed
      return true
    end) do end
  end
  return list
end

--- Returns the smallest list that was found. `fails` must hold for the whole list; otherwise that is
--- returned.
---@param list table
---@param fails fun(list: table): boolean
---@param drop_only? boolean  leave the texts as they are
function shrink.statements(list, fails, drop_only)
  local runs = 0
  local function counted(candidate)
    runs = runs + 1
    return runs <= RUNS and fails(candidate)
  end
  if not counted(list) then return list end
  list = drop(list, counted)
  if drop_only then return list end
  return drop(simplify(list, counted), counted)
end

return shrink
