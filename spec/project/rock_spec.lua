-- Builds the rock for Lua 5.4 and the rock for LuaJIT one after the other in one clone, and checks that
-- headers of another Lua are rejected. Takes minutes, so only with CUPOLA_TEST_ROCK=1, and only from one
-- interpreter: the subject is the build, not the interpreter that starts it.

local rockspec = "rockspec/cupola-scm-1.rockspec"
local luajit_headers = os.getenv("LUAJIT_INCDIR") or "/usr/include/luajit-2.1"

-- Runs a shell command; gives whether it succeeded and what it printed.
local function shell(command)
  local pipe = assert(io.popen("(" .. command .. ") 2>&1; echo status $?"))
  local text = pipe:read("*a")
  pipe:close()
  return text:match("status (%d+)%s*$") == "0", text
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function reason_to_skip()
  if os.getenv("CUPOLA_TEST_ROCK") ~= "1" then return "slow: set CUPOLA_TEST_ROCK=1" end
  if _VERSION ~= "Lua 5.4" then return "runs under Lua 5.4" end
  if os.getenv("CUPOLA_DEVICE") == "cuda" then return "runs with the CPU device" end
  if not shell("command -v luarocks") then return "LuaRocks is not installed" end
  if not exists(luajit_headers .. "/lua.h") then return "no LuaJIT headers in " .. luajit_headers end
end

describe("the rock", function()
  local reason = reason_to_skip()
  if reason then
    pending(reason)
    return
  end

  local folder, clone, tree

  setup(function()
    -- in the build's folder, where a compiler cache may know the objects
    folder = assert(select(2, shell('realpath "$(mktemp -d -p "${CUPOLA_BUILD_DIR:-build}")"')):match("^(/[^\n]+)"))
    clone, tree = folder .. "/clone", folder .. "/tree"
    assert(shell(("mkdir %s && cp -R CMakeLists.txt LICENSE cmake kernels lua rockspec src %s"):format(clone, clone)))
  end)

  teardown(function() shell("rm -rf " .. folder) end)

  local function make(version, more)
    local command = "cd %s && CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) luarocks --lua-version=%s make --tree %s %s %s"
    local ok, text = shell(command:format(clone, version, tree, rockspec, more or ""))
    assert.is_true(ok, text)
    local module = ("%s/lib/lua/%s/cupola.so"):format(tree, version)
    assert.is_true(exists(module), "not installed: " .. module)
  end

  local function loads(interpreter, version)
    local path = ("env -u LUA_CPATH_5_4 LUA_CPATH='%s/lib/lua/%s/?.so;;'"):format(tree, version)
    local ok, text = shell(("cd / && %s %s -e 'print(type(require([[cupola]])))'"):format(path, interpreter))
    assert.is_true(ok, text)
    assert.are.equal("table", text:match("^%a+"))
  end

  it("is made for Lua 5.4 and loads", function()
    make("5.4")
    loads("lua5.4", "5.4")
  end)

  it("is made for LuaJIT in the same clone and loads, beside the other", function()
    make("5.1", "LUA_INCDIR=" .. luajit_headers)
    loads("luajit", "5.1")
    loads("lua5.4", "5.4")
  end)

  it("is refused for headers of another Lua", function()
    local ok, text = shell(("cmake -S %s -B %s/wrong -DLUA_INCDIR=%s -DINST_LIBDIR=/usr/lib/lua/5.4")
      :format(clone, folder, luajit_headers))
    assert.is_false(ok)
    -- CMake breaks lines as it likes
    text = text:gsub("%s+", " ")
    assert.is_truthy(text:find("has LUA_VERSION_NUM 501, but INST_LIBDIR=/usr/lib/lua/5.4 is for 504", 1, true), text)
  end)
end)
