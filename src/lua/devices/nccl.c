// Communicators as objects for lua/cupola/devices/nccl.lua: creating them, their fields and checks. Their
// calls are in nccl_run.c, and the work is in the device's functions (routines/collective.h).
#include "lua/devices/nccl.h"
#include "lua/arguments/args.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/unknown.h"

#include "host/sockets.h"

#include <limits.h>
#include <string.h>

typedef struct boxed_comm {
  cp_comm *comm; // NULL once closed
} boxed_comm;

static boxed_comm *test_comm(lua_State *L, int index) { return cp_test_object(L, index, CP_KIND_COMM); }

cp_comm *cp_test_comm(lua_State *L, int index) {
  const boxed_comm *box = test_comm(L, index);
  return box != NULL ? box->comm : NULL;
}

cp_comm *cp_check_comm(lua_State *L, int index, const char *where) {
  const boxed_comm *box = cp_check_object(L, index, CP_KIND_COMM, where, "argument 1");
  if (box->comm == NULL) cp_raise(L, where, CP_EUSAGE, "the communicator was closed");
  return box->comm;
}

static boxed_comm *push_box(lua_State *L) { return cp_push_object(L, CP_KIND_COMM, sizeof(boxed_comm)); }

// ---- creating communicators -------------------------------------------------------------------------------

static double read_timeout(lua_State *L, int index, const char *where) {
  double seconds = cp_arg_number(L, index, where, "timeout");
  if (!(seconds > 0 && seconds < 1e9))
    cp_raise(L, where, CP_EUSAGE, "timeout must be a positive number of seconds");
  return seconds;
}

static int read_count(lua_State *L, int index, const char *where, const char *argument, int64_t least) {
  int64_t v = cp_arg_integer(L, index, where, argument);
  if (v < least || v > INT_MAX / 2)
    cp_raise(L, where, CP_EUSAGE, "%s must be %lld or more, not %lld", argument, (long long)least,
             (long long)v);
  return (int)v;
}

static void read_rank(lua_State *L, int first, const char *where, int *rank, int *size) {
  *size = read_count(L, first + 1, where, "size", 1);
  *rank = read_count(L, first, where, "rank", 0);
  if (*rank >= *size)
    cp_raise(L, where, CP_EUSAGE, "rank %d is out of range for %d ranks, which count from 0", *rank, *size);
}

// core.comm_id(where, device, address or nil): the bytes of a unique id.
static int new_id(lua_State *L) {
  cp_unique_id id;
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_FILES);
  cp_device *d = cp_arg_device(L, 2, where);
  CP_CHECK(L, where, d->ops->collective->unique_id(d, lua_tostring(L, 3), &id));
  lua_pushlstring(L, id.bytes, sizeof id.bytes);
  return 1;
}

// core.comm_join(where, device, id, rank, size, timeout): the communicator of one rank.
static int join(lua_State *L) {
  static const char mark[] = "cupola-tcp ";
  cp_unique_id id;
  int rank, size;
  size_t length = 0;
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_FILES);
  cp_device *d = cp_arg_device(L, 2, where);
  const char *bytes = lua_type(L, 3) == LUA_TSTRING ? lua_tolstring(L, 3, &length) : NULL;
  if (length != sizeof id.bytes)
    return cp_raise(L, where, CP_EUSAGE, "id must be the string of %d bytes that get_unique_id returns",
                    CP_ID_BYTES);
  memcpy(id.bytes, bytes, sizeof id.bytes);
  bool of_cpu = memcmp(bytes, mark, sizeof mark - 1) == 0;
  if (of_cpu != (d == cp_device_cpu()))
    return cp_raise(L, where, CP_EUSAGE, "the id was made for %s, but the device is %s",
                    of_cpu ? "the CPU device" : "GPUs", d->name);
  read_rank(L, 4, where, &rank, &size);
  double timeout = read_timeout(L, 6, where);
  boxed_comm *box = push_box(L);
  CP_CHECK(L, where,
           d->ops->collective->join(&cp_state_get(L)->ctx, d, &id, rank, size, timeout, &box->comm));
  return 1;
}

// core.comm_join_all(where, devices, timeout): a table of all ranks of a new communicator.
static int join_all(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_FILES);
  luaL_checktype(L, 2, LUA_TTABLE);
  int size = (int)lua_rawlen(L, 2);
  double timeout = read_timeout(L, 3, where);
  cp_device **devices = cp_newuserdata(L, (size_t)size * sizeof *devices);
  cp_comm **comms = cp_newuserdata(L, (size_t)size * sizeof *comms);
  for (int r = 0; r < size; r++) {
    lua_rawgeti(L, 2, r + 1);
    devices[r] = cp_arg_device(L, -1, where);
    lua_pop(L, 1);
    if (devices[r]->ops != devices[0]->ops)
      return cp_raise(L, where, CP_EUSAGE, "the devices of a communicator must be of one kind, not %s and %s",
                      devices[0]->name, devices[r]->name);
  }
  lua_createtable(L, size, 0);
  for (int r = 0; r < size; r++) {
    push_box(L);
    lua_rawseti(L, -2, r + 1);
  }
  CP_CHECK(L, where, devices[0]->ops->collective->join_all(size, devices, timeout, comms));
  for (int r = 0; r < size; r++) {
    lua_rawgeti(L, -1, r + 1);
    ((boxed_comm *)lua_touserdata(L, -1))->comm = comms[r];
    lua_pop(L, 1);
  }
  return 1;
}

// core.comm_share(where, address, port, rank, size, timeout, id or nil): sends the id of rank 0, the only
// rank that passes one, to all ranks. Returns the id.
static int share(lua_State *L) {
  cp_unique_id id = {{0}};
  int rank, size;
  size_t length = 0;
  const char *where = luaL_checkstring(L, 1), *address = luaL_checkstring(L, 2);
  cp_check_capability(L, where, CUPOLA_FILES);
  int port = (int)luaL_checkinteger(L, 3);
  read_rank(L, 4, where, &rank, &size);
  const cp_deadline deadline = {cp_clock() + read_timeout(L, 6, where), &cp_state_get(L)->ctx};
  const char *bytes = lua_tolstring(L, 7, &length);
  if (bytes != NULL && length == sizeof id.bytes) memcpy(id.bytes, bytes, length);
  CP_CHECK(L, where, cp_share_bytes(address, port, rank, size, deadline, id.bytes, sizeof id.bytes));
  lua_pushlstring(L, id.bytes, sizeof id.bytes);
  return 1;
}

// ---- communicators as objects -----------------------------------------------------------------------------

// comm.FIELD: a method or a property. Upvalue 1 is the table of methods.
static int index_comm(lua_State *L) {
  static const char *const fields[] = {"closed", "rank", "size", "device", "backend", "timeout", NULL};
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  if (!lua_isnil(L, -1)) return 1;
  const boxed_comm *box = test_comm(L, 1);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  if (box != NULL && strcmp(name, "closed") == 0) {
    lua_pushboolean(L, box->comm == NULL);
    return 1;
  }
  const cp_comm *c = cp_check_comm(L, 1, "nccl");
  if (strcmp(name, "rank") == 0)
    lua_pushinteger(L, c->rank);
  else if (strcmp(name, "size") == 0)
    lua_pushinteger(L, c->size);
  else if (strcmp(name, "device") == 0)
    lua_pushstring(L, c->device->name);
  else if (strcmp(name, "backend") == 0)
    lua_pushstring(L, c->ops->name);
  else if (strcmp(name, "timeout") == 0)
    lua_pushnumber(L, c->timeout);
  else
    return cp_raise_unknown(L, "nccl", "a communicator", name, lua_upvalueindex(1), fields);
  return 1;
}

static int comm_text(lua_State *L) {
  const boxed_comm *box = test_comm(L, 1);
  if (box == NULL || box->comm == NULL)
    lua_pushliteral(L, "closed communicator");
  else
    lua_pushfstring(L, "rank %d of %d on %s", box->comm->rank, box->comm->size, box->comm->device->name);
  return 1;
}

static int close_event(lua_State *L) {
  boxed_comm *box = cp_check_object(L, 1, CP_KIND_COMM, "nccl.close", "argument 1");
  if (box->comm == NULL) return 0;
  cp_comm *c = box->comm;
  if (c->working > 0)
    return cp_raise(L, "nccl.close", CP_EUSAGE, "the communicator is in use by another call");
  cp_status status = c->broken ? CP_OK : cp_context_finish(&cp_state_get(L)->ctx, c->device);
  box->comm = NULL;
  c->ops->leave(c, false);
  CP_CHECK(L, "nccl.close", status);
  return 0;
}

// comm:close(): waits for the work queued on the device and leaves the communicator.
static int close_comm(lua_State *L) {
  cp_at_most(L, "nccl.close", 1);
  return close_event(L);
}

static void end_comm(lua_State *L, void *object) {
  boxed_comm *box = object;
  (void)L;
  if (box->comm != NULL && box->comm->working == 0) box->comm->ops->leave(box->comm, true);
  box->comm = NULL;
}

// core.comm_check(where, comm): raises an error unless the communicator can be used now.
static int check(lua_State *L) {
  cp_stream *stream;
  const char *where = luaL_checkstring(L, 1);
  const cp_comm *c = cp_check_comm(L, 2, where);
  if (c->broken)
    return cp_raise(L, where, CP_EUSAGE,
                    "the communicator cannot be used after a call that failed; make a new one");
  CP_CHECK(L, where, cp_context_stream(&cp_state_get(L)->ctx, c->device, &stream));
  if (stream->capturing)
    return cp_raise(L, where, CP_EUSAGE, "work of a communicator cannot be captured in a graph");
  return 0;
}

// core.comm_combines(where, comm, dtype, op): whether the device combines such elements without conversion.
// Raises an error if no device combines them.
static int combines(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const cp_comm *c = cp_check_comm(L, 2, where);
  cp_dtype t = cp_check_dtype(L, 3, where);
  cp_combination op = cp_read_combination(L, 4, where);
  CP_CHECK(L, where, cp_check_combination(t, op));
  lua_pushboolean(L, c->ops->combines(t, op));
  return 1;
}

// core.nccl_version(where): the version of the NCCL library.
static int version(lua_State *L) {
  int v = 0;
  const char *where = luaL_checkstring(L, 1);
  cp_check_capability(L, where, CUPOLA_FILES);
  CP_CHECK(L, where, cp_nccl_version(&v));
  lua_pushinteger(L, v);
  return 1;
}

void cp_open_nccl(lua_State *L) {
  static const luaL_Reg core[] = {{"comm_id", new_id},         {"comm_join", join},
                                  {"comm_join_all", join_all}, {"comm_share", share},
                                  {"comm_check", check},       {"comm_combines", combines},
                                  {"comm_run", cp_comm_run},   {"comm_try", cp_comm_try},
                                  {"nccl_version", version},   {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__close", close_event}, {"__tostring", comm_text}, {NULL, NULL}};
  cp_define_kind(L, CP_KIND_COMM, meta, end_comm);
  lua_createtable(L, 0, 16);
  lua_pushcfunction(L, close_comm);
  lua_setfield(L, -2, "close");
  lua_pushvalue(L, -1);
  lua_setfield(L, 1, "comm_methods");
  lua_pushcclosure(L, index_comm, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
