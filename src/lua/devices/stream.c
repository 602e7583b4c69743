// cp.cuda.Stream: queues of work of one device; on the CPU device they are names of its only queue. The
// functions with, use and callbacks are on the Lua side.
#include "lua/devices/stream.h"
#include "lazy/arrays/close.h"

#include "lua/arguments/args.h"
#include "lua/guards/current.h"
#include "lua/guards/guard.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/current_device.h"
#include "lua/state/unknown.h"
#include "memory/allocator.h"

#include <string.h>

typedef struct boxed_stream {
  cp_stream *stream; // NULL after close
} boxed_stream;

// ---- handles ----------------------------------------------------------------------------------------------

cp_stream *cp_check_stream(lua_State *L, int index, const char *where, const char *argument) {
  const boxed_stream *box = cp_check_object(L, index, CP_KIND_STREAM, where, argument);
  cp_stream *s = box->stream;
  if (s == NULL || s->closed) cp_raise(L, where, CP_EUSAGE, "%s is a stream that was closed", argument);
  return s;
}

void cp_match_stream(lua_State *L, const char *where, const cp_stream *s, const cp_device *device) {
  if (s->device != device)
    cp_raise(L, where, CP_EUSAGE, "the stream belongs to %s, not to %s", s->device->name, device->name);
}

cp_stream *cp_arg_stream(lua_State *L, int index, const char *where, cp_device *device) {
  cp_stream *s;
  if (lua_isnoneornil(L, index)) {
    CP_CHECK(L, where, cp_context_stream(&cp_state_get(L)->ctx, device, &s));
    return s;
  }
  s = cp_check_stream(L, index, where, "stream");
  cp_match_stream(L, where, s, device);
  if (s->context->capture.graph != NULL) CP_CHECK(L, where, cp_context_stream(s->context, device, &s));
  return s;
}

cp_stream *cp_any_stream(lua_State *L, int index, const char *where) {
  bool given = !lua_isnoneornil(L, index);
  cp_device *d = given ? cp_check_stream(L, index, where, "stream")->device : cp_current_device(L);
  return cp_arg_stream(L, index, where, d);
}

static boxed_stream *push_box(lua_State *L) {
  return cp_push_object(L, CP_KIND_STREAM, sizeof(boxed_stream));
}

static int push_stream(lua_State *L, boxed_stream *box, cp_stream *s) {
  (void)L;
  cp_stream_add_handle(s);
  box->stream = s;
  return 1;
}

// ---- creating and finding streams -------------------------------------------------------------------------

// A pointer as Lua passes it, a number or 64-bit cdata.
static uintptr_t read_pointer(lua_State *L, int index, const char *where, const char *argument) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  return (uintptr_t)v;
}

static int read_priority(lua_State *L, int index, cp_device *device) {
  int least = 0, greatest = 0;
  int64_t wanted = cp_arg_integer_or(L, index, "Stream", "priority", 0);
  device->ops->priorities(device, &least, &greatest);
  if (wanted > least) wanted = least;
  return (int)(wanted < greatest ? greatest : wanted);
}

static int push_new(lua_State *L, const char *where, cp_device *device, const cp_stream_options *options) {
  boxed_stream *box = push_box(L);
  CP_CHECK(L, where, cp_context_new_stream(&cp_state_get(L)->ctx, device, options, &box->stream));
  return 1;
}

// core.new_stream{non_blocking=, priority=, ptr=, device=}: a new stream or, with ptr, an external one.
CP_SIGNATURE(Stream, 0, "non_blocking", "priority", "ptr", "device");
static int new_stream(lua_State *L) {
  cp_arguments(L, &Stream_signature);
  cp_device *device = cp_arg_device(L, 4, "Stream");
  cp_stream_options options = {.non_blocking = cp_arg_boolean_or(L, 1, "Stream", "non_blocking", false),
                               .priority = read_priority(L, 2, device),
                               .external = !lua_isnil(L, 3)};
  if (options.external) cp_check_capability(L, "Stream", CUPOLA_POINTERS);
  if (options.external) options.pointer = read_pointer(L, 3, "Stream", "ptr");
  return push_new(L, "Stream", device, &options);
}

// core.external_stream(where, ptr [, device]): an object for a stream that somebody else created. Errors name
// `where`.
static int external_stream(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_stream_options options = {.external = true};
  cp_check_capability(L, where, CUPOLA_POINTERS);
  options.pointer = read_pointer(L, 2, where, "ptr");
  return push_new(L, where, cp_arg_device(L, 3, where), &options);
}

// core.null_stream(): the stream that the current device's work goes to unless another one is chosen.
static int null_stream(lua_State *L) {
  cp_stream *s;
  cp_device *device = cp_current_device(L);
  boxed_stream *box = push_box(L);
  CP_CHECK(L, "Stream", cp_context_own_stream(&cp_state_get(L)->ctx, device, &s));
  return push_stream(L, box, s);
}

// cp.cuda.get_current_stream([device]): the chosen stream of the device.
CP_SIGNATURE(get_current_stream, 0, "device");
static int get_current_stream(lua_State *L) {
  cp_stream *s;
  cp_arguments(L, &get_current_stream_signature);
  cp_device *device = cp_arg_device(L, 1, "get_current_stream");
  boxed_stream *box = push_box(L);
  CP_CHECK(L, "get_current_stream", cp_context_chosen_stream(&cp_state_get(L)->ctx, device, &s));
  return push_stream(L, box, s);
}

// ---- methods ----------------------------------------------------------------------------------------------

static cp_stream *self(lua_State *L, const char *where) { return cp_check_stream(L, 1, where, "argument 1"); }

void cp_launch_pending_of(lua_State *L, const char *where, cp_stream *s) {
  cp_context *ctx = &cp_state_in(L, s->context)->ctx;
  ctx->lazy.caller = where;
  CP_CHECK(L, where, cp_launch_stream(ctx, s));
}

// stream:synchronize(): launches what is pending on the stream and waits for its work.
static int synchronize(lua_State *L) {
  cp_at_most(L, "synchronize", 1);
  cp_stream *s = self(L, "synchronize");
  cp_launch_pending_of(L, "synchronize", s);
  CP_CHECK(L, "synchronize", cp_stream_synchronize(s));
  lua_settop(L, 1);
  return 1;
}

// stream:query(): launches what is pending on the stream. Returns whether all of its work is done.
static int query(lua_State *L) {
  bool done = false;
  cp_at_most(L, "query", 1);
  cp_stream *s = self(L, "query");
  CP_CHECK(L, "query", cp_may_wait(s->context, s->device));
  cp_launch_pending_of(L, "query", s);
  CP_CHECK(L, "query", s->device->ops->stream_query(s, &done));
  lua_pushboolean(L, done);
  return 1;
}

// stream:wait_event(event): work queued on the stream from now on waits for the event.
CP_SIGNATURE(wait_event, 2, "stream", "event");
static int wait_event(lua_State *L) {
  cp_arguments(L, &wait_event_signature);
  cp_stream *s = self(L, "wait_event");
  cp_event *e = cp_check_event(L, 2, "wait_event", "event");
  if (e->device->ops != s->device->ops)
    return cp_raise(L, "wait_event", CP_EUSAGE, "the event belongs to %s, the stream to %s", e->device->name,
                    s->device->name);
  CP_CHECK(L, "wait_event", cp_may_wait(s->context, s->device));
  cp_launch_pending_of(L, "wait_event", s);
  if (e->recorded) CP_CHECK(L, "wait_event", s->device->ops->event_wait(s, e));
  lua_settop(L, 1);
  return 1;
}

// stream:close(): makes this object unusable. For an external stream it waits, and does not touch the stream
// any more.
static int close_stream(lua_State *L) {
  cp_at_most(L, "close", 1);
  boxed_stream *box = cp_check_object(L, 1, CP_KIND_STREAM, "close", "argument 1");
  cp_stream *s = box->stream;
  cp_context *ctx = &cp_state_get(L)->ctx;
  if (s == NULL || s->closed) return 0;
  bool own = s == ctx->streams.own[s->device->id]; // true for a stream that the host program gave
  if (s->options.external && !own && ctx->now.streams[s->device->id] == s)
    return cp_raise(L, "close", CP_EUSAGE,
                    "the stream is the current one; leave the block that uses it first");
  cp_launch_pending_of(L, "close", s);
  box->stream = NULL;
  CP_CHECK(L, "close", cp_stream_close(s));
  return 0;
}

static void end_stream(lua_State *L, void *object) {
  boxed_stream *box = object;
  (void)L;
  if (box->stream != NULL) cp_stream_remove_handle(box->stream);
  box->stream = NULL;
}

static int equal(lua_State *L) {
  const boxed_stream *a = cp_test_object(L, 1, CP_KIND_STREAM), *b = cp_test_object(L, 2, CP_KIND_STREAM);
  lua_pushboolean(L, a != NULL && b != NULL && a->stream != NULL && a->stream == b->stream);
  return 1;
}

static int text(lua_State *L) {
  const boxed_stream *box = cp_check_object(L, 1, CP_KIND_STREAM, "tostring", "argument 1");
  const cp_stream *s = box->stream;
  if (s == NULL)
    lua_pushliteral(L, "closed stream");
  else
    lua_pushfstring(L, "stream %d of %s", s->slot, s->device->name);
  return 1;
}

// stream.FIELD: a method or a property. Upvalue 1 is the table of methods.
static int index_event(lua_State *L) {
  static const char *const fields[] = {"ptr", "device", "priority", "non_blocking", "id", NULL};
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  cp_stream *s = self(L, name);
  if (strcmp(name, "ptr") == 0) cp_check_capability(L, "ptr", CUPOLA_POINTERS);
  if (strcmp(name, "ptr") == 0)
    cp_push_scalar(L, cp_scalar_int((int64_t)s->device->ops->stream_pointer(s), CP_INT64));
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, s->device->name);
  else if (strcmp(name, "priority") == 0)
    lua_pushinteger(L, s->options.priority);
  else if (strcmp(name, "non_blocking") == 0)
    lua_pushboolean(L, s->options.non_blocking);
  else if (strcmp(name, "id") == 0)
    lua_pushinteger(L, s->slot);
  else
    return cp_raise_unknown(L, "Stream", "a stream", name, lua_upvalueindex(1), fields);
  return 1;
}

// ---- choosing streams (streams.lua) -----------------------------------------------------------------------

// The state's stream of this device with the slot, or NULL if there is none.
static cp_stream *known_stream(const cp_context *ctx, lua_Integer slot, const cp_device *device) {
  cp_stream *s = slot >= 0 && slot < ctx->streams.count ? ctx->streams.all[slot] : NULL;
  return s != NULL && s->device == device ? s : NULL;
}

// The device that the value at index 2 names, or that of the stream there, which *stream then is. Called
// first, cp_current_device settles which device is the default.
static cp_device *chosen_at(lua_State *L, const char *where, cp_stream **stream) {
  cp_current_device(L);
  *stream = NULL;
  if (lua_type(L, 2) == LUA_TSTRING) return cp_arg_device(L, 2, where);
  *stream = cp_check_stream(L, 2, where, "argument 1");
  return (*stream)->device;
}

static cp_status launch_on_current(cp_state *s, const char *where) {
  cp_stream *stream;
  s->ctx.lazy.caller = where;
  CP_TRY(cp_context_chosen_stream(&s->ctx, s->ctx.now.device, &stream));
  return cp_launch_stream(&s->ctx, stream);
}

// The guard (guard.h) for a chosen device, stream and allocator, which restores the previous choice.
typedef struct choice_guard {
  cp_guard guard;
  cp_device *device;
  // Slots of the streams; -1: unchanged.
  int slot, slot_before;
  // until_left: the choice holds while a function runs, else until further notice.
  bool until_left, allocates, main;
  unsigned allocator, allocator_before;
  cp_saved_current before;
} choice_guard;
_Static_assert(sizeof(choice_guard) <= CP_GUARD_SIZE, "guards have room");

static void enter_choice(lua_State *L, cp_guard *guard) {
  choice_guard *g = (choice_guard *)guard;
  cp_context *ctx = &g->guard.state->ctx;
  cp_stream *stream = known_stream(ctx, g->slot, g->device);
  cp_demand(L, guard->where, g->slot < 0 || stream != NULL, "the stream was closed");
  if (g->allocates)
    cp_demand(L, guard->where, ctx->memory.host_allocator == 0 && cp_allocator_can_choose(ctx, g->allocator),
              "there is no such allocator, or the host chose another");
  g->main = lua_pushthread(L) == 1;
  lua_pop(L, 1);
  cp_current_enter(L, guard->state, g->device, stream, g->until_left, &g->before);
  if (stream == NULL) g->before.of = NULL;
  g->slot_before = g->before.stream != NULL ? g->before.stream->slot : -1;
  if (!g->allocates) return;
  g->allocator_before = ctx->now.allocator;
  cp_allocator_use(ctx, g->allocator, 1);
  ctx->now.allocator = g->allocator;
}

// Launches what is pending while the choice still holds, so that it takes memory and its place on the stream
// from it.
static cp_status launch_chosen(cp_state *s, cp_guard *g, bool returned) {
  return returned && ((choice_guard *)g)->until_left ? launch_on_current(s, "with") : CP_OK;
}

static void leave_choice(cp_state *s, lua_State *L, cp_guard *guard) {
  choice_guard *g = (choice_guard *)guard;
  cp_saved_current before = g->before;
  cp_context *ctx = &s->ctx;
  if (g->allocates) cp_allocator_use(ctx, L == NULL ? g->allocator_before : ctx->now.allocator, -1);
  if (L == NULL) {
    if (g->main && g->until_left) cp_current_lose(s); // another coroutine's choice goes with that coroutine
    return;
  }
  if (g->allocates) ctx->now.allocator = g->allocator_before;
  if (before.of != NULL) before.stream = known_stream(ctx, g->slot_before, before.of);
  cp_current_leave(L, s, &before, g->until_left);
}

static choice_guard *push_current(lua_State *L, bool until_left) {
  static const cp_guard_kind kind = {.enter = enter_choice, .finish = launch_chosen, .leave = leave_choice};
  cp_stream *s;
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 4);
  cp_device *device = chosen_at(L, where, &s);
  choice_guard *g = cp_push_guard(L, &kind, where);
  g->device = device;
  g->slot = s != NULL ? s->slot : -1;
  g->until_left = until_left;
  return g;
}

// core.choice(where, what[, allocator, pool]): the guard for choosing `what`, a stream (with its device) or a
// device's name, and an allocator by its number. `pool`, the allocator's object, lives as long as the guard.
static int choice(lua_State *L) {
  int64_t number = cp_arg_integer_or(L, 3, "using_allocator", "allocator", 0);
  cp_demand(L, "using_allocator", number >= 0 && number <= UINT32_MAX, "there is no such allocator");
  choice_guard *g = push_current(L, true);
  g->allocates = !lua_isnil(L, 3);
  g->allocator = (unsigned)number;
  if (g->allocates) cp_guard_hold(L, 4);
  return 1;
}

// core.lasting_choice(where, what): a guard like that of core.choice, but the choice holds until further
// notice.
static int lasting_current(lua_State *L) {
  push_current(L, false);
  return 1;
}

// core.launch_current(where): launches what is pending on the current stream of the current device.
static int launch_current(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_current_device(L); // settles which device is the default
  CP_CHECK(L, where, launch_on_current(cp_state_get(L), where));
  return 0;
}

// core.check_stream(value, where, argument): the stream, or an error.
static int check_stream(lua_State *L) {
  cp_check_stream(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3));
  lua_settop(L, 1);
  return 1;
}

void cp_open_stream(lua_State *L) {
  static const luaL_Reg methods[] = {{"synchronize", synchronize},
                                     {"query", query},
                                     {"wait_event", wait_event},
                                     {"close", close_stream},
                                     {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__eq", equal}, {"__tostring", text}, {NULL, NULL}};
  static const luaL_Reg core[] = {{"new_stream", new_stream},
                                  {"external_stream", external_stream},
                                  {"null_stream", null_stream},
                                  {"get_current_stream", get_current_stream},
                                  {"check_stream", check_stream},
                                  {"choice", choice},
                                  {"lasting_choice", lasting_current},
                                  {"launch_current", launch_current},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_STREAM, meta, end_stream);
  lua_createtable(L, 0, 8);
  cp_put_functions(L, -1, methods);
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "stream_methods");
  lua_pushcclosure(L, index_event, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
