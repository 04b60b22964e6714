"""Runs that live at the same time never meet."""
import os
import socket
from pathlib import Path

from rdyn_ros.bringup.domain import is_silent
from support.domain import DOMAINS, lock_domain


def test_two_runs_never_get_the_same_domain():
    first, first_lock = lock_domain()
    second, second_lock = lock_domain()
    with first_lock, second_lock:
        assert len({first, second, int(os.environ["ROS_DOMAIN_ID"])}) == 3


def test_a_domain_on_which_something_still_lives_is_not_silent():
    domain, lock = lock_domain()
    with lock, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as orphan:
        orphan.bind(("127.0.0.1", 7400 + 250 * domain + 10))
        assert not is_silent(domain)


def test_this_run_is_alone():
    assert int(os.environ["ROS_DOMAIN_ID"]) in DOMAINS
    assert all(Path(os.environ[name]).is_dir() for name in ("HOME", "ROS_LOG_DIR", "XDG_CACHE_HOME"))
