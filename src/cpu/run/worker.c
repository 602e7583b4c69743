// Runs programs block by block: finds or loads leaves, runs instructions, stores outputs.
#include "cpu/run/program.h"

#include <string.h>

static void *block_of(const cp_worker *w, int reg) { return w->memory + w->program->offsets[reg]; }

// Starting -------------------------------------------------------------------------------------------------

// Converts from memory format at src to register format at d; NULL: the formats are the same.
typedef void convert_function(const cp_program *g, cp_dtype t, void *d, const void *src, size_t n);

static void unpack(const cp_program *g, cp_dtype t, void *d, const void *src, size_t n) {
  if (t == CP_BOOL)
    cp_cpu_loops(CP_BOOL)->casts[CP_BOOL](d, &src, n);
  else
    g->float32->unpack[t == CP_BFLOAT16](d, src, n);
}

static convert_function *conversion(cp_dtype t) { return cp_is_half(t) || t == CP_BOOL ? unpack : NULL; }

// Writes one period of the leaf in register format.
static void first_period(const cp_program *g, int leaf, char *d, size_t n) {
  _Alignas(16) char gathered[16 * CP_MAX_PERIOD + CP_MOVE_SLACK];
  cp_strided view = {g->bases[leaf], g->ndim, g->shape, g->strides[leaf]};
  convert_function *convert = conversion(g->dtypes[leaf]);
  cp_gather(convert ? gathered : d, &view, 0, n, cp_itemsize(g->dtypes[leaf]));
  if (convert) convert(g, g->dtypes[leaf], d, gathered, n);
}

static void fill_cycle(cp_worker *w, int reg) {
  const cp_program *g = w->program;
  const cp_plan *p = g->plan;
  size_t period = (size_t)g->periods[reg], size = cp_dtypes[g->dtypes[reg]].register_size;
  size_t done = period, all = g->block + period - 1;
  char *d = block_of(w, reg);
  w->registers[reg] = d;
  if (reg < p->nleaves) {
    first_period(g, reg, d, period);
  } else {
    _Alignas(16) char element[16];
    cp_scalar_register(p->scalars[reg - p->nleaves], element);
    memcpy(d, element, size);
  }
  if (period == 1) {
    g->copies->fill[cp_move_size(size)](d, d, all);
    return;
  }
  for (; done < all; done *= 2) memcpy(d + done * size, d, (all - done < done ? all - done : done) * size);
}

void cp_worker_start(cp_worker *w, const cp_program *g, void *memory) {
  w->program = g;
  w->memory = memory;
  w->row = -1;
  w->filled = 0;
  if (g->span == g->ndim) {
    w->row = 0;
    for (int k = 0; k < g->noperands; k++) w->offsets[k] = 0;
  }
  for (int r = 0; r < g->first; r++) {
    if (g->sources[r] == CP_SOURCE_CYCLE)
      fill_cycle(w, r);
    else if (g->sources[r] == CP_SOURCE_SHARED)
      w->registers[r] = block_of(w, r);
  }
}

// Loading --------------------------------------------------------------------------------------------------

// Moves the rows of the leaves that have move number m.
static void move_row(cp_worker *w, int m, int64_t by) {
  const cp_program *g = w->program;
  for (int k = 0; k < g->plan->nleaves; k++) {
    if (g->plan->leaves[k].moved >> m & 1)
      w->offsets[k] = cp_beyond(w->offsets[k], by, g->strides[k][g->moves[m].dim]);
  }
}

static void set_row(cp_worker *w, int64_t row) {
  const cp_program *g = w->program;
  w->row = row;
  w->filled = 0;
  for (int k = 0; k < g->noperands; k++) w->offsets[k] = 0;
  for (int d = g->ndim - g->span - 1; d >= 0; d--) {
    int64_t index = row % g->shape[d];
    row /= g->shape[d];
    for (int k = 0; k < g->noperands; k++) w->offsets[k] = cp_beyond(w->offsets[k], index, g->strides[k][d]);
    for (int m = 0; m < g->nmoves; m++) {
      if (g->moves[m].dim == d) move_row(w, m, cp_moved(&g->moves[m], index) - index);
    }
  }
}

// The operand as seen from the block's positions: the last `span` dimensions.
static cp_strided view_of(const cp_worker *w, int k) {
  const cp_program *g = w->program;
  int skip = g->ndim - g->span;
  char *base = g->bases[k] ? g->bases[k] + w->offsets[k] : NULL;
  return (cp_strided){base, g->span, g->shape + skip, g->strides[k] + skip};
}

// Address of a flat operand's block.
static char *place_of(const cp_worker *w, int k, cp_dtype t, int64_t column) {
  return w->program->bases[k] + w->offsets[k] + column * (int64_t)cp_itemsize(t);
}

// Prefetches the columns of the next tile while this one is transposed.
static void prefetch_tile(const cp_program *g, const cp_strided *tile, int reg, size_t itemsize) {
  int64_t down = tile->strides[0], along = tile->strides[1], size = (int64_t)itemsize;
  if (down != size || g->shape[g->ndim - 3] < 2) return;
  const char *next = tile->base + g->strides[reg][g->ndim - 3];
  for (int64_t c = 0; c < tile->shape[1]; c++) {
    for (int64_t k = 0; k < tile->shape[0] * size; k += 64) __builtin_prefetch(next + c * along + k);
  }
}

static void gather_block(const cp_worker *w, int leaf, const cp_strided *view, void *d, int64_t column,
                         size_t n) {
  if (w->program->moved[leaf])
    cp_gather_moved(w, leaf, d, column, n);
  else
    cp_gather(d, view, column, n, cp_itemsize(w->program->dtypes[leaf]));
}

static void gather(const cp_worker *w, const cp_step *s, void *d, int64_t column, size_t n) {
  const cp_program *g = w->program;
  cp_strided view = view_of(w, s->reg);
  cp_dtype t = g->dtypes[s->reg];
  if (g->span == 2 && g->ndim > 3) prefetch_tile(g, &view, s->reg, cp_itemsize(t));
  if (cp_is_half(t)) {
    _Alignas(16) char halves[2 * CP_BLOCK + CP_MOVE_SLACK];
    gather_block(w, s->reg, &view, halves, column, n);
    unpack(g, t, d, halves, n);
  } else {
    gather_block(w, s->reg, &view, d, column, n);
    if (s->loop) s->loop(d, (const void *const[]){d}, n);
  }
}

static void fill_same(cp_worker *w, int reg, size_t n) {
  const cp_program *g = w->program;
  cp_dtype t = g->dtypes[reg];
  _Alignas(16) char element[16];
  convert_function *convert = conversion(t);
  const char *src = g->bases[reg] + w->offsets[reg];
  if (convert)
    convert(g, t, element, src, 1);
  else
    memcpy(element, src, cp_itemsize(t));
  g->copies->fill[cp_move_size(cp_dtypes[t].register_size)](block_of(w, reg), element, n);
}

// Puts a leaf's elements where the instructions read them.
static void load(cp_worker *w, const cp_step *s, void *d, int64_t begin, int64_t column, size_t n) {
  const cp_program *g = w->program;
  int reg = s->reg;
  cp_dtype t = g->dtypes[reg];
  switch (s->source) {
  case CP_SOURCE_PLACE: d = place_of(w, reg, t, column); break;
  case CP_SOURCE_CONVERTED: unpack(g, t, d, place_of(w, reg, t, column), n); break;
  case CP_SOURCE_COUNTED: {
    cp_strided steps = view_of(w, reg);
    cp_count(d, cp_beyond(g->starts[reg], 1, w->offsets[reg]), &steps, column, n);
    break;
  }
  case CP_SOURCE_SAME:
    if (n > w->filled) fill_same(w, reg, n);
    break;
  case CP_SOURCE_CYCLE: d = (char *)d + (size_t)(begin % g->periods[reg]) * cp_dtypes[t].register_size; break;
  default: {
    const char *place = g->moved[reg] ? cp_moved_place(w, reg, column, n) : NULL;
    if (place) {
      w->registers[reg] = place;
      return;
    }
    gather(w, s, d, column, n);
  }
  }
  w->registers[reg] = d;
}

// Storing --------------------------------------------------------------------------------------------------

static void store(cp_worker *w, int o, int64_t column, size_t n) {
  const cp_program *g = w->program;
  int k = g->plan->nleaves + o, reg = g->plan->outputs[o].reg;
  cp_dtype t = g->stored[o];
  const void *src = w->registers[reg];
  char *to = g->flat[k] ? place_of(w, k, t, column) : NULL;
  if (src == to) return; // computed in place
  if (g->dtypes[reg] != t) {
    void *converted = w->memory + g->converted;
    cp_convert(g->dtypes[reg], t, converted, src, n);
    src = converted;
  }
  if (cp_is_half(t)) {
    bool here = to && !g->streamed[o];
    unsigned short *packed =
        here ? (unsigned short *)(void *)to : (unsigned short *)(void *)(w->memory + g->packed);
    g->float32->pack[t == CP_BFLOAT16](packed, src, n);
    if (here) return;
    src = packed;
  }
  if (g->streamed[o]) {
    g->copies->stream(to, src, n * cp_itemsize(t));
  } else if (to) {
    g->copies->rows(to, 0, src, 0, 1, n * cp_itemsize(t));
  } else {
    cp_strided view = view_of(w, k);
    cp_scatter(&view, src, column, n, cp_itemsize(t));
  }
}

void cp_worker_run(cp_worker *w, int64_t begin, size_t n) {
  const cp_program *g = w->program;
  int64_t column = begin;
  if (g->span < g->ndim) {
    int64_t row = begin / g->within;
    column = begin - row * g->within;
    if (row != w->row) set_row(w, row);
  }
  for (int k = 0; k < g->nsteps; k++) {
    const cp_step *s = &g->steps[k];
    void *d = s->direct < 0 ? w->memory + g->offsets[s->reg]
                            : place_of(w, g->plan->nleaves + s->direct, g->stored[s->direct], column);
    if (s->source != CP_SOURCE_RESULT) {
      load(w, s, d, begin, column, n);
      continue;
    }
    const void *in[CP_MAX_ARGS];
    for (int j = 0; j < s->nargs; j++) in[j] = w->registers[s->args[j]];
    s->loop(d, in, n);
    if (s->round) s->round(d, (const void *const[]){d}, n);
    w->registers[s->reg] = d;
  }
  if (n > w->filled) w->filled = n;
  for (int o = 0; g->plan->nred == 0 && o < g->plan->noutputs; o++) store(w, o, column, n);
}

void cp_worker_end(const cp_worker *w) { w->program->copies->stream_end(); }

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
