"""The programs of cupola.lua for a peer: peers.py numpy|jax|torch|compile; prints the same lines."""
import math
import os
import sys
import time

who = sys.argv[1]; only = os.environ.get("ONLY"); scale = float(os.environ.get("SCALE", 1))
def S(n): return max(4, int(n * scale))
if who in ("numpy", "jax"):
    if who == "numpy":
        import numpy as xp
        from scipy.special import erf
        gen = xp.random.default_rng(1)
        R = lambda *s: gen.random(s, dtype=xp.float32)
        wrap = lambda f: f
        sync = lambda r: None
        bf16 = lambda x: x
        def setin(u, v):
            w = u.copy(); w[1:-1, 1:-1] = v; return w
        def cold(u):
            u[0] = 0; u[-1] = 0; u[:, 0] = 0; u[:, -1] = 0; return u
        bincount = lambda x: xp.bincount(x.reshape(-1), minlength=256)
    else:
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        import jax, jax.numpy as xp
        from jax.scipy.special import erf
        key = [0]
        def R(*s):
            key[0] += 1; return jax.random.uniform(jax.random.PRNGKey(key[0]), s)
        wrap = jax.jit
        def sync(r): jax.block_until_ready(r)
        bf16 = lambda x: x.astype(xp.bfloat16)
        setin = lambda u, v: u.at[1:-1, 1:-1].set(v)
        cold = lambda u: u.at[0].set(0).at[-1].set(0).at[:, 0].set(0).at[:, -1].set(0)
        bincount = lambda x: xp.bincount(x.reshape(-1), length=256)
    cat = lambda l, axis: xp.concatenate(l, axis)
    i64 = lambda x: x.astype(xp.int64 if who == "numpy" else xp.int32)
    f32 = lambda x: x.astype(xp.float32)
    mx = lambda x, a: xp.max(x, axis=a, keepdims=True)
    sm = lambda x, a: xp.sum(x, axis=a, keepdims=True)
    mean = lambda x, a: xp.mean(x, axis=a, keepdims=True)
    var = lambda x, a: xp.var(x, axis=a, keepdims=True)
    take = lambda x, i: xp.take_along_axis(x, i[:, None], axis=1)
    arange = xp.arange
    split = lambda z, n: xp.split(z, n, axis=1)
    where, inf = xp.where, xp.float32(xp.inf)
    roll = lambda u, s, a: xp.roll(u, s, axis=a)
    u8 = lambda x: x.astype(xp.uint8)
    lookup = lambda l, x: l[x.astype(xp.int32)]
    sort = lambda d: xp.sort(d, axis=1)
    pad = lambda x: xp.pad(x, 1)
else:
    import torch as xp
    torch = xp
    torch.set_default_device("cuda")
    torch.backends.cuda.matmul.allow_tf32 = False
    erf = torch.erf
    R = lambda *s: torch.rand(*s)
    wrap = torch.compile if who == "compile" else (lambda f: f)
    def sync(r): torch.cuda.synchronize()
    cat = torch.cat
    bf16 = lambda x: x.to(torch.bfloat16)
    i64 = lambda x: x.to(torch.int64)
    f32 = lambda x: x.to(torch.float32)
    mx = lambda x, a: torch.amax(x, a, keepdim=True)
    sm = lambda x, a: torch.sum(x, a, keepdim=True)
    mean = lambda x, a: torch.mean(x, a, keepdim=True)
    var = lambda x, a: torch.var(x, a, keepdim=True, unbiased=False)
    take = lambda x, i: torch.gather(x, 1, i[:, None])
    arange = torch.arange
    split = lambda z, n: torch.chunk(z, n, 1)
    where, inf = torch.where, torch.tensor(math.inf)
    roll = lambda u, s, a: torch.roll(u, s, a)
    def setin(u, v):
        w = u.clone(); w[1:-1, 1:-1] = v; return w
    bincount = lambda x: torch.bincount(x.reshape(-1), minlength=256)
    u8 = lambda x: x.to(torch.uint8)
    lookup = lambda l, x: l[x.to(torch.int64)]
    sort = lambda d: torch.sort(d, 1).values
    pad = lambda x: torch.nn.functional.pad(x, (1, 1, 1, 1))
    def cold(u):
        u[0] = 0; u[-1] = 0; u[:, 0] = 0; u[:, -1] = 0; return u
P = []
N = 20 if who != "numpy" else 1
def prog(name):
    def d(make): P.append((name, make)); return make
    return d
sig = lambda z: 1 / (1 + xp.exp(-z))
@prog("adam")
def _():
    n = S(16777216); a = [R(n) for _ in range(4)]
    def f(p, g, m, v):
        m2 = 0.9 * m + 0.1 * g; v2 = 0.999 * v + 0.001 * g * g
        return p - 1e-3 * (m2 / 0.5) / (xp.sqrt(v2 / 0.3) + 1e-8), v2, m2
    return f, a
@prog("cross entropy")
def _():
    n = S(8192); x, y = 10 * R(n, n), i64(R(n) * n)
    def f(x, y):
        m = mx(x, 1); lse = xp.log(sm(xp.exp(x - m), 1)) + m
        return (lse - take(x, y)).mean()
    return f, (x, y)
@prog("layer norm backward")
def _():
    n = S(8192)
    def f(x, dy, g):
        m = mean(x, 1); r = 1 / xp.sqrt(var(x, 1) + 1e-5); h = (x - m) * r; dh = dy * g
        dx = (dh - mean(dh, 1) - h * mean(dh * h, 1)) * r
        return dx, (dy * h).sum(0), dy.sum(0)
    return f, (R(n, n), R(n, n), R(n))
@prog("causal softmax")
def _():
    n = S(2048); i, j = arange(n).reshape(n, 1), arange(n).reshape(1, n)
    def f(x):
        s = where(i >= j, x * 0.125, -inf); e = xp.exp(s - mx(s, 2)); return e / sm(e, 2)
    return f, (R(16, n, n),)
@prog("rotary embedding")
def _():
    n = S(2048)
    def f(q, c, s):
        a, b = q[..., :32], q[..., 32:]
        return cat([a * c - b * s, a * s + b * c], 3)
    return f, (R(8, n, 16, 64), R(n, 1, 32), R(n, 1, 32))
@prog("group norm")
def _():
    def f(x, g, b):
        y = x.reshape(32, 8, -1); m, v = mean(y, 2), var(y, 2)
        return ((y - m) / xp.sqrt(v + 1e-5)).reshape(x.shape) * g + b
    return f, (R(32, 64, S(128), 128), R(1, 64, 1, 1), R(1, 64, 1, 1))
@prog("Black-Scholes")
def _():
    n = S(10000000); cdf = lambda x: 0.5 * (1 + erf(x * 0.7071067811865476))
    def f(s, k, t):
        q = 0.2 * xp.sqrt(t); d1 = (xp.log(s / k) + 0.07 * t) / q; d2 = d1 - q; e = k * xp.exp(-0.05 * t)
        return s * cdf(d1) - e * cdf(d2), e * cdf(-d2) - s * cdf(-d1)
    return f, (R(n) * 100 + 1, R(n) * 100 + 1, R(n) + 0.1)
@prog("heat, 50 steps by slices")
def _():
    n = S(2048)
    def f(u):
        for _ in range(50):
            u = setin(u, u[1:-1, 1:-1] + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]))
        return u
    return f, (R(n, n),)
@prog("covariance")
def _():
    def f(x):
        c = x - mean(x, 0); return c.T @ c / (x.shape[0] - 1)
    return f, (R(S(1048576), 32),)
@prog("columns normalised")
def _():
    n = S(10000)
    def f(x): return (x - mean(x, 0)) / xp.sqrt(var(x, 0))
    return f, (R(n, n),)
@prog("RBF sums")
def _():
    n = S(4096)
    def f(x, y):
        d = sm(x * x, 1) + (y * y).sum(1) - 2 * (x @ y.T); return xp.exp(-0.5 * d).sum(1)
    return f, (R(n, 64), R(n, 64))
@prog("LSTM cell")
def _():
    b = n = S(1024)
    def f(x, h, c, W, U, bias):
        p = split(x @ W + h @ U + bias, 4)
        c2 = sig(p[1]) * c + sig(p[0]) * xp.tanh(p[2]); return c2, sig(p[3]) * xp.tanh(c2)
    return f, (R(b, n), R(b, n), R(b, n), R(n, 4 * n) - 0.5, R(n, 4 * n) - 0.5, R(4 * n))
@prog("blur by slices")
def _():
    n = S(4096); w = [0.0625, 0.25, 0.375, 0.25, 0.0625]
    def f(x):
        y = sum(w[k] * x[k:n - 4 + k] for k in range(5)); return sum(w[k] * y[:, k:n - 4 + k] for k in range(5))
    return f, (R(n, n),)
@prog("SwiGLU, bfloat16")
def _():
    n = S(8192)
    def f(x):
        a, b = x[:, :n], x[:, n:]; return a / (1 + xp.exp(-a)) * b
    return f, (bf16(R(n, 2 * n)),)
@prog("histogram equalisation")
def _():
    n = S(4096)
    def f(x):
        c = f32(xp.cumsum(bincount(x), 0)); return lookup(u8(255 * c / c[255]), x)
    return f, (u8(R(n, n) * 256),)
@prog("accuracy")
def _():
    n = S(8192)
    def f(x, y): return f32(xp.argmax(x, 1) == y).mean()
    return f, (R(n, n), i64(R(n) * n))
@prog("logsumexp along axis 0")
def _():
    n = S(8192)
    def f(x):
        m = mx(x, 0); return xp.log(sm(xp.exp(x - m), 0)) + m
    return f, (R(n, n),)
@prog("rows normalised by einsum")
def _():
    n = S(1000000)
    def f(A, v):
        w = xp.einsum("nij,nj->ni", A, v); return w / xp.sqrt(sm(w * w, 1))
    return f, (R(n, 3, 3), R(n, 3))
@prog("Horner, 20 terms")
def _():
    def f(x):
        p = 1.0
        for k in range(20): p = p * x + 1 / (k + 1)
        return p
    return f, (R(S(10000000)),)
@prog("wave 3-d, 10 steps")
def _():
    n = S(256)
    def f(u, v):
        for _ in range(10):
            lap = roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) + roll(u, 1, 2) + roll(u, -1, 2) - 6 * u
            u, v = 2 * u - v + 0.1 * lap, u
        return u
    return f, (R(n, n, n), R(n, n, n))
@prog("Jacobi, dense, 50 steps")
def _():
    n = S(2048)
    def f(A, d, b):
        x = 0 * b
        for _ in range(50): x = (b - A @ x) / d
        return x
    return f, (R(n, n) / n, R(n) + 2, R(n))
@prog("k nearest by partition")
def _():
    n = S(4096)
    def f(x, y):
        d = sm(x * x, 1) + (y * y).sum(1) - 2 * (x @ y.T); return sort(d)[:, :8].mean(1)
    return f, (R(n, 16), R(n, 16))
@prog("gradient of pictures")
def _():
    n = S(4096)
    def f(x):
        gx, gy = x[:, 2:] - x[:, :-2], x[2:] - x[:-2]
        m = xp.sqrt(gx[1:-1] ** 2 + gy[:, 1:-1] ** 2); return m / m.max()
    return f, (R(n, n),)
@prog("weighted variance")
def _():
    n = S(50000000)
    def f(x, w):
        s = w.sum(); m = (w * x).sum() / s; return (w * (x - m) ** 2).sum() / s
    return f, (R(n), R(n))
@prog("heat, 50 steps, cold edges")
def _():
    def f(u):
        for _ in range(50):
            u = cold(u + 0.2 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u))
        return u
    return f, (R(S(2048), S(2048)),)
@prog("Sobel, padded with zeros")
def _():
    def f(x):
        p = pad(x)
        up, down, left, right = p[:-2, :], p[2:, :], p[:, :-2], p[:, 2:]
        gx = right[:-2] + 2 * right[1:-1] + right[2:] - left[:-2] - 2 * left[1:-1] - left[2:]
        gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:] - up[:, :-2] - 2 * up[:, 1:-1] - up[:, 2:]
        return xp.sqrt(gx * gx + gy * gy)
    return f, (R(S(4096), S(4096)),)

@prog("Gray-Scott, 20 steps")
def _():
    lap = lambda a: roll(a, 1, 0) + roll(a, -1, 0) + roll(a, 1, 1) + roll(a, -1, 1) - 4 * a
    def f(u, v):
        for _ in range(20):
            w = u * v * v
            u, v = u + 0.16 * lap(u) - w + 0.035 * (1 - u), v + 0.08 * lap(v) + w - 0.095 * v
        return u, v
    return f, (R(S(2048), S(2048)), R(S(2048), S(2048)))
@prog("bilateral filter")
def _():
    n = S(2048)
    def f(x):
        values = weights = 0; centre = x[2:-2, 2:-2]
        for i in range(5):
            for j in range(5):
                y = x[i:n - 4 + i, j:n - 4 + j]
                w = xp.exp(-((i - 2) ** 2 + (j - 2) ** 2) / 8 - (y - centre) ** 2 / 0.02)
                values, weights = values + w * y, weights + w
        return values / weights
    return f, (R(n, n),)
@prog("Kalman filters, 20 steps")
def _():
    def f(z):
        x = v = q = 0 * z[0]; p = r = x + 1
        for k in range(20):
            x = x + v
            p, q, r = p + 2 * q + r + 0.01, q + r, r + 0.01
            gain, other = p / (p + 0.1), q / (p + 0.1)
            y = z[k] - x
            x, v = x + gain * y, v + other * y
            p, q, r = (1 - gain) * p, (1 - gain) * q, r - other * q
        return x, p
    return f, (R(20, S(1000000)),)
@prog("heat, 20 steps in place")
def _():
    def f(u):
        for _ in range(20):
            inner = u[1:-1, 1:-1]
            u = setin(u, inner + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner))
        return u
    return f, (R(S(4096), S(4096)),)


for name, make in P:
    if only and only not in name: continue
    try:
        f, a = make(); g = wrap(f); r = None
        t0 = time.perf_counter(); r = g(*a); sync(r); first = time.perf_counter() - t0
        for _ in range(2): r = g(*a)
        sync(r); best = 1e9
        for _ in range(3):
            t0 = time.perf_counter()
            for _ in range(N): r = g(*a)
            sync(r); best = min(best, (time.perf_counter() - t0) / N * 1e3)
        one = r[0] if isinstance(r, (tuple, list)) else r
        one = abs(one).astype("float32").sum() if who in ("jax", "numpy") else one.abs().double().sum()
        print("%s\t%s\t%.4f\tfirst %.2f s\tsum %.6g" % (who, name, best, first, float(one)), flush=True)
    except Exception as e:
        print(who, name, "FAILED", str(e)[:200].replace("\n", " "), flush=True)
    if who not in ("jax", "numpy"):
        r = a = None; torch.cuda.empty_cache()
    else: r = a = None
