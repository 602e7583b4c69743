-- The modes of evaluation for specs: fusion on, fusion off, and forced (each operator's result is evaluated
-- at once through the lazy path), which only the process's environment can select.

local cp = require "cupola"
local core = require "cupola.core"
local assert = require "luassert"
local check = require "spec.helper.check"

local fusion = {}

--- Whether this process runs with every operator forced.
fusion.forced = os.getenv "CUPOLA_FUSION" == "force"

local modes = fusion.forced and { "forced" } or { "on", "off" }

--- busted gives its functions to spec files only: takes them, and returns
---   each(what, body)     describes body(mode) for each mode, with the switch set around every test
---   repeat_forced(file)  adds a test that runs a file of specs once more, in a process where every operator
---                        is forced
---   wait()               switches off what the CPU device computes at once because that is quicker, around
---                        every test of the block that calls it: before views of few elements, before
---                        writes into parts, and small products of sparse arrays
---@param busted {describe: function, it: function, before_each: function, after_each: function}
function fusion.tests(busted)
  local function each(what, body)
    for _, mode in ipairs(modes) do
      busted.describe(("%s (fusion %s)"):format(what, mode), function()
        local before
        busted.before_each(function()
          if mode ~= "forced" then before = cp.fusion(mode == "on") end
        end)
        busted.after_each(function()
          if mode ~= "forced" then cp.fusion(before) end
        end)
        body(mode)
      end)
    end
  end

  local function repeat_forced(file)
    if fusion.forced or check.mode then return end -- the other modes change little in that process
    busted.it("pass with every operator forced", function()
      local text = [[
        arg = { [0] = "specs", "-o", "plainTerminal", %q }
        require("busted.runner")({ standalone = false })]]
      local shown, status = check.run(text:format(file), "CUPOLA_FUSION=force CUPOLA_TEST_MODE=")
      assert.equal(0, status, shown)
      assert.matches("[1-9]%d* successes / 0 failures / 0 errors", shown)
    end)
  end

  local function wait()
    busted.before_each(function() core.slow_paths("views", "products") end)
    busted.after_each(function() core.slow_paths() end)
  end

  return each, repeat_forced, wait
end

--- The elements of an array in C order.
function fusion.flat(x) return x:flatten():totable() end

--- Fails unless the array has these elements (a list in C order); nan equals nothing.
---@param x any
---@param want table
---@param label? string
function fusion.same(x, want, label)
  local got = fusion.flat(x)
  if #got ~= #want then
    error(("%s: %d elements, want %d"):format(label or "values", #got, #want), 2)
  end
  for k = 1, #want do
    if got[k] ~= want[k] then
      error(("%s: element %d is %s, want %s"):format(label or "values", k, tostring(got[k]), tostring(want[k])), 2)
    end
  end
end

-- ---- arrays, and lists in C order, from which expected values are computed in Lua

--- An evaluated matrix of 1, 2, 3, ...
function fusion.matrix(shape, dtype)
  return cp.eval(cp.arange(1, shape[1] * shape[2] + 1):reshape(shape):astype(dtype or "float64"))
end

--- The list of f(i, j).
function fusion.list(rows, columns, f)
  local out = {}
  for i = 1, rows do
    for j = 1, columns do out[#out + 1] = f(i, j) end
  end
  return out
end

--- The list of f(value, position).
function fusion.mapped(t, f)
  local out = {}
  for k, v in ipairs(t) do out[k] = f(v, k) end
  return out
end

--- The function v(i, j) that reads a list as a matrix with so many columns.
function fusion.accessor(elements, columns)
  return function(i, j) return elements[(i - 1) * columns + j] end
end

return fusion
