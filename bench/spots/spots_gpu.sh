#!/bin/sh
# Compares cupola with CuPy and PyTorch on a GPU where it was once behind: bench/spots/spots_gpu.sh. Prints
# milliseconds, and how many times as fast as the better peer cupola is.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./dev lua bench/spots/spots_gpu.lua | sed "s/^/cupola	/" >"$work/rows"
python3 bench/spots/spots_gpu.py >>"$work/rows"
awk -F'\t' '
  !($2 in seen) { seen[$2] = 1; order[++n] = $2 }
  { value[$1, $2] = $3 }
  END {
    printf "%-40s %10s %10s %10s %8s\n", "milliseconds", "cupy", "torch", "cupola", "times"
    for (k = 1; k <= n; k++) {
      c = value["cupy", order[k]]; t = value["torch", order[k]]; own = value["cupola", order[k]]
      best = (c + 0 > 0 && (t + 0 == 0 || c + 0 < t + 0)) ? c : t
      printf "%-40s %10s %10s %10s %8s\n", order[k], c, t, own, (own + 0 > 0 && best + 0 > 0) ? sprintf("%.2f", best / own) : "-"
    }
  }' "$work/rows"
