"""An environment in which ROS talks to this machine only."""
import os
from pathlib import Path

FILE = Path(__file__).with_name("loopback.xml")
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
PROFILE = {  # of Fast DDS
    "FASTDDS_DEFAULT_PROFILES_FILE": str(FILE),
    "SKIP_DEFAULT_XML_FILE": "1",  # what lies in the working folder does not count
}
OLD = ("ROS_LOCALHOST_ONLY", "FASTRTPS_DEFAULT_PROFILES_FILE")  # names that still count where they are set


def keep_to_this_machine():
    """Sets the environment of this process and of all that it starts.

    With the range LOCALHOST Fast DDS only looks no further than this machine: it opens its ports to every network
    and answers whoever knows the address. So a profile says where it listens, which counts only while ROS leaves
    the range to it; other middlewares get LOCALHOST.
    """
    for name in OLD:
        os.environ.pop(name, None)
    if os.environ.get("RMW_IMPLEMENTATION", "rmw_fastrtps").startswith("rmw_fastrtps"):
        os.environ |= PROFILE | {RANGE: "SYSTEM_DEFAULT"}
    else:
        os.environ[RANGE] = "LOCALHOST"
