"""Times of contenders that run in turns: time of the calling thread, so that a busy machine does not count."""
import gc
from statistics import median
from time import perf_counter, thread_time

ROUND = 2e-3        # [s] a contender runs at a stretch: long enough to warm the caches up


def medians(contenders, seconds=0.5):
    """{name: median time of one call [s]} of {name: callable}; they run in turns."""
    repeats = {name: _repeats(run) for name, run in contenders.items()}
    times = {name: [] for name in contenders}
    gc.collect()
    gc.disable()
    try:
        end = perf_counter() + seconds
        while perf_counter() < end or min(map(len, times.values())) < 5:
            for name, run in contenders.items():
                loop = range(repeats[name])
                start = thread_time()
                for _ in loop:
                    run()
                times[name].append((thread_time() - start) / len(loop))
    finally:
        gc.enable()
    return {name: median(values) for name, values in times.items()}


def _repeats(run):
    """How many calls fill a round; the quickest of a few tells, whatever else the machine is doing."""
    times = []
    for _ in range(10):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return max(1, round(ROUND / max(min(times), 1e-7)))
