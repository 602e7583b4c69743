// core.open_file: files for lua/cupola/files/npy.lua and its neighbours. A file reads and writes strings and
// the memory of whole arrays, in pieces, so that host memory never holds an array twice. Between begin_entry
// and end_entry what is read or written is the content of an archive's entry: stored or deflated (by
// host/zlib.h), with its size and CRC.
#include "lua/files/file.h"

#include "host/zlib.h"
#include "lua/arguments/args.h"
#include "lua/conversion/convert.h"
#include "lua/objects/object.h"
#include "lua/state/capability.h"
#include "lua/state/module.h"
#include "lua/values/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 20, PACKED = 1 << 16 };

typedef enum entry_kind { NO_ENTRY, STORED, INFLATE, DEFLATE } entry_kind;

struct cp_file {
  FILE *file; // NULL after close
  bool writing;
  entry_kind entry;
  bool gzip; // the entry is a gzip file, which may consist of several
  // The entry's deflated data has ended.
  bool ended;
  // Of an entry being read: bytes in the archive that are still unread.
  int64_t left;
  // Of the entry so far: bytes of its content, and in the archive.
  int64_t raw, bytes;
  unsigned long crc;
  const cp_zlib *z;
  cp_zstream stream;
  unsigned char packed[PACKED];
  char where[64]; // the public function that opened it
  char path[];
};

cp_file *cp_check_file(lua_State *L, int slot) {
  cp_file *f = cp_check_object(L, slot, CP_KIND_FILE, "file", "argument 1");
  if (f->file == NULL) cp_raise(L, f->where, CP_EIO, "%s is closed", f->path);
  return f;
}

const char *cp_file_caller(const cp_file *f) { return f->where; }
const char *cp_file_path(const cp_file *f) { return f->path; }

static cp_file *check(lua_State *L) { return cp_check_file(L, 1); }

static void drop_entry(cp_file *f) {
  if (f->entry == INFLATE) f->z->inflate_end(&f->stream);
  if (f->entry == DEFLATE) f->z->deflate_end(&f->stream);
  f->entry = NO_ENTRY;
}

// Closes the file. Returns 0 if everything written has reached it, else an error number.
static int shut(cp_file *f) {
  if (f->file == NULL) return 0;
  drop_entry(f);
  int failure = ferror(f->file) ? EIO : 0; // the cause was reported before
  if (fclose(f->file) != 0) failure = errno;
  f->file = NULL;
  return failure;
}

static void end_file(lua_State *L, void *object) {
  (void)L;
  shut(object);
}

// core.open_file(where, path, mode): opens a file in mode "r", "w" or "a". `where` is the public function's
// name, which later errors name too.
static int open_file(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *mode = luaL_checkstring(L, 3);
  size_t length;
  cp_check_capability(L, where, CUPOLA_FILES);
  if (lua_type(L, 2) != LUA_TSTRING)
    return cp_raise(L, where, CP_EUSAGE, "file must be a file name, not %s",
                    lua_isnoneornil(L, 2) ? "nil (missing)" : luaL_typename(L, 2));
  const char *path = lua_tolstring(L, 2, &length);
  if (length == 0) return cp_raise(L, where, CP_EIO, "the file name is empty");
  if (strlen(path) != length) return cp_raise(L, where, CP_EIO, "the file name contains a zero byte");
  cp_file *f = cp_push_object(L, CP_KIND_FILE, sizeof *f + length + 1);
  memcpy(f->path, path, length + 1);
  snprintf(f->where, sizeof f->where, "%s", where);
  f->writing = mode[0] != 'r';
  f->file = fopen(path, mode[0] == 'r' ? "rb" : mode[0] == 'a' ? "ab" : "w+b");
  if (f->file == NULL)
    return cp_raise(L, where, CP_EIO, "cannot %s %s: %s", f->writing ? "write" : "read", path,
                    strerror(errno));
  struct stat about;
  if (fstat(fileno(f->file), &about) == 0 && S_ISDIR(about.st_mode))
    return cp_raise(L, where, CP_EIO, "cannot read %s: it is a folder", path);
  return 1;
}

// ---- bytes in ---------------------------------------------------------------------------------------------

// Reads fewer bytes only at the end of the file. Other failures raise an error, so that a file that could not
// be read does not look shorter.
static size_t read_plain(lua_State *L, cp_file *f, void *to, size_t count) {
  size_t got = fread(to, 1, count, f->file);
  if (got < count && ferror(f->file))
    cp_raise(L, f->where, CP_EIO, "%s could not be read completely: %s", f->path, strerror(errno));
  return got;
}

static size_t read_stored(lua_State *L, cp_file *f, void *to, size_t count) {
  if ((int64_t)count > f->left) count = (size_t)f->left;
  size_t got = read_plain(L, f, to, count);
  f->left -= (int64_t)got;
  return got;
}

static int start_inflating(cp_file *f) {
  return f->z->inflate_init(&f->stream, f->gzip ? CP_Z_GZIP : CP_Z_RAW, f->z->version(),
                            (int)sizeof f->stream);
}

// At the end of a gzip file: whether another one follows, which is then begun. What is not one is ignored, as
// gzip does.
static bool next_member(lua_State *L, cp_file *f) {
  cp_zstream *s = &f->stream;
  if (s->avail_in == 0) {
    s->next_in = f->packed;
    s->avail_in = (unsigned)read_stored(L, f, f->packed, PACKED);
  }
  if (s->avail_in == 0 || s->next_in[0] != 0x1f) return false;
  const cp_zstream rest = *s;
  f->z->inflate_end(s);
  memset(s, 0, sizeof *s);
  s->next_in = rest.next_in;
  s->avail_in = rest.avail_in;
  s->next_out = rest.next_out;
  s->avail_out = rest.avail_out;
  if (start_inflating(f) == CP_Z_OK) return true;
  f->entry = NO_ENTRY; // nothing is left to end
  return false;
}

// Reads up to count bytes (at most PIECE) of the deflated entry; fewer at its end, or if it is damaged.
static size_t read_deflated(lua_State *L, cp_file *f, void *to, size_t count) {
  cp_zstream *s = &f->stream;
  s->next_out = to;
  s->avail_out = (unsigned)count;
  while (s->avail_out > 0 && !f->ended) {
    if (s->avail_in == 0) {
      s->next_in = f->packed;
      s->avail_in = (unsigned)read_stored(L, f, f->packed, PACKED);
    }
    int status = f->z->inflate(s, CP_Z_NO_FLUSH);
    if (status == CP_Z_STREAM_END)
      f->ended = !f->gzip || !next_member(L, f);
    else if (status != CP_Z_OK)
      break; // damaged or truncated
  }
  return count - s->avail_out;
}

// Reads up to count bytes; fewer at the end, or if the entry is damaged.
static size_t read_bytes(lua_State *L, cp_file *f, void *to, size_t count) {
  size_t done = 0;
  if (f->entry == NO_ENTRY) return read_plain(L, f, to, count);
  while (done < count) {
    size_t wanted = count - done < PIECE ? count - done : PIECE;
    unsigned char *at = (unsigned char *)to + done;
    size_t got = f->entry == STORED ? read_stored(L, f, at, wanted) : read_deflated(L, f, at, wanted);
    f->crc = f->z->crc32(f->crc, at, (unsigned)got);
    f->raw += (int64_t)got;
    done += got;
    if (got < wanted) break;
  }
  return done;
}

size_t cp_file_read(lua_State *L, cp_file *f, void *to, size_t count) {
  const size_t got = read_bytes(L, f, to, count);
  if (got < count && f->entry == INFLATE && !f->ended)
    cp_raise(L, f->where, CP_EIO, "%s is damaged or incomplete", f->path);
  return got;
}

// file:read(count): a string of up to `count` bytes.
static int file_read(lua_State *L) {
  cp_file *f = check(L);
  int64_t count = cp_arg_integer(L, 2, f->where, "count");
  char *bytes = cp_newuserdata(L, count > 0 ? (size_t)count : 1);
  size_t got = 0;
  for (size_t part = 1, wanted; count > 0 && got < (size_t)count && part > 0; got += part) {
    wanted = (size_t)count - got < PIECE ? (size_t)count - got : PIECE;
    cp_check_interrupt(L, f->where);
    part = read_bytes(L, f, bytes + got, wanted);
  }
  lua_pushlstring(L, bytes, got);
  return 1;
}

static void swap_bytes(char *p, size_t count, size_t size) {
  for (size_t k = 0; k < count; k++, p += size)
    for (size_t i = 0, j = size - 1; i < j; i++, j--) {
      char c = p[i];
      p[i] = p[j];
      p[j] = c;
    }
}

// Fills count bytes of host memory with values of dtype t, in the other byte order if `swap`. Returns how
// many bytes the file had.
static size_t read_values(lua_State *L, cp_file *f, char *to, size_t count, cp_dtype t, bool swap) {
  size_t got = read_bytes(L, f, to, count), part = cp_itemsize(cp_dtypes[t].real);
  if (swap && part > 1) swap_bytes(to, got / part, part);
  for (size_t k = 0; t == CP_BOOL && k < got; k++) to[k] = to[k] != 0;
  return got;
}

// file:read_array(a, swap): fills a, a new contiguous array, in the order in which it lies in memory. Returns
// how many bytes the file had.
static int read_array(lua_State *L) {
  cp_file *f = check(L);
  cp_array *a = cp_check_array(L, 2, f->where, "array");
  bool swap = lua_toboolean(L, 3) != 0, direct = a->device == cp_device_cpu();
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_stream *stream;
  size_t count = (size_t)a->size * cp_itemsize(a->dtype), done = 0;
  char *to, *staging = NULL;
  if (count == 0) {
    lua_pushinteger(L, 0);
    return 1;
  }
  if (!direct) staging = cp_newuserdata(L, count < PIECE ? count : PIECE);
  CP_CHECK(L, f->where, cp_begin_write(ctx, a, true));
  CP_CHECK(L, f->where, cp_array_pointer(a, &to));
  CP_CHECK(L, f->where, cp_context_stream(ctx, a->device, &stream));
  CP_CHECK(L, f->where, cp_before_write(ctx, stream, a->storage->buffer));
  if (direct) CP_CHECK(L, f->where, a->device->ops->stream_synchronize(stream));
  while (done < count) {
    size_t wanted = count - done < PIECE ? count - done : PIECE;
    cp_check_interrupt(L, f->where);
    size_t got = read_values(L, f, direct ? to + done : staging, wanted, a->dtype, swap);
    if (!direct && got > 0)
      CP_CHECK(L, f->where, a->device->ops->copy(stream, to + done, staging, got, CP_TO_DEVICE));
    done += got;
    if (got < wanted) break;
  }
  lua_pushnumber(L, (lua_Number)done);
  return 1;
}

// ---- bytes out --------------------------------------------------------------------------------------------

static void write_plain(lua_State *L, cp_file *f, const void *bytes, size_t count) {
  if (fwrite(bytes, 1, count, f->file) != count)
    cp_raise(L, f->where, CP_EIO, "%s could not be written completely: %s", f->path, strerror(errno));
  f->bytes += (int64_t)count;
}

static void write_deflated(lua_State *L, cp_file *f, const void *bytes, size_t count, int flush) {
  cp_zstream *s = &f->stream;
  s->next_in = bytes;
  s->avail_in = (unsigned)count;
  do {
    s->next_out = f->packed;
    s->avail_out = PACKED;
    f->z->deflate(s, flush); // cannot fail with these arguments
    write_plain(L, f, f->packed, PACKED - s->avail_out);
  } while (s->avail_out == 0);
}

static void write_bytes(lua_State *L, cp_file *f, const void *bytes, size_t count) {
  enum { SLOW = 1 << 18 }; // takes some milliseconds to deflate
  size_t most = f->entry == DEFLATE ? SLOW : PIECE;
  for (size_t done = 0; done < count;) {
    size_t piece = count - done < most ? count - done : most;
    const unsigned char *from = (const unsigned char *)bytes + done;
    cp_check_interrupt(L, f->where);
    if (f->entry != NO_ENTRY) {
      f->crc = f->z->crc32(f->crc, from, (unsigned)piece);
      f->raw += (int64_t)piece;
    }
    if (f->entry == DEFLATE)
      write_deflated(L, f, from, piece, CP_Z_NO_FLUSH);
    else
      write_plain(L, f, from, piece);
    done += piece;
  }
}

void cp_file_write(lua_State *L, cp_file *f, const void *bytes, size_t count) {
  write_bytes(L, f, bytes, count);
}

// file:write(string): writes the string.
static int file_write(lua_State *L) {
  cp_file *f = check(L);
  size_t length;
  const char *text = luaL_checklstring(L, 2, &length);
  write_bytes(L, f, text, length);
  return 0;
}

// file:write_array(a): writes the memory of a, which is contiguous in some order.
static int write_array(lua_State *L) {
  cp_file *f = check(L);
  cp_array *a = cp_check_array(L, 2, f->where, "array");
  cp_context *ctx = &cp_state_get(L)->ctx;
  cp_stream *stream;
  size_t count = (size_t)a->size * cp_itemsize(a->dtype);
  char *from, *staging = NULL;
  if (count == 0) return 0;
  bool direct = a->device == cp_device_cpu();
  if (!direct) staging = cp_newuserdata(L, count < PIECE ? count : PIECE);
  CP_CHECK(L, f->where, cp_array_pointer(a, &from));
  CP_CHECK(L, f->where, cp_context_stream(ctx, a->device, &stream));
  CP_CHECK(L, f->where, cp_before_read(ctx, stream, a->storage->buffer));
  ctx->lazy.caller = f->where;
  CP_CHECK(L, f->where, cp_stream_synchronize(stream));
  if (direct) {
    write_bytes(L, f, from, count);
    return 0;
  }
  for (size_t done = 0; done < count;) {
    size_t piece = count - done < PIECE ? count - done : PIECE;
    CP_CHECK(L, f->where, a->device->ops->copy(stream, staging, from + done, piece, CP_TO_HOST));
    write_bytes(L, f, staging, piece);
    done += piece;
  }
  return 0;
}

// ---- positions --------------------------------------------------------------------------------------------

// file:seek(position), from 0; file:tell(): the position.
static int file_seek(lua_State *L) {
  cp_file *f = check(L);
  if (fseeko(f->file, (off_t)cp_arg_integer(L, 2, f->where, "position"), SEEK_SET) != 0)
    return cp_raise(L, f->where, CP_EIO,
                    f->writing ? "%s could not be written completely: %s" : "cannot seek in %s: %s", f->path,
                    strerror(errno)); // seeking writes buffered bytes
  return 0;
}

static int file_tell(lua_State *L) {
  cp_file *f = check(L);
  off_t at = ftello(f->file);
  if (at < 0) return cp_raise(L, f->where, CP_EIO, "cannot seek in %s: %s", f->path, strerror(errno));
  lua_pushnumber(L, (lua_Number)at);
  return 1;
}

// file:size(): its size in bytes.
static int file_size(lua_State *L) {
  cp_file *f = check(L);
  off_t at = ftello(f->file), size = -1;
  if (at >= 0 && fseeko(f->file, 0, SEEK_END) == 0) size = ftello(f->file);
  if (size < 0 || fseeko(f->file, at, SEEK_SET) != 0)
    return cp_raise(L, f->where, CP_EIO, "cannot find the size of %s: %s", f->path, strerror(errno));
  lua_pushnumber(L, (lua_Number)size);
  return 1;
}

static int file_close(lua_State *L) {
  cp_file *f = check(L);
  int failure = shut(f);
  if (failure != 0 && f->writing)
    return cp_raise(L, f->where, CP_EIO, "%s could not be written completely: %s", f->path,
                    strerror(failure));
  return 0;
}

// ---- entries of archives ----------------------------------------------------------------------------------

// file:begin_entry(deflated[, bytes]): what is read or written from now on is the content of an archive's
// entry. bytes: the size in the archive of an entry that is read. deflated: a boolean, or "gzip" for the rest
// of a file that gzip reads and writes.
static int begin_entry(lua_State *L) {
  cp_file *f = check(L);
  bool deflated = lua_toboolean(L, 2) != 0;
  CP_CHECK(L, f->where, cp_zlib_open(&f->z));
  drop_entry(f);
  f->gzip = lua_type(L, 2) == LUA_TSTRING;
  f->left = f->writing ? 0 : f->gzip ? INT64_MAX : cp_arg_integer(L, 3, f->where, "bytes");
  f->raw = f->bytes = 0;
  f->crc = 0;
  f->ended = false;
  memset(&f->stream, 0, sizeof f->stream);
  int status = CP_Z_OK, size = (int)sizeof f->stream;
  if (deflated && f->writing)
    status = f->z->deflate_init(&f->stream, -1, CP_Z_DEFLATED, f->gzip ? CP_Z_GZIP : CP_Z_RAW, 8, 0,
                                f->z->version(), size);
  else if (deflated)
    status = start_inflating(f);
  if (status != CP_Z_OK)
    return cp_raise(L, f->where, CP_EIO, "zlib %s could not start (%d)", f->z->version(), status);
  f->entry = !deflated ? STORED : f->writing ? DEFLATE : INFLATE;
  return 0;
}

// file:end_entry(): returns the CRC, the bytes in the archive (of an entry that was written), and the bytes
// of content.
static int end_entry(lua_State *L) {
  cp_file *f = check(L);
  if (f->entry == DEFLATE) write_deflated(L, f, NULL, 0, CP_Z_FINISH);
  drop_entry(f);
  lua_pushnumber(L, (lua_Number)f->crc);
  lua_pushnumber(L, (lua_Number)f->bytes);
  lua_pushnumber(L, (lua_Number)f->raw);
  return 3;
}

// core.dtype_size(dtype): bytes of one value.
static int dtype_size(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)cp_itemsize(cp_check_dtype(L, 1, "dtype")));
  return 1;
}

void cp_open_file(lua_State *L) {
  static const uint16_t one = 1;
  static const luaL_Reg methods[] = {{"read", file_read},
                                     {"read_array", read_array},
                                     {"write", file_write},
                                     {"write_array", write_array},
                                     {"seek", file_seek},
                                     {"tell", file_tell},
                                     {"size", file_size},
                                     {"close", file_close},
                                     {"begin_entry", begin_entry},
                                     {"end_entry", end_entry},
                                     {NULL, NULL}};
  cp_define_kind(L, CP_KIND_FILE, NULL, end_file);
  lua_newtable(L);
  cp_put_functions(L, -1, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushcfunction(L, open_file);
  lua_setfield(L, 1, "open_file");
  lua_pushcfunction(L, dtype_size);
  lua_setfield(L, 1, "dtype_size");
  lua_pushboolean(L, *(const unsigned char *)&one == 0);
  lua_setfield(L, 1, "big_endian");
}
