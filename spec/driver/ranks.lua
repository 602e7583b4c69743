-- Run by spec/devices/transfer_spec.lua with a simulated driver and NCCL (driver.c, nccl.c): communicators of
-- two GPUs. Prints "all as it should be".

local cp = require "cupola"
local nccl = cp.cuda.nccl
local ranks = nccl.init_all()
assert(nccl.get_version() == 22304 and #ranks == 2 and ranks[2].device == "cuda:1" and ranks[1].backend == "nccl")

local function array(values, dtype, device)
  return cp.frombytes(cp.cpu.array(values, dtype):tobytes(), dtype, { device = device })
end

local function pair(dtype, a, b) return { array(a, dtype, "cuda:0"), array(b, dtype, "cuda:1") } end

local function check(x, want, dtype)
  assert(x:tobytes() == cp.cpu.array(want, dtype):tobytes(), dtype .. ": " .. tostring(x:to "cpu"))
end

for _, dtype in ipairs { "int8", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64" } do
  for op, want in pairs { sum = { 5, 9, 2 }, prod = { 4, 20, 0 }, min = { 1, 4, 0 }, max = { 4, 5, 2 },
    avg = { 2, 4, 1 } } do
    if op == "avg" and dtype:find "float" then want = { 2.5, 4.5, 1 } end
    local xs = pair(dtype, { 1, 4, 0 }, { 4, 5, 2 })
    for k, r in ipairs(ranks:all_reduce(xs, op)) do
      check(r, want, dtype)
      assert(r.device == ranks[k].device)
    end
    for _, r in ipairs(ranks:all_reduce_(xs, op)) do check(r, want, dtype) end
  end
end
for op, want in pairs { sum = { true, true, false }, max = { true, true, false }, prod = { false, true, false },
  min = { false, true, false } } do
  local xs = pair("bool", { true, true, false }, { false, true, false })
  check(ranks:all_reduce(xs, op)[2], want, "bool")
end
check(ranks:all_reduce(pair("complex64", { 1, 2 }, { 3, 4 }))[1], { 4, 6 }, "complex64")
check(ranks:all_reduce(pair("complex128", { 1, 2 }, { 3, 5 }), "avg")[2], { 2, 3.5 }, "complex128")

for _, dtype in ipairs { "bool", "int16", "uint16", "float16", "bfloat16", "complex128", "float32" } do
  local one, zero = 1, 0
  if dtype == "bool" then one, zero = true, false end
  local xs = pair(dtype, { one, zero, one }, { zero, one, one })
  for _, r in ipairs(ranks:all_gather(xs)) do check(r, { one, zero, one, zero, one, one }, dtype) end
  for _, r in ipairs(ranks:broadcast(xs, 1)) do check(r, { zero, one, one }, dtype) end
end

local xs = pair("float32", { 1, 2, 3, 4 }, { 10, 20, 30, 40 })
local parts = ranks:reduce_scatter(xs)
check(parts[1], { 11, 22 }, "float32")
check(parts[2], { 33, 44 }, "float32")
local reduced = ranks:reduce(xs, "max", 1)
assert(reduced[1] == nil)
check(reduced[2], { 10, 20, 30, 40 }, "float32")
local got = {}
nccl.group(function()
  for k, comm in ipairs(ranks) do
    comm:send(xs[k], 2 - k)
    got[k] = comm:recv(cp.empty(4, { dtype = "float32", device = comm.device }), 2 - k)
  end
end)
check(got[1], { 10, 20, 30, 40 }, "float32")
check(got[2], { 1, 2, 3, 4 }, "float32")

local function refused(fact, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and message:find(fact, 1, true), message)
end
refused("x is on cuda:1, the communicator on cuda:0; move it with :to(\"cuda:0\")", ranks[1].all_reduce, ranks[1],
  xs[2])
refused("cuda:0 is named twice; a GPU can be only one rank", nccl.init_all, { "cuda:0", "cuda:0" })
refused("the devices of a communicator must be of one kind, not cuda:0 and cpu", nccl.init_all, { "cuda:0", "cpu" })
refused("ncclCommInitRank: simulated: invalid usage (5)", nccl.NcclCommunicator, 2, nccl.get_unique_id "cuda:0", 0,
  "cuda:0")
refused("the id was made for the CPU device, but the device is cuda:0", nccl.NcclCommunicator, 2,
  nccl.get_unique_id "cpu", 0, "cuda:0")
ranks:close()
nccl.init_all(2) -- left to the collector
collectgarbage()
collectgarbage()
nccl.init_all(2):close()
print "all as it should be"
