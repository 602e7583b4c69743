# Compiler flags of every target, and the headers of stb and DLPack. The numerical flags affect results:
# without contraction CPU and GPU agree bit for bit, and integer arrays promise wrap-around.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A chain of small arrays is 5 % faster than with -O2.
set(CUPOLA_OPTIMISATION -O3 CACHE STRING "optimisation, of which CI takes less where speed does not matter")
set(CUPOLA_LOOP_OPTIMISATION "" CACHE STRING "the same for hot loops, which take most of the time; empty: no other")
set(CMAKE_C_FLAGS_RELEASE "${CUPOLA_OPTIMISATION} -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_definitions(_DEFAULT_SOURCE)
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -ffp-contract=off -fwrapv -fno-strict-aliasing
  -fasynchronous-unwind-tables) # LuaJIT unwinds C frames by these tables when it throws errors
add_compile_options(-fno-plt) # operations on small arrays call Lua a dozen times
if(CUPOLA_WERROR)
  add_compile_options(-Werror)
endif()
if(CUPOLA_SANITIZE)
  add_compile_options(-g -fsanitize=${CUPOLA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CUPOLA_SANITIZE})
endif()

# Additional flags of hot loops (also for the programs of spec/c, which check the same source).
set(CUPOLA_LOOP_FLAGS ${CUPOLA_OPTIMISATION} ${CUPOLA_LOOP_OPTIMISATION} -fno-math-errno -fno-trapping-math)

string(REPLACE ":" ";" cpath "$ENV{CPATH}")
find_path(CUPOLA_STB_INCDIR stb/stb_image_write.h PATHS ${cpath})
find_path(CUPOLA_DLPACK_INCDIR dlpack/dlpack.h PATHS ${cpath})
mark_as_advanced(CUPOLA_STB_INCDIR CUPOLA_DLPACK_INCDIR)
if(NOT CUPOLA_STB_INCDIR OR NOT CUPOLA_DLPACK_INCDIR)
  message(FATAL_ERROR
    "cupola: stb/stb_image_write.h or dlpack/dlpack.h not found (Debian, Ubuntu: libstb-dev, "
    "libdlpack-dev). Elsewhere pass -DCUPOLA_STB_INCDIR and -DCUPOLA_DLPACK_INCDIR.")
endif()
set(CUPOLA_EXCHANGE_INCLUDES "${CUPOLA_STB_INCDIR}" "${CUPOLA_DLPACK_INCDIR}")
list(REMOVE_DUPLICATES CUPOLA_EXCHANGE_INCLUDES)
