-- Random programs on sparse arrays: each step makes an array of others, in sparse form and in dense form, and
-- both must have the same elements. Values are small integers, so that all results are exact.

local cp = require "cupola"
local check = require "spec.helper.check"
local generator = require "spec.helper.random.generator"

local sp = cp.sparse
local PROGRAMS, STEPS = check.mode and 2 or 40, 14
local FORMATS = { "csr", "csc", "coo", "dia", "bsr" }
local SIZES = { 0, 1, 2, 4, 6, 9 }

-- A program: the arrays so far as { sparse, dense }, and draw(n), which gives a number from 1 to n.
local function begin(seed)
  local draw = generator(seed).number
  local p = { draw = draw, list = {}, text = {} }
  p.m, p.n = SIZES[draw(#SIZES)], SIZES[draw(#SIZES)]
  return p
end

local function add(p, name, A, D)
  p.list[#p.list + 1] = { A, D, name = name }
  p.text[#p.text + 1] = name
end

local function fresh(p)
  local m, n, draw = p.m, p.n, p.draw
  local rows, columns, values, dense = {}, {}, {}, {}
  for i = 1, m do
    dense[i] = {}
    for j = 1, n do dense[i][j] = 0 end
  end
  for k = 1, m * n > 0 and draw(m * n) or 0 do -- some places repeat
    local i, j, v = draw(m), draw(n), draw(5) - 3
    rows[k], columns[k], values[k] = i, j, v
    dense[i][j] = dense[i][j] + v
  end
  local A = sp.builder { m, n }
  if #rows > 0 then A:add(rows, columns, values) end
  add(p, "fresh", A:tocoo():asformat(FORMATS[draw(#FORMATS)]), cp.zeros { m, n } + (m * n > 0 and cp.array(dense) or 0))
end

local function pick(p)
  local x = p.list[p.draw(#p.list)]
  return x[1], x[2]
end

-- Another array of the same shape, if one is found.
local function pick_like(p, D)
  for _ = 1, 8 do
    local A, E = pick(p)
    if E.shape[1] == D.shape[1] and E.shape[2] == D.shape[2] then return A, E end
  end
  return nil
end

local function range(p, n)
  local a, b = p.draw(n), p.draw(n)
  return { math.min(a, b), math.max(a, b) }
end

local BINARY = {
  function(a, b) return a + b end, function(a, b) return a - b end, function(a, b) return a * b end,
  cp.maximum, cp.minimum,
}

local STATEMENTS = {
  binary = function(p)
    local A, D = pick(p)
    local B, E = pick_like(p, D)
    if not B then return fresh(p) end
    local f = BINARY[p.draw(#BINARY)]
    add(p, "binary", f(A, B), f(D, E))
  end,
  product = function(p)
    local A, D = pick(p)
    local B, E = pick_like(p, D)
    if not B then return fresh(p) end
    if p.draw(2) == 1 then -- small values again
      add(p, "product", cp.sign(A:matmul(B.T)), cp.sign(cp.matmul(D, E.T)))
    else
      add(p, "product", cp.sign(A.T:dot(B)), cp.sign(cp.matmul(D.T, E)))
    end
  end,
  turn = function(p)
    local A, D = pick(p)
    add(p, "turn", A.T, D.T)
  end,
  convert = function(p)
    local A, D = pick(p)
    add(p, "convert", A:asformat(FORMATS[p.draw(#FORMATS)]), D)
  end,
  scale = function(p)
    local A, D = pick(p)
    local v = p.draw(5) - 3
    add(p, "scale", cp.sign(A * v), cp.sign(D * v))
  end,
  dense = function(p) -- beside a pending vector
    local A, D = pick(p)
    local v = cp.arange(D.shape[2]) % 3 - 1
    add(p, "dense", A * v, D * v)
  end,
  slice = function(p)
    local A, D = pick(p)
    if D.size == 0 then return fresh(p) end
    local rows, columns = range(p, D.shape[1]), range(p, D.shape[2])
    add(p, "slice", A[{ rows, columns }], D[{ rows, columns }])
  end,
  choose = function(p)
    local A, D = pick(p)
    if D.size == 0 then return fresh(p) end
    local rows = cp.index { p.draw(D.shape[1]), p.draw(D.shape[1]), 1 }
    add(p, "choose", A[{ rows }], D[{ rows }])
  end,
  write = function(p)
    local A, D = pick(p)
    if D.size == 0 then return fresh(p) end
    A, D = A:copy(), D:copy()
    local i, j, v = p.draw(D.shape[1]), p.draw(D.shape[2]), p.draw(5) - 3
    A[{ i, j }], D[{ i, j }] = v, v
    add(p, "write", A, D)
  end,
  tidy = function(p)
    local A, D = pick(p)
    A = A:copy()
    A:eliminate_zeros()
    A:sum_duplicates()
    add(p, "tidy", A, D)
  end,
  values = function(p) -- through A.data, which A's csr form must notice
    local A, D = pick(p)
    A = A:copy()
    A:dot(cp.ones(D.shape[2]))
    A.data:mul_(-1)
    add(p, "values", A, -D)
  end,
  stack = function(p)
    local A, D = pick(p)
    local B, E = pick_like(p, D)
    if not B or D.size > 200 then return fresh(p) end
    if p.draw(2) == 1 then
      add(p, "hstack", sp.hstack { A, B }, cp.hstack { D, E })
    else
      add(p, "vstack", sp.vstack { A, B }, cp.vstack { D, E })
    end
  end,
  triangle = function(p)
    local A, D = pick(p)
    local k = p.draw(5) - 3
    add(p, "tril", sp.tril(A, k), cp.tril(D, k))
  end,
  reshape = function(p)
    local A, D = pick(p)
    local shape = { D.shape[2], D.shape[1] }
    add(p, "reshape", A:reshape(shape), D:reshape(shape))
  end,
}
local NAMES = {}
for name in pairs(STATEMENTS) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

-- What is wrong with the last array, or nil.
local function fault(p)
  local A, D = p.list[#p.list][1], p.list[#p.list][2]
  local x = cp.arange(D.shape[2]) - 1
  if tostring(A.shape) ~= tostring(D.shape) then return ("shape %s, not %s"):format(A.shape, D.shape) end
  if not cp.array_equal(A:toarray(), D) then return tostring(A:toarray()) .. "\nis not\n" .. tostring(D) end
  if not cp.array_equal(A:dot(x), cp.matmul(D, x)) then return "A:dot(x)" end
  if not cp.array_equal(A:sum(1), D:sum(1)) or A:sum():item() ~= D:sum():item() then return "A:sum()" end
  if A:count_nonzero():item() ~= cp.count_nonzero(D):item() then return "A:count_nonzero()" end
  return nil
end

describe("random programs on sparse arrays", function()
  it("give what dense arrays give", function()
    for seed = 1, PROGRAMS do
      local p = begin(seed)
      fresh(p)
      fresh(p)
      for _ = 1, STEPS do
        STATEMENTS[NAMES[p.draw(#NAMES)]](p)
        local problem = fault(p)
        assert(not problem, ("program %d, %s: %s"):format(seed, table.concat(p.text, ", "), tostring(problem)))
      end
    end
  end)
end)
