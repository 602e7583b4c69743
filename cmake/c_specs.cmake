# One program per .c file of spec/c and its folders, linked with the core, and compiled with the flags of the
# hot loops, whose source they include. A program exits with 0 when it passes, 77 when it is skipped, anything
# else when it fails.
include(CheckCSourceCompiles)

# The reference for float64 is __float128 where it exists (gcc's libquadmath), otherwise long double.
set(CMAKE_REQUIRED_LIBRARIES quadmath)
check_c_source_compiles("#include <quadmath.h>\nint main(void) { return (int)expq(0); }" CUPOLA_HAS_QUADMATH)
unset(CMAKE_REQUIRED_LIBRARIES)

# Adds the program of `source`, for example core.c, to the target c_specs as the target spec_core. It is built
# as c_specs/core in the build folder.
function(cupola_c_spec source)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(spec_${name} EXCLUDE_FROM_ALL "${source}")
  set_target_properties(spec_${name} PROPERTIES OUTPUT_NAME "${name}" RUNTIME_OUTPUT_DIRECTORY
    "${PROJECT_BINARY_DIR}/c_specs")
  target_compile_options(spec_${name} PRIVATE ${CUPOLA_LOOP_FLAGS})
  target_include_directories(spec_${name} PRIVATE "${PROJECT_SOURCE_DIR}/spec/c")
  target_compile_definitions(spec_${name} PRIVATE CP_SPEC_FOLDER="${PROJECT_SOURCE_DIR}/spec/c")
  if(LUA54_INCDIR) # for programs that load Lua and the module
    target_include_directories(spec_${name} PRIVATE "${LUA54_INCDIR}")
  endif()
  target_link_libraries(spec_${name} PRIVATE core)
  if(CUPOLA_HAS_QUADMATH)
    target_compile_definitions(spec_${name} PRIVATE CP_HAVE_QUADMATH=1)
    target_link_libraries(spec_${name} PRIVATE quadmath)
  endif()
  add_dependencies(c_specs spec_${name})
endfunction()
