-- Creating, joining, splitting, padding, turning and partly sorting arrays beside NumPy's results
-- (spec/golden/shapes_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "shapes", describe, it)
