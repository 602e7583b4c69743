# Parts of kernels/ops.def, as files in generated/ops that are rewritten only when they change, so that a
# changed row recompiles only what uses it: names.def for ids, and for the loops of each kind of dtypes the
# rows that they have (real.def, integer.def, boolean.def, complex.def). cmake/ops_list.h says what these
# contain.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/ops.def"
  "${PROJECT_SOURCE_DIR}/cmake/ops_list.h")

# Writes <name>.def: cmake/ops_list.h preprocessed with the options that follow.
function(cupola_ops_list name)
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -std=c11 -E -P -x c ${ARGN}
    "${PROJECT_SOURCE_DIR}/cmake/ops_list.h"
    OUTPUT_VARIABLE rows RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "cupola: the compiler could not preprocess cmake/ops_list.h for ${name}.def")
  endif()
  set(text "// Made by cmake/ops.cmake.\n")
  foreach(macro OP RED)
    string(APPEND text "#ifndef ${macro}\n#define ${macro}(...)\n#endif\n")
  endforeach()
  string(APPEND text
    "#ifndef OP_FAST\n#define OP_FAST OP\n#endif\n${rows}\n#undef OP\n#undef OP_FAST\n#undef RED\n")
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/ops/${name}.def" CONTENT "${text}")
endfunction()

cupola_ops_list(names -DCP_NAMES)
cupola_ops_list(real -DCP_LIST=LIST_r -DCP_FAST)
cupola_ops_list(integer -DCP_LIST=LIST_i)
cupola_ops_list(boolean -DCP_LIST=LIST_b)
cupola_ops_list(complex -DCP_LIST=LIST_c)
