-- Long calls of every family of functions that a host may interrupt (cupola_options.interrupt), run by
-- spec/embed/timed.c, which interrupts each after BEGUN seconds of processor time. Each must then end within
-- PATIENCE more seconds.

local begin, finish = begin, finish -- luacheck: ignore
local cp = require "cupola"
cp.device("cpu"):use()
local only = ...

local signal, ndimage, special = cp.scipy.signal, cp.scipy.ndimage, cp.scipy.special
local BEGUN, PATIENCE = 0.03, 0.15

local unpack = table.unpack or unpack -- luacheck: ignore

local function again(f, ...)
  for _ = 1, 1e9 do
    local result = f(...)
    if cp.is_array(result) then result:eval() end
  end
end

local function matrix(n) return cp.random.random({ n, n }):eval() end
local function vector(n) return cp.random.random(n):eval() end
local function whole(n, top) return cp.random.randint(1, top or n, n):eval() end

-- Writes a temporary file, calls f on it repeatedly, and removes it.
local function on_file(ending, write, f, ...)
  local name = os.tmpname()
  local path = name .. ending
  write(path)
  local ok, problem = pcall(again, f, path, ...)
  os.remove(name)
  os.remove(path)
  error(ok or problem, 0)
end

local function text(content)
  return function(path)
    local f = assert(io.open(path, "w"))
    f:write(content)
    f:close()
  end
end

local function nothing() end

local function picture() return (cp.random.random { 2000, 2000, 3 } * 255):astype "uint8":eval() end

-- {name, function that makes the arguments, function that works on them}
local WORKS = {
  { "unique", function() return vector(3e6) end, function(x) again(cp.unique, x) end },
  { "unique rows", function() return cp.random.randint(1, 4, { 300000, 4 }):eval() end,
    function(x) again(cp.unique, x, { axis = 1 }) end },
  { "union1d", function() return whole(2e6), whole(2e6) end, function(a, b) again(cp.union1d, a, b) end },
  { "isin", function() return whole(2e6), whole(1e6) end, function(a, b) again(cp.isin, a, b) end },
  { "lexsort", function() return { vector(1e6), vector(1e6) } end, function(k) again(cp.lexsort, k) end },
  { "partition", function() return vector(4e6) end, function(x) again(cp.partition, x, 1000) end },
  { "spawn", function() return cp.random.default_rng(1) end, function(g) g:spawn(5e6) end },
  { "median", function() return vector(4e6) end, function(x) again(cp.median, x) end },
  { "median of rows", function() return cp.random.random({ 300000, 10 }):eval() end,
    function(x) again(cp.median, x, 2) end },
  { "quantile", function() return vector(4e6) end,
    function(x) again(cp.quantile, x, cp.linspace(0, 1, 50)) end },
  { "percentile of rows", function() return cp.random.random({ 3000, 1000 }):eval() end,
    function(x) again(cp.percentile, x, { 10, 50 }, 2) end },
  { "histogram", function() return vector(4e6) end, function(x) again(cp.histogram, x, 100) end },
  { "histogram2d", function() return vector(2e6), vector(2e6) end,
    function(x, y) again(cp.histogram2d, x, y, 50) end },
  { "digitize", function() return vector(3e6), cp.linspace(0, 1, 100) end,
    function(x, b) again(cp.digitize, x, b) end },
  { "interp", function() return vector(3e6), cp.linspace(0, 1, 1000) end,
    function(x, p) again(cp.interp, x, p, p) end },
  { "cumprod of rows", function() return matrix(2000) end, function(x) again(cp.cumprod, x, 2) end },
  { "cummax", function() return vector(4e6) end,
    function(x) again(cp.cummax, x) end },
  { "diff", function() return vector(4e6) end, function(x) again(cp.diff, x, 50) end },
  { "gradient", function() return matrix(2000) end, function(x) again(cp.gradient, x) end },
  { "trapezoid", function() return matrix(2000) end, function(x) again(cp.trapezoid, x) end },
  { "einsum over many", function() return cp.ones { 30, 30, 30, 30 } end,
    function(x) cp.einsum("abcd,efgh,abef->cdgh", x, x, cp.ones { 30, 30, 30, 30 }):eval() end },
  { "einsum path", function()
    local a, s = {}, {}
    for k = 1, 24 do
      a[k] = cp.ones { 2, 2 }
      s[k] = string.char(96 + k, 97 + k)
    end
    return table.concat(s, ","), a
  end, function(s, a)
    again(function() return cp.einsum(s, (table.unpack or unpack)(a)) end) -- luacheck: ignore
  end },
  { "tensordot", function() return cp.random.random { 60, 60, 60 } end,
    function(x) again(cp.tensordot, x, x, 2) end },
  { "kron", function() return matrix(50) end, function(x) again(cp.kron, x, x) end },
  { "matrix_power", function() return matrix(500) end,
    function(x) again(cp.linalg.matrix_power, x, 1000) end },
  { "multi_dot", function() return matrix(400) end,
    function(x) again(cp.linalg.multi_dot, { x, x, x, x }) end },
  { "solve of many", function() return cp.random.random { 30000, 6, 6 } end,
    function(x) again(cp.linalg.solve, x, x) end },
  { "eigh of many", function() return cp.random.random { 30000, 6, 6 } end,
    function(x) again(cp.linalg.eigh, x) end },
  { "cholesky of many", function() return cp.broadcast_to(cp.eye(8), { 60000, 8, 8 }):copy() end,
    function(x) again(cp.linalg.cholesky, x) end },
  { "det of many", function() return cp.random.random { 60000, 8, 8 } end,
    function(x) again(cp.linalg.det, x) end },
  { "qr of many", function() return cp.random.random { 30000, 8, 8 } end,
    function(x) again(cp.linalg.qr, x) end },
  { "svd of middling ones", function() return cp.random.random { 200, 60, 60 } end,
    function(x) again(cp.linalg.svd, x) end },
  { "lu of middling ones", function() return cp.random.random { 200, 150, 150 } end,
    function(x) again(cp.linalg.inv, x) end },
  { "triangular systems", function() return cp.tril(matrix(1000)) + cp.eye(1000), matrix(1000) end,
    function(a, b) again(cp.scipy.linalg.solve_triangular, a, b, { lower = true }) end },
  { "fft of many", function() return cp.random.random { 8000, 128 } end,
    function(x) again(cp.fft.fft, x) end },
  { "fft2", function() return matrix(500) end, function(x) again(cp.fft.fft2, x) end },
  { "dct", function() return cp.random.random { 3000, 512 } end, function(x) again(cp.scipy.fft.dct, x) end },
  { "fftconvolve", function() return vector(500000), vector(500000) end,
    function(x, y) again(signal.fftconvolve, x, y) end },
  { "correlate", function() return vector(300000), vector(30000) end,
    function(x, y) cp.correlate(x, y, "full"):eval() end },
  { "convolve2d", function() return matrix(1000), matrix(60) end,
    function(x, y) signal.convolve2d(x, y):eval() end },
  { "medfilt", function() return vector(1e6) end, function(x) again(signal.medfilt, x, 31) end },
  { "medfilt2d", function() return matrix(400) end, function(x) again(signal.medfilt2d, x, 15) end },
  { "rank filter", function() return matrix(300) end, function(x) again(ndimage.rank_filter, x, 30, 21) end },
  { "median filter", function() return matrix(300) end, function(x) again(ndimage.median_filter, x, 21) end },
  { "maximum filter", function() return matrix(1000) end,
    function(x) again(ndimage.maximum_filter, x, 51) end },
  { "uniform filter", function() return matrix(1500) end,
    function(x) again(ndimage.uniform_filter, x, 25) end },
  { "gaussian filter", function() return matrix(1500) end,
    function(x) again(ndimage.gaussian_filter, x, 20) end },
  { "gaussian, wide", function() return vector(1e6) end,
    function(x) ndimage.gaussian_filter1d(x, 5e4):eval() end },
  { "wiener", function() return matrix(1000) end, function(x) again(signal.wiener, x, 9) end },
  { "lfilter of high order", function() return vector(1e6), vector(100) end,
    function(x, b) again(signal.lfilter, b, b * 0.001 + cp.eye(1, 100)[1], x) end },
  { "sosfilt", function() return vector(1e6), signal.butter(8, 0.2, { output = "sos" }) end,
    function(x, s) again(signal.sosfilt, s, x) end },
  { "filtfilt", function() return vector(1e6) end,
    function(x) again(signal.filtfilt, { 1, 0.5 }, { 1, -0.5 }, x) end },
  { "savgol", function() return vector(2e5) end, function(x) again(signal.savgol_filter, x, 9999, 3) end },
  { "savgol coefficients", function() return 3000001 end, function(n) again(signal.savgol_coeffs, n, 5) end },
  { "resample", function() return vector(1e6) end, function(x) again(signal.resample, x, 700000) end },
  { "resample_poly", function() return vector(1e5) end,
    function(x) again(signal.resample_poly, x, 101, 100) end },
  { "decimate", function() return vector(2e6) end, function(x) again(signal.decimate, x, 7) end },
  { "upfirdn", function() return vector(1e6), vector(500) end,
    function(x, h) signal.upfirdn(h, x, 3, 2):eval() end },
  { "find_peaks", function() return vector(1e6) end, function(x) again(signal.find_peaks, x) end },
  { "find_peaks with all", function() return vector(1e6) end,
    function(x) again(signal.find_peaks, x, { height = 0.1, distance = 10, prominence = 0.2 }) end },
  { "spectrogram", function() return vector(1e6) end, function(x) again(signal.spectrogram, x) end },
  { "welch", function() return vector(1e6) end, function(x) again(signal.welch, x) end },
  { "detrend", function() return matrix(1500) end, function(x) again(signal.detrend, x) end },
  { "detrend in pieces", function() return vector(1e6), (cp.arange(1, 100000) * 10):totable() end,
    function(x, b) signal.detrend(x, { bp = b }):eval() end },
  { "firwin", function() return 2000001 end, function(n) again(signal.firwin, n, 0.5) end },
  { "kaiser window", function() return 4e6 end, function(n) again(signal.windows.kaiser, n, 9) end },
  { "taylor window", function() return 1e6 end, function(n) again(signal.windows.taylor, n, 100) end },
  { "polyval", function() return vector(3000), vector(1e6) end, function(p, x) cp.polyval(p, x):eval() end },
  { "polymul", function() return vector(100000), vector(100000) end,
    function(p, q) again(cp.polymul, p, q) end },
  { "polydiv", function() return vector(20000), vector(10000) end, function(p, q) cp.polydiv(p, q) end },
  { "polyfit", function() return vector(1e6) end, function(x) again(cp.polyfit, x, x, 10) end },
  { "polyint", function() return vector(1e6) end, function(x) cp.polyint(x, 5000) end },
  { "polyder", function() return vector(1e6) end, function(x) again(cp.polyder, x, 5000) end },
  { "poly", function() return vector(20000) end, function(x) cp.poly(x) end },
  { "roots", function() return vector(200) end, function(x) again(cp.roots, x) end },
  { "vander", function() return vector(3000) end, function(x) again(cp.vander, x, 1000) end },
  { "cov", function() return cp.random.random { 500, 5000 } end, function(x) again(cp.cov, x) end },
  { "corrcoef", function() return cp.random.random { 500, 5000 } end, function(x) again(cp.corrcoef, x) end },
  { "take_along_axis", function() local x = matrix(2000) return x, cp.argsort(x, 2) end,
    function(x, i) again(cp.take_along_axis, x, i, 2) end },
  { "choose", function() return whole(3e6, 3), { vector(3e6), vector(3e6), vector(3e6) } end,
    function(i, c) again(cp.choose, i, c) end },
  { "select", function() local x = vector(3e6) return { x:gt(0.5), x:lt(0.2) }, { x, x } end,
    function(c, x) again(cp.select, c, x, 0) end },
  { "piecewise", function() return vector(3e6) end,
    function(x) again(function() cp.piecewise(x, { x:gt(0.5) }, { 1, 2 }) end) end },
  { "repeat", function() return vector(1e6) end, function(x) again(cp.repeats, x, 7) end },
  { "repeats by an array", function() return vector(1e6), whole(1e6, 9) end,
    function(x, n) again(cp.repeats, x, n) end },
  { "tile", function() return matrix(300) end, function(x) again(cp.tile, x, { 10, 10 }) end },
  { "pad", function() return matrix(1500) end, function(x) again(cp.pad, x, 50, "reflect") end },
  { "roll", function() return matrix(2000) end, function(x) again(cp.roll, x, 7) end },
  { "insert", function() return vector(2e6), whole(1e6, 1e6) end,
    function(x, i) again(cp.insert, x, i, 1) end },
  { "delete", function() return vector(2e6), whole(1e6, 1e6) end, function(x, i) again(cp.delete, x, i) end },
  { "trim_zeros", function() return cp.zeros(4e6) end, function(x) again(cp.trim_zeros, x) end },
  { "packbits", function() return (vector(4e6):gt(0.5)):eval() end, function(x) again(cp.packbits, x) end },
  { "unpackbits", function() return cp.zeros(1e6, "uint8") end, function(x) again(cp.unpackbits, x) end },
  { "array_split", function() return cp.arange(1e6), 1000000 end, function(x, n) cp.array_split(x, n) end },
  { "split at a table", function() return cp.arange(1e6), cp.arange(1, 1e6 - 1):totable() end,
    function(x, t) cp.split(x, t) end },
  { "split at an array", function() return cp.arange(2e6), cp.arange(1, 2e6 - 1, "int64") end,
    function(x, t) cp.split(x, t) end },
  { "concatenating many", function()
    local list, x = {}, cp.arange(3)
    for k = 1, 300000 do list[k] = x end
    return list
  end, function(t) again(cp.concatenate, t) end },
  { "stacking many", function()
    local list, x = {}, cp.arange(3)
    for k = 1, 300000 do list[k] = x end
    return list
  end, function(t) again(cp.stack, t) end },
  { "a block of many", function()
    local list, x = {}, cp.arange(3)
    for k = 1, 300 do
      list[k] = {}
      for j = 1, 300 do list[k][j] = x:reshape(1, 3) end
    end
    return list
  end, function(t) again(cp.block, t) end },
  { "block_diag", function()
    local list, x = {}, cp.ones { 1, 1 }
    for k = 1, 3000 do list[k] = x end
    return list
  end, function(t) again(cp.scipy.linalg.block_diag, unpack(t)) end },
  { "meshgrid", function() return vector(2000) end,
    function(x) again(function() cp.meshgrid(x, x)[1]:copy() end) end },
  { "ix_", function() return whole(1000), matrix(1000) end,
    function(i, x) again(function() x[cp.ix_(i, i)]:eval() end) end },
  { "indices", function() return { 1000, 1000 } end, function(s) again(cp.indices, s) end },
  { "tril_indices", function() return 2000 end, function(n) again(cp.tril_indices, n) end },
  { "unravel_index", function() return whole(1e6) end,
    function(i) again(cp.unravel_index, i, { 1000, 1000 }) end },
  { "apply_along_axis", function() return cp.ones { 200000, 3 } end,
    function(x) cp.apply_along_axis(function(v) return v:sum() end, 2, x) end },
  { "apply_over_axes", function() return cp.ones { 200, 200, 200 } end,
    function(x) again(cp.apply_over_axes, cp.sum, x, { 1, 2 }) end },
  { "vectorize", function() return cp.vectorize(function(v) return v * 2 + 1 end), vector(3e6) end,
    function(f, x) again(f, x) end },
  { "frombuffer", function() return ("\1"):rep(4e6) end, function(s) again(cp.frombuffer, s, "uint8") end },
  { "tobytes", function() return vector(4e6) end, function(x) again(function() x:tobytes() end) end },
  { "tolist", function() return matrix(1000) end, function(x) again(function() x:totable() end) end },
  { "printing", function() cp.set_printoptions { threshold = 1e9 } return matrix(1000) end,
    function(x) again(tostring, x) end },
  { "printing complex ones", function() return vector(1e6) * cp.complex(0, 1) end,
    function(x) again(tostring, x) end },
  { "loadtxt", nothing,
    function() on_file("", function(path) cp.savetxt(path, cp.ones { 10000, 10 }) end, cp.loadtxt) end },
  { "genfromtxt", nothing, function()
    on_file("", text(("1,2,x,,5\n"):rep(300000)), cp.genfromtxt, { delimiter = "," })
  end },
  { "one long line", nothing, function() on_file("", text(("1 "):rep(3000000)), cp.loadtxt) end },
  { "savetxt", function() return cp.ones { 300000, 10 } end,
    function(x) on_file("", nothing, cp.savetxt, x) end },
  { "tofile as text", function() return cp.ones(3000000) end,
    function(x) on_file("", nothing, function(path) x:tofile(path, " ") end) end },
  { "spaces alone", function() return (" "):rep(1e6) end,
    function(s) again(cp.fromstring, s, "float64", { sep = " " }) end },
  { "npz in", function() return cp.ones(1e6) end, function(x)
    local function write(path) cp.savez_compressed(path, { x = x }) end
    on_file(".npz", write, function(path) return cp.load(path).x end)
  end },
  { "png out", picture, function(x) on_file(".png", nothing, cp.image.save, x) end },
  { "png in", picture, function(x)
    on_file(".png", function(path) cp.image.save(path, x) end, cp.image.load)
  end },
  { "colormap", function() return matrix(1500) end, function(x) again(cp.image.colormap, x) end },
  { "shuffle", function() return vector(3e6) end, function(x) again(cp.random.shuffle, x) end },
  { "permutation", function() return 3e6 end, function(n) again(cp.random.permutation, n) end },
  { "choice", function() return 3e6 end, function(n) again(cp.random.choice, n, n, false) end },
  { "choice with p", function() local p = vector(1e5) return 1e5, (p / p:sum()):eval() end,
    function(n, p) again(cp.random.choice, n, { size = 1e6, p = p }) end },
  { "poisson", function() return 3e6 end, function(n) again(cp.random.poisson, 30, n) end },
  { "gamma", function() return 3e6 end, function(n) again(cp.random.gamma, 0.3, 1, n) end },
  { "beta", function() return 3e6 end, function(n) again(cp.random.beta, 0.3, 3, n) end },
  { "zipf", function() return 3e6 end, function(n) again(cp.random.zipf, 1.1, n) end },
  { "hypergeometric", function() return 3e6 end,
    function(n) again(cp.random.hypergeometric, 1000, 1000, 500, n) end },
  { "multinomial", function() return cp.full({ 1000 }, 1e-3) end,
    function(p) again(cp.random.multinomial, 100, p, 3000) end },
  { "dirichlet", function() return cp.ones(100) end, function(a) again(cp.random.dirichlet, a, 30000) end },
  { "multivariate_normal", function() return cp.zeros(50), cp.eye(50) end,
    function(m, c) again(cp.random.multivariate_normal, m, c, 30000) end },
  { "rejection that hardly ends", function() return 1e6 end,
    function(n) again(cp.random.vonmises, 0, 1e-8, n) end },
  { "multigammaln", function() return vector(1000) + 1e6 end,
    function(x) again(special.multigammaln, x, 100000) end },
  { "logsumexp", function() return matrix(2000) end, function(x) again(special.logsumexp, x, 2) end },
  { "betainc", function() return vector(1e5) end, function(x) again(special.betainc, 0.5, 2, x) end },
  { "zeta", function() return vector(1e5) + 1.01 end, function(x) again(special.zeta, x, 1) end },
  { "hadamard", function() return 2048 end, function(n) again(cp.scipy.linalg.hadamard, n) end },
  { "toeplitz", function() return vector(2000) end, function(x) again(cp.scipy.linalg.toeplitz, x) end },
  { "hilbert", function() return 2000 end, function(n) again(cp.scipy.linalg.hilbert, n) end },
  { "assert_allclose", function() return vector(4e6) end,
    function(x) again(cp.testing.assert_allclose, x, x) end },
  { "argwhere", function() return (vector(3e6):gt(0.5)):eval() end, function(x) again(cp.argwhere, x) end },
  { "setdiff", function() return whole(1e6), whole(1e6) end, function(a, b) again(cp.setdiff1d, a, b) end },
  { "nanmedian", function() return vector(2e6) end, function(x) again(cp.nanmedian, x) end },
  { "average", function() return vector(3e6) end, function(x) again(cp.average, x, { weights = x }) end },
  { "cross", function() return cp.random.random { 1000000, 3 } end, function(x) again(cp.cross, x, x) end },
  { "convolve in halves", function() return vector(300000):astype "float16", vector(3000):astype "float16" end,
    function(x, y) again(cp.convolve, x, y) end },
  { "deep pending", function() return vector(100) end, function(x) for _ = 1, 1e9 do x = x + 1 end end },
}

local sp = cp.sparse

-- Sparse work on the Laplacian of a square of n x n points.
local function laplacian(n)
  local T = sp.diags({ cp.full({ n - 1 }, -1), cp.full({ n }, 4), cp.full({ n - 1 }, -1) }, { -1, 0, 1 })
  local S = sp.diags({ cp.full({ n - 1 }, -1), cp.full({ n - 1 }, -1) }, { -1, 1 }, { n, n })
  return (sp.kron(sp.eye(n), T) + sp.kron(S, sp.eye(n))):tocsc()
end

WORKS[#WORKS + 1] = { "sparse products", function() return laplacian(300) end, function(A) again(A.matmul, A, A) end }
WORKS[#WORKS + 1] = { "sparse sums", function() return laplacian(300) end, function(A) again(cp.add, A, A) end }
if pcall(sp.linalg.splu, sp.eye(2)) then
  WORKS[#WORKS + 1] = { "splu", function() return laplacian(250) end, function(A) again(sp.linalg.splu, A) end }
end

local late = {}

local function end_work(name, prepare, body)
  begin("preparing " .. name, 1e9)
  local arguments = { prepare() }
  finish()
  begin(name, BEGUN)
  local ok, message = pcall(body, unpack(arguments))
  local seconds = finish()
  print(("%-28s %.3f s"):format(name, seconds))
  local interrupted = not ok and tostring(message):find("interrupted by the host", 1, true)
  if not interrupted or seconds > BEGUN + PATIENCE then
    late[#late + 1] = ("%s: %.3f s, %s"):format(name, seconds, tostring(message))
  end
end

for _, work in ipairs(WORKS) do
  if not only or only == work[1] then end_work(unpack(work)) end
  cp.collect()
end
assert(#late == 0, "\n" .. table.concat(late, "\n"))
