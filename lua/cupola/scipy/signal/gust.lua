-- Gustafsson's method of filtering forward and backward: initial states by which the results of both orders
-- of the two passes agree best. F. Gustafsson, "Determining the initial states in forward-backward
-- filtering", IEEE Transactions on Signal Processing 44(4), 1996.

return function(cp, core)
  local slice = core.slice

  local function backward(x) return slice(x, x.ndim, core.extent(x, -1), 1, -1) end

  -- The responses of m elements to each state, one state per column: that of the first state, later and
  -- later.
  local function responses(run, m, order, dtype, device)
    local options = { dtype = dtype, device = device }
    local zi = cp.zeros({ order }, options)
    zi[1] = 1
    local first, all = run(cp.zeros({ m }, options), zi), cp.zeros({ m, order }, options)
    for k = 1, math.min(order, m) do all[{ { k, m }, k }] = first[{ { 1, m + 1 - k } }] end
    return all
  end

  -- Two matrices side by side, or where only the ends of a signal are affected, in the corners of a larger
  -- one.
  local function both(a, b, whole)
    if whole then return cp.concatenate({ a, b }, 2) end
    local zeros = cp.zeros_like(a)
    return cp.concatenate({ cp.concatenate({ a, zeros }, 2), cp.concatenate({ zeros, b }, 2) }, 1)
  end

  --- x filtered along its last axis. run(x, zi) filters along the last axis, run_down(x) along the first; the
  --- states' responses are taken for 0 after irlen elements, if that is given.
  return function(x, run, run_down, order, irlen)
    local n = core.extent(x, -1)
    local m = (irlen == nil or n <= 2 * irlen) and n or irlen
    local whole, wide = m == n, cp.promote_types(x.dtype, "float64")
    local seen = responses(run, m, order, wide, x.device)
    local seen_back = slice(seen, 1, m, 1, -1)
    local twice = run_down(seen_back)
    local twice_back = slice(twice, 1, m, 1, -1)
    local forward = backward(run(backward(run(x))))
    local delta = run(backward(run(backward(x)))) - forward
    if not whole then
      delta = cp.concatenate({ slice(delta, x.ndim, 1, m), slice(delta, x.ndim, n - m + 1, n) }, x.ndim)
    end
    local states = cp.linalg.lstsq(both(twice_back - seen, seen_back - twice, whole),
      delta:astype(wide, false):reshape({ x.size / n, core.extent(delta, x.ndim) }).T)
    local shape = {}
    for d, length in ipairs(delta.shape) do shape[d] = length end
    local change = cp.matmul(both(twice_back, seen_back, whole), states).T:reshape(shape):astype(x.dtype, false)
    if whole then return forward + change end
    local y = forward:copy()
    for _, from in ipairs { 1, n - m + 1 } do
      local part, side = slice(y, x.ndim, from, from + m - 1), from == 1 and 1 or m + 1
      core.write("scipy.signal.filtfilt", part, part + slice(change, x.ndim, side, side + m - 1))
    end
    return y
  end
end
