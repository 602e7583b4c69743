"""The peers' rows of algorithms.lua: scans, sorts, indexing by arrays, random numbers, counting, and a whole
script."""
import math

from rows import GOLDEN, SILVER, report, report_checks


class Size:
    """Problem sizes: n elements; sorts of `sort` elements, and of `side` rows of `side`; `taken` of n
    elements by position; `counted` elements into bins; an image of `width` squared."""

    def __init__(self, on_gpu):
        if on_gpu:
            self.n, self.sort, self.side, self.taken, self.counted = 10**8, 10**8, 10**4, 10**7, 5 * 10**7
            self.width, self.steps = 1024, 100
            self.names = ["sort", "argsort", "1e4 %s of 1e4", "x[idx], 1e7 of 1e8", "5e7"]
        else:
            self.n, self.sort, self.side, self.taken, self.counted = 10**7, 10**6, 1000, 10**6, 10**7
            self.width, self.steps = 256, 50
            self.names = ["sort of 1e6", "argsort of 1e6", "1000 %s of 1000", "x[idx], 1e6 of 1e7", "1e7"]
        self.script = f"Mandelbrot {self.width} x {self.width}, {self.steps} steps"


def rows_of(size, calls):
    """The rows of the calls that the library has, with the keys and units of algorithms.lua."""
    sort, argsort, square, taken, counted = size.names
    keys = {
        "cumsum": ("cumsum", "GB/s", 8 * size.n),
        "sort": (sort, "G/s", size.sort),
        "argsort": (argsort, "G/s", size.sort),
        "sort rows": ("sort of " + square % "rows", "G/s", size.side**2),
        "median rows": ("median of " + square % "rows", "G/s", size.side**2),
        "median columns": ("median of " + square % "columns", "G/s", size.side**2),
        "mask": ("x[mask], half true", "ms", 0),
        "new mask": ("x[mask], half true, mask just written", "ms", 0),
        "take": (taken, "ms", 0),
        "bincount": (f"bincount of {counted}, 1000 bins", "G/s", size.counted),
        "histogram": (f"histogram of {counted}, 1000 bins", "G/s", size.counted),
        "uniform": ("uniform", "G/s", size.n),
        "normal": ("normal", "G/s", size.n),
        "pi": ("Monte-Carlo pi", "ms", 0),
        "script": (size.script, "ms", 0),
    }
    return [(*keys[name], call) for name, call in calls.items()]


def checks_of(size, x, keys, m, mask, places, calls):
    """What algorithms.lua checks, as far as all libraries write it in the same way."""
    return [
        ("a running sum", lambda: calls["cumsum"]()[99999]),
        ("a sorted value", lambda: calls["sort"]()[size.sort // 4 - 1]),
        ("a value in order", lambda: keys[calls["argsort"]()][size.sort // 4 - 1]),
        ("a value of a sorted row", lambda: calls["sort rows"]()[2, size.side // 4 - 1]),
        ("a mean under a mask", lambda: x[mask].mean()),
        ("a mean of elements taken", lambda: x[places].mean()),
        ("a count of bincount", lambda: calls["bincount"]()[500]),
        ("half a histogram", lambda: calls["histogram"]()[:500].sum() / size.counted),
        ("the mean of Mandelbrot", lambda: calls["script"]().mean()),
    ]


def mandelbrot(xp, n, steps, zeros, ones, plane):
    """The script of algorithms.lua; plane(n) returns the points."""
    c = plane(n)
    z, inside, counts = xp.zeros_like(c), ones(c.shape), zeros(c.shape)
    for k in range(1, steps + 1):
        inner = z[inside]
        z[inside] = inner * inner + c[inside]
        leaving = (xp.abs(z) > 2) & inside
        if leaving.any():
            counts[leaving] = k - xp.log(xp.log(xp.abs(z[leaving]))) / math.log(2)
            inside[leaving] = False
        if not inside.any():
            break
    return counts


def numpy_like_algorithms(who, xp, interval, on_gpu):
    """The rows that NumPy and CuPy write in the same way. CuPy's Generator is timed, which draws several
    times faster than cupy.random.uniform; NumPy's draws into memory that is already allocated."""
    size = Size(on_gpu)

    def scrambled(n):
        k = xp.arange(n, dtype="f8")
        return ((((k * GOLDEN) % 1) * ((k * SILVER) % 1) * 1e5) % 1).astype("f4")

    def plane(n):
        x, y = xp.meshgrid(xp.linspace(-2, 1, n), xp.linspace(-1.5, 1.5, n), indexing="ij")
        return x + 1j * y

    x = scrambled(size.n)
    keys, m, values = x[:size.sort], x[:size.side**2].reshape(size.side, size.side), x[:size.counted]
    mask, places = x > 0.5, (scrambled(size.taken).astype("f8") * size.n).astype("i8") % size.n
    whole, rng, z = (values * 1000).astype("i4"), xp.random.default_rng(1), xp.empty(size.n, "f4")
    into = {"size": size.n} if on_gpu else {"out": z}

    def pi():
        u, v = rng.random(size.n, dtype="f4"), rng.random(size.n, dtype="f4")
        return ((u**2 + v**2) < 1).mean()

    calls = {
        "cumsum": lambda: x.cumsum(),
        "sort": lambda: xp.sort(keys),
        "argsort": lambda: xp.argsort(keys),
        "sort rows": lambda: xp.sort(m, axis=1),
        "median rows": lambda: xp.median(m, axis=1),
        "median columns": lambda: xp.median(m, axis=0),
        "mask": lambda: x[mask],
        "new mask": lambda: x[mask],
        "take": lambda: x[places],
        "bincount": lambda: xp.bincount(whole),
        "histogram": lambda: xp.histogram(values, 1000)[0],
        "uniform": lambda: rng.random(dtype="f4", **into),
        "normal": lambda: rng.standard_normal(dtype="f4", **into),
        "pi": pi,
        "script": lambda: mandelbrot(xp, size.width, size.steps, xp.zeros, lambda s: xp.ones(s, "?"), plane),
    }
    report(who, interval, rows_of(size, calls))
    report_checks(who, checks_of(size, x, keys, m, mask, places, calls) + [
        ("a median of a row", lambda: calls["median rows"]()[2]),
        ("a median of a column", lambda: calls["median columns"]()[2]),
    ])


def torch_algorithms(torch, interval):
    """PyTorch always returns positions when it sorts. Its median is the lower of the two middle elements, so
    it is not compared."""
    size, options = Size(True), {"device": "cuda"}

    def scrambled(n):
        k = torch.arange(n, dtype=torch.float64, **options)
        return ((((k * GOLDEN) % 1) * ((k * SILVER) % 1) * 1e5) % 1).to(torch.float32)

    def plane(n):
        x, y = torch.meshgrid(torch.linspace(-2, 1, n, dtype=torch.float64, **options),
                              torch.linspace(-1.5, 1.5, n, dtype=torch.float64, **options), indexing="ij")
        return torch.complex(x, y)

    x = scrambled(size.n)
    keys, m, values = x[:size.sort], x[:size.side**2].reshape(size.side, size.side), x[:size.counted]
    mask, places = x > 0.5, (scrambled(size.taken).to(torch.float64) * size.n).to(torch.int64) % size.n
    whole, z = (values * 1000).to(torch.int32), torch.empty_like(x)

    def pi():
        u, v = torch.rand(size.n, **options), torch.rand(size.n, **options)
        return ((u**2 + v**2) < 1).to(torch.float32).mean()

    calls = {
        "cumsum": lambda: x.cumsum(0),
        "sort": lambda: torch.sort(keys)[0],
        "argsort": lambda: torch.argsort(keys),
        "sort rows": lambda: torch.sort(m, dim=1)[0],
        "median rows": lambda: torch.median(m, dim=1)[0],
        "median columns": lambda: torch.median(m, dim=0)[0],
        "mask": lambda: x[mask],
        "new mask": lambda: x[mask],
        "take": lambda: x[places],
        "bincount": lambda: torch.bincount(whole),
        "histogram": lambda: torch.histc(values, 1000),
        "uniform": lambda: z.uniform_(),
        "normal": lambda: z.normal_(),
        "pi": pi,
        "script": lambda: mandelbrot(torch, size.width, size.steps,
                                     lambda s: torch.zeros(s, dtype=torch.float64, **options),
                                     lambda s: torch.ones(s, dtype=torch.bool, **options), plane),
    }
    report("torch", interval, rows_of(size, calls))
    report_checks("torch", checks_of(size, x, keys, m, mask, places, calls))


def jax_algorithms(jnp, jax, interval, x):
    """The rows that JAX has. x has n elements, but not the data that the other libraries sort."""
    size = Size(True)

    def jitted(f):
        compiled = jax.jit(f)
        return lambda: compiled(x)

    report("jax", interval, rows_of(size, {
        "cumsum": jitted(lambda x: jnp.cumsum(x)),
        "sort": jitted(lambda x: jnp.sort(x)),
        "argsort": jitted(lambda x: jnp.argsort(x)),
    }))
