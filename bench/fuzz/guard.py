"""Trials in processes of their own: what crashes, hangs or fills the memory there is told here."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..outcomes import Outcome
from .black_box import BlackBox

LIMIT = "no crash, 1 s, 500 MB"
HANG = 2.0  # [s] of computing for one input: it will not come back by itself
ASLEEP = 30.0  # [s] by the clock for one input
MEMORY = 1500.0  # [MB] of the whole process: more than 500 above any of its starts
LOOK = 0.1  # [s]


def guarded(place, *arguments, alive=subprocess.PIPE):
    """Outcomes of the trials of `place` ("module:function") in a process of its own.

    That process ends when the pipe `alive` closes, at the latest when this one is gone, however it goes.
    """
    with tempfile.NamedTemporaryFile(prefix="rdyn_box_") as file, tempfile.TemporaryFile("w+") as said:
        box = BlackBox(file.name)
        words = [sys.executable, "-m", "bench.fuzz.worker", file.name, place, *map(json.dumps, arguments)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(words, env=env, text=True, stdin=alive, stdout=subprocess.PIPE, stderr=said)
        problem = []
        watcher = threading.Thread(target=_watch, args=(process, box, problem))
        watcher.start()
        try:
            for line in process.stdout:
                yield Outcome(*json.loads(line))
            process.wait()
        finally:
            process.kill()
            process.wait()
            watcher.join()
        if process.returncode:
            begun, busy, given = box.read()
            said.seek(0)
            why = problem[0] if problem else _ended(process.returncode, said.read())
            yield Outcome(place, begun, why + (f" on {given}" if busy else ""), LIMIT, False)


def all_guarded(jobs, workers=2):
    """Outcomes of jobs (place, argument, ...), so many at a time, as they come."""
    rows, (alive, hold) = queue.SimpleQueue(), os.pipe()

    def work(job):
        try:
            for row in guarded(*job, alive=alive):
                rows.put(row)
        finally:
            rows.put(None)

    pool = ThreadPoolExecutor(workers)
    try:
        running = [pool.submit(work, job) for job in jobs]
        for _ in running:
            while (row := rows.get()) is not None:
                yield row
        for job in running:
            job.result()
    finally:
        os.close(hold)
        pool.shutdown(cancel_futures=True)
        os.close(alive)


def _ended(code, said):
    """Why a process ended by itself."""
    if code < 0:
        return f"crashed: {signal.Signals(-code).name}"
    return f"ended with exit code {code}: {' '.join(said.split())[-300:]}"


def _watch(process, box, problem):
    """Kills the process when one input takes too long or too much."""
    last, computed, begin = None, 0.0, 0.0
    while process.poll() is None:
        begun, busy, _ = box.read()
        used, memory = _use(process.pid)
        if (begun, busy) != last:
            last, computed, begin = (begun, busy), used, time.monotonic()
        if busy and (used - computed > HANG or time.monotonic() - begin > ASLEEP):
            problem.append(f"hung: more than {HANG:g} s of computing or {ASLEEP:g} s asleep")
        if memory > MEMORY:
            problem.append(f"took more than {MEMORY:g} MB")
        if problem:
            process.kill()
            return
        time.sleep(LOOK)


def _use(pid):
    """Computing time [s] and resident memory [MB] of a process; zeros when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0, 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGESIZE") / 2**20
