-- The generators of cuRAND, on a GPU or, if the library is installed, on the CPU. Unlike Philox's, their
-- numbers cannot be computed from a position: a draw calls the library at once for uniform or normal numbers,
-- or words, and what is computed from them is pending. Distributions by rejection, and permutations, use
-- Philox with the same seed.

return function(cp, core, stream)
  local curand = {}
  local Stream = stream.Stream

  local PSEUDO = { "XORWOW", "MRG32k3a", "MTGP32", "MT19937", "Philox4_32_10" }
  local QUASI = { "Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64" }
  local FIXED = { MTGP32 = true, MT19937 = true } -- generators that cannot skip ahead
  local MOST_DIMENSIONS = 20000

  --- Its numbers depend on the number of threads unless `ordering` says otherwise.
  local ORDERINGS = { best = true, default = true, seeded = true, legacy = true, dynamic = true }

  -- ---- making them

  local function whole(v, missing, least, most, where, name)
    if v == nil then return missing end
    v = core.integer(v, where, name)
    if v < least or v > most then
      core.raise(where, "usage", string.format("%s must be from %d to %d, but is %d", name, least, most, v))
    end
    return v
  end

  local function check_ordering(ordering, where)
    if ordering == nil or ORDERINGS[ordering] then return ordering end
    core.not_among(where, "ordering", '"default", "best", "seeded", "legacy" or "dynamic"', ordering)
  end

  local function make(name, seed, offset, ordering, dimensions, where)
    local s = stream.new(seed, where)
    offset = whole(offset, 0, 0, 2 ^ 53, where, "offset")
    if offset > 0 and FIXED[name] then core.raise(where, "usage", name .. " cannot skip: it has no offset") end
    s.library = { name = name, offset = offset, ordering = check_ordering(ordering, where), dimensions = dimensions }
    s.library.generator = core.curand_new(where, s.device, name, s.high, s.low, offset, s.library.ordering,
      dimensions or 0)
    return s
  end

  local makers = {}
  local publish = core.publisher(makers, "random.")
  for _, name in ipairs(PSEUDO) do
    publish(name, "seed, offset, ordering", 0, function(where, seed, offset, ordering)
      return make(name, seed, offset, ordering, nil, where)
    end)
  end
  for _, name in ipairs(QUASI) do
    publish(name, "dimensions, offset", 0, function(where, dimensions, offset)
      return make(name, 0, offset, nil, whole(dimensions, 1, 1, MOST_DIMENSIONS, where, "dimensions"), where)
    end)
  end
  for name, maker in pairs(makers) do cp.random[name] = maker end

  local by_method = {}
  for name in pairs(makers) do by_method[string.lower(name)] = name end

  --- The stream for a method's name, as RandomState takes it.
  function curand.of_method(method, seed, where)
    if type(method) ~= "string" then
      core.raise(where, "usage", "method must be the name of a generator, not " .. type(method))
    end
    local name = by_method[string.lower(method)]
    if string.lower(method) == "philox4x3210" then return stream.new(seed, where) end
    if not name then
      core.raise(where, "usage",
        string.format("there is no generator '%s'; the generators are Philox4x3210, %s and %s", method,
        table.concat(PSEUDO, ", "), table.concat(QUASI, ", ")))
    end
    if string.find(name, "Sobol") then return makers[name]() end
    return makers[name](seed)
  end

  --- Restarts the generator, with another seed if given.
  function stream.restart(s, where)
    local l = s.library
    if l.dimensions then core.raise(where, "usage", l.name .. " is a quasi-random sequence, which has no seed") end
    core.curand_restart(where, l.generator, l.name, s.high, s.low, l.offset, l.ordering, 0)
  end

  -- ---- numbers

  local function length_of(shape)
    local n = 1
    for _, d in ipairs(shape) do n = n * d end
    return n
  end

  -- Fills a new array of the shape; multidimensional points are along the last axis.
  local function fill(r, s, what, dtype, shape, parameter)
    local l = s.library
    local n, dimensions = length_of(shape), l.dimensions or 1
    if dimensions > 1 and shape[#shape] ~= dimensions then
      core.raise(r.where, "shape", string.format("the last axis of size must be the %d dimensions of %s", dimensions,
        l.name))
    end
    if (r.device or s.device) ~= s.device then
      local wrong = string.format("the generator %s is on %s, but its parameters are on %s", l.name, s.device, r.device)
      core.raise(r.where, "usage", wrong)
    end
    if n == 0 then return cp.zeros(shape, { dtype = dtype, device = s.device }) end
    local odd = what == "normal" and not l.dimensions and n % 2 == 1 -- normal numbers are generated in pairs
    local x = core.curand_fill(r.where, l.generator, what, dtype, odd and n + 1 or n, parameter)
    if odd then x = x[{ { 1, n } }] end
    if dimensions == 1 then return x:reshape(shape) end
    local turned = { dimensions }
    for k = 1, #shape - 1 do turned[k + 1] = shape[k] end
    return cp.moveaxis(x:reshape(turned), 1, -1)
  end

  local LARGEST = { float32 = 1 - 2 ^ -24, float64 = 1 - 2 ^ -53 }

  -- Numbers in [0, 1): the library generates (0, 1]. Quasi-random points are not changed.
  local function unit(r, s, dtype, shape)
    local x = fill(r, s, "uniform", dtype, shape)
    return cp.minimum(s.library.dimensions and x or 1 - x, LARGEST[dtype])
  end

  local function words(r, s, shape)
    local pairs_of = {}
    for k, d in ipairs(shape) do pairs_of[k] = d end
    pairs_of[#pairs_of + 1] = 2
    local w = fill(r, s, "bits", "uint32", pairs_of):astype "uint64"
    return w[{ cp.ellipsis, 1 }] * cp.scalar(2 ^ 32, "uint64") + w[{ cp.ellipsis, 2 }]
  end

  -- Integers in [0, count); count 0 means all of 64 bits. Made from 64 bits, so that the bias is below 2^-64.
  local function integer(r, s, count, dtype, shape)
    if s.library.dimensions then
      if not cp.is_array(count) and count == 0 then
        core.raise(r.where, "usage", "a quasi-random sequence cannot give 64-bit words")
      end
      if cp.is_array(count) then count = count:astype "float64" end
      return cp.minimum(cp.floor(unit(r, s, "float64", shape) * count), count - 1):astype(dtype)
    end
    local x = words(r, s, shape)
    if cp.is_array(count) then return cp.remainder(x, count:astype "uint64"):astype(dtype, false) end
    if type(count) == "number" then
      if count == 0 then return x:astype(dtype, false) end
      count = cp.full({}, count, { dtype = "int64", device = s.device }):astype "uint64"
    end
    return cp.remainder(x, count):astype(dtype, false)
  end

  local kinds = {}
  function kinds.uniform(r, s, scale, dtype, shape) return unit(r, s, dtype, shape) * scale end
  function kinds.normal(r, s, scale, dtype, shape) return fill(r, s, "normal", dtype, shape) * scale end
  kinds.integer = integer
  function kinds.poisson(r, s, mean, dtype, shape)
    if type(mean) ~= "number" or mean > 2 ^ 30 then return nil end
    if mean == 0 then return cp.zeros(shape, { dtype = dtype, device = s.device }) end
    return fill(r, s, "poisson", "uint32", shape, mean):astype(dtype)
  end

  --- Draws of this kind, or nil if they come from Philox.
  function curand.draw(r, kind, a, dtype, shape)
    local s = r.stream
    local x = kinds[kind] and kinds[kind](r, s, a, dtype, shape or {})
    if not x and s.library.dimensions then
      core.raise(r.where, "usage", "a quasi-random sequence cannot give such numbers")
    end
    return x or nil
  end

  local get, set, text = Stream.get_state, Stream.set_state, Stream.__tostring

  local function refuse(s, where)
    core.raise(where, "usage", "cuRAND cannot report the state of " .. s.library.name
      .. ": a sequence starts again from seed and offset")
  end

  function Stream:get_state()
    if self.library then refuse(self, "random.get_state") end
    return get(self)
  end

  function Stream:set_state(state, where)
    if self.library then refuse(self, where) end
    return set(self, state, where)
  end

  function Stream:__tostring()
    if not self.library then return text(self) end
    return string.format("%s(%s)", self.library.name, self.device)
  end

  return curand
end
