# One program per file of spec/c, linked with the core, compiled with the flags of the hot loops whose text they check.
# A program exits with 0 when it passes, 77 when it has to skip, anything else when it fails.
include(CheckCSourceCompiles)

# Where __float128 exists (gcc's libquadmath) it is the reference for float64; else long double is.
set(CMAKE_REQUIRED_LIBRARIES quadmath)
check_c_source_compiles("#include <quadmath.h>\nint main(void) { return (int)expq(0); }" CUPOLA_HAS_QUADMATH)
unset(CMAKE_REQUIRED_LIBRARIES)

# Adds the program of `source`, core.c say, to the target c_specs as spec_core; it lies as core in the folder c_specs
# of the build.
function(cupola_c_spec source)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(spec_${name} EXCLUDE_FROM_ALL "${source}")
  set_target_properties(spec_${name} PROPERTIES OUTPUT_NAME "${name}" RUNTIME_OUTPUT_DIRECTORY
    "${PROJECT_BINARY_DIR}/c_specs")
  target_compile_options(spec_${name} PRIVATE ${CUPOLA_LOOP_FLAGS})
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
