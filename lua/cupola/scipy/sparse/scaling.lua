-- Products of which one factor is a diagonal: they only scale rows or columns.

return function(_, core, S)
  -- The main diagonal, if the square array f has no other; else nil.
  local function only_diagonal(f)
    if f.format ~= "dia" or f.shape[1] ~= f.shape[2] or #f.offsets ~= 1 or core.capturing then return nil end
    if f.data.shape[2] < f.shape[2] or f.offsets[1] ~= 0 then return nil end
    return core.slice(f.data, 2, 1, f.shape[2]):reshape(-1)
  end

  --- The product of two sparse arrays one of which only scales rows or columns; nil for others.
  function S.scaled(where, a, b)
    local left, right = only_diagonal(a), only_diagonal(b)
    if not left and not right or a.shape[2] ~= b.shape[1] then return nil end
    local f = S.csr(where, left and b or a)
    if (left or right).device ~= f.data.device then return nil end
    local row, col, data = S.triplets(where, f)
    local factors = S.gather(where, left or right, left and row or col)
    local A = S.with_data(f, left and factors * data or data * factors)
    return S.settle(where, f).canonical and S.known_canonical(where, A) or A
  end
end
