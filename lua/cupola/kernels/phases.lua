-- Kernels of plans with phases (kernels/rows.cu): reductions along rows, and what is made of them.
--
-- A register has one value for each element, or one for the whole row: scalars, leaves that are broadcast
-- along the row, results of reductions, and what is computed from these alone. The phase of a register is the
-- number of reductions, one after the other, that must be known before it. A value of elements that a later
-- phase needs is kept in registers if it is costly, and computed again otherwise.

local access = require "cupola.kernels.access"
local body = require "cupola.kernels.body"
local casts = require "cupola.kernels.casts"
local gather = require "cupola.kernels.gather"
local types = require "cupola.kernels.types"

local phases = {}

-- Operations of at least this weight (body.weight_of) are not computed again.
local COSTLY = 3
-- The most text, in the units of body.weight, that a phase may be unrolled to.
local LIMIT = 700

-- What each register is: row (one value for the row), phase, and by instruction number the reductions.
local function analyse(spec)
  local a = { row = {}, phase = {}, reductions = {}, first = #spec.leaves + #spec.scalars, last = 0 }
  for k, leaf in ipairs(spec.leaves) do
    a.row[k - 1], a.phase[k - 1] = leaf.access == "same" or leaf.access == "one", 0
  end
  for k = 1, #spec.scalars do a.row[#spec.leaves + k - 1], a.phase[#spec.leaves + k - 1] = true, 0 end
  for k, instr in ipairs(spec.instrs) do
    local reg, row, phase = a.first + k - 1, true, 0
    for _, arg in ipairs(instr.args) do
      row, phase = row and a.row[arg], math.max(phase, a.phase[arg])
    end
    if instr.op == "reduce" then
      a.reductions[#a.reductions + 1] = { reg = reg, instr = instr, phase = phase, number = #a.reductions + 1 }
      row, phase = true, phase + 1
    end
    a.row[reg], a.phase[reg] = row, phase
  end
  for _, output in ipairs(spec.outputs) do a.last = math.max(a.last, a.phase[output.reg]) end
  return a
end

local function is_row_output(output) return output.access == "same" or output.access == "one" end

-- The registers that phase k needs of each element: arguments of its reductions, and in the last phase the
-- outputs.
local function wanted(spec, a, k)
  local list = {}
  for _, r in ipairs(a.reductions) do
    if r.phase == k then
      for _, arg in ipairs(r.instr.args) do list[#list + 1] = arg end
    end
  end
  for _, output in ipairs(spec.outputs) do
    if k == a.last and not is_row_output(output) then list[#list + 1] = output.reg end
  end
  return list
end

-- Finds for each phase: instrs, the instructions computed for each element, in order; leaves that it reads.
-- Sets a.kept to the registers that are kept from the phase that first computes them, and a.loaded to the
-- phase that first reads each leaf.
local function schedule(spec, a, ops)
  a.kept, a.loaded, a.steps = {}, {}, {}
  local computed = {} -- the phase that first computed a register
  for k = 0, a.last do
    local step = { instrs = {}, seen = {} }
    local function visit(reg)
      if a.row[reg] or step.seen[reg] then return end
      step.seen[reg] = true
      local instr = spec.instrs[reg - a.first + 1]
      if reg < #spec.leaves then
        a.loaded[reg] = a.loaded[reg] or k
      elseif computed[reg] and computed[reg] < k and body.weight_of(instr, ops) >= COSTLY then
        a.kept[reg] = computed[reg]
      else
        for _, arg in ipairs(instr.args) do visit(arg) end
        computed[reg] = computed[reg] or k
        step.instrs[#step.instrs + 1] = reg
      end
    end
    for _, reg in ipairs(wanted(spec, a, k)) do visit(reg) end
    a.steps[k] = step
  end
end

local function leaf_type(spec, reg) return types[spec.leaves[reg + 1].dtype] end

-- struct cp_row: the registers of a row, and cp_kept: the values of elements that are kept.
local function structs(spec, a, registers)
  local row, kept = { "struct cp_row {\n" }, { "struct cp_kept {\n" }
  for reg = 0, a.first + #spec.instrs - 1 do
    local scalar = reg >= #spec.leaves and reg < a.first
    if a.row[reg] and not scalar then
      row[#row + 1] = string.format("  %s r%d;\n", types[registers[reg]].register, reg)
    elseif a.kept[reg] then
      kept[#kept + 1] = string.format("  %s r%d;\n", types[registers[reg]].register, reg)
    end
  end
  return table.concat(row) .. "};\n" .. table.concat(kept) .. "};\n"
end

-- The text of a register where elements or rows are computed.
local function declare(spec, a, l, registers, reg, needs)
  local t = types[registers[reg]]
  local from
  if reg < #spec.leaves then
    from = (a.row[reg] and "row.r" or "in.l") .. reg
  elseif reg < a.first then
    if t.kind == "complex" then needs:space(t.name) end
    from = types.scalar(t, l.scalars[reg - #spec.leaves + 1])
  else
    from = (a.row[reg] and "row.r" or "kept.r") .. reg
  end
  return string.format("  const %s r%d = %s;\n", t.register, reg, from)
end

-- Text that computes the instructions `list`; their other arguments are declared first. fast: by fast forms,
-- where there are some; `ok` says whether the results are right.
local function compute(spec, a, l, registers, list, ops, needs, fast)
  local out, known = {}, {}
  for _, reg in ipairs(list) do known[reg] = true end
  for _, reg in ipairs(list) do
    for _, arg in ipairs(spec.instrs[reg - a.first + 1].args) do
      if not known[arg] then
        known[arg] = true
        out[#out + 1] = declare(spec, a, l, registers, arg, needs)
      end
    end
  end
  for _, reg in ipairs(list) do
    local instr = spec.instrs[reg - a.first + 1]
    if fast then out[#out + 1] = body.fast_check(ops, needs, instr, a.row) end
    out[#out + 1] = string.format("  const %s r%d = %s;\n", types[instr.dtype].register, reg,
      body.instruction(ops, needs, instr, registers, fast, a.row))
  end
  return table.concat(out), known
end

-- cp_row_K: what is computed once for a row, when the reductions before phase k are known.
local function row_function(spec, a, l, registers, k, ops, needs)
  local list, loads = {}, {}
  for reg = a.first, a.first + #spec.instrs - 1 do
    local instr = spec.instrs[reg - a.first + 1]
    if a.row[reg] and a.phase[reg] == k and instr.op ~= "reduce" then list[#list + 1] = reg end
  end
  for reg = 0, #spec.leaves - 1 do
    if k == 0 and a.row[reg] then
      local t = leaf_type(spec, reg)
      loads[#loads + 1] = string.format("  row.r%d = %s;\n", reg,
        types.load(t, string.format("*(const %s *)at.l%d", t.memory, reg)))
    end
  end
  local text = compute(spec, a, l, registers, list, ops, needs)
  local keep = {}
  for n, reg in ipairs(list) do keep[n] = string.format("  row.r%d = r%d;\n", reg, reg) end
  return string.format("CP_FN void cp_row_%d(const cp_slots &p, const cp_place &at, cp_row &row) {\n%s%s%s}\n", k,
    table.concat(loads), text, table.concat(keep))
end

-- Whether phase k has operations whose fast forms pay, and its weight with and without them. A quotient of
-- halves uses the form where another operation does: the test that it needs costs more than it saves.
local function weigh(spec, a, k, ops, needs)
  local weight, fast_weight, fast = 0, 0, false
  for _, reg in ipairs(a.steps[k].instrs) do
    local instr = spec.instrs[reg - a.first + 1]
    local form, w = body.fast_form(ops, needs, instr, a.row), body.weight_of(instr, ops)
    local alone = not (instr.op == "divide" and types[instr.loop].half)
    fast = fast or form and alone
    weight, fast_weight = weight + w, fast_weight + w * (form and 0.5 or 1)
  end
  return fast, weight, fast_weight
end

-- cp_step_K: the values of an element that phase k needs. Results: v<N> and i<N> of reduction N, o<N> of
-- output N. cp_step_K_fast computes them by fast forms.
local function step_functions(spec, a, l, registers, k, ops, needs)
  local fields, results = {}, {}
  local function result(name, reg, t)
    fields[#fields + 1] = string.format("  %s %s;\n", types[t].register, name)
    results[#results + 1] = { name, reg, t }
  end
  for _, r in ipairs(a.reductions) do
    if r.phase == k then
      result("v" .. r.number, r.instr.args[1], r.instr.loop)
      if r.instr.args[2] then result("i" .. r.number, r.instr.args[2], "int64") end
    end
  end
  for n, output in ipairs(spec.outputs) do
    if k == a.last and not is_row_output(output) then result("o" .. n - 1, output.reg, output.dtype) end
  end
  local fast, weight, fast_weight = weigh(spec, a, k, ops, needs)
  local function text(qualifier, with_fast)
    local out, known = compute(spec, a, l, registers, a.steps[k].instrs, ops, needs, with_fast)
    local lines = { out }
    for _, r in ipairs(results) do
      if not known[r[2]] then lines[#lines + 1] = declare(spec, a, l, registers, r[2], needs) end
      known[r[2]] = true
    end
    for _, r in ipairs(results) do
      lines[#lines + 1] = string.format("  out.%s = %s;\n", r[1], casts.text(needs, registers[r[2]], r[3], "r" .. r[2]))
    end
    for _, reg in ipairs(a.steps[k].instrs) do
      if a.kept[reg] == k then lines[#lines + 1] = string.format("  kept.r%d = r%d;\n", reg, reg) end
    end
    return string.format([[
%s cp_results_%d cp_step_%d%s(const cp_slots &p, const cp_row &row, const cp_inputs &in, cp_kept &kept%s) {
  cp_results_%d out;
%s  return out;
}
]], qualifier, k, k, with_fast and "_fast" or "", with_fast and ", int &ok" or "", k, table.concat(lines))
  end
  local copies = spec.share * spec.vector
  fast = fast and fast_weight * copies <= LIMIT
  local slow = fast or weight * copies > LIMIT
  a.steps[k].fast = fast
  return string.format("struct cp_results_%d {\n%s};\n", k, table.concat(fields))
    .. text(slow and "CP_SLOW" or "CP_FN") .. (fast and text("CP_FN", true) or "")
end

-- A loop over `groups` groups of the thread, from `first` on, that takes the results of phase k for each
-- element e, by `take`. Groups behind the row's end are left out. Where there are fast forms, it runs again
-- by the full ones if one element needs them: for leaves that are read again, so that the threads need not
-- keep them meanwhile. What is kept of an element is copied for the step, as the full form may be a call: the
-- array itself would be in memory if its elements were passed by reference.
local function loop(a, k, first, groups, take)
  local function text(fast, inputs)
    return string.format([[
#pragma unroll
    for (int h = 0; h < %s; h++) {
      if (has[%s + h] == 0) continue;
#pragma unroll
      for (int e = h * CP_VECTOR; e < (h + 1) * CP_VECTOR; e++) {
        cp_kept now = kept[%s * CP_VECTOR + e];
        const cp_results_%d r = cp_step_%d%s(p, row, %s, now%s);
        kept[%s * CP_VECTOR + e] = now;
%s      }
    }
]], groups, first, first, k, k, fast and "_fast" or "", inputs, fast and ", ok" or "", first, take)
  end
  local inputs = string.format("in[%s * CP_VECTOR + e]", first)
  if not a.steps[k].fast then return text(false, inputs) end
  local fills = {}
  for j = 0, k do
    if a.steps[j].loads then
      fills[#fills + 1] = string.format(
        "#pragma unroll\n      for (int h = 0; h < %s; h++) cp_fill_%d(p, t, %s + h, again + h * CP_VECTOR);\n",
        groups, j, first)
    end
  end
  return string.format("    int ok = 1;\n%s    if (!ok) {\n      cp_inputs again[%s * CP_VECTOR] = {};\n%s%s    }\n",
    text(true, inputs), groups, table.concat(fills), text(false, "again[e]"))
end

-- cp_fill_K: loads the leaves that phase k is the first to read, for group g of the thread.
local function fill_function(spec, a, l, k)
  local copy = {}
  for reg = 0, #spec.leaves - 1 do
    if a.loaded[reg] == k then copy[#copy + 1] = string.format("    in[j].l%d = one.l%d;\n", reg, reg) end
  end
  a.steps[k].loads = #copy > 0
  if #copy == 0 then return "" end
  local loads = access.loads(spec, l, function(x) return a.loaded[tonumber(string.sub(x.name, 2))] == k end)
  loads = string.gsub(string.gsub(loads, "cp_load_group", "cp_load_group_" .. k), "cp_load_element",
    "cp_load_element_" .. k)
  return string.format([[
%sCP_FN void cp_fill_%d(const cp_slots &p, const cp_thread &t, int g, cp_inputs *in) {
  cp_place at;
  const int n = cp_group_size(t, g);
  if (n == 0) return;
  cp_place_group(p, t, g, at);
  if (n == CP_VECTOR) {
    cp_load_group_%d(p, at, in);
    return;
  }
#pragma unroll
  for (int j = 0; j < CP_VECTOR; j++) { // those behind the row's end repeat its last one
    const cp_inputs one = cp_load_element_%d(p, at, (cp_index)(j < n ? j : n - 1));
%s  }
}
]], loads, k, k, k, table.concat(copy))
end

-- The reductions of phase k: the structs they need, and statements of the kernel.
local function reduce_phase(a, k)
  local first, second = {}, {}
  local declared, taken, folds, squares, posts = {}, {}, {}, {}, {}
  for _, r in ipairs(a.reductions) do
    if r.phase == k then
      local n, red = r.number, "cp_red_" .. r.number
      first[#first + 1] = { number = n, type = red .. "::acc", functions = red }
      declared[#declared + 1] = string.format("    %s::value v%d[CP_COUNT];\n    long long i%d[CP_COUNT];\n", red, n, n)
      taken[#taken + 1] = string.format("      v%d[e] = r.v%d;\n      i%d[e] = %s;\n", n, n, n,
        r.instr.args[2] and "r.i" .. n or "0")
      folds[#folds + 1] = string.format("    all.m%d = %s::fold(v%d, i%d, has);\n", n, red, n, n)
      local total = "all.m" .. n
      if r.moments then
        second[#second + 1] = { number = n, type = red .. "::squares", functions = red .. "::squares" }
        squares[#squares + 1] = string.format(
          "    const %s::value near%d = %s::near(all.m%d);\n    more.m%d = %s::fold_squares(v%d, has, near%d);\n", red,
          n, red, n, n, red, n, n)
        total = string.format("%s::total_of(all.m%d, more.m%d, near%d)", red, n, n, n)
      end
      posts[#posts + 1] = string.format("    row.r%d = %s::post(p, %s);\n", r.reg, red, total)
    end
  end
  if #first == 0 then return "", "" end
  local name = "cp_all_" .. k
  local texts = gather.struct(name, first)
  local steps = string.format("    %s all;\n%s    all = cp_gather<%s_join>(all);\n", name, table.concat(folds), name)
  if #second > 0 then
    local more = "cp_more_" .. k
    texts = texts .. gather.struct(more, second)
    steps = steps .. string.format("    %s more;\n%s    more = cp_gather<%s_join>(more);\n", more,
      table.concat(squares), more)
  end
  return texts, "  {\n" .. table.concat(declared) .. loop(a, k, "0", "CP_SHARE", table.concat(taken)) .. steps
    .. table.concat(posts) .. "  }\n"
end

-- The stores of the last phase.
local function store_statements(spec, a, registers, needs)
  local whole, once = false, {}
  for n, output in ipairs(spec.outputs) do
    local t = types[output.dtype]
    if is_row_output(output) then
      once[#once + 1] = string.format("    *(%s *)t.row.o%d = %s;\n", t.memory, n - 1,
        types.store(t, casts.text(needs, registers[output.reg], output.dtype, "row.r" .. output.reg)))
    else
      whole = true
    end
  end
  local out = {}
  if whole then
    out[1] = string.format([[
#pragma unroll
  for (int g = 0; g < CP_SHARE; g++) {
    cp_place at;
    cp_results out[CP_VECTOR];
    const int n = has[g];
    if (!t.mine || n == 0) continue;
%s%s    cp_place_group(p, t, g, at);
    if (n == CP_VECTOR) {
      cp_store_group(p, at, out);
      continue;
    }
#pragma unroll
    for (int j = 0; j < CP_VECTOR; j++)
      if (j < n) cp_store_element(p, at, (cp_index)j, out[j]);
  }
]], a.steps[a.last].loads and string.format("    cp_fill_%d(p, t, g, in + g * CP_VECTOR);\n", a.last) or "",
      loop(a, a.last, "g", "1", "      out[e] = r;\n"))
  end
  if #once > 0 then out[#out + 1] = "  if (t.mine && t.lane == 0) {\n" .. table.concat(once) .. "  }\n" end
  return table.concat(out), whole
end

-- How many blocks a multiprocessor should hold: registers for what a thread keeps, and 28 besides. Three
-- small blocks with some more registers each were faster than four.
local function bounds(spec, a, registers, threads)
  local bytes = 0
  for reg, phase in pairs(a.loaded) do
    if phase < a.last then bytes = bytes + math.max(4, types[registers[reg]].size) end
  end
  local each = bytes / 4 * spec.share * spec.vector + 28
  local per_thread = each <= 40 and 40 or each <= 48 and 48 or each > 64 and 128 or threads > 256 and 64 or 80
  return math.max(1, math.floor(65536 / per_thread / threads))
end

--- The text of a plan with phases, behind the preludes and the basics.
---@param env table  as for generate.new
---@param spec table
---@param l table  the layout of its slots
---@param needs table  the preludes it needs
---@return string
function phases.source(env, spec, l, needs)
  local registers, a = body.registers(spec), analyse(spec)
  schedule(spec, a, env.ops)
  local threads = math.max(256, spec.lanes)
  local functions, reds, kernel = {}, {}, {}
  for _, r in ipairs(a.reductions) do reds[#reds + 1] = gather.reduction(spec, l, env.reds, needs, r) end
  for k = 0, a.last do
    functions[#functions + 1] = fill_function(spec, a, l, k)
    functions[#functions + 1] = row_function(spec, a, l, registers, k, env.ops, needs)
    functions[#functions + 1] = step_functions(spec, a, l, registers, k, env.ops, needs)
    if a.steps[k].loads and k < a.last then
      kernel[#kernel + 1] = string.format(
        "#pragma unroll\n  for (int g = 0; g < CP_SHARE; g++) cp_fill_%d(p, t, g, in + g * CP_VECTOR);\n", k)
    end
    kernel[#kernel + 1] = string.format("  cp_row_%d(p, t.row, row);\n", k)
    local texts, statements = reduce_phase(a, k)
    functions[#functions + 1] = texts
    kernel[#kernel + 1] = statements
  end
  local stores, whole = store_statements(spec, a, registers, needs)
  local store_functions = whole and string.format("typedef cp_results_%d cp_results;\n", a.last)
    .. access.stores(spec, l, function(x) return not is_row_output(x.o) end) or ""
  return table.concat({
    string.format("#define CP_THREADS %d\n#define CP_LANES %d\n#define CP_SHARE %d\n", threads, spec.lanes, spec.share),
    "#define CP_MEMBER static __device__ __forceinline__\n",
    body.inputs(spec),
    access.place(spec, l),
    access.locate_reduction(spec, l),
    env.embedded("kernels/blocks.cu"),
    env.embedded("kernels/rows.cu"),
    structs(spec, a, registers),
    table.concat(reds),
    table.concat(functions),
    store_functions,
    string.format(
      'extern "C" __global__ void __launch_bounds__(CP_THREADS, %d) CP_ENTRY(const __grid_constant__ cp_slots p) {\n',
      bounds(spec, a, registers, threads)),
    [[
  CP_AWAIT;
  const cp_thread t = cp_begin(p);
  cp_inputs in[CP_COUNT] = {};
  cp_kept kept[CP_COUNT];
  cp_row row;
  int has[CP_SHARE];
#pragma unroll
  for (int g = 0; g < CP_SHARE; g++) has[g] = cp_group_size(t, g);
]],
    table.concat(kernel),
    stores,
    "}\n",
  })
end

return phases
