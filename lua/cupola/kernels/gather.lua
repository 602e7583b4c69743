-- The accumulators of kernels with phases (phases.lua, kernels/rows.cu), as text.

local casts = require "cupola.kernels.casts"
local reduction = require "cupola.kernels.reduction"
local types = require "cupola.kernels.types"

local gather = {}

-- struct cp_red_N: the functions of reduction N. acc is what it accumulates, total what a row's result is
-- made of.
local REDUCTION = [[
struct cp_red_NUMBER {
  typedef ACC acc;
  typedef acc total;
  typedef VALUE value;
  CP_MEMBER acc identity() { return SPACE::NAME_identity(); }
  CP_MEMBER acc join(const acc &a, const acc &b) { return SPACE::NAME_combine(a, b); }
  CP_MEMBER acc element(value v, long long i) { return SPACE::NAME_premap(v, i); }
  CP_MEMBER acc group(const value *v, const long long *i, int n) { return cp_fold_group<cp_red_NUMBER>(v, i, n); }
  CP_MEMBER acc fold(const value *v, const long long *i, const int *has) { return FOLD; }
  CP_MEMBER RESULT post(const cp_slots &p, const total &a) { return POST; }
};
]]

-- For positions of extremes, where a thread has few enough elements: the extreme first, then its place.
local EXTREME = [[
  CP_MEMBER acc among(const value *v, const long long *i, unsigned in_row) {
    return SPACE::arg_among<CP_COUNT, CP_VECTOR, MOST>(v, i, in_row);
  }
};
]]

-- The same for the moments of a row, whose elements the threads still have: first their sum, then the squares
-- of their differences from a number near the mean. SKIP: nan does not count.
local MOMENTS = [[
struct cp_red_NUMBER {
  typedef SPACE::acc_moments total;
  typedef VALUE value;
  typedef REAL real;
  struct acc { // a sum, one of the elements, and how many there are
    value sum, one;
    int n;
  };
  struct squares {
    value sum;
    real square;
    CP_MEMBER squares identity() { return {SPACE::r_zero(), 0}; }
    CP_MEMBER squares join(const squares &a, const squares &b) {
      return {SPACE::r_add(a.sum, b.sum), a.square + b.square};
    }
  };
  CP_MEMBER bool counts(value v) { return !(SKIP && SPACE::r_isnan(v)); }
  struct squares_join {
    typedef squares acc;
    CP_MEMBER squares join(const squares &a, const squares &b) { return squares::join(a, b); }
  };
  CP_MEMBER acc identity() { return {SPACE::r_zero(), SPACE::r_zero(), 0}; }
  CP_MEMBER acc join(const acc &a, const acc &b) {
    return {SPACE::r_add(a.sum, b.sum), a.n > 0 ? a.one : b.one, a.n + b.n};
  }
  CP_MEMBER acc element(value v, long long) {
    return {counts(v) ? v : SPACE::r_zero(), v, counts(v)};
  }
  CP_MEMBER acc group(const value *v, const long long *i, int n) {
    if (SKIP || n < CP_VECTOR) return cp_fold_group<cp_red_NUMBER>(v, i, n);
    struct sum {
      typedef value acc;
      CP_MEMBER value join(value a, value b) { return SPACE::r_add(a, b); }
    };
    value part[CP_VECTOR];
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) part[k] = v[k];
    return {cp_tree<sum, CP_VECTOR>(part), v[0], CP_VECTOR};
  }
  CP_MEMBER acc fold(const value *v, const long long *i, const int *has) { return cp_fold<cp_red_NUMBER>(v, i, has); }
  CP_MEMBER value near(const acc &a) {
    const value mean = SPACE::batch_share(a.sum, a.n > 0 ? (real)a.n : (real)1);
    return SPACE::r_finite(mean) == 0 ? mean : SPACE::r_skip(a.one, SPACE::r_zero()); // else the sum overflowed
  }
  CP_MEMBER squares of_group(const value *v, int n, value near) {
    squares part[CP_VECTOR];
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) {
      const value d = k < n && counts(v[k]) ? SPACE::r_minus(v[k], near) : SPACE::r_zero();
      part[k] = {d, SPACE::r_norm(d)};
    }
    return cp_tree<squares_join, CP_VECTOR>(part);
  }
  CP_MEMBER squares fold_squares(const value *v, const int *has, value near) {
    squares part[CP_SHARE];
#pragma unroll
    for (int g = 0; g < CP_SHARE; g++)
      part[g] = has[g] == CP_VECTOR ? of_group(v + g * CP_VECTOR, CP_VECTOR, near)
                                    : of_group(v + g * CP_VECTOR, has[g], near);
    return cp_tree<squares_join, CP_SHARE>(part);
  }
  CP_MEMBER total total_of(const acc &a, const squares &b, value near) {
    return SPACE::moments_near(near, b.sum, b.square, (real)a.n);
  }
  CP_MEMBER RESULT post(const cp_slots &p, const total &a) { return POST; }
};
]]

--- Text of struct cp_red_N for r, a reduction {number, instr}; sets r.moments.
---@return string
function gather.reduction(spec, l, reds, needs, r)
  local which = r.instr.reduction + 1
  local red, t = reds[spec.reductions[which]], types[r.instr.loop]
  local name = "red" .. which
  local space, acc, result = reduction.functions(red, t, needs, name)
  local function slot(number) return string.format("__longlong_as_double((long long)p.s[%d])", number) end
  local post = string.format("%s::%s_post(a, %s, %s)", space, name, slot(l.inner), slot(l.parameters[which]))
  local few = red.accumulator == "ARG" and spec.share * spec.vector <= 32
  r.moments = red.accumulator == "MOMENTS"
  needs.batches = needs.batches or r.moments or few
  local words = { NUMBER = tostring(r.number), ACC = acc, VALUE = t.register, SPACE = space, NAME = name,
    REAL = types[t.real or t.name].register, RESULT = types[r.instr.dtype].register,
    SKIP = string.find(red.premap, "moments_skip") and "true" or "false",
    FOLD = string.format("%s<cp_red_%d>(v, i, has)", few and "cp_fold_extreme" or "cp_fold", r.number),
    MOST = string.find(red.combine, "arg_max") and "1" or "0",
    POST = casts.text(needs, result, r.instr.dtype, post) }
  local text = r.moments and MOMENTS or few and string.gsub(REDUCTION, "};\n$", EXTREME) or REDUCTION
  return (string.gsub(text, "%u%u%u+", words))
end

-- The struct of what several reductions accumulate: NAME with members m<N> of the types given, and NAME_join,
-- which combines them together.
---@return string
function gather.struct(name, members)
  local fields, none, join = {}, {}, {}
  for k, m in ipairs(members) do
    fields[k] = string.format("  %s m%d;\n", m.type, m.number)
    none[k] = string.format("    r.m%d = %s::identity();\n", m.number, m.functions)
    join[k] = string.format("    r.m%d = %s::join(a.m%d, b.m%d);\n", m.number, m.functions, m.number, m.number)
  end
  return string.format([[
struct %s {
%s};
struct %s_join {
  typedef %s acc;
  CP_MEMBER acc identity() {
    acc r;
%s    return r;
  }
  CP_MEMBER acc join(const acc &a, const acc &b) {
    acc r;
%s    return r;
  }
};
]], name, table.concat(fields), name, name, table.concat(none), table.concat(join))
end

return gather
