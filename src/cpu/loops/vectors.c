// Finds the C library's vector functions, by the names that the x86-64 vector ABI gives them.
#include "cpu/loops/vectors.h"

#include "host/library.h"

typedef struct vectors {
  cp_vector_function *of[4][CP_NVECTORS]; // float64 and float32 in 32 bytes, then in 64 bytes
} vectors;

static vectors table;

static const cp_symbol symbols[] = {
#define PLACE(kind, name) offsetof(vectors, of[kind][CP_VECTOR_##name])
#define SYMBOLS(name, c_name, letters)                                                                       \
  {"_ZGVdN4" #letters "_" #c_name, PLACE(0, name), true},                                                    \
      {"_ZGVdN8" #letters "_" #c_name "f", PLACE(1, name), true},                                            \
      {"_ZGVeN8" #letters "_" #c_name, PLACE(2, name), true},                                                \
      {"_ZGVeN16" #letters "_" #c_name "f", PLACE(3, name), true},
    CP_VECTOR_FUNCTIONS(SYMBOLS)
#undef SYMBOLS
#undef PLACE
};

static cp_library library = {
    .title = "the C library's vector functions",
    .names = CP_LIST("libmvec.so.1"),
    .folders = CP_LIST("/lib/" CP_MULTIARCH, "/lib64"),
    .hint = "loops call its functions of numbers",
    .outdated = "loops call its functions of numbers",
    .kind = CP_EIO,
    CP_FILLS(&table, symbols),
};

cp_vector_function *cp_cpu_vector(cp_vector_id id, int bytes, bool single) {
  return cp_try_library(&library) ? table.of[(bytes > 32) * 2 + single][id] : NULL;
}
