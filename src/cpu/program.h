// A plan's instructions as block work: which loop runs on which blocks, and where operands come from. A
// program is shared by all threads of a job; each has a cp_worker with the blocks.
//
// Positions are linear, in C order of the program's own dimensions: the plan's, reordered as asked and
// collapsed.
#ifndef CP_CPU_PROGRAM_H
#define CP_CPU_PROGRAM_H

#include "cpu/loops.h"
#include "cpu/strided.h"
#include "expr/plan.h"

enum {
  CP_BLOCK = 2048, // positions per block at most; half as many for more than one instruction
  CP_CHUNK =
      16384, // positions per task, and per partial result of a reduction: fixed, so that results are too
  CP_LONG_ROW = 256, // from this length on blocks end with their row, so that operands are read in place
  CP_MAX_OPERANDS = CP_MAX_LEAVES + CP_MAX_OUTPUTS,
  CP_MAX_REGISTERS = CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS
};

typedef enum cp_step_kind { CP_STEP_LOAD, CP_STEP_RUN } cp_step_kind;

typedef struct cp_step {
  cp_step_kind kind;
  int reg;    // written: the leaf's or the instruction's
  int direct; // RUN: output that may be written in place, -1 none
  int nargs;
  int args[CP_MAX_ARGS];
  cp_loop *loop;  // LOAD: NULL, or what normalises bool
  cp_loop *round; // to a half type, or NULL
} cp_step;

typedef struct cp_program {
  const cp_plan *plan;
  int ndim;
  int64_t shape[CP_MAXDIM + 1];
  int noperands; // leaves, then (elementwise) outputs
  int64_t strides[CP_MAX_OPERANDS][CP_MAXDIM + 1];
  bool in_place
      [CP_MAX_OPERANDS]; // contiguous along the last dimension, aligned, memory format = register format
  cp_dtype dtypes[CP_MAX_REGISTERS];
  short slots[CP_MAX_REGISTERS]; // block of each register, -1: none
  int nslots, nsteps;
  cp_step steps[CP_MAX_INSTRS + CP_MAX_LEAVES];
  size_t block; // positions per block
  size_t slot_bytes;
  const cp_loops *float32; // for half operands
} cp_program;

typedef struct cp_worker {
  const cp_program *program;
  char *memory; // nslots blocks
  int64_t row;  // whose offsets these are; -1 none
  int64_t offsets[CP_MAX_OPERANDS];
  const void *registers[CP_MAX_REGISTERS]; // where each register's block is
} cp_worker;

// Prepares plan p for ranges of at most `block` positions. order: the program's dimensions as dimensions of
// the plan; NULL: as they are. keep: registers (count of them) that outlive the instructions. CP_EUSAGE when
// an operation has no loop.
cp_status cp_program_build(cp_program *g, const cp_plan *p, const int *order, size_t block, int count,
                           const int *keep);

// Bytes of blocks that a worker needs.
static inline size_t cp_program_memory(const cp_program *g) { return (size_t)g->nslots * g->slot_bytes; }

// memory: cp_program_memory bytes, aligned to 64.
void cp_worker_start(cp_worker *w, const cp_program *g, void *memory);

// How many positions from begin (before end) are best evaluated at once.
static inline size_t cp_program_range(const cp_program *g, int64_t begin, int64_t end) {
  int64_t n = end - begin, length = g->shape[g->ndim - 1];
  if (n > (int64_t)g->block) n = (int64_t)g->block;
  if (g->ndim > 1 && length >= CP_LONG_ROW) {
    int64_t left = length - begin % length;
    if (n > left) n = left;
  }
  return (size_t)n;
}

// Evaluates n <= block positions from begin: afterwards registers[] hold them, and (elementwise) outputs are
// stored.
void cp_worker_run(cp_worker *w, int64_t begin, size_t n);

// Converts a block from one register format to the other (half: rounded); src may be dst only when the sizes
// are equal.
void cp_convert(cp_dtype from, cp_dtype to, void *dst, const void *src, size_t n);
// Stores a block of register format t at positions begin .. of `to`, in memory format. n <= CP_BLOCK.
void cp_store(const cp_strided *to, cp_dtype t, const void *src, int64_t begin, size_t n);

#endif
