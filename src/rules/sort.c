// Sorts, searches and interpolates: makes arguments contiguous, and calls the device (sort.h).
#include "rules/sort.h"

#include "lazy/arrays/access.h"
#include "routines/sort.h"
#include "rules/fresh.h"

// ---- sorting ----------------------------------------------------------------------------------------------

static cp_status run_sort(cp_context *ctx, cp_array *x, cp_array *result, cp_sort_job *job, bool positions) {
  cp_stream *stream;
  const cp_use uses[] = {{x, CP_READ}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, x->device, 2, uses, &stream));
  char *out = cp_address(result);
  job->in = cp_address(x);
  job->values = positions ? NULL : out;
  job->positions = positions ? (int64_t *)(void *)out : NULL;
  return x->device->ops->sort->sort(ctx, stream, job);
}

// Sorts x, which is contiguous.
static cp_status sort_dense(cp_context *ctx, cp_array *x, bool positions, const cp_places *places,
                            cp_array *result) {
  const int64_t length = x->shape[x->ndim - 1];
  cp_sort_job job = {.dtype = x->dtype,
                     .length = length,
                     .first = places != NULL ? places->first : 0,
                     .last = places != NULL ? places->last : length - 1,
                     .bound = places != NULL ? places->bound : 0};
  cp_buffer *scratch = NULL;
  CP_TRY(cp_new_array(ctx, result, x->device, positions ? CP_INT64 : x->dtype, x->ndim, x->shape));
  if (x->size == 0) return CP_OK;
  job.rows = x->size / job.length;
  // The size of the scratch memory depends on which of the two is not NULL; their addresses come later.
  job.positions = positions ? (int64_t *)(void *)&job : NULL;
  job.values = positions ? NULL : &job;
  CP_TRY(cp_new_scratch(ctx, x->device, x->device->ops->sort->sort_scratch(x->device, &job), &scratch));
  job.scratch = scratch != NULL ? scratch->pointer : NULL;
  cp_status status = run_sort(ctx, x, result, &job, positions);
  if (scratch != NULL) cp_buffer_release(scratch);
  return status;
}

cp_status cp_sort(cp_context *ctx, cp_array *x, bool positions, const cp_places *places, cp_array *result) {
  cp_form f;
  if (x->ndim == 0 || cp_is_complex(x->dtype))
    return cp_fail(CP_EUSAGE, "a must have at least one axis and a real dtype");
  if (places != NULL &&
      (places->first < 0 || places->last < places->first || places->last >= x->shape[x->ndim - 1]))
    return cp_fail(CP_EINDEX, "positions %lld to %lld are not within an axis of length %lld",
                   (long long)places->first, (long long)places->last, (long long)x->shape[x->ndim - 1]);
  cp_begin_form(&f, x);
  cp_status status = cp_form_dense(ctx, &f);
  if (status == CP_OK) status = sort_dense(ctx, f.a, positions, places, result);
  cp_end_form(&f);
  return status;
}

// ---- searching --------------------------------------------------------------------------------------------

// Searches; both arrays are contiguous.
static cp_status search_dense(cp_context *ctx, cp_array *sorted, cp_array *values, bool behind,
                              cp_array *result) {
  cp_stream *stream;
  CP_TRY(cp_new_array(ctx, result, values->device, CP_INT64, values->ndim, values->shape));
  if (values->size == 0) return CP_OK;
  const cp_use uses[] = {{sorted, CP_READ}, {values, CP_READ}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, sorted->device, 3, uses, &stream));
  const cp_search_job job = {.dtype = sorted->dtype,
                             .length = sorted->size,
                             .count = values->size,
                             .sorted = cp_address(sorted),
                             .values = cp_address(values),
                             .behind = behind,
                             .positions = (int64_t *)(void *)cp_address(result)};
  return sorted->device->ops->sort->search(ctx, stream, &job);
}

cp_status cp_search(cp_context *ctx, cp_array *sorted, cp_array *values, bool behind, cp_array *result) {
  cp_form s, v;
  if (sorted->dtype != values->dtype) return cp_fail(CP_EUSAGE, "a and v must have the same dtype");
  cp_begin_form(&s, sorted);
  cp_begin_form(&v, values);
  cp_status status = cp_form_dense(ctx, &s);
  if (status == CP_OK) status = cp_form_dense(ctx, &v);
  if (status == CP_OK) status = search_dense(ctx, s.a, v.a, behind, result);
  cp_end_form(&s);
  cp_end_form(&v);
  return status;
}

// ---- interpolating ----------------------------------------------------------------------------------------

static cp_status interpolate_dense(cp_context *ctx, cp_array *x, const cp_table *t, cp_array *result) {
  cp_stream *stream;
  CP_TRY(cp_new_array(ctx, result, x->device, CP_FLOAT64, x->ndim, x->shape));
  if (x->size == 0) return CP_OK;
  const cp_use uses[] = {{x, CP_READ},        {t->xp, CP_READ},    {t->fp, CP_READ},
                         {t->below, CP_READ}, {t->above, CP_READ}, {result, CP_WRITE_WHOLE}};
  CP_TRY(cp_open_arrays(ctx, x->device, 6, uses, &stream));
  const cp_interpolate_job job = {.length = t->xp->size,
                                  .count = x->size,
                                  .x = (const double *)(const void *)cp_address(x),
                                  .xp = (const double *)(const void *)cp_address(t->xp),
                                  .fp = (const double *)(const void *)cp_address(t->fp),
                                  .below = (const double *)(const void *)cp_address(t->below),
                                  .above = (const double *)(const void *)cp_address(t->above),
                                  .imaginary = t->imaginary,
                                  .out = (double *)(void *)cp_address(result)};
  return x->device->ops->sort->interpolate(ctx, stream, &job);
}

cp_status cp_interpolate(cp_context *ctx, cp_array *x, const cp_table *t, cp_array *result) {
  enum { ARRAYS = 5 };
  cp_array *const given[ARRAYS] = {x, t->xp, t->fp, t->below, t->above};
  cp_form f[ARRAYS];
  cp_status status = CP_OK;
  for (int k = 0; k < ARRAYS; k++)
    if (given[k]->dtype != CP_FLOAT64) return cp_fail(CP_EUSAGE, "all arrays must be float64");
  if (t->xp->size == 0 || t->fp->size != t->xp->size || t->below->size != 1 || t->above->size != 1)
    return cp_fail(CP_ESHAPE, "xp and fp must have the same length, and left and right one element");
  for (int k = 0; k < ARRAYS; k++) cp_begin_form(&f[k], given[k]);
  for (int k = 0; k < ARRAYS && status == CP_OK; k++) status = cp_form_dense(ctx, &f[k]);
  const cp_table dense = {f[1].a, f[2].a, f[3].a, f[4].a, t->imaginary};
  if (status == CP_OK) status = interpolate_dense(ctx, f[0].a, &dense, result);
  for (int k = 0; k < ARRAYS; k++) cp_end_form(&f[k]);
  return status;
}
