// The CUDA device's part of routines/sort.h, except for sorting.
#ifndef CP_CUDA_ROUTINES_SEARCH_H
#define CP_CUDA_ROUTINES_SEARCH_H

#include "routines/sort.h"

cp_status cp_cuda_search(cp_context *ctx, cp_stream *s, const cp_search_job *job);
cp_status cp_cuda_interpolate(cp_context *ctx, cp_stream *s, const cp_interpolate_job *job);
cp_status cp_cuda_move(cp_context *ctx, cp_stream *s, const cp_move_job *job);
cp_status cp_cuda_count_bins(cp_context *ctx, cp_stream *s, const cp_count_job *job);

#endif
