// Elementwise kernels. One thread computes one group of CP_VECTOR neighbouring elements along the innermost
// dimension. For random draws it computes several groups, CP_BLOCK apart, as much of their work is the same
// (the generator's keys).
//
// lua/cupola/kernels/generate.lua writes before this text, for each kernel:
//   CP_BLOCK, CP_VECTOR             threads per block, elements per group
//   cp_index, cp_offset             unsigned type of positions, signed type of positions and strides
//   cp_slots                        the argument, as src/plan/params.h lays it out
//   CP_FIRST, CP_SECOND             numbers of its first slots
//   cp_place, cp_locate             where the operands of a group lie
//   cp_inputs, cp_load_group, cp_load_element
//   cp_results, cp_body, cp_store_group, cp_store_element
//   CP_SHIFTED                      1 if groups are shifted, row by row, so that those of the first output
//                                   are aligned: a row's first group may begin before it, and its last be
//                                   empty
//   CP_SHARE                        0, or the number of the slot with the number of groups per thread
//   CP_LINE                         1 if all elements lie in one row
//   CP_FAST, cp_body_fast           1 if there is a fast form of cp_body, which is right for most arguments
//                                   only
//
// A group is loaded completely before it is stored, so an output may also be a leaf. Groups that the end cuts
// off, or that contain an element outside the fast form's range, are computed element by element.

// Computes a whole group. False: the fast form does not cover one of its elements, and nothing was stored.
CP_FN bool cp_compute_whole(const cp_slots &p, const cp_place &at) {
  cp_inputs in[CP_VECTOR];
  cp_results out[CP_VECTOR];
  int ok = 1;
  cp_load_group(p, at, in);
#pragma unroll
#if CP_FAST
  for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body_fast(p, in[k], ok);
#else
  for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body(p, in[k]);
#endif
  if (ok) cp_store_group(p, at, out);
  return ok != 0;
}

// Computes elements `from` to `to` of a group, one by one.
CP_FN void cp_compute_elements(const cp_slots &p, const cp_place &at, cp_offset from, cp_offset to) {
#pragma unroll 1
  for (cp_offset k = from; k < to; k++)
    cp_store_element(p, at, (cp_index)k, cp_body(p, cp_load_element(p, at, (cp_index)k)));
}

CP_FN void cp_compute_group(const cp_slots &p, cp_index group) {
  cp_place at;
  const cp_index first = cp_locate(p, group, at);
#if CP_VECTOR > 1
  const cp_offset rest = (cp_offset)((cp_index)p.s[CP_SECOND] - first); // in the row
#else
  const cp_offset rest = 1;
#endif
#if CP_SHIFTED
  const cp_offset skip = (cp_offset)first < 0 ? -(cp_offset)first : 0; // in the group
#else
  const cp_offset skip = 0;
#endif
  if (rest >= CP_VECTOR && skip == 0 && cp_compute_whole(p, at)) return;
#if CP_VECTOR > 1 || CP_FAST
  cp_compute_elements(p, at, skip, rest < CP_VECTOR ? rest : CP_VECTOR);
#endif
}

#if CP_SHARE && CP_LINE && !CP_FAST
// Returns i, and hides from the compiler that it is a loop counter. Otherwise the compiler would carry values
// derived from it through the loop, in more registers and instructions than recomputing them takes.
CP_FN cp_index cp_unrelated(cp_index i) {
#if CP_WIDE
  asm("" : "+l"(i));
#else
  asm("" : "+r"(i));
#endif
  return i;
}

// Computes the groups of a single line, all of which are whole except the last: only that one is tested. It
// comes first, so that the kernel ends with the loop; values common to all threads of a warp then need no
// registers per thread.
CP_FN void cp_compute_share(const cp_slots &p, cp_index begin, cp_index end) {
  const cp_index whole = (cp_index)p.s[CP_SECOND] / CP_VECTOR, last = end < whole ? end : whole;
  cp_place at;
  if (last < end && threadIdx.x == 0) {
    cp_locate(p, last, at);
    cp_compute_elements(p, at, 0, (cp_offset)((cp_index)p.s[CP_SECOND] % CP_VECTOR));
  }
#pragma unroll 1
  for (cp_index group = begin + threadIdx.x; group < last; group += CP_BLOCK) {
    cp_locate(p, cp_unrelated(group), at);
    cp_compute_whole(p, at);
  }
}
#elif CP_SHARE
CP_FN void cp_compute_share(const cp_slots &p, cp_index begin, cp_index end) {
#pragma unroll 1
  for (cp_index group = begin + threadIdx.x; group < end; group += CP_BLOCK) cp_compute_group(p, group);
}
#endif

extern "C" __global__ void __launch_bounds__(CP_BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
#if CP_SHARE
  const cp_index share = (cp_index)p.s[CP_SHARE] * CP_BLOCK, begin = cp_block(p) * share;
  const cp_index groups = cp_first(p);
  cp_compute_share(p, begin, groups - begin < share ? groups : begin + share);
#else
  const cp_index group = cp_block(p) * CP_BLOCK + threadIdx.x;
  if (group < cp_first(p)) cp_compute_group(p, group);
#endif
}
