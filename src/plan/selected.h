// What arrays of positions select from, in a pending lookup: shared by its nodes, the plans that are made of
// them, and the notes of launches whose errors a device finds later.
#ifndef CP_PLAN_SELECTED_H
#define CP_PLAN_SELECTED_H

#include "plan/ops.h"

#include <stdint.h>

// An operation has so many operands besides the array itself and the distance that other axes add.
enum { CP_MOST_SELECTING = CP_MAX_ARGS - 2 };

typedef struct cp_selected {
  int refs;
  bool reported; // an error about them has been raised; the same value may be computed several times
  int count;
  struct {
    int64_t length, stride; // of the axis that they select from; the stride is in bytes
    int axis;               // its number from 1 on, for messages; 0: the flattened array
  } list[CP_MOST_SELECTING];
  char where[48], site[96]; // the function and the script's line, for messages
} cp_selected;

static inline void cp_selected_retain(cp_selected *p) { p->refs++; }
void cp_selected_release(cp_selected *p); // p may be NULL

#endif
