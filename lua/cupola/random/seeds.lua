-- Seeds of several numbers, hashed as NumPy's SeedSequence does (src/lua/creation/seed.c), and generators
-- that are spawned from others.

return function(cp, core)
  local seeds = {}
  local Sequence = {}
  Sequence.__index = Sequence

  local HALF = 4294967296 -- 2^32

  local function is_sequence(v) return type(v) == "table" and getmetatable(v) == Sequence end
  seeds.is_sequence = is_sequence

  -- Appends the 32-bit words of a whole number, a table or an array of them, lowest first.
  local function add_words(list, v, where, argument)
    if cp.is_array(v) then
      local kind = core.kind(v)
      if kind ~= "i" and kind ~= "u" then
        core.raise(where, "dtype", argument .. " must be integers, not " .. v.dtype)
      end
      v = v:flatten():totable()
    end
    if type(v) == "table" then
      if type(next(v)) == "string" or #v == 0 and argument == "seed" then
        core.usage(where, argument .. " must be a list of whole numbers")
      end
      for _, item in core.each(where, v) do add_words(list, item, where, argument) end
      return list
    end
    local n = core.integer(v, where, argument)
    if n < 0 then core.usage(where, string.format("%s must not be negative, but is %d", argument, n)) end
    repeat
      local low = n % HALF
      list[#list + 1] = low
      n = math.floor((n - low) / HALF)
    until n == 0
    return list
  end

  local function words_of(v, where, argument) return add_words({}, v, where, argument) end

  local function copy_of(list)
    local copy = {}
    for k = 1, #list do copy[k] = list[k] end
    return copy
  end

  local function new(words, given, key, size, spawned)
    return setmetatable({ words = words, entropy = given, spawn_key = key, pool_size = size,
      n_children_spawned = spawned }, Sequence)
  end

  --- A sequence of a seed: whole numbers, or nil for the system's randomness.
  function seeds.sequence(seed, where)
    if is_sequence(seed) then return seed end
    if seed ~= nil then return new(words_of(seed, where, "seed"), seed, {}, 4, 0) end
    local a, b = core.entropy()
    local c, d = core.entropy()
    return new({ a, b, c, d }, { a, b, c, d }, {}, 4, 0)
  end

  --- The sequence of a generator whose seed is a single number, of these halves.
  function seeds.of_halves(high, low)
    local words = high > 0 and { low, high } or { low }
    return new(words, words, {}, 4, 0)
  end

  --- Two words of the sequence: the key of a generator.
  function seeds.halves(sequence, where)
    local words = core.seed_state(where, sequence.words, words_of(sequence.spawn_key, where, "spawn_key"),
      sequence.pool_size, 2)
    return words[1], words[2]
  end

  --- A list of n sequences that are independent of each other and of this one.
  function seeds.spawn(sequence, n, where)
    n = core.integer(n, where, "n_children", nil, 0, 16777216)
    local list, first = {}, sequence.n_children_spawned
    for k = 1, n do
      if k % 256 == 0 then core.check_interrupt(where) end
      local key = copy_of(sequence.spawn_key)
      key[#key + 1] = first + k - 1
      list[k] = new(sequence.words, sequence.entropy, key, sequence.pool_size, 0)
    end
    sequence.n_children_spawned = first + n
    return list
  end

  local function check(sequence, where)
    if not is_sequence(sequence) then core.usage(where, "is a method: call it with a colon") end
    return sequence
  end

  Sequence.spawn = core.define("random.spawn", "sequence, n_children", 2, function(where, sequence, n)
    return seeds.spawn(check(sequence, where), n, where)
  end)

  Sequence.generate_state = core.define("random.generate_state", "sequence, n_words, dtype", 2,
    function(where, sequence, n, dtype)
      check(sequence, where)
      dtype = dtype == nil and "uint32" or core.dtype(dtype, where)
      if dtype ~= "uint32" and dtype ~= "uint64" then core.not_among(where, "dtype", '"uint32" or "uint64"', dtype) end
      n = core.integer(n, where, "n_words", nil, 0, 8388608)
      local words = core.seed_state(where, sequence.words, words_of(sequence.spawn_key, where, "spawn_key"),
        sequence.pool_size, dtype == "uint32" and n or 2 * n)
      local state = #words == 0 and cp.zeros(0, "uint32") or cp.array(words, "uint32")
      return dtype == "uint32" and state or state:view "uint64"
    end)

  function Sequence:__tostring()
    return string.format("SeedSequence(%d words, spawn key of %d)", #self.words, #self.spawn_key)
  end

  --- A sequence for cp.random.default_rng and the like, from which others can be spawned.
  function seeds.make(where, entropy, spawn_key, pool_size, spawned)
    local sequence = seeds.sequence(entropy, where)
    local key = spawn_key == nil and {} or words_of(spawn_key, where, "spawn_key")
    local size = core.integer(pool_size, where, "pool_size", 4, 4, 64)
    return new(sequence.words, sequence.entropy, key, size,
      core.integer(spawned, where, "n_children_spawned", 0, 0, 16777216))
  end

  return seeds
end
