-- Options: every public function rejects unknown names, at any position, and reports the given value where
-- one of a few words is expected.

local cp = require "cupola"
local check = require "spec.helper.check"
local public = require "spec.helper.public"

local unpack = table.unpack or unpack -- luacheck: ignore

-- These take values of any kind, or arguments for a function that they call.
local ANY = {}
for name in ([[
  eval keep get_array_module is_array isscalar type scope savez savez_compressed cuda.graph cuda.using_allocator
  cuda.nccl.group profiler.memory profiler.trace_sync profiler.time_range Device:with MemoryHook:with Stream:callback
  Stream:launch_host_func Stream:with Graph:update
]]):gmatch "%S+" do
  ANY[name] = true
end

-- Calls f with a table of an unknown name behind each number of arguments, of several kinds.
local function each_form(entry, f)
  local x = cp.cpu.ones { 3, 3 }
  local fills = { x, 2, "float32", function() end, { x, x } }
  local most = math.max(1, #entry.parameters)
  for k, fill in ipairs(fills) do
    for count = k == 1 and 0 or 1, most do
      local arguments, n = {}, count + 1
      for j = 1, count do arguments[j] = fill end
      arguments[n] = { no_such_name = 1 }
      if entry.object then table.insert(arguments, 1, entry.object()) end
      f(unpack(arguments, 1, entry.object and n + 1 or n))
    end
  end
end

local function has_options(entry)
  for _, p in ipairs(entry.parameters) do
    if p.options then return true end
  end
end

describe("an unknown option", function()
  it("is refused by every public function", function()
    local silent, unnamed, other = {}, {}, {}
    for _, entry in ipairs(public.functions()) do
      local refused = false
      if not ANY[entry.name] and not entry.name:find "^plot%." then
        each_form(entry, function(...)
          local ok, message = public.call(entry.f, ...)
          local name = not ok and public.named(message)
          if ok then silent[#silent + 1] = entry.name end
          if not ok and not (name and public.is_named(entry, name)) then unnamed[#unnamed + 1] = tostring(message) end
          refused = refused or not ok and message:find("no option 'no_such_name'", 1, true) ~= nil
        end)
        if has_options(entry) and not refused then other[#other + 1] = entry.name end
      end
    end
    assert.equal("", table.concat(silent, " "), "take it silently")
    assert.equal("", table.concat(other, " "), "say something else")
    assert.equal("", table.concat(unnamed, "\n"))
  end)
end)

describe("names in tables of data", function()
  local x = cp.cpu.array { { 1, 2 }, { 3, 4 } }
  local function raises(fact, f, ...) check.raises(fact:gsub("[%(%)'?]", "%%%0"), f, ...) end

  it("are options in a first argument, of every function", function()
    assert.same({ 4, 6 }, cp.cpu.sum({ { 1, 2 }, { 3, 4 }, axis = 1 }):totable())
    assert.equal("float32", cp.cpu.sqrt({ 1, 4, dtype = "float32" }).dtype)
    assert.same({ 2, 3 }, cp.cpu.add({ 1, 2, dtype = "int8" }, 1):totable())
    assert.equal("int8", cp.cpu.add({ 1, 2, dtype = "int8" }, 1).dtype)
    assert.equal("int16", cp.cpu.zeros({ 2, 3, dtype = "int16" }, { order = "F" }).dtype)
    raises("sum: no option 'axs' (did you mean 'axis'?); the options are axis, dtype, out, keepdims, initial",
      cp.sum, { 1, 2, axs = 1 })
    raises("sum: a is given by position and by name", cp.sum, { 1, 2, a = 3 })
    raises("array: dtype is given by position and by name", cp.array, { 1, dtype = "int8" }, { dtype = "int16" })
  end)

  it("are refused anywhere else", function()
    raises("add: x2 contains the name 'out'; named arguments go into a table of their own, the last argument",
      cp.add, x,
      { 1, 2, out = x })
    raises("sum: axis contains the name 'keepdims'; named", cp.sum, x, { 1, keepdims = true })
    raises("add: the table contains the name 'out', but data have no named entries",
      function() return x + { 1, 2, out = x } end)
    raises("add: the table contains the name 'no'", function() return x + { no = 1 } end)
    raises("index: the table contains the name 'no'", function() x[1] = { 1, 2, no = 1 } end)
    raises("array: element 1 contains the name 'dtype'", cp.array, { { 1, 2, dtype = "int8" }, { 3, 4 } })
    raises("broadcast_shapes: shape contains the name 'no', but a shape has no named entries", cp.broadcast_shapes,
      { 1, 2, no = 3 })
    raises("zeros: shape contains the name 'no'", cp.zeros, { shape = { 1, no = 3 } })
  end)
end)

describe("functions without options", function()
  it("take no more arguments than they have", function()
    local x = cp.ones(3)
    check.failure("usage", "dlpack: no option 'copyy' (did you mean 'copy'?)",
      function() x:dlpack { copyy = true } end)
    check.failure("usage", "clock: takes no arguments, 1 was given", function() cp.clock(1) end)
    check.failure("usage", "cuda.poll: takes no arguments, 2 were given", function() cp.cuda.poll(1, 2) end)
    check.failure("usage", "promote_types: takes at most 2 arguments, 3 were given",
      function() cp.promote_types("int8", "int8", "int8") end)
    assert.is_number(cp.clock(nil, nil))
    assert.equal(0, cp.cuda.poll(nil))
  end)
end)

describe("a word that is none of those wanted", function()
  -- Required arguments of functions that refuse arrays of ones.
  local x, long = cp.cpu.ones { 3, 3 }, cp.cpu.ones(40)
  local required = {
    put = { x, cp.index { 1 }, 1 }, ["scipy.ndimage.gaussian_filter1d"] = { x, 1 },
    ["scipy.ndimage.median_filter"] = { x, 3 }, ["scipy.ndimage.rank_filter"] = { x, 1, 3 },
    ["scipy.signal.decimate"] = { long, 2 }, ["scipy.signal.resample_poly"] = { long, 2, 1 },
    ["scipy.signal.resample"] = { long, 20 }, ["scipy.signal.iirdesign"] = { 0.2, 0.3, 1, 40 },
    ["scipy.signal.savgol_coeffs"] = { 5, 2 }, ["scipy.signal.savgol_filter"] = { long, 5, 2 },
    frombuffer = { "", "int8" }, fromstring = { "1" }, ElementwiseKernel = { "T x", "T y", "y = x" },
    RawModule = { "" }, trim_zeros = { cp.cpu.ones(3) }, partition = { x, 1 }, argpartition = { x, 1 },
    partition_ = { x, 1 }, astype = { x, "int8" }, ["ufunc.outer"] = { "add", x, x },
    ["scipy.ndimage.percentile_filter"] = { x, 50, 3 }, ["scipy.ndimage.rotate"] = { cp.cpu.ones { 2, 2 }, 10 },
    ["scipy.ndimage.generic_filter"] = { x, print, 3 }, ["scipy.ndimage.generic_filter1d"] = { x, print, 3 },
  }
  local fills = { x, cp.cpu.ones(5), 4, { cp.cpu.ones(3), cp.cpu.ones(3) }, "hann", { 3 }, 0.3 }

  -- These options are any text, or names of files.
  local ANY_TEXT = {}
  for name in ([[
    path name preamble doc loop_prep after_loop options code name_expressions signature identity reduce_type sep
    variable comments delimiter fmt newline header footer err_msg address limit size post
  ]]):gmatch "%S+" do
    ANY_TEXT[name] = true
  end

  -- Whether some call with this option raises an error that quotes it.
  local function is_quoted(entry, option)
    local lists = required[entry.name] and { required[entry.name] } or {}
    for _, fill in ipairs(fills) do
      local list = {}
      for k, p in ipairs(entry.parameters) do
        if p.optional then break end
        list[k] = fill
      end
      lists[#lists + 1] = list
    end
    for _, list in ipairs(lists) do
      local arguments = { unpack(list) }
      if entry.object then table.insert(arguments, 1, entry.object()) end
      arguments[#arguments + 1] = { [option] = "no such word" }
      local ok, message = public.call(entry.f, unpack(arguments))
      if not ok and message:find "['\"]no such word['\"]" then return true end
    end
  end

  it("is quoted", function()
    local wrong = {}
    for _, entry in ipairs(public.functions()) do
      local first = entry.parameters[1] and entry.parameters[1].name
      local is_file = first == "file" or first == "fname" or entry.name:find "^scipy%.io%."
      for _, p in ipairs(is_file and {} or entry.parameters) do
        local word = p.options and (p.type:find "string" or p.type:find '"') and not ANY_TEXT[p.name]
        if word and not entry.name:find "^plot%." and entry.name ~= "cuda.nccl.init" and entry.name ~= "ReductionKernel"
          and not is_quoted(entry, p.name) then
          wrong[#wrong + 1] = entry.name .. " " .. p.name
        end
      end
    end
    assert.equal("", table.concat(wrong, "\n"))
    check.failure("usage", 'convolve: mode must be "full", "same" or "valid", not "fulll"',
      function() cp.convolve({ 1, 2 }, { 3 }, "fulll") end)
    check.failure("usage", 'checks: mode must be "strict" or "lazy", not true', function() cp.checks(true) end)
  end)
end)

describe("functions of C that are called back", function()
  it("are named in what they raise", function()
    local s = cp.cuda.Stream()
    s:callback(string.rep)
    check.raises("Stream%.callback: f failed: bad argument #1", function() cp.cuda.poll() end)
    check.raises("scope: f failed: bad argument #1", cp.scope, string.rep)
    check.raises("assign: v failed: bad argument #1", function() cp.ones(2):assign(string.rep) end)
    check.raises("update: f failed: bad argument #2", function() cp.ones(2):update(1, string.rep) end)
    check.raises("sum: a must be an array", cp.scope, cp.sum)
    assert.equal(3, cp.scope(math.abs, -3))
  end)
end)
