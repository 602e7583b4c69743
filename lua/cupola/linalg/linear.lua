-- cp.linalg.linear: a product, a bias and an activation in one call, as the layers of neural networks compute
-- them. The product is the device's BLAS's; the rest is one pass over it, or part of the product's kernel
-- where the device has one that does both.

return function(cp, core)
  local publish = core.publisher(cp.linalg, "linalg.")

  local function sigmoid(x) return 1 / (1 + cp.exp(-x)) end

  -- The activations of real values. gelu is that of the normal distribution (Hendrycks and Gimpel 2016,
  -- "Gaussian error linear units", which has the approximation by tanh, too). They multiply by a half, as a
  -- GPU divides zero and what is near it several times more slowly than other numbers.
  local ACTIVATIONS = {
    none = function(x) return x end,
    relu = function(x) return cp.maximum(x, 0) end,
    gelu = function(x) return x * 0.5 * (cp.scipy.special.erf(x * math.sqrt(0.5)) + 1) end,
    gelu_tanh = function(x) return x * 0.5 * (cp.tanh((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)) + 1) end,
    silu = function(x) return x * sigmoid(x) end,
    sigmoid = sigmoid,
    tanh = cp.tanh,
  }
  -- gelu of halves, in float32: relu(x) - t Phi(-t) for t = |x|, where Phi(-t) is the eighth power of a
  -- polynomial, nearly 0 at FAR. It takes two thirds of the instructions that erf takes. Of all float16
  -- numbers 18 are not rounded correctly, by 1 ulp (526 by erf). tools/fit-gelu.py finds the coefficients.
  local TAIL = { -3.13694812e-07, 7.75338503e-06, -6.19495549e-05, 3.96778451e-05, 0.00149499881, -0.000663277344,
    -0.0319318771, -0.0914568603, 0.917003989 }
  local FAR = 7.718241
  local function gelu_of_half(x)
    local t = cp.abs(x)
    t = cp.where(t:gt(FAR), FAR, t)
    local h = TAIL[1]
    for k = 2, #TAIL do h = cp.fma(t, h, TAIL[k]) end
    for _ = 1, 3 do h = h * h end
    return cp.where(x:lt(0), 0, x) - t * h
  end

  local NAMES = '"none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid" or "tanh"'

  local function activation_of(where, name, dtype)
    if name == nil then name = "none" end
    local f = name == "gelu" and core.is_half(dtype) and gelu_of_half or ACTIVATIONS[name]
    if not f then core.not_among(where, "activation", NAMES, name) end
    if name ~= "none" and core.kind(dtype) == "c" then
      core.raise(where, "dtype", "activations take real values, not " .. dtype)
    end
    return f
  end

  -- Raises an error unless the bias broadcasts to the product's shape.
  local function check_bias(where, bias, shape)
    local more = #shape - #bias
    local fits = more >= 0
    for k = 1, #bias do fits = fits and (bias[k] == 1 or bias[k] == shape[more + k]) end
    if fits then return end
    core.raise(where, "shape", string.format("bias has shape %s, the product %s", tostring(bias), tostring(shape)))
  end

  -- Activations by the product's kernel, by dtype. cuBLASLt's tanh is too inexact for float32.
  local HALF, SINGLE = { none = true, relu = true, gelu_tanh = true }, { none = true, relu = true }
  local FUSED = { float16 = HALF, bfloat16 = HALF, float32 = SINGLE }

  -- The result by one kernel; nil if the operands or the activation are none for the device's. What is wrong
  -- about operands is said by those who compute in steps.
  local function fused(where, a, b, bias, activation)
    local names = FUSED[a.dtype]
    if not (names and names[activation]) or (bias == nil and activation == "none") then return nil end
    if a.dtype ~= b.dtype or a.ndim < 2 or b.ndim ~= 2 then return nil end
    local k, n = core.extent(b, 1), core.extent(b, 2)
    if core.extent(a, -1) ~= k then return nil end
    if n < 2 or a.size < 2 * k or k == 0 then return nil end
    if bias ~= nil and not (bias.dtype == a.dtype and bias.device == a.device and bias:has_shape(n)) then return nil end
    return core.fused_product(where, a, b, bias, activation)
  end

  --- activation(a @ b + bias): the product as cp.matmul has it, to which the bias is added. float16 and
  --- bfloat16 are rounded after the product and at the end, or at the end alone where cuBLASLt computes all
  --- by one kernel: on a GPU for one matrix b, a bias of shape (n), and none, relu or gelu_tanh, whose
  --- absolute error is some 1e-5 then. It does float32 with none and relu, too.
  ---@param a any  (..., m, k), or (k)
  ---@param b any  (..., k, n)
  ---@param bias? any  what broadcasts to the product's shape, usually (n)
  ---@param activation? string  "none" (default), "relu", "gelu" (by erf), "gelu_tanh", "silu", "sigmoid",
  --- "tanh"
  ---@param out? any  an array of the result's shape
  ---@return any  floating: integers are converted
  publish("linear", "a, b, bias, activation, out", 2, function(where, a, b, bias, activation, out)
    a = core.as_array(a, where, "a", b)
    b = core.as_array(b, where, "b", a)
    core.same_device(where, a, b)
    if bias ~= nil then bias = core.as_array(bias, where, "bias", a) end
    local y = fused(where, a, b, bias, activation or "none")
    if y then return out == nil and y or core.write_out(where, out, y) end
    y = core.multiply_matrices(where, a, b)
    local shape, dtype = y.shape, y.dtype
    if bias ~= nil then
      core.same_device(where, y, bias)
      check_bias(where, bias.shape, shape)
      dtype = cp.promote_types(dtype, bias.dtype)
    end
    if not core.is_inexact(dtype) then dtype = "float64" end
    local activate = activation_of(where, activation, dtype)
    local wide = core.is_half(dtype) and "float32" or dtype
    y = y:astype(wide, false)
    if bias ~= nil then y = y + bias:astype(wide, false) end
    y = activate(y):astype(dtype, false)
    if out == nil then return y end
    return core.write_out(where, out, y)
  end)
end
