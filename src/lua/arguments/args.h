// Arguments of functions: their names, and what stands in their slots.
#ifndef CP_LUA_ARGUMENTS_ARGS_H
#define CP_LUA_ARGUMENTS_ARGS_H

#include "lua/state/error.h"
#include "lua/values/scalar.h"

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

#endif
