"""One thread that makes machine code while the program goes on."""
import atexit
import logging
import os
import queue
import sys
import threading
from contextlib import suppress
from time import perf_counter

COMPILING = threading.RLock()       # held while machine code is made; a fork waits for it
PROMPT = 1e-5       # [s] within which the thread hands the interpreter to somebody whose patience ends
_waiting, _pace = threading.Lock(), 0.0     # one at a time: the pace of the interpreter [s] is changed meanwhile
_tasks = queue.SimpleQueue()
_state = threading.Lock()
_thread = None


def submit(task):
    """Runs task() soon, after those submitted before."""
    global _thread
    _tasks.put(task)
    with _state:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_work, name="rdyn_ros compiler", daemon=True)
            _thread.start()


def within(seconds, task):
    """Runs task() soon; whether it was done in time. If not, it goes on. What it raises its caller will meet again."""
    global _pace
    seconds = min(seconds, threading.TIMEOUT_MAX)
    done, end = threading.Event(), perf_counter() + seconds

    def run():
        with suppress(Exception):
            task()
        done.set()
    submit(run)
    if seconds <= 0.0 or not _waiting.acquire(timeout=seconds):
        return False
    _pace = sys.getswitchinterval()
    sys.setswitchinterval(min(_pace, PROMPT))
    try:
        return done.wait(max(0.0, end - perf_counter()))
    finally:
        sys.setswitchinterval(_pace)
        _waiting.release()


def _work():
    while (task := _tasks.get()) is not None:
        try:
            task()
        except Exception:       # the next one is done all the same
            logging.getLogger(__name__).exception("a task in the background failed")


def _stop():
    """Ends the thread after the task at hand, because LLVM must not run when the interpreter goes away."""
    with suppress(queue.Empty):
        while True:
            _tasks.get_nowait()
    _tasks.put(None)
    if _thread is not None:
        _thread.join()


def _hold():
    """Before a fork: no lock may be with a thread that the child will not have."""
    COMPILING.acquire()
    _state.acquire()


def _let_go():
    _state.release()
    COMPILING.release()


def _begin_anew():
    """In the child of a fork: who waits has stayed behind."""
    global _waiting
    if _waiting.locked():
        _waiting = threading.Lock()
        sys.setswitchinterval(_pace)
    _let_go()


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_begin_anew)
atexit.register(_stop)
