-- Sparse arrays in npz archives: round trips, archives of SciPy, damaged ones.

local cp = require "cupola"

local sp = cp.sparse

local function temporary(f)
  local path = os.tmpname() .. ".npz"
  local ok, problem = pcall(f, path)
  os.remove(path)
  os.remove((path:gsub("%.npz$", "")))
  if not ok then error(problem, 0) end
end

local FROM_SCIPY = require "spec.golden.sparse.sparse_npz"

local function bytes_of(text)
  return (text:gsub("%s", ""):gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end))
end

local function write(path, bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
end

describe("npz archives of sparse arrays", function()
  it("go round in every format and dtype", function()
    for _, format in ipairs { "csr", "csc", "coo", "dia" } do
      for _, dtype in ipairs { "float32", "complex128", "int16", "bool" } do
        for _, compressed in ipairs { true, false } do
          temporary(function(path)
            local A = sp.random(7, 5, 0.4, { seed = 3, dtype = dtype, format = format })
            sp.save_npz(path, A, compressed)
            local B = sp.load_npz(path)
            assert.equal(format, B.format)
            assert.equal(dtype, B.dtype)
            assert.equal(cp.device().name, B.device)
            assert.is_true(A == B)
          end)
        end
      end
    end
  end)

  it("are read as SciPy writes them", function()
    temporary(function(path)
      write(path, bytes_of(FROM_SCIPY.csr))
      local A = sp.load_npz(path)
      assert.equal("csr", A.format)
      assert.same({ { 0, 2, 0 }, { -1, 0, 3.5 } }, A:toarray():totable())
      write(path, bytes_of(FROM_SCIPY.vector))
      A = sp.load_npz(path)
      assert.same({ "coo", "(5)", { 0, 1, 0, 2, 3 } }, { A.format, tostring(A.shape), A:toarray():totable() })
    end)
  end)

  it("raise errors where they are damaged", function()
    local whole = bytes_of(FROM_SCIPY.csr)
    for cut = 1, #whole - 1, 97 do
      temporary(function(path)
        write(path, whole:sub(1, cut))
        assert.is_false(pcall(sp.load_npz, path))
      end)
    end
    temporary(function(path)
      cp.savez(path, { data = { 1, 2 } })
      local ok, problem = pcall(sp.load_npz, path)
      assert.is_false(ok)
      assert.truthy(problem:find("is not a sparse array: it has no format", 1, true))
      cp.savez(path, { data = { 1 }, indices = cp.index { 5 }, indptr = cp.index { 0, 1 }, shape = cp.index { 1, 2 } })
      assert.is_false(pcall(sp.load_npz, path))
    end)
  end)
end)
