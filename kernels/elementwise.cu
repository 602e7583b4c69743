// Elementwise kernels: one thread computes one group of CP_VECTOR neighbours along the innermost dimension.
//
// lua/cupola/kernels/generate.lua writes before this text, for each kernel:
//   CP_BLOCK, CP_VECTOR             threads per block, elements per group
//   cp_index, cp_offset             unsigned type of positions, signed type of positions and strides
//   cp_slots                        the argument, as src/expr/params.h lays it out
//   CP_FIRST, CP_SECOND             numbers of its first slots
//   cp_place, cp_locate             where the operands of a group lie
//   cp_inputs, cp_load_group, cp_load_element
//   cp_results, cp_body, cp_store_group, cp_store_element
//
// All loads of a group come before its stores, so an output may be one of the leaves.

extern "C" __global__ void __launch_bounds__(CP_BLOCK) cupola_kernel(const __grid_constant__ cp_slots p) {
  const cp_index group = (cp_index)blockIdx.x * CP_BLOCK + threadIdx.x;
  if (group >= (cp_index)p.s[CP_FIRST]) return;
  cp_place at;
  const cp_index first = cp_locate(p, group, at);
#if CP_VECTOR > 1
  const cp_index length = (cp_index)p.s[CP_SECOND];
  if (first + CP_VECTOR > length) {
#pragma unroll 1
    for (cp_index k = 0; first + k < length; k++)
      cp_store_element(p, at, k, cp_body(p, cp_load_element(p, at, k)));
    return;
  }
#endif
  cp_inputs in[CP_VECTOR];
  cp_results out[CP_VECTOR];
  cp_load_group(p, at, in);
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body(p, in[k]);
  cp_store_group(p, at, out);
}
