// The CPU device's functions of routines/walks.h.
#ifndef CP_CPU_ROUTINES_WALKS_H
#define CP_CPU_ROUTINES_WALKS_H

#include "cpu/routines/sparse/forms.h"
#include "routines/walks.h"

cp_status cp_cpu_strong(cp_context *ctx, cp_stream *s, const cp_strong_job *job);
cp_status cp_cpu_nearest(cp_context *ctx, cp_stream *s, const cp_nearest_job *job);
cp_status cp_cpu_relax(cp_context *ctx, cp_stream *s, const cp_relax_job *job);

#endif
