"""Executors: the fast one where it exists, spun so that it idles, keeps its messages and hears shutdown."""
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

CHUNK = 1.0  # [s] the events executor needs a finite deadline: without one it burns a core and misses signals


def make_executor(kind, context=None):
    """Executor by name, "events" or "single"; "single" too where rclpy has no events executor."""
    if kind == "events":
        try:
            from rclpy.experimental.events_executor import EventsExecutor
            return EventsExecutor(context=context)
        except ImportError:
            pass
    return SingleThreadedExecutor(context=context)


def spin(executor, done=None, short_of_memory=None):
    """Serves callbacks until its context is shut down or the future `done` is (then wake the executor).

    When one needs more memory than there is, short_of_memory() is told, and the next is served. The events executor
    has forgotten by then what came together with it; nodes that are added anew tell it again.
    """
    done = done or Future()
    while executor.context.ok() and not done.done():
        try:
            executor.spin_until_future_complete(done, timeout_sec=CHUNK)
        except MemoryError:
            if short_of_memory is None:
                raise
            short_of_memory()
            for node in executor.get_nodes():
                executor.remove_node(node)
                executor.add_node(node)
        except Exception:
            if executor.context.ok():       # else it met the shutdown half way
                raise
