-- The cost of fusion by the counters: launches, allocations, compilations, forces and renames; and what
-- launches pending values. The hazard specs and golden_spec.lua check values.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local N = 100000
local on_gpu = cp.zeros({ 1 }).device:find "^cuda" ~= nil

-- Counts what f costs, after a first run that compiles; f gets fresh arrays from `make` each time.
local function cost(make, f)
  f(make())
  local args = { make() }
  local unpack = table.unpack or unpack -- luacheck: ignore
  return check.counted(f, unpack(args))
end

local function vectors()
  return cp.eval(cp.full({ N }, 2, "float32"), cp.full({ N }, 3, "float32"), cp.full({ N }, 0.5, "float32"))
end

-- Fails unless each counter grew by the given number; a table {least, most} gives bounds.
local function costs(want, make, f)
  local c = cost(make, f)
  for name, count in pairs(want) do
    local low, high = count, count
    if type(count) == "table" then low, high = count[1], count[2] end
    if not c[name] then error("no counter " .. name, 2) end
    if c[name] < low or c[name] > high then
      error(("%s: %d, expected %d to %d"):format(name, c[name], low, high), 2)
    end
  end
  return c
end

local at_most = function(n) return { 0, n } end

-- A process that forces every operator has other costs: see "CUPOLA_FUSION" below.
local describe_fused = fusion.forced and pending or describe

describe_fused("with fusion", function()
  local before

  before_each(function() before = cp.fusion(true) end)

  after_each(function() cp.fusion(before) end)

  describe("a chain", function()
    it("is one launch and one allocation", function()
      costs({ launches = 1, allocations = 1, forces = 1, renames = 0, synchronizations = 0 }, vectors, function(x, y)
        local z = x ^ 2 + 2 * y
        z:eval()
      end)
    end)

    it("costs nothing until it is needed, and never if it is not", function()
      costs({ launches = 0, allocations = 0, forces = 0 }, vectors, function(x, y)
        local z = x ^ 2 + 2 * y
        local _ = cp.where(z:gt(0), z, -z):astype("int32"):clip(0, 5)
      end)
    end)

    it("may hold every kind of elementwise function", function()
      costs({ launches = 1, allocations = 1 }, vectors, function(x, y, z)
        local a = cp.where(x:gt(y), cp.sqrt(x), -y):astype("float64"):clip(-1, 1)
        cp.eval(cp.round(cp.exp(a) * z + cp.maximum(x, 1)))
      end)
    end)

    it("reads what is broadcast and what is strided", function()
      costs({ launches = 1, allocations = 1 }, function() return cp.eval(cp.ones({ 40, 50 }), cp.ones({ 50 })) end,
        function(m, row)
          cp.eval(m * row + m[":, 1"]:reshape(40, 1) - m["::-1"])
        end)
    end)

    it("computes a shared part once", function()
      local c = costs({ launches = 1, allocations = 1 }, vectors, function(x)
        local a = x
        for _ = 1, 40 do a = a + a end
        a:eval()
      end)
      assert.is_true(c.bytes_allocated < 8 * N, c.bytes_allocated)
    end)

    it("is evaluated once, even if that is asked for twice", function()
      costs({ launches = 1, allocations = 1, forces = 1 }, vectors, function(x, y)
        local z = x * y
        z:eval()
        z:eval()
        cp.eval(z, z)
        local _ = z[1]
      end)
    end)

    it("with generated values needs no memory for them", function()
      costs({ launches = 1, allocations = 1 }, vectors, function(x)
        cp.eval(x + cp.zeros({ N }, "float32") + cp.arange(N):astype("float32") * cp.ones({ N }, "float32"))
      end)
      costs({ launches = 1, allocations = 1 }, vectors, function() cp.eval(cp.linspace(0, 1, N) ^ 2) end)
      -- the axes have memory, the grids have none
      local c = costs({ launches = { 1, 3 }, allocations = { 1, 3 } }, vectors, function()
        local X, Y = cp.meshgrid(cp.arange(300), cp.arange(400))
        cp.eval(X * Y)
      end)
      assert.is_true(c.bytes_allocated < 1.1 * 300 * 400 * 8, c.bytes_allocated)
    end)

    it("of more operations than a kernel may have takes few launches", function()
      costs({ launches = { 2, 7 }, allocations = { 2, 7 } }, vectors, function(x)
        local y = x
        for k = 1, 100 do y = k % 2 == 0 and y * 0.5 or y + 1 end
        y:eval()
      end)
    end)

    it("of more leaves than a kernel may have takes few launches", function()
      local leaves = {}
      for k = 1, 60 do leaves[k] = cp.eval(cp.full({ 1000 }, k)) end
      costs({ launches = { 2, 8 } }, vectors, function()
        local sum = leaves[1]
        for k = 2, 60 do sum = sum + leaves[k] end
        sum:eval()
      end)
    end)
  end)

  describe("a loop", function()
    -- Counters of a loop's later rounds, when all its kernels exist.
    local function steady(rounds, start, step)
      local state = start()
      local function run()
        for k = 1, rounds do state = step(state, k) end
        cp.eval(state)
      end
      run()
      run()
      return check.counted(run)
    end

    it("that carries a chain compiles nothing more, and launches at the bound", function()
      local c = steady(1000, function() return cp.zeros({ 1000 }) end, function(x) return x + 1 end)
      assert.equal(0, c.compiles)
      assert.is_true(c.launches >= 1000 / 128 and c.launches <= 1000 / 8, c.launches)
      assert.equal(c.launches, c.allocations)
    end)

    it("whose number changes compiles once", function()
      local x = cp.eval(cp.ones({ 1000 }))
      local c = check.counted(function()
        for k = 1, 100 do cp.eval(x * (k + 0.5) + (k - 0.25)) end
      end)
      assert.equal(100, c.launches)
      assert.is_true(c.compiles <= 1, c.compiles)
    end)

    it("whose length changes compiles once", function()
      local x = cp.eval(cp.ones({ 4096 }))
      local c = check.counted(function()
        for k = 1, 100 do cp.eval(cp.tanh(x[{ { 1, 16 * k } }]) * 2) end
      end)
      assert.equal(100, c.launches)
      assert.is_true(c.compiles <= 1, c.compiles)
    end)

    it("whose shape changes compiles once", function()
      local m = cp.eval(cp.ones({ 64, 64 }))
      local c = check.counted(function()
        for k = 2, 63 do cp.eval(m[{ { 1, k }, { 1, 65 - k } }] * 2 + 1) end
      end)
      assert.equal(62, c.launches)
      assert.is_true(c.compiles <= 4, c.compiles)
    end)
  end)

  describe("a reduction", function()
    for _, name in ipairs { "sum", "mean", "var", "std", "min", "max", "prod", "argmin", "argmax", "ptp" } do
      it(name .. " is fused with a chain", function()
        local c = costs({ launches = { 1, 2 } }, vectors, function(x, y) cp[name]((x - y) ^ 2):eval() end)
        assert.is_true(c.bytes_allocated < N, c.bytes_allocated)
        costs({ launches = { 1, 2 } }, function() return cp.eval(cp.ones({ 300, 200 })) end, function(m)
          cp[name](m * 2 + 1, 1):eval()
          return m
        end)
      end)
    end

    it("any and all are fused with a chain", function()
      for _, name in ipairs { "any", "all" } do
        local c = costs({ launches = { 1, 2 }, synchronizations = { 0, 2 } }, vectors, function(x, y)
          cp[name](x:gt(y))
        end)
        -- any() stores the mask, unless it is large, because x[mask] is likely to need it
        assert.is_true(c.bytes_allocated < (name == "any" and 2 * N or N / 4), c.bytes_allocated)
      end
    end)

    it("any is fused with a large chain", function()
      local large = check.counted(function() assert.is_true(cp.arange(5e6):gt(4999998):any()) end)
      assert.is_true(large.bytes_allocated < 5e5 or not cp.fusion(), large.bytes_allocated)
    end)

    it("launches when its value is needed", function()
      local x, y = vectors()
      local sum
      assert.equal(0, check.counted(function() sum = ((x - y) ^ 2):sum() end).launches)
      assert.is_true(check.counted(function() sum:item() end).launches >= 1)
    end)

    it("of one chain, repeated, needs the chain's memory at most once", function()
      local c = costs({ launches = { 3, 7 } }, vectors, function(x, y)
        local z = x * y
        return z:sum():eval(), z:max():eval(), z:min():eval()
      end)
      assert.is_true(c.bytes_allocated < 5 * N, c.bytes_allocated)
    end)
  end)

  describe("a write", function()
    local function write(name, most, f)
      it(name, function() costs(most, vectors, f) end)
    end

    local free = { launches = 1, allocations = 0, renames = 0 }
    write("of a chain with its destination", free, function(x, v, dt) x:assign(x + v * dt) end)
    write("of a chain with a number", { launches = 1, allocations = at_most(1) }, function(x, y)
      x:assign(x * 0.9 + y)
    end)
    write("of a function's chain", free, function(x, y) x:assign(function() return x * 0.9 + y end) end)
    write("of a chain of others", free, function(x, y, z) x["..."] = y * z + 1 end)
    write("of a chain through {}", free, function(x, y, z) x[{}] = y * z + 1 end)
    write("of a chain into a part", free, function(x, y) x["2:"] = y[":-2"] * 2 end)
    write("of a chain into every second", free, function(x, y) x["::2"] = y["::2"] * 2 end)
    write("of a chain by out=", free, function(x, y, z) cp.add(y * 2, z, { out = x }) end)
    write("of a chain by out, and its destination", free, function(x, y, z) cp.add(y * z, x, x) end)
    write("of a chain by add_", free, function(x, y, z) x:add_(y * z) end)
    -- x + 1 is a pending value that reads x, as long as it is not collected
    write("of a chain on itself by mul_", { launches = 1, allocations = at_most(1), renames = at_most(1) },
      function(x) x:mul_(x + 1) end)
    write("of a broadcast number", free, function(x, y) x:assign(y["1:1"] * 2) end)
    write("of a cast chain", free, function(x, y) x:assign(y:astype("float64") * 2) end)
    write("of a chain in exp_", free, function(x) x:exp_() end)
    write("of a number", free, function(x) x:fill(0) end)

    it("of a chain that reads other parts needs one temporary or renames", function()
      costs({ launches = { 1, 2 }, allocations = at_most(1) }, vectors, function(x) x["2:"] = x[":-2"] * 2 end)
      local c = costs({ launches = { 1, 2 }, allocations = at_most(1) }, function()
        return cp.eval(cp.ones({ 256, 256 }, "float32"))
      end, function(g)
        local inner = g["2:-2, 2:-2"]
        inner:assign(inner + 0.1 * (g["3:, 2:-2"] + g[":-3, 2:-2"] + g["2:-2, 3:"] + g["2:-2, :-3"] - 4 * inner))
      end)
      assert.is_true(c.bytes_allocated <= 2 * 256 * 256 * 4)
    end)

    it("of the whole array with a pending reader renames: no kernel for the reader", function()
      costs({ launches = 1, allocations = 1, renames = 1, forces = 0 }, vectors, function(x)
        local y = x * 2 -- luacheck: ignore
        x:fill(0)
        return y, nil
      end)
    end)

    it("of a function's chain never renames", function()
      costs({ launches = { 1, 2 }, renames = 0 }, vectors, function(x, y)
        local z = x + y
        x:assign(function() return x * 0.5 end)
        return z, nil
      end)
    end)

    it("renames only for readers that are alive", function()
      costs({ launches = 1, allocations = 0, renames = 0 }, vectors, function(x)
        do
          local y = x * 2 -- luacheck: ignore
        end
        collectgarbage()
        collectgarbage()
        x:fill(0)
      end)
    end)

    it("that is assigned shares its memory until one of both is written", function()
      costs({ launches = 1, allocations = at_most(1) }, vectors, function(x)
        local t = x + 1
        x:assign(t)
        t:eval()
      end)
    end)
  end)

  describe("a value that a second evaluation reads", function()
    it("is stored by it", function()
      local x, y = vectors()
      local s = x * y
      local first = check.counted(function() cp.eval(s + 1) end)
      local second = check.counted(function() cp.eval(s + 2) end)
      local third = check.counted(function() cp.eval(s + 3) end)
      local itself = check.counted(function() s:eval() end)
      assert.same({ 1, 1 }, { first.launches, first.allocations })
      assert.is_true(second.launches <= 2 and second.allocations == 2)
      assert.same({ 1, 1 }, { third.launches, third.allocations })
      assert.same({ 0, 0 }, { itself.launches, itself.allocations })
    end)

    it("is not stored if a few operations make it of as much memory", function()
      local x = vectors()
      local s = x * 2
      cp.eval(s + 1)
      local second = check.counted(function() assert.equal(2 * 2 + 2, (s + 2):eval()[1]) end)
      assert.equal(1, second.allocations)
    end)

    it("is stored if it is drawn, where drawing takes longer than reading", function()
      local x = cp.random.uniform(0, 1, 100000)
      cp.eval(x:sum())
      local second = check.counted(function() cp.eval(x + 1) end)
      local third = check.counted(function() cp.eval(x + 2) end)
      local stored = on_gpu and 0 or 1
      assert.same({ 1 + stored, 1 }, { second.allocations, third.allocations })
    end)
  end)

  describe("cp.eval", function()
    it("forces several of one shape in one launch", function()
      costs({ launches = 1, allocations = 2 }, vectors, function(x, y) cp.eval(x + y, x - y) end)
      costs({ launches = 1, allocations = 3 }, vectors, function(x, y, z)
        local s = x * y
        cp.eval(s + z, s - z, s)
      end)
    end)

    it("forces those of several shapes in a launch for each shape", function()
      costs({ launches = 2, allocations = 3 }, vectors, function(x, y)
        cp.eval(x + y, x["2:"] * 2, x - y)
      end)
    end)

    it("returns what it is given", function()
      local x, y = vectors()
      local a, n, b = cp.eval(x + y, x, y * 2)
      assert.equal(5, a[1])
      assert.is_true(rawequal(n, x))
      assert.equal(6, b[1])
      assert.is_true(rawequal(a, a:eval()))
      assert.equal(0, select("#", cp.eval()))
    end)
  end)

  describe("what launches pending values:", function()
    -- Other pending values would be launched too.
    before_each(function()
      collectgarbage()
      collectgarbage()
      cp.synchronize()
    end)

    -- Calls f with a pending value; it must make so many launches, a number or {least, most}.
    local function launches(count, f)
      local x = vectors()
      local y = x * 2 + 1
      local got = check.counted(f, y).launches
      local least, most = count, count
      if type(count) == "table" then least, most = count[1], count[2] end
      assert.is_true(got >= least and got <= most, got)
      return y
    end

    it("reading", function()
      launches(1, function(y) return y[1], nil end)
      launches(1, function(y) return y:tobytes(), nil end)
      launches({ 1, 2 }, function(y) return tostring(y), nil end) -- the second gathers what is printed
      launches(1, function(y) return y.data.ptr, nil end)
    end)

    it("views that are read or written", function()
      launches(1, function(y) return y["2:"]:totable(), nil end)
      launches({ 1, 2 }, function(y) y:reshape(-1, 2)[1] = 0 end)
      launches({ 0, 1 }, function(y) return y["2:"], y:reshape(-1, 2), y.T end) -- 1: few elements on a CPU
      launches(0, function(y) return y.shape, y.dtype, y.strides, #y end)
    end)

    it("synchronize", function()
      launches(1, function() cp.synchronize() end)
      assert.equal(0, check.counted(function() cp.synchronize() end).launches)
    end)

    it("an event", function()
      launches(1, function() cp.cuda.Event():record() end)
    end)

    it("the end of with", function()
      local x = vectors()
      local y
      local c = check.counted(function()
        cp.device():with(function()
          y = x * 2
          return nil
        end)
      end)
      assert.equal(1, c.launches)
      assert.equal(0, check.counted(function() y:eval() end).launches)
    end)

    it("the end of a scope, for what it returns", function()
      local x = vectors()
      local y
      local c = check.counted(function()
        y = cp.scope(function()
          local dropped = x * 3 -- luacheck: ignore
          return x * 2
        end)
      end)
      assert.equal(1, c.launches)
      assert.equal(4, y[1])
    end)

    it("an exposed address, for all that reads the memory", function()
      local x = vectors()
      local y, z = x + 1, x * 2
      assert.is_true(check.counted(function() return x.data.ptr, nil end).launches >= 1)
      assert.equal(0, check.counted(function() cp.eval(y, z) end).launches)
    end)

    it("an operator on memory whose address is exposed", function()
      local x = vectors()
      local _ = x.data.ptr
      local y
      assert.equal(1, check.counted(function() y = x * 2 end).launches)
      local c = check.counted(function() x:fill(0) end)
      assert.same({ 1, 0, 0 }, { c.launches, c.renames, c.allocations })
      assert.equal(4, y[1])
    end)
  end)

  describe("events", function()
    before_each(function()
      collectgarbage()
      collectgarbage()
    end)

    it("measure the work that is written between them", function()
      local e0, e1 = cp.cuda.Event(), cp.cuda.Event()
      local x = vectors()
      local earlier = x + 3 -- luacheck: ignore
      local recorded = check.counted(function() e0:record() end)
      assert.equal(1, recorded.launches)
      local y
      assert.equal(0, check.counted(function() y = x * 2 + 1 end).launches)
      assert.equal(1, check.counted(function() e1:record() end).launches)
      e1:synchronize()
      assert.is_true(cp.cuda.get_elapsed_time(e0, e1) >= 0)
      assert.equal(0, check.counted(function() y:eval() end).launches)
    end)

    it("do not launch what another pending value consumes", function()
      local x = vectors()
      local inner = x * 2
      local outer = inner + 1 -- luacheck: ignore
      assert.equal(1, check.counted(function() cp.cuda.Event():record() end).launches)
    end)
  end)

  describe("compilation", function()
    if not on_gpu then return end

    it("happens once for a structure", function()
      local x, y = vectors()
      cp.eval(cp.hypot(x, y) * 3 - cp.tanh(y))
      local a, b = cp.eval(x["1:512"]:copy(), y["1:512"]:copy())
      local c = check.counted(function() cp.eval(cp.hypot(a, b) * 5 - cp.tanh(b)) end)
      assert.equal(0, c.compiles)
      assert.is_true(c.cache_hits >= 1)
    end)
  end)
end)

describe_fused("without fusion", function()
  it("every operator launches", function()
    local before = cp.fusion(false)
    local ok, message = pcall(function()
      costs({ launches = 3, allocations = 3 }, vectors, function(x, y)
        local z = x ^ 2 + 2 * y
        z:eval()
      end)
      costs({ launches = 2 }, vectors, function(x, y) x:assign(x * y) end)
    end)
    cp.fusion(before)
    assert.is_true(ok, message)
  end)
end)
