// A ReductionKernel on the CPU: outputs [cp_begin, cp_end), each reduced completely, in an order that depends
// on the lengths alone. Runs of elements are combined in LANES independent chains, and the runs in a binary
// tree, which keeps the rounding errors of sums small.

// Combines `count` elements along the innermost dimension.
static cp_acc cp_run(const cp_slots &p, const cp_place &at, long long count) {
  enum { LANES = 8 };
  long long k = LANES;
  if (count < 2 * LANES) {
    cp_acc total = cp_identity();
    for (k = 0; k < count; k++) total = cp_combine(total, cp_element(p, cp_load_element(p, at, (cp_index)k)));
    return total;
  }
  cp_acc lane[LANES];
  for (int u = 0; u < LANES; u++) lane[u] = cp_element(p, cp_load_element(p, at, (cp_index)u));
  for (; k + LANES <= count; k += LANES)
    for (int u = 0; u < LANES; u++)
      lane[u] = cp_combine(lane[u], cp_element(p, cp_load_element(p, at, (cp_index)(k + u))));
  for (int u = 0; k < count; k++, u++)
    lane[u] = cp_combine(lane[u], cp_element(p, cp_load_element(p, at, (cp_index)k)));
  for (int s = LANES / 2; s > 0; s /= 2)
    for (int u = 0; u < s; u++) lane[u] = cp_combine(lane[u], lane[u + s]);
  return lane[0];
}

static cp_acc cp_row(const cp_slots &p, const cp_place &row, long long inner, long long length) {
  enum { RUN = 512, LEVELS = 64 };
  cp_acc level[LEVELS];
  unsigned long long runs = 0; // level[b] holds 2^b runs if bit b is set
  for (long long next = 0; next < inner;) {
    cp_place at;
    const long long first = (long long)cp_locate_group(p, row, (cp_index)next, at);
    const long long rest = length - first, count = rest < RUN ? rest : RUN;
    cp_acc acc = cp_run(p, at, count);
    int b = 0;
    for (; runs >> b & 1; b++) acc = cp_combine(level[b], acc);
    level[b] = acc;
    runs++;
    next += count;
  }
  cp_acc total = cp_identity();
  for (int b = 0; b < LEVELS && runs >> b != 0; b++)
    if (runs >> b & 1) total = cp_combine(level[b], total);
  return total;
}

extern "C" void cupola_kernel(const unsigned long long *cp_arguments, long long cp_begin, long long cp_end,
                              void *) {
  const cp_slots &p = *(const cp_slots *)cp_arguments;
  for (; cp_begin < cp_end; cp_begin++) {
    cp_place row;
    cp_locate_row(p, (cp_index)cp_begin, row);
    cp_store(p, row, cp_row(p, row, (long long)p.s[CP_SECOND], (long long)cp_length(p)));
  }
}
