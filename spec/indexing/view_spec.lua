-- Views with other axes: reshape, transpose and similar functions, broadcasting, as_strided, flip, T, real
-- and imag.
local cp = require "cupola"
local check = require "spec.helper.check"

local values, fails = check.elements, check.raises

-- An int64 array whose element (i, j, k) is i*100 + j*10 + k.
local function digits(ni, nj, nk)
  local t = {}
  for i = 1, ni do
    t[i] = {}
    for j = 1, nj do
      t[i][j] = {}
      for k = 1, nk do t[i][j][k] = i * 100 + j * 10 + k end
    end
  end
  return cp.array(t, "int64")
end

-- Whether y is a view of x: a write to x's last element is seen in y. x has its old elements afterwards.
local function is_view(y, x, place)
  local before = x[place]
  x[place] = before + 1
  local seen = false
  for _, v in ipairs(values(y:ravel())) do seen = seen or v == before + 1 end
  x[place] = before
  return seen
end

describe("reshape", function()
  local m

  before_each(function() m = cp.arange(1, 13):reshape(3, 4) end)

  it("takes lengths as a table or one by one", function()
    assert.same({ 2, 6 }, m:reshape(2, 6).shape)
    assert.same({ 2, 6 }, m:reshape({ 2, 6 }).shape)
    assert.same({ 2, 6 }, cp.reshape(m, { 2, 6 }).shape)
    assert.same({ 12 }, cp.reshape(m, 12).shape)
    assert.same({ 2, 2, 3 }, m:reshape(2, 2, 3).shape)
    assert.same({ 12, 1, 1 }, m:reshape(-1, 1, 1).shape)
    assert.same({ 6, 2 }, cp.reshape({ a = m, shape = { 6, -1 } }).shape)
    assert.same({}, cp.array({ 3 }):reshape({}).shape)
    assert.same({ { 1, 2 }, { 3, 4 } }, values(cp.reshape({ 1, 2, 3, 4 }, { 2, 2 })))
    assert.same({ { 1, 2, 3, 4, 5, 6 }, { 7, 8, 9, 10, 11, 12 } }, values(m:reshape(2, 6)))
  end)

  it("takes F order", function()
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, values(cp.reshape(cp.arange(1, 7), { 2, 3 }, "F")))
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, values(cp.arange(1, 7):reshape(2, 3, { order = "F" })))
    -- the columns of m, one after the other, fill the columns of the result
    assert.same({ { 1, 6, 11 }, { 5, 10, 4 }, { 9, 3, 8 }, { 2, 7, 12 } }, values(m:reshape({ 4, 3 }, "F")))
    assert.same({ { 1, 2, 3, 4, 5, 6 }, { 7, 8, 9, 10, 11, 12 } }, values(m:reshape({ 2, 6 }, "A")))
    assert.is_true(is_view(m.T:reshape({ 6, 2 }, "F"), m, { 3, 4 }))
    assert.is_true(is_view(m.T:reshape({ 6, 2 }, "A"), m, { 3, 4 }))
  end)

  it("is a view if strides can express it, otherwise a copy", function()
    assert.is_true(is_view(m:reshape(2, 6), m, { 3, 4 }))
    assert.is_true(is_view(m["::2"]:reshape(2, 2, 2), m, { 3, 4 }))
    assert.is_true(is_view(m["2:, 2:3"]:reshape(2, 1, 2), m, { 3, 3 }))
    assert.is_false(is_view(m["2:, 2:3"]:reshape(4), m, { 3, 3 }))
    assert.is_false(is_view(m.T:reshape(12), m, { 3, 4 }))
    assert.same({ 6, 7, 10, 11 }, values(m["2:, 2:3"]:reshape(4)))
    assert.same({ 1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12 }, values(m.T:reshape(12)))
    assert.same({ 12, 11, 10, 9 }, values(m["::-1, ::-1"]:reshape(3, 4)[1]))
  end)

  it("handles arrays without elements", function()
    local e = cp.zeros({ 0, 3 })
    assert.same({ 3, 0 }, e:reshape(3, 0).shape)
    assert.same({ 0 }, e:reshape(-1).shape)
    assert.same({ 5, 0 }, e:reshape(5, 0).shape)
    assert.same({ 0, 2 }, e:reshape(-1, 2).shape)
    fails("reshape: cannot reshape %(0, 3%) of 0 elements to %(0, %-1%)", e.reshape, e, 0, -1)
  end)

  it("refuses another size", function()
    fails("reshape: cannot reshape %(3, 4%) of 12 elements to %(5, 2%)", function() m:reshape(5, 2) end)
    fails("reshape: cannot reshape %(3, 4%) of 12 elements to %(5, %-1%)", function() m:reshape({ 5, -1 }) end)
    fails("reshape: cannot reshape %(3, 4%) of 12 elements to %(%)", function() m:reshape({}) end)
    fails("reshape: cannot reshape .* to %(4294967296, 4294967296%)", function() m:reshape(2 ^ 32, 2 ^ 32) end)
    fails("reshape: only one length in shape %(%-1, %-1%) can be %-1", function() m:reshape(-1, -1) end)
    fails("reshape: length %-2 in shape %(%-2, 3%) is negative", function() m:reshape(-2, 3) end)
    fails("reshape: shape must be a whole number, not 1%.5", function() m:reshape(8, 1.5) end)
    fails("reshape: shape must be a whole number, not nil", function() m:reshape() end)
    fails("reshape: order must be one of the letters CFA", function() m:reshape({ 12 }, "X") end)
    fails("reshape: a must be an array, not nil", function() cp.reshape(nil, { 2 }) end)
    fails("reshape: no option 'ordre'", function() m:reshape({ 12 }, { ordre = "F" }) end)
  end)
end)

describe("ravel and flatten", function()
  local m = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } })

  it("give one axis in every order", function()
    assert.same({ 1, 2, 3, 4, 5, 6 }, values(m:ravel()))
    assert.same({ 1, 4, 2, 5, 3, 6 }, values(m:ravel("F")))
    assert.same({ 1, 4, 2, 5, 3, 6 }, values(m.T:ravel()))
    assert.same({ 1, 2, 3, 4, 5, 6 }, values(m.T:ravel("K")))
    assert.same({ 1, 2, 3, 4, 5, 6 }, values(m.T:ravel("A")))
    assert.same({ 1, 2, 3, 4, 5, 6 }, values(m:flatten()))
    assert.same({ 1, 4, 2, 5, 3, 6 }, values(m:flatten("F")))
    assert.same({ 1, 2, 3, 4, 5, 6 }, values(m.T:flatten("K")))
    assert.same({ 1 }, cp.ravel(cp.array({ 1 }):reshape({})).shape)
    assert.same({ 1, 2, 3 }, values(cp.ravel({ { 1 }, { 2 }, { 3 } })))
  end)

  it("share memory or not", function()
    assert.is_true(is_view(m:ravel(), m, { 2, 3 }))
    assert.is_true(is_view(m.T:ravel("F"), m, { 2, 3 }))
    assert.is_false(is_view(m.T:ravel(), m, { 2, 3 }))
    assert.is_false(is_view(m:flatten(), m, { 2, 3 }))
    assert.is_false(is_view(m:flatten("K"), m, { 2, 3 }))
  end)

  -- Which are views (V) in the orders C, F, A and K, and of reshape in C, F and A: NumPy's shares_memory.
  it("share memory where NumPy's do", function()
    local x = cp.arange(24)
    local layouts = {
      { x, "VVVV", "VVV" },
      { x["::2"], "cccc", "VVV" },
      { x["::-1"], "cccc", "VVV" },
      { x["5:5"], "VVVV", "VVV" },
      { x:reshape(4, 6), "VcVV", "VcV" },
      { x:reshape(4, 6).T, "cVVV", "cVV" },
      { x:reshape(4, 6)[":, ::2"], "cccc", "VcV" },
      { x:reshape(4, 6)["2:3"], "VcVV", "VcV" },
      { x:reshape(4, 6)["::-1"], "cccc", "ccc" },
      { x:reshape(2, 3, 4):transpose(3, 1, 2), "cccV", "ccc" },
      { x:reshape(4, 6)[":, 2:2"], "cccc", "VVV" },
      { cp.broadcast_to(x["1:3"], { 2, 3 }), "cccc", "ccc" },
    }
    local function kind(y) return cp.shares_memory(x, y) and "V" or "c" end
    for k, layout in ipairs(layouts) do
      local y, flat, shaped = layout[1], "", ""
      for order in ("CFAK"):gmatch "." do flat = flat .. kind(y:ravel(order)) end
      for order in ("CFA"):gmatch "." do shaped = shaped .. kind(y:reshape({ -1 }, order)) end
      assert.same({ layout[2], layout[3] }, { flat, shaped }, ("layout %d"):format(k))
      for order in ("CFAK"):gmatch "." do assert.equal("c", kind(y:flatten(order))) end
    end
    local even = x["::2"]
    even:ravel()[1] = 99
    assert.equal(0, even[1])
  end)

  it("check the order", function()
    fails("ravel: order must be one of the letters CFAK", function() m:ravel("Z") end)
    fails("flatten: order must be one of the letters CFAK", function() m:flatten(2) end)
  end)
end)

describe("the order of axes", function()
  local c = digits(2, 3, 4)

  it("is reversed by T and transpose", function()
    assert.same({ 4, 3, 2 }, c.T.shape)
    assert.equal(234, c.T[{ 4, 3, 2 }])
    assert.same({ 4, 3, 2 }, c:transpose().shape)
    assert.same({ 1, 2 }, values(cp.array({ 1, 2 }).T))
  end)

  it("is changed by transpose", function()
    local t = c:transpose(2, 3, 1)
    assert.same({ 3, 4, 2 }, t.shape)
    assert.equal(231, t[{ 3, 1, 2 }])
    assert.same({ 3, 4, 2 }, c:transpose({ 2, 3, 1 }).shape)
    assert.same({ 3, 4, 2 }, cp.transpose(c, { -2, -1, 1 }).shape)
    assert.same({ 3, 4, 2 }, c:transpose({ axes = { 2, 3, 1 } }).shape)
    assert.same({ { 1, 3 }, { 2, 4 } }, values(cp.transpose({ { 1, 2 }, { 3, 4 } })))
  end)

  it("is changed by swapaxes", function()
    assert.same({ 4, 3, 2 }, c:swapaxes(1, 3).shape)
    assert.equal(124, c:swapaxes(1, -1)[{ 4, 2, 1 }])
    assert.same({ 2, 3, 4 }, c:swapaxes(2, 2).shape)
  end)

  it("is changed by moveaxis", function()
    assert.same({ 3, 4, 2 }, c:moveaxis(1, -1).shape)
    assert.same({ 4, 2, 3 }, cp.moveaxis(c, 3, 1).shape)
    assert.same({ 4, 3, 2 }, cp.moveaxis(c, { 1, 2 }, { -1, -2 }).shape)
    assert.same({ 3, 2, 4 }, cp.moveaxis(c, { 2 }, { 1 }).shape)
    assert.equal(213, c:moveaxis(1, 3)[{ 1, 3, 2 }])
  end)

  it("is changed by rollaxis", function()
    local x = cp.zeros({ 3, 4, 5, 6 })
    assert.same({ 3, 6, 4, 5 }, cp.rollaxis(x, 4, 2).shape)
    assert.same({ 5, 3, 4, 6 }, cp.rollaxis(x, 3).shape)
    assert.same({ 3, 5, 6, 4 }, cp.rollaxis(x, 2, 5).shape)
    assert.same({ 4, 5, 3, 6 }, cp.rollaxis(x, 1, 4).shape)
    assert.same({ 4, 5, 3, 6 }, cp.rollaxis(x, 1, -1).shape)
  end)

  it("is checked", function()
    fails("transpose: axes has 2 entries for an array with 3 axes", function() c:transpose(1, 2) end)
    fails("transpose: axes names axis 2 twice", function() c:transpose(1, 2, 2) end)
    fails("transpose: axes names axis 3 twice", function() c:transpose(1, 3, -1) end)
    fails("transpose: axes 4 is out of range for an array with 3 axes", function() c:transpose(1, 2, 4) end)
    fails("transpose: axes counts from 1; there is no axis 0", function() c:transpose(0, 1, 2) end)
    fails("swapaxes: axis2 4 is out of range for an array with 3 axes", function() c:swapaxes(1, 4) end)
    fails("swapaxes: axis2 must be a whole number, not nil", function() c:swapaxes(1) end)
    fails("swapaxes: axis1 must be a whole number, not 1%.5", function() c:swapaxes(1.5, 1) end)
    fails("moveaxis: source and destination must have equally many entries", function() c:moveaxis({ 1, 2 }, 3) end)
    fails("moveaxis: destination names axis 1 twice", function() c:moveaxis({ 1, 2 }, { 1, 1 }) end)
    fails("rollaxis: start 5 must be in 1%.%.4 or %-3%.%.%-1", function() c:rollaxis(1, 5) end)
    fails("rollaxis: start 0", function() c:rollaxis(1, 0) end)
    fails("rollaxis: axis counts from 1; there is no axis 0", function() c:rollaxis(0) end)
  end)
end)

describe("axes of length 1", function()
  local x = cp.array({ { { 1 }, { 2 } } }) -- (1, 2, 1)

  it("are removed by squeeze", function()
    assert.same({ 1, 2 }, values(x:squeeze()))
    assert.same({ 2, 1 }, x:squeeze(1).shape)
    assert.same({ 1, 2 }, x:squeeze(-1).shape)
    assert.same({ 2 }, x:squeeze({ 1, 3 }).shape)
    assert.same({ 2 }, cp.squeeze(x, { axis = { 1, 3 } }).shape)
    assert.same({}, cp.zeros({ 1, 1 }):squeeze().shape)
    fails("squeeze: axis 2 has length 2, not 1", function() x:squeeze(2) end)
    fails("squeeze: axis 4 is out of range for an array with 3 axes", function() x:squeeze(4) end)
    fails("squeeze: axis counts from 1; there is no axis 0", function() x:squeeze(0) end)
  end)

  it("are added by expand_dims", function()
    local v = cp.array({ 1, 2, 3 })
    assert.same({ 1, 3 }, v:expand_dims(1).shape)
    assert.same({ 3, 1 }, v:expand_dims(2).shape)
    assert.same({ 3, 1 }, v:expand_dims(-1).shape)
    assert.same({ 1, 3, 1 }, cp.expand_dims(v, { 1, 3 }).shape)
    assert.same({ { 1 }, { 2 }, { 3 } }, values(v:expand_dims(2)))
    assert.is_true(is_view(v:expand_dims(1), v, 3))
    fails("expand_dims: axis 3 is out of range for an array with 2 axes", function() v:expand_dims(3) end)
    fails("expand_dims: axis names axis 1 twice", function() v:expand_dims({ 1, 1 }) end)
    fails("expand_dims: axis must be a whole number, not nil", function() v:expand_dims() end)
  end)
end)

describe("broadcasting", function()
  local v = cp.array({ 1, 2, 3 })

  it("repeats without memory", function()
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, values(cp.broadcast_to(v, { 2, 3 })))
    assert.same({ { 1, 1 }, { 2, 2 }, { 3, 3 } }, values(v:reshape(3, 1):broadcast_to({ 3, 2 })))
    assert.same({ 3 }, v:broadcast_to(3).shape)
    assert.same({ { 5, 5 }, { 5, 5 } }, values(cp.broadcast_to(5, { 2, 2 })))
    assert.same({ 0, 3 }, v:broadcast_to({ 0, 3 }).shape)
    assert.is_false(v:broadcast_to({ 2, 3 }).flags.writeable)
    assert.is_true(is_view(v:broadcast_to({ 2, 3 }), v, 3))
  end)

  it("gives several arrays their common shape", function()
    local a, b, c = cp.broadcast_arrays(v, cp.array({ { 10 }, { 20 } }), 7)
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 } }, values(a))
    assert.same({ { 10, 10, 10 }, { 20, 20, 20 } }, values(b))
    assert.same({ { 7, 7, 7 }, { 7, 7, 7 } }, values(c))
    local same = cp.broadcast_arrays(v)
    assert.is_true(same.flags.writeable)
    assert.is_false(a.flags.writeable)
  end)

  it("is checked", function()
    fails("broadcast_to: shape %(3%) does not broadcast to %(2, 2%)", function() v:broadcast_to({ 2, 2 }) end)
    local m = cp.zeros({ 2, 3 })
    fails("broadcast_to: shape %(2, 3%) does not broadcast to %(3%)", function() m:broadcast_to({ 3 }) end)
    fails("broadcast_to: takes at most 2 arguments, 3 were given", function() v:broadcast_to(2, 3) end)
    fails("broadcast_to: shape must not be negative, but is %-1", function() v:broadcast_to(-1) end)
    fails("broadcast_to: shape %(.*%) is too big", function() v:broadcast_to({ 2 ^ 40, 2 ^ 40, 3 }) end)
    fails("broadcast_arrays: shapes %(3%) and %(2%) do not broadcast", function() cp.broadcast_arrays(v, { 1, 2 }) end)
    fails("broadcast_arrays: each argument must be an array, not nil", function() cp.broadcast_arrays(v, nil) end)
  end)
end)

describe("as_strided", function()
  local v = cp.arange(10, "float64")

  it("gives any view inside the memory", function()
    assert.same({ { 0, 1, 2 }, { 1, 2, 3 }, { 2, 3, 4 } }, values(cp.as_strided(v, { 3, 3 }, { 8, 8 })))
    assert.same({ 9, 8, 7 }, values(v["10:"]:as_strided({ 3 }, { -8 })))
    assert.same({ 0, 1, 2 }, values(v:as_strided({ 3 })))
    assert.same({ 0, 2, 4 }, values(v:as_strided({ 3 }, 16)))
    assert.same({ { 0, 0 }, { 1, 1 } }, values(v:as_strided({ 2, 2 }, { 8, 0 })))
    assert.is_false(v:as_strided({ 2, 2 }, { 8, 0 }).flags.writeable)
    assert.is_false(v:as_strided({ 2 }, { 8 }, false).flags.writeable)
    assert.is_true(v:as_strided({ 10 }, { 8 }).flags.writeable)
    assert.same({ 0, 5 }, v:as_strided({ 0, 5 }, { 800, 8 }).shape)
    assert.is_true(is_view(v:as_strided({ 10 }, { 8 }), v, 10))
  end)

  it("stays inside the memory", function()
    fails("as_strided: this shape and these strides go beyond the array's memory of 80 bytes",
      function() v:as_strided({ 11 }, { 8 }) end)
    fails("as_strided: this shape and these strides go beyond", function() v["2:"]:as_strided({ 10 }, { 8 }) end)
    fails("as_strided: this shape and these strides go beyond", function() v:as_strided({ 2 }, { -8 }) end)
    fails("as_strided: this shape and these strides go beyond", function() v:as_strided({ 2 ^ 32 }, { 2 ^ 40 }) end)
    fails("as_strided: shape %(.*%) is too big", function() v:as_strided({ 2 ^ 40, 2 ^ 40 }, { 0, 0 }) end)
    fails("as_strided: strides has 1 entries for a shape of 2", function() v:as_strided({ 2, 2 }) end)
    fails("as_strided: stride 4 is not a multiple of the element size, 8 bytes", function() v:as_strided({ 2 },
      { 4 }) end)
  end)
end)

describe("flip", function()
  local m = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } })

  it("reverses axes", function()
    assert.same({ { 6, 5, 4 }, { 3, 2, 1 } }, values(m:flip()))
    assert.same({ { 4, 5, 6 }, { 1, 2, 3 } }, values(m:flip(1)))
    assert.same({ { 3, 2, 1 }, { 6, 5, 4 } }, values(cp.flip(m, -1)))
    assert.same({ { 6, 5, 4 }, { 3, 2, 1 } }, values(cp.flip(m, { axis = { 1, 2 } })))
    assert.same({ { 4, 5, 6 }, { 1, 2, 3 } }, values(cp.flipud(m)))
    assert.same({ { 3, 2, 1 }, { 6, 5, 4 } }, values(m:fliplr()))
    assert.same({ 3, 2, 1 }, values(cp.flip({ 1, 2, 3 })))
    assert.same({ 0, 3 }, cp.zeros({ 0, 3 }):flip().shape)
    assert.is_true(is_view(m:flip(), m, { 1, 1 }))
  end)

  it("is checked", function()
    fails("fliplr: m needs at least 2 axes, not shape %(2%)", function() cp.fliplr({ 1, 2 }) end)
    fails("flipud: m needs at least 1 axis, not shape %(%)", function() cp.flipud(1) end)
    fails("flip: axis 3 is out of range for an array with 2 axes", function() m:flip(3) end)
    fails("flip: axis names an axis twice", function() m:flip({ 1, -2 }) end)
  end)
end)

describe("parts of complex values", function()
  local z = cp.array({ cp.complex(1, 2), cp.complex(3, -4), cp.complex(-5, 6) })

  it("are views", function()
    assert.same({ 1, 3, -5 }, values(z.real))
    assert.same({ 2, -4, 6 }, values(z.imag))
    assert.equal("float64", z.imag.dtype)
    assert.same({ 6, 2 }, values(z.imag["::-2"]))
    assert.equal("float32", cp.zeros({ 2 }, "complex64").real.dtype)
    local w = cp.zeros({ 2 }, "complex64")
    w.imag[2] = 5
    w.real[{}] = 1
    assert.equal(1, w[2].re)
    assert.equal(5, w[2].im)
    assert.equal(0, w[1].im)
  end)

  it("are the array itself and zeros for real values", function()
    local x = cp.array({ { 1, 2 }, { 3, 4 } }, "float32")
    assert.same({ { 1, 2 }, { 3, 4 } }, values(x.real))
    assert.is_true(is_view(x.real, x, { 2, 2 }))
    assert.same({ { 0, 0 }, { 0, 0 } }, values(x.imag))
    assert.equal("float32", x.imag.dtype)
    assert.is_false(x.imag.flags.writeable)
    assert.same({ 0, 2 }, cp.zeros({ 0, 2 }).imag.shape)
  end)
end)

describe("axes far out of range", function()
  it("are errors", function()
    local x, lowest = cp.zeros({ 2, 3 }), rawget(math, "mininteger") or -2 ^ 63
    fails("flip: axis .* is out of range", function() x:flip(lowest) end)
    fails("transpose: axes .* is out of range", function() x:transpose({ 1, lowest }) end)
    fails("expand_dims: axis .* is out of range", function() x:expand_dims(lowest) end)
    fails("squeeze: axis .* is out of range", function() x:squeeze(lowest) end)
  end)
end)

describe("views after free", function()
  it("raise", function()
    local x = cp.zeros({ 2, 3 })
    local t = x.T
    x:free()
    fails("T: the array's memory was freed", function() return t.T end)
    fails("reshape: the array's memory was freed", function() t:reshape(6) end)
    fails("flip: the array's memory was freed", function() t:flip() end)
    fails("imag: the array's memory was freed", function() return t.imag end)
  end)
end)
