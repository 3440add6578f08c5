"""A steered run: its recording, and continuation bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.teleop import NEUTRAL, TeleopCommand
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.continuation import continue_run
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner
from snakestudio.session.session import Session
from tests.wording import naming

TELEOPERATED = {"controller": {"kind": "teleoperation"}, "run.duration_s": 4.0}
DRIVE = (
    (0.213, TeleopCommand(1.0)),
    (0.7, TeleopCommand(1.0, 0.5)),
    (1.51, TeleopCommand(-0.4, 0.0, 0.6, "turning")),
)
"""Commands and their times, s, also in the middle of control periods."""


def scene() -> Scene:
    return with_values(load_scene(scenes_dir() / "path_following.toml"), TELEOPERATED)


def drive(runner: Runner, begin: float, until: float) -> RunRecording:
    step = runner.scene.solver.step_s
    for time, command in DRIVE:
        if begin <= time < until:
            runner.advance(round(time / step) - runner.engine.step_count)
            assert runner.steer(command)
    runner.advance(round(until / step) - runner.engine.step_count)
    return runner.recording


def test_commands_are_in_every_row_and_steering_is_noted_once() -> None:
    recording = drive(Runner(scene()), 0.0, 3.0)
    rows = recording.rows(0, len(recording))
    frequency = rows.extra[:, recording.schema.extra.index("gait_frequency_radps")]
    assert not frequency[recording.times < 0.22].any()
    assert frequency.max() == pytest.approx(np.radians(80.0))
    assert frequency[-1] == pytest.approx(-0.4 * np.radians(80.0))
    assert rows.extra[-1, recording.schema.extra.index("gait_number")] == 3.0, (
        "turning, among those of a planar robot"
    )
    notes = [event for event in recording.events if event.kind == "note"]
    assert [(event.time, event.text) for event in notes] == [
        (pytest.approx(0.213), naming("steered by hand"))
    ]


@pytest.mark.parametrize("moment", [0.2, 0.5, 0.72, 1.5, 2.0])
def test_continuation_at_any_time_has_the_same_bits(moment: float) -> None:
    full = drive(Runner(scene()), 0.0, 3.0)
    continuation = continue_run(full, moment)
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == ()
    other = drive(continuation.runner, continuation.time, 3.0)
    a, b = (recording.rows(0, len(recording)) for recording in (full, other))
    assert a.link_pose.tobytes() == b.link_pose.tobytes()
    assert a.extra.tobytes() == b.extra.tobytes()


def test_program_runs_unattended_for_any_step_boundaries() -> None:
    program = [{"time_s": 0.2, "speed": 1.0}, {"time_s": 1.0, "speed": 1.0, "turn": -1.0}]
    alone = with_values(scene(), {"controller.program": program, "run.duration_s": 2.0})
    recording = run_offline(alone).recording
    assert not [event for event in recording.events if event.kind == "note"]
    cut = Runner(alone)
    while not cut.finished:
        cut.advance(137)
    a, b = (r.rows(0, len(r)) for r in (recording, cut.recording))
    assert a.link_pose.tobytes() == b.link_pose.tobytes()
    assert a.extra.tobytes() == b.extra.tobytes()
    assert np.ptp(a.link_pose[:, :, 0].mean(axis=1)) > 0.02


def test_repeated_command_saves_no_state() -> None:
    runner = Runner(scene())
    for _ in range(30):
        runner.steer(TeleopCommand(1.0))
        runner.advance(10)
    assert len(list(runner.recording.checkpoints())) <= 2
    assert not Runner(with_values(scene(), {"controller": {"kind": "none"}})).steer(NEUTRAL)


def test_session_passes_commands_with_and_without_a_run() -> None:
    session = Session()
    try:
        session.steer(TeleopCommand(1.0))
        session.open(scene())
        session.steer(TeleopCommand(0.5))
        session.step(20)
        session.settle()
        assert session.latest is not None
        assert session.latest.control["gait_frequency_radps"] > 0.0
    finally:
        session.close()
