// A plan: one kernel's work, in the form that devices run and that keys are made of. Built from expression DAGs
// (lazy/expression/planning.h): operations in topological order, operands deduplicated, dimensions sorted by stride
// and collapsed.
//
// Registers: 0 .. nleaves-1 hold the leaves, the next nscalars the scalars, the next ninstrs the results of the instructions.
#ifndef CP_PLAN_PLAN_H
#define CP_PLAN_PLAN_H

#include "array/array.h"
#include "plan/ops.h"

// Room beyond the wide bounds of graph.h for what one operator or reduction adds.
enum { CP_MAX_INSTRS = 320, CP_MAX_LEAVES = 66, CP_MAX_SCALARS = 272, CP_MAX_OUTPUTS = 8, CP_MAX_RAW = 16 };

typedef enum cp_access { // of an operand along the innermost dimension
  CP_ACCESS_VECTOR, // contiguous there, and every group of plan.vector elements is aligned to its own size (16 bytes at most)
  CP_ACCESS_CONTIGUOUS, // contiguous there, not so aligned
  CP_ACCESS_STRIDED,
  CP_ACCESS_SAME,  // one element for the whole innermost dimension (stride 0), other strides not all 0
  CP_ACCESS_ONE,   // one element for all
  CP_ACCESS_INDEX, // no memory: an int64 that is affine in the position
  CP_ACCESS_TILE_WORD, // leaves of tiled plans: contiguous along the dimension before the innermost, in aligned words
  CP_ACCESS_TILE // leaves of tiled plans: nearer neighbours along the dimension before the innermost, not so aligned
} cp_access; // 3 bits of the key

typedef struct cp_operand {
  char *base;    // address of the element at position 0; INDEX: unused
  int64_t start; // INDEX: value at position 0
  cp_dtype dtype;
  cp_access access;
  int reg;                        // outputs: the register stored (elementwise)
  int64_t strides[CP_MAXDIM + 1]; // per plan dimension, in bytes; INDEX: in value
} cp_operand;

typedef struct cp_instr {
  cp_op op;
  cp_dtype loop, dtype;
  int nargs;
  int args[CP_MAX_ARGS];
} cp_instr;

// A kernel whose body is the user's text (ElementwiseKernel, ReductionKernel), made by src/lua.
typedef struct cp_user_kernel {
  const char *name; // for messages
  uint64_t id;      // hash of identity: its part of the key
  const char
      *identity; // everything its code depends on (signature, bodies, options): added to the key on disk
  size_t identity_size;
  int reference; // for the generator: where Lua keeps its description
  int nraw;      // `raw` arrays, in the order of the signature; they take no part in broadcasting
  const cp_array *raw[CP_MAX_RAW];
  size_t accumulator_size; // reductions: bytes of the user's accumulator type, at most
  int block;               // threads per block on a GPU, 0: the device's choice; part of the identity
} cp_user_kernel;

// How a device spreads a reduction over its threads; chosen by the device, part of the key.
typedef enum cp_strategy {
  CP_STRATEGY_NONE,
  CP_STRATEGY_WARP,
  CP_STRATEGY_BLOCK,
  CP_STRATEGY_SPLIT,
  CP_STRATEGY_COLUMN
} cp_strategy;

struct cp_plan {
  int ndim; // collapsed; outermost first, the reduced dimensions last. 0-d work has ndim 1, length 1
  int nred; // how many of them are reduced; 0: elementwise
  int64_t shape[CP_MAXDIM + 1];
  int64_t size;         // product of the shape
  int64_t outer, inner; // products of the kept and of the reduced lengths
  int nleaves, nscalars, ninstrs, noutputs;
  int along; // the dimension that groups of elements lie along: the innermost, or for reductions of columns the last kept one
  int vector; // elements per group along it: 1, 2, 4, 8 or 16
  int tile;   // elementwise: edge of the square tiles over the two innermost dimensions; 0: no tiles
  bool
      shifted; // elementwise: groups begin, row by row, where those of the first output are aligned (cp_plan_shift)
  bool wide; // positions or offsets need 64 bits
  cp_strategy strategy;
  bool reduction; // even one over no axes reduces one of length 1: nred > 0
  cp_red red;
  cp_dtype acc;               // dtype of the reduced registers
  int value, position;        // registers: the element, and for arg-reductions its position (-1: none)
  cp_dtype result;            // what post gives, before conversion to outputs[0].dtype
  double parameter;           // ddof
  const cp_user_kernel *user; // NULL: instrs are the body
  cp_operand outputs[CP_MAX_OUTPUTS]; // the large ones last, so that what a small plan uses lies together
  cp_operand leaves[CP_MAX_LEAVES];
  cp_scalar scalars[CP_MAX_SCALARS];
  cp_instr instrs[CP_MAX_INSTRS];
};

// A plan is larger (40 KB) than what some hosts' threads have of stack: the context keeps the memory of one for the next. Every plan that is taken
// is given back. CP_EMEMORY.
cp_status cp_plan_take(cp_context *ctx, cp_plan **out);
void cp_plan_give(cp_context *ctx, cp_plan *p);

// The steps of a plan made by hand (user kernels). begin: an elementwise plan of this shape without operands. split_axes: after the leaves, moves
// the axes whose bit is set in axes behind the others in them and in the shape.
void cp_plan_begin(cp_plan *p, int ndim, const int64_t *shape);
void cp_plan_split_axes(cp_plan *p, uint32_t axes);
// After operands, shape and strides of a hand-made plan (user kernels) are set: sorts and collapses the dimensions and sets access, vector, wide.
void cp_plan_finish(cp_plan *p);
// The same where nothing is to be sorted: leaves and outputs all lie as `size` elements side by side do, 2 or more; none is an INDEX operand. No
// reduction.
void cp_plan_finish_flat(cp_plan *p, int64_t size);
// Whether there is nothing to write.
static inline bool cp_plan_is_empty(const cp_plan *p) { return (p->nred > 0 ? p->outer : p->size) == 0; }
// One element at a time instead of groups, once it is finished.
void cp_plan_ungroup(cp_plan *p);
// Sets access of every operand, along and vector as they are along dimension `dim` instead of the innermost.
void cp_plan_access(cp_plan *p, int dim);
// Sets access of every operand for groups of `vector` elements along p->along.
void cp_plan_regroup(cp_plan *p, int vector);
// For an elementwise plan where leaves lie across the outputs (transposed operands): orders the dimensions and sets tile, vector and the access of
// those leaves. Leaves other plans as they are.
void cp_plan_tile(cp_plan *p);
// For an elementwise plan whose outputs are contiguous but not aligned: sets shifted, vector and the access of every operand, so that groups begin
// where those of the first output are aligned; the first and the last group of a row are parts. Leaves other plans as they are.
void cp_plan_shift(cp_plan *p);
// Whether groups of random draws lie on whole blocks of the generator: every INDEX operand counts by one along groups that begin at multiples of
// their size, from 0 to less than 2^56.
bool cp_plan_counts(const cp_plan *p);
// How many steps a kernel makes along dimension d: elements, groups of them along p->along, tiles.
int64_t cp_plan_steps(const cp_plan *p, int d);

// The structure of a plan as bytes: two plans with equal keys run the same kernel. Scalar values, shapes, strides and addresses are not part of it.
enum { CP_MAX_KEY = 4608 };
typedef struct cp_key {
  size_t size;
  unsigned char bytes[CP_MAX_KEY];
} cp_key;
void cp_plan_key(const cp_plan *p, cp_key *key);
// A plan of this structure, without shapes and addresses: what the generator needs for the same text. False for keys of user kernels, whose text is
// not in them.
bool cp_key_plan(const unsigned char *bytes, size_t size, cp_plan *p);

#endif
