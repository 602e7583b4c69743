# Part of ./dev (sourced): every check that needs no device. All checks run; the status says whether one
# failed.
# shellcheck shell=sh disable=SC2154

lint_failed=

# Runs the check $2... and remembers its name $1 when it fails.
check() {
  check_name=$1
  shift
  echo "== $check_name"
  "$@" || lint_failed="$lint_failed
  $check_name"
}

# Prints the repository's files below the folders $2... whose names match $1.
files_in() {
  pattern=$1
  shift
  for folder in "$@"; do
    [ ! -d "$root/$folder" ] || find "$root/$folder" -type f -name "$pattern"
  done | sort
}

lint_format() {
  {
    files_in '*.[ch]' src spec/c examples bench
    files_in '*.h' kernels/prelude
  } | xargs "${CLANG_FORMAT:-clang-format}" --dry-run -Werror --style=file
}

lint_lua() {
  (
    cd "$root" || exit 1
    for folder in lua spec examples bench tools; do
      [ ! -d "$folder" ] || set -- "$@" "$folder"
    done
    luacheck -q --no-color "$@"
  )
}

# The library's own Lua side must not call methods of strings, as scripts may replace those.
lint_string_methods() {
  names='byte|char|find|format|gmatch|gsub|len|lower|match|rep|reverse|sub|upper'
  ! grep -rnE ":($names)[ ]?[(\"'{]" "$root/lua" | grep -vE '^[^:]*:[0-9]*: *--'
}

# The scripts themselves, where shellcheck is installed.
lint_shell() {
  have shellcheck || return 0
  (cd "$root" && shellcheck -x dev tools/*.sh .ci/run spec/driver/build.sh spec/driver/simulated)
}

# Both languages' own parsers parse every Lua file (luacheck accepts what LuaJIT does not).
lint_syntax() {
  status=0
  for file in $(files_in '*.lua' lua spec examples bench tools); do
    luajit -bl "$file" >/dev/null || status=1
    lua5.4 -e 'assert(loadfile(arg[1]))' /dev/null "$file" || status=1
  done
  return $status
}

# The folder of lint's build with the compiler $1: the specs' own if CUPOLA_WERROR=ON built it that way.
lint_folder() {
  case $1${CUPOLA_WERROR:-} in gccON) echo "$build" ;; *) echo "$build/lint-$1" ;; esac
}

# Builds everything with the compiler $1 and warnings as errors. One level of loops, as all have the same
# source. clang's warnings do not depend on optimisation.
lint_warnings() {
  (
    folder=$(lint_folder "$1")
    if [ "$folder" = "$build" ]; then
      build_modules "$folder"
    else
      optimisation=-O3
      [ "$1" != clang ] || optimisation=-O0
      build_modules "$folder" -DCMAKE_C_COMPILER="$1" -DCUPOLA_WERROR=ON -DCUPOLA_LEVELS=v1 \
        -DCUPOLA_OPTIMISATION=$optimisation
    fi
    compile "$folder" --target c_specs
  )
}

# Every writable static variable is in docs/architecture.md, with who may write it.
lint_statics() {
  (cd "$root" && lua5.4 tools/statics.lua "$(lint_folder gcc)")
}

# Folders of src depend only on those before them in docs/architecture.md.
lint_floors() {
  (cd "$root" && lua5.4 tools/floors.lua "$(lint_folder gcc)")
}

# Limits on the length of files and on the number of parameters.
lint_sizes() {
  (cd "$root" && lua5.4 tools/sizes.lua)
}

run_lint() {
  check "clang-format" lint_format
  check "luacheck" lint_lua
  check "methods of strings" lint_string_methods
  check "shellcheck" lint_shell
  check "syntax in LuaJIT and Lua 5.4" lint_syntax
  check "warnings of gcc" lint_warnings gcc
  check "warnings of clang" lint_warnings clang
  check "symbols" sh "$root/tools/check-symbols.sh" \
    "$(lint_folder gcc)/lua5.4/cupola.so" "$(lint_folder gcc)/luajit/cupola.so"
  check "writable statics" lint_statics
  check "floors" lint_floors
  check "sizes" lint_sizes
  if [ -n "$lint_failed" ]; then
    echo "lint: failed:$lint_failed" >&2
    return 1
  fi
  echo "lint: all checks passed"
}
