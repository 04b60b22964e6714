"""Executors: the fast one where it exists, spun so that it idles, keeps its messages and hears shutdown."""
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

CHUNK = 1.0  # [s] the events executor needs a finite deadline: without one it burns a core and misses signals


def make_executor(kind):
    """Executor by name, "events" or "single"; "single" too where rclpy has no events executor."""
    if kind == "events":
        try:
            from rclpy.experimental.events_executor import EventsExecutor
            return EventsExecutor()
        except ImportError:
            pass
    return SingleThreadedExecutor()


def spin(executor, done=None):
    """Serves callbacks until rclpy is shut down or the future `done` is (then wake the executor)."""
    done = done or Future()
    while rclpy.ok() and not done.done():
        executor.spin_until_future_complete(done, timeout_sec=CHUNK)
