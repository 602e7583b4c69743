-- Limits on folders, on the length of files and of C lines, and on the parameters of C functions (./dev lint
-- runs it):
--   lua5.4 tools/sizes.lua
-- Fails if a folder has more than 28 files, if a file of the folders below, except golden data, has more than
-- 500 lines, if a line of a C file is longer than 110 characters (clang-format leaves comments as they are;
-- luacheck measures those of Lua), or if a C file of src or spec/c defines or declares a function with eight
-- or more parameters, which should take a struct.

local MOST_FILES, MOST_LINES, MOST_COLUMNS, MOST_PARAMETERS = 28, 500, 110, 7
local FOLDERS = "src kernels lua tools spec -path spec/golden -prune -o"
local MAY_BE_LONG = {
  ["tools/annotations_text.lua"] = "a text alone: what library/cupola.lua says of each function",
}

local problems = 0

local function problem(...)
  io.stderr:write("sizes: ", string.format(...), "\n")
  problems = problems + 1
end

local function files_of(find)
  local list, files = assert(io.popen("find " .. find .. " | LC_ALL=C sort")), {}
  for file in list:lines() do files[#files + 1] = file end
  list:close()
  assert(#files > 0, "no files: run it in the repository's root")
  return files
end

local function text_of(file)
  local f = assert(io.open(file, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

local function lines_in(text) return select(2, text:gsub("\n", "")) end

local in_folder = {}
for _, file in ipairs(files_of "src kernels lua tools spec bench docs examples cmake -type f -print") do
  local folder = file:match "^(.*)/"
  if not folder:find "__pycache__" then in_folder[folder] = (in_folder[folder] or 0) + 1 end
end
for folder, count in pairs(in_folder) do
  if count > MOST_FILES then
    problem("%s has %d files; more than %d are to be split by subject", folder, count, MOST_FILES)
  end
end

for _, file in ipairs(files_of(FOLDERS .. " -type f -print")) do
  local lines = lines_in(text_of(file))
  if lines > MOST_LINES and not MAY_BE_LONG[file] then
    problem("%s has %d lines; %d are allowed", file, lines, MOST_LINES)
  elseif lines <= MOST_LINES and MAY_BE_LONG[file] then
    problem("%s has %d lines, and need not be among those that may be long", file, lines)
  end
end

local C_FILES = "src kernels spec examples bench -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'"
for _, file in ipairs(files_of(C_FILES)) do
  local number = 0
  for line in io.lines(file) do
    number = number + 1
    local _, following = line:gsub("[\128-\191]", "") -- bytes of UTF-8 that begin no character
    local columns = #line - following
    if columns > MOST_COLUMNS then
      problem("%s:%d has %d characters; %d are allowed", file, number, columns, MOST_COLUMNS)
    end
  end
end

-- The text with comments, strings and the names of macros (whose bodies may contain functions) replaced by
-- spaces.
local function code_of(text)
  local function blank(s) return (s:gsub("[^\n]", " ")) end
  text = text:gsub("/%*.-%*/", blank):gsub("//[^\n]*", blank):gsub('"[^"\n]*"', blank)
  return (text:gsub("#%s*define%s+[%w_]+%b()", blank))
end

local function parameters_in(list)
  local inner = list:sub(2, -2):gsub("%b()", ""):gsub("%b[]", "")
  return 1 + select(2, inner:gsub(",", ""))
end

-- The word before a function's name is its type, before a call at most a keyword.
local STATEMENTS = { ["return"] = true, ["else"] = true, ["case"] = true, ["do"] = true }

local function check_functions(file)
  local code = code_of(text_of(file))
  for before, at, name, list in code:gmatch "([%w_]+)[%s%*]+()([%a_][%w_#]*)(%b())%s*[{;]" do
    local count = parameters_in(list)
    if count > MOST_PARAMETERS and not STATEMENTS[before] then
      problem("%s:%d: %s has %d parameters; %d are allowed, more are a struct", file,
        lines_in(code:sub(1, at)) + 1, name, count, MOST_PARAMETERS)
    end
  end
end

for _, file in ipairs(files_of "src spec/c -type f -name '*.[ch]'") do check_functions(file) end

os.exit(problems == 0 and 0 or 1)
