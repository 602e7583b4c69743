-- Run by each thread of stress.c in its state: steps in random order until time is up, each with known
-- results. Its arguments: its number, the seed, the seconds, the device, and whether its memory is limited;
-- the host's functions are offer(x), take() and lend(n). Memory may run out at any time, as other states hold
-- it: such steps are abandoned.
--
-- Returns the numbers of steps completed and abandoned. What it leaves behind is freed by lua_close.

local cp, offer, take, lend = cupola, offer, take, lend -- luacheck: globals cupola offer take lend
local number, seed, seconds, device, limited = ...

cp.device(device):use()
cp.memory({ limit = 80 * 2 ^ 20 }) -- of the pool: less than eight states may want

local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return math.floor(seed / 65536) % n + 1
end

local function expect(want, value, what)
  if value ~= want then error(("%s: %s, not %s"):format(what, tostring(value), tostring(want)), 2) end
end

local null, s, t = cp.cuda.Stream.null, cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
local streams = { null, s, t }
local kept = {} -- arrays that live for many steps: {x, sum}
local steps = {}

-- ---- arithmetic and memory

function steps.arithmetic()
  local n, k = random(3000), random(100)
  local x = cp.arange(n, "float64")
  local y = (x * 2 + k) - x
  expect(n * (n - 1) / 2 + k * n, y:sum():item(), "sum")
  y:add_(1)
  x:assign(y * 2)
  expect(2 * (n - 1 + k + 1), x[n], "element")
  expect(n + k, y:max():item(), "max")
end

function steps.large() -- shared between the threads of the CPU's pool
  local rows, k = 100 + random(300), random(5)
  local x = cp.ones({ rows, 1000 }, "float32")
  expect((1 + k) * rows * 1000, (x + k):sum():item(), "large sum")
  local total = (x:cumsum(2) * k).T:sum(1)
  expect(k * 1000 * 1001 / 2, total[rows], "sum of a row")
end

function steps.keep()
  local slot, n = random(8), random(20000)
  local old = kept[slot]
  if old then expect(old.sum, old.x:sum():item(), "kept array") end
  if old and random(2) == 1 then
    old.x:free()
    old.x:free()
    expect(false, (pcall(function() return old.x + 1 end)), "use after free")
  end
  kept[slot] = nil
  local x = cp.full({ n }, slot, "int32")
  kept[slot] = { x = random(2) == 1 and x:eval() or x, sum = n * slot }
end

function steps.out_of_memory()
  if not limited then return end
  local hold = {}
  local ok
  repeat
    ok = pcall(function() hold[#hold + 1] = cp.ones({ 100, 1000 }, "float64"):eval() end)
  until not ok or #hold == 1000
  expect(false, ok, "limit")
  expect("memory", cp.last_error().kind, "kind")
  for k = 1, #hold, 2 do hold[k]:free() end
  hold = nil -- luacheck: ignore
  expect(10, cp.ones(10):sum():item(), "after the limit")
end

function steps.pool()
  local figures = cp.memory()
  expect(80 * 2 ^ 20, figures.limit, "limit")
  expect(true, figures.live <= figures.limit, "live blocks within the limit")
  if random(20) == 1 then cp.collect() else collectgarbage "step" end
end

local pool -- created at its first use

function steps.allocators()
  pool = pool or cp.cuda.MemoryPool()
  local n, which = random(20000), random(4)
  local function fill() return (cp.arange(n, "float64") + 1):eval() end
  local x
  if which == 4 then -- a function, which allocates from the device's own pool
    local function give(bytes)
      local ok, memory = pcall(cp.empty, { bytes }, "uint8")
      return ok and memory or nil
    end
    x = cp.cuda.using_allocator(give, fill)
  else
    x = cp.cuda.using_allocator(({ pool, cp.cuda.malloc_async, cp.cuda.malloc_device })[which], fill)
  end
  expect(n * (n + 1) / 2, x:sum():item(), "sum in other memory")
  if random(2) == 1 then x:free() end
  if random(10) == 1 then pool:free_all_blocks() end
end

function steps.pinned()
  local n, k = random(3000), random(100)
  local from, to = cp.empty_pinned({ n }, "float32"), cp.empty_pinned({ n }, "float32")
  local x = cp.empty({ n }, "float32")
  local stream = streams[random(3)]
  stream:with(function()
    for round = 1, 3 do
      from:fill(k + round)
      x:assign(from)
      to:assign(x * 2)
    end
  end)
  expect(2 * (k + 3), to[n], "copied back")
  expect((k + 3) * n, x:sum():item(), "copied in")
  expect(2 * (k + 3) * n, x:to("cpu"):sum():item() * 2, "pageable copy")
end

function steps.scope()
  local n = random(500)
  local x = cp.scope(function()
    local a = cp.arange(n) + 1
    local b = a:cumsum()
    return b - a + 1
  end)
  expect(n * (n + 1) / 2 - n + 1, x[n], "scope")
  pcall(cp.scope, function() local _ = cp.arange(n) error "mine" end)
end

function steps.errors()
  expect(false, (pcall(function() return cp.ones(2) + cp.ones(3) end)), "shapes")
  expect("shape", cp.last_error().kind, "kind")
  expect(false, (pcall(cp.arange, "x")), "usage")
  expect("usage", cp.last_error().kind, "kind")
end

-- On a GPU the kernel leaves a note, and the next synchronisation of its stream finds it, whoever else waits
-- for that.
function steps.positions()
  local x, beyond = cp.arange(50), cp.array({ 1, 1000 }, "int64")
  local ok = pcall(function()
    streams[random(3)]:with(function() return x[beyond]:eval() end)
    local _ = cp.zeros(random(20000)):eval()
    cp.synchronize()
  end)
  expect(false, ok, "a position out of range")
  if cp.last_error().kind ~= "memory" then
    expect("index", cp.last_error().kind, "kind")
    expect(true, cp.last_error().message:find "1000 is out of range" ~= nil, "message")
  end
  pcall(cp.synchronize) -- where memory ran out, the note is still there
end

-- ---- streams, events, coroutines

function steps.streams()
  local n = random(3000)
  local x, want = cp.zeros(n, "float64"), 0
  for _ = 1, 20 do
    local k, what = random(10), random(3)
    streams[random(3)]:with(function()
      if what == 1 then
        x = x + k
      elseif what == 2 then
        x:add_(k)
      else
        x:assign(x:max() + cp.full(n, k))
      end
    end)
    want = want + k
  end
  expect(want, x:min():item(), "min of streams")
  expect(want, x:max():item(), "max of streams")
end

function steps.handover() -- freed on one stream, taken on another
  local n, sums = random(20000), {}
  for k = 1, 5 do
    local a = s:with(function() return cp.full({ n }, k, "float64"):eval() end)
    sums[k] = t:with(function() return a:sum() end)
    a:free()
    s:with(function() cp.zeros({ n }, "float64"):eval():free() end)
  end
  for k = 1, 5 do expect(k * n, sums[k]:item(), "sum of freed memory") end
end

function steps.events()
  local a, b = cp.cuda.Event(), cp.cuda.Event()
  a:record(s)
  local x = s:with(function() return cp.arange(500) + 1 end)
  b:record(s)
  t:wait_event(b)
  b:synchronize()
  expect(true, b:query(), "query")
  expect(true, cp.cuda.get_elapsed_time(a, b) >= 0, "time")
  expect(500 * 501 / 2, t:with(function() return x:sum() end):item(), "sum after an event")
  if random(5) == 1 then cp.cuda.Stream():record():synchronize() end
end

function steps.coroutines()
  local function worker(stream, k)
    return coroutine.wrap(function()
      return stream:with(function()
        local x = cp.arange(100) * k
        coroutine.yield()
        if cp.cuda.get_current_stream() ~= stream then error "another coroutine's stream" end
        return x:sum()
      end)
    end)
  end
  local k = random(9)
  local a, b = worker(s, k), worker(t, k + 1)
  worker(t, 1)() -- is never resumed
  local c = worker(cp.cuda.Stream({ device = "cpu" }), k + 2)
  a() b() c()
  expect(true, cp.cuda.get_current_stream() == null, "stream of the main coroutine")
  expect(4950 * (k + 1), b():item(), "coroutine b")
  expect(4950 * k, a():item(), "coroutine a")
  expect(4950 * (k + 2), c():item(), "coroutine c")
end

-- ---- kernels and routines

local double, reverse -- made at the first use

function steps.kernels()
  double = double or cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "stress_double")
  reverse = reverse or cp.RawKernel([[
    extern "C" __global__ void stress_reverse(int *x, int n) {
      __shared__ int seen[64];
      int i = threadIdx.x, at = blockIdx.x * n;
      seen[i] = x[at + i];
      __syncthreads();
      x[at + i] = seen[n - 1 - i];
    }]], "stress_reverse")
  local n, blocks = random(64), random(20)
  local x = cp.arange(n * blocks, "int32")
  reverse(blocks, n, { x, n }, { stream = streams[random(3)] })
  expect(n - 1, x[1], "reversed")
  expect(n * (blocks - 1), x[-1], "reversed")
  local y = double(x, { stream = streams[random(3)] })
  expect(n * blocks * (n * blocks - 1), y:sum():item(), "doubled")
end

function steps.graphs()
  local n = random(2000)
  local x, total = cp.arange(n, "float64"):eval(), cp.zeros(n, "float64"):eval()
  local g = cp.cuda.graph(function()
    local y = x * 2
    total:add_(y)
    return (y + 1):sum()
  end)
  for k = 1, 3 do
    expect(n * (n - 1) + n, g():item(), "sum of a graph")
    expect(2 * k * (n - 1), total[n], "what a graph wrote")
  end
  kept[random(8)] = nil
end

-- Waits for all work of the process on the device, beside captures of others.
function steps.raw_memory()
  local runtime, n = cp.cuda.runtime, 1 + random(3000)
  local x, y = cp.arange(n, "float64"):eval(), cp.empty(n, "float64")
  local p = runtime.malloc(8 * n)
  runtime.memcpyAsync(p, x.data.ptr, 8 * n, runtime.memcpyDeviceToDevice)
  runtime.memcpyAsync(y.data.ptr, p, 8 * n, runtime.memcpyDeviceToDevice)
  if random(2) == 1 then runtime.deviceSynchronize() end
  runtime.free(p)
  expect(n * (n - 1) / 2, y:sum():item(), "sum by raw memory")
end

function steps.sorting()
  local n, k = random(2000), random(1000)
  cp.random.seed(k)
  local x = cp.random.random(n)
  local y = cp.sort(x)
  cp.random.seed(k)
  expect(true, cp.random.random(n) == x, "draws of one seed")
  expect(true, y[1] == x:min():item() and y[n] == x:max():item(), "ends of what was sorted")
  expect(0, (y["2:"]:lt(y[":-2"])):sum():item(), "order")
end

function steps.choosing()
  local n = 10 + random(2000)
  local k = random(n) - 1
  local x = cp.arange(n, "int64")
  local chosen = x[x:ge(k)]
  expect(n - k, #chosen, "chosen")
  expect((n - 1 + k) * (n - k) / 2, chosen:sum():item(), "sum of chosen")
  x[x:lt(k)] = -1
  expect((n - 1 + k) * (n - k) / 2 - k, x:sum():item(), "sum after a mask")
  expect(k > 0 and -1 or 0, x[cp.array({ 1, n }, "int64")][1], "taken")
end

-- ---- the host

function steps.exchange()
  local x = take()
  if x then
    local n = #x
    expect(n * x[1] + n * (n - 1) / 2, x:sum():item(), "tensor of another state")
    x:add_(1)
    if random(2) == 1 then x:free() end
  end
  local y = cp.arange(random(5000), "float64") + number
  y:eval()
  cp.synchronize()
  offer(y) -- nobody writes it any more
end

function steps.lending()
  local n = random(5000)
  local x = lend(n) -- ones, on the CPU
  local y = x["::2"] + 1
  x:mul_(3)
  expect(2 * math.floor((n + 1) / 2), y:sum():item(), "pending on borrowed memory")
  expect(3 * n, x:sum():item(), "borrowed memory")
  if random(2) == 1 then x:free() end
end

-- ---- all

local names = {}
for name in pairs(steps) do names[#names + 1] = name end
table.sort(names)

local deadline, done, given_up = cp.clock() + seconds, 0, 0
repeat
  local name = names[random(#names)]
  local ok, problem = xpcall(steps[name], function(e)
    return type(e) == "string" and e:find "out of memory" and e or debug.traceback(e)
  end)
  if ok then
    done = done + 1
  elseif tostring(problem):find "out of memory" and cp.last_error().kind == "memory" then
    given_up = given_up + 1
  else
    error(("thread %d, step %s: %s"):format(number, name, problem), 0)
  end
until cp.clock() > deadline
return done, given_up
