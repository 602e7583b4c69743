"""Makes docs/names.txt, the public names that docs/coverage.md compares cupola's with:
`python3 tools/names.py > docs/names.txt` (needs numpy; CuPy's names are listed here, since CuPy cannot be
installed without a GPU).

Lines are "SECTION: NAME". Sections are numpy, numpy.linalg, numpy.fft, numpy.random, numpy.ndarray (methods
and fields), numpy.testing, numpy.lib.stride_tricks, scipy.special, scipy.signal (both as far as CuPy has
them), and cupy.
"""

import numpy as np

CUPY = """
ElementwiseKernel ReductionKernel RawKernel RawModule asarray asnumpy get_array_module scatter_add scatter_max
scatter_min fuse vectorize get_default_memory_pool get_default_pinned_memory_pool show_config is_available
may_share_memory cuda.Device cuda.Stream cuda.Event cuda.Graph cuda.MemoryPool cuda.PinnedMemoryPool
cuda.get_current_stream cuda.get_elapsed_time cuda.is_available cuda.runtime cuda.nvtx cuda.nccl
cuda.set_allocator cuda.alloc_pinned_memory from_dlpack empty_pinned zeros_pinned jit.rawkernel
profiler.benchmark profiler.time_range testing.assert_allclose testing.assert_array_almost_equal
testing.assert_array_equal testing.assert_array_less testing.assert_array_list_equal testing.shaped_arange
testing.shaped_random ndarray.get ndarray.set ndarray.device ndarray.data
""".split()

SPECIAL = """
airy bdtr beta betainc betaincinv betaln binom boxcox cbrt cosm1 digamma entr erf erfc erfcinv erfcx erfinv
exp1 exp10 exp2 expi expit expm1 exprel fdtr gamma gammainc gammaincc gammaln huber i0 i0e i1 i1e inv_boxcox
iv j0 j1 jn kl_div kv lambertw log_expit log_ndtr log_softmax logit loggamma logsumexp lpmv multigammaln ndtr
ndtri pdtr polygamma psi rel_entr rgamma sinc softmax spherical_yn sph_harm stdtr tandg xlog1py xlogy y0 y1 yn
yv zeta
""".split()

SIGNAL = """
convolve convolve2d correlate correlate2d fftconvolve oaconvolve lfilter lfiltic filtfilt sosfilt sosfiltfilt
medfilt medfilt2d order_filter wiener hilbert hilbert2 decimate detrend resample resample_poly upfirdn firwin
freqz butter cheby1 cheby2 savgol_coeffs savgol_filter find_peaks welch periodogram spectrogram stft istft csd
coherence chirp gausspulse sawtooth square unit_impulse get_window
""".split()

SKIPPED = set("""
ModuleDeprecationWarning VisibleDeprecationWarning ComplexWarning RankWarning TooHardError AxisError
DTypePromotionError test show_runtime rec char core ctypeslib dtypes emath exceptions f2py ma matlib
polynomial strings typing version testing lib linalg fft random little_endian ScalarType sctypeDict typecodes
""".split())


def public(module):
    names = getattr(module, "__all__", None) or dir(module)
    skipped = SKIPPED if module is np else {"test", "helper", "mtrand", "bit_generator"}
    return sorted(n for n in names if not n.startswith("_") and n not in skipped)


def main():
    sections = {
        "numpy": public(np),
        "numpy.linalg": public(np.linalg),
        "numpy.fft": public(np.fft),
        "numpy.random": public(np.random),
        "numpy.ndarray": sorted(n for n in dir(np.ndarray) if not n.startswith("_")),
        "numpy.testing": sorted(n for n in public(np.testing) if n.startswith("assert_")),
        "numpy.lib.stride_tricks": ["as_strided", "sliding_window_view"],
        "scipy.special": SPECIAL,
        "scipy.signal": SIGNAL,
        "cupy": CUPY,
    }
    for section, names in sections.items():
        for name in names:
            print("%s: %s" % (section, name))


if __name__ == "__main__":
    main()
