// cp.shares_memory and cp.may_share_memory: whether two arrays have bytes in common, decided exactly or by
// their extents.
//
// A common byte is a solution of the equation offset_a + sum(stride * index) + byte = (the same for b). With
// all strides made positive, this becomes sum(coefficient * x) = target with bounded integers x. The search
// goes from the largest coefficient down. What the smaller coefficients can still reach bounds each choice,
// so for ordinary arrays only one or two values of each x are tried.
#include "lua/arguments/args.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <stdlib.h>

enum { MOST_TERMS = 2 * CP_MAXDIM + 1, MOST_STEPS = 20000000 };

typedef struct term {
  int64_t coefficient, most;
} term;

typedef struct search {
  term terms[MOST_TERMS];
  int64_t reach[MOST_TERMS + 1]; // reach[k] is the largest sum of the terms from k on
  int count;
  int64_t steps;
} search;

static int by_coefficient(const void *a, const void *b) {
  const term *x = a, *y = b;
  return (x->coefficient < y->coefficient) - (x->coefficient > y->coefficient);
}

// Whether the terms from k on can sum up to target. After MOST_STEPS steps the search gives up and returns
// true.
static bool solvable(search *s, int k, int64_t target) {
  if (target == 0) return true;
  if (k == s->count || ++s->steps > MOST_STEPS) return k < s->count;
  const term *t = &s->terms[k];
  int64_t most = target / t->coefficient, least = target - s->reach[k + 1];
  least = least > 0 ? (least + t->coefficient - 1) / t->coefficient : 0;
  if (most > t->most) most = t->most;
  for (int64_t x = most; x >= least; x--)
    if (solvable(s, k + 1, target - x * t->coefficient)) return true;
  return false;
}

// Adds the axes of an array as terms; sign -1 moves them to the other side of the equation. Returns by how
// much the target grows, because negative coefficients are made positive by counting from the other end.
static int64_t add_axes(search *s, const cp_array *a, int64_t sign) {
  int64_t shift = 0;
  for (int d = 0; d < a->ndim; d++) {
    int64_t c = sign * a->strides[d], most = a->shape[d] - 1;
    if (most <= 0 || c == 0) continue;
    if (c < 0) {
      shift += -c * most;
      c = -c;
    }
    s->terms[s->count++] = (term){c, most};
  }
  return shift;
}

static bool common_byte(const cp_array *a, const cp_array *b, int64_t from_a, int64_t from_b) {
  search s = {.count = 0};
  int64_t bytes = (int64_t)(cp_itemsize(a->dtype) + cp_itemsize(b->dtype)) - 2;
  // With A and B for the sums over the axes, and e and f for the bytes within an element:
  // offset_a + A + e = offset_b + B + f
  // <=> A - B + (e + bytes of b - 1 - f) = offset_b - offset_a + bytes of b - 1
  int64_t target = from_b - from_a + (int64_t)cp_itemsize(b->dtype) - 1;
  target += add_axes(&s, a, 1) + add_axes(&s, b, -1);
  if (bytes > 0) s.terms[s.count++] = (term){1, bytes};
  if (target < 0) return false;
  qsort(s.terms, (size_t)s.count, sizeof *s.terms, by_coefficient);
  for (int k = s.count - 1; k >= 0; k--)
    s.reach[k] = s.reach[k + 1] + s.terms[k].coefficient * s.terms[k].most;
  return target <= s.reach[0] && solvable(&s, 0, target);
}

// Whether both arrays are in memory that they could share. Gives their distances from a common origin.
static bool common_memory(const cp_array *a, const cp_array *b, int64_t *from_a, int64_t *from_b) {
  *from_a = a->offset;
  *from_b = b->offset;
  if (a->size == 0 || b->size == 0) return false;
  if (a->storage == b->storage) return true;
  if (a->device != b->device || !a->storage->buffer->exposed || !b->storage->buffer->exposed) return false;
  *from_b += (int64_t)((intptr_t)b->storage->buffer->pointer - (intptr_t)a->storage->buffer->pointer);
  return true;
}

static int answer(lua_State *L, const char *where, bool exact) {
  static const char *const names[] = {"a", "b"};
  cp_signature s = {where, names, 2, 2};
  int64_t from_a, from_b;
  cp_arguments(L, &s);
  cp_array *a = cp_check_array(L, 1, where, "a"), *b = cp_check_array(L, 2, where, "b");
  bool shared = common_memory(a, b, &from_a, &from_b);
  if (shared) shared = exact ? common_byte(a, b, from_a, from_b) : cp_may_overlap(a, b);
  lua_pushboolean(L, shared);
  return 1;
}

// cp.shares_memory(a, b): the exact answer, except for views so complicated that the search gives up and says
// yes.
static int shares_memory(lua_State *L) { return answer(L, "shares_memory", true); }

// cp.may_share_memory(a, b): whether the spans from the first to the last byte of each overlap.
static int may_share_memory(lua_State *L) { return answer(L, "may_share_memory", false); }

void cp_open_share(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"shares_memory", shares_memory}, {"may_share_memory", may_share_memory}, {NULL, NULL}};
  for (int table = 2; table <= 3; table++) { // cp, and the methods of arrays
    cp_put_functions(L, table, functions);
  }
}
