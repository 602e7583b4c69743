-- "min" is what Lua 5.1 to 5.4 and LuaJIT share: one source serves every interpreter.
std = "min"
max_line_length = 120
cache = false
exclude_files = { "build", "build.luarocks", "library" }
files["spec"] = { std = "+busted" }
files[".busted"] = { std = "min" }
