-- Options that NumPy and the array API standard have, with NumPy's values (spec/golden/arrays/options.py).
-- What else there is to them is in options_spec.lua.

local cases = require "spec.helper.cases"

describe("NumPy's golden data of options", function() cases.define("spec/golden/arrays/options.lua", it) end)
