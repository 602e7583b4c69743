// Routines that work at many sites which do not depend on each other: windows, interpolation, labels,
// distances. Both devices compile the same texts (kernels/routine/sites), which say what their slots are.
#ifndef CP_ROUTINES_SITES_H
#define CP_ROUTINES_SITES_H

#include "base/dtype.h"
#include "device/device.h"

typedef enum cp_sites_kind { // ORDER as in src/cpu/loops/sites.c
  CP_SITES_EXTREME,
  CP_SITES_RANK,
  CP_SITES_SELECT,
  CP_SITES_SAMPLE,
  CP_SITES_TAPS,
  CP_SITES_WEIGHTS,
  CP_SITES_SPLINE,
  CP_SITES_LABEL,
  CP_SITES_ENVELOPE,
  CP_SITES_BITS,
  CP_SITES_KINDS
} cp_sites_kind;

// ORDER as in kernels/routine/sites/sites.h.
enum { CP_SITES_OWN = 4, CP_SITES_SLOTS = 48, CP_SITES_AXES = 10 };

// No array has 0 elements, and results do not overlap operands.
typedef struct cp_sites_job {
  cp_sites_kind kind;
  cp_dtype dtype; // of elements: integers, float32, float64
  int axes;       // of arrays; for texts that are compiled for a number of axes
  int fixed;      // what a text is compiled for besides: the order of splines, the pass, a window's elements
  int common; // RANK: how many taps, the first ones, the windows of two neighbours have in common; then come
              // the own ones of the first, and those of the second. 0: taps are those of one window
  int64_t rows, columns;
  uint64_t slots[CP_SITES_SLOTS]; // from CP_SITES_OWN on
} cp_sites_job;

typedef struct cp_sites_ops {
  // The longest windows for which CP_SITES_RANK takes pairs of neighbours, of elements of one byte and of
  // longer ones; 0: none.
  int most_paired[2];
  cp_status (*run)(cp_context *ctx, cp_stream *s, const cp_sites_job *job);
  // Optional: replaces what the passes 0 and 1 of CP_SITES_LABEL give for `count` sites by numbers of
  // components, from 1 in the order of their first sites, and -1 by 0; *components is how many there are. It
  // waits for them.
  cp_status (*number)(cp_context *ctx, cp_stream *s, cp_dtype dtype, void *labels, int64_t count,
                      int64_t *components);
} cp_sites_ops;

extern const cp_sites_ops cp_cpu_sites_ops, cp_cuda_sites_ops;

#endif
