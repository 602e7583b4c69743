-- Copies between the host and GPUs and between GPUs, graphs of them, indices out of range, and communicators,
-- on machines without a GPU: spec/driver simulates the driver, NCCL, cuDSS and NVRTC.

local check = require "spec.helper.check"
local host = require "spec.helper.host"

local SHOWN = "CUPOLA_HIDDEN_LIBRARIES=" -- what a test hides must not be the simulated libraries

local NOWHERE_ELSE = "CUPOLA_DEVICE=cuda CUPOLA_TEST_MODE= CUPOLA_CACHE_DIR= " .. SHOWN

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
      succeeds("sh spec/driver/build.sh " .. folder)
    end
  end)

  teardown(function()
    if folder then shell("rm -r " .. folder) end
  end)

  -- Runs a program: under Lua 5.4 with work done after pauses, under LuaJIT with work done as late as
  -- possible.
  local function passes(program, settings)
    if obstacle then return pending(obstacle) end
    local pause = _VERSION == "Lua 5.4" and "300" or "late"
    local shown, status = check.run(("dofile 'spec/driver/%s.lua'"):format(program),
      (NOWHERE_ELSE .. (" LD_LIBRARY_PATH=%s CUPOLA_NCCL_PATH=%s CUPOLA_CUDA_PATH=%s CUPOLA_CUDSS_PATH=%s "):gsub(
        "%%s", folder) .. "DRIVER_PAUSE=%s %s"):format(pause, settings))
    assert.equal("all as it should be\n", shown)
    assert.equal(0, status)
  end

  -- The same for programs that make hundreds of arrays.
  local function passes_all(program, settings)
    if check.mode == "gc" then return pending "hundreds of arrays" end
    return passes(program, settings)
  end

  it("copies come in order and see the right values", function() return passes_all("transfers", "") end)

  it("copies shared by threads come in order", function() return passes_all("transfers", "CUPOLA_NUM_THREADS=16") end)

  it("copies between linked GPUs come in order",
    function() return passes_all("peers", "DRIVER_GPUS=3 DRIVER_PEERS=1") end)

  it("copies through the host between GPUs come in order", function() return passes_all("peers", "DRIVER_GPUS=3") end)

  it("captures call nothing that CUDA forbids, and graphs run in order", function() return passes_all("graphs", "") end)

  it("positions out of range are reported by the script's next synchronization",
    function() return passes("positions", "") end)

  it("tables for repeated positions are cleared when they must be",
    function() return passes_all("repeats", "CUPOLA_FUSION=") end)

  it("kernels from Lua functions run in order, and report positions out of range",
    function() return passes_all("jit", "CUPOLA_FUSION= CUPOLA_JIT= CUPOLA_JIT_CHECK=") end)

  it("textures reach the driver", function() return passes("textures", "DRIVER_GPUS=2 DRIVER_PEERS=1") end)
  it("calls of the runtime reach the driver", function() return passes("calls", "DRIVER_GPUS=2 DRIVER_PEERS=1") end)

  it("memory may be freed while copies over a link use it",
    function() return passes("pair", "DRIVER_GPUS=2 DRIVER_PEERS=1") end)

  it("memory may be freed while copies through the host use it",
    function() return passes("pair", "DRIVER_GPUS=2") end)

  it("memory may be freed while copies through the host use it although there is a link",
    function() return passes("pair", "DRIVER_GPUS=2 DRIVER_PEERS=1 CUPOLA_PEER_ACCESS=0") end)

  it("the child of a fork cannot use GPUs, and is told so", function()
    if obstacle or _VERSION ~= "Lua 5.4" then return pending(obstacle or "the program is made with Lua 5.4") end
    local program, why = host.compile "spec/embed/fork.c"
    if not program then return pending(why) end
    local settings = ("export %s CUPOLA_NUM_THREADS=4 LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH;"):format(SHOWN, folder)
    local text, status = host.run(program, "copies", settings)
    os.remove(program)
    assert.equal("0 wrong, with a GPU\n", (text:gsub("status=.*", "")))
    assert.equal(0, status)
  end)

  it("hosts can interrupt waiting", function()
    if obstacle then return pending(obstacle) end
    local program, problem = host.compile "spec/embed/interrupt_gpu.c"
    if not program then return pending(problem) end
    local settings = ("export %s; LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH; DRIVER_PAUSE=16000"):format(SHOWN, folder)
    local text, status = host.run(program, "", settings)
    os.remove(program)
    assert.equal(0, status, text)
  end)

  it("cuDSS factors and solves, and gives back what it had", function()
    passes("factors", "DRIVER_GPUS=2 CUPOLA_FUSION=")
    return passes("factors", "DRIVER_GPUS=2 CUPOLA_FUSION= DRIVER_CUDSS=3")
  end)

  it("NCCL is called on the arrays' values", function() return passes("ranks", "DRIVER_GPUS=2") end)
end)
