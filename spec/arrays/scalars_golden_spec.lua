-- Typed scalars with arrays, in every binary operation, against NumPy's results
-- (spec/golden/arrays/scalars_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "arrays/scalars", describe, it)
