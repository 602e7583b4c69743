-- Runs the examples on the current device and checks their output; the README shows the output of the first
-- script.

local check = require "spec.helper.check"
local cp = require "cupola"
local scripts = require "spec.helper.scripts"

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

-- Width and height that a PNG's header states.
local function png_size(path)
  local text = read(path)
  assert.equal("\137PNG\r\n\26\n", text:sub(1, 8))
  local b = { text:byte(17, 24) }
  return ((b[1] * 256 + b[2]) * 256 + b[3]) * 256 + b[4], ((b[5] * 256 + b[6]) * 256 + b[7]) * 256 + b[8]
end

-- Runs an example with `steps`, an image file and a size. Checks the image's size if given, and that launches
-- and allocations are printed. Returns what was printed and what the script returns.
local function run_with_picture(name, steps, size, width, height)
  local results, w, h
  check.with_file(".png", function(path)
    results = { scripts.run(name, tostring(steps), path, tostring(size)) }
    w, h = png_size(path)
  end)
  assert.same({ width, height }, { w, h })
  if steps > 0 then assert.truthy(results[1]:find "%d launches and [%d.]+ allocations per step") end
  return results[1], results[2], results[3]
end

-- Asserts that x equals `expected`, a plain table (of rows), within `bound`.
local function assert_near(expected, x, bound)
  local e = cp.array(expected)
  assert.same(e.shape, x.shape)
  local off = cp.abs(x:astype "float64" - e):max():item()
  assert.is_true(off <= bound, ("off by %g"):format(off))
end

-- An n x n table of f(row, column).
local function grid(n, f)
  local rows = {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do
      rows[i][j] = f(i, j)
    end
  end
  return rows
end

local function laplacian(w, i, j) return w[i + 1][j] + w[i - 1][j] + w[i][j + 1] + w[i][j - 1] - 4 * w[i][j] end

-- The grid that holds f(i, j) at inner points and w elsewhere.
local function inner_points(w, f)
  local n = #w
  return grid(n, function(i, j)
    if i == 1 or j == 1 or i == n or j == n then return w[i][j] end
    return f(i, j)
  end)
end

describe("examples", function()
  it("quickstart prints what the README shows", function()
    local shown = read("README.md"):match "It prints.-```\n(.-)```"
    local printed = scripts.run "quickstart" .. "\n"
    printed = printed:gsub(cp.device().name, "cpu"):gsub("638\t", "638.0\t")
    assert.equal(shown, printed)
  end)

  it("quickstart is the README's first script", function()
    local script = read "examples/quickstart.lua"
    local shown = read("README.md"):match "```lua\n(.-)```"
    assert.equal(script:gsub("^[^\n]*\n", ""), shown)
  end)

  it("mandelbrot draws the set", function()
    check.with_file(".png", function(path)
      local printed = scripts.run("mandelbrot", "150", path)
      assert.truthy(printed:find(("150 x 100 on %s"):format(cp.device().name), 1, true))
      assert.same({ 150, 100 }, { png_size(path) })
    end)
  end)

  it("heat conserves heat", function()
    local printed = run_with_picture("heat", 20, 512, 512, 512)
    assert.equal("100.0", printed:match "([%d.]+)%% of the heat")
  end)

  it("heat equals a loop over the points", function()
    local n, steps = 40, 25
    local w = grid(n, function(i, j)
      local in_disc = (j - 1 - 0.68 * n) ^ 2 + (i - 1 - 0.66 * n) ^ 2 < (0.12 * n) ^ 2
      return (in_disc or i >= n / 5 and i <= n / 4 and j >= n / 8 and j <= n / 2) and 1 or 0
    end)
    for _ = 1, steps do
      local old = w
      w = inner_points(old, function(i, j) return old[i][j] + 0.2 * laplacian(old, i, j) end)
    end
    local _, u = run_with_picture("heat", steps, n, n, n)
    assert_near(w, u, 2e-6)
  end)

  it("gray_scott equals a loop over the points", function()
    local n, steps = 36, 20
    local _, start_u, start_v = run_with_picture("gray_scott", 0, n, n, n)
    local u, v = start_u:astype("float64"):totable(), start_v:astype("float64"):totable()
    assert.is_true(start_v:gt(0):count_nonzero():item() > 20)
    for _ = 1, steps do
      local a, b = u, v
      u = inner_points(a, function(i, j)
        return a[i][j] + 0.16 * laplacian(a, i, j) - a[i][j] * b[i][j] ^ 2 + 0.0545 * (1 - a[i][j])
      end)
      v = inner_points(b, function(i, j)
        return b[i][j] + 0.08 * laplacian(b, i, j) + a[i][j] * b[i][j] ^ 2 - (0.0545 + 0.062) * b[i][j]
      end)
    end
    local _, found_u, found_v = run_with_picture("gray_scott", steps, n, n, n)
    assert_near(u, found_u, 5e-6)
    assert_near(v, found_v, 5e-6)
  end)
end)

describe("examples of sparse arrays", function()
  it("pagerank gives the ranks of a loop over all links", function()
    if check.mode == "gc" then return pending "makes too many arrays to collect at each" end
    check.with_file(".mtx.gz", function(path)
      local printed, rank, links = scripts.run("pagerank", path, "60")
      assert.truthy(printed:find("60 pages and", 1, true))
      assert.truthy(printed:find("ranks add up to 1.000000000", 1, true))
      local again, same = scripts.run("pagerank", path) -- reads the file that is there
      assert.truthy(again:find("60 pages and", 1, true))
      assert.is_true(cp.allclose(rank, same, { rtol = 1e-12 }))
      local n, rows, columns, counts = 60, cp.sparse.find(links)
      rows, columns, counts = rows:totable(), columns:totable(), counts:totable()
      local leaving, r = {}, {}
      for page = 1, n do leaving[page], r[page] = 0, 1 / n end
      for k, page in ipairs(rows) do leaving[page] = leaving[page] + counts[k] end
      for _ = 1, 200 do
        local new, lost = {}, 0
        for page = 1, n do lost = lost + (leaving[page] == 0 and r[page] or 0) end
        for page = 1, n do new[page] = (0.15 + 0.85 * lost) / n end
        for k, page in ipairs(rows) do
          new[columns[k]] = new[columns[k]] + 0.85 * r[page] * counts[k] / leaving[page]
        end
        r = new
      end
      assert_near(r, rank, 1e-9)
    end)
  end)

  it("poisson solves the equations of its cells, faster with a preconditioner", function()
    if check.mode == "gc" then return pending "makes too many arrays to collect at each" end
    local printed, t, found
    check.with_file(".png", function(path)
      printed, t, found = scripts.run("poisson", path, "24")
      assert.same({ 24, 24 }, { png_size(path) })
    end)
    assert.truthy(printed:find "24 x 24 cells")
    assert.equal(0, found.info)
    assert.is_true(found.steps < found.plain_steps)
    local A = found.A:toarray()
    assert.is_true(cp.array_equal(A, A.T))
    assert.is_true(cp.allclose(cp.linalg.solve(A, found.heat), t:reshape(-1), { rtol = 1e-6 }))
    assert.is_true(cp.allclose(found.plain, t:reshape(-1), { rtol = 1e-5 }))
    -- heat flows out at the edge alone: the sums of rows are what the edge conducts
    assert.near(1, cp.sum(A:sum(2) * t:reshape(-1)):item(), 1e-6)
  end)
end)

describe("examples/nbody", function()
  -- One step of leapfrog for bodies in plain tables.
  local function accelerations(b)
    local ax, ay = {}, {}
    for i = 1, #b.x do
      ax[i], ay[i] = 0, 0
      for j = 1, #b.x do
        local dx, dy = b.x[j] - b.x[i], b.y[j] - b.y[i]
        local pull = b.m[j] / (dx ^ 2 + dy ^ 2 + 0.05 ^ 2) ^ 1.5
        ax[i], ay[i] = ax[i] + pull * dx, ay[i] + pull * dy
      end
    end
    return ax, ay
  end

  local function kick(b, dt)
    local ax, ay = accelerations(b)
    for i = 1, #b.x do
      b.vx[i], b.vy[i] = b.vx[i] + dt * ax[i], b.vy[i] + dt * ay[i]
    end
  end

  local function drift(b, dt)
    for i = 1, #b.x do
      b.x[i], b.y[i] = b.x[i] + dt * b.vx[i], b.y[i] + dt * b.vy[i]
    end
  end

  it("moves the bodies as a loop over all pairs does", function()
    local steps, dt = 12, 0.005
    local _, start = run_with_picture("nbody", 0, 20, 640, 480)
    local b = {}
    for _, name in ipairs { "x", "y", "vx", "vy", "m" } do
      b[name] = start[name]:totable()
    end
    assert.near(2.1 - 0.1 / 10, start.m:sum():item(), 1e-12) -- two centres and nine light bodies each
    for _ = 1, steps do
      kick(b, dt / 2)
      drift(b, dt)
      kick(b, dt / 2)
    end
    local _, found = run_with_picture("nbody", steps, 20, 640, 480)
    for _, name in ipairs { "x", "y", "vx", "vy" } do
      assert_near(b[name], found[name], 1e-11)
    end
  end)

  it("conserves energy and momentum", function()
    local _, found = run_with_picture("nbody", 150, 60, 640, 480)
    assert.is_true(math.abs(found.drift) < 1e-4)
    assert.near(0, (found.m * found.vx):sum():item(), 0.01) -- the discs are not quite symmetric
    local _, start = run_with_picture("nbody", 0, 60, 640, 480)
    assert.near((start.m * start.vx):sum():item(), (found.m * found.vx):sum():item(), 1e-12)
    assert.near((start.m * start.vy):sum():item(), (found.m * found.vy):sum():item(), 1e-12)
  end)
end)

describe("examples/montecarlo", function()
  local function bit_xor(a, b)
    local r, bit = 0, 1
    for _ = 1, 32 do
      if a % 2 ~= b % 2 then r = r + bit end
      a, b, bit = math.floor(a / 2), math.floor(b / 2), bit * 2
    end
    return r
  end

  local function times(a, b) -- modulo 2^32, in doubles
    local high, low = math.floor(a / 65536), a % 65536
    return (high * b % 65536 * 65536 + low * b) % 2 ^ 32
  end

  local function uniform(k)
    local h = times(bit_xor(k, math.floor(k / 2 ^ 16)), 0x21f0aaad)
    h = times(bit_xor(h, math.floor(h / 2 ^ 15)), 0xd35a2d97)
    h = bit_xor(h, math.floor(h / 2 ^ 15))
    return (math.floor(h / 256) + 1) / 2 ^ 24
  end

  it("draws the paths that the hash of the counters gives", function()
    local n, steps = 50, 6
    local inside, x = 0, {}
    for k = 1, n do
      if uniform(k - 1) ^ 2 + uniform(n + k - 1) ^ 2 < 1 then inside = inside + 1 end
      x[k] = math.log(100)
      for step = 1, steps do
        local first = 2 * n * step + k - 1
        local z = math.sqrt(-2 * math.log(uniform(first))) * math.cos(2 * math.pi * uniform(first + n))
        x[k] = x[k] + (0.05 - 0.2 ^ 2 / 2) / steps + 0.2 * math.sqrt(1 / steps) * z
      end
    end
    local _, found = run_with_picture("montecarlo", steps, n, 600, 400)
    assert.near(4 * inside / n, found.pi, 1e-6)
    assert_near(x, found.x, 1e-5)
    assert.equal(n * steps, found.picture:sum():item())
  end)

  it("comes close to pi and to the price that the formula gives", function()
    local _, found = run_with_picture("montecarlo", 4, 40000, 600, 400)
    assert.near(math.pi, found.pi, 4 * 1.642 / 200)
    assert.near(8.02135, found.exact, 1e-4) -- Black and Scholes, from a table
    assert.near(found.exact, found.estimate, 4 * found.sigma)
  end)
end)

describe("image.imwrite", function()
  it("writes grey, RGB and RGBA in every format", function()
    for _, ending in ipairs { ".png", ".bmp", ".tga", ".jpg" } do
      for _, shape in ipairs { { 3, 4 }, { 3, 4, 3 }, { 3, 4, 4 } } do
        check.with_file(ending, function(path)
          cp.image.imwrite(path, cp.full(shape, 7, "uint8"))
          assert.is_true(#read(path) > 18)
        end)
      end
    end
  end)

  it("refuses other arrays and names", function()
    local function message(...) return select(2, pcall(cp.image.imwrite, ...)) end
    assert.truthy(message("x.png", cp.zeros { 2, 2 }):find("image.imwrite: pixels must be uint8, not float64", 1, true))
    assert.truthy(message("x.png", cp.zeros({ 2 }, "uint8")):find("not (2)", 1, true))
    assert.truthy(message("x.gif", cp.zeros({ 2, 2 }, "uint8")):find("must end in .png", 1, true))
    assert.truthy(message("/no/such/folder/x.png", cp.zeros({ 2, 2 }, "uint8")):find("cannot write", 1, true))
  end)
end)
