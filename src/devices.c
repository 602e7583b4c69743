// Registers the kinds of devices, after checking that each has the functions that every device must have.
#include "devices.h"

#include "cpu/device.h"
#include "cuda/device.h"
#include "device/graph.h"
#include "device/raw.h"
#include "device/runtime.h"
#include "memory/allocator.h"
#include "routines/blas.h"
#include "routines/collective.h"
#include "routines/convolve.h"
#include "routines/fft.h"
#include "routines/index.h"
#include "routines/scan.h"
#include "routines/sites.h"
#include "routines/solver.h"
#include "routines/sort.h"
#include "routines/sparse.h"

#include <string.h>

// A function that every device must have, and where the tables have it.
typedef struct required {
  const char *name;
  // Offset of its family's table in cp_device_ops; 0 if it belongs to no family (at offset 0 is `kind`).
  size_t family;
  size_t place; // offset in the family's table, or in cp_device_ops
} required;

#define OWN(function)                                                                                        \
  { #function, 0, offsetof(cp_device_ops, function) }
#define OF(family, function)                                                                                 \
  { #family "." #function, offsetof(cp_device_ops, family), offsetof(struct cp_##family##_ops, function) }

static const required all_required[] = {OWN(allocate),
                                        OWN(release),
                                        OWN(memory_info),
                                        OWN(copy),
                                        OWN(fill_bytes),
                                        OWN(run),
                                        OWN(run_flat),
                                        OWN(synchronize),
                                        OWN(stream_create),
                                        OWN(stream_destroy),
                                        OWN(stream_synchronize),
                                        OWN(stream_finish),
                                        OWN(stream_query),
                                        OWN(stream_wait),
                                        OWN(stream_mark),
                                        OWN(stream_follow),
                                        OWN(stream_pointer),
                                        OWN(priorities),
                                        OWN(event_create),
                                        OWN(event_destroy),
                                        OWN(event_record),
                                        OWN(event_wait),
                                        OWN(event_query),
                                        OWN(event_synchronize),
                                        OWN(event_elapsed),
                                        OWN(event_pointer),
                                        OWN(properties),
                                        OWN(describe),
                                        OF(memory, pinned_allocate),
                                        OF(memory, pinned_release),
                                        OF(memory, pinned_address),
                                        OF(memory, managed_allocate),
                                        OF(memory, async_allocate),
                                        OF(memory, async_release),
                                        OF(memory, async_trim),
                                        OF(memory, copy_pinned),
                                        OF(runtime, copy_box),
                                        OF(runtime, lock),
                                        OF(runtime, unlock),
                                        OF(runtime, advise),
                                        OF(runtime, prefetch),
                                        OF(runtime, facts),
                                        OF(runtime, profile),
                                        OF(index, scan),
                                        OF(index, compact),
                                        OF(index, lookup),
                                        OF(scan, scratch),
                                        OF(scan, run),
                                        OF(convolve, convolve),
                                        OF(convolve, recur),
                                        OF(sites, run),
                                        OF(sort, sort_scratch),
                                        OF(sort, sort),
                                        OF(sort, search),
                                        OF(sort, interpolate),
                                        OF(sort, move),
                                        OF(sort, count),
                                        OF(sparse, check),
                                        OF(sparse, rows),
                                        OF(sparse, tile),
                                        OF(sparse, product),
                                        OF(sparse, sample),
                                        OF(sparse, solve_scratch),
                                        OF(sparse, solve),
                                        OF(blas, prepare),
                                        OF(blas, gemm),
                                        OF(solver, pivot_size),
                                        OF(solver, lu),
                                        OF(solver, lu_solve),
                                        OF(solver, systems),
                                        OF(solver, triangular),
                                        OF(solver, cholesky),
                                        OF(solver, qr),
                                        OF(solver, form_q),
                                        OF(solver, svd),
                                        OF(solver, eigh),
                                        OF(solver, eig),
                                        OF(fft, open),
                                        OF(fft, run),
                                        OF(fft, close),
                                        OF(fft, trim),
                                        OF(raw, load),
                                        OF(raw, unload),
                                        OF(raw, function),
                                        OF(raw, global),
                                        OF(raw, launch),
                                        OF(raw, set),
                                        OF(raw, occupancy),
                                        OF(raw, best_block),
                                        OF(graph, begin),
                                        OF(graph, finish),
                                        OF(graph, cancel),
                                        OF(graph, launch),
                                        OF(graph, destroy),
                                        OF(collective, unique_id),
                                        OF(collective, join),
                                        OF(collective, join_all),
                                        OF(collective, combines),
                                        OF(collective, run),
                                        OF(collective, leave)};

static bool has(const cp_device_ops *ops, const required *r) {
  const char *table = (const char *)ops;
  void (*function)(void) = NULL;
  if (r->family > 0) memcpy(&table, table + r->family, sizeof table);
  if (table != NULL) memcpy(&function, table + r->place, sizeof function);
  return function != NULL;
}

cp_status cp_check_device_ops(const cp_device_ops *ops) {
  for (size_t k = 0; k < sizeof all_required / sizeof *all_required; k++)
    if (!has(ops, &all_required[k]))
      return cp_fail(CP_EUSAGE, "the kind of devices '%s' lacks %s, which every device must have", ops->kind,
                     all_required[k].name);
  return CP_OK;
}

cp_status cp_register_devices(void) {
  CP_TRY(cp_check_device_ops(cp_cpu_kind.ops));
  CP_TRY(cp_check_device_ops(cp_cuda_kind.ops));
  cp_register_kinds(&cp_cpu_kind, &cp_cuda_kind);
  return CP_OK;
}
