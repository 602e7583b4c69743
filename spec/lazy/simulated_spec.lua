-- The kernels of GPUs, on machines without one: spec/driver/host compiles them for the host and runs them.
-- Chosen programs give what the CPU device gives, and random ones what NumPy gives, with and without fusion.
-- Each Lua runs one half.

local cp = require "cupola"
local check = require "spec.helper.check"

local PROCESSES = 2 -- at once

local FIRST, PARTS = _VERSION == "Lua 5.4" and 1 or 1 + PROCESSES, 2 * PROCESSES

-- Every so many random programs one is run.
local EVERY = 90

local SETTINGS = "CUPOLA_DEVICE=cuda CUPOLA_TEST_MODE= CUPOLA_CACHE_DIR= CUPOLA_HIDDEN_LIBRARIES= DRIVER_PAUSE=none "
  .. "LD_LIBRARY_PATH=%s CUPOLA_CUDA_PATH=%s CUPOLA_NCCL_PATH=%s CUPOLA_CUDSS_PATH=%s DRIVER_KERNELS=%s PART=%d/%d"

local function succeeds(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status=$?"))
  local text = pipe:read "*a"
  pipe:close()
  return text:match "status=0%s*$" ~= nil, text
end

describe("with kernels of GPUs compiled for the host", function()
  local folder, obstacle

  setup(function()
    if os.getenv "LD_PRELOAD" then
      obstacle = "the module is instrumented"
    elseif check.mode or cp.zeros({ 1 }).device ~= "cpu" then
      obstacle = "the kernels do not depend on it"
    elseif not succeeds "cc --version && g++ --version" then
      obstacle = "there is no C++ compiler"
    else
      folder = os.tmpname()
      os.remove(folder)
      local good, text = succeeds("sh spec/driver/build.sh " .. folder)
      assert(good, text)
    end
  end)

  teardown(function()
    if folder then succeeds("rm -r " .. folder) end
  end)

  -- Runs the text in several processes, and fails unless each prints what is wanted.
  local function passes(want, text)
    if obstacle then return pending(obstacle) end
    local running = {}
    for k = 1, PROCESSES do
      running[k] = check.start(text, (SETTINGS:gsub("%%s", folder)):format(FIRST + k - 1, PARTS))
    end
    for k = 1, PROCESSES do
      local shown, status = running[k]()
      assert.equal(want, shown)
      assert.equal(0, status)
    end
  end

  it("programs give what they give on the CPU", function()
    return passes("all as it should be\n", "dofile 'spec/driver/host/fused.lua'")
  end)

  it("random programs give what NumPy gives", function()
    local text = [[
      local programs = require "spec.helper.random.programs"
      local list, out = programs.read "spec/golden/programs/programs", {}
      local part, parts = os.getenv("PART"):match "(%%d+)/(%%d+)"
      for k = part * %d, #list, parts * %d do out[#out + 1] = list[math.floor(k)] end
      print(#out > 0 and programs.failures(out, { "on" }) or "all as it should be")]]
    return passes("all as it should be\n", text:format(EVERY, EVERY))
  end)
end)
