-- cp.scipy.signal against SciPy's results (spec/golden/scipy/signal_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "scipy/signal", describe, it)
