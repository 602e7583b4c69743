#!/bin/sh
# Compares cp.scipy.ndimage and cp.image with CuPy, PyTorch (the rows of resize) and JAX on a GPU, or with
# SciPy and OpenCV on the CPU, all with one thread: bench/families/ndimage.sh [DTYPE [PART]], DTYPE float32 or
# float64, PART a part of the names of the rows to run.
set -eu
cd "$(dirname "$0")/../.."
export CUPOLA_NUM_THREADS=1 OMP_NUM_THREADS=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
rows=$(mktemp) peer=$(mktemp)
trap 'rm -f "$rows" "$peer"' EXIT
./dev lua bench/families/ndimage.lua "${1:-float32}" "${2:-}" >"$rows"
python3 bench/families/ndimage.py "${1:-float32}" "${2:-}" >"$peer"
printf '%-32s %12s %12s %8s %12s %8s\n' "milliseconds" cupola peer times "JAX/OpenCV" times
awk -F'\t' 'NR == FNR { peer[$1] = $2; other[$1] = $3; next }
  function times(v) { return ($2 + 0 > 0 && v + 0 > 0) ? sprintf("%.2f", v / $2) : "-" }
  { printf "%-32s %12s %12s %8s %12s %8s\n", $1, substr($2, 1, 40), substr(peer[$1], 1, 40), times(peer[$1]),
      other[$1], times(other[$1]) }' "$peer" "$rows"
