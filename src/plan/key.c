// The key of a plan, which describes its structure in bytes, and the way back (plan.h). ORDER
// lua/cupola/kernels: everything that the generated text depends on must be in the key.
#include "plan/plan.h"

#include <string.h>

static void put(cp_key *key, int v) { key->bytes[key->size++] = (unsigned char)v; }

// Writes a count or a register with 7 bits per byte, the lowest first. The numbers of ordinary expressions
// take one byte.
static void put_number(cp_key *key, int v) {
  unsigned left = (unsigned)v + 1; // -1 stands for no register
  for (; left > 127; left >>= 7) put(key, (int)(left & 127) | 128);
  put(key, (int)left);
}

static void put_operand(cp_key *key, const cp_operand *a) { put(key, (int)a->dtype << 4 | (int)a->access); }

// Writes the moves' rules and dimensions, then those of each leaf as bits.
static void put_moves(cp_key *key, const cp_plan *p) {
  put(key, p->nmoves);
  for (int k = 0; k < p->nmoves; k++) {
    put(key, (int)p->moves[k].rule);
    put(key, p->moves[k].dim);
  }
  for (int k = 0; k < p->nleaves; k++)
    for (int byte = 0; byte < p->nmoves; byte += 8) put(key, (int)(p->leaves[k].moved >> byte & 255));
}

static void put_id(cp_key *key, uint64_t id) {
  memcpy(key->bytes + key->size, &id, sizeof id);
  key->size += sizeof id;
}

static void put_tables(cp_key *key, const cp_plan *p) {
  put_number(key, p->ntables);
  for (int k = 0; k < p->ntables; k++) {
    const cp_plan_table *t = &p->tables[k];
    put(key, (int)t->dtype);
    put(key, t->count << 1 | t->offset);
  }
}

static void put_call(cp_key *key, const cp_instr *in) {
  put(key, in->which);
  put(key, in->nargs);
}

static void put_raw(cp_key *key, const cp_user_kernel *user) {
  put_id(key, user->id);
  for (int k = 0; k < user->nraw; k++) {
    put(key, user->raw[k]->ndim);
    put(key, (int)user->raw[k]->dtype);
  }
}

void cp_plan_key(const cp_plan *p, cp_key *key) {
  key->size = 0;
  put(key, p->ndim);
  put(key, p->nred);
  put(key, p->vector);
  put(key, (int)p->wide | (int)p->strategy << 1 | (p->user != NULL) << 5 | (p->tile > 0) << 6);
  put(key, (int)p->shifted | (int)cp_plan_counts(p) << 1 | (p->nmoves > 0) << 2 | (p->nfunctions > 0) << 3 |
               (p->ntables > 0) << 4);
  put_number(key, p->nleaves);
  put_number(key, p->nscalars);
  put_number(key, p->ninstrs);
  put_number(key, p->noutputs);
  for (int k = 0; k < p->nleaves; k++) put_operand(key, &p->leaves[k]);
  for (int k = 0; p->strategy >= CP_STRATEGY_SHORT && k < p->nleaves; k++) put(key, (int)p->leaves[k].reach);
  if (p->nred > 0) put_number(key, p->batch);
  for (int k = 0; k < p->nscalars; k++) put(key, (int)p->scalars[k].dtype);
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    put(key, (int)in->op);
    put(key, (int)in->loop << 4 | (int)in->dtype);
    if (in->op == CP_OP_reduce) put(key, in->which | in->nargs << 4);
    if (in->op == CP_OP_call || in->op == CP_OP_lookup) put_call(key, in);
    for (int j = 0; j < in->nargs; j++) put_number(key, in->args[j]);
  }
  for (int k = 0; k < p->noutputs; k++) {
    put_operand(key, &p->outputs[k]);
    put_number(key, p->outputs[k].reg);
  }
  put(key, p->nphased);
  for (int k = 0; k < p->nphased; k++) put(key, (int)p->reductions[k].red);
  if (p->nphased > 0) {
    put_number(key, p->lanes);
    put_number(key, p->share);
  } else if (p->nred > 0) {
    put(key, (int)p->red);
    put(key, (int)p->acc << 4 | (int)p->result);
    put_number(key, p->value);
    put_number(key, p->position);
  }
  if (p->tile > 0) put_number(key, p->tile);
  if (p->nmoves > 0) put_moves(key, p);
  if (p->ntables > 0) put_tables(key, p);
  for (int k = 0; k < p->nfunctions; k++) put_id(key, p->functions[k].function->id);
  if (p->user != NULL) put_raw(key, p->user);
}

// ---- and back -------------------------------------------------------------------------------------------

typedef struct reader {
  const unsigned char *at, *end;
  bool failed;
} reader;

static int get(reader *r) {
  if (r->at < r->end) return *r->at++;
  r->failed = true;
  return 0;
}

static int get_number(reader *r, int most) {
  unsigned v = 0;
  for (int shift = 0; shift < 28; shift += 7) {
    int byte = get(r);
    v |= (unsigned)(byte & 127) << shift;
    if (byte < 128) break;
  }
  if (v <= (unsigned)most + 1) return (int)v - 1;
  r->failed = true;
  return 0;
}

// Sets strides for which cp_plan_counts gives the same answer as for the plan that the key was made from.
static void get_operand(reader *r, cp_plan *p, bool counting, cp_operand *a) {
  int byte = get(r);
  memset(a, 0, sizeof *a);
  a->dtype = (cp_dtype)(byte >> 4);
  a->access = (cp_access)(byte & 15);
  r->failed = r->failed || a->access > CP_ACCESS_MOVED;
  a->strides[p->along] = counting ? 1 : 2;
}

static void get_instr(reader *r, cp_instr *in) {
  in->op = (cp_op)get(r);
  int dtypes = get(r);
  in->loop = (cp_dtype)(dtypes >> 4);
  in->dtype = (cp_dtype)(dtypes & 15);
  r->failed = r->failed || in->op >= CP_NOPS;
  in->nargs = r->failed ? 0 : cp_ops[in->op].arity;
  if (in->op == CP_OP_reduce && !r->failed) {
    int which = get(r);
    in->which = which & 15;
    in->nargs = which >> 4;
    r->failed = r->failed || in->which >= CP_MAX_PHASED || in->nargs < 1 || in->nargs > 2;
  }
  if (in->op == CP_OP_lookup && !r->failed) {
    in->which = get(r);
    in->nargs = get(r);
    r->failed = r->failed || in->which >= CP_MAX_TABLES || in->nargs < 1 || in->nargs >= CP_MAX_ARGS;
    if (r->failed) in->nargs = 0;
  }
  for (int k = 0; k < in->nargs; k++)
    in->args[k] = get_number(r, CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS);
}

static void get_moves(reader *r, cp_plan *p) {
  p->nmoves = get(r);
  r->failed = r->failed || p->nmoves > CP_MAX_MOVES;
  for (int k = 0; k < p->nmoves && !r->failed; k++) {
    p->moves[k] = (cp_move){.rule = (cp_move_rule)get(r), .length = 1};
    p->moves[k].dim = get(r);
    r->failed = r->failed || p->moves[k].rule >= CP_NMOVES || p->moves[k].dim >= p->ndim;
  }
  for (int k = 0; k < p->nleaves && !r->failed; k++)
    for (int byte = 0; byte < p->nmoves; byte += 8) p->leaves[k].moved |= (uint64_t)get(r) << byte;
}

static void get_tables(reader *r, cp_plan *p) {
  p->ntables = get_number(r, CP_MAX_TABLES);
  for (int k = 0; k < p->ntables && !r->failed; k++) {
    cp_plan_table *t = &p->tables[k];
    memset(t, 0, sizeof *t);
    t->dtype = (cp_dtype)get(r);
    int more = get(r);
    t->offset = (more & 1) != 0;
    t->count = more >> 1;
    r->failed = r->failed || t->dtype >= CP_NDTYPES || t->count < 1 || t->count > CP_MOST_SELECTING;
  }
}

static void get_phases(reader *r, cp_plan *p) {
  p->reduction = true;
  for (int k = 0; k < p->nphased; k++) {
    int red = get(r);
    r->failed = r->failed || red >= CP_NREDS;
    p->reductions[k] = (cp_plan_reduction){(cp_red)red, 0};
  }
  p->lanes = get_number(r, 1024);
  p->share = get_number(r, 1024);
}

static void get_reduction(reader *r, cp_plan *p) {
  p->reduction = true;
  p->red = (cp_red)get(r);
  int dtypes = get(r);
  p->acc = (cp_dtype)(dtypes >> 4);
  p->result = (cp_dtype)(dtypes & 15);
  p->value = get_number(r, CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS);
  p->position = get_number(r, CP_MAX_LEAVES);
}

bool cp_key_plan(const unsigned char *bytes, size_t size, cp_plan *p) {
  enum { USER = 1 << 5, TILED = 1 << 6, CALLS = 1 << 3, TABLES = 1 << 4 };
  reader r = {bytes, bytes + size, false};
  int64_t shape[CP_MAXDIM + 1] = {0};
  int ndim = get(&r), nred = get(&r), vector = get(&r), flags = get(&r), more = get(&r);
  if (ndim < 1 || ndim > CP_MAXDIM + 1 || nred > ndim || (flags & USER) != 0 || (more & CALLS) != 0)
    return false;
  cp_plan_begin(p, ndim, shape);
  p->nred = nred;
  p->along = ndim - 1;
  p->vector = vector;
  p->wide = (flags & 1) != 0;
  p->strategy = (cp_strategy)(flags >> 1 & 15);
  p->shifted = (more & 1) != 0;
  bool counting = (more & 2) != 0;
  p->nleaves = get_number(&r, CP_MAX_LEAVES);
  p->nscalars = get_number(&r, CP_MAX_SCALARS);
  p->ninstrs = get_number(&r, CP_MAX_INSTRS);
  p->noutputs = get_number(&r, CP_MAX_OUTPUTS);
  r.failed = r.failed || p->nleaves < 0 || p->nscalars < 0 || p->ninstrs < 0 || p->noutputs < 0;
  for (int k = 0; k < p->nleaves && !r.failed; k++) get_operand(&r, p, counting, &p->leaves[k]);
  for (int k = 0; p->strategy >= CP_STRATEGY_SHORT && k < p->nleaves && !r.failed; k++)
    p->leaves[k].reach = (unsigned)get(&r);
  if (nred > 0) p->batch = get_number(&r, 127);
  for (int k = 0; k < p->nscalars && !r.failed; k++) p->scalars[k] = cp_scalar_int(0, (cp_dtype)get(&r));
  for (int k = 0; k < p->ninstrs && !r.failed; k++) get_instr(&r, &p->instrs[k]);
  for (int k = 0; k < p->noutputs && !r.failed; k++) {
    get_operand(&r, p, counting, &p->outputs[k]);
    p->outputs[k].reg = get_number(&r, CP_MAX_LEAVES + CP_MAX_SCALARS + CP_MAX_INSTRS);
  }
  p->nphased = get(&r);
  r.failed = r.failed || p->nphased > CP_MAX_PHASED;
  if (nred > 0 && !r.failed) (p->nphased > 0 ? get_phases : get_reduction)(&r, p);
  if ((flags & TILED) != 0) p->tile = get_number(&r, 1024);
  if ((more & 4) != 0 && !r.failed) get_moves(&r, p);
  if ((more & TABLES) != 0 && !r.failed) get_tables(&r, p);
  return !r.failed && r.at == r.end;
}
