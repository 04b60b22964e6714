"""ROS side of the parameters: declared from their class, checked by it, kept as one immutable object."""
from dataclasses import replace
from math import inf

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter

from ..bringup.known_names import OF_ROS, declared, hint
from ..errors import RdynError
from .parameter import allowed, declarations

ROS_TYPES = {bool: Parameter.Type.BOOL, int: Parameter.Type.INTEGER, float: Parameter.Type.DOUBLE,
             str: Parameter.Type.STRING, tuple[float, ...]: Parameter.Type.DOUBLE_ARRAY,
             tuple[str, ...]: Parameter.Type.STRING_ARRAY}


def declare(node, cls):
    """Declares all parameters of `cls` on the node and returns their values as an instance of it."""
    given = {name: node.declare_parameter(name, descriptor=ParameterDescriptor(dynamic_typing=True)).value
             for name, *_ in declarations(cls)}
    values = cls(**{name: value for name, value in given.items() if value is not None})
    for name, kind, _, meta in declarations(cls):
        value = getattr(values, name)
        ros_value = list(value) if isinstance(value, tuple) else value
        node.set_parameters([Parameter(name, ROS_TYPES[kind], ros_value)])
        node.set_descriptor(name, _descriptor(kind, meta))
    _tell_unknown(node, list(given))
    return values


def watch(node, current, may_change, changed):
    """Checks every later change: `changed(new values)` is called with those allowed; it may refuse too."""
    live = {name: meta["live"] for name, _, _, meta in declarations(type(current()))}

    def on_set(parameters):
        ours = {p.name: p.value for p in parameters if p.name in live}
        frozen = [name for name in ours if not live[name]]
        if frozen and not may_change():
            return SetParametersResult(successful=False, reason=(
                f"parameter '{frozen[0]}' may change only while the node is unconfigured: "
                f"ros2 lifecycle set {node.get_fully_qualified_name()} cleanup"))
        try:
            changed(replace(current(), **ours))
        except RdynError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)


def _tell_unknown(node, names):
    """Tells parameters that were given and that the node does not have; files are shared, so it is no refusal."""
    for name in node._parameter_overrides:
        if node.has_parameter(name) or OF_ROS.fullmatch(name):
            continue
        owners = [other for other, theirs in declared().items() if name in theirs]
        if owners:
            node.get_logger().info(f"parameter '{name}' is one of {' and '.join(owners)}; it is passed over here")
        else:
            node.get_logger().warning(f"parameter '{name}' is passed over: this node has none of that name; "
                                      f"{hint(name, names)}")


def _descriptor(kind, meta):
    """Descriptor; typing is left to the class, whose refusals say more than rclpy's."""
    descriptor = ParameterDescriptor(type=ROS_TYPES[kind].value, description=meta["description"],
                                     additional_constraints=allowed(kind, meta), dynamic_typing=True)
    if kind is float and meta["high"] < inf:
        descriptor.floating_point_range = [FloatingPointRange(from_value=meta["low"], to_value=meta["high"])]
    if kind is int and meta["high"] < inf:
        descriptor.integer_range = [IntegerRange(from_value=int(meta["low"]), to_value=int(meta["high"]))]
    return descriptor
