// Checks and names that all families of collective.h share.
#include "routines/collective.h"

const char *const cp_collective_names[] = {"all_reduce",     "broadcast", "reduce", "all_gather",
                                           "reduce_scatter", "send",      "recv"};
const char *const cp_combination_names[] = {"sum", "prod", "min", "max", "avg"};

cp_status cp_check_combination(cp_dtype t, cp_combination c) {
  bool complex_fits = c == CP_SUM || c == CP_AVG;
  if (cp_is_complex(t) && !complex_fits)
    return cp_fail(CP_EDTYPE, "%s is not defined for %s; sum and avg are", cp_combination_names[c],
                   cp_dtypes[t].name);
  if (t == CP_BOOL && c == CP_AVG)
    return cp_fail(CP_EDTYPE, "avg is not defined for bool; convert with :astype(\"float32\")");
  return CP_OK;
}
