// Labels by rows of sites (kernels/routine/sites/label.cu), for sites.c. Bytes of the mask are 0 or 1.
//
// Where two rows are joined, eight sites are compared at a time, and only the first of those that follow each
// other in both rows is joined: the rest is by the runs.

// Pass 0: the sites of a run refer to its first one. joined: neighbours along the row are. By bits, as
// compilers branch where they may choose, and masks are hard to predict.
CP_FN void cp_label_runs(const unsigned char *mask, E *labels, E site, int n, bool joined) {
  E start = site, after = 0; // after: all bits are set if the site before is in the mask, and joined
  for (int k = 0; k < n; k++, site++) {
    const E in = mask[k] != 0 ? (E)-1 : 0, goes_on = (E)(in & after);
    start = (E)((start & goes_on) | (site & ~goes_on));
    labels[k] = (E)(start | ~in);
    after = joined ? in : 0;
  }
}

CP_FN unsigned long long cp_eight(const unsigned char *from) {
  unsigned long long bytes;
  memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

typedef struct cp_two_rows {
  const unsigned char *mask;
  E *labels;
  long long distance; // from a site to the one that it is joined with
  long long closer;   // 1 or -1: the site that much behind that one is a neighbour too; or 0
  bool joined;        // neighbours along the row are
} cp_two_rows;

CP_FN void cp_join_pair(const cp_two_rows *r, long long site) {
  cp_join(r->labels, (E)site, (E)(site + r->distance));
}

// Which of eight sites must be joined with those at the distance: not those whose left neighbours are joined
// in the same way, nor those where another neighbour is in the same run, or the site has one in its own run.
CP_FN unsigned long long cp_pairs(const cp_two_rows *r, long long site) {
  const unsigned char *own = r->mask + site, *other = own + r->distance;
  const unsigned long long both = cp_eight(own) & cp_eight(other);
  if (r->closer != 0) return both & ~(cp_eight(own - r->closer) | cp_eight(other + r->closer));
  return r->joined ? both & ~(cp_eight(own - 1) & cp_eight(other - 1)) : both;
}

// Joins sites first..end-1 of a row with those at a distance. first_of_row: neither site at `first` has a
// left neighbour.
CP_FN void cp_join_rows(const cp_two_rows *r, long long first, long long end, bool first_of_row) {
  const unsigned char *mask = r->mask, *other = mask + r->distance;
  long long site = first;
  if (first < end && first_of_row && mask[site] && other[site]) cp_join_pair(r, site);
  site += first_of_row;
  for (; site + 8 <= end; site += 8)
    for (unsigned long long pairs = cp_pairs(r, site); pairs != 0; pairs &= pairs - 1)
      cp_join_pair(r, site + __builtin_ctzll(pairs) / 8);
  for (; site < end; site++)
    if (mask[site] && other[site] && !(r->joined && mask[site - 1] && other[site - 1])) cp_join_pair(r, site);
}

// 1 or -1 if tap t's neighbour in its row that is closer to the site is a tap too, and in its run; else 0.
// Taps are in C order.
CP_FN long long cp_closer(const cp_slots *p, long long t) {
  const long long *tap = (const long long *)p->s[CP_TAPS] + t * (1 + AXES);
  const long long beside = tap[AXES], step = beside < 0 ? 1 : -1;
  if (beside == 0 || t + step < 0 || t + step >= cp_slot(p, CP_COUNT) || p->s[CP_RANK] == 0) return 0;
  for (int d = 1; d < AXES; d++)
    if (tap[step * (1 + AXES) + d] != tap[d]) return 0;
  return tap[step * (1 + AXES) + AXES] == beside + step ? step : 0;
}

// Pass 1 for one tap and the sites column..column+n-1 of a row.
CP_FN void cp_join_tap(const cp_slots *p, const cp_window *w, long long t, long long column, int n) {
  const long long *tap = (const long long *)p->s[CP_TAPS] + t * (1 + AXES);
  cp_two_rows r = {(const unsigned char *)p->s[CP_OWN], (E *)p->s[CP_OWN + 1], 0, 0, p->s[CP_RANK] != 0};
  const long long beside = tap[AXES], columns = cp_length(p, AXES - 1);
  const long long least = beside < 0 ? -beside : 0, most = beside > 0 ? columns - beside : columns;
  bool same_row = true;
  for (int d = 0; d < AXES - 1; d++) {
    const long long c = w->at[d] + tap[1 + d];
    if (c < 0 || c >= cp_length(p, d)) return;
    same_row = same_row && tap[1 + d] == 0;
    r.distance = (r.distance + tap[1 + d]) * cp_length(p, d + 1);
  }
  r.distance += beside;
  const long long first = column > least ? column : least, end = column + n < most ? column + n : most;
  if (r.distance >= 0 || r.distance != tap[0] || first >= end) return; // such taps are not promised
  if (r.joined && same_row && beside == -1) { // pass 0 has joined these but at the beginning
    const long long site = w->first + first;
    if (first == column && r.mask[site] && r.mask[site - 1]) cp_join_pair(&r, site);
    return;
  }
  r.closer = cp_closer(p, t);
  cp_join_rows(&r, w->first + first, w->first + end, first == least);
}

CP_FN void cp_label(const cp_slots *p, long long row, long long column, int n) {
  E *labels = (E *)p->s[CP_OWN + 1];
  const cp_window w = cp_window_of(p, row);
  const long long first = w.first + column;
  if (p->s[CP_WHICH] == 0)
    cp_label_runs((const unsigned char *)p->s[CP_OWN] + first, labels + first, (E)first, n,
                  p->s[CP_RANK] != 0);
  else if (p->s[CP_WHICH] == 1)
    for (long long t = 0; t < cp_slot(p, CP_COUNT); t++) cp_join_tap(p, &w, t, column, n);
  else
    for (int k = 0; k < n; k++)
      if (labels[first + k] >= 0) cp_refer_to_root(labels, (E)(first + k), false);
}
CP_SITES(label, 4096)
