"""Sparse work on the CPU beside SciPy, one work after the other in both programs by turns:
python3 turns.py FOLDER [SECONDS of a turn [TURNS [WORDS that a row must contain ...]]]

Only one program works at a time; the other waits for a line. Both run with the threads and on the cores that
this one was given. Prints for each matrix and work the least and the median time of a call in microseconds of
both, how many times as long SciPy takes, and page faults a call. LUA: the interpreter.
"""

import os
import subprocess
import sys

folder = sys.argv[1]
seconds = sys.argv[2] if len(sys.argv) > 2 else "0.5"
turns = int(sys.argv[3]) if len(sys.argv) > 3 else 2
words = sys.argv[4:]
here = os.path.dirname(os.path.abspath(__file__))
COMMANDS = (os.environ.get("LUA", "lua5.4").split() + [here + "/cupola.lua", folder],
            [sys.executable, here + "/peers.py", folder, "1", "cpu"])


def start(command):
    own = dict(os.environ, TURNS="1", CUPOLA_DEVICE="cpu")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=own, bufsize=1)


def ask(program, line):
    program.stdin.write(line + "\n")
    program.stdin.flush()
    return program.stdout.readline()


def summary(rounds):
    """The least time, the median of the medians, and page faults of the last turn."""
    medians = sorted(max(r[1], 0.1) for r in rounds)  # clocks that count microseconds
    return max(min(r[0] for r in rounds), 0.1), medians[(len(medians) - 1) // 2], rounds[-1][3]


def row_of(answer):
    return "  ".join(answer.split("\t")[1:]).strip() if answer.startswith("ready") else None


programs = [start(command) for command in COMMANDS]
rows = [row_of(p.stdout.readline()) for p in programs]
behind = count = 0
print("%-34s %20s %20s  %s" % ("", "cupola least median", "SciPy least median", "times: least median, faults a call"))
while rows[0] is not None:
    if rows[0] != rows[1]:
        sys.exit("rows differ: %s, %s" % tuple(rows))
    if not words or any(word in rows[0] for word in words):
        rounds = [[], []]
        for _ in range(turns):
            for k in (0, 1):
                rounds[k].append([float(x) for x in ask(programs[k], seconds).split("\t")])
        own, peer = (summary(rs) for rs in rounds)
        print("%-34s %10.1f %9.1f %10.1f %9.1f  %5.2f %5.2f  %7.1f %7.1f" % (
            rows[0], *own[:2], *peer[:2], peer[0] / own[0], peer[1] / own[1], own[2], peer[2]), flush=True)
        count += 1
        behind += peer[1] < own[1]
    rows = [row_of(ask(p, "next")) for p in programs]
print("%d of %d rows are behind by the median." % (behind, count))
