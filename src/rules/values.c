// Converts values to the dtype and the form in which they can be written into an array (values.h).
#include "rules/values.h"

#include "lazy/arrays/assign.h"
#include "lazy/arrays/pending.h"
#include "lazy/evaluation/force.h"

cp_status cp_fit_number(cp_dtype t, char kind, bool weak, cp_scalar *s) {
  const char *to = cp_dtypes[t].name, *from = cp_dtypes[s->dtype].name;
  bool other_kind = !weak ? !cp_can_cast(s->dtype, t, CP_CAST_SAME_KIND) : kind == 'c' && !cp_is_complex(t);
  if (other_kind)
    return cp_fail(CP_EDTYPE, "cannot write %s into %s; convert with :astype(\"%s\")", from, to, to);
  if (!weak) return CP_OK;
  if (kind == 'i' && cp_is_integer(t) && !cp_scalar_fits(*s, t))
    return cp_fail(CP_EDTYPE, "%.17g does not fit %s", cp_scalar_cast(*s, CP_FLOAT64).v.f, to);
  if (kind == 'f' && cp_is_integer(t))
    return cp_fail(CP_EDTYPE, "cannot write %.17g into %s; convert the array with :astype",
                   cp_scalar_cast(*s, CP_FLOAT64).v.f, to);
  *s = cp_scalar_cast(*s, t);
  return CP_OK;
}

// Makes the number an array without axes, in target's dtype.
static cp_status new_number(cp_context *ctx, cp_array *a, const cp_value *v, const cp_array *target) {
  cp_scalar s = v->s;
  cp_node *root = NULL;
  CP_TRY(cp_fit_number(target->dtype, v->kind, v->weak, &s));
  CP_TRY(cp_new_array(ctx, a, target->device, target->dtype, 0, NULL));
  CP_TRY(cp_node_scalar(s, &root));
  return cp_assign(ctx, a, root, CP_MAY_RENAME);
}

static cp_status check_values(const cp_array *v, const cp_array *target) {
  const char *to = cp_dtypes[target->dtype].name;
  CP_TRY(cp_array_alive(v));
  if (v->device != target->device)
    return cp_fail(CP_EUSAGE, "cannot write values on %s into an array on %s; move them with :to(\"%s\")",
                   v->device->name, target->device->name, target->device->name);
  if (!cp_can_cast(v->dtype, target->dtype, CP_CAST_SAME_KIND))
    return cp_fail(CP_EDTYPE, "cannot write %s into %s; convert with :astype(\"%s\")",
                   cp_dtypes[v->dtype].name, to, to);
  return CP_OK;
}

cp_status cp_form_value(cp_context *ctx, cp_form *f, const cp_value *v, const cp_array *target) {
  cp_begin_form(f, v->array);
  if (v->array == NULL) {
    f->a = &f->copy.a;
    return new_number(ctx, f->a, v, target);
  }
  CP_TRY(check_values(v->array, target));
  CP_TRY(cp_force(ctx, v->array));
  bool as_it_is = v->array->dtype == target->dtype && !cp_may_overlap(v->array, target);
  return as_it_is ? CP_OK : cp_form_cast(ctx, f, target->dtype);
}

int cp_surplus_axes(const cp_array *target, const cp_array *value) {
  const int n = value->ndim - target->ndim; // always positive
  for (int k = 0; k < value->ndim; k++) {
    const int64_t length = value->shape[k];
    if (length != 1 && (k < n || length != target->shape[k - n])) return 0;
  }
  return n;
}
