-- Expectations for specs of array functions: values as nested Lua tables, dtypes, shapes, and errors by a
-- part of their message. Numbers are compared with a tolerance only if one is given; nan equals nan.

local cp = require "cupola"

local expect = {}

local function text(v)
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for k = 1, #v do parts[k] = text(v[k]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(got, want, tolerance)
  if type(want) == "table" then
    if type(got) ~= "table" or #got ~= #want then return false end
    for k = 1, #want do
      if not same(got[k], want[k], tolerance) then return false end
    end
    return true
  end
  if type(want) ~= "number" then return got == want end
  if type(got) ~= "number" then got = tonumber(tostring(got)) end
  if got == nil then return false end
  return got == want or (got ~= got and want ~= want) or math.abs(got - want) <= (tolerance or 0)
end

-- The elements of x (an array or a Lua value) are those of `want`, a nested table or a value; and its dtype,
-- if given.
function expect.values(x, want, dtype, tolerance)
  local got = x
  if cp.is_array(x) then got = x.ndim == 0 and x:item() or x:totable() end
  if not same(got, want, tolerance) then error(("got %s, want %s"):format(text(got), text(want)), 2) end
  if dtype and x.dtype ~= dtype then error(("got dtype %s, want %s"):format(x.dtype, dtype), 2) end
end

function expect.shape(x, ...)
  if x:has_shape(...) then return end
  error(("got shape %s, want (%s)"):format(tostring(x.shape), table.concat({ ... }, ", ")), 2)
end

-- Checks that f(...) raises an error whose message contains `part` and the position of the caller's file.
function expect.failure(part, f, ...)
  local ok, message = pcall(f, ...)
  if ok then error("no error; expected one with: " .. part, 2) end
  if type(message) ~= "string" or not message:find(part, 1, true) then
    error(("got the error %q, want one with %q"):format(tostring(message), part), 2)
  end
end

expect.dtypes = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
  "float64", "complex64", "complex128",
}

-- Arrays of shape (2, 3) with the values 1..6 in C order, by layout; all must behave in the same way.
function expect.layouts(dtype)
  local x = cp.range(1, 6):reshape(2, 3):astype(dtype)
  local wide = cp.zeros({ 4, 6 }, dtype)
  local view = wide[{ { 1, 4, 2 }, { 6, 1, -2 } }]
  view:assign(x)
  return { contiguous = x, fortran = x:copy("F"), strided = view, transposed = x.T:copy().T }
end

return expect
