-- A filter for Pandoc: a line below each table with the mean of its numbers.
--   pandoc -L examples/hosts/pandoc.lua -t plain report.md
local cp = require "cupola"

function Table(t)
  local values = {}
  pandoc.walk_block(t, { Str = function(word) values[#values + 1] = tonumber(word.text) end })
  if #values == 0 then return nil end
  local mean = cp.array(values):mean():item()
  return { t, pandoc.Para { pandoc.Str(("mean of %d numbers: %.2f"):format(#values, mean)) } }
end
