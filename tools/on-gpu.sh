#!/bin/sh
# shellcheck disable=SC2317  # the steps are called by name
# What must be run on a machine with a GPU before a change to the CUDA side counts as done. Results go to the
# folder OUT (default build/gpu).
#
#   tools/on-gpu.sh [STEP ...]
#
# steps      warm test sanitizer bench demo (default: all). On rented machines, where minutes count: files
#            (the suite in parallel, some of it under the sanitizer), stress, and pair (several GPUs)
# FILES      spec files (default: all)
# CHECKED    those of them that memcheck and racecheck also run (CHECKS: options for both, such as a filter of
#            kernels)
# MODAL      those that also run in each mode of spec/helper/modes.lua
# SHARES     which of eight shares of the golden data and of the random programs to run (of the programs, a
#            tenth of each share; default: all; empty: none)
#
# Headers, Lua and busted may come from search paths (CPATH, LUA_PATH) instead of the system.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root" || exit 1
# require "cupola" must find the module, not lua/cupola/init.lua
LUA_PATH_5_4=$(printf %s "${LUA_PATH_5_4:-${LUA_PATH:-;;}}" | sed 's,\./lua/[^;]*;,,g')
LUA_PATH=$(printf %s "${LUA_PATH:-;;}" | sed 's,\./lua/[^;]*;,,g')
export LUA_PATH_5_4 LUA_PATH
export OUT="${OUT:-$root/build/gpu}"
export CUPOLA_CACHE_DIR="${CUPOLA_CACHE_DIR:-$root/build/gpu-cache}"
mkdir -p "$OUT/logs"
failed=0

all_specs() { find spec -name '*_spec.lua' | LC_ALL=C sort; }

# Fills the kernel cache from several processes, as a cold run of the specs compiles thousands of kernels.
step_warm() {
  n=$(nproc)
  [ "$n" -le 12 ] || n=12
  for k in $(seq "$n"); do
    CUPOLA_GOLDEN_SHARE=$k/$n CUPOLA_DEVICE=cuda CUPOLA_TOTALS=/dev/null \
      LUA_CPATH_5_4="$root/build/lua5.4/?.so;${LUA_CPATH_5_4:-;}" \
      lua5.4 -e 'require("busted.runner")({ standalone = false })' /dev/null \
      -o spec/helper/totals.lua spec/arrays/golden_spec.lua \
      >"$OUT/warm-$k.log" 2>&1 &
  done
  wait
  grep -hE "FAIL|ERROR|error" "$OUT"/warm-*.log | head -n 20
  rm -f "$OUT"/warm-*.log
}

step_test() {
  ./dev test >"$OUT/test.log" 2>&1 || failed=1
  tail -n 40 "$OUT/test.log"
}

# Runs a spec file, $2, under compute-sanitizer's tool $1; $3 is the share of the golden spec. busted's totals
# say whether it passed.
sanitized_spec() {
  log=$OUT/logs/$1-$(basename "$2" .lua)-$(echo "$3" | tr / -).log
  CUPOLA_GOLDEN_SHARE=$3 CUPOLA_DEVICE=cuda CUPOLA_TOTALS=/dev/null CUPOLA_SANITIZED=1 \
    LUA_CPATH_5_4="$root/build/lua5.4/?.so;${LUA_CPATH_5_4:-;}" \
    timeout 400 compute-sanitizer --tool "$1" --report-api-errors no --print-limit 20 --error-exitcode 9 \
    lua5.4 -e 'require("busted.runner")({ standalone = false })' /dev/null -o spec/helper/totals.lua "$2" \
        >"$log" 2>&1
  echo "$1 $2 $3: status $?, $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$log" | sed 's/=* //'), $(grep -E 'spec/.*passed' "$log" | sed 's/.*lua: //')"
}

# Runs the whole suite, one process per file and per share of the golden data, without the two files that
# start processes of their own. Errors that the driver returns are not reported, as specs ask for more memory
# than there is.
step_sanitizer() {
  for tool in memcheck racecheck; do
    {
      for spec in $(all_specs); do
        case $spec in
        spec/arrays/golden_spec.lua | spec/host/module_spec.lua | spec/project/rock_spec.lua) ;;
        *) sanitized_spec "$tool" "$spec" 1/1 & ;;
        esac
      done
      for k in 1 2 3 4 5 6 7 8; do sanitized_spec "$tool" spec/arrays/golden_spec.lua "$k/8" & done
      wait
    } >"$OUT/$tool.txt"
    sort "$OUT/$tool.txt"
    grep -qvE 'status 0, (ERROR|RACECHECK) SUMMARY: 0 ' "$OUT/$tool.txt" && failed=1
  done
}

# Runs a spec file, or the share K/N of what one runs, in an interpreter process of its own: LUA FILE[@K/N]
# [TAG COMMAND ...], where COMMAND runs the interpreter. Prints its totals.
spec_alone() {
  lua=$1 file=${2%@*} share=1/8
  [ "$file" = "$2" ] || share=${2#*@}
  name=$(basename "$file" .lua)-$1-$(echo "$share" | tr / -)${3:+-$3}
  shift 2
  [ $# -eq 0 ] || shift
  journal=$OUT/logs/$name begin=$(date +%s)
  CUPOLA_TOTALS=$journal.totals CUPOLA_DEVICE=${CUPOLA_DEVICE:-cuda} CUPOLA_GOLDEN_SHARE=$share \
    CUPOLA_PROGRAMS_SHARE=${share}0 \
    LUA_CPATH_5_4="$root/build/lua5.4/?.so;${LUA_CPATH_5_4:-;}" \
    LUA_CPATH="$root/build/luajit/?.so;${LUA_CPATH:-;}" \
    timeout 300 "$@" "$lua" -e 'require("busted.runner")({ standalone = false })' /dev/null \
    -o spec/helper/totals.lua "$file" \
    >"$journal.log" 2>&1
  echo "$name: status $?, $(grep -c '^P$' "$journal.totals") passed, $(grep -c '^F$' "$journal.totals") failed," \
    "$(($(date +%s) - begin)) s$(grep -hE 'ERROR SUMMARY|RACECHECK SUMMARY' "$journal.log" | sed 's/=* /, /')"
}

# No line may end in a space: xargs would join it with the next.
list_files() {
  for spec in ${CHECKED:-}; do
    echo "lua5.4 $spec memcheck env CUPOLA_SANITIZED=1 compute-sanitizer --tool memcheck --report-api-errors no${CHECKS:+ $CHECKS}"
    echo "lua5.4 $spec racecheck env CUPOLA_SANITIZED=1 compute-sanitizer --tool racecheck${CHECKS:+ $CHECKS}"
  done
  for spec in ${MODAL:-}; do
    for mode in gc:GC_EVERY=1 poison:POISON=1 unfused:FUSION=0 forced:FUSION=force; do
      echo "lua5.4 $spec ${mode%:*} env CUPOLA_TEST_MODE=${mode%:*} CUPOLA_${mode#*:}"
    done
  done
  for share in ${SHARES-1/8 2/8 3/8 4/8 5/8 6/8 7/8 8/8}; do
    echo "lua5.4 spec/arrays/golden_spec.lua@$share"
    echo "lua5.4 spec/lazy/programs_spec.lua@$share"
  done
  for spec in ${FILES:-$(all_specs)}; do
    case $spec in spec/arrays/golden_spec.lua | spec/lazy/programs_spec.lua \
        | spec/project/rock_spec.lua) ;; *) echo "lua5.4 $spec" ;; esac
  done
  for spec in ${FILES:-$(all_specs)}; do
    case $spec in spec/arrays/golden_spec.lua | spec/lazy/programs_spec.lua \
        | spec/project/rock_spec.lua) ;; *) echo "luajit $spec" ;; esac
  done
}

step_files() {
  list_files | xargs -P "$(nproc)" -L 1 sh tools/on-gpu.sh alone >"$OUT/files.txt" 2>&1
  grep -v 'status 0, [0-9]* passed, 0 failed' "$OUT/files.txt" && failed=1
  grep 'SUMMARY' "$OUT/files.txt"
  awk '{ p += $4; f += $6 } END { print p " passed, " f " failed" }' "$OUT/files.txt"
  tar czf "$OUT/logs.tgz" -C "$OUT" logs
}

# Runs the stress program for SECONDS_OF_STRESS (default 60), then as long under memcheck.
step_stress() {
  cmake --build build --target spec_stress >"$OUT/stress.log" 2>&1 || failed=1
  export CUPOLA_STRESS_SECONDS="${SECONDS_OF_STRESS:-60}"
  for tool in "" "compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 9"; do
    CUPOLA_DEVICE=cuda:0 $tool build/c_specs/stress >"$OUT/stress.log" 2>&1 || failed=1
    tail -n 4 "$OUT/stress.log"
  done
}

# Specs that need several GPUs.
step_pair() {
  for name in peer nccl nccl_processes tutorial device stream; do
    for lua in lua5.4 luajit; do echo "$lua $(find spec -name "${name}_spec.lua")"; done
  done | xargs -P 12 -L 1 sh tools/on-gpu.sh alone | tee "$OUT/pair.txt"
  grep -qv 'status 0, [0-9]* passed, 0 failed' "$OUT/pair.txt" && failed=1
  bench/peer || failed=1
}

step_bench() { bench/run >"$OUT/bench.log" 2>&1 || failed=1; cat "$OUT/bench.log"; }

step_demo() {
  (cd "$OUT" && "$root/dev" demo && "$root/dev" lua "$root/examples/heat.lua" \
      && "$root/dev" lua "$root/examples/quickstart.lua") || failed=1
}

if [ "${1:-}" = alone ]; then # for step_files
  shift
  spec_alone "$@"
  exit 0
fi
[ $# -gt 0 ] || set -- warm test sanitizer bench demo
./dev build || exit 1
for step in "$@"; do
  echo "== $step"
  "step_$step"
done
exit $failed
