-- Why specs that need SuperLU cannot run, or nil.

local cp = require "cupola"

local ok, problem = pcall(cp.sparse.linalg.splu, cp.sparse.eye(2, 2, 0, "float64", "csc", "cpu"))
if ok then return { missing = nil } end
if not problem:find("SuperLU could not be opened", 1, true) then error(problem, 0) end
return { missing = "needs SuperLU (Debian: libsuperlu5, libsuperlu6 or libsuperlu7)" }
