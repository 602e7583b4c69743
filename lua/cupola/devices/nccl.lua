-- cp.cuda.nccl: collective communication of arrays between ranks. Each rank has one device: a GPU through
-- NCCL, or the CPU device through sockets, for tests and programs without GPUs. The core
-- (src/lua/devices/nccl.c) runs groups of calls; this file checks and converts their arguments. docs/gpus.md
-- describes it.

return function(cp, core)
  local nccl = {}
  cp.cuda.nccl = nccl
  local publish = core.publisher(cp.cuda.nccl, "nccl.")
  local Communicator = core.comm_methods
  local PATIENCE = 300 -- seconds that ranks wait for each other

  local fail = core.fail

  -- ---- groups

  -- The calls of each coroutine's open group: {calls =, and for each start the guard of the function in it,
  -- or false}.
  local MAIN = {} -- key of the main coroutine, which Lua 5.1 does not name
  local groups = setmetatable({}, { __mode = "k" })

  local function here() return coroutine.running() or MAIN end

  local function run(where, calls)
    for _, call in ipairs(calls) do core.comm_check(where, call.comm) end
    core.comm_run(where, calls)
    for _, call in ipairs(calls) do
      if call.finish then call.finish() end
    end
  end

  -- The open group; none after a function in it has raised.
  local function open_group()
    local group = groups[here()]
    local open = group and #group > 0
    for k = 1, open and #group or 0 do open = open and (not group[k] or core.is_entered(group[k])) end
    return open and group or nil
  end

  -- Runs the call now or adds it to the open group; returns its result.
  local function submit(where, call)
    local group = groups[here()] and open_group()
    if group then
      group.calls[#group.calls + 1] = call
    else
      run(where, { call })
    end
    return call.result
  end

  local function start_group(guard)
    local group = open_group() or { calls = {} }
    group[#group + 1] = guard
    groups[here()] = group
  end

  --- Starts a group: the calls until `group_end` run together, on all communicators of this process. No call
  --- may write an array that another one uses, and the script must not use their arrays until then.
  publish("group_start", "", 0, function(_) start_group(false) end)

  local function end_group(where)
    local group = open_group()
    if not group then fail(where, "usage", "there was no group_start before") end
    group[#group] = nil
    if #group > 0 then return end
    groups[here()] = nil
    run(where, group.calls)
  end

  --- Runs the calls since `group_start`.
  publish("group_end", "", 0, function(where) end_group(where) end)

  local function ended(where, ...)
    end_group(where)
    return ...
  end

  local function inside(where, guard, f, ...)
    start_group(guard)
    return ended(where, f(...))
  end

  local function in_group(where, f, ...)
    local guard = core.guard(where)
    return core.within(guard, inside, where, guard, f, ...)
  end

  --- Runs f(...) between `group_start` and `group_end`. After an error in f, nothing in the group runs.
  ---@param f function
  ---@return any ... what f returns
  function cp.cuda.nccl.group(f, ...)
    f = core.callable(f, "nccl.group", "f")
    return in_group("nccl.group", f, ...)
  end

  -- ---- arguments

  local function rank_of(where, comm, value, name)
    local rank = core.integer(value, where, name)
    if rank < 0 or rank >= comm.size then
      fail(where, "index", "%s %d is out of range for %d ranks, which count from 0", name, rank, comm.size)
    end
    return rank
  end

  local function check_device(where, comm, x, name)
    if x.device == comm.device then return end
    fail(where, "usage", "%s is on %s, the communicator on %s; move it with :to(\"%s\")", name, x.device, comm.device,
      comm.device)
  end

  local function take(where, comm, x)
    core.comm_check(where, comm)
    x = core.as_array(x, where, "x")
    check_device(where, comm, x, "x")
    return x
  end

  local function contiguous(x) return x.flags.c_contiguous and x or x:copy("C") end

  local function shape_of(x, first)
    local shape = {}
    for d, n in ipairs(x.shape) do shape[d] = n end
    if first then shape[1] = first end
    return shape
  end

  -- The array for the result: `out`, or a new one.
  local function check_out(where, comm, out, dtype, shape)
    local size = 1
    for _, n in ipairs(shape) do size = size * n end
    if out == nil then return cp.empty(shape, { dtype = dtype, device = comm.device }) end
    if not cp.is_array(out) then fail(where, "usage", "out must be an array, not %s", type(out)) end
    check_device(where, comm, out, "out")
    if out.dtype ~= dtype then fail(where, "dtype", "out is %s, the result %s", out.dtype, dtype) end
    if out.size ~= size then
      fail(where, "shape", "out has %d elements, the result %d", out.size, size)
    end
    return out
  end

  -- Sets the memory that the call writes: the result itself, or temporary memory that is copied to it
  -- afterwards.
  local function write_to(call, result, dtype)
    local direct = result.dtype == dtype and result.flags.c_contiguous
    call.result, call.out = result, result
    if direct then return call end
    call.out = cp.empty(shape_of(result), { dtype = dtype, device = result.device })
    call.finish = function() result:assign(call.out:astype(result.dtype)) end
    return call
  end

  -- x in a form that can be read while `out` is written.
  local function apart(x, out)
    if out == nil or rawequal(x, out) or not cp.may_share_memory(x, out) then return x end
    return x:copy("C")
  end

  -- x for a reduction: in the dtype in which the device combines values.
  local function take_terms(where, comm, x, op, out)
    local native = core.comm_combines(where, comm, x.dtype, op)
    if not native then return contiguous(x:astype("int32")) end
    return contiguous(apart(x, out))
  end

  -- The fast path for most calls, outside of groups: contiguous arrays on the communicators' own devices,
  -- with dtypes that these combine. The core checks this and does everything; it returns nil if it did
  -- nothing.
  local function try(kind, comms, xs, op, root, in_place)
    if groups[here()] then return nil end
    return core.comm_try(kind, comms, xs, op, root, in_place)
  end

  -- The same for one rank; true if it was done.
  local function try_one(kind, comm, x, op, root, out)
    if out ~= nil and not rawequal(out, x) then return false end
    local results = try(kind, { comm }, { x }, op, root, out ~= nil)
    return results ~= nil, results and results[1]
  end

  -- ---- operations

  --- Combines every rank's x; every rank gets the result.
  ---@param x any  of the same size and dtype on all ranks
  ---@param op? string  "sum" (default), "prod", "min", "max" or "avg"
  ---@param out? any  array for the result; may be x itself
  ---@return any
  function Communicator:all_reduce(x, op, out)
    local where = "nccl.all_reduce"
    op = op or "sum"
    local done, quick = try_one("all_reduce", self, x, op, nil, out)
    if done then return quick end
    x = take(where, self, x)
    local result = check_out(where, self, out, x.dtype, shape_of(x))
    local terms = take_terms(where, self, x, op, out)
    return submit(where, write_to({ comm = self, kind = "all_reduce", op = op, x = terms }, result, terms.dtype))
  end

  --- The same, written to x.
  ---@param x any
  ---@param op? string
  ---@return any x
  function Communicator:all_reduce_(x, op) return Communicator.all_reduce(self, x, op, x) end

  --- Combines every rank's x; the rank root gets the result, others nil.
  ---@param x any
  ---@param op? string  "sum" (default), "prod", "min", "max" or "avg"
  ---@param root? integer  default 0
  ---@param out? any  array for the result, on the root
  ---@return any
  function Communicator:reduce(x, op, root, out)
    local where = "nccl.reduce"
    op = op or "sum"
    local done, quick = try_one("reduce", self, x, op, root, out)
    if done then return quick end
    x = take(where, self, x)
    root = rank_of(where, self, root or 0, "root")
    local here_too = self.rank == root
    local result = here_too and check_out(where, self, out, x.dtype, shape_of(x))
    local terms = take_terms(where, self, x, op, here_too and out or nil)
    local call = { comm = self, kind = "reduce", op = op, root = root, x = terms }
    return submit(where, here_too and write_to(call, result, terms.dtype) or call)
  end

  --- The same, written to the root's x.
  ---@param x any
  ---@param op? string
  ---@param root? integer
  ---@return any
  function Communicator:reduce_(x, op, root) return Communicator.reduce(self, x, op, root, x) end

  --- Sends the root's x to every rank; x of the other ranks gives shape and dtype.
  ---@param x any
  ---@param root? integer  default 0
  ---@param out? any  array for the result; may be x itself
  ---@return any
  function Communicator:broadcast(x, root, out)
    local where = "nccl.broadcast"
    local done, quick = try_one("broadcast", self, x, nil, root, out)
    if done then return quick end
    x = take(where, self, x)
    root = rank_of(where, self, root or 0, "root")
    local result = check_out(where, self, out, x.dtype, shape_of(x))
    local call = { comm = self, kind = "broadcast", root = root, x = contiguous(apart(x, out)) }
    return submit(where, write_to(call, result, x.dtype))
  end

  --- The same, written to x.
  ---@param x any
  ---@param root? integer
  ---@return any x
  function Communicator:broadcast_(x, root) return Communicator.broadcast(self, x, root, x) end

  --- Concatenates every rank's x along the first axis; every rank gets the result.
  ---@param x any  of the same size and dtype on all ranks
  ---@param out? any  array for the result
  ---@return any
  function Communicator:all_gather(x, out)
    local where = "nccl.all_gather"
    local done, quick = try_one("all_gather", self, x, nil, nil, out)
    if done then return quick end
    x = take(where, self, x)
    local shape = shape_of(x, (x.shape[1] or 1) * self.size)
    local result = check_out(where, self, out, x.dtype, shape)
    if rawequal(x, out) then fail(where, "usage", "out must be another array than x") end
    local call = { comm = self, kind = "all_gather", x = contiguous(apart(x, out)) }
    return submit(where, write_to(call, result, x.dtype))
  end

  --- Combines every rank's x; rank k gets part k of the result along the first axis.
  ---@param x any  an array whose first axis is a multiple of the number of ranks
  ---@param op? string  "sum" (default), "prod", "min", "max" or "avg"
  ---@param out? any  array for the part
  ---@return any
  function Communicator:reduce_scatter(x, op, out)
    local where = "nccl.reduce_scatter"
    op = op or "sum"
    local done, quick = try_one("reduce_scatter", self, x, op, nil, out)
    if done then return quick end
    x = take(where, self, x)
    if x.ndim == 0 or x.shape[1] % self.size ~= 0 then
      fail(where, "shape", "the first axis of shape %s cannot be divided among %d ranks", tostring(x.shape), self.size)
    end
    local result = check_out(where, self, out, x.dtype, shape_of(x, math.floor(x.shape[1] / self.size)))
    local terms = take_terms(where, self, x, op, out)
    if rawequal(x, out) then fail(where, "usage", "out must be another array than x") end
    return submit(where, write_to({ comm = self, kind = "reduce_scatter", op = op, x = terms }, result, terms.dtype))
  end

  --- Sends x to another rank, which must call recv at the same time.
  ---@param x any
  ---@param peer integer  the other rank
  function Communicator:send(x, peer)
    local where = "nccl.send"
    x = take(where, self, x)
    submit(where, { comm = self, kind = "send", root = rank_of(where, self, peer, "peer"), x = contiguous(x) })
  end

  --- Receives the array that another rank sends.
  ---@param out any  array of the size and dtype that is sent
  ---@param peer integer  the other rank
  ---@return any out
  function Communicator:recv(out, peer)
    local where = "nccl.recv"
    core.comm_check(where, self)
    if not cp.is_array(out) then fail(where, "usage", "out must be an array, not %s", type(out)) end
    check_device(where, self, out, "out")
    local call = { comm = self, kind = "recv", root = rank_of(where, self, peer, "peer") }
    return submit(where, write_to(call, out, out.dtype))
  end

  --- Waits until every rank has called this.
  Communicator.barrier = core.define("nccl.barrier", "comm", 1, function(where, self)
    core.comm_check(where, self)
    local flag = Communicator.all_reduce(self, cp.zeros(1, { dtype = "int32", device = self.device }))
    if not groups[here()] then cp.synchronize(flag.device) end
  end)

  -- Names for the optional arguments, as everywhere.
  for name, list in pairs {
    all_reduce = "comm, x, op, out", all_reduce_ = "comm, x, op", reduce = "comm, x, op, root, out",
    reduce_ = "comm, x, op, root", broadcast = "comm, x, root, out", broadcast_ = "comm, x, root",
    all_gather = "comm, x, out", reduce_scatter = "comm, x, op, out", send = "comm, x, peer",
    recv = "comm, out, peer",
  } do
    local f = Communicator[name]
    Communicator[name] = core.define("nccl." .. name, list, 2, function(_, ...) return f(...) end)
  end

  -- ---- all ranks in one process

  local Ranks = {}
  Ranks.__index = Ranks

  local function check_ranks(where, v)
    if getmetatable(v) ~= Ranks then fail(where, "usage", "is a method: call it with a colon") end
  end

  -- An operation on lists, with one array for each rank. simple: the names of the further arguments of `try`.
  local function on_all(name, simple)
    local kind, in_place = string.gsub(name, "_$", "")
    local reduces, most = string.find(simple, "op") ~= nil, select(2, string.gsub(simple, "%a+", ""))
    Ranks[name] = function(ranks, xs, ...)
      local where = "nccl." .. name
      check_ranks(where, ranks)
      if type(xs) ~= "table" or #xs ~= #ranks then
        fail(where, "usage", "takes a table of %d arrays, one for each rank%s", #ranks,
          type(xs) == "table" and ", not of " .. #xs or "")
      end
      local count, op, root = select("#", ...), ...
      if not reduces then op, root = nil, op end
      local done = count <= most and try(kind, ranks, xs, op, root, in_place > 0)
      if done then return done end
      local rest = { n = count, ... }
      return in_group(where, function()
        local results = {}
        for k, comm in ipairs(ranks) do
          results[k] = comm[name](comm, xs[k], (table.unpack or unpack)(rest, 1, rest.n)) -- luacheck: ignore
        end
        return results
      end)
    end
  end
  for name, simple in pairs { all_reduce = "op", all_reduce_ = "op", reduce = "op, root", reduce_ = "op, root",
    broadcast = "root", broadcast_ = "root", all_gather = "", reduce_scatter = "op" } do
    on_all(name, simple)
  end

  Ranks.barrier = core.define("nccl.barrier", "ranks", 1, function(where, self)
    check_ranks(where, self)
    nccl.group(function()
      for _, comm in ipairs(self) do comm:barrier() end
    end)
    for _, comm in ipairs(self) do cp.synchronize(comm.device) end
  end)

  Ranks.close = core.define("nccl.close", "ranks", 1, function(where, self)
    check_ranks(where, self)
    for _, comm in ipairs(self) do comm:close() end
  end)

  -- ---- making communicators

  local function seconds(timeout) return timeout == nil and PATIENCE or timeout end

  --- An id for the ranks of a new communicator: one process makes it and passes it to the others in any way.
  ---@param device? string  the communicator's device; default: the current one
  ---@return string id  128 bytes
  publish("get_unique_id", "device", 0, function(where, device)
    return core.comm_id(where, core.device_name(device))
  end)

  --- This process's rank of a communicator of `size` ranks; waits for the others. On the CPU device, rank 0
  --- must be in the process that made the id.
  ---@param size integer  the number of ranks
  ---@param id string  the result of `get_unique_id`, the same on all ranks
  ---@param rank integer  from 0
  ---@param device? string  default: the current one
  ---@param timeout? number  seconds to wait for other ranks, here and (on the CPU device) in each call;
  --- default 300
  ---@return userdata communicator
  publish("NcclCommunicator", "size, id, rank, device, timeout", 3, function(where, size, id, rank, device, timeout)
    return core.comm_join(where, core.device_name(device), id, rank, size, seconds(timeout))
  end)

  -- The names of the devices in a table, of a number of GPUs, or of all GPUs.
  local function all_names(where, devices)
    local names = {}
    if devices == nil or type(devices) == "number" then
      for k = 1, devices or cp.cuda.device_count() do names[k] = core.device_name("cuda:"
        .. string.format("%d", k - 1)) end
    elseif type(devices) == "table" then
      for k, device in ipairs(devices) do
        names[k] = core.device_name(type(device) == "table" and device.name or device)
      end
    else
      fail(where, "usage", "devices must be a table of names, not %s", type(devices))
    end
    if #names > 0 then return names end
    fail(where, "usage", devices and "devices must be a table of names, not an empty one"
      or "there are no GPUs here: name the devices, as {\"cpu\", \"cpu\"}")
  end

  --- Communicators for ranks that are all in this process, one for each device. The methods of the result
  --- take a table of arrays, one for each rank.
  ---@param devices? any  names, or the number of GPUs; default: all GPUs. The CPU may be named several times
  ---@param timeout? number
  ---@return table ranks  communicators by rank + 1
  publish("init_all", "devices, timeout", 0, function(where, devices, timeout)
    devices = all_names(where, devices)
    local seen = {}
    for _, name in ipairs(devices) do
      if seen[name] and name ~= "cpu" then
        fail(where, "usage", "%s is named twice; a GPU can be only one rank", name)
      end
      seen[name] = true
    end
    return setmetatable(core.comm_join_all(where, devices, seconds(timeout)), Ranks)
  end)

  -- ---- launchers

  local launchers = core.load "devices/launchers"(cp, core)

  --- The communicator of all processes that a launcher started: torchrun, mpirun, srun, or any that sets
  --- RANK, WORLD_SIZE and, unless it is this host, MASTER_ADDR. Rank 0 listens there at MASTER_PORT (29400).
  --- The communicator's device becomes the current one.
  ---@param rank? integer
  ---@param size? integer
  ---@param address? string
  ---@param port? integer
  ---@param device? string  default: the current one, or if there are several GPUs, the one for the rank on
  --- its host
  ---@param timeout? number  seconds to wait for others; default 300
  ---@return userdata communicator
  publish("init", "rank, size, address, port, device, timeout", 0,
    function(where, rank, size, address, port, device, timeout)
      local env_rank, env_size, place = launchers.environment()
      rank, size = rank or env_rank, size or env_size
      if rank == nil or size == nil then
        fail(where, "usage", "no launcher has told this process its rank: set RANK and WORLD_SIZE, start it with "
          .. "torchrun, mpirun or srun, or give {rank =, size =}")
      end
      if address ~= nil and type(address) ~= "string" then
        fail(where, "usage", "address must be a string, not %s", cp.type(address))
      end
      address, device = launchers.address_of(address), launchers.device_of(device, place)
      port = core.integer(port or launchers.whole "MASTER_PORT" or 29400, where, "port")
      if port < 1 or port > 65535 then fail(where, "usage", "port must be from 1 to 65535, not %d", port) end
      timeout = seconds(timeout)
      local id = rank == 0 and core.comm_id(where, device, address) or nil
      if size ~= 1 then id = core.comm_share(where, address, port, rank, size, timeout, id) end
      local comm = core.comm_join(where, device, id, rank, size, timeout)
      core.use(where, device)
      return comm
    end)

  --- The version of NCCL, such as 22304 for 2.23.4; raises if NCCL cannot be opened.
  ---@return integer
  publish("get_version", "", 0, function(where) return core.nccl_version(where) end)

  --- Whether NCCL can be opened.
  ---@return boolean available
  ---@return string? reason  why not
  publish("available", "", 0, function(where)
    local ok, problem = pcall(core.nccl_version, where)
    if ok then return true end
    return false, problem
  end)
end
