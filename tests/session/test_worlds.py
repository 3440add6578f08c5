"""Worlds that are advanced together: what their engines have to be asked for, and threads that are interrupted."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.model.reference import JointReference
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.worlds import Crew, Worlds


def test_torques_that_cease_to_be_numbers_fail_as_in_a_single_engine() -> None:
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


def test_an_interrupt_is_raised_when_all_threads_have_finished() -> None:
    crew, both = Crew(2), threading.Barrier(2)
    done: list[str] = []

    def job() -> None:
        both.wait()
        if threading.current_thread() is not threading.main_thread():
            done.append("other")

    class InterruptedOnce:
        """The queue of a thread that Ctrl+C wakes while it waits."""

        def __init__(self, get: Callable[[], None]) -> None:
            self.get_now, self.interrupted = get, False

        def empty(self) -> bool:
            return True

        def get(self) -> None:
            if not self.interrupted:
                self.interrupted = True
                raise KeyboardInterrupt
            self.get_now()

    ended = crew._ended
    crew._ended = InterruptedOnce(ended.get)  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        crew.run(job, (), lambda: crew._ended.interrupted and bool(done))  # type: ignore[attr-defined]
    assert done == ["other"]
    crew.close()
