// A program is a plan's instructions as work on blocks: which loop runs on which block, and where operands
// come from. All threads of a job share one program; each has a cp_worker with the blocks.
//
// Positions are linear, in C order of the program's own dimensions. These are the plan's dimensions,
// reordered and collapsed, or cut into tiles. A block never crosses the end of the last `span` dimensions: a
// long row, a tile, or the whole space.
#ifndef CP_CPU_RUN_PROGRAM_H
#define CP_CPU_RUN_PROGRAM_H

#include "cpu/loops/copies.h"
#include "cpu/loops/loops.h"
#include "cpu/run/strided.h"
#include "plan/plan.h"

enum {
  CP_BLOCK = 4096, // most positions per block, when there are registers to keep in the cache
  // positions per task and per partial result of a reduction; fixed, so that results do not vary
  CP_CHUNK = 16384,
  // in rows of at least this length, blocks end at the row's end, so that operands are read in place
  CP_LONG_ROW = 256,
  CP_TILE_BYTES = 128,  // bytes of a tile's column: two cache lines
  CP_MAX_PERIOD = 1024, // longest period of a repeating operand
  CP_PROGRAM_OPERANDS = CP_MAX_LEAVES + CP_MAX_OUTPUTS,
  CP_MAX_REGISTERS = CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS
};

// Where a register's block comes from.
typedef enum cp_register_source {
  CP_SOURCE_UNUSED,
  CP_SOURCE_RESULT,    // the result of an instruction
  CP_SOURCE_PLACE,     // the operand's own memory: contiguous, aligned, in register format
  CP_SOURCE_CONVERTED, // contiguous and aligned memory, but converted (half types, bool)
  CP_SOURCE_GATHERED,  // gathered into a block, then converted if necessary
  CP_SOURCE_COUNTED,   // the values of an index
  CP_SOURCE_SAME,      // one element for the whole row: the block is filled when the row changes
  CP_SOURCE_SHARED,    // a scalar equal to an earlier one; its slot names that register
  // repeats after `period` positions, so one period is prepared at the start; also scalars
  CP_SOURCE_CYCLE
} cp_register_source;

typedef struct cp_step {
  cp_register_source source;
  short reg;    // the register that is written: the leaf's or the instruction's
  short direct; // output that is written directly instead of the register's block, or -1
  short nargs;
  short args[CP_MAX_ARGS];
  cp_loop *loop;  // the instruction's loop; for leaves: the loop that normalises bool, or NULL
  cp_loop *round; // rounds to a half type, or NULL
} cp_step;

typedef struct cp_program {
  const cp_plan *plan;
  const cp_copy_loops *copies;
  const cp_loops *float32; // the float32 loops, for half operands
  int ndim, span;
  int64_t shape[CP_MAXDIM + 3];
  int64_t within; // number of positions in the last `span` dimensions
  int noperands;  // leaves, then the outputs of an elementwise plan
  char *bases[CP_PROGRAM_OPERANDS];
  int64_t starts[CP_PROGRAM_OPERANDS]; // first values of index operands
  int64_t strides[CP_PROGRAM_OPERANDS][CP_MAXDIM + 3];
  int nmoves;
  cp_move moves[CP_MAX_MOVES];     // the plan's, along the program's dimensions
  bool moved[CP_MAX_LEAVES];       // its positions within the span move
  bool flat[CP_PROGRAM_OPERANDS];  // contiguous within the span and aligned to its element
  bool streamed[CP_MAX_OUTPUTS];   // written with non-temporal stores
  cp_dtype stored[CP_MAX_OUTPUTS]; // the output's dtype in memory
  cp_dtype dtypes[CP_MAX_REGISTERS];
  cp_register_source sources[CP_MAX_REGISTERS];
  short slots[CP_MAX_REGISTERS];     // each register's block; -1: none, or memory that is not a block
  size_t offsets[CP_MAX_REGISTERS];  // offset of the block in a worker's memory
  int64_t periods[CP_MAX_REGISTERS]; // periods of repeating operands
  int first, nregisters;             // the first instruction's register, and the number of registers
  int nslots, nsteps;
  cp_step steps[CP_MAX_INSTRS + CP_MAX_LEAVES];
  size_t block; // positions per block
  // where outputs are converted to memory format (packed: to half types) before they are stored
  size_t converted, packed;
  size_t memory; // bytes that a worker needs for blocks
} cp_program;

typedef struct cp_worker {
  const cp_program *program;
  char *memory;
  int64_t row;   // the row that `offsets` belong to, or -1
  size_t filled; // number of elements that the blocks of SAME operands are filled with
  int64_t offsets[CP_PROGRAM_OPERANDS];
  const void *registers[CP_MAX_REGISTERS]; // address of each register's block
} cp_worker;

// Sets the program's space to all of the plan's, with its dimensions in this order (NULL: unchanged),
// collapsed.
void cp_program_space(cp_program *g, const cp_plan *p, const int *order);

// The dimension along which some operand is contiguous while the outputs are contiguous along the last one,
// so that tiles are worth it; -1: none.
int cp_program_tile_dim(const cp_plan *p);
// A part of the plan's space: `rows` from `row` on along dimension dim, `columns` from `column` on along the
// last one, in tiles of tile_rows x tile_columns, which divide them.
typedef struct cp_tiling {
  int dim;
  int64_t row, rows, tile_rows, column, columns, tile_columns;
} cp_tiling;
void cp_program_tiles(cp_program *g, const cp_plan *p, const cp_tiling *t);

// Whether the plan only copies a moved leaf. Its runs are long, so that blocks need not end with a row.
static inline bool cp_copies_moved(const cp_plan *p) {
  return p->ninstrs == 0 && p->nmoves > 0 && p->noutputs == 1 && p->nred == 0;
}

// The loop of an instruction; NULL: there is none for its dtype.
static inline cp_loop *cp_program_loop(const cp_plan *p, const cp_instr *in) {
  const cp_loops *loops = cp_cpu_loops(in->loop);
  if (in->op == CP_OP_call) return p->functions[in->which].loop;
  return in->op == CP_OP_cast ? loops->casts[in->dtype] : loops->ops[in->op];
}

// Prepares the program for ranges of at most `block` positions, once its space is set. keep names `count`
// registers that are read after the instructions. CP_EDTYPE when an operation has no loop.
cp_status cp_program_build(cp_program *g, size_t block, int count, const int *keep);

// Starts a worker. memory has program->memory bytes and is aligned to 64.
void cp_worker_start(cp_worker *w, const cp_program *g, void *memory);

// The number of positions from `begin` (and before `end`) that one cp_worker_run evaluates.
static inline size_t cp_program_range(const cp_program *g, int64_t begin, int64_t end) {
  int64_t n = end - begin;
  if (n > (int64_t)g->block) n = (int64_t)g->block;
  if (g->span < g->ndim) {
    int64_t left = g->within - begin % g->within;
    if (n > left) n = left;
  }
  return (size_t)n;
}

// Leaves whose positions within the span move: the address of a block in memory if its n elements from column
// on lie there one after the other, or NULL; and the block's elements in memory format.
const char *cp_moved_place(const cp_worker *w, int leaf, int64_t column, size_t n);
void cp_gather_moved(const cp_worker *w, int leaf, void *dst, int64_t column, size_t n);

// Evaluates n positions from `begin`, at most what cp_program_range returns. Afterwards registers[] hold
// their values, and an elementwise program has stored its outputs.
void cp_worker_run(cp_worker *w, int64_t begin, size_t n);

// Evaluates all positions from `begin` to before `end`, unless the host ends the job.
struct cp_tasks;
void cp_worker_range(cp_worker *w, struct cp_tasks *tasks, int64_t begin, int64_t end);

// Called after the last run: makes the stores visible to other threads.
void cp_worker_end(const cp_worker *w);

// Converts a block from one register format to the other (half types: rounds). src may be dst only when the
// element sizes are equal.
void cp_convert(cp_dtype from, cp_dtype to, void *dst, const void *src, size_t n);
// Stores a block of register format t at the positions of `to` from `begin` on, in memory format. n <=
// CP_BLOCK.
void cp_store(const cp_strided *to, cp_dtype t, const void *src, int64_t begin, size_t n);

#endif
