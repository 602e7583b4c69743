-- Runs the code blocks of a page of docs one after the other as one script, so that later blocks see the
-- variables of earlier ones; errors name the page's own lines.
--
--   ```lua      runs. A first line `-- GPU`, `-- cuRAND`, `-- gnuplot`, `-- SuperLU` or `-- Lua 5.4`
--               restricts where.
--   ```output   the output of the blocks since the last such one under Lua 5.4, with "cpu" for the current
--               device
--
-- Other blocks are text.

local cp = require "cupola"

local docs = {}

local function runs_here(line)
  if line:find "^%-%- GPU" then return cp.device().name ~= "cpu" end
  if line:find "^%-%- cuRAND" then return (pcall(cp.random.XORWOW, 1)) end
  if line:find "^%-%- gnuplot" then
    local answer = os.execute "command -v gnuplot >/dev/null 2>&1"
    return answer == true or answer == 0
  end
  if line:find "^%-%- SuperLU" then return not require("spec.helper.superlu").missing end
  if line:find "^%-%- Lua 5%.4" then return _VERSION == "Lua 5.4" end
  return true
end

--- The page as a script: each line of code keeps its line number, all other lines are empty.
---@return string script  which calls __output(k) in the place of output block k
---@return string[] outputs
function docs.script(path)
  local lines, outputs = {}, {}
  local kind, start -- of the block that is open
  local file = assert(io.open(path))
  for line in file:lines() do
    local mark, text = line:match "^```(%w*)", ""
    if mark and kind then
      if kind == "output" then text = ("__output(%d)"):format(#outputs) end
      kind = nil
    elseif mark then
      kind, start = mark, #lines + 1
      if kind == "output" then outputs[#outputs + 1] = "" end
    elseif kind == "lua" then
      if #lines == start and not runs_here(line) then kind = "skipped" end
      text = kind == "lua" and line or ""
    elseif kind == "output" then
      outputs[#outputs] = outputs[#outputs] .. line .. "\n"
    end
    lines[#lines + 1] = text
  end
  file:close()
  return table.concat(lines, "\n"), outputs
end

-- Before Lua 5.3 whole floats are shown without a point.
local function plain_numbers(text)
  if _VERSION == "Lua 5.1" then return (text:gsub("(%d)%.0%f[^%d]", "%1")) end
  return text
end

--- Runs the page at path; fails if a block raises an error or prints anything but what the page says.
---@return integer blocks  of output that were compared
function docs.check(path)
  cp.collect() -- what earlier pages left must not change the figures
  local script, outputs = docs.script(path)
  local printed, seen = {}, 0
  local environment = setmetatable({
    print = function(...)
      local texts = { ... }
      for k = 1, select("#", ...) do texts[k] = tostring(texts[k]) end
      printed[#printed + 1] = table.concat(texts, "\t") .. "\n"
    end,
    __output = function(k)
      local text = table.concat(printed):gsub(cp.device().name:gsub("%p", "%%%0"), "cpu")
      printed, seen = {}, seen + 1
      if plain_numbers(text) ~= plain_numbers(outputs[k]) then
        error(("%s: block %d of output shows\n%sbut this is printed\n%s"):format(path, k, outputs[k], text), 0)
      end
    end,
  }, { __index = _G })
  local setfenv = rawget(_G, "setfenv")
  local f = assert((setfenv and loadstring or load)(script, "@" .. path, "t", environment)) -- luacheck: ignore
  if setfenv then setfenv(f, environment) end
  f()
  return seen
end

return docs
