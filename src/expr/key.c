// The structure of a plan as bytes. ORDER lua/cupola/kernels: whatever generated text depends on must be written here.
#include "expr/plan.h"

#include <string.h>

static void put(cp_key *key, int v) { key->bytes[key->size++] = (unsigned char)v; }

static void put_operand(cp_key *key, const cp_operand *a) { put(key, (int)a->dtype << 3 | (int)a->access); }

static void put_raw(cp_key *key, const cp_user_kernel *user) {
  memcpy(key->bytes + key->size, &user->id, sizeof user->id);
  key->size += sizeof user->id;
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
  put(key, (int)p->shifted | (int)cp_plan_counts(p) << 1);
  put(key, p->nleaves);
  put(key, p->nscalars);
  put(key, p->ninstrs);
  put(key, p->noutputs);
  for (int k = 0; k < p->nleaves; k++) put_operand(key, &p->leaves[k]);
  for (int k = 0; k < p->nscalars; k++) put(key, (int)p->scalars[k].dtype);
  for (int k = 0; k < p->ninstrs; k++) {
    const cp_instr *in = &p->instrs[k];
    put(key, (int)in->op);
    put(key, (int)in->loop << 4 | (int)in->dtype);
    for (int j = 0; j < in->nargs; j++) put(key, in->args[j]);
  }
  for (int k = 0; k < p->noutputs; k++) {
    put_operand(key, &p->outputs[k]);
    put(key, p->outputs[k].reg);
  }
  if (p->nred > 0) {
    put(key, (int)p->red);
    put(key, (int)p->acc << 4 | (int)p->result);
    put(key, p->value);
    put(key, p->position);
  }
  if (p->user != NULL) put_raw(key, p->user);
}
