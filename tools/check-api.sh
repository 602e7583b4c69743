#!/bin/sh
# Compares src/cuda/driver/api.h and api_math.h with the headers of a CUDA toolkit in CUPOLA_CUDA_PATH, CUDA_PATH
# or /usr/local/cuda, and api_nccl.h and api_cudss.h with nccl.h and cudss.h where these are present, also in a
# folder that CPATH names. Exits with 0 when they agree, or when there is no toolkit (and says which), otherwise
# with another status.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

for home in "${CUPOLA_CUDA_PATH:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda; do
  [ -n "$home" ] || continue
  for include in "$home/include" "$home"/targets/*/include "$home"; do
    [ -f "$include/cuda.h" ] && [ -f "$include/nvrtc.h" ] && [ -f "$include/cudaProfiler.h" ] &&
      [ -f "$include/cublas_v2.h" ] && [ -f "$include/cublasLt.h" ] && [ -f "$include/cusolverDn.h" ] && [ -f "$include/cufft.h" ] &&
      [ -f "$include/curand.h" ] && break 2
  done
  include=
done

if [ -z "${include:-}" ]; then
  echo "check-api: no whole CUDA toolkit found, nothing to compare (set CUDA_PATH to name one)"
  exit 0
fi

# -isystem, as warnings about the toolkit's own headers say nothing about ours.
"${CC:-cc}" -std=c11 -Wall -Wextra -fsyntax-only -isystem "$include" -I"$root/src" \
  "$root/src/cuda/check_api.c"
version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$include/cuda.h")
echo "check-api: api.h and api_math.h agree with $include (CUDA $((version / 1000)).$((version % 1000 / 10)))"
