// Strokes with round ends and smooth edges, with which plots are drawn.
#ifndef CP_IMAGE_STROKES_H
#define CP_IMAGE_STROKES_H

#include <stdbool.h>
#include <stdint.h>

#include "device/interrupt.h"

// Points in pixels, from the upper left corner of the picture. If joined, strokes lead from point to point,
// and a point that is not finite ends one; else each point is a dot.
typedef struct cp_strokes {
  const double *points; // x and y in turn
  int64_t count;        // of the points
  bool joined;
  double radius; // half of a stroke's width
} cp_strokes;

// The most pixels of a picture with strokes.
enum { CP_STROKED_PIXELS = 1 << 26 };

// Sets coverage, height x width, to the part of each pixel that the strokes cover, 0 to 1. Strokes that
// overlap cover a pixel once. Fails only when the host interrupts through ctx (NULL: never).
cp_status cp_cover_strokes(cp_context *ctx, const cp_strokes *strokes, int64_t width, int64_t height,
                           float *coverage);

#endif
