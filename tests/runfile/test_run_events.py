"""Events in rows: impacts compared with an independent count, jams, unsolved steps, in pieces of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.kernels import residual
from snakestudio.model.edits import with_values
from snakestudio.model.events import RunEvent
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import CONVERGED
from snakestudio.paths import scenes_dir
from snakestudio.runfile.run_events import EventDetector, find_events
from snakestudio.session.offline import run_offline
from tests.gui.fake import make_rows


@pytest.fixture(scope="module")
def scene() -> Scene:
    return load_scene(scenes_dir() / "obstacle_aided.toml")


def rows_with(scene: Scene, impulses: FloatArray) -> Rows:
    """Return rows in which obstacles exert these impulses along y on the links, N s per row; shape (k, n)."""
    rows = make_rows(scene, 0, len(impulses))
    impulse = np.zeros((*impulses.shape, 3))
    impulse[:, :, 1] = np.cumsum(impulses, axis=0)
    return replace(rows, impulse_obstacle=impulse, solver_residual=np.zeros(len(impulses)))


def events_of(scene: Scene, rows: Rows, piece: int = 7) -> list[RunEvent]:
    schema = Schema(
        scene.robot.n_links, scene.body.axes, (), tuple(f"x{i}" for i in range(rows.extra.shape[1]))
    )
    return in_pieces(EventDetector(schema, scene), rows, piece)


def in_pieces(detector: EventDetector, rows: Rows, piece: int) -> list[RunEvent]:
    events = [
        event
        for start in range(0, len(rows), piece)
        for event in detector.feed(rows.slice(start, min(start + piece, len(rows))))
    ]
    return [*events, *detector.flush()]


def test_sudden_force_is_an_impact_and_pushing_is_not(scene: Scene) -> None:
    impulses = np.zeros((300, scene.robot.n_links))
    # increases over half a second, and stays at 20 N
    impulses[50:, 4] = np.minimum(0.004 * np.arange(250), 0.2)
    impulses[200, 2] = 0.9
    (event,) = events_of(scene, rows_with(scene, impulses))
    assert (event.time, event.kind, event.weight) == (
        pytest.approx(2.0),
        "impact",
        pytest.approx(0.9),
    )
    assert event.text.startswith("Link 3 hits")


def test_threshold_rises_with_usual_forces(scene: Scene) -> None:
    impulses = np.zeros((300, scene.robot.n_links))
    light = 1.5 * 0.05 * scene.robot.mass_kg
    impulses[40, 1] = light  # on open ground
    impulses[100:, 6] = (
        0.05  # pushed with 5 N from here on, and the start of that is an impact, too
    )
    impulses[250, 1] = light  # less than twice the usual value by now
    assert [round(event.time, 6) for event in events_of(scene, rows_with(scene, impulses))] == [
        0.4,
        1.0,
    ]


def test_repeated_impacts_of_a_link_are_one_event(scene: Scene) -> None:
    impulses = np.zeros((200, scene.robot.n_links))
    impulses[60:80:2, 3] = 1.0 + 3.0 * np.arange(10)
    events = events_of(scene, rows_with(scene, impulses))
    assert [round(event.time, 6) for event in events] == [0.6]


@pytest.mark.parametrize("piece", [1, 13, 32, 500])
def test_events_do_not_depend_on_pieces(scene: Scene, piece: int) -> None:
    rng = np.random.default_rng(3)
    impulses = np.where(
        rng.random((500, scene.robot.n_links)) < 0.003, rng.random((500, scene.robot.n_links)), 0.0
    )
    rows = rows_with(scene, impulses)
    rows.solver_residual[rng.random(500) < 0.02] = 3e-8
    expected = sorted(events_of(scene, rows, 32), key=lambda event: (event.time, event.text))
    assert len(expected) > 10
    assert (
        sorted(events_of(scene, rows, piece), key=lambda event: (event.time, event.text))
        == expected
    )


def test_obstacle_with_the_largest_force_is_named(scene: Scene) -> None:
    scene = with_values(scene, {"obstacles[3].name": "the post"})
    impulses = np.zeros((100, scene.robot.n_links))
    impulses[70, 5] = 2.0
    rows = rows_with(scene, impulses)
    count = np.zeros(100, np.int32)
    count[70] = 3
    link = np.array([4, 5, 5], np.int32)
    other = np.array([0, 1, 2], np.int32)
    normal = np.array([[0.0, 9.0, 0.0], [0.0, 0.5, 0.0], [0.0, 1.5, 0.0]])
    none = np.zeros((3, 3))
    rows = replace(
        rows, contacts=ContactRows(count, link, other, np.zeros(3, np.int32), none, normal, none)
    )
    assert [event.text for event in events_of(scene, rows)] == ["Link 6 hits the post: 2 N s"]


def test_unsolved_steps_nearby_are_one_event(scene: Scene) -> None:
    rows = rows_with(scene, np.zeros((600, scene.robot.n_links)))
    rows.solver_residual[[100, 105, 112, 300]] = (2e-8, 7e-6, 3e-8, 5e-8)
    events = events_of(scene, rows)
    assert [(event.kind, round(event.time, 6), event.weight) for event in events] == [
        ("unsolved", 1.05, 7e-6),
        ("unsolved", 3.0, 5e-8),
    ]
    rows.solver_residual[:] = 2e-8  # permanently: exactly one event in two seconds
    assert len(events_of(scene, rows)) == 3


def test_unsolved_steps_are_those_that_the_solvers_count() -> None:
    assert CONVERGED == residual.CONVERGED


def test_jams_are_those_of_the_controller() -> None:
    scene = with_values(load_scene(scenes_dir() / "jam_resolution.toml"), {"run.duration_s": 6.0})
    recording = run_offline(scene).recording
    rows = recording.rows(0, len(recording))
    extra = recording.schema.extra
    counted = np.flatnonzero(np.diff(rows.extra[:, extra.index("jam_count")]) > 0) + 1
    ended = np.flatnonzero(np.diff(rows.extra[:, extra.index("controller_state")]) < 0) + 1
    events = recording.events
    assert [event.time for event in events if event.kind == "jam"] == list(rows.time[counted])
    assert [event.time for event in events if event.kind == "freed"] == list(rows.time[ended])
    assert len(counted) >= 3
    again = find_events(recording)
    assert [event for event in again if event.kind != "impact"] == [
        e for e in events if e.kind != "impact"
    ]
    assert [event.time for event in again] == sorted(event.time for event in again)


def test_long_stall_without_resolution_is_a_jam() -> None:
    scene = load_scene(scenes_dir() / "jam_without_resolution.toml")
    settings = scene.controller
    assert settings.kind == "leader_follower"
    extra = (
        "controller_state",
        "head_side",
        "head_offset_m",
        "jam_count",
        "joint_1_jammed",
        "joint_2_jammed",
    )
    rows = rows_with(scene, np.zeros((400, scene.robot.n_links)))
    values = np.zeros((400, 6))
    values[100:110, 4:] = 1.0  # too short
    values[150:300, 4:] = 1.0
    values[200, 4] = 1.0
    detector = EventDetector(Schema(scene.robot.n_links, scene.body.axes, (), extra), scene)
    events = in_pieces(detector, replace(rows, extra=values), 50)
    assert [event.kind for event in events] == ["jam", "freed"]
    assert events[0].time == pytest.approx(1.5 + settings.jam_time_s, abs=0.011)
    assert events[0].text == "Jammed at joints 1, 2"
    assert events[1].time == pytest.approx(3.0)


def test_run_records_its_failure() -> None:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    values = {"joint_controller.kp_nm_per_rad": 1e7, "solver.step_s": 0.0025, "run.duration_s": 1.0}
    run = run_offline(with_values(scene, values))
    assert not run.ok
    assert [event.text for event in run.recording.events if event.kind == "fault"] == [
        run.message.split(" The ")[0]
    ]
