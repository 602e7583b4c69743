// A process that forks after cupola was used: the child's CPU device works, its GPUs say that they cannot, nothing hangs or crashes, in states from before
// the fork and in new ones; and the parent goes on. Exits with 0 when it is so; says whether there was a GPU.
#include "host.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Work that the threads of the CPU device share, and a kernel of the user's, whose compiler runs in a process of its own.
static const char cpu[] = "cupola.device('cpu'):with(function()\n"
                          "  local x = cupola.ones({1000, 1000}, 'float32')\n"
                          "  for k = 1, 5 do assert((x + k):sum():item() == (1 + k) * 1e6) end\n"
                          "  local f = cupola.ElementwiseKernel('T x', 'T y', 'y = x * 3', 'times_three')\n"
                          "  assert(f(x):sum():item() == 3e6)\n"
                          "end)\n"
                          "if old then assert((old * 2):sum():item() == 999000) old:free() end\n";

static const char gpu_before[] = "gpu = cupola.device('cuda:0') gpu:use()\n"
                                 "x = cupola.arange(1000, 'float32') + 1\n"
                                 "stream, event = cupola.cuda.Stream(), cupola.cuda.Event():record()\n"
                                 "y = stream:with(function() return x * 2 end)\n"
                                 "assert(y:sum():item() == 1001000)\n"
                                 "far = x * 3\n";

// In the child. What belongs to the parent's GPU can be dropped, and no more.
static const char gpu_child[] = "local function fails(name, f, ...)\n"
                                "  local ok, message = pcall(f, ...)\n"
                                "  assert(not ok, name .. ' did not fail')\n"
                                "  assert(message:find('forked', 1, true), name .. ': ' .. message)\n"
                                "end\n"
                                "cupola.device('cuda:0'):use()\n"
                                "fails('zeros', function() return cupola.zeros(10):eval() end)\n"
                                "fails('array', function() return cupola.array({1, 2}):totable() end)\n"
                                "fails('Event', cupola.cuda.Event)\n"
                                "if x then\n"
                                "  fails('totable', function() return x:totable() end)\n"
                                "  fails('far', function() return (far + 1):eval() end)\n"
                                "  fails('fill', function() y:fill(1) end)\n"
                                "  fails('synchronize', cupola.synchronize)\n"
                                "  fails('stream', function() stream:synchronize() end)\n"
                                "  fails('record', function() event:record() end)\n"
                                "  fails('query', function() return event:query() end)\n"
                                "  x:free() y = nil event = nil\n"
                                "end\n"
                                "collectgarbage() collectgarbage()\n";

static void child(lua_State *L, int gpu) {
  lua_State *fresh = new_state(NULL);
  alarm(60); // a hang is a failure
  run(L, cpu);
  run(fresh, cpu);
  if (gpu) run(L, gpu_child);
  if (gpu) run(fresh, gpu_child);
  lua_close(L);
  run(fresh, cpu);
  lua_close(fresh);
  _exit(wrong > 0);
}

int main(void) {
  int status = 0;
  lua_State *L = new_state(NULL);
  int gpu = has_gpu(L);
  run(L, "old = cupola.cpu.arange(1000)");
  run(L, "cupola.device('cpu'):with(function() return cupola.ones({1000, 1000}):sum():item() end)");
  if (gpu) run(L, gpu_before);
  for (int round = 0; round < 2; round++) {
    pid_t pid = fork();
    if (pid == 0) child(L, gpu);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "the child ended with status %d\n", status);
      wrong++;
    }
    if (gpu) run(L, "assert((y + 1):sum():item() == 1002000 and far[1000] == 3000)");
  }
  run(L, cpu);
  lua_close(L);
  printf("%d wrong, %s\n", wrong, gpu ? "with a GPU" : "without a GPU");
  return wrong > 0;
}
