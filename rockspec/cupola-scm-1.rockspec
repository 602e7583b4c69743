-- luarocks --lua-version=5.4 make --local rockspec/cupola-scm-1.rockspec
-- luarocks --lua-version=5.1 make --local rockspec/cupola-scm-1.rockspec LUA_INCDIR=/usr/include/luajit-2.1
-- One file is installed, cupola.so; it needs nothing of CUDA to build or to load.
rockspec_format = "3.0"
package = "cupola"
version = "scm-1"
source = { url = "git+file://." } -- the rock is made in a clone, with `luarocks make`
description = {
  summary = "n-dimensional arrays on NVIDIA GPUs, and on the CPU",
  detailed = [[
What CuPy is for Python, for Lua 5.4 and LuaJIT: NumPy's functions on arrays in GPU memory, kernels from strings,
and a CPU device that runs the same scripts.]],
  license = "MIT",
  labels = { "numeric", "gpu", "cuda", "array" },
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.1, < 5.6" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    LUA_INCDIR = "$(LUA_INCDIR)",
    INST_LIBDIR = "$(LIBDIR)",
    INST_LUADIR = "$(LUADIR)",
  },
}
test = { type = "busted" }
