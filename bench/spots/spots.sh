#!/bin/sh
# Compares cupola on the CPU device with NumPy and SciPy, one thread each, by turns: bench/spots/spots.sh
# [TURNS]. Prints the least time of each side and how many times as fast cupola is. BUILD is another build
# folder to time beside these, for a comparison with an earlier state.
set -eu
cd "$(dirname "$0")/../.."
export CUPOLA_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 CUPOLA_DEVICE=cpu
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own() { LUA_CPATH_5_4="$1/lua5.4/?.so" lua5.4 bench/spots/spots.lua; }
for _ in $(seq "${1:-3}"); do
  own "${CUPOLA_BUILD_DIR:-build}" >>"$work/own"
  python3 bench/spots/spots.py >>"$work/peer"
  [ -z "${BUILD:-}" ] || own "$BUILD" >>"$work/before"
done
touch "$work/before"
for side in peer own before; do sed "s/^/$side	/" "$work/$side"; done | awk -F'\t' '
  !($2 in seen) { seen[$2] = 1; order[++n] = $2 }
  { key = $1 SUBSEP $2; if (!(key in best) || $3 < best[key]) best[key] = $3 }
  END {
    printf "%-40s %12s %12s %8s %12s\n", "microseconds", "peer", "cupola", "times", "before"
    for (k = 1; k <= n; k++) {
      own = best["own" SUBSEP order[k]]
      peer = best["peer" SUBSEP order[k]]
      old = best["before" SUBSEP order[k]]
      times = (own > 0) ? sprintf("%.2f", peer / own) : "-"
      earlier = (old > 0) ? sprintf("%.2f", old) : ""
      printf "%-40s %12.2f %12.2f %8s %12s\n", order[k], peer, own, times, earlier
    }
  }'
