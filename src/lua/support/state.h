// What belongs to one lua_State, and what the files of this room share. The state is a userdata in the registry, found again through the address
// of a static key; a lua_State is never stored beyond the call that it runs in.
#ifndef CP_LUA_SUPPORT_STATE_H
#define CP_LUA_SUPPORT_STATE_H

#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"
#include "lazy/evaluation/eval.h"
#include "lazy/evaluation/force.h"
#include "lazy/evaluation/order.h"
#include "lua/support/object.h"
#include "rules/operands.h"

typedef struct cp_state {
  cp_context ctx;
  // What every new array looks at.
  lua_State *running; // set on entry of every binding that may run Lua from the core (generator, collector)
  int branches;       // coroutines with a choice of their own, and active withs of the main one
  int withs;          // the latter
  cp_dtype default_dtype;
  int scopes;                    // that are entered (scope.h)
  int entered;                   // guards that are (guard.h)
  int free_guards, nfree_guards; // reference in the registry: the list of those that serve again
  cp_kind_entry kinds[CP_NKINDS];
  int over;          // reference in the registry: the metatable of objects that were finalised
  uintptr_t *places; // all handles of arrays (places.h)
  uint32_t nplaces, free_place;
  unsigned made;        // handles made since the last young collection
  unsigned step_every;  // how many make the next one
  int collecting;       // > 0 inside a collection or a finalizer: never start another
  cp_status error_kind; // cp.last_error(): kind, where and message of the last failure
  char error_where[64];
  char error_message[CP_ERROR_SIZE];
  bool
      force; // for tests, CUPOLA_FUSION=force: every operator's value is computed at once, by the way of pending values
  // What each coroutine chose to work on (current.h). While `branches` is 0 all share ctx.now.
  cp_current base;
  cp_current *choice; // where ctx.now is kept while another coroutine runs
  lua_State *chooser; // the coroutine that it belongs to, by its address alone
  unsigned serial;
  const struct cp_guard *fusing; // of the fused function that runs
  cp_strbuf trace;               // of trace_sync
  unsigned ranges;               // of profilers, that scripts began
  bool closing, closed;          // closing: no objects are made any more
  unsigned closed_doors;         // CUPOLA_FILES ... of cupola.h
} cp_state;

// Whether L has a state: the module was opened, or options were set.
bool cp_has_state(lua_State *L);
// The state of L, made by luaopen_cupola. Sets running, and what L chose to work on. Raises when it was closed: Lua is closing.
cp_state *cp_state_get(lua_State *L);
// The same without either, for finalizers and tests; NULL when there is none.
cp_state *cp_state_find(lua_State *L);
// The number of a state that opens. With each call, threads look their states up again.
uint64_t cp_state_number(void);
// Makes the value on top, a state's userdata or nil, what L has for its state; pops it.
void cp_state_set(lua_State *L);
// Makes what L chose current, and keeps what was (choice.c).
void cp_current_switch(cp_state *s, lua_State *L);
// The same as cp_state_get by way of the context that a stream or an array's handle names, which is quicker.
static inline cp_state *cp_state_in(lua_State *L, cp_context *context) {
  cp_state *s = (cp_state *)(void *)context; // ctx is its first member
  s->running = L;
  if (s->branches > 0 && s->chooser != L) cp_current_switch(s, L);
  return s;
}
static inline cp_state *cp_state_of(lua_State *L, const cp_array *handle) {
  return cp_state_in(L, handle->context);
}
// The begin and the end (lifetime.c).
void cp_state_open(lua_State *L); // idempotent
void cp_state_drop(lua_State *L); // undoes it, for a state in which nothing was done yet
// The current device; decides the default one at its first call. Raises when CUPOLA_DEVICE names none.
cp_device *cp_current_device(lua_State *L);
// The same for a caller that has the state.
static inline cp_device *cp_state_device(lua_State *L, const cp_state *s) {
  return s->ctx.now.device != NULL ? s->ctx.now.device : cp_current_device(L);
}

// ---- errors (error.c) ----
// Raises "FILE:LINE: cupola.WHERE: fact" at the line of the user's code that led here; never returns. where: the function's public name.
int cp_raise(lua_State *L, const char *where, cp_status kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same with the thread's error record; for a status that is not CP_OK.
int cp_raise_status(lua_State *L, const char *where, cp_status status);
// Raises that `must` does not hold ("axis must be one of the array's"), unless it does: what C relies on where the Lua side has seen to it, as scripts
// may call what the Lua side calls.
void cp_demand(lua_State *L, const char *where, bool fact, const char *must);
#define CP_CHECK(L, where, call)                                                                             \
  do {                                                                                                       \
    cp_status cp_check_status = (call);                                                                      \
    if (cp_check_status != CP_OK) cp_raise_status(L, where, cp_check_status);                                \
  } while (0)
// Raises when the host ends the running call (device/interrupt.h): for long loops of this room, once in CP_POLL_COUNT rounds of some microseconds or less.
enum { CP_POLL_COUNT = 1024 };
void cp_check_interrupt(lua_State *L, const char *where);
// Writes "FILE:LINE: " of the innermost function that is user code; empty when there is none. Raises nothing.
void cp_user_position(lua_State *L, char *buf, size_t size);
// Pushes f with its public name, which errors inside of it have then, and the count values on top as the upvalues behind CP_NAMED_UPVALUES.
enum { CP_NAME_UPVALUE = 1, CP_NAMED_UPVALUES };
void cp_push_named(lua_State *L, const char *name, lua_CFunction f, int count);

// ---- unknown names (unknown.c) ----
// Closest of count names to `name` by edit distance, for "did you mean"; NULL when none is near.
const char *cp_suggest(const char *name, int count, const char *const *names);
// Raises that `what` ("a stream") has no field or method of this name, with the closest one, or with all where those are few (unknown.c). methods: the stack
// index of a table whose keys are names, or 0; fields: more names, behind them NULL, or NULL.
int cp_raise_unknown(lua_State *L, const char *where, const char *what, const char *name, int methods,
                     const char *const *fields);

// ---- doors (door.c) ----
// Raises when the host closed one of these doors, CUPOLA_FILES ... of cupola.h. Every primitive that leads through one begins with it.
void cp_check_capability(lua_State *L, const char *where, unsigned doors);
// Whether one of them is closed, for functions that do without what is behind it.
bool cp_is_denied(lua_State *L, unsigned doors);
// Raises in a confined state (cp_context.budget.confined). Every primitive that changes what other states see begins with it.
void cp_check_shared(lua_State *L, const char *where);

// Raises where the thread's stack is nearly full (depth.c). cp_call: lua_call of what may lead back here, a script's function say.
void cp_check_depth(lua_State *L, const char *where);
void cp_call(lua_State *L, const char *where, int arguments, int results);

// ---- array handles (handle.c) ----
// Pushes a new userdata with the array metatable, placed for ndim dimensions, storage NULL: fill it afterwards. The userdata comes before the
// memory, so nothing leaks when Lua raises.
cp_array *cp_push_array(lua_State *L, int ndim);
// The same for a caller that has the state; on_top: the metatable of arrays is on top of the stack, and stays below.
cp_array *cp_push_handle(lua_State *L, cp_state *s, int ndim, bool on_top);
// Allocates memory for the array on top (layout set) on its device; raises. Registers it with the running scope.
void cp_allocate_pushed(lua_State *L, const char *where, cp_array *a, cp_device *device, cp_dtype dtype);
// A pushed array of this shape in C order with memory of its own (contents undefined).
cp_array *cp_push_new_array(lua_State *L, const char *where, cp_device *device, cp_dtype dtype, int ndim,
                            const int64_t *shape);
cp_array *cp_push_view(lua_State *L, const cp_array *a); // another handle on the same view
// A handle that begins at the first element of the handle a and has no axes yet, for cp_view_axis; there is room for ndim. slot: where an array stands on
// the stack, whose metatable is at hand; 0: nowhere.
cp_array *cp_push_view_of(lua_State *L, const cp_array *a, int slot, int ndim);
// NULL: not an array.
cp_array *cp_find_array(lua_State *L, int index); // by its metatable
static inline cp_array *cp_test_array(lua_State *L, int index) {
  void *handle = lua_touserdata(L, index);
  if (handle == NULL) return NULL;
  return cp_is_known_array(handle) ? handle : cp_find_array(L, index);
}
// The same; the metatable stays on the stack, unless the result is NULL.
static inline cp_array *cp_test_array_kept(lua_State *L, int index) {
  cp_array *a = cp_test_array(L, index);
  return a != NULL && lua_getmetatable(L, index) ? a : NULL;
}
// The array at index or an error that names argument `argument`.
cp_array *cp_check_array(lua_State *L, int index, const char *where, const char *argument);
// The same without forcing a pending array: for those who want its fields or its value as a node.
cp_array *cp_check_value(lua_State *L, int index, const char *where, const char *argument);
// Forces a pending array (and raises use after free); call before reading storage.
void cp_need(lua_State *L, const char *where, cp_array *a);
// x:free(): gives the memory back, or ends the waiting for it.
void cp_free_memory(cp_array *a);
// Launches what is pending on device and no part of something else that is pending; raises (fusion.c).
void cp_launch_pending_on(lua_State *L, const char *where, cp_device *device);
void cp_push_shape(lua_State *L, int ndim, const int64_t *shape); // a table with the shape metatable
// Pushes the value at index as text to be joined with that of `what` ("an array"): a string, a number, or what its __tostring gives. Raises.
void cp_push_joinable(lua_State *L, int index, const char *what);

// ---- arguments (args.c) ----
// Brings the arguments on the stack into fixed slots 1..count, one per name of `names` ("a, b, c=..."-free list), nil where not given:
// positions, then one table of names last, or one table of names alone, or names inside the first argument when it is itself a table (data,
// shape, list), of which a table without names is left then. A dtype name directly after the `required` arguments goes to the slot named "dtype".
// Unknown names are errors with the list of known ones, and so are names in other tables.
typedef struct cp_signature {
  const char *where; // public name
  const char *const *names;
  int count, required;
} cp_signature;
// name_signature: of the function `name`, whose arguments these are. The other one has another public name.
#define CP_SIGNATURE(name, required, ...) CP_SIGNATURE_AS(name, #name, required, __VA_ARGS__)
#define CP_SIGNATURE_AS(name, where, required, ...)                                                          \
  static const char *const name##_names[] = {__VA_ARGS__};                                                   \
  static const cp_signature name##_signature = {where, name##_names,                                         \
                                                sizeof name##_names / sizeof *name##_names, required}
void cp_arguments(lua_State *L, const cp_signature *s);
// The same for those who look at no slot behind the last one that may be given: returns that one's number, and leaves out those behind.
int cp_given_arguments(lua_State *L, const cp_signature *s);
// Raises where there are more arguments than so many: for functions without names.
void cp_at_most(lua_State *L, const char *where, int count);
// Whether the value at index is a table of names: plain, without array part, its keys strings.
bool cp_is_named(lua_State *L, int index);
// Raises that the argument must be one of the choices ("\"a\" or \"b\""), and quotes the value at index, which is none.
void cp_not_among(lua_State *L, const char *where, const char *argument, const char *choices, int index);
// A name among the keys of the table at index, which keeps it; NULL: there is none.
const char *cp_name_in(lua_State *L, int index);
// Whether the value at index is a function or has the metamethod __call.
bool cp_is_callable(lua_State *L, int index);
// Typed access to slot `index`; nil gives `missing` where there is one. All raise errors that name function and argument.
int64_t cp_arg_integer(lua_State *L, int index, const char *where, const char *argument);
int64_t cp_arg_integer_or(lua_State *L, int index, const char *where, const char *argument, int64_t missing);
double cp_arg_number(lua_State *L, int index, const char *where, const char *argument);
bool cp_arg_boolean_or(lua_State *L, int index, const char *where, const char *argument, bool missing);
cp_dtype cp_arg_dtype(lua_State *L, int index, const char *where);    // CP_NDTYPES when nil
cp_dtype cp_check_dtype(lua_State *L, int index, const char *where);  // nil is an error
cp_device *cp_arg_device(lua_State *L, int index, const char *where); // the current one when nil
// A shape: a table of whole numbers or one whole number. Returns ndim.
int cp_arg_shape(lua_State *L, int index, const char *where, const char *argument, int64_t *shape);
// An axis from 1 (negative from the end) to 0-based; ndim is the number of axes there are.
int cp_arg_axis(lua_State *L, int index, const char *where, const char *argument, int ndim);
// nil: all axes; a number or a table of numbers: those. A bit per axis. An array without axes has none, also where its first or last one is named.
uint32_t cp_arg_axes(lua_State *L, int index, const char *where, const char *argument, int ndim);
// Whether the value at index is a whole number (any Lua, LuaJIT's 64-bit cdata and integers of cp.scalar too); gives it.
bool cp_to_integer(lua_State *L, int index, int64_t *v);
// The address that LuaJIT's cdata stands for, a pointer, an array or a 64-bit integer; false for all else.
bool cp_cdata_to_address(lua_State *L, int index, int64_t *v);
// cp_to_integer but for cp.scalar, for a caller that knows the value's type.
bool cp_cdata_to_integer(lua_State *L, int index, int64_t *v);
static inline bool cp_is_integer_of(lua_State *L, int type, int index, int64_t *v) {
  if (type != LUA_TNUMBER) return type == CP_LUA_TCDATA && cp_cdata_to_integer(L, index, v);
#if LUA_VERSION_NUM >= 503
  int whole;
  *v = (int64_t)lua_tointegerx(L, index, &whole);
  return whole != 0;
#else
  double d = lua_tonumber(L, index);
  if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0)) return false;
  *v = (int64_t)d;
  return (double)*v == d;
#endif
}

// ---- scalars (scalar.c) ----
// A userdata of one typed value: cp.complex (weak in promotion) and cp.scalar (strong).
typedef struct cp_boxed {
  cp_scalar s;
  bool weak;
} cp_boxed;
cp_boxed *cp_test_boxed(lua_State *L, int index);
void cp_push_boxed(lua_State *L, cp_scalar s, bool weak);
// Pushes a value as Lua sees it: number, boolean, cp.complex, 64-bit integers by API.md section 1.
void cp_push_scalar(lua_State *L, cp_scalar s);
// Reads a Lua number, boolean, boxed value or 64-bit cdata. *kind: 'b' boolean, 'i' whole number (int64 or uint64 by dtype), 'f' other number,
// 'c' complex. weak: false for cp.scalar. false when the value is none of these.
bool cp_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind, bool *weak);
// The dtype of an array of such a value alone.
static inline cp_dtype cp_dtype_alone(lua_State *L, cp_scalar s, char kind, bool weak) {
  return weak ? cp_weak_dtype(cp_weak_of(kind), CP_NDTYPES, cp_state_get(L)->default_dtype) : s.dtype;
}
// The same of a Lua number.
void cp_number_to_scalar(lua_State *L, int index, cp_scalar *s, char *kind);

// ---- operands (operand.c) ----
// Lua values as operands of elementwise work, in two steps so that nothing leaks: reading checks and converts and may raise, but holds nothing
// outside Lua; making nodes never raises. Between the two comes the result's userdata.
// Reads the values at stack slots first..first+count-1. Tables are replaced on the stack by arrays. A number that does
// not fit the strong dtype is an error, unless CP_BY_VALUE is set. May leave values on the stack; with fast_ok the arrays' metatable is
// on top.
void cp_read_operands(lua_State *L, const cp_reading *r, int first, int count, cp_operands *o);

// ---- conversion of tables (convert.c) ----
// Pushes a new array on device made from the table (nested tables of numbers, booleans, boxed, cdata, equal-shaped arrays) at index. dtype CP_NDTYPES: by
// the rules of API.md section 1; like: weak dtype of the array it is combined with (CP_NDTYPES: none), for a table operand.
cp_array *cp_push_from_table(lua_State *L, const char *where, int index, cp_dtype dtype, cp_dtype like,
                             cp_device *device);
// The same for an operand beside arrays of dtype like. by_value: it is compared with them, so numbers that do not fit like take the default dtype.
// Adds its dtype to those that are promoted, unless like is of integers and bare numbers stand in the table that these cannot hold: what such
// numbers are (CP_WEAK_...) is returned instead, as they bring the integers to their dtype.
int cp_push_operand_table(lua_State *L, const char *where, int index, cp_dtype like, bool by_value,
                          cp_device *device, cp_dtype_set *dtypes);
// Host copy of an array's elements in C order, as memory of a pushed userdata.
void *cp_push_host_copy(lua_State *L, const char *where, cp_array *a);

// ---- assignment and evaluation (assign.c) ----
// Brings a number that is to be written into dtype t to t: a bare number keeps t where it is a value of t; others must be of t's kind. Raises.
void cp_check_scalar_for(lua_State *L, const char *where, cp_dtype t, char kind, bool weak, cp_scalar *s);
// Writes the Lua value at index (array, number, table, boxed) into target; raises.
void cp_assign_value(lua_State *L, const char *where, cp_array *target, int index);
// The pushed array `a` (placed for root->ndim dimensions or more) waits for the value of root, whose reference is taken; with fusion off, and for
// memory that others may change, the value is computed now. Never raises.
cp_status cp_give(cp_array *a, cp_node *root);
// A new C-order copy of a on the stack.
cp_array *cp_push_copy(lua_State *L, const char *where, cp_array *a, char order);

#endif
