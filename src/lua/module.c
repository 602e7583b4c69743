// luaopen_cupola: builds the module's table from the C functions and the embedded Lua side. A second call in
// the same state returns the same table.
#include "lua/state/module.h"
#include "devices.h"
#include "lua/guards/scope.h"

#include "lua/arguments/args.h"
#include "lua/indexing/index.h"
#include "lua/kernels/generator.h"
#include "lua/loading/load.h"
#include "lua/objects/lifetime.h"

static const char module_key = 0; // in the registry: the public table

// core.default_dtype([name]): returns the dtype of values made from Lua numbers, then sets it if a name is
// given.
static int default_dtype(lua_State *L) {
  cp_state *s = cp_state_get(L);
  lua_pushstring(L, cp_dtypes[s->default_dtype].name);
  if (lua_isnoneornil(L, 1)) return 1;
  cp_dtype t = cp_arg_dtype(L, 1, "set_default_dtype");
  if (t != CP_FLOAT32 && t != CP_FLOAT64)
    return cp_raise(L, "set_default_dtype", CP_EDTYPE, "the default must be float32 or float64, not %s",
                    cp_dtypes[t].name);
  s->default_dtype = t;
  return 1;
}

// core.dtypes(): the names of all dtypes, in the order of their table.
static int dtype_names(lua_State *L) {
  lua_createtable(L, CP_NDTYPES, 0);
  for (int t = 0; t < CP_NDTYPES; t++) {
    lua_pushstring(L, cp_dtypes[t].name);
    lua_rawseti(L, -2, t + 1);
  }
  return 1;
}

static const luaL_Reg core_functions[] = {{"embedded", cp_generator_embedded},
                                          {"generate", cp_generator_generate},
                                          {"nvrtc_compile", cp_generator_compile},
                                          {"operations", cp_generator_operations},
                                          {"operation_types", cp_generator_operation_types},
                                          {"default_dtype", default_dtype},
                                          {"dtypes", dtype_names},
                                          {NULL, NULL}};

static void (*const openers[])(lua_State *) = {
    cp_open_load,        cp_open_error,         cp_open_unknown,
    cp_open_define,      cp_open_shape,         cp_open_metatable,
    cp_open_guard,       cp_open_scope,         cp_open_fusion,
    cp_open_scalar,      cp_open_sparse_kind,   cp_open_sparse,
    cp_open_boxed,       cp_open_ufunc,         cp_open_reduce,
    cp_open_assign,      cp_open_index,         cp_open_view,
    cp_open_create,      cp_open_core,          cp_open_convert,
    cp_open_readback,    cp_open_print,         cp_open_memory,
    cp_open_device,      cp_open_event,         cp_open_image,
    cp_open_userkernel,  cp_open_exchange,      cp_open_file,
    cp_open_text,        cp_open_share,         cp_open_stream,
    cp_open_profiler,    cp_open_runtime,       cp_open_struct,
    cp_open_rawkernel,   cp_open_rawmodule,     cp_open_scan,
    cp_open_sort,        cp_open_matmul,        cp_open_linalg,
    cp_open_fft,         cp_open_random,        cp_open_allocator,
    cp_open_memory_hook, cp_open_fuse,          cp_open_trace,
    cp_open_bundle,      cp_open_convolve,      cp_open_sites,
    cp_open_sample,      cp_open_nccl,          cp_open_curand,
    cp_open_graph,       cp_open_reinterpret,   cp_open_capability,
    cp_open_process,     cp_open_source,        cp_open_decompose,
    cp_open_jit,         cp_open_sparse_forms,  cp_open_sparse_expand,
    cp_open_walks,       cp_open_market,        cp_open_market_writing,
    cp_open_moved,       cp_open_runtime_calls, cp_open_function,
    cp_open_texture,     cp_open_sparse_solve,  cp_open_join,
    cp_open_extremes,    cp_open_bits,          cp_open_sparse_product,
    cp_open_direct,      cp_open_sparse_places, cp_open_orthogonal};

// Builds the module from three tables: core (for the Lua side only), cp, and the methods of arrays.
static int build_module(lua_State *L) {
  lua_settop(L, 0);
  for (int k = 0; k < 3; k++) lua_newtable(L);
  cp_put_functions(L, 1, core_functions);
  for (size_t k = 0; k < sizeof openers / sizeof *openers; k++) {
    openers[k](L);
    lua_settop(L, 3);
  }
  lua_getfield(L, 1, "load");
  lua_pushliteral(L, "init");
  lua_call(L, 1, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 3, 1); // returns the public table
  return 1;
}

CP_API int luaopen_cupola(lua_State *L) {
  cp_check_lua(L);
#if LUA_VERSION_NUM >= 502
  luaL_checkversion(L); // refuses a Lua whose numbers are other types
#endif
  lua_rawgetp(L, LUA_REGISTRYINDEX, &module_key);
  if (lua_istable(L, -1)) return 1;
  if (cp_register_devices() != CP_OK) return luaL_error(L, "cupola: %s", cp_error_text());
  cp_state_open(L);
  cp_state *s = cp_state_get(L);
  cp_generator_install(&s->ctx, &s->running);
  lua_pushcfunction(L, build_module);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &module_key);
  return 1;
}
