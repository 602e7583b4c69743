// What happens after a fault on a GPU: a kernel that reads out of bounds destroys the process's CUDA context.
// The next synchronization must name the kernel. All later work on the GPU, in this state, in one that is
// open too and in one that is opened later, must fail and say why, and all states can be closed. Exits with 0
// if so, 77 without a GPU.
#include "host.h"

#include <string.h>
#include <unistd.h>

// What the states make before the fault.
static const char before[] =
    "gpu = cupola.device('cuda:0') gpu:use()\n"
    "x, y = cupola.arange(1000, 'float32'):eval(), cupola.ones(1000, 'float32'):eval()\n"
    "other, event = cupola.cuda.Stream(), cupola.cuda.Event():record()\n"
    "sum = x:sum()\n"
    "waiting = x * 2 + 1\n"
    "far = other:with(function() return y + 1 end)\n"
    "host = cupola.cpu.arange(10)\n"
    "scale = cupola.ElementwiseKernel('T x', 'T y', 'y = 2 * x', 'scale')\n"
    "plus = cupola.RawKernel('extern \"C\" __global__ void plus(float *x) { x[threadIdx.x] += 1; }', "
    "'plus')\n"
    "plus(1, 32, {y}) assert(scale(x)[2] == 2)\n"
    "assert(sum:item() == 499500)\n";

// A kernel that can read far beyond x, a raw or an elementwise one as the global `form` says. It is compiled
// by a harmless call. The fault is reported only when something waits or launches again.
static const char fault[] =
    "local astray\n"
    "if form == 'raw' then\n"
    "  local k = cupola.RawKernel('extern \"C\" __global__ void astray(const float *x, float *y, long long "
    "far) '\n"
    "    .. '{ y[0] = x[far + threadIdx.x]; }', 'astray')\n"
    "  function astray(far) k(1, 32, {x, y, far}, {stream = other}) end\n"
    "else\n"
    "  local k = cupola.ElementwiseKernel('raw T x, int64 far', 'T y', 'y = x[i + far]', 'astray')\n"
    "  local z = cupola.empty(10, 'float32'):eval()\n"
    "  function astray(far) k(x, far, z) end\n"
    "end\n"
    "astray(0)\n"
    "cupola.synchronize()\n"
    "local ok, message = pcall(function() astray(1 << 40) cupola.synchronize() end)\n"
    "assert(not ok, 'the fault was not seen')\n"
    "print(message)\n"
    "assert(message:find('cuda:0', 1, true) and message:find('context', 1, true) and message:find('is lost', "
    "1, true), message)\n"
    "assert(message:find('the latest first: astray', 1, true), message)\n"
    "assert(cupola.last_error().kind == 'cuda', cupola.last_error().kind)\n";

// Everything that uses the GPU fails with the reason. Other work still runs, and memory can be freed.
static const char after[] =
    "local function fails(name, f, ...)\n"
    "  local ok, message = pcall(f, ...)\n"
    "  assert(not ok, name .. ' did not fail')\n"
    "  local told = message:find('cuda:0 cannot be used any more, its CUDA context is lost', 1, true)\n"
    "  assert(told and message:find('astray', 1, true), name .. ': ' .. tostring(message))\n"
    "end\n"
    "for round = 1, 2 do\n"
    "  fails('zeros', function() return cupola.zeros(10):eval() end)\n"
    "  fails('large', function() return cupola.zeros({1000, 1000}):eval() end)\n"
    "  fails('array', function() return cupola.array({1, 2, 3}):totable() end)\n"
    "  fails('random', function() return cupola.random.random(10):eval() end)\n"
    "  fails('Stream', cupola.cuda.Stream)\n"
    "  fails('Event', cupola.cuda.Event)\n"
    "  fails('to', function() return host:to('cuda:0'):eval() end)\n"
    "end\n"
    "assert((cupola.cpu.arange(5) + 1):sum():item() == 15)\n";

static const char after_with_arrays[] =
    "local function fails(name, f, ...)\n"
    "  local ok, message = pcall(f, ...)\n"
    "  assert(not ok, name .. ' did not fail')\n"
    "  assert(message:find('CUDA context is lost', 1, true), name .. ': ' .. tostring(message))\n"
    "end\n"
    "fails('totable', function() return x:totable() end)\n"
    "fails('item', function() return x:sum():item() end)\n"
    "fails('element', function() return y[5] end)\n"
    "fails('synchronize', cupola.synchronize)\n"
    "fails('pending', function() return (x * 2 + 1):eval() end)\n"
    "fails('pending elsewhere', function() return far:totable() end)\n"
    "fails('fill', function() x:fill(3) end)\n"
    "fails('add', function() x:add_(y) end)\n"
    "fails('to', function() return x:to('cpu') end)\n"
    "fails('raw', function() plus(1, 32, {x}) end)\n"
    "fails('raw', function() plus(1, 32, {x}, {stream = other}) end)\n"
    "fails('scale', function() return scale(x) end)\n"
    "fails('record', function() event:record() end)\n"
    "fails('query', function() return event:query() end)\n"
    "fails('event', function() event:synchronize() end)\n"
    "fails('stream', function() other:synchronize() end)\n"
    "fails('wait', function() other:wait_event(event) end)\n"
    "fails('with', function() other:with(function() return x + 1 end) end)\n"
    "fails('scope', function() cupola.scope(function() return x + 1 end):eval() end)\n"
    "x:free() y = nil event = nil collectgarbage() collectgarbage()\n"
    "assert(not pcall(function() return x + 1 end))\n"
    "assert((host * 2):sum():item() == 90)\n"
    "assert(cupola.cuda.Stream.null == cupola.cuda.get_current_stream())\n";

// Argument: the form of the kernel, raw or elementwise.
int main(int argc, char **argv) {
  alarm(120); // a hang is a failure
  lua_State *first = new_state(NULL), *second = new_state(NULL);
  if (!has_gpu(first)) return 77;
  run(first, before);
  run(second, before);
  run(second, "coroutine.wrap(function() other:with(function() coroutine.yield(x + 1) end) end)()");
  lua_pushstring(first, argc > 1 ? argv[1] : "raw");
  lua_setglobal(first, "form");
  run(first, fault);
  lua_State *third = new_state(NULL);
  run(third, "host = cupola.cpu.arange(10) cupola.device('cuda:0'):use()");
  run(first, after);
  run(second, after);
  run(third, after);
  run(second, after_with_arrays);
  run(first, after_with_arrays);
  lua_close(second);
  run(third, after);
  lua_close(first);
  lua_State *fourth = new_state(NULL);
  run(fourth, "host = cupola.cpu.arange(10) cupola.device('cuda:0'):use()");
  run(fourth, after);
  lua_close(fourth);
  lua_close(third);
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
