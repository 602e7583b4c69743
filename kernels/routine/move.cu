// Moves elements of SIZE bytes to or from given positions (from 1, known to be in range). A thread for each.
//
//   MODE gather     out[k] = in[at[k]]
//   MODE scatter    out[at[k]] = in[k]
//   MODE select     out[at[k]] = in[k] where mask[k]
//   MODE positions  the same for k + 1, as 64 bits
//
// variants: MODE=gather,scatter,select SIZE=1,2,4,8,16
// variants: MODE=positions SIZE=8
//
// Slots: 0 in, 1 mask, 2 at, 3 out, 4 count

#define MODE_gather 1
#define MODE_scatter 2
#define MODE_select 3
#define MODE_positions 4
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { BLOCK = 256 };

struct cp_slots {
  unsigned long long s[5];
};

template <int> struct cp_word;
template <> struct cp_word<1> { typedef unsigned char type; };
template <> struct cp_word<2> { typedef unsigned short type; };
template <> struct cp_word<4> { typedef unsigned type; };
template <> struct cp_word<8> { typedef unsigned long long type; };
template <> struct cp_word<16> { typedef ulonglong2 type; };
typedef cp_word<SIZE>::type cp_element;

extern "C" __global__ void __launch_bounds__(BLOCK) cupola_kernel(const cp_slots p) {
  const long long k = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (k >= (long long)p.s[4]) return;
#if CP_MODE == MODE_select || CP_MODE == MODE_positions
  if (!reinterpret_cast<const unsigned char *>(p.s[1])[k]) return;
#endif
  const long long at = reinterpret_cast<const long long *>(p.s[2])[k] - 1;
  cp_element *out = reinterpret_cast<cp_element *>(p.s[3]);
#if CP_MODE == MODE_positions
  out[at] = (cp_element)(k + 1);
#else
  const cp_element *in = reinterpret_cast<const cp_element *>(p.s[0]);
#if CP_MODE == MODE_gather
  out[k] = in[at];
#else
  out[at] = in[k];
#endif
#endif
}
