-- Indexing by integers, ranges, newaxis, ellipsis, text and calls: reading, writing through, and every error.
local cp = require "cupola"
local check = require "spec.helper.check"

local values, fails = check.elements, check.raises

local ffi = rawget(_G, "jit") and require("ffi") -- LuaJIT

local function fails_reading(pattern, x, key)
  fails(pattern, function() return x[key] end)
end

describe("reading by index", function()
  local v, m, c

  before_each(function()
    v = cp.array({ 10, 20, 30, 40, 50 })
    m = cp.array({ { 11, 12, 13, 14 }, { 21, 22, 23, 24 }, { 31, 32, 33, 34 } })
    c = cp.arange(24):reshape(2, 3, 4)
  end)

  it("counts from 1 and from the end", function()
    assert.equal(10, v[1])
    assert.equal(50, v[5])
    assert.equal(50, v[-1])
    assert.equal(10, v[-5])
    assert.equal(30, v[3.0])
    assert.same({ 21, 22, 23, 24 }, values(m[2]))
    assert.same({ 31, 32, 33, 34 }, values(m[-1]))
    assert.same({ 4 }, m[1].shape)
  end)

  it("takes tables of many items", function()
    local shape, key = {}, {}
    for k = 1, 16 do
      shape[k] = 2
      key[2 * k - 1], key[2 * k] = { 2, 2 }, cp.newaxis
    end
    local x = cp.arange(2 ^ 16):reshape(shape)
    assert.equal(32, x[key].ndim)
    assert.equal(2 ^ 16 - 1, x[key]:item())
    key[32] = nil
    for k = 2, 30, 2 do key[k] = "new" end
    assert.equal(31, x[key].ndim)
    assert.equal(2 ^ 16 - 1, x[key]:item())
  end)

  it("gives Lua values for integers on all axes, in every form", function()
    assert.equal(23, m[{ 2, 3 }])
    assert.equal(23, m["2, 3"])
    assert.equal(23, m["-2,-2"])
    assert.equal(23, m(2, 3))
    assert.equal(23, m[2][3])
    assert.equal(23, c[{ 2, 3, 4 }])
    assert.equal(7, cp.array({ 7 })[1])
    assert.is_true(cp.array({ true, false })[1])
    assert.is_false(cp.array({ true, false })[2])
    local z = cp.array({ cp.complex(1, -2) })[1]
    assert.equal(1, z.re)
    assert.equal(-2, z.im)
  end)

  it("gives every dtype's value", function()
    for _, dtype in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
      "bfloat16", "float32", "float64" } do
      local x = cp.array({ 1, 2, 100 }, dtype)
      assert.equal(100, x[3])
      assert.equal(100, x["2:"][2])
      x[2] = 5
      assert.equal(5, x[2])
    end
  end)

  it("takes ranges with both ends", function()
    assert.same({ 20, 30, 40 }, values(v[{ { 2, 4 } }]))
    assert.same({ 20, 40 }, values(v[{ { 2, 5, 2 } }]))
    assert.same({ 40, 50 }, values(v[{ { -2, -1 } }]))
    assert.same({ 50, 40, 30, 20, 10 }, values(v[{ { -1, 1, -1 } }]))
    assert.same({ 40, 20 }, values(v[{ { 4, 1, -2 } }]))
    assert.same({ 30 }, values(v[{ { 3 } }]))
    assert.same({ 50 }, values(v[{ { -1 } }]))
    assert.same({ 10, 20, 30, 40, 50 }, values(v[{ {} }]))
    assert.same({ 10, 20, 30, 40, 50 }, values(v[{}]))
    assert.same({ { 12, 13 }, { 22, 23 } }, values(m[{ { 1, 2 }, { 2, 3 } }]))
    assert.same({ 12, 22, 32 }, values(m[{ { 1, 3 }, 2 }]))
    assert.same({ { 12 }, { 22 }, { 32 } }, values(m[{ {}, { 2 } }]))
    assert.same({ { 14, 13, 12, 11 }, { 24, 23, 22, 21 }, { 34, 33, 32, 31 } }, values(m[{ {}, { -1, 1, -1 } }]))
    assert.same({ { 21, 22, 23, 24 } }, values(m[{ { 2 } }]))
  end)

  it("takes empty ranges, at the borders too", function()
    for k = 1, 6 do assert.same({ 0 }, v[{ { k, k - 1 } }].shape) end
    assert.same({ 0 }, v[{ { 4, 2 } }].shape)
    assert.same({ 0 }, v[{ { 2, 3, -1 } }].shape)
    assert.same({ 0 }, v["6:"].shape)
    assert.same({ 0 }, v[":0"].shape)
    assert.same({ 0, 4 }, m[{ { 1, 0 } }].shape)
    local empty = cp.zeros({ 0 })
    assert.same({ 0 }, empty[":"].shape)
    assert.same({ 0 }, empty["::-1"].shape)
    assert.same({ 0 }, empty[{ { 1, 0 } }].shape)
    assert.same({ 0 }, v["::-1"]["6:"]["::-1"].shape)
  end)

  it("takes text", function()
    assert.same({ 10, 20, 30 }, values(v["1:3"]))
    assert.same({ 10, 20, 30 }, values(v[":3"]))
    assert.same({ 30, 40, 50 }, values(v["3:"]))
    assert.same({ 20, 30, 40 }, values(v["2:-2"]))
    assert.same({ 10, 30, 50 }, values(v["::2"]))
    assert.same({ 50, 40, 30, 20, 10 }, values(v["::-1"]))
    assert.same({ 40, 30 }, values(v["4:3:-1"]))
    assert.same({ 40, 20 }, values(v["4::-2"]))
    assert.same({ 50, 40 }, values(v[":4:-1"]))
    assert.same({ 20, 30 }, values(v[" 2 : 3 : "]))
    assert.same({ 20, 30 }, values(v["+2:+3"]))
    assert.same({ 12, 22, 32 }, values(m["1:3, 2"]))
    assert.same({ { 21, 23 }, { 31, 33 } }, values(m["2:,::2"]))
    assert.same({ 14, 24, 34 }, values(m["..., -1"]))
    assert.same({ 1, 3, 1, 4 }, m["new, :, new"].shape)
    assert.same({ 1, 3, 4 }, m["new"].shape)
    assert.equal(30, v["3"])
  end)

  it("takes newaxis and ellipsis", function()
    assert.same({ 1, 5 }, v[cp.newaxis].shape)
    assert.same({ 5, 1 }, v[{ {}, cp.newaxis }].shape)
    assert.same({ 1, 2 }, v[{ cp.newaxis, { 2, 3 } }].shape)
    assert.same({ 2, 3 }, c[{ cp.ellipsis, 1 }].shape)
    assert.same({ 3, 4 }, c[{ 1, cp.ellipsis }].shape)
    assert.same({ 3 }, c[{ 1, cp.ellipsis, 2 }].shape)
    assert.same({ 2, 3, 4 }, c[cp.ellipsis].shape)
    assert.same({ 2, 3, 4, 1 }, c[{ cp.ellipsis, cp.newaxis }].shape)
    assert.same({ 1, 1, 2, 3, 4 }, c[{ cp.newaxis, cp.newaxis }].shape)
    assert.same({ { 4, 8 } }, values(c[{ { 1 }, { 2, 3 }, 1 }]))
    assert.equal("cupola.newaxis", tostring(cp.newaxis))
    assert.equal("cupola.ellipsis", tostring(cp.ellipsis))
  end)

  it("leaves an array of no axes where an ellipsis stands beside all integers", function()
    local x = m[{ 2, cp.ellipsis, 3 }]
    assert.equal("array", cp.type(x))
    assert.equal(0, x.ndim)
    assert.equal(23, x[{}])
  end)

  it("takes the call form", function()
    assert.same({ 23, 24 }, values(m(2, { 3, 4 })))
    assert.same({ 22, 23 }, values(m(2, "2:3")))
    assert.same({ 22, 23 }, values(m("2, 2:3")))
    assert.same({ { 21, 22, 23, 24 }, { 31, 32, 33, 34 } }, values(m({ 2, 3 })))
    assert.same({ 14, 24, 34 }, values(m(cp.ellipsis, 4)))
    assert.same({ 1, 3, 4 }, m(cp.newaxis).shape)
    assert.same({ 3, 4 }, m().shape)
  end)

  it("indexes an array of no axes", function()
    local x = cp.array({ 42 }):reshape({})
    assert.equal(42, x[{}])
    assert.equal(42, x())
    assert.same({ 1 }, x[cp.newaxis].shape)
    assert.same({ 1, 1 }, x["new, ..., new"].shape)
    assert.equal("array", cp.type(x[cp.ellipsis]))
  end)

  it("gives views of views with the right elements", function()
    local w = c[{ {}, { 3, 1, -1 }, { 2, 4, 2 } }]
    assert.same({ 2, 3, 2 }, w.shape)
    for i = 1, 2 do
      for j = 1, 3 do
        for k = 1, 2 do assert.equal((i - 1) * 12 + (3 - j) * 4 + 2 * k - 1, w[{ i, j, k }]) end
      end
    end
    assert.same({ 23, 11 }, values(w["::-1, 1, 2"]))
    assert.same({ 4, 3, 2 }, c.T.shape)
    assert.equal(c[{ 2, 1, 3 }], c.T[{ 3, 1, 2 }])
  end)

  it("keeps the dtype and the device", function()
    local x = cp.zeros({ 3, 4 }, "float32")[{ 2, { 1, 2 } }]
    assert.equal("float32", x.dtype)
    assert.equal(v.device, x.device)
  end)

  it("gives a 0-d view by at", function()
    local x = m:at(2, 3)
    assert.equal("array", cp.type(x))
    assert.same({}, x.shape)
    assert.equal(23, x[{}])
    assert.equal(23, m:at({ 2, 3 })[{}])
    assert.equal(34, m:at(-1, -1)[{}])
    x[{}] = 5
    assert.equal(5, m[{ 2, 3 }])
  end)

  it("makes lists of positions by cp.index", function()
    local x = cp.index { 1, 3, 5 }
    assert.equal("int64", x.dtype)
    assert.same({ 1, 3, 5 }, values(x))
    assert.same({ 2, 2 }, cp.index({ { 1, 2 }, { 3, 4 } }).shape)
  end)

  it("reads large arrays, and small ones again after a write", function()
    local big = cp.arange(100000)
    assert.equal(99999, big[-1])
    assert.equal(12344, big[12345])
    big[12345] = 7
    assert.equal(7, big[12345])
    local x = cp.zeros({ 3 })
    for k = 1, 3 do
      assert.equal(0, x[k])
      x[k] = k
      assert.equal(k, x[k])
    end
    local y = x["2:"]
    assert.equal(2, y[1])
    x[2] = 9
    assert.equal(9, y[1])
    y:set(4, 1)
    assert.equal(4, x[2])
  end)

  if ffi then
    it("takes 64-bit cdata", function()
      assert.equal(20, v[ffi.new("int64_t", 2)])
      assert.equal(50, v[ffi.new("int64_t", -1)])
      assert.same({ 20, 30 }, values(v[{ { ffi.new("uint64_t", 2), 3 } }]))
      fails_reading("index: item 1 of the index is cdata", v, ffi.new("double", 1.5))
    end)
  end
end)

describe("writing by index", function()
  local v, m

  before_each(function()
    v = cp.array({ 10, 20, 30, 40, 50 })
    m = cp.zeros({ 3, 4 })
  end)

  it("writes one element", function()
    v[2] = 1
    v[-1] = 2
    v["3"] = 3
    v[{ 4 }] = 4
    assert.same({ 10, 1, 3, 4, 2 }, values(v))
    m[{ 2, 3 }] = 23
    m["1, 1"] = 11
    assert.same({ { 11, 0, 0, 0 }, { 0, 0, 23, 0 }, { 0, 0, 0, 0 } }, values(m))
  end)

  it("broadcasts numbers, tables and arrays", function()
    m[1] = 1
    m[{ 2, { 2, 3 } }] = { 5, 6 }
    m["3, ::2"] = cp.array({ 7, 8 })
    assert.same({ { 1, 1, 1, 1 }, { 0, 5, 6, 0 }, { 7, 0, 8, 0 } }, values(m))
    m[{}] = { 1, 2, 3, 4 }
    assert.same({ { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } }, values(m))
    m[":, 1"] = 9
    assert.same({ { 9, 2, 3, 4 }, { 9, 2, 3, 4 }, { 9, 2, 3, 4 } }, values(m))
    v["2:3"] = v["4:5"] + 1
    assert.same({ 10, 41, 51, 40, 50 }, values(v))
  end)

  it("writes through views", function()
    local w = m["2:3, 2:3"]
    w[{}] = 5
    assert.same({ { 0, 0, 0, 0 }, { 0, 5, 5, 0 }, { 0, 5, 5, 0 } }, values(m))
    m[3][4] = 6
    assert.equal(6, m[{ 3, 4 }])
    v["::-1"][1] = -1
    assert.equal(-1, v[5])
  end)

  it("shifts an array over itself", function()
    v["2:"] = v[":-2"]
    assert.same({ 10, 10, 20, 30, 40 }, values(v))
    v["::-1"] = v
    assert.same({ 40, 30, 20, 10, 10 }, values(v))
  end)

  it("writes nothing to an empty range", function()
    v["6:"] = 1
    v[{ { 3, 2 } }] = 1
    assert.same({ 10, 20, 30, 40, 50 }, values(v))
  end)

  it("sets by the call form", function()
    assert.equal(v, v:set(7, 2))
    v:set({ 8, 9 }, { 4, 5 })
    assert.same({ 10, 7, 30, 8, 9 }, values(v))
    m:set(1, "2", { 1, 2 })
    assert.same({ { 0, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 0, 0, 0 } }, values(m))
    v:set(0)
    assert.same({ 0, 0, 0, 0, 0 }, values(v))
  end)

  it("updates by a function", function()
    v:update("2:3", function(x) return x * 2 end)
    v:update(1, function(x) return x + 1 end)
    assert.same({ 11, 40, 60, 40, 0 }, values(v:update({ { 5 } }, function() return 0 end)))
    m:update({ {}, 2 }, function(x) return x + 3 end)
    assert.same({ 3, 3, 3 }, values(m[":, 2"]))
    fails("update: f must be a function, not nil", function() v:update(1) end)
    fails("update: index 6 is out of range", function() v:update(6, function(x) return x end) end)
    fails("update: the array's memory was freed", function()
      v:update(1, function(x) v:free() return x end)
    end)
  end)

  it("does not set names", function()
    fails("index: x%.shape cannot be set", function() v.shape = { 5, 1 } end)
    fails("index: x%.anything cannot be set", function() v.anything = 1 end)
  end)

  it("does not write to a broadcast view", function()
    fails("index: the array is a broadcast view", function() cp.broadcast_to(v, { 2, 5 })[1] = 1 end)
    fails("set: the array is a broadcast view", function() cp.broadcast_to(v, { 2, 5 }):set(1, 1) end)
  end)

  it("raises when a finalizer frees the array while a temporary is made", function()
    local x = cp.zeros({ 1e6 }):eval()
    cp.collect()
    check.when_collected(function() x:free() end)
    local limit = cp.memory().limit
    cp.empty({ 2e6 }) -- garbage: the temporary needs a collection
    cp.memory { limit = cp.memory().live + 4096 }
    local ok, message = pcall(function() x["2:"] = x[":-2"] end)
    cp.memory { limit = limit }
    assert.is_false(ok)
    assert.matches("cupola%.index: the array's memory was freed", message)
  end)

  it("checks shapes and casts", function()
    fails("index: .*%(2%).*%(3%)", function() v["1:3"] = { 1, 2 } end)
    fails("index: .*astype", function() cp.zeros({ 3 }, "int64")[1] = 1.5 end)
  end)
end)

describe("an index that is wrong", function()
  local v = cp.array({ 10, 20, 30, 40, 50 })
  local m = cp.zeros({ 3, 5 })

  it("is out of range", function()
    fails_reading("index: index 6 is out of range for axis 1 of length 5", v, 6)
    fails_reading("index: index %-6 is out of range for axis 1 of length 5", v, -6)
    fails_reading("index: index 7 is out of range for axis 2 of length 5", m, { 1, 7 })
    fails_reading("index: index 7 is out of range for axis 2 of length 5", m, "1, 7")
    fails("index: index 7 is out of range for axis 2 of length 5", function() return m(1, 7) end)
    fails("index: index 7 is out of range for axis 2 of length 5", function() m[{ 1, 7 }] = 1 end)
    fails_reading("index: index 6 is out of range for axis 1 of length 5", v, { { 2, 6 } })
    fails_reading("index: index %-6 is out of range for axis 1 of length 5", v, { { -6, 2 } })
    fails_reading("index: index 7 is out of range for axis 1 of length 5", v, { { 7, 3 } })
    fails_reading("index: index 8 is out of range for axis 1 of length 5", v, "8:")
    fails_reading("index: index 8 is out of range for axis 1 of length 5", v, ":8")
    fails_reading("index: index 1 is out of range for axis 1 of length 0", cp.zeros({ 0 }), 1)
    fails_reading("index: index %d+ is out of range", v, "99999999999999999999")
    fails("at: index 9 is out of range for axis 2 of length 5", function() m:at(1, 9) end)
    fails("set: index 9 is out of range for axis 1 of length 5", function() v:set(0, 9) end)
  end)

  it("is 0", function()
    fails_reading("index: index 0 for axis 1: positions count from 1", v, 0)
    fails_reading("index: index 0 for axis 2: positions count from 1", m, { 1, 0 })
    fails_reading("index: index 0 for axis 1: positions count from 1", v, { { 0, 2 } })
    fails_reading("index: index 0 for axis 1: positions count from 1", v, { { 2, 0 } })
    fails_reading("index: index 0 for axis 1: positions count from 1", v, { { 5, 0, -1 } })
    fails_reading("index: index 0 for axis 1: positions count from 1", v, "0:2")
    fails("index: index 0 for axis 1: positions count from 1", function() v[0] = 1 end)
  end)

  it("is not whole", function()
    fails_reading("index: position 3%.5 is not a whole number", v, 3.5)
    fails_reading("index: position 3%.5 is not a whole number", m, { 1, 3.5 })
    fails_reading("index: position 1%.5 is not a whole number", v, { { 1.5, 2 } })
    fails_reading("index: position %-?nan is not a whole number", v, 0 / 0)
    fails_reading("index: position inf is not a whole number", v, 1 / 0)
    fails_reading("index: cannot read the index \"3%.5\" at character 2", v, "3.5")
  end)

  it("has too many items", function()
    fails_reading("index: 3 indices for an array of 2 axes", m, { 1, 2, 3 })
    fails_reading("index: 2 indices for an array of 1 axis; the range is x%[{ {1, 3} }%]", v, { 1, 3 })
    fails_reading("index: 3 indices for an array of 1 axis; the range is x%[{ {1, 5, 2} }%]", v, { 1, 5, 2 })
    fails_reading("index: 2 indices for an array of 1 axis; the range is x%[\"1:3\"%]", v, "1, 3")
    fails_reading("index: 3 indices for an array of 1 axis; the range is x%[\"1:5:2\"%]", v, "1, 5, 2")
    fails("index: 2 indices for an array of 1 axis; the range is x%({1, 3}%)", function() return v(1, 3) end)
    fails_reading("index: 4 indices for an array of 1 axis; a list .* is cp%.index{%.%.%.}", v, { 1, 2, 3, 4 })
    fails_reading("index: 1 indices for an array of 0 axes", cp.array({ 1 }):reshape({}), 1)
    local many = {}
    for k = 1, 100 do many[k] = k end
    fails_reading("index: the index has more than 65 items; write a list of positions as cp%.index{%.%.%.}", v, many)
    for k = 1, 40 do many[k] = cp.newaxis end
    for k = 41, 100 do many[k] = nil end
    fails_reading("index: the result would have more than 32 axes", v, many)
  end)

  it("is a list where a range stands", function()
    fails_reading("index: item 1 of the index has 4 numbers; .* cp%.index{%.%.%.}", v, { { 1, 2, 3, 4 } })
    fails_reading("index: item 2 of the index has 5 numbers; .* cp%.index{%.%.%.}", m, { 1, { 1, 2, 3, 4, 5 } })
    fails_reading("index: item 1 of the index is a range, .*, not table", v, { { 1, { 2 } } })
    fails_reading("index: item 1 of the index is a range, .*, not string", v, { { "a", 2 } })
    fails_reading("index: item 1 of the index is a range, .*, not array", v, { { v, 2 } })
    fails_reading("index: the step of a range must not be 0", v, { { 1, 2, 0 } })
    fails_reading("index: the step of a range must not be 0", v, "::0")
  end)

  it("has names or holes", function()
    fails_reading("index: an index cannot have named items such as 'start'", v, { start = 1 })
    fails_reading("index: an index cannot have named items such as 'step'", v, { { 1, 5, step = 2 } })
    fails_reading("index: .*", v, { { nil, 3 } })
    fails_reading("index: .*", v, { { 1, nil, 2 } })
  end)

  it("is text that cannot be read", function()
    fails_reading("index: cannot read the index \"\": an item is missing at its end", v, "")
    fails_reading("index: cannot read the index \"1,\": an item is missing at its end", v, "1,")
    fails_reading("index: cannot read the index \",1\" at character 1", v, ",1")
    fails_reading("index: cannot read the index \"1:2:3:4\" at character 6", v, "1:2:3:4")
    fails_reading("index: cannot read the index \"two words\" at character 1", v, "two words")
    fails_reading("index: cannot read the index \"1:x\" at character 3", v, "1:x")
    fails_reading("index: cannot read the index \"newer, 1\" at character 1", v, "newer, 1")
    fails_reading("index: cannot read the index", v, "1\0002")
    fails_reading("index: an index can have only one ellipsis", v, "..., ...")
  end)

  it("is of a wrong type", function()
    fails_reading("index: item 1 of the index is a boolean; .* x:eq%(y%)", v, true)
    fails_reading("index: item 2 of the index is a boolean; .* x:eq%(y%)", m, { 1, false })
    fails("index: item 1 of the index is a boolean; .* x:eq%(y%)", function() v[v == 3] = 0 end)
    fails_reading("index: item 1 of the index is function", v, print)
    fails_reading("index: item 1 of the index is nil", v, nil)
    fails_reading("index: item 1 of the index is a value that cannot be an index", v, io.stdout)
    fails_reading("index: a float64 array cannot be an index; .*cp%.index{%.%.%.} or y:astype%(\"int64\"%)", v, v)
    fails("index: .*write x%[y%] instead of x%(y%)", function() return v(v) end)
    fails("index: cp%.index takes one table of positions", function() cp.index(1, 2) end)
  end)

  it("leaves at without an element", function()
    fails("at: needs 2 whole numbers, one for each axis", function() m:at(1) end)
    fails("at: needs 2 whole numbers, one for each axis", function() m:at(1, { 2 }) end)
    fails("at: needs 1 whole number, one for each axis", function() v:at(1, 2) end)
  end)

  it("is used after free", function()
    local x = cp.zeros({ 3 })
    local w = x["2:"]
    x:free()
    fails_reading("index: the array's memory was freed", x, 1)
    fails_reading("index: the array's memory was freed", w, 1)
    fails("index: the array's memory was freed", function() w[1] = 1 end)
    fails("index: the array's memory was freed", function() return x(1) end)
  end)

  it("is kept for cp.last_error", function()
    pcall(function() return v[6] end)
    local e = cp.last_error()
    assert.equal("index", e.kind)
    assert.equal("index", e.where)
  end)
end)
