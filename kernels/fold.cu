// The work of one thread in a reduction: it combines its groups of a row, and loads CP_UNROLL of them before
// it uses the first. reduce.cu, which follows, says which texts come before.

// Stores what is kept of a group, or of element k of it (lua/cupola/kernels/joint.lua). Stores follow all
// loads of a batch, as the compiler would not move these before them.
#ifndef CP_KEEPS
CP_FN void cp_keep_group(const cp_slots &, const cp_place &, const cp_inputs *) {}
CP_FN void cp_keep_element(const cp_slots &, const cp_place &, cp_index, const cp_inputs &) {}
#endif

CP_JOIN cp_acc cp_join(const cp_acc a, const cp_acc b) { return cp_combine(a, b); }

// Combines acc with those of N elements, S apart in `in`, whose `on` is set. Each RUN of them are neighbours;
// even: all are on. Combines them as a tree, whose first levels constant folding makes cheap. FIRST: acc is
// the identity, which batches omit.
template <int N, int S, int RUN, bool FIRST>
CP_FN cp_acc cp_take(const cp_acc &acc, const cp_slots &p, const cp_inputs *in, const bool *on, bool even) {
#ifdef CP_BATCH
  cp_value v[N];
  long long i[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
#if CP_LOOKS // positions that were not loaded would be reported
    const cp_results r = on[k] ? cp_body(p, in[k * S]) : cp_results();
#else
    const cp_results r = cp_body(p, in[k * S]);
#endif
    v[k] = cp_value_of(r);
    i[k] = cp_position_of(r);
  }
  cp_acc batch;
  const bool matters = cp_fold_batch<N, RUN>(acc, v, i, on, even, batch);
  if (CP_REPLACES || FIRST) return FIRST || matters ? batch : acc;
  return matters ? cp_join(acc, batch) : acc;
#else
  cp_acc part[N];
#if CP_FAST
  int ok = 1;
#pragma unroll
  for (int k = 0; k < N; k++) {
    part[k] = cp_identity();
    if (on[k]) part[k] = cp_element_fast(p, in[k * S], ok);
  }
  if (!ok)
#endif
  {
#pragma unroll
    for (int k = 0; k < N; k++) {
      const cp_inputs one = in[k * S]; // a copy, which may be passed by reference
      part[k] = cp_identity();
      if (on[k]) part[k] = cp_element(p, one);
    }
  }
#pragma unroll
  for (int s = 1; s < N; s *= 2)
#pragma unroll
    for (int k = 0; k + s < N; k += 2 * s) part[k] = CP_TREE(part[k], part[k + s]);
  return cp_join(acc, part[0]);
#endif
}

template <int N, int S, int RUN>
CP_FN cp_acc cp_take_all(const cp_acc &acc, const cp_slots &p, const cp_inputs *in) {
  bool on[N];
#pragma unroll
  for (int k = 0; k < N; k++) on[k] = true;
  return cp_take<N, S, RUN, false>(acc, p, in, on, true);
}

#if CP_STRATEGY < CP_COLUMN
// Combines acc with N groups g, g + step, ..., those below `end`, as far as they are whole. Where elements
// are repeated, the first group must exist.
template <int N, bool FIRST>
CP_FN cp_acc cp_take_some(const cp_acc &acc, const cp_slots &p, const cp_place &row, cp_index g, cp_index end,
                          cp_index step) {
  cp_inputs in[N * CP_PARTS];
  cp_place at[N];
  bool on[N * CP_PARTS], even = true;
#pragma unroll
  for (int u = 0; u < N; u++) {
    const bool below = g + u * step < end;
    const cp_index x = cp_locate_group(p, row, CP_REPEATABLE && !below ? g : g + u * step, at[u]);
    const bool whole = below && (!CP_TAILS || x + CP_VECTOR <= (cp_index)p.s[CP_LENGTH]);
    even = even && whole;
#pragma unroll
    for (int k = 0; k < CP_PARTS; k++) on[u * CP_PARTS + k] = whole;
  }
  if (CP_LINE) even = g + (N - 1) * step < (CP_TAILS ? (cp_index)p.s[CP_LENGTH] / CP_VECTOR : end);
  if (CP_REPEATABLE || even) {
#pragma unroll
    for (int u = 0; u < N; u++) cp_load_group(p, at[u], in + u * CP_PARTS);
  } else {
#pragma unroll
    for (int u = 0; u < N; u++) {
#pragma unroll
      for (int k = 0; k < CP_PARTS; k++) in[u * CP_PARTS + k] = cp_inputs();
      // with one result per group it is even
      if (N > 1 && on[u * CP_PARTS]) cp_load_group(p, at[u], in + u * CP_PARTS);
    }
  }
#pragma unroll
  for (int u = 0; u < N; u++)
    if (on[u * CP_PARTS]) cp_keep_group(p, at[u], in + u * CP_PARTS);
  return cp_take<N * CP_PARTS, 1, CP_PARTS, FIRST>(acc, p, in, on, even);
}
#endif

#if CP_STRATEGY == CP_ONE || CP_STRATEGY == CP_SPLIT
// Combines acc with the elements of those of CP_UNROLL groups that the row's end cuts off; of all groups if
// `each`.
CP_FN cp_acc cp_take_tails(cp_acc acc, const cp_slots &p, const cp_place &row, cp_index g, cp_index end,
                           cp_index step, bool each) {
  const cp_index length = (cp_index)p.s[CP_LENGTH];
#pragma unroll 1
  for (int u = 0; u < CP_UNROLL && g + u * step < end; u++) {
    cp_place at;
    const cp_index x = cp_locate_group(p, row, g + u * step, at);
    if (x + CP_VECTOR <= length && !each) continue;
#pragma unroll 1
    for (cp_index k = 0; k < CP_VECTOR && x + k < length; k++) {
      const cp_inputs one = cp_load_element(p, at, k);
      cp_keep_element(p, at, k, one);
      acc = cp_take_all<1, 1, 1>(acc, p, &one);
    }
  }
  return acc;
}

// Combines acc with CP_UNROLL groups g, g + step, ..., those below `end`.
CP_FN cp_acc cp_take_groups(const cp_acc &acc, const cp_slots &p, const cp_place &row, cp_index g,
                            cp_index end, cp_index step) {
  cp_place at[CP_UNROLL];
  bool all = true, cut = false;
  if (CP_LINE) {
    const cp_index whole = CP_TAILS ? (cp_index)p.s[CP_LENGTH] / CP_VECTOR : end,
                   last = g + (CP_UNROLL - 1) * step;
    all = last < whole;
    cut = !all && whole < end && whole >= g && whole <= last && (whole - g) % step == 0;
  }
#pragma unroll
  for (int u = 0; u < CP_UNROLL; u++) {
    const cp_index x = cp_locate_group(p, row, g + u * step, at[u]);
    if (CP_LINE) continue;
    const bool below = g + u * step < end, whole = !CP_TAILS || x + CP_VECTOR <= (cp_index)p.s[CP_LENGTH];
    all = all && below && whole;
    cut = cut || (below && !whole);
  }
  if (!CP_LONG && all) {
    cp_inputs in[CP_UNROLL * CP_PARTS];
#pragma unroll
    for (int u = 0; u < CP_UNROLL; u++) cp_load_group(p, at[u], in + u * CP_PARTS);
#pragma unroll
    for (int u = 0; u < CP_UNROLL; u++) cp_keep_group(p, at[u], in + u * CP_PARTS);
    return cp_take_all<CP_UNROLL * CP_PARTS, 1, CP_PARTS>(acc, p, in);
  }
  cp_acc some = acc;
#if CP_STRATEGY == CP_SPLIT
  if (CP_LONG && all) return cp_take_some<CP_UNROLL, false>(some, p, row, g, end, step);
#pragma unroll 1
  for (int u = 0; u < CP_UNROLL && g + u * step < end; u++) { // rows are long; this is their end
    cp_place here;
    const cp_index x = cp_locate_group(p, row, g + u * step, here);
    if (CP_TAILS && x + CP_VECTOR > (cp_index)p.s[CP_LENGTH]) continue;
    cp_inputs in[CP_PARTS];
    cp_load_group(p, here, in);
    cp_keep_group(p, here, in);
    some = cp_take_all<CP_PARTS, 1, CP_PARTS>(some, p, in);
  }
  return cut ? cp_take_tails(some, p, row, g, end, step, false) : some;
#else
  if (!CP_REPEATABLE || !cut) some = cp_take_some<CP_UNROLL, false>(some, p, row, g, end, step);
  return cut ? cp_take_tails(some, p, row, g, end, step, CP_REPEATABLE) : some;
#endif
}

#if CP_DRAWN && CP_LINE
#define CP_ROUND (CP_RUN > 0 ? CP_RUN : 16)

// Combines acc with a whole group.
CP_FN cp_acc cp_take_drawn(const cp_acc &acc, const cp_slots &p, const cp_place &row, cp_index g) {
  cp_place at;
  cp_inputs in[CP_PARTS];
  cp_locate_group(p, row, g, at);
  cp_load_group(p, at, in);
  return cp_take_all<CP_PARTS, 1, CP_PARTS>(acc, p, in);
}

// Combines groups g, g + step, ... below `end` of a row: whole groups in one loop, then the group that is cut
// off.
CP_FN cp_acc cp_fold(const cp_slots &p, const cp_place &row, cp_index g, cp_index end, cp_index,
                     cp_index step) {
  const cp_index whole = CP_TAILS ? (cp_index)p.s[CP_LENGTH] / CP_VECTOR : end;
  cp_acc total = cp_identity();
#pragma unroll 1
  while (g < whole) {
    cp_acc run = cp_identity();
#if CP_PAIRS // most iterations; loop overhead beside a draw matters
    if (whole - g > (CP_ROUND - 1) * step) {
#pragma unroll 1
      for (int i = 0; i < CP_ROUND; i += 2, g += 2 * step)
        run = cp_take_drawn(cp_take_drawn(run, p, row, g), p, row, g + step);
      total = cp_join(total, run);
      continue;
    }
#endif
#pragma unroll 1
    for (int i = 0; i < CP_ROUND && g < whole; i++, g += step) run = cp_take_drawn(run, p, row, g);
    total = cp_join(total, run);
  }
  return CP_TAILS ? cp_take_tails(total, p, row, g, end, step, true) : total;
}
#else
// Combines batches of CP_UNROLL groups of a row: the first has groups g, g + step, ..., the next begins
// `further` on. Only groups below `end`.
CP_FN cp_acc cp_fold(const cp_slots &p, const cp_place &row, cp_index g, cp_index end, cp_index step,
                     cp_index further) {
  cp_acc total = cp_identity();
#if CP_RUN == 0
#pragma unroll 1
  for (; g < end; g += further) total = cp_take_groups(total, p, row, g, end, step);
#else
#pragma unroll 1
  while (g < end) {
    cp_acc run = cp_identity();
#pragma unroll 1
    for (int i = 0; i < CP_RUN && g < end; i++, g += further) run = cp_take_groups(run, p, row, g, end, step);
    total = cp_join(total, run);
  }
#endif
  return total;
}
#endif
#elif CP_STRATEGY == CP_COLUMN
// The outputs of a thread: a group of neighbours.
typedef cp_place cp_outputs;

// False: beyond the last.
CP_FN bool cp_locate_outputs(const cp_slots &p, unsigned column, unsigned lane, unsigned width,
                             cp_outputs &to) {
  const cp_index row = (cp_index)column * width + lane;
  if (row >= (cp_index)p.s[CP_FIRST]) return false;
  cp_locate_row(p, row, to);
  return true;
}

CP_FN void cp_store_outputs(const cp_slots &p, const cp_outputs &to, const cp_acc *acc) {
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) cp_store(p, cp_neighbour(p, to, k), acc[k]);
}

// Combines acc[k] with element k of each of CP_UNROLL groups g, g + step, ... below `end`.
CP_FN void cp_take_columns(cp_acc *acc, const cp_slots &p, const cp_place &row, cp_index g, cp_index end,
                           cp_index step) {
  cp_inputs in[CP_UNROLL * CP_VECTOR] = {};
  cp_place at[CP_UNROLL];
  bool on[CP_UNROLL];
  const bool all = g + (CP_UNROLL - 1) * step < end;
  if (!CP_LONG && all) {
#pragma unroll
    for (int u = 0; u < CP_UNROLL; u++) {
      cp_locate_group(p, row, g + u * step, at[u]);
      cp_load_group(p, at[u], in + u * CP_VECTOR);
    }
#pragma unroll
    for (int u = 0; u < CP_UNROLL; u++) cp_keep_group(p, at[u], in + u * CP_VECTOR);
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) acc[k] = cp_take_all<CP_UNROLL, CP_VECTOR, 1>(acc[k], p, in + k);
    return;
  }
#pragma unroll
  for (int u = 0; u < CP_UNROLL; u++) {
    on[u] = g + u * step < end;
    cp_locate_group(p, row, CP_REPEATABLE && !on[u] ? g : g + u * step, at[u]);
    if (CP_REPEATABLE || on[u]) cp_load_group(p, at[u], in + u * CP_VECTOR);
  }
#pragma unroll
  for (int u = 0; u < CP_UNROLL; u++)
    if (on[u]) cp_keep_group(p, at[u], in + u * CP_VECTOR);
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++)
    acc[k] = cp_take<CP_UNROLL, CP_VECTOR, 1, false>(acc[k], p, in + k, on, all);
}

// total[k] becomes the combination of elements k of one thread's batches of CP_UNROLL groups: the batch has
// groups g, g + step, ..., the next begins `further` on. The thread is number `first` of `step`, in block
// number `split` of `splits`.
CP_FN void cp_fold(cp_acc *total, const cp_slots &p, const cp_place &row, unsigned split, unsigned splits,
                   unsigned first, unsigned step) {
  const cp_index end = (cp_index)p.s[CP_GROUPS], batch = CP_UNROLL * step, further = splits * batch;
  cp_index g = split * batch + first;
#if CP_RUN == 0
#pragma unroll 1
  for (; g < end; g += further) cp_take_columns(total, p, row, g, end, step);
#else
#pragma unroll 1
  while (g < end) {
    cp_acc run[CP_VECTOR];
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) run[k] = cp_identity();
#pragma unroll 1
    for (int i = 0; i < CP_RUN && g < end; i++, g += further) cp_take_columns(run, p, row, g, end, step);
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) total[k] = cp_join(total[k], run[k]);
  }
#endif
}
#endif
