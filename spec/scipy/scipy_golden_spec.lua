-- cp.scipy.ndimage, cp.scipy.fft, matrices of cp.scipy.linalg and some of NumPy's functions against SciPy's
-- and NumPy's results (spec/golden/scipy/scipy_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "scipy/scipy", describe, it)
