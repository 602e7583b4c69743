-- The functions of numbers that kernels as Lua text call (expressions.lua): integers that wrap, floats that
-- are rounded, conversions. Integers of up to 32 bits, and larger ones where Lua has 64-bit integers
-- (`wide`), are plain numbers. LuaJIT holds those beyond 2^53 as cdata, and 64-bit arithmetic is a function
-- that falls back to the loops of arrays; so these are slow there.

return function(core)
  local types = require "cupola.jit.types"

  local numbers = {}
  local LIMIT = 2 ^ 53

  --- Whether this Lua has 64-bit integers.
  numbers.wide = rawget(math, "maxinteger") ~= nil
  local wide = numbers.wide

  --- Whether values of a type are plain numbers with the operators + - * of this Lua: weak integers by their
  --- bits.
  function numbers.is_plain(t, bits)
    local alone = types.alone(t)
    if not types.is_integer(alone) then return true end
    return alone ~= "uint64" and (wide or types.width(alone) < 64 or (bits or 64) <= 53)
  end

  -- ---- rounding and wrapping ----

  local WRAP = {
    int8 = function(v) return (v + 128) % 256 - 128 end,
    int16 = function(v) return (v + 32768) % 65536 - 32768 end,
    int32 = function(v) return (v + 2147483648) % 4294967296 - 2147483648 end,
    uint8 = function(v) return v % 256 end,
    uint16 = function(v) return v % 65536 end,
    uint32 = function(v) return v % 4294967296 end,
  }

  --- The function that rounds or wraps a plain number into a type, or nil where nothing is to be done.
  function numbers.narrow(t)
    local alone = types.alone(t)
    if alone == "float32" then return core.jit_round end
    if types.is_half(alone) then return core.jit_conversion("float32", alone) end
    return WRAP[alone]
  end

  -- ---- arithmetic ----

  local NAMES = { ["+"] = "add", ["-"] = "subtract", ["*"] = "multiply" }
  local PLAIN = {
    ["+"] = function(a, b) return a + b end,
    ["-"] = function(a, b) return a - b end,
    ["*"] = function(a, b) return a * b + 0 end, -- + 0: no -0 among integers
  }

  -- Arithmetic of 64-bit integers in LuaJIT: numbers, as long as these are exact.
  local function long(sym, t)
    local plain, exact, least = PLAIN[sym], core.jit_operation(NAMES[sym], t), t == "uint64" and 0 or -LIMIT
    return function(a, b)
      if type(a) == "number" and type(b) == "number" then
        local r = plain(a, b)
        if r < LIMIT and r > least then return r end
      end
      return exact(a, b)
    end
  end

  --- The function of +, - or * that needs more than the operator and numbers.narrow; nil where these do.
  function numbers.arithmetic(sym, t, bits)
    local alone = types.alone(t)
    if wide or not types.is_integer(alone) or alone ~= "uint64" and (bits or 64) <= 53 then return nil end
    if types.width(alone) == 64 then return long(sym, alone) end
    return sym == "*" and types.width(alone) == 32 and core.jit_operation("multiply", alone) or nil
  end

  -- Addition and subtraction as functions, for atomics and loops.
  local function arithmetic_of(sym, t)
    local f, plain = numbers.arithmetic(sym, t), PLAIN[sym]
    if f then return f end
    local narrow = numbers.narrow(t)
    if not narrow then return plain end
    return function(a, b) return narrow(plain(a, b)) end
  end

  -- ---- comparisons ----

  --- A comparison of two types by value; nil where Lua's operator does it.
  function numbers.comparison(sym, ta, tb)
    local a, b = types.alone(ta), types.alone(tb)
    local unsigned = a == "uint64" or b == "uint64"
    if a == b and (not wide or not unsigned or sym == "==" or sym == "!=") then return nil end
    if wide and not unsigned or a == "bool" then return nil end
    if types.width(a) < 64 and types.width(b) < 64 then return nil end
    return core.jit_comparison(sym, a, b)
  end

  --- math.max ("<") and math.min (">") of a type: as in Lua, the first value where they are equal or nan.
  function numbers.extreme(sym, t)
    local less = numbers.comparison("<", t, t)
    if less and sym == "<" then return function(a, b) if less(a, b) then return b end return a end end
    if less then return function(a, b) if less(b, a) then return b end return a end end
    if sym == "<" then return function(a, b) if a < b then return b end return a end end
    return function(a, b) if b < a then return b end return a end
  end

  -- ---- bits ----

  numbers.BITS = { ["&"] = "bitwise_and", ["|"] = "bitwise_or", ["^"] = "bitwise_xor" }
  numbers.SHIFTS = { ["<<"] = "shl", [">>"] = "shr", sar = "sar" }

  --- How many bits of an uint64 are set, and how many zeros lead.
  function numbers.popc()
    local shift, both = core.jit_shift("shr", "uint64"), core.jit_operation("bitwise_and", "uint64")
    return function(v)
      local n = 0
      while v ~= 0 do
        n, v = n + both(v, 1), shift(v, 1)
      end
      return n
    end
  end

  function numbers.clz()
    local shift = core.jit_shift("shr", "uint64")
    return function(v)
      local n = 64
      while v ~= 0 do
        n, v = n - 1, shift(v, 1)
      end
      return n
    end
  end

  -- ---- loops ----

  --- The values of a loop over integers whose step is not a literal, or which needs exact 64-bit numbers.
  function numbers.each()
    local add, distance = arithmetic_of("+", "int64"), arithmetic_of("-", "int64")
    local divide = core.jit_operation("floor_divide", "uint64")
    local unsigned = core.jit_conversion("int64", "uint64")
    return function(first, last, step)
      if step == 0 or step > 0 and first > last or step < 0 and first < last then return function() end end
      local far = step > 0 and distance(last, first) or distance(first, last)
      local left = divide(unsigned(far), unsigned(step > 0 and step or distance(0, step)))
      local at, ended = first, false
      return function()
        if ended then return nil end
        local now = at
        if left == 0 then ended = true else at, left = add(at, step), left - 1 end
        return now
      end
    end
  end

  --- The values of a loop over floats of a type, which is advanced by adding the step.
  function numbers.steps(t)
    local narrow = numbers.narrow(t) or function(v) return v end
    return function(first, last, step)
      local at
      return function()
        if at == nil then at = first else at = narrow(at + step) end
        if step > 0 and at <= last or step < 0 and at >= last then return at end
      end
    end
  end

  --- A floating end of a loop over integers, rounded towards the beginning.
  function numbers.limit()
    local whole = core.jit_conversion("float64", "int64")
    local most, least = core.jit_integer("9223372036854775807", "int64"), core.jit_integer("-9223372036854775808",
      "int64")
    local up, down = core.jit_operation("ceil", "float64"), core.jit_operation("floor", "float64")
    return function(last, falling)
      if last ~= last then return falling and most or least end
      return whole(falling and up(last) or down(last))
    end
  end

  -- ---- atomics, which return the old value ----

  local function exchange(f)
    return function(x, i, v)
      local old = x[i]
      x[i] = f(old, v)
      return old
    end
  end

  local ATOMICS = {
    add = function(t) return exchange(arithmetic_of("+", t)) end,
    sub = function(t) return exchange(arithmetic_of("-", t)) end,
    exch = function() return exchange(function(_, v) return v end) end,
    min = function(t) return exchange(numbers.extreme(">", t)) end,
    max = function(t) return exchange(numbers.extreme("<", t)) end,
    ["and"] = function(t) return exchange(core.jit_operation("bitwise_and", t)) end,
    ["or"] = function(t) return exchange(core.jit_operation("bitwise_or", t)) end,
    xor = function(t) return exchange(core.jit_operation("bitwise_xor", t)) end,
    inc = function() return exchange(function(old, v) if old >= v then return 0 end return old + 1 end) end,
    dec = function() return exchange(function(old, v) if old == 0 or old > v then return v end return old - 1 end) end,
    cas = function()
      return function(x, i, expected, v)
        local old = x[i]
        if old == expected then x[i] = v end
        return old
      end
    end,
  }

  --- The function of (array, position, value) of an atomic on elements of a dtype.
  function numbers.atomic(name, dtype) return ATOMICS[name](dtype) end

  return numbers
end
