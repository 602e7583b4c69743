-- A font of strokes, for text in plots that are pictures. A glyph is its width and its strokes, each a row of
-- points: two digits of base 36, x and y. Lower-case letters stand on y = 4 and reach to 14 ("e"), capitals
-- and ascenders to 18 ("i"), descenders to 0. A point with ~ before it is the control point of a quadratic
-- curve between its neighbours; between two control points the curve passes through their middle, as in
-- TrueType.
local BASELINE, CAPITALS, SPACE = 4, 14, 3.4

local glyphs = {
  ["!"] = "0 0i0a 04", ['"'] = "3 0i0f 3i3f", ["#"] = "9 3i14 8i64 1d9d 0989",
  ["$"] = "9 9f~8i5i~0i0f~0b~9b98~9444~1407 5k52", ["%"] = "c ci04 0f~0i~5i~5c~0c0f 77~7a~ca~c4~7477",
  ["&"] = "a a42d~1e1f~1i4i~7i7f~7d4b~0a08~0444~84ab", ["'"] = "0 0i0f", ["("] = "3 3k~0g0b~0632",
  [")"] = "3 0k~3g3b~3602", ["*"] = "6 3i3c 0h6d 6h0d", ["+"] = "8 4e46 0a8a", [","] = "2 2411",
  ["-"] = "5 0959", ["."] = "2 14", ["/"] = "6 6j02",
  ["0"] = "8 0b~0i~8i~84~040b", ["1"] = "8 1f4i44", ["2"] = "8 0e~0i4i~8i8e~8c6a0484",
  ["3"] = "8 0f~1i4i~8i8f~8b3b 3b4b~8b88~8444~1407", ["4"] = "8 646i0888",
  ["5"] = "8 7i1i0c~2d4d~8d88~8444~1406", ["6"] = "8 7g~6i4i~0i0a08 08~0d~8d~84~0408", ["7"] = "8 0i8i34",
  ["8"] = "8 1f~1i~7i~7c~1c1f 08~0c~8c~84~0408", ["9"] = "8 8e~8i~0i~09~898e 8e8b~8444~2416",
  [":"] = "2 14 1d", [";"] = "2 2d 2411", ["<"] = "8 8e0a86", ["="] = "8 0c8c 0888", [">"] = "8 0e8a06",
  ["?"] = "7 0e~0i4i~7i7f~7c4a48 44", ["@"] = "e a9~ad~5d~55~a5a9 ada7~a4c4~e6ea~ei7i~0i09~0080~a0b1",
  A = "a 045ia4 2989", B = "9 0b040i4i~8i8f~8b4b0b 4b5b~9b98~945404", C = "a af~9i5i~0i0b~0454~94a7",
  D = "a 040i4i~aiab~a44404", E = "7 7i0i0474 0b6b", F = "7 7i0i04 0b6b", G = "a af~9i5i~0i0b~0454~a4aa6a",
  H = "a 0i04 aia4 0bab", I = "0 0i04", J = "6 6i68~6434~0407", K = "9 0i04 9i09 3c94", L = "7 0i0474",
  M = "c 040i68cic4", N = "a 040ia4ai", O = "c 0b~0i~ci~c4~040b", P = "8 040i4i~8i8e~8a4a0a",
  Q = "c 0b~0i~ci~c4~040b 78c3", R = "9 040i4i~8i8e~8a4a0a 4a94",
  S = "9 9f~8i5i~0i0f~0b~9b98~9444~1407", T = "a 0iai 5i54", U = "a 0i09~0454~a4a9ai", V = "a 0i54ai",
  W = "e 0i447ia4ei", X = "9 0i94 9i04", Y = "a 0i5bai 5b54", Z = "9 0i9i0494",
  ["["] = "3 3k0k0232", ["\\"] = "6 0j62", ["]"] = "3 0k3k3202", ["^"] = "8 0d4i8d", ["_"] = "8 0181",
  ["`"] = "3 0i3f", a = "8 848a~8e4e~1e0c 8a4a~0a07~0434~6487", b = "8 0i04 09~0e~8e~84~0409",
  c = "8 8c~7e4e~0e09~0444~7486", d = "8 8i84 89~8e~0e~04~8489", e = "8 0989~8e4e~0e09~0444~7486",
  f = "5 5i~2i2f24 0e5e", g = "8 8e83~8040~1001 89~8e~0e~04~8489", h = "8 0i04 0a~0e4e~8e8a84", i = "0 0e04 0i",
  j = "3 3e32~3000 3i", k = "8 0i04 7e08 3b84", l = "0 0i04", m = "c 0e04 0a~0e3e~6e6a64 6a~6e9e~cecac4",
  n = "8 0e04 0a~0e4e~8e8a84", o = "8 09~0e~8e~84~0409", p = "8 0e00 09~0e~8e~84~0409",
  q = "8 8e80 89~8e~0e~04~8489", r = "5 0e04 0a~0e5e", s = "7 7c~6e4e~0e0b~09~7976~7434~1406",
  t = "5 2h27~2454 0e5e", u = "8 0e08~0444~8488 8e84", v = "8 0e448e", w = "c 0e346e94ce", x = "7 0e74 7e04",
  y = "8 0e44 8e4431~2000", z = "7 0e7e0474",
  ["{"] = "4 4k~2k2h2e~2b0b~2b2825~2242", ["|"] = "0 0k01", ["}"] = "4 0k~2k2h2e~2b4b~2b2825~2202",
  ["~"] = "9 09~2d~779b",
  ["°"] = "4 0g~0i~4i~4e~0e0g", ["±"] = "8 4g48 0c8c 0484", ["×"] = "7 0d76 7d06", ["÷"] = "8 0a8a 4d 47",
  ["·"] = "0 0a", ["²"] = "5 0g~0j~5j~5g0b5b", ["³"] = "5 0j5j2g~5g~5b~2b0c", ["µ"] = "8 0e00 07~0444~8488 8e84",
  ["ı"] = "0 0e04", ["ß"] = "8 040f~0i4i~7i7f~7b4b~8b88~8444", ["Ø"] = "c 0b~0i~ci~c4~040b ai24",
  ["ø"] = "8 09~0e~8e~84~0409 7f13", ["Γ"] = "7 7i0i04", ["Δ"] = "a 045ia404", ["Π"] = "a 040iaia4",
  ["Σ"] = "8 8i0i5b0484", ["Φ"] = "c 0b~0g~cg~c6~060b 6i64", ["Ω"] = "c 044446~070c~0i6i~cicc~c78684c4",
  ["α"] = "9 9e~7444~0409~0e4e~7e94", ["β"] = "8 000f~0i4i~7i7f~7b3b 3b4b~8b88~8444~1406",
  ["γ"] = "8 0e4440 8e44", ["δ"] = "8 09~0e~8e~84~0409 7h~5j3i~1g5d", ["ε"] = "6 6c~5e3e~0e0c~0949 39~0907~0434~5466",
  ["θ"] = "8 0b~0i~8i~84~040b 0b8b", ["κ"] = "7 0e04 7e08 3a74", ["λ"] = "8 0i~2i3f84 045b",
  ["μ"] = "8 0e00 07~0444~8488 8e84", ["ν"] = "8 0e448e", ["π"] = "9 0e9e 2e24 7e74",
  ["ρ"] = "8 0009~0e~8e~84~0409", ["σ"] = "9 9e4e~0e09~0444~8489~8e4e", ["τ"] = "8 0e8e 4e47~4464",
  ["φ"] = "a 09~0e~ae~a4~0409 5i50", ["χ"] = "8 0e80 8e00", ["ψ"] = "a 0e09~0454~a4a9ae 5i50",
  ["ω"] = "c 2e~0c08~0434~6468~6494~c4c8~ccae 6a68", ["∂"] = "8 1i~8i89~8444~0408~0d4d~7d89", ["√"] = "a 0a2954ak",
  ["∞"] = "e 79~9dbd~ede9~e5b5~9579~5d3d~0d09~0535~5579", ["≤"] = "8 8g0c88 0484", ["≥"] = "8 0g8c08 0484",
  ["≈"] = "9 0c~2g~7a9e 06~2a~7498", ["≠"] = "8 0c8c 0888 6f25", ["→"] = "c 09c9 9cc996", ["−"] = "8 0a8a",
  ["–"] = "8 0989", ["—"] = "c 09c9", ["…"] = "8 04 44 84", ["∫"] = "6 6i~3k3g36~3204",
  ["’"] = "1 1i0f", ["‘"] = "1 0i1f", ["“"] = "4 0i1f 3i4f", ["”"] = "4 1i0f 4i3f",
}

-- Accents over a letter of width 4, which capitals have 4 higher, and the letters of Latin-1 that have them.
local accents = {
  grave = "0j3g", acute = "4j1g", circumflex = "0g2j4g", tilde = "0g~1j~3f4i", dots = "0h 4h",
  ring = "0i~0k~4k~4g~0g0i", cedilla = "2432~2010",
}
local accented = {
  grave = { "ÀÈÌÒÙàèìòù", "AEIOUaeıou" }, acute = { "ÁÉÍÓÚÝáéíóúý", "AEIOUYaeıouy" },
  circumflex = { "ÂÊÎÔÛâêîôû", "AEIOUaeıou" }, tilde = { "ÃÑÕãñõ", "ANOano" },
  dots = { "ÄËÏÖÜäëïöüÿ", "AEIOUaeıouy" }, ring = { "Åå", "Aa" }, cedilla = { "Çç", "Cc" },
}
local MISSING = "8 04848i0i04"

-- ---- from text to points

local function characters(text) return string.gmatch(text, "[^\128-\191][\128-\191]*") end

local function digit(c) return tonumber(c, 36) end

-- Appends the points of the curve from x0, y0 to x2, y2 with a control point.
local function add_curve(points, x0, y0, x1, y1, x2, y2)
  for k = 1, 6 do
    local t = k / 6
    local a, b, c = (1 - t) ^ 2, 2 * t * (1 - t), t * t
    points[#points + 1] = a * x0 + b * x1 + c * x2
    points[#points + 1] = a * y0 + b * y1 + c * y2
  end
end

-- A stroke as a flat list of coordinates.
local function stroke_of(text)
  local points, x, y, control_x, control_y = {}, nil, nil, nil, nil
  for control, u, v in string.gmatch(text, "(~?)(%w)(%w)") do
    u, v = digit(u), digit(v) - BASELINE
    if control ~= "" then
      if control_x then
        local middle_x, middle_y = (control_x + u) / 2, (control_y + v) / 2
        add_curve(points, x, y, control_x, control_y, middle_x, middle_y)
        x, y = middle_x, middle_y
      end
      control_x, control_y = u, v
    else
      if control_x then add_curve(points, x, y, control_x, control_y, u, v) else
        points[#points + 1], points[#points + 2] = u, v
      end
      x, y, control_x = u, v, nil
    end
  end
  return points
end

local function add_strokes(glyph, text, right, up)
  for stroke in string.gmatch(text, "%S+") do
    local points = stroke_of(stroke)
    for k = 1, #points, 2 do points[k], points[k + 1] = points[k] + right, points[k + 1] + up end
    glyph.strokes[#glyph.strokes + 1] = points
  end
end

local function glyph_of(text)
  local width, strokes = string.match(text, "^(%w) (.*)$")
  local glyph = { width = digit(width), strokes = {} }
  add_strokes(glyph, strokes, 0, 0)
  return glyph
end

local composed = {} -- the parts of a letter with an accent
for accent, letters in pairs(accented) do
  local base = characters(letters[2])
  for letter in characters(letters[1]) do composed[letter] = { base(), accent } end
end

local read = {} -- glyphs that were needed so far

local function glyph(c)
  if c == " " then return { width = 3, strokes = {} } end
  if not read[c] then
    local parts = composed[c]
    local made = glyph_of(parts and glyphs[parts[1]] or glyphs[c] or MISSING)
    if parts then
      local high = string.find(parts[1], "%u") and parts[2] ~= "cedilla" and 4 or 0
      add_strokes(made, accents[parts[2]], made.width / 2 - 2, high)
    end
    read[c] = made
  end
  return read[c]
end

local font = {}

-- The width of a text whose capitals have the height 0.72 * size.
function font.width(text, size)
  local width = 0
  for c in characters(text) do width = width + glyph(c).width + SPACE end
  return math.max(0, width - SPACE) * 0.72 * size / CAPITALS
end

-- Calls add(x, y) for each point of a text that begins at 0, 0; y grows upwards. A stroke ends with nan.
function font.draw(text, size, add)
  local scale, right, nan = 0.72 * size / CAPITALS, 0, 0 / 0
  for c in characters(text) do
    local g = glyph(c)
    for _, points in ipairs(g.strokes) do
      for k = 1, #points, 2 do add((right + points[k]) * scale, points[k + 1] * scale) end
      add(nan, nan)
    end
    right = right + g.width + SPACE
  end
end

return font
