"""Pulling a link by hand: its physics in every formulation, recording, and reruns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from snakestudio.api import load_run, prepare, simulate_scene
from snakestudio.cli import main
from snakestudio.drawing.pull import held_point
from snakestudio.errors import SceneError
from snakestudio.export.provenance import read_changes, repeated_edits
from snakestudio.model import pull as pulls
from snakestudio.model.edits import with_values
from snakestudio.model.pull import Pull, acting
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session import hand
from snakestudio.session.offline import run_to_end
from snakestudio.session.pulling import Grip, Spring, hold_steps
from snakestudio.session.runner import Runner
from tests.session.rows import assert_equal, whole
from tests.wording import naming

KINDS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic")
SMOOTH_GROUND = {
    "ground.mu_along": 0.0,
    "ground.mu_across": 0.0,
    "ground.mu_rolling": 0.0,
    "ground.viscous_along_ns_per_m": 0.0,
    "ground.viscous_across_ns_per_m": 0.0,
}
NOTHING = (0.0, 0.0, 0.0)


def smooth(kind: str, n_links: int, **values: Any) -> Scene:
    """A robot at rest on frictionless ground."""
    overrides = {key.replace("__", "."): value for key, value in values.items()}
    return with_values(
        Scene(),
        {
            "model.kind": kind,
            "robot.n_links": n_links,
            **SMOOTH_GROUND,
            "run.duration_s": 0.4,
            **overrides,
        },
    )


def drawn_to(
    runner: Runner, link: int, point: pulls.Vector, away: pulls.Vector, strength: float = 1.0
) -> Grip:
    """A grip that pulls a link by `away` (m) from the current position of its centre."""
    x, y, z = (float(p) + d for p, d in zip(runner.latest.link_pose[link, :3], away, strict=True))
    return Grip(link, point, (x, y, z), strength)


def momentum(runner: Runner) -> np.ndarray:
    scene = runner.scene
    snapshot = runner.latest
    return scene.robot.mass_kg * snapshot.link_twist[:, :3].sum(axis=0)


# --- physics


@pytest.mark.parametrize("kind", KINDS)
def test_single_link_accelerates_at_force_over_mass(kind: str) -> None:
    # v = F t / m and omega = T t / I, from rest, for a constant wrench about the centre of gravity
    scene = smooth(kind, 1)
    robot = scene.robot
    force = (0.6, -0.4, 0.0)
    torque = 1e-3
    runner = Runner(scene)
    assert runner.repeat(Pull(0.0, 0, NOTHING, force, (0.0, 0.0, torque))) == []
    assert run_to_end(runner).ok
    twist = runner.latest.link_twist[0]
    span = runner.time
    np.testing.assert_allclose(twist[:2], np.array(force[:2]) * span / robot.mass_kg, rtol=1e-9)
    assert twist[5] == pytest.approx(torque * span / robot.inertia_kg_m2, rel=1e-9)
    energy = runner.latest.energy
    assert energy["work_external"] == pytest.approx(energy["kinetic"], rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_off_centre_spring_turns_by_its_lever(kind: str) -> None:
    scene = smooth(kind, 1)
    runner = Runner(scene)
    half = 0.5 * scene.robot.link_length_m
    runner.pull(drawn_to(runner, 0, (half, 0.0, 0.0), (half, 0.05, 0.0)))
    runner.advance(hold_steps(scene))
    (pull,) = runner.recording.pulls
    assert pull.force[1] > 0.0
    assert pull.torque == pytest.approx((0.0, 0.0, half * pull.force[1]))
    twist = runner.latest.link_twist[0]
    assert twist[1] == pytest.approx(pull.force[1] * runner.time / scene.robot.mass_kg, rel=1e-6)
    assert twist[5] == pytest.approx(
        pull.torque[2] * runner.time / scene.robot.inertia_kg_m2, rel=1e-6
    )


@pytest.mark.parametrize("kind", KINDS)
def test_robot_gains_the_momentum_of_the_recorded_forces(kind: str) -> None:
    # Newton's second law for the whole robot with moving joints: internal forces
    # cancel.
    scene = smooth(kind, 5)
    runner = Runner(scene)
    before = momentum(runner)
    runner.pull(drawn_to(runner, 1, (0.03, 0.01, 0.0), (0.1, 0.2, 0.0)))
    assert runner.advance(round(0.2 / scene.solver.step_s)).ok
    runner.pull(None)
    assert runner.advance(round(0.1 / scene.solver.step_s)).ok
    entries = runner.recording.pulls
    assert entries[-1].released
    assert acting(entries, runner.time) is None
    spans = np.diff([*(pull.time for pull in entries), runner.time])
    impulse = spans @ np.array([pull.force for pull in entries])
    np.testing.assert_allclose((momentum(runner) - before)[:2], impulse[:2], rtol=2e-6, atol=1e-9)
    assert np.linalg.norm(impulse) > 0.5


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_ledger_of_a_pulled_run_is_balanced(kind: str) -> None:
    scene = with_values(Scene(), {"model.kind": kind, "robot.n_links": 5, "run.duration_s": 0.4})
    runner = Runner(scene)
    before = runner.latest.energy
    runner.pull(drawn_to(runner, 4, (0.05, 0.0, 0.02), (0.1, 0.3, 0.1)))
    assert run_to_end(runner).ok
    energy = runner.latest.energy
    # from the potential
    names = [name for name in energy if name.startswith("work_") and name != "work_projection"]
    works = sum(energy[name] - before[name] for name in names)
    gained = energy["kinetic"] - before["kinetic"]
    assert abs(energy["work_external"]) > 0.1
    assert works == pytest.approx(gained, abs=1e-8)


@pytest.mark.parametrize(
    ("kind", "point", "period"),
    [
        ("planar_nonsmooth", (0.07, 0.0, 0.0), 0.01),
        ("planar_nonsmooth", (0.07, 0.05, 0.0), 0.1),
        ("planar_lagrangian", (0.07, 0.0, 0.0), 0.1),
        ("planar_nonholonomic", (0.0, 0.0, 0.05), 0.1),
        ("spatial_nonsmooth", (0.07, 0.0, 0.0525), 0.01),
        ("spatial_nonsmooth", (0.0, 0.04, 0.04), 0.1),
    ],
)
def test_spring_never_returns_more_energy_than_stored(
    kind: str, point: pulls.Vector, period: float
) -> None:
    # Limp joints without gravity: only the spring's damper removes energy.
    scene = smooth(
        kind,
        4,
        joint_controller__kp_nm_per_rad=0.0,
        joint_controller__kd_nms_per_rad=0.0,
        control__period_s=period,
        gait__amplitude_deg=0.0,
        run__duration_s=2.0,
        ground__gravity_m_s2=0.0,
        solver__step_s=0.001,
    )
    runner = Runner(scene)
    strength = 10.0
    away = np.array((0.1, 0.1, 0.0))
    x, y, z = map(float, held_point(runner.latest.link_pose[3], np.array(point)) + away)
    runner.pull(Grip(3, point, (x, y, z), strength))
    assert run_to_end(runner).ok
    kinetic = whole(runner.recording).energy[:, runner.recording.schema.energy.index("kinetic")]
    held = 0.5 * strength * pulls.usual_stiffness(scene.body) * float(away @ away)
    assert kinetic.max() < 1.02 * held
    assert kinetic[-20:].max() < 0.5 * kinetic.max()


def test_planar_robot_is_pulled_along_the_plane_only() -> None:
    runner = Runner(smooth("planar_nonsmooth", 3))
    pull = Spring(runner.scene).pull(
        drawn_to(runner, 0, (0.02, 0.0, 0.05), (0.1, 0.0, 0.7)), runner.latest
    )
    assert pull.force[2] == pull.torque[0] == pull.torque[1] == 0.0
    assert pull.force[0] > 0.0


def test_force_is_limited_at_any_distance_of_the_hand() -> None:
    runner = Runner(smooth("spatial_nonsmooth", 3))
    pull = Spring(runner.scene).pull(drawn_to(runner, 0, NOTHING, (1e6, 0.0, 0.0)), runner.latest)
    assert pull.newtons == pytest.approx(4.0 * 9.81 * runner.scene.body.mass)


# --- recording and repeating


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run file of a robot pulled at two links, with a change of its gait in between."""
    path = tmp_path_factory.mktemp("pulled") / "run.mcap"
    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.6})
    runner = Runner(scene, scenes_dir(), path=path)
    runner.advance(417)  # in the middle of a control period
    runner.pull(drawn_to(runner, 2, (0.03, 0.0, 0.0), (0.0, 0.3, 0.0)))
    runner.advance(503)
    assert runner.apply(with_values(scene, {"gait.amplitude_deg": 38.0})) == []
    runner.advance(91)
    runner.pull(drawn_to(runner, 7, (0.0, 0.0, 0.05), (0.2, 0.0, 0.0)))
    runner.advance(330)
    runner.pull(None)
    run_to_end(runner)
    runner.recording.close()
    return path


def test_run_file_contains_pulls_and_their_start(pulled: Path) -> None:
    run = load_run(pulled)
    entries = run.recording.pulls
    assert {pull.link for pull in entries} == {2, 7}
    assert entries[0].time == pytest.approx(0.11)  # the first control period after the command
    assert entries[-1].released
    assert acting(entries, 0.1) is None
    held = acting(entries, 0.2)
    assert held is not None
    assert held.link == 2
    texts = [event.text for event in run.recording.events if event.kind == "note"]
    assert texts == [naming("Link 3"), naming("Link 8")]
    run.close()


def test_rerun_of_the_run_file_and_of_its_csv_has_the_same_bits(
    pulled: Path, tmp_path: Path
) -> None:
    once = tmp_path / "once.csv"
    again = tmp_path / "again.csv"
    assert main(["run", str(pulled), "--csv", str(once)]) == 0
    assert main(["run", str(once), "--csv", str(again)]) == 0

    def kept(path: Path) -> list[str]:
        return [line for line in path.read_text().splitlines() if not line.startswith("# scene: ")]

    assert kept(once) == kept(again)
    run = load_run(pulled)
    original = run.recording
    scene, base_dir, changes = prepare(once)
    assert changes == read_changes(once) == repeated_edits(original)
    assert_equal(whole(simulate_scene(scene, base_dir, changes).recording), whole(original))
    run.close()


def test_exports_contain_the_pulls(pulled: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied.mcap"
    table = tmp_path / "run.hdf5"
    run = load_run(pulled)
    entries = tuple(run.recording.pulls)
    run.to_mcap(copied)
    run.to_hdf5(table)
    run.close()
    run = load_run(copied)
    assert tuple(run.recording.pulls) == entries
    run.close()
    with h5py.File(table) as file:
        np.testing.assert_array_equal(file["pulls/force_n"], [pull.force for pull in entries])
        np.testing.assert_array_equal(file["pulls/link"], [pull.link + 1 for pull in entries])
        assert file["pulls/torque_nm"].attrs["units"] == "N m"


def test_pull_on_a_missing_link_is_refused(pulled: Path) -> None:
    scene, base_dir, changes = prepare(pulled, values={"robot.n_links": 6})
    with pytest.raises(SceneError, match=r"Link 8.*6"):
        simulate_scene(scene, base_dir, changes)


@pytest.mark.parametrize(
    "line", ['{"time_s": 0.1}', '{"time_s": 0.1, "link": 0}', "[]", '{"time_s": 1e999, "link": 1}']
)
def test_damaged_pull_in_a_csv_is_reported_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"# SnakeStudio\n# pull: {line}\ntime_s\n0\n")
    with pytest.raises(SceneError, match="line 2"):
        read_changes(path)


def test_unused_grip_changes_no_bit() -> None:
    scene = with_values(load_scene(scenes_dir() / "sidewinding.toml"), {"run.duration_s": 0.2})
    plain = Runner(scene)
    touched = Runner(scene)
    run_to_end(plain)
    touched.advance(130)
    touched.pull(None)
    run_to_end(touched)
    assert_equal(whole(touched.recording), whole(plain.recording))
    assert not touched.recording.pulls


def test_pull_ends_where_a_run_holds_no_more_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand, "MOST_PULLS", 3)
    runner = Runner(smooth("planar_nonsmooth", 2))
    runner.pull(drawn_to(runner, 0, NOTHING, (0.1, 0.0, 0.0)))
    run_to_end(runner)
    assert len(runner.recording.pulls) == 3
    assert runner.recording.pulls[-1].released


def test_grip_on_a_missing_link_does_nothing() -> None:
    runner = Runner(smooth("planar_nonsmooth", 2))
    runner.pull(Grip(7, NOTHING, NOTHING))
    run_to_end(runner)
    assert not runner.recording.pulls
