// Opens SuperLU (superlu.h), and binds what it calls of the host to functions of ours: the addresses that a
// library calls lie in its table of relocated addresses, which the loader has filled and its dynamic section
// describes.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dlinfo, dl_iterate_phdr
#endif
#include "cpu/libraries/superlu.h"
#include "host/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static cp_superlu table;

static const cp_symbol symbols[] = {
#define PLACE(field) offsetof(cp_superlu, field)
    {"get_perm_c", PLACE(order), false},
    {"sp_preorder", PLACE(preorder), false},
    {"set_default_options", PLACE(defaults), false},
    {"ilu_set_default_options", PLACE(incomplete_defaults), false},
    {"StatInit", PLACE(begin_counts), false},
    {"sp_ienv", PLACE(parameter), false},
    {"intMalloc", PLACE(integers), false},
    {"resetrep_col", PLACE(end_column), true},
    {"sgstrf", PLACE(factor[0]), false},
    {"dgstrf", PLACE(factor[1]), false},
    {"cgstrf", PLACE(factor[2]), false},
    {"zgstrf", PLACE(factor[3]), false},
    {"sgsitrf", PLACE(incomplete[0]), false},
    {"dgsitrf", PLACE(incomplete[1]), false},
    {"cgsitrf", PLACE(incomplete[2]), false},
    {"zgsitrf", PLACE(incomplete[3]), false},
    {"sgemv_", PLACE(multiply[0]), true},
    {"dgemv_", PLACE(multiply[1]), true},
    {"strsv_", PLACE(solve[0]), true},
    {"dtrsv_", PLACE(solve[1]), true},
#undef PLACE
};

// ---- the dynamic section ----------------------------------------------------------------------------------

#if defined(__aarch64__)
enum { CALLED = R_AARCH64_JUMP_SLOT, ADDRESSED = R_AARCH64_GLOB_DAT };
#else
enum { CALLED = R_X86_64_JUMP_SLOT, ADDRESSED = R_X86_64_GLOB_DAT };
#endif

typedef struct module {
  ElfW(Addr) base;
  const char *text, *name; // all names, and the library's own
  const ElfW(Sym) * symbols;
  const ElfW(Rela) * slots[2]; // of functions that are called, and of other addresses
  size_t counts[2];
} module;

// A pointer of the dynamic section; some loaders leave it as an offset.
static const void *pointer(const module *m, ElfW(Addr) p) {
  return (const void *)(uintptr_t)(p < m->base ? p + m->base : p);
}

static module read_module(const struct link_map *map) {
  module m = {.base = map->l_addr};
  ElfW(Addr) name = 0;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    switch (d->d_tag) {
    case DT_STRTAB: m.text = pointer(&m, d->d_un.d_ptr); break;
    case DT_SYMTAB: m.symbols = pointer(&m, d->d_un.d_ptr); break;
    case DT_JMPREL: m.slots[0] = pointer(&m, d->d_un.d_ptr); break;
    case DT_RELA: m.slots[1] = pointer(&m, d->d_un.d_ptr); break;
    case DT_PLTRELSZ: m.counts[0] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
    case DT_RELASZ: m.counts[1] = d->d_un.d_val / sizeof(ElfW(Rela)); break;
    case DT_SONAME: name = d->d_un.d_val; break;
    default: break;
    }
  }
  m.name = m.text != NULL && name != 0 ? m.text + name : "";
  return m;
}

// ---- binding ----------------------------------------------------------------------------------------------

// The part of a module that the loader has made read-only after it filled it.
typedef struct sealed {
  ElfW(Addr) base, from, end;
} sealed;

static int find_sealed(struct dl_phdr_info *info, size_t size, void *data) {
  sealed *s = data;
  (void)size;
  if (info->dlpi_addr != s->base) return 0;
  for (int k = 0; k < info->dlpi_phnum; k++)
    if (info->dlpi_phdr[k].p_type == PT_GNU_RELRO) {
      s->from = s->base + info->dlpi_phdr[k].p_vaddr;
      s->end = s->from + info->dlpi_phdr[k].p_memsz;
    }
  return 1;
}

static bool write_slot(const module *m, void **slot, void *target) {
  sealed s = {.base = m->base};
  const uintptr_t at = (uintptr_t)slot, page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void *start = (void *)(at & ~(page - 1));
  dl_iterate_phdr(find_sealed, &s);
  const bool is_sealed = at >= s.from && at < (s.end & ~(page - 1));
  if (is_sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = target;
  if (is_sealed) mprotect(start, page, PROT_READ);
  return true;
}

// Binds the module's uses of an imported function to `target`; false: it has none.
static bool bind(const module *m, const char *name, void *target) {
  bool found = false;
  for (int list = 0; list < 2; list++)
    for (size_t k = 0; m->slots[list] != NULL && k < m->counts[list]; k++) {
      const ElfW(Rela) *r = &m->slots[list][k];
      const ElfW(Sym) *symbol = &m->symbols[ELF64_R_SYM(r->r_info)];
      const int type = (int)ELF64_R_TYPE(r->r_info);
      if ((type != CALLED && type != ADDRESSED) || strcmp(m->text + symbol->st_name, name) != 0) continue;
      if (!write_slot(m, (void **)(m->base + r->r_offset), target)) return false;
      found = true;
    }
  return found;
}

static void *address_of(void (*function)(void)) {
  void *address;
  memcpy(&address, &function, sizeof address);
  return address;
}

// False: the module does not import a required function.
static bool bind_all(const module *m, const cp_superlu_binding *list) {
  for (const cp_superlu_binding *b = list; b->name != NULL; b++)
    if (!bind(m, b->name, address_of(b->function)) && b->required) return false;
  return true;
}

static bool has_blas(void) {
  return table.multiply[0] != NULL && table.multiply[1] != NULL && table.solve[0] != NULL &&
         table.solve[1] != NULL;
}

// ---- checks -----------------------------------------------------------------------------------------------

static const char *problem; // why the open library is of no use, or NULL

// Whether the defaults lie where cp_slu_options has them.
static bool has_our_options(void) {
  enum { LARGE_DIAGONAL = 1, BASIC_AND_AREA = 9, INFINITY_NORM = 2 };
  cp_slu_options a, b;
  memset(&a, 0x55, sizeof a);
  memset(&b, 0x55, sizeof b);
  table.defaults(&a);
  table.incomplete_defaults(&b);
  return a.fact == 0 && a.equilibrate == 1 && a.order == 3 && a.trans == 0 && a.refine == 0 &&
         a.threshold == 1 && a.symmetric == 0 && a.growth == 0 && a.condition == 0 && b.threshold == 0.1 &&
         b.row_order == LARGE_DIAGONAL && b.drop_rule == BASIC_AND_AREA && b.drop_tolerance == 1e-4 &&
         b.fill == 10 && b.norm == INFINITY_NORM && b.fill_tolerance == 1e-2 && b.modified == 0 &&
         b.dimension == 3;
}

// Whether the library's positions have 32 bits: it asks our malloc for so many of them.
static bool has_our_positions(void) {
  enum { COUNT = 1000 };
  cp_context ctx = {0};
  cp_superlu_call call;
  cp_superlu_enter(&call, &ctx, NULL);
  if (setjmp(call.leave) == 0) table.integers(COUNT);
  const bool right = ctx.budget.held_bytes == COUNT * sizeof(int);
  cp_superlu_leave(&call);
  return right;
}

static void look_at(const char *path);

static cp_library library = {
    .title = "SuperLU",
    .names = CP_LIST("libsuperlu.so.7", "libsuperlu.so.6", "libsuperlu.so.5"),
    .folders = CP_LIST("/usr/lib/" CP_MULTIARCH, "/usr/lib64", "/usr/local/lib"),
    .variables = CP_LIST("CUPOLA_SUPERLU_PATH"),
    .hint = "install SuperLU (Debian: libsuperlu7, libsuperlu6 or libsuperlu5), or set CUPOLA_SUPERLU_PATH",
    .outdated = "SuperLU 5, 6 or 7 is needed",
    .kind = CP_EIO,
    .opened = look_at,
    CP_FILLS(&table, symbols),
};

static void look_at(const char *path) {
  struct link_map *map = NULL;
  (void)path;
  problem = "cannot be used: its dynamic section cannot be read";
  if (dlinfo(library.handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL) return;
  const module m = read_module(map);
  if (m.text == NULL || m.symbols == NULL) return;
  problem = "is another version than 5, 6 or 7";
  if (strncmp(m.name, "libsuperlu.so.", 14) != 0 || strchr("567", m.name[14]) == NULL || m.name[14] == 0)
    return;
  problem = "cannot be used: its calls of malloc, free or exit cannot be bound";
  if (!bind_all(&m, cp_superlu_bindings)) return;
  if (has_blas()) bind_all(&m, cp_superlu_blas_bindings);
  problem = "cannot be used: its structures are not those of versions 5 to 7 with 32-bit positions";
  if (has_our_options() && has_our_positions()) problem = NULL;
}

const cp_superlu *cp_superlu_opened(void) { return &table; }

cp_status cp_superlu_open(const cp_superlu **out) {
  *out = &table;
  CP_TRY(cp_open_library(&library));
  return problem == NULL ? CP_OK : cp_fail(CP_EIO, "SuperLU (%s) %s", cp_opened_path(&library), problem);
}
