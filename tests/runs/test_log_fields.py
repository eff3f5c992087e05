"""Fields of a log's channels by name."""

from __future__ import annotations

import numpy as np
import pytest

from andante.robots.records import Field, Layout
from andante.runs.errors import LogError
from andante.runs.logs.log import ChannelRows


def test_a_field_that_a_channel_lacks_is_told_with_those_it_has():
    layout = Layout("checked", (Field("time", ("",), "s"), Field("position", ("a", "b"), "rad")))
    rows = ChannelRows(layout, np.zeros(2, np.int64), np.arange(6.0).reshape(2, 3))
    assert rows["position"].tolist() == [[1.0, 2.0], [4.0, 5.0]]
    with pytest.raises(LogError, match="the channel has no such field; got 'kp'; legal: time, position"):
        rows["kp"]
