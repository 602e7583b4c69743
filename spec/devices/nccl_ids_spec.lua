-- cp.cuda.nccl: communicators that one thread creates from a unique id, on the CPU device, and such ids.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local nccl = cp.cuda.nccl

describe("communicators of one thread on the CPU", function()
  local function pair() return nccl.init_all({ "cpu", "cpu" }, 5) end

  it("cannot wait for a rank of their own thread", function()
    local ranks, x = pair(), cp.cpu.zeros(2)
    failure("usage", "nccl.all_reduce: rank 0 of this thread waits for rank 1, which does not take part",
      function() ranks[1]:all_reduce(x) end)
    failure("usage", "nccl.all_reduce: the communicator cannot be used after a call that failed",
      function() ranks[1]:all_reduce(x) end)
    failure("io", "nccl.all_reduce: rank 0 closed the connection", function() ranks[2]:all_reduce(x) end)
    ranks = pair()
    failure("usage", "nccl.recv: rank 1 of this thread waits for rank 0", function() ranks[2]:recv(x, 0) end)
    ranks = pair()
    failure("usage", "nccl.group: rank 0 must receive what it sends to itself in the same group",
      function() nccl.group(function() ranks[1]:send(x, 0) end) end)
  end)

  it("notice that their calls disagree", function()
    local a, b = cp.cpu.zeros(3), cp.cpu.zeros(4)
    local f = cp.cpu.zeros(3, "float32")
    local function disagree(text, one, other)
      local ranks = pair()
      local ok, message = pcall(nccl.group, function() one(ranks[1]) other(ranks[2]) end)
      assert.is_false(ok)
      assert.truthy(message:find("the ranks disagree: rank %d is in ") and message:find(text, 1, true), message)
    end
    disagree("all_reduce of 4 float64 by sum", function(c) c:all_reduce(a) end, function(c) c:all_reduce(b) end)
    disagree("all_reduce of 3 float32 by sum", function(c) c:all_reduce(a) end, function(c) c:all_reduce(f) end)
    disagree("all_reduce of 3 float64 by max", function(c) c:all_reduce(a) end, function(c) c:all_reduce(a, "max") end)
    disagree("all_gather of 3 float64", function(c) c:all_reduce(a) end, function(c) c:all_gather(a) end)
    disagree("broadcast of 3 float64 with root 1", function(c) c:broadcast(a, 1) end, function(c) c:broadcast(b, 1) end)
    disagree("send of 4 float64", function(c) c:recv(a, 1) end, function(c) c:send(b, 0) end)
    disagree("send of 3 float32", function(c) c:recv(a, 1) end, function(c) c:send(f, 0) end)
  end)

  it("need devices that exist", function()
    failure("usage", "nccl.init_all: no device is named 'gpu'", function() nccl.init_all { "gpu" } end)
    failure("usage", "nccl.init_all: devices must be a table of names, not an empty one",
      function() nccl.init_all {} end)
    failure("usage", "nccl.init_all: devices must be a table of names, not string", function() nccl.init_all "cpu" end)
    failure("usage", "nccl.init_all: timeout must be a positive number of seconds",
      function() nccl.init_all({ "cpu" }, 0) end)
  end)

  it("leave no nan in minima and maxima where there is a number", function()
    local ranks = pair()
    local x, y = cp.cpu.array { cp.nan, 1, cp.nan }, cp.cpu.array { 2, cp.nan, cp.nan }
    local low = ranks:all_reduce({ x, y }, "min")[2]
    assert.same({ 2, 1 }, low[":2"]:totable())
    assert.is_true(low[3] ~= low[3])
  end)
end)

describe("a unique id", function()
  it("makes one communicator", function()
    local id = nccl.get_unique_id "cpu"
    assert.equal(128, #id)
    local comm = nccl.NcclCommunicator(1, id, 0, "cpu", 5)
    assert.same({ 2, 3 }, comm:all_reduce(cp.cpu.array { 2, 3 }):totable())
    assert.same({ 2, 3 }, comm:all_gather(cp.cpu.array { 2, 3 }):totable())
    failure("usage", "nccl.NcclCommunicator: rank 0 must be made once, by the process that made the id",
      function() nccl.NcclCommunicator(1, id, 0, "cpu", 5) end)
  end)

  it("is checked", function()
    local id = nccl.get_unique_id "cpu"
    failure("usage", "nccl.NcclCommunicator: id must be the string of 128 bytes that get_unique_id returns",
      function() nccl.NcclCommunicator(2, "id", 0, "cpu") end)
    failure("usage", "nccl.NcclCommunicator: rank 2 is out of range for 2 ranks, which count from 0",
      function() nccl.NcclCommunicator(2, id, 2, "cpu") end)
    failure("usage", "nccl.NcclCommunicator: size must be 1 or more, not 0",
      function() nccl.NcclCommunicator(0, id, 0, "cpu") end)
    failure("usage", "nccl.NcclCommunicator: the id was made for GPUs, but the device is cpu",
      function() nccl.NcclCommunicator(2, ("x"):rep(128), 0, "cpu") end)
  end)

  it("names ranks that do not connect", function()
    local id = nccl.get_unique_id "cpu"
    local begin = cp.clock()
    failure("io", "nccl.NcclCommunicator: these ranks did not connect in time: 1, 2",
      function() nccl.NcclCommunicator(3, id, 0, "cpu", 0.3) end)
    assert.is_true(cp.clock() - begin < 3)
  end)
end)
