---@meta cupola
-- Written by tools/annotations.lua; edit that, or the annotations in lua/cupola.

---@alias cupola.dtype "bool"|"int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float16"|"bfloat16"|"float32"|"float64"|"complex64"|"complex128"|string
---@alias cupola.Operand cupola.Array|cupola.Complex|number|boolean|table # what counts as an array
---@alias cupola.Options table # the arguments that follow, by their names

---@class cupola.Shape
---@field [integer] integer

---@class cupola.Complex
---@field re number
---@field im number
---@field dtype cupola.dtype
---@operator add(cupola.Complex|number): cupola.Complex
---@operator sub(cupola.Complex|number): cupola.Complex
---@operator mul(cupola.Complex|number): cupola.Complex
---@operator div(cupola.Complex|number): cupola.Complex
---@operator unm: cupola.Complex

---@class cupola.Device
---@field name string
---@field kind "cpu"|"cuda"
---@field id integer # CUDA's ordinal, from 0
---@field attributes table<string, integer> # the driver's, as "MaxThreadsPerBlock"
---@field properties table # name, compute_capability, multiprocessors, total_memory, free_memory, ...
---@field compute_capability string? # "90"
local Device = {}

---@class cupola.Event
---@field device string
---@field timing boolean
---@field ptr integer # CUDA's handle
local Event = {}

---@class cupola.Stream
---@field device string
---@field ptr integer # CUDA's handle
---@field priority integer
---@field non_blocking boolean
---@field id integer
local Stream = {}

---@class cupola.Communicator
---@field rank integer # from 0 on
---@field size integer
---@field device string
---@field backend string # "nccl" or "tcp"
---@field timeout number # seconds
---@field closed boolean
local Communicator = {}

---@class cupola.Ranks: cupola.Communicator[]
local Ranks = {}

---@class cupola.Graph
---@field device string
---@field nodes integer # pieces of work
---@field kernels integer # of those that compute
---@field bytes integer # of its own memory
---@field updated boolean # it took the place of an earlier one without being made anew
---@operator call(...): any
local Graph = {}

---@class cupola.ChannelFormat
---@field x integer # bits of the first channel; likewise y, z and w
---@field f integer # runtime.channelFormatKindSigned, channelFormatKindUnsigned or channelFormatKindFloat
---@field channels integer
---@field dtype cupola.dtype
local ChannelFormat = {}

---@class cupola.CudaArray
---@field desc cupola.ChannelFormat
---@field width integer # in elements
---@field height integer
---@field depth integer
---@field ndim integer
---@field flags integer
---@field ptr integer # CUDA's handle
---@field device string
local CudaArray = {}

---@class cupola.TextureResource
local TextureResource = {}

---@class cupola.TextureSampling
local TextureSampling = {}

---@class cupola.Texture
---@field ResDesc cupola.TextureResource
---@field TexDesc? cupola.TextureSampling # not of surfaces
---@field ptr integer # CUDA's handle
---@field device string
local Texture = {}

---@class cupola.StreamClass
---@field null cupola.Stream # where work of the current device goes unless another one is chosen
---@overload fun(options?: table): cupola.Stream # non_blocking, priority, ptr, device
local StreamClass = {}

---@class cupola.MemoryPool
local MemoryPool = {}

---@class cupola.MemoryHook
---@field malloc? fun(info: table)
---@field alloc? fun(info: table)
---@field free? fun(info: table)
---@field report? fun(): table # of a LineProfileHook: totals by line, the largest first; tostring shows them
---@field print_report? fun(): string
local MemoryHook = {}

---@class cupola.Generator
local Generator = {}

---@class cupola.RandomState
local RandomState = {}

---@class cupola.SeedSequence
---@field entropy any # what it was made from
---@field spawn_key table
---@field pool_size integer
---@field n_children_spawned integer
local SeedSequence = {}

---@class cupola.Kernel
---@field name string
---@operator call(...): any

---@class cupola.Fused
---@field name string
---@field launches integer # kernels of the last call
---@field source string # their CUDA text
---@operator call(...): any

---@class cupola.Vectorized
---@field name string
---@field traces integer # how often the function was called
---@operator call(...): any

---@class cupola.RawKernel
---@field name string
---@field attributes table
---@field max_threads_per_block integer
---@field shared_size_bytes integer
---@field const_size_bytes integer
---@field local_size_bytes integer
---@field num_regs integer
---@field ptx_version integer
---@field binary_version integer
---@field cache_mode_ca integer
---@field max_dynamic_shared_size_bytes integer # may be set
---@field preferred_shared_memory_carveout integer # may be set
---@operator call(...): nil
local RawKernel = {}

---@class cupola.JitKernel
---@field name string
---@field source string # the CUDA text of the variant that was called last
---@field kernel cupola.RawKernel # its compiled kernel
---@field lua_source string # the Lua text of that variant, which runs without a compiler
---@field runs_lua boolean # whether the kernel runs as Lua text
---@field variants integer # how many variants were compiled
---@operator call(...): nil

---@class cupola.JitFunction
---@field name string
---@field source string # the CUDA text of the variant that was called last
---@field lua_source string # the Lua text of that variant, which runs without a compiler
---@field runs_lua boolean # whether the function runs as Lua text
---@field variants integer # how many variants were compiled
---@operator call(...): any

---@class cupola.Module
local Module = {}

---@class cupola.StructType
---@field name string
---@field size integer
---@field align integer
---@field source string # the C text
---@operator call(table?): userdata

---@class cupola.Poly1d
---@field coeffs cupola.Array # the highest power first; also coef, coefficients, c
---@field order integer # also o
---@field roots cupola.Array # also r
---@field variable string # may be set
---@field deriv fun(self: cupola.Poly1d, m?: integer): cupola.Poly1d # the m-th derivative
---@field integ fun(self: cupola.Poly1d, m?: integer, k?: any): cupola.Poly1d # the m-th antiderivative
---@field [integer] any # the coefficient of a power, from 0; may be set
---@operator add(cupola.Poly1d|cupola.Operand): cupola.Poly1d
---@operator sub(cupola.Poly1d|cupola.Operand): cupola.Poly1d
---@operator mul(cupola.Poly1d|cupola.Operand): cupola.Poly1d
---@operator div(cupola.Poly1d|cupola.Operand): cupola.Poly1d
---@operator mod(cupola.Poly1d|cupola.Operand): cupola.Poly1d
---@operator pow(integer): cupola.Poly1d
---@operator unm: cupola.Poly1d
---@operator call(any): any

---@class cupola.SuperLU # Pr A Pc = L U: row i of A is row perm_r[i] of L U, column j is column perm_c[j]
---@field shape cupola.Shape
---@field nnz integer # entries of both factors
---@field perm_r cupola.Array # from 1
---@field perm_c cupola.Array # from 1
---@field L cupola.Sparse
---@field U cupola.Sparse
---@field solve fun(self: cupola.SuperLU, rhs: any, trans?: "N"|"T"|"H"): cupola.Array

---@class cupola.Sparse
---@field format "csr"|"csc"|"coo"|"dia"|"bsr"
---@field shape cupola.Shape
---@field ndim integer
---@field dtype cupola.dtype
---@field device string
---@field nnz integer # stored entries; also size
---@field data cupola.Array # the values
---@field indices? cupola.Array # csr, csc, bsr: columns (rows) of the entries, from 0
---@field indptr? cupola.Array # csr, csc, bsr: where each row (column) begins, from 0
---@field row? cupola.Array # coo, from 0
---@field col? cupola.Array # coo, from 0
---@field offsets? cupola.Array # dia
---@field blocksize? integer[] # bsr
---@field T cupola.Sparse
---@field H cupola.Sparse # transposed and conjugated
---@field real cupola.Sparse
---@field imag cupola.Sparse
---@field has_sorted_indices boolean
---@field has_canonical_format boolean
---@field dot fun(self: cupola.Sparse, x: any, ...): any # the matrix product; options alpha, beta, out
---@field matmul fun(self: cupola.Sparse, x: any, ...): any
---@field toarray fun(self: cupola.Sparse, order?: string, out?: cupola.Array): cupola.Array
---@field tocsr fun(self: cupola.Sparse, copy?: boolean): cupola.Sparse
---@field tocsc fun(self: cupola.Sparse, copy?: boolean): cupola.Sparse
---@field tocoo fun(self: cupola.Sparse, copy?: boolean): cupola.Sparse
---@field todia fun(self: cupola.Sparse, copy?: boolean): cupola.Sparse
---@field tobsr fun(self: cupola.Sparse, blocksize?: integer[], copy?: boolean): cupola.Sparse
---@field reshape fun(self: cupola.Sparse, shape: integer|integer[], order?: integer|"C"|"F"): cupola.Sparse
---@field resize fun(self: cupola.Sparse, shape: integer|integer[], columns?: integer)
---@field tensordot fun(self: cupola.Sparse, other: any, axes?: any): any
---@field [any] any
---@operator add(any): any
---@operator sub(any): any
---@operator mul(any): cupola.Sparse
---@operator div(any): any
---@operator pow(any): cupola.Sparse
---@operator unm: cupola.Sparse
---@operator len: integer

---@class cupola.Array
---@field shape cupola.Shape
---@field ndim integer
---@field size integer
---@field nbytes integer
---@field itemsize integer
---@field dtype cupola.dtype
---@field device string # "cpu" or "cuda:N"
---@field strides cupola.Shape # in bytes
---@field T cupola.Array
---@field mT cupola.Array # the last two axes exchanged
---@field flat any # all elements in C order, to be read and written by any index of a vector: x.flat[5] = 1
---@field real cupola.Array
---@field imag cupola.Array
---@field flags {c_contiguous: boolean, f_contiguous: boolean, writeable: boolean, owndata: boolean}
---@field data {ptr: any}
---@field [integer|table|cupola.Array] any
---@operator add(cupola.Operand): cupola.Array
---@operator sub(cupola.Operand): cupola.Array
---@operator mul(cupola.Operand): cupola.Array
---@operator div(cupola.Operand): cupola.Array
---@operator mod(cupola.Operand): cupola.Array
---@operator pow(cupola.Operand): cupola.Array
---@operator idiv(cupola.Operand): cupola.Array
---@operator band(cupola.Operand): cupola.Array
---@operator bor(cupola.Operand): cupola.Array
---@operator bxor(cupola.Operand): cupola.Array
---@operator shl(cupola.Operand): cupola.Array
---@operator shr(cupola.Operand): cupola.Array
---@operator unm: cupola.Array
---@operator bnot: cupola.Array
---@operator concat(any): string
---@operator len: integer
---@operator call(...): any
local Array = {}

---@class cupola
---@field _VERSION string
---@field bfloat16 "bfloat16"
---@field bool "bool"
---@field complex128 "complex128"
---@field complex64 "complex64"
---@field cpu cupola
---@field e number
---@field ellipsis userdata
---@field euler_gamma number
---@field float16 "float16"
---@field float32 "float32"
---@field float64 "float64"
---@field inf number
---@field int16 "int16"
---@field int32 "int32"
---@field int64 "int64"
---@field int8 "int8"
---@field j cupola.Complex
---@field nan number
---@field newaxis userdata
---@field pi number
---@field uint16 "uint16"
---@field uint32 "uint32"
---@field uint64 "uint64"
---@field uint8 "uint8"
local cp = {}

--- An elementwise function from source text that describes one element; see docs/kernels.md.
---@param in_params string # "T x, float32 y, raw T z"
---@param out_params string
---@param operation string # C++ statements
---@param name? string|cupola.Options
---@param reduce_dims? boolean|cupola.Options
---@param preamble? string|cupola.Options
---@param no_return? boolean|cupola.Options
---@param return_tuple? boolean|cupola.Options
---@param doc? string|cupola.Options
---@param loop_prep? string|cupola.Options
---@param after_loop? string|cupola.Options
---@param options? string|table|cupola.Options
---@return cupola.Kernel # called as k(x, y, ..., [outputs...], {size =, block_size =, stream =})
function cp.ElementwiseKernel(in_params, out_params, operation, name, reduce_dims, preamble, no_return, return_tuple, doc, loop_prep, after_loop, options) end

--- A kernel from CUDA C++ source; see docs/kernels.md.
---@param code string # the source
---@param name string # the name of the __global__ function, such as "add" or "scale<float>"
---@param options? table|cupola.Options # compiler options, such as {"-DN=4", "-Ifolder"}
---@param backend? string|cupola.Options
---@param translate_cucomplex? boolean|cupola.Options
---@param enable_cooperative_groups? boolean|cupola.Options
---@param strided? boolean|cupola.Options
---@param signature? string|cupola.Options
---@return cupola.RawKernel # called as k(grid, block, {x, y}, {shared_mem =, stream =}) or k[{grid, block}](x, y)
function cp.RawKernel(code, name, options, backend, translate_cucomplex, enable_cooperative_groups, strided, signature) end

--- A module of kernels from CUDA C++ source, a cubin, a fatbin or PTX; see docs/kernels.md.
---@param code? string|cupola.Options # the source or the bytes of an image
---@param path? string|cupola.Options # a file with either
---@param options? table|cupola.Options # compiler options, such as {"-Ifolder"}
---@param backend? string|cupola.Options
---@param translate_cucomplex? boolean|cupola.Options
---@param enable_cooperative_groups? boolean|cupola.Options
---@param name_expressions? string[]|cupola.Options
---@return cupola.Module
function cp.RawModule(code, path, options, backend, translate_cucomplex, enable_cooperative_groups, name_expressions) end

--- A reduction from source text: map_expr of an element, reduce_expr of `a` and `b`, post_map_expr of `a`.
---@param in_params string
---@param out_params string
---@param map_expr string
---@param reduce_expr string
---@param post_map_expr string
---@param identity? string|number|cupola.Options
---@param name? string|cupola.Options
---@param reduce_type? string|cupola.Options
---@param reduce_dims? boolean|cupola.Options
---@param preamble? string|cupola.Options
---@param options? string|table|cupola.Options
---@return cupola.Kernel # called as k(x, ..., axis, {axis =, keepdims =, out =, stream =})
function cp.ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, reduce_type, reduce_dims, preamble, options) end

--- Absolute value. The same as absolute.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.abs(x, out, dtype, casting, where) end

--- Absolute value, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.abs_(x) end

--- Absolute value.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.absolute(x, out, dtype, casting, where) end

--- Absolute value, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.absolute_(x) end

--- Inverse cosine. The same as arccos.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.acos(x, out, dtype, casting, where) end

--- Inverse cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.acos_(x) end

--- Inverse hyperbolic cosine. The same as arccosh.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.acosh(x, out, dtype, casting, where) end

--- Inverse hyperbolic cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.acosh_(x) end

--- x1 + x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.add(x1, x2, out, dtype, casting, where) end

--- x1 + x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.add_(x1, x2) end

--- Whether all are true: a boolean, with an axis a bool array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return any
function cp.all(a, axis, out, keepdims, where) end

--- Whether all elements are close, as a Lua boolean. Arguments as for isclose.
---@param a cupola.Operand
---@param b cupola.Operand
---@param rtol? number|cupola.Options
---@param atol? number|cupola.Options
---@param equal_nan? boolean|cupola.Options
---@return boolean
function cp.allclose(a, b, rtol, atol, equal_nan) end

--- Greatest value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.amax(a, axis, out, keepdims, initial, where) end

--- Least value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.amin(a, axis, out, keepdims, initial, where) end

--- The angle of complex values in the complex plane, in radians; 0 or pi for real values.
---@param z cupola.Operand
---@param deg? boolean|cupola.Options # in degrees; default false
---@return cupola.Array # floating array
function cp.angle(z, deg) end

--- Whether one is true: a boolean, with an axis a bool array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return any
function cp.any(a, axis, out, keepdims, where) end

--- Appends values to an array; without an axis both are flattened first.
---@param arr cupola.Operand
---@param values cupola.Operand
---@param axis? integer|cupola.Options
---@return cupola.Array
function cp.append(arr, values, axis) end

--- Applies f to each vector along an axis, and assembles the results.
---@param func1d function # gives an array or a number
---@param axis integer
---@param arr cupola.Operand
---@return cupola.Array
function cp.apply_along_axis(func1d, axis, arr) end

--- Applies func(a, axis) for one axis after the other, each time to the previous result.
---@param func function # func(a, axis) returns an array with as many axes as a, or one less
---@param a cupola.Operand
---@param axes integer|table # an axis or a table of axes
---@return cupola.Array # with as many axes as a
function cp.apply_over_axes(func, a, axes) end

--- From start (0 if only one is given) to before stop.
---@param start number
---@param stop? number|cupola.dtype|cupola.Options
---@param step? number|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.arange(start, stop, step, dtype, device) end

--- Inverse cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arccos(x, out, dtype, casting, where) end

--- Inverse cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arccos_(x) end

--- Inverse hyperbolic cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arccosh(x, out, dtype, casting, where) end

--- Inverse hyperbolic cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arccosh_(x) end

--- Inverse sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arcsin(x, out, dtype, casting, where) end

--- Inverse sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arcsin_(x) end

--- Inverse hyperbolic sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arcsinh(x, out, dtype, casting, where) end

--- Inverse hyperbolic sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arcsinh_(x) end

--- Inverse tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arctan(x, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.arctan2(x1, x2, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.arctan2_(x1, x2) end

--- Inverse tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arctan_(x) end

--- Inverse hyperbolic tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arctanh(x, out, dtype, casting, where) end

--- Inverse hyperbolic tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arctanh_(x) end

--- Position of the greatest value, from 1; without an axis in the flat array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.argmax(a, axis, out, keepdims) end

--- Position of the least value, from 1; without an axis in the flat array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.argmin(a, axis, out, keepdims) end

--- The positions, from 1, that partition the elements.
---@param a cupola.Operand
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array # int64 array
function cp.argpartition(a, kth, axis, kind) end

--- The positions, from 1, that sort the elements; equal elements keep their order. Arguments as for sort.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as in NumPy; every sort is stable
---@param descending? boolean|cupola.Options # default false
---@param stable? boolean|cupola.Options # accepted as in the array API standard; every sort is stable
---@return cupola.Array # int64 array
function cp.argsort(a, axis, kind, descending, stable) end

--- The positions of nonzero elements, as an array with a row for each.
---@param a cupola.Operand
---@return cupola.Array # array (count, axes of a)
function cp.argwhere(a) end

--- The same as cp.round.
---@param a cupola.Operand # array, table or number, any dtype
---@param decimals? integer|cupola.Options # default 0
---@param out? cupola.Array|cupola.Options # array of a's shape
---@return cupola.Array # array of a's shape and dtype (bool: float16)
function cp.around(a, decimals, out) end

--- The same as cp.round_.
---@param a cupola.Operand
---@param decimals? integer|cupola.Options
---@return cupola.Array
function cp.around_(a, decimals) end

--- An array of a number, a table or an array; a copy.
---@param object cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param copy? boolean|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@param ndmin? integer|cupola.Options
---@return cupola.Array
function cp.array(object, dtype, copy, order, device, ndmin) end

--- Whether shapes and all values are equal, as a Lua boolean.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@param equal_nan? boolean|cupola.Options # whether nan equals nan; default false
---@return boolean
function cp.array_equal(a1, a2, equal_nan) end

--- Whether two arrays have the same values after broadcasting.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return boolean
function cp.array_equiv(a1, a2) end

--- The same, but the number of parts need not divide the length: the first parts are one element longer.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[]
function cp.array_split(ary, indices_or_sections, axis) end

--- A view with this shape and these strides, in bytes.
---@param x cupola.Array
---@param shape? integer|table|cupola.Options
---@param strides? integer|table|cupola.Options
---@param writeable? boolean|cupola.Options
---@return cupola.Array
function cp.as_strided(x, shape, strides, writeable) end

--- The same; an array that is right is not copied.
---@param object cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@param copy? boolean|cupola.Options
---@return cupola.Array
function cp.asarray(object, dtype, order, device, copy) end

--- a as an array; raises if it contains nan or infinities.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" or "F"; default: a's order
---@return cupola.Array
function cp.asarray_chkfinite(a, dtype, order) end

--- a as an array with C-contiguous memory (row-major): a itself if it has it, else a copy.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.ascontiguousarray(a, dtype) end

--- a as an array with Fortran-contiguous memory (column-major): a itself if it has it, else a copy.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.asfortranarray(a, dtype) end

--- Inverse sine. The same as arcsin.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.asin(x, out, dtype, casting, where) end

--- Inverse sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.asin_(x) end

--- Inverse hyperbolic sine. The same as arcsinh.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.asinh(x, out, dtype, casting, where) end

--- Inverse hyperbolic sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.asinh_(x) end

--- A copy on the CPU; x may be a table.
---@param x cupola.Operand
---@return cupola.Array
function cp.asnumpy(x) end

--- Writes v into x, where it broadcasts; returns x.
---@param x cupola.Array
---@param v any
---@return cupola.Array
function cp.assign(x, v) end

--- A copy in another dtype.
---@param x cupola.Array
---@param dtype cupola.dtype
---@param copy? boolean|cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.astype(x, dtype, copy, casting, device) end

--- Inverse tangent. The same as arctan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.atan(x, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi. The same as arctan2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.atan2(x1, x2, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.atan2_(x1, x2) end

--- Inverse tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.atan_(x) end

--- Inverse hyperbolic tangent. The same as arctanh.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.atanh(x, out, dtype, casting, where) end

--- Inverse hyperbolic tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.atanh_(x) end

--- Views with at least one axis. Several arguments give several results.
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_1d(...) end

--- Views with at least two axes: (n) becomes (1, n).
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_2d(...) end

--- Views with at least three axes: (n) becomes (1, n, 1), (n, m) becomes (n, m, 1).
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_3d(...) end

--- The mean, or the weighted mean sum(a * weights) / sum(weights).
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param weights? cupola.Operand|cupola.Options # of a's shape, or of the lengths of the axes
---@param returned? boolean|cupola.Options # return the sum of weights, too
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.average(a, axis, weights, returned, keepdims) end

--- Bitwise and. The same as bitwise_and.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.band(x1, x2, out, dtype, casting, where) end

--- Bitwise and, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.band_(x1, x2) end

--- A triangle that ends with zeros.
---@param M  integer
---@return cupola.Array
function cp.bartlett(M) end

--- Counts each integer: element v + 1 is the number of occurrences of v.
---@param x cupola.Operand # vector of non-negative integers
---@param weights? cupola.Operand|cupola.Options # of x's shape: add these (in float64) instead of counting
---@param minlength? integer|cupola.Options # the least length of the result
---@return cupola.Array # int64 vector
function cp.bincount(x, weights, minlength) end

--- Bitwise and.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_and(x1, x2, out, dtype, casting, where) end

--- Bitwise and, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_and_(x1, x2) end

--- Counts the bits that are set in the absolute value of each element.
---@param x cupola.Operand # bool or an integer dtype
---@return cupola.Array # uint8
function cp.bitwise_count(x) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bitwise_invert(x, out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bitwise_invert_(x) end

--- x1 << x2. The same as left_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_left_shift(x1, x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_left_shift_(x1, x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bitwise_not(x, out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bitwise_not_(x) end

--- Bitwise or.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_or(x1, x2, out, dtype, casting, where) end

--- Bitwise or, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_or_(x1, x2) end

--- x1 >> x2. The same as right_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_right_shift(x1, x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_right_shift_(x1, x2) end

--- Bitwise exclusive or.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_xor(x1, x2, out, dtype, casting, where) end

--- Bitwise exclusive or, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_xor_(x1, x2) end

--- Blackman's window.
---@param M  integer
---@return cupola.Array
function cp.blackman(M) end

--- An array assembled from blocks: `cp.block{ {A, B}, {C, D} }` has A and B side by side, C and D below
--- them.
---@param arrays cupola.Operand # nested tables of arrays and numbers; the innermost ones are joined along the last axis
---@return cupola.Array
function cp.block(arrays) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bnot(x, out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bnot_(x) end

--- Bitwise or. The same as bitwise_or.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bor(x1, x2, out, dtype, casting, where) end

--- Bitwise or, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bor_(x1, x2) end

--- Views in the shape that all arguments broadcast to.
---@param ... cupola.Operand
---@return cupola.Array ...
function cp.broadcast_arrays(...) end

--- The shape that arrays of these shapes broadcast to.
---@param ... any # shapes
---@return cupola.Array
function cp.broadcast_shapes(...) end

--- A read-only view in a shape that the array broadcasts to.
---@param array cupola.Operand
---@param shape integer|table
---@return cupola.Array
function cp.broadcast_to(array, shape) end

--- Bitwise exclusive or. The same as bitwise_xor.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bxor(x1, x2, out, dtype, casting, where) end

--- Bitwise exclusive or, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bxor_(x1, x2) end

--- Whether the rule (default "safe") allows the cast.
---@param from any
---@param to cupola.dtype
---@param casting? string|cupola.Options
---@return boolean
function cp.can_cast(from, to, casting) end

--- Cube root.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.cbrt(x, out, dtype, casting, where) end

--- Cube root, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.cbrt_(x) end

--- Smallest whole number that is not less.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.ceil(x, out, dtype, casting, where) end

--- Smallest whole number that is not less, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.ceil_(x) end

--- "strict": errors on a device are waited for; "lazy": they come later.
---@param mode? string|cupola.Options
---@return string
function cp.checks(mode) end

--- Each element from the array whose number is given: `result[i] = choices[a[i]][i]`.
---@param a cupola.Operand # whole numbers
---@param choices cupola.Operand # table of arrays that broadcast with a
---@param out? cupola.Array|cupola.Options
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
---@return cupola.Array
function cp.choose(a, choices, out, mode) end

--- Limits values to an interval: minimum(maximum(a, a_min), a_max). A bound of nil is no bound.
---@param a cupola.Operand # array, table or number
---@param a_min? cupola.Operand|cupola.Options # number or array that broadcasts with a; also called min
---@param a_max? cupola.Operand|cupola.Options # the same; also called max
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options # array of booleans: other elements of out, which must be given, stay as they are
---@return cupola.Array
function cp.clip(a, a_min, a_max, out, min, max, where) end

--- Limits the values of a itself to an interval, and returns a.
---@param a cupola.Operand
---@param a_min? cupola.Operand|cupola.Options
---@param a_max? cupola.Operand|cupola.Options
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.clip_(a, a_min, a_max, min, max) end

--- Monotonic seconds.
---@return number
function cp.clock() end

--- Collects garbage and gives the cached memory back to the device.
function cp.collect() end

--- Joins vectors as columns, and matrices along the second axis.
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # which casts are allowed; default "same_kind"
---@return cupola.Array
function cp.column_stack(arrays, dtype, casting) end

--- A complex value, weak in promotion.
---@param re number
---@param im? number
---@return cupola.Complex
function cp.complex(re, im) end

--- Slices along an axis where a condition is true.
---@param condition cupola.Operand # truth values, none of them true beyond the axis
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.compress(condition, a, axis, out) end

--- The same as cp.concatenate.
---@param arrays table # arrays whose shapes differ only along the axis
---@param axis? integer|false|cupola.dtype|cupola.Options # default 1; false joins the flat arrays
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function cp.concat(arrays, axis, out, dtype, casting) end

--- Joins arrays along an existing axis: `cp.concatenate{a, b, axis = 2}`.
---@param arrays table # arrays whose shapes differ only along the axis
---@param axis? integer|false|cupola.dtype|cupola.Options # default 1; false joins the flat arrays
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function cp.concatenate(arrays, axis, out, dtype, casting) end

--- Complex conjugate.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.conj(x, out, dtype, casting, where) end

--- Complex conjugate, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.conj_(x) end

--- Complex conjugate. The same as conj.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.conjugate(x, out, dtype, casting, where) end

--- Complex conjugate, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.conjugate_(x) end

--- The convolution of two vectors: sums of a[i] * v[j] with constant i + j.
---@param a cupola.Operand
---@param v any
---@param mode? string|cupola.Options # "full" (default): wherever they overlap; "same": as long as the longer vector; "valid": where they overlap completely
---@return cupola.Array
function cp.convolve(a, v, mode) end

--- A new array with the same values.
---@param x cupola.Array
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@return cupola.Array
function cp.copy(x, order) end

--- x1 with the sign of x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.copysign(x1, x2, out, dtype, casting, where) end

--- x1 with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.copysign_(x1, x2) end

--- Writes src into dst, where a condition is true.
---@param dst cupola.Array
---@param src cupola.Operand # broadcasts to dst
---@param where? cupola.Operand|cupola.Options # truth values that broadcast to dst; default: everywhere
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
function cp.copyto(dst, src, where, casting) end

--- The matrix of correlation coefficients of variables, from -1 to 1.
---@param x cupola.Operand
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true: rows are variables
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.corrcoef(x, y, rowvar, dtype) end

--- The cross-correlation of two vectors: sums of a[i + k] * conj(v[i]) for each lag k.
---@param a cupola.Operand
---@param v any
---@param mode? string|cupola.Options # "valid" (default), "same" or "full", as for convolve
---@return cupola.Array
function cp.correlate(a, v, mode) end

--- Cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.cos(x, out, dtype, casting, where) end

--- Cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.cos_(x) end

--- Hyperbolic cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.cosh(x, out, dtype, casting, where) end

--- Hyperbolic cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.cosh_(x) end

--- The number of elements that are not 0.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.count_nonzero(a, axis, keepdims) end

--- The covariance matrix of variables. Rows are variables and columns observations, unless rowvar is false.
---@param m cupola.Operand
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true
---@param bias? boolean|cupola.Options # divide by the number of observations instead of one less; default false
---@param ddof? integer|cupola.Options # subtracted from the number of observations, instead of bias
---@param fweights? cupola.Operand|cupola.Options # how many times each observation counts
---@param aweights? cupola.Operand|cupola.Options # weights of the observations
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype) end

--- Cross product of vectors with 2 or 3 components; of pairs of the former its third component alone.
---@param a cupola.Operand
---@param b cupola.Operand # broadcasts with a beside the vectors' axis
---@param axisa? integer|cupola.Options # the axis of a's vectors; default: the last
---@param axisb? integer|cupola.Options # of b's; default: the last
---@param axisc? integer|cupola.Options # of the result's; default: the last
---@param axis? integer|cupola.Options # all three at once
---@return cupola.Array
function cp.cross(a, b, axisa, axisb, axisc, axis) end

--- Cumulative maxima; nan from the first nan on.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cummax(a, axis, out) end

--- Cumulative minima; nan from the first nan on.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cummin(a, axis, out) end

--- Cumulative products.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # default: bool and integers widen to 64 bits, other dtypes stay
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumprod(a, axis, dtype, out) end

--- Cumulative sums.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # the dtype to sum in; default: bool and integers widen to 64 bits, other dtypes stay
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumsum(a, axis, dtype, out) end

--- Cumulative products.
---@param x cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # required unless x is a vector
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # start with 1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumulative_prod(x, axis, dtype, include_initial, out) end

--- Cumulative sums.
---@param x cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # required unless x is a vector
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # start with 0
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumulative_sum(x, axis, dtype, include_initial, out) end

--- Degrees to radians. The same as radians.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.deg2rad(x, out, dtype, casting, where) end

--- Degrees to radians, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.deg2rad_(x) end

--- Radians to degrees.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.degrees(x, out, dtype, casting, where) end

--- Radians to degrees, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.degrees_(x) end

--- A copy without the elements at some positions.
---@param arr cupola.Operand
---@param obj cupola.Operand # a position from 1 (negative from the end), a table or array of positions, a slice as text ("2:5", "::2"), or a mask
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.delete(arr, obj, axis) end

--- Whether results repeat from run to run, at a price (docs/arrays.md); sets it.
---@param on? boolean|cupola.Options
---@return boolean
function cp.deterministic(on) end

--- The device named "cpu", "cuda" or "cuda:N"; without a name the current device.
---@param name? string|cupola.Options
---@return cupola.Device # with fields name, kind ("cpu" or "cuda"), id (CUDA's ordinal, from 0), attributes, properties
function cp.device(name) end

--- The diagonal of a matrix as a view, or a matrix of zeros with the diagonal v.
---@param v any # (n, m) or (n)
---@param k? integer|cupola.Options # 0 (default): the main diagonal; positive: above it
---@return cupola.Array # 1-d, or (n + |k|, n + |k|)
function cp.diag(v, k) end

--- The positions of the main diagonal of an array whose axes all have length n.
---@param n integer
---@param ndim? integer|cupola.Options # default 2
---@return table
function cp.diag_indices(n, ndim) end

--- The positions of the main diagonal of a given array.
---@param arr cupola.Operand # an array whose axes have equal length
---@return table
function cp.diag_indices_from(arr) end

--- A matrix of zeros with all elements of v on a diagonal.
---@param v any # any shape
---@param k? integer|cupola.Options # which diagonal; default 0
---@return cupola.Array # (v.size + |k|, v.size + |k|)
function cp.diagflat(v, k) end

--- A view of a diagonal of two axes, which becomes the last axis.
---@param a cupola.Operand # two axes or more
---@param offset? integer|cupola.Options # 0 (default): the main diagonal; positive: above it
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@return cupola.Array
function cp.diagonal(a, offset, axis1, axis2) end

--- Differences of adjacent elements: element k + 1 minus element k, n times. For bool, whether they differ.
---@param a cupola.Operand
---@param n? integer|cupola.Options # how many times; default 1
---@param axis? integer|cupola.Options # default: the last
---@param prepend? cupola.Operand|cupola.Options # a number or array to put before a
---@param append? cupola.Operand|cupola.Options # a number or array to put after a
---@return cupola.Array
function cp.diff(a, n, axis, prepend, append) end

--- The bin of each value among edges: the position, from 1, of the first edge above it (#bins + 1: none),
--- so that bins[k - 1] <= v < bins[k]. For descending edges, bins[k - 1] > v >= bins[k].
---@param x cupola.Operand # values of any shape
---@param bins cupola.Operand # vector of edges, ascending or descending
---@param right? boolean|cupola.Options # whether bins include the upper edge instead of the lower one; default false
---@return cupola.Array # int64 array of x's shape
function cp.digitize(x, bins, right) end

--- x1 / x2, true division. The same as divide.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.div(x1, x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.div_(x1, x2) end

--- x1 / x2, true division.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.divide(x1, x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.divide_(x1, x2) end

--- Floor division and its remainder.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function cp.divmod(x1, x2, out1, out2, out) end

--- The inner product of vectors, or the product of matrices; otherwise the sum of products over the last
--- axis of a and the second to last of b.
---@param a cupola.Operand
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.dot(a, b, out) end

--- Splits along the third axis.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function cp.dsplit(ary, indices_or_sections) end

--- Joins arrays along the third axis; (n) counts as (1, n, 1), (n, m) as (n, m, 1).
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # which casts are allowed; default "same_kind"
---@return cupola.Array
function cp.dstack(arrays, dtype, casting) end

--- Differences of adjacent elements of the flat array, with values before and after them.
---@param ary cupola.Operand
---@param to_end? cupola.Operand|cupola.Options
---@param to_begin? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.ediff1d(ary, to_end, to_begin) end

--- Sums of products by labels of axes: `cp.einsum("ij,jk->ik", a, b)` multiplies matrices, `"ii"` is a
--- trace, `"...ij->...ji"` swaps the last axes. Without "->" the result has the labels that occur once, in
--- order. Of several operands, the cheapest pair is contracted first. Labels may also be whole numbers from
--- 0 to 51 in tables behind the operands: `cp.einsum(a, {0, 1}, b, {1, 2}, {0, 2})`.
---@param subscripts cupola.Operand # a text, or the first operand
---@param ... any # the arrays, then optionally a table of out, dtype and optimize (false: in the given order)
---@return cupola.Array
function cp.einsum(subscripts, ...) end

--- A new array with undefined values.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.empty(shape, dtype, order, device) end

--- A new array with the shape and dtype of a; undefined values.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.empty_like(a, dtype, order, shape, device) end

--- An uninitialized CPU array in page-locked memory, with the shape and dtype of `a`.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options # default: that of a
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C", "F", "A" or "K" (default)
---@param shape? integer|integer[]|cupola.Options # default: that of a
---@return cupola.Array
function cp.empty_like_pinned(a, dtype, order, shape) end

--- An uninitialized CPU array in page-locked memory: copies between it and a GPU (`x:to`, `x:assign`) run
--- at the bus's full speed while the program goes on. Reading or writing it on the CPU waits for them
--- automatically.
---@param shape integer|integer[]
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return cupola.Array
function cp.empty_pinned(shape, dtype, order) end

--- x1 == x2 of each element, a bool array. The same as equal.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.eq(x1, x2, out, dtype, casting, where) end

--- x1 == x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.equal(x1, x2, out, dtype, casting, where) end

--- Error function.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.erf(x, out, dtype, casting, where) end

--- Error function, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.erf_(x) end

--- 1 - erf(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.erfc(x, out, dtype, casting, where) end

--- 1 - erf(x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.erfc_(x) end

--- Computes the pending arrays among the arguments, those of one shape together; returns all.
---@param ... any
---@return any ...
function cp.eval(...) end

--- e ^ x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.exp(x, out, dtype, casting, where) end

--- 2 ^ x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.exp2(x, out, dtype, casting, where) end

--- 2 ^ x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.exp2_(x) end

--- e ^ x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.exp_(x) end

--- A with another axis of length 1 before (axis 1, the default) or behind its own: a coo array.
function cp.expand_dims() end

--- exp(x) - 1.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.expm1(x, out, dtype, casting, where) end

--- exp(x) - 1, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.expm1_(x) end

--- Elements of the flat array where a condition, flat too, is true.
---@param condition cupola.Operand
---@param arr cupola.Operand
---@return cupola.Array
function cp.extract(condition, arr) end

--- (N, M), ones on diagonal k, zeros elsewhere.
---@param N integer
---@param M? integer|cupola.dtype|cupola.Options
---@param k? integer|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.eye(N, M, k, dtype, order, device) end

--- Absolute values as floats.
---@param x cupola.Operand # real
---@return cupola.Array
function cp.fabs(x) end

--- Writes one value into all elements; returns x.
---@param x cupola.Array
---@param v any
---@return cupola.Array
function cp.fill(x, v) end

--- Writes a value, or values in turn, along the main diagonal.
---@param a cupola.Array # two axes at least; more must be of one length
---@param val cupola.Operand
---@param wrap? boolean|cupola.Options # begin again below the square part of a tall matrix; default false
function cp.fill_diagonal(a, val, wrap) end

--- Limits of a floating dtype (for a complex dtype, of its parts): bits, eps, epsneg, max, min, tiny,
--- smallest_normal, smallest_subnormal, resolution, precision, nmant, maxexp, minexp, dtype.
---@param dtype cupola.dtype|cupola.Array # a dtype or an array
---@return table
function cp.finfo(dtype) end

--- Rounds toward zero: NumPy's older name for trunc.
---@param x cupola.Operand
---@return cupola.Array
function cp.fix(x) end

--- The same as cp.trunc_.
---@param x cupola.Array
---@return cupola.Array
function cp.fix_(x) end

--- The positions of nonzero elements in the flat array.
---@param a cupola.Operand
---@return cupola.Array
function cp.flatnonzero(a) end

--- A view with the elements reversed along axes; without axes along all.
---@param m cupola.Operand
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function cp.flip(m, axis) end

--- A view reversed along the second axis.
---@param m cupola.Operand
---@return cupola.Array
function cp.fliplr(m) end

--- A view reversed along the first axis.
---@param m cupola.Operand
---@return cupola.Array
function cp.flipud(m) end

--- x1 to the power x2, computed at least in float64 (complex128 for complex operands).
---@param x1 cupola.Operand
---@param x2 cupola.Operand # broadcasts with x1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.float_power(x1, x2, out) end

--- Largest whole number that is not greater.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.floor(x, out, dtype, casting, where) end

--- Largest whole number that is not greater, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.floor_(x) end

--- The floor of x1 / x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.floor_divide(x1, x2, out, dtype, casting, where) end

--- The floor of x1 / x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.floor_divide_(x1, x2) end

--- a * b + c with one rounding.
---@param a cupola.Operand
---@param b cupola.Operand
---@param c cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(a: number, b: number, c: number): number
function cp.fma(a, b, c, out, dtype, casting, where) end

--- a * b + c with one rounding, written into a itself.
---@param a cupola.Array
---@param b cupola.Operand
---@param c cupola.Operand
---@return cupola.Array
function cp.fma_(a, b, c) end

--- The greater one; nan only where both are nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmax(x1, x2, out, dtype, casting, where) end

--- The greater one; nan only where both are nan, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.fmax_(x1, x2) end

--- The lesser one; nan only where both are nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmin(x1, x2, out, dtype, casting, where) end

--- The lesser one; nan only where both are nan, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.fmin_(x1, x2) end

--- Remainder with the sign of x1.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmod(x1, x2, out, dtype, casting, where) end

--- Remainder with the sign of x1, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.fmod_(x1, x2) end

--- Mantissa and exponent: x = mantissa * 2 ^ exponent.
---@param x cupola.Operand
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function cp.frexp(x, out1, out2, out) end

--- An array on the memory of a DLPack tensor, without a copy unless one is asked for. A capsule is
--- consumed; a tensor given by its address is owned by cupola from then on.
---@param tensor cupola.Operand # the result of x:dlpack(), a value with such a method, or the address of a DLManagedTensor
---@param device? string|cupola.Device|cupola.Options # where the result lies; default: where the tensor does
---@param copy? boolean|cupola.Options # true: always copy; false: raise an error where the device asks for a copy
---@param versioned? boolean|cupola.Options # the address is that of a DLManagedTensorVersioned, of DLPack 1; default false
---@return cupola.Array
function cp.from_dlpack(tensor, device, copy, versioned) end

--- An array on memory that cupola does not own, without a copy.
---@param ptr integer|lightuserdata|ffi.cdata*|table # address of the first element, such as x.data
---@param shape integer|integer[]
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param owner? cupola.Operand|cupola.Options # kept alive as long as the memory is used
---@param device? string|cupola.Device|cupola.Options # the memory's device; default: the current device
---@param strides? integer[]|cupola.Options # strides in bytes; default: C order
---@return cupola.Array
function cp.from_pointer(ptr, shape, dtype, owner, device, strides) end

--- A vector of the values in a string of bytes.
---@param buffer string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param count? integer|cupola.Options # default -1: all
---@param offset? integer|cupola.Options # bytes to skip first; default 0
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.frombuffer(buffer, dtype, count, offset, device) end

--- An array from a string of values in C order.
---@param bytes string
---@param dtype? cupola.dtype|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.frombytes(bytes, dtype, shape, device) end

--- Reads the raw values of a file as a vector, or numbers from a text file if sep is given, like
--- np.fromfile.
---@param file string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param count? integer|cupola.Options # how many values; default -1: all
---@param sep? string|cupola.Options # the separator of a text file; default "": a binary file
---@param offset? integer|cupola.Options # bytes to skip first; default 0
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.fromfile(file, dtype, count, sep, offset, device) end

--- An array of the values of f, which is called once with arrays of coordinates that count from 0.
---@param f function
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options # of the coordinates; default the default dtype
---@return cupola.Array
function cp.fromfunction(f, shape, dtype) end

--- Parses a text into a vector of numbers.
---@param string string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param count? integer|cupola.Options # how many numbers; default -1: all
---@param sep? string|cupola.Options # the separator; default " ": any white space
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.fromstring(string, dtype, count, sep, device) end

--- A new array of one value.
---@param shape integer|table
---@param fill_value cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.full(shape, fill_value, dtype, order, device) end

--- One value with the shape and dtype of a.
---@param a cupola.Operand
---@param fill_value cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.full_like(a, fill_value, dtype, order, shape, device) end

--- Returns a function that does the same as f, but fuses consecutive elementwise operations into one
--- kernel, however long the chain. Arrays that f creates and does not return are freed afterwards (cp.keep
--- keeps one). See docs/fusion.md.
---@param f function # takes arrays, numbers and any other values
---@param name? string|cupola.Options # the name in its text and in messages
---@param kernel_name? cupola.Operand|cupola.Options
---@return cupola.Fused # called like f; fields: launches (kernels of the last call), source (their CUDA source), name
function cp.fuse(f, name, kernel_name) end

--- Whether operators wait until values are needed; sets it. Returns what held before.
---@param on? boolean
---@return boolean
function cp.fusion(on) end

--- Gamma function.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.gamma(x, out, dtype, casting, where) end

--- Gamma function, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.gamma_(x) end

--- Greatest common divisor.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.gcd(x1, x2, out, dtype, casting, where) end

--- Greatest common divisor, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.gcd_(x1, x2) end

--- x1 >= x2 of each element, a bool array. The same as greater_equal.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.ge(x1, x2, out, dtype, casting, where) end

--- Like loadtxt, but for tables with gaps: a word that is not a number becomes the filling value.
---@param fname string|table # the file's name, or a table of lines
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param comments? string|table|cupola.Options # default "#"
---@param delimiter? string|cupola.Options # default: white space
---@param skip_header? integer|cupola.Options # lines to skip; default 0
---@param converters? table|cupola.Options # functions by column
---@param filling_values? number|cupola.Options # a number; default nan, 0 for dtypes without nan
---@param usecols? integer|table|cupola.Options # from 1
---@param max_rows? integer|cupola.Options
---@param unpack? boolean|cupola.Options # return the columns as separate values; default false
---@param ndmin? integer|cupola.Options # the least number of axes of the result; default 0
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (rows, columns)
function cp.genfromtxt(fname, dtype, comments, delimiter, skip_header, converters, filling_values, usecols, max_rows, unpack, ndmin, device) end

--- Values from start to stop with equal ratios; both may be negative or complex, but not 0.
---@param start cupola.Operand # number or array
---@param stop cupola.Operand # number or array that broadcasts with start
---@param num? integer|cupola.dtype|cupola.Options # default 50
---@param endpoint? boolean|cupola.Options # whether the last value is stop; default true
---@param dtype? cupola.dtype|cupola.Options
---@param axis? integer|cupola.Options # the axis of the values when start or stop is an array; default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.geomspace(start, stop, num, endpoint, dtype, axis, device) end

--- Returns `cp.cpu` if there are arrays among the arguments and all are on the CPU, else `cp`.
---@param ... any
---@return cupola
function cp.get_array_module(...) end

---@return string dtype
function cp.get_default_dtype() end

--- The pool of the current device, from which arrays are allocated unless another allocator is set.
---@return cupola.MemoryPool
function cp.get_default_memory_pool() end

--- The pool of page-locked memory for `cp.empty_pinned` and similar functions, shared by all states.
---@return cupola.MemoryPool
function cp.get_default_pinned_memory_pool() end

--- The options that set_printoptions sets.
---@return table
function cp.get_printoptions() end

--- The gradient by central differences, one-sided at the ends: one array for a single axis, else a table
--- with one for each axis.
---@param f any
---@param spacing? cupola.Operand|cupola.Options # a number for all axes (default 1), the sample points along the axis, or a table of these by axis
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param edge_order? integer|cupola.Options # 1 (default) or 2: order of the differences at the ends
---@return cupola.Array
function cp.gradient(f, spacing, axis, edge_order) end

--- x1 > x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.greater(x1, x2, out, dtype, casting, where) end

--- x1 >= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.greater_equal(x1, x2, out, dtype, casting, where) end

--- x1 > x2 of each element, a bool array. The same as greater.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.gt(x1, x2, out, dtype, casting, where) end

--- Hamming's window.
---@param M  integer
---@return cupola.Array
function cp.hamming(M) end

--- Hann's window.
---@param M  integer
---@return cupola.Array
function cp.hanning(M) end

--- 0 for negative x1, x2 for 0, 1 for positive.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.heaviside(x1, x2, out, dtype, casting, where) end

--- 0 for negative x1, x2 for 0, 1 for positive, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.heaviside_(x1, x2) end

--- The number of elements in each bin, and the edges. A bin includes its lower edge; the last bin includes
--- both.
---@param a cupola.Operand # flattened
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), the edges in ascending order, or the name of a rule that finds a number: "auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges", without weights
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@param density? boolean|cupola.Options # return a density, whose integral is 1, instead of counts
---@param weights? cupola.Operand|cupola.Options # of a's shape: add these instead of counting
---@return cupola.Array
---@return cupola.Array
function cp.histogram(a, bins, range, density, weights) end

--- The number of points of the plane in each rectangle, and the edges along x and y.
---@param x cupola.Operand # vector
---@param y cupola.Operand # vector
---@param bins? cupola.Operand|cupola.Options # a number for both (default 10), the edges of both (an array), or a table {of x, of y}
---@param range? table|cupola.Options # {{lowest, highest} of x, {lowest, highest} of y}
---@param density? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
---@return cupola.Array
---@return cupola.Array
function cp.histogram2d(x, y, bins, range, density, weights) end

--- The bin edges that histogram uses.
---@param a cupola.Operand
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), the edges, or a rule as in histogram
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@return cupola.Array
function cp.histogram_bin_edges(a, bins, range) end

--- The number of points of any dimension in each box, and a table with the edges of each dimension.
---@param sample cupola.Operand # (N, D): one point in each row
---@param bins? cupola.Operand|cupola.Options # a number for all (default 10), or a table with a number or edges for each dimension
---@param range? table|cupola.Options # a table of {lowest, highest} for each dimension
---@param density? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
---@return table
function cp.histogramdd(sample, bins, range, density, weights) end

--- Splits along the second axis, vectors along their only axis.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function cp.hsplit(ary, indices_or_sections) end

--- Joins arrays along the second axis, vectors along their only axis.
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # which casts are allowed; default "same_kind"
---@return cupola.Array
function cp.hstack(arrays, dtype, casting) end

--- sqrt(x1 ^ 2 + x2 ^ 2).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.hypot(x1, x2, out, dtype, casting, where) end

--- sqrt(x1 ^ 2 + x2 ^ 2), written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.hypot_(x1, x2) end

--- The modified Bessel function of order 0: NumPy's name for cp.scipy.special.i0.
---@param x cupola.Operand
---@return cupola.Array # floating array
function cp.i0(x) end

--- The unit matrix (n, n).
---@param n integer
---@param dtype? cupola.dtype|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.identity(n, dtype, device) end

--- The floor of x1 / x2. The same as floor_divide.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.idiv(x1, x2, out, dtype, casting, where) end

--- The floor of x1 / x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.idiv_(x1, x2) end

--- Limits of an integer dtype: bits, min, max, dtype.
---@param dtype cupola.dtype|cupola.Array # a dtype or an array
---@return table
function cp.iinfo(dtype) end

--- The imaginary part: a view of a complex array, zeros for a real one. x.imag on arrays is the same.
---@param val cupola.Operand
---@return cupola.Array
function cp.imag(val) end

--- Like isin, for the flat array.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # ignored
---@param invert? boolean|cupola.Options # default false
---@param kind? string|cupola.Options # "sort" or "table"; ignored
---@return cupola.Array # bool vector
function cp.in1d(ar1, ar2, assume_unique, invert, kind) end

--- A list of positions, as an int64 array: x[cp.index{1, 3, 5}].
---@param positions table
---@return cupola.Array
function cp.index(positions) end

--- The indices, from 1, of every element of an array of this shape.
---@param shape integer|table # a table or a whole number
---@param dtype? cupola.dtype|cupola.Options # default int64
---@param sparse? boolean|cupola.Options # return a table of arrays that broadcast together; default false
---@return cupola.Array # array (#shape, shape...)
function cp.indices(shape, dtype, sparse) end

--- The sum of products over the last axes of both arrays.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.inner(a, b) end

--- A copy with values inserted before some positions.
---@param arr cupola.Operand
---@param obj cupola.Operand # a position from 1 (length + 1: after the last one; negative: from the end), a table or array of positions in arr, a slice as text, or a mask
---@param values cupola.Operand # broadcasts to the inserted part and is converted to arr's dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.insert(arr, obj, values, axis) end

--- Linear interpolation: values at x of the piecewise linear function through the points (xp, fp).
---@param x cupola.Operand # of any shape
---@param xp cupola.Operand # vector in ascending order
---@param fp cupola.Operand # values at xp, real or complex
---@param left? cupola.Operand|cupola.Options # value below xp; default: the first of fp
---@param right? cupola.Operand|cupola.Options # value above xp; default: the last of fp
---@param period? number|cupola.Options # the period of a periodic function, whose xp need not be sorted
---@return cupola.Array # float64 or complex128 array
function cp.interp(x, xp, fp, left, right, period) end

--- The elements that are in both arrays, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # ignored
---@param return_indices? boolean|cupola.Options # return their first positions in both arrays, too
---@return cupola.Array
function cp.intersect1d(ar1, ar2, assume_unique, return_indices) end

--- All bits exchanged; not, of bool.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.invert(x, out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.invert_(x) end

--- Whether v is an array.
---@param v any
---@return boolean
function cp.is_array(v) end

--- |a - b| <= atol + rtol * |b| for each element; equal infinities are close.
---@param a cupola.Operand
---@param b cupola.Operand # broadcasts with a
---@param rtol? number|cupola.Options # default 1e-5
---@param atol? number|cupola.Options # default 1e-8
---@param equal_nan? boolean|cupola.Options # whether nan is close to nan; default false
---@return cupola.Array # bool array
function cp.isclose(a, b, rtol, atol, equal_nan) end

--- For each element, whether its imaginary part is not 0.
---@param x cupola.Operand
---@return cupola.Array
function cp.iscomplex(x) end

--- Whether x has a complex dtype, whatever its values.
---@param x cupola.Operand
---@return boolean
function cp.iscomplexobj(x) end

--- Whether a dtype is of a kind.
---@param dtype cupola.dtype|cupola.Array # a dtype or an array
---@param kind cupola.Operand # "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric", a dtype, or a table of these
---@return boolean
function cp.isdtype(dtype, kind) end

--- Whether x is neither infinite nor nan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isfinite(x, out, dtype, casting, where) end

--- Whether an array is Fortran-contiguous (column-major) and not also C-contiguous.
---@param a cupola.Operand
---@return boolean
function cp.isfortran(a) end

--- Whether each element is among test_elements.
---@param element cupola.Operand
---@param test_elements cupola.Operand
---@param assume_unique? boolean|cupola.Options # ignored
---@param invert? boolean|cupola.Options # return whether it is not; default false
---@param kind? string|cupola.Options # "sort" or "table"; ignored
---@return cupola.Array # bool array of element's shape
function cp.isin(element, test_elements, assume_unique, invert, kind) end

--- Whether x is infinite.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isinf(x, out, dtype, casting, where) end

--- Whether x is nan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isnan(x, out, dtype, casting, where) end

--- Whether each value is -inf.
---@param x cupola.Operand
---@return cupola.Array
function cp.isneginf(x) end

--- Whether each value is +inf.
---@param x cupola.Operand
---@return cupola.Array
function cp.isposinf(x) end

--- Whether the imaginary part of each element is 0 (not 0).
---@param x cupola.Operand
---@return cupola.Array # bool array; a boolean for a Lua value
function cp.isreal(x) end

--- Whether x has no complex dtype, whatever its values.
---@param x cupola.Operand
---@return boolean
function cp.isrealobj(x) end

--- Whether v is a single value: a number, boolean, cp.complex, cp.scalar or 64-bit cdata; false for every
--- array.
---@param v any
---@return boolean
function cp.isscalar(v) end

--- Arrays that together select every combination of their positions: `x[cp.ix_({1, 3}, {2, 5})]` has 2 rows
--- and 2 columns.
---@param ... any # for each axis: whole numbers, or booleans
---@return table
function cp.ix_(...) end

--- The Kaiser window, the same as cp.scipy.signal.windows.kaiser.
---@param M integer
---@param beta number
---@return cupola.Array # float64 array
function cp.kaiser(M, beta) end

--- Keeps arrays alive beyond the current scope.
---@param ... any
---@return any ... # its arguments
function cp.keep(...) end

--- The Kronecker product: a with each element replaced by its product with b.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.kron(a, b) end

--- The last failure: kind, where, message.
---@return table?
function cp.last_error() end

--- Least common multiple.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.lcm(x1, x2, out, dtype, casting, where) end

--- Least common multiple, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.lcm_(x1, x2) end

--- x1 * 2 ^ x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.ldexp(x1, x2, out, dtype, casting, where) end

--- x1 * 2 ^ x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.ldexp_(x1, x2) end

--- x1 <= x2 of each element, a bool array. The same as less_equal.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.le(x1, x2, out, dtype, casting, where) end

--- x1 << x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.left_shift(x1, x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.left_shift_(x1, x2) end

--- a + t * (b - a).
---@param a cupola.Operand
---@param b cupola.Operand
---@param t cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(a: number, b: number, t: number): number
function cp.lerp(a, b, t, out, dtype, casting, where) end

--- a + t * (b - a), written into a itself.
---@param a cupola.Array
---@param b cupola.Operand
---@param t cupola.Operand
---@return cupola.Array
function cp.lerp_(a, b, t) end

--- x1 < x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.less(x1, x2, out, dtype, casting, where) end

--- x1 <= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.less_equal(x1, x2, out, dtype, casting, where) end

--- The positions, from 1, that sort by several keys: by the last key, equal ones by the key before it, and
--- so on.
---@param keys cupola.Operand # a table of arrays of equal shape, or an array with a key in each row
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # int64 array
function cp.lexsort(keys, axis) end

--- Logarithm of the absolute value of gamma(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.lgamma(x, out, dtype, casting, where) end

--- Logarithm of the absolute value of gamma(x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.lgamma_(x) end

--- Evenly spaced numbers.
---@param start cupola.Operand
---@param stop cupola.Operand
---@param num? integer|cupola.dtype|cupola.Options
---@param endpoint? boolean|cupola.Options
---@param retstep? boolean|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param axis? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
---@return any
function cp.linspace(start, stop, num, endpoint, retstep, dtype, axis, device) end

--- Reads a file of save, savez or NumPy: an array from npy, a table of arrays by name from npz. Raises for
--- pickles and arrays of Python objects.
---@param file string
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@param names? table|cupola.Options # for an archive: read only these arrays
---@return cupola.Array|table # array, or table
function cp.load(file, device, names) end

--- Reads numbers from a text file, one row for each line. Columns count from 1.
---@param fname string|table # the file's name, or a table of lines
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param comments? string|table|cupola.Options # string or table of strings that start a comment; default "#"
---@param delimiter? string|cupola.Options # the separator between columns; default: white space
---@param converters? table|cupola.Options # functions from a column's text to its value, by column
---@param skiprows? integer|cupola.Options # lines to skip, including comments; default 0
---@param usecols? integer|table|cupola.Options # a column or a table of columns, from 1, negative from the end; default: all
---@param unpack? boolean|cupola.Options # return the columns as separate values; default false
---@param ndmin? integer|cupola.Options # the least number of axes of the result, 0 to 2; default 0: one row or column has one axis
---@param max_rows? integer|cupola.Options # default: all
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (rows, columns)
function cp.loadtxt(fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, max_rows, device) end

--- Natural logarithm.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log(x, out, dtype, casting, where) end

--- Logarithm of base 10.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log10(x, out, dtype, casting, where) end

--- Logarithm of base 10, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log10_(x) end

--- log(1 + x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log1p(x, out, dtype, casting, where) end

--- log(1 + x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log1p_(x) end

--- Logarithm of base 2.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log2(x, out, dtype, casting, where) end

--- Logarithm of base 2, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log2_(x) end

--- Natural logarithm, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log_(x) end

--- log(exp(x1) + exp(x2)).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.logaddexp(x1, x2, out, dtype, casting, where) end

--- log2(2 ^ x1 + 2 ^ x2).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.logaddexp2(x1, x2, out, dtype, casting, where) end

--- log2(2 ^ x1 + 2 ^ x2), written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.logaddexp2_(x1, x2) end

--- log(exp(x1) + exp(x2)), written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.logaddexp_(x1, x2) end

--- Whether both are true (not 0).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_and(x1, x2, out, dtype, casting, where) end

--- Whether x is 0.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.logical_not(x, out, dtype, casting, where) end

--- Whether one is true (not 0).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_or(x1, x2, out, dtype, casting, where) end

--- Whether exactly one is true (not 0).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_xor(x1, x2, out, dtype, casting, where) end

--- Values from base ^ start to base ^ stop with evenly spaced exponents.
---@param start cupola.Operand # number or array
---@param stop cupola.Operand # number or array that broadcasts with start
---@param num? integer|cupola.dtype|cupola.Options # default 50
---@param endpoint? boolean|cupola.Options # whether the last value is base ^ stop; default true
---@param base? cupola.Operand|cupola.Options # default 10; an array broadcasts with start and stop
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param axis? integer|cupola.Options # the axis of the values when start or stop is an array; default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (num), or (num, ...) for arrays
function cp.logspace(start, stop, num, endpoint, base, dtype, axis, device) end

--- x1 < x2 of each element, a bool array. The same as less.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.lt(x1, x2, out, dtype, casting, where) end

--- The positions of the elements that a mask function keeps: `cp.mask_indices(3, cp.triu)`.
---@param n integer
---@param mask_func function # called as mask_func(m, k) with an n by n matrix of ones
---@param k? integer|cupola.Options # default 0
---@return table
function cp.mask_indices(n, mask_func, k) end

--- The product of matrices in the last two axes; leading axes broadcast. A vector on the left is a row, on
--- the right a column, and its axis is not in the result. float16 and bfloat16 are summed in float32.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param axes? table|cupola.Options # {{i, k}, {k, j}, {i, j}}: which axes of x1, x2 and the result are those of the matrices, one axis for vectors; default: the last ones
---@param dtype? cupola.dtype|cupola.Options # in which to multiply
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function cp.matmul(x1, x2, out, axes, dtype, casting) end

--- A view of the array with its last two axes exchanged.
---@param x cupola.Operand
---@return cupola.Array
function cp.matrix_transpose(x) end

--- Products of matrices with vectors.
---@param x1 cupola.Operand # (..., m, n)
---@param x2 cupola.Operand # (..., n)
---@return cupola.Array # (..., m)
function cp.matvec(x1, x2) end

--- Greatest value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.max(a, axis, out, keepdims, initial, where) end

--- The greater one; nan where one is nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.maximum(x1, x2, out, dtype, casting, where) end

--- The greater one; nan where one is nan, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.maximum_(x1, x2) end

--- Whether the spans of two arrays overlap, from the first byte to the last.
---@param a cupola.Operand
---@param b cupola.Operand
---@return boolean
function cp.may_share_memory(a, b) end

--- Arithmetic mean.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.mean(a, axis, dtype, out, keepdims, where) end

--- The median: the middle one of the sorted elements, or the mean of the two middle ones. nan if there is a
--- nan.
---@param a cupola.Operand # integers become float64; complex values are sorted by their real, then imaginary parts
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # ignored
---@param keepdims? boolean|cupola.Options # keep reduced axes with length 1
---@return cupola.Array
function cp.median(a, axis, out, overwrite_input, keepdims) end

--- Figures of the device's pool, in bytes; sets its limit.
---@param limit? number|string|table|cupola.Options
---@param auto? boolean|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return table
function cp.memory(limit, auto, device) end

--- Coordinate arrays of a grid, one per vector.
--- `cp.meshgrid(x, y, {indexing = "ij", sparse = false, copy = true})`
---@param ... any # vectors (0-d and 1-d), then optionally a table: indexing "xy" (default: the first vector is along axis 2) or "ij"; sparse: the other axes have length 1; copy = false: read-only views
---@return cupola.Array ... # one array per vector
function cp.meshgrid(...) end

--- Coordinates of a dense grid: `cp.mgrid{ {0, 5}, {0, 3} }` is an array (2, 5, 3). An item {start, stop[,
--- step]} excludes its stop; a step of cp.complex(0, n) gives n values including both ends. A bare item
--- gives a 1-d array. Items may be arguments, too: `cp.mgrid({0, 5}, {0, 3})`.
---@param ... table
---@return cupola.Array # int64 when all numbers are whole, else the default dtype
function cp.mgrid(...) end

--- Least value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.min(a, axis, out, keepdims, initial, where) end

--- The lesser one; nan where one is nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.minimum(x1, x2, out, dtype, casting, where) end

--- The lesser one; nan where one is nan, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.minimum_(x1, x2) end

--- x1 % x2, with the sign of x2. The same as remainder.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.mod(x1, x2, out, dtype, casting, where) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.mod_(x1, x2) end

--- The part behind the point and the whole part.
---@param x cupola.Operand
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function cp.modf(x, out1, out2, out) end

--- A view with axes moved to other places.
---@param a cupola.Operand
---@param source integer|table
---@param destination integer|table
---@return cupola.Array
function cp.moveaxis(a, source, destination) end

--- x1 * x2. The same as multiply.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.mul(x1, x2, out, dtype, casting, where) end

--- x1 * x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.mul_(x1, x2) end

--- x1 * x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.multiply(x1, x2, out, dtype, casting, where) end

--- x1 * x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.multiply_(x1, x2) end

--- Replaces nan and infinities, by default with 0 and with the dtype's largest and lowest numbers.
---@param x cupola.Operand
---@param copy? boolean|cupola.Options # false: write into x; default true
---@param nan? number|cupola.Options
---@param posinf? number|cupola.Options
---@param neginf? number|cupola.Options
---@return cupola.Array
function cp.nan_to_num(x, copy, nan, posinf, neginf) end

--- Replaces nan and infinities in x itself; returns x.
---@param x cupola.Operand
---@param nan? number|cupola.Options
---@param posinf? number|cupola.Options
---@param neginf? number|cupola.Options
---@return cupola.Array
function cp.nan_to_num_(x, nan, posinf, neginf) end

--- The position, from 1, of the largest value, ignoring nan.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.nanargmax(a, axis, keepdims, out) end

--- The position, from 1, of the smallest value, ignoring nan.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.nanargmin(a, axis, keepdims, out) end

--- Cumulative products that treat nan as 1.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.nancumprod(a, axis, dtype, out) end

--- Cumulative sums that treat nan as 0.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.nancumsum(a, axis, dtype, out) end

--- Greatest value that is not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanmax(a, axis, out, keepdims, initial, where) end

--- Mean of the values that are not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanmean(a, axis, dtype, out, keepdims, where) end

--- The median of the elements that are not nan; nan if there are none.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanmedian(a, axis, out, overwrite_input, keepdims) end

--- Least value that is not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanmin(a, axis, out, keepdims, initial, where) end

--- The same with q from 0 to 100.
---@param a cupola.Operand
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanpercentile(a, q, axis, out, overwrite_input, method, keepdims, weights) end

--- Product in which nan counts as 1.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanprod(a, axis, dtype, out, keepdims, initial, where) end

--- Quantiles of the elements that are not nan; nan if there are none.
---@param a cupola.Operand
---@param q cupola.Operand # from 0 to 1
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanquantile(a, q, axis, out, overwrite_input, method, keepdims, weights) end

--- The same of std.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function cp.nanstd(a, axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- Sum in which nan counts as 0.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nansum(a, axis, dtype, out, keepdims, initial, where) end

--- Variance ignoring nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function cp.nanvar(a, axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- Iterates over the indices and values of an array: `for at, v in cp.ndenumerate(x) do`. The values are
--- those at the start of the loop.
---@param arr cupola.Operand
---@return function
function cp.ndenumerate(arr) end

--- The number of an array's axes: x.ndim, of tables and numbers, too.
---@param a cupola.Operand
---@return integer
function cp.ndim(a) end

--- Iterates over the indices, from 1, of an array of this shape:
--- `for at in cp.ndindex(2, 3) do ... x[at] ... end`.
---@param ... any # lengths, or one table of them
---@return function
function cp.ndindex(...) end

--- x1 ~= x2 of each element, a bool array. The same as not_equal.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.ne(x1, x2, out, dtype, casting, where) end

--- -x. The same as negative.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.neg(x, out, dtype, casting, where) end

--- -x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.neg_(x) end

--- -x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.negative(x, out, dtype, casting, where) end

--- -x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.negative_(x) end

--- The next number from x1 towards x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.nextafter(x1, x2, out, dtype, casting, where) end

--- The next number from x1 towards x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.nextafter_(x1, x2) end

--- The positions of nonzero elements (nan is nonzero), in C order: a table with an array for each axis.
---@param a cupola.Operand
---@return table
function cp.nonzero(a) end

--- x1 ~= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.not_equal(x1, x2, out, dtype, casting, where) end

--- The same grid as a table of arrays that broadcast together: (5, 1) and (1, 3).
---@param ... table
---@return cupola.Array[]
function cp.ogrid(...) end

--- A new array of ones.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.ones(shape, dtype, order, device) end

--- Ones with the shape and dtype of a.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.ones_like(a, dtype, order, shape, device) end

--- The products of every element of a with every element of b, as a matrix.
---@param a cupola.Operand
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.outer(a, b, out) end

--- Packs eight elements into each byte, with a bit set for each nonzero element; the last byte is padded
--- with zeros.
---@param a cupola.Operand # bool or an integer dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@param bitorder? string|cupola.Options # "big" (default): the first element is the highest bit; or "little"
---@return cupola.Array # uint8
function cp.packbits(a, axis, bitorder) end

--- Pads an array with borders.
---@param array cupola.Operand
---@param pad_width cupola.Operand # widths: a number, {before, after}, or a table (or an array) of these for each axis
---@param mode? string|cupola.Options # constant (default), edge, empty, linear_ramp, maximum, mean, median, minimum, reflect, symmetric or wrap
---@param constant_values? cupola.Operand|cupola.Options # for mode constant, in the forms of pad_width; default 0
---@param end_values? cupola.Operand|cupola.Options # the outermost values for mode linear_ramp; default 0
---@param stat_length? cupola.Operand|cupola.Options # how many values at the edge maximum, mean, median and minimum use; default all
---@param reflect_type? string|cupola.Options # "even" (default) or "odd": mirrored at the edge value too
---@return cupola.Array # array of the same dtype
function cp.pad(array, pad_width, mode, constant_values, end_values, stat_length, reflect_type) end

--- Reorders the elements so that the one at position kth is where sort puts it, with no larger one before
--- and no smaller one after it. The order on both sides may vary with the device.
---@param a cupola.Operand
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array
function cp.partition(a, kth, axis, kind) end

--- Partitions an array in place and returns it. Arguments as for partition.
---@param a cupola.Operand
---@param kth cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@return cupola.Array
function cp.partition_(a, kth, axis, kind) end

--- The same with q from 0 to 100.
---@param a cupola.Operand
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.percentile(a, q, axis, out, overwrite_input, method, keepdims, weights) end

--- A view of the array with its axes in another order.
---@param a cupola.Operand
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function cp.permute_dims(a, axes) end

--- Values of the function whose condition is true; an additional last function applies where none is.
---@param x cupola.Operand
---@param condlist table # masks
---@param funclist table # functions or numbers, as many as masks or one more
---@return cupola.Array
function cp.piecewise(x, condlist, funclist) end

--- Writes values, in order and from the start again where they do not suffice, where a mask is true.
---@param arr cupola.Array
---@param mask cupola.Operand # of arr's size
---@param vals cupola.Operand
function cp.place(arr, mask, vals) end

--- The polynomial with these roots and leading coefficient 1; for a square matrix its characteristic
--- polynomial.
---@param seq cupola.Operand # roots, or a square matrix
---@return cupola.Array # real if complex roots come in conjugate pairs
function cp.poly(seq) end

--- A polynomial as an object: p(x), p + q, p - q, p * q, p / q (the quotient), p % q (the remainder), p ^
--- n, p == q; p[k] is the coefficient of the k-th power, from 0; p:deriv(m) and p:integ(m, k); fields
--- coeffs (or c), order, roots (or r), variable. The functions for polynomials take it too.
---@param c_or_r cupola.Operand # coefficients, the highest power first, or roots
---@param r? boolean|cupola.Options # c_or_r holds roots; default false
---@param variable? string|cupola.Options # its name in print; default "x"
---@return cupola.Poly1d
function cp.poly1d(c_or_r, r, variable) end

--- The sum of two polynomials.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return cupola.Array
function cp.polyadd(a1, a2) end

--- The m-th derivative of a polynomial.
---@param p cupola.Operand
---@param m? integer|cupola.Options # default 1
---@return cupola.Array
function cp.polyder(p, m) end

--- The quotient and the remainder of two polynomials; the remainder has no leading zeros.
---@param u cupola.Operand
---@param v any # its first coefficient must not be 0
---@return cupola.Array q
---@return cupola.Array r
function cp.polydiv(u, v) end

--- The polynomial of degree deg that best fits y at x in least squares; coefficients from the highest power
--- down.
---@param x cupola.Operand # a vector
---@param y cupola.Operand # a vector, or a matrix with a column for each polynomial
---@param deg integer
---@param rcond? number|cupola.Options # default: the length times the dtype's epsilon
---@param full? boolean|cupola.Options # return residuals, rank, singular values and rcond too; default false
---@param w? cupola.Operand|cupola.Options # weights, applied to the residuals
---@param cov? cupola.Operand|cupola.Options # true: return the covariances of the coefficients too, scaled by the residuals; "unscaled": for weights that are 1 / sigma
---@return cupola.Array
---@return any ...
function cp.polyfit(x, y, deg, rcond, full, w, cov) end

--- The m-th antiderivative of a polynomial.
---@param p cupola.Operand
---@param m? integer|cupola.Options # default 1
---@param k? integer|cupola.Options # constants of integration, a number or a table of m; default 0
---@return cupola.Array
function cp.polyint(p, m, k) end

--- The product of two polynomials, whose leading zeros are ignored.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return cupola.Array
function cp.polymul(a1, a2) end

--- The difference of two polynomials.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return cupola.Array
function cp.polysub(a1, a2) end

--- Evaluates a polynomial, p[1] * x^(n-1) + ... + p[n], at each x.
---@param p cupola.Operand # coefficients, highest power first; a table of numbers is weak in promotion
---@param x cupola.Operand
---@return cupola.Array
function cp.polyval(p, x) end

--- A copy of x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.positive(x, out, dtype, casting, where) end

--- A copy of x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.positive_(x) end

--- x1 ^ x2. The same as power.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.pow(x1, x2, out, dtype, casting, where) end

--- x1 ^ x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.pow_(x1, x2) end

--- x1 ^ x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.power(x1, x2, out, dtype, casting, where) end

--- x1 ^ x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.power_(x1, x2) end

--- Loads bundles of kernels, and compiles kernels ahead of time by running the code that uses them. See
--- docs/kernels.md.
---@param spec table # a list of items {f, arguments...}, in which an argument {dtype =, shape =} stands for an array of zeros, and of raw kernels and modules; and bundle = path or list of paths to load first, record = path of a bundle to write, archs
---@return table report # loaded (kernels in the bundles), compiled, found (already compiled), seconds, recorded
function cp.precompile(spec) end

--- Product.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.prod(a, axis, dtype, out, keepdims, initial, where) end

--- The dtype that both are converted to.
---@param type1 cupola.dtype
---@param type2 cupola.dtype
---@return cupola.dtype
function cp.promote_types(type1, type2) end

--- Greatest minus least value.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.ptp(a, axis, out, keepdims) end

--- Writes values at positions of the flat array, repeating them if there are too few. If a position occurs
--- twice, the last value stays, as in `x[i] = values`.
---@param a cupola.Array
---@param ind cupola.Operand # whole numbers
---@param v any
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
function cp.put(a, ind, v, mode) end

--- Writes values at such positions. If a position occurs twice, the last value stays, as in
--- `x[i] = values`.
---@param arr cupola.Array
---@param indices cupola.Operand
---@param values cupola.Operand # broadcasts with indices
---@param axis? integer|cupola.Options # nil: of the flat array, which must be contiguous
function cp.put_along_axis(arr, indices, values, axis) end

--- Writes values where a mask is true: each place has its own, by its number in the flat array, from the
--- start again where values do not suffice.
---@param a cupola.Array
---@param mask cupola.Operand # of a's size
---@param values cupola.Operand
function cp.putmask(a, mask, values) end

--- Quantiles: the values below which a fraction q of the elements are. nan if there is a nan.
---@param a cupola.Operand # integers become float64, except for methods that return an element ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
---@param q cupola.Operand # from 0 to 1, a number or an array, whose axes come first in the result; an array's dtype is promoted with a's, except for methods that return an element
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # ignored
---@param method? string|cupola.Options # how to interpolate between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint", or another of NumPy's methods
---@param keepdims? boolean|cupola.Options # keep reduced axes with length 1
---@param weights? cupola.Operand|cupola.Options # how often each element counts: of a's shape, or a vector along the axis; with the method "inverted_cdf" only
---@return cupola.Array
function cp.quantile(a, q, axis, out, overwrite_input, method, keepdims, weights) end

--- Radians to degrees. The same as degrees.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rad2deg(x, out, dtype, casting, where) end

--- Radians to degrees, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rad2deg_(x) end

--- Degrees to radians.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.radians(x, out, dtype, casting, where) end

--- Degrees to radians, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.radians_(x) end

--- Numbers from start to stop, both ends included.
---@param start number
---@param stop number
---@param step? number|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.range(start, stop, step, dtype, device) end

--- All elements along one axis; a view where they lie one behind the other, else a copy.
---@param a cupola.Operand
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@return cupola.Array
function cp.ravel(a, order) end

--- The positions in the flat array of a shape from positions along its axes.
---@param multi_index table # for each axis a whole number from 1 or an array of them
---@param dims cupola.Operand # the shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"; or a table of them, one for each axis
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return cupola.Array # a number when all are numbers
function cp.ravel_multi_index(multi_index, dims, mode, order) end

--- The real part: a view of a complex array, or a real array itself. x.real on arrays is the same.
---@param val cupola.Operand
---@return cupola.Array
function cp.real(val) end

--- The real part if all imaginary parts are close to 0, else the array itself.
---@param a cupola.Operand
---@param tol? number|cupola.Options # the limit for imaginary parts, in units of the dtype's eps, or the limit itself if at most 1; default 100
---@return cupola.Array
function cp.real_if_close(a, tol) end

--- 1 / x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.reciprocal(x, out, dtype, casting, where) end

--- 1 / x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.reciprocal_(x) end

--- Records the kernels that the process uses from now on in a bundle. cp.record(false), or else the exit of
--- the process, writes the file. Kernels that are already in the file are kept.
---@param path string|false
---@param archs? table|cupola.Options # compute capabilities such as {80, 90, 120}; default: that of the GPU that runs the kernels
---@return integer|nil kernels # how many kernels the file contains, when it is written
function cp.record(path, archs) end

--- x1 % x2, with the sign of x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.remainder(x1, x2, out, dtype, casting, where) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.remainder_(x1, x2) end

--- Repeats each element (NumPy's repeat, which is a keyword of Lua).
---@param a cupola.Operand
---@param repeats cupola.Operand # a number, or a table or array with a number for each element along the axis
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.repeats(a, repeats, axis) end

--- a as an array of a dtype that meets requirements: a itself if it does, else a copy.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options # default: a's own
---@param requirements? cupola.Operand|cupola.Options # a string or a table of them: "C" or "F" (memory order), "W" (writable), "O" (owns its memory); "A" and "E" hold for every array
---@return cupola.Array
function cp.require(a, dtype, requirements) end

--- The same elements in another shape: a view if possible.
---@param a cupola.Operand
---@param shape integer|table
---@param order? any
---@param copy? any
---@param ... any
---@return cupola.Array
function cp.reshape(a, shape, order, copy, ...) end

--- The elements of a in C order in a new shape, repeated from the start if there are too few.
---@param a cupola.Operand
---@param new_shape integer|table
---@return cupola.Array
function cp.resize(a, new_shape) end

--- The dtype that an operation on these arrays, dtypes and numbers converts them to.
---@param ... any
---@return cupola.dtype
function cp.result_type(...) end

--- x1 >> x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.right_shift(x1, x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.right_shift_(x1, x2) end

--- Nearest whole number, halves to the even one.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rint(x, out, dtype, casting, where) end

--- Nearest whole number, halves to the even one, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rint_(x) end

--- Rolls elements along axes: those that pass the end continue at the start.
---@param a cupola.Operand
---@param shift cupola.Operand # the number of positions, or a table of them
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: the flat array
---@return cupola.Array # a copy
function cp.roll(a, shift, axis) end

--- A view with an axis moved before another one.
---@param a cupola.Operand
---@param axis integer|table
---@param start? integer|cupola.Options
---@return cupola.Array
function cp.rollaxis(a, axis, start) end

--- The roots of a polynomial: the eigenvalues of its companion matrix.
---@param p cupola.Operand
---@return cupola.Array # real if all roots are, else complex
function cp.roots(p) end

--- Rotates an array by k times 90 degrees in the plane of two axes, from the first axis towards the second.
--- A view.
---@param m cupola.Operand
---@param k? integer|cupola.Options # default 1
---@param axes? table|cupola.Options # default {1, 2}
---@return cupola.Array
function cp.rot90(m, k, axes) end

--- Rounds to `decimals` places, halves to even; integers are rounded only for negative `decimals`.
---@param a cupola.Operand # array, table or number, any dtype
---@param decimals? integer|cupola.Options # default 0
---@param out? cupola.Array|cupola.Options # array of a's shape
---@return cupola.Array # array of a's shape and dtype (bool: float16)
function cp.round(a, decimals, out) end

--- Rounds the values of a itself, and returns a.
---@param a cupola.Operand
---@param decimals? integer|cupola.Options
---@return cupola.Array
function cp.round_(a, decimals) end

--- The same as cp.vstack.
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # which casts are allowed; default "same_kind"
---@return cupola.Array
function cp.row_stack(arrays, dtype, casting) end

--- 1 / sqrt(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rsqrt(x, out, dtype, casting, where) end

--- 1 / sqrt(x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rsqrt_(x) end

--- Writes an array to a file in NumPy's format npy; ".npy" is added if it is missing. bfloat16 is stored as
--- pairs of bytes, which NumPy reads as "V2" and converts by x.view(ml_dtypes.bfloat16).
---@param file string
---@param arr cupola.Operand # array, table or number
function cp.save(file, arr) end

--- Writes an array with one or two axes as text, one line for each row.
---@param fname string
---@param X cupola.Operand
---@param fmt? string|table|cupola.Options # a format of string.format: for every value (default "%.18e"), or for a whole row; or a table with one for each column
---@param delimiter? string|cupola.Options # default " "
---@param newline? string|cupola.Options # default "\n"
---@param header? string|cupola.Options # before the rows
---@param footer? string|cupola.Options # after the rows
---@param comments? string|cupola.Options # prefix of header and footer; default "# "
function cp.savetxt(fname, X, fmt, delimiter, newline, header, footer, comments) end

--- Writes arrays to an archive in NumPy's format npz: `cp.savez("f.npz", a, b, {x = c})` names them arr_0,
--- arr_1 and x. ".npz" is added if it is missing.
---@param file string
---@param ... any # arrays, then optionally a table of arrays by name
function cp.savez(file, ...) end

--- The same, with compressed content.
---@param file string
---@param ... any
function cp.savez_compressed(file, ...) end

--- A value with a dtype, strong in promotion.
---@param v any
---@param dtype cupola.dtype
---@return any
function cp.scalar(v, dtype) end

--- Adds values to the elements that an index selects; an element that it selects twice gets both. On a GPU,
--- sums of floats may differ in their last bits between runs, and float32 treats subnormal values as 0;
--- `cp.deterministic(true)` makes them repeatable.
---@param a cupola.Array
---@param slices cupola.Operand # any index of a: positions, ranges, arrays, a table of them
---@param value cupola.Operand # broadcasts with a[slices]
function cp.scatter_add(a, slices, value) end

--- Each chosen element becomes the larger one of itself and its values; nan stays.
---@param a cupola.Array
---@param slices cupola.Operand
---@param value cupola.Operand
function cp.scatter_max(a, slices, value) end

--- Each chosen element becomes the smaller one of itself and its values; nan stays.
---@param a cupola.Array
---@param slices cupola.Operand
---@param value cupola.Operand
function cp.scatter_min(a, slices, value) end

--- Runs f(...) and frees every array created in it, unless it is returned, is in a returned table or was
--- passed to cp.keep. Works with coroutines and after errors.
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.scope(f, ...) end

--- Finds where to insert values in a sorted vector to keep it sorted: the position, from 1, of the element
--- before which each is inserted, or #a + 1 for the end.
---@param a cupola.Operand # vector in ascending order
---@param v any # values, of any shape
---@param side? string|cupola.Options # "left" (default): before equal elements, "right": after them
---@param sorter? cupola.Operand|cupola.Options # positions that sort a, such as those of argsort
---@return cupola.Array # int64 array of v's shape
function cp.searchsorted(a, v, side, sorter) end

--- Each element from the first array whose condition is true there, else default.
---@param condlist table # arrays of bool
---@param choicelist table # as many arrays or numbers
---@param default? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.select(condlist, choicelist, default) end

--- Sets the dtype for Lua numbers in this lua_State, "float32" or "float64" (the default).
---@param dtype cupola.dtype
function cp.set_default_dtype(dtype) end

--- What is not given stays.
---@param precision? integer|cupola.Options
---@param threshold? integer|cupola.Options
---@param edgeitems? integer|cupola.Options
---@param linewidth? integer|cupola.Options
---@param suppress? boolean|cupola.Options
function cp.set_printoptions(precision, threshold, edgeitems, linewidth, suppress) end

--- The elements of ar1 that are not in ar2, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # whether ar1 has no duplicates: its order is kept
---@return cupola.Array # of ar1's dtype
function cp.setdiff1d(ar1, ar2, assume_unique) end

--- The elements that are in exactly one of the arrays, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # whether the arrays have no duplicates
---@return cupola.Array
function cp.setxor1d(ar1, ar2, assume_unique) end

--- The lengths of an array's axes: x.shape, of tables and numbers, too.
---@param a cupola.Operand
---@return cupola.Array
function cp.shape(a) end

--- Whether two arrays have a byte in common.
---@param a cupola.Operand
---@param b cupola.Operand
---@return boolean
function cp.shares_memory(a, b) end

--- x1 << x2. The same as left_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.shl(x1, x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.shl_(x1, x2) end

--- Prints cupola's version, the devices found and the folder of compiled kernels.
---@return string text # the same
function cp.show_config() end

--- x1 >> x2. The same as right_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.shr(x1, x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.shr_(x1, x2) end

--- -1, 0 or 1.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sign(x, out, dtype, casting, where) end

--- -1, 0 or 1, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sign_(x) end

--- Whether the sign bit is set.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.signbit(x, out, dtype, casting, where) end

--- Sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sin(x, out, dtype, casting, where) end

--- Sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sin_(x) end

--- sin(pi * x) / (pi * x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sinc(x, out, dtype, casting, where) end

--- sin(pi * x) / (pi * x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sinc_(x) end

--- Hyperbolic sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sinh(x, out, dtype, casting, where) end

--- Hyperbolic sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sinh_(x) end

--- The number of elements, or the product of the lengths of axes: of arrays, tables and numbers.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@return integer
function cp.size(a, axis) end

--- A read-only view of all sliding windows of a shape, which adds the windows' axes at the end.
---@param x cupola.Operand
---@param window_shape cupola.Operand # a length, or a table of lengths
---@param axis? integer|table|cupola.Options # an axis or a table of axes, one for each length; default: all
---@param writeable? boolean|cupola.Options # whether the view can be written; default false, since windows share their elements
---@return cupola.Array # view
function cp.sliding_window_view(x, window_shape, axis, writeable) end

--- Sorts along an axis: in ascending order, nan last, or in descending order, nan first; complex values by
--- their real, then their imaginary parts. Returns a copy; x:sort_() sorts in place.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as in NumPy; every sort is stable
---@param descending? boolean|cupola.Options # default false
---@param stable? boolean|cupola.Options # accepted as in the array API standard; every sort is stable
---@return cupola.Array
function cp.sort(a, axis, kind, descending, stable) end

--- Sorts an array in place and returns it. Arguments as for sort.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@param descending? boolean|cupola.Options
---@param stable? boolean|cupola.Options
---@return cupola.Array
function cp.sort_(a, axis, kind, descending, stable) end

--- Sorts the array as complex numbers in ascending order along the last axis.
---@param a cupola.Operand
---@return cupola.Array # complex64 for complex64 and integers up to 16 bits, else complex128
function cp.sort_complex(a) end

--- The distance from each value to the next representable value away from 0, with its sign; nan for
--- infinities.
---@param x cupola.Operand # real
---@return cupola.Array
function cp.spacing(x) end

--- Splits an array into views: into equal parts, or after the elements in a table: `cp.split(x, {2, 5})`
--- gives elements 1 to 2, 3 to 5, and the rest.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand # number of parts, or a table of cuts
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[] # list of views
function cp.split(ary, indices_or_sections, axis) end

--- Square root.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sqrt(x, out, dtype, casting, where) end

--- Square root, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sqrt_(x) end

--- x * x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.square(x, out, dtype, casting, where) end

--- x * x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.square_(x) end

--- A view without axes of length 1.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function cp.squeeze(a, axis) end

--- Joins arrays of the same shape along a new axis.
---@param arrays table
---@param axis? integer|cupola.dtype|cupola.Options # the position of the new axis in the result; default 1
---@param out? cupola.Array|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function cp.stack(arrays, axis, out, dtype, casting) end

--- Standard deviation.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function cp.std(a, axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- A struct type from its name and its C fields; calling it with a table of fields makes a value.
---@param name string
---@param fields string # such as "float dt; int steps; float3 origin; float weights[4];"
---@return cupola.StructType
function cp.struct(name, fields) end

--- x1 - x2. The same as subtract.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.sub(x1, x2, out, dtype, casting, where) end

--- x1 - x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.sub_(x1, x2) end

--- x1 - x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.subtract(x1, x2, out, dtype, casting, where) end

--- x1 - x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.subtract_(x1, x2) end

--- Sum; without an axis, a 0-d array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.sum(a, axis, dtype, out, keepdims, initial, where) end

--- A view with two axes exchanged.
---@param a cupola.Operand
---@param axis1 integer
---@param axis2 integer
---@return cupola.Array
function cp.swapaxes(a, axis1, axis2) end

--- Launches what is pending on a device (the current one) and waits for all work of this state on it.
---@param device? string|cupola.Device
function cp.synchronize(device) end

--- Selects elements along an axis by position: `cp.take(x, {1, -1}, 2)` gives the first and the last
--- column.
---@param a cupola.Operand
---@param indices cupola.Operand # whole numbers: one, a table or an array of any shape
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" around, or "clip" to the ends
---@return cupola.Array # an array in which the axes of indices replace the axis
function cp.take(a, indices, axis, out, mode) end

--- Selects elements along an axis by an array of positions, such as the results of argsort and argmax.
---@param arr cupola.Operand
---@param indices cupola.Operand # whole numbers with as many axes as arr; the other axes broadcast
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.take_along_axis(arr, indices, axis) end

--- Tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.tan(x, out, dtype, casting, where) end

--- Tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.tan_(x) end

--- Hyperbolic tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.tanh(x, out, dtype, casting, where) end

--- Hyperbolic tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.tanh_(x) end

--- The sum of products over axes of both arrays: the last axes of a with the first axes of b, or those that
--- are given.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # the number of axes (default 2), or {axes of a, axes of b}
---@return cupola.Array
function cp.tensordot(a, b, axes) end

--- Repeats a whole array along each axis: `cp.tile(x, {2, 3})` or `x:tile(2, 3)`.
---@param A cupola.Operand
---@param reps cupola.Operand # whole numbers, for the last axes of A; if they are more than A's axes, A gets new leading axes
---@param ... any
---@return cupola.Array
function cp.tile(A, reps, ...) end

--- The sum along diagonals (the trace).
---@param a cupola.Operand
---@param offset? integer|cupola.dtype|cupola.Options # 0 (default): the main diagonal; positive: above it
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.trace(a, offset, axis1, axis2, dtype, out) end

--- A view with the axes in another order; without axes reversed.
---@param a cupola.Operand
---@param axes? integer|table|cupola.Options
---@param ... integer
---@return cupola.Array
function cp.transpose(a, axes, ...) end

--- The integral of y along an axis by the trapezoidal rule.
---@param y cupola.Operand
---@param x? cupola.Operand|cupola.Options # the sample points: a vector along the axis, or an array of y's shape
---@param dx? number|cupola.Options # the distance between samples when x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function cp.trapezoid(y, x, dx, axis) end

--- The same as cp.trapezoid.
---@param y cupola.Operand
---@param x? cupola.Operand|cupola.Options # the sample points: a vector along the axis, or an array of y's shape
---@param dx? number|cupola.Options # the distance between samples when x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function cp.trapz(y, x, dx, axis) end

--- (N, M), ones on and below diagonal k, zeros above.
---@param N integer
---@param M? integer|cupola.dtype|cupola.Options
---@param k? integer|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.tri(N, M, k, dtype, device) end

--- A copy with zeros above diagonal k.
---@param m cupola.Operand
---@param k? integer|cupola.Options
---@return cupola.Array
function cp.tril(m, k) end

--- The positions on and below diagonal k of a matrix with n rows.
---@param n integer
---@param k? integer|cupola.Options # the diagonal; default 0, the main one
---@param m? integer|cupola.Options # columns; default n
---@return table
function cp.tril_indices(n, k, m) end

--- The positions on and below diagonal k of a given matrix.
---@param arr cupola.Operand
---@param k? integer|cupola.Options # default 0
---@return table
function cp.tril_indices_from(arr, k) end

--- An array without leading and trailing zeros: without the slices at both ends of its axes that have no
--- other elements.
---@param filt cupola.Operand
---@param trim? string|cupola.Options # "fb" (default): at both, "f": at the front, "b": at the back
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@return cupola.Array # a view
function cp.trim_zeros(filt, trim, axis) end

--- A copy with zeros below diagonal k.
---@param m cupola.Operand
---@param k? integer|cupola.Options
---@return cupola.Array
function cp.triu(m, k) end

--- The positions on and above diagonal k of a matrix with n rows.
---@param n integer
---@param k? integer|cupola.Options # the diagonal; default 0, the main one
---@param m? integer|cupola.Options # columns; default n
---@return table
function cp.triu_indices(n, k, m) end

--- The positions on and above diagonal k of a given matrix.
---@param arr cupola.Operand
---@param k? integer|cupola.Options # default 0
---@return table
function cp.triu_indices_from(arr, k) end

--- x1 / x2, true division. The same as divide.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.true_divide(x1, x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.true_divide_(x1, x2) end

--- Whole part, towards zero.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.trunc(x, out, dtype, casting, where) end

--- Whole part, towards zero, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.trunc_(x) end

--- "array", "scalar", "shape" or Lua's own name of the type.
---@param v any
---@return string
function cp.type(v) end

--- The elements that are in at least one of two arrays, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@return cupola.Array
function cp.union1d(ar1, ar2) end

--- The unique elements in ascending order; then, if requested: the position (from 1) in ar of the first of
--- each, for every element of ar its position in the result, and how often each occurs.
---@param ar cupola.Operand
---@param return_index? boolean|cupola.Options
---@param return_inverse? boolean|cupola.Options
---@param return_counts? boolean|cupola.Options
---@param axis? integer|cupola.Options # unique slices along this axis; default: elements of the flat array
---@param equal_nan? boolean|cupola.Options # whether all nans are equal; default true. Slices with nan are never equal
---@param sorted? boolean|cupola.Options # ignored: they always are
---@return cupola.Array
function cp.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan, sorted) end

--- The unique elements, the positions of their first occurrences, the positions of all elements among them,
--- and counts.
---@param x cupola.Operand
---@return cupola.Array
---@return cupola.Array
---@return cupola.Array
---@return cupola.Array
function cp.unique_all(x) end

--- The unique elements, and how often each occurs.
---@param x cupola.Operand
---@return cupola.Array
---@return cupola.Array
function cp.unique_counts(x) end

--- The unique elements, and for every element of x its position among them.
---@param x cupola.Operand
---@return cupola.Array
---@return cupola.Array
function cp.unique_inverse(x) end

--- The unique elements; every nan is unique.
---@param x cupola.Operand
---@return cupola.Array
function cp.unique_values(x) end

--- Unpacks bytes into bits, each 0 or 1.
---@param a cupola.Operand # uint8
---@param axis? integer|cupola.Options # default: of the flat array
---@param count? integer|cupola.Options # how many bits: missing ones are 0; negative: how many to drop from the end
---@param bitorder? string|cupola.Options # "big" (default): the highest bit comes first; or "little"
---@return cupola.Array # uint8
function cp.unpackbits(a, axis, count, bitorder) end

--- The positions along the axes of a shape from positions in its flat array.
---@param indices cupola.Operand # whole numbers from 1
---@param shape integer|table
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return table # for each axis an array, or a number if indices is a number
function cp.unravel_index(indices, shape, order) end

--- The slices of an array along an axis, as a table of views.
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the first
---@return table
function cp.unstack(x, axis) end

--- Removes jumps: where a value differs from the previous one by more than half a period, adds multiples of
--- the period to it and all later values.
---@param p cupola.Operand # real
---@param discont? number|cupola.Options # smaller steps stay as they are; default and least value: half a period
---@param axis? integer|cupola.Options # default: the last
---@param period? number|cupola.Options # default 2 pi
---@return cupola.Array
function cp.unwrap(p, discont, axis, period) end

--- The Vandermonde matrix: columns of powers of x.
---@param x cupola.Operand # vector
---@param N? integer|cupola.Options # number of columns; default: the length of x
---@param increasing? boolean|cupola.Options # whether powers increase from left to right; default false
---@return cupola.Array # in the promoted dtype of x and int64
function cp.vander(x, N, increasing) end

--- Variance.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function cp.var(a, axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- The sum of products of all elements of two arrays of equal size; the first is conjugated.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.vdot(a, b) end

--- The sum of products along an axis of both arrays; the first is conjugated.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.vecdot(x1, x2, axis) end

--- Products of conjugated vectors with matrices.
---@param x1 cupola.Operand # (..., m)
---@param x2 cupola.Operand # (..., m, n)
---@return cupola.Array # (..., n)
function cp.vecmat(x1, x2) end

--- Returns an elementwise function of arrays from a function of numbers. f is called once for each
--- combination of dtypes, with placeholder values: it may use operators, functions of cp (cp.sin, not
--- math.sin) and cp.where (not if), and outer variables have the values that they have then. See
--- docs/kernels.md.
---@param f function # a function of numbers; may return several
---@param otypes? string|table|cupola.Options # dtypes of the results; default: those of the operations
---@param name? string|cupola.Options # for messages
---@return cupola.Vectorized # called with arrays, tables and numbers, which broadcast; fields: name, traces
function cp.vectorize(f, otypes, name) end

--- Splits along the first axis of an array with at least two axes.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function cp.vsplit(ary, indices_or_sections) end

--- Joins arrays along the first axis; (n) counts as (1, n).
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the promoted dtype
---@param casting? string|cupola.Options # which casts are allowed; default "same_kind"
---@return cupola.Array
function cp.vstack(arrays, dtype, casting) end

--- Elements of x where a condition is true, of y elsewhere. With the condition alone, the positions where
--- it is true, as nonzero.
---@param condition cupola.Operand
---@param ... any
---@return cupola.Array
function cp.where(condition, ...) end

--- A new array of zeros.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.zeros(shape, dtype, order, device) end

--- Zeros with the shape and dtype of a.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.zeros_like(a, dtype, order, shape, device) end

--- A CPU array of zeros in page-locked memory, with the shape and dtype of `a`.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options # default: that of a
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C", "F", "A" or "K" (default)
---@param shape? integer|integer[]|cupola.Options # default: that of a
---@return cupola.Array
function cp.zeros_like_pinned(a, dtype, order, shape) end

--- A CPU array of zeros in page-locked memory, see `cp.empty_pinned`.
---@param shape integer|integer[]
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return cupola.Array
function cp.zeros_pinned(shape, dtype, order) end

cp.cuda = {}

--- GPU number `id` (CUDA counts from 0); without an id the current device.
---@param id? integer|cupola.Options
---@return cupola.Device
function cp.cuda.Device(id) end

--- A place in a stream's queue of work.
---@param device? string|cupola.Device
---@param timing? boolean
---@param blocking? boolean
---@return cupola.Event
function cp.cuda.Event(device, timing, blocking) end

--- A stream of the host program or another library, from its CUDA handle (a number). It must live until it
--- is closed here, or until the state is closed.
---@param ptr integer
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Stream
function cp.cuda.ExternalStream(ptr, device) end

--- An allocator from two functions: `malloc(nbytes, device)` returns an address (a number, a pointer, an
--- array or a table {ptr =}), or nil if there is no memory; `free(memory, nbytes)` gets the result of
--- malloc. Without `free`, that result is kept until the memory is no longer used. Both may be called
--- inside of any allocation and must not yield.
---@param malloc function
---@param free? function|cupola.Options
---@return table allocator # for `cp.cuda.set_allocator` and `cp.cuda.MemoryPool`
function cp.cuda.FunctionAllocator(malloc, free) end

--- A hook that totals memory by line of the script: `hook:with(f)`, then `hook:report()` or
--- `hook:print_report()`.
---@return cupola.MemoryHook
function cp.cuda.LineProfileHook() end

--- The driver's own pool, with stream-ordered allocation.
---@return cupola.MemoryPool
function cp.cuda.MemoryAsyncPool() end

--- A hook with functions that are called for memory of arrays: `malloc(info)` for each block that is
--- allocated, `alloc(info)` for those that came directly from the device, `free(info)` for those that are
--- freed, before the next of the other calls. `info` has device, nbytes (requested), size (of the block),
--- ptr, place ("FILE:LINE" of the script). An error in one becomes an error of the allocation.
---@param malloc? function|cupola.Options
---@param alloc? function|cupola.Options
---@param free? function|cupola.Options
---@return cupola.MemoryHook
function cp.cuda.MemoryHook(malloc, alloc, free) end

--- A pool that caches freed memory for later arrays, on memory of another kind: `cp.cuda.malloc_managed`,
--- `cp.cuda.malloc_async` or a function (see `cp.cuda.FunctionAllocator`); by default on the device's
--- memory.
---@param allocator? table|function|cupola.Options
---@return cupola.MemoryPool # for `cp.cuda.set_allocator`; it has a separate pool for each device
function cp.cuda.MemoryPool(allocator) end

--- A pool of page-locked host memory, see `cp.empty_pinned`.
---@return cupola.MemoryPool
function cp.cuda.PinnedMemoryPool() end

--- Allocates memory from the current allocator, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function cp.cuda.alloc(nbytes) end

--- Allocates page-locked host memory, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function cp.cuda.alloc_pinned_memory(nbytes) end

--- Sets whether products of float32 and complex64 matrices on a GPU may round their factors to TF32 (10
--- bits), which is several times faster; off unless the environment has CUPOLA_TF32=1. Returns the previous
--- setting.
---@param on? boolean|cupola.Options
---@return boolean
function cp.cuda.allow_tf32(on) end

--- The number of usable GPUs.
---@return integer
function cp.cuda.device_count() end

--- The allocator of arrays: a pool.
---@return cupola.MemoryPool
function cp.cuda.get_allocator() end

--- The stream to which work of a device (the current one) is queued now.
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Stream
function cp.cuda.get_current_stream(device) end

--- Milliseconds between two recorded events.
---@param start cupola.Event
---@param finish cupola.Event
---@return number
function cp.cuda.get_elapsed_time(start, finish) end

--- Captures the work that f(...) queues on the current device, without running it, as a graph, which `g()`
--- replays. Arrays created before keep their addresses while the graph lives: to replay with other values,
--- write into them.
---@param f function
---@param ... any
---@return cupola.Graph
function cp.cuda.graph(f, ...) end

--- Whether a GPU is available.
---@return boolean available
---@return string? reason # why not
function cp.cuda.is_available() end

--- Returns whether x is in memory of a pinned pool, and whether that is page-locked: without a GPU it is
--- not.
---@param x cupola.Array
---@return boolean pinned
---@return boolean locked
function cp.cuda.is_pinned(x) end

--- Runs the callbacks of `stream:callback` that are due.
---@return integer count # the number of callbacks run
function cp.cuda.poll() end

--- Sets the allocator for arrays: a pool, `cp.cuda.malloc_async`, `cp.cuda.malloc_managed`, or a function
--- `nbytes, device -> memory` (see `cp.cuda.FunctionAllocator`); nil: the device's pool, the default.
--- Memory is always freed by the allocator that it came from.
---@param allocator? userdata|table|function|cupola.Options
---@param free? function|cupola.Options # for an allocator that is a function
function cp.cuda.set_allocator(allocator, free) end

--- Sets the pool for page-locked memory; nil: the default one.
---@param pool? userdata|cupola.Options # a `cp.cuda.PinnedMemoryPool`
function cp.cuda.set_pinned_memory_allocator(pool) end

--- Runs f(...) with another allocator, for the running coroutine only.
---@param allocator userdata|table|function # as for `cp.cuda.set_allocator`
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.cuda.using_allocator(allocator, f, ...) end

--- A device's array on the memory of x, a CPU array in page-locked memory: kernels access it over the bus,
--- without a copy. Uses by the host and by the device are not ordered: call `cp.synchronize()` between
--- them.
---@param x cupola.Array # from `cp.empty_pinned` or similar, or a view of such an array
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@return cupola.Array
function cp.cuda.zero_copy(x, device) end

cp.cuda.malloc_async = {}

cp.cuda.malloc_device = {}

cp.cuda.malloc_managed = {}

cp.cuda.nccl = {}

--- This process's rank of a communicator of `size` ranks; waits for the others. On the CPU device, rank 0
--- must be in the process that made the id.
---@param size integer # the number of ranks
---@param id string # the result of `get_unique_id`, the same on all ranks
---@param rank integer # from 0
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@param timeout? number|cupola.Options # seconds to wait for other ranks, here and (on the CPU device) in each call; default 300
---@return cupola.Communicator
function cp.cuda.nccl.NcclCommunicator(size, id, rank, device, timeout) end

--- Whether NCCL can be opened.
---@return boolean available
---@return string? reason # why not
function cp.cuda.nccl.available() end

--- An id for the ranks of a new communicator: one process makes it and passes it to the others in any way.
---@param device? string|cupola.Device|cupola.Options # the communicator's device; default: the current one
---@return string id # 128 bytes
function cp.cuda.nccl.get_unique_id(device) end

--- The version of NCCL, such as 22304 for 2.23.4; raises if NCCL cannot be opened.
---@return integer
function cp.cuda.nccl.get_version() end

--- Runs f(...) between `group_start` and `group_end`. After an error in f, nothing in the group runs.
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.cuda.nccl.group(f, ...) end

--- Runs the calls since `group_start`.
function cp.cuda.nccl.group_end() end

--- Starts a group: the calls until `group_end` run together, on all communicators of this process. No call
--- may write an array that another one uses, and the script must not use their arrays until then.
function cp.cuda.nccl.group_start() end

--- The communicator of all processes that a launcher started: torchrun, mpirun, srun, or any that sets
--- RANK, WORLD_SIZE and, unless it is this host, MASTER_ADDR. Rank 0 listens there at MASTER_PORT (29400).
--- The communicator's device becomes the current one.
---@param rank? integer|cupola.Options
---@param size? integer|cupola.Options
---@param address? string|cupola.Options
---@param port? integer|cupola.Options
---@param device? string|cupola.Device|cupola.Options # default: the current one, or if there are several GPUs, the one for the rank on its host
---@param timeout? number|cupola.Options # seconds to wait for others; default 300
---@return cupola.Communicator
function cp.cuda.nccl.init(rank, size, address, port, device, timeout) end

--- Communicators for ranks that are all in this process, one for each device. The methods of the result
--- take a table of arrays, one for each rank.
---@param devices? cupola.Operand|cupola.Options # names, or the number of GPUs; default: all GPUs. The CPU may be named several times
---@param timeout? number|cupola.Options
---@return cupola.Ranks # communicators by rank + 1
function cp.cuda.nccl.init_all(devices, timeout) end

cp.cuda.nvtx = {}

--- Marks a point in time for profilers.
---@param message string
function cp.cuda.nvtx.Mark(message) end

--- Ends the innermost range.
function cp.cuda.nvtx.RangePop() end

--- Starts a range of this thread for profilers.
---@param message string
function cp.cuda.nvtx.RangePush(message) end

cp.cuda.profiler = {}

--- Starts profilers that wait for it, as runtime.profilerStart does.
function cp.cuda.profiler.start() end

--- Stops them.
function cp.cuda.profiler.stop() end

cp.cuda.runtime = {}

--- Whether a GPU can access the memory of another one by itself.
---@param device integer
---@param peer integer
---@return boolean
function cp.cuda.runtime.deviceCanAccessPeer(device, peer) end

--- Lets the current GPU access the memory of another one. cupola does so itself where it copies between
--- them.
---@param peer integer
function cp.cuda.runtime.deviceEnablePeerAccess(peer) end

--- One attribute of a device by its name, such as "MaxThreadsPerBlock".
---@param name string
---@param device? integer|cupola.Options # a GPU's number; default: the current device
---@return integer
function cp.cuda.runtime.deviceGetAttribute(name, device) end

--- The number of the GPU at a place on the PCI bus.
---@param bus_id string # as deviceGetPCIBusId gives it; domain and function may be left out
---@return integer
function cp.cuda.runtime.deviceGetByPCIBusId(bus_id) end

--- The pool that a GPU's stream-ordered memory comes from if no other was chosen.
---@param device? integer|cupola.Options # default: the current GPU
---@return integer pool # its handle
function cp.cuda.runtime.deviceGetDefaultMemPool(device) end

--- A limit of the current GPU, such as the stack of a thread.
---@param limit integer # runtime.limitStackSize, limitPrintfFifoSize, limitMallocHeapSize, ...
---@return integer
function cp.cuda.runtime.deviceGetLimit(limit) end

--- The pool that a GPU's stream-ordered memory comes from.
---@param device? integer|cupola.Options
---@return integer pool
function cp.cuda.runtime.deviceGetMemPool(device) end

--- A GPU's place on the PCI bus, such as "0000:3b:00.0".
---@param device? integer|cupola.Options # default: the current one
---@return string
function cp.cuda.runtime.deviceGetPCIBusId(device) end

--- Sets such a limit.
---@param limit integer
---@param value integer
function cp.cuda.runtime.deviceSetLimit(limit, value) end

--- Chooses the pool that a GPU's stream-ordered memory comes from.
---@param device? integer|cupola.Options
---@param pool integer
function cp.cuda.runtime.deviceSetMemPool(device, pool) end

--- Launches what is pending on the current device and waits for all work on it, including that of other
--- libraries.
function cp.cuda.runtime.deviceSynchronize() end

--- The newest CUDA version that the driver supports, as 1000*major + 10*minor; 0 without a driver.
---@return integer
function cp.cuda.runtime.driverGetVersion() end

--- A new event of the current device, as cp.cuda.Event gives it.
---@return cupola.Event
function cp.cuda.runtime.eventCreate() end

--- The same with options.
---@param flags integer # a sum of runtime.eventBlockingSync, eventDisableTiming, and eventInterprocess, which needs eventDisableTiming
---@return cupola.Event
function cp.cuda.runtime.eventCreateWithFlags(flags) end

--- Gives an event up, which cannot be used any more.
---@param event userdata
function cp.cuda.runtime.eventDestroy(event) end

--- The milliseconds between two recorded events.
---@param start userdata
---@param finish userdata
---@return number
function cp.cuda.runtime.eventElapsedTime(start, finish) end

--- Whether the work before an event is done.
---@param event userdata
---@return boolean
function cp.cuda.runtime.eventQuery(event) end

--- Records an event after the work that is now on a stream.
---@param event userdata
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.eventRecord(event, stream) end

--- Waits for the work before an event.
---@param event userdata
function cp.cuda.runtime.eventSynchronize(event) end

--- Frees memory of `malloc`, `mallocManaged` or `mallocAsync` once the device has done all its work.
--- Ignores 0.
---@param ptr integer
function cp.cuda.runtime.free(ptr) end

--- Frees a CUDA array of `mallocArray` or `malloc3DArray` once the device has done this program's work.
--- Ignores 0.
---@param array integer
function cp.cuda.runtime.freeArray(array) end

--- Frees memory of `mallocAsync` after the work that is now queued on the stream.
---@param ptr integer
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.freeAsync(ptr, stream) end

--- Frees memory of `hostAlloc` once the device has done all its work. Ignores 0.
---@param ptr integer
function cp.cuda.runtime.freeHost(ptr) end

--- The number of the current GPU, from 0; -1 when the current device is the CPU.
---@return integer
function cp.cuda.runtime.getDevice() end

--- The number of usable GPUs.
---@return integer
function cp.cuda.runtime.getDeviceCount() end

--- Describes a device: the fields of `device.properties` and its attributes under CUDA's names.
---@param device? integer|cupola.Options # a GPU's number; default: the current device
---@return table
function cp.cuda.runtime.getDeviceProperties(device) end

--- Allocates page-locked host memory, which GPUs can access directly and copies use directly; `freeHost`
--- frees it. Without a GPU it is ordinary memory.
---@param size integer # bytes
---@param flags? integer|cupola.Options # runtime.hostAllocPortable and hostAllocMapped are always set; hostAllocWriteCombined is fast to write and slow to read
---@return integer ptr
function cp.cuda.runtime.hostAlloc(size, flags) end

--- The current device's address of memory of `hostAlloc`: the same address, unless the memory is
--- write-combined.
---@param ptr integer
---@return integer ptr
function cp.cuda.runtime.hostGetDevicePointer(ptr) end

--- Locks pages of the host's memory that somebody else allocated, so that copies use it directly and GPUs
--- reach it. Without a GPU nothing is locked.
---@param ptr integer
---@param size integer # bytes
---@param flags? integer|cupola.Options # runtime.hostRegisterPortable (always set), hostRegisterMapped
function cp.cuda.runtime.hostRegister(ptr, size, flags) end

--- Unlocks pages of hostRegister once the device has done all its work.
---@param ptr integer
function cp.cuda.runtime.hostUnregister(ptr) end

--- Closes such memory once the current GPU has done all its work.
---@param ptr integer
function cp.cuda.runtime.ipcCloseMemHandle(ptr) end

--- A handle by which another process can wait for an event that was made with runtime.eventInterprocess.
---@param event userdata
---@return string handle # 64 bytes
function cp.cuda.runtime.ipcGetEventHandle(event) end

--- A handle by which another process can open memory of `malloc`.
---@param ptr integer
---@return string handle # 64 bytes
function cp.cuda.runtime.ipcGetMemHandle(ptr) end

--- The event of another process, on the current GPU.
---@param handle string
---@return cupola.Event
function cp.cuda.runtime.ipcOpenEventHandle(handle) end

--- Opens memory of another process on the current GPU.
---@param handle string
---@return integer ptr
function cp.cuda.runtime.ipcOpenMemHandle(handle) end

--- Calls callback(...) once the work that is now on the stream is done, at the next poll, as
--- `stream:callback` does.
---@param stream userdata|integer
---@param callback function
---@param arg? cupola.Operand|cupola.Options
function cp.cuda.runtime.launchHostFunc(stream, callback, arg) end

--- Allocates memory of the current device, to be freed by `free`.
---@param size integer # bytes
---@return integer ptr
function cp.cuda.runtime.malloc(size) end

--- Makes a CUDA array of up to three dimensions, to be freed by `freeArray`.
---@param desc cupola.ChannelFormat
---@param width integer # in elements
---@param height integer
---@param depth integer
---@param flags? integer|cupola.Options
---@return integer array
function cp.cuda.runtime.malloc3DArray(desc, width, height, depth, flags) end

--- Makes a CUDA array of one or two dimensions, to be freed by `freeArray`.
---@param desc cupola.ChannelFormat
---@param width integer # in elements
---@param height? integer|cupola.Options # 0: one dimension
---@param flags? integer|cupola.Options # runtime.arraySurfaceLoadStore: surfaces may write it
---@return integer array # its handle
function cp.cuda.runtime.mallocArray(desc, width, height, flags) end

--- Allocates stream-ordered memory from the driver's pool, to be freed by `freeAsync`.
---@param size integer # bytes
---@param stream? userdata|integer|cupola.Options # default: the current one
---@return integer ptr
function cp.cuda.runtime.mallocAsync(size, stream) end

--- Allocates stream-ordered memory from a pool, to be freed by `freeAsync`.
---@param size integer # bytes
---@param pool integer
---@param stream? userdata|integer|cupola.Options # default: the current one
---@return integer ptr
function cp.cuda.runtime.mallocFromPoolAsync(size, pool, stream) end

--- Allocates managed memory, which migrates between host and GPUs, to be freed by `free`.
---@param size integer # bytes
---@return integer ptr
function cp.cuda.runtime.mallocManaged(size) end

--- Says how managed memory will be used.
---@param ptr integer
---@param size integer
---@param advice integer # runtime.memAdviseSetReadMostly, memAdviseSetPreferredLocation, memAdviseSetAccessedBy, or memAdviseUnset...
---@param device integer # a GPU's number, or runtime.cpuDeviceId for the host
function cp.cuda.runtime.memAdvise(ptr, size, advice, device) end

--- Free and total bytes of the current device's memory.
---@return integer free
---@return integer total
function cp.cuda.runtime.memGetInfo() end

--- Makes a pool of a GPU's memory.
---@param device? integer|cupola.Options # default: the current GPU
---@return integer pool # its handle, for memPoolDestroy
function cp.cuda.runtime.memPoolCreate(device) end

--- Destroys a pool of memPoolCreate. Its memory that is in use stays until it is freed.
---@param pool integer
function cp.cuda.runtime.memPoolDestroy(pool) end

--- Gives free memory of a pool back to the driver.
---@param pool integer
---@param size? integer|cupola.Options # so many bytes may stay; default 0
function cp.cuda.runtime.memPoolTrimTo(pool, size) end

--- Moves managed memory to a GPU or to the host, in the order of a stream.
---@param ptr integer
---@param size integer
---@param device integer # a GPU's number, or runtime.cpuDeviceId for the host
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.memPrefetchAsync(ptr, size, device, stream) end

--- Copies bytes on the current stream and waits for the copy.
---@param dst integer # address
---@param src integer # address
---@param size integer
---@param kind? integer|cupola.Options # runtime.memcpyDefault and similar; not needed, since the addresses tell
function cp.cuda.runtime.memcpy(dst, src, size, kind) end

--- Copies rows of bytes on the current stream, and waits for the copy.
---@param dst integer # address
---@param dst_pitch integer # bytes between rows
---@param src integer # address
---@param src_pitch integer
---@param width integer # bytes of a row
---@param height integer # rows
---@param kind? integer|cupola.Options # runtime.memcpyDefault and similar; not needed, since the addresses tell
function cp.cuda.runtime.memcpy2D(dst, dst_pitch, src, src_pitch, width, height, kind) end

--- The same, queued on a stream. Copies of host memory that is not page-locked wait in part.
---@param dst integer
---@param dst_pitch integer
---@param src integer
---@param src_pitch integer
---@param width integer
---@param height integer
---@param kind? integer|cupola.Options
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.memcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, stream) end

--- Copies rows of bytes from a CUDA array, and waits for the copy.
---@param dst integer # address
---@param dst_pitch integer # bytes between rows
---@param src integer|cupola.CudaArray # the array's handle, or a CUDAarray
---@param wOffset integer # first byte of a row
---@param hOffset integer # first row
---@param width integer # bytes of a row
---@param height integer # rows
---@param kind? integer|cupola.Options
function cp.cuda.runtime.memcpy2DFromArray(dst, dst_pitch, src, wOffset, hOffset, width, height, kind) end

--- The same, queued on a stream.
---@param dst integer
---@param dst_pitch integer
---@param src integer|cupola.CudaArray
---@param wOffset integer
---@param hOffset integer
---@param width integer
---@param height integer
---@param kind? integer|cupola.Options
---@param stream? userdata|integer|cupola.Options
function cp.cuda.runtime.memcpy2DFromArrayAsync(dst, dst_pitch, src, wOffset, hOffset, width, height, kind, stream) end

--- Copies rows of bytes into a CUDA array, and waits for the copy.
---@param dst integer|cupola.CudaArray # its handle, or a CUDAarray
---@param wOffset integer # first byte of a row
---@param hOffset integer # first row
---@param src integer # address
---@param src_pitch integer # bytes between rows
---@param width integer # bytes of a row
---@param height integer # rows
---@param kind? integer|cupola.Options # not needed, since the addresses tell
function cp.cuda.runtime.memcpy2DToArray(dst, wOffset, hOffset, src, src_pitch, width, height, kind) end

--- The same, queued on a stream.
---@param dst integer|cupola.CudaArray
---@param wOffset integer
---@param hOffset integer
---@param src integer
---@param src_pitch integer
---@param width integer
---@param height integer
---@param kind? integer|cupola.Options
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.memcpy2DToArrayAsync(dst, wOffset, hOffset, src, src_pitch, width, height, kind, stream) end

--- Copies a box of bytes on the current stream, and waits for the copy. A side is {ptr = address, pitch =
--- bytes between rows, rows = rows of a plane, x = first byte, y = first row, z = first plane}; x, y and z
--- are 0 where they are not given.
---@param dst table
---@param src table
---@param width integer # bytes of a row
---@param height? integer|cupola.Options # rows; default 1
---@param depth? integer|cupola.Options # planes; default 1
---@param kind? integer|cupola.Options # runtime.memcpyDefault and similar; not needed, since the addresses tell
function cp.cuda.runtime.memcpy3D(dst, src, width, height, depth, kind) end

--- The same, queued on a stream.
---@param dst table
---@param src table
---@param width integer
---@param height? integer|cupola.Options
---@param depth? integer|cupola.Options
---@param kind? integer|cupola.Options
---@param stream? userdata|integer|cupola.Options # default: the current one
function cp.cuda.runtime.memcpy3DAsync(dst, src, width, height, depth, kind, stream) end

--- The same, queued on a stream. Copies of host memory that is not page-locked wait in part.
---@param dst integer
---@param src integer
---@param size integer
---@param kind? integer|cupola.Options
---@param stream? userdata|cupola.Options # default: the current one
function cp.cuda.runtime.memcpyAsync(dst, src, size, kind, stream) end

--- Copies bytes from one GPU to another on the current stream and waits for the copy.
---@param dst integer # address
---@param dst_device integer # the GPU's number
---@param src integer # address
---@param src_device integer
---@param size integer
function cp.cuda.runtime.memcpyPeer(dst, dst_device, src, src_device, size) end

--- The same, queued on a stream.
---@param dst integer # address
---@param dst_device integer # the GPU's number
---@param src integer # address
---@param src_device integer
---@param size integer
---@param stream? userdata|cupola.Options # default: the current one
function cp.cuda.runtime.memcpyPeerAsync(dst, dst_device, src, src_device, size, stream) end

--- Sets bytes on the current stream and waits until it is done.
---@param ptr integer
---@param value integer # 0 to 255
---@param size integer
function cp.cuda.runtime.memset(ptr, value, size) end

--- The same, queued on a stream.
---@param ptr integer
---@param value integer
---@param size integer
---@param stream? userdata|cupola.Options
function cp.cuda.runtime.memsetAsync(ptr, value, size, stream) end

--- What memory an address is in.
---@param ptr integer
---@return table # {type = runtime.memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice or memoryTypeManaged, device = the GPU's number or -1, devicePointer = and hostPointer = its addresses, 0: none}
function cp.cuda.runtime.pointerGetAttributes(ptr) end

--- Starts profilers that wait for it (`nsys profile --capture-range=cudaProfilerApi`).
function cp.cuda.runtime.profilerStart() end

--- Stops them.
function cp.cuda.runtime.profilerStop() end

--- The same: cupola uses the driver alone, no CUDA runtime library.
---@return integer
function cp.cuda.runtime.runtimeGetVersion() end

--- Makes GPU number `device` the current device, until changed.
---@param device integer
function cp.cuda.runtime.setDevice(device) end

--- The same, where the callback gets the stream, a status (always 0) and the argument.
---@param stream userdata|integer
---@param callback function
---@param arg? cupola.Operand|cupola.Options
function cp.cuda.runtime.streamAddCallback(stream, callback, arg) end

--- A new stream of the current device, as cp.cuda.Stream gives it.
---@return cupola.Stream
function cp.cuda.runtime.streamCreate() end

--- The same with options.
---@param flags integer # runtime.streamDefault or runtime.streamNonBlocking
---@return cupola.Stream
function cp.cuda.runtime.streamCreateWithFlags(flags) end

--- The same with a priority.
---@param flags integer
---@param priority integer # below 0: its kernels go first
---@return cupola.Stream
function cp.cuda.runtime.streamCreateWithPriority(flags, priority) end

--- Gives a stream up, which cannot be used any more. Its work will be done.
---@param stream userdata
function cp.cuda.runtime.streamDestroy(stream) end

--- Whether a stream's work is done.
---@param stream userdata|integer
---@return boolean
function cp.cuda.runtime.streamQuery(stream) end

--- Waits for a stream.
---@param stream userdata|integer # a stream or its CUDA handle
function cp.cuda.runtime.streamSynchronize(stream) end

--- Makes later work of a stream wait for an event.
---@param stream userdata|integer
---@param event userdata
function cp.cuda.runtime.streamWaitEvent(stream, event) end

cp.cuda.texture = {}

--- An array whose layout only the device knows, for textures and surfaces, on the current device. It has
--- desc, width, height, depth, flags, ndim and ptr.
---@param desc cupola.ChannelFormat
---@param width integer # in elements
---@param height? integer|cupola.Options # 0: an array of one dimension
---@param depth? integer|cupola.Options # 0: at most two
---@param flags? integer|cupola.Options # runtime.arraySurfaceLoadStore: surfaces may write it; default 0
---@return cupola.CudaArray
function cp.cuda.texture.CUDAarray(desc, width, height, depth, flags) end

--- The format of an element: the bits of up to four channels, which are all alike, and their kind.
---@param x integer # 8, 16 or 32
---@param y integer # the same, or 0: there is no such channel
---@param z integer
---@param w integer
---@param f integer # runtime.channelFormatKindSigned, channelFormatKindUnsigned or channelFormatKindFloat
---@return cupola.ChannelFormat
function cp.cuda.texture.ChannelFormatDescriptor(x, y, z, w, f) end

--- What a texture or surface reads: a CUDA array (runtime.resourceTypeArray), elements in a row of an
--- array's memory (resourceTypeLinear, for tex1Dfetch), or rows of them (resourceTypePitch2D). GPUs ask for
--- addresses that are multiples of 512 and pitches that are multiples of 32.
---@param restype integer
---@param cuArr? cupola.CudaArray|cupola.Options
---@param arr? cupola.Operand|cupola.Options # an array, contiguous
---@param chDesc? cupola.ChannelFormat|cupola.Options # the format of an element of arr
---@param sizeInBytes? integer|cupola.Options # resourceTypeLinear: how much of arr
---@param width? integer|cupola.Options # resourceTypePitch2D: elements of a row
---@param height? integer|cupola.Options # and rows
---@param pitchInBytes? integer|cupola.Options # bytes between rows
---@return cupola.TextureResource
function cp.cuda.texture.ResourceDescriptor(restype, cuArr, arr, chDesc, sizeInBytes, width, height, pitchInBytes) end

--- A surface, which raw kernels read and write: surf1Dread, surf2Dwrite, ... It has ResDesc and ptr.
---@param ResDesc cupola.TextureResource # of a CUDAarray with runtime.arraySurfaceLoadStore
---@return cupola.Texture
function cp.cuda.texture.SurfaceObject(ResDesc) end

--- How a texture is read.
---@param addressModes? table|cupola.Options # up to three of runtime.addressModeWrap, addressModeClamp, addressModeMirror and addressModeBorder, for x, y and z; default: wrap. Without normalised coordinates wrap and mirror clamp.
---@param filterMode? integer|cupola.Options # runtime.filterModePoint (the default) or filterModeLinear, whose fractions have 8 bits
---@param readMode? integer|cupola.Options # runtime.readModeElementType (the default), or readModeNormalizedFloat: integers are read as fractions of their greatest value
---@param sRGB? boolean|cupola.Options # whether bytes are converted from sRGB to linear light
---@param borderColors? table|cupola.Options # up to four channels of what lies beyond the border; default 0
---@param normalizedCoords? boolean|cupola.Options # whether coordinates go from 0 to 1
---@param maxAnisotropy? integer|cupola.Options # 0 to 16; it has no effect without mipmaps
---@return cupola.TextureSampling
function cp.cuda.texture.TextureDescriptor(addressModes, filterMode, readMode, sRGB, borderColors, normalizedCoords, maxAnisotropy) end

--- A texture, as raw kernels take it: tex1D, tex2D, tex3D, tex1Dfetch. It has ResDesc, TexDesc and ptr.
---@param ResDesc cupola.TextureResource
---@param TexDesc cupola.TextureSampling
---@return cupola.Texture
function cp.cuda.texture.TextureObject(ResDesc, TexDesc) end

cp.fft = {}

--- The Fourier transform along an axis, of n points.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.fft(a, n, axis, norm, out) end

--- The same over two axes (default: the last two); s: their lengths.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.fft2(a, s, axes, norm, out) end

--- The frequencies of a transform of n points at distance d: 0 first, the negative ones last.
---@param n integer
---@param d? number|cupola.dtype|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@param dtype? cupola.dtype|cupola.Options # floating; default float64
---@return cupola.Array
function cp.fft.fftfreq(n, d, device, dtype) end

--- The same over several axes (default: all, or the last #s).
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.fftn(a, s, axes, norm, out) end

--- Moves the zero frequency to the middle.
---@param x cupola.Operand
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.fft.fftshift(x, axes) end

--- The Fourier transform of a Hermitian-symmetric signal, which has a real spectrum.
---@param a cupola.Operand # the half of the signal from time 0 on
---@param n? integer|cupola.Options # length of the spectrum; default 2 (m - 1)
---@param axis? integer|cupola.Options # default -1
---@param norm? string|cupola.Options # "backward" (default), "ortho" or "forward"
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.fft.hfft(a, n, axis, norm, out) end

--- The inverse of fft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.ifft(a, n, axis, norm, out) end

--- The inverse of fft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.ifft2(a, s, axes, norm, out) end

--- The inverse of fftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.ifftn(a, s, axes, norm, out) end

--- The inverse of fftshift.
---@param x cupola.Operand
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.fft.ifftshift(x, axes) end

--- The inverse of hfft.
---@param a cupola.Operand # a real spectrum
---@param n? integer|cupola.Options
---@param axis? integer|cupola.Options # default -1
---@param norm? string|cupola.Options # "backward" (default), "ortho" or "forward"
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.fft.ihfft(a, n, axis, norm, out) end

--- The inverse of rfft, of n points (default: 2 (m - 1)).
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.irfft(a, n, axis, norm, out) end

--- The inverse of rfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.irfft2(a, s, axes, norm, out) end

--- The inverse of rfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.irfftn(a, s, axes, norm, out) end

--- Configures the cache of transform plans on the current device, and returns how many plans it holds.
---@param limit? integer|cupola.Options # the largest number of plans to keep (default on the CPU: 64 of each precision, on a GPU: 16 of each stream)
---@param clear? boolean|cupola.Options # drops the cached plans
---@return integer # how many plans the cache holds
function cp.fft.plan_cache(limit, clear) end

--- The transform of real values: frequencies from 0 up.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.rfft(a, n, axis, norm, out) end

--- The same over two axes, the last of which is halved.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.rfft2(a, s, axes, norm, out) end

--- The frequencies of rfft, from 0 to the highest.
---@param n integer # the number of points of the signal
---@param d? number|cupola.dtype|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@param dtype? cupola.dtype|cupola.Options # floating; default float64
---@return cupola.Array
function cp.fft.rfftfreq(n, d, device, dtype) end

--- The same over several axes, the last of which is halved.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.fft.rfftn(a, s, axes, norm, out) end

cp.image = {}

--- Lays a picture over another one.
---@param over cupola.Operand # (height, width), or with channels; with 4, the last one is its opacity
---@param under cupola.Operand # the same shape, or with 3 channels where `over` has 4
---@param alpha? cupola.Operand|cupola.Options # the opacity of `over`, from 0 to 1: a number or an array (height, width); default 1
---@return cupola.Array # under's shape and dtype
function cp.image.blend(over, under, alpha) end

--- Maps values to colours: x between vmin and vmax through a colour map.
---@param x cupola.Operand # any shape, real
---@param name? string|cupola.Options # default "viridis"
---@param vmin? number|cupola.Options # the value at the start of the map; default: the smallest finite value
---@param vmax? number|cupola.Options # the value at the end of the map; default: the largest finite value
---@return cupola.Array # uint8, x's shape with another axis of 3
function cp.image.colormap(x, name, vmin, vmax) end

--- The names of the colour maps; each also exists with the suffix "_r", which reverses it.
---@return table names
function cp.image.colormaps() end

--- The same of the bytes of an image file, a string.
---@param bytes string
---@param mode? string|cupola.dtype|cupola.Options # "gray", "la" (with alpha), "rgb" or "rgba"; default: that of the file
---@param dtype? cupola.dtype|cupola.Options # "uint8" (default), "uint16", or a floating dtype for values in 0..1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.image.decode(bytes, mode, dtype, device) end

--- The bytes of an image file, as a string. Pixels and options are those of save.
---@param pixels cupola.Operand
---@param format? string|cupola.Options # "png" (default), "jpg", "bmp" or "tga"
---@param cmap? string|cupola.Options
---@param vmin? number|cupola.Options
---@param vmax? number|cupola.Options
---@param quality? integer|cupola.Options
---@param scale? boolean|cupola.Options
---@param clip? boolean|cupola.Options
---@return string
function cp.image.encode(pixels, format, cmap, vmin, vmax, quality, scale, clip) end

--- A picture without colours: 0.299 red + 0.587 green + 0.114 blue.
---@param x cupola.Operand # (height, width, 3) or with a fourth channel, which is left out
---@return cupola.Array # (height, width), x's dtype
function cp.image.gray(x) end

--- Colours of hue, saturation and value, each from 0 to 1.
---@param x cupola.Operand # (height, width, 3), floating
---@return cupola.Array # (height, width, 3): red, green and blue from 0 to 1
function cp.image.hsv_to_rgb(x) end

--- Writes a uint8 picture, (height, width) or (.., channels).
---@param file string
---@param pixels cupola.Array
function cp.image.imwrite(file, pixels) end

--- Reads an image (PNG, JPEG, BMP, TGA, PNM) as an array (height, width) if it is grey, else (height,
--- width, channels).
---@param file string
---@param mode? string|cupola.dtype|cupola.Options # "gray", "la" (with alpha), "rgb" or "rgba"; default: that of the file
---@param dtype? cupola.dtype|cupola.Options # "uint8" (default), "uint16", or a floating dtype for values in 0..1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.image.load(file, mode, dtype, device) end

--- A picture of another size.
---@param x cupola.Operand # (height, width) or (height, width, channels), real
---@param shape integer|table # {height, width}
---@param method? string|cupola.Options # "bilinear" (default), "nearest", "bicubic", "area" or "lanczos"
---@param antialias? boolean|cupola.Options # false: do not widen the filter where the picture gets smaller; default true
---@return cupola.Array # x's dtype; integers are rounded
function cp.image.resize(x, shape, method, antialias) end

--- Hue, saturation and value of colours, each from 0 to 1.
---@param x cupola.Operand # (height, width, 3)
---@return cupola.Array # (height, width, 3), floating
function cp.image.rgb_to_hsv(x) end

--- Writes an image: (height, width) is grey, (height, width, 2 to 4) is grey with alpha, RGB or RGBA. The
--- file extension chooses the format: .png, .jpg, .bmp or .tga.
---@param file string
---@param pixels cupola.Operand # uint8 (0..255), floats (0..1), bool; any real values with cmap
---@param cmap? string|cupola.Options # colour map for (height, width): "viridis", "magma", "gray", ...; see cp.image.colormaps()
---@param vmin? number|cupola.Options # with cmap: the value at the start of the map; default: the smallest value
---@param vmax? number|cupola.Options # with cmap: the value at the end of the map; default: the largest value
---@param quality? integer|cupola.Options # JPEG quality, 1 to 100; default 95
---@param scale? boolean|cupola.Options # map vmin..vmax, by default the values' range, to 0..1 first, all channels alike
---@param clip? boolean|cupola.Options # whether floats may lie outside 0..1; default false: that is an error
function cp.image.save(file, pixels, cmap, vmin, vmax, quality, scale, clip) end

cp.jit = {}

--- In kernels: the lanes that run together with this one, a bit for each.
---@return integer
function cp.jit.activemask() end

--- In kernels: whether all conditions of the warp are true.
---@param mask integer
---@param condition boolean
---@return boolean
function cp.jit.all_sync(mask, condition) end

--- In kernels: whether one condition of the warp is true.
---@param mask integer
---@param condition boolean
---@return boolean
function cp.jit.any_sync(mask, condition) end

--- In kernels: adds to an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value number
---@return number
function cp.jit.atomic_add(x, index, value) end

--- In kernels: bitwise and with an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value integer
---@return integer
function cp.jit.atomic_and(x, index, value) end

--- In kernels: replaces an expected value; the old one.
---@param x cupola.Operand
---@param index any
---@param expected cupola.Operand
---@param value cupola.Operand
---@return integer
function cp.jit.atomic_cas(x, index, expected, value) end

--- In kernels: subtracts 1, from the limit; the old value.
---@param x cupola.Operand
---@param index any
---@param limit cupola.Operand
---@return integer
function cp.jit.atomic_dec(x, index, limit) end

--- In kernels: replaces an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value number
---@return number
function cp.jit.atomic_exch(x, index, value) end

--- In kernels: adds 1, up to the limit; the old value.
---@param x cupola.Operand
---@param index any
---@param limit cupola.Operand
---@return integer
function cp.jit.atomic_inc(x, index, limit) end

--- In kernels: keeps the greater value; the old one.
---@param x cupola.Operand
---@param index any
---@param value number
---@return number
function cp.jit.atomic_max(x, index, value) end

--- In kernels: keeps the lesser value; the old one.
---@param x cupola.Operand
---@param index any
---@param value number
---@return number
function cp.jit.atomic_min(x, index, value) end

--- In kernels: bitwise or with an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value integer
---@return integer
function cp.jit.atomic_or(x, index, value) end

--- In kernels: subtracts from an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value number
---@return number
function cp.jit.atomic_sub(x, index, value) end

--- In kernels: bitwise xor with an element; the old value.
---@param x cupola.Operand
---@param index any
---@param value cupola.Operand
---@return integer
function cp.jit.atomic_xor(x, index, value) end

--- In kernels: the conditions of the warp, a bit for each lane.
---@param mask cupola.Operand
---@param condition cupola.Operand
---@return integer
function cp.jit.ballot_sync(mask, condition) end

--- The operator & of Lua 5.4.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.band(a, b) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.bfloat16(v) end

--- The unary operator ~ of Lua 5.4.
---@param a cupola.Operand
---@return any
function cp.jit.bnot(a) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.bool(v) end

--- The operator | of Lua 5.4.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.bor(a, b) end

--- The operator ~ of Lua 5.4.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.bxor(a, b) end

--- In kernels: a counter of clock cycles.
---@return integer
function cp.jit.clock() end

--- In kernels: the same as clock.
---@return integer
function cp.jit.clock64() end

--- In kernels: how many zeros lead.
---@param a integer
---@return integer
function cp.jit.clz(a) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.complex128(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.complex64(v) end

--- An elementwise function of arrays from a Lua function of numbers, with loops and branches; see
--- docs/kernels.md.
---@param f function|string # the function, or its text; may return several values
---@param name? string|cupola.Options # for messages; default: the name that its text gives it
---@param fmad? boolean|cupola.Options # whether products and sums may be contracted (false)
---@param constants? table|cupola.Options # values by names, where upvalues cannot be read
---@param options? table|cupola.Options # options of the compiler
---@param lua? boolean|cupola.Options # whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
---@param check? boolean|cupola.Options # whether positions are checked (CUPOLA_JIT_CHECK=1)
---@return cupola.JitFunction # called with arrays, tables and numbers, which broadcast, and {out =, stream =}
function cp.jit.elementwise(f, name, fmad, constants, options, lua, check) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.float16(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.float32(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.float64(v) end

--- In kernels: the thread's positions in the grid, from 1.
---@param ndim? cupola.Operand
---@return integer ...
function cp.jit.grid(ndim) end

--- In kernels: the number of threads of the grid along the first ndim axes.
---@param ndim? integer
---@return integer ...
function cp.jit.gridsize(ndim) end

--- The operator // of Lua 5.4.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.idiv(a, b) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.int16(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.int32(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.int64(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.int8(v) end

--- In kernels: the thread's number in its warp, from 0.
---@return integer
function cp.jit.laneid() end

--- In kernels: an array of the thread.
---@param dtype string
---@param shape integer|table
---@return cupola.Array
function cp.jit.local_array(dtype, shape) end

--- In kernels: the lanes with the same value, a bit for each.
---@param mask cupola.Operand
---@param value cupola.Operand
---@return integer
function cp.jit.match_any_sync(mask, value) end

--- In kernels: suspends the thread for about that time.
---@param ns integer
function cp.jit.nanosleep(ns) end

--- In kernels: how many bits are set.
---@param a integer
---@return integer
function cp.jit.popc(a) end

--- In kernels: prints numbers by a format of Lua.
---@param format string
function cp.jit.printf(format) end

--- In kernels: a uniform number in [0, 1).
---@param position cupola.Operand
---@param seed cupola.Operand
---@param call? cupola.Operand
---@return number
function cp.jit.random(position, seed, call) end

--- In kernels: a normal number that the arguments determine.
---@param position cupola.Operand
---@param seed cupola.Operand
---@param call? cupola.Operand
---@return number
function cp.jit.random_normal(position, seed, call) end

--- In kernels: the values of a loop.
---@param first cupola.Operand
---@param last cupola.Operand
---@param step? number
---@param options? table
---@return fun(): integer
function cp.jit.range(first, last, step, options) end

--- A kernel from a Lua function; see docs/kernels.md.
---@param f function|string # the function, or its text
---@param name? string|cupola.Options # for messages; default: the name that its text gives it
---@param fmad? boolean|cupola.Options # whether products and sums may be contracted (false)
---@param constants? table|cupola.Options # values by names, where upvalues cannot be read
---@param signature? string|table|cupola.Options # the types of the parameters, such as "float32[], int32"
---@param options? table|cupola.Options # options of the compiler
---@param lua? boolean|cupola.Options # whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
---@param check? boolean|cupola.Options # whether positions and barriers are checked (CUPOLA_JIT_CHECK=1)
---@return cupola.JitKernel # called as k(grid, block, {x, y}, {shared_mem =, stream =})
function cp.jit.rawkernel(f, name, fmad, constants, signature, options, lua, check) end

--- A reduction from Lua functions; see docs/kernels.md.
---@param map function|string # of an element of each argument; may return several values
---@param reduce function|string # joins two values (the values of a, then those of b); associative and commutative
---@param identity number|boolean|table # the value that changes nothing; a table for several values
---@param post? function|string|cupola.Options # of the total; default: the total itself
---@param name? string|cupola.Options # for messages
---@param fmad? boolean|cupola.Options # whether products and sums may be contracted (false)
---@param constants? table|cupola.Options # values by names, where upvalues cannot be read
---@param options? table|cupola.Options # options of the compiler
---@param lua? boolean|cupola.Options # whether to run as Lua text, without a compiler (where there is none; CUPOLA_JIT=lua)
---@param check? boolean|cupola.Options # whether positions are checked (CUPOLA_JIT_CHECK=1)
---@return cupola.JitFunction # called as k(x, ..., axis, keepdims) or k(x, {axis =, keepdims =, out =, stream =})
function cp.jit.reduction(map, reduce, identity, post, name, fmad, constants, options, lua, check) end

--- A shift to the right that fills with the sign.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.sar(a, b) end

--- In kernels: an array that the threads of a block share.
---@param dtype string
---@param shape? any
---@return cupola.Array
function cp.jit.shared_memory(dtype, shape) end

--- In kernels: the value of the lane delta above.
---@param mask cupola.Operand
---@param value cupola.Operand
---@param delta cupola.Operand
---@param width? cupola.Operand
---@return number
function cp.jit.shfl_down_sync(mask, value, delta, width) end

--- In kernels: the value of a lane.
---@param mask integer
---@param value number
---@param lane integer
---@param width? integer
---@return number
function cp.jit.shfl_sync(mask, value, lane, width) end

--- In kernels: the value of the lane delta below.
---@param mask cupola.Operand
---@param value cupola.Operand
---@param delta cupola.Operand
---@param width? cupola.Operand
---@return number
function cp.jit.shfl_up_sync(mask, value, delta, width) end

--- In kernels: the value of the lane xor lanes.
---@param mask cupola.Operand
---@param value cupola.Operand
---@param lanes cupola.Operand
---@param width? cupola.Operand
---@return number
function cp.jit.shfl_xor_sync(mask, value, lanes, width) end

--- The operator << of Lua 5.4.
---@param a cupola.Operand
---@param b cupola.Operand
---@return any
function cp.jit.shl(a, b) end

--- In kernels: the operator >> of Lua 5.4, which fills with zeros.
---@param a integer
---@param b integer
---@return integer
function cp.jit.shr(a, b) end

--- In kernels: waits for all threads of the block.
function cp.jit.syncthreads() end

--- In kernels: waits for the block; whether all conditions are true.
---@param condition boolean
---@return boolean
function cp.jit.syncthreads_and(condition) end

--- In kernels: waits for the block; how many conditions are true.
---@param condition boolean
---@return integer
function cp.jit.syncthreads_count(condition) end

--- In kernels: waits for the block; whether one condition is true.
---@param condition boolean
---@return boolean
function cp.jit.syncthreads_or(condition) end

--- In kernels: waits for the threads of the warp in the mask.
---@param mask? integer
function cp.jit.syncwarp(mask) end

--- In kernels: orders this thread's writes for all threads of the device.
function cp.jit.threadfence() end

--- In kernels: orders this thread's writes for the threads of its block.
function cp.jit.threadfence_block() end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.uint16(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.uint32(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.uint64(v) end

--- v converted to this dtype.
---@param v any
---@return any
function cp.jit.uint8(v) end

cp.jit.blockDim = {}

cp.jit.blockIdx = {}

cp.jit.cg = {}

--- In kernels: waits for the threads of a group.
---@param group table
function cp.jit.cg.sync(group) end

--- In kernels: the threads of the grid.
---@return table
function cp.jit.cg.this_grid() end

--- In kernels: the threads of the block.
---@return table
function cp.jit.cg.this_thread_block() end

cp.jit.gridDim = {}

cp.jit.threadIdx = {}

cp.linalg = {}

--- The Cholesky decomposition of Hermitian positive definite a: the lower triangular L with a = L L^H, or
--- the upper triangular U with a = U^H U. Only that triangle of a is read.
---@param a cupola.Operand
---@param upper? boolean|cupola.Options # default false
---@return cupola.Array
function cp.linalg.cholesky(a, upper) end

--- The condition number: the largest factor by which a relative error of the right-hand side can grow in
--- the solution.
---@param x cupola.Operand
---@param p? cupola.Operand|cupola.Options # the norm: 2 (default), -2, "fro", "nuc", 1, -1, inf, -inf
---@return cupola.Array
function cp.linalg.cond(x, p) end

--- The cross product of 3-component vectors along an axis.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axis? integer|cupola.Options # default: the last one
---@return cupola.Array
function cp.linalg.cross(a, b, axis) end

--- The determinant of square matrices: 0 if singular.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.det(a) end

--- The diagonals of matrices (the last two axes), as a view.
---@param x cupola.Operand # (..., n, m)
---@param offset? integer|cupola.Options # 0 (default): the main diagonal; positive: above it
---@return cupola.Array # (..., length of the diagonal)
function cp.linalg.diagonal(x, offset) end

--- Eigenvalues and right eigenvectors (the columns of v) of square matrices. They are real if a is real and
--- all its eigenvalues are, else complex.
---@param a cupola.Operand
---@return cupola.Array w
---@return cupola.Array v
function cp.linalg.eig(a) end

--- Eigenvalues in ascending order, and eigenvectors (the columns of v), of Hermitian matrices, of which one
--- triangle is read.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array w
---@return cupola.Array v
function cp.linalg.eigh(a, UPLO) end

--- The eigenvalues of square matrices: real if a is real and all of them are, else complex.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.eigvals(a) end

--- The eigenvalues of Hermitian matrices in ascending order.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array
function cp.linalg.eigvalsh(a, UPLO) end

--- The inverse of square matrices.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.inv(a) end

--- activation(a @ b + bias): the product as cp.matmul has it, to which the bias is added. float16 and
--- bfloat16 are rounded after the product and at the end, or at the end alone where cuBLASLt computes all
--- by one kernel: on a GPU for one matrix b, a bias of shape (n), and none, relu or gelu_tanh, whose
--- absolute error is some 1e-5 then. It does float32 with none and relu, too.
---@param a cupola.Operand # (..., m, k), or (k)
---@param b cupola.Operand # (..., k, n)
---@param bias? cupola.Operand|cupola.Options # what broadcasts to the product's shape, usually (n)
---@param activation? string|cupola.Options # "none" (default), "relu", "gelu" (by erf), "gelu_tanh", "silu", "sigmoid", "tanh"
---@param out? cupola.Array|cupola.Options # an array of the result's shape
---@return cupola.Array # floating: integers are converted
function cp.linalg.linear(a, b, bias, activation, out) end

--- Least squares: the x that minimizes the norm of b - a x; if there are several, the one with the smallest
--- norm.
---@param a cupola.Operand # m x n
---@param b cupola.Operand # m, or m x k
---@param rcond? number|cupola.Options # singular values below rcond times the largest are treated as 0; default: the larger side times the dtype's epsilon
---@return cupola.Array x
---@return cupola.Array residuals # sums of squares for each column of b; empty if rank < n or m <= n
---@return integer rank
---@return cupola.Array s # singular values of a
function cp.linalg.lstsq(a, b, rcond) end

--- The same as cp.matmul.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param axes? table|cupola.Options # {{i, k}, {k, j}, {i, j}}: which axes of x1, x2 and the result are those of the matrices, one axis for vectors; default: the last ones
---@param dtype? cupola.dtype|cupola.Options # in which to multiply
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function cp.linalg.matmul(x1, x2, out, axes, dtype, casting) end

--- The norm of the matrices in the last two axes.
---@param x cupola.Operand
---@param keepdims? boolean|cupola.Options
---@param ord? cupola.Operand|cupola.Options # default "fro"
---@return cupola.Array
function cp.linalg.matrix_norm(x, keepdims, ord) end

--- A square matrix to the power n; for negative n, its inverse to the power -n.
---@param a cupola.Operand
---@param n integer
---@return cupola.Array
function cp.linalg.matrix_power(a, n) end

--- The number of singular values above tol.
---@param A cupola.Operand
---@param tol? cupola.Operand|cupola.Options # default: the largest singular value times the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options
---@param rtol? number|cupola.Options # the same, relative to the largest singular value
---@return cupola.Array # 0-d for a matrix
function cp.linalg.matrix_rank(A, tol, hermitian, rtol) end

--- A view of the matrices with their last two axes swapped.
---@param x cupola.Operand
---@return cupola.Array
function cp.linalg.matrix_transpose(x) end

--- The product of several matrices in the cheapest order. The first and the last may be vectors.
---@param arrays table
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.linalg.multi_dot(arrays, out) end

--- The norm of vectors or matrices; without ord and axis, of all elements as one vector.
---@param x cupola.Operand
---@param ord? cupola.Operand|cupola.Options # for vectors a number, inf or -inf (default 2); for matrices "fro" (default), "nuc", 1, -1, 2, -2, inf or -inf
---@param axis? integer|table|cupola.Options # one axis: the norms of vectors along it; two axes: of the matrices in them
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.linalg.norm(x, ord, axis, keepdims) end

--- The products of all pairs of elements of two vectors.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@return cupola.Array # (x1.size, x2.size)
function cp.linalg.outer(x1, x2) end

--- The pseudo-inverse by singular values: those below rcond times the largest are treated as 0.
---@param a cupola.Operand
---@param rcond? cupola.Operand|cupola.Options # a number, or an array with one for each matrix; default: the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options # whether a is Hermitian
---@param rtol? number|cupola.Options # another name of rcond, as in the array API standard
---@return cupola.Array
function cp.linalg.pinv(a, rcond, hermitian, rtol) end

--- The QR decomposition a = q r: q has orthonormal columns and r is upper triangular.
---@param a cupola.Operand
---@param mode? string|cupola.Options # "reduced" (default), "complete" (q is square), "r" (only r) or "raw" (LAPACK's h and tau)
---@return cupola.Array q
---@return cupola.Array r
function cp.linalg.qr(a, mode) end

--- The sign (for complex matrices a number on the unit circle) of the determinant and the logarithm of its
--- absolute value: 0 and -inf for singular matrices.
---@param a cupola.Operand
---@return cupola.Array sign
---@return cupola.Array logabsdet
function cp.linalg.slogdet(a) end

--- Solves a x = b for square a. b is a vector, or matrices with right-hand sides as columns; batches
--- broadcast.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array x # like b
function cp.linalg.solve(a, b) end

--- The singular value decomposition a = u diag(s) vh, with s in descending order.
---@param a cupola.Operand
---@param full_matrices? boolean|cupola.Options # square u and vh (default true)
---@param compute_uv? boolean|cupola.Options # default true; false: only s
---@param hermitian? boolean|cupola.Options # whether a is Hermitian
---@return cupola.Array u
---@return cupola.Array s
---@return cupola.Array vh
function cp.linalg.svd(a, full_matrices, compute_uv, hermitian) end

--- The singular values in descending order.
---@param x cupola.Operand
---@return cupola.Array
function cp.linalg.svdvals(x) end

--- The same as cp.tensordot.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # the number of axes (default 2), or {axes of a, axes of b}
---@return cupola.Array
function cp.linalg.tensordot(a, b, axes) end

--- The inverse of a as a linear map between tensors: from its other axes to its first `ind` axes.
---@param a cupola.Operand
---@param ind? integer|cupola.Options # default 2
---@return cupola.Array
function cp.linalg.tensorinv(a, ind) end

--- Solves a x = b for tensors: the last axes of a are those of x, the others those of b.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.linalg.tensorsolve(a, b) end

--- The sums of the diagonals of matrices (the last two axes).
---@param x cupola.Operand # (..., n, m)
---@param offset? integer|cupola.dtype|cupola.Options # 0 (default): the main diagonal; positive: above it
---@param dtype? cupola.dtype|cupola.Options # default: that of sum
---@return cupola.Array # (...)
function cp.linalg.trace(x, offset, dtype) end

--- The same as cp.vecdot.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.linalg.vecdot(x1, x2, axis) end

--- The norm of the vectors along an axis, or along several axes taken as one.
---@param x cupola.Operand
---@param axis? integer|table|cupola.Options # default: all
---@param keepdims? boolean|cupola.Options
---@param ord? cupola.Operand|cupola.Options # default 2
---@return cupola.Array
function cp.linalg.vector_norm(x, axis, keepdims, ord) end

cp.plot = {}

--- Draws bars from 0, beside each other if y has several vectors; other arguments as for plot.line.
---@param x cupola.Operand # a table of names, or the x values of the bars' middles; without y: the y values
---@param y? cupola.Operand|cupola.Options
---@param labels? string|table|cupola.Options
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options
---@param logy? boolean|cupola.Options
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@param styles? string|table|cupola.Options
---@return string? # the text, if drawn with characters
function cp.plot.bar(x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, styles) end

--- Draws a matrix as coloured cells, with the first row at the top.
---@param z cupola.Operand # (rows, columns)
---@param cmap? string|cupola.Options # colour map; default "viridis", see cp.image.colormaps()
---@param vmin? number|cupola.Options # the value at the start of the map; default: the smallest finite value
---@param vmax? number|cupola.Options # the value at the end of the map; default: the largest finite value
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options # ignored
---@param logy? boolean|cupola.Options # ignored
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@return string? # the text, if drawn with characters
function cp.plot.heatmap(z, cmap, vmin, vmax, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

--- Draws a histogram.
---@param x cupola.Operand # an array, or a table of arrays whose bars stand beside each other
---@param bins? cupola.Operand|cupola.Options # the number of bins (default 20), or a table or vector of edges
---@param range? table|cupola.Options # {least, greatest}; default: that of the finite values
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options
---@param logy? boolean|cupola.Options
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@param labels? string|table|cupola.Options # of the arrays of x
---@return string? # the text, if drawn with characters
function cp.plot.hist(x, bins, range, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, labels) end

--- Draws a picture inside axes that count its pixels.
---@param pixels cupola.Operand # (height, width), or with a last axis of 1 to 4 as cp.image.save takes it; alpha is dropped
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options # ignored
---@param logy? boolean|cupola.Options # ignored
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@return string? # the text, if drawn with characters
function cp.plot.image(pixels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

--- Draws lines: `cp.plot.line(x, y, {file = "sine.png"})`, also `cp.plot(x, y, ...)`. Without a file it
--- draws in gnuplot's window, or if there is none, with characters to the standard output.
---@param x cupola.Operand # x values, one vector for all y or as many as y; without y: the y values at 1, 2, ...
---@param y? cupola.Operand|cupola.Options # y values: a vector, a matrix of columns, or a table of vectors
---@param labels? string|table|cupola.Options # a name, or a table of the lines' names
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options # {least, greatest}
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options # logarithmic axis; default false
---@param logy? boolean|cupola.Options
---@param file? string|cupola.Options # .png, .svg or .txt; .pdf by gnuplot
---@param size? table|cupola.Options # {width, height} in pixels, or for text in characters
---@param term? string|cupola.Options # "text": characters; "gnuplot", or one of gnuplot's terminals: gnuplot draws
---@param styles? string|table|cupola.Options # of each series: "line", "points" or "bars"
---@return string? # the text, if drawn with characters
function cp.plot.line(x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, styles) end

--- Draws points; arguments as for plot.line.
---@param x cupola.Operand
---@param y? cupola.Operand|cupola.Options
---@param labels? string|table|cupola.Options
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options
---@param logy? boolean|cupola.Options
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@param styles? string|table|cupola.Options
---@return string? # the text, if drawn with characters
function cp.plot.scatter(x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term, styles) end

cp.polynomial = {}

cp.polynomial.polynomial = {}

--- The companion matrix, whose eigenvalues are the roots.
---@param c cupola.Operand # coefficients, at least two, the last one not 0
---@return cupola.Array
function cp.polynomial.polynomial.polycompanion(c) end

--- The values c[1] + c[2] * x + ... + c[n] * x^(n-1).
---@param x cupola.Operand
---@param c cupola.Operand # coefficients along the first axis; further axes are further polynomials
---@param tensor? boolean|cupola.Options # every polynomial at every x (default); false: the shapes broadcast
---@return cupola.Array
function cp.polynomial.polynomial.polyval(x, c, tensor) end

--- The values of the product of x - r over the roots r.
---@param x cupola.Operand
---@param r cupola.Operand # roots along the first axis; further axes are further polynomials
---@param tensor? boolean|cupola.Options # every polynomial at every x (default); false: the shapes broadcast
---@return cupola.Array
function cp.polynomial.polynomial.polyvalfromroots(x, r, tensor) end

--- The powers x^0 to x^deg in a new last axis.
---@param x cupola.Operand
---@param deg integer
---@return cupola.Array # of x's shape and deg + 1
function cp.polynomial.polynomial.polyvander(x, deg) end

cp.polynomial.polyutils = {}

--- The lists as vectors of one floating or complex dtype.
---@param alist table # lists of coefficients
---@param trim? boolean|cupola.Options # without the zeros at their ends; default true
---@return table
function cp.polynomial.polyutils.as_series(alist, trim) end

--- Coefficients without those at the end whose absolute value is at most tol; a single zero if all are.
---@param c cupola.Operand
---@param tol? number|cupola.Options # default 0
---@return cupola.Array
function cp.polynomial.polyutils.trimcoef(c, tol) end

--- A vector without the zeros at its end; at least one element remains.
---@param seq cupola.Operand
---@return cupola.Array
function cp.polynomial.polyutils.trimseq(seq) end

cp.profiler = {}

--- Measures f(...): first each call alone, between two events on the current stream, then the same number
--- of consecutive calls. Results that f leaves pending and returns are computed within the call.
---@param f function
---@param options? table # n_warmup (10), n_repeat (10000, or fewer within max_duration), max_duration (1 second), name, args (a table of f's arguments)
---@return table result # cpu and gpu (mean, std, min, max), cpu_times, gpu_times, pipelined (cpu, gpu); all in seconds
function cp.profiler.benchmark(f, options) end

--- What this state did so far: launches, allocations, forces, renames and more.
---@return table
function cp.profiler.counters() end

--- Runs f(...) and totals, by line of the script, the memory that arrays allocated. Memory counts for the
--- line that computes a value: a pending value is allocated where it is first needed.
---@param f function
---@param ... any
---@return table report # a list of {place, used, acquired, count}, the largest first, and the totals; tostring shows it
---@return any ... # what f returns
function cp.profiler.memory(f, ...) end

--- Runs f(...) as a named range for profilers that support NVTX (Nsight Systems). Without f, starts a range
--- that closing the guard ends.
---@param message string
---@param f? function
---@param ... any
---@return any ... # what f returns, or the guard
function cp.profiler.time_range(message, f, ...) end

--- Runs f(...) and lists where the host waited for a device: each synchronization with the line of the
--- script that caused it.
---@param f function
---@param ... any
---@return table report # a list of {place, what, seconds}; tostring shows it
---@return any ... # what f returns
function cp.profiler.trace_sync(f, ...) end

cp.random = {}

--- A generator that draws from this bit generator.
---@param bit_generator table
---@return cupola.Generator
function cp.random.Generator(bit_generator) end

--- cuRAND's own kinds.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.MRG32k3a(seed, offset, ordering) end

--- cuRAND's Mersenne Twisters.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.MT19937(seed, offset, ordering) end

--- cuRAND's Mersenne Twisters.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.MTGP32(seed, offset, ordering) end

--- The state of Philox4x32-10: get_state, set_state.
---@param seed? any
---@return table
function cp.random.Philox(seed) end

--- cuRAND's Philox.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.Philox4_32_10(seed, offset, ordering) end

--- The state of Philox4x32-10: get_state, set_state.
---@param seed? any
---@return table
function cp.random.Philox4x3210(seed) end

--- A generator with NumPy's older methods.
---@param seed? any
---@param method? string
---@return cupola.RandomState
function cp.random.RandomState(seed, method) end

--- The same, scrambled.
---@param dimensions? integer
---@param offset? integer
---@return table
function cp.random.ScrambledSobol32(dimensions, offset) end

--- The same, scrambled.
---@param dimensions? integer
---@param offset? integer
---@return table
function cp.random.ScrambledSobol64(dimensions, offset) end

--- A seed.
---@param entropy? any
---@param spawn_key? any
---@param pool_size? integer
---@param n_children_spawned? integer
---@return cupola.SeedSequence
function cp.random.SeedSequence(entropy, spawn_key, pool_size, n_children_spawned) end

--- Quasi-random points, of cuRAND.
---@param dimensions? integer
---@param offset? integer
---@return table
function cp.random.Sobol32(dimensions, offset) end

--- Quasi-random points, of cuRAND.
---@param dimensions? integer
---@param offset? integer
---@return table
function cp.random.Sobol64(dimensions, offset) end

--- cuRAND's own kinds.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.XORWOW(seed, offset, ordering) end

--- The beta distribution.
---@param a cupola.Operand
---@param b cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.beta(a, b, size, dtype) end

--- The binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.binomial(n, p, size, dtype) end

--- Random bytes.
---@param length integer
---@return string
function cp.random.bytes(length) end

--- The chi-square distribution with df degrees of freedom.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.chisquare(df, size, dtype) end

--- Elements of a, or positions from 1 to a.
---@param a cupola.Operand
---@param size? integer|table
---@param replace? boolean
---@param p? cupola.Operand
---@param axis? integer|table
---@param shuffle? boolean
---@return cupola.Array
function cp.random.choice(a, size, replace, p, axis, shuffle) end

--- A generator; of a generator itself.
---@param seed? any
---@return cupola.Generator
function cp.random.default_rng(seed) end

--- The Dirichlet distribution: the last axis sums to 1.
---@param alpha cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.dirichlet(alpha, size, dtype) end

--- The exponential distribution of mean scale.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.exponential(scale, size, dtype) end

--- Fisher's F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.f(dfnum, dfden, size, dtype) end

--- The gamma distribution.
---@param shape cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.gamma(shape, scale, size, dtype) end

--- The geometric distribution, from 1.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.geometric(p, size, dtype) end

--- The state of the default generator: seed and number of the next call.
---@return table
function cp.random.get_state() end

--- The Gumbel distribution of largest values.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.gumbel(loc, scale, size, dtype) end

--- How many of nsample drawn are good ones.
---@param ngood cupola.Operand
---@param nbad cupola.Operand
---@param nsample cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.hypergeometric(ngood, nbad, nsample, size, dtype) end

--- The double exponential distribution about loc.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.laplace(loc, scale, size, dtype) end

--- The logistic distribution.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.logistic(loc, scale, size, dtype) end

--- exp of the normal distribution.
---@param mean? cupola.Operand
---@param sigma? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.lognormal(mean, sigma, size, dtype) end

--- The logarithmic series distribution.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.logseries(p, size, dtype) end

--- How often each of the outcomes came: the last axis sums to n.
---@param n integer
---@param pvals cupola.Operand
---@param size? integer|table
---@return cupola.Array
function cp.random.multinomial(n, pvals, size) end

--- Normal vectors with this mean and covariance.
---@param mean cupola.Operand
---@param cov cupola.Operand
---@param size? integer|table
---@param tol? number
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.multivariate_normal(mean, cov, size, tol, dtype) end

--- The negative binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.negative_binomial(n, p, size, dtype) end

--- The noncentral chi-square distribution.
---@param df cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.noncentral_chisquare(df, nonc, size, dtype) end

--- The noncentral F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.noncentral_f(dfnum, dfden, nonc, size, dtype) end

--- The normal distribution: mean loc, standard deviation scale.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.normal(loc, scale, size, dtype) end

--- The Pareto distribution of the second kind (Lomax), from 0.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.pareto(a, size, dtype) end

--- The numbers from 1 to x in random order, or x with its rows in random order.
---@param x cupola.Operand
---@param axis? integer
---@return cupola.Array
function cp.random.permutation(x, axis) end

--- Poisson's distribution, int64 by default.
---@param lam cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.poisson(lam, size, dtype) end

--- The distribution of [0, 1] with density a x^(a - 1).
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.power(a, size, dtype) end

--- Numbers of [0, 1); the lengths of the axes one by one, last a dtype.
---@param ... integer|string
---@return cupola.Array
function cp.random.rand(...) end

--- Whole numbers of [low, high), or of [0, low); int64 by default.
---@param low cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.randint(low, high, size, dtype) end

--- Numbers of the standard normal distribution; lengths one by one, last a dtype.
---@param ... integer|string
---@return cupola.Array
function cp.random.randn(...) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.random(size, dtype) end

--- Whole numbers from low to high, both included, or from 1 to low.
---@param low cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@return cupola.Array
function cp.random.random_integers(low, high, size) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.random_sample(size, dtype) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.ranf(size, dtype) end

--- The Rayleigh distribution.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.rayleigh(scale, size, dtype) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.sample(size, dtype) end

--- Starts the default generator anew; without a seed from the system's randomness.
---@param seed? any
function cp.random.seed(seed) end

--- Goes back to a state.
---@param state table
function cp.random.set_state(state) end

--- Brings the rows of x into random order, in place; returns x.
---@param x cupola.Array
---@param axis? integer
---@return cupola.Array
function cp.random.shuffle(x, axis) end

--- The Cauchy distribution about 0.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.standard_cauchy(size, dtype) end

--- The exponential distribution of mean 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.standard_exponential(size, dtype) end

--- The gamma distribution of scale 1.
---@param shape cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.standard_gamma(shape, size, dtype) end

--- The normal distribution of mean 0 and standard deviation 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.standard_normal(size, dtype) end

--- Student's t distribution.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.standard_t(df, size, dtype) end

--- The triangular distribution.
---@param left cupola.Operand
---@param mode cupola.Operand
---@param right cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.triangular(left, mode, right, size, dtype) end

--- Numbers of [low, high), by default of [0, 1).
---@param low? cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.uniform(low, high, size, dtype) end

--- The von Mises distribution of angles about mu.
---@param mu cupola.Operand
---@param kappa cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.vonmises(mu, kappa, size, dtype) end

--- The inverse Gaussian distribution.
---@param mean cupola.Operand
---@param scale cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.wald(mean, scale, size, dtype) end

--- The Weibull distribution of scale 1.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.weibull(a, size, dtype) end

--- Zipf's distribution.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function cp.random.zipf(a, size, dtype) end

cp.scipy = {}

cp.scipy.fft = {}

--- The cosine transform of types 1 to 4 along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dct(x, type, n, axis, norm, orthogonalize) end

--- The cosine transform of types 1 to 4 along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param s? integer|table
---@param axes? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dctn(x, type, s, axes, norm, orthogonalize) end

--- The sine transform of types 1 to 4 along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dst(x, type, n, axis, norm, orthogonalize) end

--- The sine transform of types 1 to 4 along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param s? integer|table
---@param axes? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dstn(x, type, s, axes, norm, orthogonalize) end

--- The same as cp.fft.fft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.fft(a, n, axis, norm, out) end

--- The same as cp.fft.fft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.fft2(a, s, axes, norm, out) end

--- The same as cp.fft.fftfreq.
---@param n integer
---@param d? number|cupola.dtype|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@param dtype? cupola.dtype|cupola.Options # floating; default float64
---@return cupola.Array
function cp.scipy.fft.fftfreq(n, d, device, dtype) end

--- The same as cp.fft.fftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.fftn(a, s, axes, norm, out) end

--- The same as cp.fft.fftshift.
---@param x cupola.Operand
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.scipy.fft.fftshift(x, axes) end

--- The same as cp.fft.hfft.
---@param a cupola.Operand # the half of the signal from time 0 on
---@param n? integer|cupola.Options # length of the spectrum; default 2 (m - 1)
---@param axis? integer|cupola.Options # default -1
---@param norm? string|cupola.Options # "backward" (default), "ortho" or "forward"
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.scipy.fft.hfft(a, n, axis, norm, out) end

--- The inverse cosine transform along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idct(x, type, n, axis, norm, orthogonalize) end

--- The inverse cosine transform along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param s? integer|table
---@param axes? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idctn(x, type, s, axes, norm, orthogonalize) end

--- The inverse sine transform along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idst(x, type, n, axis, norm, orthogonalize) end

--- The inverse sine transform along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param s? integer|table
---@param axes? integer|table
---@param norm? cupola.Operand
---@param orthogonalize? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idstn(x, type, s, axes, norm, orthogonalize) end

--- The same as cp.fft.ifft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.ifft(a, n, axis, norm, out) end

--- The same as cp.fft.ifft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.ifft2(a, s, axes, norm, out) end

--- The same as cp.fft.ifftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.ifftn(a, s, axes, norm, out) end

--- The same as cp.fft.ifftshift.
---@param x cupola.Operand
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.scipy.fft.ifftshift(x, axes) end

--- The same as cp.fft.ihfft.
---@param a cupola.Operand # a real spectrum
---@param n? integer|cupola.Options
---@param axis? integer|cupola.Options # default -1
---@param norm? string|cupola.Options # "backward" (default), "ortho" or "forward"
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.scipy.fft.ihfft(a, n, axis, norm, out) end

--- The same as cp.fft.irfft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.irfft(a, n, axis, norm, out) end

--- The same as cp.fft.irfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.irfft2(a, s, axes, norm, out) end

--- The same as cp.fft.irfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.irfftn(a, s, axes, norm, out) end

--- The smallest length of at least this value with a fast transform: a product of 2, 3, 5 and 7.
---@param target integer
---@param real? boolean|cupola.Options # for a real transform; the lengths are the same
---@return integer
function cp.scipy.fft.next_fast_len(target, real) end

--- The same as cp.fft.rfft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.rfft(a, n, axis, norm, out) end

--- The same as cp.fft.rfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.rfft2(a, s, axes, norm, out) end

--- The same as cp.fft.rfftfreq.
---@param n integer # the number of points of the signal
---@param d? number|cupola.dtype|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@param dtype? cupola.dtype|cupola.Options # floating; default float64
---@return cupola.Array
function cp.scipy.fft.rfftfreq(n, d, device, dtype) end

--- The same as cp.fft.rfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.fft.rfftn(a, s, axes, norm, out) end

cp.scipy.io = {}

--- What the header of a Matrix Market file says.
---@param source integer|table
---@return integer rows
---@return integer columns
---@return integer entries
---@return string format # "coordinate" or "array"
---@return string field # "real", "complex", "integer", "unsigned-integer" or "pattern"
---@return string symmetry # "general", "symmetric", "skew-symmetric" or "hermitian"
function cp.scipy.io.mminfo(source) end

--- Reads a matrix from a Matrix Market file (gzipped if its name ends in .gz): a coo array from one that
--- lists entries ("coordinate"), a dense array from one that lists all elements ("array"). Symmetric ones
--- become complete; entries without values ("pattern") are 1.
---@param source integer|table
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@return cupola.Array
function cp.scipy.io.mmread(source, device) end

--- Writes a matrix to a Matrix Market file; ".mtx" is added if the name ends in neither ".mtx" nor ".gz".
--- Sparse arrays are written as their entries, dense ones as all elements; of a symmetric matrix only the
--- elements on and below the diagonal.
---@param target string
---@param a cupola.Operand # a sparse array, or a dense matrix
---@param comment? string|cupola.Options # lines for the head of the file
---@param field? string|cupola.Options # "real", "complex", "integer" or "pattern"; default: by a's dtype
---@param precision? integer|cupola.Options # significant digits; default: as many as read back as the same values
---@param symmetry? string|cupola.Options # "general", "symmetric", "skew-symmetric" or "hermitian"; default "AUTO": by a's elements
function cp.scipy.io.mmwrite(target, a, comment, field, precision, symmetry) end

cp.scipy.linalg = {}

--- A matrix with the given ones along its diagonal.
---@param ...  cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.block_diag(...) end

--- The Cholesky factor of a for cho_solve, and whether it is lower triangular.
---@param a cupola.Operand
---@param lower? boolean|cupola.Options # default false
---@return cupola.Array c
---@return boolean lower
function cp.scipy.linalg.cho_factor(a, lower) end

--- Solves a x = b with the factor of a from cho_factor.
---@param c_and_lower table # {c, lower}
---@param b cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.cho_solve(c_and_lower, b) end

--- The Cholesky factor of positive definite matrices: a = u^H u, or a = l l^H.
---@param a cupola.Operand
---@param lower? boolean|cupola.Options # return the lower factor l; default false: the upper one
---@return cupola.Array
function cp.scipy.linalg.cholesky(a, lower) end

--- A circulant matrix: column k is c rotated down by k - 1 places.
---@param c cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.circulant(c) end

--- The companion matrix of a polynomial, whose eigenvalues are its roots.
---@param a cupola.Operand # coefficients, highest power first; at least two
---@return cupola.Array # floating array
function cp.scipy.linalg.companion(a) end

--- The same as cp.linalg.det.
---@param a cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.det(a) end

--- The matrix of the discrete Fourier transform.
---@param n integer
---@param scale? string|cupola.Options # "sqrtn": divided by sqrt(n), "n": by n
---@return cupola.Array # complex128
function cp.scipy.linalg.dft(n, scale) end

--- The same as cp.linalg.eig.
---@param a cupola.Operand
---@return cupola.Array w
---@return cupola.Array v
function cp.scipy.linalg.eig(a) end

--- The same as cp.linalg.eigh.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array w
---@return cupola.Array v
function cp.scipy.linalg.eigh(a, UPLO) end

--- The same as cp.linalg.eigvals.
---@param a cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.eigvals(a) end

--- The same as cp.linalg.eigvalsh.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array
function cp.scipy.linalg.eigvalsh(a, UPLO) end

--- The exponential of square matrices.
---@param A cupola.Operand # (..., n, n)
---@return cupola.Array # floating array
function cp.scipy.linalg.expm(A) end

--- The Hadamard matrix of 1 and -1.
---@param n integer # a power of two
---@param dtype? cupola.dtype|cupola.Options # default int64
---@return cupola.Array
function cp.scipy.linalg.hadamard(n, dtype) end

--- A Hankel matrix, with constant anti-diagonals.
---@param c cupola.Operand # the first column
---@param r? cupola.Operand|cupola.Options # the last row, whose first element is ignored; default: zeros
---@return cupola.Array
function cp.scipy.linalg.hankel(c, r) end

--- The Hilbert matrix: 1 / (i + j - 1), i and j from 1.
---@param n integer
---@return cupola.Array
function cp.scipy.linalg.hilbert(n) end

--- The same as cp.linalg.inv.
---@param a cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.inv(a) end

--- The same as cp.kron.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.kron(a, b) end

--- The same as cp.linalg.lstsq.
---@param a cupola.Operand # m x n
---@param b cupola.Operand # m, or m x k
---@param rcond? number|cupola.Options # singular values below rcond times the largest are treated as 0; default: the larger side times the dtype's epsilon
---@return cupola.Array x
---@return cupola.Array residuals # sums of squares for each column of b; empty if rank < n or m <= n
---@return integer rank
---@return cupola.Array s # singular values of a
function cp.scipy.linalg.lstsq(a, b, rcond) end

--- The LU decomposition a = p l u with a permutation matrix p, unit lower triangular l and upper triangular
--- u.
---@param a cupola.Operand
---@param permute_l? boolean|cupola.Options # return two results: p l, and u
---@param p_indices? boolean|cupola.Options # return, instead of p, the rows from 1 that reorder l u to a
---@return cupola.Array p
---@return cupola.Array l
---@return cupola.Array u
function cp.scipy.linalg.lu(a, permute_l, p_indices) end

--- The LU decomposition of matrices with row exchanges, for lu_solve: L (without its unit diagonal) and U
--- in one matrix, and the pivots: row k was exchanged with row piv[k], counted from 1.
---@param a cupola.Operand
---@return cupola.Array lu
---@return cupola.Array piv
function cp.scipy.linalg.lu_factor(a) end

--- Solves a x = b with the decomposition of a from lu_factor.
---@param lu_and_piv table # {lu, piv}
---@param b cupola.Operand
---@param trans? integer|cupola.Options # 0: a x = b (default), 1: transposed a, 2: conjugate transposed a
---@return cupola.Array
function cp.scipy.linalg.lu_solve(lu_and_piv, b, trans) end

--- The same as cp.linalg.norm.
---@param x cupola.Operand
---@param ord? cupola.Operand|cupola.Options # for vectors a number, inf or -inf (default 2); for matrices "fro" (default), "nuc", 1, -1, 2, -2, inf or -inf
---@param axis? integer|table|cupola.Options # one axis: the norms of vectors along it; two axes: of the matrices in them
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.scipy.linalg.norm(x, ord, axis, keepdims) end

--- The same as cp.linalg.pinv.
---@param a cupola.Operand
---@param rcond? cupola.Operand|cupola.Options # a number, or an array with one for each matrix; default: the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options # whether a is Hermitian
---@param rtol? number|cupola.Options # another name of rcond, as in the array API standard
---@return cupola.Array
function cp.scipy.linalg.pinv(a, rcond, hermitian, rtol) end

--- The QR decomposition a = q r with orthonormal columns in q and upper triangular r.
---@param a cupola.Operand
---@param mode? string|cupola.Options # "full" (default): q is square, "economic": q has as many columns as the shorter side of a, "r": only r, with all rows, or "raw": LAPACK's result, a table of h and tau, instead of q
---@return cupola.Array q
---@return cupola.Array r
function cp.scipy.linalg.qr(a, mode) end

--- The same as cp.linalg.solve.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array x # like b
function cp.scipy.linalg.solve(a, b) end

--- Solves a x = b for triangular a; the other triangle is not read.
---@param a cupola.Operand
---@param b cupola.Operand
---@param trans? cupola.Operand|cupola.Options # 0 or "N": a x = b (default), 1 or "T": transposed a, 2 or "C": conjugate transposed a
---@param lower? boolean|cupola.Options # whether a is lower triangular (default false: upper)
---@param unit_diagonal? boolean|cupola.Options # whether the diagonal is treated as ones
---@return cupola.Array
function cp.scipy.linalg.solve_triangular(a, b, trans, lower, unit_diagonal) end

--- The same as cp.linalg.svd.
---@param a cupola.Operand
---@param full_matrices? boolean|cupola.Options # square u and vh (default true)
---@param compute_uv? boolean|cupola.Options # default true; false: only s
---@param hermitian? boolean|cupola.Options # whether a is Hermitian
---@return cupola.Array u
---@return cupola.Array s
---@return cupola.Array vh
function cp.scipy.linalg.svd(a, full_matrices, compute_uv, hermitian) end

--- The same as cp.linalg.svdvals.
---@param x cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.svdvals(x) end

--- A Toeplitz matrix, with constant diagonals.
---@param c cupola.Operand # the first column
---@param r? cupola.Operand|cupola.Options # the first row, whose first element is ignored; default: the conjugate of c
---@return cupola.Array
function cp.scipy.linalg.toeplitz(c, r) end

--- The same as cp.tri.
---@param N integer
---@param M? integer|cupola.dtype|cupola.Options
---@param k? integer|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.scipy.linalg.tri(N, M, k, dtype, device) end

--- The same as cp.tril.
---@param m cupola.Operand
---@param k? integer|cupola.Options
---@return cupola.Array
function cp.scipy.linalg.tril(m, k) end

--- The same as cp.triu.
---@param m cupola.Operand
---@param k? integer|cupola.Options
---@return cupola.Array
function cp.scipy.linalg.triu(m, k) end

cp.scipy.ndimage = {}

--- Values at the places that an affine map gives: element o of the result (from 0, as all numbers of the
--- map) is the value at matrix o + offset.
---@param input cupola.Operand
---@param matrix cupola.Operand # a row for each axis of input; the diagonal alone; or a homogeneous matrix
---@param offset? cupola.Operand|cupola.Options # one number for all axes or one for each; default 0
---@param output_shape? cupola.Operand|cupola.Options # default: that of input
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype
---@param order? integer|cupola.Options # of the splines, 0 to 5; default 3
---@param mode? string|cupola.Options # what lies beyond the ends; default "constant"
---@param cval? number|cupola.Options # the constant; default 0
---@param prefilter? boolean|cupola.Options # false: input holds coefficients
---@return cupola.Array
function cp.scipy.ndimage.affine_transform(input, matrix, offset, output_shape, output, order, mode, cval, prefilter) end

--- Dilation, then erosion.
---@param input cupola.Operand
---@param structure? cupola.Operand
---@param iterations? cupola.Operand
---@param output? cupola.Operand
---@param origin? cupola.Operand
---@param mask? cupola.Operand
---@param border_value? cupola.Operand
---@param brute_force? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.binary_closing(input, structure, iterations, output, origin, mask, border_value, brute_force, axes) end

--- Where a structure meets.
---@param input cupola.Operand
---@param structure? cupola.Operand
---@param iterations? cupola.Operand
---@param mask? cupola.Operand
---@param output? cupola.Operand
---@param border_value? cupola.Operand
---@param origin? cupola.Operand
---@param brute_force? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.binary_dilation(input, structure, iterations, mask, output, border_value, origin, brute_force, axes) end

--- Where a structure fits.
---@param input cupola.Operand
---@param structure? cupola.Operand
---@param iterations? cupola.Operand
---@param mask? cupola.Operand
---@param output? cupola.Operand
---@param border_value? cupola.Operand
---@param origin? cupola.Operand
---@param brute_force? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.binary_erosion(input, structure, iterations, mask, output, border_value, origin, brute_force, axes) end

--- Makes elements true that true ones enclose.
---@param input cupola.Operand
---@param structure? cupola.Operand|cupola.Options # which elements are neighbours; default: a cross
---@param output? cupola.Operand|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.binary_fill_holes(input, structure, output, origin, axes) end

--- The places where one structure fits the true elements and another one the false elements.
---@param input cupola.Operand
---@param structure1? cupola.Operand|cupola.Options # default: a cross
---@param structure2? cupola.Operand|cupola.Options # default: what structure1 is not
---@param output? cupola.Operand|cupola.Options
---@param origin1? cupola.Operand|cupola.Options
---@param origin2? cupola.Operand|cupola.Options # default: origin1
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.binary_hit_or_miss(input, structure1, structure2, output, origin1, origin2, axes) end

--- Erosion, then dilation.
---@param input cupola.Operand
---@param structure? cupola.Operand
---@param iterations? cupola.Operand
---@param output? cupola.Operand
---@param origin? cupola.Operand
---@param mask? cupola.Operand
---@param border_value? cupola.Operand
---@param brute_force? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.binary_opening(input, structure, iterations, output, origin, mask, border_value, brute_force, axes) end

--- What dilations within the mask reach.
---@param input cupola.Operand
---@param structure? cupola.Operand
---@param mask? cupola.Operand
---@param output? cupola.Operand
---@param border_value? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.binary_propagation(input, structure, mask, output, border_value, origin, axes) end

--- What a closing adds.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.black_tophat(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- The centre of mass of each label: the mean position, weighted by the values.
---@param input cupola.Operand
---@param labels? cupola.Operand|cupola.Options
---@param index? cupola.Operand|cupola.Options # the labels; default: all elements whose label is greater than 0 together
---@return cupola.Array # float64, positions from 1 along each axis; with a table or array of labels one row for each
function cp.scipy.ndimage.center_of_mass(input, labels, index) end

--- The same with the weights turned round.
---@param input cupola.Operand
---@param weights cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.convolve(input, weights, output, mode, cval, origin, axes) end

--- The same, weights turned round.
---@param input cupola.Operand
---@param weights cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.convolve1d(input, weights, axis, output, mode, cval, origin) end

--- Sums of products around each element.
---@param input cupola.Operand
---@param weights cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.correlate(input, weights, output, mode, cval, origin, axes) end

--- Sums of products along an axis.
---@param input cupola.Operand
---@param weights cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.correlate1d(input, weights, axis, output, mode, cval, origin) end

--- The Euclidean distance of each element to the nearest 0.
---@param input cupola.Operand
---@param sampling? cupola.Operand|cupola.Options # the distance between neighbours, one for all axes or one for each; default 1
---@param return_distances? boolean|cupola.Options # default true
---@param return_indices? boolean|cupola.Options # default false
---@param distances? cupola.Operand|cupola.Options # float64 array to write the distances to
---@param indices? cupola.Operand|cupola.Options # int32 array to write the indices to
---@return cupola.Array distances # float64; infinite if there is no 0
---@return cupola.Array indices # int32, for each axis the positions of the nearest zeros, from 1; 0 if there is none
function cp.scipy.ndimage.distance_transform_edt(input, sampling, return_distances, return_indices, distances, indices) end

--- Least and greatest values of labels, and their positions.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.extrema(input, labels, index) end

--- The box of each label.
---@param input cupola.Operand # labels
---@param max_label? integer|cupola.Options # default: the greatest label
---@return table # for each label from 1 a table of ranges {first, last}, one for each axis, which is an index; false if the label does not occur
function cp.scipy.ndimage.find_objects(input, max_label) end

--- Means of ellipsoids, given and giving a transform.
---@param input cupola.Operand
---@param size integer|table
---@param n? integer
---@param axis? integer|table
---@param output? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.fourier_ellipsoid(input, size, n, axis, output) end

--- Smooths by a Gaussian, given and giving a transform.
---@param input cupola.Operand
---@param sigma cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param output? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.fourier_gaussian(input, sigma, n, axis, output) end

--- A shift, given and giving a transform.
---@param input cupola.Operand
---@param shift cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param output? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.fourier_shift(input, shift, n, axis, output) end

--- Means of boxes, given and giving a transform.
---@param input cupola.Operand
---@param size integer|table
---@param n? integer
---@param axis? integer|table
---@param output? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.fourier_uniform(input, size, n, axis, output) end

--- Smooths an array with a Gaussian along all axes, or applies derivatives of the Gaussian.
---@param input cupola.Operand
---@param sigma cupola.Operand # the standard deviation of the Gaussian, one for all axes or one for each
---@param order? integer|table|cupola.Options # of the derivatives; default 0: the Gaussian itself
---@param output? cupola.Operand|cupola.Options
---@param mode? string|table|cupola.Options
---@param cval? number|cupola.Options
---@param truncate? number|cupola.Options # where to truncate the Gaussian, in standard deviations; default 4
---@param radius? integer|cupola.Options # the same in elements
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.scipy.ndimage.gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius, axes) end

--- Smooths an array with a Gaussian along an axis, or applies a derivative of the Gaussian.
---@param input cupola.Operand
---@param sigma number # the standard deviation of the Gaussian
---@param axis? integer|cupola.Options # default: the last
---@param order? integer|cupola.Options # of the derivative; default 0: the Gaussian itself
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param truncate? number|cupola.Options # where to truncate the Gaussian, in standard deviations; default 4
---@param radius? integer|cupola.Options # the same in elements
---@return cupola.Array
function cp.scipy.ndimage.gaussian_filter1d(input, sigma, axis, order, output, mode, cval, truncate, radius) end

--- The gradient's length of a smoothed array.
---@param input cupola.Operand
---@param sigma cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param axes? integer|table
---@param truncate? cupola.Operand
---@param radius? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.gaussian_gradient_magnitude(input, sigma, output, mode, cval, axes, truncate, radius) end

--- The Laplacian of a smoothed array.
---@param input cupola.Operand
---@param sigma cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param axes? integer|table
---@param truncate? cupola.Operand
---@param radius? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.gaussian_laplace(input, sigma, output, mode, cval, axes, truncate, radius) end

--- A structure for morphology: the elements at most `connectivity` steps along axes from the centre.
---@param rank integer # number of axes
---@param connectivity integer # 1: neighbours along axes; rank: also all diagonal ones
---@return cupola.Array
function cp.scipy.ndimage.generate_binary_structure(rank, connectivity) end

--- Applies a function to windows.
---@param input cupola.Operand
---@param func cupola.Operand # gets a float64 array whose last axis has a window's elements, and returns an array without that axis; or a ReductionKernel
---@param size? integer|table|cupola.Options # one for all axes or one for each
---@param footprint? cupola.Operand|cupola.Options # instead of size: which neighbouring elements count
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options # along which the window extends; default: all
---@return cupola.Array
function cp.scipy.ndimage.generic_filter(input, func, size, footprint, output, mode, cval, origin, axes) end

--- Applies a function to lines along an axis.
---@param input cupola.Operand
---@param func function # gets a float64 array whose last axis has the elements of a line, preceded and followed by borders of filter_size - 1 elements in all, and returns an array of lines without these
---@param filter_size integer
---@param axis? integer|cupola.Options # default: the last
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? integer|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.generic_filter1d(input, func, filter_size, axis, output, mode, cval, origin) end

--- Roots of sums of squares.
---@param input cupola.Operand
---@param derivative  function
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param extra_arguments? cupola.Operand
---@param extra_keywords? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.generic_gradient_magnitude(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes) end

--- Sums of derivatives.
---@param input cupola.Operand
---@param derivative2  function
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param extra_arguments? cupola.Operand
---@param extra_keywords? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.generic_laplace(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes) end

--- Dilation, then erosion.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.grey_closing(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- Greatest elements of windows.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- Least elements of windows.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- Erosion, then dilation.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.grey_opening(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- The histogram of each label's values.
---@param input cupola.Operand
---@param min number
---@param max number
---@param bins integer
---@param labels? cupola.Operand|cupola.Options
---@param index? cupola.Operand|cupola.Options # the labels; default: all elements whose label is greater than 0 together
---@return cupola.Array # int64, one row for each label
function cp.scipy.ndimage.histogram(input, min, max, bins, labels, index) end

--- The structure that dilates as much as `structure` does when applied several times.
---@param structure cupola.Operand
---@param iterations integer
---@param origin? cupola.Operand|cupola.Options # then the second result is its multiple
---@return cupola.Array structure
---@return table? origin
function cp.scipy.ndimage.iterate_structure(structure, iterations, origin) end

--- Labels connected elements that are not 0.
---@param input cupola.Operand
---@param structure? cupola.Operand|cupola.Options # which elements are neighbours, its own mirror image; default: those along axes
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype; default int32
---@return cupola.Array labels # from 1 in the order of their first elements; 0: background. Not returned if output is an array
---@return integer count
function cp.scipy.ndimage.label(input, structure, output) end

--- Applies a function to the values of each label.
---@param input cupola.Operand
---@param labels cupola.Operand # nil: all elements together
---@param index cupola.Operand # the labels; nil: all elements whose label is greater than 0 together
---@param func function # gets a vector of a label's values, in C order, and returns a number or a 0-d array
---@param out_dtype string
---@param default number # for labels without elements
---@param pass_positions? boolean|cupola.Options # also pass the values' flat positions
---@return cupola.Array
function cp.scipy.ndimage.labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions) end

--- The Laplacian: the sum of second differences along all axes.
---@param input cupola.Operand
---@param output? cupola.Operand|cupola.Options
---@param mode? string|table|cupola.Options
---@param cval? number|cupola.Options
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.scipy.ndimage.laplace(input, output, mode, cval, axes) end

--- Values at given coordinates.
---@param input cupola.Operand
---@param coordinates cupola.Operand # an array whose first axis has a row for each axis of input; they count from 1
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype
---@param order? integer|cupola.Options # of the splines, 0 to 5; default 3
---@param mode? string|cupola.Options # what lies beyond the ends; default "constant"
---@param cval? number|cupola.Options # the constant; default 0
---@param prefilter? boolean|cupola.Options # false: input holds coefficients
---@return cupola.Array
function cp.scipy.ndimage.map_coordinates(input, coordinates, output, order, mode, cval, prefilter) end

--- Greatest values of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.maximum(input, labels, index) end

--- Greatest elements around.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.maximum_filter(input, size, footprint, output, mode, cval, origin, axes) end

--- Greatest elements along an axis.
---@param input cupola.Operand
---@param size  integer
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.maximum_filter1d(input, size, axis, output, mode, cval, origin) end

--- Positions of the greatest values of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.maximum_position(input, labels, index) end

--- Means of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.mean(input, labels, index) end

--- Medians of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.median(input, labels, index) end

--- The median of each element's neighbourhood; for an even number of elements, the upper one of the two in
--- the middle.
---@param input cupola.Operand
---@param size? integer|table|cupola.Options # one for all axes or one for each
---@param footprint? cupola.Operand|cupola.Options # instead of size: which neighbouring elements count
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options # along which the window extends; default: all
---@return cupola.Array
function cp.scipy.ndimage.median_filter(input, size, footprint, output, mode, cval, origin, axes) end

--- Least values of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.minimum(input, labels, index) end

--- Least elements around.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.minimum_filter(input, size, footprint, output, mode, cval, origin, axes) end

--- Least elements along an axis.
---@param input cupola.Operand
---@param size  integer
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.minimum_filter1d(input, size, axis, output, mode, cval, origin) end

--- Positions of the least values of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.minimum_position(input, labels, index) end

--- Dilation minus erosion.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.morphological_gradient(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- Dilation plus erosion minus input twice.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.morphological_laplace(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- A percentile of each element's neighbourhood, as one of its elements.
---@param input cupola.Operand
---@param percentile number # 0 to 100; negative: from the largest
---@param size? integer|table|cupola.Options
---@param footprint? cupola.Operand|cupola.Options
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options # along which the window extends; default: all
---@return cupola.Array
function cp.scipy.ndimage.percentile_filter(input, percentile, size, footprint, output, mode, cval, origin, axes) end

--- Differences along an axis, summed up along the others.
---@param input cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.prewitt(input, axis, output, mode, cval) end

--- The element of a given rank in each sorted neighbourhood.
---@param input cupola.Operand
---@param rank integer # from 0: the smallest; negative: from the largest
---@param size? integer|table|cupola.Options
---@param footprint? cupola.Operand|cupola.Options
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options # along which the window extends; default: all
---@return cupola.Array
function cp.scipy.ndimage.rank_filter(input, rank, size, footprint, output, mode, cval, origin, axes) end

--- Turns an array in the plane of two axes.
---@param input cupola.Operand
---@param angle number # in degrees
---@param axes? integer|table|cupola.Options # the two axes; default {2, 1}
---@param reshape? boolean|cupola.Options # false: the shape stays, and what does not fit is cut off
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype
---@param order? integer|cupola.Options # of the splines, 0 to 5; default 3
---@param mode? string|cupola.Options # what lies beyond the ends; default "constant"
---@param cval? number|cupola.Options # the constant; default 0
---@param prefilter? boolean|cupola.Options # false: input holds coefficients
---@return cupola.Array
function cp.scipy.ndimage.rotate(input, angle, axes, reshape, output, order, mode, cval, prefilter) end

--- Moves an array's contents along its axes.
---@param input cupola.Operand
---@param shift cupola.Operand # how far, one number for all axes or one for each
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype
---@param order? integer|cupola.Options # of the splines, 0 to 5; default 3
---@param mode? string|cupola.Options # what lies beyond the ends; default "constant"
---@param cval? number|cupola.Options # the constant; default 0
---@param prefilter? boolean|cupola.Options # false: input holds coefficients
---@return cupola.Array
function cp.scipy.ndimage.shift(input, shift, output, order, mode, cval, prefilter) end

--- Differences along an axis, smoothed along the others.
---@param input cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.sobel(input, axis, output, mode, cval) end

--- Turns elements into the coefficients of a spline, along all axes.
---@param input cupola.Operand
---@param order? integer|cupola.Options # 2 to 5; default 3
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype; default float64
---@param mode? string|cupola.Options # what lies beyond the ends; default "mirror"
---@return cupola.Array
function cp.scipy.ndimage.spline_filter(input, order, output, mode) end

--- Turns elements into the coefficients of a spline, along one axis.
---@param input cupola.Operand
---@param order? integer|cupola.Options # 0 to 5; default 3
---@param axis? integer|cupola.Options # default: the last
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype; default float64
---@param mode? string|cupola.Options # what lies beyond the ends; default "mirror"
---@return cupola.Array
function cp.scipy.ndimage.spline_filter1d(input, order, axis, output, mode) end

--- Standard deviations of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.standard_deviation(input, labels, index) end

--- Sums of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.sum(input, labels, index) end

--- Sums of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.sum_labels(input, labels, index) end

--- The means of boxes.
---@param input cupola.Operand
---@param size? integer|table|cupola.Options # one for all axes or one for each; default 3
---@param output? cupola.Operand|cupola.Options
---@param mode? string|table|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.scipy.ndimage.uniform_filter(input, size, output, mode, cval, origin, axes) end

--- The means of `size` elements along an axis.
---@param input cupola.Operand
---@param size integer
---@param axis? integer|cupola.Options # default: the last
---@param output? cupola.Operand|cupola.Options
---@param mode? string|table|cupola.Options
---@param cval? number|cupola.Options
---@param origin? integer|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.uniform_filter1d(input, size, axis, output, mode, cval, origin) end

--- Where each value of an array occurs.
---@param arr cupola.Operand # integers
---@param ignore_value? integer|cupola.Options # a value that is left out
---@return table # value -> a table of int64 arrays, one for each axis, of positions in C order; it is an index
function cp.scipy.ndimage.value_indices(arr, ignore_value) end

--- Variances of labels; without index of all elements that are not background.
---@param input cupola.Operand
---@param labels? cupola.Operand
---@param index? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.variance(input, labels, index) end

--- What an opening removes.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param structure? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@param axes? integer|table
---@return cupola.Array
function cp.scipy.ndimage.white_tophat(input, size, footprint, structure, output, mode, cval, origin, axes) end

--- Makes an array larger or smaller.
---@param input cupola.Operand
---@param zoom cupola.Operand # by what factor, one number for all axes or one for each
---@param output? cupola.Operand|cupola.Options # an array to write to, or a dtype
---@param order? integer|cupola.Options # of the splines, 0 to 5; default 3
---@param mode? string|cupola.Options # what lies beyond the ends; default "constant"
---@param cval? number|cupola.Options # the constant; default 0
---@param prefilter? boolean|cupola.Options # false: input holds coefficients
---@param grid_mode? boolean|cupola.Options # true: elements are cells, and distances are between their borders, not centres
---@return cupola.Array
function cp.scipy.ndimage.zoom(input, zoom, output, order, mode, cval, prefilter, grid_mode) end

cp.scipy.signal = {}

--- A chirp z-transform that can be applied to many signals: call it with a signal, and an axis (default:
--- the last). Its method points() gives the points a w^-k.
---@param n integer # the number of samples
---@param m? integer|cupola.Options # the number of points; default n
---@param w? cupola.Operand|cupola.Options # the ratio between points; default: equally spaced ones around the unit circle
---@param a? cupola.Operand|cupola.Options # the first point; default 1
---@return table
function cp.scipy.signal.CZT(n, m, w, a) end

--- A Fourier transform of a part of the frequencies that can be applied to many signals: call it with a
--- signal, and an axis (default: the last). Its method points() gives the points on the unit circle.
---@param n integer # the number of samples
---@param fn cupola.Operand # the last frequency, or the first and the last
---@param m? integer|cupola.Options # the number of frequencies; default n
---@param fs? number|cupola.Options # the sampling rate; default 2
---@param endpoint? boolean|cupola.Options # whether the last frequency is among them; default false
---@return table
function cp.scipy.signal.ZoomFFT(n, fn, m, fs, endpoint) end

--- Where elements compare with their neighbours along an axis in a way.
---@param data cupola.Operand
---@param comparator function # of two arrays, such as cp.greater_equal
---@param axis? integer|cupola.Options # default: the first
---@param order? integer|cupola.Options # how many neighbours on both sides; default 1
---@param mode? string|cupola.Options # what lies beyond the ends: "clip" (default): the outermost element, "wrap"
---@return table # for each axis a vector of positions, as from nonzero
function cp.scipy.signal.argrelextrema(data, comparator, axis, order, mode) end

--- Positions of elements above their neighbours along an axis.
---@param data cupola.Operand
---@param axis? integer|table
---@param order? "C"|"F"|"A"|"K"
---@param mode? cupola.Operand
---@return table
function cp.scipy.signal.argrelmax(data, axis, order, mode) end

--- Positions of elements below their neighbours along an axis.
---@param data cupola.Operand
---@param axis? integer|table
---@param order? "C"|"F"|"A"|"K"
---@param mode? cupola.Operand
---@return table
function cp.scipy.signal.argrelmin(data, axis, order, mode) end

--- The order of a bandstop filter, not rounded, with one edge of the passband moved.
---@param wp number # the edge
---@param ind integer # which edge it is, 1 or 2
---@param passb cupola.Operand # two edges
---@param stopb cupola.Operand # two edges
---@param gpass number
---@param gstop number
---@param type string # "butter", "cheby" or "ellip"
---@return number
function cp.scipy.signal.band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type) end

--- A Bessel filter: with a delay that is nearly the same for all frequencies of the passband.
---@param N integer # the order, up to 30
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param btype? string|cupola.Options # as for butter
---@param analog? boolean|cupola.Options
---@param output? string|cupola.Options
---@param norm? string|cupola.Options # what Wn is, as for besselap; default "phase"
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.bessel(N, Wn, btype, analog, output, norm, fs) end

--- The Bessel filter of order N as an analogue lowpass filter.
---@param N integer # up to 30
---@param norm? string|cupola.Options # "phase" (default): the phase is half of its total at 1 radian per second, "delay": the delay in the passband is 1 second, "mag": 1 / sqrt(2) at 1 radian per second
---@return cupola.Array z # zeros: float64, none
---@return cupola.Array p # poles: complex128
---@return number k # gain
function cp.scipy.signal.besselap(N, norm) end

--- Makes a digital filter of an analogue one, by the bilinear transform.
---@param b cupola.Operand # highest power first
---@param a cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.bilinear(b, a, fs) end

--- Makes a digital filter of an analogue one, by the bilinear transform.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param fs number # the sampling rate
---@return cupola.Array z
---@return cupola.Array p
---@return number k
function cp.scipy.signal.bilinear_zpk(z, p, k, fs) end

--- The Butterworth filter of order N as an analogue lowpass filter, 1 / sqrt(2) at 1 radian per second.
---@param N integer
---@return cupola.Array z # zeros: float64, none
---@return cupola.Array p # poles: complex128
---@return number k # gain
function cp.scipy.signal.buttap(N) end

--- A Butterworth filter: maximally flat in the passband.
---@param N integer # the order; of bands the filter's order is 2 N
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param btype? string|cupola.Options # "low" (default), "high", "bandpass" or "bandstop"
---@param analog? boolean|cupola.Options # whether it is a filter for continuous time, Wn in radians per second
---@param output? string|cupola.Options # "ba" (default): numerator and denominator, "sos": second-order sections, "zpk": zeros, poles and gain
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return any ...
function cp.scipy.signal.butter(N, Wn, btype, analog, output, fs) end

--- The lowest order of a Butterworth filter that loses at most gpass decibels in the passband and at least
--- gstop in the stopband.
---@param wp cupola.Operand # the edge of the passband, or two
---@param ws cupola.Operand # the edge of the stopband, or two
---@param gpass number
---@param gstop number
---@param analog? boolean|cupola.Options # whether it is a filter for continuous time, with edges in radians per second
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return integer ord
---@return cupola.Array wn # the cutoff frequency for butter, or a vector of two
function cp.scipy.signal.buttord(wp, ws, gpass, gstop, analog, fs) end

--- The Chebyshev filter of type I of order N as an analogue lowpass filter, whose passband ends at 1
--- radian per second.
---@param N integer
---@param rp number # the ripples of the passband in decibels
---@return cupola.Array z # zeros: float64, none
---@return cupola.Array p # poles: complex128
---@return number k # gain
function cp.scipy.signal.cheb1ap(N, rp) end

--- The lowest order of a Chebyshev filter of type I, as buttord.
---@param wp cupola.Operand
---@param ws cupola.Operand
---@param gpass number
---@param gstop number
---@param analog? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return integer ord
---@return cupola.Array wn # the cutoff frequency for cheby1, or a vector of two
function cp.scipy.signal.cheb1ord(wp, ws, gpass, gstop, analog, fs) end

--- The Chebyshev filter of type II of order N as an analogue lowpass filter, whose stopband begins at 1
--- radian per second.
---@param N integer
---@param rs number # the attenuation of the stopband in decibels
---@return cupola.Array z # zeros: complex128
---@return cupola.Array p # poles: complex128
---@return number k # gain
function cp.scipy.signal.cheb2ap(N, rs) end

--- The lowest order of a Chebyshev filter of type II, as buttord.
---@param wp cupola.Operand
---@param ws cupola.Operand
---@param gpass number
---@param gstop number
---@param analog? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return integer ord
---@return cupola.Array wn # the cutoff frequency for cheby2, or a vector of two
function cp.scipy.signal.cheb2ord(wp, ws, gpass, gstop, analog, fs) end

--- A Chebyshev filter of type I: with ripples in the passband.
---@param N integer # the order
---@param rp number # the ripples in decibels
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param btype? string|cupola.Options # as for butter
---@param analog? boolean|cupola.Options
---@param output? string|cupola.Options
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.cheby1(N, rp, Wn, btype, analog, output, fs) end

--- A Chebyshev filter of type II: with ripples in the stopband.
---@param N integer # the order
---@param rs number # the attenuation of the stopband in decibels
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param btype? string|cupola.Options # as for butter
---@param analog? boolean|cupola.Options
---@param output? string|cupola.Options
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.cheby2(N, rs, Wn, btype, analog, output, fs) end

--- Whether overlapping windows add up to a constant, so that stft with them can be inverted.
---@param window cupola.Operand # as of get_window, or a vector
---@param nperseg integer # its length
---@param noverlap integer
---@param tol? number|cupola.Options # default 1e-10
---@return boolean
function cp.scipy.signal.check_COLA(window, nperseg, noverlap, tol) end

--- Whether the squares of overlapping windows add up to more than 0 everywhere, so that istft with them is
--- possible.
---@param window cupola.Operand # as of get_window, or a vector
---@param nperseg integer # its length
---@param noverlap integer
---@param tol? number|cupola.Options # default 1e-10
---@return boolean
function cp.scipy.signal.check_NOLA(window, nperseg, noverlap, tol) end

--- A cosine whose frequency goes from f0 at time 0 to f1 at time t1.
---@param t cupola.Operand # times
---@param f0 number
---@param t1 number
---@param f1 number
---@param method? string|cupola.Options # "linear" (default), "quadratic", "logarithmic" or "hyperbolic"
---@param phi? number|cupola.Options # the phase in degrees; default 0
---@param vertex_zero? boolean|cupola.Options # for a quadratic sweep: slowest at time 0 (default), else at t1
---@return cupola.Array
function cp.scipy.signal.chirp(t, f0, t1, f1, method, phi, vertex_zero) end

--- Which method is faster: "direct" or "fft". Integers are always convolved directly, which is exact.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # default "full"
---@return string
function cp.scipy.signal.choose_conv_method(in1, in2, mode) end

--- The coherence of two signals at each frequency, from 0 to 1: the squared cross spectrum divided by the
--- product of their power spectra.
---@param x cupola.Operand
---@param y cupola.Operand
---@param fs? number|cupola.Options # this and the following as for welch
---@param window? cupola.Operand|cupola.Options
---@param nperseg? integer|cupola.Options
---@param noverlap? integer|cupola.Options
---@param nfft? integer|cupola.Options
---@param detrend? cupola.Operand|cupola.Options
---@param axis? integer|cupola.Options
---@return cupola.Array # frequencies
---@return cupola.Array
function cp.scipy.signal.coherence(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis) end

--- The convolution of two arrays with equally many axes: sums of in1[i] * in2[j] with constant i + j.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default): wherever they overlap, "same": of in1's shape, "valid": where they overlap completely
---@param method? string|cupola.Options # "auto" (default), "direct", or "fft"
---@return cupola.Array
function cp.scipy.signal.convolve(in1, in2, mode, method) end

--- The convolution of two matrices, with a choice of boundary for the first.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same" or "valid"
---@param boundary? string|cupola.Options # "fill" (default): fillvalue, "wrap": periodic, "symm": mirrored
---@param fillvalue? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.scipy.signal.convolve2d(in1, in2, mode, boundary, fillvalue) end

--- The cross-correlation of two arrays with equally many axes: sums of in1[i + k] * conj(in2[i]) for each
--- lag k.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # as for convolve
---@param method? string|cupola.Options # "auto" (default), "direct", or "fft"
---@return cupola.Array
function cp.scipy.signal.correlate(in1, in2, mode, method) end

--- The cross-correlation of two matrices, with a choice of boundary for the first.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same" or "valid"
---@param boundary? string|cupola.Options # "fill" (default): fillvalue, "wrap": periodic, "symm": mirrored
---@param fillvalue? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.scipy.signal.correlate2d(in1, in2, mode, boundary, fillvalue) end

--- The lags of the elements of a correlation of vectors.
---@param in1_len integer
---@param in2_len integer
---@param mode? string|cupola.Options # as for correlate
---@return cupola.Array # int64 array
function cp.scipy.signal.correlation_lags(in1_len, in2_len, mode) end

--- The cross spectrum of two signals: the mean of conj(X) * Y over the transforms of their segments. The
--- shorter signal is zero-padded.
---@param x cupola.Operand
---@param y cupola.Operand
---@param fs? number|cupola.Options # this and the following as for welch
---@param window? cupola.Operand|cupola.Options
---@param nperseg? integer|cupola.Options
---@param noverlap? integer|cupola.Options
---@param nfft? integer|cupola.Options
---@param detrend? cupola.Operand|cupola.Options
---@param return_onesided? boolean|cupola.Options
---@param scaling? string|cupola.Options
---@param axis? integer|cupola.Options
---@param average? string|cupola.Options
---@return cupola.Array # frequencies
---@return cupola.Array # complex
function cp.scipy.signal.csd(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average) end

--- The z-transform of a signal at the points a w^-k.
---@param x cupola.Operand
---@param m? integer|cupola.Options # the number of points; default: that of the samples
---@param w? cupola.Operand|cupola.Options # the ratio between points; default: equally spaced ones around the unit circle
---@param a? cupola.Operand|cupola.Options # the first point; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # complex128
function cp.scipy.signal.czt(x, m, w, a, axis) end

--- The points of a chirp z-transform.
---@param m integer
---@param w? cupola.Operand|cupola.Options # as for czt
---@param a? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.scipy.signal.czt_points(m, w, a) end

--- Downsamples a signal by the factor q after a low-pass filter.
---@param x cupola.Operand
---@param q integer
---@param n? integer|cupola.Options # order of the filter; default 8, for "fir" 20 q
---@param ftype? string|cupola.Options # "iir" (default): a Chebyshev filter, or "fir": with a Hamming window
---@param axis? integer|cupola.Options # default: the last
---@param zero_phase? boolean|cupola.Options # whether to avoid a phase shift; default true
---@return cupola.Array # floating array
function cp.scipy.signal.decimate(x, q, n, ftype, axis, zero_phase) end

--- Divides one vector by another as polynomials: what convolved with the divisor, plus a remainder, is the
--- signal.
---@param signal cupola.Operand
---@param divisor cupola.Operand
---@return cupola.Array quotient
---@return cupola.Array remainder
function cp.scipy.signal.deconvolve(signal, divisor) end

--- Removes the trend of x along an axis.
---@param data cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param type? string|cupola.Options # "linear" (default): the best linear fit, "constant": the mean
---@param bp? cupola.Operand|cupola.Options # breakpoints of a piecewise linear trend: how many elements come before each
---@return cupola.Array # floating array
function cp.scipy.signal.detrend(data, axis, type, bp) end

--- An elliptic filter: with ripples in both bands, and the shortest transition between them.
---@param N integer # the order
---@param rp number # the ripples of the passband in decibels
---@param rs number # the attenuation of the stopband in decibels
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param btype? string|cupola.Options # as for butter
---@param analog? boolean|cupola.Options
---@param output? string|cupola.Options
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.ellip(N, rp, rs, Wn, btype, analog, output, fs) end

--- The elliptic filter of order N as an analogue lowpass filter, whose passband ends at 1 radian per
--- second.
---@param N integer
---@param rp number # the ripples of the passband in decibels
---@param rs number # the attenuation of the stopband in decibels
---@return cupola.Array z # zeros: complex128
---@return cupola.Array p # poles: complex128
---@return number k # gain
function cp.scipy.signal.ellipap(N, rp, rs) end

--- The lowest order of an elliptic filter, as buttord.
---@param wp cupola.Operand
---@param ws cupola.Operand
---@param gpass number
---@param gstop number
---@param analog? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return integer ord
---@return cupola.Array wn # the cutoff frequency for ellip, or a vector of two
function cp.scipy.signal.ellipord(wp, ws, gpass, gstop, analog, fs) end

--- The convolution of two arrays by Fourier transforms.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same": of in1's shape, "valid": where they overlap completely
---@param axes? integer|table|cupola.Options # axes to convolve along; shapes broadcast on the others. Default: all
---@return cupola.Array # floating array
function cp.scipy.signal.fftconvolve(in1, in2, mode, axes) end

--- Applies lfilter forward and backward, so that the phase is not shifted.
---@param b cupola.Operand
---@param a cupola.Operand
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param padtype? cupola.Operand|cupola.Options # "odd" (default), "even", "constant" or false: how x is extended at its ends
---@param padlen? integer|cupola.Options # the length of the extension; default 3 max(#a, #b)
---@param method? string|cupola.Options # "pad" (default), or "gust": not extended, the states at the ends are those with which forward and backward first give the same
---@param irlen? integer|cupola.Options # of "gust": how many elements a state affects; default: all
---@return cupola.Array
function cp.scipy.signal.filtfilt(b, a, x, axis, padtype, padlen, method, irlen) end

--- Finds the peaks of a vector: positions, from 1, that are higher than their neighbours, and their
--- properties. A condition is a least value, {least, greatest}, or an array of x's length of least values.
---@param x cupola.Operand # real vector
---@param height? cupola.Operand|cupola.Options
---@param threshold? integer|cupola.Options # of the height above both neighbours
---@param distance? number|cupola.Options # least distance between peaks; the higher peak remains
---@param prominence? cupola.Operand|cupola.Options
---@param width? cupola.Operand|cupola.Options
---@param wlen? integer|cupola.Options # how many elements around a peak determine its prominence
---@param rel_height? number|cupola.Options # the part of the prominence below the peak at which it is as wide as its width; default 0.5
---@param plateau_size? cupola.Operand|cupola.Options # of the number of equal highest elements
---@return cupola.Array peaks # int64 vector
---@return table properties # vectors: peak_heights, left_thresholds, prominences, left_bases, widths, ...
function cp.scipy.signal.find_peaks(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau_size) end

--- Frequencies at which the response of an analogue filter is worth computing.
---@param num integer # the numerator's coefficients, or zeros
---@param den cupola.Operand # the denominator's coefficients, or poles
---@param N integer # how many
---@param kind? string|cupola.Options # "ba" (default): coefficients, "zp": zeros and poles
---@return cupola.Array
function cp.scipy.signal.findfreqs(num, den, N, kind) end

--- An FIR filter that is nearest to given gains, in the sense of least squares.
---@param numtaps integer # odd
---@param bands cupola.Operand # pairs of frequencies
---@param desired cupola.Operand # the gain at each of them; it is linear within a band
---@param weight? cupola.Operand|cupola.Options # one for each band; default 1
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array # float64 vector
function cp.scipy.signal.firls(numtaps, bands, desired, weight, fs) end

--- An FIR filter with numtaps coefficients, designed by the window method.
---@param numtaps integer
---@param cutoff cupola.Operand # the cutoff frequency, or a table of them
---@param width? number|cupola.Options # width of the transition; if given, the window is a Kaiser window
---@param window? cupola.Operand|cupola.Options # as of get_window; default "hamming"
---@param pass_zero? cupola.Operand|cupola.Options # whether frequency 0 passes, or "lowpass", "highpass", "bandpass", "bandstop"; default true
---@param scale? boolean|cupola.Options # whether the gain is 1 at the centre of the first passband; default true
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array # float64 vector
function cp.scipy.signal.firwin(numtaps, cutoff, width, window, pass_zero, scale, fs) end

--- An FIR filter with gains at given frequencies, and linear ones between, by the window method.
---@param numtaps integer
---@param freq cupola.Operand # from 0 to half of fs; a frequency that is there twice is a jump
---@param gain cupola.Operand # one for each
---@param nfreqs? integer|cupola.Options # how many frequencies are interpolated; default: 1 + a power of 2 from numtaps on
---@param window? cupola.Operand|cupola.Options # as of get_window; default "hamming", false for none
---@param antisymmetric? boolean|cupola.Options # whether coefficients are odd around the middle
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array # float64 vector
function cp.scipy.signal.firwin2(numtaps, freq, gain, nfreqs, window, antisymmetric, fs) end

--- The frequency response of an analogue filter.
---@param b cupola.Operand # highest power first
---@param a cupola.Operand
---@param worN? cupola.Operand|cupola.Options # the number of frequencies, default 200, or an array of them, or one that is no whole number
---@return cupola.Array w # in radians per second
---@return cupola.Array h # complex
function cp.scipy.signal.freqs(b, a, worN) end

--- The frequency response of an analogue filter with these zeros, poles and gain.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param worN? cupola.Operand|cupola.Options # as for freqs
---@return cupola.Array w # in radians per second
---@return cupola.Array h # complex
function cp.scipy.signal.freqs_zpk(z, p, k, worN) end

--- The frequency response of a filter, or of several: coefficients lie along the first axis of b and a, and
--- their other axes broadcast with those of the frequencies.
---@param b cupola.Operand
---@param a? cupola.Operand|cupola.Options # default 1
---@param worN? cupola.Operand|cupola.Options # the number of frequencies, default 512, or an array of them, or one that is no whole number
---@param whole? boolean|cupola.Options # up to the sampling rate instead of half of it
---@param fs? number|cupola.Options # the sampling rate; default 2 pi
---@param include_nyquist? boolean|cupola.Options # whether half the sampling rate is the last frequency
---@return cupola.Array w
---@return cupola.Array h # complex
function cp.scipy.signal.freqz(b, a, worN, whole, fs, include_nyquist) end

--- The same as cp.scipy.signal.sosfreqz.
---@param sos cupola.Operand
---@param worN? cupola.Operand|cupola.Options
---@param whole? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return cupola.Array w
---@return cupola.Array h # complex
function cp.scipy.signal.freqz_sos(sos, worN, whole, fs) end

--- The frequency response of a filter with these zeros, poles and gain.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param worN? cupola.Operand|cupola.Options # as for freqz
---@param whole? boolean|cupola.Options
---@param fs? number|cupola.Options # the sampling rate; default 2 pi
---@return cupola.Array w
---@return cupola.Array h # complex
function cp.scipy.signal.freqz_zpk(z, p, k, worN, whole, fs) end

--- A gammatone filter, as a place of the ear's cochlea.
---@param freq number # the frequency in its middle
---@param ftype string # "fir" or "iir", of order 8
---@param order? integer|cupola.Options # of "fir", from 1 to 24; default 4
---@param numtaps? integer|cupola.Options # of "fir"; default: 15 milliseconds, at least 15
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.gammatone(freq, ftype, order, numtaps, fs) end

--- A sine with a Gaussian envelope: the in-phase part, then, if requested, the quadrature part and the
--- envelope.
---@param t cupola.Operand # times
---@param fc? number|cupola.Options # the frequency; default 1000
---@param bw? number|cupola.Options # bandwidth as a fraction of fc; default 0.5
---@param bwr? number|cupola.Options # the level at which the bandwidth is measured, in decibels; default -6
---@param tpr? number|cupola.Options # for t = "cutoff": the level of the time to return, in decibels; default -60
---@param retquad? boolean|cupola.Options
---@param retenv? boolean|cupola.Options
---@return any ...
function cp.scipy.signal.gausspulse(t, fc, bw, bwr, tpr, retquad, retenv) end

--- A window by its name, or by a table of name and parameters: {"kaiser", 8}, {"gaussian", 7}. A number is
--- the beta of a Kaiser window.
---@param window cupola.Operand # a name that ends in _symmetric or _periodic overrides fftbins
---@param Nx integer
---@param fftbins? boolean|cupola.Options # true (default): periodic, for spectra; false: symmetric
---@return cupola.Array # float64 array
function cp.scipy.signal.get_window(window, Nx, fftbins) end

--- The delay of a filter's output at each frequency, in samples; 0 where it is not defined.
---@param system cupola.Operand # a table of b and a
---@param w? cupola.Operand|cupola.Options # as worN of freqz
---@param whole? boolean|cupola.Options
---@param fs? number|cupola.Options # the sampling rate; default 2 pi
---@return cupola.Array w
---@return cupola.Array gd # float64
function cp.scipy.signal.group_delay(system, w, whole, fs) end

--- The analytic signal: x with its Hilbert transform as the imaginary part.
---@param x cupola.Operand # real
---@param N? integer|cupola.Options # length of the transform; default: that of x
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # complex array
function cp.scipy.signal.hilbert(x, N, axis) end

--- The analytic signal of a matrix: the part of its spectrum with positive frequencies along both axes.
---@param x cupola.Operand # real, with at least two axes
---@param N? integer|cupola.Options # lengths of the transform along the two axes, or one for both; default: x's
---@param axes? integer|table|cupola.Options # two axes; default: the last two
---@return cupola.Array # complex array
function cp.scipy.signal.hilbert2(x, N, axes) end

--- A digital filter that stops or passes narrow bands at the multiples of a frequency.
---@param w0 number # their distance, by which fs must be divisible
---@param Q number # the quality: w0 divided by the width of a band between points of -3 decibels
---@param ftype? string|cupola.Options # "notch" (default): stops them, "peak": passes them
---@param fs? number|cupola.Options # the sampling rate; default 2
---@param pass_zero? boolean|cupola.Options # whether bands of a peaking filter, or gaps of a notching one, are at multiples of w0 and 0 (of peaks; default false)
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.iircomb(w0, Q, ftype, fs, pass_zero) end

--- The filter of the lowest order that loses at most gpass decibels in the passband and at least gstop in
--- the stopband.
---@param wp cupola.Operand # the edge of the passband, or two
---@param ws cupola.Operand # the edge of the stopband, or two
---@param gpass number
---@param gstop number
---@param analog? boolean|cupola.Options
---@param ftype? string|cupola.Options # "ellip" (default), "butter", "cheby1" or "cheby2"
---@param output? string|cupola.Options # as for butter
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.iirdesign(wp, ws, gpass, gstop, analog, ftype, output, fs) end

--- A filter of one of five kinds.
---@param N integer # the order
---@param Wn cupola.Operand # the cutoff frequency, or two for bands
---@param rp? number|cupola.Options # the ripples of the passband in decibels, of Chebyshev I and elliptic filters
---@param rs? number|cupola.Options # the attenuation of the stopband in decibels, of Chebyshev II and elliptic filters
---@param btype? string|cupola.Options # "bandpass" (default), "low", "high" or "bandstop"
---@param analog? boolean|cupola.Options
---@param ftype? string|cupola.Options # "butter" (default), "cheby1", "cheby2", "ellip", "bessel"; or "bessel_delay" or "bessel_mag", with another norm
---@param output? string|cupola.Options # as for butter
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.iirfilter(N, Wn, rp, rs, btype, analog, ftype, output, fs) end

--- A digital filter that stops a narrow band.
---@param w0 number # the frequency in its middle
---@param Q number # the quality: w0 divided by the width between points of -3 decibels
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.iirnotch(w0, Q, fs) end

--- A digital filter that passes a narrow band.
---@param w0 number # the frequency in its middle
---@param Q number # the quality: w0 divided by the width between points of -3 decibels
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.iirpeak(w0, Q, fs) end

--- The inverse short-time Fourier transform.
---@param Zxx cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # that of stft; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default: from Zxx's frequencies, an even length
---@param noverlap? integer|cupola.Options # how many elements two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform
---@param input_onesided? boolean|cupola.Options # whether Zxx has only frequencies from 0; default true
---@param boundary? boolean|cupola.Options # whether the signal was extended at its ends; default true
---@param time_axis? integer|cupola.Options # the axis of the segments; default: the last
---@param freq_axis? integer|cupola.Options # default: the second to last
---@param scaling? string|cupola.Options # that of stft; "spectrum" (default) or "psd"
---@return cupola.Array # times
---@return cupola.Array # the signal, along the axis of the segments
function cp.scipy.signal.istft(Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling) end

--- The attenuation in decibels of a filter designed with a Kaiser window.
---@param numtaps integer
---@param width number # width of the transition, relative to half the sampling rate
---@return number
function cp.scipy.signal.kaiser_atten(numtaps, width) end

--- The beta of a Kaiser window for an attenuation in decibels.
---@param a number
---@return number
function cp.scipy.signal.kaiser_beta(a) end

--- The length and the beta of a Kaiser window that keep ripples below a number of decibels.
---@param ripple number
---@param width number # width of the transition, relative to half the sampling rate
---@return integer numtaps
---@return number beta
function cp.scipy.signal.kaiserord(ripple, width) end

--- Filters along an axis with the rational transfer function b / a.
---@param b cupola.Operand # vector: numerator coefficients
---@param a cupola.Operand # vector: denominator coefficients; all are divided by the first
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param zi? cupola.Operand|cupola.Options # the initial states: x's shape with max(#a, #b) - 1 along the axis; 1 along another is for all of it
---@return cupola.Array y # floating array of x's shape
---@return cupola.Array zf # with zi: the final states
function cp.scipy.signal.lfilter(b, a, x, axis, zi) end

--- The steady states of lfilter for a step of height 1: multiplied by the first element of a signal, they
--- avoid a jump at its start.
---@param b cupola.Operand
---@param a cupola.Operand # zeros at its beginning are left out
---@return cupola.Array # vector of max(#a, #b) - 1
function cp.scipy.signal.lfilter_zi(b, a) end

--- The states of lfilter after given earlier outputs y and inputs x, the most recent first.
---@param b cupola.Operand
---@param a cupola.Operand
---@param y cupola.Operand # vector
---@param x? cupola.Operand|cupola.Options # vector; default zeros
---@return cupola.Array
function cp.scipy.signal.lfiltic(b, a, y, x) end

--- The Lomb-Scargle periodogram: how strong each frequency is in samples at any times.
---@param x cupola.Operand # the times
---@param y cupola.Operand # the samples
---@param freqs cupola.Operand # vector of angular frequencies
---@param precenter? boolean|cupola.Options # whether the samples' mean is subtracted first; default false
---@param normalize? cupola.Operand|cupola.Options # false (default) or "power", true or "normalize": relative to the samples' energy, "amplitude": as complex amplitudes
---@param weights? cupola.Operand|cupola.Options # of the samples; default 1
---@param floating_mean? boolean|cupola.Options # whether a constant is fitted, too, at each frequency; default false
---@return cupola.Array # float64 vector, of amplitudes complex128
function cp.scipy.signal.lombscargle(x, y, freqs, precenter, normalize, weights, floating_mean) end

--- Makes an analogue bandpass filter of a lowpass filter with its edge at 1.
---@param b cupola.Operand
---@param a cupola.Operand
---@param wo? number|cupola.Options # the centre of the band; default 1
---@param bw? number|cupola.Options # its width; default 1
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.lp2bp(b, a, wo, bw) end

--- Makes an analogue bandpass filter of a lowpass filter with its edge at 1.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param wo? number|cupola.Options # the centre of the band; default 1
---@param bw? number|cupola.Options # its width; default 1
---@return cupola.Array z # complex128
---@return cupola.Array p # complex128
---@return number k
function cp.scipy.signal.lp2bp_zpk(z, p, k, wo, bw) end

--- Makes an analogue bandstop filter of a lowpass filter with its edge at 1.
---@param b cupola.Operand
---@param a cupola.Operand
---@param wo? number|cupola.Options # the centre of the band; default 1
---@param bw? number|cupola.Options # its width; default 1
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.lp2bs(b, a, wo, bw) end

--- Makes an analogue bandstop filter of a lowpass filter with its edge at 1.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param wo? number|cupola.Options # the centre of the band; default 1
---@param bw? number|cupola.Options # its width; default 1
---@return cupola.Array z # complex128
---@return cupola.Array p # complex128
---@return number k
function cp.scipy.signal.lp2bs_zpk(z, p, k, wo, bw) end

--- Makes an analogue highpass filter with its edge at wo of a lowpass filter with its edge at 1.
---@param b cupola.Operand
---@param a cupola.Operand
---@param wo? number|cupola.Options # default 1
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.lp2hp(b, a, wo) end

--- Makes an analogue highpass filter with its edge at wo of a lowpass filter with its edge at 1.
---@param z cupola.Operand
---@param p cupola.Operand
---@param k number
---@param wo? number|cupola.Options # default 1
---@return cupola.Array z
---@return cupola.Array p
---@return number k
function cp.scipy.signal.lp2hp_zpk(z, p, k, wo) end

--- Moves the edge of an analogue lowpass filter from 1 to wo radians per second.
---@param b cupola.Operand # highest power first
---@param a cupola.Operand
---@param wo? number|cupola.Options # default 1
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.lp2lp(b, a, wo) end

--- Moves the edge of an analogue lowpass filter from 1 to wo radians per second.
---@param z cupola.Operand # zeros
---@param p cupola.Operand # poles
---@param k number # gain
---@param wo? number|cupola.Options # default 1
---@return cupola.Array z
---@return cupola.Array p
---@return number k
function cp.scipy.signal.lp2lp_zpk(z, p, k, wo) end

--- A maximum length sequence: zeros and ones that a shift register with feedback gives, without a period
--- shorter than 2^nbits - 1.
---@param nbits integer # the length of the register
---@param state? cupola.Operand|cupola.Options # what is in it; default ones
---@param length? integer|cupola.Options # of the sequence; default 2^nbits - 1
---@param taps? cupola.Operand|cupola.Options # from where in the register the feedback comes
---@return cupola.Array seq # int8
---@return cupola.Array state # what is in the register then
function cp.scipy.signal.max_len_seq(nbits, state, length, taps) end

--- The median of each element's neighbourhood, with zeros beyond the borders.
---@param volume cupola.Operand # real, with any number of axes
---@param kernel_size? cupola.Operand|cupola.Options # an odd length, or one for each axis; default 3
---@return cupola.Array # array of the same dtype
function cp.scipy.signal.medfilt(volume, kernel_size) end

--- The median of each element's neighbourhood in a matrix, with zeros beyond the borders.
---@param input cupola.Operand
---@param kernel_size? cupola.Operand|cupola.Options # an odd length, or a table of two; default 3
---@return cupola.Array
function cp.scipy.signal.medfilt2d(input, kernel_size) end

--- Makes a filter of a linear phase one of minimum phase.
---@param h cupola.Operand # real vector, symmetric
---@param method? string|cupola.Options # "homomorphic" (default), or "hilbert", for filters with equal ripples
---@param n_fft? integer|cupola.Options # length of the transforms; default: a power of 2, 200 times as long as h
---@param half? boolean|cupola.Options # whether the result has half the order and the gain's square root; default true
---@return cupola.Array # float64 vector
function cp.scipy.signal.minimum_phase(h, method, n_fft, half) end

--- Divides both polynomials of a filter by the first coefficient of a that is not 0, and drops leading
--- zeros of both.
---@param b cupola.Operand # the numerator, highest power first; or a matrix with one in each row
---@param a cupola.Operand # the denominator
---@return cupola.Array num
---@return cupola.Array den
function cp.scipy.signal.normalize(b, a) end

--- The convolution of a long array with a short one, by Fourier transforms of blocks.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # as for fftconvolve
---@param axes? integer|table|cupola.Options # blocks are used along a single axis; with several axes, the same as fftconvolve
---@return cupola.Array # floating array
function cp.scipy.signal.oaconvolve(in1, in2, mode, axes) end

--- The element of a given rank in each sorted neighbourhood, with zeros beyond the borders.
---@param a cupola.Operand
---@param domain cupola.Operand # ones and zeros that select neighbouring elements; odd lengths
---@param rank integer # from 0: the smallest
---@return cupola.Array
function cp.scipy.signal.order_filter(a, domain, rank) end

--- How far peaks rise above their surroundings: above the higher one of the lowest points between a peak
--- and higher ground on both sides.
---@param x cupola.Operand # real vector
---@param peaks cupola.Operand # positions, from 1
---@param wlen? number|cupola.Options # how many elements around a peak count; default: all
---@return cupola.Array prominences
---@return cupola.Array left_bases # positions of the lowest points
---@return cupola.Array right_bases
function cp.scipy.signal.peak_prominences(x, peaks, wlen) end

--- How wide peaks are at a part of their prominence below them.
---@param x cupola.Operand # real vector
---@param peaks cupola.Operand # positions, from 1
---@param rel_height? number|cupola.Options # that part; default 0.5
---@param prominence_data? table|cupola.Options # the three results of peak_prominences
---@param wlen? number|cupola.Options # as for peak_prominences
---@return cupola.Array widths
---@return cupola.Array width_heights
---@return cupola.Array left_ips # where x crosses that height, from 1
---@return cupola.Array right_ips
function cp.scipy.signal.peak_widths(x, peaks, rel_height, prominence_data, wlen) end

--- The power of a signal at each frequency, from one transform of the whole signal.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as for get_window, or its values; default "boxcar"
---@param nfft? integer|cupola.Options # length of the transform; default: the signal's
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): remove the mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # for real signals, return only frequencies from 0; default true
---@param scaling? string|cupola.Options # "density" (default): power per unit of frequency, "spectrum": power
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # frequencies
---@return cupola.Array # power
function cp.scipy.signal.periodogram(x, fs, window, nfft, detrend, return_onesided, scaling, axis) end

--- Resamples x to num elements by its Fourier transform, as if it were periodic.
---@param x cupola.Operand
---@param num integer
---@param t? cupola.Operand|cupola.Options # the times of x's elements; the new times are then a second result
---@param axis? integer|cupola.Options # default: the first
---@param window? cupola.Operand|cupola.Options # factors for the frequencies: as for get_window, its values, or a function of the frequencies, in the order of fftfreq
---@param domain? string|cupola.Options # "time" (default), or "freq": x is the Fourier transform of the signal
---@return cupola.Array # floating array
---@return cupola.Array # times, if t is given
function cp.scipy.signal.resample(x, num, t, axis, window, domain) end

--- Resamples x to up / down times its sampling rate, with a low-pass filter for frequencies that both rates
--- can represent.
---@param x cupola.Operand
---@param up integer
---@param down integer
---@param axis? integer|cupola.Options # default: the first
---@param window? cupola.Operand|cupola.Options # the window of the filter, as for get_window, or the filter itself; default { "kaiser", 5 }
---@param padtype? string|cupola.Options # the values beyond the ends: "constant" (default): cval, "mean", "median", "maximum", "minimum" of the axis, or another mode of upfirdn
---@param cval? number|cupola.Options # default 0
---@return cupola.Array # floating array
function cp.scipy.signal.resample_poly(x, up, down, axis, window, padtype, cval) end

--- The weights of the Savitzky-Golay filter.
---@param window_length integer
---@param polyorder integer
---@param deriv? integer|cupola.Options # default 0
---@param delta? number|cupola.Options # distance between samples; default 1
---@param pos? integer|cupola.Options # the position in the window, from 1; default: its centre
---@param use? string|cupola.Options # "conv" (default): for convolve, "dot": for a dot product with the elements
---@return cupola.Array # float64 vector
function cp.scipy.signal.savgol_coeffs(window_length, polyorder, deriv, delta, pos, use) end

--- The Savitzky-Golay filter: each element becomes the value, or a derivative, of the polynomial that best
--- fits the window around it.
---@param x cupola.Operand
---@param window_length integer
---@param polyorder integer # less than window_length
---@param deriv? integer|cupola.Options # default 0
---@param delta? number|cupola.Options # distance between samples; default 1
---@param axis? integer|cupola.Options # default: the last
---@param mode? string|cupola.Options # at the ends: "interp" (default: the polynomials of the outermost windows), "mirror", "constant", "nearest" or "wrap"
---@param cval? number|cupola.Options # for mode "constant"; default 0
---@return cupola.Array # floating array
function cp.scipy.signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval) end

--- A sawtooth wave of period 2 pi: from -1 to 1 in the first part of each period, then back.
---@param t cupola.Operand # times
---@param width? cupola.Operand|cupola.Options # the fraction of the first part, a number or an array beside t; default 1. Where it is not from 0 to 1, the result is nan
---@return cupola.Array
function cp.scipy.signal.sawtooth(t, width) end

--- The coefficients of a filter in second-order sections.
---@param sos cupola.Operand # rows b1 b2 b3 a1 a2 a3
---@return cupola.Array b
---@return cupola.Array a
function cp.scipy.signal.sos2tf(sos) end

--- Zeros, poles and gain of a filter in second-order sections: two of each for a section, 0 for those that
--- it does not have.
---@param sos cupola.Operand # rows b1 b2 b3 a1 a2 a3
---@return cupola.Array z # complex128
---@return cupola.Array p # complex128
---@return number k
function cp.scipy.signal.sos2zpk(sos) end

--- Filters along an axis with second-order sections.
---@param sos cupola.Operand # rows b1 b2 b3 a1 a2 a3, with a1 = 1
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param zi? cupola.Operand|cupola.Options # the initial states: for each section x's shape with 2 along the axis
---@return cupola.Array y
---@return cupola.Array zf # with zi: the final states
function cp.scipy.signal.sosfilt(sos, x, axis, zi) end

--- The steady states of sosfilt for a step of height 1.
---@param sos cupola.Operand
---@return cupola.Array # (sections, 2)
function cp.scipy.signal.sosfilt_zi(sos) end

--- Applies sosfilt forward and backward, so that the phase is not shifted.
---@param sos cupola.Operand
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param padtype? cupola.Operand|cupola.Options # as for filtfilt
---@param padlen? integer|cupola.Options
---@return cupola.Array
function cp.scipy.signal.sosfiltfilt(sos, x, axis, padtype, padlen) end

--- The frequency response of a filter in second-order sections.
---@param sos cupola.Operand
---@param worN? cupola.Operand|cupola.Options
---@param whole? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return cupola.Array w
---@return cupola.Array h # complex
function cp.scipy.signal.sosfreqz(sos, worN, whole, fs) end

--- The spectra of a signal's segments, which show how its frequencies change over time.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as for get_window, or its values; default { "tukey", 0.25 }
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # how many elements two segments share; default: an eighth of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): remove each segment's mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # of real signals, frequencies from 0 on alone; default true
---@param scaling? string|cupola.Options # "density" (default) or "spectrum"
---@param axis? integer|cupola.Options # default: the last
---@param mode? string|cupola.Options # "psd" (default): power, "complex": as stft, "magnitude", "angle", "phase": unwrapped
---@return cupola.Array # frequencies
---@return cupola.Array # times of the segments' centres
---@return cupola.Array # frequencies in place of the axis, and the segments along a new last axis
function cp.scipy.signal.spectrogram(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode) end

--- A square wave of period 2 pi: 1 for the first part of each period, then -1.
---@param t cupola.Operand # times
---@param duty? cupola.Operand|cupola.Options # the fraction of the first part, a number or an array beside t; default 0.5. Where it is not from 0 to 1, the result is nan
---@return cupola.Array
function cp.scipy.signal.square(t, duty) end

--- The short-time Fourier transform of a signal, which istft inverts.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as for get_window, or its values; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # how many elements two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant", "linear", false (default), or a function of the segments
---@param return_onesided? boolean|cupola.Options # for real signals, return only frequencies from 0; default true
---@param boundary? cupola.Operand|cupola.Options # how to extend the signal, so that the first segment is centred at the first element: "zeros" (default), "even", "odd", "constant", or false: segments begin at the first element
---@param padded? boolean|cupola.Options # whether to zero-pad the signal so that segments cover its end; default true
---@param axis? integer|cupola.Options # default: the last
---@param scaling? string|cupola.Options # "spectrum" (default) or "psd"
---@return cupola.Array # frequencies
---@return cupola.Array # times of the segments' centres
---@return cupola.Array # complex: frequencies in place of the axis, and the segments along a new last axis
function cp.scipy.signal.stft(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis, scaling) end

--- A cosine whose frequency is a polynomial of time.
---@param t cupola.Operand # times
---@param poly cupola.Operand # the polynomial: coefficients, highest power first, or a poly1d
---@param phi? number|cupola.Options # the phase in degrees; default 0
---@return cupola.Array # floating array
function cp.scipy.signal.sweep_poly(t, poly, phi) end

--- The second-order sections of a filter with these coefficients.
---@param b cupola.Operand # highest power first
---@param a cupola.Operand
---@param pairing? string|cupola.Options # as for zpk2sos
---@param analog? boolean|cupola.Options
---@return cupola.Array # rows b1 b2 b3 a1 a2 a3
function cp.scipy.signal.tf2sos(b, a, pairing, analog) end

--- Zeros, poles and gain of a filter with these coefficients.
---@param b cupola.Operand # highest power first
---@param a cupola.Operand
---@return cupola.Array z # real if all are
---@return cupola.Array p
---@return number k
function cp.scipy.signal.tf2zpk(b, a) end

--- A unit impulse: zeros with a single one.
---@param shape integer|table
---@param idx? cupola.Operand|cupola.dtype|cupola.Options # the position of the one, from 1: a number for all axes, a table, or "mid"; default: the first
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.scipy.signal.unit_impulse(shape, idx, dtype) end

--- Inserts up - 1 zeros after each element of x, applies the filter h, and keeps every down-th result.
---@param h cupola.Operand # a vector
---@param x cupola.Operand
---@param up? integer|cupola.Options # default 1
---@param down? integer|cupola.Options # default 1
---@param axis? integer|cupola.Options # default: the last
---@param mode? string|cupola.Options # the values beyond the ends: "constant" (default): cval, "symmetric", "antisymmetric", "reflect", "antireflect", "edge", "wrap", "line": of the line through both ends, or "smooth": of that through the last two elements
---@param cval? number|cupola.Options # default 0
---@return cupola.Array # floating array
function cp.scipy.signal.upfirdn(h, x, up, down, axis, mode, cval) end

--- How well events keep to a period: the mean of unit vectors at their phases.
---@param events cupola.Operand # times: a vector or a number
---@param period cupola.Operand # above 0: a number, or a vector of several
---@return cupola.Array strength # 0 to 1: a number, or a vector
---@return cupola.Array phase # of the mean, in radians
function cp.scipy.signal.vectorstrength(events, period) end

--- The power of a signal at each frequency, averaged over overlapping segments (Welch's method).
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as for get_window, or its values; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # how many elements two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): remove each segment's mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # for real signals, return only frequencies from 0; default true
---@param scaling? string|cupola.Options # "density" (default): power per unit of frequency, "spectrum": power
---@param axis? integer|cupola.Options # default: the last
---@param average? string|cupola.Options # "mean" (default) or "median"
---@return cupola.Array # frequencies
---@return cupola.Array # power
function cp.scipy.signal.welch(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average) end

--- The Wiener filter: neighbourhoods with no more variance than the noise are replaced by their mean.
---@param im cupola.Operand
---@param mysize? cupola.Operand|cupola.Options # lengths of the neighbourhood; default 3
---@param noise? number|cupola.Options # its variance; default: the mean of the neighbourhoods' variances
---@return cupola.Array # floating array
function cp.scipy.signal.wiener(im, mysize, noise) end

--- The Fourier transform of a signal at m frequencies of a range.
---@param x cupola.Operand
---@param fn cupola.Operand # the last frequency, or the first and the last
---@param m? integer|cupola.Options # default: the number of samples
---@param fs? number|cupola.Options # the sampling rate; default 2
---@param endpoint? boolean|cupola.Options # whether the last frequency is among them; default false
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # complex128
function cp.scipy.signal.zoom_fft(x, fn, m, fs, endpoint, axis) end

--- The second-order sections of a filter with these zeros, poles and gain.
---@param z cupola.Operand # in conjugate pairs, or real
---@param p cupola.Operand # in conjugate pairs, or real
---@param k number
---@param pairing? string|cupola.Options # "nearest" (default): zeros go to the nearest poles, "keep_odd": the same, with a section of first order if their number is odd, "minimal": for analog filters
---@param analog? boolean|cupola.Options
---@return cupola.Array # rows b1 b2 b3 a1 a2 a3
function cp.scipy.signal.zpk2sos(z, p, k, pairing, analog) end

--- The coefficients of a filter with these zeros, poles and gain.
---@param z cupola.Operand # zeros; of several filters in the rows of a matrix
---@param p cupola.Operand # poles
---@param k integer # the gain, or one for each row
---@return cupola.Array b # highest power first, real if complex zeros come in conjugate pairs
---@return cupola.Array a
function cp.scipy.signal.zpk2tf(z, p, k) end

cp.scipy.signal.windows = {}

--- Bartlett and Hann's window.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.barthann(M, sym) end

--- A triangle that ends with zeros.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.bartlett(M, sym) end

--- Three cosines.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.blackman(M, sym) end

--- Four cosines.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.blackmanharris(M, sym) end

--- Bohman's window.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.bohman(M, sym) end

--- Ones.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.boxcar(M, sym) end

--- Dolph and Chebyshev's window: all side lobes are at decibels below.
---@param M integer
---@param at cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.chebwin(M, at, sym) end

--- Half a period of a sine.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.cosine(M, sym) end

--- Slepian windows, whose energy is most concentrated in a band: discrete prolate spheroidal sequences.
---@param M integer
---@param NW number # half the width of the band, in units of 1 / M of the sampling rate
---@param Kmax? integer|cupola.Options # how many windows; without it one, a vector
---@param sym? boolean|cupola.Options # default true
---@param norm? cupola.Operand|cupola.Options # 2: of norm 1 (default with Kmax), "approximate" (default without) or "subsample": the highest value is 1, for even M that between two elements
---@param return_ratios? boolean|cupola.Options
---@return cupola.Array # float64: (Kmax, M), or (M)
---@return cupola.Array ratios # with return_ratios: how much of the energy lies in the band
function cp.scipy.signal.windows.dpss(M, NW, Kmax, sym, norm, return_ratios) end

--- exp(-|x - center| / tau).
---@param M integer
---@param center? cupola.Operand
---@param tau? cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.exponential(M, center, tau, sym) end

--- Five cosines: amplitudes are kept.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.flattop(M, sym) end

--- A Gaussian bell.
---@param M integer
---@param std cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.gaussian(M, std, sym) end

--- A sum of cosines with these weights.
---@param M integer
---@param a cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.general_cosine(M, a, sym) end

--- exp(-|x / sig|^(2 p) / 2).
---@param M integer
---@param p cupola.Operand
---@param sig cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.general_gaussian(M, p, sig, sym) end

--- A raised cosine on a pedestal of its own.
---@param M integer
---@param alpha cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.general_hamming(M, alpha, sym) end

--- The same as cp.scipy.signal.get_window.
---@param window cupola.Operand # a name that ends in _symmetric or _periodic overrides fftbins
---@param Nx integer
---@param fftbins? boolean|cupola.Options # true (default): periodic, for spectra; false: symmetric
---@return cupola.Array # float64 array
function cp.scipy.signal.windows.get_window(window, Nx, fftbins) end

--- A raised cosine on a pedestal.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.hamming(M, sym) end

--- Half a period of a raised cosine.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.hann(M, sym) end

--- Kaiser's window.
---@param M integer
---@param beta cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.kaiser(M, beta, sym) end

--- The window whose square and its square one half later add up to 1, for transforms of overlapping halves.
---@param M integer # even
---@param beta number # as of kaiser
---@param sym? boolean|cupola.Options # must be true
---@return cupola.Array # float64 array
function cp.scipy.signal.windows.kaiser_bessel_derived(M, beta, sym) end

--- The main lobe of sinc.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.lanczos(M, sym) end

--- Nuttall's four cosines.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.nuttall(M, sym) end

--- Parzen's window, of cubic pieces.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.parzen(M, sym) end

--- Taylor's window: nbar side lobes stay sll decibels below.
---@param M integer
---@param nbar? cupola.Operand
---@param sll? cupola.Operand
---@param norm? cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.taylor(M, nbar, sll, norm, sym) end

--- A triangle that ends above zero.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.triang(M, sym) end

--- Ones with cosines at the ends, whose share is alpha.
---@param M integer
---@param alpha? cupola.Operand
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.tukey(M, alpha, sym) end

cp.scipy.sparse = {}

--- Blocks in rows; false is a block of zeros.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.block_array(blocks, format, dtype) end

--- Blocks along the diagonal.
---@param mats cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.block_diag(mats, format, dtype) end

--- Blocks in rows; false is a block of zeros.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.bmat(blocks, format, dtype) end

--- A sparse array of dense blocks compressed by rows, from a dense one, another one, a shape, triplets or raw arrays.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.bsr_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- Raises an error: there is bsr_array, and A:matmul(B) for matrix products.
---@param ... any
function cp.scipy.sparse.bsr_matrix(...) end

--- An object with :add(i, j, v), :tocsr(), :tocsc() and :tocoo().
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param device? string|cupola.Device
---@return table
function cp.scipy.sparse.builder(shape, dtype, device) end

--- A sparse array as triplets, from a dense one, another one, a shape, triplets or raw arrays.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.coo_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- Raises an error: there is coo_array, and A:matmul(B) for matrix products.
---@param ... any
function cp.scipy.sparse.coo_matrix(...) end

--- A sparse array compressed by columns, from a dense one, another one, a shape, triplets or raw arrays.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.csc_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- Raises an error: there is csc_array, and A:matmul(B) for matrix products.
---@param ... any
function cp.scipy.sparse.csc_matrix(...) end

--- A sparse array compressed by rows, from a dense one, another one, a shape, triplets or raw arrays.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.csr_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- Raises an error: there is csr_array, and A:matmul(B) for matrix products.
---@param ... any
function cp.scipy.sparse.csr_matrix(...) end

--- A sparse array by diagonals, from a dense one, another one, a shape, triplets or raw arrays.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.dia_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- Raises an error: there is dia_array, and A:matmul(B) for matrix products.
---@param ... any
function cp.scipy.sparse.dia_matrix(...) end

--- The array with these diagonals.
---@param diagonals cupola.Operand
---@param offsets? cupola.Operand
---@param shape? integer|table
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.diags(diagonals, offsets, shape, format, dtype) end

--- The array with these diagonals.
---@param diagonals cupola.Operand
---@param offsets? cupola.Operand
---@param shape? integer|table
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.diags_array(diagonals, offsets, shape, format, dtype) end

--- Raises an error: entries are added to a builder.
---@param ... any
function cp.scipy.sparse.dok_array(...) end

--- Raises an error: entries are added to a builder.
---@param ... any
function cp.scipy.sparse.dok_matrix(...) end

--- An array with one axis as a matrix: a row, or with axis 2 a column.
---@param A cupola.Operand
---@param axis? integer|table
---@return cupola.Sparse
function cp.scipy.sparse.expand_dims(A, axis) end

--- Ones on a diagonal.
---@param m cupola.Operand
---@param n? integer
---@param k? integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.scipy.sparse.eye(m, n, k, dtype, format, device) end

--- Ones on a diagonal.
---@param m cupola.Operand
---@param n? integer
---@param k? integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.scipy.sparse.eye_array(m, n, k, dtype, format, device) end

--- Positions, from 1, and values of the elements that are not 0.
---@param A cupola.Operand
---@return any rows
---@return any columns
---@return any values
function cp.scipy.sparse.find(A) end

--- int32, or int64 where positions need it.
---@param arrays? cupola.Operand
---@param maxval? cupola.Operand
---@param check_contents? cupola.Operand
---@return string
function cp.scipy.sparse.get_index_dtype(arrays, maxval, check_contents) end

--- Blocks side by side.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.hstack(blocks, format, dtype) end

--- Ones on the main diagonal.
---@param n integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.scipy.sparse.identity(n, dtype, format, device) end

--- Whether x is a sparse array.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.issparse(x) end

--- Whether x is a sparse array.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix(x) end

--- Whether x is a sparse array in this format.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix_bsr(x) end

--- Whether x is a sparse array in this format.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix_coo(x) end

--- Whether x is a sparse array in this format.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix_csc(x) end

--- Whether x is a sparse array in this format.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix_csr(x) end

--- Whether x is a sparse array in this format.
---@param x cupola.Operand
---@return boolean
function cp.scipy.sparse.isspmatrix_dia(x) end

--- The Kronecker product.
---@param A cupola.Operand
---@param B cupola.Operand
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.kron(A, B, format) end

--- kron(I, A) + kron(B, I).
---@param A cupola.Operand
---@param B cupola.Operand
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.kronsum(A, B, format) end

--- Raises an error: entries are added to a builder.
---@param ... any
function cp.scipy.sparse.lil_array(...) end

--- Raises an error: entries are added to a builder.
---@param ... any
function cp.scipy.sparse.lil_matrix(...) end

--- Reads an archive of save_npz, also SciPy's.
---@param file cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.scipy.sparse.load_npz(file, device) end

--- The transposed array.
---@param A cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.matrix_transpose(A) end

--- The array with its axes in another order.
---@param A cupola.Operand
---@param axes? integer|table
---@return cupola.Sparse
function cp.scipy.sparse.permute_dims(A, axes) end

--- Random elements at random places.
---@param m cupola.Operand
---@param n integer
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_rvs? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.rand(m, n, density, format, dtype, rng, data_rvs, random_state, seed) end

--- Random elements at random places.
---@param m cupola.Operand
---@param n integer
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_rvs? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.random(m, n, density, format, dtype, rng, data_rvs, random_state, seed) end

--- Random elements at random places.
---@param shape integer|table
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_sampler? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.random_array(shape, density, format, dtype, rng, data_sampler, random_state, seed) end

--- The arrays of positions in another dtype, which must hold them.
---@param A cupola.Operand
---@param idx_dtype? cupola.Operand
---@return any
---@return any
function cp.scipy.sparse.safely_cast_index_arrays(A, idx_dtype) end

--- alpha x1 x2 + beta A at the places that the sparse array A has: of the product of two dense matrices only these elements are computed.
---@param A cupola.Operand
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param alpha? cupola.Operand
---@param beta? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.sampled_matmul(A, x1, x2, alpha, beta) end

--- Writes a sparse array to an archive, as SciPy does.
---@param file cupola.Operand
---@param matrix cupola.Operand
---@param compressed? boolean
function cp.scipy.sparse.save_npz(file, matrix, compressed) end

--- The array whose diagonals are rows of data.
---@param data cupola.Operand
---@param diags cupola.Operand
---@param m? cupola.Operand
---@param n? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.spdiags(data, diags, m, n, format) end

--- The array with both axes exchanged.
---@param A cupola.Operand
---@param axis1 integer
---@param axis2 integer
---@return cupola.Sparse
function cp.scipy.sparse.swapaxes(A, axis1, axis2) end

--- The entries on and below a diagonal.
---@param A cupola.Operand
---@param k? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.tril(A, k, format) end

--- The entries on and above a diagonal.
---@param A cupola.Operand
---@param k? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.triu(A, k, format) end

--- Blocks below each other.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.scipy.sparse.vstack(blocks, format, dtype) end

cp.scipy.sparse.csgraph = {}

--- Distances from nodes, where weights may be negative.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@return any distances
---@return any predecessors
function cp.scipy.sparse.csgraph.bellman_ford(csgraph, directed, indices, return_predecessors, unweighted) end

--- The nodes that can be reached from i_start, those of few edges first, and the node from which each was found (0: none).
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@param return_predecessors? boolean
---@return any order
---@return any predecessors
function cp.scipy.sparse.csgraph.breadth_first_order(csgraph, i_start, directed, return_predecessors) end

--- The edges by which breadth_first_order finds nodes.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@return cupola.Sparse
function cp.scipy.sparse.csgraph.breadth_first_tree(csgraph, i_start, directed) end

--- Components of a graph, numbered from 1.
---@param csgraph cupola.Operand
---@param directed? cupola.Operand
---@param connection? cupola.Operand
---@param return_labels? cupola.Operand
---@return integer count
---@return any labels
function cp.scipy.sparse.csgraph.connected_components(csgraph, directed, connection, return_labels) end

--- The lengths of the paths that a matrix of predecessors stands for.
---@param graph cupola.Operand
---@param predecessors cupola.Operand
---@param directed? boolean
---@param null_value? number
---@return cupola.Array
function cp.scipy.sparse.csgraph.construct_dist_matrix(graph, predecessors, directed, null_value) end

--- The graph of a dense matrix; null_value, nan and infinity are no edges.
---@param graph cupola.Operand
---@param null_value? number
---@param nan_null? boolean
---@param infinity_null? boolean
---@return cupola.Sparse
function cp.scipy.sparse.csgraph.csgraph_from_dense(graph, null_value, nan_null, infinity_null) end

--- The dense matrix of a graph; null_value stands where there is no edge.
---@param csgraph cupola.Operand
---@param null_value? number
---@return cupola.Array
function cp.scipy.sparse.csgraph.csgraph_to_dense(csgraph, null_value) end

--- The nodes that can be reached from i_start, each followed by those found from it, and the node from which each was found (0: none).
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@param return_predecessors? boolean
---@return any order
---@return any predecessors
function cp.scipy.sparse.csgraph.depth_first_order(csgraph, i_start, directed, return_predecessors) end

--- The edges by which depth_first_order finds nodes.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@return cupola.Sparse
function cp.scipy.sparse.csgraph.depth_first_tree(csgraph, i_start, directed) end

--- Distances from nodes, where no weight is negative.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param limit? number
---@param min_only? boolean
---@return any distances
---@return any predecessors
---@return any sources
function cp.scipy.sparse.csgraph.dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only) end

--- Distances between all pairs of nodes.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param overwrite? boolean
---@return any distances
---@return any predecessors
function cp.scipy.sparse.csgraph.floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite) end

--- Distances from nodes, by Dijkstra's algorithm with weights made positive.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@return any distances
---@return any predecessors
function cp.scipy.sparse.csgraph.johnson(csgraph, directed, indices, return_predecessors, unweighted) end

--- The matrix of degrees less the weights; form: as an array, a function or an operator.
---@param csgraph cupola.Operand
---@param normed? boolean
---@param return_diag? boolean
---@param use_out_degree? boolean
---@param dtype? cupola.dtype
---@param symmetrized? boolean
---@param copy? boolean
---@param form? string
---@return any laplacian
---@return any degrees
function cp.scipy.sparse.csgraph.laplacian(csgraph, normed, return_diag, use_out_degree, dtype, symmetrized, copy, form) end

--- The edges of least total weight that join what edges join.
---@param csgraph cupola.Operand
---@param overwrite? boolean
---@return cupola.Sparse
function cp.scipy.sparse.csgraph.minimum_spanning_tree(csgraph, overwrite) end

--- The edges from each node's predecessor.
---@param csgraph cupola.Operand
---@param predecessors cupola.Operand
---@param directed? boolean
---@return cupola.Sparse
function cp.scipy.sparse.csgraph.reconstruct_path(csgraph, predecessors, directed) end

--- The order of nodes that gathers a matrix's elements near its diagonal.
---@param graph cupola.Operand
---@param symmetric_mode? boolean
---@return any order
function cp.scipy.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode) end

--- Distances between nodes; infinity where there is no path.
---@param csgraph cupola.Operand
---@param method? string
---@param directed? boolean
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param overwrite? boolean
---@param indices? cupola.Operand
---@return any distances
---@return any predecessors
function cp.scipy.sparse.csgraph.shortest_path(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices) end

cp.scipy.sparse.linalg = {}

--- A matrix that is known by its products.
---@param shape integer|table
---@param matvec function
---@param rmatvec? function
---@param matmat? function
---@param dtype? cupola.dtype
---@param rmatmat? function
---@return table
function cp.scipy.sparse.linalg.LinearOperator(shape, matvec, rmatvec, matmat, dtype, rmatmat) end

--- A dense or sparse matrix, or an operator, as an operator.
---@param A cupola.Operand
---@return table
function cp.scipy.sparse.linalg.aslinearoperator(A) end

--- Biconjugate gradients, which need products with the adjoint.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.bicg(A, b, x0, rtol, atol, maxiter, M, callback) end

--- The stabilised method of biconjugate gradients.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.bicgstab(A, b, x0, rtol, atol, maxiter, M, callback) end

--- Conjugate gradients, for hermitian positive definite A.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.cg(A, b, x0, rtol, atol, maxiter, M, callback) end

--- Conjugate gradients squared.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.cgs(A, b, x0, rtol, atol, maxiter, M, callback) end

--- Some eigenvalues of a general matrix, the most wanted first, and their vectors as columns.
---@param A cupola.Operand
---@param k? integer
---@param M? integer
---@param sigma? cupola.Operand
---@param which? string
---@param v0? cupola.Operand
---@param ncv? integer
---@param maxiter? integer
---@param tol? number
---@param return_eigenvectors? boolean
---@param Minv? cupola.Operand
---@param OPinv? cupola.Operand
---@param rng? cupola.Operand
---@return cupola.Array values
---@return cupola.Array vectors
function cp.scipy.sparse.linalg.eigs(A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, Minv, OPinv, rng) end

--- Some eigenvalues of a hermitian matrix, ascending, and their vectors as columns.
---@param A cupola.Operand
---@param k? integer
---@param M? integer
---@param sigma? number
---@param which? string
---@param v0? cupola.Operand
---@param ncv? integer
---@param maxiter? integer
---@param tol? number
---@param return_eigenvectors? boolean
---@param Minv? cupola.Operand
---@param OPinv? cupola.Operand
---@param mode? string
---@param rng? cupola.Operand
---@return cupola.Array values
---@return cupola.Array vectors
function cp.scipy.sparse.linalg.eigsh(A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, Minv, OPinv, mode, rng) end

--- The exponential of A times B, also for several multiples of A.
---@param A cupola.Operand
---@param B cupola.Operand
---@param start? number
---@param stop? number
---@param num? integer
---@param endpoint? boolean
---@param traceA? cupola.Operand
---@return cupola.Array
function cp.scipy.sparse.linalg.expm_multiply(A, B, start, stop, num, endpoint, traceA) end

--- A function that solves A x = b for a vector or matrix b.
---@param A cupola.Operand
---@return function
function cp.scipy.sparse.linalg.factorized(A) end

--- The generalised method of minimal residuals.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param restart? integer
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@param callback_type? string
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.gmres(A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type) end

--- The incomplete Cholesky factor with the entries of a hermitian A alone, as a preconditioner.
---@param A cupola.Operand
---@return table
function cp.scipy.sparse.linalg.ic0(A) end

--- Incomplete LU factors with the entries of A alone, as a preconditioner.
---@param A cupola.Operand
---@return table
function cp.scipy.sparse.linalg.ilu0(A) end

--- The inverse of a sparse array.
---@param A cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.linalg.inv(A) end

--- Whether A has no entries above its diagonal (is lower triangular), and whether none below. Stored zeros
--- count.
---@param A cupola.Operand
function cp.scipy.sparse.linalg.is_sptriangular(A) end

--- Division by the diagonal, as a preconditioner.
---@param A cupola.Operand
---@return table
function cp.scipy.sparse.linalg.jacobi(A) end

--- Some eigenvalues of a hermitian matrix from as many approximate vectors.
---@param A cupola.Operand
---@param X cupola.Operand
---@param B? cupola.Operand
---@param M? integer
---@param Y? cupola.Operand
---@param tol? number
---@param maxiter? integer
---@param largest? boolean
---@param verbosityLevel? integer
---@param retLambdaHistory? boolean
---@param retResidualNormsHistory? boolean
---@param restartControl? integer
---@return cupola.Array values
---@return cupola.Array vectors
---@return integer info
---@return any history
---@return any norms
function cp.scipy.sparse.linalg.lobpcg(A, X, B, M, Y, tol, maxiter, largest, verbosityLevel, retLambdaHistory, retResidualNormsHistory, restartControl) end

--- Least squares; the gradient falls steadily.
---@param A cupola.Operand
---@param b cupola.Operand
---@param damp? cupola.Operand
---@param atol? number
---@param btol? cupola.Operand
---@param conlim? cupola.Operand
---@param maxiter? cupola.Operand
---@param show? boolean
---@param x0? cupola.Operand
---@return any x
---@return integer stop
---@return integer steps
---@return number residual
---@return number gradient
---@return number norm_A
---@return number condition
---@return number norm_x
function cp.scipy.sparse.linalg.lsmr(A, b, damp, atol, btol, conlim, maxiter, show, x0) end

--- Least squares.
---@param A cupola.Operand
---@param b cupola.Operand
---@param damp? cupola.Operand
---@param atol? number
---@param btol? cupola.Operand
---@param conlim? cupola.Operand
---@param iter_lim? cupola.Operand
---@param show? boolean
---@param calc_var? boolean
---@param x0? cupola.Operand
---@return any x
---@return integer stop
---@return integer steps
---@return number residual
---@return number damped
---@return number norm_A
---@return number condition
---@return number gradient
---@return number norm_x
---@return cupola.Array variances
function cp.scipy.sparse.linalg.lsqr(A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0) end

--- A raised to a power by matrix products.
---@param A cupola.Operand
---@param power cupola.Operand
---@return cupola.Sparse
function cp.scipy.sparse.linalg.matrix_power(A, power) end

--- The method of minimal residuals, for hermitian A.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param shift? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@param show? boolean
---@param check? boolean
---@return any x
---@return integer info
function cp.scipy.sparse.linalg.minres(A, b, x0, rtol, shift, maxiter, M, callback, show, check) end

--- A norm of a sparse array, or of its rows or columns.
---@param x cupola.Operand
---@param ord? cupola.Operand
---@param axis? integer|table
---@return cupola.Array
function cp.scipy.sparse.linalg.norm(x, ord, axis) end

--- How many diagonals below and above the main one A reaches. Entries count, also stored zeros.
---@param A cupola.Operand
function cp.scipy.sparse.linalg.spbandwidth(A) end

--- Incomplete LU factors, of which small entries are dropped.
---@param A cupola.Operand
---@param drop_tol? number
---@param fill_factor? number
---@param drop_rule? cupola.Operand
---@param permc_spec? string
---@param diag_pivot_thresh? number
---@param relax? integer
---@param panel_size? integer
---@param options? table
---@return cupola.SuperLU
function cp.scipy.sparse.linalg.spilu(A, drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options) end

--- LU factors of a square matrix, by SuperLU, or on a GPU by cuDSS where it is installed.
---@param A cupola.Operand
---@param permc_spec? string
---@param diag_pivot_thresh? number
---@param relax? integer
---@param panel_size? integer
---@param options? table
---@return cupola.SuperLU
function cp.scipy.sparse.linalg.splu(A, permc_spec, diag_pivot_thresh, relax, panel_size, options) end

--- Solves A x = b for a vector, matrix or sparse array b.
---@param A cupola.Operand
---@param b cupola.Operand
---@param permc_spec? string
---@param use_umfpack? boolean
---@return cupola.Array
function cp.scipy.sparse.linalg.spsolve(A, b, permc_spec, use_umfpack) end

--- Solves a triangular system.
---@param A cupola.Operand
---@param b cupola.Operand
---@param lower? cupola.Operand
---@param overwrite_A? cupola.Operand
---@param overwrite_b? cupola.Operand
---@param unit_diagonal? cupola.Operand
---@return cupola.Array
function cp.scipy.sparse.linalg.spsolve_triangular(A, b, lower, overwrite_A, overwrite_b, unit_diagonal) end

--- Some singular values, ascending, and their vectors.
---@param A cupola.Operand
---@param k? integer
---@param ncv? integer
---@param tol? number
---@param which? string
---@param v0? cupola.Operand
---@param maxiter? integer
---@param return_singular_vectors? cupola.Operand
---@param solver? string
---@param rng? cupola.Operand
---@return any u
---@return any s
---@return any vh
function cp.scipy.sparse.linalg.svds(A, k, ncv, tol, which, v0, maxiter, return_singular_vectors, solver, rng) end

cp.scipy.special = {}

--- The share of up to k successes in n trials, each with probability p.
---@param k integer
---@param n integer
---@param p cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.bdtr(k, n, p, out) end

--- gamma(a) gamma(b) / gamma(a + b).
---@param a cupola.Operand
---@param b cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.beta(a, b, out) end

--- The incomplete beta function over beta(a, b): a share of the interval up to x.
---@param a cupola.Operand
---@param b cupola.Operand
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.betainc(a, b, x, out) end

--- The logarithm of |beta|.
---@param a cupola.Operand
---@param b cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.betaln(a, b, out) end

--- n over k of real numbers.
---@param n integer
---@param k integer
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.binom(n, k, out) end

--- (x^lmbda - 1) / lmbda, log(x) where lmbda is 0.
---@param x cupola.Operand
---@param lmbda cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.boxcox(x, lmbda, out) end

--- The cube root.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.cbrt(x, out) end

--- cos(x) - 1, without cancellation.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.cosm1(x, out) end

--- The derivative of log gamma(x).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.digamma(x, out) end

--- -x log(x).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.entr(x, out) end

--- The error function.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.erf(x, out) end

--- 1 - erf(x), without cancellation.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.erfc(x, out) end

--- The inverse of erfc.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.erfcinv(x, out) end

--- exp(x^2) erfc(x), without overflow.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.erfcx(x, out) end

--- The inverse of erf.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.erfinv(x, out) end

--- The integral of exp(-t) / t from x on, for x from 0 on or complex x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.exp1(x, out) end

--- 10^x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.exp10(x, out) end

--- 2^x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.exp2(x, out) end

--- The integral of exp(t) / t up to x, its principal value above 0; also of complex x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.expi(x, out) end

--- 1 / (1 + exp(-x)).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.expit(x, out) end

--- exp(x) - 1, without cancellation.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.expm1(x, out) end

--- (exp(x) - 1) / x, 1 at 0.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.exprel(x, out) end

--- The distribution function of F of dfn and dfd degrees of freedom.
---@param dfn cupola.Operand
---@param dfd cupola.Operand
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.fdtr(dfn, dfd, x, out) end

--- The gamma function.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.gamma(x, out) end

--- The lower incomplete gamma function over gamma(a), for a and x from 0 on.
---@param a cupola.Operand
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.gammainc(a, x, out) end

--- The upper one: 1 - gammainc(a, x), without cancellation.
---@param a cupola.Operand
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.gammaincc(a, x, out) end

--- log |gamma(x)| of real x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.gammaln(x, out) end

--- Huber's loss: r^2 / 2 up to delta, linear beyond.
---@param delta cupola.Operand
---@param r cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.huber(delta, r, out) end

--- The modified Bessel function of order 0.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.i0(x, out) end

--- The same times exp(-|x|).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.i0e(x, out) end

--- The modified Bessel function of order 1.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.i1(x, out) end

--- The same times exp(-|x|).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.i1e(x, out) end

--- The x of which boxcox gives y.
---@param y cupola.Operand
---@param lmbda cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.inv_boxcox(y, lmbda, out) end

--- The Bessel function of the first kind, order 0.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.j0(x, out) end

--- The Bessel function of the first kind, order 1.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.j1(x, out) end

--- The Bessel function of the first kind and of whole order n; nan for other orders.
---@param n integer
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.jn(n, x, out) end

--- x log(x / y) - x + y.
---@param x cupola.Operand
---@param y cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.kl_div(x, y, out) end

--- log(1 + x), without cancellation.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.log1p(x, out) end

--- Its logarithm.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.log_expit(x, out) end

--- Its logarithm.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.log_ndtr(x, out) end

--- The logarithm of softmax.
---@param x cupola.Operand
---@param axis? integer|table
---@return cupola.Array
function cp.scipy.special.log_softmax(x, axis) end

--- log |gamma(x)| of real x.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.loggamma(x, out) end

--- log(x / (1 - x)), the inverse of expit.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.logit(x, out) end

--- log of the sum of b * exp(a) along axes, without overflow. a and b may be complex.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param b? cupola.Operand|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param return_sign? cupola.Operand|cupola.Options
function cp.scipy.special.logsumexp(a, axis, b, keepdims, return_sign) end

--- The logarithm of the gamma function of d dimensions; nan up to (d - 1) / 2.
---@param a cupola.Operand
---@param d integer
---@return cupola.Array
function cp.scipy.special.multigammaln(a, d) end

--- The distribution function of the standard normal distribution.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.ndtr(x, out) end

--- Its inverse.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.ndtri(x, out) end

--- The share of up to k of Poisson's distribution with mean m.
---@param k integer
---@param m cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.pdtr(k, m, out) end

--- The n-th derivative of the digamma function, for x > 0.
---@param n integer
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.polygamma(n, x, out) end

--- The derivative of log gamma(x).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.psi(x, out) end

--- x log(x / y).
---@param x cupola.Operand
---@param y cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.rel_entr(x, y, out) end

--- 1 / gamma(x), 0 at the poles.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.rgamma(x, out) end

--- sin(pi x) / (pi x).
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.sinc(x, out) end

--- exp(x) over its sum along axes; x may be complex.
---@param x cupola.Operand
---@param axis? integer|table
---@return cupola.Array
function cp.scipy.special.softmax(x, axis) end

--- The distribution function of Student's t of df degrees of freedom.
---@param df cupola.Operand
---@param t cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.stdtr(df, t, out) end

--- x log(1 + y), 0 where x is 0.
---@param x cupola.Operand
---@param y cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.xlog1py(x, y, out) end

--- x log(y), 0 where x is 0.
---@param x cupola.Operand
---@param y cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.xlogy(x, y, out) end

--- The Bessel function of the second kind, order 0.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.y0(x, out) end

--- The Bessel function of the second kind, order 1.
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.y1(x, out) end

--- The same of the second kind, for x from 0 on.
---@param n integer
---@param x cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.yn(n, x, out) end

--- The sum of (q + n)^-x over n = 0, 1, ... for x above 1. Without q: Riemann's zeta function, also of complex x.
---@param x cupola.Operand
---@param q? cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.zeta(x, q, out) end

cp.sparse = {}

--- The same as cp.scipy.sparse.block_array.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.block_array(blocks, format, dtype) end

--- The same as cp.scipy.sparse.block_diag.
---@param mats cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.block_diag(mats, format, dtype) end

--- The same as cp.scipy.sparse.bmat.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.bmat(blocks, format, dtype) end

--- The same as cp.scipy.sparse.bsr_array.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.sparse.bsr_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- The same as cp.scipy.sparse.bsr_matrix.
---@param ... any
function cp.sparse.bsr_matrix(...) end

--- The same as cp.scipy.sparse.builder.
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param device? string|cupola.Device
---@return table
function cp.sparse.builder(shape, dtype, device) end

--- The same as cp.scipy.sparse.coo_array.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.sparse.coo_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- The same as cp.scipy.sparse.coo_matrix.
---@param ... any
function cp.sparse.coo_matrix(...) end

--- The same as cp.scipy.sparse.csc_array.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.sparse.csc_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- The same as cp.scipy.sparse.csc_matrix.
---@param ... any
function cp.sparse.csc_matrix(...) end

--- The same as cp.scipy.sparse.csr_array.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.sparse.csr_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- The same as cp.scipy.sparse.csr_matrix.
---@param ... any
function cp.sparse.csr_matrix(...) end

--- The same as cp.scipy.sparse.dia_array.
---@param arg? cupola.Operand
---@param shape? integer|table
---@param dtype? cupola.dtype
---@param copy? boolean
---@param base? cupola.Operand
---@param data? cupola.Operand
---@param indices? cupola.Operand
---@param indptr? cupola.Operand
---@param row? cupola.Operand
---@param col? cupola.Operand
---@param coords? cupola.Operand
---@param offsets? cupola.Operand
---@param device? string|cupola.Device
---@param blocksize? cupola.Operand
---@return cupola.Sparse
function cp.sparse.dia_array(arg, shape, dtype, copy, base, data, indices, indptr, row, col, coords, offsets, device, blocksize) end

--- The same as cp.scipy.sparse.dia_matrix.
---@param ... any
function cp.sparse.dia_matrix(...) end

--- The same as cp.scipy.sparse.diags.
---@param diagonals cupola.Operand
---@param offsets? cupola.Operand
---@param shape? integer|table
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.diags(diagonals, offsets, shape, format, dtype) end

--- The same as cp.scipy.sparse.diags_array.
---@param diagonals cupola.Operand
---@param offsets? cupola.Operand
---@param shape? integer|table
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.diags_array(diagonals, offsets, shape, format, dtype) end

--- The same as cp.scipy.sparse.dok_array.
---@param ... any
function cp.sparse.dok_array(...) end

--- The same as cp.scipy.sparse.dok_matrix.
---@param ... any
function cp.sparse.dok_matrix(...) end

--- The same as cp.scipy.sparse.expand_dims.
---@param A cupola.Operand
---@param axis? integer|table
---@return cupola.Sparse
function cp.sparse.expand_dims(A, axis) end

--- The same as cp.scipy.sparse.eye.
---@param m cupola.Operand
---@param n? integer
---@param k? integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.sparse.eye(m, n, k, dtype, format, device) end

--- The same as cp.scipy.sparse.eye_array.
---@param m cupola.Operand
---@param n? integer
---@param k? integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.sparse.eye_array(m, n, k, dtype, format, device) end

--- The same as cp.scipy.sparse.find.
---@param A cupola.Operand
---@return any rows
---@return any columns
---@return any values
function cp.sparse.find(A) end

--- The same as cp.scipy.sparse.get_index_dtype.
---@param arrays? cupola.Operand
---@param maxval? cupola.Operand
---@param check_contents? cupola.Operand
---@return string
function cp.sparse.get_index_dtype(arrays, maxval, check_contents) end

--- The same as cp.scipy.sparse.hstack.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.hstack(blocks, format, dtype) end

--- The same as cp.scipy.sparse.identity.
---@param n integer
---@param dtype? cupola.dtype
---@param format? cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.sparse.identity(n, dtype, format, device) end

--- The same as cp.scipy.sparse.issparse.
---@param x cupola.Operand
---@return boolean
function cp.sparse.issparse(x) end

--- The same as cp.scipy.sparse.isspmatrix.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix(x) end

--- The same as cp.scipy.sparse.isspmatrix_bsr.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix_bsr(x) end

--- The same as cp.scipy.sparse.isspmatrix_coo.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix_coo(x) end

--- The same as cp.scipy.sparse.isspmatrix_csc.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix_csc(x) end

--- The same as cp.scipy.sparse.isspmatrix_csr.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix_csr(x) end

--- The same as cp.scipy.sparse.isspmatrix_dia.
---@param x cupola.Operand
---@return boolean
function cp.sparse.isspmatrix_dia(x) end

--- The same as cp.scipy.sparse.kron.
---@param A cupola.Operand
---@param B cupola.Operand
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.sparse.kron(A, B, format) end

--- The same as cp.scipy.sparse.kronsum.
---@param A cupola.Operand
---@param B cupola.Operand
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.sparse.kronsum(A, B, format) end

--- The same as cp.scipy.sparse.lil_array.
---@param ... any
function cp.sparse.lil_array(...) end

--- The same as cp.scipy.sparse.lil_matrix.
---@param ... any
function cp.sparse.lil_matrix(...) end

--- The same as cp.scipy.sparse.load_npz.
---@param file cupola.Operand
---@param device? string|cupola.Device
---@return cupola.Sparse
function cp.sparse.load_npz(file, device) end

--- The same as cp.scipy.sparse.matrix_transpose.
---@param A cupola.Operand
---@return cupola.Sparse
function cp.sparse.matrix_transpose(A) end

--- The same as cp.scipy.sparse.permute_dims.
---@param A cupola.Operand
---@param axes? integer|table
---@return cupola.Sparse
function cp.sparse.permute_dims(A, axes) end

--- The same as cp.scipy.sparse.rand.
---@param m cupola.Operand
---@param n integer
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_rvs? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.sparse.rand(m, n, density, format, dtype, rng, data_rvs, random_state, seed) end

--- The same as cp.scipy.sparse.random.
---@param m cupola.Operand
---@param n integer
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_rvs? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.sparse.random(m, n, density, format, dtype, rng, data_rvs, random_state, seed) end

--- The same as cp.scipy.sparse.random_array.
---@param shape integer|table
---@param density? cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@param rng? cupola.Operand
---@param data_sampler? function
---@param random_state? cupola.Operand
---@param seed? cupola.Operand
---@return cupola.Sparse
function cp.sparse.random_array(shape, density, format, dtype, rng, data_sampler, random_state, seed) end

--- The same as cp.scipy.sparse.safely_cast_index_arrays.
---@param A cupola.Operand
---@param idx_dtype? cupola.Operand
---@return any
---@return any
function cp.sparse.safely_cast_index_arrays(A, idx_dtype) end

--- The same as cp.scipy.sparse.sampled_matmul.
---@param A cupola.Operand
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param alpha? cupola.Operand
---@param beta? cupola.Operand
---@return cupola.Sparse
function cp.sparse.sampled_matmul(A, x1, x2, alpha, beta) end

--- The same as cp.scipy.sparse.save_npz.
---@param file cupola.Operand
---@param matrix cupola.Operand
---@param compressed? boolean
function cp.sparse.save_npz(file, matrix, compressed) end

--- The same as cp.scipy.sparse.spdiags.
---@param data cupola.Operand
---@param diags cupola.Operand
---@param m? cupola.Operand
---@param n? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.sparse.spdiags(data, diags, m, n, format) end

--- The same as cp.scipy.sparse.swapaxes.
---@param A cupola.Operand
---@param axis1 integer
---@param axis2 integer
---@return cupola.Sparse
function cp.sparse.swapaxes(A, axis1, axis2) end

--- The same as cp.scipy.sparse.tril.
---@param A cupola.Operand
---@param k? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.sparse.tril(A, k, format) end

--- The same as cp.scipy.sparse.triu.
---@param A cupola.Operand
---@param k? integer
---@param format? cupola.Operand
---@return cupola.Sparse
function cp.sparse.triu(A, k, format) end

--- The same as cp.scipy.sparse.vstack.
---@param blocks cupola.Operand
---@param format? cupola.Operand
---@param dtype? cupola.dtype
---@return cupola.Sparse
function cp.sparse.vstack(blocks, format, dtype) end

cp.sparse.csgraph = {}

--- The same as cp.scipy.sparse.csgraph.bellman_ford.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@return any distances
---@return any predecessors
function cp.sparse.csgraph.bellman_ford(csgraph, directed, indices, return_predecessors, unweighted) end

--- The same as cp.scipy.sparse.csgraph.breadth_first_order.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@param return_predecessors? boolean
---@return any order
---@return any predecessors
function cp.sparse.csgraph.breadth_first_order(csgraph, i_start, directed, return_predecessors) end

--- The same as cp.scipy.sparse.csgraph.breadth_first_tree.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@return cupola.Sparse
function cp.sparse.csgraph.breadth_first_tree(csgraph, i_start, directed) end

--- The same as cp.scipy.sparse.csgraph.connected_components.
---@param csgraph cupola.Operand
---@param directed? cupola.Operand
---@param connection? cupola.Operand
---@param return_labels? cupola.Operand
---@return integer count
---@return any labels
function cp.sparse.csgraph.connected_components(csgraph, directed, connection, return_labels) end

--- The same as cp.scipy.sparse.csgraph.construct_dist_matrix.
---@param graph cupola.Operand
---@param predecessors cupola.Operand
---@param directed? boolean
---@param null_value? number
---@return cupola.Array
function cp.sparse.csgraph.construct_dist_matrix(graph, predecessors, directed, null_value) end

--- The same as cp.scipy.sparse.csgraph.csgraph_from_dense.
---@param graph cupola.Operand
---@param null_value? number
---@param nan_null? boolean
---@param infinity_null? boolean
---@return cupola.Sparse
function cp.sparse.csgraph.csgraph_from_dense(graph, null_value, nan_null, infinity_null) end

--- The same as cp.scipy.sparse.csgraph.csgraph_to_dense.
---@param csgraph cupola.Operand
---@param null_value? number
---@return cupola.Array
function cp.sparse.csgraph.csgraph_to_dense(csgraph, null_value) end

--- The same as cp.scipy.sparse.csgraph.depth_first_order.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@param return_predecessors? boolean
---@return any order
---@return any predecessors
function cp.sparse.csgraph.depth_first_order(csgraph, i_start, directed, return_predecessors) end

--- The same as cp.scipy.sparse.csgraph.depth_first_tree.
---@param csgraph cupola.Operand
---@param i_start integer
---@param directed? boolean
---@return cupola.Sparse
function cp.sparse.csgraph.depth_first_tree(csgraph, i_start, directed) end

--- The same as cp.scipy.sparse.csgraph.dijkstra.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param limit? number
---@param min_only? boolean
---@return any distances
---@return any predecessors
---@return any sources
function cp.sparse.csgraph.dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only) end

--- The same as cp.scipy.sparse.csgraph.floyd_warshall.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param overwrite? boolean
---@return any distances
---@return any predecessors
function cp.sparse.csgraph.floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite) end

--- The same as cp.scipy.sparse.csgraph.johnson.
---@param csgraph cupola.Operand
---@param directed? boolean
---@param indices? cupola.Operand
---@param return_predecessors? boolean
---@param unweighted? boolean
---@return any distances
---@return any predecessors
function cp.sparse.csgraph.johnson(csgraph, directed, indices, return_predecessors, unweighted) end

--- The same as cp.scipy.sparse.csgraph.laplacian.
---@param csgraph cupola.Operand
---@param normed? boolean
---@param return_diag? boolean
---@param use_out_degree? boolean
---@param dtype? cupola.dtype
---@param symmetrized? boolean
---@param copy? boolean
---@param form? string
---@return any laplacian
---@return any degrees
function cp.sparse.csgraph.laplacian(csgraph, normed, return_diag, use_out_degree, dtype, symmetrized, copy, form) end

--- The same as cp.scipy.sparse.csgraph.minimum_spanning_tree.
---@param csgraph cupola.Operand
---@param overwrite? boolean
---@return cupola.Sparse
function cp.sparse.csgraph.minimum_spanning_tree(csgraph, overwrite) end

--- The same as cp.scipy.sparse.csgraph.reconstruct_path.
---@param csgraph cupola.Operand
---@param predecessors cupola.Operand
---@param directed? boolean
---@return cupola.Sparse
function cp.sparse.csgraph.reconstruct_path(csgraph, predecessors, directed) end

--- The same as cp.scipy.sparse.csgraph.reverse_cuthill_mckee.
---@param graph cupola.Operand
---@param symmetric_mode? boolean
---@return any order
function cp.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode) end

--- The same as cp.scipy.sparse.csgraph.shortest_path.
---@param csgraph cupola.Operand
---@param method? string
---@param directed? boolean
---@param return_predecessors? boolean
---@param unweighted? boolean
---@param overwrite? boolean
---@param indices? cupola.Operand
---@return any distances
---@return any predecessors
function cp.sparse.csgraph.shortest_path(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices) end

cp.sparse.linalg = {}

--- The same as cp.scipy.sparse.linalg.LinearOperator.
---@param shape integer|table
---@param matvec function
---@param rmatvec? function
---@param matmat? function
---@param dtype? cupola.dtype
---@param rmatmat? function
---@return table
function cp.sparse.linalg.LinearOperator(shape, matvec, rmatvec, matmat, dtype, rmatmat) end

--- The same as cp.scipy.sparse.linalg.aslinearoperator.
---@param A cupola.Operand
---@return table
function cp.sparse.linalg.aslinearoperator(A) end

--- The same as cp.scipy.sparse.linalg.bicg.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.sparse.linalg.bicg(A, b, x0, rtol, atol, maxiter, M, callback) end

--- The same as cp.scipy.sparse.linalg.bicgstab.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.sparse.linalg.bicgstab(A, b, x0, rtol, atol, maxiter, M, callback) end

--- The same as cp.scipy.sparse.linalg.cg.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.sparse.linalg.cg(A, b, x0, rtol, atol, maxiter, M, callback) end

--- The same as cp.scipy.sparse.linalg.cgs.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@return any x
---@return integer info
function cp.sparse.linalg.cgs(A, b, x0, rtol, atol, maxiter, M, callback) end

--- The same as cp.scipy.sparse.linalg.eigs.
---@param A cupola.Operand
---@param k? integer
---@param M? integer
---@param sigma? cupola.Operand
---@param which? string
---@param v0? cupola.Operand
---@param ncv? integer
---@param maxiter? integer
---@param tol? number
---@param return_eigenvectors? boolean
---@param Minv? cupola.Operand
---@param OPinv? cupola.Operand
---@param rng? cupola.Operand
---@return cupola.Array values
---@return cupola.Array vectors
function cp.sparse.linalg.eigs(A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, Minv, OPinv, rng) end

--- The same as cp.scipy.sparse.linalg.eigsh.
---@param A cupola.Operand
---@param k? integer
---@param M? integer
---@param sigma? number
---@param which? string
---@param v0? cupola.Operand
---@param ncv? integer
---@param maxiter? integer
---@param tol? number
---@param return_eigenvectors? boolean
---@param Minv? cupola.Operand
---@param OPinv? cupola.Operand
---@param mode? string
---@param rng? cupola.Operand
---@return cupola.Array values
---@return cupola.Array vectors
function cp.sparse.linalg.eigsh(A, k, M, sigma, which, v0, ncv, maxiter, tol, return_eigenvectors, Minv, OPinv, mode, rng) end

--- The same as cp.scipy.sparse.linalg.expm_multiply.
---@param A cupola.Operand
---@param B cupola.Operand
---@param start? number
---@param stop? number
---@param num? integer
---@param endpoint? boolean
---@param traceA? cupola.Operand
---@return cupola.Array
function cp.sparse.linalg.expm_multiply(A, B, start, stop, num, endpoint, traceA) end

--- The same as cp.scipy.sparse.linalg.factorized.
---@param A cupola.Operand
---@return function
function cp.sparse.linalg.factorized(A) end

--- The same as cp.scipy.sparse.linalg.gmres.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param atol? number
---@param restart? integer
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@param callback_type? string
---@return any x
---@return integer info
function cp.sparse.linalg.gmres(A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type) end

--- The same as cp.scipy.sparse.linalg.ic0.
---@param A cupola.Operand
---@return table
function cp.sparse.linalg.ic0(A) end

--- The same as cp.scipy.sparse.linalg.ilu0.
---@param A cupola.Operand
---@return table
function cp.sparse.linalg.ilu0(A) end

--- The same as cp.scipy.sparse.linalg.inv.
---@param A cupola.Operand
---@return cupola.Sparse
function cp.sparse.linalg.inv(A) end

--- The same as cp.scipy.sparse.linalg.is_sptriangular.
---@param A cupola.Operand
function cp.sparse.linalg.is_sptriangular(A) end

--- The same as cp.scipy.sparse.linalg.jacobi.
---@param A cupola.Operand
---@return table
function cp.sparse.linalg.jacobi(A) end

--- The same as cp.scipy.sparse.linalg.lobpcg.
---@param A cupola.Operand
---@param X cupola.Operand
---@param B? cupola.Operand
---@param M? integer
---@param Y? cupola.Operand
---@param tol? number
---@param maxiter? integer
---@param largest? boolean
---@param verbosityLevel? integer
---@param retLambdaHistory? boolean
---@param retResidualNormsHistory? boolean
---@param restartControl? integer
---@return cupola.Array values
---@return cupola.Array vectors
---@return integer info
---@return any history
---@return any norms
function cp.sparse.linalg.lobpcg(A, X, B, M, Y, tol, maxiter, largest, verbosityLevel, retLambdaHistory, retResidualNormsHistory, restartControl) end

--- The same as cp.scipy.sparse.linalg.lsmr.
---@param A cupola.Operand
---@param b cupola.Operand
---@param damp? cupola.Operand
---@param atol? number
---@param btol? cupola.Operand
---@param conlim? cupola.Operand
---@param maxiter? cupola.Operand
---@param show? boolean
---@param x0? cupola.Operand
---@return any x
---@return integer stop
---@return integer steps
---@return number residual
---@return number gradient
---@return number norm_A
---@return number condition
---@return number norm_x
function cp.sparse.linalg.lsmr(A, b, damp, atol, btol, conlim, maxiter, show, x0) end

--- The same as cp.scipy.sparse.linalg.lsqr.
---@param A cupola.Operand
---@param b cupola.Operand
---@param damp? cupola.Operand
---@param atol? number
---@param btol? cupola.Operand
---@param conlim? cupola.Operand
---@param iter_lim? cupola.Operand
---@param show? boolean
---@param calc_var? boolean
---@param x0? cupola.Operand
---@return any x
---@return integer stop
---@return integer steps
---@return number residual
---@return number damped
---@return number norm_A
---@return number condition
---@return number gradient
---@return number norm_x
---@return cupola.Array variances
function cp.sparse.linalg.lsqr(A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0) end

--- The same as cp.scipy.sparse.linalg.matrix_power.
---@param A cupola.Operand
---@param power cupola.Operand
---@return cupola.Sparse
function cp.sparse.linalg.matrix_power(A, power) end

--- The same as cp.scipy.sparse.linalg.minres.
---@param A cupola.Operand
---@param b cupola.Operand
---@param x0? cupola.Operand
---@param rtol? number
---@param shift? number
---@param maxiter? cupola.Operand
---@param M? integer
---@param callback? function
---@param show? boolean
---@param check? boolean
---@return any x
---@return integer info
function cp.sparse.linalg.minres(A, b, x0, rtol, shift, maxiter, M, callback, show, check) end

--- The same as cp.scipy.sparse.linalg.norm.
---@param x cupola.Operand
---@param ord? cupola.Operand
---@param axis? integer|table
---@return cupola.Array
function cp.sparse.linalg.norm(x, ord, axis) end

--- The same as cp.scipy.sparse.linalg.spbandwidth.
---@param A cupola.Operand
function cp.sparse.linalg.spbandwidth(A) end

--- The same as cp.scipy.sparse.linalg.spilu.
---@param A cupola.Operand
---@param drop_tol? number
---@param fill_factor? number
---@param drop_rule? cupola.Operand
---@param permc_spec? string
---@param diag_pivot_thresh? number
---@param relax? integer
---@param panel_size? integer
---@param options? table
---@return cupola.SuperLU
function cp.sparse.linalg.spilu(A, drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options) end

--- The same as cp.scipy.sparse.linalg.splu.
---@param A cupola.Operand
---@param permc_spec? string
---@param diag_pivot_thresh? number
---@param relax? integer
---@param panel_size? integer
---@param options? table
---@return cupola.SuperLU
function cp.sparse.linalg.splu(A, permc_spec, diag_pivot_thresh, relax, panel_size, options) end

--- The same as cp.scipy.sparse.linalg.spsolve.
---@param A cupola.Operand
---@param b cupola.Operand
---@param permc_spec? string
---@param use_umfpack? boolean
---@return cupola.Array
function cp.sparse.linalg.spsolve(A, b, permc_spec, use_umfpack) end

--- The same as cp.scipy.sparse.linalg.spsolve_triangular.
---@param A cupola.Operand
---@param b cupola.Operand
---@param lower? cupola.Operand
---@param overwrite_A? cupola.Operand
---@param overwrite_b? cupola.Operand
---@param unit_diagonal? cupola.Operand
---@return cupola.Array
function cp.sparse.linalg.spsolve_triangular(A, b, lower, overwrite_A, overwrite_b, unit_diagonal) end

--- The same as cp.scipy.sparse.linalg.svds.
---@param A cupola.Operand
---@param k? integer
---@param ncv? integer
---@param tol? number
---@param which? string
---@param v0? cupola.Operand
---@param maxiter? integer
---@param return_singular_vectors? cupola.Operand
---@param solver? string
---@param rng? cupola.Operand
---@return any u
---@return any s
---@return any vh
function cp.sparse.linalg.svds(A, k, ncv, tol, which, v0, maxiter, return_singular_vectors, solver, rng) end

cp.testing = {}

--- Raises unless |actual - desired| <= atol + rtol * |desired| for every element.
---@param actual cupola.Operand
---@param desired cupola.Operand # of actual's shape, or one value
---@param rtol? number|cupola.Options # default 1e-7
---@param atol? number|cupola.Options # default 0
---@param equal_nan? boolean|cupola.Options # whether nan is close to nan; default true
---@param err_msg? string|cupola.Options # stands in the message
function cp.testing.assert_allclose(actual, desired, rtol, atol, equal_nan, err_msg) end

--- Raises unless |desired - actual| < 1.5 * 10^-decimal for every element.
---@param actual cupola.Operand
---@param desired cupola.Operand
---@param decimal? integer|cupola.Options # default 6
---@param err_msg? string|cupola.Options
function cp.testing.assert_array_almost_equal(actual, desired, decimal, err_msg) end

--- Raises unless |x - y| <= nulp * spacing(max(|x|, |y|)) for every element.
---@param x cupola.Operand # floating
---@param y cupola.Operand
---@param nulp? number|cupola.Options # default 1
function cp.testing.assert_array_almost_equal_nulp(x, y, nulp) end

--- Raises unless shapes and all elements are equal; nan equals nan.
---@param actual cupola.Operand
---@param desired cupola.Operand # of actual's shape, or one value
---@param err_msg? string|cupola.Options
---@param strict? boolean|cupola.Options # whether dtypes must be equal too, and one value does not stand for an array; default false
function cp.testing.assert_array_equal(actual, desired, err_msg, strict) end

--- Raises unless every element of x is less than that of y.
---@param x cupola.Operand
---@param y cupola.Operand
---@param err_msg? string|cupola.Options
function cp.testing.assert_array_less(x, y, err_msg) end

--- Raises unless two tables contain equally many arrays, and each equals its counterpart.
---@param actual table
---@param desired table
---@param err_msg? string|cupola.Options
function cp.testing.assert_array_list_equal(actual, desired, err_msg) end

--- Raises if any elements a and b are more than maxulp representable values of their dtype apart.
---@param a cupola.Operand # floating
---@param b cupola.Operand
---@param maxulp? integer|cupola.dtype|cupola.Options # default 1
---@param dtype? cupola.dtype|cupola.Options # what both are converted to before
---@return cupola.Array # how many values apart the elements are, as float64
function cp.testing.assert_array_max_ulp(a, b, maxulp, dtype) end

--- An array of 1, 2, 3, ... in C order.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options # default float32
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F", in memory
---@return cupola.Array
function cp.testing.shaped_arange(shape, dtype, order) end

--- An array of random values that depend on the arguments only: half of them true for bool, from 0 to scale
--- - 1 for integers, from 0 to scale for other dtypes.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options # default float32
---@param scale? number|cupola.Options # default 10
---@param seed? integer|cupola.Options # default 0
---@return cupola.Array
function cp.testing.shaped_random(shape, dtype, scale, seed) end

cp.ufunc = {}

--- The results of the fold up to each element: for "add" it is cumsum.
---@param op string # the name of an operation of two operands
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: the first
---@param dtype? cupola.dtype|cupola.Options # the dtype to compute in
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.ufunc.accumulate(op, a, axis, dtype, out) end

--- Writes op(element, b) into each element of a that an index selects, once for each time that it is
--- selected; np.add.at(a, i, b) is cp.ufunc.at("add", a, i, b).
---@param op string # the name of an operation of one or two operands
---@param a cupola.Array
---@param indices cupola.Operand # any index of a
---@param b? cupola.Operand|cupola.Options # the second operand, which broadcasts with a[indices]
function cp.ufunc.at(op, a, indices, b) end

--- The operation on every pair of an element of A and one of B.
---@param op string # the name of an operation of two operands, such as "subtract"
---@param A cupola.Operand
---@param B cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@param where? cupola.Operand|cupola.Options # a mask of the elements of out that are written
---@return cupola.Array # of A's shape followed by B's
function cp.ufunc.outer(op, A, B, out, dtype, casting, where) end

--- Folds the elements along axes: for "add" it is sum, for "multiply" prod, for "maximum" max and so on.
--- Operations whose order matters, such as "subtract", go from the first element to the last.
---@param op string # the name of an operation of two operands
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options # an axis or a table of axes; default: the first, none of 0-d arrays; false: all
---@param dtype? cupola.dtype|cupola.Options # the dtype to compute in
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options # where to begin
---@param where? cupola.Operand|cupola.Options # a mask of the elements that count
---@return cupola.Array
function cp.ufunc.reduce(op, a, axis, dtype, out, keepdims, initial, where) end

--- Folds slices of an axis: slice k begins at position indices[k] and ends before indices[k + 1], the last
--- at the end of the axis. If the next position is not larger, the result is the element itself.
---@param op string # the name of an operation of two operands
---@param a cupola.Operand
---@param indices cupola.Operand # positions from 1
---@param axis? integer|cupola.dtype|cupola.Options # default: the first
---@param dtype? cupola.dtype|cupola.Options # the dtype to compute in
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.ufunc.reduceat(op, a, indices, axis, dtype, out) end

--- Absolute value. The same as absolute.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:abs(out, dtype, casting, where) end

--- Absolute value, written into x itself.
---@return cupola.Array
function Array:abs_() end

--- Absolute value.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:absolute(out, dtype, casting, where) end

--- Absolute value, written into x itself.
---@return cupola.Array
function Array:absolute_() end

--- Inverse cosine. The same as arccos.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:acos(out, dtype, casting, where) end

--- Inverse cosine, written into x itself.
---@return cupola.Array
function Array:acos_() end

--- Inverse hyperbolic cosine. The same as arccosh.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:acosh(out, dtype, casting, where) end

--- Inverse hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:acosh_() end

--- x1 + x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:add(x2, out, dtype, casting, where) end

--- x1 + x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:add_(x2) end

--- Whether all are true: a boolean, with an axis a bool array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return any
function Array:all(axis, out, keepdims, where) end

--- Whether all elements are close, as a Lua boolean. Arguments as for isclose.
---@param b cupola.Operand
---@param rtol? number|cupola.Options
---@param atol? number|cupola.Options
---@param equal_nan? boolean|cupola.Options
---@return boolean
function Array:allclose(b, rtol, atol, equal_nan) end

--- Greatest value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:amax(axis, out, keepdims, initial, where) end

--- Least value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:amin(axis, out, keepdims, initial, where) end

--- The angle of complex values in the complex plane, in radians; 0 or pi for real values.
---@param deg? boolean|cupola.Options # in degrees; default false
---@return cupola.Array # floating array
function Array:angle(deg) end

--- Whether one is true: a boolean, with an axis a bool array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return any
function Array:any(axis, out, keepdims, where) end

--- Appends values to an array; without an axis both are flattened first.
---@param values cupola.Operand
---@param axis? integer|cupola.Options
---@return cupola.Array
function Array:append(values, axis) end

--- Inverse cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arccos(out, dtype, casting, where) end

--- Inverse cosine, written into x itself.
---@return cupola.Array
function Array:arccos_() end

--- Inverse hyperbolic cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arccosh(out, dtype, casting, where) end

--- Inverse hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:arccosh_() end

--- Inverse sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arcsin(out, dtype, casting, where) end

--- Inverse sine, written into x itself.
---@return cupola.Array
function Array:arcsin_() end

--- Inverse hyperbolic sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arcsinh(out, dtype, casting, where) end

--- Inverse hyperbolic sine, written into x itself.
---@return cupola.Array
function Array:arcsinh_() end

--- Inverse tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arctan(out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arctan2(x2, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:arctan2_(x2) end

--- Inverse tangent, written into x itself.
---@return cupola.Array
function Array:arctan_() end

--- Inverse hyperbolic tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:arctanh(out, dtype, casting, where) end

--- Inverse hyperbolic tangent, written into x itself.
---@return cupola.Array
function Array:arctanh_() end

--- Position of the greatest value, from 1; without an axis in the flat array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:argmax(axis, out, keepdims) end

--- Position of the least value, from 1; without an axis in the flat array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:argmin(axis, out, keepdims) end

--- The positions, from 1, that partition the elements.
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array # int64 array
function Array:argpartition(kth, axis, kind) end

--- The positions, from 1, that sort the elements; equal elements keep their order. Arguments as for sort.
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as in NumPy; every sort is stable
---@param descending? boolean|cupola.Options # default false
---@param stable? boolean|cupola.Options # accepted as in the array API standard; every sort is stable
---@return cupola.Array # int64 array
function Array:argsort(axis, kind, descending, stable) end

--- The positions of nonzero elements, as an array with a row for each.
---@return cupola.Array # array (count, axes of a)
function Array:argwhere() end

--- The same as cp.round.
---@param decimals? integer|cupola.Options # default 0
---@param out? cupola.Array|cupola.Options # array of a's shape
---@return cupola.Array # array of a's shape and dtype (bool: float16)
function Array:around(decimals, out) end

--- The same as cp.round_.
---@param decimals? integer|cupola.Options
---@return cupola.Array
function Array:around_(decimals) end

--- Whether shapes and all values are equal, as a Lua boolean.
---@param a2 cupola.Operand
---@param equal_nan? boolean|cupola.Options # whether nan equals nan; default false
---@return boolean
function Array:array_equal(a2, equal_nan) end

--- Whether two arrays have the same values after broadcasting.
---@param a2 cupola.Operand
---@return boolean
function Array:array_equiv(a2) end

--- The same, but the number of parts need not divide the length: the first parts are one element longer.
---@param indices_or_sections cupola.Operand
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[]
function Array:array_split(indices_or_sections, axis) end

--- A view with this shape and these strides, in bytes.
---@param shape? integer|table|cupola.Options
---@param strides? integer|table|cupola.Options
---@param writeable? boolean|cupola.Options
---@return cupola.Array
function Array:as_strided(shape, strides, writeable) end

--- a as an array with C-contiguous memory (row-major): a itself if it has it, else a copy.
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ascontiguousarray(dtype) end

--- a as an array with Fortran-contiguous memory (column-major): a itself if it has it, else a copy.
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:asfortranarray(dtype) end

--- Inverse sine. The same as arcsin.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:asin(out, dtype, casting, where) end

--- Inverse sine, written into x itself.
---@return cupola.Array
function Array:asin_() end

--- Inverse hyperbolic sine. The same as arcsinh.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:asinh(out, dtype, casting, where) end

--- Inverse hyperbolic sine, written into x itself.
---@return cupola.Array
function Array:asinh_() end

--- A copy on the CPU; x may be a table.
---@return cupola.Array
function Array:asnumpy() end

--- Writes v into x, where it broadcasts; returns x.
---@param v any
---@return cupola.Array
function Array:assign(v) end

--- A copy in another dtype.
---@param dtype cupola.dtype
---@param copy? boolean|cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:astype(dtype, copy, casting, device) end

--- The 0-d view of one element.
---@param ... integer
---@return cupola.Array
function Array:at(...) end

--- Inverse tangent. The same as arctan.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:atan(out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi. The same as arctan2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:atan2(x2, out, dtype, casting, where) end

--- Angle of the point (x2, x1), -pi to pi, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:atan2_(x2) end

--- Inverse tangent, written into x itself.
---@return cupola.Array
function Array:atan_() end

--- Inverse hyperbolic tangent. The same as arctanh.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:atanh(out, dtype, casting, where) end

--- Inverse hyperbolic tangent, written into x itself.
---@return cupola.Array
function Array:atanh_() end

--- Views with at least one axis. Several arguments give several results.
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_1d(...) end

--- Views with at least two axes: (n) becomes (1, n).
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_2d(...) end

--- Views with at least three axes: (n) becomes (1, n, 1), (n, m) becomes (n, m, 1).
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_3d(...) end

--- The mean, or the weighted mean sum(a * weights) / sum(weights).
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param weights? cupola.Operand|cupola.Options # of a's shape, or of the lengths of the axes
---@param returned? boolean|cupola.Options # return the sum of weights, too
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:average(axis, weights, returned, keepdims) end

--- Bitwise and. The same as bitwise_and.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:band(x2, out, dtype, casting, where) end

--- Bitwise and, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:band_(x2) end

--- Counts each integer: element v + 1 is the number of occurrences of v.
---@param weights? cupola.Operand|cupola.Options # of x's shape: add these (in float64) instead of counting
---@param minlength? integer|cupola.Options # the least length of the result
---@return cupola.Array # int64 vector
function Array:bincount(weights, minlength) end

--- Bitwise and.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_and(x2, out, dtype, casting, where) end

--- Bitwise and, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_and_(x2) end

--- Counts the bits that are set in the absolute value of each element.
---@return cupola.Array # uint8
function Array:bitwise_count() end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_invert(out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bitwise_invert_() end

--- x1 << x2. The same as left_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_left_shift(x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_left_shift_(x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_not(out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bitwise_not_() end

--- Bitwise or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_or(x2, out, dtype, casting, where) end

--- Bitwise or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_or_(x2) end

--- x1 >> x2. The same as right_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_right_shift(x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_right_shift_(x2) end

--- Bitwise exclusive or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bitwise_xor(x2, out, dtype, casting, where) end

--- Bitwise exclusive or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_xor_(x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bnot(out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bnot_() end

--- Bitwise or. The same as bitwise_or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bor(x2, out, dtype, casting, where) end

--- Bitwise or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bor_(x2) end

--- Views in the shape that all arguments broadcast to.
---@param ... cupola.Operand
---@return cupola.Array ...
function Array:broadcast_arrays(...) end

--- A read-only view in a shape that the array broadcasts to.
---@param shape integer|table
---@return cupola.Array
function Array:broadcast_to(shape) end

--- Bitwise exclusive or. The same as bitwise_xor.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:bxor(x2, out, dtype, casting, where) end

--- Bitwise exclusive or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bxor_(x2) end

--- Cube root.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:cbrt(out, dtype, casting, where) end

--- Cube root, written into x itself.
---@return cupola.Array
function Array:cbrt_() end

--- Smallest whole number that is not less.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:ceil(out, dtype, casting, where) end

--- Smallest whole number that is not less, written into x itself.
---@return cupola.Array
function Array:ceil_() end

--- Each element from the array whose number is given: `result[i] = choices[a[i]][i]`.
---@param choices cupola.Operand # table of arrays that broadcast with a
---@param out? cupola.Array|cupola.Options
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
---@return cupola.Array
function Array:choose(choices, out, mode) end

--- Limits values to an interval: minimum(maximum(a, a_min), a_max). A bound of nil is no bound.
---@param a_min? cupola.Operand|cupola.Options # number or array that broadcasts with a; also called min
---@param a_max? cupola.Operand|cupola.Options # the same; also called max
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options # array of booleans: other elements of out, which must be given, stay as they are
---@return cupola.Array
function Array:clip(a_min, a_max, out, min, max, where) end

--- Limits the values of a itself to an interval, and returns a.
---@param a_min? cupola.Operand|cupola.Options
---@param a_max? cupola.Operand|cupola.Options
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:clip_(a_min, a_max, min, max) end

--- Slices of the array along an axis where a condition is true: `x:compress(condition, axis)`.
---@param a cupola.Operand
---@param condition cupola.Operand
---@param axis? integer|cupola.Options
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:compress(a, condition, axis, out) end

--- Complex conjugate.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:conj(out, dtype, casting, where) end

--- Complex conjugate, written into x itself.
---@return cupola.Array
function Array:conj_() end

--- Complex conjugate. The same as conj.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:conjugate(out, dtype, casting, where) end

--- Complex conjugate, written into x itself.
---@return cupola.Array
function Array:conjugate_() end

--- The convolution of two vectors: sums of a[i] * v[j] with constant i + j.
---@param v any
---@param mode? string|cupola.Options # "full" (default): wherever they overlap; "same": as long as the longer vector; "valid": where they overlap completely
---@return cupola.Array
function Array:convolve(v, mode) end

--- A new array with the same values.
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@return cupola.Array
function Array:copy(order) end

--- x1 with the sign of x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:copysign(x2, out, dtype, casting, where) end

--- x1 with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:copysign_(x2) end

--- Writes src into dst, where a condition is true.
---@param src cupola.Operand # broadcasts to dst
---@param where? cupola.Operand|cupola.Options # truth values that broadcast to dst; default: everywhere
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
function Array:copyto(src, where, casting) end

--- The matrix of correlation coefficients of variables, from -1 to 1.
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true: rows are variables
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:corrcoef(y, rowvar, dtype) end

--- The cross-correlation of two vectors: sums of a[i + k] * conj(v[i]) for each lag k.
---@param v any
---@param mode? string|cupola.Options # "valid" (default), "same" or "full", as for convolve
---@return cupola.Array
function Array:correlate(v, mode) end

--- Cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:cos(out, dtype, casting, where) end

--- Cosine, written into x itself.
---@return cupola.Array
function Array:cos_() end

--- Hyperbolic cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:cosh(out, dtype, casting, where) end

--- Hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:cosh_() end

--- The number of elements that are not 0.
---@param axis? integer|table|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:count_nonzero(axis, keepdims) end

--- The covariance matrix of variables. Rows are variables and columns observations, unless rowvar is false.
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true
---@param bias? boolean|cupola.Options # divide by the number of observations instead of one less; default false
---@param ddof? integer|cupola.Options # subtracted from the number of observations, instead of bias
---@param fweights? cupola.Operand|cupola.Options # how many times each observation counts
---@param aweights? cupola.Operand|cupola.Options # weights of the observations
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:cov(y, rowvar, bias, ddof, fweights, aweights, dtype) end

--- The array on the CPU; itself if it is there.
---@return cupola.Array
function Array:cpu() end

--- Cross product of vectors with 2 or 3 components; of pairs of the former its third component alone.
---@param b cupola.Operand # broadcasts with a beside the vectors' axis
---@param axisa? integer|cupola.Options # the axis of a's vectors; default: the last
---@param axisb? integer|cupola.Options # of b's; default: the last
---@param axisc? integer|cupola.Options # of the result's; default: the last
---@param axis? integer|cupola.Options # all three at once
---@return cupola.Array
function Array:cross(b, axisa, axisb, axisc, axis) end

--- The array on GPU n, as CUDA counts (from 0); itself if it is there.
---@param n? integer
---@return cupola.Array
function Array:cuda(n) end

--- Cumulative maxima; nan from the first nan on.
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cummax(axis, out) end

--- Cumulative minima; nan from the first nan on.
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cummin(axis, out) end

--- Cumulative products.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # default: bool and integers widen to 64 bits, other dtypes stay
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumprod(axis, dtype, out) end

--- Cumulative sums.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # the dtype to sum in; default: bool and integers widen to 64 bits, other dtypes stay
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumsum(axis, dtype, out) end

--- Cumulative products.
---@param axis? integer|cupola.dtype|cupola.Options # required unless x is a vector
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # start with 1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumulative_prod(axis, dtype, include_initial, out) end

--- Cumulative sums.
---@param axis? integer|cupola.dtype|cupola.Options # required unless x is a vector
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # start with 0
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumulative_sum(axis, dtype, include_initial, out) end

--- Degrees to radians. The same as radians.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:deg2rad(out, dtype, casting, where) end

--- Degrees to radians, written into x itself.
---@return cupola.Array
function Array:deg2rad_() end

--- Radians to degrees.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:degrees(out, dtype, casting, where) end

--- Radians to degrees, written into x itself.
---@return cupola.Array
function Array:degrees_() end

--- A copy without the elements at some positions.
---@param obj cupola.Operand # a position from 1 (negative from the end), a table or array of positions, a slice as text ("2:5", "::2"), or a mask
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:delete(obj, axis) end

--- The diagonal of a matrix as a view, or a matrix of zeros with the diagonal v.
---@param k? integer|cupola.Options # 0 (default): the main diagonal; positive: above it
---@return cupola.Array # 1-d, or (n + |k|, n + |k|)
function Array:diag(k) end

--- The positions of the main diagonal of a given array.
---@return table
function Array:diag_indices_from() end

--- A matrix of zeros with all elements of v on a diagonal.
---@param k? integer|cupola.Options # which diagonal; default 0
---@return cupola.Array # (v.size + |k|, v.size + |k|)
function Array:diagflat(k) end

--- A view of a diagonal of two axes, which becomes the last axis.
---@param offset? integer|cupola.Options # 0 (default): the main diagonal; positive: above it
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@return cupola.Array
function Array:diagonal(offset, axis1, axis2) end

--- Differences of adjacent elements: element k + 1 minus element k, n times. For bool, whether they differ.
---@param n? integer|cupola.Options # how many times; default 1
---@param axis? integer|cupola.Options # default: the last
---@param prepend? cupola.Operand|cupola.Options # a number or array to put before a
---@param append? cupola.Operand|cupola.Options # a number or array to put after a
---@return cupola.Array
function Array:diff(n, axis, prepend, append) end

--- The bin of each value among edges: the position, from 1, of the first edge above it (#bins + 1: none),
--- so that bins[k - 1] <= v < bins[k]. For descending edges, bins[k - 1] > v >= bins[k].
---@param bins cupola.Operand # vector of edges, ascending or descending
---@param right? boolean|cupola.Options # whether bins include the upper edge instead of the lower one; default false
---@return cupola.Array # int64 array of x's shape
function Array:digitize(bins, right) end

--- x1 / x2, true division. The same as divide.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:div(x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:div_(x2) end

--- x1 / x2, true division.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:divide(x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:divide_(x2) end

--- Floor division and its remainder.
---@param x2 cupola.Operand
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function Array:divmod(x2, out1, out2, out) end

--- A DLPack capsule; its release() gives the address.
---@param max_version? integer[]
---@param device? string|cupola.Device
---@param copy? boolean
---@return userdata
function Array:dlpack(max_version, device, copy) end

--- The inner product of vectors, or the product of matrices; otherwise the sum of products over the last
--- axis of a and the second to last of b.
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:dot(b, out) end

--- Splits along the third axis.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:dsplit(indices_or_sections) end

--- Differences of adjacent elements of the flat array, with values before and after them.
---@param to_end? cupola.Operand|cupola.Options
---@param to_begin? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:ediff1d(to_end, to_begin) end

--- A new array with the shape and dtype of a; undefined values.
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:empty_like(dtype, order, shape, device) end

--- x1 == x2 of each element, a bool array. The same as equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:eq(x2, out, dtype, casting, where) end

--- x1 == x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:equal(x2, out, dtype, casting, where) end

--- Error function.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:erf(out, dtype, casting, where) end

--- Error function, written into x itself.
---@return cupola.Array
function Array:erf_() end

--- 1 - erf(x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:erfc(out, dtype, casting, where) end

--- 1 - erf(x), written into x itself.
---@return cupola.Array
function Array:erfc_() end

--- Computes x now if it is pending; returns x.
---@return cupola.Array
function Array:eval() end

--- e ^ x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:exp(out, dtype, casting, where) end

--- 2 ^ x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:exp2(out, dtype, casting, where) end

--- 2 ^ x, written into x itself.
---@return cupola.Array
function Array:exp2_() end

--- e ^ x, written into x itself.
---@return cupola.Array
function Array:exp_() end

--- A with another axis of length 1 before (axis 1, the default) or behind its own: a coo array.
function Array:expand_dims() end

--- exp(x) - 1.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:expm1(out, dtype, casting, where) end

--- exp(x) - 1, written into x itself.
---@return cupola.Array
function Array:expm1_() end

--- Absolute values as floats.
---@return cupola.Array
function Array:fabs() end

--- Writes one value into all elements; returns x.
---@param v any
---@return cupola.Array
function Array:fill(v) end

--- Writes a value, or values in turn, along the main diagonal.
---@param val cupola.Operand
---@param wrap? boolean|cupola.Options # begin again below the square part of a tall matrix; default false
function Array:fill_diagonal(val, wrap) end

--- Rounds toward zero: NumPy's older name for trunc.
---@return cupola.Array
function Array:fix() end

--- The same as cp.trunc_.
---@return cupola.Array
function Array:fix_() end

--- The positions of nonzero elements in the flat array.
---@return cupola.Array
function Array:flatnonzero() end

--- All elements along one axis; always a copy.
---@param order? "C"|"F"|"A"|"K"
---@return cupola.Array
function Array:flatten(order) end

--- A view with the elements reversed along axes; without axes along all.
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function Array:flip(axis) end

--- A view reversed along the second axis.
---@return cupola.Array
function Array:fliplr() end

--- A view reversed along the first axis.
---@return cupola.Array
function Array:flipud() end

--- x1 to the power x2, computed at least in float64 (complex128 for complex operands).
---@param x2 cupola.Operand # broadcasts with x1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:float_power(x2, out) end

--- Largest whole number that is not greater.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:floor(out, dtype, casting, where) end

--- Largest whole number that is not greater, written into x itself.
---@return cupola.Array
function Array:floor_() end

--- The floor of x1 / x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:floor_divide(x2, out, dtype, casting, where) end

--- The floor of x1 / x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:floor_divide_(x2) end

--- a * b + c with one rounding.
---@param b cupola.Operand
---@param c cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:fma(b, c, out, dtype, casting, where) end

--- a * b + c with one rounding, written into a itself.
---@param b cupola.Operand
---@param c cupola.Operand
---@return cupola.Array
function Array:fma_(b, c) end

--- The greater one; nan only where both are nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:fmax(x2, out, dtype, casting, where) end

--- The greater one; nan only where both are nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmax_(x2) end

--- The lesser one; nan only where both are nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:fmin(x2, out, dtype, casting, where) end

--- The lesser one; nan only where both are nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmin_(x2) end

--- Remainder with the sign of x1.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:fmod(x2, out, dtype, casting, where) end

--- Remainder with the sign of x1, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmod_(x2) end

--- Gives the memory back now; views of it raise from then on.
function Array:free() end

--- Mantissa and exponent: x = mantissa * 2 ^ exponent.
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function Array:frexp(out1, out2, out) end

--- One value with the shape and dtype of a.
---@param fill_value cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:full_like(fill_value, dtype, order, shape, device) end

--- Gamma function.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:gamma(out, dtype, casting, where) end

--- Gamma function, written into x itself.
---@return cupola.Array
function Array:gamma_() end

--- Greatest common divisor.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:gcd(x2, out, dtype, casting, where) end

--- Greatest common divisor, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:gcd_(x2) end

--- x1 >= x2 of each element, a bool array. The same as greater_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:ge(x2, out, dtype, casting, where) end

--- A copy on the CPU; written into out, an array there, where it is given.
---@param out? cupola.Array
---@param blocking? boolean
---@return cupola.Array
function Array:get(out, blocking) end

--- The gradient by central differences, one-sided at the ends: one array for a single axis, else a table
--- with one for each axis.
---@param spacing? cupola.Operand|cupola.Options # a number for all axes (default 1), the sample points along the axis, or a table of these by axis
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param edge_order? integer|cupola.Options # 1 (default) or 2: order of the differences at the ends
---@return cupola.Array
function Array:gradient(spacing, axis, edge_order) end

--- x1 > x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:greater(x2, out, dtype, casting, where) end

--- x1 >= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:greater_equal(x2, out, dtype, casting, where) end

--- x1 > x2 of each element, a bool array. The same as greater.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:gt(x2, out, dtype, casting, where) end

--- Whether these are the lengths of the axes.
---@param ... integer
---@return boolean
function Array:has_shape(...) end

--- 0 for negative x1, x2 for 0, 1 for positive.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:heaviside(x2, out, dtype, casting, where) end

--- 0 for negative x1, x2 for 0, 1 for positive, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:heaviside_(x2) end

--- The number of elements in each bin, and the edges. A bin includes its lower edge; the last bin includes
--- both.
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), the edges in ascending order, or the name of a rule that finds a number: "auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges", without weights
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@param density? boolean|cupola.Options # return a density, whose integral is 1, instead of counts
---@param weights? cupola.Operand|cupola.Options # of a's shape: add these instead of counting
---@return cupola.Array
---@return cupola.Array
function Array:histogram(bins, range, density, weights) end

--- Splits along the second axis, vectors along their only axis.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:hsplit(indices_or_sections) end

--- sqrt(x1 ^ 2 + x2 ^ 2).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:hypot(x2, out, dtype, casting, where) end

--- sqrt(x1 ^ 2 + x2 ^ 2), written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:hypot_(x2) end

--- The floor of x1 / x2. The same as floor_divide.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:idiv(x2, out, dtype, casting, where) end

--- The floor of x1 / x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:idiv_(x2) end

--- The sum of products over the last axes of both arrays.
---@param b cupola.Operand
---@return cupola.Array
function Array:inner(b) end

--- A copy with values inserted before some positions.
---@param obj cupola.Operand # a position from 1 (length + 1: after the last one; negative: from the end), a table or array of positions in arr, a slice as text, or a mask
---@param values cupola.Operand # broadcasts to the inserted part and is converted to arr's dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:insert(obj, values, axis) end

--- Linear interpolation: values at x of the piecewise linear function through the points (xp, fp).
---@param xp cupola.Operand # vector in ascending order
---@param fp cupola.Operand # values at xp, real or complex
---@param left? cupola.Operand|cupola.Options # value below xp; default: the first of fp
---@param right? cupola.Operand|cupola.Options # value above xp; default: the last of fp
---@param period? number|cupola.Options # the period of a periodic function, whose xp need not be sorted
---@return cupola.Array # float64 or complex128 array
function Array:interp(xp, fp, left, right, period) end

--- All bits exchanged; not, of bool.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:invert(out, dtype, casting, where) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:invert_() end

--- |a - b| <= atol + rtol * |b| for each element; equal infinities are close.
---@param b cupola.Operand # broadcasts with a
---@param rtol? number|cupola.Options # default 1e-5
---@param atol? number|cupola.Options # default 1e-8
---@param equal_nan? boolean|cupola.Options # whether nan is close to nan; default false
---@return cupola.Array # bool array
function Array:isclose(b, rtol, atol, equal_nan) end

--- For each element, whether its imaginary part is not 0.
---@return cupola.Array
function Array:iscomplex() end

--- Whether x has a complex dtype, whatever its values.
---@return boolean
function Array:iscomplexobj() end

--- Whether x is neither infinite nor nan.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:isfinite(out, dtype, casting, where) end

--- Whether an array is Fortran-contiguous (column-major) and not also C-contiguous.
---@return boolean
function Array:isfortran() end

--- Whether each element is among test_elements.
---@param test_elements cupola.Operand
---@param assume_unique? boolean|cupola.Options # ignored
---@param invert? boolean|cupola.Options # return whether it is not; default false
---@param kind? string|cupola.Options # "sort" or "table"; ignored
---@return cupola.Array # bool array of element's shape
function Array:isin(test_elements, assume_unique, invert, kind) end

--- Whether x is infinite.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:isinf(out, dtype, casting, where) end

--- Whether x is nan.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:isnan(out, dtype, casting, where) end

--- Whether each value is -inf.
---@return cupola.Array
function Array:isneginf() end

--- Whether each value is +inf.
---@return cupola.Array
function Array:isposinf() end

--- Whether the imaginary part of each element is 0 (not 0).
---@return cupola.Array # bool array; a boolean for a Lua value
function Array:isreal() end

--- Whether x has no complex dtype, whatever its values.
---@return boolean
function Array:isrealobj() end

--- The value of an array with one element, as a Lua value.
---@return any
function Array:item() end

--- The Kronecker product: a with each element replaced by its product with b.
---@param b cupola.Operand
---@return cupola.Array
function Array:kron(b) end

--- Least common multiple.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:lcm(x2, out, dtype, casting, where) end

--- Least common multiple, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:lcm_(x2) end

--- x1 * 2 ^ x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:ldexp(x2, out, dtype, casting, where) end

--- x1 * 2 ^ x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:ldexp_(x2) end

--- x1 <= x2 of each element, a bool array. The same as less_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:le(x2, out, dtype, casting, where) end

--- x1 << x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:left_shift(x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:left_shift_(x2) end

--- a + t * (b - a).
---@param b cupola.Operand
---@param t cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:lerp(b, t, out, dtype, casting, where) end

--- a + t * (b - a), written into a itself.
---@param b cupola.Operand
---@param t cupola.Operand
---@return cupola.Array
function Array:lerp_(b, t) end

--- x1 < x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:less(x2, out, dtype, casting, where) end

--- x1 <= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:less_equal(x2, out, dtype, casting, where) end

--- Logarithm of the absolute value of gamma(x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:lgamma(out, dtype, casting, where) end

--- Logarithm of the absolute value of gamma(x), written into x itself.
---@return cupola.Array
function Array:lgamma_() end

--- Natural logarithm.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:log(out, dtype, casting, where) end

--- Logarithm of base 10.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:log10(out, dtype, casting, where) end

--- Logarithm of base 10, written into x itself.
---@return cupola.Array
function Array:log10_() end

--- log(1 + x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:log1p(out, dtype, casting, where) end

--- log(1 + x), written into x itself.
---@return cupola.Array
function Array:log1p_() end

--- Logarithm of base 2.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:log2(out, dtype, casting, where) end

--- Logarithm of base 2, written into x itself.
---@return cupola.Array
function Array:log2_() end

--- Natural logarithm, written into x itself.
---@return cupola.Array
function Array:log_() end

--- log(exp(x1) + exp(x2)).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logaddexp(x2, out, dtype, casting, where) end

--- log2(2 ^ x1 + 2 ^ x2).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logaddexp2(x2, out, dtype, casting, where) end

--- log2(2 ^ x1 + 2 ^ x2), written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:logaddexp2_(x2) end

--- log(exp(x1) + exp(x2)), written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:logaddexp_(x2) end

--- Whether both are true (not 0).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logical_and(x2, out, dtype, casting, where) end

--- Whether x is 0.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logical_not(out, dtype, casting, where) end

--- Whether one is true (not 0).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logical_or(x2, out, dtype, casting, where) end

--- Whether exactly one is true (not 0).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:logical_xor(x2, out, dtype, casting, where) end

--- x1 < x2 of each element, a bool array. The same as less.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:lt(x2, out, dtype, casting, where) end

--- The product of matrices in the last two axes; leading axes broadcast. A vector on the left is a row, on
--- the right a column, and its axis is not in the result. float16 and bfloat16 are summed in float32.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param axes? table|cupola.Options # {{i, k}, {k, j}, {i, j}}: which axes of x1, x2 and the result are those of the matrices, one axis for vectors; default: the last ones
---@param dtype? cupola.dtype|cupola.Options # in which to multiply
---@param casting? string|cupola.Options # "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
---@return cupola.Array
function Array:matmul(x2, out, axes, dtype, casting) end

--- A view of the array with its last two axes exchanged.
---@return cupola.Array
function Array:matrix_transpose() end

--- Greatest value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:max(axis, out, keepdims, initial, where) end

--- The greater one; nan where one is nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:maximum(x2, out, dtype, casting, where) end

--- The greater one; nan where one is nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:maximum_(x2) end

--- Whether the spans of two arrays overlap, from the first byte to the last.
---@param b cupola.Operand
---@return boolean
function Array:may_share_memory(b) end

--- Arithmetic mean.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:mean(axis, dtype, out, keepdims, where) end

--- The median: the middle one of the sorted elements, or the mean of the two middle ones. nan if there is a
--- nan.
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # ignored
---@param keepdims? boolean|cupola.Options # keep reduced axes with length 1
---@return cupola.Array
function Array:median(axis, out, overwrite_input, keepdims) end

--- Coordinate arrays of a grid, one per vector.
--- `cp.meshgrid(x, y, {indexing = "ij", sparse = false, copy = true})`
---@param ... any # vectors (0-d and 1-d), then optionally a table: indexing "xy" (default: the first vector is along axis 2) or "ij"; sparse: the other axes have length 1; copy = false: read-only views
---@return cupola.Array ... # one array per vector
function Array:meshgrid(...) end

--- Least value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:min(axis, out, keepdims, initial, where) end

--- The lesser one; nan where one is nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:minimum(x2, out, dtype, casting, where) end

--- The lesser one; nan where one is nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:minimum_(x2) end

--- x1 % x2, with the sign of x2. The same as remainder.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:mod(x2, out, dtype, casting, where) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:mod_(x2) end

--- The part behind the point and the whole part.
---@param out1? cupola.Array|cupola.Options
---@param out2? cupola.Array|cupola.Options
---@param out? table|cupola.Options
---@return cupola.Array
---@return cupola.Array
function Array:modf(out1, out2, out) end

--- A view with axes moved to other places.
---@param source integer|table
---@param destination integer|table
---@return cupola.Array
function Array:moveaxis(source, destination) end

--- x1 * x2. The same as multiply.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:mul(x2, out, dtype, casting, where) end

--- x1 * x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:mul_(x2) end

--- x1 * x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:multiply(x2, out, dtype, casting, where) end

--- x1 * x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:multiply_(x2) end

--- Replaces nan and infinities, by default with 0 and with the dtype's largest and lowest numbers.
---@param copy? boolean|cupola.Options # false: write into x; default true
---@param nan? number|cupola.Options
---@param posinf? number|cupola.Options
---@param neginf? number|cupola.Options
---@return cupola.Array
function Array:nan_to_num(copy, nan, posinf, neginf) end

--- Replaces nan and infinities in x itself; returns x.
---@param nan? number|cupola.Options
---@param posinf? number|cupola.Options
---@param neginf? number|cupola.Options
---@return cupola.Array
function Array:nan_to_num_(nan, posinf, neginf) end

--- The position, from 1, of the largest value, ignoring nan.
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:nanargmax(axis, keepdims, out) end

--- The position, from 1, of the smallest value, ignoring nan.
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:nanargmin(axis, keepdims, out) end

--- Cumulative products that treat nan as 1.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:nancumprod(axis, dtype, out) end

--- Cumulative sums that treat nan as 0.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:nancumsum(axis, dtype, out) end

--- Greatest value that is not nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanmax(axis, out, keepdims, initial, where) end

--- Mean of the values that are not nan.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanmean(axis, dtype, out, keepdims, where) end

--- The median of the elements that are not nan; nan if there are none.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanmedian(axis, out, overwrite_input, keepdims) end

--- Least value that is not nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanmin(axis, out, keepdims, initial, where) end

--- The same with q from 0 to 100.
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanpercentile(q, axis, out, overwrite_input, method, keepdims, weights) end

--- Product in which nan counts as 1.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanprod(axis, dtype, out, keepdims, initial, where) end

--- Quantiles of the elements that are not nan; nan if there are none.
---@param q cupola.Operand # from 0 to 1
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanquantile(q, axis, out, overwrite_input, method, keepdims, weights) end

--- The same of std.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function Array:nanstd(axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- Sum in which nan counts as 0.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nansum(axis, dtype, out, keepdims, initial, where) end

--- Variance ignoring nan.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function Array:nanvar(axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- Iterates over the indices and values of an array: `for at, v in cp.ndenumerate(x) do`. The values are
--- those at the start of the loop.
---@return function
function Array:ndenumerate() end

--- x1 ~= x2 of each element, a bool array. The same as not_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:ne(x2, out, dtype, casting, where) end

--- -x. The same as negative.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:neg(out, dtype, casting, where) end

--- -x, written into x itself.
---@return cupola.Array
function Array:neg_() end

--- -x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:negative(out, dtype, casting, where) end

--- -x, written into x itself.
---@return cupola.Array
function Array:negative_() end

--- The next number from x1 towards x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nextafter(x2, out, dtype, casting, where) end

--- The next number from x1 towards x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:nextafter_(x2) end

--- The positions of nonzero elements (nan is nonzero), in C order: a table with an array for each axis.
---@return table
function Array:nonzero() end

--- x1 ~= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:not_equal(x2, out, dtype, casting, where) end

--- Ones with the shape and dtype of a.
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:ones_like(dtype, order, shape, device) end

--- The products of every element of a with every element of b, as a matrix.
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:outer(b, out) end

--- Packs eight elements into each byte, with a bit set for each nonzero element; the last byte is padded
--- with zeros.
---@param axis? integer|cupola.Options # default: of the flat array
---@param bitorder? string|cupola.Options # "big" (default): the first element is the highest bit; or "little"
---@return cupola.Array # uint8
function Array:packbits(axis, bitorder) end

--- Pads an array with borders.
---@param pad_width cupola.Operand # widths: a number, {before, after}, or a table (or an array) of these for each axis
---@param mode? string|cupola.Options # constant (default), edge, empty, linear_ramp, maximum, mean, median, minimum, reflect, symmetric or wrap
---@param constant_values? cupola.Operand|cupola.Options # for mode constant, in the forms of pad_width; default 0
---@param end_values? cupola.Operand|cupola.Options # the outermost values for mode linear_ramp; default 0
---@param stat_length? cupola.Operand|cupola.Options # how many values at the edge maximum, mean, median and minimum use; default all
---@param reflect_type? string|cupola.Options # "even" (default) or "odd": mirrored at the edge value too
---@return cupola.Array # array of the same dtype
function Array:pad(pad_width, mode, constant_values, end_values, stat_length, reflect_type) end

--- Reorders the elements so that the one at position kth is where sort puts it, with no larger one before
--- and no smaller one after it. The order on both sides may vary with the device.
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array
function Array:partition(kth, axis, kind) end

--- Partitions an array in place and returns it. Arguments as for partition.
---@param kth cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@return cupola.Array
function Array:partition_(kth, axis, kind) end

--- The same with q from 0 to 100.
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:percentile(q, axis, out, overwrite_input, method, keepdims, weights) end

--- A view of the array with its axes in another order.
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function Array:permute_dims(axes) end

--- Values of the function whose condition is true; an additional last function applies where none is.
---@param condlist table # masks
---@param funclist table # functions or numbers, as many as masks or one more
---@return cupola.Array
function Array:piecewise(condlist, funclist) end

--- Writes values, in order and from the start again where they do not suffice, where a mask is true.
---@param mask cupola.Operand # of arr's size
---@param vals cupola.Operand
function Array:place(mask, vals) end

--- A copy of x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:positive(out, dtype, casting, where) end

--- A copy of x, written into x itself.
---@return cupola.Array
function Array:positive_() end

--- x1 ^ x2. The same as power.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:pow(x2, out, dtype, casting, where) end

--- x1 ^ x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:pow_(x2) end

--- x1 ^ x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:power(x2, out, dtype, casting, where) end

--- x1 ^ x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:power_(x2) end

--- Product.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:prod(axis, dtype, out, keepdims, initial, where) end

--- Greatest minus least value.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:ptp(axis, out, keepdims) end

--- Writes values at positions of the flat array, repeating them if there are too few. If a position occurs
--- twice, the last value stays, as in `x[i] = values`.
---@param ind cupola.Operand # whole numbers
---@param v any
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
function Array:put(ind, v, mode) end

--- Writes values at such positions. If a position occurs twice, the last value stays, as in
--- `x[i] = values`.
---@param indices cupola.Operand
---@param values cupola.Operand # broadcasts with indices
---@param axis? integer|cupola.Options # nil: of the flat array, which must be contiguous
function Array:put_along_axis(indices, values, axis) end

--- Writes values where a mask is true: each place has its own, by its number in the flat array, from the
--- start again where values do not suffice.
---@param mask cupola.Operand # of a's size
---@param values cupola.Operand
function Array:putmask(mask, values) end

--- Quantiles: the values below which a fraction q of the elements are. nan if there is a nan.
---@param q cupola.Operand # from 0 to 1, a number or an array, whose axes come first in the result; an array's dtype is promoted with a's, except for methods that return an element
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # ignored
---@param method? string|cupola.Options # how to interpolate between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint", or another of NumPy's methods
---@param keepdims? boolean|cupola.Options # keep reduced axes with length 1
---@param weights? cupola.Operand|cupola.Options # how often each element counts: of a's shape, or a vector along the axis; with the method "inverted_cdf" only
---@return cupola.Array
function Array:quantile(q, axis, out, overwrite_input, method, keepdims, weights) end

--- Radians to degrees. The same as degrees.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:rad2deg(out, dtype, casting, where) end

--- Radians to degrees, written into x itself.
---@return cupola.Array
function Array:rad2deg_() end

--- Degrees to radians.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:radians(out, dtype, casting, where) end

--- Degrees to radians, written into x itself.
---@return cupola.Array
function Array:radians_() end

--- All elements along one axis; a view where they lie one behind the other, else a copy.
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@return cupola.Array
function Array:ravel(order) end

--- The real part if all imaginary parts are close to 0, else the array itself.
---@param tol? number|cupola.Options # the limit for imaginary parts, in units of the dtype's eps, or the limit itself if at most 1; default 100
---@return cupola.Array
function Array:real_if_close(tol) end

--- 1 / x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:reciprocal(out, dtype, casting, where) end

--- 1 / x, written into x itself.
---@return cupola.Array
function Array:reciprocal_() end

--- x1 % x2, with the sign of x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:remainder(x2, out, dtype, casting, where) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:remainder_(x2) end

--- Repeats each element (NumPy's repeat, which is a keyword of Lua).
---@param repeats cupola.Operand # a number, or a table or array with a number for each element along the axis
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:repeats(repeats, axis) end

--- The same elements in another shape: a view if possible.
---@param shape integer|table
---@param order? any
---@param copy? any
---@param ... any
---@return cupola.Array
function Array:reshape(shape, order, copy, ...) end

--- The elements of a in C order in a new shape, repeated from the start if there are too few.
---@param new_shape integer|table
---@return cupola.Array
function Array:resize(new_shape) end

--- x1 >> x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:right_shift(x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:right_shift_(x2) end

--- Nearest whole number, halves to the even one.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:rint(out, dtype, casting, where) end

--- Nearest whole number, halves to the even one, written into x itself.
---@return cupola.Array
function Array:rint_() end

--- Rolls elements along axes: those that pass the end continue at the start.
---@param shift cupola.Operand # the number of positions, or a table of them
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: the flat array
---@return cupola.Array # a copy
function Array:roll(shift, axis) end

--- A view with an axis moved before another one.
---@param axis integer|table
---@param start? integer|cupola.Options
---@return cupola.Array
function Array:rollaxis(axis, start) end

--- Rotates an array by k times 90 degrees in the plane of two axes, from the first axis towards the second.
--- A view.
---@param k? integer|cupola.Options # default 1
---@param axes? table|cupola.Options # default {1, 2}
---@return cupola.Array
function Array:rot90(k, axes) end

--- Rounds to `decimals` places, halves to even; integers are rounded only for negative `decimals`.
---@param decimals? integer|cupola.Options # default 0
---@param out? cupola.Array|cupola.Options # array of a's shape
---@return cupola.Array # array of a's shape and dtype (bool: float16)
function Array:round(decimals, out) end

--- Rounds the values of a itself, and returns a.
---@param decimals? integer|cupola.Options
---@return cupola.Array
function Array:round_(decimals) end

--- for i, row in x:rows(): views of the rows; numbers of a 1-d array.
---@return function
function Array:rows() end

--- 1 / sqrt(x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:rsqrt(out, dtype, casting, where) end

--- 1 / sqrt(x), written into x itself.
---@return cupola.Array
function Array:rsqrt_() end

--- Adds values to the elements that an index selects; an element that it selects twice gets both. On a GPU,
--- sums of floats may differ in their last bits between runs, and float32 treats subnormal values as 0;
--- `cp.deterministic(true)` makes them repeatable.
---@param slices cupola.Operand # any index of a: positions, ranges, arrays, a table of them
---@param value cupola.Operand # broadcasts with a[slices]
function Array:scatter_add(slices, value) end

--- Each chosen element becomes the larger one of itself and its values; nan stays.
---@param slices cupola.Operand
---@param value cupola.Operand
function Array:scatter_max(slices, value) end

--- Each chosen element becomes the smaller one of itself and its values; nan stays.
---@param slices cupola.Operand
---@param value cupola.Operand
function Array:scatter_min(slices, value) end

--- Finds where to insert values in a sorted vector to keep it sorted: the position, from 1, of the element
--- before which each is inserted, or #a + 1 for the end.
---@param v any # values, of any shape
---@param side? string|cupola.Options # "left" (default): before equal elements, "right": after them
---@param sorter? cupola.Operand|cupola.Options # positions that sort a, such as those of argsort
---@return cupola.Array # int64 array of v's shape
function Array:searchsorted(v, side, sorter) end

--- Writes v where the call x(...) reads; everywhere without positions. Returns x.
---@param v any
---@param ... any
---@return cupola.Array
function Array:set(v, ...) end

--- Whether two arrays have a byte in common.
---@param b cupola.Operand
---@return boolean
function Array:shares_memory(b) end

--- x1 << x2. The same as left_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:shl(x2, out, dtype, casting, where) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:shl_(x2) end

--- x1 >> x2. The same as right_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:shr(x2, out, dtype, casting, where) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:shr_(x2) end

--- -1, 0 or 1.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sign(out, dtype, casting, where) end

--- -1, 0 or 1, written into x itself.
---@return cupola.Array
function Array:sign_() end

--- Whether the sign bit is set.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:signbit(out, dtype, casting, where) end

--- Sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sin(out, dtype, casting, where) end

--- Sine, written into x itself.
---@return cupola.Array
function Array:sin_() end

--- sin(pi * x) / (pi * x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sinc(out, dtype, casting, where) end

--- sin(pi * x) / (pi * x), written into x itself.
---@return cupola.Array
function Array:sinc_() end

--- Hyperbolic sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sinh(out, dtype, casting, where) end

--- Hyperbolic sine, written into x itself.
---@return cupola.Array
function Array:sinh_() end

--- A read-only view of all sliding windows of a shape, which adds the windows' axes at the end.
---@param window_shape cupola.Operand # a length, or a table of lengths
---@param axis? integer|table|cupola.Options # an axis or a table of axes, one for each length; default: all
---@param writeable? boolean|cupola.Options # whether the view can be written; default false, since windows share their elements
---@return cupola.Array # view
function Array:sliding_window_view(window_shape, axis, writeable) end

--- Sorts along an axis: in ascending order, nan last, or in descending order, nan first; complex values by
--- their real, then their imaginary parts. Returns a copy; x:sort_() sorts in place.
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as in NumPy; every sort is stable
---@param descending? boolean|cupola.Options # default false
---@param stable? boolean|cupola.Options # accepted as in the array API standard; every sort is stable
---@return cupola.Array
function Array:sort(axis, kind, descending, stable) end

--- Sorts an array in place and returns it. Arguments as for sort.
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@param descending? boolean|cupola.Options
---@param stable? boolean|cupola.Options
---@return cupola.Array
function Array:sort_(axis, kind, descending, stable) end

--- The distance from each value to the next representable value away from 0, with its sign; nan for
--- infinities.
---@return cupola.Array
function Array:spacing() end

--- Splits an array into views: into equal parts, or after the elements in a table: `cp.split(x, {2, 5})`
--- gives elements 1 to 2, 3 to 5, and the rest.
---@param indices_or_sections cupola.Operand # number of parts, or a table of cuts
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[] # list of views
function Array:split(indices_or_sections, axis) end

--- Square root.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sqrt(out, dtype, casting, where) end

--- Square root, written into x itself.
---@return cupola.Array
function Array:sqrt_() end

--- x * x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:square(out, dtype, casting, where) end

--- x * x, written into x itself.
---@return cupola.Array
function Array:square_() end

--- A view without axes of length 1.
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function Array:squeeze(axis) end

--- Standard deviation.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function Array:std(axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- x1 - x2. The same as subtract.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sub(x2, out, dtype, casting, where) end

--- x1 - x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:sub_(x2) end

--- x1 - x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:subtract(x2, out, dtype, casting, where) end

--- x1 - x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:subtract_(x2) end

--- Sum; without an axis, a 0-d array.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sum(axis, dtype, out, keepdims, initial, where) end

--- A view with two axes exchanged.
---@param axis1 integer
---@param axis2 integer
---@return cupola.Array
function Array:swapaxes(axis1, axis2) end

--- Selects elements along an axis by position: `cp.take(x, {1, -1}, 2)` gives the first and the last
--- column.
---@param indices cupola.Operand # whole numbers: one, a table or an array of any shape
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" around, or "clip" to the ends
---@return cupola.Array # an array in which the axes of indices replace the axis
function Array:take(indices, axis, out, mode) end

--- Selects elements along an axis by an array of positions, such as the results of argsort and argmax.
---@param indices cupola.Operand # whole numbers with as many axes as arr; the other axes broadcast
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function Array:take_along_axis(indices, axis) end

--- Tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:tan(out, dtype, casting, where) end

--- Tangent, written into x itself.
---@return cupola.Array
function Array:tan_() end

--- Hyperbolic tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:tanh(out, dtype, casting, where) end

--- Hyperbolic tangent, written into x itself.
---@return cupola.Array
function Array:tanh_() end

--- The sum of products over axes of both arrays: the last axes of a with the first axes of b, or those that
--- are given.
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # the number of axes (default 2), or {axes of a, axes of b}
---@return cupola.Array
function Array:tensordot(b, axes) end

--- Repeats a whole array along each axis: `cp.tile(x, {2, 3})` or `x:tile(2, 3)`.
---@param reps cupola.Operand # whole numbers, for the last axes of A; if they are more than A's axes, A gets new leading axes
---@param ... any
---@return cupola.Array
function Array:tile(reps, ...) end

--- The array on this device; itself if it is there.
---@param device string|cupola.Device
---@return cupola.Array
function Array:to(device) end

--- The values in C order and the machine's byte order.
---@return string
function Array:tobytes() end

--- Writes the bare values; as text where sep is given.
---@param file string
---@param sep? string
---@param format? string
function Array:tofile(file, sep, format) end

--- Nested tables of Lua values; of a 0-d array its value.
---@return any
function Array:tolist() end

--- Nested tables of Lua values; of a 0-d array its value.
---@return any
function Array:totable() end

--- The sum along diagonals (the trace).
---@param offset? integer|cupola.dtype|cupola.Options # 0 (default): the main diagonal; positive: above it
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:trace(offset, axis1, axis2, dtype, out) end

--- A view with the axes in another order; without axes reversed.
---@param axes? integer|table|cupola.Options
---@param ... integer
---@return cupola.Array
function Array:transpose(axes, ...) end

--- The integral of y along an axis by the trapezoidal rule.
---@param x? cupola.Operand|cupola.Options # the sample points: a vector along the axis, or an array of y's shape
---@param dx? number|cupola.Options # the distance between samples when x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function Array:trapezoid(x, dx, axis) end

--- The same as cp.trapezoid.
---@param x? cupola.Operand|cupola.Options # the sample points: a vector along the axis, or an array of y's shape
---@param dx? number|cupola.Options # the distance between samples when x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function Array:trapz(x, dx, axis) end

--- A copy with zeros above diagonal k.
---@param k? integer|cupola.Options
---@return cupola.Array
function Array:tril(k) end

--- The positions on and below diagonal k of a given matrix.
---@param k? integer|cupola.Options # default 0
---@return table
function Array:tril_indices_from(k) end

--- An array without leading and trailing zeros: without the slices at both ends of its axes that have no
--- other elements.
---@param trim? string|cupola.Options # "fb" (default): at both, "f": at the front, "b": at the back
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@return cupola.Array # a view
function Array:trim_zeros(trim, axis) end

--- A copy with zeros below diagonal k.
---@param k? integer|cupola.Options
---@return cupola.Array
function Array:triu(k) end

--- The positions on and above diagonal k of a given matrix.
---@param k? integer|cupola.Options # default 0
---@return table
function Array:triu_indices_from(k) end

--- x1 / x2, true division. The same as divide.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:true_divide(x2, out, dtype, casting, where) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:true_divide_(x2) end

--- Whole part, towards zero.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param casting? string|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:trunc(out, dtype, casting, where) end

--- Whole part, towards zero, written into x itself.
---@return cupola.Array
function Array:trunc_() end

--- The unique elements in ascending order; then, if requested: the position (from 1) in ar of the first of
--- each, for every element of ar its position in the result, and how often each occurs.
---@param return_index? boolean|cupola.Options
---@param return_inverse? boolean|cupola.Options
---@param return_counts? boolean|cupola.Options
---@param axis? integer|cupola.Options # unique slices along this axis; default: elements of the flat array
---@param equal_nan? boolean|cupola.Options # whether all nans are equal; default true. Slices with nan are never equal
---@param sorted? boolean|cupola.Options # ignored: they always are
---@return cupola.Array
function Array:unique(return_index, return_inverse, return_counts, axis, equal_nan, sorted) end

--- Unpacks bytes into bits, each 0 or 1.
---@param axis? integer|cupola.Options # default: of the flat array
---@param count? integer|cupola.Options # how many bits: missing ones are 0; negative: how many to drop from the end
---@param bitorder? string|cupola.Options # "big" (default): the highest bit comes first; or "little"
---@return cupola.Array # uint8
function Array:unpackbits(axis, count, bitorder) end

--- The slices of an array along an axis, as a table of views.
---@param axis? integer|cupola.Options # default: the first
---@return table
function Array:unstack(axis) end

--- Removes jumps: where a value differs from the previous one by more than half a period, adds multiples of
--- the period to it and all later values.
---@param discont? number|cupola.Options # smaller steps stay as they are; default and least value: half a period
---@param axis? integer|cupola.Options # default: the last
---@param period? number|cupola.Options # default 2 pi
---@return cupola.Array
function Array:unwrap(discont, axis, period) end

--- x[index] = f(x[index]); returns x.
---@param index any
---@param f any
---@return cupola.Array
function Array:update(index, f) end

--- for i, v in x:values(): Lua values in C order, after one copy.
---@return function
function Array:values() end

--- The Vandermonde matrix: columns of powers of x.
---@param N? integer|cupola.Options # number of columns; default: the length of x
---@param increasing? boolean|cupola.Options # whether powers increase from left to right; default false
---@return cupola.Array # in the promoted dtype of x and int64
function Array:vander(N, increasing) end

--- Variance.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param where? cupola.Operand|cupola.Options
---@param mean? cupola.Operand|cupola.Options
---@param correction? number|cupola.Options
---@return cupola.Array
function Array:var(axis, dtype, out, ddof, keepdims, where, mean, correction) end

--- The sum of products of all elements of two arrays of equal size; the first is conjugated.
---@param b cupola.Operand
---@return cupola.Array
function Array:vdot(b) end

--- The sum of products along an axis of both arrays; the first is conjugated.
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function Array:vecdot(x2, axis) end

--- The same bytes under another dtype; of another size, the last axis grows or shrinks.
---@param dtype? cupola.dtype
---@return cupola.Array
function Array:view(dtype) end

--- Splits along the first axis of an array with at least two axes.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:vsplit(indices_or_sections) end

--- Elements of x where a condition is true, of y elsewhere. With the condition alone, the positions where
--- it is true, as nonzero.
---@param ... any
---@return cupola.Array
function Array:where(...) end

--- Zeros with the shape and dtype of a.
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:zeros_like(dtype, order, shape, device) end

--- The numbers that the format was made of.
---@return table # {x =, y =, z =, w =, f =}
function ChannelFormat:get_channel_format() end

--- Concatenates every rank's x along the first axis; every rank gets the result.
---@param x cupola.Operand # of the same size and dtype on all ranks
---@param out? cupola.Array # array for the result
---@return cupola.Array
function Communicator:all_gather(x, out) end

--- Combines every rank's x; every rank gets the result.
---@param x cupola.Operand # of the same size and dtype on all ranks
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param out? cupola.Array # array for the result; may be x itself
---@return cupola.Array
function Communicator:all_reduce(x, op, out) end

--- The same, written to x.
---@param x cupola.Operand
---@param op? string
---@return cupola.Array x
function Communicator:all_reduce_(x, op) end

--- Waits until every rank has called this.
function Communicator:barrier() end

--- Sends the root's x to every rank; x of the other ranks gives shape and dtype.
---@param x cupola.Operand
---@param root? integer # default 0
---@param out? cupola.Array # array for the result; may be x itself
---@return cupola.Array
function Communicator:broadcast(x, root, out) end

--- The same, written to x.
---@param x cupola.Operand
---@param root? integer
---@return cupola.Array x
function Communicator:broadcast_(x, root) end

--- Waits for the work queued on the device, and leaves the communicator.
function Communicator:close() end

--- Receives the array that another rank sends.
---@param out cupola.Array # array of the size and dtype that is sent
---@param peer integer # the other rank
---@return cupola.Array out
function Communicator:recv(out, peer) end

--- Combines every rank's x; the rank root gets the result, others nil.
---@param x cupola.Operand
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param root? integer # default 0
---@param out? cupola.Array # array for the result, on the root
---@return cupola.Array
function Communicator:reduce(x, op, root, out) end

--- The same, written to the root's x.
---@param x cupola.Operand
---@param op? string
---@param root? integer
---@return cupola.Array
function Communicator:reduce_(x, op, root) end

--- Combines every rank's x; rank k gets part k of the result along the first axis.
---@param x cupola.Operand # an array whose first axis is a multiple of the number of ranks
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param out? cupola.Array # array for the part
---@return cupola.Array
function Communicator:reduce_scatter(x, op, out) end

--- Sends x to another rank, which must call recv at the same time.
---@param x cupola.Operand
---@param peer integer # the other rank
function Communicator:send(x, peer) end

--- Copies the elements of an array of the format's dtype, of shape (depth, height, channels * width) with
--- the dimensions that there are.
---@param in_arr cupola.Operand
---@param stream? cupola.Stream|cupola.Options # default: the current one
function CudaArray:copy_from(in_arr, stream) end

--- Copies the elements into such an array.
---@param out_arr cupola.Operand
---@param stream? cupola.Stream|cupola.Options
function CudaArray:copy_to(out_arr, stream) end

--- Describes the device in lines "what: value": for a GPU its name, multiprocessors, memory and more.
---@return string text
function Device:describe() end

--- Returns the free and the total bytes of the device's memory.
---@return integer free
---@return integer total
function Device:mem_info() end

--- Waits for all work of this state on the device.
function Device:synchronize() end

--- Makes this device the running coroutine's current device, until changed.
---@return table guard # `guard:close()`, or Lua 5.4's `local g <close> = d:use()`, restores the previous device
function Device:use() end

--- Runs f(...) with this device as the current one.
---@param f function
---@param ... any
---@return any ... # what f returns
function Device:with(f, ...) end

--- Whether the stream has passed the mark; true before the first record.
---@return boolean
function Event:query() end

--- Marks the place that the stream has reached; returns the event.
---@param stream? cupola.Stream
---@return cupola.Event
function Event:record(stream) end

--- Waits until the stream has passed the mark.
---@return cupola.Event
function Event:synchronize() end

--- The beta distribution.
---@param a cupola.Operand
---@param b cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:beta(a, b, size, dtype) end

--- The binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:binomial(n, p, size, dtype) end

--- Random bytes.
---@param length integer
---@return string
function Generator:bytes(length) end

--- The chi-square distribution with df degrees of freedom.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:chisquare(df, size, dtype) end

--- Elements of a, or positions from 1 to a.
---@param a cupola.Operand
---@param size? integer|table
---@param replace? boolean
---@param p? cupola.Operand
---@param axis? integer|table
---@param shuffle? boolean
---@return cupola.Array
function Generator:choice(a, size, replace, p, axis, shuffle) end

--- The Dirichlet distribution: the last axis sums to 1.
---@param alpha cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:dirichlet(alpha, size, dtype) end

--- The exponential distribution of mean scale.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:exponential(scale, size, dtype) end

--- Fisher's F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:f(dfnum, dfden, size, dtype) end

--- The gamma distribution.
---@param shape cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:gamma(shape, scale, size, dtype) end

--- The geometric distribution, from 1.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:geometric(p, size, dtype) end

--- The state of the default generator: seed and number of the next call.
---@return table
function Generator:get_state() end

--- The Gumbel distribution of largest values.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:gumbel(loc, scale, size, dtype) end

--- How many of nsample drawn are good ones.
---@param ngood cupola.Operand
---@param nbad cupola.Operand
---@param nsample cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:hypergeometric(ngood, nbad, nsample, size, dtype) end

--- Whole numbers of [low, high), or of [0, low).
---@param low cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@param endpoint? boolean
---@return cupola.Array
function Generator:integers(low, high, size, dtype, endpoint) end

--- The double exponential distribution about loc.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:laplace(loc, scale, size, dtype) end

--- The logistic distribution.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:logistic(loc, scale, size, dtype) end

--- exp of the normal distribution.
---@param mean? cupola.Operand
---@param sigma? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:lognormal(mean, sigma, size, dtype) end

--- The logarithmic series distribution.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:logseries(p, size, dtype) end

--- How often each of the outcomes came: the last axis sums to n.
---@param n integer
---@param pvals cupola.Operand
---@param size? integer|table
---@return cupola.Array
function Generator:multinomial(n, pvals, size) end

--- Normal vectors with this mean and covariance.
---@param mean cupola.Operand
---@param cov cupola.Operand
---@param size? integer|table
---@param tol? number
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:multivariate_normal(mean, cov, size, tol, dtype) end

--- The negative binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:negative_binomial(n, p, size, dtype) end

--- The noncentral chi-square distribution.
---@param df cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:noncentral_chisquare(df, nonc, size, dtype) end

--- The noncentral F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:noncentral_f(dfnum, dfden, nonc, size, dtype) end

--- The normal distribution: mean loc, standard deviation scale.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:normal(loc, scale, size, dtype) end

--- The Pareto distribution of the second kind (Lomax), from 0.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:pareto(a, size, dtype) end

--- The numbers from 1 to x in random order, or x with its rows in random order.
---@param x cupola.Operand
---@param axis? integer
---@return cupola.Array
function Generator:permutation(x, axis) end

--- A copy, each line along the axis in an order of its own.
---@param x cupola.Operand
---@param axis? integer
---@param out? cupola.Array
---@return cupola.Array
function Generator:permuted(x, axis, out) end

--- Poisson's distribution, int64 by default.
---@param lam cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:poisson(lam, size, dtype) end

--- The distribution of [0, 1] with density a x^(a - 1).
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:power(a, size, dtype) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:random(size, dtype) end

--- The Rayleigh distribution.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:rayleigh(scale, size, dtype) end

--- Goes back to a state.
---@param state table
function Generator:set_state(state) end

--- Brings the rows of x into random order, in place; returns x.
---@param x cupola.Array
---@param axis? integer
---@return cupola.Array
function Generator:shuffle(x, axis) end

--- Generators that draw other numbers than this one.
---@param n_children integer
---@return table
function Generator:spawn(n_children) end

--- The Cauchy distribution about 0.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:standard_cauchy(size, dtype) end

--- The exponential distribution of mean 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:standard_exponential(size, dtype) end

--- The gamma distribution of scale 1.
---@param shape cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:standard_gamma(shape, size, dtype) end

--- The normal distribution of mean 0 and standard deviation 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:standard_normal(size, dtype) end

--- Student's t distribution.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:standard_t(df, size, dtype) end

--- The triangular distribution.
---@param left cupola.Operand
---@param mode cupola.Operand
---@param right cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:triangular(left, mode, right, size, dtype) end

--- Numbers of [low, high), by default of [0, 1).
---@param low? cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:uniform(low, high, size, dtype) end

--- The von Mises distribution of angles about mu.
---@param mu cupola.Operand
---@param kappa cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:vonmises(mu, kappa, size, dtype) end

--- The inverse Gaussian distribution.
---@param mean cupola.Operand
---@param scale cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:wald(mean, scale, size, dtype) end

--- The Weibull distribution of scale 1.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:weibull(a, size, dtype) end

--- Zipf's distribution.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function Generator:zipf(a, size, dtype) end

--- Frees the graph's memory once its work is done. Arrays that it returned keep theirs.
function Graph:free() end

--- Replays the graph's work on the current stream of its device.
---@param extra cupola.Operand
---@return any ... # what f returned: the same arrays, with new values
function Graph:replay(extra) end

--- Captures f(...) in place of the graph's work. If the structure is the same, the driver only updates
--- addresses and numbers; else the graph is created anew. After an error the graph is unchanged.
---@param f function
---@param ... any
---@return cupola.Graph graph # the same
function Graph:update(f, ...) end

--- Activates the hook until the guard is closed.
---@return table guard # `guard:close()`, or Lua 5.4's `local g <close> = hook:use()`, deactivates the hook
function MemoryHook:use() end

--- Runs f(...) with the hook active.
---@param f function
---@param ... any
---@return any ... # what f returns
function MemoryHook:with(f, ...) end

--- Returns the cached blocks to where they came from.
function MemoryPool:free_all_blocks() end

--- The bytes that the pool has cached for later arrays.
---@return integer
function MemoryPool:free_bytes() end

--- The limit in bytes; 0: none.
---@return integer
function MemoryPool:get_limit() end

--- Allocates memory of the pool, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function MemoryPool:malloc(nbytes) end

--- The number of cached blocks.
---@return integer
function MemoryPool:n_free_blocks() end

--- Limits how much the pool takes from the current device; without arguments, and with 0, there is no
--- limit.
---@param size? integer|string|table|cupola.Options # bytes, or a fraction of the device's memory such as "80%" or {fraction = 0.8}
---@param fraction? number|cupola.Options # the fraction, 0 to 1
function MemoryPool:set_limit(size, fraction) end

--- The bytes that the pool has taken from the device, used and cached.
---@return integer
function MemoryPool:total_bytes() end

--- The bytes that arrays can still get: free on the device and cached in the pool, within the limit.
---@return integer
function MemoryPool:usable_bytes() end

--- The bytes of live arrays, rounded to block sizes.
---@return integer
function MemoryPool:used_bytes() end

--- Compiles and loads the module on the current device now instead of at its first use.
---@return cupola.Module
function Module:compile() end

--- The kernel of this name (for templates an expression from name_expressions).
---@param name string
---@param signature? string|cupola.Options # its parameters, such as "const float *x, int n"
---@param strided? boolean|cupola.Options
---@return cupola.RawKernel
function Module:get_function(name, signature, strided) end

--- A variable of the module (__device__ or __constant__) on the current device, as an array on its memory.
---@param name string
---@param dtype? cupola.dtype|cupola.Options # default: the dtype of the declaration, else uint8
---@param shape? table|integer|cupola.Options
---@return cupola.Array array
function Module:get_global(name, dtype, shape) end

--- The beta distribution.
---@param a cupola.Operand
---@param b cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:beta(a, b, size, dtype) end

--- The binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:binomial(n, p, size, dtype) end

--- Random bytes.
---@param length integer
---@return string
function RandomState:bytes(length) end

--- The chi-square distribution with df degrees of freedom.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:chisquare(df, size, dtype) end

--- Elements of a, or positions from 1 to a.
---@param a cupola.Operand
---@param size? integer|table
---@param replace? boolean
---@param p? cupola.Operand
---@param axis? integer|table
---@param shuffle? boolean
---@return cupola.Array
function RandomState:choice(a, size, replace, p, axis, shuffle) end

--- The Dirichlet distribution: the last axis sums to 1.
---@param alpha cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:dirichlet(alpha, size, dtype) end

--- The exponential distribution of mean scale.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:exponential(scale, size, dtype) end

--- Fisher's F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:f(dfnum, dfden, size, dtype) end

--- The gamma distribution.
---@param shape cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:gamma(shape, scale, size, dtype) end

--- The geometric distribution, from 1.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:geometric(p, size, dtype) end

--- The state of the default generator: seed and number of the next call.
---@return table
function RandomState:get_state() end

--- The Gumbel distribution of largest values.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:gumbel(loc, scale, size, dtype) end

--- How many of nsample drawn are good ones.
---@param ngood cupola.Operand
---@param nbad cupola.Operand
---@param nsample cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:hypergeometric(ngood, nbad, nsample, size, dtype) end

--- The double exponential distribution about loc.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:laplace(loc, scale, size, dtype) end

--- The logistic distribution.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:logistic(loc, scale, size, dtype) end

--- exp of the normal distribution.
---@param mean? cupola.Operand
---@param sigma? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:lognormal(mean, sigma, size, dtype) end

--- The logarithmic series distribution.
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:logseries(p, size, dtype) end

--- How often each of the outcomes came: the last axis sums to n.
---@param n integer
---@param pvals cupola.Operand
---@param size? integer|table
---@return cupola.Array
function RandomState:multinomial(n, pvals, size) end

--- Normal vectors with this mean and covariance.
---@param mean cupola.Operand
---@param cov cupola.Operand
---@param size? integer|table
---@param tol? number
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:multivariate_normal(mean, cov, size, tol, dtype) end

--- The negative binomial distribution.
---@param n cupola.Operand
---@param p cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:negative_binomial(n, p, size, dtype) end

--- The noncentral chi-square distribution.
---@param df cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:noncentral_chisquare(df, nonc, size, dtype) end

--- The noncentral F distribution.
---@param dfnum cupola.Operand
---@param dfden cupola.Operand
---@param nonc cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:noncentral_f(dfnum, dfden, nonc, size, dtype) end

--- The normal distribution: mean loc, standard deviation scale.
---@param loc? cupola.Operand
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:normal(loc, scale, size, dtype) end

--- The Pareto distribution of the second kind (Lomax), from 0.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:pareto(a, size, dtype) end

--- The numbers from 1 to x in random order, or x with its rows in random order.
---@param x cupola.Operand
---@param axis? integer
---@return cupola.Array
function RandomState:permutation(x, axis) end

--- Poisson's distribution, int64 by default.
---@param lam cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:poisson(lam, size, dtype) end

--- The distribution of [0, 1] with density a x^(a - 1).
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:power(a, size, dtype) end

--- Numbers of [0, 1); the lengths of the axes one by one, last a dtype.
---@param ... integer|string
---@return cupola.Array
function RandomState:rand(...) end

--- Whole numbers of [low, high), or of [0, low); int64 by default.
---@param low cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:randint(low, high, size, dtype) end

--- Numbers of the standard normal distribution; lengths one by one, last a dtype.
---@param ... integer|string
---@return cupola.Array
function RandomState:randn(...) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:random(size, dtype) end

--- Whole numbers from low to high, both included, or from 1 to low.
---@param low cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@return cupola.Array
function RandomState:random_integers(low, high, size) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:random_sample(size, dtype) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:ranf(size, dtype) end

--- The Rayleigh distribution.
---@param scale? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:rayleigh(scale, size, dtype) end

--- Numbers of [0, 1).
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:sample(size, dtype) end

--- Starts the default generator anew; without a seed from the system's randomness.
---@param seed? any
function RandomState:seed(seed) end

--- Goes back to a state.
---@param state table
function RandomState:set_state(state) end

--- Brings the rows of x into random order, in place; returns x.
---@param x cupola.Array
---@param axis? integer
---@return cupola.Array
function RandomState:shuffle(x, axis) end

--- The Cauchy distribution about 0.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:standard_cauchy(size, dtype) end

--- The exponential distribution of mean 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:standard_exponential(size, dtype) end

--- The gamma distribution of scale 1.
---@param shape cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:standard_gamma(shape, size, dtype) end

--- The normal distribution of mean 0 and standard deviation 1.
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:standard_normal(size, dtype) end

--- Student's t distribution.
---@param df cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:standard_t(df, size, dtype) end

--- The triangular distribution.
---@param left cupola.Operand
---@param mode cupola.Operand
---@param right cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:triangular(left, mode, right, size, dtype) end

--- Numbers of [low, high), by default of [0, 1).
---@param low? cupola.Operand
---@param high? cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:uniform(low, high, size, dtype) end

--- The von Mises distribution of angles about mu.
---@param mu cupola.Operand
---@param kappa cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:vonmises(mu, kappa, size, dtype) end

--- The inverse Gaussian distribution.
---@param mean cupola.Operand
---@param scale cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:wald(mean, scale, size, dtype) end

--- The Weibull distribution of scale 1.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:weibull(a, size, dtype) end

--- Zipf's distribution.
---@param a cupola.Operand
---@param size? integer|table
---@param dtype? cupola.dtype
---@return cupola.Array
function RandomState:zipf(a, size, dtype) end

--- Communicator:all_gather for all ranks.
---@param xs cupola.Array[]
---@return cupola.Array[]
function Ranks:all_gather(xs) end

--- Communicator:all_reduce for all ranks.
---@param xs cupola.Array[]
---@param op? string
---@return cupola.Array[]
function Ranks:all_reduce(xs, op) end

--- Communicator:all_reduce_ for all ranks.
---@param xs cupola.Array[]
---@param op? string
---@return cupola.Array[]
function Ranks:all_reduce_(xs, op) end

--- Waits until the work of all ranks so far is done.
function Ranks:barrier() end

--- Communicator:broadcast for all ranks.
---@param xs cupola.Array[]
---@param root? integer
---@return cupola.Array[]
function Ranks:broadcast(xs, root) end

--- Communicator:broadcast_ for all ranks.
---@param xs cupola.Array[]
---@param root? integer
---@return cupola.Array[]
function Ranks:broadcast_(xs, root) end

--- Closes all communicators of the list.
function Ranks:close() end

--- Communicator:reduce for all ranks.
---@param xs cupola.Array[]
---@param op? string
---@param root? integer
---@return table
function Ranks:reduce(xs, op, root) end

--- Communicator:reduce_ for all ranks.
---@param xs cupola.Array[]
---@param op? string
---@param root? integer
---@return table
function Ranks:reduce_(xs, op, root) end

--- Communicator:reduce_scatter for all ranks.
---@param xs cupola.Array[]
---@param op? string
---@return cupola.Array[]
function Ranks:reduce_scatter(xs, op) end

--- Best block size; grid to fill all.
---@param shared_mem? integer|cupola.Options
---@param limit? integer|cupola.Options
---@return integer
---@return integer
function RawKernel:best_block(shared_mem, limit) end

--- Makes the kernel ready on the current device now.
---@return cupola.RawKernel
function RawKernel:compile() end

--- Blocks that a multiprocessor holds.
---@param block integer|table
---@param shared_mem? integer|cupola.Options
---@return integer
function RawKernel:occupancy(block, shared_mem) end

--- Words of the hash, uint32 or uint64.
---@param n_words integer
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function SeedSequence:generate_state(n_words, dtype) end

--- Sequences that are independent of each other.
---@param n_children integer
---@return table
function SeedSequence:spawn(n_children) end

--- Calls f(...) once the work that is now on the stream is done, at the next poll: `s:query()`,
--- `s:synchronize()`, `cp.synchronize()` or `cp.cuda.poll()`.
---@param f function
---@param ... any
---@return cupola.Stream # the same
function Stream:callback(f, ...) end

--- Ends the use of the object; an external stream is waited for, and not touched any more.
function Stream:close() end

--- CuPy's name for callback.
---@param f any
---@param ... any
---@return cupola.Stream
function Stream:launch_host_func(f, ...) end

--- Whether the stream's work is done; launches what is pending first.
---@return boolean
function Stream:query() end

--- Records an event after the work that is now on the stream.
---@param event? userdata|cupola.Options # default: a new one
---@return cupola.Event
function Stream:record(event) end

--- Computes what is pending on the stream and waits for its work.
---@return cupola.Stream
function Stream:synchronize() end

--- Makes this stream the running coroutine's current stream on its device, until changed.
---@return table guard # `guard:close()`, or Lua 5.4's `local g <close> = s:use()`, restores the previous stream
function Stream:use() end

--- Work that is queued from now on waits for the event.
---@param event cupola.Event
---@return cupola.Stream
function Stream:wait_event(event) end

--- Runs f(...) with this stream as the current one, on its device; then launches what is pending on it.
---@param f function
---@param ... any
---@return any ... # what f returns
function Stream:with(f, ...) end

--- What the resource was made of.
---@return table
function TextureResource:get_resource_desc() end

--- What the descriptor was made of.
---@return table
function TextureSampling:get_texture_desc() end

cp.cuda.Stream = StreamClass

return cp
