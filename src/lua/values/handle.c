// Makes and checks handles of arrays, which are userdata. Their fields and metamethods are in
// lua/indexing/metatable.c.
#include "cupola.h"

#include "array/view.h"
#include "lazy/arrays/element.h"
#include "lazy/arrays/pending_view.h"
#include "lazy/expression/graph.h"
#include "lua/guards/scope.h"
#include "lua/objects/handles.h"
#include "lua/objects/object.h"
#include "lua/values/handle.h"

#include <string.h>

#if LUA_VERSION_NUM >= 504
enum { YOUNG = 512, SELDOM = 1 << 20 };

// Asks for a young collection, so that new handles reuse memory that is still in the processor's caches. By
// itself a generational collector waits until the heap has grown by a fifth; by then dead handles have filled
// the caches, and each new array gets cold memory. With a young collection now and then, the same few hundred
// handles serve in turn. In an incremental collector the step begins a cycle through the whole heap, which
// frees nothing soon. So whenever a step frees nothing, the next one comes much later.
static void collect_young(lua_State *L, cp_state *s) {
  enum { WORTH = 16 }; // KB that a step must free to be worth its time
  int before = lua_gc(L, LUA_GCCOUNT, 0);
  s->made = 0;
  lua_gc(L, LUA_GCSTEP, 0);
  bool freed = lua_gc(L, LUA_GCCOUNT, 0) + WORTH <= before;
  s->step_every = freed ? s->step_every / 2 : s->step_every * 8;
  if (s->step_every < YOUNG) s->step_every = YOUNG;
  if (s->step_every > SELDOM) s->step_every = SELDOM;
}
#endif

// Where new_handle finds the metatable of arrays: the number of a stack slot that holds an array, or one of
// these.
enum { IN_REGISTRY = 0, ON_TOP = -1 };

static inline cp_array *new_handle(lua_State *L, cp_state *s, int ndim, int where) {
  if (s->ctx.arrays.borrowed != NULL || atomic_load_explicit(&s->ctx.arrays.returned, memory_order_relaxed))
    cp_release_borrowed(&s->ctx);
  cp_array *a = cp_newuserdata(L, cp_array_bytes(ndim));
  cp_array_place(a, ndim);
  a->context = &s->ctx;
  if (where > 0)
    lua_getmetatable(L, where);
  else if (where == ON_TOP)
    lua_pushvalue(L, -2);
  else
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->kinds[CP_KIND_ARRAY].reference);
  cp_add_handle(L, s, a);
  lua_setmetatable(L, -2);
  if (s->scopes > 0) cp_scope_register(L, s, a);
#if LUA_VERSION_NUM >= 504
  if (++s->made > s->step_every) collect_young(L, s);
#endif
  return a;
}

cp_array *cp_push_handle(lua_State *L, cp_state *s, int ndim, bool on_top) {
  return on_top ? new_handle(L, s, ndim, ON_TOP) : new_handle(L, s, ndim, IN_REGISTRY);
}

cp_array *cp_push_array(lua_State *L, int ndim) { return new_handle(L, cp_state_get(L), ndim, IN_REGISTRY); }

void cp_allocate_pushed(lua_State *L, const char *where, cp_array *a, cp_device *device, cp_dtype dtype) {
  CP_CHECK(L, where, cp_array_allocate(&cp_state_of(L, a)->ctx, a, device, dtype));
  a->owner = true;
}

cp_array *cp_push_new_array(lua_State *L, const char *where, cp_device *device, cp_dtype dtype, int ndim,
                            const int64_t *shape) {
  cp_array *a = cp_push_array(L, ndim);
  CP_CHECK(L, where, cp_array_layout(a, dtype, ndim, shape, 'C'));
  cp_allocate_pushed(L, where, a, device, dtype);
  return a;
}

cp_array *cp_push_view_of(lua_State *L, const cp_array *a, int slot, int ndim) {
  cp_array *v = new_handle(L, cp_state_of(L, a), ndim, slot);
  cp_view_start(v, a);
  if (v->storage != NULL) v->storage->refs++;
  return v;
}

cp_array *cp_push_view(lua_State *L, const cp_array *a) {
  cp_state *s = a->context != NULL ? cp_state_of(L, a) : cp_state_get(L);
  cp_array *v = cp_push_handle(L, s, a->ndim, false);
  cp_array_copy_view(v, a);
  v->owner = false;
  return v;
}

void cp_push_pending_view(lua_State *L, const char *where, cp_array *a, cp_array *view) {
  cp_state *s = cp_state_of(L, a);
  cp_array *v = cp_push_handle(L, s, view->ndim, false);
  s->ctx.lazy.caller = where;
  CP_CHECK(L, where, cp_pend_view(&s->ctx, a, view, v));
}

void cp_need_for_view(lua_State *L, const char *where, cp_array *a) {
  if (a->node == NULL || !cp_may_view_pending(&cp_state_of(L, a)->ctx, a)) cp_need(L, where, a);
}

cp_array *cp_check_value(lua_State *L, int index, const char *where, const char *argument) {
  cp_array *a = cp_test_array(L, index);
  if (a == NULL)
    cp_raise(L, where, CP_EUSAGE, "%s must be an array, not %s", argument, cp_kind_text(L, index));
  CP_CHECK(L, where, cp_array_alive(a));
  return a;
}

cp_array *cp_check_array(lua_State *L, int index, const char *where, const char *argument) {
  cp_array *a = cp_check_value(L, index, where, argument);
  if (a->node != NULL) cp_need(L, where, a);
  return a;
}

void cp_need(lua_State *L, const char *where, cp_array *a) {
  cp_context *ctx = &cp_state_of(L, a)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_force(ctx, a));
}

cp_scalar cp_read_element(lua_State *L, const char *where, cp_array *a, const int64_t *positions) {
  cp_scalar value = {0};
  cp_context *ctx = &cp_state_of(L, a)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_element_at(ctx, a, positions, &value));
  return value;
}
