// Random numbers by cuRAND. A generator on a GPU has its state there, so when it moves to another stream,
// that stream waits for the previous one. Finalizers only mark a generator as released. It is destroyed by
// the next call that makes or uses a generator on the same stream, or with that stream.
#include "cuda/libraries/curand.h"

#include "cuda/libraries/math.h"

#include <stdlib.h>
#include <string.h>

struct cp_curand {
  cpcu_curand handle;
  cpcu_curand_type type;
  cp_device *device;
  cp_cuda_math *home; // the stream whose list holds it; NULL: a host generator, or that stream was closed
  cp_stream *last;    // the stream it was last used on; NULL: none
  bool left;          // released by its owner
  cp_curand *next;
};

static cpcu_curand_table table;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_curand_table, field), false},
    CPCU_CURAND_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

static cp_library library = {
    .title = "cuRAND",
    .names = CP_LIST("libcurand.so.10", "libcurand.so"), // of CUDA 12 and 13
    CP_TOOLKIT_PLACES("curand"),
    .hint = CP_TOOLKIT_HINT("nvidia-curand") "; cp.random.Philox4x3210 needs no library",
    CP_FILLS(&table, symbols),
};

const char *cp_curand_path(void) { return cp_opened_path(&library); }

static const char *status_name(cpcu_curand_status status) {
  static const struct {
    cpcu_curand_status status;
    const char *name;
  } list[] = {{100, "CURAND_STATUS_VERSION_MISMATCH"},
              {101, "CURAND_STATUS_NOT_INITIALIZED"},
              {102, "CURAND_STATUS_ALLOCATION_FAILED"},
              {103, "CURAND_STATUS_TYPE_ERROR"},
              {104, "CURAND_STATUS_OUT_OF_RANGE"},
              {105, "CURAND_STATUS_LENGTH_NOT_MULTIPLE"},
              {106, "CURAND_STATUS_DOUBLE_PRECISION_REQUIRED"},
              {201, "CURAND_STATUS_LAUNCH_FAILURE"},
              {202, "CURAND_STATUS_PREEXISTING_FAILURE"},
              {203, "CURAND_STATUS_INITIALIZATION_FAILED"},
              {204, "CURAND_STATUS_ARCH_MISMATCH"},
              {999, "CURAND_STATUS_INTERNAL_ERROR"}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k].status == status) return list[k].name;
  return "cuRAND error";
}

static cp_status check(cpcu_curand_status status, const char *call) {
  if (status == CPCU_CURAND_STATUS_SUCCESS) return CP_OK;
  bool asked = status == CPCU_CURAND_STATUS_TYPE_ERROR || status == CPCU_CURAND_STATUS_OUT_OF_RANGE;
  cp_status kind = status == CPCU_CURAND_STATUS_ALLOCATION_FAILED ? CP_EMEMORY : asked ? CP_EUSAGE : CP_ECUDA;
  return cp_fail(kind, "%s: %s (%d)", call, status_name(status), status);
}

// ---- destruction ----

static void destroy(cp_curand *g) {
  if (g->handle != NULL) (void)table.curandDestroyGenerator(g->handle);
  free(g);
}

// Destroys the released generators of a list. The caller has entered the device; cuRAND itself waits for
// their work.
static void clear(cp_cuda_math *m) {
  for (cp_curand **at = &m->generators; *at != NULL;) {
    cp_curand *g = *at;
    if (!g->left) {
      at = &g->next;
      continue;
    }
    *at = g->next;
    destroy(g);
  }
}

static void close_generators(cp_cuda_math *m, const cpcu_driver *driver) {
  (void)driver;
  clear(m);
  for (cp_curand *g = m->generators; g != NULL; g = g->next) {
    (void)table.curandDestroyGenerator(g->handle);
    g->handle = NULL;
    g->home = NULL;
  }
  m->generators = NULL;
}

void cp_curand_leave(cp_curand *g) {
  g->left = true;
  if (g->home == NULL) destroy(g);
}

// ---- starting points ----

static bool skips(const cp_curand *g) {
  return g->type != CPCU_CURAND_RNG_PSEUDO_MTGP32 && g->type != CPCU_CURAND_RNG_PSEUDO_MT19937;
}

// cuRAND rejects orderings that a type does not have, and offsets where it cannot skip ahead.
static cp_status begin(cp_curand *g, const cp_curand_start *start) {
  if (start->ordering != 0)
    CP_TRY(check(table.curandSetOrdering(g->handle, start->ordering), "curandSetGeneratorOrdering"));
  if (cp_curand_is_quasi(g->type))
    CP_TRY(check(table.curandSetDimensions(g->handle, start->dimensions),
                 "curandSetQuasiRandomGeneratorDimensions"));
  else
    CP_TRY(check(table.curandSetSeed(g->handle, start->seed), "curandSetPseudoRandomGeneratorSeed"));
  if (!skips(g) && start->offset == 0) return CP_OK;
  return check(table.curandSetOffset(g->handle, start->offset), "curandSetGeneratorOffset");
}

// The generator list of the device's current stream, without released ones. NULL for the host.
static cp_status find_home(cp_context *ctx, cp_device *device, cp_cuda_math **home) {
  cp_stream *s;
  *home = NULL;
  if (strcmp(device->ops->kind, "cuda") != 0) return CP_OK;
  CP_TRY(cp_context_stream(ctx, device, &s));
  CP_TRY(cp_cuda_math_of((cp_cuda_stream *)s, home));
  clear(*home);
  return CP_OK;
}

static cp_status make(cp_curand *g, const cp_curand_start *start) {
  if (g->home != NULL)
    CP_TRY(check(table.curandCreateGenerator(&g->handle, g->type), "curandCreateGenerator"));
  else
    CP_TRY(check(table.curandCreateGeneratorHost(&g->handle, g->type), "curandCreateGeneratorHost"));
  return begin(g, start);
}

cp_status cp_curand_new(cp_context *ctx, cp_device *device, const cp_curand_start *start, cp_curand **out) {
  cp_cuda_math *home;
  CP_TRY(cp_open_library(&library));
  CP_TRY(find_home(ctx, device, &home));
  cp_curand *g = malloc(sizeof *g);
  if (g == NULL) return cp_no_memory(NULL);
  *g = (cp_curand){.type = start->type, .device = device, .home = home};
  cp_status status = make(g, start);
  if (status != CP_OK) {
    destroy(g);
    return status;
  }
  if (home != NULL) {
    g->next = home->generators;
    home->generators = g;
    cp_cuda_math_closes(home, close_generators);
  }
  *out = g;
  return CP_OK;
}

cp_device *cp_curand_device(const cp_curand *g) { return g->device; }

static cp_status closed(void) { return cp_fail(CP_EUSAGE, "the generator's device is closed"); }

// A type that cannot skip ahead cannot go back either: with an equal seed the library would not reset it.
cp_status cp_curand_restart(cp_curand *g, const cp_curand_start *start) {
  if (g->handle == NULL) return closed();
  if (g->home != NULL) CP_TRY(cp_cuda_enter((cp_cuda_device *)g->device));
  if (skips(g)) return begin(g, start);
  cpcu_curand old = g->handle, drop = old;
  g->handle = NULL;
  cp_status status = make(g, start);
  if (status != CP_OK) {
    drop = g->handle;
    g->handle = old;
  }
  if (drop != NULL) (void)table.curandDestroyGenerator(drop); // which waits for its work
  if (status == CP_OK) g->last = NULL;
  return status;
}

// ---- numbers ----

// Makes s the stream that uses the generator's state next.
static cp_status turn_to(cp_curand *g, cp_stream *s) {
  if (g->home == NULL) return CP_OK;
  CP_TRY(cp_cuda_enter((cp_cuda_device *)g->device));
  if (g->last == s) return CP_OK;
  if (g->last != NULL) CP_TRY(g->device->ops->stream_wait(s, g->last));
  CP_TRY(check(table.curandSetStream(g->handle, ((cp_cuda_stream *)s)->stream), "curandSetStream"));
  g->last = s;
  return CP_OK;
}

cp_status cp_curand_fill(cp_curand *g, cp_stream *s, cp_curand_output output, bool wide, void *out,
                         size_t count, double parameter) {
  if (g->handle == NULL) return closed();
  CP_TRY(turn_to(g, s));
  switch (output) {
  case CP_CURAND_BITS: return check(table.curandGenerate(g->handle, out, count), "curandGenerate");
  case CP_CURAND_POISSON:
    return check(table.curandGeneratePoisson(g->handle, out, count, parameter), "curandGeneratePoisson");
  case CP_CURAND_UNIFORM:
    return wide ? check(table.curandGenerateUniformDouble(g->handle, out, count),
                        "curandGenerateUniformDouble")
                : check(table.curandGenerateUniform(g->handle, out, count), "curandGenerateUniform");
  default:
    return wide ? check(table.curandGenerateNormalDouble(g->handle, out, count, 0, 1),
                        "curandGenerateNormalDouble")
                : check(table.curandGenerateNormal(g->handle, out, count, 0, 1), "curandGenerateNormal");
  }
}
