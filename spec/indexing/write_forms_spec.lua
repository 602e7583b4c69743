-- Every form of writing: assign, fill, copyto, indexes of all kinds, put and putmask; to every dtype and
-- layout; of arrays, views of the same memory, tables, and plain, typed and complex numbers. The result must
-- equal, bit for bit, the values converted by astype, element by element, and nothing else may change.
--   CUPOLA_CALLS=10, CUPOLA_CALLS_SEED=n   more, other ones

local cp = require "cupola"
local model = require "spec.helper.calls.model"
local generator = require "spec.helper.random.generator"
local operands = require "spec.helper.calls.operands"
local results = require "spec.helper.calls.results"

local seed, times, sample = operands.seed, operands.times, operands.sample

-- ---- where to write: positions(g, n) of elements of a 1-d view, and the key that names them

local regions = {}

function regions.all(_, n)
  local at = {}
  for k = 1, n do at[k] = k end
  return at, { {} }
end

function regions.element(g, n)
  local k = g.number(n)
  return { k }, g.chance(50) and k or { k - n - 1 }
end

function regions.range(g, n)
  local first, step = g.number(n), g.number(3)
  local at = {}
  for k = first, n, step do at[#at + 1] = k end
  return at, { { first, n, step } }
end

function regions.backwards(g, n)
  local first, at = g.number(n), {}
  for k = first, 1, -1 do at[#at + 1] = k end
  return at, { { first, 1, -1 } }
end

function regions.mask(g, n)
  local at, mask = {}, {}
  for k = 1, n do
    mask[k] = g.chance(40)
    if mask[k] then at[#at + 1] = k end
  end
  local m = cp.array(mask)
  return at, g.chance(50) and m or m:logical_or(m) -- in memory, and pending
end

function regions.positions(g, n)
  local at, taken = {}, {}
  for _ = 1, n do
    local k = g.number(n)
    if not taken[k] then at[#at + 1] = k end
    taken[k] = true
  end
  return at, cp.index(at)
end

local region_names = { "all", "element", "range", "backwards", "mask", "positions" }

-- ---- how to write v into the elements of x that a key names

local function by_index(x, key, v) x[key] = v end

local writers = {
  index = by_index,
  assign = function(x, key, v) x[key]:assign(v) end,
  fill = function(x, key, v) x[key]:fill(v) end,
  copyto = function(x, key, v) cp.copyto(x[key], v) end,
  update = function(x, key, v) x:update(key, function() return v end) end,
}
local of_views = { all = true, range = true, backwards = true }
local writer_names = { "index", "assign", "fill", "copyto", "update" }

-- ---- what must be there afterwards

-- The values as n elements of a dtype; nil: they cannot be written there.
local function converted(o, dtype, n)
  local value = o.plain
  if not value then
    local whole = dtype:find "int" ~= nil
    if o.kind == "c" and not dtype:find "^complex" or o.kind == "f" and whole then return nil end
    if o.kind == "i" and whole and not model.fits(o.given, dtype) then return nil end
    value = cp.full({}, o.given, dtype)
  elseif not cp.can_cast(value.dtype, dtype, "same_kind") then
    return nil
  end
  if value.ndim > 0 and value.size ~= n and value.size ~= 1 then return nil end
  if value.ndim > 0 and value.size == 1 then value = value:reshape({}) end
  return cp.broadcast_to(value:astype(dtype), { n }):copy()
end

-- Writes element by element.
local function write_slowly(view, at, values)
  for k, position in ipairs(at) do view:at(position):assign(values:at(k)) end
end

-- ---- cases

local kinds = operands.kinds()
for _, name in ipairs { "list", "itself", "itself" } do kinds[#kinds + 1] = { [name] = true } end

-- The values to write into n elements of x; single: into one that has no axis.
local function values_for(g, kind, x, n, single)
  if kind.typed then return operands.typed(g, kind.typed) end
  if kind.array then return operands.array(g, kind.array, (single or g.chance(30)) and {} or { n }, true) end
  if kind.bare or single then return operands.bare(g, kind.bare or "i") end
  if kind.list then return operands.list(g, { n }, x.dtype) end
  local first = g.number(x.size - n + 1) -- a part of the same memory, backwards or not
  local range = g.chance(50) and { first, first + n - 1 } or { first + n - 1, first, -1 }
  local view = x[{ range }]
  return { given = view, plain = view:copy(), dtype = x.dtype, text = ("itself from %d"):format(first) }
end

-- A pending value: what the same mask selects from another array.
local function selected(g, mask)
  local source = operands.plain(g, g.one_of(operands.dtypes), { mask.size })
  local part = source[mask:copy()]
  return { given = g.chance(50) and source[mask] or source[mask]:maximum(part), plain = part:copy(),
           dtype = source.dtype, text = "the mask's of " .. source.dtype }
end

local function check_write(g, dtype, kind)
  local n, layout, where = g.one_of { 1, 6, 9, 40 }, g.one_of(operands.layouts), g.one_of(region_names)
  local x, base, take = operands.arrange(operands.plain(g, dtype, { n }), layout)
  local at, key = regions[where](g, n)
  if kind.itself and #at == 0 then return nil end
  local how = of_views[where] and g.one_of(writer_names) or "index"
  local o = values_for(g, kind, x, #at, where == "element")
  if where == "mask" and kind.itself and g.chance(50) then o = selected(g, key) end
  if how == "fill" and cp.is_array(o.given) and o.given.ndim > 0 then how = "assign" end
  local after = base:copy()
  local want = converted(o, dtype, #at)
  if want then write_slowly(take(after), at, want) end
  local ok, message = pcall(writers[how], x, key, o.given)
  local text = ("%s %s(%d), %s of %s: %s: "):format(dtype, layout, n, how, where, o.text)
  if ok ~= (want ~= nil) then return text .. (ok and "did not fail" or tostring(message)) end
  local bad = results.difference(base:copy(), after:copy())
  return bad and text .. bad
end

describe("writing in every form", function()
  for j, dtype in ipairs(operands.dtypes) do
    it("into " .. dtype, function()
      local g, failures, calls = generator(seed * 1000 + j), {}, 0
      for round = 1, 12 * times do
        for k, kind in ipairs(kinds) do
          if (round + k) % sample == 0 then
            calls = calls + 1
            failures[#failures + 1] = check_write(g, dtype, kind)
          end
        end
      end
      results.raise(failures, seed, calls)
    end)
  end
end)
