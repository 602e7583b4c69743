// The functions of cupola.h: options, arrays from and for the host, waiting and collecting.
#include "devices.h"
#include "lua/state/module.h"

#include "array/dlpack.h"
#include "lua/conversion/exchange.h"
#include "lua/elementwise/fusion.h"
#include "lua/objects/lifetime.h"
#include "lua/state/current_device.h"
#include "lua/values/handle.h"
#include "memory/allocator.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int cupola_api_version(void) { return CUPOLA_API_VERSION; }

// ---- options ----------------------------------------------------------------------------------------------

// Sizes in the first version of the interface; later versions only append fields.
enum { OPTIONS_SIZE = offsetof(cupola_options, handles), VIEW_SIZE = sizeof(cupola_view) };

#define HAS_FIELD(options, field)                                                                            \
  ((options)->size >= offsetof(cupola_options, field) + sizeof((options)->field))

// Opens the devices in the contexts of the list.
static cp_status open_devices(const cupola_handles *list) {
  for (const cupola_handles *h = list; h != NULL; h = h->next) {
    cp_device *d;
    if (h->size < sizeof *h)
      return cp_fail(CP_EUSAGE, "cupola_handles.size has an unknown value; set it to sizeof(cupola_handles)");
    if (h->device == NULL) return cp_fail(CP_EUSAGE, "cupola_handles.device is NULL");
    CP_TRY(cp_device_find_in(h->device, h->context, &d));
  }
  return CP_OK;
}

static cp_status borrow_streams(cp_context *ctx, const cupola_handles *list) {
  for (const cupola_handles *h = list; h != NULL; h = h->next) {
    cp_device *d;
    CP_TRY(cp_device_find(h->device, &d));
    if (h->stream != NULL) CP_TRY(cp_context_borrow_stream(ctx, d, (uintptr_t)h->stream));
  }
  return CP_OK;
}

// A memory source that calls the host's functions. It is never freed, since a tensor may outlive the state.
typedef struct host_memory {
  cupola_allocator functions;
  struct host_memory *next;
} host_memory;

static cp_status host_allocate(void *data, cp_device *d, cp_stream *s, cp_block *b) {
  const cupola_allocator *f = &((const host_memory *)data)->functions;
  b->pointer = f->allocate(f->user, d->name, b->size, (void *)d->ops->stream_pointer(s));
  if (b->pointer == NULL) return CP_EMEMORY;
  if ((uintptr_t)b->pointer % 64 == 0) return CP_OK;
  f->free(f->user, d->name, b->pointer, b->size);
  return cp_fail(CP_EUSAGE, "the host's allocator gave memory that is not aligned to 64 bytes");
}

static void host_free(void *data, cp_device *d, cp_block *b) {
  const cupola_allocator *f = &((const host_memory *)data)->functions;
  f->free(f->user, d->name, b->pointer, b->size);
}

static const cp_memory_source host_source = {.name = "host", .allocate = host_allocate, .release = host_free};

static cp_status use_allocator(cp_context *ctx, const cupola_allocator *functions) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static host_memory *all;
  if (functions == NULL) return CP_OK;
  if (functions->size < sizeof *functions)
    return cp_fail(CP_EUSAGE,
                   "cupola_allocator.size has an unknown value; set it to sizeof(cupola_allocator)");
  if (functions->allocate == NULL || functions->free == NULL)
    return cp_fail(CP_EUSAGE, "cupola_allocator needs allocate and free");
  host_memory *m = malloc(sizeof *m);
  cp_allocator *a = m != NULL ? cp_allocator_new(ctx, &host_source, m, functions->direct != 0) : NULL;
  if (a == NULL) {
    free(m);
    return cp_no_memory(NULL);
  }
  ctx->now.allocator = ctx->memory.host_allocator = a->number;
  m->functions = *functions;
  pthread_mutex_lock(&lock);
  m->next = all;
  all = m;
  pthread_mutex_unlock(&lock);
  return CP_OK;
}

static void set_interrupt(cp_context *ctx, const cupola_options *options) {
  if (HAS_FIELD(options, interrupt_user)) {
    ctx->interrupt.ask = options->interrupt;
    ctx->interrupt.user = options->interrupt_user;
  }
  double seconds = HAS_FIELD(options, longest_piece) ? options->longest_piece : 0;
  ctx->interrupt.longest_piece = seconds > 0 ? seconds : ctx->budget.confined ? 1 : INFINITY;
}

const char *cupola_configure(lua_State *L, const cupola_options *options) {
  if (options == NULL || options->size < OPTIONS_SIZE)
    return "cupola_options.size has an unknown value; set it to sizeof(cupola_options)";
  if (cp_has_state(L))
    return "the module is open already, or options were set; set them once, before luaopen_cupola";
  cp_device *d = NULL;
  const cupola_handles *handles = HAS_FIELD(options, handles) ? options->handles : NULL;
  if (cp_register_devices() != CP_OK || open_devices(handles) != CP_OK) return cp_error_text();
  if (options->device != NULL && cp_device_find(options->device, &d) != CP_OK) return cp_error_text();
  cp_state_open(L);
  cp_state *s = cp_state_get(L);
  const cupola_allocator *allocator = HAS_FIELD(options, allocator) ? options->allocator : NULL;
  if (borrow_streams(&s->ctx, handles) != CP_OK || use_allocator(&s->ctx, allocator) != CP_OK) {
    cp_state_drop(L);
    return cp_error_text();
  }
  s->ctx.now.device = d;
  s->ctx.budget.limit = (size_t)options->memory_limit;
  s->closed_doors = options->closed_doors;
  s->ctx.budget.confined = options->closed_doors != 0;
  set_interrupt(&s->ctx, options);
  return NULL;
}

// ---- arrays out -------------------------------------------------------------------------------------------

static void check_size(lua_State *L, const char *where, const cupola_view *view) {
  if (view == NULL || view->size < VIEW_SIZE)
    cp_raise(L, where, CP_EUSAGE, "cupola_view.size has an unknown value; set it to sizeof(cupola_view)");
}

// The stream on which the host may use the array: the current one, after it was made to wait for other
// streams that used the array.
static void *stream_of(lua_State *L, const char *where, const cp_array *a) {
  cp_stream *s;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (a->device == cp_device_cpu()) return NULL;
  CP_CHECK(L, where, cp_context_stream(ctx, a->device, &s));
  CP_CHECK(L, where, cp_before_write(ctx, s, a->storage->buffer));
  return (void *)a->device->ops->stream_pointer(s);
}

static void fill_view(lua_State *L, const char *where, cp_array *a, cupola_view *view) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  char *data = NULL;
  check_size(L, where, view);
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_expose(ctx, a, CP_EXPOSED_POINTER));
  CP_CHECK(L, where, cp_array_pointer(a, &data));
  view->data = data;
  view->dtype = cp_dtypes[a->dtype].name;
  view->device = a->device->name;
  view->ndim = a->ndim;
  view->shape = a->shape;
  view->strides = a->strides;
  view->readonly = a->readonly;
  view->stream = stream_of(L, where, a);
}

int cupola_test(lua_State *L, int index, cupola_view *view) {
  cp_array *a = cp_test_array(L, index);
  if (a == NULL) return 0;
  if (view != NULL) fill_view(L, "cupola_test", a, view);
  return 1;
}

void cupola_check(lua_State *L, int argument, cupola_view *view) {
  cp_array *a = cp_test_array(L, argument);
  if (a == NULL) {
    const char *text = lua_pushfstring(L, "cupola array expected, got %s", luaL_typename(L, argument));
    luaL_argerror(L, argument, text);
    return;
  }
  fill_view(L, "cupola_check", a, view);
}

// ---- arrays in --------------------------------------------------------------------------------------------

// Pushes an array without memory, with the view's dtype, shape and device, in C order.
static cp_array *push_described(lua_State *L, const char *where, const cupola_view *view) {
  cp_device *device = NULL;
  check_size(L, where, view);
  cp_dtype t = view->dtype != NULL ? cp_dtype_from_name(view->dtype) : CP_NDTYPES;
  if (t == CP_NDTYPES)
    cp_raise(L, where, CP_EDTYPE, "unknown dtype %s", view->dtype != NULL ? view->dtype : "NULL");
  if (view->ndim < 0 || view->ndim > CP_MAXDIM || (view->ndim > 0 && view->shape == NULL))
    cp_raise(L, where, CP_ESHAPE, "%d dimensions%s", view->ndim,
             view->shape == NULL ? " without lengths" : "");
  if (view->device == NULL)
    device = cp_current_device(L);
  else
    CP_CHECK(L, where, cp_device_find(view->device, &device));
  cp_array *a = cp_push_array(L, view->ndim);
  CP_CHECK(L, where, cp_array_layout(a, t, view->ndim, view->shape, 'C'));
  a->device = device;
  return a;
}

void cupola_wrap(lua_State *L, const cupola_view *view, void (*release)(void *owner), void *owner) {
  cp_array *a = push_described(L, "cupola_wrap", view);
  if (view->data == NULL && a->size > 0) cp_raise(L, "cupola_wrap", CP_EUSAGE, "data is NULL");
  for (int d = 0; d < view->ndim && view->strides != NULL; d++) a->strides[d] = view->strides[d];
  CP_CHECK(L, "cupola_wrap", cp_array_borrow(&cp_state_get(L)->ctx, a, view->data, release, owner));
  a->readonly = view->readonly != 0;
}

void cupola_new(lua_State *L, cupola_view *view) {
  cp_array *a = push_described(L, "cupola_new", view);
  cp_allocate_pushed(L, "cupola_new", a, a->device, a->dtype);
  fill_view(L, "cupola_new", a, view);
}

struct DLManagedTensor *cupola_to_dlpack(lua_State *L, int index) {
  cp_array *a = cp_check_array(L, index, "cupola_to_dlpack", "the value");
  return cp_export_array(L, "cupola_to_dlpack", a, false).plain;
}

void cupola_from_dlpack(lua_State *L, struct DLManagedTensor *tensor) {
  cp_push_dlpack(L, "cupola_from_dlpack", (cp_tensor){.plain = tensor});
}

// ---- time and memory --------------------------------------------------------------------------------------

void cupola_flush(lua_State *L) { cp_launch_pending_on(L, "cupola_flush", NULL); }

void cupola_synchronize(lua_State *L) {
  cp_launch_pending_on(L, "cupola_synchronize", NULL);
  cp_context *ctx = &cp_state_get(L)->ctx;
  CP_CHECK(L, "cupola_synchronize", cp_context_synchronize(ctx, NULL));
  cp_release_borrowed(ctx);
}

void cupola_collect(lua_State *L) {
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->hooks.collect(ctx->hooks.collect_data, true);
  cp_release_borrowed(ctx);
}
