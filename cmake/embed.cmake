# Script: cmake -DSOURCE_DIR=... -DLIST=... -DOUTPUT=... -P embed.cmake
#
# Writes the C file OUTPUT with the text of the files that LIST names, one path relative to SOURCE_DIR per
# line. Each line of text is a string literal; `?` is escaped because C11 has trigraphs. Lines of Lua and of
# kernels that are comments are left empty, so that the numbers of lines stay. Comments of preludes are left
# out.

file(STRINGS "${LIST}" names)
set(texts "")
set(table "")
set(count 0)
foreach(name IN LISTS names)
  file(READ "${SOURCE_DIR}/${name}" text)
  if(name MATCHES "\\.lua$")
    string(REGEX REPLACE "(^|\n) *--[^\n]*" "\\1" text "${text}")
  elseif(name MATCHES "/prelude/")
    string(REGEX REPLACE "/[*][^*]*[*]+([^/*][^*]*[*]+)*/" " " text "${text}")
  else() # "// variants:" is read (lua/cupola/kernels/routine.lua)
    string(REPLACE "// variants:" "@variants:" text "${text}")
    string(REGEX REPLACE "(^|\n) *//[^\n]*" "\\1" text "${text}")
    string(REPLACE "@variants:" "// variants:" text "${text}")
  endif()
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")
  string(REPLACE "\r" "\\r" text "${text}")
  string(REPLACE "\n" "\\n\"\n\"" text "${text}")
  string(APPEND texts "static const char text${count}[] =\n\"${text}\";\n\n")
  string(APPEND table "    {\"${name}\", text${count}, sizeof text${count} - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/embed.cmake from the files named here. */\n#include \"lua/loading/embedded.h\"\n\n${texts}"
  "const struct cp_embedded cp_embedded_files[] = {\n${table}    {0, 0, 0},\n};\n"
  "const size_t cp_embedded_count = ${count};\n")
