// Gets the source text of kernels (generator.h) from the generator on the Lua side (lua/cupola/kernels). The
// core asks for it in the middle of a launch, when no Lua error may be raised. So all Lua code runs in a
// protected call, and its error becomes the error record. The generator function is made once for each
// lua_State and kept in the registry.
#include "lua/kernels/generator.h"

#include "base/hash.h"
#include "cuda/run/nvrtc.h"
#include "lua/loading/embedded.h"
#include "lua/loading/load.h"
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Registry: the generator function, which lua/cupola/kernels/generate.lua makes. It takes a description and
// returns the source.
static const char generate_key = 0;

// ---- texts ----

static int push_embedded_names(lua_State *L) {
  lua_createtable(L, (int)cp_embedded_count, 0);
  for (size_t k = 0; k < cp_embedded_count; k++) {
    lua_pushstring(L, cp_embedded_files[k].name);
    lua_rawseti(L, -2, (int)k + 1);
  }
  return 1;
}

int cp_generator_embedded(lua_State *L) {
  if (lua_isnone(L, 1)) return push_embedded_names(L);
  const char *name = luaL_checkstring(L, 1);
  for (size_t k = 0; k < cp_embedded_count; k++)
    if (strcmp(cp_embedded_files[k].name, name) == 0) {
      lua_pushlstring(L, cp_embedded_files[k].text, cp_embedded_files[k].size);
      return 1;
    }
  lua_pushnil(L);
  return 1;
}

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

uint64_t cp_generator_version(void) {
  uint64_t version = 1;
  for (size_t k = 0; k < cp_embedded_count; k++) {
    const struct cp_embedded *f = &cp_embedded_files[k];
    if (!starts_with(f->name, "kernels/") && !starts_with(f->name, "lua/cupola/kernels/") &&
        !starts_with(f->name, "lua/cupola/userkernels"))
      continue;
    version = cp_hash(f->name, strlen(f->name), version);
    version = cp_hash(f->text, f->size, version);
  }
  return version;
}

// ---- a plan as Lua tables ----

static void set_string(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, int value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

static const char *access_name(cp_access access) {
  // ORDER cp_access
  static const char *const names[] = {"vector", "contiguous", "strided", "same",      "one",
                                      "index",  "tile_word",  "tile",    "moved_row", "moved"};
  return names[access];
}

static void push_operand(lua_State *L, const cp_operand *a, bool output) {
  int count = 0;
  lua_createtable(L, 0, 3);
  set_string(L, "dtype", cp_dtypes[a->dtype].name);
  set_string(L, "access", access_name(a->access));
  if (output) set_integer(L, "reg", a->reg);
  if (a->moved == 0) return;
  lua_createtable(L, 1, 0);
  for (int k = 0; a->moved >> k != 0; k++) {
    if ((a->moved >> k & 1) == 0) continue;
    lua_pushinteger(L, k + 1);
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "moves");
}

static void set_operands(lua_State *L, const char *key, const cp_operand *list, int count, bool outputs) {
  lua_createtable(L, count, 0);
  for (int k = 0; k < count; k++) {
    push_operand(L, &list[k], outputs);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, key);
}

static void set_scalars(lua_State *L, const cp_plan *p) {
  lua_createtable(L, p->nscalars, 0);
  for (int k = 0; k < p->nscalars; k++) {
    lua_pushstring(L, cp_dtypes[p->scalars[k].dtype].name);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "scalars");
}

static void set_moves(lua_State *L, const cp_plan *p) {
  // ORDER cp_move_rule
  static const char *const rules[] = {"roll", "wrap", "clamp", "mirror", "reflect", "repeat"};
  lua_createtable(L, p->nmoves, 0);
  for (int k = 0; k < p->nmoves; k++) {
    lua_createtable(L, 0, 2);
    set_string(L, "rule", rules[p->moves[k].rule]);
    set_integer(L, "dim", p->moves[k].dim + 1);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "moves");
}

static void push_instr(lua_State *L, const cp_instr *in) {
  lua_createtable(L, 0, 4);
  set_string(L, "op", in->op == CP_OP_call ? "call" : cp_ops[in->op].name);
  set_string(L, "loop", cp_dtypes[in->loop].name);
  set_string(L, "dtype", cp_dtypes[in->dtype].name);
  lua_createtable(L, in->nargs, 0);
  for (int k = 0; k < in->nargs; k++) {
    lua_pushinteger(L, in->args[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "args");
  if (in->op == CP_OP_reduce) set_integer(L, "reduction", in->which);
  if (in->op == CP_OP_call) set_integer(L, "called", in->which + 1);
  if (in->op == CP_OP_lookup) set_integer(L, "table", in->which + 1);
}

static void set_instrs(lua_State *L, const cp_plan *p) {
  lua_createtable(L, p->ninstrs, 0);
  for (int k = 0; k < p->ninstrs; k++) {
    push_instr(L, &p->instrs[k]);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "instrs");
}

static void set_functions(lua_State *L, const cp_plan *p) {
  lua_createtable(L, p->nfunctions, 0);
  for (int k = 0; k < p->nfunctions; k++) {
    const cp_function *f = p->functions[k].function;
    lua_pushlstring(L, f->text, f->size);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "functions");
}

static void set_tables(lua_State *L, const cp_plan *p) {
  lua_createtable(L, p->ntables, 0);
  for (int k = 0; k < p->ntables; k++) {
    lua_createtable(L, 0, 3);
    set_string(L, "dtype", cp_dtypes[p->tables[k].dtype].name);
    set_integer(L, "count", p->tables[k].count);
    lua_pushboolean(L, p->tables[k].offset);
    lua_setfield(L, -2, "offset");
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "tables");
}

static void set_strategy(lua_State *L, const cp_plan *p) {
  // ORDER cp_strategy
  static const char *const strategies[] = {NULL,     "warp", "block", "split",
                                           "column", "rows", "short", "domain"};
  if (p->strategy != CP_STRATEGY_NONE) set_string(L, "strategy", strategies[p->strategy]);
  if (p->batch > 0) set_integer(L, "batch", p->batch);
  if (p->strategy < CP_STRATEGY_SHORT) return;
  lua_createtable(L, p->nleaves, 0);
  for (int k = 0; k < p->nleaves; k++) {
    lua_pushinteger(L, (lua_Integer)p->leaves[k].reach);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "reach");
}

static void set_reduction(lua_State *L, const cp_plan *p) {
  set_strategy(L, p);
  if (p->red < CP_NREDS) set_string(L, "red", cp_reds[p->red].name);
  if (p->acc < CP_NDTYPES) set_string(L, "acc", cp_dtypes[p->acc].name);
  if (p->result < CP_NDTYPES) set_string(L, "result", cp_dtypes[p->result].name);
  set_integer(L, "value", p->value);
  set_integer(L, "position", p->position);
}

static void set_phases(lua_State *L, const cp_plan *p) {
  lua_createtable(L, p->nphased, 0);
  for (int k = 0; k < p->nphased; k++) {
    lua_pushstring(L, cp_reds[p->reductions[k].red].name);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "reductions");
  set_strategy(L, p);
  set_integer(L, "lanes", p->lanes);
  set_integer(L, "share", p->share);
}

static void set_user(lua_State *L, const cp_user_kernel *user) {
  lua_createtable(L, user->nraw, 0);
  for (int k = 0; k < user->nraw; k++) {
    lua_pushinteger(L, user->raw[k]->ndim);
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "raw");
  lua_rawgeti(L, LUA_REGISTRYINDEX, user->reference);
  lua_setfield(L, -2, "user");
}

void cp_generator_push_spec(lua_State *L, const cp_plan *p, const char *target) {
  lua_createtable(L, 0, 21);
  set_string(L, "target", target);
  set_integer(L, "ndim", p->ndim);
  set_integer(L, "nred", p->nred);
  set_integer(L, "vector", p->vector);
  if (p->tile > 0) set_integer(L, "tile", p->tile);
  lua_pushboolean(L, p->wide);
  lua_setfield(L, -2, "wide");
  lua_pushboolean(L, p->shifted);
  lua_setfield(L, -2, "shifted");
  lua_pushboolean(L, cp_plan_counts(p));
  lua_setfield(L, -2, "counting");
  set_operands(L, "leaves", p->leaves, p->nleaves, false);
  set_operands(L, "outputs", p->outputs, p->noutputs, true);
  set_scalars(L, p);
  set_instrs(L, p);
  if (p->nfunctions > 0) set_functions(L, p);
  if (p->nmoves > 0) set_moves(L, p);
  if (p->ntables > 0) set_tables(L, p);
  if (p->nphased > 0)
    set_phases(L, p);
  else if (p->nred > 0)
    set_reduction(L, p);
  if (p->user != NULL) set_user(L, p->user);
}

// ---- the operations as Lua tables ----

static void push_op(lua_State *L, const cp_op_info *op) {
  lua_createtable(L, 0, 7);
  set_string(L, "name", op->name);
  set_integer(L, "arity", op->arity);
  set_integer(L, "numeric", op->numeric);
  set_string(L, "real", op->real);
  set_string(L, "integer", op->integer);
  set_string(L, "boolean", op->boolean);
  set_string(L, "complex", op->complex);
}

static void push_red(lua_State *L, const cp_red_info *red) {
  lua_createtable(L, 0, 6);
  set_string(L, "name", red->name);
  set_string(L, "accumulator", red->accumulator);
  set_string(L, "identity", red->identity);
  set_string(L, "premap", red->premap);
  set_string(L, "combine", red->combine);
  set_string(L, "post", red->post);
}

// Pushes two tables with the texts of ops.def, by name: operations {name, arity, numeric, real, integer,
// boolean, complex} and reductions {name, accumulator, identity, premap, combine, post}.
static void push_operations(lua_State *L) {
  lua_createtable(L, 0, CP_NOPS);
  for (int k = 0; k < CP_OP_cast; k++) {
    push_op(L, &cp_ops[k]);
    lua_setfield(L, -2, cp_ops[k].name);
  }
  lua_createtable(L, 0, CP_NREDS);
  for (int k = 0; k < CP_NREDS; k++) {
    push_red(L, &cp_reds[k]);
    lua_setfield(L, -2, cp_reds[k].name);
  }
}

int cp_generator_operations(lua_State *L) {
  push_operations(L);
  return 2;
}

// The dtype whose name is at `index`; raises if there is none.
static cp_dtype check_dtype_name(lua_State *L, int index) {
  cp_dtype t = cp_dtype_from_name(luaL_checkstring(L, index));
  luaL_argcheck(L, t < CP_NDTYPES, index, "no dtype");
  return t;
}

static cp_op check_op_name(lua_State *L, int index) {
  const char *name = luaL_checkstring(L, index);
  cp_op op = cp_op_from_name(name);
  luaL_argcheck(L, op < CP_OP_cast, index, "no operation");
  return op;
}

int cp_generator_operation_types(lua_State *L) {
  cp_op op = check_op_name(L, 1);
  cp_dtype loop = check_dtype_name(L, 2);
  if (!cp_op_computes_in(op, loop)) return 0;
  lua_pushstring(L, cp_dtypes[cp_op_result_dtype(op, loop)].name);
  lua_createtable(L, cp_ops[op].arity, 0);
  for (int k = 0; k < cp_ops[op].arity; k++) {
    lua_pushstring(L, cp_dtypes[cp_op_arg_dtype(op, loop, k)].name);
    lua_rawseti(L, -2, k + 1);
  }
  return 2;
}

// ---- generating ----

// Pushes the generator function; makes it when it is first needed in a lua_State.
static void push_generator(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &generate_key);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  cp_require(L, "cupola.kernels.generate");
  lua_getfield(L, -1, "new");
  lua_createtable(L, 0, 3);
  push_operations(L);
  lua_setfield(L, -3, "reds");
  lua_setfield(L, -2, "ops");
  lua_pushcfunction(L, cp_generator_embedded);
  lua_setfield(L, -2, "embedded");
  lua_call(L, 1, 1);
  lua_remove(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &generate_key);
}

// Checks the numbers that bound the generator's loops.
static void check_counts(lua_State *L) {
  static const char *const counts[] = {"ndim", "nred", "vector", "tile", "lanes", "share"};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    lua_pushstring(L, counts[k]);
    lua_rawget(L, 1);
    // Only numbers are accepted: LuaJIT's loops also take strings as bounds.
    bool number = lua_type(L, -1) == LUA_TNUMBER;
    double v = number ? (double)lua_tonumber(L, -1) : 0;
    cp_demand(L, "generate", (number || lua_isnil(L, -1)) && v >= 0 && v <= 1024,
              "a plan has at most 1024 axes or elements to a thread");
    lua_pop(L, 1);
  }
}

int cp_generator_generate(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  check_counts(L);
  push_generator(L);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

typedef struct request {
  const cp_plan *plan; // NULL: a routine
  const char *target;
  const char *file, *variables;
  cp_strbuf *out;
} request;

static void push_routine(lua_State *L, const request *r) {
  lua_createtable(L, 0, 2);
  set_string(L, "routine", r->file);
  set_string(L, "variables", r->variables);
}

static int run_request(lua_State *L) {
  const request *r = lua_touserdata(L, 1);
  size_t size;
  push_generator(L);
  if (r->plan != NULL)
    cp_generator_push_spec(L, r->plan, r->target);
  else
    push_routine(L, r);
  lua_call(L, 1, 1);
  const char *text = luaL_checklstring(L, -1, &size);
  cp_strbuf_append(r->out, text, size);
  return 0;
}

// Makes an error record of the error on top of the stack, a string or a table {kind = "usage" or "compile",
// message =}. Raises no error.
static cp_status fail_with(lua_State *L) {
  cp_status kind = CP_ECOMPILE;
  if (lua_istable(L, -1)) {
    cp_fail(kind, "the kernel's source could not be made");
    lua_pushnil(L);
    // Walks the table instead of getting fields, because pushing a key could raise an error.
    while (lua_next(L, -2) != 0) {
      const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
      const char *value = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
      if (strcmp(key, "kind") == 0 && strcmp(value, "usage") == 0) kind = CP_EUSAGE;
      if (strcmp(key, "message") == 0) cp_fail(CP_ECOMPILE, "%s", value);
      lua_pop(L, 1);
    }
    return kind;
  }
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error that is not a string";
  return cp_fail(kind, "the kernel's source could not be made: %s", text);
}

// Stops the garbage collector while a kernel is generated: the plan holds addresses, and a finalizer could
// free what they point to. (make_source switches debug hooks off for the same reason.) Returns whether the
// collector was running.
static bool stop_collector(lua_State *L) {
#ifdef LUA_GCISRUNNING
  if (lua_gc(L, LUA_GCISRUNNING, 0) == 0) return false;
  lua_gc(L, LUA_GCSTOP, 0);
  return true;
#else
  (void)L;
  return false;
#endif
}

static cp_status make_source(lua_State **running, request *r) {
  lua_State *L = *running;
  cp_status status = CP_OK;
  if (L == NULL || !lua_checkstack(L, 16))
    return cp_fail(CP_EUSAGE, "a kernel is needed, but no Lua code is running that could make it");
  int top = lua_gettop(L);
  bool collecting = stop_collector(L);
  lua_Hook hook = lua_gethook(L);
  int mask = lua_gethookmask(L), count = lua_gethookcount(L);
  lua_sethook(L, NULL, 0, 0);
  if (cp_call_protected(L, run_request, r) != LUA_OK) status = fail_with(L);
  lua_settop(L, top);
  lua_sethook(L, hook, mask, count);
  if (collecting) lua_gc(L, LUA_GCRESTART, 0);
  *running = L; // another coroutine may have run in between
  if (status == CP_OK && r->out->failed) status = cp_no_memory("making a kernel's source");
  return status;
}

static cp_status source_of_plan(void *data, const cp_plan *plan, const char *target, cp_strbuf *out) {
  return make_source(data, &(request){.plan = plan, .target = target, .out = out});
}

static cp_status source_of_routine(void *data, const char *file, const char *variables, cp_strbuf *out) {
  return make_source(data, &(request){.file = file, .variables = variables, .out = out});
}

void cp_generator_install(cp_context *ctx, lua_State **running) {
  ctx->generator.source = source_of_plan;
  ctx->generator.routine = source_of_routine;
  ctx->generator.data = running;
  ctx->generator.version = cp_generator_version();
}

// ---- compiling without a device ----

enum { MAX_OPTIONS = 16 };

static int read_option_list(lua_State *L, int index, const char **options) {
  int count = 0;
  if (!lua_istable(L, index)) return 0;
  for (; count < MAX_OPTIONS; count++) {
    // The table keeps the string alive.
    options[count] = cp_rawgeti(L, index, count + 1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    if (options[count] == NULL) break;
  }
  return count;
}

int cp_generator_compile(lua_State *L) {
  const char *options[MAX_OPTIONS];
  cp_check_capability(L, "nvrtc_compile", CUPOLA_KERNELS);
  const char *source = luaL_checkstring(L, 1);
  int arch = (int)luaL_checkinteger(L, 2);
  int count = read_option_list(L, 3, options);
  const cp_nvrtc_request wanted = {
      .source = source, .name = "kernel", .arch = arch, .options = options, .noptions = count};
  cp_nvrtc_output out;
  clock_t begin = clock();
  cp_status status = cp_nvrtc_compile_request(&wanted, &out);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  size_t size = out.size;
  cp_nvrtc_output_free(&out);
  if (status != CP_OK) return luaL_error(L, "%s", cp_error_text());
  lua_pushinteger(L, (lua_Integer)size);
  lua_pushnumber(L, seconds);
  return 2;
}
