-- Matrix Market files: SciPy's, round trips, compressed ones, malformed ones.

local cp = require "cupola"
local check = require "spec.helper.check"
local files = require "spec.helper.files"
local golden = require("spec.golden.sparse.graphs").market

local failure = check.failure
local sp, io_of = cp.sparse, cp.scipy.io

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function array(g)
  local list = {}
  for k = 1, #g do list[k] = g[k] end
  if type(list[1]) == "string" then -- integers that are no doubles
    for k, v in ipairs(list) do assert(v:match "^%-?%d+$", k) end
    return table.concat(list, " ")
  end
  if #list == 0 then return cp.zeros(g.shape, { dtype = g.dtype }) end
  return cp.array(list, { dtype = g.dtype }):reshape(g.shape)
end

-- The integers of a dense array as text, exactly; those beyond int64's as in two's complement.
local function text_of(x)
  if x.dtype == "uint64" then x = x:view "int64" end
  local list = {}
  for k, v in ipairs(x:reshape(-1):totable()) do list[k] = tostring(v):gsub("U?LL$", "") end
  return table.concat(list, " ")
end

local HEAD = "%%MatrixMarket matrix coordinate real general\n"

describe("Matrix Market files", function()
  it("are read as SciPy reads them", function()
    for _, g in ipairs(golden) do
      files.with(g.text, function(path)
        assert.same({ g.shape[1], g.shape[2], g.entries, g.format, g.field, g.symmetry }, { io_of.mminfo(path) })
        local A = io_of.mmread(path)
        assert.equal(cp.device().name, A.device)
        assert.equal(g.format == "coordinate", sp.issparse(A))
        if sp.issparse(A) then
          assert.equal("coo", A.format)
          A = A:toarray()
        end
        assert.equal(g.dtype, A.dtype, g.text)
        assert.equal(("(%d, %d)"):format(g.shape[1], g.shape[2]), tostring(A.shape))
        local want = array(g)
        if type(want) == "string" then
          assert.equal((want:gsub("18446744073709551615", "-1")), text_of(A), g.text)
        else
          assert.is_true(cp.array_equal(A, want, true), g.text .. tostring(A))
        end
      end)
    end
  end)

  it("go round with every dtype, format and symmetry", function()
    for _, ending in ipairs { ".mtx", ".mtx.gz" } do
      for _, dtype in ipairs { "float64", "float32", "float16", "complex64", "complex128", "int8", "int64", "uint64",
        "bool" } do
        for name, make in pairs {
          general = function(A) return A end, symmetric = function(A) return A + A.T end,
          ["skew-symmetric"] = function(A) return A - A.T end, hermitian = function(A) return A + A:conj().T end,
        } do
          local kind = dtype:match "^%a+"
          if name == "general" or name == "symmetric" and dtype ~= "bool" or kind == "complex"
            or name == "skew-symmetric" and (kind == "float" or dtype == "int64") then
            local A = make(sp.random(6, 6, 0.4, { seed = 5, dtype = dtype, format = "csr" }))
            for _, x in ipairs { A, A:toarray() } do
              files.with(nil, function(path)
                io_of.mmwrite(path, x)
                local B = io_of.mmread(path)
                assert.equal(name, (select(6, io_of.mminfo(path))), dtype)
                assert.equal(sp.issparse(x), sp.issparse(B))
                if sp.issparse(B) then B = B:toarray() end
                assert.is_true(cp.array_equal(B:astype(dtype), A:toarray()), dtype .. " " .. name)
              end, ending)
            end
          end
        end
      end
    end
  end)

  it("have the text that is asked for", function()
    files.with(nil, function(path)
      local A = sp.coo_array { { 1, 2 / 3, -1e300 }, { { 1, 1, 2 }, { 1, 2, 2 } } }
      io_of.mmwrite(path, A, "two\nlines")
      assert.equal(HEAD .. "%two\n%lines\n2 2 3\n1 1 1\n1 2 0.6666666666666666\n2 2 -1e+300\n", read(path))
      io_of.mmwrite(path, A, { precision = 3 })
      assert.equal(HEAD .. "%\n2 2 3\n1 1 1.00e+00\n1 2 6.67e-01\n2 2 -1.00e+300\n", read(path))
      io_of.mmwrite(path, A, { field = "pattern" })
      assert.equal("%%MatrixMarket matrix coordinate pattern general\n%\n2 2 3\n1 1\n1 2\n2 2\n", read(path))
      io_of.mmwrite(path, A, { field = "integer", symmetry = "symmetric" })
      assert.matches("^%%%%MatrixMarket matrix coordinate integer symmetric\n%%\n2 2 2\n1 1 1\n2 2 ", read(path))
      io_of.mmwrite(path, cp.array { { 0, 2 }, { -2, 0 } })
      assert.equal("%%MatrixMarket matrix array real skew-symmetric\n%\n2 2\n-2\n", read(path))
      io_of.mmwrite(path, cp.array({ { 0.1, 3.4e38 } }, "float32"))
      assert.equal("%%MatrixMarket matrix array real general\n%\n1 2\n0.1\n3.4e+38\n", read(path))
      io_of.mmwrite(path, cp.array { { -0.0, 0 / 0, -math.huge } })
      assert.matches("1 3\n%-0\nnan\n%-inf\n$", read(path))
    end, ".mtx")
    files.with(nil, function(path) -- the ending is added
      io_of.mmwrite((path:gsub("%.mtx$", "")), sp.eye(2))
      assert.equal(2, io_of.mmread(path).nnz)
    end, ".mtx")
  end)

  it("hold what is larger than any piece that is read at a time", function()
    local A = sp.random(3000, 2000, 0.02, { seed = 1, format = "csr" })
    for _, ending in ipairs { ".mtx", ".mtx.gz" } do
      files.with(nil, function(path)
        io_of.mmwrite(path, A)
        assert.is_true(A == io_of.mmread(path):tocsr())
        assert.equal("cpu", io_of.mmread(path, "cpu").device)
      end, ending)
    end
  end)

  it("complete patterns of each symmetry, which SciPy writes, with its signs", function()
    for symmetry, sign in next, { symmetric = 1, hermitian = 1, ["skew-symmetric"] = -1 } do
      local text = "%%MatrixMarket matrix coordinate pattern " .. symmetry .. "\n2 2 1\n2 1\n"
      files.with(text, function(path)
        assert.same({ { 0, sign }, { 1, 0 } }, io_of.mmread(path):toarray():totable())
      end)
    end
  end)

  it("may have signs, spaces, exponents of Fortran, comments anywhere, and several gzip parts", function()
    local text = HEAD:upper() .. "\n % c\n\t 2 +2  2 \n%\n\n +1 1 +1.5D+2\r\n2\t2 .5\n\n"
    files.with(text, function(path)
      assert.same({ { 150, 0 }, { 0, 0.5 } }, io_of.mmread(path):toarray():totable())
    end)
    files.with(nil, function(path)
      local A = sp.eye(30)
      io_of.mmwrite(path, A, { comment = ("c"):rep(1000) })
      local first = read(path)
      write(path, "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n")
      local pack = "( gzip -c <%s >%s1 && printf '1 1\\n' | gzip -c >>%s1 )"
      if not files.succeeds(pack:format(path, path, path)) then return end
      local parts = read(path .. "1")
      os.remove(path .. "1")
      write(path, parts .. ("\0"):rep(100))
      assert.equal(1, io_of.mmread(path).nnz)
      write(path, first)
      assert.is_true(A == io_of.mmread(path))
    end, ".mtx.gz")
  end)

  it("that are malformed are errors that name the line", function()
    local S = "%%MatrixMarket matrix coordinate real symmetric\n"
    for _, case in ipairs {
      { "", "line 1: a Matrix Market file begins with %%MatrixMarket" },
      { "%%MatrixMarket\n", "line 1: the object must be 'matrix'" },
      { "%%MatrixMarket matrix table real general\n", "line 1: the format must be 'coordinate' or 'array'" },
      { "%%MatrixMarket matrix array pattern general\n", "line 1: an array cannot be a pattern" },
      { "%%MatrixMarket matrix coordinate text general\n", "line 1: the field must be 'real'" },
      { "%%MatrixMarket matrix coordinate real\n", "line 1: the symmetry must be 'general'" },
      { "%%MatrixMarket matrix coordinate real general x\n", "line 1: there is text after the symmetry" },
      { "%%MatrixMarket matrix coordinate real hermitian\n", "line 1: a hermitian matrix is complex" },
      { HEAD .. "% c\n", "line 3: the file ends before the matrix's size" },
      { HEAD .. "2 2\n", "line 2: expected the numbers of rows, columns and entries" },
      { HEAD .. "2 -2 1\n", "line 2: expected the numbers of rows, columns and entries" },
      { HEAD .. "2 2 99999999999999999999\n", "line 2: expected the numbers of rows, columns and entries" },
      { S .. "2 3 1\n", "line 2: a symmetric matrix must be square" },
      { HEAD .. "2 2 1\n\n0 1 5\n", "line 4: the row is out of range" },
      { HEAD .. "2 2 1\n1 3 5\n", "line 3: the column is out of range" },
      { HEAD .. "2 2 1\n1\n", "line 3: an entry begins with its row and column" },
      { HEAD .. "2 2 1\n1 1.5 2\n", "line 3: an entry begins with its row and column" },
      { HEAD .. "2 2 1\n1 1\n", "line 3: expected a number" },
      { HEAD .. "2 2 1\n1 1 1e\n", "line 3: expected a number" },
      { HEAD .. "2 2 1\n1 1 " .. ("1"):rep(500) .. "\n", "line 3: expected a number" },
      { HEAD .. "2 2 1\n1 1 2 3\n", "line 3: there is text after the entry" },
      { HEAD .. "2 2 2\n1 1 2\n", "line 4: the file ends after 1 of 2 entries" },
      { HEAD .. "2 2 9000000000000000000\n1 1 2\n", "line 4: the file ends after 1 of 9000000000000000000 entries" },
      { HEAD .. "2 2 1\n1 1 2\n2 2 2\n", "line 4: there are more entries than the header announces" },
      { HEAD:gsub("real", "integer") .. "2 2 1\n1 1 9223372036854775808\n", "line 3: expected an integer" },
      { HEAD:gsub("real", "unsigned-integer") .. "2 2 1\n1 1 -1\n", "line 3: expected an integer" },
      { HEAD:gsub("real", "complex") .. "2 2 1\n1 1 1\n", "line 3: expected two numbers" },
      { HEAD:gsub("coordinate", "array") .. "4000000000 4000000000\n", "line 2: the matrix is too large" },
      { HEAD .. "2 2 1\n" .. (" "):rep(1100000), "line 3: the line is too long" },
    } do
      files.with(case[1], function(path)
        failure("io", "scipy.io.mmread: " .. path .. ", " .. case[2], function() io_of.mmread(path) end)
      end)
    end
  end)

  it("that are cut off or damaged anywhere are read or refused", function()
    local whole = HEAD .. "3 3 3\n1 1 1.25\n2 3 -7e2\n3 1 0.5\n"
    for length = 0, #whole do
      files.with(whole:sub(1, length), function(path) pcall(io_of.mmread, path) end)
    end
    files.with(nil, function(path)
      io_of.mmwrite(path, sp.random(40, 40, 0.3, { seed = 2 }))
      local packed = read(path)
      for length = 1, #packed - 1, 97 do
        write(path, packed:sub(1, length))
        assert.is_false((pcall(io_of.mmread, path)))
      end
      write(path, packed:sub(1, 200) .. "xxxx" .. packed:sub(205))
      assert.is_false((pcall(io_of.mmread, path)))
    end, ".mtx.gz")
  end)

  it("refuse what cannot be written", function()
    local A = sp.eye(2)
    failure("usage", "scipy.io.mmwrite: precision must be from 1 to 40",
      function() io_of.mmwrite("x", A, { precision = 0 }) end)
    failure("usage", "scipy.io.mmwrite: field must be", function() io_of.mmwrite("x", A, { field = "int" }) end)
    failure("usage", "scipy.io.mmwrite: symmetry must be", function() io_of.mmwrite("x", A, { symmetry = "none" }) end)
    failure("usage", "scipy.io.mmwrite: complex values are not real",
      function() io_of.mmwrite("x", A:astype "complex64", { field = "real" }) end)
    failure("usage", "scipy.io.mmwrite: a dense matrix has no pattern",
      function() io_of.mmwrite("x", A:toarray(), { field = "pattern" }) end)
    failure("shape", "scipy.io.mmwrite: a must have two axes", function() io_of.mmwrite("x", { 1, 2 }) end)
    failure("shape", "scipy.io.mmwrite: a matrix of shape (2, 3) is not symmetric",
      function() io_of.mmwrite("x", sp.csr_array { 2, 3 }, { symmetry = "symmetric" }) end)
  end)
end)
