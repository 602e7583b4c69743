-- Writes library/cupola.lua, by which editors complete the public functions (LuaCATS annotations):
--   ./dev lua tools/annotations.lua > library/cupola.lua
-- The module says which functions exist. Their descriptions come from the annotation blocks of
-- lua/cupola/*.lua, else from tools/annotations_text.lua. spec/project/annotations_spec.lua fails when the
-- written file and the module differ.

local root = arg[0]:match "^(.*)tools/[^/]*$" or "../"
local cp = require "cupola"
require("cupola.core").load_all()
local operations = require("cupola.core").operations()
local texts = dofile(root .. "tools/annotations_text.lua")

local TYPES, SIGNATURES = texts.types, texts.signatures

local function say(...) io.write(table.concat({ ... }), "\n") end

-- The function of cp (or of cp.cuda, ...) called `name`, or nil.
local function public(name)
  local value = cp
  for part in name:gmatch "[^.]+" do value = type(value) == "table" and rawget(value, part) or nil end
  return type(value) == "function" and value or nil
end

local _, methods = debug.getupvalue(debug.getmetatable(cp.zeros(1)).__index, 1)
assert(type(methods) == "table" and methods.sum, "the methods of arrays are the first upvalue of __index")

-- Entries by "NAME" (a function of cp and the method) or "CLASS:NAME": a list of lines of text, of parameters
-- {name, optional, type, text}, and of results {type, text}; and whether optional parameters may be named in
-- a table.
local entries = {}

local function add(name, entry)
  local method = name:match "^Array:(.*)"
  assert(name:find ":" and not method or methods[method or ""] or public(name), name .. " does not exist")
  if not entries[name] then entries[name] = entry end
end

-- ---- the texts of annotations_text.lua

local function parameters(text)
  local list = {}
  for part in text:gmatch "[^,]+" do
    local name, mark, kind = part:match "^%s*([%w_.]+)(%??):?(.*)$"
    list[#list + 1] = { name = name, optional = mark == "?", type = kind ~= "" and kind or nil }
  end
  return list
end

local POSITIONAL = { complex = true, scalar = true, fusion = true } -- take no table of names

local function add_here()
  for line in texts.functions:gsub("\n +", " "):gmatch "[^\n]+" do -- lines go on where they are indented
    local names, arguments, results, text = line:match "^([^(]+)(%b())(.-) %-%- (.*)$"
    local class, first = names:match "^(%u%l+):(.+)$"
    for name in (first or names):gmatch "%S+" do
      local entry = { text = { text }, parameters = parameters(arguments:sub(2, -2)), results = {} }
      entry.named = not class and not name:find "%." and not POSITIONAL[name]
      for kind in (results:match "%-> (.*)" or "cupola.Array"):gmatch "[^,]+" do
        if kind ~= "nil" then entry.results[#entry.results + 1] = { type = kind:match "^%s*(.*)$" } end
      end
      add(class and class .. ":" .. name or name, entry)
    end
  end
end

-- The methods of generators are also functions of cp.random, and described there.
local function add_generators()
  for class, object in pairs { Generator = cp.random.default_rng(0), RandomState = cp.random.RandomState(0) } do
    for name in pairs(debug.getmetatable(object)) do
      local entry = entries["random." .. name]
      if entry then add(class .. ":" .. name, entry) end
    end
  end
end

-- An elementwise function, its other names and their in-place twins. For plain numbers the module shows the
-- result.
local function add_operation(names, text)
  local first = names:match "%S+"
  local op = assert(operations[first], first)
  local signature = SIGNATURES[first] or SIGNATURES[op.arity]
  local ok, value = pcall(public(first), 1, op.arity > 1 and 1 or nil, op.arity > 2 and 1 or nil)
  for name in names:gmatch "%S+" do
    local list = parameters(signature)
    local numbers = {}
    for k = 1, op.arity do numbers[k] = list[k].name .. ": number" end
    add(name, { text = { text .. "." .. (name ~= first and (" The same as %s."):format(first) or "") }, named = true,
      parameters = list, results = { { type = "cupola.Array" } }, overload = ok and first ~= "where"
        and ("fun(%s): %s"):format(table.concat(numbers, ", "), type(value)) or nil })
    if public(name .. "_") then
      list = parameters(signature:gsub(", out.*", ""))
      list[1].type = "cupola.Array"
      add(name .. "_", { text = { text .. ", written into " .. list[1].name .. " itself." }, parameters = list,
        results = { { type = "cupola.Array" } } })
    end
  end
end

-- ---- the annotation blocks of lua/cupola

local RESULTS = {
  ["table device"] = "cupola.Device", ["table module"] = "cupola", ["userdata stream"] = "cupola.Stream",
  ["userdata event"] = "cupola.Event", ["userdata pool"] = "cupola.MemoryPool",
  ["table hook"] = "cupola.MemoryHook", ["userdata kernel"] = "cupola.Kernel",
  ["userdata communicator"] = "cupola.Communicator", ["table ranks"] = "cupola.Ranks",
}

local function result_of(text, name)
  local kind, rest = text:match "^(any %.%.%.)%s+(.*)$"
  if not kind then kind, rest = text:match "^(.-)  +(.*)$" end
  kind = kind or text
  kind = kind:gsub("^any ([%w_]+)$", "cupola.Array %1")
  if kind == "any" then kind = "cupola.Array" end
  if kind == "any ..." and (rest or ""):find "^one " then kind = "cupola.Array ..." end
  if kind == "table" and (name:find "split$" or name == "ogrid") then kind = "cupola.Array[]" end
  kind = RESULTS[kind] or kind
  return { type = kind, text = rest }
end

-- The parameter `name` with its annotation `note`, if it has one.
local function parameter_of(name, note, optional)
  local kind = note and note.type
  if kind == "any" and name == "dtype" then kind = "cupola.dtype|cupola.Array" end
  if kind == "any" or kind == "string" and TYPES[name] then kind = nil end
  return { name = name, optional = note and note.optional or not note and optional, type = kind,
    text = note and note.text }
end

-- Reads a block: the text, annotations of parameters by name and in order, and results.
local function read_block(block, name)
  local entry, notes, last = { text = {}, parameters = {}, results = {} }, {}, nil
  for _, line in ipairs(block) do
    local parameter, mark, kind, text = line:match "^@param ([%w_.]+)(%??) (%S+)%s*(.*)$"
    local result = line:match "^@return (.*)$"
    if parameter then
      last = { name = parameter, optional = mark == "?", type = kind, text = text ~= "" and text or nil }
      notes[parameter], notes[#notes + 1] = last, last
    elseif result then
      last = result_of(result, name)
      entry.results[#entry.results + 1] = last
    elseif last then
      last.text = (last.text or "") .. " " .. line:match "^%s*(.*)$"
    else
      entry.text[#entry.text + 1] = line:match "^%s*(.*)$"
    end
  end
  return entry, notes
end

local publishers -- of the file: [a function that makes public ones] = the prefix of their names

-- What a block describes, where `code` is the text after it: its name, the names of its parameters (nil: as
-- in the block), how many are required (nil: as in the block), and whether the others may be named in a
-- table.
local function described(code)
  local first = code:match "^[^\n]*"
  -- such functions refuse `...`
  if code:find "^[^\n]*\n%s*core%.at_most" then first = first:gsub(",?%s*%.%.%.%)", ")") end
  local class, method, list = first:match "^%s*function (%u%w*):([%w_]+)%((.-)%)"
  if class then return class .. ":" .. method, list end
  class, method, list = code:match "^%s*(%u%w*)%.([%w_]+) = core%.define%(\"[%w_.]+\",%s*\"[%w_]+,?%s*([^\"]*)\""
  if class then return class .. ":" .. method, list, 0, true end
  local name
  name, list = first:match "^%s*function ([%l_][%w_.]*%.[%w_]+)%((.-)%)"
  if name then return (name:gsub("^cp%.", "")), list end
  local joined = code:match "^[^\n]*\n?[^\n]*":gsub("\"%s*%.%.%s*\"", "")
  local required
  local publisher, own = code:match "^%s*([%w_.]+)%(\"([%w_]+)\""
  if publishers[publisher] then
    list, required = joined:match "^%s*[%w_.]+%(\"[%w_]+\",%s*\"([^\"]*)\", (%d+)"
    return publishers[publisher] .. own, list, tonumber(required), true
  end
  name = code:match "^%s*cp%.([%w_.]+) =" or code:match "^%s*[%w_]+%(\"([%w_]+)\""
  name = name or code:match "^%s*[%w_.]+ = core%.define%(\"([%w_.]+)\""
  if not name then -- a table of cp under its own name: image.load = ...
    local t, f = code:match "^%s*(%l+)%.([%w_]+) ="
    name = t == "methods" and "Array:" .. f or t and type(rawget(cp, t)) == "table" and t .. "." .. f or nil
  end
  list, required = joined:match "core%.define%(\"[%w_.]+\",%s*\"([^\"]*)\", (%d+)"
  if required then return name, list, tonumber(required), true end
  list = code:match "^%s*both%(\"[%w_]+\", function%((.-)%)"
  return name, list, nil, list == nil -- the rest are helpers that call core.define
end

local function add_block(block, code)
  local name, list, required, named = described(code)
  if not name or not (public(name) or name:find ":") then return end
  local entry, notes = read_block(block, name)
  entry.named = named
  local k = 0
  for part in (list or ""):gmatch "[^%s,]+" do
    k = k + 1
    entry.parameters[k] = parameter_of(part, notes[part], required and k > required)
  end
  for _, note in ipairs(k == 0 and notes or {}) do
    entry.parameters[#entry.parameters + 1] = parameter_of(note.name, note)
  end
  add(name, entry)
end

local function add_file(path)
  local file = assert(io.open(path))
  local text, block, aliases = file:read "*a", {}, {}
  file:close()
  publishers = { ["core.publish"] = "", ["core.method"] = "", method = "" }
  for name, place, prefix in text:gmatch "local ([%w_]+) = core%.publisher%(([%w_.]+), \"([%w_.]*)\"%)" do
    publishers[name] = place:find "^cp%." and place:sub(4) .. "." or prefix
  end
  for start, line in text:gmatch "()([^\n]*)\n" do
    local note = line:match "^%s*%-%-%-%s?(.*)$"
    if note then
      block[#block + 1] = note
    elseif #block > 0 then
      add_block(block, text:sub(start, start + 8000))
      block = {}
    end
    local alias, of = line:match "^%s*both%(\"([%w_]+)\", cp%.([%w_]+)%)"
    if not alias then alias, of = line:match "^%s*cp%.([%w_]+) = cp%.([%w_]+)$" end
    if alias then aliases[#aliases + 1] = { alias, of } end
  end
  return aliases
end

-- ---- writing

local function sorted(t, wanted)
  local list = {}
  for name, value in pairs(t) do
    if type(name) == "string" and wanted(name, value) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Writes one function: `head` is the text before its parameters; skip: the number of parameters that a method
-- omits.
local function write_function(head, entry, skip)
  local names, dtype = {}, false
  for _, p in ipairs(entry.parameters) do dtype = dtype or entry.named and p.name == "dtype" end
  for _, line in ipairs(entry.text) do say("--- ", line) end
  for k = skip + 1, #entry.parameters do
    local p = entry.parameters[k]
    local kind = p.type or TYPES[p.name] or "cupola.Operand"
    if p.optional and entry.named and kind ~= "any" then
      -- A dtype may directly follow the required arguments.
      kind = kind .. (dtype and p.name ~= "dtype" and "|cupola.dtype" or "") .. "|cupola.Options"
      dtype = false
    end
    say("---@param ", p.name, p.optional and "? " or " ", kind, p.text and " # " .. p.text or "")
    names[#names + 1] = p.name
  end
  for _, r in ipairs(entry.results) do say("---@return ", r.type, r.text and " # " .. r.text or "") end
  if entry.overload and skip == 0 then say("---@overload ", entry.overload) end
  say(head, "(", table.concat(names, ", "), ") end\n")
end

local function write_head()
  local dtypes = {}
  for k, name in ipairs(require("cupola.core").dtypes()) do dtypes[k] = ("\"%s\""):format(name) end
  say("---@meta cupola\n-- Written by tools/annotations.lua; edit that, or the annotations in lua/cupola.\n")
  say((texts.head:gsub("@dtypes@", (table.concat(dtypes, "|")))))
  say "---@class cupola"
  for _, name in ipairs(sorted(cp, function(_, v) return type(v) ~= "function" end)) do
    local v, kind = cp[name], texts.fields[name]
    kind = kind or type(v) == "string" and name ~= "_VERSION" and ("\"%s\""):format(v) or type(v)
    if kind ~= "table" then say("---@field ", name, " ", kind) end
  end
  say "local cp = {}\n"
end

-- The entry of a function that also has another name: cp.linalg.matmul is cp.matmul.
local function entry_of(f)
  for name, entry in pairs(entries) do
    if not name:find ":" and public(name) == f then
      return { text = { ("The same as cp.%s."):format(name) }, parameters = entry.parameters, results = entry.results,
        named = entry.named }
    end
  end
end

-- Writes the functions of the table t, which is cp or one of its tables (`prefix` is then its name and a
-- dot).
local function write_functions(t, prefix)
  for _, name in ipairs(sorted(t, function(_, v) return type(v) == "function" end)) do
    local entry = entries[prefix .. name] or entry_of(t[name])
    if not entry then error("no annotation of cp." .. prefix .. name .. ": add one to lua/cupola or to the texts") end
    write_function("function cp." .. prefix .. name, entry, 0)
  end
end

-- Writes the table t with this name, and the tables in it. Classes, which are empty, are in the texts.
local function write_table(t, path)
  say("cp.", path, " = {}\n")
  write_functions(t, path .. ".")
  for _, name in ipairs(sorted(t, function(_, v) return type(v) == "table" and next(v) ~= nil end)) do
    write_table(t[name], path .. "." .. name)
  end
end

local function write_methods()
  for _, name in ipairs(sorted(methods, function() return true end)) do
    local own = entries["Array:" .. name]
    local entry = own or entries[name]
    if not entry then error("no annotation of the method " .. name) end
    local first = entry.parameters[1]
    write_function("function Array:" .. name, entry, not own and first and first.name ~= "..." and 1 or 0)
  end
  for _, name in ipairs(sorted(entries, function(n) return n:find ":" and not n:find "^Array:" end)) do
    write_function("function " .. name, entries[name], 0)
  end
end

local aliases = {}
-- The functions that the files of cp.random share are internal.
local files = "find " .. root .. "lua/cupola -name '*.lua' ! -path '*/random/[^r]*' | LC_ALL=C sort"
for path in io.popen(files):lines() do
  for _, pair in ipairs(add_file(path)) do aliases[#aliases + 1] = pair end
end
for line in texts.operations:gmatch "[^|\n]+" do add_operation(line:match "^(.-): (.*)$") end
add_here()
add_generators()
for _, pair in ipairs(aliases) do
  local of = assert(entries[pair[2]], pair[2])
  add(pair[1], { text = { ("The same as cp.%s."):format(pair[2]) }, parameters = of.parameters, results = of.results,
    named = of.named })
end

write_head()
write_functions(cp, "")
for _, name in ipairs(sorted(cp, function(name, v) return type(v) == "table" and not texts.fields[name] end)) do
  write_table(cp[name], name)
end
write_methods()
say(texts.tail)
say "return cp"
