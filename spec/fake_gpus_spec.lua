-- Copies between GPUs, and communicators of them, on a driver and an NCCL that are made up (spec/fake): two GPUs in
-- host memory, which work as late as they can, so that what is not ordered goes wrong. Runs where there is a C
-- compiler, without any GPU.

local check = require "spec.helper.check"

local COPIES = [[
local cp = require "cupola"
local A, B = "cuda:0", "cuda:1"
local floor = math.floor

local function bytes(n, seed)
  local t = {}
  for k = 1, 97 do t[k] = string.char((k * 7 + seed * 13) % 256) end
  return table.concat(t):rep(floor(n / 97) + 1):sub(1, n)
end

local function array(text, device) return cp.frombytes(text, "uint8", { device = device }) end

assert(cp.cuda.device_count() == 2)
for _, n in ipairs { 0, 1, 100, 32768, 32769, 1000000, 2097152, 2097153, 4194000 } do
  local x = array(bytes(n, n), A)
  local y = x:to(B)
  local z = y:to(A)
  assert(y.device == B and z.device == A)
  x:free()
  y:free()
  assert(z:tobytes() == bytes(n, n), n)
end

for round = 1, 120 do -- sources and copies are freed, and their memory is written again, before anything was done
  local n = round % 20 == 0 and 3000000 or 1000 + round * 37777 % 200000
  local text, other = bytes(n, round), ("z"):rep(n)
  local x = array(text, A)
  local y = x:to(B)
  if round % 2 == 0 then x:free() end
  local w = array(other, A)
  local z = y:to(A)
  if round % 3 == 0 then y:free() end
  local v = array(other, B)
  if round % 5 == 0 then cp.device(A):with(cp.collect) end
  if round % 7 == 0 then cp.device(B):with(cp.collect) end
  assert(z:tobytes() == text, round)
  assert(w:tobytes() == other and v:tobytes() == other, round)
  assert(round % 3 == 0 or y:tobytes() == text, round)
end

local s, t = cp.cuda.Stream { device = A, non_blocking = true }, cp.cuda.Stream { device = B, non_blocking = true }
for round = 1, 60 do
  local text = bytes(5000, round)
  local x = s:with(function() return array(text, A) end)
  local y = t:with(function() return x:to(B) end)
  s:with(function() x:free() end)
  local w = array(("q"):rep(5000), A)
  assert(y:tobytes() == text, round)
  assert(w:tobytes() == ("q"):rep(5000), round)
end

local ok, message = pcall(function() return array("ab", A) + array("ab", B) end)
assert(not ok and message:find("operands are on different devices, cuda:0 and cuda:1", 1, true), message)
print "copied"
]]

local RANKS = [[
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
refused("cuda:0 is named twice; a GPU can be one rank", nccl.init_all, { "cuda:0", "cuda:0" })
refused("the devices of a communicator are of one kind, not cuda:0 and cpu", nccl.init_all, { "cuda:0", "cpu" })
refused("ncclCommInitRank: fake: invalid usage (5)", nccl.NcclCommunicator, 2, nccl.get_unique_id "cuda:0", 0, "cuda:0")
refused("the id was made for the CPU device, and the device is cuda:0", nccl.NcclCommunicator, 2,
  nccl.get_unique_id "cpu", 0, "cuda:0")
ranks:close()
nccl.init_all(2) -- left to the collector
collectgarbage()
collectgarbage()
nccl.init_all(2):close()
print "combined"
]]

local function succeeds(command)
  local result = os.execute(command)
  return result == true or result == 0 -- Lua 5.1 gives the status
end

local function obstacle()
  if os.getenv "LD_PRELOAD" then return "the module is instrumented" end
  if not succeeds "cc --version > /dev/null 2>&1" then return "there is no C compiler" end
end

describe("a made-up driver", function()
  local folder

  setup(function()
    if obstacle() then return end
    folder = os.tmpname()
    os.remove(folder)
    assert(succeeds("mkdir " .. folder))
    local command = "cc -std=c11 -w -shared -fPIC -Isrc "
    assert(succeeds(command .. "spec/fake/cuda.c spec/fake/stubs.c -o " .. folder .. "/libcuda.so.1"))
    assert(succeeds(command .. "spec/fake/nccl.c -ldl -o " .. folder .. "/libnccl.so.2"))
  end)
  teardown(function() if folder then os.execute("rm -r " .. folder) end end)

  local function runs(program, want, environment)
    if not folder then return pending(obstacle()) end
    local output, status = check.run(program, ("env -u CUPOLA_DEVICE LD_LIBRARY_PATH=%s CUPOLA_NCCL_PATH=%s %s"):format(
      folder, folder, environment))
    assert.equal(want .. "\n", output)
    assert.equal(0, status)
  end

  local function copies(environment) return runs(COPIES, "copied", environment) end

  it("copies by the link", function() copies "FAKE_PEERS=1" end)
  it("copies by host memory where there is no link", function() copies "" end)
  it("is what NCCL is called on", function() runs(RANKS, "combined", "") end)
  it("copies by host memory where that is asked for", function() copies "FAKE_PEERS=1 CUPOLA_PEER_ACCESS=0" end)
end)
