"""What a service answers when its handler is refused, or fails in a way nobody thought of."""
import re
from types import SimpleNamespace

import pytest
from rdyn_interfaces.srv import GetMassMatrix

from rdyn_ros.errors import RdynError
from rdyn_ros.nodes.dynamics_node import SERVICES
from rdyn_ros.nodes.requests import RequestError, service_callback


@pytest.mark.parametrize(("error", "reason", "logged"), [
    (RdynError("too many"), "bad_input", 0), (RequestError("no_state", "none yet"), "no_state", 0),
    (ZeroDivisionError("by zero"), "failed", 1)])
def test_an_error_is_an_answer_and_the_thread_of_services_goes_on(error, reason, logged):
    log = []
    node = SimpleNamespace(serving=object(), get_logger=lambda: SimpleNamespace(error=log.append))

    def handler(*_):
        raise error

    answer = service_callback(node, handler)(GetMassMatrix.Request(), GetMassMatrix.Response())
    assert (answer.success, answer.reason) == (False, reason)
    assert str(error) in answer.message
    assert len(log) == logged


@pytest.mark.parametrize("name", sorted({kind.__name__ for _, kind, _ in SERVICES}))
def test_every_reason_that_a_service_may_answer_is_a_constant_of_it(source, name):
    text = (source / f"rdyn_interfaces/srv/{name}.srv").read_text()
    reasons = set(re.findall(r'^string \w+="(\w+)"', text.split("---")[1], re.MULTILINE))
    measured = set() if name == "SetPayload" else {"no_state", "stale_state"}
    assert reasons >= {"bad_input", "no_model", "failed"} | measured
