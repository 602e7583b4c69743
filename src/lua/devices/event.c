// cp.cuda.Event: marks in a stream's queue of work, for timing and for waiting. On the CPU device an event
// reads the host's clock.
#include "device/runtime.h"
#include "lua/arguments/args.h"
#include "lua/devices/stream.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/unknown.h"

#include <string.h>

typedef struct boxed_event {
  cp_event *event; // NULL if creating it failed
} boxed_event;

cp_event *cp_check_event(lua_State *L, int index, const char *where, const char *argument) {
  const boxed_event *e = cp_check_object(L, index, CP_KIND_EVENT, where, argument);
  if (e->event == NULL)
    cp_raise(L, where, CP_EUSAGE, "%s is an event that was destroyed or could not be made", argument);
  return e->event;
}

static cp_event *self(lua_State *L, const char *where) { return cp_check_event(L, 1, where, "argument 1"); }

// cp.cuda.Event([device][, timing][, blocking]): a new event.
CP_SIGNATURE(Event, 0, "device", "timing", "blocking");
static int new_event(lua_State *L) {
  cp_arguments(L, &Event_signature);
  cp_device *d = cp_arg_device(L, 1, "Event");
  bool timing = cp_arg_boolean_or(L, 2, "Event", "timing", true);
  bool blocking = cp_arg_boolean_or(L, 3, "Event", "blocking", false);
  boxed_event *e = cp_push_object(L, CP_KIND_EVENT, sizeof *e);
  CP_CHECK(L, "Event", cp_context_new_event(&cp_state_get(L)->ctx, d, timing, blocking, &e->event));
  return 1;
}

// core.shared_event(where, device, blocking[, handle]): a new event that other processes may use, or the
// event of another process.
static int shared_event(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *handle = NULL;
  size_t size = 0;
  cp_device *d;
  cp_check_capability(L, where, CUPOLA_POINTERS);
  CP_CHECK(L, where, cp_device_find(luaL_checkstring(L, 2), &d));
  if (d->ops->runtime->event_create == NULL)
    return cp_raise(L, where, CP_EUSAGE, "events for several processes are for GPUs, but the device is %s",
                    d->name);
  if (!lua_isnoneornil(L, 4)) {
    handle = lua_type(L, 4) == LUA_TSTRING ? lua_tolstring(L, 4, &size) : NULL;
    if (size != CP_IPC_BYTES)
      return cp_raise(L, where, CP_EUSAGE, "handle must be a string of %d bytes, as another process got it",
                      CP_IPC_BYTES);
  }
  boxed_event *e = cp_push_object(L, CP_KIND_EVENT, sizeof *e);
  CP_CHECK(L, where, cp_context_open_event(&cp_state_get(L)->ctx, d, lua_toboolean(L, 3), handle, &e->event));
  return 1;
}

// event:record([stream]): launches what is pending on the stream (default: the current one of the event's
// device) and marks the point that it has reached.
CP_SIGNATURE(record, 1, "event", "stream");
static int record(lua_State *L) {
  cp_arguments(L, &record_signature);
  cp_event *e = self(L, "record");
  cp_stream *s = cp_arg_stream(L, 2, "record", e->device);
  CP_CHECK(L, "record", cp_may_wait(&cp_state_get(L)->ctx, e->device));
  cp_launch_pending_of(L, "record", s);
  CP_CHECK(L, "record", e->device->ops->event_record(s, e));
  e->recorded = true;
  lua_settop(L, 1);
  return 1;
}

// event:synchronize(): waits until the marked work is done. Before the first record it does not wait, as in
// CUDA.
static int synchronize(lua_State *L) {
  cp_at_most(L, "synchronize", 1);
  cp_event *e = self(L, "synchronize");
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = "synchronize";
  CP_CHECK(L, "synchronize", cp_may_wait(ctx, e->device));
  if (e->recorded) CP_CHECK(L, "synchronize", cp_event_synchronize(ctx, e));
  lua_settop(L, 1);
  return 1;
}

// event:query(): whether the marked work is done. Before the first record it is, as in CUDA.
static int query(lua_State *L) {
  bool done = true;
  cp_at_most(L, "query", 1);
  cp_event *e = self(L, "query");
  CP_CHECK(L, "query", cp_may_wait(&cp_state_get(L)->ctx, e->device));
  if (e->recorded) CP_CHECK(L, "query", e->device->ops->event_query(e->device, e, &done));
  lua_pushboolean(L, done);
  return 1;
}

static void check_timed(lua_State *L, const cp_event *e, const char *argument) {
  if (!e->timing) cp_raise(L, "get_elapsed_time", CP_EUSAGE, "%s was made with timing = false", argument);
  if (!e->recorded) cp_raise(L, "get_elapsed_time", CP_EUSAGE, "%s was not recorded", argument);
}

// cp.cuda.get_elapsed_time(start, finish): the milliseconds between two recorded events.
CP_SIGNATURE(get_elapsed_time, 2, "start", "finish");
static int elapsed(lua_State *L) {
  cp_arguments(L, &get_elapsed_time_signature);
  cp_event *a = cp_check_event(L, 1, "get_elapsed_time", "start");
  cp_event *b = cp_check_event(L, 2, "get_elapsed_time", "finish");
  double ms = 0;
  check_timed(L, a, "start");
  check_timed(L, b, "finish");
  if (a->device != b->device)
    return cp_raise(L, "get_elapsed_time", CP_EUSAGE, "the events belong to %s and %s", a->device->name,
                    b->device->name);
  cp_context *ctx = &cp_state_get(L)->ctx;
  ctx->lazy.caller = "get_elapsed_time";
  CP_CHECK(L, "get_elapsed_time", cp_may_wait(ctx, a->device));
  double begin = ctx->hooks.sync_note != NULL ? cp_clock() : 0;
  cp_status status = a->device->ops->event_elapsed(a->device, a, b, &ms);
  cp_sync_end(ctx, begin);
  CP_CHECK(L, "get_elapsed_time", status);
  lua_pushnumber(L, ms);
  return 1;
}

// Finalizers must not call the driver, so the event is destroyed later.
static void end_event(lua_State *L, void *object) {
  boxed_event *e = object;
  if (e->event != NULL) cp_context_leave_event(&cp_state_find(L)->ctx, e->event);
  e->event = NULL;
}

// core.event_destroy(event, where): gives the event up before its object is collected.
static int event_destroy(lua_State *L) {
  (void)cp_check_event(L, 1, luaL_checkstring(L, 2), "event");
  end_event(L, cp_check_object(L, 1, CP_KIND_EVENT, luaL_checkstring(L, 2), "event"));
  return 0;
}

// event.FIELD: a method or a property. Upvalue 1 is the table of methods.
static int index_event(lua_State *L) {
  static const char *const fields[] = {"ptr", "device", "timing", NULL};
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  cp_event *e = self(L, name);
  if (strcmp(name, "ptr") == 0) cp_check_capability(L, "ptr", CUPOLA_POINTERS);
  if (strcmp(name, "ptr") == 0)
    cp_push_scalar(L, cp_scalar_int((int64_t)e->device->ops->event_pointer(e), CP_INT64));
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, e->device->name);
  else if (strcmp(name, "timing") == 0)
    lua_pushboolean(L, e->timing);
  else
    return cp_raise_unknown(L, "Event", "an event", name, lua_upvalueindex(1), fields);
  return 1;
}

static int event_text(lua_State *L) {
  lua_pushfstring(L, "event of %s", self(L, "tostring")->device->name);
  return 1;
}

// core.check_event(value, where, argument): the event, or an error.
static int check_event(lua_State *L) {
  cp_check_event(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3));
  lua_settop(L, 1);
  return 1;
}

void cp_open_event(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"record", record}, {"synchronize", synchronize}, {"query", query}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__tostring", event_text}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_EVENT, meta, end_event);
  lua_createtable(L, 0, 4);
  cp_put_functions(L, -1, methods);
  lua_pushcclosure(L, index_event, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushcfunction(L, new_event);
  lua_setfield(L, 1, "Event");
  lua_pushcfunction(L, elapsed);
  lua_setfield(L, 1, "get_elapsed_time");
  lua_pushcfunction(L, check_event);
  lua_setfield(L, 1, "check_event");
  lua_pushcfunction(L, shared_event);
  lua_setfield(L, 1, "shared_event");
  lua_pushcfunction(L, event_destroy);
  lua_setfield(L, 1, "event_destroy");
}
