-- cp.random: random number generators. They draw from Philox4x32-10, a pure function of seed, call and
-- position (kernels/prelude/philox.h), so a draw is pending like other elementwise work and gives the same
-- numbers on every device, alone or fused; or, on request, from a generator of cuRAND (random/curand.lua).
-- The distributions are in random/continuous.lua, discrete.lua, multivariate.lua and arrange.lua.

return function(cp, core)
  cp.random = {}
  local publish = core.publisher(cp.random, "random.")

  local define = require "cupola.random.define"(cp, core)
  local stream = define.stream
  local Generator, RandomState = {}, {}
  Generator.__index, RandomState.__index = Generator, RandomState

  local groups = {
    all = { cp.random, Generator, RandomState },
    legacy = { cp.random, RandomState },
    modern = { Generator },
  }
  for _, part in ipairs { "continuous", "discrete", "multivariate", "arrange" } do
    require("cupola.random." .. part)(cp, core, define, groups)
  end

  local function described(name)
    return function(self) return string.format("%s(%s)", name, tostring(self.bit_generator)) end
  end
  Generator.__tostring, RandomState.__tostring = described "Generator", described "RandomState"

  -- ---- states

  local function stream_of(object, where)
    return define.stream_of(object) or core.raise(where, "usage", "is a method: call it with a colon")
  end

  -- The methods of all objects with a stream.
  for _, class in ipairs { Generator, RandomState, stream.Stream } do
    local get, set = stream.Stream.get_state, stream.Stream.set_state
    class.get_state = core.define("random.get_state", "generator", 0, function(where, self)
      return get(stream_of(self, where))
    end)
    function class:set_state(state, ...) -- a state is a table with its own names, not options
      core.at_most("random.set_state", 0, ...)
      set(stream_of(self, "random.set_state"), state, "random.set_state")
    end
  end
  RandomState.seed = core.define("random.seed", "generator, seed", 0, function(where, self, seed)
    stream_of(self, where):reseed(seed, where)
  end)

  publish("get_state", "", 0, function(_) return define.default():get_state() end)
  function cp.random.set_state(state, ...)
    core.at_most("random.set_state", 0, ...)
    define.default():set_state(state)
  end
  publish("seed", "seed", 0, function(where, seed)
    define.default():reseed(seed, where)
  end)

  -- ---- making generators

  local function generator(bits) return setmetatable({ bit_generator = bits }, Generator) end

  publish("SeedSequence", "entropy, spawn_key, pool_size, n_children_spawned", 0, stream.seeds.make)

  stream.Stream.spawn = core.define("random.spawn", "generator, n_children", 2, function(where, self, n)
    return stream.spawn(stream_of(self, where), n, where)
  end)
  Generator.spawn = core.define("random.spawn", "generator, n_children", 2, function(where, self, n)
    local list = stream.spawn(stream_of(self, where), n, where)
    for k, bits in core.each(where, list) do list[k] = generator(bits) end
    return list
  end)

  publish("Philox4x3210", "seed", 0, function(where, seed)
    return stream.new(seed, where)
  end)

  cp.random.Philox = cp.random.Philox4x3210

  publish("Generator", "bit_generator", 0, function(where, bit_generator)
    if not stream.is(bit_generator) then
      core.raise(where, "usage", "bit_generator must be one that cp.random.Philox4x3210, XORWOW, MRG32k3a "
        .. "or another of cp.random made")
    end
    return generator(bit_generator)
  end)

  function cp.random.default_rng(seed, extra)
    if extra ~= nil then
      core.raise("random.default_rng", "usage", "takes one argument, a seed; other generators are made by "
        .. "cp.random.Generator(cp.random.XORWOW(seed)) and the like")
    end
    if type(seed) == "table" and getmetatable(seed) == Generator then return seed end
    if stream.is(seed) then return generator(seed) end
    return generator(stream.new(seed, "random.default_rng"))
  end

  publish("RandomState", "seed, method", 0, function(where, seed, method)
    local bits = method == nil and stream.new(seed, where) or define.curand.of_method(method, seed, where)
    return setmetatable({ bit_generator = bits }, RandomState)
  end)
end
