"""Real nodes in processes of their own, and a listener that talks to them over DDS."""
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile

from bench.spinning import Spinning

LIMIT = 60.0  # [s] for anything that must happen at all
AGAIN = 10.0  # [s] without an answer after which a service is asked again


class NodeProcess:
    """`python -m <module>` with ROS parameters and remaps, its output kept in `lines`."""

    def __init__(self, module, *arguments, parameters=None, remap=(), params_file=None, env=None):
        ros = [f"-p {key}:={value}" for key, value in (parameters or {}).items()]
        ros += [f"-r {rule}" for rule in remap] + ([f"--params-file {params_file}"] if params_file else [])
        words = [word for item in ros for word in item.split(" ", 1)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--ros-args", *words], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def output(self):
        return "\n".join(self.lines)

    def wait(self, limit=LIMIT):
        """Exit code once it has ended."""
        code = self.process.wait(limit)
        self._reader.join(limit)
        return code

    def send(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Ends it with SIGINT, with SIGKILL if that does not help; returns the exit code."""
        if self.process.poll() is None:
            self.send(signal.SIGINT)
            try:
                return self.wait(10.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.wait()


@contextmanager
def node_process(module, *arguments, **options):
    """NodeProcess that is ended on the way out."""
    process = NodeProcess(module, *arguments, **options)
    try:
        yield process
    finally:
        process.stop()


class Listener(Spinning):
    """Collects messages, publishes, calls services."""

    def __init__(self, name="listener", namespace="/"):
        super().__init__(name, namespace)
        self._news = threading.Condition()
        self._clients = {}
        self.spin()

    def listen(self, message_type, topic, qos=None):
        """List that grows with each message of a topic."""
        messages = []

        def keep(message):
            with self._news:
                messages.append(message)
                self._news.notify_all()

        self.node.create_subscription(message_type, topic, keep, qos or QoSProfile(depth=1000))
        return messages

    def publisher(self, message_type, topic, qos=10, peers=1):
        """Publisher that `peers` subscriptions have found."""
        publisher = self.node.create_publisher(message_type, topic, qos)
        self.wait(lambda: publisher.get_subscription_count() >= peers, f"a subscription of {topic}")
        return publisher

    def destroy(self, entity):
        """Destroys a publisher or client where callbacks are served: else rclpy's executor may meet it half gone."""
        done = self._executor.create_task(
            self.node.destroy_publisher if isinstance(entity, Publisher) else self.node.destroy_client, entity)
        self._executor.wake()
        self.wait(done.done, "the end of a publisher or client")

    def wait(self, condition, what="the condition", limit=LIMIT):
        """Value of `condition()` once it is true; it is asked after each message and every 20 ms."""
        end = time.monotonic() + limit
        with self._news:
            while not (value := condition()):
                if time.monotonic() > end:
                    raise TimeoutError(f"waited {limit} s in vain for {what}")
                assert self.is_served, f"nothing is heard any more, so never {what}"
                self._news.wait(0.02)
        return value

    def ask(self, publisher, message, condition, what="an answer", every=0.02, limit=LIMIT):
        """Publishes a message, again every few ms with its stamp counted on, until `condition()` is true."""
        sent = -every

        def published():
            nonlocal sent
            if value := condition():
                return value
            if time.monotonic() - sent >= every:
                sent = time.monotonic()
                publisher.publish(message() if callable(message) else message)
            return None

        return self.wait(published, what, limit)

    def call(self, service_type, name, request, limit=LIMIT):
        """Response of a service; asked again every AGAIN seconds, as DDS may lose the first answers of a new server."""
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self.node.create_client(service_type, name)
        assert client.wait_for_service(limit), f"no service {name} within {limit} s"
        asked = [client.call_async(request)]

        def answered():
            if time.monotonic() > begin + AGAIN * len(asked):
                asked.append(client.call_async(request))
            return next((future for future in asked if future.done()), None)

        begin = time.monotonic()
        return self.wait(answered, f"an answer of {name}", limit).result()

    def set_parameters(self, node, **values):
        """(successful, reason) of setting parameters of another node at once."""
        parameters = [ParameterMsg(name=name, value=value) if isinstance(value, ParameterValue)
                      else Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
        result = self.call(SetParametersAtomically, f"{node}/set_parameters_atomically",
                           SetParametersAtomically.Request(parameters=parameters)).result
        return result.successful, result.reason

    def get_parameter(self, node, name):
        """ParameterValue of another node."""
        request = GetParameters.Request(names=[name])
        return self.call(GetParameters, f"{node}/get_parameters", request).values[0]

    def change_state(self, node, label):
        """Whether a lifecycle transition (configure, activate, deactivate, cleanup) succeeded."""
        request = ChangeState.Request()
        request.transition.label = label
        return self.call(ChangeState, f"{node}/change_state", request).success

    def state(self, node):
        return self.call(GetState, f"{node}/get_state", GetState.Request()).current_state.label

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
