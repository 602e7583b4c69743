-- States of one process, some of them behind closed doors: what these change, see and hold of what is shared.

local check = require "spec.helper.check"
local host = require "spec.helper.host"

describe("a state behind closed doors", function()
  it("changes nothing that others see, finds nothing that they left, and keeps its limit", function()
    local why = check.mode and "memory is checked as it is without modes" or host.obstacle()
    if why then return pending(why) end
    local program, problem = host.compile "spec/embed/confined.c"
    if not program then return pending(problem) end
    local text, status = host.run(program)
    os.remove(program)
    assert.equal(0, status, text)
  end)
end)
