-- Whole numbers that are drawn the same in every Lua, so that whatever fails with a seed fails again.

local MODULUS = 2147483647

-- A generator; equal seeds draw equal numbers.
return function(seed)
  local state = seed * 7919 % (MODULUS - 1) + 1
  local g = {}

  --- A number from 1 to n.
  function g.number(n)
    state = state * 16807 % MODULUS
    return math.floor(state / MODULUS * n) + 1
  end

  --- A number from 0 to n - 1.
  function g.below(n) return g.number(n) - 1 end

  function g.one_of(list) return list[g.number(#list)] end
  function g.chance(percent) return g.number(100) <= percent end

  g.number(2) -- the first one depends little on the seed
  return g
end
