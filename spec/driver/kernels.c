// The kernels of the simulated driver: one that reads the elements that an array of positions selects (with
// the slots of kernels/routine/lookup.cu), one that checks the positions of a sparse matrix,
// and those of writes.c and jit.c. A kernel's "code" is its name
// (nvrtc.c).
#include "driver.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS = 11 };

// A module is the name of its only kernel, or has kernels that were compiled for the host.
typedef struct module {
  const void *compiled; // NULL: none
  char name[];
} module;

// What stands for a function.
typedef struct function {
  const char *name;
  const void *compiled; // NULL: it is known by its name
} function;

int cuModuleLoadData(void **out, const void *image) {
  module *m = malloc(sizeof *m + strlen(image) + 1);
  if (m == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  strcpy(m->name, image);
  m->compiled = driver_is_object(image) ? driver_load(image) : NULL;
  *out = m;
  return CPCU_SUCCESS;
}

int cuModuleLoadDataEx(void **out, const void *image, unsigned count, void *options, void **values) {
  (void)count, (void)options, (void)values;
  return cuModuleLoadData(out, image);
}

int cuModuleUnload(void *m) { // never freed, because queued work may refer to it
  (void)m;
  return CPCU_SUCCESS;
}

int cuModuleGetFunction(void **out, void *of, const char *name) {
  const module *m = of;
  const function found = {m->name, m->compiled != NULL ? driver_find(m->compiled, name) : NULL};
  if (m->compiled != NULL && found.compiled == NULL) return CPCU_ERROR_NOT_FOUND;
  function *f = malloc(sizeof *f);
  if (f == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  *f = found;
  *out = f;
  return CPCU_SUCCESS;
}

int cuFuncGetParamInfo(void *of, size_t index, size_t *offset, size_t *size) {
  const function *f = of;
  *offset = 0;
  bool there = f->compiled != NULL ? driver_parameter(f->compiled, index, size)
                                   : driver_jit_parameter(f->name, index, size);
  return there ? CPCU_SUCCESS : CPCU_ERROR_INVALID_VALUE;
}

int cuFuncGetAttribute(int *value, int attribute, void *f) {
  (void)f;
  *value = attribute == CPCU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CPCU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                  : 1;
  return CPCU_SUCCESS;
}

int cuFuncSetAttribute(void *f, int attribute, int value) {
  (void)f, (void)attribute, (void)value;
  return CPCU_SUCCESS;
}

static int64_t position_at(const char *p, int bytes) {
  int64_t wide;
  int32_t narrow;
  if (bytes == 8) return memcpy(&wide, p, sizeof wide), wide;
  return memcpy(&narrow, p, sizeof narrow), narrow;
}

void driver_look_up(const work *w) {
  const int64_t *s = (const int64_t *)w->from;
  int64_t *words = driver_pointer((cpcu_deviceptr)s[3]);
  for (int64_t e = 0; e < s[0]; e++) {
    int64_t i = position_at((const char *)s[7] + e * s[10], w->value), at = i > 0 ? i - 1 : i + s[8];
    char *to = (char *)s[2] + e * s[6];
    if (at >= 0 && at < s[8]) {
      memcpy(to, (const char *)s[1] + e * s[5] + at * s[9], w->bytes);
    } else {
      words[0] = i == 0 ? INT64_MIN : i;
      memset(to, 0, w->bytes);
    }
  }
}

// kernels/routine/sparse/rows.cu with MODE=check, of int32 positions: whether they ascend, where they end.
void driver_check_rows(const work *w) {
  enum { UNSORTED = 2, END = 6 }; // ORDER as in cp_sparse_fact
  const int64_t *s = (const int64_t *)w->from;
  const int32_t *starts = (const int32_t *)s[0], *columns = (const int32_t *)s[1];
  int64_t *facts = (int64_t *)s[2];
  for (int64_t r = 0; r < s[3]; r++)
    for (int64_t k = starts[r] + 1; k < starts[r + 1]; k++)
      if (columns[k] <= columns[k - 1]) facts[UNSORTED] = 1;
  facts[END] = starts[s[3]];
}

// The copy of the arguments is never freed, because a graph may run the kernel again.
static int launch(const char *name, unsigned grid, void *on, void **arguments) {
  int bytes = 0, index = 0;
  if (driver_launch_jit(name, on, arguments, grid, false)) return CPCU_SUCCESS;
  if (driver_launch_write(name, on, arguments[0], grid)) return CPCU_SUCCESS;
  bool rows = strncmp(name, "sparse/rows (MODE=check INDEX=int32", 35) == 0;
  bool known = sscanf(name, "lookup (KIND=0 BYTES=%d INDEX=%d COUNT=1 NDIM=1", &bytes, &index) == 2;
  driver_forbid(!known && !rows, name);
  int64_t *slots = malloc(SLOTS * sizeof *slots);
  if (slots == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  memcpy(slots, arguments[0], (rows ? 6 : SLOTS) * sizeof *slots);
  return driver_queue(
      driver_stream(on),
      (work){.kind = rows ? CHECK_ROWS : LOOK_UP, .from = slots, .bytes = (size_t)bytes, .value = index});
}

int cuLaunchKernel(void *of, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *on, void **arguments, void **extra) {
  const function *f = of;
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  (void)extra;
  if (f->compiled == NULL) return launch(f->name, gx, on, arguments);
  return driver_launch(f->compiled, grid, block, shared, false, on, arguments);
}

int cuLaunchCooperativeKernel(void *of, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *on, void **arguments) {
  const function *f = of;
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  if (f->compiled != NULL) return driver_launch(f->compiled, grid, block, shared, true, on, arguments);
  driver_forbid(!driver_launch_jit(f->name, on, arguments, gx, true), f->name);
  return CPCU_SUCCESS;
}

// The only attribute of cupola's launches lets a kernel wait by itself for the kernels before it.
int cuLaunchKernelEx(const cpcu_launch_config *c, void *f, void **arguments, void **extra) {
  const cpcu_launch_attribute *a = c->attrs;
  driver_forbid(c->numAttrs != 1 || a->id != CPCU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
                    a->value.programmaticStreamSerializationAllowed != 1,
                "a launch with other properties");
  return cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ,
                        c->sharedMemBytes, c->hStream, arguments, extra);
}
