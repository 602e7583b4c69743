-- Output of cupola's benchmarks, one line for each row: "WHO<tab>KEY<tab>VALUE<tab>UNIT". A row that fails is
-- omitted and named on standard error. The variable ROWS selects the rows whose keys contain one of its
-- strings, separated by commas.

local timing = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "../timing.lua")

return function(who)
  local rows = { is_wanted = timing.is_wanted }

  -- Reports what is not measured.
  function rows.constant(kind, key, value, unit) print(("%s\t%s\t%.10g\t%s"):format(kind, key, value, unit)) end

  -- Reports the result of measure().
  function rows.row(key, unit, measure)
    if not timing.is_wanted(key) then return end
    local ok, value = pcall(measure)
    if ok then
      print(("%s\t%s\t%.6g\t%s"):format(who, key, value, unit))
    else
      io.stderr:write(who, ": ", key, ": ", tostring(value), "\n")
    end
  end

  -- Reports a value that all libraries must agree on, which shows that they did the same work.
  function rows.check(key, f) rows.row("check " .. key, "value", f) end

  function rows.host(key, f, most)
    rows.row("host " .. key, "us", function() return timing.host(f, most) * 1e6 end)
  end

  function rows.milliseconds(key, f, prepare)
    rows.row(key, "ms", function() return timing.median(f, prepare) * 1e3 end)
  end

  function rows.bandwidth(key, bytes, f)
    rows.row(key, "GB/s", function() return bytes / timing.median(f) / 1e9 end)
  end

  -- Reports elements per second.
  function rows.rate(key, count, f)
    rows.row(key, "G/s", function() return count / timing.median(f) / 1e9 end)
  end

  return rows
end
