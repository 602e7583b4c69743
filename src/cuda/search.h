// The CUDA device's part of device/sort.h beside sorting.
#ifndef CP_CUDA_SEARCH_H
#define CP_CUDA_SEARCH_H

#include "device/sort.h"

cp_status cp_cuda_search(cp_context *ctx, cp_stream *s, const cp_search_job *job);
cp_status cp_cuda_move(cp_context *ctx, cp_stream *s, const cp_move_job *job);
cp_status cp_cuda_count_bins(cp_context *ctx, cp_stream *s, const cp_count_job *job);

#endif
