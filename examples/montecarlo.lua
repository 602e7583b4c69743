-- Monte Carlo without a random number generator: a hash of the counters 0, 1, 2, ... by integer operations
-- gives uniform numbers, the same on every device. It estimates pi, and the price of an option from simulated
-- share prices, which it compares with the Black-Scholes formula.
-- Usage: ./dev lua examples/montecarlo.lua [STEPS] [FILE] [PATHS]

local cp = require "cupola"

local steps = tonumber(arg and arg[1]) or 252 -- trading days in a year
local file = arg and arg[2] or (os.getenv "TMPDIR" or "/tmp") .. "/montecarlo.png"
local n = tonumber(arg and arg[3]) or 100000

-- Hashes 32 bits to 32 bits by shifts, xors and products modulo 2^32.
local function hash(h)
  h = h:bxor(h:shr(16)) * 0x21f0aaad
  h = h:bxor(h:shr(15)) * 0xd35a2d97
  return h:bxor(h:shr(15))
end

-- The next `count` numbers in (0, 1], float32: 24 bits each, exact.
local drawn = 0
local function uniform(count)
  local h = hash(cp.arange(drawn, drawn + count, 1, "uint32"))
  drawn = drawn + count
  return (h:shr(8):astype "float32" + 1) * 2 ^ -24
end

local function normal(count)
  local u, v = uniform(count), uniform(count)
  return cp.sqrt(-2 * cp.log(u)) * cp.cos(2 * math.pi * v)
end

local started = cp.clock()
local a, b = uniform(n), uniform(n)
local pi = 4 * (a ^ 2 + b ^ 2):lt(1):mean():item()

-- Each path is the logarithm of a share's price over a year of equal steps.
local price, strike, rate, volatility = 100, 105, 0.05, 0.2
local dt = 1 / steps
local drift, spread = (rate - volatility ^ 2 / 2) * dt, volatility * math.sqrt(dt)
local x = cp.full(n, math.log(price), "float32")

-- The image: a column for each step, a row for each band of prices, brightness by the number of paths.
local bands, lowest, highest = 200, math.log(50), math.log(200)
local band = cp.arange(bands, "float32"):reshape(-1, 1)
local picture = cp.zeros({ bands, steps }, "float32")

local before = cp.profiler.counters()
for k = 1, steps do
  x = x + (drift + spread * normal(n))
  local where = cp.floor((highest - x) * (bands / (highest - lowest)))
  picture[{ {}, k }] = where:eq(band):sum(2)
end
cp.synchronize()
local after = cp.profiler.counters()

local payoff = cp.maximum(cp.exp(x) - strike, 0) * math.exp(-rate)
local estimate, sigma = payoff:mean():item(), payoff:std():item() / math.sqrt(n)
local seconds = cp.clock() - started

-- The Black-Scholes price, to which the mean converges.
local function cumulative(d) return 0.5 * (1 + cp.erf(d / math.sqrt(2))) end
local d1 = (math.log(price / strike) + rate + volatility ^ 2 / 2) / volatility
local exact = price * cumulative(d1) - strike * math.exp(-rate) * cumulative(d1 - volatility)

local t = (picture / picture:max(1, { keepdims = true })) ^ 0.5
local function channel(low, high) return (255 * (low + (high - low) * t)):astype "uint8" end
local fan = cp.stack({ channel(1.0, 0.05), channel(1.0, 0.20), channel(1.0, 0.55) }, 3)
local wide = math.ceil(600 / steps)
cp.image.imwrite(file, fan:repeats(wide, 2):repeats(2, 1))

print(("%s: %d paths of %d steps on %s in %.2f s"):format(file, n, steps, cp.device().name, seconds))
print(("pi is about %.4f; the option is worth %.3f +- %.3f, by the formula %.3f"):format(pi, estimate, sigma, exact))
print(("%.1f launches and %.1f allocations per step"):format((after.launches - before.launches) / steps,
  (after.allocations - before.allocations) / steps))

return { pi = pi, estimate = estimate, sigma = sigma, exact = exact, x = x, picture = picture }
