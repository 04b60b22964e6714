"""Writes config/sros2/<node>.policy.xml from what each node really publishes, hears, serves and asks.

Starts every node in this process on the robot planar_2r and a silent ROS domain, reads its names off the ROS graph
and writes them as an SROS 2 policy. With --check it writes nothing and names the files that differ.
"""
import importlib
import os
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import rclpy

from rdyn_ros.bringup.domain import silent_domain

FOLDER = Path(__file__).parent.parent / "config/sros2"
ROBOT = "planar_2r"
PATIENCE = 30.0  # [s]
NODES = {"dynamics": "dynamics_node:DynamicsNode", "control": "control_node:ControlNode",
         "simulator": "simulator_node:SimulatorNode", "viewer": "viewer_wiring:ViewerNode"}
OPTIONAL = {"dynamics": {"reply": {"/compute_fk", "/compute_ik"}}}  # served only where moveit_msgs is installed
KINDS = (("topics", "topic", "publish", "publisher"), ("topics", "topic", "subscribe", "subscriber"),
         ("services", "service", "reply", "service"), ("services", "service", "request", "client"))


def graph(name):
    """{(publish | subscribe | reply | request): sorted names} of a node with its default parameters."""
    module, kind = NODES[name].split(":")
    rclpy.init(args=["--ros-args", "-p", f"robot:={ROBOT}", "--disable-stdout-logs"])
    node = getattr(importlib.import_module(f"rdyn_ros.nodes.{module}"), kind)()
    try:
        node.start()
        found = _names(node)
        end = time.monotonic() + PATIENCE
        while not _complete(node, found):              # discovery takes a moment
            if time.monotonic() > end:
                raise TimeoutError(f"the graph knows of {node.get_name()} only {found}")
            time.sleep(0.2)
            found = _names(node)
        return found | {verb: sorted({*found[verb], *names}) for verb, names in OPTIONAL.get(name, {}).items()}
    finally:
        node.close()
        rclpy.shutdown()


def _complete(node, found):
    """Whether the graph knows every topic and service that the node itself knows, and its lifecycle."""
    made = {"publish": [p.topic_name for p in node.publishers],
            "subscribe": [s.topic_name for s in node.subscriptions],
            "reply": [s.service_name for s in (*node.services, *(node.side.services if hasattr(node, "side") else ()))],
            "request": [c.service_name for c in node.clients]}
    return "~/change_state" in found["reply"] and all(
        _short(name, node) in found[verb] for verb, names in made.items() for name in names)


def _names(node):
    members = [name for name, namespace in node.get_node_names_and_namespaces() if node.get_name() in name]
    found = {}
    for _, _, verb, kind in KINDS:
        ask = getattr(node, f"get_{kind}_names_and_types_by_node")
        found[verb] = sorted({_short(topic, node) for member in set(members)
                              for topic, _ in ask(member, node.get_namespace())})
    return found


def _short(topic, node):
    """Private names as ~/name, so that they follow the node."""
    own = f"{node.get_fully_qualified_name()}/"
    return f"~/{topic.removeprefix(own)}" if topic.startswith(own) else topic


def policy(name, names):
    """The policy as XML text."""
    root = ET.Element("policy", version="0.2.0")
    enclave = ET.SubElement(ET.SubElement(root, "enclaves"), "enclave", path=f"/{name}")
    profile = ET.SubElement(ET.SubElement(enclave, "profiles"), "profile", ns="/", node=name)
    for group, item, verb, _ in KINDS:
        if names[verb]:
            listed = ET.SubElement(profile, group, {verb: "ALLOW"})
            for text in names[verb]:
                ET.SubElement(listed, item).text = text
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def main():
    """Write all policies, or only tell which are old."""
    os.environ["ROS_DOMAIN_ID"] = str(silent_domain())
    texts = {FOLDER / f"{name}.policy.xml": policy(name, graph(name)) for name in NODES}
    if "--check" in sys.argv:
        if old := [path.name for path in texts if path.read_text() != texts[path]]:
            sys.exit(f"{', '.join(old)} differ from what the nodes use; run: python tools/sros2_policies.py")
        return
    for path, text in texts.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
