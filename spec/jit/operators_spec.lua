-- Operators of kernels in Lua, and the table of their types. Expected values are written out, from Lua 5.4's
-- rules for 64-bit integers, or from the same operation on arrays.

local cp = require "cupola"
local jit = cp.jit
local unpack = table.unpack or unpack -- luacheck: ignore

local function results(text, count, dtype, ...)
  local out = cp.zeros(count, dtype or "float64")
  jit.rawkernel(text)(1, 1, { out, ... })
  return out:totable()
end

local function one(v, dtype) return cp.array({ v }, dtype) end

describe("operators of kernels", function()
  it("divide integers by floor, and by 0 as arrays do", function()
    local text = [[function(out, a, b, u)
      out[1], out[2], out[3], out[4] = 7 // 2, -7 // 2, 7 // -2, -7 // -2
      out[5], out[6], out[7], out[8] = 7 % 3, -7 % 3, 7 % -3, -7 % -3
      out[9], out[10] = 5 // b, 5 % b
      out[11], out[12] = (-a) // 4, (-a) % 4
      out[13], out[14] = a // 8, a % 8
      out[15], out[16] = u[1] // 4, u[1] % 4
    end]]
    assert.same({ 3, -4, -4, 3, 1, 2, -2, -1, 0, 0, -3, 1, 1, 3, 63, 3 },
      results(text, 16, "int64", 11, 0, one(255, "uint8")))
  end)

  it("divide floats by floor as arrays do", function()
    local a = cp.array { 7.5, -7.5, 7.5, -7.5, 1, -1, 0, 1 / 0 }
    local b = cp.array { 2, 2, -2, -2, 0, 0, 0, 2 }
    local q, r = cp.zeros(8), cp.zeros(8)
    jit.rawkernel("function(a, b, q, r) for i = 1, #a do q[i], r[i] = a[i] // b[i], a[i] % b[i] end end")(1, 1,
      { a, b, q, r })
    assert.is_true(cp.array_equal(q, cp.floor_divide(a, b), { equal_nan = true }))
    assert.is_true(cp.array_equal(r, cp.remainder(a, b), { equal_nan = true }))
  end)

  it("wrap integers in the width of their type", function()
    local text = [[function(out, i8, u8, i16, i32, u32, i64)
      out[1] = i8[1] + 1
      out[2] = u8[1] + 1
      out[3] = u8[1] * u8[1]
      out[4] = i16[1] * i16[1]
      out[5] = i32[1] + i32[1]
      out[6] = u32[1] * 2
      out[7] = i64[1] + 1
      out[8] = -i8[2]
      out[9] = 9223372036854775807 + 1
      out[10] = math.abs(i8[2])
      out[11] = i64[1] * i64[1]
      out[12] = -(-9223372036854775807 - 1)
    end]]
    local least = -2 ^ 63
    local got = results(text, 12, "int64", cp.array({ 127, -128 }, "int8"), one(255, "uint8"), one(300, "int16"),
      one(2 ^ 31 - 1, "int32"), one(2 ^ 32 - 1, "uint32"), one(1, "int64"):left_shift(63):invert())
    for k, v in ipairs(got) do got[k] = tonumber(v) end
    assert.same({ -128, 0, 1, 24464, -2, 4294967294, least, -128, least, -128, 1, least }, got)
  end)

  it("divide and raise to powers as floats", function()
    local text = [[function(out, i, f)
      out[1], out[2], out[3] = 7 / 2, 2 ^ 10, 2 ^ -1
      out[4], out[5] = i[1] / 2, i[1] ^ 2
      out[6], out[7] = f[1] / 3, f[1] ^ 0.5
    end]]
    local f = one(2, "float32")
    assert.same({ 3.5, 1024, 0.5, 3.5, 49, (f / 3):item(), (f ^ 0.5):item() },
      results(text, 7, "float64", one(7, "int32"), f))
  end)

  it("shift logically, by negative counts the other way", function()
    local text = [[function(out, a, n, i8, u8)
      out[1], out[2], out[3] = 1 << 62, a >> 60, a << 64
      out[4], out[5] = a >> n, 12 << n
      out[6], out[7] = i8[1] >> 1, cp.jit.sar(i8[1], 1)
      out[8], out[9] = u8[1] << 1, cp.jit.shr(u8[1], 3)
      out[10], out[11] = cp.jit.sar(a, 100), cp.jit.sar(a, -2)
      out[12] = cp.jit.shl(3, 2)
    end]]
    local got = results(text, 12, "int64", -1, -2, one(-2, "int8"), one(129, "uint8"))
    for k, v in ipairs(got) do got[k] = tonumber(v) end
    assert.same({ 2 ^ 62, 15, 0, -4, 3, 127, -1, 2, 16, -1, -4, 12 }, got)
  end)

  it("work on bits", function()
    local text = [[function(out, a, u8, t)
      out[1], out[2], out[3], out[4] = 12 & 10, 12 | 10, 12 ~ 10, ~12
      out[5], out[6] = ~u8[1], u8[1] & 7
      out[7] = (t[1] & t[2]) and 1 or 0
      out[8] = (t[1] ~ t[2]) and 1 or 0
      out[9], out[10], out[11] = cp.jit.band(a, 6), cp.jit.bor(a, 6), cp.jit.bxor(a, 6)
      out[12], out[13], out[14] = cp.jit.bnot(a), cp.jit.popc(a), cp.jit.clz(u8[1])
    end]]
    assert.same({ 8, 14, 6, -13, 240, 7, 0, 1, 4, 7, 3, -6, 2, 28 },
      results(text, 14, "int64", 5, one(15, "uint8"), cp.array { true, false }))
  end)

  it("compare integers with floats and signed with unsigned by value", function()
    local text = [[function(out, i, u, f, small)
      local function bit(b) return b and 1 or 0 end
      out[1] = bit(i[1] < u[1]); out[2] = bit(u[1] > i[1]); out[3] = bit(i[1] == u[1])
      out[4] = bit(i[2] == f[1]); out[5] = bit(i[2] < f[1]); out[6] = bit(i[2] >= f[1])
      out[7] = bit(u[1] < f[2]); out[8] = bit(u[1] == f[2])
      out[9] = bit(small[1] < 200); out[10] = bit(small[1] == 0.5); out[11] = bit(small[1] > -1)
      out[12] = bit(f[3] < i[1]); out[13] = bit(f[3] == f[3]); out[14] = bit(f[3] ~= f[3])
      out[15] = bit(i[2] ~= f[1]); out[16] = bit(f[1] > i[2])
    end]]
    local i = cp.array({ -1, 2 ^ 53 }, "int64") + cp.array({ 0, 1 }, "int64") -- 2^53 + 1 is no float64
    local u = cp.zeros(1, "uint64"):invert()
    local f = cp.array { 2 ^ 53, 2 ^ 64, 0 / 0 }
    assert.same({ 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0 },
      results(text, 16, "int64", i, u, f, one(100, "int8")))
  end)

  it("compare every pair of dtypes by value", function()
    local dtypes = { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
      "float32", "float64" }
    local args, texts, want = {}, {}, {}
    for n, d in ipairs(dtypes) do args[n] = cp.array({ 3, d:find "^u" and 4 or -1 }, "int64"):astype(d) end
    for n, d in ipairs(dtypes) do
      for m, e in ipairs(dtypes) do
        local k, low = #want + 1, d:find "^u" and 4 or -1
        texts[k] = ("o[%d] = (p%d[2] < p%d[1] and 1 or 0) + (p%d[1] == p%d[1] and 2 or 0) + (p%d[2] >= p%d[2] and "
          .. "4 or 0)"):format(k, n, m, n, m, n, m)
        want[k] = (low < 3 and 1 or 0) + 2 + (low >= (e:find "^u" and 4 or -1) and 4 or 0)
      end
    end
    local out, text = cp.zeros(#want), "function(o, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12)\n"
      .. table.concat(texts, "\n") .. "\nend"
    for _, lua in ipairs { false, true } do
      jit.rawkernel(text, { lua = lua })(1, 1, { out, unpack(args) })
      assert.same(want, out:totable())
    end
  end)

  it("round half types and float32 after each operation", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
      local a, b = cp.array({ 1 / 3, 1.1, 100 }, dtype), cp.array({ 7, 0.3, 0.07 }, dtype)
      local out = cp.zeros(3, dtype)
      jit.rawkernel "function(a, b, out) for i = 1, #a do out[i] = (a[i] + b[i]) * b[i] - a[i] / 3 end end"(1, 1,
        { a, b, out })
      assert.is_true(out == (a + b) * b - a / 3, dtype)
    end
  end)

  it("compute with complex numbers", function()
    local z = cp.array { cp.complex(1, 2), cp.complex(-0.5, 3) }
    local out, re = cp.zeros(2, "complex128"), cp.zeros(2)
    jit.rawkernel [[function(z, out, re)
      for i = 1, #z do
        out[i] = z[i] * z[i] / 2 - cp.conj(z[i]) + cp.jit.complex128(1, i)
        re[i] = cp.abs(z[i]) + cp.imag(z[i])
      end
    end]](1, 1, { z, out, re })
    assert.is_true(out == z * z / 2 - z:conj() + cp.array { cp.complex(1, 1), cp.complex(1, 2) })
    assert.is_true(re == cp.abs(z) + z.imag)
  end)
end)

describe("types of kernels", function()
  -- The dtype that cp.jit.elementwise gives for an expression of x.
  local function dtype_of(text, x) return jit.elementwise("function(x) return " .. text .. " end")(x).dtype end

  it("follow the table of promotion", function()
    local rows = {
      { "x + 1", int8 = "int8", uint8 = "uint8", int32 = "int32", int64 = "int64", float16 = "float16",
        float32 = "float32", complex64 = "complex64" },
      { "x + 1.0", int8 = "float64", int32 = "float64", float16 = "float16", bfloat16 = "bfloat16",
        float32 = "float32" },
      { "x / 2", int8 = "float64", int32 = "float64", float32 = "float32", float16 = "float16" },
      { "x * 0.5", uint8 = "float64", float32 = "float32", complex64 = "complex64" },
      { "x < 3", int8 = "bool", float32 = "bool", float64 = "bool" },
      { "cp.sqrt(x)", int8 = "float16", int32 = "float64", float32 = "float32" },
      { "math.floor(x)", float32 = "int64", int32 = "int32" },
      { "cp.floor(x)", float32 = "float32", int32 = "int32" },
      { "x + cp.jit.float32(1)", int8 = "float32", int32 = "float64", float64 = "float64" },
      { "cp.jit.int32(x) + 1", float32 = "int32", uint8 = "int32" },
      { "cp.jit.int64(1) + cp.jit.uint64(1) + x", uint64 = "float64" },
      { "math.max(x, 0)", int8 = "int8", float32 = "float32" },
      { "x > 0 and x or 0", int32 = "int32", float32 = "float32" },
    }
    for _, row in ipairs(rows) do
      for dtype, want in pairs(row) do
        if dtype ~= 1 then assert.equal(want, dtype_of(row[1], cp.ones(1, dtype)), row[1] .. " " .. dtype) end
      end
    end
  end)

  it("take numbers of Lua by value", function()
    assert.same({ "float32", "float64" }, { jit.elementwise "function(x, a) return x * a end"(cp.ones(1, "float32"),
      2 ^ 70).dtype, jit.elementwise "function(x, a) return x * a end"(cp.ones(1, "int32"), -1e300).dtype })
    assert.equal(1e300, jit.elementwise "function(x, a) return x * a end"(cp.ones(1), 1e300)[1])
    local k = jit.elementwise "function(x, a) return x * a end"
    local x = cp.ones(1, "int32")
    assert.equal("int32", k(x, 2.0).dtype)
    assert.equal("float64", k(x, 2.5).dtype)
    assert.equal("float32", k(cp.ones(1, "float32"), 2.5).dtype)
    assert.equal("float32", k(x:astype "int16", cp.scalar(2, "float32")).dtype)
  end)

  it("give a local the join of its writes", function()
    local k = jit.elementwise [[function(x)
      local s = 0
      for i = 1, 3 do s = s + x * i end
      return s
    end]]
    assert.equal("float32", k(cp.ones(1, "float32")).dtype)
    assert.equal("int16", k(cp.ones(1, "int16")).dtype)
    assert.equal(6, k(cp.ones(1, "int16")):item())
  end)

  it("convert by name as casts do", function()
    local x = cp.array { -1.5, 300.7, 0 / 0, 1e30, 0 }
    for _, dtype in ipairs { "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "bool" } do
      local k = jit.elementwise("function(x) return cp.jit." .. dtype .. "(x) end")
      assert.is_true(cp.array_equal(k(x), x:astype(dtype), { equal_nan = true }), dtype)
    end
  end)

  it("hold to a signature", function()
    local k = jit.rawkernel("function(x, a) x[1] = a / 2 end", { signature = "float32[], float32" })
    local x = cp.zeros(1, "float32")
    k(1, 1, { x, 3 })
    assert.equal(1.5, x[1])
    k(1, 1, { x, 3.5 })
    assert.equal(1, k.variants)
    assert.has_error(function() k(1, 1, { cp.zeros(1), 3 }) end)
  end)
end)
