-- The examples of "How to add" in docs/architecture.md, followed to the letter in a copy of the repository.
-- It takes a minute, so only with CUPOLA_TEST_HOW_TO_ADD=1, and only from one interpreter, as the subject is
-- the page: LuaJIT, whose run of all specs is the shorter one. Golden data are made again where python3 has
-- NumPy and the others.

local files = require "spec.helper.files"

-- Runs a shell command; gives whether it succeeded and what it printed.
local function shell(command)
  local pipe = assert(io.popen("(" .. command .. ") 2>&1; echo status $?"))
  local text = pipe:read "*a"
  pipe:close()
  return text:match "status (%d+)%s*$" == "0", text
end

local function reason_to_skip()
  if os.getenv "CUPOLA_TEST_HOW_TO_ADD" ~= "1" then return "slow: set CUPOLA_TEST_HOW_TO_ADD=1" end
  if not rawget(_G, "jit") then return "runs under LuaJIT" end
  if os.getenv "CUPOLA_DEVICE" == "cuda" then return "runs with the CPU device" end
end

-- The section's blocks in order: {kind, text}; those that go into a file have place, anchor and path.
local function blocks()
  local section = files.contents("docs/architecture.md"):match "\n## How to add\n(.-)\n## "
  local list = {}
  for lead, kind, text in section:gmatch "([^\n]*)\n\n```(%a*)\n(.-)```" do
    local place, anchor, path = lead:match "^(%u%l+) `(.*)` in `([^`]*)`:$"
    local runs = not place and (kind == "sh" or kind == "lua")
    assert.is_true(place == "Behind" or place == "Before" or runs, lead)
    list[#list + 1] = { kind = kind, text = text, place = place, anchor = anchor, path = path }
  end
  return list
end

describe("what docs/architecture.md says of how to add", function()
  local reason = reason_to_skip()
  if reason then
    pending(reason)
    return
  end

  local copy

  -- In the copy, built for one Lua and with few loops.
  local function run(command)
    return shell(("cd %s && env -u CUPOLA_BUILD_DIR -u CUPOLA_TEST_BUILT -u CUPOLA_TEST_MODE "
      .. "-u CUPOLA_TEST_FILES CUPOLA_DEVICE=cpu CUPOLA_TEST_LUA=lua5.4 "
      .. "CUPOLA_CMAKE_ARGS='-DCUPOLA_LEVELS=v1 -DCUPOLA_OPTIMISATION=-O0 -DCUPOLA_LOOP_OPTIMISATION=-O0 "
      .. "-DLUAJIT_INCDIR=' "
      .. "CCACHE_BASEDIR=%s sh -c '%s'"):format(copy, copy, command))
  end

  local function succeeds(command)
    local ok, text = run(command)
    assert.is_true(ok, command .. "\n" .. text)
  end

  -- Writes the block behind, or before, the only line of its file that begins with the anchor.
  local function write(block)
    local path, lines, found = copy .. "/" .. block.path, {}, 0
    for line in io.lines(path) do
      local here = line:match "^%s*(.*)$":sub(1, #block.anchor) == block.anchor
      if here then found = found + 1 end
      if here and block.place == "Before" then lines[#lines + 1] = block.text end
      lines[#lines + 1] = line .. "\n"
      if here and block.place == "Behind" then lines[#lines + 1] = block.text end
    end
    assert.equal(1, found, ("lines of %s that begin with %s"):format(block.path, block.anchor))
    local file = assert(io.open(path, "w"))
    file:write(table.concat(lines))
    file:close()
  end

  setup(function()
    local made = select(2, shell 'realpath "$(mktemp -d -p "${CUPOLA_BUILD_DIR:-build}")"')
    copy = assert(made:match "^(/[^\n]+)")
    assert(shell("cp -R CMakeLists.txt cmake dev docs kernels library lua spec src tools " .. copy))
  end)

  teardown(function() shell("rm -rf " .. copy) end)

  it("does what it says", function()
    local steps = {}
    for _, block in ipairs(blocks()) do
      if block.path then write(block) else steps[#steps + 1] = block end
    end
    assert.is_true(#steps >= 3)

    local ok, text = run "./dev test spec/arrays/golden_spec.lua"
    assert.is_false(ok)
    assert.is_truthy(text:find("softplus", 1, true) and text:find("peak", 1, true), text)

    local with_numpy = shell "python3 -c 'import numpy, scipy, ml_dtypes, mpmath'"
    for _, step in ipairs(steps) do
      if step.kind == "lua" then
        local file = assert(io.open(copy .. "/example.lua", "w"))
        file:write(step.text)
        file:close()
        succeeds "./dev lua example.lua"
      elseif with_numpy or not step.text:find "python3" then
        for line in step.text:gmatch "[^\n]+" do succeeds(line) end
      end
    end
  end)
end)
