-- What serves instead of names that users of NumPy and CuPy look for and that cupola does not have, for the
-- error about an unknown name. The nearest name by spelling would mislead them.

local SLICES = 'an index is a text or a table, as in x["2:5, 1"] or x[{ {2, 5}, {} }]'
local MATRICES = "a matrix is an array of two axes; cp.matmul multiplies, cp.block joins"
local NUMBERS = "arrays hold numbers and booleans only"
local NO_WARNINGS = "there are no warnings of floating-point arithmetic; cp.isfinite and cp.isnan find its nan and inf"
local TEXTS = "tostring(x) is an array as text, as cp.set_printoptions says"
local DTYPES = [[a dtype is its name, such as "float32"; cp.isdtype, cp.can_cast and cp.result_type tell of it]]

return {
  r_ = "cp.concatenate and cp.arange make such arrays",
  c_ = "cp.column_stack makes such arrays",
  s_ = SLICES,
  index_exp = SLICES,
  matrix = MATRICES,
  mat = MATRICES,
  asmatrix = MATRICES,
  bmat = MATRICES,
  ma = "reductions take where = mask, and cp.nanmean and others leave nan out",
  dtype = DTYPES,
  issubdtype = DTYPES,
  common_type = DTYPES,
  min_scalar_type = DTYPES,
  typename = DTYPES,
  generic = DTYPES,
  number = DTYPES,
  floating = DTYPES,
  integer = DTYPES,
  int_ = DTYPES,
  float_ = DTYPES,
  bool_ = DTYPES,
  complex_ = DTYPES,
  str_ = NUMBERS,
  object_ = NUMBERS,
  char = NUMBERS,
  rec = NUMBERS,
  datetime64 = NUMBERS,
  timedelta64 = NUMBERS,
  ndarray = "cp.array and cp.empty make arrays, cp.is_array knows them",
  errstate = NO_WARNINGS,
  seterr = NO_WARNINGS,
  geterr = NO_WARNINGS,
  array_repr = TEXTS,
  array_str = TEXTS,
  array2string = TEXTS,
  printoptions = "cp.set_printoptions changes them, cp.get_printoptions returns them",
  disp = "print writes arrays",
  nditer = "cp.ndindex and cp.ndenumerate visit elements",
  flatiter = "x.flat is all elements of x",
  fromiter = "cp.array takes a table",
  to_dlpack = "x:dlpack() gives a tensor of DLPack",
  toDlpack = "x:dlpack() gives a tensor of DLPack",
  product = "cp.prod is its name",
  cumproduct = "cp.cumprod is its name",
  broadcast = "cp.broadcast_arrays and cp.broadcast_shapes broadcast",
  emath = [[complex arrays have complex results: cp.sqrt(x:astype "complex128")]],
  lib = "cp.as_strided and cp.sliding_window_view are in cp itself",
  __version__ = "cp._VERSION is its name",
  version = "cp._VERSION is its name",
  cupyx = "cp.scipy, cp.jit and cp.scatter_add are in cp itself",
  memoize = "kernels are kept by themselves",
  clear_memo = "kernels are kept by themselves",
}
