-- Products of matrices, cp.linalg and cp.fft against NumPy's results (spec/golden/linalg/linalg.py,
-- fourier.py), on the current device.

local cp = require "cupola"
local calls = require "spec.helper.golden_expressions"

local function tests(file)
  for _, group in ipairs(calls.groups(file)) do
    it(group.name, function() calls.run(cp, group) end)
  end
end

describe("golden products and cp.linalg", function() tests "linalg/linalg" end)

describe("golden cp.fft", function() tests "linalg/fft" end)
