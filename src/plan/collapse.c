// The iteration space of a plan (plan.h): flips, sorts by stride and merges its dimensions, then decides how
// each operand is accessed.
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct operands {
  int count;
  cp_operand *list[CP_MAX_LEAVES + CP_MAX_OUTPUTS]; // outputs first: they decide the order of dimensions
} operands;

static void collect(cp_plan *p, operands *o) {
  o->count = 0;
  for (int k = 0; k < p->noutputs; k++) o->list[o->count++] = &p->outputs[k];
  for (int k = 0; k < p->nleaves; k++) o->list[o->count++] = &p->leaves[k];
}

static void move_dim(cp_plan *p, operands *o, int to, int from) {
  for (int k = 0; k < p->nmoves; k++)
    if (p->moves[k].dim == from) p->moves[k].dim = to;
  p->shape[to] = p->shape[from];
  for (int k = 0; k < o->count; k++) o->list[k]->strides[to] = o->list[k]->strides[from];
}

static void swap_dims(cp_plan *p, operands *o, int a, int b) {
  int64_t t = p->shape[a];
  p->shape[a] = p->shape[b];
  p->shape[b] = t;
  for (int k = 0; k < p->nmoves; k++) {
    int dim = p->moves[k].dim;
    p->moves[k].dim = dim == a ? b : dim == b ? a : dim;
  }
  for (int k = 0; k < o->count; k++) {
    int64_t *s = o->list[k]->strides;
    t = s[a];
    s[a] = s[b];
    s[b] = t;
  }
}

// Drops axes of length 1; the reduced axes stay last. An empty space keeps its axis of length 0.
static void drop_units(cp_plan *p, operands *o) {
  int kept = p->ndim - p->nred, n = 0, nred = 0;
  for (int d = 0; d < p->ndim; d++) {
    if (p->shape[d] == 1) continue;
    if (n < d) move_dim(p, o, n, d);
    n++;
    if (d >= kept) nred++;
  }
  p->ndim = n;
  if (p->reduction && nred == 0) { // a reduction keeps one reduced axis, an elementwise plan one axis
    nred = 1;
    p->ndim++;
  } else if (!p->reduction && n == 0) {
    p->ndim = 1;
  }
  if (p->ndim > n) {
    p->shape[n] = 1;
    for (int k = 0; k < o->count; k++) o->list[k]->strides[n] = 0;
  }
  p->nred = nred;
}

// Whether some leaf's positions along dimension d move.
static bool has_move(const cp_plan *p, int d) {
  for (int k = 0; k < p->nmoves; k++)
    if (p->moves[k].dim == d) return true;
  return false;
}

// Reverses each axis along which the first operand with a stride other than 0 has a negative stride, unless
// positions along it move.
static void flip_dims(cp_plan *p, operands *o) {
  for (int d = 0; d < p->ndim; d++) {
    int64_t deciding = 0;
    for (int k = 0; k < o->count && deciding == 0; k++)
      if (o->list[k]->access != CP_ACCESS_INDEX) deciding = o->list[k]->strides[d];
    if (deciding >= 0 || p->shape[d] < 2 || has_move(p, d)) continue;
    for (int k = 0; k < o->count; k++) {
      cp_operand *a = o->list[k];
      if (a->access == CP_ACCESS_INDEX)
        a->start = cp_beyond(a->start, p->shape[d] - 1, a->strides[d]);
      else
        a->base += (p->shape[d] - 1) * a->strides[d];
      a->strides[d] = cp_beyond(0, -1, a->strides[d]);
    }
  }
}

// Whether axis a should be inside axis b: the first operand whose strides differ has the smaller one along a.
static bool inside(const operands *o, int a, int b) {
  for (int k = 0; k < o->count; k++) {
    const cp_operand *x = o->list[k];
    if (x->access == CP_ACCESS_INDEX) continue;
    int64_t sa = llabs(x->strides[a]), sb = llabs(x->strides[b]);
    if (sa != sb && sa != 0 && sb != 0) return sa < sb;
  }
  return false;
}

static void sort_dims(cp_plan *p, operands *o, int from, int to) {
  for (int i = from + 1; i < to; i++)
    for (int j = i; j > from && inside(o, j - 1, j); j--) swap_dims(p, o, j - 1, j);
}

static bool mergeable(const cp_plan *p, const operands *o, int outer, int inner) {
  if (has_move(p, outer) || has_move(p, inner)) return false;
  for (int k = 0; k < o->count; k++)
    if (o->list[k]->strides[outer] != o->list[k]->strides[inner] * p->shape[inner]) return false;
  return true;
}

// Merges adjacent axes in [from, to) that are evenly spaced in every operand; returns the new end.
static int merge_dims(cp_plan *p, operands *o, int from, int to) {
  if (from == to) return to;
  int last = from;
  for (int d = from + 1; d < to; d++) {
    if (mergeable(p, o, last, d)) {
      int64_t length = p->shape[last] * p->shape[d];
      move_dim(p, o, last, d);
      p->shape[last] = length;
    } else {
      if (++last < d) move_dim(p, o, last, d);
    }
  }
  return last + 1;
}

static void collapse(cp_plan *p, operands *o) {
  int kept = p->ndim - p->nred;
  int end = merge_dims(p, o, 0, kept);
  for (int d = 0; end < kept && d < p->nred; d++) move_dim(p, o, end + d, kept + d);
  p->ndim = merge_dims(p, o, end, end + p->nred);
  p->nred = p->ndim - end;
}

// Whether a stride exceeds 32 bits: narrow kernels multiply a 32-bit position by a 32-bit stride, with a
// 64-bit product.
static bool far_apart(const cp_plan *p, const operands *o) {
  for (int k = 0; k < o->count; k++)
    for (int d = 0; d < p->ndim && o->list[k]->access != CP_ACCESS_INDEX; d++)
      if (llabs(o->list[k]->strides[d]) > INT32_MAX) return true;
  return false;
}

// Whether moved positions may exceed 31 bits.
static bool move_far(const cp_plan *p) {
  for (int k = 0; k < p->nmoves; k++)
    if (p->moves[k].length > INT32_MAX / 4 || llabs(p->moves[k].shift) > INT32_MAX / 4) return true;
  return false;
}

static void set_sizes(cp_plan *p, const operands *o) {
  p->outer = p->inner = 1;
  for (int d = 0; d < p->ndim; d++)
    if (d < p->ndim - p->nred)
      p->outer *= p->shape[d];
    else
      p->inner *= p->shape[d];
  p->size = p->outer * p->inner;
  p->wide = p->size >= INT32_MAX || far_apart(p, o) || move_far(p);
}

static bool constant(const cp_plan *p, const cp_operand *a) {
  for (int d = 0; d < p->ndim; d++)
    if (a->strides[d] != 0) return false;
  return true;
}

static bool aligned(const cp_plan *p, const cp_operand *a, int dim, int vector) {
  int64_t unit = vector * (int64_t)cp_itemsize(a->dtype);
  uint64_t bits = (uint64_t)(uintptr_t)a->base;
  for (int d = 0; d < p->ndim; d++)
    if (d != dim) bits |= (uint64_t)a->strides[d];
  return (bits & (uint64_t)(unit - 1)) == 0;
}

static cp_access access_of(const cp_plan *p, const cp_operand *a, int dim, int vector) {
  if (a->access == CP_ACCESS_INDEX) return CP_ACCESS_INDEX;
  if (constant(p, a)) return CP_ACCESS_ONE;
  if (a->strides[dim] == 0) return CP_ACCESS_SAME;
  if (a->moved != 0 && cp_plan_move(p, a, dim) != NULL)
    return a->strides[dim] == (int64_t)cp_itemsize(a->dtype) ? CP_ACCESS_MOVED_ROW : CP_ACCESS_MOVED;
  if (a->strides[dim] != (int64_t)cp_itemsize(a->dtype)) return CP_ACCESS_STRIDED;
  return aligned(p, a, dim, vector) ? CP_ACCESS_VECTOR : CP_ACCESS_CONTIGUOUS;
}

enum { WORDS = 4 }; // words in a block of the random generator

// How many adjacent elements share a block of the random generator; 0 without random draws.
static int draws(const cp_plan *p) {
  int most = 0;
  for (int k = 0; k < p->ninstrs; k++) {
    if (p->instrs[k].op >= CP_OP_cast || !cp_is_draw(p->instrs[k].op)) continue;
    int shared = cp_itemsize(p->instrs[k].loop) > 4 ? WORDS / 2 : WORDS;
    most = shared > most ? shared : most;
  }
  return most;
}

bool cp_plan_draws(const cp_plan *p) { return draws(p) > 0; }

// Whether every value of an INDEX operand is in the range of positions, from 0 to below 2^56.
static bool like_positions(const cp_plan *p, const cp_operand *a) {
  double lowest = (double)a->start, highest = lowest;
  for (int d = 0; d < p->ndim; d++) {
    double span = p->shape[d] > 1 ? (double)a->strides[d] * (double)(p->shape[d] - 1) : 0;
    lowest += span < 0 ? span : 0;
    highest += span > 0 ? span : 0;
  }
  return lowest >= 0 && highest < 0x1p56;
}

bool cp_plan_counts(const cp_plan *p) {
  if (p->vector == 1 || p->tile > 0 || p->shifted || draws(p) == 0) return false;
  for (int k = 0; k < p->nleaves; k++) {
    const cp_operand *a = &p->leaves[k];
    if (a->access != CP_ACCESS_INDEX) continue;
    uint64_t bits = (uint64_t)a->start;
    for (int d = 0; d < p->ndim; d++)
      if (d != p->along) bits |= (uint64_t)a->strides[d];
    if (a->strides[p->along] != 1 || (bits & (uint64_t)(p->vector - 1)) != 0 || !like_positions(p, a))
      return false;
  }
  return true;
}

// The elements per group along a dimension: 16 bytes of the widest contiguous operand, at most.
static int group_of(const cp_plan *p, const operands *o, int dim) {
  size_t widest = 0;
  for (int k = 0; k < o->count; k++) {
    const cp_operand *a = o->list[k];
    size_t itemsize = cp_itemsize(a->dtype);
    if (a->access != CP_ACCESS_INDEX && a->strides[dim] == (int64_t)itemsize && itemsize > widest)
      widest = itemsize;
  }
  int vector = widest == 0 ? 1 : (int)(16 / widest), shared = draws(p);
  if (shared > 0 && widest == 0) vector = shared;
  if (shared > 0 && vector > WORDS) vector = WORDS;
  while (vector > 1 && vector > p->shape[dim]) vector /= 2;
  return vector;
}

// The same, but reduced until every output of an elementwise plan is aligned to its groups.
static int vector_of(const cp_plan *p, const operands *o, int dim) {
  int vector = group_of(p, o, dim);
  for (int k = 0; k < p->noutputs && p->nred == 0; k++)
    while (vector > 1 && access_of(p, &p->outputs[k], dim, vector) != CP_ACCESS_VECTOR) vector /= 2;
  return vector;
}

void cp_plan_regroup(cp_plan *p, int vector) {
  operands o;
  collect(p, &o);
  p->vector = vector;
  for (int k = 0; k < o.count; k++) o.list[k]->access = access_of(p, o.list[k], p->along, vector);
}

void cp_plan_access(cp_plan *p, int dim) {
  operands o;
  collect(p, &o);
  p->along = dim;
  cp_plan_regroup(p, vector_of(p, &o, dim));
}

// The elements of the largest words, of up to 16 bytes, that `batch` elements consist of. ORDER
// lua/cupola/kernels/domain.lua
static int word_of(int batch, int itemsize) {
  int word = 1;
  while (word * 2 * itemsize <= 16 && batch % (word * 2) == 0) word *= 2;
  return word;
}

static unsigned reach_of(const cp_plan *p, const cp_operand *a) {
  int reduced = p->ndim - 1, itemsize = (int)cp_itemsize(a->dtype), word = word_of(p->batch, itemsize);
  unsigned reach = 0;
  for (int d = 0; d < p->along; d++) reach |= a->strides[d] != 0 ? CP_REACH_LINES : 0;
  if (a->strides[p->along] != 0) reach |= CP_REACH_ACROSS;
  if (a->strides[reduced] == 0) return reach;
  reach |= CP_REACH_ALONG;
  if (a->access == CP_ACCESS_INDEX || a->strides[reduced] != itemsize) return reach;
  return reach | CP_REACH_NEAR | (word > 1 && aligned(p, a, reduced, word) ? CP_REACH_WORDS : 0);
}

void cp_plan_reach(cp_plan *p, int vector, int batch) {
  operands o;
  collect(p, &o);
  p->along = p->ndim - 2;
  cp_plan_regroup(p, 1);
  p->vector = vector;
  p->batch = batch;
  for (int k = 0; k < o.count; k++) o.list[k]->reach = reach_of(p, o.list[k]);
}

int64_t cp_plan_steps(const cp_plan *p, int d) {
  int64_t unit = 1;
  if (p->tile > 0)
    unit = d >= p->ndim - 2 ? p->tile : 1;
  else if (d == p->along)
    unit = p->vector;
  int64_t length = p->shape[d];
  if (p->shifted && d == p->along) length += unit - 1; // the first group may begin up to this much earlier
  return length / unit + (length % unit != 0);
}

// ---- tiles ----

enum {
  TILE_LEAST = 16,       // the least length of both dimensions for which tiles pay
  TILE_REACH = 64,       // the largest stride in bytes that makes a leaf lie across the outputs
  TILE_MEMORY = 40 << 10 // the most shared memory of a block for tiles, in bytes
};

// Whether a leaf lies across the outputs: its stride along dimension d is small and smaller than the
// innermost one.
static bool lies_across(const cp_plan *p, const cp_operand *a, int d) {
  if (a->access != CP_ACCESS_STRIDED) return false;
  int64_t near = llabs(a->strides[d]);
  return near > 0 && near <= TILE_REACH && near < llabs(a->strides[p->ndim - 1]);
}

// The dimension along which most leaves lie across the outputs; -1 when there is none.
static int across_dim(const cp_plan *p) {
  int best = -1, most = 0;
  for (int d = 0; d < p->ndim - 1; d++) {
    int votes = 0;
    for (int k = 0; k < p->nleaves; k++) votes += lies_across(p, &p->leaves[k], d);
    if (p->shape[d] >= TILE_LEAST && votes > most) {
      most = votes;
      best = d;
    }
  }
  return best;
}

// The edge of a tile: a row has at least 32 words of 4 bytes, or 32 larger elements. 64 elements of 4 bytes
// are loaded four at a time.
static int tile_edge(size_t itemsize) { return itemsize == 1 ? 128 : itemsize <= 4 ? 64 : 32; }

// Whether a leaf of a tile is loaded in aligned words along the dimension before the innermost (elements of 4
// bytes: four at a time), or by elements. ORDER lua/cupola/kernels/tile.lua
static cp_access tile_access(const cp_plan *p, const cp_operand *a) {
  int dim = p->ndim - 2, itemsize = (int)cp_itemsize(a->dtype);
  int unit = itemsize == 4 ? 4 : itemsize < 4 ? 4 / itemsize : 1;
  bool dense = a->strides[dim] == itemsize && p->shape[dim] % unit == 0;
  return dense && aligned(p, a, dim, unit) ? CP_ACCESS_TILE_WORD : CP_ACCESS_TILE;
}

void cp_plan_tile(cp_plan *p) {
  operands o;
  size_t widest = 0, memory = 0;
  if (p->ndim < 2 || p->nred > 0 || p->nmoves > 0 || p->shape[p->ndim - 1] < TILE_LEAST) return;
  int dim = across_dim(p);
  if (dim < 0) return;
  collect(p, &o);
  swap_dims(p, &o, dim, p->ndim - 2);
  for (int k = 0; k < p->nleaves; k++)
    if (lies_across(p, &p->leaves[k], p->ndim - 2) && cp_itemsize(p->leaves[k].dtype) > widest)
      widest = cp_itemsize(p->leaves[k].dtype);
  p->tile = tile_edge(widest);
  int most = (int)((widest < 4 ? 4 : 16) / widest);
  cp_plan_regroup(p, p->vector < most ? p->vector : most);
  for (int k = 0; k < p->nleaves; k++) {
    cp_operand *a = &p->leaves[k];
    size_t bytes = cp_itemsize(a->dtype) * (size_t)p->tile * (size_t)p->tile;
    if (!lies_across(p, a, p->ndim - 2) || memory + bytes > TILE_MEMORY) continue;
    a->access = tile_access(p, a);
    memory += bytes;
  }
}

// ---- shifted groups ----

enum { SHIFT_LEAST = 32 }; // groups in a row, at least, for which the two incomplete groups pay

// Whether every operand is aligned to its element size.
static bool well_placed(const cp_plan *p, const operands *o) {
  for (int k = 0; k < o->count; k++)
    if (o->list[k]->access != CP_ACCESS_INDEX && !aligned(p, o->list[k], -1, 1)) return false;
  return true;
}

// Whether a is aligned to groups of `vector` elements wherever b is: their base addresses and strides,
// counted in elements, are equal modulo the group.
// Where positions of a row move, b's row is another one, so rows must be aligned by themselves.
static bool aligned_alike(const cp_plan *p, const cp_operand *a, const cp_operand *b, int vector) {
  int64_t x = (int64_t)cp_itemsize(a->dtype), y = (int64_t)cp_itemsize(b->dtype);
  int64_t apart = (int64_t)((uintptr_t)a->base / (uintptr_t)x) - (int64_t)((uintptr_t)b->base / (uintptr_t)y);
  for (int d = 0; d < p->ndim && apart % vector == 0; d++) {
    if (d == p->along) continue;
    bool moves = a->moved != 0 && cp_plan_move(p, a, d) != NULL;
    apart = a->strides[d] / x - (moves ? 0 : b->strides[d] / y);
    if (moves && b->strides[d] / y % vector != 0) return false;
  }
  return apart % vector == 0;
}

void cp_plan_shift(cp_plan *p) {
  operands o;
  const cp_operand *first = &p->outputs[0];
  if (p->nred > 0 || p->tile > 0 || first->strides[p->along] != (int64_t)cp_itemsize(first->dtype)) return;
  collect(p, &o);
  int vector = group_of(p, &o, p->along);
  if (vector <= p->vector || p->shape[p->along] / vector < SHIFT_LEAST || !well_placed(p, &o)) return;
  p->vector = vector;
  p->shifted = true;
  for (int k = 0; k < o.count; k++) {
    cp_operand *a = o.list[k];
    a->access = access_of(p, a, p->along, vector);
    if (a->access != CP_ACCESS_VECTOR && a->access != CP_ACCESS_CONTIGUOUS) continue;
    a->access = aligned_alike(p, a, first, vector) ? CP_ACCESS_VECTOR : CP_ACCESS_CONTIGUOUS;
  }
}

static bool is_multiple(const cp_operand *a, int vector) {
  return ((uintptr_t)a->base & ((size_t)vector * cp_itemsize(a->dtype) - 1)) == 0;
}

static void set_flat(cp_operand *a, int vector) {
  a->strides[0] = (int64_t)cp_itemsize(a->dtype);
  a->access = is_multiple(a, vector) ? CP_ACCESS_VECTOR : CP_ACCESS_CONTIGUOUS;
}

void cp_plan_finish_flat(cp_plan *p, int64_t size) {
  size_t widest = 1;
  for (int k = 0; k < p->nleaves; k++)
    if (cp_itemsize(p->leaves[k].dtype) > widest) widest = cp_itemsize(p->leaves[k].dtype);
  for (int k = 0; k < p->noutputs; k++)
    if (cp_itemsize(p->outputs[k].dtype) > widest) widest = cp_itemsize(p->outputs[k].dtype);
  int vector = (int)(16 / widest);
  if (vector > WORDS && draws(p) > 0) vector = WORDS;
  while (vector > size) vector /= 2;
  for (int k = 0; k < p->noutputs; k++)
    while (vector > 1 && !is_multiple(&p->outputs[k], vector)) vector /= 2;
  for (int k = 0; k < p->nleaves; k++) set_flat(&p->leaves[k], vector);
  for (int k = 0; k < p->noutputs; k++) set_flat(&p->outputs[k], vector);
  p->ndim = 1;
  p->shape[0] = p->size = p->outer = size;
  p->inner = 1;
  p->wide = false;
  p->along = 0;
  p->vector = vector;
}

void cp_plan_finish_space(cp_plan *p) {
  operands o;
  // Whether there is nothing to drop, sort or merge.
  const bool plain = p->ndim == 1 && p->nred == p->reduction && p->shape[0] > 1;
  collect(p, &o);
  if (!plain) drop_units(p, &o);
  flip_dims(p, &o);
  if (!plain) {
    sort_dims(p, &o, 0, p->ndim - p->nred);
    sort_dims(p, &o, p->ndim - p->nred, p->ndim);
    collapse(p, &o);
  }
  set_sizes(p, &o);
  p->along = p->ndim - 1;
}

void cp_plan_finish(cp_plan *p) {
  cp_plan_finish_space(p);
  cp_plan_access(p, p->along);
}
