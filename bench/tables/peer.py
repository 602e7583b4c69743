"""CuPy's and PyTorch's figures for the table of bench/peer, one line each: "WHO<tab>KEY<tab>VALUE<tab>UNIT".

Usage: peer.py cupy|torch
"""
import sys
import time

from rows import row

MB = 1000000


def seconds(call, wait):
    def rounds(n):
        best = float("inf")
        for _ in range(5):
            wait()
            t = time.perf_counter()
            for _ in range(n):
                call()
            wait()
            best = min(best, (time.perf_counter() - t) / n)
        return best

    for _ in range(3):
        call()
    return rounds(max(1, min(1000, int(0.2 / rounds(1)))))


def copy_rows(who, make, copy, wait):
    """make(n, device) returns n float32 elements; copy(x, device) copies x to the device."""

    def measure(megabytes, both=False):
        x = make(megabytes * MB // 4, 0)
        y = make(megabytes * MB // 4, 1) if both else None

        def call():
            copy(x, 1)
            if both:
                copy(y, 0)

        return (1 + both) * megabytes * MB / seconds(call, wait) / 1e9

    for megabytes in (1, 64, 1024):
        row(who, f"copy of {megabytes} MB to another GPU", "GB/s", lambda: measure(megabytes))
    row(who, "copies of 64 MB both ways at once", "GB/s", lambda: measure(64, True))
    small = make(256, 0)
    row(who, "copy of 1 KB to another GPU, queued", "us", lambda: seconds(lambda: copy(small, 1), wait) * 1e6)


def reduce_rows(who, gpus, make, reduce, wait):
    for megabytes in (1, 256):
        def measure():
            xs = [make(megabytes * MB // 4, k) for k in range(gpus)]
            t = seconds(lambda: reduce(xs), wait)
            return 2 * (gpus - 1) / gpus * megabytes * MB / t / 1e9

        row(who, f"all_reduce of {megabytes} MB over {gpus} GPUs, bus", "GB/s", measure)


def run_cupy():
    import cupy
    from cupy.cuda import nccl

    gpus = cupy.cuda.runtime.getDeviceCount()

    def make(n, device):
        with cupy.cuda.Device(device):
            return cupy.ones(n, "float32")

    def copy(x, device):
        with cupy.cuda.Device(device):
            return cupy.array(x)

    def wait():
        for k in range(gpus):
            cupy.cuda.Device(k).synchronize()

    copy_rows("cupy", make, copy, wait)
    comms = nccl.NcclCommunicator.initAll(list(range(gpus)))

    def reduce(xs):
        nccl.groupStart()
        for k, (comm, x) in enumerate(zip(comms, xs)):
            with cupy.cuda.Device(k):
                comm.allReduce(x.data.ptr, x.data.ptr, x.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM,
                               cupy.cuda.Stream.null.ptr)
        nccl.groupEnd()

    reduce_rows("cupy", gpus, make, reduce, wait)


def run_torch():
    import torch

    gpus = torch.cuda.device_count()

    def wait():
        for k in range(gpus):
            torch.cuda.synchronize(k)

    def make(n, device):
        return torch.ones(n, dtype=torch.float32, device=f"cuda:{device}")

    copy_rows("torch", make, lambda x, device: x.to(f"cuda:{device}", non_blocking=True), wait)
    reduce_rows("torch", gpus, make, lambda xs: torch.cuda.nccl.all_reduce(xs), wait)


if __name__ == "__main__":
    {"cupy": run_cupy, "torch": run_torch}[sys.argv[1]]()
