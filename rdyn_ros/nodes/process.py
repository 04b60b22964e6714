"""A node as a process: start, spin, end; a refusal is one line on stderr and exit code 2."""
import gc
import inspect
import shlex
import signal
import sys
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from threading import Thread

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from ..control.safety import LONGEST_END
from ..errors import RdynError
from . import log_folder, memory
from .spin import make_executor, spin

REFUSED = 2  # exit code
PATIENCE = ceil(LONGEST_END) + 6  # [s] for the end, after which the kernel ends the process
HELP = """usage: {name} --ros-args [-p PARAMETER:=VALUE] [--params-file FILE] [-r TOPIC:=OTHER] [-r __ns:=/NAMESPACE]
such as: {name} --ros-args -p robot:=arm_7r
config/{short}.yaml lists all parameters and what they mean; `rdyn up --help` starts several nodes at once"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # that end a node; SIGHUP: its terminal is closed


def run(make_node, args=None):
    """Runs the node that `make_node()` gives until one of SIGNALS; returns the exit code.

    While it starts, signals shut ROS down, between two steps of this thread: an exception, or rclpy's own thread for
    signals, would come in the midst of LLVM or DDS. Later `node.end` answers them, which calls `node.finish` when all
    is done: callbacks under way find ROS as it was. Threads of the node must end when it is closed. The garbage
    collector leaves alone what exists after start.
    """
    node = executor = None
    try:
        if _helped(sys.argv[1:] if args is None else args):
            return 0
        told = []
        _on_signals(lambda *_: told.append(True))
        init(args, signal_handler_options=SignalHandlerOptions.NO)
        _on_signals(lambda *_: _shut_down(told))
        if told:
            raise KeyboardInterrupt
        node = make_node()
        executor = make_executor(node.values.executor)
        executor.add_node(node)
        memory.bound()      # its services answer before it has started
        node.start()
        inspect.getframeinfo(inspect.currentframe())  # 70 ms that rclpy's first log line would take in the loop
        gc.collect()
        gc.freeze()
        memory.bound()
        spin(executor, _until_signal(node, executor), node.short_of_memory)
    except RdynError as error:
        if node is None or rclpy.ok():  # else it was ended while it started
            print(f"error: {error}", file=sys.stderr)
            return REFUSED
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # else a callback met the shutdown half way
            raise
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.alarm(PATIENCE)
        try:
            if executor is not None:
                executor.shutdown()
        finally:
            if node is not None:
                node.close()
        failed, node, executor = node is not None and node.error is not None, None, None
        rclpy.try_shutdown()
        gc.unfreeze()
        _forget()
        signal.alarm(0)
    return int(failed)


def _shut_down(told):
    """At the first signal only: the next may come while ROS shuts down, and would wait for its locks for ever."""
    if not told:
        told.append(True)
        signal.alarm(PATIENCE)
        rclpy.try_shutdown()


def _helped(words):
    """Whether --help was asked for, and printed; ROS passes over words that are not its own, here they are refused."""
    name, left, of_ros = Path(sys.argv[0]).stem, [], False
    for word in words:
        if word == "--ros-args" or (of_ros and word == "--"):
            of_ros = word == "--ros-args"
        elif not of_ros:
            left.append(word)
    if {"-h", "--help"} & {*left}:
        print(HELP.format(name=name, short=name.removesuffix("_node")))
        return True
    if left:
        raise RdynError(f"'{shlex.join(left)}' is not understood; parameters follow --ros-args, as in: "
                        f"{name} --ros-args -p robot:=arm_7r")
    return False


def _until_signal(node, executor):
    """Future that is done once the node says so, asked by a signal."""
    done = Future()

    def finish():
        done.set_result(None)
        executor.wake()

    node.finish = lambda: Thread(target=finish).start()  # locks are taken, so not in the way of a signal
    _on_signals(node.end)
    if node.error is not None:      # while it started
        node.finish()
    return done


def _on_signals(answer):
    """answer(number, frame) is called when the process is told to end, which a closed terminal does not under nohup."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, answer)


@contextmanager
def started(make_node, *words, **parameters):
    """The node, started, in a process that spins it, or not, as it likes; closed on the way out.

    `words` follow --ros-args on its command line, after its parameters.
    """
    given = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    init(["--ros-args", *given, *words])
    node = None
    try:
        node = make_node()
        try:
            node.start()
            yield node
        finally:
            node.close()
    finally:
        rclpy.try_shutdown()
        del node
        _forget()


def _forget():
    """Takes nodes, which are part of cycles, from DDS: it tells others that they are gone, who see them 20 s else."""
    gc.collect()


def init(args, context=None, **options):
    """rclpy.init, also where logs cannot be written; its complaint about the command line shortened to one line."""
    try:
        log_folder.choose()
        rclpy.init(args=args, context=context, **options)
    except Exception as error:
        raise RdynError(" ".join(str(error).split())) from error
