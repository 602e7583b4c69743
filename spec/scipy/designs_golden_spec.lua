-- cp.scipy.signal's designs of recursive filters against SciPy's (spec/golden/scipy/designs_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "scipy/designs", describe, it)
