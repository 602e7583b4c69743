"""The rows of bench/spots/spots_gpu.lua by CuPy and PyTorch: "WHO<tab>KEY<tab>MILLISECONDS"."""
import os
import time

GOLDEN, SILVER = 0.6180339887498949, 0.41421356237309515
WANTED = [part for part in os.environ.get("ROWS", "").split(",") if part]


def timers(who, sync, make_event, elapsed):
    """Functions that report the device's time of calls that are queued, and the host's of one waited for."""

    def report(key, measure):
        if WANTED and not any(part in key for part in WANTED):
            return
        try:
            print("%s\t%s\t%.4f" % (who, key, measure()), flush=True)
        except Exception as problem:
            print("%s\t%s\tfailed: %s" % (who, key, str(problem).split("\n")[0]), flush=True)

    def queued(key, call):
        def measure():
            for _ in range(5):
                call()
            times = []
            for _ in range(9):
                first, last = make_event(), make_event()
                first.record()
                for _ in range(20):
                    call()
                last.record()
                last.synchronize()
                times.append(elapsed(first, last) / 20)
            return sorted(times)[4]

        report(key, measure)

    def waited(key, call):
        def once():
            t = time.perf_counter()
            call()
            sync()
            return time.perf_counter() - t

        def measure():
            for _ in range(50):
                once()
            return min(sorted(once() for _ in range(11))[5] for _ in range(7)) * 1e3

        report(key, measure)

    return queued, waited


def cupy_rows():
    import cupy as cp
    import numpy as np
    from cupyx.scipy import ndimage as N

    def noise(n, dtype="f8"):
        k = cp.arange(n, dtype="f8")
        return ((((k * GOLDEN) % 1) * ((k * SILVER) % 1) * 1e5) % 1).astype("f4").astype(dtype)

    queued, waited = timers("cupy", cp.cuda.Device().synchronize, cp.cuda.Event, cp.cuda.get_elapsed_time)
    x, xp, fp = noise(10**7) * 1e5, cp.arange(100000.0), noise(100000)
    queued("interp 1e7 in 1e5", lambda: cp.interp(x, xp, fp))
    queued("searchsorted 1e7 in 1e5", lambda: cp.searchsorted(xp, x))
    in_order = cp.sort(x)
    queued("interp 1e7 sorted in 1e5", lambda: cp.interp(in_order, xp, fp))
    xs, xps, fps = x.astype("f4"), xp.astype("f4"), fp.astype("f4")
    queued("interp 1e7 in 1e5 float32", lambda: cp.interp(xs, xps, fps))
    for dtype, name in (("f8", "float64"), ("f4", "float32")):
        for n in (512, 2048, 4096):
            m = noise(n * n, dtype).reshape(n, n)
            s = (m + m.T) / 2 + n * cp.eye(n, dtype=dtype)
            queued("cholesky %d %s" % (n, name), lambda: cp.linalg.cholesky(s))
    for kb in (64, 256, 1024, 4096):
        h, d = np.ones(kb * 256, "f4"), cp.ones(kb * 256, "f4")
        waited("host to device, %d KB pageable" % kb, lambda: cp.asarray(h))
        waited("device to host, %d KB pageable" % kb, lambda: cp.asnumpy(d))
    a, b = (noise(4096 * 4096).reshape(4096, 4096) - 0.5 for _ in range(2))
    for dtype, name in (("f2", "float16"), ("f4", "float32")):
        ah, bh = a.astype(dtype), b.astype(dtype)
        queued("matmul 4096 " + name, lambda: ah @ bh)
    for dtype, name in (("f4", "float32"), ("f8", "float64")):
        for columns in (8, 16, 31, 32):
            tall = noise(2**20 * columns, dtype).reshape(-1, columns)
            other = 1 - tall
            queued("X.T @ Y, 1048576 x %d %s" % (columns, name), lambda: tall.T @ other)
    x = noise(4096 * 4096, "f4").reshape(4096, 4096)
    byte = (x * 255).astype("u1")
    for size in (3, 5, 7):
        queued("median_filter %d" % size, lambda: N.median_filter(x, size))
    queued("median_filter 5 uint8", lambda: N.median_filter(byte, 5))
    queued("rank_filter 2 of 5 x 5", lambda: N.rank_filter(x, 1, 5))
    queued("percentile_filter 20 of 5 x 5", lambda: N.percentile_filter(x, 20, 5))


def torch_rows():
    import torch
    import torch.nn.functional as F

    def event():
        return torch.cuda.Event(enable_timing=True)

    queued, waited = timers("torch", torch.cuda.synchronize, event, lambda a, b: a.elapsed_time(b))
    x, xp = torch.rand(10**7, dtype=torch.float64, device="cuda") * 1e5, torch.arange(1e5, dtype=torch.float64, device="cuda")
    queued("searchsorted 1e7 in 1e5", lambda: torch.searchsorted(xp, x))
    for dtype, name in ((torch.float64, "float64"), (torch.float32, "float32")):
        for n in (512, 2048, 4096):
            m = torch.rand(n, n, dtype=dtype, device="cuda")
            s = (m + m.T) / 2 + n * torch.eye(n, dtype=dtype, device="cuda")
            queued("cholesky %d %s" % (n, name), lambda: torch.linalg.cholesky(s))
            queued("cholesky upper %d %s" % (n, name), lambda: torch.linalg.cholesky(s, upper=True))
            queued("cholesky_ex %d %s" % (n, name), lambda: torch.linalg.cholesky_ex(s))
    for kb in (64, 256, 1024, 4096):
        h, d = torch.ones(kb * 256), torch.ones(kb * 256, device="cuda")
        waited("host to device, %d KB pageable" % kb, lambda: h.cuda())
        waited("device to host, %d KB pageable" % kb, lambda: d.cpu())
    n = 4096
    for dtype, name in ((torch.float16, "float16"), (torch.bfloat16, "bfloat16"), (torch.float32, "float32")):
        a, b = (torch.rand(n, n, device="cuda") - 0.5).to(dtype), (torch.rand(n, n, device="cuda") - 0.5).to(dtype)
        bias = torch.rand(n, device="cuda").to(dtype)
        queued("matmul 4096 " + name, lambda: a @ b)
        queued("linear 4096 %s none" % name, lambda: torch.addmm(bias, a, b))
        queued("linear 4096 %s relu" % name, lambda: torch.relu(torch.addmm(bias, a, b)))
        queued("linear 4096 %s gelu_tanh" % name, lambda: F.gelu(torch.addmm(bias, a, b), approximate="tanh"))
        queued("linear 4096 %s gelu" % name, lambda: F.gelu(torch.addmm(bias, a, b)))
        queued("fused 4096 %s relu" % name, lambda: torch._addmm_activation(bias, a, b))
        queued("fused 4096 %s gelu_tanh" % name, lambda: torch._addmm_activation(bias, a, b, use_gelu=True))
        queued("gelu alone 4096 " + name, lambda: F.gelu(a))
        layer = torch.nn.Linear(n, n, device="cuda", dtype=dtype)
        for approximate, activation in (("tanh", "gelu_tanh"), ("none", "gelu")):
            compiled = torch.compile(lambda x: F.gelu(layer(x), approximate=approximate))
            with torch.no_grad():
                queued("compiled 4096 %s %s" % (name, activation), lambda: compiled(a))
    for dtype, name in ((torch.float32, "float32"), (torch.float64, "float64")):
        for columns in (8, 16, 31, 32):
            tall, other = (torch.rand(2**20, columns, dtype=dtype, device="cuda") for _ in range(2))
            queued("X.T @ Y, 1048576 x %d %s" % (columns, name), lambda: tall.T @ other)


for rows in (cupy_rows, torch_rows):
    try:
        rows()
    except ImportError as problem:
        print("none\t%s\tfailed" % problem, flush=True)
