-- Compares the folders of src with the floors that docs/architecture.md numbers (./dev lint runs it):
--   lua5.4 tools/floors.lua BUILD_FOLDER
-- Fails if a file includes a header of a higher floor, if an object uses a symbol that a higher floor
-- defines, if a folder with C files is not a floor, or if more than three files use each other in a circle.

local PAGE = "docs/architecture.md"
local build = assert(arg[1], "usage: floors.lua BUILD_FOLDER")
local problems = 0

local function problem(...)
  io.stderr:write("floors: ", string.format(...), "\n")
  problems = problems + 1
end

local function lines_of(command)
  local list, lines = assert(io.popen(command)), {}
  for line in list:lines() do lines[#lines + 1] = line end
  list:close()
  return lines
end

-- Rows of the list: N. `src/FOLDER`: what is in it
local function read_floors()
  local floors, count = {}, 0
  for line in io.lines(PAGE) do
    local number, folder = line:match "^(%d+)%. `(src[^`]*)`:"
    if number then
      count = count + 1
      assert(tonumber(number) == count, PAGE .. ": floor " .. number .. " is not in order")
      floors[folder] = count
    end
  end
  assert(count > 0, PAGE .. " has no list of floors")
  return floors
end

local floors = read_floors()
local function floor_of(file) return floors[file:match "^(.*)/"] end

-- True if `from` may not use `to`. A folder that is not a floor is reported elsewhere.
local function points_up(from, to)
  local a, b = floor_of(from), floor_of(to)
  return a and b and b > a
end

local is_file, used = {}, {}
for _, file in ipairs(lines_of "find src -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort") do
  is_file[file] = true
  if floor_of(file) then
    used[file:match "^(.*)/"] = true
  else
    problem("%s lies in a folder that is no floor", file)
  end
end
for folder in pairs(floors) do
  if not used[folder] then problem("%s is a floor in %s, and has no file", folder, PAGE) end
end

-- Every floor may include cupola.h.
for file in pairs(is_file) do
  for line in io.lines(file) do
    local header = line:match '^%s*#%s*include "([^"]+)"'
    header = header and "src/" .. header
    if header and is_file[header] and header ~= "src/cupola.h" and points_up(file, header) then
      problem("%s includes %s, of a higher floor", file, header)
    end
  end
end

-- Objects of loops that are compiled several times belong to the folder of loops.
local function source_of(object)
  local file = object:match "/CMakeFiles/[^/]+/(.*)%.o$"
  return file:find "^generated/loops/" and "src/cpu/loops/loops.c" or file
end

local defined, wanted = {}, {}
local folders = build .. "/CMakeFiles/core.dir " .. build .. "/CMakeFiles/cupola_lua54.dir"
local source
for _, line in ipairs(lines_of("find " .. folders .. " -name '*.o' -print0 | xargs -0 nm")) do
  local object = line:match "^(.*%.o):$"
  if object then source = source_of(object) end
  local kind, symbol = line:match "(%a) (%S+)$"
  if kind and is_file[source] then
    if kind == "U" then
      wanted[#wanted + 1] = { source, symbol }
    elseif kind:find "[TDBRV]" then
      defined[symbol] = source
    end
  end
end
assert(#wanted > 0, "no objects in " .. folders)
local uses = {} -- by file: the files whose symbols it names
for _, want in ipairs(wanted) do
  local file, symbol = want[1], want[2]
  local home = defined[symbol]
  if home and home ~= file then
    uses[file] = uses[file] or {}
    uses[file][home] = true
    if points_up(file, home) then problem("%s uses %s of %s, a higher floor", file, symbol, home) end
  end
end

-- Finds circles with Tarjan's algorithm: if a file reaches no file below it on the stack, it and all files
-- above it form one.
local MOST_IN_CIRCLE = 3
local number, reached, stack, on_stack, count = {}, {}, {}, {}, 0

local function end_circle(file)
  local circle = {}
  repeat
    local last = table.remove(stack)
    on_stack[last] = nil
    circle[#circle + 1] = last
  until last == file
  if #circle <= MOST_IN_CIRCLE then return end
  table.sort(circle)
  problem("%d files use each other in a circle, %d may: %s", #circle, MOST_IN_CIRCLE, table.concat(circle, " "))
end

local function visit(file)
  count = count + 1
  number[file], reached[file], on_stack[file] = count, count, true
  stack[#stack + 1] = file
  for other in pairs(uses[file] or {}) do
    if not number[other] then visit(other) end
    if on_stack[other] then reached[file] = math.min(reached[file], reached[other]) end
  end
  if reached[file] == number[file] then end_circle(file) end
end

for file in pairs(uses) do
  if not number[file] then visit(file) end
end
os.exit(problems == 0 and 0 or 1)
