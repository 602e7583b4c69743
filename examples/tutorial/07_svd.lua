-- The singular value decomposition of a 1000 x 1000 matrix, doubled in place.
-- Prints the largest and the smallest singular value, the largest error of u * s * v^T (about 1e-12) and of
-- u^T u against the identity, and the time. The argument changes the size.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 1000
local k = cp.arange(n * n, { dtype = "float64" }):reshape(n, n)
local m = (cp.sin(k * k) * 43758.5453) % 1 -- scattered numbers between 0 and 1
m:mul_(2) -- in place

local t = cp.clock()
local u, s, vt = cp.linalg.svd(m)
local seconds = cp.clock() - t

local rebuilt = cp.matmul(u * s, vt) -- scales the columns of u by the singular values
local off = cp.abs(m - rebuilt):max():item()
local skew = cp.abs(cp.matmul(u.T, u) - cp.eye(n)):max():item()
print(("%d x %d on %s: singular values from %.4f down to %.2g"):format(n, n, m.device, s[1], s[-1]))
print(("largest error of u * s * vt: %.1e, of u^T u: %.1e"):format(off, skew))
print(("relative error in the Frobenius norm: %.1e"):format(
  (cp.linalg.norm(m - rebuilt) / cp.linalg.norm(m)):item()))
print(("%.1f ms"):format(seconds * 1e3))
return off, skew, s
