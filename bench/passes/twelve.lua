-- The twelve programs of the second table of bench/passes/run, written with cupola's operators. Each has,
-- beside what nine.lua explains: must(size), the bytes that must move, as `moves` says in words (small
-- arrays left out), and library(size), the bytes of operands and results of the calls that
-- CUPOLA_LOG=fusion does not log: products of matrices, x[positions] and scatter_add. twelve.py has the
-- same programs for the peers.

local cp = require "cupola"
local data = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "data.lua")

local function batch_norm(size)
  local shape = { size.images, size.channels, size.pixels, size.pixels }
  local n = size.images * size.channels * size.pixels ^ 2
  local count = n / size.channels
  local x, dy = data.fractions(n, data.GOLDEN):reshape(shape), data.fractions(n, data.SILVER):reshape(shape)
  local g = (data.fractions(size.channels, data.SILVER) + 0.5):reshape(1, size.channels, 1, 1):eval()
  local b = data.fractions(size.channels, data.BRONZE):reshape(1, size.channels, 1, 1)
  local over = { axis = { 1, 3, 4 }, keepdims = true }
  return function()
    local m = x:mean(over)
    local d = x - m
    local deviation = cp.sqrt((d * d):mean(over) + 1e-5)
    local h = d / deviation
    local y = h * g + b
    local dg, db = (dy * h):sum(over), dy:sum(over)
    local dx = g / deviation * (dy - db / count - h * dg / count)
    cp.eval(y, dx, dg, db)
    return y, dx, dg, db
  end
end

local function attention(size)
  local shape = { size.heads, size.tokens, size.width }
  local n = size.heads * size.tokens * size.width
  local q, k = data.scrambled(n):reshape(shape), data.fractions(n, data.GOLDEN):reshape(shape)
  local v = data.fractions(n, data.SILVER):reshape(shape)
  local scale = 1 / math.sqrt(size.width)
  return function()
    local s = cp.matmul(q, k.mT) * scale
    local e = cp.exp(s - s:max { axis = 3, keepdims = true })
    return cp.matmul(e / e:sum { axis = 3, keepdims = true }, v):eval()
  end
end

local function k_means(size)
  local n, d, k = size.samples, size.coordinates, size.centres
  local p = data.scrambled(n * d):reshape(n, d)
  local c = data.scrambled(2 * k * d)[{ { k * d + 1, 2 * k * d } }]:reshape(k, d):eval()
  return function()
    local difference = p:reshape(n, 1, d) - c:reshape(1, k, d)
    local nearest = (difference * difference):sum(3):argmin(2)
    local sums, counts = cp.zeros({ k, d }, "float32"), cp.zeros(k, "float32")
    cp.scatter_add(sums, nearest, p)
    cp.scatter_add(counts, nearest, 1)
    return (sums / counts:maximum(1):reshape(k, 1)):eval()
  end
end

local function page_rank(size)
  local n = size.nodes
  local from = data.positions(data.scrambled(size.edges), n)
  local to = data.positions(data.fractions(size.edges, data.SILVER), n)
  local degree = cp.bincount(from, nil, n + 1)[{ { 2, n + 1 } }]:astype("float32"):eval()
  local rank = ((data.fractions(n, data.GOLDEN) + 0.5) / n):eval()
  return function()
    local share = rank / degree:maximum(1)
    local dangling = (rank * degree:eq(0)):sum()
    local sums = cp.zeros(n, "float32")
    cp.scatter_add(sums, to, share[from])
    local new = 0.85 * (sums + dangling / n) + 0.15 / n
    local change = (new - rank):abs():sum()
    cp.eval(new, change)
    return new, change
  end
end

local function red_black(size)
  local n = size.grid
  local u = data.fractions(n * n, data.GOLDEN):reshape(n, n)
  local f = data.fractions(n * n, data.SILVER):reshape(n, n)
  local i = cp.arange(n)
  local red = ((i:reshape(n, 1) + i:reshape(1, n)) % 2):eq(0):eval()
  local function relaxed(v)
    local mean = (cp.roll(v, 1, 1) + cp.roll(v, -1, 1) + cp.roll(v, 1, 2) + cp.roll(v, -1, 2) - f) / 4
    return v + 1.7 * (mean - v)
  end
  return function()
    local half = cp.where(red, relaxed(u), u)
    return cp.where(red, half, relaxed(half)):eval()
  end
end

local function cosine_similarity(size)
  local n, d = size.vectors, size.components
  local a = data.fractions(n * d, data.GOLDEN):reshape(n, d)
  local b = data.scrambled(n * d):reshape(n, d)
  return function() return ((a * b):sum(2) / cp.sqrt((a * a):sum(2) * (b * b):sum(2))):eval() end
end

local function moving_statistics(size)
  local x = data.scrambled(size.series)
  return function()
    local w = cp.sliding_window_view(x, size.window)
    local mean, deviation, low, high = w:mean(2), w:std(2), w:min(2), w:max(2)
    cp.eval(mean, deviation, low, high)
    return mean, deviation, low, high
  end
end

local function group_scores(size)
  local x = data.fractions(size.values, data.GOLDEN)
  local group = data.positions(data.scrambled(size.values), size.groups)
  return function()
    local count, sum = cp.zeros(size.groups, "float32"), cp.zeros(size.groups, "float32")
    local squares = cp.zeros(size.groups, "float32")
    cp.scatter_add(count, group, 1)
    cp.scatter_add(sum, group, x)
    cp.scatter_add(squares, group, x * x)
    local mean = sum / count
    local deviation = cp.sqrt(squares / count - mean * mean)
    return ((x - mean[group]) / deviation[group]):eval()
  end
end

local function sinkhorn(size)
  local n = size.masses
  local cost = (10 * data.scrambled(n * n)):reshape(n, n):eval()
  local weight = -math.log(n)
  local function row_or_column(potential, axis)
    local t = potential - cost
    local most = t:max { axis = axis, keepdims = true }
    return weight - (most + cp.log(cp.exp(t - most):sum { axis = axis, keepdims = true }))
  end
  return function()
    local f, g = nil, cp.zeros({ 1, n }, "float32")
    for _ = 1, size.sinkhorn_steps do
      f = row_or_column(g, 2)
      g = row_or_column(f, 1)
    end
    cp.eval(f, g)
    return f, g
  end
end

local function logistic_regression(size)
  local n, d = size.observations, size.features
  local X = data.scrambled(n * d):reshape(n, d)
  local y = data.fractions(n, data.SILVER):lt(0.3 + 0.4 * X[{ {}, 1 }]):astype("float32"):eval()
  local ridge = (1e-3 * cp.eye(d, d, 0, "float32")):eval()
  return function()
    local w = cp.zeros(d, "float32")
    for _ = 1, size.newton_steps do
      local p = 1 / (1 + cp.exp(-cp.matmul(X, w)))
      local gradient = cp.matmul(X.T, p - y)
      local hessian = cp.matmul(X.T, X * (p * (1 - p)):reshape(n, 1)) + ridge
      w = w - cp.linalg.solve(hessian, gradient)
    end
    return w:eval()
  end
end

local function stencil(size)
  local u = data.fractions(size.box ^ 3, data.GOLDEN):reshape(size.box, size.box, size.box)
  return function()
    local sum = cp.roll(u, 1, 1) + cp.roll(u, -1, 1) + cp.roll(u, 1, 2) + cp.roll(u, -1, 2)
      + cp.roll(u, 1, 3) + cp.roll(u, -1, 3)
    return (u + 0.1 * (sum - 6 * u)):eval()
  end
end

local function tone_mapping(size)
  local n = size.picture
  local image = (4 * data.fractions(3 * n * n, data.GOLDEN)):reshape(3, n, n):eval()
  return function()
    local luminance = 0.2126 * image[1] + 0.7152 * image[2] + 0.0722 * image[3]
    local key = 0.18 / cp.exp(cp.log(luminance + 1e-6):mean())
    local scaled = key * luminance
    local white = scaled:max()
    local mapped = scaled * (1 + scaled / (white * white)) / (1 + scaled)
    local colours = cp.clip(image * (mapped / (luminance + 1e-6)), 0, 1)
    return (255 * colours ^ (1 / 2.2)):astype("uint8"):eval()
  end
end

local function batch_elements(s) return s.images * s.channels * s.pixels ^ 2 end

return {
  {
    key = "batch norm and its gradient",
    tolerance = 1e-3,
    make = batch_norm,
    moves = "x and dy read, y and dx written",
    must = function(s) return 16 * batch_elements(s) end,
  },
  {
    key = "attention",
    make = attention,
    moves = "q, k and v read, the result written",
    must = function(s) return 16 * s.heads * s.tokens * s.width end,
    library = function(s) return s.heads * (16 * s.tokens * s.width + 8 * s.tokens ^ 2) end,
  },
  {
    key = "k-means step",
    tolerance = 1e-3,
    make = k_means,
    moves = "the samples read",
    must = function(s) return 4 * s.samples * s.coordinates end,
    library = function(s) return s.samples * (4 * s.coordinates + 16) end,
  },
  {
    key = "PageRank step",
    tolerance = 1e-3,
    make = page_rank,
    moves = "both ends of edges, degrees and ranks read, ranks written",
    must = function(s) return 16 * s.edges + 12 * s.nodes end,
    library = function(s) return 28 * s.edges end,
  },
  {
    key = "SOR, red and black",
    tolerance = 1e-3,
    make = red_black,
    moves = "u, f and the mask read, u written",
    must = function(s) return 13 * s.grid ^ 2 end,
  },
  {
    key = "cosine similarity of rows",
    make = cosine_similarity,
    moves = "both matrices read, a number a row written",
    must = function(s) return 8 * s.vectors * s.components + 4 * s.vectors end,
  },
  {
    key = "moving statistics",
    make = moving_statistics,
    moves = "the series read, four series written",
    must = function(s) return 20 * s.series end,
  },
  {
    key = "z-scores by groups",
    tolerance = 1e-3,
    make = group_scores,
    moves = "values and groups read, scores written",
    must = function(s) return 16 * s.values end,
    library = function(s) return 56 * s.values end,
  },
  {
    key = "Sinkhorn",
    tolerance = 1e-3,
    make = sinkhorn,
    moves = "the costs read for each half of a step",
    must = function(s) return 8 * s.sinkhorn_steps * s.masses ^ 2 end,
  },
  {
    key = "logistic regression by Newton steps",
    tolerance = 1e-2,
    make = logistic_regression,
    moves = "observations read once a step",
    must = function(s) return 4 * s.newton_steps * s.observations * (s.features + 1) end,
    library = function(s) return 8 * s.newton_steps * s.observations * s.features end,
  },
  {
    key = "3-d stencil, periodic",
    tolerance = 1e-3,
    make = stencil,
    moves = "the box read and written",
    must = function(s) return 8 * s.box ^ 3 end,
  },
  {
    key = "tone mapping",
    tolerance = 1e-3,
    make = tone_mapping,
    moves = "the picture read as float32, written as uint8",
    must = function(s) return 15 * s.picture ^ 2 end,
  },
}
