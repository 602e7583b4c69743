-- Wrong kernels and their messages. Each kernel is a line of wrong_kernels.txt; the line after it has the
-- column and the beginning of the message. Arguments are made by the names of the parameters.

local cp = require "cupola"

local values = { x = cp.zeros(4), i = cp.zeros(4, "int32"), m = cp.zeros({ 2, 2 }), b = cp.array { true, false },
  u = cp.zeros(4, "uint64"), c = cp.zeros(2, "complex128"), w = cp.zeros(4, "uint8"), n = 3, f = 2.5 }

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local function arguments(text)
  local args = {}
  for name in (text:match "^function%((.-)%)" or ""):gmatch "%a" do args[#args + 1] = values[name] end
  return args
end

describe("a wrong kernel", function()
  it("is refused with file, line, column and what is wrong", function()
    local count = 0
    for text, want in read("spec/jit/wrong_kernels.txt"):gmatch "(function[^\n]*)\n  ([^\n]*)\n" do
      local ok, message = pcall(function() cp.jit.rawkernel(text)(1, 1, arguments(text)) end)
      assert.is_false(ok, text)
      local got = message:match "cupola%.[%w_.]+: kernel:1:(.*)$"
      assert.equal(want, got and got:sub(1, #want) or message, text)
      count = count + 1
    end
    assert.equal(250, count)
  end)
end)
