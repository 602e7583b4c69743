"""What differs between the peers of bench/passes: where arrays lie, some names, and how work is waited for,
compiled, repeated and recorded. Each library has these members:

    put, host          an array from NumPy's, and back
    sync(results)      waits
    interval(call)     seconds of a call that queues work, until that is done
    prepare(f)         f compiled, or f itself
    repeated(step, steps)    a function of a state and constants that makes the steps, compiled likewise
    record(call)       a function that replays the call's work from a CUDA graph; None if there is none
and the operators that the programs use.
"""

import time
from types import SimpleNamespace

import numpy as np
from rows import by_clock, by_events


def loop(step, steps):
    """Makes the steps one after the other."""

    def run(state, constants):
        for _ in range(steps):
            state = step(*state, *constants)
        return state

    return run


def numpy_like(xp, add_at, put, host):
    """The operators of NumPy, CuPy and JAX, which are written alike."""

    def reduction(f):
        return lambda x, axis=None, keep=False: f(x, axis=axis, keepdims=keep)

    return SimpleNamespace(
        put=put,
        host=host,
        prepare=lambda f: f,
        record=None,
        exp=xp.exp,
        log=xp.log,
        sqrt=xp.sqrt,
        tanh=xp.tanh,
        abs=xp.abs,
        where=xp.where,
        roll=xp.roll,
        clip=xp.clip,
        matmul=xp.matmul,
        argmin=xp.argmin,
        sum=reduction(xp.sum),
        mean=reduction(xp.mean),
        var=reduction(xp.var),
        amax=reduction(xp.max),
        amin=reduction(xp.min),
        rfft2=xp.fft.rfft2,
        irfft2=xp.fft.irfft2,
        solve=xp.linalg.solve,
        zeros=lambda shape: xp.zeros(shape, "f4"),
        ones=lambda shape: xp.ones(shape, "f4"),
        uint8=lambda x: x.astype("u1"),
        scatter_add=add_at,
        repeated=lambda step, steps: loop(step, steps),
    )


def add_in_place(xp):
    def scatter_add(zeros, places, values):
        sums = zeros.copy()
        xp.add.at(sums, places, values)
        return sums

    return scatter_add


def make_numpy():
    lib = numpy_like(np, add_in_place(np), lambda a: a, np.asarray)
    lib.windows = np.lib.stride_tricks.sliding_window_view
    lib.sync, lib.interval = lambda results: None, by_clock
    return lib


def make_cupy():
    import cupy as cp
    from cupy.lib.stride_tricks import as_strided

    lib = numpy_like(cp, add_in_place(cp), cp.asarray, cp.asnumpy)
    lib.windows = lambda x, k: as_strided(x, (x.size - k + 1, k), 2 * x.strides)
    stream = cp.cuda.Stream(non_blocking=True)
    stream.use()
    lib.sync = lambda results: stream.synchronize()
    lib.interval = by_events(cp.cuda.Event, cp.cuda.get_elapsed_time)

    def record(call):
        stream.begin_capture()
        try:
            results = call()
        finally:
            graph = stream.end_capture()

        def replay():
            graph.launch(stream)
            return results

        return replay

    lib.record = record
    return lib


def make_torch():
    import torch

    torch.set_grad_enabled(False)
    on_gpu = torch.cuda.is_available()
    device = "cuda" if on_gpu else "cpu"

    def reduction(f):
        return lambda x, axis=None, keep=False: f(x) if axis is None else f(x, axis, keep)

    def var(x, axis, keep=False):
        return torch.var(x, axis, correction=0, keepdim=keep)

    def record(call):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = call()

        def replay():
            graph.replay()
            return results

        return replay

    return SimpleNamespace(
        put=lambda a: torch.from_numpy(np.array(a)).to(device),
        host=lambda x: x.cpu().numpy(),
        prepare=lambda f: f,
        record=record if on_gpu else None,
        exp=torch.exp,
        log=torch.log,
        sqrt=torch.sqrt,
        tanh=torch.tanh,
        abs=torch.abs,
        where=torch.where,
        roll=torch.roll,
        clip=torch.clip,
        matmul=torch.matmul,
        argmin=torch.argmin,
        sum=reduction(torch.sum),
        mean=reduction(torch.mean),
        var=var,
        amax=reduction(torch.amax),
        amin=reduction(torch.amin),
        rfft2=torch.fft.rfft2,
        irfft2=torch.fft.irfft2,
        solve=torch.linalg.solve,
        zeros=lambda shape: torch.zeros(shape, device=device),
        ones=lambda shape: torch.ones(shape, device=device),
        uint8=lambda x: x.to(torch.uint8),
        scatter_add=lambda zeros, places, values: zeros.index_add(0, places, values),
        windows=lambda x, k: x.unfold(0, k, 1),
        repeated=lambda step, steps: loop(step, steps),
        sync=lambda results: torch.cuda.synchronize() if on_gpu else None,
        interval=by_events(lambda: torch.cuda.Event(enable_timing=True), lambda s, e: s.elapsed_time(e))
        if on_gpu
        else by_clock,
    )


def make_torch_compile():
    """Loops of many steps are compiled step by step, because unrolled ones take minutes to compile."""
    import torch

    # Compiled kernels may come from a cache, but the choice among them must be made while nothing else runs.
    torch._inductor.config.autotune_local_cache = False

    def prepare(f):
        torch.compiler.reset()  # forgets earlier programs, which count against a limit of versions
        return torch.compile(f, fullgraph=True, dynamic=False)

    lib = make_torch()
    lib.prepare = prepare
    lib.repeated = lambda step, steps: loop(prepare(step), steps)
    lib.record = None
    return lib


def make_jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    import jax.numpy as jnp

    lib = numpy_like(
        jnp, lambda zeros, places, values: zeros.at[places].add(values), jax.device_put, np.asarray
    )
    lib.windows = lambda x, k: jnp.stack([x[i : len(x) - k + 1 + i] for i in range(k)], 1)
    lib.sync, lib.prepare = jax.block_until_ready, jax.jit

    def repeated(step, steps):
        def run(state, constants):
            return jax.lax.fori_loop(0, steps, lambda _, state: step(*state, *constants), tuple(state))

        return jax.jit(run)

    def interval(call):  # there are no events: by the clock
        t = time.perf_counter()
        lib.sync(call())
        return time.perf_counter() - t

    lib.repeated, lib.interval = repeated, interval
    return lib


LIBRARIES = {
    "numpy": make_numpy,
    "cupy": make_cupy,
    "torch": make_torch,
    "torch.compile": make_torch_compile,
    "jax": make_jax,
}
