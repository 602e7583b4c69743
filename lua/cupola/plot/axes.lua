-- The axes of figures of lua/cupola/plot/plot.lua: their limits, their marks, and where values lie.

return function(cp)
  local function finite(v) return v == v and v ~= cp.inf and v ~= -cp.inf end

  local function power(v) return math.log(v) / math.log(10) end

  -- A value on its scale: a logarithmic axis has no 0.
  local function on_scale(v, log)
    if not log then return v end
    return v > 0 and power(v) or cp.nan
  end

  -- Calls see(v) for each value of a series along the axis "x" or "y" that is drawn.
  local function each_value(s, key, log, see)
    local other = key == "x" and "y" or "x"
    for k = 1, #s.x do
      local v = on_scale(s[key][k], log)
      if finite(v) and finite(s[other][k]) then
        see(v)
        if s.left and key == "x" then
          see(on_scale(s.left[k], log))
          see(on_scale(s.right[k], log))
        end
      end
    end
    if s.left and key == "y" and not log then see(0) end -- bars begin at 0
  end

  -- The least and greatest value of an axis on its scale, and whether bars end there.
  local function limits_of(figure, key, given, log)
    if given then return on_scale(given[1], log), on_scale(given[2], log) end
    local low, high, bars = cp.inf, -cp.inf, false
    for _, s in ipairs(figure.series) do
      each_value(s, key, log, function(v)
        if finite(v) then low, high = math.min(low, v), math.max(high, v) end
      end)
      bars = bars or s.left ~= nil
    end
    if low > high then low, high = 0, 1 end
    if low == high then low, high = low - 0.5, high + 0.5 end
    local room = (high - low) * 0.03
    if figure.edges and key == "x" then return low, high end
    if not bars or key == "x" then return low - room, high + room end
    if log then return math.min(low, 0) - 0.3, high + room end -- so that bars of the least value are seen
    return low < 0 and low - room or low, high > 0 and high + room or high
  end

  -- Round numbers between low and high, at distances of 1, 2 or 5 times a power of ten.
  local function ticks_of(low, high, log, most)
    local list, least, greatest = {}, math.min(low, high), math.max(low, high)
    local rough = (greatest - least) / most
    if not (rough > 0 and finite(rough)) then return list end
    local unit = 10 ^ math.floor(power(rough))
    local step = rough <= unit and unit or rough <= 2 * unit and 2 * unit or rough <= 5 * unit and 5 * unit or 10 * unit
    if log then step = math.max(1, math.floor(step + 0.5)) end
    for k = math.ceil(least / step - 1e-9), math.floor(greatest / step + 1e-9) do
      local v = k * step + 0 -- not -0, which LuaJIT's ceil gives
      list[#list + 1] = { at = v, text = string.format("%.5g", log and 10 ^ v or v) }
    end
    return list
  end

  -- An axis from low to high on its scale, without a place yet.
  local function axis(low, high, log, most)
    return { low = low, high = high, log = log, ticks = ticks_of(low, high, log, most) }
  end

  -- Gives an axis its place in pixels: at(v) is where a value lies, at_scale(v) where one on the scale does.
  local function place(a, from, to)
    function a.at_scale(v) return from + (v - a.low) / (a.high - a.low) * (to - from) end
    function a.at(v) return a.at_scale(on_scale(v, a.log)) end
    return a
  end

  -- The axes of series. names: those of the values 1, 2, ... of x, in place of numbers.
  local function of_series(figure)
    local x0, x1 = limits_of(figure, "x", figure.xlim, figure.logx)
    local y0, y1 = limits_of(figure, "y", figure.ylim, figure.logy)
    local across, up = axis(x0, x1, figure.logx, 8), axis(y0, y1, figure.logy, 6)
    if figure.names then
      across.ticks = {}
      for k, name in ipairs(figure.names) do
        if k >= x0 and k <= x1 then across.ticks[#across.ticks + 1] = { at = k, text = name } end
      end
    end
    return across, up
  end

  -- The axes of a matrix or picture, whose first row is at the top.
  local function of_matrix(figure)
    local xlim, ylim = figure.xlim or { 0.5, figure.columns + 0.5 }, figure.ylim or { figure.rows + 0.5, 0.5 }
    return axis(xlim[1], xlim[2], false, 8), axis(ylim[1], ylim[2], false, 6)
  end

  return {
    finite = finite, on_scale = on_scale, axis = axis, place = place, of_series = of_series, of_matrix = of_matrix,
  }
end
