"""Columns of energies and works: all are described, and they balance as the reference states."""

from __future__ import annotations

import numpy as np
import pytest

import snakestudio as ss
from snakestudio.gui.plots.sets import balance_error
from snakestudio.model.column_help import ENERGY_HELP
from tests.test_docs import code

ONLY_POTENTIAL = {"work_projection_j"}
PARTS = {"work_friction_viscous_j", "work_friction_coulomb_j"}
SPRUNG = {"robot.joint": ({"index": 3, "spring_nm_per_rad": 2.0, "damper_nms_per_rad": 0.1},)}

CASES = [
    ("obstacle_aided", {"ground.slope_deg": 5.0, "robot.joint_limit_deg": 40.0}, 1e-8),
    ("obstacle_aided", SPRUNG, 1e-8),
    ("rubble", {}, 1e-8),
    ("r_snake", {}, 1e-8),
    ("alternating_16", SPRUNG, 1e-8),
    ("jam_resolution", {}, 1e-3),  # the scheme is of first order in the time step
    ("planar_swimmer_9", {}, 1e-8),  # of order 4
    ("friction_patches", {}, 1e-8),
    ("continuum_snake_3d", {}, 1e-3),
    ("inchworm", {}, 1e-3),
]


@pytest.mark.parametrize(("scene", "values", "fraction"), CASES)
def test_works_add_up_to_the_kinetic_energy(
    scene: str, values: dict[str, object], fraction: float
) -> None:
    """Energy and work theorem: the change of the kinetic energy is the work of all forces."""
    run = ss.simulate(scene, duration=0.5, values=values)
    names = [name for name in run.columns if name.startswith(("work_", "energy_"))]
    assert set(names) <= set(ENERGY_HELP)
    works = [n for n in names if n.startswith("work_") and n not in ONLY_POTENTIAL | PARTS]
    size = 1e-9 + sum(np.abs(run[name]).max() for name in works)
    kinetic, potential = run["energy_kinetic_j"], run["energy_potential_j"]
    added = sum(run[name] for name in works)
    assert np.abs(kinetic - kinetic[0] - added).max() <= fraction * size
    (channel,) = balance_error(run.recording)  # as the window plots it
    assert np.abs(run.signal(channel.text)).max() <= fraction * size
    lost = sum(run[n] for n in ("work_gravity_j", "work_projection_j") if n in names)
    if "work_spring_j" in names:  # by the midpoint rule
        lost = lost + run["work_spring_j"]
        fraction = 1e-5
    assert np.abs(potential - potential[0] + lost).max() <= fraction * size
    if set(names) >= PARTS:
        parts = sum(run[name] for name in PARTS)
        np.testing.assert_allclose(parts, run["work_friction_j"], atol=1e-9 * size)


def test_friction_takes_energy_and_motors_add_it() -> None:
    run = ss.simulate("obstacle_aided", duration=1.0)
    assert np.all(np.diff(run["work_friction_j"]) <= 1e-12)
    assert run["work_actuator_j"][-1] > 0.0


def test_balance_of_the_page_prints_equal_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    (source,) = code("reference/columns", "python")
    exec(compile(source, "columns.md", "exec"), {})
    added, change = map(float, capsys.readouterr().out.split())
    assert added == pytest.approx(change, rel=1e-9)
