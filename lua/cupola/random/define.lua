-- What all functions of cp.random share: each is written once, for a request, and becomes a method of
-- generators and a function of cp.random with a default generator. A request has the stream to draw from, the
-- function's name for errors, and the shape, dtype and device of the result.

return function(cp, core)
  local stream = require "cupola.random.stream"(cp, core)
  local curand = require "cupola.random.curand"(cp, core, stream)
  local Request = {}
  Request.__index = Request

  local HALVES = { float16 = 2048, bfloat16 = 256 } -- integers up to these are exact

  function Request:fail(fact) return core.raise(self.where, "usage", fact) end

  -- ---- parameters

  local function plain(v)
    if type(v) == "number" then return v end
    if type(v) == "boolean" then return nil end
    v = core.as_array(v, "random", "parameter")
    local kind = core.kind(v.dtype)
    if kind == "c" then return nil end
    return tonumber(v:item())
  end

  -- Checks a number, or takes an array. check(number) returns what is wrong with a number. Arrays are not
  -- checked, since that would wait for the device: their elements give nan if they are out of range.
  function Request:parameter(v, name, check)
    if core.is_scalar(v) then
      local number = plain(v)
      if not number then core.raise(self.where, "dtype", name .. " must be a real number") end
      local wrong = check and check(number)
      if wrong then core.raise(self.where, "usage", string.format("%s %s, but is %.14g", name, wrong, number)) end
      return number
    end
    v = core.as_array(v, self.where, name)
    if core.kind(v.dtype) == "c" then core.raise(self.where, "dtype", name .. " must be real, not " .. v.dtype) end
    return v
  end

  -- The shape that both broadcast to, or nil.
  local function broadcast(a, b)
    local shape, n = {}, math.max(#a, #b)
    for k = 1, n do
      local x, y = a[#a - n + k] or 1, b[#b - n + k] or 1
      if x ~= y and x ~= 1 and y ~= 1 then return nil end
      shape[k] = x == 1 and y or x
    end
    return shape
  end

  local function text(shape) return tostring(core.shape(shape, "random", "size")) end

  local function same(a, b)
    if #a ~= #b then return false end
    for k = 1, #a do
      if a[k] ~= b[k] then return false end
    end
    return true
  end

  -- Sets shape (nil: a single value, 0-d) and device from size and the parameters, if there are any.
  function Request:place(size, parameters)
    if size ~= nil then size = core.shape(size, self.where, "size") end
    local shape
    for k = 1, parameters and #parameters or 0 do
      local v = parameters[k]
      if type(v) ~= "number" and cp.is_array(v) then
        self.device = self.device or v.device
        local both = broadcast(shape or {}, v.shape)
        if not both then
          core.raise(self.where, "shape", string.format("parameters of shapes %s and %s do not broadcast", text(shape),
            text(v.shape)))
        end
        shape = both
      end
    end
    if size ~= nil and shape ~= nil and not same(broadcast(size, shape) or {}, size) then
      core.raise(self.where, "shape", string.format("parameters of shape %s do not broadcast to size %s", text(shape),
        text(size)))
    end
    self.single = size == nil and shape == nil
    self.shape, self.device = size or shape, self.device or self.stream.device
  end

  -- Sets the dtype to compute in (work) and the dtype of the result (dtype; nil: that of work).
  function Request:floating(dtype)
    if dtype == nil then
      self.work = core.default_dtype()
      return
    end
    dtype = core.dtype(dtype, self.where)
    if core.kind(dtype) ~= "f" then core.raise(self.where, "dtype", "dtype must be floating, not " .. dtype) end
    self.dtype = dtype
    self.work = HALVES[dtype] and "float32" or dtype
  end

  function Request:integral(dtype, missing)
    dtype = dtype == nil and (missing or "int64") or core.dtype(dtype, self.where)
    local kind = core.kind(dtype)
    if kind ~= "i" and kind ~= "u" and kind ~= "b" then
      core.raise(self.where, "dtype", "dtype must be an integer type or bool, not " .. dtype)
    end
    self.dtype, self.work = dtype, "float64"
  end

  function Request:finish(x)
    if self.dtype == nil then return x end
    return x:astype(self.dtype, false)
  end

  -- ---- draws

  --- A pending array of draws of this kind, which is an operation of the table; shape and dtype default to
  --- the request's.
  function Request:draw(kind, a, b, dtype, shape, c)
    local s, device = self.stream, self.device or self.stream.device
    shape, dtype = shape or self.shape, dtype or self.work
    if s.library and core.capturing then
      core.raise(self.where, "usage",
        "cuRAND's generators keep their position on the host, so a graph cannot continue their numbers")
    end
    local x = s.library and curand.draw(self, kind, a, dtype, shape)
    if x then return x end
    local call, seed_at, call_at
    s:enter_process()
    if core.capturing then -- a graph reads the seed and the number of its first call from memory
      call, seed_at, call_at = core.capturing(s, device or cp.device().name)
    else
      call = s:next_call()
    end
    return core.draw(self.where, kind, shape, dtype, a, s.high, s.low, call, device, b, c, seed_at, call_at)
  end

  --- Numbers in [0, scale), in steps of 2^-24 (float32) or 2^-53.
  function Request:unit(scale) return self:draw("uniform", scale or 1) end

  --- Numbers in (0, 1), symmetric about 1/2, in steps of 2^-23 or 2^-52.
  function Request:open()
    local steps = self.work == "float32" and 2 ^ 23 or 2 ^ 52
    return (cp.floor(self:unit(steps)) + 0.5) * (1 / steps)
  end

  --- Numbers in [0, 1) in the request's dtype: half types are rounded down, so that none becomes 1.
  function Request:fraction()
    local steps = HALVES[self.dtype]
    if not steps then return self:finish(self:unit()) end
    return (cp.floor(self:unit(steps)) * (1 / steps)):astype(self.dtype, false)
  end

  function Request:normal(scale) return self:draw("normal", scale or 1) end
  function Request:exponential() return -cp.log1p(-self:unit()) end
  function Request:gamma(a) return self:draw("gamma", a) end

  -- ---- functions

  local define = { stream = stream, curand = curand }

  -- A check that returns what is wrong with a number; nan is always wrong.
  local function demand(holds, otherwise)
    return function(v)
      if not holds(v) then return otherwise end
    end
  end
  define.checks = {
    positive = demand(function(v) return v > 0 end, "must be positive"),
    not_negative = demand(function(v) return v >= 0 end, "must not be negative"),
    finite = demand(function(v) return v - v == 0 end, "must be finite"),
    count = demand(function(v) return v >= 0 and v == math.floor(v) and v < 2 ^ 53 end,
      "must be a whole number that is not negative"),
    whole = demand(function(v) return v == math.floor(v) end, "must be a whole number"),
    share = demand(function(v) return v >= 0 and v <= 1 end, "must be from 0 to 1"),
    chance = demand(function(v) return v > 0 and v <= 1 end, "must be above 0 and at most 1"),
    rare = demand(function(v) return v > 0 and v < 1 end, "must be between 0 and 1"),
    steep = demand(function(v) return v > 1 end, "must be above 1"),
  }
  local pending -- the stream of the method being called, until the function takes it
  local default = stream.new(nil, "random", true)

  function define.default() return default end

  -- The stream of a generator, a random state or a bit generator.
  local function stream_of(object)
    if stream.is(object) then return object end
    return type(object) == "table" and stream.is(rawget(object, "bit_generator")) and object.bit_generator or nil
  end
  define.stream_of = stream_of

  -- A draw without a size, from numbers alone, is a number as in NumPy; but while a graph is captured, which
  -- cannot read anything, it is a 0-d array.
  local function value_of(request, x, ...)
    if request.single and not core.capturing and cp.is_array(x) and x.ndim == 0 then return x:item() end
    return x, ...
  end

  --- Defines the function NAME: f(request, ...) with the arguments `names`, of which `required` must be
  --- given. groups: where it is added: "module" for cp.random itself, others are classes, whose methods use
  --- their object's stream.
  function define.add(name, groups, names, required, f)
    local full = "random." .. name
    local arranged = core.define(full, names, required, function(where, ...)
      -- the fields that are set later are named, too, so that the table has room for them at once
      local request = setmetatable({ where = where, stream = pending or default, dtype = nil, work = nil, shape = nil,
        device = nil, single = nil }, Request)
      pending = nil
      return value_of(request, f(request, ...))
    end)
    local function method(self, ...)
      local s = stream_of(self)
      if not s then core.raise(full, "usage", "is a method: call it as generator:" .. name .. "(...)") end
      pending = s
      return arranged(...)
    end
    for _, group in ipairs(groups) do
      if group == cp.random then
        group[name] = function(...)
          pending = nil
          return arranged(...)
        end
      else
        group[name] = method
      end
    end
  end

  return define
end
