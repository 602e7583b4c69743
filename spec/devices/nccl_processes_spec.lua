-- Communicators of several processes on the CPU device, whose outputs are compared. Processes die, are late,
-- disagree, and are started with the variables of several launchers. With two GPUs, two processes through
-- NCCL too.

local cp = require "cupola"

local INTERPRETER = rawget(_G, "jit") and "luajit" or "lua5.4"
local HEAD = [[
local cp = require "cupola"
local nccl = cp.cuda.nccl
local function try(f, ...)
  local begin = cp.clock()
  local ok, problem = pcall(f, ...)
  print(ok and "done" or (problem:gsub("^.-: cupola", "cupola")))
  if cp.clock() - begin > 8 then print("too late") end
end
]]

-- A port that is most likely free: taken from the clock, since random generators start alike in every
-- process, and below those that the system gives to connections (32768 and up).
local turn = 0
local function port()
  turn = turn + 1
  return 20000 + (math.floor(cp.clock() * 1e6) + turn * 7919) % 12000
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  os.remove(path)
  return text
end

local BY_RANK = "RANK=%d WORLD_SIZE=%d"

-- Runs the script in `count` processes at once, and returns what each printed. variables: text with %d for
-- rank and count.
local function processes(count, script, variables, device)
  local path, commands = os.tmpname(), {}
  local file = assert(io.open(path, "w"))
  file:write(HEAD, script)
  file:close()
  local common = ("CUPOLA_DEVICE=%s MASTER_PORT=%d MASTER_ADDR=127.0.0.1"):format(device or "cpu", port())
  for rank = 0, count - 1 do
    local own = type(variables) == "table" and variables[rank + 1] or (variables or BY_RANK):format(rank, count, rank)
    commands[#commands + 1] = ("env %s %s timeout 60 %s %s %s > %s.%d 2>&1 &"):format(own, common, INTERPRETER, path,
      path, path, rank)
  end
  os.execute(table.concat(commands, "\n") .. "\nwait")
  local outputs = {}
  for rank = 0, count - 1 do outputs[rank + 1] = read(("%s.%d"):format(path, rank)) end
  os.remove(path)
  return outputs
end

local function all_equal(want, outputs)
  for rank, output in ipairs(outputs) do assert.equal(want, output, "rank " .. rank - 1) end
end

local function contains(output, part) assert.truthy(output:find(part, 1, true), part .. " is not in\n" .. output) end

describe("processes", function()
  it("combine every dtype", function()
    all_equal("int8 6 8 3 1 2\nuint16 6 8 3 1 2\nint64 6 8 3 1 2\nfloat16 6 8 3 1 2\nbfloat16 6 8 3 1 2\n"
      .. "float32 6 8 3 1 2\nfloat64 6 8 3 1 2\n", processes(3, [[
      local comm = nccl.init { timeout = 20 }
      local x = cp.array { comm.rank + 1, 2 }
      for _, dtype in ipairs { "int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64" } do
        local y = x:astype(dtype)
        local words = { dtype }
        for _, op in ipairs { "sum", "prod", "max", "min", "avg" } do
          local r = comm:all_reduce(y, op)
          words[#words + 1] = ("%d"):format(r[op == "prod" and 2 or 1])
        end
        print(table.concat(words, " "))
      end]]))
  end)

  it("move large arrays both ways at once", function()
    all_equal("true true\ntrue\ntrue true\n", processes(3, [[
      local comm = nccl.init { timeout = 20 }
      local n = 3000017
      local x = cp.arange(n, "float32") % 1024 * (comm.rank + 1)
      local sum = comm:all_reduce(x)
      print((tostring(cp.array_equal(sum, cp.arange(n, "float32") % 1024 * 6))) .. " "
        .. tostring(comm:all_gather(x).size == 3 * n))
      local got = cp.empty(n, "float32")
      nccl.group(function()
        comm:send(x, (comm.rank + 1) % 3)
        comm:recv(got, (comm.rank + 2) % 3)
      end)
      print(cp.array_equal(got, cp.arange(n, "float32") % 1024 * ((comm.rank + 2) % 3 + 1)))
      local part = comm:reduce_scatter(x[":3000000"], "max")
      local root = comm:reduce(x, "sum", 2)
      print(tostring(cp.array_equal(part, (cp.arange(3000000, "float32") % 1024 * 3)[
        { { comm.rank * 1000000 + 1, (comm.rank + 1) * 1000000 } }])) .. " "
        .. tostring((root ~= nil) == (comm.rank == 2)))]]))
  end)

  it("send and receive one after the other", function()
    assert.same({ "5\n", "1 4\n" }, processes(2, [[
      local comm = nccl.init()
      if comm.rank == 0 then
        comm:send(cp.array({ 1, 4 }, "int32"), 1)
        print(comm:recv(cp.empty(1, "int32"), 1):item())
      else
        local x = comm:recv(cp.empty(2, "int32"), 0)
        comm:send(x:sum():reshape(1):astype "int32", 0)
        print(x[1] .. " " .. x[2])
      end]]))
  end)

  it("take a GPU each", function()
    if cp.device().kind ~= "cuda" or cp.cuda.device_count() < 2 then return pending "needs two GPUs" end
    if not cp.cuda.nccl.available() then return pending "NCCL cannot be opened here" end
    local outputs = processes(2, [[
      local comm = nccl.init { timeout = 60 }
      local x = cp.arange(1000, "float32") + comm.rank
      local sum = comm:all_reduce(x)
      print(comm.device, cp.device().name, comm.backend, sum.device, (sum - 2 * cp.arange(1000)):max():item() == 1)
      local got = cp.empty(1000, "float32")
      nccl.group(function()
        comm:send(x, 1 - comm.rank)
        comm:recv(got, 1 - comm.rank)
      end)
      print(got[1] == 1 - comm.rank, comm:all_gather(cp.array(comm.rank + 1, "int16")):sum():item() == 3)
      comm:close()]], "RANK=%d WORLD_SIZE=%d LOCAL_RANK=%d", "cuda")
    for rank = 0, 1 do
      local name = "cuda:" .. rank
      assert.equal(("%s\t%s\tnccl\t%s\ttrue\ntrue\ttrue\n"):format(name, name, name), outputs[rank + 1])
    end
  end)

  it("connect by an id that is passed in a file", function()
    all_equal("rank of 2: 3\n", processes(2, [[
      local path, id = arg[1] .. ".id"
      local rank = tonumber(os.getenv "RANK")
      if rank == 0 then
        id = nccl.get_unique_id()
        local file = assert(io.open(path .. ".new", "wb"))
        file:write(id)
        file:close()
        assert(os.rename(path .. ".new", path))
      end
      while not id do
        local file = io.open(path, "rb")
        id = file and file:read "*a"
        if file then file:close() end
      end
      local comm = nccl.NcclCommunicator(2, id, rank, { timeout = 20 })
      comm:barrier()
      if rank == 0 then os.remove(path) end
      print(("rank of %d: %d"):format(comm.size, comm:all_reduce(cp.array { rank + 1 }):item()))]]))
  end)

  it("get their ranks from launchers", function()
    local script = [[
      local comm = nccl.init { timeout = 20 }
      print(comm:all_gather(cp.array(comm.rank, "int32")):tobytes():byte(1, -1))]]
    for _, variables in ipairs {
      "OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d OMPI_COMM_WORLD_LOCAL_RANK=%d", "PMI_RANK=%d PMI_SIZE=%d",
      "SLURM_PROCID=%d SLURM_NTASKS=%d SLURM_LOCALID=%d SLURM_NODELIST=nowhere", "RANK=%d WORLD_SIZE=%d LOCAL_RANK=%d",
    } do
      all_equal("0\t0\t0\t0\t1\t0\t0\t0\n", processes(2, script, variables))
    end
  end)
end)

describe("a process", function()
  local REDUCE = [[
    local comm = nccl.init { timeout = 5 }
    comm:barrier()
    if comm.rank == 1 then %s end
    try(function() comm:all_reduce(cp.ones(2000000)) end)
    try(function() comm:all_reduce(cp.ones(2)) end)]]
  local CLOSED = "cupola.nccl.all_reduce: rank %d closed the connection: its process ended, or a call of it failed\n"
  local BROKEN = "cupola.nccl.all_reduce: the communicator cannot be used after a call that failed; make a new one\n"

  -- Ranks 0 and 2 fail because rank 1 ended, or because the other one failed for that reason.
  local function both_fail(outputs)
    local a, b = CLOSED:format(1) .. BROKEN, outputs[1] .. outputs[3]
    assert.is_true(outputs[1] == a or outputs[1] == CLOSED:format(2) .. BROKEN, outputs[1])
    assert.is_true(outputs[3] == a or outputs[3] == CLOSED:format(0) .. BROKEN, outputs[3])
    contains(b, CLOSED:format(1))
  end

  it("that ends is an error in the others", function()
    local outputs = processes(3, REDUCE:format "return")
    assert.equal("", outputs[2])
    both_fail(outputs)
  end)

  it("that is killed is an error in the others", function()
    both_fail(processes(3, REDUCE:format "os.execute 'kill -9 $PPID'"))
  end)

  it("that raises an error is an error in the others", function()
    local outputs = processes(2, REDUCE:format "comm:close() try(function() error('mine', 0) end)")
    assert.equal(CLOSED:format(1) .. BROKEN, outputs[1])
    contains(outputs[2], "mine\n")
    contains(outputs[2], "the communicator was closed")
  end)

  it("that is late is an error", function()
    local outputs = processes(2, [[
      local comm = nccl.init { timeout = 1 }
      if comm.rank == 1 then os.execute "sleep 2" end
      try(function() comm:all_reduce(cp.ones(2)) end)]])
    assert.equal("cupola.nccl.all_reduce: rank 1 did not answer within 1 s\n", outputs[1])
    assert.equal(CLOSED:format(0), outputs[2])
  end)

  it("that makes another call is an error", function()
    local outputs = processes(2, [[
      local comm = nccl.init { timeout = 5 }
      if comm.rank == 0 then try(function() comm:all_reduce(cp.ones(1000000), "max") end)
      else try(function() comm:broadcast(cp.ones(7, "float32"), 1) end) end]])
    local first = "the ranks disagree: rank 1 is in broadcast of 7 float32 with root 1, this one expects "
      .. "all_reduce of 1000000 float64 by max"
    assert.equal("cupola.nccl.all_reduce: " .. first .. "\n", outputs[1])
    -- The root of a broadcast notices nothing: its call is done when the bytes are sent.
    assert.truthy(outputs[2] == "done\n" or outputs[2]:find "rank 0 closed the connection", outputs[2])
  end)

  it("that does not connect is named", function()
    local outputs = processes(2, "try(function() nccl.init { timeout = 0.6 } end)",
      { "RANK=0 WORLD_SIZE=3", "RANK=2 WORLD_SIZE=3" })
    assert.equal("cupola.nccl.init: these ranks did not connect in time: 1\n", outputs[1])
    assert.truthy(outputs[2]:find "^cupola.nccl.init: rank 0", outputs[2])
    outputs = processes(1, "try(function() nccl.init { timeout = 0.3 } end)", "RANK=1 WORLD_SIZE=2")
    contains(outputs[1], "cupola.nccl.init: no answer from 127.0.0.1 port ")
    -- refused, or on a busy machine the last attempt has timed out
    assert.matches(" within 0%.3 s: Connection %l[%l ]+; is rank 0 running%?", outputs[1])
  end)

  it("that expects another number of ranks is refused", function()
    local outputs = processes(2, "try(function() nccl.init { timeout = 5 } end)",
      { "RANK=0 WORLD_SIZE=2", "RANK=1 WORLD_SIZE=3" })
    local fact = "rank 1 expects 3 ranks, but rank 0 expects 2\n"
    assert.equal("cupola.nccl.init: " .. fact, outputs[1])
    assert.equal("cupola.nccl.init: rank 0 refuses: " .. fact, outputs[2])
    outputs = processes(3, "try(function() nccl.init { timeout = 5 } end)",
      { "RANK=0 WORLD_SIZE=3", "RANK=1 WORLD_SIZE=3", "RANK=1 WORLD_SIZE=3" })
    assert.equal("cupola.nccl.init: two processes say that they are rank 1\n", outputs[1])
    for rank = 2, 3 do
      assert.equal("cupola.nccl.init: rank 0 refuses: two processes say that they are rank 1\n", outputs[rank])
    end
  end)

  it("without a launcher names the variables that it needs", function()
    local script = "try(nccl.init)"
    contains(processes(1, script, "-u RANK -u WORLD_SIZE")[1], "cupola.nccl.init: no launcher has told this process")
    contains(processes(1, script, "RANK=x WORLD_SIZE=2")[1],
      "cupola.nccl.init: the variable RANK is 'x', not a whole number")
    contains(processes(1, script, "RANK=3 WORLD_SIZE=2")[1],
      "cupola.nccl.init: rank 3 is out of range for 2 ranks, which count from 0")
    contains(processes(1, "try(function() nccl.init { address = 'no.such.host.invalid', timeout = 1 } end)",
      "RANK=1 WORLD_SIZE=2")[1], "cupola.nccl.init: cannot find the address 'no.such.host.invalid'")
    contains(processes(1, "try(function() nccl.init { port = 70000 } end)", "RANK=0 WORLD_SIZE=2")[1],
      "cupola.nccl.init: port must be from 1 to 65535, not 70000")
    contains(processes(1, "try(function() nccl.init { address = '192.0.2.1', timeout = 1 } end)",
      "RANK=0 WORLD_SIZE=2")[1], "cupola.nccl.init: cannot listen at 192.0.2.1 port ")
    all_equal("1.5\n", processes(1, "print(nccl.init():all_reduce(cp.array { 1.5 }):item())", "RANK=0 WORLD_SIZE=1"))
  end)
end)
