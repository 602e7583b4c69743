-- cp.cuda.nccl: communicators with all ranks in this process, on the CPU device or on all GPUs, against sums
-- and products computed here; and (CPU) of several processes, which die, disagree and are late.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local nccl = cp.cuda.nccl
local INTEGERS = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local FLOATS = { "float16", "bfloat16", "float32", "float64" }
local COMPLEX = { "complex64", "complex128" }

-- The communicators to test: name -> function that makes one.
local KINDS = { { "3 ranks on the CPU", function() return nccl.init_all({ "cpu", "cpu", "cpu" }, 10) end } }
if cp.device().kind == "cuda" then
  local able = nccl.available()
  KINDS[#KINDS + 1] = { "all GPUs", able and function() return nccl.init_all() end }
end

-- Small whole numbers, different on every rank, whose sums and products every dtype but bool holds.
local function terms(ranks, dtype, ...)
  local xs = {}
  for k, comm in ipairs(ranks) do
    xs[k] = cp.array({ k, 1, 2, k + 1, 3, 0, 1, 2, k, 1, 2, 1 }, { dtype = dtype, device = comm.device }):reshape(...)
  end
  return xs
end

-- The values that a combination of plain tables gives, by Lua's own numbers.
local function combined(ranks, op)
  local out = {}
  for i, _ in ipairs { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } do
    local total
    for k = 1, #ranks do
      local v = ({ k, 1, 2, k + 1, 3, 0, 1, 2, k, 1, 2, 1 })[i]
      if total == nil then total = v
      elseif op == "sum" or op == "avg" then total = total + v
      elseif op == "prod" then total = total * v
      else total = math[op](total, v) end
    end
    out[i] = op == "avg" and total / #ranks or total
  end
  return out
end

local function close_to(want, got, tolerance)
  got = got:ravel():totable()
  assert.equal(#want, #got)
  for i, v in ipairs(want) do
    assert.near(v, got[i], tolerance)
  end
end

local function each_op(ranks, dtype, ops, whole, tolerance)
  for _, op in ipairs(ops) do
    local want = combined(ranks, op)
    if whole and op == "avg" then
      for i, v in ipairs(want) do want[i] = math.floor(v) end
    end
    for k, r in ipairs(ranks:all_reduce(terms(ranks, dtype, 3, 4), op)) do
      assert.equal(dtype, r.dtype)
      assert.equal(ranks[k].device, r.device)
      assert.is_true(r:has_shape(3, 4))
      close_to(want, r, tolerance)
    end
  end
end

for _, kind in ipairs(KINDS) do
  describe("a communicator of " .. kind[1], function()
    local ranks

    setup(function() ranks = kind[2] and kind[2]() end)
    teardown(function() if ranks then ranks:close() end end)

    local function test(name, f)
      it(name, function()
        if not ranks then return pending("NCCL cannot be opened here") end
        f()
      end)
    end

    test("knows its ranks", function()
      for k, comm in ipairs(ranks) do
        assert.equal(k - 1, comm.rank)
        assert.equal(#ranks, comm.size)
        assert.equal(comm.device == "cpu" and "tcp" or "nccl", comm.backend)
        assert.equal(("rank %d of %d on %s"):format(k - 1, #ranks, comm.device), tostring(comm))
        assert.is_false(comm.closed)
      end
    end)

    test("combines integers of every width", function()
      for _, dtype in ipairs(INTEGERS) do
        each_op(ranks, dtype, { "sum", "prod", "min", "max", "avg" }, true, 0)
      end
    end)

    test("combines floats of every width", function()
      for _, dtype in ipairs(FLOATS) do
        local half = dtype:find "16"
        each_op(ranks, dtype, { "sum", "prod", "min", "max" }, false, 0)
        each_op(ranks, dtype, { "avg" }, false, half and 0.02 or 1e-6)
      end
    end)

    test("sums complex numbers as pairs", function()
      for _, dtype in ipairs(COMPLEX) do
        for _, op in ipairs { "sum", "avg" } do
          local xs = terms(ranks, dtype, 12)
          for k, x in ipairs(xs) do xs[k] = x * cp.complex(1, -2) end
          local want = combined(ranks, op)
          for _, r in ipairs(ranks:all_reduce(xs, op)) do
            close_to(want, r.real, 1e-5)
            close_to(want, r.imag * -0.5, 1e-5)
          end
        end
      end
    end)

    test("combines truth values", function()
      local xs = {}
      for k, comm in ipairs(ranks) do
        xs[k] = cp.array({ k == 1, true, false }, { dtype = "bool", device = comm.device })
      end
      local alone = #ranks == 1
      for op, want in pairs { sum = { true, true, false }, max = { true, true, false }, prod = { alone, true, false },
        min = { alone, true, false } } do
        for _, r in ipairs(ranks:all_reduce(xs, op)) do assert.same(want, r:totable()) end
      end
      failure("dtype", "nccl.all_reduce: avg is not defined for bool", function() ranks:all_reduce(xs, "avg") end)
    end)

    test("keeps infinities and the nans of sums", function()
      local xs = {}
      for k, comm in ipairs(ranks) do
        xs[k] = cp.array({ k == 1 and cp.inf or 1, k == 1 and cp.nan or 1, -cp.inf }, { dtype = "float32",
          device = comm.device })
      end
      for _, r in ipairs(ranks:all_reduce(xs)) do
        assert.equal(math.huge, r[1])
        assert.is_true(r[2] ~= r[2])
        assert.equal(-math.huge, r[3])
      end
    end)

    test("moves parts", function()
      for _, dtype in ipairs { "bool", "int8", "int16", "uint64", "bfloat16", "float64", "complex128" } do
        local xs = terms(ranks, dtype, 6, 2)
        local whole = {}
        for _, x in ipairs(xs) do
          for _, v in ipairs(x:to("cpu"):ravel():totable()) do whole[#whole + 1] = v end
        end
        for _, r in ipairs(ranks:all_gather(xs)) do
          assert.is_true(r:has_shape(6 * #ranks, 2))
          assert.same(whole, r:ravel():totable())
        end
        local root = #ranks - 1
        local want = xs[root + 1]:totable()
        for _, r in ipairs(ranks:broadcast(xs, root)) do assert.same(want, r:totable()) end
      end
    end)

    test("gathers values", function()
      local xs, want = {}, {}
      for k, comm in ipairs(ranks) do
        xs[k] = cp.array(k * 10, { dtype = "int32", device = comm.device })
        want[k] = k * 10
      end
      for _, r in ipairs(ranks:all_gather(xs)) do assert.same(want, r:totable()) end
    end)

    test("scatters what it combines", function()
      for _, dtype in ipairs { "int16", "float32", "uint8" } do
        local xs = {}
        for k, comm in ipairs(ranks) do
          xs[k] = cp.arange(2 * #ranks, { dtype = dtype, device = comm.device }) + k
        end
        for k, r in ipairs(ranks:reduce_scatter(xs, "max")) do
          assert.same({ 2 * (k - 1) + #ranks, 2 * k - 1 + #ranks }, r:totable())
        end
      end
    end)

    test("reduces to a root", function()
      local root = #ranks - 1
      local results = ranks:reduce(terms(ranks, "float32", 12), "sum", root)
      for k = 1, #ranks - 1 do assert.is_nil(results[k]) end
      close_to(combined(ranks, "sum"), results[#ranks], 0)
      local xs = terms(ranks, "int16", 12)
      assert.equal(xs[1], ranks:reduce_(xs, "prod")[1])
      close_to(combined(ranks, "prod"), xs[1], 0)
    end)

    test("writes in place, into views and pending values", function()
      local wide, xs = {}, terms(ranks, "float32", 3, 4)
      for k, comm in ipairs(ranks) do
        wide[k] = cp.zeros({ 4, 6 }, { dtype = "float32", device = comm.device })
        xs[k] = xs[k] * 2 -- pending
      end
      local want = combined(ranks, "sum")
      for i, v in ipairs(want) do want[i] = 2 * v end
      for k, r in ipairs(ranks:all_reduce_(xs)) do
        assert.is_true(rawequal(r, xs[k]))
        close_to(want, r, 0)
      end
      -- Strided operands and results; what lies around them stays.
      local views = {}
      nccl.group(function()
        for k, comm in ipairs(ranks) do
          views[k] = wide[k]["2:4, 1:4"]
          comm:all_reduce(xs[k], { out = views[k], op = "max" })
        end
      end)
      for k, w in ipairs(wide) do
        close_to(want, views[k], 0)
        assert.equal(0, w["1, :"]:sum():item())
        assert.equal(0, w["2:4, 5:6"]:sum():item())
      end
    end)

    test("reads expressions written before and is read by those written after", function()
      local xs, old = {}, {}
      for k, comm in ipairs(ranks) do
        xs[k] = cp.ones(1000, { dtype = "float64", device = comm.device })
        old[k] = xs[k] + 1 -- of the elements before
      end
      ranks:all_reduce_(xs)
      for k, x in ipairs(xs) do
        assert.equal(2000, old[k]:sum():item())
        assert.equal(1000 * #ranks + 1000, (x + 1):sum():item())
      end
    end)

    test("passes on empty arrays, and large ones", function()
      local empty, large = {}, {}
      local n = 1500001
      for k, comm in ipairs(ranks) do
        empty[k] = cp.zeros({ 0, 3 }, { dtype = "float32", device = comm.device })
        large[k] = cp.arange(n, { dtype = "float32", device = comm.device }) % 1000 + k
      end
      for _, r in ipairs(ranks:all_reduce(empty)) do assert.is_true(r:has_shape(0, 3)) end
      for _, r in ipairs(ranks:all_gather(empty)) do assert.is_true(r:has_shape(0, 3)) end
      local base = cp.arange(n, { dtype = "float32", device = ranks[1].device }) % 1000 * #ranks
        + #ranks * (#ranks + 1) / 2
      for _, r in ipairs(ranks:all_reduce(large)) do
        assert.is_true(cp.array_equal(base, r:to(ranks[1].device)))
      end
      local summed = ranks:reduce(large, "max")[1]
      assert.is_true(cp.array_equal(large[#ranks]:to(ranks[1].device), summed))
    end)

    test("sends around", function()
      local xs, got = terms(ranks, "int16", 12), {}
      local n = #ranks
      nccl.group(function()
        for k, comm in ipairs(ranks) do
          comm:send(xs[k], k % n)
          got[k] = comm:recv(cp.empty(12, { dtype = "int16", device = comm.device }), (k - 2) % n)
        end
      end)
      for k = 1, n do assert.same(xs[(k - 2) % n + 1]:totable(), got[k]:totable()) end
      -- Two different arrays to the same rank come in order; a receive into a strided view.
      local wide = cp.zeros({ 12, 2 }, { dtype = "int16", device = ranks[n].device })
      local second = cp.empty(12, { dtype = "int16", device = ranks[n].device })
      nccl.group(function()
        ranks[1]:send(xs[1], n - 1)
        ranks[1]:send(xs[1] * 2, n - 1)
        ranks[n]:recv(wide[":, 2"], 0)
        ranks[n]:recv(second, 0)
      end)
      assert.same(xs[1]:totable(), wide[":, 2"]:totable())
      assert.equal(0, wide[":, 1"]:sum():item())
      assert.same((xs[1] * 2):totable(), second:totable())
    end)

    test("runs several calls of a group", function()
      local a, b, c = terms(ranks, "float32", 12), terms(ranks, "int32", 12), {}
      nccl.group(function()
        for k, comm in ipairs(ranks) do
          comm:all_reduce_(a[k])
          c[k] = comm:broadcast(b[k] + 1, 0)
          nccl.group(function() comm:all_reduce_(b[k], "max") end) -- part of the outer one
          comm:send(cp.zeros(12, { dtype = "int32", device = comm.device }), k % #ranks)
          comm:recv(cp.empty(12, { dtype = "int32", device = comm.device }), (k - 2) % #ranks)
        end
      end)
      local first = terms(ranks, "int32", 12)[1] + 1
      for k = 1, #ranks do
        close_to(combined(ranks, "sum"), a[k], 0)
        close_to(combined(ranks, "max"), b[k], 0)
        assert.same(first:totable(), c[k]:totable())
      end
    end)

    test("refuses groups whose calls depend on one another", function()
      local comm, x = ranks[1], cp.zeros(6, { device = ranks[1].device })
      local fact = "nccl.group: call 1 of the group writes memory that call 2 uses; end the group between them"
      failure("usage", fact, function() nccl.group(function() comm:all_reduce_(x) comm:broadcast(x, 0) end) end)
      failure("usage", fact, function() nccl.group(function() comm:recv(x[":4"], 0) comm:recv(x["4:"], 0) end) end)
      nccl.group(function()
        for _, c in ipairs(ranks) do
          c:all_reduce(x:to(c.device))
          c:all_reduce(x:to(c.device))
        end
      end)
    end)

    test("runs nothing of a group that raises", function()
      local xs = terms(ranks, "float32", 12)
      local before = xs[1]:totable()
      local ok, message = pcall(nccl.group, function()
        ranks[1]:all_reduce_(xs[1])
        error("mine", 0)
      end)
      assert.same({ false, "mine" }, { ok, message })
      assert.same(before, xs[1]:totable())
      failure("usage", "nccl.group_end: there was no group_start before", function() nccl.group_end() end)
      ranks:barrier()
    end)

    test("keeps the groups of coroutines apart", function()
      local xs = terms(ranks, "float32", 12)
      local other = coroutine.wrap(function()
        nccl.group_start()
        coroutine.yield()
        nccl.group_end()
      end)
      other()
      close_to(combined(ranks, "sum"), ranks:all_reduce(xs)[1], 0) -- runs now, not with the other's group
      other()
    end)

    test("works on other streams", function()
      local xs, streams = terms(ranks, "float32", 12), {}
      for k, comm in ipairs(ranks) do
        streams[k] = cp.cuda.Stream { device = comm.device, non_blocking = true }
        xs[k] = streams[k]:with(function() return cp.tile(xs[k], 1000) * 1 end)
      end
      local sums = ranks:all_reduce(xs)
      for k = 1, #ranks do
        local want = 0
        for _, v in ipairs(combined(ranks, "sum")) do want = want + 1000 * v end
        assert.equal(want, streams[k]:with(function() return sums[k]:sum() end):item())
      end
    end)

    test("refuses what does not fit", function()
      local comm = ranks[1]
      local x = cp.zeros({ 5, 2 }, { dtype = "float32", device = comm.device })
      local other = comm.device == "cpu" and cp.cuda.is_available() and "cuda:0" or "cpu"
      local out = cp.zeros({ 5, 2 }, { dtype = "float64", device = comm.device })
      failure("dtype", "nccl.all_reduce: out is float64, the result float32",
        function() comm:all_reduce(x, { out = out }) end)
      failure("shape", "nccl.all_reduce: out has 9 elements, the result 10",
        function() comm:all_reduce(x, { out = cp.zeros(9, { dtype = "float32", device = comm.device }) }) end)
      failure("usage", "nccl.init: address must be a string, not array",
        function() nccl.init { rank = 0, size = 1, address = cp.ones { 1 } } end)
      failure("usage", "nccl.all_reduce: out must be an array, not table",
        function() comm:all_reduce(x, "sum", { 1 }) end)
      failure("usage", 'nccl.all_reduce: op must be "sum", "prod", "min", "max" or "avg", not "mean"',
        function() comm:all_reduce(x, "mean") end)
      failure("usage", "nccl.all_reduce: no option 'ot' (did you mean 'op'?)",
        function() comm:all_reduce(x, { ot = "sum" }) end)
      failure("index", ("nccl.broadcast: root %d is out of range for %d ranks"):format(#ranks, #ranks),
        function() comm:broadcast(x, #ranks) end)
      failure("index", "nccl.reduce: root -1 is out of range", function() comm:reduce(x, "sum", -1) end)
      failure("index", "nccl.send: peer 99 is out of range", function() comm:send(x, 99) end)
      failure("usage", "nccl.recv: out must be an array, not number", function() comm:recv(5, 0) end)
      failure("usage", "nccl.all_reduce: takes a table of", function() ranks:all_reduce(x) end)
      local one = cp.zeros({ 5, 2 * #ranks }, { device = comm.device })
      failure("shape", "nccl.all_gather: out has 9 elements, the result",
        function() comm:all_gather(one, { out = cp.zeros({ 3, 3 }, { device = comm.device }) }) end)
      for _, op in ipairs { "min", "max", "prod" } do
        local z = cp.zeros(3, { dtype = "complex64", device = comm.device })
        failure("dtype", ("nccl.all_reduce: %s is not defined for complex64"):format(op),
          function() comm:all_reduce(z, op) end)
      end
      if #ranks > 1 then
        local odd = cp.zeros({ #ranks + 1, 2 }, { device = comm.device })
        failure("shape", "nccl.reduce_scatter: the first axis of shape", function() comm:reduce_scatter(odd) end)
      end
      failure("shape", "nccl.reduce_scatter: the first axis of shape",
        function() comm:reduce_scatter(cp.array(1, { device = comm.device })) end)
      if other ~= comm.device then
        failure("usage", ("nccl.all_reduce: x is on %s, the communicator on %s; move it with :to(\"%s\")"):format(other,
          comm.device, comm.device), function() comm:all_reduce(cp.zeros(3, { device = other })) end)
      end
      local view = cp.broadcast_to(cp.zeros(1, { dtype = "float32", device = comm.device }), { 5, 2 })
      local ok, message = pcall(function() nccl.group(function()
        for k, c in ipairs(ranks) do c:all_reduce(x:to(c.device), "sum", k == 1 and view or nil) end
      end) end)
      assert.is_false(ok)
      assert.truthy(message:find("the array is a broadcast view, which cannot be written", 1, true), message)
    end)

    -- Contiguous arrays take the fast path in the core, others and groups the general one.
    test("gives the same whatever its arrays are like", function()
      local rows = 2 * #ranks
      local function arrays(make)
        local xs = {}
        for k, comm in ipairs(ranks) do
          local x = cp.arange(rows * 6, { dtype = "float32", device = comm.device }):reshape(rows, 6) * k
          xs[k] = make(x:eval())
        end
        return xs
      end
      local likes = {
        arrays(function(x) return x:copy() end),
        arrays(function(x) return x + 0 end), -- pending
        arrays(function(x) return cp.asfortranarray(x) end),
        arrays(function(x) return cp.concatenate({ x, x }, 2)[":, 1:6"] end),
      }
      for name, arguments in pairs { all_reduce = { "max" }, reduce = { "sum", 0 }, broadcast = { 0 }, all_gather = {},
        reduce_scatter = { "sum" } } do
        local first
        for like, xs in ipairs(likes) do
          local results = ranks[name](ranks, xs, (table.unpack or unpack)(arguments)) -- luacheck: ignore
          assert.equal(name == "reduce" and 1 or #ranks, #results)
          first = first or results
          for k, r in ipairs(results) do
            assert.same({ ranks[k].device, "float32" }, { r.device, r.dtype })
            assert.same(first[k]:totable(), r:totable(), name .. like)
            assert.is_false(rawequal(r, xs[k]))
          end
        end
      end
      for _, xs in ipairs(likes) do
        local sums, given = ranks:all_reduce(xs), ranks:all_reduce_(xs)
        for k, x in ipairs(xs) do
          assert.equal(x, given[k])
          assert.same(sums[k]:totable(), x:totable())
        end
      end
      local xs = arrays(function(x) return x end)
      xs[1]:free()
      local ok, message = pcall(ranks.all_reduce, ranks, xs)
      assert.truthy(not ok and message:find("freed", 1, true), message)
      xs[1] = xs[2]
      if #ranks > 1 then
        ok, message = pcall(ranks.all_reduce_, ranks, xs)
        assert.is_false(ok, "ranks that share an array")
        assert.is_string(message)
      end
    end)

    test("is no part of graphs", function()
      local xs = terms(ranks, "float32", 12)
      local graph = cp.device(ranks[1].device):with(function()
        local ok, message = pcall(cp.cuda.graph, function() ranks:all_reduce(xs) end)
        assert.is_false(ok)
        return message
      end)
      assert.truthy(graph:find("work of a communicator cannot be captured in a graph", 1, true), graph)
      close_to(combined(ranks, "sum"), ranks:all_reduce(xs)[1], 0)
    end)

    test("is closed once and for all", function()
      local short = kind[2]()
      local comm = short[1]
      short:close()
      short:close()
      assert.is_true(comm.closed)
      assert.equal("closed communicator", tostring(comm))
      local x = cp.zeros(2, { device = ranks[1].device })
      failure("usage", "nccl.all_reduce: the communicator was closed", function() comm:all_reduce(x) end)
      failure("usage", "nccl: the communicator was closed", function() return comm.rank, 1 end)
      kind[2]() -- left to the collector
      collectgarbage()
      collectgarbage()
      ranks:barrier()
    end)
  end)
end
