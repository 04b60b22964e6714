"""Real robots (PyPI example-robot-data): read as Pinocchio reads them, or refused with a reason."""

import time
import warnings

import numpy as np
import pinocchio as pin
import pytest

from rdyn_ros.algorithms import frame_poses
from rdyn_ros.errors import RobotFileError
from rdyn_ros.model import load_model
from support.pinocchio_judge import Judge, example_robots

ROBOTS = example_robots()
REFUSED = {"alex_psyonic_hands": "mimics 'index_q1'", "romeo_laas_small": "negative", "ur3": "no <link>"}


def load(path):
    """Model and how it was loaded; (None, reason) when it is refused."""
    try:
        return load_model(path), "loaded"
    except RobotFileError as refusal:
        if "moves but has no mass" not in str(refusal):
            return None, f"refused: {refusal}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_model(path, allow_massless=True), "loaded with allow_massless"


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in ROBOTS])
def test_a_real_robot_is_read_as_pinocchio_reads_it_or_refused_with_a_reason(path):
    start = time.process_time()
    model, outcome = load(path)
    assert time.process_time() - start < 1.0
    assert (model is None) == (path.stem in REFUSED)
    if model is None:
        assert f"{path.name}:" in outcome and REFUSED[path.stem] in outcome
        return
    judge = Judge(path, model)
    assert list(judge.model.names)[1:] == [body.joint.name for body in model.bodies[1:]]
    close = {"rtol": 1e-12, "atol": 1e-12}
    for body, inertia in zip(model.bodies[1:], list(judge.model.inertias)[1:], strict=True):
        np.testing.assert_allclose(body.mass, inertia.mass, **close)
        np.testing.assert_allclose(body.mass * body.com, inertia.mass * inertia.lever, **close)
        np.testing.assert_allclose(body.inertia, inertia.inertia, **close)
    assert_same_limits(model, judge.model)
    assert_same_placements(model, judge)


def assert_same_limits(model, judge):
    """Limits of every joint with a coordinate of its own; where it leads others, only ours heed theirs."""
    for own in model.joints:
        joint = judge.joints[judge.getJointId(own.name)]
        assert own.velocity == pytest.approx(judge.upperVelocityLimit[joint.idx_v], rel=1e-12)
        assert own.effort == pytest.approx(judge.upperEffortLimit[joint.idx_v], rel=1e-12)
        if joint.nq == 1:  # an endless joint is a point on a circle there, without limits
            assert own.lower == pytest.approx(judge.lowerPositionLimit[joint.idx_q], rel=1e-12)
            assert own.upper == pytest.approx(judge.upperPositionLimit[joint.idx_q], rel=1e-12)


def assert_same_placements(model, judge):
    """All link frames at a random configuration."""
    q = np.random.default_rng(0).uniform(-1, 1, model.nv)
    Q = judge.configuration(q) if model.nv else np.zeros(0)
    pin.framesForwardKinematics(judge.model, judge.data, Q)
    for name, pose in zip(model.frame_names, frame_poses(model, q), strict=True):
        placed = judge.data.oMf[judge.model.getFrameId(name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(pose, placed, rtol=1e-12, atol=1e-12)


def test_there_are_robots_to_read():
    assert len(ROBOTS) > 60
