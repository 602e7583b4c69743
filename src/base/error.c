// The error record of each thread (error.h).
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_text[CP_ERROR_SIZE];

cp_status cp_fail(cp_status kind, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error_text, sizeof error_text, format, args);
  va_end(args);
  return kind;
}

cp_status cp_no_memory(const char *doing) {
  return doing == NULL ? cp_fail(CP_EMEMORY, "out of host memory")
                       : cp_fail(CP_EMEMORY, "out of host memory while %s", doing);
}

const char *cp_error_text(void) { return error_text; }

const char *cp_kind_name(cp_status kind) {
  static const char *const cp_kind_names[] = {"none",   "shape",   "dtype", "index", // ORDER cp_status
                                              "memory", "compile", "cuda",  "io",    "interrupted", "usage"};
  return cp_kind_names[kind];
}
