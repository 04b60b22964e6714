"""A ROS domain of one's own: no other run, and nothing a killed run left behind, is met on it."""
import fcntl
import os
import random
import tempfile

from rdyn_ros.bringup.domain import is_silent

DOMAINS = range(1, 88)  # 0 is everybody's default, from 88 on are the demo's


def lock_domain():
    """(domain, lock): a silent domain and the open file whose lock keeps others away until it is closed."""
    for domain in random.SystemRandom().sample(DOMAINS, len(DOMAINS)):
        path = os.path.join(tempfile.gettempdir(), f"rdyn_ros_domain_{domain}.lock")
        try:
            lock = open(path, "a")  # noqa: SIM115 - stays open as long as the run
        except OSError:  # another user's
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        if is_silent(domain):
            return domain, lock
        lock.close()
    raise RuntimeError(f"all ROS domains {DOMAINS.start} to {DOMAINS.stop - 1} are taken on this machine")
