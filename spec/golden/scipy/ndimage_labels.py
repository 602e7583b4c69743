"""Golden calls of cp.scipy.ndimage, from SciPy: labels, measurements and distances: `ndimage_labels`. Positions count from 1."""

import numpy as np
from scipy import ndimage

from calls import Calls
from ndimage_windows import lua
from scipy_calls import near, whole

N = "cp.scipy.ndimage."


def label_calls(c):
    r = np.random.default_rng(1)
    for shape in ((40,), (9, 14), (3, 4, 34), (2, 3, 4, 5)):
        for density in (0.35, 0.6, 0.9):
            x = r.random(shape) < density
            for connectivity in range(1, len(shape) + 1):
                s = ndimage.generate_binary_structure(len(shape), connectivity)
                want, count = ndimage.label(x, s)
                c.add("%slabel(x[1], x[2])" % N, [x, s], want)
                c.add('cp.array({(select(2, %slabel(x[1], x[2])))}, "int64")' % N, [x, s], np.array([count]))
        c.add(N + "label(x[1])", [x], ndimage.label(x)[0])
    x = r.random((20, 300)) < 0.59
    c.add(N + "label(x[1])", [x], ndimage.label(x)[0])
    s = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    c.add(N + "label(x[1], x[2])", [x[:8, :20], s], ndimage.label(x[:8, :20], s)[0])
    s = np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    c.add(N + "label(x[1], x[2])", [x[:8, :20], s], ndimage.label(x[:8, :20], s)[0])
    for dtype in (np.float64, np.int16, np.uint8):
        y = whole((6, 7), 2, dtype, 0, 3)
        c.add(N + 'label(x[1], nil, "int64")', [y], ndimage.label(y)[0].astype(np.int64))
    c.add(N + "label(x[1])", [np.zeros((0, 3))], np.zeros((0, 3), np.int32))
    c.add(N + "label(x[1])", [np.zeros((2, 3))], np.zeros((2, 3), np.int32))


def object_calls(c):
    x = np.array([[0, 2, 2, 0], [5, 0, 2, 0], [5, 5, 0, 1]])
    for i, box in enumerate(ndimage.find_objects(x)):
        if box is None:
            c.add("cp.array({%sfind_objects(x[1])[%d] == false})" % (N, i + 1), [x], np.array([True]))
        else:
            c.add("cp.array(%sfind_objects(x[1])[%d])" % (N, i + 1), [x], np.array([[s.start + 1.0, s.stop] for s in box]))
    c.add("cp.array({#%sfind_objects(x[1], 2)})" % N, [x], np.array([2.0]))
    for value, where in ndimage.value_indices(x).items():
        for axis in range(2):
            c.add("%svalue_indices(x[1])[%d][%d]" % (N, value, axis + 1), [x], where[axis] + 1)
    c.add("cp.array({%svalue_indices(x[1], 5)[5] == nil})" % N, [x], np.array([True]))


def measure_calls(c):
    r = np.random.default_rng(3)
    x = r.permutation(60).reshape(5, 12).astype(float)
    labels = r.integers(0, 6, (5, 12))
    index = [3, 1, 5, 9, 1]
    for name in ("sum", "sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median"):
        f = getattr(ndimage, name)
        near(c, N + name + "(x[1])", [x], f(x))
        near(c, N + name + "(x[1], x[2])", [x, labels], f(x, labels))
        near(c, N + name + "(x[1], x[2], 2)", [x, labels], f(x, labels, 2))
        present = index if name in ("sum", "sum_labels") else [3, 1, 5, 1]
        near(c, "%s%s(x[1], x[2], %s)" % (N, name, lua(present)), [x, labels], np.asarray(f(x, labels, present), np.float64))
        i = x.astype(np.int32)
        c.add("%s%s(x[1], x[2], {1, 2, 3}):astype 'float64'" % (N, name), [i, labels], np.asarray(f(i, labels, [1, 2, 3]), np.float64),
              np.full(3, 512.0 * 60))
    near(c, N + "sum(x[1], x[2], x[3])", [x, labels * 1.5, np.array([1.5, 3.0, 100])], ndimage.sum(x, labels * 1.5, [1.5, 3.0, 100]))
    near(c, N + "mean(x[1], x[2], {-1, 2})", [x, np.where(labels == 1, -1, labels)], np.array(ndimage.mean(x, np.where(labels == 1, -1, labels), [-1, 2])))
    z = x + 1j * x[::-1]
    near(c, N + "sum(x[1], x[2], {1, 2})", [z, labels], np.array([z[labels == k].sum() for k in (1, 2)]))
    for name in ("minimum_position", "maximum_position"):
        f = getattr(ndimage, name)
        c.add(N + name + "(x[1])", [x], np.array(f(x)) + 1)
        c.add(N + name + "(x[1], x[2], {3, 1})", [x, labels], np.array(f(x, labels, [3, 1])) + 1)
    low, high, low_at, high_at = ndimage.extrema(x, labels, [2, 4])
    c.add(N + "extrema(x[1], x[2], {2, 4})", [x, labels], [low, high, np.array(low_at) + 1, np.array(high_at) + 1])
    same = np.array([[1.0, 3, 1], [3, 2, 1]])
    c.add(N + "extrema(x[1])", [same], [np.float64(1), np.float64(3), np.array([1, 1]), np.array([1, 2])])
    near(c, N + "center_of_mass(x[1])", [x], np.array(ndimage.center_of_mass(x)) + 1)
    near(c, N + "center_of_mass(x[1], x[2], {4, 2})", [x, labels], np.array(ndimage.center_of_mass(x, labels, [4, 2])) + 1)
    near(c, N + "center_of_mass(x[1], x[2])", [x, labels], np.array(ndimage.center_of_mass(x, labels)) + 1)
    c.add(N + "histogram(x[1], 0, 60, 6)", [x], ndimage.histogram(x, 0, 60, 6))
    c.add(N + "histogram(x[1], 5, 50, 7, x[2], {2, 5})", [x, labels], np.array(list(ndimage.histogram(x, 5, 50, 7, labels, [2, 5]))))
    near(c, N + 'labeled_comprehension(x[1], x[2], {2, 9, 3}, function(v) return v:max() - v:min() end, "float64", -1)', [x, labels],
         ndimage.labeled_comprehension(x, labels, [2, 9, 3], np.ptp, float, -1))
    near(c, N + 'labeled_comprehension(x[1], x[2], {2, 3}, function(v, p) return (v * p):sum() end, "float64", 0, true)', [x, labels],
         ndimage.labeled_comprehension(x, labels, [2, 3], lambda v, p: (v * (p + 1)).sum(), float, 0, True))
    near(c, N + 'labeled_comprehension(x[1], nil, nil, function(v) return v:mean():item() end, "float32", 0)', [x],
         np.float32(ndimage.labeled_comprehension(x, None, None, np.mean, np.float32, 0)))


def distance_calls(c):
    r = np.random.default_rng(5)
    for shape in ((30,), (9, 13), (40, 37), (70, 3), (4, 6, 5), (3, 4, 2, 3)):
        for density in (0.03, 0.4):
            x = r.random(shape) > density
            x.flat[r.integers(x.size)] = False
            near(c, N + "distance_transform_edt(x[1])", [x], ndimage.distance_transform_edt(x))
            steps = [1.5, 0.7, 2.0, 1.0][:len(shape)]
            near(c, "%sdistance_transform_edt(x[1], %s)" % (N, lua(steps)), [x], ndimage.distance_transform_edt(x, steps))
    one = np.ones((40, 70), bool)
    one[2, 67] = False
    near(c, N + "distance_transform_edt(x[1])", [one], ndimage.distance_transform_edt(one))
    # Which of several nearest zeros is named differs: so the distances to those that are, and that they are zeros.
    text = ("(function() local d, i = %sdistance_transform_edt(x[1], %s, true, true); local s = x[1].shape; local q, sq = cp.indices(s), "
            "cp.zeros(s); local step = %s; for k = 1, #s do sq = sq + ((i[k] - q[k]) * step[k]) ^ 2 end; "
            "return cp.sqrt(sq), x[1][{i[1], i[2]}] end)()")
    x = (r.random((20, 31)) > 0.1).astype(np.int16)
    for steps in ([1, 1], [2.5, 0.5]):
        want = ndimage.distance_transform_edt(x, steps)
        c.add(text % (N, lua(steps), lua(steps)), [x], [want, np.zeros(x.shape, np.int16)], np.full(x.shape, 1e4), ["float64", "int16"])
    line = np.array([1, 1, 0, 1, 1, 1, 0])
    c.add(N + "distance_transform_edt(x[1], nil, false, true)", [line], ndimage.distance_transform_edt(line, return_distances=False, return_indices=True) + 1)
    c.add(N + "distance_transform_edt(x[1])", [np.zeros((0, 2))], np.zeros((0, 2)))


def write():
    c = Calls()
    label_calls(c)
    object_calls(c)
    measure_calls(c)
    distance_calls(c)
    c.write("scipy/ndimage_labels")


if __name__ == "__main__":
    write()
