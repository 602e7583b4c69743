-- cp.scipy.ndimage against SciPy's results (spec/golden/scipy/ndimage_calls.py, ndimage_windows.py,
-- ndimage_labels.py).

local cp = require "cupola"
local calls = require "spec.helper.golden_calls"

calls.specs(cp, "scipy/ndimage", describe, it)
calls.specs(cp, "scipy/ndimage_windows", describe, it)
calls.specs(cp, "scipy/ndimage_labels", describe, it)
