// cp.cuda.Event: marks in a device's queue of work, for timing. On the CPU device an event reads the host's clock.
#include "lua/module.h"

static const char event_key = 0; // registry: metatable

typedef struct boxed_event {
  cp_device *device;
  cp_event *event; // NULL after close
} boxed_event;

static boxed_event *check(lua_State *L, int index, const char *where) {
  boxed_event *e = lua_touserdata(L, index);
  bool right = false;
  if (e != NULL && lua_getmetatable(L, index)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &event_key);
    right = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
  }
  if (!right || e->event == NULL)
    cp_raise(L, where, CP_EUSAGE, "argument %d must be an event, not %s", index, luaL_typename(L, index));
  return e;
}

// cp.cuda.Event([device])
static int new_event(lua_State *L) {
  cp_device *d = cp_arg_device(L, 1, "Event");
  boxed_event *e = cp_newuserdata(L, sizeof *e);
  e->device = d;
  e->event = NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &event_key);
  lua_setmetatable(L, -2);
  CP_CHECK(L, "Event", d->ops->event_create(d, &e->event));
  return 1;
}

// event:record(): launches what is pending on the event's device and marks this state's queue there.
static int record(lua_State *L) {
  boxed_event *e = check(L, 1, "record");
  cp_stream *s;
  cp_launch_pending_on(L, "record", e->device);
  CP_CHECK(L, "record", cp_context_stream(&cp_state_get(L)->ctx, e->device, &s));
  CP_CHECK(L, "record", e->device->ops->event_record(s, e->event));
  lua_settop(L, 1);
  return 1;
}

// event:synchronize(): waits until the marked work is done.
static int synchronize(lua_State *L) {
  boxed_event *e = check(L, 1, "synchronize");
  cp_state_get(L)->ctx.counters.synchronizations++;
  CP_CHECK(L, "synchronize", e->device->ops->event_synchronize(e->device, e->event));
  lua_settop(L, 1);
  return 1;
}

// cp.cuda.get_elapsed_time(start, finish): milliseconds between two recorded events.
static int elapsed(lua_State *L) {
  boxed_event *a = check(L, 1, "get_elapsed_time"), *b = check(L, 2, "get_elapsed_time");
  double ms = 0;
  if (a->device != b->device)
    return cp_raise(L, "get_elapsed_time", CP_EUSAGE, "the events are of %s and %s", a->device->name,
                    b->device->name);
  CP_CHECK(L, "get_elapsed_time", a->device->ops->event_elapsed(a->device, a->event, b->event, &ms));
  lua_pushnumber(L, ms);
  return 1;
}

static int close_event(lua_State *L) {
  boxed_event *e = lua_touserdata(L, 1);
  if (e == NULL || e->event == NULL) return 0;
  e->device->ops->event_destroy(e->device, e->event);
  e->event = NULL;
  return 0;
}

void cp_open_event(lua_State *L) {
  static const luaL_Reg methods[] = {{"record", record}, {"synchronize", synchronize}, {NULL, NULL}};
  lua_createtable(L, 0, 4);
  lua_createtable(L, 0, 2);
  cp_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, close_event);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "cupola.event");
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &event_key);
  lua_pushcfunction(L, new_event);
  lua_setfield(L, 1, "Event");
  lua_pushcfunction(L, elapsed);
  lua_setfield(L, 1, "get_elapsed_time");
}
