-- Checked kernels: each position is compared with the lengths of its array, once and in 64 bits. One out of
-- range is recorded in the fault words that the kernel gets (kernels/user/jit.h); it reads 0, and what would
-- be stored is dropped. Memory of blocks and threads begins with zeros. Barriers that only some threads of a
-- block reach are errors of the text (uniform.lua).

local cuda = require "cupola.jit.cuda"

-- The number of a check, from 1.
local function note(self, array, index)
  local list = self.checks
  list[#list + 1] = { array = array.name, ndim = array.ndim, line = index.line, file = index.file }
  return #list
end

-- The step along axis k, in elements, as text.
local function step_of(self, array, index, k)
  if array.contiguous and k == array.ndim then return "1" end
  if array.parameter and not array.contiguous then return self:text(index.steps[k]) end
  local factors = {}
  for j = k + 1, array.ndim do factors[#factors + 1] = self:text(index.shape[j]) end
  return table.concat(factors, " * ")
end

--- The offset of an element, or a value that means none.
function cuda:checked_offset(array, index)
  local axes = {}
  for k = 1, array.ndim do
    axes[k] = string.format("{(long long)%s, (long long)%s, (long long)%s}", self:text(index[k]),
      self:text(index.shape[k]), "(" .. step_of(self, array, index, k) .. ")")
  end
  return string.format("cp_jit::place(cp_fault, %d, {%s})", note(self, array, index), table.concat(axes, ", "))
end

--- The arguments of cp_jit::load and store: the array and an offset.
function cuda:checked_element(array, index)
  return string.format("%s, %s", array.cname, index.text or self:offset(array, index))
end

--- An atomic, which gives 0 where there is no element.
function cuda:checked_atomic(n)
  local args, complete = self:operands(n.args)
  local t = self.dtypes[n.array.dtype].memory
  return string.format("[&]() -> %s { const long long cp_at = %s; return cp_at == cp_jit::none ? (%s)0 : %s; }()", t,
    self:offset(n.array, n.index), t,
    complete(string.format("cp_jit::atomic_%s(&%s[cp_at], %s)", n.name, n.array.cname, table.concat(args, ", "))))
end

--- What fills the arrays of the program with zeros; shared ones by all threads.
function cuda:clear_memory(list)
  local shared = false
  for _, array in ipairs(list) do
    if array.space == "local" then
      self:write(string.format("for (int cp_k = 0; cp_k < %d; cp_k++) %s[cp_k] = {};", array.total, array.cname))
    else
      shared = true
      local length = array.total and tostring(array.total) or array.extent.name
      self:write(string.format("for (long long cp_k = cp_jit::thread(); cp_k < %s; cp_k += cp_jit::threads()) "
        .. "%s[cp_k] = {};", length, array.cname))
    end
  end
  if shared then self:write "__syncthreads();" end
end
