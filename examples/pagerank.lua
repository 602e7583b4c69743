-- PageRank of a graph in a Matrix Market file, whose entry {i, j} is a link from i to j. Without a file it
-- writes one: a network that grows, whose new pages link to those that have many links.
-- Usage: ./dev lua examples/pagerank.lua [FILE.mtx[.gz]] [PAGES]

local cp = require "cupola"

local file = arg and arg[1] or (os.getenv "TMPDIR" or "/tmp") .. "/pages.mtx.gz"
local pages = tonumber(arg and arg[2])

-- Each new page links to `each` ends of older links, or to any older page.
local function grow(n, each)
  local rng = cp.random.RandomState(1)
  local from, to, ends = {}, {}, {}
  local draws = rng:random_sample { n * each, 2 }:totable()
  for page = 2, n do
    for k = 1, each do
      local draw = draws[(page - 1) * each + k]
      local target = math.floor(draw[1] * (page - 1)) + 1
      if draw[2] < 0.8 and #ends > 0 then target = ends[math.floor(draw[1] * #ends) + 1] end
      from[#from + 1], to[#to + 1] = page, target
    end
    for k = #to - each + 1, #to do ends[#ends + 1] = to[k] end
  end
  return cp.sparse.coo_array({ cp.ones { #from }, { from, to } }, { shape = { n, n } })
end

local exists = io.open(file, "rb")
if exists then exists:close() end
if pages or not exists then
  cp.scipy.io.mmwrite(file, grow(pages or 20000, 8), { field = "pattern", comment = " links between pages" })
end

local started = cp.clock()
local links = cp.scipy.io.mmread(file):tocsr()
cp.synchronize()
local read = cp.clock() - started
local n = #links

-- A surfer follows a link of the page with probability 0.85, and else goes to any page; likewise from a page
-- without links.
started = cp.clock()
local follow = 0.85
local leaving = links:sum(2)
local dangling = leaving:eq(0)
local moves = (links / cp.where(dangling, 1, leaving):reshape(-1, 1)).T:tocsr()
local rank = cp.full({ n }, 1 / n)
local steps, change = 0
repeat
  local lost = cp.sum(cp.where(dangling, rank, 0))
  local new = moves:dot(rank) * follow + (lost * follow + (1 - follow)) / n
  change = cp.sum(cp.abs(new - rank)):item()
  rank, steps = new, steps + 1
until change < 1e-10 or steps == 1000

local best = cp.argsort(-rank)[{ { 1, math.min(5, n) } }]
print(("%s: %d pages and %d links, read in %.2f s"):format(file, n, links.nnz, read))
print(("%d steps on %s in %.2f s; ranks add up to %.9f"):format(steps, cp.device().name, cp.clock() - started,
  cp.sum(rank):item()))
for _, page in ipairs(best:totable()) do
  print(("page %6d: rank %.6f, %d links to it"):format(page, rank[page], links:getcol(page).nnz))
end

return rank, links
