-- Copies between the host and GPUs and from GPU to GPU, and graphs of them, where there need not be any GPU:
-- spec/driver has a stand-in for the driver.

local check = require "spec.helper.check"

local DRIVER = "driver.c memory.c streams.c graphs.c missing.c"

local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status=$?"))
  local text = pipe:read "*a"
  pipe:close()
  return text, tonumber(text:match "status=(%d+)%s*$")
end

local function succeeds(command)
  local text, status = shell(command)
  assert.equal(0, status, text)
end

describe("with a driver that has no GPU behind it", function()
  local folder, obstacle

  setup(function()
    if os.getenv "LD_PRELOAD" then
      obstacle = "the module is instrumented"
    elseif select(2, shell "cc --version") ~= 0 then
      obstacle = "there is no C compiler"
    else
      folder = os.tmpname()
      os.remove(folder)
      succeeds("mkdir " .. folder)
      local command = "cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -Isrc -o " .. folder
      succeeds(("%s/libcuda.so.1 %s -lpthread"):format(command, DRIVER:gsub("%S+", "spec/driver/%0")))
    end
  end)

  teardown(function()
    if folder then shell("rm -r " .. folder) end
  end)

  -- With work that is done after pauses, and as late as it can be.
  local function passes(program, settings)
    if obstacle then return pending(obstacle) end
    if check.mode == "gc" then return pending "hundreds of arrays" end
    for _, pause in ipairs { "300", "late" } do
      local shown, status = check.run(("dofile 'spec/driver/%s.lua'"):format(program),
        ("LD_LIBRARY_PATH=%s CUPOLA_DEVICE=cuda CUPOLA_TEST_MODE= DRIVER_PAUSE=%s %s"):format(
          folder, pause, settings))
      assert.equal("all as it should be\n", shown, "pause " .. pause)
      assert.equal(0, status)
    end
  end

  it("copies come in order and see the right values", function() return passes("transfers", "") end)

  it("copies between GPUs that reach each other do",
    function() return passes("peers", "DRIVER_GPUS=3 DRIVER_PEERS=1") end)

  it("copies between GPUs that do not, by the host, do", function() return passes("peers", "DRIVER_GPUS=3") end)

  it("captures call nothing that CUDA refuses, and graphs run in order", function() return passes("graphs", "") end)
end)
