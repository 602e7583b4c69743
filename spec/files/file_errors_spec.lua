-- Files with errors: a failed read must not count as the end of the file, and a failed write must not look
-- complete.

local cp = require "cupola"
local annotations = require "spec.helper.annotations"
local check = require "spec.helper.check"
local files = require "spec.helper.files"
local host = require "spec.helper.host"

local BROKEN = "/proc/self/mem" -- opens, and cannot be read from its start
local FULL = "/dev/full"

-- Every public function that takes a file's name: a call of it with a path, and the ending that its files
-- have.
local readers = {
  RawModule = { function(path) return cp.RawModule { path = path } end },
  fromfile = { function(path) return cp.fromfile(path, "uint8", { sep = " " }) end },
  ["fromfile, bytes"] = { function(path) return cp.fromfile(path, "uint8") end },
  genfromtxt = { function(path) return cp.genfromtxt(path) end },
  load = { function(path) return cp.load(path) end },
  loadtxt = { function(path) return cp.loadtxt(path) end },
  precompile = { function(path) return cp.precompile { bundle = path } end },
  ["image.load"] = { function(path) return cp.image.load(path) end },
  ["scipy.io.mmread"] = { function(path) return cp.scipy.io.mmread(path) end },
  ["scipy.io.mminfo"] = { function(path) return cp.scipy.io.mminfo(path) end },
  ["scipy.sparse.load_npz"] = { function(path) return cp.sparse.load_npz(path) end },
}

local x = cp.cpu.zeros({ 70, 80 }, "uint8")
local writers = {
  save = { function(path) cp.save(path, x) end, ".npy" },
  savetxt = { function(path) cp.savetxt(path, { 1, 2 }) end },
  savez = { function(path) cp.savez(path, x) end, ".npz" },
  savez_compressed = { function(path) cp.savez_compressed(path, x) end, ".npz" },
  tofile = { function(path) x:tofile(path) end },
  ["tofile, text"] = { function(path) x:tofile(path, " ") end },
  ["image.imwrite"] = { function(path) cp.image.imwrite(path, x) end, ".png" },
  ["image.save"] = { function(path) cp.image.save(path, x) end, ".jpg" },
  ["plot.bar"] = { function(path) cp.plot.bar({ 1, 2 }, { file = path, size = { 200, 150 } }) end, ".png" },
  ["plot.image"] = { function(path) cp.plot.image(x, { file = path }) end, ".svg" },
  ["plot.heatmap"] = { function(path) cp.plot.heatmap(x, { file = path }) end, ".txt" },
  ["plot.hist"] = { function(path) cp.plot.hist(x, { file = path }) end, ".txt" },
  ["plot.line"] = { function(path) cp.plot.line({ 1, 2 }, { file = path }) end, ".txt" },
  ["scipy.io.mmwrite"] = { function(path) cp.scipy.io.mmwrite(path, x) end, ".mtx" },
  ["scipy.io.mmwrite, gzip"] = { function(path) cp.scipy.io.mmwrite(path, x) end, ".mtx.gz" },
  ["scipy.sparse.save_npz"] = { function(path) cp.sparse.save_npz(path, cp.sparse.eye_array(3)) end, ".npz" },
  ["plot.scatter"] = { function(path) cp.plot.scatter({ 1, 2 }, { 1, 2 }, { file = path }) end, ".txt" },
}

-- f(path) raises an error of files in the name of the function.
local function fails(name, f, path, fact)
  local ok, message = pcall(f, path)
  assert.is_false(ok, name .. " did not fail")
  assert.matches("cupola%." .. name:gsub(",.*", ""):gsub("%p", "%%%0") .. ": ", message)
  assert.matches(fact, message, 1, true)
  assert.equal("io", cp.last_error().kind, message)
end

local function each(list, f)
  for name, entry in pairs(list) do f(name, entry[1], entry[2] or "") end
end

describe("files that fail", function()
  if not files.succeeds("test -r " .. BROKEN) or not files.succeeds("test -w " .. FULL) then
    return pending("needs " .. BROKEN .. " and " .. FULL)
  end

  it("after some of their bytes are not taken for shorter files", function()
    each(readers, function(name, f) fails(name, f, BROKEN, BROKEN) end)
    fails("load", function() cp.load(BROKEN) end, nil, "could not be read completely: Input/output error")
    fails("loadtxt", function() cp.loadtxt(BROKEN) end, nil, "could not be read completely: Input/output error")
  end)

  it("after some of their bytes raise the system's reason", function()
    if check.mode then return pending "needs no modes" end
    local text, status = host.compile_and_run "spec/embed/breaking.c"
    if not text then return pending(status) end
    assert.equal(0, status, text)
  end)

  it("because they are folders say so", function()
    each(readers, function(name, f) fails(name, f, "/tmp", "/tmp") end)
    each(writers, function(name, f, ending)
      local folder = os.tmpname() .. ending
      os.remove(folder)
      assert(files.succeeds("mkdir " .. folder))
      local ok, message = pcall(fails, name, f, folder, folder)
      files.succeeds("rmdir " .. folder)
      os.remove(folder:sub(1, #folder - #ending))
      assert(ok, message)
    end)
  end)

  it("because the disk is full say so", function()
    each(writers, function(name, f, ending)
      local path = os.tmpname() .. ending
      os.remove(path)
      assert(files.succeeds("ln -s " .. FULL .. " " .. path))
      local ok, message = pcall(fails, name, f, path, path
        .. " could not be written completely: No space left on device")
      os.remove(path)
      os.remove(path:sub(1, #path - #ending))
      assert(ok, message)
    end)
  end)

  it("while they are printed", function()
    local output = check.run([[
      local cp = require "cupola"
      io.stderr:write(tostring(select(2, pcall(cp.plot.line, { 1, 2 }))))
    ]], "export DISPLAY= WAYLAND_DISPLAY=; exec 3>&1; f() { \"$@\" 2>&3 >" .. FULL .. "; }; f")
    assert.matches("cupola.plot.line: cannot write to standard output: No space left on device", output)
  end)

  it("because the program that draws them fails", function()
    files.with(nil, function(path)
      local output = check.run(('print(pcall(require("cupola").plot.line, { 1, 2 }, { file = "%s" }))'):format(path),
        "CUPOLA_GNUPLOT=false")
      assert.matches("cupola.plot.line: gnuplot failed: it ended with status 1", output)
    end, ".pdf")
  end)

  it("to have as many bytes as the system says give what there is", function()
    local path = "/sys/devices/system/cpu/online" -- the system says that it has 4096 bytes
    local f = io.open(path, "rb")
    if not f then return pending("needs " .. path) end
    local text = f:read "*a"
    f:close()
    assert.equal(text, cp.fromfile(path, "uint8"):tobytes())
    local more = #text + 1
    check.failure("io", ("fromfile: %s holds %d values of uint8, not %d"):format(path, #text, more),
      function() cp.fromfile(path, "uint8", more) end)
  end)

  it("to have a size give as many values as are asked for", function()
    assert.same({ 0, 0, 0 }, cp.fromfile("/dev/zero", "int32", 3):totable())
    check.failure("io", "fromfile: /dev/zero has no size; give the number", function() cp.fromfile "/dev/zero" end)
    assert.equal(0, cp.fromfile("/dev/null").size)
    check.failure("io", "fromfile: /dev/null holds 0 values of float64, not 1",
      function() cp.fromfile("/dev/null", { count = 1 }) end)
  end)

  it("are tested for every function that takes a file's name", function()
    for _, f in ipairs(annotations.read()) do
      local name = f.name:gsub("^Array:", "")
      for _, parameter in ipairs(f.parameters) do
        if parameter.name == "file" or parameter.name == "fname" or parameter.name == "path" then
          local full = name:gsub("^sparse%.", "scipy.sparse.") -- cp.sparse is another name of that
          assert(readers[full] or writers[full] or name == "record", name .. " is in none of the lists above")
        end
      end
    end
  end)
end)
