-- Compares what a call returns or writes with what is expected: dtype, shape, and every element bit for bit
-- (all nans are equal). The functions return a message, or nil if nothing differs.

local cp = require "cupola"
local compare = require "spec.helper.compare"
local numbers = require "spec.helper.numbers"

local results = {}

function results.same_shape(a, b)
  if #a ~= #b then return false end
  for k = 1, #a do
    if a[k] ~= b[k] then return false end
  end
  return true
end

--- Describes the first difference between two arrays.
function results.difference(got, want)
  if not cp.is_array(got) then return "gave " .. tostring(got) end
  if got.dtype ~= want.dtype then return ("dtype %s, want %s"):format(got.dtype, want.dtype) end
  if not results.same_shape(got.shape, want.shape) then
    return ("shape %s, want %s"):format(tostring(got.shape), tostring(want.shape))
  end
  local g, w, size = got:tobytes(), want:tobytes(), numbers.itemsize[want.dtype]
  if g == w then return nil end
  local k = compare.differences(g, { dtype = want.dtype, bytes = w }, "exact")[1]
  if not k then return nil end
  local function text(bytes) return numbers.text(bytes:sub((k - 1) * size + 1, k * size), want.dtype) end
  return ("element %d is %s, want %s"):format(k, text(g), text(w))
end

--- Calls f, which must return `want`, or fail if that is nil.
function results.expect(want, f, ...)
  local ok, got = pcall(f, ...)
  if not ok then return want and ("failed: " .. tostring(got)) or nil end
  if not want then return "did not fail" end
  return results.difference(got, want)
end

--- Calls f, which must write c.want into the view take(base), and change neither the rest of base nor the
--- operands. f must fail if c.want is nil or cannot be written there. c.repeated: the values are broadcast to
--- the view.
---@param c {want: any, list: table, repeated: boolean?}
function results.expect_written(c, base, take, f, ...)
  local after, kept = base:copy(), {}
  local target = take(after)
  local writable = c.want and cp.can_cast(c.want.dtype, target.dtype, "same_kind") and
    (c.repeated or results.same_shape(c.want.shape, target.shape))
  if writable then target:assign(c.want:astype(target.dtype)) end
  for k, o in ipairs(c.list) do kept[k] = o.base and o.base ~= base and o.base:copy() end
  local ok, got = pcall(f, ...)
  if ok and not writable then return "did not fail" end
  if not ok and writable then return "failed: " .. tostring(got) end
  local bad = results.difference(base:copy(), after:copy()) -- copies: a bool may be any byte
  if bad then return "written: " .. bad end
  for k, o in ipairs(c.list) do
    bad = kept[k] and results.difference(o.base:copy(), kept[k])
    if bad then return ("operand %d changed: %s"):format(k, bad) end
  end
end

--- Raises an error with the first of the texts, if there are any.
function results.raise(failures, seed, calls)
  if #failures == 0 then return end
  error(("\n  seed %d: %d of %d calls\n  %s"):format(seed, #failures, calls,
    table.concat(failures, "\n  ", 1, math.min(12, #failures))), 0)
end

return results
