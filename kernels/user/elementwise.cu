// An ElementwiseKernel on a GPU: like kernels/elementwise.cu, with the user's text as the body, so that it
// shares one scope with loop_prep and after_loop, which every thread runs. lua/cupola/kernels/user.lua
// replaces the names in @...@.

extern "C" __global__ void __launch_bounds__(CP_BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
@constants@
@loop_prep@
  const cp_index cp_group = (cp_index)blockIdx.x * CP_BLOCK + threadIdx.x;
  if (cp_group < (cp_index)p.s[CP_FIRST]) {
    cp_place cp_at;
    const cp_index cp_rest = (cp_index)p.s[CP_SECOND] - cp_locate(p, cp_group, cp_at);
    const int cp_count = cp_rest < CP_VECTOR ? (int)cp_rest : CP_VECTOR;
    cp_inputs cp_group_in[CP_VECTOR];
    cp_results cp_group_out[CP_VECTOR];
    if (cp_count == CP_VECTOR) {
      cp_load_group(p, cp_at, cp_group_in);
    } else {
#pragma unroll
      for (int cp_k = 0; cp_k < CP_VECTOR; cp_k++)
        if (cp_k < cp_count) cp_group_in[cp_k] = cp_load_element(p, cp_at, cp_k);
    }
#pragma unroll
    for (int cp_k = 0; cp_k < CP_VECTOR; cp_k++) {
      if (cp_k >= cp_count) continue;
      const cp_inputs &cp_in = cp_group_in[cp_k];
      cp_results &cp_out = cp_group_out[cp_k];
@element@
      {
@operation@
      }
@results@
    }
    if (cp_count == CP_VECTOR) {
      cp_store_group(p, cp_at, cp_group_out);
    } else {
#pragma unroll
      for (int cp_k = 0; cp_k < CP_VECTOR; cp_k++)
        if (cp_k < cp_count) cp_store_element(p, cp_at, cp_k, cp_group_out[cp_k]);
    }
  }
@after_loop@
}
