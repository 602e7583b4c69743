# src/cpu/loops/loops.c is compiled once per element type and instruction level. For each pair a generated
# file of a few lines defines CP_LOOP_DTYPE (CP_FLOAT32), CP_LOOP_TYPE_float32 (1), CP_LOOP_NAME (float32) and
# CP_LEVEL (v1, v3, v4) and includes loops.c. So is sites.c, for real types.
# convolutions.c, copies.c, keys.c and products.c are compiled once per level in the same way. CP_HAVE_V3 and
# CP_HAVE_V4 tell the rest of the core which levels exist beside v1.
include(CheckCCompilerFlag)

set(CUPOLA_LOOP_TYPES bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64
  complex128)

# Flags for loops that are long and seldom run: half the code, and still vectorised. Where there are further
# levels, those of v1 are such, as only processors from before 2013 run them.
set(CUPOLA_COMPACT_FLAGS -O2)
check_c_compiler_flag("-O2 -ftree-vectorize -fvect-cost-model=dynamic -Werror" CUPOLA_COMPILER_HAS_COST_MODEL)
if(CUPOLA_COMPILER_HAS_COST_MODEL)
  list(APPEND CUPOLA_COMPACT_FLAGS -ftree-vectorize -fvect-cost-model=dynamic)
endif()
# The same for types that such processors have least to do with: a third of the code, half as fast.
set(CUPOLA_SMALL_FLAGS -Os)
if(CUPOLA_LOOP_OPTIMISATION)
  set(CUPOLA_COMPACT_FLAGS ${CUPOLA_LOOP_OPTIMISATION})
  set(CUPOLA_SMALL_FLAGS ${CUPOLA_LOOP_OPTIMISATION})
endif()

# Sets `out` to the levels among CUPOLA_LEVELS that processor and compiler support.
function(cupola_levels out)
  set(levels v1)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    foreach(level v3 v4)
      check_c_compiler_flag(-march=x86-64-${level} CUPOLA_COMPILER_HAS_${level})
      if(level IN_LIST CUPOLA_LEVELS AND CUPOLA_COMPILER_HAS_${level})
        list(APPEND levels ${level})
      endif()
    endforeach()
  endif()
  set(${out} "${levels}" PARENT_SCOPE)
endfunction()

# Adds the generated source loops/<name>.c with this text and these compiler flags to the caller's list
# `sources`.
function(cupola_loop_source name text flags)
  set(source "${PROJECT_BINARY_DIR}/generated/loops/${name}.c")
  file(GENERATE OUTPUT "${source}" CONTENT "${text}")
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${flags}")
  list(APPEND sources "${source}")
  set(sources "${sources}" PARENT_SCOPE)
endfunction()

# Sets `out` to the generated sources and `definitions` to the CP_HAVE_ macros.
function(cupola_loop_sources out definitions)
  set(sources)
  set(have)
  cupola_levels(levels)
  foreach(level IN LISTS levels)
    set(flags ${CUPOLA_LOOP_FLAGS})
    if(NOT level STREQUAL "v1")
      list(APPEND flags -march=x86-64-${level})
      string(TOUPPER "CP_HAVE_${level}=1" define)
      list(APPEND have ${define})
    endif()
    set(text "#define CP_LEVEL ${level}\n#include \"cpu/loops/copies.c\"\n")
    cupola_loop_source("copies_${level}" "${text}" "${flags}")
    set(text "#define CP_LEVEL ${level}\n#include \"cpu/loops/keys.c\"\n")
    cupola_loop_source("keys_${level}" "${text}" "${flags}")
    # Sums of products may be fused, as their rounding errors depend on the order of the sum anyway.
    foreach(name convolutions products)
      set(text "#define CP_LEVEL ${level}\n#include \"cpu/loops/${name}.c\"\n")
      cupola_loop_source("${name}_${level}" "${text}" "${flags};-ffp-contract=fast")
    endforeach()
    foreach(type IN LISTS CUPOLA_LOOP_TYPES)
      string(TOUPPER "CP_${type}" dtype)
      set(text "#define CP_LOOP_DTYPE ${dtype}\n#define CP_LOOP_TYPE_${type} 1\n#define CP_LOOP_NAME ${type}\n")
      string(APPEND text "#define CP_LEVEL ${level}\n#include \"cpu/loops/loops.c\"\n")
      set(type_flags ${flags})
      # GCC 13 threads jumps through conditions of these loops, which it then cannot vectorise.
      if(type MATCHES "^float" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
          AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        list(APPEND type_flags -fno-thread-jumps)
      endif()
      set(small ${CUPOLA_COMPACT_FLAGS})
      if(NOT type MATCHES "^(float32|float64|int32)$")
        set(small ${CUPOLA_SMALL_FLAGS})
      endif()
      if(level STREQUAL "v1" AND "v3" IN_LIST levels)
        list(APPEND type_flags ${small})
      endif()
      if(type MATCHES "^complex" AND NOT level STREQUAL "v1")
        # gcc 12 fuses products of complex numbers in spite of -ffp-contract=off.
        list(REMOVE_ITEM type_flags -march=x86-64-v4)
        list(APPEND type_flags -march=x86-64-v3 -mno-fma)
      endif()
      # With them v4 is the same as v3, which levels.c takes then.
      if(NOT (type MATCHES "^complex" AND level STREQUAL "v4" AND "v3" IN_LIST levels))
        cupola_loop_source("${type}_${level}" "${text}" "${type_flags}")
      endif()
      if(NOT type MATCHES "^(bool|complex)")
        string(REPLACE "cpu/loops/loops.c" "cpu/loops/sites.c" text "${text}")
        set(site_flags ${flags})
        if(level STREQUAL "v1" AND "v3" IN_LIST levels)
          list(APPEND site_flags ${small})
        elseif(level STREQUAL "v1" OR type MATCHES "^(int8|int16|int64|uint16|uint32|uint64)$")
          list(APPEND site_flags ${CUPOLA_COMPACT_FLAGS})
        endif()
        # Ranks of bytes take v4 three times as long as v3, and nothing of 16 bits is faster with it.
        if(NOT (type MATCHES "^u?int(8|16)$" AND level STREQUAL "v4" AND "v3" IN_LIST levels))
          cupola_loop_source("sites_${type}_${level}" "${text}" "${site_flags}")
        endif()
      endif()
    endforeach()
  endforeach()
  set(${out} "${sources}" PARENT_SCOPE)
  set(${definitions} "${have}" PARENT_SCOPE)
endfunction()
