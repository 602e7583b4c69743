-- A LuaJIT program with particles as structs in FFI memory, which cupola moves in place, without a copy.
--
--   ./dev luajit examples/embed-luajit/host.lua [FRAMES]
--
-- Prints the frames that exceeded their budget and the final positions of some particles. cp.from_pointer
-- takes an FFI pointer, keeps its owner alive, and reads a field of each struct by a stride; assigning to
-- such an array writes the structs.

local ffi = require "ffi"
local cp = require "cupola"

local PARTICLES, BUDGET = 10000, 1 / 60
local frames = tonumber(arg and arg[1]) or 60

ffi.cdef [[ typedef struct { float x, y, vx, vy; int32_t id; } particle; ]]
local particles = ffi.new("particle[?]", PARTICLES)
for i = 0, PARTICLES - 1 do
  local p, t = particles[i], i / PARTICLES
  p.x, p.y, p.vx, p.vy, p.id = 10 * t, 10 * t + 0.5, 2 * t - 1, 2 * t - 0.5, i
end

-- Two floats of each struct, starting at the field: an array (PARTICLES, 2) on the CPU device.
local function fields(name)
  local address = ffi.cast("char *", particles) + ffi.offsetof("particle", name)
  return cp.from_pointer(address, { PARTICLES, 2 }, "float32",
    { owner = particles, device = "cpu", strides = { ffi.sizeof "particle", ffi.sizeof "float" } })
end

local positions, velocities = fields "x", fields "vx"
local gravity = cp.cpu.array({ 0, -9.81 }, "float32")

local function step(dt)
  velocities:assign(velocities + gravity * dt)
  positions:assign(positions + velocities * dt)
  local height, speed = positions["..., 2"], velocities["..., 2"]
  speed:assign(cp.where(height:lt(0), -0.5 * speed, speed))
  height:assign(cp.maximum(height, 0))
end

local late = 0
for _ = 1, frames do
  local begin = cp.clock()
  step(BUDGET)
  cp.synchronize "cpu"
  if cp.clock() - begin > BUDGET then late = late + 1 end
end

local sum = 0
for i = 0, PARTICLES - 1 do
  assert(particles[i].id == i) -- the other fields are unchanged
  sum = sum + particles[i].y
end
print(("%d frames, mean height %.3f"):format(frames, sum / PARTICLES))
io.stderr:write(("%d frames were late\n"):format(late))
