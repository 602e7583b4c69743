// Users' functions as operations (function.h).
#include "plan/function.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

cp_op cp_op_from_name(const char *name) {
  int op = 0;
  while (op < CP_OP_cast && strcmp(cp_ops[op].name, name) != 0) op++;
  return (cp_op)op;
}

cp_status cp_function_new(const cp_function *f, cp_function **out) {
  cp_function *copy = malloc(sizeof *copy);
  char *text = malloc(f->size + 1);
  if (copy == NULL || text == NULL) {
    free(copy);
    free(text);
    return cp_no_memory(NULL);
  }
  *copy = *f;
  memcpy(text, f->text, f->size);
  text[f->size] = '\0';
  copy->text = text;
  copy->loop_text = NULL;
  copy->refs = 1;
  copy->id = cp_hash(text, f->size, 3);
  *out = copy;
  return CP_OK;
}

void cp_function_release(cp_function *f) {
  if (f == NULL || --f->refs > 0) return;
  free(f->text);
  free(f->loop_text);
  free(f);
}
