// An ElementwiseKernel on the CPU: elements [cp_begin, cp_end) in C order. lua/cupola/kernels/user.lua
// replaces the names in @...@. loop_prep and after_loop run once for each such range, as for each thread of a
// GPU.

extern "C" void cupola_kernel(const unsigned long long *cp_arguments, long long cp_begin, long long cp_end,
                              void *) {
  const cp_slots &p = *(const cp_slots *)cp_arguments;
@constants@
@loop_prep@
  while (cp_begin < cp_end) { // one run along the innermost dimension
    cp_place cp_at;
    const long long cp_rest = (long long)(p.s[CP_SECOND] - cp_locate(p, (cp_index)cp_begin, cp_at));
    const long long cp_count = cp_rest < cp_end - cp_begin ? cp_rest : cp_end - cp_begin;
    cp_begin += cp_count;
    for (long long cp_k = 0; cp_k < cp_count; cp_k++) {
      const cp_inputs cp_in = cp_load_element(p, cp_at, (cp_index)cp_k);
@element@
      {
@operation@
      }
    }
  }
@after_loop@
}
