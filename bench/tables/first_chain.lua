-- Measures the first evaluation of a chain of seven operations, when no cache has its kernel, in
-- milliseconds. Run it with CUPOLA_CACHE_DIR naming an empty folder.
-- Usage: first_chain.lua [loaded]   "loaded": first compile another kernel, which loads the
--                                compiler's library

local cp = require "cupola"
local x, y = cp.empty(1000000, "float32"), cp.empty(1000000, "float32") -- no kernel runs for these
cp.synchronize()
if arg[1] == "loaded" then
  cp.cos(x):eval()
  cp.synchronize()
end
local t = cp.clock()
local z = (cp.sqrt(x * x + y * y) * cp.exp(-x) + cp.sin(y)):eval()
cp.synchronize()
print(("%.1f"):format((cp.clock() - t) * 1e3))
assert(z.size == 1000000)
