"""Makes docs/names.txt, the public names that docs/coverage.md compares cupola's with:
`python3 tools/names.py > docs/names.txt` (needs NumPy and the SciPy that spec/golden/versions names). CuPy's
names are in docs/names-cupy.txt, since CuPy cannot be installed without a GPU.

Lines are "SECTION: NAME". Sections are NumPy's modules (numpy, numpy.linalg, numpy.fft, numpy.random,
numpy.ndarray: methods and fields, numpy.testing, numpy.lib.stride_tricks), SciPy's as far as CuPy has them
(scipy.ndimage is cupyx.scipy.ndimage; of the modules WHOLE all names), with a line CLASS.MEMBER for each public
method and attribute of a class, and what CuPy has beside these, by its modules (cupy, cupy.cuda, cupyx, ...). Exceptions have no
members of their own.
"""

import importlib
import inspect
import os
import re

import numpy as np

# CuPy's own names that its reference lists elsewhere: as methods of arrays, or modules.
MORE = {
    "cupy": "scatter_add scatter_max scatter_min show_config may_share_memory".split(),
    "cupy.ndarray": "get set device data".split(),
    "cupy.cuda": "is_available runtime nvtx nccl".split(),
    "cupy.testing": "shaped_arange shaped_random".split(),
}

# Modules of SciPy of which CuPy has a part, and cupola more.
WHOLE = {"scipy.sparse", "scipy.sparse.csgraph", "scipy.sparse.linalg"}

SKIPPED = set("""
ModuleDeprecationWarning VisibleDeprecationWarning ComplexWarning RankWarning TooHardError AxisError
DTypePromotionError test show_runtime rec char core ctypeslib dtypes emath exceptions f2py ma matlib
polynomial strings typing version testing lib linalg fft random little_endian ScalarType sctypeDict typecodes
""".split())


def public(module):
    names = getattr(module, "__all__", None) or dir(module)
    skipped = SKIPPED if module is np else {"test", "helper", "mtrand", "bit_generator"}
    return sorted(n for n in names if not n.startswith("_") and n not in skipped)


def numpy_sections():
    return {
        "numpy": public(np),
        "numpy.linalg": public(np.linalg),
        "numpy.fft": public(np.fft),
        "numpy.random": public(np.random),
        "numpy.ndarray": sorted(n for n in dir(np.ndarray) if not n.startswith("_")),
        "numpy.testing": sorted(n for n in public(np.testing) if n.startswith("assert_")),
        "numpy.lib.stride_tricks": ["as_strided", "sliding_window_view"],
    }


def cupy_sections():
    """CuPy's modules and their names."""
    sections = {module: list(names) for module, names in MORE.items()}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "names-cupy.txt")
    with open(path) as lines:
        for line in lines:
            if not line.startswith("#"):
                module, name = line.strip().split(": ")
                sections.setdefault(module, []).append(name)
    return {module: sorted(set(names)) for module, names in sections.items()}


def members(value):
    """The public methods and attributes of a class, also those that only its documentation names."""
    if not inspect.isclass(value) or issubclass(value, Exception):
        return []
    names = {n for n in dir(value) if not n.startswith("_")}
    listed = re.search(r"\n *Attributes\n *-+\n(.*?)(?:\n *\w[\w ]*\n *-+\n|$)", inspect.getdoc(value) or "", re.S)
    if listed:
        names.update(re.findall(r"^(\w+) ?:", listed.group(1), re.M))
    return sorted(n for n in names if not n.startswith("_"))


def of_scipy(module, names):
    """The lines of one of SciPy's modules: its names, and the members of its classes."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        return names
    if module in WHOLE:
        names = sorted(set(names) | {n for n in public(found) if not inspect.ismodule(getattr(found, n))})
    return [line for name in names
            for line in [name] + ["%s.%s" % (name, m) for m in members(getattr(found, name, None))]]


def main():
    sections = numpy_sections()
    for module, names in cupy_sections().items():
        if module.startswith("cupyx.scipy."):
            section = module[len("cupyx."):]
            sections[section] = of_scipy(section, names)
            continue
        known = sections.get(module.replace("cupy", "numpy", 1), [])
        rest = [n for n in names if n not in known]
        if rest:
            sections[module] = rest
    for section, names in sections.items():
        for name in names:
            print("%s: %s" % (section, name))


if __name__ == "__main__":
    main()
