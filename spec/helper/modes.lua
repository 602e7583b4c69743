-- busted's helper (.busted): sets up the mode of a run, named by CUPOLA_TEST_MODE.
--   gc      a full collection at every allocation (CUPOLA_GC_EVERY=1)
--   poison  memory is filled with a pattern before it is handed out (CUPOLA_POISON=1)
--   limit   64 MB of memory, so that allocations collect, trim and try again
-- The first two are switches that the core reads from the environment; tools/specs.sh sets them.

local mode = os.getenv "CUPOLA_TEST_MODE"
local switches = { gc = "CUPOLA_GC_EVERY", poison = "CUPOLA_POISON" }

if mode == "limit" then
  require("cupola").memory({ limit = 64 * 1048576 })
elseif switches[mode] then
  assert(os.getenv(switches[mode]) == "1", ("CUPOLA_TEST_MODE=%s needs %s=1"):format(mode, switches[mode]))
elseif mode ~= nil and mode ~= "" then
  error(("no test mode '%s'; there are gc, poison and limit"):format(mode))
end
