-- Direct sums: result[o] = sum of x[o + start + k] * h[k] (src/lua/convolve.c). A convolution reads h from its end; a
-- correlation takes its conjugates. x and h have one dtype and as many axes.

return function(cp, core)
  local slice = core.slice
  local direct = {}

  -- Whether in2 is the larger one, which "valid" slides the other along; an error where neither is on all axes.
  function direct.must_swap(where, x, h, axes)
    local first, second = true, true
    for d = 1, x.ndim do
      if not axes or axes[d] then
        first, second = first and x.shape[d] >= h.shape[d], second and h.shape[d] >= x.shape[d]
      end
    end
    if not first and not second then
      core.raise(where, "shape", 'mode "valid" needs one array to be at least as long as the other on every axis, not '
        .. x.shape .. " and " .. h.shape)
    end
    return not first
  end

  function direct.turned(x)
    for d = 1, x.ndim do
      if x.shape[d] > 1 then x = slice(x, d, x.shape[d], 1, -1) end
    end
    return x
  end

  function direct.conjugate(x) return core.kind(x) == "c" and cp.conj(x) or x end

  -- What core.convolve takes: the lengths of the result, and where the filter begins. centre(n): of "same", how many
  -- of the filter's n elements lie before the result's first place.
  local function places(x, h, mode, centre)
    local shape, start = {}, {}
    for d = 1, x.ndim do
      local n, m = x.shape[d], h.shape[d]
      if mode == "full" then shape[d], start[d] = n + m - 1, 1 - m end
      if mode == "same" then shape[d], start[d] = n, -centre(m) end
      if mode == "valid" then shape[d], start[d] = n - m + 1, 0 end
    end
    return shape, start
  end

  function direct.before_convolved(m) return math.floor(m / 2) end

  function direct.before_correlated(m) return math.floor((m - 1) / 2) end

  -- o: border and fill; correlating: h is not read from its end, but conjugated.
  function direct.slide(where, x, h, mode, centre, o, correlating)
    local shape, start = places(x, h, mode, centre)
    return core.convolve(where, x, h, shape, start, o.border or "fill", o.fill, not correlating, correlating or false)
  end

  function direct.empty_like(x) return cp.zeros({ 0 }, { dtype = x.dtype, device = x.device }) end

  local NO_BORDER = {}

  function direct.convolve(where, x, h, mode)
    if mode == "valid" and direct.must_swap(where, x, h) or mode == "full" and h.size > x.size then x, h = h, x end
    if x.size == 0 or h.size == 0 then return direct.empty_like(x) end
    return direct.slide(where, x, h, mode, direct.before_convolved, NO_BORDER, false)
  end

  -- Elements of a correlation with in1 moved along in2 are those with in2 along in1, turned and conjugated.
  function direct.correlate(where, x, h, mode)
    local swap = mode == "valid" and direct.must_swap(where, x, h) or mode == "full" and h.size > x.size
    if swap then x, h = h, x end
    if x.size == 0 or h.size == 0 then return direct.empty_like(x) end
    local result = direct.slide(where, x, h, mode, direct.before_convolved, NO_BORDER, true)
    return swap and direct.conjugate(direct.turned(result)):copy() or result
  end

  return direct
end
