"""The folders state the theory in order: each imports only from those before it."""
import ast
import re

import rdyn_ros

LAYERS = ("errors", "spatial", "model", "algorithms", "kernels", "boundary", "ik", "robot", "audit",
          "control", "simulation", "viewer", "recording", "bringup", "nodes", "cli")
ROS = re.compile(r"(rclpy|rcl_interfaces|tf2_ros|std_srvs|\w+_msgs|\w+_interfaces)(\.|$)")
ONLY_IN = {"rclpy and messages": (ROS, "nodes/"),
           "serialized messages": (re.compile(r"rclpy\.serialization\b"), "nodes/cdr.py"),
           "viser": (re.compile(r"viser(\.|$)"), "viewer/"),
           "launch": (re.compile(r"launch(_ros)?(\.|$)"), "bringup/ros_launch.py")}
FIELDS = {"x", "y", "z", "w", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"}  # of vectors, quaternions and inertias


def modules(source):
    """(path inside rdyn_ros, full names that it imports) of every module of the package."""
    package = source / "rdyn_ros"
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        yield inside.as_posix(), set(imports(ast.parse(path.read_text()), ("rdyn_ros", *inside.parts[:-1])))


def imports(tree, package):
    """Full names that a module imports, wherever in it; relative ones resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def layer(name):
    """Layer that a full name belongs to; the short names of the package belong where they are defined."""
    parts = rdyn_ros._HOME.get(name.removeprefix("rdyn_ros."), name).split(".")
    return parts[1].removesuffix(".py") if len(parts) > 1 else None


def test_every_module_belongs_to_a_layer(source):
    strangers = {path for path, _ in modules(source) if path.split("/")[0].removesuffix(".py") not in LAYERS}
    assert strangers <= {"__init__.py"}


def test_each_layer_imports_only_from_those_before_it(source):
    wrong = []
    for path, names in modules(source):
        own = path.split("/")[0].removesuffix(".py")
        if own not in LAYERS:
            continue
        for name in sorted(names):
            used = layer(name) if name.split(".")[0] == "rdyn_ros" else own
            if used in LAYERS and LAYERS.index(used) > LAYERS.index(own):
                wrong.append(f"{path} imports {name}")
    assert not wrong


def test_ros_viser_and_launch_are_each_imported_in_one_place(source):
    wrong = [f"{path} imports {name}"
             for path, names in modules(source) for name in sorted(names)
             for pattern, place in ONLY_IN.values()
             if pattern.match(name) and not path.startswith(place)]
    assert not wrong


def fields(tree):
    """Fields of messages with numbers that a module reads or writes."""
    return sorted({node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} & FIELDS)


def test_numbers_of_messages_are_read_and_written_in_one_place(source):
    nodes = source / "rdyn_ros/nodes"
    found = {path.name: fields(ast.parse(path.read_text())) for path in sorted(nodes.rglob("*.py"))}
    assert set(found.pop("messages.py")) == FIELDS
    assert {name: used for name, used in found.items() if used} == {}


def test_the_law_is_able_to_fail():
    tree = ast.parse("from ..nodes import spin\nimport rclpy.node\nfrom rdyn_ros import load")
    names = set(imports(tree, ("rdyn_ros", "model")))
    assert names == {"rdyn_ros.nodes.spin", "rclpy.node", "rdyn_ros.load"}
    assert {layer(name) for name in names if name.startswith("rdyn_ros")} == {"nodes", "robot"}
    assert ROS.match("rclpy.node") and ROS.match("sensor_msgs") and not ROS.match("rdyn_ros")
    assert fields(ast.parse("p.x = message.pose.orientation.w + u.v")) == ["w", "x"]
