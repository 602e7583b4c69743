-- cp.save, cp.load, cp.savez, cp.savez_compressed: NumPy's files are read, written files equal NumPy's (and
-- NumPy, if installed, reads them), and files that are damaged or of another format are rejected.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local python = os.getenv "CUPOLA_PYTHON" or "python3"
local numpy = files.succeeds(python .. " -c 'import numpy'")

local function same_shape(x, shape) assert.is_true(x:has_shape((table.unpack or unpack)(shape))) end -- luacheck: ignore

-- Asserts that loading these bytes fails with this fact (behind the file's name).
local function refuses(bytes, fact)
  files.with(bytes, function(path)
    check.failure("io", "load: " .. path .. fact, function() local _ = cp.load(path) end)
  end)
end

describe("npy", function()
  it("is read as NumPy wrote it: every dtype, byte order, axes, order and version", function()
    assert.is_true(#files.arrays > 30)
    for _, case in ipairs(files.arrays) do
      files.with(files.bytes(case.name), function(path)
        local x = cp.load(path)
        assert.equal(case.dtype, x.dtype, case.name)
        same_shape(x, case.shape)
        assert.equal(cp.device().name, x.device)
        assert.is_true(x:tobytes() == case.values, case.name)
      end)
    end
  end)

  it("keeps Fortran's order", function()
    files.with(files.bytes "fortran", function(path)
      local x = cp.load(path)
      assert.is_true(x.flags.f_contiguous and not x.flags.c_contiguous)
    end)
  end)

  it("is written byte for byte as NumPy does", function()
    for _, case in ipairs(files.arrays) do
      if not case.name:find "_big" and not case.name:find "^version" then
        local x = cp.frombytes(case.values, { dtype = case.dtype, shape = case.shape })
        if case.name == "fortran" then x = x:copy "F" end
        files.with(nil, function(path)
          cp.save(path, x)
          assert.is_true(files.contents(path) == files.bytes(case.name), case.name)
        end, ".npy")
      end
    end
  end)

  it("takes strided, reversed, broadcast, pending and plain values", function()
    local base = cp.arange(60, "int32"):reshape(6, 10)
    local cases = { base["::2, ::-3"], base.T, cp.broadcast_to(base[2], { 3, 10 }), base * 2 + 1, base[3], { 1, 2, 3 },
      7,
      cp.array { { true, false } }, base["1:1, 1:1"] }
    for _, x in ipairs(cases) do
      files.with(nil, function(path)
        cp.save(path, x)
        local want, got = cp.asarray(x), cp.load(path)
        assert.equal(want.dtype, got.dtype)
        assert.is_true(cp.array_equal(got, want))
      end, ".npy")
    end
  end)

  it("adds the ending, and goes to the device that is asked for", function()
    files.with(nil, function(path)
      local bare = path:sub(1, -5)
      cp.save(bare, { 1, 2 })
      assert.same({ 1, 2 }, cp.load(path):totable())
      local x = cp.load(path, { device = "cpu" })
      assert.equal("cpu", x.device)
      assert.equal("cpu", cp.cpu.load(path).device)
    end, ".npy")
  end)

  it("of more than one buffer is written and read", function()
    local x = cp.arange(2500000, "float32"):reshape(2500, 1000) -- 10 MB
    files.with(nil, function(path)
      cp.save(path, x)
      assert.is_true(cp.array_equal(cp.load(path), x))
      assert.equal(#files.contents(path), 10000128)
    end, ".npy")
  end)

  it("that is cut off anywhere is refused", function()
    local bytes = files.bytes "float64"
    refuses("", " is empty")
    refuses(bytes:sub(1, 4), " is not an npy file: it does not begin with NumPy's magic string")
    refuses(bytes:sub(1, 7), " ends within its header")
    refuses(bytes:sub(1, 9), " ends within its header")
    refuses(bytes:sub(1, 60), " ends within its header")
    refuses(bytes:sub(1, 128), " is truncated: float64 values of shape (3, 4) take 96 bytes, but there are 0")
    refuses(bytes:sub(1, -2), " is truncated: float64 values of shape (3, 4) take 96 bytes, but there are 95")
  end)

  it("with an impossible header is refused before memory is allocated", function()
    local bytes = files.bytes "float64"
    refuses((bytes:gsub("%(3, 4%)", "(3000000000, 4000000000)", 1)),
      " is truncated: float64 values of shape (3000000000,")
    refuses((bytes:gsub("%(3, 4%)", "(4611686018427387904, 8)", 1)),
      " is truncated: float64 values of shape (4611686018427387904, 8) take 295147905179352825856 bytes, but there are")
    refuses((bytes:gsub("%(3, 4%)", "(18446744073709551617,)", 1)),
      " is truncated: float64 values of shape (18446744073709551616,)")
    refuses((bytes:gsub("%(3, 4%)", "(3, -4)", 1)), " has a header that is not npy's")
    refuses((bytes:gsub("descr", "dexcr", 1)), " has a header that is not npy's")
    refuses((bytes:gsub("False", "Maybe", 1)), " has a header that is not npy's")
    refuses((bytes:gsub("NUMPY\1", "NUMPY\9", 1)), " has version 9 of the format npy; versions 1 to 3 can be read")
    refuses("\147NUMPY\2\0\255\255\255\255", " has a header of 4294967295 bytes, which is too long")
  end)

  it("of other kinds is refused with the kind's name", function()
    refuses(files.bytes "object", " holds dtype '|O': Python objects (a pickle), which are never read")
    refuses(files.bytes "pickle", " is a Python pickle, which is never read")
    refuses(files.bytes "text", " holds dtype '<U2': text")
    refuses(files.bytes "records", " holds records with fields, which cupola does not support")
    refuses(files.bytes "dates", " holds dtype '<M8[s]': dates")
    refuses(files.bytes "longdouble", " holds dtype '<f16': floats of an unsupported size")
    refuses("hello, this is no array\n", " is not an npy file: it does not begin with NumPy's magic string")
  end)

  it("refuses paths and arguments that cannot be", function()
    check.failure("io", "load: cannot read /no/such/file.npy: No such file", function() cp.load "/no/such/file.npy" end)
    check.failure("io", "save: cannot write /no/such/file.npy: No such file",
      function() cp.save("/no/such/file", 1) end)
    check.failure("io", "load: cannot read /: it is a folder", function() cp.load "/" end)
    check.failure("io", "load: the file name is empty", function() cp.load "" end)
    check.failure("io", "load: the file name contains a zero byte", function() cp.load "a\0b" end)
    check.failure("usage", "load: file must be a file name, not number", function() cp.load(7) end)
    check.failure("usage", "save: arr is missing", function() cp.save "x" end)
    check.failure("usage", "save: arr must be an array", function() cp.save("/tmp/x", "text") end)
    if files.succeeds "test -w /dev/full" then
      local x = cp.zeros(100000)
      check.failure("io", "tofile: /dev/full could not be written completely", function() x:tofile "/dev/full" end)
    end
  end)
end)

describe("npz", function()
  it("is read as NumPy wrote it", function()
    files.with(files.bytes "npz", function(path)
      local t = cp.load(path)
      assert.same({ true, "float32", true, "int64", "complex64", true },
        { t.arr_0:has_shape(2, 3), t.arr_0.dtype, t.arr_1:has_shape(4), t.arr_1.dtype, t.x.dtype, t.zero:item() })
      assert.equal("\0\0\0\0\0\0\0\128", t.arr_1:tobytes():sub(1, 8))
      local some = cp.load(path, { names = { "x" }, device = "cpu" })
      assert.is_nil(some.arr_0)
      assert.equal("cpu", some.x.device)
      check.failure("io", "load: " .. path .. " has no array 'y'", function() cp.load(path, { names = "y" }) end)
    end)
    files.with(files.bytes "npz_compressed", function(path)
      local t = cp.load(path)
      assert.is_true(cp.array_equal(t.big, cp.arange(5000):reshape(50, 100)))
    end)
    files.with(files.bytes "npz_folder",
      function(path) assert.is_true(cp.load(path)["layer/kernel"]:has_shape(2, 3)) end)
    files.with(files.bytes "npz_none", function(path) assert.is_nil(next(cp.load(path))) end)
  end)

  it("is written and read, stored and deflated, for every dtype", function()
    for _, save in ipairs { cp.savez, cp.savez_compressed } do
      local named, count = {}, 0
      for _, case in ipairs(files.arrays) do
        named[case.name] = cp.frombytes(case.values, { dtype = case.dtype, shape = case.shape })
      end
      files.with(nil, function(path)
        save(path, named.int8, named.float32 * 2, named)
        local t = cp.load(path)
        for _, case in ipairs(files.arrays) do
          local x = t[case.name]
          assert.equal(case.dtype, x.dtype)
          same_shape(x, case.shape)
          assert.is_true(x:tobytes() == case.values, case.name)
        end
        for _ in pairs(t) do count = count + 1 end
        assert.equal(#files.arrays + 2, count)
        assert.is_true(cp.array_equal(t.arr_0, named.int8))
        assert.is_true(cp.array_equal(t.arr_1, named.float32 * 2, { equal_nan = true }))
      end, ".npz")
    end
  end)

  it("has 64-bit numbers where they are needed", function()
    files.with(files.bytes "npz_64", function(path)
      local t = cp.load(path)
      assert.is_true(t.x:has_shape(2, 3) and t.y:has_shape(4))
    end)
    local full = core.zip64_from
    core.zip64_from = 1
    files.with(nil, function(path)
      local ok, message = pcall(cp.savez_compressed, path, { 1, 2 }, { 3 })
      core.zip64_from = full
      assert.is_true(ok, message)
      assert.truthy(files.contents(path):find("PK\6\6", 1, true))
      local t = cp.load(path)
      assert.same({ { 1, 2 }, { 3 } }, { t.arr_0:totable(), t.arr_1:totable() })
      if numpy then
        local script = "import numpy as n; a = n.load('%s'); assert a['arr_0'].tolist() == [1, 2] and a['arr_1'] == 3"
        assert.is_true(files.succeeds(("%s -c \"%s\""):format(python, script:format(path))))
      end
    end, ".npz")
  end)

  it("is packed by savez_compressed", function()
    local x = cp.zeros({ 1000, 1500 }, "float64")
    x[5] = cp.arange(1500)
    files.with(nil, function(path)
      cp.savez_compressed(path, { x = x })
      assert.is_true(#files.contents(path) < 100000)
      assert.is_true(cp.array_equal(cp.load(path).x, x))
    end, ".npz")
  end)

  it("takes tables as data, no arrays at all, and names beyond ASCII", function()
    files.with(nil, function(path)
      cp.savez(path, { 1, 2 }, 3)
      local t = cp.load(path)
      assert.same({ 1, 2 }, t.arr_0:totable())
      assert.equal(3, t.arr_1:item())
      cp.savez(path)
      assert.is_nil(next(cp.load(path)))
      cp.savez(path, { ["größe"] = 1, ["a/b"] = 2 })
      assert.equal(1, cp.load(path)["größe"]:item())
      assert.equal(2, cp.load(path)["a/b"]:item())
    end, ".npz")
  end)

  it("with a path in its names is refused", function()
    refuses(files.bytes "npz_up", " has an entry whose name is a path: '../x.npy'")
    refuses(files.bytes "npz_root", " has an entry whose name is a path: '/etc/x.npy'")
    refuses(files.bytes "npz_backslash", " has an entry whose name is a path: '..\\x.npy'")
    for _, name in ipairs { "../x", "/x", "a/../x", "a\\x", "c:x", "a//x", "./x" } do
      check.failure("usage", "savez: the name '" .. name .. "' is a path",
        function() cp.savez("/tmp/x", { [name] = 1 }) end)
    end
    check.failure("usage", "savez: the name '' is an empty name", function() cp.savez("/tmp/x", { [""] = 1 }) end)
    check.failure("usage", "savez: the name arr_0 is that", function() cp.savez("/tmp/x", 1, { arr_0 = 1 }) end)
    check.failure("usage", "savez: file is missing", function() cp.savez() end)
    check.failure("usage", "savez: argument 2 must be an array", function() cp.savez("/tmp/x", "text") end)
  end)

  it("of other content is refused", function()
    refuses(files.bytes "npz_other", " is not an archive of arrays: it contains 'readme.txt'")
    refuses(files.bytes "npz_bzip2", " (x.npy) uses compression method 12; methods 0 and 8 are supported")
    refuses(files.bytes "npz_object", " (x.npy) holds dtype '|O': Python objects (a pickle), which are never read")
  end)

  it("that is cut off or damaged anywhere is refused", function()
    for _, name in ipairs { "npz", "npz_compressed" } do
      local bytes = files.bytes(name)
      refuses(bytes:sub(1, -30), " is truncated: it has no directory")
      refuses(bytes:sub(1, 100), " is truncated: it has no directory")
      local directory = bytes:find("PK\1\2", 1, true)
      refuses(bytes:sub(1, directory - 1) .. "PK\1\3" .. bytes:sub(directory + 4), " has a damaged directory")
    end
    local bytes = files.bytes "npz"
    local at = bytes:find("\147NUMPY", 1, true) + 130 -- within the first array's values
    refuses(bytes:sub(1, at) .. "~" .. bytes:sub(at + 2), " (x.npy) is damaged: its checksum is another one")
    refuses("PK\5\6" .. ("\255"):rep(18), " has a damaged directory")
    bytes = files.bytes "npz_compressed"
    at = bytes:find("big.npy", 1, true) + 400
    files.with(bytes:sub(1, at) .. ("\255"):rep(200) .. bytes:sub(at + 201), function(path)
      local ok, message = pcall(cp.load, path)
      assert.is_false(ok)
      assert.truthy(message:find("cupola.load: " .. path .. " (big.npy) is ", 1, true), message)
    end)
  end)

  it("gives arrays or an error when any single byte is changed", function()
    local bytes = files.bytes "npz_compressed"
    for at = 1, #bytes, check.mode == "gc" and 97 or 13 do
      files.with(bytes:sub(1, at - 1) .. string.char((bytes:byte(at) + 101) % 256) .. bytes:sub(at + 1), function(path)
        local ok, message = pcall(cp.load, path)
        assert.is_true(ok or message:find "cupola%.%w+: " ~= nil, message)
      end)
    end
    assert.equal(3, (cp.array { 1, 2 } + 1)[2])
  end)
end)

describe("NumPy", function()
  if not numpy then
    pending "reads what was written: python3 with NumPy is not installed"
    return
  end

  it("reads what was written", function()
    local x = cp.arange(6, "float32"):reshape(2, 3)
    files.with(nil, function(path)
      cp.savez_compressed(path, x, { f = x:copy "F", z = x + cp.j, b = x:gt(2), s = cp.array(5, "int8") })
      local script = ("import numpy as n; a = n.load('%s'); x = n.arange(6, dtype='f4').reshape(2, 3); "
        .. "assert (a['arr_0'] == x).all() and a['arr_0'].dtype == x.dtype; assert a['f'].flags.f_contiguous; "
        .. "assert (a['f'] == x).all() and (a['z'] == x + 1j).all() and a['z'].dtype == 'c8'; "
        .. "assert (a['b'] == (x > 2)).all() and a['b'].dtype == bool; "
        .. "assert a['s'].shape == () and a['s'].dtype == 'i1' and a['s'] == 5"):format(path)
      local pipe = io.popen(("%s -c \"%s\" 2>&1"):format(python, script))
      local output = pipe:read "*a"
      pipe:close()
      assert.equal("", output)
    end, ".npz")
  end)
end)
