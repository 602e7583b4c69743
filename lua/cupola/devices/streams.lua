-- Streams: creating them, using them, and callbacks that run once a stream's work is done.
--
-- Callbacks are kept here in order, each after an event. They run when the script polls (query, synchronize,
-- poll), in the coroutine that polls, never in a thread of the driver.

return function(cp, core)
  local publish = core.publisher(cp.cuda, "cuda.")
  local Stream = core.stream_methods

  -- ---- callbacks

  local waiting = {} -- {stream =, event =, f =, n =, arguments ...}, oldest first

  local function was_called(entry) return entry.called end

  -- Calls the callbacks that are due, of one stream, of one device (a name), or all. Each is called once,
  -- even if it raises. Callbacks that a callback adds are called the next time.
  local function deliver(stream, device)
    local due, count = {}, 0
    waiting = core.remaining(waiting, was_called)
    for _, entry in ipairs(waiting) do
      local asked = (not stream or entry.stream == stream) and (not device or entry.event.device == device)
      if asked and entry.event:query() then due[#due + 1] = entry end
    end
    for _, entry in ipairs(due) do
      if not entry.called then -- not yet called by a nested poll
        entry.called = true
        count = count + 1
        entry.f(unpack(entry, 1, entry.n))
      end
    end
    if count > 0 then waiting = core.remaining(waiting, was_called) end
    return count
  end

  --- Calls f(...) once the work that is now on the stream is done, at the next poll: `s:query()`,
  --- `s:synchronize()`, `cp.synchronize()` or `cp.cuda.poll()`.
  ---@param f function
  ---@return userdata stream  the same
  function Stream:callback(f, ...)
    f = core.callable(f, "Stream.callback", "f")
    core.check_stream(self, "Stream.callback", "argument 1")
    local event = core.Event({ device = self.device, timing = false }):record(self)
    waiting[#waiting + 1] = { stream = self, event = event, f = f, n = select("#", ...), ... }
    return self
  end

  --- CuPy's name for callback.
  Stream.launch_host_func = Stream.callback

  local query, synchronize = Stream.query, Stream.synchronize

  -- Functions that run callbacks are Lua functions, since callbacks may yield.
  function Stream:query(...)
    core.at_most("Stream.query", 0, ...)
    local done = query(self)
    if waiting[1] then deliver(self) end
    return done
  end

  function Stream:synchronize(...)
    core.at_most("Stream.synchronize", 0, ...)
    synchronize(self)
    if waiting[1] then deliver(self) end
    return self
  end

  local synchronize_device = cp.synchronize

  --- Launches what is pending on a device (the current one) and waits for all work of this state on it.
  ---@param device? string
  function cp.synchronize(device, ...)
    core.at_most("synchronize", 0, ...)
    local name = synchronize_device(device)
    if waiting[1] then deliver(nil, name) end
  end

  --- Runs the callbacks of `stream:callback` that are due.
  ---@return integer count  the number of callbacks run
  function cp.cuda.poll(...)
    core.at_most("cuda.poll", 0, ...)
    return waiting[1] and deliver() or 0
  end

  -- ---- working on a stream

  --- Runs f(...) with this stream as the current one, on its device; then launches what is pending on it.
  ---@param f function
  ---@return any ... what f returns
  function Stream:with(f, ...)
    f = core.callable(f, "Stream.with", "f")
    return core.within(core.choice("with", self), f, ...)
  end

  --- Makes this stream the running coroutine's current stream on its device, until changed.
  ---@return table guard  `guard:close()`, or Lua 5.4's `local g <close> = s:use()`, restores the previous
  --- stream
  Stream.use = core.define("Stream.use", "stream", 1, function(_, self) return core.use("use", self) end)

  --- Records an event after the work that is now on the stream.
  ---@param event? userdata  default: a new one
  ---@return userdata event
  Stream.record = core.define("Stream.record", "stream, event", 1, function(where, self, event)
    core.check_stream(self, where, "argument 1")
    if event == nil then event = core.Event({ device = self.device }) end
    return core.check_event(event, where, "event"):record(self)
  end)

  -- ---- creating streams

  cp.cuda.Stream = setmetatable({}, {
    __call = function(_, ...) return core.new_stream(...) end,
    __index = function(_, name)
      if name == "null" then return core.null_stream() end
      core.raise("cuda.Stream", "usage", string.format("there is no cp.cuda.Stream.%s", tostring(name)))
    end,
    __newindex = function() core.raise("cuda.Stream", "usage", "has no fields that can be set") end,
    __tostring = function() return "cupola.cuda.Stream" end,
  })

  --- The stream to which work of a device (the current one) is queued now.
  ---@param device? string
  ---@return userdata stream
  publish("get_current_stream", "device", 0, function(_, device)
    return (core.get_current_stream(device))
  end)

  --- A stream of the host program or another library, from its CUDA handle (a number). It must live until it
  --- is closed here, or until the state is closed.
  ---@param ptr integer
  ---@param device? string
  ---@return userdata stream
  publish("ExternalStream", "ptr, device", 0, function(_, ptr, device)
    return core.external_stream("ExternalStream", ptr, device)
  end)
end
