-- Linear regression: the plane through noisy points, by least squares.
-- Prints the coefficients found beside the true ones (3, -2 and 0.5), the root mean square residual (about
-- 0.29, that of the noise) and the rank, 3. The argument changes the number of points.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 100000
local k = cp.arange(n, { dtype = "float64" })
local function spread(step) return (k * step) % 1 end -- evenly between 0 and 1

local x1, x2 = spread(0.6180339887498949), spread(0.41421356237309515)
local noise = spread(0.7320508075688772) - 0.5
local y = 3 * x1 - 2 * x2 + 0.5 + noise

local A = cp.stack({ x1, x2, cp.ones(n) }, 2)
local c, residuals, rank = cp.linalg.lstsq(A, y)
local rms = math.sqrt(residuals:item() / n)
print(("y = %.3f x1 %+.3f x2 %+.3f, from %d points on %s"):format(c[1], c[2], c[3], n, c.device))
print(("true: 3, -2, 0.5; root of the mean square residual %.3f; rank %d"):format(rms, rank))

local line = cp.polyfit(x1, y, 1) -- y against x1 alone: the slope again, the mean of the rest
print(("against x1 alone: %.2f x1 %+.2f"):format(line[1], line[2]))
return c, rms, rank
