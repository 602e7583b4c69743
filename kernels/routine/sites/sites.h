// What the texts in this folder share. Each does work at many sites that do not depend on each other, and is
// written in the common subset of C11 and CUDA C++, so that both devices compile the same text:
// src/cpu/loops/sites.c for each element type and instruction level, and cp_cuda_routine.
//
// Sites lie in rows. CP_SITES(name, span) makes cp_name(slots, row, column, n) the work at the n sites of a
// row from a column on. On a GPU n is 1, or the text has its own entry, whose threads take CP_EACH_THREAD
// sites; the CPU takes up to `span` of them, CP_SPAN(span), so that loops over them are vectorised. E is the
// element type.
//
// Slots: 0 rows, 1 columns, 2 logarithm of the columns in a block's tile, and 256 times the sites of a
// thread, 3 tiles across; from CP_OWN on those of each text. ORDER as in src/routines/sites.h.
#ifndef CP_SITES_TEXT_H
#define CP_SITES_TEXT_H
#define CP_OWN   4
#define CP_SLOTS 48

#ifndef CP_SITES_FOR_C

typedef T_memory E;
struct cp_slots {
  unsigned long long s[CP_SLOTS];
};

template <int BYTES> struct cp_key_of { typedef unsigned long long type; };
template <> struct cp_key_of<1> { typedef unsigned char type; };
template <> struct cp_key_of<2> { typedef unsigned short type; };
template <> struct cp_key_of<4> { typedef unsigned type; };
typedef cp_key_of<sizeof(E)>::type cp_key;

#define CP_UNROLL     _Pragma("unroll")
#define CP_SPAN(span) 1

// A thread that takes several sites of a row finds them CP_STRIDE columns apart; CP_EACH_THREAD of them are
// worked on at once.
#ifndef CP_THREADS
#define CP_THREADS 256
#endif
// ORDER in src/cuda/routines/sites.c
enum { THREADS = CP_THREADS, CP_EACH_THREAD = 4, CP_STRIDE = 32 };

CP_FN int cp_each(const cp_slots &p) { return (int)(p.s[2] >> 8); }

// The site of a thread that takes one. Blocks have tiles of THREADS sites, in the order of sites. False:
// there is none.
CP_FN bool cp_only_site(const cp_slots &p, long long *row, long long *column) {
  const unsigned across = (unsigned)p.s[3], down = blockIdx.x / across, log = (unsigned)p.s[2] & 255;
  *row = (long long)down * (THREADS >> log) + (threadIdx.x >> log);
  *column = (long long)(blockIdx.x - down * across) * (1u << log) + (threadIdx.x & ((1u << log) - 1));
  return *row < (long long)p.s[0] && *column < (long long)p.s[1];
}

// The first site of a thread that takes several. A block works on as many tiles, whose columns neighbour each
// other. Blocks at both ends of the array come first: what lies at its borders takes long.
CP_FN bool cp_first_site(const cp_slots &p, long long *row, long long *column) {
  const unsigned across = (unsigned)p.s[3], block = blockIdx.x / across, log = (unsigned)p.s[2] & 255;
  const unsigned rows = THREADS >> log, last = (unsigned)((p.s[0] - 1) >> (__ffs(rows) - 1));
  const unsigned down = block & 1 ? last - block / 2 : block / 2, lanes = 1u << log;
  const unsigned within = threadIdx.x & (lanes - 1), lane = within % CP_STRIDE, each = cp_each(p);
  *row = (long long)down * rows + (threadIdx.x >> log);
  *column = (long long)(blockIdx.x - block * across) * lanes * each + (within - lane) * each + lane;
  return *row < (long long)p.s[0] && *column < (long long)p.s[1];
}

#define CP_SITES(name, span)                                                                                 \
  extern "C" __global__ void __launch_bounds__(THREADS) CP_ENTRY(const __grid_constant__ cp_slots p) {       \
    CP_AWAIT;                                                                                                \
    long long row, column;                                                                                   \
    if (cp_only_site(p, &row, &column)) cp_##name(&p, row, column, 1);                                       \
  }

#else

#define CP_UNROLL
#define CP_SPAN(span) span

#endif

#define CP_E_REAL   ((E)1 / 2 != 0)
#define CP_E_SIGNED ((E)-1 < (E)1)

CP_FN bool cp_is_nan(double v) { return v != v; }

CP_FN long long cp_slot(const cp_slots *p, int k) { return (long long)p->s[k]; }

CP_FN double cp_real_slot(const cp_slots *p, int k) {
  double v;
  memcpy(&v, &p->s[k], sizeof v);
  return v;
}

CP_FN E cp_element_slot(const cp_slots *p, int k) {
  E v;
  memcpy(&v, &p->s[k], sizeof v);
  return v;
}

// a / b for non-negative numbers; most are short.
CP_FN long long cp_quotient(long long a, long long b) {
  return ((unsigned long long)a | (unsigned long long)b) >> 32 == 0 ? (long long)((unsigned)a / (unsigned)b)
                                                                    : a / b;
}

#endif
