-- Direct sums: result[o] = sum of x[o + start + k] * h[k] (src/lua/routines/convolve.c). A convolution
-- reverses h; a correlation conjugates it. x and h have the same dtype and number of axes.

return function(cp, core)
  local slice = core.slice
  local direct = {}

  -- Whether in2 is the larger array, along which "valid" slides in1; an error if neither is larger on all
  -- axes.
  function direct.must_swap(where, x, h, axes)
    local first, second = true, true
    for d = 1, x.ndim do
      if not axes or axes[d] then
        local n, m = core.extent(x, d), core.extent(h, d)
      first, second = first and n >= m, second and m >= n
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
      if core.extent(x, d) > 1 then x = slice(x, d, core.extent(x, d), 1, -1) end
    end
    return x
  end

  function direct.conjugate(x) return core.kind(x) == "c" and cp.conj(x) or x end

  function direct.empty_like(x) return cp.zeros({ 0 }, { dtype = x.dtype, device = x.device }) end

  -- Converts floating values that are whole numbers, or other values, to a dtype: integers wrap, as in sums
  -- of integers.
  function direct.wrapped(x, dtype)
    local from, to = core.kind(x), core.kind(dtype)
    if from == "f" and (to == "i" or to == "u") then
      local whole = x:astype("int64")
      if dtype == "uint64" then whole = cp.where(cp.less(x, 0), whole:astype(dtype), x:astype(dtype)) end
      x = whole
    end
    return x:astype(dtype, false)
  end

  -- NumPy's sums of vectors have no products with elements outside; SciPy's of other arrays have, with zeros,
  -- and so has the middle part of a vector that is the shorter one.
  local function border_of(x, h, mode)
    return x.ndim == 1 and (mode ~= "same" or x.size >= h.size) and "none" or "fill"
  end

  function direct.convolve(where, x, h, mode)
    if mode == "valid" and direct.must_swap(where, x, h) or mode == "full" and h.size > x.size then x, h = h, x end
    if x.size == 0 or h.size == 0 then return direct.empty_like(x) end
    return core.slide(where, x, h, mode, border_of(x, h, mode), nil, false, 0)
  end

  -- The correlation of in2 along in1 from that of in1 along in2: its elements reversed and conjugated.
  function direct.correlate(where, x, h, mode)
    local swap = mode == "valid" and direct.must_swap(where, x, h) or mode == "full" and h.size > x.size
    if swap then x, h = h, x end
    if x.size == 0 or h.size == 0 then return direct.empty_like(x) end
    local result = core.slide(where, x, h, mode, border_of(x, h, mode), nil, true, 0)
    return swap and direct.conjugate(direct.turned(result)):copy() or result
  end

  return direct
end
