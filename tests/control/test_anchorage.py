"""Anchors that contradict each other, switch during motion, or require the impossible are reported with a value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.control import registry
from snakestudio.control.anchorage import anchorage, switches
from snakestudio.errors import Problem
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from tests.engines.beam import body, run, shipped

WAVE = {"kind": "formulas", "k_z_per_m": "6*cos(8*X + 4*t)"}


def anchored(
    strain: dict[str, str], *anchors: dict[str, Any], duration: float = 1.0, group: str = "SE2"
) -> Scene:
    support = {"kind": "anchors", "anchors": list(anchors)}
    return body(
        {"kind": "formulas", **strain}, support, {"group": group}, run={"duration_s": duration}
    )


def warned(scene: Scene) -> list[Problem]:
    result = registry.check(scene)
    assert all(problem.severity == "warning" and problem.remedy for problem in result)
    return result


def figure(problem: Problem, unit: str) -> float:
    return float(problem.message.split(f" {unit}")[0].split()[-1])


def test_contradicting_anchors_are_reported_with_their_slip() -> None:
    # A body of 1 m anchored at both ends, whose length changes at 0.2 cos(t) m/s: each end slides
    # at half of that.
    scene = anchored({"gamma_x": "1 + 0.2*sin(1*t)"}, {"at_m": "0"}, {"at_m": "l"}, group="R")
    (problem,) = warned(scene)
    assert problem.key == "support.anchors"
    assert "contradict" in problem.message
    assert figure(problem, "m/s at") == pytest.approx(0.1, rel=1e-3)


def test_reported_slip_is_the_slip_of_the_run() -> None:
    strain = {**WAVE, "k_y_per_m": "3*sin(3*X - 2*t)", "gamma_x": "1 + 0.1*sin(3*t + 2*X)"}
    moved = {"at_m": "0.73*l", "velocity_m_s": ["0.2", "0", "0"]}
    scene = anchored(strain, {"at_m": "0.2*l + 0.1*t"}, moved, group="SE3")
    engine, rows = run(scene, 0.5)
    law = StrainLaw(scene.strain, scene.beam)
    result = anchorage(scene, law, Attachments(scene, law), np.asarray(rows.time))
    slip = rows.extra[:, engine.schema.extra.index("slip_mps")]
    np.testing.assert_allclose(result.slip.max(axis=1), slip, rtol=0.01)
    np.testing.assert_allclose(result.kinetic, rows.energy[:, 0], rtol=2e-3)


def test_consistent_anchors_cause_no_problem() -> None:
    # no motion between the anchors
    still = {"k_z_per_m": "6*cos(8*X)*bump((X - 0.2*l)/(0.1*l))*sin(2*t)"}
    assert warned(anchored(still, {"at_m": "0.5*l"}, {"at_m": "l"})) == []
    for name in ("worm", "worm_accelerating", "inchworm"):
        assert registry.check(shipped(name)) == []


def test_anchor_change_in_motion_is_reported_with_its_energy() -> None:
    scene = anchored(WAVE, {"at_m": "0.2*l", "until_s": 0.503}, {"at_m": "0.73*l", "from_s": 0.503})
    (problem,) = warned(scene)
    assert "t = 0.503 s" in problem.message
    energy = figure(problem, "J, which")
    # The missing term in a run's energy balance: the change of kinetic energy without work.
    scene = anchored(WAVE, {"at_m": "0.2*l", "until_s": 0.5}, {"at_m": "0.73*l", "from_s": 0.5})
    energy = figure(warned(scene)[0], "J, which")
    _, rows = run(scene, 0.8)
    lacks = (
        rows.energy[-1, 0] - rows.energy[0, 0] - (rows.energy[-1, 2:] - rows.energy[0, 2:]).sum()
    )
    assert energy == pytest.approx(lacks, rel=0.01)


def test_changes_of_anchors_are_found_to_the_microsecond() -> None:
    scene = anchored(
        WAVE, {"at_m": "0.2*l"}, {"at_m": "0.9*l + 0.1*t^2"}, {"from_s": 1.237, "until_s": 1.2371}
    )
    holds = Attachments(scene, StrainLaw(scene.strain, scene.beam))
    result = switches(holds, np.array([0.0, 0.5, 1.1, 1.23705, 1.5]))
    np.testing.assert_allclose(result, [1.0, 1.237, 1.2371], atol=1e-6)
    assert math.isclose(result[0], 1.0, abs_tol=2e-9)


@pytest.mark.parametrize(
    ("group", "key", "values", "figure_"),
    [
        ("SE2", "velocity_m_s", ["0", "0", "0.3*t"], "0.3 m/s"),
        ("SE2", "angular_velocity_rad_s", ["2", "0", "0"], "2 rad/s"),
        ("R", "velocity_m_s", ["0", "0.1", "0"], "0.1 m/s"),
    ],
)
def test_unattainable_anchor_is_reported(
    group: str, key: str, values: list[str], figure_: str
) -> None:
    strain = {} if group == "R" else WAVE
    (problem,) = warned(anchored(strain, {key: values}, group=group))
    assert problem.key == f"support.anchors[1].{key}"
    assert f"up to {figure_} has no effect" in problem.message
