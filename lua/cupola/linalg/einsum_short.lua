-- What einsum does for one operand, or for two whose labels each have one length, found once for each text:
-- which axes are summed, and how the axes of operands and result are ordered. So a call makes few tables. The
-- values are those of the steps in lua/cupola/linalg/einsum.lua, which handle all else.

return function(cp, core, WHERE)
  local short = {}

  -- Where each label of a list is; nil if one occurs twice.
  local function places_of(labels)
    local at = {}
    for d, c in ipairs(labels) do
      if at[c] then return nil end
      at[c] = d
    end
    return at
  end

  -- The axes that `at` gives for the labels in order; false if these are all axes in their own order.
  local function order_of(labels, at)
    local order, own = {}, true
    for k, c in ipairs(labels) do
      order[k] = at[c]
      own = own and at[c] == k
    end
    return not own and order
  end

  --- One list of what several have.
  function short.joined(...)
    local list = {}
    for _, part in ipairs { ... } do
      for _, c in ipairs(part) do list[#list + 1] = c end
    end
    return list
  end

  local joined = short.joined

  local function of_one(labels, needed, result)
    local axes, rest = {}, {}
    for d, c in ipairs(labels) do
      if needed[c] then rest[#rest + 1] = c else axes[#axes + 1] = d end
    end
    return { axes = #axes > 0 and axes, order = order_of(result, places_of(rest)) }
  end

  local function of_two(a, b, in_a, in_b, needed, result)
    local batch, bound, left, right, shared = {}, {}, {}, {}, {}
    for d, c in ipairs(a) do
      local list = not in_b[c] and left or needed[c] and batch or bound
      if list == left and not needed[c] then return nil end -- it is summed first
      list[#list + 1] = c
      if in_b[c] then shared[#shared + 1] = { d, in_b[c] } end
    end
    for _, c in ipairs(b) do
      if not in_a[c] then
        if not needed[c] then return nil end
        right[#right + 1] = c
      end
    end
    if #bound == 0 then return nil end
    local function axes_in(labels, at)
      local list = {}
      for k, c in ipairs(labels) do list[k] = at[c] end
      return list
    end
    local labels = joined(batch, left, right)
    return { shared = shared, batch = axes_in(batch, in_a), bound = axes_in(bound, in_a), left = axes_in(left, in_a),
      right = axes_in(right, in_b), order_a = order_of(joined(batch, left, bound), in_a),
      order_b = order_of(joined(batch, right, bound), in_b), order = order_of(result, places_of(labels)),
      plain = #left == 1 and #right == 1 and #bound == 1 }
  end

  --- What is to be done for operands with these labels; nil if it takes the longer way.
  function short.plan(inputs, result)
    local needed, in_a, in_b = {}, places_of(inputs[1]), inputs[2] and places_of(inputs[2])
    for _, c in ipairs(result) do needed[c] = true end
    if #inputs == 1 and in_a then return of_one(inputs[1], needed, result) end
    if #inputs == 2 and in_a and in_b then return of_two(inputs[1], inputs[2], in_a, in_b, needed, result) end
  end

  local function run_one(plan, x, dtype)
    local z = x
    if plan.axes then
      z = dtype == "bool" and x:any({ axis = plan.axes }) or x:sum({ axis = plan.axes, dtype = dtype })
    end
    if plan.order then z = cp.transpose(z, plan.order) end
    return rawequal(z, x) and x:reshape(x.shape) or z
  end

  local function total(x, axes)
    local n = 1
    for k = 1, #axes do n = n * core.extent(x, axes[k]) end
    return n
  end

  -- Appends the lengths of axes of x.
  local function add_lengths(list, x, axes)
    for k = 1, #axes do list[#list + 1] = core.extent(x, axes[k]) end
    return list
  end

  -- The operand as batches of matrices.
  local function matrices(plan, a, x, order, free)
    if order then x = cp.transpose(x, order) end
    if plan.plain then return x end
    local shape = add_lengths({}, a, plan.batch)
    shape[#shape + 1], shape[#shape + 2] = free, total(a, plan.bound)
    return x:reshape(shape)
  end

  local function run_two(plan, a, b, dtype)
    for _, pair in ipairs(plan.shared) do
      if core.extent(a, pair[1]) ~= core.extent(b, pair[2]) then return nil end
    end
    local m, n = total(a, plan.left), total(b, plan.right)
    local x, y = matrices(plan, a, a, plan.order_a, m), matrices(plan, a, b, plan.order_b, n)
    local z = core.matrix_product(WHERE, x, cp.swapaxes(y, -1, -2), dtype)
    if not plan.plain then
      local shape = add_lengths(add_lengths({}, a, plan.batch), a, plan.left)
      z = z:reshape(add_lengths(shape, b, plan.right))
    end
    return plan.order and cp.transpose(z, plan.order) or z
  end

  --- The result for the operands, whose common dtype is `dtype`; nil if it takes the longer way.
  function short.run(plan, arrays, dtype)
    local a, b = arrays[1], arrays[2]
    if b == nil then return run_one(plan, a, dtype) end
    return run_two(plan, a, b, dtype)
  end

  return short
end
