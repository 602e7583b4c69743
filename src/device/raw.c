// The list of raw-kernel modules that a state has loaded, found by key.
#include "device/raw.h"

#include "device/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cp_raw_module *find(const cp_context *ctx, const cp_device *d, const cp_raw_source *s) {
  for (cp_raw_module *m = ctx->modules; m != NULL; m = m->next)
    if (m->device == d && m->key_size == s->key_size && memcmp(m->key, s->key, s->key_size) == 0) return m;
  return NULL;
}

cp_status cp_raw_load(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out) {
  cp_raw_module *m = NULL;
  *out = find(ctx, d, s);
  if (*out != NULL) return CP_OK;
  CP_TRY(cp_budget_kernel(ctx));
  char *key = malloc(s->key_size + 1);
  if (key == NULL) return cp_fail(CP_EMEMORY, "out of host memory while loading %s", s->name);
  memcpy(key, s->key, s->key_size);
  cp_status status = d->ops->raw->load(ctx, d, s, &m);
  if (status != CP_OK) {
    free(key);
    return status;
  }
  m->device = d;
  m->key = key;
  m->key_size = s->key_size;
  m->next = ctx->modules;
  ctx->modules = m;
  *out = m;
  return CP_OK;
}

cp_status cp_raw_report(const cp_raw_checks *c, const int64_t *words, bool named) {
  char axis[32] = "";
  int64_t number = words[CP_FAULT_CHECK], length = words[CP_FAULT_LENGTH];
  if (number < 1 || number > c->count) return cp_fail(CP_EINDEX, "a position is out of range");
  const cp_raw_check *check = &c->list[number - 1];
  if (check->ndim > 1) snprintf(axis, sizeof axis, " along axis %d", (int)words[CP_FAULT_AXIS]);
  return cp_fail(CP_EINDEX, "%s%s%s:%d: position %lld of '%s', which has %lld element%s%s",
                 named ? c->kernel : "", named ? ": " : "", check->file, check->line,
                 (long long)words[CP_FAULT_POSITION], check->array, (long long)length, length == 1 ? "" : "s",
                 axis);
}

void cp_raw_close(cp_context *ctx) {
  while (ctx->modules != NULL) {
    cp_raw_module *m = ctx->modules;
    ctx->modules = m->next;
    free(m->key);
    free(m->checks);
    m->device->ops->raw->unload(m);
  }
}
