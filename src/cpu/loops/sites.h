// The texts of kernels/routine/sites as src/cpu/loops/sites.c compiles them: one table per element type and
// instruction level.
#ifndef CP_CPU_LOOPS_SITES_H
#define CP_CPU_LOOPS_SITES_H

#include "routines/sites.h"

// Slots 0 to 3 are rows, columns and two that the CPU does not use.
typedef struct cp_slots {
  unsigned long long s[CP_SITES_SLOTS];
} cp_slots;

typedef struct cp_sites_loop {
  // Works on n sites of a row from a column on, n <= span.
  void (*run)(const cp_slots *p, long long row, long long column, int n);
  int span;
} cp_sites_loop;

typedef struct cp_sites_loops {
  cp_sites_loop kinds[CP_SITES_KINDS]; // NULL: not for this element type
} cp_sites_loops;

enum { CP_MOST_RANKED = 127 }; // longer windows are for CP_SITES_SELECT

// The table of t, an integer type, float32 or float64, at this machine's level.
const cp_sites_loops *cp_cpu_sites_loops(cp_dtype t);

#endif
