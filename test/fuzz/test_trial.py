"""A trial allows the time it is told to allow, and says so."""
import time

import pytest
from hypothesis import strategies as st

from bench.fuzz.trial import trial


@pytest.mark.parametrize("limit, held", [(0.01, False), (10.0, True)])
def test_the_limit_of_a_row_is_the_one_in_force(limit, held):
    row = trial("slow", st.just(b""), lambda _: time.sleep(0.02), 1, limit=limit)
    assert row.held is held and f" {limit:g} s" in row.limit
