-- Runs the examples that work on pictures, on the current device, and compares what they find with what they
-- drew.

local check = require "spec.helper.check"
local cp = require "cupola"
local scripts = require "spec.helper.scripts"

-- Runs an example with a picture file; what it printed, what it returns, and the picture.
local function run(name, first, size)
  local printed, results, picture
  check.with_file(".png", function(path)
    printed, results = scripts.run(name, tostring(first), path, tostring(size))
    picture = cp.image.load(path)
  end)
  return printed, results, picture
end

describe("examples/cells", function()
  -- The number of the centre nearest to a cell, and the distance between them.
  local function nearest(cell, centres)
    local best, at = math.huge, nil
    for k, c in ipairs(centres) do
      local apart = math.sqrt((c[1] - cell.y) ^ 2 + (c[2] - cell.x) ^ 2)
      if apart < best then best, at = apart, k end
    end
    return at, best
  end

  it("finds each cell, those that touch too, and how large it is", function()
    local printed, found, picture = run("cells", 16, 160)
    local pieces = tonumber(printed:match "cells in (%d+) pieces")
    assert.is_true(picture:has_shape(160, 320, 3))
    assert.equal(16, #found.cells)
    assert.equal(16, found.count)
    assert.is_true(pieces < 16, "some cells touch")
    local centres, areas, seen = found.centres:totable(), found.area:totable(), {}
    for _, cell in ipairs(found.cells) do
      local k, apart = nearest(cell, centres)
      assert.is_nil(seen[k])
      seen[k] = true
      assert.is_true(apart < 1.5, ("a centre is off by %g"):format(apart))
      local part = areas[k] / (math.pi * cell.r ^ 2)
      assert.is_true(part > 0.75 and part < 1.15, ("an area is %g of the true one"):format(part))
    end
    assert.is_true(found.light:gt(0.5):all() and found.light:lt(0.85):all())
    local diameter = found.diameter:mean():item()
    assert.equal(("%.1f"):format(diameter), printed:match "diameter ([%d.]+)")
  end)

  it("finds nothing that is not there", function()
    local _, found = run("cells", 1, 96)
    assert.equal(1, found.count)
    assert.equal(1, #found.cells)
  end)
end)

describe("examples/warp", function()
  it("swirls a picture and back", function()
    local printed, found, picture = run("warp", 0, 96)
    assert.is_true(picture:has_shape(192, 288, 3))
    assert.is_true(found.off < 0.02, printed)
    local changed = cp.abs(found.swirled - found.picture):max():item()
    assert.is_true(changed > 0.3)
    -- the middle of a swirl stays, and nothing moves at the distance 1
    local corner = cp.abs(found.swirled - found.picture)[{ { 1, 6 }, { 1, 6 } }]:max():item()
    assert.is_true(corner < 1e-3)
  end)

  it("turns and magnifies about the middle", function()
    local _, found = run("warp", 0, 65)
    for _, name in ipairs { "turned", "magnified" } do
      local off = cp.abs(found[name] - found.picture)[{ 33, 33 }]:max():item()
      assert.is_true(off < 1e-3, ("%s: the middle is off by %g"):format(name, off))
    end
    assert.equal(4, #found.thumbnails)
    -- averages over areas keep the mean
    local kept = found.thumbnails[3]:mean():item() / found.picture:mean():item()
    assert.is_true(math.abs(kept - 1) < 0.02)
  end)
end)
