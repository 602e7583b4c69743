-- The examples run on the current device, write what they say, and the README shows what the first script prints.

local cp = require "cupola"

-- Runs an example with these arguments; returns the lines it printed.
local function run(name, ...)
  local lines = {}
  local env = setmetatable({
    arg = { ... },
    io = setmetatable({ stderr = { write = function() end } }, { __index = io }),
    print = function(...)
      local words = {}
      for k = 1, select("#", ...) do
        words[k] = tostring((select(k, ...)))
      end
      lines[#lines + 1] = table.concat(words, "\t")
    end,
  }, { __index = _G })
  local f = assert(loadfile("examples/" .. name .. ".lua", "t", env))
  local set = rawget(_G, "setfenv")
  if set then set(f, env) end -- 5.1 and LuaJIT
  f()
  return table.concat(lines, "\n")
end

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

-- Width and height that a PNG's header states.
local function png_size(path)
  local text = read(path)
  assert.equal("\137PNG\r\n\26\n", text:sub(1, 8))
  local b = { text:byte(17, 24) }
  return ((b[1] * 256 + b[2]) * 256 + b[3]) * 256 + b[4], ((b[5] * 256 + b[6]) * 256 + b[7]) * 256 + b[8]
end

describe("examples", function()
  it("quickstart prints what the README shows", function()
    local shown = read("README.md"):match "It prints.-```\n(.-)```"
    local printed = run "quickstart" .. "\n"
    printed = printed:gsub(cp.device().name, "cpu"):gsub("638\t", "638.0\t")
    assert.equal(shown, printed)
  end)

  it("quickstart is the README's first script", function()
    local script = read "examples/quickstart.lua"
    local shown = read("README.md"):match "```lua\n(.-)```"
    assert.equal(script:gsub("^[^\n]*\n", ""), shown)
  end)

  it("mandelbrot draws the set", function()
    local path = os.tmpname() .. ".png"
    local printed = run("mandelbrot", "150", path)
    assert.truthy(printed:find(("150 x 100 on %s"):format(cp.device().name), 1, true))
    local width, height = png_size(path)
    os.remove(path)
    assert.equal(150, width)
    assert.equal(100, height)
  end)

  it("heat keeps its heat", function()
    local path = os.tmpname() .. ".png"
    local printed = run("heat", "20", path)
    local width = png_size(path)
    os.remove(path)
    assert.equal(512, width)
    assert.equal("100.0", printed:match "([%d.]+)%% of the heat")
  end)
end)

describe("image.imwrite", function()
  it("writes grey, RGB and RGBA in every format", function()
    for _, ending in ipairs { ".png", ".bmp", ".tga", ".jpg" } do
      for _, shape in ipairs { { 3, 4 }, { 3, 4, 3 }, { 3, 4, 4 } } do
        local path = os.tmpname() .. ending
        cp.image.imwrite(path, cp.full(shape, 7, "uint8"))
        assert.is_true(#read(path) > 18)
        os.remove(path)
      end
    end
  end)

  it("refuses other arrays and names", function()
    local function message(...) return select(2, pcall(cp.image.imwrite, ...)) end
    assert.truthy(message("x.png", cp.zeros { 2, 2 }):find("image.imwrite: pixels must be uint8, not float64", 1, true))
    assert.truthy(message("x.png", cp.zeros({ 2 }, "uint8")):find("not (2)", 1, true))
    assert.truthy(message("x.gif", cp.zeros({ 2, 2 }, "uint8")):find("must end in .png", 1, true))
    assert.truthy(message("/no/such/folder/x.png", cp.zeros({ 2, 2 }, "uint8")):find("cannot write", 1, true))
  end)
end)
