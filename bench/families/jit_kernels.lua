-- Fifteen kernels in Lua, each with the same kernel by hand in CUDA C++, for bench/families/jit.lua and
-- spec/jit/kernels_spec.lua. An entry: name, f (the Lua function), hand (CUDA source of a kernel `hand`
-- with the parameters of `params`), make(size) giving the arguments of f, what is written (positions of
-- arguments), and grid and block; `steps` gives the numbers that change between launches.

local cp = require "cupola"
local jit = cp.jit

local list = {}
local function add(entry) list[#list + 1] = entry end

local function random(n, dtype) return cp.random.default_rng(7):random(n):astype(dtype or "float32") end
local function integers(n, high, dtype) return cp.random.default_rng(3):integers(0, high, n):astype(dtype
  or "int32") end
local function blocks(n, block) return math.ceil(n / block) end

-- ---- 1: tiled matrix product

add { name = "matrix product", sizes = { 40, 1024 },
  f = function(a, b, c, n)
    local ta, tb = jit.shared_memory(cp.float32, { 16, 16 }), jit.shared_memory(cp.float32, { 16, 16 })
    local tx, ty = jit.threadIdx.x + 1, jit.threadIdx.y + 1
    local col, row = jit.grid(2)
    local acc = 0.0
    for k = 0, n - 1, 16 do
      ta[{ ty, tx }] = (row <= n and k + tx <= n) and a[{ row, k + tx }] or 0
      tb[{ ty, tx }] = (k + ty <= n and col <= n) and b[{ k + ty, col }] or 0
      jit.syncthreads()
      for j = 1, 16 do acc = acc + ta[{ ty, j }] * tb[{ j, tx }] end
      jit.syncthreads()
    end
    if row <= n and col <= n then c[{ row, col }] = acc end
  end,
  hand = [==[
extern "C" __global__ void hand(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float acc = 0;
  for (int k = 0; k < n; k += 16) {
    ta[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
    tb[ty][tx] = k + ty < n && col < n ? b[(k + ty) * n + col] : 0;
    __syncthreads();
    for (int j = 0; j < 16; j++) acc = acc + ta[ty][j] * tb[j][tx];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = acc;
}]==],
  make = function(n)
    local g = blocks(n, 16)
    return { random { n, n }, random { n, n } - 0.5, cp.zeros({ n, n }, "float32"), n }, { 3 }, { g, g }, { 16, 16 }
  end }

-- ---- 2: histogram

add { name = "histogram", sizes = { 3000, 2 ^ 26 },
  f = function(x, bins)
    local own = jit.shared_memory(cp.int32, 256)
    local t = jit.threadIdx.x + 1
    own[t] = 0
    jit.syncthreads()
    for i = jit.grid(1), x.size, jit.gridsize(1) do jit.atomic_add(own, x[i] + 1, 1) end
    jit.syncthreads()
    jit.atomic_add(bins, t, own[t])
  end,
  hand = [==[
extern "C" __global__ void hand(const unsigned char *x, int *bins, long long size) {
  __shared__ int own[256];
  int t = threadIdx.x;
  own[t] = 0;
  __syncthreads();
  for (long long i = (long long)blockIdx.x * blockDim.x + t; i < size; i += (long long)gridDim.x * blockDim.x)
    atomicAdd(&own[x[i]], 1);
  __syncthreads();
  atomicAdd(&bins[t], own[t]);
}]==],
  make = function(n) return { integers(n, 255, "uint8"), cp.zeros(256, "int32") }, { 2 }, math.min(1056, blocks(n,
    256)), 256,
    { n } end }

-- ---- 3: reduction and scan of a block by shuffles

add { name = "block scan", sizes = { 2048, 2 ^ 24 },
  f = function(x, y, totals)
    local sums = jit.shared_memory(cp.int32, 32)
    local i, t, lane = jit.grid(1), jit.threadIdx.x, jit.laneid()
    local v = x[i]
    local d = 1
    while d < 32 do
      local other = jit.shfl_up_sync(0xffffffff, v, d)
      if lane >= d then v = v + other end
      d = d * 2
    end
    if lane == 31 then sums[jit.idiv(t, 32) + 1] = v end
    jit.syncthreads()
    if t < 32 then
      local s = t < 8 and sums[t + 1] or 0
      d = 1
      while d < 32 do
        local other = jit.shfl_up_sync(0xffffffff, s, d)
        if lane >= d then s = s + other end
        d = d * 2
      end
      sums[t + 1] = s
    end
    jit.syncthreads()
    if t >= 32 then v = v + sums[jit.idiv(t, 32)] end
    y[i] = v
    if t == 255 then totals[jit.blockIdx.x + 1] = v end
  end,
  hand = [==[
extern "C" __global__ void hand(const int *x, int *y, int *totals) {
  __shared__ int sums[32];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31;
  int v = x[i];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) sums[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    int s = t < 8 ? sums[t] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += other;
    }
    sums[t] = s;
  }
  __syncthreads();
  if (t >= 32) v += sums[t / 32 - 1];
  y[i] = v;
  if (t == 255) totals[blockIdx.x] = v;
}]==],
  make = function(n)
    return { integers(n, 1000), cp.zeros(n, "int32"), cp.zeros(n / 256, "int32") }, { 2, 3 }, n / 256, 256
  end }

-- ---- 4: N-body with tiles

add { name = "N-body", sizes = { 256, 16384 },
  f = function(p, acc, n)
    local tx, ty, tz = jit.shared_memory(cp.float32, 128), jit.shared_memory(cp.float32, 128),
      jit.shared_memory(cp.float32, 128)
    local i, t = jit.grid(1), jit.threadIdx.x + 1
    local x, y, z = p[{ 1, i }], p[{ 2, i }], p[{ 3, i }]
    local ax, ay, az = 0.0, 0.0, 0.0
    for tile = 0, n - 1, 128 do
      tx[t], ty[t], tz[t] = p[{ 1, tile + t }], p[{ 2, tile + t }], p[{ 3, tile + t }]
      jit.syncthreads()
      for j = 1, 128 do
        local dx, dy, dz = tx[j] - x, ty[j] - y, tz[j] - z
        local r = dx * dx + dy * dy + dz * dz + 0.01
        local s = 1 / (r * math.sqrt(r))
        ax, ay, az = ax + dx * s, ay + dy * s, az + dz * s
      end
      jit.syncthreads()
    end
    acc[{ 1, i }], acc[{ 2, i }], acc[{ 3, i }] = ax, ay, az
  end,
  hand = [==[
extern "C" __global__ void hand(const float *p, float *acc, int n) {
  __shared__ float tx[128], ty[128], tz[128];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = p[i], y = p[n + i], z = p[2 * n + i], ax = 0, ay = 0, az = 0;
  for (int tile = 0; tile < n; tile += 128) {
    tx[t] = p[tile + t];
    ty[t] = p[n + tile + t];
    tz[t] = p[2 * n + tile + t];
    __syncthreads();
    for (int j = 0; j < 128; j++) {
      float dx = tx[j] - x, dy = ty[j] - y, dz = tz[j] - z;
      float r = dx * dx + dy * dy + dz * dz + (float)0.01, s = 1.0f / (r * sqrtf(r));
      ax = ax + dx * s;
      ay = ay + dy * s;
      az = az + dz * s;
    }
    __syncthreads();
  }
  acc[i] = ax;
  acc[n + i] = ay;
  acc[2 * n + i] = az;
}]==],
  make = function(n) return { random { 3, n }, cp.zeros({ 3, n }, "float32"), n }, { 2 }, n / 128, 128 end }

-- ---- 5: Conway's game with the borders of a tile in shared memory

add { name = "Conway", sizes = { 48, 4096 },
  f = function(old, new)
    local n = old.shape[2] -- a square
    local tile = jit.shared_memory(cp.uint8, { 18, 18 })
    local tx, ty = jit.threadIdx.x + 1, jit.threadIdx.y + 1
    local left, top = jit.blockIdx.x * 16, jit.blockIdx.y * 16
    local t = (ty - 1) * 16 + tx - 1
    while t < 324 do
      local r, c = jit.idiv(t, 18), t % 18
      local row, col = top + r, left + c -- one further out, as positions count from 1
      tile[{ r + 1, c + 1 }] = (row >= 1 and row <= n and col >= 1 and col <= n) and old[{ row, col }] or 0
      t = t + 256
    end
    jit.syncthreads()
    local count = 0
    for dy = 0, 2 do
      for dx = 0, 2 do
        if dx ~= 1 or dy ~= 1 then count = count + jit.int32(tile[{ ty + dy, tx + dx }]) end
      end
    end
    local row, col = top + ty, left + tx
    if row <= n and col <= n then
      new[{ row, col }] = (count == 3 or count == 2 and tile[{ ty + 1, tx + 1 }] == 1) and 1 or 0
    end
  end,
  hand = [==[
extern "C" __global__ void hand(const unsigned char *old_, unsigned char *new_, int n) {
  __shared__ unsigned char tile[18][18];
  int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * 16, top = blockIdx.y * 16;
  for (int t = ty * 16 + tx; t < 324; t += 256) {
    int r = t / 18, c = t % 18, row = top + r - 1, col = left + c - 1;
    tile[r][c] = row >= 0 && row < n && col >= 0 && col < n ? old_[row * n + col] : 0;
  }
  __syncthreads();
  int count = 0;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      if (dx != 1 || dy != 1) count += tile[ty + dy][tx + dx];
  int row = top + ty, col = left + tx;
  if (row < n && col < n) new_[row * n + col] = count == 3 || (count == 2 && tile[ty + 1][tx + 1] == 1);
}]==],
  make = function(n)
    local g = blocks(n, 16)
    return { integers({ n, n }, 2, "uint8"), cp.zeros({ n, n }, "uint8") }, { 2 }, { g, g }, { 16, 16 }, { n }
  end }

-- ---- 6: bitonic sort, one launch for each step

add { name = "bitonic sort", sizes = { 1024, 2 ^ 20 },
  f = function(x, k, j)
    local i = jit.grid(1)
    local other = jit.bxor(i - 1, j) + 1
    if other > i then
      local up = jit.band(i - 1, k) == 0
      local a, b = x[i], x[other]
      if (a > b) == up then x[i], x[other] = b, a end
    end
  end,
  hand = [==[
extern "C" __global__ void hand(float *x, int k, int j) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    bool up = (i & k) == 0;
    float a = x[i], b = x[other];
    if ((a > b) == up) {
      x[i] = b;
      x[other] = a;
    }
  }
}]==],
  steps = function(n)
    local out, k = {}, 2
    while k <= n do
      local j = k / 2
      while j >= 1 do
        out[#out + 1] = { k, j }
        j = j / 2
      end
      k = k * 2
    end
    return out
  end,
  make = function(n) return { random(n) }, { 1 }, n / 256, 256 end }

-- ---- 7: Mandelbrot

add { name = "Mandelbrot", sizes = { 64, 2048 },
  f = function(out, n, most)
    local px, py = jit.grid(2)
    if px <= n and py <= n then
      local re, im = jit.float32(px - 1) * 3 / n - 2, jit.float32(py - 1) * 2 / n - 1
      local zr, zi, k = 0.0, 0.0, 0
      while zr * zr + zi * zi <= 4 and k < most do
        zr, zi, k = zr * zr - zi * zi + re, 2 * zr * zi + im, k + 1
      end
      out[{ py, px }] = k
    end
  end,
  hand = [==[
extern "C" __global__ void hand(int *out, int n, int most) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < n && py < n) {
    float re = (float)px * 3 / (float)n - 2, im = (float)py * 2 / (float)n - 1, zr = 0, zi = 0;
    int k = 0;
    while (zr * zr + zi * zi <= 4 && k < most) {
      float t = zr * zr - zi * zi + re;
      zi = 2 * zr * zi + im;
      zr = t;
      k++;
    }
    out[py * n + px] = k;
  }
}]==],
  make = function(n)
    return { cp.zeros({ n, n }, "int32"), n, 500 }, { 1 }, { blocks(n, 16), blocks(n, 16) }, { 16, 16 }
  end }

-- ---- 8: Monte-Carlo option

add { name = "Monte-Carlo option", sizes = { 512, 2 ^ 18 },
  f = function(out, steps, strike)
    local i = jit.grid(1)
    local state = jit.uint32(i) * jit.uint32(747796405) + jit.uint32(2891336453)
    local total = 0.0
    for path = 1, 8 do -- luacheck: ignore
      local price = jit.float32(100)
      for step = 1, steps do -- luacheck: ignore
        state = jit.bxor(state, jit.shl(state, 13))
        state = jit.bxor(state, jit.shr(state, 17))
        state = jit.bxor(state, jit.shl(state, 5))
        local u = jit.float32(jit.shr(state, 8)) * (1 / 16777216)
        price = price * (1 + 0.02 * (u - 0.5))
      end
      total = total + math.max(price - strike, 0)
    end
    out[i] = total / 8
  end,
  hand = [==[
extern "C" __global__ void hand(float *out, int steps, int strike) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (unsigned)(i + 1) * 747796405u + 2891336453u;
  float total = 0;
  for (int path = 0; path < 8; path++) {
    float price = 100;
    for (int step = 0; step < steps; step++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      float u = (float)(state >> 8) * (float)(1.0 / 16777216);
      price = price * (1.0f + (float)0.02 * (u - 0.5f));
    }
    float gain = price - (float)strike;
    total = total + (gain < 0 ? 0 : gain);
  }
  out[i] = total / 8;
}]==],
  make = function(n) return { cp.zeros(n, "float32"), 32, 100 }, { 1 }, n / 256, 256 end }

-- ---- 9: sparse matrix times vector (CSR)

add { name = "sparse product", sizes = { 300, 2 ^ 20 },
  f = function(first, columns, values, x, y)
    for row = jit.grid(1), y.size, jit.gridsize(1) do
      local s = 0.0
      for k = first[row] + 1, first[row + 1] do s = s + values[k] * x[columns[k] + 1] end
      y[row] = s
    end
  end,
  hand = [==[
extern "C" __global__ void hand(const int *first, const int *columns, const float *values, const float *x, float *y,
                                int rows) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    float s = 0;
    for (int k = first[row]; k < first[row + 1]; k++) s = s + values[k] * x[columns[k]];
    y[row] = s;
  }
}]==],
  make = function(n)
    local each = 9
    local first = (cp.arange(n + 1) * each):astype "int32"
    return { first, integers(n * each, n), random(n * each), random(n), cp.zeros(n, "float32") }, { 5 },
      math.min(2048, blocks(n, 128)), 128, { n }
  end }

-- ---- 10: rays and spheres

add { name = "ray and sphere", sizes = { 32, 1024 },
  f = function(spheres, out, n, count)
    local px, py = jit.grid(2)
    if px > n or py > n then return end
    local dx, dy, dz = (jit.float32(px) - n / 2) / n, (jit.float32(py) - n / 2) / n, jit.float32(1)
    local length = math.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx / length, dy / length, dz / length
    local nearest, hit = jit.float32(1e30), 0
    for s = 1, count do
      local cx, cy, cz, r = spheres[4 * s - 3], spheres[4 * s - 2], spheres[4 * s - 1], spheres[4 * s]
      local b = dx * cx + dy * cy + dz * cz
      local under = b * b - (cx * cx + cy * cy + cz * cz - r * r)
      if under > 0 then
        local t = b - math.sqrt(under)
        if t > 0 and t < nearest then nearest, hit = t, s end
      end
    end
    out[{ py, px }] = hit > 0 and nearest or 0
  end,
  hand = [==[
extern "C" __global__ void hand(const float *spheres, float *out, int n, int count) {
  int px = blockIdx.x * blockDim.x + threadIdx.x + 1, py = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (px > n || py > n) return;
  float half = (float)((double)n / 2), dx = ((float)px - half) / (float)n, dy = ((float)py - half) / (float)n, dz = 1;
  float length = sqrtf(dx * dx + dy * dy + dz * dz);
  dx = dx / length;
  dy = dy / length;
  dz = dz / length;
  float nearest = 1e30f;
  int hit = 0;
  for (int s = 0; s < count; s++) {
    float cx = spheres[s * 4], cy = spheres[s * 4 + 1], cz = spheres[s * 4 + 2], r = spheres[s * 4 + 3];
    float b = dx * cx + dy * cy + dz * cz, under = b * b - (cx * cx + cy * cy + cz * cz - r * r);
    if (under > 0) {
      float t = b - sqrtf(under);
      if (t > 0 && t < nearest) {
        nearest = t;
        hit = s + 1;
      }
    }
  }
  out[(py - 1) * n + px - 1] = hit > 0 ? nearest : 0;
}]==],
  make = function(n)
    local spheres = random { 64, 4 } * cp.array({ 2, 2, 4, 0.4 }, "float32") - cp.array({ 1, 1, -2, -0.1 }, "float32")
    return { spheres:reshape(-1), cp.zeros({ n, n }, "float32"), n, 64 }, { 2 }, { blocks(n, 16), blocks(n, 16) },
      { 16, 16 }
  end }

-- ---- 11: Floyd and Steinberg's dithering along wavefronts, a block for each picture

add { name = "wavefront dithering", sizes = { 24, 512 },
  f = function(pictures, out)
    local n = pictures.shape[3] -- squares
    local p, t = jit.blockIdx.x + 1, jit.threadIdx.x
    -- Row r is 3 columns behind row r - 1: what it reads is complete, and no two rows of a wave change one
    -- pixel.
    for wave = 0, 4 * n do
      for r = t, n - 1, jit.blockDim.x do
        local c = wave - 3 * r
        if c >= 0 and c < n then
          local old = pictures[{ p, r + 1, c + 1 }]
          local bit = old < 128 and 0 or 255
          local e = old - bit
          out[{ p, r + 1, c + 1 }] = bit
          if c + 1 < n then pictures[{ p, r + 1, c + 2 }] = pictures[{ p, r + 1, c + 2 }] + jit.idiv(e * 7, 16) end
          if r + 1 < n then
            if c > 0 then pictures[{ p, r + 2, c }] = pictures[{ p, r + 2, c }] + jit.idiv(e * 3, 16) end
            pictures[{ p, r + 2, c + 1 }] = pictures[{ p, r + 2, c + 1 }] + jit.idiv(e * 5, 16)
            if c + 1 < n then pictures[{ p, r + 2, c + 2 }] = pictures[{ p, r + 2, c + 2 }] + jit.idiv(e, 16) end
          end
        end
      end
      jit.syncthreads()
    end
  end,
  hand = [==[
extern "C" __global__ void hand(int *pictures, unsigned char *out, int n) {
  int t = threadIdx.x;
  int *x = pictures + (long long)blockIdx.x * n * n;
  unsigned char *y = out + (long long)blockIdx.x * n * n;
  for (int wave = 0; wave <= 4 * n; wave++) {
    for (int r = t; r < n; r += blockDim.x) {
      int c = wave - 3 * r;
      if (c >= 0 && c < n) {
        int old = x[r * n + c], bit = old < 128 ? 0 : 255, e = old - bit;
        y[r * n + c] = bit;
        if (c + 1 < n) x[r * n + c + 1] += (e * 7) >> 4;
        if (r + 1 < n) {
          if (c > 0) x[(r + 1) * n + c - 1] += (e * 3) >> 4;
          x[(r + 1) * n + c] += (e * 5) >> 4;
          if (c + 1 < n) x[(r + 1) * n + c + 1] += e >> 4;
        }
      }
    }
    __syncthreads();
  }
}]==],
  make = function(n)
    local many = n > 100 and 132 or 2
    return { integers({ many, n, n }, 256), cp.zeros({ many, n, n }, "uint8") }, { 1, 2 }, many, math.min(n, 256), { n }
  end }

-- ---- 12: particles in cells

add { name = "particle in cell", sizes = { 1000, 2 ^ 22 },
  f = function(x, v, field, charge, dt)
    local cells = #field
    for i = jit.grid(1), #x, jit.gridsize(1) do
      local at = x[i]
      local cell = math.floor(at)
      local w = at - cell
      local left, right = cell % cells + 1, (cell + 1) % cells + 1
      local speed = v[i] + dt * (field[left] * (1 - w) + field[right] * w)
      local place = (at + dt * speed) % cells
      v[i], x[i] = speed, place
      jit.atomic_add(charge, math.floor(place) % cells + 1, 1)
    end
  end,
  hand = [==[
extern "C" __global__ void hand(float *x, float *v, const float *field, int *charge, double dt_, int cells, int n) {
  float dt = (float)dt_;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float at = x[i];
    int cell = (int)floorf(at);
    float w = at - (float)cell;
    int left = cell % cells, right = (cell + 1) % cells;
    float speed = v[i] + dt * (field[left] * (1 - w) + field[right] * w);
    float place = at + dt * speed, r = fmodf(place, (float)cells);
    place = r == 0 ? copysignf(0.0f, (float)cells) : r < 0 ? r + (float)cells : r;
    v[i] = speed;
    x[i] = place;
    atomicAdd(&charge[(int)floorf(place) % cells], 1);
  }
}]==],
  make = function(n)
    return { random(n) * 1000, random(n) - 0.5, random(1024) - 0.5, cp.zeros(1024, "int32"), 0.1 }, { 1, 2, 4 },
      math.min(2112, blocks(n, 256)), 256, { 1024, n }
  end }

-- ---- 13: random walks

add { name = "random walks", sizes = { 512, 2 ^ 20 },
  f = function(out, steps)
    local i = jit.grid(1)
    local x, y = 0, 0
    local state = jit.uint32(i) * jit.uint32(2654435761) + jit.uint32(1)
    for k = 1, steps do -- luacheck: ignore
      state = state * jit.uint32(1664525) + jit.uint32(1013904223)
      local turn = jit.shr(state, 30)
      if turn == 0 then
        x = x + 1
      elseif turn == 1 then
        x = x - 1
      elseif turn == 2 then
        y = y + 1
      else
        y = y - 1
      end
    end
    out[i] = x * x + y * y
  end,
  hand = [==[
extern "C" __global__ void hand(int *out, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = 0, y = 0;
  unsigned state = (unsigned)(i + 1) * 2654435761u + 1u;
  for (int k = 0; k < steps; k++) {
    state = state * 1664525u + 1013904223u;
    unsigned turn = state >> 30;
    if (turn == 0) x++;
    else if (turn == 1) x--;
    else if (turn == 2) y++;
    else y--;
  }
  out[i] = x * x + y * y;
}]==],
  make = function(n) return { cp.zeros(n, "int32"), 300 }, { 1 }, n / 256, 256 end }

-- ---- 14: lattice Boltzmann, D2Q9

add { name = "LBM D2Q9", sizes = { 32, 2048 },
  f = function(f, g, ex, ey, weights, opposite, omega)
    local n = f.shape[3] -- of squares
    local x, y = jit.grid(2)
    if x > n or y > n then return end
    local own = jit.local_array(cp.float32, 9)
    local rho, ux, uy = 0.0, 0.0, 0.0
    for k = 1, 9 do
      local sx, sy = (x - 1 - ex[k] + n) % n + 1, (y - 1 - ey[k] + n) % n + 1
      local v = f[{ k, sy, sx }]
      own[k] = v
      rho, ux, uy = rho + v, ux + v * jit.float32(ex[k]), uy + v * jit.float32(ey[k])
    end
    ux, uy = ux / rho, uy / rho
    local square = 1.5 * (ux * ux + uy * uy)
    for k = 1, 9 do
      local eu = 3 * (jit.float32(ex[k]) * ux + jit.float32(ey[k]) * uy)
      local equilibrium = weights[k] * rho * (1 + eu + 0.5 * eu * eu - square)
      g[{ k, y, x }] = own[k] + omega * (equilibrium - own[k])
    end
    if opposite[1] > 0 then g[{ 1, y, x }] = g[{ 1, y, x }] * 1 end
  end,
  hand = [==[
static __device__ int modulo(int a, int b) { // rounds down, as Lua's %
  int r = a % b;
  return r != 0 && (r ^ b) < 0 ? r + b : r;
}
extern "C" __global__ void hand(const float *f, float *g, const int *ex, const int *ey, const float *weights,
                                const int *opposite, double omega_, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float own[9], rho = 0, ux = 0, uy = 0, omega = (float)omega_;
  for (int k = 0; k < 9; k++) {
    int sx = modulo(x - ex[k] + n, n), sy = modulo(y - ey[k] + n, n);
    float v = f[((long long)k * n + sy) * n + sx];
    own[k] = v;
    rho = rho + v;
    ux = ux + v * (float)ex[k];
    uy = uy + v * (float)ey[k];
  }
  ux = ux / rho;
  uy = uy / rho;
  float square = 1.5f * (ux * ux + uy * uy);
  for (int k = 0; k < 9; k++) {
    float eu = 3.0f * ((float)ex[k] * ux + (float)ey[k] * uy);
    float equilibrium = weights[k] * rho * (1.0f + eu + 0.5f * eu * eu - square);
    g[((long long)k * n + y) * n + x] = own[k] + omega * (equilibrium - own[k]);
  }
  if (opposite[0] > 0) g[(long long)y * n + x] *= 1.0f;
}]==],
  make = function(n)
    local weights = cp.array({ 4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36 }, "float32")
    local f = random { 9, n, n } * 0.01 + weights:reshape(9, 1, 1)
    return { f, cp.zeros({ 9, n, n }, "float32"), cp.array({ 0, 1, 0, -1, 0, 1, -1, -1, 1 }, "int32"),
      cp.array({ 0, 0, 1, 0, -1, 1, 1, -1, -1 }, "int32"), weights, cp.zeros(9, "int32"), 1.2 }, { 2 },
      { blocks(n, 32), blocks(n, 8) }, { 32, 8 }, { n }
  end }

-- ---- 15: odd-even merge sort of each block's part

add { name = "odd-even merge sort", sizes = { 1024, 2 ^ 22 },
  f = function(x)
    local s = jit.shared_memory(cp.int32, 512)
    local t, base = jit.threadIdx.x, jit.blockIdx.x * 512
    s[t + 1], s[t + 257] = x[base + t + 1], x[base + t + 257]
    local size = 2
    while size <= 512 do
      local stride = jit.idiv(size, 2)
      local offset = jit.band(t, stride - 1)
      jit.syncthreads()
      do
        local p = 2 * t - jit.band(t, stride - 1) + 1
        local a, b = s[p], s[p + stride]
        if a > b then s[p], s[p + stride] = b, a end
        stride = jit.idiv(stride, 2)
      end
      while stride > 0 do
        jit.syncthreads()
        local p = 2 * t - jit.band(t, stride - 1) + 1
        if offset >= stride then
          local a, b = s[p - stride], s[p]
          if a > b then s[p - stride], s[p] = b, a end
        end
        stride = jit.idiv(stride, 2)
      end
      size = size * 2
    end
    jit.syncthreads()
    x[base + t + 1], x[base + t + 257] = s[t + 1], s[t + 257]
  end,
  hand = [==[
extern "C" __global__ void hand(int *x) {
  __shared__ int s[512];
  int t = threadIdx.x, base = blockIdx.x * 512;
  s[t] = x[base + t];
  s[t + 256] = x[base + t + 256];
  for (int size = 2; size <= 512; size *= 2) {
    int stride = size / 2, offset = t & (stride - 1);
    __syncthreads();
    {
      int p = 2 * t - (t & (stride - 1)), a = s[p], b = s[p + stride];
      if (a > b) s[p] = b, s[p + stride] = a;
      stride /= 2;
    }
    for (; stride > 0; stride /= 2) {
      __syncthreads();
      int p = 2 * t - (t & (stride - 1));
      if (offset >= stride) {
        int a = s[p - stride], b = s[p];
        if (a > b) s[p - stride] = b, s[p] = a;
      }
    }
  }
  __syncthreads();
  x[base + t] = s[t];
  x[base + t + 256] = s[t + 256];
}]==],
  make = function(n) return { integers(n, 2 ^ 30) }, { 1 }, n / 512, 256 end }

return list
