// What the Lua side asks of the process: environment variables, programs, standard output. All of it needs
// the capability CUPOLA_FILES.
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 8, COMPLAINTS = 4096 };

// core.variable(where, name): the value of an environment variable, or nil.
static int variable(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  cp_check_capability(L, where, CUPOLA_FILES);
  lua_pushstring(L, getenv(name));
  return 1;
}

// core.print(where, text): writes the text to standard output.
static int print_text(lua_State *L) {
  size_t size;
  const char *where = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &size);
  cp_check_capability(L, where, CUPOLA_FILES);
  if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)
    return cp_raise(L, where, CP_EIO, "cannot write to standard output: %s", strerror(errno));
  return 0;
}

// ---- programs ---------------------------------------------------------------------------------------------

// core.has_program(where, name): whether PATH has a program of this name, or there is one at this path.
static int has_program(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2), *path = getenv("PATH");
  char file[4096];
  bool found = false;
  cp_check_capability(L, where, CUPOLA_FILES);
  if (strchr(name, '/') != NULL) path = NULL, found = access(name, X_OK) == 0;
  while (path != NULL && !found && name[0] != '\0') {
    size_t n = strcspn(path, ":");
    int length = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
    found = n > 0 && length < (int)sizeof file && access(file, X_OK) == 0;
    path = path[n] == ':' ? path + n + 1 : NULL;
  }
  lua_pushboolean(L, found);
  return 1;
}

// Starts the program with `input` as its standard input and `errors` as its standard error. Returns an error
// number, or 0.
static int start(char **arguments, int input, int errors, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure != 0) return failure;
  failure = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (failure == 0) failure = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (failure == 0) failure = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

// Sends the text to the program. This is a socket, not a pipe, so that a program that ends early causes no
// signal in the host.
static void feed(int to, const char *text, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, text, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return; // it no longer reads; its messages say why
    text += sent;
    size -= (size_t)sent;
  }
}

// Runs the program until it ends. Sets `complaints` to the beginning of its standard error, and *end to the
// status that waitpid reports. Returns an error number, or 0; never raises an error. Standard error goes to a
// file, since windows that the program leaves open would keep a pipe open.
static int run(char **arguments, const char *text, size_t size, char *complaints, int *end) {
  int ends[2];
  pid_t child;
  FILE *errors = tmpfile();
  if (errors == NULL) return errno;
  int failure = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
  if (failure == 0) {
    failure = start(arguments, ends[0], fileno(errors), &child);
    close(ends[0]);
    if (failure == 0) feed(ends[1], text, size);
    close(ends[1]);
  }
  *end = 0; // if the host ignores SIGCHLD, waitpid finds nothing
  while (failure == 0 && waitpid(child, end, 0) < 0 && errno == EINTR) {
  }
  rewind(errors);
  complaints[failure == 0 ? fread(complaints, 1, COMPLAINTS - 1, errors) : 0] = '\0';
  if (failure == 0 && ferror(errors)) failure = EIO;
  fclose(errors);
  return failure;
}

// core.run_program(where, {name, argument...}, text): runs a program with the text as its input and waits for
// it. Returns what it wrote to standard error, and how it ended if that was not a success, else nil.
static int run_program(lua_State *L) {
  char *arguments[MOST_ARGUMENTS + 1] = {NULL}, complaints[COMPLAINTS];
  size_t size;
  const char *where = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 3, &size);
  cp_check_capability(L, where, CUPOLA_FILES);
  luaL_checktype(L, 2, LUA_TTABLE);
  int count = (int)lua_rawlen(L, 2);
  if (count < 1 || count > MOST_ARGUMENTS)
    return cp_raise(L, where, CP_EUSAGE, "a program needs 1 to %d words", (int)MOST_ARGUMENTS);
  luaL_checkstack(L, count, where);
  for (int k = 0; k < count; k++) { // the stack keeps the strings
    lua_rawgeti(L, 2, k + 1);
    arguments[k] = (char *)(uintptr_t)luaL_checkstring(L, -1);
  }
  int end, failure = run(arguments, text, size, complaints, &end);
  if (failure != 0) return cp_raise(L, where, CP_EIO, "cannot run %s: %s", arguments[0], strerror(failure));
  lua_pushstring(L, complaints);
  if (WIFSIGNALED(end))
    lua_pushfstring(L, "it was ended by signal %d", WTERMSIG(end));
  else if (end != 0)
    lua_pushfstring(L, "it ended with status %d", WEXITSTATUS(end));
  else
    lua_pushnil(L);
  return 2;
}

void cp_open_process(lua_State *L) {
  static const luaL_Reg core[] = {{"variable", variable},
                                  {"print", print_text},
                                  {"has_program", has_program},
                                  {"run_program", run_program},
                                  {NULL, NULL}};
  cp_put_functions(L, 1, core);
}
