// Interpolation and distances for the Lua side: core.sample, core.taps, core.spline and core.envelope, on
// which lua/cupola/scipy/ndimage and cp.image build their functions. routines/sites.h describes the jobs,
// kernels/routine/sites their slots.
#include "lua/routines/sites.h"

#include "lua/conversion/convert.h"

#include <math.h>

// An array of float64, or of float32 if the option at `slot` says so, for a job's result.
static cp_array *push_result(lua_State *L, const char *where, int slot, const cp_array *x, int ndim,
                             const int64_t *shape) {
  static const char *const dtypes[] = {"float64", "float32", NULL};
  const bool single = luaL_checkoption(L, slot, "float64", dtypes) == 1;
  return cp_push_new_array(L, where, x->device, single ? CP_FLOAT32 : CP_FLOAT64, ndim, shape);
}

// ---- values between elements ------------------------------------------------------------------------------

// ORDER as in kernels/routine/sites/sample.cu.
enum {
  IN = CP_SITES_OWN,
  OUT,
  PLACES,
  FLAGS,
  MODE,
  CONSTANT,
  OFFSET,
  IN_AXES,
  ORDER,
  OUT_AXES,
  IN_LENGTHS,
  OUT_LENGTHS = 24,
  PLANE_ROWS = 34,
  PLANE_SIZE,
  MAP_NUMBERS
};
enum { SINGLE = 1, SINGLE_PLACES = 2, MAP = 4, MOST_ORDER = 5, SHORT_ROW = 512 };
enum { MOST_MAPPED = CP_SITES_SLOTS - MAP_NUMBERS };

static uint64_t mode_at(lua_State *L, int slot) {
  static const char *const modes[] = {"nearest",  "wrap",      "reflect",       "mirror",
                                      "constant", "grid-wrap", "grid-constant", NULL};
  return (uint64_t)luaL_checkoption(L, slot, "constant", modes); // ORDER as in spline_weights.h
}

// Reads the result's shape: that of the coordinates without their first axis, or the one at slot 4 for a map.
static int read_shape(lua_State *L, const char *where, const cp_array *x, const cp_array *places,
                      int64_t *shape) {
  if (!lua_isnil(L, 4)) {
    const int ndim = cp_arg_shape(L, 4, where, "output_shape", shape);
    cp_demand(L, where, ndim >= 1 && ndim <= CP_SITES_AXES, "the result must have from 1 to 10 axes");
    return ndim;
  }
  cp_demand(L, where,
            places->ndim >= 1 && places->shape[0] == x->ndim &&
                (places->dtype == CP_FLOAT64 || places->dtype == CP_FLOAT32),
            "coordinates must be float32 or float64 for each axis of the input");
  for (int d = 1; d < places->ndim; d++) shape[d - 1] = places->shape[d];
  return places->ndim - 1;
}

// Reads the numbers of a map to a result of `ndim` axes, the list at slot 3, into the job, or into an array
// where they are too many for its slots. Returns how many rows the map has.
static int read_map(lua_State *L, const char *where, const cp_array *x, int ndim, cp_sites_job *job,
                    cp_array **array) {
  double numbers[CP_SITES_AXES * (CP_SITES_AXES + 1)];
  luaL_checktype(L, 3, LUA_TTABLE);
  const int count = (int)lua_rawlen(L, 3), axes = count / (ndim + 1);
  cp_demand(L, where, count == axes * (ndim + 1) && (axes == x->ndim || axes == x->ndim - 1) && axes > 0,
            "the map must have a row for each axis of the input, and columns for those of the result");
  for (int k = 0; k < count; k++) {
    lua_rawgeti(L, 3, k + 1);
    numbers[k] = cp_arg_number(L, lua_gettop(L), where, "map");
    lua_pop(L, 1);
  }
  if (count <= MOST_MAPPED) {
    for (int k = 0; k < count; k++) job->slots[MAP_NUMBERS + k] = cp_real_slot(numbers[k]);
    return axes;
  }
  const int64_t shape = count;
  *array = cp_push_new_array(L, where, x->device, CP_FLOAT64, 1, &shape);
  cp_upload(L, where, *array, numbers);
  return axes;
}

// core.sample(where, x, places, shape, order, mode, constant, offset, dtype): a new array of float64 or
// float32 with x's values at places between its elements, by splines of this order whose coefficients x
// holds. Without a shape, places are the coordinates along each axis, from 0; with one, `places` lists, by
// rows, the matrix that maps the indices of a result of this shape, and 1, to coordinates. `offset` is added
// to coordinates. If x has one axis more than the map, each of its planes along the first axis is mapped; so
// the result has that axis too.
static int sample(lua_State *L) {
  const char *where = luaL_checkstring(L, 1);
  int64_t shape[CP_MAXDIM];
  lua_settop(L, 9);
  const bool mapped = !lua_isnil(L, 4);
  cp_array *x = cp_take_sites(L, 2, where, "input");
  cp_array *places = mapped ? NULL : cp_take_contiguous(L, 3, where, "coordinates");
  cp_sites_job job = {.kind = CP_SITES_SAMPLE, .dtype = x->dtype};
  const int ndim = read_shape(L, where, x, places, shape);
  const int axes = mapped ? read_map(L, where, x, ndim, &job, &places) : x->ndim;
  const int planes = x->ndim - axes; // axes of planes: 0 or 1
  job.axes = axes;
  const int64_t order = cp_arg_integer(L, 5, where, "order");
  cp_demand(L, where, order >= 0 && order <= MOST_ORDER, "order must be from 0 to 5");
  int64_t whole[CP_MAXDIM + 1] = {x->shape[0]};
  for (int d = 0; d < ndim; d++) whole[planes + d] = shape[d];
  cp_array *result = push_result(L, where, 9, x, ndim + planes, whole);
  if (result->size == 0) return 1;
  cp_demand(L, where, x->size > 0, "the input has no elements");
  job.fixed = (int)order;
  job.columns = ndim > 0 ? shape[ndim - 1] : 1;
  // Without a map, sites are in one row as well.
  if (!mapped && job.columns < SHORT_ROW) job.columns = result->size;
  job.rows = result->size / job.columns;
  job.slots[PLANE_ROWS] = (uint64_t)(planes > 0 ? job.rows / x->shape[0] : job.rows);
  job.slots[PLANE_SIZE] = (uint64_t)(planes > 0 ? x->size / x->shape[0] : x->size);
  job.slots[FLAGS] =
      (result->dtype == CP_FLOAT32 ? SINGLE : 0u) | (mapped                        ? MAP
                                                     : places->dtype == CP_FLOAT32 ? SINGLE_PLACES
                                                                                   : 0u);
  job.slots[MODE] = mode_at(L, 6);
  job.slots[CONSTANT] = cp_real_slot(cp_arg_number(L, 7, where, "cval"));
  job.slots[OFFSET] = cp_real_slot((double)cp_arg_integer_or(L, 8, where, "offset", 0));
  job.slots[IN_AXES] = (uint64_t)axes;
  job.slots[ORDER] = (uint64_t)order;
  job.slots[OUT_AXES] = (uint64_t)ndim;
  for (int d = 0; d < axes; d++) job.slots[IN_LENGTHS + d] = (uint64_t)x->shape[planes + d];
  for (int d = 0; d < ndim && mapped; d++) job.slots[OUT_LENGTHS + d] = (uint64_t)shape[d];
  const cp_sites_use uses[] = {{x, CP_READ, IN}, {result, CP_WRITE_WHOLE, OUT}, {places, CP_READ, PLACES}};
  cp_run_sites(L, where, &job, 3, uses);
  return 1;
}

// ---- sums along an axis -----------------------------------------------------------------------------------

// The axis at `slot`, from 1.
static int axis_at(lua_State *L, int slot, const char *where, const cp_array *x) {
  const int64_t axis = cp_arg_integer(L, slot, where, "axis");
  cp_demand(L, where, axis >= 1 && axis <= x->ndim, "axis must be one of the input's");
  return (int)axis - 1;
}

// core.taps(where, x, axis, numbers, weights, constant, dtype): a new array of float64 or float32, whose
// element m along the axis is the sum of x's elements numbers[m, k] (int64, from 0) times weights[m, k]
// (float64). A number outside of the axis stands for the constant; without one, nil, there must be none.
static int taps(lua_State *L) {
  enum { NUMBERS = OUT + 1, WEIGHTS, EACH, LENGTH, RESULTS, INNER, FILL, IS_SINGLE, ROWS, IS_FILLED };
  const char *where = luaL_checkstring(L, 1);
  int64_t shape[CP_MAXDIM];
  lua_settop(L, 7);
  cp_array *x = cp_take_sites(L, 2, where, "input"),
           *numbers = cp_take_table(L, 4, where, "numbers", CP_INT64),
           *weights = cp_take_table(L, 5, where, "weights", CP_FLOAT64);
  const int axis = axis_at(L, 3, where, x);
  cp_demand(L, where,
            numbers->ndim == 2 && weights->ndim == 2 && numbers->shape[0] == weights->shape[0] &&
                numbers->shape[1] == weights->shape[1],
            "numbers and weights must have one shape");
  for (int d = 0; d < x->ndim; d++) shape[d] = d == axis ? numbers->shape[0] : x->shape[d];
  cp_sites_job job = {.kind = CP_SITES_TAPS, .dtype = x->dtype, .axes = x->ndim};
  cp_array *result = push_result(L, where, 7, x, x->ndim, shape);
  if (result->size == 0) return 1;
  const int64_t outer = cp_sites_extent(x, 0, axis), inner = cp_sites_extent(x, axis + 1, x->ndim);
  job.rows = inner == 1 ? outer : outer * shape[axis];
  job.columns = inner == 1 ? shape[axis] : inner;
  job.slots[EACH] = (uint64_t)numbers->shape[1];
  job.slots[LENGTH] = (uint64_t)x->shape[axis];
  job.slots[RESULTS] = (uint64_t)shape[axis];
  job.slots[INNER] = (uint64_t)inner;
  job.slots[IS_FILLED] = !lua_isnil(L, 6);
  if (!lua_isnil(L, 6)) job.slots[FILL] = cp_real_slot(cp_arg_number(L, 6, where, "cval"));
  job.slots[IS_SINGLE] = result->dtype == CP_FLOAT32;
  job.slots[ROWS] = (uint64_t)job.rows;
  const cp_sites_use uses[] = {{x, CP_READ, IN},
                               {result, CP_WRITE_WHOLE, OUT},
                               {numbers, CP_READ, NUMBERS},
                               {weights, CP_READ, WEIGHTS}};
  cp_run_sites(L, where, &job, 4, uses);
  return 1;
}

// core.weights(where, like, m, shift, zoom, grid, n, mode, order, offset): the numbers and weights for
// core.taps that give m values along an axis of length n, by splines of this order: value k, from 0, is at
// place (k + shift) * zoom + offset; with `grid` at (k + shift + 1/2) * zoom - 1/2 + offset. They are on the
// device of the array `like`.
static int weights(lua_State *L) {
  enum { NUMBERS = CP_SITES_OWN, WEIGHTS, SHIFT, ZOOM, GRID, LENGTH, PLACE_MODE, PLACE_ORDER, PLACE_OFFSET };
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 10);
  const cp_array *like = cp_take_array(L, 2, where, "input");
  const int64_t order = cp_arg_integer(L, 9, where, "order"), length = cp_arg_integer(L, 7, where, "length");
  const int64_t shape[] = {cp_arg_integer(L, 3, where, "length"), order + 1};
  cp_demand(L, where, order >= 0 && order <= MOST_ORDER && length > 0 && shape[0] >= 0,
            "order must be from 0 to 5, and lengths positive");
  cp_sites_job job = {.kind = CP_SITES_WEIGHTS, .dtype = CP_FLOAT64, .rows = 1, .columns = shape[0]};
  cp_device *device = like->device;
  cp_array *numbers = cp_push_new_array(L, where, device, CP_INT64, 2, shape);
  cp_array *values = cp_push_new_array(L, where, device, CP_FLOAT64, 2, shape);
  if (shape[0] == 0) return 2;
  job.slots[SHIFT] = cp_real_slot(cp_arg_number(L, 4, where, "shift"));
  job.slots[ZOOM] = cp_real_slot(cp_arg_number(L, 5, where, "zoom"));
  job.slots[GRID] = lua_toboolean(L, 6) != 0;
  job.slots[LENGTH] = (uint64_t)length;
  job.slots[PLACE_MODE] = mode_at(L, 8);
  job.slots[PLACE_ORDER] = (uint64_t)order;
  job.slots[PLACE_OFFSET] = (uint64_t)cp_arg_integer_or(L, 10, where, "offset", 0);
  const cp_sites_use uses[] = {{numbers, CP_WRITE_WHOLE, NUMBERS}, {values, CP_WRITE_WHOLE, WEIGHTS}};
  cp_run_sites(L, where, &job, 2, uses);
  return 2;
}

// core.filter_weights(where, like, m, n, filter, sharp): the numbers and weights for core.taps that make m
// values of an axis of length n as pictures are resized. The filter is widened where m is less than n, unless
// `sharp`.
static int filter_weights(lua_State *L) {
  enum { NUMBERS = CP_SITES_OWN, WEIGHTS, SCALE = 7, LENGTH = 9, FILTER = 13, EACH, UNIT, REACH };
  static const char *const filters[] = {"nearest", "area", "bilinear", "bicubic", "lanczos", NULL};
  static const double extents[] = {0, 0.5, 1, 2, 3};
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 6);
  const cp_array *like = cp_take_array(L, 2, where, "input");
  const int64_t m = cp_arg_integer(L, 3, where, "length"), n = cp_arg_integer(L, 4, where, "length");
  const int filter = luaL_checkoption(L, 5, NULL, filters);
  cp_demand(L, where, m > 0 && n > 0, "lengths must be positive");
  const double scale = (double)n / (double)m, unit = lua_toboolean(L, 6) || scale < 1 ? 1 : scale;
  const double reach = extents[filter] * unit;
  const int64_t shape[] = {m, filter == 0 ? 1 : (int64_t)ceil(2 * reach) + 1};
  cp_sites_job job = {.kind = CP_SITES_WEIGHTS, .dtype = CP_FLOAT64, .rows = 1, .columns = m};
  cp_array *numbers = cp_push_new_array(L, where, like->device, CP_INT64, 2, shape);
  cp_array *values = cp_push_new_array(L, where, like->device, CP_FLOAT64, 2, shape);
  job.slots[SCALE] = cp_real_slot(scale);
  job.slots[LENGTH] = (uint64_t)n;
  job.slots[FILTER] = (uint64_t)filter + 1; // ORDER as in weights.cu
  job.slots[EACH] = (uint64_t)shape[1];
  job.slots[UNIT] = cp_real_slot(unit);
  job.slots[REACH] = cp_real_slot(reach);
  const cp_sites_use uses[] = {{numbers, CP_WRITE_WHOLE, NUMBERS}, {values, CP_WRITE_WHOLE, WEIGHTS}};
  cp_run_sites(L, where, &job, 2, uses);
  return 2;
}

// core.spline(where, x, axis, pole, gain, end): a new array: gain * x (float64) passed through the filter of
// this pole along the axis, forwards and backwards, which turns elements into coefficients of splines. What
// lies beyond the ends: "mirror", "reflect" or "wrap". The axis has at least 2 elements.
static int spline(lua_State *L) {
  enum { LENGTH = OUT + 1, INNER, CHUNK, CHUNKS, AHEAD, BACKWARDS, POLE, GAIN, END, CHUNK_LENGTH = 128 };
  static const char *const ends[] = {"mirror", "reflect", "wrap", NULL};
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 6);
  cp_array *x = cp_take_sites(L, 2, where, "input");
  const int axis = axis_at(L, 3, where, x);
  const double pole = cp_arg_number(L, 4, where, "pole");
  cp_demand(L, where, x->dtype == CP_FLOAT64 && pole > -1 && pole < 0,
            "x must be float64, and -1 < pole < 0");
  cp_sites_job job = {.kind = CP_SITES_SPLINE, .dtype = CP_FLOAT64, .axes = x->ndim};
  cp_array *forwards = cp_push_new_array(L, where, x->device, CP_FLOAT64, x->ndim, x->shape);
  cp_array *result = cp_push_new_array(L, where, x->device, CP_FLOAT64, x->ndim, x->shape);
  if (result->size == 0) return 1;
  cp_demand(L, where, x->shape[axis] > 1, "the axis must have at least 2 elements");
  const int64_t chunks = cp_divide_up(x->shape[axis], CHUNK_LENGTH);
  job.columns = cp_sites_extent(x, axis + 1, x->ndim);
  job.rows = cp_sites_extent(x, 0, axis) * chunks;
  job.slots[LENGTH] = (uint64_t)x->shape[axis];
  job.slots[INNER] = (uint64_t)job.columns;
  job.slots[CHUNK] = CHUNK_LENGTH;
  job.slots[CHUNKS] = (uint64_t)chunks;
  job.slots[AHEAD] = (uint64_t)ceil(-42 / log(-pole)) + 1; // there the pole's power is less than 1e-18
  job.slots[POLE] = cp_real_slot(pole);
  job.slots[END] = (uint64_t)luaL_checkoption(L, 6, "mirror", ends);
  for (int backwards = 0; backwards < 2; backwards++) {
    const cp_sites_use uses[] = {{backwards ? forwards : x, CP_READ, IN},
                                 {backwards ? result : forwards, CP_WRITE_WHOLE, OUT}};
    job.slots[BACKWARDS] = (uint64_t)backwards;
    job.slots[GAIN] = cp_real_slot(backwards ? 1 : cp_arg_number(L, 5, where, "gain"));
    cp_run_sites(L, where, &job, 2, uses);
  }
  return 1;
}

// ---- distances --------------------------------------------------------------------------------------------

// core.envelope(where, squares, nearest, axis, step): new arrays, for each element along the axis: the least
// of all squares[j] + step (i - j)^2, and nearest[j] for that j. squares: int32 (step is 1 then) or float64.
// nearest: int32, or nil.
static int envelope(lua_State *L) {
  enum { NEAREST = OUT + 1, FOUND, LENGTH, INNER, LEAST, BLOCKS, STEP, PASS, BLOCK_LENGTH = 32 }; // ORDER
  const char *where = luaL_checkstring(L, 1);
  lua_settop(L, 5);
  cp_array *x = cp_take_sites(L, 2, where, "squares");
  const int axis = axis_at(L, 4, where, x);
  cp_array *nearest = lua_isnil(L, 3) ? NULL : cp_take_table(L, 3, where, "nearest", CP_INT32);
  const double step = cp_arg_number(L, 5, where, "step");
  cp_demand(L, where, x->dtype == CP_FLOAT64 || (x->dtype == CP_INT32 && step == 1),
            "squares must be float64");
  cp_demand(L, where, nearest == NULL || nearest->size == x->size, "nearest must have the shape of squares");
  cp_sites_job job = {.kind = CP_SITES_ENVELOPE, .dtype = x->dtype, .axes = x->ndim};
  cp_array *result = cp_push_new_array(L, where, x->device, x->dtype, x->ndim, x->shape), *found = NULL;
  if (nearest != NULL) found = cp_push_new_array(L, where, x->device, CP_INT32, x->ndim, x->shape);
  if (result->size == 0) return found != NULL ? 2 : 1;
  const int64_t blocks = cp_divide_up(x->shape[axis], BLOCK_LENGTH), outer = cp_sites_extent(x, 0, axis);
  job.columns = cp_sites_extent(x, axis + 1, x->ndim);
  const int64_t all = outer * blocks * job.columns;
  cp_array *least = cp_push_new_array(L, where, x->device, x->dtype, 1, &all);
  lua_insert(L, 6); // below the results
  job.slots[LENGTH] = (uint64_t)x->shape[axis];
  job.slots[INNER] = (uint64_t)job.columns;
  job.slots[BLOCKS] = (uint64_t)blocks;
  job.slots[STEP] = cp_real_slot(step);
  for (int pass = 0; pass < 2; pass++) {
    const cp_sites_use uses[] = {{x, CP_READ, IN},
                                 {result, CP_WRITE_WHOLE, OUT},
                                 {least, pass == 0 ? CP_WRITE_WHOLE : CP_READ, LEAST},
                                 {nearest, CP_READ, NEAREST},
                                 {found, CP_WRITE_WHOLE, FOUND}};
    job.fixed = pass;
    job.slots[PASS] = (uint64_t)pass;
    job.rows = outer * (pass == 0 ? blocks : x->shape[axis]);
    cp_run_sites(L, where, &job, 5, uses);
  }
  return found != NULL ? 2 : 1;
}

void cp_open_sample(lua_State *L) {
  static const luaL_Reg core[] = {
      {"sample", sample}, {"taps", taps},         {"weights", weights}, {"filter_weights", filter_weights},
      {"spline", spline}, {"envelope", envelope}, {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
