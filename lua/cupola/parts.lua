-- Made by tools/parts.lua: which part makes which names of which table.
return {
  ["devices/runtime"] = {
    ["cp.cuda"] = " profiler runtime ",
  },
  ["devices/memory"] = {
    ["cp"] = " empty_like_pinned empty_pinned get_default_memory_pool get_default_pinned_memory_pool "
      .. "zeros_like_pinned zeros_pinned ",
    ["cp.cuda"] = " FunctionAllocator MemoryAsyncPool MemoryPool PinnedMemoryPool alloc alloc_pinned_memory "
      .. "get_allocator is_pinned malloc_async malloc_device malloc_managed set_allocator "
      .. "set_pinned_memory_allocator using_allocator zero_copy ",
  },
  ["devices/memory_hooks"] = {
    ["core"] = " profile_memory ",
    ["cp.cuda"] = " LineProfileHook MemoryHook ",
  },
  ["userkernels/userkernels"] = {
    ["cp"] = " ElementwiseKernel ReductionKernel ",
    ["core"] = " explain_compile_error ",
  },
  ["files/exchange"] = {
    ["cp"] = " from_dlpack from_pointer ",
  },
  ["files/npy"] = {
    ["cp"] = " load save ",
    ["core"] = " read_npy with_ending write_npy write_npy_text ",
  },
  ["files/npz"] = {
    ["cp"] = " savez savez_compressed ",
    ["core"] = " read_npz write_npz zip64_from ",
  },
  ["files/text_files"] = {
    ["cp"] = " frombuffer fromfile fromstring genfromtxt loadtxt savetxt ",
    ["core"] = " read_file ",
    ["methods"] = " tofile ",
  },
  ["files/image"] = {
    ["core"] = " palette pixel_bytes value_limits ",
    ["cp.image"] = " colormap colormaps decode encode load save ",
  },
  ["plot/plot"] = {
    ["cp"] = " plot ",
    ["core"] = " gnuplot gnuplot_script gnuplot_window plot_gnuplot plot_on plot_png plot_sampled plot_size "
      .. "plot_svg plot_text ",
  },
  ["testing"] = {
    ["cp"] = " testing ",
  },
  ["arrays/editing"] = {
    ["cp"] = " cross delete insert sliding_window_view unwrap ",
    ["methods"] = " cross delete insert sliding_window_view unwrap ",
  },
  ["analysis/polynomials"] = {
    ["cp"] = " poly poly1d polyadd polyder polydiv polyint polymul polysub polyval roots vander ",
    ["core"] = " is_poly1d new_poly1d ",
    ["methods"] = " vander ",
  },
  ["userkernels/rawkernels"] = {
    ["cp"] = " RawKernel RawModule struct ",
    ["core"] = " raw_declaration ",
  },
  ["statistics/scans"] = {
    ["cp"] = " cummax cummin cumprod cumsum cumulative_prod cumulative_sum diff ediff1d nancumprod nancumsum ",
    ["methods"] = " cummax cummin cumprod cumsum cumulative_prod cumulative_sum diff ediff1d nancumprod "
      .. "nancumsum ",
  },
  ["statistics/sorting"] = {
    ["cp"] = " argpartition argsort lexsort partition partition_ searchsorted sort sort_ sort_complex ",
    ["core"] = " beside order ordered search_sorted sorted ",
    ["methods"] = " argpartition argsort partition partition_ searchsorted sort sort_ ",
  },
  ["statistics/sets"] = {
    ["cp"] = " in1d intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse "
      .. "unique_values ",
    ["methods"] = " isin unique ",
  },
  ["statistics/quantiles"] = {
    ["cp"] = " median nanmedian nanpercentile nanquantile percentile quantile ",
    ["methods"] = " median nanmedian nanpercentile nanquantile percentile quantile ",
  },
  ["statistics/statistics"] = {
    ["cp"] = " average corrcoef cov ",
    ["methods"] = " average corrcoef cov ",
  },
  ["statistics/histograms"] = {
    ["cp"] = " bincount digitize histogram histogram2d histogram_bin_edges histogramdd ",
    ["methods"] = " bincount digitize histogram ",
  },
  ["statistics/masked"] = {
    ["core"] = " reduce_masked ",
  },
  ["analysis/calculus"] = {
    ["cp"] = " convolve correlate gradient interp trapezoid trapz ",
    ["methods"] = " convolve correlate gradient interp trapezoid trapz ",
  },
  ["linalg/products"] = {
    ["cp"] = " dot einsum inner kron matmul matvec outer tensordot trace vdot vecdot vecmat ",
    ["core"] = " matrix_product multiply_matrices same_device sum_of_product ",
    ["methods"] = " dot inner kron matmul outer tensordot trace vdot vecdot ",
  },
  ["linalg/linalg"] = {
    ["cp"] = " linalg polyfit ",
    ["core"] = " linalg ",
    ["cp.cuda"] = " allow_tf32 ",
    ["cp.scipy"] = " linalg ",
  },
  ["analysis/fft"] = {
    ["cp"] = " fft ",
  },
  ["random/random"] = {
    ["cp"] = " random ",
  },
  ["scipy/special"] = {
    ["cp"] = " i0 ",
    ["cp.scipy"] = " special ",
  },
  ["scipy/signal/signal"] = {
    ["cp"] = " bartlett blackman hamming hanning kaiser ",
    ["core"] = " band_edges coefficients filter_order roots_array sections zpk_coefficients ",
    ["cp.scipy"] = " signal ",
  },
  ["userkernels/fuse"] = {
    ["cp"] = " fuse ",
  },
  ["userkernels/vectorize"] = {
    ["cp"] = " vectorize ",
  },
  ["userkernels/bundle"] = {
    ["cp"] = " precompile record ",
  },
  ["devices/nccl"] = {
    ["cp.cuda"] = " nccl ",
  },
  ["devices/graph"] = {
    ["cp.cuda"] = " graph ",
  },
  ["scipy/ndimage/ndimage"] = {
    ["cp.scipy"] = " ndimage ",
  },
  ["scipy/sparse/sparse"] = {
    ["cp"] = " sparse ",
    ["core"] = " arrays_of most_sparse_products sparse ",
    ["cp.scipy"] = " sparse ",
  },
  ["scipy/io"] = {
    ["cp.scipy"] = " io ",
  },
  ["scipy/fft"] = {
    ["cp.scipy"] = " fft ",
  },
  ["arrays/padding"] = {
    ["cp"] = " pad ",
    ["methods"] = " pad ",
  },
  ["arrays/positions"] = {
    ["cp"] = " argwhere diag_indices diag_indices_from flatnonzero ix_ mask_indices nonzero ravel_multi_index "
      .. "tril_indices tril_indices_from triu_indices triu_indices_from unravel_index ",
    ["core"] = " nonzero ",
    ["methods"] = " argwhere diag_indices_from flatnonzero nonzero tril_indices_from triu_indices_from ",
  },
  ["arrays/values"] = {
    ["cp"] = " array_equiv asarray_chkfinite fabs isdtype isneginf isposinf nanargmax nanargmin real_if_close "
      .. "spacing ",
    ["methods"] = " array_equiv fabs isneginf isposinf nanargmax nanargmin real_if_close spacing ",
  },
  ["arrays/forms"] = {
    ["cp"] = " block broadcast_shapes isfortran matrix_transpose permute_dims require trim_zeros unstack ",
    ["methods"] = " isfortran matrix_transpose permute_dims trim_zeros unstack ",
  },
  ["arrays/functional"] = {
    ["cp"] = " apply_along_axis apply_over_axes fromfunction ndenumerate ndindex piecewise ",
    ["methods"] = " ndenumerate piecewise ",
  },
  ["arrays/bits"] = {
    ["cp"] = " bitwise_count packbits unpackbits ",
    ["methods"] = " bitwise_count packbits unpackbits ",
  },
  ["files/pixels"] = {
    ["cp.image"] = " blend gray hsv_to_rgb resize rgb_to_hsv ",
  },
  ["arrays/flat"] = {
    ["core"] = " flat_of set_field ",
  },
  ["arrays/ufunc"] = {
    ["cp"] = " ufunc ",
  },
  ["analysis/polynomial"] = {
    ["cp"] = " polynomial ",
  },
  ["jit/kernels"] = {
    ["cp"] = " jit ",
    ["core"] = " jit_called jit_declaration jit_variant jit_vectorize ",
  },
  ["devices/texture"] = {
    ["cp.cuda"] = " texture ",
  },
}
