"""Messages that were lost on the way, by the numbers that their publishers give them."""
from inspect import signature

PUBLISHERS = 100  # remembered at most: those that come and go must not fill the memory


class Numbered:
    """Callback of a subscription: counters["lost"] grows by each number that is left out, take(message) gets the rest.

    Nothing is counted where ROS or its middleware does not tell numbers and publishers.
    """

    # rclpy gives message and info to a callback of two arguments; its events executor both as one tuple
    __signature__ = signature(lambda message, info: None)

    def __init__(self, take, counters):
        self._take, self._counters, self._last = take, counters, {}

    def __call__(self, message, info=None):
        """Takes one message, with its info where there is one."""
        if isinstance(message, tuple):
            message, info = message
        if info and (number := info.get("publication_sequence_number")) and (publisher := info.get("publisher_gid")):
            self._count(publisher["data"], number)
        self._take(message)

    def _count(self, publisher, number):
        last = self._last
        gap = number - last.get(publisher, number - 1) - 1
        if gap > 0:
            self._counters["lost"] += gap
        if len(last) >= PUBLISHERS and publisher not in last:
            last.clear()
        last[publisher] = number
