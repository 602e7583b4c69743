// The functions by which the files of src/lua add their part to the module. Each finds three tables on the
// stack: 1 is core, for the Lua side only; 2 is cp, the public module; 3 has the methods of arrays.
#ifndef CP_LUA_STATE_MODULE_H
#define CP_LUA_STATE_MODULE_H

#include "cupola.h"
#include "lua/state/state.h"

void cp_open_load(lua_State *L);
void cp_open_error(lua_State *L);
void cp_open_capability(lua_State *L);
void cp_open_process(lua_State *L);
void cp_open_source(lua_State *L);
void cp_open_unknown(lua_State *L);
void cp_open_define(lua_State *L);
void cp_open_shape(lua_State *L);
void cp_open_fusion(lua_State *L);
void cp_open_scalar(lua_State *L);
void cp_open_ufunc(lua_State *L);
void cp_open_reduce(lua_State *L);
void cp_open_assign(lua_State *L);
void cp_open_create(lua_State *L);
void cp_open_core(lua_State *L);
void cp_open_index(lua_State *L);
void cp_open_view(lua_State *L);
void cp_open_moved(lua_State *L);
void cp_open_reinterpret(lua_State *L);
void cp_open_boxed(lua_State *L);
void cp_open_metatable(lua_State *L);
void cp_open_convert(lua_State *L);
void cp_open_readback(lua_State *L);
void cp_open_print(lua_State *L);
void cp_open_memory(lua_State *L);
void cp_open_allocator(lua_State *L);
void cp_open_memory_hook(lua_State *L);
void cp_open_device(lua_State *L);
void cp_open_exchange(lua_State *L);
void cp_open_event(lua_State *L);
void cp_open_stream(lua_State *L);
void cp_open_profiler(lua_State *L);
void cp_open_runtime(lua_State *L);
void cp_open_runtime_calls(lua_State *L);
void cp_open_texture(lua_State *L);
void cp_open_image(lua_State *L);
void cp_open_file(lua_State *L);
void cp_open_text(lua_State *L);
void cp_open_share(lua_State *L);
void cp_open_userkernel(lua_State *L);
void cp_open_linalg(lua_State *L);
void cp_open_matmul(lua_State *L);
void cp_open_decompose(lua_State *L);
void cp_open_orthogonal(lua_State *L);
void cp_open_join(lua_State *L);
void cp_open_extremes(lua_State *L);
void cp_open_fft(lua_State *L);
void cp_open_rawkernel(lua_State *L);
void cp_open_rawmodule(lua_State *L);
void cp_open_struct(lua_State *L);
void cp_open_scan(lua_State *L);
void cp_open_sort(lua_State *L);
void cp_open_sparse(lua_State *L);
void cp_open_sparse_forms(lua_State *L);
void cp_open_sparse_places(lua_State *L);
void cp_open_sparse_expand(lua_State *L);
void cp_open_sparse_product(lua_State *L);
void cp_open_sparse_solve(lua_State *L);
void cp_open_direct(lua_State *L);
void cp_open_walks(lua_State *L);
void cp_open_market(lua_State *L);
void cp_open_market_writing(lua_State *L);
void cp_open_sparse_kind(lua_State *L);
void cp_open_random(lua_State *L);
void cp_open_fuse(lua_State *L);
void cp_open_guard(lua_State *L);
void cp_open_trace(lua_State *L);
void cp_open_function(lua_State *L);
void cp_open_bundle(lua_State *L);
void cp_open_convolve(lua_State *L);
void cp_open_sites(lua_State *L);
void cp_open_bits(lua_State *L);
void cp_open_sample(lua_State *L);
void cp_open_nccl(lua_State *L);
void cp_open_curand(lua_State *L);
void cp_open_graph(lua_State *L);
void cp_open_jit(lua_State *L);

#endif
