// Files whose reading fails after some bytes, as on a broken disk: whatever reads them must raise an error
// with the file's name and the system's reason, and not take the part for the whole. This program's own
// fopen, which the module finds before the C library's, opens such files.
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

static long left = -1; // bytes that can be read before reading fails; below 0: all

static ssize_t read_some(void *file, char *to, size_t count) {
  if (left == 0) {
    errno = EIO;
    return -1;
  }
  size_t got = fread(to, 1, count < (size_t)left ? count : (size_t)left, file);
  left -= (long)got;
  return (ssize_t)got;
}

static int move(void *file, off64_t *at, int from) {
  if (fseeko(file, (off_t)*at, from) != 0) return -1;
  *at = ftello(file);
  return 0;
}

static int shut(void *file) { return fclose(file); }

FILE *fopen(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *);
  *(void **)&real = dlsym(RTLD_NEXT, "fopen");
  FILE *file = real(path, mode);
  if (file == NULL || left < 0 || mode[0] != 'r') return file;
  return fopencookie(file, mode, (cookie_io_functions_t){.read = read_some, .seek = move, .close = shut});
}

static int breaks(lua_State *L) {
  left = (long)luaL_checknumber(L, 1);
  return 0;
}

static const char script[] =
    "local cp, wrong, name = cupola, {}, os.tmpname()\n"
    "local x = cp.arange(60000)\n"
    "local function check(what, ending, write, read, least)\n"
    "  local path = name .. ending\n"
    "  breaks(-1) write(path)\n"
    "  local f = io.open(path, 'rb') local size = f:seek('end') f:close()\n"
    "  local whole, problem = pcall(read, path)\n"
    "  if not whole then wrong[#wrong + 1] = what .. ' whole: ' .. problem end\n"
    "  for _, count in ipairs {0, 1, 100, 4096, 5000, 65536, size - 1} do\n"
    "    if count < size - (least or 0) then\n"
    "      breaks(count)\n"
    "      local ok, message = pcall(read, path)\n"
    "      breaks(-1)\n"
    "      message = tostring(message)\n"
    "      local told = message:find(path, 1, true) and message:find('Input/output error', 1, true)\n"
    "        and message:find('cupola.' .. what .. ': ', 1, true) and cp.last_error().kind == 'io'\n"
    "      if ok or not told then wrong[#wrong + 1] = ('%s of %d bytes: %s'):format(what, count, message) "
    "end\n"
    "    end\n"
    "  end\n"
    "  os.remove(path)\n"
    "end\n"
    "local function text(path) x:tofile(path, '\\n') end\n"
    "check('loadtxt', '.txt', text, cp.loadtxt)\n"
    "check('loadtxt', '.txt', text, function(path) return cp.loadtxt(path, {max_rows = 59999}) end)\n"
    "check('genfromtxt', '.txt', text, cp.genfromtxt)\n"
    "check('fromfile', '.txt', text, function(path) return cp.fromfile(path, {sep = ' '}) end)\n"
    "check('fromfile', '.bin', function(path) x:tofile(path) end, function(path) return cp.fromfile(path, "
    "'float64', 60000) end)\n"
    "check('load', '.npy', function(path) cp.save(path, x) end, cp.load)\n"
    "check('load', '.npz', function(path) cp.savez(path, {x = x}) end, function(path) return cp.load(path).x "
    "end)\n"
    "check('load', '.npz', function(path) cp.savez_compressed(path, {x = x}) end,\n"
    "  function(path) return cp.load(path).x end)\n"
    "local pixels = cp.random.randint(0, 255, {200, 300}):astype('uint8')\n"
    "for _, ending in ipairs {'.png', '.bmp', '.jpg'} do\n"
    "  check('image.load', ending, function(path) cp.image.save(path, pixels) end, cp.image.load)\n"
    "end\n"
    "os.remove(name)\n"
    "assert(#wrong == 0, table.concat(wrong, '\\n'))\n";

int main(void) {
  cupola_options options = {.size = sizeof options, .device = "cpu"};
  lua_State *L = new_state(&options);
  lua_register(L, "breaks", breaks);
  run(L, script);
  lua_close(L);
  return wrong > 0;
}
