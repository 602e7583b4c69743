# Reads the version of Lua headers, and refuses those of another Lua than the one that the module is installed
# for: such a module would load and then corrupt the state. Works on text only and caches nothing.

# Sets `out` to the LUA_VERSION_NUM of `incdir`/lua.h (501, 503, 504, 505).
function(cupola_lua_version incdir out)
  if(NOT EXISTS "${incdir}/lua.h")
    message(FATAL_ERROR "cupola: no lua.h in ${incdir}")
  endif()
  file(STRINGS "${incdir}/lua.h" lines REGEX "^#define[ \t]+LUA_VERSION_(NUM|MAJOR_N|MINOR_N)[ \t]")
  if(lines MATCHES "LUA_VERSION_NUM[ \t]+([0-9]+)")
    set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    return()
  endif()
  # Lua 5.5 computes the number from its parts.
  if(lines MATCHES "LUA_VERSION_MAJOR_N[ \t]+([0-9]+)")
    set(major "${CMAKE_MATCH_1}")
    if(lines MATCHES "LUA_VERSION_MINOR_N[ \t]+([0-9]+)")
      math(EXPR version "${major} * 100 + ${CMAKE_MATCH_1}")
      set(${out} "${version}" PARENT_SCOPE)
      return()
    endif()
  endif()
  message(FATAL_ERROR "cupola: cannot read LUA_VERSION_NUM from ${incdir}/lua.h")
endfunction()

# Sets `out` to the version in an install path (.../lua/5.4, .../rocks-5.1/...), or to "" if there is none.
function(cupola_version_of_path path out)
  set(${out} "" PARENT_SCOPE)
  string(REGEX MATCHALL "(lua/|lua|rocks-)[0-9]+\\.[0-9]+" parts "${path}")
  if(parts)
    list(GET parts -1 last)
    string(REGEX MATCH "([0-9]+)\\.([0-9]+)$" last "${last}")
    math(EXPR version "${CMAKE_MATCH_1} * 100 + ${CMAKE_MATCH_2}")
    set(${out} "${version}" PARENT_SCOPE)
  endif()
endfunction()

# Fails unless the headers in `incdir` have version `wanted` ("" = any); `source` says where that version
# comes from.
function(cupola_check_lua incdir wanted source)
  cupola_lua_version("${incdir}" version)
  if(wanted AND NOT version EQUAL wanted)
    message(FATAL_ERROR
      "cupola: ${incdir}/lua.h has LUA_VERSION_NUM ${version}, but ${source} is for ${wanted}. "
      "Pass the headers of that Lua, for example LUA_INCDIR=/usr/include/luajit-2.1 for Lua 5.1.")
  endif()
  message(STATUS "cupola: Lua headers in ${incdir} (LUA_VERSION_NUM ${version})")
endfunction()
