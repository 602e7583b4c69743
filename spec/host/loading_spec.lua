-- A part of the Lua side is loaded completely or not at all, whatever a debug hook of the host does
-- meanwhile.

local check = require "spec.helper.check"
local cp = require "cupola"

describe("loading a part", function()
  it("ends with all of its names or none, whenever a hook raises", function()
    local output, status = check.run "dofile 'spec/helper/processes/loading.lua'"
    assert.equal(0, status, output)
    assert.equal("done\n", output)
  end)
end)

describe("a name whose loading was interrupted", function()
  for _, name in ipairs { "sort", "random.rand", "fft.fft", "linalg.det", "scipy.signal.butter", "cumsum" } do
    it("is loaded the next time: " .. name, function()
      local output, status = check.run(([[
        local cp = require "cupola"
        if jit then jit.off() end
        for _, k in ipairs { 1, 10, 30, 100, 300, 1000 } do
          pcall(function()
            debug.sethook(function() debug.sethook() error("time is up", 0) end, "", k)
            return cp.%s
          end)
          debug.sethook()
        end
        print(type(cp.%s))]]):format(name, name))
      assert.equal(0, status, output)
      assert.equal("function\n", output)
    end)
  end
end)

describe("the Lua side", function()
  it("does not use what scripts can replace", function()
    if os.getenv "LD_PRELOAD" then return pending "the module is instrumented" end
    local output, status = check.run [[
      local cp = require "cupola"
      local x = cp.array{3, 1, 2}
      local error, keep, env = error, { print = print, tostring = tostring }, {}
      local function raise() error("a script's own", 0) end
      for k in pairs(_G) do env[#env + 1] = k end
      for _, name in ipairs { "string", "table", "math", "coroutine" } do
        for k in pairs(_G[name]) do _G[name][k] = raise end
      end
      getmetatable("").__index = raise
      local rawset, G, n = rawset, _G, #env
      local sort, histogram, linalg, special = cp.sort, cp.histogram, cp.linalg, cp.scipy.special
      for k = 1, n do rawset(G, env[k], raise) end
      if sort(x)[1] ~= 1 or linalg.det(cp.eye(2)):item() ~= 1 or histogram(x, 3)[1] ~= 1 or special.erf(0) ~= 0
        or cp.fft.fft(x).size ~= 3 then error "wrong" end
      G.tostring = keep.tostring
      keep.print "done"]]
    assert.equal(0, status, output)
    assert.equal("done\n", output)
  end)

  it("ends the program in mode robbed if it does", function()
    local output, status = check.run [[
      local compile = loadstring or load
      local own = compile("local f = ... return f()", "=cupola/own.lua")
      local reach = compile("return string", "=cupola/reach.lua")
      require "spec.helper.robbed"(require "cupola")
      own(function() return string.rep("x", 3) end)
      print "still here"
      own(reach)]]
    assert.equal(3, status, output)
    assert.truthy(output:find("still here", 1, true), output)
    assert.truthy(output:find("ROBBED: cupola's own code reaches _G.string", 1, true), output)
  end)

  it("has no environment of value", function()
    if not rawget(_G, "getfenv") then return pending "Lua 5.4 has no environments of functions" end
    local getfenv = rawget(_G, "getfenv")
    for _, f in ipairs { cp.device, cp.show_config, cp.get_array_module, cp.sort, cp.cuda.Device } do
      local env = getfenv(f)
      assert.is_true(env == _G or next(env) == nil)
    end
    local at = {}
    cp.apply_along_axis(function(row)
      for level = 1, 8 do
        local ok, env = pcall(getfenv, level)
        if ok then at[#at + 1] = env end
      end
      return row
    end, 1, cp.ones({ 2, 2 }))
    assert.is_true(#at > 0)
    for _, env in ipairs(at) do assert.is_true(next(env) == nil or env.assert ~= nil, "an environment of cupola's") end
    rawget(_G, "setfenv")(cp.get_array_module, {})
    assert.is_true(cp.get_array_module(cp.cpu.ones(2)) == cp.cpu)
  end)
end)
