-- Aliases give the same values and dtypes, as functions, as methods and in place.

local cp = require "cupola"

-- name -> {the other name, dtypes, operands beside the array}
local ALIASES = {
  band = { "bitwise_and", "i", 1 }, bor = { "bitwise_or", "i", 1 }, bxor = { "bitwise_xor", "i", 1 },
  bnot = { "invert", "i" }, bitwise_not = { "invert", "i" }, bitwise_invert = { "invert", "i" },
  shl = { "left_shift", "i", 1 }, shr = { "right_shift", "i", 1 }, bitwise_left_shift = { "left_shift", "i", 1 },
  bitwise_right_shift = { "right_shift", "i", 1 },
  add = { "add", "if", 1 }, sub = { "subtract", "if", 1 }, mul = { "multiply", "if", 1 }, div = { "divide", "f", 1 },
  true_divide = { "divide", "f", 1 }, idiv = { "floor_divide", "if", 1 }, mod = { "remainder", "if", 1 },
  pow = { "power", "f", 1 }, neg = { "negative", "if" }, abs = { "absolute", "if" }, conj = { "conjugate", "fc" },
  eq = { "equal", "if", 1 }, ne = { "not_equal", "if", 1 }, lt = { "less", "if", 1 }, le = { "less_equal", "if", 1 },
  gt = { "greater", "if", 1 }, ge = { "greater_equal", "if", 1 },
  acos = { "arccos", "u" }, asin = { "arcsin", "u" }, atan = { "arctan", "u" }, atan2 = { "arctan2", "f", 1 },
  acosh = { "arccosh", "f" }, asinh = { "arcsinh", "f" }, atanh = { "arctanh", "u" }, deg2rad = { "radians", "f" },
  rad2deg = { "degrees", "f" }, fix = { "trunc", "f" }, around = { "round", "f" },
  amax = { "max", "if" }, amin = { "min", "if" }, cumulative_sum = { "cumsum", "v" },
  cumulative_prod = { "cumprod", "v" },
  trapz = { "trapezoid", "f" }, permute_dims = { "transpose", "f" },
}

local function operands(kinds)
  local list = {}
  for kind in kinds:gmatch "." do
    if kind == "i" then
      for _, dtype in ipairs { "int8", "uint16", "int64" } do
        list[#list + 1] = { cp.array({ { 5, 12, 7 }, { 1, 90, 33 } }, dtype), cp.array({ 3, 1, 2 }, dtype) }
      end
    elseif kind == "f" then
      list[#list + 1] = { cp.array { { 1.5, 20, 7.25 }, { 3, 1, 95.75 } }, cp.array { 2.5, 1, 2 } }
      list[#list + 1] = { cp.array({ { 1.5, 2, 3 } }, "float32"), cp.array({ 2 }, "float32") }
    elseif kind == "u" then
      list[#list + 1] = { cp.array { -0.5, 0, 0.25, 0.75 } }
    elseif kind == "v" then
      list[#list + 1] = { cp.array { 1.5, 2, -3 } }
    else
      list[#list + 1] = { cp.array { 1.5, -2 } * cp.complex(1, -2) }
    end
  end
  return list
end

local function same(label, x, y)
  assert.equal(y.dtype, x.dtype, label)
  assert.is_true(cp.array_equal(x, y), label)
end

describe("the name", function()
  for name, entry in pairs(ALIASES) do
    it(name, function()
      for _, pair in ipairs(operands(entry[2])) do
        local x, y = pair[1], entry[3] and pair[2] or nil
        local want = cp[entry[1]](x, y)
        same(name, cp[name](x, y), want)
        same("x:" .. name, x[name](x, y), want)
        if entry[1] ~= "absolute" and pcall(function() return cp[entry[1] .. "_"] end) then
          local copy = x:copy()
          assert.is_true(rawequal(copy, copy[name .. "_"](copy, y)))
          same("x:" .. name .. "_", copy, want)
          same(name .. "_", cp[name .. "_"](x:copy(), y), want)
        end
      end
    end)
  end

  it("may be of a function in a table of cp", function()
    local x = cp.array { 0.5, 2, 7 }
    same("psi", cp.scipy.special.psi(x), cp.scipy.special.digamma(x))
    assert.equal(cp.scipy.signal.sosfreqz, cp.scipy.signal.freqz_sos)
    local function drawn(name, ...)
      cp.random.seed(5)
      return cp.random[name](...)
    end
    for _, name in ipairs { "ranf", "sample", "random" } do same(name, drawn(name, 5), drawn("random_sample", 5)) end
    same("random_integers", drawn("random_integers", 3, 6, 50), drawn("randint", 3, 7, 50))
    same("random_integers", drawn("random_integers", 6, nil, 50), drawn("randint", 1, 7, 50))
  end)
end)
