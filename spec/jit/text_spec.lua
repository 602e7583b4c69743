-- Finding the text of a function: by files, loaded chunks and strings, and errors where the text is not there
-- or not the right one.

local cp = require "cupola"
local jit = cp.jit

local compile = loadstring or load -- luacheck: ignore

-- The value that a kernel of f writes.
local function value(f, ...)
  local out = cp.zeros(1)
  jit.rawkernel(f, ...)(1, 1, { out })
  return out[1]
end

-- A file with this text; returns its path.
local function file(text)
  local path = os.tmpname()
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
  return path
end

local function fails(fact, f)
  local ok, message = pcall(jit.rawkernel, f)
  assert.is_false(ok)
  assert.truthy(message:find(fact, 1, true), message)
end

describe("the text of a kernel", function()
  it("is found on its line among others", function()
    local a, b = function(out) out[1] = 1 end, function(out) out[1] = 2 end
    assert.equal(1, value(a))
    assert.equal(2, value(b))
    local k = 3
    local c, d = function(out) out[1] = k end, function(o) o[1] = 4 end
    assert.equal(3, value(c))
    assert.equal(4, value(d))
    local e, f = function(out) out[1] = 5 end, function(out) out[1] = 5 end
    assert.equal(10, value(e) + value(f))
  end)

  it("is found among local functions, methods and functions within others on a line", function()
    local lines = {
      "local function sq(o) o[1] = 2 end local function two(o) sq(o) o[1] = o[1] * 3 end return two", -- 6
      "local M = {} function M.a(o) o[1] = 1 end function M.b(o) o[1] = 6 end return M.b",
      "local function outer(o) local function g(o) o[1] = 3 end g(o) o[1] = o[1] * 2 end return outer",
      "return (function(o) return function(o --[[ ) ]]) o[1] = 6 end end)()",
      "local p, q = 1, 6 local a, b = function(o) o[1] = p end, function(o) o[1] = q end return b",
      "local function f(o) o[1] = 6 end local function g(o) o[1]  = 6 end return g", -- equal
      "local a = function() local q = 6 return function(o) o[1] = q end end local b = function() local p = 5 return "
        .. "function(o) o[1] = p end end b() return a()",
    }
    for n, text in ipairs(lines) do assert.equal(6, value(assert(compile(text))()), n) end
    fails("several functions on these lines have the same code", assert(compile(
      "local a = function(o, ...) o[1] = 1 end local b = function(o) o[1] = 2 end return a"))())
  end)

  it("is found in loaded chunks, with a shebang, a BOM, CRLF and long brackets before it", function()
    assert.equal(7, value(assert(compile "return function(out) out[1] = 7 end")()))
    for n, text in ipairs {
      "#!/usr/bin/lua\nreturn function(out) out[1] = 1 end\n",
      "local s = [==[\nfunction(out) out[1] = 9 end\n]==]\r\nlocal t = '\\\nx'\r\n"
        .. "return function(out)\r\nout[1] = 2\r\nend",
      "--[[ function(out)\n]] return function(out) out[1] = 3 end",
    } do
      local path = file(text)
      local f = assert(loadfile(path))()
      assert.equal(n, value(f))
      os.remove(path)
    end
  end)

  it("may be written by another compiler, such as Fennel", function()
    local text = "local _local_1_ = require(\"cupola\")\nlocal jit = _local_1_[\"jit\"]\n"
      .. "local function _2_(_3fout)\n  local function helper_2a(v)\n    return (v * 2)\n  end\n"
      .. "  local function store_21(at, v)\n    _3fout[at] = v\n    return nil\n  end\n"
      .. "  if (jit.grid(1) <= 1) then\n    return store_21(1, helper_2a(21))\n  else\n"
      .. "    return nil\n  end\nend\nreturn _2_"
    assert.equal(42, value(assert(compile(text))()))
    -- what it makes of accumulators, `each`, `when` and tables that start a statement
    text = "local function kernel_2f1(out)\n  local sum\n  do\n    local accum_13_auto = 0\n"
      .. "    for i = 1, 4, 1 do\n      accum_13_auto = (accum_13_auto + (i * i))\n    end\n"
      .. "    sum = accum_13_auto\n  end\n  if (sum > 10) then\n    do end (out)[1] = sum\n  else\n  end\n"
      .. "  if (sum < 0) then\n    out[1] = -1\n    return nil\n  else\n    return nil\n  end\nend\nreturn kernel_2f1"
    assert.equal(30, value(assert(compile(text))()))
  end)

  it("may be a string, also with functions before it", function()
    assert.equal(8, value "function(out) out[1] = 8 end")
    assert.equal(9,
      value "local function sq(x) return x * x end local three = 3 return function(out) out[1] = sq(three) end")
    fails("kernel:1:1: the text must be a function", "return 1")
    fails("kernel:2:13: 'end' expected", "function(out)\n  out[1] = 1")
  end)

  it("is refused if it is not there or has changed", function()
    fails("it comes from a chunk named 'stdin', which is not a file",
      assert(compile("return function(out) out[1] = 1 end",
      "=stdin"))())
    fails("cannot be read", assert(compile("return function(out) out[1] = 1 end", "@/nowhere/x.lua"))())
    fails("it is a C function", print)
    local path = file "return function(out) out[1] = 1 end"
    local f = assert(loadfile(path))()
    local handle = assert(io.open(path, "wb"))
    handle:write "return function(out) out[1] = 2 end"
    handle:close()
    fails("the file has changed since it was loaded, or its name is wrong", f)
    handle = assert(io.open(path, "wb"))
    handle:write "\n\nreturn function(out) out[1] = 1 end"
    handle:close()
    fails("has no such function there", f)
    os.remove(path)
    local lying = assert(compile("return function(out) out[1] = 1 end", "@spec/jit/text_spec.lua"))()
    fails("has no such function there", lying)
    if string.dump then
      local stripped = assert(compile(string.dump(assert(compile "return function(out) out[1] = 1 end"), true)))()
      assert.is_false(pcall(jit.rawkernel, stripped))
    end
  end)

  it("names the kernel", function()
    local saxpy = jit.rawkernel(function(x) x[1] = 1 end)
    assert.equal("saxpy", saxpy.name)
    assert.equal("kernel saxpy", tostring(saxpy))
    assert.equal("other", jit.rawkernel("function(x) x[1] = 1 end", "other").name)
  end)

  it("appears in errors with file, line and column", function()
    local bad = jit.rawkernel(function(x)
      x[1] = y -- luacheck: ignore
    end)
    local ok, message = pcall(bad, 1, 1, { cp.zeros(1) })
    assert.is_false(ok)
    assert.truthy(message:find "cupola.bad: [^\n]*text_spec.lua:%d+:14: 'y' is neither a local nor an upvalue")
    assert.equal("compile", cp.last_error().kind)
  end)
end)
