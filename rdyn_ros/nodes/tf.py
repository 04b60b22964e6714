"""Tips on TF, where tf2_ros is installed."""
from geometry_msgs.msg import TransformStamped

from ..errors import RdynError
from ..spatial import matrix_quaternion
from .messages import time_message


def broadcaster(node):
    """Function (stamp [ns], base name, frame names, poses (4, 4)) that sends the frames to TF."""
    try:
        from tf2_ros import TransformBroadcaster
    except ImportError:
        raise RdynError("parameter 'publish_tf' needs tf2_ros, which is not here; set it to false") from None
    tf = TransformBroadcaster(node)

    def send(stamp, base, frames, poses):
        tf.sendTransform([_message(stamp, base, name, T) for name, T in zip(frames, poses, strict=True)])
    return send


def _message(stamp, base, name, T):
    message = TransformStamped(child_frame_id=name)
    message.header.stamp, message.header.frame_id = time_message(stamp), base
    t, r = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = T[:3, 3].tolist()
    r.x, r.y, r.z, r.w = matrix_quaternion(T[:3, :3]).tolist()
    return message
