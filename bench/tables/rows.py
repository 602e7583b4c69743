"""How the peers time and report their rows, like timing.lua and rows.lua."""
import os
import sys
import time

GOLDEN, SILVER = 0.6180339887498949, 0.41421356237309515
WANTED = [part for part in os.environ.get("ROWS", "").split(",") if part]


def is_wanted(key):
    return not WANTED or any(part in key for part in WANTED)


def row(who, key, unit, measure):
    """Reports the result of measure() if ROWS selects the key. A row that fails is omitted and named on
    standard error."""
    if not is_wanted(key):
        return
    try:
        value = measure()
    except Exception as error:
        print(f"{who}: {key}: {error}", file=sys.stderr)
        return
    print(f"{who}\t{key}\t{value:.6g}\t{unit}", flush=True)


def host_us(call, sync, most=10000):
    """Microseconds per call for consecutive calls: the best of fifteen rounds of at most `most` calls, none
    much longer than 0.1 s."""
    for _ in range(200):
        call()
    sync()
    t = time.perf_counter()
    for _ in range(100):
        call()
    n = max(10, min(most, int(10 / (time.perf_counter() - t))))
    sync()
    best = float("inf")
    for _ in range(15):
        t = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter() - t) / n)
        sync()
    return best * 1e6


def median(call, interval):
    """The median of 20 intervals after 20 warm-up calls; interval(call) returns seconds. Slow calls are
    repeated less, so that both take half a second, but at least 5 times."""
    interval(call)
    rounds = max(5, min(20, int(0.5 / interval(call))))
    for _ in range(rounds - 2):
        interval(call)
    return sorted(interval(call) for _ in range(rounds))[(rounds - 1) // 2]


def waited(call, sync):
    """Seconds on the host's clock until a call's work is done: the median of 11. There are at least three
    warm-up calls, and as many as fit in 20 ms."""

    def once():
        t = time.perf_counter()
        call()
        sync()
        return time.perf_counter() - t

    began = time.perf_counter()
    while True:
        for _ in range(3):
            once()
        if time.perf_counter() - began > 0.02:
            break
    return sorted(once() for _ in range(11))[5]


def by_clock(call):
    t = time.perf_counter()
    call()
    return time.perf_counter() - t


def by_events(make_event, elapsed_ms):
    def interval(call):
        first, last = make_event(), make_event()
        first.record()
        call()
        last.record()
        last.synchronize()
        return elapsed_ms(first, last) / 1e3

    return interval


def report(who, interval, rows):
    """rows: (key, unit, bytes or elements, call); bytes or elements are 0 if the unit does not need them."""
    for key, unit, count, call in rows:
        scale = {"ms": lambda s: s * 1e3, "GB/s": lambda s: count / s / 1e9, "G/s": lambda s: count / s / 1e9}[unit]
        row(who, key, unit, lambda: scale(median(call, interval)))


def report_host(who, sync, rows):
    for key, call in rows:
        row(who, "host " + key, "us", lambda: host_us(call, sync))


def report_checks(who, rows):
    """Values that all libraries must agree on, which shows that they did the same work."""
    for key, call in rows:
        row(who, "check " + key, "value", lambda: float(call()))
