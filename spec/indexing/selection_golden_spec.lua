-- Selecting, placing and counting elements, scans, samples and products along axes, against NumPy's results
-- (spec/golden/indexing/selection_calls.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "indexing/selection", describe, it)
