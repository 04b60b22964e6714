"""Several topics of one moment, published in one go while the interpreter serves other threads."""
import ctypes

try:
    from ._publish import Publish
except ImportError:  # not built: one after the other, services in between
    Publish = None


def together(senders):
    """Function of a tuple of serialized messages that sends each by its sender, `publish_raw` of a publisher."""
    if Publish is None:
        return lambda messages: _one_by_one(senders, messages)
    try:
        publish = ctypes.CDLL("librcl.so").rcl_publish_serialized_message       # the library that rclpy has loaded
        handles = tuple(send.__self__ for send in senders)
        address = ctypes.cast(publish, ctypes.c_void_p).value
        return Publish(address, tuple(handle.pointer for handle in handles), handles)
    except (AttributeError, OSError):       # not those of rclpy, or no such library
        return lambda messages: _one_by_one(senders, messages)


def _one_by_one(senders, messages):
    for send, message in zip(senders, messages, strict=True):
        send(message)
