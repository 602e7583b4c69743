#!/bin/sh
# Usage: check-symbols.sh MODULE...   Fails when a module exports anything but luaopen_cupola and functions that
# src/cupola.h declares: any other symbol could clash with the host's.
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
  [ $found = yes ] || { echo "check-symbols: $module does not export luaopen_cupola" >&2 && status=1; }
done
exit $status
