// A plan's instructions as block work: which loop runs on which blocks, and where operands come from. A
// program is shared by all threads of a job; each has a cp_worker with the blocks.
//
// Positions are linear, in C order of the program's own dimensions: the plan's, reordered as asked and
// collapsed, or cut into tiles. The last dimensions, `span` of them, are what a block lies within: a long
// row, a tile, or everything.
#ifndef CP_CPU_RUN_PROGRAM_H
#define CP_CPU_RUN_PROGRAM_H

#include "cpu/loops/loops.h"
#include "cpu/loops/moves.h"
#include "cpu/run/strided.h"
#include "plan/plan.h"

enum {
  CP_BLOCK = 4096, // positions per block at most, when there are registers to keep in the cache
  CP_CHUNK =
      16384, // positions per task, and per partial result of a reduction: fixed, so that results are too
  CP_LONG_ROW = 256,    // from this length on blocks end with their row, so that operands are read in place
  CP_TILE_BYTES = 128,  // of a column of a tile: two lines
  CP_MAX_PERIOD = 1024, // of a cycle
  CP_PROGRAM_OPERANDS = CP_MAX_LEAVES + CP_MAX_OUTPUTS,
  CP_MAX_REGISTERS = CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS
};

// How the block of a register comes about.
typedef enum cp_register_source {
  CP_SOURCE_UNUSED,
  CP_SOURCE_RESULT,    // of an instruction
  CP_SOURCE_PLACE,     // the operand's own memory: contiguous, aligned, in register format
  CP_SOURCE_CONVERTED, // contiguous and aligned in memory, converted from there (half types, bool)
  CP_SOURCE_GATHERED,  // copied, then converted if need be
  CP_SOURCE_COUNTED,   // values of an index
  CP_SOURCE_SAME,      // one element for the row: filled when the row changes
  CP_SOURCE_SHARED,    // a scalar that equals an earlier one, whose register its slot names
  CP_SOURCE_CYCLE      // the same elements again after `period` positions, prepared at the start; scalars too
} cp_register_source;

typedef struct cp_step {
  cp_register_source source;
  short reg;    // written: the leaf's or the instruction's
  short direct; // output that is written in place of the register's block, -1 none
  short nargs;
  short args[CP_MAX_ARGS];
  cp_loop *loop;  // what computes the instruction; leaves: what normalises bool, or NULL
  cp_loop *round; // to a half type, or NULL
} cp_step;

typedef struct cp_program {
  const cp_plan *plan;
  const cp_copy_loops *copies;
  const cp_loops *float32; // for half operands
  int ndim, span;
  int64_t shape[CP_MAXDIM + 3];
  int64_t within; // positions in the last `span` dimensions
  int noperands;  // leaves, then (elementwise) outputs
  char *bases[CP_PROGRAM_OPERANDS];
  int64_t starts[CP_PROGRAM_OPERANDS]; // of an index
  int64_t strides[CP_PROGRAM_OPERANDS][CP_MAXDIM + 3];
  bool flat[CP_PROGRAM_OPERANDS];  // contiguous and aligned to its element within the span
  bool streamed[CP_MAX_OUTPUTS];   // stored past the cache
  cp_dtype stored[CP_MAX_OUTPUTS]; // format of an output in memory
  cp_dtype dtypes[CP_MAX_REGISTERS];
  cp_register_source sources[CP_MAX_REGISTERS];
  short slots[CP_MAX_REGISTERS];     // block of each register, -1: none or its own
  size_t offsets[CP_MAX_REGISTERS];  // where the block is in a worker's memory
  int64_t periods[CP_MAX_REGISTERS]; // of cycles
  int first, nregisters;             // the first instruction's register, and how many there are
  int nslots, nsteps;
  cp_step steps[CP_MAX_INSTRS + CP_MAX_LEAVES];
  size_t block; // positions per block
  size_t converted,
      packed; // where outputs are converted to memory format (packed: to half types) before they are stored
  size_t memory; // bytes of blocks that a worker needs
} cp_program;

typedef struct cp_worker {
  const cp_program *program;
  char *memory;
  int64_t row;   // whose offsets these are; -1 none
  size_t filled; // elements of its SAME operands that are there
  int64_t offsets[CP_PROGRAM_OPERANDS];
  const void *registers[CP_MAX_REGISTERS]; // where each register's block is
} cp_worker;

// A program's space: all of the plan's, its dimensions in this order (NULL: as they are), collapsed.
void cp_program_space(cp_program *g, const cp_plan *p, const int *order);

// The dimension that some operand runs along while the outputs run along the last one, so that tiles pay;
// -1: none.
int cp_program_tile_dim(const cp_plan *p);
// A part of the plan's space, `rows` from `row` on along dimension dim and `columns` from `column` on along
// the last one, in tiles of tile_rows x tile_columns, which divide these.
typedef struct cp_tiling {
  int dim;
  int64_t row, rows, tile_rows, column, columns, tile_columns;
} cp_tiling;
void cp_program_tiles(cp_program *g, const cp_plan *p, const cp_tiling *t);

// After the space is set: prepares the program for ranges of at most `block` positions. keep: registers
// (count of them) that outlive the instructions. CP_EDTYPE when an operation has no loop.
cp_status cp_program_build(cp_program *g, size_t block, int count, const int *keep);

// memory: program->memory bytes, aligned to 64.
void cp_worker_start(cp_worker *w, const cp_program *g, void *memory);

// How many positions from begin (before end) are to be evaluated at once.
static inline size_t cp_program_range(const cp_program *g, int64_t begin, int64_t end) {
  int64_t n = end - begin;
  if (n > (int64_t)g->block) n = (int64_t)g->block;
  if (g->span < g->ndim) {
    int64_t left = g->within - begin % g->within;
    if (n > left) n = left;
  }
  return (size_t)n;
}

// Evaluates n positions from begin, at most what cp_program_range gives: afterwards registers[] hold them,
// and (elementwise) outputs are stored.
void cp_worker_run(cp_worker *w, int64_t begin, size_t n);

// After the last run: what was stored is seen by other threads.
void cp_worker_end(const cp_worker *w);

// Converts a block from one register format to the other (half: rounded); src may be dst only when the sizes
// are equal.
void cp_convert(cp_dtype from, cp_dtype to, void *dst, const void *src, size_t n);
// Stores a block of register format t at positions begin .. of `to`, in memory format. n <= CP_BLOCK.
void cp_store(const cp_strided *to, cp_dtype t, const void *src, int64_t begin, size_t n);

#endif
