"""Random statements for programs.py. An expression is a tree whose nodes have Lua text and a function on values, so that a
loop can evaluate it again; a statement has text and runs on the variables. Choices only look at the variables to be likely
to succeed: what does not fit raises Reject when it is run, and another one is tried.
"""

import numpy as np

import programs_model as m
from programs_model import Reject, Value
from programs_moves import random_move
from reference import rounded
from values import DTYPES, kind

NAMES = "abcdefgh"
COMMON = ["float32", "float64", "int32", "int64", "float32", "float64"]  # drawn more often
NUMBERS = [0, 1, 2, 3, 5, -1, -2, 0.5, -0.5, 1.5, 0.25]
INFIX = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "remainder"}
BINARY = """add subtract multiply divide maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal
logical_and logical_or logical_xor floor_divide remainder fmod bitwise_and bitwise_or bitwise_xor left_shift right_shift
copysign heaviside gcd""".split()
UNARY = """negative positive absolute sign square sqrt rsqrt reciprocal floor ceil trunc rint logical_not invert isnan isinf
isfinite signbit conj""".split()
TWINS = """add_ subtract_ multiply_ divide_ maximum_ minimum_ floor_divide_ remainder_ bitwise_and_ bitwise_or_
bitwise_xor_""".split()
UNARY_TWINS = "negative_ absolute_ sign_ square_ sqrt_ floor_ ceil_ trunc_ invert_ conj_".split()
NEAR = {"exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tanh": "tanh", "expm1": "expm1", "exp2": "exp2"}
REDUCTIONS = "sum sum sum prod min max ptp any all argmin argmax count_nonzero mean mean".split()


class Node:
    """Text with a {} for each child, and a function of the children's values. Infix text stands in parentheses inside others."""

    def __init__(self, template, f, *children, infix=False):
        self.template, self.f, self.children, self.infix = template, f, children, infix

    def text(self, outer=True):
        text = self.template.format(*[c.text(False) for c in self.children])
        return "(%s)" % text if self.infix and not outer else text

    def value(self, env):
        return self.f(env, *[c.value(env) for c in self.children])


def braces(text):
    return text.replace("{", "{{").replace("}", "}}")


def name_node(name):
    def f(env):
        if name not in env:
            raise Reject("no such variable")
        return env[name]
    return Node(name, f)


def number_node(v):
    return Node(repr(v), lambda env: v, infix=v < 0)


def made_node(text, array):
    return Node(braces(text), lambda env: Value(array.copy()))


def call_node(name, f, *children):
    return Node("cp.%s(%s)" % (name, ",".join(["{}"] * len(children))), lambda env, *args: f(*args), *children)


class Statement:
    """Lua text and what it does to the variables. repeats: it may be rejected after it has done a part."""

    def __init__(self, text, run, repeats=False):
        self.text, self.run, self.repeats = text, run, repeats


def assign(name, node):
    def run(env):
        v = node.value(env)
        if not isinstance(v, Value):
            raise Reject("no array")
        env[name] = v
    return Statement("%s=%s" % (name, node.text()), run)


def write(text, target, node):
    """target is evaluated first, as in the text."""
    def run(env):
        m.store(target.value(env), node.value(env))
    return Statement(text, run)


class Statements:
    """Makes statements for a program in a state; the source of chance is a random.Random."""

    def __init__(self, data, chance, expected_array, expected_value, expected_near):
        self.pools, self.r, self.large = data, chance, False
        self.expected_array, self.expected_value, self.expected_near = expected_array, expected_value, expected_near
        self.rows = chance.randint(1, 6)
        self.columns = chance.randint(1, 8)

    # ---- shapes, names, data

    def shape(self):
        """Shapes that often broadcast: of a program's own rows and columns."""
        r, c = self.rows, self.columns
        if self.large and self.r.random() < 0.7:
            return self.r.choice([(1300,), (40, 33), (1025,), (2, 700), (1, 1300)])
        likely = [(r, c)] * 6 + [(c,)] * 4 + [(r, 1), (1, c), (c, r), (r, r), (2, r, c), (r * c,), (), (1,)]
        return self.r.choice(likely + [(0,), (r, 0), (3, 1, 4), (2, 2, 2)] if self.r.random() < 0.3 else likely)

    def dtype(self):
        return self.r.choice(COMMON if self.r.random() < 0.6 else list(DTYPES))

    def target(self, env):
        free = [n for n in NAMES if n not in env]
        if free and self.r.random() < 0.6:
            return free[0]
        return self.r.choice(sorted(env)) if env else NAMES[0]

    def some(self, env):
        if not env:
            raise Reject("no variables")
        return name_node(self.r.choice(sorted(env)))

    def number(self):
        return number_node(self.r.choice(NUMBERS))

    def data_node(self):
        which, name, shape = self.r.choice("DDDDW"), self.dtype(), self.shape()
        start = self.r.randrange(90 if which == "D" else 30)
        text = '%s("%s",%d,{%s})' % (which, name, start, ",".join(map(str, shape)))
        return made_node(text, self.pools.array(which, name, start, shape))

    def generator_node(self):
        """What cupola need not keep in memory."""
        kind_of, name, shape = self.r.randrange(6), self.dtype(), self.shape()
        dims = "{%s}" % ",".join(map(str, shape))
        if kind_of == 0:
            v = self.r.choice([0, 1, 2, 3])
            return made_node('cp.full(%s,%d,"%s")' % (dims, v, name), np.full(shape, v).astype(DTYPES[name]))
        if kind_of == 1:
            return made_node('cp.ones(%s,"%s")' % (dims, name), np.ones(shape, DTYPES[name]))
        if kind_of == 2:
            return made_node('cp.zeros(%s,"%s")' % (dims, name), np.zeros(shape, DTYPES[name]))
        n = self.columns
        if kind_of == 3:
            return made_node("cp.linspace(0,%d,%d)" % (2 * n, 4 * n + 1), np.arange(4 * n + 1) / 2)
        first, step = self.r.randint(-4, 4), self.r.choice([1, 2, -1])
        array = np.arange(first, first + n * step, step, dtype=np.int64)
        if name in ("int32", "float32", "float64", "int16"):
            return made_node('cp.arange(%d,%d,%d,"%s")' % (first, first + n * step, step, name), array.astype(DTYPES[name]))
        return made_node("cp.arange(%d,%d,%d)" % (first, first + n * step, step), array)

    # ---- views

    def position(self, k, n):
        return str(k + 1 if self.r.random() < 0.7 else k - n)

    def range(self, n):
        """(slice, text) of one axis of length n."""
        if n == 0:
            return slice(None), ":"
        step = self.r.choice([1, 1, 1, 2, 3, -1, -2])
        if self.r.random() < 0.06:
            k = self.r.randint(1, n)
            return slice(0, 0), "%d:%d" % (k, k - 1)
        first, last = sorted([self.r.randrange(n), self.r.randrange(n)])
        if step < 0:
            first, last = last, first
        stop = last + (1 if step > 0 else -1)
        text = "%s:%s" % (self.position(first, n), self.position(last, n))
        return slice(first, None if stop < 0 else stop, step), text + (":%d" % step if step != 1 else "")

    def axis_item(self, n):
        chance = self.r.random()
        if chance < 0.3:
            return slice(None), ":"
        if chance < 0.45 and n > 0:
            k = self.r.randrange(n)
            return k, self.position(k, n)
        if chance < 0.6 and n > 1:
            return self.r.choice([(slice(1, None), "2:"), (slice(None, -1), ":-2"), (slice(None, None, -1), "::-1"),
                                  (slice(None, None, 2), "::2")])
        return self.range(n)

    def index(self, shape):
        """(tuple, text) of an index that leaves an axis."""
        if not shape:
            raise Reject("no axes")
        items = [self.axis_item(n) for n in shape[: self.r.randint(1, len(shape))]]
        if len(items) == len(shape) and all(isinstance(t, int) for t, _ in items):
            items[0] = self.range(shape[0])
        if self.r.random() < 0.06:
            items.insert(self.r.randint(0, len(items)), (None, "new"))
        return tuple(t for t, _ in items), ",".join(text for _, text in items)

    def slice_node(self, base, shape):
        tup, text = self.index(shape)
        return Node('{}["%s"]' % text, lambda env, a: m.view(a, tup, shape), base)

    def view_node(self, base, env):
        """A view of what base evaluates to now."""
        v = base.value(env)
        if not isinstance(v, Value):
            raise Reject("no array")
        form, d = self.r.randrange(12), v.array.ndim
        if form < 6:
            return self.slice_node(base, v.shape)
        if form < 8:
            return Node("{}.T", lambda env, a: m.transpose(a), base)
        if form == 8 and d > 1:
            axes = self.r.sample(range(d), d)
            text = "{}:transpose(%s)" % ",".join(str(k + 1) for k in axes)
            return Node(text, lambda env, a: m.transpose(a, axes), base)
        if form == 9 and d > 0 and v.array.size:
            at = [self.r.randrange(n) for n in v.shape]
            text = "{}:at(%s)" % ",".join(self.position(k, n) for k, n in zip(at, v.shape))
            return Node(text, lambda env, a: m.view(a, tuple(at), v.shape), base)
        if form == 10 and kind(v.dtype) == "c":
            which = self.r.choice(["real", "imag"])
            return Node("{}." + which, lambda env, a: m.part(a, which), base)
        shape = self.other_shape(v.array.size)
        return Node("{}:reshape(%s)" % braces("{%s}" % ",".join(map(str, shape))), lambda env, a: m.reshape(a, shape), base)

    def other_shape(self, size):
        divisors = [k for k in (1, 2, 3, 4, 5, 6, 8) if size and size % k == 0]
        return self.r.choice([(size,)] + [(k, size // k) for k in divisors] + [(size // k, k) for k in divisors])

    # ---- expressions

    def leaf(self, env):
        chance = self.r.random()
        if chance < 0.6 or not env:
            return self.some(env)
        if chance < 0.75:
            return self.view_node(self.some(env), env)
        return self.generator_node() if chance < 0.87 else self.data_node()

    def expression(self, env, depth=None):
        """A tree of elementwise operations that fits now; an operand is drawn again a few times if it does not."""
        depth = self.r.choice([1, 1, 2, 2, 3, 4]) if depth is None else depth
        if depth == 0:
            return self.leaf(env)
        for _ in range(12):
            try:
                node = self.operation(env, depth)
                v = node.value(env)
            except Reject:
                continue
            a = v.array
            if kind(v.dtype) in "fc" and a.size and np.mean(~np.isfinite(a)) > 0.4 and self.r.random() < 0.9:
                continue
            return node
        raise Reject("nothing fits")

    def operation(self, env, depth):
        chance = self.r.random()
        first = self.expression(env, depth - 1)
        if chance < 0.38:
            return self.infix(first, self.second(env, depth))
        if chance < 0.55:
            return self.binary(first, self.second(env, depth))
        if chance < 0.72:
            op = self.r.choice(UNARY)
            return call_node(op, lambda a: m.apply(op, a), first)
        if chance < 0.78:
            v = self.r.choice([2, 2, 2, 3, 0.5, -0.5, -1, 1])
            return Node("{}^" + repr(v), lambda env, a: m.power(a, v), first, infix=True)
        if chance < 0.85:
            name = self.dtype()
            return Node('{}:astype("%s")' % name, lambda env, a: m.astype(a, name), first)
        if chance < 0.88:
            low, high = sorted(self.r.sample([-3, -1, 0, 1, 2, 4, 6], 2))
            return Node("{}:clip(%d,%d)" % (low, high), lambda env, a: m.clip(a, low, high), first)
        if chance < 0.93:
            return self.choice(env, first, depth)
        return self.moved(env, first)

    def second(self, env, depth):
        if self.r.random() < 0.35:
            return self.number()
        return self.expression(env, max(0, depth - 1 - self.r.randrange(2)))

    def swapped(self, pair):
        return pair if self.r.random() < 0.7 else pair[::-1]

    def infix(self, *pair):
        sign = self.r.choice("++++--***/%")
        op = INFIX[sign]
        return Node("{}%s{}" % sign, lambda env, a, b: m.apply(op, a, b), *self.swapped(pair), infix=True)

    def binary(self, *pair):
        op = self.r.choice(BINARY)
        return call_node(op, lambda a, b: m.apply(op, a, b), *self.swapped(pair))

    def choice(self, env, first, depth):
        op = self.r.choice(["less", "greater", "equal", "less_equal"])
        mask = call_node(op, lambda a, b: m.apply(op, a, b), first, self.second(env, 1))
        return call_node("where", m.where, mask, first, self.second(env, depth))

    def moved(self, env, first):
        """Elements elsewhere, as copies: several times, with views between."""
        if not isinstance(first.value(env), Value):
            raise Reject("no array")
        node = self.move(env, first)
        while self.r.random() < 0.5:
            node = self.view_node(node, env) if self.r.random() < 0.6 else self.move(env, node)
        return node

    def move(self, env, first):
        shape = first.value(env).shape
        text, f = random_move(self.r, shape)

        def run(env, a):
            if a.array.ndim != len(shape) or (0 in a.shape) != (0 in shape):
                raise Reject("another shape, in a loop")
            return m.fresh(f(a.array), a)
        return Node(text, run, first)

    # ---- statements that make values

    def data(self, env):
        return assign(self.target(env), self.data_node())

    def compute(self, env):
        return assign(self.target(env), self.expression(env))

    def alias(self, env):
        base = self.some(env)
        if self.r.random() < 0.12:
            return assign(self.target(env), base)
        if self.r.random() < 0.15:
            return assign(self.target(env), self.broadcast(base, env))
        inner = self.expression(env, 1) if self.r.random() < 0.2 else base
        return assign(self.target(env), self.view_node(inner, env))

    def broadcast(self, base, env):
        shape = (self.r.randint(1, 3),) + base.value(env).shape
        text = "cp.broadcast_to({},%s)" % braces("{%s}" % ",".join(map(str, shape)))
        return Node(text, lambda env, a: m.broadcast_to(a, shape), base)

    def reduction_node(self, env):
        a = self.expression(env, self.r.choice([0, 0, 1, 2]))
        red, d = self.r.choice(REDUCTIONS), a.value(env).array.ndim
        axis = self.r.choice([None] + list(range(d)) * 2)
        if axis is None and red in ("any", "all"):
            raise Reject("gives a boolean")
        keep = axis is not None and self.r.random() < 0.2
        inside = "" if axis is None else str(axis + 1) + (",{keepdims=true}" if keep else "")
        return Node("{}:%s(%s)" % (red, braces(inside)), lambda env, v: m.reduce(red, v, axis, keep), a)

    def reduction(self, env):
        return assign(self.target(env), self.reduction_node(env))

    def scope(self, env):
        inner = self.expression(env, 1)
        inside = dict(env, t=inner.value(env))
        outer = self.infix(name_node("t"), self.some(inside))
        name = self.target(env)

        def run(env):
            result = outer.value(dict(env, t=inner.value(env)))
            env[name] = result
        text = "%s=cp.scope(function() local t=%s return %s end)" % (name, inner.text(), outer.text())
        return Statement(text, run)

    # ---- statements that write

    def place(self, env):
        """(text to assign to, node) of a whole variable or a part of it."""
        base = self.some(env)
        if self.r.random() < 0.35:
            return base, self.r.choice(['{}["..."]={}', "{}:assign({})", "{}:assign({})", "{}[{{}}]={}",
                                        "{}:assign(function() return {} end)"])
        node = self.slice_node(base, base.value(env).shape)
        return node, self.r.choice(["{}={}", "{}={}", "{}={}", "{}:assign({})"])

    def fitting(self, target, env):
        """An expression that can be written to the target: cast where its dtype is of another kind."""
        to = target.value(env)
        if to.array.size == 0 and self.r.random() < 0.8:
            raise Reject("empty")
        if self.r.random() < 0.15:
            return self.number()
        if self.r.random() < 0.15:
            return self.whole(to, env)
        own = self.r.random()
        for _ in range(6):
            if own < 0.4:
                node = self.infix(target if self.r.random() < 0.5 else self.neighbour(target, env), self.second(env, 2))
            else:
                node = self.expression(env)
            try:
                v = node.value(env)
                m.broadcast_shape(v.array, to.array)
            except Reject:
                continue
            if v.array.ndim > to.array.ndim or np.broadcast_shapes(v.shape, to.shape) != to.shape:
                continue
            if v.dtype != to.dtype and not m.table.can_cast(v.dtype, to.dtype, "same_kind"):
                return Node('{}:astype("%s")' % to.dtype, lambda env, a: m.astype(a, to.dtype), node)
            return node
        raise Reject("nothing fits")

    def whole(self, to, env):
        """A variable as it is: the two may share memory from then on."""
        fits = [n for n in sorted(env) if env[n].shape == to.shape and env[n].array.size
                and m.table.can_cast(env[n].dtype, to.dtype, "same_kind")]
        if not fits:
            raise Reject("nothing fits")
        return name_node(self.r.choice(fits))

    def neighbour(self, target, env):
        """A view of target's shape that may overlap it."""
        v = target.value(env)
        if v.array.ndim == 2 and v.shape[0] == v.shape[1] and self.r.random() < 0.5:
            return Node("{}.T", lambda env, a: m.transpose(a), target)
        if v.array.ndim == 0:
            raise Reject("no axes")
        if target.children and target.children[0].value(env).array.ndim:
            return self.shifted(target, env)
        return Node('{}["::-1"]', lambda env, a: m.view(a, (slice(None, None, -1),)), target)

    def shifted(self, target, env):
        """Another part of what the target is a part of."""
        base = target.children[0]
        for _ in range(8):
            node = self.slice_node(base, base.value(env).shape)
            if node.value(env).shape == target.value(env).shape:
                return node
        raise Reject("no neighbour")

    def write(self, env):
        target, form = self.place(env)
        node = self.fitting(target, env)
        return write(form.format(target.text(), node.text()), target, node)

    def overlap(self, env):
        """x[part] = x[other part], in the plainest forms."""
        base = self.some(env)
        v = base.value(env)
        if v.array.ndim == 0 or v.shape[0] < 3:
            raise Reject("too short")
        pairs = [((slice(1, None),), "2:", (slice(None, -1),), ":-2"), ((slice(None, -1),), ":-2", (slice(1, None),), "2:"),
                 ((Ellipsis,), "...", (slice(None, None, -1),), "::-1"),
                 ((slice(2, None),), "3:", (slice(None, -2),), ":-3")]
        to, to_text, source, source_text = self.r.choice(pairs)
        target = Node('{}["%s"]' % to_text, lambda env, a: Value(a.array[to], a.known, a.fixed), base)
        node = Node('{}["%s"]' % source_text, lambda env, a: Value(a.array[source], a.known, a.fixed), base)
        if self.r.random() < 0.6:
            node = self.infix(node, self.number())
        return write("%s=%s" % (target.text(), node.text()), target, node)

    def twin(self, env):
        """x:add_(y), on a variable or a part of it."""
        target = self.some(env)
        if self.r.random() < 0.35:
            target = self.slice_node(target, target.value(env).shape)
        if self.r.random() < 0.25:
            twin = self.r.choice(UNARY_TWINS)
            node = call_node("", lambda a: m.apply(twin[:-1], a), target)
            return write("%s:%s()" % (target.text(), twin), target, node)
        twin = self.r.choice(TWINS[:3] if self.r.random() < 0.6 else TWINS)
        other = self.number() if self.r.random() < 0.3 else self.fitting(target, env)
        node = call_node("", lambda a, b: m.apply(twin[:-1], a, b), target, other)
        if node.value(env).shape != target.value(env).shape:
            raise Reject("shapes")
        return write("%s:%s(%s)" % (target.text(), twin, other.text()), target, node)

    def fill(self, env):
        target = self.some(env)
        if self.r.random() < 0.5:
            target = self.slice_node(target, target.value(env).shape)
        number = self.number()
        return write("%s:fill(%s)" % (target.text(), number.text()), target, number)

    def out(self, env):
        """cp.add(x, y, out): the result has the shape of out."""
        target = self.some(env)
        op = self.r.choice(["add", "subtract", "multiply", "maximum", "minimum"])
        a, b = self.expression(env, 1), self.second(env, 1)
        node = call_node(op, lambda x, y: m.apply(op, x, y), a, b)
        if node.value(env).shape != target.value(env).shape:
            raise Reject("shapes")
        form = self.r.choice(["cp.%s(%s,%s,%s)", "cp.%s(%s,%s,{out=%s})"])
        return write(form % (op, a.text(), b.text(), target.text()), target, node)

    # ---- the rest

    def loop(self, env):
        body = [self.r.choice([self.compute, self.write, self.twin, self.overlap])(env)]
        if self.r.random() < 0.3:
            body.append(self.r.choice([self.write, self.twin])(env))
        times = self.r.choice([2, 3, 3, 4, 5, 6, 7, 20, 60])

        def run(env):
            for _ in range(times):
                for statement in body:
                    statement.run(env)
        return Statement("for _=1,%d do %s end" % (times, " ".join(s.text for s in body)), run, repeats=True)

    def drop(self, env):
        name = self.r.choice(sorted(env))
        if self.r.random() < 0.3:
            return Statement("G()", lambda env: None)

        def run(env):
            del env[name]
        return Statement(name + "=nil", run)

    def force(self, env):
        names = self.r.sample(sorted(env), self.r.randint(1, min(3, len(env))))
        text = self.r.choice(["cp.eval(%s)" % ",".join(names), names[0] + ":eval()", "cp.synchronize()"])
        return Statement(text, lambda env: None)

    def give_out(self, name):
        return Statement("R(%s)" % name, lambda env: self.expected_array(env[name]))

    def read(self, env):
        node = self.some(env)
        v = node.value(env)
        form = self.r.randrange(6)
        if form == 0 and v.array.size:
            at = [self.r.randrange(n) for n in v.shape]
            text = "%s[{%s}]" % (node.text(), ",".join(self.position(k, n) for k, n in zip(at, v.shape)))
            return Statement("R(%s)" % text, lambda env: self.expected_value(node.value(env).array[tuple(at)]))
        if form == 1:
            red = self.r.choice(["any", "all"])
            inner = self.expression(env, 1)
            return Statement("R(%s:%s())" % (inner.text(False), red),
                             lambda env: self.expected_value(m.reduce(red, inner.value(env), None).array))
        inner = self.expression(env, 0 if form < 4 else 1)
        return Statement("R(%s)" % inner.text(), lambda env: self.expected_array(inner.value(env)))

    def near(self, env):
        """Functions and sums that are within a tolerance: given out, and never computed with."""
        inner = self.expression(env, self.r.choice([1, 2]))
        if self.r.random() < 0.5:
            return self.near_function(inner)
        red = self.r.choice(["sum", "mean", "var", "std"])

        def run(env):
            dtype, value, bound = m.rounding(red, inner.value(env))
            return self.expected_near(dtype, np.asarray(value, np.float64), "~%.3g" % (bound * 1.001))
        return Statement("R(%s:%s())" % (inner.text(False), red), run)

    def near_function(self, inner):
        op = self.r.choice(sorted(NEAR))

        def run(env):
            v = inner.value(env)
            if v.dtype not in ("float32", "float64") or v.array.size > 64:
                raise Reject("no reference")
            np_f, mp_f = m.elementwise.ROUNDED[op]
            return self.expected_near(v.dtype, rounded(np_f, mp_f, v.dtype, v.array), str(m.OPS[op]["numeric"]))
        return Statement("R(cp.%s(%s))" % (op, inner.text()), run)

    CHOICES = (["compute"] * 30 + ["alias"] * 12 + ["write"] * 24 + ["overlap"] * 6 + ["twin"] * 12 + ["fill"] * 4 + ["out"] * 4
               + ["reduction"] * 9 + ["scope"] * 2 + ["loop"] * 5 + ["drop"] * 4 + ["force"] * 3 + ["read"] * 6 + ["near"] * 3
               + ["data"] * 2)

    def any(self, env):
        if not env:
            return self.data(env)
        return getattr(self, self.r.choice(self.CHOICES))(env)
