-- Copies between the host and GPUs, where there need not be any: spec/driver/driver.c stands in for the driver.

local check = require "spec.helper.check"

local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status=$?"))
  local text = pipe:read "*a"
  pipe:close()
  return text, tonumber(text:match "status=(%d+)%s*$")
end

describe("with a driver that has no GPU behind it", function()
  local folder

  local function obstacle()
    if os.getenv "LD_PRELOAD" then return "the module is instrumented" end
    if check.mode == "gc" then return "hundreds of arrays" end
    local _, status = shell "cc --version"
    if status ~= 0 then return "there is no C compiler" end
  end

  before_each(function()
    if obstacle() then return end
    folder = os.tmpname()
    os.remove(folder)
    local text, status = shell(("mkdir %s && cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -Isrc spec/driver/driver.c "
      .. "spec/driver/missing.c -o %s/libcuda.so.1 -lpthread"):format(folder, folder))
    assert.equal(0, status, text)
  end)

  after_each(function()
    if folder then shell("rm -r " .. folder) end
  end)

  local function passes(program, settings)
    local why = obstacle()
    if why then return pending(why) end
    for _, pause in ipairs { 0, 300 } do
      local shown, status = check.run(("dofile 'spec/driver/%s.lua'"):format(program),
        ("LD_LIBRARY_PATH=%s CUPOLA_DEVICE=cuda CUPOLA_TEST_MODE= DRIVER_PAUSE=%d %s"):format(folder, pause, settings))
      assert.equal("all as it should be\n", shown)
      assert.equal(0, status)
    end
  end

  it("copies come in order and see the right values", function() return passes("transfers", "") end)

  it("copies between GPUs that reach each other do",
    function() return passes("peers", "DRIVER_GPUS=3 DRIVER_PEERS=1") end)

  it("copies between GPUs that do not, by the host, do", function() return passes("peers", "DRIVER_GPUS=3") end)

  it("captures call nothing that CUDA refuses, and graphs run in order", function() return passes("graphs", "") end)
end)
