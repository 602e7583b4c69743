-- Shared libraries: which file is opened, and the message if there is none.

local check = require "spec.helper.check"

local function printed(script, settings)
  return (check.run('local cp = require "cupola" ' .. script, "CUPOLA_DEVICE=cpu " .. settings))
end

describe("CUPOLA_HIDDEN_LIBRARIES", function()
  local script = "print(select(2, pcall(cp.linalg.inv, cp.eye(20))))"

  it("hides the files that its patterns match", function()
    local text = printed(script, "CUPOLA_HIDDEN_LIBRARIES='libnothing* lib*blas*.so* lib*lapack*.so* libmkl*'")
    assert.truthy(text:find("could not be opened", 1, true), text)
    assert.truthy(text:find("CUPOLA_HIDDEN_LIBRARIES hides it", 1, true), text)
  end)

  it("hides nothing else", function()
    local text = printed(script, "CUPOLA_HIDDEN_LIBRARIES='libcu* openblas blas'")
    assert.truthy(text:find("float64 (20, 20) cpu", 1, true) or text:find("float32 (20, 20) cpu", 1, true), text)
  end)

  it("hides zlib from archives", function()
    local text = printed("print(select(2, pcall(cp.savez_compressed, os.tmpname(), { x = cp.ones(3) })))",
      "CUPOLA_HIDDEN_LIBRARIES='libz.so*'")
    assert.truthy(text:find("zlib, which archives and PNG files need, could not be opened", 1, true), text)
  end)

  it("hides the CUDA driver: there is no GPU then", function()
    local text = printed("print(cp.cuda.is_available())", "CUPOLA_HIDDEN_LIBRARIES='libcuda.so*'")
    assert.truthy(text:find("false.*CUPOLA_HIDDEN_LIBRARIES hides it"), text)
  end)
end)
