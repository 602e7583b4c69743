// Finds the BLAS and LAPACK library of the CPU device (lapack.h).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for dladdr
#endif
#include "cpu/libraries/lapack.h"
#include "host/library.h"
#include "host/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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
            {"openblas_set_num_threads", offsetof(cp_lapack, set_openblas), true},
    {"openblas_get_parallel", offsetof(cp_lapack, openblas_kind), true},
    {"omp_set_num_threads", offsetof(cp_lapack, set_openmp), true},
    {"omp_get_max_threads", offsetof(cp_lapack, get_openmp), true},
    {"MKL_Set_Num_Threads_Local", offsetof(cp_lapack, set_mkl), true},
    {"ATL_buildinfo", offsetof(cp_lapack, atlas), true},
    {"bli_info_get_version_str", offsetof(cp_lapack, blis), true},
};

// ---- the reference BLAS ----

static atomic_bool slow;

// True if products come from the reference implementation: from a libblas.so that is not an alternative of a
// faster library.
static bool is_reference(void) {
  Dl_info about;
  void *address;
  if (table.set_openblas != NULL || table.set_mkl != NULL || table.atlas != NULL || table.blis != NULL)
    return false;
  memcpy(&address, &table.gemm[1], sizeof address);
  if (dladdr(address, &about) == 0 || about.dli_fname == NULL) return false;
  const char *slash = strrchr(about.dli_fname, '/'), *name = slash != NULL ? slash + 1 : about.dli_fname;
  return strncmp(name, "libblas.", 8) == 0 || strncmp(name, "librefblas.", 11) == 0;
}

static void look_at(const char *path) {
  atomic_store(&slow, is_reference());
  if (atomic_load(&slow))
    fprintf(
        stderr,
        "cupola: of BLAS and LAPACK only the reference implementation was found (%s), which is many times "
        "slower than OpenBLAS (Debian: libopenblas0-pthread)\n",
        path);
}

static cp_library library = {
    .title = "a BLAS with LAPACK",
    // the last name loads the BLAS that it was linked with
    .names = CP_LIST("libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2", "liblapack.so.3"),
    .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib/" CP_MULTIARCH "/openblas-*", "/usr/lib64",
                       "/usr/local/lib", "/opt/OpenBLAS/lib", "/opt/intel/oneapi/mkl/latest/lib"),
    .variables = CP_LIST("CUPOLA_BLAS_PATH"),
    .hint = "install OpenBLAS (Debian: libopenblas0-pthread), or set CUPOLA_BLAS_PATH",
    .outdated = "a library with BLAS and LAPACK is needed, such as OpenBLAS (Debian: libopenblas0-pthread)",
    .kind = CP_EIO,
    .opened = look_at,
    CP_FILLS(&table, symbols),
};

cp_status cp_lapack_open(const cp_lapack **out) {
  *out = &table;
  return cp_open_library(&library);
}

const char *cp_lapack_path(void) { return cp_opened_path(&library); }

bool cp_lapack_is_slow(void) { return atomic_load(&slow); }

// ---- threads ----

int cp_lapack_threads(double work) {
  enum {
    // multiplications: a smaller share is done before another thread has woken up, on a machine that has
    // other work too
    WORTH = 1 << 22
  };
  int most = cp_thread_count();
  return work < (double)most * WORTH ? 1 + (int)(work / WORTH) : most;
}

int cp_lapack_enter(int threads) {
  enum { BY_OPENMP = 2 };
  static atomic_int threads_set; // for the process
  if (table.set_mkl != NULL) return table.set_mkl(threads);
  if (table.set_openblas == NULL) return 0;
  if (table.openblas_kind != NULL && table.openblas_kind() == BY_OPENMP && table.set_openmp != NULL &&
      table.get_openmp != NULL) {
    // Either one thread or all: the library frees and allocates buffers whenever the number of threads
    // changes to another one above 1.
    int before = table.get_openmp();
    table.set_openmp(threads == 1 ? 1 : cp_thread_count());
    return before;
  }
  if (atomic_exchange(&threads_set, threads) != threads) table.set_openblas(threads);
  return 0;
}

void cp_lapack_leave(int before) {
  if (table.set_mkl != NULL)
    table.set_mkl(before);
  else if (before > 0)
    table.set_openmp(before);
}
