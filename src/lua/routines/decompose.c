// core.decompose: calls a function of the device's LAPACK (routines/solver.h) on arrays that
// lua/cupola/linalg/decompositions.lua has made for it. Everything that the solver relies on is checked here.
#include "device/interrupt.h"
#include "routines/cost.h"

#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef cp_status solver_function(cp_context *ctx, cp_stream *s, cp_solver_call *c);

typedef enum method {
  LU,
  LU_SOLVE,
  TRIANGULAR,
  CHOLESKY,
  QR,
  FORM_Q,
  SVD,
  SVD_POLAR,
  EIGH,
  EIG,
  NMETHODS
} method;

static const char *const method_names[] = {
    "lu",  "lu_solve",  "triangular", "cholesky", "qr", "form_q",
    "svd", "svd_polar", "eigh",       "eig",      NULL}; // ORDER method

enum { A, B, U, V, W, PIVOTS, NARRAYS };
static const char *const array_names[NARRAYS] = {"a", "b", "u", "v", "w", "pivots"};

typedef struct request {
  const char *where;
  method m;
  cp_solver_call c;
  cp_array *arrays[NARRAYS]; // NULL: not given
  // Retained, so that no finalizer frees what the solver uses.
  cp_buffer *held[NARRAYS];
  cp_device *device;
} request;

static solver_function *function_of(const cp_solver_ops *o, method m) {
  switch (m) {
  case LU: return o->lu;
  case LU_SOLVE: return o->lu_solve;
  case TRIANGULAR: return o->triangular;
  case CHOLESKY: return o->cholesky;
  case QR: return o->qr;
  case FORM_Q: return o->form_q;
  case SVD: return o->svd;
  case SVD_POLAR: return o->svd_polar;
  case EIGH: return o->eigh;
  default: return o->eig;
  }
}

// ---- reading ----------------------------------------------------------------------------------------------

// Pushes a field of the table at slot 3, by raw access.
static void push_field(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, 3);
}

static char letter_field(lua_State *L, const char *name) {
  push_field(L, name);
  char letter = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1)[0] : '\0';
  lua_pop(L, 1);
  return letter;
}

static bool flag_field(lua_State *L, const char *name) {
  push_field(L, name);
  bool flag = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return flag;
}

static int64_t number_field(lua_State *L, const char *where, const char *name, int64_t missing) {
  push_field(L, name);
  int64_t v = cp_arg_integer_or(L, lua_gettop(L), where, name, missing);
  cp_demand(L, where, v >= missing && v <= INT_MAX, "a size of the matrices is out of range");
  lua_pop(L, 1);
  return v;
}

// Reads the table at slot 3. The arrays stay on the stack.
static void read_request(lua_State *L, request *r) {
  r->c = (cp_solver_call){.count = number_field(L, r->where, "count", 1),
                          .rows = number_field(L, r->where, "rows", 0),
                          .columns = number_field(L, r->where, "columns", 0),
                          .right = number_field(L, r->where, "right", 0),
                          .uplo = letter_field(L, "uplo"),
                          .trans = letter_field(L, "trans"),
                          .unit = flag_field(L, "unit"),
                          .vectors = flag_field(L, "vectors"),
                          .full = flag_field(L, "full"),
                          .narrow = flag_field(L, "narrow")};
  if (r->c.trans == '\0') r->c.trans = 'N';
  for (int k = 0; k < NARRAYS; k++) {
    push_field(L, array_names[k]);
    r->arrays[k] = lua_isnil(L, -1) ? NULL : cp_check_value(L, lua_gettop(L), r->where, array_names[k]);
  }
}

// ---- checking ---------------------------------------------------------------------------------------------

static bool is_square(method m) {
  return m == LU_SOLVE || m == TRIANGULAR || m == CHOLESKY || m == EIGH || m == EIG;
}

// Sets n[k] to how many elements of array k one matrix takes, or to 0 if the function does not use it.
static void count_elements(const request *r, int64_t *n) {
  const cp_solver_call *c = &r->c;
  const int64_t rows = c->rows, columns = c->columns, least = rows < columns ? rows : columns;
  const bool vectors = c->vectors || r->m == SVD_POLAR;
  memset(n, 0, NARRAYS * sizeof *n);
  n[A] = rows * columns;
  if (r->m == LU) n[PIVOTS] = least;
  if (r->m == LU_SOLVE) n[PIVOTS] = rows;
  if (r->m == LU_SOLVE || r->m == TRIANGULAR) n[B] = rows * c->right;
  if (r->m == QR) n[W] = least;
  if (r->m == FORM_Q) n[W] = c->right;
  if (r->m == EIGH) n[W] = rows;
  if (r->m == EIG) n[W] = cp_is_complex(c->dtype) ? rows : 2 * rows;
  if (r->m == EIG && vectors) n[V] = rows * rows;
  if (r->m != SVD && r->m != SVD_POLAR) return;
  n[W] = least;
  if (vectors) n[U] = rows * (c->full ? rows : least);
  if (vectors) n[V] = columns * (c->full ? columns : least);
}

static cp_dtype dtype_of(const request *r, int k) {
  const cp_solver_call *c = &r->c;
  const cp_solver_ops *o = r->device->ops->solver;
  if (k == PIVOTS) return o->pivot_size(c->count, c->rows, c->columns) == 4 ? CP_INT32 : CP_INT64;
  bool real = k == W && (r->m == SVD || r->m == SVD_POLAR || r->m == EIGH);
  return real ? cp_dtypes[c->dtype].real : c->dtype;
}

static bool is_one_of(char letter, const char *letters) {
  return letter != '\0' && strchr(letters, letter) != NULL;
}

static void check_shapes(lua_State *L, const request *r) {
  const cp_solver_call *c = &r->c;
  const cp_solver_ops *o = r->device->ops->solver;
  const char *where = r->where;
  cp_demand(L, where, c->rows > 0 && c->columns > 0, "the matrices must not be empty");
  cp_demand(L, where, !is_square(r->m) || c->rows == c->columns, "the matrices must be square");
  cp_demand(L, where, (r->m != LU_SOLVE && r->m != TRIANGULAR) || c->right > 0,
            "there is no right-hand side");
  cp_demand(L, where, r->m != FORM_Q || (c->right > 0 && c->right <= c->columns && c->columns <= c->rows),
            "Q has more columns than rows, or fewer than reflections");
  cp_demand(L, where, (r->m != SVD && r->m != SVD_POLAR) || o->any_shape || c->rows >= c->columns,
            "the matrices must have as many rows as columns");
  cp_demand(L, where, r->m != SVD_POLAR || (!c->full && cp_itemsize(cp_dtypes[c->dtype].real) == 8),
            "a polar decomposition is of float64, and not full");
  cp_demand(L, where, (r->m != TRIANGULAR && r->m != CHOLESKY && r->m != EIGH) || is_one_of(c->uplo, "UL"),
            "uplo must be U or L");
  cp_demand(L, where, is_one_of(c->trans, "NTC"), "trans must be N, T or C");
}

// Raises an error unless each array is at least as large as the solver expects, packed, writable, on the
// device and of the right dtype.
static void check_arrays(lua_State *L, const request *r) {
  int64_t wanted[NARRAYS], all;
  count_elements(r, wanted);
  for (int k = 0; k < NARRAYS; k++) {
    const cp_array *x = r->arrays[k];
    if (wanted[k] == 0 && x == NULL) continue;
    bool fits = x != NULL && !__builtin_mul_overflow(wanted[k], r->c.count, &all) && x->size >= all;
    cp_demand(L, r->where, fits, "an array is missing, or too small for the matrices");
    cp_demand(L, r->where,
              x->dtype == dtype_of(r, k) && x->device == r->device && !x->readonly &&
                  cp_array_contiguous(x, 'C'),
              "an array is not packed, read-only, elsewhere or of another dtype");
  }
}

// ---- values that an untrusted script may choose -----------------------------------------------------------

static bool are_finite(const void *values, int64_t count, bool single) {
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(single ? (double)((const float *)values)[k] : ((const double *)values)[k])) return false;
  return true;
}

// Raises an error for infinities and NaNs in confined states: LAPACK's iterations may not end for such
// values.
static void check_finite(lua_State *L, const request *r) {
  cp_array *a = r->arrays[A];
  const bool iterates = r->m == SVD || r->m == SVD_POLAR || r->m == EIGH || r->m == EIG;
  if (!iterates || cp_state_get(L)->closed_doors == 0) return;
  const void *values = cp_push_host_copy(L, r->where, a);
  cp_demand(L, r->where,
            are_finite(values, a->size * (cp_is_complex(a->dtype) ? 2 : 1),
                       cp_itemsize(cp_dtypes[a->dtype].real) == 4),
            "the matrix has infinities or NaNs");
  lua_pop(L, 1);
}

// Raises an error for pivots out of range: solvers swap the rows that pivots name, without checking. On other
// devices than the CPU only confined states are checked.
static void check_pivots(lua_State *L, const request *r) {
  cp_array *x = r->arrays[PIVOTS];
  bool right = true;
  if (r->m != LU_SOLVE || (r->device != cp_device_cpu() && cp_state_get(L)->closed_doors == 0)) return;
  const char *values = cp_push_host_copy(L, r->where, x);
  for (int64_t k = 0; k < x->size; k++) {
    int64_t v = cp_scalar_load(values + (size_t)k * cp_itemsize(x->dtype), x->dtype).v.i;
    right = right && v >= 1 && v <= r->c.rows;
  }
  cp_demand(L, r->where, right, "a pivot is not a row of the matrix");
  lua_pop(L, 1);
}

// ---- running ----------------------------------------------------------------------------------------------

// Computes the arrays and marks them as written. This may run finalizers.
static cp_status prepare(cp_context *ctx, const request *r) {
  for (int k = 0; k < NARRAYS; k++) {
    if (r->arrays[k] == NULL) continue;
    CP_TRY(cp_force(ctx, r->arrays[k]));
    CP_TRY(cp_begin_write(ctx, r->arrays[k], false));
  }
  return cp_may_wait(ctx, r->device); // the solver waits for the device, as it reads the status
}

// Puts the arrays' addresses into the call and retains their buffers.
static cp_status take_memory(request *r) {
  void **const places[NARRAYS] = {&r->c.a, &r->c.b, &r->c.u, &r->c.v, &r->c.w, &r->c.pivots};
  for (int k = 0; k < NARRAYS; k++) {
    char *p = NULL;
    if (r->arrays[k] == NULL) continue;
    CP_TRY(cp_array_pointer(r->arrays[k], &p));
    *places[k] = p;
    r->held[k] = r->arrays[k]->storage->buffer;
    cp_buffer_retain(r->held[k]);
  }
  return CP_OK;
}

static cp_status run(cp_context *ctx, request *r) {
  cp_stream *s;
  CP_TRY(cp_poll(ctx));
  CP_TRY(cp_may_decompose(ctx, r->device, method_names[r->m], &r->c));
  CP_TRY(cp_context_stream(ctx, r->device, &s));
  CP_TRY(prepare(ctx, r));
  cp_status status = take_memory(r);
  if (status == CP_OK) status = function_of(r->device->ops->solver, r->m)(ctx, s, &r->c);
  for (int k = 0; k < NARRAYS; k++)
    if (r->held[k] != NULL) cp_buffer_release(r->held[k]);
  return status;
}

// core.decompose(where, method, call): calls a function of cp_solver_ops with the fields of cp_solver_call in
// the table `call`. Its arrays are new and packed, and their contents may be destroyed. Returns info and, if
// that is not 0, the number of the matrix that failed, from 1.
static int decompose(lua_State *L) {
  request r = {.where = luaL_checkstring(L, 1), .m = (method)luaL_checkoption(L, 2, NULL, method_names)};
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  luaL_checkstack(L, NARRAYS + 8, r.where);
  read_request(L, &r);
  cp_demand(L, r.where, r.arrays[A] != NULL, "the matrices are missing");
  r.device = r.arrays[A]->device;
  r.c.dtype = r.arrays[A]->dtype;
  cp_demand(L, r.where, (cp_is_float(r.c.dtype) || cp_is_complex(r.c.dtype)) && !cp_is_half(r.c.dtype),
            "the matrices must be of float32, float64, complex64 or complex128");
  cp_demand(L, r.where, function_of(r.device->ops->solver, r.m) != NULL, "the device has no such function");
  check_shapes(L, &r);
  check_arrays(L, &r);
  check_finite(L, &r);
  check_pivots(L, &r);
  CP_CHECK(L, r.where, run(&cp_state_get(L)->ctx, &r));
  lua_pushinteger(L, r.c.info);
  lua_pushinteger(L, (lua_Integer)r.c.which + 1);
  return 2;
}

void cp_open_decompose(lua_State *L) {
  lua_pushcfunction(L, decompose);
  lua_setfield(L, 1, "decompose");
}
