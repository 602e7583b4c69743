-- The host rows of bench/tables/cupola.lua for a binding that does nothing (bare.c): userdata, calls, and
-- launches of an empty kernel. The output has the same format. Usage: bare.lua WHO, with bare.so on
-- package.cpath.

local bare = require "bare"
package.loaded.cupola = bare -- for timing.lua, whose host rows need only clock and synchronize
local report = dofile((arg[0]:match "^(.*/)" or "") .. "rows.lua")(arg[1])
local host = report.host

local a, b, c = bare.empty(100, "float32"), bare.empty(100, "float32"), bare.empty(100, "float32")
host("a + b, n = 100", function() return (a + b):eval() end)
host("a + 1, n = 100", function() return (a + 1):eval() end)
host("sum, n = 100", function() return a:sum():eval() end)
host('slice x["10:20"]', function() return a["10:20"] end)
host("slice x[{ {10, 20} }]", function() return a[{ { 10, 20 } }] end)
host("RawKernel, n = 100", function() bare.launch_with(1, 128, { a, b, c, 100 }) end)
host("empty(100)", function() return bare.empty(100, "float32") end)
host("a += b, n = 100", function() a:add_(b) end)
