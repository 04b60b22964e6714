"""The viewer as a process: what it refuses, and robots that come by topic."""
import re
import socket
import urllib.error
import urllib.request

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from support.ros_peer import Listener, node_process

pytestmark = pytest.mark.processes
NODE = "rdyn_ros.nodes.viewer_node"


def test_without_its_packages_it_says_in_one_line_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "viser.py").write_text("raise ModuleNotFoundError('No module named viser', name='viser')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    with node_process(NODE, parameters={"robot": "planar_2r"}) as node:
        assert node.wait() == 2
        assert node.output == ("error: the viewer needs the package viser, which is not installed; install all "
                               "it needs with: pip install '.[viewer]'")


def test_an_address_of_another_machine_is_refused_in_one_line():
    with node_process(NODE, parameters={"robot": "planar_2r", "host": "203.0.113.9"}) as node:
        assert node.wait() == 2
        assert re.fullmatch(r"error: host '203.0.113.9' is not an address of this machine .*", node.output)


def test_names_port_and_allowed_hosts_are_those_of_the_parameters():
    port = free_port()
    parameters = {"robot": "planar_2r", "port": port, "allowed_hosts": "[robot.lab]", "dynamics": "dyn",
                  "control": "ctl"}
    with Listener() as listener, node_process(NODE, parameters=parameters) as node:
        listener.wait(lambda: f"shown on http://127.0.0.1:{port}" in node.output, "the page")
        for topic in ("dyn/gravity", "dyn/coriolis", "dyn/friction", "ctl/controller_state", "ctl/external_torque"):
            listener.wait(lambda t=topic: listener.node.get_subscriptions_info_by_topic(f"/{t}"), topic)
        assert status(port, "robot.lab") == 200
        assert status(port, "other.lab") == 403


def reports(listener):
    """List of what the viewer says on /diagnostics: (level, sentence, {key: value})."""
    heard = listener.listen(DiagnosticArray, "/diagnostics")
    return lambda: [(s.level, s.message, {v.key: v.value for v in s.values})
                    for message in heard for s in message.status if s.name == "viewer"]


def test_pictures_come_at_their_rate_and_states_are_missing_after_state_timeout():
    parameters = {"robot": "planar_2r", "port": free_port(), "state_timeout": 60.0, "diagnostics_period": 0.1,
                  "rate": 2.0}
    with Listener() as listener, node_process(NODE, parameters=parameters):
        said = reports(listener)
        publisher = listener.publisher(JointState, "joint_states")
        message = JointState(name=["shoulder", "elbow"], position=[0.1, 0.2])
        listener.ask(publisher, message, lambda: any(level == b"\x00" for level, *_ in said()), "states taken")
        count = len(said())
        listener.wait(lambda: len(said()) > count + 10, "more reports")
        assert {level for level, *_ in said()[count:]} == {b"\x00"}, "no state for some tenths of a second"
        assert listener.set_parameters("viewer", state_timeout=0.1)[0]
        listener.wait(lambda: said()[-1][:2] == (b"\x01", "no joint states"), "the word that states are missing")
        assert 0.0 < np.mean([float(values["rate_hz"]) for _, _, values in said()]) < 6.0, "15 Hz is the default"


def test_diagnostics_come_at_their_period():
    parameters = {"robot": "planar_2r", "port": free_port(), "diagnostics_period": 60.0}
    with Listener() as listener, node_process(NODE, parameters=parameters) as node:
        listener.wait(lambda: "shown on" in node.output, "the page")
        heard = listener.listen(DiagnosticArray, "/diagnostics")
        assert listener.set_parameters("viewer", diagnostics_period=0.05) == (True, "")
        listener.wait(lambda: len(heard) >= 4, "diagnostics every 50 ms", limit=30.0)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def status(port, host):
    request = urllib.request.Request(f"http://127.0.0.1:{port}", headers={"Host": f"{host}:{port}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_robots_of_the_topic_are_shown_one_after_the_other(source):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    with Listener() as listener, node_process(NODE, parameters={"port": 18100}) as node:
        publisher = listener.publisher(String, "robot_description", latched)
        for name in ("planar_2r", "anthropomorphic"):
            publisher.publish(String(data=(source / f"config/robots/{name}.yaml").read_text()))
            shown = re.compile(rf"{name} is shown on (\S+)")
            page = listener.wait(lambda s=shown: s.search(node.output), f"the page of {name}")
            with urllib.request.urlopen(page[1], timeout=30) as answer:
                assert answer.status == 200
        publisher.publish(String(data="<robot"))
        listener.wait(lambda: "robot_description is refused, nothing changes" in node.output, "a refusal")
    assert node.process.returncode == 0
