-- Lengths that have fast Fourier transforms: products of 2, 3, 5 and 7.

local lengths = { LARGEST = 2 ^ 52 } -- up to it all products are exact in every Lua

--- The smallest such length of at least n, from 1 to LARGEST: of each product of 3, 5 and 7 below the best
--- length so far, the smallest multiple by a power of 2 that is long enough.
function lengths.fast(n)
  local best = 1
  while best < n do best = best * 2 end
  local sevens = 1
  while sevens < best do
    local fives = sevens
    while fives < best do
      local odd = fives
      while odd < best do
        local length = odd
        while length < n do length = length * 2 end
        if length < best then best = length end
        odd = odd * 3
      end
      fives = fives * 5
    end
    sevens = sevens * 7
  end
  return best
end

return lengths
