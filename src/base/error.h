// Status codes and the error record. A core function that fails describes the failure in the calling thread's
// record by cp_fail and returns its cp_status; only src/lua turns the record into a Lua error.
#ifndef CP_BASE_ERROR_H
#define CP_BASE_ERROR_H

typedef enum cp_status { // ORDER cp_kind_names
  CP_OK,
  CP_ESHAPE,
  CP_EDTYPE,
  CP_EINDEX,
  CP_EMEMORY,
  CP_ECOMPILE,
  CP_ECUDA,
  CP_EIO,
  CP_EINTERRUPTED,
  CP_EUSAGE
} cp_status;

enum { CP_ERROR_SIZE = 8192 };

// Records a failure as formatted text, cut at CP_ERROR_SIZE bytes, and returns kind, for `return
// cp_fail(...)`.
cp_status cp_fail(cp_status kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Records that host memory ran out while doing something ("sorting"; NULL: unspecified). Returns CP_EMEMORY.
cp_status cp_no_memory(const char *doing);

// The text of the calling thread's last failure.
const char *cp_error_text(void);

// The name of a status as users see it in cp.last_error(): "shape", "dtype", ...
const char *cp_kind_name(cp_status kind);

// Returns from the calling function when `call` fails.
#define CP_TRY(call)                                                                                         \
  do {                                                                                                       \
    cp_status cp_try_status = (call);                                                                        \
    if (cp_try_status != CP_OK) return cp_try_status;                                                        \
  } while (0)

#endif
