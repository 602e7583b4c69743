-- Further Lua states of this process, by LuaJIT's FFI; false under other Luas.

if not rawget(_G, "jit") then return false end

local ffi = require "ffi"

ffi.cdef [[
  typedef struct lua_State lua_State;
  lua_State *luaL_newstate(void);
  void luaL_openlibs(lua_State *L);
  int luaL_loadstring(lua_State *L, const char *s);
  int lua_pcall(lua_State *L, int nargs, int nresults, int errfunc);
  const char *lua_tolstring(lua_State *L, int idx, size_t *len);
  void lua_settop(lua_State *L, int idx);
  void lua_close(lua_State *L);
]]

local other_state = {}

function other_state.open()
  local L = ffi.C.luaL_newstate()
  ffi.C.luaL_openlibs(L)
  return L
end

--- Runs the text, which returns a string, in the state L.
---@return string  that string, or "error: " and the message
function other_state.evaluate(L, text)
  local status = ffi.C.luaL_loadstring(L, text)
  if status == 0 then status = ffi.C.lua_pcall(L, 0, 1, 0) end
  local result = ffi.string(ffi.C.lua_tolstring(L, -1, nil))
  ffi.C.lua_settop(L, 0)
  return status == 0 and result or "error: " .. result
end

function other_state.close(L) ffi.C.lua_close(L) end

return other_state
