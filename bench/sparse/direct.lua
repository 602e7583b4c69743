-- Direct solvers on Laplacians of a square and a cube: lua direct.lua [2:SIDE | 3:SIDE ...] [-o FOLDER]
-- Prints for each the seconds that factoring, a solution by the factors, and spsolve take, the residual as a
-- share of the right side, and what factored. Where FOLDER is given, it gets the solutions as NAME.npy.

local cp = require "cupola"
local sp = cp.sparse
local linalg = sp.linalg

local systems, folder = {}, nil
for k = 1, #arg do
  if arg[k] == "-o" then folder = arg[k + 1] break end
  systems[#systems + 1] = arg[k]
end

local function second_difference(n)
  local side = cp.full({ n - 1 }, -1.0)
  return sp.diags({ side, cp.full({ n }, 2.0), side }, { -1, 0, 1 }, { n, n })
end

local function laplacian(axes, n)
  local A, D = second_difference(n), second_difference(n)
  for _ = 2, axes do A = sp.kronsum(D, A) end
  return A:tocsr()
end

local function seconds(f)
  cp.synchronize()
  local begin = cp.clock()
  local result = f()
  cp.synchronize()
  return cp.clock() - begin, result
end

local function least(count, f)
  local best, result = math.huge, nil
  for _ = 1, count do
    local t, r = seconds(f)
    if t < best then best, result = t, r end
  end
  return best, result
end

for _, name in ipairs(systems) do
  local axes, side = name:match "^(%d):(%d+)$"
  local A = laplacian(tonumber(axes), tonumber(side))
  local n = A.shape[1]
  local b = cp.sin(cp.arange(n) * 0.37) + 0.5
  b:eval()
  local first, lu = seconds(function() return linalg.splu(A) end)
  local often = first < 2 and 2 or 1
  local factoring = least(often, function() return linalg.splu(A) end)
  local solving, x = least(5, function() return lu:solve(b) end)
  local B = cp.ascontiguousarray(cp.stack({ b, b * 2, b + 1, b - 1, b * 3, b + 2, b - 2, b * 4 }, 2))
  local eight, X = least(3, function() return lu:solve(B) end)
  local whole = least(often, function() return linalg.spsolve(A, b) end)
  local share = (cp.max(cp.abs(A:dot(x) - b)) / cp.max(cp.abs(b))):item()
  local same = (cp.max(cp.abs(X[{ {}, 1 }] - x)) / cp.max(cp.abs(x))):item()
  print(("%-8s n %8d  first %8.4f s  factor %8.4f s  solve %9.6f s  8 at once %9.6f s  spsolve %8.4f s"):format(name, n,
    first, factoring, solving, eight, whole) .. ("  residual %.1e  columns differ %.1e  %s"):format(share, same,
    tostring(lu):match "by .*" or "by SuperLU"))
  if folder then cp.save(folder .. "/" .. name:gsub(":", "-") .. ".npy", x) end
end
