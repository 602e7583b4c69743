// Moves: how positions along a dimension are mapped to positions in a leaf's memory, so that rolled, padded,
// tiled and repeated arrays are read where they lie. ORDER kernels/moves.cu, lua/cupola/kernels/moves.lua.
#ifndef CP_PLAN_MOVE_H
#define CP_PLAN_MOVE_H

#include "base/shape.h"

// Position x reads position f(x + shift); x + shift is negative only for CLAMP.
typedef enum cp_move_rule {
  CP_MOVE_ROLL,    // circular, for x + shift < 2 * length
  CP_MOVE_WRAP,    // circular
  CP_MOVE_CLAMP,   // the first and the last position continue
  CP_MOVE_MIRROR,  // there and back, the ends twice; length: 2 * extent
  CP_MOVE_REFLECT, // there and back, the ends once; length: 2 * extent - 2
  CP_MOVE_REPEAT,  // each position length times
  CP_NMOVES
} cp_move_rule;

typedef struct cp_move {
  cp_move_rule rule;
  int dim;
  int64_t shift, length; // length: at least 1
  int64_t extent;        // positions read are from 0 to below this
} cp_move;

static inline int64_t cp_moved(const cp_move *m, int64_t x) {
  int64_t q = x + m->shift, n = m->length, t;
  switch (m->rule) {
  case CP_MOVE_ROLL: return q < n ? q : q - n;
  case CP_MOVE_WRAP: return q % n;
  case CP_MOVE_CLAMP: return q < 0 ? 0 : q < n ? q : n - 1;
  case CP_MOVE_MIRROR: t = q % n; return t < n - 1 - t ? t : n - 1 - t;
  case CP_MOVE_REFLECT: t = q % n; return t < n - t ? t : n - t;
  case CP_MOVE_REPEAT: return q / n;
  case CP_NMOVES: break;
  }
  return 0;
}

// How many positions from x on are read with the same step, which is 1, 0 or -1.
static inline int64_t cp_move_run(const cp_move *m, int64_t x, int *step) {
  int64_t q = x + m->shift, n = m->length, t = q % n;
  *step = 1;
  switch (m->rule) {
  case CP_MOVE_ROLL: return q < n ? n - q : 2 * n - q;
  case CP_MOVE_WRAP: return n - t;
  case CP_MOVE_CLAMP: *step = q >= 0 && q < n; return q < 0 ? -q : q < n ? n - q : INT64_MAX;
  case CP_MOVE_MIRROR:
  case CP_MOVE_REFLECT: *step = t < m->extent ? 1 : -1; return t < m->extent ? m->extent - t : n - t;
  case CP_MOVE_REPEAT: *step = 0; return n - t;
  case CP_NMOVES: break;
  }
  return INT64_MAX;
}

#endif
