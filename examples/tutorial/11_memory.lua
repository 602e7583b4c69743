-- Memory use: figures of the pool, a limit, a separate pool, and totals by line.
-- Prints the used and cached memory while arrays come and go, the error message of an allocation beyond a
-- limit, and how much memory each line allocated.
local cp = require "cupola"

local MB = 2 ^ 20
local pool = cp.get_default_memory_pool()

local function show(what)
  print(("%-28s used %5.1f MB, kept %5.1f MB"):format(what, pool:used_bytes() / MB, pool:free_bytes() / MB))
end

cp.collect()
local start = pool:used_bytes()
show "at the start"
local x = cp.zeros({ 1024, 1024 }, "float64"):eval()
show "with 8 MB in x"
local used = pool:used_bytes() - start
x:free()
show "after x:free()"
pool:free_all_blocks()
show "after free_all_blocks()"

-- A separate pool with a limit, for one function only.
local small = cp.cuda.MemoryPool()
small:set_limit(4 * MB)
local ok, problem = pcall(cp.cuda.using_allocator, small, function()
  return cp.ones({ 1024, 1024 }, "float64"):eval()
end)
print("within 4 MB: " .. (ok and "all right" or problem:match "out of memory.*"))

-- Memory by line of the script.
local report = cp.profiler.memory(function()
  local a = cp.ones({ 512, 512 }, "float32"):eval()
  local b = (a + a.T):eval()
  return b:sum():item()
end)
print(report)
return used, ok, report
