-- Writes draws_first.lua: the first numbers of each distribution in this build, which must never change:
--   ./dev lua spec/golden/random/draws_first_make.lua > spec/golden/random/draws_first.lua

local here = debug.getinfo(1, "S").source:match "^@(.*)draws_first_make%.lua$"
local cp = require("cupola").cpu
local golden = dofile(here .. "draws.lua")

print "-- Written by draws_first_make.lua.\nreturn {"
for _, kind in ipairs { "continuous", "discrete" } do
  for _, case in ipairs(golden[kind]) do
    local arguments = (case.args == "" and "" or case.args .. ", ") .. "4"
    local draw = (loadstring or load)( -- luacheck: ignore
      ("local rng = ...; return rng:%s(%s)"):format(case.name, arguments))
    local numbers = {}
    for k, v in ipairs(draw(cp.random.default_rng(2024)):cpu():totable()) do
      numbers[k] = ("%.17g"):format(tonumber(v))
    end
    print(("  { name = %q, args = %q, exact = %s, first = {\n    %s } },"):format(case.name, case.args,
      tostring(kind == "discrete"), table.concat(numbers, ", ")))
  end
end
print "}"
