// Checks src/base and cache/cache.h: promotion and casting against NumPy 2's tables, scalars, shapes and
// strides, strings, hashes, the table of kernels and the cache folder on disk.
#include "base/dtype.h"
#include "base/hash.h"
#include "base/shape.h"
#include "base/strbuf.h"
#include "cache/cache.h"
#include "check.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// dtypes ----

enum { NUMPY_TYPES = 14 };

// numpy.promote_types and can_cast (safe, same_kind) of NumPy 2.4, for all pairs of its dtypes.
static const char *const promotion[NUMPY_TYPES] = {
    "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16",
    "i1 i1 i2 i4 i8 i2 i4 i8 f8 f2 f4 f8 c8 c16",
    "i2 i2 i2 i4 i8 i2 i4 i8 f8 f4 f4 f8 c8 c16",
    "i4 i4 i4 i4 i8 i4 i4 i8 f8 f8 f8 f8 c16 c16",
    "i8 i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8 c16 c16",
    "u1 i2 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16",
    "u2 i4 i4 i4 i8 u2 u2 u4 u8 f4 f4 f8 c8 c16",
    "u4 i8 i8 i8 i8 u4 u4 u4 u8 f8 f8 f8 c16 c16",
    "u8 f8 f8 f8 f8 u8 u8 u8 u8 f8 f8 f8 c16 c16",
    "f2 f2 f4 f8 f8 f2 f4 f8 f8 f2 f4 f8 c8 c16",
    "f4 f4 f4 f8 f8 f4 f4 f8 f8 f4 f4 f8 c8 c16",
    "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 c16 c16",
    "c8 c8 c8 c16 c16 c8 c8 c16 c16 c8 c8 c16 c8 c16",
    "c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16",
};
static const char *const safe[NUMPY_TYPES] = {
    "11111111111111", "01111000011111", "00111000001111", "00011000000101", "00001000000101",
    "00111111111111", "00011011101111", "00001001100101", "00000000100101", "00000000011111",
    "00000000001111", "00000000000101", "00000000000011", "00000000000001",
};
static const char *const same_kind[NUMPY_TYPES] = {
    "11111111111111", "01111000011111", "01111000011111", "01111000011111", "01111000011111",
    "01111111111111", "01111111111111", "01111111111111", "01111111111111", "00000000011111",
    "00000000011111", "00000000011111", "00000000000011", "00000000000011",
};

static void check_promotion(void) {
  cp_dtype types[NUMPY_TYPES];
  char row[64];
  int n = 0;
  for (int t = 0; t < CP_NDTYPES; t++)
    if (t != CP_BFLOAT16) types[n++] = (cp_dtype)t;
  for (int a = 0; a < n; a++) {
    strcpy(row, promotion[a]);
    char *code = strtok(row, " ");
    for (int b = 0; b < n; b++, code = strtok(NULL, " ")) {
      CHECK(strcmp(cp_dtypes[cp_promote(types[a], types[b])].code, code) == 0);
      CHECK(cp_can_cast(types[a], types[b], CP_CAST_SAFE) == (safe[a][b] == '1'));
      CHECK(cp_can_cast(types[a], types[b], CP_CAST_SAME_KIND) == (same_kind[a][b] == '1'));
      CHECK(cp_can_cast(types[a], types[b], CP_CAST_NO) == (a == b));
      CHECK(cp_can_cast(types[a], types[b], CP_CAST_UNSAFE));
    }
  }
  CHECK(cp_promote(CP_BFLOAT16, CP_UINT8) == CP_BFLOAT16 && cp_promote(CP_BOOL, CP_BFLOAT16) == CP_BFLOAT16);
  CHECK(cp_promote(CP_BFLOAT16, CP_INT16) == CP_FLOAT32 && cp_promote(CP_BFLOAT16, CP_INT32) == CP_FLOAT64);
  CHECK(cp_promote(CP_BFLOAT16, CP_FLOAT16) == CP_FLOAT32 &&
        cp_promote(CP_FLOAT32, CP_BFLOAT16) == CP_FLOAT32);
  CHECK(cp_promote(CP_BFLOAT16, CP_COMPLEX64) == CP_COMPLEX64);
  CHECK(!cp_can_cast(CP_BFLOAT16, CP_FLOAT16, CP_CAST_SAFE));
  CHECK(cp_can_cast(CP_BFLOAT16, CP_FLOAT16, CP_CAST_SAME_KIND));
}

static void check_names(void) {
  for (int t = 0; t < CP_NDTYPES; t++) {
    char code[8];
    CHECK(cp_dtype_from_name(cp_dtypes[t].name) == (cp_dtype)t);
    CHECK(cp_dtype_from_name(cp_dtypes[t].code) == (cp_dtype)t);
    snprintf(code, sizeof code, "<%s", cp_dtypes[t].code);
    CHECK(cp_dtype_from_name(code) == (cp_dtype)t);
  }
  CHECK(cp_dtype_from_name("?") == CP_BOOL && cp_dtype_from_name("|b1") == CP_BOOL);
  CHECK(cp_dtype_from_name("=i8") == CP_INT64);
  CHECK(cp_dtype_from_name(">f4") == CP_NDTYPES && cp_dtype_from_name("") == CP_NDTYPES);
  CHECK(cp_dtype_from_name("<float32") == CP_NDTYPES && cp_dtype_from_name("f3") == CP_NDTYPES);
  CHECK(cp_floating(CP_BOOL) == CP_FLOAT16 && cp_floating(CP_UINT16) == CP_FLOAT32);
  CHECK(cp_floating(CP_UINT32) == CP_FLOAT64 && cp_floating(CP_BFLOAT16) == CP_BFLOAT16);
  CHECK(cp_complexed(CP_INT16) == CP_COMPLEX64 && cp_complexed(CP_INT32) == CP_COMPLEX128);
  CHECK(cp_complexed(CP_BFLOAT16) == CP_COMPLEX64 && cp_complexed(CP_FLOAT64) == CP_COMPLEX128);
}

static cp_scalar cast_float(double v, cp_dtype to) {
  return cp_scalar_cast(cp_scalar_float(v, CP_FLOAT64), to);
}

static void check_scalars(void) {
  CHECK(cast_float(-1e30, CP_INT8).v.i == -128 && cast_float(127.9, CP_INT8).v.i == 127);
  CHECK(cast_float(-128.9, CP_INT8).v.i == -128 && cast_float(-3.9, CP_INT8).v.i == -3);
  CHECK(cast_float(1e30, CP_INT64).v.i == INT64_MAX && cast_float(-1e30, CP_INT64).v.i == INT64_MIN);
  CHECK(cast_float(0x1p63, CP_INT64).v.i == INT64_MAX && cast_float(0x1p63, CP_UINT64).v.u == UINT64_C(1)
                                                                                                  << 63);
  CHECK(cast_float(0x1p64, CP_UINT64).v.u == UINT64_MAX && cast_float(-1, CP_UINT64).v.u == 0);
  CHECK(cast_float(256, CP_UINT8).v.i == 255 && cast_float(NAN, CP_INT32).v.i == 0 &&
        cast_float(NAN, CP_UINT8).v.i == 0);
  CHECK(cast_float(NAN, CP_BOOL).v.i == 1 && cast_float(-0.0, CP_BOOL).v.i == 0);
  CHECK(cast_float(0.1, CP_FLOAT32).v.f == (double)0.1f && cast_float(65520, CP_FLOAT16).v.f == INFINITY);
  CHECK(cast_float(1 + 0x1p-11 + 0x1p-30, CP_FLOAT16).v.f == 1 + 0x1p-10); // rounded once, not via float32
  CHECK(cast_float(0x1p-24, CP_FLOAT16).v.f == 0x1p-24 && isnan(cast_float(NAN, CP_BFLOAT16).v.f));
  CHECK(cp_scalar_int(300, CP_UINT8).v.i == 44 && cp_scalar_int(200, CP_INT8).v.i == -56);
  CHECK(cp_scalar_int(-1, CP_UINT32).v.i == UINT32_MAX && cp_scalar_int(7, CP_BOOL).v.i == 1);
  CHECK(cp_scalar_cast(cp_scalar_int(-1, CP_UINT64), CP_FLOAT64).v.f == 0x1p64);
  CHECK(cp_scalar_cast(cp_scalar_int(-1, CP_INT8), CP_UINT64).v.u == UINT64_MAX);
  CHECK(
      cp_scalar_cast(cp_scalar_int((INT64_C(1) << 54) + (INT64_C(1) << 30) + 1, CP_INT64), CP_FLOAT32).v.f ==
      (double)(float)((INT64_C(1) << 54) + (INT64_C(1) << 30) + 1));
  cp_scalar c = cp_scalar_complex(0, 0.1, CP_COMPLEX64);
  CHECK(c.v.c.im == (double)0.1f && cp_scalar_cast(c, CP_BOOL).v.i == 1 &&
        cp_scalar_cast(c, CP_FLOAT32).v.f == 0);
  CHECK(cp_scalar_cast(cp_scalar_int(3, CP_INT8), CP_COMPLEX64).v.c.re == 3);
}

// Stores and loads every dtype, unaligned.
static void check_storing(void) {
  unsigned char bytes[40], again[40];
  for (int t = 0; t < CP_NDTYPES; t++) {
    for (int v = -3; v < 4; v++) {
      cp_scalar s = cp_scalar_cast(cp_scalar_complex(v, -v, CP_COMPLEX128), (cp_dtype)t);
      memset(bytes, 0x5a, sizeof bytes);
      memset(again, 0x5a, sizeof again);
      cp_scalar_store(s, bytes + 1);
      cp_scalar r = cp_scalar_load(bytes + 1, (cp_dtype)t);
      cp_scalar_store(r, again + 1);
      CHECK(r.dtype == s.dtype && memcmp(bytes, again, sizeof bytes) == 0);
      CHECK(memcmp(&r.v, &s.v, t >= CP_COMPLEX64 ? 16 : 8) == 0);
      CHECK(bytes[1 + cp_itemsize((cp_dtype)t)] == 0x5a);
      CHECK(cp_scalar_register(s, bytes) == cp_dtypes[t].register_size);
    }
  }
  float f;
  cp_scalar_register(cp_scalar_float(1.5, CP_FLOAT16), &f);
  CHECK(f == 1.5f);
  bytes[0] = 2;
  CHECK(cp_scalar_load(bytes, CP_BOOL).v.i == 1);
}

// shapes ----

#define DIMS(...) ((int64_t[]){__VA_ARGS__})

static void check_sizes(void) {
  int64_t size;
  char text[CP_SHAPE_TEXT];
  CHECK(cp_shape_size(2, DIMS(3, 4), 8, &size) == CP_OK && size == 12);
  CHECK(cp_shape_size(0, NULL, 8, &size) == CP_OK && size == 1);
  CHECK(cp_shape_size(2, DIMS(3, 0), 8, &size) == CP_OK && size == 0);
  CHECK(cp_shape_size(2, DIMS(INT64_C(1) << 31, INT64_C(1) << 31), 1, &size) == CP_OK);
  CHECK(cp_shape_size(2, DIMS(INT64_C(1) << 31, INT64_C(1) << 31), 2, &size) == CP_ESHAPE);
  CHECK(cp_shape_size(3, DIMS(INT64_MAX, 0, INT64_MAX), 2, &size) == CP_ESHAPE);
  CHECK(strstr(cp_error_text(), "is too big") != NULL);
  CHECK(cp_shape_size(2, DIMS(3, -1), 2, &size) == CP_ESHAPE && strstr(cp_error_text(), "(3, -1)") != NULL);
  CHECK(strcmp(cp_shape_text(2, DIMS(3, 4), text), "(3, 4)") == 0);
  CHECK(strcmp(cp_shape_text(1, DIMS(5), text), "(5)") == 0 &&
        strcmp(cp_shape_text(0, NULL, text), "()") == 0);
  int64_t longest[CP_MAXDIM];
  for (int k = 0; k < CP_MAXDIM; k++) longest[k] = INT64_MIN;
  CHECK(strlen(cp_shape_text(CP_MAXDIM, longest, text)) < CP_SHAPE_TEXT);
}

static void check_broadcast(void) {
  int64_t shape[CP_MAXDIM] = {3, 1}, strides[4];
  int ndim = 2;
  CHECK(cp_broadcast(&ndim, shape, 3, DIMS(2, 1, 4)) && cp_shape_equal(ndim, shape, 3, DIMS(2, 3, 4)));
  CHECK(cp_broadcast(&ndim, shape, 0, NULL) && ndim == 3);
  CHECK(!cp_broadcast(&ndim, shape, 1, DIMS(3)) && cp_shape_equal(ndim, shape, 3, DIMS(2, 3, 4)));
  ndim = 0;
  CHECK(cp_broadcast(&ndim, shape, 2, DIMS(0, 5)) && cp_shape_equal(ndim, shape, 2, DIMS(0, 5)));
  CHECK(cp_broadcast(&ndim, shape, 2, DIMS(1, 5)) && shape[0] == 0);
  cp_broadcast_strides(3, DIMS(2, 3, 4), 2, DIMS(1, 4), DIMS(32, 8), strides);
  CHECK(strides[0] == 0 && strides[1] == 0 && strides[2] == 8);
}

static void check_strides(void) {
  int64_t s[4], low, high;
  cp_contiguous_strides(3, DIMS(2, 0, 3), 8, 'C', s);
  CHECK(s[0] == 24 && s[1] == 24 && s[2] == 8);
  cp_contiguous_strides(3, DIMS(2, 3, 4), 8, 'F', s);
  CHECK(s[0] == 8 && s[1] == 16 && s[2] == 48);
  CHECK(cp_is_contiguous(3, DIMS(2, 3, 4), s, 8, 'F') && !cp_is_contiguous(3, DIMS(2, 3, 4), s, 8, 'C'));
  CHECK(cp_is_contiguous(2, DIMS(1, 4), DIMS(-7, 8), 8, 'C') &&
        cp_is_contiguous(2, DIMS(0, 4), DIMS(1, 1), 8, 'C'));
  cp_extent(2, DIMS(3, 4), DIMS(-32, 8), 8, &low, &high);
  CHECK(low == -64 && high == 32);
  cp_extent(2, DIMS(3, 0), DIMS(-32, 8), 8, &low, &high);
  CHECK(low == 0 && high == 0);
}

static bool reshapes(int n, int64_t *shape, int64_t *strides, int m, int64_t *new_shape,
                     const int64_t *expected) {
  int64_t out[CP_MAXDIM];
  if (!cp_reshape_strides(n, shape, strides, m, new_shape, 8, out)) return expected == NULL;
  return expected != NULL && memcmp(out, expected, (size_t)m * sizeof *out) == 0;
}

static void check_reshape(void) {
  CHECK(reshapes(2, DIMS(3, 4), DIMS(32, 8), 1, DIMS(12), DIMS(8)));
  CHECK(reshapes(2, DIMS(3, 4), DIMS(64, 8), 1, DIMS(12), NULL));
  CHECK(reshapes(2, DIMS(3, 4), DIMS(64, 8), 3, DIMS(3, 2, 2), DIMS(64, 16, 8)));
  CHECK(reshapes(2, DIMS(3, 4), DIMS(8, 24), 2, DIMS(4, 3), NULL));
  CHECK(reshapes(2, DIMS(2, 6), DIMS(-48, -8), 2, DIMS(4, 3), DIMS(-24, -8)));
  CHECK(reshapes(3, DIMS(2, 1, 3), DIMS(0, 999, 0), 1, DIMS(6), DIMS(0)));
  CHECK(reshapes(0, NULL, NULL, 2, DIMS(1, 1), DIMS(8, 8)) &&
        reshapes(1, DIMS(1), DIMS(80), 0, NULL, DIMS(0)));
  CHECK(reshapes(2, DIMS(0, 4), DIMS(1, 1), 2, DIMS(2, 0), DIMS(8, 8)));
}

static void check_order(void) {
  int perm[4];
  const int64_t *c = DIMS(96, 32, 8), *f = DIMS(8, 16, 48), *row = DIMS(0, 0, 8);
  cp_stride_order(3, DIMS(2, 3, 4), 2, (const int64_t *[]){f, row}, perm);
  CHECK(perm[0] == 2 && perm[1] == 1 && perm[2] == 0);
  cp_stride_order(3, DIMS(2, 3, 4), 2, (const int64_t *[]){f, c}, perm);
  CHECK(perm[0] == 0 && perm[1] == 1 && perm[2] == 2);
  cp_stride_order(3, DIMS(2, 3, 4), 1, (const int64_t *[]){DIMS(-8, 64, -16)}, perm);
  CHECK(perm[0] == 1 && perm[1] == 2 && perm[2] == 0);
  cp_stride_order(3, DIMS(2, 3, 4), 0, NULL, perm);
  CHECK(perm[0] == 0 && perm[1] == 1 && perm[2] == 2);
}

// strings, hashes, caches ----

static void check_strbuf(void) {
  cp_strbuf b = {0};
  for (int i = 0; i < 1000; i++) cp_strbuf_printf(&b, "%d,", i);
  cp_strbuf_printf(&b, "%*d", 5000, 1);
  cp_strbuf_append(&b, "\0x", 2);
  cp_strbuf_append(&b, NULL, 0);
  cp_strbuf_puts(&b, "end");
  CHECK(!b.failed && b.size == 3890 + 5000 + 5 && strcmp(b.text + b.size - 4, "xend") == 0);
  CHECK(strncmp(b.text, "0,1,2,", 6) == 0 && b.text[8889] == '1');
  cp_strbuf_append(&b, "x", (size_t)-1 / 2);
  CHECK(b.failed && b.size == 3890 + 5000 + 5);
  cp_strbuf_puts(&b, "ignored");
  cp_strbuf_free(&b);
  CHECK(b.text == NULL && b.size == 0 && !b.failed);
}

static void check_hash(void) {
  unsigned char bytes[200] = {0};
  char name[33], other[33];
  uint64_t seen[201];
  for (size_t n = 0; n <= 200; n++) {
    seen[n] = cp_hash(bytes, n, 0);
    for (size_t k = 0; k < n; k++) CHECK(seen[k] != seen[n]);
  }
  for (size_t k = 0; k < 200 * 8; k++) { // every bit matters, and changes about half of the result
    bytes[k / 8] = (unsigned char)(1 << k % 8);
    int changed = __builtin_popcountll(cp_hash(bytes, 200, 0) ^ seen[200]);
    CHECK(changed > 10 && changed < 54);
    bytes[k / 8] = 0;
  }
  CHECK(cp_hash(bytes, 50, 1) != cp_hash(bytes, 50, 2));
  cp_hash_name("abc", 3, name);
  cp_hash_name("abd", 3, other);
  CHECK(strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32 && strcmp(name, other) != 0);
  CHECK(memcmp(name, name + 16, 16) != 0);
}

static void check_table(void) {
  cp_table *t = cp_table_new();
  static char values[3000];
  for (int i = 0; i < 3000; i++) CHECK(cp_table_set(t, &i, i % 2 == 0 ? sizeof i : 3, values + i) == CP_OK);
  CHECK(cp_table_count(t) == 3000);
  for (int i = 0; i < 3000; i++) CHECK(cp_table_get(t, &i, i % 2 == 0 ? sizeof i : 3) == values + i);
  CHECK(cp_table_get(t, "nothing", 7) == NULL && cp_table_get(t, "", 0) == NULL);
  CHECK(cp_table_set(t, "", 0, values) == CP_OK && cp_table_get(t, "", 0) == values);
  CHECK(cp_table_set(t, "", 0, values + 1) == CP_OK && cp_table_get(t, "", 0) == values + 1);
  CHECK(cp_table_count(t) == 3001);
  cp_table_free(t, NULL);
}

// Finds the path of the only entry of the cache folder, or of any entry.
static bool find_entry(const char *folder, char path[PATH_MAX]) {
  char fan[PATH_MAX];
  bool found = false;
  DIR *d = opendir(folder);
  for (struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
    if (e->d_name[0] == '.' || snprintf(fan, sizeof fan, "%s/%s", folder, e->d_name) >= PATH_MAX) continue;
    DIR *sub = opendir(fan);
    for (struct dirent *f; sub != NULL && !found && (f = readdir(sub)) != NULL;)
      if (f->d_name[0] != '.') found = snprintf(path, PATH_MAX, "%s/%s", fan, f->d_name) < PATH_MAX;
    if (sub != NULL) closedir(sub);
  }
  if (d != NULL) closedir(d);
  return found;
}

static bool loads(const char *key, const char *data) {
  cp_bytes b;
  if (!cp_disk_load(key, strlen(key), "cubin", &b)) return false;
  bool right = b.size == strlen(data) && memcmp(b.data, data, b.size) == 0;
  free(b.data);
  return right;
}

static void store(const char *key, const char *data) {
  cp_disk_store(key, strlen(key), "cubin", data, strlen(data));
}

// Every damaged byte and every truncated file must be detected, and repaired by the next store.
static void check_damage(const char *folder) {
  char path[PATH_MAX], bytes[256];
  CHECK(find_entry(folder, path));
  FILE *f = fopen(path, "rb");
  long n = f == NULL ? 0 : (long)fread(bytes, 1, sizeof bytes, f);
  if (f != NULL) fclose(f);
  CHECK(n > 20);
  for (long k = 0; k <= n; k++) {
    f = fopen(path, "wb");
    if (f == NULL) break;
    if (k < n) bytes[k] ^= 4;
    fwrite(bytes, 1, (size_t)(k < n ? n : n - 1), f);
    fclose(f);
    if (k < n) bytes[k] ^= 4;
    CHECK(!loads("key", "payload"));
  }
  store("key", "payload");
  CHECK(loads("key", "payload"));
  CHECK(chmod(path, 0620) == 0 && !loads("key", "payload")); // other users could have written it
  CHECK(chmod(path, 0600) == 0 && loads("key", "payload"));
}

static void check_disk(void) {
  char root[] = "/tmp/cupola-spec-XXXXXX", folder[64], path[PATH_MAX], command[128];
  struct stat st;
  CHECK(mkdtemp(root) != NULL);
  snprintf(folder, sizeof folder, "%s/a/b", root);
  setenv("CUPOLA_CACHE_DIR", folder, 1);
  CHECK(strcmp(cp_disk_folder(), folder) == 0 && !loads("key", "payload"));
  store("key", "payload");
  CHECK(loads("key", "payload") && !loads("kez", "payload"));
  CHECK(stat(folder, &st) == 0 && (st.st_mode & 0777) == 0700);
  check_damage(folder);
  for (int i = 0; i < 50; i++) {
    if (i == 1 || i == 49) usleep(20000); // longer than the resolution of file times
    snprintf(command, sizeof command, "key %d", i);
    store(command, "another payload");
  }
  cp_disk_trim(folder, 1 << 20);
  CHECK(loads("key", "payload") && loads("key 7", "another payload"));
  cp_disk_trim(folder, 200);
  CHECK(loads("key 49", "another payload") && !loads("key", "payload"));
  cp_disk_trim(folder, 0);
  CHECK(!find_entry(folder, path));
  setenv("CUPOLA_CACHE_DIR", "", 1);
  store("key", "payload");
  CHECK(cp_disk_folder()[0] == '\0' && !loads("key", "payload"));
  unsetenv("CUPOLA_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/x", 1);
  CHECK(strcmp(cp_disk_folder(), "/x/cupola") == 0);
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/h", 1);
  CHECK(strcmp(cp_disk_folder(), "/h/.cache/cupola") == 0);
  setenv("CUPOLA_CACHE_DIR", "/proc/none", 1);
  store("key", "payload"); // cannot be written, which is ignored
  snprintf(command, sizeof command, "rm -r %s", root);
  CHECK(system(command) == 0);
}

int main(void) {
  check_promotion();
  check_names();
  check_scalars();
  check_storing();
  check_sizes();
  check_broadcast();
  check_strides();
  check_reshape();
  check_order();
  check_strbuf();
  check_hash();
  check_table();
  check_disk();
  return verdict("base");
}
