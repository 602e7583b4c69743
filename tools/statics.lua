-- Compares the writable static variables in the module's objects with the table in docs/architecture.md that
-- says who may write each (./dev lint runs it):
--   lua5.4 tools/statics.lua BUILD_FOLDER
-- Fails if one side has a variable that the other lacks.

local PAGE, HEADING = "docs/architecture.md", "## What the process shares"
local build = assert(arg[1], "usage: statics.lua BUILD_FOLDER")

-- Names by file: known["src/cpu/run/memory.c"].lock = true.
local function add(known, file, name)
  known[file] = known[file] or {}
  known[file][name] = true
end

-- The section's rows: | `FILE` | `NAME`, `NAME` | who |
local function documented()
  local page = assert(io.open(PAGE))
  local text = page:read "*a"
  page:close()
  local first = assert(text:find(HEADING, 1, true), PAGE .. " has no section " .. HEADING)
  local known = {}
  for row in text:sub(first + #HEADING, (text:find("\n## ", first + 1, true))):gmatch "|[^\n]*" do
    local file, names, who = row:match "^| `([^`]+)` | ([^|]+) | ([^|]+) |$"
    if file then
      assert(who:find "%w", PAGE .. ": a row of " .. file .. " does not say who writes")
      for name in names:gmatch "`([^`]+)`" do add(known, file, name) end
    end
  end
  return known
end

-- Sections whose contents may change; only the loader writes .data.rel.ro.
local function is_writable(section)
  return (section:find "^%.data" and not section:find "%.ro") or section:find "^%.t?bss" or
    section:find "^%.tdata" or section == "*COM*"
end

local function built()
  local folders = build .. "/CMakeFiles/core.dir " .. build .. "/CMakeFiles/cupola_lua54.dir " .. build ..
    "/CMakeFiles/cupola_luajit.dir"
  local symbols = assert(io.popen("find " .. folders .. " -name '*.o' -print0 | xargs -0 nm --format=sysv"))
  local known, file = {}, nil
  for line in symbols:lines() do
    file = line:match "^Symbols from .*/CMakeFiles/[^/]+/(.*)%.o:$" or file
    local name, section = line:match "^([^%s|]+)%s*|.*|%s*([^%s|]+)%s*$"
    if name and is_writable(section) then add(known, file, (name:gsub("%.%d+$", ""))) end
  end
  symbols:close()
  assert(file, "no objects in " .. folders)
  return known
end

local problems = 0

local function compare(has, lacks, fact)
  local lines = {}
  for file, names in pairs(has) do
    for name in pairs(names) do
      if not (lacks[file] and lacks[file][name]) then lines[#lines + 1] = ("%s: %s %s"):format(file, name, fact) end
    end
  end
  table.sort(lines)
  for _, line in ipairs(lines) do io.stderr:write("statics: ", line, "\n") end
  problems = problems + #lines
end

local known, there = documented(), built()
compare(there, known, "is writable, and the table in " .. PAGE .. " does not say by whom")
compare(known, there, "is in the table in " .. PAGE .. ", and is no writable static")
os.exit(problems == 0 and 0 or 1)
