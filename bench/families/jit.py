"""Times ten of the kernels of bench/families/jit_kernels.lua with cupyx.jit, at the same sizes:

    python3 bench/families/jit.py

Prints for each kernel microseconds per launch (the median of nine groups of three), registers, and the
milliseconds of the first call. Flags are CuPy's, which contract products and sums, as cupyx.jit has no other.
"""
import math
import time

import cupy
import numpy
from cupyx import jit

RNG = numpy.random.default_rng(7)


def random(*shape):
    return cupy.asarray(RNG.random(shape, dtype=numpy.float32))


def integers(high, shape, dtype=numpy.int32):
    return cupy.asarray(RNG.integers(0, high, shape).astype(dtype))


def matrix_product():
    @jit.rawkernel()
    def kernel(a, b, c, n):
        ta = jit.shared_memory(numpy.float32, 256)
        tb = jit.shared_memory(numpy.float32, 256)
        tx = numpy.int32(jit.threadIdx.x)
        ty = numpy.int32(jit.threadIdx.y)
        col = numpy.int32(jit.blockIdx.x) * 16 + tx
        row = numpy.int32(jit.blockIdx.y) * 16 + ty
        acc = numpy.float32(0)
        for k in range(0, n, 16):
            ta[ty * 16 + tx] = a[row, k + tx] if row < n and k + tx < n else numpy.float32(0)
            tb[ty * 16 + tx] = b[k + ty, col] if k + ty < n and col < n else numpy.float32(0)
            jit.syncthreads()
            for j in range(16):
                acc = acc + ta[ty * 16 + j] * tb[j * 16 + tx]
            jit.syncthreads()
        if row < n and col < n:
            c[row, col] = acc

    n = 1024
    return kernel, (64, 64), (16, 16), (random(n, n), random(n, n), cupy.zeros((n, n), "f"), numpy.int32(n))


def histogram():
    @jit.rawkernel()
    def kernel(x, bins, n):
        own = jit.shared_memory(numpy.int32, 256)
        t = numpy.int32(jit.threadIdx.x)
        own[t] = 0
        jit.syncthreads()
        for i in range(numpy.int32(jit.grid(1)), n, numpy.int32(jit.gridsize(1))):
            jit.atomic_add(own, x[i], 1)
        jit.syncthreads()
        jit.atomic_add(bins, t, own[t])

    n = 2**26
    return kernel, (1056,), (256,), (integers(255, n, numpy.uint8), cupy.zeros(256, "i"), numpy.int32(n))


def block_scan():
    @jit.rawkernel()
    def kernel(x, y, totals):
        sums = jit.shared_memory(numpy.int32, 32)
        t = numpy.int32(jit.threadIdx.x)
        i = numpy.int32(jit.grid(1))
        lane = numpy.int32(jit.laneid())
        v = x[i]
        d = 1
        while d < 32:
            other = jit.shfl_up_sync(numpy.uint32(0xffffffff), v, numpy.uint32(d))
            if lane >= d:
                v = v + other
            d = d * 2
        if lane == 31:
            sums[t // 32] = v
        jit.syncthreads()
        if t < 32:
            s = sums[t] if t < 8 else 0
            d = 1
            while d < 32:
                other = jit.shfl_up_sync(numpy.uint32(0xffffffff), s, numpy.uint32(d))
                if lane >= d:
                    s = s + other
                d = d * 2
            sums[t] = s
        jit.syncthreads()
        if t >= 32:
            v = v + sums[t // 32 - 1]
        y[i] = v
        if t == 255:
            totals[jit.blockIdx.x] = v

    n = 2**24
    return kernel, (n // 256,), (256,), (integers(1000, n), cupy.zeros(n, "i"), cupy.zeros(n // 256, "i"))


def n_body():
    @jit.rawkernel()
    def kernel(p, acc, n):
        tx = jit.shared_memory(numpy.float32, 128)
        ty = jit.shared_memory(numpy.float32, 128)
        tz = jit.shared_memory(numpy.float32, 128)
        i = numpy.int32(jit.grid(1))
        t = numpy.int32(jit.threadIdx.x)
        x = p[0, i]
        y = p[1, i]
        z = p[2, i]
        ax = numpy.float32(0)
        ay = numpy.float32(0)
        az = numpy.float32(0)
        for tile in range(0, n, 128):
            tx[t] = p[0, tile + t]
            ty[t] = p[1, tile + t]
            tz[t] = p[2, tile + t]
            jit.syncthreads()
            for j in range(128):
                dx = tx[j] - x
                dy = ty[j] - y
                dz = tz[j] - z
                r = dx * dx + dy * dy + dz * dz + numpy.float32(0.01)
                s = numpy.float32(1) / (r * cupy.sqrt(r))
                ax = ax + dx * s
                ay = ay + dy * s
                az = az + dz * s
            jit.syncthreads()
        acc[0, i] = ax
        acc[1, i] = ay
        acc[2, i] = az

    n = 16384
    return kernel, (n // 128,), (128,), (random(3, n), cupy.zeros((3, n), "f"), numpy.int32(n))


def conway():
    @jit.rawkernel()
    def kernel(old, new, n):
        tile = jit.shared_memory(numpy.uint8, 324)
        tx = numpy.int32(jit.threadIdx.x)
        ty = numpy.int32(jit.threadIdx.y)
        left = numpy.int32(jit.blockIdx.x) * 16
        top = numpy.int32(jit.blockIdx.y) * 16
        for t in range(ty * 16 + tx, 324, 256):
            row = top + t // 18 - 1
            col = left + t % 18 - 1
            v = numpy.uint8(0)
            if row >= 0 and row < n and col >= 0 and col < n:
                v = old[row, col]
            tile[t] = v
        jit.syncthreads()
        count = 0
        for dy in range(3):
            for dx in range(3):
                count = count + numpy.int32(tile[(ty + dy) * 18 + tx + dx])
        count = count - numpy.int32(tile[(ty + 1) * 18 + tx + 1])
        row = top + ty
        col = left + tx
        alive = numpy.uint8(0)
        if count == 2:
            alive = tile[(ty + 1) * 18 + tx + 1]
        if count == 3:
            alive = numpy.uint8(1)
        if row < n and col < n:
            new[row, col] = alive

    n = 4096
    return kernel, (n // 16, n // 16), (16, 16), (integers(2, (n, n), numpy.uint8), cupy.zeros((n, n), "B"),
                                                  numpy.int32(n))


def bitonic_sort():
    @jit.rawkernel()
    def kernel(x, k, j):
        i = numpy.int32(jit.grid(1))
        other = i ^ j
        if other > i:
            up = (i & k) == 0
            a = x[i]
            b = x[other]
            if (a > b) == up:
                x[i] = b
                x[other] = a

    n = 2**20
    steps, k = [], 2
    while k <= n:
        j = k // 2
        while j >= 1:
            steps.append((numpy.int32(k), numpy.int32(j)))
            j //= 2
        k *= 2
    return kernel, (n // 256,), (256,), (random(n),), steps


def mandelbrot():
    @jit.rawkernel()
    def kernel(out, n, most):
        px = numpy.int32(jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x)
        py = numpy.int32(jit.blockIdx.y * jit.blockDim.y + jit.threadIdx.y)
        if px < n and py < n:
            re = numpy.float32(px) * numpy.float32(3) / numpy.float32(n) - numpy.float32(2)
            im = numpy.float32(py) * numpy.float32(2) / numpy.float32(n) - numpy.float32(1)
            zr = numpy.float32(0)
            zi = numpy.float32(0)
            k = 0
            while zr * zr + zi * zi <= numpy.float32(4) and k < most:
                t = zr * zr - zi * zi + re
                zi = numpy.float32(2) * zr * zi + im
                zr = t
                k = k + 1
            out[py, px] = k

    n = 2048
    return kernel, (n // 16, n // 16), (16, 16), (cupy.zeros((n, n), "i"), numpy.int32(n), numpy.int32(500))


def sparse_product():
    @jit.rawkernel()
    def kernel(first, columns, values, x, y, rows):
        for row in range(numpy.int32(jit.grid(1)), rows, numpy.int32(jit.gridsize(1))):
            s = numpy.float32(0)
            for k in range(first[row], first[row + 1]):
                s = s + values[k] * x[columns[k]]
            y[row] = s

    n = 2**20
    first = cupy.arange(n + 1, dtype="i") * 9
    return kernel, (2048,), (128,), (first, integers(n, 9 * n), random(9 * n), random(n), cupy.zeros(n, "f"),
                                     numpy.int32(n))


def random_walks():
    @jit.rawkernel()
    def kernel(out, steps):
        i = numpy.int32(jit.grid(1))
        x = 0
        y = 0
        state = numpy.uint32(i + 1) * numpy.uint32(2654435761) + numpy.uint32(1)
        for _ in range(steps):
            state = state * numpy.uint32(1664525) + numpy.uint32(1013904223)
            turn = state >> numpy.uint32(30)
            if turn == 0:
                x = x + 1
            elif turn == 1:
                x = x - 1
            elif turn == 2:
                y = y + 1
            else:
                y = y - 1
        out[i] = x * x + y * y

    n = 2**20
    return kernel, (n // 256,), (256,), (cupy.zeros(n, "i"), numpy.int32(300))


def odd_even_merge_sort():
    @jit.rawkernel()
    def kernel(x):
        s = jit.shared_memory(numpy.int32, 512)
        t = numpy.int32(jit.threadIdx.x)
        base = numpy.int32(jit.blockIdx.x) * 512
        s[t] = x[base + t]
        s[t + 256] = x[base + t + 256]
        size = 2
        while size <= 512:
            stride = size // 2
            offset = t & (stride - 1)
            jit.syncthreads()
            p = 2 * t - (t & (stride - 1))
            a = s[p]
            b = s[p + stride]
            if a > b:
                s[p] = b
                s[p + stride] = a
            stride = stride // 2
            while stride > 0:
                jit.syncthreads()
                p = 2 * t - (t & (stride - 1))
                if offset >= stride:
                    a = s[p - stride]
                    b = s[p]
                    if a > b:
                        s[p - stride] = b
                        s[p] = a
                stride = stride // 2
            size = size * 2
        jit.syncthreads()
        x[base + t] = s[t]
        x[base + t + 256] = s[t + 256]

    n = 2**22
    return kernel, (n // 512,), (256,), (integers(2**30, n),)


def measure(make):
    kernel, grid, block, args, *more = make()
    steps = more[0] if more else [()]

    def launch():
        for step in steps:
            kernel(grid, block, args + step)

    cupy.cuda.Device().synchronize()
    begin = time.perf_counter()
    kernel(grid, block, args + steps[0])
    cupy.cuda.Device().synchronize()
    first = (time.perf_counter() - begin) * 1e3
    launch()
    times = []
    for _ in range(9):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(3):
            launch()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) / 3 * 1e3)
    function = next(iter(kernel._cache.values()))[0]
    registers = cupy.cuda.driver.funcGetAttribute(4, function.ptr)  # CU_FUNC_ATTRIBUTE_NUM_REGS
    return sorted(times)[4], registers, first


def host():
    """The host's microseconds of a call."""

    @jit.rawkernel()
    def kernel(x, y, n):
        i = numpy.int32(jit.grid(1))
        if i < n:
            y[i] = numpy.float32(2) * x[i]

    x, y, best = cupy.ones(256, "f"), cupy.zeros(256, "f"), math.inf
    for _ in range(10):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        for _ in range(1000):
            kernel((1,), (256,), (x, y, 256))
        best = min(best, (time.perf_counter() - begin) / 1000)
    return best * 1e6


print(f"cupyx.jit of CuPy {cupy.__version__}")
print(f"{'kernel':22} {'us':>12} {'registers':>10} {'first ms':>9}")
for make in (matrix_product, histogram, block_scan, n_body, conway, bitonic_sort, mandelbrot, sparse_product,
             random_walks, odd_even_merge_sort):
    try:
        us, registers, first = measure(make)
        print(f"{make.__name__:22} {us:12.1f} {registers:10d} {first:9.1f}")
    except Exception as error:
        print(f"{make.__name__:22} {type(error).__name__}: {str(error).splitlines()[0]}")
print(f"host us per launch: {host():.2f}")
