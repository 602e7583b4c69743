-- Casts between register values: the rules of kernels/prelude/cast.h as text, the same on every device.
-- Floats truncate and saturate to integers, and nan becomes 0; values become bool by `!= 0`; complex values
-- become real by their real part; integers wrap; half types are rounded to once.

local types = require "cupola.kernels.types"

local casts = {}

local function to_half(needs, from, to, text)
  needs.halves = true
  if from.name == to.name then return text end
  if from.name == "float64" then return string.format("h_%s_to_f32(h_f64_to_%s(%s))", to.half, to.half, text) end
  return string.format("h_round_%s((float)(%s))", to.half, text)
end

local function to_integer(needs, from, to, text)
  if from.kind ~= "real" then return string.format("(%s)(%s)", to.register, text) end
  local space = needs:space(from.loop)
  space.cast = true
  return string.format("cp_%s::cast_%s(%s)", from.loop, to.name, text)
end

local function to_complex(needs, from, to, text)
  local real = types[to.real]
  needs:space(to.name)
  if from.kind ~= "complex" then return string.format("%s{(%s)(%s), 0}", to.register, real.register, text) end
  return string.format("%s{(%s)%s.re, (%s)%s.im}", to.register, real.register, text, real.register, text)
end

-- The expression `text` of register type `from` converted to type `to`; `needs` collects the preludes it
-- uses.
function casts.text(needs, from, to, text)
  from, to = types[from], types[to]
  if from.name == to.name then return text end
  if to.kind == "complex" then return to_complex(needs, from, to, text) end
  if from.kind == "complex" then
    if to.kind == "boolean" then return string.format("(unsigned char)(%s.re != 0 || %s.im != 0)", text, text) end
    from, text = types[from.real], text .. ".re"
  end
  if to.kind == "boolean" then return string.format("(unsigned char)(%s != 0)", text) end
  if to.kind == "integer" then return to_integer(needs, from, to, text) end
  if to.half then return to_half(needs, from, to, text) end
  return string.format("(%s)(%s)", to.register, text)
end

return casts
