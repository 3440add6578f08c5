"""Worlds advanced together: queries of their engines, and interrupted threads."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from signal import SIGINT, raise_signal

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.reference import JointReference
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.worlds import WorkerThreads, Worlds


def test_non_finite_torques_fail_as_in_a_single_engine() -> None:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    knots = np.arange(41) * scene.solver.step_s
    torque = np.full((41, 10), 0.01)
    torque[30:] = np.nan
    nothing = np.full((41, 10), np.nan)
    reference = JointReference(knots, nothing, nothing, nothing, torque)
    single, *engines = (registry.create(scene) for _ in range(3))
    report = single.advance(reference, 40, ())
    worlds = Worlds(engines, 2)
    worlds.follow(40, [reference, reference])
    worlds.close()
    assert not report.ok
    assert worlds.failures == {0: report.message, 1: report.message}
    assert worlds.steps.tolist() == [single.step_count] * 2


@pytest.fixture
def default_interrupt() -> Iterator[None]:
    """Ctrl+C raises KeyboardInterrupt, independent of earlier tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupt_waits_for_all_threads(default_interrupt: None) -> None:
    threads = WorkerThreads(2)
    released = threading.Event()
    done: list[str] = []

    def job() -> None:
        if threading.current_thread() is threading.main_thread():
            if not released.is_set():
                released.set()
                raise_signal(SIGINT)  # Ctrl+C while the other thread still works
        else:
            released.wait()
            done.append("other")

    for _ in range(2):
        released.clear()
        done.clear()
        threads.run(job, (), lambda: bool(done))
        assert done == ["other"]
        with pytest.raises(KeyboardInterrupt):
            threads.raise_interrupt()
        threads.raise_interrupt()  # once is enough
    threads.close()
