#!/bin/sh
# Builds the simulated libraries of spec/driver, if they are older than their sources:
#   spec/driver/build.sh FOLDER [OPTIONS...]
# DRIVER_KERNELS=FOLDER then has kernels compiled for the host (host/compile.c), with these options of the
# compiler, such as -g or -fsanitize=address,undefined. Files are moved to their places, as others may be using
# them.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)
shift
cd "$root"

own=
case " $* " in *-fsanitize=*address*) own=-fsanitize=address ;; esac

# Builds library $1 of the remaining arguments, of which src/ and spec/ are relative to the root.
library() {
  name=$1
  shift
  # shellcheck disable=SC2086
  cc -std=c11 -D_GNU_SOURCE -O1 -g $own -shared -fPIC -Isrc -o "$folder/$name.$$" "$@"
  mv "$folder/$name.$$" "$folder/$name"
}

new=$(find spec/driver src/cpu/kernels src/cuda kernels/user -newer "$folder/options" 2>/dev/null || echo all)
[ -n "$new" ] || [ "$(cat "$folder/options" 2>/dev/null)" != "$*" ] || exit 0

parts=
for name in driver memory streams kernels writes jit host/run graphs calls textures missing; do
  parts="$parts spec/driver/$name.c"
done
# shellcheck disable=SC2086
library libcuda.so.1 $parts src/cpu/kernels/block.c src/cpu/kernels/fiber.c -lpthread -ldl
library libnccl.so.2 spec/driver/nccl.c -ldl
library libcudss.so.1 spec/driver/cudss.c -ldl -lm
library libnvrtc.so.13 spec/driver/nvrtc.c spec/driver/host/compile.c

if command -v g++ >/dev/null; then
  {
    echo 'typedef decltype(sizeof 0) size_t;'
    echo 'typedef decltype((char *)0 - (char *)0) ptrdiff_t;'
    echo '#define CP_POSITIONS 1'
    echo '#define __CUDA_ARCH__ 900'
    for name in cpu numbers cpu_math integers cpu_extra vectors raw_cpu; do cat "kernels/user/$name.h"; done
    cat spec/driver/host/ptx.h
  } | sed 's/\bcp_/host_/g; s/\bCP_/HOST_/g' >"$folder/device.h.$$" # kernels have names like these themselves
  flags="-x c++ -std=c++17 -O1 -w -fPIC -ffp-contract=off -fwrapv -fno-math-errno"
  flags="$flags -fno-gnu-unique -fvisibility=hidden $*"
  mv "$folder/device.h.$$" "$folder/device.h"
  # shellcheck disable=SC2086
  gcc $flags -x c++-header "$folder/device.h" -o "$folder/device.h.gch.$$"
  mv "$folder/device.h.gch.$$" "$folder/device.h.gch"
  echo "exec gcc $flags -shared -include $folder/device.h \"\$1\" -o \"\$2\" -lm" >"$folder/command"
fi
echo "$*" >"$folder/options"
