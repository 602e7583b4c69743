-- The small files of spec/golden/files/files.bin (files.py describes them), and temporary files for specs.

local files = { arrays = {}, maps = {} }

local here = "spec/golden/files/"
local stored = {} -- name -> bytes

local function contents(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

files.contents = contents

local data = contents(here .. "files.bin")

local function piece(text)
  local offset, length = text:match "^(%d+):(%d+)$"
  return data:sub(offset + 1, offset + length)
end

local function shape_of(text)
  local shape = {}
  for n in text:gmatch "%d+" do shape[#shape + 1] = tonumber(n) end
  return shape
end

local function colours_of(text)
  local list = {}
  for r, g, b in text:gmatch "(%d+),(%d+),(%d+)" do list[#list + 1] = { tonumber(r), tonumber(g), tonumber(b) } end
  return list
end

for line in io.lines(here .. "files.index") do
  local kind, name, rest = line:match "^(%S+) (%S+) (.*)$"
  if kind == "array" then
    local dtype, shape, file, values = rest:match "^(%S+) (%S+) (%S+) (%S+)$"
    stored[name] = piece(file)
    files.arrays[#files.arrays + 1] = { name = name, dtype = dtype, shape = shape_of(shape), values = piece(values) }
  elseif kind == "file" then
    stored[name] = piece(rest)
  else
    files.maps[name] = colours_of(rest)
  end
end

--- The bytes of a stored file.
function files.bytes(name) return (assert(stored[name], name)) end

--- Runs f with the path of a temporary file that holds these bytes (nil: there is none yet), and removes it.
function files.with(bytes, f, ending)
  local base = os.tmpname()
  local path = base .. (ending or "")
  if bytes then
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
  end
  local ok, message = pcall(f, path)
  os.remove(path)
  os.remove(base)
  if not ok then error(message, 0) end
end

--- Whether a command of the shell succeeds.
function files.succeeds(command)
  local a, _, c = os.execute(command .. " >/dev/null 2>&1")
  return a == true or a == 0 or c == 0
end

return files
