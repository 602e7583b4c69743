-- cp.poly1d: a polynomial of one variable as an object with coefficients, roots, arithmetic, values and text.
-- Part of polynomials.lua, whose functions also take such objects.

return function(cp, core, trimmed)
  local poly1d = {} -- the metatable
  local methods = {}

  local WIDTH = 70 -- columns of tostring

  local function is_poly1d(v) return type(v) == "table" and getmetatable(v) == poly1d end

  core.is_poly1d = is_poly1d

  -- The object's own fields are plain; all others go through __index. Coefficients are never modified once an
  -- object has them, so objects can share them.
  local function new(coefficients, variable)
    return setmetatable({ _coeffs = trimmed(coefficients), _variable = variable or "x" }, poly1d)
  end

  core.new_poly1d = new

  -- ---- fields

  local fields = {
    coeffs = function(p) return p._coeffs end,
    order = function(p) return p._coeffs.size - 1 end,
    roots = function(p) return cp.roots(p._coeffs) end,
    variable = function(p) return p._variable end,
  }
  for name, synonyms in pairs { coeffs = "c coef coefficients", order = "o", roots = "r" } do
    for other in string.gmatch(synonyms, "%S+") do fields[other] = fields[name] end
  end

  -- p[k] is the coefficient of the k-th power, from 0, as a Lua value.
  function poly1d.__index(p, key)
    if type(key) ~= "number" then
      if fields[key] then return fields[key](p) end
      return methods[key]
    end
    local order = p.order
    return key % 1 == 0 and key >= 0 and key <= order and p._coeffs[order - key + 1] or 0
  end

  function poly1d.__newindex(p, key, value)
    if key == "variable" and type(value) == "string" then return rawset(p, "_variable", value) end
    if type(key) ~= "number" then
      local fact = "p[k] can be set to a number and p.variable to a string, not p.%s to this %s"
      core.raise("poly1d", "usage", string.format(fact, tostring(key), type(value)))
    end
    key = core.integer(key, "poly1d", "power")
    if key < 0 then core.raise("poly1d", "index", string.format("powers count from 0; there is no power %d", key)) end
    if not core.is_scalar(value) then
      core.raise("poly1d", "usage", "a coefficient must be a number, not " .. type(value))
    end
    local c = p._coeffs
    local wide = cp.zeros({ math.max(c.size, key + 1) }, { dtype = cp.result_type(c, value), device = c.device })
    core.slice(wide, 1, wide.size - c.size + 1, wide.size):assign(c)
    wide[wide.size - key] = value
    rawset(p, "_coeffs", trimmed(wide))
  end

  -- ---- arithmetic

  -- The coefficients of an operand of p: another polynomial, a number, a table or a vector.
  local function coefficients(v, p)
    if is_poly1d(v) then return v._coeffs end
    v = core.as_array(v, "poly1d", "operand", p._coeffs)
    if v.ndim > 1 then
      core.raise("poly1d", "shape", "operand must have one axis, not shape " .. tostring(v.shape))
    end
    return v.ndim == 0 and v:reshape({ 1 }) or v
  end

  -- Makes an operator from a function f of two vectors of coefficients.
  local function operator(f)
    return function(a, b)
      local p = is_poly1d(a) and a or b
      return new(f(coefficients(a, p), coefficients(b, p)), p._variable)
    end
  end

  poly1d.__add, poly1d.__sub = operator(cp.polyadd), operator(cp.polysub)
  -- A number does not change the coefficients' dtype, as beside an array.
  local product, quotient = operator(cp.polymul), operator(function(u, v) return (cp.polydiv(u, v)) end)

  function poly1d.__mul(a, b)
    local p, other = a, b
    if not is_poly1d(a) then p, other = b, a end
    if core.is_scalar(other) then return new(p._coeffs * other, p._variable) end
    return product(a, b)
  end

  function poly1d.__div(a, b)
    if core.is_scalar(b) then return new(a._coeffs / b, a._variable) end
    return quotient(a, b)
  end

  poly1d.__mod = operator(function(u, v) return select(2, cp.polydiv(u, v)) end)

  function poly1d.__unm(p) return new(-p._coeffs, p._variable) end

  function poly1d.__pow(p, n)
    if not is_poly1d(p) then core.raise("poly1d", "usage", "an exponent must be a whole number, not a polynomial") end
    n = core.integer(n, "poly1d", "exponent")
    if n < 0 then core.raise("poly1d", "usage", string.format("an exponent must not be negative, but is %d", n)) end
    local result, base = nil, p._coeffs
    while n > 0 do
      if n % 2 == 1 then result = result and cp.polymul(result, base) or base end
      n = math.floor(n / 2)
      if n > 0 then base = cp.polymul(base, base) end
    end
    return new(result or cp.ones({ 1 }, { dtype = base.dtype, device = base.device }), p._variable)
  end

  function poly1d.__eq(a, b) return cp.array_equal(a._coeffs, b._coeffs) end

  -- ---- values

  -- p(x): a Lua value for a number, an array for an array, and a polynomial for a polynomial.
  function poly1d.__call(p, x, ...)
    core.at_most("poly1d", 0, ...)
    if is_poly1d(x) then
      local result = core.slice(p._coeffs, 1, 1, 1)
      for k = 2, p._coeffs.size do
        result = cp.polyadd(cp.polymul(result, x._coeffs), core.slice(p._coeffs, 1, k, k))
      end
      return new(result, x.variable)
    end
    if x == nil then core.raise("poly1d", "usage", "x is missing") end
    local value = cp.polyval(p._coeffs, x)
    return core.is_scalar(x) and cp.is_array(value) and value:item() or value
  end

  function methods.deriv(p, m) return new(cp.polyder(p._coeffs, m), p._variable) end

  function methods.integ(p, m, k) return new(cp.polyint(p._coeffs, m, k), p._variable) end

  -- ---- text

  local function real_text(v) return string.format("%.4g", v) end

  local function number_text(v)
    if type(v) == "boolean" then return v and "1" or "0" end
    if type(v) ~= "userdata" or core.kind(v) ~= "c" then return real_text(tonumber(v) or tonumber(tostring(v))) end
    if v.im == 0 then return real_text(v.re) end
    if v.re == 0 then return real_text(v.im) .. "j" end
    return string.format("(%s + %sj)", real_text(v.re), real_text(v.im))
  end

  -- The text of a term after others, and of its exponent; nothing if the coefficient prints as 0.
  local function term(c, power, first, variable)
    local text = number_text(c)
    if text == "0" and not (first and power == 0) then return nil end
    if not first then text = string.sub(text, 1, 1) == "-" and " - " .. string.sub(text, 2) or " + " .. text end
    if power == 0 then return text, "" end
    return text .. " " .. variable, power > 1 and string.format("%d", power) or ""
  end

  -- Two lines for as many terms as fit: exponents above, terms below.
  function poly1d.__tostring(p)
    local lines, above, below, order = {}, "", "", p.order
    local function finish()
      if above ~= "" then lines[#lines + 1] = above end
      lines[#lines + 1], above, below = below, "", ""
    end
    for k = 1, order + 1 do
      local text, exponent = term(p._coeffs[k], order + 1 - k, k == 1, p._variable)
      if text then
        if #below + #text + #exponent > WIDTH then finish() end
        below = below .. text
        if exponent ~= "" then above = above .. string.rep(" ", #below - #above) .. exponent end
        below = below .. string.rep(" ", #exponent - 1)
      end
    end
    finish()
    return table.concat(lines, "\n")
  end

  --- A polynomial as an object: p(x), p + q, p - q, p * q, p / q (the quotient), p % q (the remainder), p ^
  --- n, p == q; p[k] is the coefficient of the k-th power, from 0; p:deriv(m) and p:integ(m, k); fields
  --- coeffs (or c), order, roots (or r), variable. The functions for polynomials take it too.
  ---@param c_or_r any  coefficients, the highest power first, or roots
  ---@param r? boolean  c_or_r holds roots; default false
  ---@param variable? string  its name in print; default "x"
  ---@return cupola.Poly1d
  core.publish("poly1d", "c_or_r, r, variable", 1, function(where, c_or_r, r, variable)
    if variable ~= nil and type(variable) ~= "string" then
      core.raise(where, "usage", "variable must be a string, not " .. type(variable))
    end
    if is_poly1d(c_or_r) then return new(c_or_r._coeffs, variable or c_or_r.variable) end
    local c = core.as_array(c_or_r, where, "c_or_r")
    if c.ndim > 1 then core.raise(where, "shape", "c_or_r must have one axis, not shape " .. tostring(c.shape)) end
    if c.ndim == 0 then c = c:reshape({ 1 }) end
    if core.boolean(r, where, "r", false) then return new(cp.poly(c), variable) end
    return new(c:copy(), variable)
  end)
end
