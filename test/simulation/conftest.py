"""The arm that the controllers are tried on."""
import pytest

import rdyn_ros


@pytest.fixture(scope="session")
def arm():
    """The shipped 7-joint arm."""
    return rdyn_ros.load("arm_7r")
