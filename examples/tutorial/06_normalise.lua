-- Normalizes the columns of a table of measurements and saves the result for NumPy.
-- Prints each column's mean and standard deviation before and after (0 and 1), and where the result was
-- saved: normalised.npy in the folder for temporary files, or the file that the first argument names. NumPy
-- reads it with numpy.load.
local cp = require "cupola"

local path = arg and arg[1] or (os.getenv "TMPDIR" or "/tmp") .. "/normalised.npy"

-- A thousand rows: height in cm, weight in kg, age; synthetic data from sines.
local k = cp.arange(1000, "float64")
local data = cp.stack({ 170 + 10 * cp.sin(k * 1.7), 70 + 12 * cp.sin(k * 0.9 + 1), 40 + 20 * cp.cos(k * 2.3) }, 2)

local function show(label, x)
  local mean, std = x:mean(1):totable(), x:std(1):totable() -- over the rows: NumPy's axis 0
  for column = 1, 3 do
    print(("%-10s column %d: mean %9.4f  std %8.4f"):format(label, column, mean[column], std[column]))
  end
end

show("measured", data)
local normed = (data - data:mean(1)) / data:std(1) -- row vectors broadcast over the rows
show("normalised", normed)

cp.save(path, normed)
assert(cp.array_equal(cp.load(path), normed))
print("saved to " .. path)
return normed
