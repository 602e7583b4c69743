-- Reads library/cupola.lua, for specs that iterate over all public functions.

local annotations = {}

--- Every public function in the order of the file: name ("linalg.norm", "Array:sum"), class (nil for
--- functions of cp), parameters: {name, type, optional, options (whether a table of options may stand
--- there)}.
---@return table list
function annotations.read()
  local list, parameters = {}, {}
  for line in io.lines "library/cupola.lua" do
    local name, mark, rest = line:match "^%-%-%-@param ([%w_.]+)(%??) (.*)$"
    local path, arguments = line:match "^function ([%w_.:]+)(%b()) end"
    if name then
      parameters[name] = { name = name, optional = mark == "?", type = rest:match "^[^#]*" }
      parameters[name].options = parameters[name].type:find("cupola.Options", 1, true) ~= nil
    elseif path then
      local f = { name = path:gsub("^cp%.", ""), class = path:match "^(%w+):", parameters = {} }
      for word in arguments:gmatch "[%w_.]+" do
        f.parameters[#f.parameters + 1] = parameters[word] or { name = word, type = "" }
      end
      list[#list + 1], parameters = f, {}
    end
  end
  return list
end

return annotations
