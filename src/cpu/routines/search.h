// The CPU device's part of routines/sort.h, except for sorting.
#ifndef CP_CPU_ROUTINES_SEARCH_H
#define CP_CPU_ROUTINES_SEARCH_H

#include "routines/sort.h"

cp_status cp_cpu_search(cp_context *ctx, cp_stream *s, const cp_search_job *job);
cp_status cp_cpu_interpolate(cp_context *ctx, cp_stream *s, const cp_interpolate_job *job);
cp_status cp_cpu_move(cp_context *ctx, cp_stream *s, const cp_move_job *job);
cp_status cp_cpu_count(cp_context *ctx, cp_stream *s, const cp_count_job *job);

#endif
