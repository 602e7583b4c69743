-- NumPy's file format npy (versions 1 to 3): one array after a header, which is the text of a Python
-- dictionary. Also cp.save and cp.load, which reads archives (lua/cupola/files/npz.lua) too. bfloat16, which
-- NumPy lacks, is written as the ml_dtypes package does, as two uninterpreted bytes ("<V2").

return function(cp, core)
  local MAGIC = "\147NUMPY"

  -- Codes of the format without the byte order.
  local codes = {
    bool = "b1", int8 = "i1", int16 = "i2", int32 = "i4", int64 = "i8", uint8 = "u1", uint16 = "u2", uint32 = "u4",
    uint64 = "u8", float16 = "f2", bfloat16 = "V2", float32 = "f4", float64 = "f8", complex64 = "c8",
    complex128 = "c16",
  }
  local dtypes = {}
  for dtype, code in pairs(codes) do dtypes[code] = dtype end

  local own, foreign = core.big_endian and ">" or "<", core.big_endian and "<" or ">"

  -- ---- the header

  local function shape_text(shape)
    local parts = {}
    for k, n in ipairs(shape) do parts[k] = string.format("%.0f", n) end
    return "(" .. table.concat(parts, ", ") .. (#parts == 1 and ",)" or ")")
  end

  -- A header with this text, padded with spaces to a multiple of 64 bytes.
  local function header_with(text)
    local length = #text + 1
    local fixed = length + 10 + 64 < 65536 and 10 or 12
    length = length + 64 - (fixed + length) % 64
    local low, high = length % 256, math.floor(length / 256)
    local size = fixed == 10 and string.char(1, 0, low, high)
      or string.char(2, 0, low, high % 256, math.floor(high / 256), 0)
    return MAGIC .. size .. text .. string.rep(" ", length - #text - 1) .. "\n"
  end

  local function dictionary(descr, fortran, shape)
    return string.format("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran and "True" or "False",
      shape_text(shape))
  end

  -- The header of an array as NumPy writes it: with room for the first axis to grow.
  local function header_of(x, fortran)
    local shape = x.shape
    local text = dictionary((x.itemsize == 1 and "|" or own) .. codes[x.dtype], fortran, shape)
    if #shape > 0 then text = text .. string.rep(" ", 21 - #string.format("%d", shape[fortran and #shape or 1])) end
    return header_with(text)
  end

  -- Writes a string as NumPy's 0-d array of bytes.
  function core.write_npy_text(file, text)
    file:write(header_with(dictionary(string.format("|S%d", #text), false, {})))
    file:write(text)
  end

  -- Writes the array x to the open file.
  function core.write_npy(file, x)
    local flags = x.flags
    local fortran = flags.f_contiguous and not flags.c_contiguous
    if not fortran and not flags.c_contiguous then x = x:copy("C") end
    file:write(header_of(x, fortran))
    file:write_array(x)
  end

  -- ---- reading

  -- The value of a key in the header's dictionary.
  local function field(text, key, pattern)
    return string.match(text, "['\"]" .. key .. "['\"]%s*:%s*" .. pattern)
  end

  local unknown = {
    O = "Python objects (a pickle), which are never read",
    U = "text", S = "bytes of text", a = "bytes of text", M = "dates", m = "spans of time", V = "records of bytes",
    f = "floats of an unsupported size", c = "complex values of an unsupported size",
  }

  -- The dtype of a code such as "<f4", and whether its bytes must be swapped; else nil and the reason.
  local function dtype_of(code)
    local order, rest = string.match(code, "^([<>=|]?)(%a%d+)$")
    local dtype = rest and dtypes[rest]
    if dtype then return dtype, order == foreign end
    local kind = unknown[string.match(code, "^[<>=|]?(%a)") or ""]
    return nil, string.format("dtype '%s'%s", code, kind and ": " .. kind or " is not known to cupola")
  end

  local function shape_of(text)
    local shape = {}
    for part in string.gmatch(text, "[^,]+") do
      local digits = string.match(part, "^%s*(%d+)L?%s*$")
      if digits then
        shape[#shape + 1] = tonumber(digits)
      elseif string.find(part, "%S") then
        return nil
      end
    end
    return shape
  end

  local function parse_header(text, bad)
    local descr = field(text, "descr", "['\"]([^'\"]*)['\"]")
    local order, shape = field(text, "fortran_order", "(%a+)"), field(text, "shape", "%(([^)]*)%)")
    if not descr and field(text, "descr", "(%[)") then
      bad "holds records with fields, which cupola does not support"
    end
    shape = shape and shape_of(shape)
    if not descr or not shape or order ~= "True" and order ~= "False" then bad "has a header that is not npy's" end
    local dtype, swap = dtype_of(descr)
    if not dtype then bad("holds " .. swap) end
    return dtype, swap, order == "True" and "F" or "C", shape
  end

  -- The length of the header's text, and of everything before the values.
  local function header_length(file, bad)
    local major, bytes = string.byte(file:read(2)), 2
    if not major then bad "ends within its header" end
    if major < 1 or major > 3 then
      bad(string.format("has version %d of the format npy; versions 1 to 3 can be read", major))
    end
    if major > 1 then bytes = 4 end
    local text, length = file:read(bytes), 0
    if #text < bytes then bad "ends within its header" end
    for k = bytes, 1, -1 do length = length * 256 + string.byte(text, k) end
    if length > 2 ^ 24 then bad(string.format("has a header of %d bytes, which is too long", length)) end
    return length, #MAGIC + 2 + bytes + length
  end

  -- The string in a 0-d array of bytes or text whose header this is; nil for other headers.
  local function read_text(file, header)
    local kind, count = string.match(field(header, "descr", "['\"]([^'\"]*)['\"]") or "", "^[|<>]?([SU])(%d+)$")
    if not kind or #count > 3 or not field(header, "shape", "%(%s*(%))") then return nil end
    local bytes = file:read(tonumber(count) * (kind == "U" and 4 or 1))
    return (string.gsub(bytes, "%z", ""))
  end

  -- Reads an array from the current position of the open file. label: its name in messages; rest: the most
  -- bytes that can follow; texts: a short text is read too, as a string.
  function core.read_npy(where, file, label, device, rest, texts)
    local function bad(fact) core.raise(where, "io", label .. " " .. fact) end
    local magic = file:read(#MAGIC)
    if magic ~= MAGIC then
      if string.byte(magic) == 128 then bad "is a Python pickle, which is never read" end
      bad(#magic == 0 and "is empty" or "is not an npy file: it does not begin with NumPy's magic string")
    end
    local length, before = header_length(file, bad)
    local header = file:read(length)
    if #header < length then bad "ends within its header" end
    local text = texts and read_text(file, header)
    if text then return text end
    local dtype, swap, order, shape = parse_header(header, bad)
    local bytes = core.dtype_size(dtype) + 0.0 -- a float, which does not wrap
    for _, n in ipairs(shape) do bytes = bytes * n end
    local function short(got)
      bad(string.format("is truncated: %s values of shape %s take %.0f bytes, but there are %.0f", dtype,
        shape_text(shape),
        bytes, got))
    end
    if rest and bytes > rest - before then short(math.max(0, rest - before)) end
    local x = cp.empty(shape, { dtype = dtype, order = order, device = device })
    local got = file:read_array(x, swap)
    if got < bytes then short(got) end
    return x
  end

  -- ---- cp.save and cp.load

  local function with_ending(path, ending)
    if type(path) ~= "string" or string.sub(path, -#ending) == ending then return path end
    return path .. ending
  end

  core.with_ending = with_ending

  --- Writes an array to a file in NumPy's format npy; ".npy" is added if it is missing. bfloat16 is stored as
  --- pairs of bytes, which NumPy reads as "V2" and converts by x.view(ml_dtypes.bfloat16).
  ---@param file string
  ---@param arr any  array, table or number
  core.publish("save", "file, arr", 2, function(where, file, arr)
    arr = core.as_array(arr, where, "arr")
    local f = core.open_file(where, with_ending(file, ".npy"), "w")
    core.write_npy(f, arr)
    f:close()
  end)

  --- Reads a file of save, savez or NumPy: an array from npy, a table of arrays by name from npz. Raises for
  --- pickles and arrays of Python objects.
  ---@param file string
  ---@param device? string  default: the current one
  ---@param names? table  for an archive: read only these arrays
  ---@return cupola.Array|table  array, or table
  core.publish("load", "file, device, names", 1, function(where, file, device, names)
    local f = core.open_file(where, file, "r")
    local mark = f:read(4)
    f:seek(0)
    if mark == "PK\3\4" or mark == "PK\5\6" then return core.read_npz(where, f, file, device, names) end
    local x = core.read_npy(where, f, file, device, f:size())
    f:close()
    return x
  end)
end
