-- Compiles and runs hosts: C programs that embed cupola, linked with the module that the specs run with, for
-- the same Lua.

local host = {}

local search = rawget(package, "searchpath")

local LUAS = {
  ["lua5.4"] = { folder = "lua5.4", library = "liblua5.4.so.0" },
  luajit = { folder = "luajit-2.1", library = "libluajit-5.1.so.2" },
}
local lua = LUAS[rawget(_G, "jit") and "luajit" or "lua5.4"]

--- Runs a command; returns its output and its status.
function host.read(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo status=$?"))
  local text = pipe:read "*a"
  pipe:close()
  return text, tonumber(text:match "status=(%d+)%s*$")
end

function host.quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- The reason why programs cannot be compiled here, or nil.
function host.obstacle()
  if os.getenv "LD_PRELOAD" then return "the module is instrumented" end
  local _, status = host.read("cc --version")
  if status ~= 0 then return "there is no C compiler" end
end

--- Where lua.h may be: the usual place, and the folders of CPATH.
function host.header_options()
  local out = { "-I/usr/include/" .. lua.folder }
  for folder in (os.getenv "CPATH" or ""):gmatch "[^:]+" do
    out[#out + 1] = host.quoted("-I" .. folder .. "/" .. lua.folder)
  end
  return table.concat(out, " ")
end

--- Compiles a program against the module; its path, which os.remove removes, or nil and why it cannot be
--- linked here.
function host.compile(source)
  local program = os.tmpname()
  local module = search("cupola", package.cpath)
  local text, status = host.read(("env -u LD_PRELOAD cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror %s "
    .. "-Isrc -Ispec/embed %s %s -l:%s -lpthread -ldl -lm -o %s"):format(source, host.header_options(),
    host.quoted(module), lua.library, program))
  if status == 0 then return program end
  os.remove(program)
  if text:find("cannot find -l", 1, true) then return nil, lua.library .. " cannot be linked here" end
  error(text)
end

--- Runs a program that host.compile made; returns its output and status. settings: words NAME=value, which
--- are put before the command.
function host.run(program, arguments, settings)
  local folder = search("cupola", package.cpath):match "^(.*)/"
  return host.read(("%s LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH %s %s"):format(settings or "", host.quoted(folder), program,
    arguments or ""))
end

--- Compiles a program and runs it once. Returns its output and status, or nil and the reason why it cannot be
--- compiled here.
function host.compile_and_run(source, arguments, settings)
  local program, why = nil, host.obstacle()
  if not why then program, why = host.compile(source) end
  if not program then return nil, why end
  local text, status = host.run(program, arguments, settings)
  os.remove(program)
  return text, status
end

return host
