"""Robot text that anybody may publish opens no file, reaches no network and runs nothing."""
import socket
import sys

import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from rdyn_ros.nodes.dynamics_node import DynamicsNode
from rdyn_ros.nodes.process import started
from rdyn_ros.nodes.viewer_node import viewer_node
from support.broken_robots import URDF

ENTITY = '<!DOCTYPE r [<!ENTITY x SYSTEM "{}">]>\n<robot name="&x;"><link name="a"/></robot>'
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n{}<link name="a"/></robot>'
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
TEXTS = {  # FILE is there to be read, at WEB somebody listens
    "a path": "FILE",
    "an entity from a file": ENTITY.format("file://FILE"),
    "an entity from the network": ENTITY.format("http://WEB/"),
    "a document type from the network": '<!DOCTYPE r SYSTEM "http://WEB/r.dtd">\n' + URDF,
    "an XInclude": '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude">\n'
                   '<xi:include href="file://FILE" parse="text"/><link name="a"/></robot>',
    "a xacro include": XACRO.format('<xacro:include filename="FILE"/>'),
    "a xacro expression": XACRO.format("<xacro:property name=\"p\" value=\"${open('FILE').read()}\"/>"),
    "a YAML tag": "name: !!python/object/apply:os.system ['cat FILE']\nlinks: []\n",
    "meshes": URDF.replace('<link name="b">', '<link name="b">' + MESH.format("file://FILE")
                           + MESH.format("package://p/../../../../../../../../../../../..FILE")
                           + MESH.format("FILE") + MESH.format("http://WEB/m.stl")),
}
NODES = {"dynamics": DynamicsNode, "viewer": viewer_node}
DEEDS = []  # (event, first detail) of this process while `watching`
watching = False


def _note(event, details):
    if watching and event in ("open", "socket.connect", "os.system", "subprocess.Popen"):
        DEEDS.append((event, str(details[0])))


sys.addaudithook(_note)


@pytest.fixture(scope="module", params=NODES)
def node(request):
    """A started node that waits for its robot, in this process."""
    if request.param == "viewer":
        pytest.importorskip("viser", reason="the viewer's packages are not installed")
    with started(NODES[request.param], "-r", "__ns:=/robot_text") as node:
        yield node


def tell(node, text):
    """The node takes a text from the topic robot_description and is done with it."""
    global watching
    take = next(s.callback for s in node.subscriptions if s.topic_name.endswith("robot_description"))
    watching = True
    try:
        take(serialize_message(String(data=text)))
        node._source._worker.submit(lambda: None).result(30.0)
    finally:
        watching = False


@pytest.mark.parametrize("text", TEXTS)
def test_text_from_a_topic_opens_no_file_reaches_no_network_and_runs_nothing(node, text, tmp_path):
    file = tmp_path / "robot.stl"          # a robot by its text, a mesh by its name
    file.write_text('<robot name="secret"><link name="a"/></robot>')
    DEEDS.clear()
    node.refused = ""
    with socket.create_server(("127.0.0.1", 0)) as web:
        web.settimeout(0.0)
        tell(node, TEXTS[text].replace("FILE", str(file)).replace("WEB", f"127.0.0.1:{web.getsockname()[1]}"))
        with pytest.raises(BlockingIOError):
            web.accept()
    told = [deed for deed in DEEDS if deed[0] != "open" or str(file) in deed[1]]
    assert not told
    _, _, about = node._diagnostics._judge()
    if text == "meshes":
        assert (about["robot"], node.refused) == ("good", "")
    else:
        assert node.refused and about.get("robot") in (None, "good"), "it was not refused"


def test_the_watching_itself_sees_a_file_that_is_opened(tmp_path):
    global watching
    file = tmp_path / "robot.urdf"
    file.write_text("")
    watching = True
    file.read_text()
    watching = False
    assert ("open", str(file)) in DEEDS
