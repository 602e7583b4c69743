-- A Lua that the module was not built for is told so when it loads the file: the other one of the two builds,
-- and plain Lua of other versions where they are installed.

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

local SCRIPT = [[package.cpath = arg[1] print(select(2, pcall(require, "cupola")))]]

describe("a module for another Lua", function()
  local own = assert(rawget(package, "searchpath")("cupola", package.cpath))
  local files = {
    ["Lua 5.4"] = own:gsub("/luajit/cupola.so$", "/lua5.4/cupola.so"),
    LuaJIT = own:gsub("/lua5.4/cupola.so$", "/luajit/cupola.so"),
  }
  local interpreters = { ["lua5.4"] = "Lua 5.4", luajit = "LuaJIT", ["lua5.1"] = "Lua 5.1", ["lua5.2"] = "Lua 5.2",
    ["lua5.3"] = "Lua 5.3", ["lua5.5"] = "Lua 5.5" }

  for interpreter, version in pairs(interpreters) do
    for built_for, file in pairs(files) do
      it(("built for %s says so to %s"):format(built_for, version), function()
        local module = io.open(file)
        local installed = output_of("command -v " .. interpreter) ~= ""
        if module then module:close() end
        if installed and module and built_for ~= version then
          local script = os.tmpname()
          local f = assert(io.open(script, "w"))
          f:write(SCRIPT)
          f:close()
          local text = output_of(("%s %s %s"):format(interpreter, script, file))
          os.remove(script)
          local want = "this file of cupola was built for " .. built_for .. ", and the Lua that loads it is another one"
          assert.equal(want, text:sub(1, #want), text)
        end
      end)
    end
  end
end)
