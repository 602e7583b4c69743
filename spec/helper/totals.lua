-- Output handler for busted (`-o spec/helper/totals.lua`): one line per file, with its number among all
-- files, failures in full, and a journal for ./dev in the file that CUPOLA_TOTALS names. The journal is
-- flushed line by line, so that the counts are exact and the running test is known when the process dies: ">
-- NAME" at the start of a test, then P, F or S; "file" at the end of a file, "end" at the very end.
-- CUPOLA_TEST_FILES is the number of files of all processes together.

return function()
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()
  local path = os.getenv("CUPOLA_TOTALS")
  local journal = path and assert(io.open(path, "a"))
  local number, files = 0, os.getenv "CUPOLA_TEST_FILES"
  for line in path and io.lines(path) or function() end do number = number + (line == "file" and 1 or 0) end
  local names = { P = "passed", F = "failed", S = "skipped" }
  local letters = { success = "P", failure = "F", error = "F", pending = "S" }
  local counts, started, heading -- heading: that of the running file, while it is the last thing printed

  local function note(line)
    if journal then
      journal:write(line, "\n")
      journal:flush()
    end
  end

  local function count(letter)
    counts[letter] = counts[letter] + 1
    note(letter)
  end

  local function text_of(message)
    if type(message) == "string" then return message end
    if message == nil then return "(no message)" end
    local with_text = debug.getmetatable(message) and debug.getmetatable(message).__tostring
    return with_text and tostring(message) or require("pl.pretty").write(message)
  end

  local function show(kind, element, message, trace)
    trace = trace or element.trace or {}
    local where = trace.short_src and ("%s:%s: "):format(trace.short_src, tostring(trace.currentline)) or ""
    heading = nil
    io.write("\n", kind, " ", handler.getFullName(element), "\n", where, text_of(message), "\n")
    if trace.traceback then io.write((trace.traceback:gsub("^\n", "")), "\n") end
    io.write("\n")
    io.flush()
  end

  local function head(file)
    heading = ("[%d/%s] %s:"):format(number, files, file.name)
    io.write(heading)
    io.flush()
  end

  function handler.suite_start(suite)
    files = files or tostring(#busted.children(suite))
    return nil, true
  end

  function handler.file_start(file)
    counts, started, number = { P = 0, F = 0, S = 0 }, busted.monotime(), number + 1
    head(file)
    return nil, true
  end

  function handler.file_end(file)
    local parts = {}
    for _, letter in ipairs { "P", "F", "S" } do
      if counts[letter] > 0 then parts[#parts + 1] = counts[letter] .. " " .. names[letter] end
    end
    if #parts == 0 then parts[1] = "no tests" end
    if not heading then head(file) end
    io.write((" %s (%.1f s)\n"):format(table.concat(parts, ", "), busted.monotime() - started))
    io.flush()
    note "file"
    return nil, true
  end

  function handler.test_start(element)
    note("> " .. handler.getFullName(element):gsub("%s+", " "))
    return nil, true
  end

  function handler.test_end(_, _, status)
    count(letters[status] or "F")
    return nil, true
  end

  -- Errors outside a test (a file that does not load, a setup that raises) count as one failed test each.
  function handler.error(element, _, message, trace)
    if element.descriptor ~= "it" then
      counts = counts or { P = 0, F = 0, S = 0 }
      count("F")
    end
    show("ERROR", element, message, trace)
    return nil, true
  end

  function handler.failure(element, _, message, trace)
    if element.descriptor ~= "it" then count("F") end
    show("FAILED", element, message, trace)
    return nil, true
  end

  function handler.suite_end()
    note("end")
    return nil, true
  end

  busted.subscribe({ "suite", "start" }, handler.suite_start)
  busted.subscribe({ "file", "start" }, handler.file_start)
  busted.subscribe({ "file", "end" }, handler.file_end)
  busted.subscribe({ "test", "start" }, handler.test_start, { predicate = handler.cancelOnPending })
  busted.subscribe({ "test", "end" }, handler.test_end, { predicate = handler.cancelOnPending })
  busted.subscribe({ "error" }, handler.error)
  busted.subscribe({ "failure" }, handler.failure)
  busted.subscribe({ "suite", "end" }, handler.suite_end)
  return handler
end
