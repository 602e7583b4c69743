-- Compiles kernels of every family with NVRTC, which needs no GPU, and checks how long that takes:
--
--   ./dev lua tools/nvrtc-check.lua [-v] [-a] [FAMILY]
--
-- For sm_90 every reduction and every operation of floats, int64 and complex numbers is compiled alone. It
-- should take 150 ms of processor time on a machine that takes 20 ms for an empty kernel (in proportion on
-- slower ones), and must not take three times that: the slowest take 320 ms, and two threads of one core slow
-- each other by half. The operations of other dtypes and every pair of casts are compiled in batches. Of
-- routines and reductions that differ in dtypes and numbers alone one is compiled, and every third of the
-- rest. That one, and the operations of float32 and of half types in batches, are compiled for other
-- architectures as well, each kernel for one of them in turn, and routines also for the oldest. -a: all for
-- all. Prints the slowest kernels and how many are above 150 ms; exits with 1 when one does not compile or is
-- too slow.

require "cupola"
local core = require "cupola.core"
local routine = require "cupola.kernels.routine"
local types = require "cupola.kernels.types"

local SHOULD, MUST, EMPTY = 0.150, 0.450, 0.020
local TIMED, OTHERS, OLDEST = 90, { 75, 80, 100 }, 75
local INTEGERS = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local FLOATING = { "float16", "bfloat16", "float32", "float64" }
local COMPLEX = { "complex64", "complex128" }
local RESULTS = 8 -- outputs per batch

local ops, reds = core.operations()
local verbose, all, family = false, false, nil
for _, argument in ipairs(arg or {}) do
  if argument == "-v" then verbose = true elseif argument == "-a" then all = true else family = argument end
end

-- ---- specs ----

local function leaf(dtype, access) return { dtype = dtype, access = access } end

local function concat(...)
  local out = {}
  for _, list in ipairs { ... } do
    for _, v in ipairs(list) do out[#out + 1] = v end
  end
  return out
end

local ALL = concat({ "bool" }, INTEGERS, FLOATING, COMPLEX)

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function vector_for(dtype) return math.max(1, math.floor(16 / types[dtype].size)) end

local function elementwise(fields)
  local spec = { target = "cuda", ndim = 1, nred = 0, wide = false, scalars = {}, instrs = {} }
  for key, value in pairs(fields) do spec[key] = value end
  return spec
end

-- Leaves of operations whose dtype is not the one that is computed in, by number.
local OTHER = { bool = 4, int32 = 5, int64 = 6 }

-- An elementwise spec that applies each of the named operations to the same leaves.
local function operations(names, dtype)
  local vector = vector_for(dtype)
  local spec = elementwise {
    vector = vector,
    leaves = { leaf(dtype, "vector"), leaf(dtype, "vector"), leaf(dtype, "vector"), leaf(dtype, "vector"),
      leaf("bool", "vector"), leaf("int32", "vector"), leaf("int64", "index") },
    outputs = {},
  }
  for k, name in ipairs(names) do
    local result, args = core.operation_types(name, dtype)
    for a, of in ipairs(args) do args[a] = of == dtype and a - 1 or OTHER[of] end
    spec.instrs[k] = { op = name, loop = dtype, dtype = result, args = args }
    spec.outputs[k] = { dtype = result, access = "vector", reg = #spec.leaves + k - 1 }
  end
  return spec
end

local CHEAP = { "multiply", "add" }

-- A chain of `count` operations on two leaves.
local function chain(count, dtype, vector, cycle)
  cycle = cycle or { "add", "multiply", "sin", "subtract", "exp", "divide" }
  local spec = elementwise { vector = vector, leaves = { leaf(dtype, "vector"), leaf(dtype, "vector") } }
  for k = 1, count do
    local name = cycle[(k - 1) % #cycle + 1]
    local last = k == 1 and 0 or k
    spec.instrs[k] = { op = name, loop = dtype, dtype = dtype, args = ops[name].arity == 1 and { last } or { last, 1 } }
  end
  spec.outputs = { { dtype = dtype, access = "vector", reg = count + 1 } }
  return spec
end

-- Casts from one dtype to each of several.
local function casts(from, list)
  local spec = elementwise { vector = 1, leaves = { leaf(from, "strided") }, outputs = {} }
  for k, to in ipairs(list) do
    spec.instrs[k] = { op = "cast", loop = from, dtype = to, args = { 0 } }
    spec.outputs[k] = { dtype = to, access = "strided", reg = k }
  end
  return spec
end

-- Copies and sums with every kind of access.
local function accesses(dtype, vector, ndim, wide)
  return elementwise {
    vector = vector, ndim = ndim, wide = wide,
    leaves = { leaf(dtype, "vector"), leaf(dtype, "contiguous"), leaf(dtype, "strided"), leaf(dtype, "one"),
      ndim > 1 and leaf(dtype, "same") or leaf(dtype, "strided"), leaf("int64", "index") },
    scalars = { dtype },
    instrs = {
      { op = "add", loop = dtype, dtype = dtype, args = { 0, 1 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 2, 3 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 7, 8 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 9, 4 } },
      { op = "cast", loop = "int64", dtype = dtype, args = { 5 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 10, 11 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 12, 6 } },
    },
    outputs = { { dtype = dtype, access = vector > 1 and "vector" or "strided", reg = 13 } },
  }
end

-- a + b.T + c.T, all of dtype; `access` is that of b, and the elements of c are farther apart.
local function tiled(dtype, access, other, ndim, wide)
  local edge = ({ 128, 64, [4] = 64, [8] = 32, [16] = 32 })[math.max(types[dtype].size, types[other].size)]
  return elementwise {
    vector = math.max(1, math.min(4, vector_for(dtype))), ndim = ndim, wide = wide, tile = edge,
    leaves = { leaf(dtype, "vector"), leaf(dtype, access), leaf(other, "tile") },
    instrs = {
      { op = "add", loop = dtype, dtype = dtype, args = { 0, 1 } },
      { op = "cast", loop = other, dtype = dtype, args = { 2 } },
      { op = "add", loop = dtype, dtype = dtype, args = { 3, 4 } },
    },
    outputs = { { dtype = dtype, access = "vector", reg = 5 } },
  }
end

local function reduces(name, dtype)
  local red, t = reds[name], types[dtype]
  local floating = t.kind == "real" or t.kind == "complex"
  if (name == "any" or name == "all") then return t.kind ~= "complex" end
  if red.accumulator == "MOMENTS" or red.accumulator == "COUNTED" or red.post:find("r_over") then return floating end
  return t.kind ~= "boolean" or red.accumulator == "ARG"
end

local function reduction(name, dtype, strategy, fields)
  local red, t = reds[name], types[dtype]
  local position = red.accumulator == "ARG" and 1 or -1
  local result = position > 0 and "int64" or red.accumulator == "MOMENTS" and t.real or t.loop
  local columns = strategy == "column"
  local spec = {
    target = "cuda", ndim = 2, nred = 1, wide = false, strategy = strategy, scalars = {}, instrs = {},
    vector = columns and math.min(red.accumulator == "VALUE" and 4 or 2, vector_for(dtype)) or vector_for(dtype),
    leaves = { leaf(dtype, "vector"), position > 0 and leaf("int64", "index") or nil },
    outputs = { { dtype = result == t.loop and dtype or result, access = "same", reg = 0 } },
    red = name, acc = t.loop, value = 0, position = position, result = result,
  }
  for key, value in pairs(fields or {}) do spec[key] = value end
  return spec
end

-- ---- the families: {name, spec, alone (its time is bounded)} ----

local work = {}

local function add(kind, name, spec, alone)
  if not family or family == kind then
    work[#work + 1] = { kind = kind, name = kind .. " " .. name, spec = spec, alone = alone }
  end
end

local has_alone = {} -- dtypes whose operations are compiled one by one

local function add_operations()
  for _, dtype in ipairs(ALL) do
    local alone = dtype == "float32" or dtype == "float64" or dtype == "int64" or types[dtype].real
    local batch = {}
    for _, name in ipairs(sorted(ops)) do
      if core.operation_types(name, dtype) then
        if alone then add("operation", name .. " " .. dtype, operations({ name }, dtype), true) end
        batch[#batch + 1] = name
        if #batch == RESULTS then
          add("operations", batch[1] .. "... " .. dtype, operations(batch, dtype))
          batch = {}
        end
      end
    end
    if #batch > 0 then add("operations", batch[1] .. "... " .. dtype, operations(batch, dtype)) end
    has_alone[dtype] = alone
  end
end

local function add_casts()
  for _, from in ipairs(ALL) do
    for first = 1, #ALL, RESULTS do
      local list = {}
      for k = first, math.min(first + RESULTS - 1, #ALL) do list[#list + 1] = ALL[k] end
      add("casts", from .. " to " .. list[1] .. "...", casts(from, list))
    end
  end
end

-- A chain whose output and leaves have different alignments; the batches of reductions of such leaves.
local function shifted(dtype, ndim, wide)
  local spec = accesses(dtype, vector_for(dtype), ndim, wide)
  spec.shifted, spec.leaves[3].access = true, "contiguous"
  return spec
end

local function add_accesses()
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
    for _, wide in ipairs { false, true } do
      local label = dtype .. (wide and " wide" or "")
      add("access", label .. " vector", accesses(dtype, vector_for(dtype), 1, wide), true)
      add("access", label .. " strided 4-d", accesses(dtype, 1, 4, wide), true)
      add("access", label .. " vector 3-d", accesses(dtype, vector_for(dtype), 3, wide), true)
      if vector_for(dtype) > 1 then
        add("access", label .. " shifted", shifted(dtype, 1, wide), true)
        add("access", label .. " shifted 3-d", shifted(dtype, 3, wide), true)
      end
    end
  end
  for _, vector in ipairs { 1, 2, 4, 8, 16 } do
    add("access", "int8 by " .. vector, accesses("int8", vector, 2, false), true)
  end
  for _, count in ipairs { 3, 12, 24, 48 } do
    add("chain", count .. " float32", chain(count, "float32", 4), true)
    add("chain", count .. " cheap float32", chain(count, "float32", 4, CHEAP), true)
    add("chain", count .. " cheap float16", chain(count, "float16", 8, CHEAP), true)
    add("chain", count .. " cheap int8", chain(count, "int8", 16, CHEAP), true)
    add("chain", count .. " float32 alone", chain(count, "float32", 1), true)
    add("chain", count .. " float16", chain(count, "float16", 8), true)
    add("chain", count .. " float64", chain(count, "float64", 2), true)
  end
end

local function add_tiles()
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex128" } do
    for _, wide in ipairs { false, true } do
      local label = dtype .. (wide and " wide" or "")
      add("tile", label, tiled(dtype, "tile_word", dtype, 2, wide), true)
      add("tile", label .. " 4-d", tiled(dtype, "tile", "float32", 4, wide), true)
      add("tile", label .. " and bytes", tiled(dtype, "tile_word", "int8", 2, wide), true)
    end
  end
end

local function add_reductions()
  for _, name in ipairs(sorted(reds)) do
    for _, strategy in ipairs { "warp", "block", "split", "column" } do
      add("reduction", name .. " float32 " .. strategy, reduction(name, "float32", strategy), true)
    end
    for _, dtype in ipairs(ALL) do
      if dtype ~= "float32" and reduces(name, dtype) then
        for _, strategy in ipairs { "split", "column" } do
          add("reduction", name .. " " .. dtype .. " " .. strategy, reduction(name, dtype, strategy), true)
        end
      end
    end
  end
  for _, strategy in ipairs { "warp", "block", "split", "column" } do
    for _, dtype in ipairs { "bool", "int8", "uint16" } do
      local vector = strategy == "column" and 4 or vector_for(dtype)
      add("reduction", "wide sum " .. dtype .. " " .. strategy, reduction("sum", "int64", strategy,
        { leaves = { leaf(dtype, strategy == "block" and "contiguous" or "vector") }, vector = vector }), true)
    end
    local wide, deep = { ndim = 4, nred = 2, wide = true }, { ndim = 4, nred = 2 }
    add("reduction", "sum float32 wide 4-d " .. strategy, reduction("sum", "float32", strategy, wide))
    add("reduction", "argmax float64 4-d " .. strategy, reduction("argmax", "float64", strategy, deep))
  end
  local premap = chain(24, "float32", 4)
  for _, strategy in ipairs { "block", "split" } do
    add("reduction", "sum of 24 operations " .. strategy, reduction("sum", "float32", strategy,
      { leaves = premap.leaves, instrs = premap.instrs, value = 25 }), true)
  end
end

-- Reductions of differences of broadcast leaves. short: a row of `batch` elements; q is contiguous along it,
-- p lies anywhere. domain: long rows, p varies along the outputs, q along the rows.
local LINES, ACROSS, ALONG, NEAR, WORDS = 1, 2, 4, 8, 16 -- ORDER lua/cupola/kernels/domain.lua

local function broadcast(name, dtype, strategy, batch, fields)
  local short = strategy == "short"
  local spec = reduction(name, dtype, strategy, {
    ndim = 3, batch = batch,
    vector = (reds[name].accumulator == "VALUE" and batch <= 4 and dtype ~= "complex128") and 4 or 2,
    leaves = { leaf(dtype, short and "strided" or "vector"), leaf(dtype, "same") },
    reach = short and { ACROSS + ALONG, LINES + ALONG + NEAR } or { ACROSS, ALONG + NEAR + WORDS },
    instrs = { { op = types[dtype].kind == "boolean" and "multiply" or "subtract", loop = dtype, dtype = dtype,
      args = { 0, 1 } } },
    value = 2,
  })
  spec.outputs[1].access = "vector"
  if spec.position > 0 then
    spec.leaves[3], spec.reach[3] = leaf("int64", "index"), ALONG
    spec.position, spec.value = 2, 3
  end
  for key, value in pairs(fields or {}) do spec[key] = value end
  return spec
end

-- The forces of bodies on each other.
local function bodies(dtype)
  local spec = broadcast("sum", dtype, "domain", 4, {
    leaves = {}, reach = {}, instrs = {}, scalars = { dtype, dtype }, value = 20 })
  for k = 1, 3 do
    spec.leaves[2 * k - 1], spec.reach[2 * k - 1] = leaf(dtype, "same"), ALONG + NEAR + WORDS
    spec.leaves[2 * k], spec.reach[2 * k] = leaf(dtype, "vector"), ACROSS
  end
  local function then_do(op, ...)
    spec.instrs[#spec.instrs + 1] = { op = op, loop = dtype, dtype = dtype, args = { ... } }
  end
  for k = 0, 2 do then_do("subtract", 2 * k, 2 * k + 1) end -- 8 to 10
  for k = 8, 10 do then_do("multiply", k, k) end            -- 11 to 13
  then_do("add", 11, 12)
  then_do("add", 14, 13)
  then_do("add", 15, 6)
  then_do("sqrt", 16)
  then_do("multiply", 16, 17)
  then_do("divide", 7, 18)
  then_do("multiply", 8, 19)
  return spec
end

local function add_domains()
  local function each_way(name, dtype)
    if not reduces(name, dtype) then return end
    add("domain", name .. " " .. dtype, broadcast(name, dtype, "domain", 4), true)
    add("domain", name .. " " .. dtype .. " of 16", broadcast(name, dtype, "short", 16), true)
  end
  for _, name in ipairs(sorted(reds)) do each_way(name, "float32") end
  for _, dtype in ipairs { "bool", "int8", "int64", "float16", "float64", "complex64", "complex128" } do
    for _, name in ipairs { "sum", "max", "argmax", "var" } do each_way(name, dtype) end
  end
  add("domain", "distances", broadcast("sum", "float32", "short", 3), true)
  local wide = { ndim = 4, wide = true }
  add("domain", "wide 4-d", broadcast("sum", "float32", "domain", 4, wide), true)
  add("domain", "wide 4-d of 5", broadcast("sum", "float32", "short", 5, wide), true)
  for _, dtype in ipairs { "float32", "float64" } do add("domain", "bodies " .. dtype, bodies(dtype), true) end
  local bell = broadcast("sum", "float32", "domain", 4, { value = 4 })
  for k, name in ipairs { "multiply", "exp" } do
    bell.instrs[k + 1] = { op = name, loop = "float32", dtype = "float32", args = { k + 1, k == 1 and 2 or nil } }
  end
  add("domain", "sum of exponentials", bell, true)
  local long = chain(24, "float32", 4)
  for strategy, batch in pairs { short = 16, domain = 4 } do
    add("domain", "sum of 24 operations " .. strategy, broadcast("sum", "float32", strategy, batch,
      { instrs = long.instrs, value = 25 }), true)
  end
end

-- Every variant that the templates of kernels/routine name.
local function add_routines()
  for _, path in ipairs(core.embedded()) do
    local file = path:match "^kernels/routine/(.+)%.cu$"
    for _, variables in ipairs(file and routine.variants(core.embedded(path)) or {}) do
      add("routine", file .. " " .. variables, { routine = file, variables = variables }, true)
    end
  end
end

-- ---- compiling ----

-- Seconds, or nil and the compiler's message.
local function compile(source, arch)
  local ok, message, seconds = pcall(core.nvrtc_compile, source, arch)
  if ok then return seconds end
  return nil, message
end

local EMPTY_KERNEL = "extern \"C\" __global__ void cupola_kernel(float *a) { a[threadIdx.x] = 1; }"

-- The limit for this machine at the moment, as other work slows compilations too.
local function bound()
  local seconds, why = compile(EMPTY_KERNEL, TIMED)
  if not seconds then error("NVRTC does not work: " .. why, 0) end
  return MUST * math.max(1, seconds / EMPTY)
end

compile(EMPTY_KERNEL, TIMED) -- includes NVRTC's own start
local failed, compiled, slow, times = 0, 0, 0, {}

local function report(item, arch, why)
  failed = failed + 1
  print(("FAILED %s for sm_%d\n%s"):format(item.name, arch, why))
end

-- Further attempts distinguish a slow kernel from a busy machine.
local function check_time(item, source, seconds)
  local limit = MUST
  for _ = 1, 3 do
    if seconds <= limit then break end
    limit = bound()
    seconds = math.min(seconds, (compile(source, TIMED)) or seconds)
  end
  times[#times + 1] = { item.name, seconds }
  if seconds > limit then
    slow = slow + 1
    print(("TOO SLOW %s: %.0f ms, bound %.0f ms"):format(item.name, seconds * 1e3, limit * 1e3))
  end
end

local function check(item, arch)
  local ok, source = pcall(core.generate, item.spec)
  if not ok then return report(item, arch, source) end
  local seconds, why = compile(source, arch)
  if not seconds then return report(item, arch, why) end
  compiled = compiled + 1
  if verbose then print(("%6.1f ms  sm_%d  %s"):format(seconds * 1e3, arch, item.name)) end
  if item.alone and arch == TIMED then check_time(item, source, seconds) end
end

-- Marks the items that stand for those that differ from them in dtypes and numbers alone: the first of
-- float32, else the first.
local function choose()
  local chosen = {}
  for _, item in ipairs(work) do
    local key = item.name:gsub("%w+", function(word) return (types[word] or tonumber(word)) and "T" end)
    local other = chosen[key]
    if not other or item.name:find "float32" and not other.name:find "float32" then chosen[key] = item end
  end
  for _, item in pairs(chosen) do item.chosen = true end
end

-- Whether the item is compiled for other architectures, too. They share the texts but for a few lines.
local function elsewhere(item)
  if all then return true end
  if item.kind == "operations" then return item.name:find "float16" or item.name:find "float32" end
  return item.kind ~= "operation" and item.chosen
end

add_operations()
add_casts()
add_accesses()
require "tools.nvrtc_moves" {
  add = add, accesses = accesses, shifted = shifted, reduction = reduction, vector_for = vector_for }
require "tools.nvrtc_lookups" { add = add, accesses = accesses, reduction = reduction, vector_for = vector_for }
add_tiles()
add_reductions()
add_domains()
require "tools.nvrtc_draws" { add = add, leaf = leaf }
add_routines()
assert(loadfile "tools/nvrtc-phases.lua")()(add)
-- Whether others stand for the item where all is not asked for.
local others = 0
local function is_left_out(item)
  if all then return false end
  if item.kind == "operations" then return has_alone[item.name:match "%w+$"] end
  local many = item.kind == "routine" or item.kind == "reduction" or item.kind == "domain"
  if not many or item.chosen then return false end
  others = others + 1
  return others % 3 ~= 0
end

choose()
for _, item in ipairs(work) do
  if not is_left_out(item) then check(item, TIMED) end
end
local turn = 0
for _, item in ipairs(work) do
  if elsewhere(item) then
    turn = turn + 1
    for k, arch in ipairs(OTHERS) do
      local oldest = item.kind == "routine" and arch == OLDEST
      if all or oldest or turn % #OTHERS == k - 1 then check(item, arch) end
    end
  end
end

table.sort(times, function(a, b) return a[2] > b[2] end)
print("slowest:")
for k = 1, math.min(10, #times) do print(("%6.1f ms  %s"):format(times[k][2] * 1e3, times[k][1])) end
local above = 0
for _, t in ipairs(times) do above = above + (t[2] > SHOULD and 1 or 0) end
print(("%d above %.0f ms"):format(above, SHOULD * 1e3))
print(("%d kernels compiled, %d failed, %d of %d too slow"):format(compiled, failed, slow, #times))
os.exit(failed + slow == 0 and 0 or 1)
