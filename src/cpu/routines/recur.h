// Recursive filters on the CPU, part of the family in routines/convolve.h.
#ifndef CP_CPU_ROUTINES_RECUR_H
#define CP_CPU_ROUTINES_RECUR_H

#include "routines/convolve.h"

cp_status cp_cpu_recur(cp_context *ctx, cp_stream *stream, const cp_recur_job *job);

#endif
