# Part of ./dev (sourced): copies the modules and what belongs to them to where Lua, compilers and editors
# look.
# shellcheck shell=sh disable=SC2154

# Copies the file $1 to $2 below the prefix, with the mode $3; prints where.
put() {
  target=${DESTDIR:-}$prefix/$2
  mkdir -p "$(dirname -- "$target")"
  install -m "$3" "$1" "$target" || die "could not write $target"
  echo "$target"
}

# Copies the module for $1, if the build has it, to where Lua $2 looks.
put_module() {
  [ ! -f "$build/$1/cupola.so" ] || put "$build/$1/cupola.so" "lib/lua/$2/cupola.so" 755
}

# Installs below the prefix $1 (default /usr/local), inside $DESTDIR if that is set.
run_install() {
  prefix=${1:-/usr/local}
  case $prefix in /*) ;; *) die "the prefix must be an absolute path: $prefix" ;; esac
  put_module lua5.4 5.4
  put_module luajit 5.1
  put "$root/src/cupola.h" include/cupola.h 644
  put "$root/library/cupola.lua" share/cupola/library/cupola.lua 644
  description=$(mktemp)
  cat >"$description" <<END
prefix=$prefix
includedir=\${prefix}/include
lua54dir=\${prefix}/lib/lua/5.4
luajitdir=\${prefix}/lib/lua/5.1
librarydir=\${prefix}/share/cupola/library

Name: cupola
Description: n-dimensional arrays for Lua on NVIDIA GPUs and CPUs
Version: 0.1
Cflags: -I\${includedir}
END
  put "$description" lib/pkgconfig/cupola.pc 644
  rm -f "$description"
}
