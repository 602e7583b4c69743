-- Numbers in text files (loadtxt, genfromtxt, savetxt, fromstring) and raw values without a header (fromfile,
-- tofile, frombuffer). src/lua/files/text.c converts words to values.

return function(cp, core, methods)

  local usage = core.usage

  -- The text of a file, which may also be a pipe.
  local function read_all(where, path)
    local f = core.open_file(where, path, "r")
    local PIECE, pieces = 2 ^ 20, {}
    repeat
      pieces[#pieces + 1] = f:read(PIECE)
    until #pieces[#pieces] < PIECE
    f:close()
    return table.concat(pieces)
  end

  core.read_file = read_all

  -- The text of a file or of a table of lines, and what errors call it.
  local function text_of(where, file)
    if type(file) ~= "table" then return read_all(where, file), file end
    for k, line in ipairs(file) do
      if type(line) ~= "string" then usage(where, string.format("line %d must be a string, not %s", k, type(line))) end
    end
    return table.concat(file, "\n"), "the lines"
  end

  -- ---- text to arrays

  local function dtype_of(where, dtype)
    return dtype == nil and core.default_dtype() or core.dtype(dtype, where)
  end

  local function as_list(v)
    if v == nil or type(v) == "table" then return v end
    return { v }
  end

  local function comment_marks(where, comments)
    local list = as_list(comments) or {}
    for _, mark in ipairs(list) do
      if type(mark) ~= "string" or mark == "" then usage(where, "comments must be a string or a table of strings") end
    end
    return list
  end

  -- The rows as an array with NumPy's number of axes: axes of length 1 are removed, but ndmin axes remain.
  -- Without rows there are as many columns as were chosen.
  local function table_of(bytes, rows, columns, dtype, ndmin, transposed, chosen, device)
    local shape = { rows, columns }
    if rows == 0 then shape, columns = { 0 }, chosen and #chosen or columns end
    if columns == 1 and ndmin < 2 then shape = { rows } end
    if rows == 1 and ndmin < 2 then shape = (columns == 1 and ndmin == 0) and {} or { columns } end
    if rows == 0 and chosen and columns > 1 then shape = { 0, columns } end
    if rows == 0 and ndmin == 2 and #shape < 2 then shape = { 0, 1 } end
    local x = cp.frombytes(bytes, { dtype = dtype, shape = shape, device = device })
    if not transposed then return x end
    x = x.T
    if x.ndim < 2 then return x end
    local columns_of = {}
    for k = 1, #x do columns_of[k] = core.slice(x, 1, k, k):reshape({ x.shape[2] }) end
    return unpack(columns_of)
  end

  local function check_delimiter(where, delimiter)
    if delimiter ~= nil and (type(delimiter) ~= "string" or delimiter == "" or string.find(delimiter, "\n")) then
      usage(where, "delimiter must be a string without an end of line")
    end
    return delimiter
  end

  local function check_converters(where, converters)
    if converters == nil then return nil end
    if type(converters) ~= "table" then usage(where, "converters must be a table of functions by column") end
    local list = {}
    for column, f in pairs(converters) do
      list[column] = core.callable(f, where, string.format("converters[%s]", tostring(column)))
    end
    return list
  end

  local function least_axes(where, ndmin)
    ndmin = core.integer(ndmin, where, "ndmin", 0)
    if ndmin < 0 or ndmin > 2 then usage(where, "ndmin must be 0, 1 or 2") end
    return ndmin
  end

  --- Reads numbers from a text file, one row for each line. Columns count from 1.
  ---@param fname string|table  the file's name, or a table of lines
  ---@param dtype? string  default: the default dtype
  ---@param comments? string|table  string or table of strings that start a comment; default "#"
  ---@param delimiter? string  the separator between columns; default: white space
  ---@param converters? table  functions from a column's text to its value, by column
  ---@param skiprows? integer  lines to skip, including comments; default 0
  ---@param usecols? integer|table  a column or a table of columns, from 1, negative from the end; default:
  --- all
  ---@param unpack? boolean  return the columns as separate values; default false
  ---@param ndmin? integer  the least number of axes of the result, 0 to 2; default 0: one row or column has
  --- one axis
  ---@param max_rows? integer  default: all
  ---@param device? string
  ---@return any  array (rows, columns)
  core.publish("loadtxt",
    "fname, dtype, comments, delimiter, converters, skiprows, usecols, unpack, ndmin, max_rows, device", 1,
    function(where, fname, dtype, comments, delimiter, converters, skiprows, usecols, transposed, ndmin, max_rows,
        device)
      dtype, ndmin = dtype_of(where, dtype), least_axes(where, ndmin)
      if comments == nil then comments = "#" end
      comments, delimiter = comment_marks(where, comments), check_delimiter(where, delimiter)
      transposed = core.boolean(transposed, where, "unpack", false)
      converters, usecols = check_converters(where, converters), as_list(usecols)
      local text, label = text_of(where, fname)
      local bytes, rows, columns = core.parse_text(text, dtype, delimiter, comments, skiprows, max_rows, usecols,
        converters, nil, where, label)
      return table_of(bytes, rows, columns, dtype, ndmin, transposed, usecols, device)
    end)

  --- Like loadtxt, but for tables with gaps: a word that is not a number becomes the filling value.
  ---@param fname string|table  the file's name, or a table of lines
  ---@param dtype? string  default: the default dtype
  ---@param comments? string|table  default "#"
  ---@param delimiter? string  default: white space
  ---@param skip_header? integer  lines to skip; default 0
  ---@param converters? table  functions by column
  ---@param filling_values? number  a number; default nan, 0 for dtypes without nan
  ---@param usecols? integer|table  from 1
  ---@param max_rows? integer
  ---@param unpack? boolean  return the columns as separate values; default false
  ---@param ndmin? integer  the least number of axes of the result; default 0
  ---@param device? string
  ---@return any  array (rows, columns)
  core.publish("genfromtxt",
    "fname, dtype, comments, delimiter, skip_header, converters, filling_values, usecols, max_rows, unpack, ndmin, "
      .. "device", 1,
    function(where, fname, dtype, comments, delimiter, skip_header, converters, filling, usecols, max_rows, transposed,
        ndmin, device)
      dtype, ndmin = dtype_of(where, dtype), least_axes(where, ndmin)
      transposed = core.boolean(transposed, where, "unpack", false)
      if filling == nil then filling = core.is_inexact(dtype) and cp.nan or 0 end
      if comments == nil then comments = "#" end
      comments, delimiter = comment_marks(where, comments), check_delimiter(where, delimiter)
      converters, usecols = check_converters(where, converters), as_list(usecols)
      local text, label = text_of(where, fname)
      local bytes, rows, columns = core.parse_text(text, dtype, delimiter, comments, skip_header, max_rows, usecols,
        converters, filling, where, label)
      return table_of(bytes, rows, columns, dtype, ndmin, transposed, nil, device)
    end)

  -- All words of a text as a vector, at most count.
  local function words(where, text, dtype, count, sep, label, device)
    if count == 0 then text = "" end
    local bytes, rows = core.parse_text(text, dtype, nil, nil, 0, count >= 0 and count or nil, nil, nil, nil, where,
      label, (string.match(sep, "^%s*(.-)%s*$")))
    return cp.frombytes(bytes, { dtype = dtype, shape = { rows }, device = device })
  end

  --- Parses a text into a vector of numbers.
  ---@param string string
  ---@param dtype? string  default: the default dtype
  ---@param count? integer  how many numbers; default -1: all
  ---@param sep? string  the separator; default " ": any white space
  ---@param device? string
  ---@return any
  core.publish("fromstring", "string, dtype, count, sep, device", 1, function(where, text, dtype, count, sep, device)
    if type(text) ~= "string" then usage(where, "string must be a string, not " .. type(text)) end
    count, sep = core.integer(count, where, "count", -1), sep == nil and " " or sep
    if type(sep) ~= "string" then usage(where, "sep must be a string, not " .. type(sep)) end
    return words(where, text, dtype_of(where, dtype), count, sep, "the text", device)
  end)

  -- ---- arrays to text

  -- The conversions of a format, each with the text before it, and the text after the last one.
  local function conversions(where, fmt)
    local list, at, before = {}, 1, ""
    for start, flags, kind, stop in string.gmatch(fmt, "()%%([-+ #0]*%d*%.?%d*)(.)()") do
      before = before .. string.sub(fmt, at, start - 1)
      if kind == "%" and flags == "" then
        before = before .. "%"
      elseif not string.find(kind, "[diufFeEgGxXos]") then
        usage(where, string.format("fmt has a conversion %%%s%s", flags, kind))
      else
        list[#list + 1] = { before = before, flags = flags, kind = kind }
        before = ""
      end
      at = stop
    end
    return list, before .. string.sub(fmt, at)
  end

  -- The shortest text that reads back as the same number.
  local function shortest(v)
    for precision = 15, 17 do
      local text = string.format(string.format("%%.%dg", precision), v)
      if precision == 17 or tonumber(text) == v then return text end
    end
  end

  local function truncated(where, v)
    if v ~= v or v == cp.inf or v == -cp.inf then
      usage(where, string.format("fmt writes whole numbers, but there is a %s", tostring(v)))
    end
    return v >= 0 and math.floor(v) or math.ceil(v)
  end

  -- Formats v, a Lua value, by one conversion.
  local function formatted(where, c, v)
    local flags, kind = "%" .. c.flags, c.kind
    if type(v) == "boolean" and kind ~= "s" then v = v and 1 or 0 end
    if type(v) == "number" then
      if kind == "s" then return string.format(flags .. "s", shortest(v)) end
      if string.find(kind, "[eEfFgG]") then return string.format(flags .. string.gsub(kind, "F", "f"), v) end
      v = truncated(where, v)
      if v >= 2 ^ 63 then return string.format(string.gsub(flags, "%..*", "") .. ".0f", v) end -- uint64
      return string.format(flags .. string.gsub(kind, "u", "d"), v)
    end
    local text = string.gsub(tostring(v), "U?LL$", "") -- a 64-bit integer of LuaJIT
    if string.find(kind, "[eEfFgG]") then return string.format(flags .. string.gsub(kind, "F", "f"), tonumber(text)) end
    return string.format(string.gsub(flags, "[0#+]", "") .. "s", text)
  end

  -- A function that formats the values of a list from position `at` + 1 on, and how many it takes.
  local function formatter(where, fmt)
    local list, behind = conversions(where, fmt)
    local only = list[1]
    if #list == 1 and string.find(only.kind, "[eEfgG]") then -- the shortcut for the most common case
      return function(values, at)
        local v = values[at + 1]
        if type(v) == "number" then return string.format(fmt, v) end
        return only.before .. formatted(where, only, v) .. behind
      end, 1
    end
    return function(values, at)
      local text = {}
      for k, c in ipairs(list) do text[k] = c.before .. formatted(where, c, values[at + k]) end
      return table.concat(text) .. behind
    end, #list
  end

  -- The real and imaginary parts of values, alternating.
  local function parts_of(list)
    local parts = {}
    for k, v in ipairs(list) do
      if type(v) == "number" then v = { re = v, im = 0 } end
      parts[2 * k - 1], parts[2 * k] = v.re, v.im
    end
    return parts
  end

  -- A function from the list of a row's values to its text.
  local function row_formatter(where, fmt, columns, delimiter, complex)
    local values = complex and 2 * columns or columns
    if type(fmt) == "table" then
      if #fmt ~= columns then usage(where, string.format("fmt has %d formats for %d columns", #fmt, columns)) end
      for k, v in ipairs(fmt) do
        if type(v) ~= "string" then usage(where, string.format("fmt[%d] must be a string, not %s", k, type(v))) end
      end
      fmt = table.concat(fmt, delimiter)
      if complex and #conversions(where, fmt) == columns then
        usage(where, "fmt needs two conversions for a complex value")
      end
    elseif type(fmt) ~= "string" then
      usage(where, "fmt must be a string or a table of strings, not " .. type(fmt))
    end
    local n = #conversions(where, fmt)
    if n == 1 and complex then
      fmt, n = string.format(" (%s%sj)", fmt, (string.gsub(fmt, "%%%+?", "%%+"))), 2
    end
    local format = formatter(where, fmt)
    if n == values and n > 2 or n == values and not complex then
      return function(list) return format(complex and parts_of(list) or list, 0) end
    end
    if n ~= (complex and 2 or 1) then
      usage(where, string.format("fmt has %d conversions for %d values in a row", n, values))
    end
    local text = {}
    return function(list)
      if complex then list = parts_of(list) end
      for k = 1, columns do text[k] = format(list, (k - 1) * n) end
      return table.concat(text, delimiter, 1, columns)
    end
  end

  -- Writes the rows of x, a matrix.
  local function write_rows(f, x, format, newline)
    local columns, row, rows = x.shape[2], {}, {}
    local n = 0
    for _, v in x:values() do
      n = n + 1
      row[n] = v
      if n == columns then
        rows[#rows + 1] = format(row)
        n = 0
        if #rows == 512 then
          f:write(table.concat(rows, newline) .. newline)
          rows = {}
        end
      end
    end
    if #rows > 0 then f:write(table.concat(rows, newline) .. newline) end
  end

  local function write_comment(f, text, comments, newline)
    if text ~= "" then f:write(comments .. string.gsub(text, "\n", "\n" .. string.gsub(comments, "%%", "%%%%"))
      .. newline) end
  end

  local function text_option(value, where, argument, missing)
    if value == nil then return missing end
    if type(value) ~= "string" then usage(where, argument .. " must be a string, not " .. type(value)) end
    return value
  end

  --- Writes an array with one or two axes as text, one line for each row.
  ---@param fname string
  ---@param X any
  ---@param fmt? string|table  a format of string.format: for every value (default "%.18e"), or for a whole
  --- row; or a table with one for each column
  ---@param delimiter? string  default " "
  ---@param newline? string  default "\n"
  ---@param header? string  before the rows
  ---@param footer? string  after the rows
  ---@param comments? string  prefix of header and footer; default "# "
  core.publish("savetxt", "fname, X, fmt, delimiter, newline, header, footer, comments", 2,
    function(where, fname, X, fmt, delimiter, newline, header, footer, comments)
      X = core.as_array(X, where, "X")
      if X.ndim < 1 or X.ndim > 2 then
        core.raise(where, "shape", "X must have one or two axes, not shape " .. tostring(X.shape))
      end
      if X.ndim == 1 then X = X:reshape({ X.size, 1 }) end
      delimiter, newline = text_option(delimiter, where, "delimiter", " "), text_option(newline, where, "newline", "\n")
      header, footer = text_option(header, where, "header", ""), text_option(footer, where, "footer", "")
      comments = text_option(comments, where, "comments", "# ")
      local format = row_formatter(where, fmt == nil and "%.18e" or fmt, X.shape[2], delimiter, core.kind(X) == "c")
      local f = core.open_file(where, fname, "w")
      write_comment(f, header, comments, newline)
      if X.size > 0 then write_rows(f, X, format, newline) end
      write_comment(f, footer, comments, newline)
      f:close()
    end)

  -- ---- raw values

  --- Reads the raw values of a file as a vector, or numbers from a text file if sep is given, like
  --- np.fromfile.
  ---@param file string
  ---@param dtype? string  default: the default dtype
  ---@param count? integer  how many values; default -1: all
  ---@param sep? string  the separator of a text file; default "": a binary file
  ---@param offset? integer  bytes to skip first; default 0
  ---@param device? string
  ---@return any
  core.publish("fromfile", "file, dtype, count, sep, offset, device", 1,
    function(where, file, dtype, count, sep, offset, device)
      dtype, count = dtype_of(where, dtype), core.integer(count, where, "count", -1)
      sep, offset = text_option(sep, where, "sep", ""), core.integer(offset, where, "offset", 0)
      if offset < 0 then usage(where, "offset must not be negative") end
      if sep ~= "" then return words(where, string.sub(read_all(where, file), offset + 1), dtype, count, sep, file,
        device) end
      local f = core.open_file(where, file, "r")
      local size, there = f:size(), 0
      if size > 0 then
        there = math.floor(math.max(0, size - offset) / core.dtype_size(dtype))
      elseif count > 0 then
        there = count -- devices and some system files report no size
      elseif #f:read(1) > 0 then
        core.raise(where, "io", file .. " has no size; give the number of values as count")
      end
      if count > there then
        core.raise(where, "io", string.format("%s holds %.0f values of %s, not %.0f", file, there, dtype, count))
      end
      f:seek(offset)
      local x = cp.empty({ count < 0 and there or count }, { dtype = dtype, device = device })
      local got = math.floor(f:read_array(x) / core.dtype_size(dtype))
      f:close()
      -- Some files, such as those of /sys, are shorter than the size they report.
      if got == x.size then return x end
      if count >= 0 then
        core.raise(where, "io", string.format("%s holds %.0f values of %s, not %.0f", file, got, dtype, count))
      end
      return x[{ { 1, got } }]:copy()
    end)

  -- Writes the raw values in C order, without shape and dtype; as text if sep is given.
  methods.tofile = core.define("tofile", "a, file, sep, format", 2, function(where, a, file, sep, format)
    a, sep = core.as_array(a, where, "a"), text_option(sep, where, "sep", "")
    local f = core.open_file(where, file, "w")
    if sep == "" then
      f:write_array(a.flags.c_contiguous and a or a:copy("C"))
    elseif a.size > 0 then
      local flat, PIECE = a:reshape(-1), 4096
      format = text_option(format, where, "format", "%s")
      for first = 1, a.size, PIECE do
        local n = math.min(PIECE, a.size - first + 1)
        local row = flat[{ { first, first + n - 1 } }]:reshape({ 1, n })
        write_rows(f, row, row_formatter(where, format, n, sep, false), first + n > a.size and "" or sep)
      end
    end
    f:close()
  end)

  --- A vector of the values in a string of bytes.
  ---@param buffer string
  ---@param dtype? string  default: the default dtype
  ---@param count? integer  default -1: all
  ---@param offset? integer  bytes to skip first; default 0
  ---@param device? string
  ---@return any
  core.publish("frombuffer", "buffer, dtype, count, offset, device", 1,
    function(where, buffer, dtype, count, offset, device)
      if type(buffer) ~= "string" then usage(where, "buffer must be a string, not " .. type(buffer)) end
      dtype, count = dtype_of(where, dtype), core.integer(count, where, "count", -1)
      offset = core.integer(offset, where, "offset", 0)
      local size = core.dtype_size(dtype)
      if offset < 0 or offset > #buffer then
        usage(where, string.format("offset %d is outside of a buffer of %d bytes", offset, #buffer))
      end
      local bytes = count < 0 and #buffer - offset or count * size
      if bytes > #buffer - offset or bytes % size ~= 0 then
        core.raise(where, "shape", string.format("%d bytes after the offset are not %s of %d bytes", #buffer - offset,
          count < 0 and "a whole number of values" or string.format("%d values", count), size))
      end
      return cp.frombytes(string.sub(buffer, offset + 1, offset + bytes), { dtype = dtype, device = device })
    end)
end
