"""Raw bytes to services: rclpy publishes on topics of ROS only, so requests go through the middleware's C functions."""
import ctypes as c

KEEP_LAST, RELIABLE, VOLATILE = 1, 1, 2  # of rmw/types.h
DEPTH = 100


class Duration(c.Structure):
    """rmw_time_t; zeros: the middleware's own."""

    _fields_ = [("seconds", c.c_uint64), ("nanoseconds", c.c_uint64)]


class Quality(c.Structure):
    """rmw_qos_profile_t."""

    _fields_ = [("history", c.c_int), ("depth", c.c_size_t), ("reliability", c.c_int), ("durability", c.c_int),
                ("deadline", Duration), ("lifespan", Duration), ("liveliness", c.c_int), ("lease", Duration),
                ("avoid_ros_namespace_conventions", c.c_bool)]


class Options(c.Structure):
    """rmw_publisher_options_t."""

    _fields_ = [("middleware", c.c_void_p), ("unique_endpoints", c.c_int)]


class Bytes(c.Structure):
    """rmw_serialized_message_t, with its allocator, which nobody asks."""

    _fields_ = [("buffer", c.c_char_p), ("length", c.c_size_t), ("capacity", c.c_size_t), ("none", c.c_void_p * 5)]


class RawRequests:
    """Publisher of any bytes as requests of type `service_type` to the service `name`, in the context of `node`."""

    def __init__(self, node, service_type, name):
        self._rmw, rcl = c.CDLL("librmw_fastrtps_cpp.so"), c.CDLL("librcl.so")  # those which rclpy has loaded
        rcl.rcl_node_get_rmw_handle.restype = self._rmw.rmw_create_publisher.restype = c.c_void_p
        with node.handle:
            self._node = c.c_void_p(rcl.rcl_node_get_rmw_handle(c.c_void_p(node.handle.pointer)))
        quality = Quality(KEEP_LAST, DEPTH, RELIABLE, VOLATILE, avoid_ros_namespace_conventions=True)
        self._publisher = c.c_void_p(self._rmw.rmw_create_publisher(
            self._node, _type_support(service_type.Request), f"rq{name}Request".encode(), c.byref(quality),
            c.byref(Options())))
        assert self._publisher, name
        self._name = name

    def __repr__(self):
        return f"RawRequests to {self._name}"

    def get_subscription_count(self):
        """Servers that listen."""
        count = c.c_size_t()
        self._rmw.rmw_publisher_count_matched_subscriptions(self._publisher, c.byref(count))
        return count.value

    def publish(self, data):
        """Sends the bytes; False when the middleware does not, as more than its type can ever have."""
        message = Bytes(data, len(data), len(data))
        return self._rmw.rmw_publish_serialized_message(self._publisher, c.byref(message), None) == 0

    def close(self):
        """Gives the publisher back, before its node."""
        self._rmw.rmw_destroy_publisher(self._node, self._publisher)


def _type_support(message_type):
    """Pointer to the C type support of a message type."""
    message_type.__class__.__import_type_support__()
    name, pointer = c.pythonapi.PyCapsule_GetName, c.pythonapi.PyCapsule_GetPointer
    name.restype, pointer.restype = c.c_char_p, c.c_void_p
    name.argtypes, pointer.argtypes = (c.py_object,), (c.py_object, c.c_char_p)
    capsule = message_type._TYPE_SUPPORT
    return c.c_void_p(pointer(capsule, name(capsule)))
