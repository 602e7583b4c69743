-- Reads the golden data that generate.py wrote; generate.py describes the format. Pure Lua, the same under
-- Lua 5.4 and LuaJIT: arrays stay byte strings, and only elements that are compared or printed are decoded.

local read = {}

local here = debug.getinfo(1, "S").source:match("^@(.*)read%.lua$") or "spec/golden/"

local function contents(name)
  local f = assert(io.open(here .. name, "rb"))
  local text = f:read("*a")
  f:close()
  return text
end

local function words(line)
  local list = {}
  for word in line:gmatch("%S+") do list[#list + 1] = word end
  return list
end

-- "3x4" to {3, 4}, "-" to {}
local function shape(text)
  local dims = {}
  for d in text:gmatch("%d+") do dims[#dims + 1] = tonumber(d) end
  return dims
end

local function array(text, data)
  local dtype, offset, length, bounds = text:match("^(%w+):(%d+):(%d+):?(%d*)$")
  offset, length = tonumber(offset), tonumber(length)
  local a = { dtype = dtype, bytes = data:sub(offset + 1, offset + length) }
  if bounds ~= "" then
    -- a float64 bound for each element, which is a float64 or a complex128
    local size = dtype:find("^complex") and length / 2 or length
    a.bounds = data:sub(bounds + 1, bounds + size)
  end
  return a
end

local function arrays(list, first, data)
  local out = {}
  for k = first, #list do out[#out + 1] = array(list[k], data) end
  return out
end

-- The file name.index, name being FOLDER/NAME: sets by name {name, shape, outer, args = {{dtype, bytes}...}}
-- and the list of cases {op, dtype, set, tol, shape, outs = {{dtype, bytes[, bounds]}...}, with = Lua text
-- or nil}.
function read.data(name)
  local data = contents(name .. ".bin")
  local sets, cases = {}, {}
  for line in contents(name .. ".index"):gmatch("[^\n]+") do
    local head, with = line:match("^(.-) | (.*)$")
    local w = words(head or line)
    if w[1] == "set" then
      sets[w[2]] = { name = w[2], shape = shape(w[3]), outer = w[4] == "outer", args = arrays(w, 5, data) }
    else
      cases[#cases + 1] = { op = w[2], dtype = w[3], set = assert(sets[w[4]]), tol = tonumber(w[5]) or w[5],
                            shape = shape(w[6]), outs = arrays(w, 7, data), with = with }
    end
  end
  return sets, cases
end

-- "3x4:float64:0:96" as {dtype, bytes, shape}
local function shaped(text, data)
  local dims, dtype, offset, length = text:match "^([%dx-]+):(%w+):(%d+):(%d+)$"
  return { dtype = dtype, shape = shape(dims), bytes = data:sub(offset + 1, offset + length) }
end

-- The file name.index of expressions.py: a list of {group, tol, inputs, outputs, lua}, arrays as
-- {dtype, bytes, shape}; tol is "exact" or a number, the absolute bound of outputs in double precision.
function read.expressions(name)
  local data, cases = contents(name .. ".bin"), {}
  for line in contents(name .. ".index"):gmatch("[^\n]+") do
    local group, tol, inputs, outputs, lua = line:match "^(%S+) (%S+) (.-)> (.-) | (.*)$"
    local case = { group = group, tol = tonumber(tol) or tol, inputs = {}, outputs = {}, lua = lua }
    for _, word in ipairs(words(inputs)) do table.insert(case.inputs, shaped(word, data)) end
    for _, word in ipairs(words(outputs)) do table.insert(case.outputs, shaped(word, data)) end
    cases[#cases + 1] = case
  end
  return cases
end

-- operations/types.index: the list of dtypes, and tables[NAME][ROW][DTYPE] = word.
function read.types()
  local dtypes, tables = nil, {}
  for line in contents("operations/types.index"):gmatch("[^\n]+") do
    local w = words(line)
    if w[1] == "dtypes" then
      dtypes = w
      table.remove(dtypes, 1)
    else
      local t = tables[w[1]] or {}
      tables[w[1]] = t
      t[w[2]] = {}
      for k, name in ipairs(dtypes) do t[w[2]][name] = w[k + 2] end
    end
  end
  return dtypes, tables
end

return read
