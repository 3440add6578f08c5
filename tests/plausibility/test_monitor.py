"""Checking while a run is recorded: same result for any division, same rows, and missing quantities."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.recording import Recording
from snakestudio.model.snapshot import Fields
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.checks import CHECKS
from snakestudio.plausibility.monitor import (
    PlausibilityMonitor,
    check_plausibility,
    plausibility_of,
)
from snakestudio.runfile.mcap import open_run, read_info
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.run_log import RunLog
from snakestudio.session.runner import Runner

WEDGED: dict[str, Any] = {"gait.amplitude_deg": 90, "gait.frequency_deg_s": 40}


def wedged(duration: float = 2.5, **values: Any) -> ss.Scene:
    scene, *_ = ss.api.running.prepare("obstacle_aided", duration, None, {**WEDGED, **values})
    return scene


class Growing:
    """A recording of which only the first rows exist yet."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recording, name)


@pytest.fixture(scope="module")
def run() -> ss.Run:
    return ss.simulate("obstacle_aided", duration=12.0, values=WEDGED)


def test_result_does_not_depend_on_when_rows_are_checked(run: ss.Run) -> None:
    complete = check_plausibility(run.recording)
    growing = Growing(run.recording)
    monitor = PlausibilityMonitor(growing)  # type: ignore[arg-type]
    for count in (1, 300, 513, 700, 1200, len(run.recording)):
        growing.count = count
        monitor.update()
    monitor.update(complete=True)
    assert monitor.result == complete == run.recording.plausibility


def test_result_of_a_growing_run_is_that_of_its_rows_so_far(run: ss.Run) -> None:
    growing = Growing(run.recording)
    monitor = PlausibilityMonitor(growing)  # type: ignore[arg-type]
    growing.count = 15
    assert not monitor.update()
    assert monitor.update(complete=True)
    assert monitor.result.plausible
    growing.count = 120
    monitor.update(complete=True)
    assert [violation.check for violation in monitor.result.violations][:1] == ["joint_torque"]


def test_checks_do_not_change_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows_of() -> Any:
        runner = Runner(wedged())
        runner.advance(runner.end_step)
        return runner.recording.rows(0, len(runner.recording))

    checked = rows_of()
    monkeypatch.setattr(RunLog, "_check_plausibility", lambda self, complete=False: None)
    unchecked = rows_of()
    for field in dataclasses.fields(checked):
        if field.name != "contacts":
            assert (
                getattr(checked, field.name).tobytes() == getattr(unchecked, field.name).tobytes()
            )


def test_run_file_has_the_result(tmp_path: Path, run: ss.Run) -> None:
    path = tmp_path / "run.mcap"
    run.to_mcap(path)
    with open_run(path) as copied:
        assert copied.plausibility == run.recording.plausibility
    info = read_info(path)
    assert info.plausibility_text == "joint torque, contact force, speed and fling"


def test_run_recorded_to_a_file_has_the_result(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    runner = Runner(wedged(), path=path)
    runner.advance(runner.end_step)
    runner.recording.close()
    assert read_info(path).plausibility == runner.recording.plausibility
    assert read_info(path).plausibility is not None


def test_recorded_simulation_is_checked() -> None:
    with ss.open_simulation("obstacle_aided", WEDGED) as sim:
        sim.record()
        sim.step(n=round(1.0 / sim.dt))
        run = sim.run
        assert run.plausibility is not None
        assert "joint_torque" in run.plausibility.names
        sim.stop_recording()
    assert isinstance(run.recording, RunRecording)
    assert run.recording.plausibility == run.plausibility


def test_result_of_some_rows_is_not_that_of_all() -> None:
    runner = Runner(wedged(2.0, **{"run.log_rate_hz": 800.0}))
    runner.advance(round(0.8 * runner.end_step))
    recording = runner.recording
    assert 0 < recording.checked_rows < len(recording)
    assert plausibility_of(recording) == check_plausibility(recording)
    runner.advance(runner.end_step)
    assert recording.checked_rows == len(recording)
    assert recording.plausibility == check_plausibility(recording)


def test_continued_run_is_checked_from_its_start() -> None:
    scene = wedged(1.0)
    runner = Runner(scene)
    runner.advance(runner.end_step)
    continuation = continue_run(runner.recording, 0.9)
    assert continuation is not None
    further = continuation.runner
    further.extend()
    further.advance(400)
    further.record_events()
    result = further.recording.plausibility
    assert result is not None
    (torque,) = (each for each in result.violations if each.check == "joint_torque")
    assert torque.time == pytest.approx(0.87)
    further.recording.close()


def test_run_without_a_stored_result_is_checked_on_demand(run: ss.Run) -> None:
    result = run.plausibility
    run.recording.set_plausibility(None)  # type: ignore[attr-defined]
    try:
        assert run.plausibility == result
    finally:
        run.recording.set_plausibility(result)  # type: ignore[attr-defined]


def test_quantities_that_a_source_lacks_are_not_checked(run: ss.Run) -> None:
    schema = dataclasses.replace(run.recording.schema, valid=Fields.JOINTS | Fields.TORQUE)
    partial = Growing(run.recording)
    partial.count = len(run.recording)
    partial.schema = schema  # type: ignore[attr-defined]
    result = check_plausibility(partial)  # type: ignore[arg-type]
    assert result.checked == ("joint_torque", "step")
    assert [violation.check for violation in result.violations] == ["joint_torque"]


def test_continuous_bodies_are_checked_without_joints() -> None:
    result = ss.simulate("continuum_undulation", duration=0.5).plausibility
    assert result is not None
    assert result.checked == (
        "contact_force",
        "energy_balance",
        "passive_work",
        "convergence",
        "step",
    )


@pytest.mark.parametrize(
    ("settled", "percent", "plausible"),
    [(True, 3.0, True), (True, 40.0, False), (False, 3.0, False)],
)
def test_step_check_with_large_errors_is_a_finding(
    settled: bool, percent: float, plausible: bool
) -> None:
    run = ss.simulate("obstacle_aided", duration=0.5)
    run.recording.set_step_estimate(  # type: ignore[attr-defined]
        StepEstimate.of(
            {
                "scene_sha256": "0",
                "changes": 0,
                "settled": settled,
                "distance_m": {"value": 1.0, "error": 0.1, "percent": percent},
                "largest_force_n": {"value": 1.0, "error": 9.0, "percent": 900.0},
            }
        )
    )
    for result in (check_plausibility(run.recording), plausibility_of(run.recording)):
        assert result.plausible is plausible
        assert [each.check for each in result.violations] == ([] if plausible else ["step"])
    run.recording.set_step_estimate(None)  # type: ignore[attr-defined]
    assert plausibility_of(run.recording).plausible


def test_internal_error_of_a_check_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: PlausibilityMonitor, *, complete: bool = False) -> bool:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr(PlausibilityMonitor, "update", broken)
    runner = Runner(wedged(0.5))
    assert runner.advance(runner.end_step).ok
    assert runner.recording.plausibility is None
    (note,) = (event for event in runner.recording.events if event.kind == "note")
    assert "broken" in note.text


def test_result_survives_its_text(run: ss.Run) -> None:
    result = check_plausibility(run.recording)
    assert Plausibility.read(result.text) == result
    assert result.names == "joint_torque contact_force speed fling"
    assert result.excess > 1.0


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"violations": 3}', '{"violations": [{}], "checked": []}']
)
def test_damaged_text_is_not_a_result(text: str) -> None:
    assert Plausibility.read(text) is None


def test_checks_are_declared_completely() -> None:
    for name, check in CHECKS.items():
        assert name == check.name
        assert check.title == check.title.lower()
        assert check.help.endswith(".")
        assert check.remedy.endswith(".")
        assert check.bound
        assert not check.bound.endswith(".")


def test_peaks_of_non_finite_rows_do_not_warn() -> None:
    run = ss.simulate("obstacle_aided", duration=0.2)
    rows = run.recording.rows(0, len(run.recording))
    rows.energy[-1, 0] = np.inf
    assert check_plausibility(run.recording).checked
