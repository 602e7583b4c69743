-- The module in fresh interpreters: how fast and quietly it loads, what it exports, that it can be opened
-- again, in several states, and closed with live arrays.

local cp = require "cupola"
local check = require "spec.helper.check"
local other_state = require "spec.helper.processes.other_state"

local sanitized = (os.getenv "LD_PRELOAD" or ""):find "san" ~= nil
local search = rawget(package, "searchpath")
local module_path = search and search("cupola", package.cpath)

-- A new interpreter runs the text well and prints `want`.
local function prints(want, text)
  local shown, status = check.run(text)
  assert.equal(want, (shown:gsub("%s+$", "")))
  assert.equal(0, status)
end

-- The script that ./dev lint runs on modules.
describe("tools/check-symbols.sh", function()
  -- Whether a command succeeds, as either Lua tells it.
  local function runs(command)
    local status = os.execute("(" .. command .. ") >/dev/null 2>&1")
    return status == true or status == 0
  end

  local function checked(module)
    local pipe = assert(io.popen("sh tools/check-symbols.sh " .. module .. " 2>&1; echo $?"))
    local text = pipe:read "*a"
    pipe:close()
    return text
  end

  it("finds what a module exports or needs", function()
    if sanitized or not runs "cc --version && nm --version" then return end
    local name = os.tmpname()
    local source = assert(io.open(name .. ".c", "w"))
    source:write "void front_new(void); void cp_other(void); void lua_settop(void *, int);\n"
    source:write "void *malloc(unsigned long);\n"
    source:write "int luaopen_cupola(void *L) { front_new(); lua_settop(L, 0); return malloc(1) != 0; }\n"
    source:write "void cp_stray(void) { cp_other(); }\n"
    source:close()
    assert.is_true(runs(("cc -shared -fPIC -o %s %s.c"):format(name, name)))
    local text = checked(name)
    os.remove(name)
    os.remove(name .. ".c")
    for _, part in ipairs { "exports cp_stray", "needs cp_other", "needs front_new", "\n1\n" } do
      assert.is_truthy(text:find(part, 1, true), text)
    end
    assert.is_nil(text:find("settop", 1, true))
    assert.is_nil(text:find("malloc", 1, true))
  end)

  it("finds nothing wrong with this module", function()
    if sanitized or not module_path or not runs "nm --version" then return end
    assert.equal("0\n", checked(module_path))
  end)
end)

describe("require", function()
  it("takes less than 20 ms", function()
    if sanitized then return end
    local best = math.huge
    for _ = 1, 5 do
      local shown = check.run [[
        local t = os.clock()
        require "cupola"
        print((os.clock() - t) * 1000)]]
      best = math.min(best, tonumber(shown) or math.huge)
    end
    assert.is_true(best < 20, ("%.1f ms"):format(best))
  end)

  it("opens nothing of CUDA, and no other library", function()
    if not io.open "/proc/self/maps" then return pending "needs /proc" end
    prints("0", [[
      local function libraries()
        local list = {}
        for line in io.lines "/proc/self/maps" do
          local path = line:match "(/%S+%.so[%.%d]*)$"
          if path then list[path] = true end
        end
        return list
      end
      libraries()
      local before, count = libraries(), 0
      local cp = require "cupola"
      for path in pairs(libraries()) do
        if not before[path] and not path:find "cupola%.so$" and not path:find "libpthread" and not path:find "libdl"
          and not path:find "/libm[%.%-]" and not path:find "libc[%.%-]" and not path:find "libgcc_s" then
          print(path)
          count = count + 1
        end
      end
      print(count)]])
  end)

  it("gives the same table again, through every way of loading", function()
    prints("true", [[
      local cp = require "cupola"
      local x = cp.array({ 1, 2 })
      package.loaded.cupola = nil
      local again = require "cupola"
      local path = package.searchpath("cupola", package.cpath)
      local direct = package.loadlib(path, "luaopen_cupola")()
      print(cp == again and cp == direct and again.is_array(x) and (x + direct.ones({ 2 }))[2] == 3)]])
  end)

  it("works without the debug and os libraries, and sets no globals", function()
    prints("6", [[
      local known = {}
      for name in pairs(_G) do known[name] = true end
      debug, os = nil, nil
      local cp = require "cupola"
      for name in pairs(_G) do if not known[name] then print(name) end end
      print(("%d"):format(cp.array({ 1, 2, 3 }):sum():item()))]])
  end)
end)

describe("closing the state", function()
  it("with arrays, views, scopes and errors alive ends well", function()
    prints("3", [[
      local cp = require "cupola"
      x = cp.ones({ 1000 }) + 1
      y = x["2:"].T
      z = setmetatable({}, { __gc = function() local _ = x end })
      co = coroutine.create(function() cp.scope(function() w = cp.ones({ 3 }); coroutine.yield() end) end)
      coroutine.resume(co)
      pcall(function() x:reshape(3) end)
      print(("%d"):format(cp.ones({ 3 }):sum():item()))]])
  end)

  it("by os.exit ends well", function()
    local _, status = check.run [[
      local cp = require "cupola"
      x = cp.ones({ 1000 }):sum()
      os.exit(7, true)]]
    assert.equal(7, status)
  end)
end)

describe("the shared object", function()
  it("exports luaopen_cupola and the public C functions only", function()
    local tool = io.popen "command -v nm"
    local found = tool:read "*a" ~= ""
    tool:close()
    if not found or not module_path or sanitized then return pending "needs nm, and no sanitizer" end
    local names = {}
    for line in io.popen("nm -D --defined-only " .. module_path):lines() do
      local name = line:match "%s(%S+)$"
      if not name:find "^cupola_" then names[#names + 1] = name end
    end
    assert.same({ "luaopen_cupola" }, names)
  end)
end)

if other_state then
  describe("several states in one process", function()
    local evaluate = other_state.evaluate

    it("work side by side and close in any order", function()
      local states = {}
      for k = 1, 3 do
        states[k] = other_state.open()
        assert.equal("cupola", evaluate(states[k], "cp = require 'cupola'; return (cp._VERSION:match '%a+')"))
      end
      local live = cp.memory().state_live
      for round = 1, 3 do
        for k = 1, 3 do
          assert.equal(tostring(k * 1000 + round), evaluate(states[k],
            ("x = x or cp.full({ 1000 }, %d); x = x + 1 / 1000; return ('%%.0f'):format(x:sum():item())"):format(k)))
        end
      end
      assert.equal(live, cp.memory().state_live)
      evaluate(states[1], "cp.set_default_dtype('float32'); return ''")
      assert.equal("float64", evaluate(states[2], "return cp.array({ 1 }).dtype"))
      assert.matches("no dtype", evaluate(states[2], "cp.ones({ 1 }, 'x'); return ''"))
      assert.equal("nil", evaluate(states[3], "return tostring(cp.last_error())"))
      other_state.close(states[2])
      assert.equal("3003", evaluate(states[3], "return ('%.0f'):format(x:sum():item())"))
      other_state.close(states[1])
      other_state.close(states[3])
      assert.equal(3, cp.ones({ 3 }):sum():item())
    end)
  end)
end

describe("the module table", function()
  it("has a version and names for dtypes", function()
    assert.matches("^cupola %d+%.%d+", cp._VERSION)
    assert.equal("int16", cp.int16)
    assert.equal("array", cp.type(cp.ones({ 1 })))
    assert.equal("number", cp.type(1))
    assert.is_true(cp.is_array(cp.ones({ 1 })))
    assert.is_false(cp.is_array(io.stdout))
  end)

  it("protects its metatables", function()
    assert.is_false(getmetatable(cp.ones({ 1 })))
    assert.has_error(function() setmetatable(cp.ones({ 1 }), {}) end) -- luacheck: ignore
  end)

  it("shows its configuration", function()
    local real, lines = print, {}
    _G.print = function(s) lines[#lines + 1] = s end -- luacheck: ignore
    local ok, text = pcall(cp.show_config)
    _G.print = real -- luacheck: ignore
    assert.is_true(ok, text)
    assert.matches("^cupola", text)
    assert.matches("kernel cache: ", text)
  end)
end)
