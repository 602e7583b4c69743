// Fourier transforms for lua/cupola/analysis/fft.lua, which has already adjusted lengths and dtypes. Plans
// come from the device's FFT library (routines/fft.h); scratch memory comes from the pool for one transform.
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"

#include "lazy/arrays/access.h"
#include "lazy/arrays/capture.h"
#include "memory/allocator.h"
#include "routines/cost.h"

#include <string.h>

static bool same_kind(const char *text, const char *kind) { return strcmp(text, kind) == 0; }

static cp_fft_kind kind_of(lua_State *L, const char *text) {
  if (same_kind(text, "c2c")) return CP_FFT_C2C;
  if (same_kind(text, "r2c")) return CP_FFT_R2C;
  if (!same_kind(text, "c2r")) luaL_error(L, "core.fft: unknown kind %s", text);
  return CP_FFT_C2R;
}

// One transform as the Lua side asked for it: x to out over `rank` axes. n is the length of the real side of
// the last one.
typedef struct transform {
  cp_array *x, *out;
  cp_fft_kind kind;
  bool inverse;
  int rank, axes[CP_FFT_RANK];
  int64_t n;
} transform;

static bool whole_strides(const cp_array *x) {
  int64_t item = (int64_t)cp_itemsize(x->dtype);
  for (int d = 0; d < x->ndim; d++)
    if (x->strides[d] % item != 0) return false;
  return x->offset % item == 0;
}

static bool is_transformed(const transform *t, int axis) {
  for (int k = 0; k < t->rank; k++)
    if (t->axes[k] == axis) return true;
  return false;
}

// Adds an axis of both arrays to the batch; merges it with the last one if it continues that in both arrays.
static void add_batch(cp_fft_shape *s, int64_t n, int64_t in, int64_t out) {
  int k = s->nbatch - 1;
  bool joins = k >= 0 && s->in_batch[k] == in * n && s->out_batch[k] == out * n;
  if (!joins) k = s->nbatch++;
  s->count[k] = joins ? s->count[k] * n : n;
  s->in_batch[k] = in;
  s->out_batch[k] = out;
}

static void shape_of(const transform *t, cp_fft_shape *s) {
  const cp_array *x = t->x, *out = t->out;
  int64_t in_item = (int64_t)cp_itemsize(x->dtype), out_item = (int64_t)cp_itemsize(out->dtype);
  memset(s, 0, sizeof *s);
  s->kind = (int32_t)t->kind;
  s->wide = x->dtype == CP_FLOAT64 || x->dtype == CP_COMPLEX128;
  s->inverse = t->inverse;
  s->rank = t->rank;
  for (int k = 0; k < t->rank; k++) {
    int d = t->axes[k];
    s->n[k] = k == t->rank - 1 ? t->n : x->shape[d];
    s->in[k] = x->strides[d] / in_item;
    s->out[k] = out->strides[d] / out_item;
  }
  for (int d = 0; d < x->ndim; d++)
    if (!is_transformed(t, d) && x->shape[d] != 1)
      add_batch(s, x->shape[d], x->strides[d] / in_item, out->strides[d] / out_item);
}

static cp_status run_plan(cp_context *ctx, const transform *t, cp_fft_plan *plan, void *work) {
  cp_device *device = t->x->device;
  const cp_use uses[] = {{t->x, t->kind == CP_FFT_C2R ? CP_WRITE : CP_READ}, {t->out, CP_WRITE_WHOLE}};
  cp_stream *s;
  CP_TRY(cp_open_arrays(ctx, device, 2, uses, &s));
  ctx->counters.launches++;
  return device->ops->fft->run(s, plan, cp_address(t->x), cp_address(t->out), work);
}

// Whether x is aligned to 16 bytes, which FFTW's vector code and cuFFT require.
static bool aligned(const cp_array *x) {
  char *p;
  return cp_array_pointer(x, &p) == CP_OK && (uintptr_t)p % 16 == 0;
}

static void close_plan(void *plan) { cp_fft_cache_close(plan); }

static cp_status run_transform(cp_context *ctx, const transform *t) {
  cp_fft_shape shape;
  cp_device *device = t->x->device;
  cp_stream *s;
  cp_fft_plan *plan;
  cp_block *block = NULL;
  size_t work = 0;
  shape_of(t, &shape);
  shape.aligned = aligned(t->x) && aligned(t->out);
  CP_TRY(cp_may_transform(ctx, device, &shape));
  CP_TRY(cp_context_stream(ctx, device, &s));
  CP_TRY(device->ops->fft->open(ctx, s, &shape, &plan, &work));
  cp_status status = work > 0 ? cp_context_allocate(ctx, device, s, work, &block) : CP_OK;
  if (status == CP_OK) status = run_plan(ctx, t, plan, block != NULL ? block->pointer : NULL);
  if (block != NULL) cp_context_release(ctx, block);
  if (ctx->capture.graph != NULL && status == CP_OK) // the graph uses the plan whenever it runs
    return cp_capture_keep(ctx->capture.graph, close_plan, plan);
  device->ops->fft->close(plan);
  return status;
}

static cp_dtype result_dtype(const transform *t) {
  if (t->kind == CP_FFT_R2C) return cp_complexed(t->x->dtype);
  return t->kind == CP_FFT_C2R ? cp_dtypes[t->x->dtype].real : t->x->dtype;
}

// Reads the axes in the table at slot 5, which must differ.
static void read_axes(lua_State *L, const char *where, transform *t) {
  uint32_t seen = 0;
  luaL_checktype(L, 5, LUA_TTABLE);
  size_t n = lua_rawlen(L, 5);
  cp_demand(L, where, n >= 1 && n <= CP_FFT_RANK, "a transform is over 1 to 3 axes");
  for (t->rank = 0; t->rank < (int)n; t->rank++) {
    lua_rawgeti(L, 5, t->rank + 1);
    int axis = t->axes[t->rank] = cp_arg_axis(L, lua_gettop(L), where, "axes", t->x->ndim);
    cp_demand(L, where, (seen >> axis & 1) == 0, "axes names an axis twice");
    seen |= 1U << axis;
    lua_pop(L, 1);
  }
}

// Raises an error unless x has a dtype of this kind of transform, no empty axis, a last axis of the length
// that n asks for, and its axes where the device's library wants them.
static void check_transform(lua_State *L, const char *where, const transform *t) {
  const cp_array *x = t->x;
  const int64_t length = x->shape[t->axes[t->rank - 1]];
  const bool real = x->dtype == CP_FLOAT32 || x->dtype == CP_FLOAT64;
  cp_demand(L, where, t->kind == CP_FFT_R2C ? real : cp_is_complex(x->dtype),
            "a has not the dtype of such a transform");
  cp_demand(L, where, x->size > 0 && t->n > 0 && length == (t->kind == CP_FFT_C2R ? t->n / 2 + 1 : t->n),
            "a has not the length that n asks for");
  for (int k = 0; k < t->rank && !x->device->ops->fft->strided; k++)
    cp_demand(L, where, t->axes[k] == x->ndim - t->rank + k, "the axes must be the last ones");
}

// core.fft(where, x, kind, inverse, axes, n, mine): x transformed over one to three axes, without scaling.
// kind is "c2c", "r2c" or "c2r"; the last of the axes has the real side, of length n. x has a dtype that the
// library takes (float32 or float64 for r2c, else complex64 or complex128) and no empty axis. Some devices
// need the axes to be the last ones (core.fft_strided). mine: x may be destroyed.
static int fft(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  transform t = {.kind = kind_of(L, luaL_checkstring(L, 3)), .inverse = lua_toboolean(L, 4) != 0};
  int64_t shape[CP_MAXDIM];
  lua_settop(L, 7);
  // c2r destroys what it reads. A pending value is computed into the copy.
  bool spare = t.kind != CP_FFT_C2R || lua_toboolean(L, 7);
  t.x = spare ? cp_check_array(L, 2, where, "a") : cp_check_value(L, 2, where, "a");
  if (!spare) t.x = cp_push_copy(L, where, t.x, 'C');
  read_axes(L, where, &t);
  t.n = cp_arg_integer(L, 6, where, "n");
  check_transform(L, where, &t);
  bool strided = t.x->device->ops->fft->strided;
  bool fits = strided ? whole_strides(t.x) : cp_array_contiguous(t.x, 'C') && aligned(t.x);
  if (!fits) t.x = cp_push_copy(L, where, t.x, 'C');
  memcpy(shape, t.x->shape, (size_t)t.x->ndim * sizeof *shape);
  shape[t.axes[t.rank - 1]] = t.kind == CP_FFT_R2C ? t.n / 2 + 1 : t.n;
  t.out = cp_push_new_array(L, where, t.x->device, result_dtype(&t), t.x->ndim, shape);
  CP_CHECK(L, where, run_transform(&cp_state_get(L)->ctx, &t));
  return 1;
}

// core.fft_strided(array): whether its device can transform any axes, wherever they lie.
static int fft_strided(lua_State *L) {
  lua_pushboolean(L, cp_check_value(L, 1, "fft", "a")->device->ops->fft->strided);
  return 1;
}

// core.fft_plans([limit [, keep]]): sets how many plans the current device's cache keeps, and drops those
// beyond `keep`. Returns how many there are. The CPU's cache is shared by all states.
static int fft_plans(lua_State *L) {
  cp_device *d = cp_current_device(L);
  cp_stream *s;
  int limit = (int)cp_arg_integer_or(L, 1, "fft.plan_cache", "limit", -1);
  int keep = (int)cp_arg_integer_or(L, 2, "fft.plan_cache", "keep", CP_FFT_PLANS);
  if (d == cp_device_cpu() && (limit >= 0 || keep < CP_FFT_PLANS)) cp_check_shared(L, "fft.plan_cache");
  CP_CHECK(L, "fft.plan_cache", cp_context_stream(&cp_state_get(L)->ctx, d, &s));
  lua_pushinteger(L, d->ops->fft->trim(s, limit, keep));
  return 1;
}

void cp_open_fft(lua_State *L) {
  static const luaL_Reg core[] = {
      {"fft", fft}, {"fft_strided", fft_strided}, {"fft_plans", fft_plans}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
