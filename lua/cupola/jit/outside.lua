-- The names of cp.jit outside of kernels: most raise an error there; operators and conversions work.

return function(cp, core)
  local function placeholder(path)
    return function() core.raise(path, "usage", "this works in kernels only (cp.jit.rawkernel)") end
  end

  for _, name in ipairs { "grid", "gridsize", "laneid", "syncthreads", "syncwarp", "threadfence", "threadfence_block",
    "syncthreads_count", "syncthreads_and", "syncthreads_or", "all_sync", "any_sync", "ballot_sync", "activemask",
    "match_any_sync", "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "shared_memory", "local_array",
    "atomic_add", "atomic_sub", "atomic_exch", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor",
    "atomic_inc", "atomic_dec", "atomic_cas", "random", "random_normal", "clock", "clock64", "nanosleep", "range",
    "printf", "popc", "clz" } do
    cp.jit[name] = placeholder("jit." .. name)
  end
  for _, name in ipairs { "this_thread_block", "this_grid", "sync" } do
    cp.jit.cg[name] = placeholder("jit.cg." .. name)
  end
  for _, name in ipairs { "threadIdx", "blockIdx", "blockDim", "gridDim" } do cp.jit[name] = { x = 0, y = 0,
    z = 0 } end
  cp.jit.warpsize = 32

  -- Operators of Lua 5.4 that LuaJIT has no signs for, and conversions: also functions outside of kernels.
  for name, operation in pairs { band = "bitwise_and", bor = "bitwise_or", bxor = "bitwise_xor", shl = "left_shift",
    sar = "right_shift", idiv = "floor_divide" } do
    cp.jit[name] = core.define("jit." .. name, "a, b", 2, function(_, a, b) return cp[operation](a, b) end)
  end
  cp.jit.bnot = core.define("jit.bnot", "a", 1, function(_, a) return cp.invert(a) end)
  cp.jit.shr = placeholder "jit.shr"
  for _, name in ipairs(core.dtypes()) do
    cp.jit[name] = core.define("jit." .. name, "v", 1, function(_, v)
      return cp.is_array(v) and v:astype(name) or cp.scalar(v, name)
    end)
  end
end
