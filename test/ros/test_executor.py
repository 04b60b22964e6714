"""Which executor a node gets."""
import sys

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor

from rdyn_ros.nodes.spin import make_executor


@pytest.fixture
def ros():
    rclpy.init(args=[])
    yield
    rclpy.shutdown()


@pytest.mark.usefixtures("ros")
def test_where_rclpy_has_no_events_executor_the_plain_one_serves(monkeypatch):
    assert type(make_executor("single")) is SingleThreadedExecutor
    assert type(make_executor("events")) is not SingleThreadedExecutor
    monkeypatch.setitem(sys.modules, "rclpy.experimental.events_executor", None)   # as if not installed
    assert type(make_executor("events")) is SingleThreadedExecutor
