/* Bessel functions of integer orders from 2 on, computed from those of orders 0 and 1 in special.h, which
   includes this file; no include guard.

   Written in the common subset of C11 and CUDA C++, without headers. */

/* Both recurrences take as many steps as the order, so orders are limited. */
#define M_ORDERS ((M_REAL)1048576)

/* J of order n for 0 < x <= 1: (x / 2)^n / n! times a series */
CP_FN M_REAL m_orders_near(M_REAL n, M_REAL x) {
  M_REAL half = (M_REAL)0.5 * x, r = 1, k;
  for (k = 12; k > 0; k = k - 1) r = m_fma(r, -(half * half) / (k * (k + n)), 1);
  for (k = 1; k <= n && r > 0; k = k + 1) r = r * (half / k);
  return r;
}

/* J of order n for 1 < x < n: J. C. P. Miller's downward recurrence, from an order where the starting value
   does not matter, normalised by J0 + 2 J2 + 2 J4 + ... = 1. */
CP_FN M_REAL m_orders_down(M_REAL n, M_REAL x) {
  M_REAL start = n + m_sqrt((sizeof(M_REAL) == 4 ? (M_REAL)60 : (M_REAL)200) * n);
  M_REAL k = 2 * m_floor((M_REAL)0.5 * start), last = 0, now = 1, next, sum = 0, r = 0;
  M_REAL scale = sizeof(M_REAL) == 4 ? (M_REAL)0x1p-60 : (M_REAL)0x1p-500;
  int even = 1;
  for (; k > 0; k = k - 1) { /* now is J of order k */
    r = k == n ? now : r;
    sum = even ? sum + now : sum;
    next = m_fma(2 * k / x, now, -last);
    last = now;
    now = next;
    even = !even;
    if (m_abs(now) * scale > 1) {
      now = now * scale;
      last = last * scale;
      sum = sum * scale;
      r = r * scale;
    }
  }
  return r / m_fma(2, sum, now);
}

/* Upward recurrence from orders 0 and 1 */
CP_FN M_REAL m_orders_up(M_REAL n, M_REAL x, M_REAL zero, M_REAL one) {
  M_REAL k, next;
  for (k = 1; k < n; k = k + 1) {
    next = m_fma(2 * k / x, one, -zero);
    if (m_isinf(next)) return next;
    zero = one;
    one = next;
  }
  return n > 0 ? one : zero;
}

CP_FN int m_orders_odd(M_REAL n) { return m_floor((M_REAL)0.5 * n) != (M_REAL)0.5 * n; }

CP_SLOW M_REAL m_special_jn(M_REAL order, M_REAL a) {
  M_REAL n = m_abs(order), x = m_abs(a), r;
  if (!(n < M_ORDERS) || m_floor(n) != n || a != a) return m_nan_like(a);
  if (x == 0 || m_isinf(x))
    r = n == 0 && x == 0 ? 1 : 0;
  else if (x <= 1)
    r = m_orders_near(n, x);
  else if (x < n)
    r = m_orders_down(n, x);
  else
    r = m_orders_up(n, x, m_special_j0(x), m_special_j1(x));
  return m_orders_odd(n) && (order < 0) != (a < 0) ? -r : r;
}

CP_SLOW M_REAL m_special_yn(M_REAL order, M_REAL a) {
  M_REAL n = m_abs(order), r;
  if (!(n < M_ORDERS) || m_floor(n) != n || !(a >= 0)) return m_nan_like(a);
  r = a == 0 ? -m_infinity_like(a) : (m_isinf(a) ? 0 : m_orders_up(n, a, m_special_y0(a), m_special_y1(a)));
  return m_orders_odd(n) && order < 0 ? -r : r;
}
#undef M_ORDERS
