-- The Lua side of the module: called once by luaopen_cupola with the public table, the C functions that only this
-- side may see, and
-- the methods of arrays. Each part is a file that adds its functions to these tables.

return function(cp, core, methods)
  cp._VERSION = "cupola 0.1"
  for _, name in ipairs(core.dtypes()) do
    cp[name] = name
  end

  for _, part in ipairs {
    "devices", "streams", "profiler", "runtime", "scope", "elementwise", "creation", "manipulation", "indexing",
    "userkernels", "exchange", "npy", "npz", "text_files", "image", "plot", "testing", "editing",
    "polynomials", "rawkernels", "scans", "sorting", "sets", "quantiles", "statistics", "histograms",
    "calculus", "products", "linalg", "fft", "random", "special",
  } do
    core.load(part)()(cp, core, methods)
  end

  core.load "doors"()(cp, core, methods)

  -- An unknown name is an error that suggests the nearest known one.
  setmetatable(cp, {
    __index = function(_, name)
      if type(name) ~= "string" then return nil end
      local known = {}
      for key in pairs(cp) do
        if type(key) == "string" then known[#known + 1] = key end
      end
      local near = core.suggest(name, known)
      core.raise(name, "usage", "cupola has no such function" .. (near and "; did you mean cp." .. near .. "?" or ""))
    end,
  })
end
