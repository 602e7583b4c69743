-- The state of a generator: Philox's key and the number of the next call, or the `library` generator of
-- cuRAND. A draw takes its call number when it is written, so its values do not depend on when it is computed
-- (kernels/prelude/philox.h). A state without an explicit seed gets a new one after a fork, so that processes
-- with the same parent draw different numbers.

return function(cp, core)
  local seeds = require "cupola.random.seeds"(cp, core)
  local stream = { seeds = seeds }
  local Stream = {}
  Stream.__index = Stream
  stream.Stream = Stream

  local HALF = 4294967296 -- 2^32
  local ALGORITHM = "Philox4x32-10"

  -- The halves of a seed: a non-negative integer (64 bits in Lua 5.4, up to 2^53 elsewhere), which they are;
  -- or a table or array of such integers or a SeedSequence, which are hashed.
  local function halves(seed, where)
    if seed == nil then return core.entropy() end
    if type(seed) == "table" or cp.is_array(seed) then
      local sequence = seeds.sequence(seed, where)
      local high, low = seeds.halves(sequence, where)
      return high, low, sequence
    end
    seed = core.integer(seed, where, "seed")
    if seed < 0 then core.raise(where, "usage", string.format("seed must not be negative, but is %d", seed)) end
    local low = seed % HALF
    return math.floor((seed - low) / HALF), low
  end

  --- anywhere: draws go to the device that is current at each draw, not to the one that is current now.
  function stream.new(seed, where, anywhere)
    local s = setmetatable({ call = 0, device = not anywhere and cp.device().name or nil }, Stream)
    s.high, s.low, s.sequence = halves(seed, where)
    s.given, s.forks = seed ~= nil, core.forks()
    return s
  end

  -- What generators are spawned from. That of a table or an array has its words, not their hash.
  local function sequence_of(s)
    s.sequence = s.sequence or seeds.of_halves(s.high, s.low)
    return s.sequence
  end

  --- A list of n states that draw other numbers than this one and each other, on the same device.
  function stream.spawn(s, n, where)
    s:enter_process()
    if s.library then core.usage(where, "generators of cuRAND cannot be spawned from") end
    local list = seeds.spawn(sequence_of(s), n, where)
    for k, sequence in core.each(where, list) do
      list[k] = stream.new(sequence, where)
      list[k].device = s.device
    end
    return list
  end

  function stream.is(v) return type(v) == "table" and getmetatable(v) == Stream end

  -- Raises inside a capture: what it sets now, a replay would not set again.
  local function check_outside(where)
    if core.capturing then core.raise(where, "usage", "a graph is being captured: set the state before or after") end
  end

  function Stream:reseed(seed, where)
    check_outside(where)
    self.high, self.low, self.sequence = halves(seed, where)
    self.call, self.given, self.forks = 0, seed ~= nil, core.forks()
    if self.library then stream.restart(self, where) end
  end

  --- Takes a new seed if the state was created in the parent process of a fork. (cuRAND generators are lost
  --- there, like all of CUDA.)
  function Stream:enter_process()
    if self.given or self.library or self.forks == core.forks() then return end
    self.high, self.low = core.entropy()
    self.call, self.forks, self.sequence = 0, core.forks(), nil
  end

  function Stream:next_call()
    local call = self.call
    self.call = call + 1
    return call
  end

  function Stream:get_state()
    self:enter_process()
    return { algorithm = ALGORITHM, seed_high = self.high, seed_low = self.low, call = self.call }
  end

  function Stream:set_state(state, where)
    check_outside(where)
    if type(state) ~= "table" or rawget(state, "algorithm") ~= ALGORITHM then
      core.raise(where, "usage", "state must be a table that get_state returned")
    end
    local values = {}
    for k, name in ipairs { "seed_high", "seed_low", "call" } do
      local v = core.integer(rawget(state, name), where, "state." .. name)
      if v < 0 or k < 3 and v >= HALF then core.raise(where, "usage", "state." .. name .. " is out of range") end
      values[k] = v
    end
    self.high, self.low, self.call = values[1], values[2], values[3]
    self.given = true
  end

  function Stream:__tostring() return string.format("%s(call %d)", ALGORITHM, self.call) end

  return stream
end
