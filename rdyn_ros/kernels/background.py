"""One thread that makes machine code while the program goes on."""
import atexit
import os
import queue
import threading

COMPILING = threading.RLock()       # held while machine code is made; a fork waits for it
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


def _work():
    while (task := _tasks.get()) is not None:
        task()


def _stop():
    """Ends the thread after the task at hand, because LLVM must not run when the interpreter goes away."""
    while not _tasks.empty():
        _tasks.get()
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


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
atexit.register(_stop)
