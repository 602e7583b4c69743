-- The language of kernels in Lua, line by line. A kernel's function writes into `out`; where Lua has the same
-- meaning, the function itself runs in Lua on a table, and both must give the same.

local cp = require "cupola"
local jit = cp.jit

-- Runs f as a kernel of one thread on `count` results of this dtype; returns them as a table.
local function results(f, count, dtype, ...)
  local out = cp.zeros(count, dtype or "float64")
  jit.rawkernel(f)(1, 1, { out, ... })
  return out:totable()
end

-- The same, and compares with Lua.
local function same(f, count, dtype, ...)
  local want = {}
  f(want, ...)
  assert.same(want, results(f, count, dtype, ...))
end

describe("the language of kernels", function()
  it("has locals, constants and several assignment", function()
    same(function(out)
      local a, b = 1, 2.5
      a, b = b, a
      local c
      c = a + b
      do
        local a = 10 -- luacheck: ignore
        c = c + a
      end
      out[1], out[2], out[3] = a, b, c
      local i = 1
      i, out[i + 3] = i + 1, 20 -- the position is that before the assignment
      out[5] = i
      local never, nothing = 1, nil -- luacheck: ignore
      local function inner()
        local own -- luacheck: ignore
        goto after
        ::after::
        return 6
      end
      out[6] = inner()
    end, 6)
    local text = "function(out) local n <const> = 7; local a <const>, b = n * 2, 1; out[1] = a + b end"
    assert.same({ 15 }, results(text, 1))
  end)

  it("has if, while, repeat and break", function()
    same(function(out, n)
      local steps, v = 0, n
      while v ~= 1 do
        if v % 2 == 0 then v = v / 2 elseif v > 1000 then break else v = 3 * v + 1 end
        steps = steps + 1
      end
      out[1] = steps
      local k = 0
      repeat
        local last = k >= 4
        k = k + 1
      until last
      out[2] = k
      while true do
        k = k * 2
        if k > 100 then break end
      end
      out[3] = k
    end, 3, "float64", 27)
  end)

  it("has for over integers and floats, up, down and not at all", function()
    same(function(out, n)
      local s = 0
      for i = 1, n do s = s + i end
      for i = n, 1, -2 do s = s * 2 + i end
      for i = 5, 4 do s = s + 1000 * i end -- luacheck: ignore
      for i = 1, 3.7 do s = s + i end
      for x = 0.5, 2, 0.5 do s = s + x end
      for x = 1, 0, -0.25 do s = s * 1.5 + x end
      out[1] = s
      local count, step = 0, n - 8
      for i = 10, 1, step do -- the step is known at run time
        count = count + i
        i = 100 -- luacheck: ignore
      end
      out[2] = count
      for i = 1, 10 do
        if i == 3 then break end
        out[3] = i
      end
    end, 3, "float64", 5)
  end)

  it("counts the rounds of a loop before it begins", function()
    local text = [[function(out)
      local last, s = 3, 0
      for i = 1, last do last = 100; s = s + i end
      out[1] = s
      local n = 0
      for i = 9223372036854775806, 9223372036854775807 do n = n + 1 end
      for i = -9223372036854775807, -9223372036854775808, -1 do n = n + 10 end
      out[2] = n
      n = 0
      for i = 1, 1e300 do n = n + 1; if n == 5 then break end end
      for i = 1, 0/0 do n = n + 100 end
      out[3] = n
    end]]
    assert.same({ 6, 22, 5 }, results(text, 3, "int64"))
  end)

  it("has goto, also across locals", function()
    local text = [[function(out)
      local s = 0
      for i = 1, 10 do
        if i % 3 == 0 then goto continue end
        local double = 2 * i
        local function add(v) s = s + v end
        add(double)
        ::continue::
      end
      out[1] = s
      local k = 0
      ::again::
      k = k + 1
      if k < 7 then goto again end
      out[2] = k
    end]]
    assert.same({ 2 * (1 + 2 + 4 + 5 + 7 + 8 + 10), 7 }, results(text, 2, "int64"))
  end)

  it("has and, or, not; numbers are always true", function()
    same(function(out, n)
      local yes, no = n > 1, n > 100
      out[1] = yes and 1 or 2
      out[2] = no and 1 or 2
      out[3] = (yes and not no) and 1 or 0
      out[4] = (no or yes) and 1 or 0
      out[5] = 0 and 5 or 6
      out[6] = no and 1 or yes and 2 or 3
      if n then out[7] = 1 end
      if not n then out[7] = 2 end
      out[8] = (yes == no) and 1 or 0
      out[9] = 7 or 8
      -- the right side is evaluated only if the left decides nothing
      out[10] = (n < 5 and out[n] or 100) + 1
    end, 10, "float64", 3)
  end)

  it("calls local functions with several results, which write outer locals", function()
    same(function(out, n)
      local calls = 0
      local function divide(a, b)
        calls = calls + 1
        if b == 0 then return 0, 0 end
        return math.floor(a / b), a % b
      end
      local function twice(f, v) return f(f(v)) end
      local q, r = divide(n, 5)
      local both = divide(n, 0) + q
      out[1], out[2], out[3] = q, r, both
      out[4] = twice(function(v) return v * 3 end, n)
      local function pass(...) return ... end -- luacheck: ignore
      out[5] = calls
      out[6], out[7] = divide(17, 4)
      local function add(a, b) return a + b end
      out[8] = add(divide(23, 6))
    end, 8, "float64", 17)
  end)

  it("evaluates from left to right", function()
    same(function(out)
      local n = 0
      local function next_one()
        n = n + 1
        return n
      end
      local function combine(a, b, c) return a * 100 + b * 10 + c end
      out[1] = next_one() * 10 + next_one()
      out[2] = combine(next_one(), next_one(), next_one())
      out[3] = math.max(next_one(), 0) - math.max(next_one(), 0)
      out[4] = (next_one() < next_one() and next_one() == 10) and 1 or 0
      out[5] = math.fmod(next_one(), next_one())
      out[6], out[7] = next_one(), next_one()
    end, 7)
    local text = [==[function(out, x)
      out[1] = x[1] + cp.jit.atomic_add(x, 1, 5) * 10
      out[2] = cp.jit.atomic_add(x, 1, 1) * 10 + x[1]
      out[x[2]] = cp.jit.atomic_exch(x, 2, 1)
      out[4] = cp.jit.atomic_add(x, x[2], cp.jit.atomic_exch(x, 2, 2)) + x[1]
    end]==]
    assert.same({ 22, 78, 3, 17 }, results(text, 4, "int64", cp.array({ 2, 3 }, "int32")))
  end)

  it("types a function by its arguments", function()
    local text = [[function(out, x, k)
      local function half(v) return v / 2 end
      local function add(a, b) return a + b end
      out[1] = half(x[1]) + half(3)
      out[2] = add(k[1], 1)
      out[3] = add(x[1], 0.5)
      out[4] = add(k[1], 0.5)
    end]]
    assert.same({ 2.25, -128, 2, 127.5 },
      results(text, 4, "float64", cp.array({ 1.5 }, "float32"), cp.array({ 127 }, "int8")))
  end)

  it("reads upvalues at each call, and inlines functions that are upvalues", function()
    local scale, flip, settings = 2, false, { shift = { x = 10 } }
    local function helper(v) return v * scale + settings.shift.x end
    local k = jit.rawkernel(function(out)
      out[1] = helper(3)
      out[2] = flip and 1 or 0
    end)
    local out = cp.zeros(2)
    local function expect(a, b)
      k(1, 1, { out })
      assert.same({ a, b }, out:totable())
    end
    expect(16, 0)
    scale, flip, settings.shift.x = 5, true, 20
    expect(35, 1)
    assert.equal(1, k.variants)
    scale = 0.5 -- another type of number
    expect(21.5, 1)
    scale = 0.25
    expect(20.75, 1)
    assert.equal(2, k.variants)
  end)

  it("reads entries of tables by literal keys, whatever their names", function()
    local t = { 5, 6.5, { 7, ["a b"] = 9 }, int = 4, ["1;"] = 2 }
    same(function(out) out[1] = t[2] + t[3][1] + t[3]["a b"] + t.int + t["1;"] end, 1)
    local k = jit.rawkernel(function(out)
      local i = 1
      out[i] = t[i]
    end)
    local ok, message = pcall(k, 1, 1, { cp.zeros(1) })
    assert.is_true(not ok and message:find("an entry of the table 't' is named by a literal", 1, true) ~= nil, message)
  end)

  it("takes upvalues from constants", function()
    local k = jit.rawkernel("function(out) out[1] = A + t.b; out[2] = f(2) end",
      { constants = { A = 1, t = { b = 2 }, f = function(x) return x * x end } })
    local out = cp.zeros(2)
    k(1, 1, { out })
    assert.same({ 3, 4 }, out:totable())
  end)

  it("mangles the words and macros of C++", function()
    same(function(out, int)
      local new, class, NAN, __FILE__, float = 1, 2, 3, 4, 5
      local threadIdx, atomicAdd, M_PI, cp_int64, h_x = 6, 7, 8, 9, 10
      local function operator(template) return template + int end
      out[1] = new + class * NAN + __FILE__ * float + threadIdx + atomicAdd * M_PI + cp_int64 + h_x
      out[2] = operator(int)
      for register = 1, 2 do out[2 + register] = register end
    end, 4, "float64", 3)
  end)

  it("knows the length, shape and size of arrays, which count from 1 and have any strides", function()
    local f = function(out, x, y, z)
      out[1], out[2], out[3], out[4] = #x, x.size, x.ndim, #x.shape
      out[5], out[6] = x.shape[1], x.shape[2]
      out[7], out[8] = x[{ 2, 3 }] + x[2][3] - x(2, 3), x(1, 2)
      out[9] = y[{ 2, 1 }] + y[{ 3, 2 }] * 100
      out[10] = z[{}] + z()
      z[{}] = 5
      local square = cp.jit.local_array("int32", { 2, 2 })
      for i = 1, 2 do
        for j = 1, 2 do square[i][j] = i * 10 + j end
      end
      out[11], square[1][2] = square[2][1] + square[1][2], 7
      out[12] = square[{ 1, 2 }]
    end
    local x = cp.arange(6):reshape(2, 3)
    local z = cp.array(3)
    assert.same({ 2, 6, 2, 2, 2, 3, 5, 1, 1002, 6, 33, 7 },
      results(f, 12, "float64", x, cp.arange(12):reshape(2, 6).T["::2"], z))
    assert.equal(5, z:item())
    local text = "function(out, x) for i = 1, #x do out[i] = x[i] end end"
    assert.same({ 9, 6, 3, 0 }, results(text, 4, "float64", cp.arange(10)["::-3"]))
  end)
end)
