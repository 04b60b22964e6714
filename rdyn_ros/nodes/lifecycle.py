"""What every node here is: a lifecycle node with checked parameters, autostart and one-line refusals."""
import traceback
from contextlib import ExitStack, contextmanager

from rclpy import get_rmw_implementation_identifier
from rclpy.exceptions import InvalidTopicNameException
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rosgraph_msgs.msg import Clock

from ..bringup.arguments import NAMING
from ..errors import RdynError
from . import fast_cdr
from .cdr import deserialized
from .declare import declare, watch
from .diagnostics import Monitor
from .joint_states import Reason
from .memory import MOST_BYTES


class RdynNode(LifecycleNode):
    """Lifecycle node; a child overrides configure, which makes `monitor` and `_diagnostics`, and what must follow it.

    Topics, services and timers that it has made since configure end by themselves on cleanup, and when configure fails
    half way; threads that are given to `ends`, too.
    `values` holds all parameters (an instance of the class `Parameters`), always checked, replaced as a
    whole. `active` tells whether output may be published. `failure` says why a transition was refused, `doubts`
    what is hard to believe about its robot, `error` what ended a thread of it.
    """

    Parameters = None
    apart = frozenset()  # callbacks of subscriptions that have a thread of their own
    READY = "ready"  # what it says when it has started

    def __init__(self, name, **options):
        super().__init__(name, **options)
        self.active = False
        self.failure = self.doubts = ""
        self.error = None
        self.monitor = Monitor()
        self._configured = self._starting = False
        self._ends, self._lasting = ExitStack(), None
        self.values = declare(self, self.Parameters)
        watch(self, lambda: self.values, lambda: not self._configured, self._change)

    @property
    def subscriptions(self):
        """Subscriptions that an executor serves."""
        return (each for each in self.all_subscriptions if each.callback not in self.apart)

    @property
    def all_subscriptions(self):
        """Also those that have a thread of their own."""
        return super().subscriptions

    def configure(self):
        """Makes robot, publishers, subscriptions and services; RdynError refuses."""

    def activate(self):
        """Begins to publish; RdynError refuses."""

    def deactivate(self):
        """Ends publishing."""

    def cleanup(self):
        """Forgets what configure set, of which some may be missing; topics, services, timers and threads are gone."""

    def ends(self, part):
        """Gives `part` back, which will be closed before the topics that it may use are."""
        self._ends.callback(part.close)
        return part

    def changed(self, values):
        """Takes new parameter values before they are in force; RdynError refuses them."""

    def end(self, *_):
        """Signal handler: the process may end; a child that has something to do first calls `finish` later."""
        self.finish()

    def finish(self):
        """Ends the process; rdyn_ros.nodes.process puts its own way here."""

    def fail(self, error):
        """A thread of the node met a mistake: the process ends."""
        self.get_logger().fatal("".join(traceback.format_exception(error)))
        self.error = error
        self.finish()

    def short_of_memory(self):
        """A request, message or timer needed more memory than the node may have; the next one is served."""
        self.monitor.counters["out_of_memory"] += 1
        self.get_logger().error("something asked for more memory than a node may have; it is left out",
                                throttle_duration_sec=1.0)

    def refuse(self, why):
        """Tells why something was not done."""
        self.get_logger().warning(f"refused {why}", throttle_duration_sec=1.0)

    def create_publisher(self, msg_type, topic, *args, **options):
        """As in rclpy; RdynError refuses a topic that cannot be."""
        with _refusing(msg_type, topic):
            return super().create_publisher(msg_type, topic, *args, **options)

    def create_subscription(self, msg_type, topic, *args, **options):
        """As in rclpy; RdynError refuses a topic that cannot be."""
        with _refusing(msg_type, topic):
            return super().create_subscription(msg_type, topic, *args, **options)

    def listen(self, message_type, topic, take, qos, most=MOST_BYTES, **options):
        """Subscription that calls take(message); bytes that are no such message, or more than `most`, are counted."""
        def read(data):
            if len(data) > most:
                self.monitor.counters["too_long"] += 1
                self.refuse(f"{topic}: {len(data)} bytes, {most} at most; send less, or in parts")
                return
            try:
                message = deserialized(data, message_type)
            except ValueError:
                self.monitor.counters[Reason.UNREADABLE] += 1
                return
            take(message)
        return self.create_subscription(message_type, topic, read, qos, raw=True, **options)

    def start(self):
        """Configures and activates when `autostart` is set; RdynError tells why that was refused."""
        if doubt := fast_cdr.doubt(get_rmw_implementation_identifier()):
            self.get_logger().warning(doubt)
        if not self.values.autostart:
            return
        self._starting = True
        for step in (self.trigger_configure, self.trigger_activate):
            if step() != TransitionCallbackReturn.SUCCESS:
                raise RdynError(self.failure)
            self._go_on()
        self._starting = False
        self.get_logger().info(self.READY)

    def close(self):
        """Ends the node whatever its state is, also after the context is shut down."""
        self.on_shutdown(None)
        self.destroy_node()

    def on_configure(self, state):
        """Transition of the lifecycle."""
        self._lasting = set().union(*(made for made, _ in self._made()))
        done = self._transition(self.configure, configured=True)
        if done != TransitionCallbackReturn.SUCCESS:
            self._undo()
        self._go_on()
        return done

    def on_activate(self, state):
        """Transition of the lifecycle."""
        done = self._transition(self.activate, active=True)
        self._go_on()
        return done

    def on_deactivate(self, state):
        """Transition of the lifecycle."""
        return self._transition(self.deactivate, active=False)

    def on_cleanup(self, state):
        """Transition of the lifecycle."""
        return self._transition(self._undo, configured=False)

    def on_shutdown(self, state):
        """Transition of the lifecycle."""
        if self.active:
            self._transition(self.deactivate, active=False)
        if self._lasting is not None:       # configured, or half way when the process was told to end
            self._transition(self._undo, configured=False)
        return TransitionCallbackReturn.SUCCESS

    def _go_on(self):
        """Leaves the start when the process is told to end; rclpy would complain that nobody hears of a transition."""
        if self._starting and not self.context.ok():
            raise KeyboardInterrupt

    def _undo(self):
        """Ends all that was made since configure began."""
        lasting, self._lasting = self._lasting, None
        try:
            self._ends.close()
        finally:
            for made, destroy in self._made():
                for entity in made - lasting:
                    destroy(entity)
            self.cleanup()

    def _made(self):
        """(all that there are, how one is destroyed) of timers, topics and services."""
        inlets = {each for each in self.all_subscriptions if each.msg_type is not Clock}    # by which ROS keeps time
        return (({*self.timers}, self.destroy_timer), (inlets, self.destroy_subscription),
                ({*self.services}, self.destroy_service), ({*self.clients}, self.destroy_client),
                ({*self.publishers}, self.destroy_publisher))

    def _transition(self, work, configured=None, active=None):
        if active is False:
            self.active = False
        try:
            work()
        except RdynError as error:
            self.failure = " ".join(str(error).split())
            if not self._starting:
                self.get_logger().error(self.failure)
            return TransitionCallbackReturn.FAILURE
        except Exception:  # rclpy would swallow it
            self.failure = f"{work.__name__.strip('_')} failed unexpectedly"
            if not self.context.ok():  # the node is ended meanwhile
                return TransitionCallbackReturn.FAILURE
            self.get_logger().fatal(traceback.format_exc())
            return TransitionCallbackReturn.ERROR
        self._configured = self._configured if configured is None else configured
        self.active = self.active if active is None else active
        return TransitionCallbackReturn.SUCCESS

    def _change(self, values):
        before = self.values
        self.changed(values)
        self.values = values
        if self._configured and values.diagnostics_period != before.diagnostics_period:
            self._diagnostics.every(values.diagnostics_period)


@contextmanager
def _refusing(message_type, topic):
    """Turns what rclpy says about a topic into one sentence."""
    try:
        yield
    except InvalidTopicNameException:
        raise RdynError(f"topic {topic!r} cannot be: {NAMING}") from None
    except (ValueError, RuntimeError) as error:
        if "unknown substitution" in str(error):
            raise RdynError(f"topic {topic!r} cannot be: {NAMING}") from None
        if "incompatible type" in str(error):
            raise RdynError(f"topic {topic!r} cannot carry {message_type.__name__}: this node uses the name with "
                            "another type, too; give one of them another name") from None
        raise
