"""The session's thread: commands in, snapshots out, the same numbers as without it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine, StepReport
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session import conduct as conduct_module
from snakestudio.session.offline import run_offline
from snakestudio.session.run_file import open_run
from snakestudio.session.session import Session
from snakestudio.session.status import Event, RunFailed, RunFinished
from tests.session.test_runner import assert_identical


@pytest.fixture
def scene() -> Scene:
    return with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 1.0})


class Watched(Session):
    def __init__(self) -> None:
        self.events: list[Event] = []
        super().__init__(self.events.append)

    def wait_for(self, state: str, seconds: float = 120.0) -> None:
        wait_until(lambda: self.status.state == state, seconds, lambda: repr(self.status))


def wait_until(
    condition: Callable[[], bool], seconds: float = 60.0, explain: Callable[[], str] = lambda: "waited in vain"
) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.005)


@pytest.fixture
def session() -> Iterator[Watched]:
    session = Watched()
    yield session
    session.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("snakestudio-")]


def test_the_threaded_run_is_the_offline_run_to_the_bit(session: Watched, scene: Scene) -> None:
    session.set_speed(math.inf)
    session.open(scene)
    session.play()
    session.wait_for("finished")
    assert session.recording is not None
    assert_identical(session.recording, run_offline(scene).recording)
    assert any(isinstance(event, RunFinished) for event in session.events)


def test_slow_motion_cuts_periods_and_changes_nothing(session: Watched, scene: Scene) -> None:
    scene = with_values(scene, {"run.duration_s": 0.05})
    session.set_speed(0.1)
    session.open(scene)
    session.play()
    session.wait_for("finished")
    assert session.recording is not None
    assert_identical(session.recording, run_offline(scene).recording)


def test_pause_step_and_play_on(session: Watched, scene: Scene) -> None:
    session.open(scene)
    session.wait_for("ready")
    session.step()
    session.step(3)
    session.settle()
    assert session.status.state == "paused"
    assert session.latest is not None
    assert session.latest.time == pytest.approx(43 * 0.00025)
    session.set_speed(math.inf)
    session.play()
    session.wait_for("finished")
    assert session.recording is not None
    assert_identical(session.recording, run_offline(scene).recording)


def test_real_time_is_kept_and_measured(session: Watched, scene: Scene) -> None:
    session.open(with_values(scene, {"run.duration_s": 1000}))
    session.wait_for("ready")
    session.set_speed(0.5)
    started = time.monotonic()
    session.play()
    wait_until(lambda: session.latest is not None and session.latest.time > 0.5)
    # Never faster than asked for; how much slower is the machine's business.
    assert time.monotonic() - started > 0.9
    assert 0 < session.real_time_factor < 0.6
    assert session.possible_factor > session.real_time_factor


def test_an_edit_at_the_start_begins_anew_and_a_later_one_goes_on(session: Watched, scene: Scene) -> None:
    session.open(scene)
    session.wait_for("ready")
    session.edit(with_values(scene, {"start.x_m": 0.51}))
    session.settle()
    session.wait_for("ready")
    assert session.latest is not None
    assert session.latest.link_pose[5, 0] == pytest.approx(0.51)
    session.step()
    session.edit(with_values(scene, {"start.x_m": 0.51, "gait.amplitude_deg": 35.0, "robot.mass_kg": 0.7}))
    session.settle()
    assert session.status.pending == ("robot.mass_kg",)
    assert session.recording is not None
    assert [list(change.values) for change in session.recording.changes] == [["gait.amplitude_deg"]]
    session.reset()
    session.settle()
    session.wait_for("ready")
    assert session.status.pending == ()
    assert session.recording.scene.robot.mass_kg == 0.7
    assert len(session.recording) == 1


def test_of_edits_that_wait_in_a_row_only_the_last_is_carried_out(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open(scene)
    session.wait_for("ready")
    done: list[float] = []
    carry_out = session._conduct.edit

    def noted(edited: Scene) -> None:
        done.append(edited.start.x_m)  # type: ignore[union-attr]
        carry_out(edited)

    monkeypatch.setattr(session._conduct, "edit", noted)
    held = threading.Event()

    def be_busy() -> None:
        assert held.wait(30)

    session._commands.put(be_busy)
    numbers = [session.edit(with_values(scene, {"start.x_m": x})) for x in (0.1, 0.2, 0.3)]
    session.pause()
    numbers += [session.edit(with_values(scene, {"start.x_m": x})) for x in (0.4, 0.5)]
    assert session.applied_edits < numbers[0]
    held.set()
    session.settle()
    assert done == [0.3, 0.5]  # something came between them
    assert session.applied_edits == numbers[-1]
    assert session.latest is not None
    assert session.latest.link_pose[scene.start.link - 1, 0] == pytest.approx(0.5)  # type: ignore[union-attr]


def test_a_scene_that_cannot_run_is_shown_but_does_not_play_until_mended(session: Watched, scene: Scene) -> None:
    session.open(with_values(scene, {"obstacles[3].x_m": 0.515, "obstacles[3].y_m": 0.157}))
    session.settle()
    assert session.status.state == "blocked"
    assert session.latest is not None  # the viewport shows where the robot would start
    session.play()
    session.settle()
    assert session.status.state == "blocked"
    session.edit(scene)
    session.wait_for("ready")
    session.play()
    session.settle()
    assert session.status.state == "running"


def test_playing_a_finished_run_goes_on(session: Watched, scene: Scene) -> None:
    session.set_speed(math.inf)
    session.open(with_values(scene, {"run.duration_s": 0.1}))
    session.play()
    session.wait_for("finished")
    session.play()
    session.settle()
    wait_until(lambda: session.latest is not None and session.latest.time > 0.19)
    session.wait_for("finished")
    assert session.recording is not None
    assert session.recording.times[-1] == pytest.approx(0.2)


class Failing:
    """An engine whose physics fails after a while, as a diverging solver would make it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def advance(self, reference: object, n_steps: int, rows: object, go_on: bool = False) -> StepReport:
        report = self._engine.advance(reference, n_steps, rows, go_on)  # type: ignore[arg-type]
        if self._engine.time < 0.2:
            return report
        return StepReport(False, "The contact solver stopped at t = 0.2 s.", 0, 1.0, 0, 1, report.rows)

    def failing_problem(self) -> dict[str, object]:
        return {"mass": np.ones(3)}


def test_failing_physics_pauses_with_a_sentence_and_saves_the_problem(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engines, "is_warm", lambda kind: True)
    create = engines.create
    monkeypatch.setattr(engines, "create", lambda *arguments: Failing(create(*arguments)))
    session.set_speed(math.inf)
    session.open(scene)
    session.play()
    session.wait_for("failed")
    assert "contact solver stopped" in session.status.message
    failed = [event for event in session.events if isinstance(event, RunFailed)]
    assert failed[0].saved is not None
    assert np.load(failed[0].saved)["mass"].sum() == 3
    assert session.recording is not None
    assert len(session.recording) > 15
    session.play()
    session.settle()
    assert session.status.state == "failed"


def test_a_defect_in_the_worker_is_said_and_the_session_lives(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(conduct_module.engines, "check", broken)
    session.open(scene)
    session.settle()
    wait_until(lambda: session.status.state == "failed")
    assert "oops" in session.status.message
    monkeypatch.undo()
    session.open(scene)
    session.wait_for("ready")


def test_opening_another_scene_while_one_runs(session: Watched, scene: Scene) -> None:
    session.open(scene)
    session.play()
    session.wait_for("running")
    other = load_scene(scenes_dir() / "lateral_undulation_isotropic.toml")
    session.open(other)
    session.wait_for("ready")
    assert session.recording is not None
    assert session.recording.scene == other
    assert len(session.recording) == 1


def test_an_edit_while_the_engine_compiles_does_not_compile_again(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    ready = threading.Event()

    class Compiling:
        def __init__(self, kind: str) -> None:
            self.kind = kind
            made.append(kind)

        def poll(self) -> tuple[float, str, bool]:
            return 0.5, "compiling", ready.is_set()

        def stop(self) -> None:
            pass

    monkeypatch.setattr(conduct_module, "Preparation", Compiling)
    monkeypatch.setattr(engines, "is_warm", lambda kind: ready.is_set())
    session.open(scene)
    session.wait_for("preparing")
    session.edit(with_values(scene, {"gait.amplitude_deg": 20.0}))
    session.play()
    session.settle()
    assert session.status.state == "preparing"
    ready.set()
    session.wait_for("running")
    assert made == ["planar_nonsmooth"]
    assert session.recording is not None
    assert session.recording.scene.gait.amplitude_deg == 20.0


def test_every_run_that_takes_a_step_is_kept(tmp_path: Path, scene: Scene) -> None:
    given: list[Path] = []

    def new_run(begun: Scene) -> Path:
        given.append(tmp_path / f"{len(given)}.mcap")
        return given[-1]

    session = Session(new_run=new_run)
    try:
        session.set_speed(math.inf)
        session.open(scene, None, "some.toml")
        session.settle()
        session.edit(with_values(scene, {"gait.amplitude_deg": 31.0}))  # another run at t = 0
        session.play()
        wait_until(lambda: session.status.state == "finished")
        session.reset()
        session.settle()
        kept = session.recording
        assert kept is not None
        assert kept.path == given[2]
        with open_run(given[1]) as run:
            assert run.info.complete, "a reset ends it"
            assert run.info.scene_file == "some.toml"
            assert run.scene.gait.amplitude_deg == 31.0  # type: ignore[union-attr]
            assert run.times[-1] == pytest.approx(1.0)
    finally:
        session.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["1.mcap"]
