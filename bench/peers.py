"""Figures of CuPy, PyTorch or NumPy for the table of bench/run: one line each, "WHO<tab>KEY<tab>VALUE<tab>UNIT".

Usage: peers.py cupy|torch|numpy      The same work and the same timing as bench/cupola.lua.
"""
import sys
import time

who = sys.argv[1]


def report(key, value, unit):
    print(f"{who}\t{key}\t{value:.4f}\t{unit}", flush=True)


def host(key, call, sync, n=20000):
    for _ in range(500):
        call()
    sync()
    best = float("inf")
    for _ in range(5):
        t = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter() - t) / n)
        sync()
    report(key, best * 1e6, "us")


def median(times):
    return sorted(times)[len(times) // 2 - 1]


def clocked(call):
    for _ in range(20):
        call()
    times = []
    for _ in range(20):
        t = time.perf_counter()
        call()
        times.append(time.perf_counter() - t)
    return median(times)


def small_rows(a, b, sync, in_place, kernel=None, empty=None):
    host("host a + b, n = 100", lambda: a + b, sync)
    host("host a + 1, n = 100", lambda: a + 1, sync)
    host("host a += b, n = 100", in_place, sync)
    host("host sum, n = 100", lambda: a.sum(), sync)
    host('host slice x["10:20"]', lambda: a[9:20], sync)
    host("host slice x[{ {10, 20} }]", lambda: a[9:20], sync)
    if kernel is not None:
        host("host ElementwiseKernel, n = 100", lambda: kernel(a, b), sync)
    host("host empty(100)", empty, sync)


def large_rows(n, size, seconds, rows):
    for key, nbytes, call in rows:
        report(f"{key}{size}", nbytes * n / seconds(call) / 1e9, "GB/s")


def run_cupy():
    import cupy as cp

    def seconds(call):
        for _ in range(20):
            call()
        times = []
        for _ in range(20):
            first, last = cp.cuda.Event(), cp.cuda.Event()
            first.record()
            call()
            last.record()
            last.synchronize()
            times.append(cp.cuda.get_elapsed_time(first, last) / 1e3)
        return median(times)

    a, b = cp.ones(100, "f4"), cp.ones(100, "f4")
    kernel = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x - y", "edit")
    sync = cp.cuda.Stream.null.synchronize
    small_rows(a, b, sync, lambda: a.__iadd__(b), kernel, lambda: cp.empty(100, "f4"))
    n = 100_000_000
    x, y = cp.linspace(0, 1, n, dtype="f4"), cp.linspace(1, 2, n, dtype="f4")
    z = cp.empty(n, "f4")
    m = x.reshape(10000, 10000)
    large_rows(n, " 1e8", seconds, [
        ("copy", 8, lambda: cp.copyto(z, x)),
        ("add", 12, lambda: cp.add(x, y, out=z)),
        ("add, new result", 12, lambda: x + y),
        ("sum", 4, lambda: x.sum()),
        ("sqrt", 8, lambda: cp.sqrt(x, out=z)),
        ("exp", 8, lambda: cp.exp(x, out=z)),
        ("fill", 4, lambda: z.fill(1)),
        ("argmax", 4, lambda: x.argmax()),
    ])
    large_rows(n, "", seconds, [
        ("sum over axis 0 of 1e4 x 1e4", 4, lambda: m.sum(0)),
        ("sum over axis 1 of 1e4 x 1e4", 4, lambda: m.sum(1)),
        ("matrix + row", 8, lambda: m + m[0]),
    ])


def run_torch():
    import torch

    torch.set_grad_enabled(False)

    def seconds(call):
        for _ in range(20):
            call()
        times = []
        for _ in range(20):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            call()
            last.record()
            last.synchronize()
            times.append(first.elapsed_time(last) / 1e3)
        return median(times)

    a, b = torch.ones(100, device="cuda"), torch.ones(100, device="cuda")
    small_rows(a, b, torch.cuda.synchronize, lambda: a.__iadd__(b), None, lambda: torch.empty(100, device="cuda"))
    n = 100_000_000
    x, y = torch.linspace(0, 1, n, device="cuda"), torch.linspace(1, 2, n, device="cuda")
    z = torch.empty_like(x)
    m = x.reshape(10000, 10000)
    large_rows(n, " 1e8", seconds, [
        ("copy", 8, lambda: z.copy_(x)),
        ("add", 12, lambda: torch.add(x, y, out=z)),
        ("add, new result", 12, lambda: x + y),
        ("sum", 4, lambda: x.sum()),
        ("sqrt", 8, lambda: torch.sqrt(x, out=z)),
        ("exp", 8, lambda: torch.exp(x, out=z)),
        ("fill", 4, lambda: z.fill_(1)),
        ("argmax", 4, lambda: x.argmax()),
    ])
    large_rows(n, "", seconds, [
        ("sum over axis 0 of 1e4 x 1e4", 4, lambda: m.sum(0)),
        ("sum over axis 1 of 1e4 x 1e4", 4, lambda: m.sum(1)),
        ("matrix + row", 8, lambda: m + m[0]),
    ])


def run_numpy():
    import numpy as np

    a, b = np.ones(100, "f4"), np.ones(100, "f4")
    small_rows(a, b, lambda: None, lambda: a.__iadd__(b), None, lambda: np.empty(100, "f4"))
    n = 10_000_000
    x, y = np.linspace(0, 1, n, dtype="f4"), np.linspace(1, 2, n, dtype="f4")
    z = np.empty(n, "f4")
    large_rows(n, " 1e7", clocked, [
        ("copy", 8, lambda: np.copyto(z, x)),
        ("add", 12, lambda: np.add(x, y, out=z)),
        ("add, new result", 12, lambda: x + y),
        ("sum", 4, lambda: x.sum()),
        ("sqrt", 8, lambda: np.sqrt(x, out=z)),
        ("exp", 8, lambda: np.exp(x, out=z)),
        ("fill", 4, lambda: z.fill(1)),
    ])


{"cupy": run_cupy, "torch": run_torch, "numpy": run_numpy}[who]()
