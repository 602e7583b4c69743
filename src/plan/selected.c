// The end of what lookups share (selected.h).
#include "plan/selected.h"

#include <stdlib.h>

void cp_selected_release(cp_selected *p) {
  if (p != NULL && --p->refs == 0) free(p);
}
