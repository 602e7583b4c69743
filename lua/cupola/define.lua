-- Defining public functions: one string gives the name, both for the table and for error messages.

return function(cp, core, methods)
  --- Returns a function that defines public functions in the table t by core.define; their names in errors
  --- get this prefix.
  function core.publisher(t, prefix)
    return function(name, names, required, f)
      t[name] = core.define(prefix .. name, names, required, f)
      return t[name]
    end
  end

  core.publish = core.publisher(cp, "")

  -- Defines a function of the public table that is also a method of arrays.
  function core.both(name, f)
    cp[name] = f
    methods[name] = f
    return f
  end

  --- The same, with the signature of core.define.
  function core.method(name, names, required, f) return core.both(name, core.define(name, names, required, f)) end
end
