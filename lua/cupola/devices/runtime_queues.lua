-- Streams, events and profilers in cp.cuda.runtime. Streams and events are the objects of cp.cuda.Stream and
-- cp.cuda.Event; functions take streams by their CUDA handles too.

return function(cp, core, shared)
  local runtime = cp.cuda.runtime
  local publish = core.publisher(cp.cuda.runtime, "cuda.runtime.")
  local named_stream, current_or = shared.named_stream, shared.current_or

  -- ---- streams

  runtime.streamDefault, runtime.streamNonBlocking = 0, 1

  local function is_non_blocking(where, flags)
    flags = core.integer(flags, where, "flags")
    if flags ~= runtime.streamDefault and flags ~= runtime.streamNonBlocking then
      core.usage(where, "flags must be runtime.streamDefault or runtime.streamNonBlocking")
    end
    return flags == runtime.streamNonBlocking
  end

  --- A new stream of the current device, as cp.cuda.Stream gives it.
  ---@return userdata stream
  publish("streamCreate", "", 0, function(_) return core.new_stream() end)

  --- The same with options.
  ---@param flags integer  runtime.streamDefault or runtime.streamNonBlocking
  ---@return userdata stream
  publish("streamCreateWithFlags", "flags", 1, function(where, flags)
    return core.new_stream({ non_blocking = is_non_blocking(where, flags) })
  end)

  --- The same with a priority.
  ---@param flags integer
  ---@param priority integer  below 0: its kernels go first
  ---@return userdata stream
  publish("streamCreateWithPriority", "flags, priority", 2, function(where, flags, priority)
    return core.new_stream({ non_blocking = is_non_blocking(where, flags),
      priority = core.integer(priority, where, "priority") })
  end)

  --- Gives a stream up, which cannot be used any more. Its work will be done.
  ---@param stream userdata
  publish("streamDestroy", "stream", 1, function(where, stream)
    core.check_stream(stream, where, "stream"):close()
  end)

  --- Calls callback(...) once the work that is now on the stream is done, at the next poll, as
  --- `stream:callback` does.
  ---@param stream userdata|integer
  ---@param callback function
  publish("launchHostFunc", "stream, callback, arg", 2, function(where, stream, callback, arg)
    named_stream(stream, where):callback(core.callable(callback, where, "callback"), arg)
  end)

  --- The same, where the callback gets the stream, a status (always 0) and the argument.
  ---@param stream userdata|integer
  ---@param callback function
  ---@param arg? any
  publish("streamAddCallback", "stream, callback, arg", 2, function(where, stream, callback, arg)
    stream = named_stream(stream, where)
    stream:callback(core.callable(callback, where, "callback"), stream, 0, arg)
  end)

  -- ---- events

  runtime.eventDefault, runtime.eventBlockingSync, runtime.eventDisableTiming = 0, 1, 2
  runtime.eventInterprocess = 4

  --- A new event of the current device, as cp.cuda.Event gives it.
  ---@return userdata event
  publish("eventCreate", "", 0, function(_) return core.Event() end)

  --- The same with options.
  ---@param flags integer  a sum of runtime.eventBlockingSync, eventDisableTiming, and eventInterprocess,
  --- which needs eventDisableTiming
  ---@return userdata event
  publish("eventCreateWithFlags", "flags", 1, function(where, flags)
    flags = core.integer(flags, where, "flags")
    if flags < 0 or flags > 7 then core.usage(where, "flags must be a sum of runtime.event...") end
    local blocking, timing, other = flags % 2 == 1, flags % 4 < 2, flags >= 4
    if not other then return core.Event({ blocking = blocking, timing = timing }) end
    if timing then core.usage(where, "eventInterprocess needs eventDisableTiming") end
    return core.shared_event(where, core.device_name(), blocking, nil)
  end)

  --- Gives an event up, which cannot be used any more.
  ---@param event userdata
  publish("eventDestroy", "event", 1, function(where, event) core.event_destroy(event, where) end)

  --- Records an event after the work that is now on a stream.
  ---@param event userdata
  ---@param stream? userdata|integer  default: the current one
  publish("eventRecord", "event, stream", 1, function(where, event, stream)
    core.check_event(event, where, "event"):record(current_or(stream, where))
  end)

  --- Whether the work before an event is done.
  ---@param event userdata
  ---@return boolean
  publish("eventQuery", "event", 1, function(where, event)
    return core.check_event(event, where, "event"):query()
  end)

  --- Waits for the work before an event.
  ---@param event userdata
  publish("eventSynchronize", "event", 1, function(where, event)
    core.check_event(event, where, "event"):synchronize()
  end)

  --- The milliseconds between two recorded events.
  ---@param start userdata
  ---@param finish userdata
  ---@return number
  publish("eventElapsedTime", "start, finish", 2, function(where, start, finish)
    return core.get_elapsed_time(core.check_event(start, where, "start"), core.check_event(finish, where, "finish"))
  end)

  -- ---- profilers

  --- Starts profilers that wait for it (`nsys profile --capture-range=cudaProfilerApi`).
  publish("profilerStart", "", 0, function(where) core.raw_profile(where, true) end)

  --- Stops them.
  publish("profilerStop", "", 0, function(where) core.raw_profile(where, false) end)

  cp.cuda.profiler = {}
  local profiler = core.publisher(cp.cuda.profiler, "cuda.profiler.")

  --- Starts profilers that wait for it, as runtime.profilerStart does.
  profiler("start", "", 0, function(where) core.raw_profile(where, true) end)

  --- Stops them.
  profiler("stop", "", 0, function(where) core.raw_profile(where, false) end)
end
