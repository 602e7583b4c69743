-- The lookups of a plan as text: for each table a function cp_table_<number>, which takes the distance in
-- bytes that other axes add, if the table has one, and positions counted from 1, or from the end if negative,
-- and gives the element that they select. What is out of range is noted, and gives 0. A table has elements.

local types = require "cupola.kernels.types"

local lookup = {}

local POSITION = [[
// Whether position i is in range; then *at is where it lies on an axis of this length, counted from 0. One that
// is out of range is stored in the word at this address, 0 as the lowest number there is.
CP_FN bool cp_select(long long i, unsigned long long length, unsigned long long word, long long *at) {
  *at = i > 0 ? i - 1 : i + (long long)length;
  if ((unsigned long long)*at < length) return true;
  *(volatile long long *)word = i == 0 ? (long long)(1ull << 63) : i;
  *at = 0;
  return false;
}
]]

local function definition(number, t, slots)
  local of, parameters, steps = types[t.dtype], {}, {}
  if t.offset then parameters[1] = ", long long at" end
  for k = 1, t.count do
    parameters[#parameters + 1] = string.format(", long long i%d", k)
    steps[k] = string.format("  good = cp_select(i%d, p.s[%d], p.s[%d] + %d, &k) && good;\n"
      .. "  from += k * (long long)p.s[%d];\n", k, slots.lengths[k], slots.words, 8 * (k - 1), slots.strides[k])
  end
  local address = string.format("(const char *)p.s[%d]%s", slots.address, t.offset and " + at" or "")
  local element = types.load(of, string.format("*(const %s *)from", of.memory))
  return string.format("CP_FN %s cp_table_%d(const cp_slots &p%s) {\n  const char *from = %s;\n"
    .. "  bool good = true;\n  long long k;\n%s  const %s element = %s, none = {};\n"
    .. "  return good ? element : none;\n}\n", of.register, number, table.concat(parameters), address,
    table.concat(steps), of.register, element)
end

--- The functions for the tables of a spec, whose slots are l.tables.
---@return string
function lookup.definitions(spec, l)
  if not spec.tables then return "" end
  local out = { "#define CP_LOOKS 1\n", POSITION }
  for k, t in ipairs(spec.tables) do out[#out + 1] = definition(k, t, l.tables[k]) end
  return table.concat(out)
end

return lookup
