-- A service of HAProxy whose answers are computed by arrays: /mean?n=1000 is the mean of that many random
-- numbers. haproxy.cfg loads it.
local cp = require "cupola"
local rng = cp.random.default_rng(1)

core.register_service("mean", "http", function(applet)
  local n = math.max(1, math.min(1000000, math.floor(tonumber((applet.qs or ""):match "n=(%d+)") or 100)))
  local text = ("mean of %d numbers: %.4f\n"):format(n, rng:random(n):mean():item())
  applet:set_status(200)
  applet:add_header("content-length", #text)
  applet:start_response()
  applet:send(text)
end)
