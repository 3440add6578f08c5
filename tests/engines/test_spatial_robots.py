"""Robots of scenes in the spatial engine: any joints and links, friction by the head, springs, live edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio.engines import registry
from snakestudio.engines.spatial_nonsmooth.schema import ENERGY
from snakestudio.errors import ExportError
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.session import contact_problem_file
from snakestudio.session.contact_problem_file import save_failing_problem, write_contact_problem
from tests.engines.common import gait_reference, still
from tests.engines.spatial import KIND, energy

MIXED = {
    "robot.n_links": 7,
    "robot.joints": "alternating",
    "robot.link": ({"index": "2-3", "mass_kg": 1.2, "length_m": 0.2, "centre_of_mass_m": 0.02},),
    "robot.joint": (
        {"index": 2, "axes": "cardan", "axis_offset_m": 0.02},
        {"index": 3, "axes": "fixed"},
        {"index": 4, "axes": "yaw+pitch+roll"},
        {"index": "last", "spring_nm_per_rad": 2.0, "damper_nms_per_rad": 0.02},
    ),
}


def scene_with(values: dict[str, Any]) -> Scene:
    return with_values(Scene(model=KIND), values)


def test_mixed_robot_has_a_balanced_energy_ledger() -> None:
    """The change of kinetic energy is the sum of all works, that of potential energy is by gravity and springs."""
    scene = scene_with(
        MIXED
        | {"gait.kind": "two_waves", "gait.amplitude_deg": 20.0, "gait.pitch_amplitude_deg": 5.0}
    )
    engine = registry.create(scene)
    assert engine.schema.energy == (*ENERGY, "work_spring", "work_damper")
    first = energy(engine.initial_rows(), engine)
    report = engine.advance(gait_reference(scene, 2000), 2000, (2000,))
    assert report.ok, report.message
    assert report.unconverged == 0
    last = energy(report.rows, engine)
    works = [
        name
        for name in engine.schema.energy
        if name.startswith("work_") and name != "work_projection"
    ]
    assert last["kinetic"][0] - first["kinetic"][0] == pytest.approx(
        sum(last[name][0] for name in works), abs=1e-9
    )
    lost = last["work_gravity"][0] + last["work_projection"][0] + last["work_spring"][0]
    # of second order
    assert last["potential"][0] - first["potential"][0] == pytest.approx(-lost, abs=1e-5)
    assert abs(last["work_spring"][0]) > 1e-4
    assert last["work_damper"][0] < -1e-6


def test_mixed_robot_continues_bit_for_bit_from_a_checkpoint() -> None:
    scene = scene_with(MIXED | {"gait.amplitude_deg": 20.0})
    reference = gait_reference(scene, 200)
    engine = registry.create(scene)
    other = registry.create(scene)
    engine.advance(reference, 100, ())
    checkpoint = engine.checkpoint()
    expected = engine.advance(reference, 100, (200,)).rows
    other.restore(checkpoint)
    rows = other.advance(reference, 100, (200,)).rows
    assert rows.link_pose.tobytes() == expected.link_pose.tobytes()
    assert rows.joint_angle.tobytes() == expected.joint_angle.tobytes()


def test_robot_without_springs_has_no_column_for_them() -> None:
    assert registry.create(scene_with({})).schema.energy == ENERGY


@pytest.mark.parametrize("head", ["first", "last"])
def test_ratchet_slides_head_first_only(head: str) -> None:
    """A straight robot thrown along its axis slides on head first, and stops tail first."""
    ways = []
    for speed in (0.3, -0.3):
        values = {
            "robot.wheels": "ratchet",
            "robot.head": head,
            "gait.amplitude_deg": 0.0,
            "start.kind": "straight",
        }
        scene = scene_with(values | {"start.heading_deg": 0.0, "start.vx_m_s": speed})
        engine = registry.create(scene)
        before = engine.snapshot().link_pose[0, 0]
        engine.advance(still(scene), 1200, ())
        ways.append(engine.snapshot().link_pose[0, 0] - before)
    # Link 1 is at -x: as the head, it faces -x.
    forwards, backwards = (ways[1], ways[0]) if head == "first" else (ways[0], ways[1])
    assert abs(forwards) == pytest.approx(0.3 * 0.3, rel=0.01)
    assert abs(backwards) < 0.03


def test_friction_gains_and_springs_can_change_during_a_run() -> None:
    scene = scene_with(MIXED)
    engine = registry.create(scene)
    engine.advance(gait_reference(scene, 100), 100, ())
    joints = tuple(
        table
        if table.spring_nm_per_rad is None
        else table.model_copy(update={"spring_nm_per_rad": 3.0})
        for table in scene.robot.joint
    )
    links = tuple(table.model_copy(update={"mu_along": 0.4}) for table in scene.robot.link)
    robot = scene.robot.model_copy(update={"joint": joints, "link": links})
    assert engine.apply(scene.model_copy(update={"robot": robot}))
    heavier = tuple(table.model_copy(update={"mass_kg": 2.0}) for table in scene.robot.link)
    assert not engine.apply(
        scene.model_copy(update={"robot": robot.model_copy(update={"link": heavier})})
    )


def test_large_link_touches_first() -> None:
    """When a straight robot is dropped, the link with the largest radius carries it until it tilts."""
    scene = scene_with({"robot.link": ({"index": 6, "radius_m": 0.08},), "gait.amplitude_deg": 0.0})
    pose = registry.create(scene).snapshot().link_pose
    assert pose[5, 2] == pytest.approx(0.08, abs=1e-5)
    engine = registry.create(scene)
    engine.advance(still(scene), 400, ())
    loads = np.linalg.norm(engine.snapshot().contacts.force_normal, axis=1)
    links = engine.snapshot().contacts.link
    assert loads[links == 5].sum() > 0.5 * loads.sum()


def test_directional_problem_is_saved_only_for_the_own_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contact_problem_file, "cache_dir", lambda: tmp_path)
    scene = scene_with({"ground.mu_backward": 0.4})
    engine = registry.create(scene)
    engine.advance(gait_reference(scene, 4), 4, ())
    with pytest.raises(ExportError, match="forwards and backwards"):
        write_contact_problem(tmp_path / "problem.hdf5", engine)
    saved = save_failing_problem(engine)
    assert saved is not None
    assert saved.suffix == ".npz"
    assert not saved.with_suffix(".hdf5").exists()
