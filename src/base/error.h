// Status codes and the error record. Core functions return a cp_status and, when it is not CP_OK, have filled the
// calling thread's record by cp_fail; only src/lua turns the record into a Lua error.
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

// Records a failure: kind and the formatted fact, cut at CP_ERROR_SIZE bytes. Returns kind, so that `return cp_fail(...)` reads well.
cp_status cp_fail(cp_status kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for memory of the host that could not be had, while doing something ("sorting"; NULL: not said). Returns CP_EMEMORY.
cp_status cp_no_memory(const char *doing);

// The text of the calling thread's last failure.
const char *cp_error_text(void);

// The name of a kind as users see it in cp.last_error(): "shape", "dtype", ...
const char *cp_kind_name(cp_status kind);

#define CP_TRY(call)                                                                                         \
  do {                                                                                                       \
    cp_status cp_try_status = (call);                                                                        \
    if (cp_try_status != CP_OK) return cp_try_status;                                                        \
  } while (0)

#endif
