// Positions that move (src/plan/move.h): where position q, counted from the move's shift, is read. Only
// cp_move_clamp takes negative positions.

CP_FN cp_offset cp_move_roll(cp_offset q, cp_offset n) { return q < n ? q : q - n; }
CP_FN cp_offset cp_move_wrap(cp_offset q, cp_offset n) { return (cp_offset)((cp_index)q % (cp_index)n); }
CP_FN cp_offset cp_move_clamp(cp_offset q, cp_offset n) { return q < 0 ? 0 : q < n ? q : n - 1; }
CP_FN cp_offset cp_move_mirror(cp_offset q, cp_offset n) {
  const cp_offset there = cp_move_wrap(q, n), back = n - 1 - there;
  return there < back ? there : back;
}
CP_FN cp_offset cp_move_reflect(cp_offset q, cp_offset n) {
  const cp_offset there = cp_move_wrap(q, n), back = n - there;
  return there < back ? there : back;
}
CP_FN cp_offset cp_move_repeat(cp_offset q, cp_offset n) { return (cp_offset)((cp_index)q / (cp_index)n); }
