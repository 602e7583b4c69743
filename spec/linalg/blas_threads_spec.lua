-- The number of threads of the CPU device and its BLAS, and the warning about a slow BLAS. A library in front
-- of the BLAS reports the numbers that it is given.

local check = require "spec.helper.check"

local function shell(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status=$?"))
  local text = pipe:read "*a"
  pipe:close()
  return text, tonumber(text:match "status=(%d+)%s*$")
end

-- Runs a script on the CPU in a process with these variables. Returns what it writes to stdout and stderr.
local function printed(script, settings)
  local text = check.run('local cp = require "cupola" ' .. script,
    "CUPOLA_DEVICE=cpu CUPOLA_NUM_THREADS= OPENBLAS_NUM_THREADS= OMP_NUM_THREADS= " .. settings)
  return text
end

describe("threads of the CPU device", function()
  it("are as many as the first variable says that is set", function()
    local function count(settings) return printed("cp.show_config()", settings):match "\nthreads: (%d+)\n" end
    assert.equal("3", count "OMP_NUM_THREADS=3,2")
    assert.equal("5", count "OMP_NUM_THREADS=3 OPENBLAS_NUM_THREADS=5")
    assert.equal("7", count "OMP_NUM_THREADS=3 OPENBLAS_NUM_THREADS=5 CUPOLA_NUM_THREADS=7")
    assert.equal("3", count "OPENBLAS_NUM_THREADS=none OMP_NUM_THREADS=3")
  end)
end)

describe("threads of BLAS", function()
  local library, obstacle

  setup(function()
    if os.getenv "LD_PRELOAD" then
      obstacle = "the module is instrumented"
      return
    end
    local source = os.tmpname()
    library = os.tmpname()
    local f = assert(io.open(source, "w"))
    f:write '#include <stdio.h>\nint openblas_get_parallel(void) { return 1; }\n'
    f:write 'void openblas_set_num_threads(int n) { printf("%d ", n); fflush(stdout); }\n'
    f:close()
    local text, status = shell(("cc -x c -shared -fPIC -o %s %s -Wl,--no-as-needed -l:libopenblas.so.0"):format(library,
      source))
    os.remove(source)
    if status ~= 0 then obstacle = text end
  end)

  teardown(function() if library then os.remove(library) end end)

  -- The numbers of threads that the BLAS is set to while the script runs, without adjacent repetitions.
  local function told(script)
    return printed(script, "CUPOLA_NUM_THREADS=4 CUPOLA_BLAS_PATH=" .. library)
  end

  it("are one for small products, and more only if there is work for them", function()
    if obstacle then return pending(obstacle) end
    local script = [[
      local function product(m, k, n, count)
        return cp.matmul(cp.ones({ count or 1, m, k }), cp.ones({ count or 1, k, n })):eval()
      end
      product(64, 64, 64) product(128, 64, 64) product(160, 160, 160) io.write "middle "
      product(200, 200, 200) io.write "large " product(512, 512, 512) io.write "small " product(128, 64, 64, 5)]]
    assert.equal("1 middle 2 large 4 small 1 ", told(script))
  end)

  it("are one for small matrices of LAPACK, which the pool shares", function()
    if obstacle then return pending(obstacle) end
    local script = [[
      for _, n in ipairs { 100, 1000, 100 } do
        io.write(n, ": ")
        local a = cp.eye(n) * n + 1
        cp.linalg.cholesky(a):eval()
        cp.linalg.solve(cp.stack { a, a }, cp.ones { 2, n, 1 }):eval()
      end]]
    assert.equal("100: 1 1000: 4 100: 1 ", told(script))
  end)
end)

describe("a reference BLAS", function()
  it("is reported once on stderr, and by show_config", function()
    local found = shell "ls /usr/lib/*-linux-gnu/lapack/liblapack.so.3 /usr/lib/*-linux-gnu/blas/libblas.so.3"
    local lapack, blas = found:match "(%S+/lapack/liblapack.so.3)\n", found:match "(%S+)/libblas.so.3\n"
    if not (lapack and blas) then return pending "the reference BLAS and LAPACK are not installed" end
    local text = printed([[
      for _ = 1, 2 do assert(cp.allclose(cp.linalg.inv(cp.eye(3) * 2), cp.eye(3) / 2)) end
      local a = cp.ones { 100, 100 }
      assert(cp.matmul(a, a):sum():item() == 1e6)
      cp.show_config()]],
      ("CUPOLA_BLAS_PATH=%s LD_LIBRARY_PATH=%s"):format(lapack, blas))
    local _, times = text:gsub("only the reference implementation was found", "")
    assert.equal(1, times, text)
    assert.truthy(text:find("libopenblas0-pthread", 1, true))
    assert.truthy(text:find("this BLAS is the reference implementation", 1, true), text)
  end)

  it("is not reported for another BLAS", function()
    local text = printed([[cp.linalg.inv(cp.eye(3)):eval() cp.show_config()]], "")
    if not text:find("BLAS and LAPACK: %S+openblas") then return pending "OpenBLAS is not in use" end
    assert.falsy(text:find("reference implementation", 1, true), text)
  end)
end)
