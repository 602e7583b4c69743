-- NumPy's npz archives: zip files with one npy file for each array. This file writes and reads the zip
-- directory, including its 64-bit forms; src/lua/files/file.c compresses and decompresses the content.

return function(cp, core)
  local FULL = 0xffffffff -- a field with this value has its number in the 64-bit extra field
  core.zip64_from = FULL -- the smallest number that goes there; specs lower it

  local function little(value, bytes)
    local t = {}
    for k = 1, bytes do
      t[k] = string.char(value % 256)
      value = math.floor(value / 256)
    end
    return table.concat(t)
  end

  -- The number in `bytes` bytes of text at position `at`.
  local function number(text, at, bytes)
    local value = 0
    for k = at + bytes - 1, at, -1 do value = value * 256 + (string.byte(text, k) or 0) end
    return value
  end

  -- Why a name is rejected: names from an archive are never used as paths, but one that looks like a path is
  -- not from savez.
  local function bad_name(name)
    if name == "" then return "an empty name" end
    if string.find(name, "^/") or string.find(name, "\\") or string.find(name, "^%a:")
      or string.find(name, "%z") then return "a path" end
    for part in string.gmatch(name .. "/", "([^/]*)/") do
      if part == "" or part == "." or part == ".." then return "a path" end
    end
  end

  -- ---- writing

  local function local_header(name, method, crc, packed, raw)
    return "PK\3\4" .. little(45, 2) .. little(string.find(name, "[\128-\255]") and 2048 or 0, 2) .. little(method, 2)
      .. little(0, 2) .. little(33, 2) .. little(crc, 4) .. little(FULL, 4) .. little(FULL, 4) .. little(#name, 2)
      .. little(20, 2) .. name .. little(1, 2) .. little(16, 2) .. little(raw, 8) .. little(packed, 8)
  end

  -- An entry's header precedes its content, but its values are known only afterwards, so it is written twice.
  local function write_entry(f, name, x, method)
    local at = f:tell()
    f:write(local_header(name, method, 0, 0, 0))
    f:begin_entry(method ~= 0)
    if type(x) == "string" then core.write_npy_text(f, x) else core.write_npy(f, x) end
    local crc, packed, raw = f:end_entry()
    local behind = f:tell()
    f:seek(at)
    f:write(local_header(name, method, crc, packed, raw))
    f:seek(behind)
    return { name = name, method = method, crc = crc, packed = packed, raw = raw, at = at }
  end

  local function directory_entry(e)
    local extra, fields = "", {}
    for k, value in ipairs { e.raw, e.packed, e.at } do
      local wide = value >= core.zip64_from
      fields[k] = wide and FULL or value
      if wide then extra = extra .. little(value, 8) end
    end
    if extra ~= "" then extra = little(1, 2) .. little(#extra, 2) .. extra end
    return "PK\1\2" .. little(45, 2) .. little(45, 2) .. little(string.find(e.name, "[\128-\255]") and 2048 or 0, 2)
      .. little(e.method, 2) .. little(0, 2) .. little(33, 2) .. little(e.crc, 4) .. little(fields[2], 4)
      .. little(fields[1], 4) .. little(#e.name, 2) .. little(#extra, 2) .. little(0, 6)
      .. little(0x1800000, 4) -- the file's mode: rw-------
      .. little(fields[3], 4) .. e.name .. extra
  end

  local function write_directory(f, entries)
    local at = f:tell()
    for _, e in ipairs(entries) do f:write(directory_entry(e)) end
    local size, count = f:tell() - at, #entries
    local wide = at >= core.zip64_from
    if count >= 65535 or wide then
      f:write("PK\6\6" .. little(44, 8) .. little(45, 2) .. little(45, 2) .. little(0, 8) .. little(count, 8)
        .. little(count, 8) .. little(size, 8) .. little(at, 8))
      f:write("PK\6\7" .. little(0, 4) .. little(at + size, 8) .. little(1, 4))
    end
    local shown = math.min(count, 65535)
    f:write("PK\5\6" .. little(0, 4) .. little(shown, 2) .. little(shown, 2) .. little(size, 4)
      .. little(wide and FULL or at, 4) .. little(0, 2))
  end

  -- The arrays in order with their names: arr_0, arr_1, ... by position, then those of the table of names,
  -- sorted.
  local function named_arrays(where, ...)
    local list, arguments, n = {}, { ... }, select("#", ...)
    local last = arguments[n]
    local named = type(last) == "table" and not cp.is_array(last) and #last == 0 and next(last) ~= nil and last
    for k = 1, named and n - 1 or n do
      list[k] = { "arr_" .. k - 1, core.as_array(arguments[k], where, "argument " .. k + 1) }
    end
    local names, positions = {}, #list
    for name in pairs(named or {}) do
      if type(name) ~= "string" then core.raise(where, "usage", "names of arrays must be strings") end
      local bad = bad_name(name)
      if bad then core.raise(where, "usage", string.format("the name '%s' is %s", name, bad)) end
      local position = tonumber(string.match(name, "^arr_(%d+)$"))
      if position and position < positions then
        core.raise(where, "usage", string.format("the name %s is that of an array given by position", name))
      end
      names[#names + 1] = name
    end
    table.sort(names)
    for _, name in ipairs(names) do
      list[#list + 1] = { name, core.as_array(named[name], where, name) }
    end
    return list
  end

  -- Writes a list of pairs {name, array or string} as an archive.
  function core.write_npz(where, file, arrays, compressed)
    local entries, method = {}, compressed and 8 or 0
    local f = core.open_file(where, core.with_ending(file, ".npz"), "w")
    for k, pair in ipairs(arrays) do entries[k] = write_entry(f, pair[1] .. ".npy", pair[2], method) end
    write_directory(f, entries)
    f:close()
  end

  local function writer(name, compressed)
    return function(file, ...)
      if file == nil then core.raise(name, "usage", "file is missing") end
      core.write_npz(name, file, named_arrays(name, ...), compressed)
    end
  end

  --- Writes arrays to an archive in NumPy's format npz: `cp.savez("f.npz", a, b, {x = c})` names them arr_0,
  --- arr_1 and x. ".npz" is added if it is missing.
  ---@param file string
  ---@param ... any  arrays, then optionally a table of arrays by name
  cp.savez = writer("savez", false)

  --- The same, with compressed content.
  ---@param file string
  ---@param ... any
  cp.savez_compressed = writer("savez_compressed", true)

  -- ---- reading

  -- The directory's offset, its size and the number of its entries.
  local function find_directory(f, bad)
    local size = f:size()
    local tail_size = math.min(size, 65557)
    f:seek(size - tail_size)
    local tail, at = f:read(tail_size), nil
    for k = #tail - 21, 1, -1 do
      if string.byte(tail, k) == 80 and string.sub(tail, k, k + 3) == "PK\5\6" then
        at = k
        break
      end
    end
    if not at then bad "is truncated: it has no directory" end
    local count, length, place = number(tail, at + 10, 2), number(tail, at + 12, 4), number(tail, at + 16, 4)
    if at > 20 and string.sub(tail, at - 20, at - 17) == "PK\6\7" then
      f:seek(math.min(number(tail, at - 12, 8), size))
      local record = f:read(56)
      if string.sub(record, 1, 4) ~= "PK\6\6" then bad "has a damaged directory" end
      count, length, place = number(record, 33, 8), number(record, 41, 8), number(record, 49, 8)
    end
    if place + length > size then bad "has a damaged directory" end
    return place, length, count
  end

  -- Reads the numbers that did not fit an entry's fields from its extra field.
  local function read_extra(e, extra)
    local at = 1
    while at + 3 <= #extra do
      local kind, length = number(extra, at, 2), number(extra, at + 2, 2)
      if kind == 1 then
        local p = at + 4
        for _, key in ipairs { "raw", "packed", "at" } do
          if e[key] == FULL then e[key], p = number(extra, p, 8), p + 8 end
        end
      end
      at = at + 4 + length
    end
  end

  local function read_directory(f, bad)
    local place, length, count = find_directory(f, bad)
    f:seek(place)
    local text, at, list = f:read(length), 1, {}
    for k = 1, count do
      if string.sub(text, at, at + 3) ~= "PK\1\2" then bad "has a damaged directory" end
      local name_length, extra_length = number(text, at + 28, 2), number(text, at + 30, 2)
      local e = { flags = number(text, at + 8, 2), method = number(text, at + 10, 2), crc = number(text, at + 16, 4),
        packed = number(text, at + 20, 4), raw = number(text, at + 24, 4), at = number(text, at + 42, 4),
        name = string.sub(text, at + 46, at + 45 + name_length) }
      read_extra(e, string.sub(text, at + 46 + name_length, at + 45 + name_length + extra_length))
      at = at + 46 + name_length + extra_length + number(text, at + 32, 2)
      list[k] = e
    end
    return list
  end

  local function read_entry(where, f, path, e, device, texts)
    local label = string.format("%s (%s)", path, e.name)
    local function bad(fact) core.raise(where, "io", label .. " " .. fact) end
    if e.flags % 2 == 1 then bad "is encrypted" end
    if e.method ~= 0 and e.method ~= 8 then
      bad(string.format("uses compression method %d; methods 0 and 8 are supported", e.method))
    end
    f:seek(e.at)
    local head = f:read(30)
    if string.sub(head, 1, 4) ~= "PK\3\4" then bad "is not where the directory says" end
    f:seek(e.at + 30 + number(head, 27, 2) + number(head, 29, 2))
    f:begin_entry(e.method == 8, e.packed)
    local x = core.read_npy(where, f, label, device, e.raw, texts)
    local crc, _, raw = f:end_entry()
    if raw == e.raw and crc ~= e.crc then bad "is damaged: its checksum is another one" end
    return x
  end

  -- The names that the caller requested, as a set; nil: all.
  local function wanted_names(where, names)
    if names == nil then return nil end
    if type(names) == "string" then names = { names } end
    if type(names) ~= "table" then core.raise(where, "usage", "names must be a table of names, not " .. type(names)) end
    local set = {}
    for _, name in ipairs(names) do set[name] = true end
    return set
  end

  -- The arrays of an open archive, by name. texts: short texts are read too, as strings.
  function core.read_npz(where, f, path, device, names, texts)
    local function bad(fact) core.raise(where, "io", path .. " " .. fact) end
    local wanted, arrays = wanted_names(where, names), {}
    local entries = read_directory(f, bad)
    for _, e in ipairs(entries) do -- check all names before reading the first array
      local fault = bad_name(e.name)
      if fault then bad(string.format("has an entry whose name is %s: '%s'", fault, e.name)) end
      if not string.find(e.name, "%.npy$") then
        bad(string.format("is not an archive of arrays: it contains '%s'", e.name))
      end
    end
    for _, e in ipairs(entries) do
      local name = string.sub(e.name, 1, -5)
      if not wanted or wanted[name] then arrays[name] = read_entry(where, f, path, e, device, texts) end
    end
    f:close()
    for name in pairs(wanted or {}) do
      if not arrays[name] then bad(string.format("has no array '%s'", tostring(name))) end
    end
    return arrays
  end
end
