#!/bin/sh
# Compares cp.scipy.ndimage with CuPy on a GPU, or with SciPy on the CPU, both with one thread: bench/ndimage.sh
set -eu
cd "$(dirname "$0")/.."
export CUPOLA_NUM_THREADS=1 OMP_NUM_THREADS=1
rows=$(mktemp) peer=$(mktemp)
trap 'rm -f "$rows" "$peer"' EXIT
./dev lua bench/ndimage.lua >"$rows"
python3 bench/ndimage.py >"$peer"
printf '%-32s %12s %12s %8s\n' "milliseconds" cupola peer times
awk -F'\t' 'NR == FNR { peer[$1] = $2; next }
  { ratio = ($2 + 0 > 0 && peer[$1] + 0 > 0) ? sprintf("%.2f", peer[$1] / $2) : "-"
    printf "%-32s %12s %12s %8s\n", $1, substr($2, 1, 40), substr(peer[$1], 1, 40), ratio }' "$peer" "$rows"
