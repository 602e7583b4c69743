// Building programs (dimensions, blocks of registers by liveness) and running them block by block.
#include "cpu/program.h"

#include <limits.h>
#include <string.h>

// Building -------------------------------------------------------------------------------------------------

static const cp_operand *operand(const cp_plan *p, int k) {
  return k < p->nleaves ? &p->leaves[k] : &p->outputs[k - p->nleaves];
}

// True when dimension d+1 of the program continues dimension d in every operand.
static bool continues(const cp_program *g, int d) {
  for (int k = 0; k < g->noperands; k++) {
    if (g->strides[k][d] != g->strides[k][d + 1] * g->shape[d + 1]) return false;
  }
  return true;
}

static void drop_dimension(cp_program *g, int d) {
  size_t rest = (size_t)(g->ndim - d - 1) * sizeof(int64_t);
  memmove(&g->shape[d], &g->shape[d + 1], rest);
  for (int k = 0; k < g->noperands; k++) memmove(&g->strides[k][d], &g->strides[k][d + 1], rest);
  g->ndim--;
}

static void collapse(cp_program *g) {
  for (int d = g->ndim - 1; d >= 0 && g->ndim > 1; d--) {
    if (g->shape[d] == 1) drop_dimension(g, d);
  }
  for (int d = g->ndim - 2; d >= 0; d--) {
    if (!continues(g, d)) continue;
    g->shape[d + 1] *= g->shape[d];
    drop_dimension(g, d);
  }
}

static void set_dimensions(cp_program *g, const cp_plan *p, const int *order) {
  g->ndim = p->ndim;
  g->noperands = p->nleaves + (p->nred ? 0 : p->noutputs);
  for (int d = 0; d < p->ndim; d++) g->shape[d] = p->shape[order ? order[d] : d];
  for (int k = 0; k < g->noperands; k++) {
    const cp_operand *o = operand(p, k);
    for (int d = 0; d < p->ndim; d++) {
      g->strides[k][d] = o->access == CP_ACCESS_ONE ? 0 : o->strides[order ? order[d] : d];
    }
  }
  if (p->ndim > 1) collapse(g);
}

static int64_t alignment(cp_dtype t) {
  size_t size = cp_dtypes[cp_dtypes[t].real].itemsize;
  return (int64_t)size;
}

// Contiguous along the last dimension, with every row aligned to the element.
static bool row_contiguous(const cp_program *g, int k) {
  const cp_operand *o = operand(g->plan, k);
  int last = g->ndim - 1;
  if (o->access == CP_ACCESS_INDEX || o->access == CP_ACCESS_ONE) return false;
  if (g->strides[k][last] != (int64_t)cp_itemsize(o->dtype) && g->shape[last] != 1) return false;
  int64_t bits = (int64_t)(intptr_t)o->base;
  for (int d = 0; d < last; d++) bits |= g->strides[k][d];
  return (bits & (alignment(o->dtype) - 1)) == 0;
}

typedef struct builder {
  cp_program *g;
  const cp_plan *p;
  int last[CP_MAX_REGISTERS]; // instruction that reads the register last; -1 none, INT_MAX it is kept
  short spare[CP_MAX_REGISTERS];
  int nspare;
} builder;

static void take_slot(builder *b, int reg) {
  b->g->slots[reg] = (short)(b->nspare ? b->spare[--b->nspare] : b->g->nslots++);
}

// Scalars and single elements have their block for the whole run.
static bool permanent(const cp_plan *p, int reg) {
  if (reg < p->nleaves) return p->leaves[reg].access == CP_ACCESS_ONE;
  return reg < p->nleaves + p->nscalars;
}

static void set_registers(builder *b, int count, const int *keep) {
  const cp_plan *p = b->p;
  cp_program *g = b->g;
  int first = p->nleaves + p->nscalars, n = first + p->ninstrs;
  for (int r = 0; r < n; r++) {
    g->dtypes[r] = r < p->nleaves ? p->leaves[r].dtype
                   : r < first    ? p->scalars[r - p->nleaves].dtype
                                  : p->instrs[r - first].dtype;
    g->slots[r] = -1;
    b->last[r] = -1;
  }
  for (int k = 0; k < p->ninstrs; k++) {
    for (int j = 0; j < p->instrs[k].nargs; j++) b->last[p->instrs[k].args[j]] = k;
  }
  for (int k = 0; k < count; k++) b->last[keep[k]] = INT_MAX;
  for (int r = 0; r < first; r++) {
    if (permanent(p, r) && b->last[r] >= 0) take_slot(b, r);
  }
}

static void add_load(builder *b, int reg) {
  if (reg >= b->p->nleaves || b->g->slots[reg] >= 0) return;
  cp_step *s = &b->g->steps[b->g->nsteps++];
  s->kind = CP_STEP_LOAD;
  s->reg = reg;
  s->loop = b->g->dtypes[reg] == CP_BOOL ? cp_cpu_loops(CP_BOOL)->casts[CP_BOOL] : NULL;
  take_slot(b, reg);
}

// A block for the result of instruction k: that of an operand which ends here and has elements of the same
// size, or another one.
// The blocks of other operands that end here become free only afterwards: the instruction still reads them.
static void add_result(builder *b, int k, int reg) {
  const cp_instr *in = &b->p->instrs[k];
  cp_program *g = b->g;
  short ended[CP_MAX_ARGS];
  int nended = 0;
  for (int j = 0; j < in->nargs; j++) {
    int a = in->args[j];
    if (b->last[a] != k || permanent(b->p, a)) continue;
    b->last[a] = -1; // once, even if it is two operands
    if (g->slots[reg] < 0 && cp_dtypes[g->dtypes[a]].register_size == cp_dtypes[in->dtype].register_size)
      g->slots[reg] = g->slots[a];
    else
      ended[nended++] = g->slots[a];
  }
  if (g->slots[reg] < 0) take_slot(b, reg);
  while (nended > 0) b->spare[b->nspare++] = ended[--nended];
}

// The output that instruction k may write in place: no view of the same memory may be read after it.
static int direct_output(const builder *b, int k, int reg) {
  const cp_plan *p = b->p;
  for (int o = 0; b->p->nred == 0 && o < p->noutputs; o++) {
    if (p->outputs[o].reg != reg || !b->g->in_place[p->nleaves + o]) continue;
    if (p->outputs[o].dtype != p->instrs[k].dtype) continue;
    bool read_later = false;
    for (int l = 0; l < p->nleaves; l++) {
      if (p->leaves[l].base == p->outputs[o].base && b->last[l] > k) read_later = true;
    }
    if (!read_later) return o;
  }
  return -1;
}

static cp_status add_instruction(builder *b, int k) {
  const cp_instr *in = &b->p->instrs[k];
  int reg = b->p->nleaves + b->p->nscalars + k;
  if (b->last[reg] < 0) return CP_OK;
  for (int j = 0; j < in->nargs; j++) add_load(b, in->args[j]);
  const cp_loops *loops = cp_cpu_loops(in->loop);
  cp_step *s = &b->g->steps[b->g->nsteps++];
  s->kind = CP_STEP_RUN;
  s->reg = reg;
  s->nargs = in->nargs;
  memcpy(s->args, in->args, sizeof s->args);
  s->loop = in->op == CP_OP_cast ? loops->casts[in->dtype] : loops->ops[in->op];
  bool rounds = cp_is_half(in->dtype) && in->op != CP_OP_cast;
  s->round = rounds ? b->g->float32->casts[in->dtype] : NULL;
  if (!s->loop) {
    const char *name = in->op == CP_OP_cast ? "cast" : cp_ops[in->op].name;
    return cp_fail(CP_EDTYPE, "%s has no loop for %s on the CPU", name, cp_dtypes[in->loop].name);
  }
  s->direct = direct_output(b, k, reg);
  add_result(b, k, reg);
  return CP_OK;
}

cp_status cp_program_build(cp_program *g, const cp_plan *p, const int *order, size_t block, int count,
                           const int *keep) {
  builder b;
  b.g = g;
  b.p = p;
  b.nspare = 0;
  g->plan = p;
  g->nslots = g->nsteps = 0;
  g->float32 = cp_cpu_loops(CP_FLOAT32);
  set_dimensions(g, p, order);
  for (int k = 0; k < g->noperands; k++) {
    cp_dtype t = operand(p, k)->dtype;
    bool same_format = !cp_is_half(t) && (t != CP_BOOL || k >= p->nleaves);
    g->in_place[k] = same_format && row_contiguous(g, k);
  }
  set_registers(&b, count, keep);
  for (int k = 0; k < p->ninstrs; k++) CP_TRY(add_instruction(&b, k));
  for (int k = 0; k < count; k++) add_load(&b, keep[k]);
  size_t widest = 1;
  for (int r = 0; r < p->nleaves + p->nscalars + p->ninstrs; r++) {
    size_t size = cp_dtypes[g->dtypes[r]].register_size;
    if (size > widest) widest = size;
  }
  size_t most = p->ninstrs > 1 ? CP_BLOCK / 2 : CP_BLOCK; // so that the blocks of a chain stay in the cache
  g->block = block < most ? block : most;
  g->slot_bytes = (g->block * widest + 63) / 64 * 64;
  return CP_OK;
}

// Running --------------------------------------------------------------------------------------------------

static void *slot(const cp_worker *w, int reg) {
  return w->memory + (size_t)w->program->slots[reg] * w->program->slot_bytes;
}

// One element at p in register format.
static void load_one(const cp_program *g, cp_dtype t, const char *p, void *element) {
  unsigned short half;
  if (cp_is_half(t)) {
    memcpy(&half, p, sizeof half);
    g->float32->unpack[t == CP_BFLOAT16](element, &half, 1);
  } else if (t == CP_BOOL) {
    *(unsigned char *)element = *p != 0;
  } else {
    memcpy(element, p, cp_itemsize(t));
  }
}

void cp_worker_start(cp_worker *w, const cp_program *g, void *memory) {
  const cp_plan *p = g->plan;
  w->program = g;
  w->memory = memory;
  w->row = g->ndim > 1 ? -1 : 0;
  for (int k = 0; k < g->noperands; k++) w->offsets[k] = 0;
  for (int r = 0; r < p->nleaves + p->nscalars; r++) {
    union {
      double d[2];
      char bytes[16];
    } element;
    if (!permanent(p, r) || g->slots[r] < 0) continue;
    if (r < p->nleaves)
      load_one(g, g->dtypes[r], p->leaves[r].base, element.bytes);
    else
      cp_scalar_register(p->scalars[r - p->nleaves], element.bytes);
    w->registers[r] = slot(w, r);
    cp_replicate(slot(w, r), element.bytes, g->block, cp_dtypes[g->dtypes[r]].register_size);
  }
}

static void set_row(cp_worker *w, int64_t row) {
  const cp_program *g = w->program;
  w->row = row;
  for (int k = 0; k < g->noperands; k++) w->offsets[k] = 0;
  for (int d = g->ndim - 2; d >= 0; d--) {
    int64_t index = row % g->shape[d];
    row /= g->shape[d];
    for (int k = 0; k < g->noperands; k++) w->offsets[k] += index * g->strides[k][d];
  }
}

// The operand as strided memory, and the position in it: within a long enough row its place there.
typedef struct place {
  cp_strided view;
  int64_t begin;
} place;

static place locate(const cp_worker *w, int k, int64_t begin, int64_t column, size_t n) {
  const cp_program *g = w->program;
  const cp_operand *o = operand(g->plan, k);
  int last = g->ndim - 1;
  bool inside = column + (int64_t)n <= g->shape[last];
  int skip = inside ? last : 0;
  char *base = o->access == CP_ACCESS_INDEX ? NULL : o->base + (inside ? w->offsets[k] : 0);
  return (place){{base, g->ndim - skip, g->shape + skip, g->strides[k] + skip}, inside ? column : begin};
}

static void load_half(const cp_worker *w, const place *at, float *d, bool bfloat, size_t n) {
  unsigned short halves[CP_BLOCK];
  cp_gather(halves, &at->view, at->begin, n, sizeof *halves);
  w->program->float32->unpack[bfloat](d, halves, n);
}

static void load(cp_worker *w, const cp_step *s, int64_t begin, int64_t column, size_t n) {
  const cp_program *g = w->program;
  const cp_operand *leaf = &g->plan->leaves[s->reg];
  size_t itemsize = cp_itemsize(leaf->dtype);
  if (g->in_place[s->reg] && column + (int64_t)n <= g->shape[g->ndim - 1]) {
    w->registers[s->reg] = leaf->base + w->offsets[s->reg] + column * (int64_t)itemsize;
    return;
  }
  void *d = slot(w, s->reg);
  place at = locate(w, s->reg, begin, column, n);
  w->registers[s->reg] = d;
  if (leaf->access == CP_ACCESS_INDEX) {
    int64_t start = leaf->start + (at.view.shape == g->shape ? 0 : w->offsets[s->reg]);
    cp_count(d, start, &at.view, at.begin, n);
  } else if (cp_is_half(leaf->dtype)) {
    load_half(w, &at, d, leaf->dtype == CP_BFLOAT16, n);
  } else {
    cp_gather(d, &at.view, at.begin, n, itemsize);
    if (s->loop) s->loop(d, (const void *const[]){d}, n);
  }
}

static void store_outputs(cp_worker *w, int64_t begin, int64_t column, size_t n) {
  const cp_program *g = w->program;
  const cp_plan *p = g->plan;
  for (int o = 0; o < p->noutputs; o++) {
    const cp_operand *out = &p->outputs[o];
    const void *src = w->registers[out->reg];
    union {
      double aligned[2 * CP_BLOCK];
      char bytes[16 * CP_BLOCK];
    } converted;
    place at = locate(w, p->nleaves + o, begin, column, n);
    if (src == at.view.base + (at.view.ndim == 1 ? column * at.view.strides[0] : 0) &&
        g->in_place[p->nleaves + o]) {
      continue; // written there
    }
    if (g->dtypes[out->reg] != out->dtype) {
      cp_convert(g->dtypes[out->reg], out->dtype, converted.bytes, src, n);
      src = converted.bytes;
    }
    cp_store(&at.view, out->dtype, src, at.begin, n);
  }
}

void cp_worker_run(cp_worker *w, int64_t begin, size_t n) {
  const cp_program *g = w->program;
  int64_t column = begin;
  if (g->ndim > 1) {
    int64_t length = g->shape[g->ndim - 1], row = begin / length;
    column = begin - row * length;
    if (row != w->row) set_row(w, row);
  }
  for (int k = 0; k < g->nsteps; k++) {
    const cp_step *s = &g->steps[k];
    if (s->kind == CP_STEP_LOAD) {
      load(w, s, begin, column, n);
      continue;
    }
    const void *in[CP_MAX_ARGS];
    for (int j = 0; j < s->nargs; j++) in[j] = w->registers[s->args[j]];
    void *d = slot(w, s->reg);
    if (s->direct >= 0 && column + (int64_t)n <= g->shape[g->ndim - 1]) {
      const cp_operand *out = &g->plan->outputs[s->direct];
      d = out->base + w->offsets[g->plan->nleaves + s->direct] + column * (int64_t)cp_itemsize(out->dtype);
    }
    s->loop(d, in, n);
    if (s->round) s->round(d, (const void *const[]){d}, n);
    w->registers[s->reg] = d;
  }
  if (g->plan->nred == 0) store_outputs(w, begin, column, n);
}

void cp_convert(cp_dtype from, cp_dtype to, void *dst, const void *src, size_t n) {
  cp_cpu_loops(from)->casts[to](dst, &src, n);
}

void cp_store(const cp_strided *to, cp_dtype t, const void *src, int64_t begin, size_t n) {
  unsigned short halves[CP_BLOCK];
  if (cp_is_half(t)) {
    cp_cpu_loops(CP_FLOAT32)->pack[t == CP_BFLOAT16](halves, src, n);
    src = halves;
  }
  cp_scatter(to, src, begin, n, cp_itemsize(t));
}
