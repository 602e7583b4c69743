-- Runs the programs of examples/tutorial on the current device with small sizes. A row of PROGRAMS: name,
-- arguments, text that the output must contain, a check of the script's result, and the extension of
-- temporary files (.npy).

local cp = require "cupola"
local files = require "spec.helper.files"
local scripts = require "spec.helper.scripts"

local here = cp.device().name
local TEMPORARY = {} -- stands for the path of a temporary file

local PROGRAMS = {
  { "01_arrays", {}, { "device " .. here, "float32 (3) " .. here, "bool (3)", "the table came back as it was" } },
  { "02_expression", { "100000" }, { "100000 elements on " .. here .. ": mean 3.3333", " kernels" },
    function(mean, sum)
      assert.near(10 / 3, mean, 1e-4)
      assert.near(1e6 / 3, sum, 10)
    end },
  { "03_timing", { "200000" }, { "cpu ", "ms for a sum of 200000: 100000.0", cp.cuda.is_available()
    and "times as fast" or "no GPU: " },
    function(total) assert.equal(100000, total) end },
  { "05_mandelbrot", { "30", TEMPORARY, "25" }, { "30 x 20 points on " .. here .. ": 25 steps", "saved to " },
    function(counts, steps)
      assert.equal(25, steps)
      assert.equal(0, counts[{ 10, 15 }]) -- near 0, which never leaves
      -- The first corner leaves at once.
      assert.near(2 - math.log(math.log(math.sqrt(2.2 ^ 2 + 1))) / math.log(2), counts[{ 1, 1 }], 1e-9)
    end, ".png" },
  { "06_normalise", { TEMPORARY }, { "normalised column 1: mean", "std   1.0000", "saved to " },
    function(normed)
      assert.is_true(normed:has_shape(1000, 3))
      assert.near(0, cp.abs(normed:mean(1)):max():item(), 1e-12)
      assert.near(1, normed:std(1):min():item(), 1e-12)
    end },
  { "08_kernels", {}, { "norm of all: 16.8819", "float32 1000000 sums equal", "int32   1000000 sums equal" },
    function(differences, norms, equal)
      assert.same({ { 0, 0, 0, 0, 0 }, { 25, 25, 25, 25, 25 } }, differences:totable())
      assert.near(math.sqrt(30), norms[1], 1e-5)
      assert.is_true(equal)
    end },
  { "09_streams", { "5000" }, { "sum 5000, doubled 10000, on " .. here, "done: true and true" },
    function(total, doubled, done) assert.same({ 5000, 10000, true }, { total, doubled, done }) end },
  { "10_two_devices", {}, cp.cuda.device_count() > 1 and { "made on cuda:1", "moved to cuda:0",
    "operands are on different devices, cuda:0 and cuda:1; move one with :to(\"cuda:0\")",
    "sum of x * 2 + x: 45 on cuda:0" } or { "this needs two GPUs, and there " },
    function(sum)
      if cp.cuda.device_count() > 1 then assert.equal(45, sum:item()) else assert.is_nil(sum) end
    end },
  { "11_memory", {}, { "at the start", "with 8 MB in x", "within 4 MB: out of memory on " .. here .. ": requested 8 MB",
    "11_memory.lua:" },
    function(used, ok, report)
      assert.is_true(used >= 8 * 2 ^ 20)
      assert.is_false(ok)
      assert.is_true(report.used >= 2 * 4 * 512 * 512)
    end },
  { "12_pinned", { "1" }, { "from page-locked memory", "GB/s", "sum of what came back: 1572864",
    "first value by its address: 6" },
    function(back, first)
      assert.equal(262144, back.size)
      assert.equal(6, first)
    end },
  { "13_array_module", {}, { "float64 (9) cpu", "greatest difference: " },
    function(a, b, off)
      assert.equal("cpu", a.device)
      assert.equal(here, b.device)
      assert.near(0, off, 5e-16)
      assert.near(math.log(2), a[5], 1e-15)
      assert.near(math.log(1 + math.exp(-4)), a[1], 1e-15)
    end },
  { "14_fuse", { "1000" }, { "plain: ", "the same bits: true", "the text of population has " },
    function(plain, many, one)
      assert.near(0.6, plain[1], 1e-9) -- 1 - 1 / 2.5
      assert.is_true(many >= 2) -- 240 operations, at most 128 in a kernel
      assert.is_true(one == 1 or cp.fusion() == false or os.getenv "CUPOLA_FUSION" == "force")
    end },
  { "16_monte_carlo", { "100000", "3" }, { "300000 points: 3.1", " a round, on " .. here },
    function(estimate) assert.near(math.pi, estimate, 0.012) end }, -- 4 standard deviations
  { "16_kmeans", { "3000" }, { "3000 points on " .. here, "drawn around ( 5, -4)" },
    function(rows, right)
      assert.near(-4, rows[1][1], 0.15)
      assert.near(-4, rows[5][2], 0.15)
      assert.is_true(right > 0.98)
    end },
}

describe("the tutorial", function()
  for _, program in ipairs(PROGRAMS) do
    local name, arguments, parts, check, ending = (table.unpack or unpack)(program) -- luacheck: ignore
    it(name .. " runs", function()
      files.with(nil, function(path)
        local given = {}
        for k, v in ipairs(arguments) do given[k] = v == TEMPORARY and path or v end
        local results = { scripts.run("tutorial/" .. name, (table.unpack or unpack)(given)) } -- luacheck: ignore
        for _, part in ipairs(parts) do
          assert.truthy(results[1]:find(part, 1, true), part .. " is not in\n" .. results[1])
        end
        if check then check((table.unpack or unpack)(results, 2)) end -- luacheck: ignore
      end, ending or ".npy")
    end)
  end

  it("04_blur runs", function()
    local before = os.tmpname()
    local text, blurred, outlines, difference = scripts.run("tutorial/04_blur", before, nil, "64")
    assert.truthy(text:find("cpu     64 x 64: blur", 1, true), text)
    assert.is_true(blurred:has_shape(64, 64) and outlines:has_shape(64, 64))
    assert.is_true(difference < 1e-5)
    local source = cp.cpu.image.load(before .. "picture.png", "gray", "float32")
    assert.near(source:mean():item(), blurred:mean():item(), 0.02)
    assert.near(source[{ { 1, 9 }, { 1, 9 } }]:mean():item(), blurred[{ 5, 5 }], 1e-6)
    assert.is_true(outlines:max():item() > 1 and outlines:min():item() < 1e-6)
    local saved = cp.cpu.image.load(before .. "blurred.png", "gray", "float32")
    assert.is_true(cp.cpu.abs(saved - blurred:cpu()):max():item() < 0.003) -- half a step of 255
    assert.is_true(cp.cpu.image.load(before .. "edges.png"):has_shape(64, 64, 3))
    for _, name in ipairs { "", "picture.png", "blurred.png", "edges.png" } do os.remove(before .. name) end
  end)

  it("describes its output at the top of each program", function()
    local pipe = assert(io.popen "ls examples/tutorial/*.lua")
    for path in pipe:lines() do
      local top = files.contents(path):match "^(%-%-.-)\nlocal"
      assert.truthy(top and top:find "Prints", path)
    end
    pipe:close()
  end)
end)
