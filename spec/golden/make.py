"""Makes all golden data again that NumPy and others give: `python3 spec/golden/make.py`, or only those of the programs named:
`python3 spec/golden/make.py generate special`. Each folder has what makes the data of one subject, and these data; generate.py runs those
of several folders. The file versions gets a line for each program, of what it was made with.

    pip install numpy scipy ml_dtypes mpmath pillow matplotlib
    apt-get install netpbm imagemagick libjpeg-turbo-progs          for images.py

With these versions all x86-64 processors with AVX2 are to give the same bytes: NumPy and OpenBLAS would otherwise round as the
processor's widest instructions do. draws_first.lua is not made here: what it holds is cupola's own, and is to stay so.
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = [HERE] + sorted(entry.path for entry in os.scandir(HERE) if entry.is_dir() and entry.name != "__pycache__")
PROGRAMS = "draws editing files generate graphs images indexing options printing programs sparse sparse_linalg special".split()
PRINTING = ("editing", "graphs", "options", "printing", "sparse", "sparse_linalg")  # print what NAME.lua holds
KEPT_TO_AVX2 = {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1",
                "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
TOOLS = {"netpbm": ["pamtopnm", "--version"], "imagemagick": ["convert", "-version"], "libjpeg-turbo": ["cjpeg", "-version"]}

# Runs the program sys.argv[1] and writes which libraries it used into the file sys.argv[2].
CHILD = """
import runpy, sys
path, used = sys.argv[1:]
sys.argv = [path]
runpy.run_path(path, run_name="__main__")
modules = {name: sys.modules.get(name) for name in ("numpy", "scipy", "ml_dtypes", "mpmath", "PIL", "matplotlib")}
with open(used, "w") as f:
    f.write(", ".join("%s %s" % (name, m.__version__) for name, m in modules.items() if m))
"""


def version_of_tool(command):
    p = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.search(r"\d+\.[\d.-]*\d", p.stdout + p.stderr).group()


def make(name):
    """Runs NAME.py, here or in one of the folders; gives what it was made with."""
    program = next(path for path in (os.path.join(folder, name + ".py") for folder in FOLDERS) if os.path.exists(path))
    used, printed, listed = (program[:-len("py")] + end for end in ("used", "printed", "lua"))
    command = [sys.executable, "-W", "ignore", "-c", CHILD, program, used]
    try:
        with open(printed, "w", newline="\n") as out:
            subprocess.run(command, stdout=out if name in PRINTING else None, check=True,
                           env={**os.environ, **KEPT_TO_AVX2, "PYTHONPATH": ":".join(FOLDERS + [os.environ.get("PYTHONPATH", "")])})
        if name in PRINTING:
            os.replace(printed, listed)
        with open(used) as f:
            versions = f.read()
    finally:
        for path in (used, printed):
            if os.path.exists(path):
                os.remove(path)
    if name == "images":
        versions += "".join(", %s %s" % (tool, version_of_tool(command)) for tool, command in TOOLS.items())
    return versions


def main():
    path = os.path.join(HERE, "versions")
    with open(path) as f:
        head, *lines = f.read().splitlines()
    made = dict(line.split(": ", 1) for line in lines)
    for name in sys.argv[1:] or PROGRAMS:
        if name not in PROGRAMS:
            sys.exit("make.py: no program %s among %s" % (name, " ".join(PROGRAMS)))
        print("== %s" % name, flush=True)
        made[name] = make(name)
        with open(path, "w", newline="\n") as f:
            f.write("\n".join([head] + ["%s: %s" % item for item in sorted(made.items())]) + "\n")


if __name__ == "__main__":
    main()
