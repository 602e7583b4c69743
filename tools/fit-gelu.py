"""Fits the polynomial of gelu_of_half in lua/cupola/linalg/linear.lua: p(t)^8 is near Phi(-t), the normal
distribution function, for 0 <= t <= 5.6, with a small relative error where t Phi(-t) is not below what float16
holds. Prints the coefficients, highest power first, the largest weighted error, and the place a little before
p's root, where p^8 is 0 for float16. Needs NumPy and SciPy."""
import numpy as np
from scipy.special import log_ndtr

DEGREE, POWER, END, POINTS = 8, 8, 5.6, 6000

t = (1 - np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)) / 2 * END
p = np.exp(log_ndtr(-t) / POWER)
weight = POWER / p / (1 + 1e-8 / np.maximum(t, 0.1) / (p**POWER * 3e-5))
powers = np.vander(t, DEGREE + 1, increasing=True)
more = np.ones_like(t)  # Lawson's weights, which lead to the least largest error
for _ in range(80):
    c = np.linalg.lstsq(powers * (weight * more)[:, None], p * weight * more, rcond=None)[0]
    error = np.abs(powers @ c - p) * weight
    more *= (error / error.max() + 1e-3) ** 0.3
    more /= more.max()
c = c.astype(np.float32)[::-1]
roots = [z.real for z in np.roots(c.astype(float)) if abs(z.imag) < 1e-9 and z.real > END]
print(", ".join("%.9g" % v for v in c))
print("error %.1e, far %.7g" % (error.max(), min(roots) - 0.002))
