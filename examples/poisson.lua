-- Poisson's equation on a square: the temperature of a plate that is heated inside and cooled at its edge. It
-- conducts heat well or badly from place to place, by a factor of a hundred, so conjugate gradients need a
-- preconditioner: the diagonal, which levels the equations.
-- Usage: ./dev lua examples/poisson.lua [FILE] [SIZE]

local cp = require "cupola"
local sp = cp.sparse

local file = arg and arg[1] or (os.getenv "TMPDIR" or "/tmp") .. "/poisson.png"
local n = tonumber(arg and arg[2]) or 256

-- Discs that conduct badly in a plate that conducts well.
local axis = (cp.arange(n) + 0.5) / n
local x, y = axis:reshape(1, -1), axis:reshape(-1, 1)
local conducts = cp.full({ n, n }, 1)
for _, disc in ipairs { { 0.3, 0.35, 0.17 }, { 0.7, 0.3, 0.12 }, { 0.55, 0.72, 0.2 }, { 0.15, 0.8, 0.08 } } do
  conducts = cp.where(((x - disc[1]) ^ 2 + (y - disc[2]) ^ 2):lt(disc[3] ^ 2), 0.01, conducts)
end
conducts:eval()

-- What flows between two cells is their difference times the harmonic mean of what both conduct; at the edge,
-- which is at temperature 0, half a cell lies between.
local function between(a, b) return 2 * a * b / (a + b) end
local right = between(conducts[":, :-2"], conducts[":, 2:"])
local down = between(conducts[":-2, :"], conducts["2:, :"])
local diagonal = cp.zeros({ n, n })
diagonal[":, :-2"]:add_(right)
diagonal[":, 2:"]:add_(right)
diagonal[":-2, :"]:add_(down)
diagonal["2:, :"]:add_(down)
for _, edge in ipairs { "1, :", "-1, :", ":, 1", ":, -1" } do diagonal[edge]:add_(2 * conducts[edge]) end

-- The matrix, from its diagonals: cells are numbered row by row, and the last cell of a row has no right
-- neighbour.
local across = cp.concatenate({ right, cp.zeros({ n, 1 }) }, 2):reshape(-1)[{ { 1, n * n - 1 } }]
local along = down:reshape(-1)
local A = sp.diags({ -along, -across, diagonal:reshape(-1), -across, -along }, { -n, -1, 0, 1, n },
  { n * n, n * n }):tocsr()
local heat = cp.full({ n * n }, 1 / (n * n))

local function solve(M)
  local steps = 0
  local started = cp.clock()
  local u, info = sp.linalg.cg(A, heat, { rtol = 1e-8, maxiter = 20 * n * n, M = M,
    callback = function() steps = steps + 1 end })
  cp.synchronize()
  return u, info, steps, cp.clock() - started
end

local plain, _, plain_steps, plain_seconds = solve()
local u, info, steps, seconds = solve(sp.linalg.jacobi(A))
local wrong = cp.sqrt(cp.sum((A:dot(u) - heat) ^ 2) / cp.sum(heat ^ 2)):item()

-- Black, red, yellow, white by temperature, in bands.
local t = u:reshape(n, n)
local v = cp.floor((t / cp.max(t)) ^ 0.5 * 20) / 20
local function channel(from) return (cp.clip(v * 3 - from, 0, 1) * 255):astype "uint8" end
cp.image.imwrite(file, cp.stack({ channel(0), channel(1), channel(2) }, 3))

print(("%s: %d x %d cells on %s, %d entries"):format(file, n, n, cp.device().name, A.nnz))
print(("cg: %d steps in %.2f s; with its diagonal as a preconditioner %d steps in %.2f s"):format(plain_steps,
  plain_seconds, steps, seconds))
print(("relative residual %.1e, hottest place %.4f"):format(wrong, cp.max(t):item()))

return t, { info = info, steps = steps, plain_steps = plain_steps, plain = plain, A = A, heat = heat }
