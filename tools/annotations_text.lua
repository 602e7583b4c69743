-- What tools/annotations.lua says about the functions that are written in C.

-- Types of parameters that have no annotation of their own, by name.
local TYPES = {}
for text, names in pairs {
  ["cupola.Array"] = "out dst",
  ["cupola.dtype"] = "dtype",
  ["string|cupola.Device"] = "device",
  ["integer|table"] = "axis axes shape new_shape source destination strides size",
  ["integer"] = "k N M pool_size n_children_spawned n num decimals axis1 axis2 precision threshold edgeitems linewidth",
  ["number"] = "step re ddof rtol atol",
  ["string|number"] = "identity",
  ["string|table"] = "options",
  ["boolean"] = "keepdims copy endpoint retstep writeable equal_nan suppress auto return_tuple no_return reduce_dims "
    .. "strided enable_cooperative_groups translate_cucomplex",
  ["\"C\"|\"F\"|\"A\"|\"K\""] = "order",
  ["string"] = "name operation preamble loop_prep after_loop map_expr reduce_expr post_map_expr in_params "
    .. "out_params reduce_type doc signature backend",
  ["string[]"] = "name_expressions",
  ["any"] = "... v f",
} do
  for name in names:gmatch "%S+" do TYPES[name] = text end
end

-- Elementwise functions: NAME [other names]: text. In-place twins are found.
local OPERATIONS = [[
add: x1 + x2|subtract sub: x1 - x2|multiply mul: x1 * x2|divide div true_divide: x1 / x2, true division
floor_divide idiv: The floor of x1 / x2|remainder mod: x1 % x2, with the sign of x2|fmod: Remainder with the sign of x1
power pow: x1 ^ x2|negative neg: -x|positive: A copy of x|absolute abs: Absolute value|sign: -1, 0 or 1
reciprocal: 1 / x|square: x * x|fma: a * b + c with one rounding|lerp: a + t * (b - a)|gcd: Greatest common divisor
lcm: Least common multiple|sqrt: Square root|rsqrt: 1 / sqrt(x)|cbrt: Cube root|exp: e ^ x|exp2: 2 ^ x|expm1: exp(x) - 1
log: Natural logarithm|log2: Logarithm of base 2|log10: Logarithm of base 10|log1p: log(1 + x)
logaddexp: log(exp(x1) + exp(x2))|logaddexp2: log2(2 ^ x1 + 2 ^ x2)|sin: Sine|cos: Cosine|tan: Tangent
arcsin asin: Inverse sine|arccos acos: Inverse cosine|arctan atan: Inverse tangent
arctan2 atan2: Angle of the point (x2, x1), -pi to pi|sinh: Hyperbolic sine|cosh: Hyperbolic cosine
tanh: Hyperbolic tangent|arcsinh asinh: Inverse hyperbolic sine|arccosh acosh: Inverse hyperbolic cosine
arctanh atanh: Inverse hyperbolic tangent|hypot: sqrt(x1 ^ 2 + x2 ^ 2)|degrees rad2deg: Radians to degrees
radians deg2rad: Degrees to radians|sinc: sin(pi * x) / (pi * x)|floor: Largest whole number that is not greater
ceil: Smallest whole number that is not less|trunc: Whole part, towards zero
rint: Nearest whole number, halves to the even one|equal eq: x1 == x2 of each element, a bool array
not_equal ne: x1 ~= x2 of each element, a bool array|less lt: x1 < x2 of each element, a bool array
less_equal le: x1 <= x2 of each element, a bool array|greater gt: x1 > x2 of each element, a bool array
greater_equal ge: x1 >= x2 of each element, a bool array|logical_and: Whether both are true (not 0)
logical_or: Whether one is true (not 0)|logical_xor: Whether exactly one is true (not 0)|logical_not: Whether x is 0
maximum: The greater one; nan where one is nan|minimum: The lesser one; nan where one is nan
fmax: The greater one; nan only where both are nan|fmin: The lesser one; nan only where both are nan
where: x where the condition is true, else y|bitwise_and band: Bitwise and|bitwise_or bor: Bitwise or
bitwise_xor bxor: Bitwise exclusive or|invert bnot bitwise_not bitwise_invert: All bits exchanged; not, of bool
left_shift shl bitwise_left_shift: x1 << x2|right_shift shr bitwise_right_shift: x1 >> x2|isnan: Whether x is nan
isinf: Whether x is infinite|isfinite: Whether x is neither infinite nor nan|signbit: Whether the sign bit is set
copysign: x1 with the sign of x2|nextafter: The next number from x1 towards x2|ldexp: x1 * 2 ^ x2
heaviside: 0 for negative x1, x2 for 0, 1 for positive|erf: Error function|erfc: 1 - erf(x)
lgamma: Logarithm of the absolute value of gamma(x)|gamma: Gamma function|conj conjugate: Complex conjugate]]
local SIGNATURES = { "x, out?, dtype?, casting?:string, where?",
  "x1, x2, out?, dtype?, casting?:string, where?",
  "a, b, c, out?, dtype?, casting?:string, where?",
  lerp = "a, b, t, out?, dtype?, casting?:string, where?",
  where = "condition, x, y, out?" }

-- [CLASS:]NAME(parameters) [-> results] -- text. Without a class: the function of cp and, where it exists,
-- the method. A parameter is NAME[?][:type]; the default type is that of TYPES, else cupola.Operand. The
-- default result is an array.
local FUNCTIONS = [[
sum(a, axis?, dtype?, out?, keepdims?, initial?, where?) -- Sum; without an axis, a 0-d array.
prod(a, axis?, dtype?, out?, keepdims?, initial?, where?) -- Product.
nansum(a, axis?, dtype?, out?, keepdims?, initial?, where?) -- Sum in which nan counts as 0.
nanprod(a, axis?, dtype?, out?, keepdims?, initial?, where?) -- Product in which nan counts as 1.
min amin(a, axis?, out?, keepdims?, initial?, where?) -- Least value; nan where one is nan.
max amax(a, axis?, out?, keepdims?, initial?, where?) -- Greatest value; nan where one is nan.
nanmin(a, axis?, out?, keepdims?, initial?, where?) -- Least value that is not nan.
nanmax(a, axis?, out?, keepdims?, initial?, where?) -- Greatest value that is not nan.
ptp(a, axis?, out?, keepdims?) -- Greatest minus least value.
argmin(a, axis?, out?, keepdims?) -- Position of the least value, from 1; without an axis in the flat array.
argmax(a, axis?, out?, keepdims?) -- Position of the greatest value, from 1; without an axis in the flat array.
mean(a, axis?, dtype?, out?, keepdims?, where?) -- Arithmetic mean.
nanmean(a, axis?, dtype?, out?, keepdims?, where?) -- Mean of the values that are not nan.
var(a, axis?, dtype?, out?, ddof?, keepdims?, where?, mean?, correction?:number) -- Variance.
std(a, axis?, dtype?, out?, ddof?, keepdims?, where?, mean?, correction?:number) -- Standard deviation.
nanvar(a, axis?, dtype?, out?, ddof?, keepdims?, where?, mean?, correction?:number) -- Variance ignoring nan.
nanstd(a, axis?, dtype?, out?, ddof?, keepdims?, where?, mean?, correction?:number) -- The same of std.
all(a, axis?, out?, keepdims?, where?) -> any -- Whether all are true: a boolean, with an axis a bool array.
any(a, axis?, out?, keepdims?, where?) -> any -- Whether one is true: a boolean, with an axis a bool array.
count_nonzero(a, axis?, keepdims?) -- The number of elements that are not 0.
divmod(x1, x2, out1?:cupola.Array, out2?:cupola.Array, out?:table) -> cupola.Array, cupola.Array -- Floor division and its remainder.
modf(x, out1?:cupola.Array, out2?:cupola.Array, out?:table) -> cupola.Array, cupola.Array -- The part behind the point and the whole part.
frexp(x, out1?:cupola.Array, out2?:cupola.Array, out?:table) -> cupola.Array, cupola.Array -- Mantissa and exponent: x = mantissa * 2 ^ exponent.
clip_(a, a_min?, a_max?, min?, max?) -- Limits the values of a itself to an interval, and returns a.
round_(a, decimals?) -- Rounds the values of a itself, and returns a.
nan_to_num_(x, nan?:number, posinf?:number, neginf?:number) -- Replaces nan and infinities in x itself; returns x.
iscomplex(x) -- For each element, whether its imaginary part is not 0.
isrealobj(x) -> boolean -- Whether x has no complex dtype, whatever its values.
array(object, dtype?, copy?, order?, device?, ndmin?:integer) -- An array of a number, a table or an array; a copy.
asarray(object, dtype?, order?, device?, copy?) -- The same; an array that is right is not copied.
frombytes(bytes:string, dtype?, shape?, device?) -- An array from a string of values in C order.
empty(shape, dtype?, order?, device?) -- A new array with undefined values.
zeros(shape, dtype?, order?, device?) -- A new array of zeros.
ones(shape, dtype?, order?, device?) -- A new array of ones.
full(shape, fill_value, dtype?, order?, device?) -- A new array of one value.
empty_like(a, dtype?, order?, shape?, device?) -- A new array with the shape and dtype of a; undefined values.
zeros_like(a, dtype?, order?, shape?, device?) -- Zeros with the shape and dtype of a.
ones_like(a, dtype?, order?, shape?, device?) -- Ones with the shape and dtype of a.
full_like(a, fill_value, dtype?, order?, shape?, device?) -- One value with the shape and dtype of a.
arange(start:number, stop?:number, step?, dtype?, device?) -- From start (0 if only one is given) to before stop.
range(start:number, stop:number, step?, dtype?, device?) -- Numbers from start to stop, both ends included.
linspace(start, stop, num?, endpoint?, retstep?, dtype?, axis?, device?) -> cupola.Array, any -- Evenly spaced numbers.
eye(N, M?, k?, dtype?, order?, device?) -- (N, M), ones on diagonal k, zeros elsewhere.
identity(n, dtype?, device?) -- The unit matrix (n, n).
tri(N, M?, k?, dtype?, device?) -- (N, M), ones on and below diagonal k, zeros above.
tril(m, k?) -- A copy with zeros above diagonal k.
triu(m, k?) -- A copy with zeros below diagonal k.
astype(x:cupola.Array, dtype, copy?, casting?:string, device?) -- A copy in another dtype.
copy(x:cupola.Array, order?) -- A new array with the same values.
assign(x:cupola.Array, v) -- Writes v into x, where it broadcasts; returns x.
fill(x:cupola.Array, v) -- Writes one value into all elements; returns x.
index(positions:table) -- A list of positions, as an int64 array: x[cp.index{1, 3, 5}].
Array:at(...:integer) -- The 0-d view of one element.
Array:set(v, ...) -- Writes v where the call x(...) reads; everywhere without positions. Returns x.
Array:update(index:any, f) -- x[index] = f(x[index]); returns x.
reshape(a, shape, order?:any, copy?:any, ...:any) -- The same elements in another shape: a view if possible.
ravel(a, order?) -- All elements along one axis; a view where they lie one behind the other, else a copy.
Array:view(dtype?) -- The same bytes under another dtype; of another size, the last axis grows or shrinks.
Array:flatten(order?) -- All elements along one axis; always a copy.
transpose(a, axes?, ...:integer) -- A view with the axes in another order; without axes reversed.
swapaxes(a, axis1, axis2) -- A view with two axes exchanged.
moveaxis(a, source, destination) -- A view with axes moved to other places.
rollaxis(a, axis, start?:integer) -- A view with an axis moved before another one.
squeeze(a, axis?) -- A view without axes of length 1.
expand_dims(a, axis) -- A view with new axes of length 1 at these places.
broadcast_to(array, shape) -- A read-only view in a shape that the array broadcasts to.
broadcast_arrays(...:cupola.Operand) -> cupola.Array ... -- Views in the shape that all arguments broadcast to.
as_strided(x:cupola.Array, shape?, strides?, writeable?) -- A view with this shape and these strides, in bytes.
flip(m, axis?) -- A view with the elements reversed along axes; without axes along all.
flipud(m) -- A view reversed along the first axis.
fliplr(m) -- A view reversed along the second axis.
Array:totable tolist() -> any -- Nested tables of Lua values; of a 0-d array its value.
Array:tobytes() -> string -- The values in C order and the machine's byte order.
Array:dlpack(max_version?:integer[], device?, copy?) -> userdata -- A DLPack capsule; its release() gives the address.
Array:item() -> any -- The value of an array with one element, as a Lua value.
Array:rows() -> function -- for i, row in x:rows(): views of the rows; numbers of a 1-d array.
Array:values() -> function -- for i, v in x:values(): Lua values in C order, after one copy.
Array:to(device) -- The array on this device; itself if it is there.
Array:cpu() -- The array on the CPU; itself if it is there.
Array:cuda(n?) -- The array on GPU n, as CUDA counts (from 0); itself if it is there.
Array:get(out?, blocking?:boolean) -- A copy on the CPU; written into out, an array there, where it is given.
asnumpy(x) -- A copy on the CPU; x may be a table.
Array:has_shape(...:integer) -> boolean -- Whether these are the lengths of the axes.
Array:free() -> nil -- Gives the memory back now; views of it raise from then on.
Array:eval() -- Computes x now if it is pending; returns x.
eval(...) -> any ... -- Computes the pending arrays among the arguments, those of one shape together; returns all.
deterministic(on?:boolean) -> boolean -- Whether results repeat from run to run, at a price (docs/arrays.md); sets it.
fusion(on?:boolean) -> boolean -- Whether operators wait until values are needed; sets it. Returns what held before.
deterministic(on?:boolean) -> boolean -- Whether results repeat from run to run, at a price (docs/arrays.md); sets it.
checks(mode?:string) -> string -- "strict": errors on a device are waited for; "lazy": they come later.
is_array(v) -> boolean -- Whether v is an array.
type(v) -> string -- "array", "scalar", "shape" or Lua's own name of the type.
complex(re, im?:number) -> cupola.Complex -- A complex value, weak in promotion.
scalar(v, dtype) -> any -- A value with a dtype, strong in promotion.
promote_types(type1:cupola.dtype, type2:cupola.dtype) -> cupola.dtype -- The dtype that both are converted to.
shares_memory(a, b) -> boolean -- Whether two arrays have a byte in common.
may_share_memory(a, b) -> boolean -- Whether the spans of two arrays overlap, from the first byte to the last.
can_cast(from:any, to:cupola.dtype, casting?:string) -> boolean -- Whether the rule (default "safe") allows the cast.
result_type(...) -> cupola.dtype -- The dtype that an operation on these arrays, dtypes and numbers converts them to.
memory(limit?:number|string|table, auto?, device?) -> table -- Figures of the device's pool, in bytes; sets its limit.
collect() -> nil -- Collects garbage and gives the cached memory back to the device.
synchronize(device?) -> nil -- Computes what is pending on the device and waits for all work of this state on it.
clock() -> number -- Monotonic seconds.
last_error() -> table? -- The last failure: kind, where, message.
set_printoptions(precision?, threshold?, edgeitems?, linewidth?, suppress?) -> nil -- What is not given stays.
get_printoptions() -> table -- The options that set_printoptions sets.
cuda.Event(device?, timing?:boolean, blocking?:boolean) -> cupola.Event -- A place in a stream's queue of work.
cuda.get_elapsed_time(start:cupola.Event, finish:cupola.Event) -> number -- Milliseconds between two recorded events.
Event:record(stream?:cupola.Stream) -> cupola.Event -- Marks the place that the stream has reached; returns the event.
Event:synchronize() -> cupola.Event -- Waits until the stream has passed the mark.
Event:query() -> boolean -- Whether the stream has passed the mark; true before the first record.
Stream:synchronize() -> cupola.Stream -- Computes what is pending on the stream and waits for its work.
Stream:query() -> boolean -- Whether the stream's work is done; launches what is pending first.
Stream:wait_event(event:cupola.Event) -> cupola.Stream -- Work that is queued from now on waits for the event.
Stream:close() -> nil -- Ends the use of the object; an external stream is waited for, and not touched any more.
Stream:launch_host_func(f, ...) -> cupola.Stream -- CuPy's name for callback.
Communicator:close() -> nil -- Waits for the work queued on the device, and leaves the communicator.
Ranks:all_reduce(xs:cupola.Array[], op?:string) -> cupola.Array[] -- Communicator:all_reduce for all ranks.
Ranks:all_reduce_(xs:cupola.Array[], op?:string) -> cupola.Array[] -- Communicator:all_reduce_ for all ranks.
Ranks:reduce(xs:cupola.Array[], op?:string, root?:integer) -> table -- Communicator:reduce for all ranks.
Ranks:reduce_(xs:cupola.Array[], op?:string, root?:integer) -> table -- Communicator:reduce_ for all ranks.
Ranks:broadcast(xs:cupola.Array[], root?:integer) -> cupola.Array[] -- Communicator:broadcast for all ranks.
Ranks:broadcast_(xs:cupola.Array[], root?:integer) -> cupola.Array[] -- Communicator:broadcast_ for all ranks.
Ranks:all_gather(xs:cupola.Array[]) -> cupola.Array[] -- Communicator:all_gather for all ranks.
Ranks:reduce_scatter(xs:cupola.Array[], op?:string) -> cupola.Array[] -- Communicator:reduce_scatter for all ranks.
Ranks:barrier() -> nil -- Waits until the work of all ranks so far is done.
Ranks:close() -> nil -- Closes all communicators of the list.
fft.fft(a, n?:integer, axis?:integer, norm?:string, out?) -- The Fourier transform along an axis, of n points.
fft.fft2(a, s?:table, axes?:table, norm?:string, out?) -- The same over two axes (default: the last two); s: their lengths.
fft.fftn(a, s?:table, axes?:integer|table, norm?:string, out?) -- The same over several axes (default: all, or the last #s).
fft.ifft(a, n?:integer, axis?:integer, norm?:string, out?) -- The inverse of fft.
fft.ifft2(a, s?:table, axes?:table, norm?:string, out?) -- The inverse of fft2.
fft.ifftn(a, s?:table, axes?:integer|table, norm?:string, out?) -- The inverse of fftn.
fft.rfft(a, n?:integer, axis?:integer, norm?:string, out?) -- The transform of real values: frequencies from 0 up.
fft.rfft2(a, s?:table, axes?:table, norm?:string, out?) -- The same over two axes, the last of which is halved.
fft.rfftn(a, s?:table, axes?:integer|table, norm?:string, out?) -- The same over several axes, the last of which is halved.
fft.irfft(a, n?:integer, axis?:integer, norm?:string, out?) -- The inverse of rfft, of n points (default: 2 (m - 1)).
fft.irfft2(a, s?:table, axes?:table, norm?:string, out?) -- The inverse of rfft2.
fft.irfftn(a, s?:table, axes?:integer|table, norm?:string, out?) -- The inverse of rfftn.
jit.grid(ndim?) -> integer ... -- In kernels: the thread's positions in the grid, from 1.
jit.gridsize(ndim?:integer) -> integer ... -- In kernels: the number of threads of the grid along the first ndim axes.
jit.laneid() -> integer -- In kernels: the thread's number in its warp, from 0.
jit.syncthreads() -> nil -- In kernels: waits for all threads of the block.
jit.syncwarp(mask?:integer) -> nil -- In kernels: waits for the threads of the warp in the mask.
jit.threadfence() -> nil -- In kernels: orders this thread's writes for all threads of the device.
jit.threadfence_block() -> nil -- In kernels: orders this thread's writes for the threads of its block.
jit.syncthreads_count(condition:boolean) -> integer -- In kernels: waits for the block; how many conditions are true.
jit.syncthreads_and(condition:boolean) -> boolean -- In kernels: waits for the block; whether all conditions are true.
jit.syncthreads_or(condition:boolean) -> boolean -- In kernels: waits for the block; whether one condition is true.
jit.all_sync(mask:integer, condition:boolean) -> boolean -- In kernels: whether all conditions of the warp are true.
jit.any_sync(mask:integer, condition:boolean) -> boolean -- In kernels: whether one condition of the warp is true.
jit.ballot_sync(mask, condition) -> integer -- In kernels: the conditions of the warp, a bit for each lane.
jit.activemask() -> integer -- In kernels: the lanes that run together with this one, a bit for each.
jit.match_any_sync(mask, value) -> integer -- In kernels: the lanes with the same value, a bit for each.
jit.shfl_sync(mask:integer, value:number, lane:integer, width?:integer) -> number -- In kernels: the value of a lane.
jit.shfl_up_sync(mask, value, delta, width?) -> number -- In kernels: the value of the lane delta below.
jit.shfl_down_sync(mask, value, delta, width?) -> number -- In kernels: the value of the lane delta above.
jit.shfl_xor_sync(mask, value, lanes, width?) -> number -- In kernels: the value of the lane xor lanes.
jit.shared_memory(dtype:string, shape?:any) -> cupola.Array -- In kernels: an array that the threads of a block share.
jit.local_array(dtype:string, shape:integer|table) -> cupola.Array -- In kernels: an array of the thread.
jit.atomic_add(x, index:any, value:number) -> number -- In kernels: adds to an element; the old value.
jit.atomic_sub(x, index:any, value:number) -> number -- In kernels: subtracts from an element; the old value.
jit.atomic_exch(x, index:any, value:number) -> number -- In kernels: replaces an element; the old value.
jit.atomic_min(x, index:any, value:number) -> number -- In kernels: keeps the lesser value; the old one.
jit.atomic_max(x, index:any, value:number) -> number -- In kernels: keeps the greater value; the old one.
jit.atomic_and(x, index:any, value:integer) -> integer -- In kernels: bitwise and with an element; the old value.
jit.atomic_or(x, index:any, value:integer) -> integer -- In kernels: bitwise or with an element; the old value.
jit.atomic_xor(x, index:any, value) -> integer -- In kernels: bitwise xor with an element; the old value.
jit.atomic_inc(x, index:any, limit) -> integer -- In kernels: adds 1, up to the limit; the old value.
jit.atomic_dec(x, index:any, limit) -> integer -- In kernels: subtracts 1, from the limit; the old value.
jit.atomic_cas(x, index:any, expected, value) -> integer -- In kernels: replaces an expected value; the old one.
jit.random(position, seed, call?) -> number -- In kernels: a uniform number in [0, 1).
jit.random_normal(position, seed, call?) -> number -- In kernels: a normal number that the arguments determine.
jit.clock() -> integer -- In kernels: a counter of clock cycles.
jit.clock64() -> integer -- In kernels: the same as clock.
jit.nanosleep(ns:integer) -> nil -- In kernels: suspends the thread for about that time.
jit.range(first, last, step?, options?:table) -> fun(): integer -- In kernels: the values of a loop.
jit.printf(format:string) -> nil -- In kernels: prints numbers by a format of Lua.
jit.popc(a:integer) -> integer -- In kernels: how many bits are set.
jit.clz(a:integer) -> integer -- In kernels: how many zeros lead.
jit.idiv(a, b) -> any -- The operator // of Lua 5.4.
jit.band(a, b) -> any -- The operator & of Lua 5.4.
jit.bor(a, b) -> any -- The operator | of Lua 5.4.
jit.bxor(a, b) -> any -- The operator ~ of Lua 5.4.
jit.bnot(a) -> any -- The unary operator ~ of Lua 5.4.
jit.shl(a, b) -> any -- The operator << of Lua 5.4.
jit.shr(a:integer, b:integer) -> integer -- In kernels: the operator >> of Lua 5.4, which fills with zeros.
jit.sar(a, b) -> any -- A shift to the right that fills with the sign.
jit.bool jit.int8 jit.int16 jit.int32 jit.int64(v) -> any -- v converted to this dtype.
jit.uint8 jit.uint16 jit.uint32 jit.uint64(v) -> any -- v converted to this dtype.
jit.float16 jit.bfloat16 jit.float32 jit.float64 jit.complex64 jit.complex128(v) -> any -- v converted to this dtype.
jit.cg.this_thread_block() -> table -- In kernels: the threads of the block.
jit.cg.this_grid() -> table -- In kernels: the threads of the grid.
jit.cg.sync(group:table) -> nil -- In kernels: waits for the threads of a group.
RawKernel:compile() -> cupola.RawKernel -- Makes the kernel ready on the current device now.
RawKernel:occupancy(block:integer|table, shared_mem?:integer) -> integer -- Blocks that a multiprocessor holds.
RawKernel:best_block(shared_mem?:integer, limit?:integer) -> integer, integer -- Best block size; grid to fill all.
profiler.counters() -> table -- What this state did so far: launches, allocations, forces, renames and more.
Array:tofile(file:string, sep?:string, format?:string) -> nil -- Writes the bare values; as text where sep is given.
scipy.signal.argrelmax(data, axis?, order?, mode?) -> table -- Positions of elements above their neighbours along an axis.
scipy.signal.argrelmin(data, axis?, order?, mode?) -> table -- Positions of elements below their neighbours along an axis.
scipy.signal.windows.boxcar(M, sym?) -- Ones.
scipy.signal.windows.hann(M, sym?) -- Half a period of a raised cosine.
scipy.signal.windows.hamming(M, sym?) -- A raised cosine on a pedestal.
scipy.signal.windows.blackman(M, sym?) -- Three cosines.
scipy.signal.windows.nuttall(M, sym?) -- Nuttall's four cosines.
scipy.signal.windows.blackmanharris(M, sym?) -- Four cosines.
scipy.signal.windows.flattop(M, sym?) -- Five cosines: amplitudes are kept.
scipy.signal.windows.barthann(M, sym?) -- Bartlett and Hann's window.
scipy.signal.windows.bartlett(M, sym?) -- A triangle that ends with zeros.
scipy.signal.windows.cosine(M, sym?) -- Half a period of a sine.
scipy.signal.windows.lanczos(M, sym?) -- The main lobe of sinc.
scipy.signal.windows.triang(M, sym?) -- A triangle that ends above zero.
scipy.signal.windows.parzen(M, sym?) -- Parzen's window, of cubic pieces.
scipy.signal.windows.bohman(M, sym?) -- Bohman's window.
scipy.signal.windows.kaiser(M, beta, sym?) -- Kaiser's window.
scipy.signal.windows.chebwin(M, at, sym?) -- Dolph and Chebyshev's window: all side lobes are at decibels below.
scipy.signal.windows.gaussian(M, std, sym?) -- A Gaussian bell.
scipy.signal.windows.general_gaussian(M, p, sig, sym?) -- exp(-|x / sig|^(2 p) / 2).
scipy.signal.windows.general_hamming(M, alpha, sym?) -- A raised cosine on a pedestal of its own.
scipy.signal.windows.general_cosine(M, a, sym?) -- A sum of cosines with these weights.
scipy.signal.windows.tukey(M, alpha?, sym?) -- Ones with cosines at the ends, whose share is alpha.
scipy.signal.windows.taylor(M, nbar?, sll?, norm?, sym?) -- Taylor's window: nbar side lobes stay sll decibels below.
scipy.signal.windows.exponential(M, center?, tau?, sym?) -- exp(-|x - center| / tau).
bartlett(M: integer) -- A triangle that ends with zeros.
blackman(M: integer) -- Blackman's window.
hamming(M: integer) -- Hamming's window.
hanning(M: integer) -- Hann's window.
scipy.ndimage.correlate(input, weights, output?, mode?, cval?, origin?, axes?) -- Sums of products around each
  element.
scipy.ndimage.convolve(input, weights, output?, mode?, cval?, origin?, axes?) -- The same with the weights turned
  round.
scipy.ndimage.correlate1d(input, weights, axis?, output?, mode?, cval?, origin?) -- Sums of products along an axis.
scipy.ndimage.convolve1d(input, weights, axis?, output?, mode?, cval?, origin?) -- The same, weights turned round.
scipy.ndimage.sobel(input, axis?, output?, mode?, cval?) -- Differences along an axis, smoothed along the others.
scipy.ndimage.prewitt(input, axis?, output?, mode?, cval?) -- Differences along an axis, summed up along the others.
scipy.ndimage.maximum_filter(input, size?, footprint?, output?, mode?, cval?, origin?, axes?) -- Greatest elements
  around.
scipy.ndimage.minimum_filter(input, size?, footprint?, output?, mode?, cval?, origin?, axes?) -- Least elements
  around.
scipy.ndimage.binary_erosion(input, structure?, iterations?, mask?, output?, border_value?, origin?, brute_force?,
  axes?) -- Where a structure fits.
scipy.ndimage.binary_dilation(input, structure?, iterations?, mask?, output?, border_value?, origin?, brute_force?,
  axes?) -- Where a structure meets.
scipy.ndimage.binary_opening(input, structure?, iterations?, output?, origin?, mask?, border_value?, brute_force?,
  axes?) -- Erosion, then dilation.
scipy.ndimage.binary_closing(input, structure?, iterations?, output?, origin?, mask?, border_value?, brute_force?,
  axes?) -- Dilation, then erosion.
scipy.ndimage.binary_propagation(input, structure?, mask?, output?, border_value?, origin?, axes?) -- What
  dilations within the mask reach.
scipy.ndimage.grey_erosion(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) -- Least
  elements of windows.
scipy.ndimage.grey_dilation(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) --
  Greatest elements of windows.
scipy.ndimage.grey_opening(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) -- Erosion,
  then dilation.
scipy.ndimage.grey_closing(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) --
  Dilation, then erosion.
scipy.ndimage.morphological_gradient(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?)
  -- Dilation minus erosion.
scipy.ndimage.morphological_laplace(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) --
  Dilation plus erosion minus input twice.
scipy.ndimage.white_tophat(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) -- What an
  opening removes.
scipy.ndimage.black_tophat(input, size?, footprint?, structure?, output?, mode?, cval?, origin?, axes?) -- What a
  closing adds.
scipy.ndimage.maximum_filter1d(input, size: integer, axis?, output?, mode?, cval?, origin?) -- Greatest elements
  along an axis.
scipy.ndimage.minimum_filter1d(input, size: integer, axis?, output?, mode?, cval?, origin?) -- Least elements along
  an axis.
scipy.ndimage.sum(input, labels?, index?) -- Sums of labels; without index of all elements that are not background.
scipy.ndimage.sum_labels(input, labels?, index?) -- Sums of labels; without index of all elements that are not
  background.
scipy.ndimage.mean(input, labels?, index?) -- Means of labels; without index of all elements that are not background.
scipy.ndimage.variance(input, labels?, index?) -- Variances of labels; without index of all elements that are not
  background.
scipy.ndimage.standard_deviation(input, labels?, index?) -- Standard deviations of labels; without index of all
  elements that are not background.
scipy.ndimage.minimum(input, labels?, index?) -- Least values of labels; without index of all elements that are not
  background.
scipy.ndimage.maximum(input, labels?, index?) -- Greatest values of labels; without index of all elements that are
  not background.
scipy.ndimage.median(input, labels?, index?) -- Medians of labels; without index of all elements that are not
  background.
scipy.ndimage.minimum_position(input, labels?, index?) -- Positions of the least values of labels; without index of
  all elements that are not background.
scipy.ndimage.maximum_position(input, labels?, index?) -- Positions of the greatest values of labels; without index
  of all elements that are not background.
scipy.ndimage.extrema(input, labels?, index?) -- Least and greatest values of labels, and their positions.
scipy.ndimage.fourier_gaussian(input, sigma, n?, axis?, output?) -- Smooths by a Gaussian, given and giving a
  transform.
scipy.ndimage.fourier_uniform(input, size, n?, axis?, output?) -- Means of boxes, given and giving a transform.
scipy.ndimage.fourier_ellipsoid(input, size, n?, axis?, output?) -- Means of ellipsoids, given and giving a transform.
scipy.ndimage.fourier_shift(input, shift, n?, axis?, output?) -- A shift, given and giving a transform.
scipy.ndimage.generic_laplace(input, derivative2: function, output?, mode?, cval?, extra_arguments?,
  extra_keywords?, axes?) -- Sums of derivatives.
scipy.ndimage.generic_gradient_magnitude(input, derivative: function, output?, mode?, cval?, extra_arguments?,
  extra_keywords?, axes?) -- Roots of sums of squares.
scipy.ndimage.gaussian_laplace(input, sigma, output?, mode?, cval?, axes?, truncate?, radius?) -- The Laplacian of
  a smoothed array.
scipy.ndimage.gaussian_gradient_magnitude(input, sigma, output?, mode?, cval?, axes?, truncate?, radius?) -- The
  gradient's length of a smoothed array.
scipy.sparse.csr_array(arg?, shape?, dtype?, copy?, base?, data?, indices?, indptr?, row?, col?, coords?, offsets?, device?, blocksize?) -> cupola.Sparse -- A sparse array compressed by rows, from a dense one, another one, a shape, triplets or raw arrays.
scipy.sparse.csc_array(arg?, shape?, dtype?, copy?, base?, data?, indices?, indptr?, row?, col?, coords?, offsets?, device?, blocksize?) -> cupola.Sparse -- A sparse array compressed by columns, from a dense one, another one, a shape, triplets or raw arrays.
scipy.sparse.bsr_array(arg?, shape?, dtype?, copy?, base?, data?, indices?, indptr?, row?, col?, coords?, offsets?, device?, blocksize?) -> cupola.Sparse -- A sparse array of dense blocks compressed by rows, from a dense one, another one, a shape, triplets or raw arrays.
scipy.sparse.coo_array(arg?, shape?, dtype?, copy?, base?, data?, indices?, indptr?, row?, col?, coords?, offsets?, device?, blocksize?) -> cupola.Sparse -- A sparse array as triplets, from a dense one, another one, a shape, triplets or raw arrays.
scipy.sparse.dia_array(arg?, shape?, dtype?, copy?, base?, data?, indices?, indptr?, row?, col?, coords?, offsets?, device?, blocksize?) -> cupola.Sparse -- A sparse array by diagonals, from a dense one, another one, a shape, triplets or raw arrays.
scipy.sparse.csr_matrix(...) -> nil -- Raises an error: there is csr_array, and A:matmul(B) for matrix products.
scipy.sparse.csc_matrix(...) -> nil -- Raises an error: there is csc_array, and A:matmul(B) for matrix products.
scipy.sparse.bsr_matrix(...) -> nil -- Raises an error: there is bsr_array, and A:matmul(B) for matrix products.
scipy.sparse.coo_matrix(...) -> nil -- Raises an error: there is coo_array, and A:matmul(B) for matrix products.
scipy.sparse.dia_matrix(...) -> nil -- Raises an error: there is dia_array, and A:matmul(B) for matrix products.
scipy.sparse.dok_array(...) -> nil -- Raises an error: entries are added to a builder.
scipy.sparse.dok_matrix(...) -> nil -- Raises an error: entries are added to a builder.
scipy.sparse.lil_array(...) -> nil -- Raises an error: entries are added to a builder.
scipy.sparse.lil_matrix(...) -> nil -- Raises an error: entries are added to a builder.
scipy.sparse.isspmatrix_csr(x) -> boolean -- Whether x is a sparse array in this format.
scipy.sparse.isspmatrix_csc(x) -> boolean -- Whether x is a sparse array in this format.
scipy.sparse.isspmatrix_bsr(x) -> boolean -- Whether x is a sparse array in this format.
scipy.sparse.isspmatrix_coo(x) -> boolean -- Whether x is a sparse array in this format.
scipy.sparse.isspmatrix_dia(x) -> boolean -- Whether x is a sparse array in this format.
scipy.sparse.issparse(x) -> boolean -- Whether x is a sparse array.
scipy.sparse.isspmatrix(x) -> boolean -- Whether x is a sparse array.
scipy.sparse.eye(m, n?, k?, dtype?, format?, device?) -> cupola.Sparse -- Ones on a diagonal.
scipy.sparse.eye_array(m, n?, k?, dtype?, format?, device?) -> cupola.Sparse -- Ones on a diagonal.
scipy.sparse.identity(n, dtype?, format?, device?) -> cupola.Sparse -- Ones on the main diagonal.
scipy.sparse.diags(diagonals, offsets?, shape?, format?, dtype?) -> cupola.Sparse -- The array with these diagonals.
scipy.sparse.diags_array(diagonals, offsets?, shape?, format?, dtype?) -> cupola.Sparse -- The array with these diagonals.
scipy.sparse.spdiags(data, diags, m?, n?, format?) -> cupola.Sparse -- The array whose diagonals are rows of data.
scipy.sparse.tril(A, k?, format?) -> cupola.Sparse -- The entries on and below a diagonal.
scipy.sparse.triu(A, k?, format?) -> cupola.Sparse -- The entries on and above a diagonal.
scipy.sparse.find(A) -> any rows, any columns, any values -- Positions, from 1, and values of the elements that are not 0.
scipy.sparse.block_array(blocks, format?, dtype?) -> cupola.Sparse -- Blocks in rows; false is a block of zeros.
scipy.sparse.bmat(blocks, format?, dtype?) -> cupola.Sparse -- Blocks in rows; false is a block of zeros.
scipy.sparse.hstack(blocks, format?, dtype?) -> cupola.Sparse -- Blocks side by side.
scipy.sparse.vstack(blocks, format?, dtype?) -> cupola.Sparse -- Blocks below each other.
scipy.sparse.block_diag(mats, format?, dtype?) -> cupola.Sparse -- Blocks along the diagonal.
scipy.sparse.kron(A, B, format?) -> cupola.Sparse -- The Kronecker product.
scipy.sparse.kronsum(A, B, format?) -> cupola.Sparse -- kron(I, A) + kron(B, I).
scipy.sparse.random(m, n, density?, format?, dtype?, rng?, data_rvs?:function, random_state?, seed?) -> cupola.Sparse -- Random elements at random places.
scipy.sparse.rand(m, n, density?, format?, dtype?, rng?, data_rvs?:function, random_state?, seed?) -> cupola.Sparse -- Random elements at random places.
scipy.sparse.random_array(shape, density?, format?, dtype?, rng?, data_sampler?:function, random_state?, seed?) -> cupola.Sparse -- Random elements at random places.
scipy.sparse.sampled_matmul(A, x1, x2, alpha?, beta?) -> cupola.Sparse -- alpha x1 x2 + beta A at the places that the sparse array A has: of the product of two dense matrices only these elements are computed.
scipy.sparse.builder(shape?, dtype?, device?) -> table -- An object with :add(i, j, v), :tocsr(), :tocsc() and :tocoo().
scipy.sparse.get_index_dtype(arrays?, maxval?, check_contents?) -> string -- int32, or int64 where positions need it.
scipy.sparse.safely_cast_index_arrays(A, idx_dtype?) -> any, any -- The arrays of positions in another dtype, which must hold them.
scipy.sparse.matrix_transpose(A) -> cupola.Sparse -- The transposed array.
scipy.sparse.swapaxes(A, axis1, axis2) -> cupola.Sparse -- The array with both axes exchanged.
scipy.sparse.permute_dims(A, axes?) -> cupola.Sparse -- The array with its axes in another order.
scipy.sparse.expand_dims(A, axis?) -> cupola.Sparse -- An array with one axis as a matrix: a row, or with axis 2 a column.
scipy.sparse.save_npz(file, matrix, compressed?:boolean) -> nil -- Writes a sparse array to an archive, as SciPy does.
scipy.sparse.load_npz(file, device?) -> cupola.Sparse -- Reads an archive of save_npz, also SciPy's.
scipy.sparse.csgraph.connected_components(csgraph, directed?, connection?, return_labels?) -> integer count, any labels -- Components of a graph, numbered from 1.
scipy.sparse.csgraph.breadth_first_order(csgraph, i_start:integer, directed?:boolean, return_predecessors?:boolean) -> any order, any predecessors -- The nodes that can be reached from i_start, those of few edges first, and the node from which each was found (0: none).
scipy.sparse.csgraph.depth_first_order(csgraph, i_start:integer, directed?:boolean, return_predecessors?:boolean) -> any order, any predecessors -- The nodes that can be reached from i_start, each followed by those found from it, and the node from which each was found (0: none).
scipy.sparse.csgraph.breadth_first_tree(csgraph, i_start:integer, directed?:boolean) -> cupola.Sparse -- The edges by which breadth_first_order finds nodes.
scipy.sparse.csgraph.depth_first_tree(csgraph, i_start:integer, directed?:boolean) -> cupola.Sparse -- The edges by which depth_first_order finds nodes.
scipy.sparse.csgraph.reconstruct_path(csgraph, predecessors, directed?:boolean) -> cupola.Sparse -- The edges from each node's predecessor.
scipy.sparse.csgraph.construct_dist_matrix(graph, predecessors, directed?:boolean, null_value?:number) -> cupola.Array -- The lengths of the paths that a matrix of predecessors stands for.
scipy.sparse.csgraph.csgraph_from_dense(graph, null_value?:number, nan_null?:boolean, infinity_null?:boolean) -> cupola.Sparse -- The graph of a dense matrix; null_value, nan and infinity are no edges.
scipy.sparse.csgraph.csgraph_to_dense(csgraph, null_value?:number) -> cupola.Array -- The dense matrix of a graph; null_value stands where there is no edge.
scipy.sparse.csgraph.reverse_cuthill_mckee(graph, symmetric_mode?:boolean) -> any order -- The order of nodes that gathers a matrix's elements near its diagonal.
scipy.sparse.csgraph.minimum_spanning_tree(csgraph, overwrite?:boolean) -> cupola.Sparse -- The edges of least total weight that join what edges join.
scipy.sparse.csgraph.laplacian(csgraph, normed?:boolean, return_diag?:boolean, use_out_degree?:boolean, dtype?, symmetrized?:boolean, copy?:boolean, form?:string) -> any laplacian, any degrees -- The matrix of degrees less the weights; form: as an array, a function or an operator.
scipy.sparse.csgraph.dijkstra(csgraph, directed?:boolean, indices?, return_predecessors?:boolean, unweighted?:boolean, limit?:number, min_only?:boolean) -> any distances, any predecessors, any sources -- Distances from nodes, where no weight is negative.
scipy.sparse.csgraph.bellman_ford(csgraph, directed?:boolean, indices?, return_predecessors?:boolean, unweighted?:boolean) -> any distances, any predecessors -- Distances from nodes, where weights may be negative.
scipy.sparse.csgraph.johnson(csgraph, directed?:boolean, indices?, return_predecessors?:boolean, unweighted?:boolean) -> any distances, any predecessors -- Distances from nodes, by Dijkstra's algorithm with weights made positive.
scipy.sparse.csgraph.shortest_path(csgraph, method?:string, directed?:boolean, return_predecessors?:boolean, unweighted?:boolean, overwrite?:boolean, indices?) -> any distances, any predecessors -- Distances between nodes; infinity where there is no path.
scipy.sparse.csgraph.floyd_warshall(csgraph, directed?:boolean, return_predecessors?:boolean, unweighted?:boolean, overwrite?:boolean) -> any distances, any predecessors -- Distances between all pairs of nodes.
scipy.sparse.linalg.LinearOperator(shape, matvec:function, rmatvec?:function, matmat?:function, dtype?, rmatmat?:function) -> table -- A matrix that is known by its products.
scipy.sparse.linalg.aslinearoperator(A) -> table -- A dense or sparse matrix, or an operator, as an operator.
scipy.sparse.linalg.cg(A, b, x0?, rtol?, atol?, maxiter?, M?, callback?:function) -> any x, integer info -- Conjugate gradients, for hermitian positive definite A.
scipy.sparse.linalg.cgs(A, b, x0?, rtol?, atol?, maxiter?, M?, callback?:function) -> any x, integer info -- Conjugate gradients squared.
scipy.sparse.linalg.bicg(A, b, x0?, rtol?, atol?, maxiter?, M?, callback?:function) -> any x, integer info -- Biconjugate gradients, which need products with the adjoint.
scipy.sparse.linalg.bicgstab(A, b, x0?, rtol?, atol?, maxiter?, M?, callback?:function) -> any x, integer info -- The stabilised method of biconjugate gradients.
scipy.sparse.linalg.gmres(A, b, x0?, rtol?, atol?, restart?:integer, maxiter?, M?, callback?:function, callback_type?:string) -> any x, integer info -- The generalised method of minimal residuals.
scipy.sparse.linalg.minres(A, b, x0?, rtol?, shift?:number, maxiter?, M?, callback?:function, show?:boolean, check?:boolean) -> any x, integer info -- The method of minimal residuals, for hermitian A.
scipy.sparse.linalg.lsqr(A, b, damp?, atol?:number, btol?, conlim?, iter_lim?, show?:boolean, calc_var?:boolean, x0?) -> any x, integer stop, integer steps, number residual, number damped, number norm_A, number condition, number gradient, number norm_x, cupola.Array variances -- Least squares.
scipy.sparse.linalg.lsmr(A, b, damp?, atol?:number, btol?, conlim?, maxiter?, show?:boolean, x0?) -> any x, integer stop, integer steps, number residual, number gradient, number norm_A, number condition, number norm_x -- Least squares; the gradient falls steadily.
scipy.sparse.linalg.matrix_power(A, power) -> cupola.Sparse -- A raised to a power by matrix products.
scipy.sparse.linalg.spbandwidth(A) -> integer below, integer above -- How many diagonals below and above the main one have entries.
scipy.sparse.linalg.is_sptriangular(A) -> boolean lower, boolean upper -- Whether an array has no entries above its diagonal, and none below.
scipy.sparse.linalg.norm(x, ord?, axis?) -- A norm of a sparse array, or of its rows or columns.
scipy.sparse.linalg.spsolve_triangular(A, b, lower?, overwrite_A?, overwrite_b?, unit_diagonal?) -- Solves a triangular system.
scipy.sparse.linalg.jacobi(A) -> table -- Division by the diagonal, as a preconditioner.
scipy.sparse.linalg.ilu0(A) -> table -- Incomplete LU factors with the entries of A alone, as a preconditioner.
scipy.sparse.linalg.ic0(A) -> table -- The incomplete Cholesky factor with the entries of a hermitian A alone, as a preconditioner.
scipy.sparse.linalg.splu(A, permc_spec?:string, diag_pivot_thresh?:number, relax?:integer, panel_size?:integer, options?:table) -> cupola.SuperLU -- LU factors of a square matrix, by SuperLU, or on a GPU by cuDSS where it is installed.
scipy.sparse.linalg.spilu(A, drop_tol?:number, fill_factor?:number, drop_rule?, permc_spec?:string, diag_pivot_thresh?:number, relax?:integer, panel_size?:integer, options?:table) -> cupola.SuperLU -- Incomplete LU factors, of which small entries are dropped.
scipy.sparse.linalg.factorized(A) -> function -- A function that solves A x = b for a vector or matrix b.
scipy.sparse.linalg.spsolve(A, b, permc_spec?:string, use_umfpack?:boolean) -- Solves A x = b for a vector, matrix or sparse array b.
scipy.sparse.linalg.inv(A) -> cupola.Sparse -- The inverse of a sparse array.
scipy.sparse.linalg.eigsh(A, k?:integer, M?, sigma?:number, which?:string, v0?, ncv?:integer, maxiter?:integer, tol?:number, return_eigenvectors?:boolean, Minv?, OPinv?, mode?:string, rng?) -> cupola.Array values, cupola.Array vectors -- Some eigenvalues of a hermitian matrix, ascending, and their vectors as columns.
scipy.sparse.linalg.eigs(A, k?:integer, M?, sigma?, which?:string, v0?, ncv?:integer, maxiter?:integer, tol?:number, return_eigenvectors?:boolean, Minv?, OPinv?, rng?) -> cupola.Array values, cupola.Array vectors -- Some eigenvalues of a general matrix, the most wanted first, and their vectors as columns.
scipy.sparse.linalg.svds(A, k?:integer, ncv?:integer, tol?:number, which?:string, v0?, maxiter?:integer, return_singular_vectors?, solver?:string, rng?) -> any u, any s, any vh -- Some singular values, ascending, and their vectors.
scipy.sparse.linalg.lobpcg(A, X, B?, M?, Y?, tol?:number, maxiter?:integer, largest?:boolean, verbosityLevel?:integer, retLambdaHistory?:boolean, retResidualNormsHistory?:boolean, restartControl?:integer) -> cupola.Array values, cupola.Array vectors, integer info, any history, any norms -- Some eigenvalues of a hermitian matrix from as many approximate vectors.
scipy.sparse.linalg.expm_multiply(A, B, start?:number, stop?:number, num?:integer, endpoint?:boolean, traceA?) -- The exponential of A times B, also for several multiples of A.
scipy.fft.dct(x, type?, n?, axis?, norm?, orthogonalize?) -- The cosine transform of types 1 to 4 along an axis.
scipy.fft.dctn(x, type?, s?:integer|table, axes?, norm?, orthogonalize?) -- The cosine transform of types 1 to 4 along several axes.
scipy.fft.idct(x, type?, n?, axis?, norm?, orthogonalize?) -- The inverse cosine transform along an axis.
scipy.fft.idctn(x, type?, s?:integer|table, axes?, norm?, orthogonalize?) -- The inverse cosine transform along several axes.
scipy.fft.dst(x, type?, n?, axis?, norm?, orthogonalize?) -- The sine transform of types 1 to 4 along an axis.
scipy.fft.dstn(x, type?, s?:integer|table, axes?, norm?, orthogonalize?) -- The sine transform of types 1 to 4 along several axes.
scipy.fft.idst(x, type?, n?, axis?, norm?, orthogonalize?) -- The inverse sine transform along an axis.
scipy.fft.idstn(x, type?, s?:integer|table, axes?, norm?, orthogonalize?) -- The inverse sine transform along several axes.
scipy.linalg.block_diag(...: cupola.Operand) -- A matrix with the given ones along its diagonal.
scipy.special.j0(x, out?) -- The Bessel function of the first kind, order 0.
scipy.special.j1(x, out?) -- The Bessel function of the first kind, order 1.
scipy.special.y0(x, out?) -- The Bessel function of the second kind, order 0.
scipy.special.y1(x, out?) -- The Bessel function of the second kind, order 1.
scipy.special.i0(x, out?) -- The modified Bessel function of order 0.
scipy.special.i0e(x, out?) -- The same times exp(-|x|).
scipy.special.i1(x, out?) -- The modified Bessel function of order 1.
scipy.special.i1e(x, out?) -- The same times exp(-|x|).
scipy.special.exp10(x, out?) -- 10^x.
scipy.special.cosm1(x, out?) -- cos(x) - 1, without cancellation.
scipy.special.exprel(x, out?) -- (exp(x) - 1) / x, 1 at 0.
scipy.special.boxcox(x, lmbda, out?) -- (x^lmbda - 1) / lmbda, log(x) where lmbda is 0.
scipy.special.inv_boxcox(y, lmbda, out?) -- The x of which boxcox gives y.
scipy.special.huber(delta, r, out?) -- Huber's loss: r^2 / 2 up to delta, linear beyond.
scipy.special.rgamma(x, out?) -- 1 / gamma(x), 0 at the poles.
scipy.special.polygamma(n, x, out?) -- The n-th derivative of the digamma function, for x > 0.
scipy.special.multigammaln(a, d:integer) -- The logarithm of the gamma function of d dimensions; nan up to (d - 1) / 2.
scipy.special.erf(x, out?) -- The error function.
scipy.special.erfc(x, out?) -- 1 - erf(x), without cancellation.
scipy.special.erfinv(x, out?) -- The inverse of erf.
scipy.special.erfcinv(x, out?) -- The inverse of erfc.
scipy.special.ndtr(x, out?) -- The distribution function of the standard normal distribution.
scipy.special.log_ndtr(x, out?) -- Its logarithm.
scipy.special.ndtri(x, out?) -- Its inverse.
scipy.special.gamma(x, out?) -- The gamma function.
scipy.special.gammaln scipy.special.loggamma(x, out?) -- log |gamma(x)| of real x.
scipy.special.digamma scipy.special.psi(x, out?) -- The derivative of log gamma(x).
scipy.special.beta(a, b, out?) -- gamma(a) gamma(b) / gamma(a + b).
scipy.special.betaln(a, b, out?) -- The logarithm of |beta|.
scipy.special.gammainc(a, x, out?) -- The lower incomplete gamma function over gamma(a), for a and x from 0 on.
scipy.special.gammaincc(a, x, out?) -- The upper one: 1 - gammainc(a, x), without cancellation.
scipy.special.betainc(a, b, x, out?) -- The incomplete beta function over beta(a, b): a share of the interval up to x.
scipy.special.binom(n, k, out?) -- n over k of real numbers.
scipy.special.erfcx(x, out?) -- exp(x^2) erfc(x), without overflow.
scipy.special.exp1(x, out?) -- The integral of exp(-t) / t from x on, for x from 0 on or complex x.
scipy.special.expi(x, out?) -- The integral of exp(t) / t up to x, its principal value above 0; also of complex x.
scipy.special.jn(n, x, out?) -- The Bessel function of the first kind and of whole order n; nan for other orders.
scipy.special.yn(n, x, out?) -- The same of the second kind, for x from 0 on.
scipy.special.pdtr(k, m, out?) -- The share of up to k of Poisson's distribution with mean m.
scipy.special.bdtr(k, n, p, out?) -- The share of up to k successes in n trials, each with probability p.
scipy.special.fdtr(dfn, dfd, x, out?) -- The distribution function of F of dfn and dfd degrees of freedom.
scipy.special.stdtr(df, t, out?) -- The distribution function of Student's t of df degrees of freedom.
scipy.special.zeta(x, q?, out?) -- The sum of (q + n)^-x over n = 0, 1, ... for x above 1. Without q: Riemann's zeta function, also of complex x.
scipy.special.expit(x, out?) -- 1 / (1 + exp(-x)).
scipy.special.log_expit(x, out?) -- Its logarithm.
scipy.special.logit(x, out?) -- log(x / (1 - x)), the inverse of expit.
scipy.special.xlogy(x, y, out?) -- x log(y), 0 where x is 0.
scipy.special.xlog1py(x, y, out?) -- x log(1 + y), 0 where x is 0.
scipy.special.entr(x, out?) -- -x log(x).
scipy.special.rel_entr(x, y, out?) -- x log(x / y).
scipy.special.kl_div(x, y, out?) -- x log(x / y) - x + y.
scipy.special.cbrt(x, out?) -- The cube root.
scipy.special.exp2(x, out?) -- 2^x.
scipy.special.expm1(x, out?) -- exp(x) - 1, without cancellation.
scipy.special.log1p(x, out?) -- log(1 + x), without cancellation.
scipy.special.sinc(x, out?) -- sin(pi x) / (pi x).
scipy.special.logsumexp(a, axis?, b?, keepdims?, return_sign?:boolean) -- log of the sum of b exp(a) along axes.
scipy.special.softmax(x, axis?) -- exp(x) over its sum along axes; x may be complex.
scipy.special.log_softmax(x, axis?) -- The logarithm of softmax.
random.random random.random_sample random.ranf random.sample(size?, dtype?) -- Numbers of [0, 1).
random.rand(...:integer|string) -- Numbers of [0, 1); the lengths of the axes one by one, last a dtype.
random.randn(...:integer|string) -- Numbers of the standard normal distribution; lengths one by one, last a dtype.
random.uniform(low?, high?, size?, dtype?) -- Numbers of [low, high), by default of [0, 1).
random.normal(loc?, scale?, size?, dtype?) -- The normal distribution: mean loc, standard deviation scale.
random.standard_normal(size?, dtype?) -- The normal distribution of mean 0 and standard deviation 1.
random.lognormal(mean?, sigma?, size?, dtype?) -- exp of the normal distribution.
random.exponential(scale?, size?, dtype?) -- The exponential distribution of mean scale.
random.standard_exponential(size?, dtype?) -- The exponential distribution of mean 1.
random.laplace(loc?, scale?, size?, dtype?) -- The double exponential distribution about loc.
random.logistic(loc?, scale?, size?, dtype?) -- The logistic distribution.
random.gumbel(loc?, scale?, size?, dtype?) -- The Gumbel distribution of largest values.
random.pareto(a, size?, dtype?) -- The Pareto distribution of the second kind (Lomax), from 0.
random.rayleigh(scale?, size?, dtype?) -- The Rayleigh distribution.
random.weibull(a, size?, dtype?) -- The Weibull distribution of scale 1.
random.power(a, size?, dtype?) -- The distribution of [0, 1] with density a x^(a - 1).
random.standard_cauchy(size?, dtype?) -- The Cauchy distribution about 0.
random.triangular(left, mode, right, size?, dtype?) -- The triangular distribution.
random.wald(mean, scale, size?, dtype?) -- The inverse Gaussian distribution.
random.gamma(shape:cupola.Operand, scale?, size?, dtype?) -- The gamma distribution.
random.standard_gamma(shape:cupola.Operand, size?, dtype?) -- The gamma distribution of scale 1.
random.chisquare(df, size?, dtype?) -- The chi-square distribution with df degrees of freedom.
random.noncentral_chisquare(df, nonc, size?, dtype?) -- The noncentral chi-square distribution.
random.f(dfnum, dfden, size?, dtype?) -- Fisher's F distribution.
random.noncentral_f(dfnum, dfden, nonc, size?, dtype?) -- The noncentral F distribution.
random.standard_t(df, size?, dtype?) -- Student's t distribution.
random.beta(a, b, size?, dtype?) -- The beta distribution.
random.dirichlet(alpha, size?, dtype?) -- The Dirichlet distribution: the last axis sums to 1.
random.multivariate_normal(mean, cov, size?, tol?:number, dtype?) -- Normal vectors with this mean and covariance.
random.vonmises(mu, kappa, size?, dtype?) -- The von Mises distribution of angles about mu.
random.randint(low, high?, size?, dtype?) -- Whole numbers of [low, high), or of [0, low); int64 by default.
random.random_integers(low, high?, size?) -- Whole numbers from low to high, both included, or from 1 to low.
random.poisson(lam, size?, dtype?) -- Poisson's distribution, int64 by default.
random.binomial(n:cupola.Operand, p, size?, dtype?) -- The binomial distribution.
random.negative_binomial(n:cupola.Operand, p, size?, dtype?) -- The negative binomial distribution.
random.geometric(p, size?, dtype?) -- The geometric distribution, from 1.
random.logseries(p, size?, dtype?) -- The logarithmic series distribution.
random.zipf(a, size?, dtype?) -- Zipf's distribution.
random.hypergeometric(ngood:cupola.Operand, nbad, nsample, size?, dtype?) -- How many of nsample drawn are good ones.
random.multinomial(n, pvals, size?) -- How often each of the outcomes came: the last axis sums to n.
random.bytes(length:integer) -> string -- Random bytes.
random.permutation(x, axis?:integer) -- The numbers from 1 to x in random order, or x with its rows in random order.
random.shuffle(x:cupola.Array, axis?:integer) -- Brings the rows of x into random order, in place; returns x.
random.choice(a, size?, replace?:boolean, p?, axis?, shuffle?:boolean) -- Elements of a, or positions from 1 to a.
Generator:integers(low, high?, size?, dtype?, endpoint?) -- Whole numbers of [low, high), or of [0, low).
Generator:permuted(x, axis?:integer, out?) -- A copy, each line along the axis in an order of its own.
random.seed(seed?:any) -> nil -- Starts the default generator anew; without a seed from the system's randomness.
random.get_state() -> table -- The state of the default generator: seed and number of the next call.
random.set_state(state:table) -> nil -- Goes back to a state.
random.default_rng(seed?:any) -> cupola.Generator -- A generator; of a generator itself.
random.Generator(bit_generator:table) -> cupola.Generator -- A generator that draws from this bit generator.
random.RandomState(seed?:any, method?:string) -> cupola.RandomState -- A generator with NumPy's older methods.
random.SeedSequence(entropy?:any, spawn_key?:any, pool_size?, n_children_spawned?) -> cupola.SeedSequence -- A seed.
SeedSequence:spawn(n_children:integer) -> table -- Sequences that are independent of each other.
SeedSequence:generate_state(n_words:integer, dtype?) -- Words of the hash, uint32 or uint64.
Generator:spawn(n_children:integer) -> table -- Generators that draw other numbers than this one.
random.XORWOW random.MRG32k3a(seed?:integer, offset?:integer, ordering?:string) -> table -- cuRAND's own kinds.
random.Philox4_32_10(seed?:integer, offset?:integer, ordering?:string) -> table -- cuRAND's Philox.
random.MTGP32 random.MT19937(seed?:integer, offset?:integer, ordering?:string) -> table -- cuRAND's Mersenne Twisters.
random.Sobol32 random.Sobol64(dimensions?:integer, offset?:integer) -> table -- Quasi-random points, of cuRAND.
random.ScrambledSobol32 random.ScrambledSobol64(dimensions?:integer, offset?:integer) -> table -- The same, scrambled.
random.Philox4x3210 random.Philox(seed?:any) -> table -- The state of Philox4x32-10: get_state, set_state.
image.imwrite(file:string, pixels:cupola.Array) -> nil -- Writes a uint8 picture, (height, width) or (.., channels).
]]

-- Types of the fields of cp that do not follow from their values.
local FIELDS = { cpu = "cupola", j = "cupola.Complex", newaxis = "userdata", ellipsis = "userdata" }

local HEAD = [=[
---@alias cupola.dtype @dtypes@|string
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
]=]

-- The text after the functions.
local TAIL = "cp.cuda.Stream = StreamClass\n"

return { types = TYPES, operations = OPERATIONS, signatures = SIGNATURES, functions = FUNCTIONS, fields = FIELDS,
  head = HEAD, tail = TAIL }
