// How the CPU device runs plans. cp_cpu_ops (device.c) refers to these functions.
#ifndef CP_CPU_RUN_RUN_H
#define CP_CPU_RUN_RUN_H

#include "plan/plan.h"

cp_status cp_cpu_elementwise(cp_context *ctx, const cp_plan *p);
// Runs an elementwise plan of up to CP_CPU_FEW elements whose outputs are contiguous. False: the plan is not
// of that kind, and nothing was done.
enum { CP_CPU_FEW = 1024 };
// Up to this many positions one thread is faster than waking others.
enum { CP_CPU_ALONE = 65536 };
bool cp_cpu_small(const cp_context *ctx, const cp_plan *p);
// The values that such a reduction reduces, in the thread's memory, in C order. NULL: the plan is not of that
// kind.
const void *cp_cpu_small_values(const cp_context *ctx, const cp_plan *p);
// True when an operand is contiguous, aligned, and stored as registers are. Half types are not, as they are
// widened; nor are leaves of bool, in which any byte counts as true, which the caller looks for.
bool cp_in_place(const cp_operand *o);
// Runs one operation on up to CP_CPU_ALONE elements without a plan; see cp_device_ops.
cp_status cp_cpu_run_flat(cp_context *ctx, cp_stream *s, const struct cp_flat *f, bool *done);
// Runs a plan that stores one scalar in contiguous memory. False: the plan is not of that kind; else *status
// is the result.
bool cp_cpu_fill(cp_context *ctx, const cp_plan *p, cp_status *status);
cp_status cp_cpu_reduce(cp_context *ctx, const cp_plan *p);
// Plans with phases, and which of them the device takes (cp_device_ops.takes_phases).
// Rows and elements for which stages are worth preparing, and elements for which views are worth waiting.
enum { CP_CPU_PHASED_LEAST = 65, CP_CPU_PHASED_SIZE = 16384, CP_CPU_VIEWED_SIZE = 4096 };
bool cp_cpu_takes_phases(cp_plan *p);
cp_status cp_cpu_phases(cp_context *ctx, const cp_plan *p);
// Runs a plan whose body is a user's text, which the system's C++ compiler compiles at first use.
// CP_ECOMPILE.
cp_status cp_cpu_user(cp_context *ctx, const cp_plan *p);
// Compiles such a plan now and records it in the command buffer of a recording stream (commands.h).
cp_status cp_cpu_user_record(cp_context *ctx, cp_stream *s, const cp_plan *p);
// The function `cupola_loop` of a C++ text, from a bundle, from disk or from the compiler. CP_ECOMPILE.
cp_status cp_cpu_function(cp_context *ctx, const char *text, size_t size, cp_function_loop **out);
// Raw kernels (device/raw.h), for development without a GPU.
extern const struct cp_raw_ops cp_cpu_raw_ops;
// Path of the compiler of user kernels, for show_config, or NULL when there is none.
const char *cp_cpu_compiler(void);

#endif
