-- Graph functions on devices that take walks from node to node, and on those that do not.

local core = require "cupola.core"

-- Calls f with and without the functions that go from node to node.
return function(f)
  f()
  local walks = core.walks
  rawset(core, "walks", function() return false end)
  local ok, problem = pcall(f)
  rawset(core, "walks", walks)
  assert(ok, problem)
end
