-- Sparse arrays in captured graphs, beside limits of memory, and behind closed doors.

local cp = require "cupola"
local check = require "spec.helper.check"
local host = require "spec.helper.host"
local other_state = require "spec.helper.processes.other_state"

local sp = cp.sparse

local function example() return sp.csr_array { { 1, 0, 2 }, { 0, 0, 3 }, { 4, 5, 0 } } end

describe("captured graphs", function()
  it("multiply what their arrays hold when they run", function()
    local A, x, y, z = example(), cp.array { 1, 2, 3 }, cp.zeros(3), cp.zeros { 3, 2 }
    local X = cp.array { { 1, 2 }, { 3, 4 }, { 5, 6 } }
    A:dot(x)
    A:dot(X)
    local graph = cp.cuda.graph(function()
      A:dot(x, { out = y, alpha = 2 })
      z:assign(A:dot(X) + 1)
    end)
    graph:replay()
    assert.same({ 14, 18, 28 }, y:totable())
    assert.same({ { 12, 15 }, { 16, 19 }, { 20, 29 } }, z:totable())
    x:assign { 1, 1, 1 }
    A.data:assign(A.data * 10)
    graph:replay()
    assert.same({ 60, 60, 180 }, y:totable())
    assert.same({ 30, 30, 90 }, A:dot(x):totable()) -- outside as well
  end)

  it("multiply by transposed arrays that were converted before", function()
    local A, x, y = example(), cp.array { 1, 2, 3 }, cp.zeros(3)
    local B = A:tocsc()
    assert.same({ 13, 15, 8 }, A.T:dot(x):totable())
    assert.same({ 7, 9, 14 }, B:dot(x):totable())
    local z = cp.zeros(3)
    local graph = cp.cuda.graph(function()
      A.T:dot(x, { out = y })
      B:dot(x, { out = z })
    end)
    A.data:assign(A.data * 10)
    B.data:assign(B.data * 2)
    graph:replay()
    assert.same({ 130, 150, 80 }, y:totable())
    assert.same({ 14, 18, 28 }, z:totable())
    assert.same({ 130, 150, 80 }, A.T:dot(x):totable())
  end)

  it("solve for what b holds when they run, by as many steps as there are", function()
    for _, dtype in ipairs { "float64", "float32", "complex128" } do
      local n, near = 12, dtype == "float32" and 1e-5 or 1e-12
      local A = sp.diags({ cp.full({ n - 1 }, -1), cp.arange(4, n + 4), cp.full({ n - 1 }, -1) },
        { offsets = { -1, 0, 1 }, format = "csr" }):astype(dtype)
      if dtype == "complex128" then -- hermitian
        local side = sp.diags({ cp.full({ n - 2 }, cp.complex(0, 1)) }, { offsets = { 2 }, format = "csr" })
        A = (A + side + side.T:conj()):tocsr()
      end
      local M = sp.diags({ 1 / cp.arange(4, n + 4) }, { offsets = { 0 }, format = "csr" }):astype(dtype)
      local dense, b = A:toarray(), cp.ones({ n }, dtype):eval()
      for _, name in ipairs { "cg", "cgs", "bicg", "bicgstab", "minres" } do
        for _, options in ipairs { { maxiter = 20 }, { maxiter = 20, M = M }, { maxiter = 1 } } do
          options.rtol = near
          b:fill(1)
          sp.linalg[name](A, b, options)
          local g = cp.cuda.graph(function() return sp.linalg[name](A, b, options) end)
          for _, value in ipairs { 1, 0, -3 } do
            b:assign(cp.arange(n) * value)
            local x, info = g()
            local few = options.maxiter == 1 and value ~= 0
            assert.same({ "int64", few and 1 or 0 }, { info.dtype, info:item() }, name .. dtype)
            if not few then
              assert.is_true(cp.allclose(cp.linalg.solve(dense, b), x, { rtol = 0, atol = 10 * near }), name .. dtype)
            end
          end
        end
      end
    end
    local A, b = example(), cp.ones(3)
    A:dot(b)
    for fact, f in pairs {
      ["cg: needs maxiter"] = function() return sp.linalg.cg(A, b) end,
      ["minres: takes no callback"] = function() return sp.linalg.minres(A, b, { maxiter = 2, callback = print }) end,
      ["gmres: cannot be part of a graph"] = function() return sp.linalg.gmres(A, b, { maxiter = 2 }) end,
    } do
      local ok, message = pcall(cp.cuda.graph, f)
      assert.is_false(ok)
      assert.matches(fact, message)
    end
  end)

  it("stay within their arrays, whatever is written into positions", function()
    local A, x, y = example(), cp.array { 1, 2, 3 }, cp.zeros(3)
    A:dot(x)
    local graph = cp.cuda.graph(function() A:dot(x, { out = y }) end)
    A.indices[1], A.indptr[2] = 1e9, -5
    graph:replay()
    assert.equal(3, #y:totable())
    local ok, message = pcall(A.dot, A, x)
    assert.is_false(ok)
    assert.matches("indptr%[0%] and indptr%[1%], counted from 0, are 0 and %-5", message)
  end)

  it("refuse work whose results have no size until it ran", function()
    local A, x, y = example(), cp.array { 1, 2, 3 }, cp.zeros(3)
    for _, f in ipairs { function() return A + A end, function() return A:matmul(A) end,
      function() return A:maximum(A) end, function() return sp.csgraph.dijkstra(A) end } do
      local work = function() y:assign(f():toarray()[1]) end
      local ok, message = pcall(cp.cuda.graph, work)
      assert.is_false(ok)
      assert.matches("a graph is being captured", message)
    end
    assert.same({ 7, 9, 14 }, A:dot(x):totable())
  end)
end)

describe("sparse arrays", function()
  it("lack memory as other arrays do, and are whole afterwards", function()
    if check.mode then return pending "this mode takes other memory" end
    local A = sp.random(3000, 3000, 0.02, { seed = 1, format = "csr" })
    local limit = cp.memory().limit
    cp.synchronize()
    collectgarbage()
    collectgarbage()
    cp.memory { limit = cp.memory().live + 2 ^ 20 }
    local failures = 0
    for _, f in ipairs { function() return A:tocsc() end, function() return A + A end,
      function() return A:matmul(A) end, function() return A:toarray() end,
      function() return A[{ cp.arange(1, 3000, "int64") }] end } do
      local ok = pcall(f)
      failures = failures + (ok and 0 or 1)
      if not ok then assert.equal("memory", cp.last_error().kind) end
    end
    cp.memory { limit = limit }
    assert.equal(5, failures)
    assert.is_true((A + A) == 2 * A)
  end)

  it("are shared by two states", function()
    if not other_state then return pending "needs LuaJIT" end
    local A, other = example(), other_state.open()
    local function run(text, ...)
      cp.synchronize() -- each state has a stream of its own
      return other_state.evaluate(other, text:format(...))
    end
    local function address(x) return ("%.0f"):format(x:dlpack():release()) end
    assert.equal("7 9 14", run([[
      cp = require "cupola"
      local function array(address) return cp.from_dlpack(address, { device = %q }) end
      A = cp.sparse.csr_array { data = array(%s), indices = array(%s), indptr = array(%s), shape = { 3, 3 } }
      function product() return ("%%g %%g %%g"):format(unpack(A:dot({ 1, 2, 3 }):totable())) end
      return product()]], cp.device().name, address(A.data), address(A.indices), address(A.indptr)))
    A.data[1] = 11
    assert.equal("17 9 14", run "return product()")
    assert.equal("", run "A.data[3], A.indices[3] = 1, 0 cp.synchronize() return ''")
    assert.same({ { 11, 0, 2 }, { 1, 0, 0 }, { 4, 5, 0 } }, check.values(A:toarray()))
    run "A.indices[1] = 1e6 cp.synchronize() return ''"
    local fact = "scipy.sparse.dot: indices[0], counted from 0, is 1000000"
    check.failure("index", fact, function() A:dot({ 1, 2, 3 }) end)
    A.indices[1] = 1
    assert.equal("28 1 14", run "return product()")
    A:free()
    A = nil
    collectgarbage()
    assert.equal("28 1 14", run "return product()") -- the tensors keep the memory
    other_state.close(other)
    assert.is_true(example() == example())
  end)

  it("are the same after their arrays went through DLPack", function()
    local A = example()
    local function passed(x) return cp.from_dlpack(x:dlpack()) end
    local B = sp.csr_array { data = passed(A.data), indices = passed(A.indices), indptr = passed(A.indptr),
      shape = { 3, 3 } }
    assert.is_true(A == B)
    B.data[1] = 9 -- one memory
    assert.equal(9, A[{ 1, 1 }])
    B.indices[1] = 5
    check.failure("index", "scipy.sparse.dot: indices[0], counted from 0, is 5", function() A:dot({ 1, 2, 3 }) end)
  end)

  it("reach no files and no addresses behind closed doors", function()
    local script = os.tmpname()
    local f = assert(io.open(script, "w"))
    f:write [[
      local cp = open()
      local sp, A = cp.sparse, cp.sparse.csr_array { { 1, 0 }, { 2, 3 } }
      local function closed(fact, f, ...)
        local ok, message = pcall(f, ...)
        assert(not ok and string.find(message, fact .. " are closed by the host", 1, true), message)
      end
      closed("files", cp.scipy.io.mmread, "/tmp/none.mtx")
      closed("files", cp.scipy.io.mminfo, "/tmp/none.mtx")
      closed("files", cp.scipy.io.mmwrite, "/tmp/none.mtx", A)
      closed("files", sp.save_npz, "/tmp/none", A)
      closed("files", sp.load_npz, "/tmp/none.npz")
      closed("pointers", function() return A.data.data.ptr end)
      assert((A + A):matmul(A):toarray()[{ 2, 1 }] == 16)
      assert(sp.csgraph.shortest_path(A)[{ 2, 1 }] == 2)
    ]]
    f:close()
    local output, status = host.compile_and_run("spec/embed/closed.c", script)
    os.remove(script)
    if not output then return pending(status) end
    assert.equal(0, status, output)
  end)
end)
