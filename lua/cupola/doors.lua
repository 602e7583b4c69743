-- What a host may keep scripts from (cupola_options.closed_doors in cupola.h): the functions behind a closed door are
-- replaced by ones that raise. Names with a dot are those of a part of cp.

local FILES = {
  "save", "savez", "savez_compressed", "load", "loadtxt", "savetxt", "fromfile", "genfromtxt",
  "image.imwrite", "image.load", "image.save", "plot", "record", "cuda.nccl",
}
local FILE_METHODS = { "tofile" }
local POINTERS = { "from_pointer", "from_dlpack", "cuda.runtime", "cuda.FunctionAllocator", "cuda.ExternalStream" }
local POINTER_METHODS = { "dlpack" }
local KERNELS = { "ElementwiseKernel", "ReductionKernel", "RawKernel", "RawModule" }

return function(cp, core, methods)
  local function closed_function(name, door)
    local function closed() core.raise(name, "usage", door .. " are closed by the host") end
    return closed
  end

  -- A part with fields becomes one whose every field raises.
  local function replace(kept, closed)
    if type(kept) ~= "table" then return closed end
    return setmetatable({}, { __call = closed, __index = closed, __metatable = "closed" })
  end

  local function close(names, method_names, door)
    for _, path in ipairs(names) do
      local owner, name = cp, path
      if path:find "%." then
        owner, name = rawget(cp, path:match "^%w+"), path:match "%.(.+)$"
      end
      local kept = type(owner) == "table" and rawget(owner, name)
      if kept then owner[name] = replace(kept, closed_function(path, door)) end
    end
    for _, name in ipairs(method_names) do
      if rawget(methods, name) then methods[name] = closed_function(name, door) end
    end
  end

  local files, pointers, kernels = core.closed_doors()
  if not (files or pointers or kernels) then return end

  -- Closes what is loaded: again after each part that came later.
  function core.close_doors()
    if files then
      close(FILES, FILE_METHODS, "files")
      core.raw_file = closed_function("RawModule", "files")
      core.record_start = closed_function("precompile", "files")
    end
    if files or kernels then -- a bundle is a file of machine code
      core.bundle_load = closed_function("precompile", files and "files" or "user kernels")
    end
    if pointers then close(POINTERS, POINTER_METHODS, "pointers") end
    if kernels then close(KERNELS, {}, "user kernels") end
  end
  core.close_doors()
end
