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

--- A function of arrays from the text of what it does with one element; see docs/kernels.md.
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

--- A kernel from CUDA C++; see docs/kernels.md.
---@param code string # the source
---@param name string # of the __global__ function, such as "add" or "scale<float>"
---@param options? table|cupola.Options # of the compiler, such as {"-DN=4", "-Ifolder"}
---@param backend? string|cupola.Options
---@param translate_cucomplex? boolean|cupola.Options
---@param enable_cooperative_groups? boolean|cupola.Options
---@param strided? boolean|cupola.Options
---@param signature? string|cupola.Options
---@return cupola.RawKernel # called as k(grid, block, {x, y}, {shared_mem =, stream =}) or k[{grid, block}](x, y)
function cp.RawKernel(code, name, options, backend, translate_cucomplex, enable_cooperative_groups, strided, signature) end

--- A module of kernels from CUDA C++, a cubin, a fatbin or PTX; see docs/kernels.md.
---@param code? string|cupola.Options # the source or the bytes of an image
---@param path? string|cupola.Options # of a file with either
---@param options? table|cupola.Options # of the compiler, such as {"-Ifolder"}
---@param backend? string|cupola.Options
---@param translate_cucomplex? boolean|cupola.Options
---@param enable_cooperative_groups? boolean|cupola.Options
---@param name_expressions? string[]|cupola.Options
---@return cupola.Module
function cp.RawModule(code, path, options, backend, translate_cucomplex, enable_cooperative_groups, name_expressions) end

--- A reduction from the text of its parts: map_expr of an element, reduce_expr of `a` and `b`, post_map_expr of
--- `a`.
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
---@return cupola.Array
---@overload fun(x: number): number
function cp.abs(x, out, dtype) end

--- Absolute value, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.abs_(x) end

--- Absolute value.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.absolute(x, out, dtype) end

--- Absolute value, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.absolute_(x) end

--- Inverse cosine. The same as arccos.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.acos(x, out, dtype) end

--- Inverse cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.acos_(x) end

--- Inverse hyperbolic cosine. The same as arccosh.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.acosh(x, out, dtype) end

--- Inverse hyperbolic cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.acosh_(x) end

--- x1 + x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.add(x1, x2, out, dtype) end

--- x1 + x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.add_(x1, x2) end

--- Whether all elements are true: a Lua boolean, with an axis a bool array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return any
function cp.all(a, axis, out, keepdims) end

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
---@return cupola.Array
function cp.amax(a, axis, out, keepdims, initial) end

--- Least value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.amin(a, axis, out, keepdims, initial) end

--- The angle of complex values in the plane, in radians; 0 or pi for real ones.
---@param z cupola.Operand
---@param deg? boolean|cupola.Options # in degrees; default false
---@return cupola.Array # floating array
function cp.angle(z, deg) end

--- Whether one element is true: a Lua boolean, with an axis a bool array.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return any
function cp.any(a, axis, out, keepdims) end

--- Joins values behind an array; without an axis both count as flat.
---@param arr cupola.Operand
---@param values cupola.Operand
---@param axis? integer|cupola.Options
---@return cupola.Array
function cp.append(arr, values, axis) end

--- What f gives for each vector along an axis, put together.
---@param func1d function # gives an array or a number
---@param axis integer
---@param arr cupola.Operand
---@return cupola.Array
function cp.apply_along_axis(func1d, axis, arr) end

--- func(a, axis) for one axis after the other, each on what the one before gave.
---@param func function # func(a, axis) gives an array with as many axes as a, or one less
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
---@return cupola.Array
---@overload fun(x: number): number
function cp.arccos(x, out, dtype) end

--- Inverse cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arccos_(x) end

--- Inverse hyperbolic cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arccosh(x, out, dtype) end

--- Inverse hyperbolic cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arccosh_(x) end

--- Inverse sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arcsin(x, out, dtype) end

--- Inverse sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arcsin_(x) end

--- Inverse hyperbolic sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arcsinh(x, out, dtype) end

--- Inverse hyperbolic sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.arcsinh_(x) end

--- Inverse tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.arctan(x, out, dtype) end

--- Angle of the point (x2, x1), -pi to pi.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.arctan2(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x: number): number
function cp.arctanh(x, out, dtype) end

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

--- The positions, from 1, of what partition gives.
---@param a cupola.Operand
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array # int64 array
function cp.argpartition(a, kth, axis, kind) end

--- The positions, from 1, of the elements in ascending order; equal elements keep their order.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as NumPy's; every sort is stable
---@return cupola.Array # int64 array
function cp.argsort(a, axis, kind) end

--- The positions of elements that are not 0, as an array with a row for each.
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

--- Whether two arrays have the same values once they are broadcast.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return boolean
function cp.array_equiv(a1, a2) end

--- The same, where the number of parts need not divide the length: the first parts are longer by one.
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

--- The same; an array that is right as it is, is not copied.
---@param object cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.asarray(object, dtype, order, device) end

--- a as an array whose values are finite; others are an error.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" or "F"; default: as it is
---@return cupola.Array
function cp.asarray_chkfinite(a, dtype, order) end

--- a as an array whose rows lie one behind the other in memory; a itself if it does.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.ascontiguousarray(a, dtype) end

--- The same for columns (Fortran's order).
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.asfortranarray(a, dtype) end

--- Inverse sine. The same as arcsin.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.asin(x, out, dtype) end

--- Inverse sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.asin_(x) end

--- Inverse hyperbolic sine. The same as arcsinh.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.asinh(x, out, dtype) end

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

--- A copy in another dtype; with copy = false x itself where it has that dtype.
---@param x cupola.Array
---@param dtype cupola.dtype
---@param copy? boolean|cupola.dtype|cupola.Options
---@return cupola.Array
function cp.astype(x, dtype, copy) end

--- Inverse tangent. The same as arctan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.atan(x, out, dtype) end

--- Angle of the point (x2, x1), -pi to pi. The same as arctan2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.atan2(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x: number): number
function cp.atanh(x, out, dtype) end

--- Inverse hyperbolic tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.atanh_(x) end

--- Views with one axis at least. Several arguments give several results.
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_1d(...) end

--- Views with two axes at least: (n) becomes (1, n).
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_2d(...) end

--- Views with three axes at least: (n) becomes (1, n, 1), (n, m) becomes (n, m, 1).
---@param ... any
---@return cupola.Array ... # one view per argument
function cp.atleast_3d(...) end

--- The mean, or the weighted mean sum(a * weights) / sum(weights).
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param weights? cupola.Operand|cupola.Options # of a's shape, or a vector along the axis
---@param returned? boolean|cupola.Options # gives the sum of weights, too
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.average(a, axis, weights, returned, keepdims) end

--- Bitwise and. The same as bitwise_and.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.band(x1, x2, out, dtype) end

--- Bitwise and, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.band_(x1, x2) end

--- A triangle that ends with zeros.
---@param M  integer
---@return cupola.Array
function cp.bartlett(M) end

--- How often each whole number occurs: element v + 1 counts the value v.
---@param x cupola.Operand # vector of integers that are not negative
---@param weights? cupola.Operand|cupola.Options # of x's shape: sums of weights (float64) rather than counts
---@param minlength? integer|cupola.Options # least length of the result
---@return cupola.Array # int64 vector
function cp.bincount(x, weights, minlength) end

--- Bitwise and.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_and(x1, x2, out, dtype) end

--- Bitwise and, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_and_(x1, x2) end

--- How many bits are set in the absolute value of each element.
---@param x cupola.Operand # bool or an integer dtype
---@return cupola.Array # uint8
function cp.bitwise_count(x) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bitwise_invert(x, out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bitwise_invert_(x) end

--- x1 << x2. The same as left_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_left_shift(x1, x2, out, dtype) end

--- x1 << x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_left_shift_(x1, x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bitwise_not(x, out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bitwise_not_(x) end

--- Bitwise or.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_or(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_right_shift(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bitwise_xor(x1, x2, out, dtype) end

--- Bitwise exclusive or, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.bitwise_xor_(x1, x2) end

--- Blackman's window.
---@param M  integer
---@return cupola.Array
function cp.blackman(M) end

--- An array put together of blocks: `cp.block{ {A, B}, {C, D} }` has A and B side by side, C and D below them.
---@param arrays cupola.Operand # nested tables of arrays and numbers; the innermost ones are joined along the last axis
---@return cupola.Array
function cp.block(arrays) end

--- All bits exchanged; not, of bool. The same as invert.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.bnot(x, out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.bnot_(x) end

--- Bitwise or. The same as bitwise_or.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bor(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.bxor(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x: number): number
function cp.cbrt(x, out, dtype) end

--- Cube root, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.cbrt_(x) end

--- Smallest whole number that is not less.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.ceil(x, out, dtype) end

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

--- Limits values to an interval: minimum(maximum(a, a_min), a_max). A bound that is nil is no bound.
---@param a cupola.Operand # array, table or number
---@param a_min? cupola.Operand|cupola.Options # number or array that broadcasts with a; also by the name min
---@param a_max? cupola.Operand|cupola.Options # the same; also by the name max
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.clip(a, a_min, a_max, out, min, max) end

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
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.column_stack(arrays, dtype) end

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
---@param arrays table # arrays whose shapes differ along the axis only
---@param axis? integer|false|cupola.dtype|cupola.Options # default 1; false joins the flat arrays
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.concat(arrays, axis, out, dtype) end

--- Joins arrays along an axis that they have: `cp.concatenate{a, b, axis = 2}`.
---@param arrays table # arrays whose shapes differ along the axis only
---@param axis? integer|false|cupola.dtype|cupola.Options # default 1; false joins the flat arrays
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.concatenate(arrays, axis, out, dtype) end

--- Complex conjugate.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.conj(x, out, dtype) end

--- Complex conjugate, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.conj_(x) end

--- Complex conjugate. The same as conj.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.conjugate(x, out, dtype) end

--- Complex conjugate, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.conjugate_(x) end

--- The convolution of two vectors: sums of a[i] * v[j] with i + j constant.
---@param a cupola.Operand
---@param v any
---@param mode? string|cupola.Options # "full" (default): wherever they overlap, "same": as long as the longer one, "valid": where they overlap wholly
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.copysign(x1, x2, out, dtype) end

--- x1 with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.copysign_(x1, x2) end

--- Writes src into dst, where a condition is true.
---@param dst cupola.Array
---@param src cupola.Operand # broadcasts to dst
---@param where? cupola.Operand|cupola.Options # truth values that broadcast to dst; default: everywhere
function cp.copyto(dst, src, where) end

--- Correlation coefficients of variables, from -1 to 1.
---@param x cupola.Operand
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true: rows are variables
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.corrcoef(x, y, rowvar, dtype) end

--- The correlation of two vectors: sums of a[i + k] * conj(v[i]) for each distance k.
---@param a cupola.Operand
---@param v any
---@param mode? string|cupola.Options # "valid" (default), "same" or "full", as of convolve
---@return cupola.Array
function cp.correlate(a, v, mode) end

--- Cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.cos(x, out, dtype) end

--- Cosine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.cos_(x) end

--- Hyperbolic cosine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.cosh(x, out, dtype) end

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

--- Covariances of variables, a matrix. Rows are variables and columns observations, unless rowvar is false.
---@param m cupola.Operand
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true
---@param bias? boolean|cupola.Options # divide by the number of observations rather than one less; default false
---@param ddof? integer|cupola.Options # what is taken off the number of observations; instead of bias
---@param fweights? cupola.Operand|cupola.Options # how often each observation counts
---@param aweights? cupola.Operand|cupola.Options # weights of observations
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

--- The largest of the elements up to each one; nan from the first nan on.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cummax(a, axis, out) end

--- The smallest of the elements up to each one; nan from the first nan on.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cummin(a, axis, out) end

--- Products of the elements up to each one.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # default: bool and integers widen to 64 bits, others as they are
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumprod(a, axis, dtype, out) end

--- Sums of the elements up to each one.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # what is summed in; default: bool and integers widen to 64 bits, others as they are
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.cumsum(a, axis, dtype, out) end

--- Products of the elements up to each one.
---@param x cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # needed but for vectors
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # a 1 before the first product
---@return cupola.Array
function cp.cumulative_prod(x, axis, dtype, include_initial) end

--- Sums of the elements up to each one.
---@param x cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # needed but for vectors
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # a 0 before the first sum
---@return cupola.Array
function cp.cumulative_sum(x, axis, dtype, include_initial) end

--- Degrees to radians. The same as radians.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.deg2rad(x, out, dtype) end

--- Degrees to radians, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.deg2rad_(x) end

--- Radians to degrees.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.degrees(x, out, dtype) end

--- Radians to degrees, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.degrees_(x) end

--- A copy without the elements at some positions.
---@param arr cupola.Operand
---@param obj cupola.Operand # a position from 1 (negative from the end), a table or array of positions, or a mask
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.delete(arr, obj, axis) end

--- Whether results repeat from run to run, at a price (docs/arrays.md); sets it.
---@param on? boolean|cupola.Options
---@return boolean
function cp.deterministic(on) end

--- The device named "cpu", "cuda" or "cuda:N"; the current one without a name.
---@param name? string|cupola.Options
---@return cupola.Device # with fields name, kind ("cpu" or "cuda"), id (CUDA's ordinal, from 0), attributes, properties
function cp.device(name) end

--- The diagonal of a matrix (a view), or a matrix of zeros with this diagonal.
---@param v any # (n, m) or (n)
---@param k? integer|cupola.Options # which diagonal; above the main one when positive; default 0
---@return cupola.Array # 1-d, or (n + |k|, n + |k|)
function cp.diag(v, k) end

--- The positions of the main diagonal of an array whose axes all have length n.
---@param n integer
---@param ndim? integer|cupola.Options # default 2
---@return table
function cp.diag_indices(n, ndim) end

--- The positions of the main diagonal of a given array.
---@param arr cupola.Operand # its axes have one length
---@return table
function cp.diag_indices_from(arr) end

--- A matrix of zeros with all elements of v on a diagonal.
---@param v any # any shape
---@param k? integer|cupola.Options # which diagonal; default 0
---@return cupola.Array # (v.size + |k|, v.size + |k|)
function cp.diagflat(v, k) end

--- The view of a diagonal of two axes, as the last axis of the result.
---@param a cupola.Operand # two axes or more
---@param offset? integer|cupola.Options # above the main diagonal when positive; default 0
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@return cupola.Array
function cp.diagonal(a, offset, axis1, axis2) end

--- Differences of neighbours: element k + 1 less element k, n times over. On bool, whether they differ.
---@param a cupola.Operand
---@param n? integer|cupola.Options # how often; default 1
---@param axis? integer|cupola.Options # default: the last
---@param prepend? cupola.Operand|cupola.Options # a number or array that stands before a
---@param append? cupola.Operand|cupola.Options # a number or array that stands behind a
---@return cupola.Array
function cp.diff(a, n, axis, prepend, append) end

--- The bin of each value among edges: the position, from 1, of the first edge above it (#bins + 1: none), so that
--- bins[k - 1] <= v < bins[k]. Where the edges descend, bins[k - 1] > v >= bins[k].
---@param x cupola.Operand # values of any shape
---@param bins cupola.Operand # vector of edges, ascending or descending
---@param right? boolean|cupola.Options # the upper edge belongs to a bin rather than the lower one; default false
---@return cupola.Array # int64 array of x's shape
function cp.digitize(x, bins, right) end

--- x1 / x2, true division. The same as divide.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.div(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.divide(x1, x2, out, dtype) end

--- x1 / x2, true division, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.divide_(x1, x2) end

--- Floor division and its remainder.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@return cupola.Array
---@return cupola.Array
function cp.divmod(x1, x2) end

--- The inner product of vectors, the product of matrices; otherwise the sum of products over the last axis of a and
--- the last but one of b.
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

--- Joins along the third axis; (n) counts as (1, n, 1), (n, m) as (n, m, 1).
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.dstack(arrays, dtype) end

--- Differences of neighbours of the flat array, with values before and behind them.
---@param ary cupola.Operand
---@param to_end? cupola.Operand|cupola.Options
---@param to_begin? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.ediff1d(ary, to_end, to_begin) end

--- Sums of products by labels of axes: `cp.einsum("ij,jk->ik", a, b)` multiplies matrices, `"ii"` is a trace,
--- `"...ij->...ji"` swaps the last axes. Without "->" the result has the labels that stand once, in order. Of
--- several operands the cheapest pair is contracted first.
---@param subscripts string
---@param ... any # the arrays, then perhaps a table of out, dtype and optimize (false: in the order written)
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

--- A CPU array in page-locked memory, of the shape and dtype of `a`.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options # default: that of a
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C", "F", "A" or "K" (default)
---@param shape? integer|integer[]|cupola.Options # default: that of a
---@return cupola.Array
function cp.empty_like_pinned(a, dtype, order, shape) end

--- A CPU array in page-locked memory, of any values: copies between it and a GPU (`x:to`, `x:assign`) run at the
--- bus's full speed while the program goes on. Whoever reads or writes it on the CPU waits for them by itself.
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.eq(x1, x2, out, dtype) end

--- x1 == x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.equal(x1, x2, out, dtype) end

--- Error function.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.erf(x, out, dtype) end

--- Error function, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.erf_(x) end

--- 1 - erf(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.erfc(x, out, dtype) end

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
---@return cupola.Array
---@overload fun(x: number): number
function cp.exp(x, out, dtype) end

--- 2 ^ x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.exp2(x, out, dtype) end

--- 2 ^ x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.exp2_(x) end

--- e ^ x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.exp_(x) end

--- A view with new axes of length 1 at these places.
---@param a cupola.Operand
---@param axis integer|table
---@return cupola.Array
function cp.expand_dims(a, axis) end

--- exp(x) - 1.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.expm1(x, out, dtype) end

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

--- Absolute values as floating numbers.
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

--- Limits of a floating dtype (of the parts, for a complex one): bits, eps, epsneg, max, min, tiny,
--- smallest_normal,
--- smallest_subnormal, resolution, precision, nmant, maxexp, minexp, dtype.
---@param dtype cupola.dtype|cupola.Array # a dtype or an array
---@return table
function cp.finfo(dtype) end

--- Rounds toward zero: NumPy's older name of trunc.
---@param x cupola.Operand
---@return cupola.Array
function cp.fix(x) end

--- The same as cp.trunc_.
---@param x cupola.Array
---@return cupola.Array
function cp.fix_(x) end

--- The positions of elements that are not 0, in the flat array.
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

--- x1 to the power x2, computed in float64 (complex128 for complex operands) at least.
---@param x1 cupola.Operand
---@param x2 cupola.Operand # broadcasts with x1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.float_power(x1, x2, out) end

--- Largest whole number that is not greater.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.floor(x, out, dtype) end

--- Largest whole number that is not greater, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.floor_(x) end

--- The floor of x1 / x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.floor_divide(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(a: number, b: number, c: number): number
function cp.fma(a, b, c, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmax(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmin(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.fmod(x1, x2, out, dtype) end

--- Remainder with the sign of x1, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.fmod_(x1, x2) end

--- Mantissa and exponent: x = mantissa * 2 ^ exponent.
---@param x cupola.Operand
---@return cupola.Array
---@return cupola.Array
function cp.frexp(x) end

--- An array on the memory of a DLPack tensor, without a copy. A capsule is consumed, and a tensor given by its
--- address belongs to cupola from then on.
---@param tensor cupola.Operand # what x:dlpack() gives, a value with such a method, or the address of a DLManagedTensor
---@return cupola.Array
function cp.from_dlpack(tensor) end

--- An array on memory that is not cupola's, without a copy.
---@param ptr integer|lightuserdata|ffi.cdata*|table # address of the first element; x.data is one
---@param shape integer|integer[]
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param owner? cupola.Operand|cupola.Options # kept alive as long as the memory is used
---@param device? string|cupola.Device|cupola.Options # where the memory lies, default the current device
---@param strides? integer[]|cupola.Options # bytes from element to element along each axis, default C order
---@return cupola.Array
function cp.from_pointer(ptr, shape, dtype, owner, device, strides) end

--- A vector of the values that a string of bytes holds.
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

--- Reads the bare values of a file as a vector; of a text file where sep is given. np.fromfile's counterpart.
---@param file string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param count? integer|cupola.Options # how many values; default -1: all
---@param sep? string|cupola.Options # between the numbers of a text file; default "": the file holds bytes
---@param offset? integer|cupola.Options # bytes to skip first; default 0
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.fromfile(file, dtype, count, sep, offset, device) end

--- An array of what f gives for arrays of coordinates, which count from 0.
---@param f function
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options # of the coordinates; default the default dtype
---@return cupola.Array
function cp.fromfunction(f, shape, dtype) end

--- A vector of the numbers in a text.
---@param string string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param count? integer|cupola.Options # how many; default -1: all
---@param sep? string|cupola.Options # between numbers; default " ", any white space
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

--- A function that does what f does, as one kernel where elementwise operations follow each other, however long the
--- chain. What f makes and does not return is gone afterwards (cp.keep keeps it). See docs/fusion.md.
---@param f function # of arrays, numbers and whatever else
---@param name? string|cupola.Options # for its text and messages
---@param kernel_name? cupola.Operand|cupola.Options
---@return cupola.Fused # called like f; fields: launches (kernels of the last call), source (their CUDA text), name
function cp.fuse(f, name, kernel_name) end

--- Whether operators wait until values are needed; sets it. Returns what held before.
---@param on? boolean
---@return boolean
function cp.fusion(on) end

--- Gamma function.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.gamma(x, out, dtype) end

--- Gamma function, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.gamma_(x) end

--- Greatest common divisor.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.gcd(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.ge(x1, x2, out, dtype) end

--- loadtxt for tables with gaps: a word that is no number becomes the filling value.
---@param fname string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param comments? string|table|cupola.Options # default "#"
---@param delimiter? string|cupola.Options # default: white space
---@param skip_header? integer|cupola.Options # lines to skip; default 0
---@param converters? table|cupola.Options # functions by column
---@param filling_values? number|cupola.Options # a number; default nan, 0 for dtypes without nan
---@param usecols? integer|table|cupola.Options # from 1
---@param max_rows? integer|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (rows, columns)
function cp.genfromtxt(fname, dtype, comments, delimiter, skip_header, converters, filling_values, usecols, max_rows, device) end

--- Values from start to stop whose ratios are equal; both may be negative or complex, neither 0.
---@param start cupola.Operand # number or array
---@param stop cupola.Operand # number or array that broadcasts with start
---@param num? integer|cupola.dtype|cupola.Options # default 50
---@param endpoint? boolean|cupola.Options # whether the last value is stop; default true
---@param dtype? cupola.dtype|cupola.Options
---@param axis? integer|cupola.Options # of the values, where start or stop is an array; default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.geomspace(start, stop, num, endpoint, dtype, axis, device) end

--- `cp.cpu` when all arrays among the arguments are on the CPU (and there is one), else `cp`.
---@param ... any
---@return cupola
function cp.get_array_module(...) end

---@return string dtype
function cp.get_default_dtype() end

--- The pool that arrays take memory from unless another one was set: that of the current device.
---@return cupola.MemoryPool
function cp.get_default_memory_pool() end

--- The pool of page-locked memory that `cp.empty_pinned` and its like take from, one for all states.
---@return cupola.MemoryPool
function cp.get_default_pinned_memory_pool() end

--- The options that set_printoptions sets.
---@return table
function cp.get_printoptions() end

--- Slopes by central differences, one-sided at the ends. One array for one axis, else a table with one for each axis.
---@param f any
---@param spacing? cupola.Operand|cupola.Options # a number for all axes (default 1), the places along the one axis, or a table of these by axis
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param edge_order? integer|cupola.Options # 1 (default) or 2: order of the differences at the ends
---@return cupola.Array
function cp.gradient(f, spacing, axis, edge_order) end

--- x1 > x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.greater(x1, x2, out, dtype) end

--- x1 >= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.greater_equal(x1, x2, out, dtype) end

--- x1 > x2 of each element, a bool array. The same as greater.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.gt(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.heaviside(x1, x2, out, dtype) end

--- 0 for negative x1, x2 for 0, 1 for positive, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.heaviside_(x1, x2) end

--- How many elements lie between edges, a bin's lower edge belonging to it (and the last edge to the last bin); and
--- the
--- edges.
---@param a cupola.Operand # flattened
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), or the edges in ascending order
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@param density? boolean|cupola.Options # shares for each unit of width rather than counts
---@param weights? cupola.Operand|cupola.Options # of a's shape: sums of weights rather than counts
---@return cupola.Array
---@return cupola.Array
function cp.histogram(a, bins, range, density, weights) end

--- Counts of points of the plane in rectangles; and the edges along x and y.
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

--- The edges of the bins that histogram uses.
---@param a cupola.Operand
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), or the edges
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@return cupola.Array
function cp.histogram_bin_edges(a, bins, range) end

--- Counts of points of any dimension in boxes; and a table with the edges of each dimension.
---@param sample cupola.Operand # (N, D): a point in each row
---@param bins? cupola.Operand|cupola.Options # a number for all (default 10), or a table with a number or edges for each dimension
---@param range? table|cupola.Options # a table of {lowest, highest} for each dimension
---@param density? boolean|cupola.Options
---@param weights? cupola.Operand|cupola.Options
---@return cupola.Array
---@return table
function cp.histogramdd(sample, bins, range, density, weights) end

--- Splits along the second axis, vectors along their only one.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function cp.hsplit(ary, indices_or_sections) end

--- Joins along the second axis, vectors along their only one.
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.hstack(arrays, dtype) end

--- sqrt(x1 ^ 2 + x2 ^ 2).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.hypot(x1, x2, out, dtype) end

--- sqrt(x1 ^ 2 + x2 ^ 2), written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.hypot_(x1, x2) end

--- The modified Bessel function of order 0, NumPy's name of cp.scipy.special.i0.
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.idiv(x1, x2, out, dtype) end

--- The floor of x1 / x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.idiv_(x1, x2) end

--- Limits of an integer dtype: bits, min, max, dtype.
---@param dtype cupola.dtype|cupola.Array # a dtype or an array
---@return table
function cp.iinfo(dtype) end

--- The imaginary part: a view of complex arrays, zeros for others. On an array this is the field x.imag.
---@param val cupola.Operand
---@return cupola.Array
function cp.imag(val) end

--- isin of the flat array.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # changes nothing
---@param invert? boolean|cupola.Options # default false
---@return cupola.Array # bool vector
function cp.in1d(ar1, ar2, assume_unique, invert) end

--- A list of positions, as an int64 array: x[cp.index{1, 3, 5}].
---@param positions table
---@return cupola.Array
function cp.index(positions) end

--- Positions, from 1, of every element of an array of this shape.
---@param shape integer|table # a table or a whole number
---@param dtype? cupola.dtype|cupola.Options # default int64
---@param sparse? boolean|cupola.Options # a table of arrays that broadcast against each other; default false
---@return cupola.Array # array (#shape, shape...)
function cp.indices(shape, dtype, sparse) end

--- The sum of products over the last axes of both arrays.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.inner(a, b) end

--- A copy with values before some positions.
---@param arr cupola.Operand
---@param obj cupola.Operand # a position from 1 (length + 1: behind the last one; negative from the end), or a table or array of positions in arr, or a mask of them
---@param values cupola.Operand # broadcasts to what is put in; takes arr's dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.insert(arr, obj, values, axis) end

--- Values at x of the function that joins the points (xp, fp) by straight lines.
---@param x cupola.Operand # of any shape
---@param xp cupola.Operand # vector in ascending order
---@param fp cupola.Operand # values at xp, real or complex
---@param left? cupola.Operand|cupola.Options # value below xp; default: the first of fp
---@param right? cupola.Operand|cupola.Options # value above xp; default: the last of fp
---@param period? number|cupola.Options # of a periodic function, whose xp need no order
---@return cupola.Array # float64 or complex128 array
function cp.interp(x, xp, fp, left, right, period) end

--- The elements that occur in both arrays, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # changes nothing
---@param return_indices? boolean|cupola.Options # gives their first positions in both, too
---@return cupola.Array
function cp.intersect1d(ar1, ar2, assume_unique, return_indices) end

--- All bits exchanged; not, of bool.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.invert(x, out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.invert_(x) end

--- Whether v is an array.
---@param v any
---@return boolean
function cp.is_array(v) end

--- |a - b| <= atol + rtol * |b|, for each element; infinities are close to themselves.
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

--- Whether x is neither infinite nor nan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isfinite(x, out, dtype) end

--- Whether an array lies in memory by columns (Fortran's order) and not by rows as well.
---@param a cupola.Operand
---@return boolean
function cp.isfortran(a) end

--- For each element whether it is among test_elements.
---@param element cupola.Operand
---@param test_elements cupola.Operand
---@param assume_unique? boolean|cupola.Options # changes nothing
---@param invert? boolean|cupola.Options # whether it is not; default false
---@return cupola.Array # bool array of element's shape
function cp.isin(element, test_elements, assume_unique, invert) end

--- Whether x is infinite.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isinf(x, out, dtype) end

--- Whether x is nan.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.isnan(x, out, dtype) end

--- Where a value is -inf.
---@param x cupola.Operand
---@return cupola.Array
function cp.isneginf(x) end

--- Where a value is +inf.
---@param x cupola.Operand
---@return cupola.Array
function cp.isposinf(x) end

--- For each element, whether its imaginary part is 0 (not 0).
---@param x cupola.Operand
---@return cupola.Array # bool array; of a plain value a boolean
function cp.isreal(x) end

--- Whether x has no complex dtype, whatever its values.
---@param x cupola.Operand
---@return boolean
function cp.isrealobj(x) end

--- Whether v is a single value: a number, boolean, cp.complex, cp.scalar or 64-bit cdata; false for every array.
---@param v any
---@return boolean
function cp.isscalar(v) end

--- Arrays that together choose every combination of their positions: `x[cp.ix_({1, 3}, {2, 5})]` has 2 rows and 2
--- columns.
---@param ... any # for each axis: whole numbers, or truth values
---@return table
function cp.ix_(...) end

--- The Kaiser window, the same as cp.scipy.signal.windows.kaiser.
---@param M integer
---@param beta number
---@return cupola.Array # float64 array
function cp.kaiser(M, beta) end

--- Keeps arrays beyond the running scope.
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.lcm(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.ldexp(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.le(x1, x2, out, dtype) end

--- x1 << x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.left_shift(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(a: number, b: number, t: number): number
function cp.lerp(a, b, t, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.less(x1, x2, out, dtype) end

--- x1 <= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.less_equal(x1, x2, out, dtype) end

--- The positions, from 1, that sort by several keys; the last key counts first, equal ones by the key before it.
---@param keys cupola.Operand # a table of arrays of one shape, or an array whose rows they are
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # int64 array
function cp.lexsort(keys, axis) end

--- Logarithm of the absolute value of gamma(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.lgamma(x, out, dtype) end

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

--- Reads what save, savez or NumPy has written: an array from npy, a table of arrays by their names from npz. Pickles
--- and arrays of Python objects are refused.
---@param file string
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@param names? table|cupola.Options # of an archive: read these arrays only
---@return cupola.Array|table # array, or table
function cp.load(file, device, names) end

--- Reads numbers from a text file: a row for each line. Columns count from 1.
---@param fname string
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param comments? string|table|cupola.Options # string or table of strings that begin a comment; default "#"
---@param delimiter? string|cupola.Options # between columns; default: white space
---@param converters? table|cupola.Options # functions from a column's text to its value, by column
---@param skiprows? integer|cupola.Options # lines to skip, comments counted; default 0
---@param usecols? integer|table|cupola.Options # a column or a table of columns, from 1, negative from the end; default: all
---@param unpack? boolean|cupola.Options # the columns as several values; default false
---@param ndmin? integer|cupola.Options # axes that the result has at least, 0 to 2; default 0: one row or column has one axis
---@param max_rows? integer|cupola.Options # default: all
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (rows, columns)
function cp.loadtxt(fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, max_rows, device) end

--- Natural logarithm.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log(x, out, dtype) end

--- Logarithm of base 10.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log10(x, out, dtype) end

--- Logarithm of base 10, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log10_(x) end

--- log(1 + x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log1p(x, out, dtype) end

--- log(1 + x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.log1p_(x) end

--- Logarithm of base 2.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.log2(x, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.logaddexp(x1, x2, out, dtype) end

--- log2(2 ^ x1 + 2 ^ x2).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.logaddexp2(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_and(x1, x2, out, dtype) end

--- Whether x is 0.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.logical_not(x, out, dtype) end

--- Whether one is true (not 0).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_or(x1, x2, out, dtype) end

--- Whether exactly one is true (not 0).
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.logical_xor(x1, x2, out, dtype) end

--- base ^ start to base ^ stop with exponents at even distances.
---@param start cupola.Operand # number or array
---@param stop cupola.Operand # number or array that broadcasts with start
---@param num? integer|cupola.dtype|cupola.Options # default 50
---@param endpoint? boolean|cupola.Options # whether the last value is base ^ stop; default true
---@param base? number|cupola.Options # default 10
---@param dtype? cupola.dtype|cupola.Options # default: the default dtype
---@param axis? integer|cupola.Options # of the values, where start or stop is an array; default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array # array (num), or (num, ...) for arrays
function cp.logspace(start, stop, num, endpoint, base, dtype, axis, device) end

--- x1 < x2 of each element, a bool array. The same as less.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.lt(x1, x2, out, dtype) end

--- The positions that a function of matrices leaves: `cp.mask_indices(3, cp.triu)`.
---@param n integer
---@param mask_func function # mask_func(m, k) of an n by n matrix of ones
---@param k? integer|cupola.Options # default 0
---@return table
function cp.mask_indices(n, mask_func, k) end

--- The product of matrices, which lie in the last two axes; axes in front are broadcast. A vector on the left is a
--- row, on the right a column, and that axis is gone from the result. float16 and bfloat16 are summed in float32.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.matmul(x1, x2, out) end

--- The array with its last two axes exchanged.
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
---@return cupola.Array
function cp.max(a, axis, out, keepdims, initial) end

--- The greater one; nan where one is nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.maximum(x1, x2, out, dtype) end

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
---@return cupola.Array
function cp.mean(a, axis, dtype, out, keepdims) end

--- The element in the middle of the sorted ones, or the mean of the two there. nan where there is a nan.
---@param a cupola.Operand # integers become float64
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # changes nothing
---@param keepdims? boolean|cupola.Options # reduced axes stay with length 1
---@return cupola.Array
function cp.median(a, axis, out, overwrite_input, keepdims) end

--- Figures of the device's pool, in bytes; sets its limit.
---@param limit? number|string|table|cupola.Options
---@param auto? boolean|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return table
function cp.memory(limit, auto, device) end

--- Coordinates of a grid: from vectors to one array per vector.
--- `cp.meshgrid(x, y, {indexing = "ij", sparse = false, copy = true})`
---@param ... any # vectors (0-d and 1-d); last a table with names: indexing "xy" (default: the first vector runs along axis 2) or "ij"; sparse: the other axes have length 1; copy = false: read-only views
---@return cupola.Array ... # one array per vector
function cp.meshgrid(...) end

--- Coordinates of a dense grid: `cp.mgrid{ {0, 5}, {0, 3} }` is an array (2, 5, 3). The stop of an item
--- {start, stop[, step]} is not among its values; a step of cp.complex(0, n) gives n values with both ends. One
--- bare
--- item gives a 1-d array.
---@param items table
---@return cupola.Array # int64 when all numbers are whole, else the default dtype
function cp.mgrid(items) end

--- Least value; nan where one is nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.min(a, axis, out, keepdims, initial) end

--- The lesser one; nan where one is nan.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.minimum(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.mod(x1, x2, out, dtype) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.mod_(x1, x2) end

--- The part behind the point and the whole part.
---@param x cupola.Operand
---@return cupola.Array
---@return cupola.Array
function cp.modf(x) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.mul(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.multiply(x1, x2, out, dtype) end

--- x1 * x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.multiply_(x1, x2) end

--- Replaces nan and infinities; by default by 0 and by the dtype's largest and lowest number.
---@param x cupola.Operand
---@param copy? boolean|cupola.Options # false: writes into x; default true
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

--- The position, from 1, of the greatest value that is not nan.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanargmax(a, axis, keepdims) end

--- The position, from 1, of the least value that is not nan.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanargmin(a, axis, keepdims) end

--- Products of the elements up to each one, where nan counts as 1.
---@param a cupola.Operand
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function cp.nancumprod(a, axis, dtype, out) end

--- Sums of the elements up to each one, where nan counts as 0.
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
---@return cupola.Array
function cp.nanmax(a, axis, out, keepdims, initial) end

--- Mean of the values that are not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanmean(a, axis, dtype, out, keepdims) end

--- The median of the elements that are not nan; nan where there are none.
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
---@return cupola.Array
function cp.nanmin(a, axis, out, keepdims, initial) end

--- The same with q from 0 to 100.
---@param a cupola.Operand
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanpercentile(a, q, axis, out, overwrite_input, method, keepdims) end

--- Product in which nan counts as 1.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nanprod(a, axis, dtype, out, keepdims, initial) end

--- Quantiles of the elements that are not nan; nan where there are none.
---@param a cupola.Operand
---@param q cupola.Operand # from 0 to 1
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanquantile(a, q, axis, out, overwrite_input, method, keepdims) end

--- Standard deviation of the values that are not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanstd(a, axis, dtype, out, ddof, keepdims) end

--- Sum in which nan counts as 0.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.nansum(a, axis, dtype, out, keepdims, initial) end

--- Variance of the values that are not nan.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.nanvar(a, axis, dtype, out, ddof, keepdims) end

--- The positions and the values of an array, one by one: `for at, v in cp.ndenumerate(x) do`. The values are those
--- that the array has when the loop begins.
---@param arr cupola.Operand
---@return function
function cp.ndenumerate(arr) end

--- The positions of an array of this shape, from 1, one by one: `for at in cp.ndindex(2, 3) do ... x[at] ... end`.
---@param ... any # lengths, or one table of them
---@return function
function cp.ndindex(...) end

--- x1 ~= x2 of each element, a bool array. The same as not_equal.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.ne(x1, x2, out, dtype) end

--- -x. The same as negative.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.neg(x, out, dtype) end

--- -x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.neg_(x) end

--- -x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.negative(x, out, dtype) end

--- -x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.negative_(x) end

--- The next number from x1 towards x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.nextafter(x1, x2, out, dtype) end

--- The next number from x1 towards x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.nextafter_(x1, x2) end

--- The positions of elements that are not 0 (nan is not): a table with an array for each axis, in C order.
---@param a cupola.Operand
---@return table
function cp.nonzero(a) end

--- x1 ~= x2 of each element, a bool array.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): boolean
function cp.not_equal(x1, x2, out, dtype) end

--- The same grid as a table of arrays that broadcast against each other: (5, 1) and (1, 3).
---@param items table
---@return cupola.Array[]
function cp.ogrid(items) end

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

--- Every element of a times every element of b, as a matrix.
---@param a cupola.Operand
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.outer(a, b, out) end

--- Bytes of eight elements each, a bit set where one is not 0; a last byte that is not full gets zeros.
---@param a cupola.Operand # bool or an integer dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@param bitorder? string|cupola.Options # "big" (default): the first element is the highest bit; or "little"
---@return cupola.Array # uint8
function cp.packbits(a, axis, bitorder) end

--- An array with borders.
---@param array cupola.Operand
---@param pad_width cupola.Operand # widths: a number, {before, after}, or a table of these for each axis
---@param mode? string|cupola.Options # constant (default), edge, empty, linear_ramp, maximum, mean, median, minimum, reflect, symmetric or wrap
---@param constant_values? cupola.Operand|cupola.Options # of mode constant, in the forms of pad_width; default 0
---@param end_values? cupola.Operand|cupola.Options # outermost values of mode linear_ramp; default 0
---@param stat_length? cupola.Operand|cupola.Options # how many values at the edge maximum, mean, median and minimum look at; default all
---@param reflect_type? string|cupola.Options # "even" (default) or "odd": mirrored at the edge's value too
---@return cupola.Array # array of the same dtype
function cp.pad(array, pad_width, mode, constant_values, end_values, stat_length, reflect_type) end

--- The elements so that the one at position kth is where sort puts it, none before it is larger and none behind it
--- smaller. (They are sorted, which is no slower here.)
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
---@return cupola.Array
function cp.percentile(a, q, axis, out, overwrite_input, method, keepdims) end

--- The same array with its axes in another order.
---@param a cupola.Operand
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function cp.permute_dims(a, axes) end

--- Values of the function whose condition holds; the last function is for where none does.
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

--- The polynomial with these roots, its first coefficient 1; for square matrices the characteristic polynomial.
---@param seq cupola.Operand # roots, or a square matrix
---@return cupola.Array # real where the roots are conjugate pairs
function cp.poly(seq) end

--- A polynomial as an object: p(x), p + q, p - q, p * q, p / q (the quotient), p % q (the remainder), p ^ n, p == q;
--- p[k] is the coefficient of the k-th power, from 0; p:deriv(m) and p:integ(m, k); fields coeffs (or c), order,
--- roots (or r), variable. The functions for polynomials take it too.
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

--- The quotient and the remainder of two polynomials; the remainder without leading zeros.
---@param u cupola.Operand
---@param v any # its first coefficient is not 0
---@return cupola.Array q
---@return cupola.Array r
function cp.polydiv(u, v) end

--- The polynomial of degree deg that fits y at x best, in least squares; coefficients from the highest power down.
---@param x cupola.Operand # a vector
---@param y cupola.Operand # a vector, or a matrix with a column for each polynomial
---@param deg integer
---@param rcond? number|cupola.Options # default: the length times the dtype's epsilon
---@param full? boolean|cupola.Options # gives residuals, rank, singular values and rcond too; default false
---@param w? cupola.Operand|cupola.Options # weights, applied to the residuals
---@param cov? cupola.Operand|cupola.Options # true: gives the covariances of the coefficients too, scaled by the residuals; "unscaled": for weights that are 1 / sigma
---@return cupola.Array
---@return any ...
function cp.polyfit(x, y, deg, rcond, full, w, cov) end

--- The m-th antiderivative of a polynomial.
---@param p cupola.Operand
---@param m? integer|cupola.Options # default 1
---@param k? integer|cupola.Options # constants of integration, a number or a table of m; default 0
---@return cupola.Array
function cp.polyint(p, m, k) end

--- The product of two polynomials, without leading zeros of theirs.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return cupola.Array
function cp.polymul(a1, a2) end

--- The difference of two polynomials.
---@param a1 cupola.Operand
---@param a2 cupola.Operand
---@return cupola.Array
function cp.polysub(a1, a2) end

--- The value of a polynomial, p[1] * x^(n-1) + ... + p[n], at each x.
---@param p cupola.Operand # coefficients, the highest power first; a table of numbers is weak in promotion
---@param x cupola.Operand
---@return cupola.Array
function cp.polyval(p, x) end

--- A copy of x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.positive(x, out, dtype) end

--- A copy of x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.positive_(x) end

--- x1 ^ x2. The same as power.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.pow(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.power(x1, x2, out, dtype) end

--- x1 ^ x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.power_(x1, x2) end

--- Loads bundles of kernels, and compiles kernels before they are needed by running what uses them. See
--- docs/kernels.md.
---@param spec table # items {f, arguments...}, an argument {dtype =, shape =} being an array of zeros, or raw kernels and modules; and bundle = path or list of paths to load first, record = path of a bundle to write, archs
---@return table report # loaded (kernels in the bundles), compiled, found (compiled before), seconds, recorded
function cp.precompile(spec) end

--- Product.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.prod(a, axis, dtype, out, keepdims, initial) end

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

--- Writes values at positions of the flat array; values are repeated where they do not suffice. Where a position
--- comes twice the last value stays, as in `x[i] = values`.
---@param a cupola.Array
---@param ind cupola.Operand # whole numbers
---@param v any
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
function cp.put(a, ind, v, mode) end

--- Writes values at such positions. Where a position comes twice the last value stays, as in `x[i] = values`.
---@param arr cupola.Array
---@param indices cupola.Operand
---@param values cupola.Operand # broadcasts with indices
---@param axis? integer|cupola.Options # nil: of the flat array, which must be contiguous
function cp.put_along_axis(arr, indices, values, axis) end

--- Writes values where a mask is true: each place has its own, by its number in the flat array, from the start again
--- where values do not suffice.
---@param a cupola.Array
---@param mask cupola.Operand # of a's size
---@param values cupola.Operand
function cp.putmask(a, mask, values) end

--- Quantiles: the values below which a share q of the elements lies. nan where there is a nan.
---@param a cupola.Operand # integers become float64, but for methods that choose an element ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
---@param q cupola.Operand # from 0 to 1, a number or an array, whose axes come first in the result
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # changes nothing
---@param method? string|cupola.Options # what is done between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint", or another of NumPy's
---@param keepdims? boolean|cupola.Options # reduced axes stay with length 1
---@return cupola.Array
function cp.quantile(a, q, axis, out, overwrite_input, method, keepdims) end

--- Radians to degrees. The same as degrees.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rad2deg(x, out, dtype) end

--- Radians to degrees, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rad2deg_(x) end

--- Degrees to radians.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.radians(x, out, dtype) end

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

--- Positions in the flat array of a shape, from those along its axes.
---@param multi_index table # for each axis a whole number or an array of them, from 1 on
---@param dims cupola.Operand # the shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"; or a table of them, one for each axis
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return cupola.Array # a number when all are numbers
function cp.ravel_multi_index(multi_index, dims, mode, order) end

--- The real part: a view of complex arrays, other arrays themselves. On an array this is the field x.real.
---@param val cupola.Operand
---@return cupola.Array
function cp.real(val) end

--- The real parts where every imaginary part is as good as 0, else the array itself.
---@param a cupola.Operand
---@param tol? number|cupola.Options # what counts as 0: so many times the dtype's eps; up to 1 the limit itself; default 100
---@return cupola.Array
function cp.real_if_close(a, tol) end

--- 1 / x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.reciprocal(x, out, dtype) end

--- 1 / x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.reciprocal_(x) end

--- Records the kernels that the process uses from now on, for a bundle; cp.record(false) writes the file, else it is
--- written when the process exits. What the file holds already stays in it.
---@param path string|false
---@param archs? table|cupola.Options # compute capabilities such as {80, 90, 120}; default: that of the GPU that runs the kernels
---@return integer|nil kernels # how many the file holds, when it is written
function cp.record(path, archs) end

--- x1 % x2, with the sign of x2.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.remainder(x1, x2, out, dtype) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.remainder_(x1, x2) end

--- Repeats elements, one by one (NumPy's repeat, which is a word of Lua).
---@param a cupola.Operand
---@param repeats cupola.Operand # a number, or a table or array with one for each element along the axis
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function cp.repeats(a, repeats, axis) end

--- a as an array of a dtype that has what is required; a itself if it does, else a copy.
---@param a cupola.Operand
---@param dtype? cupola.dtype|cupola.Options # default: a's own
---@param requirements? cupola.Operand|cupola.Options # a string or a table of them: "C" or "F" (order in memory), "W" (can be written), "O" (owns its memory); "A" and "E" hold for every array
---@return cupola.Array
function cp.require(a, dtype, requirements) end

--- The same elements in another shape, one length may be -1; a view where that is possible.
---@param a cupola.Operand
---@param shape integer|table
---@param ... any
---@return cupola.Array
function cp.reshape(a, shape, ...) end

--- The elements of a, in C order and from the start again where they do not suffice, in a new shape.
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.right_shift(x1, x2, out, dtype) end

--- x1 >> x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.right_shift_(x1, x2) end

--- Nearest whole number, halves to the even one.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rint(x, out, dtype) end

--- Nearest whole number, halves to the even one, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rint_(x) end

--- Moves elements along axes; those that leave at the end come in at the start.
---@param a cupola.Operand
---@param shift cupola.Operand # places, a whole number or a table of them
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
---@return cupola.Array # real where all of them are, else complex
function cp.roots(p) end

--- Turns an array in the plane of two axes by k right angles, from the first axis towards the second. A view.
---@param m cupola.Operand
---@param k? integer|cupola.Options # default 1
---@param axes? table|cupola.Options # default {1, 2}
---@return cupola.Array
function cp.rot90(m, k, axes) end

--- Rounds to `decimals` places, halves to the even neighbour; integers are rounded for negative `decimals` only.
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
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.row_stack(arrays, dtype) end

--- 1 / sqrt(x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.rsqrt(x, out, dtype) end

--- 1 / sqrt(x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.rsqrt_(x) end

--- Writes an array into a file of NumPy's format npy; ".npy" is added to a name without it. bfloat16 becomes pairs of
--- bytes, which NumPy reads as "V2" and turns by x.view(ml_dtypes.bfloat16).
---@param file string
---@param arr cupola.Operand # array, table or number
function cp.save(file, arr) end

--- Writes an array with one or two axes as text, a line for each row.
---@param fname string
---@param X cupola.Operand
---@param fmt? string|table|cupola.Options # as of string.format: for every value (default "%.18e"), or for a row; or a table, one for each column
---@param delimiter? string|cupola.Options # default " "
---@param newline? string|cupola.Options # default "\n"
---@param header? string|cupola.Options # before the rows
---@param footer? string|cupola.Options # after the rows
---@param comments? string|cupola.Options # stands before header and footer; default "# "
function cp.savetxt(fname, X, fmt, delimiter, newline, header, footer, comments) end

--- Writes arrays into an archive of NumPy's format npz: `cp.savez("f.npz", a, b, {x = c})` names them arr_0, arr_1
--- and x. ".npz" is added to a name without it.
---@param file string
---@param ... any # arrays; last a table of arrays by their names
function cp.savez(file, ...) end

--- The same, with deflated content.
---@param file string
---@param ... any
function cp.savez_compressed(file, ...) end

--- A value with a dtype, strong in promotion.
---@param v any
---@param dtype cupola.dtype
---@return any
function cp.scalar(v, dtype) end

--- Adds values to the elements that an index chooses; elements that it chooses twice get both.
--- On a GPU sums of floats may differ in their last bits from run to run, and float32 takes subnormal values as 0;
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

--- Runs f(...) and frees every array made in it that it does not return (nor a returned table holds, nor cp.keep
--- was given).
--- Works in coroutines and after errors.
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.scope(f, ...) end

--- Where values are to be put into a sorted vector so that it stays sorted: the position, from 1, of the element
--- that each
--- comes to stand before, #a + 1 for the end.
---@param a cupola.Operand # vector in ascending order
---@param v any # values, of any shape
---@param side? string|cupola.Options # "left" (default): before equal elements, "right": behind them
---@param sorter? cupola.Operand|cupola.Options # positions that sort a, as of argsort
---@return cupola.Array # int64 array of v's shape
function cp.searchsorted(a, v, side, sorter) end

--- Each element from the first array whose condition is true there, else default.
---@param condlist table # arrays of bool
---@param choicelist table # as many arrays or numbers
---@param default? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.select(condlist, choicelist, default) end

--- The dtype that values from Lua numbers get, "float32" or "float64" (the default), in this lua_State.
---@param dtype cupola.dtype
function cp.set_default_dtype(dtype) end

--- What is not given stays.
---@param precision? integer|cupola.Options
---@param threshold? integer|cupola.Options
---@param edgeitems? integer|cupola.Options
---@param linewidth? integer|cupola.Options
---@param suppress? boolean|cupola.Options
function cp.set_printoptions(precision, threshold, edgeitems, linewidth, suppress) end

--- The elements of ar1 that do not occur in ar2, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # ar1 has no element twice: its order is kept
---@return cupola.Array
function cp.setdiff1d(ar1, ar2, assume_unique) end

--- The elements that occur in one of the arrays only, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@param assume_unique? boolean|cupola.Options # no array has an element twice
---@return cupola.Array
function cp.setxor1d(ar1, ar2, assume_unique) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.shl(x1, x2, out, dtype) end

--- x1 << x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.shl_(x1, x2) end

--- Prints the library's version, the devices it found and where it keeps compiled kernels.
---@return string text # the same
function cp.show_config() end

--- x1 >> x2. The same as right_shift.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.shr(x1, x2, out, dtype) end

--- x1 >> x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.shr_(x1, x2) end

--- -1, 0 or 1.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sign(x, out, dtype) end

--- -1, 0 or 1, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sign_(x) end

--- Whether the sign bit is set.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): boolean
function cp.signbit(x, out, dtype) end

--- Sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sin(x, out, dtype) end

--- Sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sin_(x) end

--- sin(pi * x) / (pi * x).
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sinc(x, out, dtype) end

--- sin(pi * x) / (pi * x), written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sinc_(x) end

--- Hyperbolic sine.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sinh(x, out, dtype) end

--- Hyperbolic sine, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sinh_(x) end

--- A read-only view of all windows of a shape: its last axes are those of the windows.
---@param x cupola.Operand
---@param window_shape cupola.Operand # a length, or a table of lengths
---@param axis? integer|table|cupola.Options # an axis or a table of axes, one for each length; default: all
---@param writeable? boolean|cupola.Options # default false; windows share their elements
---@return cupola.Array # view
function cp.sliding_window_view(x, window_shape, axis, writeable) end

--- The elements in ascending order along an axis, nan last; complex ones by their real, then their imaginary parts. A
--- copy; x:sort_() sorts in place.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as NumPy's; every sort is stable
---@return cupola.Array
function cp.sort(a, axis, kind) end

--- Sorts an array in place and returns it. Arguments as for sort.
---@param a cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@return cupola.Array
function cp.sort_(a, axis, kind) end

--- The array as complex numbers in ascending order along the last axis.
---@param a cupola.Operand
---@return cupola.Array # complex64 of complex64 and of integers up to 16 bits, else complex128
function cp.sort_complex(a) end

--- The distance from each value to the next one away from 0, with its sign; nan for infinities.
---@param x cupola.Operand # real
---@return cupola.Array
function cp.spacing(x) end

--- Views of equal parts, or cut after the elements that a table names: `cp.split(x, {2, 5})` gives elements 1 to 2,
--- 3 to 5, and the rest.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand # number of parts, or a table of cuts
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[] # list of views
function cp.split(ary, indices_or_sections, axis) end

--- Square root.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.sqrt(x, out, dtype) end

--- Square root, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.sqrt_(x) end

--- x * x.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.square(x, out, dtype) end

--- x * x, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.square_(x) end

--- A view without axes of length 1.
---@param a cupola.Operand
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function cp.squeeze(a, axis) end

--- Joins arrays of one shape along a new axis.
---@param arrays table
---@param axis? integer|cupola.dtype|cupola.Options # place of the new axis in the result; default 1
---@param out? cupola.Array|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.stack(arrays, axis, out, dtype) end

--- Standard deviation, the square root of the variance.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.std(a, axis, dtype, out, ddof, keepdims) end

--- A type of struct from its name and its C fields; calling it with a table of fields makes a value.
---@param name string
---@param fields string # such as "float dt; int steps; float3 origin; float weights[4];"
---@return cupola.StructType
function cp.struct(name, fields) end

--- x1 - x2. The same as subtract.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.sub(x1, x2, out, dtype) end

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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.subtract(x1, x2, out, dtype) end

--- x1 - x2, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.subtract_(x1, x2) end

--- Sum; without an axis, of all elements (a 0-d array).
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.sum(a, axis, dtype, out, keepdims, initial) end

--- A view with two axes exchanged.
---@param a cupola.Operand
---@param axis1 integer
---@param axis2 integer
---@return cupola.Array
function cp.swapaxes(a, axis1, axis2) end

--- Launches what is pending on a device (the current one) and waits for all work of this state on it.
---@param device? string|cupola.Device
function cp.synchronize(device) end

--- Elements along an axis at some positions: `cp.take(x, {1, -1}, 2)` gives the first and the last column.
---@param a cupola.Operand
---@param indices cupola.Operand # whole numbers: one, a table or an array of any shape
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" around, or "clip" to the ends
---@return cupola.Array # array with the axes of indices in the place of the axis
function cp.take(a, indices, axis, out, mode) end

--- Elements along an axis at positions that are given for each place: what argsort and argmax give.
---@param arr cupola.Operand
---@param indices cupola.Operand # whole numbers, as many axes as arr; the others broadcast
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.take_along_axis(arr, indices, axis) end

--- Tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.tan(x, out, dtype) end

--- Tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.tan_(x) end

--- Hyperbolic tangent.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.tanh(x, out, dtype) end

--- Hyperbolic tangent, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.tanh_(x) end

--- The sum of products over axes of both arrays: the last ones of a with the first ones of b, or those that
--- are named.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # how many (default 2), or {axes of a, axes of b}
---@return cupola.Array
function cp.tensordot(a, b, axes) end

--- Repeats a whole array along each axis: `cp.tile(x, {2, 3})` or `x:tile(2, 3)`.
---@param A cupola.Operand
---@param reps cupola.Operand # whole numbers, for the last axes of A; more of them than A has axes give new ones in front
---@param ... any
---@return cupola.Array
function cp.tile(A, reps, ...) end

--- The sum along diagonals.
---@param a cupola.Operand
---@param offset? integer|cupola.dtype|cupola.Options # of the diagonal above (positive) or below the main one; default 0
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
---@param x? cupola.Operand|cupola.Options # the places of the samples: a vector along the axis, or of y's shape
---@param dx? number|cupola.Options # their distance, where x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function cp.trapezoid(y, x, dx, axis) end

--- The same as cp.trapezoid.
---@param y cupola.Operand
---@param x? cupola.Operand|cupola.Options # the places of the samples: a vector along the axis, or of y's shape
---@param dx? number|cupola.Options # their distance, where x is not given; default 1
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

--- The positions on and below diagonal k of a matrix of n rows.
---@param n integer
---@param k? integer|cupola.Options # default 0
---@param m? integer|cupola.Options # columns; default n
---@return table
function cp.tril_indices(n, k, m) end

--- The positions on and below diagonal k of a given matrix.
---@param arr cupola.Operand
---@param k? integer|cupola.Options # default 0
---@return table
function cp.tril_indices_from(arr, k) end

--- A vector without zeros at its ends.
---@param filt cupola.Operand
---@param trim? string|cupola.Options # "fb" (default): at both, "f": at the front, "b": at the back
---@return cupola.Array
function cp.trim_zeros(filt, trim) end

--- A copy with zeros below diagonal k.
---@param m cupola.Operand
---@param k? integer|cupola.Options
---@return cupola.Array
function cp.triu(m, k) end

--- The positions on and above diagonal k of a matrix of n rows.
---@param n integer
---@param k? integer|cupola.Options # default 0
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
---@return cupola.Array
---@overload fun(x1: number, x2: number): number
function cp.true_divide(x1, x2, out, dtype) end

--- x1 / x2, true division, written into x1 itself.
---@param x1 cupola.Array
---@param x2 cupola.Operand
---@return cupola.Array
function cp.true_divide_(x1, x2) end

--- Whole part, towards zero.
---@param x cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
---@overload fun(x: number): number
function cp.trunc(x, out, dtype) end

--- Whole part, towards zero, written into x itself.
---@param x cupola.Array
---@return cupola.Array
function cp.trunc_(x) end

--- "array", "scalar", "shape" or Lua's own name of the type.
---@param v any
---@return string
function cp.type(v) end

--- The elements that occur in one array or in both, in ascending order.
---@param ar1 cupola.Operand
---@param ar2 cupola.Operand
---@return cupola.Array
function cp.union1d(ar1, ar2) end

--- The elements that occur, each once, in ascending order; then, as asked for: the position (from 1) of the first
--- of each
--- in ar, for every element of ar its position in the result, and how often each occurs.
---@param ar cupola.Operand
---@param return_index? boolean|cupola.Options
---@param return_inverse? boolean|cupola.Options
---@param return_counts? boolean|cupola.Options
---@param axis? integer|cupola.Options # unique slices along this axis; default: elements of the flat array
---@param equal_nan? boolean|cupola.Options # whether all nans count as one; default true
---@return cupola.Array
function cp.unique(ar, return_index, return_inverse, return_counts, axis, equal_nan) end

--- The unique elements, the first positions, the positions among them, and counts.
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

--- The unique elements, as unique without companions; every nan is one of its own.
---@param x cupola.Operand
---@return cupola.Array
function cp.unique_values(x) end

--- The bits of bytes, each as 0 or 1.
---@param a cupola.Operand # uint8
---@param axis? integer|cupola.Options # default: of the flat array
---@param count? integer|cupola.Options # so many bits: of more than there are the last ones are 0; negative: so many less at the end
---@param bitorder? string|cupola.Options # "big" (default): the highest bit comes first; or "little"
---@return cupola.Array # uint8
function cp.unpackbits(a, axis, count, bitorder) end

--- Positions along the axes of a shape, from those in its flat array.
---@param indices cupola.Operand # whole numbers from 1 on
---@param shape integer|table
---@param order? "C"|"F"|"A"|"K"|cupola.Options # "C" (default) or "F"
---@return table # for each axis an array, or a number where indices is one
function cp.unravel_index(indices, shape, order) end

--- The slices of an array along an axis, as views in a table.
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the first
---@return table
function cp.unstack(x, axis) end

--- Values without jumps: where one is further from that before it than half a period, whole periods are added to it
--- and to all behind it.
---@param p cupola.Operand # real
---@param discont? number|cupola.Options # steps below it stay as they are; default: half a period, which is also the least
---@param axis? integer|cupola.Options # default: the last
---@param period? number|cupola.Options # default 2 pi
---@return cupola.Array
function cp.unwrap(p, discont, axis, period) end

--- The matrix of powers of x.
---@param x cupola.Operand # vector
---@param N? integer|cupola.Options # how many columns; default: as many as x has elements
---@param increasing? boolean|cupola.Options # the powers grow from left to right; default false
---@return cupola.Array # of the dtype that x and int64 have in common
function cp.vander(x, N, increasing) end

--- Variance: the mean square of the distances from the mean.
---@param a cupola.Operand
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.var(a, axis, dtype, out, ddof, keepdims) end

--- The sum of products of all elements of two arrays of one size, those of the first one conjugated.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.vdot(a, b) end

--- The sum of products along an axis of both arrays, those of the first one conjugated.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.vecdot(x1, x2, axis) end

--- Products of the conjugates of vectors with matrices.
---@param x1 cupola.Operand # (..., m)
---@param x2 cupola.Operand # (..., m, n)
---@return cupola.Array # (..., n)
function cp.vecmat(x1, x2) end

--- An elementwise function of arrays from a function of numbers. f is called once for each combination of dtypes,
--- with values that stand for one element: it may use operators, functions of cp (cp.sin, not math.sin) and cp.where
--- (not if), and sees variables outside as they are then. See docs/kernels.md.
---@param f function # of numbers; may return several
---@param otypes? string|table|cupola.Options # dtypes of the results, else those that the operations give
---@param name? string|cupola.Options # for messages
---@return cupola.Vectorized # called with arrays, tables and numbers, which broadcast; fields: name, traces
function cp.vectorize(f, otypes, name) end

--- Splits along the first axis of an array with two axes or more.
---@param ary cupola.Operand
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function cp.vsplit(ary, indices_or_sections) end

--- Joins along the first axis; (n) counts as (1, n).
---@param arrays table
---@param dtype? cupola.dtype|cupola.Options # default: the common dtype
---@return cupola.Array
function cp.vstack(arrays, dtype) end

--- Each element of x where a condition is true, of y elsewhere; with the condition alone its positions, as nonzero.
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

--- A CPU array of zeros in page-locked memory, of the shape and dtype of `a`.
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

--- GPU number `id` (CUDA counts from 0); the current device without.
---@param id? integer|cupola.Options
---@return cupola.Device
function cp.cuda.Device(id) end

--- A place in a stream's queue of work.
---@param device? string|cupola.Device
---@param timing? boolean
---@param blocking? boolean
---@return cupola.Event
function cp.cuda.Event(device, timing, blocking) end

--- A stream of the host program's or of another library, by its CUDA handle (a number). It must live until it is
--- closed here, or until the state is.
---@param ptr integer
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Stream
function cp.cuda.ExternalStream(ptr, device) end

--- An allocator of two functions: `malloc(nbytes, device)` gives an address (a number, a pointer, an array, a table
--- {ptr =}), or nil where there is no memory; `free(memory, nbytes)` gets what malloc gave. Without `free` what
--- malloc gave is kept until the memory is no longer used. Both may run inside of any allocation, and not yield.
---@param malloc function
---@param free? function|cupola.Options
---@return table allocator # for `cp.cuda.set_allocator` and `cp.cuda.MemoryPool`
function cp.cuda.FunctionAllocator(malloc, free) end

--- A hook that sums up memory by line of the script: `hook:with(f)`, then `hook:report()` or `hook:print_report()`.
---@return cupola.MemoryHook
function cp.cuda.LineProfileHook() end

--- The driver's own pool, in which memory is taken and given back in the order of a stream.
---@return cupola.MemoryPool
function cp.cuda.MemoryAsyncPool() end

--- Functions that hear of memory: `malloc(info)` of each block that an array got, `alloc(info)` of those that came
--- from the device just now, `free(info)` of those given back, told before the next of the others. `info` has device,
--- nbytes (asked for), size (of the block), ptr, place ("FILE:LINE" of the script). An error in one is an error of
--- the allocation.
---@param malloc? function|cupola.Options
---@param alloc? function|cupola.Options
---@param free? function|cupola.Options
---@return cupola.MemoryHook
function cp.cuda.MemoryHook(malloc, alloc, free) end

--- A pool that keeps what is freed for the next arrays, on memory of another kind: `cp.cuda.malloc_managed`,
--- `cp.cuda.malloc_async`, a function (see `cp.cuda.FunctionAllocator`); of the device without.
---@param allocator? table|function|cupola.Options
---@return cupola.MemoryPool # to be set by `cp.cuda.set_allocator`; there is one for each device behind it
function cp.cuda.MemoryPool(allocator) end

--- A pool of page-locked memory of the host, see `cp.empty_pinned`.
---@return cupola.MemoryPool
function cp.cuda.PinnedMemoryPool() end

--- Memory from what is set, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function cp.cuda.alloc(nbytes) end

--- Page-locked memory of the host, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function cp.cuda.alloc_pinned_memory(nbytes) end

--- Sets whether products of float32 and complex64 matrices on a GPU may round their factors to TF32 (10 bits), which
--- is several times as fast; off unless CUPOLA_TF32=1 is in the environment. Gives what was set before.
---@param on? boolean|cupola.Options
---@return boolean
function cp.cuda.allow_tf32(on) end

--- The number of usable GPUs.
---@return integer
function cp.cuda.device_count() end

--- What arrays take their memory from: a pool.
---@return cupola.MemoryPool
function cp.cuda.get_allocator() end

--- The stream that work of a device (the current one) goes to now.
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Stream
function cp.cuda.get_current_stream(device) end

--- Milliseconds between two recorded events.
---@param start cupola.Event
---@param finish cupola.Event
---@return number
function cp.cuda.get_elapsed_time(start, finish) end

--- Captures the work that f(...) queues on the current device, without doing it: a graph, which `g()` runs. Arrays
--- that were made before keep their addresses while the graph lives, so other values get in by writing into them.
---@param f function
---@param ... any
---@return cupola.Graph
function cp.cuda.graph(f, ...) end

--- Whether a GPU can be used.
---@return boolean available
---@return string? reason # why not
function cp.cuda.is_available() end

--- Whether x lies in memory of a pinned pool, and whether that is page-locked: without a GPU it is not.
---@param x cupola.Array
---@return boolean pinned
---@return boolean locked
function cp.cuda.is_pinned(x) end

--- Calls the functions given to `stream:callback` whose time has come.
---@return integer count # of the functions called
function cp.cuda.poll() end

--- Arrays take their memory from `allocator` from now on: a pool, `cp.cuda.malloc_async`, `cp.cuda.malloc_managed`,
--- or a function `nbytes, device -> memory` (see `cp.cuda.FunctionAllocator`). nil: from the device's pool, as at
--- first. Memory goes back to where it came from, whatever is set then.
---@param allocator? userdata|table|function|cupola.Options
---@param free? function|cupola.Options # beside a function
function cp.cuda.set_allocator(allocator, free) end

--- Page-locked memory comes from `pool` from now on; nil: from the default one.
---@param pool? userdata|cupola.Options # of `cp.cuda.PinnedMemoryPool`
function cp.cuda.set_pinned_memory_allocator(pool) end

--- Runs f(...) with another allocator, as far as the running coroutine is concerned.
---@param allocator userdata|table|function # as for `cp.cuda.set_allocator`
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.cuda.using_allocator(allocator, f, ...) end

--- An array of a device on the memory of x, a CPU array in page-locked memory: kernels read and write it over the
--- bus, without a copy. Nothing orders the host's uses of x and the device's: `cp.synchronize()` stands between them.
---@param x cupola.Array # of `cp.empty_pinned` and the like, or a view of one
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@return cupola.Array
function cp.cuda.zero_copy(x, device) end

cp.cuda.malloc_async = {}

cp.cuda.malloc_device = {}

cp.cuda.malloc_managed = {}

cp.cuda.nccl = {}

--- This process's end of a communicator of `size` ranks; waits for the others. On the CPU device rank 0 belongs to
--- the process that made the id.
---@param size integer # ranks in all
---@param id string # of `get_unique_id`, the same at all ranks
---@param rank integer # from 0 on
---@param device? string|cupola.Device|cupola.Options # default: the current one
---@param timeout? number|cupola.Options # seconds to wait for others, here and (on the CPU device) in each call; default 300
---@return cupola.Communicator
function cp.cuda.nccl.NcclCommunicator(size, id, rank, device, timeout) end

--- Whether NCCL can be opened.
---@return boolean available
---@return string? reason # why not
function cp.cuda.nccl.available() end

--- What the ranks of a new communicator have in common: made by one process, brought to the others by any way.
---@param device? string|cupola.Device|cupola.Options # of the communicator; default: the current one
---@return string id # of 128 bytes
function cp.cuda.nccl.get_unique_id(device) end

--- The version of NCCL, as 22304 for 2.23.4; an error where it cannot be opened.
---@return integer
function cp.cuda.nccl.get_version() end

--- Runs f(...) between `group_start` and `group_end`. After an error in f nothing of the group runs.
---@param f function
---@param ... any
---@return any ... # what f returns
function cp.cuda.nccl.group(f, ...) end

--- Runs the calls since `group_start`.
function cp.cuda.nccl.group_end() end

--- Begins a group: the calls up to `group_end` run together, on all communicators of this process at once. None of
--- them may write what another one uses, and their arrays must be left alone in between.
function cp.cuda.nccl.group_start() end

--- The communicator of all processes that a launcher started: torchrun, mpirun, srun, or any that sets RANK,
--- WORLD_SIZE and, where it is not this host, MASTER_ADDR. Rank 0 listens there at MASTER_PORT (29400). The
--- communicator's device becomes the current one.
---@param rank? integer|cupola.Options
---@param size? integer|cupola.Options
---@param address? string|cupola.Options
---@param port? integer|cupola.Options
---@param device? string|cupola.Device|cupola.Options # default: the current one, and of several GPUs the one of the rank on its host
---@param timeout? number|cupola.Options # seconds to wait for others; default 300
---@return cupola.Communicator
function cp.cuda.nccl.init(rank, size, address, port, device, timeout) end

--- A communicator whose ranks are all of this process, one for each device. Its methods take a table of arrays, one
--- for each rank.
---@param devices? cupola.Operand|cupola.Options # names, or a number: so many GPUs; default: all GPUs. The CPU may be named several times
---@param timeout? number|cupola.Options
---@return cupola.Ranks # communicators by rank + 1
function cp.cuda.nccl.init_all(devices, timeout) end

cp.cuda.nvtx = {}

--- Marks a moment for profilers.
---@param message string
function cp.cuda.nvtx.Mark(message) end

--- Ends the innermost range.
function cp.cuda.nvtx.RangePop() end

--- Begins a range of this thread for profilers.
---@param message string
function cp.cuda.nvtx.RangePush(message) end

cp.cuda.runtime = {}

--- One attribute of a device by its name, such as "MaxThreadsPerBlock".
---@param name string
---@param device? integer|cupola.Options # a GPU's number; the current device without
---@return integer
function cp.cuda.runtime.deviceGetAttribute(name, device) end

--- Launches what is pending on the current device and waits for all work on it, also that of other libraries.
function cp.cuda.runtime.deviceSynchronize() end

--- The newest CUDA version that the driver supports, as 1000*major + 10*minor; 0 without a driver.
---@return integer
function cp.cuda.runtime.driverGetVersion() end

--- Gives memory of `malloc`, `mallocManaged` or `mallocAsync` back, after the device has done all its work. 0 is
--- nothing.
---@param ptr integer
function cp.cuda.runtime.free(ptr) end

--- Gives memory of `mallocAsync` back, after the work that is on the stream now.
---@param ptr integer
---@param stream? userdata|integer|cupola.Options # the current one unless given
function cp.cuda.runtime.freeAsync(ptr, stream) end

--- Gives memory of `hostAlloc` back, after the device has done all its work. 0 is nothing.
---@param ptr integer
function cp.cuda.runtime.freeHost(ptr) end

--- The number of the current GPU, from 0; -1 when the current device is the CPU.
---@return integer
function cp.cuda.runtime.getDevice() end

--- The number of usable GPUs.
---@return integer
function cp.cuda.runtime.getDeviceCount() end

--- What is known of a device: the fields of `device.properties` and, under CUDA's names, its attributes.
---@param device? integer|cupola.Options # a GPU's number; the current device without
---@return table
function cp.cuda.runtime.getDeviceProperties(device) end

--- Page-locked memory of the host, which copies to and from a GPU read directly, and GPUs too; `freeHost` gives it
--- back. Without a GPU plain memory.
---@param size integer # bytes
---@param flags? integer|cupola.Options # runtime.hostAllocPortable and hostAllocMapped always hold; hostAllocWriteCombined is quick to write and slow to read
---@return integer ptr
function cp.cuda.runtime.hostAlloc(size, flags) end

--- The address at which the current device reaches memory of `hostAlloc`: the same one, but for memory that is
--- write-combined.
---@param ptr integer
---@return integer ptr
function cp.cuda.runtime.hostGetDevicePointer(ptr) end

--- Memory of the current device; `free` gives it back.
---@param size integer # bytes
---@return integer ptr
function cp.cuda.runtime.malloc(size) end

--- Memory of the driver's pool, for work that comes later on the stream; `freeAsync` gives it back.
---@param size integer # bytes
---@param stream? userdata|integer|cupola.Options # the current one unless given
---@return integer ptr
function cp.cuda.runtime.mallocAsync(size, stream) end

--- Memory that moves to whoever uses it, the host or a GPU; `free` gives it back.
---@param size integer # bytes
---@return integer ptr
function cp.cuda.runtime.mallocManaged(size) end

--- Free and total bytes of the current device's memory.
---@return integer free
---@return integer total
function cp.cuda.runtime.memGetInfo() end

--- Copies bytes, on the current stream, and waits for them.
---@param dst integer # address
---@param src integer # address
---@param size integer
---@param kind? integer|cupola.Options # runtime.memcpyDefault and the like; the addresses tell by themselves
function cp.cuda.runtime.memcpy(dst, src, size, kind) end

--- The same in the order of a stream. Host memory that is not pinned is waited for in parts.
---@param dst integer
---@param src integer
---@param size integer
---@param kind? integer|cupola.Options
---@param stream? userdata|cupola.Options # the current one unless given
function cp.cuda.runtime.memcpyAsync(dst, src, size, kind, stream) end

--- Copies bytes from one GPU to another, on the current stream, and waits for them.
---@param dst integer # address
---@param dst_device integer # the GPU's number
---@param src integer # address
---@param src_device integer
---@param size integer
function cp.cuda.runtime.memcpyPeer(dst, dst_device, src, src_device, size) end

--- The same in the order of a stream.
---@param dst integer # address
---@param dst_device integer # the GPU's number
---@param src integer # address
---@param src_device integer
---@param size integer
---@param stream? userdata|cupola.Options # the current one unless given
function cp.cuda.runtime.memcpyPeerAsync(dst, dst_device, src, src_device, size, stream) end

--- Sets bytes, on the current stream, and waits for them.
---@param ptr integer
---@param value integer # 0 to 255
---@param size integer
function cp.cuda.runtime.memset(ptr, value, size) end

--- The same in the order of a stream.
---@param ptr integer
---@param value integer
---@param size integer
---@param stream? userdata|cupola.Options
function cp.cuda.runtime.memsetAsync(ptr, value, size, stream) end

--- The same: cupola uses the driver alone, no CUDA runtime library.
---@return integer
function cp.cuda.runtime.runtimeGetVersion() end

--- Makes GPU number `device` the current device until further notice.
---@param device integer
function cp.cuda.runtime.setDevice(device) end

--- Whether a stream's work is done.
---@param stream userdata|integer
---@return boolean
function cp.cuda.runtime.streamQuery(stream) end

--- Waits for a stream.
---@param stream userdata|integer # a stream or its CUDA handle
function cp.cuda.runtime.streamSynchronize(stream) end

--- Later work of a stream waits for an event.
---@param stream userdata|integer
---@param event userdata
function cp.cuda.runtime.streamWaitEvent(stream, event) end

cp.fft = {}

--- The Fourier transform along an axis, of n points.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.fft.fft(a, n, axis, norm) end

--- The same over two axes (default: the last two); s: their lengths.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.fft.fft2(a, s, axes, norm) end

--- The frequencies of a transform of n points that are d apart: 0 first, the negative ones last.
---@param n integer
---@param d? number|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.fft.fftfreq(n, d, device) end

--- The same over several axes (default: all, or the last #s).
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.fft.fftn(a, s, axes, norm) end

--- Moves the zero frequency to the middle.
---@param x cupola.Operand
---@param axes? integer|table|cupola.Options # default: all
---@return cupola.Array
function cp.fft.fftshift(x, axes) end

--- The transform of a signal that is Hermitian in time, whose spectrum is real.
---@param a cupola.Operand # the half of the signal from time 0 on
---@param n? integer|cupola.Options # length of the spectrum; default 2 (m - 1)
---@param axis? integer|cupola.Options # default -1
---@param norm? string|cupola.Options # "backward" (default), "ortho" or "forward"
---@return cupola.Array
function cp.fft.hfft(a, n, axis, norm) end

--- The inverse of fft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.fft.ifft(a, n, axis, norm) end

--- The inverse of fft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.fft.ifft2(a, s, axes, norm) end

--- The inverse of fftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.fft.ifftn(a, s, axes, norm) end

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
---@return cupola.Array
function cp.fft.ihfft(a, n, axis, norm) end

--- The inverse of rfft, of n points (default: 2 (m - 1)).
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.fft.irfft(a, n, axis, norm) end

--- The inverse of rfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.fft.irfft2(a, s, axes, norm) end

--- The inverse of rfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.fft.irfftn(a, s, axes, norm) end

--- The plans of earlier transforms that are kept for the next ones of the same form, on the current device.
---@param limit? integer|cupola.Options # sets how many are kept at most (CPU: 64 of each precision, GPU: 16 of each stream)
---@param clear? boolean|cupola.Options # drops those that are kept
---@return integer # how many are kept now
function cp.fft.plan_cache(limit, clear) end

--- The transform of real values: frequencies from 0 up.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.fft.rfft(a, n, axis, norm) end

--- The same over two axes, the last of which is halved.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.fft.rfft2(a, s, axes, norm) end

--- The frequencies of rfft: from 0 to the highest.
---@param n integer # points of the signal
---@param d? number|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.fft.rfftfreq(n, d, device) end

--- The same over several axes, the last of which is halved.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.fft.rfftn(a, s, axes, norm) end

cp.image = {}

--- Colours of values: x between vmin and vmax through a colour map.
---@param x cupola.Operand # any shape, real
---@param name? string|cupola.Options # default "viridis"
---@param vmin? number|cupola.Options # the value of the map's start; default: the least finite one
---@param vmax? number|cupola.Options # of its end; default: the greatest finite one
---@return cupola.Array # uint8, x's shape with an axis of 3 behind it
function cp.image.colormap(x, name, vmin, vmax) end

--- The names of the colour maps; each is there with "_r" behind its name too, from its end to its start.
---@return table names
function cp.image.colormaps() end

--- Writes a uint8 picture, (height, width) or (.., channels).
---@param file string
---@param pixels cupola.Array
function cp.image.imwrite(file, pixels) end

--- Reads a picture (PNG, JPEG, BMP, TGA, PNM) as an array (height, width) when it is grey, else
--- (height, width, channels).
---@param file string
---@param mode? string|cupola.dtype|cupola.Options # "gray", "la" (with alpha), "rgb" or "rgba"; default: as the file has it
---@param dtype? cupola.dtype|cupola.Options # "uint8" (default), "uint16", or a floating one: values in 0..1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.image.load(file, mode, dtype, device) end

--- Writes a picture: (height, width) is grey, (height, width, 2 to 4) grey with alpha, RGB, RGBA. The name's ending
--- chooses the format: .png, .jpg, .bmp or .tga.
---@param file string
---@param pixels cupola.Operand # uint8 (0..255), floats (0..1, others are clipped), bool; any real values with cmap
---@param cmap? string|cupola.Options # colour map for (height, width): "viridis", "magma", "gray", ...; see cp.image.colormaps()
---@param vmin? number|cupola.Options # with cmap: the value of the map's start; default: the least one
---@param vmax? number|cupola.Options # with cmap: of its end; default: the greatest one
---@param quality? integer|cupola.Options # of JPEG, 1 to 100; default 95
function cp.image.save(file, pixels, cmap, vmin, vmax, quality) end

cp.linalg = {}

--- The lower triangular L with L L^H = a (or the upper one with U^H U = a), for Hermitian positive definite a; only
--- that triangle of a is read.
---@param a cupola.Operand
---@param upper? boolean|cupola.Options # default false
---@return cupola.Array
function cp.linalg.cholesky(a, upper) end

--- The condition number: how much larger the relative error of a solution may be than that of the right side.
---@param x cupola.Operand
---@param p? cupola.Operand|cupola.Options # the norm: 2 (default), -2, "fro", "nuc", 1, -1, inf, -inf
---@return cupola.Array
function cp.linalg.cond(x, p) end

--- The cross product of vectors of 3 components along an axis.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axis? integer|cupola.Options # default: the last one
---@return cupola.Array
function cp.linalg.cross(a, b, axis) end

--- The determinant of square matrices: 0 where they are singular.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.det(a) end

--- The diagonals of matrices, their last two axes, as a view.
---@param x cupola.Operand # (..., n, m)
---@param offset? integer|cupola.Options # above the main diagonal when positive; default 0
---@return cupola.Array # (..., length of the diagonal)
function cp.linalg.diagonal(x, offset) end

--- Eigenvalues and right eigenvectors (the columns of v) of square matrices. They are real when all eigenvalues of a
--- real array are, else complex.
---@param a cupola.Operand
---@return cupola.Array w
---@return cupola.Array v
function cp.linalg.eig(a) end

--- Eigenvalues, rising, and eigenvectors (the columns of v) of Hermitian matrices, of which one triangle is read.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array w
---@return cupola.Array v
function cp.linalg.eigh(a, UPLO) end

--- The eigenvalues of square matrices: real when all of a real array are, else complex.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.eigvals(a) end

--- The eigenvalues of Hermitian matrices, rising.
---@param a cupola.Operand
---@param UPLO? string|cupola.Options # "L" (default) or "U"
---@return cupola.Array
function cp.linalg.eigvalsh(a, UPLO) end

--- The inverse of square matrices.
---@param a cupola.Operand
---@return cupola.Array
function cp.linalg.inv(a) end

--- Least squares: x that makes the norm of b - a x smallest, and among those has the smallest norm itself.
---@param a cupola.Operand # m x n
---@param b cupola.Operand # m, or m x k
---@param rcond? number|cupola.Options # singular values below rcond times the largest count as zero; default: the larger side times the dtype's epsilon
---@return cupola.Array x
---@return cupola.Array residuals # sums of squares for each column of b; empty where rank < n or m <= n
---@return integer rank
---@return cupola.Array s # singular values of a
function cp.linalg.lstsq(a, b, rcond) end

--- The same as cp.matmul.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.linalg.matmul(x1, x2, out) end

--- The norm of the matrices in the last two axes.
---@param x cupola.Operand
---@param keepdims? boolean|cupola.Options
---@param ord? cupola.Operand|cupola.Options # default "fro"
---@return cupola.Array
function cp.linalg.matrix_norm(x, keepdims, ord) end

--- A square matrix multiplied with itself n times; of its inverse when n is negative.
---@param a cupola.Operand
---@param n integer
---@return cupola.Array
function cp.linalg.matrix_power(a, n) end

--- The number of singular values above tol.
---@param A cupola.Operand
---@param tol? cupola.Operand|cupola.Options # default: the largest one times the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options
---@param rtol? number|cupola.Options # the same as a share of the largest one
---@return cupola.Array # 0-d for a matrix
function cp.linalg.matrix_rank(A, tol, hermitian, rtol) end

--- The matrices with their last two axes swapped: a view.
---@param x cupola.Operand
---@return cupola.Array
function cp.linalg.matrix_transpose(x) end

--- The product of several matrices in the order that takes the least work. The first and the last may be vectors.
---@param arrays table
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function cp.linalg.multi_dot(arrays, out) end

--- The norm of vectors or matrices; of all elements, as one vector, without ord and axis.
---@param x cupola.Operand
---@param ord? cupola.Operand|cupola.Options # of vectors a number, inf or -inf (default 2); of matrices "fro" (default), "nuc", 1, -1, 2, -2, inf or -inf
---@param axis? integer|table|cupola.Options # one axis: vectors along it; two: the matrices in them
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.linalg.norm(x, ord, axis, keepdims) end

--- The products of all pairs of elements of two vectors.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@return cupola.Array # (x1.size, x2.size)
function cp.linalg.outer(x1, x2) end

--- The pseudo-inverse, by singular values: those below rcond times the largest count as zero.
---@param a cupola.Operand
---@param rcond? cupola.Operand|cupola.Options # a number, or an array of one for each matrix; default: the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options # a is Hermitian
---@return cupola.Array
function cp.linalg.pinv(a, rcond, hermitian) end

--- a = q r with orthonormal columns in q and upper triangular r.
---@param a cupola.Operand
---@param mode? string|cupola.Options # "reduced" (default), "complete" (q is square), "r" (r alone) or "raw" (LAPACK's h and tau)
---@return cupola.Array q
---@return cupola.Array r
function cp.linalg.qr(a, mode) end

--- The sign (for complex matrices a number on the unit circle) and the logarithm of the absolute value of the
--- determinant: 0 and -inf where a matrix is singular.
---@param a cupola.Operand
---@return cupola.Array sign
---@return cupola.Array logabsdet
function cp.linalg.slogdet(a) end

--- Solves a x = b for square a. b is a vector, or matrices whose columns are the right sides; batches broadcast.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array x # like b
function cp.linalg.solve(a, b) end

--- The singular value decomposition a = u diag(s) vh, s falling.
---@param a cupola.Operand
---@param full_matrices? boolean|cupola.Options # square u and vh (default true)
---@param compute_uv? boolean|cupola.Options # default true; false: s alone
---@param hermitian? boolean|cupola.Options # a is Hermitian
---@return cupola.Array u
---@return cupola.Array s
---@return cupola.Array vh
function cp.linalg.svd(a, full_matrices, compute_uv, hermitian) end

--- The singular values, falling.
---@param x cupola.Operand
---@return cupola.Array
function cp.linalg.svdvals(x) end

--- The same as cp.tensordot.
---@param a cupola.Operand
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # how many (default 2), or {axes of a, axes of b}
---@return cupola.Array
function cp.linalg.tensordot(a, b, axes) end

--- The inverse of a as a map of tensors: of its first `ind` axes with the others.
---@param a cupola.Operand
---@param ind? integer|cupola.Options # default 2
---@return cupola.Array
function cp.linalg.tensorinv(a, ind) end

--- Solves a x = b for tensors: the last axes of a are those of x, the others those of b.
---@param a cupola.Operand
---@param b cupola.Operand
---@return cupola.Array
function cp.linalg.tensorsolve(a, b) end

--- The sums of the diagonals of matrices, their last two axes.
---@param x cupola.Operand # (..., n, m)
---@param offset? integer|cupola.dtype|cupola.Options # above the main diagonal when positive; default 0
---@param dtype? cupola.dtype|cupola.Options # default: as of sum
---@return cupola.Array # (...)
function cp.linalg.trace(x, offset, dtype) end

--- The same as cp.vecdot.
---@param x1 cupola.Operand
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function cp.linalg.vecdot(x1, x2, axis) end

--- The norm of the vectors along an axis, or along several as if they were one.
---@param x cupola.Operand
---@param axis? integer|table|cupola.Options # default: all
---@param keepdims? boolean|cupola.Options
---@param ord? cupola.Operand|cupola.Options # default 2
---@return cupola.Array
function cp.linalg.vector_norm(x, axis, keepdims, ord) end

cp.plot = {}

--- Draws a matrix as a picture of colours, its first row at the top.
---@param z cupola.Operand # (rows, columns)
---@param cmap? string|cupola.Options # colour map; default "viridis", see cp.image.colormaps()
---@param vmin? number|cupola.Options # the value of the map's start; default: the least finite one
---@param vmax? number|cupola.Options # of its end; default: the greatest finite one
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options # has no meaning here
---@param logy? boolean|cupola.Options # has no meaning here
---@param file? string|cupola.Options
---@param size? table|cupola.Options
---@param term? string|cupola.Options
---@return string? # what was drawn with characters
function cp.plot.heatmap(z, cmap, vmin, vmax, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

--- Draws how often values lie in each of some bins.
---@param x cupola.Operand
---@param bins? cupola.Operand|cupola.Options # their number (default 20), or a table or vector of edges
---@param range? table|cupola.Options # {least, greatest}; default: of the finite values
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
---@return string? # what was drawn with characters
function cp.plot.hist(x, bins, range, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

--- Draws lines: `cp.plot.line(x, y, {file = "sine.png"})`, also `cp.plot(x, y, ...)`. Without a file into gnuplot's
--- window, or where there is none with characters to the standard output.
---@param x cupola.Operand # positions; with no y: the values, at 1, 2, ...
---@param y? cupola.Operand|cupola.Options # values: a vector, a matrix of columns, or a table of vectors
---@param labels? string|table|cupola.Options # a name, or a table of names of the lines
---@param title? string|cupola.Options
---@param xlabel? string|cupola.Options
---@param ylabel? string|cupola.Options
---@param xlim? table|cupola.Options # {least, greatest}
---@param ylim? table|cupola.Options
---@param logx? boolean|cupola.Options # logarithmic axis; default false
---@param logy? boolean|cupola.Options
---@param file? string|cupola.Options # .png, .svg or .pdf (by gnuplot), or .txt
---@param size? table|cupola.Options # {width, height} in pixels; of text in characters
---@param term? string|cupola.Options # a terminal of gnuplot's, or "text": characters
---@return string? # what was drawn with characters
function cp.plot.line(x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

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
---@return string? # what was drawn with characters
function cp.plot.scatter(x, y, labels, title, xlabel, ylabel, xlim, ylim, logx, logy, file, size, term) end

cp.profiler = {}

--- Measures f(...): each call between two events on the current stream and waited for, then as many calls back to
--- back. What f leaves pending, and returns, is computed in the call.
---@param f function
---@param options? table # n_warmup (10), n_repeat (10000, fewer when max_duration is over), max_duration (1 second), name, args (a table of f's arguments)
---@return table result # cpu and gpu (mean, std, min, max), cpu_times, gpu_times, pipelined (cpu, gpu); all in seconds
function cp.profiler.benchmark(f, options) end

--- What this state did so far: launches, allocations, forces, renames and more.
---@return table
function cp.profiler.counters() end

--- Runs f(...) and sums up, by line of the script, the memory that arrays took meanwhile. A line counts what was
--- computed there: a pending value takes its memory where it is first needed.
---@param f function
---@param ... any
---@return table report # a list of {place, used, acquired, count}, the largest first, and the sums; tostring shows it
---@return any ... # what f returns
function cp.profiler.memory(f, ...) end

--- Runs f(...) as a named range, which profilers that know NVTX (Nsight Systems) show. Without f: begins one, which
--- closing the guard ends.
---@param message string
---@param f? function
---@param ... any
---@return any ... # what f returns, or the guard
function cp.profiler.time_range(message, f, ...) end

--- Runs f(...) and lists where the host waited for a device meanwhile: each synchronisation with the line of the
--- script that led to it.
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
---@param seed? integer
---@return table
function cp.random.Philox(seed) end

--- cuRAND's Philox.
---@param seed? integer
---@param offset? integer
---@param ordering? string
---@return table
function cp.random.Philox4_32_10(seed, offset, ordering) end

--- The state of Philox4x32-10: get_state, set_state.
---@param seed? integer
---@return table
function cp.random.Philox4x3210(seed) end

--- A generator with NumPy's older methods.
---@param seed? integer
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
---@param seed? integer
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

--- The cosine transform of type 2 or 3 along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dct(x, type, n, axis, norm) end

--- The cosine transform of type 2 or 3 along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param axes? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dctn(x, type, axes, norm) end

--- The sine transform of type 2 or 3 along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dst(x, type, n, axis, norm) end

--- The sine transform of type 2 or 3 along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param axes? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.dstn(x, type, axes, norm) end

--- The same as cp.fft.fft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.fft(a, n, axis, norm) end

--- The same as cp.fft.fft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.fft2(a, s, axes, norm) end

--- The same as cp.fft.fftfreq.
---@param n integer
---@param d? number|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.scipy.fft.fftfreq(n, d, device) end

--- The same as cp.fft.fftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.fftn(a, s, axes, norm) end

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
---@return cupola.Array
function cp.scipy.fft.hfft(a, n, axis, norm) end

--- The inverse cosine transform along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idct(x, type, n, axis, norm) end

--- The inverse cosine transform along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param axes? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idctn(x, type, axes, norm) end

--- The inverse sine transform along an axis.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param n? integer
---@param axis? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idst(x, type, n, axis, norm) end

--- The inverse sine transform along several axes.
---@param x cupola.Operand
---@param type? cupola.Operand
---@param axes? integer|table
---@param norm? cupola.Operand
---@return cupola.Array
function cp.scipy.fft.idstn(x, type, axes, norm) end

--- The same as cp.fft.ifft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.ifft(a, n, axis, norm) end

--- The same as cp.fft.ifft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.ifft2(a, s, axes, norm) end

--- The same as cp.fft.ifftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.ifftn(a, s, axes, norm) end

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
---@return cupola.Array
function cp.scipy.fft.ihfft(a, n, axis, norm) end

--- The same as cp.fft.irfft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.irfft(a, n, axis, norm) end

--- The same as cp.fft.irfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.irfft2(a, s, axes, norm) end

--- The same as cp.fft.irfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.irfftn(a, s, axes, norm) end

--- The next length, from this one on, that transforms quickly: a product of 2, 3, 5 and 7.
---@param target integer
---@param real? boolean|cupola.Options # of a real transform; the same lengths
---@return integer
function cp.scipy.fft.next_fast_len(target, real) end

--- The same as cp.fft.rfft.
---@param a cupola.Operand
---@param n? integer
---@param axis? integer
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.rfft(a, n, axis, norm) end

--- The same as cp.fft.rfft2.
---@param a cupola.Operand
---@param s? table
---@param axes? table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.rfft2(a, s, axes, norm) end

--- The same as cp.fft.rfftfreq.
---@param n integer # points of the signal
---@param d? number|cupola.Options # default 1
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function cp.scipy.fft.rfftfreq(n, d, device) end

--- The same as cp.fft.rfftn.
---@param a cupola.Operand
---@param s? table
---@param axes? integer|table
---@param norm? string
---@return cupola.Array
function cp.scipy.fft.rfftn(a, s, axes, norm) end

cp.scipy.linalg = {}

--- A matrix with the given ones along its diagonal.
---@param ...  cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.block_diag(...) end

--- The Cholesky factor of a for cho_solve, and whether it is the lower one.
---@param a cupola.Operand
---@param lower? boolean|cupola.Options # default false
---@return cupola.Array c
---@return boolean lower
function cp.scipy.linalg.cho_factor(a, lower) end

--- Solves a x = b by the factor of a that cho_factor gave.
---@param c_and_lower table # {c, lower}
---@param b cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.cho_solve(c_and_lower, b) end

--- The Cholesky factor of positive definite matrices: a = u^H u, or a = l l^H.
---@param a cupola.Operand
---@param lower? boolean|cupola.Options # the lower factor l; default false: the upper one
---@return cupola.Array
function cp.scipy.linalg.cholesky(a, lower) end

--- The matrix whose columns are c, each moved down by one more place.
---@param c cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.circulant(c) end

--- The companion matrix of a polynomial, whose eigenvalues are its roots.
---@param a cupola.Operand # coefficients, the highest power first; two at least
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

--- Hadamard's matrix of 1 and -1.
---@param n integer # a power of two
---@param dtype? cupola.dtype|cupola.Options # default int64
---@return cupola.Array
function cp.scipy.linalg.hadamard(n, dtype) end

--- The matrix whose anti-diagonals are constant.
---@param c cupola.Operand # its first column
---@param r? cupola.Operand|cupola.Options # its last row, whose first element is not used; default zeros
---@return cupola.Array
function cp.scipy.linalg.hankel(c, r) end

--- Hilbert's matrix: 1 / (i + j - 1), i and j from 1.
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
---@param rcond? number|cupola.Options # singular values below rcond times the largest count as zero; default: the larger side times the dtype's epsilon
---@return cupola.Array x
---@return cupola.Array residuals # sums of squares for each column of b; empty where rank < n or m <= n
---@return integer rank
---@return cupola.Array s # singular values of a
function cp.scipy.linalg.lstsq(a, b, rcond) end

--- The LU decomposition a = p l u with a permutation matrix p, unit lower triangular l and upper triangular u.
---@param a cupola.Operand
---@param permute_l? boolean|cupola.Options # two results: p l, and u
---@param p_indices? boolean|cupola.Options # instead of p the rows, from 1, that bring l u into the order of a
---@return cupola.Array p
---@return cupola.Array l
---@return cupola.Array u
function cp.scipy.linalg.lu(a, permute_l, p_indices) end

--- The LU decomposition of matrices with rows exchanged, for lu_solve: L (without its diagonal of ones) and U in one
--- matrix, and the pivots: row k was exchanged with row piv[k], counted from 1.
---@param a cupola.Operand
---@return cupola.Array lu
---@return cupola.Array piv
function cp.scipy.linalg.lu_factor(a) end

--- Solves a x = b by the decomposition of a that lu_factor gave.
---@param lu_and_piv table # {lu, piv}
---@param b cupola.Operand
---@param trans? integer|cupola.Options # 0: a x = b (default), 1: transposed a, 2: conjugate transposed a
---@return cupola.Array
function cp.scipy.linalg.lu_solve(lu_and_piv, b, trans) end

--- The same as cp.linalg.norm.
---@param x cupola.Operand
---@param ord? cupola.Operand|cupola.Options # of vectors a number, inf or -inf (default 2); of matrices "fro" (default), "nuc", 1, -1, 2, -2, inf or -inf
---@param axis? integer|table|cupola.Options # one axis: vectors along it; two: the matrices in them
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function cp.scipy.linalg.norm(x, ord, axis, keepdims) end

--- The same as cp.linalg.pinv.
---@param a cupola.Operand
---@param rcond? cupola.Operand|cupola.Options # a number, or an array of one for each matrix; default: the larger side times the dtype's epsilon
---@param hermitian? boolean|cupola.Options # a is Hermitian
---@return cupola.Array
function cp.scipy.linalg.pinv(a, rcond, hermitian) end

--- The QR decomposition a = q r with orthonormal columns in q and upper triangular r.
---@param a cupola.Operand
---@param mode? string|cupola.Options # "full" (default): q is square, "economic": q has as many columns as the shorter side of a, "r": r alone, with all rows, or "raw": what LAPACK leaves, a table of h and tau, instead of q
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
---@param lower? boolean|cupola.Options # a is lower triangular (default false: upper)
---@param unit_diagonal? boolean|cupola.Options # the diagonal counts as ones
---@return cupola.Array
function cp.scipy.linalg.solve_triangular(a, b, trans, lower, unit_diagonal) end

--- The same as cp.linalg.svd.
---@param a cupola.Operand
---@param full_matrices? boolean|cupola.Options # square u and vh (default true)
---@param compute_uv? boolean|cupola.Options # default true; false: s alone
---@param hermitian? boolean|cupola.Options # a is Hermitian
---@return cupola.Array u
---@return cupola.Array s
---@return cupola.Array vh
function cp.scipy.linalg.svd(a, full_matrices, compute_uv, hermitian) end

--- The same as cp.linalg.svdvals.
---@param x cupola.Operand
---@return cupola.Array
function cp.scipy.linalg.svdvals(x) end

--- The matrix whose diagonals are constant.
---@param c cupola.Operand # its first column
---@param r? cupola.Operand|cupola.Options # its first row, whose first element is not used; default: the conjugates of c
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

--- The same with the weights turned round.
---@param input cupola.Operand
---@param weights cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.convolve(input, weights, output, mode, cval, origin) end

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
---@return cupola.Array
function cp.scipy.ndimage.correlate(input, weights, output, mode, cval, origin) end

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

--- An array smoothed by a Gaussian bell along all axes, or derivatives of that.
---@param input cupola.Operand
---@param sigma cupola.Operand # the bell's standard deviation, one or one for each axis
---@param order? integer|table|cupola.Options # of the derivatives; default 0
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param truncate? number|cupola.Options # where the bell is cut off, in standard deviations; default 4
---@param radius? integer|cupola.Options # the same in elements
---@return cupola.Array
function cp.scipy.ndimage.gaussian_filter(input, sigma, order, output, mode, cval, truncate, radius) end

--- An array smoothed by a Gaussian bell along an axis, or a derivative of that.
---@param input cupola.Operand
---@param sigma number # the bell's standard deviation
---@param axis? integer|cupola.Options # default: the last
---@param order? integer|cupola.Options # of the derivative; default 0
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param truncate? number|cupola.Options # where the bell is cut off, in standard deviations; default 4
---@param radius? integer|cupola.Options # the same in elements
---@return cupola.Array
function cp.scipy.ndimage.gaussian_filter1d(input, sigma, axis, order, output, mode, cval, truncate, radius) end

--- The sum of second differences along all axes.
---@param input cupola.Operand
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.laplace(input, output, mode, cval) end

--- Greatest elements around.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.maximum_filter(input, size, footprint, output, mode, cval, origin) end

--- The median of each element's neighbourhood; of an even number the upper one of the two in the middle.
---@param input cupola.Operand
---@param size? integer|table|cupola.Options # one or one for each axis
---@param footprint? cupola.Operand|cupola.Options # instead of size: which elements around count
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.median_filter(input, size, footprint, output, mode, cval, origin) end

--- Least elements around.
---@param input cupola.Operand
---@param size? integer|table
---@param footprint? cupola.Operand
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@param origin? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.minimum_filter(input, size, footprint, output, mode, cval, origin) end

--- Differences along an axis, summed up along the others.
---@param input cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.prewitt(input, axis, output, mode, cval) end

--- The element of a rank in each sorted neighbourhood.
---@param input cupola.Operand
---@param rank integer # from 0: the smallest; negative ones from the largest
---@param size? integer|table|cupola.Options
---@param footprint? cupola.Operand|cupola.Options
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.rank_filter(input, rank, size, footprint, output, mode, cval, origin) end

--- Differences along an axis, smoothed along the others.
---@param input cupola.Operand
---@param axis? integer|table
---@param output? cupola.Operand
---@param mode? cupola.Operand
---@param cval? cupola.Operand
---@return cupola.Array
function cp.scipy.ndimage.sobel(input, axis, output, mode, cval) end

--- Means of boxes.
---@param input cupola.Operand
---@param size? integer|table|cupola.Options # one or one for each axis; default 3
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? cupola.Operand|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.uniform_filter(input, size, output, mode, cval, origin) end

--- Means of `size` elements along an axis.
---@param input cupola.Operand
---@param size integer
---@param axis? integer|cupola.Options # default: the last
---@param output? cupola.Operand|cupola.Options
---@param mode? string|cupola.Options
---@param cval? number|cupola.Options
---@param origin? integer|cupola.Options
---@return cupola.Array
function cp.scipy.ndimage.uniform_filter1d(input, size, axis, output, mode, cval, origin) end

cp.scipy.signal = {}

--- A Butterworth filter: as flat as can be where it passes.
---@param N integer # its order
---@param Wn cupola.Operand # the frequency at its edge, or two for bands
---@param btype? string|cupola.Options # "low" (default), "high", "bandpass" or "bandstop"
---@param output? string|cupola.Options # "ba" (default): numerator and denominator, "sos": sections, "zpk": zeros, poles and gain
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return any ...
function cp.scipy.signal.butter(N, Wn, btype, output, fs) end

--- A Chebyshev filter of type I: with ripples where it passes.
---@param N integer # its order
---@param rp number # the ripples, in decibels
---@param Wn cupola.Operand # the frequency at its edge, or two for bands
---@param btype? string|cupola.Options # as of butter
---@param output? string|cupola.Options
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.cheby1(N, rp, Wn, btype, output, fs) end

--- A Chebyshev filter of type II: with ripples where it stops.
---@param N integer # its order
---@param rs number # how far down the ripples stay, in decibels
---@param Wn cupola.Operand # the frequency at its edge, or two for bands
---@param btype? string|cupola.Options # as of butter
---@param output? string|cupola.Options
---@param fs? number|cupola.Options
---@return any ...
function cp.scipy.signal.cheby2(N, rs, Wn, btype, output, fs) end

--- A cosine whose frequency goes from f0 at time 0 to f1 at time t1.
---@param t cupola.Operand # times
---@param f0 number
---@param t1 number
---@param f1 number
---@param method? string|cupola.Options # "linear" (default), "quadratic", "logarithmic" or "hyperbolic"
---@param phi? number|cupola.Options # its phase, in degrees; default 0
---@param vertex_zero? boolean|cupola.Options # of a quadratic sweep: slowest at time 0 (default), else at t1
---@return cupola.Array
function cp.scipy.signal.chirp(t, f0, t1, f1, method, phi, vertex_zero) end

--- Which method is faster: "direct" or "fft". Integers are always convolved directly, which is exact.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # default "full"
---@return string
function cp.scipy.signal.choose_conv_method(in1, in2, mode) end

--- How far two signals go together at each frequency, from 0 to 1: the square of their cross spectrum over the
--- product of their power.
---@param x cupola.Operand
---@param y cupola.Operand
---@param fs? number|cupola.Options # this and the following as of welch
---@param window? cupola.Operand|cupola.Options
---@param nperseg? integer|cupola.Options
---@param noverlap? integer|cupola.Options
---@param nfft? integer|cupola.Options
---@param detrend? cupola.Operand|cupola.Options
---@param axis? integer|cupola.Options
---@return cupola.Array # frequencies
---@return cupola.Array
function cp.scipy.signal.coherence(x, y, fs, window, nperseg, noverlap, nfft, detrend, axis) end

--- The convolution of two arrays with as many axes: sums of in1[i] * in2[j] with i + j constant.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default): wherever they overlap, "same": of in1's shape, "valid": where they overlap wholly
---@param method? string|cupola.Options # "auto" (default), "direct", or "fft"
---@return cupola.Array
function cp.scipy.signal.convolve(in1, in2, mode, method) end

--- The convolution of two matrices, with a choice of what lies beyond the first one's borders.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same" or "valid"
---@param boundary? string|cupola.Options # "fill" (default): fillvalue, "wrap": the matrix again, "symm": its mirror image
---@param fillvalue? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.scipy.signal.convolve2d(in1, in2, mode, boundary, fillvalue) end

--- The correlation of two arrays with as many axes: sums of in1[i + k] * conj(in2[i]) for each distance k.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # as of convolve
---@param method? string|cupola.Options # "auto" (default), "direct", or "fft"
---@return cupola.Array
function cp.scipy.signal.correlate(in1, in2, mode, method) end

--- The correlation of two matrices, with a choice of what lies beyond the first one's borders.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same" or "valid"
---@param boundary? string|cupola.Options # "fill" (default): fillvalue, "wrap": the matrix again, "symm": its mirror image
---@param fillvalue? cupola.Operand|cupola.Options # default 0
---@return cupola.Array
function cp.scipy.signal.correlate2d(in1, in2, mode, boundary, fillvalue) end

--- The distances that the elements of a correlation of vectors stand for.
---@param in1_len integer
---@param in2_len integer
---@param mode? string|cupola.Options # as of correlate
---@return cupola.Array # int64 array
function cp.scipy.signal.correlation_lags(in1_len, in2_len, mode) end

--- The cross spectrum of two signals: the mean of conj(X) * Y over their segments' transforms. The shorter one is
--- filled with zeros.
---@param x cupola.Operand
---@param y cupola.Operand
---@param fs? number|cupola.Options # this and the following as of welch
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

--- Each q-th element of a signal from which what is too fast for that was filtered.
---@param x cupola.Operand
---@param q integer
---@param n? integer|cupola.Options # order of the filter; default 8, of "fir" 20 q
---@param ftype? string|cupola.Options # "iir" (default): Chebyshev's, or "fir": with a Hamming window
---@param axis? integer|cupola.Options # default: the last
---@param zero_phase? boolean|cupola.Options # no phase is shifted; default true
---@return cupola.Array # floating array
function cp.scipy.signal.decimate(x, q, n, ftype, axis, zero_phase) end

--- x without its trend along an axis.
---@param data cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param type? string|cupola.Options # "linear" (default): the line that fits best, "constant": the mean
---@param bp? cupola.Operand|cupola.Options # where pieces with lines of their own end: how many elements lie before each bound
---@return cupola.Array # floating array
function cp.scipy.signal.detrend(data, axis, type, bp) end

--- The convolution of two arrays by Fourier transforms.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # "full" (default), "same": of in1's shape, "valid": where they overlap wholly
---@param axes? integer|table|cupola.Options # axes to convolve along; shapes broadcast on the others. Default: all
---@return cupola.Array # floating array
function cp.scipy.signal.fftconvolve(in1, in2, mode, axes) end

--- lfilter forward and then backward, so that no phase is shifted.
---@param b cupola.Operand
---@param a cupola.Operand
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param padtype? cupola.Operand|cupola.Options # "odd" (default), "even", "constant" or false: how x is extended at its ends
---@param padlen? integer|cupola.Options # by how many elements; default 3 max(#a, #b)
---@return cupola.Array
function cp.scipy.signal.filtfilt(b, a, x, axis, padtype, padlen) end

--- Peaks of a vector: places, from 1, that are higher than their neighbours, and what was found of them.
---@param x cupola.Operand # real vector
---@param height? cupola.Operand|cupola.Options # least height, or {least, greatest}
---@param threshold? integer|cupola.Options # least height over both neighbours, or {least, greatest}
---@param distance? number|cupola.Options # least distance of two peaks; the higher one stays
---@param prominence? cupola.Operand|cupola.Options # least height over the way to higher ground, or {least, greatest}
---@param wlen? integer|cupola.Options # how many elements around a peak are looked at for that
---@return cupola.Array peaks # int64 vector
---@return table properties # vectors: peak_heights, left_thresholds, prominences, left_bases, ...
function cp.scipy.signal.find_peaks(x, height, threshold, distance, prominence, wlen) end

--- A filter of numtaps coefficients, by a window on the ideal response.
---@param numtaps integer
---@param cutoff cupola.Operand # the frequency between passing and stopping, or a table of them
---@param width? number|cupola.Options # of the transition: then the window is Kaiser's
---@param window? cupola.Operand|cupola.Options # as of get_window; default "hamming"
---@param pass_zero? cupola.Operand|cupola.Options # whether frequency 0 passes, or "lowpass", "highpass", "bandpass", "bandstop"; default true
---@param scale? boolean|cupola.Options # the middle of the first band passes as it is; default true
---@param fs? number|cupola.Options # the sampling rate; default 2
---@return cupola.Array # float64 vector
function cp.scipy.signal.firwin(numtaps, cutoff, width, window, pass_zero, scale, fs) end

--- The frequency response of a filter.
---@param b cupola.Operand
---@param a? cupola.Operand|cupola.Options # default 1
---@param worN? cupola.Operand|cupola.Options # how many frequencies, default 512, or a vector of them
---@param whole? boolean|cupola.Options # up to the sampling rate rather than half of it
---@param fs? number|cupola.Options # the sampling rate; default 2 pi
---@param include_nyquist? boolean|cupola.Options # half the sampling rate is the last one
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

--- A sine under a Gaussian bell: the in-phase part, then, where asked for, the other part and the bell.
---@param t cupola.Operand # times
---@param fc? number|cupola.Options # its frequency; default 1000
---@param bw? number|cupola.Options # bandwidth as a share of fc; default 0.5
---@param bwr? number|cupola.Options # the level that the bandwidth is measured at, in decibels; default -6
---@param tpr? number|cupola.Options # of t = "cutoff": the level, in decibels, of the time that is asked for; default -60
---@param retquad? boolean|cupola.Options
---@param retenv? boolean|cupola.Options
---@return any ...
function cp.scipy.signal.gausspulse(t, fc, bw, bwr, tpr, retquad, retenv) end

--- A window by its name, or by a table of name and parameters: {"kaiser", 8}, {"gaussian", 7}. A number is the beta
--- of a Kaiser window.
---@param window cupola.Operand
---@param Nx integer
---@param fftbins? boolean|cupola.Options # true (default): for spectra, false: symmetric
---@return cupola.Array # float64 array
function cp.scipy.signal.get_window(window, Nx, fftbins) end

--- The analytic signal: x, and its Hilbert transform as the imaginary part.
---@param x cupola.Operand # real
---@param N? integer|cupola.Options # length of the transform; default: as many elements as there are
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # complex array
function cp.scipy.signal.hilbert(x, N, axis) end

--- The analytic signal of a matrix: of its spectrum, what is above 0 along both axes.
---@param x cupola.Operand # real, of two axes or more
---@param N? integer|cupola.Options # lengths of the transform along the two axes, or one for both; default: x's
---@param axes? integer|table|cupola.Options # two of them; default: the last two
---@return cupola.Array # complex array
function cp.scipy.signal.hilbert2(x, N, axes) end

--- The signal that stft made transforms of.
---@param Zxx cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # the one of stft; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default: what gives Zxx's frequencies, an even one
---@param noverlap? integer|cupola.Options # elements that two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform
---@param input_onesided? boolean|cupola.Options # frequencies are from 0 on alone; default true
---@param boundary? boolean|cupola.Options # the signal was made longer at its ends; default true
---@param time_axis? integer|cupola.Options # of the segments; default: the last
---@param freq_axis? integer|cupola.Options # default: the one before the last
---@param scaling? string|cupola.Options # the one of stft; "spectrum" (default) or "psd"
---@return cupola.Array # times
---@return cupola.Array # the signal, along the axis of the segments
function cp.scipy.signal.istft(Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis, scaling) end

--- The attenuation in decibels of a filter by a Kaiser window.
---@param numtaps integer
---@param width number # of the transition, as a share of half the sampling rate
---@return number
function cp.scipy.signal.kaiser_atten(numtaps, width) end

--- The beta of a Kaiser window for an attenuation in decibels.
---@param a number
---@return number
function cp.scipy.signal.kaiser_beta(a) end

--- The length and the beta of a Kaiser window that keep ripples below a number of decibels.
---@param ripple number
---@param width number # of the transition, as a share of half the sampling rate
---@return integer numtaps
---@return number beta
function cp.scipy.signal.kaiserord(ripple, width) end

--- The filter with the rational transfer function b / a along an axis.
---@param b cupola.Operand # vector: coefficients of the numerator
---@param a cupola.Operand # vector: of the denominator; all are divided by the first
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param zi? cupola.Operand|cupola.Options # its states before the first element: x's shape with max(#a, #b) - 1 along the axis
---@return cupola.Array y # floating array of x's shape
---@return cupola.Array zf # with zi: the states behind the last element
function cp.scipy.signal.lfilter(b, a, x, axis, zi) end

--- The states of lfilter at rest behind a step of height 1: times the first element of a signal, they let it
--- begin without a jump.
---@param b cupola.Operand
---@param a cupola.Operand
---@return cupola.Array # vector of max(#a, #b) - 1
function cp.scipy.signal.lfilter_zi(b, a) end

--- The states of lfilter behind given earlier results y and elements x, the latest ones first.
---@param b cupola.Operand
---@param a cupola.Operand
---@param y cupola.Operand # vector
---@param x? cupola.Operand|cupola.Options # vector; default zeros
---@return cupola.Array
function cp.scipy.signal.lfiltic(b, a, y, x) end

--- The median of each element's neighbourhood, zeros beyond the borders.
---@param volume cupola.Operand # of any number of axes, real
---@param kernel_size? cupola.Operand|cupola.Options # an odd length, or one for each axis; default 3
---@return cupola.Array # array of the same dtype
function cp.scipy.signal.medfilt(volume, kernel_size) end

--- The median of each element's neighbourhood in a matrix, zeros beyond the borders.
---@param input cupola.Operand
---@param kernel_size? cupola.Operand|cupola.Options # an odd length, or a table of two; default 3
---@return cupola.Array
function cp.scipy.signal.medfilt2d(input, kernel_size) end

--- The convolution of a long array with a short one, by Fourier transforms of pieces.
---@param in1 cupola.Operand
---@param in2 cupola.Operand
---@param mode? string|cupola.Options # as of fftconvolve
---@param axes? integer|table|cupola.Options # pieces are taken along one axis; with several, the same as fftconvolve
---@return cupola.Array # floating array
function cp.scipy.signal.oaconvolve(in1, in2, mode, axes) end

--- The element of a rank in each sorted neighbourhood, zeros beyond the borders.
---@param a cupola.Operand
---@param domain cupola.Operand # ones and zeros: which elements around one count; odd lengths
---@param rank integer # from 0: the smallest
---@return cupola.Array
function cp.scipy.signal.order_filter(a, domain, rank) end

--- The power of a signal at each frequency, from one transform of all of it.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as of get_window, or its values; default "boxcar"
---@param nfft? integer|cupola.Options # length of the transform; default: the signal's
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): less its mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # of real signals, frequencies from 0 on alone; default true
---@param scaling? string|cupola.Options # "density" (default): power for each unit of frequency, "spectrum": power
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # frequencies
---@return cupola.Array # power
function cp.scipy.signal.periodogram(x, fs, window, nfft, detrend, return_onesided, scaling, axis) end

--- x with num elements for the same time, by its Fourier transform: as if it went on for ever.
---@param x cupola.Operand
---@param num integer
---@param t? cupola.Operand|cupola.Options # the times of x's elements; their new ones are a second result then
---@param axis? integer|cupola.Options # default: the first
---@param window? cupola.Operand|cupola.Options # what the frequencies are multiplied by: as of get_window, its values, or a function of the frequencies, all in the order of fftfreq
---@return cupola.Array # floating array
---@return cupola.Array # times, where t is given
function cp.scipy.signal.resample(x, num, t, axis, window) end

--- x at up / down times its sampling rate, through a filter that keeps what both rates can have.
---@param x cupola.Operand
---@param up integer
---@param down integer
---@param axis? integer|cupola.Options # default: the first
---@param window? cupola.Operand|cupola.Options # of the filter, as of get_window, or the filter itself; default { "kaiser", 5 }
---@param padtype? string|cupola.Options # what lies beyond the ends: "constant" (default): cval, "mean", "median", "maximum", "minimum" of the axis
---@param cval? number|cupola.Options # default 0
---@return cupola.Array # floating array
function cp.scipy.signal.resample_poly(x, up, down, axis, window, padtype, cval) end

--- The weights of Savitzky and Golay's filter.
---@param window_length integer
---@param polyorder integer
---@param deriv? integer|cupola.Options # default 0
---@param delta? number|cupola.Options # distance of the samples; default 1
---@param pos? integer|cupola.Options # the place in the window that is meant, from 1; default: its middle
---@param use? string|cupola.Options # "conv" (default): for convolve, "dot": beside the elements as they are
---@return cupola.Array # float64 vector
function cp.scipy.signal.savgol_coeffs(window_length, polyorder, deriv, delta, pos, use) end

--- Savitzky and Golay's filter: each element becomes the value, or derivative, of the polynomial that fits the
--- window around it best.
---@param x cupola.Operand
---@param window_length integer
---@param polyorder integer # below window_length
---@param deriv? integer|cupola.Options # default 0
---@param delta? number|cupola.Options # distance of the samples; default 1
---@param axis? integer|cupola.Options # default: the last
---@param mode? string|cupola.Options # at the ends: "interp" (default: the outermost windows' polynomials), "mirror", "constant", "nearest" or "wrap"
---@param cval? number|cupola.Options # of mode "constant"; default 0
---@return cupola.Array # floating array
function cp.scipy.signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval) end

--- A saw-tooth wave of period 2 pi: from -1 to 1 in the first part of each period, then back.
---@param t cupola.Operand # times
---@param width? number|cupola.Options # the share of the first part; default 1
---@return cupola.Array
function cp.scipy.signal.sawtooth(t, width) end

--- A filter in sections of second order along an axis.
---@param sos cupola.Operand # rows b1 b2 b3 a1 a2 a3, a1 being 1
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param zi? cupola.Operand|cupola.Options # states: for each section x's shape with 2 along the axis
---@return cupola.Array y
---@return cupola.Array zf # with zi: the states behind the last element
function cp.scipy.signal.sosfilt(sos, x, axis, zi) end

--- The states of sosfilt at rest behind a step of height 1.
---@param sos cupola.Operand
---@return cupola.Array # (sections, 2)
function cp.scipy.signal.sosfilt_zi(sos) end

--- sosfilt forward and then backward, so that no phase is shifted.
---@param sos cupola.Operand
---@param x cupola.Operand
---@param axis? integer|cupola.Options # default: the last
---@param padtype? cupola.Operand|cupola.Options # as of filtfilt
---@param padlen? integer|cupola.Options
---@return cupola.Array
function cp.scipy.signal.sosfiltfilt(sos, x, axis, padtype, padlen) end

--- The frequency response of a filter in sections.
---@param sos cupola.Operand
---@param worN? cupola.Operand|cupola.Options
---@param whole? boolean|cupola.Options
---@param fs? number|cupola.Options
---@return cupola.Array w
---@return cupola.Array h # complex
function cp.scipy.signal.sosfreqz(sos, worN, whole, fs) end

--- The spectra of a signal's segments: how its frequencies change with time.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as of get_window, or its values; default { "tukey", 0.25 }
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # elements that two segments share; default: an eighth of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): each segment less its mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # of real signals, frequencies from 0 on alone; default true
---@param scaling? string|cupola.Options # "density" (default) or "spectrum"
---@param axis? integer|cupola.Options # default: the last
---@param mode? string|cupola.Options # "psd" (default): power, "complex": as stft, "magnitude", "angle", "phase": without jumps
---@return cupola.Array # frequencies
---@return cupola.Array # times of the segments' middles
---@return cupola.Array # frequencies in the place of the axis, and the segments along a new last axis
function cp.scipy.signal.spectrogram(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode) end

--- A square wave of period 2 pi: 1 for the first part of each period, then -1.
---@param t cupola.Operand # times
---@param duty? number|cupola.Options # the share of the first part; default 0.5
---@return cupola.Array
function cp.scipy.signal.square(t, duty) end

--- The transforms of a signal's segments, which istft takes back.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as of get_window, or its values; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # elements that two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant", "linear", false (default), or a function of the segments
---@param return_onesided? boolean|cupola.Options # of real signals, frequencies from 0 on alone; default true
---@param boundary? cupola.Operand|cupola.Options # what lies beyond the ends, so that the first segment's middle is the first element: "zeros" (default), "even", "odd", "constant", or false: segments begin at the first element
---@param padded? boolean|cupola.Options # zeros are added at the end, so that segments reach it; default true
---@param axis? integer|cupola.Options # default: the last
---@param scaling? string|cupola.Options # "spectrum" (default) or "psd"
---@return cupola.Array # frequencies
---@return cupola.Array # times of the segments' middles
---@return cupola.Array # complex: frequencies in the place of the axis, and the segments along a new last axis
function cp.scipy.signal.stft(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis, scaling) end

--- Zeros with a one.
---@param shape integer|table
---@param idx? cupola.Operand|cupola.dtype|cupola.Options # its place, from 1: a number for all axes, a table, or "mid"; default: the first
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function cp.scipy.signal.unit_impulse(shape, idx, dtype) end

--- x with up - 1 zeros behind each element, through the filter h; of the results, each down-th one.
---@param h cupola.Operand # a vector
---@param x cupola.Operand
---@param up? integer|cupola.Options # default 1
---@param down? integer|cupola.Options # default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array # floating array
function cp.scipy.signal.upfirdn(h, x, up, down, axis) end

--- The power of a signal at each frequency, averaged over overlapping segments.
---@param x cupola.Operand
---@param fs? number|cupola.Options # the sampling rate; default 1
---@param window? cupola.Operand|cupola.Options # as of get_window, or its values; default "hann"
---@param nperseg? integer|cupola.Options # length of a segment; default 256, or the window's
---@param noverlap? integer|cupola.Options # elements that two segments share; default: half of them
---@param nfft? integer|cupola.Options # length of a transform; default nperseg
---@param detrend? cupola.Operand|cupola.Options # "constant" (default): each segment less its mean, "linear", false, or a function of the segments
---@param return_onesided? boolean|cupola.Options # of real signals, frequencies from 0 on alone; default true
---@param scaling? string|cupola.Options # "density" (default): power for each unit of frequency, "spectrum": power
---@param axis? integer|cupola.Options # default: the last
---@param average? string|cupola.Options # "mean" (default) or "median"
---@return cupola.Array # frequencies
---@return cupola.Array # power
function cp.scipy.signal.welch(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average) end

--- Wiener's filter: neighbourhoods whose variance is that of noise are replaced by their mean.
---@param im cupola.Operand
---@param mysize? cupola.Operand|cupola.Options # odd lengths of the neighbourhood; default 3
---@param noise? number|cupola.Options # its variance; default: the mean of the neighbourhoods' variances
---@return cupola.Array # floating array
function cp.scipy.signal.wiener(im, mysize, noise) end

cp.scipy.signal.windows = {}

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

--- Half a period of a sine.
---@param M integer
---@param sym? cupola.Operand
---@return cupola.Array
function cp.scipy.signal.windows.cosine(M, sym) end

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

--- The integral of exp(-t) / t from x on, for x from 0 on.
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

--- The integral of exp(t) / t up to x, its principal value above 0.
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

--- log of the sum of b * exp(a) along axes, without overflow.
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

--- exp(x) over its sum along axes.
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

--- The sum of (q + n)^-x over n = 0, 1, ...; q is 1 by default, x above 1.
---@param x cupola.Operand
---@param q? cupola.Operand
---@param out? cupola.Array
---@return cupola.Array
function cp.scipy.special.zeta(x, q, out) end

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

--- Raises unless two tables hold as many arrays, and each is equal to its counterpart.
---@param actual table
---@param desired table
---@param err_msg? string|cupola.Options
function cp.testing.assert_array_list_equal(actual, desired, err_msg) end

--- Raises unless between a and b there are at most maxulp - 1 values of their dtype, for every element.
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

--- An array of random values, the same ones for the same arguments: of bool one half true, of integers from 0 to
--- scale - 1, of other dtypes from 0 to scale.
---@param shape integer|table
---@param dtype? cupola.dtype|cupola.Options # default float32
---@param scale? number|cupola.Options # default 10
---@param seed? integer|cupola.Options # default 0
---@return cupola.Array
function cp.testing.shaped_random(shape, dtype, scale, seed) end

--- Absolute value. The same as absolute.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:abs(out, dtype) end

--- Absolute value, written into x itself.
---@return cupola.Array
function Array:abs_() end

--- Absolute value.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:absolute(out, dtype) end

--- Absolute value, written into x itself.
---@return cupola.Array
function Array:absolute_() end

--- Inverse cosine. The same as arccos.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:acos(out, dtype) end

--- Inverse cosine, written into x itself.
---@return cupola.Array
function Array:acos_() end

--- Inverse hyperbolic cosine. The same as arccosh.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:acosh(out, dtype) end

--- Inverse hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:acosh_() end

--- x1 + x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:add(x2, out, dtype) end

--- x1 + x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:add_(x2) end

--- Whether all elements are true: a Lua boolean, with an axis a bool array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return any
function Array:all(axis, out, keepdims) end

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
---@return cupola.Array
function Array:amax(axis, out, keepdims, initial) end

--- Least value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:amin(axis, out, keepdims, initial) end

--- The angle of complex values in the plane, in radians; 0 or pi for real ones.
---@param deg? boolean|cupola.Options # in degrees; default false
---@return cupola.Array # floating array
function Array:angle(deg) end

--- Whether one element is true: a Lua boolean, with an axis a bool array.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return any
function Array:any(axis, out, keepdims) end

--- Joins values behind an array; without an axis both count as flat.
---@param values cupola.Operand
---@param axis? integer|cupola.Options
---@return cupola.Array
function Array:append(values, axis) end

--- Inverse cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arccos(out, dtype) end

--- Inverse cosine, written into x itself.
---@return cupola.Array
function Array:arccos_() end

--- Inverse hyperbolic cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arccosh(out, dtype) end

--- Inverse hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:arccosh_() end

--- Inverse sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arcsin(out, dtype) end

--- Inverse sine, written into x itself.
---@return cupola.Array
function Array:arcsin_() end

--- Inverse hyperbolic sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arcsinh(out, dtype) end

--- Inverse hyperbolic sine, written into x itself.
---@return cupola.Array
function Array:arcsinh_() end

--- Inverse tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arctan(out, dtype) end

--- Angle of the point (x2, x1), -pi to pi.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:arctan2(x2, out, dtype) end

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
---@return cupola.Array
function Array:arctanh(out, dtype) end

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

--- The positions, from 1, of what partition gives.
---@param kth cupola.Operand # a position from 1, or a table of them
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # "introselect"
---@return cupola.Array # int64 array
function Array:argpartition(kth, axis, kind) end

--- The positions, from 1, of the elements in ascending order; equal elements keep their order.
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as NumPy's; every sort is stable
---@return cupola.Array # int64 array
function Array:argsort(axis, kind) end

--- The positions of elements that are not 0, as an array with a row for each.
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

--- Whether two arrays have the same values once they are broadcast.
---@param a2 cupola.Operand
---@return boolean
function Array:array_equiv(a2) end

--- The same, where the number of parts need not divide the length: the first parts are longer by one.
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

--- a as an array whose rows lie one behind the other in memory; a itself if it does.
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ascontiguousarray(dtype) end

--- The same for columns (Fortran's order).
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:asfortranarray(dtype) end

--- Inverse sine. The same as arcsin.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:asin(out, dtype) end

--- Inverse sine, written into x itself.
---@return cupola.Array
function Array:asin_() end

--- Inverse hyperbolic sine. The same as arcsinh.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:asinh(out, dtype) end

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

--- A copy in another dtype; with copy = false x itself where it has that dtype.
---@param dtype cupola.dtype
---@param copy? boolean|cupola.dtype|cupola.Options
---@return cupola.Array
function Array:astype(dtype, copy) end

--- The 0-d view of one element.
---@param ... integer
---@return cupola.Array
function Array:at(...) end

--- Inverse tangent. The same as arctan.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:atan(out, dtype) end

--- Angle of the point (x2, x1), -pi to pi. The same as arctan2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:atan2(x2, out, dtype) end

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
---@return cupola.Array
function Array:atanh(out, dtype) end

--- Inverse hyperbolic tangent, written into x itself.
---@return cupola.Array
function Array:atanh_() end

--- Views with one axis at least. Several arguments give several results.
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_1d(...) end

--- Views with two axes at least: (n) becomes (1, n).
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_2d(...) end

--- Views with three axes at least: (n) becomes (1, n, 1), (n, m) becomes (n, m, 1).
---@param ... any
---@return cupola.Array ... # one view per argument
function Array:atleast_3d(...) end

--- The mean, or the weighted mean sum(a * weights) / sum(weights).
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param weights? cupola.Operand|cupola.Options # of a's shape, or a vector along the axis
---@param returned? boolean|cupola.Options # gives the sum of weights, too
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:average(axis, weights, returned, keepdims) end

--- Bitwise and. The same as bitwise_and.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:band(x2, out, dtype) end

--- Bitwise and, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:band_(x2) end

--- How often each whole number occurs: element v + 1 counts the value v.
---@param weights? cupola.Operand|cupola.Options # of x's shape: sums of weights (float64) rather than counts
---@param minlength? integer|cupola.Options # least length of the result
---@return cupola.Array # int64 vector
function Array:bincount(weights, minlength) end

--- Bitwise and.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_and(x2, out, dtype) end

--- Bitwise and, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_and_(x2) end

--- How many bits are set in the absolute value of each element.
---@return cupola.Array # uint8
function Array:bitwise_count() end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_invert(out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bitwise_invert_() end

--- x1 << x2. The same as left_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_left_shift(x2, out, dtype) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_left_shift_(x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_not(out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bitwise_not_() end

--- Bitwise or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_or(x2, out, dtype) end

--- Bitwise or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_or_(x2) end

--- x1 >> x2. The same as right_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_right_shift(x2, out, dtype) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_right_shift_(x2) end

--- Bitwise exclusive or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bitwise_xor(x2, out, dtype) end

--- Bitwise exclusive or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bitwise_xor_(x2) end

--- All bits exchanged; not, of bool. The same as invert.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bnot(out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:bnot_() end

--- Bitwise or. The same as bitwise_or.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:bor(x2, out, dtype) end

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
---@return cupola.Array
function Array:bxor(x2, out, dtype) end

--- Bitwise exclusive or, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:bxor_(x2) end

--- Cube root.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:cbrt(out, dtype) end

--- Cube root, written into x itself.
---@return cupola.Array
function Array:cbrt_() end

--- Smallest whole number that is not less.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ceil(out, dtype) end

--- Smallest whole number that is not less, written into x itself.
---@return cupola.Array
function Array:ceil_() end

--- Each element from the array whose number is given: `result[i] = choices[a[i]][i]`.
---@param choices cupola.Operand # table of arrays that broadcast with a
---@param out? cupola.Array|cupola.Options
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
---@return cupola.Array
function Array:choose(choices, out, mode) end

--- Limits values to an interval: minimum(maximum(a, a_min), a_max). A bound that is nil is no bound.
---@param a_min? cupola.Operand|cupola.Options # number or array that broadcasts with a; also by the name min
---@param a_max? cupola.Operand|cupola.Options # the same; also by the name max
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param min? cupola.Operand|cupola.Options
---@param max? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:clip(a_min, a_max, out, min, max) end

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
---@return cupola.Array
function Array:conj(out, dtype) end

--- Complex conjugate, written into x itself.
---@return cupola.Array
function Array:conj_() end

--- Complex conjugate. The same as conj.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:conjugate(out, dtype) end

--- Complex conjugate, written into x itself.
---@return cupola.Array
function Array:conjugate_() end

--- The convolution of two vectors: sums of a[i] * v[j] with i + j constant.
---@param v any
---@param mode? string|cupola.Options # "full" (default): wherever they overlap, "same": as long as the longer one, "valid": where they overlap wholly
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
---@return cupola.Array
function Array:copysign(x2, out, dtype) end

--- x1 with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:copysign_(x2) end

--- Writes src into dst, where a condition is true.
---@param src cupola.Operand # broadcasts to dst
---@param where? cupola.Operand|cupola.Options # truth values that broadcast to dst; default: everywhere
function Array:copyto(src, where) end

--- Correlation coefficients of variables, from -1 to 1.
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true: rows are variables
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:corrcoef(y, rowvar, dtype) end

--- The correlation of two vectors: sums of a[i + k] * conj(v[i]) for each distance k.
---@param v any
---@param mode? string|cupola.Options # "valid" (default), "same" or "full", as of convolve
---@return cupola.Array
function Array:correlate(v, mode) end

--- Cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:cos(out, dtype) end

--- Cosine, written into x itself.
---@return cupola.Array
function Array:cos_() end

--- Hyperbolic cosine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:cosh(out, dtype) end

--- Hyperbolic cosine, written into x itself.
---@return cupola.Array
function Array:cosh_() end

--- The number of elements that are not 0.
---@param axis? integer|table|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:count_nonzero(axis, keepdims) end

--- Covariances of variables, a matrix. Rows are variables and columns observations, unless rowvar is false.
---@param y? cupola.Operand|cupola.dtype|cupola.Options # more variables
---@param rowvar? boolean|cupola.Options # default true
---@param bias? boolean|cupola.Options # divide by the number of observations rather than one less; default false
---@param ddof? integer|cupola.Options # what is taken off the number of observations; instead of bias
---@param fweights? cupola.Operand|cupola.Options # how often each observation counts
---@param aweights? cupola.Operand|cupola.Options # weights of observations
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

--- The largest of the elements up to each one; nan from the first nan on.
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cummax(axis, out) end

--- The smallest of the elements up to each one; nan from the first nan on.
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cummin(axis, out) end

--- Products of the elements up to each one.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # default: bool and integers widen to 64 bits, others as they are
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumprod(axis, dtype, out) end

--- Sums of the elements up to each one.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options # what is summed in; default: bool and integers widen to 64 bits, others as they are
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:cumsum(axis, dtype, out) end

--- Products of the elements up to each one.
---@param axis? integer|cupola.dtype|cupola.Options # needed but for vectors
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # a 1 before the first product
---@return cupola.Array
function Array:cumulative_prod(axis, dtype, include_initial) end

--- Sums of the elements up to each one.
---@param axis? integer|cupola.dtype|cupola.Options # needed but for vectors
---@param dtype? cupola.dtype|cupola.Options
---@param include_initial? boolean|cupola.Options # a 0 before the first sum
---@return cupola.Array
function Array:cumulative_sum(axis, dtype, include_initial) end

--- Degrees to radians. The same as radians.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:deg2rad(out, dtype) end

--- Degrees to radians, written into x itself.
---@return cupola.Array
function Array:deg2rad_() end

--- Radians to degrees.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:degrees(out, dtype) end

--- Radians to degrees, written into x itself.
---@return cupola.Array
function Array:degrees_() end

--- A copy without the elements at some positions.
---@param obj cupola.Operand # a position from 1 (negative from the end), a table or array of positions, or a mask
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:delete(obj, axis) end

--- The diagonal of a matrix (a view), or a matrix of zeros with this diagonal.
---@param k? integer|cupola.Options # which diagonal; above the main one when positive; default 0
---@return cupola.Array # 1-d, or (n + |k|, n + |k|)
function Array:diag(k) end

--- The positions of the main diagonal of a given array.
---@return table
function Array:diag_indices_from() end

--- A matrix of zeros with all elements of v on a diagonal.
---@param k? integer|cupola.Options # which diagonal; default 0
---@return cupola.Array # (v.size + |k|, v.size + |k|)
function Array:diagflat(k) end

--- The view of a diagonal of two axes, as the last axis of the result.
---@param offset? integer|cupola.Options # above the main diagonal when positive; default 0
---@param axis1? integer|cupola.Options # default 1
---@param axis2? integer|cupola.Options # default 2
---@return cupola.Array
function Array:diagonal(offset, axis1, axis2) end

--- Differences of neighbours: element k + 1 less element k, n times over. On bool, whether they differ.
---@param n? integer|cupola.Options # how often; default 1
---@param axis? integer|cupola.Options # default: the last
---@param prepend? cupola.Operand|cupola.Options # a number or array that stands before a
---@param append? cupola.Operand|cupola.Options # a number or array that stands behind a
---@return cupola.Array
function Array:diff(n, axis, prepend, append) end

--- The bin of each value among edges: the position, from 1, of the first edge above it (#bins + 1: none), so that
--- bins[k - 1] <= v < bins[k]. Where the edges descend, bins[k - 1] > v >= bins[k].
---@param bins cupola.Operand # vector of edges, ascending or descending
---@param right? boolean|cupola.Options # the upper edge belongs to a bin rather than the lower one; default false
---@return cupola.Array # int64 array of x's shape
function Array:digitize(bins, right) end

--- x1 / x2, true division. The same as divide.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:div(x2, out, dtype) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:div_(x2) end

--- x1 / x2, true division.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:divide(x2, out, dtype) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:divide_(x2) end

--- Floor division and its remainder.
---@param x2 cupola.Operand
---@return cupola.Array
---@return cupola.Array
function Array:divmod(x2) end

--- The memory as a DLPack tensor, without a copy: a capsule; its release() gives the address.
---@return userdata
function Array:dlpack() end

--- The inner product of vectors, the product of matrices; otherwise the sum of products over the last axis of a and
--- the last but one of b.
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:dot(b, out) end

--- Splits along the third axis.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:dsplit(indices_or_sections) end

--- Differences of neighbours of the flat array, with values before and behind them.
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
---@return cupola.Array
function Array:eq(x2, out, dtype) end

--- x1 == x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:equal(x2, out, dtype) end

--- Error function.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:erf(out, dtype) end

--- Error function, written into x itself.
---@return cupola.Array
function Array:erf_() end

--- 1 - erf(x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:erfc(out, dtype) end

--- 1 - erf(x), written into x itself.
---@return cupola.Array
function Array:erfc_() end

--- Computes x now if it is pending; returns x.
---@return cupola.Array
function Array:eval() end

--- e ^ x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:exp(out, dtype) end

--- 2 ^ x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:exp2(out, dtype) end

--- 2 ^ x, written into x itself.
---@return cupola.Array
function Array:exp2_() end

--- e ^ x, written into x itself.
---@return cupola.Array
function Array:exp_() end

--- A view with new axes of length 1 at these places.
---@param axis integer|table
---@return cupola.Array
function Array:expand_dims(axis) end

--- exp(x) - 1.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:expm1(out, dtype) end

--- exp(x) - 1, written into x itself.
---@return cupola.Array
function Array:expm1_() end

--- Absolute values as floating numbers.
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

--- Rounds toward zero: NumPy's older name of trunc.
---@return cupola.Array
function Array:fix() end

--- The same as cp.trunc_.
---@return cupola.Array
function Array:fix_() end

--- The positions of elements that are not 0, in the flat array.
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

--- x1 to the power x2, computed in float64 (complex128 for complex operands) at least.
---@param x2 cupola.Operand # broadcasts with x1
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:float_power(x2, out) end

--- Largest whole number that is not greater.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:floor(out, dtype) end

--- Largest whole number that is not greater, written into x itself.
---@return cupola.Array
function Array:floor_() end

--- The floor of x1 / x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:floor_divide(x2, out, dtype) end

--- The floor of x1 / x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:floor_divide_(x2) end

--- a * b + c with one rounding.
---@param b cupola.Operand
---@param c cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:fma(b, c, out, dtype) end

--- a * b + c with one rounding, written into a itself.
---@param b cupola.Operand
---@param c cupola.Operand
---@return cupola.Array
function Array:fma_(b, c) end

--- The greater one; nan only where both are nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:fmax(x2, out, dtype) end

--- The greater one; nan only where both are nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmax_(x2) end

--- The lesser one; nan only where both are nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:fmin(x2, out, dtype) end

--- The lesser one; nan only where both are nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmin_(x2) end

--- Remainder with the sign of x1.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:fmod(x2, out, dtype) end

--- Remainder with the sign of x1, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:fmod_(x2) end

--- Gives the memory back now; views of it raise from then on.
function Array:free() end

--- Mantissa and exponent: x = mantissa * 2 ^ exponent.
---@return cupola.Array
---@return cupola.Array
function Array:frexp() end

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
---@return cupola.Array
function Array:gamma(out, dtype) end

--- Gamma function, written into x itself.
---@return cupola.Array
function Array:gamma_() end

--- Greatest common divisor.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:gcd(x2, out, dtype) end

--- Greatest common divisor, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:gcd_(x2) end

--- x1 >= x2 of each element, a bool array. The same as greater_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ge(x2, out, dtype) end

--- A copy on the CPU; written into out, an array there, where it is given.
---@param out? cupola.Array
---@param blocking? boolean
---@return cupola.Array
function Array:get(out, blocking) end

--- Slopes by central differences, one-sided at the ends. One array for one axis, else a table with one for each axis.
---@param spacing? cupola.Operand|cupola.Options # a number for all axes (default 1), the places along the one axis, or a table of these by axis
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param edge_order? integer|cupola.Options # 1 (default) or 2: order of the differences at the ends
---@return cupola.Array
function Array:gradient(spacing, axis, edge_order) end

--- x1 > x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:greater(x2, out, dtype) end

--- x1 >= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:greater_equal(x2, out, dtype) end

--- x1 > x2 of each element, a bool array. The same as greater.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:gt(x2, out, dtype) end

--- Whether these are the lengths of the axes.
---@param ... integer
---@return boolean
function Array:has_shape(...) end

--- 0 for negative x1, x2 for 0, 1 for positive.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:heaviside(x2, out, dtype) end

--- 0 for negative x1, x2 for 0, 1 for positive, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:heaviside_(x2) end

--- How many elements lie between edges, a bin's lower edge belonging to it (and the last edge to the last bin); and
--- the
--- edges.
---@param bins? cupola.Operand|cupola.Options # number of bins (default 10), or the edges in ascending order
---@param range? table|cupola.Options # {lowest, highest}; default: of the elements
---@param density? boolean|cupola.Options # shares for each unit of width rather than counts
---@param weights? cupola.Operand|cupola.Options # of a's shape: sums of weights rather than counts
---@return cupola.Array
---@return cupola.Array
function Array:histogram(bins, range, density, weights) end

--- Splits along the second axis, vectors along their only one.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:hsplit(indices_or_sections) end

--- sqrt(x1 ^ 2 + x2 ^ 2).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:hypot(x2, out, dtype) end

--- sqrt(x1 ^ 2 + x2 ^ 2), written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:hypot_(x2) end

--- The floor of x1 / x2. The same as floor_divide.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:idiv(x2, out, dtype) end

--- The floor of x1 / x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:idiv_(x2) end

--- The sum of products over the last axes of both arrays.
---@param b cupola.Operand
---@return cupola.Array
function Array:inner(b) end

--- A copy with values before some positions.
---@param obj cupola.Operand # a position from 1 (length + 1: behind the last one; negative from the end), or a table or array of positions in arr, or a mask of them
---@param values cupola.Operand # broadcasts to what is put in; takes arr's dtype
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:insert(obj, values, axis) end

--- Values at x of the function that joins the points (xp, fp) by straight lines.
---@param xp cupola.Operand # vector in ascending order
---@param fp cupola.Operand # values at xp, real or complex
---@param left? cupola.Operand|cupola.Options # value below xp; default: the first of fp
---@param right? cupola.Operand|cupola.Options # value above xp; default: the last of fp
---@param period? number|cupola.Options # of a periodic function, whose xp need no order
---@return cupola.Array # float64 or complex128 array
function Array:interp(xp, fp, left, right, period) end

--- All bits exchanged; not, of bool.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:invert(out, dtype) end

--- All bits exchanged; not, of bool, written into x itself.
---@return cupola.Array
function Array:invert_() end

--- |a - b| <= atol + rtol * |b|, for each element; infinities are close to themselves.
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
---@return cupola.Array
function Array:isfinite(out, dtype) end

--- Whether an array lies in memory by columns (Fortran's order) and not by rows as well.
---@return boolean
function Array:isfortran() end

--- For each element whether it is among test_elements.
---@param test_elements cupola.Operand
---@param assume_unique? boolean|cupola.Options # changes nothing
---@param invert? boolean|cupola.Options # whether it is not; default false
---@return cupola.Array # bool array of element's shape
function Array:isin(test_elements, assume_unique, invert) end

--- Whether x is infinite.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:isinf(out, dtype) end

--- Whether x is nan.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:isnan(out, dtype) end

--- Where a value is -inf.
---@return cupola.Array
function Array:isneginf() end

--- Where a value is +inf.
---@return cupola.Array
function Array:isposinf() end

--- For each element, whether its imaginary part is 0 (not 0).
---@return cupola.Array # bool array; of a plain value a boolean
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
---@return cupola.Array
function Array:lcm(x2, out, dtype) end

--- Least common multiple, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:lcm_(x2) end

--- x1 * 2 ^ x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ldexp(x2, out, dtype) end

--- x1 * 2 ^ x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:ldexp_(x2) end

--- x1 <= x2 of each element, a bool array. The same as less_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:le(x2, out, dtype) end

--- x1 << x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:left_shift(x2, out, dtype) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:left_shift_(x2) end

--- a + t * (b - a).
---@param b cupola.Operand
---@param t cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:lerp(b, t, out, dtype) end

--- a + t * (b - a), written into a itself.
---@param b cupola.Operand
---@param t cupola.Operand
---@return cupola.Array
function Array:lerp_(b, t) end

--- x1 < x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:less(x2, out, dtype) end

--- x1 <= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:less_equal(x2, out, dtype) end

--- Logarithm of the absolute value of gamma(x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:lgamma(out, dtype) end

--- Logarithm of the absolute value of gamma(x), written into x itself.
---@return cupola.Array
function Array:lgamma_() end

--- Natural logarithm.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:log(out, dtype) end

--- Logarithm of base 10.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:log10(out, dtype) end

--- Logarithm of base 10, written into x itself.
---@return cupola.Array
function Array:log10_() end

--- log(1 + x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:log1p(out, dtype) end

--- log(1 + x), written into x itself.
---@return cupola.Array
function Array:log1p_() end

--- Logarithm of base 2.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:log2(out, dtype) end

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
---@return cupola.Array
function Array:logaddexp(x2, out, dtype) end

--- log2(2 ^ x1 + 2 ^ x2).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:logaddexp2(x2, out, dtype) end

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
---@return cupola.Array
function Array:logical_and(x2, out, dtype) end

--- Whether x is 0.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:logical_not(out, dtype) end

--- Whether one is true (not 0).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:logical_or(x2, out, dtype) end

--- Whether exactly one is true (not 0).
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:logical_xor(x2, out, dtype) end

--- x1 < x2 of each element, a bool array. The same as less.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:lt(x2, out, dtype) end

--- The product of matrices, which lie in the last two axes; axes in front are broadcast. A vector on the left is a
--- row, on the right a column, and that axis is gone from the result. float16 and bfloat16 are summed in float32.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:matmul(x2, out) end

--- The array with its last two axes exchanged.
---@return cupola.Array
function Array:matrix_transpose() end

--- Greatest value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:max(axis, out, keepdims, initial) end

--- The greater one; nan where one is nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:maximum(x2, out, dtype) end

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
---@return cupola.Array
function Array:mean(axis, dtype, out, keepdims) end

--- The element in the middle of the sorted ones, or the mean of the two there. nan where there is a nan.
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # changes nothing
---@param keepdims? boolean|cupola.Options # reduced axes stay with length 1
---@return cupola.Array
function Array:median(axis, out, overwrite_input, keepdims) end

--- Coordinates of a grid: from vectors to one array per vector.
--- `cp.meshgrid(x, y, {indexing = "ij", sparse = false, copy = true})`
---@param ... any # vectors (0-d and 1-d); last a table with names: indexing "xy" (default: the first vector runs along axis 2) or "ij"; sparse: the other axes have length 1; copy = false: read-only views
---@return cupola.Array ... # one array per vector
function Array:meshgrid(...) end

--- Least value; nan where one is nan.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:min(axis, out, keepdims, initial) end

--- The lesser one; nan where one is nan.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:minimum(x2, out, dtype) end

--- The lesser one; nan where one is nan, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:minimum_(x2) end

--- x1 % x2, with the sign of x2. The same as remainder.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:mod(x2, out, dtype) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:mod_(x2) end

--- The part behind the point and the whole part.
---@return cupola.Array
---@return cupola.Array
function Array:modf() end

--- A view with axes moved to other places.
---@param source integer|table
---@param destination integer|table
---@return cupola.Array
function Array:moveaxis(source, destination) end

--- x1 * x2. The same as multiply.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:mul(x2, out, dtype) end

--- x1 * x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:mul_(x2) end

--- x1 * x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:multiply(x2, out, dtype) end

--- x1 * x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:multiply_(x2) end

--- Replaces nan and infinities; by default by 0 and by the dtype's largest and lowest number.
---@param copy? boolean|cupola.Options # false: writes into x; default true
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

--- The position, from 1, of the greatest value that is not nan.
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanargmax(axis, keepdims) end

--- The position, from 1, of the least value that is not nan.
---@param axis? integer|cupola.Options # default: of the flat array
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanargmin(axis, keepdims) end

--- Products of the elements up to each one, where nan counts as 1.
---@param axis? integer|cupola.dtype|cupola.Options # default: of the flat array
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@return cupola.Array
function Array:nancumprod(axis, dtype, out) end

--- Sums of the elements up to each one, where nan counts as 0.
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
---@return cupola.Array
function Array:nanmax(axis, out, keepdims, initial) end

--- Mean of the values that are not nan.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanmean(axis, dtype, out, keepdims) end

--- The median of the elements that are not nan; nan where there are none.
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
---@return cupola.Array
function Array:nanmin(axis, out, keepdims, initial) end

--- The same with q from 0 to 100.
---@param q cupola.Operand # from 0 to 100
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanpercentile(q, axis, out, overwrite_input, method, keepdims) end

--- Product in which nan counts as 1.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nanprod(axis, dtype, out, keepdims, initial) end

--- Quantiles of the elements that are not nan; nan where there are none.
---@param q cupola.Operand # from 0 to 1
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param overwrite_input? boolean|cupola.Options
---@param method? string|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanquantile(q, axis, out, overwrite_input, method, keepdims) end

--- Standard deviation of the values that are not nan.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanstd(axis, dtype, out, ddof, keepdims) end

--- Sum in which nan counts as 0.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:nansum(axis, dtype, out, keepdims, initial) end

--- Variance of the values that are not nan.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:nanvar(axis, dtype, out, ddof, keepdims) end

--- The positions and the values of an array, one by one: `for at, v in cp.ndenumerate(x) do`. The values are those
--- that the array has when the loop begins.
---@return function
function Array:ndenumerate() end

--- x1 ~= x2 of each element, a bool array. The same as not_equal.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:ne(x2, out, dtype) end

--- -x. The same as negative.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:neg(out, dtype) end

--- -x, written into x itself.
---@return cupola.Array
function Array:neg_() end

--- -x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:negative(out, dtype) end

--- -x, written into x itself.
---@return cupola.Array
function Array:negative_() end

--- The next number from x1 towards x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:nextafter(x2, out, dtype) end

--- The next number from x1 towards x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:nextafter_(x2) end

--- The positions of elements that are not 0 (nan is not): a table with an array for each axis, in C order.
---@return table
function Array:nonzero() end

--- x1 ~= x2 of each element, a bool array.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:not_equal(x2, out, dtype) end

--- Ones with the shape and dtype of a.
---@param dtype? cupola.dtype|cupola.Options
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@param shape? integer|table|cupola.Options
---@param device? string|cupola.Device|cupola.Options
---@return cupola.Array
function Array:ones_like(dtype, order, shape, device) end

--- Every element of a times every element of b, as a matrix.
---@param b cupola.Operand
---@param out? cupola.Array|cupola.Options
---@return cupola.Array
function Array:outer(b, out) end

--- Bytes of eight elements each, a bit set where one is not 0; a last byte that is not full gets zeros.
---@param axis? integer|cupola.Options # default: of the flat array
---@param bitorder? string|cupola.Options # "big" (default): the first element is the highest bit; or "little"
---@return cupola.Array # uint8
function Array:packbits(axis, bitorder) end

--- An array with borders.
---@param pad_width cupola.Operand # widths: a number, {before, after}, or a table of these for each axis
---@param mode? string|cupola.Options # constant (default), edge, empty, linear_ramp, maximum, mean, median, minimum, reflect, symmetric or wrap
---@param constant_values? cupola.Operand|cupola.Options # of mode constant, in the forms of pad_width; default 0
---@param end_values? cupola.Operand|cupola.Options # outermost values of mode linear_ramp; default 0
---@param stat_length? cupola.Operand|cupola.Options # how many values at the edge maximum, mean, median and minimum look at; default all
---@param reflect_type? string|cupola.Options # "even" (default) or "odd": mirrored at the edge's value too
---@return cupola.Array # array of the same dtype
function Array:pad(pad_width, mode, constant_values, end_values, stat_length, reflect_type) end

--- The elements so that the one at position kth is where sort puts it, none before it is larger and none behind it
--- smaller. (They are sorted, which is no slower here.)
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
---@return cupola.Array
function Array:percentile(q, axis, out, overwrite_input, method, keepdims) end

--- The same array with its axes in another order.
---@param axes? integer|table|cupola.Options
---@return cupola.Array
function Array:permute_dims(axes) end

--- Values of the function whose condition holds; the last function is for where none does.
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
---@return cupola.Array
function Array:positive(out, dtype) end

--- A copy of x, written into x itself.
---@return cupola.Array
function Array:positive_() end

--- x1 ^ x2. The same as power.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:pow(x2, out, dtype) end

--- x1 ^ x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:pow_(x2) end

--- x1 ^ x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:power(x2, out, dtype) end

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
---@return cupola.Array
function Array:prod(axis, dtype, out, keepdims, initial) end

--- Greatest minus least value.
---@param axis? integer|table|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:ptp(axis, out, keepdims) end

--- Writes values at positions of the flat array; values are repeated where they do not suffice. Where a position
--- comes twice the last value stays, as in `x[i] = values`.
---@param ind cupola.Operand # whole numbers
---@param v any
---@param mode? string|cupola.Options # "raise" (default), "wrap" or "clip"
function Array:put(ind, v, mode) end

--- Writes values at such positions. Where a position comes twice the last value stays, as in `x[i] = values`.
---@param indices cupola.Operand
---@param values cupola.Operand # broadcasts with indices
---@param axis? integer|cupola.Options # nil: of the flat array, which must be contiguous
function Array:put_along_axis(indices, values, axis) end

--- Writes values where a mask is true: each place has its own, by its number in the flat array, from the start again
--- where values do not suffice.
---@param mask cupola.Operand # of a's size
---@param values cupola.Operand
function Array:putmask(mask, values) end

--- Quantiles: the values below which a share q of the elements lies. nan where there is a nan.
---@param q cupola.Operand # from 0 to 1, a number or an array, whose axes come first in the result
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: all
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param overwrite_input? boolean|cupola.Options # changes nothing
---@param method? string|cupola.Options # what is done between two elements: "linear" (default), "lower", "higher", "nearest", "midpoint", or another of NumPy's
---@param keepdims? boolean|cupola.Options # reduced axes stay with length 1
---@return cupola.Array
function Array:quantile(q, axis, out, overwrite_input, method, keepdims) end

--- Radians to degrees. The same as degrees.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:rad2deg(out, dtype) end

--- Radians to degrees, written into x itself.
---@return cupola.Array
function Array:rad2deg_() end

--- Degrees to radians.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:radians(out, dtype) end

--- Degrees to radians, written into x itself.
---@return cupola.Array
function Array:radians_() end

--- All elements along one axis; a view where they lie one behind the other, else a copy.
---@param order? "C"|"F"|"A"|"K"|cupola.Options
---@return cupola.Array
function Array:ravel(order) end

--- The real parts where every imaginary part is as good as 0, else the array itself.
---@param tol? number|cupola.Options # what counts as 0: so many times the dtype's eps; up to 1 the limit itself; default 100
---@return cupola.Array
function Array:real_if_close(tol) end

--- 1 / x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:reciprocal(out, dtype) end

--- 1 / x, written into x itself.
---@return cupola.Array
function Array:reciprocal_() end

--- x1 % x2, with the sign of x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:remainder(x2, out, dtype) end

--- x1 % x2, with the sign of x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:remainder_(x2) end

--- Repeats elements, one by one (NumPy's repeat, which is a word of Lua).
---@param repeats cupola.Operand # a number, or a table or array with one for each element along the axis
---@param axis? integer|cupola.Options # default: of the flat array
---@return cupola.Array
function Array:repeats(repeats, axis) end

--- The same elements in another shape, one length may be -1; a view where that is possible.
---@param shape integer|table
---@param ... any
---@return cupola.Array
function Array:reshape(shape, ...) end

--- The elements of a, in C order and from the start again where they do not suffice, in a new shape.
---@param new_shape integer|table
---@return cupola.Array
function Array:resize(new_shape) end

--- x1 >> x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:right_shift(x2, out, dtype) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:right_shift_(x2) end

--- Nearest whole number, halves to the even one.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:rint(out, dtype) end

--- Nearest whole number, halves to the even one, written into x itself.
---@return cupola.Array
function Array:rint_() end

--- Moves elements along axes; those that leave at the end come in at the start.
---@param shift cupola.Operand # places, a whole number or a table of them
---@param axis? integer|table|cupola.Options # an axis or a table of axes; default: the flat array
---@return cupola.Array # a copy
function Array:roll(shift, axis) end

--- A view with an axis moved before another one.
---@param axis integer|table
---@param start? integer|cupola.Options
---@return cupola.Array
function Array:rollaxis(axis, start) end

--- Turns an array in the plane of two axes by k right angles, from the first axis towards the second. A view.
---@param k? integer|cupola.Options # default 1
---@param axes? table|cupola.Options # default {1, 2}
---@return cupola.Array
function Array:rot90(k, axes) end

--- Rounds to `decimals` places, halves to the even neighbour; integers are rounded for negative `decimals` only.
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
---@return cupola.Array
function Array:rsqrt(out, dtype) end

--- 1 / sqrt(x), written into x itself.
---@return cupola.Array
function Array:rsqrt_() end

--- Adds values to the elements that an index chooses; elements that it chooses twice get both.
--- On a GPU sums of floats may differ in their last bits from run to run, and float32 takes subnormal values as 0;
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

--- Where values are to be put into a sorted vector so that it stays sorted: the position, from 1, of the element
--- that each
--- comes to stand before, #a + 1 for the end.
---@param v any # values, of any shape
---@param side? string|cupola.Options # "left" (default): before equal elements, "right": behind them
---@param sorter? cupola.Operand|cupola.Options # positions that sort a, as of argsort
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
---@return cupola.Array
function Array:shl(x2, out, dtype) end

--- x1 << x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:shl_(x2) end

--- x1 >> x2. The same as right_shift.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:shr(x2, out, dtype) end

--- x1 >> x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:shr_(x2) end

--- -1, 0 or 1.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sign(out, dtype) end

--- -1, 0 or 1, written into x itself.
---@return cupola.Array
function Array:sign_() end

--- Whether the sign bit is set.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:signbit(out, dtype) end

--- Sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sin(out, dtype) end

--- Sine, written into x itself.
---@return cupola.Array
function Array:sin_() end

--- sin(pi * x) / (pi * x).
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sinc(out, dtype) end

--- sin(pi * x) / (pi * x), written into x itself.
---@return cupola.Array
function Array:sinc_() end

--- Hyperbolic sine.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sinh(out, dtype) end

--- Hyperbolic sine, written into x itself.
---@return cupola.Array
function Array:sinh_() end

--- A read-only view of all windows of a shape: its last axes are those of the windows.
---@param window_shape cupola.Operand # a length, or a table of lengths
---@param axis? integer|table|cupola.Options # an axis or a table of axes, one for each length; default: all
---@param writeable? boolean|cupola.Options # default false; windows share their elements
---@return cupola.Array # view
function Array:sliding_window_view(window_shape, axis, writeable) end

--- The elements in ascending order along an axis, nan last; complex ones by their real, then their imaginary parts. A
--- copy; x:sort_() sorts in place.
---@param axis? integer|table|cupola.Options # default: the last; false: the flat array
---@param kind? string|cupola.Options # accepted as NumPy's; every sort is stable
---@return cupola.Array
function Array:sort(axis, kind) end

--- Sorts an array in place and returns it. Arguments as for sort.
---@param axis? integer|cupola.Options # default: the last
---@param kind? string|cupola.Options
---@return cupola.Array
function Array:sort_(axis, kind) end

--- The distance from each value to the next one away from 0, with its sign; nan for infinities.
---@return cupola.Array
function Array:spacing() end

--- Views of equal parts, or cut after the elements that a table names: `cp.split(x, {2, 5})` gives elements 1 to 2,
--- 3 to 5, and the rest.
---@param indices_or_sections cupola.Operand # number of parts, or a table of cuts
---@param axis? integer|cupola.Options # default 1
---@return cupola.Array[] # list of views
function Array:split(indices_or_sections, axis) end

--- Square root.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sqrt(out, dtype) end

--- Square root, written into x itself.
---@return cupola.Array
function Array:sqrt_() end

--- x * x.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:square(out, dtype) end

--- x * x, written into x itself.
---@return cupola.Array
function Array:square_() end

--- A view without axes of length 1.
---@param axis? integer|table|cupola.Options
---@return cupola.Array
function Array:squeeze(axis) end

--- Standard deviation, the square root of the variance.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:std(axis, dtype, out, ddof, keepdims) end

--- x1 - x2. The same as subtract.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:sub(x2, out, dtype) end

--- x1 - x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:sub_(x2) end

--- x1 - x2.
---@param x2 cupola.Operand
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:subtract(x2, out, dtype) end

--- x1 - x2, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:subtract_(x2) end

--- Sum; without an axis, of all elements (a 0-d array).
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param keepdims? boolean|cupola.Options
---@param initial? cupola.Operand|cupola.Options
---@return cupola.Array
function Array:sum(axis, dtype, out, keepdims, initial) end

--- A view with two axes exchanged.
---@param axis1 integer
---@param axis2 integer
---@return cupola.Array
function Array:swapaxes(axis1, axis2) end

--- Elements along an axis at some positions: `cp.take(x, {1, -1}, 2)` gives the first and the last column.
---@param indices cupola.Operand # whole numbers: one, a table or an array of any shape
---@param axis? integer|cupola.Options # default: of the flat array
---@param out? cupola.Array|cupola.Options # array of the result's shape
---@param mode? string|cupola.Options # "raise" (default), "wrap" around, or "clip" to the ends
---@return cupola.Array # array with the axes of indices in the place of the axis
function Array:take(indices, axis, out, mode) end

--- Elements along an axis at positions that are given for each place: what argsort and argmax give.
---@param indices cupola.Operand # whole numbers, as many axes as arr; the others broadcast
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function Array:take_along_axis(indices, axis) end

--- Tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:tan(out, dtype) end

--- Tangent, written into x itself.
---@return cupola.Array
function Array:tan_() end

--- Hyperbolic tangent.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:tanh(out, dtype) end

--- Hyperbolic tangent, written into x itself.
---@return cupola.Array
function Array:tanh_() end

--- The sum of products over axes of both arrays: the last ones of a with the first ones of b, or those that
--- are named.
---@param b cupola.Operand
---@param axes? integer|table|cupola.Options # how many (default 2), or {axes of a, axes of b}
---@return cupola.Array
function Array:tensordot(b, axes) end

--- Repeats a whole array along each axis: `cp.tile(x, {2, 3})` or `x:tile(2, 3)`.
---@param reps cupola.Operand # whole numbers, for the last axes of A; more of them than A has axes give new ones in front
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
function Array:totable() end

--- The sum along diagonals.
---@param offset? integer|cupola.dtype|cupola.Options # of the diagonal above (positive) or below the main one; default 0
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
---@param x? cupola.Operand|cupola.Options # the places of the samples: a vector along the axis, or of y's shape
---@param dx? number|cupola.Options # their distance, where x is not given; default 1
---@param axis? integer|cupola.Options # default: the last
---@return cupola.Array
function Array:trapezoid(x, dx, axis) end

--- The same as cp.trapezoid.
---@param x? cupola.Operand|cupola.Options # the places of the samples: a vector along the axis, or of y's shape
---@param dx? number|cupola.Options # their distance, where x is not given; default 1
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

--- A vector without zeros at its ends.
---@param trim? string|cupola.Options # "fb" (default): at both, "f": at the front, "b": at the back
---@return cupola.Array
function Array:trim_zeros(trim) end

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
---@return cupola.Array
function Array:true_divide(x2, out, dtype) end

--- x1 / x2, true division, written into x1 itself.
---@param x2 cupola.Operand
---@return cupola.Array
function Array:true_divide_(x2) end

--- Whole part, towards zero.
---@param out? cupola.Array|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@return cupola.Array
function Array:trunc(out, dtype) end

--- Whole part, towards zero, written into x itself.
---@return cupola.Array
function Array:trunc_() end

--- The elements that occur, each once, in ascending order; then, as asked for: the position (from 1) of the first
--- of each
--- in ar, for every element of ar its position in the result, and how often each occurs.
---@param return_index? boolean|cupola.Options
---@param return_inverse? boolean|cupola.Options
---@param return_counts? boolean|cupola.Options
---@param axis? integer|cupola.Options # unique slices along this axis; default: elements of the flat array
---@param equal_nan? boolean|cupola.Options # whether all nans count as one; default true
---@return cupola.Array
function Array:unique(return_index, return_inverse, return_counts, axis, equal_nan) end

--- The bits of bytes, each as 0 or 1.
---@param axis? integer|cupola.Options # default: of the flat array
---@param count? integer|cupola.Options # so many bits: of more than there are the last ones are 0; negative: so many less at the end
---@param bitorder? string|cupola.Options # "big" (default): the highest bit comes first; or "little"
---@return cupola.Array # uint8
function Array:unpackbits(axis, count, bitorder) end

--- The slices of an array along an axis, as views in a table.
---@param axis? integer|cupola.Options # default: the first
---@return table
function Array:unstack(axis) end

--- Values without jumps: where one is further from that before it than half a period, whole periods are added to it
--- and to all behind it.
---@param discont? number|cupola.Options # steps below it stay as they are; default: half a period, which is also the least
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

--- The matrix of powers of x.
---@param N? integer|cupola.Options # how many columns; default: as many as x has elements
---@param increasing? boolean|cupola.Options # the powers grow from left to right; default false
---@return cupola.Array # of the dtype that x and int64 have in common
function Array:vander(N, increasing) end

--- Variance: the mean square of the distances from the mean.
---@param axis? integer|table|cupola.dtype|cupola.Options
---@param dtype? cupola.dtype|cupola.Options
---@param out? cupola.Array|cupola.Options
---@param ddof? number|cupola.Options
---@param keepdims? boolean|cupola.Options
---@return cupola.Array
function Array:var(axis, dtype, out, ddof, keepdims) end

--- The sum of products of all elements of two arrays of one size, those of the first one conjugated.
---@param b cupola.Operand
---@return cupola.Array
function Array:vdot(b) end

--- The sum of products along an axis of both arrays, those of the first one conjugated.
---@param x2 cupola.Operand
---@param axis? integer|cupola.Options # default -1
---@return cupola.Array
function Array:vecdot(x2, axis) end

--- The same bytes under another dtype; of another size, the last axis grows or shrinks.
---@param dtype? cupola.dtype
---@return cupola.Array
function Array:view(dtype) end

--- Splits along the first axis of an array with two axes or more.
---@param indices_or_sections cupola.Operand
---@return cupola.Array[]
function Array:vsplit(indices_or_sections) end

--- Each element of x where a condition is true, of y elsewhere; with the condition alone its positions, as nonzero.
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

--- Every rank's x, one behind the other along the first axis, at every rank.
---@param x cupola.Operand # of the same size and dtype at all ranks
---@param out? cupola.Array # array that gets the result
---@return cupola.Array
function Communicator:all_gather(x, out) end

--- The combination of every rank's x, at every rank.
---@param x cupola.Operand # of the same size and dtype at all ranks
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param out? cupola.Array # array that gets the result; x itself is allowed
---@return cupola.Array
function Communicator:all_reduce(x, op, out) end

--- The same, written into x.
---@param x cupola.Operand
---@param op? string
---@return cupola.Array x
function Communicator:all_reduce_(x, op) end

--- Waits until every rank has come here.
function Communicator:barrier() end

--- The root's x at every rank; that of others gives shape and dtype.
---@param x cupola.Operand
---@param root? integer # default 0
---@param out? cupola.Array # array that gets the result; x itself is allowed
---@return cupola.Array
function Communicator:broadcast(x, root, out) end

--- The same, written into x.
---@param x cupola.Operand
---@param root? integer
---@return cupola.Array x
function Communicator:broadcast_(x, root) end

--- Waits for the work queued on the device, and leaves the communicator.
function Communicator:close() end

--- Receives what another rank sends.
---@param out cupola.Array # array of the size and dtype of what is sent
---@param peer integer # the other rank
---@return cupola.Array out
function Communicator:recv(out, peer) end

--- The combination of every rank's x, at the rank root; nil at others.
---@param x cupola.Operand
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param root? integer # default 0
---@param out? cupola.Array # array that gets the result, at the root
---@return cupola.Array
function Communicator:reduce(x, op, root, out) end

--- The same, written into the root's x.
---@param x cupola.Operand
---@param op? string
---@param root? integer
---@return cupola.Array
function Communicator:reduce_(x, op, root) end

--- The combination of every rank's x, of which rank k gets part k along the first axis.
---@param x cupola.Operand # whose first axis is a multiple of the number of ranks
---@param op? string # "sum" (default), "prod", "min", "max" or "avg"
---@param out? cupola.Array # array that gets the part
---@return cupola.Array
function Communicator:reduce_scatter(x, op, out) end

--- Sends x to another rank, which receives it at the same time.
---@param x cupola.Operand
---@param peer integer # the other rank
function Communicator:send(x, peer) end

--- What is known of the device, in lines "what: value": of a GPU its name, multiprocessors, memory and more.
---@return string text
function Device:describe() end

--- The bytes of the device's memory that are free, and all of them.
---@return integer free
---@return integer total
function Device:mem_info() end

--- Waits for all work of this state on the device.
function Device:synchronize() end

--- Makes this device the current one of the running coroutine until further notice.
---@return table guard # closing it (Lua 5.4: `local g <close> = d:use()`) or `guard:close()` goes back
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

--- Gives the graph's memory back, once its work is done. Arrays that it returned keep theirs.
function Graph:free() end

--- Runs the graph's work again, on the current stream of its device.
---@param extra cupola.Operand
---@return any ... # what f returned: the same arrays, with new values
function Graph:replay(extra) end

--- Captures f(...) instead of what the graph holds. Where the work has the same structure the driver only takes new
--- addresses and numbers over; else the graph is made anew. After an error the graph is what it was.
---@param f function
---@param ... any
---@return cupola.Graph graph # the same
function Graph:update(f, ...) end

--- The hook listens until the guard is closed.
---@return table guard # closing it (Lua 5.4: `local g <close> = hook:use()`) or `guard:close()` ends it
function MemoryHook:use() end

--- Runs f(...) while the hook listens.
---@param f function
---@param ... any
---@return any ... # what f returns
function MemoryHook:with(f, ...) end

--- Gives the kept blocks back to where they came from.
function MemoryPool:free_all_blocks() end

--- Bytes that the pool keeps for the next arrays.
---@return integer
function MemoryPool:free_bytes() end

--- The bound in bytes; 0: none.
---@return integer
function MemoryPool:get_limit() end

--- Memory of the pool, as an array of bytes.
---@param nbytes integer
---@return cupola.Array
function MemoryPool:malloc(nbytes) end

--- Blocks that the pool keeps.
---@return integer
function MemoryPool:n_free_blocks() end

--- Bounds what the pool takes from the current device; no bound without arguments, and for 0.
---@param size? integer|string|table|cupola.Options # bytes, or a share of the device's memory such as "80%", or {fraction = 0.8}
---@param fraction? number|cupola.Options # the share, 0 to 1
function MemoryPool:set_limit(size, fraction) end

--- Bytes that the pool has taken from the device: used and free ones.
---@return integer
function MemoryPool:total_bytes() end

--- Bytes that arrays can still get: free on the device and in the pool, as far as the limit allows.
---@return integer
function MemoryPool:usable_bytes() end

--- Bytes of arrays that live, by block size.
---@return integer
function MemoryPool:used_bytes() end

--- Compiles and loads the module on the current device now instead of at first use.
---@return cupola.Module
function Module:compile() end

--- The kernel of this name (for templates an expression that name_expressions names).
---@param name string
---@param signature? string|cupola.Options # of its parameters, such as "const float *x, int n"
---@param strided? boolean|cupola.Options
---@return cupola.RawKernel
function Module:get_function(name, signature, strided) end

--- A variable of the module (__device__ or __constant__) on the current device as an array on its memory.
---@param name string
---@param dtype? cupola.dtype|cupola.Options # that of the declaration, else uint8
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
---@param seed? integer
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

--- Calls f(...) once the work that is on the stream now is done, at the next poll: `s:query()`, `s:synchronize()`,
--- `cp.synchronize()` or `cp.cuda.poll()`.
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

--- Marks the place that the stream has reached.
---@param event? userdata|cupola.Options # a new one unless given
---@return cupola.Event
function Stream:record(event) end

--- Computes what is pending on the stream and waits for its work.
---@return cupola.Stream
function Stream:synchronize() end

--- Makes this stream the current one of the running coroutine, on its device, until further notice.
---@return table guard # closing it (Lua 5.4: `local g <close> = s:use()`) or `guard:close()` goes back
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

cp.cuda.Stream = StreamClass

return cp
