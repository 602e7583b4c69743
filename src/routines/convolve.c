// Brings the axes of a convolution into the form that devices work on.
#include "routines/convolve.h"

enum { SHORT = 16 }; // along shorter innermost axes the loops are too short

// True if the filter does not act along the axis: result elements read only the array's element at the same
// index.
static bool passive(const cp_convolve_axis *a) { return a->filter == 1 && a->start == 0 && a->in >= a->out; }

// True if axis b, which follows axis a, can be merged with it.
static bool joined(const cp_convolve_axis *a, const cp_convolve_axis *b) {
  return passive(a) && passive(b) && b->in == b->out && a->in_stride == b->in_stride * b->in &&
         a->out_stride == b->out_stride * b->out;
}

// Moves the last axis to the front. The filter has one element along it, so its elements keep their order.
static void rotate(cp_convolve_job *j) {
  cp_convolve_axis last = j->axes[j->ndim - 1];
  for (int d = j->ndim - 1; d > 0; d--) j->axes[d] = j->axes[d - 1];
  j->axes[0] = last;
}

void cp_convolve_collapse(cp_convolve_job *j) {
  int n = 0;
  for (int d = 0; d < j->ndim; d++) {
    const cp_convolve_axis a = j->axes[d];
    if (passive(&a) && a.out == 1) continue;
    if (n > 0 && joined(&j->axes[n - 1], &a)) {
      const cp_convolve_axis before = j->axes[n - 1];
      j->axes[n - 1] = a;
      j->axes[n - 1].in *= before.in;
      j->axes[n - 1].out *= before.out;
    } else {
      j->axes[n++] = a;
    }
  }
  j->ndim = n > 0 ? n : 1; // a single element: any axis will do
  // The channels of a picture.
  if (n > 1 && passive(&j->axes[n - 1]) && j->axes[n - 1].out < SHORT && j->axes[n - 2].out >= SHORT)
    rotate(j);
}
