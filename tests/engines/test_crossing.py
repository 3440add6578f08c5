"""A link that goes through a body within a step is noticed, whatever the model; one that passes beside is not."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from snakestudio.api.running import Run
from snakestudio.engines import registry
from snakestudio.engines.crossing import Crossings
from snakestudio.model.edits import with_values
from snakestudio.model.motion import StateStart
from snakestudio.model.scene import Scene
from snakestudio.model.world import Box, Cylinder, Obstacle
from snakestudio.session.offline import run_offline
from tests.engines.common import still

STEP = 0.004
SPEED = 40.0  # 16 cm a step
MODELS = ("planar_nonsmooth", "spatial_nonsmooth")


def thrown(model: str, *obstacles: Obstacle, velocity: tuple[float, float] = (0.0, SPEED), **values: Any) -> Scene:
    """Three limp links in line along x, thrown over a smooth floor; their centres begin at y = 0."""
    scene = with_values(
        Scene(),
        {
            "model.kind": model, "robot.n_links": 3, "robot.link_length_m": 0.1, "robot.contact_half_length_m": 0.04,
            "robot.radius_m": 0.01, "ground.mu_along": 0.0, "ground.mu_across": 0.0, "gait.amplitude_deg": 0.0,
            "joint_controller.kp_nm_per_rad": 0.0, "joint_controller.kd_nms_per_rad": 0.0, "solver.step_s": STEP,
            "control.period_s": 5 * STEP, "run.duration_s": 10 * STEP, "run.log_rate_hz": 50.0, **values,
        },
    )  # fmt: skip
    start = StateStart(
        kind="state",
        position_m=tuple((0.1 * k, 0.0, 0.01) for k in range(3)),
        orientation_wxyz=((1.0, 0.0, 0.0, 0.0),) * 3,
        velocity_m_s=((*velocity, 0.0),) * 3,
    )
    return scene.model_copy(update={"start": start, "obstacles": obstacles})


def wall(y: float = 0.04, thickness: float = 0.005, **more: Any) -> Box:
    return Box(x_m=0.1, y_m=y, z_m=0.0, length_m=1.0, width_m=thickness, height_m=0.1, **more)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("obstacle", "link", "called"),
    [
        (wall(name="Fence"), 1, "Fence"),
        (wall(), 1, "a box"),
        (wall(yaw_deg=-10.0), 3, "a box"),
        (Cylinder(x_m=0.11, y_m=0.05, radius_m=0.004, height_m=0.1), 2, "a cylinder"),
    ],
    ids=["named", "wall", "slanting", "pin"],
)
def test_what_is_thinner_than_the_way_of_a_step_is_not_crossed_silently(
    model: str, obstacle: Obstacle, link: int, called: str
) -> None:
    far = Cylinder(x_m=-3.0, y_m=0.0, radius_m=0.002, height_m=0.1)
    engine = registry.create(thrown(model, far, obstacle))
    report = engine.advance(still(engine.scene), 10, np.arange(11))
    assert not report.ok
    assert report.steps == engine.step_count == 0, "the state is that before the step"
    assert not len(report.rows)
    said = f"In step 1 (t = 0 s) link {link} goes through obstacle 2 ({called}): it moves 160 mm in the step"
    assert report.message.startswith(said)
    step = float(report.message.split("to ")[-1].rstrip("."))
    assert step < STEP
    mended = registry.create(with_values(engine.scene, {"solver.step_s": step, "control.period_s": step}))
    report = mended.advance(still(mended.scene), round(0.02 / step))
    assert report.ok, "the remedy holds"
    if obstacle.kind == "box":
        assert mended.snapshot().link_pose[:, 1].min() < 0.05, "the wall is one"


@pytest.mark.parametrize("model", MODELS)
def test_what_is_crossed_in_the_middle_of_a_run_ends_it_with_a_fault_in_its_recording(model: str) -> None:
    # The wall begins 1.1 m ahead: 6 steps of 16 cm lead to 0.96 m, the seventh behind it.
    scene = thrown(model, wall(y=1.02))
    result = run_offline(scene)
    assert not result.ok
    assert "In step 7 (t = 0.024 s) link 1 goes through obstacle 1 (a box)" in result.message
    (fault,) = result.recording.events
    assert fault.kind == "fault"
    assert fault.time == pytest.approx(0.024)
    assert result.recording.times.tolist() == pytest.approx([0.0, 0.02])
    places = Run(result.recording)["link_1_y_m"]
    assert places.tolist() == pytest.approx([0.0, 0.8])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "obstacles",
    [
        (Box(x_m=0.1, y_m=0.04, z_m=0.5, length_m=1.0, width_m=0.005, height_m=0.1),),
        (Box(x_m=-0.5, y_m=0.5, z_m=0.0, length_m=0.8, width_m=0.005, height_m=0.1),),
        (
            Cylinder(x_m=-0.07, y_m=0.3, radius_m=0.004, height_m=0.1),
            Cylinder(x_m=0.27, y_m=0.5, radius_m=0.004, height_m=0.1),
        ),
    ],
    ids=["above", "beside", "between pins"],
)
def test_what_is_passed_is_not_taken_for_crossed(model: str, obstacles: tuple[Obstacle, ...]) -> None:
    engine = registry.create(thrown(model, *obstacles))
    report = engine.advance(still(engine.scene), 10)
    assert report.ok, report.message
    assert engine.snapshot().link_pose[:, 1] == pytest.approx([10 * STEP * SPEED] * 3)


@pytest.mark.parametrize("model", MODELS)
def test_who_begins_in_a_body_has_not_crossed_it(model: str) -> None:
    engine = registry.create(thrown(model, Cylinder(x_m=0.1, y_m=0.2, radius_m=0.004, height_m=0.1)))
    before, after = engine._state.q.copy(), engine._state.q.copy()  # type: ignore[attr-defined]
    before[:, 1], after[:, 1] = 0.2, 0.5
    watch = engine._crossings  # type: ignore[attr-defined]
    assert watch.found(before, after) is None
    before[:, 1] = 0.1
    crossing = watch.found(before, after)
    assert (crossing.link, crossing.obstacle) == (1, 0)
    assert crossing.way == pytest.approx(0.4)
    assert crossing.seen == pytest.approx(0.01 + 0.004)


@pytest.mark.parametrize("model", MODELS)
def test_looking_out_changes_nothing(model: str) -> None:
    """A wall that only pushes: a run with the walls' way looked at, fast or slow, has the same bits as one call."""
    scene = thrown(model, wall(y=0.3), wall(y=-0.3), velocity=(0.5, 2.5), **{"run.duration_s": 0.4})
    watched, alone = registry.create(scene), registry.create(scene)
    alone._crossings = Crossings((), 0.0, 0.0)  # type: ignore[attr-defined]
    rows = [engine.advance(still(scene), 100, np.arange(0, 101, 7)) for engine in (watched, alone)]
    assert rows[0].ok, rows[0].message
    np.testing.assert_equal(asdict(rows[0]), asdict(rows[1]))
    assert rows[0].rows.impulse_obstacle.any(), "the walls pushed"
