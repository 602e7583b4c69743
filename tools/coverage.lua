-- Writes docs/coverage.md, which compares NumPy's, SciPy's and CuPy's public names with cupola's:
--   ./dev lua tools/coverage.lua > docs/coverage.md
-- Their names are in docs/names.txt, which tools/names.py makes. The module says which names cupola has;
-- tools/coverage_text.lua says what differs.

local root = (arg and arg[0] or ""):match "^(.*)tools/[^/]*$" or ""
local cp = require "cupola"
require("cupola.core").load_all()
local texts = dofile(root .. "tools/coverage_text.lua")

local _, methods = debug.getupvalue(debug.getmetatable(cp.zeros(1)).__index, 1)
local FIELDS = { shape = 1, ndim = 1, size = 1, nbytes = 1, itemsize = 1, dtype = 1, device = 1, strides = 1, T = 1,
  mT = 1, real = 1, imag = 1, flags = 1, data = 1, flat = 1 }

-- The value at a path such as cp.linalg.svd, or nil.
local function at(path)
  local value = { cp = cp, x = methods }
  for part in path:gmatch "[^.]+" do
    if part == "ndarray" and value == cp then value = { ndarray = methods } end
    value = type(value) == "table" and rawget(value, part) or nil
  end
  return value
end

-- Whether the objects of a class have a member: `name` is CLASS.MEMBER in a section that has such names.
local function has_member(section, name)
  local class, member = name:match "^(.+)%.([^.]+)$"
  local expression = class and texts.objects[section .. "." .. class]
  if not expression then return false end
  local object = assert(load("local cp = ... return " .. expression))(cp)
  local found, value = pcall(function() return object[member] end)
  return found and value ~= nil
end

local function has(section, place, name)
  if section:find "^scipy" and name:find ".%." then return has_member(section, name) end
  if (place == "x" or name:find "^ndarray%.") and FIELDS[name:match "[^.]+$"] then
    return pcall(function() return cp.zeros({ 1, 1 })[name:match "[^.]+$"] end)
  end
  return at(place .. "." .. name) ~= nil
end

-- Full name -> text.
local differs, left_out = {}, {}
for line in texts.differs:gmatch "[^\n]+" do
  local name, text = line:match "^(%S+): (.*)$"
  differs[name:find "%." and name or "numpy." .. name] = text
end
for text, names in pairs(texts.left_out) do
  for name in names:gmatch "%S+" do left_out[name:find "%." and name or "numpy." .. name] = text end
end

-- Status and note of a name.
local function judged(section, place, name)
  local full = section .. "." .. name
  local note = differs[full]
  local other = note and (note:match "^(cp%.[%w_.]+): " or note:match "^(x)[:.]")
  if other == "x" then return "differs", note end
  if other then
    local path, rest = note:match "^(cp%.[%w_.]+): (.*)$"
    if at(path) ~= nil then return "differs", "`" .. path .. "`: " .. rest end
    return "not yet", ""
  end
  if left_out[full] then return "left out", left_out[full] end
  if not has(section, place, name) then
    local reason = left_out[full:match "^(.+)%.[^.]+$"] -- of the class whose member it is
    return reason and "left out" or "not yet", reason or ""
  end
  if note then return "differs", note end
  return "have", ""
end

local sections = {}
for line in io.lines(root .. "docs/names.txt") do
  local section, name = line:match "^(%S+): (%S+)$"
  sections[section] = sections[section] or {}
  table.insert(sections[section], name)
end

local STATUSES = { "have", "differs", "not yet", "left out" }

-- The names of a section by status, and the notes of those that have one.
local function sorted_names(section, place)
  local by = { have = {}, differs = {}, ["not yet"] = {}, ["left out"] = {} }
  for _, name in ipairs(sections[section]) do
    local status, note = judged(section, place, name)
    table.insert(by[status], { name, note })
  end
  return by
end

local function say(...) io.write(table.concat({ ... }), "\n") end

-- Names in code, in lines of up to 120 characters.
local function say_names(list)
  local line = ""
  for k, item in ipairs(list) do
    local word = "`" .. item[1] .. "`" .. (k < #list and "," or "")
    if #line + #word + 1 > 118 then
      say(line)
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  say(line)
end

local function say_section(place, title, by)
  say("\n## ", title, " (`", place, "`)")
  if #by.have > 0 then
    say "\nHave:\n"
    say_names(by.have)
  end
  if #by.differs > 0 then
    say "\n| differs | how |\n|---|---|"
    for _, item in ipairs(by.differs) do say("| `", item[1], "` | ", item[2]:gsub("|", "\\|"), " |") end
  end
  if #by["not yet"] > 0 then
    say "\nNot yet:\n"
    say_names(by["not yet"])
  end
  local reasons, order = {}, {}
  for _, item in ipairs(by["left out"]) do
    if not reasons[item[2]] then
      reasons[item[2]] = {}
      order[#order + 1] = item[2]
    end
    table.insert(reasons[item[2]], item)
  end
  for _, reason in ipairs(order) do
    say("\nLeft out, ", reason, ":\n")
    say_names(reasons[reason])
  end
end

say [[
# Coverage

The public names of NumPy, SciPy and CuPy, and which of them cupola has. Of SciPy, the page lists the names that
CuPy has too, all names of `scipy.sparse` and its modules, and the public methods and attributes of the classes
among them (`BSpline.integrate`).

- *Have*: the same name with the same meaning.
- *Differs*: with the difference that is given. [Arrays](arrays.md) explains the general ones: positions count from
  1, dtypes are strings, named arguments are in a table at the end.
- *Not yet*: missing.
- *Left out*: not planned.

`tools/coverage.lua` writes this page: edit that file, or `tools/coverage_text.lua`.

| | have | differs | not yet | left out |
|---|---:|---:|---:|---:|]]
local judged_sections = {}
for k, p in ipairs(texts.places) do
  local by = sorted_names(p[1], p[2])
  judged_sections[k] = by
  local counts = {}
  for i, status in ipairs(STATUSES) do counts[i] = ("%d"):format(#by[status]) end
  say("| ", p[3], " | ", table.concat(counts, " | "), " |")
end
for k, p in ipairs(texts.places) do say_section(p[2], p[3], judged_sections[k]) end
