-- Inside Neovim: which lines of the buffer are longer than the mean, as an array says.
--   nvim --headless -u NONE -c "luafile examples/hosts/neovim.lua" -c "qa!"
local cp = require "cupola"

vim.api.nvim_buf_set_lines(0, 0, -1, false, { "a", "some text", "a line that is rather long", "the end" })
local lengths = {}
for k, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do lengths[k] = #line end

local x = cp.array(lengths)
local long = cp.flatnonzero(x:gt(x:mean()))
io.stdout:write(("mean length %.2f, long lines: %s\n"):format(x:mean():item(), table.concat(long:totable(), " ")))
