-- einsum: labels say which axes of the operands are multiplied and which are summed. Operands are contracted
-- in pairs, the cheapest pair first. A pair becomes a matrix product if labels are summed, else an
-- elementwise product.

return function(cp, core)
  local WHERE = "einsum"
  local short = core.load "linalg/einsum_short"(cp, core, WHERE)
  local joined = short.joined

  local function usage(fact) return core.raise(WHERE, "usage", fact) end

  -- ---- subscripts

  -- The labels of one operand as a list; "..." becomes numbered labels for the operand's other axes.
  local function labels_of(text, ndim, k)
    local before, after = string.match(text, "^(.-)%.%.%.(.*)$")
    local list, named = {}, #(before or text) + #(after or "")
    local function add(part)
      for c in string.gmatch(part, ".") do
        if not string.match(c, "%a") then usage(string.format("'%s' in subscripts is not a letter", c)) end
        list[#list + 1] = c
      end
    end
    if (before and named > ndim) or (not before and named ~= ndim) then
      core.raise(WHERE, "shape", string.format("operand %d has %s, but subscripts name %d", k,
        core.counted(ndim, "axis", "axes"), named))
    end
    add(before or text)
    for d = ndim - named, 1, -1 do list[#list + 1] = "." .. d end
    add(after or "")
    return list, ndim - named
  end

  -- The labels of the result if the text has none: those that occur once, in order, after those of "...".
  local function implied(inputs, dots)
    local count, list = {}, {}
    for _, labels in ipairs(inputs) do
      for _, c in ipairs(labels) do count[c] = (count[c] or 0) + 1 end
    end
    for d = dots, 1, -1 do list[#list + 1] = "." .. d end
    local named = {}
    for c, n in pairs(count) do
      if n == 1 and #c == 1 then named[#named + 1] = c end
    end
    table.sort(named)
    for _, c in ipairs(named) do list[#list + 1] = c end
    return list
  end

  local function explicit(text, dots, known)
    local list = {}
    local before, after = string.match(text, "^(.-)%.%.%.(.*)$")
    local function add(part)
      for c in string.gmatch(part, ".") do list[#list + 1] = c end
    end
    add(before or text)
    if before then
      for d = dots, 1, -1 do list[#list + 1] = "." .. d end
    elseif dots > 0 then
      core.raise(WHERE, "shape", "the result has no '...' for the axes that '...' stands for")
    end
    add(after or "")
    local seen = {}
    for _, c in ipairs(list) do
      if not known[c] then usage(string.format("the result's label '%s' is in no operand", c)) end
      if seen[c] then usage(string.format("the result has the label '%s' twice", c)) end
      seen[c] = true
    end
    return list
  end

  local function parse(subscripts, arrays)
    local text = string.gsub(subscripts, "%s", "")
    local left, right = string.match(text, "^(.-)%->(.*)$")
    local inputs, dots, known, k = {}, 0, {}, 0
    for part in string.gmatch((left or text) .. ",", "(.-),") do
      k = k + 1
      if not arrays[k] then usage(string.format("subscripts name more operands than the %d given", #arrays)) end
      local labels, more = labels_of(part, arrays[k].ndim, k)
      inputs[k], dots = labels, math.max(dots, more)
      for _, c in ipairs(labels) do known[c] = true end
    end
    if k ~= #arrays then usage(string.format("subscripts name %d operands, but %d are given", k, #arrays)) end
    return inputs, right and explicit(right, dots, known) or implied(inputs, dots)
  end

  -- What parse found, by subscripts and then by the numbers of axes; nothing changes these lists.
  local MOST_PARSED = 256
  local parsed, nparsed = {}, 0

  -- Returns the labels of the operands and of the result, and the plan of einsum_short.lua if there is one.
  local function parse_once(subscripts, arrays)
    local found = parsed[subscripts]
    for k = 1, #arrays do found = found and found[arrays[k].ndim] end
    if found and found.inputs then return found.inputs, found.result, found.plan end
    local inputs, result = parse(subscripts, arrays)
    if nparsed == MOST_PARSED then parsed, nparsed = {}, 0 end
    found = parsed[subscripts] or {}
    parsed[subscripts], nparsed = found, nparsed + 1
    for k = 1, #arrays do
      local ndim = arrays[k].ndim
      found[ndim] = found[ndim] or {}
      found = found[ndim]
    end
    found.inputs, found.result, found.plan = inputs, result, short.plan(inputs, result)
    return inputs, result, found.plan
  end

  -- ---- operands: {array, shape, labels}, each label once and of known length

  -- The lengths of all labels; a length of 1 broadcasts, as in NumPy.
  local function lengths_of(inputs, shapes)
    local lengths = {}
    for k, labels in ipairs(inputs) do
      for d, c in ipairs(labels) do
        local n = shapes[k][d]
        local known = lengths[c]
        if known and known ~= n and known ~= 1 and n ~= 1 then
          core.raise(WHERE, "shape", string.format("label '%s' has length %d and %d", c, known, n))
        end
        lengths[c] = (known == nil or known == 1) and n or known
      end
    end
    return lengths
  end

  -- Replaces axes that share a label by their diagonal.
  local function with_diagonals(x, shape, labels)
    local first = {}
    for d, c in ipairs(labels) do
      local other = first[c]
      if other then
        if shape[other] ~= shape[d] then
          core.raise(WHERE, "shape", string.format("label '%s' has length %d and %d", c, shape[other], shape[d]))
        end
        local rest = {}
        for e, name in ipairs(labels) do
          if e ~= d and e ~= other then rest[#rest + 1] = name end
        end
        rest[#rest + 1] = c
        local diagonal = cp.diagonal(x, 0, other, d)
        return with_diagonals(diagonal, diagonal.shape, rest)
      end
      first[c] = d
    end
    return { array = x, shape = shape, labels = labels }
  end

  local function set_of(list)
    local set = {}
    for _, c in ipairs(list) do set[c] = true end
    return set
  end

  -- Drops axes of length 1 that broadcast, because another operand has the label with its full length.
  local function without_ones(op, lengths)
    local labels, axes = {}, {}
    for d, c in ipairs(op.labels) do
      local list = op.shape[d] == 1 and lengths[c] ~= 1 and axes or labels
      list[#list + 1] = list == axes and d or c
    end
    if #axes == 0 then return op end
    local x = cp.squeeze(op.array, axes)
    return { array = x, shape = x.shape, labels = labels }
  end

  -- Sums over the labels that are not needed any more.
  local function summed(op, needed, dtype)
    local axes, labels = {}, {}
    for d, c in ipairs(op.labels) do
      if needed[c] then labels[#labels + 1] = c else axes[#axes + 1] = d end
    end
    if #axes == 0 then return op end
    local x = op.array:astype(dtype, false)
    x = dtype == "bool" and x:any({ axis = axes }) or x:sum({ axis = axes, dtype = dtype })
    return { array = x, shape = x.shape, labels = labels }
  end

  -- x, which has the shape `own`, with this shape; x itself if that is its own.
  local function shaped(x, own, shape)
    local same = #own == #shape
    for d = 1, #shape do same = same and own[d] == shape[d] end
    return same and x or x:reshape(shape)
  end

  local function is_in_order(order)
    for k = 1, #order do
      if order[k] ~= k then return false end
    end
    return true
  end

  -- The operand with its axes in the order of labels, of length 1 where it has no such label, and its shape.
  local function arranged(op, labels)
    local at, order, turned, shape = {}, {}, {}, {}
    for d, c in ipairs(op.labels) do at[c] = d end
    for k, c in ipairs(labels) do
      if at[c] then
        order[#order + 1] = at[c]
        shape[k] = op.shape[at[c]]
        turned[#order] = shape[k]
      else
        shape[k] = 1
      end
    end
    local x = is_in_order(order) and op.array or cp.transpose(op.array, order)
    return shaped(x, turned, shape), shape
  end

  -- ---- pairs

  -- Groups labels: batch (in both operands and needed), bound (in both, summed), left and right (in one).
  local function sorted(a, b, needed)
    local in_b, in_a = set_of(b.labels), set_of(a.labels)
    local batch, bound, left, right = {}, {}, {}, {}
    for _, c in ipairs(a.labels) do
      local list = not in_b[c] and left or needed[c] and batch or bound
      list[#list + 1] = c
    end
    for _, c in ipairs(b.labels) do
      if not in_a[c] then right[#right + 1] = c end
    end
    return batch, bound, left, right
  end

  local function product_of(labels, lengths)
    local n = 1
    for _, c in ipairs(labels) do n = n * lengths[c] end
    return n
  end

  local function lengths_list(labels, lengths)
    local list = {}
    for k, c in ipairs(labels) do list[k] = lengths[c] end
    return list
  end

  -- Both operands as batches of matrices, multiplied.
  local function as_matrices(a, b, groups, lengths, dtype)
    local batch, bound, left, right = groups[1], groups[2], groups[3], groups[4]
    local shape_a, shape_b = lengths_list(batch, lengths), lengths_list(batch, lengths)
    local k = product_of(bound, lengths)
    shape_a[#shape_a + 1], shape_a[#shape_a + 2] = product_of(left, lengths), k
    shape_b[#shape_b + 1], shape_b[#shape_b + 2] = product_of(right, lengths), k
    local x, own_a = arranged(a, joined(batch, left, bound))
    local y, own_b = arranged(b, joined(batch, right, bound))
    x, y = shaped(x, own_a, shape_a), shaped(y, own_b, shape_b)
    local labels = joined(batch, left, right)
    local z = core.matrix_product(WHERE, x, cp.swapaxes(y, -1, -2), dtype)
    local shape = lengths_list(labels, lengths)
    shape_a[#shape_a] = shape_b[#shape_b - 1]
    return { array = shaped(z, shape_a, shape), shape = shape, labels = labels }
  end

  local function pair(a, b, needed, lengths, dtype)
    a = summed(a, setmetatable(set_of(b.labels), { __index = needed }), dtype)
    b = summed(b, setmetatable(set_of(a.labels), { __index = needed }), dtype)
    local batch, bound, left, right = sorted(a, b, needed)
    if #bound > 0 then return as_matrices(a, b, { batch, bound, left, right }, lengths, dtype) end
    local labels = joined(batch, left, right)
    local x, y = arranged(a, labels), arranged(b, labels)
    return { array = x:astype(dtype, false) * y, shape = lengths_list(labels, lengths), labels = labels }
  end

  -- ---- the path

  -- How many operands have each label; the result counts as one.
  local function uses_of(operands, result)
    local uses = {}
    local function add(labels)
      for _, c in ipairs(labels) do uses[c] = (uses[c] or 0) + 1 end
    end
    for _, op in ipairs(operands) do add(op.labels) end
    add(result)
    return uses
  end

  -- The labels of a pair that the result or another operand has too, and all labels of the pair.
  local function needed_beside(a, b, uses)
    local inside, needed = {}, {}
    for _, op in ipairs { a, b } do
      for _, c in ipairs(op.labels) do inside[c] = (inside[c] or 0) + 1 end
    end
    for c, n in pairs(inside) do needed[c] = uses[c] > n or nil end
    return needed, inside
  end

  -- Makes b the operand to contract a with if no cheaper pair is known: one with less work, then with a
  -- smaller result, then with an operand that comes earlier.
  local function consider(a, b, uses, lengths)
    local needed, inside = needed_beside(a, b, uses)
    local work, size = 1, 1
    for c in pairs(inside) do
      work = work * lengths[c]
      if needed[c] then size = size * lengths[c] end
    end
    local less = work - a.work
    if less == 0 then less = size - a.size end
    if a.partner == nil or less < 0 or (less == 0 and b.rank < a.partner.rank) then
      a.partner, a.work, a.size = b, work, size
    end
  end

  -- Finds the best partner of operand i among those that follow it.
  local function find_partner(operands, i, uses, lengths)
    local a = operands[i]
    a.partner, a.work, a.size = nil, math.huge, math.huge
    for j = i + 1, #operands do consider(a, operands[j], uses, lengths) end
  end

  -- Updates the partners after operand i took the place of `a` and `b`. What pairs of other operands cost
  -- does not change: the labels that they share with a or b are labels of operand i.
  local function update_partners(operands, i, a, b, uses, lengths)
    for k = 1, #operands do
      local op = operands[k]
      if k == i or op.partner == a or op.partner == b then
        find_partner(operands, k, uses, lengths)
      elseif k < i then
        consider(op, operands[i], uses, lengths)
      end
    end
  end

  -- The pair with the least work, then the smallest result.
  local function next_pair(operands)
    local best = 1
    for k = 2, #operands - 1 do
      local op, least = operands[k], operands[best]
      if op.work < least.work or (op.work == least.work and op.size < least.size) then best = k end
    end
    local j = best + 1
    while operands[j] ~= operands[best].partner do j = j + 1 end
    return best, j
  end

  local function contract_all(operands, result, lengths, dtype, in_order)
    local uses, planned = #operands > 2 and uses_of(operands, result), not in_order and #operands > 2
    for k, op in ipairs(operands) do op.rank = k end
    if planned then
      for k = 1, #operands do find_partner(operands, k, uses, lengths) end
    end
    while #operands > 1 do
      local i, j = 1, 2
      if planned then i, j = next_pair(operands) end
      local a, b = operands[i], operands[j]
      local needed = #operands > 2 and needed_beside(a, b, uses) or set_of(result)
      local z = pair(a, b, needed, lengths, dtype)
      z.rank = a.rank
      table.remove(operands, j)
      operands[i] = z
      if #operands > 1 then
        for c, n in pairs(uses_of({ a, b }, {})) do uses[c] = uses[c] - n end
        for _, c in ipairs(z.labels) do uses[c] = uses[c] + 1 end
        if planned then update_partners(operands, i, a, b, uses, lengths) end
      end
    end
    return operands[1]
  end

  local function einsum(subscripts, arrays, out, dtype, optimize)
    local inputs, result, plan = parse_once(subscripts, arrays)
    if plan and dtype == nil and out == nil and (#arrays == 1 or arrays[1].device == arrays[2].device) then
      local z = short.run(plan, arrays, core.common_dtype(WHERE, arrays))
      if z then return z end
    end
    local shapes = {}
    for k, x in ipairs(arrays) do shapes[k] = x.shape end
    local lengths, operands = lengths_of(inputs, shapes), {}
    for k, x in ipairs(arrays) do
      if x.device ~= arrays[1].device then
        usage(string.format("arrays on %s and %s; move them with :to", arrays[1].device, x.device))
      end
      operands[k] = without_ones(with_diagonals(x, shapes[k], inputs[k]), lengths)
    end
    local common = dtype ~= nil and core.dtype(dtype, WHERE) or core.common_dtype(WHERE, arrays)
    if #operands == 1 then operands[1] = summed(operands[1], set_of(result), common) end
    local op = contract_all(operands, result, lengths, common, optimize == false)
    local z = arranged(op, result):astype(common, false)
    if rawequal(z, arrays[1]) then z = z:reshape(z.shape) end -- a handle of its own
    return out == nil and z or core.write_out(WHERE, out, z)
  end

  local LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

  -- The text of a table of labels, whole numbers from 0 to 51 and cp.ellipsis.
  local function text_of(sublist)
    local text, first = {}, next(sublist)
    if type(first) == "string" then usage("labels must be whole numbers or cp.ellipsis, not '" .. first .. "'") end
    for k = 1, #sublist do
      local label = rawget(sublist, k)
      if rawequal(label, cp.ellipsis) then
        text[k] = "..."
      else
        label = core.integer(label, WHERE, "label", nil, 0, 51)
        text[k] = string.sub(LETTERS, label + 1, label + 1)
      end
    end
    return table.concat(text)
  end

  -- Turns operands that are each followed by the table of their labels into subscripts and operands.
  local function from_sublists(list, n)
    local texts, arrays, k = {}, {}, 1
    while k < n do
      if type(list[k + 1]) ~= "table" then
        usage(string.format("subscripts must be a text such as \"ij,jk->ik\", or a table of labels must follow each "
          .. "operand, not %s", cp.type(list[k + 1])))
      end
      arrays[#arrays + 1], texts[#texts + 1] = list[k], text_of(list[k + 1])
      k = k + 2
    end
    local subscripts = table.concat(texts, ",")
    if k ~= n then return subscripts, arrays end
    if type(list[n]) ~= "table" then usage "the labels of the result must be a table" end
    return subscripts .. "->" .. text_of(list[n]), arrays
  end

  --- Sums of products by labels of axes: `cp.einsum("ij,jk->ik", a, b)` multiplies matrices, `"ii"` is a
  --- trace, `"...ij->...ji"` swaps the last axes. Without "->" the result has the labels that occur once, in
  --- order. Of several operands, the cheapest pair is contracted first. Labels may also be whole numbers from
  --- 0 to 51 in tables behind the operands: `cp.einsum(a, {0, 1}, b, {1, 2}, {0, 2})`.
  ---@param subscripts any  a text, or the first operand
  ---@param ... any  the arrays, then optionally a table of out, dtype and optimize (false: in the given
  --- order)
  ---@return any
  function cp.einsum(subscripts, ...)
    local arrays, n, options = { ... }, select("#", ...), {}
    local last = arrays[n]
    if (n > 1 or type(subscripts) ~= "string") and type(last) == "table" and next(last) ~= nil and #last == 0 then
      options, arrays[n], n = last, nil, n - 1
      for name in pairs(options) do
        if name ~= "out" and name ~= "dtype" and name ~= "optimize" then
          usage(string.format("no option '%s'; the options are out, dtype and optimize", tostring(name)))
        end
      end
    end
    if type(subscripts) ~= "string" and n > 0 then
      subscripts, arrays = from_sublists({ subscripts, unpack(arrays, 1, n) }, n + 1)
      n = #arrays
    end
    if type(subscripts) ~= "string" then
      usage("subscripts must be a text such as \"ij,jk->ik\", not " .. cp.type(subscripts))
    end
    if n == 0 then usage "needs at least one array" end
    local one = core.first_array(arrays)
    for k = 1, n do
      if not cp.is_array(arrays[k]) then
        arrays[k] = core.as_array(arrays[k], WHERE, string.format("operand %d", k), one)
      else
        core.as_array(arrays[k], WHERE, "operand") -- raises if freed
      end
    end
    return einsum(subscripts, arrays, options.out, options.dtype, options.optimize)
  end
end
