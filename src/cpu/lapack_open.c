// Finding the library of BLAS and LAPACK for the CPU device (lapack.h).
#include "cpu/lapack.h"
#include "cpu/threads.h"
#include "device/library.h"

#include <pthread.h>
#include <stdatomic.h>

static cp_lapack table;

static const cp_symbol symbols[] = {
#define PLACE(field, k) (offsetof(cp_lapack, field) + (k) * sizeof table.field[0])
#define SYMBOLS(field, s, d, c, z, arguments)                                                                \
  {#s, PLACE(field, 0), false}, {#d, PLACE(field, 1), false}, {#c, PLACE(field, 2), false},                  \
      {#z, PLACE(field, 3), false},
    CP_LAPACK_FUNCTIONS(SYMBOLS)
#undef SYMBOLS
#define SYMBOLS(field, a, b, arguments) {#a, PLACE(field, 0), false}, {#b, PLACE(field, 1), false},
        CP_LAPACK_PAIRS(SYMBOLS)
#undef SYMBOLS
            {"openblas_set_num_threads", offsetof(cp_lapack, set_threads), true},
    {"MKL_Set_Num_Threads", offsetof(cp_lapack, set_mkl_threads), true},
};

// liblapack.so.3 brings the BLAS that it was built for along.
static const char *const *names(void) {
  static const char *const list[] = {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2", "liblapack.so.3",
                                     NULL};
  return list;
}

static const char *const variables[] = {"CUPOLA_BLAS_PATH", NULL};
static const char *const folders[] = {
    "/usr/lib/" CP_MULTIARCH, "/usr/lib/" CP_MULTIARCH "/openblas-*", "/usr/lib64", "/usr/local/lib",
    "/opt/OpenBLAS/lib",      "/opt/intel/oneapi/mkl/latest/lib",     NULL};

static cp_library library = {
    .title = "a BLAS with LAPACK",
    .names = names,
    .folders = folders,
    .variables = variables,
    .hint = "install OpenBLAS (Debian: libopenblas0-pthread), or set CUPOLA_BLAS_PATH",
    .outdated = "a library with BLAS and LAPACK is needed, such as OpenBLAS (Debian: libopenblas0-pthread)",
    .kind = CP_EIO,
    .symbols = symbols,
    .nsymbols = sizeof symbols / sizeof symbols[0],
    .table = &table,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

cp_status cp_lapack_open(const cp_lapack **out) {
  static atomic_int threads; // what the library was told
  *out = &table;
  CP_TRY(cp_open_library(&library));
  int wanted = cp_thread_count();
  if (atomic_exchange(&threads, wanted) == wanted) return CP_OK;
  if (table.set_threads != NULL) table.set_threads(wanted);
  if (table.set_mkl_threads != NULL) table.set_mkl_threads(wanted);
  return CP_OK;
}

const char *cp_lapack_path(void) { return cp_opened_path(&library); }
