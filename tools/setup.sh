# Part of ./dev (sourced): finds what the build and the specs need, and installs what is missing, with apt
# where that exists. Searches for commands and headers, not packages, so that a machine without system
# packages works if CPATH or CMAKE_PREFIX_PATH name the headers. With nothing missing it takes a few
# milliseconds.
# shellcheck shell=sh

# Prints the folders in which headers are searched for, one per line.
header_folders() {
  printf '%s\n' "${CPATH:-}" | tr ':' '\n' | sed '/^$/d'
  printf '%s\n' "${CMAKE_PREFIX_PATH:-}" | tr ':' '\n' | sed '/^$/d; s,$,/include,'
  printf '%s\n' /usr/local/include /usr/include
}

have() { command -v "$1" >/dev/null 2>&1; }

# True if the header $1 is in one of $header_list.
have_header() {
  printf '%s\n' "$header_list" | while read -r folder; do
    [ -f "$folder/$1" ] && echo yes && break
  done | grep -q yes
}

# Prints the first folder with the header $1 and a lua.h of LUA_VERSION_NUM $2, among the subfolders $3... of
# each folder.
find_lua_headers() {
  header=$1
  number=$2
  shift 2
  header_folders | while read -r folder; do
    for sub in "$@"; do
      [ -f "$folder/$sub/$header" ] || continue
      grep -q "LUA_VERSION_NUM[[:space:]]*$number" "$folder/$sub/lua.h" || continue
      echo "$folder/$sub"
      return
    done
  done
}

lua54_headers() {
  if [ -n "${LUA54_INCDIR:-}" ]; then
    echo "$LUA54_INCDIR"
  else
    find_lua_headers lua.h 504 lua5.4 lua-5.4 lua54 .
  fi
}

luajit_headers() {
  if [ -n "${LUAJIT_INCDIR:-}" ]; then
    echo "$LUAJIT_INCDIR"
  else
    find_lua_headers luajit.h 501 luajit-2.1 luajit .
  fi
}

have_busted() {
  have "$1" && "$1" -e 'os.exit(package.searchpath("busted.runner", package.path) and 0 or 1)' 2>/dev/null
}

# Sets `missing` to the Debian packages that the build, the specs and the user kernels of the CPU device lack.
find_missing() {
  missing=
  header_list=$(header_folders)
  have cc || have gcc || have clang || missing="$missing gcc libc6-dev"
  have c++ || have g++ || have clang++ || missing="$missing g++"
  have cmake || missing="$missing cmake"
  have make || have ninja || missing="$missing make"
  have lua5.4 || missing="$missing lua5.4"
  have luajit || missing="$missing luajit"
  [ -n "$(lua54_headers)" ] || missing="$missing liblua5.4-dev"
  [ -n "$(luajit_headers)" ] || missing="$missing libluajit-5.1-dev"
  { have_busted lua5.4 && have_busted luajit; } || missing="$missing lua-busted"
  have_header stb/stb_image_write.h || missing="$missing libstb-dev"
  have_header dlpack/dlpack.h || missing="$missing libdlpack-dev"
}

# True if the loader finds the library $1.
have_library() {
  for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /usr/local/lib \
      $(printf %s "${LD_LIBRARY_PATH:-}" | tr ':' ' '); do
    [ -e "$folder/$1" ] && return
  done
  PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "$1"
}

# Installs the libraries that are opened at run time for linear algebra (also sparse), Fourier
# transforms (CPU) and pictures, if apt exists.
need_run_packages() {
  missing=
  have_library libopenblas.so.0 || missing="$missing libopenblas0-pthread"
  have_library libfftw3.so.3 || missing="$missing libfftw3-double3"
  have_library libfftw3f.so.3 || missing="$missing libfftw3-single3"
  have_library libsuperlu.so.7 || have_library libsuperlu.so.6 || have_library libsuperlu.so.5 ||
    missing="$missing libsuperlu7|libsuperlu6|libsuperlu5"
  have_library libpng16.so.16 || missing="$missing libpng16-16t64|libpng16-16"
  have_library libturbojpeg.so.0 || missing="$missing libturbojpeg0|libturbojpeg"
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  have apt-get && (install_packages $missing) && return
  echo "dev: without what these Debian packages hold, cp.linalg, cp.fft (on the CPU), sparse LU factors and cp.image do not work:$missing" >&2
}

# Prints the first of the packages ONE|OTHER|... that apt has, as the names of some differ between releases.
known_package() {
  for package in $(printf '%s' "$1" | tr '|' ' '); do
    [ -z "$(apt-cache show "$package" 2>/dev/null)" ] || break
  done
  echo "$package"
}

# Updates apt's lists and installs the packages $2...; $1 is the command to become root.
fetch_packages() {
  as_root=$1
  shift
  $as_root apt-get update -qq || return
  for package in "$@"; do
    shift
    set -- "$@" "$(known_package "$package")"
  done
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# Installs the packages $@, or prints what to install and ends the script.
install_packages() {
  if ! have apt-get; then
    die "please install what these Debian packages hold, then run this again: $*"
  fi
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || die "not root and no sudo; as root run: apt-get install $*"
    as_root=sudo
  fi
  echo "dev: installing $* (a minute or two)" >&2
  log=$(mktemp)
  fetch_packages "$as_root" "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    die "apt-get failed"
  }
  rm -f "$log"
}

need_build_packages() {
  find_missing
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  install_packages $missing
  find_missing
  [ -z "$missing" ] || die "still missing after the installation:$missing"
}

need_lint_packages() {
  lint_missing=
  have gcc || lint_missing="$lint_missing gcc"
  have clang || lint_missing="$lint_missing clang"
  have "${CLANG_FORMAT:-clang-format}" || lint_missing="$lint_missing clang-format"
  have luacheck || lint_missing="$lint_missing lua-check"
  # shellcheck disable=SC2086
  [ -z "$lint_missing" ] || install_packages $lint_missing
}
