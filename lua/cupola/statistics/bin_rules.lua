-- How wide the bins of a histogram should be: NumPy's named rules. Each takes a vector of at least one real
-- value, and the range that is divided, and returns a width; 0: one bin.

return function(cp, core)
  local function size(x) return x.size end
  local function number(x) return tonumber(x:astype("float64"):item()) end
  local function spread(x) return number(x:max()) - number(x:min()) end
  local function log2(v) return math.log(v) / math.log(2) end

  local RULES = {}

  function RULES.sqrt(x) return spread(x) / math.sqrt(size(x)) end

  -- Sturges 1926, "The choice of a class interval".
  function RULES.sturges(x) return spread(x) / (log2(size(x)) + 1) end

  function RULES.rice(x) return spread(x) / (2 * size(x) ^ (1 / 3)) end

  -- Scott 1979, "On optimal and data-based histograms".
  function RULES.scott(x)
    return (24 * math.sqrt(math.pi) / size(x)) ^ (1 / 3) * number(cp.std(x:astype "float64"))
  end

  -- Doane 1976, "Aesthetic frequency classifications": Sturges' rule for skewed values.
  function RULES.doane(x)
    local n = size(x)
    if n <= 2 then return 0 end
    local deviations = x:astype "float64"
    deviations = deviations - deviations:mean()
    local sigma = math.sqrt(number(cp.square(deviations):mean()))
    if sigma <= 0 then return 0 end
    local skewness = number(((deviations / sigma) ^ 3):mean())
    local expected = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return spread(x) / (1 + log2(n) + log2(1 + math.abs(skewness) / expected))
  end

  -- Freedman and Diaconis 1981, "On the histogram as a density estimator": by the middle half.
  function RULES.fd(x)
    local quartiles = cp.percentile(x, { 25, 75 }):totable()
    return 2 * (quartiles[2] - quartiles[1]) * size(x) ^ (-1 / 3)
  end

  -- Stone 1984, "An asymptotically optimal histogram selection rule": the number of bins whose estimated
  -- error by leaving one value out each time is least.
  function RULES.stone(x, range)
    local n, whole = size(x), spread(x)
    if n <= 1 or whole == 0 then return 0 end
    local best, least = 1, math.huge
    for bins = 1, math.max(100, math.floor(math.sqrt(n))) do
      local shares = cp.histogram(x, bins, range) / n
      local loss = (2 - (n + 1) * number(cp.square(shares):sum())) * bins / whole
      if loss < least then best, least = bins, loss end
    end
    return whole / best
  end

  -- The finer one of Sturges' and Freedman and Diaconis' rules, with at most twice the bins of sqrt.
  function RULES.auto(x)
    return math.min(math.max(RULES.fd(x), RULES.sqrt(x) / 2), RULES.sturges(x))
  end

  local NAMES = '"auto", "doane", "fd", "rice", "scott", "sqrt", "stone" or "sturges"'

  --- The number of bins that a rule finds for a vector of real values, from first to last; nil if it has no
  --- such name; and the rules' names.
  return function(name, x, first, last)
    local rule = RULES[name]
    if not rule then return nil, NAMES end
    x = x[cp.logical_and(x:ge(first), x:le(last))]
    if x.size == 0 then return 1 end
    local width = rule(x, { first, last })
    if width <= 0 then return 1 end
    local kind = core.kind(x)
    if (kind == "i" or kind == "u") and width < 1 then width = 1 end
    return math.ceil((last - first) / width)
  end
end
