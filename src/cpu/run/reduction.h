// How the CPU device reduces, in one of two forms:
//   by rows     the reduced dimensions are innermost; each block is reduced to one accumulator
//   by columns  the kept dimensions are innermost; each block is folded into a row of accumulators
// A task is a group of outputs times a chunk of the reduced range. Groups, chunks and the order of all
// combinations depend on the plan alone and not on the number of threads, so results are the same bits with
// any number of threads.
#ifndef CP_CPU_RUN_REDUCTION_H
#define CP_CPU_RUN_REDUCTION_H

#include "cpu/run/cascade.h"
#include "cpu/run/program.h"
#include "host/threads.h"

typedef struct cp_reduction {
  const cp_plan *p;
  const cp_red_loops *red;
  cp_program program;
  size_t item;    // bytes per accumulator
  size_t element; // bytes per value in its register
  bool columns;
  int factors[2]; // leaves without gaps of whose products this is the sum; -1: it is something else
  bool pitched;   // by columns: the values of all rows lie in memory, `pitch` bytes apart
  int64_t pitch;
  bool stacked; // by columns: rows of values are copied to a stack and folded at once
  bool affine;  // positions are start + step * index in the reduced range
  int64_t start, step;
  int64_t groups, chunks; // there are groups x chunks tasks
  int64_t width;          // most outputs per group
  int64_t run, pieces;    // by columns: groups are pieces of runs of `run` outputs
  int64_t folds;          // by columns: rows folded one after the other before they enter the cascade
  int64_t length;         // elements of the reduced range per chunk
  size_t cascade_rows;
  char *workspace; // if chunks > 1: accumulators by [chunk][output]
} cp_reduction;

// The most outputs of a group in a reduction by rows.
int64_t cp_rows_at_once(const cp_plan *p);
// What a thread needs for tasks.
typedef struct cp_reducer {
  const cp_reduction *r;
  cp_tasks *tasks;
  cp_worker w;
  cp_cascade cascade;
  char *accs;  // a group's accumulators
  char *stack; // values of a row, or of several rows by columns
} cp_reducer;

// Prepares the reduction of a plan whose rows have elements. Afterwards cp_reduction_end frees its workspace.
// columns: by columns. CP_EDTYPE when there is no loop, CP_EMEMORY.
cp_status cp_reduction_begin(cp_reduction *r, const cp_plan *p, bool columns);
void cp_reduction_end(cp_reduction *r);
// Bytes that a thread needs: blocks, the cascade and a group's accumulators.
size_t cp_reduction_memory(const cp_reduction *r);
// memory: cp_reduction_memory bytes, aligned to 64.
void cp_reducer_start(cp_reducer *s, const cp_reduction *r, cp_tasks *tasks, char *memory);
// Does the task of a group and a chunk. With one chunk this stores the group's results.
void cp_reducer_run(cp_reducer *s, int64_t group, int64_t chunk);
// Combines the chunks' accumulators of the outputs [first, first + count) as a tree, in place, and stores the
// results. CP_EINTERRUPTED; ctx NULL: the host is not asked.
cp_status cp_reduction_combine(cp_context *ctx, const cp_reduction *r, int64_t first, int64_t count);
// Stores what `count` accumulators give as outputs `first`, `first` + 1, ...
void cp_reduction_finish(const cp_reduction *r, const char *accs, int64_t first, int64_t count);
// The positions of reduced index `index` and those after it, along a row if `along` is set; else one index
// for each of the next rows. NULL: the reduction needs none.
const cp_positions *cp_reducer_positions(const cp_reducer *s, int64_t index, bool along, cp_positions *p);

// ---- by columns -------------------------------------------------------------------------------------------

// Whether the plan is to be reduced by columns.
bool cp_prefers_columns(const cp_plan *p);
// Sets groups, chunks and how rows are folded, once the program is built.
void cp_plan_columns(cp_reduction *r);
void cp_reduce_columns(cp_reducer *s, int64_t group, int64_t chunk);
// Bytes for rows of values that are folded at once.
size_t cp_columns_stack(const cp_reduction *r);

#endif
