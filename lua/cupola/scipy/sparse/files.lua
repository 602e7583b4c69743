-- Sparse arrays in files: SciPy's npz archives, which hold the raw arrays, the format's name and the shape.

return function(cp, core, S, publish)
  local ARRAYS = {
    csr = { "indices", "indptr" }, csc = { "indices", "indptr" }, bsr = { "indices", "indptr" },
    coo = { "row", "col" }, dia = { "offsets" },
  }

  -- Writes an archive that SciPy's load_npz reads; ".npz" is added if it is missing.
  publish("save_npz", "file, matrix, compressed", 2, function(where, file, A, compressed)
    local f = S.take_any(where, A, "matrix")
    local list = {}
    S.settle(where, f)
    for k, name in ipairs(ARRAYS[f.format]) do list[k] = { name, f[name] } end
    if f.vector and f.format == "coo" then list = { { "coords", f.col:reshape { 1, -1 } } } end
    list[#list + 1] = { "format", f.format }
    list[#list + 1] = { "shape", cp.array(f.vector and { f.shape[2] } or f.shape, { dtype = "int64", device = "cpu" }) }
    list[#list + 1] = { "data", f.data }
    list[#list + 1] = { "_is_array", cp.array(true, { device = "cpu" }) }
    core.write_npz(where, file, list, core.boolean(compressed, where, "compressed", true))
  end)

  -- Reads such an archive, also one of SciPy's matrices.
  publish("load_npz", "file, device", 1, function(where, file, device)
    local handle = core.open_file(where, file, "r")
    local t = core.read_npz(where, handle, file, device, nil, true)
    local function bad(fact) core.raise(where, "io", string.format("%s is not a sparse array: %s", file, fact)) end
    local names = ARRAYS[t.format]
    if type(t.format) ~= "string" then bad "it has no format" end
    if not names then bad("its format is '" .. t.format .. "'; csr, csc, coo, dia and bsr can be read") end
    local options = { data = t.data, shape = t.shape, device = device }
    if t.coords and not t.row then
      local count = cp.is_array(t.coords) and t.coords.ndim == 2 and t.coords.shape[1]
      if count ~= 1 and count ~= 2 then bad "coords must have a row for each of one or two axes" end
      options.coords = { t.coords[1]:copy(), count == 2 and t.coords[2]:copy() or nil }
      names = {}
    end
    for _, name in ipairs(names) do
      if not cp.is_array(t[name]) then bad("it has no array '" .. name .. "'") end
      options[name] = t[name]
    end
    if not cp.is_array(t.data) then bad "it has no array 'data'" end
    local count = cp.is_array(t.shape) and core.kind(t.shape) == "i" and t.shape.size
    if count ~= 1 and count ~= 2 then bad "it has no shape" end
    options.shape = t.shape:reshape(-1):totable()
    return S.make(where, t.format, nil, options)
  end)
end
