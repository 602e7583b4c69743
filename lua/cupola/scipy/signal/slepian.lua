-- Discrete prolate spheroidal sequences: the eigenvectors of a tridiagonal matrix with the greatest
-- eigenvalues, which are far apart, unlike those of the concentration of energy that these also order.

-- How many eigenvalues are below x; d: the diagonal, squares: of what lies beside it.
local function count_below(d, squares, x)
  local count, q = 0, 1
  for k = 1, #d do
    q = d[k] - x - (k > 1 and squares[k - 1] / q or 0)
    if q == 0 then q = 1e-300 end
    if q < 0 then count = count + 1 end
  end
  return count
end

-- The eigenvalue with `index` smaller ones, by bisection.
local function eigenvalue(d, e, squares, index)
  local low, high = math.huge, -math.huge
  for k = 1, #d do
    local r = (e[k - 1] or 0) + (e[k] or 0)
    low, high = math.min(low, d[k] - r), math.max(high, d[k] + r)
  end
  while true do
    local middle = (low + high) / 2
    if middle <= low or middle >= high then return middle end
    if count_below(d, squares, middle) > index then high = middle else low = middle end
  end
end

-- The factors of the matrix less x on its diagonal, with exchanged rows: the upper one's diagonals u, v and
-- w, the lower one's factors, and which rows were exchanged.
local function factors(d, e, x)
  local n = #d
  local f = { u = {}, v = {}, w = {}, l = {}, exchanged = {} }
  local diagonal, beside = d[1] - x, e[1] or 0
  for k = 1, n - 1 do
    local below, next_diagonal, next_beside = e[k], d[k + 1] - x, e[k + 1] or 0
    if math.abs(diagonal) >= math.abs(below) then
      if diagonal == 0 then diagonal = 1e-300 end
      f.l[k] = below / diagonal
      f.u[k], f.v[k], f.w[k] = diagonal, beside, 0
      diagonal, beside = next_diagonal - f.l[k] * beside, next_beside
    else
      f.l[k], f.exchanged[k] = diagonal / below, true
      f.u[k], f.v[k], f.w[k] = below, next_diagonal, next_beside
      diagonal, beside = beside - f.l[k] * next_diagonal, -f.l[k] * next_beside
    end
  end
  f.u[n] = diagonal == 0 and math.abs(x) * 1e-16 + 1e-300 or diagonal
  return f
end

-- Replaces x by the solution of its system of equations, of norm 1.
local function solve(f, x)
  local n = #x
  for k = 1, n - 1 do
    if f.exchanged[k] then x[k], x[k + 1] = x[k + 1], x[k] end
    x[k + 1] = x[k + 1] - f.l[k] * x[k]
  end
  local largest = 0
  for k = n, 1, -1 do
    local rest = x[k] - (k < n and f.v[k] * x[k + 1] or 0) - (k < n - 1 and f.w[k] * x[k + 2] or 0)
    x[k] = rest / f.u[k]
    largest = math.max(largest, math.abs(x[k]))
  end
  local sum = 0
  for k = 1, n do
    x[k] = x[k] / largest
    sum = sum + x[k] * x[k]
  end
  local norm = math.sqrt(sum)
  for k = 1, n do x[k] = x[k] / norm end
end

-- Even sequences have a positive sum, odd ones begin with a positive lobe.
local function turned(x, order)
  local n, negative = #x, false
  if order % 2 == 0 then
    local sum = 0
    for k = 1, n do sum = sum + x[k] end
    negative = sum < 0
  else
    local least = math.max(1e-7, 1 / n)
    for k = 1, n do
      if x[k] * x[k] > least then
        negative = x[k] < 0
        break
      end
    end
  end
  if negative then
    for k = 1, n do x[k] = -x[k] end
  end
  return x
end

local function sequences(n, w, count)
  local d, e, squares, rows = {}, {}, {}, {}
  for k = 1, n do
    d[k] = ((n + 1 - 2 * k) / 2) ^ 2 * math.cos(2 * math.pi * w)
    if k < n then
      e[k] = k * (n - k) / 2
      squares[k] = e[k] * e[k]
    end
  end
  for order = 0, count - 1 do
    local f, x = factors(d, e, eigenvalue(d, e, squares, n - 1 - order)), {}
    for k = 1, n do x[k] = 1 + k * 0.6180339887 % 1 end
    for _ = 1, 3 do solve(f, x) end
    rows[order + 1] = turned(x, order)
  end
  return rows
end

return function(cp)
  local slepian = {}
  local pi = math.pi

  -- How much of each row's energy lies within w: its autocorrelation times the band's.
  local function ratios_of(rows, w)
    local n = rows.shape[2]
    local power = cp.square(cp.abs(cp.fft.rfft(rows, 2 * n)))
    local sums = cp.fft.irfft(power, 2 * n)[{ {}, { 1, n } }]
    local band = 4 * w * cp.sinc(2 * w * cp.arange(n, { dtype = "float64" }))
    band[1] = 2 * w
    return cp.matmul(sums, band)
  end

  -- What the highest value between the elements of the first row is, of those of an even number.
  local function correction(rows, n, nw, norm)
    if norm == "approximate" then return n * n / (n * n + nw) end
    local s = cp.fft.rfft(rows[1])
    local k = cp.arange(1, n / 2 + 1, { dtype = "float64" })
    local shifts = cp.exp(k * cp.complex(0, pi * (1 - 1 / n))) * 2
    return n / (s[1].re + (s[{ { 2, n / 2 + 1 } }] * shifts).real:sum())
  end

  --- `count` sequences of n elements as rows, normalized; and their ratios.
  function slepian.windows(n, nw, count, norm, with_ratios)
    local rows = cp.array(sequences(n, nw / n, count), "float64")
    local ratios = with_ratios and ratios_of(rows, nw / n) or nil
    if norm ~= 2 then
      rows = rows / rows:max()
      if n % 2 == 0 then rows = rows * correction(rows, n, nw, norm) end
    end
    return rows, ratios
  end

  return slepian
end
