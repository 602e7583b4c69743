-- Creating, joining, splitting, padding, rotating and partially sorting arrays, against NumPy's results
-- (spec/golden/arrays/shapes_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "arrays/shapes", describe, it)
