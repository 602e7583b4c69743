"""Writes polynomials as C tables, for tools/fit-special.py and tools/fit-incomplete.py: near-minimax fits by
mpmath, in powers of t on [-1, 1], the highest power first."""

from mpmath import chebyfit, mpf

TARGET = mpf(2) ** -57


def coefficients(f, target):
    """The fewest coefficients of a polynomial that approximates f(t) with an error below target."""
    for n in range(1, 48):
        found, error = chebyfit(f, [-1, 1], n, error=True)
        if error < target:
            break
    return found


def declare(name, text, terms, numbers):
    rows = ["%.17g" % float(c) for c in numbers]
    print("/* %s */" % text)
    print("#define M_%s_TERMS %d" % (name.upper(), terms))
    print("M_STATIC const M_REAL m_%s_table[%d] = {" % (name, len(rows)))
    line = "   "
    for k, row in enumerate(rows):
        word = " (M_REAL)%s%s" % (row, "," if k + 1 < len(rows) else "};")
        if len(line) + len(word) > 110:
            print(line)
            line = "   "
        line += word
    print(line)


def fit(name, text, f, target=TARGET):
    found = coefficients(f, target)
    declare(name, text, len(found), found)
