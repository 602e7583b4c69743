// Builds programs: decides where each register comes from, assigns blocks to registers by their lifetimes,
// and chooses the block length.
#include "cpu/run/program.h"

#include <limits.h>
#include <string.h>

enum {
  // bytes of blocks that stay in the L1 cache, beside the operands that stream through it
  NEAR_CACHE = 16384,
  SHORT_BLOCK = 512,   // positions: with shorter blocks, calling loops costs more than the L1 cache saves
  FAR_BLOCK = 1024,    // block length used instead, with blocks in the L2 cache
  STREAM_BLOCK = 4096, // bytes per block when an output is written with non-temporal stores
  LONE_BLOCK = 1024,   // where scalars alone take blocks, as nothing else gains by longer ones
  LINE = 64
};

// Outputs of at least this many bytes are written with non-temporal stores, which do not read a cache line
// before writing it. Smaller outputs may still be in the cache when they are read next.
static const int64_t stream_bytes = 16 << 20;

typedef struct builder {
  cp_program *g;
  const cp_plan *p;
  // the last instruction that reads the register; -1: none, INT_MAX: kept after the program
  int last[CP_MAX_REGISTERS];
  // the product that an instruction takes in, as its argument j, or -1; and whether one takes it in
  short product[CP_MAX_INSTRS], argument[CP_MAX_INSTRS];
  bool joined[CP_MAX_INSTRS];
  bool loaded[CP_MAX_LEAVES];
  short free_blocks[CP_MAX_REGISTERS];
  int nfree_blocks;
} builder;

// Operands -------------------------------------------------------------------------------------------------

static size_t alignment(cp_dtype t) { return cp_dtypes[cp_dtypes[t].real].itemsize; }

// True when the operand is contiguous within the span and aligned to `aligned` bytes at each start.
static bool is_flat(const cp_program *g, int k, cp_dtype t, size_t aligned) {
  int64_t next = (int64_t)cp_itemsize(t), bits = (int64_t)(intptr_t)g->bases[k];
  for (int d = g->ndim - 1; d >= 0; d--) {
    if (d < g->ndim - g->span) {
      bits |= g->strides[k][d];
    } else {
      if (g->shape[d] != 1 && g->strides[k][d] != next) return false;
      next *= g->shape[d];
    }
  }
  return (bits & (int64_t)(aligned - 1)) == 0;
}

// The number of positions after which operand k repeats its elements; 0: too many to keep, or it never does.
static int64_t period_of(const cp_program *g, int k) {
  int64_t period = 1;
  int d = 0;
  while (d < g->ndim && g->strides[k][d] == 0) d++;
  if (d == 0) return 0;
  for (; d < g->ndim && period <= CP_MAX_PERIOD; d++) period *= g->shape[d];
  return period <= CP_MAX_PERIOD ? period : 0;
}

static cp_register_source source_of(const cp_program *g, int k, cp_dtype t) {
  const cp_operand *leaf = &g->plan->leaves[k];
  if (leaf->access == CP_ACCESS_ONE) return CP_SOURCE_CYCLE;
  if (leaf->access == CP_ACCESS_INDEX) return CP_SOURCE_COUNTED;
  if (g->moved[k]) return CP_SOURCE_GATHERED;
  if (g->flat[k]) return cp_is_half(t) || t == CP_BOOL ? CP_SOURCE_CONVERTED : CP_SOURCE_PLACE;
  if (g->span == g->ndim && g->ndim > 1 && period_of(g, k)) return CP_SOURCE_CYCLE;
  if (g->span == 1 && g->ndim > 1 && g->strides[k][g->ndim - 1] == 0) return CP_SOURCE_SAME;
  return CP_SOURCE_GATHERED;
}

static bool moves_within(const cp_program *g, int leaf) {
  for (int k = 0; k < g->nmoves; k++) {
    if ((g->plan->leaves[leaf].moved >> k & 1) && g->moves[k].dim >= g->ndim - g->span) return true;
  }
  return false;
}

// A half leaf that is only copied needs no conversion: its bits are moved as an integer's.
static bool only_moved(const builder *b, int leaf) {
  const cp_plan *p = b->p;
  if (!cp_is_half(p->leaves[leaf].dtype) || p->nred > 0) return false;
  for (int k = 0; k < p->ninstrs; k++) {
    for (int j = 0; j < p->instrs[k].nargs; j++) {
      if (p->instrs[k].args[j] == leaf) return false;
    }
  }
  for (int o = 0; o < p->noutputs; o++) {
    if (p->outputs[o].reg == leaf && p->outputs[o].dtype != p->leaves[leaf].dtype) return false;
  }
  return true;
}

// True when another output overwrites the memory of a leaf that is copied, so the leaf must be read first.
static bool overwritten(const cp_plan *p, int leaf) {
  bool kept = false, written = false;
  for (int o = 0; p->nred == 0 && o < p->noutputs; o++) {
    if (p->outputs[o].reg == leaf)
      kept = true;
    else if (p->outputs[o].base == p->leaves[leaf].base)
      written = true;
  }
  return kept && written;
}

static void set_leaf(builder *b, int l) {
  const cp_plan *p = b->p;
  cp_program *g = b->g;
  cp_dtype t = p->leaves[l].dtype;
  if (only_moved(b, l)) {
    t = CP_INT16;
    for (int o = 0; o < p->noutputs; o++) {
      if (p->outputs[o].reg == l) g->stored[o] = t;
    }
  }
  g->dtypes[l] = t;
  g->moved[l] = p->leaves[l].moved != 0 && moves_within(g, l);
  g->flat[l] = p->leaves[l].access != CP_ACCESS_INDEX && !g->moved[l] && is_flat(g, l, t, alignment(t));
  g->sources[l] = b->last[l] < 0 ? CP_SOURCE_UNUSED : source_of(g, l, t);
  if (g->sources[l] == CP_SOURCE_PLACE && p->noutputs > 1 && overwritten(p, l))
    g->sources[l] = CP_SOURCE_GATHERED;
  if (g->sources[l] == CP_SOURCE_CYCLE)
    g->periods[l] = p->leaves[l].access == CP_ACCESS_ONE ? 1 : period_of(g, l);
}

static bool same_scalar(cp_scalar a, cp_scalar b) {
  if (a.dtype != b.dtype || a.v.i != b.v.i) return false;
  return !cp_is_complex(a.dtype) || memcmp(&a.v, &b.v, sizeof a.v) == 0;
}

// Equal scalars share a block.
static void set_scalar(builder *b, int s) {
  const cp_scalar *scalars = b->p->scalars;
  cp_program *g = b->g;
  int reg = b->p->nleaves + s;
  g->dtypes[reg] = scalars[s].dtype;
  g->sources[reg] = b->last[reg] < 0 ? CP_SOURCE_UNUSED : CP_SOURCE_CYCLE;
  g->periods[reg] = 1;
  for (int k = 0; k < s && g->sources[reg] == CP_SOURCE_CYCLE; k++) {
    if (g->sources[b->p->nleaves + k] != CP_SOURCE_CYCLE || !same_scalar(scalars[k], scalars[s])) continue;
    g->sources[reg] = CP_SOURCE_SHARED;
    g->slots[reg] = (short)(b->p->nleaves + k);
  }
}

// True when stores take most of the time: copies, arithmetic on two operands, casts to a wider type. Loops
// that compute more overlap with their stores.
static bool bound_by_stores(const cp_plan *p, int reg) {
  int k = reg - p->nleaves - p->nscalars;
  if (k < 0) return true;
  const cp_instr *in = &p->instrs[k];
  if (in->op == CP_OP_cast) return cp_itemsize(in->dtype) > cp_itemsize(in->loop);
  return in->nargs > 1 && in->op != CP_OP_call && cp_ops[in->op].numeric == 0;
}

static bool is_streamed(const cp_program *g, int o) {
  const cp_plan *p = g->plan;
  const cp_operand *out = &p->outputs[o];
  if (p->size < stream_bytes / (int64_t)cp_itemsize(out->dtype) || !bound_by_stores(p, out->reg))
    return false;
  for (int l = 0; l < p->nleaves; l++) {
    if (p->leaves[l].base == out->base) return false;
  }
  return is_flat(g, p->nleaves + o, out->dtype, LINE);
}

static void set_outputs(cp_program *g) {
  const cp_plan *p = g->plan;
  for (int o = 0; p->nred == 0 && o < p->noutputs; o++) {
    int k = p->nleaves + o;
    g->stored[o] = p->outputs[o].dtype;
    g->flat[k] = is_flat(g, k, g->stored[o], alignment(g->stored[o]));
    g->streamed[o] = is_streamed(g, o);
  }
}

// Whether an instruction is this operation on elements of t and in t, which have loops that can be joined.
static bool joins(const cp_instr *in, cp_op op, cp_dtype t) {
  return in->op == op && in->loop == t && in->dtype == t && (t == CP_FLOAT32 || t == CP_FLOAT64);
}

// Lets sums and differences take in a product that nothing else reads: one pass over the blocks less. What
// the product reads is then read later.
static void join_products(builder *b) {
  const cp_plan *p = b->p;
  const int first = b->g->first;
  short uses[CP_MAX_REGISTERS];
  memset(uses, 0, (size_t)(first + p->ninstrs) * sizeof *uses);
  for (int k = 0; k < p->ninstrs; k++) {
    b->product[k] = -1;
    b->joined[k] = false;
    for (int j = 0; j < p->instrs[k].nargs; j++) uses[p->instrs[k].args[j]]++;
  }
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    if (b->last[first + k] < 0 || !(joins(in, CP_OP_add, in->loop) || joins(in, CP_OP_subtract, in->loop)))
      continue;
    for (int j = 0; j < 2 && b->product[k] < 0; j++) {
      const int reg = in->args[j], m = reg - first;
      if (m < 0 || !joins(&p->instrs[m], CP_OP_multiply, in->loop)) continue;
      if (uses[reg] != 1 || b->last[reg] != k) continue;
      b->product[k] = (short)m;
      b->argument[k] = (short)j;
      b->joined[m] = true;
      for (int i = 0; i < 2; i++) {
        int *last = &b->last[p->instrs[m].args[i]];
        if (*last < k) *last = k;
      }
    }
  }
}

// The instruction k as it runs, with the product that it takes in; *loop: its loop.
static cp_instr joined_instruction(const builder *b, int k, cp_loop **loop) {
  cp_instr in = b->p->instrs[k];
  if (b->product[k] < 0) {
    *loop = cp_program_loop(b->p, &in);
    return in;
  }
  const cp_instr *product = &b->p->instrs[b->product[k]];
  const int j = b->argument[k];
  const cp_joined how = in.op == CP_OP_add ? CP_JOINED_PLUS : j == 0 ? CP_JOINED_LESS : CP_JOINED_UNDER;
  in.args[2] = in.args[1 - j];
  in.args[0] = product->args[0];
  in.args[1] = product->args[1];
  in.nargs = 3;
  *loop = cp_cpu_loops(in.loop)->joined[how];
  return in;
}

static void set_registers(builder *b, int count, const int *keep) {
  const cp_plan *p = b->p;
  cp_program *g = b->g;
  g->first = p->nleaves + p->nscalars;
  g->nregisters = g->first + p->ninstrs;
  for (int r = 0; r < g->nregisters; r++) {
    g->slots[r] = -1;
    b->last[r] = -1;
  }
  for (int k = 0; k < p->ninstrs; k++) {
    for (int j = 0; j < p->instrs[k].nargs; j++) b->last[p->instrs[k].args[j]] = k;
  }
  for (int k = 0; k < count; k++) b->last[keep[k]] = INT_MAX;
  join_products(b);
  set_outputs(g);
  for (int l = 0; l < p->nleaves; l++) set_leaf(b, l);
  for (int s = 0; s < p->nscalars; s++) set_scalar(b, s);
  for (int k = 0; k < p->ninstrs; k++) {
    g->dtypes[g->first + k] = p->instrs[k].dtype;
    g->sources[g->first + k] = CP_SOURCE_RESULT;
  }
}

// Steps ----------------------------------------------------------------------------------------------------

static void take_slot(builder *b, int reg) {
  b->g->slots[reg] = (short)(b->nfree_blocks ? b->free_blocks[--b->nfree_blocks] : b->g->nslots++);
}

// The output that instruction k and later ones may write register reg into directly. No view of the same
// memory may be read after that.
static int direct_output(const builder *b, int k, int reg) {
  const cp_plan *p = b->p;
  const cp_program *g = b->g;
  for (int o = 0; p->nred == 0 && o < p->noutputs; o++) {
    if (p->outputs[o].reg != reg || !g->flat[p->nleaves + o] || g->streamed[o]) continue;
    if (g->stored[o] != g->dtypes[reg] || cp_is_half(g->stored[o])) continue;
    bool read_later = false;
    for (int l = 0; l < p->nleaves; l++) {
      if (l != reg && p->leaves[l].base == p->outputs[o].base && b->last[l] >= k) read_later = true;
    }
    if (!read_later) return o;
  }
  return -1;
}

static cp_step *add_step(builder *b, int reg) {
  cp_step *s = &b->g->steps[b->g->nsteps++];
  s->source = b->g->sources[reg];
  s->reg = (short)reg;
  s->direct = -1;
  s->loop = s->round = NULL;
  return s;
}

// Adds the load of a leaf before instruction k, the first one that reads it.
static void add_load(builder *b, int reg, int k) {
  cp_program *g = b->g;
  if (reg >= b->p->nleaves || b->loaded[reg]) return;
  b->loaded[reg] = true;
  cp_register_source source = g->sources[reg];
  if (source == CP_SOURCE_CYCLE && g->periods[reg] == 1) return; // always at the same address
  cp_step *s = add_step(b, reg);
  if (source != CP_SOURCE_GATHERED && source != CP_SOURCE_CONVERTED && source != CP_SOURCE_COUNTED) return;
  if (g->dtypes[reg] == CP_BOOL) s->loop = cp_cpu_loops(CP_BOOL)->casts[CP_BOOL];
  // these loads write into the slack of a block
  if (!cp_is_half(g->dtypes[reg]) && g->strides[reg][g->ndim - 1] != 0)
    s->direct = (short)direct_output(b, k, reg);
  if (s->direct < 0) take_slot(b, reg);
}

// Assigns a block to the result of instruction k. It reuses the block of an operand that is read here for the
// last time and has the same element size. The blocks of the other such operands become free only afterwards.
static void add_result(builder *b, const cp_instr *in, int k, int reg, bool direct) {
  cp_program *g = b->g;
  short ended[CP_MAX_ARGS];
  int nended = 0;
  for (int j = 0; j < in->nargs; j++) {
    int a = in->args[j];
    if (b->last[a] != k || g->sources[a] == CP_SOURCE_SHARED || g->slots[a] < 0) continue;
    b->last[a] = -1; // free it once, even if it is both operands
    bool fits = cp_dtypes[g->dtypes[a]].register_size == cp_dtypes[in->dtype].register_size;
    if (!direct && fits && g->slots[reg] < 0)
      g->slots[reg] = g->slots[a];
    else
      ended[nended++] = g->slots[a];
  }
  if (!direct && g->slots[reg] < 0) take_slot(b, reg);
  while (nended > 0) b->free_blocks[b->nfree_blocks++] = ended[--nended];
}

// True when the instruction's result of a half type must be rounded. A result that is only stored need not
// be, as the store rounds.
static bool needs_rounding(const builder *b, int k, int reg) {
  const cp_instr *in = &b->p->instrs[k];
  if (!cp_is_half(in->dtype) || in->op == CP_OP_cast) return false;
  if (b->p->nred > 0) return true;
  for (int o = 0; o < b->p->noutputs; o++) {
    if (b->p->outputs[o].reg == reg && b->p->outputs[o].dtype != in->dtype) return true;
  }
  for (int later = k + 1; later < b->p->ninstrs; later++) {
    for (int j = 0; j < b->p->instrs[later].nargs; j++) {
      if (b->p->instrs[later].args[j] == reg) return true;
    }
  }
  return false;
}

static cp_status add_instruction(builder *b, int k) {
  cp_loop *loop;
  const cp_instr joined = joined_instruction(b, k, &loop), *in = &joined;
  int reg = b->g->first + k;
  if (b->last[reg] < 0 || b->joined[k]) return CP_OK;
  for (int j = 0; j < in->nargs; j++) add_load(b, in->args[j], k);
  cp_step *s = add_step(b, reg);
  s->nargs = (short)in->nargs;
  for (int j = 0; j < in->nargs; j++) s->args[j] = (short)in->args[j];
  s->loop = loop;
  s->round = needs_rounding(b, k, reg) ? b->g->float32->casts[in->dtype] : NULL;
  if (!s->loop)
    return cp_fail(CP_EDTYPE, "%s has no loop for %s on the CPU", cp_instr_title(b->p, in),
                   cp_dtypes[in->loop].name);
  s->direct = (short)direct_output(b, k + 1, reg);
  add_result(b, in, k, reg, s->direct >= 0);
  return CP_OK;
}

// Memory ---------------------------------------------------------------------------------------------------

static size_t register_size(const cp_program *g, int reg) { return cp_dtypes[g->dtypes[reg]].register_size; }

static size_t widest_register(const cp_program *g) {
  size_t widest = 1;
  for (int r = 0; r < g->nregisters; r++) {
    if (g->slots[r] >= 0 && g->sources[r] != CP_SOURCE_SHARED && register_size(g, r) > widest)
      widest = register_size(g, r);
  }
  return widest;
}

static bool has_own_block(const cp_program *g, int reg) {
  return g->sources[reg] == CP_SOURCE_CYCLE || g->sources[reg] == CP_SOURCE_SAME;
}

// The block length for registers that take `bytes` bytes per position in all.
static size_t block_length(const cp_program *g, size_t bytes, size_t limit) {
  size_t block = cp_copies_moved(g->plan) ? limit : CP_CHUNK;
  if (g->span == 2 && g->ndim > 2) return (size_t)g->within; // a tile
  if (bytes > 0) {
    block = NEAR_CACHE / bytes / 64 * 64;
    if (block > CP_BLOCK) block = CP_BLOCK;
    if (g->nslots == 0 && block > LONE_BLOCK) block = LONE_BLOCK;
    if (block < SHORT_BLOCK) block = FAR_BLOCK;
  }
  for (int o = 0; g->plan->nred == 0 && o < g->plan->noutputs; o++) {
    size_t streamed = STREAM_BLOCK / cp_itemsize(g->stored[o]);
    if (g->streamed[o] && bytes > 0 && block > streamed) block = streamed;
    if (g->stored[o] != g->dtypes[g->plan->outputs[o].reg] && block > CP_BLOCK) block = CP_BLOCK;
  }
  return block < limit ? block : limit;
}

static size_t reserve(cp_program *g, size_t bytes) {
  size_t offset = g->memory;
  // this leaves most blocks an odd number of cache lines apart
  g->memory += (bytes + CP_MOVE_SLACK + 63) / 64 * 64;
  return offset;
}

// Reserves room for converting outputs from register format to memory format.
static void place_stores(cp_program *g) {
  bool converts = false, packs = false;
  for (int o = 0; g->plan->nred == 0 && o < g->plan->noutputs; o++) {
    converts |= g->stored[o] != g->dtypes[g->plan->outputs[o].reg];
    packs |= cp_is_half(g->stored[o]);
  }
  g->converted = converts ? reserve(g, g->block * 16) : 0;
  g->packed = packs ? reserve(g, g->block * sizeof(unsigned short)) : 0;
}

static void place_blocks(cp_program *g, size_t limit) {
  size_t widest = widest_register(g), bytes = (size_t)g->nslots * widest;
  for (int r = 0; r < g->first; r++) bytes += has_own_block(g, r) ? register_size(g, r) : 0;
  g->block = block_length(g, bytes, limit);
  g->memory = 0;
  size_t slots = reserve(g, 0), apart = (g->block * widest + CP_MOVE_SLACK + 63) / 64 * 64;
  g->memory += (size_t)g->nslots * apart;
  for (int r = 0; r < g->nregisters; r++) {
    if (has_own_block(g, r)) {
      size_t more = g->sources[r] == CP_SOURCE_CYCLE ? (size_t)g->periods[r] - 1 : 0;
      g->offsets[r] = reserve(g, (g->block + more) * register_size(g, r));
    } else if (g->sources[r] == CP_SOURCE_SHARED) {
      g->offsets[r] = g->offsets[g->slots[r]];
    } else if (g->slots[r] >= 0) {
      g->offsets[r] = slots + (size_t)g->slots[r] * apart;
    } else {
      g->offsets[r] = 0;
    }
  }
  place_stores(g);
}

cp_status cp_program_build(cp_program *g, size_t limit, int count, const int *keep) {
  builder b;
  b.g = g;
  b.p = g->plan;
  b.nfree_blocks = 0;
  g->nslots = g->nsteps = 0;
  g->float32 = cp_cpu_loops(CP_FLOAT32);
  g->copies = cp_cpu_copy_loops();
  memset(b.loaded, 0, (size_t)b.p->nleaves);
  set_registers(&b, count, keep);
  for (int k = 0; k < b.p->ninstrs; k++) CP_TRY(add_instruction(&b, k));
  for (int k = 0; k < count; k++) add_load(&b, keep[k], b.p->ninstrs);
  place_blocks(g, limit);
  return CP_OK;
}
