#!/bin/sh
# What a call on tiny arrays costs the host: instructions, by callgrind, and processor time beside NumPy and SciPy, in
# turns of one thread each. Prints the calls that take longest beside the peer first: bench/calls/calls.sh [TURNS].
# ROWS selects calls by parts of their names, separated by commas. BUILD is another build folder to count beside, for a
# comparison with an earlier state.
set -eu
cd "$(dirname "$0")/../.."
export CUPOLA_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 CUPOLA_DEVICE=cpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${CUPOLA_BUILD_DIR:-build}

# Instructions of each call of the build $1: callgrind writes its counts before each reading of the clock, and 32 calls
# lie between two of these.
count() {
  rm -f "$work"/counts*
  LUA_CPATH_5_4="$1/lua5.4/?.so" valgrind --tool=callgrind --callgrind-out-file="$work/counts" \
    --dump-before=clock lua5.4 bench/calls/calls.lua 32 2>/dev/null >"$work/names"
  k=0
  while read -r name; do
    k=$((k + 2))
    printf '%s\t%s\n' "$name" "$(awk '/^totals:/ { printf "%d", $2 / 32 }' "$work/counts.$k")"
  done <"$work/names"
}

for _ in $(seq "${1:-3}"); do
  LUA_CPATH_5_4="$build/lua5.4/?.so" lua5.4 bench/calls/calls.lua >>"$work/own"
  python3 bench/calls/calls.py >>"$work/peer"
done
count "$build" >"$work/now"
touch "$work/before"
[ -z "${BUILD:-}" ] || count "$BUILD" >"$work/before"
for side in own peer now before; do sed "s/^/$side	/" "$work/$side"; done | awk -F'\t' '
  { key = $1 SUBSEP $2; if (!(key in best) || $3 + 0 < best[key]) best[key] = $3 + 0 }
  $1 == "own" && !($2 in seen) { seen[$2] = 1; order[++n] = $2 }
  END {
    for (k = 1; k <= n; k++) {
      own = best["own" SUBSEP order[k]]
      peer = best["peer" SUBSEP order[k]]
      if (peer > 0)
        printf "%-32s %9.2f %9.2f %8.2f %12d %12s\n", order[k], peer, own, own / peer,
          best["now" SUBSEP order[k]], best["before" SUBSEP order[k]]
    }
  }' | sort -k 1,1 | awk '{ print $(NF - ("'"${BUILD:-}"'" != "" ? 2 : 1)), $0 }' | sort -rn | cut -d' ' -f2- |
  { printf '%-32s %9s %9s %8s %12s %12s\n' call peer/us cupola/us multiple instructions before; cat; }
