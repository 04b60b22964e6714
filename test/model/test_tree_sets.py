"""λ, μ, ν, η of a tree (sources 000 and 003)."""

import json

import numpy as np
import pytest

from rdyn_ros.model import load_model
from support.trees import random_tree


def test_the_example_tree_of_source_000():
    tree = load_model("tree_6")
    assert tree.parent == (-1, 0, 1, 2, 1, 4, 4)
    assert tree.children == ((1,), (2, 4), (3,), (), (5, 6), (), ())
    assert tree.subtree[1] == {1, 2, 3, 4, 5, 6}
    assert tree.subtree[4] == {4, 5, 6}
    assert tree.subtree[3] == {3}
    np.testing.assert_array_equal(np.flatnonzero(tree.path[5]), [0, 1, 4, 5])


@pytest.mark.parametrize("tree", [random_tree(seed) for seed in range(5)] + [load_model("walker")])
def test_the_sets_follow_from_the_parents(tree):
    for i, p in tree.edges:
        assert p < i
        assert i in tree.children[p]
        assert tree.subtree[i] == {i}.union(*(tree.subtree[j] for j in tree.children[i]))
        assert tree.subtree[i] == set(np.flatnonzero(tree.path[:, i]))
        on_path = [i]
        while on_path[-1] > 0:
            on_path.append(tree.parent[on_path[-1]])
        assert set(np.flatnonzero(tree.path[i])) == set(on_path)


def test_paths_of_the_walker_ascend():
    walker = load_model("walker")
    for i in range(1, walker.n + 1):
        chain = [j for j in np.flatnonzero(walker.path[i]) if j]
        assert chain == sorted(chain)


def test_the_model_cannot_be_changed():
    tree = load_model("tree_6")
    with pytest.raises(AttributeError):
        tree.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        tree.bodies[1].com[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        tree.gravity[2] = 0.0


def test_the_key_changes_with_the_robot_and_only_with_it():
    tree = load_model("tree_6")
    assert tree.key == load_model("tree_6").key
    assert tree.key != tree.replace(gravity=(0, 0, -1.62)).key


def led(leader, follower, ratio, offset=0.0):
    """Limits of a joint that another one follows; both given as [lower, upper, velocity, effort]."""
    def limits(numbers):
        return dict(zip(("lower", "upper", "velocity", "effort"), numbers, strict=True))
    links = [{"name": name, "parent": "base", "parts": [{"shape": "sphere", "mass": 1.0, "radius": 0.1}],
              "joint": {"name": f"{name}_joint", "type": "revolute", "limits": limits(numbers), **more}}
             for name, numbers, more in (
                 ("follower", follower, {"mimic": {"joint": "leader_joint", "ratio": ratio, "offset": offset}}),
                 ("leader", leader, {}))]
    return np.ravel(load_model(json.dumps({"name": "pair", "base": {"name": "base"}, "links": links})).limits)


def test_a_joint_moves_only_as_far_and_as_fast_as_its_followers_can():
    np.testing.assert_allclose(led([-3, 3, 3, 5], [-1, 1, 1, 7], 2.0, 0.1), [-0.55, 0.45, 0.5, 5])
    np.testing.assert_allclose(led([-3, 3, 3, 5], [-1, 0.5, 1, 7], -0.5), [-1, 2, 2, 5])
    np.testing.assert_allclose(led([-0.1, 3, 0.2, 5], [-1, 1, 1, 7], 2.0), [-0.1, 0.5, 0.2, 5])


def test_limits_of_a_follower_that_would_leave_no_room_or_no_speed_are_passed_over():
    np.testing.assert_allclose(led([0, 3, 3, 5], [0, 3, 0, 7], -1.0), [0, 3, 3, 5])
    np.testing.assert_allclose(led([0, 3, 3, 5], [-1, 1, 1, 7], 0.0, 0.5), [0, 3, 3, 5])
