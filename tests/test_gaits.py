"""The gaits of the library, run as by a user: each must move the robot as its description states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS
from snakestudio.model.scene import Scene
from snakestudio.model.serpenoid import CompoundSerpenoid
from snakestudio.paths import scenes_dir

PRESETS = {preset.name: preset for preset in GAITS}
GRIPS_SIDEWAYS = {"ground.mu_along": 0.1, "ground.mu_across": 0.5}
BEGIN = 4.5
END = 15.0


class Motion(NamedTuple):
    """Displacement of the centre of mass from 4.5 to 15 s, m, towards the first link and left; and turn, rad."""

    ahead: float
    left: float
    turn: float


RUNS: dict[tuple[str, bool], Motion] = {}


def motion_of(name: str, grips_sideways: bool = False) -> Motion:
    """Return the motion of a straight robot, with its head in the direction of x, in a gait."""
    if (name, grips_sideways) in RUNS:
        return RUNS[name, grips_sideways]
    values = {
        "model.kind": "spatial_nonsmooth",
        "start.kind": "straight",
        "start.link": 6,
        "start.heading_deg": 180.0,
    }
    scene = with_values(
        Scene(), values | PRESETS[name].values() | (GRIPS_SIDEWAYS if grips_sideways else {})
    )
    run = ss.simulate(scene, duration=END)
    rows = np.searchsorted(run["time_s"], [BEGIN - 1e-6, END - 1e-6])
    displacement = np.array([np.diff(run[f"com_{axis}_m"][rows])[0] for axis in "xy"])

    def heading(axis: str) -> NDArray[np.float64]:
        return run[f"link_1_{axis}_m"] - run[f"link_11_{axis}_m"]

    angle = np.unwrap(np.arctan2(heading("y"), heading("x")))
    RUNS[name, grips_sideways] = Motion(
        displacement[0], displacement[1], angle[rows[1]] - angle[rows[0]]
    )
    return RUNS[name, grips_sideways]


def test_lateral_undulation_needs_anisotropic_friction() -> None:
    # P1 VIII-B: forward with mu 0.1/0.5; with isotropic friction (VIII-D) a hundredth of that, and
    # backwards.
    motion = motion_of("lateral_undulation", grips_sideways=True)
    assert motion.ahead > 0.5
    assert abs(motion.left) < 0.2 * motion.ahead
    assert motion_of("lateral_undulation").ahead < 0.0
    assert motion_of("obstacle_aided").ahead < 0.0  # no obstacles to push against


def test_turning_follows_an_arc() -> None:
    # A positive offset turns a robot whose first link is the head to the right.
    motion = motion_of("turning", grips_sideways=True)
    straight = motion_of("lateral_undulation", grips_sideways=True)
    assert motion.turn < -np.radians(30.0) - abs(straight.turn)
    assert np.hypot(motion.ahead, motion.left) > 0.3


def test_sidewinding_moves_sideways() -> None:
    motion = motion_of("sidewinding")
    assert motion.left > 0.8
    assert abs(motion.ahead) < 0.2 * motion.left


def test_optimised_gaits_beat_the_papers_on_default_robot() -> None:
    """The gaits were optimised on P1's robot, whose links turn slightly more easily than the default robot's."""
    sideways = {
        name: np.hypot(*motion_of(name)[:2])
        for name in ("sidewinding", "fast_sidewinding", "cheap_sidewinding")
    }
    assert sideways["fast_sidewinding"] > 1.8 * sideways["sidewinding"]
    assert sideways["cheap_sidewinding"] > 1.2 * sideways["sidewinding"]
    ahead = {
        name: np.hypot(*motion_of(name, grips_sideways=True)[:2])
        for name in ("lateral_undulation", "fast_lateral_undulation", "cheap_lateral_undulation")
    }
    assert ahead["fast_lateral_undulation"] > 1.5 * ahead["lateral_undulation"]
    assert ahead["cheap_lateral_undulation"] > 1.1 * ahead["lateral_undulation"]


def test_rolling_rolls_sideways_without_slipping() -> None:
    # The plane of the arc turns with omega about the body: a tube of radius R rolls omega R t.
    motion = motion_of("rolling")
    rolled = np.radians(80.0) * 0.0525 * (END - BEGIN)
    assert abs(motion.left) == pytest.approx(rolled, rel=0.15)
    assert abs(motion.ahead) < 0.2 * abs(motion.left)


def test_sinus_lifting_advances_with_isotropic_friction() -> None:
    assert motion_of("sinus_lifting").ahead > 0.08
    assert motion_of("obstacle_aided").ahead < 0.0  # the same wave without lifting


def test_vertical_wave_moves_the_body_along_its_axis() -> None:
    motion = motion_of("inchworm")
    assert motion.ahead > 0.2
    assert abs(motion.left) < 0.01
    assert abs(motion.turn) < np.radians(1.0)


class Cycle(NamedTuple):
    """Motion in one cycle of the slower wave: towards the head and to the left, in body lengths; turn, rad."""

    ahead: float
    left: float
    turn: float


def cycle_of(scene: Scene, name: str) -> Cycle:
    """Return the mean of the second and third cycle of a gait from its own pose; every step must converge."""
    gait = PRESETS[name].gait
    assert isinstance(gait, CompoundSerpenoid)
    rates = [gait.odd_temporal_frequency_rad_s, gait.even_temporal_frequency_rad_s]
    period = 2 * np.pi / min(abs(rate) for rate in rates if rate)
    run = ss.simulate(
        with_values(scene, PRESETS[name].values() | {"start.kind": "gait"}), duration=3.0 * period
    )
    # nan in the Lagrangian model, which has no contact problem
    assert np.nansum(run["solver_unconverged"]) == 0
    first, last = np.searchsorted(run["time_s"], [period - 1e-6, 3.0 * period - 1e-2])
    links = range(1, scene.robot.n_links + 1)
    position = np.stack(
        [[run[f"link_{i}_{axis}_m"][first : last + 1] for i in links] for axis in "xy"]
    )
    toward_head = np.linspace(1.0, -1.0, len(links)) * (
        1.0 if scene.robot.head == "first" else -1.0
    )
    x, y = np.tensordot(toward_head, position, (0, 1))
    heading = np.unwrap(np.arctan2(y, x))
    steps = np.diff(np.stack([run[f"com_{axis}_m"][first : last + 1] for axis in "xy"]), axis=1)
    middle = 0.5 * (heading[1:] + heading[:-1])
    ahead = steps[0] @ np.cos(middle) + steps[1] @ np.sin(middle)
    left = steps[1] @ np.cos(middle) - steps[0] @ np.sin(middle)
    return Cycle(
        *(np.array([ahead, left]) / (2.0 * scene.robot.length)), (heading[-1] - heading[0]) / 2.0
    )


SIXTEEN = ss.load_scene(scenes_dir() / "alternating_16.toml")
"""16 modules with alternating yaw and pitch joints, on a floor with isotropic friction."""


@pytest.mark.parametrize(
    ("name", "ahead", "left", "turn_deg"),
    [
        ("compound_sidewinding", 0.0, 0.31, 4.0),
        ("slithering", 0.31, 0.0, 0.0),
        ("linear_progression", 0.055, 0.0, 0.0),
        ("conical_sidewinding", 0.0, 0.32, -13.0),
        ("turn_in_place", 0.0, 0.0, -43.0),
        ("pedal_wave", 0.042, 0.0, -3.4),
    ],
)
def test_serpenoid_gait_moves_as_documented(
    name: str, ahead: float, left: float, turn_deg: float
) -> None:
    cycle = cycle_of(SIXTEEN, name)
    assert cycle.ahead == pytest.approx(ahead, rel=0.15, abs=0.03 if ahead == 0.0 else 0.0)
    assert cycle.left == pytest.approx(left, rel=0.15, abs=0.01 if left == 0.0 else 0.0)
    assert np.degrees(cycle.turn) == pytest.approx(
        turn_deg, rel=0.2, abs=1.0 if abs(turn_deg) < 4.0 else 4.0
    )


def test_helix_and_arc_roll_like_tubes() -> None:
    # Mori and Hirose: an arc rolls at omega_T times the radius of the robot. A helix of two turns
    # rolls at omega_T times its outer radius, where 2 m curvature = A and m torsion = omega_S at a
    # module length m.
    robot = SIXTEEN.robot
    arc = cycle_of(SIXTEEN, "compound_rolling")
    helix = cycle_of(SIXTEEN, "rolling_helix")
    assert arc.left == pytest.approx(-2 * np.pi * robot.radius_m / robot.length, rel=0.03)
    assert abs(arc.ahead) < 0.01
    curvature = 0.6 / (2 * robot.link_length_m)
    torsion = 0.8 / robot.link_length_m
    outer = curvature / (curvature**2 + torsion**2) + robot.radius_m
    assert helix.left == pytest.approx(-2 * np.pi * outer / robot.length, rel=0.1)
    assert abs(helix.ahead) < 0.2 * abs(helix.left)


def test_slithering_is_faster_with_anisotropic_friction() -> None:
    cycle = cycle_of(with_values(SIXTEEN, GRIPS_SIDEWAYS), "slithering")
    assert cycle.ahead > 0.4
    assert abs(cycle.left) < 0.01


def test_eel_like_gait_swims_head_first() -> None:
    cycle = cycle_of(ss.load_scene(scenes_dir() / "planar_swimmer_9.toml"), "eel_like")
    assert cycle.ahead > 0.1
    assert abs(cycle.left) < 0.1 * cycle.ahead
