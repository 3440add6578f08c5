"""The session's thread: commands, snapshots, and the same values as without it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine, StepReport
from snakestudio.errors import Problem, SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.mcap import open_run
from snakestudio.session import session_core as conduct_module
from snakestudio.session.contact_problem_file import save_failing_problem
from snakestudio.session.engine_compiler import EngineCompiler, Stage
from snakestudio.session.offline import run_offline
from snakestudio.session.session import Session
from snakestudio.session.status import Event, RunFailed, RunFinished, StatusChanged
from tests.preparing import Preparing
from tests.session.test_runner import assert_identical
from tests.waiting import wait_until


class Watched(Session):
    def __init__(self, preparations: EngineCompiler | None = None) -> None:
        self.events: list[Event] = []
        super().__init__(self.events.append, preparations=preparations)

    def wait_for(self, state: str, seconds: float = 120.0) -> None:
        wait_until(lambda: self.status.state == state, seconds, lambda: repr(self.status))


@pytest.fixture
def session() -> Iterator[Watched]:
    session = Watched()
    yield session
    session.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("snakestudio-")]


def test_threaded_run_is_bit_identical_to_offline(session: Watched, scene: Scene) -> None:
    session.set_speed(math.inf)
    session.open(scene)
    session.play()
    session.wait_for("finished")
    assert session.recording is not None
    assert_identical(session.recording, run_offline(scene).recording)
    assert any(isinstance(event, RunFinished) for event in session.events)


def test_slow_motion_divides_periods_without_effect(session: Watched, scene: Scene) -> None:
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
    # Never faster than requested; it can be slower on a slow machine.
    assert time.monotonic() - started > 0.9
    assert 0 < session.real_time_factor < 0.6
    assert session.possible_factor > session.real_time_factor


def test_edit_at_the_start_resets_and_a_later_one_continues(session: Watched, scene: Scene) -> None:
    session.open(scene)
    session.wait_for("ready")
    session.edit(with_values(scene, {"start.x_m": 0.51}))
    session.settle()
    session.wait_for("ready")
    assert session.latest is not None
    assert session.latest.link_pose[5, 0] == pytest.approx(0.51)
    session.step()
    session.edit(
        with_values(scene, {"start.x_m": 0.51, "gait.amplitude_deg": 35.0, "robot.mass_kg": 0.7})
    )
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


def test_invalid_value_leaves_the_run_unchanged(session: Watched, scene: Scene) -> None:
    session.open(scene)
    session.wait_for("ready")
    session.step()
    unusable = {"ground.load_factor": "", "gait.amplitude_deg": 35.0}
    session.edit(with_values(scene, unusable))
    session.settle()
    assert session.status.state == "paused"
    assert set(session.status.pending) == set(unusable)
    assert "error" in [problem.severity for problem in session.status.problems]
    session.step()
    session.edit(with_values(scene, {"gait.amplitude_deg": 35.0}))
    session.settle()
    assert session.status.pending == ()
    assert session.recording is not None
    assert session.recording.scene_at(10.0).gait.amplitude_deg == 35.0


def test_edit_is_checked_once(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Scene] = []
    real = engines.check

    def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
        looked.append(scene)
        return real(scene, base_dir)

    monkeypatch.setattr(engines, "check", check)
    session.open(scene)
    session.wait_for("ready")
    edited = with_values(scene, {"obstacles[3].x_m": 0.9})
    session.edit(edited)
    session.settle()
    assert [one is edited for one in looked] == [False, True]
    session.reset()  # an image that it names can have changed
    session.settle()
    assert len(looked) == 3
    with pytest.raises(SceneError, match="obstacle"):
        engines.create(with_values(scene, {"obstacles[3].x_m": 0.515, "obstacles[3].y_m": 0.157}))


def test_only_the_last_of_consecutive_edits_is_applied(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open(scene)
    session.wait_for("ready")
    done: list[float] = []
    carry_out = session.core.edit

    def noted(edited: Scene) -> None:
        done.append(edited.start.x_m)  # type: ignore[union-attr]
        carry_out(edited)

    monkeypatch.setattr(session.core, "edit", noted)
    held = threading.Event()

    def be_busy() -> None:
        assert held.wait(30)

    monkeypatch.setattr(session.core, "prepare", be_busy)
    session.prepare()
    numbers = [session.edit(with_values(scene, {"start.x_m": x})) for x in (0.1, 0.2, 0.3)]
    session.pause()
    numbers += [session.edit(with_values(scene, {"start.x_m": x})) for x in (0.4, 0.5)]
    assert session.applied_edits < numbers[0]
    held.set()
    session.settle()
    assert done == [0.3, 0.5]  # another command is between them
    assert session.applied_edits == numbers[-1]
    assert session.latest is not None
    assert session.latest.link_pose[scene.start.link - 1, 0] == pytest.approx(0.5)  # type: ignore[union-attr]


def test_invalid_scene_is_shown_but_does_not_play(session: Watched, scene: Scene) -> None:
    session.open(with_values(scene, {"obstacles[3].x_m": 0.515, "obstacles[3].y_m": 0.157}))
    session.settle()
    assert session.status.state == "blocked"
    assert session.latest is not None  # the viewport shows the initial pose
    session.play()
    session.settle()
    assert session.status.state == "blocked"
    session.edit(scene)
    session.wait_for("ready")
    session.play()
    session.settle()
    assert session.status.state == "running"


def test_play_continues_a_finished_run(session: Watched, scene: Scene) -> None:
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
    """An engine whose simulation fails after a while, as with a diverging solver."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def advance(self, *how: object) -> StepReport:
        report = self._engine.advance(*how)  # type: ignore[arg-type]
        if self._engine.time < 0.2:
            return report
        return StepReport(
            False, "The contact solver stopped at t = 0.2 s.", 0, 1.0, 0, 1, report.rows
        )

    def contact_problem(self) -> dict[str, object]:
        return {"mass": np.ones(3)}


def test_failure_pauses_with_a_message_and_saves_the_problem(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    create = engines.create
    monkeypatch.setattr(engines, "create", lambda *args, **named: Failing(create(*args, **named)))
    session.set_speed(math.inf)
    session.open(scene)
    session.play()
    session.wait_for("failed")
    assert "contact solver stopped" in session.status.message
    failed = [event for event in session.events if isinstance(event, RunFailed)]
    assert failed[0].saved is not None
    with np.load(failed[0].saved) as problem:
        assert problem["mass"].sum() == 3
    assert failed[0].saved.with_suffix(".hdf5").is_file(), "and for other solvers"
    assert session.recording is not None
    assert len(session.recording) > 15
    session.play()
    session.settle()
    assert session.status.state == "failed"


def test_files_of_failed_problems_never_replace_each_other(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sweeps fail many times a second, in several processes."""
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    engine = engines.create(scene)
    assert save_failing_problem(engine) is None, "there is none before the first step"
    engine.advance(JointReference(np.zeros(1), *np.zeros((3, 1, 10))), 1, ())
    saved = {save_failing_problem(engine) for _ in range(5)}
    assert len(saved) == 5
    assert len(list((tmp_path / "failed-contact-problems").iterdir())) == 10


def test_worker_error_is_reported_and_the_session_continues(
    session: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(engines, "check", broken)
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


@pytest.fixture
def unprepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """A session in which no engine is prepared until a preparation has succeeded."""
    monkeypatch.setattr(Preparing, "begun", [])
    monkeypatch.setattr(
        conduct_module,
        "is_prepared",
        lambda kind: any(one.kind == kind and one.stage == DONE for one in Preparing.begun),
    )
    session = Watched(EngineCompiler(Preparing))
    yield session
    session.close()
    assert all(one.stopped for one in Preparing.begun)


DONE = Stage(1.0, None, True)


def test_edit_during_preparation_is_shown_without_a_restart(
    unprepared: Watched, scene: Scene
) -> None:
    unprepared.open(scene)
    unprepared.wait_for("preparing")
    before = unprepared.latest
    assert before is not None
    Preparing.begun[0].stage = Stage(0.5, 9.0)
    wait_until(lambda: unprepared.status.progress == 0.5)
    edited = with_values(scene, {"gait.amplitude_deg": 20.0, "start.x_m": 0.516})
    unprepared.edit(edited)
    unprepared.play()
    unprepared.settle()
    status = unprepared.status
    assert (status.state, status.progress, status.seconds_left, status.engine) == (
        "preparing",
        0.5,
        9.0,
        "planar_nonsmooth",
    )
    assert status.queued
    assert unprepared.latest is not None
    assert not np.array_equal(unprepared.latest.link_pose, before.link_pose), (
        "the robot stands where it will start"
    )
    states = [event.status.state for event in unprepared.events if isinstance(event, StatusChanged)]
    assert "running" not in states
    Preparing.begun[0].stage = DONE
    unprepared.wait_for("running")
    assert [one.kind for one in Preparing.begun] == ["planar_nonsmooth"]
    assert unprepared.recording is not None
    assert unprepared.recording.scene == edited


def test_pending_play_can_be_cancelled(unprepared: Watched, scene: Scene) -> None:
    unprepared.open(scene)
    unprepared.play()
    wait_until(lambda: unprepared.status.queued)
    unprepared.pause()
    wait_until(lambda: not unprepared.status.queued)
    Preparing.begun[0].stage = DONE
    unprepared.wait_for("ready")


def test_preparation_can_be_cancelled_and_restarted(unprepared: Watched, scene: Scene) -> None:
    unprepared.open(scene)
    unprepared.play()
    unprepared.cancel_preparing()
    unprepared.wait_for("unprepared")
    assert Preparing.begun[0].stopped
    assert unprepared.status.cancelled
    assert "not prepared" in unprepared.status.message
    unprepared.edit(with_values(scene, {"start.x_m": 0.516}))
    unprepared.reset()
    unprepared.settle()
    assert unprepared.status.state == "unprepared", "nobody asked for it"
    assert len(Preparing.begun) == 1
    unprepared.prepare()
    unprepared.wait_for("preparing")
    assert not unprepared.status.queued
    unprepared.cancel_preparing()
    unprepared.play()
    wait_until(lambda: unprepared.status.queued)
    assert len(Preparing.begun) == 3
    unprepared.cancel_preparing()
    unprepared.open(scene)
    unprepared.wait_for("preparing")


def test_failed_preparation_is_reported_and_not_repeated(unprepared: Watched, scene: Scene) -> None:
    unprepared.open(scene)
    unprepared.play()
    unprepared.wait_for("preparing")
    Preparing.begun[0].stage = Stage(0.4, None, True, "The disk is full: make room.")
    unprepared.wait_for("unprepared")
    assert unprepared.status.message == "The disk is full: make room."
    assert not unprepared.status.cancelled
    unprepared.edit(with_values(scene, {"start.x_m": 0.516}))
    unprepared.settle()
    assert (unprepared.status.state, len(Preparing.begun)) == ("unprepared", 1)
    unprepared.play()
    wait_until(lambda: unprepared.status.queued)
    Preparing.begun[1].stage = DONE
    unprepared.wait_for("running")


def test_process_that_cannot_start_is_reported(
    unprepared: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(kind: str) -> Preparing:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(unprepared.preparations, "_begin", refuse)
    unprepared.open(scene)
    unprepared.wait_for("unprepared")
    assert "Cannot allocate memory" in unprepared.status.message


def test_temporarily_invalid_scene_keeps_its_preparation(unprepared: Watched, scene: Scene) -> None:
    unprepared.open(scene)
    unprepared.wait_for("preparing")
    unprepared.edit(with_values(scene, {"start.y_m": 0.1}))  # inside an obstacle
    unprepared.wait_for("blocked")
    unprepared.edit(scene)
    unprepared.wait_for("preparing")
    assert [one.stopped for one in Preparing.begun] == [False]
    unprepared.edit(with_values(scene, {"start.y_m": 0.1}))
    unprepared.wait_for("blocked")
    Preparing.begun[0].stage = DONE
    wait_until(lambda: Preparing.begun[0].stopped)
    assert unprepared.status.state == "blocked"
    unprepared.edit(scene)
    unprepared.wait_for("ready")


def test_another_model_is_another_preparation(unprepared: Watched, scene: Scene) -> None:
    unprepared.open(scene)
    unprepared.wait_for("preparing")
    unprepared.open(load_scene(scenes_dir() / "sidewinding.toml"))
    wait_until(lambda: unprepared.status.engine == "spatial_nonsmooth")
    assert [(one.kind, one.stopped) for one in Preparing.begun] == [
        ("planar_nonsmooth", True),
        ("spatial_nonsmooth", False),
    ]


def test_missing_code_is_compiled_in_the_process(
    unprepared: Watched, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(conduct_module, "is_prepared", lambda kind: False)
    monkeypatch.setattr(conduct_module, "compile_here", lambda kind, tell: compiled.append(kind))
    unprepared.open(scene)
    unprepared.wait_for("preparing")
    Preparing.begun[0].stage = DONE
    unprepared.wait_for("ready")
    assert compiled == ["planar_nonsmooth"]


def test_every_run_with_a_step_is_saved(tmp_path: Path, scene: Scene) -> None:
    args: list[Path] = []

    def new_run(begun: Scene) -> Path:
        args.append(tmp_path / f"{len(args)}.mcap")
        return args[-1]

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
        recording = session.recording
        assert recording is not None
        assert recording.path == args[2]
        with open_run(args[1]) as run:
            assert run.info.complete, "a reset ends it"
            assert run.info.scene_file == "some.toml"
            assert run.scene.gait.amplitude_deg == 31.0  # type: ignore[union-attr]
            assert run.times[-1] == pytest.approx(1.0)
    finally:
        session.close()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["1.mcap"]
