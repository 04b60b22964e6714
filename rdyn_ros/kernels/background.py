"""One thread that makes machine code while the program goes on."""
import atexit
import logging
import os
import queue
import threading
from contextlib import suppress

COMPILING = threading.RLock()       # held while machine code is made; a fork waits for it
HELD = 0.02         # [s] for which the thread may hold the interpreter: who waits gives up that much earlier
_tasks = queue.SimpleQueue()
_state = threading.Lock()
_thread = None


def submit(task):
    """Runs task() soon, after those submitted before."""
    if _thread is None:
        _start()
    _tasks.put(task)        # last: a thread that began with work at hand would not give the interpreter back soon


def _start():
    global _thread
    with _state:
        if _thread is None:
            thread = threading.Thread(target=_work, name="rdyn_ros compiler", daemon=True)
            thread.start()
            _thread = thread


def within(seconds, task):
    """Runs task() soon; whether it was done in time. If not, it goes on. What it raises its caller will meet again.

    A task that is not done HELD before the time is up counts as late, so that its caller is back in time.
    """
    done = threading.Event() if seconds > HELD else None

    def run():
        with suppress(Exception):
            task()
        if done:
            done.set()
    submit(run)
    return done is not None and done.wait(min(seconds - HELD, threading.TIMEOUT_MAX))


def _work():
    while (task := _tasks.get()) is not None:
        try:
            task()
        except BaseException:       # SystemExit, too: the next one is done all the same
            logging.getLogger(__name__).exception("a task in the background failed")


def _stop():
    """Ends the thread after the task at hand, because LLVM must not run when the interpreter goes away."""
    global _thread
    with suppress(queue.Empty):
        while True:
            _tasks.get_nowait()
    if _thread is not None:
        _tasks.put(None)
        _thread.join()
        _thread = None      # who still asks, at the very end, gets another


def _hold():
    """Before a fork: no lock may be with a thread that the child will not have."""
    COMPILING.acquire()
    _state.acquire()


def _let_go():
    _state.release()
    COMPILING.release()


def _alone():
    """After a fork: the child has no such thread, and its queue may be locked by it."""
    global _thread, _tasks
    _thread, _tasks = None, queue.SimpleQueue()
    _let_go()


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_alone)
atexit.register(_stop)
