// A plan: the work of one kernel, in the form that devices run and that keys are made from. Plans are built
// from expressions (lazy/expression/planning.h): operations in topological order, operands without
// duplicates, dimensions sorted by stride and merged.
//
// Registers are numbered: first the leaves, then the scalars, then the results of the instructions.
#ifndef CP_PLAN_PLAN_H
#define CP_PLAN_PLAN_H

#include "array/array.h"
#include "plan/function.h"
#include "plan/move.h"
#include "plan/ops.h"
#include "plan/selected.h"

// The largest plan: the raised fusion limits of lazy/expression/graph.h, and room for what one more operator
// or reduction adds.
enum { CP_MAX_INSTRS = 320, CP_MAX_LEAVES = 66, CP_MAX_SCALARS = 272, CP_MAX_OUTPUTS = 8, CP_MAX_RAW = 16 };
enum { CP_MAX_MOVES = 64 };
enum { CP_MAX_PHASED = 8 }; // different reductions of a plan with phases
enum { CP_MAX_FUNCTIONS = 40 };
enum { CP_MAX_TABLES = CP_MAX_LEAVES };

// How an operand is accessed along the innermost dimension. Takes 4 bits in the key.
typedef enum cp_access {
  CP_ACCESS_VECTOR,     // contiguous, and each group of plan.vector elements (at most 16 bytes) is aligned
  CP_ACCESS_CONTIGUOUS, // contiguous, but groups are not aligned
  CP_ACCESS_STRIDED,
  CP_ACCESS_SAME,  // broadcast along the innermost dimension (stride 0), but not along all others
  CP_ACCESS_ONE,   // a single element, broadcast along all dimensions
  CP_ACCESS_INDEX, // not in memory: an int64 that is an affine function of the position
  // Leaves of tiled plans, along the dimension before the innermost:
  CP_ACCESS_TILE_WORD, // contiguous, in aligned words
  CP_ACCESS_TILE,      // with a small stride
  // Leaves whose positions along the innermost dimension move (plan/move.h):
  CP_ACCESS_MOVED_ROW, // contiguous in memory
  CP_ACCESS_MOVED
} cp_access;

typedef struct cp_operand {
  char *base;    // the address of the first element; INDEX: unused
  int64_t start; // INDEX: the value at the first position
  cp_dtype dtype;
  cp_access access;
  unsigned reach;                 // strategies short and domain: CP_REACH_... (cp_plan_reach)
  int reg;                        // outputs of elementwise plans: the register to store
  uint64_t moved;                 // leaves: bits of those of plan.moves that map its positions, one per dim
  int64_t strides[CP_MAXDIM + 1]; // per plan dimension, in bytes; INDEX: the steps of the value
} cp_operand;

typedef struct cp_instr {
  cp_op op;
  cp_dtype loop, dtype;
  int nargs;
  int args[CP_MAX_ARGS];
  // CP_OP_reduce: which of plan.reductions it is. args are the elements and, for arg-reductions, their
  // positions; loop is the accumulator's dtype. CP_OP_call: which of plan.functions. CP_OP_lookup: which of
  // plan.tables; args are the distance that other axes add, if the table has one, and the positions.
  int which;
} cp_instr;

// A function that a plan calls.
typedef struct cp_called {
  const cp_function *function; // lives as long as the nodes that call it; a recorded plan may outlive it
  cp_function_loop *loop;      // stays for ever
} cp_called;

// An array that lookups of a plan select from, by positions that are registers.
typedef struct cp_plan_table {
  cp_region region; // its elements; the lengths and strides are those of a node
  cp_dtype dtype;
  int count;              // arrays of positions
  bool offset;            // a distance in bytes is the first argument
  cp_selected *positions; // lives as long as the nodes
} cp_plan_table;

typedef struct cp_plan_reduction {
  cp_red red;
  double parameter; // ddof
} cp_plan_reduction;

// A kernel with the user's source text as its body (ElementwiseKernel, ReductionKernel), made by src/lua.
typedef struct cp_user_kernel {
  const char *name; // for messages
  uint64_t id;      // the hash of identity, which is part of the key
  // Everything that its code depends on (signature, bodies, options); part of the key on disk.
  const char *identity;
  size_t identity_size;
  int reference; // for the generator: the Lua reference of its description
  int nraw;      // the number of `raw` arrays, which are not broadcast; in the order of the signature
  const cp_array *raw[CP_MAX_RAW];
  size_t accumulator_size; // reductions: the largest size of the user's accumulator type in bytes
  int block;               // threads per block on a GPU, 0: the device chooses; part of the identity
} cp_user_kernel;

// How a device distributes a reduction over its threads. The device chooses; part of the key.
typedef enum cp_strategy {
  CP_STRATEGY_NONE,
  CP_STRATEGY_WARP,
  CP_STRATEGY_BLOCK,
  CP_STRATEGY_SPLIT,
  CP_STRATEGY_COLUMN,
  CP_STRATEGY_ROWS, // of a plan with phases: `lanes` threads keep a row in registers
  CP_STRATEGY_SHORT,
  CP_STRATEGY_DOMAIN
} cp_strategy;

// How an operand is read in the strategies short and domain, whose kernels load what several elements share
// only once. Takes a byte in the key.
enum {
  CP_REACH_LINES = 1,  // varies along the kept dimensions before the last
  CP_REACH_ACROSS = 2, // varies along the last kept dimension
  CP_REACH_ALONG = 4,  // varies along the reduced dimension
  CP_REACH_NEAR = 8,   // and is contiguous along it
  CP_REACH_WORDS = 16  // and aligned there to the largest words that a batch consists of
};

struct cp_plan {
  int ndim; // after merging; outermost first, reduced dimensions last. 0-d work has one dimension of length 1
  int nred; // how many dimensions are reduced; 0: an elementwise plan
  int64_t shape[CP_MAXDIM + 1];
  int64_t size;         // the product of the shape
  int64_t outer, inner; // the products of the kept and of the reduced lengths
  int nleaves, nscalars, ninstrs, noutputs, nmoves, nfunctions, ntables;
  // The dimension along which elements are grouped: the innermost, or the last kept one for reductions of
  // columns.
  int along;
  int vector; // elements per group along it: 1, 2, 4, 8 or 16; short and domain: outputs of one thread
  // Elements of the reduced dimension (strategies short and domain) or groups that a thread takes at once; 0:
  // the generator chooses.
  int batch;
  int tile; // elementwise: the edge of the square tiles over the two innermost dimensions; 0: no tiles
  // Elementwise: in each row, groups begin where the first output is aligned (cp_plan_shift).
  bool shifted;
  bool wide; // positions or offsets need 64 bits
  cp_strategy strategy;
  bool reduction; // then nred > 0: a reduction over no axes reduces a dimension of length 1
  cp_red red;
  cp_dtype acc;        // the dtype of the reduced registers
  int value, position; // registers: the element, and for arg-reductions its position (-1: none)
  cp_dtype result;     // the dtype that the table's `post` gives, before conversion to outputs[0].dtype
  double parameter;    // ddof
  // A plan with phases: reductions over the last dimensions are instructions, whose results further
  // instructions use along the row or for the row as a whole. Outputs whose strides along the reduced
  // dimensions are 0 are stored once for each row. 0: no such plan.
  int nphased;
  cp_plan_reduction reductions[CP_MAX_PHASED];
  int lanes, share; // strategy ROWS: threads for each row, and groups for each thread; powers of two
  const cp_user_kernel *user; // NULL: instrs are the body
  // The large arrays come last, so that the parts that a small plan uses are close together.
  cp_operand outputs[CP_MAX_OUTPUTS];
  cp_operand leaves[CP_MAX_LEAVES];
  cp_scalar scalars[CP_MAX_SCALARS];
  cp_move moves[CP_MAX_MOVES];
  cp_called functions[CP_MAX_FUNCTIONS];
  cp_plan_table tables[CP_MAX_TABLES];
  cp_instr instrs[CP_MAX_INSTRS];
};

// Plans are on the heap, since 40 KB are too much for the stack of some hosts' threads, and the context keeps
// their memory for reuse. Every plan that is taken must be given back. CP_EMEMORY.
cp_status cp_plan_take(cp_context *ctx, cp_plan **out);
void cp_plan_give(cp_context *ctx, cp_plan *p);

// Steps of building a plan by hand, for user kernels. cp_plan_begin: starts an elementwise plan of this shape
// without operands. cp_plan_split_axes: once the leaves are set, moves the axes whose bits are set in `axes`
// after the others, in the shape, the leaves and the outputs.
static inline void cp_plan_begin(cp_plan *p, int ndim, const int64_t *shape) {
  p->ndim = ndim;
  p->nred = 0;
  p->reduction = false;
  cp_copy_lengths(p->shape, shape, ndim);
  p->nleaves = p->nscalars = p->ninstrs = p->noutputs = p->nmoves = p->nfunctions = p->ntables = 0;
  p->red = CP_NREDS;
  p->acc = p->result = CP_NDTYPES;
  p->value = p->position = -1;
  p->parameter = 0;
  p->strategy = CP_STRATEGY_NONE;
  p->batch = 0;
  p->nphased = p->lanes = p->share = 0;
  p->tile = 0;
  p->shifted = false;
  p->user = NULL;
}
// What messages call an instruction of the plan. The functions that the plan calls must be alive.
const char *cp_instr_title(const cp_plan *p, const cp_instr *in);
void cp_plan_split_axes(cp_plan *p, uint32_t axes);
// The last step, once operands, shape and strides are set: sorts and merges the dimensions and sets access,
// vector and wide.
void cp_plan_finish(cp_plan *p);
// The same without access and vector, which a device sets once it knows how it groups elements.
void cp_plan_finish_space(cp_plan *p);
// A shortcut for cp_plan_finish for elementwise plans whose leaves and outputs are all contiguous arrays of
// `size` elements, at least 2, and none of them an INDEX operand.
void cp_plan_finish_flat(cp_plan *p, int64_t size);
// The elements that an operand in memory reads or writes, as a region. `shape` has room for p->ndim lengths,
// and must live as long as the region.
cp_region cp_plan_region(const cp_plan *p, const cp_operand *a, int64_t *shape);
// The move of an operand along dimension dim, or NULL.
static inline const cp_move *cp_plan_move(const cp_plan *p, const cp_operand *a, int dim) {
  for (int k = 0; a->moved >> k != 0; k++)
    if ((a->moved >> k & 1) != 0 && p->moves[k].dim == dim) return &p->moves[k];
  return NULL;
}
// Whether the outputs have no elements.
static inline bool cp_plan_is_empty(const cp_plan *p) { return (p->nred > 0 ? p->outer : p->size) == 0; }
// After cp_plan_finish: makes groups of one element each.
void cp_plan_ungroup(cp_plan *p);
// Sets along, vector and the access of every operand for groups along dimension `dim` instead of the
// innermost.
void cp_plan_access(cp_plan *p, int dim);
// Sets the access of every operand for groups of `vector` elements along p->along.
void cp_plan_regroup(cp_plan *p, int vector);
// For a reduction of one dimension with kept ones: sets along (the last kept dimension), vector, batch, and
// access and reach of every operand for the strategies short and domain.
void cp_plan_reach(cp_plan *p, int vector, int batch);
// For an elementwise plan with leaves that lie across the outputs (transposed operands): orders the
// dimensions and sets tile, vector and the access of those leaves. Does not change other plans.
void cp_plan_tile(cp_plan *p);
// For an elementwise plan whose outputs are contiguous but not aligned: sets shifted, vector and the access
// of every operand so that groups begin where the first output is aligned; the first and last group of a row
// are incomplete. Does not change other plans.
void cp_plan_shift(cp_plan *p);
// Whether every group of random draws uses whole blocks of the generator: every INDEX operand, with values
// from 0 to below 2^56, counts by one along groups that begin at multiples of their size.
bool cp_plan_counts(const cp_plan *p);
// Whether the plan makes random numbers.
bool cp_plan_draws(const cp_plan *p);
// How many steps a kernel makes along dimension d: elements, groups (along p->along) or tiles.
int64_t cp_plan_steps(const cp_plan *p, int d);

// The key of a plan describes its structure in bytes: plans with equal keys run the same kernel. Scalar
// values, shapes, strides and addresses are not part of it.
enum { CP_MAX_KEY = 6144 };
typedef struct cp_key {
  size_t size;
  unsigned char bytes[CP_MAX_KEY];
} cp_key;
void cp_plan_key(const cp_plan *p, cp_key *key);
// Makes a plan of this structure, without shapes and addresses, from which the generator makes the same text.
// False for keys of user kernels and of plans that call functions, which do not contain the user's text.
bool cp_key_plan(const unsigned char *bytes, size_t size, cp_plan *p);

#endif
