// The arguments of a function: bringing them into slots by position and name, and reading them by type
// (typed.c). All errors name the function and the argument.
#ifndef CP_LUA_ARGUMENTS_ARGS_H
#define CP_LUA_ARGUMENTS_ARGS_H

#include "lua/state/error.h"
#include "lua/values/scalar.h"

// cp_arguments brings the arguments on the stack into fixed slots 1..count, one for each of `names`, nil
// where not given. Values may be given by position, followed by one table of names; by one table of names
// alone; or by names inside a first argument that is itself a table (data, shape, list), of which a table
// without names is left. The name of a dtype directly after the `required` arguments goes to the slot named
// "dtype". An unknown name is an error that lists the known ones; names in other tables are errors too.
typedef struct cp_signature {
  const char *where; // public name
  const char *const *names;
  int count, required;
} cp_signature;
// Defines name_signature for the public function `name`, or for one with another public name, `where`.
#define CP_SIGNATURE(name, required, ...) CP_SIGNATURE_AS(name, #name, required, __VA_ARGS__)
#define CP_SIGNATURE_AS(name, where, required, ...)                                                          \
  static const char *const name##_names[] = {__VA_ARGS__};                                                   \
  static const cp_signature name##_signature = {where, name##_names,                                         \
                                                sizeof name##_names / sizeof *name##_names, required}
void cp_arguments(lua_State *L, const cp_signature *s);
// cp_arguments for functions that read no slot after the last one that may be given: returns the number of
// that slot, and does not fill those after it.
int cp_given_arguments(lua_State *L, const cp_signature *s);
// Raises an error if there are more arguments than `count`; for functions without named arguments.
void cp_at_most(lua_State *L, const char *where, int count);
// Whether the value at index is a table of names: without metatable and array part, and with a string as key.
bool cp_is_named(lua_State *L, int index);
// Raises the error that the argument must be one of the choices ("\"a\" or \"b\""), quoting the value at
// index.
void cp_not_among(lua_State *L, const char *where, const char *argument, const char *choices, int index);
// A string among the keys of the table at index, which keeps it, or NULL.
const char *cp_name_in(lua_State *L, int index);
// Whether the value at index is a function or has the metamethod __call.
bool cp_is_callable(lua_State *L, int index);
// The value at slot `index` as a type. If it is nil the result is `missing`, where there is such a parameter.
int64_t cp_arg_integer(lua_State *L, int index, const char *where, const char *argument);
int64_t cp_arg_integer_or(lua_State *L, int index, const char *where, const char *argument, int64_t missing);
double cp_arg_number(lua_State *L, int index, const char *where, const char *argument);
bool cp_arg_boolean_or(lua_State *L, int index, const char *where, const char *argument, bool missing);
cp_dtype cp_arg_dtype(lua_State *L, int index, const char *where);    // CP_NDTYPES when nil
cp_dtype cp_check_dtype(lua_State *L, int index, const char *where);  // nil is an error
cp_device *cp_arg_device(lua_State *L, int index, const char *where); // the current one when nil
// The rule for casts: "no", "equiv", "safe", "same_kind" or "unsafe".
cp_casting cp_arg_casting(lua_State *L, int index, const char *where, cp_casting missing);
// Reads a shape: a table of whole numbers, or one whole number. Returns ndim.
int cp_arg_shape(lua_State *L, int index, const char *where, const char *argument, int64_t *shape);
// Converts an axis, counted from 1 (or negative from the end), to one counted from 0; ndim is the number of
// axes.
int cp_arg_axis(lua_State *L, int index, const char *where, const char *argument, int ndim);
// A bit for each axis: all for nil, else those in a number or a table of numbers. An array without axes gives
// 0, even if its first or last axis is named.
uint32_t cp_arg_axes(lua_State *L, int index, const char *where, const char *argument, int ndim);

#endif
