-- Blocks, bits, forms of arrays and polynomial objects against NumPy's results
-- (spec/golden/arrays/forms_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "arrays/forms", describe, it)
