// Functions of numbers as operations of expressions (plan/function.h), for cp.jit.elementwise: the Lua side
// prints a function's text, and calls make nodes, which join the chains around them.
#include "plan/function.h"
#include "cache/bundle.h"
#include "cpu/run/run.h"
#include "cuda/run/nvrtc.h"
#include "lua/arguments/args.h"
#include "lua/conversion/assign.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"
#include "lua/values/scalar.h"

#include "lazy/arrays/pending.h"
#include "lazy/evaluation/bounds.h"

#include <stdlib.h>
#include <string.h>

static void end_function(lua_State *L, void *object) {
  cp_function **f = object;
  (void)L;
  cp_function_release(*f);
  *f = NULL;
}

static cp_function *check_function(lua_State *L) {
  cp_function **f = cp_check_object(L, 1, CP_KIND_FUNCTION, "jit", "argument 1");
  cp_demand(L, "jit", *f != NULL, "the function could not be made");
  return *f;
}

// core.function(name, text, steps, result, dtypes...): a function with this text, for the generator; `steps`
// says how many operations an element takes, then come the names of the dtypes.
static int make(lua_State *L) {
  cp_function f = {.nargs = lua_gettop(L) - 4};
  size_t length;
  cp_check_capability(L, "jit", CUPOLA_KERNELS);
  const char *name = luaL_checklstring(L, 1, &length);
  f.text = (char *)(uintptr_t)luaL_checklstring(L, 2, &f.size); // copied
  f.steps = (int)luaL_checkinteger(L, 3);
  cp_demand(L, "jit", length < sizeof f.name && f.nargs >= 1 && f.nargs <= CP_MAX_ARGS,
            "a function of expressions has a short name and few arguments");
  memcpy(f.name, name, length + 1);
  f.result = cp_arg_dtype(L, 4, "jit");
  for (int k = 0; k < f.nargs; k++) f.args[k] = cp_arg_dtype(L, k + 5, "jit");
  for (int k = 0; k < f.nargs; k++) cp_demand(L, "jit", f.args[k] < CP_NDTYPES, "an argument has a dtype");
  cp_demand(L, "jit", f.result < CP_NDTYPES, "the result has a dtype");
  cp_function **out = cp_push_object(L, CP_KIND_FUNCTION, sizeof *out);
  CP_CHECK(L, "jit", cp_function_new(&f, out));
  return 1;
}

// core.function_loop(f, text): compiles C++ text with the function's loop for the CPU device. Raises the
// compiler's message.
static int compile_loop(lua_State *L) {
  size_t size;
  cp_function *f = check_function(L);
  cp_check_capability(L, f->name, CUPOLA_KERNELS);
  const char *text = luaL_checklstring(L, 2, &size);
  char *copy = malloc(size + 1);
  if (copy == NULL) return cp_raise_status(L, f->name, cp_no_memory(NULL));
  memcpy(copy, text, size);
  copy[size] = '\0';
  free(f->loop_text);
  f->loop_text = copy;
  f->loop_size = size;
  CP_CHECK(L, f->name, cp_cpu_function(&cp_state_get(L)->ctx, f->loop_text, size, &f->loop));
  return 0;
}

// ---- calls ------------------------------------------------------------------------------------------------

typedef struct call {
  cp_function *f;
  cp_array *arrays[CP_MAX_ARGS]; // NULL: a number
  cp_scalar numbers[CP_MAX_ARGS];
  cp_device *device; // of the first array
  int ndim;          // the most axes
} call;

static void read_argument(lua_State *L, call *c, int k) {
  char kind;
  bool weak;
  cp_array *a = cp_test_array(L, k + 2);
  c->arrays[k] = a;
  if (a == NULL) {
    bool number = cp_to_scalar(L, k + 2, &c->numbers[k], &kind, &weak);
    cp_demand(L, c->f->name, number, "an argument is an array or a number");
    return;
  }
  CP_CHECK(L, c->f->name, cp_array_alive(a));
  cp_demand(L, c->f->name, a->dtype == c->f->args[k], "arguments have the function's dtypes");
  if (c->device == NULL) c->device = a->device;
  if (a->ndim > c->ndim) c->ndim = a->ndim;
}

static cp_status argument_node(const call *c, int k, cp_node **out) {
  if (c->arrays[k] != NULL) return cp_array_node(c->arrays[k], out);
  return cp_node_scalar(cp_scalar_cast(c->numbers[k], c->f->args[k]), out);
}

static cp_status make_node(const call *c, cp_node **out) {
  cp_node *args[CP_MAX_ARGS];
  cp_status status = CP_OK;
  int made = 0;
  for (; made < c->f->nargs && status == CP_OK; made++) status = argument_node(c, made, &args[made]);
  if (status == CP_OK) return cp_node_call(c->f, args, out);
  while (--made > 0) cp_node_release(args[made - 1]);
  return status;
}

static bool on_cpu(const call *c) { return strcmp(c->device->ops->kind, "cpu") == 0; }

// Whether a kernel that calls the function can be made on the device of the call: the CPU needs its loop, a
// GPU a compiler or a bundle.
static bool is_ready(const call *c) {
  if (on_cpu(c)) return c->f->loop != NULL;
  int major, minor;
  if (cp_nvrtc_version(&major, &minor) == CP_OK) return true;
  cp_strbuf bundles = {0};
  cp_bundle_describe(&bundles);
  bool any = bundles.size > 0;
  cp_strbuf_free(&bundles);
  return any;
}

// core.function_call(f, arguments...): a pending array of the function's values, where one argument is an
// array; nothing where the device is not ready for it (function_loop).
static int call_function(lua_State *L) {
  call c = {.f = check_function(L)};
  cp_node *n;
  cp_context *ctx = &cp_state_get(L)->ctx;
  lua_settop(L, c.f->nargs + 1);
  for (int k = 0; k < c.f->nargs; k++) read_argument(L, &c, k);
  cp_demand(L, c.f->name, c.device != NULL, "an argument is an array");
  if (!is_ready(&c)) return 0;
  if (cp_recording() && on_cpu(&c)) // a bundle needs the loop, even if it was compiled before
    CP_CHECK(L, c.f->name, cp_cpu_function(ctx, c.f->loop_text, c.f->loop_size, &c.f->loop));
  ctx->lazy.caller = c.f->name;
  CP_CHECK(L, c.f->name, cp_bound_operands(ctx, c.f->nargs, c.arrays, NULL));
  cp_array *target = cp_push_array(L, c.ndim);
  CP_CHECK(L, c.f->name, make_node(&c, &n));
  CP_CHECK(L, c.f->name, cp_give(target, n));
  return 1;
}

void cp_open_function(lua_State *L) {
  static const luaL_Reg core[] = {{"function_new", make},
                                  {"function_loop", compile_loop},
                                  {"function_call", call_function},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_FUNCTION, NULL, end_function);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
