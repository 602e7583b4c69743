"""Figures of the peers for the table of bench/run: one line each, "WHO<tab>KEY<tab>VALUE<tab>UNIT".

Usage: peers.py cupy|torch|torch.compile|jax|numpy      the rows of bench/tables/cupola.lua that the library has
       peers.py start cupy|torch|jax                    milliseconds from the process's start to its first sum
All do the same work on the same data, timed in the same way, with float32 throughout. The variable ROWS
selects rows (rows.py).
"""
import sys
import time

from algorithms import jax_algorithms, numpy_like_algorithms, torch_algorithms
from rows import GOLDEN, SILVER, by_clock, by_events, host_us, median, report, report_checks, report_host, row, waited

CHAIN = "sqrt(x*x + y*y)*exp(-x) + sin(y)"
FIRST_CALL = "first call of the long chain, compiler loaded"


def first_call(who, call, sync):
    """The first call of a compiled chain, including the compilation."""

    def measure():
        t = time.perf_counter()
        call()
        sync()
        return (time.perf_counter() - t) * 1e3

    row(who, FIRST_CALL, "ms", measure)


class Sizes:
    def __init__(self, n):
        self.n = n
        large = n == 100_000_000
        self.shape = (10000, 10000) if large else (2500, 4000)
        self.name = "1e4 x 1e4" if large else "2500 x 4000"
        self.short = "1e7 x 10" if large else "1e6 x 10"


def small_rows(a, b):
    return [
        ("a + b, n = 100", lambda: a + b),
        ("a + 1, n = 100", lambda: a + 1),
        ("x^2 + 2*y, n = 100", lambda: a**2 + 2 * b),
        ("sum, n = 100", lambda: a.sum()),
        ('slice x["10:20"]', lambda: a[9:20]),
        ("slice x[{ {10, 20} }]", lambda: a[9:20]),
    ]


def numpy_like_rows(xp, size, x, y, z):
    """The rows that NumPy and CuPy write in the same way."""
    n, m, short = size.n, x.reshape(size.shape), x.reshape(-1, 10)
    return [
        ("copy", "GB/s", 8 * n, lambda: xp.copyto(z, x)),
        ("fill", "GB/s", 4 * n, lambda: z.fill(1)),
        ("add", "GB/s", 12 * n, lambda: xp.add(x, y, out=z)),
        ("add, new result", "GB/s", 12 * n, lambda: x + y),
        ("sqrt", "GB/s", 8 * n, lambda: xp.sqrt(x, out=z)),
        ("exp", "GB/s", 8 * n, lambda: xp.exp(x, out=z)),
        ("x^2 + 2*y", "ms", 0, lambda: x**2 + 2 * y),
        (CHAIN, "ms", 0, lambda: xp.sqrt(x * x + y * y) * xp.exp(-x) + xp.sin(y)),
        ("sum((x - y)^2)", "ms", 0, lambda: ((x - y) ** 2).sum()),
        ("sum", "GB/s", 4 * n, lambda: x.sum()),
        ("argmax", "GB/s", 4 * n, lambda: x.argmax()),
        ("std", "ms", 0, lambda: x.std()),
        (f"sum over axis 0 of {size.name}", "GB/s", 4 * n, lambda: m.sum(axis=0)),
        (f"sum over axis 1 of {size.name}", "GB/s", 4 * n, lambda: m.sum(axis=1)),
        (f"sum over the short axis of {size.short}", "GB/s", 4 * n, lambda: short.sum(axis=1)),
        (f"transposed copy of {size.name}", "GB/s", 8 * n, lambda: xp.ascontiguousarray(m.T)),
        ("matrix + row", "GB/s", 8 * n, lambda: m + m[0]),
    ]


def linalg_sizes(on_gpu):
    return (4096, 24, 4096, 10000) if on_gpu else (1024, 20, 1024, 1000)


def numpy_like_linalg(who, xp, interval, on_gpu):
    """The rows of linear algebra and transforms that NumPy and CuPy write in the same way."""
    size, points, side, batch = linalg_sizes(on_gpu)

    def fractions(n, step):
        return ((xp.arange(n, dtype="f8") * step) % 1).astype("f4")

    a, b = fractions(size * size, GOLDEN).reshape(size, size), fractions(size * size, SILVER).reshape(size, size) + 1
    rows = []
    for name in ("float32", "float64", "float16") if on_gpu else ("float32", "float64"):
        p, q = a.astype(name), b.astype(name)
        rows.append((f"matmul {size}, {name}", "ms", 0, lambda p=p, q=q: xp.matmul(p, q)))
    signal = fractions(2**points, GOLDEN).astype("c8")
    plane = fractions(side * side, GOLDEN).astype("c8").reshape(side, side)
    many = fractions(batch * 256, GOLDEN).reshape(batch, 16, 16) + 4 * xp.eye(16, dtype="f4")
    right = fractions(batch * 16, SILVER).reshape(batch, 16, 1)
    report(who, interval, rows + [
        (f"fft 2^{points}, complex64", "ms", 0, lambda: xp.fft.fft(signal)),
        (f"fft2 {side} x {side}, complex64", "ms", 0, lambda: xp.fft.fft2(plane)),
        (f"matmul of {batch} 16 x 16", "ms", 0, lambda: xp.matmul(many, many)),
        (f"solve {batch} 16 x 16", "ms", 0, lambda: xp.linalg.solve(many, right)),
    ])
    m = xp.sin(xp.arange(1e6) ** 2).reshape(1000, 1000).astype("f4")
    report(who, interval, [("svd 1000 x 1000, float32", "ms", 0, lambda: xp.linalg.svd(m))])
    report_checks(who, [
        ("a product of matrices", lambda: xp.matmul(a, b)[1, 2]),
        ("the largest singular value", lambda: xp.linalg.svd(m, compute_uv=False)[0]),
        ("a Fourier coefficient", lambda: xp.fft.fft(signal)[0].real / 2**points),
    ])


def transfer_rows(who, to_device, to_host, pinned_to_device, pinned_to_host, make_host, make_device, sync):
    """Copies between host and device, by the host's clock, until they are done."""

    def rate(key, size, call):
        row(who, key, "GB/s", lambda: size / waited(call, sync) / 1e9)

    n = 50_000_000
    host, device = make_host(n), make_device(n)
    rate("host to device, 200 MB pageable", 4 * n, lambda: to_device(host))
    rate("host to device, 200 MB pinned", 4 * n, pinned_to_device(device))
    rate("device to host, 200 MB pageable", 4 * n, lambda: to_host(device))
    rate("device to host, 200 MB pinned", 4 * n, pinned_to_host(device))
    for kb in (64, 1024, 4096):
        h, d = make_host(256 * kb), make_device(256 * kb)
        rate(f"host to device, {kb} KB pageable", 1024 * kb, lambda: to_device(h))
        rate(f"device to host, {kb} KB pageable", 1024 * kb, lambda: to_host(d))
    h, d = make_host(100), make_device(100)
    row(who, "host to device, n = 100, waited for", "us", lambda: waited(lambda: to_device(h), sync) * 1e6)
    row(who, "device to host, n = 100", "us", lambda: waited(lambda: to_host(d), sync) * 1e6)


def cupy_transfers(cp, sync):
    import cupyx
    import numpy as np

    pinned = cupyx.zeros_pinned(50_000_000, "f4")
    transfer_rows("cupy", cp.asarray, cp.asnumpy, lambda d: lambda: d.set(pinned),
                  lambda d: lambda: d.get(out=pinned, blocking=False), lambda n: np.ones(n, "f4"),
                  lambda n: cp.ones(n, "f4"), sync)


def torch_transfers(torch):
    pinned = torch.zeros(50_000_000).pin_memory()
    transfer_rows("torch", lambda h: h.to("cuda"), lambda d: d.cpu(), lambda d: lambda: d.copy_(pinned, non_blocking=True),
                  lambda d: lambda: pinned.copy_(d, non_blocking=True), torch.ones,
                  lambda n: torch.ones(n, device="cuda"), torch.cuda.synchronize)


def numpy_like_signal(who, xp, signal, interval):
    """The rows of cp.scipy.signal, which SciPy and CuPy write in the same way."""

    def fractions(n, step):
        return ((xp.arange(n, dtype="f8") * step) % 1).astype("f4")

    picture, x, taps = fractions(1024 * 1024, GOLDEN).reshape(1024, 1024), fractions(1000000, GOLDEN), fractions(100, SILVER)
    for m in (3, 15):
        filter_ = fractions(m * m, SILVER).reshape(m, m)
        blur = lambda filter_=filter_: signal.convolve2d(picture, filter_, "same", "symm")
        report(who, interval, [(f"convolve2d 1024 x 1024, {m} x {m}, symm", "ms", 0, blur)])
        report_checks(who, [(f"a blurred pixel, {m} x {m}", lambda: blur()[0, 1])])
    b, a = xp.array([0.0048, 0.0193, 0.0289, 0.0193, 0.0048]), xp.array([1, -2.3695, 2.3140, -1.0547, 0.1874])
    wide = x.astype("f8")
    report(who, interval, [
        ("convolve 1e6 with 100, direct", "ms", 0, lambda: signal.convolve(x, taps, "same", "direct")),
        ("lfilter 1e6, order 4, float64", "ms", 0, lambda: signal.lfilter(b, a, wide)),
    ])
    report_checks(who, [("a filtered value", lambda: signal.lfilter(b, a, wide)[-1])])


def torch_linalg(torch, interval):
    size, points, side, batch = linalg_sizes(True)

    def fractions(n, step):
        return ((torch.arange(n, dtype=torch.float64, device="cuda") * step) % 1).to(torch.float32)

    a, b = fractions(size * size, GOLDEN).reshape(size, size), fractions(size * size, SILVER).reshape(size, size) + 1
    rows = []
    for name in ("float32", "float64", "float16"):
        p, q = a.to(getattr(torch, name)), b.to(getattr(torch, name))
        rows.append((f"matmul {size}, {name}", "ms", 0, lambda p=p, q=q: torch.matmul(p, q)))
    signal = fractions(2**points, GOLDEN).to(torch.complex64)
    plane = fractions(side * side, GOLDEN).to(torch.complex64).reshape(side, side)
    many = fractions(batch * 256, GOLDEN).reshape(batch, 16, 16) + 4 * torch.eye(16, device="cuda")
    right = fractions(batch * 16, SILVER).reshape(batch, 16, 1)
    report("torch", interval, rows + [
        (f"fft 2^{points}, complex64", "ms", 0, lambda: torch.fft.fft(signal)),
        (f"fft2 {side} x {side}, complex64", "ms", 0, lambda: torch.fft.fft2(plane)),
        (f"matmul of {batch} 16 x 16", "ms", 0, lambda: torch.matmul(many, many)),
        (f"solve {batch} 16 x 16", "ms", 0, lambda: torch.linalg.solve(many, right)),
    ])
    m = torch.sin(torch.arange(1e6, dtype=torch.float64, device="cuda") ** 2).reshape(1000, 1000).to(torch.float32)
    report("torch", interval, [("svd 1000 x 1000, float32", "ms", 0, lambda: torch.linalg.svd(m))])
    report_checks("torch", [
        ("a product of matrices", lambda: torch.matmul(a, b)[1, 2]),
        ("the largest singular value", lambda: torch.linalg.svdvals(m)[0]),
        ("a Fourier coefficient", lambda: torch.fft.fft(signal)[0].real / 2**points),
    ])


def numpy_like_data(xp, n):
    def fractions(step):
        return ((xp.arange(n, dtype="f8") * step) % 1).astype("f4")

    return fractions(GOLDEN), fractions(SILVER) + 1, xp.empty(n, "f4")


def numpy_like_checks(xp, size, x, y):
    return [
        ("mean of x^2 + 2*y", lambda: (x**2 + 2 * y).mean()),
        ("mean of the long chain", lambda: (xp.sqrt(x * x + y * y) * xp.exp(-x) + xp.sin(y)).mean()),
        ("sum((x - y)^2) / n", lambda: ((x - y) ** 2).sum() / size.n),
        ("std", lambda: x.std()),
        ("the value at argmax", lambda: x[x.argmax()]),
        ("a sum over axis 0", lambda: x.reshape(size.shape).sum(axis=0)[2]),
    ]


def run_numpy():
    import numpy as np

    a, b = np.ones(100, "f4"), np.ones(100, "f4")
    report_host("numpy", lambda: None, small_rows(a, b) + [
        ("empty(100)", lambda: np.empty(100, "f4")),
        ("a += b, n = 100", lambda: a.__iadd__(b)),
    ])
    size = Sizes(10_000_000)
    x, y, z = numpy_like_data(np, size.n)
    report("numpy", by_clock, numpy_like_rows(np, size, x, y, z))
    report_checks("numpy", numpy_like_checks(np, size, x, y))
    numpy_like_linalg("numpy", np, by_clock, False)
    import scipy.signal

    numpy_like_signal("numpy", np, scipy.signal, by_clock)
    numpy_like_algorithms("numpy", np, by_clock, False)


def run_cupy():
    import cupy as cp

    sync = cp.cuda.Stream.null.synchronize
    interval = by_events(cp.cuda.Event, cp.cuda.get_elapsed_time)
    a, b = cp.ones(100, "f4"), cp.ones(100, "f4")
    kernel = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x - y", "edit")
    subtract = cp.RawKernel('''extern "C" __global__ void subtract(const float *x, const float *y, float *z, int n) {
      int i = blockDim.x * blockIdx.x + threadIdx.x;
      if (i < n) z[i] = x[i] - y[i];
    }''', "subtract")
    c, count, stream = cp.empty(100, "f4"), cp.int32(100), cp.cuda.Stream(non_blocking=True)
    event, mark = cp.cuda.Event(), cp.cuda.Event(disable_timing=True)

    def switch():
        with stream:
            pass

    report_host("cupy", sync, small_rows(a, b) + [
        ("ElementwiseKernel, n = 100", lambda: kernel(a, b)),
        ("RawKernel, n = 100", lambda: subtract((1,), (128,), (a, b, c, count))),
        ("event record, with its time", event.record),
        ("event record, without a time", mark.record),
        ("empty(100)", lambda: cp.empty(100, "f4")),
        ("switch to a stream and back", switch),
        ("a += b, n = 100", lambda: a.__iadd__(b)),
    ])
    cupy_graphs(cp, interval, a)
    size = Sizes(100_000_000)
    x, y, z = numpy_like_data(cp, size.n)
    report("cupy", interval, numpy_like_rows(cp, size, x, y, z))
    report_checks("cupy", numpy_like_checks(cp, size, x, y))
    numpy_like_linalg("cupy", cp, interval, True)
    cupy_transfers(cp, sync)
    import cupyx.scipy.signal

    numpy_like_signal("cupy", cp, cupyx.scipy.signal, interval)
    numpy_like_algorithms("cupy", cp, interval, True)
    chain = cp.fuse(kernel_name="chain")(lambda x, y: cp.sqrt(x * x + y * y) * cp.exp(-x) + cp.sin(y))
    quadratic = cp.fuse(kernel_name="quadratic")(lambda x, y: x**2 + 2 * y)
    first_call("cupy.fuse", lambda: chain(x, y), sync)
    row("cupy.fuse", "host x^2 + 2*y, n = 100", "us", lambda: host_us(lambda: quadratic(a, b), sync))
    report("cupy.fuse", interval, [
        ("x^2 + 2*y", "ms", 0, lambda: quadratic(x, y)),
        (CHAIN, "ms", 0, lambda: chain(x, y)),
    ])


GRAPH, REPLAY = "a kernel of a graph of 1000, n = 100", "host replay of a graph of 10 kernels"
QUEUED = 50  # replays; more would fill the driver's queue, and the host would wait for the GPU


def cupy_graphs(cp, interval, a):
    stream = cp.cuda.Stream(non_blocking=True)

    def capture(count):
        stream.begin_capture()
        for _ in range(count):
            cp.add(a, 1, out=a)
        return stream.end_capture()

    with stream:
        cp.add(a, 1, out=a)
        stream.synchronize()
        graph, small = capture(1000), capture(10)
        row("cupy", GRAPH, "us", lambda: median(lambda: graph.launch(stream), interval) * 1e6 / 1000)
        row("cupy", REPLAY, "us", lambda: host_us(lambda: small.launch(stream), stream.synchronize, QUEUED))


def torch_graphs(torch, interval, a):
    def capture(count):
        a.add_(1)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                a.add_(1)
        return graph

    graph, small = capture(1000), capture(10)
    row("torch", GRAPH, "us", lambda: median(graph.replay, interval) * 1e6 / 1000)
    row("torch", REPLAY, "us", lambda: host_us(small.replay, torch.cuda.synchronize, QUEUED))


def torch_setup():
    import torch

    torch.set_grad_enabled(False)
    interval = by_events(lambda: torch.cuda.Event(enable_timing=True), lambda s, e: s.elapsed_time(e))
    size = Sizes(100_000_000)

    def fractions(step):
        return ((torch.arange(size.n, dtype=torch.float64, device="cuda") * step) % 1).to(torch.float32)

    return torch, interval, size, fractions(GOLDEN), fractions(SILVER) + 1


def run_torch():
    torch, interval, size, x, y = torch_setup()
    options = dict(dtype=torch.float32, device="cuda")
    a, b = torch.ones(100, **options), torch.ones(100, **options)
    event, mark = torch.cuda.Event(enable_timing=True), torch.cuda.Event()
    report_host("torch", torch.cuda.synchronize, small_rows(a, b) + [
        ("event record, with its time", event.record),
        ("event record, without a time", mark.record),
        ("empty(100)", lambda: torch.empty(100, **options)),
        ("a += b, n = 100", lambda: a.__iadd__(b)),
    ])
    torch_graphs(torch, interval, a)
    n, z, m, short = size.n, torch.empty_like(x), x.reshape(size.shape), x.reshape(-1, 10)
    report("torch", interval, [
        ("copy", "GB/s", 8 * n, lambda: z.copy_(x)),
        ("fill", "GB/s", 4 * n, lambda: z.fill_(1)),
        ("add", "GB/s", 12 * n, lambda: torch.add(x, y, out=z)),
        ("add, new result", "GB/s", 12 * n, lambda: x + y),
        ("sqrt", "GB/s", 8 * n, lambda: torch.sqrt(x, out=z)),
        ("exp", "GB/s", 8 * n, lambda: torch.exp(x, out=z)),
        ("x^2 + 2*y", "ms", 0, lambda: x**2 + 2 * y),
        (CHAIN, "ms", 0, lambda: torch.sqrt(x * x + y * y) * torch.exp(-x) + torch.sin(y)),
        ("sum((x - y)^2)", "ms", 0, lambda: ((x - y) ** 2).sum()),
        ("sum", "GB/s", 4 * n, lambda: x.sum()),
        ("argmax", "GB/s", 4 * n, lambda: x.argmax()),
        ("std", "ms", 0, lambda: x.std()),
        (f"sum over axis 0 of {size.name}", "GB/s", 4 * n, lambda: m.sum(0)),
        (f"sum over axis 1 of {size.name}", "GB/s", 4 * n, lambda: m.sum(1)),
        (f"sum over the short axis of {size.short}", "GB/s", 4 * n, lambda: short.sum(1)),
        (f"transposed copy of {size.name}", "GB/s", 8 * n, lambda: m.T.contiguous()),
        ("matrix + row", "GB/s", 8 * n, lambda: m + m[0]),
    ])
    report_checks("torch", numpy_like_checks(torch, size, x, y))
    torch_linalg(torch, interval)
    torch_transfers(torch)
    torch_algorithms(torch, interval)


def run_torch_compile():
    torch, interval, _, x, y = torch_setup()
    make = lambda f: torch.compile(f, fullgraph=True, dynamic=False)
    chain = make(lambda x, y: torch.sqrt(x * x + y * y) * torch.exp(-x) + torch.sin(y))
    quadratic = make(lambda x, y: x**2 + 2 * y)
    squared_difference = make(lambda x, y: ((x - y) ** 2).sum())
    first_call("torch.compile", lambda: chain(x, y), torch.cuda.synchronize)
    report("torch.compile", interval, [
        (CHAIN, "ms", 0, lambda: chain(x, y)),
        ("x^2 + 2*y", "ms", 0, lambda: quadratic(x, y)),
        ("sum((x - y)^2)", "ms", 0, lambda: squared_difference(x, y)),
    ])


def run_jax():
    import jax
    import jax.numpy as jnp
    import numpy as np

    # JAX has no events. Ten calls are issued, the last is waited for, and a tenth of the time counts, so
    # that the wait hardly matters.
    def interval(call):
        t = time.perf_counter()
        for _ in range(10):
            r = call()
        r.block_until_ready()
        return (time.perf_counter() - t) / 10

    size = Sizes(100_000_000)
    data = lambda step: jax.device_put(((np.arange(size.n) * step) % 1).astype("f4"))
    x, y = data(GOLDEN), data(SILVER) + 1
    a, b = jnp.ones(100, "f4"), jnp.ones(100, "f4")
    last = [a]

    def keep(call):
        last[0] = call()

    rows = [(key, lambda call=call: keep(call)) for key, call in small_rows(a, b)[:4]]
    report_host("jax", lambda: last[0].block_until_ready(), rows)
    n, m, short = size.n, x.reshape(size.shape), x.reshape(-1, 10)

    def jitted(f, *arguments):
        compiled = jax.jit(f)
        return lambda: compiled(*arguments)

    chain = jitted(lambda x, y: jnp.sqrt(x * x + y * y) * jnp.exp(-x) + jnp.sin(y), x, y)
    first_call("jax", chain, lambda: chain().block_until_ready())
    report("jax", interval, [
        ("add, new result", "GB/s", 12 * n, jitted(lambda x, y: x + y, x, y)),
        ("x^2 + 2*y", "ms", 0, jitted(lambda x, y: x**2 + 2 * y, x, y)),
        (CHAIN, "ms", 0, chain),
        ("sum((x - y)^2)", "ms", 0, jitted(lambda x, y: ((x - y) ** 2).sum(), x, y)),
        ("sum", "GB/s", 4 * n, jitted(lambda x: x.sum(), x)),
        ("argmax", "GB/s", 4 * n, jitted(lambda x: x.argmax(), x)),
        ("std", "ms", 0, jitted(lambda x: x.std(), x)),
        (f"sum over axis 0 of {size.name}", "GB/s", 4 * n, jitted(lambda m: m.sum(0), m)),
        (f"sum over axis 1 of {size.name}", "GB/s", 4 * n, jitted(lambda m: m.sum(1), m)),
        (f"sum over the short axis of {size.short}", "GB/s", 4 * n, jitted(lambda s: s.sum(1), short)),
        (f"transposed copy of {size.name}", "GB/s", 8 * n, jitted(lambda m: m.T.copy(), m)),
        ("matrix + row", "GB/s", 8 * n, jitted(lambda m: m + m[0], m)),
    ])
    jax_algorithms(jnp, jax, interval, x)
    report_checks("jax", numpy_like_checks(jnp, size, x, y))


def since_start():
    """Milliseconds since the process began, as the kernel counts them (in ticks of 10 ms)."""
    import os

    ticks = float(open("/proc/self/stat").read().rsplit(") ", 1)[1].split()[19])
    return (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")) * 1e3


def run_start(tool):
    if tool == "cupy":
        import cupy as cp

        a = cp.ones(10, "f4")
    elif tool == "torch":
        import torch

        a = torch.ones(10, device="cuda")
    else:
        import jax.numpy as jnp

        a = jnp.ones(10, "f4")
    assert float((a + a).sum()) == 20
    print(f"{since_start():.0f}")


if __name__ == "__main__":
    if sys.argv[1] == "start":
        run_start(sys.argv[2])
    else:
        {"cupy": run_cupy, "torch": run_torch, "torch.compile": run_torch_compile, "jax": run_jax,
         "numpy": run_numpy}[sys.argv[1]]()
