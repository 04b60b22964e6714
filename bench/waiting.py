"""How long processes were kept waiting for a core: on a busy machine that is nobody's fault."""
from contextlib import suppress
from pathlib import Path


def waited(pids):
    """{pid: {thread: time [s] that it has waited for a core so far}}."""
    times = {pid: {} for pid in pids}
    for pid in pids:
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError):     # the thread has ended meanwhile
                times[pid][file] = 1e-9 * int(file.read_text().split()[1])
    return times


def waited_more(before, after):
    """Time [s] waited in between by the thread of each process that waited longest, one after the other."""
    return sum(max((after[pid][thread] - then for thread, then in threads.items() if thread in after[pid]), default=0.0)
               for pid, threads in before.items() if pid in after)
