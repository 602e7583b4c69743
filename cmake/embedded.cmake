# Object library `embedded`: every file of lua/cupola and kernels as text in the module
# (src/lua/loading/embedded.h). cmake/embed.cmake writes the C source at build time, again whenever a file is
# edited, added or removed.

file(GLOB_RECURSE embedded_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  "${PROJECT_SOURCE_DIR}/lua/cupola/*.lua" "${PROJECT_SOURCE_DIR}/kernels/*")
list(SORT embedded_files)
set(embedded_list "${PROJECT_BINARY_DIR}/generated/embedded.txt")
set(embedded_source "${PROJECT_BINARY_DIR}/generated/embedded.c")
string(REPLACE ";" "\n" embedded_names "${embedded_files}")
# Rewritten only when it changes. It is a dependency because removing a file changes no other file.
file(GENERATE OUTPUT "${embedded_list}" CONTENT "${embedded_names}\n")
list(TRANSFORM embedded_files PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE embedded_paths)

add_custom_command(OUTPUT "${embedded_source}"
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DLIST=${embedded_list}"
    "-DOUTPUT=${embedded_source}" -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS ${embedded_paths} "${embedded_list}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  COMMENT "Embedding the Lua side and the kernel texts" VERBATIM)
add_library(embedded OBJECT "${embedded_source}")
target_include_directories(embedded PRIVATE "${PROJECT_SOURCE_DIR}/src")
