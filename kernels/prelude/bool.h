/* Functions of bool, an unsigned char that holds 0 or 1. Memory that others wrote may hold any byte: read it
   through b_from. Arithmetic is NumPy's: + is or, * is and, - is not defined for bool. */
#ifndef CP_PRELUDE_BOOL_H
#define CP_PRELUDE_BOOL_H

CP_FN unsigned char b_from(unsigned char a) { return (unsigned char)(a != 0); }
CP_FN unsigned char b_add(unsigned char a, unsigned char b) { return (unsigned char)(a | b); }
CP_FN unsigned char b_multiply(unsigned char a, unsigned char b) { return (unsigned char)(a & b); }
CP_FN unsigned char b_and(unsigned char a, unsigned char b) { return (unsigned char)(a & b); }
CP_FN unsigned char b_or(unsigned char a, unsigned char b) { return (unsigned char)(a | b); }
CP_FN unsigned char b_xor(unsigned char a, unsigned char b) { return (unsigned char)(a ^ b); }
CP_FN unsigned char b_invert(unsigned char a) { return (unsigned char)(a ^ 1u); }
CP_FN unsigned char b_maximum(unsigned char a, unsigned char b) { return (unsigned char)(a | b); }
CP_FN unsigned char b_minimum(unsigned char a, unsigned char b) { return (unsigned char)(a & b); }
CP_FN unsigned char b_less(unsigned char a, unsigned char b) { return (unsigned char)(b & (a ^ 1u)); }
CP_FN unsigned char b_less_equal(unsigned char a, unsigned char b) { return (unsigned char)(b | (a ^ 1u)); }
CP_FN unsigned char b_equal(unsigned char a, unsigned char b) { return (unsigned char)(a ^ b ^ 1u); }
/* a^b: 0 only for 0^1 */
CP_FN unsigned char b_power(unsigned char a, unsigned char b) { return (unsigned char)(a | (b ^ 1u)); }

#endif
