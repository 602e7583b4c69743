-- Filters a noisy signal in its spectrum: sets weak frequencies to zero and transforms the rest back.
-- Prints the frequencies found (50 and 120 Hz) and the error before and after. Plots both signals, in a
-- window or drawn with characters; the argument is a file to plot to instead.
local cp = require "cupola"

local file = arg and arg[1]
local rate, n = 1000, 1000 -- samples per second
local t = cp.arange(n, { dtype = "float64" }) / rate
local clean = cp.sin(2 * math.pi * 50 * t) + 0.7 * cp.sin(2 * math.pi * 120 * t)
local k = cp.arange(n, { dtype = "float64" })
local noise = 2.5 * (((cp.sin(k * k + k) * 43758.5453) % 1) - 0.5) -- scattered numbers
local noisy = clean + noise

local spectrum = cp.fft.rfft(noisy)
local frequency = cp.fft.rfftfreq(n, 1 / rate)
local power = cp.abs(spectrum) ^ 2 / n
local strong = power:gt(40) -- the noise is far below, the waves are far above
local filtered = cp.fft.irfft(cp.where(strong, spectrum, 0), n)

local found = {}
for i, v in (frequency * strong):values() do
  if v > 0 then found[#found + 1] = ("%g Hz (power %.0f)"):format(v, power[i]) end
end
local function error_of(x) return cp.sqrt(((x - clean) ^ 2):mean()):item() end
print("found " .. table.concat(found, ", "))
print(("error of the noisy signal: %.3f, after the filter: %.3f"):format(error_of(noisy), error_of(filtered)))

local part = "1:150"
local curves = cp.stack({ noisy[part], filtered[part] }, 2)
cp.plot.line(t[part], curves, { title = "noisy and filtered", file = file })
return found, error_of(noisy), error_of(filtered)
