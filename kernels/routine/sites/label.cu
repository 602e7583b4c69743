// Connected components: trees of sites, each of which refers to a site of its component that comes before it.
// The root, which refers to itself, is the component's first site in the end.
//
// PASS  0: sites of a run along the last axis refer to its first one; 1: joins the trees of sites that are
//       neighbours; 2: all sites refer to their root
//
// Slots: window.h, whose array is the mask (bytes) and whose taps are the neighbours before a site; 11: the
// pass, 12: 1 if sites that neighbour each other along the last axis are joined. Sites outside of the mask
// are -1.
// variants: T=int32,int64 AXES=2,3 PASS=0,1,2
#include "sites.h"
#include "window.h"

#ifdef CP_SITES_FOR_C
CP_FN bool cp_exchange(E *at, E from, E to) {
  return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
CP_FN E cp_look(const E *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
CP_FN void cp_refer(E *at, E to) { __atomic_store_n(at, to, __ATOMIC_RELAXED); }
#else
CP_FN bool cp_exchange(E *at, E from, E to) {
  return atomicCAS((cp_key *)at, (cp_key)from, (cp_key)to) == (cp_key)from;
}
CP_FN E cp_look(const E *at) { return *(const volatile E *)at; }
CP_FN void cp_refer(E *at, E to) { *(volatile E *)at = to; }
#endif

// The root of a site. The sites on the way are made to refer to one nearer to it.
CP_FN E cp_root(E *labels, E site) {
  E next = cp_look(labels + site);
  while (next != site) {
    const E after = cp_look(labels + next);
    if (after == next) return next;
    cp_refer(labels + site, after);
    site = after;
    next = cp_look(labels + site);
  }
  return site;
}

// Joins two trees: the root that comes later refers to the other one.
CP_FN void cp_join(E *labels, E a, E b) {
  for (;;) {
    a = cp_root(labels, a);
    b = cp_root(labels, b);
    if (a == b) return;
    if (a < b) {
      const E c = a;
      a = b;
      b = c;
    }
    if (cp_exchange(labels + a, a, b)) return;
  }
}

// Makes a site refer to its root, when there is nothing left to join. Each site is changed by its own thread
// only: another one that passes it, as in cp_root, could replace the root by what it read before that.
CP_FN void cp_refer_to_root(E *labels, E site) {
  E next = cp_look(labels + site), after = cp_look(labels + next);
  while (after != next) {
    cp_refer(labels + site, after);
    next = after;
    after = cp_look(labels + next);
  }
}

#ifndef CP_SITES_FOR_C // the CPU's loops over whole rows are in src/cpu/loops/label.h
// Whether tap t of the site at a window's column leads to a site of the array.
CP_FN bool cp_leads(const cp_slots *p, const cp_window *w, const long long *tap) {
  bool inside = true;
  CP_UNROLL
  for (int d = 0; d < AXES; d++) {
    const long long c = w->at[d] + tap[1 + d];
    inside = inside && c >= 0 && c < cp_length(p, d);
  }
  return inside;
}

// Joins a site with its neighbours. Where both sites' runs go on to the left, their left neighbours are
// joined in the same way. in_run: pass 0 has joined the site with the one to its left, if that is in the
// mask.
CP_FN void cp_join_neighbours(const cp_slots *p, const cp_window *w, long long site, bool in_run) {
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  const bool runs = p->s[CP_RANK] != 0 && w->at[AXES - 1] > 0 && mask[site - 1];
  for (long long t = 0; t < cp_slot(p, CP_COUNT); t++) {
    const long long *tap = (const long long *)p->s[CP_TAPS] + t * (1 + AXES), other = site + tap[0];
    if (!cp_leads(p, w, tap) || other < 0 || other >= site || !mask[other]) continue;
    if (runs && in_run && other == site - 1) continue;
    if (runs && w->at[AXES - 1] + tap[AXES] > 0 && mask[other - 1] && other != site - 1) continue;
    cp_join((E *)p->s[CP_OWN + 1], (E)site, (E)other);
  }
}

CP_FN void cp_label(const cp_slots *p, long long row, long long column, int n) {
  const unsigned char *mask = (const unsigned char *)p->s[CP_OWN];
  E *labels = (E *)p->s[CP_OWN + 1];
  cp_window w = cp_window_of(p, row);
  for (int k = 0; k < n; k++) {
    const long long site = w.first + column + k;
    w.at[AXES - 1] = column + k;
    if (PASS == 0)
      labels[site] = !mask[site]                                  ? (E)-1
                     : k > 0 && p->s[CP_RANK] && mask[site - 1] ? labels[site - 1]
                                                                : (E)site;
    else if (!mask[site])
      continue;
    else if (PASS == 1)
      cp_join_neighbours(p, &w, site, k > 0);
    else
      cp_refer_to_root(labels, (E)site);
  }
}
CP_SITES(label, 1)
#endif
