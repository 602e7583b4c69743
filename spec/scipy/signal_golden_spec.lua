-- cp.scipy.signal against SciPy's results (spec/golden/signal_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "signal", describe, it)
