-- ./dev install puts everything where Lua, compilers and editors look, and the examples of examples/hosts run
-- in the hosts that are installed.

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status $?"))
  local text, status = pipe:read("*a"):match "^(.*)status (%d+)%s*$"
  pipe:close()
  return text, tonumber(status)
end

-- The modules that these specs run with, as ./dev install would install them.
local function install_own(prefix)
  local own = assert(rawget(package, "searchpath")("cupola", package.cpath))
  local build = own:match "^(.*)/[^/]+/cupola.so$"
  return output_of(("build=%s root=. sh -c '. tools/install.sh; run_install %s'"):format(build, prefix))
end

describe("installing", function()
  local folder = os.tmpname()
  os.remove(folder)

  teardown(function() os.execute("rm -rf " .. folder) end)

  it("puts every file in its place, and the hosts load them", function()
    if os.getenv "LD_PRELOAD" then return pending "the module is instrumented, and hosts are not" end
    local text, status = install_own(folder)
    assert.equal(0, status, text)
    for _, file in ipairs { "lib/lua/5.4/cupola.so", "lib/lua/5.1/cupola.so", "include/cupola.h",
      "lib/pkgconfig/cupola.pc", "share/cupola/library/cupola.lua" } do
      assert(io.open(folder .. "/" .. file)):close()
      assert.truthy(text:find(folder .. "/" .. file, 1, true), text)
    end
    local description = assert(io.open(folder .. "/lib/pkgconfig/cupola.pc"))
    assert.equal("prefix=" .. folder, description:read "*l")
    description:close()
    local script = [[-e 'print(require "cupola".arange(4):sum():item())']]
    assert.equal("6\n", (output_of(('LUA_CPATH_5_4="%s/lib/lua/5.4/?.so" lua5.4 %s'):format(folder, script))))
    assert.equal("6\n", (output_of(('LUA_CPATH="%s/lib/lua/5.1/?.so" luajit %s'):format(folder, script))))
    local ran, wrong = output_of("CUPOLA_DEVICE=cpu sh examples/hosts/run " .. folder)
    assert.equal(0, wrong, ran)
  end)

  it("takes absolute paths only", function()
    local shell = "die() { echo $1; exit 1; }; . tools/install.sh; run_install here"
    local text, status = output_of(("build=. root=. sh -c '%s'"):format(shell))
    assert.equal(1, status, text)
    assert.equal("the prefix must be an absolute path: here\n", text)
  end)
end)
