-- k-means: points are grouped around centres that move until nothing changes.
-- Prints the number of rounds, the time, and the centres found, sorted, beside those that the points were
-- drawn around (they differ by a few hundredths). Then prints the share of points that were assigned to their
-- own group (above 99 %). The first argument changes the number of points; the second, if given, names the
-- file of an image.
local cp = require "cupola"

local n = tonumber(arg and arg[1]) or 100000
local file = arg and arg[2]
local TRUE = { { -4, -3 }, { -3, 4 }, { 0, 0 }, { 4, 3 }, { 5, -4 } }
local k, most = #TRUE, 100

local rng = cp.random.default_rng(7)
local centres = cp.array(TRUE, "float64")
local group = rng:integers(1, k + 1, n) -- positions count from 1
local points = centres[group] + 0.7 * rng:standard_normal { n, 2 }

-- For each point the nearest of the centres c, by the sum of squared distances over the axes.
local function nearest(c)
  local off = cp.expand_dims(points, 2) - cp.expand_dims(c, 1) -- n x k x 2, never stored
  return (off * off):sum(3):argmin(2)
end

-- The means of the groups; a group without points keeps its centre.
local function means(labels, c)
  local index = labels - 1 -- bincount counts the values from 0
  local count = cp.bincount(index, { minlength = k })
  local sums = {}
  for axis = 1, 2 do sums[axis] = cp.bincount(index, { weights = points[{ {}, axis }], minlength = k }) end
  return cp.where(cp.expand_dims(count, 2):gt(0), cp.stack(sums, 2) / cp.maximum(cp.expand_dims(count, 2), 1), c)
end

-- Initial centres: points that are far from each other.
local function first_centres()
  local c = points[{ { 1, 1 }, {} }]
  for _ = 2, k do
    local off = cp.expand_dims(points, 2) - cp.expand_dims(c, 1)
    local far = (off * off):sum(3):min(2):argmax():item()
    c = cp.concatenate { c, points[{ { far, far }, {} }] }
  end
  return c
end

local started = cp.clock()
local found, labels, rounds = first_centres(), nil, 0
for round = 1, most do
  local now = nearest(found)
  rounds = round
  if labels and cp.array_equal(now, labels) then break end
  labels = now
  found = means(labels, found)
end
local seconds = cp.clock() - started

-- The true centre nearest to each one that was found.
local off = cp.expand_dims(found, 2) - cp.expand_dims(centres, 1)
local meant = (off * off):sum(3):argmin(2)
local right = cp.mean(cp.take(meant, labels):eq(group)):item()

local rows = found:totable()
table.sort(rows, function(a, b) return a[1] < b[1] end)
print(("%d points on %s: %d rounds, %.1f ms"):format(n, points.device, rounds, seconds * 1e3))
for i, row in ipairs(rows) do
  print(("found (%6.3f, %6.3f)   drawn around (%2d, %2d)"):format(row[1], row[2], TRUE[i][1], TRUE[i][2]))
end
print(("%.2f %% of the points are in the group that they were drawn in"):format(right * 100))
if file then
  local some = points[{ { 1, math.min(n, 3000) }, {} }]
  cp.plot.scatter(some[{ {}, 1 }], some[{ {}, 2 }], { title = "points", file = file })
end
return rows, right, rounds
