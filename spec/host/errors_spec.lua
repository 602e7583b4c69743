-- Errors are part of the interface: each bad input raises "FILE:LINE: cupola.NAME: fact" at the user's line,
-- fills cp.last_error() and leaves the library usable (check.failure looks at all three).

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure

describe("the position in a message", function()
  local here = debug.getinfo(1, "S").short_src

  local function line() return debug.getinfo(2, "l").currentline end

  it("is the user's line for C functions", function()
    local ok, message = pcall(function()
      local x = cp.ones({ 2 })
      x:reshape(3)
    end)
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.reshape: cannot reshape (2) of 2 elements to (3)"):format(here, line() - 3), message)
  end)

  it("is the user's line for functions of the Lua side", function()
    local ok, message = pcall(function()
      local x = cp.ones({ 2 })
      x:diagonal()
    end)
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.diagonal: a must have at least 2 axes, not shape (2)"):format(here, line() - 3),
      message)
    failure("index", "flip: ", function() cp.flip(cp.ones({ 2 }), 2) end)
    failure("usage", "clip: both a_min and min are given", function() cp.clip(cp.ones({ 2 }), 0, { min = 0 }) end)
  end)

  it("is the line of the call under pcall of the function itself", function()
    local ok, message = pcall(cp.zeros, { 2 }, "no such dtype")
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.zeros: no dtype 'no such dtype'"):format(here, line() - 2), message)
  end)

  it("is the innermost function of the user", function()
    local function inner(x) x:sum(7) end
    local function outer(x) inner(x) end
    local at = debug.getinfo(inner, "S").linedefined
    local ok, message = pcall(outer, cp.ones({ 2 }))
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.sum: axis 7 is out of range for an array with 1 axis"):format(here, at), message)
  end)

  it("is right inside a function that the library calls", function()
    local ok, message = pcall(function()
      cp.scope(function()
        local _ = cp.ones({ 2 }) + cp.ones({ 3 })
      end)
    end)
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.add: shapes (2) and (3) do not broadcast"):format(here, line() - 4), message)
    ok, message = pcall(function()
      cp.device("cpu"):with(function()
        cp.ones({ 2 }):reshape(5)
      end)
    end)
    assert.is_false(ok)
    assert.equal(("%s:%d: cupola.reshape: cannot reshape (2) of 2 elements to (5)"):format(here, line() - 4), message)
  end)

  it("is right in a coroutine and in a chunk with a name", function()
    local co = coroutine.wrap(function() cp.ones({ 2 }):sum(3) end)
    local ok, message = pcall(co)
    assert.is_false(ok)
    assert.matches(("%s:%d: cupola.sum: axis 3"):format(here, line() - 3), message, 1, true)
    local compile = rawget(_G, "loadstring") or load
    local chunk = compile("\n\nlocal cp = require 'cupola'\ncp.ones({ 2 }):sum(3)\n", "@user/script.lua")
    ok, message = pcall(chunk)
    assert.is_false(ok)
    assert.equal("user/script.lua:4: cupola.sum: axis 3 is out of range for an array with 1 axis", message)
  end)
end)

describe("cp.last_error()", function()
  it("gives kind, where and message of the last failure", function()
    pcall(function() local _ = cp.ones({ 2 }) + cp.ones({ 3 }) end)
    assert.same({ kind = "shape", where = "add", message = "shapes (2) and (3) do not broadcast" }, cp.last_error())
    pcall(function() cp.ones({ 2 }, "int7") end)
    local last = cp.last_error()
    assert.equal("dtype", last.kind)
    assert.equal("ones", last.where)
  end)

  it("is kept when later calls work", function()
    pcall(function() cp.ones({ 2 }):sum(2) end)
    local _ = cp.ones({ 2 }) + 1
    assert.equal("index", cp.last_error().kind)
  end)
end)

describe("tables", function()
  it("must not be ragged", function()
    failure("shape", "array: row 2 has 1 element, row 1 has 2", function() cp.array({ { 1, 2 }, { 3 } }) end)
    failure("shape", "array: ", function() cp.array({ { 1, 2 }, 3 }) end)
    failure("shape", "array: ", function() cp.array({ 1, { 2 } }) end)
    failure("shape", "array: ", function() cp.array({ { { 1 }, { 2 } }, { { 1 }, { 2, 3 } } }) end)
    failure("shape", "add: ", function() local _ = cp.ones({ 2 }) + { { 1, 2 }, { 3 } } end)
  end)

  it("must have no holes", function()
    failure("usage", "array: element 2 is nil", function() cp.array({ 1, nil, 3 }) end)
    failure("usage", "array: element (1, 2) is nil", function() cp.array({ { 1, nil, 3 }, { 1, 2, 3 } }) end)
  end)

  it("must hold numbers, booleans, complex values or arrays", function()
    failure("usage", "array: element 2 is a string", function() cp.array({ 1, "a" }) end)
    failure("usage", "array: element (2, 1) is a function", function() cp.array({ { 1 }, { print } }) end)
    failure("usage", "array: object must be a table, number, boolean, complex value or array, not string",
      function() cp.array("1, 2") end)
    failure("usage", "array: object must be a table, number, boolean, complex value or array, not nil",
      function() cp.array() end)
    failure("shape", "array: the table is nested deeper than 32 levels",
      function() local t = {}; t[1] = t; cp.array(t) end)
  end)
end)

describe("unknown names", function()
  it("of dtypes are errors with a suggestion", function()
    failure("dtype", "zeros: no dtype 'flaot32'; did you mean 'float32'?", function() cp.zeros({ 3 }, "flaot32") end)
    failure("dtype", "array: no dtype 'double'", function() cp.array({ 3 }, "double") end)
    failure("dtype", "astype: no dtype 'uin8'; did you mean 'uint8'?", function() cp.ones({ 1 }):astype("uin8") end)
    failure("dtype", "ones: dtype must be a name such as \"float32\", not number",
      function() cp.ones({ 2 }, { dtype = 32 }) end)
  end)

  it("of options list the known ones", function()
    failure("usage", "zeros: no option 'dtyp' (did you mean 'dtype'?); the options are dtype, order, device",
      function() cp.zeros({ 3 }, { dtyp = "float32" }) end)
    failure("usage", "zeros: no option 'dtyp' (did you mean 'dtype'?)",
      function() cp.zeros({ 3, dtyp = "float32" }) end)
    failure("usage", "sum: no option 'zzz'; the options are axis, dtype, out, keepdims, initial",
      function() cp.ones({ 2 }):sum({ zzz = 1 }) end)
    failure("usage", "add: no option 'ot' (did you mean 'out'?); the options are out, dtype",
      function() cp.add(1, 2, { ot = 3 }) end)
    failure("usage", "sum: axis is given by position and by name", function() cp.ones({ 2 }):sum(1, { axis = 1 }) end)
  end)

  it("of fields, methods and functions are errors with a suggestion", function()
    local x = cp.ones({ 2 })
    failure("usage", "index: an array has no field or method 'shap'; did you mean 'shape'?",
      function() local _ = x.shap end)
    failure("usage", "index: an array has no field or method 'resape'; did you mean 'reshape'?",
      function() x:resape(1) end)
    failure("usage", "index: an array has no field or method 'qqqqqqqq'", function() local _ = x.qqqqqqqq end)
    failure("usage", "zeroz: cupola has no such function; did you mean cp.zeros?", function() cp.zeroz({ 2 }) end)
    failure("usage", "linalg.slove: cupola has no such function; did you mean cp.linalg.solve?",
      function() cp.linalg.slove(x, x) end)
    failure("usage", "cuda.steam: cupola has no such function; did you mean cp.cuda.Stream?",
      function() cp.cuda.steam() end)
    failure("usage", "scipy.signal.windows.hamn: cupola has no such function; did you mean "
      .. "cp.scipy.signal.windows.hann?", function() cp.scipy.signal.windows.hamn(3) end)
    failure("usage", "index: x.dtype cannot be set", function() x.dtype = "int8" end)
    assert.is_nil(cp[1])
    assert.is_nil(cp.linalg[1])
  end)

  it("are errors in every table of functions", function()
    local function walk(path, t)
      for name, value in pairs(t) do
        if type(value) == "table" and not name:find "^malloc_" then
          local where = path .. "." .. name
          assert.is_false(pcall(function() return value.no_such_name, 1 end), where)
          walk(where, value)
        end
      end
    end
    walk("cp", cp)
  end)

  it("of devices are errors", function()
    failure("usage", "device: no device is named 'gpu'", function() cp.device("gpu") end)
    failure("usage", "zeros: no device is named 'nowhere'", function() cp.zeros({ 2 }, { device = "nowhere" }) end)
    failure("usage", "to: no device is named 'cpu1'", function() cp.ones({ 1 }):to("cpu1") end)
  end)
end)

describe("arguments", function()
  it("must not be missing or too many", function()
    failure("usage", "add: x2 must be an array, number or table, not nil (missing)",
      function() cp.add(cp.ones({ 2 })) end)
    failure("usage", "sqrt: x must be an array, number or table, not nil (missing)", function() cp.sqrt() end)
    failure("usage", "add: takes at most 6 arguments, 7 were given", function() cp.add(1, 2, nil, nil, 5, 6, 7) end)
    failure("usage", "astype: dtype is missing", function() cp.ones({ 2 }):astype() end)
    failure("usage", "clip: a is missing", function() cp.clip() end)
  end)

  it("that are shapes must be tables of whole numbers", function()
    failure("usage", "zeros: the shape is a table: cp.zeros({3, 4})", function() cp.zeros(3, 4) end)
    failure("shape", "zeros: shape[2] must be a whole number, not 1.5", function() cp.zeros({ 2, 1.5 }) end)
    failure("shape", "zeros: shape[1] must not be negative, but is -1", function() cp.zeros({ -1 }) end)
    failure("usage", "zeros: shape must be a table of whole numbers or one whole number, not string",
      function() cp.zeros("3") end)
    local long = {}
    for k = 1, 33 do long[k] = 1 end
    failure("shape", "zeros: shape has 33 axes; at most 32 are possible", function() cp.zeros(long) end)
  end)
end)

describe("shapes", function()
  it("must broadcast", function()
    failure("shape", "add: shapes (3, 4) and (5) do not broadcast",
      function() local _ = cp.ones({ 3, 4 }) + cp.ones({ 5 }) end)
    failure("shape", "where: shapes (2) and (3) do not broadcast",
      function() cp.where(cp.ones({ 2 }, "bool"), cp.ones({ 3 }), 1) end)
    failure("shape", "assign: shape (3) does not broadcast into (2)",
      function() cp.ones({ 2 }):assign(cp.ones({ 3 })) end)
    failure("shape", "index: shape (3) does not broadcast into (2)", function() cp.ones({ 2, 2 })[1] = { 1, 2, 3 } end)
  end)

  it("must have the same size in reshape", function()
    failure("shape", "reshape: cannot reshape (2, 3) of 6 elements to (4)", function() cp.ones({ 2, 3 }):reshape(4) end)
    failure("shape", "reshape: cannot reshape (2, 3) of 6 elements to (4, -1)",
      function() cp.ones({ 2, 3 }):reshape(4, -1) end)
  end)

  it("must not overflow", function()
    failure("shape", "empty: shape (4294967296, 4294967296) is too big", function() cp.empty({ 2 ^ 32, 2 ^ 32 }) end)
    failure("shape", "zeros: shape (3037000500, 3037000500) is too big",
      function() cp.zeros({ 3037000500, 3037000500 }) end)
  end)

  it("must not overflow where arguments make it", function()
    local x, one, two = cp.arange(9):reshape(3, 3), cp.index { 1 }, "(4611686018427387904, 4611686018427387904)"
    local most, lowest = cp.iinfo("int64").max, cp.iinfo("int64").min
    local long = cp.broadcast_to(cp.zeros({ 1 }, "int8"), { 2 ^ 62 })
    local function no_memory(name, f)
      failure("shape", name .. ": the result would have more elements than fit into memory", f)
    end
    failure("shape", "unravel_index: shape " .. two .. " is too big",
      function() cp.unravel_index(one, { 2 ^ 62, 2 ^ 62 }) end)
    failure("shape", "ravel_multi_index: shape " .. two .. " is too big",
      function() cp.ravel_multi_index({ one, one }, { 2 ^ 62, 2 ^ 62 }) end)
    failure("shape", "resize: shape " .. two .. " is too big", function() cp.resize(x, { 2 ^ 62, 2 ^ 62 }) end)
    no_memory("pad", function() cp.pad(x, 2 ^ 62) end)
    no_memory("pad", function() cp.pad(x, { { most, most }, { 0, 0 } }) end)
    no_memory("diag", function() cp.diag(x[1], most) end)
    no_memory("diag", function() cp.diag(x[1], lowest) end)
    no_memory("histogram", function() cp.histogram(x, most) end)
    no_memory("concatenate", function() cp.concatenate { long, long, long } end)
    no_memory("scipy.linalg.block_diag", function() cp.scipy.linalg.block_diag(long, long) end)
    failure("shape", "broadcast_shapes: axis 1 has lengths 3 and 4611686018427387904",
      function() cp.broadcast_shapes(3, 2 ^ 62) end)
    local _, message = pcall(cp.partition, x, most) -- in LuaJIT the next number
    assert.matches("cupola%.partition: kth 922337203685477580[78] is out of range", message)
    assert.equal(0, cp.diagonal(x, lowest).size)
    assert.equal(0, cp.diagonal(x, most).size)
    assert.equal(9, #cp.triu_indices(3, lowest)[1])
    assert.equal(0, #cp.tril_indices(3, lowest)[1])
  end)

  it("may have as many elements as int64 counts where there are no elements", function()
    local at = cp.unravel_index(cp.array({ 2 ^ 60 }, "int64"), { 2 ^ 30, 2 ^ 30 })
    assert.is_true(at[1][1] == 2 ^ 30 and at[2][1] == 2 ^ 30)
    local back = cp.ravel_multi_index({ 2 ^ 30, 2 ^ 30 - 1 }, { 2 ^ 30, 2 ^ 30 })
    assert.equal("1152921504606846975", (tostring(back):gsub("LL$", "")))
    local parts = cp.unravel_index(cp.array({ back }, "int64"), { 2 ^ 30, 2 ^ 30 })
    assert.is_true(parts[1][1] == 2 ^ 30 and parts[2][1] == 2 ^ 30 - 1)
  end)
end)

describe("axes and indices", function()
  local x

  before_each(function() x = cp.array({ { 1, 2, 3 }, { 4, 5, 6 } }) end)

  it("must be in range", function()
    failure("index", "sum: axis 3 is out of range for an array with 2 axes", function() x:sum(3) end)
    failure("index", "index: index 3 is out of range for axis 1 of length 2", function() local _ = x[3] end)
    failure("index", "index: index -4 is out of range for axis 2 of length 3", function() local _ = x[{ 1, -4 }] end)
    failure("index", "index: index 4 is out of range for axis 2 of length 3", function() x[{ 1, 4 }] = 0 end)
    failure("index", "index: 3 indices for an array of 2 axes", function() local _ = x[{ 1, 2, 3 }] end)
    failure("index", "index: index 5 is out of range for axis 2 of length 3", function() local _ = x["1, 2:5"] end)
  end)

  it("must not be 0", function()
    failure("index", "sum: axis counts from 1; there is no axis 0", function() x:sum(0) end)
    failure("index", "index: index 0 for axis 1: positions count from 1, and -1 is the last",
      function() local _ = x[0] end)
    failure("index", "index: index 0 for axis 2: positions count from 1", function() x[{ 1, 0 }] = 1 end)
  end)

  it("must be whole, under LuaJIT too", function()
    failure("usage", "sum: axis must be a whole number, not 3.5", function() x:sum(3.5) end)
    failure("index", "index: position 3.5 is not a whole number", function() local _ = x[3.5] end)
    failure("index", "index: position 1.5 is not a whole number", function() x[{ 1.5, 1 }] = 0 end)
    failure("usage", "reshape: shape must be a whole number, not 3.5", function() x:reshape(3.5) end)
    failure("usage", "transpose: ", function() x:transpose(1.5, 1) end)
  end)

  it("with a likely mistake show what to write", function()
    local v = cp.array({ 1, 2, 3, 4, 5 })
    failure("index", "index: 2 indices for an array of 1 axis; the range is x[{ {1, 3} }]",
      function() local _ = v[{ 1, 3 }] end)
    failure("index",
      "index: item 1 of the index has 4 numbers; a range is {first, last, step}, a list of positions cp.index{...}",
      function() local _ = v[{ { 1, 2, 3, 4 } }] end)
    failure("usage", "index: the call form takes positions and ranges; to index by an array write x[y] instead of x(y)",
      function() local _ = v(cp.index({ 1, 2 })) end)
    failure("dtype",
      "index: a float64 array cannot be an index; make positions by cp.index{...} or y:astype(\"int64\")",
      function() local _ = v[cp.array({ 1, 2 })] end)
    failure("index",
      "index: item 1 of the index is a boolean; Lua's == gives one boolean, an elementwise comparison is x:eq(y)",
      function() local _ = v[v == 3] end)
  end)
end)

describe("a Lua boolean as a mask", function()
  it("is refused, naming x:eq", function()
    local x = cp.ones({ 2 })
    failure("usage", "where: condition is a Lua boolean; == gives one answer for whole arrays, use x:eq(y)",
      function() cp.where(x == 0, 1, 2) end)
    failure("usage", "logical_and: x2 is a Lua boolean", function() cp.logical_and(x, x == 0) end)
  end)
end)

describe("writing", function()
  it("takes same-kind casts only", function()
    local i = cp.ones({ 2 }, "int32")
    failure("dtype", "assign: cannot write float64 into int32; convert with :astype(\"int32\")",
      function() i:assign(cp.ones({ 2 })) end)
    failure("dtype", "index: cannot write 1.5 into int32; convert the array with :astype", function() i[1] = 1.5 end)
    failure("dtype", "fill: cannot write 2.5 into int32", function() i:fill(2.5) end)
    failure("dtype", "index: 300 does not fit int8", function() cp.ones({ 2 }, "int8")[1] = 300 end)
    failure("dtype", "index: cannot write complex128 into float64", function() cp.ones({ 2 })[1] = cp.j end)
    failure("dtype", "sqrt_: cannot write float64 into int32", function() i:sqrt_() end)
    failure("dtype", "copyto: cannot write float64 into int32", function() cp.copyto(i, cp.ones({ 2 })) end)
    failure("usage", "index: cannot write string into an array; give an array, number or table",
      function() i[1] = "x" end)
    failure("usage", "index: cannot write nil into an array", function() i[1] = nil end)
    assert.same({ 1, 1 }, i:totable())
  end)

  it("is refused on broadcast views", function()
    local v = cp.broadcast_to(cp.ones({ 2 }), { 3, 2 })
    failure("usage", "index: the array is a broadcast view, which cannot be written", function() v[1] = 0 end)
    failure("usage", "fill: the array is a broadcast view", function() v["2:"]:fill(0) end)
    failure("usage", "add: the array is a broadcast view", function() cp.add(1, cp.ones({ 3, 2 }), v) end)
    failure("usage", "fill: the array is a broadcast view",
      function() cp.as_strided(cp.ones({ 2 }), { 3, 2 }, { 0, 8 }):fill(0) end)
  end)

  it("into out= needs the result's shape and kind", function()
    failure("shape", "exp: out has shape (3), the result (2)", function() cp.exp(cp.ones({ 2 }), cp.ones({ 3 })) end)
    failure("dtype", "exp: cannot write float64 into int32",
      function() cp.exp(cp.ones({ 2 }), cp.ones({ 2 }, "int32")) end)
    failure("shape", "sum: out has shape (3), the result ()",
      function() cp.ones({ 2 }):sum({ out = cp.ones({ 3 }) }) end)
  end)

  it("to a freed array is an error", function()
    local x = cp.ones({ 2 })
    local view = x["1:1"]
    x:free()
    failure("usage", "index: the array's memory was freed", function() x[1] = 2 end)
    failure("usage", "assign: the array's memory was freed", function() view:assign(2) end)
    failure("usage", "add: the array's memory was freed", function() cp.add(1, cp.ones({ 2 }), x) end)
  end)
end)

describe("dtypes", function()
  it("that an operation does not take are named", function()
    failure("dtype", "negative: is not defined for bool", function() local _ = -cp.ones({ 1 }, "bool") end)
    failure("dtype", "floor: is not defined for complex", function() cp.floor(cp.ones({ 1 }, "complex64")) end)
    failure("dtype", "bitwise_and: needs an integer dtype or bool, not float64",
      function() cp.bitwise_and(cp.ones({ 1 }), 1) end)
    failure("dtype", "add: x2 = 300 does not fit uint8", function() local _ = cp.ones({ 1 }, "uint8") + 300 end)
    failure("dtype", "ldexp: the exponent must be an integer array, not float64",
      function() cp.ldexp(cp.ones({ 1 }), cp.ones({ 1 })) end)
    failure("dtype", "finfo: needs a floating dtype, not int8; see cp.iinfo", function() cp.finfo("int8") end)
  end)
end)

describe("memory", function()
  it("that is missing is an error with figures", function()
    failure("memory",
      "empty: out of memory on " .. cp.device().name .. ": requested 256 TB (281474976710656 bytes), live ",
      function() cp.empty({ 2 ^ 45 }) end)
  end)
end)

describe("devices", function()
  it("must not be mixed in an operation", function()
    local gpu = cp.device().name
    if gpu == "cpu" then return pending("needs a GPU") end
    local x, y = cp.ones({ 2 }), cp.ones({ 2 }, { device = "cpu" })
    failure("usage",
      "add: operands are on different devices, " .. gpu .. " and cpu; move one with :to(\"" .. gpu .. "\")",
      function() local _ = x + y end)
    failure("usage", "assign: cannot write values on cpu into an array on " .. gpu, function() x:assign(y) end)
    failure("usage", "add: ", function() cp.add(x, x, y) end)
  end)
end)

describe("an operation that arrays do not have", function()
  it("is an error", function()
    local x = cp.ones({ 2 })
    failure("usage", "concat: .. joins text with the text of one array; cp.concatenate{a, b} joins arrays",
      function() local _ = x .. x end)
    failure("shape", "len: a 0-d array has no length", function() local _ = #cp.array(1) end)
    failure("shape", "item: an array of shape (2) is not one value", function() x:item() end)
    failure("usage", "compare: Lua turns a comparison into one boolean; use x:lt(y)", function() local _ = x < x end)
  end)
end)
