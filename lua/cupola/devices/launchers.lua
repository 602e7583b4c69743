-- What launchers of distributed programs tell each process: its rank, the number of ranks, and the address of
-- rank 0. For cp.cuda.nccl.init.

return function(cp, core)
  local fail = core.fail

  -- The environment variables of each launcher: rank, number of ranks, rank on this host.
  local LAUNCHERS = {
    { "RANK", "WORLD_SIZE", "LOCAL_RANK" }, -- torchrun and similar
    { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK" },
    { "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID" }, -- MPICH and Intel MPI
    { "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID" },
  }

  local function whole(name)
    local text = core.variable("nccl.init", name)
    if text == nil or text == "" then return nil end
    local value = string.match(text, "^%d+$") and tonumber(text)
    if not value then fail("nccl.init", "usage", "the variable %s is '%s', not a whole number", name, text) end
    return value
  end

  -- The first host of Slurm's node list: "gpu[03-05,7],login" begins with gpu03.
  local function first_node(list)
    local head, range = string.match(list or "", "^([^%[,]+)%[?(%d*)")
    return head and head .. (string.sub(list, #head + 1, #head + 1) == "[" and range or "")
  end

  local function environment()
    for _, names in ipairs(LAUNCHERS) do
      local rank, size = whole(names[1]), whole(names[2])
      if rank and size then return rank, size, whole(names[3]) end
    end
  end

  local function address_of(given)
    local function variable(name) return core.variable("nccl.init", name) end
    return given or variable "MASTER_ADDR" or variable "SLURM_LAUNCH_NODE_IPADDR"
      or first_node(variable "SLURM_STEP_NODELIST" or variable "SLURM_NODELIST") or "127.0.0.1"
  end

  -- The GPU of a rank: the current device, unless the launcher started several processes on this host that
  -- see the same GPUs.
  local function device_of(given, place)
    local name = core.device_name(given)
    local count = cp.cuda.device_count()
    if given ~= nil or name == "cpu" or not place or count < 2 then return name end
    return string.format("cuda:%d", place % count)
  end

  return { environment = environment, address_of = address_of, device_of = device_of, whole = whole }
end
