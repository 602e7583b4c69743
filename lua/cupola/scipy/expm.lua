-- The exponential of matrices: these are halved until a Pade approximant holds, which is then squared (Higham
-- 2005). The powers of the matrix decide how often, not its norm (Al-Mohy and Higham 2009): they may be much
-- smaller, and then more halvings would lose the small parts of the result.

return function(cp, core)
  local publish = core.publisher(cp.scipy.linalg, "scipy.linalg.")
  local usage = core.usage

  -- Coefficients of the Pade approximant of order 13, and the norm up to which it holds.
  local PADE = { 64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1 }
  local LARGEST = { float64 = 5.37, float32 = 3.9 }
  -- The same for roots of powers' norms, the unit roundoff, and the first coefficient of the error's series.
  local LARGEST_ROOT, UNIT = { float64 = 4.25, float32 = 3.9 }, { float64 = 2 ^ -53, float32 = 2 ^ -24 }
  local ORDER = 27 -- of the error's first term
  local ERROR = 1 / 113250775606021113483283660800000000

  local function powers(a)
    local a2 = cp.matmul(a, a)
    local a4 = cp.matmul(a2, a2)
    return a2, a4, cp.matmul(a4, a2)
  end

  local function approximant(a)
    local n, b = core.extent(a, -1), PADE
    local one = cp.eye(n, { dtype = a.dtype, device = a.device })
    local a2, a4, a6 = powers(a)
    -- Divided by the largest coefficient, so that float32 does not overflow.
    local function c(k) return b[k + 1] / b[1] end
    local u = cp.matmul(a6, a6 * c(13) + a4 * c(11) + a2 * c(9)) + a6 * c(7) + a4 * c(5) + a2 * c(3) + one * c(1)
    local v = cp.matmul(a6, a6 * c(12) + a4 * c(10) + a2 * c(8)) + a6 * c(6) + a4 * c(4) + a2 * c(2) + one * c(0)
    u = cp.matmul(a, u)
    return cp.linalg.solve(v - u, v + u)
  end

  -- The 1-norm of each matrix, of shape (..., 1, 1).
  local function norms(a)
    return cp.abs(a):sum { axis = -2, keepdims = true }:max { axis = -1, keepdims = true }:astype("float64", false)
  end

  -- The least k >= 0 for which value / 2^k is at most bound.
  local function halvings(value, bound) return cp.maximum(cp.ceil(cp.log2(value / bound)), 0) end

  local function halved(a, times) return a * cp.ldexp(cp.ones_like(times), -times:astype "int32"):astype(a.dtype) end

  -- The norms of |a|^ORDER, divided by those of a.
  local function error_of(a, norm)
    local size, sums = cp.abs(a), cp.ones_like(cp.real(a)[{ cp.ellipsis, { 1, 1 }, {} }])
    for _ = 1, ORDER do sums = cp.matmul(sums, size) end
    return sums:max { axis = -1, keepdims = true }:astype("float64", false) / norm
  end

  -- How often each matrix is halved; norm: their norms.
  local function squarings(a, norm)
    local dtype = core.real_dtype(a.dtype)
    local unit = halvings(norm, 1) -- leaves norms of at most 1, whose powers do not overflow
    local small = halved(a, unit)
    local _, a4, a6 = powers(small)
    local root6, root8 = norms(a6) ^ (1 / 6), norms(cp.matmul(a4, a4)) ^ (1 / 8)
    local root10 = norms(cp.matmul(a4, a6)) ^ (1 / 10)
    local root = cp.minimum(cp.maximum(root6, root8), cp.maximum(root8, root10))
    local few = cp.maximum(cp.ceil(cp.log2(root / LARGEST_ROOT[dtype]) + unit), 0)
    local ratio = error_of(small, norms(small)) * (ERROR / UNIT[dtype])
    few = few + cp.maximum(cp.ceil(cp.log2(ratio) / (ORDER - 1) + unit - few), 0)
    return cp.fmin(few, halvings(norm, LARGEST[dtype])) -- a matrix of zeros has no ratio
  end

  --- The exponential of square matrices.
  ---@param A any  (..., n, n)
  ---@return any  floating array
  publish("expm", "A", 1, function(where, A)
    local a = core.linalg.take_square(where, A)
    a = a:astype(core.linalg.dtype(where, a), false)
    if a.size == 0 then return a:copy() end
    local norm = norms(a)
    local largest = norm:max():item()
    if largest ~= largest or largest == cp.inf then usage(where, "the matrix has infinities or nan") end
    if largest <= LARGEST[core.real_dtype(a.dtype)] then return approximant(a) end
    local times = squarings(a, norm):eval()
    local result = approximant(halved(a, times))
    for k = 1, times:max():item() do
      local squared = cp.matmul(result, result)
      result = a.ndim == 2 and squared or cp.where(times:ge(k), squared, result)
    end
    return result
  end)
end
