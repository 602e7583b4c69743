-- A first look at cupola: arrays, operators, slices, reductions, and a kernel from a string.
local cp = require "cupola"

local x = cp.arange(12, "float32"):reshape(3, 4)
print(x)

local y = x ^ 2 + 2 * x -- elementwise; numbers broadcast
print(y:sum():item(), y:mean(1)) -- the sum of all, the mean of each column

print(x["1:2, ::2"]) -- rows 1 to 2, every second column: a view
x[{ {}, 1 }] = 10 -- writes the first column
print(x:max(2), x:argmax(2)) -- each row's largest element and its position, counted from 1

print(x:gt(5):any(), x:gt(5):count_nonzero():item()) -- tests give Lua booleans

local squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
print(squared_diff(x, cp.array { 1, 2, 3, 4, dtype = "float32" }))
