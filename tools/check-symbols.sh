#!/bin/sh
# Usage: check-symbols.sh MODULE...
#
# Fails when a module exports anything but luaopen_cupola and functions that src/cupola.h declares (any other
# symbol could clash with the host's), or needs a symbol that nothing defines: symbols of libraries have
# versions, the rest are Lua's. Otherwise a reduction of ops.def without its front_NAME would fail only when
# the module is loaded.
set -eu
header=$(dirname -- "$0")/../src/cupola.h
status=0
for module in "$@"; do
  [ -f "$module" ] || { echo "check-symbols: no file $module" >&2 && exit 1; }
  found=no
  for symbol in $(nm -D --defined-only "$module" | awk '{ print $3 }'); do
    if [ "$symbol" = luaopen_cupola ]; then
      found=yes
    elif ! grep -qs "\\<$symbol\\>" "$header"; then
      echo "check-symbols: $module exports $symbol, which src/cupola.h does not declare" >&2
      status=1
    fi
  done
  for symbol in $(nm -uD "$module" | awk '$1 == "U" { print $2 }'); do
    case $symbol in
    *@* | lua_* | luaL_*) ;;
    *)
      echo "check-symbols: $module needs $symbol, which nothing has" >&2
      status=1
      ;;
    esac
  done
  [ $found = yes ] || { echo "check-symbols: $module does not export luaopen_cupola" >&2 && status=1; }
done
exit $status
