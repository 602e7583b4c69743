-- busted's helper (.busted): sets up the mode of a run, named by CUPOLA_TEST_MODE.
--   gc       a full collection at every allocation (CUPOLA_GC_EVERY=1)
--   poison   memory is filled with a pattern before it is used (CUPOLA_POISON=1)
--   limit    64 MB of memory, so that allocations collect, trim and try again
--   unfused  every operator runs at once (CUPOLA_FUSION=0)
--   forced   the same, through the path of pending values (CUPOLA_FUSION=force)
--   robbed   anything that a script could replace ends the program if cupola's own code uses it (robbed.lua)
-- All but limit and robbed are environment variables of the core; tools/specs.sh sets them.

local mode = os.getenv "CUPOLA_TEST_MODE"
local switches = {
  gc = { "CUPOLA_GC_EVERY", "1" },
  poison = { "CUPOLA_POISON", "1" },
  unfused = { "CUPOLA_FUSION", "0" },
  forced = { "CUPOLA_FUSION", "force" },
}

if mode == "limit" then
  require("cupola").memory({ limit = 64 * 1048576 })
elseif mode == "robbed" then
  require "spec.helper.robbed"(require "cupola")
elseif switches[mode] then
  local name, value = switches[mode][1], switches[mode][2]
  assert(os.getenv(name) == value, ("CUPOLA_TEST_MODE=%s needs %s=%s"):format(mode, name, value))
elseif mode ~= nil and mode ~= "" then
  error(("no test mode '%s'; the modes are gc, poison, limit, robbed, unfused and forced"):format(mode))
end
