-- Unusual dtypes and edge cases against SciPy's and NumPy's results (spec/golden/scipy/science_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "scipy/science", describe, it)
