-- Copies between the first two GPUs and NCCL's all_reduce over all of them, as rows of bench/peer:
--   ./dev lua bench/tables/peer.lua [WHO]
-- Times are the host's, from work on idle devices until all of it is done, over as many calls as fit in a
-- fifth of a second; the best of five rounds.

local cp = require "cupola"

local who = arg[1] or "cupola"
local GPUS = cp.cuda.device_count()
local MB = 1000000

local function row(key, value, unit) print(("%s\t%s\t%.6g\t%s"):format(who, key, value, unit)) end

local function wait()
  for id = 0, GPUS - 1 do cp.synchronize("cuda:" .. id) end
end

local function rounds(f, n)
  local best = math.huge
  for _ = 1, 5 do
    wait()
    local t = cp.clock()
    for _ = 1, n do f() end
    wait()
    best = math.min(best, (cp.clock() - t) / n)
  end
  return best
end

local function seconds(f)
  for _ = 1, 3 do f() end
  return rounds(f, math.max(1, math.min(1000, math.floor(0.2 / rounds(f, 1)))))
end

local function copy_rows(suffix)
  for _, megabytes in ipairs { 1, 64, 1024 } do
    local x = cp.ones(megabytes * MB / 4, { dtype = "float32", device = "cuda:0" }):eval()
    local t = seconds(function() x:to("cuda:1"):free() end)
    row(("copy of %d MB to another GPU%s"):format(megabytes, suffix), megabytes * MB / t / 1e9, "GB/s")
    if megabytes == 64 then
      local y = x:to "cuda:1"
      t = seconds(function()
        x:to("cuda:1"):free()
        y:to("cuda:0"):free()
      end)
      row("copies of 64 MB both ways at once" .. suffix, 2 * megabytes * MB / t / 1e9, "GB/s")
      y:free()
    end
    x:free()
  end
  local small = cp.ones(256, { dtype = "float32", device = "cuda:0" }):eval()
  row("copy of 1 KB to another GPU, queued" .. suffix, seconds(function() small:to("cuda:1"):free() end) * 1e6, "us")
end

local function reduce_rows()
  local ranks = cp.cuda.nccl.init_all()
  for _, megabytes in ipairs { 1, 256 } do
    local xs = {}
    for k, comm in ipairs(ranks) do
      xs[k] = cp.zeros(megabytes * MB / 4, { dtype = "float32", device = comm.device }):eval()
    end
    local t = seconds(function() ranks:all_reduce_(xs) end)
    row(("all_reduce of %d MB over %d GPUs, bus"):format(megabytes, GPUS),
      2 * (GPUS - 1) / GPUS * megabytes * MB / t / 1e9, "GB/s")
  end
  ranks:close()
end

if GPUS < 2 then
  io.stderr:write("bench: needs two GPUs, there are ", GPUS, "\n")
  os.exit(0)
end
local staged = os.getenv "CUPOLA_PEER_ACCESS" == "0"
copy_rows(staged and ", by host memory" or "")
local able, why = cp.cuda.nccl.available()
if able and not staged then reduce_rows() end
if not able then io.stderr:write("bench: ", tostring(why), "\n") end
