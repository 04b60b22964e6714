"""Tips on TF, where tf2_ros is installed."""
from geometry_msgs.msg import TransformStamped

from ..errors import RdynError
from .messages import fill_transform, time_message


def broadcaster(node):
    """Function (stamp [ns], base name, frame names, poses) that sends the frames to TF.

    poses: x y z [m] and quaternion x y z w of each, (7,).
    """
    try:
        from tf2_ros import TransformBroadcaster
    except ImportError:
        raise RdynError("parameter 'publish_tf' needs tf2_ros, which is not here; set it to false") from None
    tf = TransformBroadcaster(node)

    def send(stamp, base, frames, poses):
        tf.sendTransform([transform(stamp, base, name, pose) for name, pose in zip(frames, poses, strict=True)])
    return send


def transform(stamp, base, name, pose):
    """TransformStamped of one frame."""
    message = TransformStamped(child_frame_id=name)
    message.header.stamp, message.header.frame_id = time_message(stamp), base
    fill_transform(message.transform, pose[:3], pose[3:])
    return message
