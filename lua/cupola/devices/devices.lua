-- Devices: objects that represent one, functions that run on one, and `cp.cpu`, the same module on the CPU
-- device.

return function(cp, core)
  -- ---- choosing the current device

  -- Runs f(...) with `what`, a device's name or a stream, as the current one.
  function core.run_with(where, what, f, ...) return core.within(core.choice(where, what), f, ...) end

  -- Makes `what` the current one; returns a guard that restores the previous one.
  function core.use(where, what) return core.until_closed(core.lasting_choice(where, what)) end

  -- ---- devices

  local Device = {}
  Device.__name = "cupola.device"

  local fields = {
    attributes = function(d) return core.device_properties(d.name, true) end,
    properties = function(d) return core.device_properties(d.name, false) end,
    compute_capability = function(d)
      local text = core.device_properties(d.name, false).compute_capability
      return text and (string.gsub(text, "%.", ""))
    end,
  }

  local FIELDS = { "name", "kind", "id", "attributes", "properties", "compute_capability" }

  function Device.__index(d, name)
    local method = Device[name]
    if fields[name] then return fields[name](d) end
    if method == nil then core.unknown("Device", "a device", tostring(name), Device, FIELDS) end
    return method
  end

  function Device.__tostring(d) return d.name end

  function Device.__eq(a, b) return a.name == b.name end

  local function name_of(d, where)
    if getmetatable(d) ~= Device then core.raise(where, "usage", "is a method: call it with a colon") end
    return d.name
  end

  --- Runs f(...) with this device as the current one.
  ---@param f function
  ---@return any ... what f returns
  function Device:with(f, ...)
    local name = name_of(self, "Device.with")
    f = core.callable(f, "Device.with", "f")
    return core.within(core.choice("with", name), f, ...)
  end

  --- Makes this device the running coroutine's current device, until changed.
  ---@return table guard  `guard:close()`, or Lua 5.4's `local g <close> = d:use()`, restores the previous
  --- device
  Device.use = core.define("Device.use", "device", 1, function(where, self)
    return core.use("use", name_of(self, where))
  end)

  --- Returns the free and the total bytes of the device's memory.
  ---@return integer free
  ---@return integer total
  Device.mem_info = core.define("Device.mem_info", "device", 1, function(where, self)
    return core.memory_info(name_of(self, where))
  end)

  --- Describes the device in lines "what: value": for a GPU its name, multiprocessors, memory and more.
  ---@return string text
  Device.describe = core.define("Device.describe", "device", 1, function(where, self)
    return (core.describe(name_of(self, where)))
  end)

  --- Waits for all work of this state on the device.
  function Device:synchronize(...)
    core.at_most("Device.synchronize", 0, ...)
    cp.synchronize(name_of(self, "Device.synchronize"))
  end

  --- The device named "cpu", "cuda" or "cuda:N"; without a name the current device.
  ---@param name? string
  ---@return table device  with fields name, kind ("cpu" or "cuda"), id (CUDA's ordinal, from 0), attributes,
  --- properties
  core.publish("device", "name", 0, function(_, name)
    name = core.device_name(name)
    local kind, id = string.match(name, "^(%a+):?(%d*)$")
    return setmetatable({ name = name, kind = kind, id = tonumber(id) or 0 }, Device)
  end)

  cp.cuda = { Event = core.Event, get_elapsed_time = core.get_elapsed_time }
  local publish = core.publisher(cp.cuda, "cuda.")

  --- GPU number `id` (CUDA counts from 0); without an id the current device.
  ---@param id? integer
  ---@return table device
  publish("Device", "id", 0, function(where, id)
    if id == nil then return cp.device() end
    return cp.device("cuda:" .. string.format("%d", core.integer(id, where, "id")))
  end)

  --- Whether a GPU is available.
  ---@return boolean available
  ---@return string? reason  why not
  publish("is_available", "", 0, function(_)
    local count, reason = core.cuda_count()
    if count > 0 then return true end
    return false, reason
  end)

  --- The number of usable GPUs.
  ---@return integer
  publish("device_count", "", 0, function(_) return (core.cuda_count()) end)

  --- Sets the dtype for Lua numbers in this lua_State, "float32" or "float64" (the default).
  ---@param dtype string
  core.publish("set_default_dtype", "dtype", 0, function(_, dtype)
    core.default_dtype(dtype or "")
  end)

  ---@return string dtype
  core.publish("get_default_dtype", "", 0, function(_) return (core.default_dtype()) end)

  --- Prints cupola's version, the devices found and the folder of compiled kernels.
  ---@return string text  the same
  core.publish("show_config", "", 0, function(_)
    local lines = { cp._VERSION .. " on " .. core.interpreter }
    local count, reason = core.cuda_count()
    local _, folder = core.describe "cpu"
    lines[#lines + 1] = (core.describe "cpu")
    for id = 0, count - 1 do
      lines[#lines + 1] = (core.describe("cuda:" .. id))
    end
    if count == 0 then lines[#lines + 1] = "cuda: " .. tostring(reason) end
    lines[#lines + 1] = "kernel cache: " .. (folder ~= "" and folder or "off")
    lines[#lines + 1] = core.bundle_text()
    local text = string.gsub(table.concat(lines, "\n"), "\n+", "\n")
    print(text)
    return text
  end)

  -- A table of functions that each run with the CPU as the current device. Tables in it are treated likewise,
  -- except those that name devices; everything else is shared.
  local function on_cpu(module)
    local function call_module(_, ...) return core.run_with("call", "cpu", module, ...) end
    return setmetatable({}, {
      __index = function(t, name)
        local v = core.member(module, name)
        if type(v) == "function" then
          local f = v
          v = function(...) return core.run_with(name, "cpu", f, ...) end
        elseif type(v) == "table" and v ~= cp.cpu and v ~= cp.cuda and v ~= cp.profiler then
          v = on_cpu(v)
        else
          return core.public(v)
        end
        rawset(t, name, v)
        return v
      end,
      __call = (getmetatable(module) or {}).__call and call_module or nil,
      __metatable = false,
    })
  end

  cp.cpu = on_cpu(cp)

  --- Returns `cp.cpu` if there are arrays among the arguments and all are on the CPU, else `cp`.
  ---@param ... any
  ---@return table module
  function cp.get_array_module(...)
    local module = core.public(cp)
    for k = 1, select("#", ...) do
      local x = select(k, ...)
      if cp.is_array(x) then
        if x.device ~= "cpu" then return core.public(cp) end
        module = cp.cpu
      end
    end
    return module
  end
end
