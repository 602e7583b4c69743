-- Defining public functions: where they stand, and the name that errors give them, from one string.

return function(cp, core, methods)
  --- What puts a public function into the table t, whose names have this prefix in errors: core.define under its name.
  function core.publisher(t, prefix)
    return function(name, names, required, f)
      t[name] = core.define(prefix .. name, names, required, f)
      return t[name]
    end
  end

  core.publish = core.publisher(cp, "")

  -- A function of the public table that is a method of arrays too.
  function core.both(name, f)
    cp[name] = f
    methods[name] = f
    return f
  end

  --- The same by core.define.
  function core.method(name, names, required, f) return core.both(name, core.define(name, names, required, f)) end
end
