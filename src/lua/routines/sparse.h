// What the bindings of work with sparse matrices share: reading the vectors that a matrix consists of.
#ifndef CP_LUA_ROUTINES_SPARSE_H
#define CP_LUA_ROUTINES_SPARSE_H

#include "lua/state/state.h"
#include "lua/values/handle.h"
#include "routines/sparse.h"

// The arrays of a matrix on the stack.
typedef struct cp_sparse_matrix {
  cp_array *starts, *columns, *values; // the last two may be NULL
  cp_sparse_layout m;
} cp_sparse_matrix;

// The vector at stack index `slot`, computed and contiguous.
cp_array *cp_take_sparse_vector(lua_State *L, int slot, const char *where, const char *name);
// Begins a matrix with the starts at stack index `slot`.
void cp_take_sparse_starts(lua_State *L, int slot, const char *where, cp_sparse_matrix *x);
// Adds the columns at stack index `slot`, of which there are `columns`.
void cp_take_sparse_columns(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x);
// Adds the values at stack index `slot`, of a dtype that products have.
void cp_take_sparse_values(lua_State *L, int slot, const char *where, cp_sparse_matrix *x);
// Reads a matrix with values whose three arrays are at stack index `slot` and behind.
void cp_take_sparse_operand(lua_State *L, int slot, const char *where, int64_t columns, cp_sparse_matrix *x);
// Once the matrix's arrays are open.
void cp_address_sparse(cp_sparse_matrix *x);
// Gives the array of a handle, which has one axis, memory for `size` elements.
cp_status cp_allocate_sparse_vector(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype t,
                                    int64_t size);
// Pushes a new vector of `n` elements on the device of `beside`.
static inline cp_array *cp_push_sparse_vector(lua_State *L, const char *where, const cp_array *beside,
                                              cp_dtype t, int64_t n) {
  return cp_push_new_array(L, where, beside->device, t, 1, &n);
}
// The address of an open array; NULL for none.
static inline void *cp_address_or_null(const cp_array *x) { return x != NULL ? cp_address(x) : NULL; }
// Raises an error unless products of this dtype can be computed.
void cp_demand_sparse_dtype(lua_State *L, const char *where, cp_dtype dtype);

#endif
