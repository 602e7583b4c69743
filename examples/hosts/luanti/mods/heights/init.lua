-- Only a mod that the server trusts (secure.trusted_mods = heights) may load a C module.
local trusted = core.request_insecure_environment()
assert(trusted, "heights must be among secure.trusted_mods")
local cp = trusted.require "cupola"

local x = cp.linspace(0, 2 * cp.pi, 80)
local heights = cp.rint(cp.sin(x):reshape(80, 1) * cp.cos(x) * 20)
core.log("action", ("heights from %d to %d"):format(heights:min():item(), heights:max():item()))
core.after(0, core.request_shutdown)
