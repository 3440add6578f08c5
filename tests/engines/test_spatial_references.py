"""The spatial cases of paper P1 against tracks of an independent implementation (tests/references/README.md)."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.model.recording import Rows
from tests.engines.common import gait_reference
from tests.engines.spatial import SPATIAL, case_scene, from_p1, matrices
from tests.reference_data import CASES, reference

FLAT = tuple(name for name in SPATIAL if name != "sidewinding")
CACHE: dict[str, Rows] = {}


def rows_of(name: str) -> Rows:
    """Return the whole run of a case, with 20 rows per second like the references."""
    if name not in CACHE:
        scene = case_scene(name)
        steps = round(CASES[name]["duration_s"] / scene.solver.step_s)
        every = round(0.05 / scene.solver.step_s)
        engine = registry.create(scene)
        report = engine.advance(gait_reference(scene, steps), steps, range(every, steps + 1, every))
        assert report.ok, report.message
        # PHYSICS.md: at most 0.01 % of the steps above 1e-8.
        assert report.unconverged <= 1e-4 * steps
        CACHE[name] = report.rows
    return CACHE[name]


def moved(name: str) -> FloatArray:
    """Return the displacement of link 6 in the whole run, m."""
    first = from_p1(np.array(CASES[name]["q0"]).reshape(-1, 7))[5, :3]
    displacement: FloatArray = rows_of(name).link_pose[-1, 5, :3] - first
    return displacement


def test_sidewinding_follows_the_reference() -> None:
    # Tolerances and their reasons: cases.json.
    rows = rows_of("sidewinding")
    data = reference("sidewinding")
    tolerance = CASES["sidewinding"]["tolerance"]
    assert rows.time == pytest.approx(data["t"][1:], abs=1e-9)
    poses = from_p1(data["q"][1:])
    distance = np.linalg.norm(rows.link_pose[..., :3] - poses[..., :3], axis=-1)
    assert distance[:, 5].max() <= tolerance["track_link_same_scheme_dt_1_4000_m"]
    assert distance.max() <= tolerance["any_link_m"]
    cosine = np.einsum("tkij,tkij->tk", matrices(rows.link_pose), matrices(poses))
    assert np.arccos(np.clip(0.5 * (cosine - 1.0), -1.0, 1.0)).max() <= tolerance["angle_rad"]


def test_sidewinding_reaches_the_independent_position() -> None:
    # PHYSICS.md: (+0.020, +1.315) m in 15 s with 2.4 contacts closed on average; tracks differ by 1
    # to 3 cm.
    assert moved("sidewinding")[:2] == pytest.approx([0.020, 1.315], abs=0.03)
    closed = rows_of("sidewinding").contacts_closed.mean()
    assert closed == pytest.approx(2.4, abs=0.25)


def test_sidewinding_ledger_matches_the_reference() -> None:
    # Works of motors, gravity, friction (sliding and rolling), normal forces: as close as the
    # tracks, to some per cent.
    led = reference("sidewinding")["led"][-1]
    engine = registry.create(case_scene("sidewinding"))
    term = dict(zip(engine.schema.energy, rows_of("sidewinding").energy[-1], strict=True))
    theirs = {
        "work_actuator": led[1],
        "work_gravity": led[2],
        "work_friction": led[3] + led[4],
        "work_obstacle": led[5],
    }
    for name, value in theirs.items():
        assert term[name] == pytest.approx(value, rel=0.03), name


@pytest.mark.parametrize(
    ("name", "displacement"),
    [
        ("spatial_lateral_undulation", (1.79, 0.0)),
        ("spatial_lateral_undulation_isotropic", (-0.200, -0.231)),
    ],
)
def test_flat_runs_reach_the_reference_distance(
    name: str, displacement: tuple[float, float]
) -> None:
    # PHYSICS.md: +1.79 m forward, and (-0.200, -0.231) m slowly backward. Equally exact solvers
    # differ by a tenth of the path, because the loads are not unique.
    track = reference(name)["q"][:, 5, :2]
    path = np.linalg.norm(np.diff(track, axis=0), axis=1).sum()
    assert moved(name)[0] == pytest.approx(displacement[0], abs=0.1 * path)
    assert np.sign(moved(name)[0]) == np.sign(displacement[0])
    distance = np.linalg.norm(rows_of(name).link_pose[:, 5, :2] - track[1:], axis=1)
    assert distance.max() <= CASES[name]["tolerance"]["track_link_any_consistent_scheme_m"]


@pytest.mark.parametrize("name", FLAT)
def test_flat_robot_rests_on_all_contacts(name: str) -> None:
    rows = rows_of(name)
    assert np.all(rows.contacts_closed == 22)
    assert np.abs(rows.link_pose[..., 2] - 0.0525).max() < 1e-5
    weight = 11 * 7.5 / 11 * 9.81
    assert rows.impulse_ground[:, :, 2].sum(axis=1) == pytest.approx(weight * rows.time, rel=1e-6)
