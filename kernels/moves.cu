// Positions that move (src/plan/move.h): where position q, counted from the move's shift, is read. Only
// cp_move_clamp takes negative positions.

// q < n ? q : q - n as the smaller one of two numbers without a sign.
CP_FN cp_offset cp_move_roll(cp_offset q, cp_offset n) {
  const cp_index here = (cp_index)q, before = (cp_index)(q - n);
  return (cp_offset)(here < before ? here : before);
}
CP_FN cp_offset cp_move_wrap(cp_offset q, cp_offset n) { return (cp_offset)((cp_index)q % (cp_index)n); }
CP_FN cp_offset cp_move_clamp(cp_offset q, cp_offset n) {
  const cp_offset last = n - 1, from = q > 0 ? q : 0;
  return from < last ? from : last;
}
CP_FN cp_offset cp_move_mirror(cp_offset q, cp_offset n) {
  const cp_offset there = cp_move_wrap(q, n), back = n - 1 - there;
  return there < back ? there : back;
}
CP_FN cp_offset cp_move_reflect(cp_offset q, cp_offset n) {
  const cp_offset there = cp_move_wrap(q, n), back = n - there;
  return there < back ? there : back;
}
CP_FN cp_offset cp_move_repeat(cp_offset q, cp_offset n) { return (cp_offset)((cp_index)q / (cp_index)n); }
