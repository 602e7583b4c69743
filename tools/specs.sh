# Part of ./dev (sourced): runs the specs under both interpreters on every device, and the programs of spec/c,
# and adds up the journals of spec/helper/totals.lua. A run that dies counts as one more failed test.
# shellcheck shell=sh disable=SC2154,SC2030,SC2031,SC2034

passed=0
failed=0
skipped=0

# Ends what takes a quarter of an hour, with all that it has started; at a terminal it stays in the
# foreground, so that an interrupt reaches it.
bounded="timeout --kill-after=10 900"
[ ! -t 0 ] || bounded="timeout --foreground --kill-after=10 900"

count_lines() { grep -c "^$1\$" "$2" || true; }

# Adds the journal $1 of the run named $2 that ended with status $3.
add_journal() {
  run_passed=$(count_lines P "$1")
  run_failed=$(count_lines F "$1")
  run_skipped=$(count_lines S "$1")
  if [ "$(tail -n 1 "$1")" != end ]; then
    printf '\n' # ends the line of the file that was running
    echo "CRASHED: $2 ended with status $3 in: $(grep '^> ' "$1" | tail -n 1 | cut -c3-)"
    run_failed=$((run_failed + 1))
  elif [ "$3" -ne 0 ] && [ "$run_failed" -eq 0 ]; then
    echo "CRASHED: $2 ended with status $3 after its last test (while the state was closed?)"
    run_failed=1
  fi
  echo "$2: $run_passed passed, $run_failed failed, $run_skipped skipped"
  passed=$((passed + run_passed))
  failed=$((failed + run_failed))
  skipped=$((skipped + run_skipped))
}

# Runs busted under the interpreter $lua. Its own launcher has absolute paths of an installation; this form
# needs only LUA_PATH.
call_busted() {
  interpreter "$lua" -e 'require("busted.runner")({ standalone = false })' /dev/null \
      -o spec/helper/totals.lua "$@"
}

# The spec files of a run without arguments. Mode gc omits those with more arrays, of too many sizes, than can
# be collected one by one, and the one that raises an error at each of thousands of instructions. All modes omit
# what looks at the project's files, docs and hosts; gc, poison, unfused and forced also those that compile and
# run host programs, and unfused and forced most of what compiles users' kernels, which the mode changes little.
# Mode robbed tests the Lua side: it omits specs that compile or start programs, which are not robbed, specs of
# operators, which the core computes, and the specs that report lines and tables.
spec_files() {
  for spec in $(cd "$root" && find spec -name '*_spec.lua' | LC_ALL=C sort); do
    case ${CUPOLA_TEST_MODE:-}:$spec in
    ?*:spec/project/annotations_spec.lua | ?*:spec/project/coverage_spec.lua | ?*:spec/project/docs_spec.lua) ;;
    ?*:spec/project/hosts_spec.lua | ?*:spec/project/parts_spec.lua) ;;
    gc:*golden_spec.lua | gc:spec/kernels/kernels_spec.lua | gc:spec/arrays/layouts_spec.lua) ;;
    gc:spec/arrays/call_forms_spec.lua | gc:spec/devices/guards_spec.lua | gc:spec/sparse/linalg_spec.lua) ;;
    gc:*/transfer_spec.lua | unfused:*/transfer_spec.lua | forced:*/transfer_spec.lua) ;;
    gc:*/embed_spec.lua | poison:*/embed_spec.lua | unfused:*/embed_spec.lua | forced:*/embed_spec.lua) ;;
    unfused:spec/kernels/[!v]* | forced:spec/kernels/[!v]*) ;; # vectorize_spec.lua traces expressions
    unfused:*/nvrtc_spec.lua | forced:*/nvrtc_spec.lua | gc:*/nvrtc_spec.lua) ;;
    unfused:*/hazard_spec.lua | forced:*/hazard_spec.lua) ;; # which runs with fusion off and forced anyway
    poison:*/guards_spec.lua | unfused:*/guards_spec.lua) ;; # guards keep no memory of arrays
    unfused:spec/jit/random_spec.lua | forced:spec/jit/random_spec.lua | robbed:spec/jit/random_spec.lua) ;;
    robbed:spec/arrays/golden_spec.lua | robbed:*/programs_spec.lua | robbed:*/layouts_spec.lua \
        | robbed:*_forms_spec.lua) ;;
    robbed:*/rock_spec.lua | robbed:*/embed_spec.lua | robbed:*/doors_spec.lua | robbed:*/walk_spec.lua) ;;
    robbed:*/nccl_processes_spec.lua | robbed:*/loading_spec.lua | robbed:*/transfer_spec.lua \
        | robbed:*/examples_spec.lua) ;;
    robbed:*/errors_spec.lua | robbed:*/compare_spec.lua | robbed:*/hazard*_spec.lua) ;;
    robbed:*/userkernel_spec.lua | robbed:*/bundle_spec.lua) ;;
    */nvrtc_spec.lua) [ -n "${preload:-}" ] || echo "$spec" ;; # NVRTC is not built with sanitizers
    *) echo "$spec" ;;
    esac
  done
}

# With CUPOLA_ALTERNATE each file runs under one interpreter: every other one under Lua 5.4, the rest under
# LuaJIT.
alternate() {
  turn=0
  [ "$lua" = lua5.4 ] || turn=1
  if [ -z "${CUPOLA_ALTERNATE:-}" ]; then cat; else awk -v turn="$turn" 'NR % 2 == turn'; fi
}

# Puts the second half of the lines first under LuaJIT, in whole groups of $1: the interpreters run at once, and
# kernels that one of them has compiled are in the cache on disk when the other comes to the same specs.
rotate() {
  awk -v size="$1" -v turned="$([ "$lua" = luajit ] && echo 1 || echo 0)" '
    { line[NR] = $0 }
    END {
      full = NR - NR % size
      half = turned * (full / 2 - full / 2 % size)
      for (k = 1; k <= full; k++) print line[(k - 1 + half) % full + 1]
      for (k = full + 1; k <= NR; k++) print line[k]
    }'
}

# Runs the spec files $2... in processes of $1 files each, until one dies. A single process would take three
# times as long, as each collection looks at what all earlier files have left; in mode gc, with a collection
# at every allocation, it would never end. A group that takes a quarter of an hour hangs: it is ended, and
# counts as one that died.
call_busted_in_groups() {
  size=$1
  within=$bounded
  shift
  status=0
  while [ $# -gt 0 ]; do
    group="" members=0
    while [ $# -gt 0 ] && [ "$members" -lt "$size" ]; do
      group="$group $1" members=$((members + 1))
      shift
    done
    # shellcheck disable=SC2086
    call_busted $group || status=$?
    [ "$(tail -n 1 "$journal")" = end ] || break
  done
  return "$status"
}

# Runs busted under the interpreter $1 on the device $2; the other arguments are busted's.
run_busted() {
  lua=$1
  device=$2
  shift 2
  echo "== $lua on $device${CUPOLA_TEST_MODE:+ (mode $CUPOLA_TEST_MODE)}"
  journal=$(journal_of "$lua" "$device")
  : >"$journal"
  status=0
  (
    cd "$root"
    export CUPOLA_DEVICE="$device" CUPOLA_TOTALS="$journal"
    size=8
    case ${CUPOLA_TEST_MODE:-} in
    gc) export CUPOLA_GC_EVERY=1 && size=1 ;;
    poison) export CUPOLA_POISON=1 ;;
    unfused) export CUPOLA_FUSION=0 ;; # every operator runs at once
    forced) export CUPOLA_FUSION=force ;; # the same, but by way of pending values
    esac
    [ -z "${preload:-}" ] || export LD_PRELOAD="$preload"
    if [ $# -gt 0 ]; then
      call_busted "$@"
    else
      # shellcheck disable=SC2046
      set -- $(spec_files | alternate | rotate "$size")
      export CUPOLA_TEST_FILES=$#
      call_busted_in_groups "$size" "$@"
    fi
  ) || status=$?
  echo "$status" >"$journal.status"
}

# The journal of the interpreter $1 on the device $2.
journal_of() { echo "$build/totals-$1-$2${CUPOLA_TEST_MODE:+-$CUPOLA_TEST_MODE}"; }

# Runs busted on the device $1 under all interpreters, at once except on GPUs, whose memory specs look at; the
# other arguments are busted's. Prints the results one after the other.
run_luas() {
  device=$1
  luas=${CUPOLA_TEST_LUA:-lua5.4 luajit}
  shift
  for lua_name in ${luas#* }; do
    [ "$lua_name" = "$luas" ] || run_busted "$lua_name" "$device" "$@" \
        >"$(journal_of "$lua_name" "$device").log" 2>&1 &
    [ "$device" = cpu ] || wait
  done
  run_busted "${luas%% *}" "$device" "$@"
  wait
  for lua_name in ${luas#* }; do
    [ "$lua_name" = "$luas" ] || cat "$(journal_of "$lua_name" "$device").log"
  done
  for lua_name in $luas; do
    journal=$(journal_of "$lua_name" "$device")
    add_journal "$journal" "$lua_name on $device" "$(cat "$journal.status")"
  done
}

# Prints the devices to test: CUPOLA_DEVICE, or else the CPU and, where it works, the GPU.
devices() {
  if [ -n "${CUPOLA_DEVICE:-}" ]; then
    echo "$CUPOLA_DEVICE"
    return
  fi
  echo cpu
  found=$(interpreter lua5.4 -e 'print((require("cupola").cuda.is_available()))' 2>/dev/null) || found=no
  [ "$found" != true ] || echo cuda
}

# Runs the programs $@ of spec/c, already built, by the command $launcher, two at once. Each counts as one test;
# 77 means skipped.
run_c_programs() {
  for name in "$@"; do rm -f "$build/c_specs/$name.status"; done
  # shellcheck disable=SC2016,SC2086
  printf '%s\n' "$@" | xargs -P 2 -I NAME sh -c '
    program=$0/$1
    shift
    status=0
    "$@" "$program" >"$program.log" 2>&1 || status=$?
    echo "$status" >"$program.status"' "$build/c_specs" NAME $launcher $bounded
  for name in "$@"; do
    status=$(cat "$build/c_specs/$name.status" 2>/dev/null || echo unknown)
    case $status in
    0) passed=$((passed + 1)) result=passed ;;
    77) skipped=$((skipped + 1)) result=skipped ;;
    *) failed=$((failed + 1)) result="failed with status $status" && cat "$build/c_specs/$name.log" ;;
    esac
    echo "  spec/c/$name: $result"
  done
}

# Builds and runs the programs of spec/c.
run_c_specs() {
  [ -n "$(find "$root/spec/c" -name '*.c' 2>/dev/null)" ] || return 0
  echo "== programs of spec/c"
  compile "$build" --target c_specs
  launcher="env"
  # shellcheck disable=SC2046
  run_c_programs $(find "$root/spec/c" -name '*.c' -exec basename {} .c \; | sort)
}

# Ends a run: the totals are the last line; the status says whether all passed.
print_totals() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

# Runs everything; arguments are busted's, and then the programs of spec/c are not run. CUPOLA_TEST_MODE
# (spec/helper/modes.lua) omits them too; CUPOLA_TEST_LUA selects one interpreter.
run_specs() {
  device_list=$(devices)
  for device_name in $device_list; do run_luas "$device_name" "$@"; done
  [ $# -gt 0 ] || [ -n "${CUPOLA_TEST_MODE:-}" ] || run_c_specs
  print_totals
}

# What the sanitizers need: their libraries are loaded first, as the interpreters are not built with them.
# Leaks are not checked: children (the C++ compiler) inherit the libraries, and Lua frees what it holds at
# exit. Fake stacks (detect_stack_use_after_return) are aligned to 32 bytes, where gcc 13's 64-byte stores
# fault.
prepare_sanitizers() {
  preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
  export ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0:protect_shadow_gap=0:abort_on_error=1:${ASAN_OPTIONS:-}"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:abort_on_error=1:${UBSAN_OPTIONS:-}"
}

run_sanitized() {
  prepare_sanitizers
  run_luas "${CUPOLA_DEVICE:-cpu}" "$@"
  print_totals
}

# Runs the fuzzers of spec/fuzz, which take seconds and a seed, under both interpreters at once with the
# sanitizers: $1 seconds of processor time in all, with seed $2 (none: another each time).
run_fuzzers() {
  prepare_sanitizers
  ASAN_OPTIONS="allocator_may_return_null=1:$ASAN_OPTIONS"
  luas=${CUPOLA_TEST_LUA:-lua5.4 luajit}
  runs=$(find "$root/spec/fuzz" -name '*.lua' | wc -l)
  for lua_name in $luas; do runs_of_all=$((${runs_of_all:-0} + runs)); done
  share=$(($1 / runs_of_all))
  [ "$share" -gt 0 ] || share=1
  for fuzzer in "$root"/spec/fuzz/*.lua; do
    name=$(basename "$fuzzer" .lua)
    for lua_name in $luas; do
      echo "== $name under $lua_name, $share s"
      run_fuzzer "$lua_name" "$fuzzer" "$share" ${2:+"$2"} >"$build/fuzz-$name-$lua_name.log" 2>&1 &
    done
    wait
    for lua_name in $luas; do
      cat "$build/fuzz-$name-$lua_name.log"
      if [ "$(tail -n 1 "$build/fuzz-$name-$lua_name.log")" = "status 0" ]; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
      fi
    done
  done
  print_totals
}

# Runs the fuzzer $2 under the interpreter $1 for $3 seconds, with the seed $4 if there is one.
run_fuzzer() {
  status=0
  (
    cd "$root"
    export LD_PRELOAD="$preload" CUPOLA_DEVICE="${CUPOLA_DEVICE:-cpu}"
    lua_name=$1
    shift
    interpreter "$lua_name" "$@"
  ) || status=$?
  echo "status $status"
}

# The multi-threaded programs, with the core and the module built for ThreadSanitizer (Lua need not be, as a
# state is used by one thread at a time). Some kernels' memory layout is not what gcc's sanitizer expects; it
# works without address space randomisation.
run_thread_sanitized() {
  compile "$build" --target cupola_lua54 --target spec_states --target spec_pool \
    --target spec_memory --target spec_captures --target spec_stress
  launcher="setarch $(uname -m) -R"
  $launcher true 2>/dev/null || launcher="env"
  export TSAN_OPTIONS="halt_on_error=1:history_size=4:${TSAN_OPTIONS:-}" CUPOLA_DEVICE=cpu
  run_c_programs states memory captures stress pool
  print_totals
}
