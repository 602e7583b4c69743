-- States of one process, some of them confined: what these can change, see and keep of shared things.

local check = require "spec.helper.check"
local host = require "spec.helper.host"

describe("a confined state", function()
  it("changes nothing that others see, finds nothing that they left, and keeps its limit", function()
    if check.mode then return pending "memory is checked as it is without modes" end
    local text, status = host.compile_and_run "spec/embed/confined.c"
    if not text then return pending(status) end
    assert.equal(0, status, text)
  end)
end)
