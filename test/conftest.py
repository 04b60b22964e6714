"""Every run, and every xdist worker, is alone: own ROS domain, localhost only, own logs, cache and home."""
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest

import rdyn_ros.nodes  # noqa: F401  before any test imports rclpy
from rdyn_ros.bringup.loopback import keep_to_this_machine
from support.domain import lock_domain

pytest_plugins = ["support.outcomes"]
SOURCE = Path(__file__).resolve().parents[1]


def put_first(variable, entry):
    """Puts an entry in front of a search path of the environment, once."""
    entries = [part for part in os.environ.get(variable, "").split(os.pathsep) if part and part != entry]
    os.environ[variable] = os.pathsep.join([entry, *entries])


def pytest_configure(config):
    """Sets the environment that this process and all it starts live in."""
    for number, answer in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, lambda *_: None)):
        if signal.getsignal(number) is signal.SIG_IGN:      # as `&` and nohup do; what is started would ignore it, too
            signal.signal(number, answer)
    if not hasattr(config, "workerinput"):  # the workers share the controller's folders
        config.scratch = Path(tempfile.mkdtemp(prefix="rdyn_test_"))
        for variable, folder in (("HOME", "home"), ("XDG_CACHE_HOME", "cache"), ("ROS_LOG_DIR", "log")):
            os.environ[variable] = str(config.scratch / folder)
            (config.scratch / folder).mkdir()
        put_first("PATH", str(Path(sys.executable).parent))
        put_first("PYTHONPATH", str(SOURCE))
        put_first("AMENT_PREFIX_PATH", sys.prefix)
        keep_to_this_machine()
        os.environ.pop("ROS_NAMESPACE", None)
    domain, config.domain_lock = lock_domain()
    os.environ["ROS_DOMAIN_ID"] = str(domain)


def pytest_unconfigure(config):
    """Gives the domain back and removes the folders."""
    if lock := getattr(config, "domain_lock", None):
        lock.close()
    if scratch := getattr(config, "scratch", None):
        shutil.rmtree(scratch, ignore_errors=True)


def pytest_collection_modifyitems(config, items):
    """Tests that may take long come first, so that no worker ends with them alone.

    A test that waits for other processes on a busy machine, or measures times, to which a disturbance can only add, is
    run again before it counts as failed; one that tries to break something is not: what breaks once in three times is
    broken.
    """
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    for item in items:
        excused = item.get_closest_marker("alone") or (
            item.get_closest_marker("processes") and "outcomes" not in item.fixturenames)
        if excused and config.pluginmanager.hasplugin("rerunfailures"):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))


def pytest_terminal_summary(terminalreporter):
    """What went wrong in tests that were run again."""
    for report in terminalreporter.stats.get("rerun", ()):
        why = getattr(report.longrepr, "reprcrash", report.longrepr)
        terminalreporter.write_line(f"run again: {report.nodeid}: {why}")


@pytest.fixture(scope="session")
def source():
    """Top folder of the repository."""
    return SOURCE
