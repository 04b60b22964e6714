"""Packages that only a whole ROS 2 installation has: missing, they are named or silently left out."""
from importlib.util import find_spec

import pytest

from rdyn_ros.errors import RdynError
from rdyn_ros.nodes import moveit
from rdyn_ros.nodes.tf import broadcaster


@pytest.mark.skipif(find_spec("tf2_ros") is not None, reason="tf2_ros is installed")
def test_tf_without_tf2_ros_is_refused_by_name():
    with pytest.raises(RdynError, match=r"publish_tf.*tf2_ros"):
        broadcaster(None)


@pytest.mark.skipif(find_spec("moveit_msgs") is not None, reason="moveit_msgs is installed")
def test_without_moveit_msgs_its_services_are_silently_left_out():
    assert moveit.services(None) == ()
