"""The peers' programs of twelve.lua, as in nine.py."""

import math

import numpy as np
from data import BRONZE, GOLDEN, SILVER, fractions, positions, scrambled
from nine import Program, square


def batch_norm_data(size):
    shape = (size.images, size.channels, size.pixels, size.pixels)
    n = math.prod(shape)
    return (
        fractions(n, GOLDEN).reshape(shape),
        fractions(n, SILVER).reshape(shape),
        (fractions(size.channels, SILVER) + np.float32(0.5)).reshape(1, -1, 1, 1),
        fractions(size.channels, BRONZE).reshape(1, -1, 1, 1),
    )


def batch_norm(lib, x, dy, g, b):
    axes = (0, 2, 3)
    count = x.shape[0] * x.shape[2] * x.shape[3]
    m = lib.mean(x, axes, True)
    d = x - m
    deviation = lib.sqrt(lib.mean(d * d, axes, True) + 1e-5)
    h = d / deviation
    y = h * g + b
    dg, db = lib.sum(dy * h, axes, True), lib.sum(dy, axes, True)
    dx = g / deviation * (dy - db / count - h * dg / count)
    return y, dx, dg, db


def attention_data(size):
    shape = (size.heads, size.tokens, size.width)
    n = math.prod(shape)
    return (
        scrambled(n).reshape(shape),
        fractions(n, GOLDEN).reshape(shape),
        fractions(n, SILVER).reshape(shape),
    )


def attention(lib, q, k, v):
    s = lib.matmul(q, k.swapaxes(1, 2)) * (1 / math.sqrt(q.shape[2]))
    e = lib.exp(s - lib.amax(s, 2, True))
    return lib.matmul(e / lib.sum(e, 2, True), v)


def k_means_data(size):
    n, d, k = size.samples, size.coordinates, size.centres
    return scrambled(n * d).reshape(n, d), scrambled(2 * k * d)[k * d :].reshape(k, d)


def k_means(lib, p, c):
    difference = p[:, None, :] - c[None, :, :]
    nearest = lib.argmin(lib.sum(difference * difference, 2), 1)
    sums = lib.scatter_add(lib.zeros(c.shape), nearest, p)
    counts = lib.scatter_add(lib.zeros(c.shape[:1]), nearest, lib.ones(p.shape[:1]))
    return sums / lib.clip(counts, 1, None)[:, None]


def page_rank_data(size):
    n = size.nodes
    start, end = positions(scrambled(size.edges), n), positions(fractions(size.edges, SILVER), n)
    rank = (fractions(n, GOLDEN) + np.float32(0.5)) / np.float32(n)
    return start, end, np.bincount(start, minlength=n).astype("f4"), rank


def page_rank(lib, start, end, degree, rank):
    n = rank.shape[0]
    share = rank / lib.clip(degree, 1, None)
    dangling = lib.sum(rank * (degree == 0))
    sums = lib.scatter_add(lib.zeros(rank.shape), end, share[start])
    new = 0.85 * (sums + dangling / n) + 0.15 / n
    return new, lib.sum(lib.abs(new - rank))


def red_black_data(size):
    i = np.arange(size.grid)
    return square(size.grid), square(size.grid, SILVER), (i[:, None] + i[None, :]) % 2 == 0


def red_black(lib, u, f, red):
    def relaxed(v):
        mean = (lib.roll(v, 1, 0) + lib.roll(v, -1, 0) + lib.roll(v, 1, 1) + lib.roll(v, -1, 1) - f) / 4
        return v + 1.7 * (mean - v)

    half = lib.where(red, relaxed(u), u)
    return lib.where(red, half, relaxed(half))


def cosine_data(size):
    n, d = size.vectors, size.components
    return fractions(n * d, GOLDEN).reshape(n, d), scrambled(n * d).reshape(n, d)


def cosine_similarity(lib, a, b):
    return lib.sum(a * b, 1) / lib.sqrt(lib.sum(a * a, 1) * lib.sum(b * b, 1))


def moving_statistics(window):
    def program(lib, x):
        w = lib.windows(x, window)
        return lib.mean(w, 1), lib.sqrt(lib.var(w, 1)), lib.amin(w, 1), lib.amax(w, 1)

    return program


def group_scores(groups):
    def program(lib, x, group):
        zeros = lib.zeros((groups,))
        count = lib.scatter_add(zeros, group, lib.ones(x.shape))
        mean = lib.scatter_add(zeros, group, x) / count
        deviation = lib.sqrt(lib.scatter_add(zeros, group, x * x) / count - mean * mean)
        return (x - mean[group]) / deviation[group]

    return program


def sinkhorn(steps):
    def program(lib, cost):
        n = cost.shape[0]
        weight = -math.log(n)

        def row_or_column(potential, axis):
            t = potential - cost
            most = lib.amax(t, axis, True)
            return weight - (most + lib.log(lib.sum(lib.exp(t - most), axis, True)))

        g = lib.zeros((1, n))
        for _ in range(steps):
            f = row_or_column(g, 1)
            g = row_or_column(f, 0)
        return f, g

    return program


def logistic_data(size):
    n, d = size.observations, size.features
    X = scrambled(n * d).reshape(n, d)
    y = (fractions(n, SILVER) < np.float32(0.3) + np.float32(0.4) * X[:, 0]).astype("f4")
    return X, y, np.float32(1e-3) * np.eye(d, dtype="f4")


def logistic_regression(steps):
    def program(lib, X, y, ridge):
        w = lib.zeros(X.shape[1:])
        for _ in range(steps):
            p = 1 / (1 + lib.exp(-lib.matmul(X, w)))
            gradient = lib.matmul(X.T, p - y)
            hessian = lib.matmul(X.T, X * (p * (1 - p))[:, None]) + ridge
            w = w - lib.solve(hessian, gradient)
        return w

    return program


def stencil(lib, u):
    total = (
        lib.roll(u, 1, 0)
        + lib.roll(u, -1, 0)
        + lib.roll(u, 1, 1)
        + lib.roll(u, -1, 1)
        + lib.roll(u, 1, 2)
        + lib.roll(u, -1, 2)
    )
    return u + 0.1 * (total - 6 * u)


def tone_mapping(lib, image):
    luminance = 0.2126 * image[0] + 0.7152 * image[1] + 0.0722 * image[2]
    key = 0.18 / lib.exp(lib.mean(lib.log(luminance + 1e-6)))
    scaled = key * luminance
    white = lib.amax(scaled)
    mapped = scaled * (1 + scaled / (white * white)) / (1 + scaled)
    colours = lib.clip(image * (mapped / (luminance + 1e-6)), 0, 1)
    return lib.uint8(255 * colours ** (1 / 2.2))


def programs(size):
    """The programs for these sizes: some contain numbers of steps or lengths that are not arguments."""
    return [
        Program("batch norm and its gradient", batch_norm_data, batch_norm),
        Program("attention", attention_data, attention),
        Program("k-means step", k_means_data, k_means),
        Program("PageRank step", page_rank_data, page_rank),
        Program("SOR, red and black", red_black_data, red_black),
        Program("cosine similarity of rows", cosine_data, cosine_similarity),
        Program("moving statistics", lambda s: (scrambled(s.series),), moving_statistics(size.window)),
        Program(
            "z-scores by groups",
            lambda s: (fractions(s.values, GOLDEN), positions(scrambled(s.values), s.groups)),
            group_scores(size.groups),
        ),
        Program(
            "Sinkhorn",
            lambda s: ((10 * scrambled(s.masses**2)).reshape(s.masses, s.masses),),
            sinkhorn(size.sinkhorn_steps),
        ),
        Program("logistic regression by Newton steps", logistic_data, logistic_regression(size.newton_steps)),
        Program(
            "3-d stencil, periodic",
            lambda s: (fractions(s.box**3, GOLDEN).reshape(s.box, s.box, s.box),),
            stencil,
        ),
        Program(
            "tone mapping",
            lambda s: ((4 * fractions(3 * s.picture**2, GOLDEN)).reshape(3, s.picture, s.picture),),
            tone_mapping,
        ),
    ]
