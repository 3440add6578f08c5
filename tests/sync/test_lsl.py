"""The installed Lab Streaming Layer: a marker starts a run, and the pose of the robot is published."""

from __future__ import annotations

import threading
import uuid

import numpy as np
import pytest

from snakestudio.errors import TriggerError
from snakestudio.sync.lsl import LslOutlet, outlet_columns, wait_for_marker
from tests.analysis.signals.made import MadeRecording, even

pylsl = pytest.importorskip("pylsl", exc_type=(ImportError, RuntimeError))


def test_first_marker_of_a_stream_starts_the_run() -> None:
    name = f"cues-{uuid.uuid4().hex[:8]}"
    outlet = pylsl.StreamOutlet(
        pylsl.StreamInfo(name, "Markers", 1, pylsl.IRREGULAR_RATE, "string", name)
    )
    done = threading.Event()

    def mark() -> None:
        outlet.wait_for_consumers(20)
        outlet.push_sample(["go"])
        done.set()

    thread = threading.Thread(target=mark)
    thread.start()
    trigger = wait_for_marker(name, 20, lambda: False)
    thread.join()
    assert trigger is not None
    assert (trigger.name, trigger.peer) == ("go", f"LSL stream '{name}'")
    assert trigger.sent is not None
    assert abs(trigger.received - trigger.sent) < 1.0
    assert wait_for_marker(name, 20, lambda: True) is None
    with pytest.raises(TriggerError, match=r"was not found within 0\.1 s"):
        wait_for_marker("no such stream", 0.1, lambda: False)


def test_rows_are_sent_with_names_and_intervals() -> None:
    run = MadeRecording(even(0.5))
    outlet = LslOutlet()
    outlet.follow(run)
    streams = pylsl.resolve_byprop("name", "SnakeStudio", timeout=10)
    inlet = pylsl.StreamInlet(streams[0])
    inlet.open_stream(timeout=5)
    run.times = even(1.0)
    outlet.follow(run)
    samples, stamps = inlet.pull_chunk(timeout=5.0, max_samples=50)
    assert len(samples) == 50
    np.testing.assert_allclose(np.diff(stamps), 0.01, atol=1e-6)
    info = inlet.info(timeout=5)
    assert (
        info.channel_count()
        == len(outlet_columns(("joint_1_yaw_rad", "joint_1_yaw_ref_rad", "link_1_x_m"))) + 13
    )
    assert info.get_channel_labels()[:4] == ["com_x_m", "com_y_m", "com_z_m", "joint_1_yaw_rad"]
    inlet.close_stream()
