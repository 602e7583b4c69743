// cuRAND's generators as objects for lua/cupola/random/curand.lua, which has already checked the arguments.
// The generators themselves are in cuda/libraries/curand.h.

#include "cuda/libraries/curand.h"
#include "array/array.h"
#include "lazy/arrays/access.h"
#include "lua/arguments/args.h"
#include "lua/objects/object.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <string.h>

typedef struct boxed_generator {
  cp_curand *generator; // NULL if creating it failed
} boxed_generator;

typedef struct named {
  const char *name;
  int value;
} named;

static const named types[] = {{"XORWOW", CPCU_CURAND_RNG_PSEUDO_XORWOW},
                              {"MRG32k3a", CPCU_CURAND_RNG_PSEUDO_MRG32K3A},
                              {"MTGP32", CPCU_CURAND_RNG_PSEUDO_MTGP32},
                              {"MT19937", CPCU_CURAND_RNG_PSEUDO_MT19937},
                              {"Philox4_32_10", CPCU_CURAND_RNG_PSEUDO_PHILOX4_32_10},
                              {"Sobol32", CPCU_CURAND_RNG_QUASI_SOBOL32},
                              {"ScrambledSobol32", CPCU_CURAND_RNG_QUASI_SCRAMBLED_SOBOL32},
                              {"Sobol64", CPCU_CURAND_RNG_QUASI_SOBOL64},
                              {"ScrambledSobol64", CPCU_CURAND_RNG_QUASI_SCRAMBLED_SOBOL64},
                              {NULL, 0}};
static const named orderings[] = {
    {"best", CPCU_CURAND_ORDERING_PSEUDO_BEST},       {"default", CPCU_CURAND_ORDERING_PSEUDO_DEFAULT},
    {"seeded", CPCU_CURAND_ORDERING_PSEUDO_SEEDED},   {"legacy", CPCU_CURAND_ORDERING_PSEUDO_LEGACY},
    {"dynamic", CPCU_CURAND_ORDERING_PSEUDO_DYNAMIC}, {NULL, 0}};
static const named outputs[] = {{"bits", CP_CURAND_BITS},
                                {"uniform", CP_CURAND_UNIFORM},
                                {"normal", CP_CURAND_NORMAL},
                                {"poisson", CP_CURAND_POISSON},
                                {NULL, 0}};

static int value_of(lua_State *L, int index, const named *list) {
  const char *name = luaL_checkstring(L, index);
  for (; list->name != NULL; list++)
    if (strcmp(list->name, name) == 0) return list->value;
  return luaL_error(L, "core: cuRAND has no %s", name);
}

// A whole number from 0 to 2^53, in which form Lua passes parts of seeds, offsets and dimensions.
static uint64_t whole_at(lua_State *L, int index) {
  int64_t v = cp_arg_integer(L, index, "random", "seed");
  cp_demand(L, "random", v >= 0 && v <= (int64_t)1 << 53, "seed and offset must be whole numbers from 0 on");
  return (uint64_t)v;
}

// Reads the slots from `index` on: type, high and low half of the seed, offset, ordering or nil, dimensions.
static cp_curand_start read_start(lua_State *L, int index) {
  return (cp_curand_start){.type = value_of(L, index, types),
                           .seed = whole_at(L, index + 1) << 32 | whole_at(L, index + 2),
                           .offset = whole_at(L, index + 3),
                           .ordering = lua_isnil(L, index + 4) ? 0 : value_of(L, index + 4, orderings),
                           .dimensions = (unsigned)whole_at(L, index + 5)};
}

static cp_curand *generator_at(lua_State *L, int index) {
  const boxed_generator *b = cp_check_object(L, index, CP_KIND_CURAND, "curand", "generator");
  if (b->generator == NULL) cp_raise(L, "curand", CP_EUSAGE, "the generator could not be made");
  return b->generator;
}

// core.curand_new(where, device, type, seed_high, seed_low, offset, ordering, dimensions): a new generator.
static int curand_new(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_device *device = cp_arg_device(L, 2, where);
  const cp_curand_start start = read_start(L, 3);
  boxed_generator *b = cp_push_object(L, CP_KIND_CURAND, sizeof *b);
  CP_CHECK(L, where, cp_curand_new(&cp_state_get(L)->ctx, device, &start, &b->generator));
  return 1;
}

// core.curand_restart(where, generator, type, seed_high, seed_low, offset, ordering, dimensions): restarts a
// generator at another point of the sequence of its type.
static int curand_restart(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  const cp_curand_start start = read_start(L, 3);
  CP_CHECK(L, where, cp_curand_restart(generator_at(L, 2), &start));
  return 0;
}

static cp_status fill(cp_context *ctx, cp_curand *g, cp_array *a, cp_curand_output output, double parameter) {
  const cp_use use = {a, CP_WRITE_WHOLE};
  cp_stream *s;
  CP_TRY(cp_open_arrays(ctx, a->device, 1, &use, &s));
  ctx->counters.launches++;
  return cp_curand_fill(g, s, output, a->dtype == CP_FLOAT64, cp_address(a), (size_t)a->size, parameter);
}

// core.curand_fill(where, generator, output, dtype, count, parameter): a new array of one axis with `count`
// numbers, at least one. parameter: the mean of a Poisson distribution.
static int curand_fill(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  cp_curand *g = generator_at(L, 2);
  cp_curand_output output = (cp_curand_output)value_of(L, 3, outputs);
  cp_dtype dtype = cp_check_dtype(L, 4, where);
  const int64_t count = cp_arg_integer(L, 5, where, "size");
  double parameter = luaL_optnumber(L, 6, 0);
  bool whole = output == CP_CURAND_BITS || output == CP_CURAND_POISSON;
  cp_demand(L, where, whole ? cp_itemsize(dtype) == 4 : dtype == CP_FLOAT32 || dtype == CP_FLOAT64,
            "the dtype is not what cuRAND draws");
  cp_demand(L, where, count > 0, "size must be more than 0");
  cp_array *a = cp_push_new_array(L, where, cp_curand_device(g), dtype, 1, &count);
  CP_CHECK(L, where, fill(&cp_state_get(L)->ctx, g, a, output, parameter));
  return 1;
}

static void end_generator(lua_State *L, void *object) {
  boxed_generator *b = object;
  (void)L;
  if (b->generator != NULL) cp_curand_leave(b->generator);
  b->generator = NULL;
}

void cp_open_curand(lua_State *L) {
  static const luaL_Reg core[] = {{"curand_new", curand_new},
                                  {"curand_restart", curand_restart},
                                  {"curand_fill", curand_fill},
                                  {NULL, NULL}};
  cp_define_kind(L, CP_KIND_CURAND, NULL, end_generator);
  lua_pop(L, 1);
  cp_put_functions(L, 1, core);
}
