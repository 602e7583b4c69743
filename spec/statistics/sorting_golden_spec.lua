-- Sorting, searching, sets, scans and statistics against NumPy's results.

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "arrays/sorting", describe, it)
calls.specs(cp, "scipy/statistics", describe, it)
