// Runs the system's C++ compiler, without a shell.
#ifndef CP_CPU_KERNELS_COMPILER_H
#define CP_CPU_KERNELS_COMPILER_H

#include "base/strbuf.h"
#include "cache/cache.h"

// The options that kernels are compiled with, part of cache keys.
extern const char cp_compiler_options[];

// Compiles C++ text to the bytes of a shared object, which the caller frees. The options come after
// cp_compiler_options. CP_ECOMPILE lists what was tried
// when there is no compiler, or has the compiler's messages (the first 4 KB) when the text is wrong. Leaves
// no files behind.
cp_status cp_compile(const char *source, size_t size, int noptions, const char *const *options,
                     cp_bytes *object);

// Loads a shared object from bytes and finds a symbol in it. It is never unloaded. CP_ECOMPILE.
cp_status cp_load_object(const cp_bytes *object, const char *symbol, void **address);

// Path of the compiler (CUPOLA_CXX, CXX, c++, g++, clang++), or NULL when there is none. Looked up once.
const char *cp_compiler_path(void);

#endif
