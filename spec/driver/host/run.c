// Runs kernels that compile.c compiled for the host. A block's threads run one after the other or, if the
// kernel has barriers or exchanges values in warps, as fibers, by what the CPU device has for users' kernels
// (src/cpu/kernels/block.h).
#include "../driver.h"

#include "cpu/kernels/exported.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { SHARED = 232448 }; // bytes of dynamic shared memory, at most

typedef struct launched {
  const cp_exported_kernel *kernel;
  unsigned grid[3], block[3], shared;
  bool together; // blocks wait for each other
  void *arguments[];
} launched;

bool driver_is_object(const char *image) { return image[0] == '/'; }

const void *driver_load(const char *path) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  driver_forbid(object == NULL, object == NULL ? dlerror() : "");
  return dlsym(object, "cupola_module");
}

const void *driver_find(const void *module, const char *name) {
  const cp_exported_table *t = module;
  for (int k = 0; k < t->nentries; k++)
    if (strcmp(t->entries[k].name, name) == 0) return &t->entries[k];
  return NULL;
}

bool driver_parameter(const void *kernel, size_t index, size_t *size) {
  const cp_exported_kernel *e = kernel;
  if (index >= (size_t)e->count) return false;
  *size = e->sizes[index];
  return true;
}

static void *copy_of(const void *p, size_t bytes) {
  void *copy = malloc(bytes);
  driver_forbid(copy == NULL, "no memory");
  return memcpy(copy, p, bytes);
}

// The copies of the arguments are never freed, because a graph may run the kernel again.
int driver_launch(const void *kernel, const unsigned *grid, const unsigned *block, unsigned shared,
                  bool together, void *on, void **arguments) {
  const cp_exported_kernel *e = kernel;
  launched *l = malloc(sizeof *l + (size_t)e->count * sizeof *l->arguments);
  if (l == NULL) return CPCU_ERROR_OUT_OF_MEMORY;
  *l = (launched){.kernel = e, .shared = shared, .together = together};
  memcpy(l->grid, grid, sizeof l->grid);
  memcpy(l->block, block, sizeof l->block);
  for (int k = 0; k < e->count; k++) l->arguments[k] = copy_of(arguments[k], e->sizes[k]);
  driver_forbid(block[0] * block[1] * block[2] > CP_MAX_BLOCK || shared > SHARED,
                "a launch that is too large");
  return driver_queue(driver_stream(on), (work){.kind = RUN, .from = l});
}

void driver_run(const work *w) {
  const launched *l = w->from;
  const unsigned long long blocks = (unsigned long long)l->grid[0] * l->grid[1] * l->grid[2];
  const size_t stride = ((size_t)l->shared + 127) / 128 * 128;
  cp_exported_job j = {
      .arguments = (void **)(uintptr_t)l->arguments, .host = &cp_block_functions, .run = cp_block_run};
  memcpy(j.grid, l->grid, sizeof j.grid);
  memcpy(j.block, l->block, sizeof j.block);
  j.last = blocks;
  j.stride = stride;
  j.shared = aligned_alloc(128, stride * (l->together ? blocks : 1) + 128);
  j.memory = l->together ? j.shared : NULL;
  if (l->kernel->fibers || l->together) j.state = cp_block_new(l->together ? (int)blocks : 1);
  char *shared = j.shared;
  const char *problem = l->kernel->run(&j);
  if (problem != NULL) fprintf(stderr, "%s: ", l->kernel->name);
  driver_forbid(problem != NULL, problem);
  free(j.state);
  free(shared);
}
