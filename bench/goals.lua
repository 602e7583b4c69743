-- Where cupola wants to be on an H200. A goal is a share of what the machine gives on the same day, since absolute
-- figures do not hold from one machine to the next: {goal, floor = the floor's figure when the goal was set, by = the
-- row whose floor counts (default: its own)}. bench/table.lua scales the goal by the floor of its own run. Goals
-- without a floor, and counts, hold as they are.

local CHAIN = "sqrt(x*x + y*y)*exp(-x) + sin(y)"

return {
  ["host a + b, n = 100"] = { 3.0, floor = 2.40 },
  ["host a + 1, n = 100"] = { 3.0, floor = 2.40 },
  ["host a += b, n = 100"] = { 2.9, floor = 2.40 },
  ["host x^2 + 2*y, n = 100"] = { 3.5, floor = 2.40 },
  ["host sum, n = 100"] = { 3.2, floor = 2.40 },
  ["host ElementwiseKernel, n = 100"] = { 3.0, floor = 2.40 },
  ["host RawKernel, n = 100"] = { 2.8, floor = 2.40, by = "host ElementwiseKernel, n = 100" },
  ["host event record"] = { 0.5 },
  ["host switch to a stream and back"] = { 0.5 },
  ["a kernel of a graph of 1000, n = 100"] = { 1.0 },
  ["host replay of a graph of 10 kernels"] = { 4.0, floor = 2.40, by = "host a + b, n = 100" },
  ['host slice x["10:20"]'] = { 0.2 },
  ["host slice x[{ {10, 20} }]"] = { 0.3 },
  ["host empty(100)"] = { 0.25 },
  ["copy"] = { 4120, floor = 4127 },
  ["fill"] = { 4450, floor = 4474 },
  ["add"] = { 4290, floor = 4311 },
  ["x^2 + 2*y"] = { 0.282, floor = 0.278 },
  [CHAIN] = { 0.290, floor = 0.278, by = "x^2 + 2*y" }, -- the bytes are the same: the mathematics must hide behind them
  ["sum((x - y)^2)"] = { 0.200, floor = 0.194 },
  ["sum"] = { 4090, floor = 4112 },
  ["argmax"] = { 4000, floor = 4009 },
  ["std"] = { 0.102, floor = 0.097 },
  ["sum over axis 0 of 1e4 x 1e4"] = { 4050, floor = 4127, by = "copy" },
  ["sum over axis 1 of 1e4 x 1e4"] = { 4000, floor = 4005 },
  ["sum over the short axis of 1e7 x 10"] = { 3900, floor = 4127, by = "copy" },
  ["transposed copy of 1e4 x 1e4"] = { 3500, floor = 3517 },
  ["matrix + row"] = { 4100, floor = 4127, by = "copy" },
  ["host to device, 200 MB pageable"] = { 25 },
  ["device to host, 200 MB pageable"] = { 25 },
  ["host to device, 200 MB pinned"] = { 55 },
  ["device to host, 200 MB pinned"] = { 55 },
  ["convolve2d 1024 x 1024, 3 x 3, symm"] = { 0.010 },
  ["first call of the long chain, compiler loaded"] = { 100 },
  ["first call of the long chain, compiler not loaded"] = { 220 },
  ["start to first sum, kernels cached"] = { 250, floor = 219 },
  ["start to first sum, kernels not cached"] = { 400, floor = 219 },
  ["launches of x^2 + 2*y"] = { 1 },
  ["allocations of x^2 + 2*y"] = { 1 },
  ["launches of " .. CHAIN] = { 1 },
  ["allocations of " .. CHAIN] = { 1 },
  ["launches of sum((x - y)^2)"] = { 2 },
  ["launches of z:assign(x^2 + 2*y)"] = { 1 },
  ["allocations of z:assign(x^2 + 2*y)"] = { 0 },
}
