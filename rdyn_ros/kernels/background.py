"""One thread that makes machine code while the program goes on."""
import atexit
import collections
import logging
import os
import queue
import threading
from contextlib import suppress

COMPILING = threading.RLock()       # held while machine code is made; a fork waits for it
HELD = 0.02         # [s] for which the thread may hold the interpreter: who waits gives up that much earlier
_pending, _keys = collections.deque(), set()    # (task, key) that wait, and their keys
_calls = queue.SimpleQueue()        # one for each of them wakes the thread, None ends it
_working = threading.RLock()        # held while a task is done; a fork waits for it
_state = threading.Lock()
_thread = None
_waited = False     # whether a fork under way holds _working


def submit(task, key=None):
    """Runs task() soon, after those submitted before; of those with the same key that wait only the first."""
    if key is not None and key in _keys:
        return
    if _thread is None:
        _start()
    if key is not None:
        _keys.add(key)
    _pending.append((task, key))
    _calls.put(True)        # last: a thread that began with work at hand would not give the interpreter back soon


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
    while _calls.get() is not None:
        with _working:
            _next()


def _next():
    """Does what waits longest, if anything."""
    if not _pending:
        return
    task, key = _pending.popleft()
    _keys.discard(key)
    try:
        task()
    except BaseException:       # SystemExit, too: the next one is done all the same
        logging.getLogger(__name__).exception("a task in the background failed")


def _stop():
    """Ends the thread after the task at hand, because LLVM must not run when the interpreter goes away."""
    global _thread
    _pending.clear()
    _keys.clear()
    if _thread is not None:
        _calls.put(None)
        _thread.join()
        _thread = None      # who still asks, at the very end, gets another


def _hold():
    """Before a fork: no lock may be with a thread that the child will not have, so its task comes to an end.

    But not for who forks while it makes code itself: that task may wait for it.
    """
    global _waited
    waited = not COMPILING._is_owned() and _working.acquire()
    COMPILING.acquire()
    _waited = waited
    _state.acquire()


def _let_go():
    waited = _waited
    _state.release()
    COMPILING.release()
    if waited:
        _working.release()


def _alone():
    """After a fork: the child has no such thread, and its calls may be locked by it; what waits is done here, too."""
    global _thread, _calls
    _thread, _calls = None, queue.SimpleQueue()
    _let_go()
    _keys.clear()           # one may be there whose task is not yet
    for _, key in _pending:
        _keys.add(key)
        _calls.put(True)
    if _pending:
        _start()


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_alone)
atexit.register(_stop)
