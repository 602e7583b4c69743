-- The device, and arrays from tables and back.
-- Prints a description of the current device (for a GPU its name, multiprocessors and memory), then arrays
-- created in several ways with their dtypes, and checks that a table comes back from the device unchanged.
local cp = require "cupola"

local device = cp.device()
print("device " .. device.name)
print(device:describe())
print(("memory: %.1f GB"):format(cp.memory().total / 1e9))

local a = cp.array { { 1, 2, 3 }, { 4, 5, 6 } } -- numbers are float64
local b = cp.array({ 1, 2, 3 }, "float32")
local c = cp.arange(4) -- whole numbers: int64, from 0
local d = cp.array { true, false, true }
local e = cp.array { cp.complex(1, 2), cp.j }
for _, x in ipairs { a, b, c, d, e, cp.zeros { 2, 2, dtype = "int8" }, cp.linspace(0, 1, 5), cp.eye(2, "float16") } do
  print(x)
end

print(b + 1, (b + 1).dtype) -- a number takes the dtype of the array
print(cp.arange(3) + b, (cp.arange(3) + b).dtype) -- between arrays: NumPy's rules
local rows = { { 0.5, -1 }, { 2, 1e10 } }
local back = cp.array(rows):totable()
for i, row in ipairs(rows) do
  for j, v in ipairs(row) do assert(back[i][j] == v) end
end
print "the table came back as it was"
