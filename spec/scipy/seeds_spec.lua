-- Seeds of several numbers, which are hashed, and spawned generators. spec/arrays/options_spec.lua compares
-- the hash itself with NumPy's.

local cp = require "cupola"
local check = require "spec.helper.check"

describe("seeds of several numbers", function()
  it("are hashed alike in every form", function()
    local want = cp.random.default_rng({ 1, 2 }):random(4):totable()
    local sequence = cp.random.SeedSequence { 1, 2 }
    assert.same(want, cp.random.default_rng(cp.array({ 1, 2 }, "uint32")):random(4):totable())
    assert.same(want, cp.random.default_rng({ { 1 }, { 2 } }):random(4):totable())
    assert.same(want, cp.random.default_rng(sequence):random(4):totable())
    assert.same(want, cp.random.RandomState({ 1, 2 }):rand(4):totable())
    assert.same(want, cp.random.Generator(cp.random.Philox { 1, 2 }):random(4):totable())
    cp.random.seed { 1, 2 }
    assert.same(want, cp.random.rand(4):totable())
    assert.not_same(want, cp.random.default_rng({ 2, 1 }):random(4):totable())
    -- the generator's key is the first two words of the hash, the higher one first
    local words, state = sequence:generate_state(2), cp.random.default_rng(sequence).bit_generator:get_state()
    assert.same({ words[1], words[2] }, { state.seed_high, state.seed_low })
  end)

  it("may come from anywhere, and must be whole numbers that are not negative", function()
    assert.equal(4, #cp.random.SeedSequence().entropy)
    assert.not_same(cp.random.SeedSequence():generate_state(4):totable(),
      cp.random.SeedSequence():generate_state(4):totable())
    check.failure("usage", "random.default_rng: seed must not be negative, but is -2",
      function() cp.random.default_rng { 1, -2 } end)
    check.failure("usage", "random.seed: seed must be a whole number, not 1.5", function() cp.random.seed { 1.5 } end)
    check.failure("usage", "random.default_rng: seed must be a list of whole numbers",
      function() cp.random.default_rng { nosuch = 1 } end)
    check.failure("usage", "random.default_rng: seed must be a list of whole numbers",
      function() cp.random.default_rng {} end)
    check.failure("dtype", "random.seed: seed must be integers, not float64", function() cp.random.seed(cp.ones(2)) end)
    check.failure("usage", "random.SeedSequence: pool_size must be from 4 to 64",
      function() cp.random.SeedSequence(1, { pool_size = 3 }) end)
    check.failure("usage", "random.generate_state: dtype must be",
      function() cp.random.SeedSequence(1):generate_state(1, "int8") end)
  end)

  it("spawn generators that are independent and repeatable", function()
    local rng = cp.random.default_rng(5)
    local children, more = rng:spawn(2), rng:spawn(1)
    local again = cp.random.default_rng(5):spawn(3)
    for k, child in ipairs { children[1], children[2], more[1] } do
      assert.same(again[k]:random(3):totable(), child:random(3):totable())
    end
    local parent = cp.random.SeedSequence(5)
    parent:spawn(1)
    assert.same(cp.random.default_rng(parent:spawn(1)[1]):random(3):totable(),
      cp.random.default_rng(5):spawn(2)[2]:random(3):totable())
    local draws = cp.concatenate { rng:random(500), children[1]:random(500), children[2]:random(500),
      more[1]:random(500) }
    assert.equal(2000, cp.unique(draws).size)
    assert.equal(2, #cp.random.Philox(3):spawn(2))
    check.failure("usage", "random.spawn: n_children must be from 0", function() rng:spawn(-1) end)
    check.failure("usage", "random.spawn: is a method: call it with a colon", function() rng.spawn(3, 4) end)
  end)
end)
