-- What tools/coverage.lua says about names that cupola has in another form, or omits on purpose. Names of the
-- section numpy stand here without their section.

-- Here: another name, or a difference that a user must know. "cp.NAME: text" says where it is.
local DIFFERS = [[
all: without an axis a Lua boolean
any: without an axis a Lua boolean
allclose: a Lua boolean
array_equal: a Lua boolean
numpy.random.permutation: a number n gives the positions 1 to n
numpy.random.choice: a number n gives positions from 1 to n
argmax: positions count from 1
argmin: positions count from 1
argsort: positions count from 1
argpartition: positions count from 1
argwhere: positions count from 1
lexsort: positions count from 1
nonzero: positions count from 1
flatnonzero: positions count from 1
nanargmax: positions count from 1
nanargmin: positions count from 1
searchsorted: positions count from 1
digitize: positions count from 1
take: positions count from 1
put: positions count from 1
choose: positions count from 1
indices: positions count from 1
ix_: positions count from 1
unravel_index: positions count from 1
ravel_multi_index: positions count from 1
tril_indices: positions count from 1
triu_indices: positions count from 1
take_along_axis: positions count from 1
put_along_axis: positions count from 1
partition: kth counts from 1
unique: index and inverse count from 1
unique_all: index and inverse count from 1
unique_inverse: inverse counts from 1
intersect1d: positions count from 1
sort: axis = false sorts the flat array
bincount: element v + 1 counts v
histogram: bins are a number or edges; no names of rules such as "auto"
histogram_bin_edges: bins are a number or edges; no names of rules such as "auto"
gradient: spacings of several axes in a table
delete: positions count from 1
insert: positions count from 1
split: cuts after elements: {2, 5} gives elements 1 to 2, 3 to 5 and the rest
array_split: cuts after elements
hsplit: cuts after elements
vsplit: cuts after elements
dsplit: cuts after elements
loadtxt: usecols and converters count columns from 1
genfromtxt: numbers only: no names, no records
vectorize: traces once for each combination of dtypes, or compiles functions with branches; no excluded, signature
poly1d: p / q is the quotient alone, p % q the remainder
ndenumerate: positions count from 1, as tables
ndindex: positions count from 1, as tables
scipy.ndimage.map_coordinates: coordinates count from 1
scipy.ndimage.center_of_mass: positions count from 1; gives an array with a row for each label of index
scipy.ndimage.minimum_position: positions count from 1; gives an array with a row for each label of index
scipy.ndimage.maximum_position: positions count from 1; gives an array with a row for each label of index
scipy.ndimage.extrema: positions count from 1
scipy.ndimage.find_objects: gives tables of ranges {first, last}, to index with; false for missing labels
scipy.ndimage.value_indices: positions count from 1
scipy.ndimage.labeled_comprehension: flat positions count from 1
scipy.ndimage.histogram: gives one array with a row for each label of index
scipy.ndimage.distance_transform_edt: indices count from 1; if no element is 0, distances are infinite
scipy.ndimage.generic_filter: the function gets an array of many windows, or is a ReductionKernel
scipy.ndimage.generic_filter1d: the function gets an array of many lines and returns an array of the filtered ones
scipy.ndimage.iterate_structure: structure and origin are two results
scipy.sparse.sparray: cp.scipy.sparse.issparse: all formats are one type; this tells whether a value is of it
scipy.sparse.linalg.SuperLU: cp.scipy.sparse.linalg.splu: gives such an object
scipy.sparse.linalg.SuperLU.L: cp.scipy.sparse.linalg.splu: a field of its result
scipy.sparse.linalg.SuperLU.U: cp.scipy.sparse.linalg.splu: a field of its result
scipy.sparse.linalg.SuperLU.nnz: cp.scipy.sparse.linalg.splu: a field of its result
scipy.sparse.linalg.SuperLU.perm_c: cp.scipy.sparse.linalg.splu: a field of its result, from 1
scipy.sparse.linalg.SuperLU.perm_r: cp.scipy.sparse.linalg.splu: a field of its result, from 1
scipy.sparse.linalg.SuperLU.shape: cp.scipy.sparse.linalg.splu: a field of its result
scipy.sparse.linalg.SuperLU.solve: cp.scipy.sparse.linalg.splu: a method of its result
scipy.sparse.linalg.eigs: no OPpart: a complex sigma makes all work complex
scipy.sparse.linalg.lobpcg: the third result says whether it converged, and histories follow
scipy.sparse.linalg.svds: singular values ascend; solver is "arpack" or "lobpcg"
cupy.is_available: cp.cuda.is_available: the same
cupy.cuda.Graph: cp.cuda.graph: captures what a function does
cupy.cuda.PythonFunctionAllocator: cp.cuda.FunctionAllocator: of Lua functions
cupy.cuda.ManagedMemory: cp.cuda.malloc_managed: a function
cupy.cuda.MemoryAsync: cp.cuda.malloc_async: a function
cupy.cuda.PinnedMemory: cp.cuda.alloc_pinned_memory: a function
cupy.cuda.UnownedMemory: cp.from_pointer: an array on memory at an address
cupy.cuda.MemoryPointer: x.data: its field ptr is the address
cupy.cuda.runtime.eventCreate: gives a cp.cuda.Event, as eventCreateWithFlags does
cupy.cuda.runtime.streamCreate: gives a cp.cuda.Stream, as the two functions with options do
cupy.cuda.runtime.memcpy3D: takes tables of addresses, pitches and origins
cupy.cuda.runtime.memcpy3DAsync: takes tables of addresses, pitches and origins
cupy.cuda.runtime.memPoolCreate: takes a GPU's number
cupy.cuda.runtime.deviceCanAccessPeer: a Lua boolean
cupy.cuda.runtime.graphInstantiate: cp.cuda.graph: captures and instantiates
cupy.cuda.runtime.graphLaunch: cp.cuda.graph: calling a graph replays it
cupy.cuda.runtime.graphUpload: cp.cuda.graph: uploads at the first replay
cupy.cuda.runtime.graphDestroy: cp.cuda.graph: g:free() frees what a graph holds
cupy.cuda.runtime.graphExecDestroy: cp.cuda.graph: g:free() does so
cupy.cuda.memory_hooks.LineProfileHook: cp.cuda.LineProfileHook: the same
cupy.cuda.nccl.groupStart: cp.cuda.nccl.group_start: the same
cupy.cuda.nccl.groupEnd: cp.cuda.nccl.group_end: the same
cupy.random.get_random_state: cp.random.get_state: gives the state as a value
cupy.random.set_random_state: cp.random.set_state: takes the state as a value
cupy.fromDlpack: cp.from_dlpack: the same
cupy.in1d: cp.isin: on the flat array
cupyx.get_runtime_info: cp.show_config: returns the text too
cupyx.empty_like_pinned: cp.empty_pinned: takes a shape and a dtype
cupyx.zeros_like_pinned: cp.zeros_pinned: takes a shape and a dtype
cupyx.scipy.get_array_module: cp.get_array_module: cp where an array is on a GPU, cp.cpu where all are on the CPU
cupy.fuse: runs the function at each call; reductions are kernels of their own
load: npz gives a table of arrays, read at once; pickles are refused; no mmap_mode
savez: arrays by name in a table last
savez_compressed: arrays by name in a table last
bool: the string "bool"
float16: dtypes are strings
float32: dtypes are strings
float64: dtypes are strings
complex64: dtypes are strings
complex128: dtypes are strings
int8: dtypes are strings
int16: dtypes are strings
int32: dtypes are strings
int64: dtypes are strings
uint8: dtypes are strings
uint16: dtypes are strings
uint32: dtypes are strings
uint64: dtypes are strings
repeat: cp.repeats: repeat is a keyword of Lua
dtype: cp.promote_types: dtypes are strings; see cp.result_type, cp.can_cast, cp.finfo, cp.iinfo
bool_: cp.bool: dtypes are strings
half: cp.float16: dtypes are strings
single: cp.float32: dtypes are strings
double: cp.float64: dtypes are strings
csingle: cp.complex64: dtypes are strings
cdouble: cp.complex128: dtypes are strings
byte: cp.int8: dtypes are strings
short: cp.int16: dtypes are strings
intc: cp.int32: dtypes are strings
long: cp.int64: dtypes are strings
longlong: cp.int64: dtypes are strings
int_: cp.int64: dtypes are strings
intp: cp.int64: dtypes are strings
ubyte: cp.uint8: dtypes are strings
ushort: cp.uint16: dtypes are strings
uintc: cp.uint32: dtypes are strings
uint: cp.uint64: dtypes are strings
uintp: cp.uint64: dtypes are strings
ulong: cp.uint64: dtypes are strings
ulonglong: cp.uint64: dtypes are strings
s_: cp.index: indexes are tables and text: x["1:3, ::2"]
index_exp: cp.index: indexes are tables and text: x["1:3, ::2"]
r_: cp.concatenate: with cp.arange
c_: cp.column_stack: the same
asanyarray: cp.asarray: there is one kind of array
ndim: x.ndim is a field
shape: x.shape is a field
size: x.size is a field
numpy.ndarray.repeat: cp.repeats: x:repeats(...); repeat is a keyword of Lua
numpy.ndarray.to_device: x:to(device)
ufunc: cp.ufunc: its methods are functions that take the operation's name
numpy.ndarray.device: the device's name, "cpu" or "cuda:0"
numpy.ndarray.resize: gives a new array
numpy.ndarray.flat: positions count from 1
numpy.ndarray.item: of arrays with one element; x[{i, j}] reads others
numpy.ndarray.argmax: positions count from 1
numpy.ndarray.argmin: positions count from 1
numpy.ndarray.argsort: positions count from 1
numpy.ndarray.argpartition: positions count from 1
numpy.ndarray.all: without an axis a Lua boolean
numpy.ndarray.any: without an axis a Lua boolean
numpy.ndarray.sort: gives a sorted copy; x:sort_() sorts in place
numpy.ndarray.partition: gives a copy; x:partition_() works in place
numpy.testing.assert_almost_equal: cp.testing.assert_array_almost_equal: takes single values too
numpy.testing.assert_equal: cp.testing.assert_array_equal: takes single values too
numpy.lib.stride_tricks.as_strided: cp.as_strided: the same
numpy.lib.stride_tricks.sliding_window_view: cp.sliding_window_view: the same
cupy.get_array_module: cp where an array is on a GPU, cp.cpu where all are on the CPU
cupy.ndarray.set: x:set(v, ...) writes v where x(...) reads
cupy.show_config: returns the text too
]]

-- On purpose not here.
local LEFT_OUT = {
  ["kinds of arrays and scalars that only Python has"] = [[
    False_ True_ asmatrix matrix bmat mat recarray record memmap ndarray generic number integer inexact signedinteger
    unsignedinteger floating complexfloating flexible character bytes_ str_ void object_ flatiter broadcast nditer
    nested_iters iterable issubdtype typename mintypecode min_scalar_type common_type info get_include
    errstate seterr geterr seterrcall geterrcall setbufsize getbufsize frompyfunc fromiter fromregex
    array2string array_repr array_str format_float_positional format_float_scientific printoptions base_repr binary_repr
    numpy.ndarray.base numpy.ndarray.byteswap numpy.ndarray.ctypes numpy.ndarray.dump numpy.ndarray.dumps
    numpy.ndarray.getfield numpy.ndarray.setfield numpy.ndarray.setflags
    numpy.linalg.LinAlgError]],
  ["a dtype that cupola does not have"] = [[
    longdouble clongdouble float128 complex256 datetime64 timedelta64 datetime_as_string datetime_data busday_count
    busday_offset busdaycalendar is_busday isnat]],
  ["the bit generators are Philox, and on GPUs cuRAND's"] = [[
    numpy.random.BitGenerator numpy.random.PCG64 numpy.random.PCG64DXSM numpy.random.SFC64]],
  ["einsum itself chooses the order of its products"] = "einsum_path",
  ["caching of results, listing of variables and treatment of floating-point errors for Python"] = [[
    cupy.memoize cupy.clear_memo cupy.who cupy.make_aligned_dtype cupyx.errstate cupyx.geterr cupyx.seterr]],
  ["wrappers of C++ templates: write reductions, scans and sorts of blocks with shuffles and shared memory"] =
    "cupyx.jit.cub cupyx.jit.thrust",
  ["replaced by a loop in which the block's threads copy, and block:sync()"] =
    "cupyx.jit.cg.memcpy_async cupyx.jit.cg.wait cupyx.jit.cg.wait_prior",
  ["private classes"] = [[
    cupy.fft._cache.PlanCache cupyx.jit._interface._JitRawKernel cupyx.jit.cg._GridGroup
    cupyx.jit.cg._ThreadBlockGroup cupyx.profiler._time._PerfCaseResult]],
  ["matrices, whose `*` is the matrix product: use sparse arrays; these names raise an error that says so"] =
    "scipy.sparse.bsr_matrix scipy.sparse.coo_matrix scipy.sparse.csc_matrix scipy.sparse.csr_matrix "
      .. "scipy.sparse.dia_matrix scipy.sparse.spmatrix",
  ["formats for adding entries one by one: use cp.scipy.sparse.builder"] = [[
    scipy.sparse.dok_array scipy.sparse.dok_matrix scipy.sparse.lil_array scipy.sparse.lil_matrix
    scipy.sparse.isspmatrix_dok scipy.sparse.isspmatrix_lil
    scipy.sparse.bsr_array.todok scipy.sparse.coo_array.todok scipy.sparse.csc_array.todok
    scipy.sparse.csr_array.todok scipy.sparse.dia_array.todok scipy.sparse.bsr_array.tolil
    scipy.sparse.coo_array.tolil scipy.sparse.csc_array.tolil scipy.sparse.csr_array.tolil
    scipy.sparse.dia_array.tolil]],
  ["classes of warnings and errors: cupola's errors have a kind, which cp.last_error gives"] = [[
    scipy.sparse.SparseEfficiencyWarning scipy.sparse.SparseWarning scipy.sparse.csgraph.NegativeCycleError
    scipy.sparse.linalg.ArpackError scipy.sparse.linalg.ArpackNoConvergence scipy.sparse.linalg.MatrixRankWarning]],
  ["there are no masked arrays: csgraph_from_dense takes the value that means no edge"] = [[
    scipy.sparse.csgraph.csgraph_from_masked scipy.sparse.csgraph.csgraph_masked_from_dense
    scipy.sparse.csgraph.csgraph_to_masked]],
  ["a CUDA graph is freed once it is instantiated, so it cannot be drawn; cp.cuda.graph counts its nodes"] =
    "cupy.cuda.runtime.graphDebugDotPrint",
  ["sparse arrays are always factorised by SuperLU"] = "scipy.sparse.linalg.use_solver",
  ["a module under its old name; see cp.profiler, cp.scipy and cp.linalg"] = [[
    cupyx.time cupyx.time.repeat cupyx.scipy cupyx.linalg cupyx.optimizing]],
  ["for Python's own tests"] = [[
    numpy.testing.assert_ numpy.testing.assert_no_gc_cycles numpy.testing.assert_no_warnings numpy.testing.assert_raises
    numpy.testing.assert_raises_regex numpy.testing.assert_string_equal numpy.testing.assert_warns
    numpy.testing.assert_array_compare numpy.testing.assert_approx_equal]],
  ["decorators of Python's test functions"] = [[
    cupy.testing.for_CF_orders cupy.testing.for_all_dtypes cupy.testing.for_all_dtypes_combination
    cupy.testing.for_complex_dtypes cupy.testing.for_dtypes cupy.testing.for_dtypes_combination
    cupy.testing.for_float_dtypes cupy.testing.for_int_dtypes cupy.testing.for_int_dtypes_combination
    cupy.testing.for_orders cupy.testing.for_signed_dtypes cupy.testing.for_signed_dtypes_combination
    cupy.testing.for_unsigned_dtypes cupy.testing.for_unsigned_dtypes_combination cupy.testing.numpy_cupy_allclose
    cupy.testing.numpy_cupy_array_almost_equal cupy.testing.numpy_cupy_array_almost_equal_nulp
    cupy.testing.numpy_cupy_array_equal cupy.testing.numpy_cupy_array_less
    cupy.testing.numpy_cupy_array_list_equal cupy.testing.numpy_cupy_array_max_ulp]],
}

-- Where a section's names are looked for, and its title.
local PLACES = {
  { "numpy", "cp", "NumPy" }, { "numpy.ndarray", "x", "Methods and fields of arrays" },
  { "numpy.linalg", "cp.linalg", "Linear algebra" }, { "numpy.fft", "cp.fft", "Fourier transforms" },
  { "numpy.random", "cp.random", "Random numbers" }, { "numpy.testing", "cp.testing", "Testing" },
  { "numpy.lib.stride_tricks", "cp", "Strides" },
  { "scipy.fft", "cp.scipy.fft", "scipy.fft" }, { "scipy.fftpack", "cp.scipy.fftpack", "scipy.fftpack" },
  { "scipy.interpolate", "cp.scipy.interpolate", "scipy.interpolate" },
  { "scipy.linalg", "cp.scipy.linalg", "scipy.linalg" }, { "scipy.ndimage", "cp.scipy.ndimage", "scipy.ndimage" },
  { "scipy.signal", "cp.scipy.signal", "scipy.signal" },
  { "scipy.signal.windows", "cp.scipy.signal.windows", "scipy.signal.windows" },
  { "scipy.sparse", "cp.scipy.sparse", "scipy.sparse" },
  { "scipy.sparse.csgraph", "cp.scipy.sparse.csgraph", "scipy.sparse.csgraph" },
  { "scipy.sparse.linalg", "cp.scipy.sparse.linalg", "scipy.sparse.linalg" },
  { "scipy.spatial", "cp.scipy.spatial", "scipy.spatial" },
  { "scipy.spatial.distance", "cp.scipy.spatial.distance", "scipy.spatial.distance" },
  { "scipy.special", "cp.scipy.special", "scipy.special" }, { "scipy.stats", "cp.scipy.stats", "scipy.stats" },
  { "cupyx.signal", "cp.scipy.signal", "cupyx.signal" }, { "cupy", "cp", "CuPy's own" },
  { "cupy.ndarray", "x", "CuPy's methods of arrays" }, { "cupy.random", "cp.random", "CuPy's generators" },
  { "cupy.fft._cache", "cp.fft", "CuPy's plans of transforms" },
  { "cupy.polynomial.polynomial", "cp.polynomial.polynomial", "Polynomials" },
  { "cupy.polynomial.polyutils", "cp.polynomial.polyutils", "Coefficients of polynomials" },
  { "cupy.testing", "cp.testing", "CuPy's testing" }, { "cupy.cuda", "cp.cuda", "cupy.cuda" },
  { "cupy.cuda.runtime", "cp.cuda.runtime", "The CUDA runtime" },
  { "cupy.cuda.texture", "cp.cuda.texture", "Textures" },
  { "cupy.cuda.memory_hooks", "cp.cuda", "Hooks of memory" }, { "cupy.cuda.nccl", "cp.cuda.nccl", "NCCL" },
  { "cupy.cuda.nvtx", "cp.cuda.nvtx", "NVTX" }, { "cupy.cuda.profiler", "cp.cuda.profiler", "The CUDA profiler" },
  { "cupyx", "cp", "cupyx" }, { "cupyx.scipy", "cp.scipy", "cupyx.scipy" },
  { "cupyx.profiler", "cp.profiler", "cupyx.profiler" }, { "cupyx.profiler._time", "cp.profiler", "Measurements" },
  { "cupyx.time", "cp.profiler", "cupyx.time" }, { "cupyx.optimizing", "cp.optimizing", "cupyx.optimizing" },
  { "cupyx.distributed", "cp.distributed", "cupyx.distributed" },
  { "cupyx.distributed.array", "cp.distributed", "cupyx.distributed.array" }, { "cupyx.jit", "cp.jit", "cupyx.jit" },
  { "cupyx.jit._interface", "cp.jit", "Kernels of cupyx.jit" }, { "cupyx.jit.cg", "cp.jit.cg", "cupyx.jit.cg" },
}

-- For each of SciPy's classes that cupola has, an expression of one of its objects, whose members are those
-- that the class's are compared with.
local OBJECTS = {
  ["scipy.signal.CZT"] = "cp.scipy.signal.CZT(8)",
  ["scipy.signal.ZoomFFT"] = "cp.scipy.signal.ZoomFFT(8, 0.5)",
  ["scipy.sparse.bsr_array"] = "cp.scipy.sparse.bsr_array { { 1, 0 }, { 2, 3 } }",
  ["scipy.sparse.coo_array"] = "cp.scipy.sparse.coo_array { { 1, 0 }, { 2, 3 } }",
  ["scipy.sparse.csc_array"] = "cp.scipy.sparse.csc_array { { 1, 0 }, { 2, 3 } }",
  ["scipy.sparse.csr_array"] = "cp.scipy.sparse.csr_array { { 1, 0 }, { 2, 3 } }",
  ["scipy.sparse.dia_array"] = "cp.scipy.sparse.dia_array { { 1, 0 }, { 2, 3 } }",
  ["scipy.sparse.linalg.LinearOperator"] =
    "cp.scipy.sparse.linalg.LinearOperator({ 2, 2 }, function(x) return x end)",
}

return { differs = DIFFERS, left_out = LEFT_OUT, places = PLACES, objects = OBJECTS }
