"""Puts the lock on Fast CDR (`_fast_cdr.cpp`) in its place, which must be before rclpy loads its middleware."""
import os
import sys

MISSING = "rdyn_ros was built without Fast CDR, or for another one; install the package fastcdr and build again"
LATE = "rclpy was imported before rdyn_ros.nodes; import them the other way round"


def _lock():
    """Why it is not in place, or nothing."""
    if "rclpy._rclpy_pybind11" in sys.modules:
        return LATE
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | os.RTLD_GLOBAL)      # its name is then found before Fast CDR's own
    try:
        from . import _fast_cdr  # noqa: F401
    except ImportError as error:        # not built, or no Fast CDR is there
        return f"{MISSING} ({error})"
    finally:
        sys.setdlopenflags(flags)
    return ""


OPEN = _lock()


def doubt(middleware):
    """What is to be said about a ROS middleware of this name, or nothing."""
    return f"four bytes to a service can end this node: {OPEN}" if OPEN and "fastrtps" in middleware else ""
