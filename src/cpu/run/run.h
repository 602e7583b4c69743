// The ways the CPU device runs plans.
#ifndef CP_CPU_RUN_RUN_H
#define CP_CPU_RUN_RUN_H

#include "plan/plan.h"

cp_status cp_cpu_elementwise(cp_context *ctx, const cp_plan *p);
// Runs an elementwise plan of few contiguous elements; false: it is not of that kind, and nothing was done.
enum { CP_CPU_FEW = 1024 };
// Up to so many positions one thread is faster than waking others.
enum { CP_CPU_ALONE = 65536 };
bool cp_cpu_small(const cp_plan *p);
// One operation on up to CP_CPU_ALONE elements (cp_device_ops).
cp_status cp_cpu_run_flat(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
// The same for a plan that stores one scalar in contiguous memory; *status: how it went.
bool cp_cpu_fill(cp_context *ctx, const cp_plan *p, cp_status *status);
cp_status cp_cpu_reduce(cp_context *ctx, const cp_plan *p);
// A plan whose body is the user's text: compiled by the system's C++ compiler at first use. CP_ECOMPILE.
cp_status cp_cpu_user(cp_context *ctx, const cp_plan *p);
// The same onto the tape of a stream that records (tape.h): compiled now.
cp_status cp_cpu_user_record(cp_context *ctx, cp_stream *s, const cp_plan *p);
// Raw kernels (device/raw.h): for development without a GPU.
extern const struct cp_raw_ops cp_cpu_raw_ops;
// What compiles user kernels, for show_config: a program's path, or NULL when there is none.
const char *cp_cpu_compiler(void);

#endif
