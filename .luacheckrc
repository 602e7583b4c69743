-- "min" is what Lua 5.1 to 5.4 and LuaJIT share: one source serves every interpreter.
std = "min"
max_line_length = 120
max_comment_line_length = 110
cache = false
exclude_files = { "build", "build.luarocks", "library" }
-- What the hosts of these examples give their scripts.
files["examples/hosts"] = { read_globals = { "vim", "pandoc", "core" }, globals = { "love", "Table" } }
files["spec"] = { std = "+busted" }
files["tools/annotations_text.lua"] = { max_line_length = false } -- a line for each function
files["spec/golden/arrays/options.lua"] = { max_line_length = false } -- written by options.py
files[".busted"] = { std = "min" }
-- The library's own Lua side has no globals, only the locals that src/lua/loading/libraries.c gives each file:
-- none of what a host may take from scripts, nor what reaches files, programs or addresses by itself
-- (src/lua/state/capability.c).
stds.cupola = {
  globals = {},
  read_globals = {
    "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawset",
    "require", "select", "setmetatable", "tonumber", "tostring", "type", "unpack", "xpcall",
    coroutine = { fields = { "create", "resume", "running", "status", "yield" } },
    math = { fields = { "abs", "asin", "atan", "ceil", "cos", "exp", "floor", "fmod", "huge", "log", "max", "min", "modf",
      "pi", "rad", "random", "sin", "sqrt", "tan" } },
    string = { fields = { "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse",
      "sub", "upper" } },
    table = { fields = { "concat", "insert", "remove", "sort" } },
  },
}
files["lua/cupola"] = { std = "cupola" }
