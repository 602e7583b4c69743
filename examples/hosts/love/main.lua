-- LÖVE draws what arrays compute: waves on a square of water, which the mouse disturbs.
--   love examples/hosts/love            CUPOLA_SHOT=picture.png ends after 60 frames with a picture of them
local cp = require "cupola"

local N, SCALE = 160, 3
local now, before = cp.zeros({ N, N }, "float32"), cp.zeros({ N, N }, "float32")
local shot, frames, picture, data = os.getenv "CUPOLA_SHOT", 0, nil, nil

-- The water's height after a step of the wave equation, with fixed edges.
local function step()
  local c = now["2:-2, 2:-2"]
  local around = now["1:-3, 2:-2"] + now["3:-1, 2:-2"] + now["2:-2, 1:-3"] + now["2:-2, 3:-1"]
  local after = cp.zeros_like(now)
  after["2:-2, 2:-2"] = (2 * c - before["2:-2, 2:-2"] + 0.25 * (around - 4 * c)) * 0.998
  before, now = now, after
end

local function disturb(row, column)
  row, column = math.max(3, math.min(N - 3, row)), math.max(3, math.min(N - 3, column))
  now[{ { row - 2, row + 2 }, { column - 2, column + 2 } }] = 1
end

function love.load()
  love.window.setMode(N * SCALE, N * SCALE)
  disturb(50, 60)
  disturb(110, 90)
end

function love.update()
  if love.mouse.isDown(1) then
    disturb(math.floor(love.mouse.getY() / SCALE) + 1, math.floor(love.mouse.getX() / SCALE) + 1)
  end
  for _ = 1, 2 do step() end
  local colours = cp.image.colormap(now, "viridis", -0.5, 0.5)
  local opaque = cp.full({ N, N, 1 }, 255, "uint8")
  data = love.image.newImageData(N, N, "rgba8", cp.concatenate({ colours, opaque }, 3):tobytes())
  if picture then picture:replacePixels(data) else picture = love.graphics.newImage(data) end
end

function love.draw()
  love.graphics.draw(picture, 0, 0, 0, SCALE, SCALE)
  love.graphics.print(("%s, %d frames a second"):format(now.device, love.timer.getFPS()), 8, 8)
  frames = frames + 1
  if shot and frames == 60 then
    love.graphics.captureScreenshot(function(image)
      local file = assert(io.open(shot, "wb"))
      file:write(image:encode("png"):getString())
      file:close()
      print(("water between %.2f and %.2f"):format(now:min():item(), now:max():item()))
      love.event.quit()
    end)
  end
end
