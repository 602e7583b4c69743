-- Arguments of the constructors of user kernels: source texts and compiler options.

return function(core)
  local function fail(where, format, ...) core.raise(where, "usage", string.format(format, ...)) end

  local function text_of(where, name, v, missing)
    if v == nil then v = missing end
    if type(v) ~= "string" then
      fail(where, "%s must be a string, not %s", name, v == nil and "nil (missing)" or type(v))
    end
    return v
  end

  -- Options as one string each: "-I", "folder" becomes "-Ifolder".
  local function options_of(where, v)
    if type(v) == "string" then v = { v } end
    if v ~= nil and type(v) ~= "table" then
      fail(where, "options must be a table of strings, not %s", type(v))
    end
    local out = {}
    for k, option in ipairs(v or {}) do
      if type(option) ~= "string" or string.find(option, "%c") then
        fail(where, "options must be strings of one line, number %d is not", k)
      end
      local last = out[#out]
      if last and string.find(last, "^%-[IDU]$") then
        out[#out] = last .. option
      elseif last and string.find(last, "^%-%-include%-path$") then
        out[#out] = "-I" .. option
      else
        out[#out + 1] = option
      end
    end
    return out
  end

  return text_of, options_of
end
