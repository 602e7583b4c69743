// Compiles kernels of the CUDA device for the host, by the C++ compiler: between device.h (build.sh), which
// gives CUDA's names a meaning on the host, and a table of the kernels for run.c stands their own text with
// two changes. Statements of inline PTX become calls of the functions in ptx.h, and arrays of dynamic shared
// memory become names of the launch's. Shared objects are kept under a hash of their text and of how they are
// made.
#include "compile.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 1024, COMMAND = 4096 };

static const char BEGIN[] =
    "#define HOST_TEXT(...) HOST_TEXT_OF(__VA_ARGS__)\n#define HOST_TEXT_OF(...) #__VA_ARGS__\n";

static const char ENTRIES[] = "\nstatic const host_raw_entry host_entries[] = {\n";

// Of a kernel, by its name.
static const char ENTRY[] =
    "  {HOST_TEXT(%s), host_raw_kernel<&%s>::host_run, host_raw_kernel<&%s>::host_arity,\n"
    "   host_raw_kernel<&%s>::host_sizes, %d},\n";

static const char END[] =
    "  {0, 0, 0, 0, 0}};\n"
    "extern \"C\" __attribute__((visibility(\"default\"))) const host_raw_table cupola_module =\n"
    "    {(int)(sizeof host_entries / sizeof *host_entries) - 1, 0, host_entries, 0};\n";

// ---- text ----

typedef struct text {
  char *s;
  size_t length, room;
} text;

static void put(text *t, const char *s, size_t n) {
  while (t->length + n + 1 > t->room) {
    t->room = t->room * 2 + 4096;
    t->s = realloc(t->s, t->room);
    if (t->s == NULL) abort();
  }
  memcpy(t->s + t->length, s, n);
  t->length += n;
  t->s[t->length] = '\0';
}

static void puts_to(text *t, const char *s) { put(t, s, strlen(s)); }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *skip_blanks(const char *s) {
  while (isspace((unsigned char)*s)) s++;
  return s;
}

// The end of a string that begins at s.
static const char *skip_string(const char *s) {
  for (s++; *s != '"' && *s != '\0'; s++)
    if (*s == '\\') s++;
  return s + (*s == '"');
}

// The bracket that closes the one before s, or NULL.
static const char *find_close(const char *s) {
  for (int depth = 1; *s != '\0'; s = *s == '"' ? skip_string(s) : s + 1) {
    depth += (*s == '(') - (*s == ')');
    if (depth == 0) return s;
  }
  return NULL;
}

// ---- inline PTX ----

// Writes the name of the function for a statement's text: its first instruction. False: there is none.
static bool put_name(text *out, const char *s) {
  s = skip_blanks(s + 1);                                                      // behind the quote
  while (*s == '{' || *s == '.' || isspace((unsigned char)*s) || *s == '\\') { // declarations
    if (*s == '\\') s++;                                                       // \n
    if (*s == '.') s = strchr(s, ';');
    s = skip_blanks(s + 1);
  }
  if (*s == '"') return false;
  puts_to(out, "ptx_");
  for (; is_word(*s) || *s == '.'; s++) put(out, *s == '.' ? "_" : s, 1);
  return true;
}

// Writes the operands of a statement, which begin at s: what is in brackets behind strings.
static void put_operands(text *out, const char *s, const char *end) {
  bool first = true, clobbers = false;
  int colons = 0;
  for (; s < end && !clobbers; s++) {
    if (*s == '"') s = skip_string(s) - 1;
    if (*s == ':') clobbers = ++colons == 3;
    if (*s != '(') continue;
    const char *close = find_close(s + 1);
    if (!first) puts_to(out, ", ");
    first = false;
    put(out, s + 1, (size_t)(close - s - 1));
    s = close;
  }
}

// A statement asm(...) at s becomes a call. Returns where it ends.
static const char *put_asm(text *out, const char *s) {
  const char *open = strchr(s, '('), *close = find_close(open + 1);
  const char *operands = skip_blanks(open + 1);
  if (close == NULL) abort();
  if (put_name(out, operands)) {
    for (int depth = 0; operands < close && (*operands != ':' || depth > 0);
         operands = *operands == '"' ? skip_string(operands) : operands + 1)
      depth += (*operands == '(') - (*operands == ')');
    puts_to(out, "(");
    put_operands(out, operands, close);
    puts_to(out, ")");
  }
  return close + 1;
}

// extern __shared__ TYPE NAME[]; at s becomes a macro. Returns where it ends.
static const char *put_dynamic(text *out, const char *s, size_t mark) {
  const char *end = strchr(s, '['), *name = end, *type = skip_blanks(s + mark);
  while (is_word(name[-1])) name--;
  if (strncmp(type, "__align__", 9) == 0) type = skip_blanks(strchr(type, ')') + 1);
  puts_to(out, "\n#define ");
  put(out, name, (size_t)(end - name));
  puts_to(out, " ((");
  put(out, type, (size_t)(name - type));
  puts_to(out, "*)host_job->shared)\n");
  return strchr(end, ';') + 1;
}

// ---- kernels ----

// Where the text before s begins that belongs to the same declaration.
static bool is_template(const text *before) {
  size_t n = before->length;
  while (n > 0 && before->s[n - 1] != ';' && before->s[n - 1] != '}') n--;
  return before->length > 0 && strstr(before->s + n, "template") != NULL;
}

// Adds the name of the kernel whose declaration goes on at s to the list, in which each stands once between
// blanks.
static void note_kernel(text *names, const char *s) {
  const char *word = s;
  size_t length = 0;
  char name[256];
  for (; *s != '\0' && *s != '('; s++) {
    if (is_word(*s) && !is_word(s[-1])) word = s;
    if (is_word(*s)) length = (size_t)(s - word) + 1;
  }
  if (strncmp(word, "__", 2) == 0) { // an attribute with arguments
    note_kernel(names, find_close(s + 1) + 1);
    return;
  }
  snprintf(name, sizeof name, " %.*s ", (int)length, word);
  if (names->s == NULL || strstr(names->s, name) == NULL) puts_to(names, name);
}

static void put_entry(text *out, const char *name, bool fibers) {
  char line[2048];
  snprintf(line, sizeof line, ENTRY, name, name, name, name, fibers);
  puts_to(out, line);
}

// ---- the whole text ----

static char *rewrite(const char *s, const char *const *expressions) {
  static const char dynamic[] = "extern __shared__", kernel[] = "__global__";
  text out = {0}, names = {0};
  char before = ' ';
  int depth = 0;
  puts_to(&out, BEGIN);
  while (*s != '\0') {
    bool starts = !is_word(before);
    before = *s;
    depth += (*s == '{') - (*s == '}');
    if (*s == '/' && s[1] == '/') { // comments may have quotes
      s += strcspn(s, "\n");
    } else if (*s == '/' && s[1] == '*') {
      s = strstr(s, "*/") + 2;
    } else if (*s == '"') {
      const char *next = skip_string(s);
      put(&out, s, (size_t)(next - s));
      s = next;
    } else if (starts && strncmp(s, "asm", 3) == 0 && !is_word(s[3])) {
      s = put_asm(&out, s);
    } else if (starts && strncmp(s, dynamic, sizeof dynamic - 1) == 0) {
      s = put_dynamic(&out, s, sizeof dynamic - 1);
    } else if (starts && strncmp(s, kernel, sizeof kernel - 1) == 0) {
      s += sizeof kernel - 1;
      if (depth == 0 && !is_template(&out)) note_kernel(&names, s);
    } else {
      put(&out, s++, 1);
    }
  }
  bool fibers = strstr(out.s, "_sync(") != NULL || strstr(out.s, "__sync") != NULL;
  puts_to(&out, ENTRIES);
  for (char *name = names.s != NULL ? strtok(names.s, " ") : NULL; name != NULL; name = strtok(NULL, " "))
    put_entry(&out, name, fibers);
  for (; *expressions != NULL; expressions++) put_entry(&out, *expressions, fibers);
  puts_to(&out, END);
  free(names.s);
  return out.s;
}

// ---- compiling ----

static uint64_t hash(const char *s, uint64_t h) {
  for (; *s != '\0'; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3;
  return h ^ h >> 29;
}

static bool exists(const char *path) {
  struct stat s;
  return stat(path, &s) == 0;
}

// The same for a file's contents.
static uint64_t hash_file(const char *folder, const char *name, uint64_t h) {
  char path[PATH], part[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "r");
  while (f != NULL && fgets(part, sizeof part, f) != NULL) h = hash(part, h);
  if (f != NULL) fclose(f);
  return h;
}

static void read_log(const char *path, char *log, size_t size) {
  FILE *f = fopen(path, "r");
  size_t n = f != NULL ? fread(log, 1, size - 1, f) : 0;
  log[n] = '\0';
  if (f != NULL) fclose(f);
}

static bool write_text(const char *path, const char *s) {
  FILE *f = fopen(path, "w");
  if (f == NULL) return false;
  bool good = fputs(s, f) >= 0;
  return fclose(f) == 0 && good;
}

// The compiler's command is in the folder's file `command` (build.sh). Several processes may use the folder.
static bool run_compiler(const char *folder, const char *stem, const char *object, char *log, size_t size) {
  char command[COMMAND], list[PATH + 32], own[PATH + 64];
  snprintf(own, sizeof own, "%s.%d.so", stem, (int)getpid());
  snprintf(list, sizeof list, "%s.%d.log", stem, (int)getpid());
  snprintf(command, sizeof command, "unset LD_PRELOAD; sh %s/command %s.cpp %s >%s 2>&1", folder, stem, own,
           list);
  bool good = system(command) == 0 && rename(own, object) == 0;
  if (!good) read_log(list, log, size);
  unlink(list);
  return good;
}

char *driver_compile(const char *source, const char *const *expressions, char *log, size_t size) {
  const char *folder = getenv("DRIVER_KERNELS");
  char stem[PATH], object[PATH + 8], file[PATH + 8];
  char *whole = rewrite(source, expressions);
  uint64_t way = hash_file(folder, "command", hash_file(folder, "device.h", 0));
  snprintf(stem, sizeof stem, "%s/%016llx%016llx", folder, (unsigned long long)hash(whole, way),
           (unsigned long long)hash(whole, way ^ 0x9ae16a3b2f90404f));
  snprintf(object, sizeof object, "%s.so", stem);
  snprintf(file, sizeof file, "%s.cpp", stem);
  bool good = exists(object);
  if (!good) good = write_text(file, whole) && run_compiler(folder, stem, object, log, size);
  free(whole);
  return good ? strdup(object) : NULL;
}
