// The part of a pixel that a stroke covers follows from the distance between the pixel's middle and the line
// from the stroke's one end to the other: it falls from 1 to 0 over the width of a pixel at the edge.
#include "image/strokes.h"

#include <math.h>

typedef struct point {
  double x, y;
} point;

typedef struct painter {
  int64_t width, height;
  double reach; // no pixel that is farther than reach from a line is covered
  double most;  // what a line covers of a pixel in its middle
  float *coverage;
} painter;

// Narrows *from..*to, a part of the way from p to q, to where the coordinate lies in low..high. Returns
// whether something is left.
static bool narrow(double p, double q, double low, double high, double *from, double *to) {
  double step = q - p;
  if (step == 0) return p >= low && p <= high;
  double enter = (low - p) / step, leave = (high - p) / step;
  *from = fmax(*from, fmin(enter, leave));
  *to = fmin(*to, fmax(enter, leave));
  return *from <= *to;
}

static double within(double v, double low, double high) { return fmin(fmax(v, low), high); }

// The line's part that can cover pixels, so that no coordinate is large. Returns whether there is one.
static bool clip(const painter *p, point *a, point *b) {
  double low = -2 * p->reach, right = (double)p->width - low, bottom = (double)p->height - low, from = 0,
         to = 1;
  if (!narrow(a->x, b->x, low, right, &from, &to) || !narrow(a->y, b->y, low, bottom, &from, &to))
    return false;
  double x = b->x - a->x, y = b->y - a->y;
  *b = (point){within(a->x + to * x, low, right), within(a->y + to * y, low, bottom)};
  *a = (point){within(a->x + from * x, low, right), within(a->y + from * y, low, bottom)};
  return true;
}

// The first of the pixels 0..count whose middle is at v or after it.
static int64_t first_after(double v, int64_t count) {
  return (int64_t)within(ceil(v - 0.5), 0, (double)count);
}

// Covers pixels of row y between the columns first and last (exclusive) by the line from a to b.
static void cover_row(const painter *p, point a, point b, int64_t y, int64_t first, int64_t last) {
  double x = b.x - a.x, up = b.y - a.y, square = x * x + up * up, down = (double)y + 0.5 - a.y;
  float *row = p->coverage + y * p->width;
  for (int64_t k = first; k < last; k++) {
    double along = (double)k + 0.5 - a.x;
    double part = square > 0 ? within((along * x + down * up) / square, 0, 1) : 0;
    double aside = along - part * x, above = down - part * up;
    double distance = sqrt(aside * aside + above * above);
    float covered = (float)within(p->reach - distance, 0, p->most);
    if (covered > row[k]) row[k] = covered;
  }
}

static void cover_line(const painter *p, point a, point b) {
  if (!clip(p, &a, &b)) return;
  int64_t top = first_after(fmin(a.y, b.y) - p->reach, p->height);
  int64_t bottom = first_after(fmax(a.y, b.y) + p->reach, p->height);
  for (int64_t y = top; y < bottom; y++) {
    // What covers pixels of this row is no farther from it than reach.
    double middle = (double)y + 0.5, from = 0, to = 1;
    if (!narrow(a.y, b.y, middle - p->reach, middle + p->reach, &from, &to)) continue;
    double x0 = a.x + from * (b.x - a.x), x1 = a.x + to * (b.x - a.x);
    cover_row(p, a, b, y, first_after(fmin(x0, x1) - p->reach, p->width),
              first_after(fmax(x0, x1) + p->reach, p->width));
  }
}

static bool is_finite(point p) { return isfinite(p.x) && isfinite(p.y); }

static point point_at(const cp_strokes *s, int64_t k) {
  if (k < 0 || k >= s->count) return (point){NAN, NAN};
  return (point){s->points[2 * k], s->points[2 * k + 1]};
}

cp_status cp_cover_strokes(cp_context *ctx, const cp_strokes *strokes, int64_t width, int64_t height,
                           float *coverage) {
  painter p = {width, height, strokes->radius + 0.5, fmin(1, 2 * strokes->radius), coverage};
  for (int64_t k = 0; k < width * height; k++) coverage[k] = 0;
  for (int64_t k = 0; k < strokes->count; k++) {
    if (k % 256 == 0) CP_TRY(cp_poll(ctx));
    point here = point_at(strokes, k);
    if (!is_finite(here)) continue;
    if (strokes->joined && is_finite(point_at(strokes, k + 1)))
      cover_line(&p, here, point_at(strokes, k + 1));
    else if (!strokes->joined || !is_finite(point_at(strokes, k - 1)))
      cover_line(&p, here, here);
  }
  return CP_OK;
}
